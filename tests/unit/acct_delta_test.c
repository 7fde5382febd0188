/* Rates and totals of engines, from counters that a test makes up: what grew over the time
 * between two readings of one client. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct_feed.h"

enum { DEV = 1, PROC = 2, FD = 3, PROC2 = 4, FD2 = 5 };

/* A device of the driver and one process with one descriptor. */
static struct acct_feed *one_process(const struct acct_options *o, const char *facts) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", facts);
    feed_process(f, PROC, 100, 5000);
    feed_holder(f, FD, PROC, DEV);
    return f;
}

/* One tick at `t` in which client 7 says this. */
static void tick(struct acct_feed *f, int64_t t, const struct say *says) {
    feed_begin(f, t);
    feed_read(f, FD, t, 7, says);
    feed_end(f, t, "");
}

static const struct snap_engine *engine(const struct acct_feed *f, const char *name) {
    const struct snapshot *s = feed_snapshot(f);
    const struct snap_engine *e = find_engine(s, find_process(s, 100)->engines, name);
    assert_non_null(e);
    return e;
}

static const struct snap_process *process(const struct acct_feed *f) {
    return find_process(feed_snapshot(f), 100);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void test_first_sight_is_no_rate(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    tick(f, 10 * SEC, SAYS(ENGINE("render", 5 * SEC)));
    check_state(engine(f, "render")->busy_ppm, STATE_UNKNOWN);
    check_state(engine(f, "render")->busy_ns, STATE_UNKNOWN);
    check_state(process(f)->busy_ppm, STATE_UNKNOWN);
    check_state(feed_snapshot(f)->interval_ns, STATE_UNKNOWN);
    tick(f, 11 * SEC, SAYS(ENGINE("render", 5 * SEC + SEC / 4)));
    check_value(engine(f, "render")->busy_ppm, 250000);
    check_value(engine(f, "render")->busy_ns, SEC / 4);
    check_value(process(f)->busy_ppm, 250000);
    check_value(process(f)->busy_ns, SEC / 4);
    check_value(feed_snapshot(f)->interval_ns, SEC);
    feed_destroy(f);
}

/* The interval is the one between the reads, not between the ticks. */
static void test_own_times_of_a_client(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    feed_begin(f, 10 * SEC);
    feed_read(f, FD, 10 * SEC + SEC / 2, 7, SAYS(ENGINE("render", 0)));
    feed_end(f, 11 * SEC, "");
    feed_begin(f, 11 * SEC);
    feed_read(f, FD, 11 * SEC, 7, SAYS(ENGINE("render", SEC / 4)));
    feed_end(f, 12 * SEC, "");
    check_value(engine(f, "render")->busy_ppm, 500000);
    feed_destroy(f);
}

/* A counter that steps back holds its mark until it is passed. */
static void test_step_back_holds_the_mark(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("render", 50 * SEC)));
    tick(f, 2 * SEC, SAYS(ENGINE("render", 50 * SEC + 400)));
    tick(f, 3 * SEC, SAYS(ENGINE("render", 10)));
    check_value(engine(f, "render")->busy_ppm, 0);
    tick(f, 4 * SEC, SAYS(ENGINE("render", 50 * SEC)));
    check_value(engine(f, "render")->busy_ppm, 0);
    check_value(engine(f, "render")->busy_ns, 400);
    tick(f, 5 * SEC, SAYS(ENGINE("render", 50 * SEC + SEC / 2 + 400)));
    check_value(engine(f, "render")->busy_ppm, 500000);
    check_value(engine(f, "render")->busy_ns, SEC / 2 + 400);
    feed_destroy(f);
}

static void test_above_capacity_is_clamped(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("render", 0)));
    tick(f, 2 * SEC, SAYS(ENGINE("render", 3 * SEC)));
    check_value(engine(f, "render")->busy_ppm, 1000000);
    assert_int_equal(engine(f, "render")->busy_ppm.doubt, DOUBT_CLAMPED);
    check_value(engine(f, "render")->busy_ns, 3 * SEC);
    assert_int_equal(engine(f, "render")->busy_ns.doubt, DOUBT_ESTIMATED);
    tick(f, 3 * SEC, SAYS(ENGINE("render", 3 * SEC + SEC / 2)));
    check_value(engine(f, "render")->busy_ppm, 500000);
    assert_int_equal(engine(f, "render")->busy_ppm.doubt, 0);
    check_value(process(f)->busy_ns, 3 * SEC + SEC / 2);
    assert_int_equal(process(f)->busy_ns.doubt, DOUBT_ESTIMATED);
    feed_destroy(f);
}

/* So much more than there is that it is no work: as if it were seen for the first time. 64 times all
 * there is is still work that waited. */
static void jump(const char *facts, const struct say *a, const struct say *b, const struct say *c,
                 const struct say *d, int64_t total_ns) {
    struct acct_feed *f = one_process(NULL, facts);
    tick(f, 1 * SEC, a);
    tick(f, 2 * SEC, b);
    check_value(engine(f, "gfx")->busy_ppm, 1000000);
    tick(f, 3 * SEC, c);
    check_state(engine(f, "gfx")->busy_ppm, STATE_UNKNOWN);
    check_state(process(f)->busy_ppm, STATE_UNKNOWN);
    tick(f, 4 * SEC, d);
    check_value(engine(f, "gfx")->busy_ppm, 500000);
    check_value(engine(f, "gfx")->busy_ns, total_ns);
    check_value(process(f)->busy_ns, total_ns);
    feed_destroy(f);
}

static void test_jump(void **state) {
    const int64_t at = 128 * SEC, far = at + 128 * SEC + 1;
    (void)state;
    jump("driver=amdgpu\n", SAYS(ENGINE("gfx", 0), CAPACITY("gfx", 2)), SAYS(ENGINE("gfx", at)),
         SAYS(ENGINE("gfx", far)), SAYS(ENGINE("gfx", far + SEC)), at + SEC);
    jump("driver=xe\n", SAYS(CYCLES("gfx", 0), CLOCK("gfx", 1000)),
         SAYS(CYCLES("gfx", 1000), CLOCK("gfx", 2000)),
         SAYS(CYCLES("gfx", 66000), CLOCK("gfx", 3000)),
         SAYS(CYCLES("gfx", 66500), CLOCK("gfx", 4000)), SEC + SEC / 2);
    jump("driver=msm\n", SAYS(CYCLES("gfx", 0), MAXFREQ("gfx", 1000)), SAYS(CYCLES("gfx", 1000)),
         SAYS(CYCLES("gfx", 66000)), SAYS(CYCLES("gfx", 66500)), SEC + SEC / 2);
}

/* Two video engines that both work all the time: 100 % of capacity, at every refresh, also where
 * a text lacks the line. */
static void test_capacity_is_kept(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("video", 0), CAPACITY("video", 2)));
    for (int i = 2; i < 8; i++) {
        int64_t busy = 2 * (i - 1) * SEC;
        tick(f, i * SEC,
             i % 2 ? SAYS(ENGINE("video", busy))
                   : SAYS(ENGINE("video", busy), CAPACITY("video", 2)));
        check_value(engine(f, "video")->busy_ppm, 1000000);
        assert_int_equal(engine(f, "video")->busy_ppm.doubt, 0);
        assert_int_equal(engine(f, "video")->capacity, 2);
    }
    check_value(engine(f, "video")->busy_ns, 12 * SEC);
    feed_destroy(f);
}

/* The time of a read that did not move gives no rate, and the next one covers both. */
static void test_no_time_passed(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("render", 0)));
    tick(f, 1 * SEC, SAYS(ENGINE("render", SEC)));
    check_state(engine(f, "render")->busy_ppm, STATE_UNKNOWN);
    tick(f, 3 * SEC, SAYS(ENGINE("render", SEC)));
    check_value(engine(f, "render")->busy_ppm, 500000);
    feed_destroy(f);
}

/* A text may name one engine twice (two IP blocks under one name): they add up. */
static void test_key_twice_in_one_text(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("dec", 100), ENGINE("gfx", 0), ENGINE("dec", 200)));
    tick(f, 2 * SEC,
         SAYS(ENGINE("dec", SEC / 4 + 100), ENGINE("gfx", 0), ENGINE("dec", SEC / 4 + 200)));
    check_value(engine(f, "dec")->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* ---- keys that appear late ------------------------------------------------------------------- */

static void late_engine(const char *facts, const struct counts *first, int64_t busy,
                        enum state want) {
    struct acct_feed *f = one_process(NULL, facts);
    const struct counts whole = {.accepted = 2};
    feed_begin(f, SEC);
    feed_read_as(f, FD, SEC, SPACE_DRM, 7, NULL, SAYS(TOTAL("vram", MIB)), first ? first : &whole);
    feed_end(f, SEC, "");
    tick(f, 2 * SEC, SAYS(TOTAL("vram", MIB), ENGINE("gfx", busy)));
    check_state(engine(f, "gfx")->busy_ppm, want);
    if (want == STATE_VALUE)
        check_value(engine(f, "gfx")->busy_ns, busy);
    tick(f, 3 * SEC, SAYS(TOTAL("vram", MIB), ENGINE("gfx", busy + SEC / 2)));
    check_value(engine(f, "gfx")->busy_ppm, 500000);
    feed_destroy(f);
}

static void test_late_key(void **state) {
    const struct counts bad = {.accepted = 1, .malformed = 1};
    const struct counts cut = {.accepted = 1, .truncated = 1};
    (void)state;
    late_engine("driver=amdgpu\n", NULL, SEC / 5, STATE_VALUE);
    late_engine("driver=amdgpu\n", NULL, 5 * SEC, STATE_UNKNOWN); /* does not fit the interval */
    late_engine("driver=amdgpu\n", &bad, SEC / 5, STATE_UNKNOWN);
    late_engine("driver=amdgpu\n", &cut, SEC / 5, STATE_UNKNOWN);
    late_engine("driver=panfrost\n", NULL, SEC / 5, STATE_UNKNOWN); /* profiling was switched on */
    late_engine("", NULL, SEC / 5, STATE_UNKNOWN);
}

/* A read that was interrupted holds only who the client is: what the next one adds is no growth. */
static void test_interrupted_first_read(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    const struct counts whole = {.accepted = 3};
    (void)state;
    feed_begin(f, SEC);
    feed_read_as(f, FD, SEC, SPACE_DRM, 7, "amdgpu", SAYS({0, NULL, 0, 0}), &whole);
    feed_end(f, SEC, "");
    check_state(process(f)->busy_ppm, STATE_UNKNOWN);
    tick(f, 2 * SEC, SAYS(TOTAL("vram", MIB), ENGINE("gfx", SEC / 2)));
    check_state(engine(f, "gfx")->busy_ppm, STATE_UNKNOWN);
    feed_destroy(f);
}

/* A counter that is switched off is no idle engine. */
static void test_key_that_vanishes(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=panfrost\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("fragment", 0), TOTAL("memory", MIB)));
    tick(f, 2 * SEC, SAYS(ENGINE("fragment", SEC / 2), TOTAL("memory", MIB)));
    tick(f, 3 * SEC, SAYS(TOTAL("memory", MIB)));
    check_state(engine(f, "fragment")->busy_ppm, STATE_UNSUPPORTED);
    check_value(engine(f, "fragment")->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static void test_cycles_of_a_clock(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=xe\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(CYCLES("ccs", 1000), CLOCK("ccs", 100000), CAPACITY("ccs", 4)));
    check_state(engine(f, "ccs")->busy_ppm, STATE_UNKNOWN);
    tick(f, 2 * SEC, SAYS(CYCLES("ccs", 1000 + 19200), CLOCK("ccs", 100000 + 19200)));
    check_value(engine(f, "ccs")->busy_ppm, 250000);
    check_value(engine(f, "ccs")->busy_ns, SEC);
    assert_int_equal(engine(f, "ccs")->busy_ppm.doubt, 0);
    /* Read a moment apart: a little more cycles than clock. */
    tick(f, 3 * SEC, SAYS(CYCLES("ccs", 20200 + 4 * 19300), CLOCK("ccs", 119200 + 19200)));
    check_value(engine(f, "ccs")->busy_ppm, 1000000);
    assert_int_equal(engine(f, "ccs")->busy_ppm.doubt, DOUBT_CLAMPED);
    check_value(engine(f, "ccs")->busy_ns, 5 * SEC);
    feed_destroy(f);
}

/* The same text twice, then a clock that goes back: nothing is divided by nothing, no spike after
 * it. */
static void test_clock_that_stands_or_goes_back(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=xe\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(CYCLES("rcs", 500), CLOCK("rcs", 100000)));
    tick(f, 2 * SEC, SAYS(CYCLES("rcs", 500), CLOCK("rcs", 100000)));
    check_state(engine(f, "rcs")->busy_ppm, STATE_UNKNOWN);
    tick(f, 3 * SEC, SAYS(CYCLES("rcs", 500), CLOCK("rcs", 5000)));
    check_state(engine(f, "rcs")->busy_ppm, STATE_UNKNOWN);
    tick(f, 4 * SEC, SAYS(CYCLES("rcs", 600), CLOCK("rcs", 6000)));
    check_value(engine(f, "rcs")->busy_ppm, 100000);
    tick(f, 5 * SEC, SAYS(CYCLES("rcs", 600), CLOCK("rcs", 0)));
    check_state(engine(f, "rcs")->busy_ppm, STATE_UNKNOWN);
    check_value(process(f)->busy_ns, SEC / 10);
    feed_destroy(f);
}

static void test_cycles_of_highest_clock(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=msm\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(CYCLES("gpu", 0), MAXFREQ("gpu", 800000000)));
    tick(f, 2 * SEC, SAYS(CYCLES("gpu", 200000000), MAXFREQ("gpu", 800000000)));
    check_value(engine(f, "gpu")->busy_ppm, 250000);
    assert_int_equal(engine(f, "gpu")->busy_ppm.doubt, DOUBT_ESTIMATED);
    feed_destroy(f);
}

static void test_time_goes_before_cycles(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=msm\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(ENGINE("gpu", 0), CYCLES("gpu", 0), MAXFREQ("gpu", 800000000)));
    tick(f, 2 * SEC, SAYS(ENGINE("gpu", SEC / 2), CYCLES("gpu", 100), MAXFREQ("gpu", 800000000)));
    check_value(engine(f, "gpu")->busy_ppm, 500000);
    assert_int_equal(engine(f, "gpu")->busy_ppm.doubt, 0);
    feed_destroy(f);
}

static void test_cycles_alone_say_nothing(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=xe\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(CYCLES("rcs", 0)));
    tick(f, 2 * SEC, SAYS(CYCLES("rcs", 100)));
    check_state(engine(f, "rcs")->busy_ppm, STATE_UNSUPPORTED);
    check_state(process(f)->busy_ppm, STATE_UNSUPPORTED);
    feed_destroy(f);
}

/* ---- shares that the driver worked out ------------------------------------------------------- */

static void test_percent_lines(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    tick(f, 1 * SEC, SAYS(PERCENT("gfx", 123400)));
    check_state(engine(f, "gfx")->busy_ppm, STATE_UNKNOWN);
    check_state(engine(f, "gfx")->busy_ns, STATE_UNKNOWN);
    check_state(process(f)->busy_ppm, STATE_UNKNOWN);
    tick(f, 3 * SEC, SAYS(PERCENT("gfx", 500000)));
    check_value(engine(f, "gfx")->busy_ppm, 500000);
    assert_int_equal(engine(f, "gfx")->busy_ppm.doubt, 0);
    check_value(engine(f, "gfx")->busy_ns, SEC);
    assert_int_equal(engine(f, "gfx")->busy_ns.doubt, DOUBT_ESTIMATED);
    tick(f, 4 * SEC, SAYS(PERCENT("gfx", 1500000)));
    check_value(engine(f, "gfx")->busy_ppm, 1000000);
    assert_int_equal(engine(f, "gfx")->busy_ppm.doubt, DOUBT_CLAMPED);
    feed_destroy(f);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Two processes whose time together passes what there is: waiting was counted as busy. What each
 * was measured at stands; the device's sum is cut. */
static void test_more_than_there_is(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    feed_process(f, PROC2, 200, 6000);
    feed_holder(f, FD2, PROC2, DEV);
    for (int i = 1; i < 3; i++) {
        feed_begin(f, i * SEC);
        feed_read(f, FD, i * SEC, 7, SAYS(ENGINE("gfx", i * SEC)));
        feed_read(f, FD2, i * SEC, 8, SAYS(ENGINE("gfx", i * SEC / 2)));
        feed_end(f, i * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    const struct snap_process *p = find_process(s, 100);
    const struct snap_process *q = find_process(s, 200);
    check_value(p->busy_ppm, 1000000);
    check_value(q->busy_ppm, 500000);
    assert_int_equal(p->busy_ppm.doubt, 0);
    assert_int_equal(q->busy_ppm.doubt, 0);
    const struct snap_engine *d = find_engine(s, s->devices[0].engines, "gfx");
    check_value(d->busy_ppm, 1000000);
    assert_int_equal(d->busy_ppm.doubt, DOUBT_CLAMPED);
    check_value(p->busy_ns, SEC);
    check_value(q->busy_ns, SEC / 2);
    check_value(d->busy_ns, SEC + SEC / 2);
    feed_destroy(f);
}

/* The same within one process: its clients as measured, their sum cut. */
static void test_more_than_there_is_in_a_process(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    feed_holder(f, FD2, PROC, DEV);
    for (int i = 1; i < 3; i++) {
        feed_begin(f, i * SEC);
        feed_read(f, FD, i * SEC, 7, SAYS(ENGINE("gfx", i * SEC * 3 / 4)));
        feed_read(f, FD2, i * SEC, 8, SAYS(ENGINE("gfx", i * SEC / 2)));
        feed_end(f, i * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    check_value(s->engines[s->clients[0].engines.first].busy_ppm, 750000);
    check_value(s->engines[s->clients[1].engines.first].busy_ppm, 500000);
    check_value(engine(f, "gfx")->busy_ppm, 1000000);
    assert_int_equal(engine(f, "gfx")->busy_ppm.doubt, DOUBT_CLAMPED);
    check_value(engine(f, "gfx")->busy_ns, SEC + SEC / 4);
    check_value(find_engine(s, s->devices[0].engines, "gfx")->busy_ppm, 1000000);
    assert_int_equal(find_engine(s, s->devices[0].engines, "gfx")->busy_ppm.doubt, DOUBT_CLAMPED);
    feed_destroy(f);
}

static void test_clients_of_a_process_add_up(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    feed_holder(f, FD2, PROC, DEV);
    for (int i = 1; i < 3; i++) {
        feed_begin(f, i * SEC);
        feed_read(f, FD, i * SEC, 7, SAYS(ENGINE("gfx", i * SEC / 4), ENGINE("dec", i * 100)));
        feed_read(f, FD2, i * SEC, 8,
                  SAYS(ENGINE("gfx", i * SEC / 8), ENGINE("compute", i * SEC / 2)));
        feed_end(f, i * SEC, "");
    }
    const struct snap_process *p = process(f);
    check_value(engine(f, "gfx")->busy_ppm, 375000);
    check_value(engine(f, "compute")->busy_ppm, 500000);
    check_value(p->busy_ppm, 500000); /* the busiest, not the sum */
    check_value(p->busy_ns, SEC / 4 + SEC / 8 + SEC / 2 + 100);
    assert_int_equal(p->type, TYPE_COMPUTE);
    assert_int_equal(p->clients, 2);
    feed_destroy(f);
}

/* Before anything grew while watched the type is that of what was done before. */
static void test_type_from_before(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    tick(f, SEC, SAYS(ENGINE("gfx", 10), ENGINE("dec", 5000), ENGINE("dma", 90000)));
    assert_int_equal(process(f)->type, TYPE_MEDIA);
    tick(f, 2 * SEC, SAYS(ENGINE("gfx", 1000), ENGINE("dec", 5000), ENGINE("dma", 190000)));
    assert_int_equal(process(f)->type, TYPE_GRAPHICS);
    feed_destroy(f);
}

/* ---- readings that fail ---------------------------------------------------------------------- */

static void failing(enum outcome outcome, enum state want) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    tick(f, 1 * SEC, SAYS(ENGINE("render", 0)));
    tick(f, 2 * SEC, SAYS(ENGINE("render", SEC / 2)));
    feed_begin(f, 3 * SEC);
    feed_failed(f, FD, 3 * SEC, outcome);
    feed_end(f, 3 * SEC, "");
    check_state(engine(f, "render")->busy_ppm, want);
    check_state(process(f)->busy_ppm, want);
    check_value(process(f)->busy_ns, SEC / 2);
    assert_int_equal(process(f)->clients, 1);
    tick(f, 4 * SEC, SAYS(ENGINE("render", SEC + SEC / 2)));
    check_value(engine(f, "render")->busy_ppm, 500000);
    feed_destroy(f);
}

static void test_failed_readings(void **state) {
    (void)state;
    failing(OUTCOME_DENIED, STATE_DENIED);
    failing(OUTCOME_FAILED, STATE_UNKNOWN);
    failing(OUTCOME_ASLEEP, STATE_UNKNOWN);
}

static void test_denied_from_the_start(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    feed_begin(f, SEC);
    feed_failed(f, FD, SEC, OUTCOME_DENIED);
    feed_end(f, SEC, "unreadable.denied=1\nunreadable.hidepid=2\n");
    const struct snap_process *p = process(f);
    assert_non_null(p);
    assert_int_equal(p->clients, 0);
    check_state(p->busy_ppm, STATE_DENIED);
    check_state(p->vram.bytes, STATE_DENIED);
    assert_int_equal(feed_snapshot(f)->unreadable, 3);
    assert_int_equal(feed_snapshot(f)->unreadable_reasons[REASON_HIDEPID], 2);
    assert_int_equal(feed_snapshot(f)->devices_denied, 0);
    /* A tick without its end says nothing of that. */
    feed_begin(f, 2 * SEC);
    acct_finish(f->acct);
    assert_int_equal(feed_snapshot(f)->unreadable, 3);
    assert_int_equal(feed_snapshot(f)->unreadable_reasons[REASON_HIDEPID], 2);
    feed_begin(f, 3 * SEC);
    feed_end(f, 3 * SEC, "devices.denied=2\n");
    assert_int_equal(feed_snapshot(f)->unreadable, 0);
    assert_int_equal(feed_snapshot(f)->devices_denied, 2);
    feed_begin(f, 4 * SEC);
    acct_finish(f->acct);
    assert_int_equal(feed_snapshot(f)->devices_denied, 2);
    feed_destroy(f);
}

static void test_malformed_value(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    (void)state;
    tick(f, SEC, SAYS({METRIC_ENGINE_TIME, "render", 0, STATE_MALFORMED}));
    check_state(engine(f, "render")->busy_ppm, STATE_MALFORMED);
    tick(f, 2 * SEC, SAYS(ENGINE("render", -5)));
    check_state(engine(f, "render")->busy_ppm, STATE_MALFORMED);
    feed_destroy(f);
}

/* One engine that cannot be read beside others that can: what these did is the least. */
static void test_malformed_among_others(void **state) {
    const struct say bad = {METRIC_ENGINE_TIME, "dec", 0, STATE_MALFORMED};
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    for (int i = 1; i < 3; i++)
        tick(f, i * SEC, SAYS(ENGINE("gfx", 5), bad));
    check_state(process(f)->busy_ppm, STATE_MALFORMED);
    check_state(process(f)->busy_ns, STATE_MALFORMED);
    check_state(feed_snapshot(f)->devices[0].busy_ppm, STATE_MALFORMED);
    check_value(engine(f, "gfx")->busy_ppm, 0);
    tick(f, 3 * SEC, SAYS(ENGINE("gfx", SEC / 2 + 5), bad));
    check_value(process(f)->busy_ppm, 500000);
    assert_int_equal(process(f)->busy_ppm.doubt, DOUBT_ESTIMATED);
    check_value(process(f)->busy_ns, SEC / 2);
    assert_int_equal(process(f)->busy_ns.doubt, DOUBT_ESTIMATED);
    feed_destroy(f);
}

/* The same of two clients of one process. */
static void test_malformed_in_one_client(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=amdgpu\n");
    (void)state;
    feed_holder(f, FD2, PROC, DEV);
    for (int i = 1; i < 3; i++) {
        feed_begin(f, i * SEC);
        feed_read(f, FD, i * SEC, 7, SAYS(ENGINE("gfx", 5)));
        feed_read(f, FD2, i * SEC, 8, SAYS({METRIC_ENGINE_TIME, "gfx", 0, STATE_MALFORMED}));
        feed_end(f, i * SEC, "");
    }
    check_state(engine(f, "gfx")->busy_ppm, STATE_MALFORMED);
    check_state(process(f)->busy_ppm, STATE_MALFORMED);
    feed_destroy(f);
}

/* A capacity or a clock alone is no engine's line. */
static void test_engine_that_is_not_told(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=panthor\n");
    (void)state;
    for (int i = 1; i < 4; i++)
        tick(f, i * SEC,
             SAYS(MAXFREQ("gpu", 1000), CAPACITY("gpu", 4), CLOCK("gpu", i), TOTAL("vram", MIB)));
    const struct snapshot *s = feed_snapshot(f);
    check_state(process(f)->busy_ppm, STATE_UNSUPPORTED);
    assert_int_equal(process(f)->engines.count, 0);
    assert_int_equal(s->clients[0].engines.count, 0);
    assert_int_equal(s->devices[0].engines.count, 0);
    check_state(s->devices[0].busy_ppm, STATE_UNSUPPORTED);
    /* What it said before counts once it tells. */
    tick(f, 4 * SEC, SAYS(ENGINE("gpu", 0)));
    tick(f, 5 * SEC, SAYS(ENGINE("gpu", SEC)));
    check_value(engine(f, "gpu")->busy_ppm, 250000);
    feed_destroy(f);
}

/* Numbers at the edges do not spill over. */
static void test_extreme_numbers(void **state) {
    struct acct_feed *f = one_process(NULL, "driver=xe\n");
    (void)state;
    tick(f, INT64_MIN,
         SAYS(ENGINE("a", 0), CYCLES("b", 0), CLOCK("b", 0), CAPACITY("b", INT64_MAX)));
    tick(f, INT64_MAX, SAYS(ENGINE("a", INT64_MAX), CYCLES("b", INT64_MAX), CLOCK("b", 1)));
    tick(f, INT64_MAX,
         SAYS(ENGINE("a", INT64_MAX), ENGINE("a", INT64_MAX), PERCENT("c", INT64_MAX)));
    tick(f, 0, SAYS(ENGINE("a", INT64_MAX), PERCENT("c", INT64_MAX), RESIDENT("v", INT64_MAX)));
    tick(f, 1,
         SAYS(ENGINE("a", INT64_MAX), SHARED("v", INT64_MAX), MAXFREQ("d", 1), CYCLES("d", 1)));
    tick(f, 2, SAYS(MAXFREQ("d", 1), CYCLES("d", INT64_MAX)));
    assert_false(acct_failed(f->acct));
    feed_destroy(f);
}

/* ---- the whole span -------------------------------------------------------------------------- */

static void test_whole_span(void **state) {
    const struct acct_options o = {.whole_span = true};
    struct acct_feed *f = one_process(&o, "driver=i915\n");
    (void)state;
    feed_process(f, PROC2, 200, 6000);
    feed_holder(f, FD2, PROC2, DEV);
    for (int i = 0; i <= 4; i++) {
        feed_begin(f, i * SEC);
        feed_read(f, FD, i * SEC + SEC / 2, 7, SAYS(ENGINE("render", i * i * SEC / 16)));
        if (i == 1 || i == 2)
            feed_read(f, FD2, i * SEC, 8, SAYS(ENGINE("render", i * SEC)));
        if (i == 3)
            feed_close(f, FD2, i * SEC, "exited");
        feed_end(f, i * SEC, "");
        if (i == 0)
            check_state(engine(f, "render")->busy_ppm, STATE_UNKNOWN);
    }
    const struct snapshot *s = feed_snapshot(f);
    check_value(s->interval_ns, 4 * SEC);
    check_value(find_process(s, 100)->busy_ppm, 250000); /* 1 s in 4 s of its own */
    check_value(find_process(s, 200)->busy_ppm, 250000); /* 1 s in the whole span */
    check_value(find_engine(s, s->devices[0].engines, "render")->busy_ppm, 500000);
    feed_destroy(f);
}

/* A client that moved on: each owner has what was used while it was. */
static void test_whole_span_of_two_owners(void **state) {
    const struct acct_options o = {.whole_span = true};
    struct acct_feed *f = one_process(&o, "driver=i915\n");
    (void)state;
    feed_process(f, PROC2, 200, 6000);
    feed_holder(f, FD2, PROC2, DEV);
    for (int i = 0; i <= 4; i++) {
        feed_begin(f, i * SEC);
        if (i == 3)
            feed_close(f, FD, i * SEC, "exited");
        if (i < 3)
            feed_read(f, FD, i * SEC, 7, SAYS(ENGINE("render", i * SEC / 2)));
        feed_read(f, FD2, i * SEC, 7, SAYS(ENGINE("render", i * SEC / 2)));
        feed_end(f, i * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    check_value(find_process(s, 100)->busy_ppm, 250000);
    check_value(find_process(s, 200)->busy_ppm, 250000);
    check_value(find_engine(s, s->devices[0].engines, "render")->busy_ppm, 500000);
    check_value(find_engine(s, s->clients[0].engines, "render")->busy_ppm, 500000);
    feed_destroy(f);
}

/* A process that began 0.5 s before it is met, `set_ns` after somebody set the clock: what it did until then counts as
 * far as it can have done so much. */
static void meet_after_clock_set(int64_t set_ns, int64_t slept_ns, int64_t did_ns,
                                 int64_t counts_ns) {
    const int64_t up_ns = 5000 * SEC, boot_ns = 1000 * SEC;
    struct acct_feed *f = one_process(NULL, "driver=i915\n");
    acct_count_from_zero(f->acct, 500100);
    for (int i = 0; i < 3; i++) {
        int64_t since_ns = i * SEC + (i > 0 ? slept_ns : 0);
        feed_begin_at(f, (10 + i) * SEC, boot_ns + up_ns + since_ns + (i > 0 ? set_ns : 0),
                      up_ns + since_ns);
        if (i == 2) {
            feed_process(f, PROC2, 200, (uint64_t)(up_ns + since_ns - SEC / 2) / (SEC / 100));
            feed_holder(f, FD2, PROC2, DEV);
            feed_read(f, FD2, (10 + i) * SEC, 8, SAYS(ENGINE("render", did_ns)));
        }
        feed_end(f, (10 + i) * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    const struct snap_engine *e = find_engine(s, find_process(s, 200)->engines, "render");
    assert_non_null(e);
    if (counts_ns > 0)
        check_value(e->busy_ns, counts_ns);
    else
        check_state(e->busy_ns, STATE_UNKNOWN);
    feed_destroy(f);
}

static void test_a_clock_that_is_set_hides_no_work(void **state) {
    static const int64_t sets[] = {0, -3600 * SEC, 3600 * SEC};
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int64_t slept_ns = 0; slept_ns <= 60 * SEC; slept_ns += 60 * SEC) {
            meet_after_clock_set(sets[i], slept_ns, SEC / 2, SEC / 2);
            meet_after_clock_set(sets[i], slept_ns, SEC, 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_clock_that_is_set_hides_no_work),
        cmocka_unit_test(test_first_sight_is_no_rate),
        cmocka_unit_test(test_own_times_of_a_client),
        cmocka_unit_test(test_step_back_holds_the_mark),
        cmocka_unit_test(test_above_capacity_is_clamped),
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_capacity_is_kept),
        cmocka_unit_test(test_no_time_passed),
        cmocka_unit_test(test_key_twice_in_one_text),
        cmocka_unit_test(test_late_key),
        cmocka_unit_test(test_interrupted_first_read),
        cmocka_unit_test(test_key_that_vanishes),
        cmocka_unit_test(test_cycles_of_a_clock),
        cmocka_unit_test(test_clock_that_stands_or_goes_back),
        cmocka_unit_test(test_cycles_of_highest_clock),
        cmocka_unit_test(test_time_goes_before_cycles),
        cmocka_unit_test(test_cycles_alone_say_nothing),
        cmocka_unit_test(test_percent_lines),
        cmocka_unit_test(test_more_than_there_is),
        cmocka_unit_test(test_more_than_there_is_in_a_process),
        cmocka_unit_test(test_clients_of_a_process_add_up),
        cmocka_unit_test(test_type_from_before),
        cmocka_unit_test(test_failed_readings),
        cmocka_unit_test(test_denied_from_the_start),
        cmocka_unit_test(test_malformed_value),
        cmocka_unit_test(test_malformed_among_others),
        cmocka_unit_test(test_malformed_in_one_client),
        cmocka_unit_test(test_engine_that_is_not_told),
        cmocka_unit_test(test_extreme_numbers),
        cmocka_unit_test(test_whole_span),
        cmocka_unit_test(test_whole_span_of_two_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
