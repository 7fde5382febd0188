/* Who keeps a device awake: processes that hold it and for 5 s had no engine work for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, P2 = 20, SENSORS = 50, KFD = 51 };

static struct acct_feed *machine(const char *facts) {
    struct acct_feed *f = feed_create(NULL);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", facts);
    feed_stream(f, SENSORS, DEV, 0, 0);
    feed_process(f, P1, 100, 1000);
    feed_process(f, P2, 200, 2000);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_holder(f, P2 + 1, P2, DEV);
    return f;
}

static bool is_idle(const struct acct_feed *f, int32_t pid) {
    const struct snap_process *p = find_process(feed_snapshot(f), pid);
    assert_non_null(p);
    return p->idle_holder;
}

static uint32_t kept(const struct acct_feed *f) {
    return feed_snapshot(f)->devices[0].kept_awake;
}

/* Both processes, each with its busy time so far. */
static void both(struct acct_feed *f, int t, int64_t first, int64_t second) {
    feed_begin(f, t * SEC);
    feed_read(f, P1 + 1, t * SEC + 10, 7, SAYS(ENGINE("render", first)));
    feed_read(f, P2 + 1, t * SEC + 20, 8, SAYS(ENGINE("render", second)));
    feed_end(f, t * SEC, "");
}

/* 5 s after it was first seen, since what it did before is not known; again 5 s after its last
 * work, however little that was. */
static void test_five_seconds(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    for (int t = 1; t <= 20; t++) {
        both(f, t, t < 10 ? 1000 : 1001, 500);
        assert_int_equal(is_idle(f, 200), t >= 6);
        assert_int_equal(is_idle(f, 100), (t >= 6 && t < 10) || t >= 15);
        assert_int_equal(kept(f), t < 6 || t == 10 ? 0 : t > 10 && t < 15 ? 1 : 2);
    }
    feed_destroy(f);
}

/* While one works the device is in use, and nobody keeps it awake; the others are idle all the
 * same. */
static void test_in_use(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    for (int t = 1; t <= 8; t++)
        both(f, t, t * SEC / 2, 0);
    assert_false(is_idle(f, 100));
    assert_true(is_idle(f, 200));
    assert_int_equal(kept(f), 0);
    feed_destroy(f);
}

/* What the device's own sensor sees is use too, but not what an idle device does by itself, nor
 * what a sensor says right after a wake. */
static void test_in_use_by_others(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    feed_begin(f, 0);
    feed_state(f, DEV, 0, "suspended\n");
    feed_end(f, 0, "");
    for (int t = 1; t <= 30; t++) {
        int64_t activity = t < 12 ? 500000 : t < 20 ? 5000 : 20000;
        feed_begin(f, t * SEC);
        feed_state(f, DEV, t * SEC, "active\n");
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("render", 0)));
        TELL(f, SENSORS, t * SEC, .metric = METRIC_ACTIVITY_GFX, .value = activity);
        feed_end(f, t * SEC, "");
        assert_int_equal(kept(f), t >= 6 && t < 20 ? 1 : 0);
        assert_int_equal(is_idle(f, 100), t >= 6);
    }
    feed_destroy(f);
}

/* A sleeping device is held by nobody, one that is gone neither. */
static void test_only_while_awake(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    for (int t = 1; t <= 8; t++)
        both(f, t, 0, 0);
    assert_int_equal(kept(f), 2);
    feed_begin(f, 9 * SEC);
    feed_state(f, DEV, 9 * SEC, "suspended\n");
    feed_read(f, P1 + 1, 9 * SEC, 7, SAYS(ENGINE("render", 0)));
    feed_end(f, 9 * SEC, "");
    assert_int_equal(kept(f), 0);
    assert_false(is_idle(f, 100));
    feed_destroy(f);
}

/* amdgpu does not name an engine that was never used: that says that none worked. Other drivers
 * that name none say nothing. */
static void test_no_engine_lines(void **state) {
    static const char *const facts[] = {"driver=amdgpu\n", "driver=panfrost\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct acct_feed *f = machine(facts[i]);
        for (int t = 1; t <= 8; t++) {
            feed_begin(f, t * SEC);
            feed_read(f, P1 + 1, t * SEC, 7, SAYS(TOTAL("vram", MIB)));
            feed_end(f, t * SEC, "");
        }
        assert_int_equal(is_idle(f, 100), i == 0);
        assert_int_equal(kept(f), i == 0);
        feed_destroy(f);
    }
}

/* A reading that fails is no idleness; with the next one it is known whether the time stood still.
 */
static void test_not_known(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    for (int t = 1; t <= 7; t++)
        both(f, t, 0, 0);
    assert_true(is_idle(f, 100));
    feed_begin(f, 8 * SEC);
    feed_failed(f, P1 + 1, 8 * SEC, OUTCOME_DENIED);
    feed_failed(f, P2 + 1, 8 * SEC, OUTCOME_FAILED);
    feed_end(f, 8 * SEC, "");
    assert_false(is_idle(f, 100));
    assert_false(is_idle(f, 200));
    assert_int_equal(kept(f), 0);
    both(f, 9, 0, 100);
    assert_true(is_idle(f, 100));
    assert_false(is_idle(f, 200));
    feed_destroy(f);
}

/* One more client, of which it is not known what it did: 5 s anew. One that may not be looked into:
 * never. */
static void test_all_of_its_clients(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    for (int t = 1; t <= 20; t++) {
        feed_begin(f, t * SEC);
        if (t == 8)
            feed_holder(f, P1 + 2, P1, DEV);
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("render", 0)));
        if (t >= 8)
            feed_read(f, P1 + 2, t * SEC, 9, SAYS(ENGINE("render", 500)));
        if (t == 16)
            feed_holder(f, P1 + 3, P1, DEV);
        if (t >= 16)
            feed_failed(f, P1 + 3, t * SEC, OUTCOME_DENIED);
        feed_end(f, t * SEC, "");
        assert_int_equal(is_idle(f, 100), (t >= 6 && t < 8) || (t >= 13 && t < 16));
    }
    feed_destroy(f);
}

/* What ROCm's compute engines do is not told: such a process may be at work. */
static void test_rocm_is_never_sure(void **state) {
    struct acct_feed *f = machine("driver=amdgpu\n");
    const struct counts counts = {.accepted = 2};
    (void)state;
    feed_stream(f, KFD, DEV, 100, 0);
    for (int t = 1; t <= 10; t++) {
        feed_begin(f, t * SEC);
        feed_read_as(f, KFD, t * SEC, SPACE_KFD, 100, NULL,
                     SAYS(RESIDENT("vram", MIB), ENGINE("sdma", 0)), &counts);
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("gfx", 0)));
        feed_read(f, P2 + 1, t * SEC, 8, SAYS(ENGINE("gfx", 0)));
        feed_end(f, t * SEC, "");
    }
    assert_false(is_idle(f, 100));
    assert_true(is_idle(f, 200));
    assert_int_equal(kept(f), 1);
    feed_destroy(f);
}

/* A process that closed the device does not hold it. */
static void test_let_go(void **state) {
    struct acct_feed *f = machine("driver=i915\n");
    (void)state;
    for (int t = 1; t <= 8; t++)
        both(f, t, t == 2 ? 5 : t > 2 ? 6 : 0, 0);
    assert_true(is_idle(f, 100));
    feed_begin(f, 9 * SEC);
    feed_close(f, P1 + 1, 9 * SEC, "closed");
    feed_read(f, P2 + 1, 9 * SEC, 8, SAYS(ENGINE("render", 0)));
    feed_end(f, 9 * SEC, "");
    assert_false(is_idle(f, 100));
    assert_int_equal(kept(f), 1);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_five_seconds),
        cmocka_unit_test(test_in_use),
        cmocka_unit_test(test_in_use_by_others),
        cmocka_unit_test(test_only_while_awake),
        cmocka_unit_test(test_no_engine_lines),
        cmocka_unit_test(test_not_known),
        cmocka_unit_test(test_all_of_its_clients),
        cmocka_unit_test(test_rocm_is_never_sure),
        cmocka_unit_test(test_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
