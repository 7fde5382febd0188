/*
 * The counters screen: the hardware counters of one device, each with its last ticks, and beside or
 * below them who worked meanwhile, with the counter that is chosen over the work of each. Pure.
 */
#include "counters.h"

#define BESIDE_LEAST 110 /* columns from which on both stand side by side */
#define GAP          2
#define LABEL        24 /* columns of a counter's name */
#define VALUE        14 /* likewise of its value */
#define NAME_MOST    40

/* ---- keys ------------------------------------------------------------------------------------ */

/* Counters, or words of why it has none. */
static bool has_some(const struct snapshot *s, uint32_t d) {
    return s->devices[d].counters != COUNTERS_NONE ||
           counter_next(s, &s->devices[d], 0) < s->devices[d].metrics.count;
}

/* The device that the keys mean, but rather one that has something to say of counters. */
void counters_open(struct ui *ui, const struct snapshot *s) {
    if (!detail_choose(ui, s)) {
        return;
    }
    uint32_t d = detail_find(ui, s);
    for (uint32_t i = 0; !has_some(s, d) && i < s->device_count; i++) {
        if (has_some(s, i) && table_device_matches(s, i, ui->query.device)) {
            ui->detail = s->devices[i].subject;
            break;
        }
    }
    pane_open(ui, MODE_COUNTERS);
    ui->counters.at = ui->counters.top = ui->counters.worker_top = 0;
    ui->counters.is_kept = ui->counters.on_workers = false;
}

static bool choose(struct ui *ui, int64_t counters) {
    int64_t to = (int64_t)ui->counters.at + counters;
    ui->counters.at = to < 0 ? 0 : to > UINT16_MAX ? UINT16_MAX : (uint32_t)to;
    ui->counters.is_kept = false;
    return true;
}

static bool move_counters(struct ui *ui, uint32_t key) {
    int64_t page = ui->counters.room > 1 ? ui->counters.room - 1 : 1;
    switch (key) {
    case UI_KEY_UP:
        return choose(ui, -1);
    case UI_KEY_DOWN:
        return choose(ui, 1);
    case UI_KEY_PAGE_UP:
        return choose(ui, -page);
    case UI_KEY_PAGE_DOWN:
        return choose(ui, page);
    case UI_KEY_HOME:
        return choose(ui, -UINT16_MAX);
    case UI_KEY_END:
        return choose(ui, UINT16_MAX);
    default:
        return false;
    }
}

bool counters_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)out;
    if (key == ' ' && !ui->o.replay) {
        key = UI_KEY_PAGE_DOWN;
    }
    switch (key) {
    case UI_KEY_LEFT:
        ui->counters.on_workers = false;
        return true;
    case UI_KEY_RIGHT:
        ui->counters.on_workers = true;
        return true;
    case UI_KEY_TAB:
    case UI_KEY_F1 + 7:
        detail_step(ui, s, false);
        return true;
    case UI_KEY_F1 + 6:
        detail_step(ui, s, true);
        return true;
    case UI_KEY_ESC:
    case UI_KEY_ENTER:
    case 'c':
    case 'q':
        pane_close(ui);
        return true;
    default:
        return ui->counters.on_workers || ui->counters.count == 0
                   ? scroll_key(&ui->counters.worker_top, ui->body, key)
                   : move_counters(ui, key);
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

static void put_label(struct buf *b, const struct snapshot *s, const struct snap_metric *m) {
    struct span name = text_cut(snapshot_text(s, m->name), NAME_MOST);
    buf_clear(b);
    buf_text(b, group_metric_name(GROUP_COUNTERS, m->metric));
    if (m->index != INDEX_NONE) {
        buf_char(b, ' ');
        buf_u64(b, m->index);
    }
    buf_text(b, name.n > 0 ? " " : "");
    buf_span(b, name);
}

static void draw_counter(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                         uint32_t i, struct grid *g, const struct area *p, int row,
                         bool is_chosen) {
    const struct snap_metric *m = &s->metrics[d->metrics.first + i];
    struct buf *b = &ui->text;
    int label = p->width < LABEL + VALUE ? p->width / 2 : LABEL;
    int value = p->width - label < VALUE ? p->width - label : VALUE;
    put_label(b, s, m);
    enum role chosen = ui->counters.on_workers ? ROLE_HEADER : ROLE_SELECTED;
    if (is_chosen) {
        grid_fill(g, row, p->column, p->width, chosen, " ");
    }
    grid_text(g, row, p->column, label, is_chosen ? chosen : ROLE_LABEL, buf_span_of(b));
    enum role role = counter_text(ui, m, value);
    draw_hanging(g, row, p->column + label, value, is_chosen ? chosen : role, buf_span_of(b));
    if (p->width > LABEL + VALUE + 1) {
        history_draw(ui, s, d, i, g, row, p->column + LABEL + VALUE + 1,
                     p->width - LABEL - VALUE - 1);
    }
}

/* Lines of the list: those that are 0 have one together, behind the others. */
static uint32_t lines_of(const struct ui *ui) {
    return ui->counters.count + (ui->counters.folded > 0);
}

/* Brings the chosen one into sight, and the last line with the last counter. */
static void scroll_counters(struct ui *ui, uint32_t room) {
    uint32_t lines = lines_of(ui);
    uint32_t most = lines > room ? lines - room : 0;
    uint32_t *top = &ui->counters.top;
    uint32_t end =
        ui->counters.at + 1 == ui->counters.count && room > 1 ? lines : ui->counters.at + 1;
    ui->counters.room = room;
    *top = *top > ui->counters.at ? ui->counters.at : *top;
    *top = end > *top + room ? end - room : *top;
    *top = *top > most ? most : *top;
}

static void draw_counters(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                          struct grid *g, const struct area *p) {
    uint32_t room = p->rows > 0 ? (uint32_t)p->rows : 0;
    uint32_t at = ui->counters.top;
    for (; at < ui->counters.count && at - ui->counters.top < room; at++) {
        draw_counter(ui, s, d, ui->counters.list[at], g, p, p->row + (int)(at - ui->counters.top),
                     at == ui->counters.at);
    }
    if (ui->counters.folded > 0 && at == ui->counters.count && at - ui->counters.top < room) {
        buf_clear(&ui->text);
        put_count(&ui->text, ui->counters.folded, "more is 0", "more are 0");
        grid_text(g, p->row + (int)(at - ui->counters.top), p->column, p->width, ROLE_DIM,
                  buf_span_of(&ui->text));
    }
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void draw_head(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                      uint32_t d) {
    struct buf *b = &ui->text;
    buf_clear(b);
    buf_u64(b, d);
    buf_char(b, ' ');
    buf_span(b, text_cut(snapshot_text(s, s->devices[d].name), NAME_MOST));
    int at = grid_text(g, row, 0, -1, ROLE_TITLE, buf_span_of(b));
    buf_clear(b);
    buf_text(b, "  ");
    put_count(b, ui->counters.count + ui->counters.folded, "counter", "counters");
    at = grid_text(g, row, at, -1, ROLE_NORMAL, buf_span_of(b));
    buf_clear(b);
    put_place(b, ui->counters.top, ui->counters.room, lines_of(ui));
    if (b->n > 0) {
        at = grid_text(g, row, at + GAP, -1, ROLE_NORMAL, buf_span_of(b));
    }
    buf_clear(b);
    buf_text(b, "busy ");
    put_share_fine(b, s->devices[d].busy_ppm);
    draw_right(g, row, g->columns, at + 2, share_role(s->devices[d].busy_ppm), buf_span_of(b));
}

/* Why there are none. */
static const char *why_none(const struct ui *ui, const struct snapshot *s, const struct grid *g) {
    static const char start[] = "no counters (start with --counters; needs root or CAP_PERFMON)";
    if (ui->o.replay) {
        return "no counters in this recording";
    }
    if (s->counters_asked) {
        return "no counters on this device";
    }
    return g->columns < (int)sizeof start - 1 ? "no --counters (root)" : start;
}

/* Who gives them and at which price, or why there are none. */
static enum role put_note(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                          const struct grid *g) {
    struct buf *b = &ui->text;
    uint32_t i = counter_next(s, d, 0);
    const char *words = strip_state_words(d);
    bool is_held = d->counters == COUNTERS_HELD && !ui->o.replay;
    buf_clear(b);
    if (words) {
        buf_text(b, words);
    } else if (d->counters > COUNTERS_HELD) {
        buf_text(b, "no counters: ");
        buf_text(b, counters_state_text(d->counters));
        return ROLE_WARN;
    } else if (i < d->metrics.count) {
        struct span source =
            text_cut(snapshot_text(s, s->metrics[d->metrics.first + i].source), NAME_MOST);
        buf_text(b, "from ");
        buf_span(b, source.n > 0 ? source : span_of("the driver"));
        buf_text(b, is_held ? ", " : "");
    } else if (!is_held) {
        buf_text(b, why_none(ui, s, g));
    }
    if (is_held && !words) {
        buf_text(b, counters_state_text(COUNTERS_HELD));
    }
    return is_held && !words ? ROLE_WARN : ROLE_DIM;
}

/* Side by side on wide screens; else one above the other, as far as there is room for both. */
static void share_out(const struct grid *g, struct area *counters, struct area *workers,
                      uint32_t count, uint32_t worker_count) {
    *workers = *counters;
    if (count == 0) {
        counters->rows = 0;
        return;
    }
    if (g->columns >= BESIDE_LEAST) {
        counters->width = (g->columns - GAP) / 2;
        workers->column = counters->width + GAP;
        workers->width = g->columns - workers->column;
        return;
    }
    int rows = counters->rows;
    int wanted = worker_count + 1 < (uint32_t)rows ? (int)worker_count + 1 : rows;
    int own = count < (uint32_t)rows ? (int)count : rows;
    int half = rows / 2;
    workers->rows = wanted <= half || own > half ? (wanted < half ? wanted : half) : rows - own;
    workers->rows = rows < 6 ? 0 : workers->rows;
    counters->rows = rows - workers->rows;
    workers->row = counters->row + counters->rows;
}

int counters_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    uint32_t d = s ? detail_find(ui, s) : 0;
    if (rows < 1) {
        return 0;
    }
    if (!s || d == s->device_count) {
        draw_text(g, row, 0, -1, ROLE_DIM, s ? "this device is not there any more" : "measuring");
        return 0;
    }
    const struct snap_device *device = &s->devices[d];
    counters_list(ui, s, device);
    uint32_t count = lines_of(ui);
    uint32_t worker_count = workers_find(ui, s, d);
    struct area counters = {row + 2, rows - 2, 0, g->columns}, workers;
    bool has = ui->counters.count > 0;
    unsigned metric =
        has ? s->metrics[device->metrics.first + ui->counters.list[ui->counters.at]].metric
            : METRIC_COUNT;
    share_out(g, &counters, &workers, count, worker_count);
    scroll_counters(ui, counters.rows > 0 ? (uint32_t)counters.rows : 0);
    draw_head(ui, s, g, row, d);
    if (rows < 2) {
        return 0;
    }
    enum role role = put_note(ui, s, device, g);
    grid_text(g, row + 1, 0, -1, role, buf_span_of(&ui->text));
    draw_counters(ui, s, device, g, &counters);
    workers_draw(ui, s, g, workers, metric);
    return 0;
}
