/*
 * The filter of system calls for one kind of processor, as a program that the kernel runs at each call. Of the
 * processor it takes the numbers that calls have there: they differ.
 */
#ifndef APP_FENCE_PROGRAM_H
#define APP_FENCE_PROGRAM_H

#include <linux/filter.h>
#include <stddef.h>

struct fence_call {
    unsigned number;
    unsigned when; /* 0, or some of enum fence_may */
};

struct fence_machine {
    unsigned arch; /* AUDIT_ARCH_* */
    const struct fence_call *calls;
    size_t n;
    /* Calls whose arguments are looked at. */
    unsigned openat, ioctl, socket, prctl, prlimit64, clone, clone3, tgkill;
};

/* The number of instructions, 0 where they are more than `max`. Signals go to the process that asks. */
size_t fence_build(const struct fence_machine *m, unsigned may, struct sock_filter *out,
                   size_t max);

#endif
