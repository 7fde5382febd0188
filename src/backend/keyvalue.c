/* Decoding of "key: value unit" lines, shared by the backends. Pure; linear in the text. */
#include "keyvalue.h"

#include <string.h>

/* kB: amdgpu of Linux 5.14, and /proc. */
const struct keyvalue_form keyvalue_forms[] = {
    [KEYVALUE_PLAIN] = {1, {{"", 0}}},
    [KEYVALUE_NS] = {0, {{"ns", 1}}},
    [KEYVALUE_BYTES] =
        {1, {{"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}, {"kB", 1u << 10}}},
    [KEYVALUE_HZ] = {1, {{"Hz", 1}, {"MHz", 1000000}, {"KHz", 1000}}},
};

/* 0 for a word that this quantity does not know. */
static uint32_t factor_of(enum keyvalue_quantity q, struct span word) {
    const struct keyvalue_unit *u = keyvalue_forms[q].units;
    if (word.n == 0)
        return keyvalue_forms[q].bare;
    while (u->factor != 0 && !span_equals(word, u->word))
        u++;
    return u->factor;
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
    uint32_t factor = factor_of(q, (struct span){p, (size_t)(end - p)});
    if (digits.n == 0 || factor == 0)
        return ERR_FORMAT;
    /* 19 digits always fit in 64 bits; more may be leading zeros. */
    if (digits.n > 19 && span_to_u64(digits, &number) != ERR_OK)
        return ERR_RANGE;
    if (!keyvalue_fits(number, factor))
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
