/* See malirig.h. */
#include "malirig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backend/mali/mali.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void keep(void **items, unsigned *count, unsigned *cap, const void *item, size_t size) {
    if (*count == *cap) {
        *cap = *cap ? 2 * *cap : 64;
        *items = realloc(*items, *cap * size);
        assert_non_null(*items);
    }
    memcpy((char *)*items + *count * size, item, size);
    ++*count;
}

static void on_job(void *ctx, const struct job *j) {
    struct malirig *r = ctx;
    void *items = r->jobs;
    assert_int_equal(j->subject, 9);
    assert_int_equal(j->device, 4);
    assert_int_equal(j->space, SPACE_PID);
    assert_int_equal(j->client, j->pid);
    assert_int_equal(j->class, CLASS_GRAPHICS);
    assert_int_equal(strlen(j->name), j->name_len);
    assert_true(j->end_ns > j->start_ns);
    keep(&items, &r->job_count, &r->job_cap, j, sizeof(*j));
    r->jobs = items;
}

static void on_sample(void *ctx, const struct sample *s) {
    struct malirig *r = ctx;
    void *items = r->samples;
    assert_int_equal(s->subject, 9);
    assert_int_equal(s->state, STATE_VALUE);
    assert_int_equal(s->client, s->pid);
    keep(&items, &r->sample_count, &r->sample_cap, s, sizeof(*s));
    r->samples = items;
}

static struct subject subject_of(const struct malirig *r) {
    return (struct subject){.id = 9,
                            .device = 4,
                            .type = SUBJECT_STREAM,
                            .name = "",
                            .facts = r->facts.p ? r->facts.p : ""};
}

static void find_window(struct malirig *r, struct span text) {
    struct cursor c = cursor_over(text);
    struct mali_event e;
    struct span line;
    r->first_ns = -1;
    r->last_ns = 0;
    while (cursor_line(&c, &line)) {
        if (mali_line_parse(line, true, &e) != MALI_LINE_EVENT)
            continue;
        if (r->first_ns < 0)
            r->first_ns = e.t_ns;
        if (e.t_ns > r->last_ns)
            r->last_ns = e.t_ns;
    }
}

void malirig_begin(struct malirig *r, const char *options, const char *text, size_t n) {
    r->job_count = 0;
    r->sample_count = 0;
    r->counts = (struct counts){0};
    find_window(r, (struct span){text, n});
    buf_clear(&r->facts);
    buf_text(&r->facts, options);
    mali_dialect_scan((struct span){text, n}, &r->facts);
    buf_char(&r->facts, '\0');
    free(r->state);
    r->state = malloc(mali_events_fold.size);
    assert_non_null(r->state);
    memset(r->state, 0xa5, mali_events_fold.size); /* nothing may count on zeros */
    struct subject s = subject_of(r);
    mali_events_fold.init(r->state, &s);
}

void malirig_feed(struct malirig *r, const char *bytes, size_t n) {
    struct subject s = subject_of(r);
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    struct frame f = {.bytes = copy, .size = n, .subject = 9, .kind = MALI_EVENTS};
    struct sink sink = {r, on_sample, on_job, NULL};
    mali_events_fold.feed(r->state, &s, &f, &sink, &r->counts);
    free(copy);
}

void malirig_end(struct malirig *r) {
    struct subject s = subject_of(r);
    struct sink sink = {r, on_sample, on_job, NULL};
    mali_events_fold.tick(r->state, &s, 77, &sink, &r->counts);
}

void malirig_run(struct malirig *r, const char *options, const char *text) {
    malirig_begin(r, options, text, strlen(text));
    malirig_feed(r, text, strlen(text));
    malirig_end(r);
}

void malirig_finish(struct malirig *r) {
    free(r->jobs);
    free(r->samples);
    free(r->state);
    buf_finish(&r->facts);
    *r = (struct malirig){0};
}

/* ---- sums ------------------------------------------------------------------------------------ */

static bool priced(const struct job *j) {
    return j->off || (j->clock_hz > 0 && j->voltage_uv > 0);
}

static bool is_of(const struct job *j, int32_t pid, const char *unit) {
    return (pid == -1 || j->pid == pid) && (!unit || strcmp(j->name, unit) == 0);
}

int64_t malirig_busy(const struct malirig *r, int32_t pid, const char *unit) {
    int64_t sum = 0;
    for (unsigned i = 0; i < r->job_count; i++)
        if (is_of(&r->jobs[i], pid, unit))
            sum += r->jobs[i].end_ns - r->jobs[i].start_ns;
    return sum;
}

int64_t malirig_unpriced(const struct malirig *r, int32_t pid, const char *unit) {
    int64_t sum = 0;
    for (unsigned i = 0; i < r->job_count; i++)
        if (is_of(&r->jobs[i], pid, unit) && !priced(&r->jobs[i]))
            sum += r->jobs[i].end_ns - r->jobs[i].start_ns;
    return sum;
}

double malirig_pws(const struct malirig *r, int32_t pid, const char *unit) {
    double sum = 0;
    for (unsigned i = 0; i < r->job_count; i++) {
        const struct job *j = &r->jobs[i];
        if (is_of(j, pid, unit) && priced(j))
            sum += pseudowatt_seconds(j->clock_hz, j->voltage_uv, j->end_ns - j->start_ns);
    }
    return sum;
}

uint64_t malirig_lines(const struct malirig *r) {
    return r->counts.accepted + r->counts.ignored + r->counts.malformed + r->counts.truncated;
}

/* ---- report ---------------------------------------------------------------------------------- */

static void say(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct buf *out, const char *format, ...) {
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    assert_true(n >= 0 && n < (int)sizeof(line));
    buf_put(out, line, (size_t)n);
}

static void say_known(struct buf *out, double v, bool known, const char *mark) {
    if (known)
        say(out, " %.10g%s", v, mark);
    else
        say(out, " -");
}

static void say_segments(struct buf *out, const struct malirig *r) {
    say(out, "[segments] pid unit from to ns MHz mV PWs\n");
    for (unsigned i = 0; i < r->job_count; i++) {
        const struct job *j = &r->jobs[i];
        int64_t ns = j->end_ns - j->start_ns;
        say(out, "%d %s %lld %lld %lld", j->pid, j->name, (long long)(j->start_ns - r->first_ns),
            (long long)(j->end_ns - r->first_ns), (long long)ns);
        if (j->off) {
            say(out, " off off 0");
        } else {
            say_known(out, (double)j->clock_hz / 1e6, j->clock_hz > 0, "");
            say_known(out, j->voltage_uv / 1e3, j->voltage_uv > 0,
                      j->doubt & DOUBT_ASSUMED_VOLTAGE ? "~" : "");
            if (priced(j))
                say(out, " %.12f", pseudowatt_seconds(j->clock_hz, j->voltage_uv, ns));
            else
                say(out, " -");
        }
        say(out, "%s\n", j->open ? " open" : "");
    }
}

static void say_counters(struct buf *out, const struct malirig *r) {
    if (r->sample_count > 0)
        say(out, "[counters] pid unit at hw value source\n");
    for (unsigned i = 0; i < r->sample_count; i++) {
        const struct sample *s = &r->samples[i];
        say(out, "%d %s %lld %s %lld %u\n", s->pid, s->name, (long long)(s->t_ns - r->first_ns),
            metric_info(s->metric)->name, (long long)s->value, s->index);
    }
}

static int by_number(const void *a, const void *b) {
    const int32_t *x = a;
    const int32_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* The pids in order, each once. */
static unsigned list_pids(const struct malirig *r, int32_t *pids) {
    unsigned n = 0;
    for (unsigned i = 0; i < r->job_count; i++) {
        unsigned k = 0;
        while (k < n && pids[k] != r->jobs[i].pid)
            k++;
        if (k == n)
            pids[n++] = r->jobs[i].pid;
    }
    qsort(pids, n, sizeof(*pids), by_number);
    return n;
}

static void say_sums(struct buf *out, const struct malirig *r) {
    int32_t *pids = malloc((r->job_count + 1) * sizeof(*pids));
    double window_s = (double)(r->last_ns - r->first_ns) * 1e-9;
    assert_non_null(pids);
    unsigned n = list_pids(r, pids);
    say(out, "[per pid and unit] pid unit busy_ns unpriced_ns PWs\n");
    for (unsigned i = 0; i < n; i++)
        for (unsigned u = 0; u < MALI_UNITS; u++)
            if (malirig_busy(r, pids[i], mali_unit_names[u]) > 0)
                say(out, "%d %s %lld %lld %.12f\n", pids[i], mali_unit_names[u],
                    (long long)malirig_busy(r, pids[i], mali_unit_names[u]),
                    (long long)malirig_unpriced(r, pids[i], mali_unit_names[u]),
                    malirig_pws(r, pids[i], mali_unit_names[u]));
    say(out, "[per pid] pid busy_ns unpriced_ns PWs PW\n");
    for (unsigned i = 0; i <= n; i++) {
        int32_t pid = i < n ? pids[i] : -1;
        if (i < n)
            say(out, "%d", pid);
        else
            say(out, "total");
        say(out, " %lld %lld %.12f %.9f\n", (long long)malirig_busy(r, pid, NULL),
            (long long)malirig_unpriced(r, pid, NULL), malirig_pws(r, pid, NULL),
            window_s > 0 ? malirig_pws(r, pid, NULL) / window_s : 0);
    }
    say(out, "[per unit] unit busy_ns\n");
    for (unsigned u = 0; u < MALI_UNITS; u++)
        if (malirig_busy(r, -1, mali_unit_names[u]) > 0)
            say(out, "%s %lld\n", mali_unit_names[u],
                (long long)malirig_busy(r, -1, mali_unit_names[u]));
    free(pids);
}

static void say_counts(struct buf *out, const struct malirig *r) {
    const struct {
        const char *word;
        uint64_t n;
    } sorts[] = {{"ignored", r->counts.ignored},
                 {"malformed", r->counts.malformed},
                 {"truncated", r->counts.truncated}};
    say(out, "[counts]\nlines %llu\n", (unsigned long long)malirig_lines(r));
    for (size_t i = 0; i < COUNT(sorts); i++)
        if (sorts[i].n > 0)
            say(out, "%s %llu\n", sorts[i].word, (unsigned long long)sorts[i].n);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (r->counts.reasons[i] > 0)
            say(out, "%s %llu\n", reason_word(i), (unsigned long long)r->counts.reasons[i]);
}

const char *malirig_report(const struct malirig *r, struct buf *out) {
    buf_clear(out);
    say_segments(out, r);
    say_counters(out, r);
    say_sums(out, r);
    say_counts(out, r);
    buf_char(out, '\0');
    assert_false(out->failed);
    return out->p;
}

void malirig_put(struct buf *b, uint64_t t_ns, uint32_t id, uint32_t d0, uint32_t d1, uint32_t d2) {
    say(b, "%llu %u %u %u %u 0 0\n", (unsigned long long)t_ns, id, d0, d1, d2);
}
