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

struct ui_command act_SEARCH(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    if (ui->mode == MODE_SEARCH) {
        list_refresh(ui, s);
        ui->search.failed = ui->search.n > 0 && !list_search(ui, s, ui->at + 1);
        return nothing;
    }
    pane_open(ui, MODE_SEARCH);
    ui->search.n = 0;
    ui->search.failed = false;
    ui->before = ui->chosen;
    ui->was_pinned = ui->is_pinned;
    return nothing;
}

struct ui_command act_SORT_MENU(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    pane_open(ui, MODE_SORT);
    ui->sort_menu.at = ui->query.sort_count ? ui->query.sort[0].column : (uint32_t)COLUMN_GPU;
    return nothing;
}

struct ui_command act_GO_TO(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    pane_open(ui, MODE_GO_TO);
    ui->go_to.n = 0;
    ui->go_to.failed = false;
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

/* At the end of `out`, which must outlive it. */
static struct span write_number(char *out, size_t size, int n) {
    size_t at = size;
    do {
        out[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0 && at > 0);
    return (struct span){out + at, size - at};
}

/* Steps through -1 (all) and the devices that the command line lets through. */
struct ui_command act_DEVICE(struct ui *ui, const struct snapshot *s, int amount) {
    int count = s ? (int)(s->device_count < 1000 ? s->device_count : 1000) : 0;
    int device = ui->device;
    do {
        device += amount;
        device = device < -1 ? count - 1 : device >= count ? -1 : device;
    } while (device >= 0 && !table_device_matches(s, (uint32_t)device, ui->o.query.device));
    ui->device = device;
    ui->query.device = ui->o.query.device;
    if (device >= 0) {
        ui->query.device = write_number(ui->device_text, sizeof ui->device_text, device);
    }
    ui->top = 0;
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

struct ui_command act_MOVE(struct ui *ui, const struct snapshot *s, int amount) {
    list_refresh(ui, s);
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

/* As far as the longest text there is; see LABEL_MAX. */
struct ui_command act_SHIFT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
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
    if (pane->place == PANE_WHOLE && works_beside(key_find(key, ui->o.replay))) {
        return false;
    }
    return key >= ' ' && key < UI_KEY_UP;
}

/* A function key that other programs of this kind have. */
static void hint_no_use(struct ui *ui, uint32_t number) {
    struct buf *b = &ui->text;
    buf_clear(b);
    buf_char(b, 'F');
    buf_u64(b, number);
    buf_text(b, " does nothing; F1 shows the keys that do");
    buf_char(b, '\0');
    ui_say(ui, false, b->failed ? "" : b->p);
}

void ui_say(struct ui *ui, bool is_bad, const char *text) {
    size_t n = text_clean(ui->hint, sizeof ui->hint - 1, span_of(text));
    ui->hint[n] = '\0';
    ui->is_hint_bad = is_bad;
}

struct ui_command ui_key(struct ui *ui, uint32_t key, const struct snapshot *s) {
    struct ui_command out = nothing;
    if (key != UI_KEY_NONE && key != UI_KEY_RESIZE) {
        ui->hint[0] = '\0';
    }
    if (key == UI_KEY_NONE || key == UI_KEY_RESIZE || open_part_takes(ui, key, s, &out)) {
        return out;
    }
    bool add_sort = ui->add_sort;
    const struct key_info *k = key_find(key, ui->o.replay);
    if (k) {
        out = k->act(ui, s, k->amount);
    } else if (key >= UI_KEY_F1 && key < UI_KEY_F1 + 12) {
        hint_no_use(ui, key - UI_KEY_F1 + 1);
    }
    if (add_sort) {
        ui->add_sort = false;
    }
    return out;
}
