/* A live source, the bus behind it, and what both brought in a tick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "livebus.h"

#define SECOND_NS INT64_C(1000000000)

static void on_job(void *ctx, const struct job *j) {
    struct livebus *b = ctx;
    b->jobs++;
    b->busy_ns += j->end_ns - j->start_ns;
    b->job = *j;
}

void livebus_start(struct livebus *b, const struct backend_table *table, const char *root,
                   const struct host_io *io, const char *facts) {
    const struct host_options o = {
        .root = root, .io = io, .delay_ns = SECOND_NS, .machine_facts = facts};
    const struct subscriber told = told_subscriber(&b->told);
    const struct subscriber jobs = {.sink = {.ctx = b, .job = on_job}};
    assert_int_equal(host_create(&o, &b->host, NULL), ERR_OK);
    assert_int_equal(live_create(b->host, table, &b->live, NULL), ERR_OK);
    assert_int_equal(bus_create(table, &b->bus), ERR_OK);
    assert_int_equal(bus_subscribe(b->bus, &told), ERR_OK);
    assert_int_equal(bus_subscribe(b->bus, &jobs), ERR_OK);
}

static void take(void *ctx, const struct subject *s, const struct frame *f) {
    struct livebus *b = ctx;
    struct frame_sink seen = seen_sink(&b->seen);
    seen.frame(seen.ctx, s, f);
    bus_frame(b->bus, s, f);
}

void livebus_tick(struct livebus *b) {
    struct frame_sink sink = {b, take};
    seen_clear(&b->seen);
    told_clear(&b->told);
    b->jobs = 0;
    b->busy_ns = 0;
    b->now_ns += SECOND_NS;
    assert_int_equal(b->live->ops->read(b->live, b->now_ns, &sink), ERR_OK);
}

void livebus_stop(struct livebus *b) {
    if (b->live)
        b->live->ops->close(b->live);
    bus_destroy(b->bus);
    host_destroy(b->host);
    b->live = NULL;
    b->bus = NULL;
    b->host = NULL;
    seen_finish(&b->seen);
}

void livebus_finish(struct livebus *b) {
    livebus_stop(b);
    told_finish(&b->told);
}
