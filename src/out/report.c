/*
 * `gwtop report`: the outputs that gather all ticks and write one page, or one sheet, at the end.
 * Totals come from the newest snapshot that told them, since rows of processes that ended age out.
 * Pure.
 */
#include "report.h"

#include <stdlib.h>

#include "outputs.h"
#include "state.h"

static struct report *create(const struct out_options *o) {
    struct report *r = calloc(1, sizeof *r);
    if (r) {
        r->options = *o;
    }
    return r;
}

static void finish_device(struct report_device *d) {
    for (uint32_t i = 0; i < d->engine_count; i++) {
        series_finish(&d->engines[i].busy);
    }
    series_finish(&d->busy);
    series_finish(&d->watts);
    series_finish(&d->socket);
    series_finish(&d->pw);
    series_finish(&d->vram);
    series_finish(&d->gtt);
    series_finish(&d->coverage);
    free(d);
}

static void destroy(struct report *r) {
    if (!r) {
        return;
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        finish_device(r->devices[i]);
    }
    for (uint32_t i = 0; i < r->lane_count; i++) {
        series_finish(&r->lanes[i].busy);
    }
    series_finish(&r->other);
    map_finish(&r->row_at);
    free(r->rows);
    free(r->order);
    free(r);
}

/* ---- figures ------------------------------------------------------------------------------- */

double report_within(const struct report_total *t) {
    double v = t->carried + t->last - t->base;
    return t->known && v > 0 ? v : 0;
}

void report_see(struct report_total *t, double v, unsigned state, unsigned doubt, bool first) {
    if (state != STATE_VALUE || !(v >= 0 && v < 1e18)) {
        t->state = (uint8_t)(state == STATE_VALUE ? STATE_MALFORMED : state);
        return;
    }
    if (first) {
        t->base = v;
    } else if (t->known && v < t->last) {
        t->carried += t->last;
    }
    t->last = v;
    t->known = true;
    t->doubt |= (uint8_t)doubt;
}

void report_see_rest(struct report_total *t, double v, unsigned state, unsigned doubt, bool first) {
    if (state == STATE_VALUE && t->known && v < t->last) {
        t->last = v;
    }
    report_see(t, v, state, doubt, first);
}

void report_add(struct report_total *to, const struct report_total *from) {
    if (!from->known) {
        to->state = to->state == STATE_UNKNOWN ? from->state : to->state;
        return;
    }
    to->known = true;
    to->last += report_within(from);
    to->doubt |= from->doubt;
}

void report_add_work(struct report_work *to, const struct report_work *from) {
    report_add(&to->busy, &from->busy);
    report_add(&to->pws, &from->pws);
    report_add(&to->unpriced, &from->unpriced);
    report_add(&to->joules, &from->joules);
}

double report_span_s(const struct report *r) {
    return (double)(r->last_ns - r->first_ns) * 1e-9;
}

double report_device_pws(const struct report *r, uint32_t device) {
    return r->devices[device]->pws_all;
}

/* What a device told itself, or what its rows add up to where that is more. */
static void sum_devices(struct report *r) {
    for (uint32_t i = 0; i < r->device_count; i++) {
        struct report_device *d = r->devices[i];
        d->pws_all = 0;
        for (uint32_t k = 0; k < d->loose_count; k++) {
            d->pws_all += report_within(&d->loose[k].work.pws);
        }
    }
    for (uint32_t i = 0; i < r->row_count; i++) {
        if (!r->rows[i].before) {
            r->devices[r->rows[i].device]->pws_all += report_within(&r->rows[i].work.pws);
        }
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        double own = report_within(&r->devices[i]->work.pws);
        r->devices[i]->pws_all = own > r->devices[i]->pws_all ? own : r->devices[i]->pws_all;
    }
}

/* ---- rows to show -------------------------------------------------------------------------- */

static bool is_chosen(const struct report *r, const struct report_row *row) {
    const struct table_query *q = &r->options.query;
    uint64_t uid;
    if (q->pid != 0 && row->pid != q->pid) {
        return false;
    }
    if (q->user.n == 0 || span_equals(q->user, row->user)) {
        return true;
    }
    return span_to_u64(q->user, &uid) == ERR_OK && row->uid.state == STATE_VALUE &&
           row->uid.v >= 0 && (uint64_t)row->uid.v == uid;
}

static bool is_dearer(const struct report_row *a, const struct report_row *b) {
    double left = report_within(&a->work.pws);
    double right = report_within(&b->work.pws);
    if (left != right) {
        return left > right;
    }
    left = report_within(&a->work.busy);
    right = report_within(&b->work.busy);
    if (left != right) {
        return left > right;
    }
    return a->pid != b->pid ? a->pid < b->pid : a->start < b->start;
}

/* Sinks the element at `i` of a heap whose top is the cheapest. */
static void sink(const struct report *r, uint32_t *heap, uint32_t n, uint32_t i) {
    for (;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++) {
            if (is_dearer(&r->rows[heap[least]], &r->rows[heap[child]])) {
                least = child;
            }
        }
        if (least == i) {
            return;
        }
        uint32_t moved = heap[i];
        heap[i] = heap[least];
        heap[least] = moved;
        i = least;
    }
}

/* Taking the cheapest away again and again leaves the dearest in front. */
static void sort_rows(struct report *r) {
    uint32_t n = r->order_count;
    for (uint32_t i = n / 2; i > 0; i--) {
        sink(r, r->order, n, i - 1);
    }
    for (; n > 1; n--) {
        uint32_t cheapest = r->order[0];
        r->order[0] = r->order[n - 1];
        r->order[n - 1] = cheapest;
        sink(r, r->order, n - 1, 0);
    }
}

/* Chooses and sorts the rows, and sums what they share. */
static void arrange(struct report *r) {
    void *order = r->order;
    sum_devices(r);
    r->order_count = 0;
    r->rest = (struct report_work){0};
    r->rest_count = 0;
    if (r->row_count == 0) {
        return;
    }
    if (vec_reserve(&order, &r->order_cap, r->row_count, sizeof *r->order) != ERR_OK) {
        r->failed = true;
        return;
    }
    r->order = order;
    for (uint32_t i = 0; i < r->row_count; i++) {
        if (r->rows[i].before) {
            continue;
        }
        if (is_chosen(r, &r->rows[i])) {
            r->order[r->order_count++] = i;
        } else {
            report_add_work(&r->rest, &r->rows[i].work);
            r->rest_count++;
        }
    }
    sort_rows(r);
    while (r->options.query.top > 0 && r->order_count > r->options.query.top) {
        report_add_work(&r->rest, &r->rows[r->order[--r->order_count]].work);
        r->rest_count++;
    }
}

/* ---- the outputs --------------------------------------------------------------------------- */

static enum err open_report(const struct out_options *o, struct out_state **out) {
    enum err e = out_state_open(o, out);
    if (e != ERR_OK) {
        return e;
    }
    (*out)->report = create(o);
    if (!(*out)->report) {
        out_state_close(*out);
        *out = NULL;
        return ERR_NOMEM;
    }
    return ERR_OK;
}

static void tick(struct out_state *st, const struct snapshot *s, struct buf *b) {
    (void)b;
    report_tick(st->report, s);
}

static void fail_if_incomplete(const struct report *r, struct buf *b) {
    if (r->failed) {
        b->failed = true;
        b->cap = b->n;
    }
}

static void end_html(struct out_state *st, struct buf *b) {
    arrange(st->report);
    report_html(st->report, b);
    fail_if_incomplete(st->report, b);
}

static void end_csv(struct out_state *st, struct buf *b) {
    arrange(st->report);
    report_csv(st->report, b);
    fail_if_incomplete(st->report, b);
}

static void close_report(struct out_state *st) {
    if (st) {
        destroy(st->report);
    }
    out_state_close(st);
}

const struct output output_report = {
    .name = "report",
    .doc = "one HTML page about all ticks, written at the end",
    .open = open_report,
    .begin = out_state_nothing,
    .tick = tick,
    .end = end_html,
    .close = close_report,
};

const struct output output_report_csv = {
    .name = "report-csv",
    .doc = "the tables of that page as comma-separated values (RFC 4180)",
    .open = open_report,
    .begin = out_state_nothing,
    .tick = tick,
    .end = end_csv,
    .close = close_report,
};
