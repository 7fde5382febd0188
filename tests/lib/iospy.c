/* Watching and failing the calls of collectors. */
#include "iospy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *text, const char *tail) {
    size_t n = strlen(tail);
    size_t m = strlen(text);
    return m >= n && strcmp(text + m - n, tail) == 0;
}

static bool fails(struct iospy *s) {
    s->calls++;
    if (s->fail_at == 0 || s->calls < s->fail_at || (s->calls > s->fail_at && !s->fail_on))
        return false;
    errno = s->fail_sys;
    return true;
}

static char *path_of(const struct iospy *s, int dir_fd, const char *path) {
    char *whole = NULL;
    const char *dir = dir_fd >= 0 && dir_fd < 4096 && s->of_fd[dir_fd] ? s->of_fd[dir_fd] : "";
    if (asprintf(&whole, "%s%s%s", dir, *dir ? "/" : "", path) < 0)
        abort();
    return whole;
}

static int spy_open(void *ctx, int dir_fd, const char *path, int flags) {
    struct iospy *s = ctx;
    int fd;
    if (vec_reserve((void **)&s->opened, &s->opened_cap, s->opened_count + 1, sizeof(*s->opened)))
        abort();
    s->opened[s->opened_count++] = path_of(s, dir_fd, path);
    if (fails(s))
        return -1;
    if (s->deny_tail && ends_in(s->opened[s->opened_count - 1], s->deny_tail)) {
        errno = s->deny_sys;
        return -1;
    }
    if (s->open_max > 0 && s->open_now >= s->open_max) {
        errno = EMFILE;
        return -1;
    }
    fd = host_io_posix.open(NULL, dir_fd, path, flags);
    if (fd >= 0 && fd < 4096) {
        s->of_fd[fd] = path_of(s, dir_fd, path);
        s->open_now++;
    }
    return fd;
}

static ssize_t spy_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    return fails(ctx) ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

static ssize_t spy_getdents(void *ctx, int fd, void *to, size_t n) {
    return fails(ctx) ? -1 : host_io_posix.getdents(NULL, fd, to, n);
}

static int spy_stat(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    const struct iospy *s = ctx;
    int result = fails(ctx) ? -1 : host_io_posix.stat(NULL, dir_fd, path, out, flags);
    if (result == 0 && s->sizeless && ends_in(path, "/fd"))
        out->st_size = 0;
    return result;
}

static ssize_t spy_readlink(void *ctx, int dir_fd, const char *path, char *to, size_t n) {
    return fails(ctx) ? -1 : host_io_posix.readlink(NULL, dir_fd, path, to, n);
}

/* Closing always works: a descriptor that was not given back would be the test's own leak. */
static int spy_close(void *ctx, int fd) {
    struct iospy *s = ctx;
    if (fd >= 0 && fd < 4096 && s->of_fd[fd]) {
        free(s->of_fd[fd]);
        s->of_fd[fd] = NULL;
        s->open_now--;
    }
    return host_io_posix.close(NULL, fd);
}

void iospy_init(struct iospy *s) {
    *s = (struct iospy){.io = {.ctx = s,
                               .open = spy_open,
                               .pread = spy_pread,
                               .getdents = spy_getdents,
                               .stat = spy_stat,
                               .readlink = spy_readlink,
                               .close = spy_close}};
}

void iospy_clear(struct iospy *s) {
    for (uint32_t i = 0; i < s->opened_count; i++)
        free(s->opened[i]);
    s->opened_count = 0;
    s->calls = 0;
}

void iospy_finish(struct iospy *s) {
    iospy_clear(s);
    free(s->opened);
    for (size_t i = 0; i < 4096; i++)
        free(s->of_fd[i]);
    *s = (struct iospy){0};
}

bool iospy_opened(const struct iospy *s, const char *tail) {
    for (uint32_t i = 0; i < s->opened_count; i++)
        if (ends_in(s->opened[i], tail))
            return true;
    return false;
}
