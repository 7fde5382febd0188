/*
 * Sums of many small prices: 100 million of them, large ones and small ones in turn, come to the
 * exact sum within two roundings. What a plain loop would lose is told beside it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct/state.h"

#define ADDITIONS 100000000u
#define UNIT      0x1p-40 /* all parts are whole numbers of it, so that integers tell the sum */
#define WITHIN    4e-16

__extension__ typedef __int128 exact;

static uint64_t seed;

static uint64_t chance(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> 11; /* 53 bits */
}

/* As exactly as long double tells it. */
static double error_of(double sum, exact units) {
    long double want = (long double)units * (long double)UNIT;
    long double apart = (long double)sum - want;
    return (double)((apart < 0 ? -apart : apart) / want);
}

/* A sum as acct keeps it, a plain one, and the exact one, of parts whose size a pattern says. */
static void check_parts(unsigned count, unsigned (*bits)(unsigned i), bool plain_is_worse) {
    struct sum s = {0};
    double plain = 0;
    exact units = 0;
    seed = 88172645463325252u;
    for (unsigned i = 0; i < count; i++) {
        uint64_t part = chance() >> (53 - bits(i));
        double x = (double)part * UNIT;
        sum_add(&s, x);
        plain += x;
        units += (exact)part;
    }
    double error = error_of(sum_of(&s), units);
    double plain_error = error_of(plain, units);
    if (!(error < WITHIN))
        fail_msg("off by %g of it", error);
    /* Each of n additions may lose half a rounding: n x 2^-53 bounds a plain loop. */
    assert_true(plain_error <= (double)count * 0x1p-53);
    if (plain_is_worse)
        assert_true(plain_error > WITHIN);
}

/* Up to 8,192 of the unit's 2^40 and some 10^-9 of that, in turn. */
static unsigned in_turn(unsigned i) {
    return i % 2 ? 53 : 24;
}

static void test_in_turn(void **state) {
    (void)state;
    check_parts(ADDITIONS, in_turn, true);
}

/* One large part, then small ones only: a plain sum hardly moves. */
static unsigned one_large(unsigned i) {
    return i == 0 ? 53 : 1;
}

static void test_one_large(void **state) {
    (void)state;
    check_parts(ADDITIONS / 10, one_large, false);
}

/* Small ones, and now and then one that is larger than all before. */
static unsigned growing(unsigned i) {
    unsigned bits = 1;
    while (bits < 53 && (1u << (bits / 2)) <= i)
        bits++;
    return i % 1000 ? bits / 2 + 1 : bits;
}

static void test_growing(void **state) {
    (void)state;
    check_parts(ADDITIONS / 10, growing, false);
}

/* Totals added to totals, and taken from them again, stay as good; nothing falls below 0. */
static void test_of_totals(void **state) {
    struct total all = {0};
    struct total before = {0};
    double later = 0;
    (void)state;
    seed = 1;
    for (unsigned i = 0; i < 1000000; i++) {
        struct total part = {.priced = true};
        double x = (double)(chance() >> (i % 40)) * UNIT;
        sum_add(&part.pws, x);
        total_add(&all, &part);
        if (i % 1000 == 0) {
            const struct total none = total_since(&all, &all);
            assert_true(sum_of(&none.pws) == 0);
        }
        const struct total since = total_since(&all, &before);
        assert_true(sum_of(&since.pws) >= 0);
        later = i % 1000 ? later + x : x;
        assert_true(fabs(sum_of(&since.pws) - later) <= 1e-12 * later);
        if (i % 1000 == 999)
            before = all;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_one_large),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_of_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
