/*
 * What stands in the line of a device behind its name: one const table, in the order of the screen,
 * with the order in which things are left out where there is no room. What is not there is left
 * out; the device screen says why. Pure.
 */
#include "strip.h"

#include <string.h>

#define ITEM_WIDEST   40
#define NEVER         255
#define GAP           2
#define LABEL_COLUMNS 5 /* "vram " */
#define SIZE_COLUMNS  5 /* "1023M" */

/* Appends an item's text, or nothing where there is nothing to be said. */
typedef enum role item_put(const struct ui *ui, const struct snapshot *s,
                           const struct snap_device *d, struct buf *b);

/* A metric and what it is measured against; METRIC_COUNT: nothing. */
struct reading {
    uint16_t metric;
    uint16_t limit;
};

/* The first of them that has a value. */
static struct value first_of(const struct snapshot *s, const struct snap_device *d,
                             const struct reading *list, size_t count, size_t *which) {
    struct value v = {.state = STATE_UNSUPPORTED};
    for (*which = 0; *which < count && v.state != STATE_VALUE; ++*which) {
        v = table_metric(s, d->metrics, list[*which].metric);
    }
    *which -= v.state == STATE_VALUE;
    return v;
}

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Power of the card comes before that of its parts; where no watt is known, PseudoWatt. */
static enum role say_power(const struct ui *ui, const struct snapshot *s,
                           const struct snap_device *d, struct buf *b) {
    static const struct reading list[] = {{METRIC_POWER_SOCKET, METRIC_POWER_CAP},
                                          {METRIC_POWER_GPU, METRIC_COUNT},
                                          {METRIC_POWER_GFX, METRIC_COUNT}};
    size_t i;
    struct value v = first_of(s, d, list, COUNT_OF(list), &i);
    if (v.state != STATE_VALUE) {
        bool has_watts = table_real(d->power.watts).state == STATE_VALUE;
        struct real r = has_watts ? d->power.watts : d->power.pw;
        bool is_known = table_real(r).state == STATE_VALUE;
        return is_known ? table_power_text(r, has_watts ? "W" : "PW", b) : ROLE_DIM;
    }
    return table_metric_of(list[i].metric, v, table_metric(s, d->metrics, list[i].limit),
                           ui->o.unicode, b);
}

/* At its limit and above it is marked. */
static enum role say_temperature(const struct ui *ui, const struct snapshot *s,
                                 const struct snap_device *d, struct buf *b) {
    static const struct reading list[] = {
        {METRIC_TEMPERATURE_EDGE, METRIC_TEMPERATURE_EDGE_CRIT},
        {METRIC_TEMPERATURE_HOTSPOT, METRIC_TEMPERATURE_HOTSPOT_CRIT},
        {METRIC_TEMPERATURE_GFX, METRIC_COUNT},
        {METRIC_TEMPERATURE_SOC, METRIC_COUNT}};
    size_t i;
    struct value v = first_of(s, d, list, COUNT_OF(list), &i);
    if (v.state != STATE_VALUE) {
        return ROLE_DIM;
    }
    struct value limit = table_metric(s, d->metrics, list[i].limit);
    enum role role = table_metric_text(list[i].metric, v, ui->o.unicode, b);
    if (limit.state != STATE_VALUE || limit.v <= 0 || v.v < limit.v || v.doubt) {
        return role;
    }
    buf_char(b, '!');
    return ROLE_BAD;
}

static enum role say_metric(const struct ui *ui, const struct snapshot *s,
                            const struct snap_device *d, unsigned metric, const char *before,
                            struct buf *b) {
    struct value v = table_metric(s, d->metrics, metric);
    if (v.state != STATE_VALUE) {
        return ROLE_DIM;
    }
    buf_text(b, before);
    return table_metric_text(metric, v, ui->o.unicode, b);
}

static enum role say_clock(const struct ui *ui, const struct snapshot *s,
                           const struct snap_device *d, struct buf *b) {
    return say_metric(ui, s, d, METRIC_CLOCK_GFX, "", b);
}

static enum role say_fan(const struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                         struct buf *b) {
    bool turns = table_metric(s, d->metrics, METRIC_FAN_SPEED).state == STATE_VALUE;
    return turns ? say_metric(ui, s, d, METRIC_FAN_SPEED, "", b)
                 : say_metric(ui, s, d, METRIC_FAN_PWM, "fan ", b);
}

static enum role say_link(const struct ui *ui, const struct snapshot *s,
                          const struct snap_device *d, struct buf *b) {
    size_t start = b->n;
    enum role width = say_metric(ui, s, d, METRIC_LINK_WIDTH, "x", b);
    enum role speed = say_metric(ui, s, d, METRIC_LINK_SPEED, b->n > start ? " " : "", b);
    return width == ROLE_WARN || speed == ROLE_WARN ? ROLE_WARN : ROLE_NORMAL;
}

/* What is used ends in one column whatever its digits: "1023M", " 1.0G/16G". */
static void put_right(struct buf *b, const struct gauge *e) {
    size_t start = b->n, used = 0;
    gauge_put_memory(b, e);
    while (start + used < b->n && b->p[start + used] != '/' && b->p[start + used] != '~') {
        used++;
    }
    b->n = start;
    buf_fill(b, ' ', used < SIZE_COLUMNS ? SIZE_COLUMNS - used : 0);
    gauge_put_memory(b, e);
}

static enum role say_region(const struct snapshot *s, const struct snap_device *d, int which,
                            struct buf *b) {
    struct gauges gauges;
    gauges_collect(s, d, &gauges);
    if (gauges.engines + which >= gauges.count) {
        return ROLE_DIM;
    }
    const struct gauge *e = &gauges.list[gauges.engines + which];
    buf_text(b, e->label);
    buf_fill(b, ' ', span_of(e->label).n < LABEL_COLUMNS ? LABEL_COLUMNS - span_of(e->label).n : 1);
    put_right(b, e);
    return ROLE_NORMAL;
}

static enum role say_memory(const struct ui *ui, const struct snapshot *s,
                            const struct snap_device *d, struct buf *b) {
    (void)ui;
    return say_region(s, d, 0, b);
}

static enum role say_more_memory(const struct ui *ui, const struct snapshot *s,
                                 const struct snap_device *d, struct buf *b) {
    (void)ui;
    return say_region(s, d, 1, b);
}

static enum role say_clients(const struct ui *ui, const struct snapshot *s,
                             const struct snap_device *d, struct buf *b) {
    (void)ui;
    (void)s;
    put_count(b, d->clients, "client", "clients");
    return ROLE_DIM;
}

static enum role say_driver(const struct ui *ui, const struct snapshot *s,
                            const struct snap_device *d, struct buf *b) {
    (void)ui;
    buf_span(b, snapshot_text(s, d->driver));
    return ROLE_DIM;
}

static enum role say_id(const struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                        struct buf *b) {
    struct span id = snapshot_text(s, d->id);
    (void)ui;
    /* One that nothing names but its driver. */
    if (!span_same(id, snapshot_text(s, d->driver)) && !span_same(id, snapshot_text(s, d->name))) {
        buf_span(b, id);
    }
    return ROLE_DIM;
}

/* Items of a rank below stay beside a note. */
static const uint8_t note_keeps[] = {[FORM_COMPACT] = 1, [FORM_FULL] = 2};

/* Ranks by form: the highest is left out first, NEVER is no part of the form. */
static const struct item {
    item_put *put;
    uint8_t least; /* columns, so that what follows does not move */
    bool right;
    uint8_t rank[FORM_FULL + 1];
} items[ITEMS_MOST] = {
    {say_memory, 10, false, {[FORM_COMPACT] = 0, [FORM_FULL] = NEVER}},
    {say_more_memory, 9, false, {[FORM_COMPACT] = 3, [FORM_FULL] = NEVER}},
    {say_power, 9, true, {[FORM_COMPACT] = 1, [FORM_FULL] = 0}},
    {say_temperature, 6, true, {[FORM_COMPACT] = 2, [FORM_FULL] = 1}},
    {say_clock, 8, true, {[FORM_COMPACT] = 4, [FORM_FULL] = 2}},
    {say_fan, 8, true, {[FORM_COMPACT] = 5, [FORM_FULL] = 3}},
    {say_link, 6, false, {[FORM_COMPACT] = NEVER, [FORM_FULL] = 4}},
    {say_clients, 10, false, {[FORM_COMPACT] = 6, [FORM_FULL] = 5}},
    {say_driver, 0, false, {[FORM_COMPACT] = NEVER, [FORM_FULL] = 6}},
    {say_id, 0, false, {[FORM_COMPACT] = NEVER, [FORM_FULL] = 7}},
};

/* ---- which, and how wide --------------------------------------------------------------------- */

/* The item's text without the sign of doubt, which hangs into the gap behind. */
static struct span text_of(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                           unsigned i, enum role *role, bool *hangs) {
    buf_clear(&ui->text);
    *role = items[i].put(ui, s, d, &ui->text);
    struct span text = text_cut(buf_span_of(&ui->text), ITEM_WIDEST);
    *hangs = text.n > 1 && text.p[text.n - 1] == '~';
    return (struct span){text.p, text.n - *hangs};
}

/* Never less than it was, so that numbers stay in their columns. */
static uint8_t width_of(struct ui *ui, const struct snapshot *s, unsigned i) {
    size_t most = 0;
    for (uint32_t d = 0; d < s->device_count; d++) {
        enum role role;
        bool hangs;
        if (!strip_shows(ui, s, d) || strip_state_words(&s->devices[d])) {
            continue;
        }
        size_t n = text_columns(text_of(ui, s, &s->devices[d], i, &role, &hangs));
        most = n > most ? n : most;
    }
    most = most > 0 && most < items[i].least ? items[i].least : most;
    most = most > 0 && most < ui->strip.widest[i] ? ui->strip.widest[i] : most;
    return ui->strip.widest[i] = (uint8_t)(most > 0 ? most : ui->strip.widest[i]);
}

/* Columns of all items with the gaps between them; the last one needs only what it says. */
static int columns_of(const struct items *fit) {
    int columns = 0;
    for (unsigned i = 0; i < ITEMS_MOST; i++) {
        columns += fit->width[i] ? fit->width[i] + GAP : 0;
    }
    return columns ? columns - GAP : 0;
}

/* The one to leave out first of those of `least` rank at least; ITEMS_MOST for none. */
static unsigned last_of(const struct items *fit, enum form form, unsigned least) {
    unsigned last = ITEMS_MOST;
    for (unsigned i = 0; i < ITEMS_MOST; i++) {
        if (fit->width[i] && items[i].rank[form] >= least &&
            (last == ITEMS_MOST || items[i].rank[form] > items[last].rank[form])) {
            last = i;
        }
    }
    return last;
}

static void leave_out(struct items *fit, enum form form, unsigned least, int room) {
    unsigned last;
    while (columns_of(fit) > room && (last = last_of(fit, form, least)) < ITEMS_MOST) {
        fit->width[last] = 0;
    }
}

void items_fit(struct ui *ui, const struct snapshot *s, enum form form, int room,
               struct items *out) {
    if (ui->strip.device != ui->device || ui->strip.devices != s->device_count) {
        memset(ui->strip.widest, 0, sizeof ui->strip.widest);
        ui->strip.device = ui->device;
        ui->strip.devices = s->device_count;
    }
    for (unsigned i = 0; i < ITEMS_MOST; i++) {
        out->width[i] = items[i].rank[form] == NEVER ? 0 : width_of(ui, s, i);
    }
    leave_out(out, form, 0, room);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int draw_item(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                     const struct snap_device *d, unsigned i, int width) {
    enum role role;
    bool hangs;
    struct span text = text_of(ui, s, d, i, &role, &hangs);
    int n = (int)text_columns(text);
    int at = items[i].right && n < width ? column + width - n : column;
    grid_text(g, row, at, -1, role, (struct span){text.p, text.n + hangs});
    return n;
}

void items_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                uint32_t d, enum form form, const struct items *fit) {
    struct items mine = *fit;
    int note = note_least(s, d);
    int end = column;
    if (note > 0) {
        leave_out(&mine, form, note_keeps[form], g->columns - column - note - GAP);
    }
    for (unsigned i = 0; i < ITEMS_MOST; i++) {
        if (mine.width[i] == 0) {
            continue;
        }
        if (draw_item(ui, s, g, row, column, &s->devices[d], i, mine.width[i]) > 0) {
            end = column + mine.width[i] + GAP;
        }
        column += mine.width[i] + GAP;
    }
    if (note > 0) {
        buf_clear(&ui->text);
        enum role role = note_put(s, d, g->columns - end, &ui->text);
        grid_text(g, row, end, -1, role, buf_span_of(&ui->text));
    }
}
