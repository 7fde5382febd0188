/* Pages of the ring buffer from an encoder of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/mali/trace.h"

struct page {
    char bytes[4096];
    size_t n;
    bool big;
    unsigned shift; /* of fields: an old kernel has one more in front */
};

static void put(struct page *p, size_t at, uint64_t v, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        p->bytes[at + i] = (char)(v >> 8 * (p->big ? size - 1 - i : i));
}

static void word(struct page *p, uint32_t v) {
    put(p, p->n, v, 4);
    p->n += 4;
}

static void head(struct page *p, uint32_t type, uint32_t delta) {
    word(p, p->big ? type << 27 | delta : delta << 5 | type);
}

static struct page begin(bool big, unsigned shift, uint64_t t) {
    struct page p = {.n = 16, .big = big, .shift = shift};
    put(&p, 0, t, 8);
    return p;
}

static struct span end(struct page *p, uint64_t flags) {
    put(p, 8, (p->n - 16) | flags, 8);
    return (struct span){p->bytes, p->n};
}

/* mali_core_active of PP2, in a word of 28 bytes or with a length of its own. */
static void active(struct page *p, uint32_t delta, bool on, bool long_form) {
    size_t n = 24 + p->shift;
    head(p, long_form ? 0 : (uint32_t)n / 4, delta);
    if (long_form)
        word(p, (uint32_t)n + 4);
    put(p, p->n, 77, 2);
    put(p, p->n + 8 + p->shift, 9, 4);
    put(p, p->n + 12 + p->shift, on, 4);
    put(p, p->n + 16 + p->shift, 0, 4);
    put(p, p->n + 20 + p->shift, 2, 4);
    p->n += n;
}

static const char *facts(bool big, unsigned shift) {
    static char out[512];
    snprintf(out, sizeof out,
             "endian=%s\npage_data=16\npage.timestamp=0,8,0\npage.commit=8,8,1\n"
             "common_type=0,2,0\nactive.id=77\nactive.pid=%u,4,0\nactive.active=%u,4,0\n"
             "active.core_type=%u,4,0\nactive.core_id=%u,4,0\n",
             big ? "big" : "little", 8 + shift, 12 + shift, 16 + shift, 20 + shift);
    return out;
}

struct told {
    struct counts counts;
    int64_t busy_ns;
    unsigned jobs;
};

static void on_job(void *ctx, const struct job *j) {
    struct told *t = ctx;
    assert_int_equal(j->pid, 9);
    assert_memory_equal(j->name, "PP2", 3);
    t->busy_ns += j->end_ns - j->start_ns;
    t->jobs++;
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

static void each_kind_of_record(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool big = i & 1;
        unsigned shift = i & 2 ? 4 : 0;
        struct page p = begin(big, shift, 1000);
        for (uint32_t type = 1; type <= 28; type++) {
            head(&p, type, 1);
            p.n += 4 * (size_t)type;
        }
        active(&p, 10, true, false);
        head(&p, 30, 5); /* 5 + 2^27 */
        word(&p, 1);
        head(&p, 29, 7);
        word(&p, 8);
        word(&p, 0);
        active(&p, 3, false, true);
        head(&p, 31, 9); /* 9 + 2 x 2^27 */
        word(&p, 2);
        active(&p, 0, true, true);
        active(&p, 100, false, false);
        head(&p, 29, 0);
        word(&p, 12345);
        struct span page = end(&p, 0);
        struct told t = run(facts(big, shift), &page, 1);
        assert_int_equal(t.counts.accepted, 4);
        assert_int_equal(t.counts.ignored, 28);
        assert_int_equal(t.counts.malformed + t.counts.truncated, 0);
        assert_int_equal(t.busy_ns, (1 << 27) + 15 + 100);
        for (page.n = 0; page.n < p.n; page.n++)
            assert_int_equal(run(facts(big, shift), &page, 1).counts.malformed, 1);
        for (size_t n = 0; n < p.n - 16; n++) {
            put(&p, 8, n, 8);
            page.n = 16 + n;
            t = run(facts(big, shift), &page, 1);
            assert_true(t.counts.accepted <= 4 && t.counts.malformed == 0);
            assert_true(t.counts.truncated <= 1);
        }
    }
}

static void cpus_are_sorted_and_gaps_close(void **state) {
    struct page a = begin(false, 0, 1000);
    struct page b = begin(false, 0, 900);
    (void)state;
    active(&a, 100, false, false);
    active(&b, 0, true, false);
    struct span pages[] = {end(&a, 0), end(&b, 0)};
    struct told t = run(facts(false, 0), pages, 2);
    assert_int_equal(t.busy_ns, 200);
    assert_int_equal(t.counts.reasons[REASON_STOP_ON_IDLE], 0);
    a.n += 8;
    put(&a, a.n - 8, 6, 8); /* how many were missed, behind the records */
    pages[0] = (struct span){a.bytes, a.n};
    put(&a, 8, (a.n - 24) | UINT64_C(3) << 30, 8);
    t = run(facts(false, 0), pages, 2);
    assert_int_equal(t.counts.reasons[REASON_LOST_RECORDS], 6);
    assert_int_equal(t.counts.reasons[REASON_STOP_ON_IDLE], 1);
    t = run("endian=little\n", pages, 2);
    assert_int_equal(t.counts.malformed, 2);
}

static void formats(void **state) {
    struct span f = span_of("name: x\nID: 812\nformat:\n"
                            "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                            "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                            "\tfield:unsigned int d0;\toffset:16;\tsize:4;\tsigned:0;\n");
    struct trace_field d;
    uint32_t id;
    (void)state;
    assert_true(trace_format_id(f, &id) && id == 812);
    assert_true(trace_format_field(f, "d0", &d) && d.offset == 16 && d.size == 4 && !d.is_signed);
    assert_true(trace_format_field(f, "common_pid", &d) && d.offset == 4 && d.is_signed);
    assert_false(trace_format_field(f, "pid", &d));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_of_record),
                                       cmocka_unit_test(cpus_are_sorted_and_gaps_close),
                                       cmocka_unit_test(formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
