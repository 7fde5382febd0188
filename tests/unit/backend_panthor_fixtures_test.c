/*
 * The rings of fixtures/panthor, which tests/synth/panthor.c made, by hand. A G610 at 500 MHz is busy for 20 % of the
 * first 200 ms and 5 points more in each next; nine tenths of that on three cores, half as much on the fourth. A G715
 * counts clocks as active in which it was idle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/panthor/panthor.h"
#include "gwtop/backend.h"
#include "gwtop/source.h"

#define M(name) METRIC_COUNTER_MALI_##name

struct heard {
    int64_t t_ns[16];
    int64_t busy[16];
    unsigned count;
    int64_t last[METRIC_COUNT]; /* of all cores; -1: no value */
    int64_t last_core[64];
};

static void on_sample(void *ctx, const struct sample *s) {
    struct heard *h = ctx;
    int64_t value = s->state == STATE_VALUE ? s->value : -1;
    assert_int_equal(s->doubt, 0);
    if (s->index != INDEX_NONE) {
        assert_true(s->index < 64);
        h->last_core[s->index] = s->metric == M(SHADER_BUSY) ? value : h->last_core[s->index];
        return;
    }
    h->last[s->metric] = value;
    if (s->metric != M(GPU_BUSY))
        return;
    assert_true(h->count < 16);
    h->t_ns[h->count] = s->t_ns;
    h->busy[h->count++] = value;
}

static void read_whole(struct buf *b, const char *path) {
    char piece[4096];
    FILE *f = fopen(path, "rb");
    size_t n;
    assert_non_null(f);
    buf_init(b);
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_put(b, piece, n);
    fclose(f);
}

static void run(struct heard *h, const char *path, const char *facts, uint64_t samples) {
    const struct sink sink = {.ctx = h, .sample = on_sample};
    const struct subject s = {.id = 2, .device = 1, .name = "", .facts = facts};
    void *state = calloc(1, panthor_ring_fold.size);
    struct counts counts = {0};
    struct buf b;
    assert_non_null(state);
    read_whole(&b, path);
    assert_true(panthor_ring_file.recognise(buf_span_of(&b), false));
    panthor_ring_fold.init(state, &s);
    const struct frame f = {.bytes = b.p, .size = b.n, .kind = PANTHOR_RING};
    panthor_ring_fold.feed(state, &s, &f, &sink, &counts);
    panthor_ring_fold.tick(state, &s, 0, &sink, &counts);
    assert_int_equal(counts.accepted, samples);
    assert_int_equal(counts.ignored + counts.malformed + counts.truncated, 0);
    free(state);
    buf_finish(&b);
}

static void test_g610(void **state) {
    struct heard h = {0};
    (void)state;
    run(&h, "fixtures/panthor/ring/panthor.ring",
        "gpu_id=0xa8670000\nl2_features=0x07000000\ntimestamp_hz=24000000\nclock_hz=500000000\n"
        "shader_present=0x10015\neach=1\n",
        11);
    assert_int_equal(h.count, 11);
    assert_int_equal(h.busy[0], -1);
    for (unsigned i = 1; i < 11; i++) {
        assert_int_equal(h.busy[i], 200000 + 50000 * i);
        assert_true(h.t_ns[i] == 5000000000 + 200000000 * (int64_t)i);
    }
    assert_int_equal(h.last[M(MCU_LOAD)], 20000);
    assert_int_equal(h.last[M(FRAGMENT_QUEUE)], 750000);
    assert_int_equal(h.last[M(COMPUTE_QUEUE)], 250000);
    assert_int_equal(h.last[M(TILER_QUEUE)], 100000);
    assert_int_equal(h.last[M(TILER)], 125000);
    assert_int_equal(h.last[M(SHADER_BUSY)], 787500);
    assert_int_equal(h.last[M(FRAGMENT_SHARE)], 800000);
    assert_int_equal(h.last[M(EXECUTION_CORE)], 500000);
    assert_int_equal(h.last[M(L2_READ_MISS)], 200000);
    assert_int_equal(h.last[M(L2_WRITE_MISS)], 100000);
    assert_int_equal(h.last[M(READ_STALL)], 100000);
    assert_int_equal(h.last[M(WRITE_STALL)], 20000);
    assert_int_equal(h.last[M(READ_BANDWIDTH)], 224000000); /* 2.8 M beats of 16 bytes */
    assert_int_equal(h.last[M(WRITE_BANDWIDTH)], 56000000);
    assert_int_equal(h.last_core[0], 900000);
    assert_int_equal(h.last_core[2], 900000);
    assert_int_equal(h.last_core[4], 900000);
    assert_int_equal(h.last_core[16], 450000);
}

/* All of it as one tick: 25 to 70 %, without the first sample, which has no beginning. */
static void test_g610_tick(void **state) {
    struct heard h = {0};
    (void)state;
    run(&h, "fixtures/panthor/ring/panthor.ring", "timestamp_hz=24000000\nclock_hz=500000000\n",
        11);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.busy[0], 475000);
    assert_int_equal(h.last[METRIC_ACTIVITY_GFX], 475000);
    assert_int_equal(h.last[M(READ_BANDWIDTH)], -1);
    assert_int_equal(h.last_core[3], 450000);
}

static void test_g715(void **state) {
    struct heard h = {0};
    (void)state;
    run(&h, "fixtures/panthor/ring-g715/panthor.ring",
        "gpu_id=0xb8020000\nl2_features=0x08000000\ntimestamp_hz=24000000\nclock_hz=500000000\n"
        "each=1\n",
        5);
    assert_int_equal(h.busy[4], 400000);
    assert_int_equal(h.last[M(FRAGMENT_QUEUE)], 750000);
    assert_int_equal(h.last[M(SHADER_BUSY)], 675000);
    assert_int_equal(h.last[M(READ_BANDWIDTH)], 256000000); /* 1.6 M beats of 32 bytes */
}

/* ---- as a file that is replayed -------------------------------------------------------------------- */

struct replayed {
    size_t bytes[16]; /* of each tick */
    int64_t t_ns[16]; /* of its frames */
    unsigned ticks;
};

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct replayed *r = ctx;
    (void)s;
    assert_true(r->ticks < 16);
    if (f->kind == PANTHOR_RING)
        r->bytes[r->ticks] += f->size;
    r->t_ns[r->ticks] = f->t_ns;
    r->ticks += f->kind == FRAME_END;
}

/* In ticks of its own time: every sample stands in that in which it ended. */
static void test_replayed(void **state) {
    static const size_t sample = 56 + 7 * (24 + 8 * 64);
    unsigned backend = backend_find(&backend_table, span_of("panthor"));
    struct source *s = NULL;
    struct replayed r = {0};
    const struct frame_sink sink = {.ctx = &r, .frame = on_frame};
    (void)state;
    if (backend == 0)
        skip();
    assert_int_equal(file_open("fixtures/panthor/ring/panthor.ring", &backend_table, backend,
                               PANTHOR_RING - FRAME_BACKEND, "", 200000000, &s, NULL),
                     ERR_OK);
    while (s->ops->read(s, 0, &sink) == ERR_OK)
        continue;
    s->ops->close(s);
    assert_int_equal(r.ticks, 11);
    assert_int_equal(r.bytes[0], 0);
    assert_int_equal(r.bytes[1], 44 + 2 * sample);
    for (unsigned i = 2; i < r.ticks; i++)
        assert_int_equal(r.bytes[i], sample);
    for (unsigned i = 0; i < r.ticks; i++)
        assert_true(r.t_ns[i] == 5000000000 + 200000000 * (int64_t)i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g610),
        cmocka_unit_test(test_g610_tick),
        cmocka_unit_test(test_g715),
        cmocka_unit_test(test_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
