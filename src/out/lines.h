/* Lines for people: text made to fit, ASCII where it must be, and flowing over several lines. */
#ifndef OUT_LINES_H
#define OUT_LINES_H

#include "gwtop/grid.h"

/* How lines look. */
struct look {
    bool unicode;
    bool color; /* SGR sequences for roles */
};

/* `s`; without unicode each character outside ASCII is '?' as often as it takes columns. */
void line_text(struct buf *b, struct span s, bool unicode);
/* `s` in the look of its role. */
void line_role(struct buf *b, struct span s, enum role role, struct look look);
/* `s` with blanks after (left) or before it, up to `columns` in all; longer text is not cut. */
void line_padded(struct buf *b, struct span s, size_t columns, bool left, bool unicode);
/* Ends the line; blanks before its end are taken back. */
void line_end(struct buf *b);
/* "2026-03-01T14:22:05Z", cut to the second. */
void line_utc(struct buf *b, int64_t real_ns);

/* Items one after another, going on in a new line with an indent where the next would not fit. */
struct flow {
    struct buf *b;
    size_t width; /* 0: unlimited */
    size_t indent;
    struct look look;
    size_t at; /* columns written in this line */
};
/* `gap` blanks stand before it where it does not begin a line. */
void flow_item(struct flow *f, size_t gap, struct span item, enum role role);

#endif
