/*
 * The driver's recording through the real program: a thread plays the driver in a tree of files.
 * What ran shows up, a recording of it plays the same, and whatever ends the program leaves
 * `record` as it was.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "program.h"
#include "scratch.h"
#include "terminal.h"
#include "tree.h"

#define PROFILING "sys/kernel/debug/mali/profiling/"
#define PID       4242
#define JOB_NS    UINT64_C(5000000) /* so long of each 10 ms */
#define LONG_AGO  UINT64_C(1400000000000000000)

static void rest_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- the driver ------------------------------------------------------------------------------ */

struct driver {
    char *root;
    pthread_t thread;
    atomic_bool over;
    atomic_uint posted; /* jobs */
    int record;
    int events;
    int watch; /* becomes readable when `record` is written */
    off_t at;
};

static bool is_on(int record) {
    char c = '0';
    return pread(record, &c, 1, 0) == 1 && c == '1';
}

static int put_job(char text[200], uint64_t t_ns) {
    return snprintf(text, 200, "%llu 17104896 %d %d 0 0 0\n%llu 33882112 0 0 4294967295 0 0\n",
                    (unsigned long long)t_ns, PID, PID + 1, (unsigned long long)(t_ns + JOB_NS));
}

/* A job that has just ended. */
static void post_job(struct driver *d) {
    char text[200];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t now_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    int n = put_job(text, now_ns - JOB_NS);
    d->posted++;
    if (pwrite(d->events, text, (size_t)n, d->at) == n)
        d->at += n;
}

static void *drive(void *ctx) {
    struct driver *d = ctx;
    while (!d->over) {
        char seen[4096];
        bool turned = read(d->watch, seen, sizeof seen) > 0;
        if (turned && is_on(d->record)) { /* starting empties the buffer */
            d->at = 0;
            if (ftruncate(d->events, 0) != 0)
                abort();
        }
        if (is_on(d->record))
            post_job(d);
        rest_ms(10);
    }
    return NULL;
}

static int file_of(const struct driver *d, const char *file, int flags) {
    char *path = path_join(d->root, "%s", file);
    int fd = open(path, flags | O_CLOEXEC);
    assert_true(fd >= 0);
    free(path);
    return fd;
}

static void driver_make(struct driver *d, const char *record, const char *events) {
    *d = (struct driver){.root = scratch_make()};
    tree_folder(d->root, "proc");
    tree_text(d->root, PROFILING "record", "%s", record);
    tree_text(d->root, PROFILING "events", "%s", events);
    tree_text(d->root, "sys/module/mali/parameters/mali_gpu_clk", "266\n");
    tree_text(d->root, "sys/module/mali/parameters/mali_gpu_vol", "1000000\n");
    d->record = file_of(d, PROFILING "record", O_RDONLY);
    d->events = file_of(d, PROFILING "events", O_RDWR);
}

static void driver_start(struct driver *d) {
    char *path = path_join(d->root, PROFILING "record");
    d->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(d->watch >= 0);
    assert_true(inotify_add_watch(d->watch, path, IN_MODIFY) >= 0);
    free(path);
    assert_int_equal(pthread_create(&d->thread, NULL, drive, d), 0);
}

static void driver_stop(struct driver *d) {
    d->over = true;
    pthread_join(d->thread, NULL);
    close(d->watch);
}

static void driver_drop(struct driver *d) {
    close(d->record);
    close(d->events);
    scratch_remove(d->root);
}

/* ---- what shows ------------------------------------------------------------------------------ */

static double coverage_of(json_t *tick) {
    json_t *device = tick_device(tick, "mali");
    size_t i;
    json_t *m;
    json_array_foreach(json_object_get(device, "metrics"), i, m) {
        if (strcmp(text_at(m, "metric"), "coverage.recorded") == 0)
            return number_at(m, "value");
    }
    return -1;
}

static void jobs_show_as_they_run(void **state) {
    static struct driver d; /* its thread outlives a failure */
    (void)state;
    driver_make(&d, "0\n", "");
    driver_start(&d);
    struct program p = {.args = PROGRAM_ARGS("--root", d.root, "--mali-profiling", "--json", "-n",
                                             "6", "-d", "300ms")};
    char *out = e2e_call(&p, 0);
    driver_stop(&d);
    json_t *ticks = ndjson_parse(out);
    json_t *last = json_array_get(ticks, 5);
    json_t *row = tick_process(last, PID, "mali");
    assert_non_null(row);
    /* What ran while it was not recorded nobody knows. */
    double busy = number_at(row, "busy_s");
    assert_true(busy > 0 && busy <= d.posted * (double)JOB_NS / 1e9 + 1e-9);
    assert_near(json_object_get(row, "power"), "PWs", busy, 1e-6);
    assert_near(json_object_get(row, "power"), "unpriced_s", 0, 1e-9);
    double covered = 0;
    for (size_t i = 1; i < 6; i++) {
        double coverage = coverage_of(json_array_get(ticks, i));
        assert_true(coverage >= 0 && coverage <= 100);
        covered += coverage;
        row = tick_process(json_array_get(ticks, i), PID, "mali");
        assert_true(!row || number_at(row, "busy_s") <= busy);
    }
    assert_true(covered > 0);
    assert_false(is_on(d.record));
    json_decref(ticks);
    free(out);
    driver_drop(&d);
}

/* Ticks in which jobs of the process show; in each it has its name. */
static unsigned count_named(char *take_out) {
    unsigned seen = 0;
    size_t i;
    json_t *ticks = ndjson_parse(take_out), *tick;
    json_array_foreach(ticks, i, tick) {
        json_t *row = tick_process(tick, PID, "mali");
        if (!row)
            continue;
        assert_string_equal(text_at(row, "name"), "worker");
        seen++;
    }
    json_decref(ticks);
    free(take_out);
    return seen;
}

/* Whom a tick's jobs name has a name in that tick, also where there is but one. Whether any run within it is not the
 * program's doing. */
static void names_are_there_at_once(void **state) {
    static struct driver d; /* its thread outlives a failure */
    static const char *const forms[] = {"--once", "-b"};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        driver_make(&d, "0\n", "");
        tree_text(d.root, "proc/4242/stat",
                  "%d (worker) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0\n", PID);
        tree_text(d.root, "proc/4242/cmdline", "%s", "worker");
        driver_start(&d);
        struct program p = {.args = PROGRAM_ARGS("--root", d.root, "--mali-profiling", "--json",
                                                 forms[i], "-n", "2", "-d", "400ms")};
        unsigned seen = 0;
        for (int tries = 0; tries < 50 && seen == 0; tries++)
            seen = count_named(e2e_call(&p, 0));
        driver_stop(&d);
        assert_true(seen > 0);
        driver_drop(&d);
    }
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void end_by(int number, const char *const *args, struct driver *d) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool late = false;
    pid_t pid = program_start(&(struct program){.args = args}, null, null);
    for (int i = 0; i < 20000 && !is_on(d->record); i++)
        rest_ms(5);
    assert_true(is_on(d->record));
    rest_ms(150); /* over some of its stops and starts */
    assert_int_equal(kill(pid, number), 0);
    int status = program_wait(pid, PROGRAM_PATIENCE_S, &late);
    assert_false(late);
    if (number == SIGSEGV)
        assert_int_equal(status, 128 + SIGSEGV);
    assert_false(is_on(d->record));
    close(null);
}

static void any_end_puts_back(void **state) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV};
    static struct driver d; /* its thread outlives a failure */
    (void)state;
    driver_make(&d, "0\n", "");
    char *file = path_join(d.root, "out.gwt");
    const char *const *const calls[] = {
        PROGRAM_ARGS("--root", d.root, "--mali-profiling", "--json", "-d", "100ms"),
        PROGRAM_ARGS("record", "--root", d.root, "--mali-profiling", "-o", file, "-d", "100ms"),
    };
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            end_by(numbers[i], calls[c], &d);
    free(file);
    driver_drop(&d);
}

/* 0: by its key; SIGHUP: the window is closed. */
static void end_screen_by(int number, struct driver *d) {
    bool late = false;
    const struct program p = {
        .args = PROGRAM_ARGS("--root", d->root, "--mali-profiling", "-d", "100ms")};
    struct terminal *t = terminal_start(&p, 24, 80);
    if (!t)
        skip();
    for (int i = 0; i < 20000 && !is_on(d->record); i++)
        terminal_pump(t, 0.01, 0.05);
    assert_true(is_on(d->record));
    terminal_pump(t, 0.5, 0.3);
    if (number == 0)
        terminal_send(t, "q");
    else if (number == SIGHUP)
        terminal_hang_up(t);
    else
        assert_int_equal(kill(terminal_pid(t), number), 0);
    (void)terminal_wait(t, PROGRAM_PATIENCE_S, &late);
    assert_false(late);
    assert_false(is_on(d->record));
    terminal_finish(t);
}

static void any_end_of_the_screen_puts_back(void **state) {
    static const int numbers[] = {0, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV};
    static struct driver d; /* its thread outlives a failure */
    (void)state;
    driver_make(&d, "0\n", "");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        end_screen_by(numbers[i], &d);
    driver_drop(&d);
}

static void another_recorder_goes_on(void **state) {
    static struct driver d; /* its thread outlives a failure */
    (void)state;
    driver_make(&d, "1\n", "");
    struct program p = {.args = PROGRAM_ARGS("--root", d.root, "--mali-profiling", "--json", "-n",
                                             "2", "-d", "100ms")};
    char *out = e2e_call(&p, 0);
    json_t *ticks = ndjson_parse(out);
    assert_true(fabs(coverage_of(json_array_get(ticks, 1))) < 1e-9);
    assert_true(is_on(d.record));
    json_decref(ticks);
    free(out);
    driver_drop(&d);
}

/* ---- recordings of gwtop --------------------------------------------------------------------- */

/* What does not depend on when it was read. */
static char *figures_of(const char *out, size_t at) {
    json_t *ticks = ndjson_parse(out);
    json_t *tick = json_array_get(ticks, at);
    json_t *row = tick_process(tick, PID, "mali");
    assert_non_null(row);
    json_object_del(row, "busy_pct");
    json_object_del(json_object_get(row, "power"), "PW");
    size_t i;
    json_t *engine;
    json_array_foreach(json_object_get(row, "engines"), i, engine)
        json_object_del(engine, "busy_pct");
    char *text = json_dumps(row, JSON_SORT_KEYS);
    json_decref(ticks);
    return text;
}

static void recording_plays_the_same(void **state) {
    static struct driver d; /* its thread outlives a failure */
    char job[200];
    (void)state;
    (void)put_job(job, LONG_AGO);
    driver_make(&d, "0\n", job);
    char *file = path_join(d.root, "out.gwt");
    struct program live = {.args = PROGRAM_ARGS("--root", d.root, "--mali-profiling", "--json",
                                                "-n", "3", "-d", "100ms")};
    struct program record = {.args = PROGRAM_ARGS("record", "--root", d.root, "--mali-profiling",
                                                  "-o", file, "-n", "3", "-d", "100ms")};
    struct program replay = {.args =
                                 PROGRAM_ARGS("replay", file, "--speed", "max", "--json", "-b")};
    char *said = e2e_call(&live, 0);
    free(e2e_call(&record, 0));
    char *first = e2e_call(&replay, 0);
    char *second = e2e_call(&replay, 0);
    assert_string_equal(first, second);
    for (size_t i = 1; i < 3; i++) {
        char *want = figures_of(said, i);
        char *got = figures_of(first, i);
        assert_string_equal(got, want);
        free(got);
        free(want);
    }
    free(said);
    free(first);
    free(second);
    free(file);
    driver_drop(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_show_as_they_run),
        cmocka_unit_test(names_are_there_at_once),
        cmocka_unit_test(any_end_puts_back),
        cmocka_unit_test(any_end_of_the_screen_puts_back),
        cmocka_unit_test(another_recorder_goes_on),
        cmocka_unit_test(recording_plays_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
