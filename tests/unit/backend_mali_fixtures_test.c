/*
 * Recordings in the forms of several releases, against what a person worked out of them:
 * fixtures/mali/CASE/events, and one `expected` for each set of options. All are invented. Each
 * also in pieces cut anywhere, and cut short at every byte: what comes out then is a part of the
 * whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "malirig.h"
#include "scratch.h"

static const struct fixture {
    const char *name;
    const char *expected;
    const char *options;
} fixtures[] = {
    {"samsung-4412", "expected", ""},
    {"samsung-4412", "expected", "dialect=samsung\n"},
    {"samsung-4412", "expected.drop", "drop_unpriced=1\n"},
    {"samsung-4412", "expected.soc", "soc=exynos4412\n"},
    {"samsung-4412", "expected.soc", "soc=exynos4412-prime\nassume_voltage_uv=1000000\n"},
    {"samsung-4412", "expected.soc-backfill", "soc=exynos4412\nbackfill=1\n"},
    {"samsung-4412", "expected.volt", "assume_voltage_uv=1000000\n"},
    {"samsung-4412", "expected.interrupt", "end=interrupt\n"},
    {"samsung-4412", "expected.arm", "dialect=arm\n"},
    {"samsung-4210", "expected", ""},
    {"samsung-4210", "expected.backfill", "backfill=1\n"},
    {"arm-r6p0", "expected", ""},
    {"arm-r6p0", "expected", "backfill=1\nend=interrupt\n"},
    {"human-readable", "expected", ""},
    {"clock-only", "expected", ""},
    {"clock-only", "expected", "soc=no-such-chip\n"},
    {"clock-only", "expected.soc", "soc=meson8\n"},
    {"clock-only", "expected.soc-volt", "soc=meson8\nassume_voltage_uv=1200000\n"},
    {"one-stop", "expected", ""},
};
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static char *load(const char *name, const char *file, size_t *n) {
    char path[256];
    snprintf(path, sizeof(path), "fixtures/mali/%s/%s", name, file);
    char *text = file_read(path, n);
    if (!text)
        fail_msg("%s cannot be read", path);
    return text;
}

static const char *past_comments(const char *text) {
    while (*text == '#')
        text = strchr(text, '\n') + 1;
    return text;
}

static void says_what_it_should(void **state) {
    struct malirig r = {0};
    struct buf out;
    (void)state;
    buf_init(&out);
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        size_t n;
        char *text = load(fixtures[i].name, "events", &n);
        char *expected = load(fixtures[i].name, fixtures[i].expected, &n);
        malirig_run(&r, fixtures[i].options, text);
        if (strcmp(malirig_report(&r, &out), past_comments(expected)) != 0)
            fail_msg("%s/%s with %s: is\n%s", fixtures[i].name, fixtures[i].expected,
                     fixtures[i].options, out.p);
        free(text);
        free(expected);
    }
    buf_finish(&out);
    malirig_finish(&r);
}

/* In two pieces, cut at each byte; byte by byte; whole. */
static void pieces_are_the_whole(void **state) {
    struct malirig r = {0};
    struct buf whole, pieces;
    (void)state;
    buf_init(&whole);
    buf_init(&pieces);
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        size_t n;
        char *text = load(fixtures[i].name, "events", &n);
        malirig_run(&r, fixtures[i].options, text);
        malirig_report(&r, &whole);
        for (size_t at = 0; at <= n; at++) {
            malirig_begin(&r, fixtures[i].options, text, n);
            malirig_feed(&r, text, at);
            malirig_feed(&r, text + at, n - at);
            malirig_end(&r);
            assert_string_equal(malirig_report(&r, &pieces), whole.p);
        }
        malirig_begin(&r, fixtures[i].options, text, n);
        for (size_t at = 0; at < n; at++)
            malirig_feed(&r, text + at, 1);
        malirig_end(&r);
        assert_string_equal(malirig_report(&r, &pieces), whole.p);
        free(text);
    }
    buf_finish(&whole);
    buf_finish(&pieces);
    malirig_finish(&r);
}

/* One with the same beginning, owner and rate, that does not end earlier. */
static bool covered(const struct malirig *whole, const struct job *j) {
    for (unsigned i = 0; i < whole->job_count; i++) {
        const struct job *w = &whole->jobs[i];
        if (w->start_ns == j->start_ns && w->end_ns >= j->end_ns && w->pid == j->pid &&
            strcmp(w->name, j->name) == 0 && w->clock_hz == j->clock_hz &&
            w->voltage_uv == j->voltage_uv && w->off == j->off)
            return true;
    }
    return false;
}

/* Cut short, a recording says nothing that the whole does not, in the same dialect. A line
 * without its end is not believed, and counted. */
static void every_length(void **state) {
    static const char *const cases[][2] = {{"samsung-4412", "dialect=samsung\n"},
                                           {"arm-r6p0", "dialect=arm\n"},
                                           {"human-readable", "dialect=arm\n"}};
    struct malirig whole = {0};
    struct malirig part = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n;
        char *text = load(cases[i][0], "events", &n);
        malirig_run(&whole, cases[i][1], text);
        for (size_t at = 0; at < n; at++) {
            uint64_t lines = 0;
            malirig_begin(&part, cases[i][1], text, at);
            malirig_feed(&part, text, at);
            malirig_end(&part);
            for (size_t k = 0; k < at; k++)
                lines += text[k] == '\n' || k + 1 == at;
            assert_int_equal(malirig_lines(&part), lines);
            assert_int_equal(part.counts.malformed, 0);
            assert_true(part.counts.truncated <= (at > 0 && text[at - 1] != '\n'));
            for (unsigned k = 0; k < part.job_count; k++)
                assert_true(covered(&whole, &part.jobs[k]));
        }
        free(text);
    }
    malirig_finish(&whole);
    malirig_finish(&part);
}

/* A number that ends with the file may have lost digits; one with something behind it has not. */
static void last_line(void **state) {
    static const struct {
        const char *text;
        uint64_t accepted, truncated, malformed;
    } cases[] = {
        {"10 17104896 7 7 0 0 0", 0, 1, 0},
        {"10 17104896 7 7 0 0 0\n", 1, 0, 0},
        {"10 17104896 7 7 0 0 0 ", 1, 0, 0},
        {"10 17104896 7 7 0 0 0 #", 1, 0, 0},
        {"10 17104896 7 7 0 0 0 # [000000] STA", 1, 0, 0},
        {"10 17104896 7 7 0 0 ", 0, 1, 0},
        {"10 17104896 7 7 0 0", 0, 1, 0},
        {"1", 0, 1, 0},
        {"10 17104896 7 7 0 0\n", 0, 0, 1},
        {"10 17104896 7 7 0 0 \n", 0, 0, 1},
        {"x", 0, 0, 1},
        {"", 0, 0, 0},
        {"\n", 0, 0, 1},
    };
    struct malirig r = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        malirig_run(&r, "", cases[i].text);
        assert_int_equal(r.counts.accepted, cases[i].accepted);
        assert_int_equal(r.counts.truncated, cases[i].truncated);
        assert_int_equal(r.counts.malformed, cases[i].malformed);
        assert_int_equal(r.counts.reasons[REASON_CUT], cases[i].truncated);
        assert_int_equal(r.job_count, 0);
    }
    malirig_finish(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_should),
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(every_length),
        cmocka_unit_test(last_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
