/*
 * Opening what a user named as input, so that it can be read from any offset.
 */
#ifndef GWTOP_SOURCE_INPUT_H
#define GWTOP_SOURCE_INPUT_H

#include "gwtop/base.h"

struct input {
    int fd;
    uint64_t size;
};

/* What is wanted of an input that has to be copied first. */
struct input_want {
    uint64_t most;        /* bytes; more are not taken */
    const char *too_long; /* what is said then */
    /* Optional: whether an input may begin so. Asked of what has come, as long as that is little; false ends the
     * copy before it began. */
    bool (*may_begin)(const void *ctx, struct span head);
    const void *ctx;
    const char *foreign; /* what is said then */
};

/* "-" is standard input. What cannot be read twice (a pipe, a terminal, a file of the kernel's that has
 * no size) is copied to a file without a name in $TMPDIR or /tmp. A directory is an error. Waits for who writes
 * into a pipe; a signal, one of those that end programs or one with a handler, ends that with an error. On
 * success the caller closes fd. */
enum err input_open(const char *path, const struct input_want *want, struct input *out,
                    struct err_info *info);

/* pread that goes on after an interruption and after a short read. Less than n only at the end; -1 with
 * errno. */
int64_t input_read(int fd, void *to, size_t n, uint64_t at);

#endif
