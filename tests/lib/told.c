/* What decoders said. */
#include "told.h"

#include <stdlib.h>
#include <string.h>

static void keep(void *ctx, const struct sample *s) {
    struct told *t = ctx;
    struct told_sample *k;
    size_t n = s->name_len < sizeof(k->name) ? s->name_len : sizeof(k->name) - 1;
    if (vec_reserve((void **)&t->items, &t->cap, t->count + 1, sizeof(*t->items)))
        abort();
    k = &t->items[t->count++];
    k->sample = *s;
    memcpy(k->name, s->name, n);
    k->name[n] = '\0';
}

static void done(void *ctx, const struct subject *s, const struct frame *f,
                 const struct counts *counts) {
    struct told *t = ctx;
    (void)s;
    (void)f;
    counts_add(&t->counts, counts);
}

struct subscriber told_subscriber(struct told *t) {
    return (struct subscriber){.sink = {.ctx = t, .sample = keep}, .done = done};
}

void told_clear(struct told *t) {
    t->count = 0;
    t->counts = (struct counts){0};
}

void told_finish(struct told *t) {
    free(t->items);
    *t = (struct told){0};
}

static unsigned quality(const struct sample *s) {
    unsigned trust = s->state != STATE_VALUE ? 0 : s->doubt ? 1 : 2;
    return trust << 8 | s->rank;
}

const struct told_sample *told_best(const struct told *t, enum metric metric, unsigned index) {
    const struct told_sample *best = NULL;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct sample *s = &t->items[i].sample;
        if (s->metric == metric && s->index == index &&
            (!best || quality(s) >= quality(&best->sample)))
            best = &t->items[i];
    }
    return best;
}

const struct told_sample *told_named(const struct told *t, enum metric metric, const char *name) {
    for (uint32_t i = t->count; i > 0; i--)
        if (t->items[i - 1].sample.metric == metric && strcmp(t->items[i - 1].name, name) == 0)
            return &t->items[i - 1];
    return NULL;
}

unsigned told_count(const struct told *t, enum metric metric) {
    unsigned count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += t->items[i].sample.metric == metric;
    return count;
}
