/*
 * The gauges of a device: a bar for each class of engines, and one for each class of memory of
 * which the size is known. Where the device has a sensor of its own, that is shown in place of the
 * sum over its clients, which misses those that cannot be read, and the bar says so. Pure.
 */
#include "strip.h"

#define GAUGE_COLUMNS  38 /* of a gauge, at least */
#define GAUGE_WIDEST   64
#define ACROSS_MOST    5
#define LABEL_COLUMNS  5
#define SHARE_COLUMNS  7
#define SIZE_COLUMNS   7
#define PAIR_COLUMNS   15 /* " 5.1/16.0 GiB" and the sign of doubt */
#define SENSOR_COLUMNS 7
#define SENSOR_LEAST   34 /* columns of a gauge from which on it says where it is from */

/* ---- what a device has ----------------------------------------------------------------------- */

enum role gauge_role(enum engine_class c) {
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

/* The device's own sensor of a class; unsupported where there is none. */
static struct value sensor_of(const struct snapshot *s, const struct snap_device *d,
                              enum engine_class c) {
    static const struct {
        uint16_t metric;
        bool is_there;
    } sensors[CLASS_COUNT] = {[CLASS_GRAPHICS] = {METRIC_ACTIVITY_GFX, true},
                              [CLASS_MEDIA] = {METRIC_ACTIVITY_MEDIA, true}};
    return sensors[c].is_there ? table_metric(s, d->metrics, sensors[c].metric)
                               : (struct value){.state = STATE_UNSUPPORTED};
}

/* One that stands still while clients work, or has just woken, says less than they do. */
static bool speaks(struct value sensor, struct value clients) {
    bool is_bad = sensor.doubt & (DOUBT_STUCK | DOUBT_WAKING) && clients.state == STATE_VALUE;
    return sensor.state == STATE_VALUE && sensor.v >= 0 && !is_bad;
}

static struct gauge *add(struct gauges *out, const char *label) {
    struct gauge *g = &out->list[out->count++];
    *g = (struct gauge){.value = {.state = STATE_UNKNOWN}};
    set_label(g, label);
    return g;
}

static void add_engine(struct gauges *out, enum engine_class c, struct value v, bool is_sensor) {
    struct gauge *g = add(out, engine_class_brief(c));
    g->value = v;
    g->role = (uint8_t)gauge_role(c);
    g->class = (uint8_t)c;
    g->is_sensor = is_sensor;
    out->has_sensor = out->has_sensor || is_sensor;
}

/* The sensor of the video engines sees those that decode and those that encode. */
static void collect_engines(const struct snapshot *s, const struct snap_device *d,
                            struct gauges *out) {
    struct value media = sensor_of(s, d, CLASS_MEDIA);
    bool has_media = speaks(media, table_engines(s, d->engines, CLASS_MEDIA));
    for (unsigned i = CLASS_NONE + 1; i < CLASS_COUNT; i++) {
        enum engine_class c = (enum engine_class)i;
        struct value sensor = sensor_of(s, d, c);
        struct value clients = table_engines(s, d->engines, c);
        if (speaks(sensor, clients)) {
            add_engine(out, c, sensor, true);
        } else if (has_class(s, d->engines, c) &&
                   !(has_media && (c == CLASS_DECODE || c == CLASS_ENCODE))) {
            add_engine(out, c, clients, false);
        }
    }
    if (out->count == 0 && d->busy_ppm.state != STATE_UNSUPPORTED) {
        struct gauge *g = add(out, "busy");
        g->value = d->busy_ppm;
        g->role = ROLE_BAR_GRAPHICS;
    }
}

static void collect_memory(const struct snapshot *s, const struct snap_device *d,
                           struct gauges *out) {
    static const struct {
        const char *label;
        uint16_t used;
        uint16_t total;
    } regions[REGION_COUNT] = {
        [REGION_VRAM] = {"vram", METRIC_MEMORY_VRAM_USED, METRIC_MEMORY_VRAM_TOTAL},
        [REGION_GTT] = {"gtt", METRIC_MEMORY_GTT_USED, METRIC_MEMORY_GTT_TOTAL},
        [REGION_SYSTEM] = {"sys", METRIC_COUNT, METRIC_COUNT}};
    out->engines = out->count;
    for (unsigned c = REGION_VRAM; c <= REGION_SYSTEM; c++) {
        struct snap_shown clients = table_memory(s, d->memory, (enum region_class)c);
        struct value used = table_metric(s, d->metrics, regions[c].used);
        struct value total = table_metric(s, d->metrics, regions[c].total);
        bool has_total = total.state == STATE_VALUE && total.v > 0;
        bool is_sensor = used.state == STATE_VALUE;
        bool is_nothing = clients.bytes.state == STATE_VALUE && clients.bytes.v == 0;
        bool is_said = clients.bytes.state != STATE_UNSUPPORTED;
        if (!is_sensor && !has_total &&
            (!is_said || (c == REGION_SYSTEM && is_nothing && out->count > out->engines))) {
            continue; /* a card's driver names main memory that is not GTT, and has none */
        }
        struct gauge *g = add(out, regions[c].label);
        g->role = ROLE_BAR_MEMORY;
        g->class = (uint8_t)c;
        g->is_memory = true;
        g->is_sensor = is_sensor;
        g->value = is_sensor ? used : clients.bytes;
        g->whole = has_total ? total : (struct value){.state = STATE_UNKNOWN};
        g->is_rough = !is_sensor && (clients.mark != 0 || has_total);
        if (!is_sensor && clients.bytes.state == STATE_UNSUPPORTED) {
            g->value = used;
        }
    }
}

void gauges_collect(const struct snapshot *s, const struct snap_device *d, struct gauges *out) {
    *out = (struct gauges){.count = 0};
    collect_engines(s, d, out);
    collect_memory(s, d, out);
}

_Static_assert(CLASS_COUNT + REGION_COUNT <= GAUGES_MOST, "all gauges of a device must fit");

/* ---- side by side ---------------------------------------------------------------------------- */

static int rows_for(int count, int columns) {
    return count == 0 ? 0 : columns == 0 ? count : (count + columns - 1) / columns;
}

/* The fewest rows, and then the fewest columns, so that gauges are wide. */
struct shape gauges_shape(const struct gauges *gauges, int columns) {
    int memory = gauges->count - gauges->engines;
    int across = columns / GAUGE_COLUMNS;
    struct shape best = {.rows = gauges->count, .columns = 1, .engine_columns = 1};
    across = across > ACROSS_MOST ? ACROSS_MOST : across;
    for (int n = 2; n <= across; n++) {
        for (int left = 1; left < n; left++) {
            int a = rows_for(gauges->engines, left);
            int b = rows_for(memory, n - left);
            int rows = a > b ? a : b;
            if (rows < best.rows) {
                best = (struct shape){.rows = rows, .engine_columns = left, .columns = n};
            }
        }
    }
    best.width = (columns - 2) / best.columns;
    best.width = best.width > GAUGE_WIDEST ? GAUGE_WIDEST : best.width;
    return best;
}

/* ---- drawing --------------------------------------------------------------------------------- */

void gauge_put_memory(struct buf *b, const struct gauge *e) {
    bool has_value = e->value.state == STATE_VALUE;
    struct value plain = e->value;
    plain.doubt = 0;
    put_size(b, plain);
    if (e->whole.state == STATE_VALUE) {
        buf_char(b, '/');
        plain = e->whole;
        plain.doubt = 0;
        put_size(b, plain);
    }
    buf_text(b, has_value && (e->value.doubt || e->is_rough) ? "~" : "");
}

/* Thousandths of thousandths of the whole. */
static int64_t share_of(struct value v, struct value whole) {
    if (v.state != STATE_VALUE || whole.state != STATE_VALUE || v.v <= 0 || whole.v <= 0) {
        return 0;
    }
    return v.v >= whole.v ? 1000000
                          : (int64_t)mul_div_u64((uint64_t)v.v, 1000000, (uint64_t)whole.v);
}

static void draw_memory(struct ui *ui, struct grid *g, int row, int column, int width,
                        const struct gauge *e) {
    enum role role = e->value.state != STATE_VALUE      ? ROLE_DIM
                     : e->value.doubt || e->whole.doubt ? ROLE_WARN
                                                        : ROLE_VALUE;
    buf_clear(&ui->text);
    if (e->whole.state != STATE_VALUE) {
        gauge_put_memory(&ui->text, e);
        draw_hanging(g, row, column, SIZE_COLUMNS, role, buf_span_of(&ui->text));
        draw_text(g, row, column + SIZE_COLUMNS + 1, width - SIZE_COLUMNS - 2, ROLE_DIM,
                  e->is_sensor ? "in use" : "used by clients");
        return;
    }
    int bar = ui_is(ui, SETTING_PLAIN) ? 0 : width - PAIR_COLUMNS - 1;
    (void)table_metric_of(METRIC_MEMORY_VRAM_USED, e->value, e->whole, ui->o.unicode, &ui->text);
    if (e->is_rough && e->value.state == STATE_VALUE && !e->value.doubt && !e->whole.doubt) {
        buf_char(&ui->text, '~');
    }
    draw_bar(ui, g, row, column, bar, (enum role)e->role, share_of(e->value, e->whole));
    draw_hanging(g, row, column + (bar > 2 ? bar : 0), PAIR_COLUMNS, role, buf_span_of(&ui->text));
}

static void draw_engine(struct ui *ui, struct grid *g, int row, int column, int width,
                        const struct gauge *e, bool says_sensor) {
    bool has_value = e->value.state == STATE_VALUE;
    int bar = width - SHARE_COLUMNS - 1 - (says_sensor ? SENSOR_COLUMNS : 0);
    bar = ui_is(ui, SETTING_PLAIN) ? 0 : bar;
    draw_bar(ui, g, row, column, bar, (enum role)e->role, has_value ? e->value.v : 0);
    column += bar > 2 ? bar : 0;
    buf_clear(&ui->text);
    put_share(&ui->text, e->value);
    draw_hanging(g, row, column, SHARE_COLUMNS, share_role(e->value), buf_span_of(&ui->text));
    if (says_sensor && e->is_sensor) {
        draw_text(g, row, column + SHARE_COLUMNS, SENSOR_COLUMNS, ROLE_DIM, "sensor");
    }
}

/* Gauges run down their columns. */
void gauges_draw(struct ui *ui, struct grid *g, int row, const struct gauges *gauges,
                 struct shape shape) {
    for (int i = 0; i < gauges->count; i++) {
        const struct gauge *e = &gauges->list[i];
        bool below = shape.columns == 1 || i < gauges->engines;
        int at = below ? i : i - gauges->engines;
        int left = below ? 0 : shape.engine_columns;
        int column = 2 + (left + at / shape.rows) * shape.width;
        int width = shape.width - LABEL_COLUMNS;
        draw_text(g, row + at % shape.rows, column, LABEL_COLUMNS, ROLE_LABEL, e->label);
        if (e->is_memory) {
            draw_memory(ui, g, row + at % shape.rows, column + LABEL_COLUMNS, width, e);
        } else {
            draw_engine(ui, g, row + at % shape.rows, column + LABEL_COLUMNS, width, e,
                        gauges->has_sensor && shape.width >= SENSOR_LEAST);
        }
    }
}
