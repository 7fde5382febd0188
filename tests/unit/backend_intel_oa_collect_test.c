/*
 * The stream of Intel's hardware counters on a live machine: that nothing is touched unasked, what
 * the driver is asked for, what comes of each of its refusals, and that what was loaded is taken
 * out again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "oarig.h"
#include "source/roster.h"
#include "tree.h"

/* ---- whether --------------------------------------------------------------------------------- */

static void unasked_nothing_is_touched(void **state) {
    static const char *const facts[] = {"", "option.counters=0\n", "option.mali-profiling=1\n"};
    struct oarig *r = *state;
    oarig_put_set(r, SKL_RENDER, "4");
    for (size_t i = 0; i < 3; i++) {
        oarig_start(r, SKL, facts[i]);
        r->calls = 0;
        oarig_tick(r);
        assert_null(r->oa);
        assert_int_equal(intel_oa_fd(r->oa), -1);
        assert_int_equal(r->calls, 0);
        assert_null(oarig_frame(r, INTEL_PERF));
        oarig_stop(r);
    }
}

static void asleep_nothing_is_opened(void **state) {
    struct oarig *r = *state;
    oarig_put_set(r, SKL_RENDER, "4");
    oarig_start(r, SKL, NULL);
    roster_set_asleep(r->host->roster, r->device, true);
    r->calls = 0;
    oarig_tick(r);
    assert_int_equal(r->calls, 0);
    assert_null(oarig_frame(r, INTEL_PERF));
    roster_set_asleep(r->host->roster, r->device, false);
    oarig_tick(r);
    assert_int_equal(r->streams, 1);
}

static void other_drivers_are_left_alone(void **state) {
    struct oarig *r = *state;
    oarig_start_driver(r, "xe", SKL, NULL);
    for (int i = 0; i < 8; i++) {
        oarig_tick(r);
        oarig_none(r, ENODEV, OUTCOME_GONE);
    }
    assert_int_equal(r->node_opens, 0);
    assert_int_equal(oarig_logged_count("i915 alone"), 1);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static void properties_are_these(void **state) {
    struct oarig *r = *state;
    oarig_start_with(r, SKL, SKL_RENDER);
    assert_int_equal(r->flags, 3);
    assert_int_equal(r->property_count, 5);
    oarig_property(r, 0, 2, 1);
    oarig_property(r, 1, 3, 4);
    oarig_property(r, 2, 4, 10);
    oarig_property(r, 3, 5, 15);
}

static void expect_stream(struct oarig *r, unsigned format, unsigned exponent) {
    assert_int_equal(r->streams, 1);
    oarig_property(r, 2, 4, format);
    oarig_property(r, 3, 5, exponent);
}

static void period_follows_the_clock(void **state) {
    static const struct {
        const char *pci;
        const char *uuid;
        int hz;
        unsigned format;
        unsigned exponent;
    } cases[] = {
        {SKL, SKL_RENDER, 12000000, 10, 15},                                      /* 5.46 ms */
        {BDW, BDW_RENDER, 12500000, 10, 15},                                      /* 5.24 ms */
        {HSW, HSW_RENDER, 12500000, 5, 15},  {TGL, TGL_RENDER, 19200000, 10, 16}, /* 6.83 ms */
        {DG2, DG2_RENDER, 38400000, 12, 17}, {SKL, SKL_RENDER, 1000, 10, 2},      /* 8 ms */
    };
    struct oarig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r->oa_hz = cases[i].hz;
        oarig_start_with(r, cases[i].pci, cases[i].uuid);
        expect_stream(r, cases[i].format, cases[i].exponent);
        oarig_stop(r);
    }
}

static void clock_is_asked_for_or_usual(void **state) {
    struct oarig *r = *state;
    r->oa_hz = 0;
    r->cs_hz = 19200000;
    oarig_start_with(r, TGL, TGL_RENDER);
    expect_stream(r, 10, 16);
    oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_timestamp_hz", "19200000");
    oarig_stop(r);
    r->cs_hz = 0;
    oarig_start_with(r, HSW, HSW_RENDER);
    oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_timestamp_hz", "12500000");
    oarig_stop(r);
    oarig_start_with(r, TGL, TGL_RENDER); /* no two of these are alike */
    oarig_none(r, ENODEV, OUTCOME_GONE);
    oarig_stop(r);
    r->oa_hz = -5;
    oarig_start_with(r, TGL, TGL_RENDER);
    oarig_none(r, ENODEV, OUTCOME_GONE);
}

static void rate_limit_holds(void **state) {
    struct oarig *r = *state;
    tree_text(r->root, "proc/sys/dev/i915/oa_max_sample_rate", "100\n");
    oarig_start_with(r, SKL, SKL_RENDER); /* 16: 91 Hz */
    expect_stream(r, 10, 16);
    oarig_stop(r);
    tree_text(r->root, "proc/sys/dev/i915/oa_max_sample_rate", "30\n");
    r->oa_hz = 12500000;
    oarig_start_with(r, HSW, HSW_RENDER); /* 18: 23 Hz, 42 ms, as long as may be */
    expect_stream(r, 5, 18);
    oarig_stop(r);
    tree_text(r->root, "proc/sys/dev/i915/oa_max_sample_rate", "20\n");
    oarig_start_with(r, HSW, HSW_RENDER);
    oarig_none(r, EACCES, OUTCOME_DENIED);
    assert_true(oarig_logged("oa_max_sample_rate"));
    oarig_stop(r);
    tree_text(r->root, "proc/sys/dev/i915/oa_max_sample_rate", "0\n");
    oarig_start_with(r, SKL, SKL_RENDER);
    expect_stream(r, 10, 23); /* below 1 Hz; the clock wraps in 2.8 s */
    oarig_stop(r);
    tree_drop(r->root, "proc/sys/dev/i915/oa_max_sample_rate");
    oarig_start_with(r, SKL, SKL_RENDER);
    expect_stream(r, 10, 15);
}

static void poll_period_is_of_its_revision(void **state) {
    struct oarig *r = *state;
    oarig_start_with(r, SKL, SKL_RENDER);
    assert_int_equal(r->property_count, 5);
    oarig_property(r, 4, 8, 50000000);
    oarig_stop(r);
    for (r->revision = 0; r->revision <= 4; r->revision += 2) {
        oarig_start_with(r, SKL, SKL_RENDER);
        assert_int_equal(r->property_count, 4);
        oarig_stop(r);
    }
    r->revision = 7;
    oarig_start(r, SKL, NULL);
    r->host->delay_ns = 100000000; /* the kernel's own is short enough */
    oarig_tick(r);
    assert_int_equal(r->property_count, 4);
    oarig_stop(r);
    oarig_start(r, SKL, NULL);
    r->host->delay_ns = INT64_C(60000000000);
    oarig_tick(r);
    oarig_property(r, 4, 8, 100000000);
}

static void subject_says_how_to_read_it(void **state) {
    struct oarig *r = *state;
    oarig_start_with(r, SKL, SKL_RENDER);
    const struct seen_frame *f = oarig_frame(r, FRAME_OPEN);
    assert_non_null(f);
    assert_int_equal(f->subject.parent, r->device->id);
    assert_int_equal(f->subject.device, r->device->id);
    assert_int_equal(f->subject.backend, roster_backend(r->host, &backend_intel));
    assert_string_equal(seen_body(f), "pci=8086:1912\n"
                                      "oa_format=A32u40_A4u32_B8_C8\n"
                                      "oa_timestamp_hz=12000000\n"
                                      "oa_set=" SKL_RENDER "\n"
                                      "oa_eu=24\n"
                                      "oa_slices=1\n"
                                      "oa_subslices=7\n"
                                      "oa_exponent=15\n"
                                      "oa_most_hz=1150000000\n");
    assert_int_equal(oarig_logged_count("RC6"), 1);
    assert_int_equal(intel_oa_fd(r->oa), r->stream);
    oarig_stop(r);
    r->eu = 0; /* then it is counted */
    oarig_start_with(r, SKL, SKL_RENDER);
    oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_eu", "24");
    oarig_stop(r);
    r->topology = false;
    tree_drop(r->root, "sys/devices/pci0000:00/0000:00:02.0/drm/card0/gt_RP0_freq_mhz");
    oarig_start_with(r, HSW, HSW_RENDER);
    assert_string_equal(seen_body(oarig_frame(r, FRAME_OPEN)), "pci=8086:0412\n"
                                                               "oa_format=A45_B8_C8\n"
                                                               "oa_timestamp_hz=12000000\n"
                                                               "oa_set=" HSW_RENDER "\n"
                                                               "oa_exponent=15\n");
}

static void render_node_comes_first(void **state) {
    struct oarig *r = *state;
    oarig_start_with(r, SKL, SKL_RENDER);
    assert_int_equal(r->node_opens, 1);
    oarig_stop(r);
    tree_drop(r->root, "dev/dri/renderD128");
    oarig_start_with(r, SKL, SKL_RENDER);
    assert_int_equal(r->streams, 1);
    assert_int_equal(r->node_opens, 2);
    oarig_stop(r);
    r->fail_node = EACCES;
    oarig_start_with(r, SKL, SKL_RENDER);
    assert_int_equal(r->node_opens, 1);
    oarig_none(r, EACCES, OUTCOME_DENIED);
    assert_true(oarig_logged("/dev/dri/renderD128"));
}

/* ---- reading --------------------------------------------------------------------------------- */

static void each_read_is_a_frame(void **state) {
    static const size_t sizes[] = {264, 65472, 8, 1320};
    struct oarig *r = *state;
    const struct seen_frame *f;
    uint32_t at = 0;
    unsigned char byte = 0;
    for (size_t i = 0; i < 4; i++)
        r->script[i].size = sizes[i];
    oarig_start_with(r, SKL, SKL_RENDER);
    for (size_t i = 0; i < 4; i++) {
        f = seen_next(&r->seen, &at, (struct seen_want){INTEL_PERF, SUBJECT_STREAM, -1, -1});
        assert_non_null(f);
        assert_int_equal(f->frame.size, sizes[i]);
        assert_int_equal(f->frame.outcome, OUTCOME_OK);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal((unsigned char)f->frame.bytes[k], byte++);
    }
    assert_null(seen_next(&r->seen, &at, (struct seen_want){INTEL_PERF, SUBJECT_STREAM, -1, -1}));
    oarig_tick(r); /* nothing waits */
    assert_null(oarig_frame(r, INTEL_PERF));
    assert_int_equal(r->streams, 1);
    r->script[4].size = 264;
    oarig_tick(r);
    assert_non_null(oarig_frame(r, INTEL_PERF));
}

static void endless_stream_ends_the_tick(void **state) {
    struct oarig *r = *state;
    for (size_t i = 0; i < OARIG_SCRIPT; i++)
        r->script[i].size = 65536;
    oarig_start_with(r, SKL, SKL_RENDER);
    unsigned frames = seen_count(&r->seen, (struct seen_want){INTEL_PERF, -1, -1, -1});
    assert_int_equal(frames, 256); /* the kernel's ring holds no more */
    oarig_tick(r);
    assert_int_equal(seen_count(&r->seen, (struct seen_want){INTEL_PERF, -1, -1, -1}), 256);
}

static void lost_stream_begins_anew(void **state) {
    static const int losses[] = {EIO, ENODEV, -1 /* read gives 0 */, ENOSPC};
    struct oarig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        int said = losses[i] < 0 ? ENODEV : losses[i];
        uint32_t at = 0;
        memset(r->script, 0, sizeof(r->script));
        r->script[0].size = 264;
        r->script[1].sys = losses[i];
        r->script[2].size = 528;
        oarig_start_with(r, SKL, SKL_RENDER);
        uint32_t id = oarig_frame(r, FRAME_OPEN)->subject.id;
        const struct seen_want want = {INTEL_PERF, SUBJECT_STREAM, -1, -1};
        assert_int_equal(seen_next(&r->seen, &at, want)->frame.size, 264);
        assert_int_equal(seen_next(&r->seen, &at, want)->frame.sys, said);
        assert_non_null(oarig_frame(r, FRAME_CLOSE));
        assert_int_equal(oarig_frame(r, FRAME_CLOSE)->subject.id, id);
        assert_string_equal(r->log, "open stop close leave");
        for (int k = 0; k < 4; k++) {
            oarig_tick(r);
            oarig_none(r, said, outcome_from_sys(said));
        }
        oarig_tick(r);
        assert_int_equal(r->streams, 2);
        oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_set", SKL_RENDER);
        assert_int_equal(oarig_frame(r, INTEL_PERF)->frame.size, 528);
        assert_int_equal(oarig_logged_count("the stream is lost"), 1);
        assert_int_equal(oarig_logged_count("RC6"), 1);
        oarig_stop(r);
    }
}

static void flaky_stream_is_reopened_now_and_then(void **state) {
    struct oarig *r = *state;
    for (size_t i = 0; i < OARIG_SCRIPT; i++)
        r->script[i].sys = EIO;
    oarig_start_with(r, SKL, SKL_RENDER);
    for (int i = 0; i < 50; i++)
        oarig_tick(r);
    assert_in_range(r->streams, 9, 11);
    assert_int_equal(oarig_logged_count("the stream is lost"), 1);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Any one call fails: nothing stays open or loaded, and the next try works. */
static void any_failed_call_leaves_it_whole(void **state) {
    struct oarig *r = *state;
    unsigned calls = 1;
    r->script[0].size = r->script[1].size = 264;
    for (unsigned n = 1; n <= calls; n++) {
        unsigned loaded = 0;
        oarig_start(r, BDW, NULL);
        r->calls = 0;
        r->fail_at = n;
        for (int i = 0; i < 7; i++)
            oarig_tick(r);
        if (n == 1)
            calls = r->calls;
        assert_int_equal(intel_oa_fd(r->oa), r->stream);
        assert_true(r->stream >= 0);
        oarig_stop(r);
        r->fail_at = 0;
        for (const char *p = r->log; (p = strstr(p, "set")) != NULL; p++)
            loaded += p == r->log || p[-1] == ' ' ? 1u : -1u;
        assert_int_equal(loaded, 0);
    }
    assert_in_range(calls, 10, 200);
}

static void hostile_facts_open_nothing_else(void **state) {
    static const char *const nodes[] = {"renderD128/../../../etc/passwd", "", ",,", "../card0",
                                        "renderDaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    struct oarig *r = *state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        char facts[300];
        struct subject device;
        struct intel_oa *oa;
        oarig_start(r, SKL, NULL);
        device = *r->device;
        snprintf(facts, sizeof(facts), "driver=i915\ncard=../x\npci=8086:\nnode_names=%s\n",
                 nodes[i]);
        device.facts = facts;
        assert_int_equal(intel_oa_create(r->host, &device, "sys", &oa), ERR_OK);
        intel_oa_destroy(r->oa);
        r->oa = oa;
        oarig_tick(r);
        assert_int_equal(r->node_opens, 0);
        oarig_none(r, ENOENT, OUTCOME_GONE);
        oarig_stop(r);
    }
}

/* ---- a crash --------------------------------------------------------------------------------- */

/* What the process itself asks of a driver, without a host: only undo does. In place of libc's. */
static uint64_t *crashed; /* shared: how often, argument */
int ioctl(int fd, unsigned long request, ...);
int ioctl(int fd, unsigned long request, ...) {
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (!crashed || request != 0x40086478)
        return (int)syscall(SYS_ioctl, fd, request, arg);
    crashed[0]++;
    memcpy(&crashed[1], arg, 8);
    return 0;
}

static uint64_t removed_in_a_crash(struct oarig *r, bool loads, bool stopped) {
    int status;
    memset(crashed, 0, 16);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        if (!loads)
            oarig_put_set(r, BDW_RENDER, "3");
        r->add_id = 42;
        oarig_start(r, BDW, NULL);
        oarig_tick(r);
        if (stopped)
            intel_oa_destroy(r->oa);
        raise(SIGSEGV);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    assert_in_range(crashed[0], 0, 1);
    return crashed[0] ? crashed[1] : 0;
}

static void crash_takes_the_set_out(void **state) {
    struct oarig *r = *state;
    crashed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(crashed, MAP_FAILED);
    assert_int_equal(removed_in_a_crash(r, true, false), 42);
    assert_int_equal(removed_in_a_crash(r, true, true), 0);
    assert_int_equal(removed_in_a_crash(r, false, false), 0);
    munmap(crashed, 4096);
    crashed = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, oarig_set_up, oarig_tear_down)
        /* First: undo is of the process that arms first. */
        CASE(crash_takes_the_set_out),
        CASE(unasked_nothing_is_touched),
        CASE(asleep_nothing_is_opened),
        CASE(other_drivers_are_left_alone),
        CASE(properties_are_these),
        CASE(period_follows_the_clock),
        CASE(clock_is_asked_for_or_usual),
        CASE(rate_limit_holds),
        CASE(poll_period_is_of_its_revision),
        CASE(subject_says_how_to_read_it),
        CASE(render_node_comes_first),
        CASE(each_read_is_a_frame),
        CASE(endless_stream_ends_the_tick),
        CASE(lost_stream_begins_anew),
        CASE(flaky_stream_is_reopened_now_and_then),
        CASE(any_failed_call_leaves_it_whole),
        CASE(hostile_facts_open_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
