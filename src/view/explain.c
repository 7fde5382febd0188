/*
 * What a column is: its title, its meaning, its unit, and where its numbers come from on the device of the selected
 * row. Pure.
 */
#include "ui.h"

#define WORD_COLUMNS 9

/* Where a column's content comes from, and its unit; none: a name or a number. */
enum from { FROM_PROC, FROM_DRIVER, FROM_POWER, FROM_GWTOP };
static const struct {
    const char *unit;
    uint8_t from; /* enum from */
} facts[COLUMN_COUNT] = {
    [COLUMN_GPU] = {"%, 100 is all of one engine", FROM_DRIVER},
    [COLUMN_GRAPHICS] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_COMPUTE] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_COPY] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_DECODE] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_ENCODE] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_MEDIA] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_OTHER] = {"%, 100 is all engines of the class", FROM_DRIVER},
    [COLUMN_HISTORY] = {"%, the whole height is all of one engine", FROM_DRIVER},
    [COLUMN_TYPE] = {"", FROM_DRIVER},
    [COLUMN_TIME] = {"minutes:seconds, above that hours and days", FROM_DRIVER},
    [COLUMN_VRAM] = {"bytes; K, M, G are powers of 1024", FROM_DRIVER},
    [COLUMN_GTT] = {"bytes; K, M, G are powers of 1024", FROM_DRIVER},
    [COLUMN_SHARED] = {"bytes; K, M, G are powers of 1024", FROM_DRIVER},
    [COLUMN_CPU] = {"%, 100 is one processor", FROM_PROC},
    [COLUMN_RSS] = {"bytes; K, M, G are powers of 1024", FROM_PROC},
    [COLUMN_WATT] = {"watts", FROM_POWER},
    [COLUMN_JOULE] = {"joules", FROM_POWER},
    [COLUMN_PW] = {"PseudoWatt", FROM_POWER},
    [COLUMN_PWS] = {"PseudoWatt seconds", FROM_POWER},
    [COLUMN_METHOD] = {"", FROM_POWER},
    [COLUMN_DEV] = {"", FROM_GWTOP},
};

/* Of the device's power the source that is shown. */
static struct span power_source(const struct snapshot *s, const struct snap_device *d) {
    static const uint16_t metrics[] = {METRIC_POWER_GPU, METRIC_POWER_SOCKET, METRIC_POWER_GFX};
    for (size_t k = 0; k < sizeof metrics / sizeof metrics[0]; k++) {
        for (uint32_t i = 0; i < d->metrics.count; i++) {
            const struct snap_metric *m = &s->metrics[d->metrics.first + i];
            if (m->metric == metrics[k] && m->value.state == STATE_VALUE) {
                return snapshot_text(s, m->source);
            }
        }
    }
    return (struct span){"", 0};
}

static void put_device(const struct snapshot *s, uint32_t at, bool of_power, struct buf *b) {
    const struct snap_device *d = &s->devices[at];
    struct span source = of_power ? power_source(s, d) : (struct span){"", 0};
    buf_text(b, "\nhere\tGPU ");
    buf_u64(b, at);
    buf_text(b, ", ");
    buf_span(b, snapshot_text(s, d->name));
    buf_text(b, ": driver ");
    buf_span(b, d->driver.len > 0 ? snapshot_text(s, d->driver) : span_of("not known"));
    if (of_power) {
        buf_text(b, source.n > 0 ? ", power by " : ", no power sensor that says a value");
        buf_span(b, source);
        buf_text(b, d->power.method ? "; method: " : "");
        buf_text(b, power_method_name(d->power.method));
    }
}

static void put_source(const struct ui *ui, const struct snapshot *s, enum column c,
                       struct buf *b) {
    static const char *const words[] = {
        [FROM_PROC] = "/proc of the process, or the recording of it",
        [FROM_DRIVER] = ("fdinfo: what the driver tells of each of the process's open DRM files; "
                         "recorded jobs and contexts where there are some"),
        [FROM_POWER] = "a power sensor of the device, shared out by what the processes did",
        [FROM_GWTOP] = "gwtop itself"};
    uint32_t device = list_device(ui, s);
    uint8_t from = facts[c].from;
    buf_text(b, "\nfrom\t");
    buf_text(b, c == COLUMN_PW || c == COLUMN_PWS ? "clock and voltage of the device, and busy time"
                                                  : words[from]);
    if (s && device < s->device_count && (from == FROM_DRIVER || from == FROM_POWER)) {
        put_device(s, device, from == FROM_POWER, b);
    }
}

static void put_text(const struct ui *ui, const struct snapshot *s, struct buf *b) {
    enum column c = (enum column)ui->head.explained;
    buf_clear(b);
    buf_text(b, "Column ");
    buf_text(b, column_title(c, ui->o.unicode));
    buf_text(b, "\nmeaning\t");
    buf_text(b, column_info(c)->doc);
    if (facts[c].unit && facts[c].unit[0]) {
        buf_text(b, "\nunit\t");
        buf_text(b, facts[c].unit);
    }
    put_source(ui, s, c, b);
    buf_text(b, "\nname\t");
    buf_text(b, column_info(c)->key);
    buf_text(b, ", as -s, -F and --fields take it\n");
    buf_text(b, "\nWhat stands for a number\n");
    buf_text(b, help_marks());
}

void header_explain(struct ui *ui, enum column c) {
    ui->head.explained = (uint8_t)c;
    ui->head.top = 0;
    pane_open(ui, MODE_EXPLAIN);
}

int explain_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    put_text(ui, s, &ui->text);
    ui->head.room = rows > 0 ? (uint32_t)rows : 0;
    help_draw_text(buf_span_of(&ui->text), WORD_COLUMNS, &ui->head.top, g, row, rows);
    return 0;
}

bool explain_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    (void)out;
    if (scroll_key(&ui->head.top, ui->head.room, key)) {
        return true;
    }
    if (key == UI_KEY_ESC || key == UI_KEY_ENTER || key == '?' || key == 'q') {
        pane_close(ui);
        return true;
    }
    return false;
}
