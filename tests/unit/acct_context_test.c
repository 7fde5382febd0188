/* Hardware contexts and tags: whose they are, when their work counts for the device, how many are kept, and
 * the counters told of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct_feed.h"
#include "allocations.h"

enum { DEV = 1, P1 = 10, FD = 11, STREAM = 50 };

#define MSEC INT64_C(1000000)
#define HZ   UINT64_C(266000000)
#define VOLT 1000000u
#define MOST 4096 /* that a device keeps */

static struct acct_feed *machine_with(const struct acct_options *o) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:00:02.0", "driver=i915\n");
    feed_stream(f, STREAM, DEV, 0, 1);
    return f;
}

static struct acct_feed *machine(void) {
    return machine_with(NULL);
}

static void tick(struct acct_feed *f, int64_t t_ns) {
    feed_begin(f, t_ns);
    feed_end(f, t_ns, "");
}

/* So many ms of a context, in the second before `t_ns`. */
#define WORK(f, t_ns, ms, ...)                                                                     \
    JOB(f, STREAM, .space = SPACE_CONTEXT, .name = "render", .start_ns = (t_ns)-SEC,               \
        .end_ns = (t_ns)-SEC + (ms)*MSEC, __VA_ARGS__)
#define TAGGED(f, t_ns, ms, context, tag, ...)                                                     \
    JOB(f, STREAM, .space = SPACE_TAGGED, .client = client_tagged(context, tag), .name = "render", \
        .start_ns = (t_ns)-SEC, .end_ns = (t_ns)-SEC + (ms)*MSEC, __VA_ARGS__)

static const struct snap_process *process(const struct acct_feed *f, int32_t pid) {
    const struct snap_process *p = find_process(feed_snapshot(f), pid);
    assert_non_null(p);
    return p;
}

static const struct snap_unattributed *stray(const struct acct_feed *f) {
    const struct snap_unattributed *u = find_loose(feed_snapshot(f), "(unknown pid)");
    assert_non_null(u);
    return u;
}

static const struct snap_device *device(const struct acct_feed *f) {
    assert_int_equal(feed_snapshot(f)->device_count, 1);
    return &feed_snapshot(f)->devices[0];
}

/* The context of this id in a run. */
static const struct snap_context *context(const struct acct_feed *f, struct run run, uint64_t id) {
    for (uint32_t i = run.first; i < run.first + run.count; i++)
        if (feed_snapshot(f)->contexts[i].context == id)
            return &feed_snapshot(f)->contexts[i];
    fail_msg("no context %llu", (unsigned long long)id);
    return NULL;
}

static int64_t sum_of_contexts(const struct acct_feed *f, struct run run) {
    int64_t sum = 0;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        assert_int_equal(feed_snapshot(f)->contexts[i].busy_ns.state, STATE_VALUE);
        sum += feed_snapshot(f)->contexts[i].busy_ns.v;
    }
    return sum;
}

/* ---- whose ----------------------------------------------------------------------------------- */

static void test_owner_is_the_process_of_the_pid(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    feed_process(f, P1, 100, 7);
    WORK(f, 2 * SEC, 300, .client = 5, .pid = 100);
    WORK(f, 2 * SEC, 200, .client = 6, .pid = 100);
    WORK(f, 2 * SEC, 100, .client = 7, .pid = 777);
    feed_end(f, 2 * SEC, "");
    const struct snap_process *p = process(f, 100);
    assert_int_equal(p->contexts.count, 2);
    assert_false(p->by_thread);
    assert_int_equal(p->start, 7);
    assert_true(process(f, 777)->by_thread);
    assert_int_equal(p->clients, 0);
    assert_int_equal(p->client_run.count, 0);
    assert_int_equal(device(f)->clients, 0);
    const struct snap_context *c = context(f, p->contexts, 5);
    check_value(c->busy_ns, 300 * MSEC);
    check_value(c->busy_ppm, 300000);
    assert_false(c->tagged);
    assert_int_equal(c->process, p - feed_snapshot(f)->processes);
    feed_destroy(f);
}

/* Where nobody else tells the time it is the row's, and the device's. */
static void test_contexts_add_up_to_the_process(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    for (int64_t t = 2; t < 6; t++) {
        feed_begin(f, t * SEC);
        WORK(f, t * SEC, 100, .client = 5, .pid = 100, .clock_hz = HZ, .voltage_uv = VOLT);
        WORK(f, t * SEC, 50 * t, .client = 6, .pid = 100, .clock_hz = HZ, .voltage_uv = VOLT);
        TAGGED(f, t * SEC, 10, 6, 3, .pid = 100, .clock_hz = HZ, .voltage_uv = VOLT);
        WORK(f, t * SEC, 20, .client = 9);
        feed_end(f, t * SEC, "");
        const struct snap_process *p = process(f, 100);
        check_value(p->busy_ns, sum_of_contexts(f, p->contexts));
        check_value(p->busy_ppm, 110000 + 50000 * t);
        check_value(stray(f)->busy_ns, sum_of_contexts(f, stray(f)->contexts));
        check_value(device(f)->busy_ppm, 130000 + 50000 * t);
        check_real(p->power.pws, (double)p->busy_ns.v * 1e-9);
    }
    assert_int_equal(process(f, 100)->contexts.count, 3);
    assert_int_equal(stray(f)->contexts.count, 1);
    assert_int_equal(feed_snapshot(f)->contexts[stray(f)->contexts.first].process, UINT32_MAX);
    feed_destroy(f);
}

/* Contexts of nobody stay apart, in order. */
static void test_nobodys(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    TAGGED(f, 2 * SEC, 30, 4, 9, .pid = 0);
    TAGGED(f, 2 * SEC, 20, 4, 1, .pid = 0);
    TAGGED(f, 2 * SEC, 10, 2, 7, .pid = 0);
    WORK(f, 2 * SEC, 40, .client = 4, .pid = -3);
    feed_end(f, 2 * SEC, "");
    struct run run = stray(f)->contexts;
    const struct snap_context *c = &feed_snapshot(f)->contexts[run.first];
    assert_int_equal(run.count, 4);
    assert_true(c[0].context == 2 && c[0].tagged && c[0].tag == 7);
    assert_true(c[1].context == 4 && !c[1].tagged && c[1].tag == 0);
    assert_true(c[2].context == 4 && c[2].tagged && c[2].tag == 1);
    assert_true(c[3].context == 4 && c[3].tagged && c[3].tag == 9);
    check_value(stray(f)->busy_ns, 100 * MSEC);
    feed_destroy(f);
}

/* Work is that of the process that its own record names, also where another used the context before. */
static void test_two_processes_use_one_context(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    for (int i = 0; i < 10; i++) {
        WORK(f, 2 * SEC, 10, .client = 5, .pid = 100);
        WORK(f, 2 * SEC, 20, .client = 5, .pid = 200);
        WORK(f, 2 * SEC, 5, .client = 5);
    }
    feed_end(f, 2 * SEC, "");
    check_value(process(f, 100)->busy_ns, 100 * MSEC);
    check_value(process(f, 200)->busy_ns, 200 * MSEC);
    check_value(stray(f)->busy_ns, 50 * MSEC);
    check_value(context(f, process(f, 200)->contexts, 5)->busy_ns, 200 * MSEC);
    feed_destroy(f);
}

/* ---- counted once ---------------------------------------------------------------------------- */

/* A DRM client that tells 500 ms a tick, and a context of the same work. `late`: its text is read after the
 * stream. */
static void both(struct acct_feed *f, int64_t t_ns, const char *engine, bool late) {
    feed_begin(f, t_ns);
    if (!late)
        feed_read(f, FD, t_ns, 1, SAYS(ENGINE(engine, t_ns / 2)));
    WORK(f, t_ns, 480, .client = 5, .pid = 100, .clock_hz = HZ, .voltage_uv = VOLT);
    WORK(f, t_ns, 10, .client = 6);
    if (late)
        feed_read(f, FD, t_ns, 1, SAYS(ENGINE(engine, t_ns / 2)));
    feed_end(f, t_ns, "");
}

static void clients_count_alone(const char *engine, bool late) {
    struct acct_feed *f = machine();
    feed_process(f, P1, 100, 7);
    feed_holder(f, FD, P1, DEV);
    for (int64_t t = 1; t <= 4; t++)
        both(f, t * SEC, engine, late);
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, 1500 * MSEC);
    check_value(p->busy_ppm, 500000);
    check_value(device(f)->busy_ppm, 500000);
    assert_int_equal(p->engines.count, 1);
    assert_int_equal(device(f)->engines.count, 1);
    check_value(feed_snapshot(f)->engines[device(f)->engines.first].busy_ns, 1500 * MSEC);
    assert_int_equal(p->clients, 1);
    assert_int_equal(device(f)->clients, 1);
    const struct snap_context *c = context(f, p->contexts, 5);
    check_value(c->busy_ns, 4 * 480 * MSEC);
    check_value(c->busy_ppm, 480000);
    check_real_state(p->power.pws, STATE_UNSUPPORTED);
    /* What nobody's contexts did may be what clients told: no sum of it is known. */
    check_state(stray(f)->busy_ns, STATE_UNSUPPORTED);
    check_state(stray(f)->busy_ppm, STATE_UNSUPPORTED);
    check_value(context(f, stray(f)->contexts, 6)->busy_ns, 40 * MSEC);
    feed_destroy(f);
}

static void test_clients_tell_the_time(void **state) {
    (void)state;
    clients_count_alone("render", false);
    clients_count_alone("render", true);
    clients_count_alone("rcs", false);
    clients_count_alone("rcs", true);
}

/* Contexts first: what they did until then stays; from then on they are details. */
static void test_clients_come_later(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    WORK(f, 2 * SEC, 480, .client = 5, .pid = 100);
    feed_end(f, 2 * SEC, "");
    check_value(process(f, 100)->busy_ns, 480 * MSEC);
    feed_holder(f, FD, P1, DEV);
    both(f, 3 * SEC, "render", true);
    check_value(process(f, 100)->busy_ns, 480 * MSEC);
    both(f, 4 * SEC, "render", true);
    check_value(process(f, 100)->busy_ns, 980 * MSEC);
    check_value(process(f, 100)->busy_ppm, 500000);
    check_value(device(f)->busy_ppm, 500000);
    check_value(context(f, process(f, 100)->contexts, 5)->busy_ns, 3 * 480 * MSEC);
    /* A client that is closed does not make the contexts count again. */
    feed_close(f, FD, 5 * SEC, "closed");
    feed_begin(f, 5 * SEC);
    WORK(f, 5 * SEC, 480, .client = 5, .pid = 100);
    feed_end(f, 5 * SEC, "");
    check_value(process(f, 100)->busy_ns, 980 * MSEC);
    feed_destroy(f);
}

/* Clients that tell of other engines, or of memory alone, leave the contexts' work what it is. */
static void test_other_engines_do_not_matter(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    feed_holder(f, FD, P1, DEV);
    for (int64_t t = 1; t <= 3; t++) {
        feed_begin(f, t * SEC);
        feed_read(f, FD, t * SEC, 1,
                  SAYS(ENGINE("video", t * SEC / 4), CAPACITY("render", 1), RESIDENT("vram", MIB)));
        WORK(f, t * SEC, 480, .client = 5, .pid = 100);
        feed_end(f, t * SEC, "");
    }
    const struct snap_process *p = process(f, 100);
    check_value(find_engine(feed_snapshot(f), p->engines, "render")->busy_ns, 3 * 480 * MSEC);
    check_value(find_engine(feed_snapshot(f), p->engines, "video")->busy_ns, 500 * MSEC);
    check_value(p->vram.bytes, MIB);
    feed_destroy(f);
}

/* Nobody's row has no price where its time is not known, though the device has one. */
static void test_no_price_of_details(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    feed_holder(f, FD, P1, DEV);
    for (int64_t t = 1; t <= 4; t++) {
        feed_begin(f, t * SEC);
        TELL(f, STREAM, t * SEC, .metric = METRIC_CLOCK_GFX, .value = 266000000);
        TELL(f, STREAM, t * SEC, .metric = METRIC_VOLTAGE_GFX, .value = 1000000);
        feed_read(f, FD, t * SEC, 1, SAYS(ENGINE("render", t * SEC / 2)));
        WORK(f, t * SEC, 10, .client = 6, .clock_hz = HZ);
        feed_end(f, t * SEC, "");
    }
    check_real(process(f, 100)->power.pw, 0.5);
    check_real(device(f)->power.pw, 0.5);
    assert_int_not_equal(stray(f)->power.pw.state, STATE_VALUE);
    assert_int_not_equal(stray(f)->power.pws.state, STATE_VALUE);
    assert_int_not_equal(stray(f)->power.unpriced_ns.state, STATE_VALUE);
    feed_destroy(f);
}

/* A DRM client that tells 500 ms a tick of an engine, and jobs of the same process of which only its pid is told.
 * The engine that both tell counts once; another one is the jobs' alone. */
static void jobs_beside_clients(const char *engine, int64_t want_ns, bool late) {
    struct acct_feed *f = machine();
    feed_process(f, P1, 100, 7);
    feed_holder(f, FD, P1, DEV);
    for (int64_t t = 1; t <= 4; t++) {
        feed_begin(f, t * SEC);
        for (int i = 0; i < 2; i++)
            if (i != late)
                feed_read(f, FD, t * SEC, 1, SAYS(ENGINE(engine, t * SEC / 2)));
            else
                JOB(f, STREAM, .pid = 100, .client = 100, .name = "pp", .start_ns = (t - 1) * SEC,
                    .end_ns = (t - 1) * SEC + 480 * MSEC, .clock_hz = HZ, .voltage_uv = VOLT);
        feed_end(f, t * SEC, "");
    }
    const struct snap_process *p = process(f, 100);
    check_value(p->busy_ns, want_ns);
    check_value(p->busy_ppm, 500000); /* of the busier engine */
    check_value(device(f)->busy_ppm, 500000);
    /* Who told of an engine: recorded jobs only where no client did. */
    const struct snapshot *snap = feed_snapshot(f);
    for (uint32_t i = 0; i < device(f)->engines.count; i++) {
        const struct snap_engine *e = &snap->engines[device(f)->engines.first + i];
        assert_int_equal(e->jobs, !span_equals(snapshot_text(snap, e->name), engine));
    }
    feed_destroy(f);
}

static void test_jobs_of_a_pid_beside_clients(void **state) {
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        jobs_beside_clients("pp", 1500 * MSEC, late);
        jobs_beside_clients("copy", 1500 * MSEC + 4 * 480 * MSEC, late);
    }
}

/* ---- their price ----------------------------------------------------------------------------- */

static double price(uint32_t assumed_uv, bool sensor, bool before) {
    struct acct_options o = {.assume_voltage_uv = assumed_uv};
    struct acct_feed *f = machine_with(&o);
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    if (sensor && before)
        TELL(f, STREAM, 2 * SEC, .metric = METRIC_VOLTAGE_GFX, .value = 2000000);
    WORK(f, 2 * SEC, 500, .client = 5, .pid = 100, .clock_hz = HZ);
    if (sensor && !before)
        TELL(f, STREAM, 2 * SEC, .metric = METRIC_VOLTAGE_GFX, .value = 2000000);
    feed_end(f, 2 * SEC, "");
    const struct snap_power *p = &process(f, 100)->power;
    double v = p->pws.state == STATE_VALUE ? p->pws.v : -1;
    check_value(p->unpriced_ns, v < 0 ? 500 * MSEC : 0);
    assert_int_equal(v > 0 && (p->pws.doubt & DOUBT_ASSUMED_VOLTAGE), assumed_uv > 0 && !sensor);
    feed_destroy(f);
    return v;
}

static void test_price_by_the_sensor(void **state) {
    (void)state;
    assert_int_equal(metric_info(METRIC_VOLTAGE_GFX)->power, 6);
    assert_true(price(0, true, true) == 2.0);
    assert_true(price(0, true, false) == 2.0);
    assert_true(price(VOLT, true, false) == 2.0);
    assert_true(price(VOLT, false, false) == 0.5);
    assert_true(price(0, false, false) == -1);
}

/* ---- how long -------------------------------------------------------------------------------- */

static void test_not_named_for_long(void **state) {
    struct acct_options o = {.exited_keep_ns = 10 * SEC};
    struct acct_feed *f = machine_with(&o);
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    WORK(f, 2 * SEC, 300, .client = 5, .pid = 100);
    WORK(f, 2 * SEC, 300, .client = 6, .pid = 100);
    feed_end(f, 2 * SEC, "");
    for (int64_t t = 3; t < 20; t++) {
        feed_begin(f, t * SEC);
        WORK(f, t * SEC, 1, .client = 6, .pid = 100);
        feed_end(f, t * SEC, "");
    }
    const struct snap_process *p = process(f, 100);
    assert_int_equal(p->contexts.count, 1);
    check_value(p->busy_ns, (600 + 17) * MSEC);
    tick(f, 40 * SEC);
    assert_int_equal(process(f, 100)->contexts.count, 0);
    check_value(process(f, 100)->busy_ns, (600 + 17) * MSEC);
    feed_destroy(f);
}

/* Over the whole span they stay. */
static void test_whole_span_keeps_them(void **state) {
    struct acct_options o = {.whole_span = true};
    struct acct_feed *f = machine_with(&o);
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    WORK(f, 2 * SEC, 500, .client = 5, .pid = 100);
    feed_counter(f, STREAM, &(struct job){.space = SPACE_CONTEXT, .client = 5, .pid = 100},
                 METRIC_COUNTER_GPU_BUSY, 7, STATE_VALUE);
    feed_end(f, 2 * SEC, "");
    tick(f, 201 * SEC);
    const struct snap_context *c = context(f, process(f, 100)->contexts, 5);
    check_value(c->busy_ppm, 2500);
    check_value(find_metric(feed_snapshot(f), c->counters, METRIC_COUNTER_GPU_BUSY)->value, 7);
    feed_destroy(f);
}

/* More than are kept, in one tick or over many: those named longest ago end, and no time is lost. */
static void many(unsigned a_tick, bool with_pid) {
    struct acct_feed *f = machine();
    int64_t t = 1, told = 0;
    uint64_t id = 0;
    tick(f, SEC);
    while (id < 20000) {
        feed_begin(f, ++t * SEC);
        for (unsigned i = 0; i < a_tick; i++) {
            id++;
            WORK(f, t * SEC, 1, .client = id, .pid = with_pid ? 100 + (int)(id % 3) : 0);
            told += MSEC;
        }
        feed_end(f, t * SEC, "");
        assert_true(feed_snapshot(f)->context_count <= MOST);
        int64_t sum = 0;
        for (int pid = 100; with_pid && pid < 103; pid++)
            sum += process(f, pid)->busy_ns.v;
        sum = with_pid ? sum : stray(f)->busy_ns.v;
        assert_int_equal(sum, told);
    }
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->context_count, MOST);
    for (uint32_t i = 0; i < s->context_count; i++)
        assert_true(s->contexts[i].context > id - MOST);
    assert_false(acct_failed(f->acct));
    feed_destroy(f);
}

static void test_many(void **state) {
    (void)state;
    many(1000, true);
    many(10000, true);
    many(20000, false);
}

/* A counter of one that ended for others brings it not back. */
static void test_counter_of_one_that_ended(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    for (unsigned i = 0; i <= MOST; i++)
        WORK(f, 2 * SEC, 1, .client = i, .pid = 100);
    for (unsigned i = 0; i < 2; i++)
        feed_counter(f, STREAM, &(struct job){.space = SPACE_CONTEXT, .client = i, .pid = 100},
                     METRIC_COUNTER_A0, 7, STATE_VALUE);
    feed_end(f, 2 * SEC, "");
    struct run run = process(f, 100)->contexts;
    assert_int_equal(run.count, MOST);
    assert_int_equal(feed_snapshot(f)->contexts[run.first].context, 1);
    assert_int_equal(context(f, run, 1)->counters.count, 1);
    feed_destroy(f);
}

/* One that is named again is not the oldest any more. */
static void test_named_again(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    for (unsigned i = 0; i < MOST; i++)
        WORK(f, 2 * SEC, 1, .client = i, .pid = 100);
    feed_end(f, 2 * SEC, "");
    feed_begin(f, 3 * SEC);
    WORK(f, 3 * SEC, 1, .client = 0, .pid = 100);
    WORK(f, 3 * SEC, 1, .client = MOST, .pid = 100);
    feed_end(f, 3 * SEC, "");
    struct run run = process(f, 100)->contexts;
    assert_int_equal(run.count, MOST);
    check_value(context(f, run, 0)->busy_ns, 2 * MSEC);
    assert_int_equal(feed_snapshot(f)->contexts[run.first + 1].context, 2);
    check_value(process(f, 100)->busy_ns, (MOST + 2) * MSEC);
    feed_destroy(f);
}

/* More processes than are kept apart: nobody's, and nothing is lost. */
static void test_many_processes(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    for (int i = 1; i <= 20000; i++)
        WORK(f, 2 * SEC, 1, .client = 1, .pid = i);
    feed_end(f, 2 * SEC, "");
    int64_t sum = stray(f)->busy_ns.v;
    const struct snapshot *s = feed_snapshot(f);
    for (uint32_t i = 0; i < s->process_count; i++)
        sum += s->processes[i].busy_ns.v;
    assert_int_equal(sum, 20000 * MSEC);
    assert_true(s->context_count <= MOST && s->process_count <= 8192);
    feed_destroy(f);
}

/* The stream is closed, the device goes: they end, and the totals stay. */
static void test_end_with_the_stream(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    WORK(f, 2 * SEC, 300, .client = 5, .pid = 100);
    feed_end(f, 2 * SEC, "");
    feed_close(f, STREAM, 3 * SEC, "closed");
    tick(f, 3 * SEC);
    assert_int_equal(feed_snapshot(f)->context_count, 0);
    check_value(process(f, 100)->busy_ns, 300 * MSEC);
    feed_close(f, DEV, 4 * SEC, "closed");
    tick(f, 4 * SEC);
    check_value(process(f, 100)->busy_ns, 300 * MSEC);
    feed_destroy(f);
}

static void test_end_with_the_process(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    WORK(f, 2 * SEC, 300, .client = 5, .pid = 100);
    feed_end(f, 2 * SEC, "");
    feed_begin(f, 3 * SEC);
    feed_close(f, P1, 3 * SEC, "exited");
    WORK(f, 3 * SEC, 100, .client = 5, .pid = 100);
    feed_end(f, 3 * SEC, "");
    assert_true(process(f, 100)->exited);
    check_value(process(f, 100)->busy_ns, 400 * MSEC);
    feed_destroy(f);
}

/* ---- counters -------------------------------------------------------------------------------- */

static const struct snap_metric *counter(const struct acct_feed *f, struct run run, uint64_t id,
                                         enum metric metric) {
    return find_metric(feed_snapshot(f), context(f, run, id)->counters, metric);
}

static void test_counters(void **state) {
    struct acct_feed *f = machine();
    const struct job five = {.space = SPACE_CONTEXT, .client = 5, .pid = 100};
    const struct job tag = {.space = SPACE_TAGGED, .client = client_tagged(5, 2), .pid = 100};
    (void)state;
    tick(f, SEC);
    feed_begin(f, 2 * SEC);
    feed_counter(f, STREAM, &five, METRIC_COUNTER_A3, 33, STATE_VALUE);
    feed_counter(f, STREAM, &five, METRIC_COUNTER_GPU_BUSY, 400000, STATE_VALUE);
    feed_counter(f, STREAM, &five, METRIC_COUNTER_EU_ACTIVE, 0, STATE_UNSUPPORTED);
    feed_counter(f, STREAM, &five, METRIC_CLOCK_GFX, 1, STATE_VALUE);
    feed_counter(f, STREAM, &tag, METRIC_COUNTER_A3, 44, STATE_VALUE);
    feed_end(f, 2 * SEC, "");
    struct run run = process(f, 100)->contexts;
    assert_int_equal(run.count, 2);
    const struct snap_context *c = context(f, run, 5);
    const struct snap_metric *m = &feed_snapshot(f)->metrics[c->counters.first];
    assert_int_equal(c->counters.count, 3);
    assert_true(m[0].metric < m[1].metric && m[1].metric < m[2].metric);
    check_value(counter(f, run, 5, METRIC_COUNTER_A3)->value, 33);
    check_state(counter(f, run, 5, METRIC_COUNTER_EU_ACTIVE)->value, STATE_UNSUPPORTED);
    assert_int_equal(c[1].tag, 2);
    check_value(find_metric(feed_snapshot(f), c[1].counters, METRIC_COUNTER_A3)->value, 44);
    /* Nothing is told of its time. */
    check_state(c->busy_ns, STATE_UNSUPPORTED);
    check_state(c->busy_ppm, STATE_UNSUPPORTED);
    /* The device's own are its metrics. */
    assert_int_equal(device(f)->metrics.count, 0);
    feed_begin(f, 3 * SEC);
    feed_counter(f, STREAM, &five, METRIC_COUNTER_GPU_BUSY, 500000, STATE_VALUE);
    feed_end(f, 3 * SEC, "");
    run = process(f, 100)->contexts;
    assert_int_equal(context(f, run, 5)->counters.count, 1);
    check_value(counter(f, run, 5, METRIC_COUNTER_GPU_BUSY)->value, 500000);
    feed_destroy(f);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void one_tick(struct acct_feed *f, int64_t t) {
    feed_begin(f, t * SEC);
    for (unsigned i = 0; i < 50; i++) {
        WORK(f, t * SEC, 1, .client = i, .pid = 100 + (int)i % 7, .clock_hz = HZ);
        TAGGED(f, t * SEC, 1, i, 3, .pid = 0);
        const struct job of = {.space = SPACE_CONTEXT, .client = i, .pid = 100 + (int)i % 7};
        for (unsigned m = METRIC_COUNTER_GPU_TIME; m < METRIC_COUNTER_A10; m++)
            feed_counter(f, STREAM, &of, (enum metric)m, t, STATE_VALUE);
    }
    feed_end(f, t * SEC, "");
}

static void test_steady_tick_allocates_nothing(void **state) {
    (void)state;
    if (!allocations_counted())
        skip();
    struct acct_feed *f = machine();
    for (int64_t t = 1; t < 6; t++)
        one_tick(f, t);
    unsigned long before = allocations_so_far();
    for (int64_t t = 6; t < 10; t++)
        one_tick(f, t);
    assert_int_equal(allocations_so_far(), before);
    feed_destroy(f);
}

static void test_copy(void **state) {
    struct acct_feed *f = machine();
    struct acct_feed *g = machine();
    struct snapshot *dup = NULL;
    (void)state;
    for (int64_t t = 1; t < 5; t++)
        one_tick(f, t);
    one_tick(g, 1);
    assert_int_equal(acct_copy(g->acct, f->acct), ERR_OK);
    assert_int_equal(feed_snapshot(g)->context_count, 100);
    check_same(feed_snapshot(g), feed_snapshot(f));
    assert_int_equal(snapshot_dup(feed_snapshot(f), &dup), ERR_OK);
    check_same(feed_snapshot(g), dup);
    snapshot_free(dup);
    for (int64_t t = 5; t < 8; t++) {
        one_tick(f, t);
        one_tick(g, t);
    }
    check_same(feed_snapshot(g), feed_snapshot(f));
    feed_destroy(f);
    feed_destroy(g);
}

/* Numbers at their ends, a client and a context of one number, a device that nobody knows. */
static void test_hostile(void **state) {
    struct acct_feed *f = machine();
    (void)state;
    feed_process(f, P1, 100, 7);
    feed_holder(f, FD, P1, DEV);
    for (int64_t t = 1; t < 4; t++) {
        feed_begin(f, t * SEC);
        WORK(f, t * SEC, 1, .client = UINT64_MAX, .pid = INT32_MAX);
        WORK(f, t * SEC, -1, .client = UINT64_MAX, .pid = INT32_MIN);
        JOB(f, STREAM, .space = SPACE_CONTEXT, .client = 0, .pid = 1, .name = "render",
            .start_ns = INT64_MIN, .end_ns = INT64_MAX, .clock_hz = UINT64_MAX);
        TAGGED(f, t * SEC, 1, UINT32_MAX, UINT32_MAX, .pid = 5, .device = 4000);
        feed_read(f, FD, t * SEC, UINT64_MAX, SAYS(ENGINE("render", t * SEC)));
        feed_read_as(f, FD, t * SEC, SPACE_CONTEXT, 9, NULL, SAYS(ENGINE("render", t * SEC)),
                     &(const struct counts){.accepted = 1});
        WORK(f, t * SEC, 1, .client = 9);
        feed_read_as(f, STREAM, t * SEC, SPACE_CONTEXT, 3, NULL, SAYS(ENGINE("render", t * SEC)),
                     &(const struct counts){.accepted = 1});
        feed_end(f, t * SEC, "");
    }
    assert_true(feed_snapshot(f)->context_count >= 3);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner_is_the_process_of_the_pid),
        cmocka_unit_test(test_contexts_add_up_to_the_process),
        cmocka_unit_test(test_nobodys),
        cmocka_unit_test(test_two_processes_use_one_context),
        cmocka_unit_test(test_clients_tell_the_time),
        cmocka_unit_test(test_clients_come_later),
        cmocka_unit_test(test_other_engines_do_not_matter),
        cmocka_unit_test(test_no_price_of_details),
        cmocka_unit_test(test_jobs_of_a_pid_beside_clients),
        cmocka_unit_test(test_price_by_the_sensor),
        cmocka_unit_test(test_not_named_for_long),
        cmocka_unit_test(test_whole_span_keeps_them),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_counter_of_one_that_ended),
        cmocka_unit_test(test_named_again),
        cmocka_unit_test(test_many_processes),
        cmocka_unit_test(test_end_with_the_stream),
        cmocka_unit_test(test_end_with_the_process),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_steady_tick_allocates_nothing),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
