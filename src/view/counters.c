/*
 * The counters screen: the hardware counters of one device, each with its last ticks, and beside or
 * below them who worked meanwhile, with the counter that is chosen over the work of each. Pure.
 */
#include "counters.h"

#define BESIDE_LEAST 110 /* columns from which on both stand side by side */
#define GAP          2
#define LABEL        24 /* columns of a counter's name */
#define VALUE        12 /* likewise of its value */
#define NAME_MOST    40

/* ---- which ----------------------------------------------------------------------------------- */

static uint32_t count_of(const struct snapshot *s, const struct snap_device *d) {
    uint32_t count = 0;
    for (uint32_t i = counter_next(s, d, 0); i < d->metrics.count; i = counter_next(s, d, i + 1)) {
        count++;
    }
    return count;
}

/* The entry of a counter by its number. */
static uint32_t entry_of(const struct snapshot *s, const struct snap_device *d, uint32_t number) {
    uint32_t i = counter_next(s, d, 0);
    for (; number > 0 && i < d->metrics.count; number--) {
        i = counter_next(s, d, i + 1);
    }
    return i;
}

/* The device that the keys mean, but rather one that has counters. */
void counters_open(struct ui *ui, const struct snapshot *s) {
    if (!detail_choose(ui, s)) {
        return;
    }
    uint32_t d = detail_find(ui, s);
    for (uint32_t i = 0; count_of(s, &s->devices[d]) == 0 && i < s->device_count; i++) {
        if (count_of(s, &s->devices[i]) > 0 && table_device_matches(s, i, ui->query.device)) {
            ui->detail = s->devices[i].subject;
            break;
        }
    }
    ui->mode = MODE_COUNTERS;
    ui->counter_at = ui->counter_top = ui->worker_top = 0;
}

static void choose(struct ui *ui, int64_t counters) {
    int64_t to = (int64_t)ui->counter_at + counters;
    ui->counter_at = to < 0 ? 0 : to > UINT16_MAX ? UINT16_MAX : (uint32_t)to;
}

bool counters_key(struct ui *ui, uint32_t key, const struct snapshot *s) {
    if (key == ' ' && !ui->o.replay) {
        key = UI_KEY_PAGE_DOWN;
    }
    switch (key) {
    case UI_KEY_UP:
        choose(ui, -1);
        return true;
    case UI_KEY_DOWN:
        choose(ui, 1);
        return true;
    case UI_KEY_HOME:
        choose(ui, -UINT16_MAX);
        return true;
    case UI_KEY_END:
        choose(ui, UINT16_MAX);
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
        ui->mode = MODE_TABLE;
        return true;
    default:
        return scroll_key(&ui->worker_top, ui->body, key);
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
                         uint32_t i, struct grid *g, const struct pane *p, int row,
                         bool is_chosen) {
    const struct snap_metric *m = &s->metrics[d->metrics.first + i];
    struct buf *b = &ui->text;
    int label = p->width < LABEL + VALUE ? p->width / 2 : LABEL;
    int value = p->width - label < VALUE ? p->width - label : VALUE;
    put_label(b, s, m);
    if (is_chosen) {
        grid_fill(g, row, p->column, p->width, ROLE_SELECTED, " ");
    }
    grid_text(g, row, p->column, label, is_chosen ? ROLE_SELECTED : ROLE_LABEL, buf_span_of(b));
    enum role role = counter_text(ui, m, value);
    draw_hanging(g, row, p->column + label, value, is_chosen ? ROLE_SELECTED : role,
                 buf_span_of(b));
    if (p->width > LABEL + VALUE + 1) {
        history_draw(ui, s, d, i, g, row, p->column + LABEL + VALUE + 1,
                     p->width - LABEL - VALUE - 1);
    }
}

static void draw_counters(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                          struct grid *g, struct pane p, uint32_t count) {
    uint32_t room = p.rows > 0 ? (uint32_t)p.rows : 0;
    uint32_t most = count > room ? count - room : 0;
    if (room == 0) {
        return;
    }
    uint32_t *top = &ui->counter_top;
    *top = *top > ui->counter_at ? ui->counter_at : *top;
    *top = ui->counter_at - *top >= room ? ui->counter_at - room + 1 : *top;
    *top = *top > most ? most : *top;
    uint32_t i = entry_of(s, d, *top);
    for (uint32_t at = *top; at < count && at - *top < room; at++) {
        draw_counter(ui, s, d, i, g, &p, p.row + (int)(at - *top), at == ui->counter_at);
        i = counter_next(s, d, i + 1);
    }
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void draw_head(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                      uint32_t count) {
    struct buf *b = &ui->text;
    buf_clear(b);
    buf_u64(b, d);
    buf_char(b, ' ');
    buf_span(b, text_cut(snapshot_text(s, s->devices[d].name), NAME_MOST));
    int at = grid_text(g, row, 0, -1, ROLE_TITLE, buf_span_of(b));
    buf_clear(b);
    buf_text(b, "  ");
    put_count(b, count, "counter", "counters");
    at = grid_text(g, row, at, -1, ROLE_NORMAL, buf_span_of(b));
    buf_clear(b);
    buf_text(b, "busy ");
    put_share(b, s->devices[d].busy_ppm);
    draw_right(g, row, g->columns, at + 2, share_role(s->devices[d].busy_ppm), buf_span_of(b));
}

/* Who gives them, and what that costs while gwtop runs. */
static void draw_note(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                      struct grid *g, int row) {
    struct buf *b = &ui->text;
    uint32_t i = counter_next(s, d, 0);
    const char *words = strip_state_words(d);
    buf_clear(b);
    if (words) {
        buf_text(b, words);
    } else if (i == d->metrics.count) {
        buf_text(b, ui->o.replay      ? "no counters in this recording"
                    : g->columns < 43 ? "no --counters (root)"
                                      : "no counters (start with --counters as root)");
    } else {
        struct span source =
            text_cut(snapshot_text(s, s->metrics[d->metrics.first + i].source), NAME_MOST);
        buf_text(b, "from ");
        buf_span(b, source.n > 0 ? source : span_of("the driver"));
        buf_text(b, ui->o.replay ? "" : ": held while gwtop runs, which keeps the GPU awake");
    }
    bool is_warning = !words && i < d->metrics.count && !ui->o.replay;
    grid_text(g, row, 0, -1, is_warning ? ROLE_WARN : ROLE_DIM, buf_span_of(b));
}

/* Side by side on wide screens; else one above the other, as far as there is room for both. */
static void share_out(const struct grid *g, struct pane *counters, struct pane *workers,
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

void counters_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    uint32_t d = s ? detail_find(ui, s) : 0;
    if (rows < 1) {
        return;
    }
    if (!s || d == s->device_count) {
        draw_text(g, row, 0, -1, ROLE_DIM, s ? "this device is not there any more" : "measuring");
        return;
    }
    const struct snap_device *device = &s->devices[d];
    uint32_t count = count_of(s, device);
    uint32_t worker_count = workers_find(ui, s, d);
    struct pane counters = {row + 2, rows - 2, 0, g->columns}, workers;
    ui->counter_at = count > 0 && ui->counter_at >= count ? count - 1 : ui->counter_at;
    uint32_t i = entry_of(s, device, ui->counter_at);
    bool has = i < device->metrics.count;
    unsigned metric = has ? s->metrics[device->metrics.first + i].metric : METRIC_COUNT;
    draw_head(ui, s, g, row, d, count);
    if (rows < 2) {
        return;
    }
    draw_note(ui, s, device, g, row + 1);
    share_out(g, &counters, &workers, count, worker_count);
    draw_counters(ui, s, device, g, counters, count);
    workers_draw(ui, s, g, workers, metric);
}
