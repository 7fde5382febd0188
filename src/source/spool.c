/*
 * Copying a pipe to a file without a name. Who writes into it may never end, or never write: the copy has a limit,
 * is given up as soon as its beginning is of something else, and ends with the first signal.
 */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { BLOCK_BYTES = 65536, HEAD_BYTES = 256 };

/* ---- signals ---------------------------------------------------------------------------------- */

/* A handler may run between two calls, and neither would tell. So signals that end programs wait while the copy
 * lasts, and whether one waits is seen by a descriptor; who it was meant for gets it afterwards. */
struct gate {
    sigset_t before;
    int fd; /* readable once one waits; -1: signals come as ever */
};

static bool ends_programs(int number, const sigset_t *blocked) {
    struct sigaction act;
    return !sigismember(blocked, number) && sigaction(number, NULL, &act) == 0 &&
           act.sa_handler != SIG_IGN;
}

static void gate_open(struct gate *g) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t held;
    sigemptyset(&held);
    pthread_sigmask(SIG_BLOCK, NULL, &g->before);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        if (ends_programs(ending[i], &g->before)) {
            sigaddset(&held, ending[i]);
        }
    }
    pthread_sigmask(SIG_BLOCK, &held, NULL);
    g->fd = signalfd(-1, &held, SFD_CLOEXEC);
    if (g->fd < 0) {
        pthread_sigmask(SIG_SETMASK, &g->before, NULL);
    }
}

static void gate_close(struct gate *g) {
    if (g->fd >= 0) {
        close(g->fd);
    }
    pthread_sigmask(SIG_SETMASK, &g->before, NULL);
}

/* Waits for something to read. -1 with EINTR for a signal. */
static int gate_wait(const struct gate *g, int fd) {
    struct pollfd fds[2] = {{.fd = g->fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0) {
        return -1;
    }
    if (fds[0].revents) {
        errno = EINTR;
        return -1;
    }
    return 0;
}

/* ---- the copy --------------------------------------------------------------------------------- */

static int open_unnamed(const char *dir) {
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) {
        return fd;
    }
    /* Not every file system knows files without a name. */
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/gwtop-XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

struct copy {
    const struct gate *gate;
    const struct input_want *want;
    const char *name;
    struct err_info *info;
    int from;
    int to;
    uint64_t copied;
    size_t n; /* bytes of the block */
    char block[BLOCK_BYTES];
};

static enum err fail(const struct copy *c, const char *what, int sys) {
    char text[160];
    snprintf(text, sizeof text, "%s%s", what, sys ? strerror(sys) : "");
    return err_set(c->info, sys ? err_from_sys(sys) : ERR_RANGE, sys, c->name, text);
}

static enum err write_block(struct copy *c) {
    const char *p = c->block;
    if (c->want->most - c->copied < c->n) {
        return fail(c, c->want->too_long, 0);
    }
    c->copied += c->n;
    while (c->n > 0) {
        ssize_t put = write(c->to, p, c->n);
        if (put < 0 && errno != EINTR) {
            return fail(c, "cannot be copied to a temporary file: ", errno);
        }
        p += put > 0 ? put : 0;
        c->n -= put > 0 ? (size_t)put : 0;
    }
    return ERR_OK;
}

/* Reads on behind what is in the block; *end at the end of input. */
static enum err read_block(struct copy *c, bool *end) {
    ssize_t got = -1;
    if (gate_wait(c->gate, c->from) == 0) {
        got = read(c->from, c->block + c->n, sizeof c->block - c->n);
    }
    if (got < 0 && errno == EINTR) {
        return err_set(c->info, ERR_IO, EINTR, c->name, "a signal came before its end");
    }
    if (got < 0 && errno != EAGAIN) {
        return fail(c, "", errno);
    }
    *end = got == 0;
    c->n += got > 0 ? (size_t)got : 0;
    return ERR_OK;
}

/* Until something is written the block holds the beginning. */
static enum err look_at_head(const struct copy *c) {
    const struct input_want *w = c->want;
    if (c->copied > 0 || c->n == 0 || !w->may_begin ||
        w->may_begin(w->ctx, (struct span){c->block, c->n})) {
        return ERR_OK;
    }
    return err_set(c->info, ERR_FORMAT, 0, c->name, w->foreign);
}

static enum err copy_all(struct copy *c) {
    bool end = false;
    while (!end) {
        enum err e = read_block(c, &end);
        if (e == ERR_OK) {
            e = look_at_head(c);
        }
        if (e == ERR_OK && (end || c->copied > 0 || c->n >= HEAD_BYTES)) {
            e = write_block(c);
        }
        if (e != ERR_OK) {
            return e;
        }
    }
    return ERR_OK;
}

enum err spool(int from, const char *name, const struct input_want *want, int *to,
               struct err_info *info) {
    const char *dir = getenv("TMPDIR");
    struct gate gate;
    struct copy c = {.gate = &gate, .want = want, .name = name, .info = info, .from = from};
    c.to = open_unnamed(dir && dir[0] ? dir : "/tmp");
    if (c.to < 0) {
        return fail(&c, "no temporary file for a copy: ", errno);
    }
    gate_open(&gate);
    enum err e = copy_all(&c);
    gate_close(&gate);
    if (e != ERR_OK) {
        close(c.to);
        return e;
    }
    *to = c.to;
    return ERR_OK;
}
