/*
 * What work cost, and which engines did it, as JSON: of devices, processes, and what belongs to none.
 * Pure.
 */
#include "json_rows.h"

void json_power(struct buf *b, const struct snap_power *p) {
    const char *method = power_method_name(p->method);
    struct json_object o;
    json_open(&o, b, "power");
    json_real(&o, "PW", p->pw);
    json_real(&o, "PWs", p->pws);
    json_value(&o, "unpriced_s", p->unpriced_ns, 9);
    json_real(&o, "W", p->watts);
    json_real(&o, "J", p->joules);
    if (method[0]) {
        json_word(&o, "method", method);
    } else {
        /* It follows from the figures: where none is told, there is none. */
        json_null(&o, "method",
                  p->pws.state == STATE_VALUE ? STATE_UNSUPPORTED : (enum state)p->pws.state);
    }
    json_close(&o);
}

void json_engines(struct buf *b, const struct snapshot *s, struct run run) {
    json_array_open(b, "engines");
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_engine *e = &s->engines[run.first + i];
        struct json_object o;
        json_open(&o, b, NULL);
        json_text(&o, "name", snapshot_text(s, e->name));
        json_word(&o, "class", engine_class_name(e->class));
        json_value(&o, "busy_pct", e->busy_ppm, 4);
        json_value(&o, "busy_s", e->busy_ns, 9);
        json_real(&o, "PWs", e->pws);
        json_value(&o, "unpriced_s", e->unpriced_ns, 9);
        json_close(&o);
    }
    json_array_close(b);
}
