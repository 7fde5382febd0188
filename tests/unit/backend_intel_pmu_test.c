/* Counters of perf events, of the driver and of energy: what two frames say, and what becomes of lines that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/intel/intel.h"
#include "heard.h"

#define SECOND_NS INT64_C(1000000000)
#define SCALE     "2.3283064365386962890625e-10"

struct bench {
    const struct fold *fold;
    void *memory;
    struct heard heard;
    struct counts counts;
    int64_t t_ns;
};

static struct bench *bench_of(const struct fold *fold) {
    struct bench *b = calloc(1, sizeof *b);
    b->fold = fold;
    b->memory = calloc(1, fold->size);
    fold->init(b->memory, NULL);
    return b;
}

static int set_up_pmu(void **state) {
    *state = bench_of(&intel_pmu_fold);
    return 0;
}

static int set_up_rapl(void **state) {
    *state = bench_of(&intel_rapl_fold);
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    heard_finish(&b->heard);
    free(b->memory);
    free(b);
    return 0;
}

static const char *feed_bytes(struct bench *b, struct span bytes) {
    struct subject s = {.id = 7, .device = 2, .name = "i915", .facts = "driver=i915\napu=1\n"};
    struct frame f = {
        .t_ns = b->t_ns += SECOND_NS, .bytes = bytes.p, .size = bytes.n, .subject = 7};
    struct sink sink = heard_sink(&b->heard);
    heard_clear(&b->heard);
    b->heard.plain = true;
    b->counts = (struct counts){0};
    b->fold->feed(b->memory, &s, &f, &sink, &b->counts);
    return heard_text(&b->heard);
}

static const char *feed(struct bench *b, const char *text) {
    return feed_bytes(b, span_of(text));
}

/* ---- the driver's ------------------------------------------------------------------------------------------ */

static void engines(void **state) {
    struct bench *b = *state;
    assert_string_equal(feed(b, "time=1000000000\nrcs0-busy=100\nvcs1-wait=5\nvecs0-sema=7\n"),
                        "engine.busy rcs0:graphics unknown\n"
                        "engine.wait vcs1:media unknown\n"
                        "engine.sema vecs0:media unknown\n");
    assert_string_equal(feed(b, "time=3000000000\nrcs0-busy=500000100\nvcs1-wait=2000000005\n"
                                "vecs0-sema=7\nbcs0-busy=1\nccs3-busy=2\nxcs0-busy=3\n"),
                        "engine.busy rcs0:graphics 250000\n"
                        "engine.wait vcs1:media 1000000\n"
                        "engine.sema vecs0:media 0\n"
                        "engine.busy bcs0:copy unknown\n"
                        "engine.busy ccs3:compute unknown\n"
                        "engine.busy xcs0:other unknown\n");
    assert_counts(&b->counts, 7);
    assert_int_equal(b->counts.accepted, 7);
}

/* What reading takes makes a little more than all; more is not believed, and less than before begins anew. */
static void more_than_all(void **state) {
    struct bench *b = *state;
    (void)feed(b, "time=1000000000\nrcs0-busy=0\nvcs0-busy=0\nbcs0-busy=9\n");
    assert_string_equal(
        feed(b, "time=2000000000\nrcs0-busy=1010000000\nvcs0-busy=1500000000\nbcs0-busy=8\n"),
        "engine.busy rcs0:graphics 1000000\n"
        "engine.busy vcs0:media 1000000 clamped\n"
        "engine.busy bcs0:copy unknown\n");
}

static void clocks_of_i915(void **state) {
    struct bench *b = *state;
    (void)feed(b, "time=1\nactual-frequency=0\nrequested-frequency=10\nactual-frequency-gt1=5\n");
    assert_string_equal(feed(b, "time=2000000001\nactual-frequency=1200\nrequested-frequency=2610\n"
                                "actual-frequency-gt1=5\nrequested-frequency-gt1=3\n"),
                        "clock.gt actual-frequency[0] 600000000\n"
                        "clock.gt.requested requested-frequency[0] 1300000000\n"
                        "clock.gt actual-frequency-gt1[1] 0\n"
                        "clock.gt.requested requested-frequency-gt1[1] unknown\n");
    assert_string_equal(feed(b, "time=2000000002\nactual-frequency=9999999999\n"),
                        "clock.gt actual-frequency[0] malformed\n");
}

/* Each reading of xe adds the clock of the moment, whatever the time between. */
static void clocks_of_xe(void **state) {
    struct bench *b = *state;
    (void)feed(b, "time=1\ngt-actual-frequency=400\ngt-requested-frequency-gt1=100\n");
    assert_string_equal(
        feed(b, "time=777000001\ngt-actual-frequency=2350\ngt-requested-frequency-gt1=1300\n"),
        "clock.gt gt-actual-frequency[0] 1950000000\n"
        "clock.gt.requested gt-requested-frequency-gt1[1] 1200000000\n");
}

static void sleep_and_interrupts(void **state) {
    struct bench *b = *state;
    assert_string_equal(feed(b, "time=1000000000\nrc6-residency=1000\ninterrupts=12\n"),
                        "idle.residency rc6-residency[0] unknown\ninterrupts interrupts 12\n");
    assert_string_equal(feed(b, "time=2000000000\nrc6-residency=990001000\ninterrupts=13\n"
                                "gt-c6-residency-gt1=100\n"),
                        "idle.residency rc6-residency[0] 990000\ninterrupts interrupts 13\n"
                        "idle.residency gt-c6-residency-gt1[1] unknown\n");
    assert_string_equal(feed(b, "time=3000000000\ngt-c6-residency-gt1=600\n"),
                        "idle.residency gt-c6-residency-gt1[1] 500000\n");
}

static void time_that_is_none(void **state) {
    static const char *const heads[] = {
        "rcs0-busy=1\n", "time=0\n", "time=x\n",   "time=\n",   "time\n",
        "=1\n",          "\n",       "time=1 2\n", "time=-5\n", "time=99999999999999999999\n"};
    struct bench *b = *state;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        char text[128];
        (void)feed(b, "time=1000000000\nvcs0-busy=1\n");
        strcat(strcpy(text, heads[i]), "vcs0-busy=2\n");
        assert_string_equal(feed(b, text), "engine.busy vcs0:media unknown\n");
        assert_int_equal(b->counts.malformed, 1);
    }
    (void)feed(b, "time=1000000000\nvcs0-busy=1\n");
    assert_string_equal(feed(b, "time=1000000000\nvcs0-busy=2\n"),
                        "engine.busy vcs0:media unknown\n");
    assert_string_equal(feed(b, "time=900000000\nvcs0-busy=3\n"),
                        "engine.busy vcs0:media unknown\n");
    assert_string_equal(feed(b, ""), "");
    assert_counts(&b->counts, 0);
}

static void lines_that_are_none(void **state) {
    struct bench *b = *state;
    assert_string_equal(feed(b,
                             "time=1\nbusy=1\n-busy=1\nrcs0-busy\nrcs0-busy=\nrcs0-busy=1x\n"
                             "rcs0-busy=1 2\n=\nrcs0-busy=-1\nactual-frequency-gt16=1\n"
                             "software-gt-awake-time=4\nrcs0-idle=1\n"
                             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-busy=1\n"
                             "\x1b[1m-busy=1\nrcs0-busy=18446744073709551616\n"),
                        "");
    assert_counts(&b->counts, 15);
    assert_int_equal(b->counts.accepted, 1);
    assert_int_equal(b->counts.malformed, 7);
}

/* There is room for so many names; the rest stay unknown, and nothing else suffers. */
static void many_names(void **state) {
    struct bench *b = *state;
    struct buf text;
    buf_init(&text);
    for (int round = 1; round <= 2; round++) {
        buf_clear(&text);
        buf_text(&text, round == 1 ? "time=1\n" : "time=1000000001\n");
        for (unsigned i = 0; i < 500; i++) {
            char line[64];
            snprintf(line, sizeof line, "vcs%u-busy=%u\n", i, round == 1 ? 0u : 500000000u);
            buf_text(&text, line);
        }
        (void)feed_bytes(b, buf_span_of(&text));
        assert_int_equal(b->counts.accepted, 501);
    }
    assert_true(heard_line(&b->heard, "engine.busy vcs95:media 500000"));
    assert_true(heard_line(&b->heard, "engine.busy vcs96:media unknown"));
    buf_finish(&text);
}

/* ---- energy ---------------------------------------------------------------------------------------------------- */

static void joules_of_perf(void **state) {
    struct bench *b = *state;
    assert_string_equal(
        feed(b, "energy-gpu=4294967296 " SCALE "\nenergy-pkg=6442450944 " SCALE "\n"),
        "energy.gpu energy-gpu 1000000\nenergy.pkg energy-pkg 1500000\n");
    /* A day at 100 W, to the last digit. */
    assert_string_equal(feed(b, "energy-gpu=37108517437440000 " SCALE "\n"),
                        "energy.gpu energy-gpu 8640000000000\nenergy.pkg unsupported\n");
    assert_string_equal(feed(b, "energy-pkg=2000 1e-3\n"),
                        "energy.pkg energy-pkg 2000000\nenergy.gpu unsupported\n");
}

static void scales_that_are_none(void **state) {
    static const char *const scales[] = {
        "",    "0",   "0.0", "1",      "-1e-3", "1e-3x", "e-3",   "1e",   "1e-",  "1e-41",
        "1,5", "nan", "inf", "0x1p-3", ".",     "1.2.3", "1 e-3", "1e+3", "+0.5", "0.5 0.5"};
    struct bench *b = *state;
    setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "energy-gpu=5 %s\n", scales[i]);
        assert_string_equal(feed(b, text),
                            "energy.gpu energy-gpu malformed\nenergy.pkg unsupported\n");
        assert_int_equal(b->counts.malformed, 1);
    }
    assert_string_equal(feed(b, "energy-gpu=18446744073709551615 0.5\n"),
                        "energy.gpu energy-gpu malformed\nenergy.pkg unsupported\n");
}

static void joules_of_powercap(void **state) {
    struct bench *b = *state;
    assert_string_equal(feed(b, "package-0=1000 262143328850\nuncore=262143328800 262143328850\n"),
                        "energy.pkg package-0 0\nenergy.gpu uncore 0\n");
    assert_string_equal(feed(b, "package-0=1500 262143328850\nuncore=50 262143328850\n"),
                        "energy.pkg package-0 500\nenergy.gpu uncore 100\n");
    assert_string_equal(feed(b, "uncore=60 262143328850\n"),
                        "energy.gpu uncore 110\nenergy.pkg unsupported\n");
    assert_string_equal(feed(b, "package-0=1600 262143328850\nuncore=61 60\n"),
                        "energy.pkg package-0 600\nenergy.gpu uncore malformed\n");
    assert_string_equal(feed(b, "uncore=61 x\ncore=5 6\ndram\n"),
                        "energy.gpu uncore malformed\nenergy.pkg unsupported\n");
    assert_counts(&b->counts, 3);
}

/* ---- any bytes ----------------------------------------------------------------------------------------------------- */

static void spoil(struct bench *b, const char *text) {
    size_t n = strlen(text);
    char *copy = malloc(n + 1);
    for (size_t i = 0; i <= n; i++) {
        char *cut = malloc(i + 1);
        memcpy(cut, text, i);
        (void)feed_bytes(b, (struct span){cut, i});
        free(cut);
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            memcpy(copy, text, n + 1);
            copy[i] = (char)byte;
            (void)feed_bytes(b, (struct span){copy, n});
            assert_true(counts_units(&b->counts) <= 5);
        }
    free(copy);
}

static void any_bytes_of_events(void **state) {
    spoil(*state, "time=12\nrcs0-busy=45\nactual-frequency-gt1=6\ninterrupts=9\n");
}

static void any_bytes_of_energy(void **state) {
    spoil(*state, "energy-gpu=42 2.3e-10\nuncore=7 99\npackage-0=8 99\nenergy-pkg=1 1e-4\n");
}

#define PMU(name)  cmocka_unit_test_setup_teardown(name, set_up_pmu, tear_down)
#define RAPL(name) cmocka_unit_test_setup_teardown(name, set_up_rapl, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        PMU(engines),
        PMU(more_than_all),
        PMU(clocks_of_i915),
        PMU(clocks_of_xe),
        PMU(sleep_and_interrupts),
        PMU(time_that_is_none),
        PMU(lines_that_are_none),
        PMU(many_names),
        RAPL(joules_of_perf),
        RAPL(scales_that_are_none),
        RAPL(joules_of_powercap),
        PMU(any_bytes_of_events),
        RAPL(any_bytes_of_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
