/*
 * Single lines of the screen: title, status, progress of a recording, function bar. Pure.
 */
#include "actions.h"

#define NS_PER_S   INT64_C(1000000000)
#define DAY_S      INT64_C(86400)
#define MIDDLE_MIN 8 /* columns of a progress bar worth drawing */

/* ---- title ----------------------------------------------------------------------------------- */

static uint64_t count_clients(const struct snapshot *s) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->device_count; i++) {
        n += s->devices[i].clients;
    }
    return n;
}

static void put_two(struct buf *b, int64_t n) {
    buf_char(b, (char)('0' + n / 10 % 10));
    buf_char(b, (char)('0' + n % 10));
}

/* "14:22:05  1.0 s", as far as known. */
static void put_time(struct buf *b, const struct snapshot *s, const struct ui_play *play) {
    int64_t now = play->now_real_ns ? play->now_real_ns : s ? s->real_ns : 0;
    if (now > 0) {
        int64_t of_day = ((now / NS_PER_S + play->utc_offset_s % DAY_S) % DAY_S + DAY_S) % DAY_S;
        put_two(b, of_day / 3600);
        buf_char(b, ':');
        put_two(b, of_day / 60 % 60);
        buf_char(b, ':');
        put_two(b, of_day % 60);
    }
    if (play->delay_ns > 0) {
        buf_text(b, b->n ? "  " : "");
        buf_fixed(b, play->delay_ns, 9, 1);
        buf_text(b, " s");
    }
}

/* What the keys changed, in brackets. */
static void put_tags(const struct ui *ui, const struct ui_play *play, struct buf *b) {
    if (play->paused && !ui->o.replay) {
        buf_text(b, "  [frozen]");
    }
    if (ui->device >= 0) {
        buf_text(b, "  [device ");
        buf_i64(b, ui->device);
        buf_text(b, " alone]");
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
    buf_clear(b);
    put_tags(ui, play, b);
    at = title_part(ui, g, row, at, ROLE_WARN);
    buf_clear(b);
    put_time(b, s, play);
    draw_right(g, row, g->columns, at + 2, ROLE_NORMAL, buf_span_of(b));
}

/* ---- status ---------------------------------------------------------------------------------- */

/* What would help, in fewer words than reason_text() has. */
static const char *remedy(unsigned reason) {
    switch (reason) {
    case REASON_DENIED:
        return "need root or CAP_SYS_PTRACE";
    case REASON_NOT_DUMPABLE:
        return "yours, but they forbid it: need root or CAP_SYS_PTRACE";
    case REASON_HIDEPID:
        return "hidden by /proc's hidepid";
    default:
        return reason_text(reason);
    }
}

/* " (2 need root or CAP_SYS_PTRACE, 1 hidden by ...)"; one reason needs no number. */
static void put_reasons(const struct snapshot *s, struct buf *b) {
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
        buf_text(b, remedy(r));
        before = ", ";
    }
    buf_text(b, reasons ? ")" : "");
}

static void put_main_reason(const struct snapshot *s, struct buf *b) {
    unsigned most = 0;
    for (unsigned r = 1; r < REASON_COUNT; r++) {
        most = s->unreadable_reasons[r] > s->unreadable_reasons[most] ? r : most;
    }
    buf_text(b, " (most ");
    buf_text(b, remedy(most));
    buf_char(b, ')');
}

/* As much as `width` columns hold: with all reasons, with one, without, in two words. */
static void put_unreadable(const struct snapshot *s, int width, struct buf *b) {
    size_t room = width > 0 ? (size_t)width : 0;
    buf_clear(b);
    put_count(b, s->unreadable, "process not readable", "processes not readable");
    size_t plain = b->n;
    put_reasons(s, b);
    if (b->n > room) {
        b->n = plain;
        put_main_reason(s, b);
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
    if (!ui->o.replay && s && s->cost_cpu_ns.state == STATE_VALUE) {
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
    at = draw_held(ui, s, g, row, at);
    if (s && s->unreadable > 0) {
        put_unreadable(s, g->columns - at, &ui->text);
        at = grid_text(g, row, at, -1, ROLE_WARN, buf_span_of(&ui->text)) + 2;
    }
    draw_cost(ui, s, g, row, at);
}

/* ---- progress of a recording ----------------------------------------------------------------- */

static void put_state(struct buf *b, const struct ui_play *play) {
    if (play->busy_ppm >= 0) {
        buf_text(b, "seeking ");
        buf_fixed(b, play->busy_ppm, 4, 0);
        buf_text(b, " %");
    } else {
        buf_text(b, play->at_end ? "at the end" : play->paused ? "paused" : "playing");
    }
}

static void put_speed(struct buf *b, int milli) {
    if (milli == 0) {
        buf_text(b, "as fast as it goes");
    } else {
        buf_decimal(b, milli, 3);
        buf_char(b, 'x');
    }
}

/* A tick a hair before a full second stands at that second. */
static int64_t to_second(int64_t ns) {
    return ns > INT64_MAX - NS_PER_S / 2 ? ns : ns + NS_PER_S / 2;
}

static void put_position(struct buf *b, const struct ui_play *play) {
    put_clock(b, to_second(play->at_ns));
    buf_text(b, " / ");
    if (play->length_ns > 0) {
        put_clock(b, to_second(play->length_ns));
    } else {
        buf_char(b, '?');
    }
}

static int64_t share_of(const struct ui_play *play) {
    if (play->length_ns <= 0 || play->at_ns <= 0) {
        return 0;
    }
    return (int64_t)mul_div_u64((uint64_t)play->at_ns, 1000000, (uint64_t)play->length_ns);
}

void progress_draw(struct ui *ui, const struct ui_play *play, struct grid *g, int row) {
    struct buf *b = &ui->text;
    buf_clear(b);
    put_state(b, play);
    int at = grid_text(g, row, 0, -1, ROLE_PROGRESS, buf_span_of(b));
    at = at < 12 ? 12 : at + 2;
    buf_clear(b);
    put_position(b, play);
    at = grid_text(g, row, at, -1, ROLE_VALUE, buf_span_of(b)) + 2;
    buf_clear(b);
    put_speed(b, play->speed_milli);
    if (play->ticks > 0) {
        buf_text(b, "  tick ");
        buf_u64(b, play->tick);
        buf_char(b, '/');
        buf_u64(b, play->ticks);
    }
    int end = draw_right(g, row, g->columns, at, ROLE_NORMAL, buf_span_of(b));
    if (end - 2 - at >= MIDDLE_MIN && play->length_ns > 0) {
        draw_bar(g, row, at, end - 2 - at, ROLE_PROGRESS, share_of(play), ui->o.unicode);
    }
}

/* ---- function bar ---------------------------------------------------------------------------- */

/* Key and word; F keys stand close, as their words are read as one. */
static int bar_item(struct grid *g, int row, int at, struct span key, struct span text) {
    int columns = (int)(key.n + text_columns(text));
    if (at + columns > g->columns) {
        return g->columns;
    }
    bool is_close = key.n > 1 && key.p[0] == 'F' && key.p[1] <= '9';
    at = grid_text(g, row, at, -1, ROLE_KEY, key);
    at += is_close ? 0 : 1;
    return grid_text(g, row, at, -1, ROLE_KEY_LABEL, text) + 2;
}

/* Of what there is. */
static bool bar_shows(const struct ui *ui, const struct key_info *k) {
    return key_works(k, ui->o.replay) && k->bar[0] && (ui->has_counters || k->act != act_COUNTERS);
}

static void bar_keys(const struct ui *ui, struct grid *g, int row) {
    int at = 0;
    for (unsigned i = 0; key_at(i); i++) {
        struct cursor c = cursor_over(span_of(key_at(i)->keys));
        struct span first = {"", 0};
        if (bar_shows(ui, key_at(i))) {
            cursor_word(&c, &first);
            at = bar_item(g, row, at, first, span_of(key_at(i)->bar));
        }
    }
}

/* "Up Down|scroll|Esc|close" */
static void bar_words(struct grid *g, int row, const char *words) {
    struct cursor c = cursor_over(span_of(words));
    struct span keys, word;
    int at = 0;
    while (cursor_field(&c, '|', &keys) && cursor_field(&c, '|', &word)) {
        at = bar_item(g, row, at, keys, word);
    }
}

void bar_draw(struct ui *ui, struct grid *g, int row) {
    const struct pane *pane = pane_of(ui->mode);
    grid_fill(g, row, 0, g->columns, ROLE_KEY_LABEL, " ");
    if (pane) {
        bar_words(g, row, pane->bar);
    } else {
        bar_keys(ui, g, row);
    }
}
