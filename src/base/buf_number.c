/*
 * Numbers into a buffer without printf: no locale can turn the point into a comma, and a tick that
 * writes thousands of them stays cheap. Pure.
 */
#include "gwtop/base.h"

#include <string.h>

#define U64_DIGITS 20
#define POWER_MAX  18

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

static const uint64_t powers_of_ten[POWER_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

/* Writes the digits of `v` so that they end before `end`; gives where they start. */
static char *digits_before(char *end, uint64_t v) {
    while (v >= 100) {
        end -= 2;
        memcpy(end, digit_pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (v >= 10) {
        end -= 2;
        memcpy(end, digit_pairs + v * 2, 2);
    } else {
        *--end = (char)('0' + v);
    }
    return end;
}

/* |v|, also for INT64_MIN. */
static uint64_t magnitude(int64_t v) {
    return v < 0 ? UINT64_C(0) - (uint64_t)v : (uint64_t)v;
}

void buf_u64(struct buf *b, uint64_t v) {
    char text[U64_DIGITS];
    char *start = digits_before(text + sizeof text, v);
    buf_put(b, start, (size_t)(text + sizeof text - start));
}

void buf_i64(struct buf *b, int64_t v) {
    char text[U64_DIGITS + 1];
    char *start = digits_before(text + sizeof text, magnitude(v));
    if (v < 0) {
        *--start = '-';
    }
    buf_put(b, start, (size_t)(text + sizeof text - start));
}

void buf_hex(struct buf *b, uint64_t v, unsigned digits) {
    char text[16];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[v & 15];
        v >>= 4;
    } while (v != 0);
    size_t n = sizeof text - at;
    buf_fill(b, '0', digits > n ? digits - n : 0);
    buf_put(b, text + at, n);
}

/* Writes mag x 10^-power with exactly `power` decimals (<= POWER_MAX). */
static void put_point(struct buf *b, bool negative, uint64_t mag, unsigned power) {
    char text[U64_DIGITS + POWER_MAX + 2];
    char *end = text + sizeof text;
    char *start = end;
    if (power > 0) {
        char *want = end - power;
        start = digits_before(end, mag % powers_of_ten[power]);
        while (start > want) {
            *--start = '0';
        }
        *--start = '.';
        mag /= powers_of_ten[power];
    }
    start = digits_before(start, mag);
    if (negative) {
        *--start = '-';
    }
    buf_put(b, start, (size_t)(end - start));
}

/* Beyond 18 decimals the text form would only add digits that no reader keeps. */
static uint64_t limit_power(uint64_t mag, unsigned *power) {
    for (; *power > POWER_MAX && mag != 0; (*power)--) {
        mag /= 10;
    }
    if (mag == 0) {
        *power = 0;
    }
    return mag;
}

void buf_decimal(struct buf *b, int64_t v, unsigned power) {
    uint64_t mag = limit_power(magnitude(v), &power);
    while (power > 0 && mag % 10 == 0) {
        mag /= 10;
        power--;
    }
    put_point(b, v < 0 && mag != 0, mag, power);
}

/* A value that rounds to zero loses its sign: "-0.0" would claim a direction that is not shown. */
void buf_fixed(struct buf *b, int64_t v, unsigned power, unsigned decimals) {
    uint64_t mag = limit_power(magnitude(v), &power);
    if (decimals < power) {
        uint64_t unit = powers_of_ten[power - decimals];
        mag = (mag + unit / 2) / unit;
        power = decimals;
    }
    put_point(b, v < 0 && mag != 0, mag, power);
    if (power == 0 && decimals > 0) {
        buf_char(b, '.');
    }
    buf_fill(b, '0', decimals - power);
}
