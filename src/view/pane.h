/*
 * What opens over the table. Each stands in a file of its own and as a line in panes.def. They lie on each
 * other: closing one shows the one below it.
 */
#ifndef GWTOP_VIEW_PANE_H
#define GWTOP_VIEW_PANE_H

#include "gwtop/view.h"

enum mode {
    MODE_TABLE, /* nothing is open */
#define PANE(name, ...) MODE_##name,
#include "panes.def"
#undef PANE
    MODE_COUNT
};

enum pane_place { PANE_WHOLE, PANE_SIDE, PANE_LINE };

struct pane {
    /* What a key does to it; false: nothing, then it is for the table, but for letters and what works beside a
     * whole pane. `out` is nothing unless it says something else. */
    bool (*key)(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out);
    /* Draws on `rows` rows (of a line: 1). Gives the columns taken where it stands at the side, else 0. The snapshot
     * may be NULL. */
    int (*draw)(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows);
    const char *bar;
    uint8_t place; /* enum pane_place */
};

/* NULL for MODE_TABLE. */
const struct pane *pane_of(enum mode mode);
/* Opens it over what is open; one that is open already comes to the top. */
void pane_open(struct ui *ui, enum mode mode);
/* Closes the one at the top. */
void pane_close(struct ui *ui);

#define PANE(name, function, ...)                                                                  \
    bool function##_key(struct ui *ui, uint32_t key, const struct snapshot *s,                     \
                        struct ui_command *out);                                                   \
    int function##_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows);
#include "panes.def"
#undef PANE

/* ---- menu.c: a list at the side to choose from ---------------------------------------------- */

struct menu {
    uint32_t at;
    uint32_t top;
    uint32_t room; /* lines in sight at the last render */
};
/* What a menu lists. */
struct menu_items {
    const char *title;
    int columns; /* wanted */
    uint32_t count;
    /* Appends the line of item `i`. */
    void (*put)(struct ui *ui, const struct snapshot *s, uint32_t i, struct buf *out);
};
/* Moves within `count` items by arrows, pages, ends; false for other keys. */
bool menu_key(struct menu *m, uint32_t count, uint32_t key);
/* Gives the columns taken. A press on an item chooses it before it is told as the key Enter. */
int menu_draw(struct ui *ui, struct menu *m, const struct menu_items *items,
              const struct snapshot *s, struct grid *g, int row, int rows);

/* ---- spots.c: what can be clicked ------------------------------------------------------------ */

enum spot_kind {
    SPOT_KEY,    /* value: the key that a click is */
    SPOT_LINE,   /* value: a line of the table */
    SPOT_COLUMN, /* value: enum column, of the header */
    SPOT_DEVICE, /* value: index */
    SPOT_ITEM, /* value: a line of the pane at the top; arrives as ui->clicked and the key Enter */
    SPOT_TIME  /* a place on the timeline: its share of the width is the share of the recording */
};
struct spot {
    int16_t row;
    int16_t column;
    int16_t columns;
    uint8_t kind;
    uint32_t value;
};
#define SPOTS_MOST 1024
struct spots {
    struct spot list[SPOTS_MOST]; /* of the last render; a later one lies over an earlier one */
    uint32_t count;
};
void spots_clear(struct ui *ui);
/* Left out where there are too many. */
void spot_add(struct ui *ui, enum spot_kind kind, uint32_t value, int row, int column, int columns);
/* NULL for none. */
const struct spot *spot_at(const struct ui *ui, int row, int column);

#endif
