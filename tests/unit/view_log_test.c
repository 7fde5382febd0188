/* The log pane: the newest line at the bottom, scrolling that holds its place, long lines, the hint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/view.h"
#include "shown.h"
#include "snap_cases.h"

static struct ui_log_line lines[UI_LOG_LINES];
static char texts[UI_LOG_LINES][32];
static struct ui_log written;

/* "line 0", "line 1", ...: all INFO. */
static struct screen *open_with(uint32_t count) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, snap_typical);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "line %u.", i);
        lines[i] = (struct ui_log_line){span_of(texts[i]), LOG_INFO};
    }
    written = (struct ui_log){.count = count, .kept = count, .lines = lines};
    sc->play.log = &written;
    return sc;
}

static void add(uint8_t level, const char *text) {
    lines[written.kept++] = (struct ui_log_line){span_of(text), level};
    written.count++;
}

static void says_that_there_is_nothing(void **state) {
    struct screen *sc = open_with(0);
    (void)state;
    type(sc, "L");
    SHOWS(sc, "no messages yet");
    sc->play.log = NULL;
    SHOWS(sc, "no messages yet");
    type(sc, "L");
    SHOWS(sc, "PID USER");
    close_screen(sc);
}

static void follows_and_scrolls(void **state) {
    struct screen *sc = open_with(100);
    (void)state;
    type(sc, "L");
    SHOWS(sc, "line 99.");
    HIDES(sc, "line 50.");
    add(LOG_WARN, "a new one");
    SHOWS(sc, "warning  a new one");
    press(sc, UI_KEY_HOME);
    SHOWS(sc, "line 0.");
    HIDES(sc, "line 99.");
    press(sc, UI_KEY_DOWN);
    HIDES(sc, "line 0.");
    SHOWS(sc, "line 1.");
    press(sc, UI_KEY_PAGE_DOWN);
    HIDES(sc, "line 1.");
    press(sc, UI_KEY_END);
    SHOWS(sc, "a new one");
    close_screen(sc);
}

/* What one reads further up stays where it is when lines come. */
static void holds_its_place(void **state) {
    struct screen *sc = open_with(100);
    (void)state;
    type(sc, "L");
    drawn(sc);
    press(sc, UI_KEY_PAGE_UP);
    char before[8192];
    snprintf(before, sizeof before, "%s", drawn(sc));
    for (int i = 0; i < 5; i++)
        add(LOG_INFO, "more");
    assert_string_equal(drawn(sc), before);
    close_screen(sc);
}

static void wraps_long_lines(void **state) {
    struct screen *sc = open_with(1);
    static char text[400];
    (void)state;
    for (int i = 0; i < 30; i++)
        strcat(text, "elephants ");
    strcat(text, "end.");
    add(LOG_ERROR, text);
    add(LOG_DEBUG, "short");
    type(sc, "L");
    SHOWS(sc, "error    elephants elephants");
    SHOWS(sc, "elephants end.");
    SHOWS(sc, "debug    short");
    for (int columns = 0; columns < 60; columns++) {
        assert_int_equal(grid_resize(&sc->g, 1 + columns % 9, columns), ERR_OK);
        press(sc, columns % 2 ? UI_KEY_HOME : UI_KEY_END);
        drawn(sc);
    }
    close_screen(sc);
}

static void hints_until_it_was_looked_at(void **state) {
    struct screen *sc = open_with(3);
    (void)state;
    HIDES(sc, "new message");
    add(LOG_ERROR, "lost");
    SHOWS(sc, "1 new message: L shows it");
    add(LOG_DEBUG, "chatter");
    SHOWS(sc, "1 new message: L shows it");
    add(LOG_WARN, "odd");
    SHOWS(sc, "2 new messages: L shows them");
    type(sc, "L");
    HIDES(sc, "new message");
    press(sc, UI_KEY_ESC);
    HIDES(sc, "new message");
    add(LOG_WARN, "odd again");
    SHOWS(sc, "1 new message: L shows it");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_that_there_is_nothing),
        cmocka_unit_test(follows_and_scrolls),
        cmocka_unit_test(holds_its_place),
        cmocka_unit_test(wraps_long_lines),
        cmocka_unit_test(hints_until_it_was_looked_at),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
