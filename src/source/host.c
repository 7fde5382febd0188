/*
 * The machine that collectors read: its root, counted system calls, limits. Every call goes through
 * host->io, so that another root, the cost of a tick and tests that fail the Nth call exist once.
 */
#include "gwtop/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host.h"
#include "roster.h"

enum {
    KEEP_SPARE = 128, /* descriptors left for everything but kept-open files */
    SHED = 16,        /* kept-open ones that are closed where these did not suffice */
    INTERRUPTED_MAX = 8
};

/* ---- counted calls --------------------------------------------------------------------------------- */

/* Whether a call is worth another try: a signal came in between, and not without end. No call of the host
 * waits for anybody, so that one which is made again does not keep a signal waiting. */
static bool again(bool failed, unsigned *tries) {
    return failed && errno == EINTR && ++*tries < INTERRUPTED_MAX;
}

/* The limit was an estimate: from now on no more is kept open than there is, and a part of that is closed. */
static void make_room(struct host *h) {
    h->keep_left = 0;
    if (h->shed < SHED)
        h->shed = SHED;
}

int host_open(struct host *h, int dir_fd, const char *path, int flags) {
    unsigned tries = 0;
    int fd;
    do {
        h->tally.syscalls++;
        fd = h->io->open(h->io->ctx, dir_fd, path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (again(fd < 0, &tries));
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        make_room(h);
    return fd;
}

ssize_t host_pread(struct host *h, int fd, void *to, size_t n, off_t at) {
    unsigned tries = 0;
    ssize_t got;
    do {
        h->tally.syscalls++;
        got = h->io->pread(h->io->ctx, fd, to, n, at);
    } while (again(got < 0, &tries));
    return got;
}

/* What a test's machine does not have. */
static int missing(void) {
    errno = ENOSYS;
    return -1;
}

ssize_t host_write(struct host *h, int fd, const void *from, size_t n, off_t at) {
    unsigned tries = 0;
    ssize_t done;
    if (!h->io->write)
        return missing();
    do {
        h->tally.syscalls++;
        done = h->io->write(h->io->ctx, fd, from, n, at);
    } while (again(done < 0, &tries));
    return done;
}

ssize_t host_read(struct host *h, int fd, void *to, size_t n) {
    unsigned tries = 0;
    ssize_t got;
    if (!h->io->read)
        return missing();
    do {
        h->tally.syscalls++;
        got = h->io->read(h->io->ctx, fd, to, n);
    } while (again(got < 0, &tries));
    return got;
}

int host_ioctl(struct host *h, int fd, unsigned long request, void *arg) {
    unsigned tries = 0;
    int got;
    if (!h->io->ioctl)
        return missing();
    do {
        h->tally.syscalls++;
        got = h->io->ioctl(h->io->ctx, fd, request, arg);
    } while (again(got < 0, &tries));
    return got;
}

int host_ioctl_once(struct host *h, int fd, unsigned long request, void *arg) {
    h->tally.syscalls++;
    return h->io->ioctl ? h->io->ioctl(h->io->ctx, fd, request, arg) : missing();
}

int host_mkdir(struct host *h, int dir_fd, const char *path) {
    h->tally.syscalls++;
    return h->io->mkdir ? h->io->mkdir(h->io->ctx, dir_fd, path, 0700) : missing();
}

int host_rmdir(struct host *h, int dir_fd, const char *path) {
    h->tally.syscalls++;
    return h->io->rmdir ? h->io->rmdir(h->io->ctx, dir_fd, path) : missing();
}

int host_perf_open(struct host *h, const void *attr, int cpu, int group_fd) {
    h->tally.syscalls++;
    return h->io->perf_open ? h->io->perf_open(h->io->ctx, attr, cpu, group_fd) : missing();
}

void *host_mmap(struct host *h, int fd, size_t n, off_t at) {
    void *got;
    h->tally.syscalls++;
    if (!h->io->mmap) {
        (void)missing();
        return NULL;
    }
    got = h->io->mmap(h->io->ctx, fd, n, at);
    return got == MAP_FAILED ? NULL : got;
}

void host_munmap(struct host *h, void *at, size_t n) {
    int sys = errno;
    if (!at || !h->io->munmap)
        return;
    h->tally.syscalls++;
    (void)h->io->munmap(h->io->ctx, at, n);
    errno = sys;
}

int host_eventfd(struct host *h) {
    h->tally.syscalls++;
    return h->io->eventfd ? h->io->eventfd(h->io->ctx) : missing();
}

int host_poll_in(struct host *h, int fd, int64_t most_ns) {
    int64_t end_ns = clock_mono_ns() + most_ns;
    unsigned tries = 0;
    int got;
    if (!h->io->poll_in)
        return missing();
    do {
        h->tally.syscalls++;
        got = h->io->poll_in(h->io->ctx, fd, most_ns > 0 ? most_ns : 0);
        most_ns = got < 0 ? end_ns - clock_mono_ns() : 0;
    } while (again(got < 0, &tries));
    return got;
}

ssize_t host_getdents(struct host *h, int fd, void *to, size_t n) {
    h->tally.syscalls++;
    return h->io->getdents(h->io->ctx, fd, to, n);
}

int host_stat(struct host *h, int dir_fd, const char *path, struct stat *out) {
    h->tally.syscalls++;
    return h->io->stat(h->io->ctx, dir_fd, path, out, 0);
}

int host_fstat(struct host *h, int fd, struct stat *out) {
    h->tally.syscalls++;
    return h->io->stat(h->io->ctx, fd, "", out, AT_EMPTY_PATH);
}

ssize_t host_readlink(struct host *h, int dir_fd, const char *path, char *to, size_t n) {
    h->tally.syscalls++;
    return h->io->readlink(h->io->ctx, dir_fd, path, to, n);
}

void host_close(struct host *h, int fd) {
    int sys = errno;
    if (fd < 0)
        return;
    h->tally.syscalls++;
    (void)h->io->close(h->io->ctx, fd);
    errno = sys; /* what went wrong before is what the caller wants to know */
}

bool host_may_pass(int sys) {
    static const int passing[] = {EMFILE, ENFILE, ENOMEM, EIO, EINTR, EAGAIN, ETIMEDOUT};
    for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
        if (passing[i] == sys)
            return true;
    return false;
}

ssize_t host_reread(struct host *h, int fd, void *to, size_t cap) {
    size_t have = 0;
    while (have < cap) {
        ssize_t n = host_pread(h, fd, (char *)to + have, cap - have, (off_t)have);
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

ssize_t host_slurp(struct host *h, int dir_fd, const char *path, void *to, size_t cap) {
    int fd = host_open(h, dir_fd, path, O_RDONLY);
    ssize_t n;
    if (fd < 0)
        return -1;
    n = host_reread(h, fd, to, cap);
    host_close(h, fd);
    return n;
}

void host_emit(const struct frame_sink *sink, const struct subject *s, unsigned kind, int64_t t_ns,
               const void *bytes, ssize_t n, int sys) {
    struct frame f = {
        .t_ns = t_ns,
        .bytes = n > 0 ? bytes : NULL,
        .size = n > 0 ? (size_t)n : 0,
        .subject = s->id,
        .sys = n < 0 ? sys : 0,
        .kind = (uint16_t)kind,
        .outcome = (uint8_t)(n < 0 ? outcome_from_sys(sys) : OUTCOME_OK),
    };
    if (n < 0 && f.outcome == OUTCOME_OK)
        f.outcome = OUTCOME_FAILED;
    if (sink && sink->frame)
        sink->frame(sink->ctx, s, &f);
}

/* ---- creation ----------------------------------------------------------------------------------------- */

/* The path without its final slashes: "" for the machine itself and for "/". NULL for lack of memory. */
static char *root_text(const char *root) {
    size_t n = root ? strlen(root) : 0;
    char *text;
    while (n > 0 && root[n - 1] == '/')
        n--;
    text = malloc(n + 1);
    if (!text)
        return NULL;
    if (n > 0)
        memcpy(text, root, n);
    text[n] = '\0';
    return text;
}

static long raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = {limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    if (limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return limit.rlim_cur > KEEP_SPARE ? (long)limit.rlim_cur - KEEP_SPARE : 0;
}

static enum err host_fill(struct host *h, const struct host_options *o) {
    char *root = root_text(o->root);
    h->root = root;
    h->machine_facts = strdup(o->machine_facts ? o->machine_facts : "");
    if (!root || !h->machine_facts)
        return ERR_NOMEM;
    h->io = o->io ? o->io : &host_io_posix;
    h->rooted = o->root != NULL;
    h->wake = o->wake;
    h->clk_tck = sysconf(_SC_CLK_TCK);
    h->page_size = sysconf(_SC_PAGESIZE);
    h->uid = geteuid();
    h->delay_ns = o->delay_ns > 0 ? o->delay_ns : INT64_C(1000000000);
    h->keep_left = raise_descriptor_limit();
    return roster_create(&h->roster);
}

enum err host_create(const struct host_options *o, struct host **out, struct err_info *info) {
    struct host *h = calloc(1, sizeof(*h));
    const char *root;
    enum err e;
    if (!h)
        return err_set(info, ERR_NOMEM, 0, err_text(ERR_NOMEM), NULL);
    h->root_fd = h->proc_fd = -1;
    e = host_fill(h, o);
    if (e != ERR_OK) {
        host_destroy(h);
        return err_set(info, e, 0, err_text(e), NULL);
    }
    root = h->root[0] ? h->root : "/";
    h->root_fd = host_open(h, AT_FDCWD, root, O_RDONLY | O_DIRECTORY);
    if (h->root_fd < 0) {
        int sys = errno;
        e = err_set(info, err_from_sys(sys), sys, "cannot open the root", root);
        host_destroy(h);
        return e;
    }
    /* A machine without /proc still has devices. */
    (void)host_find_proc(h);
    *out = h;
    return ERR_OK;
}

bool host_find_proc(struct host *h) {
    if (h->proc_fd >= 0)
        return false;
    h->proc_fd = host_open(h, h->root_fd, "proc", O_RDONLY | O_DIRECTORY);
    h->proc_sys = h->proc_fd < 0 ? errno : 0;
    return h->proc_fd >= 0;
}

void host_destroy(struct host *h) {
    if (!h)
        return;
    if (h->io) {
        host_close(h, h->proc_fd);
        host_close(h, h->root_fd);
    }
    roster_destroy(h->roster);
    free((char *)h->root);
    free(h->machine_facts);
    free(h);
}
