/*
 * Reports of Intel's observation unit: what is read of them, and how much counters grew between two. The bytes are made
 * here from the published offsets, counter by counter, not from the layout table of the program.
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
#define A(i)        (OA_A + (i))
#define B(i)        (OA_B + (i))
#define C(i)        (OA_C + (i))
#define MPEC(i)     (OA_MPEC + (i))

/* ---- writing reports ------------------------------------------------------------------------- */

static void put32(uint8_t *p, size_t at, uint32_t v) {
    for (unsigned i = 0; i < 4; i++)
        p[at + i] = (uint8_t)(v >> (8 * i));
}

static void put64(uint8_t *p, size_t at, uint64_t v) {
    put32(p, at, (uint32_t)v);
    put32(p, at + 4, (uint32_t)(v >> 32));
}

/* `n` counters of one width. */
struct row {
    int format;
    int first, n;
    int bits;
    int at, step; /* of the low (or only) part */
    int high;     /* byte of the upper 8 of 40 bits */
};

static const struct row rows[] = {
    {OA_FORMAT_A13, A(0), 13, 32, 12, 4, 0},
    {OA_FORMAT_A29, A(0), 29, 32, 12, 4, 0},
    {OA_FORMAT_A13_B8_C8, A(0), 13, 32, 12, 4, 0},
    {OA_FORMAT_A13_B8_C8, B(0), 8, 32, 64, 4, 0},
    {OA_FORMAT_A13_B8_C8, C(0), 8, 32, 96, 4, 0},
    {OA_FORMAT_A45_B8_C8, A(0), 45, 32, 12, 4, 0},
    {OA_FORMAT_A45_B8_C8, B(0), 8, 32, 192, 4, 0},
    {OA_FORMAT_A45_B8_C8, C(0), 8, 32, 224, 4, 0},
    {OA_FORMAT_B4_C8, B(0), 4, 32, 16, 4, 0},
    {OA_FORMAT_B4_C8, C(0), 8, 32, 32, 4, 0},
    {OA_FORMAT_B4_C8_A16, B(0), 4, 32, 16, 4, 0},
    {OA_FORMAT_B4_C8_A16, C(0), 7, 32, 32, 4, 0},
    {OA_FORMAT_B4_C8_A16, A(30), 15, 32, 64, 4, 0},
    {OA_FORMAT_A32U40_A4U32_B8_C8, A(0), 32, 40, 16, 4, 160},
    {OA_FORMAT_A32U40_A4U32_B8_C8, A(32), 4, 32, 144, 4, 0},
    {OA_FORMAT_A32U40_A4U32_B8_C8, B(0), 8, 32, 192, 4, 0},
    {OA_FORMAT_A32U40_A4U32_B8_C8, C(0), 8, 32, 224, 4, 0},
    {OA_FORMAT_OAR_A32U40_A4U32_B8_C8, A(0), 32, 40, 16, 4, 160},
    {OA_FORMAT_OAR_A32U40_A4U32_B8_C8, A(32), 4, 32, 144, 4, 0},
    {OA_FORMAT_OAR_A32U40_A4U32_B8_C8, B(0), 8, 32, 192, 4, 0},
    {OA_FORMAT_OAR_A32U40_A4U32_B8_C8, C(0), 8, 32, 224, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(0), 4, 32, 16, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(4), 20, 40, 32, 4, 164},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(24), 4, 32, 112, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(28), 4, 40, 128, 4, 188},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(32), 4, 32, 144, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(36), 1, 32, 160, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, A(37), 1, 32, 184, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, B(0), 8, 32, 192, 4, 0},
    {OA_FORMAT_A24U40_A14U32_B8_C8, C(0), 8, 32, 224, 4, 0},
    {OA_FORMAT_OAM_MPEC8U64_B8_C8, MPEC(0), 8, 64, 32, 8, 0},
    {OA_FORMAT_OAM_MPEC8U64_B8_C8, B(0), 8, 32, 96, 4, 0},
    {OA_FORMAT_OAM_MPEC8U64_B8_C8, C(0), 8, 32, 128, 4, 0},
    {OA_FORMAT_OAM_MPEC8U32_B8_C8, MPEC(0), 8, 32, 32, 4, 0},
    {OA_FORMAT_OAM_MPEC8U32_B8_C8, B(0), 8, 32, 64, 4, 0},
    {OA_FORMAT_OAM_MPEC8U32_B8_C8, C(0), 8, 32, 96, 4, 0},
};

static const struct {
    int format;
    size_t size;
    bool wide, haswell;
    const char *name;
} formats[] = {
    {OA_FORMAT_A13, 64, false, true, "A13"},
    {OA_FORMAT_A29, 128, false, true, "A29"},
    {OA_FORMAT_A13_B8_C8, 128, false, true, "A13_B8_C8"},
    {OA_FORMAT_B4_C8, 64, false, true, "B4_C8"},
    {OA_FORMAT_A45_B8_C8, 256, false, true, "A45_B8_C8"},
    {OA_FORMAT_B4_C8_A16, 128, false, true, "B4_C8_A16"},
    {OA_FORMAT_A32U40_A4U32_B8_C8, 256, false, false, "A32u40_A4u32_B8_C8"},
    {OA_FORMAT_OAR_A32U40_A4U32_B8_C8, 256, false, false, "OAR_A32u40_A4u32_B8_C8"},
    {OA_FORMAT_A24U40_A14U32_B8_C8, 256, false, false, "A24u40_A14u32_B8_C8"},
    {OA_FORMAT_OAM_MPEC8U64_B8_C8, 192, true, false, "OAM_MPEC8u64_B8_C8"},
    {OA_FORMAT_OAM_MPEC8U32_B8_C8, 128, true, false, "OAM_MPEC8u32_B8_C8"},
};

static const struct row *row_of(int format, int counter) {
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].format == format && counter >= rows[i].first &&
            counter < rows[i].first + rows[i].n)
            return &rows[i];
    }
    return NULL;
}

static unsigned bits_of(int format, int counter) {
    const struct row *r = row_of(format, counter);
    return r ? (unsigned)r->bits : 0;
}

static uint64_t mask_of(unsigned bits) {
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static void put_counter(uint8_t *p, int format, int counter, uint64_t v) {
    const struct row *r = row_of(format, counter);
    int i = counter - r->first;
    size_t at = (size_t)(r->at + r->step * i);
    if (r->bits == 64)
        put64(p, at, v);
    else
        put32(p, at, (uint32_t)v);
    if (r->bits == 40)
        p[r->high + i] = (uint8_t)(v >> 32);
}

static void put_header(uint8_t *p, bool wide, uint32_t id, uint64_t stamp, uint32_t context,
                       uint64_t clock) {
    size_t step = wide ? 8 : 4;
    put32(p, 0, id);
    put32(p, step, (uint32_t)stamp);
    if (wide)
        put32(p, step + 4, (uint32_t)(stamp >> 32));
    put32(p, 2 * step, context);
    put32(p, 3 * step, (uint32_t)clock);
    if (wide)
        put32(p, 3 * step + 4, (uint32_t)(clock >> 32));
}

static struct oa_report read_as(const struct oa_device *d, const uint8_t *p) {
    struct oa_report r;
    assert_true(
        oa_report_read(d, (struct span){(const char *)p, oa_layout_of(d->format)->size}, &r));
    return r;
}

/* ---- formats --------------------------------------------------------------------------------- */

static void test_formats_have_published_sizes_and_names(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++) {
        const struct oa_layout *l = oa_layout_of((unsigned)formats[i].format);
        assert_int_equal(l->size, formats[i].size);
        assert_int_equal(l->wide, formats[i].wide);
        assert_int_equal(l->haswell, formats[i].haswell);
        assert_int_equal(l->clock, !formats[i].haswell);
        assert_string_equal(l->name, formats[i].name);
        assert_int_equal(oa_format_find(span_of(formats[i].name)), formats[i].format);
    }
    assert_int_equal(oa_format_find(span_of("a45_b8_c8")), OA_FORMAT_A45_B8_C8);
    assert_int_equal(oa_format_find(span_of("A45_B8_C")), OA_FORMAT_NONE);
    assert_int_equal(oa_format_find(span_of("A45_B8_C8x")), OA_FORMAT_NONE);
    assert_int_equal(oa_format_find(span_of("")), OA_FORMAT_NONE);
    assert_int_equal(oa_format_find(span_of("none")), OA_FORMAT_NONE);
}

static void test_formats_that_are_not_read(void **state) {
    (void)state;
    static const unsigned none[] = {OA_FORMAT_NONE,      OA_FORMAT_C4_B8,   OA_FORMAT_A12,
                                    OA_FORMAT_A12_B8_C8, OA_FORMAT_COUNT,   255,
                                    65536 + 5,           UINT32_C(1) << 31, UINT32_MAX};
    uint8_t bytes[512] = {0};
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_int_equal(oa_layout_of(none[i])->size, 0);
        struct oa_device d = {.format = (uint8_t)(none[i] > 255 ? 255 : none[i])};
        struct oa_report r;
        assert_false(oa_report_read(&d, (struct span){(const char *)bytes, sizeof(bytes)}, &r));
    }
}

/* All bits of each counter come from where they stand, and none of it from elsewhere. */
static void test_each_counter_of_each_format(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        int format = formats[f].format;
        struct oa_device d = {.format = (uint8_t)format};
        for (int c = 0; c < OA_COUNTERS; c++) {
            uint8_t bytes[256] = {0};
            assert_int_equal(oa_layout_has(oa_layout_of((unsigned)format), (unsigned)c),
                             row_of(format, c) != NULL);
            if (row_of(format, c))
                put_counter(bytes, format, c,
                            UINT64_C(0x8899aabbccddeeff) & mask_of(bits_of(format, c)));
            struct oa_report r = read_as(&d, bytes);
            for (int other = 0; other < OA_COUNTERS; other++)
                assert_int_equal(r.v[other],
                                 other == c && row_of(format, c)
                                     ? UINT64_C(0x8899aabbccddeeff) & mask_of(bits_of(format, c))
                                     : 0);
        }
    }
}

/* With everything set at once, each to a number of its own. */
static void test_a_full_report(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        int format = formats[f].format;
        struct oa_device d = {.format = (uint8_t)format};
        uint8_t bytes[256];
        memset(bytes, 0xa5, sizeof(bytes));
        put_header(bytes, formats[f].wide, 0x11, 0x8000000012345678, 0x20, 0x9000000087654321);
        for (int c = 0; c < OA_COUNTERS; c++) {
            if (row_of(format, c))
                put_counter(bytes, format, c, UINT64_C(0x0102030405060708) * (uint64_t)(c + 1));
        }
        struct oa_report r = read_as(&d, bytes);
        uint64_t wide = formats[f].wide ? UINT64_MAX : UINT32_MAX;
        assert_int_equal(r.timestamp, 0x8000000012345678 & wide);
        assert_int_equal(r.id, 0x11);
        if (!formats[f].haswell)
            assert_int_equal(r.clock, 0x9000000087654321 & wide);
        else
            assert_int_equal(r.clock, r.v[C(2)]);
        for (int c = 0; c < OA_COUNTERS; c++)
            assert_int_equal(r.v[c], row_of(format, c)
                                         ? UINT64_C(0x0102030405060708) * (uint64_t)(c + 1) &
                                               mask_of(bits_of(format, c))
                                         : 0);
    }
}

/* Copies on the heap, so that a sanitizer sees a byte that is read behind the end. */
static void test_every_truncation_is_refused(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        struct oa_device d = {.format = (uint8_t)formats[f].format};
        struct oa_report r;
        for (size_t n = 0; n <= formats[f].size; n++) {
            char *bytes = calloc(1, n ? n : 1);
            assert_int_equal(oa_report_read(&d, (struct span){bytes, n}, &r), n == formats[f].size);
            free(bytes);
        }
    }
}

/* ---- the header ------------------------------------------------------------------------------ */

#define VALID16 UINT32_C(0x10000)
#define VALID25 UINT32_C(0x2000000)

static void test_contexts_by_platform(void **state) {
    (void)state;
    static const struct {
        uint8_t platform;
        uint32_t id, field, context;
        bool valid;
    } cases[] = {
        {OA_BDW, VALID25, 0xffe12345, 0x12345, true},
        {OA_BDW, VALID16, 0x12345, OA_NO_CONTEXT, false},
        {OA_CHV, VALID25, 0x1fffff, 0x1fffff, true},
        {OA_SKL, VALID16, 0x20, 0x20, true},
        {OA_SKL, VALID16, 0xffffffe0, 0x1fffe0, true},
        {OA_SKL, VALID25, 0x20, OA_NO_CONTEXT, false},
        {OA_KBL, VALID16, 0xffffffff, OA_NO_CONTEXT, true},
        {OA_CFL, 0, 0x20, OA_NO_CONTEXT, false},
        {OA_BXT, VALID16, 0x20, 0x20, true},
        {OA_GLK, VALID16, 0x20, 0x20, true},
        {OA_CNL, VALID16, 0x123456, 0x123456, true},
        {OA_ICL, VALID16, 0xe03f0041, 0x40, true},
        {OA_ICL, VALID16, 0xffe0, 0xffe0, true},
        {OA_EHL, VALID16, 0x7e0, 0x7e0, true},
        {OA_TGL, VALID16, 0xe03fabcd, 0xabc0, true},
        {OA_TGL, VALID16, 0xffe0, OA_NO_CONTEXT, true},
        {OA_TGL, VALID16, 0xe03fffff, OA_NO_CONTEXT, true},
        {OA_RKL, VALID16, 0x40, 0x40, true},
        {OA_DG1, VALID16, 0xffe0, OA_NO_CONTEXT, true},
        {OA_ADL, VALID16, 0x40, 0x40, true},
        {OA_ADL, VALID16, 0x123400, 0x123400, true},
        {OA_ADL, 0, 0x123400, OA_NO_CONTEXT, false},
        {OA_ADL, VALID16, 0xffe0, OA_NO_CONTEXT, true},
        /* these mark a switch by the bit, and have the context in any report */
        {OA_DG2, 0, 0xff123400, 0x123400, false},
        {OA_DG2, VALID16, 0x123400, 0x123400, true},
        {OA_DG2, VALID16, 0x7fff80, OA_NO_CONTEXT, true},
        {OA_DG2, 0, 0xffffffff, OA_NO_CONTEXT, false},
        {OA_DG2, VALID25, 0x123400, OA_NO_CONTEXT, false}, /* the mark of a register write */
        {OA_MTL, 0, 0x80, 0x80, false},
        {OA_MTL, VALID16, 0x7fffff, OA_NO_CONTEXT, true},
        {OA_UNKNOWN, 0, 0x1234, 0x1234, true},
        {OA_UNKNOWN, VALID16, 0xffffffff, OA_NO_CONTEXT, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oa_device d = {.platform = cases[i].platform,
                              .format = OA_FORMAT_A32U40_A4U32_B8_C8};
        uint8_t bytes[256] = {0};
        put_header(bytes, false, cases[i].id, 1, cases[i].field, 1);
        struct oa_report r = read_as(&d, bytes);
        assert_int_equal(r.context, cases[i].context);
        assert_int_equal(r.context_valid, cases[i].valid);
    }
}

/* Formats that only the newest platforms have tell the rule, where nobody told the platform. */
static void test_the_rule_of_a_format(void **state) {
    (void)state;
    static const int late[] = {OA_FORMAT_OAR_A32U40_A4U32_B8_C8, OA_FORMAT_A24U40_A14U32_B8_C8,
                               OA_FORMAT_OAM_MPEC8U64_B8_C8, OA_FORMAT_OAM_MPEC8U32_B8_C8};
    for (size_t i = 0; i < COUNT(late); i++) {
        struct oa_device d = {.format = (uint8_t)late[i]};
        uint8_t bytes[256] = {0};
        put_header(bytes, oa_layout_of(d.format)->wide, 0, 1, 0xff12345f, 1);
        assert_int_equal(read_as(&d, bytes).context, 0x123400);
    }
}

static void test_haswell_has_neither_reason_nor_context(void **state) {
    (void)state;
    struct oa_device d = {.platform = OA_HSW, .format = OA_FORMAT_A45_B8_C8};
    uint8_t bytes[256] = {0};
    put_header(bytes, false, 0xffffffff, 5, 0x20, 7);
    struct oa_report r = read_as(&d, bytes);
    assert_int_equal(r.id, 0xffffffff);
    assert_int_equal(r.reasons, 0);
    assert_int_equal(r.context, OA_NO_CONTEXT);
    assert_false(r.context_valid);
    assert_int_equal(r.v[A(0)], 7); /* where others have the clock */
    assert_int_equal(r.clock, 0);
}

static void test_reasons(void **state) {
    (void)state;
    static const struct {
        uint8_t platform;
        uint32_t id;
        unsigned reasons;
        const char *words;
    } cases[] = {
        {OA_SKL, 1u << 19, OA_TIMER, "timer"},
        {OA_SKL, 1u << 20, OA_TRIGGER1, "trigger1"},
        {OA_SKL, 1u << 21, OA_TRIGGER2, "trigger2"},
        {OA_SKL, 1u << 22, OA_CONTEXT_SWITCH, "context_switch"},
        {OA_SKL, 1u << 23, OA_GO, "go"},
        {OA_SKL, 1u << 24, OA_CLOCK_CHANGE, "clock_change"},
        {OA_SKL, 1u << 25, 0, "none"},
        {OA_BDW, 1u << 25, 0, "none"},
        {OA_ICL, 1u << 25, 0, "none"},
        {OA_TGL, 1u << 25, OA_MMIO, "mmio"},
        {OA_DG2, 1u << 25, OA_MMIO, "mmio"},
        {OA_SKL, 0x7809003c, OA_TIMER, "timer"},
        {OA_TGL, 0xfc07ffff, 0, "none"},
        {OA_SKL, 9u << 19, OA_TIMER | OA_CONTEXT_SWITCH, "timer,context_switch"},
        {OA_TGL, 0x7fu << 19, 0x7f, "timer,trigger1,trigger2,context_switch,go,clock_change,mmio"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oa_device d = {.platform = cases[i].platform,
                              .format = OA_FORMAT_A32U40_A4U32_B8_C8};
        uint8_t bytes[256] = {0};
        char words[80];
        put_header(bytes, false, cases[i].id, 1, 0, 1);
        struct oa_report r = read_as(&d, bytes);
        assert_int_equal(r.reasons, cases[i].reasons);
        assert_int_equal(oa_reason_words(r.reasons, words, sizeof(words)), strlen(cases[i].words));
        assert_string_equal(words, cases[i].words);
    }
}

static void test_words_fit_any_room(void **state) {
    (void)state;
    for (size_t cap = 0; cap < 70; cap++) {
        char *to = malloc(cap ? cap : 1);
        size_t n = oa_reason_words(0x7f, to, cap);
        assert_true(cap == 0 ? n == 0 : n < cap);
        if (cap > 0)
            assert_int_equal(strlen(to), n);
        n = oa_reason_words(0x80, to, cap); /* a bit that is no reason */
        assert_true(cap > 4 ? n == 4 : n == 0);
        free(to);
    }
}

/* ---- growth ---------------------------------------------------------------------------------- */

static struct oa_report blank(uint64_t stamp, uint64_t clock) {
    return (struct oa_report){.timestamp = stamp, .clock = clock};
}

/* Every counter over the end of its width, and to the last before it. */
static void test_each_counter_wraps_at_its_width(void **state) {
    (void)state;
    static const uint64_t steps[] = {
        1, 2, 1000, UINT32_MAX, UINT64_C(0x100000000), UINT64_C(0xffffffffff), UINT64_MAX};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct oa_device d = {.format = (uint8_t)rows[i].format};
        uint64_t mask = mask_of((unsigned)rows[i].bits);
        for (size_t k = 0; k < COUNT(steps) * 4; k++) {
            /* from just before, at and behind the end of the width, and from its middle */
            const uint64_t start[] = {mask, 0, mask - 1, mask / 2 + 1};
            uint64_t from = start[k % 4], step = steps[k / 4] & mask;
            struct oa_report a = blank(1, 1), b = blank(2, 2);
            struct oa_delta delta;
            uint8_t bytes[256] = {0};
            int c = rows[i].first + rows[i].n - 1;
            put_counter(bytes, rows[i].format, c, from);
            a.v[c] = read_as(&d, bytes).v[c];
            put_counter(bytes, rows[i].format, c, from + step);
            b.v[c] = read_as(&d, bytes).v[c];
            assert_true(oa_delta_between(&d, &a, &b, &delta));
            for (int other = 0; other < OA_COUNTERS; other++)
                assert_int_equal(delta.v[other], other == c ? step : 0);
        }
    }
}

static void test_stamps_and_clocks_wrap(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        struct oa_device d = {.format = (uint8_t)formats[f].format};
        uint64_t last = formats[f].wide ? UINT64_MAX : UINT32_MAX;
        struct oa_report a = blank(last - 4, last), b = blank(5, 2);
        struct oa_delta delta;
        assert_true(oa_delta_between(&d, &a, &b, &delta));
        assert_int_equal(delta.ticks, 10);
        assert_int_equal(delta.clock, 3);
        b = blank(last, last - 1);
        assert_true(oa_delta_between(&d, &a, &b, &delta));
        assert_int_equal(delta.ticks, 4);
        assert_int_equal(delta.clock, last);
    }
}

static void test_what_cannot_be_believed(void **state) {
    (void)state;
    struct oa_device d = {.platform = OA_SKL, .format = OA_FORMAT_A32U40_A4U32_B8_C8};
    struct oa_report a = blank(100, 10), b = blank(200, 20);
    struct oa_delta delta;
    assert_true(oa_delta_between(&d, &a, &b, &delta));
    a.timestamp = 0;
    assert_false(oa_delta_between(&d, &a, &b, &delta));
    a = blank(100, 10);
    b.timestamp = 0;
    assert_false(oa_delta_between(&d, &a, &b, &delta));
    b.timestamp = 100;
    assert_false(oa_delta_between(&d, &a, &b, &delta));
    b = blank(200, 10); /* asleep: neither clock nor counters move */
    assert_true(oa_delta_between(&d, &a, &b, &delta));
    b.v[A(31)] = UINT64_C(1) << 39;
    assert_false(oa_delta_between(&d, &a, &b, &delta));
    b.clock = 11;
    assert_true(oa_delta_between(&d, &a, &b, &delta));
}

/* Its C2 is the clock where the set says so; in a set that nobody knows it may well stand still. */
static void test_haswell_clock_that_stands_still(void **state) {
    (void)state;
    struct oa_device d = {
        .platform = OA_HSW, .format = OA_FORMAT_A45_B8_C8, .set = OA_SET_RENDER_BASIC};
    struct oa_report a = blank(100, 10), b = blank(200, 10);
    struct oa_delta delta;
    b.v[A(41)] = 7;
    assert_false(oa_delta_between(&d, &a, &b, &delta));
    d.set = OA_SET_UNKNOWN;
    assert_true(oa_delta_between(&d, &a, &b, &delta));
    d.set = OA_SET_RENDER_BASIC;
    d.format = OA_FORMAT_A29; /* has no C2 */
    b.v[A(28)] = 7;
    assert_true(oa_delta_between(&d, &a, &b, &delta));
}

static void test_sums_stay_at_their_end(void **state) {
    (void)state;
    struct oa_device d = {.format = OA_FORMAT_OAM_MPEC8U64_B8_C8};
    struct oa_delta all = {0};
    struct oa_delta one = {.ticks = 3, .clock = UINT64_MAX - 1};
    one.v[MPEC(7)] = UINT64_C(1) << 63;
    one.v[B(0)] = 5;
    oa_delta_add(&d, &all, &one);
    oa_delta_add(&d, &all, &one);
    assert_int_equal(all.ticks, 6);
    assert_true(all.clock == UINT64_MAX);
    assert_true(all.v[MPEC(7)] == UINT64_MAX);
    assert_int_equal(all.v[B(0)], 10);
}

/* ---- worked bytes ---------------------------------------------------------------------------- */

static int64_t value_of(const struct oa_device *d, const struct oa_delta *delta, unsigned metric) {
    struct oa_value v[OA_DERIVED];
    size_t n = oa_derive(d, delta, v);
    for (size_t i = 0; i < n; i++) {
        if (v[i].metric == metric) {
            assert_int_equal(v[i].state, STATE_VALUE);
            assert_int_equal(v[i].doubt, 0);
            return v[i].value;
        }
    }
    fail();
    return 0;
}

/* Offsets of a record: 8 bytes before the report. */
struct patch {
    size_t at;
    const char *bytes;
    size_t n;
};
#define PATCH(at, text)                                                                            \
    { (at), (text), sizeof(text) - 1 }

static void patch(uint8_t *record, const struct patch *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        memcpy(record + p[i].at, p[i].bytes, p[i].n);
}

static const struct patch gen9_first[] = {
    PATCH(0x00, "\x01\x00\x00\x00\x00\x00\x08\x01"),
    PATCH(0x08, "\x3c\x00\x09\x78"),
    PATCH(0x0c, "\x00\xe0\xff\xff"),
    PATCH(0x10, "\x20\x00\x00\x00"),
    PATCH(0x14, "\x00\x00\xff\xff"),
    PATCH(0x18, "\x00\xff\xff\xff"),
    PATCH(0x1c, "\x00\x10\x00\x00"),
    PATCH(0x30, "\x00\x00\x02\x00"),
    PATCH(0x34, "\x00\xf0\xff\xff"),
    PATCH(0xa8, "\x01"),
    PATCH(0xaf, "\xff\x0a"),
    PATCH(0xc8, "\xa0\x86\x01\x00\x90\x5f\x01\x00"),
    PATCH(0x100, "\x00\x00\x01\x00\x00\x80\x00\x00"),
};
static const struct patch gen9_second[] = {
    PATCH(0x0c, "\xe0\x0e\x00\x00"),
    PATCH(0x14, "\x40\x42\x0e\x00"),
    PATCH(0x18, "\xb0\x70\x0b\x00"),
    PATCH(0xa8, "\x02"),
    PATCH(0x1c, "\xb0\x14\x00\x00"),
    PATCH(0x30, "\x00\xfa\x02\x00"),
    PATCH(0x34, "\x00\x0b\xb7\x00\x00\x3e\x49\x00"),
    PATCH(0xaf, "\x00\x0a"),
    PATCH(0xc8, "\x80\x1a\x06\x00\x60\x3d\x08\x00"),
    PATCH(0x100, "\x40\x0d\x04\x00\x50\x43\x01\x00"),
};

static void test_worked_gen9_records(void **state) {
    (void)state;
    struct oa_device d;
    struct oa_delta delta;
    uint8_t record[264] = {0};
    oa_device_from_facts(
        &d, "pci=8086:1912\noa_format=10\noa_set=07b25942-d9fd-4fce-bd58-e29abd66b7de\n"
            "oa_eu=24\noa_slices=1\noa_subslices=7\n");
    patch(record, gen9_first, COUNT(gen9_first));
    struct oa_report a = read_as(&d, record + 8);
    assert_int_equal(a.timestamp, 0xffffe000);
    assert_int_equal(a.clock, 0xffff0000);
    assert_int_equal(a.context, 0x20);
    assert_true(a.context_valid);
    assert_int_equal(a.reasons, OA_TIMER);
    assert_int_equal(a.v[A(0)], UINT64_C(0x01ffffff00));
    assert_int_equal(a.v[A(7)], UINT64_C(0xfffffff000));
    assert_int_equal(a.v[A(8)], UINT64_C(0x0a00000000));
    patch(record, gen9_second, COUNT(gen9_second));
    struct oa_report b = read_as(&d, record + 8);
    assert_true(oa_delta_between(&d, &a, &b, &delta));
    assert_int_equal(delta.ticks, 12000);
    assert_int_equal(delta.clock, 1000000);
    assert_int_equal(delta.v[A(0)], 750000);
    assert_int_equal(delta.v[A(7)], 12000000);
    assert_int_equal(delta.v[A(8)], 4800000);
    assert_int_equal(delta.v[B(0)], 300000);
    assert_int_equal(delta.v[B(1)], 450000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GPU_TIME), 1000000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GPU_CORE_CLOCKS), 1000000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY), 1000000000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GPU_BUSY), 750000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_EU_ACTIVE), 500000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_EU_STALL), 200000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_SAMPLERS_BUSY), 450000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GTI_READ), INT64_C(12800000000));
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GTI_WRITE), INT64_C(3200000000));
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_VS_THREADS), 1200);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_PS_THREADS), 64000);
    assert_int_equal(oa_mean_hz(&d, &delta), 1000000000);
}

/* The report of a sample with a footer, which stands 12 bytes into its record. */
static const struct patch haswell_report[] = {
    PATCH(0x0c, "\x2b\x1a\x00\x00"),
    PATCH(0x10, "\xee\xff\xc0\x00"),
    PATCH(0xbc, "\xb0\x71\x0b\x00"),
    PATCH(0xf4, "\x40\x42\x0f\x00"),
};

static void test_worked_haswell_sample(void **state) {
    (void)state;
    struct oa_device d;
    struct oa_delta delta;
    uint8_t record[296] = {0};
    oa_device_from_facts(&d, "oa_format=A45_B8_C8\n");
    assert_int_equal(d.platform, OA_HSW);
    assert_int_equal(d.timestamp_hz, 12500000);
    patch(record, haswell_report, COUNT(haswell_report));
    struct oa_report b = read_as(&d, record + 12);
    assert_int_equal(b.id, 0x1a2b);
    assert_int_equal(b.timestamp, 0x00c0ffee);
    assert_int_equal(b.v[A(41)], 750000);
    assert_int_equal(b.v[C(2)], 1000000);
    assert_int_equal(b.clock, 1000000);
    struct oa_report a = blank(0x00c0ffee - 12500, 0);
    assert_true(oa_delta_between(&d, &a, &b, &delta));
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GPU_TIME), 1000000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_GPU_BUSY), 750000);
    assert_int_equal(value_of(&d, &delta, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY), 1000000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats_have_published_sizes_and_names),
        cmocka_unit_test(test_formats_that_are_not_read),
        cmocka_unit_test(test_each_counter_of_each_format),
        cmocka_unit_test(test_a_full_report),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_contexts_by_platform),
        cmocka_unit_test(test_the_rule_of_a_format),
        cmocka_unit_test(test_haswell_has_neither_reason_nor_context),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_words_fit_any_room),
        cmocka_unit_test(test_each_counter_wraps_at_its_width),
        cmocka_unit_test(test_stamps_and_clocks_wrap),
        cmocka_unit_test(test_what_cannot_be_believed),
        cmocka_unit_test(test_haswell_clock_that_stands_still),
        cmocka_unit_test(test_sums_stay_at_their_end),
        cmocka_unit_test(test_worked_gen9_records),
        cmocka_unit_test(test_worked_haswell_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
