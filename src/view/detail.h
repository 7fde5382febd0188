/*
 * The device screen as a run of lines: detail.c says what stands on them, sheet.c where. Wide
 * screens show it in several columns, each filled before the next.
 */
#ifndef GWTOP_VIEW_DETAIL_H
#define GWTOP_VIEW_DETAIL_H

#include "strip.h"

struct sheet {
    struct ui *ui;
    struct grid *g;
    const struct snapshot *s;
    const struct snap_device *d;
    int row; /* its first on the screen */
    int rows;
    int across; /* columns side by side, each `width` wide */
    int width;
    uint32_t top;  /* line that stands first */
    uint32_t line; /* lines begun */
    /* Of a line, from its left edge on; ends are the columns behind. */
    int label_end;
    int value_end;
    int bar; /* where a bar begins; there is none where this is 0 */
    int bar_end;
    int notes;
    /* Of the line begun last. */
    int at_row;
    int at_column;
    int behind; /* its value */
};

struct sheet sheet_over(struct ui *ui, struct grid *g, int row, int rows);
/* Begins a line; false where it is out of sight, and nothing must be drawn. */
bool sheet_next(struct sheet *sh);
/* Draws on the line, cut at `end` (columns from its left edge). Gives the column behind. */
int sheet_text(struct sheet *sh, int from, int end, enum role role, struct span text);
/* The scratch text as a value: right-aligned, with its "~" behind, and cut where it is too long. */
void sheet_value(struct sheet *sh, enum role role);
/* A bar in its place. */
void sheet_bar(struct sheet *sh, enum role role, int64_t share);
/* A heading on a line of its own, with an empty line before it; `more` is dim. */
void sheet_heading(struct sheet *sh, const char *text, struct span more);

/* Why there is no number, by its state. */
const char *sheet_why_not(unsigned state);
/* Why a number is not trusted. */
void sheet_put_doubts(struct buf *b, unsigned doubt);

/* ---- groups.c -------------------------------------------------------------------------------- */

enum group {
    GROUP_ACTIVITY,
    GROUP_CLOCKS,
    GROUP_TEMPERATURES,
    GROUP_POWER,
    GROUP_VOLTAGES,
    GROUP_FAN,
    GROUP_LINK,
    GROUP_MEMORY,
    GROUP_LIMITS,
    GROUP_RESIDENCIES,
    GROUP_COUNTERS,
    GROUP_VENDOR,
    GROUP_OTHER,
    GROUP_COUNT
};
struct metric_group {
    const char *title;
    const char *prefix;  /* of its metrics; not repeated in their names */
    const char *also[2]; /* prefixes of others that belong to it */
    uint8_t bar;         /* role of a bar */
    bool is_named;       /* a sample's own name says what it is */
};
const struct metric_group *group_at(unsigned group);
/* The metric's name without what the group's heading says. */
const char *group_metric_name(unsigned group, unsigned metric);
/* What stands behind `name` and a dot in a name that begins with these; NULL for others. */
const char *group_behind(const char *longer, const char *name);
/* The order and groups of all metrics there are. */
void groups_order(struct metric_place out[METRIC_COUNT]);

/* ---- limits.c -------------------------------------------------------------------------------- */

/* True for a metric that limits_draw() speaks of. */
bool limits_have(const struct metric_place *p);
/* `count`: how many entries the device has of each metric. */
void limits_draw(struct sheet *sh, const uint32_t *count);

/* ---- metrics.c ------------------------------------------------------------------------------- */

/* All lines of the device's metrics, group by group. */
void metrics_draw(struct sheet *sh);

#endif
