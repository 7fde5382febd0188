/* The forms of the strip, and the lines around the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

static struct settings settings;

static struct ui_options with(const char *key, const char *value) {
    settings_init(&settings);
    assert_int_equal(settings_set(&settings, span_of(key), span_of(value), NULL), ERR_OK);
    return (struct ui_options){.unicode = true, .settings = &settings};
}

static void build_sixty_four(struct snap *b) {
    snap_cards(b, 64, 5);
}

static void build_four(struct snap *b) {
    snap_cards(b, 4, 5);
}

static void forms_are_chosen(void **state) {
    struct screen *sc = open_screen(with("strip", "off"), build_four);
    (void)state;
    HIDES(sc, "Arc A770");
    close_screen(sc);
    sc = open_screen(with("strip", "summary"), build_four);
    HIDES(sc, "Arc A770");
    SHOWS(sc, "40%");
    close_screen(sc);
    sc = open_screen(with("strip", "compact"), build_four);
    SHOWS(sc, "1 Arc A770");
    HIDES(sc, "cmp");
    close_screen(sc);
}

static void of_many_the_busiest_have_a_line(void **state) {
    struct screen *sc = open_screen(with("strip", "auto"), build_sixty_four);
    (void)state;
    SHOWS(sc, "23 Mali-G610");
    SHOWS(sc, "99 %");
    HIDES(sc, " 0 Radeon");
    SHOWS(sc, "zz");
    SHOWS(sc, "+4");
    close_screen(sc);
}

static void plain_has_no_bars(void **state) {
    struct screen *sc = open_screen(with("plain", "yes"), snap_card);
    (void)state;
    HIDES(sc, "▕");
    HIDES(sc, "█");
    HIDES(sc, "14:22:05");
    HIDES(sc, "ms a tick");
    SHOWS(sc, "55 %");
    close_screen(sc);
}

static void the_hint_goes_with_the_first_key(void **state) {
    struct screen *sc = open_screen(with("hint", "yes"), snap_typical);
    (void)state;
    SHOWS(sc, "F1 help, F4 filter");
    press(sc, UI_KEY_DOWN);
    HIDES(sc, "F1 help, F4 filter");
    close_screen(sc);
    sc = open_screen(with("hint", "no"), snap_typical);
    HIDES(sc, "F1 help, F4 filter");
    close_screen(sc);
}

static void the_table_alone_for_copying(void **state) {
    struct screen *sc = open_screen(with("mouse", "yes"), snap_card);
    (void)state;
    tells(sc, 'y', UI_SETTINGS, 0);
    SHOWS(sc, "[copy]");
    HIDES(sc, "Radeon RX 7800 XT");
    tells(sc, 'y', UI_SETTINGS, 0);
    HIDES(sc, "[copy]");
    SHOWS(sc, "Radeon RX 7800 XT");
    close_screen(sc);
}

static void keys_without_use_say_so(void **state) {
    struct screen *sc = open_screen(with("hint", "no"), snap_typical);
    (void)state;
    type(sc, "~");
    SHOWS(sc, "~ does nothing here; F1 shows the keys");
    press(sc, UI_KEY_DOWN);
    HIDES(sc, "does nothing");
    close_screen(sc);
}

/* ---- devices that come and go ---------------------------------------------------------------- */

static void the_device_alone_stays_the_same(void **state) {
    struct snap b;
    struct ui *ui = NULL;
    struct grid g = {0};
    struct buf text = {0};
    struct ui_options o = with("hint", "no");
    struct ui_play play = {.busy_ppm = -1};
    (void)state;
    snap_card(&b);
    b.devices[0].subject = 7;
    b.devices[1].subject = 9;
    assert_int_equal(ui_create(&o, &ui), ERR_OK);
    assert_int_equal(grid_resize(&g, 24, 80), ERR_OK);
    (void)ui_key(ui, UI_KEY_TAB, snap_get(&b));
    (void)ui_key(ui, UI_KEY_TAB, snap_get(&b));
    b.devices[0].subject = 9; /* the first one went, and the second has its place */
    b.devices[1].subject = 12;
    ui_render(ui, snap_get(&b), &play, &g);
    grid_dump(&g, &text);
    buf_char(&text, '\0');
    assert_non_null(strstr(text.p, "[device 0 alone]"));
    b.devices[0].subject = 12;
    b.devices[1].subject = 13;
    buf_clear(&text);
    ui_render(ui, snap_get(&b), &play, &g);
    grid_dump(&g, &text);
    buf_char(&text, '\0');
    assert_null(strstr(text.p, "alone]"));
    assert_non_null(strstr(text.p, "is gone"));
    ui_destroy(ui);
    grid_finish(&g);
    buf_finish(&text);
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_chosen),
        cmocka_unit_test(of_many_the_busiest_have_a_line),
        cmocka_unit_test(plain_has_no_bars),
        cmocka_unit_test(the_hint_goes_with_the_first_key),
        cmocka_unit_test(the_table_alone_for_copying),
        cmocka_unit_test(keys_without_use_say_so),
        cmocka_unit_test(the_device_alone_stays_the_same),
    };
    return cmocka_run_group_tests_name("strip", tests, NULL, NULL);
}
