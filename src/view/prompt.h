/*
 * Prompts: lines that take letters at the status line, with a cursor in them.
 */
#ifndef GWTOP_VIEW_PROMPT_H
#define GWTOP_VIEW_PROMPT_H

#include "gwtop/grid.h"
#include "gwtop/table.h"

struct ui;

#define PROMPT_MAX 511 /* bytes; as long as a filter may be in the settings */
struct prompt {
    char text[PROMPT_MAX]; /* clean UTF-8 */
    uint32_t n;
    uint32_t at; /* bytes before the cursor */
    bool failed; /* nothing found, or not a time */
    int row;     /* of the cursor at the last render */
    int column;
};

/* The filter while it is written: what is shown changes with it as soon as it can be read. */
struct filter_line {
    struct prompt line;
    struct filter before; /* what Esc goes back to */
    char why[120];        /* why it cannot be read; "" where it can */
};

/* Puts the text there and the cursor behind it. */
void prompt_set(struct prompt *p, struct span text);
/* Letters, arrows and the keys that delete; false for other keys. */
bool prompt_edit(struct prompt *p, uint32_t key);
/* Draws the line with the cursor in sight, and leaves `behind` columns free where it can; gives the column behind. */
int prompt_draw(struct grid *g, int row, const char *label, struct prompt *p, int behind);
/* The text and its cursor alone, in `room` columns from `start` on; likewise. */
int prompt_draw_at(struct grid *g, int row, int start, int room, struct prompt *p);
/* "gpu>5", as it was written. */
struct span filter_text(const struct ui *ui);

#endif
