/*
 * Flat tables: elements named by index, freed ones in a list of their own. No pointers inside, so
 * that a copy of the memory is a copy of the table. Private to acct.
 */
#ifndef GWTOP_ACCT_TABLE_H
#define GWTOP_ACCT_TABLE_H

#include "gwtop/base.h"

/* No element. */
#define NONE UINT32_MAX

/* Elements of a table that is used with take and give begin with a uint32_t that a free one is
 * linked by. Pointers to elements are valid until the next take or push on the same table. */
struct table {
    void *v;
    uint32_t n; /* highest index in use + 1 */
    uint32_t cap;
    uint32_t free; /* index + 1 of the first free element; 0 none */
    uint32_t size; /* bytes of one element */
};

/* A zeroed element; NONE when memory runs out. */
uint32_t table_take(struct table *t);
/* The element is zeroed, but for its link. */
void table_give(struct table *t, uint32_t index);
/* One more at the end, zeroed; NULL when memory runs out. */
void *table_push(struct table *t);
void table_clear(struct table *t); /* keeps the memory */
void table_finish(struct table *t);
enum err table_copy(struct table *to, const struct table *from);

/* What is sorted: by a, then b, then c. */
struct sort_item {
    uint64_t a;
    uint64_t b;
    uint32_t c;
    uint32_t index;
};

/* In place, allocates nothing, and takes n log n steps whatever comes in. */
void sort_items(struct sort_item *items, uint32_t n);

#endif
