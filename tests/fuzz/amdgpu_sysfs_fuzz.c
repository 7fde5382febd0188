/* Any bytes as a frame of several small files of an amdgpu device, and as each of those files. */
#include "backend/amdgpu/device.h"
#include "backend/amdgpu/levels.h"
#include "decode_check.h"

static void take_sample(void *ctx, const struct sample *s) {
    const struct checked *c = ctx;
    struct span name = {s->name, s->name_len};
    check(s->metric < METRIC_COUNT, "metrics exist");
    check(s->state < STATE_COUNT, "states exist");
    check(s->state == STATE_VALUE || s->value == 0, "what is no value holds none");
    check(s->value >= 0 || metric_info(s->metric)->unit == UNIT_DEGC, "only it can be cold");
    check(s->t_ns == c->frame->t_ns, "a sample has the time of its frame");
    check(s->subject == c->subject->id && s->pid == c->subject->pid, "a sample has an owner");
    check(s->name && text_is_clean(name), "names are clean");
    if (metric_info(s->metric)->unit == UNIT_PERCENT)
        check(s->value <= 1000000, "no share is more than the whole");
}

/* What the decoder counts is one unit for each file, and one for a rest that is none. */
static uint64_t files_of(struct span body) {
    struct cursor c = cursor_over(body);
    struct file_part part;
    uint64_t files = 0;
    enum files_step step;
    while ((step = files_next(&c, &part)) == FILES_PART) {
        check(part.name.n > 0 && part.bytes.p >= body.p &&
                  part.bytes.p + part.bytes.n < body.p + body.n,
              "a part lies in the whole");
        files++;
    }
    check(cursor_at_end(&c), "a walk ends at the end");
    return files + (step != FILES_END);
}

static void decode(unsigned kind, const char *facts, struct span body, uint64_t units) {
    struct subject s = {.id = 3, .device = 2, .pid = 42, .name = "", .facts = facts};
    struct frame f = {.t_ns = 11, .bytes = body.p, .size = body.n, .subject = 3};
    struct checked c = {.subject = &s, .frame = &f};
    struct sink sink = {&c, take_sample, NULL, NULL};
    struct counts counts = {0};
    uint64_t reasons = 0;
    backend_amdgpu.kinds[kind - FRAME_BACKEND].decode(&s, &f, &sink, &counts);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        reasons += counts.reasons[i];
    uint64_t refused = counts.ignored + counts.malformed + counts.truncated;
    check(counts.accepted + refused == units, "every file is counted once");
    check(reasons == refused, "what is not accepted has a reason");
}

static void decode_frames(struct span body) {
    uint64_t files = files_of(body);
    decode(AMDGPU_SYSFS, "apu=0\n", body, files);
    decode(AMDGPU_SYSFS, "apu=1\n", body, files);
    decode(AMDGPU_HWMON, "", body, files);
    decode(AMDGPU_KFD, "part=3\n", body, files);
    decode(AMDGPU_PCIE_BW, "", body, 1);
}

/* The bytes as the text of this file, between two others. */
static void decode_file(unsigned kind, const char *name, struct span text) {
    struct buf b;
    buf_init(&b);
    files_put(&b, span_of("power1_label"), span_of("slowPPT\n"), 0);
    files_put(&b, span_of(name), text, 0);
    files_put(&b, span_of("gpu_busy_percent"), span_of("1\n"), 0);
    check(files_of(buf_span_of(&b)) == 3, "what was written is read back");
    decode(kind, "apu=0\n", buf_span_of(&b), 3);
    buf_finish(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct {
        unsigned kind;
        const char *name;
    } files[] = {
        {AMDGPU_SYSFS, "gpu_busy_percent"},
        {AMDGPU_SYSFS, "mem_info_vram_used"},
        {AMDGPU_SYSFS, "pp_dpm_sclk"},
        {AMDGPU_SYSFS, "pp_dpm_vclk1"},
        {AMDGPU_SYSFS, "pp_dpm_pcie"},
        {AMDGPU_SYSFS, "current_link_speed"},
        {AMDGPU_SYSFS, "current_link_width"},
        {AMDGPU_HWMON, "temp1_input"},
        {AMDGPU_HWMON, "temp2_label"},
        {AMDGPU_HWMON, "power1_average"},
        {AMDGPU_HWMON, "in0_input"},
        {AMDGPU_HWMON, "freq1_input"},
        {AMDGPU_HWMON, "pwm1"},
        {AMDGPU_KFD, "vram_51234"},
        {AMDGPU_KFD, "sdma_51234"},
    };
    struct span body = {(const char *)data, size};
    struct amd_levels levels;
    decode_frames(body);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        decode_file(files[i].kind, files[i].name, body);
    amd_levels_parse(body, false, &levels);
    check(levels.least.value <= levels.most.value, "limits stand in order");
    check(!levels.has_now || levels.count > 0, "a level at work is a level");
    return 0;
}
