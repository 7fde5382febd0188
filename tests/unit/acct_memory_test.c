/* Memory by region: what a client says, what a process and a device add up to; ROCm processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, P2 = 20 };

static struct acct_feed *machine(void) {
    struct acct_feed *f = feed_create(NULL);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=amdgpu\n");
    feed_process(f, P1, 100, 1000);
    feed_process(f, P2, 200, 2000);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_holder(f, P1 + 2, P1, DEV);
    feed_holder(f, P2 + 1, P2, DEV);
    return f;
}

static void one(struct acct_feed *f, int64_t t, const struct say *says) {
    feed_begin(f, t);
    feed_read(f, P1 + 1, t, 7, says);
    feed_end(f, t, "");
}

static const struct snap_process *process(const struct acct_feed *f, int32_t pid) {
    return find_process(feed_snapshot(f), pid);
}

static const struct snap_memory *region(const struct acct_feed *f, const char *name) {
    const struct snap_memory *m = find_memory(feed_snapshot(f), process(f, 100)->memory, name);
    assert_non_null(m);
    return m;
}

static const struct snap_memory *of_device(const struct acct_feed *f, const char *name) {
    const struct snapshot *s = feed_snapshot(f);
    return find_memory(s, s->devices[0].memory, name);
}

/* ---- one client ------------------------------------------------------------------------------ */

static void test_as_the_kernel_says(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC,
        SAYS(TOTAL("vram", 100 * MIB), RESIDENT("vram", 40 * MIB), SHARED("vram", 90 * MIB),
             PURGEABLE("vram", MIB), TOTAL("gtt", 5 * MIB), RESIDENT("gtt", 2 * MIB),
             SHARED("gtt", 0)));
    check_value(region(f, "vram")->total, 100 * MIB);
    check_value(region(f, "vram")->resident, 40 * MIB); /* more is shared than resident */
    check_value(region(f, "vram")->shared, 90 * MIB);
    check_value(region(f, "vram")->purgeable, MIB);
    check_state(region(f, "vram")->legacy, STATE_UNSUPPORTED);
    check_state(region(f, "gtt")->purgeable, STATE_UNSUPPORTED); /* never told for this region */
    check_value(process(f, 100)->vram.bytes, 40 * MIB);
    assert_int_equal(process(f, 100)->vram.mark, 0);
    check_value(process(f, 100)->gtt.bytes, 2 * MIB);
    check_value(process(f, 100)->shared, 90 * MIB);
    feed_destroy(f);
}

/* Both keys are printed: they are the same, not two. */
static void test_legacy_is_never_added(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC, SAYS(RESIDENT("vram", 40 * MIB), LEGACY("vram", 40 * MIB), LEGACY("gtt", 3 * MIB)));
    check_value(process(f, 100)->vram.bytes, 40 * MIB);
    check_value(process(f, 100)->gtt.bytes, 3 * MIB);
    check_value(region(f, "gtt")->resident, 3 * MIB);
    check_value(region(f, "gtt")->legacy, 3 * MIB);
    feed_destroy(f);
}

static void test_total_is_marked(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC, SAYS(TOTAL("memory", 102 * MIB), SHARED("memory", 102 * MIB)));
    check_value(process(f, 100)->gtt.bytes, 102 * MIB);
    assert_int_equal(process(f, 100)->gtt.mark, 1);
    check_state(region(f, "memory")->resident, STATE_UNSUPPORTED);
    check_state(process(f, 100)->vram.bytes, STATE_UNSUPPORTED);
    feed_destroy(f);
}

/* GTT and system memory make one column; what is the kernel's own or of no such class is in none.
 * */
static void test_columns(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC,
        SAYS(RESIDENT("vram0", MIB), RESIDENT("vram1", 2 * MIB), RESIDENT("local0", 4 * MIB),
             RESIDENT("gtt", 8 * MIB), RESIDENT("system", 16 * MIB), RESIDENT("stolen", 32 * MIB),
             RESIDENT("cpu", 64 * MIB), RESIDENT("doorbell", 128 * MIB),
             RESIDENT("internal", 256 * MIB)));
    check_value(process(f, 100)->vram.bytes, 7 * MIB);
    check_value(process(f, 100)->gtt.bytes, 120 * MIB);
    feed_destroy(f);
}

/* A key that the driver told before and now leaves out is 0; but what is resident is not guessed
 * while there are buffers; and a text that is not whole says nothing by what it leaves out. */
static void test_keys_that_come_and_go(void **state) {
    const struct counts cut = {.accepted = 1, .truncated = 1};
    struct acct_feed *f = machine();
    (void)state;
    one(f, 1 * SEC, SAYS(TOTAL("vram", MIB), RESIDENT("vram", MIB), PURGEABLE("vram", MIB)));
    one(f, 2 * SEC, SAYS(TOTAL("vram", MIB), RESIDENT("vram", MIB)));
    check_value(region(f, "vram")->purgeable, 0);
    check_state(region(f, "vram")->shared, STATE_UNSUPPORTED);
    one(f, 3 * SEC, SAYS(TOTAL("vram", MIB)));
    check_state(region(f, "vram")->resident, STATE_UNSUPPORTED);
    check_value(process(f, 100)->vram.bytes, MIB);
    assert_int_equal(process(f, 100)->vram.mark, 1);
    one(f, 4 * SEC, SAYS(TOTAL("vram", 0)));
    check_value(region(f, "vram")->resident, 0);
    one(f, 5 * SEC, SAYS(TOTAL("vram", MIB), RESIDENT("vram", MIB)));
    feed_begin(f, 6 * SEC);
    feed_read_as(f, P1 + 1, 6 * SEC, SPACE_DRM, 7, NULL, SAYS(TOTAL("vram", 2 * MIB)), &cut);
    feed_end(f, 6 * SEC, "");
    check_value(region(f, "vram")->total, 2 * MIB);
    check_value(region(f, "vram")->resident, MIB);
    feed_destroy(f);
}

/* Whether it was told is a matter of the driver, not of the client: the order of reading is none.
 * */
static void test_told_by_another_client(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct acct_feed *f = machine();
        feed_begin(f, SEC);
        for (int i = 0; i < 2; i++) {
            if (i == turn)
                feed_read(f, P1 + 1, SEC, 7, SAYS(TOTAL("vram", MIB), RESIDENT("vram", MIB)));
            else
                feed_read(f, P2 + 1, SEC, 8,
                          SAYS(TOTAL("vram", MIB), RESIDENT("vram", MIB), PURGEABLE("vram", MIB)));
        }
        feed_end(f, SEC, "");
        check_value(region(f, "vram")->purgeable, 0);
        feed_destroy(f);
    }
}

static void test_malformed(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC, SAYS({METRIC_MEMORY_RESIDENT, "vram", 0, STATE_MALFORMED}, RESIDENT("gtt", -1)));
    check_state(region(f, "vram")->resident, STATE_MALFORMED);
    check_state(region(f, "gtt")->resident, STATE_MALFORMED);
    check_state(process(f, 100)->vram.bytes, STATE_MALFORMED);
    feed_destroy(f);
}

static void test_not_readable(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC, SAYS(RESIDENT("vram", MIB)));
    feed_begin(f, 2 * SEC);
    feed_failed(f, P1 + 1, 2 * SEC, OUTCOME_ASLEEP);
    feed_end(f, 2 * SEC, "");
    check_value(region(f, "vram")->resident, MIB); /* what was read last stands */
    feed_begin(f, 3 * SEC);
    feed_failed(f, P1 + 1, 3 * SEC, OUTCOME_DENIED);
    feed_end(f, 3 * SEC, "");
    check_state(region(f, "vram")->resident, STATE_DENIED);
    check_state(process(f, 100)->vram.bytes, STATE_DENIED);
    feed_destroy(f);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Σ (resident - shared) + the largest shared, within a process and over all of a device. */
static void test_shared_counts_once(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7, SAYS(TOTAL("vram", 60), RESIDENT("vram", 50), SHARED("vram", 30)));
    feed_read(f, P1 + 2, SEC, 8, SAYS(TOTAL("vram", 60), RESIDENT("vram", 40), SHARED("vram", 20)));
    feed_read(f, P2 + 1, SEC, 9, SAYS(TOTAL("vram", 60), RESIDENT("vram", 35), SHARED("vram", 35)));
    feed_end(f, SEC, "");
    check_value(region(f, "vram")->resident, 20 + 20 + 30);
    check_value(region(f, "vram")->shared, 30);
    check_value(region(f, "vram")->total, 120);
    check_value(process(f, 200)->vram.bytes, 35);
    check_value(of_device(f, "vram")->resident, 20 + 20 + 0 + 35);
    check_value(of_device(f, "vram")->shared, 35);
    check_value(of_device(f, "vram")->total, 180);
    feed_destroy(f);
}

/* In a process no client's shared part counts beyond what of it is resident. */
static void test_more_shared_than_resident(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7, SAYS(RESIDENT("vram", 40), SHARED("vram", 90)));
    feed_read(f, P1 + 2, SEC, 8, SAYS(RESIDENT("vram", 50), SHARED("vram", 90)));
    feed_end(f, SEC, "");
    check_value(region(f, "vram")->resident, 50);
    check_value(region(f, "vram")->shared, 90);
    feed_destroy(f);
}

/* Two sources speak of the same memory of one process: the larger, not the sum. */
static void test_two_spaces(void **state) {
    const struct counts counts = {.accepted = 1};
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7, SAYS(RESIDENT("vram", 50)));
    feed_read_as(f, P1 + 2, SEC, SPACE_KFD, 100, NULL, SAYS(RESIDENT("vram", 70)), &counts);
    feed_end(f, SEC, "");
    check_value(process(f, 100)->vram.bytes, 70);
    check_value(of_device(f, "vram")->resident, 70);
    feed_destroy(f);
}

enum { KFD = 50, KFD2 = 51 };

static void kfd_read(struct acct_feed *f, uint32_t id, int64_t t, uint64_t client,
                     const struct say *says) {
    const struct counts counts = {.accepted = 2};
    feed_read_as(f, id, t, SPACE_KFD, client, NULL, says, &counts);
}

/* Which of two sources counts is decided for each region class; a class that one of them does not
 * know is the other's. Regions of a class go together, whatever their names. */
static void test_two_spaces_by_class(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_stream(f, KFD, DEV, 100, 0);
    for (int turn = 0; turn < 2; turn++) {
        int64_t more = turn ? 20 : 0;
        feed_begin(f, (turn + 1) * SEC);
        feed_read(f, P1 + 1, (turn + 1) * SEC, 7,
                  SAYS(RESIDENT("vram0", 30), RESIDENT("vram1", 10), RESIDENT("gtt", 9)));
        kfd_read(f, KFD, (turn + 1) * SEC, 100, SAYS(RESIDENT("vram", 35 + more)));
        feed_end(f, (turn + 1) * SEC, "");
        check_value(process(f, 100)->vram.bytes, turn ? 55 : 40);
        check_value(process(f, 100)->gtt.bytes, 9);
        assert_int_equal(process(f, 100)->memory.count, turn ? 2 : 3);
        check_value(of_device(f, "vram")->resident, turn ? 55 : 0);
        check_value(of_device(f, "vram0")->resident, turn ? 0 : 30);
        check_value(of_device(f, "gtt")->resident, 9);
    }
    feed_destroy(f);
}

/* Two contexts of one ROCm process add up; beside DRM clients of the same size nothing changes. */
static void test_spaces_add_up_within(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_stream(f, KFD, DEV, 100, 0);
    feed_stream(f, KFD2, DEV, 100, 0);
    feed_begin(f, SEC);
    kfd_read(f, KFD, SEC, 100, SAYS(RESIDENT("vram", 40)));
    kfd_read(f, KFD2, SEC, UINT64_C(1) << 32 | 100, SAYS(RESIDENT("vram", 15)));
    feed_read(f, P1 + 1, SEC, 7, SAYS(RESIDENT("vram", 30), TOTAL("vram", 70)));
    feed_read(f, P1 + 2, SEC, 8, SAYS(RESIDENT("vram", 25), TOTAL("vram", 70)));
    feed_end(f, SEC, "");
    check_value(process(f, 100)->vram.bytes, 55);
    check_value(region(f, "vram")->total, 140);
    check_value(of_device(f, "vram")->resident, 55);
    feed_destroy(f);
}

/* A ROCm process without one DRM descriptor has a row with what is known: memory and copy engines.
 * That its compute engines did nothing is not said. */
static void test_kfd_alone(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1 + 5, 300, 3000);
    feed_label(f, P1 + 5, LABEL_COMM, "train");
    feed_stream(f, KFD, DEV, 300, 0);
    for (int t = 1; t < 5; t++) {
        feed_begin(f, t * SEC);
        kfd_read(
            f, KFD, t * SEC, 300,
            SAYS(RESIDENT("vram", 40 * MIB), ENGINE("sdma", t < 4 ? t * SEC / 4 : 3 * SEC / 4)));
        feed_end(f, t * SEC, "");
        const struct snapshot *s = feed_snapshot(f);
        const struct snap_process *p = process(f, 300);
        assert_non_null(p);
        assert_true(span_equals(snapshot_text(s, p->name), "train"));
        assert_true(p->start == 3000);
        assert_int_equal(p->engines.count, 1);
        assert_int_equal(p->type, TYPE_COMPUTE);
        assert_int_equal(p->clients, 1);
        assert_int_equal(s->clients[p->client_run.first].space, SPACE_KFD);
        check_value(p->vram.bytes, 40 * MIB);
        check_state(p->gtt.bytes, STATE_UNSUPPORTED);
        const struct snap_engine *sdma = find_engine(s, p->engines, "sdma");
        if (t == 1)
            check_state(sdma->busy_ppm, STATE_UNKNOWN);
        else
            check_value(sdma->busy_ppm, t < 4 ? 250000 : 0);
        if (t == 2) {
            check_value(p->busy_ppm, 250000); /* at least */
            assert_int_equal(p->busy_ppm.doubt, DOUBT_ESTIMATED);
        } else if (t == 4) {
            check_state(p->busy_ppm, STATE_UNSUPPORTED);
            check_value(p->busy_ns, SEC / 2);
        }
    }
    feed_begin(f, 5 * SEC);
    feed_close(f, KFD, 5 * SEC, "exited");
    feed_close(f, P1 + 5, 5 * SEC, "exited");
    feed_end(f, 5 * SEC, "");
    assert_true(process(f, 300)->exited);
    check_value(process(f, 300)->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* Where a device sleeps for long nobody speaks of its ROCm processes: they hold it all the same. */
static void test_kfd_of_a_sleeping_device(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_stream(f, KFD, DEV, 100, 0);
    feed_begin(f, SEC);
    kfd_read(f, KFD, SEC, 100, SAYS(RESIDENT("vram", 40)));
    feed_end(f, SEC, "");
    for (int t = 2; t < 200; t++) {
        feed_begin(f, t * SEC);
        feed_state(f, DEV, t * SEC, "suspended\n");
        feed_end(f, t * SEC, "");
    }
    check_value(process(f, 100)->vram.bytes, 40);
    feed_destroy(f);
}

/* What the device says is in use cuts the sum over its processes; these are printed as the kernel
 * says. */
static void test_more_than_is_in_use(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7,
              SAYS(RESIDENT("vram0", 50), SHARED("vram0", 10), RESIDENT("vram1", 30),
                   RESIDENT("gtt", 20), TOTAL("vram0", 80)));
    feed_read(f, P2 + 1, SEC, 8, SAYS(RESIDENT("vram0", 40), LEGACY("gtt", 7)));
    feed_sample(f, DEV, SEC, METRIC_MEMORY_VRAM_USED, 100);
    feed_sample(f, DEV, SEC, METRIC_MEMORY_GTT_USED, 1000);
    feed_end(f, SEC, "");
    check_value(of_device(f, "vram0")->resident, 90);
    assert_int_equal(of_device(f, "vram0")->resident.doubt, 0);
    check_value(of_device(f, "vram0")->total, 80); /* not all of it is backed */
    check_value(of_device(f, "vram1")->resident, 10);
    assert_int_equal(of_device(f, "vram1")->resident.doubt, DOUBT_CLAMPED);
    check_value(of_device(f, "gtt")->resident, 27);
    check_value(process(f, 100)->vram.bytes, 80);
    assert_int_equal(process(f, 100)->vram.bytes.doubt, 0);
    check_value(process(f, 200)->vram.bytes, 40);
    feed_destroy(f);
}

/* A number that is not of now cuts nothing. */
static void test_in_use_not_known(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    TELL(f, DEV, SEC, .metric = METRIC_MEMORY_VRAM_USED, .state = STATE_DENIED);
    feed_read(f, P1 + 1, SEC, 7, SAYS(RESIDENT("vram", 50)));
    feed_end(f, SEC, "");
    check_value(of_device(f, "vram")->resident, 50);
    feed_begin(f, 2 * SEC);
    feed_state(f, DEV, 2 * SEC, "suspended\n");
    feed_sample(f, DEV, 2 * SEC, METRIC_MEMORY_VRAM_USED, 10);
    feed_end(f, 2 * SEC, "");
    check_value(of_device(f, "vram")->resident, 50);
    feed_destroy(f);
}

static void test_sums_do_not_spill(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7,
              SAYS(RESIDENT("vram", INT64_MAX), TOTAL("vram", INT64_MAX), SHARED("vram", 5)));
    feed_read(
        f, P1 + 2, SEC, 8,
        SAYS(RESIDENT("vram", INT64_MAX), TOTAL("vram", INT64_MAX), SHARED("vram", INT64_MAX)));
    feed_end(f, SEC, "");
    check_value(region(f, "vram")->resident, INT64_MAX);
    check_value(region(f, "vram")->total, INT64_MAX);
    feed_destroy(f);
}

/* When nobody is left the sum over clients is 0, of what the driver told. */
static void test_nobody_left(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    one(f, SEC, SAYS(RESIDENT("vram", MIB)));
    feed_begin(f, 2 * SEC);
    feed_close(f, P1 + 1, 2 * SEC, "closed");
    feed_end(f, 2 * SEC, "");
    check_value(of_device(f, "vram")->resident, 0);
    check_state(of_device(f, "vram")->shared, STATE_UNSUPPORTED);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_kernel_says),
        cmocka_unit_test(test_legacy_is_never_added),
        cmocka_unit_test(test_total_is_marked),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_keys_that_come_and_go),
        cmocka_unit_test(test_told_by_another_client),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_not_readable),
        cmocka_unit_test(test_shared_counts_once),
        cmocka_unit_test(test_more_shared_than_resident),
        cmocka_unit_test(test_two_spaces),
        cmocka_unit_test(test_two_spaces_by_class),
        cmocka_unit_test(test_spaces_add_up_within),
        cmocka_unit_test(test_kfd_alone),
        cmocka_unit_test(test_kfd_of_a_sleeping_device),
        cmocka_unit_test(test_more_than_is_in_use),
        cmocka_unit_test(test_in_use_not_known),
        cmocka_unit_test(test_sums_do_not_spill),
        cmocka_unit_test(test_nobody_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
