/*
 * The devices above the table, in the largest of three forms for which there is room: full (a line
 * with the name, then engines and memory side by side), compact (a line each), summary (a line for
 * all). A device that is not active is one dim line in the first two. Pure.
 */
#include "ui.h"

#define NAME_MOST     28
#define GAUGE_COLUMNS 38 /* of a gauge in the full form, at least */
#define GAUGE_WIDEST  64
#define ACROSS_MOST   5
#define GAUGES_MOST   16
#define LABEL_COLUMNS 7
#define VALUE_COLUMNS 7

enum form { FORM_SUMMARY, FORM_COMPACT, FORM_FULL };

/* A line of the full form: an engine class with a bar, or a region class with a size. */
struct gauge {
    char label[8];
    struct value value;
    uint8_t role;
    bool is_memory;
    bool is_rough;
};

struct gauges {
    struct gauge list[GAUGES_MOST]; /* engines, then memory */
    int engines;
    int count;
};

/* How gauges stand side by side: engines at the left, memory at the right of them. */
struct shape {
    int rows;
    int engine_columns;
    int columns; /* of both */
    int width;   /* of one, in columns of the screen */
};

static bool is_shown(const struct ui *ui, const struct snapshot *s, uint32_t d) {
    return table_device_matches(s, d, ui->query.device);
}

/* ---- what a device has ----------------------------------------------------------------------- */

static enum role class_role(enum engine_class c) {
    static const uint8_t roles[CLASS_COUNT] = {
        [CLASS_GRAPHICS] = ROLE_BAR_GRAPHICS, [CLASS_COMPUTE] = ROLE_BAR_COMPUTE,
        [CLASS_COPY] = ROLE_BAR_COPY,         [CLASS_DECODE] = ROLE_BAR_MEDIA,
        [CLASS_ENCODE] = ROLE_BAR_MEDIA,      [CLASS_MEDIA] = ROLE_BAR_MEDIA};
    return roles[c] ? (enum role)roles[c] : ROLE_BAR_GRAPHICS;
}

/* The header of the class's column, in small letters. */
static void set_label(struct gauge *out, const char *text) {
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof out->label; n++) {
        bool is_upper = text[n] >= 'A' && text[n] <= 'Z';
        out->label[n] = is_upper ? (char)(text[n] - 'A' + 'a') : text[n];
    }
    out->label[n] = '\0';
}

static bool has_class(const struct snapshot *s, struct run engines, enum engine_class c) {
    for (uint32_t i = 0; i < engines.count; i++) {
        if (s->engines[engines.first + i].class == c) {
            return true;
        }
    }
    return false;
}

static void collect(const struct snapshot *s, const struct snap_device *d, struct gauges *out) {
    *out = (struct gauges){.count = 0};
    for (unsigned c = CLASS_NONE + 1; c < CLASS_COUNT; c++) {
        if (has_class(s, d->engines, (enum engine_class)c)) {
            struct gauge *g = &out->list[out->count++];
            *g = (struct gauge){.value = table_engines(s, d->engines, (enum engine_class)c),
                                .role = (uint8_t)class_role((enum engine_class)c)};
            set_label(g, engine_class_brief((enum engine_class)c));
        }
    }
    out->engines = out->count;
    for (unsigned c = REGION_VRAM; c <= REGION_SYSTEM; c++) {
        struct snap_shown m = table_memory(s, d->memory, (enum region_class)c);
        if (m.bytes.state != STATE_UNSUPPORTED) {
            struct gauge *g = &out->list[out->count++];
            *g = (struct gauge){.value = m.bytes,
                                .role = ROLE_BAR_MEMORY,
                                .is_memory = true,
                                .is_rough = m.mark != 0};
            set_label(g, region_class_name((enum region_class)c));
        }
    }
}

_Static_assert(CLASS_COUNT + REGION_COUNT <= GAUGES_MOST, "all gauges of a device must fit");

/* ---- rows ------------------------------------------------------------------------------------ */

static int rows_for(int count, int columns) {
    return count == 0 ? 0 : columns == 0 ? count : (count + columns - 1) / columns;
}

/* The fewest rows, and then the fewest columns, so that gauges are wide. */
static struct shape shape_of(const struct gauges *gauges, const struct grid *g) {
    int memory = gauges->count - gauges->engines;
    int across = g->columns / GAUGE_COLUMNS;
    struct shape best = {.rows = gauges->count, .columns = 1, .engine_columns = 1};
    across = across > ACROSS_MOST ? ACROSS_MOST : across;
    for (int columns = 2; columns <= across; columns++) {
        for (int left = 1; left < columns; left++) {
            int a = rows_for(gauges->engines, left);
            int b = rows_for(memory, columns - left);
            int rows = a > b ? a : b;
            if (rows < best.rows) {
                best = (struct shape){.rows = rows, .engine_columns = left, .columns = columns};
            }
        }
    }
    best.width = (g->columns - 2) / best.columns;
    best.width = best.width > GAUGE_WIDEST ? GAUGE_WIDEST : best.width;
    return best;
}

static int rows_of(const struct ui *ui, const struct snapshot *s, const struct grid *g,
                   enum form form) {
    struct gauges gauges;
    int rows = 0;
    if (form == FORM_SUMMARY) {
        return 1;
    }
    for (uint32_t d = 0; d < s->device_count && rows <= g->rows; d++) {
        if (!is_shown(ui, s, d)) {
            continue;
        }
        rows++;
        if (form == FORM_FULL && s->devices[d].state == DEVICE_ACTIVE) {
            collect(s, &s->devices[d], &gauges);
            rows += shape_of(&gauges, g).rows;
        }
    }
    return rows;
}

/* Columns of the widest name, so that what follows stands in line. */
static int name_columns(const struct ui *ui, const struct snapshot *s) {
    size_t most = 0;
    for (uint32_t d = 0; d < s->device_count; d++) {
        size_t n = text_columns(text_cut(snapshot_text(s, s->devices[d].name), NAME_MOST));
        most = is_shown(ui, s, d) && n > most ? n : most;
    }
    return (int)most;
}

static int number_columns(const struct snapshot *s) {
    return s->device_count > 100 ? 3 : s->device_count > 10 ? 2 : 1;
}

/* ---- parts of a line ------------------------------------------------------------------------- */

/* Draws what is in the scratch text where all of it fits; gives the column for what follows. */
static int part(struct ui *ui, struct grid *g, int row, int column, int width, enum role role) {
    struct span text = buf_span_of(&ui->text);
    int n = (int)text_columns(text_cut(text, 1000));
    int taken = n > width ? n : width;
    if (n == 0 || column + n > g->columns) {
        return n == 0 ? column : g->columns;
    }
    grid_text(g, row, column, -1, role, text);
    return column + taken + 2;
}

static int draw_name(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                     int width) {
    bool is_active = s->devices[d].state == DEVICE_ACTIVE;
    int number = number_columns(s);
    buf_clear(&ui->text);
    buf_u64(&ui->text, d);
    draw_right(g, row, number, 0, is_active ? ROLE_TITLE : ROLE_DIM, buf_span_of(&ui->text));
    grid_text(g, row, number + 1, width, is_active ? ROLE_TITLE : ROLE_DIM,
              snapshot_text(s, s->devices[d].name));
    return number + 1 + width + 2;
}

static void draw_inactive(const struct snapshot *s, struct grid *g, int row, int column,
                          uint32_t d) {
    static const char *const words[] = {[DEVICE_ASLEEP] = "asleep, not touched",
                                        [DEVICE_REMOVED] = "removed",
                                        [DEVICE_DENIED] = "denied, a right is missing"};
    unsigned state = s->devices[d].state;
    bool known = state < sizeof words / sizeof words[0] && words[state];
    struct span text = span_of(known ? words[state] : "state unknown");
    if (column + (int)text.n > g->columns) {
        struct cursor c = cursor_over(text);
        cursor_field(&c, ',', &text);
    }
    grid_text(g, row, column, -1, ROLE_DIM, text);
}

static enum role share_role(struct value v) {
    return v.state != STATE_VALUE ? ROLE_DIM : v.doubt ? ROLE_WARN : ROLE_VALUE;
}

/* Right-aligned in `width`, so that the sign of doubt hangs behind. */
static void draw_value(struct ui *ui, struct grid *g, int row, int column, int width,
                       struct value v, bool doubted) {
    struct span text = buf_span_of(&ui->text);
    int end = column + width - (doubted ? 0 : 1);
    draw_right(g, row, end, column, share_role(v), text);
}

static void draw_share(struct ui *ui, struct grid *g, int row, int column, struct value v) {
    buf_clear(&ui->text);
    put_share(&ui->text, v);
    draw_value(ui, g, row, column, VALUE_COLUMNS, v, v.state == STATE_VALUE && v.doubt);
}

static void put_memory(struct buf *b, struct value bytes, bool is_rough) {
    put_size(b, bytes);
    if (is_rough && bytes.state == STATE_VALUE && !bytes.doubt) {
        buf_char(b, '~');
    }
}

/* ---- the forms ------------------------------------------------------------------------------- */

static void draw_gauge(struct ui *ui, struct grid *g, int row, int column, int width,
                       const struct gauge *e) {
    bool has_value = e->value.state == STATE_VALUE;
    draw_text(g, row, column, LABEL_COLUMNS, ROLE_LABEL, e->label);
    column += LABEL_COLUMNS;
    if (e->is_memory) {
        bool doubted = has_value && (e->value.doubt || e->is_rough);
        buf_clear(&ui->text);
        put_memory(&ui->text, e->value, e->is_rough);
        draw_value(ui, g, row, column, VALUE_COLUMNS, e->value, doubted);
        draw_text(g, row, column + VALUE_COLUMNS + 1, width - LABEL_COLUMNS - VALUE_COLUMNS - 2,
                  ROLE_DIM, "used by clients");
        return;
    }
    int bar = width - LABEL_COLUMNS - VALUE_COLUMNS - 1;
    draw_bar(g, row, column, bar, (enum role)e->role, has_value ? e->value.v : 0, ui->o.unicode);
    draw_share(ui, g, row, column + (bar > 2 ? bar : 0), e->value);
}

static void draw_facts(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                       const struct snap_device *d) {
    struct buf *b = &ui->text;
    buf_clear(b);
    buf_text(b, "busy ");
    size_t n = b->n;
    put_share(b, d->busy_ppm);
    for (size_t have = b->n - n; have < 5; have++) {
        buf_text(b, " ");
    }
    column = part(ui, g, row, column, 11, share_role(d->busy_ppm));
    buf_clear(b);
    put_count(b, d->clients, "client", "clients");
    column = part(ui, g, row, column, 11, ROLE_NORMAL);
    buf_clear(b);
    buf_span(b, snapshot_text(s, d->driver));
    column = part(ui, g, row, column, 7, ROLE_DIM);
    buf_clear(b);
    buf_span(b, snapshot_text(s, d->id));
    part(ui, g, row, column, 0, ROLE_DIM);
}

/* Gauges run down their columns. */
static int draw_full(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                     int column) {
    struct gauges gauges;
    draw_facts(ui, s, g, row, column, &s->devices[d]);
    collect(s, &s->devices[d], &gauges);
    struct shape shape = shape_of(&gauges, g);
    for (int i = 0; i < gauges.count; i++) {
        bool below = shape.columns == 1 || i < gauges.engines;
        int at = below ? i : i - gauges.engines;
        int left = below ? 0 : shape.engine_columns;
        draw_gauge(ui, g, row + 1 + at % shape.rows, 2 + (left + at / shape.rows) * shape.width,
                   shape.width, &gauges.list[i]);
    }
    return 1 + shape.rows;
}

static int draw_compact(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                        uint32_t d, int column) {
    const struct snap_device *device = &s->devices[d];
    int left = g->columns - column - VALUE_COLUMNS;
    int bar = left / 3 > 24 ? 24 : left / 3;
    struct gauges gauges;
    if (left < 0) {
        return 1;
    }
    bar = bar < 5 ? 0 : bar;
    draw_bar(g, row, column, bar, ROLE_BAR_GRAPHICS,
             device->busy_ppm.state == STATE_VALUE ? device->busy_ppm.v : 0, ui->o.unicode);
    draw_share(ui, g, row, column + bar, device->busy_ppm);
    column += bar + VALUE_COLUMNS + 1;
    collect(s, device, &gauges);
    for (int i = 0; i < gauges.count; i++) {
        const struct gauge *e = &gauges.list[i];
        if (e->is_memory) {
            buf_clear(&ui->text);
            buf_text(&ui->text, e->label);
            buf_char(&ui->text, ' ');
            put_memory(&ui->text, e->value, e->is_rough);
            column = part(ui, g, row, column, 11, ROLE_NORMAL);
        }
    }
    buf_clear(&ui->text);
    put_count(&ui->text, device->clients, "client", "clients");
    part(ui, g, row, column, 0, ROLE_DIM);
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
        if (!is_shown(ui, s, d)) {
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
        column = part(ui, g, row, column, 0, ROLE_VALUE);
    }
    buf_clear(b);
    buf_u64(b, t.active);
    buf_text(b, " active, ");
    buf_u64(b, t.shown - t.active);
    buf_text(b, " asleep or away");
    part(ui, g, row, column, 0, ROLE_DIM);
    return 1;
}

int strip_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most) {
    enum form form = FORM_FULL;
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
    int rows = 0;
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (!is_shown(ui, s, d)) {
            continue;
        }
        int column = draw_name(ui, s, g, row + rows, d, width);
        if (s->devices[d].state != DEVICE_ACTIVE) {
            draw_inactive(s, g, row + rows, column, d);
            rows++;
        } else if (form == FORM_FULL) {
            rows += draw_full(ui, s, g, row + rows, d, column);
        } else {
            rows += draw_compact(ui, s, g, row + rows, d, column);
        }
    }
    return rows;
}
