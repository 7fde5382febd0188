/*
 * The emulated device stands inside the program, where the kernel's would not: what it needs itself is let through the
 * program's filter of system calls, put before it. All else is asked of the filter as it is.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emul.h"

enum { FILTER_MAX = 4096 };

static const unsigned needed[] = {SYS_memfd_create, SYS_socketpair, SYS_openat,
#ifdef SYS_unlink
                                  SYS_unlink,
#endif
                                  SYS_unlinkat};
enum { NEEDED = sizeof needed / sizeof *needed };

static size_t put_before(struct sock_filter *out, const struct sock_fprog *own) {
    size_t n = 0;
    out[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < NEEDED; i++) {
        out[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, needed[i], 0, 1);
        out[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    memcpy(out + n, own->filter, own->len * sizeof *out);
    return n + own->len;
}

long syscall(long number, ...) {
    static struct sock_filter filter[FILTER_MAX];
    static long (*real)(long, ...);
    struct sock_fprog mine = {.filter = filter};
    long a[6];
    va_list list;
    if (!real)
        next_function("syscall", &real);
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER) {
        const struct sock_fprog *own = (const struct sock_fprog *)a[2];
        if (own->len + 1u + 2u * NEEDED > FILTER_MAX) {
            errno = E2BIG;
            return -1;
        }
        mine.len = (unsigned short)put_before(filter, own);
        a[2] = (long)&mine;
    }
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
