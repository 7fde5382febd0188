/*
 * The rows of the process table. Pure.
 */
#include "plots.h"
#include "ui.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static void mark_search(const struct ui *ui, struct grid *g, int row, int column, int width,
                        struct span text) {
    struct span wanted = {ui->search.text, ui->search.n};
    size_t at = text_find(text, wanted);
    if (ui->mode != MODE_SEARCH || at == text.n) {
        return;
    }
    int from = (int)text_columns((struct span){text.p, at});
    int n = (int)text_columns((struct span){text.p + at, wanted.n});
    n = from + n > width ? width - from : n;
    grid_role(g, row, column + from, n, ROLE_SEARCH);
}

/* A line as it is drawn. */
struct drawn {
    const struct snapshot *s; /* where `r` counts */
    struct row r;
    const struct column_set *set;
    bool is_own;    /* of the user; the column USER says so too */
    bool is_tagged; /* its first column says so by "*" */
};

static bool is_share(enum column c) {
    return c == COLUMN_GPU || column_info(c)->engine;
}

static enum role bar_role(enum column c) {
    static const uint8_t roles[COLUMN_COUNT] = {
        [COLUMN_COMPUTE] = ROLE_BAR_COMPUTE, [COLUMN_COPY] = ROLE_BAR_COPY,
        [COLUMN_DECODE] = ROLE_BAR_MEDIA,    [COLUMN_ENCODE] = ROLE_BAR_MEDIA,
        [COLUMN_MEDIA] = ROLE_BAR_MEDIA,
    };
    return roles[c] ? (enum role)roles[c] : ROLE_BAR_GRAPHICS;
}

/* False where a number or a word says more. */
static bool draw_share(struct ui *ui, const struct drawn *d, struct grid *g, int row, int column,
                       int width, enum column c) {
    struct value v = table_share(d->s, d->r, c);
    if (!ui_is(ui, SETTING_BARS) || ui_is(ui, SETTING_PLAIN) || !is_share(c) ||
        v.state != STATE_VALUE || v.v == 0 || width < 2) {
        return false;
    }
    width -= v.doubt ? 1 : 0;
    draw_blocks(g, row, column, width, bar_role(c), v.v, ui->o.unicode);
    if (v.doubt) {
        draw_text(g, row, column + width, 1, ROLE_WARN, "~");
    }
    return true;
}

static enum role own_role(const struct drawn *d, enum column c, enum role role) {
    bool is_marked = c == COLUMN_USER || c == COLUMN_COMMAND;
    return d->is_own && is_marked && role == ROLE_NORMAL ? ROLE_OWN : role;
}

/* Room for the name of what belongs to nobody, where its neighbours have nothing to say: columns to begin
 * further left. */
static int borrowed(struct ui *ui, const struct drawn *d, unsigned at, int width) {
    struct buf *b = &ui->text;
    int got = 0;
    if (!d->r.unattributed || d->r.engine || ui->shift > 0) {
        return 0;
    }
    struct span name = snapshot_text(d->s, d->s->unattributed[d->r.index].name);
    int wanted = (int)text_columns(text_cut(name, 40)) - width;
    while (got < wanted && at > 0) {
        size_t lead, own = column_set_width(d->set, --at);
        buf_clear(b);
        if (d->set->list[at] != COLUMN_HISTORY) {
            (void)table_place(d->s, d->r, d->set, at, own, ui->o.unicode, b, &lead);
        }
        if (b->n > 0 && !span_equals(buf_span_of(b), "-")) {
            return 0;
        }
        got += (int)own + 1;
    }
    return wanted > 0 && got >= wanted ? wanted : 0;
}

static void draw_command(struct ui *ui, const struct drawn *d, struct grid *g, int row, int column,
                         int width) {
    struct buf *b = &ui->text;
    if (width < 1) {
        return;
    }
    buf_clear(b);
    enum role role =
        table_cell(d->s, d->r, COLUMN_COMMAND, ui->o.unicode, (size_t)width + (size_t)ui->shift, b);
    struct span text = buf_span_of(b);
    text = span_skip(text, text_cut(text, (size_t)ui->shift).n);
    grid_text(g, row, column, width, own_role(d, COLUMN_COMMAND, role), text);
    mark_search(ui, g, row, column, width, text);
}

static void draw_cell(struct ui *ui, const struct drawn *d, struct grid *g, int row, int column,
                      int width, unsigned at) {
    struct buf *b = &ui->text;
    enum column c = (enum column)d->set->list[at];
    size_t lead;
    if (draw_share(ui, d, g, row, column, width, c)) {
        return;
    }
    buf_clear(b);
    enum role role = table_place(d->s, d->r, d->set, at, (size_t)width, ui->o.unicode, b, &lead);
    grid_text(g, row, column + (int)lead, width + 1 - (int)lead, own_role(d, c, role),
              buf_span_of(b));
}

/* Left of the number in the first column where there is room, else in the blank behind it; of a text its first
 * sign. */
static void draw_tag(struct grid *g, int row, int column, int width, enum column c) {
    int end = column + width;
    int at = column_info(c)->left ? end : column;
    while (at < end && grid_at(g, row, at) && grid_at(g, row, at)->bytes[0] == ' ') {
        at++;
    }
    if (c == COLUMN_COMMAND) {
        at = column;
    } else if (at > column && at < end) {
        at--;
    } else {
        at = end;
    }
    draw_text(g, row, at, 1, ROLE_WARN, "*");
}

static void draw_column(struct ui *ui, const struct snapshot *s, const struct drawn *d,
                        struct grid *g, int row, int column, int width, unsigned at) {
    enum column c = (enum column)d->set->list[at];
    if (c == COLUMN_COMMAND) {
        int more = borrowed(ui, d, at, width);
        grid_fill(g, row, column - more, more, ROLE_NORMAL, " ");
        draw_command(ui, d, g, row, column - more, width + more);
    } else if (c == COLUMN_HISTORY) {
        plots_draw_row(ui, s, g, row, column, width, d->r);
    } else {
        draw_cell(ui, d, g, row, column, width, at);
    }
    if (at == 0 && d->is_tagged) {
        draw_tag(g, row, column, width, c);
    }
}

static struct drawn drawn_of(const struct ui *ui, const struct snapshot *s,
                             const struct column_set *set, struct row r) {
    struct drawn d = {.s = list_source(ui, s, r), .r = r, .set = set};
    bool is_part = r.client || r.engine || r.region;
    uint32_t process = is_part ? s->process_count : row_process(s, r);
    if (process < s->process_count) {
        const struct snap_process *p = &s->processes[process];
        bool is_told = memchr(set->list, COLUMN_USER, set->count) != NULL;
        d.is_own = is_told && ui->o.has_uid && p->uid.state == STATE_VALUE &&
                   p->uid.v == (int64_t)ui->o.own_uid;
        d.is_tagged = tags_has(ui, p->pid, p->start);
    }
    return d;
}

static void draw_row(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                     const struct column_set *set, uint32_t line) {
    struct drawn d = drawn_of(ui, s, set, ui->lines[line]);
    bool is_selected = line == ui->at;
    int start = column;
    int room = g->columns - column;
    grid_fill(g, row, column, room, ROLE_NORMAL, " ");
    for (unsigned i = 0; i < set->count && column < g->columns; i++) {
        int width = columns_width(set, i, room);
        draw_column(ui, s, &d, g, row, column, width, i);
        column += width + 1;
    }
    spot_add(ui, SPOT_LINE, line, row, start, room);
    if (is_selected) {
        grid_role(g, row, start, room, ROLE_SELECTED);
        eye_set(ui, row, start);
    }
}

/* ---------------------------------------------------------------------------------------------- */

void body_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows,
               int column) {
    if (rows < 1) {
        return;
    }
    if (empty_draw(ui, s, g, row, rows, column)) {
        return;
    }
    struct column_set set = columns_choose(ui, s, g->columns - column).set;
    list_scroll(ui, (uint32_t)rows);
    for (int i = 0; i < rows && ui->top + (uint32_t)i < ui->line_count; i++) {
        draw_row(ui, s, g, row + i, column, &set, ui->top + (uint32_t)i);
    }
    if (first_hint(ui) && ui->line_count + 1 < (uint32_t)rows) {
        draw_text(g, row + rows - 1, column, -1, ROLE_DIM, first_hint(ui));
    }
}
