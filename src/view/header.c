/*
 * The header of the table: titles, what it is sorted by, and the column that keys are on. Pure.
 */
#include "actions.h"

/* ---- the order ------------------------------------------------------------------------------- */

/* Where the column stands among the sort keys; -1 nowhere. */
static int sort_place(const struct ui *ui, unsigned column) {
    if (ui->query.sort_count == 0) {
        return column == COLUMN_GPU ? 0 : -1;
    }
    for (int i = 0; i < ui->query.sort_count; i++) {
        if (ui->query.sort[i].column == column) {
            return i;
        }
    }
    return -1;
}

static bool is_upward(const struct ui *ui, unsigned column, int place) {
    bool reverse = place < ui->query.sort_count && ui->query.sort[place].reverse;
    return column_info((enum column)column)->ascending != (reverse != ui->query.invert);
}

/* The first key by an arrow, the others by their number. */
static const char *sort_mark(const struct ui *ui, unsigned column, int place) {
    static const char *const numbers[TABLE_SORT_MAX] = {"", "2", "3", "4"};
    if (place > 0) {
        return numbers[place];
    }
    bool up = is_upward(ui, column, place);
    return ui->o.unicode ? (up ? "▴" : "▾") : (up ? "^" : "v");
}

/* ---- drawing --------------------------------------------------------------------------------- */

static bool has_keys(const struct ui *ui, unsigned c) {
    return ui->mode == MODE_HEADER && ui->head.column == c;
}

/* Brackets in the blanks beside it. */
static void draw_keys(struct grid *g, int row, int from, int end) {
    grid_role(g, row, from, end - from, ROLE_SELECTED);
    draw_text(g, row, from - 1, 1, ROLE_SELECTED, "[");
    draw_text(g, row, end, 1, ROLE_SELECTED, "]");
}

static void draw_title(struct ui *ui, struct grid *g, int row, int column, int width, unsigned c) {
    const struct column_info *i = column_info((enum column)c);
    int place = sort_place(ui, c);
    struct span title = span_of(column_title((enum column)c, ui->o.unicode));
    title = text_cut(title, width > 0 ? (size_t)width : 0);
    int columns = (int)text_columns(title);
    /* The mark of a title that fills its column hangs into the blank behind. */
    bool hangs = place >= 0 && columns == width;
    int taken = columns + (place >= 0 && !hangs ? 1 : 0);
    enum role role = place >= 0 ? ROLE_HEADER_SORT : ROLE_HEADER;
    if (width < 1) {
        return;
    }
    spot_add(ui, SPOT_COLUMN, c, row, column, width);
    int from = i->left ? column : column + width - taken;
    int at = grid_text(g, row, from, -1, role, title);
    if (place >= 0) {
        at = draw_text(g, row, at, -1, role, sort_mark(ui, c, place));
    }
    if (has_keys(ui, c)) {
        draw_keys(g, row, from, hangs ? at - 1 : at);
    }
}

/* The keys are on a column that is in sight. */
static void settle(struct ui *ui, const struct column_set *set) {
    unsigned i = 0;
    while (i < set->count && set->list[i] != ui->head.column) {
        i++;
    }
    if (i == set->count && set->count > 0) {
        ui->head.column = set->list[set->count - 1];
    }
}

/* Signs that there are columns, or beginnings of commands, out of sight. */
static void draw_ends(const struct ui *ui, struct grid *g, int row, int column,
                      const struct sight *sight) {
    int room = g->columns - column;
    int at = column;
    if (sight->set.count > 1 && sight->left) {
        int first = columns_width(&sight->set, 0, room);
        draw_text(g, row, column + first, 1, ROLE_KEY, ui->o.unicode ? "‹" : "<");
    }
    for (unsigned i = 0; i < sight->set.count; i++) {
        if (ui->shift > 0 && i > 0 && sight->set.list[i] == COLUMN_COMMAND) {
            draw_text(g, row, at - 1, 1, ROLE_KEY, ui->o.unicode ? "‹" : "<");
        }
        at += columns_width(&sight->set, i, room) + 1;
    }
    if (sight->right && room > 1) {
        draw_text(g, row, g->columns - 1, 1, ROLE_KEY, ui->o.unicode ? "›" : ">");
    }
}

void body_draw_header(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                      int column) {
    int room = g->columns - column;
    int at = column;
    struct sight sight = columns_choose(ui, s, room);
    if (ui->mode == MODE_HEADER) {
        settle(ui, &sight.set);
    }
    grid_fill(g, row, column, room, ROLE_HEADER, " ");
    for (unsigned i = 0; i < sight.set.count; i++) {
        int width = columns_width(&sight.set, i, room);
        draw_title(ui, g, row, at, width, sight.set.list[i]);
        at += width + 1;
    }
    draw_ends(ui, g, row, column, &sight);
    ui->head.seen = sight.set;
}

/* ---- keys ------------------------------------------------------------------------------------ */

void header_open(struct ui *ui) {
    pane_open(ui, MODE_HEADER);
    ui->head.column = ui->query.sort_count ? ui->query.sort[0].column : (uint8_t)COLUMN_GPU;
}

/* To the column beside it; at an end what is out of sight there comes in. */
static void step(struct ui *ui, int by) {
    const struct column_set *seen = &ui->head.seen;
    int at = 0;
    while (at < seen->count && seen->list[at] != ui->head.column) {
        at++;
    }
    if (by > 0 && at + 1 >= seen->count && ui->head.more) {
        ui->head.skip++;
    } else if (by < 0 && at <= 1 && ui->head.skip > 0) {
        ui->head.skip--;
        ui->head.column = seen->count > 1 ? seen->list[1] : ui->head.column;
    } else if (at + by >= 0 && at + by < seen->count) {
        ui->head.column = seen->list[at + by];
    }
}

/* Again: the other way round. */
static void sort_here(struct ui *ui) {
    if (sort_place(ui, ui->head.column) == 0) {
        ui->query.invert = !ui->query.invert;
    } else {
        sort_by(ui, (enum column)ui->head.column, false);
    }
}

/* What it does not know goes to the table, without it. */
bool header_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    (void)out;
    switch (key) {
    case UI_KEY_LEFT:
    case UI_KEY_RIGHT:
        step(ui, key == UI_KEY_LEFT ? -1 : 1);
        return true;
    case UI_KEY_ENTER:
    case ' ':
        sort_here(ui);
        return true;
    case '?':
        header_explain(ui, (enum column)ui->head.column);
        return true;
    case UI_KEY_UP:
        return true;
    default:
        pane_close(ui);
        return key == UI_KEY_ESC || key == UI_KEY_DOWN;
    }
}

/* It is a part of the table, which is drawn anyway. */
int header_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    (void)ui;
    (void)s;
    (void)g;
    (void)row;
    (void)rows;
    return 0;
}

void header_put(const struct ui *ui, struct buf *b) {
    enum column c = (enum column)ui->head.column;
    buf_text(b, column_title(c, ui->o.unicode));
    buf_text(b, ": ");
    buf_text(b, column_info(c)->doc);
}
