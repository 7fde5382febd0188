/* The calls of the C library that the emulated i915 answers, beside those that open a file. */
#include "i915_emul.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool used;

/* ---- opening --------------------------------------------------------------------------------- */

bool device_has(const char *name) {
    return strncmp(name, "/card", 5) == 0 || strncmp(name, "/renderD", 8) == 0;
}

int device_open(const char *whole, int flags) {
    struct stat st;
    used = true;
    if (device_gone() || stat(whole, &st) != 0) {
        note("open %s: there is none", strrchr(whole, '/') + 1);
        return fail(device_gone() ? ENODEV : ENOENT);
    }
    if (script.deny) {
        note("open %s: denied", strrchr(whole, '/') + 1);
        return fail(EACCES);
    }
    int fd = memfd_create("i915", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
    if (fd < 0)
        abort();
    if (!(flags & O_CLOEXEC))
        misuse("a node that children inherit");
    node_remember(fd);
    sets_begin(whole);
    note("open %s", strrchr(whole, '/') + 1);
    return fd;
}

/* ---- the C library's calls ------------------------------------------------------------------- */

/* What a fortified program calls in the place of read. */
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);

int ioctl(int fd, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (node_is(fd))
        return node_ioctl(request & 0xffffffff, arg);
    if (stream_is(fd))
        return stream_ioctl(request & 0xffffffff, (uintptr_t)arg);
    if (!real)
        next_function("ioctl", &real);
    return real(fd, request, arg);
}

ssize_t read(int fd, void *to, size_t n) {
    static ssize_t (*real)(int, void *, size_t);
    if (stream_is(fd))
        return stream_read(fd, to, n);
    if (!real)
        next_function("read", &real);
    return real(fd, to, n);
}

ssize_t __read_chk(int fd, void *to, size_t n, size_t room) {
    if (n > room)
        abort();
    return read(fd, to, n);
}

int close(int fd) {
    static int (*real)(int);
    stream_closing(fd);
    if (!real)
        next_function("close", &real);
    return real(fd);
}

/* ---- begin and end --------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(void) {
    script_read();
    note("LOADED");
}

__attribute__((destructor)) static void leave(void) {
    if (used) {
        stream_leave();
        sets_leave();
    }
    note("END");
}
