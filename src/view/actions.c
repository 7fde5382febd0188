/*
 * What keys do. Each action changes the state of the screen, or tells the app what to do. Pure.
 */
#include "actions.h"

#include <string.h>

static const struct ui_command nothing = {UI_NONE, 0};

static struct ui_command tell(enum ui_action action, int64_t amount) {
    return (struct ui_command){action, amount};
}

/* ---- panes and prompts ----------------------------------------------------------------------- */

struct ui_command act_HELP(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    pane_open(ui, MODE_HELP);
    ui->help_top = 0;
    return nothing;
}

struct ui_command act_SORT_MENU(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    pane_open(ui, MODE_SORT);
    ui->sort_menu.at = ui->query.sort_count ? ui->query.sort[0].column : (uint32_t)COLUMN_GPU;
    return nothing;
}

/* ---- order ----------------------------------------------------------------------------------- */

void sort_by(struct ui *ui, enum column c, bool add) {
    struct table_query *q = &ui->query;
    struct sort_key key = {.column = (uint8_t)c};
    unsigned n = 0;
    if (add && q->sort_count == 0) {
        q->sort[0] = (struct sort_key){.column = COLUMN_GPU};
        q->sort_count = 1;
    }
    for (unsigned i = 0; add && i < q->sort_count; i++) {
        if (q->sort[i].column != c) {
            q->sort[n++] = q->sort[i];
        }
    }
    n = n < TABLE_SORT_MAX ? n : TABLE_SORT_MAX - 1;
    q->sort[n++] = key;
    q->sort_count = (uint8_t)n;
    q->invert = add && q->invert;
    if (!ui->follow) {
        ui->top = 0;
    }
}

struct ui_command act_SORT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    sort_by(ui, (enum column)amount, ui->add_sort);
    return nothing;
}

/* True where the column holds a number of some process. */
static bool is_known(const struct snapshot *s, enum column c) {
    for (uint32_t i = 0; s && i < s->process_count; i++) {
        const struct snap_power *p = &s->processes[i].power;
        if (table_real(c == COLUMN_WATT ? p->watts : p->pw).state == STATE_VALUE) {
            return true;
        }
    }
    return false;
}

struct ui_command act_WATTS(struct ui *ui, const struct snapshot *s, int amount) {
    bool by_pw = !is_known(s, COLUMN_WATT) && is_known(s, COLUMN_PW);
    (void)amount;
    sort_by(ui, by_pw ? COLUMN_PW : COLUMN_WATT, ui->add_sort);
    return nothing;
}

struct ui_command act_ADD_SORT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    ui->add_sort = true;
    return nothing;
}

struct ui_command act_INVERT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    ui->query.invert = !ui->query.invert;
    return nothing;
}

/* ---- what is shown --------------------------------------------------------------------------- */

struct ui_command act_HIDE_IDLE(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    ui->query.hide_idle = !ui->query.hide_idle;
    ui->settings.number[SETTING_IDLE] = ui->query.hide_idle;
    return nothing;
}

/* True where some device has several engines of one class, which the columns do not tell apart. */
static bool has_units(const struct snapshot *s) {
    for (uint32_t d = 0; s && d < s->device_count; d++) {
        unsigned count[CLASS_COUNT] = {0};
        for (uint32_t i = 0; i < s->devices[d].engines.count; i++) {
            unsigned c = s->engines[s->devices[d].engines.first + i].class;
            if (c < CLASS_COUNT && ++count[c] > 1) {
                return true;
            }
        }
    }
    return false;
}

/* Columns of classes, then each engine too where that says more, then neither. */
struct ui_command act_ENGINES(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    int64_t *shown = &ui->settings.number[SETTING_ENGINES];
    bool is_each = *shown == ENGINES_CLASSES && has_units(s);
    *shown = *shown == ENGINES_NONE ? ENGINES_CLASSES : is_each ? ENGINES_EACH : ENGINES_NONE;
    return nothing;
}

struct ui_command act_CLIENTS(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    ui->settings.number[SETTING_CLIENTS] = !ui_is(ui, SETTING_CLIENTS);
    return nothing;
}

struct ui_command act_DETAIL(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    list_refresh(ui, s);
    detail_open(ui, s);
    return nothing;
}

struct ui_command act_COUNTERS(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    list_refresh(ui, s);
    counters_open(ui, s);
    return nothing;
}

struct ui_command act_FOLLOW(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    list_refresh(ui, s);
    ui->follow = !ui->follow;
    if (ui->follow) {
        list_select(ui, s, ui->at);
    }
    return nothing;
}

/* ---- moving about ---------------------------------------------------------------------------- */

/* Above the first row stands the header. */
struct ui_command act_MOVE(struct ui *ui, const struct snapshot *s, int amount) {
    list_refresh(ui, s);
    if (amount < 0 && ui->at == 0 && ui->mode == MODE_TABLE) {
        header_open(ui);
        return nothing;
    }
    list_select(ui, s, (int64_t)ui->at + amount);
    return nothing;
}

struct ui_command act_PAGE(struct ui *ui, const struct snapshot *s, int amount) {
    uint32_t page = ui->body > 1 ? ui->body - 1 : 1;
    list_refresh(ui, s);
    list_select(ui, s, (int64_t)ui->at + (int64_t)page * amount);
    return nothing;
}

struct ui_command act_ENDS(struct ui *ui, const struct snapshot *s, int amount) {
    list_refresh(ui, s);
    list_select(ui, s, amount < 0 ? 0 : ui->line_count);
    return nothing;
}

/* By a column while there are more of them; then the commands, as far as the longest text there is; see LABEL_MAX. */
struct ui_command act_SHIFT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    if (amount > 0 ? ui->head.more : ui->shift == 0) {
        int skip = ui->head.skip + (amount > 0 ? 1 : -1);
        ui->head.skip = (uint8_t)(skip > 0 ? skip : 0);
        return nothing;
    }
    ui->shift += amount;
    ui->shift = ui->shift < 0 ? 0 : ui->shift > LABEL_MAX ? LABEL_MAX : ui->shift;
    return nothing;
}

/* ---- for the app ----------------------------------------------------------------------------- */

struct ui_command act_PAUSE(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_PAUSE, amount);
}

struct ui_command act_STEP(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_STEP, amount);
}

struct ui_command act_SPEED(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_SPEED, amount);
}

struct ui_command act_SEEK_START(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_SEEK_START, amount);
}

struct ui_command act_SEEK_END(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_SEEK_END, amount);
}

struct ui_command act_REDRAW(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_REDRAW_ALL, amount);
}

struct ui_command act_SUSPEND(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_SUSPEND, amount);
}

struct ui_command act_QUIT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return tell(UI_QUIT, amount);
}

/* ---- the door -------------------------------------------------------------------------------- */

/* Keys that work beside an open device or counters screen too: its numbers go on, and help. */
static bool works_beside(const struct key_info *k) {
    return k &&
           (k->act == act_PAUSE || k->act == act_STEP || k->act == act_SPEED || k->act == act_HELP);
}

/* "F11", "t", "Ctrl-X". */
static void put_key(struct buf *b, uint32_t key) {
    if (key >= UI_KEY_F1 && key < UI_KEY_F1 + 12) {
        buf_char(b, 'F');
        buf_u64(b, key - UI_KEY_F1 + 1);
    } else if (key > ' ' && key < UI_KEY_BACKSPACE) {
        buf_char(b, (char)key);
    } else if (key > 0 && key < ' ' && key != UI_KEY_TAB && key != UI_KEY_ENTER) {
        buf_text(b, "Ctrl-");
        buf_char(b, (char)('@' + key));
    } else {
        buf_text(b, key == ' ' ? "Space" : key == UI_KEY_ENTER ? "Enter" : "this key");
    }
}

/* Of a key that does nothing where it was pressed; Esc never does anything but close. */
static void hint_no_use(struct ui *ui, uint32_t key) {
    struct buf *b = &ui->text;
    if (key == UI_KEY_ESC || key == UI_KEY_MOUSE || ui->hint[0]) {
        return;
    }
    buf_clear(b);
    put_key(b, key);
    buf_text(b, ui->mode == MODE_TABLE ? " does nothing here; F1 shows the keys"
                                       : " does nothing here; Esc closes this");
    buf_char(b, '\0');
    ui_say(ui, false, b->failed ? "" : b->p);
}

/* What the pane at the top does with the key; what it leaves is for the table, but for letters. */
static bool open_part_takes(struct ui *ui, uint32_t key, const struct snapshot *s,
                            struct ui_command *out) {
    const struct pane *pane = pane_of(ui->mode);
    if (!pane) {
        return false;
    }
    if (pane->key(ui, key, s, out)) {
        return true;
    }
    if (ui->mode == MODE_TABLE) {
        return false; /* it closed itself, and leaves the key to the table */
    }
    if (pane->place == PANE_WHOLE && works_beside(key_find(key, ui->o.replay))) {
        return false;
    }
    if (key < ' ' || key >= UI_KEY_UP) {
        return false;
    }
    hint_no_use(ui, key);
    return true;
}

void ui_say(struct ui *ui, bool is_bad, const char *text) {
    size_t n = text_clean(ui->hint, sizeof ui->hint - 1, span_of(text));
    ui->hint[n] = '\0';
    ui->is_hint_bad = is_bad;
}

struct ui_command ui_key(struct ui *ui, uint32_t key, const struct snapshot *s) {
    struct ui_command out = nothing;
    if (key != UI_KEY_NONE && key != UI_KEY_RESIZE) {
        ui->is_used = true;
        ui->hint[0] = '\0';
    }
    s = signals_shown(ui, s);
    if (key == UI_KEY_NONE || key == UI_KEY_RESIZE || open_part_takes(ui, key, s, &out)) {
        signals_settle(ui);
        return out;
    }
    bool add_sort = ui->add_sort;
    const struct key_info *k = key_find(key, ui->o.replay);
    if (k) {
        out = k->act(ui, s, k->amount);
    } else {
        hint_no_use(ui, key);
    }
    if (add_sort) {
        ui->add_sort = false;
    }
    return out;
}
