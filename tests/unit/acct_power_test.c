/* What is said of power where something was not seen: work of video engines, clients that were not read, a
 * device asleep or just woken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, FD = 11, P2 = 20, FD2 = 21, SENSORS = 50 };
enum { POWER, CLOCKS, VOLTS, BUSY }; /* a kind of frame each */

#define HZ   INT64_C(266000000)
#define HOUR (3600 * SEC)

static struct acct_feed *card(bool whole) {
    struct acct_feed *f = feed_create(&(const struct acct_options){.whole_span = whole});
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=amdgpu\n");
    feed_stream_facts(f, SENSORS, DEV, "apu=0\n");
    feed_process(f, P1, 100, 1);
    feed_holder(f, FD, P1, DEV);
    return f;
}

/* Below 0: not told. */
static void sensors(struct acct_feed *f, int64_t t_ns, double watts, int64_t busy_ppm) {
    TELL(f, SENSORS, t_ns, .metric = METRIC_CLOCK_GFX, .value = HZ, .kind = CLOCKS);
    TELL(f, SENSORS, t_ns, .metric = METRIC_VOLTAGE_GFX, .value = 1000000, .kind = VOLTS);
    if (busy_ppm >= 0)
        TELL(f, SENSORS, t_ns, .metric = METRIC_ACTIVITY_GFX, .value = busy_ppm, .kind = BUSY);
    if (watts >= 0)
        TELL(f, SENSORS, t_ns, .metric = METRIC_POWER_SOCKET, .value = (int64_t)(watts * 1e6),
             .kind = POWER);
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

static const struct snap_unattributed *loose(const struct acct_feed *f) {
    return find_loose(feed_snapshot(f), "(not attributed)");
}

static double given(struct real v) {
    if (v.state != STATE_VALUE)
        return 0;
    assert_true(v.v >= 0);
    return v.v;
}

/* Rows add up to what was measured. */
static void check_sums(const struct acct_feed *f) {
    const struct snapshot *s = feed_snapshot(f);
    double joules = 0;
    double watts = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        joules += given(s->processes[i].power.joules);
        watts += given(s->processes[i].power.watts);
    }
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        joules += given(s->unattributed[i].power.joules);
        watts += given(s->unattributed[i].power.watts);
    }
    assert_true(fabs(joules - given(device(f)->joules)) <= 1e-9 * (1 + joules));
    assert_true(fabs(watts - given(device(f)->watts)) <= 1e-9 * (1 + watts));
}

/* ---- idle ------------------------------------------------------------------------------------ */

/* Any engine that a client uses makes it busy, whatever its own sensor watches. */
static void test_video_is_work(void **state) {
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct acct_feed *f = card(whole);
        for (int t = 0; t < 6; t++) {
            int64_t t_ns = HOUR + t * SEC;
            feed_begin(f, t_ns);
            feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", 0), ENGINE("dec", t * SEC * 9 / 10)));
            sensors(f, t_ns, 30, 0);
            feed_end(f, t_ns, "");
            check_sums(f);
        }
        check_real_state(floor_of(f)->joules, STATE_UNKNOWN);
        check_real(of(f, 100)->joules, 150);
        check_real(of(f, 100)->watts, 30);
        feed_destroy(f);
    }
}

/* A client that was not read may be the one that works. */
static void test_unread_is_not_idle(void **state) {
    struct acct_feed *f = card(false);
    (void)state;
    for (int t = 0; t < 8; t++) {
        int64_t t_ns = HOUR + t * SEC;
        feed_begin(f, t_ns);
        if (t == 3)
            feed_failed(f, FD, t_ns, OUTCOME_FAILED);
        else
            feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", 0), ENGINE("dec", t < 4 ? 0 : SEC)));
        sensors(f, t_ns, t == 3 ? 5 : 30, 0);
        feed_end(f, t_ns, "");
        check_sums(f);
    }
    check_real(floor_of(f)->watts, 30);
    feed_destroy(f);
}

/* What a new client did before it was seen may have been just now; one that never worked did not. */
static void test_new_client_is_not_idle(void **state) {
    (void)state;
    for (int worked = 0; worked < 2; worked++) {
        struct acct_feed *f = card(false);
        feed_process(f, P2, 200, 2);
        for (int t = 0; t < 5; t++) {
            int64_t t_ns = HOUR + t * SEC;
            if (t == 2)
                feed_holder(f, FD2, P2, DEV);
            feed_begin(f, t_ns);
            feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", 0)));
            if (t >= 2)
                feed_read(f, FD2, t_ns, 8, SAYS(ENGINE("dec", worked ? SEC : 0)));
            sensors(f, t_ns, t == 2 ? 20 : 30, 0);
            feed_end(f, t_ns, "");
        }
        double low = worked ? 30 : 20;
        check_real(floor_of(f)->watts, low);
        check_sums(f);
        feed_destroy(f);
    }
}

/* A counter that moves in each fourth tick: of a floor only if all four were idle. */
static void test_long_interval(void **state) {
    (void)state;
    for (int busy_at = 0; busy_at < 5; busy_at++) { /* 0: never */
        struct acct_feed *f = card(false);
        int64_t ns = 0;
        for (int t = 0; t <= 12; t++) {
            int64_t t_ns = HOUR + t * SEC;
            ns += busy_at && t > 0 && t % 4 == busy_at % 4 ? SEC : 0;
            feed_begin(f, t_ns);
            feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", ns)));
            TELL(f, SENSORS, t_ns, .metric = METRIC_ENERGY_GPU,
                 .value = (1000 + t / 4 * 40) * INT64_C(1000000));
            feed_end(f, t_ns, "");
            check_sums(f);
        }
        check_real(device(f)->joules, 120);
        if (busy_at == 0)
            check_real(floor_of(f)->joules, 120);
        else
            check_real_state(floor_of(f)->joules, STATE_UNKNOWN);
        feed_destroy(f);
    }
}

/* ---- rows whose work was not seen ------------------------------------------------------------ */

/* Of the first look and of a failed one no share is known; the sum so far stays. */
static void test_not_seen(void **state) {
    struct acct_feed *f = card(false);
    (void)state;
    feed_process(f, P2, 200, 2);
    for (int t = 0; t < 7; t++) {
        int64_t t_ns = HOUR + t * SEC;
        if (t == 2)
            feed_holder(f, FD2, P2, DEV);
        feed_begin(f, t_ns);
        feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", t * SEC / 4)));
        if (t == 5)
            feed_failed(f, FD2, t_ns, OUTCOME_FAILED);
        else if (t >= 2)
            feed_read(f, FD2, t_ns, 8, SAYS(ENGINE("gfx", t * SEC / 4 + SEC)));
        sensors(f, t_ns, 40, 500000);
        feed_end(f, t_ns, "");
        check_sums(f);
        if (t < 2)
            continue;
        bool seen = t != 2 && t != 5;
        assert_int_equal(of(f, 200)->watts.state == STATE_VALUE, seen);
        assert_int_equal(of(f, 200)->pw.state == STATE_VALUE, seen);
        assert_int_equal(of(f, 200)->joules.state == STATE_VALUE, t > 2);
        if (t == 2) {
            check_real_state(of(f, 200)->watts, STATE_UNKNOWN);
            check_real_state(of(f, 200)->joules, STATE_UNKNOWN);
        }
        if (t == 4 || t == 5)
            check_real(of(f, 200)->joules, 40);
    }
    feed_destroy(f);
}

/* W of an interval that ended with a failed read are not known until the next is closed; those of
 * one in whose middle a read failed are. */
static void test_not_seen_in_a_long_interval(void **state) {
    (void)state;
    for (int failed = 1; failed <= 4; failed++) {
        struct acct_feed *f = card(false);
        for (int t = 0; t <= 8; t++) {
            int64_t t_ns = HOUR + t * SEC;
            feed_begin(f, t_ns);
            if (t == failed)
                feed_failed(f, FD, t_ns, OUTCOME_FAILED);
            else
                feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", t < 4 ? 0 : t * SEC / 4)));
            TELL(f, SENSORS, t_ns, .metric = METRIC_ENERGY_GPU,
                 .value = (1000 + t / 4 * 40) * INT64_C(1000000));
            feed_end(f, t_ns, "");
            check_sums(f);
            if (t == 4 && failed == 4)
                check_real_state(of(f, 100)->watts, STATE_UNKNOWN);
            if (t == 4 && failed < 4)
                check_real(of(f, 100)->watts, 10);
        }
        assert_int_equal(of(f, 100)->watts.state, STATE_VALUE);
        feed_destroy(f);
    }
}

/* ---- devices of which nothing is known ------------------------------------------------------- */

static void work_tick(struct acct_feed *f, int t) {
    int64_t t_ns = HOUR + t * SEC;
    feed_begin(f, t_ns);
    feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", t * SEC / 2)));
    sensors(f, t_ns, 40, 500000);
    feed_end(f, t_ns, "");
}

static void test_no_rate_of_a_device(void **state) {
    (void)state;
    for (int gone = 0; gone < 2; gone++) {
        struct acct_feed *f = card(false);
        work_tick(f, 0);
        work_tick(f, 1);
        check_real(device(f)->pw, 0.5);
        for (int t = 2; t < 5; t++) {
            feed_begin(f, HOUR + t * SEC);
            if (gone && t == 2)
                feed_close(f, DEV, HOUR + t * SEC, "closed");
            else if (!gone)
                feed_state(f, DEV, HOUR + t * SEC, "suspended\n");
            feed_end(f, HOUR + t * SEC, "");
            check_real_state(device(f)->pw, STATE_UNKNOWN);
            check_real(device(f)->pws, 0.5);
        }
        feed_destroy(f);
    }
    /* Its only client was not read: nothing is measured. */
    struct acct_feed *f = card(false);
    work_tick(f, 0);
    work_tick(f, 1);
    feed_begin(f, HOUR + 2 * SEC);
    feed_failed(f, FD, HOUR + 2 * SEC, OUTCOME_FAILED);
    sensors(f, HOUR + 2 * SEC, 40, 500000);
    feed_end(f, HOUR + 2 * SEC, "");
    assert_true(device(f)->pw.state != STATE_VALUE);
    feed_destroy(f);
}

/* ---- (not attributed) ------------------------------------------------------------------------ */

/* What a client did in a tick in which it was not read is told once: not by nobody too. */
static void test_missed_tick(void **state) {
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct acct_feed *f = card(whole);
        double before = 0;
        int64_t before_ns = 0;
        for (int t = 0; t <= 5; t++) {
            int64_t t_ns = HOUR + t * SEC;
            feed_begin(f, t_ns);
            if (t == 2 || t == 3)
                feed_failed(f, FD, t_ns, OUTCOME_FAILED);
            else
                feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", t * SEC / 2)));
            sensors(f, t_ns, 40, 600000);
            feed_end(f, t_ns, "");
            check_sums(f);
            const struct snap_unattributed *u = loose(f);
            assert_true(u->busy_ns.v >= before_ns && given(u->power.pws) >= before);
            before_ns = u->busy_ns.v;
            before = given(u->power.pws);
        }
        check_value(find_process(feed_snapshot(f), 100)->busy_ns, 5 * SEC / 2);
        check_value(loose(f)->busy_ns, SEC / 2);
        check_real(loose(f)->power.pws, 0.5);
        feed_destroy(f);
    }
}

/* One that is not read again is not waited for for ever. */
static void test_missed_for_good(void **state) {
    struct acct_feed *f = card(false);
    (void)state;
    work_tick(f, 0);
    work_tick(f, 1);
    for (int t = 2; t < 62; t++) {
        feed_begin(f, HOUR + t * SEC);
        feed_failed(f, FD, HOUR + t * SEC, OUTCOME_FAILED);
        sensors(f, HOUR + t * SEC, 40, 500000);
        feed_end(f, HOUR + t * SEC, "");
        check_sums(f);
    }
    check_value(loose(f)->busy_ns, 30 * SEC);
    feed_destroy(f);
}

/* Nobody's work costs what a client's costs in the same tick: the mean over it. */
static void test_price_of_nobody(void **state) {
    static const int64_t clock[] = {1, 3, 9, 1};
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct acct_feed *f = card(whole);
        for (int t = 0; t < 4; t++) {
            int64_t t_ns = t * SEC;
            feed_begin(f, t_ns);
            feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", t * SEC / 4)));
            sensors(f, t_ns, -1, 500000);
            TELL(f, SENSORS, t_ns, .metric = METRIC_CLOCK_GFX, .value = clock[t] * HZ,
                 .kind = CLOCKS);
            feed_end(f, t_ns, "");
        }
        check_real(of(f, 100)->pws, (2 + 6 + 5) / 4.0);
        check_real(loose(f)->power.pws, (2 + 6 + 5) / 4.0);
        check_value(loose(f)->power.unpriced_ns, 0);
        feed_destroy(f);
    }
}

/* ---- just woken ------------------------------------------------------------------------------ */

static void check_doubt(struct real v, bool doubted) {
    assert_int_equal(v.state, STATE_VALUE);
    assert_int_equal(!!(v.doubt & DOUBT_WAKING), doubted);
}

/* What is worked out from readings just after a wake is doubted as they are: W and PW of that time,
 * and the sums that hold it. */
static void test_waking(void **state) {
    struct acct_feed *f = card(false);
    (void)state;
    feed_begin(f, HOUR - SEC);
    feed_state(f, DEV, HOUR - SEC, "suspended\n");
    feed_end(f, HOUR - SEC, "");
    for (int t = 0; t < 30; t++) {
        int64_t t_ns = HOUR + t * SEC;
        feed_begin(f, t_ns);
        if (t == 0)
            feed_state(f, DEV, t_ns, "active\n");
        feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", t * SEC / 2)));
        sensors(f, t_ns, 40, 500000);
        feed_end(f, t_ns, "");
        check_sums(f);
        if (t < 2)
            continue;
        bool doubted = t <= 15; /* the interval that ends there began in doubt */
        check_doubt(device(f)->pw, doubted);
        check_doubt(device(f)->watts, doubted);
        check_doubt(of(f, 100)->pw, doubted);
        check_doubt(of(f, 100)->watts, doubted);
        if (t < 15) /* nor does the busy sensor say anything then */
            check_real_state(loose(f)->power.watts, STATE_UNKNOWN);
        else
            check_real(loose(f)->power.watts, 0);
        check_doubt(device(f)->joules, true);
        check_doubt(of(f, 100)->joules, true);
        check_doubt(of(f, 100)->pws, true);
    }
    feed_destroy(f);
}

/* Nor do they say what it draws when idle. */
static void test_waking_is_no_floor(void **state) {
    struct acct_feed *f = card(false);
    (void)state;
    feed_begin(f, HOUR - SEC);
    feed_state(f, DEV, HOUR - SEC, "suspended\n");
    feed_end(f, HOUR - SEC, "");
    for (int t = 0; t < 30; t++) {
        int64_t t_ns = HOUR + t * SEC;
        feed_begin(f, t_ns);
        if (t == 0)
            feed_state(f, DEV, t_ns, "active\n");
        feed_read(f, FD, t_ns, 7, SAYS(ENGINE("gfx", 0)));
        sensors(f, t_ns, t < 15 ? 3 : 12, 0);
        feed_end(f, t_ns, "");
        if (t < 16)
            check_real_state(floor_of(f)->watts, STATE_UNKNOWN);
        check_sums(f);
    }
    check_real(floor_of(f)->watts, 12);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_video_is_work),
        cmocka_unit_test(test_unread_is_not_idle),
        cmocka_unit_test(test_new_client_is_not_idle),
        cmocka_unit_test(test_long_interval),
        cmocka_unit_test(test_not_seen),
        cmocka_unit_test(test_not_seen_in_a_long_interval),
        cmocka_unit_test(test_no_rate_of_a_device),
        cmocka_unit_test(test_missed_tick),
        cmocka_unit_test(test_missed_for_good),
        cmocka_unit_test(test_price_of_nobody),
        cmocka_unit_test(test_waking),
        cmocka_unit_test(test_waking_is_no_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
