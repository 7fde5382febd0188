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

static bool wraps_late(const char *term) {
    return strcmp(term, "ansi") != 0;
}

struct run {
    struct terminal *t;
    struct vt *v;
    char term[64];
};

static struct run run_start(const char *const *args, const char *term, const char *locale, int rows,
                            int columns) {
    static char term_env[64], locale_env[64];
    struct run r;
    snprintf(r.term, sizeof r.term, "%s", term);
    snprintf(term_env, sizeof term_env, "TERM=%s", term);
    snprintf(locale_env, sizeof locale_env, "LC_ALL=%s", locale);
    r.t = screen_start(args, (const char *const[]){term_env, locale_env, NULL}, rows, columns);
    r.v = vt_create(rows, columns, wraps_late(term));
    return r;
}

/* Reads until it is quiet; what came is on the screen then. */
static void run_read(struct run *r, double quiet) {
    size_t n;
    terminal_pump(r->t, quiet, screen_patience(10));
    const char *out = terminal_output(r->t, &n);
    vt_feed(r->v, out, n);
    terminal_forget(r->t);
}

static void run_keys(struct run *r, const char *keys) {
    terminal_send(r->t, keys);
    run_read(r, 0.4);
}

/* Panes close first; then it ends, and leaves no mode behind. */
static void run_end(struct run *r) {
    bool late = false;
    size_t n;
    if (vt_strange(r->v) > 0)
        fail_msg("%s: %u strange sequences, the first: %s", r->term, vt_strange(r->v),
                 vt_strange_text(r->v));
    for (int i = 0; i < 4; i++) {
        terminal_send(r->t, "q");
        if (!terminal_pump(r->t, 0.3, 1))
            break;
    }
    assert_int_equal(terminal_wait(r->t, screen_patience(5), &late), 0);
    assert_false(late);
    const char *out = terminal_output(r->t, &n);
    vt_feed(r->v, out, n);
    assert_false(vt_mode(r->v, 1000) || vt_mode(r->v, 1006) || vt_mode(r->v, 1049));
    if (strncmp(r->term, "xterm", 5) == 0)
        assert_true(vt_mode(r->v, 25));
    vt_destroy(r->v);
    terminal_finish(r->t);
}

/* ---- the same everywhere --------------------------------------------------------------------- */

/* The table, and the help below it. */
static char *seen_on(const char *term, const char *locale) {
    const char *const args[] = {still[0], still[1],           still[2], still[3],
                                "--set",  screen_mouse(term), NULL};
    struct run r = run_start(args, term, locale, ROWS, COLUMNS);
    run_read(&r, 0.25);
    char *table = strdup(vt_text(r.v));
    terminal_send(r.t, "h");
    run_read(&r, 0.25);
    const char *help = vt_text(r.v);
    char *text = malloc(strlen(table) + strlen(help) + 1);
    assert_non_null(text);
    strcat(strcpy(text, table), help);
    free(table);
    run_end(&r);
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
        struct run r = run_start(still, "xterm-256color", "C.UTF-8", sizes[i][0], sizes[i][1]);
        run_read(&r, 0.4);
        if (sizes[i][0] >= 24)
            assert_non_null(strstr(vt_text(r.v), "PID"));
        run_end(&r);
    }
}

/* The last of a hundred sizes is what is drawn. */
static void a_storm_of_resizes(void **state) {
    (void)state;
    struct run r = run_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    run_read(&r, 0.4);
    for (int i = 0; i < 100; i++) {
        terminal_resize(r.t, 5 + i * 7 % 50, 20 + i * 13 % 150);
        nap(0.01);
    }
    terminal_resize(r.t, 30, 100);
    terminal_pump(r.t, 0.5, screen_patience(5));
    terminal_forget(r.t);
    vt_resize(r.v, 30, 100);
    run_keys(&r, "\f"); /* Ctrl-L: all anew */
    char *text = strdup(vt_text(r.v));
    run_end(&r);
    struct run fresh = run_start(still, "xterm-256color", "C.UTF-8", 30, 100);
    run_read(&fresh, 0.4);
    run_keys(&fresh, "\f"); /* a first hint goes with the first key */
    assert_string_equal(text, vt_text(fresh.v));
    run_end(&fresh);
    free(text);
}

/* ---- stopped, and gone on -------------------------------------------------------------------- */

static void a_stop_gives_the_terminal_back(void **state) {
    (void)state;
    struct run r = run_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    run_read(&r, 0.4);
    run_keys(&r, "\f"); /* a first hint goes with the first key */
    char *before = strdup(vt_text(r.v));
    assert_true(vt_mode(r.v, 1000) && vt_mode(r.v, 1049));
    assert_false(vt_mode(r.v, 25));
    run_keys(&r, "\x1a");
    assert_false(vt_mode(r.v, 1000) || vt_mode(r.v, 1006) || vt_mode(r.v, 1049));
    assert_true(vt_mode(r.v, 25));
    terminal_resize(r.t, 40, 100); /* as by another window of tmux meanwhile */
    vt_resize(r.v, 40, 100);
    kill(terminal_pid(r.t), SIGCONT);
    run_read(&r, 0.5);
    assert_true(vt_mode(r.v, 1000) && vt_mode(r.v, 1049));
    assert_non_null(strstr(vt_row(r.v, 39), "F10"));
    terminal_resize(r.t, ROWS, COLUMNS);
    vt_resize(r.v, ROWS, COLUMNS);
    run_read(&r, 0.5);
    assert_string_equal(vt_text(r.v), before);
    free(before);
    run_end(&r);
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
    struct run r = run_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    run_read(&r, 0.4);
    char *text = rubbish(1 << 20);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (size_t at = 0; at < 1 << 20; at += 2048) {
        char piece[2049];
        memcpy(piece, text + at, 2048);
        piece[2048] = '\0';
        terminal_send(r.t, piece);
        terminal_pump(r.t, 0.001, 0.01);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((double)(end.tv_sec - begin.tv_sec) < screen_patience(45));
    free(text);
    nap(1.2); /* what is dropped ends with the second */
    terminal_pump(r.t, 0.3, screen_patience(5));
    terminal_forget(r.t);
    for (int i = 0; i < 8; i++) {
        terminal_send(r.t, "\033"); /* closes what may be open */
        nap(0.1);
    }
    run_keys(&r, "\f");
    assert_non_null(strstr(vt_text(r.v), "F10"));
    run_end(&r);
}

/* A sequence that comes in two reads is still one key, if it comes soon. */
static void keys_cut_in_two(void **state) {
    (void)state;
    struct run r = run_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    run_read(&r, 0.4);
    terminal_send(r.t, "\033O");
    terminal_send(r.t, "P"); /* F1 */
    run_read(&r, 0.4);
    assert_non_null(strstr(vt_text(r.v), "this help"));
    run_end(&r);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Each tick of the demonstration at 200 x 60. */
static void a_tick_is_small(void **state) {
    size_t n;
    (void)state;
    struct run r = run_start(PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst"), "xterm-256color",
                             "C.UTF-8", 60, 200);
    run_read(&r, 0.2);
    terminal_pump(r.t, 3, 5);
    terminal_forget(r.t);
    terminal_pump(r.t, 60, 5);
    terminal_output(r.t, &n);
    if (n == 0 || n / 5 > 4096)
        fail_msg("%zu bytes a second", n / 5);
    run_read(&r, 0.1);
    run_end(&r);
}

static void nothing_new_is_no_byte(void **state) {
    size_t n;
    (void)state;
    struct run r = run_start(still, "xterm-256color", "C.UTF-8", 60, 200);
    run_read(&r, 0.4);
    run_keys(&r, " "); /* pause */
    terminal_pump(r.t, 60, 3);
    terminal_output(r.t, &n);
    assert_int_equal(n, 0);
    run_end(&r);
}

/* ---- title and cursor ------------------------------------------------------------------------ */

static void the_title_is_told_where_there_is_one(void **state) {
    (void)state;
    struct run r = run_start(still, "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    run_read(&r, 0.4);
    assert_non_null(strstr(vt_title(r.v), "gwtop"));
    run_end(&r);
    r = run_start(still, "vt100", "C", ROWS, COLUMNS);
    run_read(&r, 0.4);
    assert_string_equal(vt_title(r.v), "");
    run_end(&r);
}

static void the_cursor_is_on_the_selected_row(void **state) {
    int row, column, next;
    (void)state;
    struct run r = run_start(PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst", "--speed", "0.01",
                                          "--set", "plain=yes"),
                             "xterm-256color", "C.UTF-8", ROWS, COLUMNS);
    run_read(&r, 0.4);
    assert_ascii(vt_text(r.v), "plain");
    assert_true(vt_mode(r.v, 25));
    vt_cursor(r.v, &row, &column);
    run_keys(&r, "\033OB"); /* Down */
    vt_cursor(r.v, &next, &column);
    assert_int_equal(next, row + 1);
    assert_int_equal(column, 0);
    run_end(&r);
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
