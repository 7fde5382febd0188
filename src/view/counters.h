/*
 * What the files of the counters screen share: what each counter was in the last ticks, and who
 * worked meanwhile.
 */
#ifndef GWTOP_VIEW_COUNTERS_H
#define GWTOP_VIEW_COUNTERS_H

#include "detail.h"

/* A place on the screen. */
struct area {
    int row;
    int rows;
    int column;
    int width;
};

/* ---- counter_list.c -------------------------------------------------------------------------- */

/* The device's first counter from entry `i` of its metrics on; the count of these where there is none. */
uint32_t counter_next(const struct snapshot *s, const struct snap_device *d, uint32_t i);
/* Lists the device's counters in ui->counters.list, but for raw ones that were 0 all the time, which are
 * counted; and finds the chosen one among them. */
void counters_list(struct ui *ui, const struct snapshot *s, const struct snap_device *d);
/* Writes its value into the scratch text: where it is wider than `width` (a column of it is for what hangs) without its
 * unit, but with its prefix, and shortened. */
enum role counter_text(struct ui *ui, const struct snap_metric *m, int width);
/* "55.0 %"; else as put_share(). */
void put_share_fine(struct buf *b, struct value ppm);
/* "1-19 of 67", from the first line in sight; nothing where all `count` are. */
void put_place(struct buf *b, uint32_t top, uint32_t room, uint32_t count);

/* ---- history_counters.c ---------------------------------------------------------------------- */

struct counter_key counter_key_of(const struct snapshot *s, const struct snap_device *d,
                                  uint32_t i);
bool counter_key_is(const struct counter_key *a, const struct counter_key *b);
/* Whether entry `i` of the device's metrics is 0, and was nothing else in all ticks that are kept. */
bool history_is_zero(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                     uint32_t i);
/* Draws the last ticks of entry `i` of the device's metrics, the newest at the right: a column each. */
void history_draw(struct ui *ui, const struct snapshot *s, const struct snap_device *d, uint32_t i,
                  struct grid *g, int row, int column, int width);

/* ---- standing.c ------------------------------------------------------------------------------ */

/* Before the lines of a tick are ordered, each in the order of the snapshot. */
void standings_begin(struct ui *ui, const struct snapshot *s, uint32_t device);
/* The busy share that the line is sorted by: the old one until `busy` was far from it for a while. `is_idle`: it had no
 * work for long. The rest of `who` says who it is. */
int64_t standing_of(struct ui *ui, const struct standing *who, struct value busy, bool *is_idle);

/* ---- workers.c ------------------------------------------------------------------------------- */

/* Finds who worked on the device: processes with their contexts and tags, the busiest first. Gives how many
 * lines they and what is to be said of them take. */
uint32_t workers_find(struct ui *ui, const struct snapshot *s, uint32_t device);
/* Draws them, each with what is said of `metric` over its work. */
void workers_draw(struct ui *ui, const struct snapshot *s, struct grid *g, struct area p,
                  unsigned metric);

#endif
