/* The output buffer: storage, its failure, and quoting for JSON and CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <string.h>

#include "gwtop/base.h"

static void assert_text(const struct buf *b, const char *want) {
    struct span s = buf_span_of(b);
    if (s.n != strlen(want) || memcmp(s.p, want, s.n) != 0) {
        fail_msg("\"%.*s\" is not \"%s\"", (int)s.n, s.p, want);
    }
    assert_false(b->failed);
}

static void puts_append(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b);
    assert_text(&b, "");
    buf_text(&b, "ab");
    buf_text(&b, NULL);
    buf_span(&b, (struct span){NULL, 0});
    buf_put(&b, NULL, 0);
    buf_char(&b, '-');
    buf_fill(&b, '.', 3);
    buf_fill(&b, 'x', 0);
    buf_span(&b, span_of("cd"));
    assert_text(&b, "ab-...cd");
    buf_put(&b, "\0z", 2);
    assert_int_equal(b.n, 10);
    assert_memory_equal(b.p, "ab-...cd\0z", 10);
    buf_finish(&b);
    assert_null(b.p);
    buf_finish(&b);
    buf_finish(NULL);
}

static void clear_keeps_the_memory(void **state) {
    (void)state;
    struct buf b = {0};
    buf_fill(&b, 'a', 100000);
    char *p = b.p;
    size_t cap = b.cap;
    for (int i = 0; i < 100; i++) {
        buf_clear(&b);
        assert_int_equal(b.n, 0);
        buf_fill(&b, 'b', 100000);
        assert_ptr_equal(b.p, p);
        assert_int_equal(b.cap, cap);
    }
    assert_true(buf_reserve(&b, 0));
    buf_finish(&b);
}

static void reserve_makes_room(void **state) {
    (void)state;
    struct buf b = {0};
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        assert_true(buf_reserve(&b, n));
        assert_true(b.cap - b.n >= n);
        char *p = b.p;
        buf_fill(&b, 'a', n);
        assert_ptr_equal(b.p, p);
    }
    buf_finish(&b);
}

static void failure_is_kept_till_cleared(void **state) {
    (void)state;
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct buf b = {0};
        buf_text(&b, "ab");
        assert_false(buf_reserve(&b, sizes[i]));
        assert_true(b.failed);
        assert_false(buf_reserve(&b, 1));
        buf_char(&b, 'c');
        buf_text(&b, "c");
        buf_fill(&b, 'c', 4);
        buf_u64(&b, 1);
        buf_decimal(&b, -15, 1);
        buf_json_string(&b, span_of("x"));
        buf_csv_field(&b, span_of("x"));
        assert_int_equal(b.n, 2);
        assert_memory_equal(b.p, "ab", 2);
        buf_clear(&b);
        buf_char(&b, 'd');
        assert_text(&b, "d");
        buf_finish(&b);
    }
}

struct quote_case {
    const char *in;
    const char *out;
};

static void json(void **state) {
    (void)state;
    static const struct quote_case cases[] = {
        {"", "\"\""},
        {"plain text of more than eight bytes", "\"plain text of more than eight bytes\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1b[0m\x1f\x7f", "\"\\u0001\\u001b[0m\\u001f\\u007f\""},
        {"\xc2\x9b"
         "0m",
         "\"\\u009b0m\""},
        {"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
         "\"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa9", "\"\\u2028\\u202e\\u2069\""},
        {"a\xff\xfe"
         "b",
         "\"a\xef\xbf\xbd\xef\xbf\xbd"
         "b\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xc3", "\"\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf b = {0};
        buf_json_string(&b, span_of(cases[i].in));
        assert_text(&b, cases[i].out);
        buf_finish(&b);
    }
    struct buf b = {0};
    buf_json_string(&b, (struct span){"a\0b", 3});
    assert_text(&b, "\"a\\u0000b\"");
    buf_finish(&b);
}

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Any bytes at all give JSON that a strict reader takes, that is safe on a terminal, and that
 * gives the same text back where it was valid UTF-8. */
static void json_is_read_by_others(void **state) {
    (void)state;
    static const char *const parts[] = {"a",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\x1b",
                                        "\xc2\x80",
                                        "\xe2\x80\xa8",
                                        "\xf0\x9f\x98\x80",
                                        "plain words here"};
    uint64_t seed = 7;
    for (int round = 0; round < 5000; round++) {
        struct buf in = {0}, out = {0};
        bool valid = round % 2 == 0;
        for (size_t n = next_random(&seed) % 12; n > 0; n--) {
            if (valid) {
                buf_text(&in, parts[next_random(&seed) % (sizeof parts / sizeof parts[0])]);
            } else {
                buf_char(&in, (char)next_random(&seed));
            }
        }
        buf_json_string(&out, buf_span_of(&in));
        assert_true(text_is_clean(buf_span_of(&out)));
        json_t *value = json_loadb(out.p, out.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(value);
        if (valid) {
            assert_int_equal(json_string_length(value), in.n);
            assert_memory_equal(json_string_value(value), buf_span_of(&in).p, in.n);
        }
        json_decref(value);
        buf_finish(&in);
        buf_finish(&out);
    }
}

static void csv(void **state) {
    (void)state;
    static const struct quote_case cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"two words", "two words"},
        {"a,b", "\"a,b\""},
        {"say \"x\"", "\"say \"\"x\"\"\""},
        {"\"", "\"\"\"\""},
        {"a\nb", "\"a\nb\""},
        {"a\rb", "\"a\rb\""},
        {"=1+1", "'=1+1"},
        {"+1", "'+1"},
        {"-1", "'-1"},
        {"@x", "'@x"},
        {"\tx", "'\tx"},
        {"\rx", "\"'\rx\""},
        {"=a,b", "\"'=a,b\""},
        {"=\"", "\"'=\"\"\""},
        {"a=1", "a=1"},
        {"'a", "'a"},
        {"; a", "; a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf b = {0};
        buf_csv_field(&b, span_of(cases[i].in));
        assert_text(&b, cases[i].out);
        buf_finish(&b);
    }
    struct buf b = {0};
    buf_csv_field(&b, (struct span){NULL, 0});
    assert_text(&b, "");
    buf_csv_field(&b, (struct span){"\0=", 2});
    assert_int_equal(b.n, 2);
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_append),
        cmocka_unit_test(clear_keeps_the_memory),
        cmocka_unit_test(reserve_makes_room),
        cmocka_unit_test(failure_is_kept_till_cleared),
        cmocka_unit_test(json),
        cmocka_unit_test(json_is_read_by_others),
        cmocka_unit_test(csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
