/*
 * To and fro in a trace: places, marks to return to, and the look ahead. A mark is a copy of the flat
 * subject table and an offset; returning into a compressed trace unpacks from the start of the zstd
 * frame, which a writer begins every 60 ticks. In a vendor file an offset and its clock are all.
 */
#include <stdlib.h>

#include "file.h"
#include "trace_reader.h"

/* Bytes of the file between two calls of a scan's progress. */
#define PROGRESS_BYTES (UINT64_C(1) << 20)

struct trace_mark {
    struct trace_subjects subjects;
    struct trace_state state;
    struct trace_bytes_place place;
    struct file_place file; /* of a vendor file, and nothing else */
};

static void place_in_file(const struct file *f, struct trace_place *out) {
    struct file_place place = file_tell(f);
    *out = (struct trace_place){.at = place.at, .size = file_size(f), .tick = place.ticks};
}

void trace_place(const struct source *trace, struct trace_place *out) {
    const struct trace *t = trace_of(trace);
    const struct file *f = file_of(trace);
    *out = (struct trace_place){0};
    if (f)
        place_in_file(f, out);
    if (!t)
        return;
    *out = (struct trace_place){
        .at = trace_bytes_file_at(&t->bytes), .size = t->bytes.file_size, .tick = t->state.ticks};
}

enum err trace_mark_take(const struct source *trace, struct trace_mark **out) {
    const struct trace *t = trace_of(trace);
    const struct file *f = file_of(trace);
    if (!t && !f) {
        return ERR_UNSUPPORTED;
    }
    struct trace_mark *m = calloc(1, sizeof *m);
    if (!m) {
        return ERR_NOMEM;
    }
    if (f) {
        m->file = file_tell(f);
        *out = m;
        return ERR_OK;
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
    struct file *f = file_of(trace);
    if (f) {
        file_seek(f, &m->file);
        return ERR_OK;
    }
    if (!t) {
        return ERR_UNSUPPORTED;
    }
    enum err e = trace_subjects_copy(&t->subjects, &m->subjects);
    t->state = m->state;
    trace_bytes_seek(&t->bytes, m->place);
    return e;
}

/* Of a vendor file, whose ticks nobody looks at. */
static void drop_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct trace_extent *x = ctx;
    (void)s;
    if (f->kind != FRAME_BEGIN)
        return;
    x->first_ns = x->ticks == 0 ? f->t_ns : x->first_ns;
    x->last_ns = f->t_ns;
    x->ticks++;
}

static enum err next_tick(struct source *s, struct trace_extent *x) {
    const struct frame_sink sink = {.ctx = x, .frame = drop_frame};
    struct trace *t = trace_of(s);
    if (!t)
        return s->ops->read(s, 0, &sink);
    enum err e = trace_next_tick(t, NULL);
    *x = (struct trace_extent){t->state.ticks, t->state.first_ns, t->state.last_ns};
    return e;
}

/* Takes frames to the end. ERR_END when there; ERR_AGAIN when progress said so. */
static enum err run_through(struct source *s, struct trace_extent *x,
                            bool (*progress)(void *ctx, int ppm), void *ctx) {
    uint64_t told_at = 0;
    for (;;) {
        enum err e = next_tick(s, x);
        if (e != ERR_OK) {
            return e;
        }
        struct trace_place place;
        trace_place(s, &place);
        if (progress && place.at - told_at >= PROGRESS_BYTES) {
            told_at = place.at;
            if (!progress(ctx, (int)mul_div_u64(place.at, 1000000, place.size))) {
                return ERR_AGAIN;
            }
        }
    }
}

enum err trace_scan(struct source *trace, struct trace_extent *out,
                    bool (*progress)(void *ctx, int ppm), void *ctx) {
    struct trace_mark *here = NULL;
    struct trace_extent x = {0};
    enum err e = trace_mark_take(trace, &here);
    if (e != ERR_OK) {
        return e;
    }
    if (file_of(trace))
        file_rewind(file_of(trace));
    e = run_through(trace, &x, progress, ctx);
    *out = x;
    enum err back = trace_mark_return(trace, here);
    trace_mark_free(here);
    if (back != ERR_OK) {
        return back;
    }
    return e == ERR_END ? ERR_OK : e;
}
