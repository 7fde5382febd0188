/*
 * The columns of the table on the Setup screen: which, in which order, how wide. A column keeps its place in the list
 * when it is taken away. Pure.
 */
#include "ui.h"

#include <string.h>

/* ---- from and to the table ------------------------------------------------------------------- */

static void put_in_list(struct column_choice *c, unsigned *n, unsigned column) {
    for (unsigned i = 0; i < *n; i++) {
        if (c->order[i] == column) {
            return;
        }
    }
    if (*n < COLUMN_COUNT) {
        c->order[(*n)++] = (uint8_t)column;
    }
}

/* Those that are on the screen stand first, as they do there. */
void setup_columns_take(struct ui *ui, const struct snapshot *s) {
    struct column_choice *c = &ui->setup.choice;
    struct column_set set = ui->o.columns;
    unsigned n = 0;
    *c = (struct column_choice){.is_own = set.count > 0};
    if (!c->is_own) {
        set = ui->head.seen;
    }
    if (set.count == 0) {
        column_set_default(s, &set);
    }
    for (unsigned i = 0; i < set.count && i < TABLE_COLUMNS_MAX; i++) {
        c->is_shown[set.list[i]] = true;
        c->width[set.list[i]] = c->is_own ? set.width[i] : 0;
        put_in_list(c, &n, set.list[i]);
    }
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        put_in_list(c, &n, i);
    }
}

/* The table shows what is chosen. Without any column it is as many as fit again. */
static void apply(struct ui *ui, const struct snapshot *s) {
    struct column_choice *c = &ui->setup.choice;
    struct column_set set = {.count = 0};
    for (unsigned i = 0; i < COLUMN_COUNT && set.count < TABLE_COLUMNS_MAX; i++) {
        if (c->is_shown[c->order[i]]) {
            set.list[set.count] = c->order[i];
            set.width[set.count++] = c->width[c->order[i]];
        }
    }
    ui->o.columns = set;
    c->is_own = set.count > 0;
    if (!c->is_own) {
        setup_columns_take(ui, s);
    }
}

static void forget(struct ui *ui, const struct snapshot *s) {
    ui->o.columns.count = 0;
    setup_columns_take(ui, s);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void move(struct ui *ui, const struct snapshot *s, int by) {
    struct column_choice *c = &ui->setup.choice;
    struct menu *m = &ui->setup.columns;
    int from = (int)m->at - 1;
    int to = from + by;
    if (from < 0 || to < 0 || to >= COLUMN_COUNT) {
        return;
    }
    uint8_t other = c->order[to];
    c->order[to] = c->order[from];
    c->order[from] = other;
    m->at = (uint32_t)to + 1;
    apply(ui, s);
}

static void widen(struct ui *ui, const struct snapshot *s, unsigned column, int by) {
    struct column_choice *c = &ui->setup.choice;
    int own = column_info((enum column)column)->width;
    int width = (c->width[column] > 0 ? c->width[column] : own) + by;
    width = width < COLUMN_WIDTH_LEAST  ? COLUMN_WIDTH_LEAST
            : width > COLUMN_WIDTH_MOST ? COLUMN_WIDTH_MOST
                                        : width;
    /* COMMAND takes what is left while nobody says a width. */
    bool is_usual = width == own && column != COLUMN_COMMAND;
    c->width[column] = (uint8_t)(is_usual || by == 0 ? 0 : width);
    apply(ui, s);
}

static bool change(struct ui *ui, uint32_t key, const struct snapshot *s, unsigned column) {
    bool *is_shown = &ui->setup.choice.is_shown[column];
    switch (key) {
    case ' ':
    case UI_KEY_ENTER:
        *is_shown = !*is_shown;
        apply(ui, s);
        return true;
    case UI_KEY_LEFT:
    case UI_KEY_RIGHT:
        move(ui, s, key == UI_KEY_LEFT ? -1 : 1);
        return true;
    case '+':
    case '-':
    case '0':
        widen(ui, s, column, key == '0' ? 0 : key == '+' ? 1 : -1);
        return true;
    default:
        return false;
    }
}

bool setup_columns_key(struct ui *ui, uint32_t key, const struct snapshot *s) {
    struct menu *m = &ui->setup.columns;
    if (menu_key(m, SETUP_COLUMN_LINES, key)) {
        return true;
    }
    if (m->at > 0) {
        return change(ui, key, s, ui->setup.choice.order[m->at - 1]);
    }
    if (key == ' ' || key == UI_KEY_ENTER) {
        forget(ui, s);
        return true;
    }
    return false;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void put_line(const struct ui *ui, uint32_t line, struct buf *b) {
    const struct column_choice *c = &ui->setup.choice;
    if (line == 0) {
        buf_text(b, c->is_own ? "[ ] as many as fit" : "[x] as many as fit");
        return;
    }
    enum column column = (enum column)c->order[line - 1];
    size_t start = b->n;
    buf_text(b, c->is_shown[column] ? "[x] " : "[ ] ");
    buf_text(b, column_title(column, ui->o.unicode));
    size_t taken = text_columns(span_skip(buf_span_of(b), start));
    buf_fill(b, ' ', taken < 15 ? 15 - taken : 1);
    unsigned width = c->width[column] > 0 ? c->width[column] : column_info(column)->width;
    if (column == COLUMN_COMMAND && c->width[column] == 0) {
        buf_text(b, "the rest");
    } else {
        buf_text(b, width < 10 ? " " : "");
        buf_u64(b, width);
        buf_text(b, c->width[column] > 0 ? " set" : "");
    }
}

static void keep_in_sight(struct menu *m, uint32_t room) {
    m->room = room;
    m->at = m->at < SETUP_COLUMN_LINES ? m->at : SETUP_COLUMN_LINES - 1;
    m->top = m->top > m->at ? m->at : m->top;
    m->top = m->at - m->top >= room ? m->at - room + 1 : m->top;
    uint32_t most = SETUP_COLUMN_LINES > room ? SETUP_COLUMN_LINES - room : 0;
    m->top = m->top > most ? most : m->top;
}

void setup_columns_draw(struct ui *ui, struct grid *g, int row, int rows, int column, int width) {
    struct menu *m = &ui->setup.columns;
    bool is_on = ui->setup.on_columns;
    setup_heading(g, row, column, width, "Columns", is_on);
    if (rows < 2) {
        return;
    }
    keep_in_sight(m, (uint32_t)rows - 1);
    for (uint32_t i = m->top; i < SETUP_COLUMN_LINES && i < m->top + m->room; i++) {
        int at = row + 1 + (int)(i - m->top);
        bool is_chosen = is_on && i == m->at;
        enum role role = is_chosen ? ROLE_SELECTED : ROLE_NORMAL;
        grid_fill(g, at, column, width, role, " ");
        buf_clear(&ui->text);
        put_line(ui, i, &ui->text);
        grid_text(g, at, column + 1, width - 1, role, buf_span_of(&ui->text));
        spot_add(ui, SPOT_ITEM, SETTING_COUNT + i, at, column, width);
        if (is_chosen) {
            eye_set(ui, at, column);
        }
    }
}

void setup_columns_put_doc(const struct ui *ui, struct buf *out) {
    uint32_t at = ui->setup.columns.at;
    if (at == 0) {
        buf_text(out, "the usual columns, those of engines once they are used; what does not fit "
                      "is left out");
        return;
    }
    buf_text(out, column_info((enum column)ui->setup.choice.order[at - 1])->doc);
}
