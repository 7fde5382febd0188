/*
 * The screen on every kind of terminal, with and without Unicode: it draws, names of processes do no harm, a
 * locale that is not UTF-8 gets ASCII, and the terminal is as it was afterwards. What can be no screen is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capability.h"
#include "scratch.h"
#include "screen_run.h"

static char *root;

static int make_machine(void **state) {
    (void)state;
    root = screen_machine("amdgpu", 30, 10);
    return root ? 0 : -1;
}

static int drop_machine(void **state) {
    (void)state;
    scratch_remove(root);
    return 0;
}

/* What the hostile names would have done. */
static void assert_harmless(const char *output, size_t n, bool ascii) {
    static const char *const attacks[] = {"\033]0;owned", "\033[31mred",  "\033[8mhidden",
                                          "\xc2\x9b",     "\xe2\x80\xae", "\a"};
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++)
        if (memmem(output, n, attacks[i], strlen(attacks[i])))
            fail_msg("attack %zu came through", i);
    for (size_t i = 0; i < n && ascii; i++)
        if ((unsigned char)output[i] >= 0x80)
            fail_msg("byte 0x%02x in the C locale", (unsigned char)output[i]);
}

/* Reads until both are on the screen; the output is kept. */
static bool shows(struct terminal *t, const char *term, const char *one, const char *other) {
    struct vt *v = vt_create(60, 120, strcmp(term, "ansi") != 0);
    time_t end = time(NULL) + (time_t)TERMINAL_LONG_S;
    bool both = false;
    for (size_t n, fed = 0; !both && time(NULL) <= end; fed = n) {
        terminal_pump(t, 0.01, 0.05);
        const char *output = terminal_output(t, &n);
        vt_feed(v, output + fed, n - fed);
        both = strstr(vt_text(v), one) && strstr(vt_text(v), other);
    }
    vt_destroy(v);
    return both;
}

static void run_on(const char *term, const char *locale) {
    char term_env[64], locale_env[64], none[64];
    size_t n;
    if (!capability_of(term, NULL, none))
        return; /* this machine does not know the type */
    snprintf(term_env, sizeof term_env, "TERM=%s", term);
    snprintf(locale_env, sizeof locale_env, "LC_ALL=%s", locale);
    struct terminal *t =
        screen_start(PROGRAM_ARGS("--root", root, "-d", "1s", "--set", screen_mouse(term)),
                     (const char *const[]){term_env, locale_env, NULL}, 60, 120);
    if (!shows(t, term, "blender", "62001"))
        fail_msg("%s, %s: no processes on the screen", term, locale);
    const char *output = terminal_output(t, &n);
    assert_harmless(output, n, strcmp(locale, "C") == 0);
    terminal_send(t, "q");
    screen_finish(t, term);
}

static void unicode_terminals(void **state) {
    static const char *const terms[] = {"xterm-256color", "xterm", "linux", "tmux-256color",
                                        "screen"};
    (void)state;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        run_on(terms[i], "C.UTF-8");
}

static void ascii_terminals(void **state) {
    static const char *const terms[] = {"xterm-256color", "vt100", "ansi", "linux", "putty"};
    (void)state;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        run_on(terms[i], "C");
}

/* Such a terminal gets one sentence without escapes, and status 1. */
static void refuses_dumb_terminals(void **state) {
    static const char *const terms[] = {"TERM=dumb", "TERM", "TERM=", "TERM=no-such-terminal"};
    (void)state;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        struct program p = {.args = PROGRAM_ARGS("--root", root),
                            .env = (const char *const[]){terms[i], NULL}};
        struct terminal *t = terminal_start(&p, 24, 80);
        if (!t)
            skip();
        bool late;
        int status = terminal_wait(t, TERMINAL_LONG_S, &late);
        size_t n;
        const char *output = terminal_output(t, &n);
        assert_false(late);
        assert_int_equal(status, 1);
        assert_true(n > 10);
        assert_null(memchr(output, '\033', n));
        terminal_finish(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unicode_terminals),
                                       cmocka_unit_test(ascii_terminals),
                                       cmocka_unit_test(refuses_dumb_terminals)};
    return cmocka_run_group_tests(tests, make_machine, drop_machine);
}
