/* `gwtop stat` runs a command as if gwtop were not there, and says what it cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ndjson.h"
#include "program.h"
#include "scratch.h"

static void status_is_passed_on(void **state) {
    static const struct {
        const char *args[7];
        int status;
    } cases[] = {
        {{"stat", "--", "true"}, 0},
        {{"stat", "--", "sh", "-c", "exit 7"}, 7},
        {{"stat", "--", "sh", "-c", "kill -9 $$"}, 137},
        {{"stat", "--", "/no/such/program"}, 127},
        {{"stat", "--", "/etc/passwd"}, 126},
        {{"stat"}, 125},
        {{"stat", "--no-such-option", "--", "true"}, 125},
        {{"stat", "-o", "/no/such/folder/file", "--", "true"}, 125},
        {{"stat", "-i", "0", "--", "true"}, 125},
        {{"stat", "-p", "1", "--", "true"}, 125},
        {{"stat", "-u", "root", "--", "true"}, 125},
        {{"stat", "-N", "1", "--", "true"}, 125},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program_result r;
        program_run(&(struct program){.args = cases[i].args}, &r);
        if (r.timed_out || r.status != cases[i].status)
            fail_msg("case %zu: status %d: %s", i, r.status, r.err);
        program_finish(&r);
    }
}

static void output_and_limits_are_the_commands_own(void **state) {
    struct program_result r;
    struct rlimit limit;
    char want[64];
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit low = {256, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--", "sh", "-c",
                                                       "ulimit -Sn; ls /proc/self/fd | wc -l")},
                &r);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    FILE *outside = popen("ulimit -Sn 256; ulimit -Sn; ls /proc/self/fd | wc -l", "r");
    assert_non_null(outside);
    want[fread(want, 1, sizeof want - 1, outside)] = '\0';
    pclose(outside);
    assert_string_equal(r.out, want);
    assert_non_null(strstr(r.err, "wall time, exit status 0"));
    program_finish(&r);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what goes on after the command -------------------------------------------------------------- */

/* Each run leaves a process behind, whose pid is in $F: so that it is surely there, it stays until it is killed. */
#define LEAVE                                                                                      \
    "(sleep 300 >/dev/null 2>&1 & p=$!\n"                                                          \
    "until [ \"$(cat /proc/$p/comm)\" = sleep ]; do sleep 0.02; done; echo $p >>$F)\n"

static void kill_left(const char *path) {
    char *text = file_read(path, NULL), *rest = text;
    assert_non_null(text);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            (void)kill((pid_t)atoi(line), SIGKILL);
    free(text);
}

static void json_says_mean_and_spread(void **state) {
    struct program_result r;
    char *dir = scratch_make(), *left = path_join(dir, "left"), *line = NULL;
    (void)state;
    assert_true(asprintf(&line, "F=%s", left) > 0);
    const char *const env[] = {line, NULL};
    double began = now_s();
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--json", "-r", "3", "--", "sh",
                                                       "-c", LEAVE "sleep 0.2; exit 3"),
                                  .env = env},
                &r);
    double took = now_s() - began;
    kill_left(left);
    assert_int_equal(r.status, 3);
    json_t *o = json_object_of(r.out, strlen(r.out));
    assert_non_null(o);
    assert_string_equal(text_at(o, "schema"), "gwtop/1");
    assert_int_equal(json_integer_value(json_object_get(o, "exit")), 3);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 3);
    assert_true(number_at(o, "wall_s") >= 0.2 && 3 * number_at(o, "wall_s") < took);
    assert_true(number_at(json_object_get(o, "spread_pct"), "wall_s") >= 0);
    assert_true(json_is_array(json_object_get(o, "devices")));
    assert_int_equal(json_array_size(json_object_get(o, "command")), 3);
    json_t *running = json_array_get(json_object_get(o, "running"), 0);
    assert_string_equal(text_at(running, "name"), "sleep");
    json_decref(o);
    program_finish(&r);
    scratch_remove(dir);
    free(left);
    free(line);
}

static void wait_waits_for_orphans(void **state) {
    struct program_result r;
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--json", "--wait", "--", "sh", "-c",
                                                       "(sleep 0.6 &) ; exit 3")},
                &r);
    assert_int_equal(r.status, 3);
    json_t *o = json_object_of(r.out, strlen(r.out));
    assert_non_null(o);
    assert_true(number_at(o, "wall_s") >= 0.6);
    assert_int_equal(json_array_size(json_object_get(o, "running")), 0);
    json_decref(o);
    program_finish(&r);
}

static void a_signal_is_passed_on_and_the_figures_printed(void **state) {
    FILE *err = tmpfile();
    char text[4096] = "", some[16];
    int out[2];
    bool late;
    (void)state;
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct program p = {.args =
                            PROGRAM_ARGS("stat", "--", "sh", "-c", "echo ready; exec sleep 300")};
    pid_t pid = program_start(&p, out[1], fileno(err));
    close(out[1]);
    assert_true(read(out[0], some, sizeof some) > 0);
    kill(pid, SIGTERM);
    assert_int_equal(program_wait(pid, PROGRAM_PATIENCE_S, &late), 128 + SIGTERM);
    assert_false(late);
    close(out[0]);
    rewind(err);
    assert_true(fread(text, 1, sizeof text - 1, err) > 0);
    assert_non_null(strstr(text, "exit status 143"));
    fclose(err);
}

/* A look is an hour away. Also where whoever started it does not want to hear of children. */
static void what_ends_at_once_is_printed_at_once(void **state) {
    struct program_result r;
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    for (int exact = 0; exact < 2; exact++) {
        const char *const *args = exact
                                      ? PROGRAM_ARGS("stat", "-d", "3600s", "--exact", "--", "true")
                                      : PROGRAM_ARGS("stat", "-d", "3600s", "--", "true");
        program_run(&(struct program){.args = args}, &r);
        if (r.timed_out)
            fail_msg("it did not end: %s", r.err);
        program_finish(&r);
    }
    signal(SIGCHLD, SIG_DFL);
}

/* ---- --exact -------------------------------------------------------------------------------------- */

static void signals_and_stops_pass_through_exact(void **state) {
    struct program_result r;
    static const char script[] = "sleep 300 & p=$!; kill -STOP $p; sleep 0.2; kill -CONT $p; kill "
                                 "-TERM $p; wait $p; echo $?\n"
                                 "trap 'echo caught' USR1; kill -USR1 $$; kill -KILL $$";
    (void)state;
    program_run(
        &(struct program){.args = PROGRAM_ARGS("stat", "--exact", "--", "sh", "-c", script)}, &r);
    assert_false(r.timed_out);
    assert_int_equal(r.status, 128 + SIGKILL);
    assert_non_null(strstr(r.out, "143\ncaught\n"));
    program_finish(&r);
}

/* In a child of the test, since a filter cannot be taken away. The leak checker would trace too. */
static int run_untraceable(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    struct program_result r;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 77;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--exact", "--", "echo", "ran"),
                                  .env = PROGRAM_ARGS("ASAN_OPTIONS=detect_leaks=0")},
                &r);
    bool said = strstr(r.err, "--exact") != NULL && r.out_size == 0 && !r.timed_out;
    int status = said ? r.status : 1;
    program_finish(&r);
    return status;
}

static void what_cannot_be_traced_is_not_run(void **state) {
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(run_untraceable());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 125);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_passed_on),
        cmocka_unit_test(output_and_limits_are_the_commands_own),
        cmocka_unit_test(json_says_mean_and_spread),
        cmocka_unit_test(wait_waits_for_orphans),
        cmocka_unit_test(a_signal_is_passed_on_and_the_figures_printed),
        cmocka_unit_test(what_ends_at_once_is_printed_at_once),
        cmocka_unit_test(signals_and_stops_pass_through_exact),
        cmocka_unit_test(what_cannot_be_traced_is_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
