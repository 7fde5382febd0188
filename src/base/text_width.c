/*
 * Grapheme clusters and terminal columns. Pure.
 *
 * A cluster is as wide as its code points together, but at most 2: this agrees with what terminals
 * do for letters with marks, wide CJK, flags (two regional indicators) and joined emoji.
 */
#include "text.h"

#include <utf8proc.h>

/* What text_clean() would show as '?' takes the column of that '?'. utf8proc calls spacing marks and
 * the signs that stand before a number zero columns wide; terminals and libc give them one. */
static int code_columns(int32_t code) {
    const utf8proc_property_t *is = utf8proc_get_property(code);
    bool spacing =
        is->category == UTF8PROC_CATEGORY_MC ||
        (is->category == UTF8PROC_CATEGORY_CF && is->boundclass == UTF8PROC_BOUNDCLASS_PREPEND);
    return spacing || text_code_acts(code) ? 1 : utf8proc_charwidth(code);
}

/* ASCII at both sides cannot join: no need to ask for properties. */
static bool is_plain_start(struct span s) {
    return s.p[0] >= 0x20 && s.p[0] < 0x7f && (s.n == 1 || (unsigned char)s.p[1] < 0x80);
}

struct grapheme text_grapheme(struct span s) {
    int32_t code, next;
    utf8proc_int32_t state = 0;
    if (s.n == 0) {
        return (struct grapheme){0, 0};
    }
    if (is_plain_start(s)) {
        return (struct grapheme){1, 1};
    }
    size_t bytes = text_decode(s, &code);
    if (bytes == 0) {
        return (struct grapheme){1, 1};
    }
    int columns = code_columns(code);
    while (bytes < s.n) {
        size_t n = text_decode(span_skip(s, bytes), &next);
        if (n == 0 || utf8proc_grapheme_break_stateful(code, next, &state)) {
            break;
        }
        bytes += n;
        columns += columns < 2 ? code_columns(next) : 0;
        code = next;
    }
    return (struct grapheme){bytes, columns > 2 ? 2 : columns};
}

/* Printable ASCII at the start of which every byte is a cluster by itself: the last one may be
 * joined by what follows, unless that is ASCII too. */
static size_t plain_run(struct span s) {
    size_t n = text_ascii_run(s);
    bool may_join = n > 0 && n < s.n && (unsigned char)s.p[n] >= 0x80;
    return may_join ? n - 1 : n;
}

size_t text_columns(struct span s) {
    size_t columns = 0;
    while (s.n > 0) {
        size_t plain = plain_run(s);
        columns += plain;
        s = span_skip(s, plain);
        struct grapheme g = text_grapheme(s);
        columns += (size_t)g.columns;
        s = span_skip(s, g.bytes);
    }
    return columns;
}

struct span text_cut(struct span s, size_t columns) {
    struct span rest = s;
    while (rest.n > 0) {
        size_t plain = plain_run(rest);
        plain = plain < columns ? plain : columns;
        columns -= plain;
        rest = span_skip(rest, plain);
        struct grapheme g = text_grapheme(rest);
        if ((size_t)g.columns > columns) {
            break;
        }
        columns -= (size_t)g.columns;
        rest = span_skip(rest, g.bytes);
    }
    s.n -= rest.n;
    return s;
}

size_t text_find(struct span haystack, struct span needle) {
    for (size_t at = 0; needle.n > 0 && haystack.n - at >= needle.n; at++) {
        size_t i = 0;
        while (i < needle.n && char_lower(haystack.p[at + i]) == char_lower(needle.p[i])) {
            i++;
        }
        if (i == needle.n) {
            return at;
        }
    }
    return haystack.n;
}

bool text_contains(struct span haystack, struct span needle) {
    return needle.n == 0 || text_find(haystack, needle) < haystack.n;
}
