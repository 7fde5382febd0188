/*
 * Signals to processes: the list of signals. Whom one goes to is fixed when the list opens; then the question of
 * confirm.c follows. Pure.
 */
#include "signal.h"

#include <signal.h>

#include "actions.h"

#define SIGNAL_COLUMNS 34

static const struct ui_command nothing = {UI_NONE, 0};

/* The usual ones first, the first is chosen; the others by their number on most machines. */
static const struct {
    int number;
    const char *name;
    const char *
        effect; /* unless the process does something else then; "" where nobody would send it by hand */
} signals[] = {
    {SIGTERM, "SIGTERM", "please end"},
    {SIGHUP, "SIGHUP", "hang up, or reload"},
    {SIGINT, "SIGINT", "end, as by Ctrl-C"},
    {SIGQUIT, "SIGQUIT", "end, leave a core"},
    {SIGKILL, "SIGKILL", "end at once"},
    {SIGSTOP, "SIGSTOP", "stop for now"},
    {SIGCONT, "SIGCONT", "go on after a stop"},
    {SIGUSR1, "SIGUSR1", "as the program says"},
    {SIGUSR2, "SIGUSR2", "as the program says"},
    {SIGILL, "SIGILL", ""},
    {SIGTRAP, "SIGTRAP", ""},
    {SIGABRT, "SIGABRT", "end, leave a core"},
    {SIGBUS, "SIGBUS", ""},
    {SIGFPE, "SIGFPE", ""},
    {SIGSEGV, "SIGSEGV", ""},
    {SIGPIPE, "SIGPIPE", ""},
    {SIGALRM, "SIGALRM", ""},
    {SIGCHLD, "SIGCHLD", ""},
    {SIGTSTP, "SIGTSTP", "stop, as by Ctrl-Z"},
    {SIGTTIN, "SIGTTIN", ""},
    {SIGTTOU, "SIGTTOU", ""},
    {SIGURG, "SIGURG", ""},
    {SIGXCPU, "SIGXCPU", ""},
    {SIGXFSZ, "SIGXFSZ", ""},
    {SIGVTALRM, "SIGVTALRM", ""},
    {SIGPROF, "SIGPROF", ""},
    {SIGWINCH, "SIGWINCH", ""},
    {SIGIO, "SIGIO", ""},
    {SIGPWR, "SIGPWR", ""},
    {SIGSYS, "SIGSYS", ""},
};
#define SIGNAL_COUNT ((uint32_t)(sizeof signals / sizeof signals[0]))

const char *ui_signal_name(int number) {
    for (uint32_t i = 0; i < SIGNAL_COUNT; i++) {
        if (signals[i].number == number) {
            return signals[i].name;
        }
    }
    return NULL;
}

/* ---- standing still -------------------------------------------------------------------------- */

static bool is_open(const struct ui *ui) {
    for (unsigned i = 0; i < ui->open_count; i++) {
        if (ui->open[i] == MODE_SIGNAL || ui->open[i] == MODE_CONFIRM) {
            return true;
        }
    }
    return false;
}

const struct snapshot *signals_shown(const struct ui *ui, const struct snapshot *s) {
    return ui->signals.still && is_open(ui) ? ui->signals.still : s;
}

void signals_settle(struct ui *ui) {
    if (ui->signals.still && !is_open(ui)) {
        signals_finish(ui);
    }
}

void signals_finish(struct ui *ui) {
    snapshot_free(ui->signals.still);
    ui->signals.still = NULL;
}

/* ---- to whom --------------------------------------------------------------------------------- */

/* Why a process cannot be sent a signal; NULL: it can. */
static const char *obstacle(const struct snap_process *p) {
    if (p->pid <= 0) {
        return "it has no process id";
    }
    if (p->exited) {
        return "it has ended";
    }
    if (p->by_thread) {
        return "only one of its threads is known, not its process id";
    }
    if (p->start == 0) {
        return "its start is not known, so a later process could not be told from it";
    }
    return NULL;
}

/* The tagged ones that a signal can go to, the others are counted. NULL, or why there is none. */
static const char *choose_tagged(struct ui *ui, const struct snapshot *s) {
    struct signals *m = &ui->signals;
    m->count = m->left_out = 0;
    for (uint32_t i = 0; i < ui->tags.count; i++) {
        uint32_t p = target_row(s, &ui->tags.list[i]);
        if (p < s->process_count && !obstacle(&s->processes[p])) {
            m->who[m->count++] = ui->tags.list[i];
        } else {
            m->left_out++;
        }
    }
    return m->count ? NULL : "all that are tagged have ended";
}

static const char *choose_selected(struct ui *ui, const struct snapshot *s) {
    struct signals *m = &ui->signals;
    m->count = m->left_out = 0;
    if (ui->at >= ui->line_count) {
        return "no process is selected";
    }
    uint32_t index = row_process(s, ui->lines[ui->at]);
    if (index >= s->process_count) {
        return "this line is not one process";
    }
    const struct snap_process *p = &s->processes[index];
    const char *why = obstacle(p);
    if (!why) {
        m->who[m->count++] = (struct ui_target){.pid = p->pid, .start = p->start};
    }
    return why;
}

/* Says why there is no list of signals. */
static void refuse(struct ui *ui, const char *why) {
    buf_clear(&ui->text);
    buf_text(&ui->text, "no signal: ");
    buf_text(&ui->text, why);
    buf_char(&ui->text, '\0');
    ui_say(ui, true, ui->text.failed ? "" : ui->text.p);
}

struct ui_command act_SIGNAL(struct ui *ui, const struct snapshot *s, int amount) {
    struct signals *m = &ui->signals;
    struct snapshot *still = NULL;
    (void)amount;
    if (ui->o.no_signals) {
        refuse(ui, "gwtop was told --readonly, or these are no processes of this machine");
        return nothing;
    }
    if (is_open(ui)) {
        return nothing;
    }
    list_refresh(ui, s);
    const char *why = !s               ? "no process is known yet"
                      : ui->tags.count ? choose_tagged(ui, s)
                                       : choose_selected(ui, s);
    if (!why && snapshot_dup(s, &still) != ERR_OK) {
        why = "memory is out";
    }
    if (why) {
        refuse(ui, why);
        return nothing;
    }
    signals_finish(ui);
    m->still = still;
    m->menu = (struct menu){0};
    pane_open(ui, MODE_SIGNAL);
    return nothing;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void put_signal(struct ui *ui, const struct snapshot *s, uint32_t i, struct buf *out) {
    (void)ui;
    (void)s;
    buf_text(out, signals[i].number < 10 ? " " : "");
    buf_i64(out, signals[i].number);
    buf_char(out, ' ');
    size_t from = out->n;
    buf_text(out, signals[i].name);
    while (signals[i].effect[0] && !out->failed && out->n < from + 9) {
        buf_char(out, ' ');
    }
    buf_text(out, signals[i].effect);
}

bool signal_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    struct signals *m = &ui->signals;
    (void)s;
    (void)out;
    if (key == UI_KEY_ENTER) {
        m->number = signals[m->menu.at < SIGNAL_COUNT ? m->menu.at : 0].number;
        m->unseen = false;
        pane_close(ui);
        pane_open(ui, MODE_CONFIRM);
        return true;
    }
    if (key == UI_KEY_ESC || key == 'q' || key == UI_KEY_F1 + 8) {
        pane_close(ui);
        return true;
    }
    (void)menu_key(&m->menu, SIGNAL_COUNT, key);
    /* The table stands still: what would change it waits, but for help and the way out. */
    return key == UI_KEY_TAB || (key >= ' ' && key != UI_KEY_F1 && key != UI_KEY_F1 + 9);
}

int signal_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    struct signals *m = &ui->signals;
    struct buf *b = &ui->text;
    char title[160];
    buf_clear(b);
    buf_text(b, "To ");
    if (m->count == 1) {
        signals_put_who(ui, b, 0);
    } else {
        put_count(b, m->count, "process", "processes");
    }
    size_t n = text_clean(title, sizeof title - 1, buf_span_of(b));
    title[n] = '\0';
    const struct menu_items items = {title, SIGNAL_COLUMNS, SIGNAL_COUNT, put_signal};
    return menu_draw(ui, &m->menu, &items, s, g, row, rows);
}
