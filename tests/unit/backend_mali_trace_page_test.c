/* Pages of the ring buffer, of either event, from an encoder of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/mali/trace.h"
#include "malirig.h"
#include "tracepage.h"

struct told {
    struct counts counts;
    int64_t busy_ns;
    unsigned jobs;
    struct job last;
};

static void on_job(void *ctx, const struct job *j) {
    struct told *t = ctx;
    assert_int_equal(j->pid, 9);
    assert_memory_equal(j->name, "PP2", 3);
    t->busy_ns += j->end_ns - j->start_ns;
    t->jobs++;
    t->last = *j;
}

static struct told run(const char *facts, const struct span *pages, size_t count) {
    struct told t = {0};
    struct subject s = {.id = 5, .name = "", .facts = facts};
    struct sink sink = {&t, NULL, on_job, NULL};
    void *it = malloc(mali_trace_page_fold.size);
    assert_non_null(it);
    mali_trace_page_fold.init(it, &s);
    for (size_t i = 0; i < count; i++) {
        char *copy = malloc(pages[i].n + 1);
        memcpy(copy, pages[i].p, pages[i].n);
        struct frame f = {.bytes = copy, .size = pages[i].n, .subject = 5};
        mali_trace_page_fold.feed(it, &s, &f, &sink, &t.counts);
        free(copy);
    }
    mali_trace_page_fold.tick(it, &s, 1, &sink, &t.counts);
    free(it);
    return t;
}

static const char *facts(bool big, unsigned shift) {
    return tracepage_facts(big, shift, TRACEPAGE_ACTIVE);
}

static void each_kind_of_record(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool big = i & 1;
        unsigned shift = i & 2 ? 4 : 0;
        struct tracepage p = tracepage_begin(big, shift, 1000);
        for (uint32_t type = 1; type <= 28; type++) {
            tracepage_head(&p, type, 1);
            p.n += 4 * (size_t)type;
        }
        tracepage_active(&p, 10, true, false);
        tracepage_head(&p, 30, 5); /* 5 + 2^27 */
        tracepage_word(&p, 1);
        tracepage_head(&p, 29, 7);
        tracepage_word(&p, 8);
        tracepage_word(&p, 0);
        tracepage_active(&p, 3, false, true);
        tracepage_head(&p, 31, 9); /* 9 + 2 x 2^27 */
        tracepage_word(&p, 2);
        tracepage_active(&p, 0, true, true);
        tracepage_active(&p, 100, false, false);
        tracepage_head(&p, 29, 0);
        tracepage_word(&p, 12345);
        struct span page = tracepage_end(&p, 0);
        struct told t = run(facts(big, shift), &page, 1);
        assert_int_equal(t.counts.accepted, 4);
        assert_int_equal(t.counts.ignored, 28);
        assert_int_equal(t.counts.malformed + t.counts.truncated, 0);
        assert_int_equal(t.busy_ns, (1 << 27) + 15 + 100);
        for (page.n = 0; page.n < p.n; page.n++)
            assert_int_equal(run(facts(big, shift), &page, 1).counts.malformed, 1);
        for (size_t n = 0; n < p.n - 16; n++) {
            tracepage_put(&p, 8, n, 8);
            page.n = 16 + n;
            t = run(facts(big, shift), &page, 1);
            assert_true(t.counts.accepted <= 4 && t.counts.malformed == 0);
            assert_true(t.counts.truncated <= 1);
        }
    }
}

static void cpus_are_sorted_and_gaps_close(void **state) {
    struct tracepage a = tracepage_begin(false, 0, 1000);
    struct tracepage b = tracepage_begin(false, 0, 900);
    (void)state;
    tracepage_active(&a, 100, false, false);
    tracepage_active(&b, 0, true, false);
    struct span pages[] = {tracepage_end(&a, 0), tracepage_end(&b, 0)};
    struct told t = run(facts(false, 0), pages, 2);
    assert_int_equal(t.busy_ns, 200);
    assert_int_equal(t.counts.reasons[REASON_STOP_ON_IDLE], 0);
    pages[0] = tracepage_end_missed(&a, 6);
    t = run(facts(false, 0), pages, 2);
    assert_int_equal(t.counts.reasons[REASON_LOST_RECORDS], 6);
    assert_int_equal(t.counts.reasons[REASON_STOP_ON_IDLE], 1);
    assert_int_equal(t.busy_ns, 0); /* nothing is known of it from its start on */
    t = run("endian=little\n", pages, 2);
    assert_int_equal(t.counts.malformed, 2);
}

/* The number is there where a page had room for it; there was one at least. */
static void missed_are_counted(void **state) {
    (void)state;
    for (unsigned big = 0; big < 2; big++) {
        const char *f = tracepage_facts(big, 0, TRACEPAGE_ACTIVE);
        struct tracepage p = tracepage_begin(big, 0, 1000);
        tracepage_active(&p, 10, true, false);
        tracepage_active(&p, 10, false, false);
        struct span page = tracepage_end(&p, TRACEPAGE_MISSED);
        assert_int_equal(run(f, &page, 1).counts.reasons[REASON_LOST_RECORDS], 1);
        page = tracepage_end(&p, TRACEPAGE_MISSED | TRACEPAGE_STORED); /* and is cut off */
        assert_int_equal(run(f, &page, 1).counts.reasons[REASON_LOST_RECORDS], 1);
        page = tracepage_end_missed(&p, 898);
        struct told t = run(f, &page, 1);
        assert_int_equal(t.counts.reasons[REASON_LOST_RECORDS], 898);
        assert_int_equal(t.busy_ns, 10); /* what the page has is whole */
        page = tracepage_end_missed(&p, UINT64_MAX);
        assert_int_equal(run(f, &page, 1).counts.reasons[REASON_LOST_RECORDS], 1);
        page = tracepage_end_missed(&p, 0);
        assert_int_equal(run(f, &page, 1).counts.reasons[REASON_LOST_RECORDS], 1);
    }
}

/* More at once than are sorted: said so, and no time is given out twice. */
static void more_than_are_sorted(void **state) {
    enum { PAIRS = 50, PAGES = 100 };
    struct tracepage *p = malloc(PAGES * sizeof(*p));
    struct span pages[PAGES];
    (void)state;
    assert_non_null(p);
    for (unsigned i = 0; i < PAGES; i++) {
        p[i] = tracepage_begin(false, 0, 1000 + 2000 * (uint64_t)i);
        for (unsigned k = 0; k < PAIRS; k++) {
            tracepage_active(&p[i], 10, true, false);
            tracepage_active(&p[i], 5, false, false);
        }
        pages[i] = tracepage_end(&p[i], 0);
    }
    struct told t = run(facts(false, 0), pages, PAGES);
    assert_int_equal(t.counts.accepted, 2 * PAIRS * PAGES);
    assert_int_equal(t.counts.reasons[REASON_UNSORTED], 2 * PAIRS * PAGES / TRACE_SORTED);
    assert_int_equal(t.busy_ns, 5 * PAIRS * PAGES);
    struct span swap = pages[0]; /* far out of order: less is known, and never more */
    pages[0] = pages[PAGES - 1];
    pages[PAGES - 1] = swap;
    t = run(facts(false, 0), pages, PAGES);
    assert_int_equal(t.counts.accepted, 2 * PAIRS * PAGES);
    assert_true(t.busy_ns <= 5 * PAIRS * PAGES);
    free(p);
}

static void timeline_tells_rates_and_owners(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool big = i & 1;
        unsigned shift = i & 2 ? 4 : 0;
        const char *f = tracepage_facts(big, shift, TRACEPAGE_TIMELINE);
        struct tracepage p = tracepage_begin(big, shift, 5000);
        tracepage_timeline(&p, 0, MALI_ID(MALI_SINGLE, MALI_GPU, 1), 400, 1100, 0);
        tracepage_timeline(&p, 10, MALI_ID(MALI_BEGIN, MALI_PP0 + 2, 0), 9, 10, 0);
        tracepage_timeline(&p, 5, MALI_ID(MALI_BEGIN, MALI_SW, 1), 1234, 0, 0);
        tracepage_timeline(&p, 300, MALI_ID(MALI_DONE, MALI_PP0 + 2, 0), 0, 0, UINT32_MAX);
        tracepage_active(&p, 10, true, false); /* of an event that was not asked for */
        struct span page = tracepage_end(&p, 0);
        struct told t = run(f, &page, 1);
        assert_int_equal(t.counts.accepted, 4);
        assert_int_equal(t.counts.reasons[REASON_OTHER_EVENT], 1);
        assert_int_equal(t.jobs, 1);
        assert_int_equal(t.busy_ns, 305);
        assert_int_equal(t.last.start_ns, 5010);
        assert_int_equal(t.last.clock_hz, 400000000);
        assert_int_equal(t.last.voltage_uv, 1100000);
        /* What was missed may have been a stop: the job ends before. */
        struct tracepage q = tracepage_begin(big, shift, 6000);
        tracepage_timeline(&q, 0, MALI_ID(MALI_DONE, MALI_PP0 + 2, 0), 0, 0, UINT32_MAX);
        struct tracepage first = tracepage_begin(big, shift, 5000);
        tracepage_timeline(&first, 0, MALI_ID(MALI_BEGIN, MALI_PP0 + 2, 0), 9, 10, 0);
        tracepage_timeline(&first, 70, MALI_ID(MALI_SINGLE, MALI_PP0 + 2, 1), 1, 0, 0);
        struct span pages[] = {tracepage_end(&first, 0), tracepage_end_missed(&q, 3)};
        t = run(f, pages, 2);
        assert_int_equal(t.busy_ns, 70);
        assert_int_equal(t.counts.reasons[REASON_STOP_ON_IDLE], 1);
        assert_int_equal(t.counts.reasons[REASON_LOST_RECORDS], 3);
    }
}

static void used_part_of_a_page(void **state) {
    struct trace_layout l;
    struct tracepage p = tracepage_begin(false, 0, 1000);
    (void)state;
    assert_true(trace_layout_read(&l, facts(false, 0)));
    tracepage_active(&p, 10, true, false);
    tracepage_end(&p, 0);
    struct span whole = {p.bytes, sizeof(p.bytes)};
    assert_int_equal(trace_page_used(&l.pages, whole), p.n);
    tracepage_end_missed(&p, 4);
    assert_int_equal(trace_page_used(&l.pages, whole), p.n + 8);
    whole.n = p.n + 3;
    assert_int_equal(trace_page_used(&l.pages, whole), p.n + 3);
    whole.n = p.n - 1; /* no page: that is for the decoder to say */
    assert_int_equal(trace_page_used(&l.pages, whole), p.n - 1);
}

static void formats(void **state) {
    struct span f = span_of(tracepage_format(TRACEPAGE_TIMELINE, 0));
    struct span header = span_of(tracepage_header());
    struct trace_field d;
    uint32_t id;
    (void)state;
    assert_true(trace_format_id(f, &id) && id == TRACEPAGE_TIMELINE);
    assert_true(trace_format_field(f, "d0", &d) && d.offset == 12 && d.size == 4 && !d.is_signed);
    assert_true(trace_format_field(f, "common_pid", &d) && d.offset == 4 && d.is_signed);
    assert_false(trace_format_field(f, "pid", &d));
    assert_int_equal(trace_format_end(header, "data"), 4096);
    assert_int_equal(trace_format_end(header, "date"), 0);
    assert_int_equal(trace_format_end(span_of("field: char data; offset:16;\n"), "data"), 0);
}

static void layout_of_texts(void **state) {
    static const unsigned ids[TRACE_EVENTS] = {TRACEPAGE_ACTIVE, TRACEPAGE_TIMELINE};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        unsigned event = i & 1;
        unsigned shift = i & 2 ? 4 : 0;
        struct trace_layout l = {0};
        struct trace_layout want = {0};
        struct buf b;
        buf_init(&b);
        buf_text(&b, "endian=little\n");
        trace_layout_say(&b, span_of(tracepage_header()), event,
                         span_of(tracepage_format(ids[event], shift)));
        buf_char(&b, '\0');
        assert_true(trace_layout_read(&l, b.p));
        assert_true(trace_layout_read(&want, tracepage_facts(false, shift, ids[event])));
        for (unsigned e = 0; e < TRACE_EVENTS; e++) {
            assert_int_equal(l.events[e].id, want.events[e].id);
            assert_memory_equal(&l.events[e].fields, &want.events[e].fields,
                                sizeof(l.events[e].fields));
        }
        assert_int_equal(l.pages.data, 16);
        assert_int_equal(l.pages.commit.offset, 8);
        assert_int_equal(l.pages.commit.size, 8);
        assert_int_equal(l.pages.type.size, 2);
        buf_finish(&b);
    }
}

/* Without any one line it is no layout: nothing is guessed. */
static void layout_lacks_a_line(void **state) {
    const char *format = tracepage_format(TRACEPAGE_TIMELINE, 0);
    (void)state;
    for (const char *line = format; *line; line = strchr(line, '\n') + 1) {
        struct trace_layout l;
        struct buf b;
        struct buf text;
        const char *end = strchr(line, '\n') + 1;
        bool needed = strstr(line, "field:unsigned int ") == line + 1 ||
                      strncmp(line, "ID:", 3) == 0 || strstr(line, "common_type") != NULL;
        needed = needed && memchr(line, ':', (size_t)(end - line)) != NULL &&
                 strncmp(line, "name", 4) != 0 && strncmp(line, "format", 6) != 0;
        buf_init(&b);
        buf_init(&text);
        buf_put(&text, format, (size_t)(line - format));
        buf_text(&text, end);
        buf_text(&b, "endian=big\n");
        trace_layout_say(&b, span_of(tracepage_header()), TRACE_TIMELINE, buf_span_of(&text));
        buf_char(&b, '\0');
        assert_int_equal(trace_layout_read(&l, b.p), !needed);
        buf_finish(&b);
        buf_finish(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_record),
        cmocka_unit_test(cpus_are_sorted_and_gaps_close),
        cmocka_unit_test(missed_are_counted),
        cmocka_unit_test(more_than_are_sorted),
        cmocka_unit_test(timeline_tells_rates_and_owners),
        cmocka_unit_test(used_part_of_a_page),
        cmocka_unit_test(formats),
        cmocka_unit_test(layout_of_texts),
        cmocka_unit_test(layout_lacks_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
