/* Keeping frames, and the laws that each source of them keeps. */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen_subject {
    bool open;
    int64_t t_ns;
    uint8_t type;
};

static void law(bool kept, const char *word, const struct subject *s, const struct frame *f) {
    if (kept)
        return;
    fprintf(stderr, "law broken: %s (subject %u, type %u, pid %d, kind %u)\n", word, s->id, s->type,
            s->pid, f->kind);
    abort();
}

static void *must(void *p) {
    if (!p)
        abort();
    return p;
}

static struct seen_subject *subject_of(struct seen *s, uint32_t id) {
    if (vec_reserve((void **)&s->subjects, &s->subject_cap, id + 1, sizeof(*s->subjects)))
        abort();
    s->subjects[0].open = true;
    return &s->subjects[id];
}

static void check_open(struct seen *s, const struct subject *subject, const struct frame *f) {
    struct seen_subject *known = subject_of(s, subject->id);
    law(!known->open, "declared twice", subject, f);
    known->open = true;
    known->t_ns = f->t_ns;
    known->type = subject->type;
    law(subject_of(s, subject->parent)->open, "parent not open", subject, f);
    law(subject_of(s, subject->device)->open, "device not open", subject, f);
    law(subject->type != SUBJECT_HOLDER || subject->parent != 0, "holder without process", subject,
        f);
}

static void check(struct seen *s, const struct subject *subject, const struct frame *f) {
    struct seen_subject *known;
    law(subject->id == f->subject, "frame of another subject", subject, f);
    law(subject->name && subject->facts, "subject without texts", subject, f);
    law(text_is_clean(span_of(subject->name)), "name not clean", subject, f);
    law((f->outcome == OUTCOME_OK) == (f->sys == 0) || f->outcome == OUTCOME_ASLEEP,
        "outcome and errno disagree", subject, f);
    law(f->outcome == OUTCOME_OK || f->size == 0, "failed frame with bytes", subject, f);
    law(s->in_tick || f->kind == FRAME_BEGIN || f->kind == FRAME_MACHINE, "outside a tick", subject,
        f);
    if (f->kind == FRAME_BEGIN || f->kind == FRAME_END)
        law(s->in_tick == (f->kind == FRAME_END), "ticks nested", subject, f);
    s->in_tick = f->kind == FRAME_BEGIN || (s->in_tick && f->kind != FRAME_END);
    s->ticks += f->kind == FRAME_END;
    if (f->kind == FRAME_OPEN)
        check_open(s, subject, f);
    known = subject_of(s, subject->id);
    law(known->open, "not declared", subject, f);
    law(f->t_ns >= known->t_ns, "time goes back", subject, f);
    known->t_ns = f->t_ns;
    if (f->kind == FRAME_CLOSE)
        known->open = false;
}

static void on_frame(void *ctx, const struct subject *subject, const struct frame *f) {
    struct seen *s = ctx;
    struct seen_frame *copy;
    char *bytes = must(malloc(f->size + 1));
    check(s, subject, f);
    if (vec_reserve((void **)&s->items, &s->cap, s->count + 1, sizeof(*s->items)))
        abort();
    copy = &s->items[s->count++];
    copy->frame = *f;
    copy->subject = *subject;
    if (f->size > 0)
        memcpy(bytes, f->bytes, f->size);
    bytes[f->size] = '\0';
    copy->frame.bytes = bytes;
    copy->subject.name = must(strdup(subject->name));
    copy->subject.facts = must(strdup(subject->facts));
}

struct frame_sink seen_sink(struct seen *s) {
    return (struct frame_sink){.ctx = s, .frame = on_frame};
}

void seen_clear(struct seen *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        free((char *)s->items[i].frame.bytes);
        free((char *)s->items[i].subject.name);
        free((char *)s->items[i].subject.facts);
    }
    s->count = 0;
}

void seen_finish(struct seen *s) {
    seen_clear(s);
    free(s->items);
    free(s->subjects);
    *s = (struct seen){0};
}

const struct seen_frame *seen_next(const struct seen *s, uint32_t *at, struct seen_want w) {
    while (*at < s->count) {
        const struct seen_frame *f = &s->items[(*at)++];
        if ((w.kind < 0 || f->frame.kind == w.kind) && (w.type < 0 || f->subject.type == w.type) &&
            (w.pid < 0 || f->subject.pid == w.pid) &&
            (w.number < 0 || f->subject.number == (uint64_t)w.number))
            return f;
    }
    return NULL;
}

unsigned seen_count(const struct seen *s, struct seen_want w) {
    uint32_t at = 0;
    unsigned n = 0;
    while (seen_next(s, &at, w))
        n++;
    return n;
}

const struct seen_frame *seen_only(const struct seen *s, struct seen_want w) {
    uint32_t at = 0;
    const struct seen_frame *f = seen_next(s, &at, w);
    return f && seen_next(s, &at, w) ? NULL : f;
}

const char *seen_body(const struct seen_frame *f) {
    return f ? f->frame.bytes : "";
}
