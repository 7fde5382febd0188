/*
 * Numbers for people: sizes and durations of bounded width, and the one multiplication that must
 * not overflow in the middle. Pure.
 */
#include "gwtop/base.h"

#include <string.h>

#define NS_PER_CS UINT64_C(10000000)

/* Appends `v` with at least `digits` digits; gives the new length. */
static size_t put(char *out, size_t n, uint64_t v, unsigned digits) {
    char text[20];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0 || sizeof text - at < digits);
    memcpy(out + n, text + at, sizeof text - at);
    return n + sizeof text - at;
}

static size_t put_end(char *out, size_t n, char unit) {
    if (unit) {
        out[n++] = unit;
    }
    out[n] = '\0';
    return n;
}

size_t human_bytes(char out[8], uint64_t bytes) {
    static const char units[] = "BKMGTPE";
    if (bytes < 1024) {
        return put_end(out, put(out, 0, bytes, 1), bytes ? 'B' : '\0');
    }
    for (unsigned i = 1;; i++) {
        unsigned shift = i * 10;
        uint64_t half = UINT64_C(1) << (shift - 1);
        uint64_t whole = bytes >> shift;
        uint64_t rest = bytes & (half * 2 - 1);
        /* rest < 2^60, so that ten times it and a half more stay below 2^64. */
        uint64_t tenths = whole * 10 + ((rest * 10 + half) >> shift);
        if (whole < 10 && tenths < 100) {
            size_t n = put(out, 0, tenths / 10, 1);
            out[n++] = '.';
            return put_end(out, put(out, n, tenths % 10, 1), units[i]);
        }
        whole += rest >= half ? 1 : 0;
        if (whole < 1024) {
            return put_end(out, put(out, 0, whole, 1), units[i]);
        }
    }
}

size_t human_time(char out[12], uint64_t ns) {
    uint64_t cs = ns / NS_PER_CS;
    uint64_t s = cs / 100;
    uint64_t hours = s / 3600;
    size_t n;
    if (s < 600) {
        n = put(out, 0, s / 60, 1);
        out[n++] = ':';
        n = put(out, n, s % 60, 2);
        out[n++] = '.';
        return put_end(out, put(out, n, cs % 100, 2), '\0');
    }
    if (hours == 0) {
        n = put(out, 0, s / 60, 1);
        out[n++] = ':';
        return put_end(out, put(out, n, s % 60, 2), '\0');
    }
    if (hours < 24) {
        n = put_end(out, put(out, 0, hours, 1), 'h');
        return put_end(out, put(out, n, s / 60 % 60, 2), '\0');
    }
    n = put_end(out, put(out, 0, hours / 24, 1), 'd');
    if (hours / 24 >= 10000) {
        return n;
    }
    return put_end(out, put(out, n, hours % 24, 2), 'h');
}

/* The full 128-bit product as two words, by 32-bit halves. */
static void multiply(uint64_t a, uint64_t b, uint64_t *hi, uint64_t *lo) {
    uint64_t al = a & UINT32_MAX, ah = a >> 32;
    uint64_t bl = b & UINT32_MAX, bh = b >> 32;
    uint64_t low = al * bl;
    uint64_t mid = ah * bl + (low >> 32);
    uint64_t mid2 = al * bh + (mid & UINT32_MAX);
    *hi = ah * bh + (mid >> 32) + (mid2 >> 32);
    *lo = mid2 << 32 | (low & UINT32_MAX);
}

/* One digit to base 2^32 of the long division by `c`, whose top bit is set: takes the next 32 bits
 * `next` down to `*rest` (< c) and leaves the new rest. The guess from the upper half of c is at most
 * 2 too large. */
static uint64_t divide_digit(uint64_t *rest, uint64_t next, uint64_t c) {
    uint64_t upper = c >> 32, lower = c & UINT32_MAX;
    uint64_t digit = *rest / upper;
    uint64_t left = *rest % upper;
    while (left >> 32 == 0 && (digit >> 32 != 0 || digit * lower > (left << 32 | next))) {
        digit--;
        left += upper;
    }
    *rest = (*rest << 32 | next) - digit * c;
    return digit;
}

/* hi:lo / c for 0 < hi < c, so that the quotient fits. */
static uint64_t divide(uint64_t hi, uint64_t lo, uint64_t c, uint64_t *rest) {
    unsigned shift = 0;
    for (; c >> 63 == 0; shift++) {
        c <<= 1;
        hi = hi << 1 | lo >> 63;
        lo <<= 1;
    }
    uint64_t quotient = divide_digit(&hi, lo >> 32, c) << 32;
    quotient |= divide_digit(&hi, lo & UINT32_MAX, c);
    *rest = hi >> shift;
    return quotient;
}

uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t hi, lo, rest;
    if (c == 0) {
        return 0;
    }
    multiply(a, b, &hi, &lo);
    if (hi >= c) {
        return UINT64_MAX;
    }
    rest = lo % c;
    uint64_t quotient = hi == 0 ? lo / c : divide(hi, lo, c, &rest);
    bool up = rest >= c - rest;
    return up && quotient < UINT64_MAX ? quotient + 1 : quotient;
}
