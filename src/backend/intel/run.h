/*
 * What the folds of the observation unit share, within this folder: records out of frames, GPU time to
 * ns, who owns an interval between two reports, sums of a tick, and how all that is told. Pure; all
 * state is flat, without pointers.
 */
#ifndef GWTOP_BACKEND_INTEL_RUN_H
#define GWTOP_BACKEND_INTEL_RUN_H

#include "gwtop/core.h"

#include "oa.h"

/* ---- records ----------------------------------------------------------------------------------- */

/* All streams have records with a header of 8 bytes: u32 type, 16 bits of no use here, u16 size of the
 * whole record. */
#define RECORD_HEAD 8
#define RECORD_MAX  65536

struct records {
    uint32_t waiting; /* bytes of `rest`: a record whose end is still to come */
    bool lost_step;   /* a size that none can have: where the next record begins is not known */
    bool step_anew;   /* each frame begins with a record, as read() gives them */
    bool told;        /* the record that waits was counted as cut */
    char rest[RECORD_MAX];
};

static inline uint32_t record_le32(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t record_le64(const char *p) {
    return record_le32(p) | (uint64_t)record_le32(p + 4) << 32;
}
static inline uint32_t record_type(struct span record) {
    return record_le32(record.p);
}

struct record_sink {
    void *ctx;
    void (*take)(void *ctx, struct span record); /* whole ones */
};
/* Hands on what is whole and keeps what is not. A size that no record has is counted, and ends the frame, or the
 * file. */
void records_feed(struct records *r, struct span bytes, const struct record_sink *to,
                  struct counts *counts);
/* The end of a tick, which may be that of the input: counts what waits as cut, and takes that back once the
 * rest came. */
void records_tick(struct records *r, struct counts *counts);
/* Bytes of the first record; 0: there is no whole one. */
size_t record_size(struct span rest);
/* Bytes of the longest run of whole records: as vendor files cut. */
size_t records_cut(struct span rest);

/* ---- GPU time to ns ---------------------------------------------------------------------------- */

/* A point at which both clocks were read; `at` as perf_clock_report gives it. */
struct perf_knot {
    int64_t cpu_ns;
    int64_t at;
};
#define PERF_KNOTS 128

/* How stamps, of which 32 bits count, follow one another on one line of ticks that does not wrap. */
struct perf_line {
    int64_t first;     /* of the first report */
    int64_t newest;    /* of the newest one */
    int64_t pair_at;   /* of the last pair of readings */
    uint64_t pair_gpu; /* and as it was read */
    uint32_t stamp;    /* of the newest report, as it came */
    bool begun;        /* there was a report */
    bool paired;
};
/* Of a pair's, which carry 36 bits. */
int64_t perf_line_pair(struct perf_line *l, const struct oa_device *d, uint64_t gpu);
/* As a vendor file keeps it from unit to unit. */
struct perf_line perf_line_of(const struct file_trail *trail);
void perf_line_keep(const struct perf_line *l, struct file_trail *trail);

struct perf_clock {
    struct perf_line line;
    int64_t told_ns;
    int64_t anchor_at; /* live: the newest report of a frame, and when that was read */
    int64_t anchor_ns;
    uint32_t every; /* of so many pairs one became a knot */
    uint32_t passed;
    uint32_t count;
    bool anchored;
    bool given; /* the knots are all there are */
    bool told;
    struct perf_knot knots[PERF_KNOTS]; /* ascending */
};
/* By the fact oa_clock=NS:AT,NS:AT,..., as perf_clock_say says it. */
void perf_clock_init(struct perf_clock *c, const char *facts);
void perf_clock_say(const struct perf_clock *c, struct buf *facts);
/* The place of a report's stamp. One that steps back (or by half of all that 32 bits can tell, which is the same) moves
 * nothing where no pairs tell better: a timestamp that began anew. */
int64_t perf_clock_report(struct perf_clock *c, uint64_t timestamp);
/* Both clocks at one time. keep: as knots of a whole recording, thinned out where they are too many; else the last
 * two count. True where times from here on have nothing to do with those before. */
bool perf_clock_pair(struct perf_clock *c, const struct oa_device *d, int64_t cpu_ns, uint64_t gpu,
                     bool keep);
/* Live: a report with this stamp is to come, and was there at t_ns. How late a report is read differs from time to
 * time, so the anchor moves only where it must: nothing is read before it was written. True as above. */
bool perf_clock_anchor(struct perf_clock *c, const struct oa_device *d, uint64_t timestamp,
                       int64_t t_ns);
/* Linear between knots, and on beyond the first and the last two; by the rate alone where that cannot be; without a
 * knot or an anchor since the first report. Never before what it said last. */
int64_t perf_clock_ns(struct perf_clock *c, const struct oa_device *d, int64_t at);

/* What a vendor file's units are timed with, of facts. */
struct run_plan {
    struct oa_device device;
    struct perf_clock clock;
};
void run_plan_init(struct run_plan *p, const char *facts);
/* The time of a unit by the report's stamp in it (0: it has none, and no time); the trail moves on to it. */
int64_t run_plan_ns(const struct run_plan *p, struct file_trail *trail, uint64_t timestamp);

/* ---- owners, intervals, sums ------------------------------------------------------------------- */

struct run_owner {
    uint64_t client;
    int32_t pid;
    uint8_t space : 6; /* SPACE_NONE: nobody */
};

/* A capture of the command stream, as it is recognised again at the end of its batch. */
struct run_batch {
    uint32_t seqno;
    uint32_t context;
    uint32_t pid;
    uint32_t tag;
};

#define RUN_OWNERS 256
#define RUN_HELD   64

struct run_interval {
    struct oa_delta delta;
    int64_t end_ns;
    uint8_t reasons;
};

/* A stretch of one owner. */
struct run_stretch {
    struct run_owner owner;
    int64_t start_ns;
    int64_t end_ns;
    struct oa_delta sum;
    struct run_batch batch;
    uint32_t held;
    bool is;
    bool unsure; /* a batch whose end is still to come: without it its intervals are nobody's */
};

struct run {
    struct oa_device device;
    struct perf_clock clock;
    struct oa_report last;
    int64_t last_ns;
    bool has_last;
    bool each; /* every interval is told, else sums of a tick */
    bool any;  /* `whole` has something */
    bool said; /* so it was in the tick before */
    bool open_told;
    uint8_t class;
    char engine[24];
    struct run_stretch open;
    struct oa_delta whole;
    uint32_t owner_count;
    struct run_owner owners[RUN_OWNERS];
    struct oa_delta sums[RUN_OWNERS];
    struct run_interval held[RUN_HELD];
};
void run_init(struct run *it, const struct subject *s);
/* "render", ... of the kernel's engine class; NULL for one that there is not. */
const char *run_engine_name(unsigned number);

/* One call of a fold's feed or tick. */
struct run_flow {
    struct run *state;
    const struct subject *subject;
    const struct sink *sink;
    struct counts *counts;
};

/* A report, the next one of its stream: what lies between it and the last one is `whose`, or (NULL) belongs to the batch that
 * is open. False: it is none. */
bool run_report(const struct run_flow *f, const struct oa_report *r, const struct run_owner *whose);
/* A timestamp without counters: time goes on to there. */
void run_stamp(const struct run_flow *f, uint64_t timestamp);
/* The pid that a field says; 0 where it cannot be one. */
int32_t run_pid(uint32_t field);
/* A report is a capture of the command stream: it begins a batch or ends the one that is open. `tagged`: tags were
 * asked for. `at_ns`: when. */
void run_capture(const struct run_flow *f, const struct run_batch *b, bool tagged, int64_t at_ns);
/* Something is missing here: a batch that is open has no end, a stretch ends with the last report. */
void run_lost(const struct run_flow *f);
/* The stretch that is open, if any, ends where it came to: it goes on, or (goes_on false) not. */
void run_close(const struct run_flow *f, bool goes_on);
/* Says what came together in this tick. */
void run_tick(const struct run_flow *f);

#endif
