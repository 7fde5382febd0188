/*
 * /proc/PID/stat: "PID (comm) state ppid ...". comm may hold blanks, parentheses and line ends, so the
 * fields begin after the last ')'. Pure.
 */
#include <string.h>

#include "gwtop/core.h"

/* Fields are numbered as in proc(5); the first after the name is 3. */
enum {
    FIELD_STATE = 3,
    FIELD_PPID = 4,
    FIELD_UTIME = 14,
    FIELD_STIME = 15,
    FIELD_START = 22,
    FIELD_RSS = 24
};

static inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* A field is whole only if something follows it. */
static inline bool next_field(struct cursor *c, struct span *field) {
    const char *p = c->p;
    while (p < c->end && is_blank(*p))
        p++;
    const char *first = p;
    while (p < c->end && !is_blank(*p) && *p != '\n')
        p++;
    *field = (struct span){first, (size_t)(p - first)};
    c->p = p;
    return field->n > 0 && p < c->end;
}

static struct proc_number number(struct span field) {
    struct proc_number n = {0};
    n.err = span_to_u64(field, &n.value);
    return n;
}

/* Position of the name's parentheses. */
static bool find_comm(struct span text, size_t *open, size_t *close) {
    const char *end = text.p + text.n;
    const char *first = text.n > 0 ? memchr(text.p, '(', text.n) : NULL;
    const char *last = NULL;
    for (const char *p = first; p && (p = memchr(p, ')', (size_t)(end - p))); p++)
        last = p;
    if (!last)
        return false;
    *open = (size_t)(first - text.p);
    *close = (size_t)(last - text.p);
    return true;
}

enum err proc_stat_read(struct span text, struct proc_stat *out) {
    static const struct proc_number unread = {0, ERR_AGAIN};
    size_t open, close;
    bool whole = text.n == 0 || text.p[text.n - 1] == '\n';
    *out = (struct proc_stat){{"", 0}, '\0', unread, unread, unread, unread, unread};
    if (!find_comm(text, &open, &close))
        return whole ? ERR_FORMAT : ERR_TRUNCATED;
    out->comm = (struct span){text.p + open + 1, close - open - 1};
    struct proc_number *const wanted[FIELD_RSS + 1] = {
        [FIELD_PPID] = &out->ppid,         [FIELD_UTIME] = &out->utime_ticks,
        [FIELD_STIME] = &out->stime_ticks, [FIELD_START] = &out->start_ticks,
        [FIELD_RSS] = &out->rss_pages,
    };
    struct cursor c = cursor_over(span_skip(text, close + 1));
    for (unsigned at = FIELD_STATE; at <= FIELD_RSS; at++) {
        struct span field;
        if (!next_field(&c, &field))
            return whole ? ERR_FORMAT : ERR_TRUNCATED;
        if (at == FIELD_STATE && field.n == 1)
            out->state = *field.p;
        if (wanted[at])
            *wanted[at] = number(field);
    }
    return ERR_OK;
}

void proc_stat_without_name(struct span text, struct buf *out) {
    size_t open, close;
    if (!find_comm(text, &open, &close))
        return;
    buf_put(out, text.p, open + 1);
    buf_span(out, span_skip(text, close));
}
