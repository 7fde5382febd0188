/*
 * Recordings of Mali events through the real program: what `decode mali-events` prints adds up to
 * what stands in the fixture, options reach the decoder, a pipe is as good as a file, and
 * refusals are refusals.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "e2e.h"
#include "ndjson.h"
#include "program.h"
#include "scratch.h"

/* A log with its sums that is not part of the tree. */
#define EXAMPLE "../shared/data/mali/worked-example"
#define S4412   "fixtures/mali/samsung-4412/events"

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
    /* A file that is said to be of the kind, and of which nothing was accepted. */
    static const char *const forms[] = {"--once", "--json", "--csv"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct program none = {
            .args = PROGRAM_ARGS("replay", "--as", "mali-events", "README.md", forms[i])};
        free(e2e_call(&none, 1));
    }
    struct program page = {
        .args = PROGRAM_ARGS("report", "--as", "mali-events", "README.md", "-o", "-")};
    free(e2e_call(&page, 1));
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

/* ---- in ticks of its own time ----------------------------------------------------------------- */

/* What a process worked on a unit, of a whole log. */
struct work {
    int pid;
    char unit[8];
    int64_t busy_ns;
    int64_t unpriced_ns;
    double pws;
};

/* Two rates (1 and 2 PW), a job before either, one that goes on at the end; 9.7 ms. */
static const char small_log[] = "5000000000 17235968 72 73 0 0 0\n"
                                "5000500000 1376257 266 1000 0 0 0\n"
                                "5001000000 17104896 70 71 0 0 0\n"
                                "5001500000 34013184 0 0 4294967295 0 0\n"
                                "5004000000 33882112 0 0 4294967295 0 0\n"
                                "5005000000 16842752 71 72 0 0 0\n"
                                "5006000000 1376257 532 1000 0 0 0\n"
                                "5008000000 33619968 0 0 4294967295 0 0\n"
                                "5009000000 17170432 70 71 0 0 0\n"
                                "5009700000 9 0 0 0 0 0\n";
static const struct work small_work[] = {{70, "PP0", 3000000, 0, 0.003},
                                         {70, "PP1", 700000, 0, 0.0014},
                                         {71, "GP0", 3000000, 0, 0.005},
                                         {72, "PP2", 1500000, 500000, 0.001}};

static json_t *replayed(const char *path, const char *const *options) {
    const char *args[10] = {"replay", path, "--json"};
    for (unsigned i = 0; i < 6 && options[i]; i++)
        args[3 + i] = options[i];
    json_t *ticks = decoded(args, 0);
    assert_true(json_array_size(ticks) > 0);
    return ticks;
}

static void check_work(json_t *ticks, const struct work *list, size_t count) {
    json_t *last = json_array_get(ticks, json_array_size(ticks) - 1);
    double pws = 0;
    for (size_t i = 0; i < count; i++) {
        json_t *process = tick_process(last, list[i].pid, "mali");
        json_t *engine = process ? process_engine(process, list[i].unit) : NULL;
        if (!engine)
            fail_msg("nothing of %d on %s", list[i].pid, list[i].unit);
        assert_near(engine, "busy_s", (double)list[i].busy_ns * 1e-9, 5e-13);
        assert_near(engine, "unpriced_s", (double)list[i].unpriced_ns * 1e-9, 5e-13);
        assert_near(engine, "PWs", list[i].pws, 6e-13);
        pws += list[i].pws;
    }
    json_t *power = json_object_get(tick_device(last, "mali"), "power");
    assert_near(power, "PWs", pws, 5e-12);
}

/* The whole, and what small ticks come to at their end. */
static void check_replays(const char *path, const struct work *list, size_t count) {
    json_t *whole = replayed(path, PROGRAM_ARGS("--once"));
    assert_int_equal(json_array_size(whole), 1);
    json_t *tick = json_array_get(whole, 0);
    double pws = 0;
    check_work(whole, list, count);
    assert_near(tick, "interval_s", 0.0097, 1e-12);
    for (size_t i = 0; i < count; i++)
        pws += list[i].pws;
    assert_near(json_object_get(tick_device(tick, "mali"), "power"), "PW", pws / 0.0097, 1e-9);
    json_decref(whole);
    static const struct {
        const char *delay;
        unsigned ticks;
    } rows[] = {{"1s", 2}, {"9.7ms", 2}, {"2ms", 6}, {"500us", 21}, {"7us", 1387}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_t *ticks = replayed(path, PROGRAM_ARGS("-d", rows[i].delay));
        assert_int_equal(json_array_size(ticks), rows[i].ticks);
        check_work(ticks, list, count);
        json_decref(ticks);
        ticks = replayed(path, PROGRAM_ARGS("-d", rows[i].delay, "--once"));
        check_work(ticks, list, count);
        json_decref(ticks);
    }
}

static void small_log_replays(void **state) {
    (void)state;
    char *dir = scratch_make();
    char *path = path_join(dir, "events");
    file_write(path, small_log, sizeof small_log - 1);
    check_replays(path, small_work, sizeof small_work / sizeof small_work[0]);
    free(path);
    scratch_remove(dir);
}

/* The table of a log whose sums somebody else worked out, where it is at hand. */
static void worked_example_replays(void **state) {
    static const char section[] = "[per pid and unit] pid unit busy_ns unpriced_ns PWs\n";
    struct work list[64];
    size_t count = 0, size;
    (void)state;
    if (access(EXAMPLE ".events", R_OK) != 0 || access(EXAMPLE ".expected.txt", R_OK) != 0)
        skip();
    char *text = file_read(EXAMPLE ".expected.txt", &size);
    const char *at = strstr(text, section);
    assert_non_null(at);
    at += sizeof section - 1;
    for (struct work *w = list; count < 64; w++, count++, at = strchr(at, '\n') + 1) {
        if (sscanf(at, "%d %7s %" SCNd64 " %" SCNd64 " %lf", &w->pid, w->unit, &w->busy_ns,
                   &w->unpriced_ns, &w->pws) != 5)
            break;
    }
    assert_true(count > 0);
    check_replays(EXAMPLE ".events", list, count);
    free(text);
}

/* Standard input in a shell, of what `from` writes. */
static char *piped(const char *from, const char *args, int want_status) {
    char command[600];
    snprintf(command, sizeof command, "%s | exec '%s' %s", from, program_path(), args);
    FILE *f = popen(command, "r");
    char *out = calloc(1, 65536);
    assert_non_null(f);
    assert_non_null(out);
    size_t n = fread(out, 1, 65535, f);
    out[n] = '\0';
    int status = pclose(f);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), want_status);
    return out;
}

/* A file, standard input at once, and one that comes in two halves of a line: the same. */
static void kind_is_guessed(void **state) {
    (void)state;
    char *dir = scratch_make();
    char *path = path_join(dir, "events");
    char from[300];
    file_write(path, small_log, sizeof small_log - 1);
    struct program told = {.args = PROGRAM_ARGS("replay", path, "--as", "mali-events", "--json")};
    struct program guessed = {.args = PROGRAM_ARGS("replay", path, "--json")};
    char *want = e2e_call(&told, 0), *got = e2e_call(&guessed, 0);
    assert_string_equal(got, want);
    free(got);
    snprintf(from, sizeof from, "cat '%s'", path);
    got = piped(from, "replay - --json", 0);
    assert_string_equal(got, want);
    free(got);
    snprintf(from, sizeof from, "{ head -c 7 '%s'; sleep 0.2; tail -c +8 '%s'; }", path, path);
    got = piped(from, "replay - --json", 0);
    assert_string_equal(got, want);
    free(got);
    free(want);
    free(piped("echo 12", "replay - 2>&1", 1));
    char *no = piped("printf '1 2 3\\n'", "replay - 2>&1", 1);
    assert_non_null(strstr(no, "not a gwtop trace"));
    free(no);
    free(path);
    scratch_remove(dir);
}

static void once_as_text(void **state) {
    (void)state;
    char *dir = scratch_make();
    char *path = path_join(dir, "events"), *page = path_join(dir, "page.html");
    file_write(path, small_log, sizeof small_log - 1);
    struct program p = {.args = PROGRAM_ARGS("replay", path, "--once", "--sort", "PW")};
    char *text = e2e_call(&p, 0);
    assert_non_null(strstr(text, "Mali-400/450"));
    assert_non_null(strstr(text, "1.07 PW")); /* 0.0104 PWs in 9.7 ms */
    const char *first = strstr(text, "\n     71 "), *second = strstr(text, "\n     70 ");
    assert_true(first && second && first < second && strstr(text, "\n     72 ") > second);
    free(text);
    struct program r = {.args = PROGRAM_ARGS("report", path, "-d", "2ms", "-o", page)};
    size_t size = 0;
    free(e2e_call(&r, 0));
    text = file_read(page, &size);
    assert_non_null(strstr(text, "Mali-400/450"));
    free(text);
    free(page);
    free(path);
    scratch_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),           cmocka_unit_test(options_reach_it),
        cmocka_unit_test(one_stop),          cmocka_unit_test(refusals),
        cmocka_unit_test(a_long_recording),  cmocka_unit_test(replays),
        cmocka_unit_test(small_log_replays), cmocka_unit_test(worked_example_replays),
        cmocka_unit_test(kind_is_guessed),   cmocka_unit_test(once_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
