/*
 * The reader of traces as its two halves share it: trace_read.c takes frame after frame, trace_seek.c
 * goes to and fro.
 */
#ifndef GWTOP_SOURCE_TRACE_READER_H
#define GWTOP_SOURCE_TRACE_READER_H

#include "gwtop/source.h"
#include "trace_bytes.h"
#include "trace_subjects.h"

/* All that a place in the recording means, but for its subjects and its bytes. */
struct trace_state {
    uint64_t ticks;   /* so far */
    int64_t first_ns; /* time of the first and of the newest `begin` frame */
    int64_t last_ns;
    int64_t machine_ns; /* time of the newest frame of the machine */
    bool begun;         /* a `begin` was met */
    bool over;          /* nothing more can be used */
};

struct trace {
    struct source source; /* first: what the world sees */
    const struct backend_table *table;
    struct trace_bytes bytes;
    struct trace_subjects subjects;
    struct trace_state state;
    struct buf text; /* scratch: name and facts of an `open` frame */

    /* What is wrong with the recording is true wherever one stands in it: a return forgets nothing. */
    char damage[200]; /* why and where it ends early; "" if it does not */
    uint64_t odd_at;  /* first frame with something that had to be mended; UINT64_MAX none */
    const char *odd;
    char note[400];
};

/* NULL for a source that is no trace. */
struct trace *trace_of(const struct source *s);
/* Takes frames up to and with the next `end`; `sink` may be NULL. ERR_OK; ERR_END, after which state.over holds;
 * ERR_NOMEM. */
enum err trace_next_tick(struct trace *t, const struct frame_sink *sink);

#endif
