/*
 * The worked example and the one public line of a real recording, which stand outside the
 * repository in $GWTOP_CAPTURES (default ../shared/data): every segment and every sum to the last
 * digit that stands there, and the figures of the variants. Where they are not, the tests are
 * skipped.
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

static char *load(const char *file) {
    const char *dir = getenv("GWTOP_CAPTURES");
    char *path = path_join(dir ? dir : "../shared/data", "%s", file);
    size_t n;
    char *text = file_read(path, &n);
    free(path);
    if (!text)
        skip();
    return text;
}

/* The line of `report` after its section's head, or fails. */
static const char *section(const char *report, struct span head) {
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)head.n, head.p);
    const char *at = strstr(report, name);
    assert_non_null(at);
    return strchr(at, '\n') + 1;
}

/* The next line is this one; `open` behind it is of the report alone. */
static const char *same_line(const char *at, struct span want) {
    const char *end = strchr(at, '\n');
    struct span line = {at, (size_t)(end - at)};
    if (line.n > 5 && memcmp(end - 5, " open", 5) == 0)
        line.n -= 5;
    if (line.n != want.n || memcmp(line.p, want.p, want.n) != 0)
        fail_msg("'%.*s' should be '%.*s'", (int)line.n, line.p, (int)want.n, want.p);
    return end + 1;
}

static void check_count(const struct malirig *r, struct span line) {
    struct cursor c = cursor_over(line);
    struct span word, number;
    uint64_t want;
    assert_true(cursor_word(&c, &word));
    assert_true(cursor_word(&c, &number));
    assert_int_equal(span_to_u64(number, &want), ERR_OK);
    if (span_equals(word, "lines")) {
        assert_int_equal(malirig_lines(r), want);
    } else if (span_equals(word, "malformed")) {
        assert_int_equal(r->counts.malformed, want);
    } else if (span_equals(word, "first_ns")) {
        assert_int_equal(r->first_ns, want);
    } else if (span_equals(word, "last_ns")) {
        assert_int_equal(r->last_ns, want);
    } else if (span_equals(word, "freq_hz")) {
        assert_int_equal(r->jobs[r->job_count - 1].clock_hz, want);
    } else if (span_equals(word, "volt_uv")) {
        assert_int_equal(r->jobs[r->job_count - 1].voltage_uv, want);
    } else {
        unsigned i = 0;
        while (i < REASON_COUNT && !span_equals(word, reason_word(i)))
            i++;
        assert_true(i < REASON_COUNT);
        assert_int_equal(r->counts.reasons[i], want);
    }
}

static void worked_example(void **state) {
    struct malirig r = {0};
    struct buf out;
    struct span line;
    const char *at = NULL;
    bool counting = false;
    unsigned checked = 0;
    (void)state;
    char *text = load("mali/worked-example.events");
    char *expected = load("mali/worked-example.expected.txt");
    buf_init(&out);
    malirig_run(&r, "", text);
    malirig_report(&r, &out);
    struct cursor c = cursor_over(span_of(expected));
    while (cursor_line(&c, &line)) {
        if (line.n == 0 || line.p[0] == '#')
            continue;
        if (line.p[0] == '[') {
            const char *end = memchr(line.p, ']', line.n);
            counting = span_starts(line, "[counts]") || span_starts(line, "[final state]");
            if (!counting)
                at = section(out.p, (struct span){line.p, (size_t)(end - line.p) + 1});
        } else if (counting) {
            check_count(&r, line);
            checked++;
        } else {
            at = same_line(at, line);
            checked++;
        }
    }
    assert_int_equal(checked, 22 + 6 + 4 + 5 + 8 + 2);
    assert_int_equal(r.job_count, 22);
    assert_int_equal(r.counts.accepted, 40);
    buf_finish(&out);
    malirig_finish(&r);
    free(text);
    free(expected);
}

static void assert_digits(double is, double want) {
    assert_true(is - want < 5e-13 && want - is < 5e-13);
}

/* Busy, unpriced and PW·s of the three, against those of the whole without options. */
static void variants(void **state) {
    const double pws_1200 = 0.007254273496;
    const double pws_1300 = 0.012007529699;
    struct malirig r = {0};
    (void)state;
    char *text = load("mali/worked-example.events");

    malirig_run(&r, "drop_unpriced=1\n", text);
    assert_int_equal(malirig_busy(&r, 1200, NULL), 5180000 - 500000);
    assert_int_equal(malirig_busy(&r, 1300, NULL), 7900000 - 250000);
    assert_int_equal(malirig_unpriced(&r, -1, NULL), 0);
    assert_digits(malirig_pws(&r, -1, NULL), 0.023651991635);
    assert_int_equal(r.counts.reasons[REASON_UNPRICED], 2);

    malirig_run(&r, "soc=exynos4412\n", text);
    assert_int_equal(malirig_unpriced(&r, 1200, NULL), 500000);
    assert_int_equal(malirig_unpriced(&r, 1300, NULL), 0);
    assert_digits(malirig_pws(&r, 1300, NULL), pws_1300 + 0.000115131579);
    assert_digits(malirig_pws(&r, 1200, NULL), pws_1200);

    malirig_run(&r, "soc=exynos4412-prime\nbackfill=1\n", text);
    assert_int_equal(malirig_unpriced(&r, -1, NULL), 0);
    assert_digits(malirig_pws(&r, 1300, NULL), pws_1300 + 0.000115131579);
    assert_digits(malirig_pws(&r, 1200, NULL), pws_1200 + 0.000230263158);

    /* The clock alone gives no price. */
    malirig_run(&r, "backfill=1\n", text);
    assert_int_equal(malirig_unpriced(&r, -1, NULL), 750000);
    assert_digits(malirig_pws(&r, -1, NULL), 0.023651991635);

    /* GP0 was done 5 us before its stop, PP0 10 us. */
    malirig_run(&r, "end=interrupt\n", text);
    assert_int_equal(malirig_busy(&r, 1300, "GP0"), 2500000 - 5000);
    assert_int_equal(malirig_busy(&r, 1300, "PP0"), 3210000 - 10000);
    assert_int_equal(malirig_busy(&r, 1200, NULL), 5180000);
    malirig_finish(&r);
    free(text);
}

/* A stop whose start was not recorded: no time may be made up, and the number in the place of a
 * pid is none. */
static void the_public_line(void **state) {
    struct malirig r = {0};
    (void)state;
    char *text = load("mali400/internal-profiling-one-event.txt");
    malirig_run(&r, "", text);
    assert_int_equal(r.job_count, 0);
    assert_int_equal(r.sample_count, 0);
    assert_int_equal(malirig_lines(&r), 1);
    assert_int_equal(r.counts.reasons[REASON_STOP_ON_IDLE], 1);
    assert_int_equal(r.counts.malformed + r.counts.truncated, 0);
    assert_int_equal(r.first_ns, INT64_C(1329701288752682877));
    malirig_finish(&r);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(variants),
        cmocka_unit_test(the_public_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
