/*
 * The bus: one frame in, what it says out to every subscriber, and what became of its units. Times
 * are those of the frames; nothing here keeps a clock.
 */
#include <stdlib.h>
#include <string.h>

#include "gwtop/bus.h"

#include "folds.h"

#define SUBSCRIBERS 8

struct bus {
    const struct backend_table *table;
    struct folds folds;
    struct counts counts;
    struct subscriber subscribers[SUBSCRIBERS];
    unsigned subscriber_count;
};

enum err bus_create(const struct backend_table *table, struct bus **out) {
    struct bus *b = calloc(1, sizeof(*b));
    if (!b)
        return ERR_NOMEM;
    b->table = table;
    *out = b;
    return ERR_OK;
}

void bus_destroy(struct bus *b) {
    if (!b)
        return;
    folds_finish(&b->folds);
    free(b);
}

enum err bus_subscribe(struct bus *b, const struct subscriber *s) {
    if (b->subscriber_count == SUBSCRIBERS)
        return ERR_RANGE;
    b->subscribers[b->subscriber_count++] = *s;
    return ERR_OK;
}

static void out_sample(void *ctx, const struct sample *sample) {
    const struct bus *b = ctx;
    for (unsigned i = 0; i < b->subscriber_count; i++)
        if (b->subscribers[i].sink.sample)
            b->subscribers[i].sink.sample(b->subscribers[i].sink.ctx, sample);
}

static void out_job(void *ctx, const struct job *job) {
    const struct bus *b = ctx;
    for (unsigned i = 0; i < b->subscriber_count; i++)
        if (b->subscribers[i].sink.job)
            b->subscribers[i].sink.job(b->subscribers[i].sink.ctx, job);
}

static void out_label(void *ctx, const struct label *label) {
    const struct bus *b = ctx;
    for (unsigned i = 0; i < b->subscriber_count; i++)
        if (b->subscribers[i].sink.label)
            b->subscribers[i].sink.label(b->subscribers[i].sink.ctx, label);
}

/* A subscriber that is alone is told directly: samples come by the thousand. */
static struct sink all_subscribers(struct bus *b) {
    if (b->subscriber_count == 1)
        return b->subscribers[0].sink;
    return (struct sink){b, out_sample, out_job, out_label};
}

/* Everything of a backend: decoded, folded, or counted as what could not be. */
static void decode(struct bus *b, const struct subject *s, const struct frame *f,
                   const struct sink *sink, struct counts *counts) {
    const struct kind *kind = backend_kind(b->table, s, f->kind);
    if (f->outcome != OUTCOME_OK) {
        counts_ignored(counts, REASON_FAILED_READ);
    } else if (!kind) {
        counts_ignored(counts, REASON_UNKNOWN_KIND);
    } else if (kind->decode) {
        kind->decode(s, f, sink, counts);
    } else {
        void *state = folds_state(&b->folds, s, f->kind, kind->fold);
        if (state)
            kind->fold->feed(state, s, f, sink, counts);
        else
            counts_ignored(counts, REASON_FAILED_READ);
    }
}

static void tell_done(struct bus *b, const struct subject *s, const struct frame *f,
                      const struct counts *counts) {
    for (unsigned i = 0; i < b->subscriber_count; i++)
        if (b->subscribers[i].done)
            b->subscribers[i].done(b->subscribers[i].sink.ctx, s, f, counts);
}

static void on_counted(void *ctx, const struct subject *s, const struct frame *f,
                       const struct counts *counts) {
    struct bus *b = ctx;
    counts_add(&b->counts, counts);
    tell_done(b, s, f, counts);
}

void bus_frame(struct bus *b, const struct subject *s, const struct frame *f) {
    const struct sink sink = all_subscribers(b);
    const struct fold_sink to = {&sink, b, on_counted};
    struct counts counts = {0};

    /* What was running tells how far it came before anybody hears that the tick or it is over. */
    if (f->kind == FRAME_END)
        folds_tick(&b->folds, f->t_ns, &to);
    else if (f->kind == FRAME_CLOSE)
        folds_tick_subject(&b->folds, f->subject, f->t_ns, &to);
    if (f->kind == FRAME_CLOSE || f->kind == FRAME_OPEN)
        folds_drop_subject(&b->folds, f->subject);

    for (unsigned i = 0; i < b->subscriber_count; i++)
        if (b->subscribers[i].frame)
            b->subscribers[i].frame(b->subscribers[i].sink.ctx, s, f);
    if (f->kind > FRAME_STATE) {
        decode(b, s, f, &sink, &counts);
        counts_add(&b->counts, &counts);
    }
    tell_done(b, s, f, &counts);
}

static void take_frame(void *ctx, const struct subject *s, const struct frame *f) {
    bus_frame(ctx, s, f);
}

struct frame_sink bus_sink(struct bus *b) {
    return (struct frame_sink){b, take_frame};
}

void bus_finish(struct bus *b, int64_t t_ns) {
    const struct sink sink = all_subscribers(b);
    const struct fold_sink to = {&sink, b, on_counted};
    folds_tick(&b->folds, t_ns, &to);
}

const struct counts *bus_counts(const struct bus *b) {
    return &b->counts;
}

enum err bus_copy(struct bus *to, const struct bus *from) {
    enum err e = folds_copy(&to->folds, &from->folds);
    if (e == ERR_OK)
        to->counts = from->counts;
    return e;
}
