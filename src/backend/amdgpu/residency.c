/*
 * gpu_metrics with the reading before it: running times under a limit become a share of the time
 * between. Sources disagree on what these counters count; as long as their growth, taken for
 * milliseconds, fits the time between, it is taken for that and doubted.
 */
#include "amdgpu.h"

enum {
    FIRST = METRIC_THROTTLE_RESIDENCY_PROCHOT,
    COUNTERS = METRIC_THROTTLE_RESIDENCY_THM_SOC - METRIC_THROTTLE_RESIDENCY_PROCHOT + 1
};

#define NS_PER_MS    1000000
#define FULL_PERCENT 1000000 /* 100 % in 10^-4 % */
/* Two readings are each up to this much off the counter's own clock. */
#define SLACK_MS 20

struct counter {
    int64_t t_ns;
    uint64_t raw;
    bool seen;
};

struct residency {
    struct counter counters[COUNTERS];
};

/* Stands between the decoder and the true sink. */
struct between {
    struct residency *state;
    const struct sink *to;
};

static void init(void *state, const struct subject *s) {
    (void)s;
    *(struct residency *)state = (struct residency){.counters = {{.seen = false}}};
}

/* A counter that went back, or two readings at one time, say nothing yet. */
static void share(const struct counter *before, struct sample *s) {
    if (!before->seen || s->raw < before->raw || s->t_ns <= before->t_ns)
        return;
    uint64_t interval_ns = (uint64_t)s->t_ns - (uint64_t)before->t_ns;
    uint64_t grown_ms = s->raw - before->raw;
    if (grown_ms > interval_ns / NS_PER_MS + SLACK_MS) {
        s->state = STATE_UNSUPPORTED;
        return;
    }
    uint64_t part = mul_div_u64(grown_ms * NS_PER_MS, FULL_PERCENT, interval_ns);
    s->value = part < FULL_PERCENT ? (int64_t)part : FULL_PERCENT;
    s->state = STATE_VALUE;
    s->doubt |= DOUBT_UNIT;
}

static void on_sample(void *ctx, const struct sample *s) {
    const struct between *b = ctx;
    if (s->metric < FIRST || s->metric >= FIRST + COUNTERS || s->state != STATE_UNKNOWN) {
        b->to->sample(b->to->ctx, s);
        return;
    }
    struct counter *c = &b->state->counters[s->metric - FIRST];
    struct sample shown = *s;
    share(c, &shown);
    *c = (struct counter){.t_ns = s->t_ns, .raw = s->raw, .seen = true};
    b->to->sample(b->to->ctx, &shown);
}

static void feed(void *state, const struct subject *s, const struct frame *f,
                 const struct sink *sink, struct counts *counts) {
    struct between b = {.state = state, .to = sink};
    struct sink own = {.ctx = &b, .sample = sink->sample ? on_sample : NULL};
    amdgpu_gpu_metrics_decode(s, f, &own, counts);
}

const struct fold amdgpu_gpu_metrics_fold = {
    .size = sizeof(struct residency), .init = init, .feed = feed};
