/*
 * What /proc says of each process that uses a GPU. Its stat is kept open and read in each tick; names, user and
 * cgroup are read at first sight, again when its name changed, and of one process a tick when they have
 * grown old (a cgroup may be left, a command line rewritten).
 */
#include "collect_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLD_NS INT64_C(30000000000)

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

struct watched *proc_watch(struct collector *c, const struct want_process *p) {
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

void proc_visit(struct collector *c, struct watched *w) {
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

/* ---- the source --------------------------------------------------------------------------------------------- */

static void collect_want(struct source *s, const struct want *want) {
    struct collector *c = (struct collector *)s;
    nameless_keep(c, want);
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
        struct watched *w = proc_watch(c, &c->wanted[i]);
        if (w)
            proc_visit(c, w);
    }
    nameless_follow(c);
    nameless_tick(c);
    forget_others(c);
    refresh_one(c);
    return ERR_OK;
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
    nameless_finish(c);
    free(c->text);
    user_names_finish(&c->users);
    buf_finish(&c->body);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll,
    .read = collect_read,
    .want = collect_want,
    .name = nameless_tell,
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
    nameless_follow(c); /* if from the start: its rights are not there for long */
    *out = &c->source;
    return ERR_OK;
}
