/*
 * The Setup screen: keys, the list of settings, and what they do at once. Pure.
 */
#include "actions.h"

#include <string.h>

static const struct ui_command nothing = {UI_NONE, 0};

/* ---- what keys elsewhere changed ------------------------------------------------------------- */

void choices_collect(struct ui *ui) {
    struct settings *s = &ui->settings;
    struct buf *b = &ui->text;
    s->number[SETTING_IDLE] = ui->query.hide_idle;
    s->number[SETTING_EXITED] = ui->query.hide_exited;
    (void)setting_set_text(s, SETTING_FILTER, filter_text(ui));
    buf_clear(b);
    table_sort_put(&ui->query, b);
    if (b->n > 0) {
        (void)setting_set_text(s, SETTING_SORT, buf_span_of(b));
    }
    buf_clear(b);
    column_set_put(&ui->o.columns, b);
    (void)setting_set_text(s, SETTING_FIELDS, buf_span_of(b));
}

const struct settings *ui_settings(struct ui *ui) {
    choices_collect(ui);
    return &ui->settings;
}

/* ---- what a setting does --------------------------------------------------------------------- */

static void apply_readonly(struct ui *ui) {
    struct setup *p = &ui->setup;
    if (ui_is(ui, SETTING_READONLY)) {
        p->had_signals = !ui->o.no_signals;
        p->is_made_readonly = true;
        ui->o.no_signals = true;
    } else if (p->is_made_readonly) {
        ui->o.no_signals = !p->had_signals;
        p->is_made_readonly = false;
    } else {
        ui->settings.number[SETTING_READONLY] = 1;
        ui_say(ui, true, "started read-only: that stays for this run");
    }
}

static void apply_text(struct ui *ui, enum setting which, const struct snapshot *s) {
    struct span text = span_of(setting_text(&ui->settings, which));
    if (which == SETTING_SORT) {
        ui->query.invert = false;
        (void)table_sort_parse(text, &ui->query, NULL);
    } else if (which == SETTING_FILTER) {
        (void)filter_parse(text, &ui->query.filter, NULL);
    } else if (which == SETTING_FIELDS) {
        if (text.n == 0 || column_set_parse(text, &ui->o.columns, NULL) != ERR_OK) {
            ui->o.columns.count = 0;
        }
        setup_columns_take(ui, s);
    }
}

/* What the app has to know of. */
static bool is_for_app(enum setting which) {
    static const uint8_t list[] = {SETTING_DELAY,   SETTING_READONLY, SETTING_THEME, SETTING_COLOR,
                                   SETTING_UNICODE, SETTING_MOUSE,    SETTING_TITLE, SETTING_PLAIN};
    return memchr(list, (int)which, sizeof list) != NULL;
}

static void apply(struct ui *ui, enum setting which, const struct snapshot *s,
                  struct ui_command *out) {
    ui->query.hide_idle = ui_is(ui, SETTING_IDLE);
    ui->query.hide_exited = ui_is(ui, SETTING_EXITED);
    if (which == SETTING_READONLY) {
        apply_readonly(ui);
    }
    apply_text(ui, which, s);
    if (is_for_app(which)) {
        *out = (struct ui_command){UI_SETTINGS, 0};
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* What holds while the table stands alone to be copied is no choice: it ends here, and nobody saves it. */
struct ui_command act_SETUP(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    struct ui_command out = ui->is_copy ? act_COPY(ui, s, 0) : nothing;
    choices_collect(ui);
    setup_columns_take(ui, s);
    ui->setup.is_writing = false;
    ui->setup.on_columns = false;
    pane_open(ui, MODE_SETUP);
    return out;
}

static void save(struct ui *ui, struct ui_command *out) {
    choices_collect(ui);
    if (ui_is(ui, SETTING_READONLY)) {
        ui_say(ui, true, "read-only: nothing is written");
    } else if (!ui->o.config_path) {
        ui_say(ui, true, "there is no place to save to");
    } else {
        *out = (struct ui_command){UI_SAVE, 0};
    }
}

static void write_begin(struct ui *ui) {
    struct setup *p = &ui->setup;
    buf_clear(&ui->text);
    if (setting_info((enum setting)p->settings.at)->kind == SETTING_KIND_TEXT) {
        buf_text(&ui->text, setting_text(&ui->settings, (enum setting)p->settings.at));
    } else {
        settings_put(&ui->settings, (enum setting)p->settings.at, &ui->text);
    }
    prompt_set(&p->line, buf_span_of(&ui->text));
    p->why[0] = '\0';
    p->is_writing = true;
}

/* A text is no value in quotes here. */
static enum err take_written(struct ui *ui, enum setting which, struct err_info *info) {
    struct span text = {ui->setup.line.text, ui->setup.line.n};
    struct settings tried = ui->settings;
    enum err e;
    if (setting_info(which)->kind != SETTING_KIND_TEXT) {
        return settings_set(&ui->settings, span_of(setting_info(which)->key), text, info);
    }
    e = setting_check(which, text, info);
    if (e == ERR_OK && setting_set_text(&tried, which, text) != ERR_OK) {
        e = err_set(info, ERR_USAGE, 0, "this is too long", NULL);
    }
    if (e == ERR_OK) {
        ui->settings = tried;
    }
    return e;
}

static void write_key(struct ui *ui, uint32_t key, const struct snapshot *s,
                      struct ui_command *out) {
    struct setup *p = &ui->setup;
    struct err_info info = {0};
    if (key == UI_KEY_ESC) {
        p->is_writing = false;
    } else if (key != UI_KEY_ENTER) {
        p->why[0] = prompt_edit(&p->line, key) ? '\0' : p->why[0];
    } else if (take_written(ui, (enum setting)p->settings.at, &info) == ERR_OK) {
        p->is_writing = false;
        apply(ui, (enum setting)p->settings.at, s, out);
    } else {
        size_t n = text_clean(p->why, sizeof p->why - 1, span_of(info.text));
        p->why[n] = '\0';
    }
}

static void settings_key(struct ui *ui, uint32_t key, const struct snapshot *s,
                         struct ui_command *out) {
    enum setting at = (enum setting)ui->setup.settings.at;
    unsigned kind = setting_info(at)->kind;
    bool is_back = key == UI_KEY_LEFT || key == '-';
    bool is_chosen = key == UI_KEY_ENTER || key == ' ';
    if (menu_key(&ui->setup.settings, SETTING_COUNT, key)) {
        return;
    }
    if ((kind == SETTING_KIND_TEXT && is_chosen) ||
        (kind == SETTING_KIND_DELAY && key == UI_KEY_ENTER)) {
        write_begin(ui);
    } else if (is_chosen || is_back || key == UI_KEY_RIGHT || key == '+') {
        settings_step(&ui->settings, at, is_back ? -1 : 1);
        apply(ui, at, s, out);
    }
}

/* The key Enter on what was pressed. */
static void choose_clicked(struct ui *ui) {
    struct setup *p = &ui->setup;
    uint32_t item = ui->clicked;
    p->is_writing = false;
    p->on_columns = item >= SETTING_COUNT;
    if (!p->on_columns) {
        p->settings.at = item;
    } else if (item - SETTING_COUNT < SETUP_COLUMN_LINES) {
        p->columns.at = item - SETTING_COUNT;
    }
}

/* Help, drawing anew, leaving gwtop. */
static bool is_for_all(uint32_t key) {
    return key == UI_KEY_F1 || key == '?' ||
           (key < ' ' && key != UI_KEY_TAB && key != UI_KEY_ENTER && key != UI_KEY_ESC);
}

bool setup_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    struct setup *p = &ui->setup;
    if (ui->clicked != UINT32_MAX) {
        choose_clicked(ui);
    }
    if (p->is_writing && key != UI_KEY_F1 + 9 && key != 3) {
        write_key(ui, key, s, out);
        return true;
    }
    switch (key) {
    case UI_KEY_ESC:
    case UI_KEY_F1 + 1:
    case 'S':
    case 'q':
        pane_close(ui);
        return true;
    case UI_KEY_F1 + 9:
    case 's':
        save(ui, out);
        return true;
    case UI_KEY_TAB:
    case UI_KEY_BACK_TAB:
        p->on_columns = !p->on_columns;
        return true;
    default:
        if (is_for_all(key)) {
            return false;
        }
    }
    if (p->on_columns) {
        (void)setup_columns_key(ui, key, s);
    } else {
        settings_key(ui, key, s, out);
    }
    return true;
}
