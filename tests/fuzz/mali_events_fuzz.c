/*
 * Any bytes as a Mali events file: whole, in the pieces that a file source makes, and cut
 * anywhere. What comes out keeps what sinks rely on, and is the same however the bytes come.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/mali/mali.h"

static void check(bool holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

/* What was said, as a number that depends on all of it. */
struct said {
    uint64_t hash;
    uint64_t jobs;
    int64_t busy_ns[MALI_UNITS];
    bool at_end;
};

static void mix(struct said *s, uint64_t v) {
    s->hash = (s->hash ^ v) * 1099511628211u;
}

static unsigned unit_named(const char *name, size_t n) {
    unsigned u = 0;
    while (u < MALI_UNITS &&
           (strlen(mali_unit_names[u]) != n || memcmp(mali_unit_names[u], name, n) != 0))
        u++;
    check(u < MALI_UNITS, "a unit has one of their names");
    return u;
}

static void on_job(void *ctx, const struct job *j) {
    struct said *s = ctx;
    unsigned unit = unit_named(j->name, j->name_len);
    check(j->start_ns >= 0 && j->end_ns > j->start_ns, "a segment has a length");
    check(j->pid >= 0 && j->pid <= 4194304 && j->client == (uint64_t)j->pid, "a pid can be one");
    check(j->clock_hz <= 2000000000 && j->voltage_uv <= 2000000, "a rate can be one");
    check(!j->off || (j->clock_hz == 0 && j->voltage_uv == 0), "off is 0");
    check(!j->open || s->at_end, "only the end leaves jobs open");
    check(j->space == SPACE_PID && j->class == CLASS_GRAPHICS, "jobs are of processes");
    check(j->subject == 5, "a job has its subject");
    s->busy_ns[unit] += j->end_ns - j->start_ns;
    s->jobs++;
    mix(s, (uint64_t)j->start_ns);
    mix(s, (uint64_t)j->end_ns);
    mix(s, (uint64_t)j->pid << 8 | unit);
    mix(s, j->clock_hz << 22 ^ j->voltage_uv);
    mix(s, (uint64_t)j->open << 9 | (uint64_t)j->off << 8 | j->doubt);
}

static void on_sample(void *ctx, const struct sample *p) {
    struct said *s = ctx;
    unsigned unit = unit_named(p->name, p->name_len);
    check(p->metric == METRIC_COUNTER_HW0 || p->metric == METRIC_COUNTER_HW1,
          "samples are counters");
    check(p->state == STATE_VALUE && p->value >= 0 && p->value <= UINT32_MAX, "with a value");
    check(p->index < 255, "and a source");
    mix(s, (uint64_t)p->value << 20 ^ (uint64_t)p->index << 8 ^ unit);
}

struct run {
    struct said said;
    struct counts counts;
};

/* In pieces of `step` bytes, or (0) as the kind cuts them. The state is copied after each, and
 * the old one spoiled (in part, where pieces are many). */
static struct run run(const char *options, struct span file, size_t step) {
    const struct vendor_file *v = backend_mali.kinds[0].file;
    struct run r = {0};
    struct sink sink = {&r.said, on_sample, on_job, NULL};
    struct buf facts;
    buf_init(&facts);
    buf_text(&facts, options);
    struct mali_look look = {0};
    check(v->scan_size == sizeof look, "a look is all that a scan keeps");
    v->scan(&look, file);
    v->say_facts(&look, &facts);
    buf_char(&facts, '\0');
    struct subject s = {.id = 5, .name = "", .facts = facts.p};
    void *state = calloc(1, mali_events_fold.size);
    void *copy = malloc(mali_events_fold.size);
    check(state && copy && !facts.failed, "there is memory");
    mali_events_fold.init(state, &s);
    for (struct span rest = file; rest.n > 0;) {
        size_t n = step ? (step < rest.n ? step : rest.n) : v->cut(rest);
        check(n <= rest.n && (step || n == 0 || rest.p[n - 1] == '\n'), "a cut ends a line");
        n = n ? n : rest.n;
        struct frame f = {.bytes = rest.p, .size = n, .subject = 5, .kind = MALI_EVENTS};
        mali_events_fold.feed(state, &s, &f, &sink, &r.counts);
        rest = span_skip(rest, n);
        memcpy(copy, state, mali_events_fold.size);
        void *was = state;
        state = copy;
        copy = was;
        memset(copy, 0x5a, step == 1 ? 64 : mali_events_fold.size);
    }
    r.said.at_end = true;
    mali_events_fold.tick(state, &s, 1, &sink, &r.counts);
    struct run again = r;
    mali_events_fold.tick(state, &s, 2, &sink, &r.counts);
    check(memcmp(&again, &r, sizeof(r)) == 0, "an end is one end");
    free(state);
    free(copy);
    buf_finish(&facts);
    return r;
}

static void check_counts(const struct counts *c, struct span file) {
    uint64_t lines = 0;
    for (size_t i = 0; i < file.n; i++)
        lines += file.p[i] == '\n' || i + 1 == file.n;
    check(c->accepted + c->ignored + c->malformed + c->truncated == lines, "each line counts once");
    check(c->ignored == c->reasons[REASON_UNKNOWN_EVENT], "what is ignored has a reason");
    check(c->malformed == c->reasons[REASON_BAD_TEXT] + c->reasons[REASON_OUT_OF_RANGE],
          "what is malformed has a reason");
    check(c->truncated == c->reasons[REASON_CUT] && c->truncated <= 1, "one line may be cut");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const options[] = {
        "",
        "dialect=samsung\nend=interrupt\nsoc=exynos4412-prime\nbackfill=1\n",
        "dialect=arm\ndrop_unpriced=1\nassume_voltage_uv=1000000\n",
    };
    struct span file = {(const char *)data, size};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct run whole = run(options[i], file, size ? size : 1);
        check_counts(&whole.counts, file);
        static const size_t steps[] = {0, 1, 7, 300};
        for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
            struct run pieces = run(options[i], file, steps[k]);
            check(memcmp(&pieces, &whole, sizeof(whole)) == 0, "pieces say what the whole says");
        }
    }
    return 0;
}
