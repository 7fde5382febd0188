/* Marks of events along a recording, made tick by tick as it is played. Pure. */
#ifndef APP_MARKER_H
#define APP_MARKER_H

#include "gwtop/snapshot.h"
#include "gwtop/view.h"

/* A process, on whatever devices. */
struct marker_process {
    uint64_t start;
    int32_t pid;
    bool exited; /* on all of them */
};
struct marker_list {
    struct marker_process *of;
    uint32_t count;
    uint32_t cap;
};

struct marker {
    struct ui_marks marks;
    int64_t length_ns; /* of the recording */
    int64_t first_ns;
    int64_t last_ns;  /* of the newest tick */
    int64_t usual_ns; /* between two ticks; 0 not yet known */
    uint64_t tick;    /* the newest; 0 none */
    uint64_t damaged; /* units that could not be read, up to it */
    uint64_t odd;     /* of these in its own stretch */
    unsigned wide;    /* ticks in a row that came late */
    uint32_t gaps;
    int64_t gap_ns; /* the longest one */
    struct marker_list before;
    struct marker_list now;
};

void marker_init(struct marker *m, int64_t length_ns);
void marker_finish(struct marker *m);
/* Ticks in order; one that is not after the newest is known already. `counts`: of all units up to there. */
void marker_take(struct marker *m, const struct snapshot *s, const struct counts *counts);
/* There is no more. `is_cut`: though there should be. */
void marker_end(struct marker *m, bool is_cut);

#endif
