/*
 * A host_io in front of the real one: remembers which files were opened, counts calls, fails the Nth of them
 * once or from then on.
 */
#ifndef TEST_IOSPY_H
#define TEST_IOSPY_H

#include <pthread.h>

#include "gwtop/source.h"

struct iospy {
    struct host_io io;
    pthread_mutex_t lock; /* collectors have threads */
    char *of_fd[4096];    /* the path behind each descriptor; NULL: not open */
    char **opened;        /* paths of all successful and failed opens, since iospy_clear */
    uint32_t opened_count;
    uint32_t opened_cap;
    const struct host_io *under; /* what calls end in; NULL: the real ones */
    unsigned long calls;
    unsigned long fail_at; /* 0: never; 1: the next call */
    bool fail_on;          /* from then on */
    int fail_sys;
    const char *deny_tail; /* opens of paths that end in this fail, or NULL */
    int deny_sys;
    bool sizeless; /* fd folders have size 0, as before Linux 6.2 */
    unsigned open_now;
    unsigned mapped_now;
    unsigned open_max; /* more are not to be had (EMFILE); 0: no limit */
};

void iospy_init(struct iospy *s);
void iospy_clear(struct iospy *s); /* what was opened; calls */
void iospy_finish(struct iospy *s);
/* True where a path that ends in `tail` was opened. */
bool iospy_opened(const struct iospy *s, const char *tail);

#endif
