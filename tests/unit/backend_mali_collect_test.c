/*
 * The driver's recording on a live machine: where its files are, that nothing is touched unasked,
 * what is switched and put back, and what comes of what was recorded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/mali/mali.h"
#include "gwtop/bus.h"
#include "gwtop/source.h"
#include "livebus.h"
#include "scratch.h"
#include "tree.h"

#define DEBUGFS   "sys/kernel/debug"
#define PROFILING DEBUGFS "/mali/profiling/"
#define ON        "option.mali-profiling=1\n"

static const struct backend *const list[] = {&backend_mali};
static const struct backend_table table = {list, 1};

struct rig {
    char *root;
    struct host_io io;
    struct livebus b;
    unsigned writes;
    unsigned writers; /* opened for writing */
    int fail_write;   /* errno of each write; 0 none */
    bool no_debugfs;  /* it may not be entered */
    unsigned calls;   /* of the sweep */
    unsigned fail_at; /* the call that fails; 0 none */
};

static bool fails(struct rig *r) {
    errno = EIO;
    return ++r->calls == r->fail_at;
}

static bool is_shut(const struct rig *r, const char *path) {
    errno = EACCES;
    return r->no_debugfs && strncmp(path, DEBUGFS, strlen(DEBUGFS)) == 0;
}

static int stat_spied(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    if (fails(ctx) || is_shut(ctx, path))
        return -1;
    return host_io_posix.stat(NULL, dir_fd, path, out, flags);
}

static ssize_t pread_spied(void *ctx, int fd, void *to, size_t n, off_t at) {
    return fails(ctx) ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

static ssize_t write_spied(void *ctx, int fd, const void *from, size_t n, off_t at) {
    struct rig *r = ctx;
    r->writes++;
    if (fails(r))
        return -1;
    if (r->fail_write) {
        errno = r->fail_write;
        return -1;
    }
    return host_io_posix.write(NULL, fd, from, n, at);
}

static int open_spied(void *ctx, int dir_fd, const char *path, int flags) {
    struct rig *r = ctx;
    r->writers += (flags & O_ACCMODE) != O_RDONLY;
    assert_int_equal(flags & (O_TRUNC | O_CREAT | O_APPEND), 0);
    if (fails(r) || is_shut(r, path))
        return -1;
    return host_io_posix.open(NULL, dir_fd, path, flags);
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    r->root = scratch_make();
    tree_folder(r->root, "proc");
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    livebus_finish(&r->b);
    scratch_remove(r->root);
    free(r);
    return 0;
}

static void put_driver(struct rig *r, const char *record, const char *events) {
    tree_text(r->root, PROFILING "record", "%s", record);
    tree_text(r->root, PROFILING "events", "%s", events);
}

static void start(struct rig *r, const char *facts) {
    r->io = host_io_posix;
    r->io.ctx = r;
    r->io.open = open_spied;
    r->io.write = write_spied;
    r->io.stat = stat_spied;
    r->io.pread = pread_spied;
    livebus_start(&r->b, &table, r->root, &r->io, facts);
}

static const struct seen_frame *frame_of(const struct rig *r, int kind) {
    uint32_t at = 0;
    return seen_next(&r->b.seen, &at, (struct seen_want){kind, SUBJECT_STREAM, -1, -1});
}

static unsigned devices_opened(const struct rig *r) {
    return seen_count(&r->b.seen, (struct seen_want){FRAME_OPEN, SUBJECT_DEVICE, -1, -1});
}

static void assert_record(const struct rig *r, const char *want) {
    char *path = path_join(r->root, PROFILING "record");
    size_t n;
    char *text = file_read(path, &n);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
    free(path);
}

static int64_t coverage(const struct rig *r) {
    const struct told_sample *s = told_best(&r->b.told, METRIC_COVERAGE_RECORDED, INDEX_NONE);
    return s && s->sample.state == STATE_VALUE ? s->sample.value : -1;
}

static void assert_fact(const struct seen_frame *f, const char *key, const char *want) {
    assert_non_null(f);
    struct span v = facts_get(f->subject.facts, key);
    assert_int_equal(v.n, strlen(want));
    assert_memory_equal(v.p, want, v.n);
}

/* The one job of it, pid 1200 on PP0, from `t_ns` on for a microsecond. */
static const char *job_at(uint64_t t_ns, char text[200]) {
    snprintf(text, 200, "%llu 17104896 1200 1201 0 0 0\n%llu 33882112 0 0 4294967295 0 0\n",
             (unsigned long long)t_ns, (unsigned long long)t_ns + 1000);
    return text;
}
#define LONG_AGO UINT64_C(1400000000000000000)

/* ---- cases ----------------------------------------------------------------------------------- */

static void no_driver_is_no_device(void **state) {
    struct rig *r = *state;
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_opened(r), 0);
}

static void unasked_nothing_is_touched(void **state) {
    struct rig *r = *state;
    char text[200];
    put_driver(r, "0\n", job_at(LONG_AGO, text));
    start(r, NULL);
    for (int i = 0; i < 3; i++) {
        livebus_tick(&r->b);
        assert_int_equal(devices_opened(r), i == 0);
        assert_null(frame_of(r, MALI_EVENTS));
        assert_null(frame_of(r, MALI_WINDOW));
    }
    assert_int_equal(r->writers, 0);
    assert_int_equal(r->writes, 0);
    assert_record(r, "0\n");
}

static void tree_of_files_is_counted_once(void **state) {
    struct rig *r = *state;
    char text[200];
    put_driver(r, "0\n", job_at(LONG_AGO, text));
    start(r, ON);
    livebus_tick(&r->b);
    assert_record(r, "1\n");
    assert_null(frame_of(r, MALI_EVENTS));
    livebus_tick(&r->b);
    assert_record(r, "1\n");
    assert_non_null(frame_of(r, MALI_EVENTS));
    assert_fact(frame_of(r, MALI_EVENTS), "clock", "unknown");
    assert_int_equal(r->b.jobs, 1);
    assert_in_range(coverage(r), 999000, 1000000);
    livebus_tick(&r->b);
    assert_null(frame_of(r, MALI_EVENTS));
    assert_int_equal(r->b.jobs, 0);
    assert_in_range(coverage(r), 1, 1000000);
    livebus_stop(&r->b);
    assert_record(r, "0\n");
}

static void knob_keeps_its_form(void **state) {
    struct rig *r = *state;
    put_driver(r, "0", "");
    start(r, ON);
    livebus_tick(&r->b);
    assert_record(r, "1");
    livebus_tick(&r->b);
    livebus_stop(&r->b);
    assert_record(r, "0");
}

static void new_recording_is_a_new_stream(void **state) {
    struct rig *r = *state;
    char text[200];
    put_driver(r, "0\n", job_at(LONG_AGO, text));
    start(r, ON);
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    tree_text(r->root, PROFILING "events", "%s", job_at(LONG_AGO + 1000000000, text));
    livebus_tick(&r->b);
    assert_non_null(frame_of(r, MALI_EVENTS));
    assert_int_equal(r->b.jobs, 1);
    assert_non_null(frame_of(r, FRAME_CLOSE));
    /* The clock was set back: another recording all the same. */
    tree_text(r->root, PROFILING "events", "%s", job_at(LONG_AGO - 5000000000, text));
    livebus_tick(&r->b);
    assert_non_null(frame_of(r, MALI_EVENTS));
    assert_int_equal(r->b.jobs, 1);
}

static void another_recorder_is_left_alone(void **state) {
    struct rig *r = *state;
    put_driver(r, "1\n", "");
    start(r, ON);
    for (int i = 0; i < 2; i++) {
        livebus_tick(&r->b);
        assert_int_equal(coverage(r), 0);
        assert_string_equal(seen_body(frame_of(r, MALI_WINDOW)), "other_recorder=1\n");
    }
    assert_int_equal(r->writers, 0);
    tree_text(r->root, PROFILING "record", "0\n");
    livebus_tick(&r->b);
    assert_record(r, "1\n");
    livebus_stop(&r->b);
    assert_record(r, "0\n");
}

static void stop_leaves_another_recorder_alone(void **state) {
    struct rig *r = *state;
    put_driver(r, "1\n", "");
    start(r, ON);
    livebus_tick(&r->b);
    livebus_stop(&r->b);
    assert_record(r, "1\n");
    assert_int_equal(r->writes, 0);
}

static void newer_release_is_told_by_its_files(void **state) {
    static const char *const files[] = {PROFILING "events_human_readable", DEBUGFS "/mali/version"};
    for (size_t i = 0; i < 2; i++) {
        struct rig *r = *state;
        char text[200];
        put_driver(r, "0\n", job_at(LONG_AGO, text));
        tree_text(r->root, files[i], "Mali-450 MP\n");
        start(r, ON);
        livebus_tick(&r->b);
        livebus_tick(&r->b);
        assert_fact(frame_of(r, MALI_EVENTS), "dialect", "arm");
        livebus_stop(&r->b);
        tree_drop(r->root, files[i]);
    }
}

static void older_release_is_told_by_its_events(void **state) {
    struct rig *r = *state;
    put_driver(r, "0\n",
               "1400000000000000000 4 266000000 0 0 0 0\n1400000000001000000 5 950000 0 1 0 0\n");
    start(r, ON);
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    assert_fact(frame_of(r, MALI_EVENTS), "dialect", "samsung");
}

static void name_is_of_the_driver(void **state) {
    struct rig *r = *state;
    uint32_t at = 0;
    put_driver(r, "0\n", "");
    tree_text(r->root, DEBUGFS "/mali/version", "Mali-450 MP\n");
    start(r, NULL);
    livebus_tick(&r->b);
    const struct seen_frame *f =
        seen_next(&r->b.seen, &at, (struct seen_want){FRAME_OPEN, SUBJECT_DEVICE, -1, -1});
    assert_fact(f, "name", "Mali-450 MP");
    assert_fact(f, "driver", "mali");
    assert_string_equal(f->subject.name, "mali");
}

static void options_reach_the_recording(void **state) {
    struct rig *r = *state;
    char text[200];
    put_driver(r, "0\n", job_at(LONG_AGO, text));
    start(r, ON "option.mali-soc=rk3328\noption.mali-dialect=samsung\noption.mali-end=interrupt\n"
                "option.assume-voltage=1100000\n");
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    assert_fact(frame_of(r, MALI_EVENTS), "soc", "rk3328");
    assert_fact(frame_of(r, MALI_EVENTS), "dialect", "samsung");
    assert_fact(frame_of(r, MALI_EVENTS), "end", "interrupt");
    assert_fact(frame_of(r, MALI_EVENTS), "assume_voltage_uv", "1100000");
}

static void rate_before_the_first_event(void **state) {
    struct rig *r = *state;
    char text[200];
    put_driver(r, "0\n", job_at(LONG_AGO, text));
    tree_text(r->root, "sys/module/mali/parameters/mali_gpu_clk", "440\n");
    start(r, ON);
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    assert_int_equal(facts_get(frame_of(r, MALI_EVENTS)->subject.facts, "clock_hz").n, 0);
    livebus_stop(&r->b);
    tree_text(r->root, "sys/module/mali/parameters/mali_gpu_vol", "1100000\n");
    start(r, ON);
    livebus_tick(&r->b);
    /* What holds later is of the next recording. */
    tree_text(r->root, "sys/module/mali/parameters/mali_gpu_clk", "160\n");
    livebus_tick(&r->b);
    assert_fact(frame_of(r, MALI_EVENTS), "clock_hz", "440000000");
    assert_fact(frame_of(r, MALI_EVENTS), "voltage_uv", "1100000");
    assert_int_equal(r->b.jobs, 1);
    assert_int_equal(r->b.job.clock_hz, 440000000);
    assert_int_equal(r->b.job.voltage_uv, 1100000);
    tree_text(r->root, PROFILING "events", "%s", job_at(LONG_AGO + 1000000000, text));
    livebus_tick(&r->b);
    assert_fact(frame_of(r, MALI_EVENTS), "clock_hz", "160000000");
}

static uint64_t clock_now(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void clock_is_told_by_the_last_stamp(void **state) {
    static const struct {
        clockid_t id;
        const char *word;
    } clocks[] = {{CLOCK_REALTIME, "realtime"}, {CLOCK_BOOTTIME, "boottime"}};
    struct rig *r = *state;
    char text[200];
    for (size_t i = 0; i < 2; i++) {
        put_driver(r, "0\n", job_at(clock_now(clocks[i].id), text));
        start(r, ON);
        livebus_tick(&r->b);
        livebus_tick(&r->b);
        assert_fact(frame_of(r, MALI_EVENTS), "clock", clocks[i].word);
        assert_int_equal(r->b.jobs, 1);
        livebus_stop(&r->b);
    }
}

/* What it tells of cannot have been longer than it was recorded. */
static void stamps_that_jump_past_the_recording(void **state) {
    struct rig *r = *state;
    char text[300], more[200];
    snprintf(text, sizeof text,
             "%s%llu 17104896 1200 1201 0 0 0\n%llu 33882112 0 0 4294967295 0 0\n",
             job_at(LONG_AGO, more), (unsigned long long)LONG_AGO + 2000,
             (unsigned long long)LONG_AGO + UINT64_C(5000000000));
    put_driver(r, "0\n", text);
    start(r, ON);
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    assert_true(facts_get(frame_of(r, MALI_EVENTS)->subject.facts, "wall_ns").n > 0);
    assert_int_equal(r->b.jobs, 1); /* the first */
    assert_int_equal(r->b.told.counts.reasons[REASON_GAP], 1);
}

static void cycles_are_no_time(void **state) {
    struct rig *r = *state;
    char text[200];
    put_driver(r, "0\n", job_at(400000, text));
    if (clock_now(CLOCK_BOOTTIME) < UINT64_C(20000000000))
        skip();
    start(r, ON);
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    assert_fact(frame_of(r, MALI_EVENTS), "clock", "cycles");
    assert_int_equal(r->b.jobs, 0);
    assert_int_equal(r->b.told.counts.reasons[REASON_CLOCK_CYCLES], 2);
}

static void long_recording_comes_in_pieces(void **state) {
    struct rig *r = *state;
    struct buf b;
    buf_init(&b);
    for (uint64_t i = 0; i < 5000; i++) {
        char text[200];
        buf_text(&b, job_at(LONG_AGO + i * 10000, text));
    }
    buf_char(&b, '\0');
    put_driver(r, "0\n", b.p);
    buf_finish(&b);
    start(r, ON);
    livebus_tick(&r->b);
    nanosleep(&(struct timespec){0, 60000000}, NULL); /* as long as it tells of, and some more */
    livebus_tick(&r->b);
    assert_in_range(seen_count(&r->b.seen, (struct seen_want){MALI_EVENTS, SUBJECT_STREAM, -1, -1}),
                    4, 8);
    assert_int_equal(r->b.jobs, 5000);
}

static void refused_switch_is_a_failed_reading(void **state) {
    struct rig *r = *state;
    put_driver(r, "0\n", "");
    start(r, ON);
    r->fail_write = EFAULT;
    for (int i = 0; i < 2; i++) {
        livebus_tick(&r->b);
        assert_non_null(frame_of(r, MALI_WINDOW));
        assert_int_equal(frame_of(r, MALI_WINDOW)->frame.sys, EFAULT);
    }
    r->fail_write = 0;
    livebus_tick(&r->b);
    assert_record(r, "1\n");
    r->fail_write = EFAULT; /* it was stopped by somebody else */
    tree_text(r->root, PROFILING "record", "0\n");
    livebus_tick(&r->b);
    assert_int_equal(frame_of(r, MALI_WINDOW)->frame.sys, EFAULT);
    assert_record(r, "0\n");
    r->fail_write = 0;
    livebus_tick(&r->b);
    assert_record(r, "1\n");
}

static void driver_goes_and_comes(void **state) {
    struct rig *r = *state;
    put_driver(r, "0\n", "");
    start(r, ON);
    livebus_tick(&r->b);
    tree_drop(r->root, DEBUGFS "/mali");
    livebus_tick(&r->b);
    assert_int_equal(
        seen_count(&r->b.seen, (struct seen_want){FRAME_CLOSE, SUBJECT_DEVICE, -1, -1}), 1);
    put_driver(r, "0\n", "");
    for (int i = 0; i < 12; i++)
        livebus_tick(&r->b);
    assert_record(r, "1\n");
}

static void debugfs_is_where_it_is_mounted(void **state) {
    struct rig *r = *state;
    tree_text(r->root, "proc/self/mountinfo",
              "20 1 0:1 / /proc rw - proc proc rw\n"
              "23 18 0:7 / /mnt/kernel\\040debug rw,relatime shared:5 - debugfs none rw\n");
    tree_text(r->root, "mnt/kernel debug/mali/profiling/record", "0\n");
    tree_text(r->root, "mnt/kernel debug/mali/profiling/events", "%s", "");
    start(r, NULL);
    livebus_tick(&r->b);
    assert_int_equal(devices_opened(r), 1);
}

/* However many mounts stand before it, and wherever one line of them ends; one that is longer than any path
 * is no mount, and hides none. */
static void debugfs_in_a_long_list_of_mounts(void **state) {
    struct rig *r = *state;
    tree_text(r->root, "mnt/debug/mali/profiling/record", "0\n");
    tree_text(r->root, "mnt/debug/mali/profiling/events", "%s", "");
    for (size_t longest = 8000; longest < 40000; longest += longest < 8400 ? 7 : 6001) {
        struct buf b = {0};
        buf_text(&b, "20 1 0:1 / /proc rw - proc proc rw\n21 1 0:2 / /");
        buf_fill(&b, 'x', longest);
        buf_text(&b, " rw - tmpfs none rw\n");
        for (int i = 0; i < 40; i++)
            buf_text(&b, "22 1 0:3 / /srv/some/where rw,relatime shared:1 - tmpfs none rw\n");
        buf_text(&b, "23 18 0:7 / /mnt/debug rw - debugfs none rw");
        buf_text(&b, longest % 2 ? "\n" : "");
        buf_char(&b, '\0');
        tree_text(r->root, "proc/self/mountinfo", "%s", b.p);
        buf_finish(&b);
        start(r, NULL);
        livebus_tick(&r->b);
        assert_int_equal(devices_opened(r), 1);
        livebus_stop(&r->b);
    }
}

static void who_may_not_enter_is_told(void **state) {
    struct rig *r = *state;
    put_driver(r, "0\n", "");
    r->no_debugfs = true;
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_opened(r), 0); /* there need not be such a GPU */
    livebus_stop(&r->b);
    tree_folder(r->root, "sys/module/mali");
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_opened(r), 1);
    assert_non_null(frame_of(r, MALI_WINDOW));
    assert_int_equal(frame_of(r, MALI_WINDOW)->frame.outcome, OUTCOME_DENIED);
}

/* Any one call fails: no more is lost than it would have told, and `record` is put back. */
static void any_failed_call_leaves_it_whole(void **state) {
    struct rig *r = *state;
    unsigned calls = 1;
    char text[200];
    for (unsigned n = 1; n <= calls; n++) {
        put_driver(r, "0\n", job_at(LONG_AGO, text));
        start(r, ON);
        r->calls = 0;
        r->fail_at = n;
        for (int i = 0; i < 4; i++)
            livebus_tick(&r->b);
        if (n == 1)
            calls = r->calls;
        r->fail_at = 0;
        livebus_stop(&r->b);
        assert_record(r, "0\n");
    }
    assert_in_range(calls, 10, 200);
}

static void assert_window(const char *body, enum state state, int64_t value) {
    struct told told = {0};
    struct subscriber s = told_subscriber(&told);
    const struct subject subject = {.id = 2, .device = 1, .name = "", .facts = ""};
    const struct frame f = {.bytes = body, .size = strlen(body), .subject = 2, .kind = MALI_WINDOW};
    struct counts counts = {0};
    mali_window_decode(&subject, &f, &s.sink, &counts);
    const struct told_sample *t = told_best(&told, METRIC_COVERAGE_RECORDED, INDEX_NONE);
    assert_non_null(t);
    assert_int_equal(t->sample.state, state);
    assert_int_equal(t->sample.device, 1);
    if (state == STATE_VALUE)
        assert_int_equal(t->sample.value, value);
    told_finish(&told);
}

static void windows_are_read_as_shares(void **state) {
    (void)state;
    assert_window("recorded_ns=250\ninterval_ns=1000\nlines=3\nclock=realtime\n", STATE_VALUE,
                  250000);
    assert_window("recorded_ns=2000\ninterval_ns=1000\n", STATE_VALUE, 1000000);
    assert_window("recorded_ns=9223372036854775808\ninterval_ns=18446744073709551615\n",
                  STATE_VALUE, 500000);
    assert_window("other_recorder=1\n", STATE_VALUE, 0);
    assert_window("", STATE_MALFORMED, 0);
    assert_window("recorded_ns=5\ninterval_ns=0\n", STATE_MALFORMED, 0);
    assert_window("recorded_ns=5\ninterval_ns=-3\n=\n\nx", STATE_MALFORMED, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(no_driver_is_no_device),
        CASE(unasked_nothing_is_touched),
        CASE(tree_of_files_is_counted_once),
        CASE(knob_keeps_its_form),
        CASE(new_recording_is_a_new_stream),
        CASE(another_recorder_is_left_alone),
        CASE(stop_leaves_another_recorder_alone),
        CASE(newer_release_is_told_by_its_files),
        CASE(older_release_is_told_by_its_events),
        CASE(name_is_of_the_driver),
        CASE(options_reach_the_recording),
        CASE(rate_before_the_first_event),
        CASE(clock_is_told_by_the_last_stamp),
        CASE(cycles_are_no_time),
        CASE(stamps_that_jump_past_the_recording),
        CASE(long_recording_comes_in_pieces),
        CASE(refused_switch_is_a_failed_reading),
        CASE(driver_goes_and_comes),
        CASE(debugfs_is_where_it_is_mounted),
        CASE(debugfs_in_a_long_list_of_mounts),
        CASE(who_may_not_enter_is_told),
        CASE(any_failed_call_leaves_it_whole),
        CASE(windows_are_read_as_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
