/*
 * Numbers into a buffer without printf: no locale can turn the point into a comma, and a tick that
 * writes thousands of them stays cheap. Pure.
 */
#include "gwtop/base.h"

#include <string.h>

#define U64_DIGITS 20
#define POWER_MAX  18
/* Sign, digits, point; of decimals each takes the place of a digit or a 0 before the number. */
#define NUMBER_MAX (U64_DIGITS + POWER_MAX + 2)

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

static const uint64_t powers_of_ten[U64_DIGITS] = {
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
    UINT64_C(10000000000000000000),
};

/* 1233/4096 is log10(2), near enough for 64 bits: from the bits follow the digits or one less. */
static unsigned count_digits(uint64_t v) {
    unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
    unsigned digits = bits * 1233 >> 12;
    return digits + ((v | 1) >= powers_of_ten[digits]);
}

/* Writes exactly `count` digits of `v`, which has no more, before `end`. */
static void digits_before(char *end, uint64_t v, unsigned count) {
    for (; count >= 2; count -= 2) {
        end -= 2;
        memcpy(end, digit_pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (count > 0) {
        end[-1] = (char)('0' + v);
    }
}

/* These write at `to` and give where the text ends. */

static char *put_digits(char *to, uint64_t v) {
    unsigned count = count_digits(v);
    digits_before(to + count, v, count);
    return to + count;
}

static char *put_sign(char *to, bool negative) {
    *to = '-';
    return to + negative;
}

/* |v|, also for INT64_MIN. */
static uint64_t magnitude(int64_t v) {
    return v < 0 ? UINT64_C(0) - (uint64_t)v : (uint64_t)v;
}

/* Where NUMBER_MAX bytes may be written, or NULL; end_at() then says how many they became. */
static char *room(struct buf *b) {
    return buf_reserve(b, NUMBER_MAX) ? b->p + b->n : NULL;
}

static void end_at(struct buf *b, const char *end) {
    b->n = (size_t)(end - b->p);
}

void buf_u64(struct buf *b, uint64_t v) {
    char *to = room(b);
    if (to) {
        end_at(b, put_digits(to, v));
    }
}

void buf_i64(struct buf *b, int64_t v) {
    char *to = room(b);
    if (to) {
        end_at(b, put_digits(put_sign(to, v < 0), magnitude(v)));
    }
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

/* mag x 10^-power with exactly `power` decimals (<= POWER_MAX). */
static char *put_point(char *to, bool negative, uint64_t mag, unsigned power) {
    to = put_digits(put_sign(to, negative), mag / powers_of_ten[power]);
    if (power > 0) {
        *to = '.';
        to += 1 + power;
        digits_before(to, mag % powers_of_ten[power], power);
    }
    return to;
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

/* Takes back decimals that say nothing, and the point if none is left. */
static char *without_zeros(char *end) {
    while (end[-1] == '0') {
        end--;
    }
    return end[-1] == '.' ? end - 1 : end;
}

void buf_decimal(struct buf *b, int64_t v, unsigned power) {
    if (v == 0 || power == 0) {
        buf_i64(b, v);
        return;
    }
    uint64_t mag = limit_power(magnitude(v), &power);
    char *to = room(b);
    if (to) {
        char *end = put_point(to, v < 0 && mag != 0, mag, power);
        end_at(b, power > 0 ? without_zeros(end) : end);
    }
}

/* A value that rounds to zero loses its sign: "-0.0" would claim a direction that is not shown. */
void buf_fixed(struct buf *b, int64_t v, unsigned power, unsigned decimals) {
    uint64_t mag = limit_power(magnitude(v), &power);
    if (decimals < power) {
        uint64_t unit = powers_of_ten[power - decimals];
        mag = (mag + unit / 2) / unit;
        power = decimals;
    }
    char *to = room(b);
    if (to) {
        end_at(b, put_point(to, v < 0 && mag != 0, mag, power));
    }
    if (power == 0 && decimals > 0) {
        buf_char(b, '.');
    }
    buf_fill(b, '0', decimals - power);
}
