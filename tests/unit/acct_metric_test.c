/* Metrics of devices: several sources of one, how long a reading holds, sensors that are stuck or
 * were woken just now, devices that sleep or are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, FD = 11, SENSORS = 50, OTHER = 51, KFD = 52 };
enum { TABLE, FILES, HWMON }; /* kinds of the backend below */

static const uint16_t gives[] = {METRIC_ACTIVITY_GFX, METRIC_POWER_SOCKET};
static const struct kind kinds[] = {
    [TABLE] = {.name = "table", .unit = "bytes", .gives = gives, .give_count = 2},
    [FILES] = {.name = "files", .unit = "bytes", .gives = gives, .give_count = 1},
    [HWMON] = {.name = "hwmon", .unit = "bytes"},
};
static const struct backend sensor = {.name = "sensor", .kinds = kinds, .kind_count = 3};
static const struct backend *const list[] = {&sensor};
static const struct backend_table table = {list, 1};
static const struct acct_options options = {.backends = &table};

static struct acct_feed *machine(void) {
    struct acct_feed *f = feed_create(&options);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=amdgpu\nnode_names=card1,renderD129\n");
    feed_stream(f, SENSORS, DEV, 0, 1);
    feed_process(f, P1, 100, 1);
    feed_holder(f, FD, P1, DEV);
    return f;
}

static void empty_ticks(struct acct_feed *f, int from, int to) {
    for (int t = from; t <= to; t++) {
        feed_begin(f, t * SEC);
        feed_end(f, t * SEC, "");
    }
}

static const struct snap_device *device(const struct acct_feed *f) {
    return &feed_snapshot(f)->devices[0];
}

static const struct snap_unattributed *loose(const struct acct_feed *f) {
    return &feed_snapshot(f)->unattributed[0];
}

static const struct snap_metric *find(const struct acct_feed *f, enum metric m) {
    const struct snapshot *s = feed_snapshot(f);
    return find_metric(s, s->devices[0].metrics, m);
}

static struct value metric(const struct acct_feed *f, enum metric m) {
    assert_non_null(find(f, m));
    return find(f, m)->value;
}

static void check_source(const struct acct_feed *f, enum metric m, int64_t want,
                         const char *source) {
    check_value(metric(f, m), want);
    struct span is = snapshot_text(feed_snapshot(f), find(f, m)->source);
    if (!span_equals(is, source))
        fail_msg("source is %.*s, not %s", (int)is.n, is.p, source);
}

/* ---- several sources ------------------------------------------------------------------------- */

static const struct tell by_table = {METRIC_TEMPERATURE_EDGE, 61000, TABLE, 10, 0, 0, 0,
                                     "temperature_edge"};
static const struct tell by_hwmon = {
    METRIC_TEMPERATURE_EDGE, 60000, HWMON, 6, 0, 0, 0, "temp1_input"};

/* One metric, whatever each source calls it. In whichever order they come. */
static void test_ranks_meet(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        feed_tell(f, SENSORS, t * SEC, t == 1 ? &by_table : &by_hwmon);
        feed_tell(f, SENSORS, t * SEC, t == 1 ? &by_hwmon : &by_table);
        feed_end(f, t * SEC, "");
        assert_int_equal(device(f)->metrics.count, 1);
        check_source(f, METRIC_TEMPERATURE_EDGE, 61000, "table");
        struct text_ref name = find(f, METRIC_TEMPERATURE_EDGE)->name;
        assert_true(span_equals(snapshot_text(feed_snapshot(f), name), "temperature_edge"));
    }
    feed_destroy(f);
}

/* What a source says, by rank: 'v' a value, '~' one with doubt, 'u' unsupported, 'd' denied. */
static void wins(const char *says, int64_t want, uint8_t state) {
    for (int turn = 0; turn < 2; turn++) {
        struct acct_feed *f = machine();
        feed_begin(f, SEC);
        for (unsigned k = 0; k < strlen(says); k++) {
            unsigned rank = turn ? (unsigned)strlen(says) - 1 - k : k;
            char c = says[rank];
            TELL(f, SENSORS, SEC, .metric = METRIC_FAN_SPEED, .value = rank, .kind = rank,
                 .rank = (uint8_t)rank, .doubt = c == '~' ? DOUBT_UNIT : 0,
                 .state = c == 'u'   ? STATE_UNSUPPORTED
                          : c == 'd' ? STATE_DENIED
                                     : STATE_VALUE);
        }
        feed_end(f, SEC, "");
        if (state == STATE_VALUE)
            check_value(metric(f, METRIC_FAN_SPEED), want);
        else
            check_state(metric(f, METRIC_FAN_SPEED), (enum state)state);
        feed_destroy(f);
    }
}

static void test_who_wins(void **state) {
    (void)state;
    wins("vv", 1, STATE_VALUE);
    wins("v~", 0, STATE_VALUE);
    wins("vu", 0, STATE_VALUE);
    wins("~d", 0, STATE_VALUE);
    wins("~~", 1, STATE_VALUE);
    wins("uu~", 2, STATE_VALUE);
    wins("ud", 0, STATE_DENIED);
    wins("du", 0, STATE_UNSUPPORTED);
}

/* Parts stand apart; so do fields that only their name tells apart. */
static void test_parts_and_names(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    TELL(f, SENSORS, SEC, .metric = METRIC_CLOCK_CORE, .value = 1, .part = 1);
    TELL(f, SENSORS, SEC, .metric = METRIC_CLOCK_CORE, .value = 2, .part = 2);
    TELL(f, SENSORS, SEC, .metric = METRIC_VENDOR_VALUE, .value = 3, .name = "one");
    TELL(f, SENSORS, SEC, .metric = METRIC_VENDOR_VALUE, .value = 4, .name = "other");
    TELL(f, SENSORS, SEC, .metric = METRIC_ENGINE_BUSY, .value = 5, .name = "gfx");
    TELL(f, SENSORS, SEC, .metric = METRIC_ENGINE_BUSY, .value = 6, .name = "dec");
    TELL(f, SENSORS, SEC, .metric = METRIC_FAN_PWM, .value = 7, .name = "a");
    TELL(f, SENSORS, SEC, .metric = METRIC_FAN_PWM, .value = 8, .name = "b");
    feed_end(f, SEC, "");
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->devices[0].metrics.count, 7);
    for (uint32_t i = 0; i < 7; i++)
        check_value(s->metrics[i].value,
                    (const int64_t[]){5, 6, 1, 2, 8, 3, 4}[i]); /* in the order of metrics.def */
    feed_destroy(f);
}

/* Without a table of backends sources have no name, but are several all the same. */
static void test_sources_without_names(void **state) {
    struct acct_feed *f = feed_create(NULL);
    (void)state;
    feed_device(f, DEV, "gpu", "");
    feed_stream(f, SENSORS, DEV, 0, 1);
    feed_begin(f, SEC);
    feed_tell(f, SENSORS, SEC, &by_table);
    feed_tell(f, SENSORS, SEC, &by_hwmon);
    feed_end(f, SEC, "");
    check_source(f, METRIC_TEMPERATURE_EDGE, 61000, "");
    feed_destroy(f);
}

/* ---- how long a reading holds ---------------------------------------------------------------- */

static void tell_power(struct acct_feed *f, int t) {
    feed_begin(f, t * SEC);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_POWER_SOCKET, .value = t);
    feed_end(f, t * SEC, "");
}

/* What was read in each tick holds for three of them. */
static void test_each_tick(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    for (int t = 1; t <= 5; t++)
        tell_power(f, t);
    empty_ticks(f, 6, 7);
    check_value(metric(f, METRIC_POWER_SOCKET), 5);
    empty_ticks(f, 8, 8);
    check_state(metric(f, METRIC_POWER_SOCKET), STATE_UNKNOWN);
    tell_power(f, 9);
    check_value(metric(f, METRIC_POWER_SOCKET), 9);
    feed_destroy(f);
}

/* What is read every few ticks does not flicker: it holds for three times its own pace. */
static void test_slower_sources(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    for (int t = 1; t <= 41; t++) {
        if (t % 10 == 1)
            tell_power(f, t);
        else
            empty_ticks(f, t, t);
        check_value(metric(f, METRIC_POWER_SOCKET), (t - 1) / 10 * 10 + 1);
    }
    empty_ticks(f, 42, 70);
    check_value(metric(f, METRIC_POWER_SOCKET), 41);
    empty_ticks(f, 71, 71);
    check_state(metric(f, METRIC_POWER_SOCKET), STATE_UNKNOWN);
    feed_destroy(f);
}

/* A fact does not move while its device is there. */
static void test_facts_stay(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    TELL(f, SENSORS, SEC, .metric = METRIC_MEMORY_VRAM_TOTAL, .value = 16);
    feed_end(f, SEC, "");
    empty_ticks(f, 2, 300);
    check_value(metric(f, METRIC_MEMORY_VRAM_TOTAL), 16);
    feed_destroy(f);
}

/* A better source that falls silent or fails gives way to one that was only read to compare. */
static void test_the_next_best_steps_in(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    for (int t = 1; t <= 13; t++) {
        feed_begin(f, t * SEC);
        TELL(f, SENSORS, t * SEC, .metric = METRIC_POWER_SOCKET, .value = 100 + t, .kind = TABLE,
             .rank = 10);
        if (t % 6 == 1)
            TELL(f, SENSORS, t * SEC, .metric = METRIC_POWER_SOCKET, .value = 200 + t,
                 .kind = HWMON, .rank = 6);
        feed_end(f, t * SEC, "");
        check_source(f, METRIC_POWER_SOCKET, 100 + t, "table");
    }
    feed_begin(f, 14 * SEC);
    feed_failed_kind(f, SENSORS, 14 * SEC, TABLE, OUTCOME_FAILED);
    feed_end(f, 14 * SEC, "");
    check_source(f, METRIC_POWER_SOCKET, 213, "hwmon");
    feed_begin(f, 15 * SEC);
    TELL(f, SENSORS, 15 * SEC, .metric = METRIC_POWER_SOCKET, .value = 115, .kind = TABLE,
         .rank = 10);
    feed_end(f, 15 * SEC, "");
    check_source(f, METRIC_POWER_SOCKET, 115, "table");
    empty_ticks(f, 16, 18);
    check_source(f, METRIC_POWER_SOCKET, 213, "hwmon");
    feed_destroy(f);
}

/* A failed read speaks for all that its kind gives, and not for what others say. */
static void test_failed_read(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    feed_failed_kind(f, SENSORS, SEC, FILES, OUTCOME_DENIED);
    feed_end(f, SEC, "");
    check_state(metric(f, METRIC_ACTIVITY_GFX), STATE_DENIED);
    check_state(loose(f)->busy_ppm, STATE_DENIED);
    feed_begin(f, 2 * SEC);
    TELL(f, SENSORS, 2 * SEC, .metric = METRIC_ACTIVITY_GFX, .value = 7, .kind = FILES);
    feed_end(f, 2 * SEC, "");
    check_source(f, METRIC_ACTIVITY_GFX, 7, "files");
    feed_begin(f, 3 * SEC);
    feed_failed_kind(f, SENSORS, 3 * SEC, FILES, OUTCOME_GONE);
    feed_end(f, 3 * SEC, "");
    check_state(metric(f, METRIC_ACTIVITY_GFX), STATE_UNSUPPORTED);
    feed_begin(f, 4 * SEC);
    feed_failed_kind(f, SENSORS, 4 * SEC, FILES, OUTCOME_FAILED);
    TELL(f, SENSORS, 4 * SEC, .metric = METRIC_ACTIVITY_GFX, .value = 9, .kind = TABLE, .rank = 3);
    feed_end(f, 4 * SEC, "");
    check_source(f, METRIC_ACTIVITY_GFX, 9, "table");
    feed_destroy(f);
}

/* ---- stuck ----------------------------------------------------------------------------------- */

/* One tick: gfx busy of one client in this interval, activity of the sensor (-1: none). */
struct load {
    struct acct_feed *f;
    int64_t busy;
    int t;
};

static void load_tick(struct load *l, int64_t share_ppm, int64_t activity, int64_t second) {
    l->t++;
    l->busy += share_ppm * 1000;
    feed_begin(l->f, l->t * SEC);
    feed_read(l->f, FD, l->t * SEC, 7, SAYS(ENGINE("gfx", l->busy)));
    if (activity >= 0)
        TELL(l->f, SENSORS, l->t * SEC, .metric = METRIC_ACTIVITY_GFX, .value = activity,
             .kind = TABLE, .rank = 10);
    if (second >= 0)
        TELL(l->f, SENSORS, l->t * SEC, .metric = METRIC_ACTIVITY_GFX, .value = second,
             .kind = FILES, .rank = 5);
    feed_end(l->f, l->t * SEC, "");
}

static struct load load_start(void) {
    struct load l = {.f = machine()};
    load_tick(&l, 0, -1, -1);
    return l;
}

/* The same 100 % for 64 reads while the clients come to 30 %: no longer believed. */
static void test_stuck(void **state) {
    struct load l = load_start();
    (void)state;
    for (int i = 1; i <= 63; i++)
        load_tick(&l, 300000, 1000000, -1);
    assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, 0);
    check_value(loose(l.f)->busy_ppm, 700000);
    load_tick(&l, 300000, 1000000, -1);
    check_value(metric(l.f, METRIC_ACTIVITY_GFX), 1000000);
    assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, DOUBT_STUCK);
    check_state(loose(l.f)->busy_ppm, STATE_UNKNOWN);
    check_value(loose(l.f)->busy_ns, 63 * SEC / 10 * 7);
    check_value(device(l.f)->busy_ppm, 300000); /* by the clients */
    load_tick(&l, 300000, 400000, -1);          /* it moves */
    assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, 0);
    check_value(loose(l.f)->busy_ppm, 100000);
    check_value(device(l.f)->busy_ppm, 400000);
    feed_destroy(l.f);
}

/* A second sensor that is not stuck takes its place. */
static void test_stuck_gives_way(void **state) {
    struct load l = load_start();
    (void)state;
    for (int i = 1; i <= 63; i++)
        load_tick(&l, 300000, 0, 310000 + i % 2);
    check_source(l.f, METRIC_ACTIVITY_GFX, 0, "table");
    load_tick(&l, 300000, 0, 320000);
    check_source(l.f, METRIC_ACTIVITY_GFX, 320000, "files");
    check_value(loose(l.f)->busy_ppm, 20000);
    feed_destroy(l.f);
}

/* Once within 20 points of what the clients do, or once another value: the count starts anew. */
static void test_not_stuck(void **state) {
    struct load l = load_start();
    (void)state;
    for (int i = 1; i <= 200; i++)
        load_tick(&l, i % 60 ? 300000 : 800000, 1000000, -1);
    assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, 0);
    for (int i = 1; i <= 200; i++)
        load_tick(&l, 300000, i % 60 ? 1000000 : 999999, -1);
    assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, 0);
    for (int i = 1; i <= 200; i++) /* exactly 20 points */
        load_tick(&l, 300000, 500000, -1);
    assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, 0);
    feed_destroy(l.f);
}

static void kfd_read(struct acct_feed *f, int64_t t_ns, const struct say *says) {
    const struct counts counts = {.accepted = 2};
    feed_read_as(f, KFD, t_ns, SPACE_KFD, 100, NULL, says, &counts);
}

/* A steady load of ROCm's compute engines, which nobody tells: the sensor alone sees it. One that
 * sees less than the clients did is wrong all the same. */
static void test_what_clients_do_not_tell(void **state) {
    (void)state;
    for (int less = 0; less < 2; less++) {
        struct load l = load_start();
        feed_stream(l.f, KFD, DEV, 100, 1);
        for (int i = 1; i <= 100; i++) {
            kfd_read(l.f, l.t * SEC, SAYS(RESIDENT("vram", MIB), ENGINE("sdma", 0)));
            load_tick(&l, less ? 500000 : 0, less ? 0 : 1000000, -1);
        }
        assert_int_equal(metric(l.f, METRIC_ACTIVITY_GFX).doubt, less ? DOUBT_STUCK : 0);
        assert_true(loose(l.f)->reasons & UINT64_C(1) << REASON_NO_ENGINE_TIME);
        if (!less)
            check_value(loose(l.f)->busy_ppm, 1000000);
        feed_destroy(l.f);
    }
}

/* ---- a driver that counts no engine time ------------------------------------------------------ */

static void test_profiling_off(void **state) {
    const uint64_t bit = UINT64_C(1) << REASON_PROFILING_OFF;
    struct acct_feed *f = machine();
    (void)state;
    for (int t = 1; t < 6; t++) { /* not told, off, on, off, what is no number */
        feed_begin(f, t * SEC);
        if (t > 1 && t < 5)
            TELL(f, SENSORS, t * SEC, .metric = METRIC_PROFILING, .value = t == 3);
        if (t == 5)
            TELL(f, SENSORS, t * SEC, .metric = METRIC_PROFILING, .state = STATE_MALFORMED);
        feed_end(f, t * SEC, "");
        assert_int_equal((loose(f)->reasons & bit) != 0, t == 2 || t == 4);
    }
    feed_destroy(f);
}

/* ---- asleep, waking, left alone -------------------------------------------------------------- */

static void sensors_tick(struct acct_feed *f, int t, const char *status) {
    feed_begin(f, t * SEC);
    feed_state(f, DEV, t * SEC, status);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_ACTIVITY_GFX, .value = 990000);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_CLOCK_GFX, .value = 2000);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_POWER_SOCKET, .value = 30);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_POWER_CAP, .value = 200);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_TEMPERATURE_EDGE, .value = 40000);
    TELL(f, SENSORS, t * SEC, .metric = METRIC_MEMORY_VRAM_TOTAL, .value = 16);
    feed_end(f, t * SEC, "");
}

/* For 15 s after a wake the firmware's numbers are those of the wake. */
static void test_waking(void **state) {
    static const uint16_t doubted[] = {METRIC_ACTIVITY_GFX, METRIC_CLOCK_GFX, METRIC_POWER_SOCKET};
    static const uint16_t trusted[] = {METRIC_POWER_CAP, METRIC_TEMPERATURE_EDGE,
                                       METRIC_MEMORY_VRAM_TOTAL};
    struct acct_feed *f = machine();
    (void)state;
    sensors_tick(f, 1, "active\n"); /* it was awake when it was first seen */
    assert_int_equal(metric(f, METRIC_ACTIVITY_GFX).doubt, 0);
    feed_begin(f, 2 * SEC);
    feed_state(f, DEV, 2 * SEC, "suspended\n");
    feed_end(f, 2 * SEC, "");
    for (int t = 3; t < 20; t++) {
        bool waking = t < 3 + 15;
        sensors_tick(f, t, "active\n");
        for (int i = 0; i < 3; i++) {
            assert_int_equal(metric(f, doubted[i]).state, STATE_VALUE);
            assert_int_equal(metric(f, doubted[i]).doubt, waking ? DOUBT_WAKING : 0);
            assert_int_equal(metric(f, trusted[i]).doubt, 0);
        }
        check_state(loose(f)->busy_ppm, waking ? STATE_UNKNOWN : STATE_VALUE);
        assert_int_equal(device(f)->busy_ppm.doubt, waking ? DOUBT_WAKING : 0);
    }
    check_value(loose(f)->busy_ppm, 990000);
    feed_destroy(f);
}

/* While it sleeps nothing is known of it, and what was read before is not shown after. */
static void test_asleep(void **state) {
    static const char *const words[] = {"suspended\n", "suspending\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct acct_feed *f = machine();
        sensors_tick(f, 1, "active\n");
        feed_begin(f, 2 * SEC);
        feed_read(f, FD, 2 * SEC, 7, SAYS(ENGINE("gfx", 0)));
        feed_end(f, 2 * SEC, "");
        sensors_tick(f, 3, words[i]); /* a frame that comes late */
        assert_int_equal(device(f)->state, DEVICE_ASLEEP);
        assert_false(device(f)->left_alone);
        assert_int_equal(device(f)->metrics.count, 0);
        check_state(device(f)->busy_ppm, STATE_UNKNOWN);
        check_state(find_engine(feed_snapshot(f), device(f)->engines, "gfx")->busy_ppm,
                    STATE_UNKNOWN);
        check_state(loose(f)->busy_ppm, STATE_UNKNOWN);
        feed_begin(f, 4 * SEC);
        feed_state(f, DEV, 4 * SEC, ""); /* says nothing new */
        feed_end(f, 4 * SEC, "");
        assert_int_equal(device(f)->state, DEVICE_ASLEEP);
        feed_begin(f, 5 * SEC);
        feed_state(f, DEV, 5 * SEC, "resuming\n");
        feed_end(f, 5 * SEC, "");
        assert_int_equal(device(f)->state, DEVICE_ACTIVE);
        check_state(metric(f, METRIC_TEMPERATURE_EDGE), STATE_UNKNOWN);
        check_value(metric(f, METRIC_MEMORY_VRAM_TOTAL), 16);
        feed_destroy(f);
    }
}

static void test_removed(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    sensors_tick(f, 1, "active\n");
    feed_begin(f, 2 * SEC);
    feed_read(f, FD, 2 * SEC, 7, SAYS(ENGINE("gfx", 0)));
    feed_close(f, SENSORS, 2 * SEC, "removed");
    feed_close(f, DEV, 2 * SEC, "removed");
    feed_end(f, 2 * SEC, "");
    assert_int_equal(device(f)->state, DEVICE_REMOVED);
    assert_int_equal(device(f)->metrics.count, 0);
    check_state(device(f)->busy_ppm, STATE_UNKNOWN);
    check_state(loose(f)->busy_ppm, STATE_UNSUPPORTED);
    feed_device(f, 2, "0000:03:00.0", "driver=amdgpu\n");
    empty_ticks(f, 3, 3);
    assert_int_equal(device(f)->state, DEVICE_ACTIVE);
    check_state(metric(f, METRIC_POWER_SOCKET), STATE_UNKNOWN);
    check_state(find_engine(feed_snapshot(f), device(f)->engines, "gfx")->busy_ppm, STATE_VALUE);
    feed_destroy(f);
}

static void leave_alone(struct acct_feed *f, int t) {
    feed_begin(f, t * SEC);
    feed_state(f, DEV, t * SEC, "active\n");
    feed_failed_kind(f, SENSORS, t * SEC, FILES, OUTCOME_ASLEEP);
    feed_end(f, t * SEC, "");
}

/* Awake, but not looked at: said once, it holds until it is looked at again. The last numbers
 * stand, none of them as if it were of now. */
static void test_left_alone(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    sensors_tick(f, 1, "active\n");
    assert_false(device(f)->left_alone);
    leave_alone(f, 2);
    for (int t = 3; t < 40; t++) {
        assert_int_equal(device(f)->state, DEVICE_ACTIVE);
        assert_true(device(f)->left_alone);
        assert_int_equal(device(f)->metrics.count, 6);
        check_state(metric(f, METRIC_POWER_SOCKET), STATE_UNKNOWN);
        assert_int_equal(metric(f, METRIC_POWER_SOCKET).v, 30);
        check_state(metric(f, METRIC_TEMPERATURE_EDGE), STATE_UNKNOWN);
        assert_int_equal(metric(f, METRIC_TEMPERATURE_EDGE).v, 40000);
        check_value(metric(f, METRIC_MEMORY_VRAM_TOTAL), 16);
        check_state(loose(f)->busy_ppm, STATE_UNKNOWN);
        feed_begin(f, t * SEC);
        feed_state(f, DEV, t * SEC, "active\n");
        feed_end(f, t * SEC, "");
    }
    sensors_tick(f, 40, "active\n");
    assert_false(device(f)->left_alone);
    check_value(metric(f, METRIC_POWER_SOCKET), 30);
    feed_destroy(f);
}

/* The same said by who looks after all devices, in each tick. */
static void test_passed_over(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    sensors_tick(f, 1, "active\n");
    for (int t = 2; t < 40; t++) {
        feed_begin(f, t * SEC);
        feed_state(f, DEV, t * SEC, "active\n");
        feed_left_alone(f, DEV, t * SEC);
        feed_end(f, t * SEC, "");
        assert_int_equal(device(f)->state, DEVICE_ACTIVE);
        assert_true(device(f)->left_alone);
        check_state(metric(f, METRIC_POWER_SOCKET), STATE_UNKNOWN);
        assert_int_equal(metric(f, METRIC_POWER_SOCKET).v, 30);
    }
    sensors_tick(f, 40, "active\n");
    assert_false(device(f)->left_alone);
    check_value(metric(f, METRIC_POWER_SOCKET), 30);
    feed_begin(f, 41 * SEC);
    feed_state(f, DEV, 41 * SEC, "suspended\n");
    feed_left_alone(f, DEV, 41 * SEC);
    feed_end(f, 41 * SEC, "");
    assert_int_equal(device(f)->state, DEVICE_ASLEEP);
    assert_false(device(f)->left_alone);
    feed_destroy(f);
}

/* It worked: it sleeps. When it wakes it is looked at, not left alone. */
static void test_left_alone_until_it_sleeps(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    sensors_tick(f, 1, "active\n");
    leave_alone(f, 2);
    feed_begin(f, 3 * SEC);
    feed_state(f, DEV, 3 * SEC, "suspended\n");
    feed_end(f, 3 * SEC, "");
    assert_int_equal(device(f)->state, DEVICE_ASLEEP);
    assert_false(device(f)->left_alone);
    assert_int_equal(device(f)->metrics.count, 0);
    feed_begin(f, 4 * SEC);
    feed_state(f, DEV, 4 * SEC, "active\n");
    feed_end(f, 4 * SEC, "");
    assert_false(device(f)->left_alone);
    check_state(metric(f, METRIC_POWER_SOCKET), STATE_UNKNOWN);
    feed_destroy(f);
}

/* What a source says of one process is no look at the device. */
static void test_left_alone_beside_a_process(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_stream(f, KFD, DEV, 100, 1);
    sensors_tick(f, 1, "active\n");
    leave_alone(f, 2);
    feed_begin(f, 3 * SEC);
    kfd_read(f, 3 * SEC, SAYS(RESIDENT("vram", MIB)));
    feed_end(f, 3 * SEC, "");
    assert_true(device(f)->left_alone);
    feed_destroy(f);
}

/* What a session said of the device ends with it, within the same tick too; facts and other sources stay. */
static void test_closed(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_stream(f, OTHER, DEV, 0, 1);
    feed_begin(f, SEC);
    TELL(f, SENSORS, SEC, .metric = METRIC_TEMPERATURE_EDGE, .value = 50000, .kind = FILES);
    TELL(f, OTHER, SEC, .metric = METRIC_COUNTER_GPU_BUSY, .value = 400000, .kind = TABLE);
    TELL(f, OTHER, SEC, .metric = METRIC_POWER_CAP_MAX, .value = 9000000, .kind = TABLE);
    feed_close(f, OTHER, SEC, "closed");
    feed_end(f, SEC, "");
    check_state(metric(f, METRIC_COUNTER_GPU_BUSY), STATE_UNKNOWN);
    check_value(metric(f, METRIC_POWER_CAP_MAX), 9000000);
    check_value(metric(f, METRIC_TEMPERATURE_EDGE), 50000);
    feed_destroy(f);
}

/* ---- names of nodes -------------------------------------------------------------------------- */

static void test_nodes(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_device(f, 2, "fb000000.gpu", "driver=panthor\n");
    empty_ticks(f, 1, 1);
    const struct snapshot *s = feed_snapshot(f);
    assert_true(span_equals(snapshot_text(s, s->devices[0].nodes), "card1,renderD129"));
    assert_int_equal(snapshot_text(s, s->devices[1].nodes).n, 0);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_meet),
        cmocka_unit_test(test_who_wins),
        cmocka_unit_test(test_parts_and_names),
        cmocka_unit_test(test_sources_without_names),
        cmocka_unit_test(test_each_tick),
        cmocka_unit_test(test_slower_sources),
        cmocka_unit_test(test_facts_stay),
        cmocka_unit_test(test_the_next_best_steps_in),
        cmocka_unit_test(test_failed_read),
        cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_stuck_gives_way),
        cmocka_unit_test(test_not_stuck),
        cmocka_unit_test(test_what_clients_do_not_tell),
        cmocka_unit_test(test_profiling_off),
        cmocka_unit_test(test_waking),
        cmocka_unit_test(test_asleep),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_left_alone_until_it_sleeps),
        cmocka_unit_test(test_left_alone_beside_a_process),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
