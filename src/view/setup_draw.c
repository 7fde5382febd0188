/*
 * How the Setup screen looks: its two lists, side by side where there is room, what the chosen one means, and where it
 * is saved. Pure.
 */
#include "ui.h"

#include <string.h>

#define VALUE_AT      16 /* column of the values, within the list */
#define BESIDE_LEAST  60 /* columns of a screen with both parts side by side */
#define COLUMNS_WIDTH 28
#define LIST_MOST     72

void setup_heading(struct grid *g, int row, int column, int width, const char *title, bool is_on) {
    enum role role = is_on ? ROLE_HEADER_SORT : ROLE_HEADER;
    grid_fill(g, row, column, width, role, " ");
    int at = draw_text(g, row, column + 1, width - 1, role, title);
    if (!is_on && at + 6 < column + width) {
        draw_text(g, row, at + 1, column + width - at - 1, role, "(Tab)");
    }
}

/* Its line in the list, in which each section has a heading. */
static uint32_t line_of(uint32_t setting) {
    uint32_t line = setting;
    for (uint32_t i = 0; i <= setting && i < SETTING_COUNT; i++) {
        const char *before = i > 0 ? setting_info((enum setting)(i - 1))->section : "";
        line += strcmp(before, setting_info((enum setting)i)->section) != 0;
    }
    return line;
}

/* The heading above the first of a section as well. */
static void keep_in_sight(struct menu *m, uint32_t room) {
    m->room = room;
    m->at = m->at < SETTING_COUNT ? m->at : SETTING_COUNT - 1;
    uint32_t line = line_of(m->at);
    uint32_t above = m->at == 0 || line_of(m->at - 1) + 1 < line ? line - 1 : line;
    m->top = m->top > above ? above : m->top;
    m->top = line - m->top >= room ? line - room + 1 : m->top;
}

static void put_value(const struct ui *ui, enum setting which, bool is_chosen, struct buf *b) {
    unsigned kind = setting_info(which)->kind;
    bool is_stepped = is_chosen && (kind == SETTING_KIND_CHOICE || kind == SETTING_KIND_DELAY);
    if (kind == SETTING_KIND_BOOL) {
        buf_text(b, ui_is(ui, which) ? "[x]" : "[ ]");
        return;
    }
    if (kind == SETTING_KIND_TEXT) {
        const char *text = setting_text(&ui->settings, which);
        const char *none = which == SETTING_FIELDS ? "(as many as fit)" : "(all rows)";
        buf_text(b, text[0] ? text : none);
        return;
    }
    buf_text(b, is_stepped ? "< " : "");
    settings_put(&ui->settings, which, b);
    buf_text(b, is_stepped ? " >" : "");
}

static void draw_setting(struct ui *ui, struct grid *g, int row, int width, enum setting which) {
    struct setup *p = &ui->setup;
    bool is_chosen = !p->on_columns && p->settings.at == which;
    enum role role = is_chosen ? ROLE_SELECTED : ROLE_NORMAL;
    grid_fill(g, row, 0, width, role, " ");
    draw_text(g, row, 2, width - 2, role, setting_info(which)->key);
    spot_add(ui, SPOT_ITEM, which, row, 0, width);
    if (is_chosen) {
        eye_set(ui, row, 0);
    }
    if (is_chosen && p->is_writing) {
        prompt_draw_at(g, row, VALUE_AT, width - VALUE_AT, &p->line);
        eye_set(ui, p->line.row, p->line.column);
        return;
    }
    buf_clear(&ui->text);
    put_value(ui, which, is_chosen, &ui->text);
    grid_text(g, row, VALUE_AT, width - VALUE_AT, role, buf_span_of(&ui->text));
}

static void draw_settings(struct ui *ui, struct grid *g, int row, int rows, int width) {
    struct menu *m = &ui->setup.settings;
    setup_heading(g, row, 0, width, "Settings", !ui->setup.on_columns);
    if (rows < 2) {
        return;
    }
    keep_in_sight(m, (uint32_t)rows - 1);
    for (uint32_t i = 0; i < SETTING_COUNT; i++) {
        uint32_t line = line_of(i);
        bool is_first = i == 0 || line_of(i - 1) + 1 < line;
        int at = row + 1 + (int)(line - m->top);
        if (is_first && line - 1 >= m->top && line - 1 < m->top + m->room) {
            draw_text(g, at - 1, 1, width - 1, ROLE_LABEL, setting_info((enum setting)i)->section);
        }
        if (line >= m->top && line < m->top + m->room) {
            draw_setting(ui, g, at, width, (enum setting)i);
        }
    }
}

static void put_doc(const struct ui *ui, struct buf *b) {
    const struct setting_info *i = setting_info((enum setting)ui->setup.settings.at);
    if (ui->setup.on_columns) {
        setup_columns_put_doc(ui, b);
        return;
    }
    buf_text(b, i->doc);
    if (i->choices[0]) {
        buf_text(b, ": ");
    }
    for (const char *p = i->choices; *p; p++) {
        buf_put(b, *p == '|' ? ", " : p, *p == '|' ? 2 : 1);
    }
}

/* Two rows: what the chosen one is, broken at a blank; then how to change it and where it is saved. */
static void draw_doc(struct ui *ui, struct grid *g, int row, int rows) {
    struct setup *p = &ui->setup;
    struct buf *b = &ui->text;
    bool is_bad = p->is_writing && p->why[0];
    buf_clear(b);
    if (is_bad) {
        buf_text(b, p->why);
    } else {
        put_doc(ui, b);
    }
    struct span text = buf_span_of(b);
    for (int i = 0; i < rows && text.n > 0; i++) {
        struct span line = text_cut(text, (size_t)g->columns);
        size_t n = line.n;
        while (n < text.n && n > 0 && text.p[n] != ' ') {
            n--;
        }
        n = n > 0 ? n : line.n;
        grid_text(g, row + i, 0, -1, is_bad ? ROLE_WARN : ROLE_HELP, (struct span){text.p, n});
        text = span_trim(span_skip(text, n));
    }
}

static void put_keys(const struct ui *ui, struct buf *b) {
    if (ui->setup.is_writing) {
        buf_text(b, "Enter takes it, Esc leaves it as it was");
    } else if (ui->setup.on_columns) {
        buf_text(b, "Space: add or remove  Left Right: move  + - 0: width");
    } else if (ui_is(ui, SETTING_READONLY)) {
        buf_text(b, "changes are for this run: read-only, nothing is saved");
    } else if (!ui->o.config_path) {
        buf_text(b, "changes are for this run: there is no place to save to");
    } else {
        buf_text(b, "F10 saves to ");
        buf_text(b, ui->o.config_path);
    }
}

int setup_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    (void)s;
    int doc = rows >= 12 ? 2 : rows >= 5 ? 1 : 0;
    int keys = rows >= 8 ? 1 : 0;
    int list = rows - doc - keys;
    int width = g->columns;
    bool is_beside = width >= BESIDE_LEAST;
    choices_collect(ui);
    if (list < 1) {
        return 0;
    }
    if (is_beside) {
        width = width - COLUMNS_WIDTH - 1 < LIST_MOST ? width - COLUMNS_WIDTH - 1 : LIST_MOST;
        setup_columns_draw(ui, g, row, list, width + 1, COLUMNS_WIDTH);
    }
    if (is_beside || !ui->setup.on_columns) {
        draw_settings(ui, g, row, list, width);
    } else {
        setup_columns_draw(ui, g, row, list, 0, width);
    }
    draw_doc(ui, g, row + list, doc);
    if (keys > 0) {
        buf_clear(&ui->text);
        put_keys(ui, &ui->text);
        grid_text(g, row + list + doc, 0, -1, ROLE_DIM, buf_span_of(&ui->text));
    }
    return 0;
}
