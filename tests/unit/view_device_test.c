/* What the strip and the device screen say of a device. */
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

/* ---- the device screen ----------------------------------------------------------------------- */

static void sensors_of_the_selected_device(void **state) {
    struct screen *sc = open_screen(live, snap_awake);
    (void)state;
    type(sc, "D");
    SHOWS(sc, "0 Radeon 680M  active");
    SHOWS(sc, "44 °C");
    HIDES(sc, "42 °C");
    HIDES(sc, "PID USER");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "1 Radeon RX 7600S  active");
    SHOWS(sc, "4402 discord");
    SHOWS(sc, "42 °C");
    press(sc, UI_KEY_F1 + 7);
    SHOWS(sc, "0 Radeon 680M  active");
    press(sc, UI_KEY_F1 + 6);
    SHOWS(sc, "1 Radeon RX 7600S  active");
    tells(sc, 'q', UI_NONE, 0);
    SHOWS(sc, "PID USER");
    HIDES(sc, "alone]");
    press(sc, UI_KEY_DOWN); /* Xwayland, on the other device */
    type(sc, "D");
    SHOWS(sc, "1 Radeon RX 7600S  active");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "PID USER");
    close_screen(sc);
}

static void sensors_scroll(void **state) {
    struct screen *sc = open_screen(live, snap_card);
    (void)state;
    type(sc, "D");
    SHOWS(sc, "Activity");
    SHOWS(sc, "1-20 of ");
    press(sc, UI_KEY_END);
    HIDES(sc, "Activity");
    SHOWS(sc, "system_clock_counter");
    press(sc, UI_KEY_DOWN);
    SHOWS(sc, "backed by memory now");
    press(sc, UI_KEY_PAGE_UP);
    HIDES(sc, "backed by memory now");
    press(sc, UI_KEY_HOME);
    SHOWS(sc, "1-20 of ");
    type(sc, " ");
    SHOWS(sc, "20-39 of ");
    type(sc, "GVMi/");
    SHOWS(sc, "20-39 of ");
    tells(sc, 'D', UI_NONE, 0);
    SHOWS(sc, "GPU%▾");
    close_screen(sc);
}

/* Time goes on beside it; what changes the table does not. */
static void sensors_of_a_recording(void **state) {
    struct screen *sc = open_screen(replay, snap_card);
    (void)state;
    type(sc, "D");
    tells(sc, ' ', UI_PAUSE, 0);
    tells(sc, ']', UI_STEP, 1);
    tells(sc, '{', UI_STEP, -10);
    tells(sc, '+', UI_SPEED, 1);
    tells(sc, UI_KEY_HOME, UI_NONE, 0);
    SHOWS(sc, "Activity");
    tells(sc, UI_KEY_F1 + 9, UI_QUIT, 0);
    close_screen(sc);
}

static void sensors_follow_their_device(void **state) {
    struct screen *sc = open_screen(live, snap_awake);
    (void)state;
    press(sc, UI_KEY_DOWN);
    type(sc, "D");
    SHOWS(sc, "1 Radeon RX 7600S");
    sc->b.devices[0].subject = 900;
    SHOWS(sc, "1 Radeon RX 7600S");
    sc->b.devices[1].subject = 901;
    SHOWS(sc, "this device is not there any more");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "0 Radeon 680M");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "PID USER");
    close_screen(sc);
    sc = open_screen(live, snap_init);
    type(sc, "D");
    SHOWS(sc, "No GPU found.");
    close_screen(sc);
}

static void absent_numbers_say_why(void **state) {
    struct screen *sc = open_screen(live, snap_doubts);
    (void)state;
    type(sc, "D");
    SHOWS(sc, "deny  a right is missing");
    SHOWS(sc, "bad  cannot be read");
    SHOWS(sc, "?  not yet known");
    SHOWS(sc, "8.4 W~             unit not certain");
    press(sc, UI_KEY_END);
    SHOWS(sc, "known to be false");
    HIDES(sc, "    0 rpm");
    close_screen(sc);
}

/* ---- the strip ------------------------------------------------------------------------------- */

static void strip_says_what_is_known(void **state) {
    struct screen *sc = open_screen(live, snap_card);
    (void)state;
    SHOWS(sc, "0 Radeon RX 7800 XT  112/236 W   61 °C  2165 MHz   868 rpm  x16 16 GT/s\n");
    SHOWS(sc, "5.1/16.0 GiB\n");
    SHOWS(sc, "0.2/15.6 GiB\n");
    SHOWS(sc, "55 % sensor");
    SHOWS(sc, "1 Radeon RX 7600S    asleep, not touched\n");
    assert_int_equal(grid_resize(&sc->g, 24, 60), ERR_OK);
    SHOWS(sc, "112/236 W   61 °C  2165 MHz   868 rpm\n");
    assert_int_equal(grid_resize(&sc->g, 24, 46), ERR_OK);
    SHOWS(sc, "112/236 W   61 °C\n");
    close_screen(sc);
}

/* amdgpu names a region `cpu`, of which a card has nothing. */
static void build_regions(struct snap *b) {
    snap_init(b);
    struct run *run = &snap_device(b, "0000:03:00.0", "card", "amdgpu")->memory;
    snap_memory(b, run, "gtt", snap_value(1 << 20));
    snap_memory(b, run, "cpu", snap_value(0));
}

static void main_memory_that_is_not_used(void **state) {
    struct screen *sc = open_screen(live, build_regions);
    (void)state;
    SHOWS(sc, " gtt    1.0M  used by clients");
    HIDES(sc, " sys ");
    sc->b.memory[1].resident = snap_value(4096);
    SHOWS(sc, " sys    4.0K  used by clients");
    close_screen(sc);
}

static void a_sensor_that_is_not_trusted_gives_way(void **state) {
    struct screen *sc = open_screen(live, snap_doubts);
    (void)state;
    SHOWS(sc, "▏  55 %  "); /* of the clients */
    HIDES(sc, "sensor");
    sc->b.metrics[0].value.doubt = DOUBT_UNIT;
    SHOWS(sc, "▏  77 %~sensor");
    sc->b.metrics[0].value.doubt = 0;
    SHOWS(sc, "▏  77 % sensor");
    close_screen(sc);
}

static void limits_in_words(void **state) {
    struct screen *sc = open_screen(live, snap_limits);
    (void)state;
    SHOWS(sc, "101 °C!");
    SHOWS(sc, "! throttled: power, heat, +1");
    assert_int_equal(grid_resize(&sc->g, 24, 300), ERR_OK);
    SHOWS(sc, "! throttled: package power limit 0, sustained current of the SoC rail~, temp");
    for (uint32_t i = 0; i < sc->b.s.metric_count; i++) {
        sc->b.metrics[i].value.v =
            metric_info(sc->b.metrics[i].metric)->unit == UNIT_FLAG ? 0 : sc->b.metrics[i].value.v;
    }
    HIDES(sc, "throttled");
    close_screen(sc);
}

static void engine_time_off_in_words(void **state) {
    struct screen *sc = open_screen(live, snap_limits);
    struct snap_metric *flag = NULL;
    (void)state;
    for (uint32_t i = 0; i < sc->b.s.metric_count; i++)
        if (metric_info(sc->b.metrics[i].metric)->unit == UNIT_FLAG) {
            sc->b.metrics[i].value.v = 0;
            flag = &sc->b.metrics[i];
        }
    assert_non_null(flag);
    HIDES(sc, "engine time");
    flag->metric = METRIC_PROFILING;
    flag->value = (struct value){.state = STATE_VALUE};
    SHOWS(sc, "engine time off");
    assert_int_equal(grid_resize(&sc->g, 24, 200), ERR_OK);
    SHOWS(sc, "engine time off: see --set-profiling");
    flag->value.v = 1;
    HIDES(sc, "engine time");
    flag->value = (struct value){.state = STATE_UNKNOWN};
    HIDES(sc, "engine time");
    close_screen(sc);
}

static void who_keeps_it_awake(void **state) {
    struct screen *sc = open_screen(live, snap_awake);
    (void)state;
    SHOWS(sc, "kept awake by 1844 Xwayland, +2\n");
    assert_int_equal(grid_resize(&sc->g, 24, 170), ERR_OK);
    SHOWS(sc, "kept awake by 1844 Xwayland, 3310 steamwebhelper, 4402 discord\n");
    assert_int_equal(grid_resize(&sc->g, 24, 64), ERR_OK);
    SHOWS(sc, "kept awake by 3 processes\n");
    sc->b.devices[1].kept_awake = 0;
    HIDES(sc, "kept awake");
    sc->b.devices[1].left_alone = true;
    SHOWS(sc, "1 Radeon RX 7600S  left alone so that it can sleep\n");
    close_screen(sc);
}

static void sensors_in_ascii(void **state) {
    static void (*const builds[])(struct snap * b) = {snap_card, snap_apu, snap_doubts,
                                                      snap_limits};
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        struct screen *sc = open_screen((struct ui_options){.unicode = false}, builds[i]);
        for (const char *k = "lD  "; *k; k++) {
            press(sc, (unsigned char)*k);
            for (const char *c = drawn(sc); *c; c++) {
                assert_in_range((unsigned char)*c, '\n', '~');
            }
        }
        close_screen(sc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_of_the_selected_device),
        cmocka_unit_test(sensors_scroll),
        cmocka_unit_test(sensors_of_a_recording),
        cmocka_unit_test(sensors_follow_their_device),
        cmocka_unit_test(absent_numbers_say_why),
        cmocka_unit_test(strip_says_what_is_known),
        cmocka_unit_test(main_memory_that_is_not_used),
        cmocka_unit_test(a_sensor_that_is_not_trusted_gives_way),
        cmocka_unit_test(limits_in_words),
        cmocka_unit_test(engine_time_off_in_words),
        cmocka_unit_test(who_keeps_it_awake),
        cmocka_unit_test(sensors_in_ascii),
    };
    return cmocka_run_group_tests_name("devices on the screen", tests, NULL, NULL);
}
