/*
 * The live counter session under panthor: that nothing is touched unasked, what each version of the
 * interface is asked for, what comes of each refusal, the ring with all that a driver may do to it,
 * and that a session is torn down exactly once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
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
#include "panthorrig.h"
#include "source/roster.h"
#include "tree.h"

static uint64_t u64_at(const char *from, size_t at) {
    uint64_t v;
    memcpy(&v, from + at, 8);
    return v;
}

static uint32_t u32_at(const char *from, size_t at) {
    uint32_t v;
    memcpy(&v, from + at, 4);
    return v;
}

/* Of this turn: samples with these numbers of the test's driver. */
static void gave(const struct panthorrig *r, unsigned from, unsigned count) {
    uint32_t at = 0;
    for (unsigned i = 0; i < count; i++) {
        char line[128];
        const struct seen_frame *f =
            seen_next(&r->seen, &at, (struct seen_want){PANTHOR_RING, SUBJECT_STREAM, -1, -1});
        if (f && panthorrig_is_start(f))
            f = seen_next(&r->seen, &at, (struct seen_want){PANTHOR_RING, SUBJECT_STREAM, -1, -1});
        const char *sample = panthorrig_sample(f, line);
        assert_int_equal(f->frame.outcome, OUTCOME_OK);
        assert_int_equal(f->frame.size - (size_t)(sample - seen_body(f)), r->info[3]);
        assert_int_equal((unsigned char)sample[r->info[3] - 1], from + i);
        assert_int_equal(u64_at(sample, 8), 1050 + 100 * (from + i));
    }
    assert_int_equal(panthorrig_frames(r), count);
}

static void failed(const struct panthorrig *r, int sys, enum outcome outcome) {
    const struct seen_frame *f = panthorrig_frame(r);
    assert_non_null(f);
    assert_int_equal(f->frame.sys, sys);
    assert_int_equal(f->frame.outcome, outcome);
    assert_int_equal(f->frame.size, 0);
}

static void fact(const struct seen_frame *f, const char *key, const char *value) {
    assert_non_null(f);
    struct span got = facts_get(f->subject.facts, key);
    if (!span_equals(got, value))
        fail_msg("%s is \"%.*s\", not \"%s\"", key, (int)got.n, got.p, value);
}

static void sets_up_once(struct panthorrig *r) {
    panthorrig_start(r);
    assert_int_equal(r->run.stage, PANTHOR_COUNTING);
    assert_int_equal(r->setups, 1);
    assert_string_equal(r->log, "setup start");
}

/* However slow the thread is here. */
static void tick_until_frame(struct panthorrig *r) {
    for (unsigned tick = 0; tick < 200; tick++) {
        panthorrig_tick(r);
        if (panthorrig_frame(r))
            return;
    }
    fail_msg("no frame comes");
}

/* ---- whether --------------------------------------------------------------------------------- */

static void unasked_nothing_is_opened(void **state) {
    static const char *const facts[] = {"", "option.counters=0\n", "option.set-profiling=1\n"};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 3; i++) {
        panthorrig_host(r, facts[i]);
        r->calls = 0;
        panthorrig_open(r);
        assert_null(r->session);
        assert_int_equal(panthor_session_fd(r->session), -1);
        panthorrig_tick(r);
        assert_int_equal(r->calls, 0);
        assert_null(panthorrig_frame(r));
        panthorrig_stop(r);
    }
}

static void asleep_nothing_is_opened(void **state) {
    struct panthorrig *r = *state;
    panthorrig_host(r, NULL);
    roster_set_asleep(r->host->roster, r->device, true);
    r->calls = 0;
    panthorrig_open(r);
    panthorrig_tick(r);
    assert_int_equal(r->calls, 0);
    assert_null(panthorrig_frame(r));
    roster_set_asleep(r->host->roster, r->device, false);
    tick_until_frame(r);
    assert_int_equal(r->setups, 1);
}

static void other_drivers_are_left_alone(void **state) {
    struct panthorrig *r = *state;
    panthorrig_host_driver(r, "panfrost", "card0,renderD128", NULL);
    panthorrig_open(r);
    panthorrig_tick(r);
    panthorrig_tick(r);
    failed(r, ENODEV, OUTCOME_GONE);
    assert_int_equal(r->node_opens, 0);
    assert_int_equal(panthorrig_logged("those of the driver panthor alone"), 1);
}

static void hostile_names_open_nothing(void **state) {
    static const char *const nodes[] = {
        "renderD128/../../../etc/passwd",  "", ",,", "../renderD128", "card0", "renderD",
        "renderD1281281281281281281281281"};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        panthorrig_host_driver(r, "panthor", nodes[i], NULL);
        panthorrig_open(r);
        panthorrig_tick(r);
        failed(r, ENODEV, OUTCOME_GONE);
        assert_int_equal(r->node_opens, 0);
        panthorrig_stop(r);
    }
}

static void machine_of_the_other_order_is_refused(void **state) {
    struct panthorrig *r = *state;
    panthorrig_start(r);
    for (unsigned turn = 0; turn < 3; turn++)
        panthorrig_turn(r);
    assert_int_equal(atomic_load(&r->run.phase), PANTHOR_LOST);
    assert_int_equal(atomic_load(&r->run.sys), ENODEV);
    assert_int_equal(r->node_opens, 0);
    assert_int_equal(panthorrig_logged("on little-endian machines alone"), 1);
}

/* ---- versions -------------------------------------------------------------------------------- */

static void each_version_is_found(void **state) {
    static const struct {
        int version;
        const char *name;
    } cases[] = {{4, "v4"}, {5, "v5"}, {6, "v6"}, {9, "rebased"}};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        panthorrig_version(r, cases[i].version);
        sets_up_once(r);
        panthorrig_turn(r);
        gave(r, 1, 1);
        const struct seen_frame *f = panthorrig_frame(r);
        fact(f, "interface", cases[i].name);
        fact(f, "gpu_id", "0xa8670000");
        fact(f, "l2_features", "0x7120306");
        fact(f, "shader_present", "0x1110055");
        fact(f, "timestamp_hz", "24000000");
        fact(f, "info",
             "400000003800000018000000e00e000000000000000000000000000001000000010000000200000003"
             "000000");
        panthorrig_stop(r);
        assert_string_equal(r->log, "setup start sample stop teardown unmap free unmap free leave");
        assert_int_equal(panthorrig_logged("keeps the counter session"), 0);
    }
}

/* A number may have another version's call: it is told by what it answers. */
static void numbers_are_probed(void **state) {
    static const unsigned minors[] = {3, 4, 5, 6, 7, 8, 9, 12};
    static const unsigned ids[] = {13, 15, 17};
    struct panthorrig *r = *state;
    for (size_t m = 0; m < sizeof(minors) / sizeof(minors[0]); m++)
        for (size_t i = 0; i < 3; i++) {
            r->minor = (int)minors[m];
            r->perf_id = ids[i];
            r->inverted = ids[i] != 17 || minors[m] != 8;
            sets_up_once(r);
            panthorrig_turn(r);
            gave(r, 1, 1);
            assert_int_equal(r->probed, minors[m] == 4 ? 13 : minors[m] == 6 ? 15 : 17);
            panthorrig_stop(r);
            assert_int_equal(panthorrig_logged("keeps the counter session"), 0);
        }
}

/* Version 6 alone is given its last sample before the session ends. */
static void only_v6_waits_at_the_end(void **state) {
    static const int versions[] = {4, 5, 6, 9};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        panthorrig_version(r, versions[i]);
        sets_up_once(r);
        panthorrig_turn(r);
        unsigned samples = r->samples;
        panthorrig_stop(r);
        assert_int_equal(r->samples - samples, versions[i] == 6 ? 1 : 0);
        assert_int_equal(r->teardowns, 1);
    }
}

static void setup_is_this(void **state) {
    struct panthorrig *r = *state;
    for (unsigned i = 0; i < 2; i++) {
        r->info[0] = i == 0 ? 64 : 128;
        r->info[3] = 56 + 7 * (24 + 8 * r->info[0]);
        sets_up_once(r);
        for (size_t at = 0; at < 8; at++)
            assert_int_equal(r->setup[at], 0);
        assert_int_equal(u32_at(r->setup, 20), PANTHOR_SLOTS);
        for (size_t type = 0; type < 5; type++) {
            assert_int_equal(u64_at(r->setup, 40 + 16 * type), type ? UINT64_MAX : 0);
            assert_int_equal(u64_at(r->setup, 48 + 16 * type), type && i ? UINT64_MAX : 0);
        }
        panthorrig_turn(r);
        gave(r, 1, 1);
        panthorrig_stop(r);
    }
}

static void any_number_of_session_and_any_start(void **state) {
    static const int starts[] = {0, 1, 250, INT32_MAX};
    struct panthorrig *r = *state;
    for (unsigned i = 0; i < 8; i++) {
        r->handle = (int)(i % 2);
        r->started = starts[i / 2];
        sets_up_once(r);
        panthorrig_turn(r);
        gave(r, 1, 1);
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, 1);
    }
}

static void what_is_not_known_is_refused(void **state) {
    struct panthorrig *r = *state;
    static const struct {
        unsigned at; /* of info; 11: none */
        uint32_t value;
        uint32_t bytes;
        const char *driver;
        int major;
        unsigned id;
        const char *word;
    } cases[] = {
        {11, 0, 44, "panfrost", 1, 17, "of another driver"},
        {11, 0, 44, "panthor2", 1, 17, "of another driver"},
        {11, 0, 44, "panthor", 2, 17, "version 2 of panthor"},
        {11, 0, 0, "panthor", 1, 17, "has no counters"},
        {11, 0, 8, "panthor", 1, 17, "has no counters"},
        {11, 0, 40, "panthor", 1, 17, "an early version"},
        {11, 0, 48, "panthor", 1, 17, "does not know (48 bytes)"},
        {0, 96, 44, "panthor", 1, 17, "does not know (96 in a block"},
        {1, 64, 44, "panthor", 1, 17, "does not know"},
        {2, 32, 44, "panthor", 1, 17, "does not know"},
        {3, 3800, 44, "panthor", 1, 17, "does not know"},
        {10, UINT32_MAX, 44, "panthor", 1, 17, "does not know"},
        {11, 0, 44, "panthor", 1, 0, "no call that gwtop knows"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t before[11];
        memcpy(before, r->info, sizeof(before));
        if (cases[i].at < 11)
            r->info[cases[i].at] = cases[i].value;
        r->info_bytes = cases[i].bytes;
        r->driver = cases[i].driver;
        r->major = cases[i].major;
        r->perf_id = cases[i].id;
        panthorrig_start(r);
        assert_int_equal(atomic_load(&r->run.phase), PANTHOR_LOST);
        assert_int_equal(atomic_load(&r->run.sys), ENODEV);
        assert_int_equal(panthorrig_logged(cases[i].word), 1);
        assert_int_equal(r->setups, 0);
        assert_int_equal(r->node, -1);
        for (unsigned turn = 0; turn < 10; turn++)
            panthorrig_turn(r);
        assert_int_equal(r->node_opens, 1);
        panthorrig_stop(r);
        memcpy(r->info, before, sizeof(before));
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused_setup_is_told_and_never_tried_again(void **state) {
    static const struct {
        int sys;
        enum outcome outcome;
        const char *word;
    } cases[] = {
        {EBUSY, OUTCOME_FAILED,
         "both sessions are taken, or an earlier program left one behind; a reboot or reloading "
         "the driver frees it"},
        {EACCES, OUTCOME_DENIED, "not allowed; needs CAP_PERFMON"},
        {EPERM, OUTCOME_DENIED, "not allowed; needs CAP_PERFMON"},
        {EOPNOTSUPP, OUTCOME_FAILED, "no samples on request"},
        {ENOMEM, OUTCOME_FAILED, "no memory for a session"},
        {ETIMEDOUT, OUTCOME_FAILED, "firmware does not answer"},
        {EINVAL, OUTCOME_FAILED, "refuses a session as gwtop asks"},
        {EIO, OUTCOME_FAILED, "refuses a session"},
        {EINTR, OUTCOME_FAILED, "refuses a session"},
    };
    struct panthorrig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r->fail_setup = cases[i].sys;
        panthorrig_host(r, NULL);
        panthorrig_open(r);
        for (unsigned tick = 0; tick < 4; tick++) {
            tick_until_frame(r);
            failed(r, cases[i].sys, cases[i].outcome);
        }
        assert_int_equal(panthorrig_logged(cases[i].word), 1);
        assert_int_equal(r->setups, cases[i].sys == EINTR ? 2 : 1);
        assert_int_equal(r->node, -1);
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, 0);
    }
}

/* A signal gave no session: the one that comes of the second call is torn down, once. */
static void interrupted_setup_is_made_once_more(void **state) {
    struct panthorrig *r = *state;
    r->fail_setup_once = EINTR;
    panthorrig_start(r);
    panthorrig_turn(r);
    gave(r, 1, 1);
    assert_int_equal(r->setups, 2);
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 1);

    r->fail_setup_once = EINTR;
    r->fail_setup = EBUSY;
    panthorrig_start(r);
    assert_int_equal(atomic_load(&r->run.sys), EBUSY);
    assert_int_equal(panthorrig_logged("may have kept one that a signal interrupted"), 1);
    for (unsigned turn = 0; turn < 5; turn++)
        panthorrig_turn(r);
    assert_int_equal(r->setups, 2);
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 0);
}

static void node_that_may_not_be_opened_is_told(void **state) {
    struct panthorrig *r = *state;
    r->fail_node = EACCES;
    panthorrig_start(r);
    assert_int_equal(atomic_load(&r->run.sys), EACCES);
    assert_int_equal(panthorrig_logged("not allowed to open /dev/dri/renderD128"), 1);
    for (unsigned turn = 0; turn < 8; turn++)
        panthorrig_turn(r);
    assert_int_equal(r->node_opens, 1);
    panthorrig_stop(r);

    r->fail_node = EMFILE; /* may pass */
    panthorrig_start(r);
    for (unsigned turn = 0; turn < 4; turn++)
        panthorrig_turn(r);
    assert_int_equal(r->node_opens, 1);
    r->fail_node = 0;
    panthorrig_turn(r);
    assert_int_equal(r->node_opens, 2);
    assert_int_equal(r->run.stage, PANTHOR_COUNTING);
    panthorrig_turn(r);
    gave(r, 1, 1);
}

static void refused_start_tears_down(void **state) {
    struct panthorrig *r = *state;
    r->fail_start = EINVAL;
    panthorrig_start(r);
    assert_string_equal(r->log, "setup start teardown unmap free unmap free leave");
    assert_int_equal(panthorrig_logged("refuses to start counting"), 1);
    panthorrig_turn(r);
    assert_int_equal(r->node_opens, 1);
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 1);
}

static void busy_start_is_made_again(void **state) {
    struct panthorrig *r = *state;
    r->fail_start_once = EBUSY;
    panthorrig_start(r);
    assert_int_equal(r->run.stage, PANTHOR_SET);
    panthorrig_turn(r);
    assert_string_equal(r->log, "setup start start");
    panthorrig_turn(r);
    panthorrig_turn(r);
    gave(r, 2, 1);
    assert_int_equal(atomic_load(&r->run.sys), 0);
}

static void lost_session_is_not_set_up_again(void **state) {
    static const int errors[] = {EINVAL, ENODEV, EACCES, ENOSYS};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        r->fail_sample = 0;
        sets_up_once(r);
        panthorrig_turn(r);
        r->fail_sample = errors[i];
        panthorrig_turn(r);
        assert_int_equal(atomic_load(&r->run.phase), PANTHOR_LOST);
        assert_int_equal(atomic_load(&r->run.sys), errors[i]);
        assert_int_equal(panthorrig_logged("refuses to take a sample"), 1);
        for (unsigned turn = 0; turn < 10; turn++)
            panthorrig_turn(r);
        assert_int_equal(r->setups, 1);
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, 1);
    }
}

static void passing_failure_is_no_end(void **state) {
    static const int errors[] = {EIO, ENOMEM, EINTR, ETIMEDOUT};
    struct panthorrig *r = *state;
    sets_up_once(r);
    for (size_t i = 0; i < 4; i++) {
        r->fail_sample = errors[i];
        panthorrig_turn(r);
        panthorrig_turn(r);
        assert_int_equal(atomic_load(&r->run.sys), errors[i]);
        r->fail_sample = 0;
        panthorrig_turn(r);
        gave(r, (unsigned)i + 1, 1);
        assert_int_equal(atomic_load(&r->run.sys), 0);
    }
    assert_int_equal(panthorrig_count(r, "stop"), 0);
}

/* Tearing down a session that the driver does not know may be its end. */
static void unknown_session_is_not_torn_down(void **state) {
    struct panthorrig *r = *state;
    sets_up_once(r);
    r->fail_sample = EBADF;
    panthorrig_turn(r);
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 0);
    assert_int_equal(panthorrig_count(r, "stop"), 0);
}

/* In a crash one waits by it for the last sample: what woke before must not count. */
static void event_is_quiet_between_turns(void **state) {
    struct panthorrig *r = *state;
    sets_up_once(r);
    for (unsigned turn = 0; turn < 5; turn++) {
        struct pollfd fd = {.fd = r->event, .events = POLLIN};
        panthorrig_turn(r);
        assert_int_equal(poll(&fd, 1, 0), 0);
    }
}

static void refused_teardown_is_told_and_left(void **state) {
    static const int errors[] = {EBUSY, EINVAL, EINTR, EIO};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        sets_up_once(r);
        r->fail_teardown = errors[i];
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, 1);
        assert_int_equal(panthorrig_logged("the driver keeps the counter session"), 1);
        r->fail_teardown = 0;
    }
}

static void that_it_is_held_is_said_once(void **state) {
    struct panthorrig *r = *state;
    panthorrig_version(r, 4);
    sets_up_once(r);
    for (unsigned turn = 0; turn < 20; turn++)
        panthorrig_turn(r);
    assert_int_equal(panthorrig_logged("the GPU stays powered"), 1);
}

/* ---- the ring -------------------------------------------------------------------------------- */

static void each_turn_is_a_sample(void **state) {
    static const int versions[] = {5, 6, 9};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 3; i++) {
        panthorrig_version(r, versions[i]);
        sets_up_once(r);
        for (unsigned turn = 1; turn < 40; turn++) {
            panthorrig_turn(r);
            gave(r, turn, 1);
            assert_int_equal(panthorrig_insert(r), turn % PANTHOR_SLOTS);
            assert_int_equal(u64_at(r->run.control.at, 0), turn % PANTHOR_SLOTS);
        }
        assert_int_equal(panthorrig_count(r, "stop"), 0);
        assert_int_equal(panthorrig_count(r, "start"), 1);
        panthorrig_stop(r);
    }
}

/* At the last slot version 4 takes no sample: stopped and started, none is lost. */
static void end_of_ring_in_version_4(void **state) {
    struct panthorrig *r = *state;
    panthorrig_version(r, 4);
    sets_up_once(r);
    unsigned starts_told = 0;
    for (unsigned turn = 1; turn < 40; turn++) {
        panthorrig_turn(r);
        gave(r, turn, 1);
        starts_told +=
            seen_count(&r->seen, (struct seen_want){PANTHOR_RING, SUBJECT_STREAM, -1, -1}) -
            panthorrig_frames(r);
    }
    assert_int_equal(panthorrig_count(r, "stop"), 4);
    assert_int_equal(panthorrig_count(r, "start"), 5);
    assert_non_null(strstr(r->log, "sample sample stop start sample"));
    assert_int_equal(atomic_load(&r->run.sys), 0);
    assert_int_equal(starts_told, 4); /* not the first: nothing was counted before it */
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 1);
}

static void stuck_last_slot_waits_once(void **state) {
    struct panthorrig *r = *state;
    panthorrig_version(r, 4);
    sets_up_once(r);
    for (unsigned turn = 0; turn < 7; turn++)
        panthorrig_turn(r);
    r->hangs = true;
    panthorrig_turn(r);
    assert_int_equal(r->run.stage, PANTHOR_STOPPING);
    for (unsigned turn = 0; turn < 5; turn++)
        panthorrig_turn(r);
    assert_int_equal(r->waits, 1);
    assert_int_equal(atomic_load(&r->run.sys), ETIMEDOUT);
    assert_int_equal(panthorrig_count(r, "start"), 1);
    assert_int_equal(panthorrig_logged("firmware does not answer"), 1);
    r->hangs = false;
    panthorrig_give(r);
    panthorrig_turn(r);
    gave(r, 8, 1);
    assert_int_equal(r->run.stage, PANTHOR_COUNTING);
    r->hangs = true;
    panthorrig_turn(r);
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 1);
}

static void hang_is_waited_for_once(void **state) {
    struct panthorrig *r = *state;
    sets_up_once(r);
    r->hangs = true;
    for (unsigned turn = 0; turn < 5; turn++) {
        panthorrig_turn(r);
        assert_null(panthorrig_frame(r));
        assert_int_equal(atomic_load(&r->run.sys), ETIMEDOUT);
    }
    assert_int_equal(r->waits, 1);
    assert_int_equal(panthorrig_count(r, "sample"), 1);
    r->hangs = false;
    panthorrig_give(r);
    panthorrig_turn(r);
    gave(r, 1, 2);
    assert_int_equal(atomic_load(&r->run.sys), 0);
    r->hangs = true;
    panthorrig_turn(r);
    panthorrig_stop(r);
    assert_int_equal(r->teardowns, 1);
}

static void wake_ups_without_a_sample_end(void **state) {
    struct panthorrig *r = *state;
    sets_up_once(r);
    r->hangs = r->restless = true;
    panthorrig_turn(r);
    assert_int_equal(atomic_load(&r->run.sys), ETIMEDOUT);
    assert_in_range(r->calls, 1, 300);
}

static void busy_driver_is_asked_again(void **state) {
    struct panthorrig *r = *state;
    sets_up_once(r);
    panthorrig_turn(r);
    r->fail_sample = EBUSY;
    for (unsigned turn = 0; turn < 5; turn++) {
        panthorrig_turn(r);
        assert_null(panthorrig_frame(r));
        assert_int_equal(atomic_load(&r->run.sys), EBUSY);
    }
    assert_int_equal(panthorrig_count(r, "stop"), 0);
    assert_int_equal(panthorrig_logged("a request is still under way"), 1);
    r->fail_sample = 0;
    panthorrig_turn(r);
    gave(r, 2, 1);
}

static void samples_that_wait_come_first(void **state) {
    struct panthorrig *r = *state;
    char line[128];
    sets_up_once(r);
    panthorrig_turn(r);
    for (unsigned i = 0; i < 3; i++)
        panthorrig_give(r);
    panthorrig_turn(r);
    gave(r, 2, 4);
    (void)panthorrig_sample(panthorrig_frame(r), line);
    assert_string_equal(line, "");
}

/* Not read: the slot that the driver fills. Not trusted: a place that is none. */
static void corrupt_index_ends_it(void **state) {
    static const uint64_t places[] = {PANTHOR_SLOTS, PANTHOR_SLOTS + 1, UINT64_MAX,
                                      UINT64_C(1) << 63};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        sets_up_once(r);
        panthorrig_turn(r);
        panthorrig_set_insert(r, places[i]);
        panthorrig_turn(r);
        assert_null(panthorrig_frame(r));
        assert_int_equal(atomic_load(&r->run.phase), PANTHOR_LOST);
        assert_int_equal(atomic_load(&r->run.sys), EPROTO);
        assert_int_equal(panthorrig_logged("place in the ring is none"), 1);
        assert_non_null(strstr(r->log, "stop teardown"));
        assert_int_equal(panthorrig_logged("keeps the counter session"), 0);
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, 1);
    }
}

/* The driver may write our index too: it is not read back. */
static void own_index_is_kept(void **state) {
    struct panthorrig *r = *state;
    sets_up_once(r);
    for (unsigned turn = 1; turn < 20; turn++) {
        panthorrig_turn(r);
        gave(r, turn, 1);
        uint64_t other = turn % PANTHOR_SLOTS + (UINT64_MAX - 7);
        memcpy(r->run.control.at, &other, 8);
    }
}

static void clock_stands_before_the_sample(void **state) {
    struct panthorrig *r = *state;
    char line[128];
    sets_up_once(r);
    panthorrig_turn(r);
    (void)panthorrig_sample(panthorrig_frame(r), line);
    assert_string_equal(line, "clock cycles=987654321 timestamp=123456 freq_hz=850000000");
    panthorrig_stop(r);

    panthorrig_version(r, 4);
    tree_drop(r->root, PANTHORRIG_DRM);
    sets_up_once(r);
    panthorrig_turn(r);
    (void)panthorrig_sample(panthorrig_frame(r), line);
    assert_string_equal(line, "clock cycles=0 timestamp=123456 freq_hz=0");
    panthorrig_stop(r);

    r->timestamp_bytes = 0;
    sets_up_once(r);
    panthorrig_turn(r);
    (void)panthorrig_sample(panthorrig_frame(r), line);
    assert_string_equal(line, "");
    fact(panthorrig_frame(r), "timestamp_hz", "");
}

/* ---- any call may fail ----------------------------------------------------------------------- */

/* The turn and the end of a session, with the call of this number failing. False: there are not so many. */
static bool with_one_failing(struct panthorrig *r, unsigned at) {
    panthorrig_host(r, NULL);
    r->fail_at = at + r->calls;
    memset(&r->run, 0, sizeof(r->run));
    panthor_run_init(&r->run, r->host, r->device);
    r->running = true;
    for (unsigned turn = 0; turn < 10; turn++)
        panthorrig_turn(r);
    bool had = r->session_there || r->setups > 0;
    bool failed_setup = had && !r->session_there && r->teardowns == 0;
    panthor_run_end(&r->run);
    if (had && !failed_setup)
        assert_int_equal(r->teardowns, 1);
    unsigned calls = r->calls;
    r->running = false;
    panthor_run_finish(&r->run);
    unsigned reached = r->fail_at;
    r->fail_at = 0;
    panthorrig_stop(r);
    return calls >= reached;
}

static void any_failed_call_leaves_nothing(void **state) {
    static const int versions[] = {4, 6};
    struct panthorrig *r = *state;
    static const int errors[] = {EIO, EINTR, EBUSY, ENODEV};
    for (unsigned i = 0; i < 16; i++) {
        unsigned at = 1;
        panthorrig_version(r, versions[i % 2]);
        r->fail_on = i / 2 % 2;
        r->fail_sys = errors[i / 4];
        while (with_one_failing(r, at))
            at++;
        assert_in_range(at, 60, 400);
    }
}

/* ---- in its thread --------------------------------------------------------------------------- */

static void thread_hands_on_samples(void **state) {
    static const int versions[] = {4, 5, 6, 9};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        unsigned had = 0;
        panthorrig_version(r, versions[i]);
        panthorrig_host(r, NULL);
        long keep = r->host->keep_left;
        panthorrig_open(r);
        while (had < 20) {
            tick_until_frame(r);
            unsigned frames = panthorrig_frames(r);
            gave(r, had + 1, frames);
            had += frames;
        }
        assert_true(panthor_session_fd(r->session) >= 0);
        assert_int_equal(r->host->keep_left, keep - 2);
        panthor_session_destroy(r->session);
        r->session = NULL;
        assert_int_equal(r->host->keep_left, keep);
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, 1);
    }
}

/* What a session said is forgotten with its subject when there is no session any more; why is said on. */
static void thread_closes_a_lost_session(void **state) {
    const struct seen_want closed = {FRAME_CLOSE, SUBJECT_STREAM, -1, -1};
    struct panthorrig *r = *state;
    panthorrig_host(r, NULL);
    long keep = r->host->keep_left;
    panthorrig_open(r);
    tick_until_frame(r);
    tick_until_frame(r);
    r->fail_sample = ENODEV;
    unsigned ticks = 0;
    do
        panthorrig_tick(r);
    while (seen_count(&r->seen, closed) == 0 && ++ticks < 50);
    assert_int_equal(seen_count(&r->seen, closed), 1);
    assert_int_equal(r->teardowns, 1);
    assert_int_equal(r->host->keep_left, keep);
    assert_int_equal(panthor_session_fd(r->session), -1);
    for (unsigned i = 0; i < 3; i++) {
        panthorrig_tick(r);
        assert_int_equal(seen_count(&r->seen, closed), 0);
        assert_int_equal(panthorrig_frames(r), 1);
        failed(r, ENODEV, OUTCOME_GONE);
    }
    assert_int_equal(r->setups, 1);
}

/* However long the interval: a counter of 32 bits must not wrap unseen. */
static void thread_samples_on_its_own(void **state) {
    struct panthorrig *r = *state;
    panthorrig_host(r, NULL);
    panthorrig_open(r);
    tick_until_frame(r);
    tick_until_frame(r);
    usleep(100000);
    unsigned before = r->samples;
    for (unsigned i = 0; i < 100 && r->samples == before; i++)
        usleep(20000);
    assert_int_equal(r->samples, before + 1);
    panthorrig_tick(r);
    assert_true(panthorrig_frames(r) > 0);
}

static void session_ends_however_early(void **state) {
    struct panthorrig *r = *state;
    for (unsigned ticks = 0; ticks < 3; ticks++) {
        panthorrig_host(r, NULL);
        panthorrig_open(r);
        for (unsigned tick = 0; tick < ticks; tick++)
            panthorrig_tick(r);
        panthorrig_stop(r);
        assert_int_equal(r->teardowns, r->setups);
    }
    panthor_session_destroy(NULL);
}

/* ---- a crash --------------------------------------------------------------------------------- */

/* What the process itself asks of a driver, without a host: only undo does. In place of libc's. */
static uint64_t *crashed; /* shared: how many, then the call and command of each */
int ioctl(int fd, unsigned long request, ...);
int ioctl(int fd, unsigned long request, ...) {
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (!crashed || request >> 8 != 0xc01864)
        return (int)syscall(SYS_ioctl, fd, request, arg);
    uint64_t n = crashed[0]++;
    if (n < 8) {
        const char *perf = arg;
        crashed[1 + 2 * n] = request & 0xff;
        crashed[2 + 2 * n] = (uint64_t)u32_at(perf, 0) << 32 | u32_at(perf, 4);
        /* What it points to is there. */
        if (!u64_at(perf, 16) || u64_at((const char *)(uintptr_t)u64_at(perf, 16), 0) == 99)
            crashed[0] = 77;
    }
    return 0;
}

static void crash(struct panthorrig *r, int version, bool stopped) {
    int status;
    memset(crashed, 0, 256);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        panthorrig_version(r, version);
        r->handle = 1;
        panthorrig_start(r);
        panthorrig_turn(r);
        if (stopped)
            panthor_run_end(&r->run);
        raise(SIGSEGV);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

static void crash_stops_and_tears_down_once(void **state) {
    struct panthorrig *r = *state;
    crashed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(crashed, MAP_FAILED);
    for (int version = 4; version <= 6; version++) {
        crash(r, version, false);
        assert_int_equal(crashed[0], 2);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(crashed[1 + 2 * i], version == 4 ? 0x4d : version == 5 ? 0x4f : 0x51);
        assert_int_equal(crashed[2], UINT64_C(3) << 32 | 1);
        assert_int_equal(crashed[4], UINT64_C(1) << 32 | 1);
        crash(r, version, true);
        assert_int_equal(crashed[0], 0);
    }
    munmap(crashed, 4096);
    crashed = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, panthorrig_set_up, panthorrig_tear_down)
        /* First: undo is of the process that arms first. */
        CASE(crash_stops_and_tears_down_once),
        CASE(unasked_nothing_is_opened),
        CASE(asleep_nothing_is_opened),
        CASE(other_drivers_are_left_alone),
        CASE(hostile_names_open_nothing),
        CASE(each_version_is_found),
        CASE(numbers_are_probed),
        CASE(only_v6_waits_at_the_end),
        CASE(setup_is_this),
        CASE(any_number_of_session_and_any_start),
        CASE(what_is_not_known_is_refused),
        CASE(refused_setup_is_told_and_never_tried_again),
        CASE(interrupted_setup_is_made_once_more),
        CASE(node_that_may_not_be_opened_is_told),
        CASE(refused_start_tears_down),
        CASE(busy_start_is_made_again),
        CASE(lost_session_is_not_set_up_again),
        CASE(passing_failure_is_no_end),
        CASE(unknown_session_is_not_torn_down),
        CASE(event_is_quiet_between_turns),
        CASE(refused_teardown_is_told_and_left),
        CASE(that_it_is_held_is_said_once),
        CASE(each_turn_is_a_sample),
        CASE(end_of_ring_in_version_4),
        CASE(stuck_last_slot_waits_once),
        CASE(hang_is_waited_for_once),
        CASE(wake_ups_without_a_sample_end),
        CASE(busy_driver_is_asked_again),
        CASE(samples_that_wait_come_first),
        CASE(corrupt_index_ends_it),
        CASE(own_index_is_kept),
        CASE(clock_stands_before_the_sample),
        CASE(any_failed_call_leaves_nothing),
        CASE(thread_hands_on_samples),
        CASE(thread_closes_a_lost_session),
        CASE(thread_samples_on_its_own),
        CASE(session_ends_however_early),
    };
    const struct CMUnitTest big_endian[] = {
        CASE(unasked_nothing_is_opened),  CASE(other_drivers_are_left_alone),
        CASE(hostile_names_open_nothing), CASE(machine_of_the_other_order_is_refused),
        CASE(session_ends_however_early),
    };
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return cmocka_run_group_tests(big_endian, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
