/*
 * Who worked on a device: its processes, and below each its hardware contexts and tags. Pure.
 */
#include "counters.h"

#define BUSY_END   8 /* columns up to the end of the busy share */
#define GAP        2 /* columns before who it is */
#define NAME_MOST  60
#define WHOLE_PPM  INT64_C(1000000)
#define NOTE_LEAST 5 /* rows from which on there is one for it */

static const char detail_words[] = "  contexts are the same work, seen by the hardware";

/* Columns up to the end of the counter; its name is its heading. */
static int value_end(const struct area *p) {
    return p->width < 50 ? BUSY_END + 13 : BUSY_END + 20;
}

/* ---- which, in which order ------------------------------------------------------------------- */

/* What contexts come to together; not known where none is. */
static struct value sum_of(const struct snapshot *s, struct run contexts) {
    struct value sum = {.state = STATE_UNKNOWN};
    for (uint32_t i = 0; i < contexts.count; i++) {
        struct value v = s->contexts[contexts.first + i].busy_ppm;
        if (v.state != STATE_VALUE || v.v < 0) {
            sum.state = sum.state == STATE_VALUE ? (uint8_t)STATE_VALUE : v.state;
            continue;
        }
        sum.v = sum.state == STATE_VALUE ? sum.v + v.v : v.v;
        sum.v = sum.v > WHOLE_PPM ? WHOLE_PPM : sum.v;
        sum.doubt |= v.doubt;
        sum.state = STATE_VALUE;
    }
    return sum;
}

/* Of contexts of nobody their row has no sum where they are a detail of others. */
static struct value share_of(const struct snapshot *s, uint8_t kind, uint32_t index) {
    if (kind == WORKER_CONTEXT) {
        return s->contexts[index].busy_ppm;
    }
    if (kind == WORKER_PROCESS) {
        return s->processes[index].busy_ppm;
    }
    const struct snap_unattributed *u = &s->unattributed[index];
    return u->busy_ppm.state == STATE_VALUE ? u->busy_ppm : sum_of(s, u->contexts);
}

static struct worker *add(struct ui *ui, uint8_t kind, uint32_t index) {
    void *p = ui->counters.workers;
    if (vec_reserve(&p, &ui->counters.worker_cap, ui->counters.worker_count + 1,
                    sizeof *ui->counters.workers) != ERR_OK) {
        return NULL;
    }
    ui->counters.workers = p;
    ui->counters.workers[ui->counters.worker_count] = (struct worker){.index = index, .kind = kind};
    return &ui->counters.workers[ui->counters.worker_count++];
}

/* Who the row is. */
static struct standing row_of(const struct snapshot *s, uint8_t kind, uint32_t index) {
    if (kind == WORKER_PROCESS) {
        return (struct standing){
            .kind = kind, .pid = s->processes[index].pid, .start = s->processes[index].start};
    }
    return (struct standing){.kind = kind, .is_nobody = true, .pid = (int32_t)index};
}

static void add_context(struct ui *ui, const struct snapshot *s, struct standing who,
                        const struct worker *row, uint32_t index) {
    const struct snap_context *c = &s->contexts[index];
    bool is_idle;
    who.kind = WORKER_CONTEXT;
    who.context = c->context;
    who.tag = c->tag;
    who.tagged = c->tagged;
    int64_t own = standing_of(ui, &who, c->busy_ppm, &is_idle);
    struct worker *w = add(ui, WORKER_CONTEXT, index);
    if (w) {
        *w = (struct worker){row->row_busy, own, row->place, index, WORKER_CONTEXT};
    }
}

/* A row and its contexts, which stand where the row does. One without both contexts and work is none. */
static void add_row(struct ui *ui, const struct snapshot *s, uint8_t kind, uint32_t index,
                    struct run contexts) {
    struct value busy = share_of(s, kind, index);
    const struct standing who = row_of(s, kind, index);
    bool is_idle;
    /* Of one that never has a share of its own, what its contexts come to. */
    bool has_own = busy.state == STATE_VALUE || busy.state == STATE_UNKNOWN;
    struct value weight = has_own ? busy : sum_of(s, contexts);
    const struct worker row = {.row_busy = standing_of(ui, &who, weight, &is_idle),
                               .busy = INT64_MAX,
                               .place = ui->counters.worker_count,
                               .index = index,
                               .kind = kind};
    struct worker *w = contexts.count == 0 && is_idle ? NULL : add(ui, kind, index);
    if (w) {
        *w = row;
    }
    for (uint32_t i = 0; w && i < contexts.count; i++) {
        add_context(ui, s, who, &row, contexts.first + i);
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
    ui->counters.worker_count = 0;
    ui->counters.is_detail = false;
    standings_begin(ui, s, device);
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        if (p->device == device) {
            ui->counters.is_detail =
                ui->counters.is_detail || (p->contexts.count > 0 && p->client_run.count > 0);
            add_row(ui, s, WORKER_PROCESS, i, p->contexts);
        }
    }
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        const struct snap_unattributed *u = &s->unattributed[i];
        if (u->device == device && u->contexts.count > 0) {
            ui->counters.is_detail =
                ui->counters.is_detail || u->busy_ppm.state == STATE_UNSUPPORTED;
            add_row(ui, s, WORKER_NOBODY, i, u->contexts);
        }
    }
    sort(ui->counters.workers, ui->counters.worker_count);
    return ui->counters.worker_count + ui->counters.is_detail;
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

/* What is said of a counter over the work of a context. */
static void draw_counter(struct ui *ui, const struct snapshot *s, struct grid *g,
                         const struct area *p, int row, const struct worker *w, unsigned metric) {
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
                        const struct area *p, int row, const struct worker *w, unsigned metric) {
    struct value share = share_of(s, w->kind, w->index);
    buf_clear(&ui->text);
    put_share_fine(&ui->text, share);
    draw_hanging(g, row, p->column, BUSY_END + 1, share_role(share), buf_span_of(&ui->text));
    draw_counter(ui, s, g, p, row, w, metric);
    put_who(&ui->text, s, w);
    enum role role = w->kind == WORKER_CONTEXT ? ROLE_NORMAL : ROLE_VALUE;
    int at = value_end(p) + GAP;
    grid_text(g, row, p->column + at, p->width - at, role, buf_span_of(&ui->text));
}

static void draw_head(struct ui *ui, struct grid *g, const struct area *p, unsigned metric) {
    const char *name = metric < METRIC_COUNT ? group_metric_name(GROUP_COUNTERS, metric) : "";
    grid_fill(g, p->row, p->column, p->width, ROLE_HEADER, " ");
    draw_right(g, p->row, p->column + BUSY_END, p->column, ROLE_HEADER, span_of("BUSY"));
    int end = value_end(p);
    struct span cut = text_cut(span_of(name), (size_t)(end - BUSY_END - 1));
    draw_right(g, p->row, p->column + end, p->column, ROLE_HEADER_SORT, cut);
    int at = draw_text(g, p->row, p->column + end + GAP, p->width - end - GAP,
                       ui->counters.on_workers ? ROLE_HEADER_SORT : ROLE_HEADER,
                       ui->counters.worker_count > 0 ? "PROCESS, CONTEXT, TAG" : "no process");
    buf_clear(&ui->text);
    put_place(&ui->text, ui->counters.worker_top, ui->body, ui->counters.worker_count);
    draw_right(g, p->row, p->column + p->width, at + GAP, ROLE_HEADER, buf_span_of(&ui->text));
}

void workers_draw(struct ui *ui, const struct snapshot *s, struct grid *g, struct area p,
                  unsigned metric) {
    bool is_noted = ui->counters.is_detail && p.rows >= NOTE_LEAST;
    uint32_t room = p.rows > 1 ? (uint32_t)p.rows - 1 - is_noted : 0;
    uint32_t most = ui->counters.worker_count > room ? ui->counters.worker_count - room : 0;
    if (room == 0 || p.width <= value_end(&p) + GAP) {
        return;
    }
    ui->counters.worker_top = ui->counters.worker_top > most ? most : ui->counters.worker_top;
    ui->body = room;
    draw_head(ui, g, &p, metric);
    for (uint32_t i = 0; i < room && ui->counters.worker_top + i < ui->counters.worker_count; i++) {
        draw_worker(ui, s, g, &p, p.row + 1 + (int)i,
                    &ui->counters.workers[ui->counters.worker_top + i], metric);
    }
    if (is_noted) {
        uint32_t lines = ui->counters.worker_count < room ? ui->counters.worker_count : room;
        draw_text(g, p.row + 1 + (int)lines, p.column, p.width, ROLE_DIM, detail_words);
    }
}
