/*
 * A vendor's file of which some or all does not fit: the real program says so on stderr in each form and after the
 * screen, ends with 0 where something was accepted, and shows nothing where nothing was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scratch.h"
#include "screen_run.h"
#include "terminal.h"

#define RECORDS  "fixtures/intel/ring/records"
#define RECORDER "fixtures/intel/recorder/i915_perf.record"
#define RING     "fixtures/panthor/ring/panthor.ring"
/* Of 63 records 9 carry no tag and no pid: counted by hand of the writer of the fixture. */
#define MISFITS "54 of 63 records do not fit (record_size); try --oa-flags pid,tag\n"
#define FOREIGN "README.md"

static const char *const forms[][3] = {
    {"--once"}, {"-b"}, {"--json"}, {"--csv"}, {"--json", "--once"}};

/* `words` NULL: nothing is said. */
static void check(const char *const *args, int status, const char *words, bool prints) {
    struct program p = {.args = args};
    struct program_result r;
    program_run(&p, &r);
    assert_int_equal(r.status, status);
    if (words ? !strstr(r.err, words) : r.err_size > 0)
        fail_msg("\"%s\" is not said, but \"%s\"", words ? words : "", r.err);
    assert_int_equal(r.out_size > 0, prints);
    program_finish(&r);
}

static void what_does_not_fit_is_told(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        check(PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", RECORDS, forms[i][0], forms[i][1]), 0,
              MISFITS, true);
        check(PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", RECORDS, "--oa-flags", "pid,tag",
                           forms[i][0], forms[i][1]),
              0, NULL, true);
        check(PROGRAM_ARGS("replay", RECORDER, forms[i][0], forms[i][1]), 0, NULL, true);
        check(PROGRAM_ARGS("replay", RING, forms[i][0], forms[i][1]), 0, NULL, true);
    }
    check(PROGRAM_ARGS("report", "--as", "i915-oa-rfc", RECORDS, "-o", "-"), 0, MISFITS, true);
    check(PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", RECORDS, "--oa-flags", "pid", "--once"), 0,
          "do not fit (record_size); try other --oa-flags", true);
}

static char *cut_copy(const char *dir, const char *from, size_t n) {
    char *path = path_join(dir, "cut");
    size_t size;
    char *bytes = file_read(from, &size);
    assert_true(n < size);
    file_write(path, bytes, n);
    free(bytes);
    return path;
}

static void a_cut_is_told(void **state) {
    (void)state;
    char *dir = scratch_make();
    static const char *const kinds[][3] = {{RECORDER, "i915-perf", "record"},
                                           {RING, "panthor-ring", "sample"}};
    for (size_t k = 0; k < 2; k++) {
        char *path = cut_copy(dir, kinds[k][0], 5000);
        char words[64];
        snprintf(words, sizeof words, "gwtop: cut: the file ends inside a %s\n", kinds[k][2]);
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            check(PROGRAM_ARGS("replay", path, "--as", kinds[k][1], forms[i][0], forms[i][1]), 0,
                  words, true);
        check(PROGRAM_ARGS("report", path, "--as", kinds[k][1], "-o", "-"), 0, words, true);
        free(path);
    }
    scratch_remove(dir);
}

/* Not even a device that nobody has. */
static void nothing_is_shown_of_nothing(void **state) {
    static const char *const kinds[] = {"i915-oa-rfc", "i915-perf", "mali-events", "panthor-ring",
                                        "mali-trace-text"};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        char words[80];
        snprintf(words, sizeof words, FOREIGN ": nothing in it is of the kind %s", kinds[k]);
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            check(PROGRAM_ARGS("replay", "--as", kinds[k], FOREIGN, forms[i][0], forms[i][1]), 1,
                  words, false);
        check(PROGRAM_ARGS("replay", "--as", kinds[k], FOREIGN, "-b", "-n", "1"), 1, words, false);
        check(PROGRAM_ARGS("report", "--as", kinds[k], FOREIGN, "-o", "-"), 1, words, false);
    }
}

/* A tick that holds nothing yet is printed all the same, as the first of a file is. */
static void the_first_tick_is_printed(void **state) {
    (void)state;
    check(PROGRAM_ARGS("replay", RECORDER, "--json", "-n", "1"), 0, NULL, true);
}

/* ---- on the screen ----------------------------------------------------------------------------- */

static void the_screen_tells(void **state) {
    bool late = false;
    (void)state;
    struct terminal *t = screen_start(
        PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", RECORDS, "--speed", "max"), NULL, 30, 120);
    screen_expect(t, "records do not fit (record_size)");
    screen_settle(t);
    terminal_forget(t);
    terminal_send(t, "q");
    assert_int_equal(terminal_wait(t, TERMINAL_LONG_S, &late), 0);
    assert_false(late);
    const char *out = terminal_output(t, NULL);
    const char *left = strstr(out, "\033[?1049l");
    assert_non_null(left);
    assert_non_null(strstr(left, "gwtop: 54 of 63 records do not fit (record_size)"));
    terminal_finish(t);
}

static void the_screen_does_not_open_on_nothing(void **state) {
    bool late = false;
    struct program p = {.args = PROGRAM_ARGS("replay", "--as", "i915-perf", FOREIGN)};
    (void)state;
    struct terminal *t = terminal_start(&p, 24, 80);
    if (!t)
        skip();
    assert_int_equal(terminal_wait(t, TERMINAL_LONG_S, &late), 1);
    const char *out = terminal_output(t, NULL);
    assert_null(strstr(out, "\033[?1049h"));
    assert_non_null(strstr(out, "nothing in it is of the kind i915-perf"));
    terminal_finish(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(a_cut_is_told),
        cmocka_unit_test(nothing_is_shown_of_nothing),
        cmocka_unit_test(the_first_tick_is_printed),
        cmocka_unit_test(the_screen_tells),
        cmocka_unit_test(the_screen_does_not_open_on_nothing),
    };
    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
