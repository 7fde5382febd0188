/* What busy time that a counter tells costs, by the clock and the voltage that the device tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, FD = 11, P2 = 20, FD2 = 21, SENSORS = 50 };
enum { CLOCKS, VOLTS, VIDEO_CLOCKS, SOC_VOLTS }; /* a kind of frame each */

#define HZ INT64_C(266000000)

static struct acct_feed *machine_of(const char *driver, const struct acct_options *o) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", driver);
    feed_stream(f, SENSORS, DEV, 0, 1);
    feed_process(f, P1, 100, 1);
    feed_holder(f, FD, P1, DEV);
    return f;
}

static struct acct_feed *machine(void) {
    return machine_of("driver=i915\n", NULL);
}

/* 0: not told in this tick; below 0: told to be unsupported. */
static void tell(struct acct_feed *f, int64_t t_ns, unsigned kind, uint16_t metric, int64_t v) {
    if (v > 0)
        TELL(f, SENSORS, t_ns, .metric = metric, .value = v, .kind = kind);
    if (v < 0)
        TELL(f, SENSORS, t_ns, .metric = metric, .kind = kind, .state = STATE_UNSUPPORTED);
}

/* One tick in which one text says this and the device has this clock and voltage, in multiples of
 * 266 MHz and mV. */
static void tick(struct acct_feed *f, int64_t t_ns, double clock, int64_t mv,
                 const struct say *says) {
    feed_begin(f, t_ns);
    tell(f, t_ns, CLOCKS, METRIC_CLOCK_GFX, (int64_t)(clock * (double)HZ));
    tell(f, t_ns, VOLTS, METRIC_VOLTAGE_GFX, mv * 1000);
    feed_read(f, FD, t_ns, 7, says);
    feed_end(f, t_ns, "");
}

static const struct snap_power *cost(const struct acct_feed *f, int32_t pid) {
    const struct snap_process *p = find_process(feed_snapshot(f), pid);
    assert_non_null(p);
    return &p->power;
}

static const struct snap_power *device(const struct acct_feed *f) {
    return &feed_snapshot(f)->devices[0].power;
}

/* ---- clock and voltage ----------------------------------------------------------------------- */

static void test_constant(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC, 2, 1000, SAYS(ENGINE("render", 5 * SEC)));
    check_real_state(cost(f, 100)->pw, STATE_UNKNOWN);
    check_real_state(cost(f, 100)->pws, STATE_UNKNOWN);
    tick(f, 2 * SEC, 2, 1000, SAYS(ENGINE("render", 5 * SEC + SEC / 2)));
    check_real(cost(f, 100)->pws, 1); /* 2 x 1 V^2 x 0.5 s */
    check_real(cost(f, 100)->pw, 1);
    check_value(cost(f, 100)->unpriced_ns, 0);
    assert_int_equal(cost(f, 100)->method, METHOD_PSEUDO);
    assert_int_equal(cost(f, 100)->pws.doubt, 0);
    tick(f, 4 * SEC, 2, 1000, SAYS(ENGINE("render", 6 * SEC)));
    check_real(cost(f, 100)->pws, 2);
    check_real(cost(f, 100)->pw, 0.5);
    check_real(device(f)->pws, 2);
    check_real(device(f)->pw, 0.5);
    tick(f, 5 * SEC, 2, 1000, SAYS(ENGINE("render", 6 * SEC)));
    check_real(cost(f, 100)->pws, 2);
    check_real(cost(f, 100)->pw, 0);
    feed_destroy(f);
}

/* Between two looks the mean of f V^2 at both. */
static void test_changing(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC, 1, 500, SAYS(ENGINE("render", 0)));
    tick(f, 2 * SEC, 3, 1000, SAYS(ENGINE("render", SEC)));
    check_real(cost(f, 100)->pws, (1 * 0.25 + 3 * 1) / 2);
    tick(f, 3 * SEC, 5, 1000, SAYS(ENGINE("render", SEC + SEC / 4)));
    check_real(cost(f, 100)->pws, (1 * 0.25 + 3 * 1) / 2 + 4.0 / 4);
    feed_destroy(f);
}

/* A client that is read every second tick only: the mean over both. */
static void test_own_interval(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC, 1, 1000, SAYS(ENGINE("render", 0)));
    feed_begin(f, 2 * SEC);
    tell(f, 2 * SEC, CLOCKS, METRIC_CLOCK_GFX, 3 * HZ);
    tell(f, 2 * SEC, VOLTS, METRIC_VOLTAGE_GFX, 1000000);
    feed_end(f, 2 * SEC, "");
    tick(f, 3 * SEC, 7, 1000, SAYS(ENGINE("render", SEC)));
    check_real(cost(f, 100)->pws, (2.0 + 5.0) / 2);
    check_value(cost(f, 100)->unpriced_ns, 0);
    feed_destroy(f);
}

/* Known in one of two intervals only: half of the time has a price. */
static void test_half_known(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC, 2, 1000, SAYS(ENGINE("render", 0)));
    feed_begin(f, 2 * SEC);
    tell(f, 2 * SEC, CLOCKS, METRIC_CLOCK_GFX, 2 * HZ);
    tell(f, 2 * SEC, VOLTS, METRIC_VOLTAGE_GFX, 1000000);
    feed_end(f, 2 * SEC, "");
    tick(f, 3 * SEC, -1, 1000, SAYS(ENGINE("render", SEC)));
    check_real(cost(f, 100)->pws, 1); /* 0.5 s of it, at 2 PW */
    check_value(cost(f, 100)->unpriced_ns, SEC / 2);
    check_value(device(f)->unpriced_ns, SEC / 2);
    /* It comes back: the interval before is not known, the one after is. */
    tick(f, 4 * SEC, 2, 1000, SAYS(ENGINE("render", 2 * SEC)));
    check_value(cost(f, 100)->unpriced_ns, SEC / 2 + SEC);
    check_real(cost(f, 100)->pws, 1);
    check_real_state(cost(f, 100)->pw, STATE_UNKNOWN);
    tick(f, 5 * SEC, 2, 1000, SAYS(ENGINE("render", 3 * SEC)));
    check_real(cost(f, 100)->pws, 3);
    check_real(cost(f, 100)->pw, 2);
    feed_destroy(f);
}

static void test_never_told(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) { /* none, the clock alone, the voltage alone */
        struct acct_feed *f = machine();
        for (int t = 1; t < 4; t++)
            tick(f, t * SEC, which == 1, which == 2 ? 1000 : 0,
                 SAYS(ENGINE("render", t * SEC / 2)));
        check_real_state(cost(f, 100)->pws, STATE_UNSUPPORTED);
        check_real_state(cost(f, 100)->pw, STATE_UNSUPPORTED);
        check_value(cost(f, 100)->unpriced_ns, SEC);
        check_real_state(device(f)->pws, STATE_UNSUPPORTED);
        check_value(device(f)->unpriced_ns, SEC);
        assert_int_equal(cost(f, 100)->method, METHOD_NONE);
        feed_destroy(f);
    }
}

/* An option says what nobody tells; what is told is not doubted. */
static void test_assumed(void **state) {
    const struct acct_options o = {.assume_voltage_uv = 2000000};
    (void)state;
    struct acct_feed *f = machine_of("driver=i915\n", &o);
    for (int t = 1; t < 3; t++)
        tick(f, t * SEC, 1, 0, SAYS(ENGINE("render", t * SEC)));
    check_real(cost(f, 100)->pws, 4);
    assert_int_equal(cost(f, 100)->pws.doubt, DOUBT_ASSUMED_VOLTAGE);
    assert_int_equal(cost(f, 100)->method, METHOD_MODELLED);
    feed_destroy(f);
    f = machine_of("driver=i915\n", &o);
    for (int t = 1; t < 3; t++)
        tick(f, t * SEC, 1, 1000, SAYS(ENGINE("render", t * SEC)));
    check_real(cost(f, 100)->pws, 1);
    assert_int_equal(cost(f, 100)->pws.doubt, 0);
    feed_destroy(f);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Cycles of the engine's own clock: V^2 per cycle, whatever the clock was. */
static void test_cycles(void **state) {
    struct acct_feed *f = machine_of("driver=panfrost\n", NULL);
    (void)state;
    for (int t = 1; t < 4; t++)
        tick(f, t * SEC, 0, 500 * t,
             SAYS(CYCLES("fragment", HZ * t * t), MAXFREQ("fragment", 4 * HZ)));
    /* 3 then 5 x 266e6 cycles, at V^2 = (0.25 + 1) / 2 and (1 + 2.25) / 2 */
    check_real(cost(f, 100)->pws, 3 * 0.625 + 5 * 1.625);
    check_real(cost(f, 100)->pw, 5 * 1.625);
    check_value(cost(f, 100)->unpriced_ns, 0);
    feed_destroy(f);
}

/* Where busy time is told beside them it is that which counts as time; the price is that of the cycles, whatever the
 * device's clock says. */
static void test_time_and_cycles(void **state) {
    struct acct_feed *f = machine_of("driver=panfrost\n", NULL);
    (void)state;
    for (int t = 1; t < 3; t++)
        tick(f, t * SEC, 2, 1000,
             SAYS(ENGINE("fragment", t * SEC / 4), CYCLES("fragment", HZ * t),
                  MAXFREQ("fragment", 4 * HZ)));
    check_value(find_process(feed_snapshot(f), 100)->busy_ns, SEC / 4);
    check_real(cost(f, 100)->pws, 1);
    feed_destroy(f);
}

/* Cycles that are first told, that stand still or that no clock makes in that time: the time has the price. */
static void test_cycles_that_are_not_of_this_time(void **state) {
    struct acct_feed *f = machine_of("driver=panthor\n", NULL);
    (void)state;
    tick(f, SEC, 2, 1000, SAYS(ENGINE("panthor", 0)));
    tick(f, 2 * SEC, 2, 1000, SAYS(ENGINE("panthor", SEC / 2), CYCLES("panthor", 50 * HZ)));
    check_real(cost(f, 100)->pws, 1);
    tick(f, 3 * SEC, 2, 1000, SAYS(ENGINE("panthor", SEC), CYCLES("panthor", 50 * HZ)));
    check_real(cost(f, 100)->pws, 2);
    tick(f, 4 * SEC, 2, 1000,
         SAYS(ENGINE("panthor", SEC + SEC / 2), CYCLES("panthor", INT64_C(9000000000000000000))));
    check_real(cost(f, 100)->pws, 3);
    /* A text without them: what comes next is of two intervals. */
    tick(f, 5 * SEC, 2, 1000, SAYS(ENGINE("panthor", 2 * SEC)));
    tick(f, 6 * SEC, 2, 1000,
         SAYS(ENGINE("panthor", 2 * SEC + SEC / 2),
              CYCLES("panthor", INT64_C(9000000000266000000))));
    check_real(cost(f, 100)->pws, 5);
    check_value(cost(f, 100)->unpriced_ns, 0);
    feed_destroy(f);
}

/* What a table of operating points asks for is no measurement. */
static void test_voltage_of_a_table(void **state) {
    struct acct_feed *f = machine_of("driver=panthor\n", NULL);
    (void)state;
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        TELL(f, SENSORS, t * SEC, .metric = METRIC_VOLTAGE_GFX, .value = 500000,
             .doubt = DOUBT_ASSUMED_VOLTAGE);
        feed_read(f, FD, t * SEC, 7,
                  SAYS(CYCLES("panthor", 4 * HZ * t), MAXFREQ("panthor", 4 * HZ)));
        feed_end(f, t * SEC, "");
    }
    check_real(cost(f, 100)->pws, 1); /* without any clock */
    assert_true(cost(f, 100)->pws.doubt & DOUBT_ASSUMED_VOLTAGE);
    assert_int_equal(cost(f, 100)->method, METHOD_MODELLED);
    feed_destroy(f);
}

/* Cycles beside the clock that they are a part of count that clock's ticks, not the engine's. */
static void test_cycles_of_another_clock(void **state) {
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct acct_feed *f = machine_of("driver=xe\n", NULL);
        for (int t = 1; t < 3; t++)
            tick(f, t * SEC, known ? 2 : 0, 1000,
                 SAYS(CYCLES("rcs", 19200000 * t / 2), CLOCK("rcs", 19200000 * t)));
        check_value(find_process(feed_snapshot(f), 100)->busy_ns, SEC / 2);
        if (known)
            check_real(cost(f, 100)->pws, 1);
        else
            check_real_state(cost(f, 100)->pws, STATE_UNSUPPORTED);
        check_value(cost(f, 100)->unpriced_ns, known ? 0 : SEC / 2);
        feed_destroy(f);
    }
}

/* ---- video ----------------------------------------------------------------------------------- */

static void video_tick(struct acct_feed *f, int t, bool soc) {
    feed_begin(f, t * SEC);
    tell(f, t * SEC, CLOCKS, METRIC_CLOCK_GFX, 4 * HZ);
    tell(f, t * SEC, VOLTS, METRIC_VOLTAGE_GFX, 1000000);
    tell(f, t * SEC, VIDEO_CLOCKS, METRIC_CLOCK_VCN, 2 * HZ);
    tell(f, t * SEC, SOC_VOLTS, METRIC_VOLTAGE_SOC, soc ? 500000 : 0);
    feed_read(f, FD, t * SEC, 7,
              SAYS(ENGINE("gfx", t * SEC / 4), ENGINE("dma", t * SEC / 8), ENGINE("dec", t * SEC),
                   ENGINE("enc", t * SEC / 2), ENGINE("video", t * SEC)));
    feed_end(f, t * SEC, "");
}

static struct real pws_of(const struct acct_feed *f, const char *name) {
    const struct snapshot *s = feed_snapshot(f);
    return find_engine(s, s->devices[0].engines, name)->pws;
}

static void test_video(void **state) {
    (void)state;
    for (int soc = 0; soc < 2; soc++) {
        struct acct_feed *f = machine_of("driver=amdgpu\n", NULL);
        video_tick(f, 1, soc);
        video_tick(f, 2, soc);
        check_real(pws_of(f, "gfx"), 1);
        check_real(pws_of(f, "dma"), 0.5);
        if (soc) {
            check_real(pws_of(f, "dec"), 0.5);
            check_real(pws_of(f, "enc"), 0.25);
            check_real(cost(f, 100)->pws, 1 + 0.5 + 0.5 + 0.25 + 0.5);
        } else {
            assert_true(pws_of(f, "dec").state != STATE_VALUE);
            check_real(cost(f, 100)->pws, 1.5);
        }
        check_value(cost(f, 100)->unpriced_ns, soc ? 0 : 2 * SEC + SEC / 2);
        feed_destroy(f);
    }
}

/* ---- owners that change, clients that end ---------------------------------------------------- */

static double sum_of_rows(const struct acct_feed *f) {
    const struct snapshot *s = feed_snapshot(f);
    double sum = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        assert_true(s->processes[i].power.pws.v >= 0);
        assert_true(s->processes[i].power.unpriced_ns.v >= 0);
        sum += s->processes[i].power.pws.v;
    }
    return sum;
}

/* What each owner used is its own; together it is what the client and the device used. */
static void test_owner_changes(void **state) {
    struct acct_feed *f = machine();
    uint64_t seed = 99;
    int64_t busy = 0;
    double want[2] = {0, 0};
    (void)state;
    feed_process(f, P2, 200, 2);
    feed_holder(f, FD2, P2, DEV);
    int holds = 0;
    for (int t = 1; t < 200; t++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t grown = (int64_t)(seed >> 33) % (SEC / 2);
        if (t % 7 == 0) { /* the other alone has it now */
            feed_close(f, holds ? FD2 : FD, t * SEC, "closed");
            holds = !holds;
            feed_holder(f, holds ? FD2 : FD, holds ? P2 : P1, DEV);
        }
        busy += t % 5 ? grown : 0;
        feed_begin(f, t * SEC);
        tell(f, t * SEC, CLOCKS, METRIC_CLOCK_GFX, 3 * HZ);
        tell(f, t * SEC, VOLTS, METRIC_VOLTAGE_GFX, 1100000);
        feed_read(f, holds ? FD2 : FD, t * SEC, 7, SAYS(ENGINE("render", busy)));
        feed_end(f, t * SEC, "");
        if (t > 1 && t % 5)
            want[holds] += (double)grown * 1e-9 * 3 * 1.1 * 1.1;
    }
    check_real(cost(f, 100)->pws, want[0]);
    check_real(cost(f, 200)->pws, want[1]);
    check_real(device(f)->pws, want[0] + want[1]);
    check_real(device(f)->pws, sum_of_rows(f));
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->client_count, 1);
    check_real(find_engine(s, s->clients[0].engines, "render")->pws, want[0] + want[1]);
    feed_destroy(f);
}

/* What a client used that is no more stays in its row. */
static void test_client_ends(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC, 2, 1000, SAYS(ENGINE("render", 0)));
    feed_begin(f, 2 * SEC);
    tell(f, 2 * SEC, CLOCKS, METRIC_CLOCK_GFX, 2 * HZ);
    tell(f, 2 * SEC, VOLTS, METRIC_VOLTAGE_GFX, 1000000);
    feed_read(f, FD, 2 * SEC, 7, SAYS(ENGINE("render", SEC)));
    feed_close(f, FD, 2 * SEC, "closed");
    feed_end(f, 2 * SEC, "");
    check_real(cost(f, 100)->pws, 2);
    check_real(cost(f, 100)->pw, 2);
    check_real(device(f)->pw, 2);
    feed_holder(f, FD, P1, DEV);
    tick(f, 3 * SEC, 2, 1000, SAYS(ENGINE("render", 0)));
    check_real(cost(f, 100)->pws, 2);
    tick(f, 4 * SEC, 2, 1000, SAYS(ENGINE("render", SEC / 2)));
    check_real(cost(f, 100)->pws, 3);
    check_real(device(f)->pws, 3);
    feed_destroy(f);
}

/* Of a device that sleeps no clock is known. */
static void test_asleep(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC, 2, 1000, SAYS(ENGINE("render", 0)));
    tick(f, 2 * SEC, 2, 1000, SAYS(ENGINE("render", SEC)));
    feed_begin(f, 3 * SEC);
    feed_state(f, DEV, 3 * SEC, "suspended\n");
    feed_end(f, 3 * SEC, "");
    feed_begin(f, 4 * SEC);
    feed_state(f, DEV, 4 * SEC, "active\n");
    tell(f, 4 * SEC, CLOCKS, METRIC_CLOCK_GFX, 2 * HZ);
    tell(f, 4 * SEC, VOLTS, METRIC_VOLTAGE_GFX, 1000000);
    feed_read(f, FD, 4 * SEC, 7, SAYS(ENGINE("render", 2 * SEC)));
    feed_end(f, 4 * SEC, "");
    check_real(cost(f, 100)->pws, 2);
    check_value(cost(f, 100)->unpriced_ns, SEC);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_changing),
        cmocka_unit_test(test_own_interval),
        cmocka_unit_test(test_half_known),
        cmocka_unit_test(test_never_told),
        cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_time_and_cycles),
        cmocka_unit_test(test_cycles_that_are_not_of_this_time),
        cmocka_unit_test(test_voltage_of_a_table),
        cmocka_unit_test(test_cycles_of_another_clock),
        cmocka_unit_test(test_video),
        cmocka_unit_test(test_owner_changes),
        cmocka_unit_test(test_client_ends),
        cmocka_unit_test(test_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
