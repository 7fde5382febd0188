/*
 * Ticks on their way between threads. Blocks grow to the largest tick seen and stay.
 */
#include "worker_queue.h"

#include <stdlib.h>
#include <string.h>

void tick_clear(struct tick *t) {
    t->count = 0;
    t->failed = false;
    buf_clear(&t->bytes);
}

void tick_free(struct tick *t) {
    if (t) {
        free(t->items);
        buf_finish(&t->bytes);
        free(t);
    }
}

void tick_room_note(struct tick_room *most, const struct tick *t) {
    if (t->bytes.cap > most->bytes)
        most->bytes = t->bytes.cap;
    if (t->cap > most->items)
        most->items = t->cap;
}

void tick_fit(struct tick *t, const struct tick_room *most) {
    void *items = t->items;
    if (most->items > t->cap &&
        vec_reserve(&items, &t->cap, most->items, sizeof *t->items) != ERR_OK)
        t->failed = true;
    t->items = items;
    if (most->bytes > t->bytes.cap && !buf_reserve(&t->bytes, most->bytes))
        t->failed = true;
}

static size_t add_text(struct buf *b, const char *text) {
    size_t at = b->n;
    buf_text(b, text);
    buf_char(b, '\0');
    return at;
}

void tick_add(struct tick *t, const struct subject *s, const struct frame *f) {
    void *items = t->items;
    enum err e =
        t->failed ? ERR_NOMEM : vec_reserve(&items, &t->cap, t->count + 1, sizeof *t->items);
    t->items = items;
    if (e != ERR_OK) {
        t->failed = true;
        return;
    }
    struct tick_item *item = &t->items[t->count++];
    item->s = *s;
    item->f = *f;
    item->name_at = add_text(&t->bytes, s->name);
    item->facts_at = add_text(&t->bytes, s->facts);
    item->bytes_at = t->bytes.n;
    buf_put(&t->bytes, f->bytes, f->size);
    t->failed = t->bytes.failed;
}

void tick_emit(const struct tick *t, const struct frame_sink *sink) {
    for (uint32_t i = 0; i < t->count; i++) {
        const struct tick_item *item = &t->items[i];
        struct subject s = item->s;
        struct frame f = item->f;
        s.name = t->bytes.p + item->name_at;
        s.facts = t->bytes.p + item->facts_at;
        f.bytes = t->bytes.p + item->bytes_at;
        sink->frame(sink->ctx, &s, &f);
    }
}

size_t tick_size(const struct tick *t) {
    return t->bytes.n + t->count * sizeof *t->items;
}

void tick_list_push(struct tick_list *l, struct tick *take_tick) {
    take_tick->next = NULL;
    if (l->last) {
        l->last->next = take_tick;
    } else {
        l->first = take_tick;
    }
    l->last = take_tick;
}

struct tick *tick_list_pop(struct tick_list *l) {
    struct tick *t = l->first;
    if (t) {
        l->first = t->next;
        l->last = l->first ? l->last : NULL;
        t->next = NULL;
    }
    return t;
}

void tick_list_free(struct tick_list *l) {
    for (struct tick *t = tick_list_pop(l); t; t = tick_list_pop(l)) {
        tick_free(t);
    }
}
