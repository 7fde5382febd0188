/*
 * What the GPU of the emulated panthor does: the same all the time, so that a sample of any length
 * comes to the same shares. Counters are totals at a time, rounded down; a block has their
 * differences, so that nothing is lost between two samples.
 */
#include "panthor_emul.h"

#include <string.h>
#include <time.h>

static const struct gpu gpus[] = {
    {"g710", 0xa8620000, 64, 0},  {"g610", 0xa8670000, 64, 0},  {"g715", 0xb8020000, 128, 1},
    {"g720", 0xc8000000, 128, 2}, {"g725", 0xd8000000, 128, 3}, {"g1", 0xe8000000, 128, 4},
};

/* What a counter counts. */
enum basis {
    OF_BUSY, /* thousandths of busy cycles: of a number, or of a product of several */
    OF_BYTES /* beats of the external bus, for all slices together */
};

/* Where it stands on each generation. */
struct place {
    uint8_t type;
    uint8_t index[5];
    uint8_t basis;
    const uint64_t *part[3]; /* NULL: 1000 */
    uint64_t more;           /* thousandths on top of the first part */
};

static const uint64_t lookups = 100, raw_excess = 1250, whole = 1000, iterators = 980;

#define ALL(n)                                                                                     \
    { n, n, n, n, n }
#define MOVED(old, new)                                                                            \
    { old, old, old, new, new }
static const struct place places[] = {
    {BLOCK_CSHW, ALL(5), OF_BUSY, {&script.mcu}, 0},
    {BLOCK_CSHW, MOVED(16, 64), OF_BUSY, {&script.tiler_queue}, 30},
    {BLOCK_CSHW, MOVED(22, 70), OF_BUSY, {NULL}, 30},
    {BLOCK_CSHW, MOVED(24, 32), OF_BUSY, {&script.compute_queue}, 20},
    {BLOCK_CSHW, MOVED(30, 38), OF_BUSY, {NULL}, 20},
    {BLOCK_CSHW, MOVED(32, 48), OF_BUSY, {&script.fragment_queue}, 40},
    {BLOCK_CSHW, MOVED(38, 54), OF_BUSY, {NULL}, 40},
    {BLOCK_TILER, ALL(4), OF_BUSY, {&script.tiler}, 0},
    {BLOCK_MEMSYS, ALL(26), OF_BUSY, {&lookups}, 0},
    {BLOCK_MEMSYS, ALL(27), OF_BUSY, {&lookups}, 0},
    {BLOCK_MEMSYS, ALL(29), OF_BUSY, {&lookups, &script.read_miss}, 0},
    {BLOCK_MEMSYS, ALL(42), OF_BUSY, {&lookups, &script.write_miss}, 0},
    {BLOCK_MEMSYS, ALL(32), OF_BYTES, {&script.read_mb}, 0},
    {BLOCK_MEMSYS, ALL(47), OF_BYTES, {&script.write_mb}, 0},
    {BLOCK_MEMSYS, ALL(33), OF_BUSY, {&script.read_stall}, 0},
    {BLOCK_MEMSYS, ALL(48), OF_BUSY, {&script.write_stall}, 0},
    {BLOCK_SHADER, ALL(53), OF_BUSY, {&script.shader}, 0},
    {BLOCK_SHADER, ALL(4), OF_BUSY, {&script.shader, &script.fragment}, 0},
    {BLOCK_SHADER, ALL(22), OF_BUSY, {&script.shader, &script.non_fragment}, 0},
    {BLOCK_SHADER, ALL(26), OF_BUSY, {&script.shader, &script.execution}, 0},
};
#undef ALL
#undef MOVED

const struct gpu *gpu_find(const char *name) {
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        if (strcmp(gpus[i].name, name) == 0)
            return &gpus[i];
    return NULL;
}

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t began_ns;

int64_t raw_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    int64_t ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    if (began_ns == 0)
        began_ns = ns;
    return ns;
}

static uint64_t scale(uint64_t a, uint64_t b, uint64_t by) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b / by);
}

/* The GPU was up for a while before the driver looked. */
uint64_t model_timestamp(int64_t ns) {
    return UINT64_C(0x4ffffff00) + scale((uint64_t)(ns - began_ns), TIMESTAMP_HZ, 1000000000);
}

uint64_t model_cycles(int64_t ns) {
    return UINT64_C(77000000) + scale((uint64_t)(ns - began_ns), script.clock_hz, 1000000000);
}

/* Busy cycles since the beginning. */
static uint64_t busy_at(int64_t ns) {
    uint64_t since = (uint64_t)(ns - began_ns), later = script.later_ms * 1000000;
    uint64_t first = script.later_ms && since > later ? later : since;
    uint64_t weighted = first * script.busy + (since - first) * script.later_busy;
    return scale(weighted, script.clock_hz, UINT64_C(1000000000) * 1000);
}

uint64_t model_busy(int64_t from, int64_t to) {
    return busy_at(to) - busy_at(from);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

unsigned model_counters(void) {
    return script.version->minor == 8 ? script.gpu->counters : 64;
}

unsigned model_blocks(enum block_type type) {
    switch (type) {
    case BLOCK_FW:
        return (unsigned)script.fw_blocks;
    case BLOCK_MEMSYS:
        return (unsigned)script.slices;
    case BLOCK_SHADER:
        return (unsigned)__builtin_popcountll(script.shader_present);
    default:
        return 1;
    }
}

/* The cores do not all do the same: by thousandths, up to 50 around the mean. */
static uint64_t core_part(unsigned index) {
    int64_t count = model_blocks(BLOCK_SHADER);
    return (uint64_t)(1000 + 50 / count * (2 * (int64_t)index - count + 1));
}

static uint64_t total_at(const struct place *p, unsigned index, int64_t ns) {
    uint64_t n;
    if (p->basis == OF_BYTES) {
        uint64_t bytes = scale((uint64_t)(ns - began_ns), *p->part[0] * 1000000, 1000000000);
        n = script.busy ? bytes / BEAT_BYTES / script.slices : 0;
        return n;
    }
    n = scale(busy_at(ns), (p->part[0] ? *p->part[0] : 0) + p->more, 1000);
    for (unsigned i = 1; i < 3 && p->part[i]; i++)
        n = scale(n, *p->part[i], 1000);
    return p->type == BLOCK_SHADER ? scale(n, core_part(index), 1000) : n;
}

/* What nobody asks about counts too, so that a counter at the wrong place is seen. */
static void put_noise(enum block_type type, uint64_t us, uint64_t out[COUNTERS_MOST]) {
    for (unsigned i = 4; i < model_counters(); i++)
        out[i] = us * (31 + (i * 7 + type * 13) % 17);
}

/* On the second generation the counter of active cycles counts idle ones too; the front end's own
 * is right there, and less than it elsewhere. */
static void put_active(int64_t from, int64_t to, uint64_t out[COUNTERS_MOST]) {
    bool raw = script.gpu->table == 1;
    const uint64_t busy[] = {scale(busy_at(from), raw ? raw_excess : whole, 1000),
                             scale(busy_at(to), raw ? raw_excess : whole, 1000)};
    const uint64_t front[] = {scale(busy_at(from), raw ? whole : iterators, 1000),
                              scale(busy_at(to), raw ? whole : iterators, 1000)};
    out[4] = busy[1] - busy[0];
    out[6] = front[1] - front[0];
}

void model_block(enum block_type type, unsigned index, int64_t from, int64_t to,
                 uint64_t out[COUNTERS_MOST]) {
    memset(out, 0, COUNTERS_MOST * sizeof *out);
    put_noise(type, (uint64_t)(to - from) / 1000, out);
    if (type == BLOCK_CSHW)
        put_active(from, to, out);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct place *p = &places[i];
        if (p->type == type)
            out[p->index[script.gpu->table]] = total_at(p, index, to) - total_at(p, index, from);
    }
}
