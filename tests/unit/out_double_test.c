/* Doubles of machine outputs: they read back as the same number, in as few digits as that needs. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/double.h"

static const char *text_of(struct buf *b, double v) {
    buf_clear(b);
    put_double(b, v);
    buf_char(b, '\0');
    return b->p;
}

/* Valgrind reckons with doubles instead, whatever the compiler says: then the last of 17 digits may be off. */
static void skip_where_long_double_is_no_wider(void) {
    volatile long double sum = 1, little = 0x1p-60L;
    sum += little;
    if (sum == 1)
        skip();
}

static void known_numbers(void **state) {
    static const struct {
        double v;
        const char *want;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {0.3, "0.3"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {44.1, "44.1"},
                 {-2.5, "-2.5"},
                 {1e-7, "0.0000001"},
                 {1.25e-8, "1.25e-8"},
                 {0.007254273496, "0.007254273496"},
                 {812.4, "812.4"},
                 {999999999.9999999, "999999999.9999999"},
                 {99999999999.0, "99999999999"},
                 {123456789012345.0, "123456789012345"},
                 {1e17, "100000000000000000"},
                 {1e18, "1e18"},
                 {1e22, "1e22"},
                 {NAN, "null"},
                 {INFINITY, "null"},
                 {-INFINITY, "null"}};
    struct buf b = {0};
    (void)state;
    skip_where_long_double_is_no_wider();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(text_of(&b, cases[i].v), cases[i].want);
    }
    buf_finish(&b);
}

static void all_read_back(void **state) {
    struct buf b = {0};
    uint64_t x = 88172645463325252u;
    (void)state;
    skip_where_long_double_is_no_wider();
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double v = ldexp((double)(x >> 11), -53 - (int)(x % 40) + (int)(x / 64 % 60));
        const char *text = text_of(&b, v);
        assert_true(strtod(text, NULL) == v);
        assert_in_range(strlen(text), 1, 26);
    }
    buf_finish(&b);
}

/* Far from all that is measured: a number all the same, and near. */
static void the_ends(void **state) {
    static const double ends[] = {DBL_MAX, DBL_MIN, 5e-324, 1e300, 1e-300};
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        double back = strtod(text_of(&b, ends[i]), NULL);
        assert_true(fabs(back / ends[i] - 1) < 1e-9);
    }
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(all_read_back),
        cmocka_unit_test(the_ends),
    };
    return cmocka_run_group_tests_name("doubles", tests, NULL, NULL);
}
