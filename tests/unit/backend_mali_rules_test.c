/*
 * What becomes of each odd sequence of events, of each odd stamp, and of each hostile or broken
 * input: one small recording each. Times are in us after one second; "1300 PP0 10..20 160/875" is
 * a segment in us, MHz and mV.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "malirig.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define T0_US       UINT64_C(1000000)

struct stage {
    struct malirig rig;
    struct buf text;
    struct buf says;
};

static int setup(void **state) {
    static struct stage s;
    s = (struct stage){0};
    *state = &s;
    return 0;
}

static int teardown(void **state) {
    struct stage *s = *state;
    malirig_finish(&s->rig);
    buf_finish(&s->text);
    buf_finish(&s->says);
    return 0;
}

/* ---- building a recording -------------------------------------------------------------------- */

static void event(struct stage *s, uint64_t at_us, uint32_t id, uint32_t d0, uint32_t d1,
                  uint32_t d2) {
    malirig_put(&s->text, (T0_US + at_us) * 1000, id, d0, d1, d2);
}

static void start(struct stage *s, uint64_t at_us, unsigned unit, uint32_t pid) {
    event(s, at_us, MALI_ID(MALI_BEGIN, unit, 0), pid, pid + 1, 0);
}

static void stop(struct stage *s, uint64_t at_us, unsigned unit) {
    event(s, at_us, MALI_ID(MALI_DONE, unit, 0), 0, 0, UINT32_MAX);
}

static void suspend(struct stage *s, uint64_t at_us, unsigned unit) {
    event(s, at_us, MALI_ID(MALI_WAIT, unit, 0), 0, 0, UINT32_MAX);
}

static void resume(struct stage *s, uint64_t at_us, unsigned unit) {
    event(s, at_us, MALI_ID(MALI_GO_ON, unit, 0), 0, 0, 0);
}

static void rate(struct stage *s, uint64_t at_us, uint32_t mhz, uint32_t mv) {
    event(s, at_us, MALI_ID(MALI_SINGLE, MALI_GPU, 1), mhz, mv, 0);
}

static void hertz(struct stage *s, uint64_t at_us, uint32_t hz, uint32_t after) {
    event(s, at_us, MALI_ID(MALI_SINGLE, MALI_SW, 4), hz, after, 0);
}

static void volts(struct stage *s, uint64_t at_us, uint32_t uv) {
    event(s, at_us, MALI_ID(MALI_SINGLE, MALI_SW, 5), uv, 0, 2);
}

static void interrupt(struct stage *s, uint64_t at_us, unsigned unit) {
    event(s, at_us, MALI_ID(MALI_SINGLE, unit, 1), 1, 0, 0);
}

/* ---- checking it ----------------------------------------------------------------------------- */

static void put_rate(struct buf *b, const struct job *j) {
    buf_char(b, ' ');
    if (j->off) {
        buf_text(b, "off");
        return;
    }
    if (j->clock_hz > 0)
        buf_decimal(b, (int64_t)j->clock_hz, 6);
    else
        buf_char(b, '?');
    buf_char(b, '/');
    if (j->voltage_uv > 0)
        buf_decimal(b, j->voltage_uv, 3);
    else
        buf_char(b, '?');
}

static void put_job(struct buf *b, const struct job *j) {
    buf_i64(b, j->pid);
    buf_char(b, ' ');
    buf_text(b, j->name);
    buf_char(b, ' ');
    buf_decimal(b, j->start_ns - (int64_t)T0_US * 1000, 3);
    buf_text(b, "..");
    buf_decimal(b, j->end_ns - (int64_t)T0_US * 1000, 3);
    put_rate(b, j);
    buf_text(b, j->open ? " open\n" : "\n");
}

static void put_counts(struct buf *b, const struct counts *c) {
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (c->reasons[i] == 0 || i == REASON_UNPRICED)
            continue;
        buf_text(b, reason_word(i));
        buf_char(b, ' ');
        buf_u64(b, c->reasons[i]);
        buf_char(b, '\n');
    }
}

/* Runs what was built, which says this: segments, then anomalies but for `unpriced`. */
static void says_with(struct stage *s, const char *options, const char *want) {
    buf_char(&s->text, '\0');
    malirig_run(&s->rig, options, s->text.p);
    buf_clear(&s->says);
    for (unsigned i = 0; i < s->rig.job_count; i++)
        put_job(&s->says, &s->rig.jobs[i]);
    put_counts(&s->says, &s->rig.counts);
    buf_char(&s->says, '\0');
    assert_string_equal(s->says.p, want);
    buf_clear(&s->text);
}

static void says(struct stage *s, const char *want) {
    says_with(s, "", want);
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void a_job(void **state) {
    struct stage *s = *state;
    start(s, 10, MALI_PP0, 70);
    stop(s, 25, MALI_PP0);
    says(s, "70 PP0 10..25 ?/?\n");
    assert_int_equal(s->rig.counts.accepted, 2);
    assert_int_equal(s->rig.counts.reasons[REASON_UNPRICED], 1);
    /* A job of one instant takes no time; the next may begin in it. */
    start(s, 10, MALI_PP0, 70);
    stop(s, 10, MALI_PP0);
    start(s, 10, MALI_PP0, 71);
    stop(s, 20, MALI_PP0);
    start(s, 20, MALI_PP0, 72);
    stop(s, 30, MALI_PP0);
    says(s, "71 PP0 10..20 ?/?\n72 PP0 20..30 ?/?\n");
}

static void start_on_busy(void **state) {
    struct stage *s = *state;
    start(s, 10, MALI_PP0 + 1, 70);
    start(s, 20, MALI_PP0 + 1, 71);
    stop(s, 30, MALI_PP0 + 1);
    says(s, "70 PP1 10..20 ?/?\n71 PP1 20..30 ?/?\nstart_on_busy 1\n");
    /* Also of the same process, and while the unit waits. */
    start(s, 10, MALI_GP0, 70);
    suspend(s, 15, MALI_GP0);
    start(s, 20, MALI_GP0, 70);
    stop(s, 30, MALI_GP0);
    says(s, "70 GP0 10..15 ?/?\n70 GP0 20..30 ?/?\nstart_on_busy 1\n");
}

static void stop_on_idle(void **state) {
    struct stage *s = *state;
    stop(s, 10, MALI_PP0);
    start(s, 20, MALI_PP0 + 1, 70);
    stop(s, 25, MALI_PP0 + 2);
    stop(s, 30, MALI_PP0 + 1);
    stop(s, 30, MALI_PP0 + 1); /* the same line twice */
    says(s, "70 PP1 20..30 ?/?\nstop_on_idle 3\n");
}

static void suspend_and_resume(void **state) {
    struct stage *s = *state;
    static const unsigned units[] = {MALI_GP0, MALI_PP0 + 7};
    static const char *const names[] = {"GP0", "PP7"};
    for (size_t i = 0; i < COUNT(units); i++) {
        char want[160];
        resume(s, 5, units[i]); /* idle: normal in some releases */
        suspend(s, 6, units[i]);
        start(s, 10, units[i], 70);
        resume(s, 12, units[i]); /* running: likewise */
        suspend(s, 20, units[i]);
        suspend(s, 22, units[i]);
        resume(s, 30, units[i]);
        suspend(s, 40, units[i]);
        stop(s, 50, units[i]);
        snprintf(want, sizeof(want), "70 %s 10..20 ?/?\n70 %s 30..40 ?/?\n", names[i], names[i]);
        says(s, want);
    }
}

static void open_at_the_end(void **state) {
    struct stage *s = *state;
    start(s, 10, MALI_PP0, 70);
    start(s, 15, MALI_GP0, 71);
    suspend(s, 20, MALI_GP0);
    event(s, 30, MALI_ID(MALI_SINGLE, MALI_SW, 1), 70, 71, 0);
    says(s, "71 GP0 15..20 ?/?\n70 PP0 10..30 ?/? open\nopen_at_end 2\n");
    /* Where the end comes twice, nothing is said twice. */
    start(s, 10, MALI_PP0, 70);
    start(s, 20, MALI_PP0 + 1, 70);
    says(s, "70 PP0 10..20 ?/? open\nopen_at_end 2\n");
    malirig_end(&s->rig);
    assert_int_equal(s->rig.job_count, 1);
    assert_int_equal(s->rig.counts.reasons[REASON_OPEN_AT_END], 2);
}

/* Of many ends only the last one is the end: what went on and came to its own is not open. */
static void open_at_the_last_end(void **state) {
    static const char *const parts[] = {"10 17104896 70 71 0 0 0\n20 17170432 70 71 0 0 0\n",
                                        "30 9 0 0 0 0 0\n",
                                        "40 33882112 0 0 0 0 0\n50 17235968 72 73 0 0 0\n",
                                        "60 33947648 0 0 0 0 0\n70 34013184 0 0 0 0 0\n"};
    static const unsigned open[] = {2, 2, 2, 0};
    struct stage *s = *state;
    malirig_begin(&s->rig, "", "", 0);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        malirig_feed(&s->rig, parts[i], strlen(parts[i]));
        malirig_end(&s->rig);
        malirig_end(&s->rig);
        assert_int_equal(s->rig.counts.reasons[REASON_OPEN_AT_END], open[i]);
    }
    assert_int_equal(malirig_busy(&s->rig, -1, NULL), 30 + 40 + 20);
}

static void work_of_the_cpu_is_no_job(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    for (uint32_t data = 0; data <= 5; data++)
        event(s, 10, MALI_ID(MALI_BEGIN, MALI_SW, data), 70, 71, 22);
    event(s, 20, MALI_ID(MALI_WAIT, MALI_SW, 26), 70, 71, 0);
    event(s, 25, MALI_ID(MALI_GO_ON, MALI_SW, 26), 70, 71, 0);
    event(s, 30, MALI_ID(MALI_DONE, MALI_SW, 1), 70, 71, 0);
    says(s, "");
    assert_int_equal(s->rig.counts.accepted, 10);
}

static void parallel_cores(void **state) {
    struct stage *s = *state;
    rate(s, 0, 266, 1000);
    for (unsigned i = 0; i < 8; i++)
        event(s, 10, MALI_ID(MALI_BEGIN, MALI_PP0 + i, 1), 70, 71, 0);
    for (unsigned i = 0; i < 8; i++)
        event(s, 1010, MALI_ID(MALI_DONE, MALI_PP0 + i, 1), 0, 0, UINT32_MAX);
    buf_char(&s->text, '\0');
    malirig_run(&s->rig, "", s->text.p);
    assert_int_equal(malirig_busy(&s->rig, 70, NULL), 8000000);
    assert_true(malirig_pws(&s->rig, 70, NULL) > 0.0079999999 &&
                malirig_pws(&s->rig, 70, NULL) < 0.0080000001);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void both_numberings_of_a_pair(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    event(s, 20, MALI_ID(MALI_SINGLE, MALI_GPU, 10), 266, 900, 0);
    stop(s, 30, MALI_PP0);
    says(s, "70 PP0 10..20 440/1025\n70 PP0 20..30 266/900\n");
}

static void what_changes_nothing_does_not_cut(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    rate(s, 15, 440, 1025);
    rate(s, 16, 440000, 1025000);
    hertz(s, 17, 440000000, 0);
    hertz(s, 18, 440000000, 1);
    volts(s, 19, 1025000);
    event(s, 20, MALI_ID(MALI_SINGLE, MALI_SW, 5), 1100000, 1100000, 1); /* asked for */
    event(s, 20, MALI_ID(MALI_SINGLE, MALI_GPU, 2), 0x0201, 5, 6);
    stop(s, 30, MALI_PP0);
    says(s, "70 PP0 10..30 440/1025\n");
}

static void power_off(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    rate(s, 20, 0, 0);
    rate(s, 25, 266, 900);
    stop(s, 30, MALI_PP0);
    says(s, "70 PP0 10..20 440/1025\n70 PP0 20..25 off\n70 PP0 25..30 266/900\n");
    assert_int_equal(s->rig.counts.reasons[REASON_UNPRICED], 0);
    /* Nothing tells that power is back, but a job that starts: for all units. */
    rate(s, 0, 440, 1025);
    start(s, 5, MALI_PP0, 70);
    rate(s, 10, 0, 0);
    resume(s, 12, MALI_PP0);
    start(s, 20, MALI_PP0 + 1, 71);
    stop(s, 30, MALI_PP0);
    stop(s, 30, MALI_PP0 + 1);
    says(s, "70 PP0 5..10 440/1025\n70 PP0 10..20 off\n70 PP0 20..30 440/1025\n"
            "71 PP1 20..30 440/1025\n");
    /* The last pair that was whole, not the last. */
    rate(s, 0, 440, 1025);
    rate(s, 1, 266, 0);
    rate(s, 2, 0, 0);
    start(s, 10, MALI_PP0, 70);
    stop(s, 20, MALI_PP0);
    says(s, "70 PP0 10..20 440/1025\n");
    /* None was ever whole. */
    rate(s, 0, 0, 0);
    start(s, 10, MALI_PP0, 70);
    stop(s, 20, MALI_PP0);
    says(s, "70 PP0 10..20 ?/?\n");
    /* One half comes back. */
    rate(s, 0, 440, 1025);
    start(s, 5, MALI_PP0, 70);
    rate(s, 10, 0, 0);
    hertz(s, 20, 160000000, 0);
    volts(s, 30, 875000);
    rate(s, 40, 0, 0);
    volts(s, 50, 900000);
    stop(s, 60, MALI_PP0);
    says(s, "70 PP0 5..10 440/1025\n70 PP0 10..20 off\n70 PP0 20..30 160/1025\n"
            "70 PP0 30..40 160/875\n70 PP0 40..50 off\n70 PP0 50..60 160/900\n");
}

static void half_a_pair(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    rate(s, 20, 350, 0);
    rate(s, 30, 0, 900);
    rate(s, 40, 3000, 900);
    rate(s, 50, 350, 2100);
    rate(s, 60, 500, 1);
    stop(s, 70, MALI_PP0);
    says(s, "70 PP0 10..20 440/1025\n70 PP0 20..30 350/?\n70 PP0 30..50 ?/900\n"
            "70 PP0 50..60 350/?\n70 PP0 60..70 500/?\n");
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    rate(s, 20, 350, 0);
    stop(s, 30, MALI_PP0);
    says_with(s, "soc=exynos4412\n", "70 PP0 10..20 440/1025\n70 PP0 20..30 350/950\n");
    assert_int_equal(s->rig.jobs[0].doubt, 0);
    assert_int_equal(s->rig.jobs[1].doubt, DOUBT_ASSUMED_VOLTAGE);
}

/* Without a word about the dialect software events 4 and 5 are no rates, and are counted. */
static void dialect_unknown(void **state) {
    struct stage *s = *state;
    start(s, 10, MALI_PP0, 70);
    volts(s, 20, 875000);
    stop(s, 30, MALI_PP0);
    says(s, "70 PP0 10..30 ?/?\nunknown_event 1\n");
    start(s, 10, MALI_PP0, 70);
    volts(s, 20, 875000);
    stop(s, 30, MALI_PP0);
    says_with(s, "dialect=samsung\n", "70 PP0 10..20 ?/?\n70 PP0 20..30 ?/875\n");
    start(s, 10, MALI_PP0, 70);
    volts(s, 20, 875000);
    volts(s, 21, 875000);
    stop(s, 30, MALI_PP0);
    says_with(s, "dialect=arm\n", "70 PP0 10..30 ?/?\n");
}

/* A job whose ids look like a rate must not become one. */
static void enqueue_is_no_voltage(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 5, MALI_GP0, 900000);
    for (unsigned i = 0; i < 10; i++) {
        event(s, 10, MALI_ID(MALI_SINGLE, MALI_SW, 5), 900000, 900001, 123456);
        event(s, 10, MALI_ID(MALI_SINGLE, MALI_SW, 4), 900000, 900001, 1);
    }
    volts(s, 11, 700000);
    stop(s, 20, MALI_GP0);
    says(s, "900000 GP0 5..20 440/1025\n");
}

static void interrupt_as_the_end(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    interrupt(s, 1, MALI_GP0);
    start(s, 10, MALI_GP0, 70);
    interrupt(s, 15, MALI_GP0); /* the first half of the job */
    rate(s, 17, 266, 900);
    interrupt(s, 20, MALI_GP0);
    rate(s, 22, 160, 875);
    stop(s, 25, MALI_GP0);
    start(s, 30, MALI_GP0, 71);
    stop(s, 35, MALI_GP0); /* none: the stop */
    says_with(s, "end=interrupt\n",
              "70 GP0 10..15 440/1025\n70 GP0 15..17 440/1025\n70 GP0 17..20 266/900\n"
              "71 GP0 30..35 160/875\n");
    start(s, 10, MALI_GP0, 70);
    interrupt(s, 20, MALI_GP0);
    stop(s, 25, MALI_GP0);
    says_with(s, "end=stop\n", "70 GP0 10..25 ?/?\n");
}

/* ---- counters -------------------------------------------------------------------------------- */

static void counters_of_a_stop(void **state) {
    struct stage *s = *state;
    static const struct {
        uint32_t d2;
        int hw0, hw1; /* source, or -1 */
    } rows[] = {
        {2580, 20, 10},   {0xffffffff, -1, -1}, {0xffffff14, 20, -1}, {0, 0, 0},
        {0xff14, 20, -1}, {0x0aff, -1, 10},     {0x00010a14, 20, -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        start(s, 10, MALI_PP0, 70);
        event(s, 20, MALI_ID(MALI_DONE, MALI_PP0, 0), UINT32_MAX, 7890, rows[i].d2);
        event(s, 30, MALI_ID(MALI_DONE, MALI_PP0, 0), 5, 6, 2580); /* of nobody */
        says(s, "70 PP0 10..20 ?/?\nstop_on_idle 1\n");
        unsigned n = 0;
        for (int k = 0; k < 2; k++) {
            int source = k ? rows[i].hw1 : rows[i].hw0;
            if (source < 0)
                continue;
            assert_true(n < s->rig.sample_count);
            const struct sample *p = &s->rig.samples[n++];
            assert_int_equal(p->metric, k ? METRIC_COUNTER_HW1 : METRIC_COUNTER_HW0);
            assert_int_equal(p->value, k ? 7890 : INT64_C(4294967295));
            assert_int_equal(p->index, source);
            assert_int_equal(p->pid, 70);
            assert_int_equal(p->t_ns, INT64_C(1000020000));
            assert_string_equal(p->name, "PP0");
        }
        assert_int_equal(s->rig.sample_count, n);
    }
    /* Also of a job that waits. */
    start(s, 10, MALI_GP0, 70);
    suspend(s, 15, MALI_GP0);
    event(s, 20, MALI_ID(MALI_DONE, MALI_GP0, 0), 1, 2, 2580);
    says(s, "70 GP0 10..15 ?/?\n");
    assert_int_equal(s->rig.sample_count, 2);
}

/* ---- stamps ---------------------------------------------------------------------------------- */

static void neighbours_swapped(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 100, MALI_PP0, 70);
    rate(s, 95, 266, 900); /* written later, stamped earlier */
    stop(s, 110, MALI_PP0);
    says(s, "70 PP0 100..110 266/900\nbackward_timestamps 1\n");
    /* As if it had been in its place, for who was there. */
    start(s, 50, MALI_PP0, 70);
    start(s, 100, MALI_PP0 + 1, 71);
    rate(s, 95, 266, 900);
    stop(s, 120, MALI_PP0);
    stop(s, 110, MALI_PP0 + 1);
    says(s, "70 PP0 50..95 ?/?\n70 PP0 95..120 266/900\n71 PP1 100..110 266/900\n"
            "backward_timestamps 2\n");
    /* A stop before its start counts 0; a start before the last stop begins there. */
    start(s, 100, MALI_PP0, 70);
    stop(s, 98, MALI_PP0);
    start(s, 110, MALI_PP0, 71);
    stop(s, 120, MALI_PP0);
    start(s, 115, MALI_PP0, 72);
    stop(s, 130, MALI_PP0);
    says(s, "71 PP0 110..120 ?/?\n72 PP0 120..130 ?/?\nbackward_timestamps 2\n");
    start(s, 100, MALI_PP0, 70);
    interrupt(s, 2000, MALI_PP0 + 1);
    stop(s, 1001, MALI_PP0); /* 999 us back */
    says(s, "70 PP0 100..1001 ?/?\nbackward_timestamps 1\n");
}

/* 1 ms back or more is another time: what ran ends at the greatest stamp of its own. */
static void far_back(void **state) {
    struct stage *s = *state;
    start(s, 5000, MALI_PP0, 70);
    start(s, 5500, MALI_PP0 + 1, 71);
    interrupt(s, 6000, MALI_PP0);
    interrupt(s, 5000, MALI_PP0 + 1);
    stop(s, 5100, MALI_PP0);
    start(s, 5200, MALI_PP0, 72);
    stop(s, 5300, MALI_PP0);
    says(s, "70 PP0 5000..6000 ?/?\n71 PP1 5500..6000 ?/?\n72 PP0 5200..5300 ?/?\n"
            "stop_on_idle 1\nbackward_timestamps 1\n");
}

/* One line alone, while something runs: a time of its own has more. From before all others it says
 * nothing; else it is one that was written late. */
static void far_back_alone(void **state) {
    struct stage *s = *state;
    start(s, 10, MALI_PP0, 70);
    buf_text(&s->text, "0 16777217 1 2 0 0 0\n");
    stop(s, 30, MALI_PP0);
    says(s, "70 PP0 10..30 ?/?\nbackward_timestamps 1\n");
    start(s, 10, MALI_PP0, 70);
    interrupt(s, 20, MALI_PP0);
    buf_text(&s->text, "5 2 0 0 0 0 0\n");
    stop(s, 30, MALI_PP0);
    says(s, "70 PP0 10..30 ?/?\nbackward_timestamps 1\n");
    start(s, 10, MALI_PP0, 70);
    start(s, 20, MALI_GP0, 71);
    interrupt(s, 6000, MALI_GP0);
    stop(s, 3000, MALI_PP0);
    stop(s, 6010, MALI_GP0);
    says(s, "70 PP0 10..3000 ?/?\n71 GP0 20..6010 ?/?\nbackward_timestamps 1\n");
    /* Where nothing runs there is nothing to lose. */
    rate(s, 100000000, 440, 1025);
    start(s, 95000000, MALI_PP0, 70);
    stop(s, 106000000, MALI_PP0); /* 6 s past the greatest */
    says(s, "70 PP0 95000000..106000000 440/1025\nbackward_timestamps 1\n");
    /* Nothing comes after it. */
    start(s, 10, MALI_PP0, 70);
    interrupt(s, 20, MALI_PP0);
    buf_text(&s->text, "5 33882112 0 0 4294967295 0 0\n");
    says(s, "70 PP0 10..20 ?/? open\nopen_at_end 1\nbackward_timestamps 1\n");
}

/* Where it is known how long was recorded all times together are no longer. */
static void no_longer_than_it_was_recorded(void **state) {
    struct stage *s = *state;
    start(s, 0, MALI_PP0, 70);
    start(s, 1000, MALI_GP0, 71);
    stop(s, 400000, MALI_GP0);
    stop(s, 5000000, MALI_PP0); /* a jump past the second that was recorded */
    start(s, 5000010, MALI_PP0, 72);
    stop(s, 5500010, MALI_PP0);
    start(s, 5600020, MALI_PP0, 73);
    stop(s, 5700020, MALI_PP0); /* no more than 1 s in all */
    says_with(s, "wall_ns=1000000000\n",
              "71 GP0 1000..400000 ?/?\n70 PP0 0..400000 ?/?\n72 PP0 5000010..5500010 ?/?\n"
              "stop_on_idle 2\ngap 3\n");
    /* Then 10 s are no limit. */
    start(s, 0, MALI_PP0, 70);
    stop(s, 12000000, MALI_PP0);
    says_with(s, "wall_ns=13000000000\n", "70 PP0 0..12000000 ?/?\n");
}

static void a_gap(void **state) {
    struct stage *s = *state;
    start(s, 10, MALI_PP0, 70);
    interrupt(s, 20, MALI_PP0);
    stop(s, 10000020, MALI_PP0); /* 10 s are none */
    says(s, "70 PP0 10..10000020 ?/?\n");
    start(s, 10, MALI_PP0, 70);
    start(s, 15, MALI_GP0, 71);
    interrupt(s, 20, MALI_PP0);
    suspend(s, 18, MALI_GP0);
    event(s, 10000021, MALI_ID(MALI_DONE, MALI_PP0, 0), 1, 2, 2580);
    start(s, 10000030, MALI_PP0, 70);
    stop(s, 10000040, MALI_PP0);
    says(s, "71 GP0 15..18 ?/?\n70 PP0 10..20 ?/?\n70 PP0 10000030..10000040 ?/?\n"
            "stop_on_idle 1\nbackward_timestamps 1\ngap 1\n");
    assert_int_equal(s->rig.sample_count, 0);
    /* The rate is still what it was. */
    rate(s, 0, 440, 1025);
    start(s, 20000000, MALI_PP0, 70);
    stop(s, 20000010, MALI_PP0);
    says(s, "70 PP0 20000000..20000010 440/1025\ngap 1\n");
    /* The greatest stamp that there is. */
    start(s, 10, MALI_PP0, 70);
    buf_text(&s->text, "9223372036854775807 16777217 1 2 0 0 0\n");
    start(s, 20, MALI_PP0, 71);
    stop(s, 30, MALI_PP0);
    says(s, "71 PP0 20..30 ?/?\nbackward_timestamps 1\ngap 1\n");
}

/* ---- hostile or broken ----------------------------------------------------------------------- */

static void pids_that_cannot_be(void **state) {
    struct stage *s = *state;
    static const uint32_t odd[] = {0, 4194305, 0x7fffffff, 0x80000000u, UINT32_MAX};
    for (size_t i = 0; i < COUNT(odd); i++) {
        start(s, 10, MALI_PP0, odd[i]);
        stop(s, 20, MALI_PP0);
        says(s, "0 PP0 10..20 ?/?\n");
    }
    start(s, 10, MALI_PP0, 4194304);
    stop(s, 20, MALI_PP0);
    says(s, "4194304 PP0 10..20 ?/?\n");
}

static void events_that_nobody_posts(void **state) {
    struct stage *s = *state;
    static const uint32_t ids[] = {
        MALI_ID(MALI_BEGIN, MALI_PP0, 2),  MALI_ID(MALI_BEGIN, 13, 0),
        MALI_ID(MALI_BEGIN, 20, 0),        MALI_ID(MALI_BEGIN, MALI_GPU, 0),
        MALI_ID(MALI_BEGIN, 22, 0),        MALI_ID(MALI_BEGIN, 26, 0),
        MALI_ID(MALI_BEGIN, 255, 0),       MALI_ID(5, MALI_PP0, 0),
        MALI_ID(0xf, MALI_PP0, 0),         MALI_ID(MALI_BEGIN, MALI_PP0, 0) | 0x10000000,
        MALI_ID(MALI_SINGLE, MALI_SW, 12), MALI_ID(MALI_SINGLE, MALI_SW, 64),
        MALI_ID(MALI_WAIT, MALI_GP0, 1),   UINT32_MAX,
    };
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0 + 1, 70);
    for (size_t i = 0; i < COUNT(ids); i++)
        event(s, 999999999, ids[i], 1, 2, 3); /* nor do their stamps count */
    stop(s, 20, MALI_PP0 + 1);
    says(s, "70 PP1 10..20 440/1025\nunknown_event 14\n");
    assert_int_equal(s->rig.counts.ignored, 14);
    assert_int_equal(s->rig.counts.accepted, 3);
}

/* Reserved for more GPs; never posted. */
static void channels_2_to_4(void **state) {
    struct stage *s = *state;
    for (unsigned i = 1; i < 4; i++)
        start(s, 10, MALI_GP0 + i, 70 + i);
    for (unsigned i = 1; i < 4; i++)
        stop(s, 20, MALI_GP0 + i);
    says(s, "71 GP1 10..20 ?/?\n72 GP2 10..20 ?/?\n73 GP3 10..20 ?/?\n");
}

/* A user of the GPU may post any id, but not the first two numbers, which are its own ids. */
static void forged_events(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    hertz(s, 1, 440000000, 0);
    hertz(s, 2, 440000000, 1);
    start(s, 10, MALI_PP0, 70);
    for (uint32_t i = 0; i < 1000; i++) {
        event(s, 10 + i, MALI_ID(MALI_SINGLE, MALI_SW, 4), 4321, 4322, 0);
        event(s, 10 + i, MALI_ID(MALI_SINGLE, MALI_SW, 5), 4321, 4322, 2);
        event(s, 10 + i, MALI_ID(MALI_BEGIN, MALI_PP0 + i % 8, 0), 4321, 4322, 0);
    }
    stop(s, 2000, MALI_PP0);
    buf_char(&s->text, '\0');
    malirig_run(&s->rig, "", s->text.p);
    for (unsigned i = 0; i < s->rig.job_count; i++) {
        assert_true(s->rig.jobs[i].clock_hz == 440000000);
        assert_true(s->rig.jobs[i].voltage_uv == 1025000);
    }
    assert_int_equal(s->rig.counts.reasons[REASON_UNKNOWN_EVENT], 1000);
    buf_clear(&s->text);
    /* A rate that was made up is one that cannot be, and ends with the next. */
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    rate(s, 20, 4321, 4322);
    rate(s, 30, 440, 1025);
    stop(s, 40, MALI_PP0);
    says(s, "70 PP0 10..20 440/1025\n70 PP0 20..30 ?/?\n70 PP0 30..40 440/1025\n");
}

/* Whatever comes, no unit works longer than the recording is, nor faster than 2 GHz at 2 V. */
static void nobody_gets_more_than_there_is(void **state) {
    struct stage *s = *state;
    uint64_t seed = 1;
    uint64_t at = 0;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t random = (uint32_t)(seed >> 33);
        at += random % 50;
        event(s, at - (random % 7 == 0 && at > 900 ? random % 900 : 0),
              MALI_ID(random >> 3 & 7, random >> 6 & 31, random >> 11 & 3), random >> 13 & 0xffff,
              random >> 20 & 3 ? 0 : random, random);
    }
    buf_char(&s->text, '\0');
    malirig_run(&s->rig, "dialect=samsung\n", s->text.p);
    int64_t window = s->rig.last_ns - s->rig.first_ns;
    static const char *const units[] = {"GP0", "GP1", "PP0", "PP3", "PP7"};
    assert_true(s->rig.job_count > 300);
    for (size_t i = 0; i < COUNT(units); i++)
        assert_true(malirig_busy(&s->rig, -1, units[i]) <= window);
    for (unsigned i = 0; i < s->rig.job_count; i++) {
        assert_true(s->rig.jobs[i].clock_hz <= 2000000000);
        assert_true(s->rig.jobs[i].voltage_uv <= 2000000);
    }
}

static void broken_lines(void **state) {
    struct stage *s = *state;
    rate(s, 0, 440, 1025);
    start(s, 10, MALI_PP0, 70);
    buf_text(&s->text, "\n");
    buf_text(&s->text, "nan 17104896 1 2 0 0 0\n");
    buf_text(&s->text, "1000000011000 17104896 1 2 0 0\n");
    buf_text(&s->text, "-5 17104896 1 2 0 0 0\n");
    buf_text(&s->text, "0x10 17104896 1 2 0 0 0\n");
    buf_text(&s->text, "1000000011000 17104896 1 2 0 0 0 0\n");
    buf_text(&s->text, "99999999999999999999 17104896 1 2 0 0 0\n");
    buf_text(&s->text, "1000000011000 4311744512 1 2 0 0 0\n");
    buf_text(&s->text, "1000000011000 17104896 1 2 0 0 4294967296\n");
    buf_fill(&s->text, '9', 100000);
    buf_char(&s->text, '\n');
    buf_fill(&s->text, ' ', 100000);
    buf_char(&s->text, '\n');
    stop(s, 20, MALI_PP0);
    says(s, "70 PP0 10..20 440/1025\nout_of_range 3\nbad_text 8\n");
    assert_int_equal(s->rig.counts.malformed, 11);
    assert_int_equal(malirig_lines(&s->rig), 14);
}

static void zero_bytes(void **state) {
    struct stage *s = *state;
    static const char text[] = "1000 17104896 70 71 0 0 0\n2000 3388\0 0 0 0 0 0\n\0\0\0\n"
                               "3000 33882112 0 0 4294967295 0 0\n";
    (void)state;
    malirig_begin(&s->rig, "", text, sizeof(text) - 1);
    malirig_feed(&s->rig, text, sizeof(text) - 1);
    malirig_end(&s->rig);
    assert_int_equal(s->rig.job_count, 1);
    assert_int_equal(malirig_busy(&s->rig, 70, "PP0"), 2000);
    assert_int_equal(s->rig.counts.malformed, 2);
    assert_int_equal(s->rig.counts.accepted, 2);
}

/* A line that never ends takes no memory and is one line; so it is in pieces. */
static void a_line_without_end(void **state) {
    struct stage *s = *state;
    buf_fill(&s->text, '7', 1000);
    malirig_begin(&s->rig, "", "", 0);
    for (int i = 0; i < 100; i++)
        malirig_feed(&s->rig, s->text.p, s->text.n);
    malirig_end(&s->rig);
    assert_int_equal(malirig_lines(&s->rig), 1);
    assert_int_equal(s->rig.counts.malformed, 1);
    /* What follows it is read. */
    malirig_begin(&s->rig, "", "", 0);
    malirig_feed(&s->rig, s->text.p, s->text.n);
    malirig_feed(&s->rig, s->text.p, s->text.n);
    static const char rest[] = "8\n1 17104896 70 71 0 0 0\n";
    malirig_feed(&s->rig, rest, sizeof(rest) - 1);
    malirig_end(&s->rig);
    assert_int_equal(s->rig.counts.malformed, 1);
    assert_int_equal(s->rig.counts.accepted, 1);
}

static void nothing_at_all(void **state) {
    struct stage *s = *state;
    says(s, "");
    assert_int_equal(malirig_lines(&s->rig), 0);
}

static void many_lines(struct stage *s, unsigned n) {
    buf_clear(&s->text);
    for (unsigned i = 0; i < n; i++)
        buf_text(&s->text, "7 1 1 2 0 0 0\n");
    buf_char(&s->text, '\0');
    malirig_run(&s->rig, "", s->text.p);
    assert_int_equal(malirig_lines(&s->rig), n);
}

/* What is known before the first event stands, whatever may be filled in, unless the recording says better. */
static void known_before_the_first_event(void **state) {
    struct stage *s = *state;
    static const char known[] = "clock_hz=400000000\nvoltage_uv=1000000\n";
    static const char *const more[][2] = {
        {"", "400"},
        {"backfill=1\n", "400"},
        {"dialect=samsung\nbackfill=1\n", "400"},
        {"dialect=samsung\nbackfill=1\nclock_before=0\n", "400"},
        {"dialect=samsung\nclock_before=160000000\n", "400"},
        {"dialect=samsung\nbackfill=1\nclock_before=160000000\n", "160"}};
    for (size_t i = 0; i < COUNT(more); i++) {
        char options[160], want[60];
        start(s, 10, MALI_PP0, 70);
        stop(s, 25, MALI_PP0);
        snprintf(options, sizeof options, "%s%s", known, more[i][0]);
        snprintf(want, sizeof want, "70 PP0 10..25 %s/1000\n", more[i][1]);
        says_with(s, options, want);
    }
}

static void full_buffers(void **state) {
    struct stage *s = *state;
    static const struct {
        unsigned lines;
        unsigned full;
    } rows[] = {{1048574, 0}, {1048575, 1}, {1048576, 1}, {1048577, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        many_lines(s, rows[i].lines);
        assert_int_equal(s->rig.counts.reasons[REASON_BUFFER_FULL], rows[i].full);
        malirig_end(&s->rig);
        assert_int_equal(s->rig.counts.reasons[REASON_BUFFER_FULL], rows[i].full);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_job),
        TEST(start_on_busy),
        TEST(stop_on_idle),
        TEST(suspend_and_resume),
        TEST(open_at_the_end),
        TEST(open_at_the_last_end),
        TEST(work_of_the_cpu_is_no_job),
        TEST(parallel_cores),
        TEST(both_numberings_of_a_pair),
        TEST(what_changes_nothing_does_not_cut),
        TEST(power_off),
        TEST(half_a_pair),
        TEST(dialect_unknown),
        TEST(enqueue_is_no_voltage),
        TEST(interrupt_as_the_end),
        TEST(counters_of_a_stop),
        TEST(neighbours_swapped),
        TEST(far_back),
        TEST(far_back_alone),
        TEST(no_longer_than_it_was_recorded),
        TEST(a_gap),
        TEST(pids_that_cannot_be),
        TEST(events_that_nobody_posts),
        TEST(channels_2_to_4),
        TEST(forged_events),
        TEST(nobody_gets_more_than_there_is),
        TEST(broken_lines),
        TEST(zero_bytes),
        TEST(a_line_without_end),
        TEST(nothing_at_all),
        TEST(known_before_the_first_event),
        TEST(full_buffers),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
