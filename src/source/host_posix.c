/* The calls of a host as the kernel has them. */
#include "gwtop/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int posix_open(void *ctx, int dir_fd, const char *path, int flags) {
    (void)ctx;
    return openat(dir_fd, path, flags);
}

static ssize_t posix_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    (void)ctx;
    return pread(fd, to, n, at);
}

static ssize_t posix_getdents(void *ctx, int fd, void *to, size_t n) {
    (void)ctx;
    return syscall(SYS_getdents64, fd, to, n);
}

static int posix_stat(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    (void)ctx;
    return (flags & AT_EMPTY_PATH) != 0 ? fstat(dir_fd, out) : fstatat(dir_fd, path, out, flags);
}

static ssize_t posix_readlink(void *ctx, int dir_fd, const char *path, char *to, size_t n) {
    (void)ctx;
    return readlinkat(dir_fd, path, to, n);
}

static int posix_close(void *ctx, int fd) {
    (void)ctx;
    return close(fd);
}

static ssize_t posix_write(void *ctx, int fd, const void *from, size_t n, off_t at) {
    (void)ctx;
    ssize_t done = pwrite(fd, from, n, at);
    return done < 0 && errno == ESPIPE && at == 0 ? write(fd, from, n) : done; /* as trace_clock */
}

static ssize_t posix_read(void *ctx, int fd, void *to, size_t n) {
    (void)ctx;
    return read(fd, to, n);
}

static int posix_ioctl(void *ctx, int fd, unsigned long request, void *arg) {
    (void)ctx;
    return ioctl(fd, request, arg);
}

static int posix_mkdir(void *ctx, int dir_fd, const char *path, mode_t mode) {
    (void)ctx;
    return mkdirat(dir_fd, path, mode);
}

static int posix_rmdir(void *ctx, int dir_fd, const char *path) {
    (void)ctx;
    return unlinkat(dir_fd, path, AT_REMOVEDIR);
}

static int posix_perf_open(void *ctx, const void *attr, int cpu, int group_fd) {
    (void)ctx;
    return (int)syscall(SYS_perf_event_open, attr, -1, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static void *posix_mmap(void *ctx, int fd, size_t n, off_t at) {
    (void)ctx;
    return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
}

static int posix_munmap(void *ctx, void *at, size_t n) {
    (void)ctx;
    return munmap(at, n);
}

static int posix_eventfd(void *ctx) {
    (void)ctx;
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static int posix_poll_in(void *ctx, int fd, int64_t most_ns) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct timespec most = {most_ns / 1000000000, most_ns % 1000000000};
    (void)ctx;
    return ppoll(&p, 1, &most, NULL);
}

const struct host_io host_io_posix = {
    .open = posix_open,
    .pread = posix_pread,
    .getdents = posix_getdents,
    .stat = posix_stat,
    .readlink = posix_readlink,
    .close = posix_close,
    .write = posix_write,
    .read = posix_read,
    .ioctl = posix_ioctl,
    .mkdir = posix_mkdir,
    .rmdir = posix_rmdir,
    .perf_open = posix_perf_open,
    .mmap = posix_mmap,
    .munmap = posix_munmap,
    .eventfd = posix_eventfd,
    .poll_in = posix_poll_in,
};
