/*
 * The plots area: how high it is, which devices and series stand in it, and how each is drawn. Pure.
 */
#include "plots.h"

#include "actions.h"
#include "strip.h"

#define GAP          2
#define CELL_LEAST   30 /* columns of a plot with its words */
#define CELL_WANTED  38 /* from which on a device gets another one */
#define CELLS_MOST   32
#define VALUE        8  /* columns of the value in a line, and of what hangs from it */
#define ROWS_LEAST   22 /* of a screen with plots */
#define LINE_MOST    34 /* rows of a screen where they are one line */
#define HIGH_LEAST   4
#define HIGH_MOST    8  /* where the table has use for the rows */
#define BAND_MOST    12 /* of high plots beside each other */
#define BAND_ROWS    6  /* of high plots, before they stand above each other */
#define BANDS_MOST   3
#define TABLE_ROWS   9 /* header and eight rows */
#define TABLE_LEAST  4
#define TABLE_STEP   8   /* the table is left rows for so many lines more or less at once */
#define RECENT_TICKS 120 /* a device that said nothing for so long has no plot */

/* As the choices of the setting. */
enum { PLOTS_AUTO, PLOTS_TALL, PLOTS_OFF };

struct ui_command act_PLOTS(struct ui *ui, const struct snapshot *s, int amount) {
    static const char *const words[] = {[PLOTS_AUTO] = "plots: as rows allow",
                                        [PLOTS_TALL] = "plots: half of the screen",
                                        [PLOTS_OFF] = "plots: none"};
    int64_t *shown = &ui->settings.number[SETTING_PLOTS];
    (void)s;
    *shown = *shown == PLOTS_AUTO ? PLOTS_TALL : *shown == PLOTS_TALL ? PLOTS_OFF : PLOTS_AUTO;
    (void)amount;
    ui_say(ui, false, words[*shown]);
    return (struct ui_command){UI_NONE, 0};
}

/* ---- how high -------------------------------------------------------------------------------- */

/* Rows of the table that no plot takes: all of its lines, also those that a filter leaves out, and some to grow. In
 * steps, and few only long after many, so that a process that comes and goes moves nothing. */
static int table_rows(struct ui *ui, const struct snapshot *s) {
    uint32_t lines = s->process_count + s->unattributed_count;
    lines = ui->line_count > lines ? ui->line_count : lines;
    uint32_t wanted = (lines + 1) / TABLE_STEP * TABLE_STEP + TABLE_STEP;
    bool is_few = wanted + TABLE_STEP < ui->table_rows;
    ui->table_rows = wanted > ui->table_rows || is_few ? wanted : ui->table_rows;
    return ui->table_rows < INT16_MAX ? (int)ui->table_rows : INT16_MAX;
}

/* A line, several rows, or what the table has no use for. */
static int rows_as_room(struct ui *ui, const struct snapshot *s, int rows, int most) {
    if (rows <= LINE_MOST) {
        return rows >= ROWS_LEAST ? 1 : 0;
    }
    int least = (rows - LINE_MOST) / 4 + HIGH_LEAST;
    int left = most - 1 - table_rows(ui, s);
    least = least > HIGH_MOST ? HIGH_MOST : least;
    left = left > rows * 2 / 5 ? rows * 2 / 5 : left;
    return left > least ? left : least;
}

/* Of a screen of `rows` rows of which `most` are there for plots and table. Two or three rows hold no more than one
 * does, beside an axis. */
static int rows_for(struct ui *ui, const struct snapshot *s, int rows, int most) {
    int64_t shown = ui->settings.number[SETTING_PLOTS];
    bool is_tall = shown == PLOTS_TALL;
    int wanted = is_tall ? rows / 2 : rows_as_room(ui, s, rows, most);
    int room = most - (is_tall ? TABLE_LEAST : TABLE_ROWS);
    if (shown == PLOTS_OFF || ui_is(ui, SETTING_PLAIN) || ui->history.looks < 2) {
        return 0;
    }
    wanted = wanted > room ? room : wanted;
    return wanted >= HIGH_LEAST ? wanted : wanted > 0 ? 1 : 0;
}

/* ---- which ----------------------------------------------------------------------------------- */

/* Of each cell. */
struct shown {
    uint32_t device; /* index */
    uint8_t series;
    uint8_t line;
    uint8_t slot; /* in the line */
};
struct area_of_plots {
    struct shown cells[CELLS_MOST];
    int count;
    int across;
    int bands;
    bool is_numbered; /* there are several devices: each cell says of which it is */
};

static bool has_any(const struct ui *ui, const struct snapshot *s, uint32_t device,
                    enum series which) {
    int64_t v[RECENT_TICKS];
    history_device_run(ui, device, which, s->tick, v, RECENT_TICKS);
    for (int i = 0; i < RECENT_TICKS; i++) {
        if (v[i] != PLOT_GAP) {
            return true;
        }
    }
    return false;
}

static bool is_worth(const struct ui *ui, const struct snapshot *s, uint32_t d) {
    uint32_t subject = s->devices[d].subject;
    return strip_shows(ui, s, d) &&
           (has_any(ui, s, subject, SERIES_BUSY) || has_any(ui, s, subject, SERIES_POWER) ||
            has_any(ui, s, subject, SERIES_REGION + REGION_VRAM));
}

/* Lists at most `most` devices; where there are more only the one of the selected row, else the first. */
static int list_devices(const struct ui *ui, const struct snapshot *s, int most, uint32_t *out) {
    int count = 0;
    uint32_t first = 0;
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (!is_worth(ui, s, d)) {
            continue;
        }
        first = count == 0 ? d : first;
        if (count == most) {
            uint32_t chosen = list_device(ui, s);
            out[0] = chosen < s->device_count && is_worth(ui, s, chosen) ? chosen : first;
            return 1;
        }
        out[count++] = d;
    }
    return count;
}

static int at_most(int n, int most) {
    return n < most ? n : most;
}

/* Adds at most `each` cells of a device, from `slot` of the line on. Gives the slot after them. */
static int add_cells(struct ui *ui, const struct snapshot *s, uint32_t device, int each, int line,
                     int slot, struct area_of_plots *out) {
    uint8_t series[SERIES_COUNT];
    struct history_device *h = history_find(&ui->history, s->devices[device].subject);
    int n = h ? plots_choose(h, each, series) : 0;
    for (int i = 0; i < n && out->count < CELLS_MOST; i++) {
        out->cells[out->count++] =
            (struct shown){device, series[i], (uint8_t)line, (uint8_t)(slot + i)};
    }
    out->across = slot + n > out->across ? slot + n : out->across;
    return slot + n;
}

/* One device over as many lines as it needs. */
static void wrap_cells(struct area_of_plots *out, int across) {
    out->bands = (out->count + across - 1) / across;
    if (out->bands < 1) {
        return;
    }
    out->across = 1 + (out->count - 1) / out->bands;
    for (int i = 0; i < out->count; i++) {
        out->cells[i].line = (uint8_t)(i / out->across);
        out->cells[i].slot = (uint8_t)(i % out->across);
    }
}

/* Of several devices each stands in one line, and in each line as many. */
static void choose_cells(struct ui *ui, const struct snapshot *s, int columns, int bands,
                         struct area_of_plots *out) {
    uint32_t devices[CELLS_MOST];
    int most = at_most((columns + GAP) / (CELL_LEAST + GAP), CELLS_MOST / BANDS_MOST);
    int wanted = at_most((columns + GAP) / (CELL_WANTED + GAP), most);
    int count = list_devices(ui, s, most * bands, devices);
    *out = (struct area_of_plots){.is_numbered = s->device_count > 1};
    wanted = wanted < 1 ? 1 : wanted;
    if (count == 1) {
        add_cells(ui, s, devices[0], wanted * bands, 0, 0, out);
        wrap_cells(out, wanted);
        return;
    }
    int beside = (count + bands - 1) / bands;
    int each = beside > 0 ? (bands > 1 ? most : wanted) / beside : 0;
    each = each < 1 ? 1 : each;
    int slot = 0;
    for (int i = 0; i < count; i++) {
        bool is_first = i % beside == 0;
        int from = is_first ? 0 : bands > 1 ? i % beside * each : slot;
        slot = add_cells(ui, s, devices[i], each, i / beside, from, out);
        out->bands = i / beside + 1;
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

struct place {
    int row;
    int rows;
    int column;
    int columns;
};

static void put_label(const struct area_of_plots *a, const struct shown *c, struct buf *b) {
    char word[8];
    buf_clear(b);
    if (a->is_numbered) {
        buf_u64(b, c->device);
        buf_char(b, ' ');
    }
    buf_text(b, plots_label((enum series)c->series, word));
}

static void draw_series(struct ui *ui, const struct snapshot *s, struct grid *g,
                        const struct shown *c, const struct place *p, int64_t *full) {
    int64_t v[PLOT_MOST];
    uint32_t subject = s->devices[c->device].subject;
    enum plot_glyphs glyphs = plot_glyphs_of(ui);
    struct history_device *h = history_find(&ui->history, subject);
    struct plot plot = {.v = v, .role = plots_role((enum series)c->series)};
    plot.count = plot_ticks(glyphs, p->columns);
    history_device_run(ui, subject, (enum series)c->series, s->tick, v, plot.count);
    *full = plot.full = plots_full(h, (enum series)c->series, v, plot.count, s->tick);
    plot_draw(g, p->row, p->column, p->rows, p->columns, glyphs, &plot);
}

static void put_now(struct ui *ui, const struct snapshot *s, const struct shown *c,
                    enum role *role) {
    struct value whole;
    struct value v = history_now(s, &s->devices[c->device], (enum series)c->series, &whole);
    buf_clear(&ui->text);
    plots_put(ui, (enum series)c->series, v, &ui->text);
    *role = share_role(v);
}

/* Label, plot, value. */
static void draw_line(struct ui *ui, const struct snapshot *s, struct grid *g,
                      const struct shown *c, struct place p, int label) {
    enum role role;
    int64_t full;
    int columns = p.columns - label - 1 - VALUE;
    grid_text(g, p.row, p.column, label, ROLE_LABEL, buf_span_of(&ui->text));
    if (columns > 0) {
        struct place plot = {p.row, 1, p.column + label + 1, columns};
        draw_series(ui, s, g, c, &plot, &full);
    }
    put_now(ui, s, c, &role);
    draw_hanging(g, p.row, p.column + p.columns - VALUE, VALUE + 1, role, buf_span_of(&ui->text));
}

/* "-60s" or "-2:00" at the left, "now" at the right. */
static void draw_axis(struct ui *ui, const struct snapshot *s, struct grid *g, struct place p) {
    uint32_t ticks = plot_ticks(plot_glyphs_of(ui), p.columns);
    int64_t ns = history_span_ns(ui, s->tick, ticks);
    struct buf *b = &ui->text;
    int at = p.column;
    buf_clear(b);
    if (ns > 0) {
        buf_char(b, '-');
        if (ns < INT64_C(99500000000)) {
            buf_i64(b, (ns + 500000000) / 1000000000);
            buf_char(b, 's');
        } else {
            put_clock(b, ns);
        }
        at = grid_text(g, p.row, p.column, p.columns, ROLE_DIM, buf_span_of(b));
    }
    draw_right(g, p.row, p.column + p.columns, at + 1, ROLE_DIM, span_of("now"));
}

/* Label and value, what is full at the right; the plot; the axis of time. */
static void draw_high(struct ui *ui, const struct snapshot *s, struct grid *g,
                      const struct shown *c, struct place p) {
    enum role role;
    int64_t full = 0;
    struct place plot = {p.row + 1, p.rows - 2, p.column, p.columns};
    int at = grid_text(g, p.row, p.column, p.columns, ROLE_LABEL, buf_span_of(&ui->text)) + 2;
    put_now(ui, s, c, &role);
    at = grid_text(g, p.row, at, p.column + p.columns - at, role, buf_span_of(&ui->text)) + 1;
    draw_series(ui, s, g, c, &plot, &full);
    buf_clear(&ui->text);
    plots_put(ui, (enum series)c->series, (struct value){.v = full, .state = STATE_VALUE},
              &ui->text);
    draw_right(g, p.row, p.column + p.columns, at, ROLE_DIM, buf_span_of(&ui->text));
    plot.row = p.row + p.rows - 1;
    draw_axis(ui, s, g, plot);
}

/* Columns of the widest label, so that lines begin below each other. */
static int label_columns(struct ui *ui, const struct area_of_plots *a) {
    size_t most = 0;
    for (int i = 0; i < a->count; i++) {
        put_label(a, &a->cells[i], &ui->text);
        most = ui->text.n > most ? ui->text.n : most;
    }
    return (int)most;
}

int plots_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most) {
    struct area_of_plots a;
    int rows = s ? rows_for(ui, s, g->rows, most) : 0;
    int bands = rows < BAND_ROWS * 2 ? 1 : at_most(rows / BAND_ROWS, BANDS_MOST);
    if (rows < 1) {
        return 0;
    }
    choose_cells(ui, s, g->columns, bands, &a);
    if (a.across < 1 || a.bands < 1) {
        return 0; /* nothing is known of any device */
    }
    int label = label_columns(ui, &a);
    int width = (g->columns + GAP) / a.across;
    int high = rows / a.bands;
    high = high > BAND_MOST && ui->settings.number[SETTING_PLOTS] != PLOTS_TALL ? BAND_MOST : high;
    for (int i = 0; i < a.count; i++) {
        const struct shown *c = &a.cells[i];
        struct place p = {row + c->line * high, high, c->slot * width, width - GAP};
        put_label(&a, c, &ui->text);
        if (rows < HIGH_LEAST) {
            draw_line(ui, s, g, c, p, label);
        } else {
            draw_high(ui, s, g, c, p);
        }
        for (int k = 0; k < high; k++) {
            spot_add(ui, SPOT_DEVICE, c->device, p.row + k, p.column, p.columns);
        }
    }
    return high * a.bands;
}

/* ---- a row of the table ---------------------------------------------------------------------- */

void plots_draw_row(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                    int columns, struct row r) {
    int64_t v[HISTORY_PROCESS_TICKS];
    enum plot_glyphs glyphs = plot_glyphs_of(ui);
    struct plot plot = {.v = v, .full = 1000000, .role = ROLE_BAR_GRAPHICS};
    bool is_process = !r.unattributed && !r.client && !r.engine && !r.region && !r.total;
    if (!is_process || r.index >= s->process_count) {
        return;
    }
    const struct snap_process *p = &s->processes[r.index];
    plot.count = plot_ticks(glyphs, columns);
    plot.count = plot.count < HISTORY_PROCESS_TICKS ? plot.count : HISTORY_PROCESS_TICKS;
    history_process_run(ui, p->pid, p->start, device_subject(s, p->device), SERIES_BUSY, s->tick, v,
                        plot.count);
    plot_draw(g, row, column, 1, columns, glyphs, &plot);
}
