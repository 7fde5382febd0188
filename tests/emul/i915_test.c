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

/* ---- what is shown is what happened ---------------------------------------------------------- */

/* What a context had while it was at work, over all its time: a single tick may have next to nothing of it. */
static void assert_context_counters(json_t *ticks, unsigned id, const char *name, double want) {
    double before_s = 0, sum = 0;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        json_t *c = i915rig_context(tick, id);
        double s = number_at(c, "busy_s");
        if (!c || isnan(s) || s <= before_s)
            continue;
        sum += (s - before_s) * number_at(json_object_get(c, "counters"), name);
        before_s = s;
    }
    if (!(before_s > 0 && fabs(sum / before_s - want) <= 1))
        fail_msg("context %#x: %s is %g in %g s, not %g", id, name, sum / before_s, before_s, want);
}

/* Its time so far, in each tick what was delivered by then. */
static void assert_context(json_t *ticks, const struct i915rig *r, unsigned id, double active) {
    char key[16];
    size_t i;
    json_t *tick;
    double last_s = 0;
    snprintf(key, sizeof key, "ctx%#x", id);
    json_array_foreach(ticks, i, tick) {
        json_t *c = i915rig_context(tick, id);
        double s = c ? number_at(c, "busy_s") : last_s;
        if (s < last_s || !(s == 0 || i915rig_has(r, "SUM", key, s * 1e9, 5e4)))
            fail_msg("%s: %.9f s after %.9f s; in the end it had %.0f ns", key, s, last_s,
                     i915rig_number(r, "SUM", key));
        last_s = s;
    }
    double want = i915rig_delivered(ticks, r, key);
    if (!(fabs(last_s * 1e9 - want) <= 5e4))
        fail_msg("%s: %.9f s; it had %.0f ns", key, last_s, want);
    assert_context_counters(ticks, id, "GpuBusy", 100);
    assert_context_counters(ticks, id, "EuActive", active);
    assert_context_counters(ticks, id, "EuStall", 20);
}

static void assert_contexts(json_t *ticks, const struct i915rig *r, unsigned shift) {
    size_t i;
    json_t *tick;
    assert_context(ticks, r, 1U << shift, 60);
    assert_context(ticks, r, 2U << shift, 40);
    json_array_foreach(ticks, i, tick) {
        assert_null(i915rig_context(tick, UINT32_MAX));
        assert_null(i915rig_context(tick, 3U << shift));
    }
}

/* Shares of the time that was delivered, off by no more than counters round in each interval. */
static void assert_rates(json_t *ticks, const struct i915rig *r, double samplers, double core_hz) {
    double span = i915rig_delivered(ticks, r, "span"),
           busy = i915rig_delivered(ticks, r, "busy") / span,
           active = i915rig_delivered(ticks, r, "active") / span;
    const struct {
        const char *name;
        double want;
    } rates[] = {{"counter.GpuBusy", busy * 100},
                 {"counter.EuActive", active * 100},
                 {"counter.EuStall", busy * 20},
                 {"counter.SamplersBusy", samplers * busy * 100},
                 {"counter.GtiReadThroughput", busy * 12.8e9},
                 {"counter.GtiWriteThroughput", busy * 3.2e9},
                 {"counter.AvgGpuCoreFrequency", core_hz},
                 {"activity.gfx", busy * 100}};
    assert_true(busy > 0.2 && busy < 0.6); /* 40 % at work, in cycles of 40 ms */
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double have = i915rig_mean(ticks, r, rates[i].name);
        if (!(fabs(have - rates[i].want) <= rates[i].want / 100))
            fail_msg("%s: %s is %g, not %g", r->platform, rates[i].name, have, rates[i].want);
    }
}

/* Ticks that end in the middle of a turn: a context's time is the GPU's, whenever the program
 * looked. */
static void contexts_have_their_gpu_time(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    i915rig_script(&r, "cycle_ms=70;busy=90");
    json_t *ticks = i915rig_looked(&r, "130ms", 6);
    assert_contexts(ticks, &r, 5);
    json_decref(ticks);
    i915rig_finish(&r);
}

static void shows_what_happened(const char *platform, double samplers, double core_hz,
                                unsigned shift) {
    struct i915rig r = i915rig_make(platform, SETS_BASIC);
    json_t *ticks = i915rig_looked(&r, "240ms", 3);
    assert_rates(ticks, &r, samplers, core_hz);
    i915rig_assert_sums(ticks, &r);
    if (shift > 0)
        assert_contexts(ticks, &r, shift);
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

/* In each tick that has it, and in some. */
static void assert_always(json_t *ticks, const struct i915rig *r, const char *name, double want) {
    unsigned known = 0;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        double have = i915rig_value(tick, r, name);
        if (!isnan(have) && !(fabs(have - want) < 0.01))
            fail_msg("tick %zu: %s is %g, not %g", i, name, have, want);
        known += isnan(have) ? 0 : 1;
    }
    assert_true(known > 0);
}

/* An idle GPU is at 0, not unknown; one that never rests at 100. */
static void both_ends_of_the_scale(void **state) {
    (void)state;
    size_t i;
    json_t *tick;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    i915rig_script(&r, "busy=0");
    json_t *ticks = i915rig_looked(&r, "200ms", 2);
    assert_always(ticks, &r, "counter.GpuBusy", 0);
    json_array_foreach(ticks, i, tick) assert_null(i915rig_context(tick, 0x20));
    json_decref(ticks);
    i915rig_script(&r, "busy=100;contexts=1");
    ticks = i915rig_looked(&r, "200ms", 2);
    assert_always(ticks, &r, "counter.GpuBusy", 100);
    assert_context_counters(ticks, 0x20, "GpuBusy", 100);
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

static void assert_eu_active(json_t *ticks, const struct i915rig *r) {
    double want = 100 * i915rig_delivered(ticks, r, "active") / i915rig_delivered(ticks, r, "span");
    double have = i915rig_mean(ticks, r, "counter.EuActive");
    if (!(want > 0 && fabs(have - want) <= want / 100))
        fail_msg("%s: EUs are active for %g %%, not %g %%", r->platform, have, want);
}

static bool is_ever_known(json_t *ticks, const struct i915rig *r, const char *name) {
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        if (!isnan(i915rig_value(tick, r, name)))
            return true;
    }
    return false;
}

/* Where no set is there one is uploaded, and taken away again. What wants the multiplexer is not there. */
static void a_set_is_lent(void **state) {
    static const char *const platforms[] = {"skl", "tgl", "dg2"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct i915rig r = i915rig_make(platforms[i], SETS_EMPTY);
        json_t *ticks = i915rig_looked(&r, "240ms", 2);
        i915rig_assert_sums(ticks, &r);
        assert_eu_active(ticks, &r);
        assert_false(is_ever_known(ticks, &r, "counter.SamplersBusy"));
        assert_false(is_ever_known(ticks, &r, "counter.GtiWriteThroughput"));
        assert_int_equal(i915rig_count(&r, "added"), 1);
        assert_int_equal(i915rig_count(&r, "removed"), 1);
        i915rig_assert_clean(&r);
        json_decref(ticks);
        i915rig_finish(&r);
    }
}

/* The kernel's own set programs other EU counters than those that are shown: they are not, or under a set that was
 * lent. */
static void the_test_set_is_not_taken_for_another(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_TEST);
    json_t *ticks = i915rig_looked(&r, "240ms", 2);
    i915rig_assert_sums(ticks, &r);
    if (is_ever_known(ticks, &r, "counter.EuActive"))
        assert_eu_active(ticks, &r);
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
    emulrig_await_screen(&r->emul, t, "SUM", 2);
    if (by_key)
        terminal_send(t, "q");
    else
        terminal_hang_up(t);
    (void)terminal_wait(t, PROGRAM_PATIENCE_S, &late);
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
    assert_contexts(ticks, &r, 5);
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
