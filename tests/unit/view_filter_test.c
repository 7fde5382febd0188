/* The line of the filter, and the keys that edit any line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

enum { CTRL_U = 21, CTRL_W = 23 };
static const struct ui_options live = {.unicode = true};

static void applies_as_it_is_typed(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "\\train");
    SHOWS(sc, "Filter: train");
    SHOWS(sc, "50177");
    HIDES(sc, "48213");
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[filter train]");
    HIDES(sc, "48213");
    close_screen(sc);
}

static void the_old_one_stays_while_it_cannot_be_read(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "\\train (");
    SHOWS(sc, "expected");
    SHOWS(sc, "50177");
    HIDES(sc, "48213");
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "Filter: train (");
    press(sc, UI_KEY_ESC);
    HIDES(sc, "[filter");
    SHOWS(sc, "48213");
    close_screen(sc);
}

static void esc_goes_back_and_nothing_removes(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "\\train");
    press(sc, UI_KEY_ENTER);
    press(sc, UI_KEY_F1 + 3);
    SHOWS(sc, "Filter: train");
    type(sc, "ing-of-none");
    HIDES(sc, "50177");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "50177");
    press(sc, UI_KEY_F1 + 3);
    press(sc, CTRL_U);
    SHOWS(sc, "48213");
    press(sc, UI_KEY_ENTER);
    HIDES(sc, "[filter");
    close_screen(sc);
}

static void an_empty_table_names_the_filter(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "\\nosuchthing");
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "the filter nosuchthing leaves no row (F4 Ctrl-U Enter clears it)");
    close_screen(sc);
}

static void options_that_mean_nobody_are_named(void **state) {
    struct ui_options o = live;
    (void)state;
    o.query.pid = 1;
    struct screen *sc = open_screen(o, snap_typical);
    SHOWS(sc, "process 1 (-p)");
    close_screen(sc);
    o = live;
    o.query.user = span_of("nobody");
    sc = open_screen(o, snap_typical);
    SHOWS(sc, "user nobody has no process");
    close_screen(sc);
    o = live;
    o.query.device = span_of("voodoo");
    sc = open_screen(o, snap_typical);
    SHOWS(sc, "no device is meant by -i voodoo");
    close_screen(sc);
}

static void lines_are_edited_in_the_middle(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "/wxz");
    press(sc, UI_KEY_LEFT);
    type(sc, "y");
    SHOWS(sc, "Search: wxyz");
    press(sc, UI_KEY_HOME);
    press(sc, UI_KEY_DELETE);
    SHOWS(sc, "Search: xyz");
    press(sc, UI_KEY_RIGHT);
    press(sc, UI_KEY_BACKSPACE);
    SHOWS(sc, "Search: yz");
    press(sc, UI_KEY_END);
    type(sc, " one two");
    press(sc, CTRL_W);
    SHOWS(sc, "Search: yz one ");
    HIDES(sc, "two");
    press(sc, UI_KEY_HOME);
    press(sc, 0xe9); /* é */
    press(sc, UI_KEY_LEFT);
    press(sc, UI_KEY_DELETE);
    SHOWS(sc, "Search: yz one");
    close_screen(sc);
}

static void a_long_line_keeps_its_cursor_in_sight(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "/");
    for (int i = 0; i < 600; i++) {
        type(sc, "a");
    }
    type(sc, "b");
    HIDES(sc, "aab"); /* it takes no more than it holds */
    press(sc, UI_KEY_BACKSPACE);
    type(sc, "b");
    SHOWS(sc, "aab");
    press(sc, UI_KEY_HOME);
    HIDES(sc, "aab");
    SHOWS(sc, "Search: aaa");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applies_as_it_is_typed),
        cmocka_unit_test(the_old_one_stays_while_it_cannot_be_read),
        cmocka_unit_test(esc_goes_back_and_nothing_removes),
        cmocka_unit_test(an_empty_table_names_the_filter),
        cmocka_unit_test(options_that_mean_nobody_are_named),
        cmocka_unit_test(lines_are_edited_in_the_middle),
        cmocka_unit_test(a_long_line_keeps_its_cursor_in_sight),
    };
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
