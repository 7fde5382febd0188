/*
 * The mouse: what stands under it says what a press means, nearly always the key that would do the same. Pure.
 */
#include "actions.h"

#define WHEEL_LINES 3

static const struct ui_command nothing = {UI_NONE, 0};

/* ---- presses --------------------------------------------------------------------------------- */

static struct ui_command press_line(struct ui *ui, const struct snapshot *s, uint32_t line) {
    list_refresh(ui, s);
    list_select(ui, s, line);
    return nothing;
}

/* The column that the table is sorted by already: the other way round. */
static struct ui_command press_column(struct ui *ui, const struct snapshot *s, uint32_t column) {
    unsigned first = ui->query.sort_count ? ui->query.sort[0].column : (unsigned)COLUMN_GPU;
    if (column == first) {
        return act_INVERT(ui, s, 0);
    }
    sort_by(ui, (enum column)column, false);
    return nothing;
}

/* That one alone, or all again: by the steps of the key, which know which devices may be shown. */
static struct ui_command press_device(struct ui *ui, const struct snapshot *s, uint32_t device) {
    int64_t wanted = ui->device == (int64_t)device ? -1 : (int64_t)device;
    for (uint32_t i = 0; s && i <= s->device_count && ui->device != wanted; i++) {
        act_DEVICE(ui, s, 1);
    }
    return nothing;
}

static struct ui_command press_item(struct ui *ui, const struct snapshot *s, uint32_t item) {
    ui->clicked = item;
    if (ui->menu) {
        ui->menu->at = item;
    }
    struct ui_command out = ui_key(ui, UI_KEY_ENTER, s);
    ui->clicked = UINT32_MAX;
    return out;
}

/* The first column is the start, the last one the end. */
static struct ui_command press_time(const struct ui *ui, const struct spot *spot, int column) {
    int64_t length = ui->play.length_ns;
    int most = spot->columns - 1;
    if (!ui->o.replay || length <= 0) {
        return nothing;
    }
    uint64_t share = most > 0 ? (uint64_t)(column - spot->column) : 0;
    uint64_t at = mul_div_u64((uint64_t)length, share, most > 0 ? (uint64_t)most : 1);
    return (struct ui_command){UI_SEEK_TIME, (int64_t)at};
}

static struct ui_command press(struct ui *ui, const struct spot *spot, int column,
                               const struct snapshot *s) {
    if (ui->signals.still && spot->kind != SPOT_KEY && spot->kind != SPOT_ITEM) {
        return nothing; /* the table waits while a signal is chosen */
    }
    switch ((enum spot_kind)spot->kind) {
    case SPOT_KEY:
        return ui_key(ui, spot->value, s);
    case SPOT_LINE:
        return press_line(ui, s, spot->value);
    case SPOT_COLUMN:
        return press_column(ui, s, spot->value);
    case SPOT_DEVICE:
        return press_device(ui, s, spot->value);
    case SPOT_ITEM:
        return press_item(ui, s, spot->value);
    case SPOT_TIME:
        return press_time(ui, spot, column);
    }
    return nothing;
}

/* What a press opens may lie under the mouse when it is pressed again: nobody has read that yet, and it may be
 * the line that ends a process. */
static bool is_repeated(const struct ui *ui, const struct spot *spot) {
    const struct pressed *p = &ui->pressed;
    return p->is_set && p->mode == ui->mode && p->kind == spot->kind && p->value == spot->value;
}

static struct ui_command press_again(struct ui *ui, const struct spot *spot, int column,
                                     const struct snapshot *s) {
    if (spot->kind == SPOT_LINE) {
        return ui->pressed.is_set && ui->pressed.kind == SPOT_LINE && ui->pressed.mode == ui->mode
                   ? ui_key(ui, UI_KEY_ENTER, s)
                   : nothing;
    }
    return is_repeated(ui, spot) ? press(ui, spot, column, s) : nothing;
}

/* ---- the wheel ------------------------------------------------------------------------------- */

static bool is_whole_open(const struct ui *ui) {
    for (unsigned i = 0; i < ui->open_count; i++) {
        const struct pane *p = pane_of((enum mode)ui->open[i]);
        if (p && p->place == PANE_WHOLE) {
            return true;
        }
    }
    return false;
}

/* The table moves and the selection stays on its process; with `F` that is kept in sight, so it moves. */
static struct ui_command turn_table(struct ui *ui, const struct snapshot *s, int64_t lines) {
    list_refresh(ui, s);
    if (ui->follow) {
        list_select(ui, s, (int64_t)ui->at + lines);
        return nothing;
    }
    int64_t most = ui->line_count > ui->body ? (int64_t)ui->line_count - ui->body : 0;
    int64_t top = (int64_t)ui->top + lines;
    ui->top = (uint32_t)(top < 0 ? 0 : top > most ? most : top);
    ui->reveal = false;
    return nothing;
}

static struct ui_command turn(struct ui *ui, const struct spot *spot, bool up,
                              const struct snapshot *s) {
    struct ui_command out = nothing;
    if (!is_whole_open(ui) && !(spot && spot->kind == SPOT_ITEM)) {
        return turn_table(ui, s, up ? -WHEEL_LINES : WHEEL_LINES);
    }
    for (int i = 0; i < WHEEL_LINES && out.action == UI_NONE; i++) {
        out = ui_key(ui, up ? UI_KEY_UP : UI_KEY_DOWN, s);
    }
    return out;
}

/* ---- outside --------------------------------------------------------------------------------- */

/* The title and the room below the last item belong to the list. */
static bool is_in_menu(const struct ui *ui, const struct ui_mouse *m) {
    for (uint32_t i = 0; i < ui->spots.count; i++) {
        const struct spot *p = &ui->spots.list[i];
        if (p->kind == SPOT_ITEM) {
            return m->column >= p->column && m->column < p->column + p->columns &&
                   m->row >= p->row - 1 && m->row < p->row + (int)ui->menu->room;
        }
    }
    return false;
}

/* A press beside a list that is open closes it, and is nothing else. */
static bool is_beside_list(const struct ui *ui, const struct spot *spot, const struct ui_mouse *m) {
    const struct pane *p = pane_of((enum mode)ui->mode);
    return p && p->place == PANE_SIDE && ui->menu && m->button == UI_BUTTON_LEFT &&
           !(spot && (spot->kind == SPOT_KEY || spot->kind == SPOT_ITEM)) && !is_in_menu(ui, m);
}

/* ---- the door -------------------------------------------------------------------------------- */

struct ui_command ui_mouse(struct ui *ui, const struct ui_mouse *m, const struct snapshot *s) {
    const struct spot *spot = spot_at(ui, m->row, m->column);
    ui->is_used = true;
    s = signals_shown(ui, s);
    if (m->button == UI_WHEEL_UP || m->button == UI_WHEEL_DOWN) {
        return turn(ui, spot, m->button == UI_WHEEL_UP, s);
    }
    if (is_beside_list(ui, spot, m)) {
        ui->pressed.is_set = false;
        return ui_key(ui, UI_KEY_ESC, s);
    }
    if (!spot) {
        ui->pressed.is_set = false;
        return nothing;
    }
    struct spot under = *spot; /* what it does may draw anew */
    if (m->button == UI_BUTTON_DOUBLE) {
        return press_again(ui, &under, m->column, s);
    }
    ui->pressed = (struct pressed){under.value, under.kind, (uint8_t)ui->mode, true};
    return press(ui, &under, m->column, s);
}
