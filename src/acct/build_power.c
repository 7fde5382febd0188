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

static void put_energy(const struct build *b, const struct device *d, double watts,
                       const struct sum *joules, uint8_t doubt, struct snap_power *p) {
    bool whole = b->a->options.whole_span;
    double seconds = (double)b->s->interval_ns.v * 1e-9;
    p->joules = energy_joules(d, joules, doubt);
    p->watts = energy_watts(b->a, d, watts, doubt);
    if (whole && p->joules.state == STATE_VALUE && interval_known(b))
        p->watts = real_of(p->joules.v / seconds, p->joules.doubt);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_row(const struct build *b, const struct row *r, struct value busy_ppm,
                      struct snap_power *p) {
    const struct device *d = device_at(b->a, r->device);
    bool known = busy_ppm.state == STATE_VALUE || r->jobs;
    p->pw = pw_of(b, &r->now, p, device_is_priceable(d), known);
    put_energy(b, d, r->watts, &r->joules, d->energy.doubt, p);
    p->method = method_of(p, METHOD_SHARED);
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

/* What belongs to nobody costs what the device's clocks say. */
static void take_loose(struct build *b, struct device *d) {
    struct total more = {.busy_ns = d->loose_now_ns, .measured = true};
    if (d->loose_now_ns <= 0)
        return;
    price_loose(d, &more);
    total_add(&d->loose, &more);
    work_add(&d->loose_now, b->a->now.seq, &more);
    work_add(&d->loose_pending, 0, &more);
}

static void write_device(struct build *b, const struct device *d, struct snap_device *out) {
    struct snap_power *p = &out->power;
    struct total all = {0};
    unsigned states = 0;
    for (uint32_t i = 0; i < out->engines.count; i++)
        states |= STATE_BIT(b->engines[out->engines.first + i].busy_ns.state);
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link)
        total_add(&all, &engine_name_at(b->a, i)->total);
    struct value busy = states & STATE_BIT(STATE_VALUE) ? value_of(all.busy_ns, all.doubt)
                        : states                        ? value_none(state_without_value(states))
                                                        : value_none(STATE_UNKNOWN);
    p->pws = build_price(&all, busy, device_is_priceable(d));
    p->unpriced_ns = build_unpriced(&all, busy);
    p->pw = pw_of(b, &d->now, p, device_is_priceable(d), busy.state == STATE_VALUE);
    put_energy(b, d, d->energy.watts, &d->energy.joules, 0, p);
    p->method = method_of(p, METHOD_MEASURED);
}

static void write_loose(const struct build *b, const struct device *d,
                        struct snap_unattributed *out) {
    struct snap_power *p = &out->power;
    p->pws = build_price(&d->loose, out->busy_ns, device_is_priceable(d));
    p->unpriced_ns = build_unpriced(&d->loose, out->busy_ns);
    p->pw = pw_of(b, &d->loose_now, p, device_is_priceable(d), out->busy_ppm.state == STATE_VALUE);
    put_energy(b, d, d->energy.loose_watts, &d->energy.loose_joules, d->energy.doubt, p);
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
    put_energy(b, d, d->energy.floor_watts, &d->energy.floor_joules, d->energy.doubt, p);
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

/* Busy time of this tick, of the busiest engine and of nobody. */
static int64_t busy_now_ns(const struct build *b, const struct device *d) {
    int64_t most = 0;
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link) {
        const struct engine_name *n = engine_name_at(b->a, i);
        int64_t ns = n->work.seq == b->a->now.seq ? n->work.busy_ns / n->capacity : 0;
        most = ns > most ? ns : most;
    }
    return add_sat(most, d->loose_now_ns);
}

/* In this tick: what is shown as busy may be the mean over the whole span. */
static bool is_idle(const struct build *b, const struct device *d, struct value busy) {
    const struct acct_now *now = &b->a->now;
    if (busy.state != STATE_VALUE)
        return false;
    if (!b->a->options.whole_span)
        return busy.v < IDLE_PPM;
    int64_t last = now->has_previous ? span_ns(now->previous_ns, now->begin_ns) : 0;
    return busy_now_ns(b, d) < mul_div(last, IDLE_PPM, PPM);
}

void build_power(struct build *b) {
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
