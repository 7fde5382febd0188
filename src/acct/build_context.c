/*
 * The contexts of a snapshot: what each did, and its counters. Pure.
 */
#include "build.h"

static struct run write_counters(struct build *b, const struct context *x) {
    struct run run = {b->s->metric_count, 0};
    for (uint32_t i = x->counters; i != NONE; i = counter_at(b->a, i)->link) {
        const struct context_counter *n = counter_at(b->a, i);
        if (n->seq != b->a->now.seq && !b->a->options.whole_span)
            continue;
        b->metrics[b->s->metric_count++] =
            (struct snap_metric){.value = n->value, .metric = n->metric, .index = INDEX_NONE};
        run.count++;
    }
    return run;
}

/* A tick that tells of no work had none, unless nobody was there to tell. */
static struct value share_of(const struct build *b, const struct context *x, uint32_t device) {
    bool is_untold = !b->a->options.whole_span && session_is_silent(b->a, device);
    const struct total none = {0};
    const struct total *t = b->a->options.whole_span      ? &x->total
                            : x->now_seq == b->a->now.seq ? &x->now
                                                          : &none;
    if (!x->total.measured)
        return value_none(STATE_UNSUPPORTED);
    if (b->s->interval_ns.state != STATE_VALUE || is_untold)
        return value_none(STATE_UNKNOWN);
    return engine_share(t->busy_ns, b->s->interval_ns.v, 1, t->doubt);
}

static void write_context(struct build *b, const struct client *c, uint32_t process,
                          struct snap_context *out) {
    const struct context *x = context_at(b->a, c->context);
    *out = (struct snap_context){.context = c->id,
                                 .device = device_at(b->a, c->device)->rank,
                                 .process = process,
                                 .busy_ppm = share_of(b, x, c->device),
                                 .counters = write_counters(b, x)};
    out->busy_ns = build_total(&x->total, out->busy_ppm);
    if (c->space == SPACE_TAGGED) {
        out->context = client_context(c->id);
        out->tag = client_tag(c->id);
        out->tagged = true;
    }
    b->row.grew = b->row.grew || (x->now_seq == b->a->now.seq && x->now.busy_ns > 0);
}

struct run build_contexts(struct build *b, uint32_t *next, uint32_t process) {
    struct run run = {b->s->context_count, 0};
    for (; *next < b->a->tables[T_CLIENT_ORDER].n; (*next)++) {
        const struct client *c = client_at(b->a, order_at(b->a, T_CLIENT_ORDER, *next)->index);
        if (c->owner != b->row.index)
            break;
        build_context_engines(b, c);
        write_context(b, c, process, &b->contexts[b->s->context_count++]);
        run.count++;
    }
    return run;
}
