/*
 * A recording cut anywhere: replay neither crashes nor hangs, ends with 0 or 1, and what it prints is what the
 * whole recording prints, as far as it goes; only the last tick may be a part of one.
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
#include <unistd.h>

#include "chronicle.h"
#include "ndjson.h"
#include "program.h"
#include "scratch.h"

#define CUTS  100 /* of each form */
#define TICKS 9

static char *dir;

static char *record(const char *name, bool compress) {
    struct err_info info = {0};
    struct synth_options o = {.gpus = "amdgpu,xe",
                              .processes = 12,
                              .fds = 8,
                              .clients = 8,
                              .seed = 12,
                              .events = true,
                              .hostile = true};
    char *root = scratch_make(), *path = path_join(dir, "%s", name);
    struct synth *machine = synth_create(root, &o);
    assert_non_null(machine);
    struct chronicle c = {.root = root,
                          .machine = machine,
                          .ticks = TICKS,
                          .delay_ns = 1000000000,
                          .compress = compress};
    assert_int_equal(chronicle_write(&c, open(path, O_WRONLY | O_CREAT, 0600), &info), ERR_OK);
    synth_close(machine);
    scratch_remove(root);
    return path;
}

static int make(void **state) {
    (void)state;
    dir = scratch_make();
    return 0;
}

static int drop(void **state) {
    (void)state;
    scratch_remove(dir);
    return 0;
}

static void play(const char *path, struct program_result *r) {
    program_run(&(struct program){.args = PROGRAM_ARGS("replay", path, "--json", "--speed", "max")},
                r);
}

/* All lines but the last are those of the whole; the last is an object at least. */
static void assert_prefix(const char *part, const char *whole, size_t cut) {
    const char *end = part + strlen(part);
    if (end == part)
        return;
    assert_int_equal(end[-1], '\n');
    const char *last = end - 1;
    while (last > part && last[-1] != '\n')
        last--;
    if (strncmp(part, whole, (size_t)(last - part)) != 0)
        fail_msg("cut at %zu: other ticks than the whole has", cut);
    json_t *ticks = ndjson_parse(last);
    if (!ticks)
        fail_msg("cut at %zu: the last tick is no object", cut);
    json_decref(ticks);
}

static void cut_everywhere(const char *path) {
    size_t n;
    char *bytes = file_read(path, &n), *cut_path = path_join(dir, "cut");
    struct program_result whole, part;
    play(path, &whole);
    assert_int_equal(whole.status, 0);
    json_t *ticks = ndjson_parse(whole.out);
    assert_int_equal(json_array_size(ticks), TICKS);
    json_decref(ticks);
    assert_non_null(bytes);
    for (size_t i = 0; i < CUTS; i++) {
        size_t cut = i < 20 ? i * 7 : i > CUTS - 20 ? n - (CUTS - i) : n * i / CUTS;
        file_write(cut_path, bytes, cut);
        play(cut_path, &part);
        if (part.timed_out || part.status > 1)
            fail_msg("cut at %zu of %zu: status %d: %s", cut, n, part.status, part.err);
        if (part.status == 1 && part.err_size == 0)
            fail_msg("cut at %zu of %zu: fails without a word", cut, n);
        assert_prefix(part.out, whole.out, cut);
        program_finish(&part);
    }
    program_finish(&whole);
    free(bytes);
    free(cut_path);
}

static void plain_recordings(void **state) {
    (void)state;
    char *path = record("plain.gwt", false);
    cut_everywhere(path);
    free(path);
}

static void compressed_recordings(void **state) {
    (void)state;
    char *path = record("packed.gwt.zst", true);
    cut_everywhere(path);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_recordings),
                                       cmocka_unit_test(compressed_recordings)};
    return cmocka_run_group_tests(tests, make, drop);
}
