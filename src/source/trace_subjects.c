/*
 * The subjects of a trace that are open. Pure. What a hostile trace can make it hold is bounded: ids by
 * the format, texts by TEXT_MAX.
 */
#include "trace_subjects.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX   (UINT32_C(64) << 20)
#define SWEEP_FROM (UINT32_C(64) << 10) /* below this, dead texts are not worth a sweep */

static struct map_key key_of(uint32_t id) {
    return (struct map_key){0, id};
}

/* Copies the living texts to the spare pool, which changes places with the other. */
static enum err sweep(struct trace_subjects *t) {
    pool_clear(&t->spare);
    for (uint32_t i = 0; i < t->count; i++) {
        struct text_ref moved;
        enum err e = pool_add(&t->spare, pool_get(&t->texts, t->list[i].text), &moved);
        if (e != ERR_OK) {
            return e;
        }
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        t->list[i].text.at = at;
        at += t->list[i].text.len;
    }
    struct text_pool swept = t->spare;
    t->spare = t->texts;
    t->texts = swept;
    return ERR_OK;
}

enum err trace_subjects_add(struct trace_subjects *t, const struct subject *s, struct span text,
                            size_t facts_at) {
    if (text.n > TEXT_MAX || t->living + (uint32_t)text.n > TEXT_MAX) {
        return ERR_RANGE;
    }
    void *list = t->list;
    enum err e = vec_reserve(&list, &t->cap, t->count + 1, sizeof *t->list);
    t->list = list;
    if (e == ERR_OK && t->texts.n > SWEEP_FROM && t->texts.n / 2 > t->living) {
        e = sweep(t);
    }
    struct trace_subject entry = {.s = *s, .facts_at = (uint32_t)facts_at};
    if (e == ERR_OK) {
        e = pool_add(&t->texts, text, &entry.text);
    }
    if (e == ERR_OK) {
        e = map_put(&t->by_id, key_of(s->id), t->count);
    }
    if (e == ERR_OK) {
        t->list[t->count++] = entry;
        t->living += entry.text.len;
    }
    return e;
}

struct trace_subject *trace_subjects_find(struct trace_subjects *t, uint32_t id) {
    uint32_t at = map_get(&t->by_id, key_of(id));
    if (at == MAP_NONE) {
        return NULL;
    }
    struct trace_subject *entry = &t->list[at];
    struct span text = pool_get(&t->texts, entry->text);
    entry->s.name = text.p;
    entry->s.facts = text.p + entry->facts_at;
    return entry;
}

void trace_subjects_remove(struct trace_subjects *t, uint32_t id) {
    uint32_t at = map_remove(&t->by_id, key_of(id));
    if (at == MAP_NONE) {
        return;
    }
    t->living -= t->list[at].text.len;
    t->list[at] = t->list[--t->count];
    if (at < t->count) {
        /* The key is there, so this cannot fail. */
        (void)map_put(&t->by_id, key_of(t->list[at].s.id), at);
    }
}

enum err trace_subjects_copy(struct trace_subjects *to, const struct trace_subjects *from) {
    void *list = to->list;
    enum err e = vec_reserve(&list, &to->cap, from->count, sizeof *to->list);
    to->list = list;
    if (e == ERR_OK) {
        e = map_copy(&to->by_id, &from->by_id);
    }
    if (e == ERR_OK) {
        e = pool_copy(&to->texts, &from->texts);
    }
    if (e != ERR_OK) {
        map_clear(&to->by_id);
        pool_clear(&to->texts);
        to->count = 0;
        to->living = 0;
        return e;
    }
    if (from->count > 0) {
        memcpy(to->list, from->list, from->count * sizeof *to->list);
    }
    to->count = from->count;
    to->living = from->living;
    return ERR_OK;
}

void trace_subjects_finish(struct trace_subjects *t) {
    map_finish(&t->by_id);
    free(t->list);
    pool_finish(&t->texts);
    pool_finish(&t->spare);
    *t = (struct trace_subjects){0};
}
