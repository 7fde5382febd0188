/*
 * A list at the left of the table to choose from. Pure.
 */
#include "ui.h"

bool menu_key(struct menu *m, uint32_t count, uint32_t key) {
    int64_t page = m->room > 1 ? (int64_t)m->room - 1 : 1;
    const struct {
        uint32_t key;
        int64_t lines;
    } moves[] = {{UI_KEY_UP, -1},          {UI_KEY_DOWN, 1},          {UI_KEY_PAGE_UP, -page},
                 {UI_KEY_PAGE_DOWN, page}, {UI_KEY_HOME, -INT32_MAX}, {UI_KEY_END, INT32_MAX}};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (moves[i].key == key) {
            int64_t at = (int64_t)m->at + moves[i].lines;
            at = at >= count ? (int64_t)count - 1 : at;
            m->at = at < 0 ? 0 : (uint32_t)at;
            return true;
        }
    }
    return false;
}

static void keep_in_sight(struct menu *m, uint32_t count) {
    m->at = m->at < count ? m->at : count > 0 ? count - 1 : 0;
    if (m->room == 0) {
        return;
    }
    m->top = m->top > m->at ? m->at : m->top;
    m->top = m->at - m->top >= m->room ? m->at - m->room + 1 : m->top;
    uint32_t most = count > m->room ? count - m->room : 0;
    m->top = m->top > most ? most : m->top;
}

int menu_draw(struct ui *ui, struct menu *m, const struct menu_items *items,
              const struct snapshot *s, struct grid *g, int row, int rows) {
    int width = g->columns < items->columns ? g->columns : items->columns;
    if (rows < 1) {
        return 0;
    }
    m->room = (uint32_t)rows - 1;
    ui->menu = m;
    keep_in_sight(m, items->count);
    grid_fill(g, row, 0, width, ROLE_HEADER_SORT, " ");
    draw_text(g, row, 1, width - 1, ROLE_HEADER_SORT, items->title);
    for (uint32_t i = 0; i < m->room && m->top + i < items->count; i++) {
        int at = row + 1 + (int)i;
        enum role role = m->top + i == m->at ? ROLE_SELECTED : ROLE_NORMAL;
        grid_fill(g, at, 0, width, role, " ");
        buf_clear(&ui->text);
        items->put(ui, s, m->top + i, &ui->text);
        grid_text(g, at, 1, width - 1, role, buf_span_of(&ui->text));
        spot_add(ui, SPOT_ITEM, m->top + i, at, 0, width);
        if (m->top + i == m->at) {
            eye_set(ui, at, 0);
        }
    }
    return width + 1;
}
