/*
 * Traces for tests: random but repeatable frames of fake subjects, and their way into bytes.
 */
#ifndef GWTOP_TEST_TRACEGEN_H
#define GWTOP_TEST_TRACEGEN_H

#include "framelog.h"
#include "gwtop/source.h"

struct tracegen {
    unsigned seed;
    unsigned ticks;
    unsigned
        body_max; /* largest body but for a rare one of 70,000 bytes; with 0 bodies are small texts */
};
/* Emits machine, then ticks: subjects come and go and ids are used again, bodies are binary, readings
 * fail. */
void tracegen_emit(const struct tracegen *g, const struct frame_sink *sink);

/* What a writer makes of it. `log` (may be NULL) gets the frames as a reader must give them back. */
void tracegen_bytes(const struct tracegen *g, bool compress, struct buf *out, struct framelog *log);

/* Plays the rest of an open trace; gives the last result of read. */
enum err trace_play(struct source *trace, struct framelog *log);
/* Opens these bytes as a trace; ends the test where that fails. */
struct source *trace_of_bytes(const void *bytes, size_t n);

uint32_t random_next(uint32_t *state);

#endif
