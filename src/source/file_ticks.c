/*
 * Stamps to ticks. A tick begins each delay after the first stamp; a gap is passed by one tick, so that garbage
 * and pauses of days cost nothing. Time never goes back. Pure but for the room it stands in. ns.
 */
#include "file_ticks.h"

#define GAP_NS INT64_C(10000000000)
/* No recording begins so long before its second entry: what does is memory that was never written. */
#define STALE_NS INT64_C(86400000000000)

bool file_clock_asks(const struct file_clock *c, int64_t t_ns) {
    return c->first_ns == FILE_UNTOLD || t_ns - c->newest_ns > GAP_NS;
}

bool file_clock_believes(const struct file_clock *c, int64_t t_ns, int64_t next_ns) {
    if (!file_clock_asks(c, t_ns))
        return true;
    if (next_ns == FILE_UNTOLD)
        return c->first_ns == FILE_UNTOLD;
    return t_ns - next_ns <= GAP_NS && (c->first_ns != FILE_UNTOLD || next_ns - t_ns <= STALE_NS);
}

void file_clock_pass(struct file_clock *c, int64_t t_ns) {
    if (c->first_ns == FILE_UNTOLD)
        c->first_ns = c->newest_ns = c->begin_ns = t_ns;
    if (t_ns > c->newest_ns)
        c->newest_ns = t_ns;
}

void file_clock_step(struct file_clock *c, int64_t t_ns) {
    if (t_ns == FILE_UNTOLD || c->delay_ns > c->last_ns - c->begin_ns) {
        c->begin_ns = c->last_ns;
        return;
    }
    int64_t before = t_ns > c->first_ns ? t_ns - 1 - (t_ns - 1 - c->first_ns) % c->delay_ns : 0;
    bool gap = t_ns - c->newest_ns > GAP_NS;
    c->begin_ns = gap && before > c->begin_ns ? before : c->begin_ns + c->delay_ns;
    if (c->begin_ns > c->last_ns)
        c->begin_ns = c->last_ns;
}
