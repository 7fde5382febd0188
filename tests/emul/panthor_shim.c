/* The calls of the C library that the emulated panthor answers, beside those that open a file. */
#include "panthor_emul.h"

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
static unsigned calls;

static bool device_gone(void) {
    return script.gone && calls >= script.gone;
}

bool device_has(const char *name) {
    return strncmp(name, "/renderD", 8) == 0 || strncmp(name, "/card", 5) == 0;
}

int device_open(const char *whole, int flags) {
    struct stat st;
    const char *name = strrchr(whole, '/') + 1;
    used = true;
    if (device_gone() || stat(whole, &st) != 0) {
        note("open %s: there is none", name);
        return fail(device_gone() ? ENODEV : ENOENT);
    }
    if (strncmp(name, "render", 6) != 0)
        misuse("open %s: a render node would do", name);
    if (script.deny) {
        note("open %s: denied", name);
        return fail(EACCES);
    }
    int fd = memfd_create("panthor", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
    if (fd < 0)
        abort();
    if (!(flags & O_CLOEXEC))
        misuse("a node that children inherit");
    if ((flags & O_ACCMODE) != O_RDWR)
        misuse("a node that cannot be mapped to write");
    buffer_space(fd);
    node_remember(fd);
    note("open %s", name);
    return fd;
}

/* ---- calls on the node ----------------------------------------------------------------------- */

enum { CALL_VERSION = 0, CALL_GEM_CLOSE = 9, CALL_DRIVER = 0x40 };

static bool is_call(unsigned long request, unsigned number, unsigned size, unsigned direction) {
    return request == ((unsigned long)direction << 30 | size << 16 | 'd' << 8 | number);
}

static int node_call(int fd, unsigned long request, void *arg) {
    unsigned number = request & 0xff, size = request >> 16 & 0x3fff, id = number - CALL_DRIVER;
    if (is_call(request, CALL_VERSION, sizeof(void *) == 8 ? 64 : 36, 3))
        return query_version(arg, size);
    if (is_call(request, CALL_GEM_CLOSE, 8, 1))
        return buffer_free(fd, arg);
    if (is_call(request, CALL_DRIVER + 0, 16, 3))
        return query_device(arg);
    if (is_call(request, CALL_DRIVER + 5, 24, 3))
        return buffer_create(fd, arg);
    if (is_call(request, CALL_DRIVER + 6, 16, 3))
        return buffer_offset(fd, arg);
    if (is_call(request, number, 24, 3) && id >= 13 && id <= 17) {
        if (script.version->perf_id == id)
            return perf_control(fd, arg);
        return perf_neighbour(id, arg, size);
    }
    misuse("call %#lx on the node", request);
    return fail(EINVAL);
}

static int node_ioctl(int fd, unsigned long request, void *arg) {
    ring_lock();
    calls++;
    int got = -1;
    if (device_gone()) {
        note("GONE");
        errno = ENODEV;
    } else if (!arg) {
        misuse("call %#lx without an argument", request);
        errno = EFAULT;
    } else {
        got = node_call(fd, request, arg);
    }
    int keep = errno;
    ring_unlock();
    errno = keep;
    return got;
}

int ioctl(int fd, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (node_is(fd))
        return node_ioctl(fd, request & 0xffffffff, arg);
    if (!real)
        next_function("ioctl", &real);
    return real(fd, request, arg);
}

int close(int fd) {
    static int (*real)(int);
    if (used && node_is(fd))
        note("close node");
    if (!real)
        next_function("close", &real);
    return real(fd);
}

/* ---- begin and end --------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(void) {
    script_read();
    (void)raw_ns();
    for (unsigned i = 0; i < script.taken; i++)
        sessions[i].reserved = true;
    note("LOADED");
}

__attribute__((destructor)) static void leave(void) {
    if (used) {
        perf_leave();
        buffer_leave();
    }
    note("END");
}
