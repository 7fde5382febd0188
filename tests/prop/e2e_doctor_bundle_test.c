/*
 * `gwtop doctor --bundle` end to end: unpacked by tar, replayed, without anything of those who use the machine, and only
 * where a file may be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"
#include "tree.h"

static int make_machine(void **state) {
    struct synth_options o = {.gpus = "amdgpu,i915,amdgpu-mobile:asleep",
                              .processes = 12,
                              .fds = 4,
                              .clients = 12,
                              .seed = 5};
    return e2e_begin(state, &o);
}

static void shell(const char *format, ...) {
    char command[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static char *unpacked(const char *dir, const char *name, size_t *n) {
    char *path = path_join(dir, "%s", name), *text = file_read(path, n);
    assert_non_null(text);
    free(path);
    return text;
}

static void assert_without(const char *text, size_t n, const char *word) {
    if (word[0] && memmem(text, n, word, strlen(word)))
        fail_msg("the bundle holds \"%s\"", word);
}

/* Files that the bundle holds, without anything of those who use the machine. */
static void assert_scrubbed(const struct e2e *e, const char *dir, const char *home) {
    static const char *const names[] = {"doctor.txt", "doctor.json", "trace.gwt"};
    struct synth_holder holders[64];
    unsigned count = synth_holders(e->machine, holders, 64);
    assert_true(count > 0 && count <= 64);
    for (size_t i = 0; i < 3; i++) {
        size_t n;
        char *text = unpacked(dir, names[i], &n);
        for (unsigned h = 0; h < count; h++)
            assert_without(text, n, holders[h].comm);
        assert_without(text, n, e->root);
        assert_without(text, n, home);
        assert_without(text, n, "kim");
        assert_without(text, n, "nonsense");
        free(text);
    }
}

static void assert_told(const char *dir) {
    size_t n;
    char *json = unpacked(dir, "doctor.json", &n);
    json_t *o = json_loads(json, 0, NULL);
    assert_non_null(o);
    assert_string_equal(text_at(json_object_get(o, "machine"), "config"), "~/.config/gwtop/config");
    assert_string_equal(json_string_value(json_array_get(json_object_get(o, "warnings"), 0)),
                        "line 2 is not understood");
    json_decref(o);
    free(json);
}

static void assert_replays(const char *dir) {
    char *trace = path_join(dir, "trace.gwt");
    char *ticks = e2e_call(&(struct program){.args = PROGRAM_ARGS("replay", trace, "--json")}, 0);
    json_t *all = ndjson_parse(ticks);
    assert_int_equal(json_array_size(all), 5);
    assert_int_equal(json_array_size(json_object_get(json_array_get(all, 4), "devices")), 3);
    json_decref(all);
    free(ticks);
    free(trace);
}

static void bundle_is_whole_and_scrubbed(void **state) {
    struct e2e *e = *state;
    char *dir = scratch_make(), *home = path_join(dir, "kim"), *file = path_join(dir, "b.tar");
    char set[PATH_MAX];
    struct stat st;
    snprintf(set, sizeof set, "HOME=%s", home);
    tree_text(dir, "kim/.config/gwtop/config", "[screen]\nnonsense = kim\n");
    const char *const env[] = {set, "XDG_CONFIG_HOME", NULL};
    const struct program p = {.args = PROGRAM_ARGS("--root", e->root, "doctor", "--bundle", file),
                              .env = env,
                              .bare_root = true};
    free(e2e_call(&p, 0));
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    free(e2e_call(&p, 0)); /* takes the place of its own */

    shell("cd '%s' && tar -xf b.tar && test \"$(tar -tf b.tar | tr '\\n' ' ')\" = "
          "'doctor.txt doctor.json trace.gwt '",
          dir);
    assert_scrubbed(e, dir, home);
    assert_told(dir);
    assert_replays(dir);
    free(file);
    free(home);
    scratch_remove(dir);
}

static void bundle_is_compressed_by_name(void **state) {
    struct e2e *e = *state;
    char *dir = scratch_make(), *file = path_join(dir, "b.tar.zst");
    size_t n;
    free(e2e_run(e, PROGRAM_ARGS("doctor", "--bundle", file), 0));
    char *bytes = file_read(file, &n);
    assert_non_null(bytes);
    assert_memory_equal(bytes, "\x28\xb5\x2f\xfd", 4);
    if (system("zstd --version >/dev/null 2>&1") == 0)
        shell("cd '%s' && zstd -dqc b.tar.zst | tar -xf - && test -s trace.gwt", dir);
    free(bytes);
    free(file);
    scratch_remove(dir);
}

static void bundle_goes_to_a_pipe(void **state) {
    struct e2e *e = *state;
    struct program_result r;
    const struct program p = {.args = PROGRAM_ARGS("--root", e->root, "doctor", "--bundle", "-"),
                              .bare_root = true};
    program_run(&p, &r);
    assert_int_equal(r.status, 0);
    assert_true(r.out_size > 1024 && r.out_size % 512 == 0);
    assert_memory_equal(r.out + 257, "ustar", 5);
    program_finish(&r);
}

static void bundle_is_refused(void **state) {
    struct e2e *e = *state;
    char *dir = scratch_make(), *file = path_join(dir, "b.tar"), *link = path_join(dir, "link");
    tree_text(dir, "victim", "mine");
    tree_text(dir, "config", "[general]\nreadonly = yes\n");
    tree_link(dir, "link", "victim");
    free(e2e_run(e, PROGRAM_ARGS("--readonly", "doctor", "--bundle", file), 2));
    assert_int_equal(access(file, F_OK), -1);
    free(e2e_run(e, PROGRAM_ARGS("--set", "readonly=yes", "doctor", "--bundle", file), 2));
    assert_int_equal(access(file, F_OK), -1);
    free(e2e_run(e, PROGRAM_ARGS("doctor", "--bundle", dir), 2));
    free(e2e_run(e, PROGRAM_ARGS("doctor", "--bundle", link), 2));
    char *victim = path_join(dir, "victim"), *text = file_read(victim, NULL);
    assert_string_equal(text, "mine");
    free(e2e_run(e, PROGRAM_ARGS("--readonly", "doctor"), 0)); /* it only looks */
    free(victim);
    free(text);
    free(file);
    free(link);
    scratch_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundle_is_whole_and_scrubbed),
        cmocka_unit_test(bundle_is_compressed_by_name),
        cmocka_unit_test(bundle_goes_to_a_pipe),
        cmocka_unit_test(bundle_is_refused),
    };
    return cmocka_run_group_tests(tests, make_machine, e2e_end);
}
