/*
 * Doubles in as few digits as read back as the same number. No locale. Pure.
 *
 * Works in long double, whose powers of ten are exact up to 10^27 where it has 64 bits: far beyond what
 * is measured here. Outside of that, and where it is no wider than a double, the last of 17 digits may be off.
 */
#include "double.h"

/* Of a number that was written in so many digits or fewer, these are the first digits, and then zeros. */
#define DIGITS_SURE 15
#define DIGITS_MOST 17
/* Plain notation within these exponents. */
#define PLAIN_MIN (-7)
#define PLAIN_MAX 17

/* The exact ones: nearly all that is needed. */
static const long double powers[] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L,
};
#define POWERS ((int)(sizeof powers / sizeof powers[0]))

static long double power_of_ten(int n) {
    long double base = 10, factor = 1;
    for (; n > 0; n /= 2) {
        if (n % 2) {
            factor *= base;
        }
        base *= base;
    }
    return factor;
}

/* v x 10^n. */
static inline long double scaled(long double v, int n) {
    int up = n < 0 ? -n : n;
    long double factor = up < POWERS ? powers[up] : power_of_ten(up);
    return n < 0 ? v / factor : v * factor;
}

/* 10^e <= v < 10^(e+1), v above 0. Each step is one power, so that nothing is lost on the way. */
static int exponent_of(long double v) {
    int e = 0;
    while (e < 308 && v >= scaled(10, e)) {
        e++;
    }
    while (e > -324 && v < scaled(1, e)) {
        e--;
    }
    return e;
}

/* The first digits of v, rounded: 10^(count-1) to 10^count. */
static uint64_t first_digits(double v, int e, unsigned count) {
    return (uint64_t)(scaled(v, (int)count - 1 - e) + 0.5L);
}

/* With a margin, since the way back is rounded as well. */
static bool reads_back(double v, uint64_t digits, int power) {
    long double apart = scaled((long double)digits, power) - v;
    return (double)(v + apart * 1.01L) == v;
}

static void put_plain(struct buf *b, uint64_t digits, unsigned count, int e) {
    int decimals = (int)count - 1 - e;
    if (decimals > 18) {
        buf_text(b, "0.");
        buf_fill(b, '0', (size_t)(-e - 1));
        buf_u64(b, digits);
    } else if (decimals > 0) {
        buf_decimal(b, (int64_t)digits, (unsigned)decimals);
    } else {
        buf_u64(b, digits);
        buf_fill(b, '0', (size_t)-decimals);
    }
}

static void put_positive(struct buf *b, double v) {
    int e = exponent_of(v);
    unsigned count = DIGITS_SURE;
    uint64_t digits = first_digits(v, e, count);
    while (count < DIGITS_MOST && !reads_back(v, digits, e + 1 - (int)count)) {
        digits = first_digits(v, e, ++count);
    }
    while (digits % 10 == 0) {
        digits /= 10;
        count--;
    }
    /* Rounded up to the next power of ten, which is one zero more. */
    if (count == 0) {
        count = 1;
        e++;
    }
    if (e >= PLAIN_MIN && e <= PLAIN_MAX) {
        put_plain(b, digits, count, e);
        return;
    }
    buf_decimal(b, (int64_t)digits, count - 1);
    buf_char(b, 'e');
    buf_i64(b, e);
}

void put_double(struct buf *b, double v) {
    if (v - v != 0) { /* NaN and infinities: only they differ from themselves */
        buf_text(b, "null");
    } else if (v == 0) {
        buf_char(b, '0');
    } else {
        buf_text(b, v < 0 ? "-" : "");
        put_positive(b, v < 0 ? -v : v);
    }
}
