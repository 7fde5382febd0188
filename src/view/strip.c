/*
 * The devices above the table, in the largest of three forms for which there is room: full (a line
 * with the name and what is known of the device, then engines and memory side by side), compact (a
 * line each), summary (a cell each, and lines for the busiest where there are rows). A device that is not active is
 * one dim line in the first two. Pure.
 */
#include "strip.h"

/* As the choices of the setting `strip`. */
enum { STRIP_AUTO, STRIP_FULL, STRIP_COMPACT, STRIP_SUMMARY, STRIP_OFF };

#define NAME_LEAST 28 /* columns of a name on screens of a common width */
#define BUSY_LEAST 2  /* busiest devices with a line of their own */

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

/* ---- names ----------------------------------------------------------------------------------- */

/* Without the words of a maker at its start. */
static struct span without_maker(struct span name) {
    static const char *const makers[] = {"Advanced Micro Devices, Inc. ",
                                         "[AMD/ATI] ",
                                         "AMD ",
                                         "Intel Corporation ",
                                         "Intel(R) ",
                                         "Intel ",
                                         "NVIDIA Corporation ",
                                         "Arm ",
                                         "ARM "};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        size_t n = span_of(makers[i]).n;
        if (span_starts(name, makers[i]) && name.n > n) {
            return span_skip(name, n);
        }
    }
    return name;
}

/* In at most so many columns; what is left out of a long one is the maker, then the middle, since names of one family
 * differ at the end. */
static void put_name(struct buf *b, struct span name, size_t most, bool unicode) {
    size_t before = 0;
    while (text_columns(name) > most && name.n != before) {
        before = name.n;
        name = without_maker(name);
    }
    if (text_columns(name) <= most || most < 4) {
        buf_span(b, text_cut(name, most));
        return;
    }
    struct span tail = name;
    buf_span(b, text_cut(name, most - most / 2 - 1));
    buf_text(b, unicode ? "…" : "+");
    while (text_columns(tail) > most / 2) {
        tail = span_skip(tail, text_grapheme(tail).bytes);
    }
    buf_span(b, tail);
}

static size_t name_most(const struct grid *g) {
    int quarter = g->columns / 4;
    int most = quarter > NAME_LEAST ? quarter : NAME_LEAST;
    return (size_t)(most * 2 > g->columns ? g->columns / 2 : most);
}

/* Columns of the widest name, so that what follows stands in line. */
static int name_columns(struct ui *ui, const struct snapshot *s, const struct grid *g) {
    size_t most = 0;
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (strip_shows(ui, s, d)) {
            buf_clear(&ui->text);
            put_name(&ui->text, snapshot_text(s, s->devices[d].name), name_most(g), ui->o.unicode);
            size_t n = text_columns(buf_span_of(&ui->text));
            most = n > most ? n : most;
        }
    }
    return (int)most;
}

int strip_number_columns(const struct snapshot *s) {
    return s->device_count > 100 ? 3 : s->device_count > 10 ? 2 : 1;
}

/* ---- the forms ------------------------------------------------------------------------------- */

static void draw_name(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                      int width) {
    enum role role = strip_state_words(&s->devices[d]) ? ROLE_DIM : ROLE_TITLE;
    int number = strip_number_columns(s);
    buf_clear(&ui->text);
    buf_u64(&ui->text, d);
    draw_right(g, row, number, 0, role, buf_span_of(&ui->text));
    buf_clear(&ui->text);
    put_name(&ui->text, snapshot_text(s, s->devices[d].name), name_most(g), ui->o.unicode);
    grid_text(g, row, number + 1, width, role, buf_span_of(&ui->text));
    spot_add(ui, SPOT_DEVICE, d, row, 0, g->columns);
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

/* Draws one device in its form; gives the rows taken. */
static int draw_device(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                       int column, enum form form, const struct items *fit) {
    const char *words = strip_state_words(&s->devices[d]);
    if (words) {
        draw_inactive(g, row, column, words);
        return 1;
    }
    return form == FORM_FULL ? draw_full(ui, s, g, row, d, column, fit)
                             : compact_draw(ui, s, g, row, d, column, fit);
}

/* A line or more for each device that is shown, or only for those that are picked. */
static int draw_devices(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                        enum form form, bool only_picked) {
    struct items fit;
    int width = name_columns(ui, s, g);
    int column = strip_number_columns(s) + 1 + width + 2;
    int taken = form == FORM_FULL ? 0 : compact_columns(ui, g, column);
    int rows = 0;
    items_fit(ui, s, form, g->columns - column - taken, &fit);
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (strip_shows(ui, s, d) && (!only_picked || picks_has(ui, s, d))) {
            draw_name(ui, s, g, row + rows, d, width);
            rows += draw_device(ui, s, g, row + rows, d, column, form, &fit);
        }
    }
    return rows;
}

/* The busiest in lines of their own, the others in a row or two. */
static int draw_mixed(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most) {
    uint32_t lines = most > BUSY_LEAST ? (uint32_t)most - 1 : 0;
    picks_choose(ui, s, lines);
    if (lines > BUSY_LEAST && summary_rows(ui, s, g, most) > 1) {
        picks_choose(ui, s, --lines);
    }
    int rows = lines > 0 ? draw_devices(ui, s, g, row, FORM_COMPACT, true) : 0;
    return rows + summary_draw(ui, s, g, row + rows, most - rows);
}

int strip_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most) {
    int64_t wanted = ui->settings.number[SETTING_STRIP];
    enum form form = wanted == STRIP_SUMMARY   ? FORM_SUMMARY
                     : wanted == STRIP_COMPACT ? FORM_COMPACT
                                               : FORM_FULL;
    if (most < 1 || wanted == STRIP_OFF || s->device_count == 0) {
        return 0;
    }
    while (form > FORM_SUMMARY && rows_of(ui, s, g, form) > most) {
        form--;
    }
    if (form > FORM_SUMMARY) {
        return draw_devices(ui, s, g, row, form, false);
    }
    return draw_mixed(ui, s, g, row, wanted == STRIP_SUMMARY && most > 2 ? 2 : most);
}
