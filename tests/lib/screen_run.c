/* What each run of the screen is held to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "capability.h"
#include "screen_run.h"

const char *screen_mouse(const char *term) {
    const char *variant = getenv("GWTOP_VARIANT");
    bool is_looked_for = variant && strcmp(variant, "asan") == 0;
    return is_looked_for && strcmp(term, "linux") == 0 ? "mouse=no" : "mouse=yes";
}

double screen_patience(double s) {
    const char *variant = getenv("GWTOP_VARIANT");
    return variant && strcmp(variant, "release") != 0 ? s + 15 : s;
}

struct terminal *screen_start(const char *const *args, const char *const *env, int rows,
                              int columns) {
    struct program p = {.args = args, .env = env};
    struct terminal *t = terminal_start(&p, rows, columns);
    if (!t)
        skip();
    for (int i = 0; i < 200 && terminal_output(t, NULL)[0] == '\0'; i++)
        assert_true(terminal_pump(t, 0.1, 1));
    assert_true(terminal_pump(t, 0.1, 2));
    return t;
}

void screen_assert_restored(struct terminal *t, const char *term) {
    static const char *const names[] = {"rmcup", "cnorm"};
    struct termios now;
    const struct termios *before = terminal_before(t);
    terminal_now(t, &now);
    assert_int_equal(now.c_iflag, before->c_iflag);
    assert_int_equal(now.c_oflag, before->c_oflag);
    assert_int_equal(now.c_cflag, before->c_cflag);
    assert_int_equal(now.c_lflag, before->c_lflag);
    assert_memory_equal(now.c_cc, before->c_cc, sizeof now.c_cc);
    size_t n;
    const char *output = terminal_output(t, &n);
    const char *end = output + (n > 400 ? n - 400 : 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char sequence[64];
        capability_of(term, names[i], sequence);
        if (sequence[0] && !strstr(end, sequence))
            fail_msg("%s: %s is not in the last output", term, names[i]);
    }
}

void screen_finish(struct terminal *t, const char *term) {
    bool late;
    int status = terminal_wait(t, screen_patience(5), &late);
    assert_false(late);
    assert_int_equal(status, 0);
    screen_assert_restored(t, term);
    terminal_finish(t);
}
