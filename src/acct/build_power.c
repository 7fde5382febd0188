/*
 * What work cost, in a snapshot: once all rows and devices are written, since the share of one depends
 * on all others. Pure.
 */
#include "build.h"

/* A device that does less is idle. */
#define IDLE_PPM 10000

static bool interval_known(const struct build *b) {
    return b->s->interval_ns.state == STATE_VALUE && b->s->interval_ns.v > 0;
}

/* PW of what was done in this tick, or over the whole span. */
static struct real pw_of(const struct build *b, const struct work *now, const struct snap_power *p,
                         bool priceable, bool busy_known) {
    double seconds = (double)b->s->interval_ns.v * 1e-9;
    if (!priceable)
        return real_none(p->pws.state == STATE_VALUE ? STATE_UNKNOWN : p->pws.state);
    if (!interval_known(b))
        return real_none(STATE_UNKNOWN);
    if (b->a->options.whole_span)
        return p->pws.state == STATE_VALUE ? real_of(p->pws.v / seconds, p->pws.doubt) : p->pws;
    bool fresh = now->seq == b->a->now.seq;
    if (fresh && now->priced)
        return real_of(now->pws / seconds, now->doubt);
    if ((fresh && now->unpriced_ns > 0) || !busy_known)
        return real_none(STATE_UNKNOWN);
    return real_of(0, 0);
}

static uint8_t method_of(const struct snap_power *p, uint8_t of_energy) {
    if (p->watts.state == STATE_VALUE || p->joules.state == STATE_VALUE)
        return of_energy;
    if (p->pws.state != STATE_VALUE)
        return METHOD_NONE;
    return p->pws.doubt & DOUBT_ASSUMED_VOLTAGE ? METHOD_MODELLED : METHOD_PSEUDO;
}

/* `doubt` of W; J have that of all intervals. */
static void put_energy(const struct build *b, const struct device *d, double watts,
                       const struct sum *joules, uint8_t doubt, uint8_t joules_doubt,
                       struct snap_power *p) {
    bool whole = b->a->options.whole_span;
    double seconds = (double)b->s->interval_ns.v * 1e-9;
    unsigned all = (doubt & ~(unsigned)DOUBT_WAKING) | joules_doubt;
    p->joules = energy_joules(d, joules, (uint8_t)all);
    p->watts = energy_watts(b->a, d, watts, doubt);
    if (whole && p->joules.state == STATE_VALUE && interval_known(b))
        p->watts = real_of(p->joules.v / seconds, p->joules.doubt);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether it is known in this tick what was done for it. */
static bool is_known(const struct build *b, const struct row *r, struct value busy_ppm) {
    return busy_ppm.state == STATE_VALUE || (r->jobs && !session_is_silent(b->a, r->device));
}

static struct real known_only(struct real v, bool known, uint8_t why) {
    if (v.state != STATE_VALUE || known)
        return v;
    return real_none(why == STATE_VALUE ? STATE_UNKNOWN : why);
}

static void write_row(const struct build *b, const struct row *r, struct value busy_ppm,
                      struct snap_power *p) {
    const struct device *d = device_at(b->a, r->device);
    bool whole = b->a->options.whole_span;
    p->pw = pw_of(b, &r->now, p, device_is_priceable(d), is_known(b, r, busy_ppm));
    put_energy(b, d, r->watts, &r->joules, d->energy.doubt, r->joules_doubt, p);
    bool counted = r->joules_known || r->jobs;
    bool known = whole ? counted : r->watts_known || r->jobs;
    p->watts = known_only(p->watts, known, busy_ppm.state);
    p->joules = known_only(p->joules, counted, busy_ppm.state);
    p->method = method_of(p, METHOD_SHARED);
}

/* Before energy is shared: of which rows is known what was done for them. */
static void see_row(const struct build *b, struct row *r, struct value busy_ppm) {
    bool known = is_known(b, r, busy_ppm);
    if (known || !r->gone)
        r->seen = known;
}

static void see_rows(struct build *b) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < b->a->tables[T_ROW_ORDER].n; i++) {
        struct row *r = row_at(b->a, order_at(b->a, T_ROW_ORDER, i)->index);
        bool stray = process_at(b->a, r->process)->stray;
        see_row(b, r,
                stray ? device_at(b->a, r->device)->stray.busy_ppm : b->processes[at++].busy_ppm);
    }
}

static void write_rows(struct build *b) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < b->a->tables[T_ROW_ORDER].n; i++) {
        const struct row *r = row_at(b->a, order_at(b->a, T_ROW_ORDER, i)->index);
        if (process_at(b->a, r->process)->stray)
            continue;
        struct snap_process *p = &b->processes[at++];
        write_row(b, r, p->busy_ppm, &p->power);
    }
}

/* ---- devices --------------------------------------------------------------------------------- */

/* What belongs to nobody costs what the device's clocks say: of this tick, and of all the time that was
 * held open. */
static void take_loose(struct build *b, struct device *d) {
    struct total now = {.busy_ns = d->loose_now_ns, .measured = true};
    struct total new = {.busy_ns = d->loose_new_ns, .measured = true};
    if (now.busy_ns > 0) {
        price_loose(d, &d->gfx.before, span_ns(d->gfx.before_ns, d->gfx.t_ns), &now);
        work_add(&d->loose_now, b->a->now.seq, &now);
        work_add(&d->loose_pending, 0, &now);
    }
    if (new.busy_ns > 0) {
        price_loose(d, &d->held_mark, d->held_ns, &new);
        total_add(&d->loose, &new);
    }
}

static void write_device(struct build *b, const struct device *d, struct snap_device *out) {
    struct snap_power *p = &out->power;
    struct total all = {0};
    unsigned states = 0;
    for (uint32_t i = 0; i < out->engines.count; i++)
        states |= STATE_BIT(b->engines[out->engines.first + i].busy_ns.state);
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link)
        total_add(&all, &engine_name_at(b->a, i)->total);
    struct value busy = (states & STATE_BIT(STATE_VALUE)) ? value_of(all.busy_ns, all.doubt)
                        : states                          ? value_none(state_without_value(states))
                                                          : value_none(STATE_UNKNOWN);
    p->pws = build_price(&all, busy, device_is_priceable(d));
    p->unpriced_ns = build_unpriced(&all, busy);
    bool known = false;
    for (uint32_t i = 0; i < out->engines.count; i++)
        known = known || b->engines[out->engines.first + i].busy_ppm.state == STATE_VALUE;
    p->pw = pw_of(b, &d->now, p, device_is_priceable(d), known);
    if (!known && !b->a->options.whole_span && p->pw.state == STATE_VALUE)
        p->pw = real_none(STATE_UNKNOWN); /* what was done before it fell asleep is no rate of it */
    const struct energy *e = &d->energy;
    put_energy(b, d, e->watts, &e->joules, e->read_doubt, e->joules_doubt, p);
    p->method = method_of(p, METHOD_MEASURED);
}

static void write_loose(const struct build *b, const struct device *d,
                        struct snap_unattributed *out) {
    struct snap_power *p = &out->power;
    p->pws = build_price(&d->loose, out->busy_ns, device_is_priceable(d));
    p->unpriced_ns = build_unpriced(&d->loose, out->busy_ns);
    p->pw = pw_of(b, &d->loose_now, p, device_is_priceable(d), out->busy_ppm.state == STATE_VALUE);
    const struct energy *e = &d->energy;
    put_energy(b, d, e->loose_watts, &e->loose_joules, e->doubt, e->joules_doubt, p);
    /* It got nothing, and nobody knows what it did. */
    if (!b->a->options.whole_span && e->loose_watts <= 0 && out->busy_ppm.state == STATE_UNKNOWN)
        p->watts = known_only(p->watts, false, STATE_UNKNOWN);
    p->method = method_of(p, METHOD_SHARED);
}

/* Until an idle moment was seen nobody knows what the device draws then: it is shared with all the rest. */
static void write_floor(const struct build *b, const struct device *d,
                        struct snap_unattributed *out) {
    *out = (struct snap_unattributed){.device = d->rank, .name = b->a->now.floor_name};
    out->busy_ppm = value_none(STATE_UNSUPPORTED);
    out->busy_ns = value_none(STATE_UNSUPPORTED);
    struct snap_power *p = &out->power;
    p->pw = real_none(STATE_UNSUPPORTED);
    p->pws = real_none(STATE_UNSUPPORTED);
    p->unpriced_ns = value_none(STATE_UNSUPPORTED);
    const struct energy *e = &d->energy;
    put_energy(b, d, e->floor_watts, &e->floor_joules, e->doubt, e->joules_doubt, p);
    if (!d->energy.had_floor && p->joules.state == STATE_VALUE)
        p->joules = real_none(STATE_UNKNOWN);
    bool known = b->a->options.whole_span ? d->energy.had_floor : d->energy.has_floor;
    if (!known && p->watts.state == STATE_VALUE)
        p->watts = real_none(STATE_UNKNOWN);
    p->method = method_of(p, METHOD_MEASURED);
}

static void write_stray(const struct build *b, const struct device *d,
                        struct snap_unattributed *out) {
    *out = d->stray;
    out->device = d->rank;
    out->name = b->a->now.stray_name;
    write_row(b, row_at(b->a, d->stray_row), out->busy_ppm, &out->power);
}

/* Rows without a process, of one device after the other. */
static void write_loose_rows(struct build *b) {
    b->s->unattributed_count = 0;
    for (uint32_t i = 0; i < b->a->tables[T_DEVICE_ORDER].n; i++) {
        struct device *d = device_at(b->a, order_at(b->a, T_DEVICE_ORDER, i)->index);
        struct snap_unattributed *out = &b->unattributed[b->s->unattributed_count++];
        *out = d->loose_row;
        write_loose(b, d, out);
        if (d->energy.metric != NONE)
            write_floor(b, d, &b->unattributed[b->s->unattributed_count++]);
        if (d->stray_row != NONE)
            write_stray(b, d, &b->unattributed[b->s->unattributed_count++]);
    }
}

/* ---- idle or not ----------------------------------------------------------------------------- */

/* Its own sensor says that it is busy, or says something just after a wake. One that is stuck says
 * nothing. */
static bool sensor_objects(const struct build *b, const struct device *d) {
    if (d->activity == NONE)
        return false;
    struct value v = metric_told(b->a, metric_at(b->a, d->activity)).value;
    if (v.state != STATE_VALUE || (v.doubt & DOUBT_STUCK))
        return false;
    return v.v >= IDLE_PPM || (v.doubt & DOUBT_WAKING);
}

/* A client seen for the first time that worked before: perhaps just now. */
static bool is_new_worker(const struct build *b, const struct client *c) {
    if (c->first_seq != b->a->now.seq || c->read_seq != b->a->now.seq)
        return false;
    for (uint32_t i = c->engines; i != NONE; i = engine_at(b->a, i)->link) {
        const struct engine *e = engine_at(b->a, i);
        if (!e->jobs && !e->total.measured && (e->time.mark > 0 || e->cycles.mark > 0))
            return true;
    }
    return false;
}

/* Some engine worked for clients, whatever the sensor watches; or it is not known whether. */
static bool clients_object(const struct build *b, const struct device *d) {
    const struct acct_now *now = &b->a->now;
    int64_t last = now->has_previous ? span_ns(now->previous_ns, now->begin_ns) : 0;
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link) {
        const struct engine_name *n = engine_name_at(b->a, i);
        int64_t ns = n->work.seq == now->seq ? n->work.busy_ns / n->capacity : 0;
        if (ns >= mul_div(last, IDLE_PPM, PPM))
            return true;
    }
    for (uint32_t i = d->clients; i != NONE; i = client_at(b->a, i)->link)
        if (is_new_worker(b, client_at(b->a, i)))
            return true;
    return build_owes_work(b, d);
}

/* In this tick: what is shown as busy may be the mean over the whole span. */
static bool is_idle(const struct build *b, const struct device *d, struct value busy) {
    return busy.state == STATE_VALUE && !sensor_objects(b, d) && !clients_object(b, d);
}

void build_power(struct build *b) {
    see_rows(b);
    for (uint32_t i = 0; i < b->a->tables[T_DEVICE_ORDER].n; i++) {
        uint32_t device = order_at(b->a, T_DEVICE_ORDER, i)->index;
        struct device *d = device_at(b->a, device);
        struct value busy = b->devices[i].busy_ppm;
        take_loose(b, d);
        energy_look(b->a, device, is_idle(b, d, busy));
        write_device(b, d, &b->devices[i]);
    }
    write_rows(b);
    write_loose_rows(b);
}
