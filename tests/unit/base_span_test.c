/* Spans and whole-span numbers: exact bounds, and nothing taken for a number that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gwtop/base.h"

static void assert_span(struct span s, const char *want) {
    assert_int_equal(s.n, strlen(want));
    assert_memory_equal(s.p, want, s.n);
}

static void basics(void **state) {
    (void)state;
    struct span none = {NULL, 0};
    assert_span(span_of(NULL), "");
    assert_span(span_of("abc"), "abc");
    assert_true(span_equals(span_of("abc"), "abc"));
    assert_false(span_equals(span_of("abc"), "ab"));
    assert_false(span_equals(span_of("ab"), "abc"));
    assert_true(span_equals(none, ""));
    assert_false(span_equals(none, "a"));
    assert_false(span_equals((struct span){"a\0b", 3}, "a"));
    assert_true(span_starts(span_of("drm-engine-gfx"), "drm-engine-"));
    assert_true(span_starts(span_of("x"), ""));
    assert_true(span_starts(none, ""));
    assert_false(span_starts(span_of("drm"), "drm-"));
    assert_true(span_ends(span_of("trace.gwt.zst"), ".zst"));
    assert_true(span_ends(none, ""));
    assert_false(span_ends(span_of("zst"), ".zst"));
    assert_true(span_same(none, span_of("")));
    assert_true(span_same((struct span){"a\0b", 3}, (struct span){"a\0b", 3}));
    assert_false(span_same((struct span){"a\0b", 3}, (struct span){"a\0c", 3}));
    assert_false(span_same(span_of("ab"), span_of("abc")));
    assert_true(span_hash(span_of("a")) == UINT64_C(0xaf63dc4c8601ec8c)); /* as published */
}

static void trim_and_skip(void **state) {
    (void)state;
    struct span none = {NULL, 0};
    assert_span(span_trim(span_of(" \t a b \r\t ")), "a b");
    assert_span(span_trim(span_of(" \t\r ")), "");
    assert_span(span_trim(span_of("\na\n")), "\na\n");
    assert_int_equal(span_trim(none).n, 0);
    assert_span(span_skip(span_of("abc"), 0), "abc");
    assert_span(span_skip(span_of("abc"), 2), "c");
    assert_span(span_skip(span_of("abc"), 3), "");
    assert_span(span_skip(span_of("abc"), SIZE_MAX), "");
    assert_int_equal(span_skip(none, 5).n, 0);
}

struct u64_case {
    const char *text;
    enum err e;
    uint64_t v;
};

static void u64(void **state) {
    (void)state;
    static const struct u64_case cases[] = {
        {"0", ERR_OK, 0},
        {"000", ERR_OK, 0},
        {"42", ERR_OK, 42},
        {"18446744073709551615", ERR_OK, UINT64_MAX},
        {"000000000000000018446744073709551615", ERR_OK, UINT64_MAX},
        {"18446744073709551616", ERR_RANGE, 0},
        {"18446744073709551620", ERR_RANGE, 0},
        {"36893488147419103232", ERR_RANGE, 0}, /* 2^65: comes back to 0 */
        {"99999999999999999999999999", ERR_RANGE, 0},
        {"99999999999999999999999999x", ERR_FORMAT, 0},
        {"", ERR_FORMAT, 0},
        {" 1", ERR_FORMAT, 0},
        {"1 ", ERR_FORMAT, 0},
        {"+1", ERR_FORMAT, 0},
        {"-1", ERR_FORMAT, 0},
        {"1.0", ERR_FORMAT, 0},
        {"0x10", ERR_FORMAT, 0},
        {"/", ERR_FORMAT, 0},
        {":", ERR_FORMAT, 0},
        {"\xb2", ERR_FORMAT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t v = 77;
        assert_int_equal(span_to_u64(span_of(cases[i].text), &v), cases[i].e);
        assert_true(v == (cases[i].e == ERR_OK ? cases[i].v : 77));
    }
    uint64_t v = 77;
    assert_int_equal(span_to_u64((struct span){"1\0", 2}, &v), ERR_FORMAT);
    assert_int_equal(span_to_u64((struct span){NULL, 0}, &v), ERR_FORMAT);
    assert_int_equal(v, 77);
}

struct i64_case {
    const char *text;
    enum err e;
    int64_t v;
};

static void i64(void **state) {
    (void)state;
    static const struct i64_case cases[] = {
        {"0", ERR_OK, 0},
        {"-0", ERR_OK, 0},
        {"-1", ERR_OK, -1},
        {"9223372036854775807", ERR_OK, INT64_MAX},
        {"9223372036854775808", ERR_RANGE, 0},
        {"-9223372036854775807", ERR_OK, -INT64_MAX},
        {"-9223372036854775808", ERR_OK, INT64_MIN},
        {"-9223372036854775809", ERR_RANGE, 0},
        {"-18446744073709551616", ERR_RANGE, 0},
        {"-", ERR_FORMAT, 0},
        {"--1", ERR_FORMAT, 0},
        {"+1", ERR_FORMAT, 0},
        {"", ERR_FORMAT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t v = 77;
        assert_int_equal(span_to_i64(span_of(cases[i].text), &v), cases[i].e);
        assert_true(v == (cases[i].e == ERR_OK ? cases[i].v : 77));
    }
}

static void hex(void **state) {
    (void)state;
    static const struct u64_case cases[] = {
        {"0", ERR_OK, 0},
        {"0x0", ERR_OK, 0},
        {"1002", ERR_OK, 0x1002},
        {"0XaBcDeF", ERR_OK, 0xabcdef},
        {"ffffffffffffffff", ERR_OK, UINT64_MAX},
        {"0x0000ffffffffffffffff", ERR_OK, UINT64_MAX},
        {"10000000000000000", ERR_RANGE, 0},
        {"10000000000000000g", ERR_FORMAT, 0},
        {"0x", ERR_FORMAT, 0},
        {"", ERR_FORMAT, 0},
        {"x1", ERR_FORMAT, 0},
        {"0x0x1", ERR_FORMAT, 0},
        {"-1", ERR_FORMAT, 0},
        {"1h", ERR_FORMAT, 0},
        {"@", ERR_FORMAT, 0},
        {"`", ERR_FORMAT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t v = 77;
        assert_int_equal(span_to_hex64(span_of(cases[i].text), &v), cases[i].e);
        assert_true(v == (cases[i].e == ERR_OK ? cases[i].v : 77));
    }
}

static void what_is_written_is_read(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b);
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t v = (UINT64_C(1) << shift) + (uint64_t)d, u = 0, h = 0;
            int64_t i = 0;
            buf_clear(&b);
            buf_u64(&b, v);
            assert_int_equal(span_to_u64(buf_span_of(&b), &u), ERR_OK);
            assert_true(u == v);
            buf_clear(&b);
            buf_i64(&b, (int64_t)v);
            assert_int_equal(span_to_i64(buf_span_of(&b), &i), ERR_OK);
            assert_true(i == (int64_t)v);
            buf_clear(&b);
            buf_hex(&b, v, 1);
            assert_int_equal(span_to_hex64(buf_span_of(&b), &h), ERR_OK);
            assert_true(h == v);
        }
    }
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basics), cmocka_unit_test(trim_and_skip),
        cmocka_unit_test(u64),    cmocka_unit_test(i64),
        cmocka_unit_test(hex),    cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
