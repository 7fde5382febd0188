/*
 * Plots: how high each tick is, which glyph a cell is then, and what a plot is measured against. Pure.
 */
#include "plot.h"

#include "ui.h"

#define DOTS    4 /* of a cell of braille, one above the other */
#define EIGHTHS 8
#define ZERO    "·"

enum plot_glyphs plot_glyphs_of(const struct ui *ui) {
    int64_t chosen = ui->settings.number[SETTING_GLYPHS];
    return !ui->o.unicode || chosen == PLOT_ASCII ? PLOT_ASCII
           : chosen == PLOT_BLOCK                 ? PLOT_BLOCK
                                                  : PLOT_BRAILLE;
}

uint32_t plot_ticks(enum plot_glyphs glyphs, int columns) {
    int64_t n = glyphs == PLOT_BRAILLE ? (int64_t)columns * 2 : columns;
    return n < 0 ? 0 : n > PLOT_MOST ? PLOT_MOST : (uint32_t)n;
}

/* ---- cells ----------------------------------------------------------------------------------- */

#define BLANK (-1)

/* Of `most`: nothing for a gap, 0 for 0, and at least 1 above it. */
static int height_of(int64_t v, int64_t full, int most) {
    if (v == PLOT_GAP) {
        return BLANK;
    }
    if (v <= 0) {
        return 0;
    }
    if (v >= full) {
        return most;
    }
    int height = (int)mul_div_u64((uint64_t)v, (uint64_t)most, (uint64_t)full);
    return height < 1 ? 1 : height;
}

/* Of a plot's height, what is in the cell that begins at `ground`. */
static int part_of(int height, int ground, int levels) {
    int part = height - ground;
    return part < 0 ? 0 : part > levels ? levels : part;
}

/* `back`: 0 the newest. */
static int64_t value_at(const struct plot *p, uint32_t back) {
    return back < p->count ? p->v[p->count - 1 - back] : PLOT_GAP;
}

/* Beside what is more, a 0 is drawn as the lowest dot too. */
static unsigned dots_of(int height, int ground, const uint8_t bits[DOTS]) {
    unsigned dots = 0;
    int part = height == 0 ? (ground == 0 ? 1 : 0) : part_of(height, ground, DOTS);
    for (int i = 0; i < part; i++) {
        dots |= bits[i];
    }
    return dots;
}

static void draw_braille(struct grid *g, int row, int column, int rows, int columns,
                         const struct plot *p) {
    static const uint8_t left[DOTS] = {0x40, 0x04, 0x02, 0x01};
    static const uint8_t right[DOTS] = {0x80, 0x20, 0x10, 0x08};
    for (int i = 0; i < columns && (uint32_t)i * 2 < p->count; i++) {
        int newer = height_of(value_at(p, (uint32_t)i * 2), p->full, rows * DOTS);
        int older = height_of(value_at(p, (uint32_t)i * 2 + 1), p->full, rows * DOTS);
        if (newer <= 0 && older <= 0) {
            /* No dots of braille, of which the lowest is a little. */
            draw_text(g, row + rows - 1, column + columns - 1 - i, 1, ROLE_DIM,
                      newer == 0 || older == 0 ? ZERO : " ");
            continue;
        }
        for (int r = 0; r < rows; r++) {
            unsigned dots = dots_of(older, r * DOTS, left) | dots_of(newer, r * DOTS, right);
            char text[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)), 0};
            if (dots) {
                draw_text(g, row + rows - 1 - r, column + columns - 1 - i, 1, p->role, text);
            }
        }
    }
}

static void draw_levels(struct grid *g, int row, int column, int rows, int columns,
                        const char *const glyphs[EIGHTHS + 1], const struct plot *p) {
    for (int i = 0; i < columns && (uint32_t)i < p->count; i++) {
        int height = height_of(value_at(p, (uint32_t)i), p->full, rows * EIGHTHS);
        int at = column + columns - 1 - i;
        if (height == 0) {
            draw_text(g, row + rows - 1, at, 1, ROLE_DIM, glyphs[0]);
        }
        for (int r = 0; r < rows && height > r * EIGHTHS; r++) {
            draw_text(g, row + rows - 1 - r, at, 1, p->role,
                      glyphs[part_of(height, r * EIGHTHS, EIGHTHS)]);
        }
    }
}

void plot_draw(struct grid *g, int row, int column, int rows, int columns, enum plot_glyphs glyphs,
               const struct plot *p) {
    static const char *const blocks[] = {ZERO, "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#", "@"};
    if (rows < 1) {
        return;
    }
    if (glyphs == PLOT_BRAILLE) {
        draw_braille(g, row, column, rows, columns, p);
    } else {
        draw_levels(g, row, column, rows, columns, glyphs == PLOT_BLOCK ? blocks : ascii, p);
    }
}

/* ---- scale ----------------------------------------------------------------------------------- */

/* The first step that is not below `most`. */
static int64_t step_above(int64_t most, bool by_two) {
    static const int64_t steps[] = {1, 2, 5, 10};
    int64_t unit = 1;
    while (by_two && unit < most) {
        if (unit > INT64_MAX / 2) {
            return INT64_MAX;
        }
        unit *= 2;
    }
    while (!by_two && unit <= INT64_MAX / 100 && unit * 10 <= most) {
        unit *= 10;
    }
    for (int i = 0; i < 4; i++) {
        if (unit > INT64_MAX / steps[i]) {
            break;
        }
        if (unit * steps[i] >= most) {
            return unit * steps[i];
        }
    }
    return INT64_MAX;
}

int64_t plot_scale_step(struct plot_scale *scale, int64_t most, uint64_t tick, bool by_two) {
    most = most < 1 ? 1 : most;
    bool is_new = tick != scale->tick;
    scale->tick = tick;
    if (most > scale->full) {
        scale->full = step_above(most, by_two);
        scale->calm = 0;
    } else if (most >= scale->full - scale->full / 2) {
        scale->calm = 0;
    } else if (is_new && ++scale->calm >= PLOT_CALM) {
        scale->full = step_above(most, by_two);
        scale->calm = 0;
    }
    return scale->full;
}

int64_t plot_highest(const int64_t *v, uint32_t count) {
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = v[i] > most ? v[i] : most; /* a gap is the lowest there is */
    }
    return most;
}
