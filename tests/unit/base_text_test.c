/* Text from outside: whatever the bytes are, what comes out is valid, harmless and measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

#define MANY(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

struct clean_case {
    const char *in;
    const char *out;
};

static void cleaning(void **state) {
    (void)state;
    static const struct clean_case cases[] = {
        {"", ""},
        {"plain ASCII text ~!", "plain ASCII text ~!"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        /* controls: C0, DEL, C1; an escape sequence loses what makes it one */
        {"\x1b[31mred\x1b]0;t\x07", "?[31mred?]0;t?"},
        {"a\tb\nc\rd", "a?b?c?d"},
        {"\x01\x1f\x7f", "???"},
        {"12345678\x7f"
         "2345678",
         "12345678?2345678"},
        {"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "???\xc2\xa0"},
        /* bidirectional controls and separators, and their harmless neighbours */
        {"\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae", "?????"},
        {"\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9", "????"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "??"},
        {"\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x80\xa7\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x81\xa5\xe2\x81\xaa"},
        /* joiners stay: names are written with them */
        {"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
         "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb"},
        /* not UTF-8: stray continuation, lone lead, 0xfe and 0xff; a run is one mark */
        {"a\x80z", "a?z"},
        {"a\xc3z", "a?z"},
        {"a\xe2\x82z", "a?z"},
        {"a\xf0\x9f\x98z", "a?z"},
        {"a\xfe\xff\x80\xc0z", "a?z"},
        {"\xff", "?"},
        {"\xe2\x82", "?"},
        {"\xff"
         "a\xff",
         "?a?"},
        {"\xff\x1b", "??"},
        {"\xff\xc3\xa9\xff", "?\xc3\xa9?"},
        /* overlong forms of '/', NUL, and of a three-byte character */
        {"\xc0\xaf", "?"},
        {"\xc0\x80", "?"},
        {"\xe0\x80\xaf", "?"},
        {"\xf0\x80\x80\xaf", "?"},
        {"\xf0\x82\x82\xac", "?"},
        {"\xe0\x9f\xbf", "?"},
        {"\xf0\x8f\xbf\xbf", "?"},
        /* surrogates, and the first beyond the last code point */
        {"\xed\xa0\x80", "?"},
        {"\xed\xbf\xbf", "?"},
        {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"},
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
        {"\xf4\x90\x80\x80", "?"},
        {"\xf5\x80\x80\x80", "?"},
        {"\xf8\x88\x80\x80\x80", "?"},
    };
    for (size_t i = 0; i < MANY(cases); i++) {
        char out[64];
        struct span in = span_of(cases[i].in);
        size_t n = text_clean(out, sizeof out, in);
        if (n != strlen(cases[i].out) || memcmp(out, cases[i].out, n) != 0) {
            fail_msg("case %zu gives \"%.*s\"", i, (int)n, out);
        }
        assert_true(text_is_clean((struct span){out, n}));
        assert_int_equal(text_is_clean(in), strcmp(cases[i].in, cases[i].out) == 0);
    }
    char out[4];
    assert_int_equal(text_clean(out, sizeof out, (struct span){"a\0b", 3}), 3);
    assert_memory_equal(out, "a?b", 3);
    assert_int_equal(text_clean(NULL, 0, span_of("abc")), 0);
    assert_int_equal(text_clean(out, sizeof out, (struct span){NULL, 0}), 0);
    assert_true(text_is_clean((struct span){NULL, 0}));
}

/* Every code point: exactly these are taken out, everything else passes byte by byte. */
static size_t encode(char out[4], uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((0xf00u >> n & 0xff) | c);
    return n;
}

static void every_code_point(void **state) {
    (void)state;
    for (uint32_t c = 0; c < 0x110000; c++) {
        char in[4], out[4];
        size_t n = encode(in, c);
        bool surrogate = c >= 0xd800 && c < 0xe000;
        bool acts = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
                    (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
        bool clean = !surrogate && !acts;
        struct span s = {in, n};
        size_t m = text_clean(out, sizeof out, s);
        bool same = m == n && memcmp(in, out, n) == 0;
        assert_true(text_is_clean(s) == clean);
        assert_true(clean ? same : m == 1 && out[0] == '?');
        struct grapheme g = text_grapheme(s);
        assert_true(g.bytes == (surrogate ? 1 : n));
        assert_true(g.columns >= 0 && g.columns <= 2);
        assert_true(clean || g.columns == 1);
    }
}

static void random_text(uint64_t *seed, char *text, size_t n) {
    static const char *const parts[] = {"a",
                                        "Z",
                                        "plain words",
                                        "\x1b",
                                        "\xc3\xa9",
                                        "\xcc\x81",
                                        "\xe2\x80\x8d",
                                        "\xef\xb8\x8f",
                                        "\xe4\xb8\xad",
                                        "\xf0\x9f\x91\xa9",
                                        "\xf0\x9f\x8f\xbd",
                                        "\xf0\x9f\x87\xa9",
                                        "\xe2\x80\xae",
                                        "\xe0\xa4\x95",
                                        "\xe0\xa4\xbf",
                                        "\xe1\x84\x80",
                                        "\xe1\x85\xa1",
                                        "\xff",
                                        "\xe2\x82",
                                        "\xed\xa0\x80",
                                        "\xc0\xaf"};
    for (size_t at = 0; at < n;) {
        const char *p = parts[next_random(seed) % MANY(parts)];
        for (; *p && at < n; p++) {
            text[at++] = next_random(seed) % 64 ? *p : (char)next_random(seed);
        }
    }
}

static void cleaning_is_idempotent(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int round = 0; round < 20000; round++) {
        size_t n = next_random(&seed) % 64;
        size_t cap = next_random(&seed) % 80;
        char *in = malloc(n + 1), *out = malloc(cap + 1), *again = malloc(cap + 1);
        assert_true(in && out && again);
        random_text(&seed, in, n);
        out[cap] = '#';
        size_t m = text_clean(out, cap, (struct span){in, n});
        assert_true(m <= cap && m <= n);
        assert_int_equal(out[cap], '#');
        assert_true(text_is_clean((struct span){out, m}));
        assert_int_equal(text_clean(again, cap, (struct span){out, m}), m);
        assert_memory_equal(again, out, m);
        /* Less room gives a prefix. */
        size_t less = text_clean(again, cap / 2, (struct span){in, n});
        assert_true(less <= m && cap / 2 - less < 4 + (m <= cap / 2 ? cap : 0));
        assert_memory_equal(again, out, less);
        /* Clean says the same as "nothing changed". */
        char *whole = malloc(n + 1);
        assert_non_null(whole);
        size_t w = text_clean(whole, n, (struct span){in, n});
        bool same = w == n && memcmp(whole, in, n) == 0;
        assert_true(text_is_clean((struct span){in, n}) == same);
        free(whole);
        free(in);
        free(out);
        free(again);
    }
}

static void clean_cuts_at_a_code_point(void **state) {
    (void)state;
    char out[8];
    assert_int_equal(text_clean(out, 1, span_of("\xe2\x82\xac")), 0);
    assert_int_equal(text_clean(out, 2, span_of("\xe2\x82\xac")), 0);
    assert_int_equal(text_clean(out, 3, span_of("\xe2\x82\xac")), 3);
    assert_int_equal(text_clean(out, 5, span_of("a\xe2\x82\xac\xe2\x82\xac")), 4);
    assert_int_equal(text_clean(out, 4, span_of("abcdefghijkl")), 4);
    /* What does not fit ends the text: nothing behind it takes its place. */
    assert_int_equal(text_clean(out, 2,
                                span_of("a\xe2\x82\xac"
                                        "b")),
                     1);
}

struct width_case {
    const char *text;
    size_t bytes;
    int columns;
};

static void graphemes(void **state) {
    (void)state;
    static const struct width_case cases[] = {
        {"", 0, 0},
        {"a", 1, 1},
        {"ab", 1, 1},
        {"a\xc3\xa9", 1, 1},
        {"\xc3\xa9x", 2, 1},
        {"e\xcc\x81x", 3, 1}, /* e and a combining acute */
        {"e\xcc\x81\xcc\xa7x", 5, 1},
        {"\xcc\x81", 2, 0}, /* a mark with nothing to stand on */
        {"\xe2\x80\x8b"
         "a",
         3, 0},                                          /* zero width space */
        {"\xe4\xb8\xad\xe6\x96\x87", 3, 2},              /* wide CJK */
        {"\xef\xbc\xa1", 3, 2},                          /* fullwidth A */
        {"\xea\xb0\x80", 3, 2},                          /* a Hangul syllable */
        {"\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8.", 9, 2}, /* the same of three parts */
        {"\xf0\x9f\x98\x80", 4, 2},
        {"\xf0\x9f\x91\x8b\xf0\x9f\x8f\xbd!", 8, 2},              /* a hand and its skin tone */
        {"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb.", 11, 2}, /* woman, joiner, laptop */
        {"\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xab\xf0\x9f\x87\xb7", 8, 2}, /* two flags */
        {"#\xef\xb8\x8f\xe2\x83\xa3"
         "1",
         7, 1},                              /* keycap */
        {"\xe0\xa4\x95\xe0\xa4\xbf.", 6, 2}, /* Devanagari letter and spacing vowel */
        {"\xff\xff", 1, 1},
        {"\xed\xa0\x80", 1, 1},
        {"a\xff", 1, 1},
        {"e\xcc", 1, 1},
        {"\x1b[", 1, 1},
        {"\r\n", 2, 2}, /* one cluster by Unicode's rule; text_clean makes two '?' of it */
    };
    for (size_t i = 0; i < MANY(cases); i++) {
        struct grapheme g = text_grapheme(span_of(cases[i].text));
        if (g.bytes != cases[i].bytes || g.columns != cases[i].columns) {
            fail_msg("case %zu: %zu bytes, %d columns", i, g.bytes, g.columns);
        }
    }
    assert_int_equal(text_grapheme((struct span){NULL, 0}).bytes, 0);
}

static void columns(void **state) {
    (void)state;
    assert_int_equal(text_columns(span_of("")), 0);
    assert_int_equal(text_columns((struct span){NULL, 0}), 0);
    assert_int_equal(text_columns(span_of("a longer plain text 1234567")), 27);
    assert_int_equal(text_columns(span_of("caf\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87")), 9);
    assert_int_equal(text_columns(span_of("12345678e\xcc\x81"
                                          "abcdefghi")),
                     18);
    assert_int_equal(text_columns(span_of("\xff\xff")), 2);
}

static void cutting(void **state) {
    (void)state;
    const char *mixed = "ab\xe4\xb8\xad"
                        "e\xcc\x81"
                        "z"; /* 1 1 2 1 1 columns */
    static const size_t bytes[] = {0, 1, 2, 2, 5, 8, 9, 9};
    for (size_t c = 0; c < MANY(bytes); c++) {
        assert_int_equal(text_cut(span_of(mixed), c).n, bytes[c]);
    }
    assert_int_equal(text_cut(span_of("a longer plain text"), 8).n, 8);
    assert_int_equal(text_cut(span_of("abc"), SIZE_MAX).n, 3);
    assert_int_equal(text_cut((struct span){NULL, 0}, 3).n, 0);
    /* A mark belongs to the last letter that fits. */
    assert_int_equal(text_cut(span_of("abe\xcc\x81"
                                      "f"),
                              3)
                         .n,
                     5);
    assert_int_equal(text_cut(span_of("abe\xcc\x81"
                                      "f"),
                              2)
                         .n,
                     2);
}

/* Against the slow way: cluster by cluster, with no fast path. */
static void columns_are_the_sum_of_clusters(void **state) {
    (void)state;
    uint64_t seed = 19;
    for (int round = 0; round < 20000; round++) {
        char text[64];
        size_t n = next_random(&seed) % sizeof text;
        random_text(&seed, text, n);
        struct span s = {text, n};
        size_t want = next_random(&seed) % 40, sum = 0, at = 0, cut = 0;
        bool open = true;
        while (at < n) {
            struct grapheme g = text_grapheme(span_skip(s, at));
            assert_true(g.bytes > 0 && g.bytes <= n - at);
            assert_true(g.columns >= 0 && g.columns <= 2);
            sum += (size_t)g.columns;
            at += g.bytes;
            open = open && sum <= want;
            cut = open ? at : cut;
        }
        assert_int_equal(text_columns(s), sum);
        assert_int_equal(text_cut(s, want).n, cut);
        assert_true(text_columns(text_cut(s, want)) <= want);
    }
}

static void searching(void **state) {
    (void)state;
    struct span none = {NULL, 0};
    assert_true(text_contains(span_of("GlxGears"), span_of("gears")));
    assert_true(text_contains(span_of("glxgears"), span_of("GLX")));
    assert_true(text_contains(span_of("abc"), span_of("abc")));
    assert_true(text_contains(span_of("aab"), span_of("ab")));
    assert_true(text_contains(span_of("abc"), none));
    assert_true(text_contains(none, none));
    assert_false(text_contains(none, span_of("a")));
    assert_false(text_contains(span_of("ab"), span_of("abc")));
    assert_false(text_contains(span_of("abc"), span_of("ac")));
    assert_false(text_contains(span_of("@[`{"), span_of("`{@[")));
    assert_false(text_contains(span_of("@"), span_of("`")));
    assert_false(text_contains(span_of("["), span_of("{")));
    assert_true(text_contains((struct span){"a\0B", 3}, (struct span){"\0b", 2}));
    assert_true(text_contains(span_of("\xc3\xa9t\xc3\xa9"), span_of("T\xc3\xa9")));
    assert_false(text_contains(span_of("\xc3\xa9"), span_of("\xc3\x89"))); /* ASCII only */
    assert_int_equal(text_find(span_of("aaBc"), span_of("Ab")), 1);
    assert_int_equal(text_find(span_of("abc"), span_of("x")), 3);
    assert_int_equal(text_find(span_of("abc"), none), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleaning),
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(cleaning_is_idempotent),
        cmocka_unit_test(clean_cuts_at_a_code_point),
        cmocka_unit_test(graphemes),
        cmocka_unit_test(columns),
        cmocka_unit_test(cutting),
        cmocka_unit_test(columns_are_the_sum_of_clusters),
        cmocka_unit_test(searching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
