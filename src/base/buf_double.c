/*
 * Doubles into a buffer: up to 9 significant digits, no locale. Pure.
 *
 * Nine digits are more than any sensor gives. Scaling by exact powers of ten loses at most a few
 * units in the 16th digit, so only a value within that of a tie may round to the other neighbour.
 */
#include "gwtop/base.h"

#define DIGITS 9

/* Plain notation within these exponents: whole numbers stay below 10^18, which readers that keep
 * integers in 64 bits still take. */
#define PLAIN_MIN (-7)
#define PLAIN_MAX 17

static const struct {
    int power;
    double value;
} scales[] = {{256, 1e256}, {128, 1e128}, {64, 1e64}, {32, 1e32}, {16, 1e16},
              {8, 1e8},     {4, 1e4},     {2, 1e2},   {1, 1e1}};

#define SCALES (sizeof scales / sizeof scales[0])

/* v x 10^n. Within 10^22 in one step, since those powers are exact. */
static double scaled(double v, int n) {
    int left = n < 0 ? -n : n;
    double factor = 1;
    for (size_t i = 0; i < SCALES; i++) {
        if (left >= scales[i].power) {
            left -= scales[i].power;
            if (scales[i].power >= 32) {
                v = n < 0 ? v / scales[i].value : v * scales[i].value;
            } else {
                factor *= scales[i].value;
            }
        }
    }
    return n < 0 ? v / factor : v * factor;
}

/* The decimal exponent of a positive v: 10^e <= v < 10^(e+1), but for a few units in the last place
 * of v, since each step rounds. */
static int exponent_of(double v) {
    int e = 0;
    for (size_t i = 0; i < SCALES; i++) {
        if (v >= scales[i].value) {
            v /= scales[i].value;
            e += scales[i].power;
        }
    }
    for (size_t i = 0; v < 1 && i < SCALES; i++) {
        while (v * scales[i].value < 10) {
            v *= scales[i].value;
            e -= scales[i].power;
        }
    }
    return e;
}

/* Rounds a positive v of exponent *e to DIGITS digits. Where *e is one off, v is so close to a power
 * of ten that it rounds to it: from below by itself, from above by the last step. */
static uint64_t nine_digits(double v, int *e) {
    uint64_t digits = (uint64_t)(scaled(v, DIGITS - 1 - *e) + 0.5);
    if (digits >= 1000000000) {
        digits /= 10;
        (*e)++;
    }
    return digits;
}

/* `digits` (no trailing zeros, `count` of them) with exponent e in plain or scientific notation. */
static void put_scientific(struct buf *b, uint64_t digits, unsigned count, int e) {
    buf_decimal(b, (int64_t)digits, count - 1);
    buf_char(b, 'e');
    buf_i64(b, e);
}

static void put_plain(struct buf *b, uint64_t digits, unsigned count, int e) {
    int decimals = (int)count - 1 - e;
    if (decimals > 0) {
        buf_decimal(b, (int64_t)digits, (unsigned)decimals);
    } else {
        buf_u64(b, digits);
        buf_fill(b, '0', (size_t)-decimals);
    }
}

void buf_double(struct buf *b, double v) {
    if (v - v != 0) { /* NaN and infinities: only they differ from themselves */
        buf_text(b, "null");
        return;
    }
    if (v == 0) {
        buf_char(b, '0');
        return;
    }
    if (v < 0) {
        buf_char(b, '-');
        v = -v;
    }
    int e = exponent_of(v);
    uint64_t digits = nine_digits(v, &e);
    unsigned count = DIGITS;
    while (digits % 10 == 0) {
        digits /= 10;
        count--;
    }
    if (e < PLAIN_MIN || e > PLAIN_MAX) {
        put_scientific(b, digits, count, e);
    } else {
        put_plain(b, digits, count, e);
    }
}
