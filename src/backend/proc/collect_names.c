/*
 * Processes that others told of without a name: those that are there are opened and read like all that are wanted;
 * of those that are gone what was kept is told.
 */
#include "collect_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 256 };

static struct map_key pid_key(int32_t pid) {
    return (struct map_key){0, (uint32_t)pid};
}

void nameless_follow(struct collector *c) {
    const struct host *h = c->host;
    if (c->events_tried || h->rooted || h->io != &host_io_posix)
        return;
    if (c->nameless_count == 0 && facts_get(h->machine_facts, "option.mali-profiling").n == 0 &&
        facts_get(h->machine_facts, "option.tracefs").n == 0)
        return;
    c->events_tried = true;
    c->events = events_start(h->proc_fd, 0);
}

/* Its end is told in the next tick: what it did in this one is not counted yet. */
static void end_later(struct collector *c, const struct subject *s) {
    void *late = c->late;
    enum err e = vec_reserve(&late, &c->late_cap, c->late_count + 1, sizeof(*c->late));
    c->late = late;
    if (e == ERR_OK)
        c->late[c->late_count++] = s;
    else
        roster_process_put(c->host, s, "exited", c->sink, clock_mono_ns());
}

static void end_late(struct collector *c) {
    for (uint32_t i = 0; i < c->late_count; i++)
        roster_process_put(c->host, c->late[i], "exited", c->sink, clock_mono_ns());
    c->late_count = 0;
}

/* Tells what was kept of a process that is gone. */
static void tell_kept(struct collector *c, int32_t pid, bool at_end) {
    struct kept_names k;
    const struct subject *s;
    int64_t t_ns = clock_mono_ns();
    if (!c->events || !events_find(c->events, pid, &k))
        return;
    s = roster_process_get(c->host, pid, k.start, c->sink, t_ns);
    if (!s)
        return;
    if (k.stat_n > 0) {
        host_emit(c->sink, s, PROC_STAT, t_ns, k.stat, k.stat_n, 0);
        host_emit(c->sink, s, PROC_CMDLINE, t_ns, k.cmdline, k.cmdline_n, 0);
    } else {
        buf_clear(&c->body);
        facts_put_u64(&c->body, "parent", (uint64_t)k.parent);
        if (k.parent_name[0] != '\0')
            facts_put(&c->body, "parent_name", (struct span){k.parent_name, strlen(k.parent_name)});
        if (!c->body.failed)
            host_emit(c->sink, s, PROC_NAME, t_ns, c->body.p, (ssize_t)c->body.n, 0);
    }
    if (at_end)
        end_later(c, s);
    else
        roster_process_put(c->host, s, "exited", c->sink, t_ns);
}

static bool start_of(struct collector *c, int32_t pid, uint64_t *start) {
    char path[32];
    struct proc_stat stat;
    snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
    ssize_t n = host_slurp(c->host, c->host->proc_fd, path, c->text, STAT_BYTES);
    if (n < 0 || proc_stat_read((struct span){c->text, (size_t)n}, &stat) != ERR_OK ||
        stat.start_ticks.err != ERR_OK)
        return false;
    *start = stat.start_ticks.value;
    return true;
}

/* Opens the process of this pid, if there is one; it is read like all others from then on. */
static void hold(struct collector *c, int32_t pid, bool at_end) {
    uint64_t start;
    const struct subject *s;
    struct watched *w;
    if (!start_of(c, pid, &start)) {
        tell_kept(c, pid, at_end);
        return;
    }
    if (vec_reserve((void **)&c->held, &c->held_cap, c->held_count + 1, sizeof(*c->held)) ||
        map_put(&c->held_pids, pid_key(pid), 0) != ERR_OK)
        return;
    s = roster_process_get(c->host, pid, start, c->sink, clock_mono_ns());
    if (!s) {
        (void)map_remove(&c->held_pids, pid_key(pid));
        return;
    }
    c->held[c->held_count] = (struct want_process){.subject = s->id, .pid = pid, .start = start};
    w = proc_watch(c, &c->held[c->held_count++]);
    if (w)
        proc_visit(c, w);
}

/* Some in each tick, in turn. */
static void hold_nameless(struct collector *c) {
    uint32_t tries = 0;
    for (uint32_t i = 0; i < c->nameless_count && tries < TRIES; i++) {
        int32_t pid = c->nameless[(c->nameless_at + i) % c->nameless_count];
        if (pid <= 0 || map_get(&c->held_pids, pid_key(pid)) != MAP_NONE)
            continue;
        hold(c, pid, false);
        tries++;
    }
    c->nameless_at = c->nameless_count > 0 ? (c->nameless_at + tries) % c->nameless_count : 0;
}

/* Ends those that are gone, or whose pid another process has. */
static void release_gone(struct collector *c) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->held_count; i++) {
        struct want_process h = c->held[i];
        struct watched *w = h.subject < c->watched_cap ? &c->watched[h.subject] : NULL;
        if (!w || !w->subject || w->pid != h.pid || w->start != h.start || !(w->gone || w->over))
            c->held[kept++] = h;
        else {
            (void)map_remove(&c->held_pids, pid_key(h.pid));
            roster_process_put(c->host, w->subject, w->gone ? "exited" : "reused", c->sink,
                               clock_mono_ns());
        }
    }
    c->held_count = kept;
}

void nameless_keep(struct collector *c, const struct want *want) {
    c->nameless_count = 0;
    if (want->nameless_count == 0 || want->nameless_count > UINT32_MAX / 2 ||
        vec_reserve((void **)&c->nameless, &c->nameless_cap, (uint32_t)want->nameless_count,
                    sizeof(*c->nameless)) != ERR_OK)
        return;
    c->nameless_count = (uint32_t)want->nameless_count;
    memcpy(c->nameless, want->nameless, c->nameless_count * sizeof(*c->nameless));
}

/* Who is held already was read in this tick, and so was whoever is wanted. */
void nameless_tell(struct source *s, const int32_t *pids, size_t count,
                   const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    c->sink = sink;
    for (size_t i = 0, tries = 0; i < count && tries < TRIES; i++) {
        if (pids[i] <= 0 || map_get(&c->held_pids, pid_key(pids[i])) != MAP_NONE)
            continue;
        hold(c, pids[i], true);
        tries++;
    }
}

void nameless_tick(struct collector *c) {
    hold_nameless(c);
    release_gone(c);
    end_late(c);
}

void nameless_finish(struct collector *c) {
    free(c->nameless);
    free(c->held);
    free(c->late);
    map_finish(&c->held_pids);
    events_stop(c->events);
}
