/*
 * To and fro in a trace: places, marks to return to, and the look ahead. A mark is a copy of the flat
 * subject table and an offset; returning into a compressed trace unpacks from the start of the zstd
 * frame, which a writer begins every 60 ticks.
 */
#include <stdlib.h>

#include "trace_reader.h"

/* Bytes of the file between two calls of a scan's progress. */
#define PROGRESS_BYTES (UINT64_C(1) << 20)

struct trace_mark {
    struct trace_subjects subjects;
    struct trace_state state;
    struct trace_bytes_place place;
};

void trace_place(const struct source *trace, struct trace_place *out) {
    const struct trace *t = trace_of(trace);
    if (!t) {
        *out = (struct trace_place){0};
        return;
    }
    *out = (struct trace_place){
        .at = trace_bytes_file_at(&t->bytes), .size = t->bytes.file_size, .tick = t->state.ticks};
}

enum err trace_mark_take(const struct source *trace, struct trace_mark **out) {
    const struct trace *t = trace_of(trace);
    if (!t) {
        return ERR_UNSUPPORTED;
    }
    struct trace_mark *m = calloc(1, sizeof *m);
    if (!m) {
        return ERR_NOMEM;
    }
    m->state = t->state;
    m->place = trace_bytes_tell(&t->bytes);
    enum err e = trace_subjects_copy(&m->subjects, &t->subjects);
    if (e != ERR_OK) {
        trace_mark_free(m);
        return e;
    }
    *out = m;
    return ERR_OK;
}

void trace_mark_free(struct trace_mark *m) {
    if (m) {
        trace_subjects_finish(&m->subjects);
        free(m);
    }
}

enum err trace_mark_return(struct source *trace, const struct trace_mark *m) {
    struct trace *t = trace_of(trace);
    if (!t) {
        return ERR_UNSUPPORTED;
    }
    enum err e = trace_subjects_copy(&t->subjects, &m->subjects);
    t->state = m->state;
    trace_bytes_seek(&t->bytes, m->place);
    return e;
}

/* Takes frames to the end. ERR_END when there; ERR_AGAIN when progress said so. */
static enum err run_through(struct trace *t, bool (*progress)(void *ctx, int ppm), void *ctx) {
    uint64_t told_at = 0;
    for (;;) {
        enum err e = trace_next_tick(t, NULL);
        if (e != ERR_OK) {
            return e;
        }
        uint64_t at = trace_bytes_file_at(&t->bytes);
        if (progress && at - told_at >= PROGRESS_BYTES) {
            told_at = at;
            if (!progress(ctx, (int)mul_div_u64(at, 1000000, t->bytes.file_size))) {
                return ERR_AGAIN;
            }
        }
    }
}

enum err trace_scan(struct source *trace, struct trace_extent *out,
                    bool (*progress)(void *ctx, int ppm), void *ctx) {
    struct trace *t = trace_of(trace);
    struct trace_mark *here = NULL;
    enum err e = trace_mark_take(trace, &here);
    if (e != ERR_OK) {
        return e;
    }
    e = run_through(t, progress, ctx);
    *out = (struct trace_extent){t->state.ticks, t->state.first_ns, t->state.last_ns};
    enum err back = trace_mark_return(trace, here);
    trace_mark_free(here);
    if (back != ERR_OK) {
        return back;
    }
    return e == ERR_END ? ERR_OK : e;
}
