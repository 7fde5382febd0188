/*
 * The texts of pp_dpm_*:
 *
 *   0: 500Mhz *        a level; blanks at the end come and go, the star marks what is at work
 *   S: 19Mhz *         the level of deep sleep: a letter for its number
 *   1: 16.0GT/s, x8 306Mhz *
 *
 * Levels rise. Where the driver has a range and no table, it writes three lines: the least, the clock of the
 * moment, the most; the middle one, and a starred line of deep sleep, are no limits.
 */
#include "levels.h"

#include "../tell.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool take_clock(struct cursor *c, struct amd_level *out) {
    static const struct {
        const char *word;
        uint64_t hz;
    } units[] = {{"mhz", 1000000}, {"ghz", 1000000000}, {"khz", 1000}, {"hz", 1}};
    uint64_t billionths;
    if (!text_take_decimal(c, &billionths, &out->raw))
        return false;
    cursor_skip_blanks(c);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (text_take_word(c, units[i].word)) {
            out->value = (int64_t)mul_div_u64(billionths, units[i].hz, 1000000000);
            return true;
        }
    return false;
}

static bool take_link(struct cursor *c, struct amd_level *out) {
    uint64_t lanes;
    if (!text_take_speed(c, &out->value, &out->raw) || !text_take_word(c, ","))
        return false;
    cursor_skip_blanks(c);
    if (!text_take_word(c, "x") || cursor_u64(c, &lanes) != ERR_OK || lanes > 255)
        return false;
    out->lanes = (uint32_t)lanes;
    return true;
}

/* "12:" or "S:"; whether it is a letter. */
static bool take_index(struct cursor *c, bool *letter) {
    cursor_skip_blanks(c);
    const char *start = c->p;
    *letter = c->p < c->end && is_letter(*c->p);
    if (*letter)
        c->p++;
    while (!*letter && c->p < c->end && is_digit(*c->p))
        c->p++;
    bool some = c->p > start;
    bool whole = some && text_take_word(c, ":");
    cursor_skip_blanks(c);
    return whole;
}

static void put_limits(struct amd_levels *l, struct amd_level level) {
    if (!l->has_limits)
        l->least = level;
    l->most = level;
    l->has_limits = true;
}

static bool take_line(struct span line, bool is_link, struct amd_levels *l) {
    struct cursor c = cursor_over(line);
    struct amd_level level = {0};
    bool letter;
    if (!take_index(&c, &letter) || !(is_link ? take_link(&c, &level) : take_clock(&c, &level)))
        return false;
    bool starred = c.p < c.end && c.end[-1] == '*';
    l->count++;
    if (starred) {
        l->now = level;
        l->has_now = true;
    }
    if (!(starred && letter))
        put_limits(l, level);
    return true;
}

void amd_levels_parse(struct span text, bool is_link, struct amd_levels *out) {
    struct cursor c = cursor_over(text);
    struct span line;
    *out = (struct amd_levels){0};
    while (cursor_line(&c, &line)) {
        line = span_trim(line);
        if (line.n > 0 && !take_line(line, is_link, out))
            out->bad++;
    }
    if (out->has_limits && out->least.value > out->most.value) {
        struct amd_level swap = out->least;
        out->least = out->most;
        out->most = swap;
    }
}
