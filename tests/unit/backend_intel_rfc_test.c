/* The proposal's ring: worked bytes, footers, pairing to the letter, loss, and whatever way the bytes come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/intel/intel.h"
#include "oabytes.h"
#include "oafold.h"

struct test {
    struct buf b;
    struct oafold out;
};

static int set_up(void **state) {
    struct test *t = calloc(1, sizeof *t);
    *state = t;
    return t ? 0 : -1;
}

static int tear_down(void **state) {
    struct test *t = *state;
    buf_finish(&t->b);
    oafold_finish(&t->out);
    free(t);
    return 0;
}

static void run(struct test *t, const char *facts) {
    const struct oafold_input in = {
        .fold = &intel_rfc_fold, .facts = facts, .bytes = buf_span_of(&t->b)};
    oafold_run(&t->out, &in);
}

/* After so many us, at 1 GHz and half busy; A5 counts 1 each us. */
static struct oab_report at_us(unsigned us, uint32_t id) {
    struct oab_report r = {.id = id, .timestamp = 0x00c0ffee + us * 25 / 2, .clock = 1000 * us};
    r.a[41] = 500 * us;
    r.a[5] = us;
    return r;
}

static void periodic(struct buf *b, unsigned us) {
    const struct oab_report r = at_us(us, 0x400);
    const struct oab_footer none = {0};
    oab_ring_sample(b, &r, &none);
}

/* With all fields. */
static void capture(struct buf *b, unsigned us, uint32_t seqno, uint32_t ctx, uint32_t tag) {
    const struct oab_report r = at_us(us, seqno);
    const struct oab_footer f = {true, true, true, {ctx, 4000 + ctx, tag}};
    oab_ring_sample(b, &r, &f);
}

#define ALL "oa_flags=pid,tag\n"

/* ---- worked bytes ------------------------------------------------------------------------------ */

static void worked_bytes(void **state) {
    struct test *t = *state;
    const struct oab_footer f = {true, true, true, {7, 4242, 0x51}};
    struct oab_report r = {.id = 0x1a2b, .timestamp = 0x00c0ffee, .clock = 1000000};
    r.a[41] = 750000;
    oab_ring_sample(&t->b, &r, &f);
    assert_int_equal(t->b.n, 296);
    assert_int_equal((unsigned char)t->b.p[8] | (unsigned char)t->b.p[9] << 8, 284);
    assert_memory_equal(t->b.p + 0x00bc, "\xb0\x71\x0b\x00", 4);
    assert_memory_equal(t->b.p + 0x00f4, "\x40\x42\x0f\x00", 4);
    r.timestamp += 12500, r.clock += 1000000, r.a[41] += 600000;
    oab_ring_sample(&t->b, &r, &f);
    run(t, "each=1\n" ALL);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..1000000 ctx 7 tag 81 tid 4242 1000000000\n");
    assert_int_equal(oafold_value(&t->out, "1000000 ctx 7 tag 81 tid 4242 counter.GpuBusy"),
                     600000);
    assert_int_equal(oafold_value(&t->out, "1000000 ctx 7 tag 81 tid 4242 counter.GpuTime"),
                     1000000);
    assert_int_equal(oafold_value(&t->out, "1000000 ctx 7 tag 81 tid 4242 counter.A41"), 600000);
    assert_int_equal(oafold_count(&t->out, "ReportReason", NULL), 0);
    assert_int_equal(t->out.counts.accepted, 2);
}

/* ---- footers ----------------------------------------------------------------------------------- */

/* Each size against each set of flags: 276 is context and one of the two, as the flags say. */
static void every_footer(void **state) {
    static const char *const flags[] = {"", "oa_flags=pid\n", "oa_flags=tag\n",
                                        "oa_flags=tag,pid\n"};
    static const char *const owners[] = {" ctx 7 1", " ctx 7 tid 81 1", " ctx 7 tag 81 1",
                                         " ctx 7 tag 82 tid 81 1"};
    struct test *t = *state;
    for (unsigned asked = 0; asked < 4; asked++) {
        for (unsigned size = 252; size <= 300; size++) {
            buf_clear(&t->b);
            for (unsigned i = 0; i < 2; i++) {
                struct oab_report r = at_us(1000 * i, 9);
                size_t at = t->b.n;
                oab_head(&t->b, 9, 0, 12 + size);
                oab_le(&t->b, size, 4);
                oab_haswell(&t->b, &r);
                for (unsigned k = 0; k < 3; k++)
                    oab_le(&t->b, k == 0 ? 7 : 80 + k, 8);
                buf_fill(&t->b, '\xaa', 64);
                t->b.n = at + 12 + size;
            }
            run(t, flags[asked]);
            unsigned captured = 268 + (asked & 1 ? 8u : 0u) + (asked & 2 ? 8u : 0u);
            bool good = size == 260 || size == captured;
            assert_int_equal(t->out.counts.accepted, good ? 2 : 0);
            assert_int_equal(t->out.counts.malformed, good ? 0 : 2);
            assert_int_equal(t->out.counts.reasons[REASON_RECORD_SIZE], good ? 0 : 2);
            assert_int_equal(t->out.jobs, size == captured);
            assert_int_equal(oafold_count(&t->out, "job 0..1000000", owners[asked]),
                             size == captured);
        }
    }
}

/* What the record and the sample in it say of their sizes must agree. */
static void sizes_that_differ(void **state) {
    struct test *t = *state;
    static const uint32_t raws[] = {0, 259, 261, 0xffffffff, 0x104 | 1u << 31};
    for (size_t i = 0; i < sizeof raws / sizeof raws[0]; i++) {
        buf_clear(&t->b);
        periodic(&t->b, 0);
        t->b.n = 8;
        oab_le(&t->b, raws[i], 4);
        buf_fill(&t->b, '\0', 260);
        periodic(&t->b, 1);
        run(t, "");
        assert_int_equal(t->out.counts.malformed, 1);
        assert_int_equal(t->out.counts.accepted, 1);
    }
    buf_clear(&t->b);
    oab_head(&t->b, 9, 0, 8);
    oab_head(&t->b, 2, 0, 8);
    oab_head(&t->b, 14, 0, 8); /* a switch, as released kernels number it */
    oab_head(&t->b, 77, 0, 12);
    oab_le(&t->b, 0, 4);
    run(t, "");
    assert_int_equal(t->out.counts.malformed, 2);
    assert_int_equal(t->out.counts.ignored, 2);
}

/* ---- pairing ----------------------------------------------------------------------------------- */

/* Periodic reports inside a batch are its own; those between batches are nobody's. */
static void counters_of_batches(void **state) {
    struct test *t = *state;
    periodic(&t->b, 0);
    capture(&t->b, 1000, 1, 7, 81);
    periodic(&t->b, 3000);
    periodic(&t->b, 4000);
    capture(&t->b, 6000, 1, 7, 81);
    periodic(&t->b, 7000);
    capture(&t->b, 8000, 2, 8, 0);
    capture(&t->b, 9000, 2, 8, 0);
    run(t, "each=1\n" ALL);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 1000000..6000000 ctx 7 tag 81 tid 4007 1000000000\n"
                        "job 8000000..9000000 ctx 8 tag 0 tid 4008 1000000000\n");
    assert_string_equal(oafold_lines(&t->out, "counter.A5 "),
                        "1000000 - counter.A5 1000\n"
                        "3000000 ctx 7 tag 81 tid 4007 counter.A5 2000\n"
                        "4000000 ctx 7 tag 81 tid 4007 counter.A5 1000\n"
                        "6000000 ctx 7 tag 81 tid 4007 counter.A5 2000\n"
                        "7000000 - counter.A5 1000\n"
                        "8000000 - counter.A5 1000\n"
                        "9000000 ctx 8 tag 0 tid 4008 counter.A5 1000\n");
    run(t, ALL);
    assert_string_equal(oafold_lines(&t->out, "counter.A5 "),
                        "9000000 - counter.A5 9000\n"
                        "9000000 ctx 7 tag 81 tid 4007 counter.A5 5000\n"
                        "9000000 ctx 8 tag 0 tid 4008 counter.A5 1000\n");
    assert_int_equal(oafold_value(&t->out, "9000000 ctx 7 tag 81 tid 4007 counter.GpuTime"),
                     5000000);
    assert_int_equal(oafold_value(&t->out, "9000000 - activity.gfx"), 500000);
}

/* A batch so long that a counter and the timestamp wrap more than once in it. */
static void wraps_inside(void **state) {
    struct test *t = *state;
    const struct oab_footer f = {true, false, false, {7, 0, 0}}, none = {0};
    uint64_t clock = 0xfffff000, stamp = 0xffffff00;
    for (unsigned i = 0; i <= 8; i++) {
        struct oab_report r = {.id = 5, .timestamp = (uint32_t)stamp, .clock = (uint32_t)clock};
        r.a[0] = (uint32_t)(clock * 8);
        oab_ring_sample(&t->b, &r, i == 0 || i == 8 ? &f : &none);
        stamp += 250000000; /* 20 s */
        clock += 500000000;
    }
    run(t, "");
    assert_string_equal(oafold_lines(&t->out, "job"), "job 0..160000000000 ctx 7 25000000\n");
    assert_int_equal(oafold_value(&t->out, "160000000000 ctx 7 counter.A0"), 32000000000);
}

/* Nothing is paired that is not equal in all: number, context, thread, tag. */
static void begin_without_end(void **state) {
    struct test *t = *state;
    capture(&t->b, 0, 1, 7, 81);
    periodic(&t->b, 500);
    capture(&t->b, 1000, 2, 7, 81);
    capture(&t->b, 2000, 2, 7, 82);
    capture(&t->b, 3000, 2, 8, 82);
    capture(&t->b, 4000, 2, 8, 82);
    capture(&t->b, 5000, 3, 8, 82);
    run(t, "each=1\n" ALL);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 3000000..4000000 ctx 8 tag 82 tid 4008 1000000000\n");
    assert_int_equal(oafold_count(&t->out, " - counter.A5 ", NULL), 5);
    assert_int_equal(oafold_count(&t->out, " ctx", "counter.A5 "), 1);
    assert_int_equal(t->out.counts.reasons[REASON_BAD_PAIR], 3);
    assert_int_equal(t->out.counts.reasons[REASON_OPEN_AT_END], 1);
    assert_int_equal(t->out.counts.accepted, 7);
    run(t, ALL);
    assert_int_equal(oafold_value(&t->out, "5000000 - counter.A5"), 5000);
    assert_int_equal(oafold_count(&t->out, "ctx", "counter.A5 "), 1);
}

/* A begin inside of a batch drops what is open; then the inner one pairs, and the outer end opens. */
static void nested(void **state) {
    struct test *t = *state;
    capture(&t->b, 0, 1, 7, 0);
    capture(&t->b, 1000, 2, 8, 0);
    capture(&t->b, 2000, 2, 8, 0);
    capture(&t->b, 3000, 1, 7, 0);
    capture(&t->b, 4000, 3, 9, 0);
    capture(&t->b, 5000, 3, 9, 0);
    run(t, ALL);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 1000000..2000000 ctx 8 tag 0 tid 4008 1000000000\n"
                        "job 4000000..5000000 ctx 9 tag 0 tid 4009 1000000000\n");
    assert_int_equal(t->out.counts.reasons[REASON_BAD_PAIR], 2);
}

static void put_loss(struct buf *b, unsigned kind) {
    if (kind == 0)
        oab_ring_lost(b, 17);
    else
        oab_ring_device(b, kind);
}

static void loss_inside(void **state) {
    struct test *t = *state;
    for (unsigned kind = 0; kind <= 2; kind++) {
        buf_clear(&t->b);
        capture(&t->b, 0, 1, 7, 0);
        periodic(&t->b, 1000);
        put_loss(&t->b, kind);
        periodic(&t->b, 3000);
        capture(&t->b, 4000, 1, 7, 0); /* the end, if it is one */
        capture(&t->b, 5000, 2, 7, 0);
        capture(&t->b, 6000, 2, 7, 0);
        run(t, "each=1\n" ALL);
        assert_string_equal(oafold_lines(&t->out, "job"),
                            "job 5000000..6000000 ctx 7 tag 0 tid 4007 1000000000\n");
        assert_string_equal(oafold_lines(&t->out, "counter.A5 "),
                            "1000000 - counter.A5 1000\n"
                            "4000000 - counter.A5 1000\n"
                            "5000000 - counter.A5 1000\n"
                            "6000000 ctx 7 tag 0 tid 4007 counter.A5 1000\n");
        const struct counts *c = &t->out.counts;
        assert_int_equal(c->reasons[REASON_LOST_RECORDS], kind == 0 ? 17 : 0);
        assert_int_equal(c->reasons[REASON_BUFFER_OVERRUN], kind == 1);
        assert_int_equal(c->reasons[REASON_REPORT_LOST], kind == 2);
        assert_int_equal(c->reasons[REASON_BAD_PAIR], 2);
        assert_int_equal(c->accepted, 7);
    }
}

/* The number of intervals that wait for the end of their batch is bounded: what does not fit is told with a doubt. */
static void a_long_batch(void **state) {
    struct test *t = *state;
    capture(&t->b, 0, 1, 7, 0);
    for (unsigned i = 1; i < 200; i++)
        periodic(&t->b, 1000 * i);
    run(t, "each=1\n" ALL);
    assert_int_equal(oafold_count(&t->out, "ctx 7", "counter.A5 1000 estimated"), 192);
    assert_int_equal(oafold_count(&t->out, " - counter.A5 1000", NULL), 7);
    capture(&t->b, 200000, 1, 7, 0);
    run(t, "each=1\n" ALL);
    assert_int_equal(oafold_count(&t->out, "ctx 7", "counter.A5 1000"), 200);
    assert_int_equal(t->out.jobs, 1);
}

/* A batch over some ticks is told when it ends, and is open at no end but the last. */
static void over_ticks(void **state) {
    struct test *t = *state;
    capture(&t->b, 0, 1, 7, 0);
    capture(&t->b, 1000, 1, 7, 0);
    capture(&t->b, 2000, 2, 7, 0);
    periodic(&t->b, 3000);
    capture(&t->b, 4000, 2, 7, 0);
    const struct oafold_input in = {.fold = &intel_rfc_fold,
                                    .facts = ALL,
                                    .bytes = buf_span_of(&t->b),
                                    .step = 100,
                                    .ticks = 1};
    oafold_run(&t->out, &in);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..1000000 ctx 7 tag 0 tid 4007 1000000000\n"
                        "job 2000000..4000000 ctx 7 tag 0 tid 4007 1000000000\n");
    assert_int_equal(t->out.counts.reasons[REASON_OPEN_AT_END], 0);
    assert_int_equal(t->out.counts.truncated, 0);
    assert_int_equal(oafold_count(&t->out, " - counter.A5 1000", NULL), 4);
}

/* Of engines without counters there is a timestamp and the context. */
static void stamps_alone(void **state) {
    struct test *t = *state;
    for (unsigned i = 0; i < 3; i++) {
        oab_head(&t->b, 9, 0, 32);
        oab_le(&t->b, 20, 4);
        oab_le(&t->b, 0x100000000 + 12500 * i, 8);
        oab_le(&t->b, i < 2 ? 7 : 8, 8);
        oab_le(&t->b, 0, 4);
    }
    run(t, "oa_engine=copy\n");
    assert_string_equal(oafold_lines(&t->out, NULL), "job 0..1000000 ctx 7 0\n");
    assert_int_equal(t->out.counts.accepted, 3);
    assert_int_equal(t->out.counts.reasons[REASON_OPEN_AT_END], 1);
}

/* ---- however the bytes come -------------------------------------------------------------------- */

static void mixed(struct buf *b) {
    periodic(b, 0);
    capture(b, 1000, 1, 7, 81);
    periodic(b, 1500);
    capture(b, 2000, 1, 7, 81);
    oab_ring_lost(b, 3);
    capture(b, 3000, 2, 8, 82);
    oab_head(b, 4, 0, 8);
    capture(b, 4000, 2, 8, 82);
    capture(b, 5000, 3, 9, 82);
}

static void pieces_say_what_the_whole_says(void **state) {
    struct test *t = *state;
    struct oafold pieces = {0};
    mixed(&t->b);
    run(t, "each=1\n" ALL);
    assert_int_equal(t->out.jobs, 2);
    for (size_t step = 1; step < t->b.n; step += step < 310 ? 1 : 53) {
        const struct oafold_input in = {.fold = &intel_rfc_fold,
                                        .facts = "each=1\n" ALL,
                                        .bytes = buf_span_of(&t->b),
                                        .step = step};
        oafold_run(&pieces, &in);
        assert_memory_equal(&pieces.counts, &t->out.counts, sizeof pieces.counts);
        assert_int_equal(pieces.text.n, t->out.text.n);
        assert_memory_equal(pieces.text.p, t->out.text.p, pieces.text.n);
    }
    oafold_finish(&pieces);
}

static void truncated_anywhere(void **state) {
    struct test *t = *state;
    mixed(&t->b);
    size_t all = t->b.n;
    for (size_t n = 0; n <= all; n++) {
        t->b.n = n;
        size_t whole = intel_rfc_file.cut(buf_span_of(&t->b));
        run(t, ALL);
        assert_int_equal(t->out.counts.truncated, whole < n);
        assert_int_equal(t->out.counts.malformed, 0);
    }
    assert_int_equal(t->out.counts.accepted + t->out.counts.ignored, 9);
}

/* What nobody says the meaning of is not printed. */
static void undefined_counters(void **state) {
    struct test *t = *state;
    periodic(&t->b, 0);
    periodic(&t->b, 1000);
    run(t, "each=1\n");
    assert_int_equal(oafold_count(&t->out, "counter.A3 ", NULL), 1);
    assert_int_equal(oafold_count(&t->out, "counter.A4 ", NULL), 0);
    assert_int_equal(oafold_count(&t->out, "counter.A42 ", NULL), 1);
    assert_int_equal(oafold_count(&t->out, "counter.A43 ", NULL), 0);
}

/* The time of the first unit of `bytes`, and how large it is. */
static size_t unit_of(const void *plan, struct file_trail *trail, struct span bytes,
                      int64_t *t_ns) {
    *t_ns = 0;
    return intel_rfc_file.next_by(plan, trail, bytes, t_ns);
}

static void units_and_their_time(void **state) {
    struct test *t = *state;
    struct file_trail trail = {{0}};
    void *plan = calloc(1, intel_rfc_file.plan_size);
    const uint32_t steps[] = {0xfffff000, 0x7fffffff, 0x7fffffff, 12500002, (uint32_t)-1000};
    uint32_t stamp = 0;
    int64_t t_ns;
    /* By the rate that the user gave, on over the wrap; a step back takes no time. */
    const int64_t times[] = {0, 2147483647, 4294967294, 4307467296, 4307467296};
    assert_non_null(plan);
    intel_rfc_file.plan(plan, "oa_timestamp_hz=1000000000\n");
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct oab_report r = {.id = 1, .timestamp = stamp += steps[i]};
        const struct oab_footer none = {0};
        buf_clear(&t->b);
        oab_ring_sample(&t->b, &r, &none);
        assert_int_equal(unit_of(plan, &trail, buf_span_of(&t->b), &t_ns), 272);
        assert_int_equal(t_ns, times[i]);
        assert_int_equal(unit_of(plan, &trail, (struct span){t->b.p, 271}, &t_ns), 0);
    }
    buf_clear(&t->b);
    oab_ring_lost(&t->b, 1);
    assert_int_equal(unit_of(plan, &trail, buf_span_of(&t->b), &t_ns), 24);
    assert_true(t_ns == INT64_MIN);
    free(plan);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(worked_bytes),
        TEST(every_footer),
        TEST(sizes_that_differ),
        TEST(counters_of_batches),
        TEST(wraps_inside),
        TEST(undefined_counters),
        TEST(begin_without_end),
        TEST(nested),
        TEST(loss_inside),
        TEST(a_long_batch),
        TEST(over_ticks),
        TEST(stamps_alone),
        TEST(pieces_say_what_the_whole_says),
        TEST(truncated_anywhere),
        TEST(units_and_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
