/*
 * Intel's hardware counters on a live machine: which metric set is taken or loaded, that what was
 * loaded is taken out again, and what is said of each refusal of the driver's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "oarig.h"
#include "tree.h"

/* ---- metric sets ----------------------------------------------------------------------------- */

static void richest_set_is_taken(void **state) {
    struct oarig *r = *state;
    oarig_put_set(r, BDW_RENDER, "9"); /* of another GPU */
    oarig_put_set(r, "00000000-1111-2222-3333-444444444444", "10");
    oarig_put_set(r, "not-a-set", "11");
    oarig_put_set(r, SKL_TEST, "1");
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 1);
    oarig_stop(r);
    oarig_put_set(r, SKL_COMPUTE, "3");
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 3);
    oarig_stop(r);
    oarig_put_set(r, SKL_RENDER, "2");
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 2);
    oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_set", SKL_RENDER);
    assert_int_equal(r->queries, 2); /* of the topology */
    oarig_stop(r);
    oarig_put_set(r, SKL_RENDER, "0"); /* no number that there may be */
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 3);
    assert_null(strstr(r->log, "set"));
}

static void sets_are_asked_for_without_a_folder(void **state) {
    struct oarig *r = *state;
    tree_drop(r->root, OARIG_SETS);
    r->configs[0] = (struct oarig_config){6, BDW_RENDER};
    r->configs[1] = (struct oarig_config){7, SKL_COMPUTE};
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 7);
    oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_set", SKL_COMPUTE);
}

static void set_tells_an_unknown_gpu(void **state) {
    struct oarig *r = *state;
    oarig_start_with(r, "8086:ffff", TGL_RENDER);
    assert_int_equal(r->streams, 1);
    oarig_property(r, 2, 4, 10);
    oarig_stop(r);
    tree_drop(r->root, OARIG_SETS TGL_RENDER);
    oarig_start(r, "8086:ffff", NULL);
    oarig_tick(r);
    oarig_none(r, ENODEV, OUTCOME_GONE);
    assert_true(oarig_logged("generation"));
}

/* Broadwell's, as the vendor's RenderBasic programs them, without the multiplexer. */
static void small_set_is_loaded_and_taken_out(void **state) {
    static const uint32_t boolean[] = {0x2710, 0,      0x2714,     0x00800000, 0x2720,
                                       0,      0x2724, 0x00800000, 0x2740,     0};
    static const uint32_t flex[] = {0xe458,     0x00005004, 0xe558,     0x00010003, 0xe658,
                                    0x00012011, 0xe758,     0x00015014, 0xe45c,     0x00051050,
                                    0xe55c,     0x00053052, 0xe65c,     0x00055054};
    struct oarig *r = *state;
    uint32_t counts[3];
    r->add_id = 77;
    oarig_start(r, BDW, NULL);
    oarig_tick(r);
    memcpy(counts, r->config + 36, sizeof(counts));
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 5);
    assert_int_equal(counts[2], 7);
    assert_memory_equal(r->boolean, boolean, sizeof(boolean));
    assert_memory_equal(r->flex, flex, sizeof(flex));
    oarig_property(r, 1, 3, 77);
    struct span uuid = facts_get(oarig_frame(r, FRAME_OPEN)->subject.facts, "oa_set");
    assert_int_equal(uuid.n, 36);
    assert_memory_equal(uuid.p, r->config, 36);
    oarig_tick(r);
    assert_string_equal(r->log, "set open");
    oarig_stop(r);
    assert_string_equal(r->log, "set open stop close unset leave");
    assert_int_equal(r->removed, 77);
}

static void what_was_there_stays(void **state) {
    struct oarig *r = *state;
    oarig_start_with(r, SKL, SKL_RENDER);
    oarig_stop(r);
    assert_string_equal(r->log, "open stop close leave");
}

/* The uuid that it has: where the driver is asked to load it. */
static void learn_uuid(struct oarig *r, char uuid[37]) {
    oarig_start(r, BDW, NULL);
    oarig_tick(r);
    memcpy(uuid, r->config, 36);
    uuid[36] = '\0';
    oarig_stop(r);
}

static void small_set_that_is_there_is_taken(void **state) {
    struct oarig *r = *state;
    char uuid[37];
    learn_uuid(r, uuid);
    r->fail_add = EADDRINUSE;
    r->configs[0] = (struct oarig_config){5, BDW_RENDER};
    r->configs[1] = (struct oarig_config){.id = 6};
    memcpy(r->configs[1].uuid, uuid, 37);
    oarig_start(r, BDW, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 6);
    oarig_stop(r);
    assert_string_equal(r->log, "open stop close leave");
    oarig_put_set(r, uuid, "8"); /* of a run that was killed */
    oarig_start(r, BDW, NULL);
    oarig_tick(r);
    oarig_property(r, 1, 3, 8);
    oarig_stop(r);
    assert_string_equal(r->log, "open stop close leave");
}

static void small_set_that_is_nowhere_is_a_refusal(void **state) {
    struct oarig *r = *state;
    r->fail_add = EADDRINUSE;
    oarig_start(r, BDW, NULL);
    oarig_tick(r);
    oarig_none(r, EADDRINUSE, OUTCOME_FAILED);
}

static void without_a_set_it_says_what_to_load(void **state) {
    struct oarig *r = *state;
    oarig_start(r, HSW, NULL);
    oarig_tick(r);
    oarig_none(r, ENODEV, OUTCOME_GONE);
    assert_true(oarig_logged("RenderBasic"));
    assert_true(oarig_logged("Haswell"));
    assert_string_equal(r->log, "leave");
}

static void refused_small_set_is_told(void **state) {
    static const struct {
        int sys;
        int said;
        enum outcome outcome;
        const char *word;
    } cases[] = {
        {EINVAL, EINVAL, OUTCOME_FAILED, "metric set"},
        {EACCES, EACCES, OUTCOME_DENIED, "dev.i915.perf_stream_paranoid"},
        {524, ENODEV, OUTCOME_GONE, "does not support"},
    };
    struct oarig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r->fail_add = cases[i].sys;
        oarig_start(r, BDW, NULL);
        oarig_tick(r);
        oarig_none(r, cases[i].said, cases[i].outcome);
        assert_true(oarig_logged(cases[i].word));
        oarig_stop(r);
        assert_string_equal(r->log, "leave");
    }
}

/* ---- refusals of the stream ------------------------------------------------------------------ */

static void each_refusal_has_its_word(void **state) {
    static const struct {
        int sys;
        int said;
        enum outcome outcome;
        const char *word;
    } cases[] = {
        {EBUSY, EBUSY, OUTCOME_FAILED, "another program holds the counters"},
        {EACCES, EACCES, OUTCOME_DENIED, "dev.i915.perf_stream_paranoid at 0 (it is 1)"},
        {EPERM, EPERM, OUTCOME_DENIED, "CAP_PERFMON or CAP_SYS_ADMIN"},
        {ENODEV, ENODEV, OUTCOME_GONE, "no counters for this GPU"},
        {EOPNOTSUPP, ENODEV, OUTCOME_GONE, "does not support"},
        {524, ENODEV, OUTCOME_GONE, "does not support"},
        {EINVAL, EINVAL, OUTCOME_FAILED, "refuses a stream"},
        {ENOMEM, ENOMEM, OUTCOME_FAILED, "refuses a stream"},
    };
    struct oarig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r->fail_open = cases[i].sys;
        oarig_start_with(r, SKL, SKL_RENDER);
        for (int k = 0; k < 20; k++) {
            oarig_none(r, cases[i].said, cases[i].outcome);
            oarig_tick(r);
        }
        assert_int_equal(oarig_logged_count(cases[i].word), 1);
        assert_int_equal(oarig_logged_count("no counters: "), 1);
        assert_false(oarig_logged("RC6"));
        assert_in_range(r->node_opens, 2, 5);
        oarig_stop(r);
    }
}

static void machine_without_the_interface_is_told(void **state) {
    static const int refusals[] = {ENODEV, 524, EOPNOTSUPP, EINVAL};
    struct oarig *r = *state;
    tree_drop(r->root, OARIG_SETS);
    r->configs[0] = (struct oarig_config){7, SKL_RENDER};
    r->fail_open = EINVAL;
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    oarig_none(r, ENODEV, OUTCOME_GONE);
    assert_true(oarig_logged("has no metric sets"));
    oarig_stop(r);
    tree_drop(r->root, "proc/sys/dev/i915/perf_stream_paranoid");
    for (size_t i = 0; i < 4; i++) {
        r->fail_open = refusals[i];
        oarig_start(r, SKL, NULL);
        oarig_tick(r);
        oarig_none(r, ENODEV, OUTCOME_GONE);
        assert_true(oarig_logged("this kernel's i915 has no counters"));
        oarig_stop(r);
    }
    tree_text(r->root, "proc/sys/dev/i915/perf_stream_paranoid", "0\n");
    r->fail_open = EACCES;
    oarig_start(r, SKL, NULL);
    oarig_tick(r);
    assert_true(oarig_logged("although dev.i915.perf_stream_paranoid is 0"));
}

static void refused_stream_is_tried_again(void **state) {
    struct oarig *r = *state;
    r->fail_open = EBUSY;
    oarig_start(r, BDW, NULL);
    oarig_tick(r);
    assert_string_equal(r->log, "set unset leave");
    r->fail_open = 0;
    for (int i = 0; i < 4; i++) {
        oarig_tick(r);
        oarig_none(r, EBUSY, OUTCOME_FAILED);
    }
    assert_int_equal(r->node_opens, 1);
    oarig_tick(r);
    assert_int_equal(r->streams, 1);
    assert_non_null(oarig_frame(r, FRAME_CLOSE));
    oarig_fact(oarig_frame(r, FRAME_OPEN), "oa_exponent", "15");
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, oarig_set_up, oarig_tear_down)
        CASE(richest_set_is_taken),
        CASE(sets_are_asked_for_without_a_folder),
        CASE(set_tells_an_unknown_gpu),
        CASE(small_set_is_loaded_and_taken_out),
        CASE(what_was_there_stays),
        CASE(small_set_that_is_there_is_taken),
        CASE(small_set_that_is_nowhere_is_a_refusal),
        CASE(without_a_set_it_says_what_to_load),
        CASE(refused_small_set_is_told),
        CASE(each_refusal_has_its_word),
        CASE(machine_without_the_interface_is_told),
        CASE(refused_stream_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
