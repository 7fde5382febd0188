/*
 * What is derived of counters, platform by platform: numbers worked by hand from the published equations, and what has no
 * number: a thing that is not known is never 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/intel/oa.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define A(i)        (OA_A + (i))
#define B(i)        (OA_B + (i))
#define C(i)        (OA_C + (i))
#define HZ          UINT64_C(12000000)
#define CLOCKS      1000000

/* One ms at 12 MHz, a million clocks. */
static struct oa_delta ms(void) {
    return (struct oa_delta){.ticks = 12000, .clock = CLOCKS};
}

static uint8_t format_of(unsigned platform) {
    return platform == OA_HSW                         ? OA_FORMAT_A45_B8_C8
           : platform == OA_DG2 || platform == OA_MTL ? OA_FORMAT_A24U40_A14U32_B8_C8
                                                      : OA_FORMAT_A32U40_A4U32_B8_C8;
}

/* 24 units in 3 subslices of one slice, all known. */
static struct oa_device device(unsigned platform, unsigned set) {
    return (struct oa_device){.platform = (uint8_t)platform,
                              .set = (uint8_t)set,
                              .format = format_of(platform),
                              .gt = 1,
                              .eu = 24,
                              .slices = 1,
                              .subslices = 7,
                              .timestamp_hz = HZ};
}

/* Its place, or NULL where it is left out; no metric stands twice. */
static const struct oa_value *find(const struct oa_device *d, const struct oa_delta *delta,
                                   unsigned metric) {
    static struct oa_value v[OA_DERIVED];
    const struct oa_value *found = NULL;
    memset(v, 0xee, sizeof(v));
    size_t n = oa_derive(d, delta, v);
    assert_in_range(n, 3, OA_DERIVED);
    for (size_t i = 0; i < n; i++) {
        assert_true(v[i].state < STATE_COUNT);
        if (v[i].metric != metric)
            continue;
        assert_null(found);
        found = &v[i];
    }
    return found;
}

static void says(const struct oa_device *d, const struct oa_delta *delta, unsigned metric,
                 int64_t value) {
    const struct oa_value *v = find(d, delta, metric);
    assert_non_null(v);
    assert_int_equal(v->state, STATE_VALUE);
    assert_int_equal(v->value, value);
    assert_int_equal(v->doubt, DOUBT_NONE);
}

static void is(const struct oa_device *d, const struct oa_delta *delta, unsigned metric,
               enum state state) {
    const struct oa_value *v = find(d, delta, metric);
    assert_non_null(v);
    assert_int_equal(v->state, state);
    assert_int_equal(v->doubt, DOUBT_NONE);
}

/* ---- each equation of each platform ---------------------------------------------------------- */

/* Counters and what comes of them; of a million clocks in a ms on 24 units. */
struct worked {
    unsigned metric;
    unsigned set;
    struct {
        unsigned counter;
        uint64_t v;
    } in[5];
    int64_t value;
};

#define RENDER  OA_SET_RENDER_BASIC
#define COMPUTE OA_SET_COMPUTE_BASIC
#define TEST    OA_SET_TEST_OA
#define SMALL   OA_SET_SMALL

static const struct worked hsw[] = {
    {METRIC_COUNTER_GPU_BUSY, RENDER, {{A(41), 750000}, {A(0), 1}}, 750000},
    {METRIC_COUNTER_EU_ACTIVE, RENDER, {{A(0), 12000000}}, 500000},
    {METRIC_COUNTER_EU_STALL, RENDER, {{A(1), 4800000}}, 200000},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{B(0), 300000}, {B(1), 450002}}, 375001},
    {METRIC_COUNTER_GTI_READ, RENDER, {{C(6), 100}}, 12800000},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{C(7), 100}}, 6400000},
    {METRIC_COUNTER_VS_THREADS, RENDER, {{A(5), 11}}, 11},
    {METRIC_COUNTER_PS_THREADS, RENDER, {{A(30), 12}}, 12},
    {METRIC_COUNTER_CS_THREADS, RENDER, {{A(20), 13}}, 13},
    {0},
};
#define GEN8_COMMON                                                                                \
    {METRIC_COUNTER_GPU_BUSY, RENDER, {{A(0), 750000}, {A(41), 1}}, 750000},                       \
        {METRIC_COUNTER_VS_THREADS, TEST, {{A(1), 11}}, 11},                                       \
        {METRIC_COUNTER_PS_THREADS, SMALL, {{A(6), 12}}, 12},                                      \
        {METRIC_COUNTER_CS_THREADS, COMPUTE, {{A(4), 13}}, 13}, {                                  \
        METRIC_COUNTER_SAMPLER_TEXELS, TEST, {{A(28), 25}}, 100                                    \
    }
#define GEN8_UNITS                                                                                 \
    {METRIC_COUNTER_EU_ACTIVE, RENDER, {{A(7), 12000000}}, 500000},                                \
        {METRIC_COUNTER_EU_STALL, SMALL, {{A(8), 4800023}}, 200000}, {                             \
        METRIC_COUNTER_EU_FPU_BOTH_ACTIVE, COMPUTE, {{A(9), 2400000}}, 100000                      \
    }
/* 8 x 1000000 / 24 / 7 = 333333 / 7 = 47619 */
static const struct worked bdw[] = {
    GEN8_COMMON,
    GEN8_UNITS,
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY, COMPUTE, {{A(13), 1000000}}, 47619},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{B(0), 300000}, {B(1), 450000}}, 450000},
    {METRIC_COUNTER_GTI_READ, RENDER, {{C(6), 200000}}, INT64_C(12800000000)},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{C(7), 50000}}, INT64_C(3200000000)},
    {0},
};
static const struct worked chv[] = {
    GEN8_COMMON,
    GEN8_UNITS,
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY, COMPUTE, {{A(13), 1000000}}, 47619},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{B(0), 300000}, {B(1), 450000}}, 375000},
    {METRIC_COUNTER_GTI_READ, RENDER, {{C(6), 200000}}, INT64_C(12800000000)},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{C(7), 50000}}, INT64_C(3200000000)},
    {0},
};
/* six threads: 333333 / 6 = 55555 */
static const struct worked bxt[] = {
    GEN8_COMMON,
    GEN8_UNITS,
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY, COMPUTE, {{A(13), 1000000}}, 55555},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{B(0), 500000}, {B(1), 450000}}, 500000},
    {METRIC_COUNTER_GTI_READ, RENDER, {{C(6), 200000}}, INT64_C(12800000000)},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{C(7), 50000}}, INT64_C(3200000000)},
    {0},
};
/* 8 x 1000000 / 7 / 24 = 1142857 / 24 = 47619 */
static const struct worked icl[] = {
    GEN8_COMMON,
    GEN8_UNITS,
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY, COMPUTE, {{A(13), 1000000}}, 47619},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{C(1), 300000}, {B(0), 9}}, 300000},
    {METRIC_COUNTER_GTI_READ, RENDER, {{B(1), 1}, {B(3), 10}, {B(4), 100}, {B(5), 1000}}, 71104000},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{B(0), 1}, {B(2), 10}, {B(1), 7}}, 704000},
    {0},
};
static const struct worked ehl[] = {
    GEN8_COMMON,
    GEN8_UNITS,
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{C(1), 300000}, {B(0), 9}}, 300000},
    {METRIC_COUNTER_GTI_READ, RENDER, {{B(1), 1}, {B(3), 10}, {B(4), 100}, {B(5), 1000}}, 70400000},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{B(0), 1}, {B(2), 10}, {B(1), 7}}, 704000},
    {0},
};
/* 8 x 1000000 / 7 / 24 again, of four counters */
static const struct worked tgl[] = {
    GEN8_COMMON,
    {METRIC_COUNTER_EU_ACTIVE,
     RENDER,
     {{A(7), 6000000}, {A(8), 3000000}, {A(9), 2000000}, {A(10), 1000000}, {A(11), 5}},
     500000},
    {METRIC_COUNTER_EU_STALL,
     SMALL,
     {{A(11), 1000000}, {A(12), 1000000}, {A(13), 2000000}, {A(14), 800000}, {A(15), 5}},
     200000},
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY,
     RENDER,
     {{A(15), 400000}, {A(16), 300000}, {A(17), 200000}, {A(18), 100000}, {A(19), 5}},
     47619},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{B(0), 300000}, {B(1), 450000}}, 300000},
    {METRIC_COUNTER_GTI_READ, RENDER, {{C(2), 1}, {C(3), 10}, {C(4), 100}, {C(5), 1000}}, 71104000},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{C(0), 1}, {C(1), 10}, {C(2), 7}}, 704000},
    {0},
};
/* eight threads: 8 x 1000000 / 8 / 24 = 41666 */
static const struct worked dg2[] = {
    {METRIC_COUNTER_GPU_BUSY, TEST, {{A(0), 750000}}, 750000},
    {METRIC_COUNTER_EU_ACTIVE, RENDER, {{A(7), 12000000}}, 500000},
    {METRIC_COUNTER_EU_STALL, SMALL, {{A(8), 4800000}}, 200000},
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY, RENDER, {{A(9), 1000000}}, 41666},
    {METRIC_COUNTER_EU_FPU_BOTH_ACTIVE, COMPUTE, {{A(10), 2400000}}, 100000},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{C(5), 300000}}, 300000},
    {METRIC_COUNTER_GTI_READ, SMALL, {{A(36), 100}}, 12800000},
    {METRIC_COUNTER_GTI_WRITE, RENDER, {{C(6), 100}, {C(7), 10}}, 14080000},
    {METRIC_COUNTER_CS_THREADS, TEST, {{A(4), 13}}, 13},
    {METRIC_COUNTER_SAMPLER_TEXELS, TEST, {{A(28), 25}}, 100},
    {0},
};
static const struct worked mtl[] = {
    GEN8_COMMON,
    {METRIC_COUNTER_EU_ACTIVE, RENDER, {{A(7), 12000000}}, 500000},
    {METRIC_COUNTER_EU_STALL, SMALL, {{A(8), 4800000}}, 200000},
    {METRIC_COUNTER_EU_THREAD_OCCUPANCY, SMALL, {{A(9), 1000000}}, 41666},
    {METRIC_COUNTER_EU_FPU_BOTH_ACTIVE, COMPUTE, {{A(10), 2400000}}, 100000},
    {METRIC_COUNTER_SAMPLERS_BUSY, RENDER, {{C(7), 300000}, {C(5), 9}}, 300000},
    {METRIC_COUNTER_GTI_READ, COMPUTE, {{A(36), 100}}, 3200000},
    {METRIC_COUNTER_GTI_WRITE, SMALL, {{A(37), 100}}, 3200000},
    {0},
};
static const struct worked *const worked[OA_PLATFORMS] = {
    [OA_HSW] = hsw, [OA_BDW] = bdw, [OA_CHV] = chv, [OA_SKL] = bdw, [OA_BXT] = bxt, [OA_GLK] = bxt,
    [OA_KBL] = bdw, [OA_CFL] = bdw, [OA_CNL] = chv, [OA_ICL] = icl, [OA_EHL] = ehl, [OA_TGL] = tgl,
    [OA_RKL] = tgl, [OA_DG1] = tgl, [OA_ADL] = tgl, [OA_DG2] = dg2, [OA_MTL] = mtl,
};

static void test_each_equation_of_each_platform(void **state) {
    (void)state;
    for (unsigned p = OA_HSW; p < OA_PLATFORMS; p++) {
        for (const struct worked *w = worked[p]; w->metric != 0; w++) {
            struct oa_device d = device(p, w->set);
            struct oa_delta delta = ms();
            for (size_t i = 0; i < COUNT(w->in); i++)
                delta.v[w->in[i].counter] += w->in[i].v;
            says(&d, &delta, w->metric, w->value);
            says(&d, &delta, METRIC_COUNTER_GPU_TIME, 1000000);
            says(&d, &delta, METRIC_COUNTER_GPU_CORE_CLOCKS, CLOCKS);
            says(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, 1000000000);
        }
    }
}

/* The parts that are cut off come off before percents are made. */
static void test_whole_numbers_are_divided_first(void **state) {
    (void)state;
    struct oa_device d = device(OA_SKL, COMPUTE);
    struct oa_delta delta = ms();
    delta.clock = 100;
    d.eu = 7;
    delta.v[A(7)] = 6 * 7 + 6; /* 6 of 100, not 6.857 */
    says(&d, &delta, METRIC_COUNTER_EU_ACTIVE, 60000);
    delta.v[A(13)] = 55; /* 440 / 7 = 62, / 7 = 8 */
    says(&d, &delta, METRIC_COUNTER_EU_THREAD_OCCUPANCY, 80000);
}

static void test_metrics_that_a_platform_lacks(void **state) {
    (void)state;
    static const struct {
        unsigned platform, metric;
    } lacks[] = {
        {OA_HSW, METRIC_COUNTER_EU_THREAD_OCCUPANCY}, {OA_HSW, METRIC_COUNTER_EU_FPU_BOTH_ACTIVE},
        {OA_HSW, METRIC_COUNTER_SAMPLER_TEXELS},      {OA_TGL, METRIC_COUNTER_EU_FPU_BOTH_ACTIVE},
        {OA_DG2, METRIC_COUNTER_VS_THREADS},          {OA_DG2, METRIC_COUNTER_PS_THREADS},
    };
    struct oa_delta delta = ms();
    for (size_t i = 0; i < COUNT(lacks); i++) {
        struct oa_device d = device(lacks[i].platform, RENDER);
        assert_null(find(&d, &delta, lacks[i].metric));
    }
}

/* ---- samplers by what is fused off --------------------------------------------------------------- */

static void test_samplers_by_subslice(void **state) {
    (void)state;
    static const struct {
        unsigned platform;
        uint64_t subslices;
        int64_t value; /* -1 unsupported, -2 unknown */
    } cases[] = {
        {OA_SKL, 0x07, 450000},   {OA_SKL, 0x01, 300000},   {OA_SKL, 0x02, 450000},
        {OA_SKL, 0x0100, 300000}, {OA_SKL, 0x0200, 450000}, {OA_SKL, 0x04, -1},
        {OA_SKL, 0, 450000},      {OA_CNL, 0x07, 375000},   {OA_CNL, 0x01, 300000},
        {OA_CNL, 0x02, 450000},   {OA_CNL, 0x04, -1},       {OA_CNL, 0, -2},
        {OA_ICL, 0x01, 200000},   {OA_ICL, 0x08, 200000},   {OA_ICL, 0x06, -1},
        {OA_ICL, 0, 200000},      {OA_TGL, 0x01, 300000},   {OA_TGL, 0x3e, -1},
        {OA_TGL, 0, 300000},      {OA_MTL, 0x01, 100000},   {OA_MTL, 0xfe, -1},
        {OA_CHV, 0x01, 375000},   {OA_HSW, 0, 375000},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oa_device d = device(cases[i].platform, RENDER);
        struct oa_delta delta = ms();
        d.subslices = cases[i].subslices;
        delta.v[B(0)] = 300000;
        delta.v[B(1)] = 450000;
        delta.v[C(1)] = 200000;
        delta.v[C(7)] = 100000;
        if (cases[i].value >= 0)
            says(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, cases[i].value);
        else
            is(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY,
               cases[i].value == -1 ? STATE_UNSUPPORTED : STATE_UNKNOWN);
    }
}

/* What counted nothing may not be there at all. */
static void test_idle_samplers_without_topology(void **state) {
    (void)state;
    static const uint8_t platforms[] = {OA_BDW, OA_SKL, OA_CNL, OA_ICL, OA_TGL, OA_MTL};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct oa_device d = device(platforms[i], RENDER);
        struct oa_delta delta = ms();
        says(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, 0);
        d.subslices = 0;
        is(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, STATE_UNKNOWN);
    }
}

/* ---- what is not known --------------------------------------------------------------------------- */

static void test_no_units_no_share_of_them(void **state) {
    (void)state;
    static const unsigned metrics[] = {METRIC_COUNTER_EU_ACTIVE, METRIC_COUNTER_EU_STALL,
                                       METRIC_COUNTER_EU_THREAD_OCCUPANCY,
                                       METRIC_COUNTER_EU_FPU_BOTH_ACTIVE};
    for (unsigned p = OA_HSW; p < OA_PLATFORMS; p++) {
        struct oa_device d = device(p, COMPUTE);
        struct oa_delta delta = ms();
        d.eu = 0;
        for (size_t i = 0; i < COUNT(metrics); i++) {
            if (find(&d, &delta, metrics[i]))
                is(&d, &delta, metrics[i], STATE_UNKNOWN);
        }
        says(&d, &delta, METRIC_COUNTER_GPU_BUSY, 0);
    }
}

static const unsigned flexible[] = {METRIC_COUNTER_EU_ACTIVE, METRIC_COUNTER_EU_STALL,
                                    METRIC_COUNTER_EU_THREAD_OCCUPANCY,
                                    METRIC_COUNTER_EU_FPU_BOTH_ACTIVE};
static const unsigned multiplexed[] = {METRIC_COUNTER_SAMPLERS_BUSY, METRIC_COUNTER_GTI_READ,
                                       METRIC_COUNTER_GTI_WRITE};
static const unsigned fixed[] = {METRIC_COUNTER_GPU_TIME,      METRIC_COUNTER_GPU_CORE_CLOCKS,
                                 METRIC_COUNTER_GPU_BUSY,      METRIC_COUNTER_CS_THREADS,
                                 METRIC_COUNTER_VS_THREADS,    METRIC_COUNTER_PS_THREADS,
                                 METRIC_COUNTER_SAMPLER_TEXELS};

static void all_are(const struct oa_device *d, const unsigned *metrics, size_t n,
                    enum state state) {
    struct oa_delta delta = ms();
    for (size_t i = 0; i < n; i++) {
        if (find(d, &delta, metrics[i]))
            is(d, &delta, metrics[i], state);
    }
}

static void test_what_a_set_has(void **state) {
    (void)state;
    for (unsigned p = OA_BDW; p < OA_DG2; p++) {
        struct oa_device d = device(p, OA_SET_UNKNOWN);
        all_are(&d, flexible, COUNT(flexible), STATE_UNKNOWN);
        all_are(&d, multiplexed, COUNT(multiplexed), STATE_UNKNOWN);
        all_are(&d, fixed, COUNT(fixed), STATE_VALUE);
        d.set = TEST;
        all_are(&d, flexible, COUNT(flexible), STATE_UNSUPPORTED);
        all_are(&d, multiplexed, COUNT(multiplexed), STATE_UNSUPPORTED);
        all_are(&d, fixed, COUNT(fixed), STATE_VALUE);
        d.set = SMALL;
        all_are(&d, flexible, 2, STATE_VALUE);
        all_are(&d, multiplexed, COUNT(multiplexed), STATE_UNSUPPORTED);
        d.set = COMPUTE;
        all_are(&d, flexible, COUNT(flexible), STATE_VALUE);
        all_are(&d, multiplexed, COUNT(multiplexed), STATE_UNSUPPORTED);
        d.set = RENDER;
        all_are(&d, flexible, 2, STATE_VALUE);
        all_are(&d, multiplexed, COUNT(multiplexed), STATE_VALUE);
        all_are(&d, fixed, COUNT(fixed), STATE_VALUE);
        d.set = 77; /* no set at all */
        all_are(&d, multiplexed, COUNT(multiplexed), STATE_UNSUPPORTED);
    }
}

/* Occupancy is what RenderBasic counts from Tiger Lake on only. */
static void test_occupancy_by_set(void **state) {
    (void)state;
    static const uint8_t early[] = {OA_BDW, OA_SKL, OA_CNL, OA_ICL, OA_EHL};
    struct oa_delta delta = ms();
    for (size_t i = 0; i < COUNT(early); i++) {
        struct oa_device d = device(early[i], RENDER);
        is(&d, &delta, METRIC_COUNTER_EU_THREAD_OCCUPANCY, STATE_UNSUPPORTED);
        d.set = SMALL;
        is(&d, &delta, METRIC_COUNTER_EU_THREAD_OCCUPANCY, STATE_UNSUPPORTED);
    }
}

static void test_dg2_by_size(void **state) {
    (void)state;
    struct oa_device d = device(OA_DG2, RENDER);
    struct oa_delta delta = ms();
    d.gt = 0;
    is(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, STATE_UNKNOWN);
    is(&d, &delta, METRIC_COUNTER_GTI_WRITE, STATE_UNKNOWN);
    d.gt = 3;
    is(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_GTI_WRITE, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_GTI_READ, STATE_VALUE);
}

static void test_no_rate_of_the_timestamp(void **state) {
    (void)state;
    struct oa_device d = device(OA_SKL, RENDER);
    struct oa_delta delta = ms();
    d.timestamp_hz = 0;
    delta.v[A(0)] = 750000;
    is(&d, &delta, METRIC_COUNTER_GPU_TIME, STATE_UNKNOWN);
    is(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, STATE_UNKNOWN);
    is(&d, &delta, METRIC_COUNTER_GTI_READ, STATE_UNKNOWN);
    says(&d, &delta, METRIC_COUNTER_GPU_BUSY, 750000);
    assert_int_equal(oa_ticks_ns(&d, 5), -1);
    assert_int_equal(oa_mean_hz(&d, &delta), 0);
}

/* 0 of 0 clocks is nothing that was measured; nor is a rate over no time. */
static void test_division_by_nothing(void **state) {
    (void)state;
    for (unsigned p = OA_HSW; p < OA_PLATFORMS; p++) {
        struct oa_device d = device(p, RENDER);
        struct oa_delta delta = ms();
        delta.clock = 0;
        is(&d, &delta, METRIC_COUNTER_GPU_BUSY, STATE_UNKNOWN);
        is(&d, &delta, METRIC_COUNTER_EU_ACTIVE, STATE_UNKNOWN);
        is(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, STATE_UNKNOWN);
        says(&d, &delta, METRIC_COUNTER_GPU_CORE_CLOCKS, 0);
        is(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, STATE_UNKNOWN);
        delta = (struct oa_delta){.clock = 5};
        is(&d, &delta, METRIC_COUNTER_GTI_READ, STATE_UNKNOWN);
        is(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, STATE_UNKNOWN);
        assert_int_equal(oa_mean_hz(&d, &delta), 0);
    }
}

static void test_more_than_all_is_doubted(void **state) {
    (void)state;
    struct oa_device d = device(OA_SKL, RENDER);
    struct oa_delta delta = ms();
    delta.v[A(0)] = CLOCKS + 1;
    const struct oa_value *v = find(&d, &delta, METRIC_COUNTER_GPU_BUSY);
    assert_int_equal(v->value, 1000000);
    assert_int_equal(v->state, STATE_VALUE);
    assert_int_equal(v->doubt, DOUBT_CLAMPED);
    delta.v[A(0)] = CLOCKS;
    says(&d, &delta, METRIC_COUNTER_GPU_BUSY, 1000000);
    delta.v[A(7)] = UINT64_MAX;
    v = find(&d, &delta, METRIC_COUNTER_EU_ACTIVE);
    assert_int_equal(v->value, 1000000);
    assert_int_equal(v->doubt, DOUBT_CLAMPED);
}

/* Numbers at the end of what can be counted. */
static void test_nothing_runs_over(void **state) {
    (void)state;
    for (unsigned p = OA_UNKNOWN; p < OA_PLATFORMS + 3; p++) {
        for (unsigned f = 0; f < OA_FORMAT_COUNT + 2; f++) {
            struct oa_device d = device(p, RENDER);
            struct oa_delta delta;
            struct oa_value v[OA_DERIVED];
            d.format = (uint8_t)f;
            d.timestamp_hz = UINT64_MAX;
            d.most_hz = UINT64_MAX;
            memset(&delta, 0xff, sizeof(delta));
            size_t n = oa_derive(&d, &delta, v);
            assert_in_range(n, 3, OA_DERIVED);
            d.timestamp_hz = d.most_hz = 1;
            n = oa_derive(&d, &delta, v);
            for (size_t i = 0; i < n; i++)
                assert_true(v[i].state != STATE_VALUE || v[i].value >= 0);
        }
    }
}

/* ---- formats and platforms that lack what is needed -------------------------------------------------- */

static void test_formats_without_the_counter(void **state) {
    (void)state;
    struct oa_delta delta = ms();
    struct oa_device d = device(OA_HSW, RENDER);
    d.format = OA_FORMAT_A29; /* neither clock nor A41 */
    is(&d, &delta, METRIC_COUNTER_GPU_BUSY, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_EU_ACTIVE, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_GPU_CORE_CLOCKS, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_VS_THREADS, STATE_VALUE);
    is(&d, &delta, METRIC_COUNTER_PS_THREADS, STATE_UNSUPPORTED);
    d.format = OA_FORMAT_B4_C8;
    is(&d, &delta, METRIC_COUNTER_GPU_BUSY, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_GPU_CORE_CLOCKS, STATE_VALUE);
    is(&d, &delta, METRIC_COUNTER_GTI_READ, STATE_VALUE);
    d = device(OA_MTL, RENDER);
    d.format = OA_FORMAT_OAM_MPEC8U64_B8_C8;
    is(&d, &delta, METRIC_COUNTER_GPU_BUSY, STATE_UNSUPPORTED);
    is(&d, &delta, METRIC_COUNTER_GPU_CORE_CLOCKS, STATE_VALUE);
    d.format = OA_FORMAT_NONE;
    is(&d, &delta, METRIC_COUNTER_GPU_BUSY, STATE_UNSUPPORTED);
}

static void test_a_platform_that_nobody_told(void **state) {
    (void)state;
    struct oa_device d = device(OA_UNKNOWN, OA_SET_UNKNOWN);
    struct oa_delta delta = ms();
    delta.v[A(0)] = 250000;
    delta.v[A(28)] = 3;
    says(&d, &delta, METRIC_COUNTER_GPU_BUSY, 250000);
    says(&d, &delta, METRIC_COUNTER_SAMPLER_TEXELS, 12);
    is(&d, &delta, METRIC_COUNTER_EU_ACTIVE, STATE_UNKNOWN);
    is(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY, STATE_UNKNOWN);
    is(&d, &delta, METRIC_COUNTER_GTI_READ, STATE_UNKNOWN);
}

/* ---- time -------------------------------------------------------------------------------------------- */

static void test_ticks(void **state) {
    (void)state;
    struct oa_device d = device(OA_SKL, RENDER);
    assert_int_equal(oa_ticks_ns(&d, 12000), 1000000);
    assert_int_equal(oa_ticks_ns(&d, 1), 83); /* 83.33 */
    assert_int_equal(oa_ticks_ns(&d, 2), 167);
    assert_int_equal(oa_ticks_ns(&d, 0), 0);
    assert_true(oa_ticks_ns(&d, UINT64_MAX) == INT64_MAX);
    d.timestamp_hz = 12500000;
    assert_int_equal(oa_ticks_ns(&d, UINT64_C(1) << 32), INT64_C(343597383680));
}

/* No shift; only where the core would have run at twice its highest clock is the rate taken for twice too high. */
static void test_the_rate_that_clocks_show(void **state) {
    (void)state;
    static const uint8_t late[] = {OA_DG2, OA_MTL};
    for (size_t i = 0; i < COUNT(late); i++) {
        struct oa_device d = device(late[i], RENDER);
        struct oa_delta delta = {.ticks = 38400, .clock = 2000000};
        d.timestamp_hz = 38400000;
        says(&d, &delta, METRIC_COUNTER_GPU_TIME, 1000000);
        says(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, 2000000000);
        d.most_hz = 2400000000; /* below it: true */
        assert_int_equal(oa_shown_timestamp_hz(&d, &delta), 38400000);
        delta.clock = 4400000; /* 4.4 GHz */
        assert_int_equal(oa_shown_timestamp_hz(&d, &delta), 19200000);
        says(&d, &delta, METRIC_COUNTER_GPU_TIME, 2000000);
        says(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, 2200000000);
        assert_int_equal(oa_mean_hz(&d, &delta), 2200000000);
        delta.clock = 48000000; /* 48 GHz is something else */
        assert_int_equal(oa_shown_timestamp_hz(&d, &delta), 38400000);
        delta.clock = 4400000;
        d.most_hz = 0;
        assert_int_equal(oa_shown_timestamp_hz(&d, &delta), 38400000);
    }
    struct oa_device d = device(OA_TGL, RENDER);
    struct oa_delta delta = {.ticks = 38400, .clock = 4400000};
    d.timestamp_hz = 38400000;
    d.most_hz = 2400000000;
    assert_int_equal(oa_shown_timestamp_hz(&d, &delta), 38400000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_equation_of_each_platform),
        cmocka_unit_test(test_whole_numbers_are_divided_first),
        cmocka_unit_test(test_metrics_that_a_platform_lacks),
        cmocka_unit_test(test_samplers_by_subslice),
        cmocka_unit_test(test_idle_samplers_without_topology),
        cmocka_unit_test(test_no_units_no_share_of_them),
        cmocka_unit_test(test_what_a_set_has),
        cmocka_unit_test(test_occupancy_by_set),
        cmocka_unit_test(test_dg2_by_size),
        cmocka_unit_test(test_no_rate_of_the_timestamp),
        cmocka_unit_test(test_division_by_nothing),
        cmocka_unit_test(test_more_than_all_is_doubted),
        cmocka_unit_test(test_nothing_runs_over),
        cmocka_unit_test(test_formats_without_the_counter),
        cmocka_unit_test(test_a_platform_that_nobody_told),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_the_rate_that_clocks_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
