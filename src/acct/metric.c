/*
 * Metrics of devices, whatever they are: of several sources of one metric the one with a value that
 * is not doubted is shown, then the one of the highest rank. Pure.
 */
#include "work.h"

/* A gauge or counter that was not read again holds for this many ticks. */
#define HOLD_TICKS 3

/* Different names share a hash only by intent: the later ones are left out. */
static uint32_t find_or_create(struct acct *a, uint32_t device, const struct sample *s,
                               struct span name) {
    uint64_t hi = (uint64_t)device << 32 | (uint64_t)s->metric << 16 | s->index;
    struct map_key k = {hi, name_hash(name)};
    uint32_t index = map_get(&a->maps[M_METRIC], k);
    if (index != MAP_NONE) {
        const struct metric_entry *m = metric_at(a, index);
        return name_order(0, name_get(a, m->name), 0, name) == 0 ? index : NONE;
    }
    index = acct_take(a, T_METRIC);
    if (index == NONE)
        return NONE;
    if (!acct_put(a, M_METRIC, k, index)) {
        table_give(&a->tables[T_METRIC], index);
        return NONE;
    }
    struct metric_entry *m = metric_at(a, index);
    *m = (struct metric_entry){
        .device = device, .metric = s->metric, .index = s->index, .used = true};
    (void)name_set(a, &m->name, name);
    a->now.metrics_changed = true;
    bool whole = name.n == 0 && s->index == INDEX_NONE;
    if (s->metric == METRIC_ACTIVITY_GFX && (whole || device_at(a, device)->activity == NONE))
        device_at(a, device)->activity = index;
    return index;
}

/* Better ones are larger. */
static unsigned quality(struct value v, uint8_t rank) {
    unsigned trust = v.state != STATE_VALUE ? 0 : v.doubt ? 1 : 2;
    return trust << 8 | rank;
}

static void keep_source(struct acct *a, uint16_t backend) {
    struct table *sources = &a->tables[T_SOURCE];
    const struct backend_table *backends = a->options.backends;
    if (!backends || backend == 0 || backend > backends->count)
        return;
    while (sources->n <= backend)
        if (!table_push(sources)) {
            a->failed = true;
            return;
        }
    struct text_ref *ref = (struct text_ref *)sources->v + backend;
    if (ref->len == 0)
        (void)name_set(a, ref, span_of(backends->list[backend - 1]->name));
}

void metric_sample(struct acct *a, uint32_t device, uint16_t backend, const struct sample *s) {
    struct span name = {s->name ? s->name : "", s->name ? s->name_len : 0};
    uint32_t index = find_or_create(a, device, s, name);
    if (index == NONE)
        return;
    struct metric_entry *m = metric_at(a, index);
    struct value v = s->state == STATE_VALUE ? value_of(s->value, s->doubt) : value_none(s->state);
    if (m->seq == a->now.seq) {
        unsigned old = quality(m->value, m->rank);
        unsigned new = quality(v, s->rank);
        bool later = s->t_ns != m->t_ns ? s->t_ns > m->t_ns : v.v >= m->value.v;
        if (new < old || (new == old && !later))
            return;
    }
    m->value = v;
    m->seq = a->now.seq;
    m->t_ns = s->t_ns;
    m->rank = s->rank;
    m->class = s->class;
    m->backend = backend;
    m->ever = m->ever || v.state == STATE_VALUE;
    keep_source(a, backend);
}

struct value metric_value(const struct acct *a, const struct metric_entry *m) {
    bool fact = metric_info(m->metric)->kind == KIND_FACT;
    if (a->now.seq - m->seq < HOLD_TICKS || (fact && m->value.state == STATE_VALUE))
        return m->value;
    return value_none(STATE_UNKNOWN);
}
