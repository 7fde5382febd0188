/*
 * keyvalue: "key: value unit" lines, as the kernel and our own collectors write them. Private to
 * the backends; pure. Nothing is copied: keys and values point into the text.
 */
#ifndef GWTOP_BACKEND_KEYVALUE_H
#define GWTOP_BACKEND_KEYVALUE_H

#include "gwtop/core.h"

/* One line of a text: what stands before its first colon and after it, without blanks, tabs and
 * '\r' around either. A last line without '\n' may be cut in the middle of a number: it is told
 * apart, and not to be used. */
enum keyvalue_line {
    KEYVALUE_END,
    KEYVALUE_PAIR,
    KEYVALUE_OTHER, /* no colon, or no key */
    KEYVALUE_CUT
};
struct keyvalue {
    struct span key;
    struct span value;
    struct span line; /* as it stands, without '\n' */
};

static inline bool keyvalue_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
static inline struct span keyvalue_trim(const char *p, const char *end) {
    while (p < end && keyvalue_is_blank(*p))
        p++;
    while (p < end && keyvalue_is_blank(end[-1]))
        end--;
    return (struct span){p, (size_t)(end - p)};
}

/* The next line. All of *out is set but at KEYVALUE_END; key and value are empty where there is
 * none. In full here, since it is most of what decoding such a text does. */
static inline enum keyvalue_line keyvalue_next(struct cursor *c, struct keyvalue *out) {
    const char *start = c->p;
    if (start == c->end)
        return KEYVALUE_END;
    const char *newline = memchr(start, '\n', (size_t)(c->end - start));
    const char *end = newline ? newline : c->end;
    const char *colon = memchr(start, ':', (size_t)(end - start));
    c->p = newline ? newline + 1 : end;
    out->line = (struct span){start, (size_t)(end - start)};
    out->key = colon ? keyvalue_trim(start, colon) : (struct span){start, 0};
    out->value = colon ? keyvalue_trim(colon + 1, end) : (struct span){end, 0};
    if (!newline)
        return KEYVALUE_CUT;
    return out->key.n > 0 ? KEYVALUE_PAIR : KEYVALUE_OTHER;
}

/* What a number counts; decides which unit words it may carry. */
enum keyvalue_quantity {
    KEYVALUE_PLAIN, /* none */
    KEYVALUE_NS,    /* ns, always written */
    KEYVALUE_BYTES, /* none is bytes; KiB MiB GiB kB (1024) */
    KEYVALUE_HZ     /* none is Hz; Hz KHz MHz */
};
/* An unsigned decimal number and its unit, nothing else. `*raw` is the number as written, `*out`
 * in ns, bytes, Hz. ERR_FORMAT: not such a number. ERR_RANGE: over 63 bits, also once scaled. Both
 * are set only on ERR_OK. */
enum err keyvalue_number(struct span value, enum keyvalue_quantity q, int64_t *out, uint64_t *raw);

/* The reason to count for a number that gave this error. */
enum reason keyvalue_reason(enum err e);

/* `s` as it may be handed on: itself where it is clean, else cleaned into out; at most `cap` bytes. */
struct span keyvalue_clean(struct span s, char *out, size_t cap);

#endif
