/*
 * A file that does not answer: while the file GWTOP_SLOW_WHILE is there, reads of files whose path ends in
 * GWTOP_SLOW_TAIL wait, as those of a driver that hangs do. No signal wakes them.
 */
#include "emul.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

ssize_t pread(int fd, void *to, size_t n, off_t at);

bool device_has(const char *name) {
    (void)name;
    return false;
}

int device_open(const char *whole, int flags) {
    (void)whole;
    (void)flags;
    return -1;
}

static bool is_slow(int fd) {
    const char *tail = getenv("GWTOP_SLOW_TAIL");
    char link[64], path[4096];
    if (!tail)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path);
    size_t m = strlen(tail);
    return n >= (ssize_t)m && memcmp(path + n - m, tail, m) == 0;
}

ssize_t pread(int fd, void *to, size_t n, off_t at) {
    static ssize_t (*next)(int, void *, size_t, off_t);
    const char *flag = getenv("GWTOP_SLOW_WHILE");
    if (!next)
        next_function("pread", &next);
    if (flag && access(flag, F_OK) == 0 && is_slow(fd)) {
        note("waits");
        while (access(flag, F_OK) == 0)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return next(fd, to, n, at);
}
