/* Perf streams and recordings of them: worked bytes, ownership, time, loss, and whatever way the bytes come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/intel/intel.h"
#include "backend/intel/run.h"
#include "oabytes.h"
#include "oafold.h"

#define MS INT64_C(1000000)

/* Skylake GT2, RenderBasic: 24 units, 12 MHz. */
static const struct oab_device skylake = {.timestamp_hz = 12000000,
                                          .pci_device = 0x1912,
                                          .most_hz = 1150000000,
                                          .format = 10,
                                          .uuid = "07b25942-d9fd-4fce-bd58-e29abd66b7de"};
static const char live[] = "pci=8086:1912\noa_format=A32u40_A4u32_B8_C8\noa_timestamp_hz=12000000\n"
                           "oa_set=07b25942-d9fd-4fce-bd58-e29abd66b7de\noa_eu=24\noa_slices=1\n"
                           "oa_subslices=7\n";

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

static void head(struct buf *b, bool released) {
    if (released)
        oab_version(b);
    oab_info(b, &skylake, released);
    oab_topology(b, released);
}

/* After so many ms a report of a GPU that runs at 1 GHz, always half busy, in this context. */
static struct oab_report at_ms(unsigned ms, uint32_t context) {
    struct oab_report r = {.id = OAB_TIMER | (context ? OAB_VALID : 0),
                           .timestamp = 1000 + 12000 * ms,
                           .context = context ? context : UINT32_MAX,
                           .clock = 1000000 * ms};
    r.a[0] = UINT64_C(500000) * ms;
    r.a[1] = 10 * ms;
    return r;
}

static void sample(struct buf *b, unsigned ms, uint32_t context) {
    const struct oab_report r = at_ms(ms, context);
    oab_sample(b, &r);
}

static void run(struct test *t, const char *facts) {
    const struct oafold_input in = {.fold = &intel_perf_fold,
                                    .file = &intel_perf_file,
                                    .facts = facts,
                                    .bytes = buf_span_of(&t->b)};
    oafold_run(&t->out, &in);
}

static void assert_all(const struct counts *c, uint64_t accepted, uint64_t ignored,
                       uint64_t malformed, uint64_t truncated) {
    assert_int_equal(c->accepted, accepted);
    assert_int_equal(c->ignored, ignored);
    assert_int_equal(c->malformed, malformed);
    assert_int_equal(c->truncated, truncated);
}

/* ---- worked bytes ------------------------------------------------------------------------------ */

static void worked_samples(struct buf *b) {
    struct oab_report r = {
        .id = 0x7809003c, .timestamp = 0xffffe000, .context = 0x20, .clock = 0xffff0000};
    r.a[0] = 0x01ffffff00, r.a[1] = 4096, r.a[6] = 0x20000;
    r.a[7] = 0xfffffff000, r.a[8] = 0x0a00000000;
    r.b[0] = 100000, r.b[1] = 90000, r.c[6] = 65536, r.c[7] = 32768;
    oab_sample(b, &r);
    r.timestamp = 0x00000ee0, r.clock = 0x000e4240;
    r.a[0] = 0x02000b70b0, r.a[1] = 4096 + 1200, r.a[6] = 0x20000 + 64000;
    r.a[7] = 0x0000b70b00, r.a[8] = 0x0a00493e00;
    r.b[0] = 400000, r.b[1] = 540000, r.c[6] = 65536 + 200000, r.c[7] = 32768 + 50000;
    oab_sample(b, &r);
}

static void worked_bytes(void **state) {
    struct test *t = *state;
    static const struct {
        const char *line;
        int64_t value;
    } cases[] = {
        {"1000000 ctx 32 counter.GpuTime", 1000000},
        {"1000000 ctx 32 counter.GpuCoreClocks", 1000000},
        {"1000000 ctx 32 counter.AvgGpuCoreFrequency", 1000000000},
        {"1000000 ctx 32 counter.GpuBusy", 750000},
        {"1000000 ctx 32 counter.A0", 750000},
        {"1000000 ctx 32 counter.EuActive", 500000},
        {"1000000 ctx 32 counter.EuStall", 200000},
        {"1000000 ctx 32 counter.SamplersBusy", 450000},
        {"1000000 ctx 32 counter.GtiReadThroughput", 12800000000},
        {"1000000 ctx 32 counter.GtiWriteThroughput", 3200000000},
        {"1000000 ctx 32 counter.VsThreads", 1200},
        {"1000000 ctx 32 counter.PsThreads", 64000},
        {"1000000 ctx 32 counter.A7", 12000000},
        {"1000000 ctx 32 counter.A8", 4800000},
        {"1000000 ctx 32 counter.A35", 0},
        {"1000000 ctx 32 counter.B0", 300000},
        {"1000000 ctx 32 counter.B1", 450000},
        {"1000000 ctx 32 counter.C6", 200000},
        {"1000000 ctx 32 counter.C7", 50000},
        {"1000000 ctx 32 counter.ReportReason", 1},
    };
    head(&t->b, true);
    worked_samples(&t->b);
    run(t, "each=1\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(oafold_value(&t->out, cases[i].line), cases[i].value);
    assert_int_equal(oafold_count(&t->out, "counter.A36", NULL), 0);
    assert_int_equal(oafold_count(&t->out, "counter.ReportReason 1 timer", NULL), 1);
    assert_int_equal(oafold_count(&t->out, "activity.gfx", NULL), 0);
    assert_string_equal(oafold_lines(&t->out, "job"), "job 0..1000000 ctx 32 1000000000 open\n");
    assert_all(&t->out.counts, 5, 0, 0, 0);
}

/* Records of 8 bytes between the same two: the later report is only a new base. */
static void loss_between(void **state) {
    struct test *t = *state;
    for (uint32_t type = 2; type <= 3; type++) {
        buf_clear(&t->b);
        head(&t->b, true);
        sample(&t->b, 0, 32);
        sample(&t->b, 1, 32);
        oab_status(&t->b, type);
        sample(&t->b, 5, 32);
        sample(&t->b, 6, 32);
        run(t, "each=1\n");
        assert_string_equal(oafold_lines(&t->out, "job"),
                            "job 0..1000000 ctx 32 1000000000\n"
                            "job 5000000..6000000 ctx 32 1000000000 open\n");
        assert_int_equal(oafold_count(&t->out, "counter.A1 10", NULL), 2);
        assert_int_equal(oafold_count(&t->out, "counter.A1 ", NULL), 2);
        assert_int_equal(t->out.counts.reasons[REASON_REPORT_LOST], type == 2);
        assert_int_equal(t->out.counts.reasons[REASON_BUFFER_OVERRUN], type == 3);
        assert_all(&t->out.counts, 8, 0, 0, 0);
    }
}

/* ---- owners ------------------------------------------------------------------------------------ */

/* What lies between two reports is the earlier one's, whatever the reason of the later. */
static void owners(void **state) {
    struct test *t = *state;
    head(&t->b, true);
    static const uint32_t contexts[] = {32, 32, 64, 0, 0, 32, 64};
    for (unsigned i = 0; i < sizeof contexts / sizeof contexts[0]; i++)
        sample(&t->b, i, contexts[i]);
    run(t, "each=1\n");
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..2000000 ctx 32 1000000000\n"
                        "job 2000000..3000000 ctx 64 1000000000\n"
                        "job 5000000..6000000 ctx 32 1000000000 open\n");
    assert_int_equal(oafold_count(&t->out, " ctx 32 counter.A1 10", NULL), 3);
    assert_int_equal(oafold_count(&t->out, " ctx 64 counter.A1 10", NULL), 1);
    assert_int_equal(oafold_count(&t->out, " - counter.A1 10", NULL), 2);

    run(t, "");
    assert_int_equal(oafold_count(&t->out, "job", NULL), 3);
    assert_int_equal(oafold_value(&t->out, "6000000 - counter.A1"), 60);
    assert_int_equal(oafold_value(&t->out, "6000000 - counter.GpuBusy"), 500000);
    assert_int_equal(oafold_value(&t->out, "6000000 - activity.gfx"), 500000);
    assert_int_equal(oafold_value(&t->out, "6000000 ctx 32 counter.A1"), 30);
    assert_int_equal(oafold_value(&t->out, "6000000 ctx 32 counter.GpuTime"), 3 * MS);
    assert_int_equal(oafold_value(&t->out, "6000000 ctx 64 counter.GpuTime"), 1 * MS);
    assert_int_equal(oafold_count(&t->out, "ctx", "activity.gfx"), 0);
    assert_int_equal(oafold_count(&t->out, "ReportReason", NULL), 0);
}

/* A stretch that goes on is told tick by tick, none of its time twice. */
static void ticks(void **state) {
    struct test *t = *state;
    for (unsigned i = 0; i <= 10; i++)
        sample(&t->b, i, 32);
    const struct oafold_input in = {.fold = &intel_perf_fold,
                                    .facts = live,
                                    .bytes = buf_span_of(&t->b),
                                    .step = 264,
                                    .ticks = 5};
    oafold_run(&t->out, &in);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..4000000 ctx 32 1000000000 open\n"
                        "job 4000000..9000000 ctx 32 1000000000 open\n"
                        "job 9000000..10000000 ctx 32 1000000000 open\n");
    assert_int_equal(oafold_value(&t->out, "4000000 - counter.A1"), 40);
    assert_int_equal(oafold_value(&t->out, "9000000 - counter.A1"), 50);
    assert_int_equal(oafold_value(&t->out, "10000000 ctx 32 counter.A1"), 10);
}

static void too_many_owners(void **state) {
    struct test *t = *state;
    for (unsigned i = 0; i <= 300; i++)
        sample(&t->b, i, i < 300 ? i + 1 : 0);
    const struct oafold_input in = {
        .fold = &intel_perf_fold, .facts = live, .bytes = buf_span_of(&t->b)};
    oafold_run(&t->out, &in);
    assert_int_equal(t->out.counts.reasons[REASON_CONTEXTS_FULL], 300 - 256);
    assert_int_equal(t->out.jobs, 300);
    assert_int_equal(oafold_value(&t->out, "300000000 - counter.A1"), 3000);
    assert_int_equal(oafold_count(&t->out, "ctx", "counter.A1 "), 256);
}

/* Reports that tell no time or none that went on change nothing but the base. */
static void bad_deltas(void **state) {
    struct test *t = *state;
    struct oab_report none = at_ms(1, 32);
    none.timestamp = 0;
    sample(&t->b, 0, 32);
    oab_sample(&t->b, &none);
    sample(&t->b, 1, 32);
    sample(&t->b, 1, 32);
    struct oab_report stuck = at_ms(2, 32);
    stuck.clock = 1000000;
    oab_sample(&t->b, &stuck);
    stuck = at_ms(3, 32);
    oab_sample(&t->b, &stuck);
    const struct oafold_input in = {
        .fold = &intel_perf_fold, .facts = live, .bytes = buf_span_of(&t->b)};
    oafold_run(&t->out, &in);
    assert_int_equal(t->out.counts.reasons[REASON_BAD_DELTA], 3);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..1000000 ctx 32 1000000000\n"
                        "job 2000000..3000000 ctx 32 2000000000 open\n");
    assert_all(&t->out.counts, 6, 0, 0, 0);
}

/* ---- time -------------------------------------------------------------------------------------- */

/* A pair at the time of a report, in a GPU clock of 36 bits. */
#define HIGH (UINT64_C(5) << 32)
static void pair(struct buf *b, uint64_t cpu_ns, unsigned ms) {
    oab_pair(b, cpu_ns, HIGH | (1000 + UINT64_C(12000) * ms), true);
}

static void pairs_around(void **state) {
    struct test *t = *state;
    head(&t->b, true);
    sample(&t->b, 0, 32); /* before the first pair: along the line of the first two */
    pair(&t->b, 1000 * 1000 * 1000, 1);
    sample(&t->b, 2, 64); /* between: the GPU's clock is seen slow by half */
    pair(&t->b, 1002 * 1000 * 1000, 3);
    sample(&t->b, 4, 32);
    pair(&t->b, 1006 * 1000 * 1000, 5);
    sample(&t->b, 6, 64); /* behind the last one */
    run(t, "each=1\n");
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 999000000..1001000000 ctx 32 1000000000\n"
                        "job 1001000000..1004000000 ctx 64 1000000000\n"
                        "job 1004000000..1008000000 ctx 32 1000000000 open\n");
    assert_int_equal(oafold_count(&t->out, "1001000000 ctx 32 counter.GpuTime 2000000", NULL), 1);
}

/* One pair alone, wherever it stands, and the rate. */
static void one_pair(void **state) {
    struct test *t = *state;
    for (unsigned at = 0; at < 3; at++) {
        buf_clear(&t->b);
        head(&t->b, true);
        for (unsigned i = 0; i < 3; i++) {
            if (i == at)
                pair(&t->b, 5000 * 1000 * 1000ull, 1);
            sample(&t->b, i, 32);
        }
        run(t, "each=1\n");
        assert_string_equal(oafold_lines(&t->out, "job"),
                            "job 4999000000..5001000000 ctx 32 1000000000 open\n");
    }
}

/* Pairs that tell no slope: nothing is divided by it, and no time goes back. */
static void pairs_without_slope(void **state) {
    static const struct {
        uint64_t cpu_ns[2];
        unsigned ms[2];
    } cases[] = {
        {{5000000000, 5000000000}, {1, 1}}, {{5000000000, 5000000000}, {1, 2}},
        {{5000000000, 5001000000}, {1, 1}}, {{5000000000, 4000000000}, {1, 2}},
        {{5000000000, 9000000000}, {1, 2}}, {{5000000000, 5000000001}, {1, 2}},
        {{5000000000, 4999000000}, {1, 0}},
    };
    struct test *t = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buf_clear(&t->b);
        head(&t->b, true);
        sample(&t->b, 0, 32);
        for (unsigned k = 0; k < 2; k++)
            pair(&t->b, cases[i].cpu_ns[k], cases[i].ms[k]);
        sample(&t->b, 1, 32);
        run(t, "each=1\n");
        assert_int_equal(t->out.jobs, 1);
        assert_int_equal(t->out.busy_ns, MS);
    }
}

/* Nobody looked through it: time up to the first pair is GPU time, and no job reaches over. */
static void pairs_unforeseen(void **state) {
    struct test *t = *state;
    head(&t->b, true);
    sample(&t->b, 0, 32);
    sample(&t->b, 1, 32);
    pair(&t->b, 5000000000, 1);
    sample(&t->b, 2, 32);
    pair(&t->b, 5002000000, 3);
    sample(&t->b, 4, 32);
    const struct oafold_input in = {
        .fold = &intel_perf_fold, .facts = "each=1\n", .bytes = buf_span_of(&t->b)};
    oafold_run(&t->out, &in);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 0..1000000 ctx 32 1000000000\n"
                        "job 5000000000..5003000000 ctx 32 1000000000 open\n");
}

/* The stamp wraps every 358 s; what is missing in between only pairs can tell. */
static void long_gap(void **state) {
    struct test *t = *state;
    head(&t->b, true);
    pair(&t->b, 1000000000, 0);
    sample(&t->b, 0, 32);
    sample(&t->b, 1, 32);
    oab_status(&t->b, 3);
    pair(&t->b, 1001000000000, 1000000);
    struct oab_report r = at_ms(1, 32);
    r.timestamp = (uint32_t)(1000 + 12000 * UINT64_C(1000001));
    oab_sample(&t->b, &r);
    r.timestamp += 12000;
    r.clock += 1000000;
    oab_sample(&t->b, &r);
    run(t, "each=1\n");
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 1000000000..1001000000 ctx 32 1000000000\n"
                        "job 1001001000000..1001002000000 ctx 32 1000000000 open\n");
}

/* More pairs than are kept: every other one is as good. */
static void many_pairs(void **state) {
    struct test *t = *state;
    head(&t->b, true);
    for (unsigned i = 0; i <= 1000; i++) {
        pair(&t->b, 1000000000 + UINT64_C(2000000) * i, i);
        sample(&t->b, i, i % 2 ? 32 : 64);
    }
    run(t, "");
    assert_int_equal(t->out.jobs, 1000);
    assert_int_equal(t->out.busy_ns, 2000 * MS);
    assert_int_equal(oafold_count(&t->out, "job 1998000000..2000000000 ctx 32", NULL), 1);
    assert_int_equal(oafold_count(&t->out, "job 2998000000..3000000000 ctx 32", NULL), 1);
}

/* Live the newest report of the first frame is as old as the frame, and all others by the GPU's clock. */
static void live_time(void **state) {
    struct test *t = *state;
    for (unsigned i = 0; i < 6; i++)
        sample(&t->b, i, 32);
    const struct oafold_input in = {.fold = &intel_perf_fold,
                                    .facts = live,
                                    .bytes = buf_span_of(&t->b),
                                    .step = 3 * 264,
                                    .t_ns = 7000 * MS,
                                    .step_ns = 4 * MS};
    oafold_run(&t->out, &in);
    assert_string_equal(oafold_lines(&t->out, "job"),
                        "job 6998000000..7003000000 ctx 32 1000000000 open\n");
}

/* ---- however the bytes come -------------------------------------------------------------------- */

static void whole_file(struct buf *b, bool released) {
    static const char odd[16] = {0x10, 0x27, 0, 0, 0, 0, 16, 0};
    head(b, released);
    oab_pair(b, 1000000000, 1000, released);
    sample(b, 0, 32);
    sample(b, 1, 64);
    buf_put(b, odd, sizeof odd);
    oab_status(b, 2);
    sample(b, 3, 64);
    sample(b, 4, 32);
    oab_status(b, 3);
    oab_pair(b, 1005000000, 1000 + 60000, released);
    sample(b, 5, 32);
    sample(b, 6, 32);
}

static void both_versions(void **state) {
    struct test *t = *state;
    struct buf released;
    buf_init(&released);
    whole_file(&t->b, true);
    run(t, "each=1\n");
    buf_span(&released, buf_span_of(&t->out.text));
    assert_all(&t->out.counts, 13, 1, 0, 0);
    assert_int_equal(t->out.jobs, 3);
    buf_clear(&t->b);
    whole_file(&t->b, false);
    run(t, "each=1\n");
    assert_all(&t->out.counts, 12, 1, 0, 0);
    assert_int_equal(released.n, t->out.text.n);
    assert_memory_equal(released.p, t->out.text.p, released.n);
    buf_finish(&released);
}

static void pieces_say_what_the_whole_says(void **state) {
    struct test *t = *state;
    struct oafold pieces = {0};
    for (unsigned each = 0; each < 2; each++) {
        buf_clear(&t->b);
        whole_file(&t->b, true);
        run(t, each ? "each=1\n" : "");
        for (size_t step = 1; step < t->b.n; step += step < 300 ? 1 : 97) {
            const struct oafold_input in = {.fold = &intel_perf_fold,
                                            .file = &intel_perf_file,
                                            .facts = each ? "each=1\n" : "",
                                            .bytes = buf_span_of(&t->b),
                                            .step = step};
            oafold_run(&pieces, &in);
            assert_memory_equal(&pieces.counts, &t->out.counts, sizeof pieces.counts);
            assert_int_equal(pieces.text.n, t->out.text.n);
            assert_memory_equal(pieces.text.p, t->out.text.p, pieces.text.n);
        }
    }
    oafold_finish(&pieces);
}

static void truncated_anywhere(void **state) {
    struct test *t = *state;
    whole_file(&t->b, true);
    size_t all = t->b.n, records = 0;
    for (size_t n = 0; n <= all; n++) {
        t->b.n = n;
        size_t whole = intel_perf_file.cut(buf_span_of(&t->b));
        run(t, "each=1\n");
        const struct counts *c = &t->out.counts;
        assert_int_equal(c->truncated, whole < n);
        assert_int_equal(c->reasons[REASON_CUT], whole < n);
        assert_int_equal(c->malformed, 0);
        records = c->accepted + c->ignored;
        assert_true(whole > 0 || records == 0);
    }
    assert_int_equal(records, 14);
}

/* A record that waits at the end of a tick is cut only if nothing follows. */
static void cut_is_taken_back(void **state) {
    struct test *t = *state;
    whole_file(&t->b, true);
    const struct oafold_input in = {.fold = &intel_perf_fold,
                                    .file = &intel_perf_file,
                                    .facts = "",
                                    .bytes = buf_span_of(&t->b),
                                    .step = 100,
                                    .ticks = 1};
    oafold_run(&t->out, &in);
    assert_all(&t->out.counts, 13, 1, 0, 0);
    assert_int_equal(t->out.counts.reasons[REASON_CUT], 0);
}

/* ---- what is none ------------------------------------------------------------------------------ */

static void broken_sizes(void **state) {
    struct test *t = *state;
    static const char short_record[8] = {1, 0, 0, 0, 0, 0, 7, 0};
    head(&t->b, true);
    oab_head(&t->b, 1, 0, 264 - 8); /* a report too short */
    buf_fill(&t->b, '\0', 264 - 16);
    oab_head(&t->b, 2, 0, 16);
    oab_le(&t->b, 0, 8);
    oab_head(&t->b, 65539, 0, 16);
    oab_le(&t->b, 0, 8);
    sample(&t->b, 0, 32);
    buf_put(&t->b, short_record, sizeof short_record);
    sample(&t->b, 1, 32); /* not looked at */
    run(t, "each=1\n");
    assert_all(&t->out.counts, 4, 0, 4, 0);
    assert_int_equal(t->out.counts.reasons[REASON_RECORD_SIZE], 4);
    assert_int_equal(t->out.samples, 0);
}

static void no_format(void **state) {
    struct test *t = *state;
    oab_version(&t->b);
    sample(&t->b, 0, 32);
    sample(&t->b, 1, 32);
    run(t, "each=1\n");
    assert_all(&t->out.counts, 1, 2, 0, 0);
    assert_int_equal(t->out.counts.reasons[REASON_NO_FORMAT], 2);
    assert_int_equal(t->out.samples + t->out.jobs, 0);
}

static void facts_of_a_file(void **state) {
    struct test *t = *state;
    static const char expected[] =
        "oa_file=1\npci=8086:1912\noa_format=10\noa_timestamp_hz=12000000\noa_most_hz=1150000000\n"
        "oa_set=07b25942-d9fd-4fce-bd58-e29abd66b7de\noa_engine=video\noa_eu=24\noa_slices=1\n"
        "oa_subslices=7\noa_clock=1000000000:1000,1001000000:13000\n";
    struct oab_device d = skylake;
    struct buf facts;
    void *seen = calloc(1, intel_perf_file.scan_size);
    buf_init(&facts);
    d.engine_class = 2;
    oab_version(&t->b);
    oab_info(&t->b, &d, true);
    oab_topology(&t->b, true);
    oab_pair(&t->b, 1000000000, 1000, true);
    oab_pair(&t->b, 1001000000, 13000, true);
    intel_perf_file.scan(seen, buf_span_of(&t->b));
    intel_perf_file.say_facts(seen, &facts);
    buf_char(&facts, '\0');
    assert_string_equal(facts.p, expected);
    free(seen);
    buf_finish(&facts);
    sample(&t->b, 0, 32);
    sample(&t->b, 1, 32);
    run(t, "each=1\n");
    assert_int_equal(t->out.jobs, 1);
}

/* Time of each unit, walking through all of them with the facts that a look through the whole told. */
static unsigned walk(struct span bytes, int64_t *times, unsigned cap) {
    const struct vendor_file *v = &intel_perf_file;
    void *seen = calloc(1, v->scan_size), *plan = calloc(1, v->plan_size);
    struct file_trail trail = {{0}};
    struct buf facts;
    unsigned count = 0;
    size_t n;
    assert_true(seen && plan);
    buf_init(&facts);
    v->scan(seen, bytes);
    v->say_facts(seen, &facts);
    buf_char(&facts, '\0');
    v->plan(plan, facts.p);
    for (; bytes.n > 0; bytes = span_skip(bytes, n)) {
        assert_true(count < cap);
        n = v->next_by(plan, &trail, bytes, &times[count]);
        assert_int_equal(n, record_size(bytes));
        assert_true(n > 0);
        count++;
    }
    buf_finish(&facts);
    free(seen);
    free(plan);
    return count;
}

/* Reports stand at their own time: before the pairs, between them and behind the last; where there are none, since the
 * first of them. */
static void units_and_their_time(void **state) {
    struct test *t = *state;
    for (unsigned released = 0; released < 2; released++)
        for (unsigned pairs = 0; pairs < 3; pairs++) {
            int64_t times[32];
            buf_clear(&t->b);
            head(&t->b, released);
            unsigned first = released ? 3 : 2, at = first;
            for (unsigned i = 0; i < 20; i++) {
                if (i == 5 && pairs > 0)
                    oab_pair(&t->b, 5000000000, HIGH | (1000 + 12000 * i), released);
                if (i == 10 && pairs > 1)
                    oab_pair(&t->b, 5005000000, HIGH | (1000 + 12000 * i), released);
                sample(&t->b, i, 32);
            }
            unsigned count = walk(buf_span_of(&t->b), times, 32);
            assert_int_equal(count, first + 20 + pairs);
            for (unsigned i = 0; i < first; i++)
                assert_true(times[i] == INT64_MIN);
            for (unsigned i = 0; i < 20; i++, at++) {
                if ((i == 5 && pairs > 0) || (i == 10 && pairs > 1))
                    assert_true(times[at++] == INT64_MIN);
                assert_int_equal(times[at], (pairs ? 4995000000 : 0) + (int64_t)i * 1000000);
            }
        }
}

/* A stamp that steps back, and one that leaps by more than a running clock can tell, are no minutes of work. */
static void steps_of_time(void **state) {
    static const uint32_t stamps[] = {50000, 40000, 52000, 52000 + 0x80000000u,
                                      64000 + 0x80000000u};
    struct test *t = *state;
    head(&t->b, true);
    for (unsigned i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
        struct oab_report r = {.id = OAB_TIMER | OAB_VALID,
                               .timestamp = stamps[i],
                               .context = 32,
                               .clock = 1000 + i * 1000000};
        r.a[0] = i * 500000;
        oab_sample(&t->b, &r);
    }
    run(t, "each=1\n");
    assert_int_equal(t->out.counts.reasons[REASON_BAD_DELTA], 2);
    assert_int_equal(oafold_value(&t->out, "1000000 ctx 32 counter.GpuTime"), 1000000);
    assert_int_equal(oafold_value(&t->out, "2000000 ctx 32 counter.GpuTime"), 1000000);
    assert_int_equal(t->out.busy_ns, 2000000);
}

/* Another version of the recorder's format is said to be one, and what can be read of it is. */
static void other_version(void **state) {
    struct test *t = *state;
    head(&t->b, true);
    t->b.p[8] = 2;
    sample(&t->b, 0, 32);
    sample(&t->b, 1, 32);
    run(t, "each=1\n");
    assert_int_equal(t->out.counts.malformed, 1);
    assert_int_equal(t->out.counts.reasons[REASON_TABLE_VERSION], 1);
    assert_int_equal(t->out.jobs, 1);
}

/* Rates that no unit has tell nothing: then it is the platform's usual one. */
static void absurd_rates(void **state) {
    static const uint64_t rates[] = {0, 1, 1000, 1000000000000, UINT64_MAX};
    struct test *t = *state;
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct oab_device d = skylake;
        d.timestamp_hz = rates[i];
        buf_clear(&t->b);
        oab_version(&t->b);
        oab_info(&t->b, &d, true);
        sample(&t->b, 0, 32);
        sample(&t->b, 1, 32);
        run(t, "each=1\n");
        assert_int_equal(t->out.counts.reasons[REASON_OUT_OF_RANGE], 1);
        assert_int_equal(oafold_value(&t->out, "1000000 ctx 32 counter.GpuTime"), 1000000);
    }
}

static void recognised(void **state) {
    struct test *t = *state;
    for (unsigned released = 0; released < 2; released++) {
        buf_clear(&t->b);
        head(&t->b, released);
        assert_true(intel_perf_file.recognise(buf_span_of(&t->b), false));
        assert_false(intel_perf_file.recognise(span_skip(buf_span_of(&t->b), 4), false));
    }
    assert_false(intel_perf_file.recognise(span_of("drm-driver:\ti915\n"), false));
    assert_false(intel_perf_file.recognise(span_of(""), true));
    buf_clear(&t->b);
    sample(&t->b, 0, 32);
    assert_false(intel_perf_file.recognise(buf_span_of(&t->b), false));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(worked_bytes),
        TEST(loss_between),
        TEST(owners),
        TEST(ticks),
        TEST(too_many_owners),
        TEST(bad_deltas),
        TEST(pairs_around),
        TEST(one_pair),
        TEST(pairs_without_slope),
        TEST(pairs_unforeseen),
        TEST(long_gap),
        TEST(many_pairs),
        TEST(live_time),
        TEST(both_versions),
        TEST(pieces_say_what_the_whole_says),
        TEST(truncated_anywhere),
        TEST(cut_is_taken_back),
        TEST(broken_sizes),
        TEST(no_format),
        TEST(facts_of_a_file),
        TEST(recognised),
        TEST(units_and_their_time),
        TEST(steps_of_time),
        TEST(other_version),
        TEST(absurd_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
