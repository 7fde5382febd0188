/*
 * What the program gives up for good once all that it needs is open: rights, and by a filter of system calls what it
 * will never ask of the kernel. A call that the fence forbids fails with EPERM; the program goes on.
 */
#ifndef APP_FENCE_H
#define APP_FENCE_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* Without a bit: plays what is open, and writes to what is open. */
enum fence_may {
    FENCE_MACHINE =
        1, /* read the live machine: perf events, names of users, the kernel's news of processes */
    FENCE_SIGNALS = 2, /* send signals to others */
    FENCE_KNOBS = 4,   /* open devices and knobs to write, make an instance of tracefs */
    FENCE_FILES = 8,   /* make and replace files */
    FENCE_NAMED =
        16,          /* files that the user named are opened later: root keeps its rights to them */
    FENCE_SERVE = 32 /* answer on sockets that are open */
};

/* What a command may that reads the live machine as the options say. */
unsigned fence_of_live(const struct options *o);
/* Drops rights and puts the fence up, in all threads. Comes before the first output. Where there is no fence
 * (another kind of processor, a kernel or a container that refuses) the program goes on without; the log says so. */
void fence_up(unsigned may);
/* Whether that drops any right. */
bool fence_drops(unsigned may);
/* In words: whether there is a fence, or why not. */
const char *fence_state(void);

/* ---- for tests ---- */

#define FENCE_MAX 1024 /* instructions */
/* The filter; 0 where there is none for this kind of processor. */
size_t fence_program(unsigned may, struct sock_filter out[FENCE_MAX]);
/* Only the filter. 0 or an errno. */
int fence_install(unsigned may);

#endif
