/*
 * Lines for people. Pure: time of day is worked out from the number given, in UTC.
 */
#include "lines.h"

#define NS_PER_S   INT64_C(1000000000)
#define S_PER_DAY  INT64_C(86400)
#define DAYS_ERA   INT64_C(146097) /* 400 years */
#define DAYS_EPOCH INT64_C(719468) /* 0000-03-01 to 1970-01-01 */

void line_text(struct buf *b, struct span s, bool unicode) {
    while (s.n > 0) {
        struct grapheme g = text_grapheme(s);
        if (unicode || (g.bytes == 1 && (unsigned char)s.p[0] < 0x80)) {
            buf_put(b, s.p, g.bytes);
        } else {
            buf_fill(b, '?', (size_t)g.columns);
        }
        s = span_skip(s, g.bytes);
    }
}

/* Parameters of SGR; roles that are not here look plain. */
static const char *const sgr[ROLE_COUNT] = {
    [ROLE_DIM] = "2",           [ROLE_EXITED] = "2",       [ROLE_BAR_EMPTY] = "2",
    [ROLE_TITLE] = "1",         [ROLE_HEADER] = "1",       [ROLE_HEADER_SORT] = "1",
    [ROLE_GOOD] = "32",         [ROLE_WARN] = "33",        [ROLE_BAD] = "31",
    [ROLE_BAR_GRAPHICS] = "36", [ROLE_BAR_COMPUTE] = "35", [ROLE_BAR_MEDIA] = "33",
    [ROLE_BAR_COPY] = "34",     [ROLE_BAR_MEMORY] = "32",
};

void line_role(struct buf *b, struct span s, enum role role, struct look look) {
    const char *on = look.color && s.n > 0 && (unsigned)role < ROLE_COUNT ? sgr[role] : NULL;
    if (on) {
        buf_text(b, "\x1b[");
        buf_text(b, on);
        buf_char(b, 'm');
    }
    line_text(b, s, look.unicode);
    if (on) {
        buf_text(b, "\x1b[0m");
    }
}

void line_padded(struct buf *b, struct span s, size_t columns, bool left, bool unicode) {
    size_t taken = text_columns(s);
    size_t blanks = taken < columns ? columns - taken : 0;
    buf_fill(b, ' ', left ? 0 : blanks);
    line_text(b, s, unicode);
    buf_fill(b, ' ', left ? blanks : 0);
}

void line_end(struct buf *b) {
    while (b->n > 0 && b->p[b->n - 1] == ' ') {
        b->n--;
    }
    buf_char(b, '\n');
}

static void two_digits(struct buf *b, char before, int64_t v) {
    buf_char(b, before);
    buf_char(b, (char)('0' + v / 10 % 10));
    buf_char(b, (char)('0' + v % 10));
}

/* Years are counted from March, so that the leap day is the last one of a year. */
static void put_date(struct buf *b, int64_t days) {
    int64_t since = days + DAYS_EPOCH;
    int64_t era = (since >= 0 ? since : since - (DAYS_ERA - 1)) / DAYS_ERA;
    int64_t day = since - era * DAYS_ERA;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
    int64_t full = year + era * 400 + (month <= 2);
    buf_i64(b, full);
    two_digits(b, '-', month);
    two_digits(b, '-', of_year - (153 * from_march + 2) / 5 + 1);
}

void line_utc(struct buf *b, int64_t real_ns) {
    int64_t s = real_ns / NS_PER_S - (real_ns % NS_PER_S < 0);
    int64_t days = s / S_PER_DAY - (s % S_PER_DAY < 0);
    int64_t of_day = s - days * S_PER_DAY;
    put_date(b, days);
    two_digits(b, 'T', of_day / 3600);
    two_digits(b, ':', of_day / 60 % 60);
    two_digits(b, ':', of_day % 60);
    buf_char(b, 'Z');
}

void flow_item(struct flow *f, size_t gap, struct span item, enum role role) {
    size_t columns = text_columns(item);
    if (f->at > f->indent && f->width > 0 && f->at + gap + columns > f->width) {
        line_end(f->b);
        buf_fill(f->b, ' ', f->indent);
        f->at = f->indent;
    } else if (f->at > 0) {
        buf_fill(f->b, ' ', gap);
        f->at += gap;
    }
    line_role(f->b, item, role, f->look);
    f->at += columns;
}
