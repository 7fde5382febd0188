/*
 * The collector of proc from inside: reading processes (collect.c), and those whose names were asked for
 * (collect_names.c).
 */
#ifndef GWTOP_BACKEND_PROC_COLLECT_PARTS_H
#define GWTOP_BACKEND_PROC_COLLECT_PARTS_H

#include "collect.h"

enum { TEXT_BYTES = 1 << 16, STAT_BYTES = 4096, COMM_BYTES = 64 };

/* A process that is wanted; zeroed: none. */
struct watched {
    const struct subject *subject;
    uint64_t start;
    int64_t names_ns; /* when its names were read; 0: never */
    int32_t pid;
    int fd; /* its stat kept open, or -1 */
    uint32_t tick;
    uint32_t comm_n;
    char comm[COMM_BYTES];
    bool gone; /* its stat was not there, which was said */
    bool over; /* another has its pid: nothing more to read */
};

struct collector {
    struct source source;
    struct host *host;
    struct watched *watched; /* by subject id */
    uint32_t watched_cap;
    struct want_process *wanted;
    uint32_t wanted_cap;
    uint32_t wanted_count;
    int32_t *nameless; /* pids whose names were asked for */
    uint32_t nameless_cap;
    uint32_t nameless_count;
    uint32_t nameless_at;      /* who is tried first */
    struct want_process *held; /* opened here for a name that was asked for */
    uint32_t held_cap;
    uint32_t held_count;
    struct map held_pids;
    const struct subject **late; /* named at the end of a tick, and gone: ended in the next one */
    uint32_t late_cap;
    uint32_t late_count;
    struct events *events; /* NULL: not started */
    bool events_tried;
    struct user_names users;
    struct buf body;
    char *text; /* TEXT_BYTES */
    uint32_t tick;
    uint32_t cursor; /* over wanted: whose names are read again next */
    int64_t now_ns;  /* of the read under way, and its sink */
    const struct frame_sink *sink;
};

/* collect.c: the place of a wanted process; NULL for lack of memory. */
struct watched *proc_watch(struct collector *c, const struct want_process *p);
/* Reads it and tells what it says. */
void proc_visit(struct collector *c, struct watched *w);

/* collect_names.c */
/* Follows processes once names are wanted, and never those of another machine. */
void nameless_follow(struct collector *c);
/* Takes over whose names are wanted. */
void nameless_keep(struct collector *c, const struct want *want);
/* Some of them in each tick, in turn; ends those that are gone. */
void nameless_tick(struct collector *c);
/* As `name` of struct source_ops. */
void nameless_tell(struct source *s, const int32_t *pids, size_t count, const struct frame_sink *sink);
void nameless_finish(struct collector *c);

#endif
