/* The mouse: each press is what stands under it, as it was drawn last; and where the eye is, and the title. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "view/ui.h"

/* Two devices; eight processes whose order is that of their numbers. */
static void build(struct snap *b) {
    for (uint32_t d = 0; d < 2; d++) {
        struct snap_device *device =
            snap_device(b, d ? "0000:04:00.0" : "0000:03:00.0", d ? "Second" : "First", "amdgpu");
        device->busy_ppm = snap_value(d ? 550000 : 120000);
        device->power.watts = snap_real(d ? 112.3 : 20);
    }
    for (int32_t i = 0; i < 40; i++) {
        char name[] = "task-00";
        name[5] = (char)('0' + i / 10);
        name[6] = (char)('0' + i % 10);
        struct snap_process *p = snap_process(b, 1000 + i, (uint32_t)i % 2, name, name);
        p->busy_ppm = snap_value(900000 - 10000 * i);
    }
}

/* Where `text` was drawn first, on or below row `from`. */
static void find(struct screen *sc, const char *text, int from, int *row, int *column) {
    const char *line = drawn(sc);
    for (*row = 0; *line; ++*row) {
        const char *end = strchr(line, '\n');
        const char *at = strstr(line, text);
        if (at && at < end && *row >= from) {
            *column = (int)text_columns((struct span){line, (size_t)(at - line)});
            return;
        }
        line = end + 1;
    }
    fail_msg("\"%s\" is not on the screen", text);
}

static struct ui_command press_at(struct screen *sc, int row, int column, enum ui_button button) {
    struct ui_mouse m = {.row = row, .column = column, .button = button};
    return ui_mouse(sc->ui, &m, snap_get(&sc->b));
}

static struct ui_command press_on(struct screen *sc, const char *text, enum ui_button button) {
    int row, column;
    find(sc, text, 0, &row, &column);
    return press_at(sc, row, column, button);
}

static void a_line_is_selected(void **state) {
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    press_on(sc, "task-03", UI_BUTTON_LEFT);
    SELECTS(sc, "task-03");
    press_on(sc, "task-01", UI_BUTTON_LEFT);
    SELECTS(sc, "task-01");
    /* A second press alone selects nothing: what it is the second of was elsewhere. */
    press_on(sc, "First", UI_BUTTON_LEFT);
    press_on(sc, "task-04", UI_BUTTON_DOUBLE);
    SELECTS(sc, "task-0");
    close_screen(sc);
}

static void a_second_press_is_enter(void **state) {
    (void)state;
    struct screen *by_key = open_screen((struct ui_options){.unicode = true}, build);
    press_on(by_key, "task-03", UI_BUTTON_LEFT);
    press(by_key, UI_KEY_ENTER);
    char *wanted = strdup(drawn(by_key));
    close_screen(by_key);
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    press_on(sc, "task-03", UI_BUTTON_LEFT);
    drawn(sc);
    press_on(sc, "task-03", UI_BUTTON_DOUBLE);
    assert_string_equal(drawn(sc), wanted);
    free(wanted);
    close_screen(sc);
}

static void a_header_sorts(void **state) {
    int row, column;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    find(sc, "PID", 0, &row, &column);
    press_at(sc, row, column, UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->query.sort[0].column, COLUMN_PID);
    bool inverted = sc->ui->query.invert;
    SHOWS(sc, "PID");
    press_at(sc, row, column, UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->query.invert, !inverted);
    SHOWS(sc, "task-39"); /* the last is the first now */
    close_screen(sc);
}

static void a_device_alone_and_all_again(void **state) {
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    press_on(sc, "Second", UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->device, 1);
    HIDES(sc, "First");
    press_on(sc, "Second", UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->device, -1);
    SHOWS(sc, "First");
    close_screen(sc);
}

static void words_of_the_bar_are_keys(void **state) {
    int row, column;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    find(sc, "F1Help", 20, &row, &column);
    press_at(sc, row, column + 3, UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->mode, MODE_HELP);
    drawn(sc);
    find(sc, "Esc", 23, &row, &column);
    press_at(sc, row, column, UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->mode, MODE_TABLE);
    find(sc, "F10Quit", 20, &row, &column);
    assert_int_equal(press_at(sc, row, column, UI_BUTTON_LEFT).action, UI_QUIT);
    close_screen(sc);
}

static void an_item_of_a_list_is_chosen(void **state) {
    int row, column;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    press(sc, UI_KEY_F1 + 5);
    find(sc, "Sort by", 0, &row, &column);
    drawn(sc);
    struct ui_mouse m = {.row = row + 2, .column = 2, .button = UI_BUTTON_LEFT};
    const struct spot *spot = spot_at(sc->ui, m.row, m.column);
    assert_non_null(spot);
    assert_int_equal(spot->kind, SPOT_ITEM);
    uint32_t item = spot->value;
    ui_mouse(sc->ui, &m, snap_get(&sc->b));
    assert_int_equal(sc->ui->mode, MODE_TABLE);
    assert_int_equal(sc->ui->query.sort[0].column, item);
    assert_int_equal(sc->ui->clicked, UINT32_MAX);
    /* The second press of a double one meets the table, and does nothing there. */
    drawn(sc);
    uint32_t at = sc->ui->at;
    m.button = UI_BUTTON_DOUBLE;
    ui_mouse(sc->ui, &m, snap_get(&sc->b));
    assert_int_equal(sc->ui->at, at);
    assert_int_equal(sc->ui->mode, MODE_TABLE);
    close_screen(sc);
}

/* Beside a list a press closes it and is nothing else; on its title it is nothing. */
static void a_press_beside_a_list_closes_it(void **state) {
    int row, column;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    SELECTS(sc, "task-00");
    press(sc, UI_KEY_F1 + 5);
    find(sc, "Sort by", 0, &row, &column);
    press_at(sc, row, column, UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->mode, MODE_SORT);
    press_on(sc, "task-03", UI_BUTTON_LEFT);
    assert_int_equal(sc->ui->mode, MODE_TABLE);
    SELECTS(sc, "task-00");
    close_screen(sc);
}

static void the_wheel_moves_what_is_under_it(void **state) {
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    press(sc, UI_KEY_DOWN);
    SELECTS(sc, "task-01");
    press_on(sc, "task-05", UI_WHEEL_DOWN);
    assert_int_equal(sc->ui->top, 3);
    assert_int_equal(sc->ui->chosen.pid, 1001); /* out of sight, and still selected */
    HIDES(sc, "task-01");
    for (int i = 0; i < 30; i++) {
        press_at(sc, 15, 10, UI_WHEEL_DOWN);
        drawn(sc);
    }
    SHOWS(sc, "task-39");
    for (int i = 0; i < 30; i++) {
        press_at(sc, 15, 10, UI_WHEEL_UP);
    }
    SELECTS(sc, "task-01");
    press(sc, UI_KEY_F1); /* help scrolls */
    drawn(sc);
    uint32_t before = sc->ui->help_top;
    press_at(sc, 10, 10, UI_WHEEL_DOWN);
    assert_true(sc->ui->help_top >= before + 1);
    close_screen(sc);
}

static void followed_the_selection_moves(void **state) {
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    drawn(sc);
    type(sc, "F");
    press_on(sc, "task-05", UI_WHEEL_DOWN);
    SELECTS(sc, "task-03");
    close_screen(sc);
}

static void the_timeline_seeks(void **state) {
    int row = 0, first = -1, last = -1;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true, .replay = true}, build);
    sc->play = (struct ui_play){
        .busy_ppm = -1, .at_ns = 0, .length_ns = INT64_C(100000000000), .speed_milli = 1000};
    drawn(sc);
    for (uint32_t i = 0; i < sc->ui->spots.count; i++) {
        const struct spot *p = &sc->ui->spots.list[i];
        if (p->kind == SPOT_TIME) {
            row = p->row;
            first = p->column;
            last = p->column + p->columns - 1;
        }
    }
    assert_true(first >= 0 && last > first);
    struct ui_command c = press_at(sc, row, first, UI_BUTTON_LEFT);
    assert_int_equal(c.action, UI_SEEK_TIME);
    assert_int_equal(c.amount, 0);
    c = press_at(sc, row, last, UI_BUTTON_LEFT);
    assert_int_equal(c.action, UI_SEEK_TIME);
    assert_int_equal(c.amount, INT64_C(100000000000));
    int64_t before = -1;
    for (int column = first; column <= last; column++) {
        c = press_at(sc, row, column, UI_BUTTON_LEFT);
        assert_true(c.action == UI_SEEK_TIME && c.amount > before);
        before = c.amount;
    }
    close_screen(sc);
}

/* ---- nothing bad by any press ------------------------------------------------------------------ */

static uint32_t random_of(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Double presses and single ones anywhere, with keys between: a signal only ever goes out from the question. */
static void no_signal_without_the_question(void **state) {
    static const uint32_t keys[] = {UI_KEY_F1 + 8, 'k', UI_KEY_F1 + 5, UI_KEY_ESC, 'q',
                                    UI_KEY_F1,     'G'};
    uint32_t seed = 7;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    drawn(sc);
    for (int i = 0; i < 20000; i++) {
        uint32_t what = random_of(&seed) % 10;
        enum mode before = sc->ui->mode;
        struct ui_command c;
        if (what == 0) {
            c = press(sc, keys[random_of(&seed) % (sizeof keys / sizeof keys[0])]);
        } else {
            c = press_at(sc, (int)(random_of(&seed) % 26) - 1, (int)(random_of(&seed) % 84) - 2,
                         (enum ui_button)(random_of(&seed) % 4));
        }
        if (c.action == UI_SIGNAL) {
            assert_int_equal(before, MODE_CONFIRM);
        }
        if (what % 3 == 0) {
            drawn(sc);
        }
    }
    close_screen(sc);
}

/* ---- the eye and the title --------------------------------------------------------------------- */

static void the_eye(void **state) {
    int row, column, there, at;
    (void)state;
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    press_on(sc, "task-03", UI_BUTTON_LEFT);
    find(sc, "task-03", 0, &there, &at);
    assert_true(ui_cursor(sc->ui, &row, &column));
    assert_int_equal(row, there);
    assert_int_equal(column, 0);
    press(sc, UI_KEY_F1 + 2);
    type(sc, "ta");
    find(sc, "Search: ta", 0, &there, &at);
    assert_true(ui_cursor(sc->ui, &row, &column));
    assert_int_equal(row, there);
    assert_int_equal(column, at + 10);
    close_screen(sc);
}

static void the_title(void **state) {
    struct buf b;
    (void)state;
    buf_init(&b);
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build);
    ui_title(sc->ui, NULL, &b);
    assert_true(span_equals(buf_span_of(&b), "gwtop"));
    buf_clear(&b);
    ui_title(sc->ui, snap_get(&sc->b), &b);
    assert_true(span_equals(buf_span_of(&b), "gwtop: GPU 1 55 % gfx, 112 W"));
    buf_clear(&b);
    sc->b.devices[0].busy_ppm = sc->b.devices[1].busy_ppm = snap_none(STATE_UNKNOWN);
    ui_title(sc->ui, snap_get(&sc->b), &b);
    assert_true(span_equals(buf_span_of(&b), "gwtop"));
    buf_finish(&b);
    close_screen(sc);
}

/* For screen readers: numbers in place of bars, nothing that is no ASCII. */
static void plain(void **state) {
    struct settings settings;
    (void)state;
    settings_init(&settings);
    settings.number[SETTING_PLAIN] = 1;
    struct screen *sc =
        open_screen((struct ui_options){.unicode = true, .settings = &settings}, build);
    const char *text = drawn(sc);
    for (const char *p = text; *p; p++) {
        assert_true((unsigned char)*p < 0x80);
    }
    HIDES(sc, "|||");
    SHOWS(sc, "55 %");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_selected),
        cmocka_unit_test(a_second_press_is_enter),
        cmocka_unit_test(a_header_sorts),
        cmocka_unit_test(a_device_alone_and_all_again),
        cmocka_unit_test(words_of_the_bar_are_keys),
        cmocka_unit_test(an_item_of_a_list_is_chosen),
        cmocka_unit_test(a_press_beside_a_list_closes_it),
        cmocka_unit_test(the_wheel_moves_what_is_under_it),
        cmocka_unit_test(followed_the_selection_moves),
        cmocka_unit_test(the_timeline_seeks),
        cmocka_unit_test(no_signal_without_the_question),
        cmocka_unit_test(the_eye),
        cmocka_unit_test(the_title),
        cmocka_unit_test(plain),
    };
    return cmocka_run_group_tests_name("mouse", tests, NULL, NULL);
}
