/*
 * For fuzz targets of the observation unit's folds: any bytes, whole, as a file source cuts them, and cut anywhere.
 * What comes out keeps what sinks rely on, and is the same however the bytes come.
 */
#ifndef GWTOP_FUZZ_INTEL_FOLDS_H
#define GWTOP_FUZZ_INTEL_FOLDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/intel/intel.h"

static inline void check(bool holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

/* What was said, as a number that depends on all of it. */
struct said {
    uint64_t hash;
    uint64_t jobs;
    int64_t newest_ns;
    bool steady; /* the clock does not begin anew within the file */
    bool over;   /* the end was told: at most that nothing was measured since is said */
};

static inline void mix(struct said *s, uint64_t v) {
    s->hash = (s->hash ^ v) * 1099511628211u;
}

static inline void check_owner(unsigned space, uint64_t client, int32_t pid) {
    check(space == SPACE_NONE || space == SPACE_CONTEXT || space == SPACE_TAGGED, "spaces fit");
    check(space != SPACE_NONE || (client == 0 && pid == 0), "nobody has no name");
    check(space != SPACE_CONTEXT || client <= UINT32_MAX, "a context has 32 bits");
    check(pid >= 0 && pid <= 4194304, "a pid can be one");
}

static inline void on_job(void *ctx, const struct job *j) {
    struct said *s = ctx;
    check(j->end_ns > j->start_ns, "a job has a length");
    check(!s->steady || j->start_ns >= s->newest_ns, "no time is a job's twice");
    check(j->space != SPACE_NONE, "a job is somebody's");
    check_owner(j->space, j->client, j->pid);
    check(j->name_len > 0 && j->class != CLASS_NONE, "a job has an engine");
    check(j->voltage_uv == 0 && !j->off && j->subject == 5 && j->device == 4, "a job fits");
    s->newest_ns = j->end_ns;
    s->jobs++;
    mix(s, (uint64_t)j->start_ns);
    mix(s, (uint64_t)j->end_ns);
    mix(s, j->client);
    mix(s, j->clock_hz ^ (uint64_t)j->pid << 40 ^ (uint64_t)j->open << 63);
}

static inline void on_sample(void *ctx, const struct sample *p) {
    struct said *s = ctx;
    struct span name = {p->name, p->name_len};
    check(p->metric < METRIC_COUNT && p->state < STATE_COUNT, "metrics and states exist");
    check(p->state == STATE_VALUE || p->value == 0, "what is no value holds none");
    check(p->value >= 0, "no value is negative");
    check(p->name && text_is_clean(name), "names are clean");
    check(metric_info(p->metric)->unit != UNIT_PERCENT || p->value <= 1000000, "a share is one");
    check(p->subject == 5 && p->device == 4, "a sample fits");
    check_owner(p->space, p->client, p->pid);
    check(!s->over || p->state == STATE_UNKNOWN, "an end is one end");
    if (s->over)
        return;
    mix(s, (uint64_t)p->t_ns);
    mix(s, (uint64_t)p->metric << 32 ^ (uint64_t)p->state << 8 ^ p->doubt);
    mix(s, (uint64_t)p->value);
    mix(s, p->client ^ (uint64_t)p->pid << 32);
}

struct run_of {
    struct said said;
    struct counts counts;
};

static inline void tell_facts(const struct vendor_file *v, struct span file, struct buf *facts) {
    if (!v->scan)
        return;
    void *seen = calloc(1, v->scan_size);
    check(seen != NULL, "there is memory");
    v->scan(seen, file);
    v->say_facts(seen, facts);
    free(seen);
}

/* In pieces of `step` bytes, or (0) as the kind cuts them. Now and then the state moves. */
static inline struct run_of run_fold(const struct fold *fold, const struct vendor_file *v,
                                     const char *options, bool scan, struct span file,
                                     size_t step) {
    struct run_of r = {.said.newest_ns = INT64_MIN, .said.steady = !v->scan || scan};
    struct sink sink = {&r.said, on_sample, on_job, NULL};
    struct buf facts;
    buf_init(&facts);
    buf_text(&facts, options);
    if (scan)
        tell_facts(v, file, &facts);
    buf_char(&facts, '\0');
    struct subject s = {.id = 5, .device = 4, .name = "", .facts = facts.p};
    void *state = calloc(1, fold->size);
    void *copy = malloc(fold->size);
    check(state && copy && !facts.failed, "there is memory");
    fold->init(state, &s);
    for (struct span rest = file; rest.n > 0;) {
        size_t n = step ? (step < rest.n ? step : rest.n) : v->cut(rest);
        check(n <= rest.n, "a cut is within");
        n = n ? n : rest.n;
        struct frame f = {.bytes = rest.p, .size = n, .subject = 5, .kind = INTEL_PERF};
        fold->feed(state, &s, &f, &sink, &r.counts);
        rest = span_skip(rest, n);
        if (step == 0 || step == 300) {
            memcpy(copy, state, fold->size);
            void *was = state;
            state = copy;
            copy = was;
            memset(copy, 0x5a, 4096 < fold->size ? 4096 : fold->size);
        }
    }
    fold->tick(state, &s, 1, &sink, &r.counts);
    r.said.over = true;
    struct run_of again = r;
    fold->tick(state, &s, 2, &sink, &r.counts);
    check(memcmp(&again, &r, sizeof r) == 0, "an end is one end");
    free(state);
    free(copy);
    buf_finish(&facts);
    return r;
}

/* Records by their own sizes, as far as these can be. */
static inline void check_counts(const struct counts *c, struct span file) {
    uint64_t units = 0;
    while (file.n > 0) {
        const unsigned char *p = (const unsigned char *)file.p;
        size_t n = file.n < 8 ? 0 : (size_t)p[6] | (size_t)p[7] << 8;
        units++;
        if (n < 8)
            break;
        file = span_skip(file, n);
    }
    check(c->accepted + c->ignored + c->malformed + c->truncated == units, "each counts once");
    check(c->truncated == c->reasons[REASON_CUT] && c->truncated <= 1, "one may be cut");
    check(c->malformed == c->reasons[REASON_RECORD_SIZE] + c->reasons[REASON_TABLE_VERSION],
          "what is malformed has a reason");
    check(c->ignored == c->reasons[REASON_UNKNOWN_EVENT] + c->reasons[REASON_NO_FORMAT] +
                            c->reasons[REASON_CLOCK_CYCLES],
          "what is ignored has a reason");
}

static inline void fold_any_way(const struct fold *fold, const struct vendor_file *v,
                                const char *options, bool scan, struct span file) {
    static const size_t steps[] = {0, 1, 7, 300};
    struct run_of whole = run_fold(fold, v, options, scan, file, file.n ? file.n : 1);
    check_counts(&whole.counts, file);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct run_of pieces = run_fold(fold, v, options, scan, file, steps[i]);
        check(memcmp(&pieces, &whole, sizeof whole) == 0, "pieces say what the whole says");
    }
}

/* Units and their times are within, however odd. */
static inline void walk_units(const struct vendor_file *v, struct span file) {
    struct span head = {file.p, file.n < v->head_size ? file.n : v->head_size};
    int64_t t_ns;
    if (!v->next && !v->next_after)
        return;
    for (size_t n;; file = span_skip(file, n)) {
        n = v->next ? v->next(file, &t_ns) : v->next_after(head, file, &t_ns);
        check(n <= file.n && (t_ns >= 0 || t_ns == INT64_MIN), "a unit is within");
        if (n == 0)
            return;
    }
}

#endif
