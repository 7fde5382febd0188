/*
 * The trace reader on any bytes: it opens or refuses, plays to an end, and gets back to where marks were
 * taken. What it emits must hold what a source promises: known subjects, texts with an end, time that
 * does not go back, and the same again after a return.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framelog.h"
#include "gwtop/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MARKS 3

struct play {
    uint64_t frames;
    uint64_t sum; /* of all that was emitted */
};

static void add(struct play *p, const void *bytes, size_t n) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++) {
        p->sum = (p->sum ^ b[i]) * UINT64_C(1099511628211);
    }
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct play *p = ctx;
    if (s->id != f->subject || f->t_ns < 0 || f->outcome >= OUTCOME_COUNT ||
        s->type >= SUBJECT_TYPE_COUNT || (s->id == 0) != (s->type == SUBJECT_MACHINE) ||
        !text_is_clean(span_of(s->name)) || (f->size > 0 && !f->bytes)) {
        abort();
    }
    p->frames++;
    add(p, &f->kind, sizeof f->kind);
    add(p, &f->t_ns, sizeof f->t_ns);
    add(p, f->bytes, f->size < 4096 ? f->size : 4096);
    add(p, s->facts, strlen(s->facts));
}

static enum err read_one(struct source *trace, struct play *p) {
    struct frame_sink sink = {.ctx = p, .frame = on_frame};
    return trace->ops->read(trace, 0, &sink);
}

static void play_to_end(struct source *trace, struct play *p) {
    enum err e;
    do {
        e = read_one(trace, p);
    } while (e == ERR_OK);
    if (e != ERR_END) {
        abort();
    }
}

static void travel(struct source *trace) {
    struct trace_mark *marks[MARKS] = {NULL};
    struct play rest[MARKS];
    struct trace_extent extent;
    struct trace_place place;
    for (int i = 0; i < MARKS; i++) {
        struct play one = {0};
        rest[i] = (struct play){0};
        if (trace_mark_take(trace, &marks[i]) != ERR_OK) {
            abort();
        }
        play_to_end(trace, &rest[i]);
        if (trace_mark_return(trace, marks[i]) != ERR_OK) {
            abort();
        }
        read_one(trace, &one);
    }
    if (trace_scan(trace, &extent, NULL, NULL) != ERR_OK) {
        abort();
    }
    for (int i = MARKS - 1; i >= 0; i--) {
        struct play again = {0};
        if (trace_mark_return(trace, marks[i]) != ERR_OK) {
            abort();
        }
        play_to_end(trace, &again);
        trace_place(trace, &place);
        if (again.frames != rest[i].frames || again.sum != rest[i].sum ||
            place.tick != extent.ticks || place.at > place.size) {
            abort();
        }
        trace_mark_free(marks[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int fd;
    struct err_info info = {0};
    struct source *trace = NULL;
    enum err e = trace_open(fake_file(data, size, &fd, path), &fake_table, &trace, &info);
    close(fd);
    if (e != ERR_OK) {
        return 0;
    }
    travel(trace);
    const char *note = trace_note(trace);
    if (note && !text_is_clean(span_of(note))) {
        abort();
    }
    trace->ops->close(trace);
    return 0;
}
