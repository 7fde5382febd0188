/* The snapshot: its order, its runs, its texts and how long they stay; what belongs to nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "acct_feed.h"

enum { DEV = 1, DEV2 = 2, P1 = 10, P2 = 20 };

static struct acct_feed *machine(const struct acct_options *o) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=amdgpu\n");
    return f;
}

/* ---- ticks ----------------------------------------------------------------------------------- */

static void test_ticks(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    assert_null(acct_snapshot(f->acct));
    acct_finish(f->acct);
    assert_null(acct_snapshot(f->acct));
    feed_end(f, 0, ""); /* of no tick */
    assert_null(acct_snapshot(f->acct));
    feed_begin(f, 5 * SEC);
    feed_end(f, 6 * SEC,
             "cpu_ns=1234\nsyscalls=56\nprocesses=9\nunreadable.denied=3\nnonsense\n=\n");
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->tick, 1);
    assert_int_equal(s->t_ns, 5 * SEC);
    assert_true(s->real_ns == INT64_C(1700000000000000000));
    check_state(s->interval_ns, STATE_UNKNOWN);
    check_value(s->cost_cpu_ns, 1234);
    check_value(s->cost_syscalls, 56);
    assert_int_equal(s->unreadable, 3);
    assert_int_equal(s->unreadable_reasons[REASON_DENIED], 3);
    assert_true(s->unattributed[0].reasons & UINT64_C(1) << REASON_UNREADABLE);
    feed_begin(f, 8 * SEC);
    acct_finish(f->acct); /* a recording that was cut */
    s = feed_snapshot(f);
    assert_int_equal(s->tick, 2);
    check_value(s->interval_ns, 3 * SEC);
    check_state(s->cost_cpu_ns, STATE_UNKNOWN);
    assert_int_equal(s->unreadable, 3); /* as before: nothing says otherwise */
    feed_begin(f, 9 * SEC);
    feed_begin(f, 10 * SEC); /* the end was lost */
    feed_end(f, 10 * SEC, "");
    assert_int_equal(feed_snapshot(f)->tick, 4);
    feed_destroy(f);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Devices by number; processes by pid, start, device; clients of a process by id; engines and
 * regions by class and name. Runs lie in the arrays. */
static void test_order(void **state) {
    struct acct_feed *f = feed_create(NULL);
    static const struct {
        int32_t pid;
        uint64_t start;
        uint32_t device;
    } who[] = {{300, 1, 1}, {100, 9, 2}, {100, 9, 1}, {100, 3, 1}, {200, 1, 2}};
    (void)state;
    feed_device(f, 2, "second", "");
    feed_device(f, 1, "first", "");
    feed_begin(f, SEC);
    for (uint32_t i = 0; i < 5; i++) {
        feed_process(f, 100 + 10 * i, who[i].pid, who[i].start);
        for (uint32_t k = 1; k < 3; k++) {
            feed_holder(f, 100 + 10 * i + k, 100 + 10 * i, who[i].device);
            feed_read(f, 100 + 10 * i + k, SEC, 1000 - 10 * i - k,
                      SAYS(ENGINE("vcs", 0), ENGINE("zeta", 0), ENGINE("ccs", 0), ENGINE("rcs", 0),
                           RESIDENT("stolen", 1), RESIDENT("vram1", 1), RESIDENT("vram0", 1)));
        }
    }
    feed_end(f, SEC, "");
    const struct snapshot *s = feed_snapshot(f);
    assert_true(span_equals(snapshot_text(s, s->devices[0].id), "first"));
    assert_int_equal(s->process_count, 5);
    static const int order[] = {3, 2, 1, 4, 0};
    for (uint32_t i = 0; i < 5; i++) {
        const struct snap_process *p = &s->processes[i];
        assert_int_equal(p->pid, who[order[i]].pid);
        assert_true(p->start == who[order[i]].start);
        assert_int_equal(p->device, who[order[i]].device - 1);
        assert_int_equal(p->client_run.count, 2);
        assert_true(s->clients[p->client_run.first].id < s->clients[p->client_run.first + 1].id);
        assert_int_equal(s->clients[p->client_run.first].process, i);
        assert_int_equal(p->engines.count, 4);
        const char *engines[] = {"rcs", "ccs", "vcs", "zeta"};
        const char *regions[] = {"vram0", "vram1", "stolen"};
        for (uint32_t k = 0; k < 4; k++) {
            struct text_ref name = s->engines[p->engines.first + k].name;
            assert_true(find_engine(s, p->engines, engines[k]) != NULL);
            if (k > 0)
                assert_true(s->engines[p->engines.first + k].class >=
                            s->engines[p->engines.first + k - 1].class);
            assert_true(snapshot_text(s, name).n > 0);
        }
        for (uint32_t k = 0; k < 3; k++)
            assert_true(
                span_equals(snapshot_text(s, s->memory[p->memory.first + k].region), regions[k]));
        assert_true(p->memory.first + p->memory.count <= s->memory_count);
        assert_true(p->engines.first + p->engines.count <= s->engine_count);
    }
    feed_destroy(f);
}

/* ---- how long it stays ----------------------------------------------------------------------- */

static void grow(struct acct_feed *f, int t) {
    char name[64];
    feed_begin(f, t * SEC);
    for (int i = 0; i < 20; i++) {
        uint32_t id = 100 + 40 * (uint32_t)t + 2 * (uint32_t)i;
        feed_process(f, id, 1000 + t * 20 + i, 1);
        feed_holder(f, id + 1, id, DEV);
        memset(name, 'a' + t % 26, sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        feed_label(f, id, LABEL_COMMAND, name);
        feed_read(f, id + 1, t * SEC, id, SAYS(ENGINE("gfx", t * SEC), RESIDENT("vram", MIB)));
    }
    feed_end(f, t * SEC, "");
}

/* Until two more ticks ended; a copy as long as one likes. */
static void test_validity(void **state) {
    struct acct_feed *f = machine(NULL);
    struct snapshot *copies[20];
    const struct snapshot *kept[20];
    (void)state;
    for (int t = 0; t < 20; t++) {
        grow(f, t);
        kept[t] = feed_snapshot(f);
        assert_int_equal(snapshot_dup(kept[t], &copies[t]), ERR_OK);
        for (int back = 0; back < 3 && back <= t; back++)
            check_same(kept[t - back], copies[t - back]);
    }
    feed_destroy(f);
    for (int t = 0; t < 20; t++) {
        assert_int_equal(copies[t]->tick, t + 1);
        assert_int_equal(copies[t]->process_count, 20 * (t + 1));
        snapshot_free(copies[t]);
    }
    snapshot_free(NULL);
}

/* Texts that nobody names any more are thrown out; those that stay can still be read. */
static void test_names_are_compacted(void **state) {
    struct acct_feed *f = machine(NULL);
    char text[6200];
    (void)state;
    feed_process(f, P1, 100, 1);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_label(f, P1, LABEL_USER, "somebody");
    for (int t = 0; t < 500; t++) {
        feed_begin(f, t * SEC);
        memset(text, 'a' + t % 26, sizeof(text) - 1);
        text[100 + t * 1777 % 6000] = '\0';
        feed_label(f, P1, LABEL_COMMAND, text);
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("gfx", t * SEC / 2)));
        feed_end(f, t * SEC, "");
        const struct snapshot *s = feed_snapshot(f);
        const struct snap_process *p = find_process(s, 100);
        assert_true(span_equals(snapshot_text(s, p->command), text));
        assert_true(span_equals(snapshot_text(s, p->user), "somebody"));
        assert_non_null(find_engine(s, p->engines, "gfx"));
        assert_true(span_equals(snapshot_text(s, s->devices[0].id), "0000:03:00.0"));
        assert_true(span_equals(snapshot_text(s, s->unattributed[0].name), "(not attributed)"));
        assert_true(s->text.n < 32768);
    }
    feed_destroy(f);
}

/* ---- what belongs to nobody ------------------------------------------------------------------ */

static void busy_tick(struct acct_feed *f, int t, int64_t activity) {
    feed_begin(f, t * SEC);
    feed_read(f, P1 + 1, t * SEC, 7,
              SAYS(ENGINE("gfx", t * SEC / 4), ENGINE("compute", t * SEC / 8),
                   ENGINE("dec", t * SEC / 2)));
    if (activity >= 0)
        feed_sample(f, DEV, t * SEC, METRIC_ACTIVITY_GFX, activity);
    feed_end(f, t * SEC, "");
}

static void test_unattributed(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1);
    feed_holder(f, P1 + 1, P1, DEV);
    busy_tick(f, 1, -1);
    const struct snap_unattributed *u = feed_snapshot(f)->unattributed;
    assert_int_equal(feed_snapshot(f)->unattributed_count, 1);
    check_state(u->busy_ppm, STATE_UNSUPPORTED);
    assert_true(u->reasons == UINT64_C(1) << REASON_NO_SENSOR);
    busy_tick(f, 2, 500000);
    u = feed_snapshot(f)->unattributed;
    check_value(u->busy_ppm, 125000); /* decoding is no part of what the sensor sees */
    check_value(u->busy_ns, SEC / 8);
    assert_true(u->reasons == 0);
    busy_tick(f, 3, 300000);
    check_value(feed_snapshot(f)->unattributed->busy_ppm, 0);
    check_value(feed_snapshot(f)->unattributed->busy_ns, SEC / 8);
    check_value(feed_snapshot(f)->devices[0].busy_ppm, 300000);
    feed_destroy(f);
}

/* A share that hardware counters tell is one of the time that these cover. */
static void test_unattributed_of_counters(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1);
    feed_holder(f, P1 + 1, P1, DEV);
    busy_tick(f, 1, -1);
    feed_begin(f, 2 * SEC);
    feed_read(f, P1 + 1, 2 * SEC, 7, SAYS(ENGINE("gfx", SEC / 4 + SEC * 8 / 10)));
    feed_sample(f, DEV, 2 * SEC, METRIC_ACTIVITY_GFX, 1000000);
    feed_sample(f, DEV, 2 * SEC, METRIC_COUNTER_GPU_TIME, SEC * 9 / 10);
    feed_end(f, 2 * SEC, "");
    const struct snap_unattributed *u = feed_snapshot(f)->unattributed;
    check_value(u->busy_ppm, 100000);
    check_value(u->busy_ns, SEC / 10);
    check_value(feed_snapshot(f)->devices[0].busy_ppm, 1000000);
    feed_destroy(f);
}

/* Over the whole span it is what the ticks came to, as its price is: what the client did in one tick is no
 * answer to what the sensor saw in another. */
static void test_unattributed_whole_span(void **state) {
    struct acct_feed *f = machine(&(const struct acct_options){.whole_span = true});
    (void)state;
    feed_process(f, P1, 100, 1);
    feed_holder(f, P1 + 1, P1, DEV);
    for (int t = 0; t <= 4; t++) {
        feed_begin(f, t * SEC);
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("gfx", t < 2 ? 0 : SEC * 3 / 4 * (t - 1))));
        feed_sample(f, DEV, t * SEC, METRIC_ACTIVITY_GFX, t == 1 ? 800000 : 0);
        feed_sample(f, DEV, t * SEC, METRIC_CLOCK_GFX, 266000000);
        feed_sample(f, DEV, t * SEC, METRIC_VOLTAGE_GFX, 1000000);
        feed_end(f, t * SEC, "");
    }
    const struct snap_unattributed *u = feed_snapshot(f)->unattributed;
    check_value(u->busy_ns, SEC * 8 / 10);
    check_value(u->busy_ppm, 200000);
    check_real(u->power.pws, 0.8);
    check_real(u->power.pw, 0.2);
    check_value(feed_snapshot(f)->devices[0].busy_ppm, 200000); /* the sensor's mean */
    /* What was seen stays, whatever the last tick knows. */
    feed_begin(f, 5 * SEC);
    feed_state(f, DEV, 5 * SEC, "suspended\n");
    feed_end(f, 5 * SEC, "");
    check_value(feed_snapshot(f)->unattributed->busy_ppm, 160000);
    check_real(feed_snapshot(f)->unattributed->power.pw, 0.16);
    feed_destroy(f);
}

/* Of a device that sleeps nothing is read: that, and not the want of a sensor, is why. */
static void test_unattributed_asleep(void **state) {
    (void)state;
    for (int seen = 0; seen < 2; seen++) {
        struct acct_feed *f = machine(NULL);
        if (seen)
            busy_tick(f, 0, 500000);
        for (int t = 1; t <= 2; t++) {
            feed_begin(f, t * SEC);
            feed_state(f, DEV, t * SEC, "suspended\n");
            feed_end(f, t * SEC, "");
        }
        const struct snap_unattributed *u = feed_snapshot(f)->unattributed;
        assert_true(u->reasons == UINT64_C(1) << REASON_ASLEEP);
        check_state(u->busy_ppm, STATE_UNKNOWN);
        check_state(u->busy_ns, STATE_UNKNOWN);
        feed_destroy(f);
    }
}

static void test_reason_no_engine_time(void **state) {
    const uint64_t bit = UINT64_C(1) << REASON_NO_ENGINE_TIME;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct acct_feed *f = feed_create(NULL);
        feed_device(f, DEV, "gpu", i ? "driver=amdgpu\n" : "driver=panthor\n");
        feed_process(f, P1, 100, 1);
        feed_holder(f, P1 + 1, P1, DEV);
        feed_begin(f, SEC);
        feed_read(f, P1 + 1, SEC, 7, SAYS(TOTAL("memory", MIB)));
        feed_end(f, SEC, "");
        /* amdgpu leaves out what was not used: that says 0. */
        assert_true((feed_snapshot(f)->unattributed->reasons & bit) == (i ? 0 : bit));
        check_state(find_process(feed_snapshot(f), 100)->busy_ppm, STATE_UNSUPPORTED);
        feed_destroy(f);
    }
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static void test_copy(void **state) {
    struct acct_feed *f = machine(NULL);
    struct acct *other;
    (void)state;
    assert_int_equal(acct_create(NULL, &other), ERR_OK);
    assert_int_equal(acct_copy(other, f->acct), ERR_OK);
    assert_null(acct_snapshot(other));
    for (int t = 0; t < 5; t++)
        grow(f, t);
    const struct snapshot *before = feed_snapshot(f);
    assert_int_equal(acct_copy(other, f->acct), ERR_OK);
    check_same(acct_snapshot(other), before);
    for (int t = 5; t < 8; t++)
        grow(f, t);
    assert_int_equal(acct_snapshot(other)->tick, 5);
    /* Back, and on again the same way: what was handed out last stays. */
    struct snapshot *ahead;
    assert_int_equal(snapshot_dup(feed_snapshot(f), &ahead), ERR_OK);
    const struct snapshot *shown = feed_snapshot(f);
    assert_int_equal(acct_copy(f->acct, other), ERR_OK);
    assert_int_equal(feed_snapshot(f)->tick, 5);
    check_same(shown, ahead);
    for (int t = 5; t < 8; t++)
        grow(f, t);
    check_same(feed_snapshot(f), ahead);
    snapshot_free(ahead);
    /* Back, and on another way: no text of the way not taken is left. */
    char text[10000];
    memset(text, '-', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(acct_copy(f->acct, other), ERR_OK);
    feed_label(f, 100, LABEL_USER, text);
    for (int t = 9; t < 15; t++) {
        grow(f, t);
        const struct snapshot *s = feed_snapshot(f);
        struct span command = snapshot_text(s, find_process(s, 1000 + 20 * t)->command);
        assert_int_equal(command.n, 63);
        assert_int_equal(command.p[0], 'a' + t);
        assert_int_equal(command.p[62], 'a' + t);
        assert_true(span_equals(snapshot_text(s, find_process(s, 1000)->user), text));
    }
    acct_destroy(other);
    feed_destroy(f);
    acct_destroy(NULL);
}

static void test_words(void **state) {
    (void)state;
    assert_string_equal(device_state_name(DEVICE_ASLEEP), "asleep");
    assert_string_equal(device_state_name((enum device_state)77), "?");
    assert_string_equal(process_type_name(TYPE_MEDIA), "media");
    assert_string_equal(process_type_name((enum process_type)77), "?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_validity),
        cmocka_unit_test(test_names_are_compacted),
        cmocka_unit_test(test_unattributed),
        cmocka_unit_test(test_unattributed_whole_span),
        cmocka_unit_test(test_unattributed_asleep),
        cmocka_unit_test(test_reason_no_engine_time),
        cmocka_unit_test(test_unattributed_of_counters),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
