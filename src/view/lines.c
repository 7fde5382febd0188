/*
 * Single lines of the screen: title and status. Pure.
 */
#include "actions.h"

#define NS_PER_S     INT64_C(1000000000)
#define NS_PER_MS    INT64_C(1000000)
#define DAY_S        INT64_C(86400)
#define FILTER_LEAST 6 /* columns of a filter worth naming */

/* ---- title ----------------------------------------------------------------------------------- */

static uint64_t count_clients(const struct snapshot *s) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->device_count; i++) {
        n += s->devices[i].clients;
    }
    return n;
}

/* "1.0 s", "20 ms", "0.5 ms" */
static void put_delay(struct buf *b, int64_t ns) {
    bool is_short = ns < 100 * NS_PER_MS;
    buf_fixed(b, ns, is_short ? 6 : 9, is_short && ns >= 10 * NS_PER_MS ? 0 : 1);
    buf_text(b, is_short ? " ms" : " s");
}

/* "14:22:05  1.0 s", as far as known. */
static void put_time(struct buf *b, const struct snapshot *s, const struct ui_play *play,
                     bool is_plain) {
    int64_t now = play->now_real_ns ? play->now_real_ns : s ? s->real_ns : 0;
    if (now > 0 && !is_plain) {
        int64_t of_day = ((now / NS_PER_S + play->utc_offset_s % DAY_S) % DAY_S + DAY_S) % DAY_S;
        put_time_of_day(b, of_day);
    }
    if (play->delay_ns > 0) {
        buf_text(b, b->n ? "  " : "");
        put_delay(b, play->delay_ns);
    }
}

/* What the keys changed, in brackets. */
static void put_tags(const struct ui *ui, const struct ui_play *play, struct buf *b) {
    if ((play->paused && !ui->o.replay) || ui->signals.still) {
        buf_text(b, "  [frozen]");
    }
    if (ui->device >= 0) {
        buf_text(b, "  [device ");
        buf_i64(b, ui->device);
        buf_text(b, " alone]");
    }
    if (ui->query.user.n > 0) {
        buf_text(b, "  [user ");
        buf_span(b, ui->query.user);
        buf_char(b, ']');
    }
    if (ui->tags.count > 0) {
        buf_text(b, "  [");
        buf_u64(b, ui->tags.count);
        buf_text(b, " tagged]");
    }
    buf_text(b, ui->query.hide_idle ? "  [idle hidden]" : "");
    buf_text(b, ui->follow ? "  [follow]" : "");
    buf_text(b, ui->add_sort ? "  [second key?]" : "");
}

/* Draws the scratch text where all of it fits. */
static int title_part(struct ui *ui, struct grid *g, int row, int at, enum role role) {
    struct span text = buf_span_of(&ui->text);
    if (text_columns(text) + (size_t)at > (size_t)g->columns) {
        return at;
    }
    return grid_text(g, row, at, -1, role, text);
}

/* "[filter gpu>5]", cut to what the time leaves. */
static int draw_filter(struct ui *ui, struct grid *g, int row, int at) {
    struct span text = filter_text(ui);
    struct buf *b = &ui->text;
    int room = g->columns - at - (int)sizeof "  [filter ]  14:22:05  1.0 s" + 1;
    if (text.n == 0 || room < FILTER_LEAST) {
        return at;
    }
    struct span fits = text_cut(text, (size_t)room);
    buf_clear(b);
    buf_text(b, "  [filter ");
    buf_span(b, fits.n < text.n ? text_cut(text, (size_t)room - 2) : text);
    buf_text(b, fits.n < text.n ? "..]" : "]");
    return title_part(ui, g, row, at, ROLE_WARN);
}

void title_draw(struct ui *ui, const struct snapshot *s, const struct ui_play *play, struct grid *g,
                int row) {
    struct buf *b = &ui->text;
    int at = draw_text(g, row, 0, -1, ROLE_TITLE, "gwtop");
    buf_clear(b);
    buf_text(b, ui->o.demo ? " demo" : ui->o.replay ? " replay" : "");
    at = title_part(ui, g, row, at, ROLE_WARN);
    if (s) {
        buf_clear(b);
        buf_text(b, "  ");
        put_count(b, s->device_count, "GPU", "GPUs");
        at = title_part(ui, g, row, at, ROLE_NORMAL);
        buf_clear(b);
        buf_text(b, "  ");
        put_count(b, count_clients(s), "client", "clients");
        at = title_part(ui, g, row, at, ROLE_NORMAL);
    }
    if (ui->is_copy) {
        at = draw_text(g, row, at, -1, ROLE_WARN, "  [copy]");
    }
    at = draw_filter(ui, g, row, at);
    buf_clear(b);
    put_tags(ui, play, b);
    at = title_part(ui, g, row, at, ROLE_WARN);
    buf_clear(b);
    put_time(b, s, play, ui_is(ui, SETTING_PLAIN));
    draw_right(g, row, g->columns, at + 2, ROLE_NORMAL, buf_span_of(b));
}

/* ---- status ---------------------------------------------------------------------------------- */

/* What would help who has as much already, in fewer words than reason_text() has. */
static const char *remedy(enum insight has, unsigned reason) {
    switch (reason) {
    case REASON_DENIED:
        return remedy_text(REMEDY_SEVERAL, has);
    case REASON_NOT_DUMPABLE:
        return remedy_text(REMEDY_OWN, has);
    case REASON_HIDEPID:
        return "hidden by /proc's hidepid";
    default:
        return reason_text(reason);
    }
}

/* " (2 need root or CAP_SYS_PTRACE, 1 hidden by ...)"; one reason needs no number. */
static void put_reasons(enum insight has, const struct snapshot *s, struct buf *b) {
    unsigned reasons = 0;
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        reasons += s->unreadable_reasons[r] > 0;
    }
    const char *before = " (";
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        if (s->unreadable_reasons[r] == 0) {
            continue;
        }
        buf_text(b, before);
        if (reasons > 1) {
            buf_u64(b, s->unreadable_reasons[r]);
            buf_char(b, ' ');
        }
        buf_text(b, remedy(has, r));
        before = ", ";
    }
    buf_text(b, reasons ? ")" : "");
}

static void put_main_reason(enum insight has, const struct snapshot *s, struct buf *b) {
    unsigned most = 0;
    for (unsigned r = 1; r < REASON_COUNT; r++) {
        most = s->unreadable_reasons[r] > s->unreadable_reasons[most] ? r : most;
    }
    buf_text(b, " (most ");
    buf_text(b, remedy(has, most));
    buf_char(b, ')');
}

/* As much as `width` columns hold: with all reasons, with one, without, in two words. */
static void put_unreadable(enum insight has, const struct snapshot *s, int width, struct buf *b) {
    size_t room = width > 0 ? (size_t)width : 0;
    buf_clear(b);
    put_count(b, s->unreadable, "process not readable", "processes not readable");
    size_t plain = b->n;
    put_reasons(has, s, b);
    if (b->n > room) {
        b->n = plain;
        put_main_reason(has, s, b);
    }
    if (b->n > room) {
        b->n = plain;
    }
    if (plain > room) {
        buf_clear(b);
        buf_u64(b, s->unreadable);
        buf_text(b, " unreadable");
    }
}

/* Right-aligned, where it leaves a gap to what stands before. */
static void draw_cost(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int from) {
    struct buf *b = &ui->text;
    buf_clear(b);
    if (!ui->o.replay && !ui_is(ui, SETTING_PLAIN) && s && s->cost_cpu_ns.state == STATE_VALUE) {
        buf_fixed(b, s->cost_cpu_ns.v, 6, 1);
        buf_text(b, " ms a tick");
        draw_right(g, row, g->columns, from, ROLE_STATUS, buf_span_of(b));
    }
}

/* Sessions that are held, which cost energy: of one device alone its number. A recording holds none. */
static int draw_held(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int at) {
    uint32_t held = 0, last = 0;
    for (uint32_t d = 0; s && !ui->o.replay && d < s->device_count; d++) {
        bool is_held = s->devices[d].counters == COUNTERS_HELD;
        held += is_held;
        last = is_held ? d : last;
    }
    if (held == 0 || ui->mode == MODE_COUNTERS) {
        return at;
    }
    buf_clear(&ui->text);
    buf_text(&ui->text, "counters ");
    if (s->device_count > 1) {
        buf_text(&ui->text, held > 1 ? "of " : "of GPU ");
        buf_u64(&ui->text, held > 1 ? held : last);
        buf_text(&ui->text, held > 1 ? " GPUs " : " ");
    }
    buf_text(&ui->text, "held: keeps ");
    buf_text(&ui->text, held > 1              ? "them awake"
                        : s->device_count > 1 ? "it awake"
                                              : "the GPU awake");
    return grid_text(g, row, at, -1, ROLE_WARN, buf_span_of(&ui->text)) + 2;
}

/* What is wrong stands before our own cost. */
void status_draw(struct ui *ui, const struct snapshot *s, const struct ui_play *play,
                 struct grid *g, int row) {
    int at = 0;
    if (ui->hint[0]) {
        at = draw_text(g, row, 0, -1, ui->is_hint_bad ? ROLE_WARN : ROLE_STATUS, ui->hint) + 2;
    }
    if (play->note && at == 0) {
        at = draw_text(g, row, 0, -1, ROLE_WARN, play->note) + 2;
    }
    if (ui->mode == MODE_HEADER) {
        buf_clear(&ui->text);
        header_put(ui, &ui->text);
        grid_text(g, row, 0, -1, ROLE_STATUS, buf_span_of(&ui->text));
        return;
    }
    at = draw_held(ui, s, g, row, at);
    at = log_hint_draw(ui, play, g, row, at);
    if (s && s->unreadable > 0) {
        put_unreadable(ui->o.insight, s, g->columns - at, &ui->text);
        at = grid_text(g, row, at, -1, ROLE_WARN, buf_span_of(&ui->text)) + 2;
    }
    if (at == 0 && first_hint(ui) && ui->line_count + 1 >= ui->body) {
        at = draw_text(g, row, 0, -1, ROLE_DIM, first_hint(ui)) + 2;
    }
    draw_cost(ui, s, g, row, at);
}
