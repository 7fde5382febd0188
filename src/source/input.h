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

/* "-" is standard input. What cannot be read twice (a pipe, a terminal, a file of the kernel's that has
 * no size) is copied to a file without a name in $TMPDIR or /tmp. A directory and what is empty are
 * errors. On success the caller closes fd. */
enum err input_open(const char *path, struct input *out, struct err_info *info);

/* pread that goes on after an interruption and after a short read. Less than n only at the end; -1 with
 * errno. */
int64_t input_read(int fd, void *to, size_t n, uint64_t at);

#endif
