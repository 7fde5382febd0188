/* Doors whose rooms are still empty. */
#include "ui.h"

struct ui_command ui_mouse(struct ui *ui, const struct ui_mouse *m, const struct snapshot *s) {
    (void)ui;
    (void)m;
    (void)s;
    return (struct ui_command){UI_NONE, 0};
}

const struct ui_target *ui_targets(const struct ui *ui, uint32_t *count) {
    (void)ui;
    *count = 0;
    return NULL;
}

void ui_take_files(struct ui *ui, const struct ui_target *of, const struct ui_files *files) {
    (void)ui;
    (void)of;
    (void)files;
}

const struct settings *ui_settings(struct ui *ui) {
    return &ui->settings;
}

bool ui_cursor(const struct ui *ui, int *row, int *column) {
    (void)ui;
    *row = *column = -1;
    return false;
}

void ui_title(struct ui *ui, const struct snapshot *s, struct buf *out) {
    (void)ui;
    (void)s;
    buf_text(out, "gwtop");
}
