/*
 * What is open over the table: the table of panes, and their stack. Pure.
 */
#include "ui.h"

static const struct pane panes[MODE_COUNT] = {
#define PANE(name, function, where, words)                                                         \
    [MODE_##name] = {                                                                              \
        .key = function##_key, .draw = function##_draw, .bar = words, .place = PANE_##where},
#include "panes.def"
#undef PANE
};

const struct pane *pane_of(enum mode mode) {
    return (unsigned)mode < MODE_COUNT && panes[mode].draw ? &panes[mode] : NULL;
}

static void take_out(struct ui *ui, enum mode mode) {
    unsigned n = 0;
    for (unsigned i = 0; i < ui->open_count; i++) {
        if (ui->open[i] != mode) {
            ui->open[n++] = ui->open[i];
        }
    }
    ui->open_count = n;
}

static enum mode top_of(const struct ui *ui) {
    return ui->open_count ? (enum mode)ui->open[ui->open_count - 1] : MODE_TABLE;
}

void pane_open(struct ui *ui, enum mode mode) {
    take_out(ui, mode);
    ui->open[ui->open_count++] = (uint8_t)mode;
    ui->mode = top_of(ui);
}

void pane_close(struct ui *ui) {
    ui->open_count -= ui->open_count > 0;
    ui->mode = top_of(ui);
}
