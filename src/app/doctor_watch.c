/*
 * A few ticks of the live source, listened to: which kinds of frames came of which device, which failed and why, and
 * which keys the clients' fdinfo has.
 */
#include "doctor.h"

#include <stdlib.h>

#include "gwtop/backend.h"
#include "signals.h"

enum { KEYS_MAX = 4096 };

const struct doctor_heard *doctor_watch_device(const struct doctor_watch *w, uint32_t subject) {
    for (uint32_t i = 0; i < w->heard_count; i++)
        if (w->heard[i].subject == subject)
            return &w->heard[i];
    return NULL;
}

const struct doctor_seen *doctor_watch_kind(const struct doctor_watch *w, uint32_t device,
                                            const struct kind *kind) {
    for (uint32_t i = 0; i < w->seen_count; i++)
        if (w->seen[i].device == device && w->seen[i].kind == kind)
            return &w->seen[i];
    return NULL;
}

/* ---- frames ------------------------------------------------------------------------------------ */

static void hear_device(struct doctor_watch *w, const struct subject *s) {
    struct doctor_heard *h = (struct doctor_heard *)(size_t)doctor_watch_device(w, s->id);
    if (!h && vec_reserve((void **)&w->heard, &w->heard_cap, w->heard_count + 1, sizeof(*h))) {
        w->failed = true;
        return;
    }
    if (!h) {
        h = &w->heard[w->heard_count++];
        *h = (struct doctor_heard){.subject = s->id};
    }
    h->as = *s;
    h->as.name = doctor_keep_text(w->texts, s->name);
    h->as.facts = doctor_keep_lines(w->texts, s->facts);
}

static bool holds_word(struct span list, struct span word) {
    struct cursor c = cursor_over(list);
    struct span one;
    while (cursor_word(&c, &one))
        if (one.n == word.n && memcmp(one.p, word.p, word.n) == 0)
            return true;
    return false;
}

static void hear_key(struct doctor_heard *h, struct span key) {
    static const char *const memory[] = {"drm-memory-", "drm-total-", "drm-resident-"};
    if (!span_starts(key, "drm-") || !text_is_clean(key) || memchr(key.p, ' ', key.n))
        return;
    h->engines |= (span_starts(key, "drm-engine-") && !span_starts(key, "drm-engine-capacity-")) ||
                  (span_starts(key, "drm-cycles-"));
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
        h->memory |= span_starts(key, memory[i]);
    if (h->keys.n + key.n >= KEYS_MAX || holds_word(buf_span_of(&h->keys), key))
        return;
    buf_span(&h->keys, key);
    buf_char(&h->keys, ' ');
}

static void hear_fdinfo(struct doctor_watch *w, uint32_t device, struct span text) {
    struct doctor_heard *h = (struct doctor_heard *)(size_t)doctor_watch_device(w, device);
    struct cursor c = cursor_over(text);
    struct span line;
    struct span key;
    while (h && cursor_line(&c, &line)) {
        struct cursor one = cursor_over(line);
        if (cursor_field(&one, ':', &key))
            hear_key(h, key);
    }
}

static void hear_kind(struct doctor_watch *w, const struct subject *s, const struct frame *f) {
    const struct kind *kind = backend_kind(&backend_table, s, f->kind);
    struct doctor_seen *e =
        kind ? (struct doctor_seen *)(size_t)doctor_watch_kind(w, s->device, kind) : NULL;
    if (kind && !e &&
        vec_reserve((void **)&w->seen, &w->seen_cap, w->seen_count + 1, sizeof(*e)) != ERR_OK)
        w->failed = true;
    else if (kind && !e) {
        e = &w->seen[w->seen_count++];
        *e = (struct doctor_seen){.device = s->device, .kind = kind};
    }
    if (!e)
        return;
    e->fine += f->outcome == OUTCOME_OK;
    if (f->outcome != OUTCOME_OK) {
        e->failed++;
        e->sys = f->sys;
        e->outcome = f->outcome;
    }
    if (f->outcome == OUTCOME_OK && s->type == SUBJECT_HOLDER)
        hear_fdinfo(w, s->device, frame_span(f));
}

static void hear_end(struct doctor_watch *w, struct span body) {
    char text[2048];
    if (body.n >= sizeof(text))
        return;
    if (body.n > 0)
        memcpy(text, body.p, body.n);
    text[body.n] = '\0';
    w->processes = (uint32_t)facts_u64(text, "processes", 0);
}

static void hear(void *ctx, const struct subject *s, const struct frame *f) {
    struct doctor_watch *w = ctx;
    struct frame_sink bus = bus_sink(w->pipe.bus);
    if (w->also.frame)
        w->also.frame(w->also.ctx, s, f);
    bus.frame(bus.ctx, s, f);
    if (f->kind == FRAME_OPEN && s->type == SUBJECT_DEVICE)
        hear_device(w, s);
    else if (f->kind == FRAME_END)
        hear_end(w, frame_span(f));
    else if (f->kind >= FRAME_BACKEND)
        hear_kind(w, s, f);
}

/* ---- ticks ------------------------------------------------------------------------------------- */

enum err doctor_watch_run(struct doctor_watch *w, struct source *source, unsigned ticks,
                          struct err_info *info) {
    const struct frame_sink sink = {.ctx = w, .frame = hear};
    struct source_wait wait;
    enum err e = pipeline_init(&w->pipe, false, 0);
    for (unsigned done = 0; e == ERR_OK && done < ticks;) {
        source->ops->poll(source, clock_mono_ns(), &wait);
        if (signals_wait(wait.fd, wait.due_ns))
            return err_set(info, ERR_END, 0, "ended by a signal", NULL);
        e = source->ops->read(source, clock_mono_ns(), &sink);
        if (e == ERR_OK)
            acct_finish(w->pipe.acct);
        done += e == ERR_OK;
        e = e == ERR_AGAIN ? ERR_OK : e;
    }
    if (e == ERR_OK && w->failed)
        e = ERR_NOMEM;
    return e == ERR_OK ? e : err_set(info, e, 0, "reading the machine failed", err_text(e));
}

void doctor_watch_finish(struct doctor_watch *w) {
    for (uint32_t i = 0; i < w->heard_count; i++)
        buf_finish(&w->heard[i].keys);
    free(w->heard);
    free(w->seen);
    pipeline_finish(&w->pipe);
    *w = (struct doctor_watch){0};
}
