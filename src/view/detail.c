/*
 * The device screen: all that is known of one device, in lines that scroll: who keeps it awake, its
 * metrics, and what its clients add up to. Pure.
 */
#include "detail.h"

void detail_init(struct ui *ui) {
    groups_order(ui->places);
}

/* ---- which device ---------------------------------------------------------------------------- */

static bool is_allowed(const struct ui *ui, const struct snapshot *s, uint32_t d) {
    return table_device_matches(s, d, ui->o.query.device);
}

uint32_t detail_find(const struct ui *ui, const struct snapshot *s) {
    uint32_t d = 0;
    while (d < s->device_count && s->devices[d].subject != ui->detail) {
        d++;
    }
    return d;
}

static void show(struct ui *ui, const struct snapshot *s, uint32_t d) {
    ui->detail = s->devices[d].subject;
    ui->detail_top = 0;
}

bool detail_choose(struct ui *ui, const struct snapshot *s) {
    uint32_t d = ui->device >= 0 ? (uint32_t)ui->device : list_device(ui, s);
    if (!s || s->device_count == 0) {
        return false;
    }
    if (d >= s->device_count) {
        d = 0;
        while (d + 1 < s->device_count && !is_allowed(ui, s, d)) {
            d++;
        }
    }
    show(ui, s, d);
    return true;
}

void detail_open(struct ui *ui, const struct snapshot *s) {
    if (detail_choose(ui, s)) {
        pane_open(ui, MODE_DEVICE);
    }
}

void detail_step(struct ui *ui, const struct snapshot *s, bool back) {
    if (!s || s->device_count == 0) {
        return;
    }
    uint32_t count = s->device_count;
    uint32_t d = detail_find(ui, s);
    d = d == count && !back ? count - 1 : d;
    for (uint32_t i = 0; i < count; i++) {
        d = back ? (d == 0 ? count - 1 : d - 1) : (d + 1 >= count ? 0 : d + 1);
        if (is_allowed(ui, s, d)) {
            show(ui, s, d);
            return;
        }
    }
}

bool detail_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)out;
    if (key == ' ' && !ui->o.replay) {
        key = UI_KEY_PAGE_DOWN;
    }
    if (scroll_key(&ui->detail_top, ui->body, key)) {
        return true;
    }
    switch (key) {
    case UI_KEY_TAB:
    case UI_KEY_F1 + 7:
        detail_step(ui, s, false);
        return true;
    case UI_KEY_F1 + 6:
        detail_step(ui, s, true);
        return true;
    case UI_KEY_ESC:
    case UI_KEY_ENTER:
    case 'D':
    case 'q':
        pane_close(ui);
        return true;
    default:
        return false;
    }
}

/* ---- what its work cost ---------------------------------------------------------------------- */

static void put_duration(struct buf *b, int64_t ns) {
    char text[12];
    buf_put(b, text, human_time(text, ns > 0 ? (uint64_t)ns : 0));
}

/* Why there is no figure or why it is not trusted, else what it is. */
static void draw_cost_note(struct sheet *sh, unsigned state, unsigned doubt, const char *note) {
    struct buf *b = &sh->ui->text;
    bool is_plain = state == STATE_VALUE && doubt == 0;
    buf_clear(b);
    if (state != STATE_VALUE) {
        buf_text(b, sheet_why_not(state));
    } else {
        sheet_put_doubts(b, doubt);
    }
    int at = sheet_text(sh, sh->notes, sh->width, is_plain ? ROLE_DIM : ROLE_WARN, buf_span_of(b));
    at += at > sh->notes ? 2 : 0;
    (void)sheet_text(sh, at, sh->width, ROLE_DIM, span_of(state == STATE_VALUE ? note : ""));
}

static void draw_cost(struct sheet *sh, const char *label, struct real r, const char *unit,
                      const char *note) {
    if (!sheet_next(sh)) {
        return;
    }
    r = table_real(r);
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, span_of(label));
    buf_clear(&sh->ui->text);
    enum role role = table_power_text(r, unit, &sh->ui->text);
    sheet_value(sh, role);
    draw_cost_note(sh, r.state, r.doubt, note);
}

static void draw_unpriced(struct sheet *sh, struct value v) {
    if (!sheet_next(sh)) {
        return;
    }
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, span_of("unpriced"));
    buf_clear(&sh->ui->text);
    if (v.state == STATE_VALUE) {
        put_duration(&sh->ui->text, v.v);
        buf_text(&sh->ui->text, v.doubt ? "~" : "");
    } else {
        buf_text(&sh->ui->text, table_word(v.state));
    }
    sheet_value(sh, share_role(v));
    draw_cost_note(sh, v.state, v.doubt, "clock or voltage not known");
}

/* Nothing where nothing is known of it, as of a device that sleeps. */
static void draw_work(struct sheet *sh) {
    const struct snap_power *p = &sh->d->power;
    const struct real all[] = {p->pw, p->pws, p->watts, p->joules};
    bool is_known = false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        is_known = is_known || all[i].state == STATE_VALUE;
    }
    if (!is_known) {
        return;
    }
    sheet_heading(sh, "Work", span_of(power_method_name(p->method)));
    draw_cost(sh, "PW", p->pw, "PW", "1 PW: a unit at 266 MHz, 1 V");
    draw_cost(sh, "PW s", p->pws, "PW s", "since gwtop began to watch");
    draw_unpriced(sh, p->unpriced_ns);
    draw_cost(sh, "W", p->watts, "W", "the device's own sensor");
    draw_cost(sh, "J", p->joules, "J", "since gwtop began to watch");
}

/* ---- what its clients say -------------------------------------------------------------------- */

/* "1.24 PW s, unpriced 0:03.25, ": as far as there is something to say. */
static void put_engine_power(struct buf *b, const struct snap_engine *e) {
    if (table_real(e->pws).state == STATE_VALUE) {
        (void)table_power_text(e->pws, "PW s", b);
        buf_text(b, ", ");
    }
    if (e->unpriced_ns.state == STATE_VALUE && e->unpriced_ns.v > 0) {
        buf_text(b, "unpriced ");
        put_duration(b, e->unpriced_ns.v);
        buf_text(b, ", ");
    }
}

static void draw_engine(struct sheet *sh, const struct snap_engine *e) {
    struct buf *b = &sh->ui->text;
    if (!sheet_next(sh)) {
        return;
    }
    struct span name = snapshot_text(sh->s, e->name);
    const char *class = engine_class_name((enum engine_class)e->class);
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, name.n > 0 ? name : span_of(class));
    buf_clear(b);
    put_share(b, e->busy_ppm);
    sheet_value(sh, share_role(e->busy_ppm));
    sheet_bar(sh, ROLE_BAR_GRAPHICS, e->busy_ppm.state == STATE_VALUE ? e->busy_ppm.v : -1);
    buf_clear(b);
    put_engine_power(b, e);
    buf_text(b, class);
    if (e->capacity > 1) {
        buf_text(b, ", ");
        buf_u64(b, e->capacity);
        buf_text(b, " engines");
    }
    (void)sheet_text(sh, sh->notes, sh->width, ROLE_DIM, buf_span_of(b));
}

static void draw_engines(struct sheet *sh) {
    if (sh->d->engines.count > 0) {
        sheet_heading(sh, "Engines", span_of("sum over clients"));
    }
    for (uint32_t i = 0; i < sh->d->engines.count; i++) {
        draw_engine(sh, &sh->s->engines[sh->d->engines.first + i]);
    }
}

static void draw_region(struct sheet *sh, uint32_t at) {
    const struct snap_memory *m = &sh->s->memory[at];
    struct snap_shown shown = table_memory(sh->s, (struct run){at, 1}, (enum region_class)m->class);
    struct buf *b = &sh->ui->text;
    if (!sheet_next(sh)) {
        return;
    }
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, snapshot_text(sh->s, m->region));
    buf_clear(b);
    enum role role = table_metric_text(METRIC_MEMORY_RESIDENT, shown.bytes, sh->ui->o.unicode, b);
    sheet_value(sh, role);
    bool has_value = shown.bytes.state == STATE_VALUE;
    (void)sheet_text(sh, sh->notes, sh->width, ROLE_DIM,
                     span_of(!has_value        ? ""
                             : shown.mark != 0 ? "with what is not backed by memory"
                                               : "backed by memory now"));
}

static void draw_memory(struct sheet *sh) {
    if (sh->d->memory.count > 0) {
        sheet_heading(sh, "Memory", span_of("sum over clients"));
    }
    for (uint32_t i = 0; i < sh->d->memory.count; i++) {
        draw_region(sh, sh->d->memory.first + i);
    }
}

static void draw_holder(struct sheet *sh, const struct snap_process *p) {
    struct buf *b = &sh->ui->text;
    if (!sheet_next(sh)) {
        return;
    }
    buf_clear(b);
    buf_i64(b, p->pid);
    buf_char(b, ' ');
    buf_span(b, snapshot_text(sh->s, p->name));
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, buf_span_of(b));
    buf_clear(b);
    put_count(b, p->clients, "client", "clients");
    sheet_value(sh, ROLE_VALUE);
    (void)sheet_text(sh, sh->notes, sh->width, ROLE_DIM, snapshot_text(sh->s, p->command));
}

static void draw_holders(struct sheet *sh, uint32_t d) {
    bool has_heading = false;
    for (uint32_t i = 0; i < sh->s->process_count && sh->d->kept_awake > 0; i++) {
        const struct snap_process *p = &sh->s->processes[i];
        if (!note_is_holder(p, d)) {
            continue;
        }
        if (!has_heading) {
            sheet_heading(sh, "Kept awake by", span_of("open, without engine time"));
        }
        has_heading = true;
        draw_holder(sh, p);
    }
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void draw_lines(struct sheet *sh, uint32_t d) {
    const char *words = strip_state_words(sh->d);
    if (words && sheet_next(sh)) {
        (void)sheet_text(sh, 0, sh->width, ROLE_DIM, span_of(words));
    }
    draw_holders(sh, d);
    draw_work(sh);
    metrics_draw(sh);
    draw_engines(sh);
    draw_memory(sh);
    if (sh->line == 0 && sheet_next(sh)) {
        (void)sheet_text(sh, 0, sh->width, ROLE_DIM,
                         span_of("nothing is said of this device, and nobody uses it"));
    }
}

/* Behind two blanks, where all of it fits. */
static void put_fitting(struct buf *b, struct span text, size_t room) {
    size_t before = b->n;
    buf_text(b, text.n > 0 ? "  " : "");
    buf_span(b, text);
    if (text_columns(buf_span_of(b)) > room) {
        b->n = before;
    }
}

/* As far as known and there is room. */
static void put_identity(struct buf *b, const struct snapshot *s, const struct snap_device *d,
                         size_t room) {
    const struct text_ref texts[] = {d->driver, d->id, d->nodes};
    buf_clear(b);
    put_fitting(b, span_of(device_state_name((enum device_state)d->state)), room);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct span text = text_cut(snapshot_text(s, texts[i]), 40);
        if (i == 1 && span_same(text, snapshot_text(s, d->driver))) {
            continue; /* the only device of a file is called by its driver */
        }
        put_fitting(b, text, room);
    }
    size_t before = b->n;
    buf_text(b, "  ");
    put_count(b, d->clients, "client", "clients");
    if (text_columns(buf_span_of(b)) > room) {
        b->n = before;
    }
}

/* Which device, and at the right which of how many lines are in sight. */
static void draw_head(struct ui *ui, const struct snapshot *s, struct grid *g, int row, uint32_t d,
                      uint32_t count, uint32_t room) {
    const struct snap_device *device = &s->devices[d];
    struct buf *b = &ui->text;
    uint32_t last = count - ui->detail_top < room ? count : ui->detail_top + room;
    int end = g->columns;
    buf_clear(b);
    buf_u64(b, ui->detail_top + 1);
    buf_char(b, '-');
    buf_u64(b, last);
    buf_text(b, " of ");
    buf_u64(b, count);
    if (room < count) {
        end = draw_right(g, row, g->columns, g->columns / 2, ROLE_DIM, buf_span_of(b)) - 2;
    }
    buf_clear(b);
    buf_u64(b, d);
    buf_char(b, ' ');
    buf_span(b, text_cut(snapshot_text(s, device->name), 40));
    int at = grid_text(g, row, 0, end, ROLE_TITLE, buf_span_of(b));
    put_identity(b, s, device, end > at ? (size_t)(end - at) : 0);
    grid_text(g, row, at, -1, ROLE_NORMAL, buf_span_of(b));
}

int detail_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    uint32_t d = s ? detail_find(ui, s) : 0;
    if (rows < 1) {
        return 0;
    }
    if (!s || d == s->device_count) {
        draw_text(g, row, 0, -1, ROLE_DIM, s ? "this device is not there any more" : "measuring");
        return 0;
    }
    struct sheet sh = sheet_over(ui, g, row + 1, 0);
    sh.s = s;
    sh.d = &s->devices[d];
    draw_lines(&sh, d);
    uint32_t count = sh.line;
    uint32_t room = (uint32_t)(rows - 1) * (uint32_t)sh.across;
    uint32_t most = count > room ? count - room : 0;
    ui->detail_top = ui->detail_top > most ? most : ui->detail_top;
    ui->body = room;
    draw_head(ui, s, g, row, d, count, room);
    sh.top = ui->detail_top;
    sh.rows = rows - 1;
    sh.line = 0;
    draw_lines(&sh, d);
    return 0;
}
