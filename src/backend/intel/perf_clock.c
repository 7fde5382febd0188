/*
 * GPU time to ns. Reports carry 32 bits of the timestamp, which wrap within minutes; pairs of readings of the CPU's
 * and the GPU's clock carry 36. Both are put on one line of ticks that does not wrap.
 *
 * Nothing here divides by what the input says without a look at it: two pairs whose slope cannot be (none of the
 * clocks moves on, or one of them four times faster than it should) tell nothing, and the rate does.
 */
#include "run.h"

#define PAIR_BITS  36
#define SLOPE_SPAN 4
/* No report waits for longer, unless the machine slept. */
#define LATE_NS INT64_C(10000000000)

static int64_t add_sat(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* (later - earlier) of two positions or times, which may be any. */
static uint64_t distance(int64_t later, int64_t earlier) {
    return (uint64_t)later - (uint64_t)earlier;
}

static int64_t to_signed(uint64_t ns, bool back) {
    int64_t v = ns <= INT64_MAX ? (int64_t)ns : INT64_MAX;
    return back ? -v : v;
}

/* The low `bits` as a number around 0. */
static int64_t around_zero(uint64_t v, unsigned bits) {
    uint64_t half = UINT64_C(1) << (bits - 1);
    v &= (half << 1) - 1;
    return v < half ? (int64_t)v : (int64_t)v - (int64_t)(half << 1);
}

/* ---- the line of ticks ------------------------------------------------------------------------- */

/* On these platforms the unit counts twice for each tick of the clock that pairs are read from. */
static unsigned pair_shift(const struct oa_device *d) {
    return d->platform == OA_DG2 || d->platform == OA_MTL;
}

static int64_t next_to(int64_t at, uint64_t timestamp) {
    return add_sat(at, around_zero(timestamp - (uint64_t)at, 32));
}

static int64_t place_of(const struct perf_line *l, uint64_t timestamp) {
    const int64_t half = INT64_C(1) << 31;
    if (!l->begun)
        return l->paired ? next_to(l->pair_at, timestamp) : (int64_t)(timestamp & UINT32_MAX);
    uint32_t step = (uint32_t)timestamp - l->stamp;
    int64_t at = add_sat(l->newest, step);
    /* Where nothing came for long, only the pairs tell how often the stamp wrapped. */
    if (l->paired && l->pair_at > l->newest && (step >= half || l->pair_at - half > at))
        return next_to(l->pair_at, timestamp);
    if (step < half)
        return at;
    return l->paired ? next_to(l->newest, timestamp) : l->newest;
}

static int64_t line_report(struct perf_line *l, uint64_t timestamp) {
    int64_t at = place_of(l, timestamp);
    if (!l->begun)
        l->first = at;
    l->begun = true;
    l->newest = at;
    l->stamp = (uint32_t)timestamp;
    return at;
}

int64_t perf_clock_report(struct perf_clock *c, uint64_t timestamp) {
    return line_report(&c->line, timestamp);
}

static int64_t pair_place(const struct perf_line *l, unsigned shift, uint64_t gpu) {
    if (l->paired)
        return add_sat(l->pair_at, around_zero(gpu - l->pair_gpu, PAIR_BITS) * (1 << shift));
    if (l->begun)
        return next_to(l->newest, gpu << shift);
    return (int64_t)((gpu & ((UINT64_C(1) << PAIR_BITS) - 1)) << shift);
}

int64_t perf_line_pair(struct perf_line *l, const struct oa_device *d, uint64_t gpu) {
    l->pair_at = pair_place(l, pair_shift(d), gpu);
    l->paired = true;
    l->pair_gpu = gpu;
    return l->pair_at;
}

_Static_assert(sizeof(struct perf_line) <= sizeof(struct file_trail), "a line fits into a trail");

struct perf_line perf_line_of(const struct file_trail *trail) {
    struct perf_line l;
    memcpy(&l, trail, sizeof l);
    return l;
}

void perf_line_keep(const struct perf_line *l, struct file_trail *trail) {
    memcpy(trail, l, sizeof *l);
}

/* ---- knots ------------------------------------------------------------------------------------- */

static void thin_out(struct perf_clock *c) {
    c->count = (c->count + 1) / 2;
    for (uint32_t i = 1; i < c->count; i++)
        c->knots[i] = c->knots[2 * (size_t)i];
    c->every *= 2;
}

static void add_knot(struct perf_clock *c, struct perf_knot k, bool keep) {
    if (c->count > 0 && k.at <= c->knots[c->count - 1].at)
        return;
    c->every = c->every ? c->every : 1;
    if (keep && c->passed++ % c->every != 0)
        return;
    if (keep && c->count == PERF_KNOTS) {
        thin_out(c);
    } else if (!keep && c->count == 2) {
        c->knots[0] = c->knots[1];
        c->count = 1;
    }
    c->knots[c->count++] = k;
}

bool perf_clock_pair(struct perf_clock *c, const struct oa_device *d, int64_t cpu_ns, uint64_t gpu,
                     bool keep) {
    int64_t at = perf_line_pair(&c->line, d, gpu);
    bool anew = !c->given && c->count == 0;
    if (!c->given)
        add_knot(c, (struct perf_knot){cpu_ns, at}, keep);
    c->told = c->told && !anew;
    return anew;
}

void perf_clock_init(struct perf_clock *c, const char *facts) {
    struct cursor list = cursor_over(facts_get(facts, "oa_clock"));
    struct span pair;
    *c = (struct perf_clock){0};
    while (c->count < PERF_KNOTS && cursor_field(&list, ',', &pair)) {
        struct cursor parts = cursor_over(pair);
        struct span cpu, at;
        struct perf_knot k;
        if (cursor_field(&parts, ':', &cpu) && cursor_field(&parts, ':', &at) &&
            span_to_i64(cpu, &k.cpu_ns) == ERR_OK && span_to_i64(at, &k.at) == ERR_OK)
            add_knot(c, k, true);
    }
    c->given = c->count > 0;
}

void perf_clock_say(const struct perf_clock *c, struct buf *facts) {
    if (c->count == 0)
        return;
    buf_text(facts, "oa_clock=");
    for (uint32_t i = 0; i < c->count; i++) {
        if (i > 0)
            buf_char(facts, ',');
        buf_i64(facts, c->knots[i].cpu_ns);
        buf_char(facts, ':');
        buf_i64(facts, c->knots[i].at);
    }
    buf_char(facts, '\n');
}

/* ---- to ns ------------------------------------------------------------------------------------- */

static int64_t by_rate(const struct oa_device *d, int64_t from_ns, int64_t from, int64_t at) {
    bool back = at < from;
    int64_t ns = oa_ticks_ns(d, back ? distance(from, at) : distance(at, from));
    return ns < 0 ? from_ns : add_sat(from_ns, back ? -ns : ns);
}

bool perf_clock_anchor(struct perf_clock *c, const struct oa_device *d, uint64_t timestamp,
                       int64_t t_ns) {
    int64_t at = place_of(&c->line, timestamp);
    bool again = c->anchored;
    if (again) {
        int64_t was_ns = by_rate(d, c->anchor_ns, c->anchor_at, at);
        if (was_ns <= t_ns && t_ns - was_ns < LATE_NS)
            return false;
    }
    c->anchor_at = at;
    c->anchor_ns = t_ns;
    c->anchored = true;
    c->told = c->told && !again;
    return again;
}

/* The index of the knot at whose right `at` lies, of those that have another one to their right. */
static uint32_t find_knot(const struct perf_clock *c, int64_t at) {
    uint32_t low = 0, high = c->count - 2;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (c->knots[middle].at <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static bool slope_can_be(const struct oa_device *d, uint64_t ticks, uint64_t ns) {
    int64_t usual = oa_ticks_ns(d, ticks);
    return ticks > 0 && ns > 0 &&
           (usual < 0 ||
            (ns / SLOPE_SPAN <= (uint64_t)usual && (uint64_t)usual / SLOPE_SPAN <= ns));
}

static int64_t by_knots(const struct perf_clock *c, const struct oa_device *d, int64_t at) {
    const struct perf_knot *k = &c->knots[c->count > 1 ? find_knot(c, at) : 0];
    if (c->count > 1 && k[1].cpu_ns > k->cpu_ns) {
        uint64_t ticks = distance(k[1].at, k->at), ns = distance(k[1].cpu_ns, k->cpu_ns);
        bool back = at < k->at;
        if (slope_can_be(d, ticks, ns))
            return add_sat(
                k->cpu_ns,
                to_signed(mul_div_u64(back ? distance(k->at, at) : distance(at, k->at), ns, ticks),
                          back));
    }
    if (c->count > 1 && at >= k[1].at)
        k++;
    return by_rate(d, k->cpu_ns, k->at, at);
}

static int64_t ns_of(const struct perf_clock *c, const struct perf_line *l,
                     const struct oa_device *d, int64_t at) {
    return c->count > 0  ? by_knots(c, d, at)
           : c->anchored ? by_rate(d, c->anchor_ns, c->anchor_at, at)
                         : by_rate(d, 0, l->first, at);
}

/* For a place on any line, whatever was said before; INT64_MIN: nothing tells it. */
static int64_t clock_at(const struct perf_clock *c, const struct perf_line *l,
                        const struct oa_device *d, int64_t at) {
    return d->timestamp_hz > 0 || c->count > 1 ? ns_of(c, l, d, at) : INT64_MIN;
}

int64_t perf_clock_ns(struct perf_clock *c, const struct oa_device *d, int64_t at) {
    int64_t ns = ns_of(c, &c->line, d, at);
    if (c->told && ns < c->told_ns)
        ns = c->told_ns;
    c->told = true;
    c->told_ns = ns;
    return ns;
}

/* ---- units of a vendor file -------------------------------------------------------------------- */

void run_plan_init(struct run_plan *p, const char *facts) {
    oa_device_from_facts(&p->device, facts);
    perf_clock_init(&p->clock, facts);
}

int64_t run_plan_ns(const struct run_plan *p, struct file_trail *trail, uint64_t timestamp) {
    struct perf_line line = perf_line_of(trail);
    if (timestamp == 0)
        return INT64_MIN;
    int64_t at = line_report(&line, timestamp);
    perf_line_keep(&line, trail);
    return clock_at(&p->clock, &line, &p->device, at);
}
