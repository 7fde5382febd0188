/* Numbers for people at every boundary, and the product that must not overflow in the middle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

struct human_case {
    uint64_t v;
    const char *text;
};

static void bytes_at_boundaries(void **state) {
    (void)state;
    static const struct human_case cases[] = {
        {0, "0"},
        {1, "1B"},
        {1023, "1023B"},
        {1024, "1.0K"},
        {1024 + 51, "1.0K"},      /* 1.0498 */
        {1024 + 52, "1.1K"},      /* 1.0508 */
        {10 * 1024 - 52, "9.9K"}, /* 9.9492 */
        {10 * 1024 - 51, "10K"},  /* 9.9502 */
        {10 * 1024, "10K"},
        {10 * 1024 + 511, "10K"},
        {10 * 1024 + 512, "11K"},
        {812 * 1024, "812K"},
        {1000 * 1024, "1000K"},
        {1023 * 1024 + 511, "1023K"},
        {1023 * 1024 + 512, "1.0M"},
        {1024 * 1024 - 1, "1.0M"},
        {1024 * 1024, "1.0M"},
        {UINT64_C(1023) << 20, "1023M"},
        {UINT64_C(5476083302), "5.1G"},
        {UINT64_C(1) << 40, "1.0T"},
        {UINT64_C(1) << 50, "1.0P"},
        {UINT64_C(1) << 60, "1.0E"},
        {(UINT64_C(1) << 60) - 1, "1.0E"},
        {UINT64_MAX, "16E"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[8];
        size_t n = human_bytes(out, cases[i].v);
        assert_string_equal(out, cases[i].text);
        assert_int_equal(n, strlen(out));
    }
}

/* What a text says, read the way a person does. */
static double size_of(const char *text) {
    char *end;
    double v = strtod(text, &end);
    for (const char *u = "BKMGTPE"; *end && *u != *end; u++) {
        v *= 1024;
    }
    return v;
}

/* At most five columns, never smaller for more bytes, and within 5 %. */
static void bytes_in_general(void **state) {
    (void)state;
    uint64_t seed = 9, last = 0;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int i = 0; i < 2000; i++) {
            uint64_t a = next_random(&seed) >> shift;
            uint64_t b = i % 2 ? last : a + (a < UINT64_MAX ? 1 : 0);
            char ta[8], tb[8];
            assert_true(human_bytes(ta, a) <= 5);
            assert_true(human_bytes(tb, b) <= 5);
            assert_true(a <= b ? size_of(ta) <= size_of(tb) : size_of(ta) >= size_of(tb));
            assert_true(size_of(ta) >= (double)a * 0.95 && size_of(ta) <= (double)a * 1.05);
            last = a;
        }
    }
}

static void time_at_boundaries(void **state) {
    (void)state;
#define MS UINT64_C(1000000)
#define S  (UINT64_C(1000) * MS)
#define H  (UINT64_C(3600) * S)
#define D  (UINT64_C(24) * H)
    static const struct human_case cases[] = {
        {0, "0:00.00"},
        {10 * MS - 1, "0:00.00"},
        {10 * MS, "0:00.01"},
        {3250 * MS, "0:03.25"},
        {60 * S - 1, "0:59.99"},
        {60 * S, "1:00.00"},
        {600 * S - 1, "9:59.99"},
        {600 * S, "10:00"},
        {761 * S, "12:41"},
        {H - 1, "59:59"},
        {H, "1h00"},
        {3 * H + 300 * S, "3h05"},
        {D - 1, "23h59"},
        {D, "1d00h"},
        {12 * D + 4 * H + 3599 * S, "12d04h"},
        {1000 * D, "1000d00h"},
        {10000 * D - 1, "9999d23h"},
        {10000 * D, "10000d"},
        {UINT64_MAX, "213503d"},
    };
#undef MS
#undef S
#undef H
#undef D
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[12];
        size_t n = human_time(out, cases[i].v);
        assert_string_equal(out, cases[i].text);
        assert_int_equal(n, strlen(out));
        assert_true(n <= 8);
    }
}

static void mul_div_facts(void **state) {
    (void)state;
    assert_true(mul_div_u64(5, 7, 0) == 0);
    assert_true(mul_div_u64(0, UINT64_MAX, 1) == 0);
    assert_true(mul_div_u64(1, 1, 2) == 1); /* half goes up */
    assert_true(mul_div_u64(1, 1, 3) == 0);
    assert_true(mul_div_u64(2, 1, 3) == 1);
    assert_true(mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    assert_true(mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1) == UINT64_MAX);
    assert_true(mul_div_u64(UINT64_MAX, 2, 1) == UINT64_MAX);
    assert_true(mul_div_u64(UINT64_MAX, 1, 1) == UINT64_MAX);
    assert_true(mul_div_u64(UINT64_MAX, 3, 6) == UINT64_C(1) << 63);
    assert_true(mul_div_u64(UINT64_MAX, 1000000000, 1000000001) == UINT64_C(18446744055262807560));
}

__extension__ typedef unsigned __int128 wide;

static void assert_mul_div(uint64_t a, uint64_t b, uint64_t c) {
    wide product = (wide)a * b;
    wide want = product / c + (product % c >= c - product % c ? 1 : 0);
    assert_true(mul_div_u64(a, b, c) == (want > UINT64_MAX ? UINT64_MAX : (uint64_t)want));
}

/* Numbers around powers of two, where a division by halves goes wrong if it does. */
static void mul_div_at_edges(void **state) {
    (void)state;
    uint64_t edges[64 * 3];
    size_t n = 0;
    for (unsigned shift = 1; shift<64; shift += shift % 32> 28 || shift % 32 < 3 ? 1 : 5) {
        for (int d = -1; d <= 1; d++) {
            edges[n++] = (UINT64_C(1) << shift) + (uint64_t)d;
        }
    }
    edges[n++] = UINT64_MAX;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            for (size_t c = 0; c < n; c++) {
                assert_mul_div(edges[a], edges[b], edges[c]);
            }
        }
    }
}

static void mul_div_in_general(void **state) {
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < 300000; i++) {
        uint64_t a = next_random(&seed) >> (next_random(&seed) % 64);
        uint64_t b = next_random(&seed) >> (next_random(&seed) % 64);
        uint64_t c = next_random(&seed) >> (next_random(&seed) % 64);
        if (c != 0) {
            assert_mul_div(a, b, c);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_at_boundaries), cmocka_unit_test(bytes_in_general),
        cmocka_unit_test(time_at_boundaries),  cmocka_unit_test(mul_div_facts),
        cmocka_unit_test(mul_div_at_edges),    cmocka_unit_test(mul_div_in_general),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
