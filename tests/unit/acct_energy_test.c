/* Energy: what a device's own sensor measured, and how it is shared out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, FD = 11, SENSORS = 50, FILE_OF = 60 };
enum { POWER, CAP, BUSY }; /* a kind of frame each */

#define MSEC INT64_C(1000000)
#define HZ   UINT64_C(266000000)
#define VOLT 1000000u
#define HOUR (3600 * SEC)

static struct acct_feed *machine_of(const char *facts, const struct acct_options *o) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=amdgpu\n");
    feed_stream_facts(f, SENSORS, DEV, facts);
    feed_stream(f, FILE_OF, DEV, 0, 2);
    return f;
}

static struct acct_feed *card(void) {
    return machine_of("apu=0\n", NULL);
}

static void power(struct acct_feed *f, int64_t t_ns, int64_t uw) {
    TELL(f, SENSORS, t_ns, .metric = METRIC_POWER_SOCKET, .value = uw, .kind = POWER);
}

/* Of one second: so much busy time at 1 PW, or at no known price. */
static void work(struct acct_feed *f, int32_t pid, int64_t busy_ns, bool priced) {
    if (busy_ns > 0)
        JOB(f, FILE_OF, .pid = pid, .name = "GP0", .end_ns = busy_ns, .clock_hz = priced ? HZ : 0,
            .voltage_uv = VOLT);
}

/* A tick that ends with a reading of this many W; below 0: none. Two processes are busy so long. */
static void tick(struct acct_feed *f, int64_t t_ns, double watts, int64_t one, int64_t two) {
    feed_begin(f, t_ns);
    work(f, 100, one, true);
    work(f, 200, two, true);
    if (watts >= 0)
        power(f, t_ns, (int64_t)(watts * 1e6));
    feed_end(f, t_ns, "");
}

static const struct snap_power *of(const struct acct_feed *f, int32_t pid) {
    const struct snap_process *p = find_process(feed_snapshot(f), pid);
    assert_non_null(p);
    return &p->power;
}

static const struct snap_power *device(const struct acct_feed *f) {
    return &feed_snapshot(f)->devices[0].power;
}

static const struct snap_power *floor_of(const struct acct_feed *f) {
    const struct snap_unattributed *u = find_loose(feed_snapshot(f), "(idle floor)");
    assert_non_null(u);
    return &u->power;
}

static const struct snap_power *loose(const struct acct_feed *f) {
    return &find_loose(feed_snapshot(f), "(not attributed)")->power;
}

/* ---- the laws -------------------------------------------------------------------------------- */

static double add(struct real v) {
    if (v.state != STATE_VALUE)
        return 0;
    assert_true(v.v >= 0);
    return v.v;
}

/* What is given is what was measured, in all and of the newest interval. */
static void check_laws(const struct acct_feed *f) {
    const struct snapshot *s = feed_snapshot(f);
    double joules = 0;
    double watts = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        joules += add(s->processes[i].power.joules);
        watts += add(s->processes[i].power.watts);
        (void)add(s->processes[i].power.pws);
        (void)add(s->processes[i].power.pw);
        assert_int_equal(s->processes[i].power.joules.state, device(f)->joules.state);
        assert_int_equal(s->processes[i].power.watts.state, device(f)->watts.state);
    }
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        joules += add(s->unattributed[i].power.joules);
        watts += add(s->unattributed[i].power.watts);
    }
    if (device(f)->joules.state == STATE_VALUE)
        assert_true(fabs(joules - device(f)->joules.v) <= 1e-9 * device(f)->joules.v);
    if (device(f)->watts.state == STATE_VALUE && !device(f)->joules.doubt)
        assert_true(fabs(watts - device(f)->watts.v) <= 1e-9 * device(f)->watts.v);
}

static uint64_t seed;

static uint32_t chance(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % below;
}

/* Random work of a few processes, some of it unpriced, some of nobody; a sensor that is read at its
 * own pace, at times wrong, at times asleep. */
static void random_machine(bool counter, bool whole, int ticks) {
    const struct acct_options o = {.whole_span = whole};
    struct acct_feed *f = machine_of("apu=0\n", &o);
    int64_t t_ns = chance(2) ? SEC : HOUR;
    int64_t uj = chance(1000000);
    double want = 0;
    for (int i = 0; i < ticks; i++) {
        bool still = chance(8) == 0;
        int64_t grown = still ? 0 : (int64_t)chance(250000000);
        feed_begin(f, t_ns);
        if (chance(60) == 0)
            feed_state(f, DEV, t_ns, chance(2) ? "suspended\n" : "active\n");
        else if (chance(3) == 0)
            feed_state(f, DEV, t_ns, "active\n");
        for (unsigned n = chance(6); n > 0; n--)
            work(f, (int32_t)chance(6), chance(5) ? chance(200) * MSEC : 1, chance(9) > 0);
        TELL(f, SENSORS, t_ns, .metric = METRIC_ACTIVITY_GFX, .value = chance(1000001),
             .kind = BUSY);
        if (chance(3) > 0 && counter) {
            uj = chance(100) ? uj + grown : chance(1000);
            TELL(f, SENSORS, t_ns, .metric = METRIC_ENERGY_GPU, .value = uj);
        } else if (chance(3) > 0) {
            power(f, t_ns, chance(100) ? grown : INT64_C(1000000000000));
        }
        feed_end(f, t_ns, "");
        check_laws(f);
        double now = add(device(f)->joules);
        if (device(f)->joules.state == STATE_VALUE) {
            assert_true(now >= want); /* it never goes back */
            want = now;
        }
        t_ns += (1 + chance(2000)) * MSEC;
    }
    assert_true(want > 0);
    feed_destroy(f);
}

static void test_laws(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        seed = (uint64_t)i * 2654435761u + 88172645463325252u;
        random_machine(i % 2, i % 4 >= 2, 400);
    }
}

/* Whatever numbers and times are told, what is shown is a number that is not negative. */
static int64_t anything(void) {
    static const int64_t edges[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX / 3, SEC, -SEC, HOUR};
    int64_t any = (int64_t)((uint64_t)chance(UINT32_MAX) << 32 | chance(UINT32_MAX));
    return chance(2) ? edges[chance(sizeof(edges) / sizeof(edges[0]))] : any >> chance(64);
}

static void check_real_sane(struct real v) {
    assert_true(v.state < STATE_COUNT);
    if (v.state == STATE_VALUE)
        assert_true(isfinite(v.v) && v.v >= 0);
}

static void check_sane(const struct snap_power *p) {
    check_real_sane(p->pw);
    check_real_sane(p->pws);
    check_real_sane(p->watts);
    check_real_sane(p->joules);
    assert_true(p->unpriced_ns.v >= 0);
}

static void hostile_tick(struct acct_feed *f) {
    static const uint16_t metrics[] = {METRIC_POWER_SOCKET, METRIC_ENERGY_GPU,
                                       METRIC_POWER_CAP,    METRIC_CLOCK_GFX,
                                       METRIC_VOLTAGE_GFX,  METRIC_ACTIVITY_GFX};
    int64_t t_ns = anything();
    feed_begin(f, t_ns);
    for (unsigned n = chance(8); n > 0; n--)
        TELL(f, SENSORS, chance(2) ? t_ns : anything(), .metric = metrics[chance(6)],
             .value = anything(), .kind = n);
    for (unsigned n = chance(4); n > 0; n--)
        JOB(f, FILE_OF, .pid = (int32_t)chance(4), .name = "GP0", .start_ns = anything(),
            .end_ns = anything(), .clock_hz = (uint64_t)anything(),
            .voltage_uv = (uint32_t)anything());
    feed_read(f, FD, chance(2) ? t_ns : anything(), 3,
              SAYS(ENGINE("gfx", anything()), CYCLES("render", anything()),
                   MAXFREQ("render", anything())));
    feed_end(f, t_ns, "");
    const struct snapshot *s = feed_snapshot(f);
    check_sane(&s->devices[0].power);
    for (uint32_t i = 0; i < s->process_count; i++)
        check_sane(&s->processes[i].power);
    for (uint32_t i = 0; i < s->unattributed_count; i++)
        check_sane(&s->unattributed[i].power);
}

static void test_hostile(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        const struct acct_options o = {.whole_span = i % 4 == 0,
                                       .assume_voltage_uv = i % 3 ? 0 : UINT32_MAX};
        struct acct_feed *f = machine_of("apu=0\n", &o);
        seed = (uint64_t)i * 2654435761u + 1;
        feed_process(f, P1, 2, 1);
        feed_holder(f, FD, P1, DEV);
        for (int t = 0; t < 100; t++)
            hostile_tick(f);
        feed_destroy(f);
    }
}

static void same_real(struct real a, struct real b) {
    assert_int_equal(a.state, b.state);
    assert_int_equal(a.doubt, b.doubt);
    assert_true(a.state != STATE_VALUE || (a.v <= b.v && a.v >= b.v));
}

static void same_power(const struct snap_power *a, const struct snap_power *b) {
    same_real(a->pw, b->pw);
    same_real(a->pws, b->pws);
    same_real(a->watts, b->watts);
    same_real(a->joules, b->joules);
    assert_int_equal(a->unpriced_ns.v, b->unpriced_ns.v);
    assert_int_equal(a->method, b->method);
}

/* A copy goes on as what it was copied from. */
static void test_copy(void **state) {
    struct acct_feed *one = card();
    struct acct_feed *two = card();
    (void)state;
    seed = 5;
    for (int t = 0; t < 400; t++) {
        int64_t t_ns = t * SEC;
        double watts = chance(3) ? (double)chance(200) : -1;
        int64_t busy[2] = {chance(2) ? chance(1000) * MSEC : 0, chance(2) ? SEC / 2 : 0};
        tick(one, t_ns, watts, busy[0], busy[1]);
        tick(two, t_ns, watts, busy[0], busy[1]);
        const struct snapshot *a = feed_snapshot(one);
        const struct snapshot *b = feed_snapshot(two);
        assert_int_equal(a->process_count, b->process_count);
        for (uint32_t i = 0; i < a->process_count; i++)
            same_power(&a->processes[i].power, &b->processes[i].power);
        for (uint32_t i = 0; i < a->unattributed_count; i++)
            same_power(&a->unattributed[i].power, &b->unattributed[i].power);
        if (t % 37 == 36) {
            struct acct *new;
            assert_int_equal(acct_create(NULL, &new), ERR_OK);
            assert_int_equal(acct_copy(new, two->acct), ERR_OK);
            acct_destroy(two->acct);
            two->acct = new;
            two->out = acct_subscriber(new);
        }
    }
    feed_destroy(one);
    feed_destroy(two);
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* By PW s, less the floor; energy is the mean of two readings over the time between. */
static void test_shares(void **state) {
    struct acct_feed *f = card();
    (void)state;
    tick(f, HOUR, 10, 0, 0);
    check_real_state(device(f)->joules, STATE_UNKNOWN);
    check_real_state(device(f)->watts, STATE_UNKNOWN);
    tick(f, HOUR + SEC, 30, 250 * MSEC, 750 * MSEC);
    /* No floor is known: all of it is shared. */
    check_real(device(f)->joules, 20);
    check_real(device(f)->watts, 20);
    assert_int_equal(device(f)->method, METHOD_MEASURED);
    assert_int_equal(device(f)->joules.doubt, 0);
    check_real(of(f, 100)->joules, 5);
    check_real(of(f, 200)->joules, 15);
    check_real(of(f, 100)->watts, 5);
    assert_int_equal(of(f, 100)->method, METHOD_SHARED);
    assert_int_equal(of(f, 100)->joules.doubt, DOUBT_ESTIMATED);
    check_real_state(floor_of(f)->joules, STATE_UNKNOWN);
    check_real_state(floor_of(f)->watts, STATE_UNKNOWN);
    check_real(loose(f)->joules, 0);
    check_laws(f);
    feed_destroy(f);
}

/* Nobody worked: it belongs to nobody. */
static void test_nobody(void **state) {
    struct acct_feed *f = card();
    (void)state;
    tick(f, HOUR, 10, 0, 0);
    tick(f, HOUR + 2 * SEC, 10, 0, 0);
    check_real(device(f)->joules, 20);
    check_real(loose(f)->joules, 20);
    feed_destroy(f);
}

/* Unpriced work of one: all are shared by time, and that is doubted. */
static void test_by_time(void **state) {
    struct acct_feed *f = card();
    (void)state;
    tick(f, HOUR, 20, 0, 0);
    feed_begin(f, HOUR + SEC);
    JOB(f, FILE_OF, .pid = 100, .name = "GP0", .end_ns = SEC / 4, .clock_hz = 9 * HZ,
        .voltage_uv = VOLT);
    JOB(f, FILE_OF, .pid = 200, .name = "GP0", .end_ns = SEC * 3 / 4);
    power(f, HOUR + SEC, 20000000);
    feed_end(f, HOUR + SEC, "");
    check_real(of(f, 100)->joules, 5);
    check_real(of(f, 200)->joules, 15);
    assert_int_equal(of(f, 200)->joules.doubt, DOUBT_ESTIMATED);
    check_laws(f);
    feed_destroy(f);
}

/* Busy beyond what the clients did: the part of nobody. */
static void test_not_attributed(void **state) {
    struct acct_feed *f = card();
    (void)state;
    for (int t = 0; t < 3; t++) {
        int64_t t_ns = HOUR + t * SEC;
        feed_begin(f, t_ns);
        work(f, 100, t ? SEC / 5 : 0, true);
        TELL(f, SENSORS, t_ns, .metric = METRIC_ACTIVITY_GFX, .value = 800000, .kind = BUSY);
        TELL(f, SENSORS, t_ns, .metric = METRIC_CLOCK_GFX, .value = (int64_t)HZ, .kind = CAP);
        TELL(f, SENSORS, t_ns, .metric = METRIC_VOLTAGE_GFX, .value = 1000000, .kind = POWER);
        power(f, t_ns, 40000000);
        feed_end(f, t_ns, "");
    }
    /* Nobody's 60 % cost by the device's clock: 1 PW as the client's did. */
    check_real(loose(f)->pws, 1.2);
    check_real(of(f, 100)->pws, 0.4);
    check_real(of(f, 100)->joules, 20);
    check_real(loose(f)->joules, 60);
    check_laws(f);
    feed_destroy(f);
}

/* ---- the floor ------------------------------------------------------------------------------- */

static void floor_from(int64_t t0) {
    struct acct_feed *f = card();
    tick(f, t0, 50, SEC, 0);
    tick(f, t0 + SEC, 50, SEC, 0);
    check_real_state(floor_of(f)->joules, STATE_UNKNOWN);
    check_real_state(floor_of(f)->watts, STATE_UNKNOWN);
    check_laws(f);
    assert_int_equal(of(f, 100)->watts.doubt, DOUBT_ESTIMATED);
    tick(f, t0 + 2 * SEC, 8, 0, 0); /* idle: a floor of 8 W */
    tick(f, t0 + 3 * SEC, 8, 5 * MSEC, 0);
    check_real(floor_of(f)->watts, 8);
    assert_int_equal(floor_of(f)->method, METHOD_MEASURED);
    tick(f, t0 + 4 * SEC, 50, SEC, SEC);
    check_real(device(f)->watts, 29);
    check_real(floor_of(f)->watts, 8);
    check_real(of(f, 100)->watts, 10.5);
    check_real(of(f, 200)->watts, 10.5);
    assert_int_equal(of(f, 100)->watts.doubt, 0);
    tick(f, t0 + 5 * SEC, 2, 30 * MSEC, 0); /* not idle: no floor of 2 W */
    tick(f, t0 + 6 * SEC, 2, 0, SEC);
    check_real(floor_of(f)->watts, 2); /* never more than there was */
    check_laws(f);
    for (int t = 7; t < 9 * 60; t++) {
        tick(f, t0 + t * SEC, 50, SEC, 0);
        check_real(floor_of(f)->watts, 8);
        assert_int_equal(of(f, 100)->watts.doubt, 0);
    }
    for (int t = 9 * 60; t < 10 * 60 + 10; t++)
        tick(f, t0 + t * SEC, 50, SEC, 0);
    check_real_state(floor_of(f)->watts, STATE_UNKNOWN);      /* seen too long ago */
    assert_int_equal(floor_of(f)->joules.state, STATE_VALUE); /* what it was given stays */
    assert_int_equal(of(f, 100)->watts.doubt, DOUBT_ESTIMATED);
    check_real(of(f, 100)->watts, 50);
    check_laws(f);
    feed_destroy(f);
}

/* Also of a machine, or a recording, whose time began just now. */
static void test_floor(void **state) {
    (void)state;
    floor_from(HOUR);
    floor_from(0);
    floor_from(SEC);
}

/* The lowest of the last ten minutes, not the newest. */
static void test_lowest(void **state) {
    struct acct_feed *f = card();
    (void)state;
    for (int t = 0; t < 300; t++)
        tick(f, HOUR + t * SEC, t == 20 ? 7 : 9 + t % 3, MSEC, 0);
    tick(f, HOUR + 300 * SEC, 50, SEC, 0);
    check_real(floor_of(f)->watts, 7);
    feed_destroy(f);
}

/* Over the whole span idle is still one tick's. */
static void test_floor_whole_span(void **state) {
    struct acct_feed *f = machine_of("apu=0\n", &(const struct acct_options){.whole_span = true});
    (void)state;
    tick(f, HOUR, 50, 0, 0);
    for (int t = 1; t < 10; t++)
        tick(f, HOUR + t * SEC, 50, SEC, 0);
    tick(f, HOUR + 10 * SEC, 8, 0, 0);
    tick(f, HOUR + 11 * SEC, 8, 0, 0);
    tick(f, HOUR + 12 * SEC, 50, SEC, 0);
    check_real(floor_of(f)->joules, 24);
    for (int t = 13; t < 600; t++)
        tick(f, HOUR + t * SEC, 8, 0, 0);
    tick(f, HOUR + 600 * SEC, 4, SEC, 0); /* busy: under 1 % of the span, not of the tick */
    tick(f, HOUR + 601 * SEC, 20, SEC, 0);
    tick(f, HOUR + 602 * SEC, 20, SEC, 0);
    double floor_j = floor_of(f)->joules.v;
    tick(f, HOUR + 603 * SEC, 20, SEC, 0);
    assert_true(fabs(floor_of(f)->joules.v - floor_j - 8) < 1e-6);
    check_real(device(f)->watts, device(f)->joules.v / 603);
    check_laws(f);
    feed_destroy(f);
}

/* Over the whole span it has watts once some of it had a floor. */
static void test_floor_unknown_whole_span(void **state) {
    struct acct_feed *f = machine_of("apu=0\n", &(const struct acct_options){.whole_span = true});
    (void)state;
    for (int t = 0; t < 4; t++) {
        tick(f, HOUR + t * SEC, 50, SEC, 0);
        assert_true(floor_of(f)->watts.state != STATE_VALUE);
        assert_true(floor_of(f)->joules.state != STATE_VALUE);
        check_laws(f);
    }
    tick(f, HOUR + 4 * SEC, 8, 0, 0);
    check_real(floor_of(f)->joules, 8);
    check_real(floor_of(f)->watts, 2);
    check_laws(f);
    feed_destroy(f);
}

/* ---- counters of energy ---------------------------------------------------------------------- */

static void count_tick(struct acct_feed *f, int t, double joules, int64_t busy_ns) {
    feed_begin(f, HOUR + t * SEC);
    work(f, 100, busy_ns, true);
    TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_ENERGY_GPU, .value = (int64_t)(joules * 1e6));
    power(f, HOUR + t * SEC, 999000000); /* a worse origin */
    feed_end(f, HOUR + t * SEC, "");
}

static void test_counter(void **state) {
    struct acct_feed *f = card();
    (void)state;
    count_tick(f, 0, 1000, 0);
    count_tick(f, 1, 1010, SEC);
    check_real(device(f)->joules, 10);
    check_real(of(f, 100)->watts, 10);
    count_tick(f, 2, 1010, SEC); /* it stands still: what it grows by next is of both ticks */
    check_real(device(f)->joules, 10);
    check_real(device(f)->watts, 10);
    count_tick(f, 3, 1030, SEC);
    check_real(device(f)->joules, 30);
    check_real(device(f)->watts, 10);
    check_real(of(f, 100)->joules, 30);
    count_tick(f, 4, 5, SEC); /* began anew, or wrapped: nothing is known of this interval */
    check_real_state(device(f)->joules, STATE_MALFORMED);
    check_real_state(device(f)->watts, STATE_MALFORMED);
    check_real_state(of(f, 100)->joules, STATE_MALFORMED);
    check_real_state(of(f, 100)->watts, STATE_MALFORMED);
    count_tick(f, 5, 17, SEC);
    check_real(device(f)->joules, 42);
    check_real(device(f)->watts, 12);
    assert_int_equal(device(f)->joules.doubt, DOUBT_ESTIMATED);
    check_real(of(f, 100)->joules, 42);
    count_tick(f, 6, 17 + 3001, SEC); /* no card draws that */
    check_real_state(device(f)->joules, STATE_MALFORMED);
    count_tick(f, 7, 17 + 3001 + 8, SEC);
    check_real(device(f)->joules, 50);
    check_laws(f);
    feed_destroy(f);
}

/* Work of an interval that came to nothing has no part in the next. */
static void test_lost_interval(void **state) {
    struct acct_feed *f = card();
    (void)state;
    for (int t = 0; t < 4; t++) {
        static const int64_t joules[] = {1000, 1010, 3, 13};
        feed_begin(f, HOUR + t * SEC);
        work(f, t == 2 ? 100 : 200, SEC, true);
        TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_ENERGY_GPU, .value = joules[t] * 1000000);
        feed_end(f, HOUR + t * SEC, "");
    }
    check_real(of(f, 100)->joules, 0);
    check_real(of(f, 200)->joules, 20);
    feed_destroy(f);
}

/* One that stands still for long: after three periods what it said last is of the past. */
static void test_counter_stands_still(void **state) {
    struct acct_feed *f = card();
    (void)state;
    count_tick(f, 0, 1000, 0);
    count_tick(f, 1, 1010, SEC);
    for (int t = 2; t <= 10; t++) {
        count_tick(f, t, 1010, 0);
        if (t <= 4)
            check_real(device(f)->watts, 10);
        else
            check_real_state(device(f)->watts, STATE_UNKNOWN);
        check_real(device(f)->joules, 10);
    }
    count_tick(f, 11, 1020, 0);
    check_real(device(f)->watts, 1);
    check_real(device(f)->joules, 20);
    feed_destroy(f);
}

static void still_tick(struct acct_feed *f, int t, double joules, double watts) {
    feed_begin(f, HOUR + t * SEC);
    work(f, 100, SEC / 2, true);
    TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_ENERGY_GPU, .value = (int64_t)(joules * 1e6));
    if (watts >= 0)
        power(f, HOUR + t * SEC, (int64_t)(watts * 1e6));
    feed_end(f, HOUR + t * SEC, "");
}

/* A counter that never moves while the sensor of power beside it tells that something is drawn: after as
 * many readings as make any sensor stuck the other one counts, until the counter moves. */
static void test_counter_stuck(void **state) {
    struct acct_feed *f = card();
    (void)state;
    for (int t = 0; t <= 64; t++) {
        still_tick(f, t, 7, 20);
        assert_true(device(f)->watts.state != STATE_VALUE);
    }
    still_tick(f, 65, 7, 20);
    for (int t = 66; t < 200; t++) {
        still_tick(f, t, 7, 20);
        check_real(device(f)->watts, 20);
        check_laws(f);
    }
    check_real(device(f)->joules, 20 * 134);
    check_real(of(f, 100)->joules, 20 * 134);
    still_tick(f, 200, 9, 20); /* it moves again */
    still_tick(f, 201, 14, 20);
    check_real(device(f)->watts, 5);
    check_real(device(f)->joules, 20 * 134 + 5);
    assert_int_equal(device(f)->joules.doubt, DOUBT_ESTIMATED); /* what lies between is lost */
    check_laws(f);
    feed_destroy(f);
}

/* Nothing is drawn, or nobody tells that something is: it may stand still. */
static void test_counter_still_for_a_reason(void **state) {
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct acct_feed *f = card();
        still_tick(f, 0, 7, 0);
        still_tick(f, 1, 8, 0);
        for (int t = 2; t < 200; t++)
            still_tick(f, t, 8, none ? -1 : t % 60 == 0 ? 0 : 20);
        still_tick(f, 200, 9, 0);
        check_real(device(f)->joules, 2);
        assert_int_equal(device(f)->joules.doubt, 0);
        feed_destroy(f);
    }
}

/* ---- readings that cannot be ----------------------------------------------------------------- */

static void test_too_much(void **state) {
    struct acct_feed *f = card();
    (void)state;
    tick(f, HOUR, 10, SEC, 0);
    tick(f, HOUR + SEC, 10, SEC, 0);
    check_real(of(f, 100)->joules, 10);
    tick(f, HOUR + 2 * SEC, 1e6, SEC, 0);
    check_real_state(device(f)->watts, STATE_MALFORMED);
    check_real_state(device(f)->joules, STATE_MALFORMED);
    check_real_state(of(f, 100)->joules, STATE_MALFORMED);
    check_real_state(floor_of(f)->joules, STATE_MALFORMED);
    check_real_state(loose(f)->watts, STATE_MALFORMED);
    tick(f, HOUR + 3 * SEC, 10, SEC, 0); /* one reading closes no interval */
    assert_true(device(f)->watts.state != STATE_VALUE);
    tick(f, HOUR + 4 * SEC, 10, SEC, 0);
    check_real(device(f)->watts, 10);
    check_real(device(f)->joules, 20);
    check_real(of(f, 100)->joules, 20);
    assert_int_equal(device(f)->joules.doubt, DOUBT_ESTIMATED);
    assert_int_equal(device(f)->watts.doubt, 0);
    feed_destroy(f);
}

static void test_below_nothing(void **state) {
    struct acct_feed *f = card();
    (void)state;
    tick(f, HOUR, 10, SEC, 0);
    tick(f, HOUR + SEC, 10, SEC, 0);
    feed_begin(f, HOUR + 2 * SEC);
    power(f, HOUR + 2 * SEC, -1);
    feed_end(f, HOUR + 2 * SEC, "");
    check_real_state(device(f)->joules, STATE_MALFORMED);
    feed_destroy(f);
}

/* Three times the cap, where one is known. */
static void test_cap(void **state) {
    (void)state;
    for (int over = 0; over < 2; over++) {
        struct acct_feed *f = card();
        for (int t = 0; t < 3; t++) {
            int64_t t_ns = HOUR + t * SEC;
            feed_begin(f, t_ns);
            TELL(f, SENSORS, t_ns, .metric = METRIC_POWER_CAP, .value = 100000000, .kind = CAP);
            power(f, t_ns, t < 2 ? 50000000 : 300000000 + over);
            feed_end(f, t_ns, "");
        }
        check_real_state(device(f)->watts, over ? STATE_MALFORMED : STATE_VALUE);
        feed_destroy(f);
    }
    struct acct_feed *f = card();
    tick(f, HOUR, 3000, 0, 0);
    tick(f, HOUR + SEC, 3000, 0, 0);
    check_real(device(f)->watts, 3000);
    feed_destroy(f);
}

/* ---- which sensor ---------------------------------------------------------------------------- */

/* What is measured with the processors, or may be, is nobody's to share. */
static void test_of_an_apu(void **state) {
    static const char *const facts[] = {"apu=1\n", "", "apu=\n", "apu=x\n"};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct acct_feed *f = machine_of(facts[i], NULL);
        for (int t = 0; t < 4; t++) {
            feed_begin(f, HOUR + t * SEC);
            work(f, 100, SEC, true);
            power(f, HOUR + t * SEC, 10000000);
            TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_ENERGY_SOCKET, .value = t * 10000000,
                 .kind = CAP);
            TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_POWER_GFX, .value = 5000000,
                 .kind = BUSY);
            feed_end(f, HOUR + t * SEC, "");
        }
        check_real_state(device(f)->watts, STATE_UNSUPPORTED);
        check_real_state(device(f)->joules, STATE_UNSUPPORTED);
        check_real_state(of(f, 100)->joules, STATE_UNSUPPORTED);
        assert_int_equal(of(f, 100)->method, METHOD_PSEUDO);
        assert_null(find_loose(feed_snapshot(f), "(idle floor)"));
        feed_destroy(f);
    }
}

/* The rail of the GPU alone is shared even there. */
static void test_rail_of_an_apu(void **state) {
    struct acct_feed *f = machine_of("apu=1\n", NULL);
    (void)state;
    for (int t = 0; t < 4; t++) {
        feed_begin(f, HOUR + t * SEC);
        work(f, 100, SEC, true);
        power(f, HOUR + t * SEC, 10000000);
        TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_POWER_GPU, .value = 5000000,
             .kind = BUSY);
        feed_end(f, HOUR + t * SEC, "");
    }
    check_real(device(f)->joules, 15);
    check_real(of(f, 100)->joules, 15);
    feed_destroy(f);
}

/* A better origin that comes later: what the one before taught of the floor is not its own. */
static void test_better_origin(void **state) {
    struct acct_feed *f = card();
    (void)state;
    for (int t = 0; t < 4; t++)
        tick(f, HOUR + t * SEC, 30, MSEC, 0);
    tick(f, HOUR + 4 * SEC, 40, SEC, 0);
    check_real(floor_of(f)->watts, 30);
    for (int t = 5; t < 8; t++) {
        feed_begin(f, HOUR + t * SEC);
        work(f, 100, SEC, true);
        power(f, HOUR + t * SEC, 40000000);
        TELL(f, SENSORS, HOUR + t * SEC, .metric = METRIC_POWER_GPU, .value = 12000000,
             .kind = BUSY);
        feed_end(f, HOUR + t * SEC, "");
        if (t == 5)
            assert_true(device(f)->watts.state != STATE_VALUE || device(f)->watts.v > 12);
    }
    check_real(device(f)->watts, 12);
    check_real_state(floor_of(f)->watts, STATE_UNKNOWN);
    check_real(of(f, 100)->watts, 12);
    check_laws(f);
    feed_destroy(f);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Asleep in between: nobody measured, nothing is made up. */
static void test_asleep(void **state) {
    struct acct_feed *f = card();
    (void)state;
    tick(f, HOUR, 10, SEC, 0);
    tick(f, HOUR + SEC, 10, SEC, 0);
    feed_begin(f, HOUR + 2 * SEC);
    feed_state(f, DEV, HOUR + 2 * SEC, "suspended\n");
    feed_end(f, HOUR + 2 * SEC, "");
    check_real_state(device(f)->watts, STATE_UNKNOWN);
    check_real(device(f)->joules, 10);
    for (int t = 3; t < 100; t++)
        tick(f, HOUR + t * SEC, -1, 0, 0);
    feed_begin(f, HOUR + 100 * SEC);
    feed_state(f, DEV, HOUR + 100 * SEC, "active\n");
    power(f, HOUR + 100 * SEC, 10000000);
    feed_end(f, HOUR + 100 * SEC, "");
    check_real_state(device(f)->watts, STATE_UNKNOWN);
    check_real(device(f)->joules, 10);
    tick(f, HOUR + 101 * SEC, 10, 0, SEC);
    check_real(device(f)->watts, 10);
    check_real(device(f)->joules, 20);
    check_real(of(f, 200)->joules, 10);
    check_laws(f);
    feed_destroy(f);
}

/* Read in each third tick: the work of all three counts, W stand until the next, J too. Then the
 * sensor falls silent. */
static void test_rare_readings(void **state) {
    struct acct_feed *f = card();
    (void)state;
    for (int t = 0; t <= 9; t++) {
        int64_t one = t % 3 == 1 ? SEC : 0;
        tick(f, HOUR + t * SEC, t % 3 ? -1 : 12, one, one ? 0 : SEC);
        if (t < 3)
            continue;
        check_real(device(f)->watts, 12);
        check_real(of(f, 100)->watts, 4);
        check_real(of(f, 200)->watts, 8);
        check_real(device(f)->joules, 36 * (t / 3));
        check_real(of(f, 200)->joules, 24 * (t / 3));
    }
    for (int t = 10; t <= 30; t++) {
        tick(f, HOUR + t * SEC, -1, SEC, 0);
        check_real_state(device(f)->watts, t <= 18 ? STATE_VALUE : STATE_UNKNOWN);
        check_real_state(of(f, 100)->watts, t <= 18 ? STATE_VALUE : STATE_UNKNOWN);
        check_real(device(f)->joules, 108);
    }
    check_laws(f);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_by_time),
        cmocka_unit_test(test_not_attributed),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_lowest),
        cmocka_unit_test(test_floor_whole_span),
        cmocka_unit_test(test_floor_unknown_whole_span),
        cmocka_unit_test(test_counter_stuck),
        cmocka_unit_test(test_counter_still_for_a_reason),
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_lost_interval),
        cmocka_unit_test(test_counter_stands_still),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_below_nothing),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_of_an_apu),
        cmocka_unit_test(test_rail_of_an_apu),
        cmocka_unit_test(test_better_origin),
        cmocka_unit_test(test_asleep),
        cmocka_unit_test(test_rare_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
