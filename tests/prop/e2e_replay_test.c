/*
 * A recording says all: it plays the same to the byte under another locale, zone and passwd; what it plays is
 * what the live program said. Recorded by the real program from a machine on which things happen.
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
#include <time.h>
#include <unistd.h>

#include "chronicle.h"
#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"

#define TICKS "14"

static char *dir;
static char *plain;
static char *packed;

/* Two programs record the same machine while 9 s of its time pass. */
static int record(void **state) {
    struct synth_options o = {.gpus = "amdgpu,i915,xe,panthor,amdgpu-mobile:asleep",
                              .processes = 40,
                              .fds = 10,
                              .clients = 24,
                              .seed = 8,
                              .events = true,
                              .hostile = true};
    (void)state;
    struct e2e e = e2e_machine(&o);
    dir = scratch_make();
    plain = path_join(dir, "machine.gwt");
    packed = path_join(dir, "machine.gwt.zst");
    struct program p = {
        .args = PROGRAM_ARGS("record", "--root", e.root, "-o", plain, "-d", "150ms", "-n", TICKS),
        .bare_root = true};
    pid_t first = program_start(&p, STDERR_FILENO, STDERR_FILENO);
    p.args = PROGRAM_ARGS("--root", e.root, "-o", packed, "-d", "150ms", "-n", TICKS, "record");
    pid_t second = program_start(&p, STDERR_FILENO, STDERR_FILENO);
    for (int i = 0; i < 18; i++) {
        synth_step(e.machine, 500000000);
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    int a = program_wait(first, PROGRAM_PATIENCE_S, NULL),
        b = program_wait(second, PROGRAM_PATIENCE_S, NULL);
    e2e_finish(&e);
    return a == 0 && b == 0 ? 0 : -1;
}

static int drop(void **state) {
    (void)state;
    free(plain);
    free(packed);
    scratch_remove(dir);
    return 0;
}

static char *replay(const char *file, const char *form, const char *const *env,
                    const char *passwd) {
    return e2e_call(
        &(struct program){.args = PROGRAM_ARGS("replay", file, "--speed", "max", form, "-b"),
                          .env = env,
                          .passwd = passwd},
        0);
}

static void plays_the_same_everywhere(void **state) {
    static const char *const here[] = {"LC_ALL=C.UTF-8", "TZ=UTC", "COLUMNS=200", NULL};
    static const char *const there[] = {"LC_ALL=C",
                                        "TZ=Asia/Kathmandu",
                                        "HOME=/nonexistent",
                                        "LANG=de_DE.UTF-8",
                                        "COLUMNS=200",
                                        "LC_NUMERIC=de_DE.UTF-8",
                                        NULL};
    static const char *const forms[] = {"--json", "--csv"};
    (void)state;
    char *passwd = path_join(dir, "passwd");
    file_write(passwd, "root:x:0:0::/:/bin/sh\nother:x:1000:1000::/:/bin/sh\n", 51);
    for (size_t i = 0; i < 2; i++) {
        char *a = replay(plain, forms[i], here, NULL), *b = replay(plain, forms[i], there, passwd);
        assert_string_equal(a, b);
        assert_true(strlen(a) > 10000);
        free(a);
        free(b);
    }
    free(passwd);
}

static void compressed_or_not_is_all_one(void **state) {
    (void)state;
    char *bytes = file_read(plain, NULL),
         *text = e2e_call(
             &(struct program){.args = PROGRAM_ARGS("replay", packed, "--json", "--speed", "max")},
             0);
    json_t *ticks = ndjson_parse(text);
    assert_non_null(ticks);
    assert_int_equal(json_array_size(ticks), atoi(TICKS));
    assert_true(strncmp(bytes, "gwtop-trace ", 12) == 0);
    json_decref(ticks);
    free(text);
    free(bytes);
}

static void every_tick_is_lawful(void **state) {
    (void)state;
    char *text = replay(plain, "--json", NULL, NULL);
    json_t *ticks = ndjson_parse(text), *tick;
    size_t i;
    assert_non_null(ticks);
    assert_int_equal(json_array_size(ticks), atoi(TICKS));
    json_array_foreach(ticks, i, tick) {
        e2e_assert_lawful(tick);
        assert_true(json_is_null(json_object_get(tick, "cost")) ||
                    json_is_null(json_object_get(json_object_get(tick, "cost"), "cpu_s")));
    }
    json_decref(ticks);
    free(text);
}

/* A part of the recording shows the ticks of that part. */
static void from_and_to_cut_the_ticks(void **state) {
    struct synth_options o = {.gpus = "amdgpu", .fds = 6, .clients = 6, .seed = 3};
    (void)state;
    struct e2e e = e2e_machine(&o);
    char *file = path_join(dir, "seconds.gwt");
    struct chronicle c = {.root = e.root, .machine = e.machine, .ticks = 9, .delay_ns = 1000000000};
    assert_int_equal(chronicle_write(&c, open(file, O_WRONLY | O_CREAT, 0600), NULL), ERR_OK);
    char *all = replay(file, "--json", NULL, NULL);
    char *part =
        e2e_call(&(struct program){.args = PROGRAM_ARGS("replay", file, "--speed", "max", "--json",
                                                        "--from", "2.5", "--to", "0:05.5")},
                 0);
    json_t *ticks = ndjson_parse(part);
    assert_non_null(strstr(all, part));
    assert_int_equal(json_array_size(ticks), 3);
    assert_near(json_array_get(ticks, 0), "interval_s", 1, 0);
    json_decref(ticks);
    free(all);
    free(part);
    free(file);
    e2e_finish(&e);
}

/* ---- against the live program ------------------------------------------------------------------------------ */

/* What says when and what it cost, and what grows with the length of an interval (a sensor times time): all that
 * may differ between two looks at a machine that stands still. */
static void strip_times(json_t *tick) {
    static const char *const keys[] = {"t_s", "interval_s", "cost"};
    size_t i;
    json_t *row;
    for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_del(tick, keys[i]);
    json_t *why = json_object_get(tick, "why");
    json_object_del(why, "cost"); /* of a recording: unsupported */
    if (why && json_object_size(why) == 0)
        json_object_del(tick, "why");
    json_array_foreach(json_object_get(tick, "devices"), i, row) {
        json_object_del(row, "power");
    }
    json_array_foreach(json_object_get(tick, "processes"), i, row) {
        json_object_del(row, "power");
    }
    json_array_foreach(json_object_get(tick, "unattributed"), i, row) {
        json_object_del(row, "power");
        json_object_del(row, "busy_s");
    }
}

/* Is there a figure of the first device from this source? */
static bool tells(json_t *tick, const char *source) {
    size_t i;
    json_t *metric;
    json_t *device = json_array_get(json_object_get(tick, "devices"), 0);
    json_array_foreach(json_object_get(device, "metrics"), i, metric) {
        if (strcmp(text_at(metric, "source"), source) == 0)
            return true;
    }
    return false;
}

static char *live(const struct e2e *e) {
    return e2e_run(e, PROGRAM_ARGS("--json", "-d", "150ms", "-n", "3"), 0);
}

static char *recorded(const struct e2e *e) {
    char *file = path_join(dir, "still.gwt");
    unlink(file);
    free(e2e_run(e, PROGRAM_ARGS("record", "-o", file, "-d", "150ms", "-n", "3"), 0));
    char *text = replay(file, "--json", NULL, NULL);
    free(file);
    return text;
}

/* A tick waits only so long for the files of an amdgpu device: on a busy machine the first may go without them, and
 * a later one without a new figure of its activity, from which follows what no process accounts for. */
static bool all_came_in_time(json_t *ticks) {
    json_t *first = json_array_get(ticks, 0), *tick;
    size_t i;
    json_array_foreach(ticks, i, tick) {
        json_t *rest = json_array_get(json_object_get(tick, "unattributed"), 0);
        if (i > 0 && !json_is_number(json_object_get(rest, "busy_pct")))
            return false;
    }
    return tells(first, "hwmon") && tells(first, "gpu-metrics");
}

/* The ticks of a run in which no answer came late. */
static json_t *said_in_time(const struct e2e *e, char *(*run)(const struct e2e *)) {
    for (int tries = 0; tries < 100; tries++) {
        char *text = run(e);
        json_t *ticks = ndjson_parse(text);
        free(text);
        assert_non_null(ticks);
        assert_int_equal(json_array_size(ticks), 3);
        if (all_came_in_time(ticks))
            return ticks;
        json_decref(ticks);
    }
    print_message("# this machine is too slow: 100 runs without all answers in time\n");
    skip();
    return NULL;
}

/* Of texts too long for a message, the lines around the first difference. */
static void assert_same_text(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    size_t from = at > 300 ? at - 300 : 0;
    if (a[at] || b[at])
        fail_msg("differ at byte %zu:\n%.400s\n---- and ----\n%.400s", at, a + from, b + from);
}

static void live_and_replay_agree(void **state) {
    struct synth_options o = {.gpus = "amdgpu,i915,xe:asleep",
                              .processes = 60,
                              .fds = 8,
                              .clients = 30,
                              .seed = 10,
                              .hostile = true};
    (void)state;
    struct e2e e = e2e_machine(&o);
    json_t *a = said_in_time(&e, live), *b = said_in_time(&e, recorded);
    for (size_t i = 0; i < 3; i++) {
        json_t *x = json_array_get(a, i), *y = json_array_get(b, i);
        strip_times(x);
        strip_times(y);
        char *p = json_dumps(x, JSON_INDENT(1)), *q = json_dumps(y, JSON_INDENT(1));
        assert_same_text(p, q);
        free(p);
        free(q);
    }
    json_decref(a);
    json_decref(b);
    e2e_finish(&e);
}

/* ---- scrubbed ---------------------------------------------------------------------------------------------------- */

static void scrubbing_leaves_no_name(void **state) {
    static const char *const secrets[] = {"gnome-shell", "harbour.blend", "user-1000", "film.mkv",
                                          "python",      "svc\n",         "/usr/bin",  "docker"};
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 30, .fds = 6, .clients = 14, .seed = 2};
    (void)state;
    struct e2e e = e2e_machine(&o);
    char *file = path_join(dir, "scrubbed.gwt");
    size_t n;
    free(e2e_run(&e, PROGRAM_ARGS("record", "--scrub", "-o", file, "-d", "150ms", "-n", "2"), 0));
    char *bytes = file_read(file, &n);
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
        if (memmem(bytes, n, secrets[i], strlen(secrets[i])))
            fail_msg("%s is in the scrubbed recording", secrets[i]);
    char *again = replay(file, "--json", NULL, NULL);
    json_t *ticks = ndjson_parse(again);
    assert_non_null(ticks);
    json_t *shell = tick_process(json_array_get(ticks, 1), 2201, NULL);
    assert_non_null(process_engine(shell, "gfx"));
    assert_near(shell, "clients", 2, 0);
    json_decref(ticks);
    free(again);
    free(bytes);
    free(file);
    e2e_finish(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_the_same_everywhere), cmocka_unit_test(compressed_or_not_is_all_one),
        cmocka_unit_test(every_tick_is_lawful),      cmocka_unit_test(from_and_to_cut_the_ticks),
        cmocka_unit_test(live_and_replay_agree),     cmocka_unit_test(scrubbing_leaves_no_name),
    };
    return cmocka_run_group_tests(tests, record, drop);
}
