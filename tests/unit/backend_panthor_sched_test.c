/* Events of the GPU scheduler, old and new, in pages from an encoder of the test's own: whose jobs they become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/panthor/sched.h"
#include "tracepage.h"

enum { QUEUE, RUN, DONE };
enum { JOBS = 600 };

struct told {
    struct counts counts;
    int64_t busy_ns[SCHED_RINGS];
    int64_t covered_ns[SCHED_RINGS]; /* end of the last job: no time is told twice */
    unsigned jobs;
    struct job job[JOBS];
};

static void on_job(void *ctx, const struct job *j) {
    struct told *t = ctx;
    unsigned ring = j->name[0] == 'g' ? SCHED_GP : SCHED_PP;
    assert_int_equal(j->name_len, 2);
    assert_memory_equal(j->name, sched_rings[ring], 2);
    assert_true(j->end_ns > j->start_ns && j->start_ns >= t->covered_ns[ring]);
    assert_int_equal(j->space, SPACE_PID);
    assert_int_equal(j->client, j->pid);
    assert_int_equal(j->class, CLASS_GRAPHICS);
    assert_int_equal(j->device, 4);
    assert_int_equal(j->subject, 5);
    assert_int_equal(j->clock_hz + j->voltage_uv, 0);
    t->covered_ns[ring] = j->end_ns;
    t->busy_ns[ring] += j->end_ns - j->start_ns;
    if (t->jobs < JOBS)
        t->job[t->jobs] = *j;
    t->jobs++;
}

/* ---- a fold ------------------------------------------------------------------------------------ */

struct rig {
    void *fold;
    struct subject subject;
    struct told told;
    char facts[2048];
};

static void begin(struct rig *r, const char *more, bool big, bool is_new) {
    snprintf(r->facts, sizeof r->facts, "dev=1c40000.gpu\n%s%s", more,
             tracepage_sched_facts(big, is_new));
    r->subject = (struct subject){.id = 6, .parent = 5, .device = 4, .name = "", .facts = r->facts};
    memset(&r->told, 0, sizeof r->told);
    r->fold = malloc(panthor_sched_fold.size);
    assert_non_null(r->fold);
    panthor_sched_fold.init(r->fold, &r->subject);
}

static void feed(struct rig *r, struct span page, int64_t t_ns) {
    const struct sink sink = {&r->told, NULL, on_job, NULL};
    char *copy = malloc(page.n + 1);
    memcpy(copy, page.p, page.n);
    struct frame f = {.t_ns = t_ns, .bytes = copy, .size = page.n, .subject = 6};
    panthor_sched_fold.feed(r->fold, &r->subject, &f, &sink, &r->told.counts);
    free(copy);
}

static void tick(struct rig *r) {
    const struct sink sink = {&r->told, NULL, on_job, NULL};
    panthor_sched_fold.tick(r->fold, &r->subject, 1, &sink, &r->told.counts);
}

static void end(struct rig *r) {
    free(r->fold);
    r->fold = NULL;
}

static void add(struct tracepage *p, bool is_new, uint32_t delta_ns, unsigned what, uint64_t fence,
                const char *ring, int32_t pid) {
    tracepage_sched(
        p, is_new, delta_ns,
        &(struct tracepage_sched){.what = what, .fence = fence, .ring = ring, .pid = pid});
}

/* ---- cases ------------------------------------------------------------------------------------- */

/* Rings at the same time, each one's owner the thread that queued; events end on other threads. */
static void both_dialects_and_both_rings(void **state) {
    static struct rig r;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool big = i & 1;
        bool is_new = i & 2;
        struct tracepage p = tracepage_begin(big, 0, 1000);
        begin(&r, "", big, is_new);
        add(&p, is_new, 0, QUEUE, 11, "gp", 100);
        add(&p, is_new, 1, QUEUE, 12, "pp", 200);
        add(&p, is_new, 1, RUN, 11, "gp", 55);
        add(&p, is_new, 10, RUN, 12, "pp", 56);
        add(&p, is_new, 10, DONE, 11, NULL, 0);
        add(&p, is_new, 100, DONE, 12, NULL, 0);
        feed(&r, tracepage_end(&p, 0), 1);
        assert_int_equal(r.told.jobs, 0); /* they are put in order first */
        tick(&r);
        assert_int_equal(r.told.counts.accepted, 6);
        assert_int_equal(r.told.counts.ignored, 0);
        assert_int_equal(r.told.jobs, 2);
        assert_int_equal(r.told.busy_ns[SCHED_GP], 20);
        assert_int_equal(r.told.busy_ns[SCHED_PP], 110);
        assert_int_equal(r.told.job[0].pid, 100);
        assert_int_equal(r.told.job[1].pid, 200);
        assert_int_equal(r.told.job[1].start_ns, 1012);
        end(&r);
    }
}

/* Other GPUs' schedulers post the same events. */
static void what_is_of_others(void **state) {
    static struct rig r;
    (void)state;
    for (unsigned is_new = 0; is_new < 2; is_new++) {
        struct tracepage p = tracepage_begin(false, 0, 1000);
        begin(&r, "", false, is_new);
        add(&p, is_new, 0, QUEUE, 11, "gfx_0.0.0", 100);
        add(&p, is_new, 1, RUN, 11, "gfx_0.0.0", 100);
        add(&p, is_new, 1, DONE, 11, NULL, 100);
        add(&p, is_new, 1, DONE, 12, NULL, 100); /* begun before we looked */
        add(&p, is_new, 1, RUN, 13, "ppp", 100);
        tracepage_sched(&p, is_new, 1,
                        &(struct tracepage_sched){RUN, 14, "pp", 100, "ff9a0000.gpu"});
        add(&p, is_new, 50, DONE, 14, NULL, 100);
        feed(&r, tracepage_end(&p, 0), 1);
        tick(&r);
        /* Old events do not tell the device. */
        assert_int_equal(r.told.busy_ns[SCHED_PP], is_new ? 0 : 50);
        assert_int_equal(r.told.counts.ignored, is_new ? 7 : 5);
        assert_int_equal(r.told.counts.reasons[REASON_OTHER_EVENT], is_new ? 7 : 5);
        end(&r);
    }
}

/* Whose job it is nobody saw: its time counts, for nobody. A fence's address is used anew by another. */
static void owners(void **state) {
    static struct rig r;
    struct tracepage p = tracepage_begin(false, 0, 1000);
    (void)state;
    begin(&r, "", false, false);
    add(&p, false, 0, RUN, 11, "pp", 100);
    add(&p, false, 10, DONE, 11, NULL, 0);
    add(&p, false, 1, QUEUE, 11, "pp", 300);
    add(&p, false, 1, QUEUE, 11, "gp", 400); /* the one before was thrown away */
    add(&p, false, 1, RUN, 11, "gp", 100);
    add(&p, false, 7, DONE, 11, NULL, 0);
    add(&p, false, 1, RUN, 11, "gp", 100); /* told once */
    add(&p, false, 9, DONE, 11, NULL, 0);
    add(&p, false, 1, QUEUE, 12, "gp", -5);
    add(&p, false, 1, RUN, 12, "gp", 100);
    add(&p, false, 3, DONE, 12, NULL, 0);
    feed(&r, tracepage_end(&p, 0), 1);
    tick(&r);
    assert_int_equal(r.told.jobs, 4);
    assert_int_equal(r.told.job[0].pid, 0);
    assert_int_equal(r.told.job[1].pid, 400);
    assert_int_equal(r.told.job[2].pid, 0);
    assert_int_equal(r.told.job[3].pid, 0);
    assert_int_equal(r.told.busy_ns[SCHED_GP], 19);
    end(&r);
}

/* The end of one was not told: it ends where the next one begins, and its own end comes to nothing. */
static void start_on_busy(void **state) {
    static struct rig r;
    struct tracepage p = tracepage_begin(false, 0, 1000);
    (void)state;
    begin(&r, "", false, true);
    add(&p, true, 0, QUEUE, 1, "pp", 100);
    add(&p, true, 0, QUEUE, 2, "pp", 200);
    add(&p, true, 0, RUN, 1, "pp", 9);
    add(&p, true, 30, RUN, 2, "pp", 9);
    add(&p, true, 5, DONE, 1, NULL, 0);
    add(&p, true, 5, DONE, 2, NULL, 0);
    feed(&r, tracepage_end(&p, 0), 1);
    tick(&r);
    assert_int_equal(r.told.jobs, 2);
    assert_int_equal(r.told.job[0].end_ns, 1030);
    assert_int_equal(r.told.job[1].end_ns, 1040);
    assert_int_equal(r.told.job[1].pid, 200);
    assert_int_equal(r.told.counts.reasons[REASON_START_ON_BUSY], 1);
    assert_int_equal(r.told.counts.ignored, 1);
    end(&r);
}

/* What runs ends at the last stamp before a loss, and who waited is nobody after it. */
static void losses(void **state) {
    static struct rig r;
    struct tracepage a = tracepage_begin(false, 0, 1000);
    struct tracepage b = tracepage_begin(false, 0, 9000);
    (void)state;
    begin(&r, "", false, false);
    add(&a, false, 0, QUEUE, 1, "pp", 100);
    add(&a, false, 0, QUEUE, 2, "pp", 200);
    add(&a, false, 0, RUN, 1, "pp", 9);
    add(&a, false, 40, QUEUE, 3, "pp", 300);
    add(&b, false, 0, DONE, 1, NULL, 0);
    add(&b, false, 10, RUN, 2, "pp", 9);
    add(&b, false, 10, DONE, 2, NULL, 0);
    feed(&r, tracepage_end(&a, 0), 1);
    feed(&r, tracepage_end_missed(&b, 17), 1);
    tick(&r);
    assert_int_equal(r.told.counts.reasons[REASON_LOST_RECORDS], 17);
    assert_int_equal(r.told.jobs, 2);
    assert_int_equal(r.told.job[0].end_ns, 1040);
    assert_int_equal(r.told.job[0].pid, 100);
    assert_int_equal(r.told.job[1].pid, 0);
    assert_int_equal(r.told.busy_ns[SCHED_PP], 50);
    end(&r);
}

/* Processors in any order within a tick; by the clock of frames over two ticks as well. */
static void order_of_processors(void **state) {
    static struct rig r;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct tracepage a = tracepage_begin(false, 0, 1000);
        struct tracepage b = tracepage_begin(false, 0, 900);
        begin(&r, "", false, i);
        add(&a, i, 100, DONE, 1, NULL, 0);
        add(&b, i, 0, QUEUE, 1, "pp", 100);
        add(&b, i, 50, RUN, 1, "pp", 100);
        feed(&r, tracepage_end(&a, 0), 1);
        feed(&r, tracepage_end(&b, 0), 1);
        tick(&r);
        assert_int_equal(r.told.busy_ns[SCHED_PP], 150);
        end(&r);
        begin(&r, "clock=mono\n", false, i);
        feed(&r, tracepage_end(&a, 0), 920); /* the end is younger than the first page */
        tick(&r);
        assert_int_equal(r.told.counts.accepted + r.told.counts.ignored, 0);
        feed(&r, tracepage_end(&b, 0), 2000);
        tick(&r);
        assert_int_equal(r.told.busy_ns[SCHED_PP], 150);
        assert_int_equal(r.told.counts.accepted, 3);
        end(&r);
        begin(&r, "clock=mono\n", false, i);
        feed(&r, tracepage_end(&b, 0), 920);
        feed(&r, tracepage_end(&a, 0), 2000);
        tick(&r); /* queued alone */
        assert_int_equal(r.told.counts.accepted, 1);
        tick(&r); /* a tick without a page holds nothing back */
        assert_int_equal(r.told.busy_ns[SCHED_PP], 150);
        end(&r);
    }
}

static void stamps_that_are_no_times(void **state) {
    static struct rig r;
    struct tracepage p = tracepage_begin(false, 0, 1000);
    (void)state;
    begin(&r, "clock=cycles\n", false, false);
    add(&p, false, 0, RUN, 1, "pp", 100);
    add(&p, false, 10, DONE, 1, NULL, 0);
    feed(&r, tracepage_end(&p, 0), 1);
    tick(&r);
    assert_int_equal(r.told.jobs, 0);
    assert_int_equal(r.told.counts.reasons[REASON_CLOCK_CYCLES], 2);
    end(&r);
}

/* A job that runs at the end of a tick is told up to there, and goes on. */
static void open_over_ticks(void **state) {
    static struct rig r;
    struct tracepage a = tracepage_begin(false, 0, 1000);
    struct tracepage b = tracepage_begin(false, 0, 2000);
    (void)state;
    begin(&r, "", false, true);
    add(&a, true, 0, QUEUE, 1, "pp", 100);
    add(&a, true, 0, RUN, 1, "pp", 9);
    add(&a, true, 60, QUEUE, 2, "pp", 200);
    add(&b, true, 0, DONE, 1, NULL, 0);
    feed(&r, tracepage_end(&a, 0), 1);
    tick(&r);
    assert_int_equal(r.told.busy_ns[SCHED_PP], 60);
    assert_true(r.told.job[0].open);
    assert_int_equal(r.told.counts.reasons[REASON_OPEN_AT_END], 1);
    feed(&r, tracepage_end(&b, 0), 2);
    tick(&r);
    assert_int_equal(r.told.busy_ns[SCHED_PP], 1000);
    assert_int_equal(r.told.counts.reasons[REASON_OPEN_AT_END], 0);
    end(&r);
}

/* More than are kept: the oldest have no owner any more. */
static void many_wait(void **state) {
    static struct rig r;
    enum { MANY = 300, KEPT = 256 };
    (void)state;
    begin(&r, "", false, true);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < MANY; i += 25) {
            struct tracepage p = tracepage_begin(false, 0, 1000 + round * 100000 + i * 100);
            for (uint64_t k = i; k < i + 25; k++) {
                if (round == 0)
                    add(&p, true, 1, QUEUE, k, "pp", (int32_t)k + 1);
                else
                    add(&p, true, 1, RUN, k, "pp", 9);
                if (round == 1)
                    add(&p, true, 1, DONE, k, NULL, 9);
            }
            feed(&r, tracepage_end(&p, 0), 1);
        }
    tick(&r);
    assert_int_equal(r.told.jobs, MANY);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(r.told.job[i].pid, i < MANY - KEPT ? 0 : i + 1);
    end(&r);
}

/* Any length of a page, any commit, any place of a text. */
static void pages_that_are_cut(void **state) {
    static struct rig r;
    (void)state;
    for (unsigned is_new = 0; is_new < 2; is_new++) {
        struct tracepage p = tracepage_begin(false, 0, 1000);
        add(&p, is_new, 0, QUEUE, 1, "pp", 100);
        add(&p, is_new, 0, RUN, 1, "pp", 100);
        add(&p, is_new, 9, DONE, 1, NULL, 100);
        struct span page = tracepage_end(&p, 0);
        for (page.n = 0; page.n < p.n; page.n++) {
            begin(&r, "", false, is_new);
            feed(&r, page, 1);
            tick(&r);
            assert_int_equal(r.told.counts.malformed, 1);
            assert_int_equal(r.told.jobs, 0);
            end(&r);
        }
        for (uint32_t at = 0; at < 120; at++) {
            tracepage_put(&p, 20 + (is_new ? 8u : 24u), at | 3u << 16, 4);
            begin(&r, "", false, is_new);
            feed(&r, page, 1);
            tick(&r);
            assert_int_equal(r.told.counts.accepted + r.told.counts.ignored, 3);
            end(&r);
        }
    }
}

static void facts_by_formats(void **state) {
    (void)state;
    for (unsigned is_new = 0; is_new < 2; is_new++) {
        struct sched_layout l;
        struct sched_layout want;
        struct buf b;
        buf_init(&b);
        buf_text(&b, "endian=little\n");
        trace_pages_say(&b, span_of(tracepage_header()),
                        span_of(tracepage_sched_format(is_new, 0)));
        for (unsigned i = 0; i < SCHED_EVENTS; i++) {
            buf_char(&b, '\0');
            assert_false(sched_layout_read(&l, b.p)); /* all three or none */
            b.n--;
            sched_event_say(&b, is_new ? SCHED_NEW : SCHED_OLD, i,
                            span_of(tracepage_sched_format(is_new, i)));
        }
        buf_char(&b, '\0');
        assert_true(sched_layout_read(&l, b.p));
        assert_true(sched_layout_read(&want, tracepage_sched_facts(false, is_new)));
        assert_int_equal(l.dialect, is_new ? SCHED_NEW : SCHED_OLD);
        assert_int_equal(l.dialect, want.dialect);
        for (unsigned i = 0; i < SCHED_EVENTS; i++) {
            assert_int_equal(l.events[i].id, want.events[i].id);
            for (unsigned k = 0; k < TRACE_FIELDS; k++)
                assert_int_equal(l.events[i].fields[k].offset, want.events[i].fields[k].offset);
        }
        buf_finish(&b);
    }
}

/* A name that is an address in the kernel's memory cannot be read: nothing is taken for it. */
static void names_that_are_addresses(void **state) {
    static const char format[] =
        "ID: 90\n\tfield:const char * name;\toffset:24;\tsize:4;\tsigned:0;\n";
    struct trace_field f;
    (void)state;
    assert_true(trace_format_field(span_of(format), "name", &f));
    assert_false(trace_format_text(span_of(format), "name", &f));
    assert_true(trace_format_text(span_of(tracepage_sched_format(false, 0)), "name", &f));
    assert_int_equal(f.offset, 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_dialects_and_both_rings),
        cmocka_unit_test(what_is_of_others),
        cmocka_unit_test(owners),
        cmocka_unit_test(start_on_busy),
        cmocka_unit_test(losses),
        cmocka_unit_test(order_of_processors),
        cmocka_unit_test(stamps_that_are_no_times),
        cmocka_unit_test(open_over_ticks),
        cmocka_unit_test(many_wait),
        cmocka_unit_test(pages_that_are_cut),
        cmocka_unit_test(facts_by_formats),
        cmocka_unit_test(names_that_are_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
