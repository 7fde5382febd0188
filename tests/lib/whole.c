/* Running all rooms in one thread under a clock of the test. */
#include "whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/backend.h"

enum { TEXT_BYTES = 16384 };

/* Bodies are rewritten on the stack: what a test makes fail are the allocations of the program. */
struct text {
    size_t n;
    char p[TEXT_BYTES];
};

static void put(struct text *t, const char *p, size_t n) {
    if (n > sizeof t->p - t->n)
        n = sizeof t->p - t->n;
    memcpy(t->p + t->n, p, n);
    t->n += n;
}

/* The lines of the body but those that begin with one of these. */
static void put_rest(struct text *t, const struct frame *f, const char *const *but) {
    struct cursor c = cursor_over(frame_span(f));
    struct span line;
    while (cursor_line(&c, &line)) {
        bool skip = false;
        for (const char *const *key = but; *key; key++)
            skip |= span_starts(line, *key);
        if (skip)
            continue;
        put(t, line.p, line.n);
        put(t, "\n", 1);
    }
}

static void put_clock(struct text *t, const char *key, int64_t ns) {
    char line[64];
    int n = snprintf(line, sizeof line, "%s=%lld\n", key, (long long)ns);
    put(t, line, (size_t)n);
}

static void put_begin(struct text *t, const struct whole *w) {
    int64_t boot_ns = w->clock.mono_ns + w->clock.slept_ns;
    put_clock(t, "real_ns", w->clock.real_ns + boot_ns);
    put_clock(t, "boot_ns", boot_ns);
}

/* "drm-engine-NAME:\tN ns" */
static void put_moved(struct text *t, const struct frame *f, int64_t by_ns) {
    struct cursor c = cursor_over(frame_span(f));
    struct span line;
    while (cursor_line(&c, &line)) {
        char copy[256];
        long long ns;
        int at = 0;
        snprintf(copy, sizeof copy, "%.*s", (int)line.n, line.p);
        if (sscanf(copy, "drm-engine-%*[^: ]: %n%lld", &at, &ns) == 1) {
            char number[32];
            int n = snprintf(number, sizeof number, "%lld ns",
                             (long long)((unsigned long long)ns + (unsigned long long)by_ns));
            put(t, line.p, (size_t)at);
            put(t, number, (size_t)n);
        } else {
            put(t, line.p, line.n);
        }
        put(t, "\n", 1);
    }
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    static const char *const costs[] = {"cpu_ns=", "syscalls=", NULL};
    static const char *const boot[] = {"boot_ns=", NULL};
    const struct whole *w = ctx;
    struct frame moved = *f;
    struct text t = {0};
    moved.t_ns = w->clock.mono_ns;
    if (f->kind == FRAME_BEGIN) {
        put_begin(&t, w);
    } else if (f->kind == FRAME_MACHINE) {
        put_rest(&t, f, boot);
        put_clock(&t, "boot_ns", w->clock.real_ns);
    } else if (f->kind == FRAME_END) {
        put_rest(&t, f, costs);
    } else if (s->type == SUBJECT_HOLDER && f->kind >= FRAME_BACKEND && w->busy_step_ns &&
               f->outcome == OUTCOME_OK && f->size < TEXT_BYTES / 2) {
        put_moved(&t, f, w->busy_step_ns * w->ticks);
    }
    if (t.n) {
        moved.bytes = t.p;
        moved.size = t.n;
    }
    w->to->frame(w->to->ctx, s, &moved);
}

static enum err read_moved(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct whole *w = (struct whole *)s;
    struct frame_sink own = {w, on_frame};
    w->to = sink;
    return w->live->ops->read(w->live, now_ns, &own);
}

static void want(struct source *s, const struct want *wish) {
    struct whole *w = (struct whole *)s;
    w->live->ops->want(w->live, wish);
}

static const struct source_ops ops = {.read = read_moved, .want = want};

enum err whole_start(struct whole *w, const struct whole_options *o) {
    static const struct ui_options screen = {.unicode = true};
    static const struct out_options print;
    const struct host_options h = {
        .root = o->root, .io = o->io, .delay_ns = WHOLE_SECOND, .machine_facts = o->facts};
    *w = (struct whole){.source = {&ops}, .busy_step_ns = o->busy_step_ns};
    w->clock = (struct whole_clock){.mono_ns = 5000 * WHOLE_SECOND,
                                    .real_ns = INT64_C(1750000000000000000)};
    enum err e = pipeline_init(&w->pipe, false, 0);
    if (e == ERR_OK)
        e = host_create(&h, &w->host, NULL);
    if (e == ERR_OK)
        e = live_create(w->host, &backend_table, &w->live, NULL);
    if (e == ERR_OK)
        e = ui_create(&screen, &w->ui);
    if (e == ERR_OK)
        e = grid_resize(&w->grid, 40, 120);
    return e == ERR_OK ? output_find(span_of("json"))->open(&print, &w->out) : e;
}

enum err whole_look(struct whole *w) {
    const struct ui_play play = {.busy_ppm = -1, .speed_milli = 1000, .delay_ns = WHOLE_SECOND};
    const struct output *json = output_find(span_of("json"));
    enum err e = pipeline_read(&w->pipe, &w->source, w->clock.mono_ns);
    const struct snapshot *s = whole_snapshot(w);
    buf_clear(&w->json);
    w->ticks++;
    if (s)
        json->tick(w->out, s, &w->json);
    ui_render(w->ui, s, &play, &w->grid);
    return e;
}

enum err whole_tick(struct whole *w) {
    w->clock.mono_ns += WHOLE_SECOND;
    return whole_look(w);
}

void whole_finish(struct whole *w) {
    if (w->live)
        w->live->ops->close(w->live);
    pipeline_finish(&w->pipe);
    host_destroy(w->host);
    if (w->out)
        output_find(span_of("json"))->close(w->out);
    ui_destroy(w->ui);
    grid_finish(&w->grid);
    buf_finish(&w->json);
    *w = (struct whole){0};
}

json_t *whole_json(const struct whole *w) {
    return w->json.failed ? NULL : json_loadb(w->json.p, w->json.n, JSON_REJECT_DUPLICATES, NULL);
}

const struct snapshot *whole_snapshot(const struct whole *w) {
    return acct_snapshot(w->pipe.acct);
}
