/* `gwtop stat` runs a command as if gwtop were not there, and says what it cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
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

#include "e2e.h"
#include "ndjson.h"
#include "program.h"
#include "scratch.h"
#include "terminal.h"

static json_t *object_of(const char *text) {
    json_error_t error;
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(o))
        fail_msg("not an object: %s", error.text);
    return o;
}

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

static void json_says_mean_and_spread(void **state) {
    struct program_result r;
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--json", "-r", "3", "--", "sh",
                                                       "-c", "(sleep 0.5 &) ; sleep 0.2; exit 3")},
                &r);
    assert_int_equal(r.status, 3);
    json_t *o = object_of(r.out);
    assert_string_equal(text_at(o, "schema"), "gwtop/1");
    assert_int_equal(json_integer_value(json_object_get(o, "exit")), 3);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 3);
    assert_true(number_at(o, "wall_s") >= 0.2 && number_at(o, "wall_s") < 5);
    assert_true(number_at(json_object_get(o, "spread_pct"), "wall_s") >= 0);
    assert_true(json_is_array(json_object_get(o, "devices")));
    assert_int_equal(json_array_size(json_object_get(o, "command")), 3);
    json_t *left = json_array_get(json_object_get(o, "running"), 0);
    assert_string_equal(text_at(left, "name"), "sleep");
    json_decref(o);
    program_finish(&r);
}

static void wait_waits_for_orphans(void **state) {
    struct program_result r;
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--json", "--wait", "--", "sh", "-c",
                                                       "(sleep 0.6 &) ; exit 3")},
                &r);
    assert_int_equal(r.status, 3);
    json_t *o = object_of(r.out);
    assert_true(number_at(o, "wall_s") >= 0.6);
    assert_int_equal(json_array_size(json_object_get(o, "running")), 0);
    json_decref(o);
    program_finish(&r);
}

static void a_signal_is_passed_on_and_the_figures_printed(void **state) {
    FILE *err = tmpfile();
    char text[4096] = "";
    bool late;
    (void)state;
    struct program p = {.args = PROGRAM_ARGS("stat", "--", "sleep", "30")};
    pid_t pid = program_start(&p, STDOUT_FILENO, fileno(err));
    usleep(500000);
    kill(pid, SIGTERM);
    assert_int_equal(program_wait(pid, 10, &late), 128 + SIGTERM);
    assert_false(late);
    rewind(err);
    assert_true(fread(text, 1, sizeof text - 1, err) > 0);
    assert_non_null(strstr(text, "exit status 143"));
    fclose(err);
}

/* ---- commands that use a GPU -------------------------------------------------------------------- */

/* Shell functions: a process, by its real pid, comes into the tree with so many ns of gfx and KiB of VRAM; then
 * these grow, in place, since who reads a text may hold it open; then it goes. */
#define SHELL                                                                                      \
    "put() { printf 'drm-driver:\\tamdgpu\\ndrm-client-id:\\t%d\\ndrm-pdev:\\t0000:03:00.0\\n"     \
    "drm-memory-vram:\\t%06d KiB\\ndrm-resident-vram:\\t%06d KiB\\ndrm-engine-gfx:\\t%012d ns\\n'" \
    " $1 $3 $3 $2; }\n"                                                                            \
    "show() { mkdir -p $T/new/$1/fd $T/new/$1/fdinfo\n"                                            \
    "for f in stat status comm cmdline; do cat /proc/$1/$f >$T/new/$1/$f; done\n"                  \
    "ln -s /dev/dri/renderD128 $T/new/$1/fd/5\nput $* >$T/new/$1/fdinfo/5\n"                       \
    "mv $T/new/$1 $T/proc/$1; }\n"                                                                 \
    "grow() { put $* 1<>$T/proc/$1/fdinfo/5; }\n"                                                  \
    "gone() { mv $T/proc/$1 $T/new/gone$1; }\n"

/* `stat` with these options of a shell that runs the text. */
struct use {
    struct e2e e;
    char tree[256];
    const char *env[2];
    const char *args[24];
    struct program p;
};

static void use_init(struct use *u, const char *const *options, const char *script) {
    unsigned n = 0;
    u->e = e2e_machine(&(struct synth_options){.gpus = "amdgpu", .processes = 1, .seed = 7});
    snprintf(u->tree, sizeof u->tree, "T=%s", u->e.root);
    u->env[0] = u->tree;
    u->env[1] = NULL;
    const char *const before[] = {"--root", u->e.root, "stat"};
    const char *const after[] = {"--", "sh", "-c", script, NULL};
    for (unsigned i = 0; i < 3; i++)
        u->args[n++] = before[i];
    for (unsigned i = 0; options[i]; i++)
        u->args[n++] = options[i];
    for (unsigned i = 0; i < 5; i++)
        u->args[n++] = after[i];
    u->p = (struct program){.args = u->args, .env = u->env};
}

static char *use_run(const char *const *options, const char *script, int status) {
    struct use u;
    struct program_result r;
    use_init(&u, options, script);
    program_run(&u.p, &r);
    if (r.timed_out || r.status != status)
        fail_msg("status %d: %s", r.status, r.err);
    char *text = r.out_size ? r.out : r.err;
    free(r.out_size ? r.err : r.out);
    e2e_finish(&u.e);
    return text;
}

static json_t *use_json(const char *const *options, const char *script, int status) {
    char *text = use_run(options, script, status);
    json_t *o = object_of(text);
    free(text);
    return o;
}

static json_t *device_of(json_t *o) {
    json_t *d = json_array_get(json_object_get(o, "devices"), 0);
    assert_string_equal(text_at(d, "id"), "0000:03:00.0");
    return d;
}

/* 0.02 s at the first sight and 0.28 s more by the parent, 0.2 s by a child that outlives it; at most 4 MiB. What is done
 * between the last look and the end may be lost, so that each rests before it ends. */
static const char family[] =
    SHELL "show $$ 20000000 1024\nsleep 0.4\ngrow $$ 200000000 4096\nsleep 0.4\n"
          "grow $$ 300000000 2048\n"
          "(me=$(sh -c 'echo $PPID'); show $me 10000000 512; sleep 0.5;"
          " grow $me 200000000 256; sleep 0.4) &\nsleep 0.4\nexit 9\n";

static void busy_time_is_what_the_counters_grew_by(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-d", "100ms", "--wait", "--json"), family, 9);
    json_t *d = device_of(o);
    assert_near(process_engine(d, "gfx"), "busy_s", 0.5, 1e-9);
    assert_near(process_memory(d, "vram"), "peak_B", 4096 * 1024, 0);
    assert_near(o, "lost_below_s", 0.1, 1e-9);
    json_t *processes = json_object_get(o, "processes");
    assert_int_equal(json_array_size(processes), 2);
    assert_near(json_array_get(processes, 0), "busy_s", 0.3, 1e-9);
    assert_near(json_array_get(processes, 1), "busy_s", 0.2, 1e-9);
    json_decref(o);
}

/* A counter that stands at 5 s cannot be of a process so young: only what it grows by is the command's. */
static void what_was_inherited_is_not_its_cost(void **state) {
    (void)state;
    json_t *o =
        use_json(PROGRAM_ARGS("-d", "100ms", "--json"),
                 SHELL "show $$ 5000000000 64; sleep 0.4; grow $$ 5100000000 64; sleep 0.2", 0);
    assert_near(process_engine(device_of(o), "gfx"), "busy_s", 0.1, 1e-9);
    json_decref(o);
}

static void the_first_failure_is_the_status(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-r", "4", "--json"),
                         "echo >>$T/runs; n=$(wc -l <$T/runs)\n"
                         "case $n in 2) exit 5;; 3) exit 6;; esac",
                         5);
    assert_int_equal(json_integer_value(json_object_get(o, "exit")), 5);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 4);
    json_decref(o);
}

/* The second of many is cut short. */
static void a_run_cut_short_is_not_in_the_mean(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-r", "5", "--json"),
                         "echo >>$T/runs; [ $(wc -l <$T/runs) = 1 ] && exit 0\n"
                         "kill -INT $PPID; sleep 20",
                         130);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 1);
    assert_true(number_at(o, "wall_s") < 5);
    json_decref(o);
}

/* In the n-th run n times 0.1 s: mean 0.2 s, spread 50 %. */
static void runs_have_mean_and_spread(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-r", "3", "--json"),
                         SHELL "echo >>$T/runs; n=$(wc -l <$T/runs); show $$ 0 64; sleep 0.3\n"
                               "grow $$ $((n * 100000000)) 64; sleep 0.2; exit 3",
                         3);
    json_t *e = process_engine(device_of(o), "gfx");
    assert_near(e, "busy_s", 0.2, 1e-9);
    assert_near(json_object_get(e, "spread_pct"), "busy_s", 50, 1e-6);
    json_decref(o);
}

static const char one[] = SHELL "show $$ 0 1024; sleep 0.4; grow $$ 250000000 1024";

static void csv_and_text_say_the_same(void **state) {
    (void)state;
    char *csv = use_run(PROGRAM_ARGS("--csv"), one, 0);
    assert_non_null(strstr(csv, "\r\n0000:03:00.0,,gfx,busy_s,0.25,"));
    assert_non_null(strstr(csv, "\r\n0000:03:00.0,,vram,peak_B,1048576,"));
    assert_non_null(strstr(csv, "\r\n,,,lost_below_s,0.1,"));
    assert_non_null(strstr(csv, "\r\n,,,exit,0,"));
    assert_non_null(strstr(csv, "\r\n0000:03:00.0,,,method,"));
    free(csv);
    char *text = use_run(PROGRAM_ARGS("-d", "200ms"), one, 0);
    assert_non_null(strstr(text, "busy on gfx"));
    assert_non_null(strstr(text, "0.250"));
    assert_non_null(strstr(text, "what lived less than 200 ms may not be seen"));
    free(text);
}

/* ---- --exact -------------------------------------------------------------------------------------- */

/* A child that came and went between two looks, and that nothing is left of. */
static const char brief[] =
    SHELL "sh -c 'echo $$ >$T/who; until [ -e $T/seen ]; do sleep 0.02; done; exit 4' &\n"
          "until [ -s $T/who ]; do sleep 0.02; done; p=$(cat $T/who)\n"
          "show $p 20000000 512; echo >$T/seen; wait $!; s=$?; gone $p; exit $s";

static void what_is_brief_is_seen_with_exact(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-d", "5s", "--json"), brief, 4);
    assert_int_equal(json_array_size(json_object_get(o, "processes")), 0);
    assert_near(o, "lost_below_s", 5, 1e-9);
    json_decref(o);
    o = use_json(PROGRAM_ARGS("-d", "5s", "--exact", "--json"), brief, 4);
    assert_near(process_engine(device_of(o), "gfx"), "busy_s", 0.02, 1e-9);
    assert_near(o, "lost_below_s", 0, 0);
    json_decref(o);
    char *text = use_run(PROGRAM_ARGS("--exact"), "exit 0", 0);
    assert_null(strstr(text, "may not be seen"));
    free(text);
}

static void signals_and_stops_pass_through_exact(void **state) {
    struct program_result r;
    static const char script[] = "sleep 30 & p=$!; kill -STOP $p; sleep 0.2; kill -CONT $p; kill "
                                 "-TERM $p; wait $p; echo $?\n"
                                 "trap 'echo caught' USR1; kill -USR1 $$; kill -KILL $$";
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--exact", "--", "sh", "-c", script),
                                  .seconds = 20},
                &r);
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
                                  .env = PROGRAM_ARGS("ASAN_OPTIONS=detect_leaks=0"),
                                  .seconds = 10},
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

/* ---- the terminal, and time -------------------------------------------------------------------------- */

static void ctrl_c_ends_it_with_figures(void **state) {
    struct use u;
    bool late;
    (void)state;
    use_init(&u, PROGRAM_ARGS("-d", "100ms"),
             SHELL "show $$ 0 64; grow $$ 12300000 64; echo ready; exec sleep 30");
    struct terminal *t = terminal_start(&u.p, 24, 200);
    if (!t)
        skip();
    assert_true(terminal_expect(t, "ready", 10));
    (void)terminal_pump(t, 0.4, 0.5);
    terminal_send(t, "\003");
    assert_true(terminal_expect(t, "exit status 130", 10));
    assert_int_equal(terminal_wait(t, 10, &late), 130);
    assert_false(late);
    assert_non_null(strstr(terminal_output(t, NULL), "0.012"));
    terminal_finish(t);
    e2e_finish(&u.e);
}

/* Also where whoever started it does not want to hear of children. */
static void what_ends_at_once_is_printed_at_once(void **state) {
    struct timespec a, b;
    struct program_result r;
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    for (int exact = 0; exact < 2; exact++) {
        const char *const *args = exact ? PROGRAM_ARGS("stat", "-d", "5s", "--exact", "--", "true")
                                        : PROGRAM_ARGS("stat", "-d", "5s", "--", "true");
        clock_gettime(CLOCK_MONOTONIC, &a);
        program_run(&(struct program){.args = args, .seconds = 10}, &r);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
        if (r.timed_out || s >= 0.5)
            fail_msg("%.2f s: %s", s, r.err);
        program_finish(&r);
    }
    signal(SIGCHLD, SIG_DFL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_passed_on),
        cmocka_unit_test(output_and_limits_are_the_commands_own),
        cmocka_unit_test(json_says_mean_and_spread),
        cmocka_unit_test(wait_waits_for_orphans),
        cmocka_unit_test(a_signal_is_passed_on_and_the_figures_printed),
        cmocka_unit_test(busy_time_is_what_the_counters_grew_by),
        cmocka_unit_test(runs_have_mean_and_spread),
        cmocka_unit_test(what_was_inherited_is_not_its_cost),
        cmocka_unit_test(the_first_failure_is_the_status),
        cmocka_unit_test(a_run_cut_short_is_not_in_the_mean),
        cmocka_unit_test(csv_and_text_say_the_same),
        cmocka_unit_test(what_is_brief_is_seen_with_exact),
        cmocka_unit_test(signals_and_stops_pass_through_exact),
        cmocka_unit_test(what_cannot_be_traced_is_not_run),
        cmocka_unit_test(ctrl_c_ends_it_with_figures),
        cmocka_unit_test(what_ends_at_once_is_printed_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
