/*
 * Processes that a recording of jobs named by their pid alone, as wishes to the sources: of the tick at hand, while
 * it is read, and after it of those who could not be named then.
 */
#include "wish.h"

#include <stdlib.h>

static bool is_nameless(const struct snap_process *p) {
    return p->name.len == 0 && !p->exited && p->start == 0 && p->pid > 0;
}

static void add(struct wish_pids *p, int32_t pid) {
    void *list = p->list;
    enum err e = vec_reserve(&list, &p->cap, p->count + 1, sizeof(*p->list));
    p->list = list;
    if (e == ERR_OK)
        p->list[p->count++] = pid;
}

/* A process has a row on each device; rows are in order of pids. */
static void gather(struct wish *w, const struct snapshot *s) {
    w->last.count = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        if (is_nameless(p) && !(w->last.count > 0 && w->last.list[w->last.count - 1] == p->pid))
            add(&w->last, p->pid);
    }
}

/* ---- of the tick at hand --------------------------------------------------------------------- */

static struct map_key key_of(int32_t pid) {
    return (struct map_key){0, (uint32_t)pid};
}

static void on_job(void *ctx, const struct job *j) {
    struct wish *w = ctx;
    if (!w->told || j->pid <= 0 || map_get(&w->known, key_of(j->pid)) != MAP_NONE)
        return;
    if (map_put(&w->known, key_of(j->pid), 0) == ERR_OK)
        add(&w->now, j->pid);
}

struct subscriber wish_subscriber(struct wish *w) {
    return (struct subscriber){.sink = {.ctx = w, .job = on_job}};
}

static size_t late_pids(void *ctx, const int32_t **out) {
    struct wish *w = ctx;
    *out = w->now.list;
    return w->now.count;
}

static void send(struct wish *w, struct source *source) {
    struct want want = {
        .nameless = w->last.list, .nameless_count = w->last.count, .late = &w->late};
    source->ops->want(source, &want);
}

void wish_begin(struct wish *w, struct source *source, const struct snapshot *s) {
    if (!source->ops->want)
        return;
    w->now.count = 0;
    map_clear(&w->known);
    for (uint32_t i = 0; s && i < s->process_count; i++)
        if (!is_nameless(&s->processes[i]) && !s->processes[i].exited)
            (void)map_put(&w->known, key_of(s->processes[i].pid), 0);
    if (w->told)
        return;
    w->told = true;
    w->late = (struct want_late){w, late_pids};
    send(w, source);
}

/* ---- after it -------------------------------------------------------------------------------- */

void wish_send(struct wish *w, struct source *source, const struct snapshot *s) {
    uint32_t before = w->last.count;
    if (!s || !source->ops->want)
        return;
    gather(w, s);
    if (w->last.count > 0 || before > 0)
        send(w, source);
}

void wish_finish(struct wish *w) {
    free(w->last.list);
    free(w->now.list);
    map_finish(&w->known);
    *w = (struct wish){0};
}
