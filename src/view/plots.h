/*
 * The plots between devices and table: of each device what its engines, its memory and its power were. One line at
 * the least, or several rows with a scale and a time axis.
 */
#ifndef GWTOP_VIEW_PLOTS_H
#define GWTOP_VIEW_PLOTS_H

#include "ui.h"

/* Draws from `row` on, by the setting `plots` and the size of the screen, and leaves of `most` rows enough for a table.
 * Gives the rows taken. */
int plots_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most);
/* The last ticks of a process's busy share, in `columns` cells of a row. Nothing for a row that is no process. */
void plots_draw_row(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                    int columns, struct row r);

/* plots_series.c: the name of a series, and a value of it as a person reads it. */
const char *plots_label(enum series which, char out[8]);
void plots_put(const struct ui *ui, enum series which, struct value v, struct buf *out);
enum role plots_role(enum series which);
/* What its plots are measured against: its limit, or steps of what is in sight. */
int64_t plots_full(struct history_device *d, enum series which, const int64_t *v, uint32_t count,
                   uint64_t tick);
/* Chooses what to show of a device, at most `most` of them, in the order of enum series. Gives how many. */
int plots_choose(const struct history_device *d, int most, uint8_t out[SERIES_COUNT]);

#endif
