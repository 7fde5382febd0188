/*
 * What is kept of processes that begin and end, by pid. Where there are too many the oldest of those that ended make
 * way, then the oldest of all. Whoever shares it between threads has a lock of his own.
 */
#ifndef GWTOP_BACKEND_PROC_COLLECT_KEPT_H
#define GWTOP_BACKEND_PROC_COLLECT_KEPT_H

#include "collect.h"

enum { KEPT_ENTRIES = 8192, KEPT_BUCKETS = 16384 };

struct kept_entry {
    int32_t pid; /* 0: free */
    int32_t chain;
    int32_t before; /* in the list of the living or of the exited, the oldest first */
    int32_t after;
    uint32_t scan;  /* that saw it last */
    uint32_t scans; /* that read it */
    bool exited;
    int32_t parent;
    uint64_t start;
    char *bytes; /* stat, then cmdline */
    uint32_t stat_n;
    uint32_t cmdline_n;
    char parent_name[KEPT_NAME_BYTES];
};

struct kept_list {
    int32_t first;
    int32_t last;
};

struct kept {
    struct kept_entry entries[KEPT_ENTRIES];
    int32_t heads[KEPT_BUCKETS];
    int32_t used;
    struct kept_list lists[2]; /* by exited */
};

void kept_init(struct kept *k);
void kept_finish(struct kept *k);

/* NULL: nothing is kept of it. */
struct kept_entry *kept_find(struct kept *k, int32_t pid);
struct kept_entry *kept_find_or_add(struct kept *k, int32_t pid);
/* Makes it the newest of the living, or of the exited. */
void kept_mark(struct kept *k, struct kept_entry *x, bool exited);
/* Another process of the same pid. */
void kept_begin_again(struct kept *k, struct kept_entry *x);
/* It is a child of this one, whose name is taken over as far as it is kept. */
void kept_name_parent(struct kept *k, struct kept_entry *x, int32_t parent);
/* What was read of it is not its name. */
void kept_drop_bytes(struct kept_entry *x);

#endif
