/*
 * The environment of a process, a line for each variable as the process was started with, or why it is not there.
 * Long lines are moved sideways. Pure.
 */
#include "process.h"

#include "detail.h"

#define SHIFT_STEP 8
#define SHIFT_MOST 4096

bool environment_key(struct ui *ui, uint32_t key, const struct snapshot *s,
                     struct ui_command *out) {
    struct process_pane *p = &ui->process;
    (void)s;
    if (key == ' ' && !ui->o.replay) {
        key = UI_KEY_PAGE_DOWN;
    }
    if (scroll_key(&p->environment_top, ui->body, key)) {
        return true;
    }
    switch (key) {
    case UI_KEY_LEFT:
        p->shift = p->shift > SHIFT_STEP ? p->shift - SHIFT_STEP : 0;
        return true;
    case UI_KEY_RIGHT:
        p->shift += p->shift < SHIFT_MOST ? SHIFT_STEP : 0;
        return true;
    case 'r':
        *out = process_ask(ui);
        return true;
    case UI_KEY_ESC:
    case UI_KEY_ENTER:
    case 'e':
    case 'q':
        pane_close(ui);
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------------------------------------- */

static void draw_head(struct ui *ui, struct grid *g, int row, uint32_t room) {
    const struct process_pane *p = &ui->process;
    const struct process_text *f = &p->files[PROCESS_ENVIRONMENT];
    struct buf *b = &ui->text;
    uint32_t top = p->environment_top;
    int end = g->columns;
    if (room < f->lines) {
        buf_clear(b);
        buf_u64(b, top + 1);
        buf_char(b, '-');
        buf_u64(b, f->lines - top < room ? f->lines : top + room);
        buf_text(b, " of ");
        buf_u64(b, f->lines);
        end = draw_right(g, row, g->columns, g->columns / 2, ROLE_DIM, buf_span_of(b)) - 2;
    }
    process_put_title(ui, b);
    int at = grid_text(g, row, 0, end, ROLE_TITLE, buf_span_of(b));
    buf_clear(b);
    buf_text(b, "  environment");
    if (!process_why_not(ui, PROCESS_ENVIRONMENT)) {
        buf_text(b, ", ");
        put_count(b, f->lines, "variable", "variables");
        buf_text(b, f->cut ? ": there are more" : "");
    }
    grid_text(g, row, at, end - at > 0 ? end - at : 0, ROLE_NORMAL, buf_span_of(b));
}

/* The name, and what it is set to, with a mark where more stands at a side. */
static void draw_line(struct ui *ui, struct grid *g, int row, struct span line) {
    int shift = ui->process.shift;
    bool unicode = ui->o.unicode;
    struct span skipped = text_cut(line, (size_t)shift);
    struct span rest = span_skip(line, skipped.n);
    struct cursor c = cursor_over(line);
    struct span name;
    (void)cursor_field(&c, '=', &name);
    size_t named = name.n > skipped.n ? name.n - skipped.n : 0;
    int at = grid_text(g, row, 0, -1, ROLE_LABEL, (struct span){rest.p, named});
    (void)grid_text(g, row, at, -1, ROLE_VALUE, span_skip(rest, named));
    if (skipped.n > 0) {
        grid_fill(g, row, 0, 1, ROLE_DIM, unicode ? "‹" : "<");
    }
    if (text_cut(rest, (size_t)g->columns).n < rest.n) {
        grid_fill(g, row, g->columns - 1, 1, ROLE_DIM, unicode ? "›" : ">");
    }
}

int environment_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    struct process_pane *p = &ui->process;
    const struct process_text *f = &p->files[PROCESS_ENVIRONMENT];
    const char *why = process_why_not(ui, PROCESS_ENVIRONMENT);
    uint32_t room = rows > 1 ? (uint32_t)rows - 1 : 0;
    uint32_t most = f->lines > room ? f->lines - room : 0;
    struct cursor c = cursor_over(buf_span_of(&f->text));
    struct span line;
    (void)s;
    if (rows < 1) {
        return 0;
    }
    p->environment_top = p->environment_top > most ? most : p->environment_top;
    ui->body = room;
    draw_head(ui, g, row, room);
    if (why) {
        draw_text(g, rows > 1 ? row + 1 : row, 0, -1, ROLE_DIM, why);
        return 0;
    }
    for (uint32_t i = 0; i < p->environment_top + room && cursor_line(&c, &line); i++) {
        if (i >= p->environment_top) {
            draw_line(ui, g, row + 1 + (int)(i - p->environment_top), line);
        }
    }
    return 0;
}
