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
/* The next line. All of *out is set but at KEYVALUE_END; key and value are empty where there is
 * none. */
enum keyvalue_line keyvalue_next(struct cursor *c, struct keyvalue *out);

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
