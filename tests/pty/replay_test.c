/*
 * A recording on a terminal, by its keys: where it stands is read from the words of the timeline, after the screen was
 * drawn anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "screen_run.h"
#include "terminal.h"

#define DEMO "fixtures/demo/demo.gwt.zst" /* of 61 ticks, a second from one to the next */

static char seen[1 << 16];

/* What is on the screen, without what moves the cursor and colours it. */
static const char *screen_of(struct terminal *t) {
    size_t size, n = 0;
    terminal_pump(t, 0.05, 1);
    terminal_forget(t);
    terminal_send(t, "\014");
    terminal_pump(t, 0.15, 3);
    const char *p = terminal_output(t, &size);
    for (size_t i = 0; i < size && n + 1 < sizeof seen; i++) {
        if (p[i] == '\033' && i + 1 < size && p[i + 1] == '[') {
            for (i += 2; i < size && (p[i] < '@' || p[i] > '~'); i++)
                ;
        } else {
            seen[n++] = p[i];
        }
    }
    seen[n] = '\0';
    return seen;
}

#define STANDS(t, what)                                                                            \
    do {                                                                                           \
        if (!strstr(screen_of(t), what))                                                           \
            fail_msg("%s is not on the screen:\n%s", what, seen);                                  \
    } while (0)
#define LACKS(t, what)                                                                             \
    do {                                                                                           \
        if (strstr(screen_of(t), what))                                                            \
            fail_msg("%s is on the screen:\n%s", what, seen);                                      \
    } while (0)

static void keys(struct terminal *t, const char *what) {
    terminal_send(t, what);
    assert_true(terminal_pump(t, 0.1, 3));
}

static struct terminal *start(const char *const *args) {
    if (access(DEMO, R_OK) != 0)
        skip();
    return screen_start(args, NULL, 24, 100);
}

static void goes_to_and_fro(void **state) {
    (void)state;
    struct terminal *t = start(PROGRAM_ARGS("replay", DEMO, "--speed", "0.04"));
    keys(t, " ");
    keys(t, "\033OH");
    STANDS(t, "paused");
    STANDS(t, "tick 1/61");
    keys(t, "]");
    STANDS(t, "0:01 / 1:00");
    STANDS(t, "tick 2/61");
    keys(t, "[");
    STANDS(t, "tick 1/61");
    keys(t, "["); /* there is nothing before: it stays, and says nothing wrong */
    STANDS(t, "0:00 / 1:00");
    STANDS(t, "paused");
    keys(t, "}");
    STANDS(t, "tick 11/61");
    keys(t, "{");
    STANDS(t, "tick 1/61");
    keys(t, "g0:30\r");
    STANDS(t, "0:30 / 1:00");
    STANDS(t, "paused"); /* a seek does not start what was stopped */
    keys(t, "\033OF");
    STANDS(t, "at the end");
    STANDS(t, "tick 61/61");
    keys(t, "[[");
    STANDS(t, "tick 59/61");
    keys(t, "\033OH");
    STANDS(t, "tick 1/61");
    keys(t, "+");
    STANDS(t, "0.08x");
    terminal_send(t, "q");
    screen_finish(t, "xterm-256color");
}

/* At the end Space plays anew, however the end was reached; a loop does so by itself. */
static void plays_anew(void **state) {
    (void)state;
    struct terminal *t = start(PROGRAM_ARGS("replay", DEMO, "--speed", "max"));
    STANDS(t, "at the end");
    keys(t, "----------------"); /* slow enough to be read */
    keys(t, " ");
    STANDS(t, "playing");
    LACKS(t, "tick 61/61");
    keys(t, "\033OF");
    keys(t, "l");
    STANDS(t, "loop");
    terminal_pump(t, 2.4, 4);
    LACKS(t, "at the end");
    keys(t, "l");
    LACKS(t, "loop");
    terminal_send(t, "q");
    screen_finish(t, "xterm-256color");
}

static void marks_what_comes(void **state) {
    (void)state;
    struct terminal *t = start(PROGRAM_ARGS("replay", DEMO));
    terminal_resize(t, 40, 100);
    for (int i = 0; i < 50 && !strstr(screen_of(t), "start"); i++)
        ;
    STANDS(t, "+ start");
    STANDS(t, "- exit");
    keys(t, "L");
    STANDS(t, "no messages yet");
    keys(t, "L");
    LACKS(t, "no messages yet");
    terminal_send(t, "q");
    screen_finish(t, "xterm-256color");
}

/* With parts of the recording only: it begins again where it began, and ends where it shall. */
static void keeps_to_its_part(void **state) {
    (void)state;
    struct terminal *t =
        start(PROGRAM_ARGS("replay", DEMO, "--from", "10", "--to", "20", "--speed", "0.04"));
    STANDS(t, "0:1");
    keys(t, "\033OF");
    STANDS(t, "0:20 / 1:00");
    keys(t, " ");
    STANDS(t, "0:10 / 1:00");
    keys(t, "\033OH");
    STANDS(t, "0:00 / 1:00");
    terminal_send(t, "q");
    screen_finish(t, "xterm-256color");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_to_and_fro),
        cmocka_unit_test(plays_anew),
        cmocka_unit_test(marks_what_comes),
        cmocka_unit_test(keeps_to_its_part),
    };
    return cmocka_run_group_tests_name("replay on a terminal", tests, NULL, NULL);
}
