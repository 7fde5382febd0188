/* Processes that a recording of jobs named by their pid alone, as wishes to the sources. */
#include "wish.h"

#include <stdlib.h>

static bool is_nameless(const struct snap_process *p) {
    return p->name.len == 0 && !p->exited && p->start == 0 && p->pid > 0;
}

/* A process has a row on each device; rows are in order of pids. */
static void gather(struct wish *w, const struct snapshot *s) {
    w->count = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        if (!is_nameless(p) || (w->count > 0 && w->pids[w->count - 1] == p->pid))
            continue;
        void *pids = w->pids;
        enum err e = vec_reserve(&pids, &w->cap, w->count + 1, sizeof(*w->pids));
        w->pids = pids;
        if (e != ERR_OK)
            return;
        w->pids[w->count++] = p->pid;
    }
}

void wish_send(struct wish *w, struct source *source, const struct snapshot *s) {
    uint32_t before = w->count;
    if (!s || !source->ops->want)
        return;
    gather(w, s);
    if (w->count == 0 && before == 0)
        return;
    struct want want = {.nameless = w->pids, .nameless_count = w->count};
    source->ops->want(source, &want);
}

void wish_finish(struct wish *w) {
    free(w->pids);
    *w = (struct wish){0};
}
