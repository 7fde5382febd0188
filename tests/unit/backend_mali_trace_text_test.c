/* Lines of trace_pipe, and that they tell the same busy time as an events file of the same jobs. */
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

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void each_form_of_a_line(void **state) {
    static const struct {
        const char *line;
        enum trace_text is;
        uint32_t id;
        uint64_t lost;
    } cases[] = {
        {"    a-5 [000] d..1 1.000002: mali_core_active: S|7|GP0:ff|1", TRACE_TEXT_EVENT,
         0x01010000, 0},
        {"    a-5 [000] 1.000002: mali_core_active: F|7|PP7:0|1", TRACE_TEXT_EVENT, 0x020c0000, 0},
        {"a [1] b: (x)-5   (   5) [000] .... 1.000002: mali_core_active: S|7|PP0:0|1",
         TRACE_TEXT_EVENT, 0x01050000, 0},
        {"a-1 [0] 1.0: a:-5 [000] .... 1.000002: mali_core_active: S|7|PP0:0|1", TRACE_TEXT_EVENT,
         0x01050000, 0},
        {"a-5 [000] .... 1.000002: mali_timeline_event: event=50397184", TRACE_TEXT_EVENT,
         0x03010000, 0},
        {"a-5 [000] .... 1.000002: mali_timeline_event: event=16842752", TRACE_TEXT_OTHER, 0, 0},
        {"a-5 [000] .... 1.000002: mali_timeline_event: event=50397184x", TRACE_TEXT_BAD, 0, 0},
        {"a-5 [000] .... 1.000002: mali_timeline_event: event=1376257", TRACE_TEXT_RATE, 0, 0},
        {"a-5 [000] .... 1.000002: mark: x: mali_core_active: S|7|PP0:0|1", TRACE_TEXT_OTHER, 0, 0},
        {"a-5 [000] .... 1.000002: mali_core_active: S|7|PP8:0|1", TRACE_TEXT_BAD, 0, 0},
        {"a-5 [000] .... 1.000002: mali_core_active: S|7|PP1:0|", TRACE_TEXT_BAD, 0, 0},
        {"a-5 [000] .... 1.02: mali_core_active: S|7|PP1:0|1", TRACE_TEXT_BAD, 0, 0},
        {"CPU:3 [LOST 12 EVENTS]", TRACE_TEXT_LOST, 0, 12},
        {"CPU:3 [LOST EVENTS]", TRACE_TEXT_LOST, 0, 1},
        {"CPU:3 [LOST 12 EVENTS", TRACE_TEXT_BAD, 0, 0},
        {"# tracer: nop", TRACE_TEXT_OTHER, 0, 0},
        {"", TRACE_TEXT_OTHER, 0, 0},
        {"garbage", TRACE_TEXT_BAD, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mali_event e;
        uint64_t lost;
        enum trace_text is = trace_text_parse(span_of(cases[i].line), &e, &lost);
        if (is != cases[i].is)
            print_error("%s: %d\n", cases[i].line, (int)is);
        assert_int_equal(is, cases[i].is);
        assert_int_equal(lost, cases[i].lost);
        if (is == TRACE_TEXT_EVENT) {
            assert_int_equal(e.id, cases[i].id);
            assert_int_equal(e.t_ns, 1000002000);
            assert_int_equal(e.d[0], e.id >> 24 == 3 ? 0 : 7);
        }
    }
}

struct sums {
    int64_t busy_ns[MALI_UNITS];
    int64_t pid_ns[65536];
};

static void on_job(void *ctx, const struct job *j) {
    struct sums *s = ctx;
    for (unsigned u = 0; u < MALI_UNITS; u++)
        if (strlen(mali_unit_names[u]) == j->name_len &&
            memcmp(mali_unit_names[u], j->name, j->name_len) == 0)
            s->busy_ns[u] += j->end_ns - j->start_ns;
    s->pid_ns[j->pid & 0xffff] += j->end_ns - j->start_ns;
}

/* Stamps of text are in us, so the events are rounded to them. */
static void same_busy_time_as_events(void **state) {
    static struct sums sums;
    struct buf text;
    struct buf events;
    struct malirig rig = {0};
    char line[MALI_LINE_MAX];
    FILE *file = fopen("fixtures/mali/samsung-4412/events", "r");
    (void)state;
    assert_non_null(file);
    buf_init(&text);
    buf_init(&events);
    while (fgets(line, sizeof line, file)) {
        struct mali_event e;
        char out[160];
        unsigned unit;
        struct span l = {line, strcspn(line, "\n")};
        if (mali_line_parse(l, true, &e) != MALI_LINE_EVENT ||
            (unit = mali_event_unit(&e)) == MALI_UNITS || (e.id >> 24 != 1 && e.id >> 24 != 2))
            continue;
        e.t_ns -= e.t_ns % 1000;
        malirig_put(&events, (uint64_t)e.t_ns, e.id, e.d[0], e.d[1], UINT32_MAX);
        snprintf(out, sizeof out,
                 "%16s-%-7d [001] d.h1 %5lld.%06lld: mali_core_active: %c|%u|%s:%x|3\n", "k: [a]",
                 9, (long long)(e.t_ns / 1000000000), (long long)(e.t_ns / 1000 % 1000000),
                 e.id >> 24 == 1 ? 'S' : 'F', e.d[0], mali_unit_names[unit], 0xabu);
        buf_text(&text, out);
    }
    fclose(file);
    buf_char(&events, '\0');
    malirig_run(&rig, "", events.p);
    struct subject s = {.id = 5, .name = "", .facts = ""};
    struct sink sink = {&sums, NULL, on_job, NULL};
    struct counts counts = {0};
    struct frame f = {.bytes = text.p, .size = text.n, .subject = 5};
    void *it = calloc(1, mali_trace_text_fold.size);
    mali_trace_text_fold.init(it, &s);
    mali_trace_text_fold.feed(it, &s, &f, &sink, &counts);
    mali_trace_text_fold.tick(it, &s, 1, &sink, &counts);
    assert_int_equal(counts.malformed + counts.ignored + counts.truncated, 0);
    assert_true(malirig_busy(&rig, -1, NULL) > 0);
    for (unsigned u = 0; u < MALI_UNITS; u++)
        assert_int_equal(sums.busy_ns[u], malirig_busy(&rig, -1, mali_unit_names[u]));
    for (int32_t pid = 0; pid < 65536; pid++)
        if (sums.pid_ns[pid])
            assert_int_equal(sums.pid_ns[pid], malirig_busy(&rig, pid, NULL));
    free(it);
    malirig_finish(&rig);
    buf_finish(&text);
    buf_finish(&events);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_form_of_a_line),
                                       cmocka_unit_test(same_busy_time_as_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
