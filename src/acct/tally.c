/*
 * Rates of the tick, summed: clients to the row of their owner, rows to the engine of the device.
 * The clients of one engine may ask for more than there is (amdgpu counts the time that work
 * waits): then all of them are scaled down, and doubted. So over the processes the sum never passes
 * the device's, and that never passes 100 %. Pure.
 */
#include "build.h"

static void tally_add(struct tally *t, uint64_t seq, struct value v) {
    if (t->seq != seq)
        *t = (struct tally){.seq = seq};
    t->states |= (uint8_t)STATE_BIT(v.state);
    if (v.state != STATE_VALUE)
        return;
    t->sum_ppm = add_sat(t->sum_ppm, v.v);
    t->doubt |= v.doubt;
}

static void add_engine(struct acct *a, const struct client *c, struct engine *e, struct value v) {
    uint64_t seq = a->now.seq;
    if (e->row_engine == NONE)
        e->row_engine = row_engine_get(a, c->owner, e->name);
    if (e->row_engine == NONE)
        return;
    struct row_engine *r = row_engine_at(a, e->row_engine);
    r->live_ns = r->now.seq == seq ? r->live_ns : 0;
    r->live_ns = add_sat(r->live_ns, e->total.busy_ns - e->before_ns);
    tally_add(&r->now, seq, v);
}

static void add_client(struct acct *a, const struct client *c) {
    bool silent = true;
    for (uint32_t i = c->engines; i != NONE; i = engine_at(a, i)->link) {
        struct engine *e = engine_at(a, i);
        struct value v = engine_rate(a, c, e, e->before_ns);
        add_engine(a, c, e, v);
        silent = silent && v.state == STATE_UNSUPPORTED;
    }
    if (silent && !client_omits_zero(a, c) && c->read_seq == a->now.seq)
        device_at(a, c->device)->silent_clients++;
}

/* Clients that are no more: in the tick in which they ended, or over the whole span. */
static void add_ended(struct acct *a, struct row_engine *r) {
    uint64_t seq = a->now.seq;
    int64_t live_ns = r->now.seq == seq ? r->live_ns : 0;
    int64_t span = span_ns(a->now.first_ns, a->now.begin_ns);
    if (!a->options.whole_span) {
        if (r->extra_seq == seq)
            tally_add(&r->now, seq, value_of(r->extra_ppm, r->extra_doubt));
    } else if (r->total.measured && r->total.busy_ns > live_ns) {
        uint32_t capacity = engine_name_at(a, r->name)->capacity;
        tally_add(&r->now, seq,
                  engine_share(r->total.busy_ns - live_ns, span, capacity, r->total.doubt));
    }
}

static void add_row_engine(struct acct *a, struct row_engine *r) {
    add_ended(a, r);
    if (r->now.seq != a->now.seq)
        r->now = (struct tally){.seq = a->now.seq};
    struct tally *device = &engine_name_at(a, r->name)->now;
    device->states |= r->now.states;
    device->doubt |= r->now.doubt;
    device->sum_ppm = add_sat(device->sum_ppm, r->now.sum_ppm);
}

void build_tally(struct acct *a) {
    for (uint32_t i = 0; i < a->tables[T_DEVICE].n; i++)
        device_at(a, i)->silent_clients = 0;
    for (uint32_t i = 0; i < a->tables[T_ENGINE_NAME].n; i++)
        engine_name_at(a, i)->now = (struct tally){.seq = a->now.seq};
    for (uint32_t i = 0; i < a->tables[T_CLIENT_ORDER].n; i++)
        add_client(a, client_at(a, order_at(a, T_CLIENT_ORDER, i)->index));
    for (uint32_t i = 0; i < a->tables[T_ROW_ORDER].n; i++) {
        uint32_t e = row_at(a, order_at(a, T_ROW_ORDER, i)->index)->engines;
        for (; e != NONE; e = row_engine_at(a, e)->link)
            add_row_engine(a, row_engine_at(a, e));
    }
}

/* Cut, not rounded: parts may add up to less than the whole, never to more. */
struct value build_scaled(struct value v, const struct tally *device) {
    if (v.state != STATE_VALUE || device->sum_ppm <= PPM)
        return v;
    int64_t scaled =
        v.v > INT64_MAX / PPM ? v.v / (device->sum_ppm / PPM + 1) : v.v * PPM / device->sum_ppm;
    return value_of(scaled, (uint8_t)(v.doubt | DOUBT_CLAMPED | DOUBT_ESTIMATED));
}

struct value build_total(const struct total *t, struct value rate) {
    if (t->measured)
        return value_of(t->busy_ns, t->doubt);
    return value_none(rate.state == STATE_VALUE ? STATE_UNKNOWN : rate.state);
}
