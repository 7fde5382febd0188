/* `stat` for people. Pure. */
#include "stat_parts.h"

/* Rounded to `decimals`; what no whole number holds is said as it is. */
static void put_number(struct buf *b, double v, unsigned decimals) {
    if (v >= 0 && v < 1e9)
        buf_fixed(b, (int64_t)(v * 1e9 + 0.5), 9, decimals);
    else
        buf_double(b, v);
}

/* Right-aligned in 14 columns, then what it is. */
static void put_line(struct buf *b, const struct figure *f, bool bytes, const char *unit) {
    char human[8];
    size_t start = b->n, n;
    if (f->n == 0)
        buf_text(b, f->state == STATE_UNSUPPORTED ? "n/a" : state_name(f->state));
    else if (bytes)
        buf_put(b, human, human_bytes(human, (uint64_t)(f->mean + 0.5)));
    else
        put_number(b, f->mean, f->mean < 100 ? 3 : 1);
    buf_text(b, figure_doubt(f, 0) ? "~" : "");
    n = b->n - start;
    if (n < 14 && buf_reserve(b, 14 - n)) {
        memmove(b->p + start + 14 - n, b->p + start, n);
        memset(b->p + start, ' ', 14 - n);
        b->n = start + 14;
    }
    buf_char(b, ' ');
    buf_text(b, unit);
    buf_fill(b, ' ', strlen(unit) < 5 ? 5 - strlen(unit) : 0);
}

static void put_spread(struct buf *b, const struct figure *f) {
    double spread;
    if (figure_spread(f, &spread)) {
        buf_text(b, "  (+- ");
        put_number(b, spread, 2);
        buf_text(b, " %)");
    }
    buf_char(b, '\n');
}

static void put_engines(const struct out_stat *st, const struct cost_device *d, struct buf *b) {
    for (uint32_t i = 0; i < d->engine_count; i++) {
        const struct cost_engine *e = &d->engines[i];
        put_line(b, &e->busy_s, false, "s");
        buf_text(b, "busy on ");
        buf_span(b, pool_get(&st->text, e->name));
        if (e->busy_pct.n > 0) {
            buf_text(b, ", ");
            put_number(b, e->busy_pct.mean, 1);
            buf_text(b, " % of the time");
        }
        put_spread(b, &e->busy_s);
    }
}

static void put_memory(const struct out_stat *st, const struct cost_device *d, struct buf *b) {
    char human[8];
    for (uint32_t i = 0; i < d->region_count; i++) {
        const struct cost_region *r = &d->regions[i];
        put_line(b, &r->peak_b, true, "");
        buf_text(b, "peak in ");
        buf_span(b, pool_get(&st->text, r->name));
        if (r->mean_b.n > 0) {
            buf_text(b, ", mean ");
            buf_put(b, human, human_bytes(human, (uint64_t)(r->mean_b.mean + 0.5)));
        }
        put_spread(b, &r->peak_b);
    }
}

static void put_power(const struct cost_device *d, struct buf *b) {
    put_line(b, &d->pws, false, "PW s");
    if (d->unpriced_s.n > 0 && d->unpriced_s.mean > 0) {
        buf_text(b, "and ");
        put_number(b, d->unpriced_s.mean, 3);
        buf_text(b, " s without a price");
    }
    put_spread(b, &d->pws);
    put_line(b, &d->joules, false, "J");
    if (d->watts.n > 0) {
        buf_text(b, "mean ");
        put_number(b, d->watts.mean, 3);
        buf_text(b, " W");
    }
    if (d->method != METHOD_NONE) {
        buf_text(b, ", ");
        buf_text(b, power_method_name(d->method));
    }
    put_spread(b, &d->joules);
}

/* Whether any process of the command was seen on it. */
static bool is_used(const struct out_stat *st, uint32_t device) {
    for (uint32_t i = 0; i < st->process_count; i++)
        if (st->processes[i].device == device)
            return true;
    return false;
}

static void put_device(const struct out_stat *st, uint32_t at, struct buf *b) {
    const struct cost_device *d = &st->devices[at];
    buf_text(b, "  ");
    buf_span(b, pool_get(&st->text, d->id));
    buf_text(b, "  ");
    buf_span(b, pool_get(&st->text, d->name));
    if (!is_used(st, at)) {
        buf_text(b, "\n               -  not seen to be used\n");
        return;
    }
    buf_char(b, '\n');
    put_engines(st, d, b);
    put_memory(st, d, b);
    put_power(d, b);
}

static void put_processes(const struct out_stat *st, struct buf *b) {
    for (uint32_t i = 0; i < st->process_count; i++) {
        const struct cost_process *p = &st->processes[i];
        struct figure busy = {.state = p->busy_ns.state};
        if (busy.state == STATE_VALUE)
            figure_add(&busy, (double)p->busy_ns.v / 1e9, p->busy_ns.doubt);
        put_line(b, &busy, false, "s");
        buf_text(b, "pid ");
        buf_i64(b, p->pid);
        buf_char(b, ' ');
        buf_span(b, pool_get(&st->text, p->name));
        buf_text(b, " on ");
        buf_span(b, pool_get(&st->text, st->devices[p->device].id));
        buf_char(b, '\n');
    }
}

static void put_command(const struct out_stat_about *a, struct buf *b) {
    char word[256];
    for (char *const *w = a->command; *w; w++) {
        buf_char(b, ' ');
        buf_put(b, word, text_clean(word, sizeof word, span_of(*w)));
    }
}

void stat_text(const struct out_stat *st, const struct out_stat_about *a, struct buf *b) {
    buf_text(b, "\nGPU cost of");
    put_command(a, b);
    if (st->runs > 1) {
        buf_text(b, " (mean of ");
        buf_u64(b, st->runs);
        buf_text(b, " runs)");
    }
    buf_text(b, ":\n\n");
    if (st->device_count == 0)
        buf_text(b, "  no GPU found\n");
    for (uint32_t i = 0; i < st->device_count; i++)
        put_device(st, i, b);
    if (st->process_count > 0)
        buf_text(b, "\n");
    put_processes(st, b);
    buf_char(b, '\n');
    put_line(b, &st->wall_s, false, "s");
    buf_text(b, "wall time, exit status ");
    buf_i64(b, a->status);
    put_spread(b, &st->wall_s);
    for (uint32_t i = 0; i < a->running_count; i++) {
        buf_text(b, "  still running, counted up to here: pid ");
        buf_i64(b, a->running[i].pid);
        buf_char(b, ' ');
        buf_text(b, a->running[i].name);
        buf_char(b, '\n');
    }
    if (!a->exact) {
        buf_text(b, "  what lived less than ");
        buf_fixed(b, a->delay_ns, 6, 0);
        buf_text(b, " ms may not be seen\n");
    }
    if (st->failed)
        buf_text(b, "  incomplete: too many processes, or out of memory\n");
}
