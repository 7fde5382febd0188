/*
 * A process on a device as JSON, and the rows that belong to no process. Pure.
 */
#include "json_rows.h"

static void put_memory(struct buf *b, const struct snapshot *s, struct run run) {
    json_array_open(b, "memory");
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_memory *m = &s->memory[run.first + i];
        /* The older key is another name of resident. */
        bool legacy = m->resident.state != STATE_VALUE && m->legacy.state == STATE_VALUE;
        struct json_object o;
        json_open(&o, b, NULL);
        json_text(&o, "region", snapshot_text(s, m->region));
        json_value(&o, "total_B", m->total, 0);
        json_value(&o, "resident_B", legacy ? m->legacy : m->resident, 0);
        json_value(&o, "shared_B", m->shared, 0);
        json_value(&o, "purgeable_B", m->purgeable, 0);
        json_close(&o);
    }
    json_array_close(b);
}

/* A process whose name was read has its other texts read as well: what is empty then is not there. */
static void put_identity(struct json_object *o, const struct snapshot *s,
                         const struct snap_process *p) {
    struct span name = snapshot_text(s, p->name);
    enum state empty = name.n > 0 ? STATE_UNSUPPORTED : STATE_UNKNOWN;
    struct value pid = {p->pid, STATE_VALUE, p->by_thread ? DOUBT_ESTIMATED : 0};
    json_value(o, "pid", pid, 0);
    json_value(o, "start_s", p->start_ns, 9);
    json_text_or(o, "name", name, STATE_UNKNOWN);
    json_text_or(o, "command", snapshot_text(s, p->command), empty);
    json_text_or(o, "user", snapshot_text(s, p->user), STATE_UNKNOWN);
    json_text_or(o, "container", snapshot_text(s, p->container), empty);
    json_bool(o, "exited", p->exited);
}

void json_process(struct buf *b, const struct snapshot *s, const struct snap_process *p) {
    struct json_object o;
    json_open(&o, b, NULL);
    put_identity(&o, s, p);
    json_text(&o, "device", snapshot_text(s, s->devices[p->device].id));
    if (p->type == TYPE_NONE) {
        bool said = p->busy_ns.state == STATE_VALUE;
        json_null(&o, "type", said ? STATE_UNKNOWN : p->busy_ns.state);
    } else {
        json_word(&o, "type", process_type_name(p->type));
    }
    json_u64(&o, "clients", p->clients);
    json_engines(b, s, p->engines);
    json_value(&o, "busy_pct", p->busy_ppm, 4);
    json_value(&o, "busy_s", p->busy_ns, 9);
    put_memory(b, s, p->memory);
    json_value(&o, "cpu_pct", p->cpu_ppm, 4);
    json_value(&o, "rss_B", p->rss, 0);
    json_power(b, &p->power);
    if (p->idle_holder)
        json_bool(&o, "idle_holder", true);
    json_contexts(b, s, p->contexts);
    json_close(&o);
}

void json_unattributed(struct buf *b, const struct snapshot *s, const struct snap_unattributed *u) {
    struct json_object o;
    json_open(&o, b, NULL);
    json_text(&o, "device", snapshot_text(s, s->devices[u->device].id));
    json_text(&o, "name", snapshot_text(s, u->name));
    json_engines(b, s, u->engines);
    json_value(&o, "busy_pct", u->busy_ppm, 4);
    json_value(&o, "busy_s", u->busy_ns, 9);
    json_power(b, &u->power);
    json_array_open(b, "reasons");
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        if (u->reasons & (UINT64_C(1) << r)) {
            json_element(b, reason_word(r));
        }
    }
    json_array_close(b);
    json_contexts(b, s, u->contexts);
    json_close(&o);
}
