/*
 * The question before a signal is sent: it names signal and processes, and only `y` sends. Pure: the app sends.
 */
#include "signal.h"

#include "ui.h"

#define NAME_COLUMNS 20 /* of a process's or user's name */
#define NS_PER_S     INT64_C(1000000000)

/* ---- names ----------------------------------------------------------------------------------- */

static void put_cut(const struct ui *ui, struct buf *b, struct span name) {
    struct span cut = text_cut(name, NAME_COLUMNS);
    buf_span(b, cut);
    buf_text(b, cut.n == name.n ? "" : ui->o.unicode ? "\u2026" : "..");
}

static const struct snap_process *process_of(const struct ui *ui, uint32_t nth) {
    const struct signals *m = &ui->signals;
    uint32_t i = m->still ? target_row(m->still, &m->who[nth]) : 0;
    return m->still && i < m->still->process_count ? &m->still->processes[i] : NULL;
}

/* "blender (48213)"; "PID 48213" of one without a name. */
void signals_put_who(const struct ui *ui, struct buf *b, uint32_t nth) {
    const struct snap_process *p = process_of(ui, nth);
    int32_t pid = ui->signals.who[nth].pid;
    struct span name = p ? snapshot_text(ui->signals.still, p->name) : (struct span){"", 0};
    if (pid == ui->o.own_pid) {
        name = span_of("gwtop itself");
    }
    if (name.n == 0) {
        buf_text(b, "PID ");
        buf_i64(b, pid);
        return;
    }
    put_cut(ui, b, name);
    buf_text(b, " (");
    buf_i64(b, pid);
    buf_char(b, ')');
}

/* ---- the question ---------------------------------------------------------------------------- */

/* " of alice, started 2:14:05 ago", as far as known. */
static void put_circumstances(const struct ui *ui, struct buf *b, bool with_start) {
    const struct snap_process *p = process_of(ui, 0);
    const struct snapshot *s = ui->signals.still;
    struct span user = p ? snapshot_text(s, p->user) : (struct span){"", 0};
    if (user.n > 0) {
        buf_text(b, " of ");
        put_cut(ui, b, user);
    }
    if (with_start && p && p->start_ns.state == STATE_VALUE && s->real_ns > p->start_ns.v &&
        p->start_ns.v > 0) {
        buf_text(b, ", started ");
        put_clock(b, (s->real_ns - p->start_ns.v) / NS_PER_S * NS_PER_S);
        buf_text(b, " ago");
    }
}

/* The question in `form`; the first that fits is taken. */
enum { FORM_LONG, FORM_START, FORM_USER, FORM_NAME, FORM_TERSE, FORM_BARE, FORM_COUNT };

static void put_one(const struct ui *ui, struct buf *b, unsigned form) {
    buf_text(b, form < FORM_TERSE ? "Send " : "");
    buf_text(b, ui_signal_name(ui->signals.number));
    buf_text(b, form < FORM_BARE ? " to " : " ");
    if (form == FORM_BARE) {
        buf_i64(b, ui->signals.who[0].pid);
    } else {
        signals_put_who(ui, b, 0);
    }
    if (form < FORM_NAME) {
        put_circumstances(ui, b, form <= FORM_START);
    }
}

/* Names the first `named` of them. */
static void put_several(const struct ui *ui, struct buf *b, unsigned form, uint32_t named) {
    const struct signals *m = &ui->signals;
    buf_text(b, form < FORM_TERSE ? "Send " : "");
    buf_text(b, ui_signal_name(m->number));
    buf_text(b, " to ");
    buf_u64(b, m->count);
    buf_text(b, form < FORM_BARE ? " processes" : "");
    for (uint32_t i = 0; i < named; i++) {
        buf_text(b, i ? ", " : ": ");
        signals_put_who(ui, b, i);
    }
    if (named > 0 && named < m->count) {
        buf_text(b, ui->o.unicode ? ", \u2026" : ", ..");
    }
    if (form < FORM_NAME && m->left_out) {
        buf_text(b, " (not to ");
        buf_u64(b, m->left_out);
        buf_text(b, " that ended)");
    }
}

static bool fits(struct ui *ui, unsigned form, uint32_t named, int columns) {
    struct buf *b = &ui->text;
    buf_clear(b);
    if (ui->signals.count == 1) {
        put_one(ui, b, form);
    } else {
        put_several(ui, b, form, named);
    }
    buf_text(b,
             form < FORM_TERSE && form != FORM_START ? "?  y sends, n or Esc does not" : "? y/n");
    return !b->failed && text_columns(buf_span_of(b)) <= (size_t)(columns > 0 ? columns : 0);
}

/* Puts the question into the scratch text, with as many names as fit, then in as many words; false where there is no
 * room for any. */
static bool put_question(struct ui *ui, int columns) {
    uint32_t count = ui->signals.count;
    /* More names than that no screen holds. */
    uint32_t most = count == 1 ? 0 : count < 32 ? count : 32;
    for (uint32_t named = most + 1; named > 0; named--) {
        for (unsigned form = 0; form < FORM_COUNT; form++) {
            if (fits(ui, form, named - 1, columns)) {
                return true;
            }
        }
    }
    return false;
}

static void send(struct ui *ui, struct ui_command *out) {
    const struct signals *m = &ui->signals;
    for (uint32_t i = 0; i < m->count; i++) {
        ui->targets.list[i] = m->who[i];
    }
    ui->targets.count = m->count;
    *out = (struct ui_command){UI_SIGNAL, m->number};
}

bool confirm_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    if (key == 'y') {
        pane_close(ui);
        if (ui->signals.unseen) {
            ui_say(ui, true, "not sent: the screen is too small for the question");
        } else {
            send(ui, out);
        }
    } else if (key == 'n' || key == 'N' || key == 'q' || key == UI_KEY_ESC) {
        pane_close(ui);
        ui_say(ui, false, "nothing was sent");
    }
    /* Ctrl-C and the like go on. */
    return key >= ' ' || key == UI_KEY_ESC || key == UI_KEY_ENTER || key == UI_KEY_TAB;
}

int confirm_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    (void)s;
    (void)rows;
    ui->signals.unseen = !put_question(ui, g->columns);
    grid_fill(g, row, 0, g->columns, ROLE_STATUS, " ");
    grid_text(g, row, 0, -1, ROLE_WARN, buf_span_of(&ui->text));
    eye_set(ui, row, 0);
    return 0;
}

const struct ui_target *ui_targets(const struct ui *ui, uint32_t *count) {
    *count = ui->targets.count;
    return ui->targets.list;
}
