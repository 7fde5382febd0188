/*
 * Whatever ends the real program on a terminal or stops it, the terminal is as it was.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_run.h"

/* ---- the runs --------------------------------------------------------------------------------------------------- */

static void quits_by_its_keys(void **state) {
    screen_quit(screen_start_machine(state, 24, 80), "q");
    screen_quit(screen_start_machine(state, 24, 80), "\033[21~");
    screen_quit(screen_start_machine(state, 24, 80), "\003");
}

static void signals_restore_the_terminal(void **state) {
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        bool late;
        struct terminal *t = screen_start_machine(state, 24, 80);
        kill(terminal_pid(t), signals[i]);
        int status = terminal_wait(t, TERMINAL_LONG_S, &late);
        assert_false(late);
        assert_true(status == 0 || status == 128 + signals[i]);
        screen_assert_restored(t, "xterm-256color");
        terminal_finish(t);
    }
}

/* Ctrl-Z gives the terminal back; going on takes it again, and draws all of it. It is so large that no row leaves the
 * screen when the plots come with a later tick. */
static void stops_and_goes_on(void **state) {
    struct picture p = picture_start(PROGRAM_ARGS("--root", *state, "-d", "1s"), "xterm-256color",
                                     "C.UTF-8", 60, 120);
    picture_expect(&p, "python");
    terminal_send(p.t, "\032");
    assert_true(terminal_stopped(p.t));
    screen_assert_restored(p.t, p.term);
    terminal_forget(p.t);
    vt_destroy(p.v);
    p.v = vt_create(60, 120, true);
    kill(terminal_pid(p.t), SIGCONT);
    picture_expect(&p, "python");
    picture_end(&p);
}

static void ends_when_the_terminal_goes(void **state) {
    bool late;
    struct terminal *t = screen_start_machine(state, 24, 80);
    terminal_hang_up(t);
    terminal_wait(t, TERMINAL_LONG_S, &late);
    assert_false(late);
    terminal_finish(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quits_by_its_keys),
        cmocka_unit_test(signals_restore_the_terminal),
        cmocka_unit_test(stops_and_goes_on),
        cmocka_unit_test(ends_when_the_terminal_goes),
    };
    return cmocka_run_group_tests_name("ends of the screen", tests, screen_machine_up,
                                       screen_machine_down);
}
