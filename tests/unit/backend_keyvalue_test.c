/* "key: value unit" lines: what is a pair, and what is a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/keyvalue.h"

static void assert_span(struct span s, const char *want) {
    assert_int_equal(s.n, strlen(want));
    assert_memory_equal(s.p, want, s.n);
}

static void lines(void **state) {
    (void)state;
    static const struct {
        enum keyvalue_line line;
        const char *key;
        const char *value;
    } want[] = {
        {KEYVALUE_PAIR, "a", "b"},        {KEYVALUE_PAIR, "key", "a:b c"},
        {KEYVALUE_PAIR, "two words", ""}, {KEYVALUE_OTHER, "", ""},
        {KEYVALUE_OTHER, "", "no key"},   {KEYVALUE_OTHER, "", ""},
        {KEYVALUE_PAIR, "c", "d\te"},     {KEYVALUE_CUT, "cut", "12"},
    };
    struct cursor c = cursor_over(
        span_of("a:b\n key :\t a:b c \r\ntwo words:\n\n: no key\nword\nc:  d\te\t\ncut: 12"));
    struct keyvalue kv = {0};
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_int_equal(keyvalue_next(&c, &kv), want[i].line);
        assert_span(kv.key, want[i].key);
        assert_span(kv.value, want[i].value);
    }
    assert_int_equal(keyvalue_next(&c, &kv), KEYVALUE_END);
    assert_int_equal(keyvalue_next(&c, &kv), KEYVALUE_END);
    c = cursor_over((struct span){NULL, 0});
    assert_int_equal(keyvalue_next(&c, &kv), KEYVALUE_END);
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum keyvalue_quantity quantity;
        enum err err;
        int64_t value;
        uint64_t raw;
    } cases[] = {
        {"5", KEYVALUE_PLAIN, ERR_OK, 5, 5},
        {"5 ns", KEYVALUE_PLAIN, ERR_FORMAT, 0, 0},
        {"5 ns", KEYVALUE_NS, ERR_OK, 5, 5},
        {"5ns", KEYVALUE_NS, ERR_OK, 5, 5},
        {"5", KEYVALUE_NS, ERR_FORMAT, 0, 0},
        {"5", KEYVALUE_BYTES, ERR_OK, 5, 5},
        {"5 \t KiB", KEYVALUE_BYTES, ERR_OK, 5120, 5},
        {"5 kB", KEYVALUE_BYTES, ERR_OK, 5120, 5},
        {"5 MiB", KEYVALUE_BYTES, ERR_OK, 5242880, 5},
        {"5 GiB", KEYVALUE_BYTES, ERR_OK, 5368709120, 5},
        {"5 KB", KEYVALUE_BYTES, ERR_FORMAT, 0, 0},
        {"5 KiBs", KEYVALUE_BYTES, ERR_FORMAT, 0, 0},
        {"5 Ki", KEYVALUE_BYTES, ERR_FORMAT, 0, 0},
        {"5", KEYVALUE_HZ, ERR_OK, 5, 5},
        {"5 KHz", KEYVALUE_HZ, ERR_OK, 5000, 5},
        {"5 MHz", KEYVALUE_HZ, ERR_OK, 5000000, 5},
        {"", KEYVALUE_PLAIN, ERR_FORMAT, 0, 0},
        {"KiB", KEYVALUE_BYTES, ERR_FORMAT, 0, 0},
        {"-5", KEYVALUE_PLAIN, ERR_FORMAT, 0, 0},
        {"9223372036854775807", KEYVALUE_PLAIN, ERR_OK, INT64_MAX, INT64_MAX},
        {"9223372036854775808", KEYVALUE_PLAIN, ERR_RANGE, 0, 0},
        {"18446744073709551616", KEYVALUE_PLAIN, ERR_RANGE, 0, 0},
        {"99999999999999999999999", KEYVALUE_PLAIN, ERR_RANGE, 0, 0},
        {"00000000000000000000000000012", KEYVALUE_PLAIN, ERR_OK, 12, 12},
        {"8589934592 GiB", KEYVALUE_BYTES, ERR_RANGE, 0, 0},
        {"8589934591 GiB", KEYVALUE_BYTES, ERR_OK, 9223372035781033984, 8589934591},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t value = -7;
        uint64_t raw = 77;
        enum err e = keyvalue_number(span_of(cases[i].text), cases[i].quantity, &value, &raw);
        assert_int_equal(e, cases[i].err);
        assert_true(value == (e == ERR_OK ? cases[i].value : -7));
        assert_true(raw == (e == ERR_OK ? cases[i].raw : 77));
    }
}

static void clean(void **state) {
    (void)state;
    char out[4];
    struct span plain = span_of("abcd");
    assert_ptr_equal(keyvalue_clean(plain, out, sizeof(out)).p, plain.p);
    assert_span(keyvalue_clean(span_of("a\x1b"), out, sizeof(out)), "a?");
    assert_span(keyvalue_clean(span_of("abcdef"), out, sizeof(out)), "abcd");
    assert_span(keyvalue_clean(span_of("abc\xc3\xa4"), out, sizeof(out)), "abc");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(numbers),
        cmocka_unit_test(clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
