/*
 * The process screen: whom it is about, its keys, and where its parts stand. A process that
 * ended stays for as long as the snapshot holds it, its name for as long as the screen is open. Pure.
 */
#include "process.h"

#include "actions.h"
#include "detail.h"

void process_finish(struct process_pane *p) {
    for (unsigned i = 0; i < PROCESS_FILES; i++) {
        buf_finish(&p->files[i].text);
    }
}

/* ---- whom it is about ------------------------------------------------------------------------ */

static bool is_it(const struct process_pane *p, const struct snap_process *q) {
    return q->pid == p->of.pid && q->start == p->of.start;
}

/* Its rows in the snapshot: the first, and how many; 0 where it is not there. */
static uint32_t rows_of(const struct ui *ui, const struct snapshot *s, uint32_t *first) {
    uint32_t i = 0, n = 0;
    while (i < s->process_count && !is_it(&ui->process, &s->processes[i])) {
        i++;
    }
    while (i + n < s->process_count && is_it(&ui->process, &s->processes[i + n])) {
        n++;
    }
    *first = i;
    return n;
}

static void keep_name(struct process_pane *p, struct span name) {
    if (name.n > 0) {
        struct span cut = text_cut(name, sizeof p->name);
        p->name_n = text_clean(p->name, sizeof p->name, cut);
    }
}

static void forget(struct process_pane *p) {
    p->top = p->environment_top = 0;
    p->shift = 0;
    p->name_n = 0;
    p->is_asked = p->is_told = false;
    p->scale[0] = p->scale[1] = (struct plot_scale){0};
    for (unsigned i = 0; i < PROCESS_FILES; i++) {
        buf_clear(&p->files[i].text);
        p->files[i].lines = 0;
    }
}

/* Makes it about the process of a line of the table; false where that is about none. */
static bool choose(struct ui *ui, const struct snapshot *s, uint32_t line) {
    struct process_pane *p = &ui->process;
    uint32_t at = line < ui->line_count ? row_process(s, ui->lines[line]) : s->process_count;
    if (at >= s->process_count) {
        return false;
    }
    const struct snap_process *q = &s->processes[at];
    if (!is_it(p, q)) {
        forget(p);
    }
    p->of = (struct ui_target){q->pid, q->start};
    p->device = device_subject(s, q->device);
    keep_name(p, snapshot_text(s, q->name));
    return true;
}

static bool choose_selected(struct ui *ui, const struct snapshot *s) {
    list_refresh(ui, s);
    if (!s || ui->line_count == 0) {
        return false;
    }
    if (!choose(ui, s, ui->at)) {
        ui_say(ui, false, "this row is not one process: choose another");
        return false;
    }
    ui->process.top = ui->process.environment_top = 0;
    return true;
}

/* The next line of the table, around the end, that is about another process. */
static bool step(struct ui *ui, const struct snapshot *s, bool back) {
    list_refresh(ui, s);
    uint32_t n = s ? ui->line_count : 0;
    uint32_t line = ui->at;
    for (uint32_t i = 0; i < n; i++) {
        line = back ? (line == 0 ? n - 1 : line - 1) : (line + 1 >= n ? 0 : line + 1);
        uint32_t at = row_process(s, ui->lines[line]);
        if (at < s->process_count && !is_it(&ui->process, &s->processes[at])) {
            list_select(ui, s, line);
            return choose(ui, s, line);
        }
    }
    return false;
}

/* ---- its files ------------------------------------------------------------------------------- */

static bool is_elsewhere(const struct ui *ui) {
    return ui->o.no_files || ui->o.replay;
}

struct ui_command process_ask(struct ui *ui) {
    const struct process_pane *p = &ui->process;
    if (is_elsewhere(ui) || p->of.pid <= 0 || p->of.start == 0) {
        return (struct ui_command){UI_NONE, 0};
    }
    ui->process.is_asked = true;
    ui->targets.list[0] = p->of;
    ui->targets.count = 1;
    return (struct ui_command){UI_LOOK, 0};
}

/* Appends each piece between `stop`s, clean, with `join` between them. */
static uint32_t put_pieces(struct buf *b, struct span text, char stop, char join) {
    struct cursor c = cursor_over(text);
    struct span piece;
    uint32_t count = 0;
    while (cursor_field(&c, stop, &piece)) {
        if (count++ > 0) {
            buf_char(b, join);
        }
        /* A byte becomes one at most. */
        if (piece.n > 0 && buf_reserve(b, piece.n)) {
            b->n += text_clean(b->p + b->n, piece.n, piece);
        }
    }
    return count;
}

static void take(struct process_text *to, const struct ui_file *from, char stop, char join) {
    buf_clear(&to->text);
    to->lines = 0;
    to->state = from->state;
    to->cut = from->cut;
    if (from->state == STATE_VALUE) {
        to->lines = put_pieces(&to->text, from->text, stop, join);
    }
    if (to->text.failed) {
        buf_clear(&to->text);
        to->state = STATE_MALFORMED;
        to->lines = 0;
    }
}

void ui_take_files(struct ui *ui, const struct ui_target *of, const struct ui_files *files) {
    struct process_pane *p = &ui->process;
    if (!p->is_asked || of->pid != p->of.pid || of->start != p->of.start) {
        return;
    }
    take(&p->files[PROCESS_ENVIRONMENT], &files->environment, '\0', '\n');
    take(&p->files[PROCESS_CGROUP], &files->cgroup, '\n', '\n');
    take(&p->files[PROCESS_COMMAND], &files->command, '\0', ' ');
    take(&p->files[PROCESS_EXECUTABLE], &files->executable, '\0', ' ');
    take(&p->files[PROCESS_DIRECTORY], &files->directory, '\0', ' ');
    p->is_told = true;
}

const char *process_why_not(const struct ui *ui, enum process_file file) {
    const struct process_pane *p = &ui->process;
    const struct process_text *f = &p->files[file];
    if (is_elsewhere(ui)) {
        return "not recorded";
    }
    if (p->of.pid <= 0 || p->of.start == 0) {
        return "not known: nothing says when this process started";
    }
    if (!p->is_told) {
        return "not yet known";
    }
    switch (f->state) {
    case STATE_VALUE:
        return f->text.n > 0 ? NULL : "empty";
    case STATE_DENIED:
        return remedy_text(REMEDY_TEXT, ui->o.insight);
    case STATE_UNSUPPORTED:
        return "not there";
    case STATE_UNKNOWN:
        return "it ended";
    default:
        return sheet_why_not(f->state);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static const struct ui_command nothing = {UI_NONE, 0};

struct ui_command act_PROCESS(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    if (!choose_selected(ui, s)) {
        return nothing;
    }
    pane_open(ui, MODE_PROCESS);
    return process_ask(ui);
}

struct ui_command act_ENVIRONMENT(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    if (!choose_selected(ui, s)) {
        return nothing;
    }
    pane_open(ui, MODE_ENVIRONMENT);
    return process_ask(ui);
}

bool process_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    if (key == ' ' && !ui->o.replay) {
        key = UI_KEY_PAGE_DOWN;
    }
    if (scroll_key(&ui->process.top, ui->body, key)) {
        return true;
    }
    switch (key) {
    case UI_KEY_TAB:
    case UI_KEY_BACK_TAB:
        *out = step(ui, s, key == UI_KEY_BACK_TAB) ? process_ask(ui) : nothing;
        return true;
    case 'e':
        ui->process.environment_top = 0;
        ui->process.shift = 0;
        pane_open(ui, MODE_ENVIRONMENT);
        *out = process_ask(ui);
        return true;
    case 'r':
        *out = process_ask(ui);
        return true;
    case UI_KEY_ESC:
    case UI_KEY_ENTER:
    case 'q':
        pane_close(ui);
        return true;
    default:
        return false;
    }
}

/* ---- the screen ------------------------------------------------------------------------------ */

void process_put_title(struct ui *ui, struct buf *b) {
    const struct process_pane *p = &ui->process;
    buf_clear(b);
    buf_i64(b, p->of.pid);
    buf_char(b, ' ');
    buf_put(b, p->name, p->name_n);
}

/* Who, and at the right which of how many lines are in sight. */
static void draw_head(struct ui *ui, const struct snapshot *s, const struct snap_process *p,
                      struct grid *g, int row, uint32_t count, uint32_t room) {
    struct buf *b = &ui->text;
    uint32_t top = ui->process.top;
    int end = g->columns;
    buf_clear(b);
    buf_u64(b, top + 1);
    buf_char(b, '-');
    buf_u64(b, count - top < room ? count : top + room);
    buf_text(b, " of ");
    buf_u64(b, count);
    if (room < count) {
        end = draw_right(g, row, g->columns, g->columns / 2, ROLE_DIM, buf_span_of(b)) - 2;
    }
    process_put_title(ui, b);
    int at = grid_text(g, row, 0, end, ROLE_TITLE, buf_span_of(b));
    buf_clear(b);
    buf_text(b, "  ");
    buf_text(b, process_type_name((enum process_type)p->type));
    buf_text(b, p->type ? "  " : "");
    buf_span(b, text_cut(snapshot_text(s, p->user), 40));
    grid_text(g, row, at, end - at > 0 ? end - at : 0, ROLE_NORMAL, buf_span_of(b));
}

/* The row of the device whose plots are shown, else the first. */
static uint32_t row_of_plots(const struct ui *ui, const struct snapshot *s, uint32_t first,
                             uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t d = s->processes[i].device;
        if (d < s->device_count && s->devices[d].subject == ui->process.device) {
            return i;
        }
    }
    return first;
}

static void draw_sheet(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows,
                       uint32_t first, uint32_t count) {
    const struct snap_process *p = &s->processes[row_of_plots(ui, s, first, count)];
    int plots = process_plots(ui, s, p, g, row + 1, rows - 1);
    struct sheet sh = sheet_over(ui, g, row + 1 + plots, 0);
    int left = rows - 1 - plots;
    sh.s = s;
    process_lines(&sh, first, count);
    uint32_t lines = sh.line;
    uint32_t room = left > 0 ? (uint32_t)left * (uint32_t)sh.across : 0;
    uint32_t most = lines > room ? lines - room : 0;
    ui->process.top = ui->process.top > most ? most : ui->process.top;
    ui->body = room;
    draw_head(ui, s, p, g, row, lines, room);
    sh.top = ui->process.top;
    sh.rows = left;
    sh.line = 0;
    process_lines(&sh, first, count);
}

int process_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    uint32_t first = 0;
    uint32_t count = s ? rows_of(ui, s, &first) : 0;
    if (rows < 1) {
        return 0;
    }
    if (count > 0) {
        keep_name(&ui->process, snapshot_text(s, s->processes[first].name));
        draw_sheet(ui, s, g, row, rows, first, count);
        return 0;
    }
    process_put_title(ui, &ui->text);
    grid_text(g, row, 0, -1, ROLE_TITLE, buf_span_of(&ui->text));
    draw_text(g, rows > 1 ? row + 1 : row, 0, -1, ROLE_DIM,
              s ? "this process is not there any more" : "measuring");
    return 0;
}
