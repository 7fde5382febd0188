/*
 * Which processes have series of their own (those that -F, -u and -p choose, the N first by busy time, then
 * memory, or by -s), and what all others on a device come to. A process that exited has none: its totals stay
 * in those of the others. Pure; grows at new highs only.
 */
#include <stdlib.h>

#include "openmetrics_ledger.h"

/* ---- who is shown ------------------------------------------------------------------------------ */

static void use_order(struct table_query *q) {
    static const uint8_t order[] = {COLUMN_GPU, COLUMN_VRAM, COLUMN_GTT};
    if (q->sort_count > 0) {
        return;
    }
    for (unsigned i = 0; i < sizeof order; i++) {
        q->sort[i] = (struct sort_key){.column = order[i]};
    }
    q->sort_count = sizeof order;
}

/* Processes stand in order of pids. Of two rows with one pid on one device, of which one is about to end, only
 * one can have it as a label. */
static bool is_pid_taken(const struct openmetrics *m, const struct snapshot *s, uint32_t i) {
    const struct snap_process *p = &s->processes[i];
    for (uint32_t k = i; k > 0 && s->processes[k - 1].pid == p->pid; k--) {
        if (m->shown[k - 1] && s->processes[k - 1].device == p->device) {
            return true;
        }
    }
    for (uint32_t k = i + 1; k < s->process_count && s->processes[k].pid == p->pid; k++) {
        if (m->shown[k] && s->processes[k].device == p->device) {
            return true;
        }
    }
    return false;
}

static enum err choose(struct openmetrics *m, struct out_state *st, const struct snapshot *s) {
    struct table_query q = st->options.query;
    void *shown = m->shown;
    enum err e = vec_reserve(&shown, &m->shown_cap, s->process_count + 1, sizeof *m->shown);
    m->shown = shown;
    if (e != ERR_OK) {
        return e;
    }
    memset(m->shown, 0, s->process_count);
    use_order(&q);
    q.hide_exited = true;
    q.top = q.top ? q.top : OM_TOP;
    e = table_select(s, &q, &st->rows);
    for (uint32_t i = 0; e == ERR_OK && i < st->rows.count; i++) {
        const struct row *r = &st->rows.rows[i];
        if (!r->unattributed && s->processes[r->index].pid > 0 && !is_pid_taken(m, s, r->index)) {
            m->shown[r->index] = 1;
        }
    }
    return e;
}

/* ---- what the others come to --------------------------------------------------------------------- */

#define PPM 1000000

static void add(struct value *sum, struct value v, int64_t most) {
    if (v.state != STATE_VALUE || v.v < 0) {
        return;
    }
    *sum = (struct value){.v = sum->v > most - v.v ? most : sum->v + v.v, .state = STATE_VALUE};
}

static void raise(struct value *most, struct value v) {
    if (v.state == STATE_VALUE && v.v >= 0 && (most->state != STATE_VALUE || v.v > most->v)) {
        *most = (struct value){.v = v.v, .state = STATE_VALUE};
    }
}

static void add_real(struct real *sum, struct real r) {
    if (om_has_real(r)) {
        *sum = (struct real){.v = sum->v + r.v, .state = STATE_VALUE};
    }
}

/* The device's line of the same name; UINT32_MAX for none. */
static uint32_t engine_of(const struct snapshot *s, const struct snap_device *d,
                          const struct snap_engine *e) {
    for (uint32_t i = d->engines.first; i < d->engines.first + d->engines.count; i++) {
        if (span_same(snapshot_text(s, s->engines[i].name), snapshot_text(s, e->name))) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint32_t memory_of(const struct snapshot *s, const struct snap_device *d,
                          const struct snap_memory *m) {
    for (uint32_t i = d->memory.first; i < d->memory.first + d->memory.count; i++) {
        if (span_same(snapshot_text(s, s->memory[i].region), snapshot_text(s, m->region))) {
            return i;
        }
    }
    return UINT32_MAX;
}

struct value om_memory_shown(const struct snap_memory *m) {
    if (m->resident.state == STATE_VALUE) {
        return m->resident;
    }
    return m->legacy.state == STATE_VALUE ? m->legacy : m->total;
}

/* The largest shared part is added once all are there. */
static void add_memory(struct om_rest_memory *to, const struct snap_memory *m) {
    struct value all = om_memory_shown(m);
    if (all.state != STATE_VALUE || all.v < 0) {
        return;
    }
    if (m->shared.state == STATE_VALUE && m->shared.v > 0) {
        struct value part = {.v = m->shared.v < all.v ? m->shared.v : all.v, .state = STATE_VALUE};
        raise(&to->shared, part);
        all.v -= part.v;
    }
    add(&to->bytes, all, INT64_MAX);
}

static void add_rest(struct openmetrics *m, const struct snapshot *s,
                     const struct snap_process *p) {
    const struct snap_device *d = &s->devices[p->device];
    struct om_rest *rest = &m->rests[p->device];
    rest->processes++;
    rest->clients += p->clients;
    for (uint32_t i = 0; i < p->engines.count; i++) {
        const struct snap_engine *e = &s->engines[p->engines.first + i];
        uint32_t at = engine_of(s, d, e);
        if (at != UINT32_MAX) {
            add(&m->engines[at].busy_ppm, e->busy_ppm, PPM);
        }
    }
    for (uint32_t i = 0; i < p->memory.count; i++) {
        const struct snap_memory *line = &s->memory[p->memory.first + i];
        uint32_t at = memory_of(s, d, line);
        if (at != UINT32_MAX) {
            add_memory(&m->memory[at], line);
        }
    }
    add_real(&rest->watts, p->power.watts);
    add_real(&rest->pw, p->power.pw);
    if (p->power.method != METHOD_NONE) {
        rest->method = p->power.method;
    }
}

/* ---- totals --------------------------------------------------------------------------------------- */

static enum err told(struct openmetrics *m, struct map_key k, struct value v, double unit,
                     struct om_share *share) {
    return v.state == STATE_VALUE && v.v >= 0
               ? om_ledger_told(&m->ledger, k, (double)v.v * unit, share)
               : ERR_OK;
}

static enum err told_real(struct openmetrics *m, struct map_key k, struct real r,
                          struct om_share *share) {
    return om_has_real(r) ? om_ledger_told(&m->ledger, k, r.v, share) : ERR_OK;
}

/* A process or, without one, a row that belongs to none. */
static enum err add_told(struct openmetrics *m, const struct snapshot *s, uint32_t device,
                         const struct snap_process *p, struct span name, struct run engines,
                         const struct snap_power *power) {
    const struct snap_device *d = &s->devices[device];
    struct span id = snapshot_text(s, d->id);
    struct om_share *totals = m->rests[device].totals;
    enum err e = told_real(m, om_key(id, p, OM_ENERGY, name), power->joules, &totals[OM_ENERGY]);
    if (e == ERR_OK) {
        e = told_real(m, om_key(id, p, OM_WORK, name), power->pws, &totals[OM_WORK]);
    }
    if (e == ERR_OK) {
        e = told(m, om_key(id, p, OM_LEFT_UNPRICED, name), power->unpriced_ns, 1,
                 &totals[OM_LEFT_UNPRICED]);
    }
    for (uint32_t i = 0; e == ERR_OK && i < engines.count; i++) {
        const struct snap_engine *engine = &s->engines[engines.first + i];
        uint32_t at = engine_of(s, d, engine);
        if (at != UINT32_MAX) {
            e = told(m, om_key(id, p, OM_ENGINE_TIME, snapshot_text(s, engine->name)),
                     engine->busy_ns, 1, &m->engines[at].time);
        }
    }
    return e;
}

static enum err settle_engines(struct openmetrics *m, const struct snapshot *s,
                               const struct snap_device *d, struct om_rest *rest) {
    struct span id = snapshot_text(s, d->id);
    enum err e = ERR_OK;
    for (uint32_t i = d->engines.first; e == ERR_OK && i < d->engines.first + d->engines.count;
         i++) {
        struct om_rest_engine *r = &m->engines[i];
        struct value all = s->engines[i].busy_ns;
        raise(&rest->busy_ppm, r->busy_ppm);
        if (all.state != STATE_VALUE || all.v < 0) {
            continue;
        }
        e = om_ledger_settle(&m->ledger,
                             om_key(id, NULL, OM_ENGINE_TIME, snapshot_text(s, s->engines[i].name)),
                             (double)all.v, &r->time);
        rest->totals[OM_TIME].rest += r->time.rest;
        rest->totals[OM_TIME].known = true;
    }
    return e;
}

static enum err settle(struct openmetrics *m, const struct snapshot *s, const struct snap_device *d,
                       struct om_rest *rest) {
    struct span id = snapshot_text(s, d->id), none = {"", 0};
    const struct snap_power *p = &d->power;
    enum err e = settle_engines(m, s, d, rest);
    if (e == ERR_OK && om_has_real(p->joules)) {
        e = om_ledger_settle(&m->ledger, om_key(id, NULL, OM_ENERGY, none), p->joules.v,
                             &rest->totals[OM_ENERGY]);
    }
    if (e == ERR_OK && om_has_real(p->pws)) {
        e = om_ledger_settle(&m->ledger, om_key(id, NULL, OM_WORK, none), p->pws.v,
                             &rest->totals[OM_WORK]);
    }
    if (e == ERR_OK && p->unpriced_ns.state == STATE_VALUE) {
        e = om_ledger_settle(&m->ledger, om_key(id, NULL, OM_LEFT_UNPRICED, none),
                             (double)p->unpriced_ns.v, &rest->totals[OM_LEFT_UNPRICED]);
    }
    return e;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static enum err clear(struct openmetrics *m, const struct snapshot *s) {
    void *rests = m->rests, *engines = m->engines, *memory = m->memory;
    enum err e = vec_reserve(&rests, &m->rest_cap, s->device_count + 1, sizeof *m->rests);
    m->rests = rests;
    if (e == ERR_OK) {
        e = vec_reserve(&engines, &m->engine_cap, s->engine_count + 1, sizeof *m->engines);
        m->engines = engines;
    }
    if (e == ERR_OK) {
        e = vec_reserve(&memory, &m->memory_cap, s->memory_count + 1, sizeof *m->memory);
        m->memory = memory;
    }
    if (e == ERR_OK) {
        memset(m->rests, 0, s->device_count * sizeof *m->rests);
        memset(m->engines, 0, s->engine_count * sizeof *m->engines);
        memset(m->memory, 0, s->memory_count * sizeof *m->memory);
    }
    return e;
}

static enum err add_processes(struct openmetrics *m, const struct snapshot *s) {
    enum err e = ERR_OK;
    for (uint32_t i = 0; e == ERR_OK && i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        m->rests[p->device].alive += !p->exited;
        if (m->shown[i]) {
            e = add_told(m, s, p->device, p, (struct span){"", 0}, p->engines, &p->power);
        } else {
            add_rest(m, s, p);
        }
    }
    for (uint32_t i = 0; e == ERR_OK && i < s->unattributed_count; i++) {
        const struct snap_unattributed *u = &s->unattributed[i];
        struct snap_process nobody = {.pid = 0};
        e = add_told(m, s, u->device, &nobody, snapshot_text(s, u->name), u->engines, &u->power);
    }
    return e;
}

enum err om_gather(struct openmetrics *m, struct out_state *st, const struct snapshot *s) {
    enum err e = choose(m, st, s);
    if (e == ERR_OK) {
        e = clear(m, s);
    }
    if (e != ERR_OK) {
        return e;
    }
    om_ledger_turn(&m->ledger);
    e = add_processes(m, s);
    for (uint32_t i = 0; e == ERR_OK && i < s->device_count; i++) {
        const struct snap_device *d = &s->devices[i];
        e = settle(m, s, d, &m->rests[i]);
        for (uint32_t k = d->memory.first; k < d->memory.first + d->memory.count; k++) {
            add(&m->memory[k].bytes, m->memory[k].shared, INT64_MAX);
        }
    }
    return e;
}

void om_gather_finish(struct openmetrics *m) {
    om_ledger_finish(&m->ledger);
    free(m->shown);
    free(m->rests);
    free(m->engines);
    free(m->memory);
}
