/*
 * Smoke runs of the real program on a terminal: it starts, follows the size, takes keys, and whatever ends it,
 * the terminal is as it was.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "screen_run.h"
#include "synth.h"
#include "terminal.h"

static char *root;

static int make_machine(void **state) {
    (void)state;
    root = scratch_make();
    struct synth_options o = {.gpus = "amdgpu,i915,amdgpu-mobile:asleep",
                              .processes = 60,
                              .fds = 6,
                              .clients = 24,
                              .seed = 4,
                              .hostile = true};
    struct synth *s = synth_create(root, &o);
    synth_close(s);
    return s ? 0 : -1;
}

static int drop_machine(void **state) {
    (void)state;
    scratch_remove(root);
    return 0;
}

static struct terminal *start(int rows, int columns) {
    return screen_start(PROGRAM_ARGS("--root", root, "-d", "1s"), NULL, rows, columns);
}

/* Ends it by keys: status 0, all as it was. */
static void quit(struct terminal *t, const char *keys) {
    terminal_send(t, keys);
    screen_finish(t, "xterm-256color");
}

/* ---- the runs --------------------------------------------------------------------------------------------------- */

static void follows_every_size(void **state) {
    static const int sizes[][2] = {{60, 200}, {1, 1},  {24, 80}, {2, 3},    {10, 300}, {1, 200},
                                   {100, 1},  {5, 20}, {3, 80},  {39, 184}, {70, 250}, {24, 80}};
    (void)state;
    struct terminal *t = start(24, 80);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        terminal_resize(t, sizes[i][0], sizes[i][1]);
        if (!terminal_pump(t, 0.05, 2))
            fail_msg("ended at %dx%d with %d", sizes[i][1], sizes[i][0], terminal_wait(t, 1, NULL));
    }
    for (int i = 0; i < 60; i++) { /* faster than it can draw */
        terminal_resize(t, 1 + i * 37 % 70, 1 + i * 91 % 250);
        usleep(3000);
    }
    assert_true(terminal_pump(t, 0.3, 5));
    terminal_resize(t, 24, 80);
    quit(t, "q");
}

static void starts_at_odd_sizes(void **state) {
    static const int sizes[][2] = {{1, 1}, {1, 80}, {24, 1}, {4, 12}, {60, 200}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        quit(start(sizes[i][0], sizes[i][1]), "q");
}

/* Every key that does not end it, then Escape out of whatever is open. */
static void takes_keys(void **state) {
    static const char *const keys[] = {
        "G",        "V",      "P",      "M",      "T",        "N",       ",G",
        "I",        "i",      "i",      "1",      "H",        "\t",      "F",
        "Z",        "Z",      "\033OP", "\033",   "?",        "\033",    "h",
        "\033",     "/",      "blend",  "\r",     "/",        "\033",    "<",
        "\033",     ">",      "\r",     "\033[B", "\033[A",   "\033[6~", "\033[5~",
        "\033[C",   "\033[D", "\033[H", "\033[F", "\014",     "\033OR",  "\033",
        "\033[17~", "\033",   "x",      "\001",   "\xc3\xa9", "\xff",    "\033[<0;5;5M",
        "\033[200~"};
    (void)state;
    struct terminal *t = start(24, 80);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        terminal_send(t, keys[i]);
        if (!terminal_pump(t, 0.06, 1))
            fail_msg("key %zu ended it with %d", i, terminal_wait(t, 1, NULL));
    }
    terminal_send(t, "\033");
    terminal_pump(t, 0.3, 2); /* a lone Escape is waited for */
    terminal_send(t, "\033");
    terminal_pump(t, 0.3, 2);
    quit(t, "q");
}

static void quits_by_its_keys(void **state) {
    (void)state;
    quit(start(24, 80), "q");
    quit(start(24, 80), "\033[21~");
    quit(start(24, 80), "\003");
}

static void signals_restore_the_terminal(void **state) {
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        bool late;
        struct terminal *t = start(24, 80);
        kill(terminal_pid(t), signals[i]);
        int status = terminal_wait(t, screen_patience(5), &late);
        assert_false(late);
        assert_true(status == 0 || status == 128 + signals[i]);
        screen_assert_restored(t, "xterm-256color");
        terminal_finish(t);
    }
}

/* Ctrl-Z gives the terminal back; going on takes it again. */
static void stops_and_goes_on(void **state) {
    (void)state;
    struct terminal *t = start(24, 80);
    terminal_forget(t);
    terminal_send(t, "\032");
    terminal_pump(t, 0.5, 3);
    screen_assert_restored(t, "xterm-256color");
    kill(terminal_pid(t), SIGCONT);
    terminal_forget(t);
    assert_true(terminal_pump(t, 0.3, 5));
    assert_true(terminal_expect(t, "python", 5));
    quit(t, "q");
}

static void ends_when_the_terminal_goes(void **state) {
    bool late;
    (void)state;
    struct terminal *t = start(24, 80);
    terminal_hang_up(t);
    terminal_wait(t, screen_patience(2), &late);
    assert_false(late);
    terminal_finish(t);
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
        int status = terminal_wait(t, screen_patience(5), &late);
        size_t n;
        const char *output = terminal_output(t, &n);
        assert_false(late);
        assert_int_equal(status, 1);
        assert_true(n > 10);
        assert_null(memchr(output, '\033', n));
        terminal_finish(t);
    }
}

static void plays_a_recording(void **state) {
    (void)state;
    if (access("fixtures/demo/demo.gwt.zst", R_OK) != 0)
        skip();
    struct terminal *t = screen_start(
        PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst", "--speed", "8"), NULL, 24, 80);
    assert_true(terminal_expect(t, "blender", 5));
    static const char *const keys[] = {" ", "]", "[",    "}", "{",      "+",
                                       "-", "g", "\033", " ", "\033[F", "\033[H"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        terminal_send(t, keys[i]);
        assert_true(terminal_pump(t, 0.1, 2));
    }
    terminal_send(t, "\033");
    terminal_pump(t, 0.3, 2);
    quit(t, "q");
}

/* The demonstration is looked for beside the program: a copy of it stands where the folders are as installed in a
 * work tree. */
static void plays_the_demo(void **state) {
    (void)state;
    size_t n;
    char *bytes = file_read(program_path(), &n);
    char *dir = scratch_make(), *bin = path_join(dir, "bin"), *copy = path_join(dir, "bin/gwtop"),
         *link = path_join(dir, "fixtures"), here[2048], target[2200];
    if (!bytes || access("fixtures/demo/demo.gwt.zst", R_OK) != 0 || !getcwd(here, sizeof here))
        skip();
    snprintf(target, sizeof target, "%s/fixtures", here);
    assert_int_equal(mkdir(bin, 0755), 0);
    assert_int_equal(symlink(target, link), 0);
    file_write(copy, bytes, n);
    assert_int_equal(chmod(copy, 0755), 0);
    const char *real = getenv("GWTOP_BIN");
    char *kept = real ? strdup(real) : NULL;
    setenv("GWTOP_BIN", copy, 1);
    struct terminal *t = screen_start(PROGRAM_ARGS("--demo"), NULL, 24, 80);
    assert_true(terminal_expect(t, "blender", 5));
    quit(t, "q");
    if (kept)
        setenv("GWTOP_BIN", kept, 1);
    free(kept);
    free(bytes);
    free(bin);
    free(copy);
    free(link);
    scratch_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_every_size),
        cmocka_unit_test(starts_at_odd_sizes),
        cmocka_unit_test(takes_keys),
        cmocka_unit_test(quits_by_its_keys),
        cmocka_unit_test(signals_restore_the_terminal),
        cmocka_unit_test(stops_and_goes_on),
        cmocka_unit_test(ends_when_the_terminal_goes),
        cmocka_unit_test(refuses_dumb_terminals),
        cmocka_unit_test(plays_a_recording),
        cmocka_unit_test(plays_the_demo),
    };
    return cmocka_run_group_tests(tests, make_machine, drop_machine);
}
