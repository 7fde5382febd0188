/* Any bytes as a frame of several small files of a Mali GPU, as each of those files, and as the line of its knob. */
#include "backend/files.h"
#include "backend/panthor/sensors.h"
#include "decode_check.h"

static void take_sample(void *ctx, const struct sample *s) {
    const struct checked *c = ctx;
    struct span name = {s->name, s->name_len};
    check(s->metric < METRIC_COUNT, "metrics exist");
    check(s->state < STATE_COUNT, "states exist");
    check(s->state == STATE_VALUE || (s->value == 0 && s->doubt == 0),
          "what is no value holds none");
    check(s->value >= 0 || metric_info(s->metric)->unit == UNIT_DEGC, "only it can be cold");
    check(s->value <= 10000000000, "no clock is faster");
    check(s->metric != METRIC_VOLTAGE_GFX || s->value <= 2000000, "no voltage is higher");
    check(s->metric != METRIC_PROFILING || s->value <= 1, "a flag is one");
    check(s->t_ns == c->frame->t_ns, "a sample has the time of its frame");
    check(s->subject == c->subject->id, "a sample has an owner");
    check(s->name && text_is_clean(name), "names are clean");
}

static void decode(const char *facts, struct span body, uint64_t units) {
    struct subject s = {.id = 3, .device = 2, .name = "", .facts = facts};
    struct frame f = {.t_ns = 11, .bytes = body.p, .size = body.n, .subject = 3};
    struct checked c = {.subject = &s, .frame = &f};
    struct sink sink = {&c, take_sample, NULL, NULL};
    struct counts counts = {0};
    uint64_t reasons = 0;
    panthor_sysfs_decode(&s, &f, &sink, &counts);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        reasons += counts.reasons[i];
    uint64_t refused = counts.ignored + counts.malformed + counts.truncated;
    check(counts.accepted + refused == units, "every file is counted once");
    check(reasons == refused, "what is not accepted has a reason");
}

/* One unit for each file, and one for a rest that is none; the knob's line is one. */
static uint64_t count_units(struct span body) {
    struct cursor c = cursor_over(body);
    struct file_part part;
    uint64_t files = 0;
    enum files_step step;
    if (span_starts(body, "profiling="))
        return 1;
    while ((step = files_next(&c, &part)) == FILES_PART)
        files++;
    return files + (step != FILES_END);
}

/* The bytes as the text of this file, behind a clock. */
static void decode_file(const char *name, struct span text) {
    struct buf b;
    buf_init(&b);
    files_put(&b, span_of("devfreq/cur_freq"), span_of("800000000\n"), 0);
    files_put(&b, span_of(name), text, 0);
    decode("driver=lima\n", buf_span_of(&b), 2);
    buf_finish(&b);
}

static void decode_knob(struct span text) {
    struct buf b;
    buf_init(&b);
    buf_text(&b, "profiling=");
    buf_span(&b, text);
    decode("driver=panthor\n", buf_span_of(&b), 1);
    decode("driver=panfrost\n", buf_span_of(&b), 1);
    buf_finish(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const files[] = {"devfreq/cur_freq",     "devfreq/available_frequencies",
                                        "regulator/microvolts", "opp/800000000/u_volt_target",
                                        "opp/u_volt_target",    "thermal_zone3/temp"};
    struct span body = {(const char *)data, size};
    decode("driver=panthor\n", body, count_units(body));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        decode_file(files[i], body);
    decode_knob(body);
    (void)panthor_is_gpu_zone(body);
    return 0;
}
