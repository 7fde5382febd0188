/*
 * Numbers of a filter, with the units that a column's cells are written in. Pure.
 */
#include "field.h"
#include "filter.h"

#define DIGITS_MOST 18

struct measure {
    const char *word;
    double factor;
};
#define UNITS_MOST 10

struct measures {
    const char *expected;
    bool any_case;
    struct measure list[UNITS_MOST]; /* up to the first without a word */
};

static const struct measures plain = {"expected a whole number", true, {{"", 1}}};
static const struct measures percent = {
    "expected a percentage, as 5 or 41.2%", true, {{"", 1e4}, {"%", 1e4}}};
static const struct measures bytes = {"expected an amount of memory, as 512M or 1.5G (B K M G T P)",
                                      true,
                                      {{"", 1},
                                       {"B", 1},
                                       {"K", 1024.0},
                                       {"M", 1048576.0},
                                       {"G", 1073741824.0},
                                       {"T", 1099511627776.0},
                                       {"P", 1125899906842624.0}}};
static const struct measures stretch = {"expected a time, as 90s or 5min (us ms s min h d)",
                                        true,
                                        {{"", 1e9},
                                         {"us", 1e3},
                                         {"ms", 1e6},
                                         {"s", 1e9},
                                         {"m", 60e9},
                                         {"min", 60e9},
                                         {"h", 3600e9},
                                         {"d", 86400e9}}};
static const struct measures amount = {"expected a number, as 5 or 1.2k (m k M G)",
                                       false,
                                       {{"", 1}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};

static const struct measures *units_of(enum format format) {
    switch (format) {
    case FORMAT_PERCENT:
    case FORMAT_WHOLE:
        return &percent;
    case FORMAT_BYTES:
        return &bytes;
    case FORMAT_TIME:
    case FORMAT_AGO:
        return &stretch;
    case FORMAT_AMOUNT:
        return &amount;
    default:
        return &plain;
    }
}

static bool is_word(struct span s, const char *word, bool any_case) {
    return any_case ? s.n == strlen(word) && text_contains(s, span_of(word)) : span_equals(s, word);
}

/* Digits, and some behind a point: all of them as one whole number, and what to divide it by. */
static bool take_digits(struct cursor *c, double *whole, double *divisor) {
    unsigned digits = 0;
    bool has_point = false;
    *whole = 0;
    *divisor = 1;
    for (; !cursor_at_end(c); c->p++) {
        char letter = *c->p;
        if (letter == '.' && !has_point && digits > 0) {
            has_point = true;
        } else if (letter >= '0' && letter <= '9' && digits < DIGITS_MOST) {
            digits++;
            *whole = *whole * 10 + (letter - '0');
            *divisor *= has_point ? 10 : 1;
        } else {
            break;
        }
    }
    return digits > 0;
}

static void cut_end(struct span *s, const char *end) {
    size_t n = strlen(end);
    if (s->n >= n && is_word(span_skip(*s, s->n - n), end, true)) {
        s->n -= n;
    }
}

/* What an amount may be written with, for what there is a prefix alone: "kW" is "k", "GiB" is "G". */
static void cut_name(struct span *unit, enum column c) {
    size_t n = unit->n;
    if (table_format(c) == FORMAT_BYTES && n > 1) {
        cut_end(unit, "B");
        cut_end(unit, "i");
    } else if (table_format(c) == FORMAT_AMOUNT) {
        cut_end(unit, column_title(c, true));
        cut_end(unit, unit->n == n ? column_title(c, false) : "");
        cut_end(unit, unit->n == n ? column_info(c)->key : "");
    }
}

bool filter_number(struct span word, enum column c, double *out, const char **expected) {
    const struct measures *units = units_of(table_format(c));
    struct cursor at = cursor_over(word);
    double whole, divisor;
    *expected = units->expected;
    if (!take_digits(&at, &whole, &divisor)) {
        return false;
    }
    struct span unit = {at.p, cursor_left(&at)};
    cut_name(&unit, c);
    for (unsigned i = 0; i < UNITS_MOST && units->list[i].word; i++) {
        if (is_word(unit, units->list[i].word, units->any_case)) {
            *out = whole * units->list[i].factor / divisor;
            return units != &plain || divisor <= 1;
        }
    }
    return false;
}
