/*
 * The screen as a whole: makes it, and shares its rows out. What matters most stays longest when
 * the terminal is small: the table, then the status line. Pure.
 */
#include "ui.h"

#include <stdlib.h>

#include "plots.h"

/* Rows of a screen on which the timeline takes two. */
#define TIMELINE_WIDE 30
/* Rows that the table keeps when the devices want some: header and three. */
#define TABLE_LEAST 4

/* Rows of the screen; -1 where there is no room for it. */
struct layout {
    int title;
    int strip;
    int strip_rows; /* at most */
    int header;
    int body;
    int body_rows;
    int progress;
    int progress_rows;
    int status;
    int bar;
};

enum err ui_create(const struct ui_options *o, struct ui **out) {
    struct ui *ui = calloc(1, sizeof *ui);
    if (!ui) {
        return ERR_NOMEM;
    }
    ui->o = *o;
    ui->can_unicode = o->unicode;
    ui->query = o->query;
    if (o->settings) {
        ui->settings = *o->settings;
        ui->query.hide_idle |= ui_is(ui, SETTING_IDLE);
        ui->query.hide_exited |= ui_is(ui, SETTING_EXITED);
    } else {
        settings_init(&ui->settings);
    }
    ui->device = -1;
    ui->clicked = UINT32_MAX;
    buf_init(&ui->text);
    detail_init(ui);
    *out = ui;
    return ERR_OK;
}

void ui_destroy(struct ui *ui) {
    if (ui) {
        row_list_finish(&ui->list);
        table_totals_finish(&ui->totals);
        signals_finish(ui);
        free(ui->lines);
        free(ui->counters.workers);
        free(ui->counters.list);
        free(ui->counters.standings.list[0]);
        free(ui->counters.standings.list[1]);
        process_finish(&ui->process);
        history_finish(&ui->history);
        buf_finish(&ui->text);
        free(ui);
    }
}

/* Takes a row of those left where at least `least` rows of screen are there. */
static bool take(int rows, int least, int *left) {
    if (rows < least || *left < 1) {
        return false;
    }
    --*left;
    return true;
}

/* From the bottom up and from the top down; the strip may take half of what is left then. */
static struct layout share_out(const struct ui *ui, const struct ui_play *play, int rows) {
    struct layout l = {.title = -1, .header = -1, .progress = -1, .status = -1, .bar = -1};
    int left = rows;
    int top = 0, bottom = rows;
    if (take(rows, 8, &left)) {
        l.bar = --bottom;
    }
    if (take(rows, 3, &left)) {
        l.status = --bottom;
    }
    if (ui->o.replay && take(rows, 5, &left)) {
        l.progress_rows = timeline_has_bar(ui, play) && take(rows, TIMELINE_WIDE, &left) ? 2 : 1;
        bottom -= l.progress_rows;
        l.progress = bottom;
    }
    if (take(rows, 6, &left)) {
        l.title = top++;
    }
    l.strip = top;
    l.strip_rows = left / 2 < left - TABLE_LEAST ? left / 2 : left - TABLE_LEAST;
    l.header = rows >= 2 ? top++ : -1;
    l.body = top;
    l.body_rows = bottom - top;
    return l;
}

/* Moves the table down by rows that were taken above it. */
static void push_table(struct layout *l, int rows) {
    l->header += l->header >= 0 ? rows : 0;
    l->body += rows;
    l->body_rows -= rows;
}

static void draw_strip(struct ui *ui, const struct snapshot *s, struct grid *g, struct layout *l) {
    push_table(l, s ? strip_draw(ui, s, g, l->strip, l->strip_rows) : 0);
    int top = l->header >= 0 ? l->header : l->body;
    push_table(l, plots_draw(ui, s, g, top, l->body + l->body_rows - top));
}

/* The list at the side; gives the columns taken. */
static int draw_side(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    const struct pane *side = pane_of(ui->mode);
    return side && side->place == PANE_SIDE ? side->draw(ui, s, g, row, rows) : 0;
}

static void draw_table(struct ui *ui, const struct snapshot *s, struct grid *g,
                       const struct layout *l) {
    int top = l->header >= 0 ? l->header : l->body;
    int rows = l->body_rows + (l->header >= 0 ? 1 : 0);
    int column = draw_side(ui, s, g, top, rows);
    if (l->header >= 0 && s && s->device_count > 0) {
        body_draw_header(ui, s, g, l->header, column);
    }
    body_draw(ui, s, g, l->body, l->body_rows, column);
}

/* A prompt has a row at any size. */
static void draw_status(struct ui *ui, const struct snapshot *s, const struct ui_play *play,
                        struct grid *g, const struct layout *l) {
    const struct pane *line = pane_of(ui->mode);
    if (line && line->place == PANE_LINE) {
        line->draw(ui, s, g, l->status >= 0 ? l->status : g->rows - 1, 1);
    } else if (l->status >= 0) {
        status_draw(ui, s, play, g, l->status);
    }
}

/* The one that takes the place of the table; a line may lie on it. */
static const struct pane *whole_pane(const struct ui *ui) {
    for (unsigned i = ui->open_count; i > 0; i--) {
        const struct pane *p = pane_of((enum mode)ui->open[i - 1]);
        if (p && p->place == PANE_WHOLE) {
            return p;
        }
    }
    return NULL;
}

void ui_note(struct ui *ui, const struct snapshot *s) {
    history_note(ui, s);
}

void ui_render(struct ui *ui, const struct snapshot *s, const struct ui_play *play,
               struct grid *g) {
    struct layout l = share_out(ui, play, g->rows);
    grid_clear(g);
    if (g->rows < 1 || g->columns < 1) {
        return;
    }
    ui_note(ui, s);
    signals_settle(ui);
    s = signals_shown(ui, s);
    tags_note(ui, s);
    list_refresh(ui, s);
    ui->play = *play;
    spots_clear(ui);
    ui->o.unicode = ui->can_unicode && !ui_is(ui, SETTING_PLAIN) && !ui_is(ui, SETTING_UNICODE);
    ui->counters.are_there = counters_are_there(ui, s);
    if (l.title >= 0) {
        title_draw(ui, s, play, g, l.title);
    }
    const struct pane *whole = whole_pane(ui);
    if (whole) {
        whole->draw(ui, s, g, l.strip, l.body + l.body_rows - l.strip);
        draw_side(ui, s, g, l.strip, l.body + l.body_rows - l.strip);
    } else {
        draw_strip(ui, s, g, &l);
        draw_table(ui, s, g, &l);
    }
    if (l.progress >= 0) {
        timeline_draw(ui, play, g, l.progress, l.progress_rows);
    }
    draw_status(ui, s, play, g, &l);
    if (l.bar >= 0) {
        bar_draw(ui, g, l.bar);
    }
}
