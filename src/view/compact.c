/*
 * A device in one line: a bar with its value, then what fits. Pure.
 */
#include "strip.h"

#define SHARE_COLUMNS 7
#define BAR_WIDEST    24
#define BAR_LEAST     5

static int bar_columns(const struct ui *ui, const struct grid *g, int column) {
    int part = (g->columns - column - SHARE_COLUMNS) / 4;
    bool has_none = ui_is(ui, SETTING_PLAIN) || part < BAR_LEAST;
    return has_none ? 0 : part > BAR_WIDEST ? BAR_WIDEST : part;
}

int compact_columns(const struct ui *ui, const struct grid *g, int column) {
    return bar_columns(ui, g, column) + SHARE_COLUMNS + 1;
}

int compact_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                 int column, const struct items *fit) {
    struct value busy = s->devices[d].busy_ppm;
    int bar = bar_columns(ui, g, column);
    if (column + SHARE_COLUMNS > g->columns) {
        return 1;
    }
    draw_bar(ui, g, row, column, bar, ROLE_BAR_GRAPHICS, busy.state == STATE_VALUE ? busy.v : 0);
    buf_clear(&ui->text);
    put_share(&ui->text, busy);
    draw_hanging(g, row, column + bar, SHARE_COLUMNS, share_role(busy), buf_span_of(&ui->text));
    items_draw(ui, s, g, row, column + bar + SHARE_COLUMNS + 1, d, FORM_COMPACT, fit);
    return 1;
}
