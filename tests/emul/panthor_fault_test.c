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
#include <time.h>

#define LOOK(ticks, delay) PROGRAM_ARGS("--counters", "--json", "-n", ticks, "-d", delay)

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

static void end_all(struct runs *a, const char *const *scripts) {
    for (size_t i = 0; i < a->count; i++) {
        int status = emulrig_end(a->pid[i]);
        if (status != 0 || emulrig_count(&a->r[i], "MISUSE") > 0)
            fail_msg("%s: status %d, misuses %u", scripts[i], status,
                     emulrig_count(&a->r[i], "MISUSE"));
        a->ticks[i] = emulrig_out_ticks(&a->r[i]);
    }
}

static void drop_all(struct runs *a) {
    for (size_t i = 0; i < a->count; i++) {
        json_decref(a->ticks[i]);
        emulrig_finish(&a->r[i]);
    }
    emulrig_finish(&a->machine);
}

static double busy_in(const struct runs *a, size_t i, size_t tick) {
    return emulrig_value(json_array_get(a->ticks[i], tick), &a->r[i], "counter.gpu_busy");
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
/* Why counter.gpu_busy is not there; NULL: any word. */
static const char *const whys[] = {"denied",      "unsupported", "unsupported", "unsupported",
                                   "unsupported", "unsupported", "unsupported", "unknown",
                                   "unknown",     "unsupported", NULL};

static void what_cannot_be_is_told(void **state) {
    (void)state;
    struct runs a;
    size_t count = sizeof impossible / sizeof impossible[0];
    start_all(&a, impossible, count, LOOK("3", "120ms"));
    end_all(&a, impossible);
    for (size_t i = 0; i < count; i++) {
        json_t *last = json_array_get(a.ticks[i], 2);
        const char *why = text_at(emulrig_metric(last, &a.r[i], "counter.gpu_busy"), "why");
        for (size_t k = 0; k < 3; k++)
            assert_true(isnan(busy_in(&a, i, k)));
        if (whys[i] ? strcmp(why, whys[i]) != 0 : !*why)
            fail_msg("%s: %s", impossible[i], why);
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
    free(emulrig_run(
        &r, PROGRAM_ARGS("--counters", "--log", log, "--json", "-n", "2", "-d", "100ms"), 0, NULL));
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

/* What a fault takes away is not shown; what is shown is right, and comes back. */
static void faults_that_pass_do_no_harm(void **state) {
    (void)state;
    struct runs a;
    size_t count = sizeof passing / sizeof passing[0];
    start_all(&a, passing, count, LOOK("8", "120ms"));
    end_all(&a, passing);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 8; k++)
            if (!isnan(busy_in(&a, i, k)) && !(fabs(busy_in(&a, i, k) - 60) < 0.5))
                fail_msg("%s: %g in tick %zu", passing[i], busy_in(&a, i, k), k);
        if (isnan(busy_in(&a, i, 7)) && isnan(busy_in(&a, i, 6)))
            fail_msg("%s: nothing in the end", passing[i]);
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
    start_all(&a, scripts, 3, LOOK("8", "120ms"));
    end_all(&a, scripts);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 8; k++)
            assert_true(isnan(busy_in(&a, i, k)) ||
                        (busy_in(&a, i, k) >= 0 && busy_in(&a, i, k) < 60.5));
        assert_true(fabs(busy_in(&a, i, 7) - 60) < 0.5);
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
    start_all(&a, scripts, 4, LOOK("12", "100ms"));
    end_all(&a, scripts);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(json_array_size(a.ticks[i]), 12);
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
    start_all(&a, scripts, COUNT, LOOK("10", "200ms"));
    end_all(&a, scripts);
    for (size_t i = 0; i < COUNT; i++) {
        double last_s = 0;
        unsigned known = 0;
        assert_int_equal(json_array_size(a.ticks[i]), 10);
        for (size_t k = 0; k < 10; k++)
            known += isnan(busy_in(&a, i, k)) ? 0 : 1;
        if (known > 4)
            fail_msg("%s: busy was said in %u ticks, of three samples", scripts[i], known);
        for (size_t k = 1; k < 10; k++) {
            double s = number_at(json_array_get(a.ticks[i], k), "interval_s");
            last_s = s > last_s ? s : last_s;
        }
        if (last_s > 0.9 || !isnan(busy_in(&a, i, 9)))
            fail_msg("%s: a tick took %g s; busy is still %g", scripts[i], last_s,
                     busy_in(&a, i, 9));
        assert_in_range(emulrig_count(&a.r[i], "TEARDOWN"), 0, 1);
        assert_int_equal(emulrig_count(&a.r[i], "LEFT mapping"), 0);
        assert_int_equal(emulrig_count(&a.r[i], "END"), 1);
    }
    drop_all(&a);
}

/* A place in the ring that is none is no word about STOP's sample: that is waited for all the same. */
static void a_corrupt_index_ends_it_well(void **state) {
    static const char *const scripts[] = {"version=v6;corrupt=2;stop_us=50000",
                                          "version=v6;corrupt=1;stop_us=300000",
                                          "version=v5;corrupt=2;stop_us=50000"};
    (void)state;
    struct runs a;
    start_all(&a, scripts, 3, LOOK("8", "120ms"));
    end_all(&a, scripts);
    for (size_t i = 0; i < 3; i++) {
        assert_true(isnan(busy_in(&a, i, 7)));
        assert_int_equal(emulrig_count(&a.r[i], "STOP session=0: 0"), 1);
        assert_int_equal(emulrig_count(&a.r[i], "TEARDOWN session=0: 0"), 1);
        emulrig_assert_clean(&a.r[i]);
    }
    drop_all(&a);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
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
    for (int i = 0; i < 400 && emulrig_count(&r, "HANG") < 1; i++)
        terminal_pump(t, 0.01, 0.05);
    double began = now_s();
    terminal_send(t, "q");
    (void)terminal_wait(t, 20, &late);
    assert_false(late);
    assert_true(now_s() - began < 2.5);
    assert_int_equal(emulrig_count(&r, "MISUSE"), 0);
    terminal_finish(t);
    free((void *)p.args);
    emulrig_finish(&r);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void wait_for_sample(const struct emulrig *r) {
    for (int k = 0; k < 2000 && emulrig_count(r, "EMIT") < 2; k++)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    assert_true(emulrig_count(r, "EMIT") >= 2);
}

static void assert_knob(const struct emulrig *r, const char *want) {
    char *path = e2e_path(&r->e, "sys/devices/platform/fb000000.gpu/profiling"),
         *have = file_read(path, NULL);
    assert_non_null(have);
    assert_true(strncmp(have, want, strlen(want)) == 0);
    free(have);
    free(path);
}

/* Sent a little after a sample came, so that none is under way. */
static void any_end_leaves_nothing(void **state) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT};
    static const char *const versions[] = {"v4", "v5", "v6", "rebased"};
    enum { ENDS = 6 };
    (void)state;
    struct emulrig r[ENDS];
    pid_t pid[ENDS];
    for (size_t i = 0; i < ENDS; i++) {
        emulrig_panthor(&r[i]);
        emulrig_script(&r[i], "version=%s;stop_us=50000", versions[i % 4]);
        pid[i] = emulrig_start(
            &r[i], PROGRAM_ARGS("--counters", "--set-profiling", "--json", "-d", "200ms"));
    }
    for (size_t i = 0; i < ENDS; i++) {
        wait_for_sample(&r[i]);
        assert_knob(&r[i], "3");
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
        assert_knob(&r[i], "0");
        emulrig_finish(&r[i]);
    }
}

/* While a request is out STOP is refused: a crash waits for its sample first. */
static void a_crash_waits_for_what_is_under_way(void **state) {
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGSEGV, SIGBUS};
    static const char *const versions[] = {"v4", "v5", "v6", "rebased"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct emulrig r;
        emulrig_panthor(&r);
        emulrig_script(&r, "version=%s;latency_us=85000", versions[i]);
        pid_t pid = emulrig_start(&r, PROGRAM_ARGS("--counters", "--json", "-d", "200ms"));
        for (int k = 0; k < 2000 && emulrig_count(&r, "SAMPLE session=0: 0") < 2; k++)
            nanosleep(&(struct timespec){0, 2000000}, NULL);
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
        cmocka_unit_test(a_corrupt_index_ends_it_well),
        cmocka_unit_test(a_hang_does_not_stop_the_screen),
        cmocka_unit_test(any_end_leaves_nothing),
        cmocka_unit_test(a_crash_waits_for_what_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
