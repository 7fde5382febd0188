/*
 * What a terminal shows, read back from the bytes that were sent to it: the same text on each kind of terminal,
 * inside its edges and with nothing in it that is no text; after storms of resizes, a stop, pasted rubbish; and
 * how many bytes a tick takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capability.h"
#include "screen_run.h"
#include "vt.h"

#define ROWS    24
#define COLUMNS 80

/* A recording that stands still at its start shows the same on every terminal. */
static const char *const still[] = {"replay", "fixtures/demo/demo.gwt.zst", "--speed", "0.01",
                                    NULL};

static void nap(double s) {
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    nanosleep(&t, NULL);
}

/* ---- the same everywhere --------------------------------------------------------------------- */

/* The table, and the help below it. */
static char *seen_on(const char *term, const char *locale) {
    const char *const args[] = {still[0], still[1],           still[2], still[3],
                                "--set",  screen_mouse(term), NULL};
    struct picture r = picture_start(args, term, locale, ROWS, COLUMNS);
    picture_expect_marks(&r);
    picture_keys(&r, " "); /* no tick comes from now on */
    char *table = strdup(vt_text(r.v));
    picture_keys(&r, "h");
    const char *help = vt_text(r.v);
    char *text = malloc(strlen(table) + strlen(help) + 1);
    assert_non_null(text);
    strcat(strcpy(text, table), help);
    free(table);
    picture_end(&r);
    return text;
}

static void assert_ascii(const char *text, const char *term) {
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p >= 0x80)
            fail_msg("%s: not ASCII", term);
}

static void all_terminals_show_the_same(void **state) {
    static const char *const terms[] = {"vt100",         "ansi",
                                        "linux",         "xterm",
                                        "screen",        "screen-256color",
                                        "tmux-256color", "rxvt-unicode-256color",
                                        "vt220",         "putty",
                                        "xterm-direct"};
    static const char *const locales[] = {"C", "C.UTF-8"};
    char none[64];
    (void)state;
    for (size_t l = 0; l < 2; l++) {
        char *wanted = seen_on("xterm-256color", locales[l]);
        assert_non_null(strstr(wanted, "PID"));
        assert_non_null(strstr(wanted, "this help"));
        if (l == 0)
            assert_ascii(wanted, "xterm-256color");
        for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
            if (!capability_of(terms[i], NULL, none))
                continue; /* this machine does not know the type */
            char *text = seen_on(terms[i], locales[l]);
            if (strcmp(text, wanted) != 0)
                fail_msg("%s, %s:\n%s\ninstead of\n%s", terms[i], locales[l], text, wanted);
            free(text);
        }
        free(wanted);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void any_size(void **state) {
    static const int sizes[][2] = {{1, 1}, {2, 3}, {5, 20}, {24, 80}, {60, 200}, {200, 500}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct picture r =
            picture_start(still, "xterm-256color", "C.UTF-8", sizes[i][0], sizes[i][1]);
        if (sizes[i][0] >= 24)
            assert_non_null(strstr(vt_text(r.v), "PID"));
        picture_end(&r);
    }
}

/* The last of a hundred sizes is what is drawn. */
static void a_storm_of_resizes(void **state) {
    (void)state;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    picture_keys(&r, " ");
    for (int i = 0; i < 100; i++) {
        terminal_resize(r.t, 5 + i * 7 % 50, 20 + i * 13 % 150);
        nap(0.01);
    }
    picture_resize(&r, 30, 100);
    picture_keys(&r, "\f"); /* Ctrl-L: all anew, also what was drawn for another size before */
    picture_expect_marks(&r);
    char *text = strdup(vt_text(r.v));
    picture_end(&r);
    struct picture fresh = picture_start(still, "xterm-256color", "C.UTF-8", 30, 100);
    picture_keys(&fresh, " ");
    picture_keys(&fresh, "\f");
    picture_expect_marks(&fresh);
    assert_string_equal(text, vt_text(fresh.v));
    picture_end(&fresh);
    free(text);
}

/* ---- stopped, and gone on -------------------------------------------------------------------- */

static void a_stop_gives_the_terminal_back(void **state) {
    (void)state;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    picture_keys(&r, " ");
    picture_expect_marks(&r);
    char *before = strdup(vt_text(r.v));
    assert_true(vt_mode(r.v, 1000) && vt_mode(r.v, 1049));
    assert_false(vt_mode(r.v, 25));
    terminal_send(r.t, "\x1a");
    assert_true(terminal_stopped(r.t));
    picture_draw(&r);
    assert_false(vt_mode(r.v, 1000) || vt_mode(r.v, 1006) || vt_mode(r.v, 1049));
    assert_true(vt_mode(r.v, 25));
    terminal_resize(r.t, 40, 100); /* as by another window of tmux meanwhile */
    vt_resize(r.v, 40, 100);
    kill(terminal_pid(r.t), SIGCONT);
    picture_take(&r);
    assert_true(vt_mode(r.v, 1000) && vt_mode(r.v, 1049));
    assert_non_null(strstr(vt_row(r.v, 39), "F10"));
    picture_resize(&r, ROWS, COLUMNS);
    assert_string_equal(vt_text(r.v), before);
    free(before);
    picture_end(&r);
}

/* ---- rubbish --------------------------------------------------------------------------------- */

/* Keys that leave, stop or signal are not in it: the screen must be there afterwards. */
static char *rubbish(size_t n) {
    uint32_t seed = 5;
    char *text = malloc(n + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        unsigned char c = (unsigned char)(seed >> 24);
        bool is_bad = c < ' ' || c == 'q' || c == 'k' || c == '~';
        text[i] = (char)(is_bad ? 0x1b : c);
    }
    text[n] = '\0';
    return text;
}

static void rubbish_does_no_harm(void **state) {
    (void)state;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    char *text = rubbish(1 << 20);
    for (size_t at = 0; at < 1 << 20; at += 2048) {
        char piece[2049];
        memcpy(piece, text + at, 2048);
        piece[2048] = '\0';
        terminal_send(r.t, piece);
        terminal_pump(r.t, 0.001, 0.01);
    }
    free(text);
    screen_settle(r.t);
    nap(1.2); /* what is dropped ends with the second */
    for (int i = 0; i < 8; i++)
        screen_keys(r.t, "\033"); /* closes what may be open */
    terminal_forget(r.t);
    picture_keys(&r, "\f");
    picture_expect(&r, "F10");
    picture_end(&r);
}

/* A sequence that comes in two reads is still one key, if it comes soon: one of many must have been soon enough. */
static void keys_cut_in_two(void **state) {
    (void)state;
    time_t end = time(NULL) + (time_t)TERMINAL_LONG_S;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    while (!picture_holds(&r, "this help") && time(NULL) < end) {
        picture_keys(&r, "\033");
        terminal_send(r.t, "\033O");
        picture_keys(&r, "P"); /* F1 */
    }
    assert_true(picture_holds(&r, "this help"));
    picture_end(&r);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint64_t tick_shown(struct picture *p) {
    const char *at = strstr(vt_text(p->v), "tick ");
    assert_non_null(at);
    return strtoull(at + 5, NULL, 10);
}

/* Each tick of the demonstration at 200 x 60. */
static void a_tick_is_small(void **state) {
    size_t n = 0;
    uint64_t ticks = 0;
    (void)state;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", 60, 200);
    picture_expect_marks(&r);
    picture_keys(&r, "+++++++"); /* somewhat more than one a second */
    for (uint64_t from = tick_shown(&r); ticks < 5; ticks = tick_shown(&r) - from) {
        terminal_pump(r.t, 0.05, 1);
        n += picture_take(&r);
    }
    if (n == 0 || n / ticks > 4096)
        fail_msg("%zu bytes for %u ticks", n, (unsigned)ticks);
    picture_end(&r);
}

static void nothing_new_is_no_byte(void **state) {
    size_t n;
    (void)state;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", 60, 200);
    picture_expect_marks(&r);
    picture_keys(&r, " "); /* pause */
    terminal_pump(r.t, 60, 3);
    terminal_output(r.t, &n);
    assert_int_equal(n, 0);
    picture_end(&r);
}

/* ---- title and cursor ------------------------------------------------------------------------ */

static void the_title_is_told_where_there_is_one(void **state) {
    (void)state;
    struct picture r = picture_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    assert_non_null(strstr(vt_title(r.v), "gwtop"));
    picture_end(&r);
    r = picture_start(still, "vt100", "C", ROWS, COLUMNS);
    assert_string_equal(vt_title(r.v), "");
    picture_end(&r);
}

static void the_cursor_is_on_the_selected_row(void **state) {
    int row, column, next;
    (void)state;
    struct picture r = picture_start(PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst", "--speed",
                                                  "0.01", "--set", "plain=yes"),
                                     "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    assert_ascii(vt_text(r.v), "plain");
    assert_true(vt_mode(r.v, 25));
    vt_cursor(r.v, &row, &column);
    picture_keys(&r, "\033OB"); /* Down */
    vt_cursor(r.v, &next, &column);
    assert_int_equal(next, row + 1);
    assert_int_equal(column, 0);
    picture_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_terminals_show_the_same),
        cmocka_unit_test(any_size),
        cmocka_unit_test(a_storm_of_resizes),
        cmocka_unit_test(a_stop_gives_the_terminal_back),
        cmocka_unit_test(rubbish_does_no_harm),
        cmocka_unit_test(keys_cut_in_two),
        cmocka_unit_test(a_tick_is_small),
        cmocka_unit_test(nothing_new_is_no_byte),
        cmocka_unit_test(the_title_is_told_where_there_is_one),
        cmocka_unit_test(the_cursor_is_on_the_selected_row),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
