/*
 * `--once` and `--batch`: a report for people. A line for each device, the process table, and how many
 * processes could not be looked into. A number that is not there is the table's word for it ("?" not
 * yet known, "-" not there, "deny", "bad"), never 0. Pure.
 */
#include "lines.h"
#include "outputs.h"
#include "state.h"

/* COMMAND without a limit: as long as a command line can be. */
#define COLUMNS_MAX LABEL_MAX

static struct look look_of(const struct out_state *st) {
    return (struct look){st->options.unicode, st->options.color};
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool put_absent(struct buf *b, struct value v) {
    if (v.state == STATE_VALUE)
        return false;
    buf_text(b, table_word(v.state));
    return true;
}

static void put_percent(struct buf *b, struct span name, struct value ppm) {
    buf_clear(b);
    buf_span(b, name);
    buf_char(b, ' ');
    if (!put_absent(b, ppm)) {
        buf_fixed(b, ppm.v, 4, 1);
        buf_char(b, '%');
        buf_text(b, ppm.doubt ? "~" : "");
    }
}

static void put_bytes(struct buf *b, struct span name, struct snap_shown m) {
    char text[8];
    buf_clear(b);
    buf_span(b, name);
    buf_char(b, ' ');
    if (!put_absent(b, m.bytes)) {
        human_bytes(text, m.bytes.v > 0 ? (uint64_t)m.bytes.v : 0);
        buf_text(b, text);
        buf_text(b, m.mark || m.bytes.doubt ? "~" : "");
    }
}

/* What the device's own sensors say in its line: the first of a group that is known. */
struct sensor {
    uint16_t metric;
    uint16_t whole; /* METRIC_COUNT: none */
    const char *before;
    bool last; /* of its group */
};
static const struct sensor sensors[] = {
    {METRIC_POWER_SOCKET, METRIC_POWER_CAP, "", false},
    {METRIC_POWER_GPU, METRIC_COUNT, "", true},
    {METRIC_TEMPERATURE_EDGE, METRIC_COUNT, "", false},
    {METRIC_TEMPERATURE_HOTSPOT, METRIC_COUNT, "", false},
    {METRIC_TEMPERATURE_GFX, METRIC_COUNT, "", false},
    {METRIC_TEMPERATURE_SOC, METRIC_COUNT, "", true},
    {METRIC_CLOCK_GFX, METRIC_COUNT, "", true},
    {METRIC_MEMORY_VRAM_USED, METRIC_MEMORY_VRAM_TOTAL, "vram ", true},
    {METRIC_MEMORY_GTT_USED, METRIC_MEMORY_GTT_TOTAL, "gtt ", true},
};

/* Where no sensor in the line says it: the device's watts, else what the work of its clients comes to. */
static void device_power(struct out_state *st, const struct snapshot *s,
                         const struct snap_device *d, struct flow *f) {
    bool is_said = table_metric(s, d->metrics, METRIC_POWER_SOCKET).state == STATE_VALUE ||
                   table_metric(s, d->metrics, METRIC_POWER_GPU).state == STATE_VALUE;
    bool has_watts = table_real(d->power.watts).state == STATE_VALUE;
    struct real r = has_watts ? d->power.watts : d->power.pw;
    if (!is_said && table_real(r).state == STATE_VALUE) {
        buf_clear(&st->cell);
        enum role role = table_power_text(r, has_watts ? "W" : "PW", &st->cell);
        flow_item(f, 2, buf_span_of(&st->cell), role);
    }
}

static void device_sensors(struct out_state *st, const struct snapshot *s,
                           const struct snap_device *d, struct flow *f) {
    bool said = false;
    for (size_t i = 0; i < sizeof(sensors) / sizeof(sensors[0]); i++) {
        const struct sensor *sensor = &sensors[i];
        struct value v = table_metric(s, d->metrics, sensor->metric);
        if (!said && v.state == STATE_VALUE) {
            buf_clear(&st->cell);
            buf_text(&st->cell, sensor->before);
            enum role role =
                table_metric_of(sensor->metric, v, table_metric(s, d->metrics, sensor->whole),
                                st->options.unicode, &st->cell);
            flow_item(f, 2, buf_span_of(&st->cell), role);
            said = true;
        }
        said = said && !sensor->last;
    }
}

/* Whether the device's own total stands in the line already. */
static bool region_is_told(const struct snapshot *s, const struct snap_device *d,
                           enum region_class class) {
    unsigned metric = class == REGION_VRAM  ? METRIC_MEMORY_VRAM_USED
                      : class == REGION_GTT ? METRIC_MEMORY_GTT_USED
                                            : METRIC_COUNT;
    return table_metric(s, d->metrics, metric).state == STATE_VALUE;
}

static void device_values(struct out_state *st, const struct snapshot *s,
                          const struct snap_device *d, struct flow *f) {
    struct buf *item = &st->cell;
    put_percent(item, span_of("busy"), d->busy_ppm);
    flow_item(f, 2, buf_span_of(item), ROLE_VALUE);
    for (uint32_t i = 0; i < d->engines.count; i++) {
        const struct snap_engine *e = &s->engines[d->engines.first + i];
        put_percent(item, snapshot_text(s, e->name), e->busy_ppm);
        flow_item(f, 2, buf_span_of(item), ROLE_NORMAL);
    }
    const struct value counts_time = table_metric(s, d->metrics, METRIC_PROFILING);
    if (counts_time.state == STATE_VALUE && counts_time.v == 0)
        flow_item(f, 2, span_of("engine time off"), ROLE_WARN);
    device_sensors(st, s, d, f);
    device_power(st, s, d, f);
    for (uint32_t i = 0; i < d->memory.count; i++) {
        const struct run one = {d->memory.first + i, 1};
        const struct snap_memory *m = &s->memory[one.first];
        struct snap_shown shown = table_memory(s, one, m->class);
        if (region_is_told(s, d, m->class))
            continue;
        /* Small regions that nobody uses are noise in a line for people. */
        if (m->class != REGION_VRAM && m->class != REGION_GTT && shown.bytes.state == STATE_VALUE &&
            shown.bytes.v == 0)
            continue;
        put_bytes(item, snapshot_text(s, m->region), shown);
        flow_item(f, 2, buf_span_of(item), ROLE_NORMAL);
    }
}

static const char *state_words(const struct snap_device *d) {
    return d->state == DEVICE_ASLEEP ? "asleep, not touched" : device_state_name(d->state);
}

/* Why there are no hardware counters though they were asked for. */
static void put_counters(struct out_state *st, const struct snap_device *d, struct buf *b) {
    struct flow f = {b, st->options.width, 4, look_of(st), 2};
    struct cursor c = cursor_over(span_of(counters_state_text(d->counters)));
    struct span word;
    if (d->counters == COUNTERS_NONE || d->counters == COUNTERS_HELD) {
        return;
    }
    buf_text(b, "  ");
    flow_item(&f, 0, span_of("counters:"), ROLE_WARN);
    while (cursor_word(&c, &word)) {
        flow_item(&f, 1, word, ROLE_WARN);
    }
    line_end(b);
}

static void put_device(struct out_state *st, const struct snapshot *s, uint32_t at, struct buf *b) {
    const struct snap_device *d = &s->devices[at];
    struct flow f = {b, st->options.width, 2, look_of(st), 0};
    buf_clear(&st->cell);
    buf_u64(&st->cell, at);
    flow_item(&f, 0, buf_span_of(&st->cell), ROLE_LABEL);
    flow_item(&f, 1, snapshot_text(s, d->name), ROLE_TITLE);
    if (d->driver.len > 0) {
        flow_item(&f, 2, snapshot_text(s, d->driver), ROLE_NORMAL);
    }
    flow_item(&f, 2, span_of(state_words(d)), d->state == DEVICE_ACTIVE ? ROLE_NORMAL : ROLE_DIM);
    if (d->state != DEVICE_ASLEEP && d->state != DEVICE_REMOVED) {
        device_values(st, s, d, &f);
    }
    line_end(b);
    put_counters(st, d, b);
}

static void put_devices(struct out_state *st, const struct snapshot *s, struct buf *b) {
    bool any = false;
    for (uint32_t i = 0; i < s->device_count; i++) {
        if (out_state_device(st, s, i)) {
            put_device(st, s, i, b);
            any = true;
        }
    }
    if (!any) {
        buf_text(b, s->devices_denied > 0 ? "GPUs cannot be listed: permission denied\n"
                                          : "no GPU found\n");
    }
}

/* ---- the table --------------------------------------------------------------------------------- */

static void choose_columns(const struct out_state *st, const struct snapshot *s,
                           struct column_set *set) {
    *set = st->options.columns;
    if (set->count == 0) {
        column_set_default(s, set);
        if (st->options.width > 0) {
            column_set_fit(set, st->options.width);
        }
    }
}

/* Columns that COMMAND gets: what the others leave; all of a line without end if it is the last. */
static size_t command_width(const struct out_state *st, const struct column_set *set) {
    size_t least = column_info(COLUMN_COMMAND)->width;
    size_t others = 0;
    if (st->options.width == 0) {
        return set->list[set->count - 1] == COLUMN_COMMAND ? COLUMNS_MAX : least * 2;
    }
    for (unsigned i = 0; i < set->count; i++) {
        if (set->list[i] != COLUMN_COMMAND) {
            others += column_set_width(set, i) + 1;
        }
    }
    return others + least <= st->options.width ? st->options.width - others : least;
}

struct place {
    size_t width;
    bool last;
    struct look look;
};

/* A text in its column; one that hangs over takes the blank after the column. */
static void put_in_column(struct buf *b, struct span text, size_t lead, enum role role,
                          struct place p) {
    size_t taken = lead + text_columns(text);
    buf_fill(b, ' ', lead);
    line_role(b, text, role, p.look);
    if (!p.last && taken < p.width + 1) {
        buf_fill(b, ' ', p.width + 1 - taken);
    }
}

/* One line of the table; row NULL: its titles. */
static void put_row(struct out_state *st, const struct snapshot *s, const struct row *row,
                    const struct column_set *set, struct buf *b) {
    const struct snapshot *from = row && row->total ? &st->totals.s : s;
    for (unsigned i = 0; i < set->count; i++) {
        enum column c = set->list[i];
        const struct column_info *info = column_info(c);
        struct place p = {column_set_width(set, i), i + 1u == set->count, look_of(st)};
        if (column_set_stretches(set, i)) {
            p.width = command_width(st, set);
        }
        if (!row) {
            const char *title_text = column_title(c, st->options.unicode);
            struct span words = text_cut(span_of(title_text), p.width);
            size_t title = text_columns(words);
            size_t lead = info->left || title >= p.width ? 0 : p.width - title;
            put_in_column(b, words, lead, ROLE_HEADER, p);
            continue;
        }
        buf_clear(&st->cell);
        size_t lead;
        enum role role =
            table_place(from, *row, set, i, p.width, st->options.unicode, &st->cell, &lead);
        put_in_column(b, buf_span_of(&st->cell), lead, role, p);
    }
    line_end(b);
}

static void put_table(struct out_state *st, const struct snapshot *s, struct buf *b) {
    struct column_set set;
    choose_columns(st, s, &set);
    out_state_rows(st, s, false);
    if (st->rows.count == 0 || set.count == 0) {
        const struct table_query *q = &st->options.query;
        buf_text(b, q->user.n > 0 || q->pid != 0 || q->filter.count > 0
                        ? "no such process uses a GPU\n"
                        : "no process uses a GPU\n");
        return;
    }
    put_row(st, s, NULL, &set, b);
    for (uint32_t i = 0; i < st->rows.count; i++) {
        put_row(st, s, &st->rows.rows[i], &set, b);
    }
}

/* ---- the rest ----------------------------------------------------------------------------------- */

/* "(denied 2, hidepid 1):" */
/* What a right would change: others are not cured by one. */
static bool wants_right(const struct snapshot *s) {
    return s->unreadable_reasons[REASON_DENIED] + s->unreadable_reasons[REASON_NOT_DUMPABLE] > 0;
}

static void put_reasons(struct buf *b, const struct snapshot *s) {
    const char *before = "(";
    buf_clear(b);
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        if (s->unreadable_reasons[r] > 0) {
            buf_text(b, before);
            buf_text(b, reason_word(r));
            buf_char(b, ' ');
            buf_u64(b, s->unreadable_reasons[r]);
            before = ", ";
        }
    }
    if (b->n > 0) {
        buf_text(b, wants_right(s) ? "):" : ")");
    }
}

static void put_unreadable(struct out_state *st, const struct snapshot *s, struct buf *b) {
    struct flow f = {b, st->options.width, 2, look_of(st), 0};
    struct buf *item = &st->cell;
    if (s->unreadable == 0) {
        return;
    }
    buf_clear(item);
    buf_u64(item, s->unreadable);
    buf_text(item, s->unreadable == 1 ? " process not readable" : " processes not readable");
    flow_item(&f, 0, buf_span_of(item), ROLE_WARN);
    put_reasons(item, s);
    if (item->n > 0) {
        flow_item(&f, 1, buf_span_of(item), ROLE_WARN);
    }
    if (wants_right(s)) {
        flow_item(&f, 1, span_of(remedy_text(REMEDY_ONE, st->options.insight)), ROLE_WARN);
    }
    line_end(b);
}

static void put_time(const struct snapshot *s, struct buf *b) {
    if (s->real_ns != 0) {
        line_utc(b, s->real_ns);
    } else {
        buf_text(b, "time unknown");
    }
    if (s->interval_ns.state == STATE_VALUE) {
        buf_text(b, "  interval ");
        buf_fixed(b, s->interval_ns.v, 9, 3);
        buf_text(b, " s\n");
    } else {
        buf_text(b, "  first look, no rates yet\n");
    }
}

static void begin(struct out_state *st, struct buf *b) {
    if (st->options.demo) {
        buf_text(b, "demonstration: a recording, not this machine\n\n");
    }
}

static void tick(struct out_state *st, const struct snapshot *s, struct buf *b) {
    if (st->ticks++ > 0) {
        buf_char(b, '\n');
    }
    if (st->options.batch) {
        put_time(s, b);
    }
    put_devices(st, s, b);
    buf_char(b, '\n');
    put_table(st, s, b);
    put_unreadable(st, s, b);
}

const struct output output_text = {
    .name = "text",
    .doc = "a report for people: devices, processes, what could not be read",
    .open = out_state_open,
    .begin = begin,
    .tick = tick,
    .end = out_state_nothing,
    .close = out_state_close,
};
