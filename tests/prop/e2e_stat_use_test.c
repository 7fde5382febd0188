/* What `gwtop stat` says that a command used: commands whose counters a shell writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "program.h"
#include "scratch.h"
#include "terminal.h"

/* ---- commands that use a GPU -------------------------------------------------------------------- */

/* Shell functions: a process, by its real pid, comes into the tree with so many ns of gfx and KiB of VRAM; then
 * these grow, in place, since who reads a text may hold it open; then it goes. Each is `seen` before the next, however
 * long that takes: what nobody looked at nobody knows. */
#define SHELL                                                                                      \
    "put() { printf 'drm-driver:\\tamdgpu\\ndrm-client-id:\\t%d\\ndrm-pdev:\\t0000:03:00.0\\n"     \
    "drm-memory-vram:\\t%06d KiB\\ndrm-resident-vram:\\t%06d KiB\\ndrm-engine-gfx:\\t%012d ns\\n'" \
    " $1 $3 $3 $2; }\n"                                                                            \
    "show() { mkdir -p $T/new/$1/fd $T/new/$1/fdinfo\n"                                            \
    "for f in stat status comm cmdline; do cat /proc/$1/$f >$T/new/$1/$f; done\n"                  \
    "ln -s /dev/dri/renderD128 $T/new/$1/fd/5\nput $* >$T/new/$1/fdinfo/5\n"                       \
    "mv $T/new/$1 $T/proc/$1; }\n"                                                                 \
    "grow() { put $* 1<>$T/proc/$1/fdinfo/5; }\n"                                                  \
    "gone() { mv $T/proc/$1 $T/new/gone$1; }\n"                                                    \
    "seen() { \"$SEE\" see $T/proc/$1/fdinfo/5; }\n"

/* `stat` with these options of a shell that runs the text. */
struct use {
    struct e2e e;
    char tree[256];
    char see[64];
    const char *env[3];
    const char *args[24];
    struct program p;
};

static void use_init(struct use *u, const char *const *options, const char *script) {
    unsigned n = 0;
    u->e = e2e_machine(&(struct synth_options){.gpus = "amdgpu", .processes = 1, .seed = 7});
    snprintf(u->tree, sizeof u->tree, "T=%s", u->e.root);
    snprintf(u->see, sizeof u->see, "SEE=/proc/%d/exe", (int)getpid());
    u->env[0] = u->tree;
    u->env[1] = u->see;
    u->env[2] = NULL;
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
    json_t *o = json_object_of(text, strlen(text));
    assert_non_null(o);
    free(text);
    return o;
}

static json_t *device_of(json_t *o) {
    json_t *d = json_array_get(json_object_get(o, "devices"), 0);
    assert_string_equal(text_at(d, "id"), "0000:03:00.0");
    return d;
}

/* 0.02 s at the first sight and 0.28 s more by the parent, 0.2 s by a child that outlives it; at most 4 MiB. */
static const char family[] =
    SHELL "show $$ 20000000 1024; seen $$\ngrow $$ 200000000 4096; seen $$\n"
          "grow $$ 300000000 2048\n"
          "(me=$(sh -c 'echo $PPID'); show $me 10000000 512; seen $me;"
          " grow $me 200000000 256; seen $me) &\nseen $$\nexit 9\n";

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

/* A counter that stands at a day cannot be of a process so young: only what it grows by is the command's. */
static void what_was_inherited_is_not_its_cost(void **state) {
    (void)state;
    json_t *o =
        use_json(PROGRAM_ARGS("-d", "100ms", "--json"),
                 SHELL "show $$ 86400000000000 64; seen $$; grow $$ 86400100000000 64; seen $$", 0);
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
/* Until a signal: one that comes while a shell turns into another program would be lost. */
#define REST "while :; do sleep 0.05; done"

static void a_run_cut_short_is_not_in_the_mean(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-r", "5", "--json"),
                         "echo >>$T/runs; [ $(wc -l <$T/runs) = 1 ] && exit 0\n"
                         "kill -INT $PPID; " REST,
                         130);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 1);
    json_decref(o);
}

/* In the n-th run n times 0.1 s: mean 0.2 s, spread 50 %. */
static void runs_have_mean_and_spread(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-r", "3", "--json"),
                         SHELL "echo >>$T/runs; n=$(wc -l <$T/runs); show $$ 0 64; seen $$\n"
                               "grow $$ $((n * 100000000)) 64; seen $$; exit 3",
                         3);
    json_t *e = process_engine(device_of(o), "gfx");
    assert_near(e, "busy_s", 0.2, 1e-9);
    assert_near(json_object_get(e, "spread_pct"), "busy_s", 50, 1e-6);
    json_decref(o);
}

static const char one[] = SHELL "show $$ 0 1024; seen $$; grow $$ 250000000 1024; seen $$";

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

/* ---- who waits for a look ------------------------------------------------------------------------- */

/* This test as a command: it ends once the file was read twice. The first time may have begun before what it is to
 * have seen was there. */
static int see(const char *path) {
    char events[4096];
    int fd = inotify_init1(IN_CLOEXEC);
    if (fd < 0 || inotify_add_watch(fd, path, IN_ACCESS) < 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        struct pollfd f = {fd, POLLIN, 0};
        if (poll(&f, 1, (int)(PROGRAM_PATIENCE_S * 1000)) != 1 ||
            read(fd, events, sizeof events) <= 0)
            return 1;
    }
    return 0;
}

/* ---- --exact -------------------------------------------------------------------------------------- */

/* A child that came and went between two looks, and that nothing is left of. */
static const char brief[] =
    SHELL "sh -c 'echo $$ >$T/who; until [ -e $T/seen ]; do sleep 0.02; done; exit 4' &\n"
          "until [ -s $T/who ]; do sleep 0.02; done; p=$(cat $T/who)\n"
          "show $p 20000000 512; echo >$T/seen; wait $!; s=$?; gone $p; exit $s";

static void what_is_brief_is_seen_with_exact(void **state) {
    (void)state;
    json_t *o = use_json(PROGRAM_ARGS("-d", "3600s", "--json"), brief, 4);
    assert_int_equal(json_array_size(json_object_get(o, "processes")), 0);
    assert_near(o, "lost_below_s", 3600, 1e-9);
    json_decref(o);
    o = use_json(PROGRAM_ARGS("-d", "3600s", "--exact", "--json"), brief, 4);
    assert_near(process_engine(device_of(o), "gfx"), "busy_s", 0.02, 1e-9);
    assert_near(o, "lost_below_s", 0, 0);
    json_decref(o);
    char *text = use_run(PROGRAM_ARGS("--exact"), "exit 0", 0);
    assert_null(strstr(text, "may not be seen"));
    free(text);
}

/* ---- the terminal -------------------------------------------------------------------------- */

static void ctrl_c_ends_it_with_figures(void **state) {
    struct use u;
    bool late;
    (void)state;
    use_init(&u, PROGRAM_ARGS("-d", "100ms"),
             SHELL "show $$ 0 64; seen $$; grow $$ 12300000 64; seen $$; echo ready; " REST);
    struct terminal *t = terminal_start(&u.p, 24, 200);
    if (!t)
        skip();
    assert_true(terminal_expect(t, "ready", PROGRAM_PATIENCE_S));
    terminal_send(t, "\003");
    assert_true(terminal_expect(t, "exit status 130", PROGRAM_PATIENCE_S));
    assert_int_equal(terminal_wait(t, PROGRAM_PATIENCE_S, &late), 130);
    assert_false(late);
    assert_non_null(strstr(terminal_output(t, NULL), "0.012"));
    terminal_finish(t);
    e2e_finish(&u.e);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "see") == 0)
        return see(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_time_is_what_the_counters_grew_by),
        cmocka_unit_test(runs_have_mean_and_spread),
        cmocka_unit_test(what_was_inherited_is_not_its_cost),
        cmocka_unit_test(the_first_failure_is_the_status),
        cmocka_unit_test(a_run_cut_short_is_not_in_the_mean),
        cmocka_unit_test(csv_and_text_say_the_same),
        cmocka_unit_test(what_is_brief_is_seen_with_exact),
        cmocka_unit_test(ctrl_c_ends_it_with_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
