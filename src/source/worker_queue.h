/*
 * Ticks on their way from a worker's thread to whoever reads: copies of frames and their subjects in
 * blocks that are used again. No locking here.
 */
#ifndef GWTOP_SOURCE_WORKER_QUEUE_H
#define GWTOP_SOURCE_WORKER_QUEUE_H

#include "gwtop/core.h"

/* A frame and its subject; their texts and bytes are offsets into the tick's block until emitted. */
struct tick_item {
    struct subject s;
    struct frame f;
    size_t name_at;
    size_t facts_at;
    size_t bytes_at;
};

struct tick {
    struct tick *next;
    struct tick_item *items;
    uint32_t count;
    uint32_t cap;
    struct buf bytes;
    bool failed; /* memory ran out: something is missing */
};

/* Room of a block. */
struct tick_room {
    size_t bytes;
    uint32_t items;
};

/* First in, first out. A zeroed one is empty. */
struct tick_list {
    struct tick *first;
    struct tick *last;
};

void tick_clear(struct tick *t); /* keeps its memory */
void tick_free(struct tick *t);  /* accepts NULL */
/* The largest room so far, with that of this block. */
void tick_room_note(struct tick_room *most, const struct tick *t);
/* Makes an empty block as large as that, so that after one large tick no later one makes a block grow. */
void tick_fit(struct tick *t, const struct tick_room *most);
/* Copies a frame in. */
void tick_add(struct tick *t, const struct subject *s, const struct frame *f);
void tick_emit(const struct tick *t, const struct frame_sink *sink);
/* Bytes that it holds. */
size_t tick_size(const struct tick *t);

void tick_list_push(struct tick_list *l, struct tick *take_tick);
/* NULL when empty. */
struct tick *tick_list_pop(struct tick_list *l);
void tick_list_free(struct tick_list *l);

#endif
