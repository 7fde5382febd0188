/*
 * A device as JSON: its identity, and its metrics with those of its engines and memory regions, which
 * are sums over its clients. Pure.
 */
#include "json_rows.h"

/* Where sums over clients come from. */
#define CLIENTS "fdinfo"
#define JOBS    "jobs"

static void json_metric_head(struct json_object *o, unsigned metric, struct value v) {
    const struct metric_info *info = metric_info(metric);
    json_word(o, "metric", info->name);
    json_metric(o, "value", v, info);
    json_word(o, "unit", unit_name(info->unit));
}

static void put_metric(struct buf *b, const struct snapshot *s, const struct snap_metric *m) {
    struct json_object o;
    struct span name = snapshot_text(s, m->name);
    struct span source = snapshot_text(s, m->source);
    bool engine = span_starts(span_of(metric_info(m->metric)->name), "engine.");
    json_open(&o, b, NULL);
    json_metric_head(&o, m->metric, m->value);
    if (m->index != INDEX_NONE) {
        json_u64(&o, "index", m->index);
    }
    if (name.n > 0) {
        json_text(&o, engine ? "engine" : "label", name);
    }
    if (engine && m->class != CLASS_NONE) {
        json_word(&o, "class", engine_class_name(m->class));
    }
    if (source.n > 0) {
        json_text(&o, "source", source);
    }
    json_close_single(&o);
}

static void put_engine(struct buf *b, const struct snapshot *s, const struct snap_engine *e) {
    struct json_object o;
    json_open(&o, b, NULL);
    json_metric_head(&o, METRIC_ENGINE_BUSY, e->busy_ppm);
    json_text(&o, "engine", snapshot_text(s, e->name));
    json_word(&o, "class", engine_class_name(e->class));
    json_word(&o, "source", e->jobs ? JOBS : CLIENTS);
    json_close_single(&o);
}

/* What all clients hold; drivers that say it under the older key only are in it. */
static void put_region(struct buf *b, const struct snapshot *s, const struct snap_memory *m) {
    struct json_object o;
    json_open(&o, b, NULL);
    json_metric_head(&o, METRIC_MEMORY_RESIDENT, m->resident);
    json_text(&o, "region", snapshot_text(s, m->region));
    json_word(&o, "class", region_class_name(m->class));
    json_word(&o, "source", CLIENTS);
    json_close_single(&o);
}

static void put_metrics(struct buf *b, const struct snapshot *s, const struct snap_device *d) {
    for (uint32_t i = 0; i < d->metrics.count; i++) {
        put_metric(b, s, &s->metrics[d->metrics.first + i]);
    }
    for (uint32_t i = 0; i < d->engines.count; i++) {
        put_engine(b, s, &s->engines[d->engines.first + i]);
    }
    for (uint32_t i = 0; i < d->memory.count; i++) {
        put_region(b, s, &s->memory[d->memory.first + i]);
    }
}

void json_device_identity(struct json_object *o, const struct snapshot *s,
                          const struct snap_device *d) {
    json_text(o, "id", snapshot_text(s, d->id));
    json_text(o, "name", snapshot_text(s, d->name));
    json_text_or(o, "driver", snapshot_text(s, d->driver), STATE_UNKNOWN);
    json_text_or(o, "pci", snapshot_text(s, d->slot), STATE_UNSUPPORTED);
    json_word(o, "state", device_state_name(d->state));
}

void json_device(struct buf *b, const struct snapshot *s, const struct snap_device *d) {
    struct json_object o;
    json_open(&o, b, NULL);
    json_device_identity(&o, s, d);
    json_array_open(b, "metrics");
    if (d->state != DEVICE_ASLEEP && d->state != DEVICE_REMOVED) {
        put_metrics(b, s, d);
    }
    json_array_close(b);
    json_engines(b, s, d->engines);
    json_power(b, &d->power);
    if (d->counters != COUNTERS_NONE)
        json_word(&o, "counters", counters_state_name(d->counters));
    if (d->left_alone)
        json_bool(&o, "left_alone", true);
    if (d->kept_awake > 0)
        json_u64(&o, "kept_awake", d->kept_awake);
    json_close(&o);
}
