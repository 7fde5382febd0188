/*
 * The text of a trace. Pure: no file, no clock. Everything read here may be damaged or hostile, so
 * numbers are held against their limits before anybody counts with them.
 */
#include "trace_format.h"

#include <string.h>

static const char first_word[] = "gwtop-trace ";

void trace_put_first_line(struct buf *b) {
    buf_text(b, first_word);
    buf_u64(b, TRACE_VERSION);
    buf_char(b, '\n');
}

/* Of a newer version only the first word and the number are certain. */
enum err trace_read_first_line(struct span line) {
    if (!span_starts(line, first_word)) {
        return ERR_FORMAT;
    }
    struct cursor c = cursor_over(span_skip(line, sizeof first_word - 1));
    uint64_t version = 0;
    enum err e = cursor_u64(&c, &version);
    if (e == ERR_RANGE || (e == ERR_OK && version > TRACE_VERSION)) {
        return ERR_VERSION;
    }
    return e == ERR_OK && version == TRACE_VERSION && cursor_at_end(&c) ? ERR_OK : ERR_FORMAT;
}

bool trace_may_begin(struct span head) {
    size_t n = head.n < sizeof first_word - 1 ? head.n : sizeof first_word - 1;
    const char *end = head.n > 0 ? memchr(head.p, '\n', head.n) : NULL;
    if (!end) {
        return head.n < TRACE_LINE_MAX && (n == 0 || memcmp(head.p, first_word, n) == 0);
    }
    return trace_read_first_line((struct span){head.p, (size_t)(end - head.p)}) != ERR_FORMAT;
}

/* ---- header line ------------------------------------------------------------------------------ */

void trace_put_header(struct buf *b, const struct trace_header *h) {
    buf_u64(b, h->id);
    buf_char(b, ' ');
    buf_span(b, h->kind);
    buf_char(b, ' ');
    buf_i64(b, h->t_ns);
    buf_char(b, ' ');
    buf_text(b, outcome_name(h->outcome));
    buf_char(b, ' ');
    buf_i64(b, h->sys);
    buf_char(b, ' ');
    buf_u64(b, h->size);
    buf_char(b, '\n');
}

static bool number(struct cursor *c, int64_t most, int64_t *out) {
    uint64_t n = 0;
    bool fits = cursor_u64(c, &n) == ERR_OK && n <= (uint64_t)most;
    *out = (int64_t)n;
    return fits;
}

/* A word of printable ASCII: what a terminal may be shown in a note. */
static bool plain_word(struct cursor *c, struct span *out) {
    const char *first = c->p;
    while (c->p != c->end && *c->p > ' ' && *c->p <= '~') {
        c->p++;
    }
    *out = (struct span){first, (size_t)(c->p - first)};
    return out->n > 0;
}

static bool blank(struct cursor *c) {
    return c->p != c->end && *c->p++ == ' ';
}

bool trace_read_header(struct span line, struct trace_header *out) {
    struct cursor c = cursor_over(line);
    struct span outcome;
    enum outcome o = OUTCOME_FAILED;
    int64_t id;
    int64_t sys;
    int64_t size;
    if (!number(&c, TRACE_ID_MAX, &id) || !blank(&c) || !plain_word(&c, &out->kind) || !blank(&c) ||
        !number(&c, TRACE_TIME_MAX, &out->t_ns) || !blank(&c) || !plain_word(&c, &outcome) ||
        !blank(&c) || !number(&c, INT32_MAX, &sys) || !blank(&c) ||
        !number(&c, (int64_t)TRACE_BODY_MAX, &size) || !cursor_at_end(&c)) {
        return false;
    }
    out->odd = !outcome_from_name(outcome, &o);
    out->outcome = (uint8_t)(out->odd ? OUTCOME_FAILED : o);
    out->id = (uint32_t)id;
    out->sys = (int32_t)sys;
    out->size = (size_t)size;
    return true;
}

/* ---- open ------------------------------------------------------------------------------------- */

static void put_number(struct buf *b, const char *key, uint64_t value) {
    if (value != 0) {
        facts_put_u64(b, key, value);
    }
}

void trace_put_open(struct buf *b, const struct backend_table *t, const struct subject *s,
                    struct span name, struct span facts) {
    put_number(b, "parent", s->parent);
    put_number(b, "device", s->device);
    if (s->backend != 0) {
        bool known = s->backend <= t->count;
        facts_put(b, "backend", span_of(known ? t->list[s->backend - 1]->name : TRACE_NO_NAME));
    }
    facts_put(b, "type", span_of(subject_type_name(s->type)));
    put_number(b, "pid", s->pid > 0 ? (uint64_t)s->pid : 0);
    put_number(b, "start", s->start);
    put_number(b, "number", s->number);
    facts_put(b, "name", name);
    buf_char(b, '\n');
    buf_span(b, facts);
}

/* The numbers of the head: where each goes, in 4 or 8 bytes, and the largest that is believed. */
static const struct {
    const char *key;
    size_t at;
    size_t width;
    uint64_t most;
} numbers[] = {
    {"parent", offsetof(struct subject, parent), 4, TRACE_ID_MAX},
    {"device", offsetof(struct subject, device), 4, TRACE_ID_MAX},
    {"pid", offsetof(struct subject, pid), 4, INT32_MAX},
    {"start", offsetof(struct subject, start), 8, UINT64_MAX},
    {"number", offsetof(struct subject, number), 8, UINT64_MAX},
};

/* False where `key` is a number's and `value` is none that is believed. */
static bool take_number(struct span key, struct span value, struct subject *out) {
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (span_equals(key, numbers[i].key)) {
            uint64_t wide = 0;
            if (span_to_u64(value, &wide) != ERR_OK || wide > numbers[i].most) {
                return false;
            }
            uint32_t narrow = (uint32_t)wide;
            bool is_wide = numbers[i].width == sizeof wide;
            memcpy((char *)out + numbers[i].at, is_wide ? (void *)&wide : (void *)&narrow,
                   numbers[i].width);
        }
    }
    return true;
}

/* A type of later days is kept as a stream that nobody decodes. */
static void take_type(struct span value, struct subject *out) {
    enum subject_type type;
    if (subject_type_from_name(value, &type) && type != SUBJECT_MACHINE) {
        out->type = (uint8_t)type;
    } else {
        out->type = SUBJECT_STREAM;
        out->backend = TRACE_BACKEND_UNKNOWN;
    }
}

static void take_backend(struct span value, const struct backend_table *t, struct subject *out) {
    unsigned found = backend_find(t, value);
    if (out->backend != TRACE_BACKEND_UNKNOWN) {
        out->backend =
            found > 0 && found < TRACE_BACKEND_UNKNOWN ? (uint16_t)found : TRACE_BACKEND_UNKNOWN;
    }
}

/* One line "key=value" of the head; false where the value cannot be read. Keys of later versions are
 * passed over. */
static bool take_field(struct span line, const struct backend_table *t, struct subject *out,
                       struct span *name) {
    struct cursor c = cursor_over(line);
    struct span key;
    if (!cursor_field(&c, '=', &key) || key.n == line.n) {
        return false;
    }
    struct span value = {c.p, cursor_left(&c)};
    if (span_equals(key, "type")) {
        take_type(value, out);
    } else if (span_equals(key, "backend")) {
        take_backend(value, t, out);
    } else if (span_equals(key, "name")) {
        *name = value;
    }
    return take_number(key, value, out);
}

static void put_clean(struct buf *text, struct span s) {
    if (s.n > 0 && buf_reserve(text, s.n)) {
        text->n += text_clean(text->p + text->n, s.n, s);
    }
}

bool trace_read_open(struct span body, const struct backend_table *t, struct subject *out,
                     struct buf *text, size_t *facts_at) {
    struct cursor c = cursor_over(body);
    struct span line;
    struct span name = {"", 0};
    bool fine = true;
    *out = (struct subject){.type = SUBJECT_STREAM, .name = "", .facts = ""};
    while (cursor_line(&c, &line) && line.n > 0) {
        fine &= take_field(line, t, out, &name);
    }
    put_clean(text, name);
    buf_char(text, '\0');
    *facts_at = text->n;
    while (cursor_line(&c, &line)) {
        put_clean(text, line);
        buf_char(text, '\n');
    }
    buf_char(text, '\0');
    return fine;
}
