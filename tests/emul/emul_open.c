/* The calls of the C library that open a file, for the nodes of an emulated device. */
#include "emul.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NODES = 64 };
static struct {
    dev_t device;
    ino_t inode;
} nodes[NODES]; /* every node that was opened, by the file that stands for it */
static unsigned node_count;

void node_remember(int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0 || node_count == NODES)
        abort();
    nodes[node_count].device = st.st_dev;
    nodes[node_count++].inode = st.st_ino;
}

bool node_is(int fd) {
    struct stat st;
    if (node_count == 0 || fstat(fd, &st) != 0)
        return false;
    for (unsigned i = 0; i < node_count; i++)
        if (nodes[i].device == st.st_dev && nodes[i].inode == st.st_ino)
            return true;
    return false;
}

void next_function(const char *name, void *to) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    memcpy(to, &found, sizeof found);
}

/* Whether it is a node; its whole path. */
static bool is_node(int dir_fd, const char *path, char whole[PATH_MAX]) {
    char link[64], dir[PATH_MAX] = "";
    if (!path)
        return false;
    if (path[0] != '/' && dir_fd != AT_FDCWD) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", dir_fd);
        ssize_t n = readlink(link, dir, sizeof dir - 1);
        dir[n > 0 ? n : 0] = '\0';
    }
    if (snprintf(whole, PATH_MAX, "%s%s%s", dir, dir[0] ? "/" : "", path) >= PATH_MAX)
        return false;
    const char *name = strrchr(whole, '/');
    size_t before = strlen("/dev/dri");
    if (!name || (size_t)(name - whole) <= before || memcmp(name - before, "/dev/dri", before) != 0)
        return false;
    return device_has(name);
}

static int open_any(int dir_fd, const char *path, int flags, mode_t mode) {
    static int (*real)(int, const char *, int, ...);
    char whole[PATH_MAX];
    int keep = errno;
    if (is_node(dir_fd, path, whole) && !(flags & O_PATH))
        return device_open(whole, flags);
    errno = keep;
    if (!real)
        next_function("openat", &real);
    return real(dir_fd, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
}

#define MODE(flags, after)                                                                         \
    va_list args;                                                                                  \
    va_start(args, after);                                                                         \
    mode_t mode = mode_of(flags, args);                                                            \
    va_end(args)

int open(const char *path, int flags, ...) {
    MODE(flags, flags);
    return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags, flags);
    return open_any(AT_FDCWD, path, flags, mode);
}

int openat(int dir_fd, const char *path, int flags, ...) {
    MODE(flags, flags);
    return open_any(dir_fd, path, flags, mode);
}

int openat64(int dir_fd, const char *path, int flags, ...) {
    MODE(flags, flags);
    return open_any(dir_fd, path, flags, mode);
}

/* What a fortified program calls in their place. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir_fd, const char *path, int flags);
int __openat64_2(int dir_fd, const char *path, int flags);

int __open_2(const char *path, int flags) {
    return open_any(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags) {
    return open_any(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir_fd, const char *path, int flags) {
    return open_any(dir_fd, path, flags, 0);
}

int __openat64_2(int dir_fd, const char *path, int flags) {
    return open_any(dir_fd, path, flags, 0);
}
