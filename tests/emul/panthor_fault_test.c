/*
 * The real program with --counters beside an emulated panthor that fails: whatever does is survived,
 * told and left out of the figures; nothing of the interface is misused, and a session is stopped and
 * torn down once, however the program ends.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulrig.h"
#include "ndjson.h"
#include "scratch.h"
#include "terminal.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LOOK(delay) PROGRAM_ARGS("--counters", "--json", "-d", delay)
#define BUSY        "counter.gpu_busy"

enum { MOST = 24 };

/* One run for each script, all at once. */
struct runs {
    struct emulrig machine;
    size_t count;
    struct emulrig r[MOST];
    pid_t pid[MOST];
    json_t *ticks[MOST];
};

static void start_all(struct runs *a, const char *const *scripts, size_t count,
                      const char *const *args) {
    assert_in_range(count, 1, MOST);
    *a = (struct runs){.count = count};
    emulrig_panthor(&a->machine);
    for (size_t i = 0; i < count; i++) {
        emulrig_share(&a->r[i], &a->machine);
        emulrig_script(&a->r[i], "%s", scripts[i]);
        a->pid[i] = emulrig_start(&a->r[i], args);
    }
}

static void take_ticks(struct runs *a, size_t i, int status) {
    if (status != 0 || emulrig_count(&a->r[i], "MISUSE") > 0)
        fail_msg("%s: status %d, misuses %u", a->r[i].env[1], status,
                 emulrig_count(&a->r[i], "MISUSE"));
    a->ticks[i] = emulrig_out_ticks(&a->r[i]);
}

static void drop_all(struct runs *a) {
    for (size_t i = 0; i < a->count; i++) {
        json_decref(a->ticks[i]);
        emulrig_finish(&a->r[i]);
    }
    emulrig_finish(&a->machine);
}

/* Each tick that says how busy the GPU is says so much; rates of version 4 may be too high a little. */
static void assert_busy(const struct runs *a, size_t i, double least, double most) {
    const struct emulrig *r = &a->r[i];
    size_t k;
    json_t *tick;
    most *= emulrig_panthor_excess(r);
    json_array_foreach(a->ticks[i], k, tick) {
        double busy = emulrig_value(tick, r, BUSY);
        if (!isnan(busy) && !(busy >= least && busy <= most))
            fail_msg("%s: %g in tick %zu", r->env[1], busy, k);
    }
}

/* ---- what is not allowed or not there -------------------------------------------------------- */

static const char *const impossible[] = {"version=v5;deny=1",
                                         "version=plain",
                                         "version=plain-mmu",
                                         "version=plain-old",
                                         "version=v3",
                                         "version=v6;odd_size=1",
                                         "version=v6;header=64",
                                         "version=v5;taken=2",
                                         "version=v6;fail_setup=110",
                                         "version=plain;sync_zero=1",
                                         "version=v5;fail_setup=1"};
/* Why counter.gpu_busy is not there; "": any word. */
static const char *const whys[] = {"denied",
                                   "unsupported",
                                   "unsupported",
                                   "unsupported",
                                   "unsupported",
                                   "unsupported",
                                   "unsupported",
                                   "unknown",
                                   "unknown",
                                   "unsupported",
                                   ""};

static void what_cannot_be_is_told(void **state) {
    (void)state;
    struct runs a;
    size_t count = sizeof impossible / sizeof impossible[0], k;
    json_t *tick;
    start_all(&a, impossible, count, LOOK("120ms"));
    for (size_t i = 0; i < count; i++) {
        take_ticks(&a, i, emulrig_end_without(&a.r[i], a.pid[i], BUSY, whys[i], 2));
        json_array_foreach(a.ticks[i], k, tick)
            assert_true(isnan(emulrig_value(tick, &a.r[i], BUSY)));
        json_t *last = json_array_get(a.ticks[i], json_array_size(a.ticks[i]) - 1);
        assert_true(json_array_size(json_object_get(last, "processes")) > 0);
        emulrig_assert_clean(&a.r[i]);
        assert_int_equal(emulrig_count(&a.r[i], "TEARDOWN"), 0);
        assert_in_range(emulrig_count(&a.r[i], "SETUP"), 0, 1);
    }
    drop_all(&a);
}

static void taken_sessions_are_explained(void **state) {
    (void)state;
    struct emulrig r;
    emulrig_panthor(&r);
    emulrig_script(&r, "version=v4;taken=2");
    char *log = e2e_path(&r.e, "said");
    pid_t pid =
        emulrig_start(&r, PROGRAM_ARGS("--counters", "--log", log, "--json", "-d", "100ms"));
    assert_int_equal(emulrig_end_after(&r, pid, "SETUP", 1), 0);
    char *said = file_read(log, NULL);
    assert_non_null(said);
    assert_non_null(strstr(said, "sessions are taken"));
    free(said);
    free(log);
    emulrig_finish(&r);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const char *const passing[] = {
    "version=v4;empty=2",          "version=v4;empty_each=2", "version=v5;empty_each=3",
    "version=v6;empty=1",          "version=v4;merge=3",      "version=v6;merge=3",
    "version=v5;busy_once=4",      "version=v6;busy_once=2",  "version=v5;eintr=2",
    "version=v5;eintr=4",          "version=v6;eintr=3",      "version=v6;false_event=2",
    "version=v6;no_stamp=1",       "version=v5;no_rate=1",    "version=rebased;sync_zero=1",
    "version=v6;latency_us=40000", "version=v4;eintr=1",      "version=v6;eintr=1"};

/* What a fault takes away is not shown; what is shown is right, and comes back. Empty samples count too. */
static void faults_that_pass_do_no_harm(void **state) {
    (void)state;
    struct runs a;
    size_t count = sizeof passing / sizeof passing[0];
    start_all(&a, passing, count, LOOK("120ms"));
    for (size_t i = 0; i < count; i++) {
        emulrig_await(&a.r[i], "EM", 7);
        take_ticks(&a, i, emulrig_end_shown(&a.r[i], a.pid[i], BUSY, 1));
        assert_busy(&a, i, 59.5, 60.5);
        emulrig_assert_clean(&a.r[i]);
        assert_int_equal(emulrig_count(&a.r[i], "TEARDOWN"), 1);
    }
    drop_all(&a);
}

/* Counts are lost, which nobody tells: a figure that is too small, and right ones after. */
static void a_reset_is_survived(void **state) {
    static const char *const scripts[] = {"version=v4;reset=4;reset_ms=30",
                                          "version=v5;reset=3;reset_ms=70",
                                          "version=v6;reset=4;reset_ms=2"};
    (void)state;
    struct runs a;
    start_all(&a, scripts, 3, LOOK("120ms"));
    for (size_t i = 0; i < 3; i++) {
        emulrig_await(&a.r[i], "EMIT", 6);
        take_ticks(&a, i, emulrig_end_at(&a.r[i], a.pid[i], BUSY, 60, 0.5, 1));
        assert_busy(&a, i, 0, 60.5);
        assert_int_equal(emulrig_count(&a.r[i], "RESET"), 1);
        emulrig_assert_clean(&a.r[i]);
    }
    drop_all(&a);
}

/* Whatever stands in samples, ticks are lawful (each is looked at when it is read). */
static void any_bytes_are_survived(void **state) {
    static const char *const scripts[] = {"version=v4;junk=1", "version=v5;junk=3",
                                          "version=v6;gpu=g1;junk=2;shader_present=0xffff",
                                          "version=rebased;junk=4;fw_blocks=1"};
    (void)state;
    struct runs a;
    start_all(&a, scripts, 4, LOOK("100ms"));
    for (size_t i = 0; i < 4; i++) {
        take_ticks(&a, i, emulrig_end_after(&a.r[i], a.pid[i], "EM", 10));
        assert_true(json_array_size(a.ticks[i]) > 1);
        emulrig_assert_clean(&a.r[i]);
    }
    drop_all(&a);
}

/* From then on there is nothing; what was said before is not said for long, and ticks go on. */
static void what_hangs_or_goes_is_given_up(void **state) {
    static const char *const scripts[] = {
        "version=v4;hang=2",  "version=v5;hang=4",  "version=v6;hang=4",   "version=v5;hang=1",
        "version=v5;gone=1",  "version=v5;gone=3",  "version=v6;gone=8",   "version=v5;gone=12",
        "version=v5;gone=14", "version=v6;gone=18", "version=v5;corrupt=3"};
    enum { COUNT = sizeof scripts / sizeof scripts[0] };
    (void)state;
    struct runs a;
    start_all(&a, scripts, COUNT, LOOK("200ms"));
    for (size_t i = 0; i < COUNT; i++) {
        struct emulrig *r = &a.r[i];
        if (strstr(scripts[i], "corrupt"))
            emulrig_await(r, "EMIT", 3);
        else
            emulrig_await(r, strstr(scripts[i], "hang") ? "HANG" : "GONE", 1);
        take_ticks(&a, i, emulrig_end_without(r, a.pid[i], BUSY, "", 3));
        assert_busy(&a, i, 0, 60.5);
        assert_in_range(emulrig_count(r, "TEARDOWN"), 0, 1);
        assert_int_equal(emulrig_count(r, "LEFT mapping"), 0);
        assert_int_equal(emulrig_count(r, "END"), 1);
    }
    drop_all(&a);
}

/* Of the ticks of a run in which the GPU hangs, the longest, in s. */
static double longest_tick(void) {
    struct emulrig r;
    double longest = 0;
    size_t i;
    json_t *tick;
    emulrig_panthor(&r);
    emulrig_script(&r, "version=v5;hang=4");
    json_t *ticks =
        emulrig_ticks(&r, PROGRAM_ARGS("--counters", "--json", "-n", "10", "-d", "200ms"));
    assert_int_equal(json_array_size(ticks), 10);
    json_array_foreach(ticks, i, tick) {
        double s = number_at(tick, "interval_s");
        longest = s > longest ? s : longest;
    }
    json_decref(ticks);
    emulrig_finish(&r);
    return longest;
}

/* The answer is waited for for a second, but not by ticks. A slow machine makes some longer, not in each run. */
static void a_hang_does_not_stop_ticks(void **state) {
    (void)state;
    double s = longest_tick();
    for (int tries = 1; tries < 12 && s > 0.9; tries++)
        s = longest_tick();
    assert_true(s <= 0.9);
}

/* A place in the ring that is none is no word about STOP's sample: that is waited for all the same. */
static void a_corrupt_index_ends_it_well(void **state) {
    static const char *const scripts[] = {"version=v6;corrupt=2;stop_us=50000",
                                          "version=v6;corrupt=1;stop_us=300000",
                                          "version=v5;corrupt=2;stop_us=9000000"};
    (void)state;
    struct runs a;
    start_all(&a, scripts, 3, LOOK("120ms"));
    for (size_t i = 0; i < 3; i++) {
        emulrig_await(&a.r[i], "TEARDOWN", 1);
        take_ticks(&a, i, emulrig_end_without(&a.r[i], a.pid[i], BUSY, "", 2));
        assert_int_equal(emulrig_count(&a.r[i], "STOP session=0: 0"), 1);
        assert_int_equal(emulrig_count(&a.r[i], "TEARDOWN session=0: 0"), 1);
        emulrig_assert_clean(&a.r[i]);
    }
    drop_all(&a);
}

static void a_hang_does_not_stop_the_screen(void **state) {
    (void)state;
    struct emulrig r;
    bool late = false;
    emulrig_panthor(&r);
    emulrig_script(&r, "version=v5;hang=3");
    struct program p = emulrig_program(&r, PROGRAM_ARGS("--counters", "-d", "100ms"));
    struct terminal *t = terminal_start(&p, 30, 100);
    if (!t)
        skip();
    emulrig_await_screen(&r, t, "HANG", 1);
    terminal_send(t, "q");
    (void)terminal_wait(t, PROGRAM_PATIENCE_S, &late);
    assert_false(late);
    assert_int_equal(emulrig_count(&r, "MISUSE"), 0);
    terminal_finish(t);
    free((void *)p.args);
    emulrig_finish(&r);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Only version 6 waits for STOP's sample at the end; the others are to be torn down before it comes. */
static const char *const versions[] = {"version=v4;stop_us=9000000", "version=v5;stop_us=9000000",
                                       "version=v6;stop_us=50000",
                                       "version=rebased;stop_us=9000000"};

static bool knob_is(const struct emulrig *r, const char *want) {
    char *path = e2e_path(&r->e, "sys/devices/platform/fb000000.gpu/profiling"),
         *have = file_read(path, NULL);
    assert_non_null(have);
    bool is = strncmp(have, want, strlen(want)) == 0;
    free(have);
    free(path);
    return is;
}

/* Sent a little after a sample came, so that none is under way. */
static void any_end_leaves_nothing(void **state) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT};
    enum { ENDS = 6 };
    (void)state;
    struct emulrig r[ENDS];
    pid_t pid[ENDS];
    for (size_t i = 0; i < ENDS; i++) {
        emulrig_panthor(&r[i]);
        emulrig_script(&r[i], "%s", versions[i % 4]);
        pid[i] = emulrig_start(
            &r[i], PROGRAM_ARGS("--counters", "--set-profiling", "--json", "-d", "200ms"));
    }
    for (size_t i = 0; i < ENDS; i++) {
        emulrig_await(&r[i], "EMIT", 2);
        assert_true(knob_is(&r[i], "3"));
        assert_int_equal(kill(pid[i], numbers[i]), 0);
        int status = emulrig_end(pid[i]);
        bool crashed = numbers[i] == SIGSEGV || numbers[i] == SIGABRT;
        assert_int_equal(status, crashed ? 128 + numbers[i] : 0);
        assert_int_equal(emulrig_count(&r[i], "STOP session=0: 0"), 1);
        assert_int_equal(emulrig_count(&r[i], "TEARDOWN"), 1);
        assert_int_equal(emulrig_count(&r[i], "TEARDOWN session=0: 0"), 1);
        assert_int_equal(emulrig_count(&r[i], "MISUSE"), 0);
        assert_int_equal(emulrig_count(&r[i], "LEFT"), 0);
        assert_int_equal(emulrig_count(&r[i], "END"), !crashed);
        assert_true(knob_is(&r[i], "0"));
        emulrig_finish(&r[i]);
    }
}

/* While a request is out STOP is refused: a crash waits for its sample first. */
static void a_crash_waits_for_what_is_under_way(void **state) {
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGSEGV, SIGBUS};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct emulrig r;
        emulrig_panthor(&r);
        emulrig_script(&r, "%s;latency_us=400000", versions[i]);
        pid_t pid = emulrig_start(&r, PROGRAM_ARGS("--counters", "--json", "-d", "200ms"));
        emulrig_await(&r, "SAMPLE session=0: 0", 2);
        assert_int_equal(kill(pid, numbers[i]), 0);
        assert_int_equal(emulrig_end(pid), 128 + numbers[i]);
        assert_int_equal(emulrig_count(&r, "STOP session=0: 0"), 1);
        assert_int_equal(emulrig_count(&r, "STOP"), 1);
        assert_int_equal(emulrig_count(&r, "TEARDOWN session=0: 0"), 1);
        assert_int_equal(emulrig_count(&r, "TEARDOWN"), 1);
        assert_int_equal(emulrig_count(&r, "MISUSE"), 0);
        emulrig_finish(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(taken_sessions_are_explained),
        cmocka_unit_test(faults_that_pass_do_no_harm),
        cmocka_unit_test(a_reset_is_survived),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(what_hangs_or_goes_is_given_up),
        cmocka_unit_test(a_hang_does_not_stop_ticks),
        cmocka_unit_test(a_corrupt_index_ends_it_well),
        cmocka_unit_test(a_hang_does_not_stop_the_screen),
        cmocka_unit_test(any_end_leaves_nothing),
        cmocka_unit_test(a_crash_waits_for_what_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
