/*
 * The laws of hardware contexts, over machines that a generator with fixed seeds makes up: contexts and tags
 * of processes that come, exit and hand them on, streams that are closed, devices that go, beside
 * DRM clients or without. Nothing is lost and nothing is counted twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "acct/work.h"
#include "acct_feed.h"

enum { SEEDS = 24, TICKS = 40, PROCESSES = 12, MOST = 4096 };
enum { DEV = 1, STREAM = 2, FIRST_PROCESS = 10, FIRST_HOLDER = 40 };

struct model {
    struct acct_feed *f;
    uint64_t random;
    int64_t t_ns;
    uint32_t contexts; /* that may be named */
    bool clients;      /* DRM clients tell the same engine, from the start on */
    bool open[PROCESSES];
    uint64_t client[PROCESSES];
    uint64_t start;
    int64_t told;    /* by jobs */
    int64_t counted; /* by clients, since their first reading */
    int64_t busy[PROCESSES];
    bool read[PROCESSES];
};

static uint64_t roll(struct model *m, uint64_t n) {
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (m->random >> 33) % n;
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void turn_process(struct model *m, unsigned i) {
    if (m->open[i]) {
        if (m->clients)
            feed_close(m->f, FIRST_HOLDER + i, m->t_ns, "closed");
        feed_close(m->f, FIRST_PROCESS + i, m->t_ns, roll(m, 2) ? "exited" : "closed");
    } else {
        feed_process(m->f, FIRST_PROCESS + i, 100 + (int32_t)i, ++m->start);
        if (m->clients)
            feed_holder(m->f, FIRST_HOLDER + i, FIRST_PROCESS + i, DEV);
        m->read[i] = false;
        m->client[i] = m->start;
        m->busy[i] = 0;
    }
    m->open[i] = !m->open[i];
}

static void read_client(struct model *m, unsigned i) {
    int64_t more = (int64_t)roll(m, 1000) * 10000;
    if (!m->open[i] || !m->clients)
        return;
    m->busy[i] += more;
    m->counted += m->read[i] ? more : 0;
    m->read[i] = true;
    feed_read(m->f, FIRST_HOLDER + i, m->t_ns, m->client[i], SAYS(ENGINE("render", m->busy[i])));
}

static struct job some_context(struct model *m) {
    uint32_t id = (uint32_t)roll(m, m->contexts);
    bool tagged = roll(m, 4) == 0;
    return (struct job){.space = tagged ? SPACE_TAGGED : SPACE_CONTEXT,
                        .client = tagged ? client_tagged(id, (uint32_t)roll(m, 3)) : id,
                        .pid = roll(m, 5) ? 95 + (int32_t)roll(m, 20) : 0};
}

static void tell_job(struct model *m) {
    struct job j = some_context(m);
    j.subject = STREAM;
    j.name = "render";
    j.start_ns = m->t_ns - SEC;
    j.end_ns = j.start_ns + (int64_t)roll(m, 1000) * 1000;
    j.clock_hz = roll(m, 3) ? 300000000 : 0;
    j.voltage_uv = roll(m, 3) ? 900000 : 0;
    m->told += j.end_ns - j.start_ns;
    feed_job(m->f, &j);
}

static void tell_counter(struct model *m) {
    struct job j = some_context(m);
    feed_counter(m->f, STREAM, &j, METRIC_COUNTER_GPU_TIME + (unsigned)roll(m, 30),
                 (int64_t)roll(m, 1000), roll(m, 9) ? STATE_VALUE : STATE_UNSUPPORTED);
}

static void one_tick(struct model *m, bool calm) {
    uint64_t n = 1 + roll(m, m->contexts > 1000 ? 3000 : 60);
    m->t_ns += SEC;
    feed_begin(m->f, m->t_ns);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (!calm && roll(m, 8) == 0)
            turn_process(m, i);
    if (!calm && roll(m, 10) == 0) {
        feed_close(m->f, STREAM, m->t_ns, "closed");
        feed_stream(m->f, STREAM, DEV, 0, 1);
    }
    for (unsigned i = 0; i < PROCESSES; i += 2)
        read_client(m, i);
    for (uint64_t i = 0; i < n; i++)
        (roll(m, 4) ? tell_job : tell_counter)(m);
    for (unsigned i = 1; i < PROCESSES; i += 2)
        read_client(m, i);
    feed_end(m->f, m->t_ns, "");
}

/* ---- what holds ------------------------------------------------------------------------------ */

static int64_t busy_of_rows(const struct snapshot *s) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < s->process_count; i++)
        sum += s->processes[i].busy_ns.state == STATE_VALUE ? s->processes[i].busy_ns.v : 0;
    const struct snap_unattributed *u = find_loose(s, "(unknown pid)");
    return sum + (u && u->busy_ns.state == STATE_VALUE ? u->busy_ns.v : 0);
}

/* The contexts of a run are those of its row, in order, and do no more than it did. */
static void check_run(const struct snapshot *s, struct run run, uint32_t process,
                      struct value busy) {
    int64_t sum = 0;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_context *c = &s->contexts[i];
        assert_int_equal(c->process, process);
        if (i > run.first)
            assert_true(c[-1].context < c->context ||
                        (c[-1].context == c->context &&
                         (c[-1].tagged < c->tagged || (c[-1].tagged && c[-1].tag < c->tag) ||
                          process == UINT32_MAX)));
        sum += c->busy_ns.state == STATE_VALUE ? c->busy_ns.v : 0;
        for (uint32_t k = 1; k < c->counters.count; k++)
            assert_true(s->metrics[c->counters.first + k - 1].metric <
                        s->metrics[c->counters.first + k].metric);
    }
    if (busy.state == STATE_VALUE)
        assert_true(sum <= busy.v);
}

/* The list by age holds all contexts there are, each once. */
static void check_list(const struct acct *a) {
    const struct device *d = device_at(a, 0);
    uint32_t n = 0, before = NONE;
    uint64_t seq = 0;
    for (uint32_t i = d->oldest_context; i != NONE; i = context_at(a, i)->newer) {
        const struct context *x = context_at(a, i);
        assert_int_equal(x->older, before);
        assert_true(x->seq >= seq);
        assert_int_equal(client_at(a, x->client)->context, i);
        assert_true(++n <= MOST);
        seq = x->seq;
        before = i;
    }
    assert_int_equal(d->newest_context, before);
    assert_int_equal(d->contexts, n);
    assert_true(d->client_count >= n);
}

static void check(const struct model *m) {
    const struct snapshot *s = feed_snapshot(m->f);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        check_run(s, p->contexts, i, m->clients ? value_none(STATE_UNKNOWN) : p->busy_ns);
        listed += p->contexts.count;
    }
    const struct snap_unattributed *u = find_loose(s, "(unknown pid)");
    if (u) {
        check_run(s, u->contexts, UINT32_MAX, m->clients ? value_none(STATE_UNKNOWN) : u->busy_ns);
        listed += u->contexts.count;
    }
    assert_int_equal(listed, s->context_count);
    assert_true(s->context_count <= MOST);
    assert_int_equal(busy_of_rows(s), m->clients ? m->counted : m->told);
    const struct snap_engine *e = find_engine(s, s->devices[0].engines, "render");
    if (e && e->busy_ns.state == STATE_VALUE)
        assert_int_equal(e->busy_ns.v, m->clients ? m->counted : m->told);
    check_list(m->f->acct);
    assert_false(acct_failed(m->f->acct));
}

static struct model start(unsigned seed) {
    static const struct acct_options keep = {.exited_keep_ns = INT64_C(1) << 50};
    struct model m = {.f = feed_create(&keep),
                      .random = seed * 77 + 1,
                      .contexts = seed % 4 == 0 ? 9000 : 40,
                      .clients = seed & 1,
                      .start = 5};
    feed_machine(m.f);
    feed_device(m.f, DEV, "0000:00:02.0", "driver=i915\n");
    feed_stream(m.f, STREAM, DEV, 0, 1);
    if (m.clients) { /* told from the first tick on */
        turn_process(&m, 0);
        feed_begin(m.f, m.t_ns += SEC);
        read_client(&m, 0);
        feed_end(m.f, m.t_ns, "");
    }
    return m;
}

static void nothing_is_lost(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct model m = start(seed);
        for (int t = 0; t < TICKS; t++) {
            one_tick(&m, false);
            check(&m);
        }
        feed_close(m.f, STREAM, m.t_ns, "closed");
        feed_begin(m.f, m.t_ns += SEC);
        feed_end(m.f, m.t_ns, "");
        check(&m);
        assert_int_equal(feed_snapshot(m.f)->context_count, 0);
        feed_destroy(m.f);
    }
}

/* A checkpoint goes on as what it was taken of. */
static void checkpoints(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct model m = start(seed);
        struct acct_feed *copy = feed_create(NULL);
        for (int t = 0; t < 10; t++)
            one_tick(&m, false);
        assert_int_equal(acct_copy(copy->acct, m.f->acct), ERR_OK);
        check_same(feed_snapshot(copy), feed_snapshot(m.f));
        struct model other = m;
        other.f = copy;
        for (unsigned i = 0; i < FEED_SUBJECTS; i++)
            copy->subjects[i] = m.f->subjects[i];
        for (int t = 0; t < 10; t++) {
            one_tick(&m, false);
            one_tick(&other, false);
            check_same(feed_snapshot(copy), feed_snapshot(m.f));
        }
        check(&other);
        feed_destroy(m.f);
        feed_destroy(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
