/*
 * The list of columns to sort by. Pure.
 */
#include "ui.h"

#define MENU_COLUMNS 13

static void put_column(struct ui *ui, const struct snapshot *s, uint32_t i, struct buf *out) {
    (void)s;
    buf_text(out, column_title((enum column)i, ui->o.unicode));
}

static const struct menu_items columns = {"Sort by", MENU_COLUMNS, COLUMN_COUNT, put_column};

bool sort_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    (void)out;
    switch (key) {
    case UI_KEY_ENTER:
        sort_by(ui, (enum column)ui->sort_menu.at, false);
        pane_close(ui);
        return true;
    case '?':
        header_explain(ui, (enum column)ui->sort_menu.at);
        return true;
    case UI_KEY_ESC:
    case UI_KEY_F1 + 5:
    case 'q':
        pane_close(ui);
        return true;
    default:
        return menu_key(&ui->sort_menu, COLUMN_COUNT, key);
    }
}

int sort_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    return menu_draw(ui, &ui->sort_menu, &columns, s, g, row, rows);
}
