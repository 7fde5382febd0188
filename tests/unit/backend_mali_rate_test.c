/*
 * Clock and voltage: units guessed by size, halves, numbers that cannot be, power that goes and
 * comes back, and the tables of chips.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/mali/mali.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define MHZ         UINT64_C(1000000)

static void is(const struct mali_rate *r, uint64_t hz, uint32_t uv) {
    struct track_rate now = mali_rate_now(r);
    assert_false(now.off);
    assert_int_equal(now.clock_hz, hz);
    assert_int_equal(now.voltage_uv, uv);
}

static void is_off(const struct mali_rate *r) {
    struct track_rate now = mali_rate_now(r);
    assert_true(now.off);
    assert_int_equal(now.clock_hz + now.voltage_uv + now.doubt, 0);
}

static struct mali_rate fresh(const char *facts) {
    struct mali_rate r;
    memset(&r, 0xa5, sizeof(r));
    mali_rate_init(&r, facts);
    is(&r, 0, 0);
    return r;
}

static void units_of_a_pair(void **state) {
    static const struct {
        uint32_t d0, d1;
        uint64_t hz;
        uint32_t uv;
    } rows[] = {
        {440, 1025, 440 * MHZ, 1025000},
        {1, 100, 1 * MHZ, 100000},
        {2000, 2000, 2000 * MHZ, 2000000},
        {2001, 2001, 0, 0},
        {9999, 99999, 0, 0},                      /* 10 GHz, 100 V */
        {10000, 100000, 10 * MHZ, 100000},        /* kHz, uV */
        {350000, 950000, 350 * MHZ, 950000},      /* kHz, uV */
        {999999, 2000000, 999999000, 2000000},    /* kHz, uV */
        {1000000, 2000001, 1 * MHZ, 0},           /* Hz */
        {440000000, 1025000, 440 * MHZ, 1025000}, /* Hz, uV */
        {2000000000, 900, 2000 * MHZ, 900000},    /* Hz, mV */
        {2000000001, 900, 0, 900000},             /* above 2 GHz */
        {UINT32_MAX, UINT32_MAX, 0, 0},
        {500, 1, 500 * MHZ, 0}, /* 1200 mV in whole volts */
        {500, 99, 500 * MHZ, 0},
        {500, 0, 500 * MHZ, 0},
        {0, 1025, 0, 1025000},
        {4321, 4322, 0, 0}, /* a process that makes it up: ids */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mali_rate r = fresh("");
        mali_rate_pair(&r, 160, 875);
        mali_rate_pair(&r, rows[i].d0, rows[i].d1);
        is(&r, rows[i].hz, rows[i].uv);
    }
}

static void halves(void **state) {
    struct mali_rate r = fresh("");
    (void)state;
    mali_rate_clock(&r, 160 * MHZ);
    is(&r, 160 * MHZ, 0);
    mali_rate_voltage(&r, 875000);
    is(&r, 160 * MHZ, 875000);
    mali_rate_clock(&r, 266 * MHZ);
    is(&r, 266 * MHZ, 875000);
    mali_rate_clock(&r, 2001 * MHZ);
    is(&r, 0, 875000);
    mali_rate_voltage(&r, 2000001);
    is(&r, 0, 0);
    mali_rate_clock(&r, 0);
    mali_rate_voltage(&r, 900000);
    is(&r, 0, 900000);
}

static void power_goes_and_comes(void **state) {
    struct mali_rate r = fresh("");
    (void)state;
    assert_false(mali_rate_wake(&r));
    mali_rate_pair(&r, 440, 1025);
    mali_rate_pair(&r, 0, 0);
    is_off(&r);
    mali_rate_pair(&r, 0, 0);
    is_off(&r);
    /* A job starts: the last pair that was whole. */
    assert_true(mali_rate_wake(&r));
    is(&r, 440 * MHZ, 1025000);
    assert_false(mali_rate_wake(&r));
    mali_rate_pair(&r, 266, 0);
    is(&r, 266 * MHZ, 0);
    mali_rate_pair(&r, 0, 0);
    assert_true(mali_rate_wake(&r));
    is(&r, 440 * MHZ, 1025000);
    /* One half comes: the other is what it was. */
    mali_rate_pair(&r, 0, 0);
    mali_rate_clock(&r, 160 * MHZ);
    is(&r, 160 * MHZ, 1025000);
    mali_rate_pair(&r, 0, 0);
    mali_rate_voltage(&r, 875000);
    is(&r, 160 * MHZ, 875000);
    mali_rate_pair(&r, 0, 0);
    mali_rate_pair(&r, 0, 900);
    is(&r, 0, 900000);
    /* Nothing was ever whole. */
    r = fresh("");
    mali_rate_clock(&r, 160 * MHZ);
    mali_rate_pair(&r, 0, 0);
    assert_true(mali_rate_wake(&r));
    is(&r, 0, 0);
}

static void filled_in(void **state) {
    struct mali_rate r = fresh("soc=exynos4412\nassume_voltage_uv=1000000\n");
    (void)state;
    mali_rate_clock(&r, 160 * MHZ);
    is(&r, 160 * MHZ, 875000);
    assert_int_equal(mali_rate_now(&r).doubt, DOUBT_ASSUMED_VOLTAGE);
    mali_rate_clock(&r, 533 * MHZ); /* not in this table */
    is(&r, 533 * MHZ, 1000000);
    assert_int_equal(mali_rate_now(&r).doubt, DOUBT_ASSUMED_VOLTAGE);
    mali_rate_voltage(&r, 1000000);
    assert_int_equal(mali_rate_now(&r).doubt, 0);
    mali_rate_pair(&r, 266, 0);
    is(&r, 266 * MHZ, 900000);
    /* What was filled in is a whole pair, and is filled in anew. */
    mali_rate_pair(&r, 0, 0);
    assert_true(mali_rate_wake(&r));
    is(&r, 266 * MHZ, 900000);
    assert_int_equal(mali_rate_now(&r).doubt, DOUBT_ASSUMED_VOLTAGE);
    /* From a voltage no clock follows. */
    mali_rate_pair(&r, 0, 900);
    is(&r, 0, 900000);
    assert_int_equal(mali_rate_now(&r).doubt, 0);
    r = fresh("assume_voltage_uv=9000000\n");
    mali_rate_clock(&r, 160 * MHZ);
    is(&r, 160 * MHZ, 0);
}

static void chips(void **state) {
    static const struct {
        const char *name;
        uint64_t hz;
        uint32_t uv;
    } rows[] = {
        {"exynos4210", 134 * MHZ, 950000},
        {"exynos4210", 267 * MHZ, 1050000},
        {"exynos4210", 266 * MHZ, 1050000},
        {"exynos4210", 160 * MHZ, 1100000},
        {"exynos4412", 160 * MHZ, 875000},
        {"exynos4412", 266 * MHZ, 900000},
        {"exynos4412", 350 * MHZ, 950000},
        {"exynos4412", 440 * MHZ, 1025000},
        {"exynos4412", 533 * MHZ, 0},
        {"exynos4412-prime", 533 * MHZ, 1075000},
        {"exynos4412-prime", 160 * MHZ, 875000},
        {"exynos4412", 163200000, 875000}, /* 2 % */
        {"exynos4412", 163200001, 0},
        {"exynos4412", 156800000, 875000},
        {"exynos4412", 156799999, 0},
        {"u8500", 299520000, 1150000},
        {"u8500", 449280000, 1150000},
        {"u8500", 499200000, 1162500},
        {"u8500", 549120000, 1387500},
        {"u8500", 648960000, 1387500},
        {"u8500", 798720000, 1387500},
        {"u8500", 815000000, 0},
        {"meson8", 182142857, 1150000},
        {"meson8", 182 * MHZ, 1150000},
        {"meson8", 318750000, 0},
        {"rk3328", 200 * MHZ, 1100000},
        {"rk3328", 500 * MHZ, 1100000},
        {"rk3328", 0, 0},
        {"no-such", 160 * MHZ, 0},
        {"", 160 * MHZ, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(mali_soc_voltage(mali_soc_find(span_of(rows[i].name)), rows[i].hz),
                         rows[i].uv);
    assert_null(mali_soc_name(0));
    assert_null(mali_soc_name(1000));
    assert_int_equal(mali_soc_voltage(1000, 160 * MHZ), 0);
    for (unsigned soc = 1; mali_soc_name(soc); soc++)
        assert_int_equal(mali_soc_find(span_of(mali_soc_name(soc))), soc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_a_pair),
        cmocka_unit_test(halves),
        cmocka_unit_test(power_goes_and_comes),
        cmocka_unit_test(filled_in),
        cmocka_unit_test(chips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
