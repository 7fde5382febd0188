/*
 * A subscriber that keeps what decoders say, and finds among several sources of a metric the one that is to be
 * shown: one with a value that is not doubted, then the highest rank, then the latest.
 */
#ifndef TEST_TOLD_H
#define TEST_TOLD_H

#include "gwtop/core.h"

struct told_sample {
    struct sample sample; /* its name is below */
    char name[64];
};

struct told {
    struct told_sample *items;
    uint32_t count;
    uint32_t cap;
    struct counts counts;
};

/* `t` starts zeroed. */
struct subscriber told_subscriber(struct told *t);
void told_clear(struct told *t);
void told_finish(struct told *t);
/* NULL where nothing was said of it. `index`: INDEX_NONE for none. */
const struct told_sample *told_best(const struct told *t, enum metric metric, unsigned index);
/* Of the same metric under this name. */
const struct told_sample *told_named(const struct told *t, enum metric metric, const char *name);
unsigned told_count(const struct told *t, enum metric metric);

#endif
