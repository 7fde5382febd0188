/*
 * Energy: what a device's own sensor measured, shared out. Pure.
 *
 * Each reading closes an interval of its own. The idle floor goes first; the rest is given to rows and
 * to what belongs to nobody, by the PW s that they did since the reading before, or by busy time where
 * some of that has no price. What is given adds up to what was measured.
 */
#include "work.h"

#define BUCKET_NS INT64_C(30000000000)

/* Where energy may be taken from, the best first. `board`: only of a card without processors. */
static const struct {
    uint16_t metric;
    bool counter;
    bool board;
} origins[] = {
    {METRIC_ENERGY_GPU, true, false},   {METRIC_POWER_GPU, false, false},
    {METRIC_ENERGY_CARD, true, false},  {METRIC_ENERGY_SOCKET, true, true},
    {METRIC_POWER_SOCKET, false, true},
};

/* ---- the idle floor -------------------------------------------------------------------------- */

/* From 1, whatever the time is. */
static int64_t bucket_of(int64_t t_ns) {
    return t_ns < 0 ? 1 : t_ns / BUCKET_NS + 1;
}

static void floor_note(struct energy *e, int64_t t_ns, double watts) {
    int64_t bucket = bucket_of(t_ns);
    double *lowest = &e->lowest[bucket % FLOOR_BUCKETS];
    if (*lowest < 0 || watts < *lowest)
        *lowest = watts;
}

/* Buckets that time has passed over since the last tick are empty again. */
static void floor_age(struct energy *e, int64_t t_ns) {
    int64_t bucket = bucket_of(t_ns);
    int64_t passed = e->bucket == 0 ? FLOOR_BUCKETS : bucket - e->bucket;
    if (passed > FLOOR_BUCKETS || passed < 0)
        passed = FLOOR_BUCKETS;
    for (int64_t i = 0; i < passed; i++)
        e->lowest[(bucket - i + FLOOR_BUCKETS) % FLOOR_BUCKETS] = -1;
    e->bucket = bucket;
}

/* Below 0: none was seen. */
static double floor_of(const struct energy *e) {
    double best = -1;
    for (unsigned i = 0; i < FLOOR_BUCKETS; i++)
        if (e->lowest[i] >= 0 && (best < 0 || e->lowest[i] < best))
            best = e->lowest[i];
    return best;
}

/* ---- shares ---------------------------------------------------------------------------------- */

struct shares {
    double joules;  /* to be given */
    double seconds; /* of the interval */
    double all;     /* weights together */
    bool by_time;
    uint8_t doubt; /* of the prices */
};

static double weight(const struct shares *s, const struct work *w) {
    return s->by_time ? (double)w->busy_ns : w->pws;
}

static bool is_row_of(const struct row *r, uint32_t device) {
    return r->used && r->device == device;
}

static void weigh(const struct acct *a, uint32_t device, struct shares *s) {
    const struct device *d = device_at(a, device);
    double pws = d->loose_pending.pws;
    double busy = (double)d->loose_pending.busy_ns;
    int64_t unpriced = d->loose_pending.unpriced_ns;
    unsigned doubt = d->loose_pending.doubt;
    for (uint32_t i = 0; i < a->tables[T_ROW].n; i++) {
        const struct row *r = row_at(a, i);
        if (!is_row_of(r, device))
            continue;
        pws += r->pending.pws;
        busy += (double)r->pending.busy_ns;
        unpriced = add_sat(unpriced, r->pending.unpriced_ns);
        doubt |= r->pending.doubt;
    }
    s->by_time = unpriced > 0 || pws <= 0;
    s->all = s->by_time ? busy : pws;
    s->doubt = s->by_time ? 0 : (uint8_t)(doubt & DOUBT_WAKING);
}

static double part_of(const struct shares *s, const struct work *w) {
    return s->all > 0 ? s->joules * (weight(s, w) / s->all) : 0;
}

/* A row whose work was not read has no share that is known; W of all rows add up all the same. */
static void give_rows(struct acct *a, uint32_t device, const struct shares *s) {
    for (uint32_t i = 0; i < a->tables[T_ROW].n; i++) {
        struct row *r = row_at(a, i);
        if (!is_row_of(r, device))
            continue;
        double joules = part_of(s, &r->pending);
        sum_add(&r->joules, joules);
        r->watts = joules / s->seconds;
        r->watts_known = r->seen || joules > 0;
        r->joules_known = r->joules_known || r->watts_known;
        r->joules_doubt |= joules > 0 ? s->doubt : 0;
        r->seen = false;
        r->pending = (struct work){0};
    }
}

static void share(struct acct *a, uint32_t device, double joules, int64_t span_ns) {
    struct device *d = device_at(a, device);
    struct energy *e = &d->energy;
    struct shares s = {.seconds = (double)span_ns * 1e-9};
    double floor_watts = floor_of(e);
    double floor = floor_watts > 0 ? floor_watts * s.seconds : 0;
    floor = floor < joules ? floor : joules;
    s.joules = joules - floor;
    weigh(a, device, &s);
    s.doubt |= e->read_doubt;
    double loose = s.all > 0 ? part_of(&s, &d->loose_pending) : s.joules;
    give_rows(a, device, &s);
    d->loose_pending = (struct work){0};
    sum_add(&e->floor_joules, floor);
    sum_add(&e->loose_joules, loose);
    sum_add(&e->joules, joules);
    e->watts = joules / s.seconds;
    e->floor_watts = floor / s.seconds;
    e->has_floor = floor_watts >= 0;
    e->had_floor = e->had_floor || e->has_floor;
    e->loose_watts = loose / s.seconds;
    bool estimated = floor_watts < 0 || (s.by_time && s.all > 0);
    e->doubt = (uint8_t)(s.doubt | (estimated ? DOUBT_ESTIMATED : 0));
    e->joules_doubt |= e->read_doubt;
}

static void drop_pending(struct acct *a, uint32_t device) {
    device_at(a, device)->loose_pending = (struct work){0};
    for (uint32_t i = 0; i < a->tables[T_ROW].n; i++)
        if (is_row_of(row_at(a, i), device))
            row_at(a, i)->pending = (struct work){0};
}

/* ---- readings -------------------------------------------------------------------------------- */

static bool is_counter(uint16_t metric) {
    for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
        if (origins[i].metric == metric)
            return origins[i].counter;
    return false;
}

/* The best that ever told something; `power`: of those that tell power. */
static uint32_t origin_told(const struct acct *a, uint32_t device, bool power) {
    const struct device *d = device_at(a, device);
    for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
        uint32_t m = metric_find(a, device, origins[i].metric);
        if (m == NONE || (origins[i].board && !d->own_board) || (power && origins[i].counter))
            continue;
        for (uint32_t t = metric_at(a, m)->tellers; t != NONE; t = teller_at(a, t)->link)
            if (teller_at(a, t)->ever)
                return m;
    }
    return NONE;
}

/* A sensor of power stands in for a counter that is stuck, until that moves again. */
static uint32_t origin_of_energy(struct acct *a, uint32_t device) {
    struct energy *e = &device_at(a, device)->energy;
    uint32_t best = origin_told(a, device, false);
    uint32_t power = origin_told(a, device, true);
    if (!e->stuck || best == NONE)
        return best;
    struct value v = metric_told(a, metric_at(a, best)).value;
    bool moved = v.state == STATE_VALUE && v.v != e->stuck_v;
    e->stuck = !moved && power != NONE && is_counter(metric_at(a, best)->metric);
    return e->stuck ? power : best;
}

static void void_interval(struct acct *a, uint32_t device, unsigned state) {
    struct energy *e = &device_at(a, device)->energy;
    e->flawed = e->flawed || e->ever;
    e->state = (uint8_t)state;
    e->has = false;
    drop_pending(a, device);
}

static void energy_forget(struct acct *a, uint32_t device) {
    struct energy *e = &device_at(a, device)->energy;
    if (e->metric == NONE)
        return;
    e->has = false;
    e->state = STATE_UNKNOWN;
    drop_pending(a, device);
}

/* The counter was read and did not move. */
static void note_still(struct acct *a, uint32_t device) {
    struct energy *e = &device_at(a, device)->energy;
    uint32_t power = origin_told(a, device, true);
    struct value w =
        power == NONE ? value_none(STATE_UNSUPPORTED) : metric_told(a, metric_at(a, power)).value;
    bool draws = w.state == STATE_VALUE && w.v > 0;
    e->still = !draws ? 0 : e->still < STUCK_READS ? (uint8_t)(e->still + 1) : e->still;
    e->stuck = e->still >= STUCK_READS;
    e->stuck_v = e->v;
}

static void begin_at(struct energy *e, int64_t v, bool waking, int64_t t_ns) {
    e->has = true;
    e->idle = true;
    e->waking = waking;
    e->still = 0;
    e->v = v;
    e->t_ns = t_ns;
}

/* A reading of now; `e` holds the one before. */
static void take(struct acct *a, uint32_t device, int64_t v, bool waking, int64_t t_ns) {
    struct energy *e = &device_at(a, device)->energy;
    double most = (double)metric_most_power(a, device) * 1e-6;
    int64_t passed_ns = e->has ? span_ns(e->t_ns, t_ns) : 0;
    double seconds = (double)passed_ns * 1e-9;
    double joules = !e->counter ? ((double)v + (double)e->v) * 0.5e-6 * seconds
                    : v > e->v  ? (double)(v - e->v) * 1e-6
                                : 0;
    bool bad = v < 0 || (!e->counter && (double)v * 1e-6 > most);
    if (e->has && e->counter && passed_ns > 0)
        bad = bad || v < e->v || joules > most * seconds;
    if (bad) {
        void_interval(a, device, STATE_MALFORMED);
        if (e->counter && v >= 0)
            begin_at(e, v, waking, t_ns); /* from here on it may be true again */
        return;
    }
    if (!e->has) {
        begin_at(e, v, waking, t_ns);
        drop_pending(a, device);
        if (e->state == STATE_VALUE)
            e->state = STATE_UNKNOWN;
        return;
    }
    if (e->counter && passed_ns > 0 && v == e->v)
        note_still(a, device);
    if (passed_ns == 0 || (e->counter && v == e->v))
        return; /* it did not move: the interval goes on */
    double watts = e->counter ? joules / seconds : (double)v * 1e-6;
    e->read_doubt = waking || (e->waking && !e->counter) ? DOUBT_WAKING : 0;
    if (e->idle && !e->read_doubt)
        floor_note(e, a->now.begin_ns, watts);
    share(a, device, joules, passed_ns);
    e->ever = true;
    e->state = STATE_VALUE;
    e->period_ns = passed_ns;
    e->closed_ns = a->now.begin_ns;
    begin_at(e, v, waking, t_ns);
}

void energy_look(struct acct *a, uint32_t device, bool idle) {
    struct device *d = device_at(a, device);
    struct energy *e = &d->energy;
    uint32_t metric = origin_of_energy(a, device);
    if (metric != e->metric) {
        /* Another origin, another zero and another floor. */
        e->flawed = e->flawed || (e->has && e->ever);
        e->metric = metric;
        e->has = false;
        e->bucket = 0;
        e->counter = metric != NONE && is_counter(metric_at(a, metric)->metric);
        drop_pending(a, device);
    }
    if (metric == NONE)
        return;
    e->idle = e->idle && idle;
    floor_age(e, a->now.begin_ns);
    if (!device_is_awake(d) || device_left_alone(d)) {
        energy_forget(a, device);
        return;
    }
    struct told told = metric_told(a, metric_at(a, metric));
    if (!told.by || told.by->seq != a->now.seq)
        return;
    if (told.value.state == STATE_VALUE)
        take(a, device, told.value.v, told.value.doubt & DOUBT_WAKING, told.by->t_ns);
    else if (told.value.state == STATE_MALFORMED)
        void_interval(a, device, STATE_MALFORMED);
}

/* ---- what is shown --------------------------------------------------------------------------- */

#define OVERDUE_PERIODS 3

struct real energy_watts(const struct acct *a, const struct device *d, double watts,
                         uint8_t doubt) {
    const struct energy *e = &d->energy;
    if (e->metric == NONE)
        return real_none(STATE_UNSUPPORTED);
    if (e->state != STATE_VALUE)
        return real_none(e->state);
    /* A period of one tick shall stand over the tick's own jitter. */
    if (span_ns(e->closed_ns, a->now.begin_ns) / OVERDUE_PERIODS > e->period_ns)
        return real_none(STATE_UNKNOWN);
    return real_of(watts, doubt);
}

struct real energy_joules(const struct device *d, const struct sum *joules, uint8_t doubt) {
    const struct energy *e = &d->energy;
    if (e->metric == NONE)
        return real_none(STATE_UNSUPPORTED);
    if (e->state == STATE_MALFORMED)
        return real_none(STATE_MALFORMED);
    if (!e->ever)
        return real_none(STATE_UNKNOWN);
    return real_of(sum_of(joules), (uint8_t)(doubt | (e->flawed ? DOUBT_ESTIMATED : 0)));
}
