/* The counters screen: which device, which counter, the ticks before, who worked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

#define HISTORY_KEPT 64

static const struct ui_options live = {.unicode = true};
static const struct ui_options replay = {.unicode = true, .replay = true};

static void opens_and_closes(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "0 HD Graphics 520  25 counters");
    SHOWS(sc, "from i915-perf, held: keeps the GPU awake");
    HIDES(sc, "PID USER");
    SHOWS(sc, "GpuCoreClocks            1.15 Gcycles");
    type(sc, "c");
    SHOWS(sc, "PID USER");
    type(sc, "cq");
    SHOWS(sc, "PID USER");
    type(sc, "c");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "PID USER");
    close_screen(sc);
}

/* Of a machine with two devices the one that has counters, whichever is selected. */
static void build_second(struct snap *b) {
    snap_counters(b);
    struct snap_device first = b->devices[0];
    b->devices[0] = b->devices[1];
    b->devices[1] = first;
    for (uint32_t i = 0; i < b->s.process_count; i++) {
        b->processes[i].device = 1;
    }
    b->unattributed[0].device = 1;
}

static void finds_the_device_with_counters(void **state) {
    struct screen *sc = open_screen(live, build_second);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "1 HD Graphics 520  25 counters");
    SHOWS(sc, "4807 glxgears");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "0 Arc A770  0 counters");
    SHOWS(sc, "asleep");
    HIDES(sc, "4807 glxgears");
    press(sc, UI_KEY_F1 + 6);
    SHOWS(sc, "1 HD Graphics 520");
    close_screen(sc);
}

static void says_what_is_missing(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "no counters (start with --counters; needs root or CAP_PERFMON)");
    SHOWS(sc, "48213 film.blend");
    close_screen(sc);
    sc = open_screen(replay, snap_typical);
    type(sc, "c");
    SHOWS(sc, "no counters in this recording");
    close_screen(sc);
    sc = open_screen(replay, snap_counters);
    type(sc, "c");
    SHOWS(sc, "from i915-perf");
    HIDES(sc, "held");
    tells(sc, ']', UI_STEP, 1);
    close_screen(sc);
}

/* Of a session that was asked for. */
static void says_what_became_of_it(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    SHOWS(sc, "counters of GPU 0 held: keeps it awake");
    sc->b.devices[0].counters = COUNTERS_BUSY;
    HIDES(sc, "awake");
    SHOWS(sc, "counters: another program holds them");
    type(sc, "c");
    SHOWS(sc, "0 HD Graphics 520  0 counters");
    SHOWS(sc, "no counters: another program holds them");
    sc->b.devices[0].counters = COUNTERS_LOST;
    SHOWS(sc, "no counters: the session was lost");
    sc->b.devices[0].counters = COUNTERS_NONE;
    sc->b.devices[1].counters = COUNTERS_NONE;
    SHOWS(sc, "25 counters");
    HIDES(sc, "awake");
    sc->b.s.metric_count = 0;
    sc->b.devices[0].metrics.count = 0;
    SHOWS(sc, "no counters on this device");
    close_screen(sc);
    sc = open_screen(replay, snap_counters);
    HIDES(sc, "held");
    close_screen(sc);
    sc = open_screen(live, snap_typical);
    HIDES(sc, "c Counters");
    close_screen(sc);
}

static void limits_leave_the_session_named(void **state) {
    struct screen *sc = open_screen(live, snap_limits);
    (void)state;
    sc->b.devices[0].counters = COUNTERS_HELD;
    SHOWS(sc, "throttled");
    SHOWS(sc, "counters of GPU 0 held: keeps it awake");
    close_screen(sc);
}

static void help_and_back(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    static const uint32_t keys[] = {'h', '?', UI_KEY_F1};
    (void)state;
    type(sc, "c");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        press(sc, keys[i]);
        SHOWS(sc, "this help");
        press(sc, UI_KEY_ESC);
        SHOWS(sc, "25 counters");
    }
    close_screen(sc);
}

/* Page keys move the list that has the focus, and each says where it stands. */
static void pages_of_the_list_in_focus(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "25 counters  1-10 of 25 ");
    SHOWS(sc, " 1-7 of 8\n");
    press(sc, UI_KEY_PAGE_DOWN);
    SHOWS(sc, " A1  PROCESS");
    press(sc, UI_KEY_PAGE_DOWN);
    SHOWS(sc, "25 counters  10-19 of 25 ");
    SHOWS(sc, " 1-7 of 8\n");
    press(sc, UI_KEY_RIGHT);
    press(sc, UI_KEY_PAGE_DOWN);
    SHOWS(sc, "25 counters  10-19 of 25 ");
    SHOWS(sc, " 2-8 of 8\n");
    press(sc, UI_KEY_LEFT);
    press(sc, UI_KEY_END);
    SHOWS(sc, "1 more is 0\n");
    SHOWS(sc, "25 counters  16-25 of 25 ");
    close_screen(sc);
}

/* A raw counter that was something in a tick that is kept stands in the list, and the chosen one stays chosen. */
static void raw_counters_that_are_zero(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    assert_int_equal(grid_resize(&sc->g, 60, 80), ERR_OK);
    type(sc, "c");
    SHOWS(sc, "1 more is 0\n");
    HIDES(sc, "A0 ");
    press(sc, UI_KEY_END);
    SHOWS(sc, " A15  PROCESS");
    struct snap_metric *a0 = &sc->b.metrics[10], *a7 = &sc->b.metrics[17];
    assert_int_equal(a0->metric, METRIC_COUNTER_A0);
    assert_int_equal(a7->metric, METRIC_COUNTER_A7);
    a0->value = snap_value(5);
    a7->value = snap_value(0);
    sc->b.s.tick++;
    SHOWS(sc, "A0 ");
    SHOWS(sc, "A7 ");
    HIDES(sc, "more");
    SHOWS(sc, " A15  PROCESS");
    a0->value = snap_value(0);
    sc->b.s.tick++;
    SHOWS(sc, "A0 ");
    for (int i = 0; i < HISTORY_KEPT; i++) {
        sc->b.s.tick++;
        press(sc, UI_KEY_NONE);
    }
    SHOWS(sc, "2 more are 0\n");
    SHOWS(sc, " A15  PROCESS");
    /* One that is not known is not 0. */
    a0->value = snap_none(STATE_UNKNOWN);
    SHOWS(sc, "1 more is 0\n");
    close_screen(sc);
}

static void numbers_keep_their_unit(void **state) {
    static const struct {
        int64_t v;
        const char *text;
    } cases[] = {{999872000, "  1000 Mcycles"},
                 {15000000, "  15.0 Mcycles"},
                 {15, "   15.0 cycles"},
                 {INT64_C(1234567890123), "  1.23 Tcycles"},
                 {0, "      0 cycles"}};
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    type(sc, "c");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sc->b.metrics[2].value = snap_value(cases[i].v);
        SHOWS(sc, cases[i].text);
    }
    sc->b.metrics[4].value = snap_value(0);
    SHOWS(sc, " 0.0 %");
    assert_int_equal(grid_resize(&sc->g, 10, 24), ERR_OK);
    sc->b.metrics[2].value = snap_value(15000000);
    SHOWS(sc, " 15.0 M\n");
    close_screen(sc);
}

static void the_chosen_counter_of_each_context(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "BUSY             GpuTime  PROCESS, CONTEXT, TAG");
    SHOWS(sc, "50.0 %              500 ms    context 3");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    SHOWS(sc, "BUSY             GpuBusy  PROCESS, CONTEXT, TAG");
    SHOWS(sc, "1.1 %              41.0 %    context 7 tag 1042");
    SHOWS(sc, "0.0 %                        context 7\n");
    press(sc, UI_KEY_END);
    SHOWS(sc, "BUSY                 A15");
    press(sc, UI_KEY_HOME);
    SHOWS(sc, "BUSY             GpuTime");
    close_screen(sc);
}

static void the_busiest_first(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    static const char *const order[] = {"4807 glxgears", "context 3",        "context 7 tag 1042",
                                        "context 7\n",   "2201 gnome-shell", "context 12",
                                        "(unknown pid)", "context 90"};
    (void)state;
    assert_int_equal(grid_resize(&sc->g, 30, 80), ERR_OK);
    type(sc, "c");
    const char *at = drawn(sc);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    HIDES(sc, "idle-one");
    close_screen(sc);
}

/* A column a tick, the newest at the right; one that was not told leaves a gap; a recording that goes back
 * starts anew. */
static bool stands_first(struct screen *sc, const char *one, const char *other) {
    const char *text = drawn(sc);
    return strstr(text, one) < strstr(text, other);
}

/* A line moves once it was far from where it stands for two ticks; equal ones never change places. */
static void the_order_stands(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    assert_int_equal(grid_resize(&sc->g, 40, 80), ERR_OK);
    type(sc, "c");
    struct snap_process *p = sc->b.processes;
    assert_true(stands_first(sc, "glxgears", "gnome-shell"));
    /* Less than five points. */
    p[0].busy_ppm = snap_value(540000);
    p[1].busy_ppm = snap_value(500000);
    for (int i = 0; i < 5; i++) {
        sc->b.s.tick++;
        p[0].busy_ppm = snap_value(i % 2 ? 90000 : 540000);
        assert_true(stands_first(sc, "glxgears", "gnome-shell"));
        assert_true(stands_first(sc, "glxgears", "gnome-shell"));
    }
    for (int i = 0; i < 2; i++) {
        sc->b.s.tick++;
        p[0].busy_ppm = snap_value(540000);
        p[1].busy_ppm = snap_value(300000);
        (void)drawn(sc);
    }
    assert_true(stands_first(sc, "gnome-shell", "glxgears"));
    /* What is not known moves nothing. */
    for (int i = 0; i < 5; i++) {
        sc->b.s.tick++;
        p[0].busy_ppm = snap_none(STATE_UNKNOWN);
        assert_true(stands_first(sc, "gnome-shell", "glxgears"));
    }
    close_screen(sc);
}

/* A process without contexts that pauses for a moment keeps its line. */
static void a_pause_is_no_end(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "9034 mpv");
    for (uint32_t i = 0; i < sc->b.s.process_count; i++) {
        sc->b.processes[i].busy_ppm = snap_value(0);
    }
    for (int i = 0; i < 4; i++) {
        sc->b.s.tick++;
        SHOWS(sc, "9034 mpv");
    }
    for (int i = 0; i < 4; i++) {
        sc->b.s.tick++;
        (void)drawn(sc);
    }
    HIDES(sc, "9034 mpv");
    close_screen(sc);
}

/* Contexts of nobody come to something; said once that they are no other work. */
static void what_contexts_are(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    assert_int_equal(grid_resize(&sc->g, 40, 80), ERR_OK);
    type(sc, "c");
    SHOWS(sc, "   1.2 %                      (unknown pid)\n   1.2 %");
    SHOWS(sc, "contexts are the same work, seen by the hardware\n");
    sc->b.unattributed[0].busy_ppm = snap_value(12000);
    HIDES(sc, "same work");
    sc->b.contexts[sc->b.s.context_count - 1].busy_ppm = snap_none(STATE_UNKNOWN);
    sc->b.unattributed[0].busy_ppm = snap_none(STATE_UNKNOWN);
    SHOWS(sc, "       ?                      (unknown pid)\n       ?");
    close_screen(sc);
}

static void ascii_levels(void **state) {
    static const struct ui_options ascii = {0};
    struct screen *sc = open_screen(ascii, snap_counters);
    (void)state;
    for (int64_t i = 0; i <= 8; i++) {
        sc->b.metrics[4].value = snap_value(i * 125000);
        sc->b.s.tick++;
        press(sc, UI_KEY_NONE);
    }
    type(sc, "c");
    SHOWS(sc, "_.:-=+*#@\nEuActive");
    close_screen(sc);
}

static void ticks_before(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    for (int64_t i = 1; i <= 8; i++) {
        sc->b.metrics[4].value = snap_value(i * 125000); /* GpuBusy */
        if (i == 3) {
            sc->b.metrics[4].value = snap_none(STATE_UNKNOWN);
        }
        sc->b.s.tick++;
        press(sc, UI_KEY_NONE);
        press(sc, UI_KEY_NONE); /* the same tick again */
    }
    type(sc, "c");
    SHOWS(sc, "▁▂ ▄▅▆▇█\nEuActive");
    sc->b.s.tick = 3;
    press(sc, UI_KEY_NONE);
    HIDES(sc, "▇█");
    SHOWS(sc, "  █\nEuActive");
    close_screen(sc);
}

static void many_ticks(void **state) {
    struct screen *sc = open_screen(live, snap_cores);
    (void)state;
    for (int i = 0; i < 200; i++) {
        sc->b.s.tick++;
        press(sc, UI_KEY_NONE);
    }
    type(sc, "c");
    SHOWS(sc, "▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅\nEuActive");
    close_screen(sc);
}

static void every_size(void **state) {
    struct screen *sc = open_screen(live, snap_cores);
    (void)state;
    type(sc, "c");
    for (int rows = 0; rows < 30; rows++) {
        for (int columns = 0; columns < 130; columns += 3) {
            assert_int_equal(grid_resize(&sc->g, rows, columns), ERR_OK);
            press(sc, UI_KEY_RESIZE);
            press(sc, rows & 1 ? UI_KEY_TAB : UI_KEY_PAGE_DOWN);
            press(sc, columns & 1 ? UI_KEY_END : UI_KEY_UP);
        }
    }
    close_screen(sc);
}

static void build_crowd(struct snap *b) {
    snap_counters(b);
    struct snap_process *p = snap_process(b, 6000, 0, "crowd", "crowd");
    for (unsigned i = 0; i < 4096; i++) {
        snap_context(b, &p->contexts, i, snap_value(i % 97 * 10000));
    }
    p->busy_ppm = snap_value(1000000);
}

static void a_crowd_of_contexts(void **state) {
    struct screen *sc = open_screen(live, build_crowd);
    (void)state;
    type(sc, "c");
    SHOWS(sc,
          " 100.0 %                      6000 crowd\n  96.0 %                        context 96\n"
          "  96.0 %                        context 193\n");
    SHOWS(sc, " 1-7 of 4105\n");
    press(sc, UI_KEY_RIGHT);
    for (int i = 0; i < 1000; i++) {
        press(sc, UI_KEY_PAGE_DOWN);
    }
    SHOWS(sc, "context 90\n");
    HIDES(sc, "crowd");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_and_closes),
        cmocka_unit_test(finds_the_device_with_counters),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(says_what_became_of_it),
        cmocka_unit_test(limits_leave_the_session_named),
        cmocka_unit_test(help_and_back),
        cmocka_unit_test(pages_of_the_list_in_focus),
        cmocka_unit_test(raw_counters_that_are_zero),
        cmocka_unit_test(numbers_keep_their_unit),
        cmocka_unit_test(the_order_stands),
        cmocka_unit_test(a_pause_is_no_end),
        cmocka_unit_test(what_contexts_are),
        cmocka_unit_test(ascii_levels),
        cmocka_unit_test(the_chosen_counter_of_each_context),
        cmocka_unit_test(the_busiest_first),
        cmocka_unit_test(ticks_before),
        cmocka_unit_test(many_ticks),
        cmocka_unit_test(every_size),
        cmocka_unit_test(a_crowd_of_contexts),
    };
    return cmocka_run_group_tests_name("counters screen", tests, NULL, NULL);
}
