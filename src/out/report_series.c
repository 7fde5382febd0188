/*
 * Series of a report: means over equal steps of time in a bounded number of points. A value that
 * was true over a stretch of time weighs on each step by the part that it covers, so that uneven
 * ticks leave no false gaps. Pure.
 */
#include "report.h"

#include <stdlib.h>

static bool make(struct report_series *s) {
    if (s->sum) {
        return true;
    }
    s->sum = calloc((size_t)REPORT_POINTS * 2, sizeof *s->sum);
    s->seconds = s->sum ? s->sum + REPORT_POINTS : NULL;
    return s->sum != NULL;
}

bool series_put(struct report_series *s, int64_t step_ns, int64_t from_ns, int64_t to_ns,
                double v) {
    if (!make(s)) {
        return false;
    }
    for (int64_t i = from_ns / step_ns; i < REPORT_POINTS && i * step_ns < to_ns; i++) {
        int64_t start = i * step_ns;
        int64_t low = from_ns > start ? from_ns : start;
        int64_t high = to_ns - start < step_ns ? to_ns : start + step_ns;
        double seconds = (double)(high - low) * 1e-9;
        s->sum[i] += v * seconds;
        s->seconds[i] += seconds;
    }
    return true;
}

void series_halve(struct report_series *s) {
    if (!s->sum) {
        return;
    }
    for (unsigned i = 0; i < REPORT_POINTS; i++) {
        bool both = i < REPORT_POINTS / 2;
        s->sum[i] = both ? s->sum[2 * i] + s->sum[2 * i + 1] : 0;
        s->seconds[i] = both ? s->seconds[2 * i] + s->seconds[2 * i + 1] : 0;
    }
}

void series_merge(struct report_series *to, struct report_series *from) {
    if (!from->sum || !make(to)) {
        series_finish(from);
        return;
    }
    for (unsigned i = 0; i < REPORT_POINTS; i++) {
        to->sum[i] += from->sum[i];
        to->seconds[i] = from->seconds[i] > to->seconds[i] ? from->seconds[i] : to->seconds[i];
    }
    series_finish(from);
}

void series_finish(struct report_series *s) {
    free(s->sum);
    *s = (struct report_series){0};
}

bool series_known(const struct report_series *s, unsigned i, double *v) {
    if (!s->sum || s->seconds[i] <= 0) {
        return false;
    }
    *v = s->sum[i] / s->seconds[i];
    return true;
}

struct series_summary series_summary(const struct report_series *s) {
    struct series_summary out = {0};
    double sum = 0;
    double v;
    for (unsigned i = 0; i < REPORT_POINTS; i++) {
        if (!series_known(s, i, &v)) {
            continue;
        }
        if (!out.any || v < out.least) {
            out.least = v;
        }
        if (!out.any || v > out.peak) {
            out.peak = v;
            out.peak_at = i;
        }
        out.any = true;
        sum += s->sum[i];
        out.known_s += s->seconds[i];
    }
    out.mean = out.any ? sum / out.known_s : 0;
    return out;
}
