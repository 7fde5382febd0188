/* Numbers into a buffer: exact decimals, rounding, doubles that a reader takes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

static void assert_text(struct buf *b, const char *want) {
    struct span s = buf_span_of(b);
    if (s.n != strlen(want) || memcmp(s.p, want, s.n) != 0) {
        fail_msg("\"%.*s\" is not \"%s\"", (int)s.n, s.p, want);
    }
    buf_clear(b);
}

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static void whole_numbers(void **state) {
    (void)state;
    struct buf b = {0};
    uint64_t seed = 3;
    buf_u64(&b, 0);
    assert_text(&b, "0");
    buf_u64(&b, UINT64_MAX);
    assert_text(&b, "18446744073709551615");
    buf_i64(&b, INT64_MIN);
    assert_text(&b, "-9223372036854775808");
    buf_i64(&b, INT64_MAX);
    assert_text(&b, "9223372036854775807");
    for (uint64_t v = 1, i = 0; i < 20; i++, v *= 10) {
        char want[32];
        for (int d = -1; d <= 1; d++) {
            snprintf(want, sizeof want, "%llu", (unsigned long long)(v + (uint64_t)d));
            buf_u64(&b, v + (uint64_t)d);
            assert_text(&b, want);
        }
    }
    for (int i = 0; i < 20000; i++) {
        char want[32];
        int64_t v = (int64_t)(next_random(&seed) >> (next_random(&seed) % 64));
        v = next_random(&seed) % 2 ? v : -v;
        snprintf(want, sizeof want, "%lld", (long long)v);
        buf_i64(&b, v);
        assert_text(&b, want);
    }
    buf_finish(&b);
}

static void hexadecimal(void **state) {
    (void)state;
    struct buf b = {0};
    buf_hex(&b, 0, 0);
    assert_text(&b, "0");
    buf_hex(&b, 0, 4);
    assert_text(&b, "0000");
    buf_hex(&b, 0x1abc, 2);
    assert_text(&b, "1abc");
    buf_hex(&b, UINT64_MAX, 1);
    assert_text(&b, "ffffffffffffffff");
    buf_hex(&b, 0xa, 18);
    assert_text(&b, "00000000000000000a");
    buf_finish(&b);
}

struct decimal_case {
    int64_t v;
    unsigned power;
    const char *text;
};

static void decimals(void **state) {
    (void)state;
    static const struct decimal_case cases[] = {
        {0, 0, "0"},
        {0, 18, "0"},
        {1500, 3, "1.5"},
        {-5, 2, "-0.05"},
        {1000, 3, "1"},
        {1200, 0, "1200"},
        {1, 18, "0.000000000000000001"},
        {-1, 18, "-0.000000000000000001"},
        {10, 18, "0.00000000000000001"},
        {INT64_MAX, 0, "9223372036854775807"},
        {INT64_MAX, 18, "9.223372036854775807"},
        {INT64_MIN, 0, "-9223372036854775808"},
        {INT64_MIN, 1, "-922337203685477580.8"},
        {INT64_MIN, 18, "-9.223372036854775808"},
        {INT64_C(1000000000000000000), 18, "1"},
        {INT64_C(999999999999999999), 18, "0.999999999999999999"},
        {-100, 2, "-1"},
        {-101, 2, "-1.01"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buf_decimal(&b, cases[i].v, cases[i].power);
        assert_text(&b, cases[i].text);
    }
    /* Beyond the contract: cut to 18 decimals, never a wrong size. */
    buf_decimal(&b, 1500, 20);
    assert_text(&b, "0.000000000000000015");
    buf_decimal(&b, -1, 19);
    assert_text(&b, "0");
    buf_decimal(&b, INT64_MIN, UINT32_MAX);
    assert_text(&b, "0");
    buf_finish(&b);
}

/* The text read back as a whole number of 10^-power is the value, for all powers. */
static void decimals_lose_nothing(void **state) {
    (void)state;
    struct buf b = {0};
    uint64_t seed = 5;
    for (int i = 0; i < 50000; i++) {
        int64_t v = (int64_t)(next_random(&seed) >> (next_random(&seed) % 63));
        unsigned power = (unsigned)(next_random(&seed) % 19);
        buf_clear(&b);
        buf_decimal(&b, v, power);
        struct span s = buf_span_of(&b);
        bool negative = s.p[0] == '-';
        uint64_t mag = 0;
        unsigned after = 0;
        bool point = false;
        for (size_t k = negative; k < s.n; k++) {
            if (s.p[k] == '.') {
                point = true;
                assert_true(k > negative);
            } else {
                mag = mag * 10 + (uint64_t)(s.p[k] - '0');
                after += point;
            }
        }
        assert_true(!point || s.p[s.n - 1] != '0');
        assert_true(after <= power);
        for (; after < power; after++) {
            mag *= 10;
        }
        assert_true(v == (int64_t)(negative ? UINT64_C(0) - mag : mag));
    }
    buf_finish(&b);
}

struct fixed_case {
    int64_t v;
    unsigned power;
    unsigned decimals;
    const char *text;
};

static void fixed(void **state) {
    (void)state;
    static const struct fixed_case cases[] = {
        {1250, 3, 1, "1.3"},
        {1249, 3, 1, "1.2"},
        {-1250, 3, 1, "-1.3"},
        {-1249, 3, 1, "-1.2"},
        {1, 0, 0, "1"},
        {1, 0, 2, "1.00"},
        {-1, 0, 1, "-1.0"},
        {5, 1, 0, "1"},
        {4, 1, 0, "0"},
        {-4, 1, 0, "0"},
        {-4, 2, 1, "0.0"},
        {-5, 2, 1, "-0.1"},
        {0, 5, 2, "0.00"},
        {0, 0, 0, "0"},
        {999, 3, 2, "1.00"},
        {995, 3, 2, "1.00"},
        {994, 3, 2, "0.99"},
        {15, 1, 3, "1.500"},
        {INT64_MAX, 18, 0, "9"},
        {INT64_MIN, 18, 1, "-9.2"},
        {INT64_MIN, 0, 1, "-9223372036854775808.0"},
        {INT64_MIN, 1, 0, "-922337203685477581"},
        {INT64_MAX, 0, 0, "9223372036854775807"},
        {INT64_MAX, 18, 20, "9.22337203685477580700"},
        {INT64_C(499999999999999999), 18, 0, "0"},
        {INT64_C(500000000000000000), 18, 0, "1"},
        {INT64_C(-500000000000000000), 18, 0, "-1"},
        {1, 30, 2, "0.00"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buf_fixed(&b, cases[i].v, cases[i].power, cases[i].decimals);
        assert_text(&b, cases[i].text);
    }
    buf_finish(&b);
}

struct double_case {
    double v;
    const char *text;
};

static void doubles(void **state) {
    (void)state;
    static const struct double_case cases[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-1, "-1"},
        {10, "10"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {-2.5, "-2.5"},
        {1.0 / 3, "0.333333333"},
        {2.0 / 3, "0.666666667"},
        {99.9999999999, "100"},
        {0.99999999999, "1"},
        {123456789, "123456789"},
        {1234567894.0, "1234567890"},
        {1e17, "100000000000000000"},
        {1e18, "1e18"},
        {1.5e300, "1.5e300"},
        {1e-7, "0.0000001"},
        {1e-8, "1e-8"},
        {1.25e-300, "1.25e-300"},
        {DBL_MAX, "1.79769313e308"},
        {DBL_MIN, "2.22507386e-308"},
        {4.9406564584124654e-324, "4.94065646e-324"},
        {9.999999995e22, "1e23"},
        {(double)NAN, "null"},
        {(double)INFINITY, "null"},
        {-(double)INFINITY, "null"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buf_double(&b, cases[i].v);
        assert_text(&b, cases[i].text);
    }
    buf_finish(&b);
}

/* The text is the nearest one of nine digits, for any double at all; a number of few digits comes
 * out as itself. */
static void doubles_come_back(void **state) {
    (void)state;
    struct buf b = {0};
    uint64_t seed = 11;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&seed);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) {
            continue;
        }
        buf_clear(&b);
        buf_double(&b, v);
        buf_char(&b, '\0');
        char *end;
        double back = strtod(b.p, &end);
        assert_int_equal(*end, '\0');
        assert_true(fabs(back - v) <= fabs(v) * 0.500001e-8 || fabs(v) < 1e-306);
    }
    for (int i = 0; i < 100000; i++) {
        char text[64];
        snprintf(text, sizeof text, "%llue%d",
                 (unsigned long long)(next_random(&seed) % 1000000000),
                 (int)(next_random(&seed) % 60) - 30);
        double v = strtod(text, NULL);
        buf_clear(&b);
        buf_double(&b, v);
        buf_char(&b, '\0');
        assert_true(strtod(b.p, NULL) == v);
    }
    buf_finish(&b);
}

/* Next to each power of ten the exponent is easiest to get wrong. */
static void doubles_around_powers_of_ten(void **state) {
    (void)state;
    struct buf b = {0};
    for (int e = -307; e <= 308; e++) {
        char text[24];
        snprintf(text, sizeof text, "1e%d", e);
        double power = strtod(text, NULL), v = power;
        for (int i = 0; i < 8; i++) {
            v = nextafter(v, 0);
        }
        for (int i = 0; i < 16; i++, v = nextafter(v, INFINITY)) {
            buf_clear(&b);
            buf_double(&b, v);
            buf_char(&b, '\0');
            assert_true(strtod(b.p, NULL) == power);
        }
        snprintf(text, sizeof text, "9.99999991e%d", e - 1);
        v = strtod(text, NULL);
        buf_clear(&b);
        buf_double(&b, v);
        buf_char(&b, '\0');
        assert_true(strtod(b.p, NULL) == v);
    }
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(hexadecimal),
        cmocka_unit_test(decimals),
        cmocka_unit_test(decimals_lose_nothing),
        cmocka_unit_test(fixed),
        cmocka_unit_test(doubles),
        cmocka_unit_test(doubles_come_back),
        cmocka_unit_test(doubles_around_powers_of_ten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
