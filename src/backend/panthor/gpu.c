/*
 * Mali GPUs with a command stream frontend: what they are called, and where their counters stand. Pure.
 *
 * Source: Arm's libGPUCounters (hardware layouts of the primary set); names also the kernel's panthor_hw.c.
 */
#include "ring.h"

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

/* ---- names ----------------------------------------------------------------------------------- */

struct product {
    uint8_t arch;    /* bits 31 to 28 of the id */
    uint8_t product; /* bits 19 to 16 */
    uint8_t table;
    const char *name;
};

static const struct product products[] = {
    {10, 2, PANTHOR_A, "Mali-G710"},
    {10, 3, PANTHOR_A, "Mali-G510"},
    {10, 4, PANTHOR_A, "Mali-G310"},
    {10, 7, PANTHOR_A, "Mali-G610"},
    {11, 2, PANTHOR_B, "Mali-G715 / Immortalis-G715"},
    {11, 3, PANTHOR_B, "Mali-G615"},
    {12, 0, PANTHOR_C, "Mali-G720 / Immortalis-G720"},
    {12, 1, PANTHOR_C, "Mali-G620"},
    {13, 0, PANTHOR_D, "Mali-G725 / Immortalis-G925"},
    {13, 1, PANTHOR_D, "Mali-G625"},
    {14, 0, PANTHOR_E, "Mali G1-Ultra"},
    {14, 1, PANTHOR_E, "Mali G1-Premium"},
    {14, 3, PANTHOR_E, "Mali G1-Pro"},
};

static const struct product *product_of(uint32_t gpu_id) {
    for (size_t i = 0; i < COUNT(products); i++)
        if (products[i].arch == gpu_id >> 28 && products[i].product == (gpu_id >> 16 & 15))
            return &products[i];
    return NULL;
}

const char *panthor_gpu_name(uint32_t gpu_id) {
    const struct product *p = product_of(gpu_id);
    return p ? p->name : NULL;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static uint64_t hex_of(const char *facts, const char *key) {
    uint64_t v;
    return span_to_hex64(facts_get(facts, key), &v) == ERR_OK ? v : 0;
}

/* Bits 31 to 24: log2 of the bus in bits, which is a byte at least and not wider than a cache line of any. */
static uint32_t beat_bytes(uint64_t l2_features) {
    uint64_t log2 = l2_features >> 24;
    return log2 >= 3 && log2 <= 12 ? UINT32_C(1) << (log2 - 3) : 0;
}

void panthor_gpu_from_facts(struct panthor_gpu *g, const char *facts) {
    uint64_t id = hex_of(facts, "gpu_id");
    *g = (struct panthor_gpu){.gpu_id = id <= UINT32_MAX ? (uint32_t)id : 0,
                              .beat_bytes = beat_bytes(hex_of(facts, "l2_features")),
                              .timestamp_hz = facts_u64(facts, "timestamp_hz", 0),
                              .clock_hz = facts_u64(facts, "clock_hz", 0),
                              .shader_present = hex_of(facts, "shader_present")};
    const struct product *p = product_of(g->gpu_id);
    g->table = p ? p->table : PANTHOR_UNKNOWN;
}

unsigned panthor_gpu_core(const struct panthor_gpu *g, uint64_t delivered, unsigned index) {
    unsigned place = 0, number = index;
    uint64_t rest = delivered;
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(g->shader_present >> bit & 1))
            continue;
        if (place++ == index)
            number = bit;
        rest >>= 1;
    }
    return rest == 0 ? number : index;
}

/* ---- counters -------------------------------------------------------------------------------- */

struct counter {
    uint8_t block;
    uint8_t early; /* A, B and C */
    uint8_t late;  /* D and E */
};

/* Only the three iterators moved, with G725. */
static const struct counter counters[PANTHOR_COUNTERS_USED] = {
    [PANTHOR_GPU_ACTIVE] = {PANTHOR_CSHW, 4, 4},
    [PANTHOR_MCU_ACTIVE] = {PANTHOR_CSHW, 5, 5},
    [PANTHOR_GPU_ITER_ACTIVE] = {PANTHOR_CSHW, 6, 6},
    [PANTHOR_ITER_TILER_ACTIVE] = {PANTHOR_CSHW, 16, 64},
    [PANTHOR_ITER_TILER_READY_BLOCKED] = {PANTHOR_CSHW, 22, 70},
    [PANTHOR_ITER_COMP_ACTIVE] = {PANTHOR_CSHW, 24, 32},
    [PANTHOR_ITER_COMP_READY_BLOCKED] = {PANTHOR_CSHW, 30, 38},
    [PANTHOR_ITER_FRAG_ACTIVE] = {PANTHOR_CSHW, 32, 48},
    [PANTHOR_ITER_FRAG_READY_BLOCKED] = {PANTHOR_CSHW, 38, 54},
    [PANTHOR_TILER_ACTIVE] = {PANTHOR_TILER, 4, 4},
    [PANTHOR_L2_READ_LOOKUP] = {PANTHOR_MEMSYS, 26, 26},
    [PANTHOR_L2_WRITE_LOOKUP] = {PANTHOR_MEMSYS, 27, 27},
    [PANTHOR_L2_EXT_READ] = {PANTHOR_MEMSYS, 29, 29},
    [PANTHOR_L2_EXT_READ_BEATS] = {PANTHOR_MEMSYS, 32, 32},
    [PANTHOR_L2_EXT_AR_STALL] = {PANTHOR_MEMSYS, 33, 33},
    [PANTHOR_L2_EXT_WRITE] = {PANTHOR_MEMSYS, 42, 42},
    [PANTHOR_L2_EXT_WRITE_BEATS] = {PANTHOR_MEMSYS, 47, 47},
    [PANTHOR_L2_EXT_W_STALL] = {PANTHOR_MEMSYS, 48, 48},
    [PANTHOR_SHADER_CORE_ACTIVE] = {PANTHOR_SHADER, 53, 53},
    [PANTHOR_FRAG_ACTIVE] = {PANTHOR_SHADER, 4, 4},
    [PANTHOR_COMPUTE_ACTIVE] = {PANTHOR_SHADER, 22, 22},
    [PANTHOR_EXEC_CORE_ACTIVE] = {PANTHOR_SHADER, 26, 26},
};

struct panthor_place panthor_place_of(enum panthor_table t, enum panthor_counter c) {
    const struct counter *it = &counters[c];
    if (t == PANTHOR_UNKNOWN && it->early != it->late)
        return (struct panthor_place){PANTHOR_NONE, 0};
    return (struct panthor_place){it->block, t >= PANTHOR_D ? it->late : it->early};
}
