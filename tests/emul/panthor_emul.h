/*
 * An emulated panthor for the real program: a library that is preloaded, answers for render nodes of
 * a tree of files and plays the kernel's side of the proposed counter sessions, each posted version
 * with its own faults, and more of them by a script. Written from descriptions of the interface,
 * apart from the program it tests, so that one misreading does not stand on both sides.
 *
 * Script: "version=v4;gpu=g710;busy=60;hang=5" (see script_fields). In the log:
 *   EMIT session=N ordinal=N user_data=N slot=N span=ns busy=cycles  a sample that was given
 *   SESSION id=N ... teardowns=N emitted=N                           at the end, of each
 *   LEFT ...                                                         what the program left behind
 *   KEPT ...                                                         what the kernel did not let go
 */
#ifndef PANTHOR_EMUL_H
#define PANTHOR_EMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "emul.h"

/* ---- script (panthor_script.c) --------------------------------------------------------------- */

/* What the running kernel is: a posted version of the series, one that carries it, or none of them. */
struct version {
    const char *name;
    unsigned minor;      /* of the driver */
    unsigned perf_id;    /* PERF_CONTROL; 0: there is none */
    unsigned perf_query; /* PERF_INFO; 0: there is none */
    uint32_t info_bytes; /* of it */
    bool mmu_query;      /* query 4 is about the MMU */
    bool wedges;         /* free slots are counted up to the end of the ring */
    bool inverted;       /* TEARDOWN fails where nothing is under way */
    bool no_shaders;     /* blocks of shader cores are left out */
    bool keeps_data;     /* user_data of a slot that was begun earlier stays */
    bool coarse_mask;    /* counter 2: a bit for four counters */
};

/* Ordinals count from 1 over the whole run; 0: never. */
struct script {
    const struct version *version;
    const struct gpu *gpu;
    uint64_t shader_present; /* bits */
    uint64_t slices;
    uint64_t fw_blocks;
    uint64_t clock_hz;
    /* What the GPU does all the time, in thousandths; see panthor_model.c for what of. */
    uint64_t busy;
    uint64_t mcu;
    uint64_t fragment_queue;
    uint64_t compute_queue;
    uint64_t tiler_queue;
    uint64_t tiler;
    uint64_t shader;
    uint64_t fragment;
    uint64_t non_fragment;
    uint64_t execution;
    uint64_t read_miss;
    uint64_t write_miss;
    uint64_t read_stall;
    uint64_t write_stall;
    uint64_t read_mb; /* MB/s */
    uint64_t write_mb;
    uint64_t later_busy; /* after later_ms another share is busy */
    uint64_t later_ms;

    uint64_t latency_us; /* from a request to its sample */
    uint64_t stop_us;    /* the same for STOP; 0: as the others */
    uint64_t start;      /* what START gives */
    uint64_t taken;      /* sessions that others have */
    uint64_t perfmon;    /* the program may have the other counter sets */
    uint64_t deny;       /* the node cannot be opened */
    uint64_t fail_setup; /* errno */
    uint64_t no_rate;    /* the timestamp's frequency is not known */
    uint64_t no_stamp;   /* blocks have no timestamp */
    uint64_t odd_size;   /* PERF_INFO does not add up */
    uint64_t header;     /* bytes of a sample's head, when not 56 */
    uint64_t sync_zero;  /* an empty BO_SYNC is refused */

    uint64_t hang;        /* from this request on nothing is answered */
    uint64_t reset;       /* the GPU is reset while this request is under way */
    uint64_t reset_ms;    /* and how long that takes */
    uint64_t empty;       /* this sample is told of, and not there */
    uint64_t empty_each;  /* and each Nth */
    uint64_t merge;       /* this sample's slot was begun earlier */
    uint64_t busy_once;   /* this SAMPLE is refused */
    uint64_t eintr;       /* a signal comes before this PERF_CONTROL, which does nothing */
    uint64_t false_event; /* with this sample the event counts one more */
    uint64_t gone;        /* from this call on the device is gone */
    uint64_t corrupt;     /* with this sample the index points out of the ring */
    uint64_t junk;        /* from this sample on there is anything in them */
};
extern struct script script;

void script_read(void);

/* ---- the GPU (panthor_model.c) --------------------------------------------------------------- */

enum block_type { BLOCK_FW = 1, BLOCK_CSHW, BLOCK_TILER, BLOCK_MEMSYS, BLOCK_SHADER, BLOCK_TYPES };
enum { TIMESTAMP_HZ = 24000000, COUNTERS_MOST = 128, BEAT_BYTES = 16 };

struct gpu {
    const char *name;
    uint32_t id;
    unsigned counters; /* in a block, as the hardware has them */
    unsigned table;    /* of the generation, from 0 on */
};
const struct gpu *gpu_find(const char *name);

int64_t raw_ns(void); /* CLOCK_MONOTONIC_RAW, which GPU and driver go by */
uint64_t model_timestamp(int64_t ns);
uint64_t model_cycles(int64_t ns); /* of GPU_CYCLE_COUNT */
uint64_t model_busy(int64_t from, int64_t to);
unsigned model_counters(void); /* in a block of a sample */
unsigned model_blocks(enum block_type type);
/* All counters of a block, from number 4 on, of the time between. */
void model_block(enum block_type type, unsigned index, int64_t from, int64_t to,
                 uint64_t out[COUNTERS_MOST]);

/* ---- calls that are not of sessions (panthor_query.c, panthor_buffer.c) ---------------------- */

int query_version(void *arg, size_t size);
int query_device(void *arg);
/* PERF_INFO. */
void query_perf_info(uint32_t out[11]);

enum { PAGE = 4096 };
struct buffer {
    dev_t device; /* of the node's file */
    ino_t inode;
    uint32_t handle;
    size_t bytes;
    uint8_t *at; /* in the kernel's own view */
    bool open;   /* the handle */
};
void buffer_space(int fd); /* of a new node */
int buffer_create(int fd, void *arg);
int buffer_offset(int fd, void *arg);
int buffer_free(int fd, const void *arg);
const struct buffer *buffer_find(int fd, uint32_t handle); /* NULL */
void buffer_leave(void);                                   /* says what is still mapped */

/* ---- sessions (panthor_perf.c, panthor_ring.c) ----------------------------------------------- */

enum { SESSIONS = 2 };
enum request { REQUEST_NONE, REQUEST_BASELINE, REQUEST_SAMPLE, REQUEST_STOP };

struct session {
    bool reserved; /* the number is taken */
    bool there;    /* and a session behind it */
    bool kept;     /* in the kernel for ever, with no number */
    bool active;
    enum request request; /* under way */
    int64_t due_ns;       /* raw; INT64_MAX never */
    int64_t asked_ns;     /* of the last SAMPLE */
    uint64_t user_data;
    dev_t device; /* of the node's file */
    ino_t inode;
    int event; /* the kernel's own hold of it */
    uint8_t *ring;
    uint8_t *control;
    unsigned slots;
    uint8_t set;
    uint64_t mask[BLOCK_TYPES][2];
    uint64_t insert; /* as last stored */
    uint64_t extract;
    int64_t from_ns; /* what is counted is since then */
    bool begun;      /* the slot has a head already */
    int64_t begun_ns;
    uint64_t begun_data;
    /* for the log */
    unsigned setups;
    unsigned starts;
    unsigned asked; /* SAMPLEs that were taken */
    unsigned stops;
    unsigned teardowns;
    unsigned emitted;
};

/* As the system call. `zeros`: only the size is asked for. */
int perf_control(int fd, void *arg);
/* The same call in kernels where it is another's number. */
int perf_neighbour(unsigned id, const void *arg, size_t size);
void perf_leave(void);

/* All below with the lock held: it also keeps signals away, so that a handler may make calls. */
void ring_lock(void);
void ring_unlock(void);
void ring_begin(struct session *s); /* after SETUP */
/* How many slots a request may still use. */
unsigned ring_room(struct session *s);
void ring_ask(struct session *s, enum request request);
/* Looks for what the program wrote where it must not. */
void ring_check(struct session *s);
extern struct session sessions[SESSIONS];
extern unsigned requests; /* so far, of all */

#endif
