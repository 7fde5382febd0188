/* `gwtop report` through the real program: recordings, a live machine, where the page goes, what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "e2e.h"
#include "program.h"
#include "scratch.h"

#define DEMO "fixtures/demo/demo.gwt.zst"
#define MALI "fixtures/mali/samsung-4412/events"

#define has(text, what)   assert_non_null(strstr(text, what))
#define lacks(text, what) assert_null(strstr(text, what))

static char *said(const char *const *args, int want_status) {
    struct program p = {.args = args};
    return e2e_call(&p, want_status);
}

#define SAID(...) said(PROGRAM_ARGS("report", __VA_ARGS__), 0)

static void pages_of_recordings(void **state) {
    static const char *const recordings[] = {DEMO, MALI};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *t = SAID(recordings[i], "-o", "-");
        assert_int_equal(strncmp(t, "<!DOCTYPE html>", 15), 0);
        has(t, "</html>\n");
        has(t, "id=\"overview\"");
        lacks(t, "<script");
        free(t);
    }
    char *sheet = SAID(MALI, "-o", "-", "--csv");
    assert_int_equal(strncmp(sheet, "table,device,", 13), 0);
    has(sheet, "\r\nprocess,");
    free(sheet);
}

static unsigned lines_with(const char *text, const char *start) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, start)); at += strlen(start))
        n++;
    return n;
}

static void options_choose(void **state) {
    (void)state;
    char *all = SAID(DEMO, "-o", "-", "--csv");
    unsigned processes = lines_with(all, "\r\nprocess,");
    assert_true(processes > 2);
    char *two = SAID(DEMO, "-o", "-", "--csv", "-N", "2");
    assert_int_equal(lines_with(two, "\r\nprocess,"), 2);
    assert_int_equal(lines_with(two, "\r\nother,"), 1);
    free(two);
    char *nobody = SAID(DEMO, "-o", "-", "--csv", "-u", "nobody-of-this-name");
    assert_int_equal(lines_with(nobody, "\r\nprocess,"), 0);
    free(nobody);
    char *none = SAID(DEMO, "-o", "-", "--csv", "-p", "999999999");
    assert_int_equal(lines_with(none, "\r\nprocess,"), 0);
    free(none);
    char *one = SAID(DEMO, "-o", "-", "--csv", "-i", "0");
    assert_int_equal(lines_with(one, "\r\ndevice,"), 1);
    free(one);
    free(all);
    free(said(PROGRAM_ARGS("report", DEMO, "-o", "-", "-i", "no-such-device"), 1));
}

static void a_part_of_the_time(void **state) {
    (void)state;
    char *three = SAID(DEMO, "-o", "-", "-n", "3");
    has(three, "<dt>Ticks</dt><dd>3<");
    free(three);
    three = SAID(DEMO, "-o", "-", "--from", "5", "-n", "3");
    has(three, "<dt>Ticks</dt><dd>3<");
    free(three);
    char *part = SAID(DEMO, "-o", "-", "--from", "5", "--to", "10");
    has(part, "<dt>Span</dt><dd>5\xC2\xA0s");
    free(part);
}

static void a_file_takes_its_place_whole(void **state) {
    struct stat st;
    (void)state;
    char *dir = scratch_make();
    char *path = path_join(dir, "page.html");
    mode_t before = umask(027);
    free(SAID(DEMO, "-o", path));
    umask(before);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    ino_t first = st.st_ino;
    free(SAID(DEMO, "-o", path));
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_ino != first);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(rmdir(dir), -1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0); /* nothing else was left there */
    free(path);
    free(dir);
}

static void refusals(void **state) {
    (void)state;
    free(said(PROGRAM_ARGS("report", DEMO), 2));
    free(said(PROGRAM_ARGS("report", "no/such/file", "-o", "-"), 1));
    free(said(PROGRAM_ARGS("report", DEMO, "-o", "/no/such/folder/page"), 1));
}

static void a_live_machine(void **state) {
    (void)state;
    struct e2e e = e2e_machine(
        &(struct synth_options){.gpus = "amdgpu", .processes = 6, .fds = 2, .clients = 4});
    char *t = e2e_run(&e, PROGRAM_ARGS("report", "-o", "-", "-n", "3", "-d", "1"), 0);
    has(t, "<dt>Ticks</dt><dd>3<");
    free(t);
    e2e_finish(&e);
}

/* Until it would no more die of the signal. */
static void await_handler(pid_t pid, int number) {
    uint64_t caught = 0;
    for (int i = 0; i < 20000 && !(caught >> (number - 1) & 1); i++) {
        char *path = path_join("/proc", "%d/status", (int)pid), *status = file_read(path, NULL);
        const char *at = status ? strstr(status, "\nSigCgt:") : NULL;
        caught = at ? strtoull(at + strlen("\nSigCgt:"), NULL, 16) : 0;
        free(status);
        free(path);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    assert_true(caught >> (number - 1) & 1);
}

static void a_signal_ends_the_watching_only(void **state) {
    (void)state;
    struct e2e e = e2e_machine(
        &(struct synth_options){.gpus = "amdgpu", .processes = 6, .fds = 2, .clients = 4});
    char *dir = scratch_make();
    char *path = path_join(dir, "page.html");
    struct program p = {
        .args = PROGRAM_ARGS("--root", e.root, "report", "-o", path, "-n", "9999", "-d", "1")};
    pid_t pid = program_start(&p, STDERR_FILENO, STDERR_FILENO);
    await_handler(pid, SIGINT);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    kill(pid, SIGINT);
    assert_int_equal(program_wait(pid, PROGRAM_PATIENCE_S, NULL), 0);
    char *t = file_read(path, NULL);
    assert_non_null(t);
    has(t, "</html>\n");
    free(t);
    free(path);
    scratch_remove(dir);
    e2e_finish(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_recordings),
        cmocka_unit_test(options_choose),
        cmocka_unit_test(a_part_of_the_time),
        cmocka_unit_test(a_file_takes_its_place_whole),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_live_machine),
        cmocka_unit_test(a_signal_ends_the_watching_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
