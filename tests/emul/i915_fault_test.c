/*
 * The real program with --counters beside an emulated i915 that fails: whatever does is survived,
 * told and left out of the sums; nothing of the interface is misused and nothing is left behind,
 * however the program ends.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "i915rig.h"
#include "ndjson.h"
#include "scratch.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK(ticks, delay) PROGRAM_ARGS("--counters", "--json", "-n", ticks, "-d", delay)

/* ---- what is not allowed or not there -------------------------------------------------------- */

static void assert_nothing_shown(json_t *ticks, const struct i915rig *r) {
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        assert_true(isnan(i915rig_value(tick, r, "counter.GpuBusy")));
        assert_true(isnan(i915rig_value(tick, r, "counter.EuActive")));
        assert_null(i915rig_context(tick, 0x20));
        assert_int_equal(json_array_size(json_object_get(tick, "processes")) > 0, 1);
    }
}

/* What the device says became of its session. */
static void assert_counters(json_t *tick, const char *want) {
    json_t *device = json_array_get(json_object_get(tick, "devices"), 0);
    assert_string_equal(text_at(device, "counters"), want);
}

static void what_cannot_be_is_told(void **state) {
    static const struct {
        const char *platform;
        enum i915_sets sets;
        const char *script;
        const char *why; /* of counter.GpuBusy */
        const char *counters;
    } cases[] = {
        {"skl", SETS_BASIC, "paranoid=1", "denied", "denied"},
        {"skl", SETS_EMPTY, "paranoid=1", "denied", "denied"},
        {"skl", SETS_BASIC, "deny=1", "denied", "denied"},
        {"skl", SETS_BASIC, "other=1000", "unknown", "busy"},
        {"skl", SETS_BASIC, "no_unit=1", "unsupported", "unsupported"},
        {"skl", SETS_NONE, "", "unsupported", "unsupported"},
        {"hsw", SETS_EMPTY, "", "unsupported",
         "unsupported"}, /* no set works without the multiplexer */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct i915rig r = i915rig_make(cases[i].platform, cases[i].sets);
        i915rig_script(&r, cases[i].script);
        json_t *ticks = i915rig_ticks(&r, LOOK("3", "100ms"));
        assert_nothing_shown(ticks, &r);
        json_t *busy = i915rig_metric(json_array_get(ticks, 2), &r, "counter.GpuBusy");
        assert_string_equal(text_at(busy, "why"), cases[i].why);
        assert_counters(json_array_get(ticks, 2), cases[i].counters);
        i915rig_assert_clean(&r);
        json_decref(ticks);
        i915rig_finish(&r);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Where the end of a stream may come before a tick shows what it gave. */
static json_t *look_until_told(const struct i915rig *r) {
    pid_t pid = emulrig_start(&r->emul, PROGRAM_ARGS("--counters", "--json", "-d", "100ms"));
    assert_int_equal(emulrig_end_after(&r->emul, pid, "SUM", 3), 0);
    return emulrig_out_ticks(&r->emul);
}

/* Nothing above what can be, and sums that hold for all that could be told. */
static void faults_are_survived(void **state) {
    static const struct {
        const char *script;
        bool whole; /* every interval between two reports is accounted for */
    } cases[] = {
        {"lost=5;lost_each=9", true},
        {"overflow=40;lost=5", true},
        {"eagain=3;eintr=2;false_poll=5", true},
        {"twin=30;partial=1", true},
        {"blank=30", false},
        {"lost=5;overflow=50;eio=12;die=20;partial=1", false},
        {"revision=0;no_topology=1;no_oa_rate=1;no_cs_rate=1", true},
        {"revision=1;no_oa_rate=1", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct i915rig r = i915rig_make("skl", SETS_BASIC);
        i915rig_script(&r, cases[i].script);
        print_message("# %s\n", cases[i].script);
        json_t *ticks = cases[i].whole ? i915rig_looked(&r, "100ms", 1) : look_until_told(&r);
        if (cases[i].whole)
            i915rig_assert_sums(ticks, &r);
        struct i915rig_sums s = i915rig_sum(ticks, &r);
        assert_true(s.busy_s <= s.time_s);
        assert_true(s.time_s * 1e9 <= i915rig_number(&r, "TOTAL", "span") + 2000);
        i915rig_assert_clean(&r);
        json_decref(ticks);
        i915rig_finish(&r);
    }
}

static bool is_lost(json_t *tick) {
    json_t *device = json_array_get(json_object_get(tick, "devices"), 0);
    return strcmp(text_at(device, "counters"), "lost") == 0;
}

static void assert_no_figures(json_t *tick, const struct i915rig *r) {
    static const char *const names[] = {"counter.GpuBusy", "counter.GpuTime", "counter.EuActive",
                                        "counter.A0", "activity.gfx"};
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++)
        if (!isnan(i915rig_value(tick, r, names[k])))
            fail_msg("%s: %s is still %g", r->emul.env[1], names[k],
                     i915rig_value(tick, r, names[k]));
    json_t *context = i915rig_context(tick, 0x20);
    if (context)
        assert_true(json_is_null(json_object_get(context, "busy_pct")));
}

/* How many ticks say that it is lost, in a run that had figures before; 0: it died before any. */
static unsigned lost_ticks(const struct i915rig *r) {
    json_t *ticks = i915rig_ticks(r, LOOK("30", "100ms")), *tick;
    unsigned lost = 0;
    size_t i;
    json_array_foreach(ticks, i, tick) {
        if (!isnan(i915rig_value(tick, r, "counter.GpuBusy")))
            assert_counters(tick, "held");
        if (!is_lost(tick))
            continue;
        assert_no_figures(tick, r);
        lost++;
    }
    json_decref(ticks);
    return i915rig_count(r, "SUM") > 0 ? lost : 0;
}

/* What was said before it died is not said again; 5 s later there may be another. What reads bring in a tick, and
 * whether it ends in the same, is a matter of time. */
static void a_dead_stream_leaves_no_figures(void **state) {
    static const char *const scripts[] = {"die=4", "gone=4", "eio=4"};
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct i915rig r = i915rig_make("skl", SETS_BASIC);
        unsigned lost = 0;
        for (unsigned tries = 0; lost == 0 && tries < 20; tries++) {
            i915rig_script(&r, scripts[i]);
            lost = lost_ticks(&r);
            i915rig_assert_clean(&r);
        }
        assert_true(lost > 0);
        i915rig_finish(&r);
    }
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void any_end_leaves_nothing(void **state) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    (void)state;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct i915rig r = i915rig_make("skl", SETS_EMPTY);
        struct program p = i915rig_program(&r, PROGRAM_ARGS("--counters", "--json", "-d", "100ms"));
        bool late = false;
        pid_t pid = program_start(&p, null, null);
        emulrig_await(&r.emul, "read", 1);
        assert_int_equal(kill(pid, numbers[i]), 0);
        (void)program_wait(pid, PROGRAM_PATIENCE_S, &late);
        assert_false(late);
        assert_int_equal(i915rig_count(&r, "stream close"), 1);
        assert_int_equal(i915rig_count(&r, "removed"), 1);
        i915rig_assert_clean(&r);
        free((void *)p.args);
        i915rig_finish(&r);
    }
    close(null);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(faults_are_survived),
        cmocka_unit_test(a_dead_stream_leaves_no_figures),
        cmocka_unit_test(any_end_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
