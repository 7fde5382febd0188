/*
 * Who worked on a device: its processes, and below each its hardware contexts and tags. Pure.
 */
#include "counters.h"

#define BUSY_END  8 /* columns up to the end of the busy share */
#define GAP       2 /* columns before who it is */
#define NAME_MOST 60

/* Columns up to the end of the counter; its name is its heading. */
static int value_end(const struct pane *p) {
    return p->width < 50 ? BUSY_END + 13 : BUSY_END + 20;
}

/* ---- which, in which order ------------------------------------------------------------------- */

static int64_t busy_of(struct value v) {
    return v.state == STATE_VALUE && v.v > 0 ? v.v : 0;
}

static struct worker *add(struct ui *ui, uint8_t kind, uint32_t index) {
    void *p = ui->workers;
    if (vec_reserve(&p, &ui->worker_cap, ui->worker_count + 1, sizeof *ui->workers) != ERR_OK) {
        return NULL;
    }
    ui->workers = p;
    ui->workers[ui->worker_count] = (struct worker){.index = index, .kind = kind};
    return &ui->workers[ui->worker_count++];
}

/* A row and its contexts, which stand where the row does. */
static void add_row(struct ui *ui, const struct snapshot *s, uint8_t kind, uint32_t index,
                    struct value busy, struct run contexts) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < contexts.count; i++) {
        sum += busy_of(s->contexts[contexts.first + i].busy_ppm);
    }
    /* Of one without a sum of its own, what its contexts come to. */
    int64_t weight = busy.state == STATE_VALUE ? busy_of(busy) : sum;
    if (contexts.count == 0 && weight == 0) {
        return;
    }
    uint32_t place = ui->worker_count;
    struct worker *w = add(ui, kind, index);
    if (w) {
        *w = (struct worker){weight, INT64_MAX, place, index, kind};
    }
    for (uint32_t i = 0; w && i < contexts.count; i++) {
        int64_t own = busy_of(s->contexts[contexts.first + i].busy_ppm);
        w = add(ui, WORKER_CONTEXT, contexts.first + i);
        if (w) {
            *w = (struct worker){weight, own, place, contexts.first + i, WORKER_CONTEXT};
        }
    }
}

/* The busiest first, contexts behind their row; equal ones as the snapshot has them. */
static bool comes_before(const struct worker *a, const struct worker *b) {
    if (a->row_busy != b->row_busy) {
        return a->row_busy > b->row_busy;
    }
    if (a->place != b->place) {
        return a->place < b->place;
    }
    if (a->busy != b->busy) {
        return a->busy > b->busy;
    }
    return a->kind != b->kind ? a->kind < b->kind : a->index < b->index;
}

/* By shrinking gaps: in place. */
static void sort(struct worker *w, uint32_t n) {
    uint32_t gap = 1;
    while (gap < n / 3) {
        gap = gap * 3 + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (uint32_t i = gap; i < n; i++) {
            struct worker moved = w[i];
            uint32_t at = i;
            for (; at >= gap && comes_before(&moved, &w[at - gap]); at -= gap) {
                w[at] = w[at - gap];
            }
            w[at] = moved;
        }
    }
}

uint32_t workers_find(struct ui *ui, const struct snapshot *s, uint32_t device) {
    ui->worker_count = 0;
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        if (p->device == device) {
            add_row(ui, s, WORKER_PROCESS, i, p->busy_ppm, p->contexts);
        }
    }
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        const struct snap_unattributed *u = &s->unattributed[i];
        if (u->device == device && u->contexts.count > 0) {
            add_row(ui, s, WORKER_NOBODY, i, u->busy_ppm, u->contexts);
        }
    }
    sort(ui->workers, ui->worker_count);
    return ui->worker_count;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void put_who(struct buf *b, const struct snapshot *s, const struct worker *w) {
    buf_clear(b);
    if (w->kind == WORKER_PROCESS) {
        buf_i64(b, s->processes[w->index].pid);
        buf_char(b, ' ');
        buf_span(b, text_cut(snapshot_text(s, s->processes[w->index].name), NAME_MOST));
    } else if (w->kind == WORKER_NOBODY) {
        buf_span(b, snapshot_text(s, s->unattributed[w->index].name));
    } else {
        const struct snap_context *c = &s->contexts[w->index];
        buf_text(b, "  context ");
        buf_u64(b, c->context);
        if (c->tagged) {
            buf_text(b, " tag ");
            buf_u64(b, c->tag);
        }
    }
}

static struct value share_of(const struct snapshot *s, const struct worker *w) {
    return w->kind == WORKER_PROCESS  ? s->processes[w->index].busy_ppm
           : w->kind == WORKER_NOBODY ? s->unattributed[w->index].busy_ppm
                                      : s->contexts[w->index].busy_ppm;
}

/* What is said of a counter over the work of a context. */
static void draw_counter(struct ui *ui, const struct snapshot *s, struct grid *g,
                         const struct pane *p, int row, const struct worker *w, unsigned metric) {
    int width = value_end(p) - BUSY_END;
    struct run run = w->kind == WORKER_CONTEXT ? s->contexts[w->index].counters : (struct run){0};
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_metric *m = &s->metrics[run.first + i];
        if (m->metric == metric) {
            enum role role = counter_text(ui, m, width);
            draw_hanging(g, row, p->column + BUSY_END + 1, width, role, buf_span_of(&ui->text));
            return;
        }
    }
}

static void draw_worker(struct ui *ui, const struct snapshot *s, struct grid *g,
                        const struct pane *p, int row, const struct worker *w, unsigned metric) {
    struct value share = share_of(s, w);
    buf_clear(&ui->text);
    put_share(&ui->text, share);
    draw_hanging(g, row, p->column, BUSY_END + 1, share_role(share), buf_span_of(&ui->text));
    draw_counter(ui, s, g, p, row, w, metric);
    put_who(&ui->text, s, w);
    enum role role = w->kind == WORKER_CONTEXT ? ROLE_NORMAL : ROLE_VALUE;
    int at = value_end(p) + GAP;
    grid_text(g, row, p->column + at, p->width - at, role, buf_span_of(&ui->text));
}

static void draw_head(struct ui *ui, struct grid *g, const struct pane *p, unsigned metric) {
    const char *name = metric < METRIC_COUNT ? group_metric_name(GROUP_COUNTERS, metric) : "";
    grid_fill(g, p->row, p->column, p->width, ROLE_HEADER, " ");
    draw_right(g, p->row, p->column + BUSY_END, p->column, ROLE_HEADER, span_of("BUSY"));
    int end = value_end(p);
    struct span cut = text_cut(span_of(name), (size_t)(end - BUSY_END - 1));
    draw_right(g, p->row, p->column + end, p->column, ROLE_HEADER_SORT, cut);
    draw_text(g, p->row, p->column + end + GAP, p->width - end - GAP, ROLE_HEADER,
              ui->worker_count > 0 ? "PROCESS, CONTEXT, TAG" : "no process");
}

void workers_draw(struct ui *ui, const struct snapshot *s, struct grid *g, struct pane p,
                  unsigned metric) {
    uint32_t room = p.rows > 1 ? (uint32_t)p.rows - 1 : 0;
    uint32_t most = ui->worker_count > room ? ui->worker_count - room : 0;
    if (room == 0 || p.width <= value_end(&p) + GAP) {
        return;
    }
    ui->worker_top = ui->worker_top > most ? most : ui->worker_top;
    ui->body = room;
    draw_head(ui, g, &p, metric);
    for (uint32_t i = 0; i < room && ui->worker_top + i < ui->worker_count; i++) {
        draw_worker(ui, s, g, &p, p.row + 1 + (int)i, &ui->workers[ui->worker_top + i], metric);
    }
}
