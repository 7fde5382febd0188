/*
 * Names of processes that may be gone before a tick asks for them. A thread hears of each fork, exec and exit from
 * the kernel's process connector and reads /proc at once; where that is not allowed it lists /proc each second.
 * What it keeps is guarded by one lock, which is never held over a system call.
 */
#include "collect_kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SCAN_MS = 1000, YOUNG_SCANS = 3 };
enum { RECEIVE_BYTES = 1 << 20, RECEIVE_MAX = 16 << 20 };

struct events {
    const struct events_socket *socket;
    pthread_t thread;
    pthread_mutex_t lock; /* over what follows, up to told */
    struct kept kept;
    bool told;
    int proc_fd;
    int wake_fd;
    int socket_fd;
    int receive_bytes;
    uint32_t scan; /* the thread's own */
};

/* ---- the thread ------------------------------------------------------------------------------------------ */

static ssize_t slurp(const struct events *e, int32_t pid, const char *file, char *to, size_t cap) {
    char path[32];
    ssize_t n;
    int fd;
    snprintf(path, sizeof(path), "%" PRId32 "/%s", pid, file);
    fd = openat(e->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    n = read(fd, to, cap);
    close(fd);
    return n;
}

/* Reads a process at once and keeps it; false if it is gone. */
static bool keep(struct events *e, int32_t pid) {
    char text[KEPT_STAT_BYTES + KEPT_CMDLINE_BYTES];
    struct proc_stat stat;
    struct kept_entry *x;
    char *bytes;
    ssize_t m;
    ssize_t n = slurp(e, pid, "stat", text, KEPT_STAT_BYTES);
    if (n <= 0 || proc_stat_read((struct span){text, (size_t)n}, &stat) != ERR_OK ||
        stat.start_ticks.err != ERR_OK)
        return false;
    m = slurp(e, pid, "cmdline", text + n, KEPT_CMDLINE_BYTES);
    m = m > 0 ? m : 0;
    bytes = malloc((size_t)(n + m));
    if (!bytes)
        return true;
    memcpy(bytes, text, (size_t)(n + m));
    pthread_mutex_lock(&e->lock);
    x = kept_find_or_add(&e->kept, pid);
    if (x->start != 0 && x->start != stat.start_ticks.value)
        kept_begin_again(&e->kept, x);
    if (!x->bytes || (stat.state != 'Z' && stat.state != 'X')) {
        char *before = x->bytes;
        x->bytes = bytes;
        x->stat_n = (uint32_t)n;
        x->cmdline_n = (uint32_t)m;
        bytes = before;
    } /* else it has ended, and its command line is empty by now */
    x->start = stat.start_ticks.value;
    x->scan = e->scan;
    x->scans++;
    pthread_mutex_unlock(&e->lock);
    free(bytes);
    return true;
}

/* Whether a listed process need not be read: it is known and not so young that it may yet exec. */
static bool is_known(struct events *e, int32_t pid, bool all) {
    struct kept_entry *x;
    bool known;
    pthread_mutex_lock(&e->lock);
    x = kept_find(&e->kept, pid);
    known = !all && x && !x->exited && x->bytes && x->scans >= YOUNG_SCANS;
    if (x)
        x->scan = e->scan;
    pthread_mutex_unlock(&e->lock);
    return known;
}

static void end_unseen(struct events *e) {
    pthread_mutex_lock(&e->lock);
    for (int32_t i = 0; i < e->kept.used; i++)
        if (!e->kept.entries[i].exited && e->kept.entries[i].scan != e->scan)
            kept_mark(&e->kept, &e->kept.entries[i], true);
    pthread_mutex_unlock(&e->lock);
}

static void scan(struct events *e, bool all) {
    int fd = openat(e->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    e->scan++;
    while ((entry = readdir(d)) != NULL) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end == '\0' && pid > 0 && pid <= INT32_MAX && !is_known(e, (int32_t)pid, all))
            (void)keep(e, (int32_t)pid);
    }
    closedir(d);
    end_unseen(e);
}

/* What it was before it became another program is not its name. */
static void forget(struct events *e, int32_t pid) {
    pthread_mutex_lock(&e->lock);
    struct kept_entry *x = kept_find(&e->kept, pid);
    if (x)
        kept_drop_bytes(x);
    pthread_mutex_unlock(&e->lock);
}

static bool has_name(struct events *e, int32_t pid) {
    pthread_mutex_lock(&e->lock);
    const struct kept_entry *x = kept_find(&e->kept, pid);
    bool has = x && x->bytes;
    pthread_mutex_unlock(&e->lock);
    return has;
}

static void take_event(struct events *e, const struct proc_event *ev) {
    struct kept_entry *x;
    if (ev->what == PROC_EVENT_OTHER)
        return;
    if (ev->what == PROC_EVENT_FORK) {
        if (!has_name(e, ev->parent))
            (void)keep(e, ev->parent);
        pthread_mutex_lock(&e->lock);
        x = kept_find_or_add(&e->kept, ev->pid);
        kept_begin_again(&e->kept, x);
        x->scan = e->scan;
        kept_name_parent(&e->kept, x, ev->parent);
        pthread_mutex_unlock(&e->lock);
    }
    if (ev->what == PROC_EVENT_EXEC)
        forget(e, ev->pid);
    /* What ended may still be read until its parent has asked for it. */
    (void)keep(e, ev->pid);
    if (ev->what != PROC_EVENT_EXIT)
        return;
    pthread_mutex_lock(&e->lock);
    x = kept_find(&e->kept, ev->pid);
    if (x)
        kept_mark(&e->kept, x, true);
    pthread_mutex_unlock(&e->lock);
}

/* ---- being told --------------------------------------------------------------------------------------- */

/* What was lost is found by listing all, as far as it still lives; the next time there is more room. */
static void take_overflow(struct events *e) {
    if (e->receive_bytes < RECEIVE_MAX) {
        e->receive_bytes = e->receive_bytes < RECEIVE_BYTES ? RECEIVE_BYTES : e->receive_bytes * 2;
        e->socket->widen(e->socket_fd, e->receive_bytes);
    }
    scan(e, true);
}

static void set_told(struct events *e, bool told) {
    pthread_mutex_lock(&e->lock);
    e->told = told;
    pthread_mutex_unlock(&e->lock);
}

/* One datagram. False: the socket is of no use any more. */
static bool take_datagram(struct events *e) {
    char m[8192];
    bool kernel = false;
    struct proc_event ev;
    ssize_t n = e->socket->receive(e->socket_fd, m, sizeof(m), &kernel);
    if (n < 0 && errno == ENOBUFS) {
        take_overflow(e);
        return true;
    }
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    if (!kernel)
        return true;
    for (struct span rest = {m, (size_t)n}; proc_event_next(&rest, &ev);)
        take_event(e, &ev);
    return true;
}

static void stop_listening(struct events *e) {
    if (e->socket_fd >= 0)
        close(e->socket_fd);
    e->socket_fd = -1;
    set_told(e, false);
}

static void *run(void *ctx) {
    struct events *e = ctx;
    bool told = false;
    rights_lower(); /* whoever made the thread may have raised them */
    scan(e, true);
    for (;;) {
        struct pollfd fds[2] = {{.fd = e->wake_fd, .events = POLLIN},
                                {.fd = e->socket_fd, .events = POLLIN}};
        int n = poll(fds, 2, told ? -1 : SCAN_MS);
        if (fds[0].revents != 0)
            break;
        if (n == 0) { /* the kernel would have answered by now: this namespace is not told */
            stop_listening(e);
            scan(e, false);
        } else if (n > 0 && fds[1].revents != 0) {
            bool well = take_datagram(e);
            if (!well)
                stop_listening(e);
            else if (!told)
                set_told(e, true);
            told = well;
        }
    }
    stop_listening(e);
    return NULL;
}

/* For the kernel's events rights are raised, and no longer: by whoever starts the thread, who may drop them at once. */
static void start_listening(struct events *e) {
    bool raised = rights_raise(false);
    e->socket_fd = e->socket->open(e->receive_bytes);
    if (raised)
        rights_lower();
}

static int start_thread(void *ctx) {
    struct events *e = ctx;
    return pthread_create(&e->thread, NULL, run, e);
}

/* ---- for the collector --------------------------------------------------------------------------------- */

struct events *events_start(int proc_fd, int receive_bytes) {
    return events_start_with(&proc_connector, proc_fd, receive_bytes);
}

struct events *events_start_with(const struct events_socket *socket, int proc_fd,
                                 int receive_bytes) {
    struct events *e = calloc(1, sizeof(*e));
    bool failed;
    if (!e)
        return NULL;
    kept_init(&e->kept);
    e->socket = socket;
    e->proc_fd = proc_fd;
    e->socket_fd = -1;
    e->receive_bytes = receive_bytes > 0 ? receive_bytes : RECEIVE_BYTES;
    e->wake_fd = eventfd(0, EFD_CLOEXEC);
    start_listening(e);
    pthread_mutex_init(&e->lock, NULL);
    failed = e->wake_fd < 0 || threads_begin(start_thread, e) != 0;
    if (!failed)
        return e;
    if (e->wake_fd >= 0)
        close(e->wake_fd);
    if (e->socket_fd >= 0)
        close(e->socket_fd);
    pthread_mutex_destroy(&e->lock);
    free(e);
    return NULL;
}

bool events_told(struct events *e) {
    bool told;
    pthread_mutex_lock(&e->lock);
    told = e->told;
    pthread_mutex_unlock(&e->lock);
    return told;
}

bool events_find(struct events *e, int32_t pid, struct kept_names *out) {
    const struct kept_entry *x;
    bool found = false;
    *out = (struct kept_names){0};
    pthread_mutex_lock(&e->lock);
    x = kept_find(&e->kept, pid);
    if (x) {
        found = x->bytes || x->parent != 0;
        out->start = x->start;
        out->parent = x->parent;
        out->stat_n = x->stat_n;
        out->cmdline_n = x->cmdline_n;
        if (x->bytes) {
            memcpy(out->stat, x->bytes, x->stat_n);
            memcpy(out->cmdline, x->bytes + x->stat_n, x->cmdline_n);
        }
        memcpy(out->parent_name, x->parent_name, sizeof(out->parent_name));
    }
    pthread_mutex_unlock(&e->lock);
    return found;
}

void events_stop(struct events *e) {
    const uint64_t one = 1;
    if (!e)
        return;
    while (write(e->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        continue;
    pthread_join(e->thread, NULL);
    kept_finish(&e->kept);
    close(e->wake_fd);
    pthread_mutex_destroy(&e->lock);
    free(e);
}
