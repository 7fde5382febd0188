/*
 * Pages of the kernel's trace ring buffer with Mali events or those of the GPU scheduler, and the texts by which a kernel says how
 * they are laid out: those that Linux prints, in either byte order, with a shift of the fields as old
 * kernels have one.
 */
#ifndef TEST_TRACEPAGE_H
#define TEST_TRACEPAGE_H

#include "gwtop/base.h"

#define TRACEPAGE_BYTES    4096
#define TRACEPAGE_ACTIVE   77
#define TRACEPAGE_TIMELINE 78

struct tracepage {
    char bytes[TRACEPAGE_BYTES];
    size_t n; /* written so far, with 16 bytes of a head */
    bool big;
    unsigned shift; /* of fields behind the common ones */
};

struct tracepage tracepage_begin(bool big, unsigned shift, uint64_t t_ns);
void tracepage_put(struct tracepage *p, size_t at, uint64_t v, unsigned size);
void tracepage_word(struct tracepage *p, uint32_t v);
/* Five bits of type, and the time since the record before. */
void tracepage_head(struct tracepage *p, uint32_t type, uint32_t delta_ns);
/* mali_core_active of PP2 by pid 9, in a record of a fixed length or with a length of its own. */
void tracepage_active(struct tracepage *p, uint32_t delta_ns, bool on, bool long_form);
/* mali_timeline_event; d3 and d4 are 0. */
void tracepage_timeline(struct tracepage *p, uint32_t delta_ns, uint32_t id, uint32_t d0,
                        uint32_t d1, uint32_t d2);

/* Events of the GPU scheduler, before and since Linux 6.16; ids of queue, run and done follow each other. */
#define TRACEPAGE_SCHED 90
struct tracepage_sched {
    unsigned what; /* 0 queue, 1 run, 2 done */
    uint64_t fence;
    const char *ring; /* of the first two, as `pid` and `dev` */
    int32_t pid;
    const char *dev; /* NULL: "1c40000.gpu" */
};
void tracepage_sched(struct tracepage *p, bool is_new, uint32_t delta_ns,
                     const struct tracepage_sched *e);
/* As tracepage_facts, of all three; and the format of one. */
const char *tracepage_sched_facts(bool big, bool is_new);
const char *tracepage_sched_format(bool is_new, unsigned what);

#define TRACEPAGE_MISSED (UINT64_C(1) << 31)
#define TRACEPAGE_STORED (UINT64_C(1) << 30) /* how many is behind the records */
/* As far as it is written. The flags fill up what is above them, as in Linux. */
struct span tracepage_end(struct tracepage *p, uint64_t flags);
/* Puts the number of missed ones behind the records as well. */
struct span tracepage_end_missed(struct tracepage *p, uint64_t missed);

/* Facts as trace_layout_read has them; `event` is one of the ids. Kept till the next call. */
const char *tracepage_facts(bool big, unsigned shift, unsigned event);
/* events/header_page of 64 bits, and the format of an event. Kept till the next call. */
const char *tracepage_header(void);
const char *tracepage_format(unsigned event, unsigned shift);

#endif
