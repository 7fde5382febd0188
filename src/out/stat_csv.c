/* `stat --csv`: a line for each figure (RFC 4180). Pure. */
#include "stat_parts.h"

/* What a figure is of. */
struct place {
    const struct out_stat *st;
    struct buf *b;
    struct span device;
    int64_t pid; /* 0: none */
    struct span name;
};

static void put_head(const struct place *p, const char *figure) {
    buf_csv_field(p->b, p->device);
    buf_char(p->b, ',');
    if (p->pid)
        buf_i64(p->b, p->pid);
    buf_char(p->b, ',');
    buf_csv_field(p->b, p->name);
    buf_char(p->b, ',');
    buf_text(p->b, figure);
    buf_char(p->b, ',');
}

static void put_doubts(struct buf *b, unsigned doubt) {
    const char *before = "";
    for (unsigned bit = 0; doubt_name(bit); bit++)
        if (doubt & (1u << bit)) {
            buf_text(b, before);
            buf_text(b, doubt_name(bit));
            before = " ";
        }
    buf_text(b, "\r\n");
}

static void put_figure(const struct place *p, const char *name, const struct figure *f) {
    double spread;
    put_head(p, name);
    if (f->n > 0)
        buf_double(p->b, f->mean);
    buf_char(p->b, ',');
    if (figure_spread(f, &spread))
        buf_double(p->b, spread);
    buf_char(p->b, ',');
    if (f->n == 0)
        buf_text(p->b, state_name(f->state));
    buf_char(p->b, ',');
    put_doubts(p->b, figure_doubt(f, p->st->runs));
}

/* A word is the value of its line. */
static void put_method(const struct place *p, uint8_t method, uint8_t state) {
    put_head(p, "method");
    if (method != METHOD_NONE)
        buf_text(p->b, power_method_name(method));
    buf_text(p->b, ",,");
    if (method == METHOD_NONE)
        buf_text(p->b, state_name(state));
    buf_char(p->b, ',');
    put_doubts(p->b, 0);
}

static void put_device(const struct out_stat *st, const struct cost_device *d, struct buf *b) {
    struct place p = {st, b, pool_get(&st->text, d->id), 0, {"", 0}};
    put_figure(&p, "PWs", &d->pws);
    put_figure(&p, "unpriced_s", &d->unpriced_s);
    put_figure(&p, "J", &d->joules);
    put_figure(&p, "W", &d->watts);
    put_method(&p, d->method, d->joules.n ? STATE_UNKNOWN : d->joules.state);
    for (uint32_t i = 0; i < d->engine_count; i++) {
        p.name = pool_get(&st->text, d->engines[i].name);
        put_figure(&p, "busy_s", &d->engines[i].busy_s);
        put_figure(&p, "busy_pct", &d->engines[i].busy_pct);
    }
    for (uint32_t i = 0; i < d->region_count; i++) {
        p.name = pool_get(&st->text, d->regions[i].name);
        put_figure(&p, "peak_B", &d->regions[i].peak_b);
        put_figure(&p, "mean_B", &d->regions[i].mean_b);
    }
}

static struct figure one(uint8_t state, double v, uint8_t doubt) {
    struct figure f = {0};
    if (state == STATE_VALUE)
        figure_add(&f, v, doubt);
    else
        figure_miss(&f, state);
    f.n = f.n ? UINT32_MAX : 0; /* of one run: nothing is missing, there is no spread */
    f.squares = 0;
    return f;
}

static void put_process(const struct out_stat *st, const struct cost_process *c, struct buf *b) {
    struct place p = {st, b, pool_get(&st->text, st->devices[c->device].id), c->pid,
                      pool_get(&st->text, c->name)};
    struct figure f = one(c->busy_ns.state, (double)c->busy_ns.v / 1e9, c->busy_ns.doubt);
    put_figure(&p, "busy_s", &f);
    f = one(c->power.pws.state, c->power.pws.v, c->power.pws.doubt);
    put_figure(&p, "PWs", &f);
    f = one(c->power.joules.state, c->power.joules.v, c->power.joules.doubt);
    put_figure(&p, "J", &f);
    put_method(&p, c->power.method, f.n ? STATE_UNKNOWN : f.state);
}

void stat_csv(const struct out_stat *st, const struct out_stat_about *a, struct buf *b) {
    struct place p = {st, b, {"", 0}, 0, {"", 0}};
    struct figure status = one(STATE_VALUE, a->status, 0);
    buf_text(b, "device,pid,name,figure,value,spread_pct,why,doubt\r\n");
    put_figure(&p, "exit", &status);
    put_figure(&p, "wall_s", &st->wall_s);
    struct figure lost = one(STATE_VALUE, a->exact ? 0 : (double)a->delay_ns / 1e9, 0);
    put_figure(&p, "lost_below_s", &lost);
    for (uint32_t i = 0; i < st->device_count; i++)
        put_device(st, &st->devices[i], b);
    for (uint32_t i = 0; i < st->process_count; i++)
        put_process(st, &st->processes[i], b);
}
