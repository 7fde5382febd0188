/* What decoders of several sources share: intervals, shares of time, lines of counters, numbered names. */
#include "sensors.h"

#define SECOND_NS    INT64_C(1000000000)
#define FULL_PERCENT 1000000 /* 100 % in 10^-4 % */
#define SLACK        20000   /* 2 % */

int64_t interval_next(struct interval *i, int64_t t_ns) {
    int64_t ns = i->at_ns > 0 && t_ns > i->at_ns ? t_ns - i->at_ns : 0;
    int64_t last = i->ns;
    if (ns == 0 && i->at_ns > 0 && t_ns == i->at_ns)
        return 0;
    *i = (struct interval){t_ns, ns};
    return last > 0 && (ns - SECOND_NS) / 2 > last ? 0 : ns;
}

int64_t share_of_time(uint64_t part_ns, int64_t ns, unsigned *doubt) {
    uint64_t share = mul_div_u64(part_ns, FULL_PERCENT, (uint64_t)ns);
    *doubt = share > FULL_PERCENT + SLACK ? DOUBT_CLAMPED : DOUBT_NONE;
    return share > FULL_PERCENT ? FULL_PERCENT : (int64_t)share;
}

bool counter_line_of(struct span line, struct counter_line *out) {
    struct cursor c = cursor_over(line);
    if (!cursor_field(&c, '=', &out->name) || out->name.n == 0 || out->name.n + 1 > line.n ||
        cursor_u64(&c, &out->count) != ERR_OK)
        return false;
    out->more = (struct span){c.p, cursor_left(&c)};
    if (out->more.n > 0 && *c.p != ' ')
        return false;
    out->more = span_trim(out->more);
    return true;
}

bool number_after(struct span *text, const char *word, unsigned most, unsigned *out) {
    struct cursor c;
    uint64_t number;
    if (!span_starts(*text, word))
        return false;
    c = cursor_over(span_skip(*text, strlen(word)));
    if (cursor_u64(&c, &number) != ERR_OK || number > most)
        return false;
    *text = (struct span){c.p, cursor_left(&c)};
    *out = (unsigned)number;
    return true;
}
