/*
 * What a device did for none of its processes: its own busy sensor less what they are known to have
 * used. Pure.
 */
#include "build.h"

/* The sensor in this tick, as far as it can be trusted: with a doubt it is still a value, but not
 * while it is stuck or the device was woken just now. */
static struct value activity_of(const struct build *b, const struct device *d) {
    const uint8_t bad = DOUBT_STUCK | DOUBT_WAKING;
    if (d->state == DEVICE_ASLEEP)
        return value_none(STATE_UNKNOWN);
    if (d->activity == NONE || d->state == DEVICE_REMOVED)
        return value_none(STATE_UNSUPPORTED);
    struct told told = metric_told(b->a, metric_at(b->a, d->activity));
    struct value v = told.value;
    bool fresh = told.by && told.by->seq == b->a->now.seq;
    if (!device_is_awake(d) || !fresh || (v.state == STATE_VALUE && (v.doubt & bad)))
        return value_none(STATE_UNKNOWN);
    if (v.state == STATE_VALUE && (v.v < 0 || v.v > PPM))
        v = value_of(v.v < 0 ? 0 : PPM, (uint8_t)(v.doubt | DOUBT_CLAMPED));
    return v;
}

/* Busy share of the engines that such a sensor watches, over all clients. Unknown: of none of those
 * that there are. */
static struct value attributed(const struct build *b, const struct device *d) {
    struct value sum = value_of(0, 0);
    unsigned states = 0;
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link) {
        const struct engine_name *n = engine_name_at(b->a, i);
        if (!n->told || (n->class != CLASS_GRAPHICS && n->class != CLASS_COMPUTE))
            continue;
        struct value v = build_engine_sum(b, d, n);
        states |= STATE_BIT(v.state);
        if (v.state != STATE_VALUE)
            continue;
        sum.v = add_sat(sum.v, v.v);
        sum.doubt |= v.doubt;
    }
    if (states && !(states & STATE_BIT(STATE_VALUE)))
        sum.state = STATE_UNKNOWN;
    return sum;
}

static int64_t less(int64_t all, int64_t part) {
    return all > part ? all - part : 0;
}

/* The same as attributed(), of this tick in ns: what is asked for may be the whole span. */
static int64_t attributed_now_ns(const struct acct *a, const struct device *d) {
    int64_t sum = 0;
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(a, i)->link) {
        const struct engine_name *n = engine_name_at(a, i);
        bool watched = n->class == CLASS_GRAPHICS || n->class == CLASS_COMPUTE;
        if (watched && n->work.seq == a->now.seq)
            sum = add_sat(sum, n->work.busy_ns / n->capacity);
    }
    return sum;
}

/* Ticks for which it may stay open whose work it was. */
#define HELD_TICKS 12

/* A client that was read before, and is not in this tick: what it did comes with its next reading. */
static bool owes_work(const struct acct *a, const struct client *c) {
    if (c->context != NONE || c->read_seq == 0 || c->read_seq == a->now.seq)
        return false;
    for (uint32_t i = c->engines; i != NONE; i = engine_at(a, i)->link)
        if (engine_at(a, i)->told && !engine_at(a, i)->jobs)
            return true;
    return false;
}

bool build_owes_work(const struct build *b, const struct device *d) {
    for (uint32_t i = d->clients; i != NONE; i = client_at(b->a, i)->link)
        if (owes_work(b->a, client_at(b->a, i)))
            return true;
    return false;
}

/* A total never steps back: what may turn out to be a client's is not added until that is read. */
static void add_held(struct build *b, struct device *d, int64_t seen_ns, int64_t last_ns) {
    d->held_activity_ns = add_sat(d->held_activity_ns, seen_ns);
    d->held_clients_ns = add_sat(d->held_clients_ns, attributed_now_ns(b->a, d));
    d->held_ns = add_sat(d->held_ns, last_ns);
    d->held_ticks++;
    if (d->held_ticks < HELD_TICKS && build_owes_work(b, d))
        return;
    d->loose_new_ns =
        d->held_ticks > 1 ? less(d->held_activity_ns, d->held_clients_ns) : d->loose_now_ns;
    d->held_activity_ns = d->held_clients_ns = 0;
    d->held_ticks = 0;
}

/* The sensor's share as one of the tick: of hardware counters it is one of the time that they cover, which may be less,
 * or (read late) more. */
static struct value share_of_tick(const struct build *b, const struct device *d,
                                  struct value activity) {
    const struct acct_now *now = &b->a->now;
    int64_t last = span_ns(now->has_previous ? now->previous_ns : now->begin_ns, now->begin_ns);
    if (activity.state != STATE_VALUE || d->activity == NONE || last <= 0)
        return activity;
    const struct metric_entry *busy = metric_at(b->a, d->activity);
    uint32_t time = metric_find(b->a, busy->device, METRIC_COUNTER_GPU_TIME);
    if (time == NONE)
        return activity;
    struct told all = metric_told(b->a, busy);
    struct told part = metric_told(b->a, metric_at(b->a, time));
    if (all.by && part.by && part.by->origin == all.by->origin && part.by->seq == now->seq &&
        part.value.state == STATE_VALUE)
        activity.v = mul_div(activity.v, part.value.v, last);
    return activity;
}

/* What was nobody's in this tick, and so far. */
static void add_tick(struct build *b, struct device *d, struct value activity, struct value sum) {
    const struct acct_now *now = &b->a->now;
    int64_t last = span_ns(now->has_previous ? now->previous_ns : now->begin_ns, now->begin_ns);
    bool seen = activity.state == STATE_VALUE && last > 0;
    int64_t seen_ns = seen ? mul_div(activity.v, last, PPM) : 0;
    d->loose_now_ns = d->loose_new_ns = 0;
    if (d->held_ticks == 0) {
        d->held_mark = d->gfx.before;
        d->held_ns = 0;
    }
    if (seen && b->a->options.whole_span)
        d->loose_now_ns = less(seen_ns, attributed_now_ns(b->a, d));
    else if (seen)
        d->loose_now_ns = mul_div(less(activity.v, sum.v), last, PPM);
    d->activity_ns = add_sat(d->activity_ns, seen_ns);
    d->unattributed_doubt |= seen ? activity.doubt | sum.doubt : 0;
    add_held(b, d, seen_ns, last);
    d->unattributed_ns = add_sat(d->unattributed_ns, d->loose_new_ns);
    if (d->held_ticks == 0 && (seen || d->loose_new_ns > 0))
        d->unattributed_measured = true;
}

static struct value busy_of_tick(const struct build *b, struct value activity, struct value sum) {
    if (activity.state != STATE_VALUE)
        return activity;
    if (b->s->interval_ns.state != STATE_VALUE)
        return value_none(STATE_UNKNOWN);
    int64_t loose = less(activity.v, sum.v);
    return value_of(loose > PPM ? PPM : loose, (uint8_t)(activity.doubt | sum.doubt));
}

static struct value share_of_span(const struct build *b, int64_t ns, uint8_t doubt) {
    int64_t ppm = mul_div(ns, PPM, b->s->interval_ns.v);
    return value_of(ppm > PPM ? PPM : ppm, doubt);
}

/* Over the whole span too it is what the ticks come to, as its price and its energy are: what clients did
 * in one of them is no answer to what the sensor saw in another. `activity` becomes the mean. */
static void write_busy(struct build *b, struct device *d, struct value *activity, struct value sum,
                       struct snap_unattributed *out) {
    bool whole = b->a->options.whole_span && b->s->interval_ns.state == STATE_VALUE;
    struct value of_tick = share_of_tick(b, d, *activity);
    add_tick(b, d, of_tick, sum);
    if (whole && d->unattributed_measured)
        out->busy_ppm = share_of_span(b, d->unattributed_ns, d->unattributed_doubt);
    else
        out->busy_ppm = busy_of_tick(b, of_tick, sum);
    if (whole && activity->state == STATE_VALUE)
        *activity = share_of_span(b, d->activity_ns, activity->doubt);
    const struct total total = {.busy_ns = d->unattributed_ns,
                                .measured = d->unattributed_measured,
                                .doubt = d->unattributed_doubt};
    out->busy_ns = build_total(&total, out->busy_ppm);
}

/* The driver says that it counts no engine time. */
static bool counts_no_time(const struct build *b, const struct device *d) {
    uint32_t device = order_at(b->a, T_DEVICE_ORDER, d->rank)->index;
    uint32_t m = metric_find(b->a, device, METRIC_PROFILING);
    struct value v =
        m == NONE ? value_none(STATE_UNKNOWN) : metric_told(b->a, metric_at(b->a, m)).value;
    return v.state == STATE_VALUE && v.v == 0;
}

void build_loose(struct build *b, struct device *d, struct value *activity) {
    struct snap_unattributed *out = &d->loose_row;
    struct value sum = attributed(b, d);
    if (d->activity != NONE && b->s->interval_ns.state == STATE_VALUE)
        metric_watch(b->a, metric_at(b->a, d->activity), sum, d->silent_clients > 0);
    *activity = activity_of(b, d);
    *out = (struct snap_unattributed){.device = d->rank};
    out->name = b->a->now.unattributed_name;
    if (d->state == DEVICE_ASLEEP)
        out->reasons |= UINT64_C(1) << REASON_ASLEEP;
    else if (activity->state == STATE_UNSUPPORTED)
        out->reasons |= UINT64_C(1) << REASON_NO_SENSOR;
    if (counts_no_time(b, d))
        out->reasons |= UINT64_C(1) << REASON_PROFILING_OFF;
    if (b->a->now.unreadable > 0)
        out->reasons |= UINT64_C(1) << REASON_UNREADABLE;
    if (d->silent_clients > 0)
        out->reasons |= UINT64_C(1) << REASON_NO_ENGINE_TIME;
    write_busy(b, d, activity, sum, out);
}
