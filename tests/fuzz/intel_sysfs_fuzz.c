/* Any bytes as frames of the everyday sensors of an Intel device, twice over, and as the text of each small file. */
#include "backend/files.h"
#include "backend/intel/intel.h"
#include "decode_check.h"

static void take_sample(void *ctx, const struct sample *s) {
    const struct checked *c = ctx;
    struct span name = {s->name, s->name_len};
    enum unit unit = metric_info(s->metric)->unit;
    check(s->metric < METRIC_COUNT, "metrics exist");
    check(s->state < STATE_COUNT, "states exist");
    check(s->state == STATE_VALUE || s->value == 0, "what is no value holds none");
    check(s->value >= 0 || unit == UNIT_DEGC, "only it can be cold");
    check(s->t_ns == c->frame->t_ns, "a sample has the time of its frame");
    check(s->subject == c->subject->id && s->device == c->subject->device, "a sample has an owner");
    check(s->name && text_is_clean(name), "names are clean");
    check(unit != UNIT_PERCENT || s->value <= 1000000, "no share is more than the whole");
    check(unit != UNIT_FLAG || s->value <= 1, "a flag is one");
    check(unit != UNIT_HZ || s->value <= INT64_C(100000000000), "no clock is absurd");
}

static uint64_t files_of(struct span body) {
    struct cursor c = cursor_over(body);
    struct file_part part;
    uint64_t files = 0;
    enum files_step step;
    while ((step = files_next(&c, &part)) == FILES_PART)
        files++;
    return files + (step != FILES_END);
}

static uint64_t lines_of(struct span body) {
    struct cursor c = cursor_over(body);
    struct span line;
    uint64_t lines = 0;
    while (cursor_line(&c, &line))
        lines++;
    return lines;
}

/* One frame; `state`: of a kind that folds. */
static void feed(const struct kind *k, void *state, const char *facts, int64_t t_ns,
                 struct span body, uint64_t units) {
    struct subject s = {.id = 3, .device = 2, .name = "", .facts = facts};
    struct frame f = {.t_ns = t_ns, .bytes = body.p, .size = body.n, .subject = 3};
    struct checked c = {.subject = &s, .frame = &f};
    struct sink sink = {&c, take_sample, NULL, NULL};
    struct counts counts = {0};
    uint64_t reasons = 0;
    if (k->decode)
        k->decode(&s, &f, &sink, &counts);
    else
        k->fold->feed(state, &s, &f, &sink, &counts);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        reasons += counts.reasons[i];
    uint64_t refused = counts.ignored + counts.malformed + counts.truncated;
    check(counts.accepted + refused == units, "every unit is counted once");
    check(reasons == refused, "what is not accepted has a reason");
}

/* The second frame has the first one to compare with, cut where the first byte says. */
static void feed_twice(unsigned kind, const char *facts, struct span body) {
    const struct kind *k = &backend_intel.kinds[kind - FRAME_BACKEND];
    bool lines = kind == INTEL_RAPL || kind == INTEL_PMU;
    struct span cut = {body.p, body.n > 0 ? (uint8_t)body.p[0] % body.n : 0};
    void *state = k->fold ? calloc(1, k->fold->size) : NULL;
    if (k->fold && !state)
        abort();
    if (k->fold)
        k->fold->init(state, NULL);
    feed(k, state, facts, 1000000000, body, lines ? lines_of(body) : files_of(body));
    feed(k, state, facts, 1500000000, cut, lines ? lines_of(cut) : files_of(cut));
    feed(k, state, facts, 2000000000, body, lines ? lines_of(body) : files_of(body));
    free(state);
}

/* The bytes as the text of this file, between two others. */
static void feed_file(unsigned kind, const char *name, struct span text) {
    struct buf b;
    buf_init(&b);
    files_put(&b, span_of("temp5_label"), text, 0);
    files_put(&b, span_of(name), text, 0);
    files_put(&b, span_of("temp5_input"), span_of("1\n"), 0);
    feed_twice(kind, "apu=0\n", buf_span_of(&b));
    buf_finish(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const of_sysfs[] = {"gt/gt0/rps_act_freq_mhz",
                                           "tile0/gt1/freq0/max_freq",
                                           "tile0/gt0/gtidle/idle_residency_ms",
                                           "gt/gt0/throttle_reason_status",
                                           "tile0/gt0/freq0/throttle/reason_pl1",
                                           "current_link_speed",
                                           "current_link_width",
                                           "port/max_link_speed"};
    static const char *const of_hwmon[] = {"temp1_input", "energy1_input", "power1_max",
                                           "in0_input",   "fan2_input",    "power1_label"};
    struct span body = {(const char *)data, size};
    feed_twice(INTEL_SYSFS, "apu=0\n", body);
    feed_twice(INTEL_SYSFS, "apu=1\n", body);
    feed_twice(INTEL_HWMON, "apu=0\n", body);
    feed_twice(INTEL_HWMON, "apu=1\n", body);
    feed_twice(INTEL_RAPL, "apu=1\n", body);
    feed_twice(INTEL_PMU, "apu=1\n", body);
    for (size_t i = 0; i < sizeof of_sysfs / sizeof of_sysfs[0]; i++)
        feed_file(INTEL_SYSFS, of_sysfs[i], body);
    for (size_t i = 0; i < sizeof of_hwmon / sizeof of_hwmon[0]; i++)
        feed_file(INTEL_HWMON, of_hwmon[i], body);
    return 0;
}
