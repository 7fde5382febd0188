/*
 * The text pool: many texts in one block. Pure but for the allocator.
 */
#include "gwtop/base.h"

#include <stdlib.h>
#include <string.h>

void pool_finish(struct text_pool *p) {
    if (p) {
        free(p->p);
        *p = (struct text_pool){0};
    }
}

void pool_clear(struct text_pool *p) {
    p->n = 0;
}

static enum err reserve(struct text_pool *p, uint32_t want) {
    void *block = p->p;
    enum err e = vec_reserve(&block, &p->cap, want, 1);
    p->p = block;
    return e;
}

/* A text out of the same pool may be added again: its place is kept as an offset, since the block
 * may move. */
enum err pool_add(struct text_pool *p, struct span s, struct text_ref *out) {
    *out = (struct text_ref){0, 0};
    if (s.n == 0) {
        return ERR_OK;
    }
    uintptr_t offset = (uintptr_t)s.p - (uintptr_t)p->p;
    bool own = p->p && (uintptr_t)s.p >= (uintptr_t)p->p && offset < p->n;
    if (s.n > UINT32_MAX - p->n || reserve(p, p->n + (uint32_t)s.n) != ERR_OK) {
        return ERR_NOMEM;
    }
    memcpy(p->p + p->n, own ? p->p + offset : s.p, s.n);
    *out = (struct text_ref){p->n, (uint32_t)s.n};
    p->n += out->len;
    return ERR_OK;
}

/* A reference that does not lie in the pool (it may come from a damaged trace) names the empty
 * text. */
struct span pool_get(const struct text_pool *p, struct text_ref r) {
    if (r.len == 0 || r.at > p->n || r.len > p->n - r.at) {
        return (struct span){"", 0};
    }
    return (struct span){p->p + r.at, r.len};
}

enum err pool_copy(struct text_pool *to, const struct text_pool *from) {
    if (to == from) {
        return ERR_OK;
    }
    if (reserve(to, from->n) != ERR_OK) {
        return ERR_NOMEM;
    }
    if (from->n > 0) {
        memcpy(to->p, from->p, from->n);
    }
    to->n = from->n;
    return ERR_OK;
}
