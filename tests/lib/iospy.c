/* Watching and failing the calls of collectors. */
#include "iospy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool ends_in(const char *text, const char *tail) {
    size_t n = strlen(tail);
    size_t m = strlen(text);
    return m >= n && strcmp(text + m - n, tail) == 0;
}

/* The calls behind the spy. */
static const struct host_io *under(const struct iospy *s) {
    return s->under ? s->under : &host_io_posix;
}

static bool fails(struct iospy *s) {
    pthread_mutex_lock(&s->lock);
    s->calls++;
    bool fails =
        s->fail_at != 0 && (s->calls == s->fail_at || (s->calls > s->fail_at && s->fail_on));
    pthread_mutex_unlock(&s->lock);
    if (fails)
        errno = s->fail_sys;
    return fails;
}

/* What is behind a new descriptor. */
static int keep(struct iospy *s, int fd, char *take_what) {
    bool keeps = fd >= 0 && fd < 4096;
    pthread_mutex_lock(&s->lock);
    if (keeps) {
        s->of_fd[fd] = take_what;
        s->open_now++;
    }
    pthread_mutex_unlock(&s->lock);
    if (!keeps)
        free(take_what);
    return fd;
}

static char *path_of(const struct iospy *s, int dir_fd, const char *path) {
    char *whole = NULL;
    const char *dir = dir_fd >= 0 && dir_fd < 4096 && s->of_fd[dir_fd] ? s->of_fd[dir_fd] : "";
    if (asprintf(&whole, "%s%s%s", dir, *dir ? "/" : "", path) < 0)
        abort();
    return whole;
}

static char *note_open(struct iospy *s, int dir_fd, const char *path) {
    pthread_mutex_lock(&s->lock);
    char *whole = path_of(s, dir_fd, path);
    if (vec_reserve((void **)&s->opened, &s->opened_cap, s->opened_count + 1, sizeof(*s->opened)))
        abort();
    s->opened[s->opened_count++] = strdup(whole);
    pthread_mutex_unlock(&s->lock);
    return whole;
}

/* errno; 0: it may be opened. */
static int refuses(struct iospy *s, const char *whole) {
    if (fails(s))
        return errno;
    if (s->deny_tail && ends_in(whole, s->deny_tail))
        return s->deny_sys;
    return s->open_max > 0 && s->open_now >= s->open_max ? EMFILE : 0;
}

static int spy_open(void *ctx, int dir_fd, const char *path, int flags) {
    struct iospy *s = ctx;
    char *whole = note_open(s, dir_fd, path);
    int sys = refuses(s, whole);
    if (sys == 0)
        return keep(s, under(ctx)->open(under(ctx)->ctx, dir_fd, path, flags), whole);
    free(whole);
    errno = sys;
    return -1;
}

static ssize_t spy_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    return fails(ctx) ? -1 : under(ctx)->pread(under(ctx)->ctx, fd, to, n, at);
}

static ssize_t spy_getdents(void *ctx, int fd, void *to, size_t n) {
    return fails(ctx) ? -1 : under(ctx)->getdents(under(ctx)->ctx, fd, to, n);
}

static int spy_stat(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    const struct iospy *s = ctx;
    int result = fails(ctx) ? -1 : under(ctx)->stat(under(ctx)->ctx, dir_fd, path, out, flags);
    if (result == 0 && s->sizeless && ends_in(path, "/fd"))
        out->st_size = 0;
    return result;
}

static ssize_t spy_readlink(void *ctx, int dir_fd, const char *path, char *to, size_t n) {
    return fails(ctx) ? -1 : under(ctx)->readlink(under(ctx)->ctx, dir_fd, path, to, n);
}

static ssize_t spy_write(void *ctx, int fd, const void *from, size_t n, off_t at) {
    return fails(ctx) ? -1 : under(ctx)->write(under(ctx)->ctx, fd, from, n, at);
}

static ssize_t spy_read(void *ctx, int fd, void *to, size_t n) {
    return fails(ctx) ? -1 : under(ctx)->read(under(ctx)->ctx, fd, to, n);
}

static int spy_ioctl(void *ctx, int fd, unsigned long request, void *arg) {
    return fails(ctx) ? -1 : under(ctx)->ioctl(under(ctx)->ctx, fd, request, arg);
}

static int spy_mkdir(void *ctx, int dir_fd, const char *path, mode_t mode) {
    return fails(ctx) ? -1 : under(ctx)->mkdir(under(ctx)->ctx, dir_fd, path, mode);
}

static int spy_rmdir(void *ctx, int dir_fd, const char *path) {
    return fails(ctx) ? -1 : under(ctx)->rmdir(under(ctx)->ctx, dir_fd, path);
}

static int spy_perf_open(void *ctx, const void *attr, int cpu, int group_fd) {
    if (fails(ctx))
        return -1;
    return keep(ctx, under(ctx)->perf_open(under(ctx)->ctx, attr, cpu, group_fd), strdup("perf"));
}

static void *spy_mmap(void *ctx, int fd, size_t n, off_t at) {
    struct iospy *s = ctx;
    void *got = fails(s) ? MAP_FAILED : under(ctx)->mmap(under(ctx)->ctx, fd, n, at);
    pthread_mutex_lock(&s->lock);
    s->mapped_now += got != MAP_FAILED;
    pthread_mutex_unlock(&s->lock);
    return got;
}

static int spy_munmap(void *ctx, void *at, size_t n) {
    struct iospy *s = ctx;
    pthread_mutex_lock(&s->lock);
    s->mapped_now--;
    pthread_mutex_unlock(&s->lock);
    return under(ctx)->munmap(under(ctx)->ctx, at, n);
}

static int spy_eventfd(void *ctx) {
    return fails(ctx) ? -1 : keep(ctx, under(ctx)->eventfd(under(ctx)->ctx), strdup("event"));
}

static int spy_poll_in(void *ctx, int fd, int64_t most_ns) {
    return fails(ctx) ? -1 : under(ctx)->poll_in(under(ctx)->ctx, fd, most_ns);
}

/* Closing, like unmapping, always works: a descriptor that was not given back would be the test's own leak. */
static int spy_close(void *ctx, int fd) {
    struct iospy *s = ctx;
    pthread_mutex_lock(&s->lock);
    if (fd >= 0 && fd < 4096 && s->of_fd[fd]) {
        free(s->of_fd[fd]);
        s->of_fd[fd] = NULL;
        s->open_now--;
    }
    pthread_mutex_unlock(&s->lock);
    return under(ctx)->close(under(ctx)->ctx, fd);
}

void iospy_init(struct iospy *s) {
    *s = (struct iospy){.io = {.ctx = s,
                               .open = spy_open,
                               .pread = spy_pread,
                               .getdents = spy_getdents,
                               .stat = spy_stat,
                               .readlink = spy_readlink,
                               .close = spy_close,
                               .write = spy_write,
                               .read = spy_read,
                               .ioctl = spy_ioctl,
                               .mkdir = spy_mkdir,
                               .rmdir = spy_rmdir,
                               .perf_open = spy_perf_open,
                               .mmap = spy_mmap,
                               .munmap = spy_munmap,
                               .eventfd = spy_eventfd,
                               .poll_in = spy_poll_in}};
    pthread_mutex_init(&s->lock, NULL);
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
    pthread_mutex_destroy(&s->lock);
    *s = (struct iospy){0};
}

bool iospy_opened(const struct iospy *s, const char *tail) {
    for (uint32_t i = 0; i < s->opened_count; i++)
        if (ends_in(s->opened[i], tail))
            return true;
    return false;
}
