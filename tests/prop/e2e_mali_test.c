/*
 * Recordings of Mali events through the real program: what `decode mali-events` prints adds up to
 * what stands in the fixture, options reach the decoder, a pipe is as good as a file, and
 * refusals are refusals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "e2e.h"
#include "ndjson.h"
#include "program.h"
#include "scratch.h"

#define S4412 "fixtures/mali/samsung-4412/events"

static json_t *decoded(const char *const *args, int want_status) {
    struct program p = {.args = args};
    char *out = e2e_call(&p, want_status);
    json_t *lines = ndjson_parse(out);
    assert_non_null(lines);
    free(out);
    return lines;
}

struct sums {
    unsigned jobs;
    unsigned unpriced;
    unsigned doubted;
    unsigned open;
    double busy;
    double pws;
};

static struct sums sums_of(json_t *lines) {
    struct sums s = {0};
    size_t i;
    json_t *o;
    json_array_foreach(lines, i, o) {
        if (strcmp(text_at(o, "metric"), "job.busy") != 0)
            continue;
        assert_string_equal(text_at(o, "backend"), "mali");
        assert_string_equal(text_at(o, "unit"), "s");
        assert_true(json_is_integer(json_object_get(o, "pid")));
        assert_true(fabs(number_at(o, "value") -
                         (number_at(o, "end_ns") - number_at(o, "start_ns")) * 1e-9) < 1e-6);
        s.jobs++;
        s.busy += number_at(o, "value");
        s.unpriced += json_is_null(json_object_get(o, "PWs"));
        s.doubted += json_object_get(o, "doubt") != NULL;
        s.open += json_is_true(json_object_get(o, "open"));
        s.pws += json_is_null(json_object_get(o, "PWs")) ? 0 : number_at(o, "PWs");
    }
    return s;
}

static json_t *summary_of(json_t *lines) {
    json_t *last = json_array_get(lines, json_array_size(lines) - 1);
    json_t *summary = json_object_get(last, "summary");
    assert_non_null(summary);
    assert_int_equal(number_at(summary, "accepted") + number_at(summary, "ignored") +
                         number_at(summary, "malformed") + number_at(summary, "truncated"),
                     number_at(summary, "lines"));
    return summary;
}

static void adds_up(void **state) {
    (void)state;
    json_t *lines = decoded(PROGRAM_ARGS("decode", "mali-events", S4412), 0);
    struct sums s = sums_of(lines);
    assert_int_equal(s.jobs, 9);
    assert_int_equal(s.unpriced, 3);
    assert_int_equal(s.open, 1);
    assert_true(fabs(s.busy - 0.002722) < 1e-12);
    assert_true(fabs(s.pws - 0.001042640132) < 5e-13);
    json_t *summary = summary_of(lines);
    assert_int_equal(number_at(summary, "lines"), 24);
    assert_int_equal(number_at(summary, "accepted"), 24);
    json_t *reasons = json_object_get(summary, "reasons");
    assert_int_equal(number_at(reasons, "open_at_end"), 1);
    assert_int_equal(number_at(reasons, "unpriced"), 3);
    assert_int_equal(json_object_size(reasons), 2);
    json_decref(lines);
}

static void options_reach_it(void **state) {
    static const struct {
        const char *const args[8];
        unsigned jobs, unpriced, doubted;
    } rows[] = {
        {{"decode", "mali-events", S4412, "--mali-soc", "exynos4412"}, 9, 1, 2},
        {{"decode", "mali-events", S4412, "--mali-soc", "exynos4412", "--mali-backfill"}, 8, 0, 2},
        {{"decode", "mali-events", S4412, "--assume-voltage", "1"}, 9, 1, 2},
        {{"decode", "mali-events", S4412, "--mali-drop-unpriced"}, 6, 0, 0},
        {{"decode", "mali-events", S4412, "--mali-end", "interrupt"}, 8, 3, 0},
        {{"decode", "mali-events", S4412, "--mali-dialect", "arm"}, 5, 5, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_t *lines = decoded(rows[i].args, 0);
        struct sums s = sums_of(lines);
        assert_int_equal(s.jobs, rows[i].jobs);
        assert_int_equal(s.unpriced, rows[i].unpriced);
        assert_int_equal(s.doubted, rows[i].doubted);
        json_decref(lines);
    }
}

static void one_stop(void **state) {
    (void)state;
    json_t *lines =
        decoded(PROGRAM_ARGS("decode", "mali-events", "fixtures/mali/one-stop/events"), 0);
    assert_int_equal(json_array_size(lines), 1);
    json_t *reasons = json_object_get(summary_of(lines), "reasons");
    assert_int_equal(number_at(reasons, "stop_on_idle"), 1);
    json_decref(lines);
}

static void refusals(void **state) {
    (void)state;
    json_t *lines =
        decoded(PROGRAM_ARGS("decode", "mali-events", "fixtures/fdinfo/xe-6.8/text"), 1);
    assert_int_equal(json_array_size(lines), 1);
    assert_int_equal(number_at(summary_of(lines), "accepted"), 0);
    assert_true(number_at(summary_of(lines), "malformed") > 0);
    json_decref(lines);
    struct program wrong = {
        .args = PROGRAM_ARGS("decode", "mali-events", S4412, "--mali-soc", "exynos")};
    free(e2e_call(&wrong, 2));
    struct program missing = {.args = PROGRAM_ARGS("decode", "mali-events", "no/such/file")};
    free(e2e_call(&missing, 1));
}

/* More than fits one frame, so that jobs go on from one to the next. */
static void a_long_recording(void **state) {
    (void)state;
    char *dir = scratch_make();
    char *path = path_join(dir, "events");
    size_t cap = 8 << 20;
    char *text = malloc(cap);
    size_t n = 0;
    assert_non_null(text);
    for (unsigned i = 0; i < 100000; i++)
        n += (size_t)snprintf(text + n, cap - n, "%u 1376257 266 1000 0 0 0\n%u %u 70 71 0 0 0\n",
                              i * 1000, i * 1000, i % 2 ? 33882112u : 17104896u);
    file_write(path, text, n);
    json_t *lines = decoded(PROGRAM_ARGS("decode", "mali-events", path), 0);
    struct sums s = sums_of(lines);
    assert_int_equal(s.jobs, 50000);
    assert_true(fabs(s.busy - 0.05) < 1e-9);
    assert_true(fabs(s.pws - 0.05) < 1e-9);
    assert_int_equal(number_at(summary_of(lines), "accepted"), 200000);
    json_decref(lines);
    free(text);
    free(path);
    scratch_remove(dir);
}

/* As a recording to replay. */
static void replays(void **state) {
    (void)state;
    struct program p = {
        .args = PROGRAM_ARGS("replay", "--as", "mali-events", S4412, "--once", "--json")};
    char *out = e2e_call(&p, 0);
    json_t *ticks = ndjson_parse(out);
    assert_non_null(ticks);
    json_decref(ticks);
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),  cmocka_unit_test(options_reach_it), cmocka_unit_test(one_stop),
        cmocka_unit_test(refusals), cmocka_unit_test(a_long_recording), cmocka_unit_test(replays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
