/*
 * The devices above the table, in the largest of three forms for which there is room: full (a line
 * with the name and what is known of the device, then engines and memory side by side), compact (a
 * line each), summary (a line for all). A device that is not active is one dim line in the first
 * two. Pure.
 */
#include "strip.h"

#define NAME_MOST     28
#define SHARE_COLUMNS 7
#define BAR_WIDEST    24
#define BAR_LEAST     5

bool strip_shows(const struct ui *ui, const struct snapshot *s, uint32_t d) {
    return table_device_matches(s, d, ui->query.device);
}

const char *strip_state_words(const struct snap_device *d) {
    static const char *const words[] = {[DEVICE_ASLEEP] = "asleep, not touched",
                                        [DEVICE_REMOVED] = "removed",
                                        [DEVICE_DENIED] = "denied, a right is missing"};
    if (d->state == DEVICE_ACTIVE) {
        return d->left_alone ? "left alone so that it can sleep" : NULL;
    }
    return d->state < sizeof words / sizeof words[0] ? words[d->state] : "state unknown";
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int rows_of(const struct ui *ui, const struct snapshot *s, const struct grid *g,
                   enum form form) {
    struct gauges gauges;
    int rows = 0;
    if (form == FORM_SUMMARY) {
        return 1;
    }
    for (uint32_t d = 0; d < s->device_count && rows <= g->rows; d++) {
        if (!strip_shows(ui, s, d)) {
            continue;
        }
        rows++;
        if (form == FORM_FULL && !strip_state_words(&s->devices[d])) {
            gauges_collect(s, &s->devices[d], &gauges);
            rows += gauges_shape(&gauges, g->columns).rows;
        }
    }
    return rows;
}

/* Columns of the widest name, so that what follows stands in line. */
static int name_columns(const struct ui *ui, const struct snapshot *s) {
    size_t most = 0;
    for (uint32_t d = 0; d < s->device_count; d++) {
        size_t n = text_columns(text_cut(snapshot_text(s, s->devices[d].name), NAME_MOST));
        most = strip_shows(ui, s, d) && n > most ? n : most;
    }
    return (int)most;
}

static int number_columns(const struct snapshot *s) {
    return s->device_count > 100 ? 3 : s->device_count > 10 ? 2 : 1;
}

/* ---- the forms ------------------------------------------------------------------------------- */

static void draw_name(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                      int width) {
    enum role role = strip_state_words(&s->devices[d]) ? ROLE_DIM : ROLE_TITLE;
    int number = number_columns(s);
    buf_clear(&ui->text);
    buf_u64(&ui->text, d);
    draw_right(g, row, number, 0, role, buf_span_of(&ui->text));
    grid_text(g, row, number + 1, width, role, snapshot_text(s, s->devices[d].name));
}

/* The words, or what stands before their comma. */
static void draw_inactive(struct grid *g, int row, int column, const char *words) {
    struct span text = span_of(words);
    if (column + (int)text.n > g->columns) {
        struct cursor c = cursor_over(text);
        cursor_field(&c, ',', &text);
    }
    grid_text(g, row, column, -1, ROLE_DIM, text);
}

static int draw_full(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                     int column, const struct items *fit) {
    struct gauges gauges;
    items_draw(ui, s, g, row, column, d, FORM_FULL, fit);
    gauges_collect(s, &s->devices[d], &gauges);
    struct shape shape = gauges_shape(&gauges, g->columns);
    gauges_draw(ui, g, row + 1, &gauges, shape);
    return 1 + shape.rows;
}

/* Columns of the bar in a compact line. */
static int bar_columns(const struct grid *g, int column) {
    int third = (g->columns - column - SHARE_COLUMNS) / 3;
    return third < BAR_LEAST ? 0 : third > BAR_WIDEST ? BAR_WIDEST : third;
}

static int draw_compact(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                        uint32_t d, int column, const struct items *fit) {
    struct value busy = s->devices[d].busy_ppm;
    int bar = bar_columns(g, column);
    if (column + SHARE_COLUMNS > g->columns) {
        return 1;
    }
    draw_bar(g, row, column, bar, ROLE_BAR_GRAPHICS, busy.state == STATE_VALUE ? busy.v : 0,
             ui->o.unicode);
    buf_clear(&ui->text);
    put_share(&ui->text, busy);
    draw_hanging(g, row, column + bar, SHARE_COLUMNS, share_role(busy), buf_span_of(&ui->text));
    items_draw(ui, s, g, row, column + bar + SHARE_COLUMNS + 1, d, FORM_COMPACT, fit);
    return 1;
}

struct tally {
    uint32_t shown;
    uint32_t active;
    uint32_t busiest; /* index */
    struct value busy;
};

static struct tally count_devices(const struct ui *ui, const struct snapshot *s) {
    struct tally t = {.busy = {.state = STATE_UNKNOWN}};
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (!strip_shows(ui, s, d)) {
            continue;
        }
        struct value busy = s->devices[d].busy_ppm;
        t.shown++;
        t.active += s->devices[d].state == DEVICE_ACTIVE;
        if (busy.state == STATE_VALUE && (t.busy.state != STATE_VALUE || busy.v > t.busy.v)) {
            t.busy = busy;
            t.busiest = d;
        }
    }
    return t;
}

/* Draws what is in the scratch text where all of it fits; gives the column for what follows. */
static int part(struct ui *ui, struct grid *g, int row, int column, enum role role) {
    struct span text = buf_span_of(&ui->text);
    int n = (int)text_columns(text_cut(text, 1000));
    if (n == 0 || column + n > g->columns) {
        return n == 0 ? column : g->columns;
    }
    grid_text(g, row, column, -1, role, text);
    return column + n + 2;
}

static int draw_summary(struct ui *ui, const struct snapshot *s, struct grid *g, int row) {
    struct tally t = count_devices(ui, s);
    struct buf *b = &ui->text;
    int column = 0;
    if (t.busy.state == STATE_VALUE) {
        buf_clear(b);
        buf_text(b, "busiest ");
        buf_u64(b, t.busiest);
        buf_text(b, ": ");
        put_share(b, t.busy);
        column = part(ui, g, row, column, ROLE_VALUE);
    }
    buf_clear(b);
    buf_u64(b, t.active);
    buf_text(b, " active, ");
    buf_u64(b, t.shown - t.active);
    buf_text(b, " asleep or away");
    part(ui, g, row, column, ROLE_DIM);
    return 1;
}

/* Draws one device in its form; gives the rows taken. */
static int draw_device(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                       int column, enum form form, const struct items *fit) {
    const char *words = strip_state_words(&s->devices[d]);
    if (words) {
        draw_inactive(g, row, column, words);
        return 1;
    }
    return form == FORM_FULL ? draw_full(ui, s, g, row, d, column, fit)
                             : draw_compact(ui, s, g, row, d, column, fit);
}

int strip_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most) {
    enum form form = FORM_FULL;
    struct items fit;
    while (form > FORM_SUMMARY && rows_of(ui, s, g, form) > most) {
        form--;
    }
    if (most < 1 || s->device_count == 0) {
        return 0;
    }
    if (form == FORM_SUMMARY) {
        return draw_summary(ui, s, g, row);
    }
    int width = name_columns(ui, s);
    int column = number_columns(s) + 1 + width + 2;
    int taken = form == FORM_FULL ? 0 : bar_columns(g, column) + SHARE_COLUMNS + 1;
    int rows = 0;
    items_fit(ui, s, form, g->columns - column - taken, &fit);
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (strip_shows(ui, s, d)) {
            draw_name(ui, s, g, row + rows, d, width);
            rows += draw_device(ui, s, g, row + rows, d, column, form, &fit);
        }
    }
    return rows;
}
