/* The cursor: every byte is seen once, none outside, and a bad one stays bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

static struct cursor over(const char *text) {
    return cursor_over(span_of(text));
}

static void assert_span(struct span s, const char *want) {
    assert_int_equal(s.n, strlen(want));
    assert_memory_equal(s.p, want, s.n);
}

static void lines(void **state) {
    (void)state;
    struct span s;
    struct cursor c = over("a\n\nbc\r\nlast");
    assert_true(cursor_line(&c, &s));
    assert_span(s, "a");
    assert_true(cursor_line(&c, &s));
    assert_span(s, "");
    assert_true(cursor_line(&c, &s));
    assert_span(s, "bc\r");
    assert_false(cursor_at_end(&c));
    assert_true(cursor_line(&c, &s));
    assert_span(s, "last");
    assert_true(cursor_at_end(&c));
    assert_false(cursor_line(&c, &s));
    assert_span(s, "");
    assert_false(c.bad);
    c = over("a\n");
    assert_true(cursor_line(&c, &s));
    assert_false(cursor_line(&c, &s));
    c = over("");
    assert_false(cursor_line(&c, &s));
    c = cursor_over((struct span){NULL, 0});
    assert_false(cursor_line(&c, &s));
    assert_true(cursor_at_end(&c));
}

static void a_nul_is_a_byte(void **state) {
    (void)state;
    struct span s;
    struct cursor c = cursor_over((struct span){"a\0b\n\0\n", 6});
    assert_true(cursor_line(&c, &s));
    assert_int_equal(s.n, 3);
    assert_memory_equal(s.p, "a\0b", 3);
    assert_true(cursor_line(&c, &s));
    assert_int_equal(s.n, 1);
    assert_false(cursor_line(&c, &s));
    c = cursor_over((struct span){"a\0b\0", 4});
    assert_true(cursor_field(&c, '\0', &s));
    assert_span(s, "a");
    assert_true(cursor_field(&c, '\0', &s));
    assert_span(s, "b");
    assert_false(cursor_field(&c, '\0', &s));
}

static void fields(void **state) {
    (void)state;
    struct span s;
    struct cursor c = over("drm-pdev:\t0000:03:00.0");
    assert_true(cursor_field(&c, ':', &s));
    assert_span(s, "drm-pdev");
    cursor_skip_blanks(&c);
    assert_int_equal(cursor_left(&c), 12);
    assert_true(cursor_field(&c, '\xff', &s));
    assert_span(s, "0000:03:00.0");
    assert_false(cursor_field(&c, ':', &s));
    c = over("a\xff"
             "b");
    assert_true(cursor_field(&c, '\xff', &s));
    assert_span(s, "a");
}

static void words(void **state) {
    (void)state;
    struct span s;
    struct cursor c = over("  12\t KiB \t");
    assert_true(cursor_word(&c, &s));
    assert_span(s, "12");
    assert_true(cursor_word(&c, &s));
    assert_span(s, "KiB");
    assert_false(cursor_word(&c, &s));
    assert_span(s, "");
    assert_true(cursor_at_end(&c));
    c = over("   ");
    assert_false(cursor_word(&c, &s));
}

static void digits(void **state) {
    (void)state;
    uint64_t v = 7;
    struct cursor c = over("123 ns");
    assert_int_equal(cursor_u64(&c, &v), ERR_OK);
    assert_int_equal(v, 123);
    assert_int_equal(cursor_left(&c), 3);
    assert_int_equal(cursor_u64(&c, &v), ERR_FORMAT);
    assert_int_equal(cursor_left(&c), 3);
    assert_int_equal(v, 123);
    c = over("18446744073709551616;");
    assert_int_equal(cursor_u64(&c, &v), ERR_RANGE);
    assert_int_equal(v, 123);
    assert_int_equal(cursor_left(&c), 1);
    assert_false(c.bad);
    c = over("18446744073709551615");
    assert_int_equal(cursor_u64(&c, &v), ERR_OK);
    assert_true(v == UINT64_MAX);
    assert_int_equal(cursor_u64(&c, &v), ERR_FORMAT);
}

static void little_endian(void **state) {
    (void)state;
    static const char bytes[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x8f";
    struct cursor c = cursor_over((struct span){bytes, 15});
    assert_int_equal(cursor_le8(&c), 0x01);
    assert_int_equal(cursor_le16(&c), 0x0302);
    assert_int_equal(cursor_le32(&c), 0x07060504);
    assert_true(cursor_le64(&c) == UINT64_C(0x8f0e0d0c0b0a0908));
    assert_false(c.bad);
    assert_true(cursor_at_end(&c));
}

static void bad_stays_bad(void **state) {
    (void)state;
    struct span s;
    uint64_t v = 5;
    struct cursor c = over("abcdefg");
    assert_true(cursor_le64(&c) == 0);
    assert_true(c.bad);
    assert_int_equal(cursor_le8(&c), 0);
    assert_int_equal(cursor_bytes(&c, 0).n, 0);
    assert_int_equal(cursor_bytes(&c, 1).n, 0);
    assert_false(cursor_line(&c, &s));
    assert_false(cursor_field(&c, 'a', &s));
    assert_false(cursor_word(&c, &s));
    assert_int_equal(cursor_u64(&c, &v), ERR_FORMAT);
    assert_int_equal(v, 5);
    assert_int_equal(cursor_left(&c), 0);
    assert_true(c.bad);
    c = over("abc");
    assert_int_equal(cursor_bytes(&c, SIZE_MAX).n, 0);
    assert_true(c.bad);
    c = over("abc");
    assert_span(cursor_bytes(&c, 3), "abc");
    assert_false(c.bad);
    assert_int_equal(cursor_bytes(&c, 0).n, 0);
    assert_false(c.bad);
}

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Lines and their newlines together are the text again; the block on the heap is exactly as long as
 * the text, so that a sanitizer sees a step outside. */
static void lines_join_to_the_text(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        size_t n = next_random(&seed) % 40;
        char *text = malloc(n ? n : 1);
        assert_non_null(text);
        for (size_t i = 0; i < n; i++) {
            text[i] = "\n\0a \t9"[next_random(&seed) % 6];
        }
        struct cursor c = cursor_over((struct span){text, n});
        struct span s;
        size_t at = 0;
        while (cursor_line(&c, &s)) {
            assert_ptr_equal(s.p, text + at);
            at += s.n;
            assert_true(at == n || text[at] == '\n');
            at += at < n;
        }
        assert_int_equal(at, n);
        c = cursor_over((struct span){text, n});
        while (cursor_word(&c, &s)) {
            assert_true(s.n > 0);
        }
        assert_true(cursor_at_end(&c));
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),         cmocka_unit_test(a_nul_is_a_byte),
        cmocka_unit_test(fields),        cmocka_unit_test(words),
        cmocka_unit_test(digits),        cmocka_unit_test(little_endian),
        cmocka_unit_test(bad_stays_bad), cmocka_unit_test(lines_join_to_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
