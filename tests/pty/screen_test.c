/*
 * Smoke runs of the real program on a terminal: it starts, follows the size, takes keys, and plays.
 */
#include <setjmp.h>
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
#include "terminal.h"

/* ---- the runs --------------------------------------------------------------------------------------------------- */

static void follows_every_size(void **state) {
    static const int sizes[][2] = {{60, 200}, {1, 1},  {24, 80}, {2, 3},    {10, 300}, {1, 200},
                                   {100, 1},  {5, 20}, {3, 80},  {39, 184}, {70, 250}, {24, 80}};
    struct terminal *t = screen_start_machine(state, 24, 80);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        terminal_resize(t, sizes[i][0], sizes[i][1]);
        if (!terminal_settle(t))
            fail_msg("ended at %dx%d with %d", sizes[i][1], sizes[i][0], terminal_wait(t, 0, NULL));
    }
    for (int i = 0; i < 60; i++) { /* faster than it can draw */
        terminal_resize(t, 1 + i * 37 % 70, 1 + i * 91 % 250);
        usleep(3000);
    }
    screen_settle(t);
    terminal_resize(t, 24, 80);
    screen_quit(t, "q");
}

/* More rows or columns than a short holds: as many are drawn as there may be. */
static void bears_a_hostile_size(void **state) {
    static const int sizes[][2] = {{65535, 80}, {24, 65535}, {65535, 65535}, {24, 80}};
    struct terminal *t = screen_start_machine(state, 24, 80);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        terminal_resize(t, sizes[i][0], sizes[i][1]);
        screen_settle(t);
    }
    screen_quit(t, "q");
}

static void starts_at_odd_sizes(void **state) {
    static const int sizes[][2] = {{1, 1},    {1, 80},     {24, 1},       {4, 12},
                                   {60, 200}, {40000, 80}, {65535, 65535}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        screen_quit(screen_start_machine(state, sizes[i][0], sizes[i][1]), "q");
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
    struct terminal *t = screen_start_machine(state, 24, 80);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        terminal_send(t, keys[i]);
        if (!terminal_settle(t))
            fail_msg("key %zu ended it with %d", i, terminal_wait(t, 0, NULL));
    }
    screen_keys(t, "\033");
    screen_keys(t, "\033");
    screen_quit(t, "q");
}

static void plays_a_recording(void **state) {
    (void)state;
    if (access("fixtures/demo/demo.gwt.zst", R_OK) != 0)
        skip();
    struct picture p =
        picture_start(PROGRAM_ARGS("replay", "fixtures/demo/demo.gwt.zst", "--speed", "8"),
                      "xterm-256color", "C.UTF-8", 60, 120);
    picture_expect(&p, "gnome-shell"); /* there in each tick, and at this size in sight */
    static const char *const keys[] = {" ", "]", "[",    "}", "{",      "+",
                                       "-", "g", "\033", " ", "\033[F", "\033[H"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        picture_keys(&p, keys[i]);
    picture_keys(&p, "\033");
    picture_end(&p);
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
    struct picture p = picture_start(PROGRAM_ARGS("--demo"), "xterm-256color", "C.UTF-8", 60, 120);
    picture_expect(&p, "gnome-shell");
    picture_end(&p);
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
        cmocka_unit_test(follows_every_size),  cmocka_unit_test(bears_a_hostile_size),
        cmocka_unit_test(starts_at_odd_sizes), cmocka_unit_test(takes_keys),
        cmocka_unit_test(plays_a_recording),   cmocka_unit_test(plays_the_demo),
    };
    return cmocka_run_group_tests(tests, screen_machine_up, screen_machine_down);
}
