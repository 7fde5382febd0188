/*
 * Samples of the counter ring, within this folder: their layout, walking over them, and what their counters mean. Pure.
 *
 * Sources: the "drm/panthor" performance counter series, versions 4 to 6; meanings and indices of counters: Arm's
 * libGPUCounters.
 */
#ifndef GWTOP_BACKEND_PANTHOR_RING_H
#define GWTOP_BACKEND_PANTHOR_RING_H

#include "gwtop/core.h"

/* ---- PERF_INFO ------------------------------------------------------------------------------- */

enum panthor_block {
    PANTHOR_NONE,
    PANTHOR_FW,
    PANTHOR_CSHW,
    PANTHOR_TILER,
    PANTHOR_MEMSYS,
    PANTHOR_SHADER,
    PANTHOR_BLOCKS
};

#define PANTHOR_INFO_BYTES 44
#define PANTHOR_COUNTERS   128 /* most in a block */
#define PANTHOR_CORES      64  /* most shader cores */
#define PANTHOR_MOST       96  /* most blocks of all types */
#define PANTHOR_SAMPLE_MAX (56 + PANTHOR_MOST * (24 + 8 * PANTHOR_COUNTERS)) /* bytes */

struct panthor_layout {
    uint32_t counters;      /* in a block: 64 or 128 */
    uint32_t sample_header; /* bytes */
    uint32_t block_header;
    uint32_t sample_size; /* of all: header and blocks */
    uint32_t flags;
    uint32_t clocks;
    uint32_t blocks[PANTHOR_BLOCKS]; /* how many of each type; [PANTHOR_NONE]: of all */
};
/* False: not the 44 bytes of a layout that gwtop knows (sizes 56 and 24, 64 or 128 counters, a sample as large as
 * its parts, no more cores and blocks than above). */
bool panthor_layout_read(struct span info, struct panthor_layout *out);
/* The same as facts, for a live stream: info=... in hexadecimal; and back. */
void panthor_layout_say(struct span info, struct buf *facts);
bool panthor_layout_from_facts(const char *facts, struct panthor_layout *out);

/* ---- GPUs ------------------------------------------------------------------------------------ */

/* Generations whose counters stand at the same places. */
enum panthor_table { PANTHOR_UNKNOWN, PANTHOR_A, PANTHOR_B, PANTHOR_C, PANTHOR_D, PANTHOR_E };

/* Facts, none of which must be there: gpu_id=0xa8670000  l2_features=0x7120306  timestamp_hz=24000000
 * clock_hz=850000000 (one for all of it)  shader_present=0x1110055 */
struct panthor_gpu {
    uint32_t gpu_id;
    uint8_t table;           /* enum panthor_table */
    uint32_t beat_bytes;     /* of the external bus; 0 unknown */
    uint64_t timestamp_hz;   /* 0 unknown */
    uint64_t clock_hz;       /* 0 unknown */
    uint64_t shader_present; /* 0 unknown */
};
void panthor_gpu_from_facts(struct panthor_gpu *g, const char *facts);
/* "Mali-G610", ...; NULL for one that is not known. Where one id is sold under two names it has both. */
const char *panthor_gpu_name(uint32_t gpu_id);
/* The number of the core that stands at place `index` of `delivered` (bits) in a sample: where shader_present tells all of
 * them apart, the hardware's; else the place itself. */
unsigned panthor_gpu_core(const struct panthor_gpu *g, uint64_t delivered, unsigned index);

/* Counters that something is made of. */
enum panthor_counter {
    PANTHOR_GPU_ACTIVE,
    PANTHOR_MCU_ACTIVE,
    PANTHOR_GPU_ITER_ACTIVE,
    PANTHOR_ITER_TILER_ACTIVE,
    PANTHOR_ITER_TILER_READY_BLOCKED,
    PANTHOR_ITER_COMP_ACTIVE,
    PANTHOR_ITER_COMP_READY_BLOCKED,
    PANTHOR_ITER_FRAG_ACTIVE,
    PANTHOR_ITER_FRAG_READY_BLOCKED,
    PANTHOR_TILER_ACTIVE,
    PANTHOR_L2_READ_LOOKUP,
    PANTHOR_L2_WRITE_LOOKUP,
    PANTHOR_L2_EXT_READ,
    PANTHOR_L2_EXT_READ_BEATS,
    PANTHOR_L2_EXT_AR_STALL,
    PANTHOR_L2_EXT_WRITE,
    PANTHOR_L2_EXT_WRITE_BEATS,
    PANTHOR_L2_EXT_W_STALL,
    /* In the order of panthor_sample.core. */
    PANTHOR_SHADER_CORE_ACTIVE,
    PANTHOR_FRAG_ACTIVE,
    PANTHOR_COMPUTE_ACTIVE,
    PANTHOR_EXEC_CORE_ACTIVE,
    PANTHOR_COUNTERS_USED
};
struct panthor_place {
    uint8_t block; /* enum panthor_block; PANTHOR_NONE: not known where it stands */
    uint8_t index;
};
/* Of an unknown generation where it stands on all of them. */
struct panthor_place panthor_place_of(enum panthor_table t, enum panthor_counter c);

/* ---- samples --------------------------------------------------------------------------------- */

struct panthor_sample {
    uint64_t start_ns; /* when it was asked for: not the start of what it counts */
    uint64_t end_ns;   /* CLOCK_MONOTONIC_RAW */
    uint64_t user_data;
    uint64_t gpu_timestamp; /* of the CSHW block; 0: not told */
    uint64_t cycles[3];     /* top level, core group, shader; 0: not filled in */
    uint32_t flags;
    uint8_t set;
    bool empty; /* no block in it holds anything, not even the timestamp that every block has */
    /* Counters that were delivered: sums over the blocks of a type, and the blocks that had them. */
    uint32_t delivered[PANTHOR_BLOCKS];
    uint64_t enabled[PANTHOR_BLOCKS][2]; /* bits of counters that every delivered block had */
    uint64_t sum[PANTHOR_BLOCKS][PANTHOR_COUNTERS];
    /* Of each shader core: SHADER_CORE_ACTIVE, FRAG_ACTIVE, COMPUTE_ACTIVE, EXEC_CORE_ACTIVE. */
    uint64_t core_present; /* bit per core that was delivered */
    uint64_t core[PANTHOR_CORES][4];
};
/* `bytes` is one sample. Blocks of type 0 or an unknown one are stepped over; a block past the layout's count for its type,
 * or one that came before, is none. A block that is all 0, its timestamp too, was not delivered. Counts what was odd.
 * False: fewer bytes than a sample has. */
bool panthor_sample_read(const struct panthor_layout *l, struct span bytes,
                         struct panthor_sample *out, struct counts *counts);

/* ---- meaning --------------------------------------------------------------------------------- */

struct panthor_value {
    uint16_t metric;
    uint16_t index; /* INDEX_NONE, or the core */
    uint8_t state;
    uint8_t doubt;
    int64_t value; /* in the metric's unit and power */
};
#define PANTHOR_VALUES (20 + 4 * PANTHOR_CORES)
/* What the counters come to over `interval_ns` (0: not known, then no rates) at a mean clock of clock_hz (0: not known).
 * What was not delivered, or not enabled, is unsupported, never 0; 0/0 is unknown. A core that counted nothing while
 * fragments kept the GPU busy is not believed: it has no values, and no part in means. Values of cores follow that of
 * all of them. How many. */
size_t panthor_derive(const struct panthor_gpu *g, const struct panthor_sample *s,
                      int64_t interval_ns, uint64_t clock_hz,
                      struct panthor_value out[PANTHOR_VALUES]);
/* Adds `more` to what stands in `to`, which is zeroed at first, so that both are one longer sample. */
void panthor_sample_add(struct panthor_sample *to, const struct panthor_sample *more);
/* The counted interval between two samples that follow each other, by GPU timestamps where both tell them, else end to
 * end; 0: not known. */
int64_t panthor_interval_ns(const struct panthor_gpu *g, const struct panthor_sample *before,
                            const struct panthor_sample *now);

#endif
