/*
 * The mouse as terminals tell it: presses and the wheel in the forms of xterm, two presses in a short time, and a
 * setting that leaves the mouse to the terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen_run.h"
#include "vt.h"

static struct picture start(const char *term, const char *more) {
    struct picture p = picture_start(
        PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst", "--speed", "0.01", "--set", more),
        term, "C.UTF-8", 24, 80);
    picture_expect_marks(&p); /* nothing changes by itself from now on */
    return p;
}

/* Columns and rows from 0; button 0 left, 64 and 65 the wheel. */
static void press(struct picture *r, bool sgr, int button, int row, int column) {
    char text[64];
    if (sgr)
        snprintf(text, sizeof text, "\033[<%d;%d;%dM\033[<%d;%d;%dm", button, column + 1, row + 1,
                 button, column + 1, row + 1);
    else
        snprintf(text, sizeof text, "\033[M%c%c%c\033[M#%c%c", 32 + button, 33 + column, 33 + row,
                 33 + column, 33 + row);
    picture_keys(r, text);
}

/* Column of `text` in the last row. */
static int in_bar(struct picture *r, const char *text) {
    const char *bar = vt_row(r->v, 23), *at = strstr(bar, text);
    assert_non_null(at);
    return (int)(at - bar);
}

static void words_are_pressed(void **state) {
    static const char *const terms[] = {"xterm-256color", "screen-256color"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct picture r = start(terms[i], "mouse=yes");
        assert_true(vt_mode(r.v, 1000));
        assert_false(picture_holds(&r, "this help"));
        press(&r, i == 0, 0, 23, in_bar(&r, "F1Help") + 3);
        assert_true(picture_holds(&r, "this help"));
        press(&r, i == 0, 0, 23, in_bar(&r, "Esc"));
        assert_false(picture_holds(&r, "this help"));
        picture_end(&r);
    }
}

static void the_wheel_scrolls_help(void **state) {
    (void)state;
    struct picture r = start("xterm-256color", "mouse=yes");
    press(&r, true, 0, 23, in_bar(&r, "F1Help") + 3);
    char *before = strdup(vt_text(r.v));
    press(&r, true, 65, 10, 10);
    assert_string_not_equal(vt_text(r.v), before);
    press(&r, true, 64, 10, 10);
    assert_string_equal(vt_text(r.v), before);
    free(before);
    picture_end(&r);
}

static void the_mouse_may_be_left_alone(void **state) {
    (void)state;
    struct picture r = start("xterm-256color", "mouse=no");
    assert_false(vt_mode(r.v, 1000) || vt_mode(r.v, 1006));
    picture_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_pressed),
        cmocka_unit_test(the_wheel_scrolls_help),
        cmocka_unit_test(the_mouse_may_be_left_alone),
    };
    return cmocka_run_group_tests_name("mouse", tests, NULL, NULL);
}
