/* The process screen and that of its environment: whom they are about, what they ask for, and what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

static const struct ui_options live = {.unicode = true};
static const struct ui_options replay = {.unicode = true, .replay = true, .no_files = true};

#define FILE_SAYS(what)                                                                            \
    { .text = {what, sizeof what - 1}, .state = STATE_VALUE }
static const struct ui_files files = {
    .environment = FILE_SAYS("HOME=/root\0EVIL=\x1b]0;x\x07\xff\n\xe2\x80\xae\0"),
    .cgroup = FILE_SAYS("2:cpu:/a\n0::/b\n"),
    .command = FILE_SAYS("a\0b\x1b[2J\0c d\0"),
    .executable = FILE_SAYS("/usr/bin/\x1b"
                            "evil"),
    .directory = {.state = STATE_DENIED},
};

/* Presses a key that asks for files; gives of whom. */
static struct ui_target asks(struct screen *sc, uint32_t key) {
    uint32_t count = 0;
    struct ui_command c = ui_key(sc->ui, key, snap_get(&sc->b));
    assert_int_equal(c.action, UI_LOOK);
    const struct ui_target *of = ui_targets(sc->ui, &count);
    assert_int_equal(count, 1);
    struct ui_target target = *of;
    (void)drawn(sc);
    return target;
}

static void taller(struct screen *sc) {
    assert_int_equal(grid_resize(&sc->g, 100, 80), ERR_OK);
}

/* ---- a process ------------------------------------------------------------------------------- */

static void everything_of_one(void **state) {
    struct screen *sc = open_screen(live, snap_power);
    (void)state;
    taller(sc);
    press(sc, UI_KEY_DOWN);
    struct ui_target of = asks(sc, UI_KEY_ENTER);
    assert_int_equal(of.pid, 48213);
    assert_true(of.start > 0);
    SHOWS(sc, "48213 ");
    SHOWS(sc, "GPU 0  Radeon RX 7800 XT");
    SHOWS(sc, "41 %");
    SHOWS(sc, "44.1 W              shared by busy PW s");
    SHOWS(sc, "812.4 PW s");
    SHOWS(sc, "DRM client    18 blender, 3 descriptors");
    SHOWS(sc, "not yet known");
    HIDES(sc, "PID USER");
    ui_take_files(sc->ui, &of, &files);
    SHOWS(sc, "command       a b?[2J c d");
    SHOWS(sc, "executable    /usr/bin/?evil");
    SHOWS(sc, "cgroup        2:cpu:/a\n                0::/b");
    SHOWS(sc, "directory     denied: needs root or CAP_SYS_PTRACE");
    SHOWS(sc, "environment   2 variables: e shows them");
    tells(sc, 'q', UI_NONE, 0);
    SHOWS(sc, "PID USER");
    close_screen(sc);
}

static void each_key_that_closes(void **state) {
    static const uint32_t keys[] = {UI_KEY_ESC, UI_KEY_ENTER, 'q'};
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        press(sc, UI_KEY_ENTER);
        HIDES(sc, "PID USER");
        tells(sc, keys[i], UI_NONE, 0);
        SHOWS(sc, "PID USER");
        press(sc, 'e');
        SHOWS(sc, "  environment");
        tells(sc, keys[i], UI_NONE, 0);
        SHOWS(sc, "PID USER");
    }
    press(sc, UI_KEY_ENTER); /* one lies on the other */
    press(sc, 'e');
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "command ");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "PID USER");
    close_screen(sc);
}

static void tab_goes_through_the_table(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    int32_t first, seen[3];
    (void)state;
    first = asks(sc, UI_KEY_ENTER).pid;
    for (int i = 0; i < 3; i++) {
        seen[i] = asks(sc, UI_KEY_TAB).pid;
        assert_int_not_equal(seen[i], first);
    }
    assert_int_equal(asks(sc, UI_KEY_BACK_TAB).pid, seen[1]);
    assert_int_equal(asks(sc, UI_KEY_BACK_TAB).pid, seen[0]);
    assert_int_equal(asks(sc, UI_KEY_BACK_TAB).pid, first);
    assert_int_equal(asks(sc, UI_KEY_TAB).pid, seen[0]);
    char pid[16];
    snprintf(pid, sizeof pid, " %d ", (int)seen[0]);
    press(sc, UI_KEY_ESC);
    SELECTS(sc, pid);
    close_screen(sc);
}

static void one_that_goes(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "48213 ");
    HIDES(sc, "ended");
    for (uint32_t i = 0; i < sc->b.s.process_count; i++) {
        struct snap_process *p = &sc->b.processes[i];
        if (p->pid == 48213) {
            p->exited = true;
            p->exited_ns = sc->b.s.t_ns - 3000000000;
        }
    }
    SHOWS(sc, "ended         0:03 ago: these are its last numbers");
    for (uint32_t i = 0; i < sc->b.s.process_count; i++) { /* another process has the number now */
        sc->b.processes[i].start += sc->b.processes[i].pid == 48213;
    }
    SHOWS(sc, "48213 ");
    SHOWS(sc, "this process is not there any more");
    tells(sc, UI_KEY_TAB, UI_LOOK, 0);
    HIDES(sc, "not there any more");
    close_screen(sc);
}

/* Rows of one process on two devices. */
static void build_two(struct snap *b) {
    snap_init(b);
    snap_device(b, "0000:03:00.0", "First card", "amdgpu");
    snap_device(b, "0000:04:00.0", "Second card", "amdgpu");
    for (uint32_t d = 0; d < 2; d++) {
        struct snap_process *p = snap_process(b, 77, d, "both", "both --of them");
        p->start = 5;
        p->busy_ppm = snap_value(100000 + d * 200000);
        snap_engine(b, &p->engines, CLASS_COMPUTE, snap_value(100000 + d * 200000))->unpriced_ns =
            snap_value(2000000000);
        struct snap_memory *m = snap_memory(b, &p->memory, "vram", snap_value(1 << 20));
        m->total = snap_value(2 << 20);
        m->shared = snap_none(STATE_DENIED);
    }
    snap_process(b, 78, 0, "other", "")->start = 6;
}

static void over_all_devices(void **state) {
    struct screen *sc = open_screen(live, build_two);
    (void)state;
    taller(sc);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "77 both");
    SHOWS(sc, "GPU 0  First card");
    SHOWS(sc, "GPU 1  Second card");
    SHOWS(sc, "10 %");
    SHOWS(sc, "30 %");
    SHOWS(sc, "0:02.00 unpriced");
    SHOWS(sc, "1.0M              resident, total 2.0M,");
    SHOWS(sc, "shared deny");
    HIDES(sc, "purgeable");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "78 other"); /* not the second row of the same */
    SHOWS(sc, "none, or not known");
    SHOWS(sc, "not said by driver");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "77 both");
    close_screen(sc);
}

static void rows_that_are_no_process(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_END);
    SELECTS(sc, "(not attributed)");
    tells(sc, UI_KEY_ENTER, UI_NONE, 0);
    SHOWS(sc, "PID USER");
    SHOWS(sc, "this row is not one process");
    tells(sc, 'e', UI_NONE, 0);
    SHOWS(sc, "PID USER");
    close_screen(sc);
    sc = open_screen(live, snap_init);
    tells(sc, UI_KEY_ENTER, UI_NONE, 0);
    tells(sc, 'e', UI_NONE, 0);
    assert_int_equal(ui_key(sc->ui, UI_KEY_ENTER, NULL).action, UI_NONE);
    close_screen(sc);
}

static void scrolls(void **state) {
    struct screen *sc = open_screen(live, snap_power);
    (void)state;
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "  1-16 of ");
    SHOWS(sc, "command ");
    press(sc, UI_KEY_END);
    HIDES(sc, "command ");
    SHOWS(sc, "environment ");
    type(sc, "GVMi/");
    HIDES(sc, "command ");
    press(sc, UI_KEY_HOME);
    SHOWS(sc, "command ");
    assert_int_equal(grid_resize(&sc->g, 60, 200), ERR_OK);
    HIDES(sc, " of 3");
    close_screen(sc);
}

static void a_long_command_is_whole(void **state) {
    static char text[4096];
    struct screen *sc = open_screen(live, build_two);
    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        text[i] = i % 8 == 7 ? ' ' : 'x';
    }
    memcpy(text + sizeof text - 8, "the-end", 8);
    sc->b.processes[0].command = snap_text(&sc->b, text);
    assert_int_equal(grid_resize(&sc->g, 160, 80), ERR_OK);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "Whole command");
    SHOWS(sc, "the-end");
    SHOWS(sc, "…");
    close_screen(sc);
}

/* ---- its environment ------------------------------------------------------------------------- */

static void environment_is_clean(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    struct ui_target of = asks(sc, 'e');
    SHOWS(sc, "not yet known");
    ui_take_files(sc->ui, &of, &files);
    SHOWS(sc, "environment, 2 variables");
    SHOWS(sc, "\nHOME=/root\nEVIL=?]0;x????\n");
    press(sc, UI_KEY_RIGHT);
    SHOWS(sc, "\n‹t\n‹x????\n");
    press(sc, UI_KEY_LEFT);
    SHOWS(sc, "\nHOME=/root\n");
    tells(sc, 'r', UI_LOOK, 0);
    SHOWS(sc, "\nHOME=/root\n");
    ui_take_files(sc->ui, &of, &(struct ui_files){.environment = {.state = STATE_UNKNOWN}});
    SHOWS(sc, "it ended");
    ui_take_files(sc->ui, &of, &(struct ui_files){.environment = {.state = STATE_DENIED}});
    SHOWS(sc, "denied: needs root or CAP_SYS_PTRACE");
    ui_take_files(sc->ui, &of, &(struct ui_files){.environment = {.state = STATE_VALUE}});
    SHOWS(sc, "\nempty\n");
    close_screen(sc);
}

static void answers_about_others_are_dropped(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    ui_take_files(sc->ui, &(struct ui_target){1, 1}, &files); /* nobody asked */
    struct ui_target of = asks(sc, 'e');
    struct ui_target other = {of.pid, of.start + 1};
    ui_take_files(sc->ui, &other, &files);
    SHOWS(sc, "not yet known");
    press(sc, UI_KEY_ESC);
    press(sc, UI_KEY_DOWN);
    (void)asks(sc, 'e');
    ui_take_files(sc->ui, &of, &files);
    SHOWS(sc, "not yet known");
    close_screen(sc);
}

static void long_environments(void **state) {
    static char text[64 * 1024];
    struct screen *sc = open_screen(live, snap_typical);
    struct ui_files many = {
        .environment = {.text = {text, sizeof text}, .state = STATE_VALUE, .cut = true}};
    (void)state;
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = "A=12345"[i % 8];
    }
    struct ui_target of = asks(sc, 'e');
    ui_take_files(sc->ui, &of, &many);
    SHOWS(sc, "8192 variables: there are more");
    SHOWS(sc, "1-20 of 8192");
    press(sc, UI_KEY_END);
    SHOWS(sc, "8173-8192 of 8192");
    press(sc, UI_KEY_PAGE_UP);
    SHOWS(sc, "8154-8173 of 8192");
    for (int columns = 1; columns < 30; columns += 7) {
        for (int rows = 1; rows < 9; rows++) {
            assert_int_equal(grid_resize(&sc->g, rows, columns), ERR_OK);
            (void)drawn(sc);
            press(sc, UI_KEY_RIGHT);
        }
    }
    close_screen(sc);
}

static void recordings_hold_no_files(void **state) {
    struct screen *sc = open_screen(replay, snap_typical);
    (void)state;
    tells(sc, UI_KEY_ENTER, UI_NONE, 0);
    press(sc, UI_KEY_END);
    SHOWS(sc, "not recorded");
    tells(sc, ' ', UI_PAUSE, 0);
    tells(sc, 'e', UI_NONE, 0);
    SHOWS(sc, "not recorded");
    tells(sc, 'r', UI_NONE, 0);
    close_screen(sc);
    sc = open_screen(live, build_two); /* known by its number alone */
    sc->b.processes[0].start = sc->b.processes[1].start = 0;
    tells(sc, 'e', UI_NONE, 0);
    SHOWS(sc, "not known: nothing says when this process started");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_of_one),
        cmocka_unit_test(each_key_that_closes),
        cmocka_unit_test(tab_goes_through_the_table),
        cmocka_unit_test(one_that_goes),
        cmocka_unit_test(over_all_devices),
        cmocka_unit_test(rows_that_are_no_process),
        cmocka_unit_test(scrolls),
        cmocka_unit_test(a_long_command_is_whole),
        cmocka_unit_test(environment_is_clean),
        cmocka_unit_test(answers_about_others_are_dropped),
        cmocka_unit_test(long_environments),
        cmocka_unit_test(recordings_hold_no_files),
    };
    return cmocka_run_group_tests_name("processes on the screen", tests, NULL, NULL);
}
