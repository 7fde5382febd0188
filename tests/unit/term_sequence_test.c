/*
 * Keys in a form that the terminfo entry does not name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "term/screen.h"

static uint32_t key(const char *behind) {
    struct term t = {0};
    return sequence_key(&t, span_of(behind));
}

static void arrows_and_ends(void **state) {
    (void)state;
    assert_int_equal(key("A"), UI_KEY_UP);
    assert_int_equal(key("B"), UI_KEY_DOWN);
    assert_int_equal(key("1;5C"), UI_KEY_RIGHT); /* with Ctrl */
    assert_int_equal(key("D"), UI_KEY_LEFT);
    assert_int_equal(key("H"), UI_KEY_HOME);
    assert_int_equal(key("F"), UI_KEY_END);
    assert_int_equal(key("Z"), UI_KEY_BACK_TAB);
    assert_int_equal(key("1~"), UI_KEY_HOME);
    assert_int_equal(key("3~"), UI_KEY_DELETE);
    assert_int_equal(key("4~"), UI_KEY_END);
    assert_int_equal(key("5~"), UI_KEY_PAGE_UP);
    assert_int_equal(key("6;2~"), UI_KEY_PAGE_DOWN);
    assert_int_equal(key("P"), UI_KEY_F1);
    assert_int_equal(key("15~"), UI_KEY_F1 + 4);
    assert_int_equal(key("17~"), UI_KEY_F1 + 5);
    assert_int_equal(key("24~"), UI_KEY_F1 + 11);
    assert_int_equal(key("1;2R"), UI_KEY_F1 + 2); /* with Shift */
    assert_int_equal(key("[A"), UI_KEY_F1);
    assert_int_equal(key("[E"), UI_KEY_F1 + 4);
}

static void what_is_none(void **state) {
    static const char *const none[] = {
        "",     "~",       "0~",      "16~",         "99999999999999999999~",
        "q",    "200~",    "?1;2c",   "24;80R",      "?1;1R",
        ">1A",  "[",       "[F",      "[AA",         "<0;1M",
        "<;;M", "<0;0;5M", "<0;5;0M", "<0;70000;5M", "<3;5;5M",
        "<"};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        struct term t = {.pointer = {.is_on = true}};
        assert_int_equal(sequence_key(&t, span_of(none[i])), UI_KEY_NONE);
    }
}

static void mouse_reports(void **state) {
    struct term t = {.pointer = {.is_on = true}};
    struct ui_mouse m;
    (void)state;
    assert_int_equal(sequence_key(&t, span_of("<0;10;12M")), UI_KEY_MOUSE);
    term_mouse(&t, &m);
    assert_int_equal(m.row, 11);
    assert_int_equal(m.column, 9);
    assert_int_equal(m.button, UI_BUTTON_LEFT);
    assert_int_equal(sequence_key(&t, span_of("<0;10;12m")), UI_KEY_NONE); /* its release */
    assert_int_equal(sequence_key(&t, span_of("<65;1;1M")), UI_KEY_MOUSE);
    term_mouse(&t, &m);
    assert_int_equal(m.button, UI_WHEEL_DOWN);
    t.pointer.is_on = false;
    assert_int_equal(sequence_key(&t, span_of("<0;10;12M")), UI_KEY_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrows_and_ends),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(mouse_reports),
    };
    return cmocka_run_group_tests_name("sequences", tests, NULL, NULL);
}
