/*
 * What is known of an Intel device before its reports are read: platform by PCI id, facts, topology.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/intel/oa.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- platforms ------------------------------------------------------------------------------- */

static void test_platforms_by_pci_id(void **state) {
    (void)state;
    static const struct {
        uint16_t id;
        uint8_t platform;
    } ids[] = {
        {0x0402, OA_HSW},     {0x0416, OA_HSW},     {0x0a2e, OA_HSW},     {0x0c22, OA_HSW},
        {0x0d26, OA_HSW},     {0x1602, OA_BDW},     {0x1616, OA_BDW},     {0x162b, OA_BDW},
        {0x163d, OA_BDW},     {0x22b1, OA_CHV},     {0x1902, OA_SKL},     {0x1912, OA_SKL},
        {0x193b, OA_SKL},     {0x0a84, OA_BXT},     {0x5a85, OA_BXT},     {0x3185, OA_GLK},
        {0x5912, OA_KBL},     {0x5917, OA_KBL},     {0x593b, OA_KBL},     {0x87c0, OA_KBL},
        {0x3e9b, OA_CFL},     {0x3ea0, OA_CFL},     {0x9bc5, OA_CFL},     {0x9b41, OA_CFL},
        {0x87ca, OA_CFL},     {0x5a52, OA_CNL},     {0x8a52, OA_ICL},     {0x8a71, OA_ICL},
        {0x4571, OA_EHL},     {0x4e61, OA_EHL},     {0x9a49, OA_TGL},     {0x9a60, OA_TGL},
        {0x9af8, OA_TGL},     {0x4c8a, OA_RKL},     {0x4905, OA_DG1},     {0x4680, OA_ADL},
        {0x46a6, OA_ADL},     {0x4628, OA_ADL},     {0x46d1, OA_ADL},     {0xa780, OA_ADL},
        {0xa7a0, OA_ADL},     {0xa721, OA_ADL},     {0x56a0, OA_DG2},     {0x5695, OA_DG2},
        {0x56c1, OA_DG2},     {0x7d55, OA_MTL},     {0x7d45, OA_MTL},     {0x7d67, OA_MTL},
        {0x0000, OA_UNKNOWN}, {0x0166, OA_UNKNOWN}, {0x0f31, OA_UNKNOWN}, {0x0bd5, OA_UNKNOWN},
        {0x64a0, OA_UNKNOWN}, {0xe20b, OA_UNKNOWN}, {0xffff, OA_UNKNOWN}, {0x747e, OA_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT(ids); i++)
        assert_int_equal(oa_platform_of(ids[i].id), ids[i].platform);
}

static void test_what_a_platform_is(void **state) {
    (void)state;
    for (unsigned p = OA_UNKNOWN; p < OA_PLATFORMS + 3; p++) {
        assert_non_null(oa_platform_name((enum oa_platform)p));
        for (unsigned q = OA_UNKNOWN; q < p && p < OA_PLATFORMS; q++)
            assert_string_not_equal(oa_platform_name((enum oa_platform)p),
                                    oa_platform_name((enum oa_platform)q));
    }
    assert_string_equal(oa_platform_name(OA_HSW), "Haswell");
    static const struct {
        uint8_t platform;
        uint64_t hz;
        uint32_t threads;
    } known[] = {
        {OA_HSW, 12500000, 7}, {OA_BDW, 12500000, 7}, {OA_CHV, 12500000, 7}, {OA_SKL, 12000000, 7},
        {OA_KBL, 12000000, 7}, {OA_CFL, 12000000, 7}, {OA_BXT, 19200000, 6}, {OA_GLK, 19200000, 6},
        {OA_ICL, 0, 7},        {OA_TGL, 0, 7},        {OA_DG2, 0, 8},        {OA_MTL, 0, 8},
        {OA_UNKNOWN, 0, 0},    {OA_PLATFORMS, 0, 0},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        enum oa_platform p = (enum oa_platform)known[i].platform;
        assert_int_equal(oa_usual_timestamp_hz(p), known[i].hz);
        assert_int_equal(oa_eu_threads(p), known[i].threads);
    }
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void test_all_facts(void **state) {
    (void)state;
    struct oa_device d;
    oa_device_from_facts(&d,
                         "pci=8086:3e9b\noa_format=A32u40_A4u32_B8_C8\noa_timestamp_hz=12000001\n"
                         "oa_set=7fa796a4-0c7a-4201-afc6-cff0b2f528a2\noa_eu=24\noa_slices=1\n"
                         "oa_subslices=7\noa_most_hz=1150000000\noa_exponent=16\n");
    assert_int_equal(d.platform, OA_CFL);
    assert_int_equal(d.set, OA_SET_RENDER_BASIC);
    assert_int_equal(d.format, OA_FORMAT_A32U40_A4U32_B8_C8);
    assert_int_equal(d.gt, 2);
    assert_int_equal(d.pci_device, 0x3e9b);
    assert_int_equal(d.eu, 24);
    assert_int_equal(d.slices, 1);
    assert_int_equal(d.subslices, 7);
    assert_int_equal(d.timestamp_hz, 12000001);
    assert_int_equal(d.most_hz, 1150000000);
}

static void test_no_facts(void **state) {
    (void)state;
    static const struct oa_device none = {0};
    struct oa_device d;
    memset(&d, 0xee, sizeof(d));
    oa_device_from_facts(&d, "");
    assert_int_equal(d.platform, OA_UNKNOWN);
    assert_int_equal(d.set, OA_SET_UNKNOWN);
    assert_int_equal(d.format, OA_FORMAT_NONE);
    assert_int_equal(d.eu + d.slices + d.subslices + d.timestamp_hz + d.most_hz, 0);
    assert_int_equal(none.gt, d.gt);
}

/* The set's platform, else the PCI id's, else what the format tells. */
static void test_who_tells_the_platform(void **state) {
    (void)state;
    struct oa_device d;
    oa_device_from_facts(&d, "pci=8086:3e9b\noa_set=07b25942-d9fd-4fce-bd58-e29abd66b7de\n");
    assert_int_equal(d.platform, OA_SKL);
    oa_device_from_facts(&d, "pci=8086:3e9b\noa_set=11111111-d9fd-4fce-bd58-e29abd66b7de\n");
    assert_int_equal(d.platform, OA_CFL);
    assert_int_equal(d.set, OA_SET_UNKNOWN);
    oa_device_from_facts(&d, "oa_format=5\n");
    assert_int_equal(d.platform, OA_HSW);
    assert_int_equal(d.timestamp_hz, 12500000);
    oa_device_from_facts(&d, "oa_format=10\n");
    assert_int_equal(d.platform, OA_UNKNOWN);
    oa_device_from_facts(&d, "pci=8086:56a5\n");
    assert_int_equal(d.gt, 1);
    oa_device_from_facts(&d, "pci=8086:56a0\noa_format=12\n");
    assert_int_equal(d.gt, 3);
    assert_int_equal(d.timestamp_hz, 0);
}

/* Kernels for Haswell tell no topology; its size follows from the id. */
static void test_haswell_units_by_pci_id(void **state) {
    (void)state;
    static const struct {
        const char *facts;
        uint32_t eu;
    } cases[] = {
        {"pci=8086:0402\n", 10}, {"pci=8086:0a16\n", 20},           {"pci=8086:0d26\n", 40},
        {"oa_format=5\n", 0},    {"pci=8086:0a16\noa_eu=18\n", 18},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oa_device d;
        oa_device_from_facts(&d, cases[i].facts);
        assert_int_equal(d.platform, OA_HSW);
        assert_int_equal(d.eu, cases[i].eu);
    }
}

static void test_facts_that_cannot_be(void **state) {
    (void)state;
    static const char *const facts[] = {
        "pci=1002:3e9b\n",
        "pci=8086:\n",
        "pci=8086:3e9bb\n",
        "pci=8086:zzzz\n",
        "pci=3e9b\n",
        "oa_format=15\n",
        "oa_format=99999999999999999999\n",
        "oa_format=-1\n",
        "oa_format=A46\n",
        "oa_eu=4294967296\n",
        "oa_eu=-4\n",
        "oa_slices=99999999999999999999\n",
        "oa_subslices=xyz\n",
        "oa_timestamp_hz=fast\n",
        "oa_set=RenderBasic\n",
    };
    for (size_t i = 0; i < COUNT(facts); i++) {
        struct oa_device d;
        oa_device_from_facts(&d, facts[i]);
        assert_int_equal(d.platform, OA_UNKNOWN);
        assert_int_equal(d.format, OA_FORMAT_NONE);
        assert_int_equal(d.set, OA_SET_UNKNOWN);
        assert_int_equal(d.eu + d.slices + d.subslices + d.timestamp_hz, 0);
    }
}

/* ---- topology -------------------------------------------------------------------------------- */

/* u16: flags, slices, subslices, units, where and how wide subslices stand, and units. */
static size_t topology(uint8_t *to, const uint16_t head[8], const uint8_t *bits, size_t n) {
    for (size_t i = 0; i < 8; i++) {
        to[2 * i] = (uint8_t)head[i];
        to[2 * i + 1] = (uint8_t)(head[i] >> 8);
    }
    memcpy(to + 16, bits, n);
    return 16 + n;
}

static bool says(struct oa_device *d, const uint16_t head[8], const uint8_t *bits, size_t n) {
    uint8_t *bytes = malloc(16 + n); /* on the heap, for a sanitizer to see its end */
    size_t size = topology(bytes, head, bits, n);
    bool known = oa_device_topology(d, (struct span){(const char *)bytes, size});
    free(bytes);
    return known;
}

static void test_topology(void **state) {
    (void)state;
    static const uint16_t one[8] = {0, 1, 3, 8, 1, 1, 2, 1};
    static const uint8_t bits[] = {0x01, 0x07, 0xff, 0xff, 0xff, 0, 0, 0};
    struct oa_device d = {.platform = OA_SKL, .format = 10};
    assert_true(says(&d, one, bits, 5));
    assert_int_equal(d.eu, 24);
    assert_int_equal(d.slices, 1);
    assert_int_equal(d.subslices, 7);
    assert_int_equal(d.platform, OA_SKL);
    d = (struct oa_device){0};
    assert_true(says(&d, one, bits, 8)); /* padded, as files have it */
    assert_int_equal(d.eu, 24);
}

/* Three slices of four; the middle one is fused off, and so are some subslices and units. */
static void test_topology_with_holes(void **state) {
    (void)state;
    static const uint16_t head[8] = {0, 3, 4, 10, 1, 1, 4, 2};
    static const uint8_t bits[] = {
        0x05,             /* slices 0, 2 */
        0x0d, 0x0f, 0x02, /* 0: 0, 2, 3; 2: 1 */
        0xff, 0x03, 0xff, 0x03,
        0xfe, 0x03, 0xff, 0x01, /* 10, not there, 9, 9 */
        0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, /* slice that is not there */
        0xff, 0x03, 0x0f, 0xfc,
        0xff, 0x03, 0xff, 0x03, /* not there, 4: bits past the tenth say nothing */
    };
    struct oa_device d = {0};
    assert_true(says(&d, head, bits, sizeof(bits)));
    assert_int_equal(d.eu, 10 + 9 + 9 + 4);
    assert_int_equal(d.slices, 2);
    assert_int_equal(d.subslices, 0x02000d);
}

/* One slice of 32 subslices, as Xe_HP has it. */
static void test_wide_topology(void **state) {
    (void)state;
    static const uint16_t head[8] = {0, 1, 32, 16, 1, 4, 5, 2};
    uint8_t bits[5 + 64];
    memset(bits, 0xff, sizeof(bits));
    bits[0] = 1;
    bits[4] = 0x80;
    struct oa_device d = {0};
    assert_true(says(&d, head, bits, sizeof(bits)));
    assert_int_equal(d.eu, 25 * 16);
    assert_int_equal(d.subslices, 0x80ffffff);
}

static void test_topologies_that_cannot_be(void **state) {
    (void)state;
    static const uint16_t heads[][8] = {
        {0, 0, 3, 8, 1, 1, 2, 1},
        {0, 1, 0, 8, 1, 1, 2, 1},
        {0, 1, 3, 0, 1, 1, 2, 1},
        {0, 1, 9, 8, 1, 1, 2, 1},
        {0, 1, 3, 9, 1, 1, 2, 1},
        {0, 1, 3, 8, 5, 1, 2, 1},
        {0, 1, 3, 8, 1, 1, 3, 1},
        {0, 1, 3, 8, 1, 0, 2, 1},
        {0, 1, 3, 8, 1, 1, 2, 0},
        {0, 65535, 3, 8, 1, 1, 2, 1},
        {0, 1, 65535, 8, 1, 65535, 2, 65535},
        {0, 65535, 65535, 65535, 65535, 65535, 65535, 65535},
    };
    static const uint8_t bits[] = {0x01, 0x07, 0xff, 0xff, 0xff};
    for (size_t i = 0; i < COUNT(heads); i++) {
        struct oa_device d = {.eu = 5, .slices = 6, .subslices = 7};
        assert_false(says(&d, heads[i], bits, sizeof(bits)));
        assert_int_equal(d.eu, 5);
        assert_int_equal(d.slices, 6);
        assert_int_equal(d.subslices, 7);
    }
}

static void test_cut_and_empty_topologies(void **state) {
    (void)state;
    static const uint16_t head[8] = {0, 1, 3, 8, 1, 1, 2, 1};
    static const uint8_t bits[] = {0x01, 0x07, 0xff, 0xff, 0xff};
    static const uint8_t nobody[] = {0x01, 0x07, 0, 0, 0};
    uint8_t whole[21];
    struct oa_device d = {0};
    size_t size = topology(whole, head, bits, sizeof(bits));
    for (size_t n = 0; n < size; n++) {
        char *cut = malloc(n ? n : 1);
        memcpy(cut, whole, n);
        assert_false(oa_device_topology(&d, (struct span){cut, n}));
        free(cut);
    }
    assert_false(says(&d, head, nobody, sizeof(nobody)));
    assert_int_equal(d.eu, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_platforms_by_pci_id),
        cmocka_unit_test(test_what_a_platform_is),
        cmocka_unit_test(test_all_facts),
        cmocka_unit_test(test_no_facts),
        cmocka_unit_test(test_who_tells_the_platform),
        cmocka_unit_test(test_haswell_units_by_pci_id),
        cmocka_unit_test(test_facts_that_cannot_be),
        cmocka_unit_test(test_topology),
        cmocka_unit_test(test_topology_with_holes),
        cmocka_unit_test(test_wide_topology),
        cmocka_unit_test(test_topologies_that_cannot_be),
        cmocka_unit_test(test_cut_and_empty_topologies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
