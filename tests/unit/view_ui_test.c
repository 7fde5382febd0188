/* What keys do to the screen, and what they tell the app. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"
#include "view/ui.h"

#define SECOND INT64_C(1000000000)

static const struct ui_options live = {.unicode = true};
static const struct ui_options replay = {.unicode = true, .replay = true};

/* ---- help ------------------------------------------------------------------------------------ */

/* One "keys<TAB>meaning" line for each key of a mode. */
static void put_keys(bool in_replay, struct buf *out) {
    const struct key_info *k;
    for (unsigned i = 0; (k = key_at(i)); i++)
        if (in_replay ? k->replay : k->live) {
            buf_text(out, k->keys);
            buf_char(out, '\t');
            buf_text(out, k->doc);
            buf_char(out, '\n');
        }
}

static void help_speaks_of_its_mode(void **state) {
    struct buf b = {0};
    (void)state;
    put_keys(false, &b);
    buf_char(&b, '\0');
    assert_non_null(strstr(b.p, "F10 q Ctrl-C\tleave gwtop\n"));
    assert_non_null(strstr(b.p, "Home\tselect the first row\n"));
    assert_null(strstr(b.p, "Space Z"));
    buf_clear(&b);
    put_keys(true, &b);
    buf_char(&b, '\0');
    assert_non_null(strstr(b.p, "Space Z\tstop the clock"));
    assert_non_null(strstr(b.p, "Home\tgo to the start"));
    assert_null(strstr(b.p, "select the first row"));
    buf_finish(&b);
}

/* Every key that the help names does something in its mode, and none twice. */
static void help_names_working_keys(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct buf b = {0};
        struct span line, keys, key;
        put_keys(mode, &b);
        struct cursor lines = cursor_over(buf_span_of(&b));
        char seen[128][16];
        unsigned n = 0;
        while (cursor_line(&lines, &line)) {
            struct cursor c = cursor_over(line);
            assert_true(cursor_field(&c, '\t', &keys));
            assert_true(cursor_left(&c) > 5);
            struct cursor words = cursor_over(keys);
            while (cursor_word(&words, &key)) {
                for (unsigned i = 0; i < n; i++) {
                    assert_false(span_equals(key, seen[i]));
                }
                assert_true(n < 128 && key.n < 16);
                snprintf(seen[n++], 16, "%.*s", (int)key.n, key.p);
            }
        }
        buf_finish(&b);
    }
}

/* Who has a right is not told to get it. */
static void remedy_is_for_who_asks(void **state) {
    static const char *const said[] = {[INSIGHT_OWN] = "(need root or CAP_SYS_PTRACE)",
                                       [INSIGHT_ROOT] = "(need CAP_SYS_PTRACE)",
                                       [INSIGHT_ALL] = "(withheld even from root)"};
    (void)state;
    for (unsigned i = INSIGHT_OWN; i <= INSIGHT_ALL; i++) {
        struct ui_options o = live;
        o.insight = (enum insight)i;
        struct screen *sc = open_screen(o, snap_typical);
        SHOWS(sc, said[i]);
        close_screen(sc);
    }
}

/* Intervals of files may be far shorter than a second. */
static void short_delays_are_told(void **state) {
    static const struct {
        int64_t ns;
        const char *said;
    } cases[] = {{1500000000, "  1.5 s"}, {50000000, "  50 ms"}, {500000, "  0.5 ms"}};
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sc->play.delay_ns = cases[i].ns;
        SHOWS(sc, cases[i].said);
    }
    close_screen(sc);
}

static void help_opens_scrolls_and_closes(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_F1);
    SHOWS(sc, "this help");
    HIDES(sc, "blender");
    tells(sc, UI_KEY_END, UI_NONE, 0);
    SHOWS(sc, "the name in brackets");
    HIDES(sc, "this help");
    press(sc, UI_KEY_HOME);
    SHOWS(sc, "this help");
    press(sc, UI_KEY_PAGE_DOWN);
    press(sc, UI_KEY_UP);
    HIDES(sc, "this help");
    tells(sc, 'q', UI_NONE, 0);
    SHOWS(sc, "blender");
    press(sc, 'h');
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "blender");
    press(sc, '?');
    tells(sc, UI_KEY_F1 + 9, UI_QUIT, 0);
    close_screen(sc);
}

/* ---- what the app is told -------------------------------------------------------------------- */

static void keys_for_the_app(void **state) {
    struct screen *sc = open_screen(replay, snap_typical);
    (void)state;
    tells(sc, ' ', UI_PAUSE, 0);
    tells(sc, 'Z', UI_PAUSE, 0);
    tells(sc, '[', UI_STEP, -1);
    tells(sc, ']', UI_STEP, 1);
    tells(sc, '{', UI_STEP, -10);
    tells(sc, '}', UI_STEP, 10);
    tells(sc, '+', UI_SPEED, 1);
    tells(sc, '-', UI_SPEED, -1);
    tells(sc, UI_KEY_HOME, UI_SEEK_START, 0);
    tells(sc, UI_KEY_END, UI_SEEK_END, 0);
    tells(sc, 12, UI_REDRAW_ALL, 0);
    tells(sc, 26, UI_SUSPEND, 0);
    tells(sc, UI_KEY_ESC, UI_NONE, 0);
    tells(sc, UI_KEY_RESIZE, UI_NONE, 0);
    tells(sc, 'q', UI_QUIT, 0);
    tells(sc, UI_KEY_F1 + 9, UI_QUIT, 0);
    close_screen(sc);
    sc = open_screen(live, snap_typical);
    static const uint32_t dead[] = {' ', '[', ']', '{',         '}',
                                    '+', '-', 'g', UI_KEY_HOME, UI_KEY_END};
    for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        tells(sc, dead[i], UI_NONE, 0);
    }
    tells(sc, 'Z', UI_PAUSE, 0);
    close_screen(sc);
}

static void go_to_a_time(void **state) {
    static const struct {
        const char *text;
        int64_t s; /* -1: refused */
    } cases[] = {{"83", 83},
                 {"1:23", 83},
                 {"1:02:03", 3723},
                 {"0", 0},
                 {"", -1},
                 {":5", -1},
                 {"5:", -1},
                 {"1:2:3:4", -1},
                 {"1.5", -1},
                 {"-3", -1},
                 {"9:99", -1},
                 {"1:60:00", -1},
                 {"90:00", 5400},
                 {"99999999999999999999", -1},
                 {"9999999:59:59", -1}};
    struct screen *sc = open_screen(replay, snap_typical);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        press(sc, 'g');
        type(sc, cases[i].text);
        bool good = cases[i].s >= 0;
        tells(sc, UI_KEY_ENTER, good ? UI_SEEK_TIME : UI_NONE, good ? cases[i].s * SECOND : 0);
        if (!good) {
            SHOWS(sc, "not a time");
            press(sc, UI_KEY_ESC);
        }
        HIDES(sc, "Go to: ");
    }
    close_screen(sc);
}

/* ---- selection ------------------------------------------------------------------------------- */

static void selection_stays_on_its_process(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    SELECTS(sc, "51002");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    SELECTS(sc, "2201");
    type(sc, "N");
    SELECTS(sc, "2201");
    type(sc, "I");
    SELECTS(sc, "2201");
    sc->b.processes[0].busy_ppm = snap_value(999999);
    type(sc, "G");
    SELECTS(sc, "2201");
    /* Filtered out it is waited for. */
    sc->b.processes[0].busy_ppm = snap_value(0);
    type(sc, "i");
    assert_null(strstr(selected(sc), " 2201"));
    sc->b.processes[0].busy_ppm = snap_value(5000);
    SELECTS(sc, "2201");
    /* The same pid with another start is another process. */
    sc->b.processes[0].start++;
    sc->b.processes[0].busy_ppm = snap_value(900000);
    assert_null(strstr(selected(sc), " 2201"));
    close_screen(sc);
}

static void nobody_moved_it_the_first_row(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "N");
    SELECTS(sc, "2201");
    type(sc, "G");
    SELECTS(sc, "51002");
    close_screen(sc);
}

static void build_hundred(struct snap *b) {
    snap_many(b, 2, 100, 1);
}

static void pages_and_ends(void **state) {
    struct screen *sc = open_screen(live, build_hundred);
    (void)state;
    type(sc, "N");
    press(sc, UI_KEY_PAGE_DOWN);
    press(sc, UI_KEY_PAGE_DOWN);
    press(sc, UI_KEY_PAGE_UP);
    press(sc, UI_KEY_PAGE_UP);
    SELECTS(sc, "1000 ");
    press(sc, UI_KEY_END);
    SELECTS(sc, "(not attributed)");
    press(sc, UI_KEY_DOWN);
    SELECTS(sc, "(not attributed)");
    press(sc, UI_KEY_HOME);
    press(sc, UI_KEY_UP);
    SELECTS(sc, "1000 ");
    close_screen(sc);
}

static void follow_keeps_it_in_sight(void **state) {
    struct screen *sc = open_screen(live, build_hundred);
    (void)state;
    type(sc, "N");
    press(sc, UI_KEY_DOWN);
    SELECTS(sc, "1001 ");
    type(sc, "I");
    assert_string_equal(selected(sc), "");
    type(sc, "F");
    SELECTS(sc, "1001 ");
    type(sc, "IIVM");
    SELECTS(sc, "1001 ");
    close_screen(sc);
}

static void clients_below_their_process(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    HIDES(sc, "client 18");
    type(sc, "H");
    SHOWS(sc, "└ client 18");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    SELECTS(sc, "client 17");
    type(sc, "H");
    SELECTS(sc, "48213");
    close_screen(sc);
}

/* ---- order and what is shown ----------------------------------------------------------------- */

static void sort_keys(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    SHOWS(sc, "GPU%▾");
    type(sc, "M");
    SHOWS(sc, "RSS▾");
    type(sc, "I");
    SHOWS(sc, "RSS▴");
    type(sc, "N");
    SHOWS(sc, "PID▴");
    type(sc, "P,V");
    SHOWS(sc, "CPU%▾");
    SHOWS(sc, "VRAM2");
    type(sc, ",P");
    SHOWS(sc, "VRAM▾");
    SHOWS(sc, "CPU%2");
    type(sc, "T");
    SHOWS(sc, "GPU TIME▾");
    HIDES(sc, "CPU%2");
    close_screen(sc);
}

static void sort_list(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_F1 + 5);
    SHOWS(sc, "Sort by");
    type(sc, "MGq");
    HIDES(sc, "Sort by");
    type(sc, ">");
    press(sc, UI_KEY_HOME);
    press(sc, UI_KEY_ENTER);
    HIDES(sc, "Sort by");
    SHOWS(sc, "PID▴");
    type(sc, "<");
    press(sc, UI_KEY_END);
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "PID▴");
    close_screen(sc);
}

static void search_as_you_type(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "/fil");
    SHOWS(sc, "Search: fil");
    SELECTS(sc, "48213");
    press(sc, UI_KEY_F1 + 2);
    SELECTS(sc, "9034");
    press(sc, UI_KEY_F1 + 2);
    SELECTS(sc, "48213");
    type(sc, "q");
    SHOWS(sc, "not found");
    press(sc, UI_KEY_BACKSPACE);
    HIDES(sc, "not found");
    press(sc, UI_KEY_ENTER);
    HIDES(sc, "Search:");
    SELECTS(sc, "48213");
    type(sc, "/python");
    SELECTS(sc, "50177");
    press(sc, UI_KEY_ESC);
    SELECTS(sc, "48213");
    press(sc, '/');
    press(sc, 0xe9);
    SHOWS(sc, "Search: \xc3\xa9");
    for (int i = 0; i < 200; i++) {
        press(sc, 0x1f600);
    }
    press(sc, UI_KEY_BACKSPACE);
    assert_true(text_is_clean(span_of(drawn(sc))) || strchr(drawn(sc), '\n'));
    close_screen(sc);
}

static void idle_and_engines(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    SHOWS(sc, "glx");
    type(sc, "i");
    HIDES(sc, "glx");
    SHOWS(sc, "[idle hidden]");
    SHOWS(sc, "firefox");
    type(sc, "i1");
    SHOWS(sc, "glx");
    HIDES(sc, " GFX");
    type(sc, "1");
    SHOWS(sc, " GFX");
    /* A column once of use stays. */
    for (uint32_t i = 0; i < sc->b.s.engine_count; i++) {
        sc->b.engines[i].busy_ppm = snap_value(0);
    }
    SHOWS(sc, " GFX");
    close_screen(sc);
}

/* Of several engines of a class each has a line of its own; then none; then columns again. */
static void each_engine_of_a_process(void **state) {
    struct screen *sc = open_screen(live, snap_mali);
    (void)state;
    HIDES(sc, "PP2");
    type(sc, "1");
    SHOWS(sc, "└ GP0");
    SHOWS(sc, "└ PP3");
    SHOWS(sc, " GFX");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    SELECTS(sc, "PP0");
    sc->b.processes[0].busy_ppm = snap_value(0); /* the other one moves up */
    SELECTS(sc, "PP0");
    type(sc, "/PP3\r");
    SELECTS(sc, "PP3");
    press(sc, UI_KEY_END);
    SELECTS(sc, "PP3"); /* of the jobs without a process */
    press(sc, UI_KEY_UP);
    SELECTS(sc, "PP2");
    press(sc, 'D');
    SHOWS(sc, "Mali-400 MP4  active");
    press(sc, UI_KEY_ESC);
    SELECTS(sc, "PP2");
    type(sc, "1");
    SELECTS(sc, "(unknown pid)");
    HIDES(sc, "PP2");
    HIDES(sc, " GFX");
    type(sc, "1");
    SHOWS(sc, " GFX");
    HIDES(sc, "PP2");
    close_screen(sc);
}

static void stands_above(struct screen *sc, const char *upper, const char *lower) {
    const char *text = drawn(sc);
    assert_non_null(strstr(text, upper));
    assert_non_null(strstr(strstr(text, upper), lower));
}

static void sorted_by_watts_or_pw(void **state) {
    struct screen *sc = open_screen(live, snap_mali);
    (void)state;
    type(sc, "W");
    SHOWS(sc, " W▾");
    stands_above(sc, " 1480 ", " 311 ");
    sc->b.processes[1].power.watts = snap_real(3);
    stands_above(sc, " 311 ", " 1480 ");
    for (uint32_t i = 0; i < sc->b.s.process_count; i++) {
        sc->b.processes[i].power.watts = (struct real){.state = STATE_UNSUPPORTED};
    }
    type(sc, "W");
    SHOWS(sc, "PW▾");
    stands_above(sc, " 1480 ", " 311 ");
    close_screen(sc);
}

static void power_in_the_line_of_a_device(void **state) {
    struct screen *sc = open_screen(live, snap_mali);
    (void)state;
    SHOWS(sc, "0.920 W");
    sc->b.devices[0].power.watts.state = STATE_UNSUPPORTED;
    SHOWS(sc, "0.910 PW");
    sc->b.devices[0].power.pw.state = STATE_UNKNOWN;
    HIDES(sc, " PW ");
    close_screen(sc);
}

static void keys_without_use_say_so(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_F1 + 10);
    SHOWS(sc, "F11 does nothing");
    press(sc, UI_KEY_DOWN);
    HIDES(sc, "does nothing");
    close_screen(sc);
}

static void devices_in_turn(void **state) {
    struct ui_options o = live;
    struct screen *sc = open_screen(o, build_hundred);
    (void)state;
    SHOWS(sc, "0 Radeon");
    SHOWS(sc, "1 Arc");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "[device 0 alone]");
    HIDES(sc, "1 Arc");
    press(sc, UI_KEY_F1 + 7);
    SHOWS(sc, "[device 1 alone]");
    HIDES(sc, "0 Radeon");
    press(sc, UI_KEY_F1 + 7);
    HIDES(sc, "alone]");
    press(sc, UI_KEY_F1 + 6);
    SHOWS(sc, "[device 1 alone]");
    close_screen(sc);
    o.query.device = span_of("xe");
    sc = open_screen(o, build_hundred);
    HIDES(sc, "0 Radeon");
    press(sc, UI_KEY_TAB);
    SHOWS(sc, "[device 1 alone]");
    press(sc, UI_KEY_TAB);
    HIDES(sc, "alone]");
    HIDES(sc, "0 Radeon");
    close_screen(sc);
}

static void commands_move_sideways(void **state) {
    struct ui_options o = live;
    (void)state;
    assert_int_equal(column_set_parse(span_of("pid,user,command"), &o.columns, NULL), ERR_OK);
    struct screen *sc = open_screen(o, snap_typical);
    SHOWS(sc, "blender -b /home");
    press(sc, UI_KEY_RIGHT);
    HIDES(sc, "blender -b /home");
    SHOWS(sc, "-b /home/user/fi");
    press(sc, UI_KEY_LEFT);
    press(sc, UI_KEY_LEFT);
    SHOWS(sc, "blender -b /home");
    close_screen(sc);
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void chosen_columns_in_their_order(void **state) {
    struct ui_options o = live;
    (void)state;
    assert_int_equal(column_set_parse(span_of("command,nspid,pid"), &o.columns, NULL), ERR_OK);
    struct screen *sc = open_screen(o, snap_typical);
    const char *text = drawn(sc);
    const char *command = strstr(text, "COMMAND");
    assert_non_null(command);
    assert_non_null(strstr(command, "NSPID"));
    assert_non_null(strstr(strstr(command, "NSPID"), "PID"));
    HIDES(sc, "GPU%");
    close_screen(sc);
}

static void states_of_a_replay(void **state) {
    struct screen *sc = open_screen(replay, snap_typical);
    (void)state;
    sc->play.at_ns = 83 * SECOND;
    sc->play.length_ns = 3723 * SECOND;
    SHOWS(sc, "playing     1:23 / 1:02:03");
    sc->play.paused = true;
    sc->play.speed_milli = 250;
    SHOWS(sc, "paused");
    SHOWS(sc, "0.25x");
    sc->play.at_end = true;
    SHOWS(sc, "at the end");
    sc->play.busy_ppm = 340000;
    SHOWS(sc, "seeking 34 %");
    sc->play.note = "the recording is cut";
    SHOWS(sc, "the recording is cut");
    HIDES(sc, "a tick"); /* what it cost then is not what it costs now */
    close_screen(sc);
}

static void clock_is_local(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    SHOWS(sc, "14:22:05  1.0 s");
    sc->play.utc_offset_s = -15 * 3600;
    SHOWS(sc, "23:22:05");
    sc->play.now_real_ns = 86399 * SECOND;
    sc->play.utc_offset_s = 3600;
    sc->play.delay_ns = SECOND / 4;
    SHOWS(sc, "00:59:59  0.3 s");
    sc->play.paused = true;
    SHOWS(sc, "[frozen]");
    close_screen(sc);
}

static void ascii_is_ascii(void **state) {
    struct screen *sc = open_screen((struct ui_options){.replay = true}, build_hundred);
    static const char keys[] = {'.', '?', UI_KEY_ESC, '<', UI_KEY_ESC, 'H', '/', 'w', 0};
    (void)state;
    sc->play.length_ns = SECOND;
    for (const char *k = keys; *k; k++) {
        press(sc, (unsigned char)*k);
        for (const char *c = drawn(sc); *c; c++) {
            assert_in_range((unsigned char)*c, '\n', '~');
        }
    }
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_speaks_of_its_mode),
        cmocka_unit_test(help_names_working_keys),
        cmocka_unit_test(remedy_is_for_who_asks),
        cmocka_unit_test(short_delays_are_told),
        cmocka_unit_test(help_opens_scrolls_and_closes),
        cmocka_unit_test(keys_for_the_app),
        cmocka_unit_test(go_to_a_time),
        cmocka_unit_test(selection_stays_on_its_process),
        cmocka_unit_test(nobody_moved_it_the_first_row),
        cmocka_unit_test(pages_and_ends),
        cmocka_unit_test(follow_keeps_it_in_sight),
        cmocka_unit_test(clients_below_their_process),
        cmocka_unit_test(sort_keys),
        cmocka_unit_test(sort_list),
        cmocka_unit_test(search_as_you_type),
        cmocka_unit_test(idle_and_engines),
        cmocka_unit_test(each_engine_of_a_process),
        cmocka_unit_test(sorted_by_watts_or_pw),
        cmocka_unit_test(power_in_the_line_of_a_device),
        cmocka_unit_test(keys_without_use_say_so),
        cmocka_unit_test(devices_in_turn),
        cmocka_unit_test(commands_move_sideways),
        cmocka_unit_test(chosen_columns_in_their_order),
        cmocka_unit_test(states_of_a_replay),
        cmocka_unit_test(clock_is_local),
        cmocka_unit_test(ascii_is_ascii),
    };
    return cmocka_run_group_tests_name("ui", tests, NULL, NULL);
}
