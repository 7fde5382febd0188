/*
 * How much of the time the driver recorded, as the collector wrote it down. Pure.
 */
#include "mali.h"

#define WHOLE UINT64_C(1000000) /* 100 % */

const uint16_t mali_window_gives[1] = {METRIC_COVERAGE_RECORDED};

struct window {
    uint64_t recorded_ns;
    uint64_t interval_ns;
    uint64_t lines;
    uint64_t other_recorder;
};

static void take_number(struct span value, uint64_t *to, struct counts *counts) {
    if (span_to_u64(value, to) == ERR_OK)
        counts->accepted++;
    else
        counts_malformed(counts, REASON_BAD_NUMBER);
}

static void take_pair(struct window *w, struct span key, struct span value, struct counts *counts) {
    if (span_equals(key, "recorded_ns"))
        take_number(value, &w->recorded_ns, counts);
    else if (span_equals(key, "interval_ns"))
        take_number(value, &w->interval_ns, counts);
    else if (span_equals(key, "lines"))
        take_number(value, &w->lines, counts);
    else if (span_equals(key, "other_recorder"))
        take_number(value, &w->other_recorder, counts);
    else if (span_equals(key, "clock"))
        counts->accepted++;
    else
        counts_ignored(counts, REASON_OTHER_KEY);
}

static void take_lines(struct window *w, struct span rest, struct counts *counts) {
    while (rest.n > 0) {
        const char *end = memchr(rest.p, '\n', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n;
        const char *sign = memchr(rest.p, '=', n);
        if (!end)
            counts_truncated(counts, REASON_CUT);
        else if (!sign)
            counts_malformed(counts, REASON_BAD_TEXT);
        else
            take_pair(w, (struct span){rest.p, (size_t)(sign - rest.p)},
                      (struct span){sign + 1, (size_t)(end - sign) - 1}, counts);
        rest = span_skip(rest, end ? n + 1 : n);
    }
}

/* What another program has recorded is not for us to see. */
static enum state share(const struct window *w, int64_t *out) {
    uint64_t part = w->recorded_ns < w->interval_ns ? w->recorded_ns : w->interval_ns;
    uint64_t all = w->interval_ns;
    *out = 0;
    if (w->other_recorder != 0)
        return STATE_VALUE;
    if (all == 0)
        return STATE_MALFORMED;
    for (; all >> 40 != 0; all >>= 1)
        part >>= 1;
    *out = (int64_t)(part * WHOLE / all);
    return STATE_VALUE;
}

void mali_window_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts) {
    struct window w = {0};
    struct sample sample = {.t_ns = f->t_ns,
                            .name = "",
                            .subject = s->id,
                            .device = s->device,
                            .metric = METRIC_COVERAGE_RECORDED,
                            .index = INDEX_NONE};
    take_lines(&w, frame_span(f), counts);
    sample.state = (uint8_t)share(&w, &sample.value);
    sample.raw = w.recorded_ns;
    if (w.other_recorder != 0)
        counts->reasons[REASON_OTHER_RECORDER]++;
    if (sink->sample)
        sink->sample(sink->ctx, &sample);
}
