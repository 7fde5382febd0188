/*
 * The real program with --counters beside an emulated panthor: what it shows is what the GPU did, with
 * each posted version of the interface and each generation of GPU; a recording of it plays the same;
 * without the option nothing is touched.
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
#include <stdlib.h>
#include <string.h>

#define LOOK(delay) PROGRAM_ARGS("--counters", "--json", "-d", delay)

enum { IN_A_ROW = 3 }; /* ticks that have their figures before a run is ended */

/* ---- what is shown is what happened ---------------------------------------------------------- */

/* What the emulator does if nothing else is said. Counters and timestamps are whole numbers, so that
 * shares are off by less than a thousandth. */
static const struct figure {
    const char *name;
    double want;
    double slack;
    bool shader;
} figures[] = {
    {"counter.gpu_busy", 60, 0.1, false},
    {"counter.mcu_load", 2.7, 0.01, false},
    {"counter.fragment_queue", 85.6, 0.01, false},
    {"counter.compute_queue", 10.9, 0.01, false},
    {"counter.tiler_queue", 12.9, 0.01, false},
    {"counter.tiler", 12.2, 0.01, false},
    {"counter.shader_busy", 93.3, 0.01, true},
    {"counter.fragment_share", 90.5, 0.01, true},
    {"counter.non_fragment_share", 21.4, 0.01, true},
    {"counter.execution_core", 70, 0.01, true},
    {"counter.l2_read_miss", 25, 0.01, false},
    {"counter.l2_write_miss", 40, 0.01, false},
    {"counter.read_stall", 5, 0.01, false},
    {"counter.write_stall", 2, 0.01, false},
    {"counter.read_bandwidth", 976e6, 1e5, false},
    {"counter.write_bandwidth", 336e6, 1e5, false},
    {"activity.gfx", 60, 0.1, false},
};

static void assert_figure(json_t *tick, const struct emulrig *r, const struct figure *f) {
    double have = emulrig_value(tick, r, f->name);
    bool rate = strstr(f->name, "busy") || strstr(f->name, "bandwidth");
    double most = f->want * (rate && !f->shader ? emulrig_panthor_excess(r) : 1) + f->slack;
    if (!(have >= f->want - f->slack && have <= most))
        fail_msg("%s: %s is %g, not %g", r->env[1], f->name, have, f->want);
}

static void assert_figures(json_t *tick, const struct emulrig *r, bool shaders) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *f = &figures[i];
        if (shaders || !f->shader) {
            assert_figure(tick, r, f);
            continue;
        }
        assert_true(isnan(emulrig_value(tick, r, f->name)));
        assert_string_equal(text_at(emulrig_metric(tick, r, f->name), "why"), "unsupported");
    }
}

/* The cores differ by thousandths of the mean, which is right in the middle. */
static void assert_cores(json_t *tick, const struct emulrig *r, uint64_t present) {
    unsigned count = (unsigned)__builtin_popcountll(present), dense = 0;
    for (unsigned i = 0; i < 64; i++) {
        json_t *core = emulrig_part(tick, r, "counter.shader_busy", i);
        if (!(present >> i & 1)) {
            assert_null(core);
            continue;
        }
        double part = 1 + 0.001 * (50 / count) * (2.0 * dense++ - count + 1);
        assert_near(core, "value", part * 93.3, 0.01);
    }
}

struct look {
    const char *script;
    uint64_t cores; /* 0: none are told */
    struct emulrig r;
    pid_t pid;
};

/* Each tick that has figures has them right. Which ones do is a matter of when samples come. */
static void assert_look(json_t *ticks, const struct look *l) {
    unsigned known = 0;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        if (isnan(emulrig_value(tick, &l->r, "counter.gpu_busy")))
            continue;
        assert_figures(tick, &l->r, l->cores != 0);
        assert_cores(tick, &l->r, l->cores);
        known++;
    }
    assert_true(known >= IN_A_ROW);
}

static void all_show(struct look *looks, size_t count) {
    struct emulrig machine;
    emulrig_panthor(&machine);
    for (size_t i = 0; i < count; i++) {
        emulrig_share(&looks[i].r, &machine);
        emulrig_script(&looks[i].r, "%s", looks[i].script);
        looks[i].pid = emulrig_start(&looks[i].r, LOOK("250ms"));
    }
    for (size_t i = 0; i < count; i++) {
        struct look *l = &looks[i];
        assert_int_equal(emulrig_end_shown(&l->r, l->pid, "counter.gpu_busy", IN_A_ROW), 0);
        json_t *ticks = emulrig_out_ticks(&l->r);
        assert_look(ticks, l);
        emulrig_assert_clean(&l->r);
        assert_int_equal(emulrig_count(&l->r, "SETUP"), 1);
        assert_int_equal(emulrig_count(&l->r, "TEARDOWN"), 1);
        json_decref(ticks);
        emulrig_finish(&l->r);
    }
    emulrig_finish(&machine);
}

static void each_version_and_generation_shows_what_happened(void **state) {
    struct look looks[] = {
        {.script = "version=v4"},
        {.script = "version=v5;start=0"},
        {.script = "version=v6", .cores = 0x50005},
        {.script = "version=fork;shader_present=0x1110055;fw_blocks=1", .cores = 0x1110055},
        {.script = "version=rebased;slices=4;taken=1", .cores = 0x50005},
        {.script = "version=v6;gpu=g710", .cores = 0x50005},
        {.script = "version=v6;gpu=g715;shader_present=0xff", .cores = 0xff},
        {.script = "version=v6;gpu=g720", .cores = 0x50005},
        {.script = "version=v6;gpu=g725;fw_blocks=1", .cores = 0x50005},
        {.script = "version=v6;gpu=g1;shader_present=0xffffff", .cores = 0xffffff},
    };
    (void)state;
    all_show(looks, sizeof looks / sizeof looks[0]);
}

/* ---- other loads and clocks ------------------------------------------------------------------ */

/* Loads other than the usual one, all at once. */
static const struct {
    const char *script;
    double busy; /* in the end */
} loads[] = {
    /* The driver's cycle count is believed before devfreq, which says 500 MHz; older ones have none. */
    {"version=v6;clock_hz=400000000", 60},
    {"version=v5;clock_hz=400000000", 48},
    /* An idle GPU is at 0; one that never rests at 100. */
    {"version=v6;busy=0", 0},
    {"version=v5;busy=1000", 100},
    /* A change is seen in the ticks after it, and not before. */
    {"version=v5;busy=800;later_busy=100;later_ms=500", 10},
    {"version=v6;busy=800;later_busy=100;later_ms=500", 10},
};
enum { LOADS = sizeof loads / sizeof loads[0] };

static void assert_falls(json_t *ticks, const struct emulrig *r) {
    double before = 81;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        double busy = emulrig_value(tick, r, "counter.gpu_busy");
        if (!isnan(busy) && !(busy > 9.8 && busy < before + 0.2))
            fail_msg("tick %zu: %g after %g", i, busy, before);
        before = isnan(busy) ? before : busy;
    }
}

static void assert_steady(json_t *ticks, const struct emulrig *r, double want) {
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        double busy = emulrig_value(tick, r, "counter.gpu_busy");
        if (!isnan(busy) && !(fabs(busy - want) <= 0.2))
            fail_msg("%s: %g in tick %zu, not %g", r->env[1], busy, i, want);
    }
}

/* What is a share of nothing is unknown. */
static void assert_idle(json_t *ticks, const struct emulrig *r) {
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        if (isnan(emulrig_value(tick, r, "counter.gpu_busy")))
            continue;
        assert_true(emulrig_value(tick, r, "counter.read_bandwidth") == 0);
        assert_string_equal(text_at(emulrig_metric(tick, r, "counter.tiler"), "why"), "unknown");
        assert_string_equal(text_at(emulrig_metric(tick, r, "counter.shader_busy"), "why"),
                            "unknown");
    }
}

static void any_load_is_shown(void **state) {
    (void)state;
    struct emulrig machine, r[LOADS];
    pid_t pid[LOADS];
    emulrig_panthor(&machine);
    for (size_t i = 0; i < LOADS; i++) {
        emulrig_share(&r[i], &machine);
        emulrig_script(&r[i], "%s", loads[i].script);
        pid[i] = emulrig_start(&r[i], LOOK("120ms"));
    }
    for (size_t i = 0; i < LOADS; i++) {
        assert_int_equal(
            emulrig_end_at(&r[i], pid[i], "counter.gpu_busy", loads[i].busy, 0.2, IN_A_ROW), 0);
        json_t *ticks = emulrig_out_ticks(&r[i]);
        if (strstr(loads[i].script, "later"))
            assert_falls(ticks, &r[i]);
        else
            assert_steady(ticks, &r[i], loads[i].busy);
        if (loads[i].busy == 0)
            assert_idle(ticks, &r[i]);
        emulrig_assert_clean(&r[i]);
        json_decref(ticks);
        emulrig_finish(&r[i]);
    }
    emulrig_finish(&machine);
}

/* More samples than the ring has slots, and than version 4 lets it have: what goes on between STOP's
 * sample and START's is counted by nobody there, and no part of an interval. */
static void the_ring_goes_round(void **state) {
    static const char *const versions[] = {"v4", "v5", "v6"};
    static const struct figure busy = {"counter.gpu_busy", 60, 0.2, false};
    (void)state;
    struct emulrig r[3];
    pid_t pid[3];
    size_t k;
    json_t *tick;
    for (size_t i = 0; i < 3; i++) {
        emulrig_panthor(&r[i]);
        emulrig_script(&r[i], "version=%s", versions[i]);
        pid[i] = emulrig_start(&r[i], LOOK("100ms"));
    }
    for (size_t i = 0; i < 3; i++) {
        emulrig_await(&r[i], "EMIT", 13);
        assert_int_equal(emulrig_end_shown(&r[i], pid[i], busy.name, IN_A_ROW), 0);
        json_t *ticks = emulrig_out_ticks(&r[i]);
        json_array_foreach(ticks, k, tick) {
            if (!isnan(emulrig_value(tick, &r[i], busy.name)))
                assert_figure(tick, &r[i], &busy);
        }
        emulrig_assert_clean(&r[i]);
        assert_int_equal(emulrig_count(&r[i], "TEARDOWN"), 1);
        assert_true(i > 0 || emulrig_count(&r[i], "START") > 1);
        json_decref(ticks);
        emulrig_finish(&r[i]);
    }
}

/* ---- only when asked for --------------------------------------------------------------------- */

static void nothing_is_opened_unasked(void **state) {
    (void)state;
    struct emulrig r;
    emulrig_panthor(&r);
    const char *const *const calls[] = {PROGRAM_ARGS("--json", "-n", "3", "-d", "100ms"),
                                        PROGRAM_ARGS("--once"), PROGRAM_ARGS("--list"),
                                        PROGRAM_ARGS("--list", "--counters", "--set-profiling")};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        free(emulrig_run(&r, calls[i], 0, NULL));
    assert_int_equal(emulrig_count(&r, "LOADED"), 4);
    assert_int_equal(emulrig_count(&r, "open"), 0);
    emulrig_finish(&r);
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void end_screen(const struct emulrig *r, bool by_key) {
    struct program p = emulrig_program(r, PROGRAM_ARGS("--counters", "-d", "100ms"));
    struct terminal *t = terminal_start(&p, 30, 100);
    bool late = false;
    if (!t)
        skip();
    emulrig_await_screen(r, t, "EMIT", 2);
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
        struct emulrig r;
        emulrig_panthor(&r);
        emulrig_script(&r, "version=v5");
        end_screen(&r, by_key);
        assert_int_equal(emulrig_count(&r, "STOP"), 1);
        assert_int_equal(emulrig_count(&r, "TEARDOWN"), 1);
        emulrig_assert_clean(&r);
        emulrig_finish(&r);
    }
}

/* ---- recordings of gwtop --------------------------------------------------------------------- */

/* What came before the last samples was there when those were asked for. */
static void assert_recorded(json_t *ticks, const struct emulrig *r, bool shaders) {
    unsigned known = 0;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        if (isnan(emulrig_value(tick, r, "counter.gpu_busy")))
            continue;
        assert_figures(tick, r, shaders);
        known++;
    }
    assert_true(known > 0);
}

static void recording_plays_the_same(void **state) {
    static const char *const scripts[] = {"version=v4", "version=v6;clock_hz=400000000"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct emulrig r;
        emulrig_panthor(&r);
        emulrig_script(&r, "%s", scripts[i]);
        char *file = e2e_path(&r.e, "out.gwt");
        pid_t pid =
            emulrig_start(&r, PROGRAM_ARGS("record", "--counters", "-o", file, "-d", "150ms"));
        assert_int_equal(emulrig_end_after(&r, pid, "EMIT", 6), 0);
        emulrig_assert_clean(&r);
        struct program replay = {
            .args = PROGRAM_ARGS("replay", file, "--speed", "max", "--json", "-b")};
        char *first = e2e_call(&replay, 0), *second = e2e_call(&replay, 0);
        assert_string_equal(first, second);
        json_t *ticks = ndjson_parse(first);
        assert_recorded(ticks, &r, i == 1);
        json_decref(ticks);
        free(first);
        free(second);
        free(file);
        emulrig_finish(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_and_generation_shows_what_happened),
        cmocka_unit_test(any_load_is_shown),
        cmocka_unit_test(the_ring_goes_round),
        cmocka_unit_test(nothing_is_opened_unasked),
        cmocka_unit_test(the_screen_leaves_nothing),
        cmocka_unit_test(recording_plays_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
