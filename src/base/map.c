/*
 * The flat map: linear probing over slots of 24 bytes. Pure but for the allocator.
 *
 * Removed slots stay as marks until they stand at the end of a chain or the table fills up: removing
 * moves nothing. When marks fill the table they are dropped in place; only a new high of entries
 * allocates.
 */
#include "gwtop/base.h"

#include <stdlib.h>
#include <string.h>

#define MAP_FIRST_CAP 16
#define MAP_MAX_CAP   (UINT32_C(1) << 31)

/* All-zero is empty, so that fresh and cleared tables need no pass of their own. PENDING exists only
 * within drop_dead(). */
enum slot_state { SLOT_EMPTY, SLOT_USED, SLOT_DEAD, SLOT_PENDING };

struct map_slot {
    struct map_key key;
    uint32_t value;
    uint32_t state; /* enum slot_state */
};

static bool same_key(struct map_key a, struct map_key b) {
    return a.lo == b.lo && a.hi == b.hi;
}

/* Keys are often small counters, or differ in a few bits of either half: both halves are multiplied
 * by odd constants and folded twice, so that every input bit reaches the low ones. */
static uint32_t home_of(struct map_key k) {
    uint64_t h = k.lo * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    h += k.hi * UINT64_C(0xd1342543de82ef95);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32);
}

void map_finish(struct map *m) {
    if (m) {
        free(m->slots);
        *m = (struct map){0};
    }
}

/* The slot that holds `k`, or NULL. An empty slot always exists, which ends the walk. */
static struct map_slot *find(const struct map *m, struct map_key k) {
    if (m->used == 0) {
        return NULL;
    }
    uint32_t mask = m->cap - 1;
    for (uint32_t i = home_of(k) & mask;; i = (i + 1) & mask) {
        struct map_slot *s = &m->slots[i];
        if (s->state == SLOT_USED && same_key(s->key, k)) {
            return s;
        }
        if (s->state == SLOT_EMPTY) {
            return NULL;
        }
    }
}

uint32_t map_get(const struct map *m, struct map_key k) {
    const struct map_slot *s = find(m, k);
    return s ? s->value : MAP_NONE;
}

/* For a key that is not there, into a table with room. */
static void insert_new(struct map *m, struct map_key k, uint32_t value) {
    uint32_t mask = m->cap - 1;
    uint32_t i = home_of(k) & mask;
    while (m->slots[i].state == SLOT_USED) {
        i = (i + 1) & mask;
    }
    m->dead -= m->slots[i].state == SLOT_DEAD ? 1 : 0;
    m->slots[i] = (struct map_slot){k, value, SLOT_USED};
    m->used++;
}

/* Puts the pending entry of slot `at` where its chain wants it; what it displaces is pending and
 * takes its turn in the same slot. A settled slot is never vacated, so chains stay whole. */
static void settle(struct map *m, uint32_t at) {
    uint32_t mask = m->cap - 1;
    struct map_slot *here = &m->slots[at];
    while (here->state == SLOT_PENDING) {
        uint32_t i = home_of(here->key) & mask;
        while (m->slots[i].state == SLOT_USED) {
            i = (i + 1) & mask;
        }
        struct map_slot displaced = m->slots[i];
        m->slots[i] = *here;
        m->slots[i].state = SLOT_USED;
        if (i != at) {
            *here = displaced;
        }
    }
}

static void drop_dead(struct map *m) {
    for (uint32_t i = 0; i < m->cap; i++) {
        bool used = m->slots[i].state == SLOT_USED;
        m->slots[i].state = used ? SLOT_PENDING : SLOT_EMPTY;
    }
    m->dead = 0;
    for (uint32_t i = 0; i < m->cap; i++) {
        settle(m, i);
    }
}

static enum err resize(struct map *m, uint32_t cap) {
    struct map bigger = {.cap = cap};
    bigger.slots = calloc(cap, sizeof *bigger.slots);
    if (!bigger.slots) {
        return ERR_NOMEM;
    }
    for (uint32_t i = 0; i < m->cap; i++) {
        if (m->slots[i].state == SLOT_USED) {
            insert_new(&bigger, m->slots[i].key, m->slots[i].value);
        }
    }
    free(m->slots);
    *m = bigger;
    return ERR_OK;
}

/* Keeps a quarter of the slots empty. Marks alone never make the table grow: below half full they
 * are dropped instead, which then lasts for at least a quarter of the table. */
static enum err make_room(struct map *m) {
    if (m->cap == 0) {
        return resize(m, MAP_FIRST_CAP);
    }
    if (m->used + m->dead < m->cap / 4 * 3) {
        return ERR_OK;
    }
    if (m->used < m->cap / 2) {
        drop_dead(m);
        return ERR_OK;
    }
    return m->cap >= MAP_MAX_CAP ? ERR_NOMEM : resize(m, m->cap * 2);
}

enum err map_put(struct map *m, struct map_key k, uint32_t value) {
    if (value == MAP_NONE) {
        return ERR_USAGE;
    }
    struct map_slot *s = find(m, k);
    if (s) {
        s->value = value;
        return ERR_OK;
    }
    enum err e = make_room(m);
    if (e == ERR_OK) {
        insert_new(m, k, value);
    }
    return e;
}

uint32_t map_remove(struct map *m, struct map_key k) {
    struct map_slot *s = find(m, k);
    if (!s) {
        return MAP_NONE;
    }
    uint32_t mask = m->cap - 1;
    uint32_t i = (uint32_t)(s - m->slots);
    s->state = SLOT_DEAD;
    m->used--;
    m->dead++;
    /* Before an empty slot no chain goes on, so neither this mark nor those before it are needed. */
    if (m->slots[(i + 1) & mask].state == SLOT_EMPTY) {
        for (; m->slots[i].state == SLOT_DEAD; i = (i - 1) & mask) {
            m->slots[i].state = SLOT_EMPTY;
            m->dead--;
        }
    }
    return s->value;
}

void map_clear(struct map *m) {
    if (m->used + m->dead > 0) {
        memset(m->slots, 0, m->cap * sizeof *m->slots);
    }
    m->used = 0;
    m->dead = 0;
}

static void copy_entries(struct map *to, const struct map *from) {
    map_clear(to);
    for (uint32_t i = 0; i < from->cap; i++) {
        if (from->slots[i].state == SLOT_USED) {
            insert_new(to, from->slots[i].key, from->slots[i].value);
        }
    }
}

enum err map_copy(struct map *to, const struct map *from) {
    if (to == from) {
        return ERR_OK;
    }
    if (from->used == 0 || to->cap > from->cap) {
        copy_entries(to, from);
        return ERR_OK;
    }
    if (to->cap < from->cap) {
        struct map_slot *slots = malloc(from->cap * sizeof *slots);
        if (!slots) {
            return ERR_NOMEM;
        }
        free(to->slots);
        to->slots = slots;
    }
    memcpy(to->slots, from->slots, from->cap * sizeof *to->slots);
    to->cap = from->cap;
    to->used = from->used;
    to->dead = from->dead;
    return ERR_OK;
}
