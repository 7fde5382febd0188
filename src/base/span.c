/*
 * Spans: borrowed bytes and the whole-span numbers. Pure. A span whose p is NULL counts as empty.
 */
#include "gwtop/base.h"

#include <string.h>

static bool is_trimmed(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span s) {
    while (s.n > 0 && is_trimmed(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && is_trimmed(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

/* So many digits fit in 64 bits, whichever they are. */
#define SURE_DIGITS 19

/* Takes the digit at `i` to what stands before it; false where there is none. */
static inline bool add_digit(struct span s, size_t i, uint64_t *v) {
    unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';
    *v = *v * 10 + digit;
    return digit <= 9;
}

/* A wrong character anywhere outweighs a number that is too long: the text is then no number at
 * all. */
enum err span_to_u64(struct span s, uint64_t *out) {
    uint64_t v = 0;
    bool over = false;
    size_t i = 0;
    for (; i < s.n && i < SURE_DIGITS; i++) {
        if (!add_digit(s, i, &v)) {
            return ERR_FORMAT;
        }
    }
    for (; i < s.n; i++) {
        uint64_t before = v;
        if (!add_digit(s, i, &v)) {
            return ERR_FORMAT;
        }
        over = over || before > UINT64_MAX / 10 || v < before * 10;
    }
    if (s.n == 0 || over) {
        return s.n == 0 ? ERR_FORMAT : ERR_RANGE;
    }
    *out = v;
    return ERR_OK;
}

/* A minus is the only sign: no producer that gwtop reads writes a plus. */
enum err span_to_i64(struct span s, int64_t *out) {
    bool negative = s.n > 0 && s.p[0] == '-';
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t v = 0;
    enum err e = span_to_u64(span_skip(s, negative ? 1 : 0), &v);
    if (e != ERR_OK) {
        return e;
    }
    if (v > limit) {
        return ERR_RANGE;
    }
    /* -(v - 1) - 1 reaches INT64_MIN without leaving the type. */
    *out = negative && v > 0 ? -(int64_t)(v - 1) - 1 : (int64_t)v;
    return ERR_OK;
}

/* 0..15, or 16 for what is no digit. */
static unsigned hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (unsigned)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (unsigned)(c - 'A') + 10;
    }
    return 16;
}

enum err span_to_hex64(struct span s, uint64_t *out) {
    uint64_t v = 0;
    bool over = false;
    if (span_starts(s, "0x") || span_starts(s, "0X")) {
        s = span_skip(s, 2);
    }
    if (s.n == 0) {
        return ERR_FORMAT;
    }
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = hex_digit(s.p[i]);
        if (digit > 15) {
            return ERR_FORMAT;
        }
        over = over || v >> 60 != 0;
        v = v << 4 | digit;
    }
    if (over) {
        return ERR_RANGE;
    }
    *out = v;
    return ERR_OK;
}
