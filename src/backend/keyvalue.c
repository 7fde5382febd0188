/* Decoding of "key: value unit" lines, shared by the backends. Pure; linear in the text. */
#include "keyvalue.h"

#include <string.h>

struct unit_word {
    char text[4];
    uint32_t factor;
};

/* What each quantity may be written in; an empty word is no word. The usual one stands first. */
static const struct unit_word plain_units[] = {{"", 1}};
static const struct unit_word ns_units[] = {{"ns", 1}};
/* kB: amdgpu of Linux 5.14, and /proc. */
static const struct unit_word byte_units[] = {
    {"KiB", 1u << 10}, {"", 1}, {"MiB", 1u << 20}, {"GiB", 1u << 30}, {"kB", 1u << 10}};
static const struct unit_word hz_units[] = {{"Hz", 1}, {"", 1}, {"MHz", 1000000}, {"KHz", 1000}};

#define LIST(list)                                                                                 \
    { list, sizeof(list) / sizeof(list[0]) }
static const struct {
    const struct unit_word *units;
    size_t count;
} quantities[] = {
    [KEYVALUE_PLAIN] = LIST(plain_units),
    [KEYVALUE_NS] = LIST(ns_units),
    [KEYVALUE_BYTES] = LIST(byte_units),
    [KEYVALUE_HZ] = LIST(hz_units),
};
#undef LIST

/* 0 for a word that this quantity does not know. */
static uint64_t factor_of(enum keyvalue_quantity q, const char *word, size_t n) {
    char text[4] = "";
    if (n >= sizeof(text))
        return 0;
    for (size_t i = 0; i < n; i++)
        text[i] = word[i];
    for (size_t i = 0; i < quantities[q].count; i++)
        if (memcmp(quantities[q].units[i].text, text, sizeof(text)) == 0)
            return quantities[q].units[i].factor;
    return 0;
}

enum err keyvalue_number(struct span value, enum keyvalue_quantity q, int64_t *out, uint64_t *raw) {
    const char *p = value.p;
    const char *end = value.p + value.n;
    uint64_t number = 0;
    while (p < end && *p >= '0' && *p <= '9')
        number = number * 10 + (uint64_t)(*p++ - '0');
    struct span digits = {value.p, (size_t)(p - value.p)};
    while (p < end && keyvalue_is_blank(*p))
        p++;
    uint64_t factor = factor_of(q, p, (size_t)(end - p));
    if (digits.n == 0 || factor == 0)
        return ERR_FORMAT;
    /* 19 digits always fit in 64 bits; more may be leading zeros. */
    if (digits.n > 19 && span_to_u64(digits, &number) != ERR_OK)
        return ERR_RANGE;
    if (number > (uint64_t)INT64_MAX / factor)
        return ERR_RANGE;
    *out = (int64_t)(number * factor);
    *raw = number;
    return ERR_OK;
}

enum reason keyvalue_reason(enum err e) {
    return e == ERR_RANGE ? REASON_OUT_OF_RANGE : REASON_BAD_NUMBER;
}

struct span keyvalue_clean(struct span s, char *out, size_t cap) {
    if (s.n <= cap && text_is_clean(s))
        return s;
    return (struct span){out, text_clean(out, cap, s)};
}
