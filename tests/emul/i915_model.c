/*
 * What the emulated GPU does: contexts take turns within a cycle, then it rests; counters follow
 * from the time alone, so that any report can be computed by itself. All counters are near the
 * end of their width at the beginning, so that each wraps within the first second.
 */
#include "i915_emul.h"

#include <string.h>
#include <time.h>

__extension__ typedef unsigned __int128 u128;

/* What a counter counts. Percent are of the clocks in which a context works; figures of memory
 * and threads are per microsecond of that. */
enum count {
    COUNT_NONE,
    COUNT_BUSY,     /* clocks at work */
    COUNT_ACTIVE,   /* x EUs: 60 % in contexts of even number, 40 % in the others */
    COUNT_STALL,    /* x EUs: 20 % */
    COUNT_BOTH,     /* x EUs: 10 % */
    COUNT_PLACES,   /* thread places of all EUs that are taken, over 8: 50 % of 8 */
    COUNT_SAMPLER0, /* 30 % */
    COUNT_SAMPLER1, /* 45 % */
    COUNT_READ,     /* 12800 bytes */
    COUNT_WRITE,    /* 3200 bytes */
    COUNT_VS,       /* 2 threads */
    COUNT_PS,       /* 64 threads */
    COUNT_CS,       /* 8 threads */
    COUNT_TEXELS,   /* 100 */
    COUNT_CLOCK     /* core clocks, at work or not */
};

struct meaning {
    char group; /* 'A', 'B', 'C' */
    uint8_t index;
    uint8_t count;
    uint8_t over; /* counts so many as one: bytes of a line, or one of several counters */
};

static const struct meaning gen8[] = {{'A', 0, COUNT_BUSY, 1},     {'A', 1, COUNT_VS, 1},
                                      {'A', 4, COUNT_CS, 1},       {'A', 6, COUNT_PS, 1},
                                      {'A', 7, COUNT_ACTIVE, 1},   {'A', 8, COUNT_STALL, 1},
                                      {'A', 9, COUNT_BOTH, 1},     {'A', 13, COUNT_PLACES, 1},
                                      {'A', 28, COUNT_TEXELS, 4},  {'B', 0, COUNT_SAMPLER0, 1},
                                      {'B', 1, COUNT_SAMPLER1, 1}, {'C', 6, COUNT_READ, 64},
                                      {'C', 7, COUNT_WRITE, 64},   {0}};
static const struct meaning haswell[] = {
    {'A', 0, COUNT_ACTIVE, 1},   {'A', 1, COUNT_STALL, 1},    {'A', 5, COUNT_VS, 1},
    {'A', 20, COUNT_CS, 1},      {'A', 30, COUNT_PS, 1},      {'A', 41, COUNT_BUSY, 1},
    {'B', 0, COUNT_SAMPLER0, 1}, {'B', 1, COUNT_SAMPLER1, 1}, {'C', 2, COUNT_CLOCK, 1},
    {'C', 6, COUNT_READ, 128},   {'C', 7, COUNT_WRITE, 64},   {0}};
static const struct meaning gen12[] = {{'A', 0, COUNT_BUSY, 1},    {'A', 1, COUNT_VS, 1},
                                       {'A', 4, COUNT_CS, 1},      {'A', 6, COUNT_PS, 1},
                                       {'A', 7, COUNT_ACTIVE, 4},  {'A', 8, COUNT_ACTIVE, 4},
                                       {'A', 9, COUNT_ACTIVE, 4},  {'A', 10, COUNT_ACTIVE, 4},
                                       {'A', 11, COUNT_STALL, 4},  {'A', 12, COUNT_STALL, 4},
                                       {'A', 13, COUNT_STALL, 4},  {'A', 14, COUNT_STALL, 4},
                                       {'A', 15, COUNT_PLACES, 4}, {'A', 16, COUNT_PLACES, 4},
                                       {'A', 17, COUNT_PLACES, 4}, {'A', 18, COUNT_PLACES, 4},
                                       {'A', 28, COUNT_TEXELS, 4}, {'B', 0, COUNT_SAMPLER1, 1},
                                       {'C', 0, COUNT_WRITE, 128}, {'C', 1, COUNT_WRITE, 128},
                                       {'C', 2, COUNT_READ, 64},   {0}};
static const struct meaning acm[] = {{'A', 0, COUNT_BUSY, 1},    {'A', 4, COUNT_CS, 1},
                                     {'A', 7, COUNT_ACTIVE, 1},  {'A', 8, COUNT_STALL, 1},
                                     {'A', 9, COUNT_PLACES, 1},  {'A', 10, COUNT_BOTH, 1},
                                     {'A', 36, COUNT_READ, 128}, {'C', 5, COUNT_SAMPLER1, 1},
                                     {'C', 6, COUNT_WRITE, 128}, {0}};

#define BIT(n)    (UINT32_C(1) << (n))
#define GEN8_MOST (BIT(7) | BIT(8) | BIT(9) | BIT(10))

static const struct platform platforms[] = {
    {.name = "skl",
     .pci = 0x1912,
     .eu = 24,
     .subslices = 3,
     .oa_hz = 12000000,
     .cs_hz = 12000000,
     .core_hz = 1000000000,
     .formats = GEN8_MOST,
     .context_shift = 5,
     .render_basic = "07b25942-d9fd-4fce-bd58-e29abd66b7de",
     .test_oa = "1651949f-0ac0-4cb1-a06f-dafd74a407d1",
     .meaning = gen8},
    {.name = "hsw",
     .pci = 0x0412,
     .eu = 20,
     .subslices = 2,
     .oa_hz = 12500000,
     .cs_hz = 12500000,
     .core_hz = 1000000000,
     .formats = 0xfe,
     .haswell = true,
     .render_basic = "a490e9d2-55b3-4db0-8dab-53011032c5f3",
     .test_oa = "403d8832-1a27-4aa6-a64e-f5389ce7b212",
     .meaning = haswell},
    {.name = "tgl",
     .pci = 0x9a49,
     .eu = 96,
     .subslices = 6,
     .oa_hz = 19200000,
     .cs_hz = 19200000,
     .core_hz = 1300000000,
     .formats = GEN8_MOST,
     .context_shift = 5,
     .render_basic = "0fc397c0-4833-492c-9ccd-4929d574d5b8",
     .test_oa = "80a833f0-2504-4321-8894-e9277844ce7b",
     .meaning = gen12},
    {.name = "dg2",
     .pci = 0x56a5,
     .eu = 128,
     .subslices = 8,
     .oa_hz = 38400000,
     .cs_hz = 19200000,
     .core_hz = 2000000000,
     .formats = BIT(11) | BIT(12),
     .xe_hp = true,
     .context_shift = 7,
     .render_basic = "f5b8f05e-c84c-4f1c-bb05-68fbea73879b",
     .test_oa = "57f210de-b537-464a-af7b-7dfe2f3780c1",
     .meaning = acm},
};

const struct platform *platform_find(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; i++)
        if (strlen(platforms[i].name) == n && memcmp(platforms[i].name, name, n) == 0)
            return &platforms[i];
    return NULL;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The timestamp's low 32 bits wrap 0.7 s after the GPU began. */
static uint64_t first_ticks(void) {
    return (UINT64_C(1) << 32) - script.platform->oa_hz / 10 * 7;
}

static int64_t began_ns;

uint64_t model_ticks(int64_t ns) {
    if (began_ns == 0)
        began_ns = ns;
    return first_ticks() + (uint64_t)((u128)(ns - began_ns) * script.platform->oa_hz / 1000000000);
}

int64_t model_ns(uint64_t ticks) {
    return (int64_t)((u128)ticks * 1000000000 / script.platform->oa_hz);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static uint64_t turn(void) {
    return script.platform->oa_hz * script.cycle_ms / 1000 * script.busy_pct / 100 /
           script.contexts;
}

static uint64_t cycle(void) {
    return script.busy_pct == 100 ? turn() * script.contexts
                                  : script.platform->oa_hz * script.cycle_ms / 1000;
}

int model_owner(uint64_t ticks) {
    uint64_t in = ticks % cycle();
    return turn() > 0 && in / turn() < script.contexts ? (int)(in / turn()) : NO_CONTEXT;
}

static uint64_t ticks_of(unsigned context, uint64_t ticks) {
    uint64_t in = ticks % cycle(), from = context * turn();
    uint64_t now = in <= from ? 0 : in - from < turn() ? in - from : turn();
    return ticks / cycle() * turn() + now;
}

uint64_t model_busy_ticks(uint64_t ticks) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < script.contexts; i++)
        sum += ticks_of(i, ticks);
    return sum;
}

static bool is_timer(uint64_t ticks, unsigned exponent) {
    uint64_t half = UINT64_C(1) << exponent;
    return (ticks & (2 * half - 1)) == half;
}

/* A change of owner within the cycle; Haswell writes no reports of them. */
static bool is_switch(uint64_t ticks) {
    return !script.platform->haswell && ticks > 0 && model_owner(ticks) != model_owner(ticks - 1);
}

uint64_t model_next(uint64_t after, unsigned exponent) {
    uint64_t half = UINT64_C(1) << exponent, period = 2 * half;
    uint64_t timer = (after + half) / period * period + half;
    if (script.platform->haswell || turn() == 0)
        return timer;
    uint64_t start = after / cycle() * cycle();
    for (uint64_t i = 0; i <= script.contexts + 1; i++) {
        uint64_t at = i <= script.contexts ? start + i * turn() : start + cycle();
        if (at > after && at < timer && is_switch(at))
            return at;
    }
    return timer;
}

/* ---- counters -------------------------------------------------------------------------------- */

uint64_t model_core_clocks(uint64_t ticks) {
    return (uint64_t)((u128)ticks * script.platform->core_hz / script.platform->oa_hz);
}

/* Percent of ticks at work, by context. */
static u128 active_percent(uint64_t ticks) {
    u128 sum = 0;
    for (unsigned i = 0; i < script.contexts; i++)
        sum += (u128)ticks_of(i, ticks) * (i % 2 ? 40 : 60);
    return sum;
}

uint64_t model_eu_ticks(uint64_t ticks) {
    return (uint64_t)(active_percent(ticks) / 100);
}

/* Clocks at work, those of a context weighed with its percentage. */
static uint64_t active_clocks(uint64_t ticks) {
    return (uint64_t)(active_percent(ticks) * script.platform->core_hz / script.platform->oa_hz /
                      100);
}

static uint64_t count_of(enum count what, uint64_t ticks) {
    uint64_t busy = model_busy_ticks(ticks), clocks = model_core_clocks(busy);
    uint64_t ns = (uint64_t)model_ns(busy), eu = script.platform->eu;
    switch (what) {
    case COUNT_BUSY:
        return clocks;
    case COUNT_ACTIVE:
        return active_clocks(ticks) * eu;
    case COUNT_STALL:
        return clocks / 5 * eu;
    case COUNT_BOTH:
        return clocks / 10 * eu;
    case COUNT_PLACES:
        return clocks * eu / 2;
    case COUNT_SAMPLER0:
        return clocks / 10 * 3;
    case COUNT_SAMPLER1:
        return clocks / 100 * 45;
    case COUNT_READ:
        return ns / 1000 * 12800;
    case COUNT_WRITE:
        return ns / 1000 * 3200;
    case COUNT_VS:
        return ns / 500;
    case COUNT_PS:
        return ns / 125 * 8;
    case COUNT_CS:
        return ns / 125;
    case COUNT_TEXELS:
        return ns / 10;
    case COUNT_CLOCK:
        return model_core_clocks(ticks);
    case COUNT_NONE:
        break;
    }
    return 0;
}

/* As the set that only tests the unit has B counters. */
static uint64_t tested(unsigned index, uint64_t clocks) {
    static const uint8_t sixths[8] = {0, 6, 6, 3, 2, 2, 1, 4};
    return clocks * sixths[index] / 6;
}

static uint64_t grown(char group, unsigned index, enum programmed set, uint64_t ticks) {
    bool flex = group == 'A' && index >= 7 && index <= 20 && !script.platform->haswell;
    if (set == SET_TEST && group == 'B')
        return tested(index, model_core_clocks(ticks));
    if (set == SET_TEST && flex) /* something else is counted there */
        return model_core_clocks(ticks) / 50 * script.platform->eu;
    if (set != SET_FULL && group != 'A')
        return 0;
    for (const struct meaning *m = script.platform->meaning; m->group; m++)
        if (m->group == group && m->index == index)
            return count_of(m->count, ticks) / m->over;
    return 0;
}

/* Near the end of 40 bits, or of 32 bits within them: some hundred milliseconds' growth. */
static uint64_t base_of(char group, unsigned index) {
    uint64_t tenth = script.platform->core_hz / 10;
    if (group != 'A')
        return (UINT64_C(1) << 32) - 20000000;
    return index % 2 ? (UINT64_C(1) << 40) - tenth * script.platform->eu
                     : (UINT64_C(7) << 32) - tenth;
}

/* Counters grow from when the GPU began, not from tick 0. */
static uint64_t counter(char group, unsigned index, enum programmed set, uint64_t ticks) {
    return base_of(group, index) + grown(group, index, set, ticks) -
           grown(group, index, set, first_ticks());
}

static uint32_t clock_now(uint64_t ticks) {
    return (uint32_t)(0xffffffff - 100000000 + model_core_clocks(ticks) -
                      model_core_clocks(first_ticks()));
}

/* ---- reports --------------------------------------------------------------------------------- */

uint32_t model_context_id(int owner) {
    if (owner == NO_CONTEXT)
        return script.platform->xe_hp ? UINT32_C(0xffff) << 7 : UINT32_MAX;
    return (uint32_t)(owner + 1) << script.platform->context_shift;
}

size_t model_report_size(unsigned format) {
    static const uint16_t sizes[] = {0,  64,  128, 128, 64,  256, 128, 64,
                                     64, 128, 256, 256, 256, 192, 128};
    return format < sizeof sizes / sizeof sizes[0] ? sizes[format] : 0;
}

static void put32(uint8_t *at, uint64_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_u32s(uint8_t *out, char group, unsigned first, unsigned last, size_t at,
                     enum programmed set, uint64_t ticks) {
    for (unsigned i = first; i <= last; i++)
        put32(out + at + 4 * (i - first), counter(group, i, set, ticks));
}

static void put_u40s(uint8_t *out, unsigned first, unsigned last, size_t at, size_t high,
                     enum programmed set, uint64_t ticks) {
    for (unsigned i = first; i <= last; i++) {
        uint64_t value = counter('A', i, set, ticks);
        put32(out + at + 4 * (i - first), value);
        out[high + i - first] = (uint8_t)(value >> 32);
    }
}

static void put_haswell(unsigned format, enum programmed set, uint64_t ticks, uint8_t *out) {
    bool large = format == 5;
    put_u32s(out, 'A', 0, large ? 44 : format == 2 ? 28 : 12, 12, set, ticks);
    if (format != 5 && format != 3)
        return;
    put_u32s(out, 'B', 0, 7, large ? 192 : 64, set, ticks);
    put_u32s(out, 'C', 0, 7, large ? 224 : 96, set, ticks);
}

static void put_gen8(enum programmed set, uint64_t ticks, uint8_t *out) {
    put_u40s(out, 0, 31, 16, 160, set, ticks);
    put_u32s(out, 'A', 32, 35, 144, set, ticks);
}

static void put_acm(enum programmed set, uint64_t ticks, uint8_t *out) {
    put_u32s(out, 'A', 0, 3, 16, set, ticks);
    put_u40s(out, 4, 23, 32, 164, set, ticks);
    put_u32s(out, 'A', 24, 27, 112, set, ticks);
    put_u40s(out, 28, 31, 128, 188, set, ticks);
    put_u32s(out, 'A', 32, 35, 144, set, ticks);
    put_u32s(out, 'A', 36, 36, 160, set, ticks);
    put_u32s(out, 'A', 37, 37, 184, set, ticks);
}

/* Why it was written, whether the context is valid, and the ratio of the clock to 16.67 MHz. */
static uint32_t reason_word(unsigned exponent, uint64_t ticks) {
    uint32_t word = (uint32_t)(script.platform->core_hz * 3 / 50000000) & 0x1ff;
    bool switched = is_switch(ticks), at_work = model_owner(ticks) != NO_CONTEXT;
    word |= (is_timer(ticks, exponent) ? BIT(19) : 0) | (switched ? BIT(22) : 0);
    return word | (at_work && (switched || !script.platform->xe_hp) ? BIT(16) : 0);
}

void model_report(unsigned format, enum programmed set, unsigned exponent, uint64_t ticks,
                  uint8_t *out) {
    memset(out, 0, model_report_size(format));
    put32(out + 4, ticks);
    if (script.platform->haswell) {
        put32(out, BIT(10) | 1);
        put_haswell(format, set, ticks, out);
        return;
    }
    put32(out, reason_word(exponent, ticks));
    put32(out + 8, model_context_id(model_owner(ticks)));
    put32(out + 12, clock_now(ticks));
    if (format == 12)
        put_acm(set, ticks, out);
    else
        put_gen8(set, ticks, out);
    put_u32s(out, 'B', 0, 7, 192, set, ticks);
    put_u32s(out, 'C', 0, 7, 224, set, ticks);
}
