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

/* Nothing may stand behind a gap, also not what would fit: there is no room any more. */
static bool fail(struct buf *b) {
    b->failed = true;
    b->cap = b->n;
    return false;
}

bool buf_grow(struct buf *b, size_t extra) {
    size_t cap = b->cap ? b->cap : BUF_FIRST_CAP;
    if (b->failed || extra > PTRDIFF_MAX - b->n) {
        return fail(b);
    }
    while (cap - b->n < extra) {
        cap = cap > PTRDIFF_MAX / 2 ? (size_t)PTRDIFF_MAX : cap * 2;
    }
    char *p = realloc(b->p, cap);
    if (!p) {
        return fail(b);
    }
    b->p = p;
    b->cap = cap;
    return true;
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
