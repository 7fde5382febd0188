/*
 * What the files of the strip share: the gauges of a device (engines and memory), the things that
 * stand in its line, and its note, which says what holds it back or keeps it awake. The device
 * screen draws with them too.
 */
#ifndef GWTOP_VIEW_STRIP_H
#define GWTOP_VIEW_STRIP_H

#include "ui.h"

enum form { FORM_SUMMARY, FORM_COMPACT, FORM_FULL };

/* True if the options and keys let the device through. */
bool strip_shows(const struct ui *ui, const struct snapshot *s, uint32_t d);
/* Why nothing is read of the device; NULL where it is. */
const char *strip_state_words(const struct snap_device *d);

int strip_number_columns(const struct snapshot *s);

/* ---- compact.c: a line for a device ---------------------------------------------------------- */

/* Columns of the bar, its value and the gap behind, from `column` on. */
int compact_columns(const struct ui *ui, const struct grid *g, int column);
struct items;
/* Gives the rows taken: one. */
int compact_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                 int column, const struct items *fit);

/* ---- picks.c: which devices have a line while others have none ------------------------------- */

/* The busiest `count` of those that are shown; one stays until another is busier by far. */
void picks_choose(struct ui *ui, const struct snapshot *s, uint32_t count);
bool picks_has(const struct ui *ui, const struct snapshot *s, uint32_t d);

/* ---- summary.c: a cell for a device ---------------------------------------------------------- */

/* Rows that the devices which are not picked want, of `most`: 0 to 2. */
int summary_rows(const struct ui *ui, const struct snapshot *s, const struct grid *g, int most);
/* Draws them; gives the rows taken. */
int summary_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most);

/* ---- gauges.c -------------------------------------------------------------------------------- */

#define GAUGES_MOST 16

/* An engine class with a bar, or a region class with a bar where its size is known. */
struct gauge {
    char label[8];
    struct value value; /* % x 10^-4, or bytes */
    struct value whole; /* bytes; of memory */
    uint8_t role;
    uint8_t class; /* enum engine_class, NONE of all together; of memory enum region_class */
    bool is_memory;
    bool is_rough;  /* bytes that stand in for others */
    bool is_sensor; /* said by the device itself, not added up from its clients */
};

struct gauges {
    struct gauge list[GAUGES_MOST]; /* engines, then memory */
    int engines;
    int count;
    bool has_sensor; /* of an engine */
};

/* How gauges stand side by side: engines at the left, memory at the right of them. */
struct shape {
    int rows;
    int engine_columns;
    int columns; /* of both */
    int width;   /* of one, in columns of the screen */
};

void gauges_collect(const struct snapshot *s, const struct snap_device *d, struct gauges *out);
/* How a bar or a plot of the class is drawn. */
enum role gauge_role(enum engine_class c);
/* The fewest rows in so many columns of the screen. */
struct shape gauges_shape(const struct gauges *gauges, int columns);
/* Draws all of them from `row` on. */
void gauges_draw(struct ui *ui, struct grid *g, int row, const struct gauges *gauges,
                 struct shape shape);
/* "5.1G/16G". */
void gauge_put_memory(struct buf *b, const struct gauge *e);

/* ---- items.c --------------------------------------------------------------------------------- */

/* Columns of each item, the same for all devices, so that they stand in line; 0: left out. */
struct items {
    uint8_t width[ITEMS_MOST];
};

/* Chooses items for lines of which `room` columns are left. */
void items_fit(struct ui *ui, const struct snapshot *s, enum form form, int room,
               struct items *out);
/* Draws the items of a device and its note. */
void items_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                uint32_t d, enum form form, const struct items *fit);

/* ---- note.c ---------------------------------------------------------------------------------- */

/* Appends what is to be said of the device beside its numbers, in the longest words that fit in
 * `width` columns; nothing where none do, or where there is nothing to be said. */
enum role note_put(const struct snapshot *s, uint32_t d, int width, struct buf *b);
/* Columns that it takes at least; 0: nothing to be said. */
int note_least(const struct snapshot *s, uint32_t d);
/* Whether the process is one of those that keep the device awake. */
bool note_is_holder(const struct snap_process *p, uint32_t d);

#endif
