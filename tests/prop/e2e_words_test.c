/* What the real program says on stderr of options that can do nothing, of wrong kinds and of a missing demonstration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "e2e.h"
#include "scratch.h"

static struct e2e machine_with(const char *gpus) {
    struct synth_options o = {.gpus = gpus, .processes = 4, .fds = 4, .clients = 2, .seed = 5};
    return e2e_machine(&o);
}

/* stderr of a run that ends with `status`; to be freed. */
static char *said(const char *const *args, int status) {
    struct program p = {.args = args};
    struct program_result r;
    program_run(&p, &r);
    assert_int_equal(r.status, status);
    char *err = strdup(r.err);
    assert_non_null(err);
    program_finish(&r);
    return err;
}

/* What -c names has to be there, whatever is printed. */
static void a_missing_configuration_is_said(void **state) {
    static const char *const forms[][4] = {{"--once"},
                                           {"--json", "-n1"},
                                           {"--list"},
                                           {"--demo", "--once"},
                                           {"report", "-n1", "-o/dev/null"}};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *err = said(PROGRAM_ARGS("-c", "/nonexistent/config", forms[i][0], forms[i][1],
                                      forms[i][2], forms[i][3]),
                         1);
        assert_string_equal(err, "gwtop: /nonexistent/config: No such file or directory\n");
        free(err);
    }
}

static unsigned count(const char *text, const char *word) {
    unsigned n = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        n++;
    return n;
}

static void options_for_nothing(void **state) {
    static const char *const options[] = {"--mali-profiling", "--tracefs", "--counters",
                                          "--set-profiling"};
    static const char *const forms[][4] = {
        {"--once"}, {"--json", "-n", "2"}, {"report", "-n", "1", "-o/dev/null"}};
    (void)state;
    struct e2e e = machine_with("amdgpu");
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
            char words[64];
            snprintf(words, sizeof words, "gwtop: %s: no ", options[i]);
            char *err = said(PROGRAM_ARGS("--root", e.root, "-d", "100ms", options[i], forms[f][0],
                                          forms[f][1], forms[f][2], forms[f][3]),
                             0);
            assert_int_equal(count(err, words), 1);
            assert_int_equal(count(err, "\n"), 1);
            free(err);
        }
    e2e_finish(&e);
}

static void options_for_something(void **state) {
    (void)state;
    struct e2e e = machine_with("panthor");
    char *err = said(
        PROGRAM_ARGS("--root", e.root, "--once", "-d", "100ms", "--counters", "--set-profiling"),
        0);
    assert_null(strstr(err, ": no device"));
    free(err);
    e2e_finish(&e);
}

static void kinds_are_named(void **state) {
    (void)state;
    char *err = said(PROGRAM_ARGS("replay", "--as", "i915perf", "README.md"), 2);
    assert_non_null(strstr(err, "there are: i915-perf "));
    free(err);
    err = said(PROGRAM_ARGS("decode", "fdinf", "README.md"), 2);
    assert_non_null(strstr(err, "there are: fdinfo "));
    free(err);
    err = said(PROGRAM_ARGS("replay", "README.md"), 1);
    assert_non_null(strstr(err, "README.md: not a gwtop trace"));
    assert_non_null(strstr(err, "--as KIND"));
    free(err);
}

/* A program that was taken out of its tree and not installed. */
static void no_demonstration(void **state) {
    (void)state;
    char *was = strdup(program_path()), *dir = scratch_make(), *copy = path_join(dir, "gwtop");
    size_t size;
    char *bytes = file_read(was, &size);
    struct program p = {.args = PROGRAM_ARGS("--demo", "--once")};
    struct program_result r;
    file_write(copy, bytes, size);
    chmod(copy, 0700);
    setenv("GWTOP_BIN", copy, 1);
    program_run(&p, &r);
    setenv("GWTOP_BIN", was, 1);
    bool installed = r.status == 0;
    if (!installed) {
        assert_int_equal(r.status, 1);
        assert_non_null(strstr(r.err, "make install, or run build/gwtop in the tree"));
    }
    program_finish(&r);
    free(bytes);
    free(copy);
    free(was);
    scratch_remove(dir);
    if (installed)
        skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_configuration_is_said),
        cmocka_unit_test(options_for_nothing),
        cmocka_unit_test(options_for_something),
        cmocka_unit_test(kinds_are_named),
        cmocka_unit_test(no_demonstration),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
