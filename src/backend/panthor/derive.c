/*
 * Metrics out of counters, one row of a table each. Pure. Percent x 10^4, bytes in a second.
 *
 * What was not measured has no value: 0 is a measured 0. Formulas: Arm's libGPUCounters.
 */
#include "ring.h"

#define NS   UINT64_C(1000000000)
#define FULL UINT64_C(1000000) /* 100 % */

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

enum of {
    OF_TIME,    /* clocks of the interval */
    OF_COUNTER, /* the sum of another counter */
    RATE        /* times the bytes of a beat, in a second */
};

struct formula {
    uint16_t metric;
    uint8_t of;
    uint8_t counter;
    uint8_t less; /* a counter that is taken away; PANTHOR_COUNTERS_USED: none */
    uint8_t by;   /* with OF_COUNTER */
    bool mean;    /* over the blocks that have the counter */
    bool cores;   /* said of each core as well */
};

#define NOTHING PANTHOR_COUNTERS_USED

static const struct formula formulas[] = {
    {METRIC_COUNTER_MALI_GPU_BUSY, OF_TIME, PANTHOR_GPU_ACTIVE, NOTHING, NOTHING, false, false},
    {METRIC_COUNTER_MALI_MCU_LOAD, OF_COUNTER, PANTHOR_MCU_ACTIVE, NOTHING, PANTHOR_GPU_ACTIVE,
     false, false},
    {METRIC_COUNTER_MALI_FRAGMENT_QUEUE, OF_COUNTER, PANTHOR_ITER_FRAG_ACTIVE,
     PANTHOR_ITER_FRAG_READY_BLOCKED, PANTHOR_GPU_ACTIVE, false, false},
    {METRIC_COUNTER_MALI_COMPUTE_QUEUE, OF_COUNTER, PANTHOR_ITER_COMP_ACTIVE,
     PANTHOR_ITER_COMP_READY_BLOCKED, PANTHOR_GPU_ACTIVE, false, false},
    {METRIC_COUNTER_MALI_TILER_QUEUE, OF_COUNTER, PANTHOR_ITER_TILER_ACTIVE,
     PANTHOR_ITER_TILER_READY_BLOCKED, PANTHOR_GPU_ACTIVE, false, false},
    {METRIC_COUNTER_MALI_TILER, OF_COUNTER, PANTHOR_TILER_ACTIVE, NOTHING, PANTHOR_GPU_ACTIVE,
     false, false},
    {METRIC_COUNTER_MALI_SHADER_BUSY, OF_COUNTER, PANTHOR_SHADER_CORE_ACTIVE, NOTHING,
     PANTHOR_GPU_ACTIVE, true, true},
    {METRIC_COUNTER_MALI_FRAGMENT_SHARE, OF_COUNTER, PANTHOR_FRAG_ACTIVE, NOTHING,
     PANTHOR_SHADER_CORE_ACTIVE, false, true},
    {METRIC_COUNTER_MALI_NON_FRAGMENT_SHARE, OF_COUNTER, PANTHOR_COMPUTE_ACTIVE, NOTHING,
     PANTHOR_SHADER_CORE_ACTIVE, false, true},
    {METRIC_COUNTER_MALI_EXECUTION_CORE, OF_COUNTER, PANTHOR_EXEC_CORE_ACTIVE, NOTHING,
     PANTHOR_SHADER_CORE_ACTIVE, false, true},
    {METRIC_COUNTER_MALI_L2_READ_MISS, OF_COUNTER, PANTHOR_L2_EXT_READ, NOTHING,
     PANTHOR_L2_READ_LOOKUP, false, false},
    {METRIC_COUNTER_MALI_L2_WRITE_MISS, OF_COUNTER, PANTHOR_L2_EXT_WRITE, NOTHING,
     PANTHOR_L2_WRITE_LOOKUP, false, false},
    {METRIC_COUNTER_MALI_READ_STALL, OF_COUNTER, PANTHOR_L2_EXT_AR_STALL, NOTHING,
     PANTHOR_GPU_ACTIVE, true, false},
    {METRIC_COUNTER_MALI_WRITE_STALL, OF_COUNTER, PANTHOR_L2_EXT_W_STALL, NOTHING,
     PANTHOR_GPU_ACTIVE, true, false},
    {METRIC_COUNTER_MALI_READ_BANDWIDTH, RATE, PANTHOR_L2_EXT_READ_BEATS, NOTHING, NOTHING, false,
     false},
    {METRIC_COUNTER_MALI_WRITE_BANDWIDTH, RATE, PANTHOR_L2_EXT_WRITE_BEATS, NOTHING, NOTHING, false,
     false},
};

/* What all formulas of one sample share. */
struct work {
    const struct panthor_gpu *g;
    const struct panthor_sample *s;
    uint64_t interval_ns;
    uint64_t clock_hz;
    uint64_t believed; /* bit per core */
};

static unsigned bits_of(uint64_t v) {
    unsigned n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

static uint64_t times(uint64_t a, uint64_t b) {
    return mul_div_u64(a, b, 1);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* G715 and G615 count idle clocks of what runs beside the front end as active ones. */
static unsigned stand_in(const struct work *w, unsigned c) {
    return c == PANTHOR_GPU_ACTIVE && w->g->table == PANTHOR_B ? PANTHOR_GPU_ITER_ACTIVE : c;
}

/* Of an unknown generation nobody knows whether that is so. */
static unsigned doubt_of(const struct work *w, unsigned c) {
    return c == PANTHOR_GPU_ACTIVE && w->g->table == PANTHOR_UNKNOWN ? DOUBT_ESTIMATED : DOUBT_NONE;
}

/* Places are those of the primary set. */
static enum state look_up(const struct work *w, unsigned c, struct panthor_place *at) {
    const struct panthor_sample *s = w->s;
    *at = panthor_place_of((enum panthor_table)w->g->table, (enum panthor_counter)stand_in(w, c));
    if (s->set != 0)
        return STATE_UNSUPPORTED;
    if (at->block == PANTHOR_NONE)
        return STATE_UNKNOWN;
    bool there = s->delivered[at->block] > 0 &&
                 (s->enabled[at->block][at->index / 64] >> at->index % 64 & 1);
    return there ? STATE_VALUE : STATE_UNSUPPORTED;
}

/* The sum over all blocks. */
static enum state sum_of(const struct work *w, unsigned c, uint64_t *v) {
    struct panthor_place at;
    enum state state = look_up(w, c, &at);
    if (state == STATE_VALUE)
        *v = w->s->sum[at.block][at.index];
    return state;
}

static unsigned blocks_of(const struct work *w, unsigned c) {
    struct panthor_place at;
    (void)look_up(w, c, &at);
    return at.block == PANTHOR_SHADER ? bits_of(w->believed) : w->s->delivered[at.block];
}

static bool is_silent(const struct panthor_sample *s, unsigned core) {
    return (s->core[core][0] | s->core[core][1] | s->core[core][2] | s->core[core][3]) == 0;
}

/* Kernels that look for a core's block in the wrong place find nothing there: while fragments keep the GPU busy for
 * half of the time and more, that is no measured 0. */
static uint64_t believed_cores(const struct work *w) {
    uint64_t active = 0, frag = 0, blocked = 0, cores = w->s->core_present;
    if (sum_of(w, PANTHOR_GPU_ACTIVE, &active) != STATE_VALUE ||
        sum_of(w, PANTHOR_ITER_FRAG_ACTIVE, &frag) != STATE_VALUE)
        return cores;
    (void)sum_of(w, PANTHOR_ITER_FRAG_READY_BLOCKED, &blocked);
    if (active == 0 || frag < blocked || frag - blocked < active / 2)
        return cores;
    for (unsigned i = 0; i < PANTHOR_CORES; i++)
        if (is_silent(w->s, i))
            cores &= ~(UINT64_C(1) << i);
    return cores;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put(struct panthor_value *out, uint64_t v) {
    out->state = STATE_VALUE;
    out->value = v <= INT64_MAX ? (int64_t)v : INT64_MAX;
}

static void put_share(struct panthor_value *out, uint64_t v, uint64_t of) {
    if (of == 0)
        return;
    uint64_t share = mul_div_u64(v, FULL, of);
    out->doubt |= share > FULL ? DOUBT_CLAMPED : DOUBT_NONE;
    put(out, share < FULL ? share : FULL);
}

/* Of clocks at f Hz in an interval. */
static void put_busy(const struct work *w, struct panthor_value *out, uint64_t cycles) {
    if (w->clock_hz > 0 && w->interval_ns > 0)
        put_share(out, mul_div_u64(cycles, NS, w->clock_hz), w->interval_ns);
}

static void put_rate(const struct work *w, struct panthor_value *out, uint64_t beats) {
    if (w->g->beat_bytes > 0 && w->interval_ns > 0)
        put(out, mul_div_u64(times(beats, w->g->beat_bytes), NS, w->interval_ns));
}

/* Cycles in which a queue worked: none is less than none. */
static enum state count_of(const struct work *w, const struct formula *f, uint64_t *v,
                           struct panthor_value *out) {
    uint64_t less = 0;
    enum state state = sum_of(w, f->counter, v);
    if (state != STATE_VALUE || f->less == NOTHING)
        return state;
    state = sum_of(w, f->less, &less);
    out->doubt |= less > *v ? DOUBT_CLAMPED : DOUBT_NONE;
    *v -= less < *v ? less : *v;
    return state;
}

static struct panthor_value of_all(const struct work *w, const struct formula *f) {
    struct panthor_value out = {.metric = f->metric, .index = INDEX_NONE};
    uint64_t v = 0, by = 0;
    enum state state = count_of(w, f, &v, &out);
    if (state == STATE_VALUE && f->of == OF_COUNTER)
        state = sum_of(w, f->by, &by);
    out.state = (uint8_t)(state == STATE_VALUE ? STATE_UNKNOWN : state);
    out.doubt |= (uint8_t)(doubt_of(w, f->counter) | doubt_of(w, f->by));
    if (state != STATE_VALUE)
        out.doubt = DOUBT_NONE;
    else if (f->of == OF_TIME)
        put_busy(w, &out, v);
    else if (f->of == RATE)
        put_rate(w, &out, v);
    else
        put_share(&out, v, f->mean ? times(by, blocks_of(w, f->counter)) : by);
    if (out.state != STATE_VALUE)
        out.doubt = DOUBT_NONE;
    return out;
}

static struct panthor_value of_core(const struct work *w, const struct formula *f, unsigned core,
                                    unsigned number) {
    struct panthor_value out = {.metric = f->metric, .index = (uint16_t)number};
    const uint64_t *counts = w->s->core[core];
    struct panthor_place at;
    uint64_t by = counts[0];
    enum state state = look_up(w, f->counter, &at);
    if (state == STATE_VALUE)
        state = f->by == PANTHOR_GPU_ACTIVE ? sum_of(w, f->by, &by) : look_up(w, f->by, &at);
    out.state = (uint8_t)(state == STATE_VALUE ? STATE_UNKNOWN : state);
    if (state != STATE_VALUE || !(w->believed >> core & 1) || by == 0)
        return out;
    out.doubt = (uint8_t)doubt_of(w, f->by);
    put_share(&out, counts[f->counter - PANTHOR_SHADER_CORE_ACTIVE], by);
    return out;
}

size_t panthor_derive(const struct panthor_gpu *g, const struct panthor_sample *s,
                      int64_t interval_ns, uint64_t clock_hz,
                      struct panthor_value out[PANTHOR_VALUES]) {
    struct work w = {.g = g,
                     .s = s,
                     .interval_ns = interval_ns > 0 ? (uint64_t)interval_ns : 0,
                     .clock_hz = clock_hz};
    uint16_t numbers[PANTHOR_CORES];
    size_t n = 0;
    w.believed = believed_cores(&w);
    for (unsigned core = 0; core < PANTHOR_CORES; core++)
        if (s->core_present >> core & 1)
            numbers[core] = (uint16_t)panthor_gpu_core(g, s->core_present, core);
    for (size_t i = 0; i < COUNT(formulas); i++) {
        out[n++] = of_all(&w, &formulas[i]);
        for (unsigned core = 0; formulas[i].cores && core < PANTHOR_CORES; core++)
            if (s->core_present >> core & 1)
                out[n++] = of_core(&w, &formulas[i], core, numbers[core]);
    }
    return n;
}
