/*
 * Engine time of clients: what grew between two readings of one client, over the time between them.
 * Pure.
 *
 * Three ways to know it, the first that a text holds: busy ns; busy cycles beside the clock that
 * they are a part of, or beside the highest clock; a share that the driver worked out itself. Cycles
 * of the engine's own clock give the price also where busy ns stand beside them.
 * Counters hold their highest value: one that steps back grew by nothing. The first reading of a
 * counter gives no rate.
 */
#include "work.h"

/* No device has so many engines of one kind. */
#define CAPACITY_MAX UINT16_MAX

/* What one interval of one engine came to. */
struct growth {
    int64_t busy_ns;
    int64_t span_ns; /* 0: no interval */
    uint8_t doubt;
    double cycles; /* of the engine's own clock; below 0: not told */
};

/* Capacity is at most CAPACITY_MAX. */
static int64_t times_capacity(int64_t ns, uint32_t capacity) {
    return ns > INT64_MAX / CAPACITY_MAX ? INT64_MAX : ns * capacity;
}

/* So many times what there is is no work: the number was made anew. amdgpu counts the time that work
 * waits, of a few jobs at once. */
#define JUMP_TIMES 64

/* No engine's clock is faster than 10 GHz. */
#define CYCLES_NS_MAX 10

static bool is_jump(int64_t busy_ns, int64_t span_ns, uint32_t capacity) {
    int64_t all = times_capacity(span_ns, capacity);
    return all > 0 && all <= INT64_MAX / JUMP_TIMES && busy_ns > all * JUMP_TIMES;
}

struct value engine_share(int64_t busy_ns, int64_t time_ns, uint32_t capacity, uint8_t doubt) {
    int64_t all = times_capacity(time_ns, capacity);
    if (all == 0)
        return value_none(STATE_UNKNOWN);
    if (busy_ns == 0)
        return value_of(0, doubt);
    if (busy_ns > all)
        return value_of(PPM, doubt | DOUBT_CLAMPED);
    return value_of(mul_div(busy_ns, PPM, all), doubt);
}

/* Was it read before? From now on it was. */
static bool known_before(struct engine *e, enum engine_field field) {
    bool known = e->known & (1u << field);
    e->known |= (uint8_t)(1u << field);
    return known;
}

static bool has(const struct engine *e, enum engine_field field) {
    return e->stage.have & (1u << field);
}

/* ---- the three ways -------------------------------------------------------------------------- */

/* Drivers that leave out an engine until it is used: one that appears in a client already known
 * started from 0 then, if the text before was whole and the growth fits the time since. */
static bool starts_from_zero(const struct acct *a, const struct client *c, const struct engine *e) {
    if (!client_omits_zero(a, c) || c->read_seq == 0 || !c->was_complete)
        return false;
    int64_t time_ns = span_ns(c->t_ns, c->staged_t_ns);
    return e->stage.v[E_TIME] / e->capacity <= time_ns;
}

/* For how long at most a process that began in this many ticks after boot may have worked: since then, and never
 * since before the first look. */
static int64_t life_ns(const struct acct *a, const struct client *c, uint64_t start) {
    int64_t most_ns = span_ns(a->now.first_ns, c->staged_t_ns);
    if (a->now.clk_tck == 0 || a->now.up_ns == 0)
        return most_ns;
    uint64_t began = mul_div_u64(start, 1000000000, a->now.clk_tck);
    uint64_t now = (uint64_t)a->now.up_ns + (uint64_t)span_ns(a->now.begin_ns, c->staged_t_ns);
    uint64_t since = (now > began ? now - began : 0) + 1000000000 / a->now.clk_tck;
    return since < (uint64_t)most_ns ? (int64_t)since : most_ns;
}

/* A new client of a process that was watched from its start on, if its time fits: through a descriptor that it was
 * given another one's counter may have become its own. */
static bool began_watched(const struct acct *a, const struct client *c, const struct engine *e,
                          int64_t busy_ns) {
    if (!a->now.from_zero || !a->now.has_previous || c->read_seq != 0 || c->owner == NONE)
        return false;
    uint64_t start = process_at(a, row_at(a, c->owner)->process)->start;
    return start > 0 && start >= a->now.from_zero_start &&
           busy_ns <= times_capacity(life_ns(a, c, start), e->capacity);
}

/* Cycles of the engine's own clock that a text tells beside its busy time, for the price alone: of the same interval,
 * from from_ns on. Below 0: none, or not those of this time. */
static double cycles_beside(const struct client *c, struct engine *e, bool from_zero,
                            int64_t from_ns, int64_t busy_ns) {
    int64_t v = e->stage.v[E_CYCLES];
    if (!has(e, E_CYCLES) || has(e, E_TOTAL))
        return -1;
    bool known = known_before(e, E_CYCLES) && e->cycles.t_ns == from_ns;
    if (!known && from_zero) {
        e->cycles.mark = 0;
        known = true;
    }
    double grown = known && v > e->cycles.mark ? (double)(v - e->cycles.mark) : -1;
    if (!known || v > e->cycles.mark)
        e->cycles.mark = v;
    e->cycles.t_ns = c->staged_t_ns;
    return busy_ns > 0 && grown <= (double)busy_ns * CYCLES_NS_MAX ? grown : -1;
}

static struct growth grow_time(const struct acct *a, const struct client *c, struct engine *e) {
    int64_t v = e->stage.v[E_TIME];
    struct growth g = {0, 0, e->stage.doubt, -1};
    bool known = known_before(e, E_TIME);
    bool from_zero = false;
    if (!known && starts_from_zero(a, c, e)) {
        e->time = (struct counter){0, c->t_ns};
        known = from_zero = true;
    } else if (!known && began_watched(a, c, e, v)) {
        e->time = (struct counter){0, a->now.previous_ns};
        known = from_zero = true;
    }
    if (known) {
        g.span_ns = span_ns(e->time.t_ns, c->staged_t_ns);
        if (g.span_ns == 0)
            return g;
        g.busy_ns = v > e->time.mark ? v - e->time.mark : 0;
        if (is_jump(g.busy_ns, g.span_ns, e->capacity))
            g.busy_ns = g.span_ns = 0;
    }
    g.cycles = cycles_beside(c, e, from_zero, e->time.t_ns, g.busy_ns);
    if (!known || v > e->time.mark)
        e->time.mark = v;
    e->time.t_ns = c->staged_t_ns;
    return g;
}

/* Cycles beside the clock that they are a part of. */
static void grow_by_clock(struct engine *e, int64_t grown, int64_t clock, int64_t passed_ns,
                          struct growth *g) {
    int64_t all = times_capacity(passed_ns, e->capacity);
    g->span_ns = passed_ns;
    g->busy_ns = mul_div(grown, passed_ns, clock - e->clock);
    if (is_jump(g->busy_ns, passed_ns, e->capacity)) {
        g->busy_ns = g->span_ns = 0;
        return;
    }
    /* Cycles and clock are read one after the other: what is over the top is no time. */
    if (g->busy_ns > all) {
        g->busy_ns = all;
        g->doubt |= DOUBT_CLAMPED;
    }
}

/* A clock that stands still gives no interval: the reading before stays the one to compare with.
 * One that went back gives none either, and is followed. */
static struct growth grow_cycles(const struct acct *a, const struct client *c, struct engine *e) {
    int64_t v = e->stage.v[E_CYCLES];
    int64_t clock = has(e, E_TOTAL) ? e->stage.v[E_TOTAL] : 0;
    struct growth g = {0, 0, e->stage.doubt, -1};
    bool known = known_before(e, E_CYCLES);
    int64_t at_least_ns =
        e->maxfreq_hz > 0 ? mul_div(v, 1000000000, e->maxfreq_hz) : v / CYCLES_NS_MAX;
    if (!known && !has(e, E_TOTAL) && began_watched(a, c, e, at_least_ns)) {
        e->cycles = (struct counter){0, a->now.previous_ns};
        known = true;
    }
    int64_t grown = v > e->cycles.mark ? v - e->cycles.mark : 0;
    int64_t passed_ns = span_ns(e->cycles.t_ns, c->staged_t_ns);
    if (known && (passed_ns == 0 || (has(e, E_TOTAL) && clock == e->clock)))
        return g;
    if (known && has(e, E_TOTAL) && clock > e->clock) {
        grow_by_clock(e, grown, clock, passed_ns, &g);
    } else if (known && !has(e, E_TOTAL)) {
        /* At a lower clock these cycles took longer. */
        g.span_ns = e->maxfreq_hz > 0 ? passed_ns : 0;
        g.busy_ns = mul_div(grown, 1000000000, e->maxfreq_hz);
        g.doubt |= DOUBT_ESTIMATED;
        g.cycles = (double)grown;
        if (is_jump(g.busy_ns, g.span_ns, e->capacity))
            g.busy_ns = g.span_ns = 0;
    }
    if (!known || v > e->cycles.mark)
        e->cycles.mark = v;
    e->clock = clock;
    e->cycles.t_ns = c->staged_t_ns;
    return g;
}

static struct growth grow_percent(const struct client *c, struct engine *e) {
    int64_t v = e->stage.v[E_BUSY] > PPM ? PPM : e->stage.v[E_BUSY];
    struct growth g = {0, 0, (uint8_t)(e->stage.doubt | DOUBT_ESTIMATED), -1};
    bool known = known_before(e, E_BUSY);
    if (known) {
        g.span_ns = span_ns(e->percent_t_ns, c->staged_t_ns);
        g.busy_ns = times_capacity(mul_div(g.span_ns, v, PPM), e->capacity);
    }
    if (!known || g.span_ns > 0)
        e->percent_t_ns = c->staged_t_ns;
    return g;
}

/* ---- a reading ------------------------------------------------------------------------------- */

/* Numbers that go with others: kept where a later text lacks them. */
static void keep_facts(struct acct *a, struct engine *e) {
    if (!has(e, E_CAPACITY) && !has(e, E_MAXFREQ))
        return;
    if (has(e, E_CAPACITY) && e->stage.v[E_CAPACITY] > 0) {
        int64_t v = e->stage.v[E_CAPACITY];
        e->capacity = v > CAPACITY_MAX ? CAPACITY_MAX : (uint32_t)v;
    }
    if (has(e, E_MAXFREQ))
        e->maxfreq_hz = e->stage.v[E_MAXFREQ];
    struct engine_name *n = engine_name_at(a, e->name);
    n->capacity = e->capacity > n->capacity ? e->capacity : n->capacity;
}

/* More work of an engine: for its client, the owner's row, the device. */
static void engine_add_work(struct acct *a, const struct client *c, struct engine *e,
                            const struct total *more) {
    struct device *d = device_at(a, c->device);
    total_add(&e->total, more);
    total_add(&engine_name_at(a, e->name)->total, more);
    work_add(&engine_name_at(a, e->name)->work, a->now.seq, more);
    work_add(&d->now, a->now.seq, more);
    d->priceable = d->priceable || more->priced;
    if (c->owner == NONE)
        return;
    work_add(&row_at(a, c->owner)->now, a->now.seq, more);
    work_add(&row_at(a, c->owner)->pending, 0, more);
}

static void add_growth(struct acct *a, const struct client *c, struct engine *e,
                       const struct growth *g) {
    /* More than there is: the rate is cut, the total is not, and some of it was waiting. */
    bool above = g->busy_ns > times_capacity(g->span_ns, e->capacity) || (g->doubt & DOUBT_CLAMPED);
    struct total more = {.busy_ns = g->busy_ns,
                         .measured = true,
                         .doubt = (uint8_t)(g->doubt | (above ? DOUBT_ESTIMATED : 0))};
    if (g->busy_ns == 0 && e->total.measured && !(more.doubt & ~e->total.doubt))
        return; /* nothing new */
    if (g->busy_ns > 0)
        price_growth(a, c, engine_name_at(a, e->name)->class, g->span_ns, g->cycles, &more);
    engine_add_work(a, c, e, &more);
}

/* What says how busy it is; the other fields only go with these. */
#define E_COUNTERS (1u << E_TIME | 1u << E_CYCLES | 1u << E_BUSY)

/* What a text without engine time says of it. */
static uint8_t state_without(const struct engine *e) {
    if (e->stage.bad & E_COUNTERS)
        return e->stage.bad_state;
    return STATE_UNSUPPORTED;
}

/* What jobs came to, with the price of those whose voltage they did not tell. */
static struct total take_jobs(const struct acct *a, const struct client *c, struct engine *e) {
    struct total more = e->job;
    if (e->has_bare)
        price_jobs(a, c->device, sum_of(&e->bare_cycles), e->bare_ns, &more);
    e->job = (struct total){0};
    e->bare_cycles = (struct sum){0};
    e->bare_ns = 0;
    e->has_bare = false;
    return more;
}

/* Jobs are work of the tick in which they are told. */
static void work_out_jobs(struct acct *a, const struct client *c, struct engine *e) {
    struct total more = take_jobs(a, c, e);
    int64_t tick_ns = a->now.has_previous ? span_ns(a->now.previous_ns, a->now.begin_ns) : 0;
    if (more.measured && c->context != NONE)
        context_add_work(a, c, &more);
    if (context_is_detail(a, c, e))
        more = (struct total){0};
    if (more.measured) {
        e->told = engine_name_at(a, e->name)->told = true;
        if (c->owner != NONE)
            row_at(a, c->owner)->jobs = true;
        engine_add_work(a, c, e, &more);
    }
    e->rate = engine_share(more.busy_ns, tick_ns, e->capacity, more.doubt);
    e->rate_seq = a->now.seq;
    e->grew = more.busy_ns > 0;
}

/* A client's own text tells how long the engine worked for it: see context_is_detail(). */
static void note_told(struct acct *a, const struct client *c, const struct engine *e) {
    struct engine_name *n = engine_name_at(a, e->name);
    if (n->told_by_clients || n->class >= CLASS_COUNT)
        return;
    n->told_by_clients = true;
    device_at(a, c->device)->told_classes |= 1u << n->class;
}

void engine_work_out(struct acct *a, const struct client *c, struct engine *e) {
    struct growth g = {0, 0, 0, -1};
    if (e->jobs) {
        work_out_jobs(a, c, e);
        return;
    }
    if (e->stage.seq != a->now.seq) {
        /* Not named: a whole text says by this that the driver does not count it (any more). */
        if (c->complete) {
            e->rate = value_none(STATE_UNSUPPORTED);
            e->rate_seq = a->now.seq;
            e->grew = false;
        }
        return;
    }
    keep_facts(a, e);
    if (!e->told && ((e->stage.have | e->stage.bad) & E_COUNTERS))
        e->told = engine_name_at(a, e->name)->told = true;
    e->rate_seq = a->now.seq;
    e->grew = false;
    if (has(e, E_TIME)) {
        g = grow_time(a, c, e);
    } else if (has(e, E_CYCLES)) {
        g = grow_cycles(a, c, e);
        if (!has(e, E_TOTAL) && e->maxfreq_hz == 0) {
            e->rate = value_none(STATE_UNSUPPORTED);
            return;
        }
    } else if (has(e, E_BUSY)) {
        g = grow_percent(c, e);
    } else {
        e->rate = value_none(state_without(e));
        return;
    }
    note_told(a, c, e);
    if (g.span_ns > 0)
        add_growth(a, c, e, &g);
    e->grew = g.busy_ns > 0;
    if (has(e, E_TIME) || has(e, E_CYCLES))
        e->rate = engine_share(g.busy_ns, g.span_ns, e->capacity, g.doubt);
    else if (c->read_seq == 0)
        e->rate = value_none(STATE_UNKNOWN); /* of a time in which it was not watched */
    else
        e->rate = engine_share(e->stage.v[E_BUSY], PPM, 1, e->stage.doubt);
    e->grew = e->grew || (e->rate.state == STATE_VALUE && e->rate.v > 0);
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* A tick that tells of no jobs had none, unless nobody was there to tell. */
static struct value job_rate(const struct acct *a, const struct client *c, const struct engine *e,
                             int64_t before_ns) {
    if (a->options.whole_span)
        return engine_share(e->total.busy_ns - before_ns, span_ns(a->now.first_ns, a->now.begin_ns),
                            e->capacity, e->total.doubt);
    if (c->context != NONE && session_is_silent(a, c->device))
        return value_none(STATE_UNKNOWN);
    if (e->rate_seq == a->now.seq)
        return e->rate;
    return a->now.has_previous ? value_of(0, 0) : value_none(STATE_UNKNOWN);
}

struct value engine_rate(const struct acct *a, const struct client *c, const struct engine *e,
                         int64_t before_ns) {
    if (e->jobs)
        return job_rate(a, c, e, before_ns);
    if (a->options.whole_span && e->total.measured) {
        bool throughout = c->first_seq == 1 && c->read_seq == a->now.seq;
        int64_t time_ns = throughout ? span_ns(c->first_t_ns, c->t_ns)
                                     : span_ns(a->now.first_ns, a->now.begin_ns);
        return engine_share(e->total.busy_ns - before_ns, time_ns, e->capacity, e->total.doubt);
    }
    if (e->rate_seq == a->now.seq && !(a->options.whole_span && e->rate.state == STATE_VALUE))
        return e->rate;
    if (c->failed_seq == a->now.seq && c->read_seq != a->now.seq)
        return value_none(c->failed_state);
    return value_none(STATE_UNKNOWN);
}
