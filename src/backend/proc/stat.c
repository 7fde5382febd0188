/*
 * /proc/PID/stat as samples. One unit is one record. Times are clock ticks there and ns here, memory is
 * pages there and bytes here; how long a tick and a page are stands in the subject's facts.
 */
#include "../keyvalue.h"
#include "tell.h"

#define NS_PER_S 1000000000u

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
    enum err e = proc_stat_read(frame_span(f), &stat);
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
    proc_stat_without_name(body, out);
}
