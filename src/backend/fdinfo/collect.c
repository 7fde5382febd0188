/*
 * The collector's tick: list, ask, look, read, sweep. A steady tick makes one call for each process listed, one
 * for each known descriptor and the few of the sweep; it allocates nothing.
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)
#define YOUNG_NS  (10 * SECOND_NS) /* what changed lately is looked at before the others */
#define FULL_NS   (5 * SECOND_NS)  /* all are looked into in this time where no hint helps */
#define PAUSE_NS  INT64_C(500000)  /* between two looks, for each descriptor that the first met */

enum {
    SWEEP_SHARE = 10, /* the part of what a tick costs anyway that the sweep may add */
    SWEEP_LEAST = 16, /* or so many descriptors */
    LOOK_COST = 4,    /* of opening and closing a folder, in descriptors */
    CREDIT_MAX = 1 << 17
};

/* ---- listing --------------------------------------------------------------------------------------- */

static void list_name(void *ctx, struct span name) {
    struct collector *c = ctx;
    uint64_t pid;
    int32_t at;
    if (name.p[0] < '0' || name.p[0] > '9' || span_to_u64(name, &pid) || pid == 0 ||
        pid > INT32_MAX)
        return;
    at = index_get(c, (int32_t)pid);
    if (at == NONE ||
        vec_reserve((void **)&c->order, &c->order_cap, c->order_count + 1, sizeof(*c->order))) {
        c->list_sys = ENOMEM;
        return;
    }
    c->entries[at].tick = c->tick;
    c->order[c->order_count++] = at;
}

/* 0, or the errno of what failed: not all that is there was seen, so who is missing may live. */
static int list_processes(struct collector *c) {
    int fd = hold_open_path(c, ".", O_RDONLY | O_DIRECTORY);
    c->order_count = 0;
    c->list_sys = 0;
    if (fd < 0)
        return errno;
    if (host_list(c->host, fd, c->list_space, LIST_BYTES, list_name, c) < 0)
        c->list_sys = errno;
    host_close(c->host, fd);
    return c->list_sys;
}

/* ---- one process ------------------------------------------------------------------------------------- */

static void ask_failed(struct collector *c, struct entry *e, int sys) {
    switch (outcome_from_sys(sys)) {
    case OUTCOME_GONE:
        if (c->host->rooted)
            e->look = e->holder != NONE; /* the listing has it: a process without descriptors */
        else
            e->tick = c->tick - 1;
        break;
    case OUTCOME_DENIED:
        e->refused = c->host->rooted ? REASON_DENIED : REASON_HIDEPID;
        e->look = false;
        break;
    default:
        e->refused = REASON_FAILED_READ;
        e->later = true;
        break;
    }
}

/* Most of what asking costs is the way to the folder, so one met again is kept open: the kernel counts its
 * descriptors while the process lives and says ENOENT after. Only where sizes count: older kernels speak of the
 * dead too. */
static void keep_folder(struct collector *c, struct entry *e) {
    if (c->hint != HINT_COUNT || e->size < 0 || c->host->keep_left <= FOLDER_SPARE)
        return;
    e->folder = host_open(c->host, c->host->proc_fd, e->path, O_PATH | O_DIRECTORY);
    if (e->folder >= 0)
        c->host->keep_left--;
}

/* Who has the pid may be another by now: then its folder is a new one. */
static int stat_folder(struct collector *c, struct entry *e, struct stat *st) {
    if (e->folder < 0)
        keep_folder(c, e);
    if (e->folder >= 0) {
        if (host_fstat(c->host, e->folder, st) == 0)
            return 0;
        index_close_folder(c, e);
    }
    return host_stat(c->host, c->host->proc_fd, e->path, st);
}

/* Asks the fd folder whether a look is worth it. */
static void ask(struct collector *c, struct entry *e) {
    struct stat st;
    int64_t mtime_ns = 0;
    bool other;
    if (stat_folder(c, e, &st) != 0) {
        ask_failed(c, e, errno);
        return;
    }
    if (c->host->rooted)
        mtime_ns = (int64_t)st.st_mtim.tv_sec * SECOND_NS + st.st_mtim.tv_nsec;
    other = st.st_ino != e->ino || mtime_ns != e->mtime_ns;
    if (other || (st.st_size != e->size && e->refused == REASON_COUNT)) {
        e->look = true;
        if (e->size >= 0 && e->pid != c->own)
            e->changed_ns = c->now_ns;
    }
    if (st.st_ino != e->ino)
        e->looked_ns = 0; /* another process: nothing is known of it */
    e->ino = st.st_ino;
    e->mtime_ns = mtime_ns;
    e->size = st.st_size;
    /* Kernel threads and the like: nothing to walk. */
    if (c->hint == HINT_COUNT && e->size == 0 && e->holder == NONE) {
        e->look = false;
        e->refused = REASON_COUNT;
    }
    if (c->hint == HINT_NONE && e->holder != NONE && c->now_ns - e->looked_ns >= SECOND_NS)
        e->look = true;
}

/* A server with thousands of connections changes in every tick: looks at it are that much rarer, so that one
 * process costs less than a hundredth of a processor. */
static bool too_soon(const struct collector *c, const struct entry *e) {
    int64_t pause_ns = PAUSE_NS * (int64_t)e->fds;
    int64_t most_ns = e->holder == NONE ? FULL_NS : SECOND_NS;
    if (e->pid == c->own)
        pause_ns = most_ns;
    return e->looked_ns != 0 &&
           c->now_ns - e->looked_ns < (pause_ns < most_ns ? pause_ns : most_ns);
}

static void visit(struct collector *c, struct entry *e) {
    e->look |= e->later;
    e->later = false;
    e->unread = REASON_COUNT;
    ask(c, e);
    if (e->tick != c->tick)
        return;
    if (e->look && too_soon(c, e)) {
        e->look = false;
        e->later = true;
    }
    if (e->look)
        look_at(c, e);
    hold_read_all(c, e);
    /* What was read says that descriptors changed. */
    if (e->look && e->tick == c->tick)
        look_at(c, e);
}

/* ---- the sweep --------------------------------------------------------------------------------------- */

/* What a tick may spend, in descriptors (in processes where no hint says which to look at). To ask a process
 * for its size and to look at a descriptor cost about the same, to read a text twice that. */
static void earn(struct collector *c) {
    int64_t more = ((int64_t)c->order_count + 2 * (int64_t)c->holders_open) / SWEEP_SHARE;
    if (more < SWEEP_LEAST)
        more = SWEEP_LEAST;
    if (c->hint == HINT_NONE)
        more = (int64_t)c->order_count * c->host->delay_ns / FULL_NS + 1;
    c->credit += more;
    if (c->credit > CREDIT_MAX)
        c->credit = CREDIT_MAX;
}

static bool worth_a_look(const struct collector *c, const struct entry *e) {
    return e->tick == c->tick && e->looked_ns != c->now_ns && e->pid != c->own &&
           !(c->hint == HINT_COUNT && e->size == 0 && e->holder == NONE);
}

/* Looks at it if what is left over `floor` pays for that. */
static bool look_if_paid(struct collector *c, struct entry *e, int64_t floor) {
    int64_t cost = c->hint == HINT_NONE ? 1 : LOOK_COST + (int64_t)e->fds;
    if (cost > CREDIT_MAX / 2)
        cost = CREDIT_MAX / 2;
    if (c->credit - cost < floor)
        return false;
    c->credit -= cost;
    look_at(c, e);
    return true;
}

/* Where a cursor over the order stands, after one step. */
static struct entry *step(const struct collector *c, uint32_t *cursor) {
    if (*cursor >= c->order_count)
        *cursor = 0;
    return &c->entries[c->order[(*cursor)++]];
}

/* A process that came or changed lately is likely to change its descriptors again: half goes to these. */
static void sweep_young(struct collector *c) {
    int64_t floor = c->credit / 2;
    for (uint32_t i = 0; i < c->order_count; i++) {
        struct entry *e = step(c, &c->young_cursor);
        if (e->changed_ns == 0)
            continue;
        if (c->now_ns - e->changed_ns > YOUNG_NS) {
            e->changed_ns = 0;
        } else if (worth_a_look(c, e) && c->now_ns - e->looked_ns >= SECOND_NS &&
                   !look_if_paid(c, e, floor)) {
            c->young_cursor--;
            return;
        }
    }
}

static void sweep(struct collector *c) {
    earn(c);
    sweep_young(c);
    for (uint32_t i = 0; i < c->order_count; i++) {
        struct entry *e = step(c, &c->cursor);
        if (worth_a_look(c, e) && !look_if_paid(c, e, 0)) {
            c->cursor--;
            return;
        }
    }
    c->credit = 0; /* all were looked at: nothing is left to spend on */
}

/* ---- the tick ----------------------------------------------------------------------------------------- */

/* How many there are is what /proc does not say where it hides them or could not be listed: at least one. */
static void count_unlisted(const struct collector *c, int list_sys) {
    uint32_t *unreadable = c->host->tally.unreadable;
    if (c->hidden)
        unreadable[REASON_HIDEPID]++;
    if (list_sys != 0)
        unreadable[outcome_from_sys(list_sys) == OUTCOME_DENIED ? REASON_DENIED
                                                                : REASON_FAILED_READ]++;
}

/* Ends those who are not there any more, counts those of whom not all was seen. */
static void settle(struct collector *c, int list_sys) {
    struct host_tally *t = &c->host->tally;
    t->processes += c->order_count;
    for (uint32_t i = 0; i < c->entry_count; i++) {
        const struct entry *e = &c->entries[i];
        uint16_t why = e->refused != REASON_COUNT ? e->refused : e->unread;
        if (!index_used(e))
            continue;
        if (e->tick != c->tick && list_sys == 0)
            index_drop(c, (int32_t)i);
        else if (why != REASON_COUNT)
            t->unreadable[why]++;
    }
    count_unlisted(c, list_sys);
}

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    int list_sys;
    c->tick++;
    c->now_ns = now_ns;
    c->sink = sink;
    (void)hold_shed(c);
    list_sys = list_processes(c);
    for (uint32_t i = 0; i < c->order_count; i++)
        visit(c, &c->entries[c->order[i]]);
    if (c->tick > 1)
        sweep(c);
    settle(c, list_sys);
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
    hold_finish(c);
    index_finish(c);
    free(c->found);
    free(c->list_space);
    free(c->walk_space);
    free(c->text);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll,
    .read = collect_read,
    .close = collect_close,
};

bool fdinfo_probe(const struct host *host, const struct device_info *device) {
    return !device && host->proc_fd >= 0;
}

/* Our own descriptors are at least the one that asks: a size of 0 says that sizes say nothing. */
static enum size_hint find_hint(struct host *h) {
    struct stat st;
    if (h->rooted || host_stat(h, h->proc_fd, "self/fd", &st) != 0)
        return HINT_CHANGE;
    return st.st_size > 0 ? HINT_COUNT : HINT_NONE;
}

/* Process 1 is always there, but hidden from us where /proc is mounted with hidepid. */
static bool find_hidden(struct host *h) {
    struct stat st;
    return !h->rooted && host_stat(h, h->proc_fd, "self", &st) == 0 &&
           host_stat(h, h->proc_fd, "1", &st) != 0 && errno == ENOENT;
}

enum err fdinfo_open(struct host *host, const struct device_info *device, struct source **out) {
    struct collector *c = calloc(1, sizeof(*c));
    (void)device;
    if (!c)
        return ERR_NOMEM;
    c->source.ops = &ops;
    c->host = host;
    c->entry_free = c->holder_free = NONE;
    c->backend = (uint16_t)roster_backend(host, &backend_fdinfo);
    c->list_space = malloc(LIST_BYTES);
    c->walk_space = malloc(WALK_BYTES);
    c->text = malloc(TEXT_BYTES);
    c->text_cap = TEXT_BYTES;
    if (!c->list_space || !c->walk_space || !c->text) {
        collect_close(&c->source);
        return ERR_NOMEM;
    }
    c->hint = find_hint(host);
    c->hidden = find_hidden(host);
    c->own = host->rooted ? 0 : (int32_t)getpid();
    *out = &c->source;
    return ERR_OK;
}
