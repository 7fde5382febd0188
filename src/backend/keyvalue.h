/*
 * keyvalue: "key: value unit" lines, as the kernel and our own collectors write them. Private to
 * the backends; pure. Nothing is copied: keys and values point into the text.
 */
#ifndef GWTOP_BACKEND_KEYVALUE_H
#define GWTOP_BACKEND_KEYVALUE_H

#include "gwtop/core.h"

/* Whether n bytes are the same. For few of them, as in keys and names: these take fewer steps than a
 * call of memcmp(). Words may overlap. */
static inline bool keyvalue_same(const char *a, const char *b, size_t n) {
    uint64_t a8, b8, a8_last, b8_last;
    uint32_t a4, b4, a4_last, b4_last;
    if (n >= 8) {
        memcpy(&a8, a, 8);
        memcpy(&b8, b, 8);
        memcpy(&a8_last, a + n - 8, 8);
        memcpy(&b8_last, b + n - 8, 8);
        return a8 == b8 && a8_last == b8_last && (n <= 16 || memcmp(a + 8, b + 8, n - 16) == 0);
    }
    if (n >= 4) {
        memcpy(&a4, a, 4);
        memcpy(&b4, b, 4);
        memcpy(&a4_last, a + n - 4, 4);
        memcpy(&b4_last, b + n - 4, 4);
        return a4 == b4 && a4_last == b4_last;
    }
    while (n > 0 && a[n - 1] == b[n - 1])
        n--;
    return n == 0;
}

/* One line of a text: what stands before its first colon and after it, without blanks, tabs and
 * '\r' around either. A last line without '\n' may be cut in the middle of a number: it is told
 * apart, and not to be used. */
enum keyvalue_line {
    KEYVALUE_END,
    KEYVALUE_PAIR,
    KEYVALUE_OTHER, /* no colon, or no key */
    KEYVALUE_CUT
};
struct keyvalue {
    struct span key;
    struct span value;
    struct span line; /* as it stands, without '\n' */
};

static inline bool keyvalue_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
static inline struct span keyvalue_trim(const char *p, const char *end) {
    while (p < end && keyvalue_is_blank(*p))
        p++;
    while (p < end && keyvalue_is_blank(end[-1]))
        end--;
    return (struct span){p, (size_t)(end - p)};
}

/* The next line. All of *out is set but at KEYVALUE_END; key and value are empty where there is
 * none. In full here, since it is most of what decoding such a text does. */
static inline enum keyvalue_line keyvalue_next(struct cursor *c, struct keyvalue *out) {
    const char *start = c->p;
    if (start == c->end)
        return KEYVALUE_END;
    const char *newline = memchr(start, '\n', (size_t)(c->end - start));
    const char *end = newline ? newline : c->end;
    const char *colon = memchr(start, ':', (size_t)(end - start));
    c->p = newline ? newline + 1 : end;
    out->line = (struct span){start, (size_t)(end - start)};
    out->key = colon ? keyvalue_trim(start, colon) : (struct span){start, 0};
    out->value = colon ? keyvalue_trim(colon + 1, end) : (struct span){end, 0};
    if (!newline)
        return KEYVALUE_CUT;
    return out->key.n > 0 ? KEYVALUE_PAIR : KEYVALUE_OTHER;
}

/* What a number counts; decides which unit words it may carry. */
enum keyvalue_quantity {
    KEYVALUE_PLAIN, /* none */
    KEYVALUE_NS,    /* ns, always written */
    KEYVALUE_BYTES, /* none is bytes; KiB MiB GiB kB (1024) */
    KEYVALUE_HZ     /* none is Hz; Hz KHz MHz */
};
/* An unsigned decimal number and its unit, nothing else. `*raw` is the number as written, `*out`
 * in ns, bytes, Hz. ERR_FORMAT: not such a number. ERR_RANGE: over 63 bits, also once scaled. Both
 * are set only on ERR_OK. */
enum err keyvalue_number(struct span value, enum keyvalue_quantity q, int64_t *out, uint64_t *raw);

/* What each quantity may be written in, the usual unit first, and what a number without any counts;
 * 0: it always bears one. Factors have at most 31 bits. */
struct keyvalue_unit {
    char word[4];
    uint32_t factor;
};
struct keyvalue_form {
    uint32_t bare;
    struct keyvalue_unit units[5];
};
extern const struct keyvalue_form keyvalue_forms[];

/* number x factor fits in 63 bits. */
static inline bool keyvalue_fits(uint64_t number, uint32_t factor) {
    return number >> 32 == 0 || number <= (uint64_t)INT64_MAX / factor;
}

/* keyvalue_number() for what usually stands between a colon and the end of a line: blanks, at most
 * 19 digits, and either nothing or one blank and the usual unit. True: *at is behind the line. False:
 * nothing is set, and nothing said about the number. The text has to end with '\n': that ends every
 * run here, so none looks for the end itself. */
static inline bool keyvalue_usual_number(const char **at, enum keyvalue_quantity q, int64_t *out,
                                         uint64_t *raw) {
    const char *p = *at;
    uint32_t factor = keyvalue_forms[q].bare;
    uint64_t number = 0;
    while (*p == '\t' || *p == ' ')
        p++;
    const char *first = p;
    for (unsigned digit; (digit = (unsigned)*p - '0') <= 9; p++)
        number = number * 10 + digit;
    ptrdiff_t digits = p - first;
    if (*p == ' ') {
        const struct keyvalue_unit *unit = &keyvalue_forms[q].units[0];
        size_t n = 0;
        for (p++; unit->word[n] != '\0' && *p == unit->word[n]; p++)
            n++;
        factor = unit->word[n] == '\0' ? unit->factor : 0;
    }
    if (*p != '\n' || digits == 0 || digits > 19 || factor == 0 || !keyvalue_fits(number, factor))
        return false;
    *at = p + 1;
    *out = (int64_t)(number * factor);
    *raw = number;
    return true;
}

/* The reason to count for a number that gave this error. */
enum reason keyvalue_reason(enum err e);

/* `s` as it may be handed on: itself where it is clean, else cleaned into out; at most `cap` bytes. */
struct span keyvalue_clean(struct span s, char *out, size_t cap);

#endif
