/*
 * Growth of flat arrays. Pure but for the allocator.
 */
#include "gwtop/base.h"

#include <stdlib.h>
#include <string.h>

#define VEC_FIRST_CAP 8

enum err vec_reserve(void **items, uint32_t *cap, uint32_t want, size_t size) {
    if (want <= *cap) {
        return ERR_OK;
    }
    uint32_t grown = *cap > UINT32_MAX / 2 ? UINT32_MAX : *cap * 2;
    grown = grown < VEC_FIRST_CAP ? VEC_FIRST_CAP : grown;
    grown = grown < want ? want : grown;
    if (size == 0 || grown > PTRDIFF_MAX / size) {
        return ERR_NOMEM;
    }
    /* The caller's pointer has a type of its own and is seen here as void *: reading and writing it
     * as bytes keeps that within the rules. */
    void *old;
    memcpy(&old, items, sizeof old);
    char *p = realloc(old, grown * size);
    if (!p) {
        return ERR_NOMEM;
    }
    memset(p + *cap * size, 0, (grown - *cap) * size);
    memcpy(items, &p, sizeof p);
    *cap = grown;
    return ERR_OK;
}
