/*
 * Recording to where there is no room: a word, status 1, no crash; and what stands in the file are whole ticks.
 * Output to a reader that goes away ends quietly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"

static struct e2e machine;

static int make(void **state) {
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 40, .fds = 6, .clients = 20, .seed = 14};
    (void)state;
    machine = e2e_machine(&o);
    return 0;
}

static int drop(void **state) {
    (void)state;
    e2e_finish(&machine);
    return 0;
}

static void a_full_device_is_said(void **state) {
    struct program_result r;
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("--root", machine.root, "record", "-o",
                                                       "/dev/full", "-n", "3", "-d", "100ms")},
                &r);
    assert_false(r.timed_out);
    assert_int_equal(r.status, 1);
    assert_true(r.err_size > 10);
    program_finish(&r);
    program_run(&(struct program){.args = PROGRAM_ARGS("--root", machine.root, "--json", "-n", "3"),
                                  .stdout_path = "/dev/full"},
                &r);
    assert_int_equal(r.status, 1);
    assert_true(r.err_size > 10);
    program_finish(&r);
}

/* In a child with a small file system of its own: records until it is full, copies what is there. */
static int record_into_little(const char *small, const char *copy, bool compress) {
    char path[512];
    size_t n;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("small", small, "tmpfs", 0, "size=96k") != 0)
        return 77;
    snprintf(path, sizeof path, "%s/trace.gwt%s", small, compress ? ".zst" : "");
    struct program_result r;
    program_run(&(struct program){.args = PROGRAM_ARGS("--root", machine.root, "record", "-o", path,
                                                       "-n", "300", "-d", "100ms")},
                &r);
    char *bytes = file_read(path, &n);
    if (bytes)
        file_write(copy, bytes, n);
    return r.status == 1 && r.err_size > 0 && bytes && n > 0 ? 0 : 1;
}

static void a_full_file_system_keeps_whole_ticks(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    char *small = e2e_path(&machine, "small"), *copy = e2e_path(&machine, "copy.gwt");
    assert_int_equal(mkdir(small, 0755), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(record_into_little(small, copy, false));
    int status = program_wait(pid, PROGRAM_PATIENCE_S, NULL);
    if (status == 77)
        skip();
    assert_int_equal(status, 0);
    struct program_result r;
    program_run(&(struct program){.args = PROGRAM_ARGS("replay", copy, "--json", "--speed", "max")},
                &r);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.err_size, 0); /* nothing is wrong with it */
    json_t *ticks = ndjson_parse(r.out);
    assert_non_null(ticks);
    assert_true(json_array_size(ticks) >= 1);
    json_decref(ticks);
    program_finish(&r);
    free(small);
    free(copy);
}

static void a_reader_that_goes_away_is_no_failure(void **state) {
    int out[2];
    char some[64];
    (void)state;
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct program p = {
        .args = PROGRAM_ARGS("--root", machine.root, "--json", "-d", "100ms", "-n", "100")};
    FILE *err = tmpfile();
    pid_t pid = program_start(&p, out[1], fileno(err));
    close(out[1]);
    assert_true(read(out[0], some, sizeof some) > 0);
    close(out[0]);
    bool late;
    int status = program_wait(pid, PROGRAM_PATIENCE_S, &late);
    assert_false(late);
    assert_int_equal(status, 0);
    assert_int_equal(fseek(err, 0, SEEK_END), 0);
    assert_int_equal(ftell(err), 0);
    fclose(err);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_device_is_said),
        cmocka_unit_test(a_full_file_system_keeps_whole_ticks),
        cmocka_unit_test(a_reader_that_goes_away_is_no_failure),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
