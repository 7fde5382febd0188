/*
 * OpenMetrics 1.0 text: one exposition a tick, ended by "# EOF". Series are bounded: the processes that use most
 * have their own, the others are one of each device. What nobody measured has no series. Pure.
 */
#include "openmetrics.h"

#include <stdlib.h>

#include "outputs.h"

static enum err open_output(const struct out_options *o, struct out_state **out) {
    struct out_state *st = NULL;
    enum err e = out_state_open(o, &st);
    if (e != ERR_OK) {
        return e;
    }
    st->openmetrics = calloc(1, sizeof *st->openmetrics);
    if (!st->openmetrics) {
        out_state_close(st);
        return ERR_NOMEM;
    }
    *out = st;
    return ERR_OK;
}

static void close_output(struct out_state *st) {
    if (!st) {
        return;
    }
    om_gather_finish(st->openmetrics);
    free(st->openmetrics);
    out_state_close(st);
}

static void add_cost(int64_t *sum, struct value v) {
    if (v.state == STATE_VALUE && v.v > 0) {
        *sum = v.v > INT64_MAX - *sum ? INT64_MAX : *sum + v.v;
    }
}

static void put_number(struct om_tick *t, unsigned family, struct value v, unsigned power) {
    if (om_begin(&t->o, family) && om_has(&t->o, v)) {
        om_sample(&t->o);
        om_decimal(&t->o, v.v, power);
    }
}

static struct value value_of(int64_t v) {
    return (struct value){.v = v, .state = STATE_VALUE};
}

static void put_reasons(struct om_tick *t) {
    if (!om_begin(&t->o, OM_UNREADABLE_BY)) {
        return;
    }
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        if (t->s->unreadable_reasons[r] > 0) {
            om_sample(&t->o);
            om_label(&t->o, "reason", span_of(reason_word(r)));
            om_decimal(&t->o, t->s->unreadable_reasons[r], 0);
        }
    }
}

/* What a recording cost when it was made is nothing that its replay used. */
static void put_cost(struct om_tick *t) {
    if (t->st->options.replayed) {
        return;
    }
    put_number(t, OM_LOOK_CPU, t->s->cost_cpu_ns, 9);
    put_number(t, OM_LOOK_CALLS, t->s->cost_syscalls, 0);
    put_number(t, OM_SELF_CPU, value_of(t->m->cpu_ns), 9);
    put_number(t, OM_SELF_CALLS, value_of(t->m->calls), 0);
}

static void put_look(struct om_tick *t) {
    if (t->s->real_ns != 0) {
        put_number(t, OM_LOOK, value_of(t->s->real_ns), 9);
    }
    put_number(t, OM_INTERVAL, t->s->interval_ns, 9);
    put_number(t, OM_UNREADABLE, value_of(t->s->unreadable), 0);
    put_reasons(t);
    put_number(t, OM_DENIED, value_of(t->s->devices_denied), 0);
    put_cost(t);
}

static void tick(struct out_state *st, const struct snapshot *s, struct buf *b) {
    struct om_tick t = {
        .o = {.b = b, .brief = st->options.brief}, .st = st, .m = st->openmetrics, .s = s};
    add_cost(&st->openmetrics->cpu_ns, s->cost_cpu_ns);
    add_cost(&st->openmetrics->calls, s->cost_syscalls);
    if (om_gather(st->openmetrics, st, s) != ERR_OK) {
        b->failed = true; /* half an exposition is worse than none */
        b->cap = b->n;
        return;
    }
    put_look(&t);
    om_put_devices(&t);
    om_put_metrics(&t);
    om_put_processes(&t);
    buf_text(b, "# EOF\n");
}

const struct output output_openmetrics = {
    .name = "openmetrics",
    .doc = "OpenMetrics text: one exposition",
    .open = open_output,
    .begin = out_state_nothing,
    .tick = tick,
    .end = out_state_nothing,
    .close = close_output,
};
