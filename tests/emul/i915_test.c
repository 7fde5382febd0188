/*
 * The real program with --counters beside an emulated i915: what it shows is what the GPU did, on
 * each platform and with each metric set; a recording of it plays the same; without the option
 * nothing is touched.
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
#include "terminal.h"
#include <stdio.h>
#include <stdlib.h>

#define LOOK(ticks, delay) PROGRAM_ARGS("--counters", "--json", "-n", ticks, "-d", delay)

/* ---- what is shown is what happened ---------------------------------------------------------- */

static void assert_contexts(json_t *tick, const struct i915rig *r, unsigned shift) {
    for (unsigned i = 0; i < 2; i++) {
        char key[16];
        json_t *c = i915rig_context(tick, (i + 1) << shift);
        assert_non_null(c);
        snprintf(key, sizeof key, "ctx%#x", (i + 1) << shift);
        if (!i915rig_has(r, "SUM", key, number_at(c, "busy_s") * 1e9, 5e4))
            fail_msg("%s: %.9f s; it had %.0f ns", key, number_at(c, "busy_s"),
                     i915rig_number(r, "SUM", key));
        /* What a context had while it was at work. */
        json_t *counters = json_object_get(c, "counters");
        assert_near(counters, "GpuBusy", 100, 1);
        assert_near(counters, "EuActive", i ? 40 : 60, 1);
        assert_near(counters, "EuStall", 20, 1);
    }
    assert_null(i915rig_context(tick, UINT32_MAX));
    assert_null(i915rig_context(tick, 3U << shift));
}

/* 40 % at work, in cycles of 40 ms; a tick's reports do not end with it, so that its share is off
 * a little. */
static void assert_rates(json_t *tick, const struct i915rig *r, double samplers, double core_hz) {
    const struct {
        const char *name;
        double want;
        double slack;
    } rates[] = {{"counter.GpuBusy", 40, 15},
                 {"counter.EuActive", 20, 8},
                 {"counter.EuStall", 8, 3},
                 {"counter.SamplersBusy", samplers * 40, 7},
                 {"counter.GtiReadThroughput", 5.12e9, 2e9},
                 {"counter.GtiWriteThroughput", 1.28e9, 0.5e9},
                 {"counter.AvgGpuCoreFrequency", core_hz, core_hz / 100},
                 {"activity.gfx", i915rig_value(tick, r, "counter.GpuBusy"), 0.001}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double have = i915rig_value(tick, r, rates[i].name);
        if (!(fabs(have - rates[i].want) <= rates[i].slack))
            fail_msg("%s: %s is %g, not %g", r->platform, rates[i].name, have, rates[i].want);
    }
}

/* Ticks that end in the middle of a turn: a context's time is the GPU's, whenever the program
 * looked. */
static void contexts_have_their_gpu_time(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    i915rig_script(&r, "cycle_ms=70;busy=90");
    json_t *ticks = i915rig_ticks(&r, LOOK("8", "130ms"));
    assert_contexts(json_array_get(ticks, 7), &r, 5);
    json_decref(ticks);
    i915rig_finish(&r);
}

static void shows_what_happened(const char *platform, double samplers, double core_hz,
                                unsigned shift) {
    struct i915rig r = i915rig_make(platform, SETS_BASIC);
    json_t *ticks = i915rig_ticks(&r, LOOK("4", "240ms"));
    assert_int_equal(json_array_size(ticks), 4);
    assert_rates(json_array_get(ticks, 3), &r, samplers, core_hz);
    i915rig_assert_sums(ticks, &r);
    if (shift > 0)
        assert_contexts(json_array_get(ticks, 3), &r, shift);
    assert_int_equal(i915rig_count(&r, "added"), 0); /* there was a better one */
    i915rig_assert_clean(&r);
    json_decref(ticks);
    i915rig_finish(&r);
}

static void skylake_shows_what_happened(void **state) {
    (void)state;
    shows_what_happened("skl", 0.45, 1e9, 5);
}

static void haswell_shows_what_happened(void **state) {
    (void)state;
    shows_what_happened("hsw", 0.375, 1e9, 0);
}

static void tigerlake_shows_what_happened(void **state) {
    (void)state;
    shows_what_happened("tgl", 0.45, 1.3e9, 5);
}

static void arc_shows_what_happened(void **state) {
    (void)state;
    shows_what_happened("dg2", 0.45, 2e9, 7);
}

/* An idle GPU is at 0, not unknown; one that never rests at 100. */
static void both_ends_of_the_scale(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    i915rig_script(&r, "busy=0");
    json_t *ticks = i915rig_ticks(&r, LOOK("3", "200ms"));
    assert_true(fabs(i915rig_value(json_array_get(ticks, 2), &r, "counter.GpuBusy")) < 1e-9);
    assert_null(i915rig_context(json_array_get(ticks, 2), 0x20));
    json_decref(ticks);
    i915rig_script(&r, "busy=100;contexts=1");
    ticks = i915rig_ticks(&r, LOOK("3", "200ms"));
    assert_true(fabs(i915rig_value(json_array_get(ticks, 2), &r, "counter.GpuBusy") - 100) < 0.01);
    assert_near(json_object_get(i915rig_context(json_array_get(ticks, 2), 0x20), "counters"),
                "GpuBusy", 100, 0.01);
    i915rig_assert_clean(&r);
    json_decref(ticks);
    i915rig_finish(&r);
}

/* ---- only when asked for --------------------------------------------------------------------- */

static void nothing_is_opened_unasked(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    const char *const *const calls[] = {PROGRAM_ARGS("--json", "-n", "3", "-d", "100ms"),
                                        PROGRAM_ARGS("--once"), PROGRAM_ARGS("--list")};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        free(i915rig_run(&r, calls[i], 0, NULL));
    assert_int_equal(i915rig_count(&r, "LOADED"), 3);
    assert_int_equal(i915rig_count(&r, "open"), 0);
    i915rig_finish(&r);
}

/* ---- metric sets ----------------------------------------------------------------------------- */

/* Where no set is there one is uploaded, and taken away again. */
static void a_set_is_lent(void **state) {
    static const char *const platforms[] = {"skl", "tgl", "dg2"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct i915rig r = i915rig_make(platforms[i], SETS_EMPTY);
        json_t *ticks = i915rig_ticks(&r, LOOK("3", "240ms")), *last = json_array_get(ticks, 2);
        i915rig_assert_sums(ticks, &r);
        assert_true(fabs(i915rig_value(last, &r, "counter.EuActive") - 20) < 15);
        assert_true(
            isnan(i915rig_value(last, &r, "counter.SamplersBusy"))); /* wants the multiplexer */
        assert_true(isnan(i915rig_value(last, &r, "counter.GtiWriteThroughput")));
        assert_int_equal(i915rig_count(&r, "added"), 1);
        assert_int_equal(i915rig_count(&r, "removed"), 1);
        i915rig_assert_clean(&r);
        json_decref(ticks);
        i915rig_finish(&r);
    }
}

/* The kernel's own set programs other EU counters than those that are shown. */
static void the_test_set_is_not_taken_for_another(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_TEST);
    json_t *ticks = i915rig_ticks(&r, LOOK("3", "240ms")), *last = json_array_get(ticks, 2);
    double active = i915rig_value(last, &r, "counter.EuActive");
    i915rig_assert_sums(ticks, &r);
    assert_true(isnan(active) || fabs(active - 20) < 15); /* the latter under a set of its own */
    i915rig_assert_clean(&r);
    json_decref(ticks);
    i915rig_finish(&r);
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void end_screen(const struct i915rig *r, bool by_key) {
    struct program p = i915rig_program(r, PROGRAM_ARGS("--counters", "-d", "100ms"));
    struct terminal *t = terminal_start(&p, 30, 100);
    bool late = false;
    if (!t)
        skip();
    for (int i = 0; i < 400 && i915rig_count(r, "SUM") < 2; i++)
        terminal_pump(t, 0.01, 0.05);
    if (by_key)
        terminal_send(t, "q");
    else
        terminal_hang_up(t);
    (void)terminal_wait(t, 20, &late);
    assert_false(late);
    terminal_finish(t);
    free((void *)p.args);
}

static void the_screen_leaves_nothing(void **state) {
    (void)state;
    for (int by_key = 0; by_key < 2; by_key++) {
        struct i915rig r = i915rig_make("skl", SETS_EMPTY);
        end_screen(&r, by_key);
        assert_int_equal(i915rig_count(&r, "stream close"), 1);
        assert_int_equal(i915rig_count(&r, "removed"), 1);
        assert_int_equal(i915rig_count(&r, "MISUSE"), 0);
        i915rig_finish(&r);
    }
}

/* ---- recordings of gwtop --------------------------------------------------------------------- */

static void recording_plays_the_same(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    char *file = e2e_path(&r.emul.e, "out.gwt");
    free(i915rig_run(&r, PROGRAM_ARGS("record", "--counters", "-o", file, "-n", "4", "-d", "240ms"),
                     0, NULL));
    i915rig_assert_clean(&r);
    struct program replay = {.args =
                                 PROGRAM_ARGS("replay", file, "--speed", "max", "--json", "-b")};
    char *first = e2e_call(&replay, 0), *second = e2e_call(&replay, 0);
    assert_string_equal(first, second);
    json_t *ticks = ndjson_parse(first);
    assert_int_equal(json_array_size(ticks), 4);
    i915rig_assert_sums(ticks, &r);
    assert_contexts(json_array_get(ticks, 3), &r, 5);
    json_decref(ticks);
    free(first);
    free(second);
    free(file);
    i915rig_finish(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake_shows_what_happened),
        cmocka_unit_test(haswell_shows_what_happened),
        cmocka_unit_test(tigerlake_shows_what_happened),
        cmocka_unit_test(arc_shows_what_happened),
        cmocka_unit_test(contexts_have_their_gpu_time),
        cmocka_unit_test(both_ends_of_the_scale),
        cmocka_unit_test(nothing_is_opened_unasked),
        cmocka_unit_test(a_set_is_lent),
        cmocka_unit_test(the_test_set_is_not_taken_for_another),
        cmocka_unit_test(the_screen_leaves_nothing),
        cmocka_unit_test(recording_plays_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
