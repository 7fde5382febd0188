/*
 * No room, and nobody to write to: the configuration on a full disk stays what it was; standard streams that are
 * closed, full, or both. (Recordings: tests/prop/e2e_full_test.c.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/config.h"
#include "e2e.h"
#include "scratch.h"

static struct e2e machine;

static int make(void **state) {
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 20, .fds = 4, .clients = 8, .seed = 14};
    (void)state;
    machine = e2e_machine(&o);
    return 0;
}

static int drop(void **state) {
    (void)state;
    e2e_finish(&machine);
    return 0;
}

/* ---- the configuration ------------------------------------------------------------------------- */

static unsigned entries_of(const char *dir) {
    unsigned n = 0;
    DIR *d = opendir(dir);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Fills the file system to its last byte. */
static void fill(const char *dir) {
    char path[512], block[4096] = {0};
    snprintf(path, sizeof path, "%s/full", dir);
    FILE *f = fopen(path, "w");
    setvbuf(f, NULL, _IONBF, 0);
    while (fwrite(block, 1, sizeof block, f) == sizeof block)
        ;
    fclose(f);
}

/* In a child with a small file system of its own: 0, 77 where it may have none, else what went wrong. */
static int save_into_full(const char *small) {
    static const char before[] = "# mine\n[gwtop]\ndelay = 2s\n";
    char path[512];
    size_t n;
    struct settings s;
    struct err_info info = {0};
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("small", small, "tmpfs", 0, "size=64k") != 0)
        return 77;
    snprintf(path, sizeof path, "%s/config.ini", small);
    file_write(path, before, sizeof before - 1);
    fill(small);
    unsigned entries = entries_of(small);
    settings_init(&s);
    if (config_save(path, &s, &info) == ERR_OK || !info.text[0])
        return 1;
    char *now = file_read(path, &n);
    if (!now || n != sizeof before - 1 || memcmp(now, before, n) != 0)
        return 2;
    free(now);
    return entries_of(small) == entries ? 0 : 3; /* nor is a half one left beside it */
}

static void a_full_disk_keeps_the_configuration(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    char *small = e2e_path(&machine, "small");
    assert_int_equal(mkdir(small, 0755), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(save_into_full(small));
    int status = program_wait(pid, PROGRAM_PATIENCE_S, NULL);
    free(small);
    if (status == 77)
        skip();
    assert_int_equal(status, 0);
}

/* ---- streams ----------------------------------------------------------------------------------- */

/* Runs the program by a shell that redirects as `how` says; its status. */
static int run_shell(const char *how, const char *args) {
    char *line = NULL;
    assert_true(asprintf(&line, "timeout 200 '%s' --root '%s' %s %s", program_path(), machine.root,
                         args, how) > 0);
    int status = system(line);
    free(line);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const char *const modes[] = {"--json -n 2 -d 100ms",
                                    "--csv -n 2 -d 100ms",
                                    "-b -n 2 -d 100ms",
                                    "--once",
                                    "-L",
                                    "doctor",
                                    "--help",
                                    "config print"};
enum { MODES = sizeof modes / sizeof modes[0] };

static void a_full_output_is_said(void **state) {
    (void)state;
    for (size_t i = 0; i < MODES; i++) {
        char *said = e2e_path(&machine, "said"), *how = NULL;
        assert_true(asprintf(&how, ">/dev/full 2>'%s'", said) > 0);
        int status = run_shell(how, modes[i]);
        size_t n = 0;
        char *text = file_read(said, &n);
        if (status != 1 || n == 0)
            fail_msg("%s: status %d, said %zu bytes", modes[i], status, n);
        free(text);
        free(how);
        free(said);
    }
}

static void a_closed_output_is_a_failure(void **state) {
    (void)state;
    for (size_t i = 0; i < MODES; i++) {
        int status = run_shell(">&- 2>/dev/null", modes[i]);
        if (status != 1)
            fail_msg("%s: status %d", modes[i], status);
    }
}

/* By its name it is none either: what was not written was not done. */
static void a_closed_output_is_no_file(void **state) {
    (void)state;
    assert_int_equal(run_shell(">&- 2>/dev/null", "record -o /dev/stdout -n 2 -d 100ms"), 1);
    assert_int_equal(run_shell(">&- 2>/dev/null", "report -o /dev/stdout -n 2 -d 100ms"), 1);
}

/* What would have been said there is lost, never written into a file that took the number. */
static void a_closed_error_stream_harms_nothing(void **state) {
    (void)state;
    char *path = e2e_path(&machine, "trace.gwt"), *args = NULL;
    assert_int_equal(run_shell(">/dev/null 2>&-", "--json -n 2 -d 100ms"), 0);
    assert_int_equal(run_shell(">/dev/null 2>&- <&-", "--json -n 2 -d 100ms"), 0);
    assert_true(asprintf(&args, "record -o '%s' -n 2 -d 100ms", path) > 0);
    assert_int_equal(run_shell(">&- 2>&- <&-", args), 0);
    free(e2e_call(
        &(struct program){.args = PROGRAM_ARGS("replay", path, "--json", "--speed", "max")}, 0));
    free(args);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_keeps_the_configuration),
        cmocka_unit_test(a_full_output_is_said),
        cmocka_unit_test(a_closed_output_is_a_failure),
        cmocka_unit_test(a_closed_output_is_no_file),
        cmocka_unit_test(a_closed_error_stream_harms_nothing),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
