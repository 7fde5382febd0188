/*
 * Where a cell stands in its column: numbers at the right, and never so that two columns touch. Pure.
 */
#include "field.h"

#define DOUBT_MARK '~'

/* A number with its mark. */
static bool is_marked(enum column c, struct span text) {
    bool number = !column_info(c)->left && table_format(c) != FORMAT_DIGITS;
    return number && text.n > 1 && text.p[text.n - 1] == DOUBT_MARK;
}

/* Whether the column that comes next leaves its first place blank. */
static bool is_blank_after(const struct snapshot *s, struct row r, const struct column_set *set,
                           unsigned at, bool unicode, struct buf *out) {
    enum column next = (enum column)set->list[at + 1];
    if (next == COLUMN_COMMAND) {
        return false;
    }
    size_t start = out->n, lead;
    (void)table_place(s, r, set, at + 1, column_set_width(set, at + 1), unicode, out, &lead);
    bool blank = lead > 0 || out->n == start;
    out->n = start;
    return blank;
}

enum role table_place(const struct snapshot *s, struct row r, const struct column_set *set,
                      unsigned at, size_t width, bool unicode, struct buf *out, size_t *lead) {
    enum column c = (enum column)set->list[at];
    bool is_text = column_info(c)->left || table_format(c) == FORMAT_DIGITS;
    bool may_hang = at + 1u < set->count && !is_text;
    size_t start = out->n;
    enum role role = table_cell(s, r, c, unicode, width + may_hang, out);
    struct span text = span_skip(buf_span_of(out), start);
    size_t n = text_columns(text);
    if (may_hang && is_marked(c, text)) {
        if (is_blank_after(s, r, set, at, unicode, out)) {
            n--;
        } else {
            out->n = start;
            role = table_cell(s, r, c, unicode, width, out);
            n = text_columns(span_skip(buf_span_of(out), start));
        }
    }
    *lead = column_info(c)->left || n >= width ? 0 : width - n;
    return role;
}
