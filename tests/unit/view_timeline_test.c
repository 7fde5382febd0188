/* The timeline of a recording: where the play head and the marks stand, what can be clicked, what the words say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/view.h"
#include "shown.h"
#include "snap_cases.h"
#include "view/ui.h"

#define S INT64_C(1000000000)

static const struct ui_options fancy = {.unicode = true, .replay = true};
static const struct ui_options ascii = {.replay = true};
static struct ui_marks marks;

static struct screen *open_at(struct ui_options o, int64_t at_s) {
    struct screen *sc = open_screen(o, snap_typical);
    marks = (struct ui_marks){.known_ppm = 1000000};
    sc->play = (struct ui_play){.at_ns = at_s * S,
                                .length_ns = 100 * S,
                                .tick = (uint64_t)at_s + 1,
                                .ticks = 101,
                                .speed_milli = 1000,
                                .busy_ppm = -1,
                                .marks = &marks};
    return sc;
}

static const struct spot *bar_of(const struct screen *sc) {
    for (uint32_t i = 0; i < sc->ui->spots.count; i++)
        if (sc->ui->spots.list[i].kind == SPOT_TIME)
            return &sc->ui->spots.list[i];
    return NULL;
}

/* What stands in cell `i` of the bar. */
static const char *cell(struct screen *sc, int i) {
    static char text[16];
    drawn(sc);
    const struct spot *p = bar_of(sc);
    assert_non_null(p);
    const struct cell *c = grid_at(&sc->g, p->row, p->column + i);
    memcpy(text, c->bytes, c->len);
    text[c->len] = '\0';
    return text;
}

static int cells(struct screen *sc) {
    drawn(sc);
    assert_non_null(bar_of(sc));
    return bar_of(sc)->columns;
}

static void says_state_and_speed(void **state) {
    struct screen *sc = open_at(fancy, 23);
    (void)state;
    SHOWS(sc, "playing     0:23 / 1:40");
    SHOWS(sc, "1x  tick 24/101");
    sc->play.loops = true;
    sc->play.speed_milli = 250;
    SHOWS(sc, "0.25x  loop  tick 24/101");
    sc->play.paused = true;
    SHOWS(sc, "paused      0:23");
    sc->play.busy_ppm = 420000;
    SHOWS(sc, "seeking 42 %");
    sc->play.busy_ppm = -1;
    sc->play.at_end = true;
    SHOWS(sc, "at the end");
    close_screen(sc);
}

static void marks_stand_where_it_happened(void **state) {
    struct screen *sc = open_at(ascii, 0);
    (void)state;
    int n = cells(sc);
    assert_true(n >= 16);
    for (int i = 1; i < n; i++)
        assert_string_equal(cell(sc, i), " ");
    marks.bits[UI_MARKS - 1] = UI_MARK_START;
    marks.bits[UI_MARKS / 2] = UI_MARK_EXIT;
    marks.bits[UI_MARKS / 4] = UI_MARK_LIMIT;
    assert_string_equal(cell(sc, n - 1), "+");
    assert_string_equal(cell(sc, n / 2), "-");
    assert_string_equal(cell(sc, n / 4), "!");
    close_screen(sc);
}

/* Marks too narrow for a cell of their own are not lost, and the one that matters most wins. */
static void the_most_important_wins(void **state) {
    struct screen *sc = open_at(ascii, 0);
    (void)state;
    static const struct {
        int bits;
        const char *sign;
    } all[] = {{UI_MARK_START, "+"},
               {UI_MARK_START | UI_MARK_EXIT, "-"},
               {UI_MARK_START | UI_MARK_EXIT | UI_MARK_LIMIT, "!"},
               {UI_MARK_START | UI_MARK_EXIT | UI_MARK_LIMIT | UI_MARK_MISSING, "?"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        marks.bits[300] = (uint8_t)all[i].bits;
        assert_string_equal(cell(sc, 300 * cells(sc) / UI_MARKS), all[i].sign);
    }
    marks.bits[300] = UI_MARK_START;
    marks.bits[301] = UI_MARK_MISSING;
    assert_string_equal(cell(sc, 300 * cells(sc) / UI_MARKS), "?");
    close_screen(sc);
}

/* However much happened, one sees where one is. */
static void the_head_is_never_hidden(void **state) {
    static const struct ui_options both[] = {{.unicode = true, .replay = true}, {.replay = true}};
    (void)state;
    for (int o = 0; o < 2; o++)
        for (int at = 0; at <= 100; at += 10) {
            struct screen *sc = open_at(both[o], at);
            memset(marks.bits, UI_MARK_LIMIT, sizeof marks.bits);
            int n = cells(sc), heads = 0;
            for (int i = 0; i < n; i++)
                heads += strcmp(cell(sc, i), "!") != 0;
            assert_int_equal(heads, 1);
            int want = at * n / 100 < n ? at * n / 100 : n - 1;
            assert_string_equal(cell(sc, want), o ? "#" : "█");
            close_screen(sc);
        }
}

static void shows_what_is_not_looked_through(void **state) {
    struct screen *sc = open_at(ascii, 10);
    (void)state;
    marks.known_ppm = 500000;
    int n = cells(sc);
    assert_string_equal(cell(sc, n / 2 - 2), " ");
    assert_string_equal(cell(sc, n / 2 + 1), ".");
    assert_string_equal(cell(sc, n - 1), ".");
    marks.bits[UI_MARKS - 1] = UI_MARK_MISSING;
    assert_string_equal(cell(sc, n - 1), "?");
    close_screen(sc);
}

static void two_rows_where_there_are_rows(void **state) {
    struct screen *sc = open_at(fancy, 50);
    (void)state;
    marks.bits[3] = UI_MARK_LIMIT;
    assert_true(cells(sc) < 60);
    HIDES(sc, "! limit");
    assert_int_equal(grid_resize(&sc->g, 40, 80), ERR_OK);
    assert_int_equal(cells(sc), 78);
    SHOWS(sc, "! limit");
    HIDES(sc, "? missing");
    close_screen(sc);
}

static void no_bar_where_it_says_nothing(void **state) {
    struct screen *sc = open_at(fancy, 50);
    (void)state;
    sc->play.length_ns = 0;
    drawn(sc);
    assert_null(bar_of(sc));
    SHOWS(sc, "0:50 / ?");
    sc->play.length_ns = 100 * S;
    sc->ui->settings.number[SETTING_PLAIN] = 1;
    drawn(sc);
    assert_null(bar_of(sc));
    close_screen(sc);
    sc = open_at((struct ui_options){.unicode = true}, 50);
    drawn(sc);
    assert_null(bar_of(sc));
    close_screen(sc);
}

/* Any size, any position, any bits. */
static void never_outside(void **state) {
    struct screen *sc = open_at(fancy, 100);
    (void)state;
    memset(marks.bits, 255, sizeof marks.bits);
    for (int rows = 0; rows < 40; rows += 3)
        for (int columns = 0; columns < 700; columns += columns < 100 ? 7 : 97) {
            assert_int_equal(grid_resize(&sc->g, rows, columns), ERR_OK);
            for (int64_t at = -1; at <= 3; at++) {
                sc->play.at_ns = at < 3 ? at * 50 * S : INT64_MAX;
                drawn(sc);
            }
        }
    close_screen(sc);
}

static void keys_and_help(void **state) {
    struct screen *sc = open_at(fancy, 0);
    (void)state;
    tells(sc, 'l', UI_LOOP, 0);
    assert_int_equal(grid_resize(&sc->g, 200, 80), ERR_OK);
    type(sc, "?");
    SHOWS(sc, "Marks on the timeline");
    SHOWS(sc, "a limit held a device back");
    close_screen(sc);
    sc = open_screen((struct ui_options){.unicode = true}, snap_typical);
    assert_int_equal(grid_resize(&sc->g, 200, 80), ERR_OK);
    type(sc, "?");
    HIDES(sc, "Marks on the timeline");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_state_and_speed),
        cmocka_unit_test(marks_stand_where_it_happened),
        cmocka_unit_test(the_most_important_wins),
        cmocka_unit_test(the_head_is_never_hidden),
        cmocka_unit_test(shows_what_is_not_looked_through),
        cmocka_unit_test(two_rows_where_there_are_rows),
        cmocka_unit_test(no_bar_where_it_says_nothing),
        cmocka_unit_test(never_outside),
        cmocka_unit_test(keys_and_help),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
