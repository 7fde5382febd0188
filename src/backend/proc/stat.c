/*
 * /proc/PID/stat: "PID (comm) state ppid ...". comm may hold blanks, parentheses and line ends, so
 * the fields begin after the last ')'. One unit is one record. Times are clock ticks there and ns
 * here, memory is pages there and bytes here; how long a tick and a page are stands in the
 * subject's facts.
 */
#include <string.h>

#include "../keyvalue.h"
#include "tell.h"

#define NS_PER_S 1000000000u

/* Fields are numbered as in proc(5); the first after the name is 3. */
enum { FIELD_PPID = 4, FIELD_UTIME = 14, FIELD_STIME = 15, FIELD_START = 22, FIELD_RSS = 24 };

static inline bool is_gap(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/* A field is whole only if something follows it. */
static inline bool next_field(struct cursor *c, struct span *field) {
    const char *p = c->p;
    while (p < c->end && (*p == ' ' || *p == '\t'))
        p++;
    const char *first = p;
    while (p < c->end && !is_gap(*p))
        p++;
    *field = (struct span){first, (size_t)(p - first)};
    c->p = p;
    return field->n > 0 && p < c->end;
}

static struct proc_number number(struct span field) {
    struct proc_number n = {0};
    n.err = span_to_u64(field, &n.value);
    return n;
}

static bool find_last(struct span text, char c, size_t *at) {
    const char *end = text.p + text.n;
    const char *next = text.n > 0 ? memchr(text.p, c, text.n) : NULL;
    bool found = next != NULL;
    for (; next; next = memchr(next + 1, c, (size_t)(end - next - 1)))
        *at = (size_t)(next - text.p);
    return found;
}

/* Position of the name's parentheses. */
static bool find_comm(struct span text, size_t *open, size_t *close) {
    *open = 0;
    while (*open < text.n && text.p[*open] != '(')
        ++*open;
    return find_last(text, ')', close) && *open < *close;
}

enum err proc_stat_parse(struct span text, struct proc_stat *out) {
    size_t open;
    size_t close;
    bool whole = text.n > 0 && text.p[text.n - 1] == '\n';
    if (!find_comm(text, &open, &close))
        return whole || text.n == 0 ? ERR_FORMAT : ERR_TRUNCATED;
    out->comm = (struct span){text.p + open + 1, close - open - 1};
    struct proc_number *const wanted[FIELD_RSS + 1] = {
        [FIELD_PPID] = &out->ppid,         [FIELD_UTIME] = &out->utime_ticks,
        [FIELD_STIME] = &out->stime_ticks, [FIELD_START] = &out->start_ticks,
        [FIELD_RSS] = &out->rss_pages,
    };
    struct cursor c = cursor_over(span_skip(text, close + 1));
    for (unsigned at = 3; at <= FIELD_RSS; at++) {
        struct span field;
        if (!next_field(&c, &field))
            return whole ? ERR_FORMAT : ERR_TRUNCATED;
        if (wanted[at])
            *wanted[at] = number(field);
    }
    return ERR_OK;
}

static enum err first_err(enum err a, enum err b) {
    return a != ERR_OK ? a : b;
}

/* raw x factor / divisor. A factor or divisor of 0 is a fact that is not known. */
static void tell_scaled(const struct proc_tell *t, enum metric metric, struct proc_number n,
                        uint64_t factor, uint64_t divisor) {
    enum err e = n.err;
    uint64_t scaled = 0;
    if (e == ERR_OK && (factor == 0 || divisor == 0))
        e = ERR_AGAIN;
    if (e == ERR_OK)
        scaled = mul_div_u64(n.value, factor, divisor);
    if (e == ERR_OK && scaled > (uint64_t)INT64_MAX)
        e = ERR_RANGE;
    proc_tell_value(t, metric, e, (int64_t)scaled, n.err == ERR_OK ? n.value : 0);
}

static struct proc_number sum(struct proc_number a, struct proc_number b) {
    struct proc_number s = {a.value + b.value, first_err(a.err, b.err)};
    if (s.err == ERR_OK && s.value < a.value)
        s.err = ERR_RANGE;
    return s;
}

void proc_stat_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                      struct counts *counts) {
    const struct proc_tell t = {s, f, sink};
    struct proc_stat stat;
    enum err e = proc_stat_parse(frame_span(f), &stat);
    if (e == ERR_TRUNCATED) {
        counts_truncated(counts, REASON_CUT);
        return;
    }
    if (e != ERR_OK) {
        counts_malformed(counts, REASON_BAD_TEXT);
        return;
    }
    struct proc_number cpu = sum(stat.utime_ticks, stat.stime_ticks);
    if (stat.ppid.err == ERR_OK && stat.ppid.value > INT32_MAX)
        stat.ppid.err = ERR_RANGE;
    proc_tell_label(&t, LABEL_COMM, stat.comm);
    tell_scaled(&t, METRIC_PROCESS_CPU_TIME, cpu, NS_PER_S, facts_u64(s->facts, "clk_tck", 0));
    tell_scaled(&t, METRIC_PROCESS_RSS, stat.rss_pages, facts_u64(s->facts, "page", 0), 1);
    tell_scaled(&t, METRIC_PROCESS_PPID, stat.ppid, 1, 1);
    e = first_err(cpu.err, first_err(stat.rss_pages.err, stat.ppid.err));
    if (e == ERR_OK)
        counts->accepted++;
    else
        counts_malformed(counts, keyvalue_reason(e));
}

void proc_stat_scrub(struct span body, struct buf *out) {
    size_t open;
    size_t close;
    if (!find_comm(body, &open, &close))
        return;
    buf_put(out, body.p, open + 1);
    buf_span(out, span_skip(body, close));
}
