/*
 * What the files of the counters screen share: what each counter was in the last ticks, and who
 * worked meanwhile.
 */
#ifndef GWTOP_VIEW_COUNTERS_H
#define GWTOP_VIEW_COUNTERS_H

#include "detail.h"

/* A place on the screen. */
struct pane {
    int row;
    int rows;
    int column;
    int width;
};

bool counter_is(unsigned metric);
/* The device's first counter from entry `i` of its metrics on; the count of these where there is none. */
uint32_t counter_next(const struct snapshot *s, const struct snap_device *d, uint32_t i);

/* Writes its value into the scratch text: where it is wider than `width` (a column of it is for what hangs) without its
 * unit, and shortened. */
enum role counter_text(struct ui *ui, const struct snap_metric *m, int width);

/* ---- history.c ------------------------------------------------------------------------------- */

/* Draws the last ticks of entry `i` of the device's metrics, the newest at the right: a column each. */
void history_draw(struct ui *ui, const struct snapshot *s, const struct snap_device *d, uint32_t i,
                  struct grid *g, int row, int column, int width);

/* ---- workers.c ------------------------------------------------------------------------------- */

/* Finds who worked on the device: processes with their contexts and tags, the busiest first. Gives how many
 * lines they take. */
uint32_t workers_find(struct ui *ui, const struct snapshot *s, uint32_t device);
/* Draws them, each with what is said of `metric` over its work. */
void workers_draw(struct ui *ui, const struct snapshot *s, struct grid *g, struct pane p,
                  unsigned metric);

#endif
