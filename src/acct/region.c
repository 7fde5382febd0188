/*
 * Memory of clients by region, in bytes. Pure.
 *
 * Sums over several clients count what others can reach once: own memory (resident less shared, at
 * least 0) of each, and the largest shared. That is done within a process and over the processes of
 * a device; in a process no client's shared part counts beyond its resident one, so that one client
 * is shown as the kernel says. Where a driver tells the older key alone it stands for resident.
 */
#include "work.h"

/* ---- one region of one client ---------------------------------------------------------------- */

void region_work_out(const struct client *c, struct region *r, struct region_name *name,
                     uint64_t seq) {
    unsigned told = r->seq == seq ? r->have | r->bad : 0;
    if (r->seq == seq)
        name->reported |= r->have;
    if (!c->complete || told == (1u << R_FIELDS) - 1)
        return;
    for (unsigned field = 0; field < R_FIELDS; field++)
        if (!(told & (1u << field)))
            r->state[field] = ABSENT;
}

/* Drivers leave out a key when no buffer of the client is in that state: where this one ever told
 * it, it is 0. But what is resident is not guessed while there are buffers. */
static struct value absent(const struct region *r, const struct region_name *n, unsigned field) {
    bool told = n->reported & (1u << field);
    bool some = (r->state[R_TOTAL] == STATE_VALUE && r->v[R_TOTAL] > 0) ||
                (r->state[R_LEGACY] == STATE_VALUE && r->v[R_LEGACY] > 0);
    if (!told || (field == R_RESIDENT && some))
        return value_none(STATE_UNSUPPORTED);
    return value_of(0, 0);
}

OFTEN static struct value no_value(const struct region *r, const struct region_name *n,
                                   unsigned field) {
    return r->state[field] == ABSENT ? absent(r, n, field) : value_none(r->state[field]);
}

static inline struct value field_value(const struct region *r, const struct region_name *n,
                                       unsigned field) {
    return r->state[field] == STATE_VALUE ? value_of(r->v[field], 0) : no_value(r, n, field);
}

void region_write(const struct acct *a, const struct client *c, const struct region *r,
                  struct snap_memory *out) {
    const struct region_name *n = region_name_at(a, r->name);
    out->region = n->name;
    out->class = n->class;
    if (c->failed_seq == a->now.seq && c->read_seq != a->now.seq &&
        c->failed_state == STATE_DENIED) {
        out->total = out->resident = out->shared = out->purgeable = out->legacy =
            value_none(STATE_DENIED);
        return;
    }
    out->total = field_value(r, n, R_TOTAL);
    out->resident = field_value(r, n, R_RESIDENT);
    out->shared = field_value(r, n, R_SHARED);
    out->purgeable = field_value(r, n, R_PURGEABLE);
    out->legacy = field_value(r, n, R_LEGACY);
    if (out->resident.state != STATE_VALUE && out->legacy.state == STATE_VALUE)
        out->resident = out->legacy;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void add_shared(int64_t *own, int64_t *largest, struct value v, int64_t shared,
                       bool of_device) {
    if (v.state != STATE_VALUE)
        return;
    *own = add_sat(*own, v.v > shared ? v.v - shared : 0);
    *largest = larger(*largest, v.v < shared && !of_device ? v.v : shared);
}

/* Of a device the largest shared counts in full. */
void region_sum_add(struct region_sum *sum, const struct snap_memory *m, bool of_device) {
    int64_t shared = m->shared.state == STATE_VALUE ? m->shared.v : 0;
    sum->states[R_RESIDENT] |= (uint8_t)STATE_BIT(m->resident.state);
    sum->states[R_SHARED] |= (uint8_t)STATE_BIT(m->shared.state);
    sum->states[R_TOTAL] |= (uint8_t)STATE_BIT(m->total.state);
    sum->states[R_PURGEABLE] |= (uint8_t)STATE_BIT(m->purgeable.state);
    sum->states[R_LEGACY] |= (uint8_t)STATE_BIT(m->legacy.state);
    add_shared(&sum->resident_own, &sum->resident_shared, m->resident, shared, of_device);
    add_shared(&sum->legacy_own, &sum->legacy_shared, m->legacy, shared, of_device);
    if (m->total.state == STATE_VALUE)
        sum->total = add_sat(sum->total, m->total.v);
    if (m->purgeable.state == STATE_VALUE)
        sum->purgeable = add_sat(sum->purgeable, m->purgeable.v);
    sum->shared = larger(sum->shared, shared);
}

void region_sum_fold(struct region_sum *device, const struct region_sum *row) {
    device->resident_own = add_sat(device->resident_own, row->resident_own);
    device->resident_shared = larger(device->resident_shared, row->shared);
    device->legacy_own = add_sat(device->legacy_own, row->legacy_own);
    device->legacy_shared = larger(device->legacy_shared, row->shared);
    device->shared = larger(device->shared, row->shared);
    device->total = add_sat(device->total, row->total);
    device->purgeable = add_sat(device->purgeable, row->purgeable);
    for (unsigned field = 0; field < R_FIELDS; field++)
        device->states[field] |= row->states[field];
}

static struct value of_sum(const struct region_sum *sum, enum region_field field, int64_t v) {
    uint8_t state = state_of_bits(sum->states[field]);
    return state == STATE_VALUE ? value_of(v, 0) : value_none(state);
}

void region_sum_write(const struct region_sum *sum, struct snap_memory *out) {
    out->resident = of_sum(sum, R_RESIDENT, add_sat(sum->resident_own, sum->resident_shared));
    out->legacy = of_sum(sum, R_LEGACY, add_sat(sum->legacy_own, sum->legacy_shared));
    out->total = of_sum(sum, R_TOTAL, sum->total);
    out->shared = of_sum(sum, R_SHARED, sum->shared);
    out->purgeable = of_sum(sum, R_PURGEABLE, sum->purgeable);
}
