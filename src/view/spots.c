/*
 * What of the last render can be clicked. Pure.
 */
#include "ui.h"

void spots_clear(struct ui *ui) {
    ui->spots.count = 0;
    ui->menu = NULL;
    eye_clear(ui);
}

void spot_add(struct ui *ui, enum spot_kind kind, uint32_t value, int row, int column,
              int columns) {
    struct spots *all = &ui->spots;
    bool fits = row >= 0 && row <= INT16_MAX && column >= 0 && column <= INT16_MAX && columns > 0;
    if (fits && all->count < SPOTS_MOST) {
        all->list[all->count++] =
            (struct spot){.row = (int16_t)row,
                          .column = (int16_t)column,
                          .columns = (int16_t)(columns < INT16_MAX ? columns : INT16_MAX),
                          .kind = (uint8_t)kind,
                          .value = value};
    }
}

const struct spot *spot_at(const struct ui *ui, int row, int column) {
    for (uint32_t i = ui->spots.count; i > 0; i--) {
        const struct spot *p = &ui->spots.list[i - 1];
        if (p->row == row && column >= p->column && column < p->column + p->columns) {
            return p;
        }
    }
    return NULL;
}
