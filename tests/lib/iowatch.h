/*
 * A host_io in front of the real one for collectors with threads of their own: writes down each call and which file
 * it was about, and makes chosen ones fail. Any thread may use it at any time.
 */
#ifndef TEST_IOWATCH_H
#define TEST_IOWATCH_H

#include <pthread.h>

#include "gwtop/source.h"

struct iowatch_call {
    char op; /* 'o' open, 'r' pread, 'l' getdents, 's' stat, 'k' readlink */
    char *path;
};

struct iowatch {
    struct host_io io;
    pthread_mutex_t lock; /* all below */
    char *of_fd[4096];
    struct iowatch_call *calls;
    uint32_t count;
    uint32_t cap;
    const char *fail_tail; /* calls about paths that end in this fail; NULL: none */
    char fail_op;
    int fail_sys;
    unsigned long fail_at; /* the call of this number fails, whatever it is; 0: none */
    unsigned long made;
    unsigned open_now;
};

void iowatch_init(struct iowatch *w);
void iowatch_clear(struct iowatch *w); /* what was written down */
void iowatch_finish(struct iowatch *w);
void iowatch_fail(struct iowatch *w, char op, const char *tail, int sys);
/* Calls of this sort (0: any) about paths that hold `part` (NULL: any). */
unsigned iowatch_count(struct iowatch *w, char op, const char *part);
/* For a message: the first such path; "" for none. Valid until iowatch_clear. */
const char *iowatch_first(struct iowatch *w, char op, const char *part);

#endif
