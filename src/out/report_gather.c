/*
 * Takes what one snapshot says into a report. The first tick tells only where totals stand; each
 * later one speaks of the stretch since the one before. All memory is bounded: what finds no place
 * is counted. Pure.
 */
#include "report.h"

#include <stdlib.h>

struct stretch {
    bool first;
    int64_t from_ns; /* since the report began */
    int64_t to_ns;
};

static void put(struct report *r, struct stretch at, struct report_series *s, unsigned state,
                double v) {
    if (state == STATE_VALUE && v >= 0 && v < 1e18 && !at.first &&
        !series_put(s, r->step_ns, at.from_ns, at.to_ns, v)) {
        r->failed = true;
    }
}

static void put_value(struct report *r, struct stretch at, struct report_series *s, struct value v,
                      double scale) {
    put(r, at, s, v.state, (double)v.v * scale);
}

static void see_ns(struct report_total *t, struct value v, bool first) {
    report_see(t, (double)v.v * 1e-9, v.state, v.doubt, first);
}

static void see_real(struct report_total *t, struct real v, bool first) {
    report_see(t, v.v, v.state, v.doubt, first);
}

static void see_power(struct report_work *w, const struct snap_power *p, bool first) {
    see_real(&w->pws, p->pws, first);
    see_real(&w->joules, p->joules, first);
    see_ns(&w->unpriced, p->unpriced_ns, first);
    w->method = p->method ? p->method : w->method;
}

static void see_rest_power(struct report_work *w, const struct snap_power *p, bool first) {
    report_see_rest(&w->pws, p->pws.v, p->pws.state, p->pws.doubt, first);
    report_see_rest(&w->joules, p->joules.v, p->joules.state, p->joules.doubt, first);
    report_see_rest(&w->unpriced, (double)p->unpriced_ns.v * 1e-9, p->unpriced_ns.state,
                    p->unpriced_ns.doubt, first);
    w->method = p->method ? p->method : w->method;
}

/* ---- time ---------------------------------------------------------------------------------- */

static void halve_all(struct report *r) {
    for (uint32_t i = 0; i < r->device_count; i++) {
        struct report_device *d = r->devices[i];
        struct report_series *of[] = {&d->busy, &d->watts, &d->socket,  &d->pw,
                                      &d->vram, &d->gtt,   &d->coverage};
        for (size_t k = 0; k < sizeof of / sizeof of[0]; k++) {
            series_halve(of[k]);
        }
        for (uint32_t k = 0; k < d->engine_count; k++) {
            series_halve(&d->engines[k].busy);
        }
    }
    for (uint32_t i = 0; i < r->lane_count; i++) {
        series_halve(&r->lanes[i].busy);
    }
    series_halve(&r->other);
    r->step_ns *= 2;
}

/* False for a tick that is not after the one before. */
static bool advance(struct report *r, const struct snapshot *s, struct stretch *at) {
    if (r->ticks == 0) {
        r->first_ns = s->t_ns;
        r->last_ns = s->t_ns;
        r->first_real_ns = s->real_ns;
        r->last_real_ns = s->real_ns;
        r->ticks = 1;
        *at = (struct stretch){.first = true};
        return true;
    }
    if (s->t_ns <= r->last_ns || (uint64_t)s->t_ns - (uint64_t)r->first_ns > INT64_MAX / 4) {
        return false;
    }
    *at = (struct stretch){.from_ns = r->last_ns - r->first_ns, .to_ns = s->t_ns - r->first_ns};
    if (r->step_ns == 0) {
        r->step_ns = at->to_ns;
    }
    while (at->to_ns / r->step_ns >= REPORT_POINTS) {
        halve_all(r);
    }
    r->last_ns = s->t_ns;
    r->last_real_ns = s->real_ns;
    r->ticks++;
    return true;
}

/* ---- devices ------------------------------------------------------------------------------- */

static uint32_t device_at(struct report *r, const struct snapshot *s, uint32_t index) {
    char id[sizeof r->devices[0]->id];
    report_keep(id, sizeof id, snapshot_text(s, s->devices[index].id));
    for (uint32_t i = 0; i < r->device_count; i++) {
        if (strcmp(r->devices[i]->id, id) == 0) {
            return i;
        }
    }
    struct report_device *d =
        r->device_count < REPORT_DEVICES ? calloc(1, sizeof *r->devices[0]) : NULL;
    if (!d) {
        return MAP_NONE;
    }
    memcpy(d->id, id, sizeof id);
    r->devices[r->device_count] = d;
    return r->device_count++;
}

static struct report_engine *engine_at(struct report_device *d, struct span name) {
    char kept[sizeof d->engines[0].name];
    report_keep(kept, sizeof kept, name);
    for (uint32_t i = 0; i < d->engine_count; i++) {
        if (strcmp(d->engines[i].name, kept) == 0) {
            return &d->engines[i];
        }
    }
    if (d->engine_count == REPORT_ENGINES) {
        return NULL;
    }
    memcpy(d->engines[d->engine_count].name, kept, sizeof kept);
    return &d->engines[d->engine_count++];
}

static void see_engines(struct report *r, struct stretch at, struct report_device *d,
                        const struct snapshot *s, struct run run) {
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_engine *e = &s->engines[run.first + i];
        struct report_engine *to = engine_at(d, snapshot_text(s, e->name));
        if (!to) {
            continue;
        }
        to->class = e->class;
        to->capacity = e->capacity;
        see_ns(&to->work.busy, e->busy_ns, at.first);
        see_real(&to->work.pws, e->pws, at.first);
        see_ns(&to->work.unpriced, e->unpriced_ns, at.first);
        put_value(r, at, &to->busy, e->busy_ppm, 1e-4);
    }
}

static struct value first_known(struct value a, struct value b) {
    return a.state == STATE_VALUE ? a : b;
}

static void see_memory(struct report *r, struct stretch at, struct report_device *d,
                       const struct snapshot *s, const struct snap_device *from) {
    struct value vram = table_metric(s, from->metrics, METRIC_MEMORY_VRAM_USED);
    struct value total = table_metric(s, from->metrics, METRIC_MEMORY_VRAM_TOTAL);
    struct value gtt = first_known(table_metric(s, from->metrics, METRIC_MEMORY_GTT_USED),
                                   table_metric(s, from->metrics, METRIC_MEMORY_SYSTEM_USED));
    if (vram.state != STATE_VALUE && from->memory.count > 0) {
        vram = table_memory(s, from->memory, REGION_VRAM).bytes;
        d->vram_by_clients = vram.state == STATE_VALUE ? true : d->vram_by_clients;
    }
    if (gtt.state != STATE_VALUE && from->memory.count > 0) {
        gtt = first_known(table_memory(s, from->memory, REGION_GTT).bytes,
                          table_memory(s, from->memory, REGION_SYSTEM).bytes);
    }
    if (total.state == STATE_VALUE) {
        d->vram_total = total.v;
    }
    put_value(r, at, &d->vram, vram, 1);
    put_value(r, at, &d->gtt, gtt, 1);
}

static void see_device(struct report *r, struct stretch at, struct report_device *d,
                       const struct snapshot *s, const struct snap_device *from) {
    struct value coverage = table_metric(s, from->metrics, METRIC_COVERAGE_RECORDED);
    report_keep(d->name, sizeof d->name, snapshot_text(s, from->name));
    report_keep(d->driver, sizeof d->driver, snapshot_text(s, from->driver));
    d->state = from->state;
    d->asleep_once |= from->state == DEVICE_ASLEEP;
    d->clients = from->clients > d->clients ? from->clients : d->clients;
    see_power(&d->work, &from->power, at.first);
    see_engines(r, at, d, s, from->engines);
    see_memory(r, at, d, s, from);
    put_value(r, at, &d->busy, from->busy_ppm, 1e-4);
    put(r, at, &d->watts, from->power.watts.state, from->power.watts.v);
    put(r, at, &d->pw, from->power.pw.state, from->power.pw.v);
    put_value(r, at, &d->socket, table_metric(s, from->metrics, METRIC_POWER_SOCKET), 1e-6);
    if (coverage.state == STATE_VALUE && !at.first) {
        double share = (double)coverage.v * 1e-4;
        if (!d->coverage.sum || share < d->coverage_least) {
            d->coverage_least = share;
        }
        put(r, at, &d->coverage, STATE_VALUE, share);
    }
}

static void see_loose(struct report_device *d, struct stretch at, const struct snapshot *s,
                      const struct snap_unattributed *u) {
    char name[sizeof d->loose[0].name];
    uint32_t i = 0;
    report_keep(name, sizeof name, snapshot_text(s, u->name));
    while (i < d->loose_count && strcmp(d->loose[i].name, name) != 0) {
        i++;
    }
    if (i == REPORT_LOOSE) {
        return;
    }
    struct report_loose *to = &d->loose[i];
    if (i == d->loose_count) {
        memcpy(to->name, name, sizeof name);
        d->loose_count++;
    }
    to->reasons |= u->reasons;
    report_see_rest(&to->work.busy, (double)u->busy_ns.v * 1e-9, u->busy_ns.state, u->busy_ns.doubt,
                    at.first);
    see_rest_power(&to->work, &u->power, at.first);
}

/* ---- processes ------------------------------------------------------------------------------ */

static struct map_key key_of(const struct snap_process *p, uint32_t device) {
    return (struct map_key){.hi = (uint64_t)(uint32_t)p->pid << 32 | device, .lo = p->start};
}

/* The place of the cheapest row that is in no snapshot any more; its work goes to `folded`. */
static uint32_t fold_one(struct report *r) {
    uint32_t found = MAP_NONE;
    for (uint32_t i = 0; i < r->row_count; i++) {
        const struct report_row *row = &r->rows[i];
        if (row->seen + 1 < r->ticks &&
            (found == MAP_NONE ||
             report_within(&row->work.busy) < report_within(&r->rows[found].work.busy))) {
            found = i;
        }
    }
    if (found == MAP_NONE) {
        return found;
    }
    struct report_row *row = &r->rows[found];
    struct map_key k = {(uint64_t)(uint32_t)row->pid << 32 | row->device, row->start};
    if (!row->before) {
        report_add_work(&r->folded, &row->work);
        r->rows_folded++;
    }
    if (row->lane > 0) {
        series_merge(&r->other, &r->lanes[row->lane - 1].busy);
        r->lanes[row->lane - 1] = (struct report_lane){.row = MAP_NONE};
    }
    (void)map_remove(&r->row_at, k);
    *row = (struct report_row){0};
    return found;
}

static struct report_row *row_at(struct report *r, const struct snap_process *p, uint32_t device) {
    struct map_key k = key_of(p, device);
    uint32_t at = map_get(&r->row_at, k);
    if (at != MAP_NONE) {
        return &r->rows[at];
    }
    if (r->row_count < REPORT_ROWS) {
        void *rows = r->rows;
        enum err e = vec_reserve(&rows, &r->row_cap, r->row_count + 1, sizeof *r->rows);
        r->rows = rows;
        at = e == ERR_OK ? r->row_count : MAP_NONE;
        r->failed |= e != ERR_OK;
    } else {
        at = fold_one(r);
    }
    if (at == MAP_NONE || map_put(&r->row_at, k, at) != ERR_OK) {
        return NULL;
    }
    r->row_count += at == r->row_count;
    r->rows[at] = (struct report_row){.pid = p->pid, .start = p->start, .device = device};
    return &r->rows[at];
}

/* A lane for a process that works: a free one, or that of one which did less than half of it. */
static void find_lane(struct report *r, struct report_row *row) {
    uint32_t lane = r->lane_count;
    if (lane == REPORT_LANES) {
        lane = 0;
        for (uint32_t i = 1; i < REPORT_LANES; i++) {
            lane = r->lanes[i].total < r->lanes[lane].total ? i : lane;
        }
        if (report_within(&row->work.busy) <= 2 * r->lanes[lane].total) {
            return;
        }
        if (r->lanes[lane].row != MAP_NONE) {
            r->rows[r->lanes[lane].row].lane = 0;
        }
        series_merge(&r->other, &r->lanes[lane].busy);
    } else {
        r->lane_count++;
    }
    r->lanes[lane] = (struct report_lane){.row = (uint32_t)(row - r->rows)};
    row->lane = lane + 1;
}

static void see_identity(const struct snapshot *s, const struct snap_process *p,
                         struct report_row *row) {
    /* A name once seen is never lost. */
    const struct {
        struct text_ref from;
        char *to;
        size_t cap;
    } texts[] = {{p->name, row->name, sizeof row->name},
                 {p->user, row->user, sizeof row->user},
                 {p->container, row->container, sizeof row->container},
                 {p->command, row->command, sizeof row->command}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].from.len > 0) {
            report_keep(texts[i].to, texts[i].cap, snapshot_text(s, texts[i].from));
        }
    }
    row->start_ns = p->start_ns;
    row->uid = p->uid;
}

/* What this tick adds to the processes without a lane, in %. */
static double see_process(struct report *r, struct stretch at, const struct snapshot *s,
                          const struct snap_process *p, uint32_t device) {
    struct report_row *row = row_at(r, p, device);
    bool works = p->busy_ppm.state == STATE_VALUE && p->busy_ppm.v > 0;
    double share = works ? (double)p->busy_ppm.v * 1e-4 : 0;
    if (!row) {
        return share;
    }
    see_identity(s, p, row);
    row->seen = r->ticks;
    row->exited = p->exited;
    row->exited_ns = p->exited_ns;
    row->before = row->before || (at.first && p->exited);
    see_ns(&row->work.busy, p->busy_ns, at.first);
    see_power(&row->work, &p->power, at.first);
    if (works && row->lane == 0 && !at.first) {
        find_lane(r, row);
    }
    if (row->lane == 0) {
        return share;
    }
    struct report_lane *lane = &r->lanes[row->lane - 1];
    lane->total = report_within(&row->work.busy);
    if (!p->exited) {
        put_value(r, at, &lane->busy, p->busy_ppm, 1e-4);
    }
    return 0;
}

/* ---- the whole ------------------------------------------------------------------------------ */

void report_tick(struct report *r, const struct snapshot *s) {
    struct stretch at;
    uint32_t rowless = 0;
    double other = 0;
    struct span wanted = r->options.query.device;
    if (!advance(r, s, &at)) {
        return;
    }
    for (uint32_t i = 0; i < s->device_count; i++) {
        if (wanted.n > 0 && !table_device_matches(s, i, wanted)) {
            continue;
        }
        uint32_t device = device_at(r, s, i);
        if (device == MAP_NONE) {
            r->devices_more++;
            continue;
        }
        see_device(r, at, r->devices[device], s, &s->devices[i]);
        for (uint32_t k = 0; k < s->unattributed_count; k++) {
            if (s->unattributed[k].device == i) {
                see_loose(r->devices[device], at, s, &s->unattributed[k]);
            }
        }
        for (uint32_t k = 0; k < s->process_count; k++) {
            if (s->processes[k].device == i) {
                other += see_process(r, at, s, &s->processes[k], device);
                rowless += map_get(&r->row_at, key_of(&s->processes[k], device)) == MAP_NONE;
            }
        }
    }
    if (other > 0 || r->other.sum) {
        put(r, at, &r->other, STATE_VALUE, other);
    }
    r->rows_more = rowless > r->rows_more ? rowless : r->rows_more;
    r->devices_denied = s->devices_denied;
    if (s->unreadable >= r->unreadable) {
        r->unreadable = s->unreadable;
        memcpy(r->unreadable_reasons, s->unreadable_reasons, sizeof r->unreadable_reasons);
    }
}
