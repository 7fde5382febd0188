/*
 * The growable output buffer: storage only; numbers are in buf_number.c, quoting in buf_quote.c.
 * Pure but for the allocator.
 */
#include "gwtop/base.h"

#include <stdlib.h>
#include <string.h>

#define BUF_FIRST_CAP 256

void buf_init(struct buf *b) {
    *b = (struct buf){0};
}

void buf_finish(struct buf *b) {
    if (b) {
        free(b->p);
        *b = (struct buf){0};
    }
}

/* A new text starts: what an earlier one lacked in memory is no fault of this one. */
void buf_clear(struct buf *b) {
    b->n = 0;
    b->failed = false;
}

static bool grow(struct buf *b, size_t extra) {
    size_t cap = b->cap ? b->cap : BUF_FIRST_CAP;
    if (extra > PTRDIFF_MAX - b->n) {
        b->failed = true;
        return false;
    }
    while (cap - b->n < extra) {
        cap = cap > PTRDIFF_MAX / 2 ? (size_t)PTRDIFF_MAX : cap * 2;
    }
    char *p = realloc(b->p, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

bool buf_reserve(struct buf *b, size_t extra) {
    if (b->failed) {
        return false;
    }
    return b->cap - b->n >= extra || grow(b, extra);
}

void buf_put(struct buf *b, const void *bytes, size_t n) {
    if (n > 0 && buf_reserve(b, n)) {
        memcpy(b->p + b->n, bytes, n);
        b->n += n;
    }
}

void buf_span(struct buf *b, struct span s) {
    buf_put(b, s.p, s.n);
}

void buf_text(struct buf *b, const char *text) {
    if (text) {
        buf_put(b, text, strlen(text));
    }
}

void buf_char(struct buf *b, char c) {
    if (buf_reserve(b, 1)) {
        b->p[b->n++] = c;
    }
}

void buf_fill(struct buf *b, char c, size_t n) {
    if (n > 0 && buf_reserve(b, n)) {
        memset(b->p + b->n, (unsigned char)c, n);
        b->n += n;
    }
}

struct span buf_span_of(const struct buf *b) {
    return b->n > 0 ? (struct span){b->p, b->n} : (struct span){"", 0};
}
