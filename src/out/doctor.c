/* Which sources are worth a command, and the JSON form of what doctor found. Pure. */
#include "gwtop/doctor.h"

#include "json_parts.h"

/* ---- to see more ------------------------------------------------------------------------------ */

static bool is_gain(const struct doctor_source *s) {
    return s->gain > 0 && s->command[0] && s->state != CHECK_OK && s->state != CHECK_ASLEEP &&
           s->state != CHECK_UNSUPPORTED;
}

/* One command that is asked for by several sources is told of once, at the first. */
static bool is_told(const struct doctor *d, const uint32_t *told, uint32_t n,
                    const struct doctor_source *s) {
    for (uint32_t i = 0; i < n; i++)
        if (span_equals(span_of(s->command), d->sources[told[i]].command))
            return true;
    return false;
}

uint32_t doctor_rank(const struct doctor *d, uint32_t *out, uint32_t cap) {
    uint32_t n = 0;
    for (unsigned gain = 9; gain > 0; gain--)
        for (uint32_t i = 0; i < d->source_count && n < cap; i++) {
            const struct doctor_source *s = &d->sources[i];
            if (s->gain == gain && is_gain(s) && !is_told(d, out, n, s))
                out[n++] = i;
        }
    return n;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* Null where there is nothing to say. */
static void put_text(struct json_object *o, const char *key, const char *text) {
    if (text[0]) {
        json_text(o, key, span_of(text));
    } else {
        json_put_key(o->b, key);
        buf_text(o->b, "null,");
    }
}

static const char *device_id(const struct doctor *d, uint32_t index) {
    return index < d->device_count ? d->devices[index].id : "";
}

static void put_nodes(const struct doctor *d, uint32_t device, struct buf *b) {
    struct json_object o;
    json_array_open(b, "nodes");
    for (uint32_t i = 0; i < d->node_count; i++) {
        const struct doctor_node *n = &d->nodes[i];
        if (n->device != device)
            continue;
        json_open(&o, b, NULL);
        json_text(&o, "path", span_of(n->path));
        json_bool(&o, "there", n->there);
        json_bool(&o, "usable", n->usable);
        json_u64(&o, "mode", n->mode);
        put_text(&o, "user", n->user);
        put_text(&o, "group", n->group);
        json_close(&o);
    }
    json_array_close(b);
}

static void put_words(struct buf *b, const char *key, const char *words) {
    struct cursor c = cursor_over(span_of(words));
    struct span word;
    json_array_open(b, key);
    while (cursor_word(&c, &word))
        json_put_text(b, word);
    json_array_close(b);
}

static void put_device(const struct doctor *d, uint32_t i, struct buf *b) {
    const struct doctor_device *v = &d->devices[i];
    struct json_object o, f;
    json_open(&o, b, NULL);
    json_text(&o, "id", span_of(v->id));
    put_text(&o, "name", v->name);
    put_text(&o, "driver", v->driver);
    put_text(&o, "state", v->state);
    put_text(&o, "folder", v->folder);
    put_text(&o, "power_control", v->control);
    put_text(&o, "runtime_status", v->status);
    put_nodes(d, i, b);
    json_open(&f, b, "fdinfo");
    json_u64(&f, "clients", v->clients);
    json_bool(&f, "engines", v->engines);
    json_bool(&f, "memory", v->memory);
    put_words(b, "keys", v->keys);
    json_close(&f);
    json_close(&o);
}

static void put_source(const struct doctor *d, const struct doctor_source *s, struct buf *b) {
    struct json_object o;
    json_open(&o, b, NULL);
    json_text(&o, "source", span_of(s->source));
    put_text(&o, "device", device_id(d, s->device));
    json_word(&o, "state", check_state_name((enum check_state)s->state));
    put_text(&o, "path", s->path);
    put_text(&o, "need", s->need);
    put_text(&o, "lost", s->lost);
    put_text(&o, "command", s->command);
    put_text(&o, "other_command", s->other);
    put_text(&o, "unsafe", s->unsafe);
    json_close(&o);
}

static void put_processes(const struct doctor *d, struct buf *b) {
    struct json_object o, reasons;
    json_open(&o, b, "processes");
    json_u64(&o, "listed", d->processes);
    json_u64(&o, "unreadable", d->unreadable);
    json_open(&reasons, b, "reasons");
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (d->unreadable_reasons[i] > 0)
            json_u64(&reasons, reason_word(i), d->unreadable_reasons[i]);
    json_close(&reasons);
    json_close(&o);
}

/* "command" to see more, and the source that asks for it. */
static void put_more(const struct doctor *d, struct buf *b) {
    uint32_t order[16];
    uint32_t n = doctor_rank(d, order, sizeof(order) / sizeof(order[0]));
    json_array_open(b, "more");
    for (uint32_t i = 0; i < n; i++) {
        const struct doctor_source *s = &d->sources[order[i]];
        struct json_object o;
        json_open(&o, b, NULL);
        json_text(&o, "source", span_of(s->source));
        put_text(&o, "device", device_id(d, s->device));
        json_text(&o, "command", span_of(s->command));
        json_close(&o);
    }
    json_array_close(b);
}

void out_doctor_json(const struct doctor *d, struct buf *b) {
    struct json_object line, facts;
    json_open(&line, b, NULL);
    json_word(&line, "schema", DOCTOR_SCHEMA);
    json_text(&line, "version", span_of(d->version));
    put_text(&line, "root", d->root);
    json_open(&facts, b, "machine");
    for (uint32_t i = 0; i < d->fact_count; i++)
        put_text(&facts, d->facts[i].key, d->facts[i].text);
    json_close(&facts);
    put_processes(d, b);
    json_array_open(b, "devices");
    for (uint32_t i = 0; i < d->device_count; i++)
        put_device(d, i, b);
    json_array_close(b);
    json_array_open(b, "sources");
    for (uint32_t i = 0; i < d->source_count; i++)
        put_source(d, &d->sources[i], b);
    json_array_close(b);
    put_more(d, b);
    json_array_open(b, "warnings");
    for (uint32_t i = 0; i < d->warning_count; i++)
        json_put_text(b, span_of(d->warnings[i]));
    json_array_close(b);
    json_close(&line);
    buf_char(b, '\n');
}
