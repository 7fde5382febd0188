/*
 * The captures of fixtures/intel, which tests/synth/oa.c made: what each context did, by hand. Every 100 ms of the
 * recorder's two seconds context 32 runs for 30 ms and context 64 for 20 ms by a clock of the CPU's that is 0.1 % fast;
 * at 1.53 s a report is lost, and with it what lies around it. Nine times in the ring's 1.8 s there are batches of 40,
 * 20 and 70 ms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/intel/intel.h"
#include "oafold.h"

#define MS INT64_C(1000000)

static void read_whole(struct buf *b, const char *path) {
    char piece[4096];
    FILE *f = fopen(path, "rb");
    size_t n;
    if (!f)
        print_error("%s\n", path);
    assert_non_null(f);
    buf_init(b);
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_put(b, piece, n);
    fclose(f);
    assert_true(b->n > 0 && b->n < 20480);
}

static void check_recording(const char *path, unsigned records) {
    struct oafold out = {0};
    struct buf b;
    read_whole(&b, path);
    struct oafold_input in = {
        .fold = &intel_perf_fold, .file = &intel_perf_file, .facts = "", .bytes = buf_span_of(&b)};
    assert_true(intel_perf_file.recognise(in.bytes, false));
    oafold_run(&out, &in);
    assert_int_equal(out.counts.accepted, records);
    assert_int_equal(out.counts.reasons[REASON_REPORT_LOST], 1);
    assert_int_equal(oafold_count(&out, "job", " ctx 32 1000000000"), 19);
    assert_int_equal(oafold_count(&out, "job", " ctx 64 500000000"), 19);
    assert_int_equal(out.busy_ns, (19 * 30 + 19 * 20) * (MS + 1000));
    assert_string_equal(oafold_lines(&out, "job 7000000000"),
                        "job 7000000000..7030030000 ctx 32 1000000000\n");
    assert_int_equal(oafold_value(&out, "9002000000 ctx 32 counter.A1"), 19 * 300);
    assert_int_equal(oafold_value(&out, "9002000000 ctx 64 counter.GpuTime"), 19 * 20 * MS);
    assert_int_equal(oafold_value(&out, "9002000000 ctx 64 counter.GpuBusy"), 1000000);
    assert_int_equal(oafold_value(&out, "9002000000 ctx 64 counter.EuActive"), 500000);
    assert_int_equal(oafold_value(&out, "9002000000 ctx 64 counter.SamplersBusy"), 250000);
    assert_int_equal(oafold_value(&out, "9002000000 - counter.GpuTime"), 1950 * MS);
    in.facts = "each=1\n";
    in.step = 1000;
    oafold_run(&out, &in);
    assert_int_equal(oafold_count(&out, "ReportReason 8 context_switch", NULL), 58);
    assert_int_equal(out.busy_ns, (19 * 30 + 19 * 20) * (MS + 1000));
    oafold_finish(&out);
    buf_finish(&b);
}

static void recordings(void **state) {
    (void)state;
    check_recording("fixtures/intel/recorder/i915_perf.record", 67);
    check_recording("fixtures/intel/recorder-before/i915_perf.record", 66);
}

static void ring(void **state) {
    static const struct {
        const char *owner;
        unsigned jobs;
        unsigned ms; /* of each */
    } owners[] = {
        {"ctx 7 tag 81 tid 4001", 9, 40},
        {"ctx 8 tag 82 tid 4002", 9, 20},
        {"ctx 9 tag 83 tid 4003", 5, 70},
        {"ctx 9 tag 84 tid 4003", 4, 70},
    };
    struct oafold out = {0};
    struct buf b;
    (void)state;
    read_whole(&b, "fixtures/intel/ring/records");
    const struct oafold_input in = {
        .fold = &intel_rfc_fold, .facts = "oa_flags=pid,tag\n", .bytes = buf_span_of(&b)};
    oafold_run(&out, &in);
    assert_int_equal(out.counts.accepted, 9 * 7);
    assert_int_equal(out.jobs, 27);
    assert_int_equal(out.busy_ns, 9 * 130 * MS);
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        char line[100];
        assert_int_equal(oafold_count(&out, "job", owners[i].owner), owners[i].jobs);
        snprintf(line, sizeof line, "1790000000 %s counter.A5", owners[i].owner);
        assert_int_equal(oafold_value(&out, line), 10 * owners[i].ms * owners[i].jobs);
        snprintf(line, sizeof line, "1790000000 %s counter.GpuBusy", owners[i].owner);
        assert_int_equal(oafold_value(&out, line), 1000000);
    }
    oafold_finish(&out);
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings), cmocka_unit_test(ring)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
