/*
 * A recording on a terminal, by its keys: where it stands is read from the words of the timeline.
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

#define STANDS(p, what) picture_expect(&p, what)
#define LACKS(p, what)  picture_expect_gone(&p, what)

static struct picture start(const char *const *args) {
    if (access(DEMO, R_OK) != 0)
        skip();
    return picture_start(args, "xterm-256color", "C.UTF-8", 24, 100);
}

static void quit(struct picture *p) {
    terminal_send(p->t, "q");
    screen_finish(p->t, p->term);
    vt_destroy(p->v);
}

static void goes_to_and_fro(void **state) {
    (void)state;
    struct picture p = start(PROGRAM_ARGS("replay", DEMO, "--speed", "0.04"));
    picture_keys(&p, " ");
    picture_keys(&p, "\033OH");
    STANDS(p, "paused");
    STANDS(p, "tick 1/61");
    picture_keys(&p, "]");
    STANDS(p, "0:01 / 1:00");
    STANDS(p, "tick 2/61");
    picture_keys(&p, "[");
    STANDS(p, "tick 1/61");
    picture_keys(&p, "["); /* there is nothing before: it stays, and says nothing wrong */
    STANDS(p, "0:00 / 1:00");
    STANDS(p, "paused");
    picture_keys(&p, "}");
    STANDS(p, "tick 11/61");
    picture_keys(&p, "{");
    STANDS(p, "tick 1/61");
    picture_keys(&p, "g0:30\r");
    STANDS(p, "0:30 / 1:00");
    STANDS(p, "paused"); /* a seek does not start what was stopped */
    picture_keys(&p, "\033OF");
    STANDS(p, "at the end");
    STANDS(p, "tick 61/61");
    picture_keys(&p, "["); /* one by one: a key stops a seek that is on its way */
    STANDS(p, "tick 60/61");
    picture_keys(&p, "[");
    STANDS(p, "tick 59/61");
    picture_keys(&p, "\033OH");
    STANDS(p, "tick 1/61");
    picture_keys(&p, "+");
    STANDS(p, "0.08x");
    quit(&p);
}

/* At the end Space plays anew, however the end was reached; a loop does so by itself. */
static void plays_anew(void **state) {
    (void)state;
    struct picture p = start(PROGRAM_ARGS("replay", DEMO, "--speed", "max"));
    STANDS(p, "at the end");
    picture_keys(&p, "----------------"); /* slow enough to be read */
    picture_keys(&p, " ");
    STANDS(p, "playing");
    LACKS(p, "tick 61/61");
    picture_keys(&p, "\033OF");
    picture_keys(&p, "l");
    STANDS(p, "loop");
    LACKS(p, "at the end");
    picture_keys(&p, "l");
    LACKS(p, "loop");
    quit(&p);
}

static void marks_what_comes(void **state) {
    (void)state;
    struct picture p = start(PROGRAM_ARGS("replay", DEMO));
    picture_resize(&p, 40, 100);
    STANDS(p, "+ start");
    STANDS(p, "- exit");
    picture_keys(&p, "L");
    STANDS(p, "no messages yet");
    picture_keys(&p, "L");
    LACKS(p, "no messages yet");
    quit(&p);
}

/* With parts of the recording only: it begins again where it began, and ends where it shall. */
static void keeps_to_its_part(void **state) {
    (void)state;
    struct picture p =
        start(PROGRAM_ARGS("replay", DEMO, "--from", "10", "--to", "20", "--speed", "0.04"));
    STANDS(p, "0:1");
    picture_keys(&p, "\033OF");
    STANDS(p, "0:20 / 1:00");
    picture_keys(&p, " ");
    STANDS(p, "0:10 / 1:00");
    picture_keys(&p, "\033OH");
    STANDS(p, "0:00 / 1:00");
    quit(&p);
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
