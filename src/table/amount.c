/*
 * Amounts of power and energy as a person reads them: 3 or 4 significant digits, never an exponent.
 * Pure.
 */
#include "gwtop/table.h"

#define MICRO 1e6
#define KILO  1e3

/* Below `limit` it is written with so many decimals: limits are where it would round to one digit more. */
static const struct {
    double limit;
    unsigned decimals;
} steps[] = {{0.09995, 4}, {0.9995, 3}, {9.995, 2}, {999.95, 1}, {1e15, 0}};

static const double half[] = {0.5, 0.05, 0.005, 0.0005, 0.00005};

/* Columns of digits before the point of what is rounded to so many decimals. */
static size_t whole_columns(double v, unsigned decimals) {
    size_t n = 1;
    for (double limit = 10; v >= limit - half[decimals] && n < 20; limit *= 10) {
        n++;
    }
    return n;
}

static void put(double v, size_t room, struct buf *out) {
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof steps[0] && v >= steps[i].limit) {
        i++;
    }
    unsigned decimals = steps[i].decimals;
    while (decimals > 0 && whole_columns(v, decimals) + 1 + decimals > room) {
        decimals--;
    }
    if (v < half[decimals]) { /* no measured 0 */
        buf_text(out, decimals > 3 ? "<0.001" : decimals > 2 ? "<0.01" : decimals > 0 ? "<1" : "0");
        return;
    }
    buf_fixed(out, (int64_t)(v * MICRO + 0.5), 6, decimals);
}

void table_amount(double v, size_t room, struct buf *out) {
    static const char units[] = " kMGTPE";
    size_t unit = 0;
    if (v == 0) {
        buf_char(out, '0');
        return;
    }
    if (whole_columns(v, 0) > room) {
        for (; v >= 999.5 && unit + 2 < sizeof units; v /= KILO) {
            unit++;
        }
        room -= room > 1;
        if (whole_columns(v, 0) > room) {
            buf_fill(out, '+', room + 1);
            return;
        }
    }
    put(v, room, out);
    if (unit > 0) {
        buf_char(out, units[unit]);
    }
}

enum role table_power_text(struct real r, const char *unit, struct buf *out) {
    r = table_real(r);
    if (r.state != STATE_VALUE) {
        buf_text(out, table_word(r.state));
        return r.state == STATE_DENIED || r.state == STATE_MALFORMED ? ROLE_WARN : ROLE_DIM;
    }
    table_amount(r.v, 6, out);
    buf_char(out, ' ');
    buf_text(out, unit);
    buf_text(out, r.doubt ? "~" : "");
    return r.doubt ? ROLE_WARN : r.v > 0 ? ROLE_VALUE : ROLE_DIM;
}
