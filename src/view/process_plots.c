/*
 * Live plots of a process: its GPU share, memory and power, each with its number, what is full, and the time that is
 * in sight. Pure.
 */
#include "ui.h"

#define PLOTS_LEAST 12 /* rows of the screen from which on there are plots */
#define PLOTS_TALL  40 /* and tall ones */
#define PLOT_LEAST  24 /* columns of each */
#define GAP         2

enum { CHART_BUSY, CHART_MEMORY, CHART_POWER, CHART_COUNT };
struct chart {
    const char *title;
    enum series series;
    enum role role;
    struct plot_scale *scale; /* NULL: all there is is full */
    bool by_two;
};

static void put_now(struct buf *b, const struct snap_process *p, enum series which) {
    struct value vram = p->vram.bytes, gtt = p->gtt.bytes;
    switch (which) {
    case SERIES_MEMORY:
        if (vram.state == STATE_VALUE && gtt.state == STATE_VALUE && vram.v >= 0 && gtt.v >= 0) {
            vram.v += gtt.v <= INT64_MAX - vram.v ? gtt.v : INT64_MAX - vram.v;
            vram.doubt |= gtt.doubt;
        }
        put_size(b, vram.state == STATE_VALUE ? vram : gtt);
        break;
    case SERIES_POWER:
        (void)table_power_text(p->power.watts, "W", b);
        break;
    case SERIES_PW:
        (void)table_power_text(p->power.pw, "PW", b);
        break;
    default:
        put_share(b, p->busy_ppm);
        break;
    }
}

static void put_full(struct buf *b, enum series which, int64_t full) {
    char text[8];
    switch (which) {
    case SERIES_MEMORY:
        buf_put(b, text, human_bytes(text, (uint64_t)full));
        break;
    case SERIES_POWER:
    case SERIES_PW:
        buf_decimal(b, full, 6);
        buf_text(b, which == SERIES_POWER ? " W" : " PW");
        break;
    default:
        buf_text(b, "100 %");
        break;
    }
}

/* Title and number at the left, what is full at the right, the plot below. */
static void draw_chart(struct ui *ui, const struct snapshot *s, const struct snap_process *p,
                       struct grid *g, int row, int rows, int column, int columns,
                       const struct chart *c) {
    static const int64_t whole = 1000000;
    int64_t v[PLOT_MOST];
    struct buf *b = &ui->text;
    enum plot_glyphs glyphs = plot_glyphs_of(ui);
    uint32_t n = plot_ticks(glyphs, columns);
    history_process_run(ui, p->pid, p->start, ui->process.device, c->series, s->tick, v, n);
    int64_t highest = plot_highest(v, n);
    int64_t full = c->scale ? plot_scale_step(c->scale, highest, s->tick, c->by_two) : whole;
    struct plot plot = {.v = v, .count = n, .full = full, .role = c->role};
    int at = draw_text(g, row, column, columns, ROLE_LABEL, c->title);
    buf_clear(b);
    put_now(b, p, c->series);
    at = grid_text(g, row, at + 1, column + columns - at - 1, ROLE_VALUE, buf_span_of(b));
    buf_clear(b);
    if (!c->scale || highest > 0) {
        put_full(b, c->series, full);
    }
    (void)draw_right(g, row, column + columns, at + 1, ROLE_DIM, buf_span_of(b));
    plot_draw(g, row + 1, column, rows - 1, columns, glyphs, &plot);
}

/* How far back the plot goes, in the row below it. */
static void draw_span(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                      int columns) {
    struct buf *b = &ui->text;
    uint32_t n = plot_ticks(plot_glyphs_of(ui), columns);
    int64_t ns = history_span_ns(ui, s->tick, n);
    if (ns <= 0) {
        return;
    }
    buf_clear(b);
    put_clock(b, ns + 500000000);
    buf_text(b, " ago");
    int at = grid_text(g, row, column, columns, ROLE_DIM, buf_span_of(b));
    (void)draw_right(g, row, column + columns, at + 1, ROLE_DIM, span_of("now"));
}

static bool is_said(unsigned state) {
    return state != STATE_UNSUPPORTED;
}

/* Of what there is something to say. */
static int choose_charts(struct ui *ui, const struct snap_process *p, struct chart *out) {
    struct plot_scale *scale = ui->process.scale;
    int n = 0;
    out[n++] = (struct chart){"GPU", SERIES_BUSY, ROLE_BAR_GRAPHICS, NULL, false};
    if (is_said(p->vram.bytes.state) || is_said(p->gtt.bytes.state)) {
        out[n++] = (struct chart){"memory", SERIES_MEMORY, ROLE_BAR_MEMORY, &scale[0], true};
    }
    if (is_said(p->power.watts.state)) {
        out[n++] = (struct chart){"power", SERIES_POWER, ROLE_BAR_COMPUTE, &scale[1], false};
    } else if (is_said(p->power.pw.state)) {
        out[n++] = (struct chart){"power", SERIES_PW, ROLE_BAR_COMPUTE, &scale[1], false};
    }
    return n;
}

int process_plots(struct ui *ui, const struct snapshot *s, const struct snap_process *p,
                  struct grid *g, int row, int rows) {
    struct chart charts[CHART_COUNT];
    int height = rows >= PLOTS_TALL ? 7 : 3;
    int n = choose_charts(ui, p, charts);
    int most = (g->columns + GAP) / (PLOT_LEAST + GAP);
    n = n < most ? n : most;
    if (rows < PLOTS_LEAST || n < 1) {
        return 0;
    }
    int width = (g->columns - GAP * (n - 1)) / n;
    for (int i = 0; i < n; i++) {
        draw_chart(ui, s, p, g, row, height, i * (width + GAP), width, &charts[i]);
        draw_span(ui, s, g, row + height, i * (width + GAP), width);
    }
    return height + 1;
}
