/* Sessions of hardware counters: what became of one that was asked for, and what is not known of contexts
 * while it tells nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "acct_feed.h"

enum { DEV = 1, STREAM = 50, NEXT = 51 };

#define MSEC INT64_C(1000000)

static const struct kind kinds[] = {{.name = "session", .unit = "bytes", .session = true}};
static const struct kind plain_kinds[] = {{.name = "lines", .unit = "lines"}};
static const struct backend backend = {.name = "counters", .kinds = kinds, .kind_count = 1};
static const struct backend plain = {.name = "plain", .kinds = plain_kinds, .kind_count = 1};
static const struct backend *const list[] = {&backend, &plain};
static const struct backend_table table = {list, 2};
static const struct acct_options options = {.backends = &table};

static struct acct_feed *machine(const char *option) {
    struct acct_feed *f = feed_create(&options);
    feed_machine(f);
    feed_option(f, option);
    feed_device(f, DEV, "0000:00:02.0", "driver=i915\n");
    feed_stream(f, STREAM, DEV, 0, 1);
    feed_begin(f, SEC);
    feed_end(f, SEC, "");
    return f;
}

static struct acct_feed *asked(void) {
    return machine("option.counters=1\n");
}

static unsigned state_of(const struct acct_feed *f) {
    assert_int_equal(feed_snapshot(f)->device_count, 1);
    return feed_snapshot(f)->devices[0].counters;
}

/* A tick in which the stream tells of so many ms of work of a context; below 0: nothing comes. */
static void work(struct acct_feed *f, uint32_t stream, int64_t t, int64_t ms) {
    feed_begin(f, t * SEC);
    if (ms >= 0)
        feed_failed(f, stream, t * SEC, OUTCOME_OK);
    if (ms > 0)
        JOB(f, stream, .space = SPACE_CONTEXT, .client = 5, .pid = 100, .name = "render",
            .start_ns = (t - 1) * SEC, .end_ns = (t - 1) * SEC + ms * MSEC);
    feed_end(f, t * SEC, "");
}

static void refused(struct acct_feed *f, uint32_t stream, int64_t t, int sys) {
    feed_begin(f, t * SEC);
    feed_refused(f, stream, t * SEC, sys);
    feed_end(f, t * SEC, "");
}

static struct value busy(const struct acct_feed *f) {
    assert_int_equal(feed_snapshot(f)->context_count, 1);
    return feed_snapshot(f)->contexts[0].busy_ppm;
}

static void test_why_there_is_none(void **state) {
    static const struct {
        int sys;
        unsigned state;
    } cases[] = {{EACCES, COUNTERS_DENIED},      {EPERM, COUNTERS_DENIED},
                 {EBUSY, COUNTERS_BUSY},         {ENODEV, COUNTERS_UNSUPPORTED},
                 {EINVAL, COUNTERS_UNSUPPORTED}, {EOPNOTSUPP, COUNTERS_UNSUPPORTED},
                 {ENOMEM, COUNTERS_FAILED},      {EIO, COUNTERS_FAILED}};
    struct acct_feed *f = asked();
    (void)state;
    assert_int_equal(state_of(f), COUNTERS_NONE);
    assert_true(feed_snapshot(f)->counters_asked);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        refused(f, STREAM, 2 + (int64_t)i, cases[i].sys);
        assert_int_equal(state_of(f), cases[i].state);
    }
    feed_destroy(f);
}

/* What a single read comes to does not end it; its stream does. */
static void test_held_until_its_stream_ends(void **state) {
    struct acct_feed *f = asked();
    (void)state;
    work(f, STREAM, 2, 100);
    assert_int_equal(state_of(f), COUNTERS_HELD);
    refused(f, STREAM, 3, EBUSY);
    assert_int_equal(state_of(f), COUNTERS_HELD);
    work(f, STREAM, 4, -1);
    assert_int_equal(state_of(f), COUNTERS_HELD);
    feed_begin(f, 5 * SEC);
    feed_refused(f, STREAM, 5 * SEC, EIO);
    feed_close(f, STREAM, 5 * SEC, "closed");
    feed_stream(f, NEXT, DEV, 0, 1);
    feed_refused(f, NEXT, 5 * SEC, EIO);
    feed_end(f, 5 * SEC, "");
    assert_int_equal(state_of(f), COUNTERS_LOST);
    refused(f, NEXT, 6, EBUSY);
    assert_int_equal(state_of(f), COUNTERS_BUSY);
    work(f, NEXT, 7, 100);
    assert_int_equal(state_of(f), COUNTERS_HELD);
    feed_destroy(f);
}

/* A device that went away and came back has none until one is told of. */
static void test_a_device_that_comes_back(void **state) {
    struct acct_feed *f = asked();
    (void)state;
    work(f, STREAM, 2, 100);
    feed_begin(f, 3 * SEC);
    feed_close(f, STREAM, 3 * SEC, "removed");
    feed_close(f, DEV, 3 * SEC, "removed");
    feed_end(f, 3 * SEC, "");
    assert_int_equal(state_of(f), COUNTERS_LOST);
    feed_begin(f, 4 * SEC);
    feed_device(f, DEV, "0000:00:02.0", "driver=i915\n");
    feed_end(f, 4 * SEC, "");
    assert_int_equal(state_of(f), COUNTERS_NONE);
    feed_destroy(f);
}

/* Of a file of reports nobody holds anything; of another kind of stream it is not told. */
static void test_only_where_it_was_asked_for(void **state) {
    struct acct_feed *f = machine("option.counters=0\n");
    (void)state;
    work(f, STREAM, 2, 100);
    assert_int_equal(state_of(f), COUNTERS_NONE);
    assert_false(feed_snapshot(f)->counters_asked);
    feed_destroy(f);
    f = asked();
    feed_stream(f, NEXT, DEV, 0, 2);
    refused(f, NEXT, 2, EBUSY);
    assert_int_equal(state_of(f), COUNTERS_NONE);
    work(f, NEXT, 3, 100);
    assert_int_equal(state_of(f), COUNTERS_NONE);
    feed_destroy(f);
}

static void check_rows(const struct acct_feed *f, enum state want) {
    const struct snap_process *p = find_process(feed_snapshot(f), 100);
    assert_non_null(p);
    check_state(busy(f), want);
    check_state(p->busy_ppm, want);
}

/* Nothing came: not 0. What was summed stays. */
static void test_silence_is_not_idleness(void **state) {
    struct acct_feed *f = asked();
    (void)state;
    work(f, STREAM, 2, 250);
    check_value(busy(f), 250000);
    work(f, STREAM, 3, -1);
    check_rows(f, STATE_UNKNOWN);
    check_value(feed_snapshot(f)->contexts[0].busy_ns, 250 * MSEC);
    work(f, STREAM, 4, 0);
    check_value(busy(f), 0);
    check_rows(f, STATE_VALUE);
    refused(f, STREAM, 5, ETIMEDOUT);
    check_rows(f, STATE_UNKNOWN);
    feed_begin(f, 6 * SEC);
    feed_close(f, STREAM, 6 * SEC, "closed");
    feed_end(f, 6 * SEC, "");
    assert_int_equal(find_process(feed_snapshot(f), 100)->busy_ns.v, 250 * MSEC);
    feed_destroy(f);
}

/* Lines that tell each job tell by their absence that there was none. */
static void test_other_streams_tell_of_idleness(void **state) {
    struct acct_feed *f = asked();
    (void)state;
    feed_stream(f, NEXT, DEV, 0, 2);
    work(f, NEXT, 2, 250);
    work(f, NEXT, 3, -1);
    check_value(busy(f), 0);
    feed_destroy(f);
}

static void test_each_has_its_words(void **state) {
    (void)state;
    assert_string_equal(counters_state_name(COUNTERS_NONE), "");
    assert_string_equal(counters_state_name(COUNTERS_HELD), "held");
    assert_string_equal(counters_state_name(COUNTERS_LOST), "lost");
    assert_string_equal(counters_state_name(COUNTERS_COUNT), "");
    assert_string_equal(counters_state_text(COUNTERS_BUSY), "another program holds them");
    assert_string_equal(counters_state_text(UINT32_MAX), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_why_there_is_none),
        cmocka_unit_test(test_held_until_its_stream_ends),
        cmocka_unit_test(test_a_device_that_comes_back),
        cmocka_unit_test(test_only_where_it_was_asked_for),
        cmocka_unit_test(test_silence_is_not_idleness),
        cmocka_unit_test(test_other_streams_tell_of_idleness),
        cmocka_unit_test(test_each_has_its_words),
    };
    return cmocka_run_group_tests_name("sessions of counters", tests, NULL, NULL);
}
