/*
 * The screen on every kind of terminal, with and without Unicode: it draws, names of processes do no harm, a
 * locale that is not UTF-8 gets ASCII, and the terminal is as it was afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capability.h"
#include "scratch.h"
#include "screen_run.h"
#include "synth.h"

static char *root;

static int make_machine(void **state) {
    (void)state;
    root = scratch_make();
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 30, .fds = 6, .clients = 10, .seed = 4, .hostile = true};
    struct synth *s = synth_create(root, &o);
    synth_close(s);
    return s ? 0 : -1;
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

static void run_on(const char *term, const char *locale) {
    char term_env[64], locale_env[64], none[64];
    size_t n;
    if (!capability_of(term, NULL, none))
        return; /* this machine does not know the type */
    snprintf(term_env, sizeof term_env, "TERM=%s", term);
    snprintf(locale_env, sizeof locale_env, "LC_ALL=%s", locale);
    struct terminal *t =
        screen_start(PROGRAM_ARGS("--root", root, "-d", "1s", "--set", screen_mouse(term)),
                     (const char *const[]){term_env, locale_env, NULL}, 40, 120);
    if (!terminal_expect(t, "blender", 20) || !terminal_expect(t, "62001", 5))
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unicode_terminals),
                                       cmocka_unit_test(ascii_terminals)};
    return cmocka_run_group_tests(tests, make_machine, drop_machine);
}
