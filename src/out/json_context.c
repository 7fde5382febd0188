/*
 * The hardware contexts of a row as JSON, each with its counters. Pure.
 */
#include "json_rows.h"

/* Of a name of a counter: its key leaves it out. */
#define FAMILY "counter."

static void put_counters(struct buf *b, const struct snapshot *s, struct run run) {
    struct json_object o;
    json_open(&o, b, "counters");
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_metric *m = &s->metrics[run.first + i];
        const struct metric_info *info = metric_info(m->metric);
        bool family = span_starts(span_of(info->name), FAMILY);
        json_metric(&o, info->name + (family ? sizeof FAMILY - 1 : 0), m->value, info);
    }
    json_close(&o);
}

static void put_context(struct buf *b, const struct snapshot *s, const struct snap_context *c) {
    struct json_object o;
    json_open(&o, b, NULL);
    json_u64(&o, "context", c->context);
    if (c->tagged) {
        json_u64(&o, "tag", c->tag);
    } else {
        json_null(&o, "tag", STATE_UNSUPPORTED);
    }
    json_value(&o, "busy_pct", c->busy_ppm, 4);
    json_value(&o, "busy_s", c->busy_ns, 9);
    put_counters(b, s, c->counters);
    json_close(&o);
}

void json_contexts(struct buf *b, const struct snapshot *s, struct run run) {
    if (run.count == 0) {
        return;
    }
    json_array_open(b, "contexts");
    for (uint32_t i = 0; i < run.count; i++) {
        put_context(b, s, &s->contexts[run.first + i]);
    }
    json_array_close(b);
}
