/*
 * Metrics out of counters, by the rows of oa_equations.c. Pure. ns, Hz, percent x 10^4, bytes in a second, counts.
 *
 * What was not measured has no value: 0 is a measured 0.
 */
#include "oa_equations.h"

#define NS   UINT64_C(1000000000)
#define FULL UINT64_C(1000000) /* 100 % */

static uint64_t ns_at(uint64_t hz, uint64_t ticks) {
    return mul_div_u64(ticks, NS, hz);
}

int64_t oa_ticks_ns(const struct oa_device *d, uint64_t ticks) {
    if (d->timestamp_hz == 0)
        return -1;
    uint64_t ns = ns_at(d->timestamp_hz, ticks);
    return ns <= INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static uint64_t mean_hz(uint64_t hz, const struct oa_delta *delta) {
    return delta->ticks > 0 ? mul_div_u64(delta->clock, hz, delta->ticks) : 0;
}

uint64_t oa_shown_timestamp_hz(const struct oa_device *d, const struct oa_delta *delta) {
    uint64_t most = d->most_hz;
    if ((d->platform != OA_DG2 && d->platform != OA_MTL) || most == 0 || most > UINT32_MAX * NS)
        return d->timestamp_hz;
    uint64_t mean = mean_hz(d->timestamp_hz, delta);
    return mean > most + most / 2 && mean < 2 * most + most / 2 ? d->timestamp_hz / 2
                                                                : d->timestamp_hz;
}

uint64_t oa_mean_hz(const struct oa_device *d, const struct oa_delta *delta) {
    return mean_hz(oa_shown_timestamp_hz(d, delta), delta);
}

/* What all equations of one delta share. */
struct work {
    const struct oa_device *d;
    const struct oa_delta *delta;
    const struct oa_layout *layout;
    uint64_t hz;
    uint64_t ns; /* 0 unknown */
};

/* The joined counters in *v, of *parts parts each of which can be busy all the time. */
static enum state join(const struct work *w, const struct equation *e, uint64_t *v,
                       uint32_t *parts) {
    uint64_t all = 0, most = 0;
    uint32_t present = 0;
    bool needs = false;
    for (unsigned i = 0; i < e->count; i++) {
        uint64_t one = w->delta->v[e->counters[i]];
        uint64_t need = i < 2 ? e->present[i] : 0;
        if (!oa_layout_has(w->layout, e->counters[i]))
            return STATE_UNSUPPORTED;
        needs |= need != 0;
        if (need != 0 && w->d->subslices != 0 && !(w->d->subslices & need))
            continue;
        present++;
        all = one <= UINT64_MAX - all ? all + one : UINT64_MAX;
        most = one > most ? one : most;
    }
    if (present == 0)
        return e->count == 0 ? STATE_UNKNOWN : STATE_UNSUPPORTED;
    /* Without topology nobody knows whether what counted nothing is there; what counted is. */
    if (needs && w->d->subslices == 0 && (e->join == MEAN || most == 0))
        return STATE_UNKNOWN;
    *v = e->join == MOST ? most : all;
    *parts = e->join == MEAN ? present : 1;
    return STATE_VALUE;
}

/* Whether the equation holds for what is programmed, and on this size of graphics. */
static enum state applies(const struct oa_device *d, const struct equation *e) {
    if (e->sets != 0 && d->set == OA_SET_UNKNOWN)
        return STATE_UNKNOWN;
    if (e->sets != 0 && (d->set > OA_SET_SMALL || !(e->sets >> d->set & 1)))
        return STATE_UNSUPPORTED;
    if (e->gt != 0 && e->gt != d->gt)
        return d->gt == 0 ? STATE_UNKNOWN : STATE_UNSUPPORTED;
    return STATE_VALUE;
}

/* By units and threads; false where a number of them is not known. */
static bool divide(const struct oa_device *d, const struct equation *e, uint64_t *v) {
    uint32_t threads = oa_eu_threads((enum oa_platform)d->platform);
    if (e->of == ONE)
        return true;
    if (d->eu == 0 || (e->of != EU && threads == 0))
        return false;
    if (e->of == EU)
        *v /= d->eu;
    else if (e->of == EU_FIRST)
        *v = *v / d->eu / threads;
    else
        *v = *v / threads / d->eu;
    return true;
}

static bool has_clock(const struct oa_layout *l) {
    return l->clock || (l->haswell && oa_layout_has(l, OA_C + 2));
}

static void put(struct oa_value *out, uint64_t v) {
    out->state = STATE_VALUE;
    out->value = v <= INT64_MAX ? (int64_t)v : INT64_MAX;
}

/* A share of no clocks at all, and a rate over no time, are nothing that was measured. */
static void work_out(const struct work *w, const struct equation *e, struct oa_value *out) {
    uint64_t v = 0;
    uint32_t parts = 1;
    *out = (struct oa_value){.metric = e->metric, .state = (uint8_t)applies(w->d, e)};
    if (out->state == STATE_VALUE)
        out->state = (uint8_t)join(w, e, &v, &parts);
    if (out->state == STATE_VALUE && e->form == SHARE && !has_clock(w->layout))
        out->state = STATE_UNSUPPORTED;
    if (out->state != STATE_VALUE)
        return;
    out->state = STATE_UNKNOWN;
    v = mul_div_u64(v, e->factor, 1);
    if (!divide(w->d, e, &v))
        return;
    if (e->form == NUMBER) {
        put(out, v);
    } else if (e->form == RATE) {
        if (w->ns > 0)
            put(out, mul_div_u64(v, NS, w->ns));
    } else if (w->delta->clock > 0) {
        v = mul_div_u64(v, FULL / parts, w->delta->clock);
        out->doubt = v > FULL ? DOUBT_CLAMPED : DOUBT_NONE;
        put(out, v < FULL ? v : FULL);
    }
}

/* Time, clocks, and the one over the other. */
static size_t derive_clock(const struct work *w, struct oa_value *out) {
    bool clock = has_clock(w->layout);
    out[0] = (struct oa_value){.metric = METRIC_COUNTER_GPU_TIME};
    out[1] = (struct oa_value){.metric = METRIC_COUNTER_GPU_CORE_CLOCKS};
    out[2] = (struct oa_value){.metric = METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY};
    if (w->hz > 0)
        put(&out[0], w->ns);
    if (clock)
        put(&out[1], w->delta->clock);
    if (clock && w->hz > 0 && w->delta->ticks > 0 && w->delta->clock > 0)
        put(&out[2], mean_hz(w->hz, w->delta));
    if (!clock)
        out[1].state = out[2].state = STATE_UNSUPPORTED;
    return 3;
}

size_t oa_derive(const struct oa_device *d, const struct oa_delta *delta,
                 struct oa_value out[OA_DERIVED]) {
    struct work w = {.d = d, .delta = delta, .layout = oa_layout_of(d->format)};
    w.hz = oa_shown_timestamp_hz(d, delta);
    w.ns = w.hz > 0 ? ns_at(w.hz, delta->ticks) : 0;
    size_t n = derive_clock(&w, out);
    for (unsigned i = 0; i < OA_EQUATION_PARTS; i++) {
        for (const struct equation *e = oa_equations_of(d->platform, i); e->metric != METRIC_COUNT;
             e++) {
            if (n < OA_DERIVED)
                work_out(&w, e, &out[n++]);
        }
    }
    return n;
}
