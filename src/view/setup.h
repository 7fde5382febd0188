/*
 * The Setup screen: settings at the left, columns at the right. What is changed shows at once; the app writes it down
 * when asked.
 */
#ifndef GWTOP_VIEW_SETUP_H
#define GWTOP_VIEW_SETUP_H

#include "pane.h"
#include "prompt.h"

/* Columns as they stand in the list: each once, those that are shown and the others. */
struct column_choice {
    uint8_t order[COLUMN_COUNT];
    uint8_t width[COLUMN_COUNT]; /* by column; 0: its own */
    bool is_shown[COLUMN_COUNT]; /* by column */
    bool is_own;                 /* else as many as fit */
};

struct setup {
    struct menu settings;  /* `at`: enum setting; `top`: a line */
    struct menu columns;   /* `at`: 0 for "as many as fit", else a place of the order, from 1 */
    bool on_columns;       /* keys are for them */
    bool is_writing;       /* a value is written */
    bool is_made_readonly; /* here, and may be taken back */
    bool had_signals;      /* before that */
    struct prompt line;
    char why[160]; /* why it cannot be taken; "" for nothing */
    struct column_choice choice;
};

/* What keys elsewhere changed, as settings. */
void choices_collect(struct ui *ui);

/* ---- setup_columns.c ------------------------------------------------------------------------- */

/* Fills the list from what is shown now. */
void setup_columns_take(struct ui *ui, const struct snapshot *s);
/* False for other keys. */
bool setup_columns_key(struct ui *ui, uint32_t key, const struct snapshot *s);
void setup_columns_draw(struct ui *ui, struct grid *g, int row, int rows, int column, int width);
/* What the chosen one is. */
void setup_columns_put_doc(const struct ui *ui, struct buf *out);
/* Lines of the list. */
#define SETUP_COLUMN_LINES (COLUMN_COUNT + 1u)

/* ---- setup_draw.c ---------------------------------------------------------------------------- */

/* The heading of a part, which tells by more than colour where the keys go. */
void setup_heading(struct grid *g, int row, int column, int width, const char *title, bool is_on);

#endif
