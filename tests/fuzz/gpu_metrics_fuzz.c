/*
 * gpu_metrics from any bytes, on devices known and unknown, and with the reading before: every
 * byte is counted once, and no sample says more than it can.
 */
#include <stdint.h>
#include <stdlib.h>

#include "backend/amdgpu/amdgpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds) {
    if (!holds)
        abort();
}

static void on_sample(void *ctx, const struct sample *s) {
    (void)ctx;
    must(s->metric < METRIC_COUNT);
    must(s->state < STATE_COUNT);
    must(s->name_len > 0 && text_is_clean((struct span){s->name, s->name_len}));
    if (s->state == STATE_VALUE && metric_info(s->metric)->unit == UNIT_PERCENT)
        must(s->value <= 1000000);
    if (s->state == STATE_VALUE && metric_info(s->metric)->unit == UNIT_FLAG)
        must(s->value == 0 || s->value == 1);
}

static void check(const struct counts *c, size_t size) {
    uint64_t reasons = 0;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        reasons += c->reasons[i];
    must(c->accepted + c->ignored + c->malformed + c->truncated == size);
    must(c->accepted + reasons == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const devices[] = {
        "",
        "pci=1002:7480\n",
        "pci=1002:740f\n",
        "pci=1002:163f\n",
        "pci=1002:1638\nfw.smc=0x40000f\n",
        "pci=1002:150e\nfw.smc=0x5d4600\n",
    };
    const struct sink sink = {.sample = on_sample};
    struct frame f = {.bytes = (const char *)data, .size = size, .subject = 1};
    uint64_t state[64];
    must(amdgpu_gpu_metrics_fold.size <= sizeof(state));
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        struct subject s = {.id = 1, .type = SUBJECT_DEVICE, .name = "", .facts = devices[i]};
        struct counts counts = {0};
        amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
        check(&counts, size);
        amdgpu_gpu_metrics_fold.init(state, &s);
        for (f.t_ns = 0; f.t_ns <= 1000000; f.t_ns += 1000000) {
            counts = (struct counts){0};
            amdgpu_gpu_metrics_fold.feed(state, &s, &f, &sink, &counts);
            check(&counts, size);
        }
    }
    return 0;
}
