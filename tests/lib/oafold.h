/*
 * Bytes through a fold of the observation unit, and what it says as lines that a person can check:
 *
 *   job 1000..2000 ctx 7 tag 81 tid 4242 1000000000 open
 *   1000000 ctx 7 counter.GpuBusy 750000 clamped
 *   1000000 - counter.ReportReason 1 timer
 *
 * Times and values as they come; "-" is nobody.
 */
#ifndef TEST_OAFOLD_H
#define TEST_OAFOLD_H

#include "gwtop/core.h"

struct oafold {
    struct buf text;
    struct counts counts;
    unsigned jobs;
    unsigned samples;
    int64_t busy_ns; /* of all jobs */
};
void oafold_finish(struct oafold *f);

struct oafold_input {
    const struct fold *fold;
    const struct vendor_file *file; /* looked through first, where it can be; may be NULL */
    const char *facts;
    struct span bytes;
    size_t step;     /* bytes of a frame; 0: all at once */
    unsigned ticks;  /* at the end of so many frames; 0: at the end of all alone */
    int64_t t_ns;    /* of the first frame */
    int64_t step_ns; /* and from one to the next */
};
/* `f` begins anew. */
void oafold_run(struct oafold *f, const struct oafold_input *in);
/* NUL-terminated; only lines that hold `what` (NULL: all). The next call overwrites it. */
const char *oafold_lines(struct oafold *f, const char *what);
/* How many lines hold all of both words; NULL: any. */
unsigned oafold_count(struct oafold *f, const char *one, const char *other);
/* The value of the only sample with this beginning of a line: "1000000 ctx 7 counter.A0"; fails if there is none. */
int64_t oafold_value(struct oafold *f, const char *begin);

#endif
