/*
 * A series of numbers drawn into cells: the newest at the right, a filled area. Braille has two ticks and four
 * levels a cell, blocks and ASCII one tick and eight levels.
 */
#ifndef GWTOP_VIEW_PLOT_H
#define GWTOP_VIEW_PLOT_H

#include "gwtop/grid.h"

struct ui;

/* Nobody said anything in that tick: drawn as blank, where a 0 has a mark on the ground. */
#define PLOT_GAP  INT64_MIN
#define PLOT_MOST 1024 /* ticks that a plot may have */

/* As the choices of the setting `glyphs`. */
enum plot_glyphs { PLOT_BRAILLE, PLOT_BLOCK, PLOT_ASCII };

/* What the setting says and the terminal has. */
enum plot_glyphs plot_glyphs_of(const struct ui *ui);
/* Ticks that stand in so many columns: at most PLOT_MOST. */
uint32_t plot_ticks(enum plot_glyphs glyphs, int columns);

struct plot {
    const int64_t *v; /* the oldest first; PLOT_GAP for none, below 0 drawn as 0 */
    uint32_t count;   /* fewer than fit stand at the right, of more the newest */
    int64_t full; /* drawn as full, and all above it; not above 0: all that is above 0 is full */
    enum role role;
};
/* Draws on rows x columns cells of any size at any place. */
void plot_draw(struct grid *g, int row, int column, int rows, int columns, enum plot_glyphs glyphs,
               const struct plot *p);

/* What a plot without a limit of its own is measured against: steps of 1, 2 and 5 (`by_two`: powers of two, for bytes)
 * that go up at once, and down only after all in sight was below half for PLOT_CALM ticks. Zeroed: none yet. */
#define PLOT_CALM 8
struct plot_scale {
    int64_t full;
    uint64_t tick; /* the newest that was counted */
    uint8_t calm;  /* ticks in which all was below half */
};
/* `most`: the highest in sight; below 1 as 1. Gives what is full; to be asked once or more a tick. */
int64_t plot_scale_step(struct plot_scale *scale, int64_t most, uint64_t tick, bool by_two);
/* The highest of `count`; 0 where there is none. */
int64_t plot_highest(const int64_t *v, uint32_t count);

#endif
