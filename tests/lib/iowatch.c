/* Writing down the calls of collectors with threads. */
#include "iowatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *path_of(const struct iowatch *w, int dir_fd, const char *path) {
    const char *dir = dir_fd >= 0 && dir_fd < 4096 && w->of_fd[dir_fd] ? w->of_fd[dir_fd] : "";
    char *whole = NULL;
    if (asprintf(&whole, "%s%s%s", dir, *dir && *path ? "/" : "", path) < 0)
        abort();
    return whole;
}

static bool ends_in(const char *text, const char *tail) {
    size_t n = strlen(tail);
    size_t m = strlen(text);
    return m >= n && strcmp(text + m - n, tail) == 0;
}

/* Writes the call down; true where it is to fail. */
static bool note(struct iowatch *w, char op, int fd, const char *path) {
    bool fails;
    pthread_mutex_lock(&w->lock);
    if (vec_reserve((void **)&w->calls, &w->cap, w->count + 1, sizeof(*w->calls)))
        abort();
    w->calls[w->count] = (struct iowatch_call){op, path_of(w, fd, path)};
    fails = w->fail_tail && w->fail_op == op && ends_in(w->calls[w->count].path, w->fail_tail);
    w->count++;
    fails = fails || ++w->made == w->fail_at;
    errno = w->fail_sys;
    pthread_mutex_unlock(&w->lock);
    return fails;
}

static int watch_open(void *ctx, int dir_fd, const char *path, int flags) {
    struct iowatch *w = ctx;
    int fd;
    if (note(w, 'o', dir_fd, path))
        return -1;
    fd = host_io_posix.open(NULL, dir_fd, path, flags);
    if (fd < 0 || fd >= 4096)
        return fd;
    pthread_mutex_lock(&w->lock);
    w->of_fd[fd] = path_of(w, dir_fd, path);
    w->open_now++;
    pthread_mutex_unlock(&w->lock);
    return fd;
}

static ssize_t watch_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    return note(ctx, 'r', fd, "") ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

static ssize_t watch_getdents(void *ctx, int fd, void *to, size_t n) {
    return note(ctx, 'l', fd, "") ? -1 : host_io_posix.getdents(NULL, fd, to, n);
}

static int watch_stat(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    return note(ctx, 's', dir_fd, path) ? -1 : host_io_posix.stat(NULL, dir_fd, path, out, flags);
}

static ssize_t watch_readlink(void *ctx, int dir_fd, const char *path, char *to, size_t n) {
    return note(ctx, 'k', dir_fd, path) ? -1 : host_io_posix.readlink(NULL, dir_fd, path, to, n);
}

static int watch_close(void *ctx, int fd) {
    struct iowatch *w = ctx;
    pthread_mutex_lock(&w->lock);
    if (fd >= 0 && fd < 4096 && w->of_fd[fd]) {
        free(w->of_fd[fd]);
        w->of_fd[fd] = NULL;
        w->open_now--;
    }
    pthread_mutex_unlock(&w->lock);
    return host_io_posix.close(NULL, fd);
}

void iowatch_init(struct iowatch *w) {
    *w = (struct iowatch){.io = {.ctx = w,
                                 .open = watch_open,
                                 .pread = watch_pread,
                                 .getdents = watch_getdents,
                                 .stat = watch_stat,
                                 .readlink = watch_readlink,
                                 .close = watch_close}};
    pthread_mutex_init(&w->lock, NULL);
}

void iowatch_clear(struct iowatch *w) {
    pthread_mutex_lock(&w->lock);
    for (uint32_t i = 0; i < w->count; i++)
        free(w->calls[i].path);
    w->count = 0;
    pthread_mutex_unlock(&w->lock);
}

void iowatch_finish(struct iowatch *w) {
    iowatch_clear(w);
    free(w->calls);
    for (size_t i = 0; i < 4096; i++)
        free(w->of_fd[i]);
    pthread_mutex_destroy(&w->lock);
}

void iowatch_fail(struct iowatch *w, char op, const char *tail, int sys) {
    pthread_mutex_lock(&w->lock);
    w->fail_op = op;
    w->fail_tail = tail;
    w->fail_sys = sys;
    pthread_mutex_unlock(&w->lock);
}

unsigned iowatch_count(struct iowatch *w, char op, const char *part) {
    unsigned count = 0;
    pthread_mutex_lock(&w->lock);
    for (uint32_t i = 0; i < w->count; i++)
        count += (op == 0 || w->calls[i].op == op) && (!part || strstr(w->calls[i].path, part));
    pthread_mutex_unlock(&w->lock);
    return count;
}

const char *iowatch_first(struct iowatch *w, char op, const char *part) {
    const char *path = "";
    pthread_mutex_lock(&w->lock);
    for (uint32_t i = 0; i < w->count && !*path; i++)
        if ((op == 0 || w->calls[i].op == op) && (!part || strstr(w->calls[i].path, part)))
            path = w->calls[i].path;
    pthread_mutex_unlock(&w->lock);
    return path;
}
