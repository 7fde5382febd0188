/*
 * grid: a screen in memory: rows x columns of cells with a role each, no terminal in sight. What is
 * drawn outside is cut off; a wide character that would be cut in half becomes a blank. Pure. Door of
 * the room `table`, used by view and term.
 */
#ifndef GWTOP_GRID_H
#define GWTOP_GRID_H

#include "gwtop/base.h"

/* What a cell means; the theme in term says how it looks. A role is never the only carrier of meaning. */
#define ROLE_LIST(X)                                                                               \
    X(NORMAL) X(DIM) X(TITLE) X(LABEL) X(VALUE) X(HEADER) X(HEADER_SORT) X(SELECTED) X(EXITED)     \
    X(OWN) X(BAR_GRAPHICS) X(BAR_COMPUTE) X(BAR_MEDIA) X(BAR_COPY) X(BAR_MEMORY) X(BAR_EMPTY)      \
    X(GOOD) X(WARN) X(BAD) X(KEY) X(KEY_LABEL) X(STATUS) X(SEARCH) X(HELP) X(PROGRESS)
enum role {
#define ROLE_ENUM(name) ROLE_##name,
    ROLE_LIST(ROLE_ENUM)
#undef ROLE_ENUM
        ROLE_COUNT
};
const char *role_name(enum role r);

struct cell {
    char bytes[13]; /* one grapheme cluster, cut to whole code points */
    uint8_t len;    /* 0: the right half of a wide character */
    uint8_t columns; /* 1 or 2 */
    uint8_t role;
};

struct grid {
    struct cell *cells; /* rows * columns, row by row */
    int rows;
    int columns;
    uint32_t cap;
};

/* A zeroed grid is a grid of 0 x 0. */
void grid_finish(struct grid *g);
/* New size (each 0..4096), all blank; keeps memory. ERR_NOMEM leaves 0 x 0. */
enum err grid_resize(struct grid *g, int rows, int columns);
void grid_clear(struct grid *g);
/* Draws clean UTF-8 from (row, column) on, up to `max` columns (negative: to the edge); returns the
 * column after the last drawn. Any coordinates are allowed. */
int grid_text(struct grid *g, int row, int column, int max, enum role role, struct span text);
/* `n` copies of one character. */
void grid_fill(struct grid *g, int row, int column, int n, enum role role, const char *glyph);
/* Changes the role of a stretch. */
void grid_role(struct grid *g, int row, int column, int n, enum role role);
const struct cell *grid_at(const struct grid *g, int row, int column); /* NULL outside */
/* Appends the text of the whole grid, trailing blanks cut, each line ended by '\n'. */
void grid_dump(const struct grid *g, struct buf *out);

#endif
