/*
 * What the counters mean, platform by platform. Pure. ns, Hz, percent x 10^4, bytes in a second, counts.
 *
 * Sources: the vendor's sets RenderBasic and ComputeBasic as the IGT test suite describes them. Divisions by units and
 * threads are of whole numbers and come first, as there.
 */
#include "oa_equations.h"

#define A(i)   (OA_A + (i))
#define B(i)   (OA_B + (i))
#define C(i)   (OA_C + (i))
#define M(end) METRIC_COUNTER_##end
#define END                                                                                        \
    { .metric = METRIC_COUNT }

/* ---- how busy -------------------------------------------------------------------------------- */

static const struct equation hsw_busy[] = {
    {M(GPU_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 1, {A(41)}, {0}},
    {M(EU_ACTIVE), SHARE, SUM, EU, ANY, 1, 0, 1, {A(0)}, {0}},
    {M(EU_STALL), SHARE, SUM, EU, ANY, 1, 0, 1, {A(1)}, {0}},
    END,
};
static const struct equation gen8_busy[] = {
    {M(GPU_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 1, {A(0)}, {0}},
    {M(EU_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(7)}, {0}},
    {M(EU_STALL), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(8)}, {0}},
    {M(EU_THREAD_OCCUPANCY), SHARE, SUM, EU_FIRST, COMPUTE, 8, 0, 1, {A(13)}, {0}},
    {M(EU_FPU_BOTH_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(9)}, {0}},
    END,
};
static const struct equation gen11_busy[] = {
    {M(GPU_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 1, {A(0)}, {0}},
    {M(EU_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(7)}, {0}},
    {M(EU_STALL), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(8)}, {0}},
    {M(EU_THREAD_OCCUPANCY), SHARE, SUM, EU_LAST, COMPUTE, 8, 0, 1, {A(13)}, {0}},
    {M(EU_FPU_BOTH_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(9)}, {0}},
    END,
};
static const struct equation gen12_busy[] = {
    {M(GPU_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 1, {A(0)}, {0}},
    {M(EU_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 4, {A(7), A(8), A(9), A(10)}, {0}},
    {M(EU_STALL), SHARE, SUM, EU, FLEX, 1, 0, 4, {A(11), A(12), A(13), A(14)}, {0}},
    {M(EU_THREAD_OCCUPANCY), SHARE, SUM, EU_LAST, FLEX, 8, 0, 4, {A(15), A(16), A(17), A(18)}, {0}},
    END,
};
static const struct equation xe_hp_busy[] = {
    {M(GPU_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 1, {A(0)}, {0}},
    {M(EU_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(7)}, {0}},
    {M(EU_STALL), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(8)}, {0}},
    {M(EU_THREAD_OCCUPANCY), SHARE, SUM, EU_LAST, FLEX, 8, 0, 1, {A(9)}, {0}},
    {M(EU_FPU_BOTH_ACTIVE), SHARE, SUM, EU, FLEX, 1, 0, 1, {A(10)}, {0}},
    END,
};

/* ---- samplers -------------------------------------------------------------------------------- */

/* Subslices in the bits of struct oa_device: the first of slices 0 and 1, the second of either. */
#define FIRST  0x0101
#define SECOND 0x0202

static const struct equation hsw_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, MEAN, ONE, MUX, 1, 0, 2, {B(0), B(1)}, {0}},
    END,
};
static const struct equation gen8_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, MOST, ONE, MUX, 1, 0, 2, {B(0), B(1)}, {FIRST, SECOND}},
    END,
};
static const struct equation cnl_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, MEAN, ONE, MUX, 1, 0, 2, {B(0), B(1)}, {FIRST, SECOND}},
    END,
};
static const struct equation gen11_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, MOST, ONE, MUX, 1, 0, 1, {C(1)}, {0x09}},
    END,
};
static const struct equation gen12_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, MOST, ONE, MUX, 1, 0, 1, {B(0)}, {0x01}},
    END,
};
static const struct equation dg2_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, SUM, ONE, MUX, 1, 1, 1, {C(5)}, {0}},
    END,
};
static const struct equation mtl_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, MOST, ONE, MUX, 1, 0, 1, {C(7)}, {0x01}},
    END,
};

/* ---- memory ---------------------------------------------------------------------------------- */

static const struct equation hsw_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, MUX, 128, 0, 1, {C(6)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, MUX, 64, 0, 1, {C(7)}, {0}},
    END,
};
static const struct equation gen8_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, MUX, 64, 0, 1, {C(6)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, MUX, 64, 0, 1, {C(7)}, {0}},
    END,
};
static const struct equation icl_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, MUX, 64, 0, 4, {B(1), B(3), B(4), B(5)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, MUX, 64, 0, 2, {B(0), B(2)}, {0}},
    END,
};
static const struct equation ehl_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, MUX, 64, 0, 2, {B(4), B(5)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, MUX, 64, 0, 2, {B(0), B(2)}, {0}},
    END,
};
static const struct equation gen12_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, MUX, 64, 0, 4, {C(2), C(3), C(4), C(5)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, MUX, 64, 0, 2, {C(0), C(1)}, {0}},
    END,
};
/* What larger ones count by C counters is not known. */
static const struct equation dg2_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, FLEX, 128, 0, 1, {A(36)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, MUX, 128, 1, 2, {C(6), C(7)}, {0}},
    END,
};
static const struct equation mtl_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, FLEX, 32, 0, 1, {A(36)}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, FLEX, 32, 0, 1, {A(37)}, {0}},
    END,
};

/* ---- threads --------------------------------------------------------------------------------- */

static const struct equation hsw_threads[] = {
    {M(VS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(5)}, {0}},
    {M(PS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(30)}, {0}},
    {M(CS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(20)}, {0}},
    END,
};
static const struct equation gen8_threads[] = {
    {M(VS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(1)}, {0}},
    {M(PS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(6)}, {0}},
    {M(CS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(4)}, {0}},
    {M(SAMPLER_TEXELS), NUMBER, SUM, ONE, ANY, 4, 0, 1, {A(28)}, {0}},
    END,
};
static const struct equation dg2_threads[] = {
    {M(CS_THREADS), NUMBER, SUM, ONE, ANY, 1, 0, 1, {A(4)}, {0}},
    {M(SAMPLER_TEXELS), NUMBER, SUM, ONE, ANY, 4, 0, 1, {A(28)}, {0}},
    END,
};

/* ---- a platform that nobody told ------------------------------------------------------------- */

/* Busy, threads and texels are the same from Broadwell on. */
static const struct equation any_busy[] = {
    {M(GPU_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 1, {A(0)}, {0}},
    {M(EU_ACTIVE), SHARE, SUM, EU, ANY, 1, 0, 0, {0}, {0}},
    {M(EU_STALL), SHARE, SUM, EU, ANY, 1, 0, 0, {0}, {0}},
    END,
};
static const struct equation any_samplers[] = {
    {M(SAMPLERS_BUSY), SHARE, SUM, ONE, ANY, 1, 0, 0, {0}, {0}},
    END,
};
static const struct equation any_memory[] = {
    {M(GTI_READ), RATE, SUM, ONE, ANY, 1, 0, 0, {0}, {0}},
    {M(GTI_WRITE), RATE, SUM, ONE, ANY, 1, 0, 0, {0}, {0}},
    END,
};

/* ---- which platform has which ---------------------------------------------------------------- */

/* Lists in the order of what is derived. */
static const struct equation *const meanings[OA_PLATFORMS][OA_EQUATION_PARTS] = {
    [OA_UNKNOWN] = {any_busy, any_samplers, any_memory, gen8_threads},
    [OA_HSW] = {hsw_busy, hsw_samplers, hsw_memory, hsw_threads},
    [OA_BDW] = {gen8_busy, gen8_samplers, gen8_memory, gen8_threads},
    [OA_CHV] = {gen8_busy, hsw_samplers, gen8_memory, gen8_threads},
    [OA_SKL] = {gen8_busy, gen8_samplers, gen8_memory, gen8_threads},
    [OA_BXT] = {gen8_busy, gen8_samplers, gen8_memory, gen8_threads},
    [OA_GLK] = {gen8_busy, gen8_samplers, gen8_memory, gen8_threads},
    [OA_KBL] = {gen8_busy, gen8_samplers, gen8_memory, gen8_threads},
    [OA_CFL] = {gen8_busy, gen8_samplers, gen8_memory, gen8_threads},
    [OA_CNL] = {gen8_busy, cnl_samplers, gen8_memory, gen8_threads},
    [OA_ICL] = {gen11_busy, gen11_samplers, icl_memory, gen8_threads},
    [OA_EHL] = {gen11_busy, gen11_samplers, ehl_memory, gen8_threads},
    [OA_TGL] = {gen12_busy, gen12_samplers, gen12_memory, gen8_threads},
    [OA_RKL] = {gen12_busy, gen12_samplers, gen12_memory, gen8_threads},
    [OA_DG1] = {gen12_busy, gen12_samplers, gen12_memory, gen8_threads},
    [OA_ADL] = {gen12_busy, gen12_samplers, gen12_memory, gen8_threads},
    [OA_DG2] = {xe_hp_busy, dg2_samplers, dg2_memory, dg2_threads},
    [OA_MTL] = {xe_hp_busy, mtl_samplers, mtl_memory, gen8_threads},
};

const struct equation *oa_equations_of(unsigned platform, unsigned part) {
    if (part >= OA_EQUATION_PARTS)
        return NULL;
    return meanings[platform < OA_PLATFORMS ? platform : OA_UNKNOWN][part];
}
