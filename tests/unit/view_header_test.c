/* Keys on the header of the table, and the columns that do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

static const struct ui_options live = {.unicode = true};

static void up_leads_to_the_header(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_UP);
    SHOWS(sc, "[GPU%▾]");
    SHOWS(sc, "busy share of its busiest engine");
    press(sc, UI_KEY_LEFT);
    SHOWS(sc, "[TYPE]");
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[TYPE▴]");
    type(sc, " ");
    SHOWS(sc, "[TYPE▾]");
    press(sc, UI_KEY_DOWN);
    HIDES(sc, "[TYPE");
    press(sc, UI_KEY_UP);
    press(sc, UI_KEY_ESC);
    HIDES(sc, "[TYPE");
    close_screen(sc);
}

static void a_letter_leaves_it_and_works(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_UP);
    type(sc, "V");
    HIDES(sc, "[GPU%");
    SHOWS(sc, "VRAM▾");
    close_screen(sc);
}

static void a_column_is_explained(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_UP);
    type(sc, "?");
    SHOWS(sc, "Column GPU%");
    SHOWS(sc, "driver amdgpu");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "[GPU%▾]");
    press(sc, UI_KEY_ESC);
    type(sc, "<?");
    SHOWS(sc, "Column GPU%");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "Sort by");
    close_screen(sc);
    sc = open_screen(live, snap_typical);
    type(sc, "?");
    SHOWS(sc, "this help");
    close_screen(sc);
}

static void columns_move_below_the_first(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    SHOWS(sc, "›");
    press(sc, UI_KEY_RIGHT);
    SHOWS(sc, "PID‹");
    HIDES(sc, "USER");
    for (int i = 0; i < 30; i++) {
        press(sc, UI_KEY_RIGHT);
    }
    SHOWS(sc, "PID‹");
    HIDES(sc, "›");
    HIDES(sc, "blender -b");
    for (int i = 0; i < 40; i++) {
        press(sc, UI_KEY_LEFT);
    }
    HIDES(sc, "‹");
    SHOWS(sc, "USER");
    SHOWS(sc, "blender -b");
    close_screen(sc);
}

static void no_number_is_cut_at_the_edge(void **state) {
    struct ui_options o = live;
    (void)state;
    assert_int_equal(column_set_parse(span_of("pid,container,nspid,start,rss,vram,gtt,shared,gpu,"
                                              "cpu,w,pws,pw,j,method,user,command"),
                                      &o.columns, NULL),
                     ERR_OK);
    struct screen *sc = open_screen(o, snap_typical);
    SHOWS(sc, "›");
    HIDES(sc, "COMMAND");
    for (int i = 0; i < 20; i++) {
        press(sc, UI_KEY_RIGHT);
    }
    SHOWS(sc, "COMMAND");
    SHOWS(sc, "PID‹");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_leads_to_the_header),
        cmocka_unit_test(a_letter_leaves_it_and_works),
        cmocka_unit_test(a_column_is_explained),
        cmocka_unit_test(columns_move_below_the_first),
        cmocka_unit_test(no_number_is_cut_at_the_edge),
    };
    return cmocka_run_group_tests_name("header", tests, NULL, NULL);
}
