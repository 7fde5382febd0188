/*
 * Flat tables and their sorting. Pure but for the allocator; memory grows at new highs only.
 */
#include <stdlib.h>
#include <string.h>

#include "table.h"

static char *element(const struct table *t, uint32_t index) {
    return (char *)t->v + (size_t)index * t->size;
}

void *table_push(struct table *t) {
    if (t->n >= NONE - 1 || vec_reserve(&t->v, &t->cap, t->n + 1, t->size) != ERR_OK)
        return NULL;
    char *e = element(t, t->n++);
    memset(e, 0, t->size);
    return e;
}

uint32_t table_take(struct table *t) {
    if (t->free == 0)
        return table_push(t) ? t->n - 1 : NONE;
    uint32_t index = t->free - 1;
    char *e = element(t, index);
    memcpy(&t->free, e, sizeof(t->free));
    memset(e, 0, t->size);
    return index;
}

void table_give(struct table *t, uint32_t index) {
    char *e = element(t, index);
    memset(e, 0, t->size);
    memcpy(e, &t->free, sizeof(t->free));
    t->free = index + 1;
}

void table_clear(struct table *t) {
    t->n = 0;
    t->free = 0;
}

void table_finish(struct table *t) {
    free(t->v);
    *t = (struct table){.size = t->size};
}

enum err table_copy(struct table *to, const struct table *from) {
    enum err e = vec_reserve(&to->v, &to->cap, from->n, from->size);
    if (e != ERR_OK)
        return e;
    if (from->n > 0)
        memcpy(to->v, from->v, (size_t)from->n * from->size);
    to->n = from->n;
    to->free = from->free;
    return ERR_OK;
}

static bool before(const struct sort_item *x, const struct sort_item *y) {
    if (x->a != y->a)
        return x->a < y->a;
    if (x->b != y->b)
        return x->b < y->b;
    return x->c < y->c;
}

/* Lets the item at `at` sink to its place in a heap of n whose largest stands first. */
static void sink_item(struct sort_item *items, uint32_t at, uint32_t n) {
    struct sort_item item = items[at];
    while (at < n / 2) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < n && before(&items[child], &items[child + 1]))
            child++;
        if (!before(&item, &items[child]))
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

void sort_items(struct sort_item *items, uint32_t n) {
    bool sorted = true;
    for (uint32_t i = 1; i < n && sorted; i++)
        sorted = !before(&items[i], &items[i - 1]);
    if (sorted)
        return;
    for (uint32_t i = n / 2; i-- > 0;)
        sink_item(items, i, n);
    for (uint32_t last = n; last-- > 1;) {
        struct sort_item largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sink_item(items, 0, last);
    }
}
