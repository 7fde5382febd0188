/* Samples of the ring through their fold: intervals, clocks, ticks, what is dropped, and bytes cut anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/panthor/panthor.h"
#include "backend/panthor/ring.h"
#include "panbytes.h"

#define MS        UINT64_C(1000000)
#define TICKS_MS  (PAN_TIMESTAMP_HZ / 1000)
#define SAID_MOST 4096
#define M(name)   METRIC_COUNTER_MALI_##name

#define FACTS                                                                                      \
    "gpu_id=0xa8620000\nl2_features=0x07000000\ntimestamp_hz=24000000\nclock_hz=500000000\n"

struct test {
    struct buf b;
    struct buf facts;
    struct pan_sample s;
    struct sample said[SAID_MOST];
    size_t n;
    struct counts counts;
    void *state;
    struct subject subject;
};

static int set_up(void **state) {
    struct test *t = calloc(1, sizeof *t);
    *state = t;
    return t ? 0 : -1;
}

static int tear_down(void **state) {
    struct test *t = *state;
    buf_finish(&t->b);
    buf_finish(&t->facts);
    free(t->state);
    free(t);
    return 0;
}

static void on_sample(void *ctx, const struct sample *s) {
    struct test *t = ctx;
    assert_true(t->n < SAID_MOST);
    assert_true(s->subject == 9 && s->device == 3 && s->pid == 0 && s->space == SPACE_NONE);
    assert_true(s->name && s->name_len == 0);
    assert_true(s->state == STATE_VALUE || (s->value == 0 && s->doubt == 0));
    t->said[t->n] = *s;
    t->said[t->n++].name = NULL;
}

static void begin(struct test *t, const char *facts, bool live) {
    struct buf info;
    buf_init(&info);
    pan_info(&info, &pan_g710);
    buf_clear(&t->facts);
    buf_text(&t->facts, facts);
    if (live)
        panthor_layout_say(buf_span_of(&info), &t->facts);
    buf_char(&t->facts, '\0');
    buf_clear(&t->b);
    if (!live)
        buf_span(&t->b, buf_span_of(&info));
    buf_finish(&info);
    t->subject = (struct subject){
        .id = 9, .parent = 7, .device = 3, .type = SUBJECT_STREAM, .name = "", .facts = t->facts.p};
    t->n = 0;
    t->counts = (struct counts){0};
    free(t->state);
    t->state = calloc(1, panthor_ring_fold.size);
    assert_non_null(t->state);
    panthor_ring_fold.init(t->state, &t->subject);
}

static struct sink sink_of(struct test *t) {
    return (struct sink){.ctx = t, .sample = on_sample};
}

/* The state is flat: a copy goes on as it would have. */
static void move(struct test *t) {
    void *copy = malloc(panthor_ring_fold.size);
    assert_non_null(copy);
    memcpy(copy, t->state, panthor_ring_fold.size);
    free(t->state);
    t->state = copy;
}

static void feed(struct test *t, struct span bytes, int64_t t_ns) {
    const struct sink sink = sink_of(t);
    char *copy = malloc(bytes.n ? bytes.n : 1);
    assert_non_null(copy);
    if (bytes.n > 0)
        memcpy(copy, bytes.p, bytes.n);
    const struct frame f = {.t_ns = t_ns, .bytes = copy, .size = bytes.n, .kind = PANTHOR_RING};
    panthor_ring_fold.feed(t->state, &t->subject, &f, &sink, &t->counts);
    free(copy);
}

static void flush(struct test *t, int64_t t_ns) {
    feed(t, buf_span_of(&t->b), t_ns);
    buf_clear(&t->b);
}

static void tick(struct test *t, int64_t t_ns) {
    const struct sink sink = sink_of(t);
    panthor_ring_fold.tick(t->state, &t->subject, t_ns, &sink, &t->counts);
}

/* The worked sample, so many ms after its time. */
static void put_at(struct test *t, unsigned ms) {
    pan_worked(&t->s);
    uint64_t ticks = PAN_WORKED_TICKS + TICKS_MS * ms;
    for (unsigned i = 0; i < t->s.count; i++) {
        t->s.blocks[i].c[0] = ticks & 0xffffffff;
        t->s.blocks[i].c[1] = ticks >> 32;
    }
    t->s.end_ns += ms * MS;
    pan_put(&t->b, &pan_g710, &t->s);
}

static void put_clock(struct test *t, uint64_t cycles, uint64_t timestamp, uint64_t freq_hz) {
    buf_text(&t->b, "clock cycles=");
    buf_u64(&t->b, cycles);
    buf_text(&t->b, " timestamp=");
    buf_u64(&t->b, timestamp);
    buf_text(&t->b, " freq_hz=");
    buf_u64(&t->b, freq_hz);
    buf_char(&t->b, '\n');
}

/* The newest one said of a metric. */
static const struct sample *last_of(const struct test *t, unsigned metric, unsigned index) {
    for (size_t i = t->n; i-- > 0;)
        if (t->said[i].metric == metric && t->said[i].index == index)
            return &t->said[i];
    fail();
    return NULL;
}

static void is(const struct test *t, unsigned metric, int64_t value) {
    const struct sample *s = last_of(t, metric, INDEX_NONE);
    assert_int_equal(s->state, STATE_VALUE);
    assert_int_equal(s->value, value);
    assert_int_equal(s->raw, value);
}

static unsigned count_of(const struct test *t, unsigned metric) {
    unsigned n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->said[i].metric == metric && t->said[i].index == INDEX_NONE;
    return n;
}

/* ---- each sample, of a file ---------------------------------------------------------------------- */

static void test_each(void **state) {
    struct test *t = *state;
    begin(t, FACTS "each=1\n", false);
    put_at(t, 0);
    put_at(t, 100);
    flush(t, 0);
    tick(t, 0);
    assert_int_equal(t->counts.accepted, 2);
    assert_int_equal(t->n, 2 * (16 + 12));
    assert_int_equal(t->said[0].metric, M(GPU_BUSY));
    assert_int_equal(t->said[0].state, STATE_UNKNOWN);
    assert_true(t->said[0].t_ns == (int64_t)PAN_WORKED_END);
    is(t, M(GPU_BUSY), 900000);
    is(t, M(MCU_LOAD), 26667);
    is(t, M(FRAGMENT_QUEUE), 855556);
    is(t, M(COMPUTE_QUEUE), 108889);
    is(t, M(TILER_QUEUE), 128889);
    is(t, M(TILER), 122222);
    is(t, M(SHADER_BUSY), 933333);
    is(t, M(FRAGMENT_SHARE), 904762);
    is(t, M(NON_FRAGMENT_SHARE), 214286);
    is(t, M(READ_BANDWIDTH), 976000000);
    is(t, M(WRITE_BANDWIDTH), 336000000);
    assert_int_equal(last_of(t, M(SHADER_BUSY), 1)->value, 935556);
    assert_true(last_of(t, M(GPU_BUSY), INDEX_NONE)->t_ns == (int64_t)(PAN_WORKED_END + 100 * MS));
    assert_int_equal(count_of(t, METRIC_ACTIVITY_GFX), 0);
}

/* Without a rate of the GPU's timestamp, from end to end. */
static void test_no_timestamp_rate(void **state) {
    struct test *t = *state;
    begin(t, "l2_features=0x07000000\nclock_hz=500000000\neach=1\n", false);
    put_at(t, 0);
    put_at(t, 50);
    flush(t, 0);
    is(t, M(READ_BANDWIDTH), 1952000000);
    is(t, M(FRAGMENT_QUEUE), 855556); /* 64 counters: the first generation */
}

static void test_cut_anywhere(void **state) {
    struct test *t = *state;
    static struct sample whole[SAID_MOST];
    struct buf bytes;
    buf_init(&bytes);
    begin(t, FACTS "each=1\n", false);
    put_at(t, 0);
    put_at(t, 100);
    buf_span(&bytes, buf_span_of(&t->b));
    flush(t, 0);
    size_t n = t->n;
    memcpy(whole, t->said, n * sizeof whole[0]);
    for (size_t at = 0; at <= bytes.n; at++) {
        begin(t, FACTS "each=1\n", false);
        feed(t, (struct span){bytes.p, at}, 0);
        if (at % 97 == 0)
            move(t);
        feed(t, span_skip(buf_span_of(&bytes), at), 0);
        tick(t, 0);
        assert_int_equal(t->n, n);
        assert_memory_equal(t->said, whole, n * sizeof whole[0]);
        assert_int_equal(t->counts.accepted, 2);
        assert_int_equal(t->counts.truncated, 0);
    }
    begin(t, FACTS "each=1\n", false);
    for (size_t at = 0; at < bytes.n; at++)
        feed(t, (struct span){bytes.p + at, 1}, 0);
    assert_memory_equal(t->said, whole, n * sizeof whole[0]);
    buf_finish(&bytes);
}

/* A file that ends anywhere: what is whole counts, and the rest is told as cut, once. */
static void test_truncated(void **state) {
    struct test *t = *state;
    struct buf bytes;
    size_t size = pan_sample_size(&pan_g710);
    buf_init(&bytes);
    begin(t, FACTS, false);
    put_at(t, 0);
    put_at(t, 100);
    buf_span(&bytes, buf_span_of(&t->b));
    for (size_t n = 0; n <= bytes.n; n++) {
        begin(t, FACTS, false);
        feed(t, (struct span){bytes.p, n}, 0);
        tick(t, 0);
        tick(t, 1);
        assert_int_equal(t->counts.accepted, n < 44 ? 0 : (n - 44) / size);
        assert_int_equal(t->counts.truncated, n < 44 ? n > 0 : (n - 44) % size > 0);
        assert_int_equal(t->counts.reasons[REASON_CUT], t->counts.truncated);
        assert_int_equal(t->counts.malformed, 0);
    }
    begin(t, FACTS, false);
    feed(t, (struct span){bytes.p, bytes.n - 5}, 0);
    tick(t, 0);
    assert_int_equal(t->counts.truncated, 1);
    feed(t, (struct span){bytes.p + bytes.n - 5, 5}, 0);
    tick(t, 0);
    assert_int_equal(t->counts.truncated, 0);
    assert_int_equal(t->counts.accepted, 2);
    buf_finish(&bytes);
}

/* ---- ticks ----------------------------------------------------------------------------------------- */

static void test_tick_sums(void **state) {
    struct test *t = *state;
    begin(t, FACTS, false);
    put_at(t, 0);
    flush(t, 0);
    tick(t, 0);
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->state, STATE_UNKNOWN);
    assert_int_equal(count_of(t, METRIC_ACTIVITY_GFX), 0);
    is(t, M(SHADER_BUSY), 933333);
    put_at(t, 100);
    put_at(t, 400); /* the same work over 300 ms */
    flush(t, 0);
    assert_int_equal(count_of(t, M(GPU_BUSY)), 1);
    tick(t, 0);
    assert_int_equal(count_of(t, M(GPU_BUSY)), 2);
    is(t, M(GPU_BUSY), 450000); /* 90 M of 200 M clocks */
    is(t, M(READ_BANDWIDTH), 488000000);
    is(t, M(SHADER_BUSY), 933333);
    is(t, METRIC_ACTIVITY_GFX, 450000);
    assert_int_equal(last_of(t, METRIC_ACTIVITY_GFX, INDEX_NONE)->rank, 4);
    assert_true(last_of(t, M(GPU_BUSY), INDEX_NONE)->t_ns == (int64_t)(PAN_WORKED_END + 400 * MS));
    size_t n = t->n;
    tick(t, 0);
    assert_int_equal(t->n, n);
}

/* What came before there was an interval has no part in rates. */
static void test_tick_first(void **state) {
    struct test *t = *state;
    begin(t, FACTS, false);
    put_at(t, 0);
    put_at(t, 100);
    flush(t, 0);
    tick(t, 0);
    is(t, M(GPU_BUSY), 900000);
    is(t, M(READ_BANDWIDTH), 976000000);
}

/* ---- live --------------------------------------------------------------------------------------------- */

static void test_live(void **state) {
    struct test *t = *state;
    begin(t, "gpu_id=0xa8620000\nl2_features=0x07000000\ntimestamp_hz=24000000\n", true);
    put_clock(t, 1000, 2400, 300000000);
    put_at(t, 0);
    flush(t, 111);
    tick(t, 112);
    put_clock(t, 1000 + 60000000, 2400 + 2400000, 900000000); /* 600 MHz */
    put_at(t, 100);
    flush(t, 222);
    tick(t, 223);
    is(t, M(GPU_BUSY), 750000);
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->doubt, 0);
    assert_true(last_of(t, M(GPU_BUSY), INDEX_NONE)->t_ns == 222);
    is(t, METRIC_ACTIVITY_GFX, 750000);
    assert_int_equal(t->counts.accepted, 2);
}

/* The frequency alone: the same at both ends, or another one. */
static void test_live_frequency(void **state) {
    struct test *t = *state;
    begin(t, "timestamp_hz=24000000\n", true);
    put_clock(t, 0, 0, 500000000);
    put_at(t, 0);
    put_clock(t, 0, 0, 500000000);
    put_at(t, 100);
    flush(t, 1);
    tick(t, 2);
    is(t, M(GPU_BUSY), 900000);
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->doubt, 0);
    put_clock(t, 0, 0, 700000000);
    put_at(t, 200);
    flush(t, 3);
    tick(t, 4);
    is(t, M(GPU_BUSY), 750000);
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->doubt, DOUBT_ESTIMATED);
    assert_int_equal(last_of(t, M(SHADER_BUSY), INDEX_NONE)->doubt, 0);
    put_at(t, 300);
    flush(t, 5);
    tick(t, 6);
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->state, STATE_UNKNOWN);
}

static void test_live_cut(void **state) {
    struct test *t = *state;
    static struct sample whole[SAID_MOST];
    struct buf bytes;
    buf_init(&bytes);
    begin(t, "timestamp_hz=24000000\neach=1\n", true);
    for (unsigned i = 0; i < 2; i++) {
        put_clock(t, 1 + 50000000 * i, 0, 0);
        put_at(t, 100 * i);
    }
    buf_span(&bytes, buf_span_of(&t->b));
    flush(t, 5);
    is(t, M(GPU_BUSY), 900000);
    size_t n = t->n;
    memcpy(whole, t->said, n * sizeof whole[0]);
    for (size_t at = 0; at <= bytes.n; at++) {
        begin(t, "timestamp_hz=24000000\neach=1\n", true);
        feed(t, (struct span){bytes.p, at}, 5);
        feed(t, span_skip(buf_span_of(&bytes), at), 5);
        assert_int_equal(t->n, n);
        assert_memory_equal(t->said, whole, n * sizeof whole[0]);
        assert_int_equal(t->counts.accepted, 2);
    }
    buf_finish(&bytes);
}

static void test_bad_lines(void **state) {
    static const char *const lines[] = {"clock cycles=x timestamp=1 freq_hz=1\n",
                                        "clock cycles=1\n",
                                        "clock cycles=1 timestamp=2 \n",
                                        "clock cycles=99999999999999999999 timestamp=2 freq_hz=3\n",
                                        "clock cyclopes\n",
                                        "clock cycles=1 freq_hz=3 timestamp=2\n"};
    struct test *t = *state;
    begin(t, "timestamp_hz=24000000\n", true);
    for (unsigned i = 0; i < 6; i++) {
        buf_text(&t->b, lines[i]);
        put_at(t, 100 * i);
    }
    flush(t, 1);
    tick(t, 2);
    assert_int_equal(t->counts.accepted, 6);
    assert_int_equal(t->counts.reasons[REASON_BAD_TEXT], 6);
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->state, STATE_UNKNOWN);
    buf_text(&t->b, "clock cycles=");
    buf_fill(&t->b, '1', 200);
    flush(t, 3);
    put_at(t, 900);
    flush(t, 4);
    assert_int_equal(t->counts.malformed, 1);
    assert_int_equal(t->counts.accepted, 6);
}

/* 100 ms counted, the last 50 of them since a start: what went on between is of nobody. */
static void test_live_start(void **state) {
    struct test *t = *state;
    const uint64_t from = PAN_WORKED_TICKS + 50 * TICKS_MS;
    for (unsigned told = 0; told < 3; told++) {
        begin(t, "timestamp_hz=24000000\nl2_features=0x07000000\n", true);
        put_clock(t, 1000, PAN_WORKED_TICKS, 0);
        put_at(t, 0);
        if (told > 0)
            put_clock(t, 99000000, told == 1 ? from : 0, 0);
        buf_text(&t->b, "clock start\n");
        put_clock(t, 99000000 + 50000000, PAN_WORKED_TICKS + 100 * TICKS_MS, 0);
        put_at(t, 100);
        flush(t, 1);
        tick(t, 2);
        assert_int_equal(t->counts.accepted, 2);
        assert_int_equal(t->counts.malformed, 0);
        if (told == 1) {
            is(t, M(READ_BANDWIDTH), 1952000000);
            is(t, M(GPU_BUSY), 900000); /* 45 M of 50 M clocks */
        } else {
            assert_int_equal(last_of(t, M(READ_BANDWIDTH), INDEX_NONE)->state, STATE_UNKNOWN);
        }
        put_clock(t, 99000000 + 100000000, PAN_WORKED_TICKS + 200 * TICKS_MS, 0);
        put_at(t, 200);
        flush(t, 3);
        tick(t, 4);
        is(t, M(READ_BANDWIDTH), 976000000);
    }
}

static void put_tick(struct test *t, unsigned ms) {
    put_at(t, ms);
    flush(t, (int64_t)ms);
    tick(t, (int64_t)ms);
}

/* A sample that is late is no end; none in twice the time is, and is said once, of all that was said. */
static void test_nothing_more(void **state) {
    struct test *t = *state;
    begin(t, FACTS, true);
    put_tick(t, 100);
    put_tick(t, 200);
    put_tick(t, 300);
    size_t known = 0;
    for (size_t i = t->n; i-- > 0 && t->said[i].t_ns == 300;)
        known += t->said[i].state == STATE_VALUE;
    assert_in_range(known, 10, 100);
    size_t before = t->n;
    tick(t, 400);
    assert_int_equal(t->n, before);
    tick(t, 498);
    assert_int_equal(t->n, before + known);
    for (size_t i = before; i < t->n; i++)
        assert_int_equal(t->said[i].state, STATE_UNKNOWN);
    assert_int_equal(last_of(t, METRIC_ACTIVITY_GFX, INDEX_NONE)->state, STATE_UNKNOWN);
    assert_int_equal(last_of(t, M(SHADER_BUSY), 1)->state, STATE_UNKNOWN);
    before = t->n;
    tick(t, 600);
    tick(t, 700);
    assert_int_equal(t->n, before);
    put_tick(t, 800);
    is(t, METRIC_ACTIVITY_GFX, 900000 / 5);
    /* One tick may be as long as two. */
    before = t->n;
    tick(t, INT64_MAX);
    assert_true(t->n > before);
    tick(t, INT64_MIN);
}

/* ---- what is dropped --------------------------------------------------------------------------------- */

static void test_dropped(void **state) {
    struct test *t = *state;
    begin(t, FACTS, false);
    put_at(t, 0);
    put_at(t, 0); /* again */
    pan_worked(&t->s);
    t->s.end_ns += 50 * MS;
    for (unsigned i = 0; i < t->s.count; i++)
        t->s.blocks[i].type = 0;
    pan_put(&t->b, &pan_g710, &t->s); /* nothing in it */
    pan_worked(&t->s);
    t->s.end_ns = 0;
    pan_put(&t->b, &pan_g710, &t->s);
    t->s.end_ns = UINT64_MAX;
    pan_put(&t->b, &pan_g710, &t->s);
    put_at(t, 100);
    flush(t, 0);
    tick(t, 0);
    assert_int_equal(t->counts.accepted, 2);
    assert_int_equal(t->counts.ignored, 2);
    assert_int_equal(t->counts.malformed, 2);
    assert_int_equal(t->counts.reasons[REASON_SAMPLE_STALE], 1);
    assert_int_equal(t->counts.reasons[REASON_SAMPLE_EMPTY], 1);
    assert_int_equal(t->counts.reasons[REASON_OUT_OF_RANGE], 2);
    is(t, M(GPU_BUSY), 900000);
}

/* Marked by the driver: too long for its counters, or wrong. */
static void test_flags(void **state) {
    struct test *t = *state;
    begin(t, FACTS, false);
    put_at(t, 0);
    put_at(t, 50);
    t->b.p[44 + pan_sample_size(&pan_g710) + 20] = 2;
    put_at(t, 150);
    t->b.p[44 + 2 * pan_sample_size(&pan_g710) + 20] = 1;
    flush(t, 0);
    tick(t, 0);
    assert_int_equal(t->counts.accepted, 2);
    assert_int_equal(t->counts.reasons[REASON_SAMPLE_ERROR], 1);
    is(t, M(GPU_BUSY), 900000); /* from 50 to 150 */
    assert_int_equal(last_of(t, M(GPU_BUSY), INDEX_NONE)->doubt, DOUBT_ESTIMATED);
    assert_int_equal(last_of(t, M(TILER), INDEX_NONE)->doubt, DOUBT_ESTIMATED);
}

static void test_no_layout(void **state) {
    struct test *t = *state;
    begin(t, FACTS, false);
    t->b.p[4] = 57;
    put_at(t, 0);
    flush(t, 0);
    tick(t, 0);
    assert_int_equal(t->counts.accepted, 0);
    assert_int_equal(t->counts.malformed, 1);
    assert_int_equal(t->counts.reasons[REASON_NO_FORMAT], 1);
    assert_int_equal(t->n, 0);
    begin(t, "info=4000\n", false);
    buf_clear(&t->b);
    put_at(t, 0);
    flush(t, 0);
    put_at(t, 1);
    flush(t, 0);
    tick(t, 0);
    assert_int_equal(t->counts.malformed, 1);
    assert_int_equal(t->counts.truncated, 0);
}

static void test_random(void **state) {
    struct test *t = *state;
    uint64_t v = 362436069;
    for (unsigned round = 0; round < 200; round++) {
        begin(t, FACTS, round % 2);
        for (unsigned i = 0; i < 2000; i++) {
            v = v * 6364136223846793005u + 1442695040888963407u;
            pan_le(&t->b, v >> 60 < 6 ? v >> 62 : v, 8);
        }
        flush(t, 0);
        tick(t, 0);
        assert_true(t->counts.accepted + t->counts.ignored + t->counts.malformed >= 4);
    }
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void test_recognise(void **state) {
    const struct vendor_file *v = &panthor_ring_file;
    struct test *t = *state;
    begin(t, "", false);
    put_at(t, 0);
    for (size_t n = 0; n < 60; n++) {
        assert_int_equal(v->recognise((struct span){t->b.p, n}, false), n >= 44);
        assert_true(v->recognise((struct span){t->b.p, n}, true));
    }
    t->b.p[8] = 25;
    for (size_t n = 9; n < 60; n++)
        assert_false(v->recognise((struct span){t->b.p, n}, true));
    assert_false(
        v->recognise(span_of("GWTOPTRACE..............................................."), false));
}

static void test_next(void **state) {
    const struct vendor_file *v = &panthor_ring_file;
    struct test *t = *state;
    int64_t t_ns = 5;
    size_t size = pan_sample_size(&pan_g710);
    const struct span none = {NULL, 0};
    begin(t, "", false);
    put_at(t, 0);
    put_at(t, 100);
    struct span rest = buf_span_of(&t->b), head = {t->b.p, 44};
    assert_int_equal(v->head_size, 44);
    assert_int_equal(v->next_after(none, rest, &t_ns), 44);
    assert_true(t_ns == INT64_MIN);
    assert_int_equal(v->next_after(none, (struct span){rest.p, 43}, &t_ns), 0);
    rest = span_skip(rest, 44);
    assert_int_equal(v->next_after(head, rest, &t_ns), size);
    assert_true(t_ns == (int64_t)PAN_WORKED_END);
    rest = span_skip(rest, size);
    assert_int_equal(v->next_after(head, rest, &t_ns), size);
    assert_true(t_ns == (int64_t)(PAN_WORKED_END + 100 * MS));
    for (size_t n = 0; n < size; n++)
        assert_int_equal(v->next_after(head, (struct span){rest.p, n}, &t_ns), 0);
    assert_int_equal(v->next_after((struct span){t->b.p, 40}, rest, &t_ns), 0);
    t->b.p[0] = 1;
    assert_int_equal(v->next_after(head, rest, &t_ns), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_timestamp_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_truncated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tick_sums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tick_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_live, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_live_frequency, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_live_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_live_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flags, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_recognise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_next, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
