/* The counters screen: which device, which counter, the ticks before, who worked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

static const struct ui_options live = {.unicode = true};
static const struct ui_options replay = {.unicode = true, .replay = true};

static void opens_and_closes(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "0 HD Graphics 520  25 counters");
    SHOWS(sc, "from i915-perf: held while gwtop runs, which keeps the GPU awake");
    HIDES(sc, "PID USER");
    SHOWS(sc, "GpuCoreClocks            1150000000");
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
    SHOWS(sc, "no counters (start with --counters as root)");
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

static void the_chosen_counter_of_each_context(void **state) {
    struct screen *sc = open_screen(live, snap_counters);
    (void)state;
    type(sc, "c");
    SHOWS(sc, "BUSY             GpuTime  PROCESS, CONTEXT, TAG");
    SHOWS(sc, "50 %              500 ms    context 3");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    SHOWS(sc, "BUSY             GpuBusy  PROCESS, CONTEXT, TAG");
    SHOWS(sc, "1 %              41.0 %    context 7 tag 1042");
    SHOWS(sc, "0 %                        context 7\n");
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
    SHOWS(sc, "100 %                      6000 crowd\n    96 %                        context 96\n"
              "    96 %                        context 193\n");
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
        cmocka_unit_test(the_chosen_counter_of_each_context),
        cmocka_unit_test(the_busiest_first),
        cmocka_unit_test(ticks_before),
        cmocka_unit_test(many_ticks),
        cmocka_unit_test(every_size),
        cmocka_unit_test(a_crowd_of_contexts),
    };
    return cmocka_run_group_tests_name("counters screen", tests, NULL, NULL);
}
