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

struct run {
    struct terminal *t;
    struct vt *v;
};

static void take(struct run *r) {
    size_t n;
    terminal_pump(r->t, 0.4, screen_patience(10));
    const char *out = terminal_output(r->t, &n);
    vt_feed(r->v, out, n);
    terminal_forget(r->t);
}

static struct run start(const char *term, const char *more) {
    static char term_env[64];
    struct run r;
    snprintf(term_env, sizeof term_env, "TERM=%s", term);
    r.t = screen_start(
        PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst", "--speed", "0.01", "--set", more),
        (const char *const[]){term_env, "LC_ALL=C.UTF-8", NULL}, 24, 80);
    r.v = vt_create(24, 80, true);
    take(&r);
    return r;
}

static void end(struct run *r) {
    bool late;
    size_t n;
    for (int i = 0; i < 4; i++) {
        terminal_send(r->t, "q");
        if (!terminal_pump(r->t, 0.3, 1))
            break;
    }
    assert_int_equal(terminal_wait(r->t, screen_patience(5), &late), 0);
    const char *out = terminal_output(r->t, &n);
    vt_feed(r->v, out, n);
    assert_false(vt_mode(r->v, 1000) || vt_mode(r->v, 1006));
    terminal_finish(r->t);
    vt_destroy(r->v);
}

/* Columns and rows from 0; button 0 left, 64 and 65 the wheel. */
static void press(struct run *r, bool sgr, int button, int row, int column) {
    char text[64];
    if (sgr)
        snprintf(text, sizeof text, "\033[<%d;%d;%dM\033[<%d;%d;%dm", button, column + 1, row + 1,
                 button, column + 1, row + 1);
    else
        snprintf(text, sizeof text, "\033[M%c%c%c\033[M#%c%c", 32 + button, 33 + column, 33 + row,
                 33 + column, 33 + row);
    terminal_send(r->t, text);
}

static bool has(struct run *r, const char *text) {
    return strstr(vt_text(r->v), text) != NULL;
}

/* Column of `text` in the last row. */
static int in_bar(struct run *r, const char *text) {
    const char *bar = vt_row(r->v, 23), *at = strstr(bar, text);
    assert_non_null(at);
    return (int)(at - bar);
}

static void words_are_pressed(void **state) {
    static const char *const terms[] = {"xterm-256color", "screen-256color"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct run r = start(terms[i], "mouse=yes");
        assert_true(vt_mode(r.v, 1000));
        assert_false(has(&r, "this help"));
        press(&r, i == 0, 0, 23, in_bar(&r, "F1Help") + 3);
        take(&r);
        assert_true(has(&r, "this help"));
        press(&r, i == 0, 0, 23, in_bar(&r, "Esc"));
        take(&r);
        assert_false(has(&r, "this help"));
        end(&r);
    }
}

static void the_wheel_scrolls_help(void **state) {
    (void)state;
    struct run r = start("xterm-256color", "mouse=yes");
    press(&r, true, 0, 23, in_bar(&r, "F1Help") + 3);
    take(&r);
    char *before = strdup(vt_text(r.v));
    press(&r, true, 65, 10, 10);
    take(&r);
    assert_string_not_equal(vt_text(r.v), before);
    press(&r, true, 64, 10, 10);
    take(&r);
    assert_string_equal(vt_text(r.v), before);
    free(before);
    end(&r);
}

static void the_mouse_may_be_left_alone(void **state) {
    (void)state;
    struct run r = start("xterm-256color", "mouse=no");
    assert_false(vt_mode(r.v, 1000) || vt_mode(r.v, 1006));
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_pressed),
        cmocka_unit_test(the_wheel_scrolls_help),
        cmocka_unit_test(the_mouse_may_be_left_alone),
    };
    return cmocka_run_group_tests_name("mouse", tests, NULL, NULL);
}
