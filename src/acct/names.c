/*
 * The texts that acct keeps: one pool, written anew when more than half of it is waste. Pure but
 * for the allocator.
 */
#include <string.h>

#include "work.h"

/* Below this many bytes waste does no harm. */
#define COMPACT_FROM 4096

struct span name_get(const struct acct *a, struct text_ref r) {
    return pool_get(&a->names.pool, r);
}

bool name_set(struct acct *a, struct text_ref *ref, struct span text) {
    struct text_ref added;
    if (span_same(name_get(a, *ref), text))
        return false;
    if (pool_add(&a->names.pool, text, &added) != ERR_OK) {
        a->failed = true;
        return false;
    }
    a->names.waste += ref->len;
    *ref = added;
    return true;
}

void name_drop(struct acct *a, struct text_ref *ref) {
    a->names.waste += ref->len;
    *ref = (struct text_ref){0, 0};
}

int name_order(uint8_t class_a, struct span a, uint8_t class_b, struct span b) {
    if (class_a != class_b)
        return class_a < class_b ? -1 : 1;
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n > 0 ? memcmp(a.p, b.p, n) : 0;
    if (order == 0 && a.n != b.n)
        order = a.n < b.n ? -1 : 1;
    return order;
}

/* ---- words ----------------------------------------------------------------------------------- */

struct text_ref word_ref(const struct acct *a, uint32_t word) {
    if (word == NONE)
        return (struct text_ref){0, 0};
    return *((const struct text_ref *)a->tables[T_WORD].v + word);
}

/* Two texts of one hash stand one key apart. */
uint32_t word_get(struct acct *a, struct span text) {
    struct map_key k = {span_hash(text), 0};
    uint32_t word;
    if (text.n == 0)
        return NONE;
    for (; (word = map_get(&a->maps[M_WORD], k)) != MAP_NONE; k.lo++)
        if (word_is(a, word, text))
            return word;
    struct text_ref *added = table_push(&a->tables[T_WORD]);
    word = a->tables[T_WORD].n - 1;
    if (!added || !acct_put(a, M_WORD, k, word)) {
        a->failed = true;
        a->tables[T_WORD].n -= added ? 1 : 0;
        return NONE;
    }
    (void)name_set(a, added, text);
    if (added->len == text.n)
        return word;
    (void)map_remove(&a->maps[M_WORD], k);
    a->tables[T_WORD].n--;
    return NONE;
}

/* ---- writing anew ---------------------------------------------------------------------------- */

/* The spare pool has room: all that is kept fits in less than the pool held. */
static void move(struct acct *a, struct text_ref *ref) {
    (void)pool_add(&a->names.spare, name_get(a, *ref), ref);
}

static void move_devices(struct acct *a) {
    for (uint32_t i = 0; i < a->tables[T_DEVICE].n; i++) {
        struct device *d = device_at(a, i);
        move(a, &d->id);
        move(a, &d->name);
        move(a, &d->driver);
        move(a, &d->slot);
        move(a, &d->nodes);
    }
    for (uint32_t i = 0; i < a->tables[T_ENGINE_NAME].n; i++)
        move(a, &engine_name_at(a, i)->name);
    for (uint32_t i = 0; i < a->tables[T_REGION_NAME].n; i++)
        move(a, &region_name_at(a, i)->name);
    for (uint32_t i = 0; i < a->tables[T_WORD].n; i++)
        move(a, (struct text_ref *)a->tables[T_WORD].v + i);
}

static void move_processes(struct acct *a) {
    for (uint32_t i = 0; i < a->tables[T_PROCESS].n; i++) {
        struct process *p = process_at(a, i);
        move(a, &p->name);
        move(a, &p->command);
        move(a, &p->user);
        move(a, &p->container);
        move(a, &p->nspid);
    }
    for (uint32_t i = 0; i < a->tables[T_CLIENT].n; i++)
        move(a, &client_at(a, i)->name);
}

/* Makes the spare pool as large as the other: no later step can fail. */
static bool make_room(struct names *n) {
    void *p = n->spare.p;
    enum err e = vec_reserve(&p, &n->spare.cap, n->pool.n, 1);
    n->spare.p = p;
    return e == ERR_OK;
}

void names_compact(struct acct *a) {
    struct names *n = &a->names;
    if (n->pool.n < COMPACT_FROM || n->waste <= n->pool.n / 2 || !make_room(n))
        return;
    pool_clear(&n->spare);
    move_devices(a);
    move_processes(a);
    move(a, &a->now.unattributed_name);
    move(a, &a->now.floor_name);
    move(a, &a->now.stray_name);
    struct text_pool full = n->pool;
    n->pool = n->spare;
    n->spare = full;
    n->waste = 0;
    n->generation++;
}
