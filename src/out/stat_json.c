/* `stat --json`: one object. A figure is the mean over the runs; with more than one, `spread_pct` of an object
 * has the spread of each of its figures. Pure. */
#include "json_parts.h"
#include "stat_parts.h"

/* An object of figures, and what there is to say of their spread. */
struct figures {
    struct json_object o;
    uint32_t runs;
    unsigned count;
    struct {
        const char *key;
        const struct figure *figure;
    } list[8];
};

static void figures_open(struct figures *f, struct buf *b, const char *key, uint32_t runs) {
    json_open(&f->o, b, key);
    f->runs = runs;
    f->count = 0;
}

static void put_doubt(struct json_object *o, const char *key, uint8_t doubt) {
    if (!doubt || o->count == sizeof o->notes / sizeof o->notes[0])
        return;
    o->notes[o->count++] = (struct json_note){span_of(key), STATE_VALUE, doubt};
    o->doubt = true;
}

static void put_figure(struct figures *f, const char *key, const struct figure *v) {
    if (v->n == 0) {
        json_null(&f->o, key, v->state);
    } else {
        json_double(&f->o, key, v->mean);
        put_doubt(&f->o, key, figure_doubt(v, f->runs));
    }
    if (f->count < sizeof f->list / sizeof f->list[0]) {
        f->list[f->count].key = key;
        f->list[f->count++].figure = v;
    }
}

static void figures_close(struct figures *f) {
    struct json_object o;
    if (f->runs > 1) {
        json_open(&o, f->o.b, "spread_pct");
        for (unsigned i = 0; i < f->count; i++) {
            double spread;
            if (figure_spread(f->list[i].figure, &spread))
                json_double(&o, f->list[i].key, spread);
            else
                json_null(&o, f->list[i].key, STATE_UNKNOWN);
        }
        json_close(&o);
    }
    json_close(&f->o);
}

static void put_engine(const struct out_stat *st, const struct cost_engine *e, struct buf *b) {
    struct figures f;
    figures_open(&f, b, NULL, st->runs);
    json_text(&f.o, "name", pool_get(&st->text, e->name));
    json_word(&f.o, "class", engine_class_name(e->class));
    put_figure(&f, "busy_s", &e->busy_s);
    put_figure(&f, "busy_pct", &e->busy_pct);
    figures_close(&f);
}

static void put_device(const struct out_stat *st, const struct cost_device *d, struct buf *b) {
    struct json_object o;
    struct figures f;
    json_open(&o, b, NULL);
    json_text(&o, "id", pool_get(&st->text, d->id));
    json_text(&o, "name", pool_get(&st->text, d->name));
    json_array_open(b, "engines");
    for (uint32_t i = 0; i < d->engine_count; i++)
        put_engine(st, &d->engines[i], b);
    json_array_close(b);
    json_array_open(b, "memory");
    for (uint32_t i = 0; i < d->region_count; i++) {
        figures_open(&f, b, NULL, st->runs);
        json_text(&f.o, "region", pool_get(&st->text, d->regions[i].name));
        put_figure(&f, "peak_B", &d->regions[i].peak_b);
        put_figure(&f, "mean_B", &d->regions[i].mean_b);
        figures_close(&f);
    }
    json_array_close(b);
    figures_open(&f, b, "power", st->runs);
    put_figure(&f, "PWs", &d->pws);
    put_figure(&f, "unpriced_s", &d->unpriced_s);
    put_figure(&f, "J", &d->joules);
    put_figure(&f, "W", &d->watts);
    if (d->method != METHOD_NONE)
        json_word(&f.o, "method", power_method_name(d->method));
    else
        json_null(&f.o, "method", d->joules.n ? STATE_UNKNOWN : d->joules.state);
    figures_close(&f);
    json_close(&o);
}

static void put_real(struct json_object *o, const char *key, struct real v) {
    if (v.state != STATE_VALUE) {
        json_null(o, key, v.state);
        return;
    }
    json_double(o, key, v.v);
    put_doubt(o, key, v.doubt);
}

static void put_process(const struct out_stat *st, const struct cost_process *p, struct buf *b) {
    const struct cost_device *d = &st->devices[p->device];
    struct json_object o, e;
    json_open(&o, b, NULL);
    json_u64(&o, "run", p->run);
    json_i64(&o, "pid", p->pid);
    json_value(&o, "start_s", p->start_ns, 9);
    json_text_or(&o, "name", pool_get(&st->text, p->name), STATE_UNKNOWN);
    json_text_or(&o, "command", pool_get(&st->text, p->command), STATE_UNKNOWN);
    json_bool(&o, "exited", p->exited);
    json_text(&o, "device", pool_get(&st->text, d->id));
    json_value(&o, "busy_s", p->busy_ns, 9);
    json_array_open(b, "engines");
    for (uint32_t i = 0; i < p->use_count; i++) {
        const struct cost_engine *of = &d->engines[p->uses[i].engine];
        json_open(&e, b, NULL);
        json_text(&e, "name", pool_get(&st->text, of->name));
        json_word(&e, "class", engine_class_name(of->class));
        json_value(&e, "busy_s", p->uses[i].busy_ns, 9);
        json_close(&e);
    }
    json_array_close(b);
    put_real(&o, "PWs", p->power.pws);
    json_value(&o, "unpriced_s", p->power.unpriced_ns, 9);
    put_real(&o, "J", p->power.joules);
    if (p->power.method != METHOD_NONE)
        json_word(&o, "method", power_method_name(p->power.method));
    else
        json_null(&o, "method",
                  p->power.joules.state == STATE_VALUE ? STATE_UNKNOWN : p->power.joules.state);
    json_close(&o);
}

void stat_json(const struct out_stat *st, const struct out_stat_about *a, struct buf *b) {
    struct figures f;
    struct json_object o;
    figures_open(&f, b, NULL, st->runs);
    json_word(&f.o, "schema", JSON_SCHEMA);
    json_array_open(b, "command");
    for (char *const *word = a->command; *word; word++)
        json_put_text(b, span_of(*word));
    json_array_close(b);
    json_i64(&f.o, "exit", a->status);
    put_figure(&f, "wall_s", &st->wall_s);
    json_u64(&f.o, "runs", st->runs);
    json_double(&f.o, "lost_below_s", a->exact ? 0 : (double)a->delay_ns / 1e9);
    json_array_open(b, "devices");
    for (uint32_t i = 0; i < st->device_count; i++)
        put_device(st, &st->devices[i], b);
    json_array_close(b);
    json_array_open(b, "processes");
    for (uint32_t i = 0; i < st->process_count; i++)
        put_process(st, &st->processes[i], b);
    json_array_close(b);
    json_array_open(b, "running");
    for (uint32_t i = 0; i < a->running_count; i++) {
        json_open(&o, b, NULL);
        json_i64(&o, "pid", a->running[i].pid);
        json_text(&o, "name", span_of(a->running[i].name));
        json_close(&o);
    }
    json_array_close(b);
    if (st->failed)
        json_bool(&f.o, "incomplete", true);
    figures_close(&f);
    buf_char(b, '\n');
}
