/*
 * The devices of a snapshot. Pure.
 */
#include "build.h"

/* A sensor that says less is that of an idle device. */
#define IDLE_PPM 10000

/* Of a device that sleeps or is gone nothing is known. */
static void write_metrics(struct build *b, const struct device *d, struct snap_device *out) {
    const struct acct *a = b->a;
    uint32_t count = device_is_awake(d) ? d->metric_count : 0;
    out->metrics = (struct run){b->s->metric_count, 0};
    for (uint32_t i = 0; i < count; i++) {
        const struct metric_entry *m =
            metric_at(a, order_at(a, T_METRIC_ORDER, d->metric_first + i)->index);
        struct told told = metric_told(a, m);
        if (!told.by)
            continue;
        struct snap_metric *to = &b->metrics[b->s->metric_count++];
        to->value = told.value;
        to->name = word_ref(a, told.by->word);
        to->source = word_ref(a, origin_at(a, told.by->origin)->word);
        to->metric = m->metric;
        to->index = m->index;
        to->class = told.by->class;
        out->metrics.count++;
    }
}

/* Where the sensor cannot be trusted the clients are asked; where these say nothing, it is shown
 * with its doubt. */
static struct value busy_of(const struct build *b, const struct device *d, struct value activity,
                            struct value engines) {
    if (activity.state == STATE_VALUE)
        return activity;
    if (engines.state == STATE_VALUE || d->activity == NONE || !device_is_awake(d))
        return engines;
    struct told told = metric_told(b->a, metric_at(b->a, d->activity));
    bool fresh = told.by && told.by->seq == b->a->now.seq;
    return fresh && told.value.state == STATE_VALUE ? told.value : engines;
}

static void write_use(const struct device *d, struct value activity, struct snap_device *out) {
    bool used = d->used || (activity.state == STATE_VALUE && activity.v >= IDLE_PPM);
    out->left_alone = device_left_alone(d);
    out->kept_awake = used ? 0 : d->kept_awake;
}

void build_devices(struct build *b) {
    for (uint32_t i = 0; i < b->a->tables[T_DEVICE_ORDER].n; i++) {
        uint32_t device = order_at(b->a, T_DEVICE_ORDER, i)->index;
        struct device *d = device_at(b->a, device);
        struct snap_device *out = &b->devices[b->s->device_count++];
        struct value activity;
        out->subject = d->subject;
        out->id = d->id;
        out->name = d->name;
        out->driver = d->driver;
        out->slot = d->slot;
        out->nodes = d->nodes;
        out->state = d->state;
        out->counters = b->a->now.counters_asked ? d->counters : COUNTERS_NONE;
        out->clients = d->client_count - d->contexts;
        build_device_engines(b, d, out);
        build_device_memory(b, device, out);
        build_loose(b, d, &activity);
        write_metrics(b, d, out);
        out->busy_ppm = busy_of(b, d, activity, out->busy_ppm);
        write_use(d, activity, out);
    }
}
