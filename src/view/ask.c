/*
 * The lines that ask: the search, the filter, the time to go to. Pure.
 */
#include "actions.h"

#include <string.h>

#define NS_PER_S INT64_C(1000000000)
/* A recording is no longer than some years. */
#define SECONDS_MOST INT64_C(1000000000)

/* ---- the search ------------------------------------------------------------------------------ */

struct ui_command act_SEARCH(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    if (ui->mode == MODE_SEARCH) {
        list_refresh(ui, s);
        ui->search.failed = ui->search.n > 0 && !list_search(ui, s, ui->at + 1);
    } else {
        pane_open(ui, MODE_SEARCH);
        prompt_set(&ui->search, (struct span){"", 0});
        ui->before = ui->chosen;
        ui->was_pinned = ui->is_pinned;
    }
    return (struct ui_command){UI_NONE, 0};
}

static void search_anew(struct ui *ui, const struct snapshot *s) {
    list_refresh(ui, s);
    if (ui->search.n == 0) {
        ui->search.failed = false;
        list_return(ui);
        return;
    }
    ui->search.failed = !list_search(ui, s, ui->at);
}

bool search_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)out;
    if (key == UI_KEY_ENTER || key == UI_KEY_ESC) {
        if (key == UI_KEY_ESC) {
            list_return(ui);
        }
        pane_close(ui);
        return true;
    }
    uint32_t was = ui->search.n;
    bool used = prompt_edit(&ui->search, key);
    if (used && (ui->search.n != was || key == UI_KEY_DELETE)) {
        search_anew(ui, s);
    }
    return used;
}

int search_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    static const char words[] = "not found";
    (void)s;
    (void)rows;
    int at =
        prompt_draw(g, row, "Search: ", &ui->search, ui->search.failed ? (int)sizeof words : 0);
    eye_set(ui, ui->search.row, ui->search.column);
    if (ui->search.failed) {
        draw_text(g, row, at, -1, ROLE_WARN, words);
    }
    return 0;
}

/* ---- the filter ------------------------------------------------------------------------------ */

struct span filter_text(const struct ui *ui) {
    const struct filter *f = &ui->query.filter;
    return (struct span){f->text, f->count > 0 ? f->length : 0};
}

struct ui_command act_FILTER(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    if (ui->mode != MODE_FILTER) {
        pane_open(ui, MODE_FILTER);
        ui->filter.before = ui->query.filter;
        ui->filter.why[0] = '\0';
        prompt_set(&ui->filter.line, filter_text(ui));
    }
    return (struct ui_command){UI_NONE, 0};
}

/* What stands before the first colon is the label of the line too. */
static void keep_why(struct ui *ui, const struct err_info *info) {
    struct span text = span_of(info->text);
    struct span start = span_of("filter: ");
    text = span_starts(text, start.p) ? span_skip(text, start.n) : text;
    struct span fits = text_cut(text, sizeof ui->filter.why - 1);
    size_t n = text_clean(ui->filter.why, sizeof ui->filter.why - 1, fits);
    ui->filter.why[n] = '\0';
}

static void filter_anew(struct ui *ui) {
    struct err_info info = {ERR_OK, 0, ""};
    struct span text = {ui->filter.line.text, ui->filter.line.n};
    ui->filter.why[0] = '\0';
    if (filter_parse(text, &ui->query.filter, &info) != ERR_OK) {
        keep_why(ui, &info);
    }
}

static void filter_end(struct ui *ui, bool keep) {
    if (keep && ui->filter.why[0]) {
        return; /* what is wrong stands in the line */
    }
    if (!keep) {
        ui->query.filter = ui->filter.before;
    }
    (void)setting_set_text(&ui->settings, SETTING_FILTER, filter_text(ui));
    pane_close(ui);
}

bool filter_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    (void)out;
    if (key == UI_KEY_ENTER || key == UI_KEY_ESC) {
        filter_end(ui, key == UI_KEY_ENTER);
        return true;
    }
    bool used = prompt_edit(&ui->filter.line, key);
    if (used) {
        filter_anew(ui);
    }
    return used;
}

int filter_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    const char *words = ui->filter.why;
    bool is_empty = ui->filter.line.n == 0;
    (void)s;
    (void)rows;
    words = is_empty ? "blender, gpu>5, user=root and not vram<1G; nothing: all rows" : words;
    int n = (int)text_columns(span_of(words));
    int at = prompt_draw(g, row, "Filter: ", &ui->filter.line, n > 0 ? n + 1 : 0);
    eye_set(ui, ui->filter.line.row, ui->filter.line.column);
    draw_text(g, row, at, -1, is_empty ? ROLE_DIM : ROLE_WARN, words);
    return 0;
}

/* ---- the time to go to ----------------------------------------------------------------------- */

struct ui_command act_GO_TO(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    pane_open(ui, MODE_GO_TO);
    prompt_set(&ui->go_to, (struct span){"", 0});
    return (struct ui_command){UI_NONE, 0};
}

/* Seconds of "83", "1:23" or "1:02:03"; -1 for what is no time. */
static int64_t seconds_of(struct span text) {
    struct cursor c = cursor_over(text);
    struct span part;
    int64_t s = 0;
    unsigned parts = 0;
    while (cursor_field(&c, ':', &part)) {
        uint64_t n;
        if (span_to_u64(part, &n) != ERR_OK || n > (uint64_t)SECONDS_MOST ||
            (parts > 0 && n > 59)) {
            return -1;
        }
        s = s * 60 + (int64_t)n;
        if (++parts > 3 || s > SECONDS_MOST) {
            return -1;
        }
    }
    return parts > 0 && text.p[text.n - 1] != ':' ? s : -1;
}

static void accept_time(struct ui *ui, struct ui_command *out) {
    int64_t s = seconds_of((struct span){ui->go_to.text, ui->go_to.n});
    ui->go_to.failed = s < 0;
    if (s >= 0) {
        pane_close(ui);
        *out = (struct ui_command){UI_SEEK_TIME, s * NS_PER_S};
    }
}

bool go_to_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    if (key == UI_KEY_ENTER) {
        accept_time(ui, out);
        return true;
    }
    if (key == UI_KEY_ESC) {
        pane_close(ui);
        return true;
    }
    return prompt_edit(&ui->go_to, key);
}

int go_to_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    const char *words =
        ui->go_to.failed ? "not a time: 83, 1:23 or 1:02:03" : "83, 1:23 or 1:02:03 from the start";
    (void)s;
    (void)rows;
    int at = prompt_draw(g, row, "Go to: ", &ui->go_to, (int)text_columns(span_of(words)) + 1);
    eye_set(ui, ui->go_to.row, ui->go_to.column);
    draw_text(g, row, at, -1, ui->go_to.failed ? ROLE_WARN : ROLE_DIM, words);
    return 0;
}
