/* Jobs: stretches of busy time that a recording tells. Whose they are, what they cost, and how long
 * they are remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "acct_feed.h"
#include "allocations.h"

enum { DEV = 1, OTHER_DEV = 2, P1 = 10, FD = 11, FILE_OF = 50, OTHER_FILE = 51, NOBODY = 60 };

#define MSEC INT64_C(1000000)
#define HZ   UINT64_C(266000000)
#define VOLT 1000000u

static struct acct_feed *machine_with(const struct acct_options *o) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=mali\n");
    feed_stream(f, FILE_OF, DEV, 0, 1);
    return f;
}

static struct acct_feed *machine(void) {
    return machine_with(NULL);
}

/* A tick at `t_ns` in which nothing more is told. */
static void tick(struct acct_feed *f, int64_t t_ns) {
    feed_begin(f, t_ns);
    feed_end(f, t_ns, "");
}

static const struct snap_process *process(const struct acct_feed *f, int32_t pid) {
    const struct snap_process *p = find_process(feed_snapshot(f), pid);
    assert_non_null(p);
    return p;
}

static const struct snap_unattributed *stray(const struct acct_feed *f) {
    const struct snap_unattributed *u = find_loose(feed_snapshot(f), "(unknown pid)");
    assert_non_null(u);
    return u;
}

static const struct snap_engine *unit_of(const struct acct_feed *f, struct run run,
                                         const char *name) {
    const struct snap_engine *e = find_engine(feed_snapshot(f), run, name);
    assert_non_null(e);
    return e;
}

/* ---- what they come to ----------------------------------------------------------------------- */

/* 1 PW s is one unit for a second at 266 MHz and 1 V. */
static void test_one_job(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .start_ns = SEC, .end_ns = SEC + 500 * MSEC,
        .clock_hz = HZ, .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .start_ns = SEC + 500 * MSEC,
        .end_ns = SEC + 750 * MSEC, .clock_hz = 2 * HZ, .voltage_uv = VOLT / 2);
    feed_end(f, 2 * SEC, "");
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, 750 * MSEC);
    check_value(p->busy_ppm, 750000);
    check_real(p->power.pws, 0.5 + 0.125);
    check_real(p->power.pw, 0.625);
    check_value(p->power.unpriced_ns, 0);
    assert_int_equal(p->power.method, METHOD_PSEUDO);
    assert_int_equal(p->power.pws.doubt, 0);
    check_real_state(p->power.watts, STATE_UNSUPPORTED);
    check_real_state(p->power.joules, STATE_UNSUPPORTED);
    check_real(unit_of(f, p->engines, "GP0")->pws, 0.625);
    const struct snap_device *d = &feed_snapshot(f)->devices[0];
    check_real(d->power.pws, 0.625);
    check_real(d->power.pw, 0.625);
    assert_int_equal(d->power.method, METHOD_PSEUDO);
    check_real(unit_of(f, d->engines, "GP0")->pws, 0.625);
    assert_true(unit_of(f, d->engines, "GP0")->jobs);
    tick(f, 4 * SEC); /* nothing more */
    check_value(process(f, 100)->busy_ppm, 0);
    check_real(process(f, 100)->power.pw, 0);
    check_real(process(f, 100)->power.pws, 0.625);
    check_real(feed_snapshot(f)->devices[0].power.pw, 0);
    feed_destroy(f);
}

/* PW are over the interval between ticks, whatever the job's own stamps are. */
static void test_over_the_interval(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 5 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .start_ns = 700 * SEC, .end_ns = 701 * SEC,
        .clock_hz = HZ, .voltage_uv = VOLT);
    feed_end(f, 5 * SEC, "");
    check_value(process(f, 100)->busy_ppm, 250000);
    check_real(process(f, 100)->power.pw, 0.25);
    feed_destroy(f);
}

static void test_unpriced(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = 300 * MSEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = 100 * MSEC, .clock_hz = HZ);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = 50 * MSEC, .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 200, .name = "GP0", .end_ns = 200 * MSEC, .off = true);
    feed_end(f, 2 * SEC, "");
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, 450 * MSEC);
    check_value(p->power.unpriced_ns, 450 * MSEC);
    assert_true(p->power.pws.state != STATE_VALUE);
    assert_true(p->power.pw.state != STATE_VALUE);
    assert_int_equal(p->power.method, METHOD_NONE);
    /* Without power it costs nothing, and that is known. */
    p = process(f, 200);
    check_value(p->busy_ns, 200 * MSEC);
    check_value(p->power.unpriced_ns, 0);
    check_real(p->power.pws, 0);
    check_real(p->power.pw, 0);
    const struct snap_device *d = &feed_snapshot(f)->devices[0];
    check_value(d->power.unpriced_ns, 450 * MSEC);
    check_real(d->power.pws, 0);
    feed_destroy(f);
}

/* A priced part and one that is not. */
static void test_partly_priced(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = 300 * MSEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = 100 * MSEC, .clock_hz = HZ,
        .voltage_uv = VOLT);
    feed_end(f, 2 * SEC, "");
    check_real(process(f, 100)->power.pws, 0.1);
    check_real(process(f, 100)->power.pw, 0.1);
    check_value(process(f, 100)->power.unpriced_ns, 300 * MSEC);
    /* A tick of which nothing is priced has no PW; the sum stays. */
    feed_begin(f, 3 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = 300 * MSEC);
    feed_end(f, 3 * SEC, "");
    check_real(process(f, 100)->power.pws, 0.1);
    check_real_state(process(f, 100)->power.pw, STATE_UNKNOWN);
    check_value(process(f, 100)->power.unpriced_ns, 600 * MSEC);
    feed_destroy(f);
}

/* Two units at once: 2 PW, and the busiest is what is shown. */
static void test_two_units(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "PP1", .start_ns = SEC, .end_ns = 2 * SEC, .clock_hz = HZ,
        .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 100, .name = "PP0", .start_ns = SEC, .end_ns = 2 * SEC, .clock_hz = HZ,
        .voltage_uv = VOLT);
    feed_end(f, 2 * SEC, "");
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, 2 * SEC);
    check_value(p->busy_ppm, 1000000);
    check_real(p->power.pw, 2);
    check_real(p->power.pws, 2);
    check_real(unit_of(f, p->engines, "PP0")->pws, 1);
    check_real(unit_of(f, p->engines, "PP1")->pws, 1);
    assert_int_equal(p->engines.count, 2);
    check_value(feed_snapshot(f)->devices[0].busy_ppm, 1000000);
    feed_destroy(f);
}

/* What is told before the first tick is over counts, but there is no interval yet. */
static void test_first_tick(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = SEC, .clock_hz = HZ, .voltage_uv = VOLT);
    feed_end(f, SEC, "");
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, SEC);
    check_state(p->busy_ppm, STATE_UNKNOWN);
    check_real(p->power.pws, 1);
    check_real_state(p->power.pw, STATE_UNKNOWN);
    check_real(feed_snapshot(f)->devices[0].power.pws, 1);
    check_real_state(feed_snapshot(f)->devices[0].power.pw, STATE_UNKNOWN);
    tick(f, 2 * SEC);
    check_real(process(f, 100)->power.pw, 0);
    feed_destroy(f);
}

static void test_whole_span(void **state) {
    struct acct_feed *f = machine_with(&(const struct acct_options){.whole_span = true});
    (void)state;
    for (int t = 1; t <= 5; t++) {
        feed_begin(f, t * SEC);
        if (t % 2 == 0)
            JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = SEC, .clock_hz = HZ,
                .voltage_uv = VOLT);
        feed_end(f, t * SEC, "");
    }
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, 2 * SEC);
    check_value(p->busy_ppm, 500000);
    check_real(p->power.pws, 2);
    check_real(p->power.pw, 0.5);
    check_real(feed_snapshot(f)->devices[0].power.pw, 0.5);
    feed_destroy(f);
}

/* ---- an assumed voltage ---------------------------------------------------------------------- */

static void test_assumed_voltage(void **state) {
    struct acct_feed *f = machine_with(&(const struct acct_options){.assume_voltage_uv = 2000000});
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = SEC, .clock_hz = HZ);
    JOB(f, FILE_OF, .pid = 200, .name = "GP0", .end_ns = SEC, .clock_hz = HZ, .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 300, .name = "GP0", .end_ns = SEC); /* no clock either */
    JOB(f, FILE_OF, .pid = 400, .name = "GP0", .end_ns = SEC, .clock_hz = HZ, .voltage_uv = VOLT,
        .doubt = DOUBT_ASSUMED_VOLTAGE); /* of a table */
    feed_end(f, 2 * SEC, "");
    check_real(process(f, 100)->power.pws, 4);
    check_real(process(f, 100)->power.pw, 4);
    assert_int_equal(process(f, 100)->power.pws.doubt, DOUBT_ASSUMED_VOLTAGE);
    assert_int_equal(process(f, 100)->power.pw.doubt, DOUBT_ASSUMED_VOLTAGE);
    assert_int_equal(process(f, 100)->power.method, METHOD_MODELLED);
    check_real(process(f, 200)->power.pws, 1);
    assert_int_equal(process(f, 200)->power.pws.doubt, 0);
    assert_int_equal(process(f, 200)->power.method, METHOD_PSEUDO);
    check_value(process(f, 300)->power.unpriced_ns, SEC);
    assert_int_equal(process(f, 400)->power.method, METHOD_MODELLED);
    assert_int_equal(feed_snapshot(f)->devices[0].power.method, METHOD_MODELLED);
    feed_destroy(f);
}

/* ---- whose they are -------------------------------------------------------------------------- */

static void half_second(struct acct_feed *f, int32_t pid) {
    JOB(f, FILE_OF, .pid = pid, .name = "GP0", .end_ns = SEC / 2, .clock_hz = HZ,
        .voltage_uv = VOLT);
}

/* A process that is known already, and one that is learned of later: one row, its totals stay. */
static void test_adoption(void **state) {
    (void)state;
    for (int before = 0; before < 2; before++) {
        struct acct_feed *f = machine();
        tick(f, SEC);
        if (before)
            feed_process(f, P1, 100, 7);
        feed_begin(f, 2 * SEC);
        half_second(f, 100);
        feed_end(f, 2 * SEC, "");
        assert_int_equal(process(f, 100)->start, before ? 7 : 0);
        if (!before)
            feed_process(f, P1, 100, 7);
        feed_label(f, P1, LABEL_COMM, "game");
        feed_begin(f, 3 * SEC);
        half_second(f, 100);
        feed_end(f, 3 * SEC, "");
        assert_int_equal(feed_snapshot(f)->process_count, 1);
        assert_int_equal(process(f, 100)->start, 7);
        check_real(process(f, 100)->power.pws, 1);
        check_value(process(f, 100)->busy_ns, SEC);
        check_real(process(f, 100)->power.pw, 0.5);
        feed_destroy(f);
    }
}

/* Its row stays with its name while rows of the dead do. */
static void test_owner_exits(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    feed_label(f, P1, LABEL_COMM, "game");
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    half_second(f, 100);
    feed_end(f, 2 * SEC, "");
    feed_begin(f, 3 * SEC);
    half_second(f, 100);
    feed_close(f, P1, 3 * SEC, "exited");
    half_second(f, 100); /* told late */
    feed_end(f, 3 * SEC, "");
    for (int t = 4; t < 60; t++) {
        tick(f, t * SEC);
        assert_int_equal(feed_snapshot(f)->process_count, 1);
        const struct snap_process *p = process(f, 100);
        assert_true(p->exited);
        assert_true(span_equals(snapshot_text(feed_snapshot(f), p->name), "game"));
        check_real(p->power.pws, 1.5);
        check_value(p->busy_ns, 3 * SEC / 2);
        check_real(feed_snapshot(f)->devices[0].power.pws, 1.5);
    }
    feed_destroy(f);
}

/* A process that both a recording and a client's text tell of is one row: both add up. */
static void test_beside_a_client(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    feed_holder(f, FD, P1, DEV);
    for (int t = 1; t < 4; t++) {
        feed_begin(f, t * SEC);
        half_second(f, 100);
        feed_read(f, FD, t * SEC, 3, SAYS(ENGINE("render", t * SEC / 4)));
        feed_end(f, t * SEC, "");
    }
    assert_int_equal(feed_snapshot(f)->process_count, 1);
    const struct snap_process *p = process(f, 100);
    assert_int_equal(p->clients, 2);
    check_value(p->busy_ns, SEC / 2 * 3 + SEC / 4 * 2);
    check_real(p->power.pws, 1.5);
    check_value(p->power.unpriced_ns, SEC / 2);
    feed_close(f, FD, 4 * SEC, "closed");
    tick(f, 4 * SEC);
    p = process(f, 100);
    check_real(p->power.pws, 1.5);
    check_value(p->power.unpriced_ns, SEC / 2);
    check_real(feed_snapshot(f)->devices[0].power.pws, 1.5);
    feed_destroy(f);
}

/* The pid of one that is gone, worn by another: what is told from then on is the other's. */
static void test_pid_again(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    half_second(f, 100);
    feed_end(f, 2 * SEC, "");
    feed_close(f, P1, 3 * SEC, "exited");
    feed_process(f, P1 + 1, 100, 9);
    feed_begin(f, 3 * SEC);
    half_second(f, 100);
    half_second(f, 100);
    feed_end(f, 3 * SEC, "");
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->process_count, 2);
    assert_int_equal(s->processes[0].start, 7);
    assert_true(s->processes[0].exited);
    check_real(s->processes[0].power.pws, 0.5);
    assert_int_equal(s->processes[1].start, 9);
    check_real(s->processes[1].power.pws, 1);
    feed_destroy(f);
}

static void test_unknown_pid(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_device(f, OTHER_DEV, "0000:04:00.0", "driver=mali\n");
    feed_stream(f, OTHER_FILE, OTHER_DEV, 0, 1);
    tick(f, SEC);
    assert_null(find_loose(feed_snapshot(f), "(unknown pid)"));
    feed_begin(f, 2 * SEC);
    JOB(f, OTHER_FILE, .pid = 0, .name = "PP0", .end_ns = SEC / 4, .clock_hz = HZ,
        .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 0, .name = "GP0", .end_ns = SEC / 2, .clock_hz = HZ, .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 0, .name = "PP0", .end_ns = SEC, .clock_hz = HZ, .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 0, .name = "PP0", .end_ns = SEC / 8);
    half_second(f, 100);
    feed_end(f, 2 * SEC, "");
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->process_count, 1);
    assert_int_equal(s->client_count, 1);
    assert_int_equal(s->unattributed_count, 4);
    static const char *const names[] = {"(not attributed)", "(unknown pid)"};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(s->unattributed[i].device, i / 2);
        assert_true(span_equals(snapshot_text(s, s->unattributed[i].name), names[i % 2]));
    }
    const struct snap_unattributed *u = &s->unattributed[1];
    check_value(u->busy_ns, SEC / 2 + SEC + SEC / 8);
    check_real(u->power.pws, 1.5);
    check_real(u->power.pw, 1.5);
    check_value(u->power.unpriced_ns, SEC / 8);
    assert_int_equal(u->power.method, METHOD_PSEUDO);
    assert_int_equal(u->engines.count, 2);
    check_real(unit_of(f, u->engines, "GP0")->pws, 0.5);
    check_value(unit_of(f, u->engines, "PP0")->busy_ns, SEC + SEC / 8);
    check_real(s->unattributed[3].power.pws, 0.25);
    assert_int_equal(s->unattributed[0].engines.count, 0);
    check_real(s->devices[0].power.pws, 2);
    for (int t = 3; t < 200; t++)
        tick(f, t * SEC);
    check_real(stray(f)->power.pws, 1.5);
    check_real(stray(f)->power.pw, 0);
    feed_destroy(f);
}

/* There are no more rows than that; what the others did is not lost. */
static void test_too_many_pids(void **state) {
    enum { PIDS = 9000, ROWS = 8192 };
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    int64_t all = 0;
    for (int t = 2; t < 5; t++) {
        feed_begin(f, t * SEC);
        for (int pid = 1; pid <= PIDS; pid++) {
            JOB(f, FILE_OF, .pid = pid, .name = pid % 2 ? "GP0" : "PP0", .end_ns = 1000 * pid,
                .clock_hz = HZ, .voltage_uv = VOLT);
            all += 1000 * pid;
        }
        feed_end(f, t * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->process_count, ROWS);
    int64_t sum = stray(f)->busy_ns.v;
    double pws = stray(f)->power.pws.v;
    for (uint32_t i = 0; i < s->process_count; i++) {
        check_value(s->processes[i].busy_ns, INT64_C(3000) * s->processes[i].pid);
        sum += s->processes[i].busy_ns.v;
        pws += s->processes[i].power.pws.v;
    }
    assert_int_equal(sum, all);
    assert_true(stray(f)->busy_ns.v > 0);
    check_real(s->devices[0].power.pws, (double)all * 1e-9);
    check_real((struct real){pws, STATE_VALUE, 0}, (double)all * 1e-9);
    assert_false(acct_failed(f->acct));
    feed_destroy(f);
}

/* Nobody tells that they ended. */
static void test_silent_rows_stay(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    half_second(f, 100);
    half_second(f, 200);
    feed_end(f, 2 * SEC, "");
    for (int t = 3; t <= 620; t++) {
        tick(f, t * SEC);
        assert_int_equal(feed_snapshot(f)->process_count, 2);
    }
    check_real(process(f, 100)->power.pws, 0.5);
    feed_begin(f, 621 * SEC);
    half_second(f, 100);
    feed_end(f, 621 * SEC, "");
    assert_int_equal(feed_snapshot(f)->process_count, 2);
    check_real(process(f, 100)->power.pws, 1);
    check_real(process(f, 100)->power.pw, 0.5);
    feed_destroy(f);
}

/* Nobody's: of a device or a source that is not known, or without a unit. */
static void test_ignored(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_stream(f, NOBODY, 77, 0, 1);
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    JOB(f, NOBODY, .pid = 100, .name = "GP0", .end_ns = SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = SEC, .device = 78);
    JOB(f, 79, .pid = 100, .name = "GP0", .end_ns = SEC, .device = 78);
    JOB(f, 79, .pid = 0, .name = "GP0", .end_ns = SEC, .device = 78);
    feed_end(f, 2 * SEC, "");
    assert_int_equal(feed_snapshot(f)->process_count, 0);
    assert_int_equal(feed_snapshot(f)->devices[0].engines.count, 0);
    feed_begin(f, 3 * SEC);
    JOB(f, FILE_OF, .pid = 300, .name = "", .end_ns = SEC);
    JOB(f, FILE_OF, .pid = 0, .name = "", .end_ns = SEC);
    JOB(f, FILE_OF, .pid = 200, .name = "GP0", .start_ns = 2 * SEC, .end_ns = SEC, .clock_hz = HZ,
        .voltage_uv = VOLT); /* backward: no time */
    feed_end(f, 3 * SEC, "");
    check_value(process(f, 200)->busy_ns, 0);
    check_real(process(f, 200)->power.pws, 0);
    assert_int_equal(feed_snapshot(f)->process_count, 1);
    assert_null(find_loose(feed_snapshot(f), "(unknown pid)"));
    feed_destroy(f);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static void steady_tick(struct acct_feed *f, int t) {
    feed_begin(f, t * SEC);
    for (int pid = 0; pid < 200; pid++)
        for (int i = 0; i < 5; i++)
            JOB(f, FILE_OF, .pid = pid, .name = i % 2 ? "GP0" : "PP0", .end_ns = MSEC,
                .clock_hz = HZ, .voltage_uv = i ? VOLT : 0);
    feed_end(f, t * SEC, "");
}

static void test_steady(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    for (int t = 1; t < 10; t++)
        steady_tick(f, t);
    unsigned long before = allocations_so_far();
    for (int t = 10; t < 100; t++)
        steady_tick(f, t);
    assert_int_equal(allocations_so_far(), before);
    if (allocations_counted())
        assert_true(before > 0);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_job),          cmocka_unit_test(test_over_the_interval),
        cmocka_unit_test(test_unpriced),         cmocka_unit_test(test_partly_priced),
        cmocka_unit_test(test_two_units),        cmocka_unit_test(test_first_tick),
        cmocka_unit_test(test_whole_span),       cmocka_unit_test(test_assumed_voltage),
        cmocka_unit_test(test_adoption),         cmocka_unit_test(test_owner_exits),
        cmocka_unit_test(test_beside_a_client),  cmocka_unit_test(test_pid_again),
        cmocka_unit_test(test_unknown_pid),      cmocka_unit_test(test_too_many_pids),
        cmocka_unit_test(test_silent_rows_stay), cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
