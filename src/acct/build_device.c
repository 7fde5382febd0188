/*
 * The devices of a snapshot, and the row of each for what belongs to none of its processes. Pure.
 */
#include "build.h"

/* ---- engines, memory, metrics ---------------------------------------------------------------- */

/* Where nobody has the engine open the sum over clients is 0; in the first tick no rate is known.
 * */
static struct value engine_value(const struct build *b, const struct tally *t) {
    unsigned bits = t->states;
    if (bits == 0 && b->s->interval_ns.state == STATE_VALUE)
        bits = STATE_BIT(STATE_VALUE);
    uint8_t state = state_of_bits(bits);
    if (state != STATE_VALUE)
        return value_none(state);
    return build_scaled(value_of(t->sum_ppm, t->doubt), t);
}

static struct value busiest(struct value a, struct value b) {
    if (a.state == STATE_VALUE && b.state == STATE_VALUE)
        return b.v > a.v ? b : a;
    if (a.state == STATE_VALUE || b.state == STATE_VALUE)
        return a.state == STATE_VALUE ? a : b;
    return value_none(state_of_bits(STATE_BIT(a.state) | STATE_BIT(b.state)));
}

static void write_engines(struct build *b, const struct device *d, struct snap_device *out) {
    out->engines = (struct run){b->s->engine_count, 0};
    out->busy_ppm = value_none(d->clients == NONE ? STATE_UNKNOWN : STATE_UNSUPPORTED);
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link) {
        const struct engine_name *n = engine_name_at(b->a, i);
        struct snap_engine *to = &b->engines[b->s->engine_count++];
        to->name = n->name;
        to->class = n->class;
        to->capacity = n->capacity;
        to->busy_ppm = engine_value(b, &n->now);
        to->busy_ns = build_total(&n->total, to->busy_ppm);
        out->busy_ppm =
            out->engines.count == 0 ? to->busy_ppm : busiest(out->busy_ppm, to->busy_ppm);
        out->engines.count++;
    }
}

static void write_memory(struct build *b, const struct device *d, struct snap_device *out) {
    out->memory = (struct run){b->s->memory_count, 0};
    for (uint32_t i = d->regions; i != NONE; i = region_name_at(b->a, i)->link) {
        struct region_name *n = region_name_at(b->a, i);
        /* Where nobody holds any the sum is 0 of what the driver would tell. */
        for (unsigned field = 0; field < R_FIELDS; field++)
            if (n->device.states[field] == 0)
                n->device.states[field] = (uint8_t)STATE_BIT(
                    n->reported & (1u << field) ? STATE_VALUE : STATE_UNSUPPORTED);
        struct snap_memory *to = &b->memory[b->s->memory_count++];
        region_sum_write(&n->device, to);
        to->region = n->name;
        to->class = n->class;
        out->memory.count++;
    }
}

static struct text_ref source_name(const struct acct *a, uint16_t backend) {
    if (backend >= a->tables[T_SOURCE].n)
        return (struct text_ref){0, 0};
    return *((const struct text_ref *)a->tables[T_SOURCE].v + backend);
}

/* Of a device that sleeps or is gone nothing is known. */
static void write_metrics(struct build *b, const struct device *d, struct snap_device *out) {
    uint32_t count = d->state == DEVICE_ACTIVE || d->state == DEVICE_DENIED ? d->metric_count : 0;
    out->metrics = (struct run){b->s->metric_count, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = order_at(b->a, T_METRIC_ORDER, d->metric_first + i)->index;
        const struct metric_entry *m = metric_at(b->a, index);
        struct value v = metric_value(b->a, m);
        if (v.state == STATE_UNKNOWN && !m->ever)
            continue;
        struct snap_metric *to = &b->metrics[b->s->metric_count++];
        to->value = v;
        to->name = m->name;
        to->source = source_name(b->a, m->backend);
        to->metric = m->metric;
        to->index = m->index;
        to->class = m->class;
        out->metrics.count++;
    }
}

/* ---- what belongs to nobody ------------------------------------------------------------------ */

/* The device's own busy sensor in this tick. */
static struct value activity_of(const struct build *b, const struct device *d) {
    if (d->activity == NONE || d->state == DEVICE_REMOVED)
        return value_none(STATE_UNSUPPORTED);
    const struct metric_entry *m = metric_at(b->a, d->activity);
    struct value v = m->seq == b->a->now.seq ? m->value : value_none(STATE_UNKNOWN);
    if (v.state == STATE_VALUE && (v.v < 0 || v.v > PPM))
        v = value_of(v.v < 0 ? 0 : PPM, (uint8_t)(v.doubt | DOUBT_CLAMPED));
    return v;
}

/* Busy share of the engines that such a sensor watches, over all processes. */
static struct value attributed(const struct build *b, const struct device *d) {
    struct value sum = value_of(0, 0);
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link) {
        const struct engine_name *n = engine_name_at(b->a, i);
        struct value v = engine_value(b, &n->now);
        if ((n->class != CLASS_GRAPHICS && n->class != CLASS_COMPUTE) || v.state != STATE_VALUE)
            continue;
        sum.v = add_sat(sum.v, v.v);
        sum.doubt |= v.doubt;
    }
    return sum;
}

static int64_t less(int64_t all, int64_t part) {
    return all > part ? all - part : 0;
}

/* `activity` becomes the mean over the whole span where that is asked for. */
static void write_busy(struct build *b, struct device *d, struct value *activity,
                       struct snap_unattributed *out) {
    struct value sum = attributed(b, d);
    struct value interval = b->s->interval_ns;
    int64_t last = span_ns(b->a->now.has_previous ? b->a->now.previous_ns : b->a->now.begin_ns,
                           b->a->now.begin_ns);
    if (activity->state == STATE_VALUE && last > 0) {
        d->activity_ns = add_sat(d->activity_ns, mul_div(activity->v, last, PPM));
        d->unattributed_ns =
            add_sat(d->unattributed_ns, mul_div(less(activity->v, sum.v), last, PPM));
        d->unattributed_doubt |= activity->doubt | sum.doubt;
        d->unattributed_measured = true;
    }
    if (b->a->options.whole_span && activity->state == STATE_VALUE &&
        interval.state == STATE_VALUE) {
        activity->v = mul_div(d->activity_ns, PPM, interval.v);
        activity->v = activity->v > PPM ? PPM : activity->v;
        d->unattributed_ns = mul_div(less(activity->v, sum.v), interval.v, PPM);
    }
    out->busy_ppm = value_none(activity->state);
    if (activity->state == STATE_VALUE && interval.state != STATE_VALUE)
        out->busy_ppm = value_none(STATE_UNKNOWN);
    else if (activity->state == STATE_VALUE)
        out->busy_ppm = value_of(less(activity->v, sum.v), (uint8_t)(activity->doubt | sum.doubt));
    struct total total = {d->unattributed_ns, d->unattributed_measured, d->unattributed_doubt};
    out->busy_ns = build_total(&total, out->busy_ppm);
}

static void write_unattributed(struct build *b, struct device *d, struct value *activity) {
    struct snap_unattributed *out = &b->unattributed[b->s->unattributed_count++];
    out->device = d->rank;
    out->name = b->a->now.unattributed_name;
    out->reasons = 0;
    if (activity->state == STATE_UNSUPPORTED)
        out->reasons |= UINT64_C(1) << REASON_NO_SENSOR;
    if (b->a->now.unreadable > 0)
        out->reasons |= UINT64_C(1) << REASON_UNREADABLE;
    if (d->silent_clients > 0)
        out->reasons |= UINT64_C(1) << REASON_NO_ENGINE_TIME;
    write_busy(b, d, activity, out);
}

/* ---- devices --------------------------------------------------------------------------------- */

void build_devices(struct build *b) {
    for (uint32_t i = 0; i < b->a->tables[T_DEVICE_ORDER].n; i++) {
        struct device *d = device_at(b->a, order_at(b->a, T_DEVICE_ORDER, i)->index);
        struct snap_device *out = &b->devices[b->s->device_count++];
        struct value activity = activity_of(b, d);
        out->subject = d->subject;
        out->id = d->id;
        out->name = d->name;
        out->driver = d->driver;
        out->slot = d->slot;
        out->state = d->state;
        out->clients = d->client_count;
        write_engines(b, d, out);
        write_memory(b, d, out);
        write_metrics(b, d, out);
        write_unattributed(b, d, &activity);
        if (activity.state == STATE_VALUE)
            out->busy_ppm = activity;
    }
}
