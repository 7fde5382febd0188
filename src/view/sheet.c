/*
 * Where the lines of the device screen stand. They are run through twice: once to count them, once
 * to draw those in sight. Pure.
 */
#include "detail.h"

#define ACROSS_LEAST 78 /* columns of each where several stand side by side */
#define GAP          2

struct sheet sheet_over(struct ui *ui, struct grid *g, int row, int rows) {
    int across = (g->columns + GAP) / (ACROSS_LEAST + GAP);
    struct sheet sh = {.ui = ui, .g = g, .row = row, .rows = rows};
    sh.across = across < 1 ? 1 : across;
    sh.width = (g->columns - GAP * (sh.across - 1)) / sh.across;
    if (sh.width < 60) {
        sh.label_end = sh.width > 40 ? 24 : sh.width / 2;
        sh.value_end = sh.label_end + 11 < sh.width ? sh.label_end + 11 : sh.width - 1;
        sh.notes = sh.value_end + 2;
        return sh;
    }
    sh.label_end = 25;
    sh.value_end = 36;
    sh.bar = sh.width < 74 ? 0 : 38;
    sh.bar_end = sh.width < 74 ? 0 : 48;
    sh.notes = sh.width < 74 ? 38 : 50;
    return sh;
}

bool sheet_next(struct sheet *sh) {
    uint32_t line = sh->line++;
    uint32_t room = sh->rows > 0 ? (uint32_t)sh->rows : 0;
    if (line < sh->top || room == 0 || line - sh->top >= room * (uint32_t)sh->across) {
        return false;
    }
    line -= sh->top;
    sh->at_row = sh->row + (int)(line % room);
    sh->behind = 0;
    sh->at_column = (int)(line / room) * (sh->width + GAP);
    return true;
}

int sheet_text(struct sheet *sh, int from, int end, enum role role, struct span text) {
    end = end > sh->width ? sh->width : end;
    if (from >= end || text.n == 0) {
        return from;
    }
    struct span piece = text_cut(text, (size_t)(end - from));
    if (piece.n == text.n) {
        return grid_text(sh->g, sh->at_row, sh->at_column + from, -1, role, text) - sh->at_column;
    }
    piece = text_cut(text, (size_t)(end - from - 1));
    int at = grid_text(sh->g, sh->at_row, sh->at_column + from, -1, role, piece);
    at = draw_text(sh->g, sh->at_row, at, -1, role, sh->ui->o.unicode ? "…" : "+");
    return at - sh->at_column;
}

void sheet_value(struct sheet *sh, enum role role) {
    struct span text = buf_span_of(&sh->ui->text);
    bool hangs = text.n > 1 && text.p[text.n - 1] == '~';
    int n = (int)text_columns(text_cut(text, 1000)) - hangs;
    int from = sh->value_end - n > sh->label_end ? sh->value_end - n : sh->label_end + 1;
    sh->behind = sheet_text(sh, from, sh->notes - 1, role, text);
}

void sheet_bar(struct sheet *sh, enum role role, int64_t share) {
    if (sh->bar > 0 && sh->behind <= sh->bar && share >= 0) {
        draw_bar(sh->ui, sh->g, sh->at_row, sh->at_column + sh->bar, sh->bar_end - sh->bar, role,
                 share);
    }
}

void sheet_heading(struct sheet *sh, const char *text, struct span more) {
    if (sh->line > 0) {
        (void)sheet_next(sh);
    }
    if (sheet_next(sh)) {
        int at = sheet_text(sh, 0, sh->width, ROLE_TITLE, span_of(text));
        (void)sheet_text(sh, at + 2, sh->width, ROLE_DIM, more);
    }
}

/* ---- words -------------------------------------------------------------------------------------- */

const char *sheet_why_not(unsigned state) {
    static const char *const words[STATE_COUNT] = {[STATE_UNKNOWN] = "not yet known",
                                                   [STATE_UNSUPPORTED] = "not said by driver",
                                                   [STATE_DENIED] = "a right is missing",
                                                   [STATE_MALFORMED] = "cannot be read"};
    return state < STATE_COUNT && words[state] ? words[state] : "not yet known";
}

void sheet_put_doubts(struct buf *b, unsigned doubt) {
    static const char *const words[] = {"stands still",      "just woken",       "more than can be",
                                        "known to be false", "unit not certain", "voltage assumed",
                                        "estimated"};
    const char *before = "";
    for (unsigned i = 0; doubt_name(i); i++) {
        if (doubt >> i & 1) {
            buf_text(b, before);
            buf_text(b, i < sizeof words / sizeof words[0] ? words[i] : doubt_name(i));
            before = ", ";
        }
    }
}
