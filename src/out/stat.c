/*
 * What a command cost: gathers, look by look, what its processes used on each device, and over several
 * runs mean and spread of each figure. A process that exited keeps what it was last seen with. Pure.
 */
#include <stdlib.h>

#include "stat_parts.h"

#define NS_PER_S 1e9

/* ---- figures --------------------------------------------------------------------------------- */

void figure_add(struct figure *f, double v, uint8_t doubt) {
    double before = v - f->mean;
    f->n++;
    f->mean += before / f->n;
    f->squares += before * (v - f->mean);
    f->doubt |= doubt;
    f->state = STATE_VALUE;
}

void figure_miss(struct figure *f, uint8_t state) {
    if (f->n == 0)
        f->state = state;
}

/* By Newton's steps; pure rooms have no libm. */
static double root_of(double v) {
    double r = v > 1 ? v : 1;
    for (int i = 0; i < 2000 && v > 0; i++) {
        double next = (r + v / r) / 2;
        if (next >= r)
            break;
        r = next;
    }
    return v > 0 ? r : 0;
}

bool figure_spread(const struct figure *f, double *out) {
    if (f->n < 2 || f->n == UINT32_MAX || !(f->mean > 0))
        return false;
    *out = 100 * root_of(f->squares / (f->n - 1)) / f->mean;
    return true;
}

uint8_t figure_doubt(const struct figure *f, uint32_t runs) {
    return (uint8_t)(f->doubt | (f->n > 0 && f->n < runs ? DOUBT_ESTIMATED : 0));
}

/* ---- finding --------------------------------------------------------------------------------- */

static struct text_ref keep(struct out_stat *st, struct span s) {
    struct text_ref r = {0, 0};
    if (pool_add(&st->text, s, &r) != ERR_OK)
        st->failed = true;
    return r;
}

static bool same(const struct out_stat *st, struct text_ref r, struct span s) {
    struct span have = pool_get(&st->text, r);
    return have.n == s.n && (s.n == 0 || memcmp(have.p, s.p, s.n) == 0);
}

/* A new zeroed element; NULL for lack of memory. */
static void *append(struct out_stat *st, void **items, uint32_t *count, uint32_t *cap,
                    size_t size) {
    if (vec_reserve(items, cap, *count + 1, size) != ERR_OK) {
        st->failed = true;
        return NULL;
    }
    return (char *)*items + size * (*count)++;
}

static uint32_t device_of(struct out_stat *st, const struct snapshot *s, uint32_t index) {
    const struct snap_device *d = &s->devices[index];
    struct span id = snapshot_text(s, d->id);
    for (uint32_t i = 0; i < st->device_count; i++)
        if (same(st, st->devices[i].id, id))
            return i;
    void *list = st->devices;
    struct cost_device *added =
        append(st, &list, &st->device_count, &st->device_cap, sizeof *added);
    st->devices = list;
    if (!added)
        return UINT32_MAX;
    *added = (struct cost_device){.id = keep(st, id), .name = keep(st, snapshot_text(s, d->name))};
    return st->device_count - 1;
}

static uint32_t engine_of(struct out_stat *st, struct cost_device *d, const struct snapshot *s,
                          const struct snap_engine *e) {
    struct span name = snapshot_text(s, e->name);
    for (uint32_t i = 0; i < d->engine_count; i++)
        if (same(st, d->engines[i].name, name))
            return i;
    void *list = d->engines;
    struct cost_engine *added = append(st, &list, &d->engine_count, &d->engine_cap, sizeof *added);
    d->engines = list;
    if (!added)
        return UINT32_MAX;
    *added = (struct cost_engine){
        .name = keep(st, name), .class = e->class, .capacity = e->capacity ? e->capacity : 1};
    return d->engine_count - 1;
}

static struct cost_region *region_of(struct out_stat *st, struct cost_device *d,
                                     const struct snapshot *s, const struct snap_memory *m) {
    struct span name = snapshot_text(s, m->region);
    for (uint32_t i = 0; i < d->region_count; i++)
        if (same(st, d->regions[i].name, name))
            return &d->regions[i];
    void *list = d->regions;
    struct cost_region *added = append(st, &list, &d->region_count, &d->region_cap, sizeof *added);
    d->regions = list;
    if (added)
        *added = (struct cost_region){.name = keep(st, name)};
    return added;
}

static struct cost_process *process_of(struct out_stat *st, const struct snap_process *p,
                                       uint32_t device) {
    for (uint32_t i = st->run_first; i < st->process_count; i++) {
        struct cost_process *have = &st->processes[i];
        if (have->pid == p->pid && have->start == p->start && have->device == device)
            return have;
    }
    if (st->process_count >= STAT_PROCESSES) {
        st->failed = true;
        return NULL;
    }
    void *list = st->processes;
    struct cost_process *added =
        append(st, &list, &st->process_count, &st->process_cap, sizeof *added);
    st->processes = list;
    if (added)
        *added = (struct cost_process){
            .run = st->runs + 1, .device = device, .pid = p->pid, .start = p->start};
    return added;
}

/* ---- a look ---------------------------------------------------------------------------------- */

static void take_engine(struct out_stat *st, struct cost_process *to, uint32_t engine,
                        struct value busy_ns) {
    uint32_t i = 0;
    while (i < to->use_count && to->uses[i].engine != engine)
        i++;
    if (i == STAT_USES || engine == UINT32_MAX) {
        st->failed = true;
        return;
    }
    if (i == to->use_count)
        to->uses[to->use_count++].engine = engine;
    /* What was measured once stays, though a later look could not tell it. */
    if (busy_ns.state == STATE_VALUE || to->uses[i].busy_ns.state != STATE_VALUE)
        to->uses[i].busy_ns = busy_ns;
}

static void take_memory(struct out_stat *st, struct cost_device *d, const struct snapshot *s,
                        const struct snap_memory *m) {
    const struct value *held = m->resident.state == STATE_VALUE ? &m->resident
                               : m->legacy.state == STATE_VALUE ? &m->legacy
                                                                : &m->total;
    double shared = m->shared.state == STATE_VALUE ? (double)m->shared.v : 0;
    struct cost_region *r = region_of(st, d, s, m);
    if (!r || held->state != STATE_VALUE)
        return;
    double bytes = (double)held->v;
    shared = shared < bytes ? shared : bytes;
    r->known = true;
    r->sum += bytes - shared;
    r->shared = shared > r->shared ? shared : r->shared;
}

static void take_process(struct out_stat *st, const struct snapshot *s,
                         const struct snap_process *p) {
    uint32_t device = device_of(st, s, p->device);
    struct cost_process *to = device == UINT32_MAX ? NULL : process_of(st, p, device);
    struct cost_device *d = to ? &st->devices[device] : NULL;
    if (!to)
        return;
    if (!same(st, to->name, snapshot_text(s, p->name)))
        to->name = keep(st, snapshot_text(s, p->name));
    if (!same(st, to->command, snapshot_text(s, p->command)))
        to->command = keep(st, snapshot_text(s, p->command));
    to->start_ns = p->start_ns;
    to->exited = p->exited;
    to->power = p->power;
    if (p->busy_ns.state == STATE_VALUE || to->busy_ns.state != STATE_VALUE)
        to->busy_ns = p->busy_ns;
    for (uint32_t i = 0; i < p->engines.count; i++) {
        const struct snap_engine *e = &s->engines[p->engines.first + i];
        take_engine(st, to, engine_of(st, d, s, e), e->busy_ns);
    }
    for (uint32_t i = 0; !p->exited && i < p->memory.count; i++)
        take_memory(st, d, s, &s->memory[p->memory.first + i]);
}

/* What was held since the look before, and what is held now. */
static void take_time(struct cost_device *d, int64_t passed_ns) {
    for (uint32_t i = 0; i < d->region_count; i++) {
        struct cost_region *r = &d->regions[i];
        r->byte_ns += r->held * (double)passed_ns;
        r->held = r->sum + r->shared;
        r->peak = r->held > r->peak ? r->held : r->peak;
        r->sum = r->shared = 0;
    }
}

void out_stat_tick(struct out_stat *st, const struct snapshot *s,
                   bool (*ours)(void *ctx, const struct snap_process *p), void *ctx) {
    int64_t passed_ns = st->last_ns > 0 && s->t_ns > st->last_ns ? s->t_ns - st->last_ns : 0;
    st->last_ns = s->t_ns;
    for (uint32_t i = 0; i < s->device_count; i++)
        (void)device_of(st, s, i);
    for (uint32_t i = 0; i < s->process_count; i++)
        if (ours(ctx, &s->processes[i]))
            take_process(st, s, &s->processes[i]);
    for (uint32_t i = 0; i < st->device_count; i++)
        take_time(&st->devices[i], passed_ns);
}

/* ---- the end of a run ------------------------------------------------------------------------ */

/* A sum over processes; what one of them lacks makes it an estimate. */
struct sum {
    double v;
    bool any;
    bool lacks;
    uint8_t missing;
    uint8_t doubt;
};

static void sum_add(struct sum *s, uint8_t state, double v, uint8_t doubt) {
    if (state == STATE_VALUE) {
        s->v += v;
        s->any = true;
        s->doubt |= doubt;
    } else {
        s->missing = state;
        s->lacks = true;
    }
}

static void sum_end(const struct sum *s, struct figure *f) {
    if (s->any)
        figure_add(f, s->v, (uint8_t)(s->doubt | (s->lacks ? DOUBT_ESTIMATED : 0)));
    else
        figure_miss(f, s->missing);
}

static void end_power(struct out_stat *st, uint32_t device, double wall_s) {
    struct cost_device *d = &st->devices[device];
    struct sum pws = {0}, unpriced = {0}, joules = {0}, watts;
    for (uint32_t i = st->run_first; i < st->process_count; i++) {
        const struct cost_process *p = &st->processes[i];
        const struct snap_power *w = &p->power;
        if (p->device != device)
            continue;
        sum_add(&pws, w->pws.state, w->pws.v, w->pws.doubt);
        sum_add(&unpriced, w->unpriced_ns.state, (double)w->unpriced_ns.v / NS_PER_S,
                w->unpriced_ns.doubt);
        sum_add(&joules, w->joules.state, w->joules.v, w->joules.doubt);
        d->method = w->method != METHOD_NONE ? w->method : d->method;
    }
    watts = joules;
    watts.v = wall_s > 0 ? joules.v / wall_s : 0;
    watts.any = joules.any && wall_s > 0;
    sum_end(&pws, &d->pws);
    sum_end(&unpriced, &d->unpriced_s);
    sum_end(&joules, &d->joules);
    sum_end(&watts, &d->watts);
}

static void end_engines(struct out_stat *st, uint32_t device, double wall_s) {
    struct cost_device *d = &st->devices[device];
    for (uint32_t e = 0; e < d->engine_count; e++) {
        struct cost_engine *to = &d->engines[e];
        struct sum busy = {0}, share;
        for (uint32_t i = st->run_first; i < st->process_count; i++) {
            const struct cost_process *p = &st->processes[i];
            for (uint32_t u = 0; p->device == device && u < p->use_count; u++)
                if (p->uses[u].engine == e)
                    sum_add(&busy, p->uses[u].busy_ns.state,
                            (double)p->uses[u].busy_ns.v / NS_PER_S, p->uses[u].busy_ns.doubt);
        }
        share = busy;
        share.any = busy.any && wall_s > 0;
        share.v = share.any ? 100 * busy.v / (wall_s * to->capacity) : 0;
        if (share.v > 100) {
            share.v = 100;
            share.doubt |= DOUBT_CLAMPED;
        }
        sum_end(&busy, &to->busy_s);
        sum_end(&share, &to->busy_pct);
    }
}

static void end_regions(struct cost_device *d, double wall_s) {
    for (uint32_t i = 0; i < d->region_count; i++) {
        struct cost_region *r = &d->regions[i];
        double mean = wall_s > 0 ? r->byte_ns / (wall_s * NS_PER_S) : r->peak;
        if (r->known) {
            figure_add(&r->peak_b, r->peak, 0);
            figure_add(&r->mean_b, mean < r->peak ? mean : r->peak, 0);
        } else {
            figure_miss(&r->peak_b, STATE_UNSUPPORTED);
            figure_miss(&r->mean_b, STATE_UNSUPPORTED);
        }
        r->sum = r->shared = r->held = r->peak = r->byte_ns = 0;
        r->known = false;
    }
}

void out_stat_run_drop(struct out_stat *st) {
    st->process_count = st->run_first;
    for (uint32_t i = 0; i < st->device_count; i++)
        for (uint32_t k = 0; k < st->devices[i].region_count; k++) {
            struct cost_region *r = &st->devices[i].regions[k];
            r->sum = r->shared = r->held = r->peak = r->byte_ns = 0;
            r->known = false;
        }
    st->last_ns = 0;
}

void out_stat_run_end(struct out_stat *st, int64_t wall_ns) {
    double wall_s = (double)wall_ns / NS_PER_S;
    figure_add(&st->wall_s, wall_s, 0);
    for (uint32_t i = 0; i < st->device_count; i++) {
        end_engines(st, i, wall_s);
        end_regions(&st->devices[i], wall_s);
        end_power(st, i, wall_s);
    }
    st->run_first = st->process_count;
    st->last_ns = 0;
    st->runs++;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum err out_stat_create(struct out_stat **out) {
    *out = calloc(1, sizeof **out);
    return *out ? ERR_OK : ERR_NOMEM;
}

void out_stat_destroy(struct out_stat *st) {
    if (!st)
        return;
    for (uint32_t i = 0; i < st->device_count; i++) {
        free(st->devices[i].engines);
        free(st->devices[i].regions);
    }
    free(st->devices);
    free(st->processes);
    pool_finish(&st->text);
    free(st);
}

void out_stat_print(const struct out_stat *st, const struct out_stat_about *a, struct buf *b) {
    static void (*const forms[])(const struct out_stat *, const struct out_stat_about *,
                                 struct buf *) = {
        [STAT_TEXT] = stat_text, [STAT_JSON] = stat_json, [STAT_CSV] = stat_csv};
    forms[a->form](st, a, b);
}
