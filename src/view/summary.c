/*
 * Devices as cells of a row or two: number, bar, share. Of more than fit the number of the others is told, and the
 * busiest of these. Pure.
 */
#include "strip.h"

#define SHARE_COLUMNS 4 /* "100%" */
#define ROWS_MOST     2
#define REST_COLUMNS  16 /* "+48, 37 at 88%" */
#define BAR_WIDEST    10
#define BAR_LEAST     3

/* How cells stand. */
struct cells {
    uint32_t count; /* devices to show */
    uint32_t fit;   /* of these, cells that there is room for */
    int number;     /* columns of the number */
    int bar;        /* columns; 0: none */
    int across;
    int rows;
};

static int cell_columns(const struct cells *c) {
    return c->number + (c->bar > 0 ? c->bar : 1) + SHARE_COLUMNS;
}

static int gap_of(const struct cells *c) {
    return c->bar > 0 ? 1 : 2;
}

static bool is_meant(const struct ui *ui, const struct snapshot *s, uint32_t d) {
    return strip_shows(ui, s, d) && !picks_has(ui, s, d);
}

static void share_row(struct cells *c, int columns) {
    c->across = (columns + gap_of(c)) / (cell_columns(c) + gap_of(c));
    c->across = c->across < 1 ? 1 : c->across;
}

/* The widest bars with which all stand in so many rows; false where that cannot be. */
static bool try_rows(struct cells *c, int columns, int rows, int least) {
    for (c->bar = BAR_WIDEST; c->bar >= least; c->bar -= c->bar > 4 ? 2 : 1) {
        share_row(c, columns);
        if ((uint32_t)(c->across * rows) >= c->count) {
            c->rows = c->count > (uint32_t)c->across ? rows : 1;
            c->fit = c->count;
            return true;
        }
    }
    return false;
}

static struct cells lay_out(const struct ui *ui, const struct snapshot *s, const struct grid *g,
                            int most) {
    struct cells c = {.number = strip_number_columns(s)};
    int rows = most < ROWS_MOST ? most : ROWS_MOST;
    int least = ui_is(ui, SETTING_PLAIN) ? 0 : BAR_LEAST;
    for (uint32_t d = 0; d < s->device_count; d++) {
        c.count += is_meant(ui, s, d);
    }
    if (least > 0 && try_rows(&c, g->columns, 1, least)) {
        return c;
    }
    if (least > 0 && rows > 1 && try_rows(&c, g->columns, rows, least)) {
        return c;
    }
    c.bar = 0;
    share_row(&c, g->columns);
    uint32_t room = (uint32_t)(c.across * rows);
    c.rows = rows;
    c.fit = c.count;
    if (room < c.count) {
        uint32_t one = (uint32_t)(cell_columns(&c) + gap_of(&c));
        uint32_t rest = (REST_COLUMNS + one - 1) / one;
        c.fit = room > rest ? room - rest : 0;
    } else {
        c.rows = c.count > (uint32_t)c.across ? rows : 1;
    }
    return c;
}

int summary_rows(const struct ui *ui, const struct snapshot *s, const struct grid *g, int most) {
    struct cells c = lay_out(ui, s, g, most);
    return c.count > 0 ? c.rows : 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* In place of a share; NULL where one is told. */
static const char *state_word(const struct snap_device *d) {
    static const char *const words[] = {
        [DEVICE_ASLEEP] = "zz", [DEVICE_REMOVED] = "gone", [DEVICE_DENIED] = "deny"};
    if (d->state == DEVICE_ACTIVE) {
        return d->left_alone ? "idle" : NULL;
    }
    return d->state < sizeof words / sizeof words[0] ? words[d->state] : "?";
}

static void put_whole(struct buf *b, struct value busy) {
    if (busy.state != STATE_VALUE || busy.v < 0) {
        buf_text(b, table_word(busy.state == STATE_VALUE ? STATE_MALFORMED : busy.state));
        return;
    }
    buf_fixed(b, busy.v, 4, 0);
    buf_text(b, busy.doubt ? "%~" : "%");
}

static void draw_cell(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                      uint32_t d, const struct cells *c) {
    const struct snap_device *device = &s->devices[d];
    const char *word = state_word(device);
    struct value busy = device->busy_ppm;
    int end = column + cell_columns(c);
    buf_clear(&ui->text);
    buf_u64(&ui->text, d);
    draw_right(g, row, column + c->number, 0, word ? ROLE_DIM : ROLE_TITLE, buf_span_of(&ui->text));
    if (!word) {
        draw_bar(ui, g, row, column + c->number, c->bar, ROLE_BAR_GRAPHICS,
                 busy.state == STATE_VALUE ? busy.v : 0);
    }
    buf_clear(&ui->text);
    if (word) {
        buf_text(&ui->text, word);
    } else {
        put_whole(&ui->text, busy);
    }
    draw_hanging(g, row, column, end + 1 - column, word ? ROLE_DIM : share_role(busy),
                 buf_span_of(&ui->text));
    spot_add(ui, SPOT_DEVICE, d, row, column, end - column);
}

/* "+48, 37 at 88%": the others from device `from` on. */
static void draw_rest(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                      uint32_t from) {
    struct buf *b = &ui->text;
    uint32_t count = 0, best = s->device_count;
    for (uint32_t d = from; d < s->device_count; d++) {
        struct value busy = s->devices[d].busy_ppm;
        if (!is_meant(ui, s, d)) {
            continue;
        }
        count++;
        if (busy.state == STATE_VALUE && !state_word(&s->devices[d]) &&
            (best == s->device_count || busy.v > s->devices[best].busy_ppm.v)) {
            best = d;
        }
    }
    buf_clear(b);
    buf_char(b, '+');
    buf_u64(b, count);
    if (best < s->device_count) {
        buf_text(b, ", ");
        buf_u64(b, best);
        buf_text(b, " at ");
        put_whole(b, s->devices[best].busy_ppm);
    }
    grid_text(g, row, column, -1, ROLE_DIM, buf_span_of(b));
}

int summary_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most) {
    struct cells c = lay_out(ui, s, g, most);
    uint32_t at = 0, d = 0;
    if (c.count == 0 || most < 1) {
        return 0;
    }
    for (; d < s->device_count && at < c.fit; d++) {
        if (is_meant(ui, s, d)) {
            int column = (int)(at % (uint32_t)c.across) * (cell_columns(&c) + gap_of(&c));
            draw_cell(ui, s, g, row + (int)(at / (uint32_t)c.across), column, d, &c);
            at++;
        }
    }
    if (at < c.count) {
        draw_rest(ui, s, g, row + (int)(at / (uint32_t)c.across),
                  (int)(at % (uint32_t)c.across) * (cell_columns(&c) + gap_of(&c)), d);
    }
    return c.rows;
}
