/* Time travel in a trace: a return is as if one had never gone on, and a look ahead moves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tracegen.h"

#define TICKS 150 /* two and a half zstd frames */

struct travel {
    struct buf bytes;
    struct source *trace;
    struct trace_mark *marks[TICKS + 1];
    struct framelog logs[TICKS]; /* of each tick, as first seen */
};

static void assert_same(const struct buf *a, const struct buf *b) {
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->p, b->p, a->n);
}

static void travel_start(struct travel *v, bool compress) {
    struct tracegen g = {.seed = 77, .ticks = TICKS, .body_max = 400};
    memset(v, 0, sizeof *v);
    tracegen_bytes(&g, compress, &v->bytes, NULL);
    v->trace = trace_of_bytes(v->bytes.p, v->bytes.n);
    for (unsigned i = 0; i < TICKS; i++) {
        struct frame_sink sink = framelog_sink(&v->logs[i]);
        assert_int_equal(trace_mark_take(v->trace, &v->marks[i]), ERR_OK);
        assert_int_equal(v->trace->ops->read(v->trace, 0, &sink), ERR_OK);
    }
    assert_int_equal(trace_mark_take(v->trace, &v->marks[TICKS]), ERR_OK);
}

static void travel_end(struct travel *v) {
    v->trace->ops->close(v->trace);
    for (unsigned i = 0; i <= TICKS; i++) {
        trace_mark_free(v->marks[i]);
    }
    for (unsigned i = 0; i < TICKS; i++) {
        buf_finish(&v->logs[i].text);
    }
    buf_finish(&v->bytes);
}

static uint64_t tick_of(const struct source *trace) {
    struct trace_place place;
    trace_place(trace, &place);
    assert_true(place.at <= place.size);
    return place.tick;
}

static void read_same(struct travel *v, unsigned tick) {
    struct framelog again = {0};
    struct frame_sink sink = framelog_sink(&again);
    assert_int_equal(tick_of(v->trace), tick);
    assert_int_equal(v->trace->ops->read(v->trace, 0, &sink), ERR_OK);
    assert_same(&again.text, &v->logs[tick].text);
    buf_finish(&again.text);
}

static void returns(bool compress) {
    struct travel *v = malloc(sizeof *v);
    uint32_t random = 99;
    travel_start(v, compress);
    for (unsigned i = 0; i < 300; i++) {
        unsigned to = random_next(&random) % (TICKS + 1);
        assert_int_equal(trace_mark_return(v->trace, v->marks[to]), ERR_OK);
        for (unsigned on = to; on < TICKS && on < to + random_next(&random) % 4; on++) {
            read_same(v, on);
        }
    }
    struct framelog none = {0};
    assert_int_equal(trace_mark_return(v->trace, v->marks[TICKS]), ERR_OK);
    assert_int_equal(trace_play(v->trace, &none), ERR_END);
    assert_int_equal(none.frames, 0);
    assert_int_equal(trace_mark_return(v->trace, v->marks[0]), ERR_OK);
    read_same(v, 0);
    assert_null(trace_note(v->trace));
    travel_end(v);
    free(v);
}

static void plain_returns(void **state) {
    (void)state;
    returns(false);
}

static void compressed_returns(void **state) {
    (void)state;
    returns(true);
}

static bool count_calls(void *ctx, int ppm) {
    unsigned *calls = ctx;
    assert_true(ppm >= 0 && ppm <= 1000000);
    return ++*calls < 3;
}

static void scans(bool compress) {
    struct travel *v = malloc(sizeof *v);
    struct trace_extent all;
    travel_start(v, compress);
    assert_int_equal(trace_mark_return(v->trace, v->marks[0]), ERR_OK);
    assert_int_equal(trace_scan(v->trace, &all, NULL, NULL), ERR_OK);
    assert_int_equal(all.ticks, TICKS);
    assert_true(all.first_ns > 0 &&
                all.last_ns - all.first_ns >= (TICKS - 1) * INT64_C(1000000000));
    read_same(v, 0);
    for (unsigned from = 0; from <= TICKS; from += 25) { /* from its start, wherever one stands */
        struct trace_extent again;
        assert_int_equal(trace_mark_return(v->trace, v->marks[from]), ERR_OK);
        assert_int_equal(trace_scan(v->trace, &again, NULL, NULL), ERR_OK);
        assert_int_equal(again.ticks, all.ticks);
        assert_int_equal(again.first_ns, all.first_ns);
        assert_int_equal(again.last_ns, all.last_ns);
        if (from < TICKS) {
            read_same(v, from);
        }
    }
    travel_end(v);
    free(v);
}

static void plain_scans(void **state) {
    (void)state;
    scans(false);
}

static void compressed_scans(void **state) {
    (void)state;
    scans(true);
}

static void scan_can_be_left(void **state) {
    (void)state;
    struct tracegen g = {.seed = 3, .ticks = 400, .body_max = 20000};
    struct buf bytes = {0};
    struct trace_extent extent;
    unsigned calls = 0;
    tracegen_bytes(&g, false, &bytes, NULL);
    assert_true(bytes.n > (5 << 20));
    struct source *trace = trace_of_bytes(bytes.p, bytes.n);
    assert_int_equal(trace_scan(trace, &extent, count_calls, &calls), ERR_AGAIN);
    assert_int_equal(calls, 3);
    assert_true(extent.ticks > 0 && extent.ticks < 400);
    assert_int_equal(tick_of(trace), 0);
    assert_int_equal(trace_scan(trace, &extent, NULL, NULL), ERR_OK);
    assert_int_equal(extent.ticks, 400);
    trace->ops->close(trace);
    buf_finish(&bytes);
}

/* The look ahead stops where playing would: at the first damage. */
static void scan_sees_damage(void **state) {
    (void)state;
    struct tracegen g = {.seed = 4, .ticks = 9, .body_max = 100};
    struct buf bytes = {0};
    tracegen_bytes(&g, false, &bytes, NULL);
    for (size_t n = 14; n < bytes.n; n += 7) {
        struct trace_extent extent;
        struct framelog log = {.bare = true};
        struct source *trace = trace_of_bytes(bytes.p, n);
        assert_int_equal(trace_scan(trace, &extent, NULL, NULL), ERR_OK);
        char *said = trace_note(trace) ? strdup(trace_note(trace)) : NULL;
        assert_int_equal(trace_play(trace, &log), ERR_END);
        assert_int_equal(extent.ticks, tick_of(trace));
        if (said) {
            assert_string_equal(said, trace_note(trace));
        } else {
            assert_null(trace_note(trace));
        }
        trace->ops->close(trace);
        buf_finish(&log.text);
        free(said);
    }
    buf_finish(&bytes);
}

/* ---- zstd as others write it -------------------------------------------------------------------- */

static void put_packed(struct buf *out, const char *p, size_t n) {
    size_t most = ZSTD_compressBound(n);
    assert_true(buf_reserve(out, most));
    size_t got = ZSTD_compress(out->p + out->n, most, p, n, 1);
    assert_false(ZSTD_isError(got));
    out->n += got;
}

/* A zstd frame for every few bytes, with skippable and empty ones between: more starts than are kept. */
static void crumbs_return(void **state) {
    (void)state;
    static const char skippable[] = "\x53\x2a\x4d\x18\x04\x00\x00\x00note";
    struct tracegen g = {.seed = 8, .ticks = 20, .body_max = 60};
    struct buf plain = {0};
    struct buf packed = {0};
    struct framelog want = {0};
    tracegen_bytes(&g, false, &plain, &want);
    for (size_t at = 0; at < plain.n; at += 50) {
        buf_put(&packed, skippable, sizeof skippable - 1);
        put_packed(&packed, "", 0);
        put_packed(&packed, plain.p + at, plain.n - at < 50 ? plain.n - at : 50);
    }
    struct source *trace = trace_of_bytes(packed.p, packed.n);
    for (unsigned tick = 0; tick < g.ticks; tick++) {
        struct framelog log = {0};
        struct framelog again = {0};
        struct frame_sink first = framelog_sink(&log);
        struct frame_sink second = framelog_sink(&again);
        struct framelog rest = {0};
        struct trace_mark *mark = NULL;
        assert_int_equal(trace_mark_take(trace, &mark), ERR_OK);
        assert_int_equal(trace->ops->read(trace, 0, &first), ERR_OK);
        assert_int_equal(trace_play(trace, &rest), ERR_END);
        assert_int_equal(trace_mark_return(trace, mark), ERR_OK);
        assert_int_equal(trace->ops->read(trace, 0, &second), ERR_OK);
        assert_same(&log.text, &again.text);
        buf_put(&again.text, rest.text.p, rest.text.n);
        assert_memory_equal(want.text.p + want.text.n - again.text.n, again.text.p, again.text.n);
        trace_mark_free(mark);
        buf_finish(&log.text);
        buf_finish(&again.text);
        buf_finish(&rest.text);
    }
    assert_null(trace_note(trace));
    trace->ops->close(trace);
    buf_finish(&plain);
    buf_finish(&packed);
    buf_finish(&want.text);
}

static void close_other(struct source *s) {
    (void)s;
}

static void other_sources_have_no_places(void **state) {
    (void)state;
    static const struct source_ops ops = {.close = close_other};
    struct source other = {&ops};
    struct trace_mark *mark = NULL;
    struct trace_place place = {1, 1, 1};
    struct trace_extent extent;
    assert_null(trace_note(&other));
    trace_place(&other, &place);
    assert_int_equal(place.at + place.size + place.tick, 0);
    assert_int_equal(trace_mark_take(&other, &mark), ERR_UNSUPPORTED);
    assert_null(mark);
    assert_int_equal(trace_scan(&other, &extent, NULL, NULL), ERR_UNSUPPORTED);
    trace_mark_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_returns),    cmocka_unit_test(compressed_returns),
        cmocka_unit_test(plain_scans),      cmocka_unit_test(compressed_scans),
        cmocka_unit_test(scan_can_be_left), cmocka_unit_test(scan_sees_damage),
        cmocka_unit_test(crumbs_return),    cmocka_unit_test(other_sources_have_no_places),
    };
    return cmocka_run_group_tests_name("source_trace_seek", tests, NULL, NULL);
}
