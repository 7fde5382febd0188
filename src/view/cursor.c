/*
 * Where the eye of the user is, and what the window is called. Pure.
 */
#include "ui.h"

void eye_set(struct ui *ui, int row, int column) {
    ui->eye = (struct eye){row, column, true};
}

void eye_clear(struct ui *ui) {
    ui->eye.is_there = false;
}

bool ui_cursor(const struct ui *ui, int *row, int *column) {
    *row = ui->eye.is_there ? ui->eye.row : -1;
    *column = ui->eye.is_there ? ui->eye.column : -1;
    return ui->eye.is_there;
}

/* ---- the title ------------------------------------------------------------------------------- */

/* The busiest that is shown; device_count for none of which that is known. */
static uint32_t busiest(const struct ui *ui, const struct snapshot *s) {
    uint32_t best = s->device_count;
    for (uint32_t d = 0; d < s->device_count; d++) {
        struct value busy = s->devices[d].busy_ppm;
        bool is_known = busy.state == STATE_VALUE && table_device_matches(s, d, ui->query.device);
        if (is_known && (best == s->device_count || busy.v > s->devices[best].busy_ppm.v)) {
            best = d;
        }
    }
    return best;
}

void ui_title(struct ui *ui, const struct snapshot *s, struct buf *out) {
    buf_text(out, "gwtop");
    uint32_t d = s ? busiest(ui, s) : 0;
    if (!s || d >= s->device_count) {
        return;
    }
    buf_text(out, ": ");
    if (s->device_count > 1) {
        buf_text(out, "GPU ");
        buf_u64(out, d);
        buf_char(out, ' ');
    }
    put_share(out, s->devices[d].busy_ppm);
    buf_text(out, " gfx");
    struct value whole;
    struct value watts = history_now(s, &s->devices[d], SERIES_POWER, &whole);
    if (watts.state == STATE_VALUE) {
        buf_text(out, ", ");
        buf_fixed(out, watts.v, 6, 0);
        buf_text(out, watts.doubt ? " W~" : " W");
    }
}
