/*
 * Energy of the package and of its graphics part, as the processor counts it. One line, and one unit, for each counter:
 *
 *   energy-gpu=COUNT SCALE    a perf event: COUNT x SCALE joules since it was opened
 *   uncore=COUNT RANGE        powercap: 10^-6 J; behind RANGE it begins at 0 again
 *
 * energy-gpu and uncore are the graphics part, energy-pkg and package-0 the whole. What comes out grows from the
 * first reading on.
 */
#include "sensors.h"

#include <math.h>

static const struct {
    const char *name;
    uint16_t metric;
    bool perf;
} counters[] = {
    {"energy-gpu", METRIC_ENERGY_GPU, true},
    {"uncore", METRIC_ENERGY_GPU, false},
    {"energy-pkg", METRIC_ENERGY_PKG, true},
    {"package-0", METRIC_ENERGY_PKG, false},
};
enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

struct memory {
    uint64_t last[COUNTERS];
    int64_t grown_uj[COUNTERS]; /* powercap: since the first reading */
    bool has[COUNTERS];
};

/* ---- numbers ------------------------------------------------------------------------------------------------ */

/* What stands behind "e", if anything: at most 40 either way. */
static bool take_exponent(struct cursor *c, int *out) {
    uint64_t number;
    bool minus = false;
    *out = 0;
    if (c->p == c->end)
        return true;
    if (*c->p != 'e' && *c->p != 'E')
        return false;
    c->p++;
    if (c->p < c->end && (*c->p == '-' || *c->p == '+'))
        minus = *c->p++ == '-';
    if (cursor_u64(c, &number) != ERR_OK || number > 40 || c->p != c->end)
        return false;
    *out = minus ? -(int)number : (int)number;
    return true;
}

/* "2.3283064365386962890625e-10", whatever the locale: the kernel writes a point. False: no such number, or 0. */
static bool scale_of(struct span text, double *out) {
    struct cursor c = cursor_over(text);
    double mantissa = 0;
    int exponent;
    int behind = 0;
    bool point = false;
    bool digit = false;
    for (; c.p < c.end && ((*c.p >= '0' && *c.p <= '9') || (*c.p == '.' && !point)); c.p++) {
        if (*c.p == '.') {
            point = true;
            continue;
        }
        digit = true;
        behind += point;
        mantissa = mantissa * 10 + (*c.p - '0');
    }
    if (!digit || behind > 60 || text.n > 80 || !take_exponent(&c, &exponent))
        return false;
    *out = mantissa * pow(10, exponent - behind);
    return *out > 0 && *out < 1;
}

/* ---- counters ------------------------------------------------------------------------------------------------- */

/* ERR_RANGE: more than anything can have used. */
static enum err energy_of_perf(const struct counter_line *l, int64_t *uj) {
    double scale;
    double value;
    if (!scale_of(l->more, &scale))
        return ERR_FORMAT;
    value = (double)l->count * scale * 1e6;
    if (value > 9e18)
        return ERR_RANGE;
    *uj = (int64_t)(value + 0.5);
    return ERR_OK;
}

static enum err energy_of_powercap(struct memory *m, unsigned at, const struct counter_line *l,
                                   int64_t *uj) {
    uint64_t range;
    uint64_t more;
    if (span_to_u64(l->more, &range) != ERR_OK)
        return ERR_FORMAT;
    if (l->count > range || range > INT64_MAX)
        return ERR_RANGE;
    more = !m->has[at]               ? 0
           : l->count >= m->last[at] ? l->count - m->last[at]
           : m->last[at] <= range    ? range - m->last[at] + l->count
                                     : 0;
    m->has[at] = true;
    m->last[at] = l->count;
    if (more > (uint64_t)(INT64_MAX - m->grown_uj[at]))
        m->grown_uj[at] = 0;
    m->grown_uj[at] += (int64_t)more;
    *uj = m->grown_uj[at];
    return ERR_OK;
}

static void take_line(struct teller *t, struct memory *m, struct span line, bool *told) {
    struct counter_line l;
    int64_t uj = 0;
    unsigned at = 0;
    enum err e;
    if (!counter_line_of(line, &l)) {
        counts_malformed(t->counts, REASON_BAD_TEXT);
        return;
    }
    while (at < COUNTERS && !span_equals(l.name, counters[at].name))
        at++;
    if (at == COUNTERS) {
        counts_ignored(t->counts, REASON_OTHER_KEY);
        return;
    }
    told[at] = true;
    tell_name(t, span_of(counters[at].name));
    e = counters[at].perf ? energy_of_perf(&l, &uj) : energy_of_powercap(m, at, &l, &uj);
    if (e == ERR_OK) {
        t->counts->accepted++;
        tell_value(t, counters[at].metric, uj, l.count, 0, INTEL_RANK_SYSFS);
        return;
    }
    counts_malformed(t->counts, e == ERR_RANGE ? REASON_OUT_OF_RANGE : REASON_BAD_NUMBER);
    tell_state(t, counters[at].metric, STATE_MALFORMED, INTEL_RANK_SYSFS);
}

/* What this processor does not count. */
static void tell_missing(struct teller *t, const bool *told) {
    tell_name(t, span_of(""));
    for (unsigned i = 0; i < COUNTERS; i += 2)
        if (!told[i] && !told[i + 1])
            tell_state(t, counters[i].metric, STATE_UNSUPPORTED, INTEL_RANK_SYSFS);
}

static void rapl_feed(void *state, const struct subject *s, const struct frame *f,
                      const struct sink *sink, struct counts *counts) {
    struct teller t = teller_of(s, f, sink, counts);
    struct cursor c = cursor_over(frame_span(f));
    bool told[COUNTERS] = {false};
    struct span line;
    while (cursor_line(&c, &line))
        take_line(&t, state, line, told);
    tell_missing(&t, told);
}

static void rapl_init(void *state, const struct subject *s) {
    (void)s;
    memset(state, 0, sizeof(struct memory));
}

const struct fold intel_rapl_fold = {
    .size = sizeof(struct memory), .init = rapl_init, .feed = rapl_feed};
