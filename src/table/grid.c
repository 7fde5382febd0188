/*
 * The grid: rows x columns of cells in memory. Coordinates of any value are allowed everywhere;
 * what lies outside is cut. A wide character owns two cells, the right one with len 0: whoever
 * overwrites one half blanks the other. Pure.
 */
#include "gwtop/grid.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 4096

static const struct cell blank = {.bytes = " ", .len = 1, .columns = 1, .role = ROLE_NORMAL};

const char *role_name(enum role r) {
    static const char *const names[] = {
#define ROLE_TEXT(name) #name,
        ROLE_LIST(ROLE_TEXT)
#undef ROLE_TEXT
    };
    return (unsigned)r < ROLE_COUNT ? names[r] : "?";
}

void grid_finish(struct grid *g) {
    if (g) {
        free(g->cells);
        *g = (struct grid){0};
    }
}

static int side(int n) {
    return n < 0 ? 0 : n > SIDE_MAX ? SIDE_MAX : n;
}

enum err grid_resize(struct grid *g, int rows, int columns) {
    void *cells = g->cells;
    rows = side(rows);
    columns = side(columns);
    g->rows = 0;
    g->columns = 0;
    if (vec_reserve(&cells, &g->cap, (uint32_t)(rows * columns), sizeof *g->cells) != ERR_OK) {
        return ERR_NOMEM;
    }
    g->cells = cells;
    g->rows = rows;
    g->columns = columns;
    grid_clear(g);
    return ERR_OK;
}

void grid_clear(struct grid *g) {
    size_t n = (size_t)g->rows * (size_t)g->columns;
    for (size_t i = 0; i < n; i++) {
        g->cells[i] = blank;
    }
}

static bool is_inside(const struct grid *g, int row, int column) {
    return row >= 0 && row < g->rows && column >= 0 && column < g->columns;
}

static struct cell *cell_at(const struct grid *g, int row, int column) {
    return &g->cells[(size_t)row * (size_t)g->columns + (size_t)column];
}

const struct cell *grid_at(const struct grid *g, int row, int column) {
    return is_inside(g, row, column) ? cell_at(g, row, column) : NULL;
}

static void make_blank(struct cell *c) {
    uint8_t role = c->role;
    *c = blank;
    c->role = role;
}

/* Makes the cell free to be written: a wide character of which it is a half loses the other half. */
static void release(struct grid *g, int row, int column) {
    struct cell *c = cell_at(g, row, column);
    if (c->len == 0 && column > 0) {
        make_blank(cell_at(g, row, column - 1));
    }
    if (c->columns == 2 && column + 1 < g->columns) {
        make_blank(cell_at(g, row, column + 1));
    }
    make_blank(c);
}

/* The longest prefix of whole code points that a cell can hold. */
static size_t cut_cluster(struct span s) {
    size_t n = s.n;
    size_t room = sizeof((struct cell *)0)->bytes;
    if (n <= room) {
        return n;
    }
    n = room;
    while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

static void put(struct grid *g, int row, int column, enum role role, struct span cluster,
                int columns) {
    struct cell *c;
    if (!is_inside(g, row, column)) {
        return;
    }
    release(g, row, column);
    c = cell_at(g, row, column);
    c->role = (uint8_t)role;
    if (columns == 2) {
        if (column + 1 >= g->columns) {
            return;
        }
        release(g, row, column + 1);
        *cell_at(g, row, column + 1) = (struct cell){.columns = 1, .role = (uint8_t)role};
    }
    size_t n = cut_cluster(cluster);
    memset(c->bytes, 0, sizeof c->bytes);
    memcpy(c->bytes, cluster.p, n);
    c->len = (uint8_t)n;
    c->columns = (uint8_t)columns;
}

/* Where a stretch of `n` columns ends on the grid; wide, so that no coordinate overflows. */
static int stretch_end(const struct grid *g, int column, int n) {
    int64_t end = (int64_t)column + n;
    return end > g->columns ? g->columns : (int)end;
}

/* One cluster that begins left of `end`; gives its columns. What of a wide one stands outside is
 * cut, and the half that is left is a blank. */
static int put_cluster(struct grid *g, int row, int column, int end, enum role role,
                       struct span cluster, int columns) {
    static const struct span space = {" ", 1};
    if (!text_is_clean(cluster)) {
        put(g, row, column, role, (struct span){"?", 1}, 1);
        return 1;
    }
    if (columns == 2 && column + 1 == end) {
        put(g, row, column, role, space, 1);
    } else if (columns == 2 && column == -1) {
        put(g, row, 0, role, space, 1);
    } else {
        put(g, row, column, role, cluster, columns);
    }
    return columns;
}

int grid_text(struct grid *g, int row, int column, int max, enum role role, struct span text) {
    int end = max < 0 ? g->columns : stretch_end(g, column, max);
    if (row < 0 || row >= g->rows) {
        return column;
    }
    while (text.n > 0 && column < end) {
        struct grapheme c = text_grapheme(text);
        if (c.columns > 0) {
            column +=
                put_cluster(g, row, column, end, role, (struct span){text.p, c.bytes}, c.columns);
        }
        text = span_skip(text, c.bytes);
    }
    return column > end ? end : column;
}

void grid_fill(struct grid *g, int row, int column, int n, enum role role, const char *glyph) {
    int end = n > 0 ? stretch_end(g, column, n) : 0;
    for (int at = column < 0 ? 0 : column; at < end; at++) {
        put(g, row, at, role, span_of(glyph), 1);
    }
}

void grid_role(struct grid *g, int row, int column, int n, enum role role) {
    int end = n > 0 && row >= 0 && row < g->rows ? stretch_end(g, column, n) : 0;
    for (int at = column < 0 ? 0 : column; at < end; at++) {
        cell_at(g, row, at)->role = (uint8_t)role;
    }
}

/* Bytes of a row without the blanks at its end. */
static int row_used(const struct grid *g, int row) {
    int used = g->columns;
    while (used > 0) {
        const struct cell *c = cell_at(g, row, used - 1);
        if (c->len != 1 || c->bytes[0] != ' ') {
            break;
        }
        used--;
    }
    return used;
}

void grid_dump(const struct grid *g, struct buf *out) {
    for (int row = 0; row < g->rows; row++) {
        int used = row_used(g, row);
        for (int column = 0; column < used; column++) {
            const struct cell *c = cell_at(g, row, column);
            buf_put(out, c->bytes, c->len);
        }
        buf_char(out, '\n');
    }
}
