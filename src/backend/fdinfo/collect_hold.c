/*
 * Holders: descriptors of device nodes, their fdinfo kept open and read again in each tick. A kept-open
 * fdinfo speaks of the number, not of the file: when the number is used again it hands out the other
 * file's text without an error, so who a text speaks of is held against what was known.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"

/* ---- slots ------------------------------------------------------------------------------------ */

static int32_t take(struct collector *c) {
    int32_t at = c->holder_free;
    if (at != NONE) {
        c->holder_free = c->holders[at].next;
    } else {
        if (c->holder_count >= INT32_MAX || vec_reserve((void **)&c->holders, &c->holder_cap,
                                                        c->holder_count + 1, sizeof(*c->holders)))
            return NONE;
        at = (int32_t)c->holder_count++;
    }
    c->holders[at] = (struct holder){.fd = -1, .next = NONE};
    return at;
}

static void give(struct collector *c, int32_t at) {
    c->holders[at].next = c->holder_free;
    c->holder_free = at;
}

static void keep(struct collector *c, struct holder *h, int fd) {
    /* A file of another root is no kernel's view of a number: it is opened anew each time. */
    if (!c->host->rooted && c->host->keep_left > 0) {
        c->host->keep_left--;
        h->fd = fd;
    } else {
        host_close(c->host, fd);
    }
}

static void let_go(struct collector *c, struct holder *h) {
    if (h->fd < 0)
        return;
    host_close(c->host, h->fd);
    h->fd = -1;
    c->host->keep_left++;
}

bool hold_shed(struct collector *c) {
    struct host *h = c->host;
    bool any = false;
    for (uint32_t i = 0; i < c->entry_count && h->shed > 0; i++)
        if (index_used(&c->entries[i]) && c->entries[i].folder >= 0) {
            host_close(h, c->entries[i].folder);
            c->entries[i].folder = -1;
            h->shed--;
            any = true;
        }
    for (uint32_t i = 0; i < c->holder_count && h->shed > 0; i++)
        if (c->holders[i].fd >= 0) {
            host_close(h, c->holders[i].fd);
            c->holders[i].fd = -1;
            h->shed--;
            any = true;
        }
    return any;
}

int hold_open_path(struct collector *c, const char *path, int flags) {
    int fd = host_open(c->host, c->host->proc_fd, path, flags);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE) && hold_shed(c))
        fd = host_open(c->host, c->host->proc_fd, path, flags);
    return fd;
}

static void close_subject(struct collector *c, struct holder *h, const char *reason, int64_t t_ns) {
    roster_close(c->host, h->subject, reason, c->sink, t_ns);
    h->subject = NULL;
}

/* Takes the holder behind *link out of its process's list. */
static void close_at(struct collector *c, int32_t *link, const char *reason) {
    int32_t at = *link;
    *link = c->holders[at].next;
    let_go(c, &c->holders[at]);
    close_subject(c, &c->holders[at], reason, clock_mono_ns());
    c->holders_open--;
    give(c, at);
}

void hold_end_process(struct collector *c, struct entry *e, const char *reason) {
    if (e->holder != NONE || !e->process)
        return;
    roster_process_put(c->host, e->process, reason, c->sink, clock_mono_ns());
    e->process = NULL;
}

void hold_close_all(struct collector *c, struct entry *e, const char *reason, bool all) {
    int32_t *link = &e->holder;
    while (*link != NONE) {
        if (all || c->holders[*link].over)
            close_at(c, link, reason);
        else
            link = &c->holders[*link].next;
    }
    hold_end_process(c, e, reason);
}

void hold_close_unmet(struct collector *c, struct entry *e) {
    int32_t *link = &e->holder;
    while (*link != NONE) {
        const struct holder *h = &c->holders[*link];
        if (!h->met)
            close_at(c, link, e->ended ? "exited" : h->over ? h->over : "closed");
        else
            link = &c->holders[*link].next;
    }
}

void hold_finish(struct collector *c) {
    for (uint32_t i = 0; i < c->holder_count; i++)
        let_go(c, &c->holders[i]);
    free(c->holders);
}

/* ---- paths ---------------------------------------------------------------------------------------- */

/* "PID/fd/N", or "PID/fdinfo/N". */
static void write_path(char path[PATH_BYTES], const struct entry *e, const char *more,
                       uint32_t number) {
    snprintf(path, PATH_BYTES, "%s%s/%" PRIu32, e->path, more, number);
}

static int open_text(struct collector *c, const struct entry *e, uint32_t number) {
    char path[PATH_BYTES];
    write_path(path, e, "info", number);
    return hold_open_path(c, path, O_RDONLY);
}

/* ---- texts ------------------------------------------------------------------------------------------- */

/* One call gives all of a file that fits; a text that does not end with its line is not whole yet. */
static ssize_t read_once(struct collector *c, int fd) {
    size_t have = 0;
    while (have < c->text_cap) {
        ssize_t n = host_pread(c->host, fd, c->text + have, c->text_cap - have, (off_t)have);
        if (n < 0)
            return -1;
        have += (size_t)n;
        if (n == 0 || c->text[have - 1] == '\n')
            break;
    }
    return (ssize_t)have;
}

static ssize_t read_text(struct collector *c, int fd) {
    ssize_t n = read_once(c, fd);
    char *larger;
    if (n < (ssize_t)c->text_cap || c->text_cap == TEXT_MAX_BYTES)
        return n;
    larger = realloc(c->text, TEXT_MAX_BYTES);
    if (!larger)
        return n;
    c->text = larger;
    c->text_cap = TEXT_MAX_BYTES;
    return read_once(c, fd);
}

static void remember_line(struct holder *h, struct span text) {
    static const char key[] = "\ndrm-client-id:";
    const char *at = memmem(text.p, text.n, key, sizeof(key) - 1);
    const char *end;
    h->id_line.n = 0;
    if (!at)
        return;
    end = memchr(at + 1, '\n', (size_t)(text.p + text.n - at) - 1);
    if (!end || (size_t)(end + 1 - at) > sizeof(h->id_line.text))
        return;
    h->id_line.at = (uint32_t)(at - text.p);
    h->id_line.n = (uint32_t)(end + 1 - at);
    memcpy(h->id_line.text, at, h->id_line.n);
}

enum who { WHO_SAME, WHO_OTHER, WHO_NOBODY };

/* Whom the text speaks of, compared with the texts before. Learns from the first that names a client. */
static enum who who_is(struct holder *h, struct span text) {
    struct fdinfo_client client;
    const struct id_line *line = &h->id_line;
    if (line->n > 0 && text.n >= (size_t)line->at + line->n &&
        memcmp(text.p + line->at, line->text, line->n) == 0)
        return WHO_SAME;
    if (!fdinfo_client_of(text, &client))
        return h->drm ? WHO_NOBODY : WHO_SAME;
    if (h->drm && (client.has_id != h->has_id || (h->has_id && client.id != h->client)))
        return WHO_OTHER;
    h->drm = true;
    h->has_id = client.has_id;
    h->client = client.id;
    remember_line(h, text);
    return WHO_SAME;
}

static void forget_client(struct holder *h) {
    h->drm = h->has_id = h->asleep_told = false;
    h->id_line.n = 0;
}

/* ---- opening and reading --------------------------------------------------------------------------------- */

static bool open_subject(struct collector *c, const struct entry *e, struct holder *h,
                         int64_t t_ns) {
    struct subject like = {
        .type = SUBJECT_HOLDER,
        .parent = e->process->id,
        .device = h->device ? h->device->id : 0,
        .backend = c->backend,
        .pid = e->pid,
        .start = e->start,
        .number = h->number,
        .name = "",
    };
    char facts[40];
    snprintf(facts, sizeof(facts), "node=%" PRIu32 ":%" PRIu32 "\n", h->major, h->minor);
    like.facts = facts;
    h->subject = roster_open(c->host, &like, c->sink, t_ns);
    return h->subject != NULL;
}

static void set_device(struct collector *c, struct holder *h, uint32_t major, uint32_t minor) {
    h->major = major;
    h->minor = minor;
    h->device = roster_device_find(c->host, major, minor, c->sink);
    /* Reading xe's text takes a reference on the device's power; no other driver's does. */
    h->wakes = h->device && span_equals(facts_get(h->device->facts, "driver"), "xe");
}

/* The number stands for another client now: the old holder ends, and the text belongs to a new one. False: it
 * does not stand for a device node any more. */
static bool renew(struct collector *c, struct entry *e, struct holder *h, struct span text,
                  int64_t t_ns) {
    char path[PATH_BYTES];
    uint32_t major;
    uint32_t minor;
    write_path(path, e, "", h->number);
    if (!look_node(c, c->host->proc_fd, path, &major, &minor)) {
        write_path(path, e, "info", h->number);
        if (outcome_from_sys(errno) != OUTCOME_DENIED || c->host->rooted ||
            !bare_node(c, c->host->proc_fd, path, &major, &minor))
            return false;
    }
    close_subject(c, h, "reused", t_ns);
    forget_client(h);
    set_device(c, h, major, minor);
    (void)who_is(h, text);
    return open_subject(c, e, h, t_ns);
}

static void take_failure(struct collector *c, struct entry *e, struct holder *h, int64_t t_ns,
                         int sys) {
    host_emit(c->sink, h->subject, FDINFO_FDINFO, t_ns, NULL, -1, sys);
    switch (outcome_from_sys(sys)) {
    case OUTCOME_GONE:
        h->over = "closed";
        e->look = true;
        break;
    case OUTCOME_DENIED:
        e->unread = REASON_DENIED;
        break;
    default:
        e->unread = REASON_FAILED_READ;
        break;
    }
}

static void take_text(struct collector *c, struct entry *e, struct holder *h, int64_t t_ns,
                      ssize_t n) {
    struct span text = {c->text, (size_t)n};
    enum who who = who_is(h, text);
    if (who != WHO_SAME)
        e->look = true;
    if (who == WHO_OTHER && !renew(c, e, h, text, t_ns))
        who = WHO_NOBODY;
    if (who == WHO_NOBODY)
        h->over = "closed";
    else
        host_emit(c->sink, h->subject, FDINFO_FDINFO, t_ns, text.p, n, 0);
}

static void read_fd(struct collector *c, struct entry *e, struct holder *h, int fd) {
    ssize_t n = read_text(c, fd);
    int sys = errno;
    int64_t t_ns = clock_mono_ns();
    if (n < 0)
        take_failure(c, e, h, t_ns, sys);
    else
        take_text(c, e, h, t_ns, n);
}

/* Whether it may not be read now; says so once. */
static bool sleeps(struct collector *c, struct holder *h) {
    struct frame f = {.subject = h->subject->id, .kind = FDINFO_FDINFO, .outcome = OUTCOME_ASLEEP};
    bool asleep = h->wakes && roster_asleep(c->host, h->device);
    if (asleep && !h->asleep_told && c->sink->frame) {
        f.t_ns = clock_mono_ns();
        c->sink->frame(c->sink->ctx, h->subject, &f);
    }
    h->asleep_told = asleep;
    return asleep;
}

static void read_holder(struct collector *c, struct entry *e, struct holder *h) {
    int fd = h->fd;
    if (h->over || h->tick == c->tick)
        return;
    h->tick = c->tick;
    if (roster_device(c->host, h->major, h->minor) != h->device) {
        h->over = "removed";
        e->look = true;
        return;
    }
    if (sleeps(c, h))
        return;
    if (fd < 0)
        fd = open_text(c, e, h->number);
    if (fd < 0) {
        int sys = errno;
        take_failure(c, e, h, clock_mono_ns(), sys);
        return;
    }
    read_fd(c, e, h, fd);
    if (h->fd != fd)
        keep(c, h, fd);
}

void hold_read_all(struct collector *c, struct entry *e) {
    for (int32_t at = e->holder; at != NONE; at = c->holders[at].next)
        read_holder(c, e, &c->holders[at]);
}

/* The subjects of a new holder; false for lack of memory. */
static bool declare(struct collector *c, struct entry *e, struct holder *h) {
    if (!e->process)
        e->process = roster_process_get(c->host, e->pid, e->start, c->sink, clock_mono_ns());
    return e->process && open_subject(c, e, h, clock_mono_ns());
}

void hold_open(struct collector *c, struct entry *e, const struct found *f) {
    int fd = open_text(c, e, f->number);
    int sys = fd < 0 ? errno : 0;
    int32_t at = outcome_from_sys(sys) == OUTCOME_GONE ? NONE : take(c);
    struct holder *h;
    if (at == NONE) {
        if (outcome_from_sys(sys) != OUTCOME_GONE)
            e->refused = REASON_FAILED_READ; /* no memory: it is there and not seen */
        e->later = true;
        host_close(c->host, fd);
        return;
    }
    h = &c->holders[at];
    h->number = f->number;
    h->tick = c->tick;
    h->met = true;
    set_device(c, h, f->major, f->minor);
    if (!declare(c, e, h)) {
        e->refused = REASON_FAILED_READ;
        e->later = true;
        host_close(c->host, fd);
        give(c, at);
        return;
    }
    h->next = e->holder;
    e->holder = at;
    c->holders_open++;
    if (fd < 0)
        take_failure(c, e, h, clock_mono_ns(), sys);
    else if (!sleeps(c, h))
        read_fd(c, e, h, fd);
    if (fd >= 0)
        keep(c, h, fd);
}
