/*
 * The header of the table: which columns are in sight, the one that keys are on, and what is told of it.
 */
#ifndef GWTOP_VIEW_HEADER_H
#define GWTOP_VIEW_HEADER_H

#include "gwtop/table.h"

struct ui;

struct head {
    uint8_t column;    /* enum column: the one that keys are on while the pane HEADER is open */
    uint8_t explained; /* the one that the pane EXPLAIN is about */
    uint8_t skip;      /* columns moved out at the left, behind the first one */
    struct column_set seen; /* at the last render */
    bool more;              /* at the last render columns were left out or cut at the right */
    uint32_t top;           /* of the pane EXPLAIN */
    uint32_t room;          /* likewise */
};

/* The columns to draw, and whether there are more of them. */
struct sight {
    struct column_set set;
    bool left; /* some are out of sight behind the first one */
    bool right;
};

/* ---- columns.c ------------------------------------------------------------------------------- */

/* Of the default set as many as fit, and what is sorted by in any case; of columns that were asked for all that fit
 * from the left on. */
struct sight columns_choose(struct ui *ui, const struct snapshot *s, int width);
/* Columns on the screen of the `i`th: COMMAND takes what the others leave. */
int columns_width(const struct column_set *set, unsigned i, int room);

/* ---- header.c -------------------------------------------------------------------------------- */

/* Puts the keys on the header. */
void header_open(struct ui *ui);
/* Opens the pane that says what the column is. */
void header_explain(struct ui *ui, enum column c);
/* What the column holds, for the status line: "GPU%: busy share ...". */
void header_put(const struct ui *ui, struct buf *b);

#endif
