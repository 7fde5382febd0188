/*
 * What the parts of a counter session share. A session is a thread of its own (source.h, worker), since the driver's START
 * waits for the GPU, up to a second. The run below is the thread's, but for what is told across. Times in ns of
 * CLOCK_MONOTONIC.
 */
#ifndef GWTOP_BACKEND_PANTHOR_COLLECT_SESSION_H
#define GWTOP_BACKEND_PANTHOR_COLLECT_SESSION_H

#include <stdatomic.h>

#include "gwtop/source.h"
#include "panthor.h"
#include "ring.h"
#include "uapi.h"

enum { PANTHOR_SLOTS = 8, PANTHOR_PATH_MAX = 160, PANTHOR_NODE_MAX = 24 };
#define PANTHOR_WAIT_NS INT64_C(1000000000) /* the longest that is waited for a sample */

/* What the driver said of itself. */
struct panthor_driver {
    int32_t minor;
    uint32_t perf_query;      /* number of PERF_INFO */
    uint32_t perf_id;         /* number of PERF_CONTROL */
    uint32_t timestamp_bytes; /* of TIMESTAMP_INFO; 0: there is none */
    struct panthor_uapi_gpu gpu;
    uint64_t timestamp_hz; /* 0 unknown */
    struct panthor_uapi_info info;
    struct panthor_layout layout;
};

struct panthor_buffer {
    uint32_t handle; /* 0: none */
    size_t bytes;    /* in whole pages */
    void *at;        /* NULL: not mapped */
};

enum panthor_stage {
    PANTHOR_CLOSED,   /* there is no session */
    PANTHOR_SET,      /* set up; to be started, or started again */
    PANTHOR_COUNTING, /* samples may be asked for */
    PANTHOR_STOPPING  /* stopped at the end of the ring; the sample of that is on its way */
};

enum panthor_phase { PANTHOR_STARTING, PANTHOR_HELD, PANTHOR_LOST };

struct panthor_run {
    struct source source; /* first: the worker's inner one */
    struct host own;
    char device[64];                  /* its name, for the log */
    char node_name[PANTHOR_NODE_MAX]; /* "renderD128" */

    /* Told across. `facts` is written before the phase becomes PANTHOR_HELD, and never after. */
    atomic_int phase;    /* enum panthor_phase */
    atomic_int sys;      /* why there was no sample this time; 0 */
    atomic_ullong calls; /* made by the thread so far */
    struct buf facts;    /* of the stream: how to read its samples */

    const struct subject *subject;     /* of the samples; NULL: nobody listens yet */
    int node;                          /* -1 */
    int event;                         /* -1 */
    char clock_path[PANTHOR_PATH_MAX]; /* of devfreq's cur_freq; "" */
    struct panthor_driver driver;
    struct panthor_buffer ring;
    struct panthor_buffer control;
    uint8_t stage;     /* enum panthor_stage */
    bool asked_setup;  /* no other is set up in this program's life */
    bool interrupted;  /* the first SETUP, by a signal */
    bool foreign;      /* the driver says that it does not know our session */
    bool pending;      /* a sample was asked for and has not come */
    bool late;         /* and a whole wait was in vain: no more of them */
    uint32_t handle;   /* of the session */
    uint64_t extract;  /* the next slot to be read: the driver's copy is not trusted */
    uint64_t sequence; /* of samples that were asked for */
    int64_t next_ns;   /* a sample by then at the latest */
    int64_t retry_ns;  /* INT64_MAX: never */
    int undo[3];       /* TEARDOWN, the wait, STOP: in the order in which they are armed */
    int undo_request;  /* a wait before these, while a request is out: STOP is refused until then */
    struct panthor_uapi_ask crash; /* what the calls of undo point to */
    char word[200];                /* why not, for people */
    char told[200];                /* the last of them that was logged */
    struct buf body;
};

/* ---- collect_run.c --------------------------------------------------------------------------- */

void panthor_run_init(struct panthor_run *r, const struct host *h, const struct subject *device);
/* One turn: sets up, or asks for a sample, waits for it and hands on what there is. */
void panthor_run_turn(struct panthor_run *r, int64_t now_ns, const struct frame_sink *sink);
/* STOP, one TEARDOWN, and everything closed. */
void panthor_run_end(struct panthor_run *r);
void panthor_run_finish(struct panthor_run *r);

/* Keeps why there can be no session; false. */
bool panthor_refuse(struct panthor_run *r, int sys, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- collect_probe.c: the node, and what there is to know ------------------------------------ */

/* "renderD128" of the device's facts; false: it has none. */
bool panthor_find_node(const struct subject *device, char name[PANTHOR_NODE_MAX]);
/* Opens the node and asks it. False: refused. */
bool panthor_probe_node(struct panthor_run *r);
/* The numbers of the GPU's clock right now, as a line in front of a sample. */
void panthor_clock_say(struct panthor_run *r, struct buf *out);
/* Hands on that what comes next was counted from now on, asked for a moment before. */
void panthor_start_say(struct panthor_run *r, int64_t asked_ns, const struct frame_sink *sink);

/* ---- collect_ring.c: the session's calls, and its memory ------------------------------------- */

/* Makes both buffers and the event. False: refused. */
bool panthor_ring_create(struct panthor_run *r);
void panthor_ring_destroy(struct panthor_run *r);
/* What PERF_CONTROL returns. */
int panthor_ring_setup(struct panthor_run *r);
int panthor_ring_command(struct panthor_run *r, enum panthor_command command);
/* Never made again, whatever it says. */
int panthor_ring_teardown(struct panthor_run *r);
/* Hands on what is there. How many; -1: refused. */
int panthor_ring_drain(struct panthor_run *r, const struct frame_sink *sink);
/* A request goes out; it is over. Between these a crash waits for it first. */
void panthor_ring_ask(struct panthor_run *r);
void panthor_ring_landed(struct panthor_run *r);
/* Drops what is there, so that STOP has room. */
void panthor_ring_empty(struct panthor_run *r);
/* Until something is there, but no longer than most_ns. Where the driver's place in the ring is none the event alone
 * says so. */
void panthor_ring_wait(struct panthor_run *r, int64_t most_ns);
/* How the call is undone: its argument, which points to what stays. */
struct panthor_uapi_perf panthor_ring_undo(struct panthor_run *r, enum panthor_command command);

#endif
