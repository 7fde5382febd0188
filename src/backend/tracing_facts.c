/* Facts of a stream that say how its pages are to be read. Pure. */
#include "tracing.h"

static bool take_u32(struct cursor *c, uint32_t *out) {
    uint64_t v;
    if (cursor_u64(c, &v) != ERR_OK || v > 65536)
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool take_char(struct cursor *c, char what) {
    bool is = c->p != c->end && *c->p == what;
    c->p += is;
    return is;
}

#define KEY_MAX 64

/* Names of facts are those of a backend's own tables: two of them fit. */
static void join(char key[KEY_MAX], const char *prefix, const char *name) {
    size_t p = strlen(prefix);
    size_t n = strlen(name);
    memcpy(key, prefix, p);
    memcpy(key + p, name, n + 1);
}

static bool read_fact(const char *facts, const char *prefix, const char *name,
                      struct trace_field *out) {
    char key[KEY_MAX];
    uint32_t size;
    uint32_t is_signed;
    join(key, prefix, name);
    struct cursor c = cursor_over(facts_get(facts, key));
    if (!take_u32(&c, &out->offset) || !take_char(&c, ',') || !take_u32(&c, &size) ||
        !take_char(&c, ',') || !take_u32(&c, &is_signed) || c.p != c.end)
        return false;
    out->size = (uint8_t)size;
    out->is_signed = is_signed != 0;
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- pages ----------------------------------------------------------------------------------- */

bool trace_pages_read(struct trace_pages *p, const char *facts) {
    struct span endian = facts_get(facts, "endian");
    uint64_t data = facts_u64(facts, "page_data", 0);
    *p = (struct trace_pages){.big = span_equals(endian, "big"), .data = (uint32_t)data};
    return data > 0 && data <= 65536 && (p->big || span_equals(endian, "little")) &&
           read_fact(facts, "page.", "timestamp", &p->time) &&
           read_fact(facts, "page.", "commit", &p->commit) &&
           read_fact(facts, "", "common_type", &p->type);
}

static void say(struct buf *facts, const char *prefix, const char *name,
                const struct trace_field *f) {
    char key[KEY_MAX];
    if (f->size == 0)
        return;
    join(key, prefix, name);
    buf_text(facts, key);
    buf_char(facts, '=');
    buf_u64(facts, f->offset);
    buf_char(facts, ',');
    buf_u64(facts, f->size);
    buf_text(facts, f->is_signed ? ",1\n" : ",0\n");
}

static void say_field(struct buf *facts, const char *prefix, const char *name, struct span format) {
    struct trace_field f;
    if (trace_format_field(format, name, &f))
        say(facts, prefix, name, &f);
}

void trace_pages_say(struct buf *facts, struct span header_page, struct span format) {
    struct trace_field data;
    if (trace_format_field(header_page, "data", &data))
        facts_put_u64(facts, "page_data", data.offset);
    say_field(facts, "page.", "timestamp", header_page);
    say_field(facts, "page.", "commit", header_page);
    say_field(facts, "", "common_type", format);
}

/* ---- events ---------------------------------------------------------------------------------- */

bool trace_event_read(const struct trace_event *e, struct trace_event_layout *out,
                      const char *facts) {
    char key[KEY_MAX];
    join(key, e->prefix, "id");
    uint64_t id = facts_u64(facts, key, 0);
    *out = (struct trace_event_layout){0};
    if (id == 0)
        return true;
    for (unsigned i = 0; i < TRACE_FIELDS && e->names[i]; i++)
        if (!read_fact(facts, e->prefix, e->names[i], &out->fields[i]))
            return false;
    out->id = (uint32_t)id;
    return id <= UINT16_MAX;
}

void trace_event_say(const struct trace_event *e, struct buf *facts, struct span format) {
    char key[KEY_MAX];
    uint32_t id;
    struct trace_field f;
    if (!trace_format_id(format, &id))
        return;
    join(key, e->prefix, "id");
    facts_put_u64(facts, key, id);
    for (unsigned i = 0; i < TRACE_FIELDS && e->names[i]; i++) {
        bool is_text = e->texts >> i & 1;
        bool known = is_text ? trace_format_text(format, e->names[i], &f)
                             : trace_format_field(format, e->names[i], &f);
        if (known)
            say(facts, e->prefix, e->names[i], &f);
    }
}
