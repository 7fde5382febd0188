/* Streams with fields before each report: their order, captures, who owns what without them, and timestamps alone. */
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

enum { SOURCE = 1, CTX = 2, PID = 4, TAG = 8, TS = 16, ALL = 31 };

struct fields {
    uint32_t source;
    uint32_t ctx;
    uint32_t pid;
    uint32_t tag;
    uint64_t ts;
};

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
        .fold = &intel_stream_fold, .facts = facts, .bytes = buf_span_of(&t->b)};
    oafold_run(&t->out, &in);
}

static size_t size_of(unsigned has) {
    size_t n = (has & TS) != 0 ? 8 : 0;
    for (unsigned bit = SOURCE; bit < TS; bit *= 2)
        n += (has & bit) != 0 ? 4 : 0;
    return n;
}

static void put_fields(struct buf *b, unsigned has, const struct fields *f) {
    const uint32_t v[] = {f->source, f->ctx, f->pid, f->tag};
    for (unsigned i = 0; i < 4; i++)
        if (has & 1u << i)
            oab_le(b, v[i], 4);
    if (has & TS)
        oab_le(b, f->ts, 8);
}

static struct oab_report at_ms(unsigned ms, uint32_t id, uint32_t context) {
    struct oab_report r = {
        .id = id, .timestamp = 5000 + 12500 * ms, .context = context, .clock = 1000000 * ms};
    r.a[0] = r.a[41] = UINT64_C(500000) * ms;
    r.a[5] = ms;
    return r;
}

static void haswell(struct buf *b, unsigned ms, uint32_t id, unsigned has, struct fields f) {
    const struct oab_report r = at_ms(ms, id, 0);
    f.ts = r.timestamp;
    oab_head(b, 1, 0, 8 + size_of(has) + OAB_REPORT);
    put_fields(b, has, &f);
    oab_haswell(b, &r);
}

static void gen9(struct buf *b, unsigned ms, uint32_t context, unsigned has, struct fields f) {
    const struct oab_report r = at_ms(ms, OAB_TIMER | (context ? OAB_VALID : 0), context);
    oab_head(b, 1, 0, 8 + size_of(has) + OAB_REPORT);
    put_fields(b, has, &f);
    oab_gen9(b, &r);
}

static const char *facts_of(unsigned has, const char *more) {
    static const char *const names[] = {"source", "ctx", "pid", "tag", "ts"};
    static char text[200];
    struct buf b;
    buf_init(&b);
    buf_text(&b, "oa_sample=");
    for (unsigned i = 5; i-- > 0;) /* the order that they are asked for in does not matter */
        if (has & 1u << i) {
            buf_text(&b, names[i]);
            buf_char(&b, ',');
        }
    buf_char(&b, '\n');
    buf_text(&b, more);
    buf_char(&b, '\0');
    memcpy(text, b.p, b.n);
    buf_finish(&b);
    return text;
}

#define HASWELL "oa_format=A45_B8_C8\n"
#define SKYLAKE "oa_format=A32u40_A4u32_B8_C8\npci=8086:1912\n"

/* ---- fields ------------------------------------------------------------------------------------ */

/* Two captures with each set of fields: what is there is said, what is not counts as nothing. */
static void every_set_of_fields(void **state) {
    struct test *t = *state;
    for (unsigned has = 0; has <= ALL; has++) {
        buf_clear(&t->b);
        const struct fields f = {3, 7, 4242, 81, 0};
        haswell(&t->b, 0, 9, has, f);
        haswell(&t->b, 1, 9, has, f);
        run(t, facts_of(has, HASWELL));
        assert_int_equal(t->out.counts.accepted, 2);
        bool owned = has & CTX;
        assert_int_equal(t->out.jobs, owned);
        assert_int_equal(oafold_count(&t->out, "job", " ctx 7 "), owned);
        assert_int_equal(oafold_count(&t->out, "job", " tid 4242 "), owned && has & PID);
        assert_int_equal(oafold_count(&t->out, "job", " tag 81 "), owned && has & TAG);
        assert_int_equal(oafold_value(&t->out, "1000000 - counter.A5"), 1);
    }
}

static void other_sizes(void **state) {
    struct test *t = *state;
    const struct fields f = {3, 7, 0, 0, 0};
    haswell(&t->b, 0, 9, SOURCE | CTX, f);
    run(t, facts_of(SOURCE | CTX | PID, HASWELL));
    assert_int_equal(t->out.counts.malformed, 1);
    assert_int_equal(t->out.counts.reasons[REASON_RECORD_SIZE], 1);
    run(t, facts_of(SOURCE | CTX, ""));
    assert_int_equal(t->out.counts.ignored, 1);
    assert_int_equal(t->out.counts.reasons[REASON_NO_FORMAT], 1);
    run(t, facts_of(SOURCE | CTX, HASWELL));
    assert_int_equal(t->out.counts.accepted, 1);
}

/* ---- captures ---------------------------------------------------------------------------------- */

/* What the ring holds between two captures has the labels of the last one, and counts by where it stands. */
static void captures(void **state) {
    struct test *t = *state;
    const struct fields ring = {1, 7, 4242, 81, 0}, own = {3, 7, 4242, 81, 0},
                        next = {3, 8, 4243, 0, 0};
    haswell(&t->b, 0, 0x400, ALL, ring);
    haswell(&t->b, 1, 1, ALL, own);
    haswell(&t->b, 2, 0x400, ALL, ring);
    haswell(&t->b, 3, 1, ALL, own);
    haswell(&t->b, 4, 0x400, ALL, ring);
    haswell(&t->b, 5, 2, ALL, next);
    oab_status(&t->b, 3);
    haswell(&t->b, 6, 3, ALL, own);
    haswell(&t->b, 7, 3, ALL, own);
    run(t, facts_of(ALL, "each=1\n" HASWELL));
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 1000000..3000000 ctx 7 tag 81 tid 4242 1000000000\n"
                        "job 6000000..7000000 ctx 7 tag 81 tid 4242 1000000000\n");
    assert_int_equal(oafold_count(&t->out, " - counter.A5 1", NULL), 3);
    assert_int_equal(oafold_count(&t->out, "ctx 7", "counter.A5 1"), 3);
    assert_int_equal(t->out.counts.reasons[REASON_BAD_PAIR], 1);
    assert_int_equal(t->out.counts.reasons[REASON_BUFFER_OVERRUN], 1);
    assert_int_equal(t->out.counts.accepted, 9);
}

/* ---- without a source -------------------------------------------------------------------------- */

/* The report's own bit says whether anybody runs; the fields say who. */
static void named_by_fields(void **state) {
    struct test *t = *state;
    const struct fields a = {0, 7, 4242, 0, 0}, b = {0, 8, 0, 0, 0}, none = {0, 0x1fffff, 0, 0, 0};
    gen9(&t->b, 0, 32, CTX | PID, a);
    gen9(&t->b, 1, 32, CTX | PID, a);
    gen9(&t->b, 2, 64, CTX | PID, b);
    gen9(&t->b, 3, 0, CTX | PID, none);
    gen9(&t->b, 4, 64, CTX | PID, b);
    run(t, facts_of(CTX | PID, SKYLAKE "oa_timestamp_hz=12500000\n"));
    assert_string_equal(oafold_lines(&t->out, "job"), "job 0..2000000 ctx 7 tid 4242 1000000000\n"
                                                      "job 2000000..3000000 ctx 8 1000000000\n");
    assert_int_equal(oafold_value(&t->out, "4000000 ctx 7 tid 4242 counter.A5"), 2);
    assert_int_equal(oafold_value(&t->out, "4000000 - counter.A5"), 4);
}

/* Reports alone, as upstream. */
static void named_by_reports(void **state) {
    struct test *t = *state;
    const struct fields none = {0};
    gen9(&t->b, 0, 32, 0, none);
    gen9(&t->b, 1, 0, 0, none);
    gen9(&t->b, 2, 64, 0, none);
    oab_status(&t->b, 2);
    gen9(&t->b, 3, 64, 0, none);
    gen9(&t->b, 4, 64, 0, none);
    run(t, "oa_timestamp_hz=12500000\n" SKYLAKE);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..1000000 ctx 32 1000000000\n"
                        "job 3000000..4000000 ctx 64 1000000000 open\n");
}

/* ---- timestamps alone -------------------------------------------------------------------------- */

static void stamp(struct buf *b, unsigned has, struct fields f) {
    oab_head(b, 1, 0, 8 + size_of(has));
    put_fields(b, has, &f);
}

static void timestamps_alone(void **state) {
    struct test *t = *state;
    const uint64_t base = 0xffffff000; /* wraps in its low half */
    for (unsigned i = 0; i < 4; i++)
        stamp(&t->b, ALL, (struct fields){3, 7 + i / 2, 4242, 81, base + 12500 * i});
    stamp(&t->b, ALL, (struct fields){3, 9, 1, 2, base + 50000});
    run(t, facts_of(ALL, "oa_engine=video\noa_timestamp_hz=12500000\n"));
    assert_string_equal(oafold_lines(&t->out, NULL),
                        "job 0..1000000 ctx 7 tag 81 tid 4242 0\n"
                        "job 2000000..3000000 ctx 8 tag 81 tid 4242 0\n");
    assert_int_equal(t->out.counts.accepted, 5);
    assert_int_equal(t->out.counts.reasons[REASON_OPEN_AT_END], 1);
    run(t, facts_of(ALL, ""));
    assert_int_equal(t->out.counts.ignored, 5);
    assert_int_equal(t->out.counts.reasons[REASON_CLOCK_CYCLES], 5);
}

/* ---- however the bytes come -------------------------------------------------------------------- */

static void pieces_say_what_the_whole_says(void **state) {
    struct test *t = *state;
    struct oafold pieces = {0};
    const struct fields ring = {2, 7, 4242, 81, 0}, own = {3, 7, 4242, 81, 0};
    haswell(&t->b, 0, 0x400, ALL, ring);
    haswell(&t->b, 1, 1, ALL, own);
    oab_head(&t->b, 99, 0, 8);
    haswell(&t->b, 2, 0x400, ALL, ring);
    haswell(&t->b, 3, 1, ALL, own);
    oab_status(&t->b, 2);
    haswell(&t->b, 4, 1, ALL, own);
    const char *facts = facts_of(ALL, "each=1\n" HASWELL);
    run(t, facts);
    assert_int_equal(t->out.jobs, 1);
    size_t all = t->b.n;
    for (size_t step = 1; step < all; step += step < 300 ? 1 : 41) {
        const struct oafold_input in = {
            .fold = &intel_stream_fold, .facts = facts, .bytes = buf_span_of(&t->b), .step = step};
        oafold_run(&pieces, &in);
        assert_memory_equal(&pieces.counts, &t->out.counts, sizeof pieces.counts);
        assert_int_equal(pieces.text.n, t->out.text.n);
        assert_memory_equal(pieces.text.p, t->out.text.p, pieces.text.n);
    }
    for (size_t n = 0; n <= all; n++) {
        t->b.n = n;
        run(t, facts);
        assert_int_equal(t->out.counts.truncated, intel_stream_file.cut(buf_span_of(&t->b)) < n);
        assert_int_equal(t->out.counts.malformed, 0);
    }
    oafold_finish(&pieces);
}

/* Behind the fields, or in one of them where there is no report. */
static void units_and_their_time(void **state) {
    (void)state;
    const struct vendor_file *v = &intel_stream_file;
    struct file_trail trail = {{0}};
    struct oab_report r = {.id = 1};
    struct buf b;
    int64_t t_ns;
    void *plan = calloc(1, v->plan_size);
    assert_non_null(plan);
    v->plan(plan, "oa_sample=source,ctx,ts\noa_format=5\n");
    buf_init(&b);
    for (unsigned i = 0; i < 4; i++) {
        bool only = i & 1;
        r.timestamp = 0xfffff000 + i * 12500;
        buf_clear(&b);
        oab_head(&b, 1, 0, only ? 24 : 24 + 256);
        oab_le(&b, 3, 4);
        oab_le(&b, 7, 4);
        oab_le(&b, only ? UINT64_C(0x5fffff000) + i * 12500 : 1, 8);
        if (!only)
            oab_haswell(&b, &r);
        assert_int_equal(v->next_by(plan, &trail, buf_span_of(&b), &t_ns), b.n);
        assert_int_equal(t_ns, (int64_t)i * 1000000);
    }
    buf_clear(&b);
    oab_head(&b, 2, 0, 8);
    assert_int_equal(v->next_by(plan, &trail, buf_span_of(&b), &t_ns), 8);
    assert_true(t_ns == INT64_MIN);
    buf_finish(&b);
    free(plan);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_set_of_fields),
        TEST(other_sizes),
        TEST(captures),
        TEST(named_by_fields),
        TEST(named_by_reports),
        TEST(timestamps_alone),
        TEST(pieces_say_what_the_whole_says),
        TEST(units_and_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
