/*
 * What several rows of one device come to together. A sum lacks what is not known of a part, and says so; nothing
 * that is known to be 0 stands for a part that is not known. Pure; units as in snapshot.h.
 */
#include "sums.h"

#define PPM INT64_C(1000000)

/* ---- figures --------------------------------------------------------------------------------- */

int64_t tally_sat(int64_t a, int64_t b) {
    return b > 0 && a > INT64_MAX - b ? INT64_MAX : a + b;
}

unsigned tally_state(struct value v) {
    bool is_number = v.state == STATE_VALUE && v.v >= 0;
    return is_number                                          ? STATE_VALUE
           : v.state >= STATE_COUNT || v.state == STATE_VALUE ? STATE_MALFORMED
                                                              : v.state;
}

void tally_add(struct tally *t, struct value v) {
    unsigned state = tally_state(v);
    t->states |= BIT(state);
    if (state == STATE_VALUE) {
        t->sum = tally_sat(t->sum, v.v);
        t->doubt |= v.doubt;
    }
}

static void tally_add_real(struct real_tally *t, struct real r) {
    r = table_real(r);
    t->states |= BIT(r.state < STATE_COUNT ? r.state : (unsigned)STATE_MALFORMED);
    if (r.state == STATE_VALUE) {
        t->sum += r.v;
        t->doubt |= r.doubt;
    }
}

/* Why there is no number: what may pass before what stays. */
static uint8_t reason_of(unsigned states) {
    static const uint8_t order[] = {STATE_UNKNOWN, STATE_DENIED, STATE_MALFORMED};
    for (size_t i = 0; i < sizeof order; i++) {
        if (states & BIT(order[i])) {
            return order[i];
        }
    }
    return STATE_UNSUPPORTED;
}

/* The state of a sum, and what it adds to its doubt. */
static uint8_t state_of_sum(unsigned states, bool is_zero, uint8_t *doubt) {
    unsigned rest = states & ~BIT(STATE_VALUE);
    if (!(states & BIT(STATE_VALUE)) || (rest && is_zero)) {
        return reason_of(rest);
    }
    *doubt = rest ? DOUBT_ESTIMATED : 0;
    return STATE_VALUE;
}

struct value tally_value(const struct tally *t) {
    uint8_t doubt = 0;
    uint8_t state = state_of_sum(t->states, t->sum == 0, &doubt);
    return (struct value){
        .v = t->sum, .state = state, .doubt = state == STATE_VALUE ? t->doubt | doubt : 0};
}

static struct real real_of(const struct real_tally *t) {
    uint8_t doubt = 0;
    uint8_t state = state_of_sum(t->states, t->sum == 0, &doubt);
    return (struct real){
        .v = t->sum, .state = state, .doubt = state == STATE_VALUE ? t->doubt | doubt : 0};
}

/* Of a process that ended while others go on it is no gap that nothing is told of it now. */
bool tally_is_over(const struct adding *a, const struct snap_process *p, unsigned state) {
    return p->exited && !a->ended && state != STATE_VALUE;
}

static void add_now(const struct adding *a, const struct snap_process *p, struct tally *t,
                    struct value v) {
    if (!tally_is_over(a, p, v.state)) {
        tally_add(t, v);
    }
}

static void add_real_now(const struct adding *a, const struct snap_process *p, struct real_tally *t,
                         struct real r) {
    if (!tally_is_over(a, p, r.state)) {
        tally_add_real(t, r);
    }
}

bool sum_same_text(const struct snapshot *s, struct text_ref a, struct text_ref b) {
    struct span x = snapshot_text(s, a), y = snapshot_text(s, b);
    return (a.at == b.at && a.len == b.len) ||
           (x.n == y.n && (x.n == 0 || memcmp(x.p, y.p, x.n) == 0));
}

/* ---- engines --------------------------------------------------------------------------------- */

/* NULL where there is no memory. */
static struct engine_sum *engine_sum_for(struct adding *a, const struct snap_engine *e) {
    void *sums = a->t->engine_sums;
    struct engine_sum *list = a->t->engine_sums;
    for (uint32_t i = 0; i < a->engine_count; i++) {
        if (list[i].class == e->class && sum_same_text(a->s, list[i].name, e->name)) {
            return &list[i];
        }
    }
    enum err err =
        vec_reserve(&sums, &a->t->engine_sum_cap, a->engine_count + 1, sizeof(struct engine_sum));
    a->t->engine_sums = sums;
    if (err != ERR_OK) {
        return NULL;
    }
    struct engine_sum *new = &a->t->engine_sums[a->engine_count++];
    *new = (struct engine_sum){.name = e->name, .class = e->class, .jobs = true};
    return new;
}

static enum err add_engines(struct adding *a, const struct snap_process *p) {
    for (uint32_t i = 0; i < p->engines.count; i++) {
        const struct snap_engine *e = &a->s->engines[p->engines.first + i];
        struct engine_sum *sum = engine_sum_for(a, e);
        if (!sum) {
            return ERR_NOMEM;
        }
        sum->jobs = sum->jobs && e->jobs;
        sum->capacity = e->capacity > sum->capacity ? e->capacity : sum->capacity;
        add_now(a, p, &sum->busy_ppm, e->busy_ppm);
        tally_add(&sum->busy_ns, e->busy_ns);
        tally_add(&sum->unpriced_ns, e->unpriced_ns);
        tally_add_real(&sum->pws, e->pws);
    }
    return ERR_OK;
}

static struct value share_of(const struct tally *t) {
    struct value v = tally_value(t);
    if (v.state == STATE_VALUE && v.v > PPM) {
        v.v = PPM;
        v.doubt |= DOUBT_CLAMPED;
    }
    return v;
}

static enum err write_engines(struct adding *a, struct snap_process *to) {
    struct table_totals *t = a->t;
    uint32_t first = t->s.engine_count;
    void *engines = t->engines;
    enum err e = vec_reserve(&engines, &t->engine_cap, first + a->engine_count, sizeof *t->engines);
    t->engines = engines;
    t->s.engines = t->engines;
    for (uint32_t i = 0; e == ERR_OK && i < a->engine_count; i++) {
        const struct engine_sum *from = &t->engine_sums[i];
        struct snap_engine *line = &t->engines[first + i];
        *line = (struct snap_engine){.class = from->class,
                                     .jobs = from->jobs,
                                     .capacity = from->capacity,
                                     .busy_ppm = share_of(&from->busy_ppm),
                                     .busy_ns = tally_value(&from->busy_ns),
                                     .unpriced_ns = tally_value(&from->unpriced_ns),
                                     .pws = real_of(&from->pws)};
        e = pool_add(&t->s.text, snapshot_text(a->s, from->name), &line->name);
    }
    to->engines = (struct run){first, e == ERR_OK ? a->engine_count : 0};
    t->s.engine_count += to->engines.count;
    return e;
}

/* Its busiest engine; at least what the busiest of its rows is. */
static struct value busiest_of(const struct adding *a, const struct snap_process *to) {
    struct value top = {.v = a->busiest, .state = STATE_VALUE, .doubt = a->busy_ppm.doubt};
    uint8_t doubt = 0;
    for (uint32_t i = 0; i < to->engines.count; i++) {
        struct value v = a->t->engines[to->engines.first + i].busy_ppm;
        top = v.state == STATE_VALUE && v.v >= top.v ? v : top;
    }
    top.state = state_of_sum(a->busy_ppm.states, top.v == 0, &doubt);
    top.doubt |= doubt | (a->busy_ppm.doubt & DOUBT_ESTIMATED);
    return top.state == STATE_VALUE ? top : (struct value){.state = top.state};
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_power(struct adding *a, const struct snap_process *p) {
    const struct snap_power *from = &p->power;
    add_real_now(a, p, &a->pw, from->pw);
    add_real_now(a, p, &a->watts, from->watts);
    tally_add_real(&a->pws, from->pws);
    tally_add_real(&a->joules, from->joules);
    tally_add(&a->unpriced_ns, from->unpriced_ns);
    /* What a sensor measured before what was worked out. */
    if (from->method != METHOD_NONE && (a->method == METHOD_NONE || from->method < a->method)) {
        a->method = from->method;
    }
}

static enum err add_row(struct adding *a, const struct snap_process *p) {
    unsigned type = p->type <= TYPE_MEDIA ? p->type : (unsigned)TYPE_NONE;
    bool is_busy = tally_state(p->busy_ppm) == STATE_VALUE && p->busy_ppm.v > a->busiest;
    a->busiest = is_busy ? p->busy_ppm.v : a->busiest;
    add_now(a, p, &a->busy_ppm, p->busy_ppm);
    tally_add(&a->busy_ns, p->busy_ns);
    add_now(a, p, &a->cpu_ppm, p->cpu_ppm);
    add_now(a, p, &a->rss, p->rss);
    add_power(a, p);
    a->clients += p->clients;
    a->type_ns[type] = tally_sat(tally_sat(a->type_ns[type], 1),
                                 tally_state(p->busy_ns) == STATE_VALUE ? p->busy_ns.v : 0);
    enum err e = add_engines(a, p);
    return e == ERR_OK ? sum_add_memory(a, p) : e;
}

static uint8_t type_of(const struct adding *a) {
    uint8_t best = TYPE_NONE;
    for (unsigned i = TYPE_GRAPHICS; i <= TYPE_MEDIA; i++) {
        if (a->type_ns[i] > (best == TYPE_NONE ? 0 : a->type_ns[best])) {
            best = (uint8_t)i;
        }
    }
    return best;
}

static enum err write_sum(struct adding *a, struct snap_process *to) {
    enum err e = write_engines(a, to);
    enum err f = sum_write_memory(a, to);
    to->exited = a->ended;
    to->clients = a->clients;
    to->type = type_of(a);
    to->busy_ppm = busiest_of(a, to);
    to->busy_ns = tally_value(&a->busy_ns);
    to->cpu_ppm = tally_value(&a->cpu_ppm);
    to->rss = tally_value(&a->rss);
    to->power = (struct snap_power){.pw = real_of(&a->pw),
                                    .pws = real_of(&a->pws),
                                    .unpriced_ns = tally_value(&a->unpriced_ns),
                                    .watts = real_of(&a->watts),
                                    .joules = real_of(&a->joules),
                                    .method = a->method};
    return e == ERR_OK ? f : e;
}

enum err sums_write(struct table_totals *t, const struct members *m, struct snap_process *to) {
    struct adding a = {.t = t, .s = m->s, .ended = true};
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < m->count; i++) {
        a.ended = a.ended && m->s->processes[m->rows[m->places[i]].index].exited;
    }
    for (uint32_t i = 0; i < m->count && e == ERR_OK; i++) {
        e = add_row(&a, &m->s->processes[m->rows[m->places[i]].index]);
    }
    return e == ERR_OK ? write_sum(&a, to) : e;
}
