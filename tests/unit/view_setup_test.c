/* The Setup screen: what each key does to settings and table, at once; what the app is told; any key at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/view.h"
#include "snap_cases.h"

#define F2  (UI_KEY_F1 + 1)
#define F10 (UI_KEY_F1 + 9)

struct rig {
    struct snap b;
    const struct snapshot *s;
    struct ui *ui;
    struct grid g;
    struct buf text;
};

static void render(struct rig *r) {
    struct ui_play play = {.busy_ppm = -1, .delay_ns = 1000000000};
    ui_render(r->ui, r->s, &play, &r->g);
}

static void start_with(struct rig *r, const struct ui_options *o) {
    *r = (struct rig){0};
    snap_typical(&r->b);
    r->s = snap_get(&r->b);
    assert_int_equal(ui_create(o, &r->ui), ERR_OK);
    assert_int_equal(grid_resize(&r->g, 40, 100), ERR_OK);
    render(r);
    assert_int_equal(ui_key(r->ui, F2, r->s).action, UI_NONE);
    render(r);
}

static void start(struct rig *r) {
    struct ui_options o = {.unicode = true, .config_path = "/home/user/config"};
    start_with(r, &o);
}

static void finish(struct rig *r) {
    ui_destroy(r->ui);
    grid_finish(&r->g);
    buf_finish(&r->text);
    snap_finish(&r->b);
}

static enum ui_action press(struct rig *r, uint32_t key) {
    struct ui_command c = ui_key(r->ui, key, r->s);
    render(r);
    return c.action;
}

static void type(struct rig *r, const char *text) {
    for (; *text; text++) {
        press(r, (unsigned char)*text);
    }
}

static const char *screen(struct rig *r) {
    buf_clear(&r->text);
    grid_dump(&r->g, &r->text);
    buf_char(&r->text, '\0');
    return r->text.p;
}

static void go_to(struct rig *r, enum setting which) {
    press(r, UI_KEY_HOME);
    for (unsigned i = 0; i < (unsigned)which; i++) {
        press(r, UI_KEY_DOWN);
    }
}

static void assert_value(struct rig *r, enum setting which, const char *value) {
    struct buf b = {0};
    settings_put(ui_settings(r->ui), which, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, value);
    buf_finish(&b);
}

static void every_setting_changes(void **state) {
    struct rig r;
    (void)state;
    start(&r);
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (setting_info((enum setting)i)->kind == SETTING_KIND_TEXT || i == SETTING_READONLY) {
            continue;
        }
        struct settings before = *ui_settings(r.ui);
        go_to(&r, (enum setting)i);
        press(&r, ' ');
        assert_false(settings_same(&before, ui_settings(r.ui), (enum setting)i));
        press(&r, '-');
        for (unsigned j = 0; j < SETTING_COUNT; j++) {
            assert_true(settings_same(&before, ui_settings(r.ui), (enum setting)j));
        }
    }
    finish(&r);
}

static void the_app_is_told(void **state) {
    static const enum setting told[] = {SETTING_DELAY, SETTING_THEME, SETTING_COLOR,
                                        SETTING_MOUSE, SETTING_TITLE, SETTING_PLAIN};
    struct rig r;
    (void)state;
    start(&r);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        go_to(&r, told[i]);
        assert_int_equal(press(&r, '+'), UI_SETTINGS);
    }
    go_to(&r, SETTING_TREE);
    assert_int_equal(press(&r, '+'), UI_NONE);
    assert_int_equal(press(&r, 's'), UI_SAVE);
    assert_int_equal(press(&r, F10), UI_SAVE);
    finish(&r);
}

static void texts_are_written(void **state) {
    struct rig r;
    (void)state;
    start(&r);
    go_to(&r, SETTING_FILTER);
    press(&r, UI_KEY_ENTER);
    type(&r, "gpu>5 and nme=x");
    press(&r, UI_KEY_ENTER);
    assert_non_null(strstr(screen(&r), "nme"));
    assert_value(&r, SETTING_FILTER, "");
    press(&r, UI_KEY_ESC);
    assert_value(&r, SETTING_FILTER, "");
    press(&r, UI_KEY_ENTER);
    type(&r, "gpu>5");
    press(&r, UI_KEY_ENTER);
    assert_value(&r, SETTING_FILTER, "gpu>5");
    go_to(&r, SETTING_SORT);
    press(&r, ' ');
    press(&r, 21); /* Ctrl-U */
    type(&r, "-vram,pid");
    press(&r, UI_KEY_ENTER);
    assert_value(&r, SETTING_SORT, "-vram,pid");
    go_to(&r, SETTING_DELAY);
    press(&r, UI_KEY_ENTER);
    press(&r, 21);
    type(&r, "1.5s");
    assert_int_equal(press(&r, UI_KEY_ENTER), UI_SETTINGS);
    assert_value(&r, SETTING_DELAY, "1.5s");
    press(&r, UI_KEY_ESC);
    finish(&r);
}

static void columns_are_chosen(void **state) {
    struct rig r;
    (void)state;
    start(&r);
    assert_value(&r, SETTING_FIELDS, "");
    go_to(&r, SETTING_FIELDS);
    press(&r, UI_KEY_ENTER);
    type(&r, "pid,gpu,command");
    press(&r, UI_KEY_ENTER);
    press(&r, UI_KEY_TAB);
    press(&r, UI_KEY_HOME);
    press(&r, UI_KEY_DOWN);
    press(&r, UI_KEY_RIGHT); /* pid */
    assert_value(&r, SETTING_FIELDS, "gpu,pid,command");
    press(&r, '+');
    press(&r, '+');
    assert_value(&r, SETTING_FIELDS, "gpu,pid:9,command");
    press(&r, '0');
    assert_value(&r, SETTING_FIELDS, "gpu,pid,command");
    press(&r, ' ');
    assert_value(&r, SETTING_FIELDS, "gpu,command");
    press(&r, UI_KEY_ENTER); /* it is still the one chosen */
    assert_value(&r, SETTING_FIELDS, "gpu,pid,command");
    press(&r, UI_KEY_DOWN);
    press(&r, UI_KEY_DOWN);
    press(&r, ' ');
    assert_non_null(strstr(ui_settings(r.ui)->text[1], "gpu,pid,command,"));
    press(&r, UI_KEY_HOME);
    press(&r, ' ');
    assert_value(&r, SETTING_FIELDS, "");
    finish(&r);
}

/* What keys of the table changed is there when Setup opens, and when it is saved. */
static void keys_elsewhere_count(void **state) {
    struct rig r;
    (void)state;
    start(&r);
    press(&r, UI_KEY_ESC);
    type(&r, "M,GIi");
    assert_value(&r, SETTING_SORT, "-rss,-gpu");
    assert_value(&r, SETTING_IDLE, "yes");
    press(&r, 'S');
    assert_non_null(strstr(screen(&r), "-rss,-gpu"));
    go_to(&r, SETTING_IDLE);
    press(&r, ' ');
    assert_value(&r, SETTING_IDLE, "no");
    finish(&r);
}

/* The table alone for the mouse is for now: Setup shows, and saves, what holds without. */
static void copying_is_not_saved(void **state) {
    static const enum setting others[] = {SETTING_STRIP, SETTING_PLOTS, SETTING_MOUSE,
                                          SETTING_BARS};
    struct rig r;
    (void)state;
    start(&r);
    go_to(&r, SETTING_BARS);
    press(&r, ' ');
    press(&r, UI_KEY_ESC);
    struct settings before = *ui_settings(r.ui);
    assert_int_equal(press(&r, 'y'), UI_SETTINGS);
    assert_int_equal(ui_settings(r.ui)->number[SETTING_MOUSE], 0); /* the app is told so */
    assert_int_equal(press(&r, 'S'), UI_SETTINGS);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_true(settings_same(&before, ui_settings(r.ui), others[i]));
    }
    assert_int_equal(press(&r, F10), UI_SAVE);
    press(&r, UI_KEY_ESC);
    press(&r, 'y');
    press(&r, 'y');
    assert_true(settings_same(&before, ui_settings(r.ui), SETTING_BARS));
    finish(&r);
}

static void no_place_to_save(void **state) {
    struct ui_options o = {.unicode = true};
    struct settings s;
    struct rig r;
    (void)state;
    start_with(&r, &o);
    assert_int_equal(press(&r, 's'), UI_NONE);
    assert_non_null(strstr(screen(&r), "no place"));
    finish(&r);
    settings_init(&s);
    s.number[SETTING_READONLY] = 1;
    o = (struct ui_options){.settings = &s, .config_path = "/x", .no_signals = true};
    start_with(&r, &o);
    assert_null(strstr(screen(&r), "no place")); /* there is one */
    assert_int_equal(press(&r, F10), UI_NONE);
    assert_non_null(strstr(screen(&r), "read-only: nothing is written"));
    go_to(&r, SETTING_READONLY);
    press(&r, ' ');
    assert_value(&r, SETTING_READONLY, "yes");
    finish(&r);
}

static void presses(void **state) {
    struct rig r;
    (void)state;
    start(&r);
    for (int row = 0; row < r.g.rows; row++) {
        for (int column = 0; column < r.g.columns; column += 7) {
            struct ui_mouse m = {row, column, UI_BUTTON_LEFT};
            (void)ui_mouse(r.ui, &m, r.s);
            render(&r);
        }
    }
    finish(&r);
    start(&r);
    const char *text = screen(&r);
    int row = 0;
    for (const char *p = text; p < strstr(text, "  tree "); p++) {
        row += *p == '\n';
    }
    struct ui_mouse m = {row, 4, UI_BUTTON_LEFT};
    (void)ui_mouse(r.ui, &m, r.s);
    assert_value(&r, SETTING_TREE, "yes");
    finish(&r);
}

static void any_size(void **state) {
    static const int rows[] = {1, 2, 3, 5, 8, 12, 24, 100}, columns[] = {1, 5, 20, 59, 60, 80, 300};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++) {
            struct rig r;
            start(&r);
            assert_int_equal(grid_resize(&r.g, rows[i], columns[j]), ERR_OK);
            render(&r);
            for (unsigned k = 0; k < 30; k++) {
                press(&r, k % 3 ? UI_KEY_DOWN : k % 2 ? '+' : UI_KEY_TAB);
            }
            finish(&r);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_changes),
        cmocka_unit_test(the_app_is_told),
        cmocka_unit_test(texts_are_written),
        cmocka_unit_test(columns_are_chosen),
        cmocka_unit_test(keys_elsewhere_count),
        cmocka_unit_test(copying_is_not_saved),
        cmocka_unit_test(no_place_to_save),
        cmocka_unit_test(presses),
        cmocka_unit_test(any_size),
    };
    return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
