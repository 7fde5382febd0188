/*
 * What /proc says of each process that uses a GPU. Its stat is kept open and read in each tick; names, user and
 * cgroup are read at first sight, again when its name changed, and of one process a tick when they have
 * grown old (a cgroup may be left, a command line rewritten).
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLD_NS INT64_C(30000000000)

enum { TEXT_BYTES = 1 << 16, STAT_BYTES = 4096, COMM_BYTES = 64, TRIES = 256 };

/* A process that is wanted; zeroed: none. */
struct watched {
    const struct subject *subject;
    uint64_t start;
    int64_t names_ns; /* when its names were read; 0: never */
    int32_t pid;
    int fd; /* its stat kept open, or -1 */
    uint32_t tick;
    uint32_t comm_n;
    char comm[COMM_BYTES];
    bool gone; /* its stat was not there, which was said */
    bool over; /* another has its pid: nothing more to read */
};

struct collector {
    struct source source;
    struct host *host;
    struct watched *watched; /* by subject id */
    uint32_t watched_cap;
    struct want_process *wanted;
    uint32_t wanted_cap;
    uint32_t wanted_count;
    int32_t *nameless; /* pids whose names were asked for */
    uint32_t nameless_cap;
    uint32_t nameless_count;
    uint32_t nameless_at;      /* who is tried first */
    struct want_process *held; /* opened here for a name that was asked for */
    uint32_t held_cap;
    uint32_t held_count;
    struct map held_pids;
    const struct subject **late; /* named at the end of a tick, and gone: ended in the next one */
    uint32_t late_cap;
    uint32_t late_count;
    struct events *events; /* NULL: not started */
    bool events_tried;
    struct user_names users;
    struct buf body;
    char *text; /* TEXT_BYTES */
    uint32_t tick;
    uint32_t cursor; /* over wanted: whose names are read again next */
    int64_t now_ns;  /* of the read under way, and its sink */
    const struct frame_sink *sink;
};

/* ---- who is watched ---------------------------------------------------------------------------------- */

static void let_go(struct collector *c, struct watched *w) {
    if (!w->subject || w->fd < 0)
        return;
    host_close(c->host, w->fd);
    c->host->keep_left++;
    w->fd = -1;
}

/* Closes kept-open files as the host asks; true if that made room. */
static bool shed(struct collector *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->watched_cap && c->host->shed > 0; i++) {
        struct watched *w = &c->watched[i];
        if (!w->subject || w->fd < 0)
            continue;
        host_close(c->host, w->fd);
        w->fd = -1;
        c->host->shed--;
        any = true;
    }
    return any;
}

/* The place of a wanted process; NULL for lack of memory. */
static struct watched *watch(struct collector *c, const struct want_process *p) {
    struct watched *w;
    if (vec_reserve((void **)&c->watched, &c->watched_cap, p->subject + 1, sizeof(*c->watched)))
        return NULL;
    w = &c->watched[p->subject];
    if (!w->subject || w->pid != p->pid || w->start != p->start) {
        const struct subject *s;
        let_go(c, w);
        *w = (struct watched){0};
        /* A get and a put of an open subject only say where it is. */
        s = roster_process_get(c->host, p->pid, p->start, c->sink, clock_mono_ns());
        if (!s)
            return NULL;
        *w = (struct watched){.subject = s, .pid = p->pid, .start = p->start, .fd = -1};
        roster_process_put(c->host, s, "closed", c->sink, clock_mono_ns());
    }
    w->tick = c->tick;
    return w;
}

static void forget_others(struct collector *c) {
    for (uint32_t i = 0; i < c->watched_cap; i++) {
        struct watched *w = &c->watched[i];
        if (!w->subject || w->tick == c->tick)
            continue;
        let_go(c, w);
        *w = (struct watched){0};
    }
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* Opens a file of the process; where no descriptor is left one that is kept open makes way. */
static int open_file(struct collector *c, const struct watched *w, const char *file) {
    char path[32];
    int fd;
    snprintf(path, sizeof(path), "%" PRId32 "/%s", w->pid, file);
    fd = host_open(c->host, c->host->proc_fd, path, O_RDONLY);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE) && shed(c))
        fd = host_open(c->host, c->host->proc_fd, path, O_RDONLY);
    return fd;
}

/* Reads a file of the process and tells it. The text lies in c->text. What failed for now is asked again in the
 * next tick. */
static struct span tell_file(struct collector *c, struct watched *w, unsigned kind,
                             const char *file, size_t cap) {
    int fd = open_file(c, w, file);
    ssize_t n = fd >= 0 ? host_reread(c->host, fd, c->text, cap) : -1;
    int sys = n < 0 ? errno : 0;
    host_close(c->host, fd);
    host_emit(c->sink, w->subject, kind, clock_mono_ns(), c->text, n, sys);
    if (host_may_pass(sys))
        w->names_ns = 0;
    return (struct span){c->text, n > 0 ? (size_t)n : 0};
}

static void tell_user(struct collector *c, struct watched *w, uint32_t uid) {
    struct span name;
    if (!user_names_get(&c->users, c->host, uid, &name))
        w->names_ns = 0;
    buf_clear(&c->body);
    buf_text(&c->body, "uid: ");
    buf_u64(&c->body, uid);
    buf_char(&c->body, '\n');
    if (name.n > 0) {
        buf_text(&c->body, "user: ");
        buf_span(&c->body, name);
        buf_char(&c->body, '\n');
    }
    if (!c->body.failed)
        host_emit(c->sink, w->subject, PROC_USER, clock_mono_ns(), c->body.p, (ssize_t)c->body.n,
                  0);
}

static void tell_names(struct collector *c, struct watched *w) {
    struct span status;
    uint32_t uid;
    w->names_ns = c->now_ns;
    tell_file(c, w, PROC_CMDLINE, "cmdline", LABEL_MAX);
    tell_file(c, w, PROC_CGROUP, "cgroup", TEXT_BYTES);
    status = tell_file(c, w, PROC_STATUS, "status", TEXT_BYTES);
    if (proc_status_uid(status, &uid))
        tell_user(c, w, uid);
}

/* Whether its name is not the one before. */
static bool renamed(struct watched *w, struct span comm) {
    if (comm.n > sizeof(w->comm))
        comm.n = sizeof(w->comm);
    if (w->names_ns != 0 && comm.n == w->comm_n && memcmp(comm.p, w->comm, comm.n) == 0)
        return false;
    w->comm_n = (uint32_t)comm.n;
    memcpy(w->comm, comm.p, comm.n);
    return true;
}

static void take_stat(struct collector *c, struct watched *w, ssize_t n) {
    int64_t t_ns = clock_mono_ns();
    struct proc_stat stat;
    enum err e = proc_stat_read((struct span){c->text, (size_t)n}, &stat);
    if (e == ERR_OK && stat.start_ticks.err == ERR_OK && w->start != 0 &&
        stat.start_ticks.value != w->start) {
        let_go(c, w);
        w->over = true; /* whose subject this is will find out */
        return;
    }
    host_emit(c->sink, w->subject, PROC_STAT, t_ns, c->text, n, 0);
    if (e == ERR_OK && renamed(w, stat.comm))
        tell_names(c, w);
    else if (w->names_ns == 0)
        tell_names(c, w);
}

static ssize_t read_stat(struct collector *c, struct watched *w) {
    bool kept = w->fd >= 0;
    int fd = kept ? w->fd : open_file(c, w, "stat");
    ssize_t n;
    if (fd < 0)
        return -1;
    n = host_pread(c->host, fd, c->text, STAT_BYTES, 0);
    if (kept)
        return n;
    if (n >= 0 && !c->host->rooted && c->host->keep_left > 0) {
        c->host->keep_left--;
        w->fd = fd;
    } else {
        host_close(c->host, fd);
    }
    return n;
}

/* That it is gone is said once; its end is for others to tell. */
static void take_failure(struct collector *c, struct watched *w, int sys) {
    bool gone = outcome_from_sys(sys) == OUTCOME_GONE;
    if (!gone || !w->gone)
        host_emit(c->sink, w->subject, PROC_STAT, clock_mono_ns(), NULL, -1, sys);
    w->gone = gone;
    if (gone)
        let_go(c, w);
}

static void visit(struct collector *c, struct watched *w) {
    ssize_t n;
    if (w->over)
        return;
    n = read_stat(c, w);
    if (n < 0) {
        take_failure(c, w, errno);
        /* It has a name all the same, unless it is gone: under another root only the listing says that. */
        if (w->names_ns == 0 && (c->host->rooted || !w->gone))
            tell_names(c, w);
        return;
    }
    w->gone = false;
    take_stat(c, w, n);
}

/* One process whose names are old, if there is one. */
static void refresh_one(struct collector *c) {
    for (uint32_t i = 0; i < c->wanted_count; i++) {
        struct watched *w;
        uint32_t at;
        if (c->cursor >= c->wanted_count)
            c->cursor = 0;
        at = c->wanted[c->cursor++].subject;
        w = at < c->watched_cap ? &c->watched[at] : NULL;
        if (w && w->subject && w->tick == c->tick && !w->over && !w->gone &&
            c->now_ns - w->names_ns >= OLD_NS) {
            tell_names(c, w);
            return;
        }
    }
}

/* ---- names that were asked for ------------------------------------------------------------------------- */

static struct map_key pid_key(int32_t pid) {
    return (struct map_key){0, (uint32_t)pid};
}

/* Follows processes once names are wanted, and never those of another machine. */
static void follow(struct collector *c) {
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
    w = watch(c, &c->held[c->held_count++]);
    if (w)
        visit(c, w);
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

static void keep_nameless(struct collector *c, const struct want *want) {
    c->nameless_count = 0;
    if (want->nameless_count == 0 || want->nameless_count > UINT32_MAX / 2 ||
        vec_reserve((void **)&c->nameless, &c->nameless_cap, (uint32_t)want->nameless_count,
                    sizeof(*c->nameless)) != ERR_OK)
        return;
    c->nameless_count = (uint32_t)want->nameless_count;
    memcpy(c->nameless, want->nameless, c->nameless_count * sizeof(*c->nameless));
}

/* ---- the source --------------------------------------------------------------------------------------------- */

static void collect_want(struct source *s, const struct want *want) {
    struct collector *c = (struct collector *)s;
    keep_nameless(c, want);
    c->wanted_count = 0;
    if (want->process_count > UINT32_MAX / 2 ||
        vec_reserve((void **)&c->wanted, &c->wanted_cap, (uint32_t)want->process_count,
                    sizeof(*c->wanted)) != ERR_OK)
        return;
    c->wanted_count = (uint32_t)want->process_count;
    if (c->wanted_count > 0)
        memcpy(c->wanted, want->processes, c->wanted_count * sizeof(*c->wanted));
}

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    c->tick++;
    c->now_ns = now_ns;
    c->sink = sink;
    (void)shed(c);
    for (uint32_t i = 0; i < c->wanted_count; i++) {
        struct watched *w = watch(c, &c->wanted[i]);
        if (w)
            visit(c, w);
    }
    follow(c);
    hold_nameless(c);
    release_gone(c);
    end_late(c);
    forget_others(c);
    refresh_one(c);
    return ERR_OK;
}

/* Who is held already was read in this tick, and so was whoever is wanted. */
static void collect_name(struct source *s, const int32_t *pids, size_t count,
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

static void collect_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static void collect_close(struct source *s) {
    struct collector *c = (struct collector *)s;
    if (!c)
        return;
    for (uint32_t i = 0; i < c->watched_cap; i++)
        let_go(c, &c->watched[i]);
    free(c->watched);
    free(c->wanted);
    free(c->nameless);
    free(c->held);
    free(c->late);
    map_finish(&c->held_pids);
    events_stop(c->events);
    free(c->text);
    user_names_finish(&c->users);
    buf_finish(&c->body);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll,
    .read = collect_read,
    .want = collect_want,
    .name = collect_name,
    .close = collect_close,
};

bool proc_probe(const struct host *host, const struct device_info *device) {
    return !device && host->proc_fd >= 0;
}

enum err proc_open(struct host *host, const struct device_info *device, struct source **out) {
    struct collector *c = calloc(1, sizeof(*c));
    (void)device;
    if (!c)
        return ERR_NOMEM;
    c->source.ops = &ops;
    c->host = host;
    buf_init(&c->body);
    c->text = malloc(TEXT_BYTES);
    if (!c->text) {
        collect_close(&c->source);
        return ERR_NOMEM;
    }
    *out = &c->source;
    return ERR_OK;
}
