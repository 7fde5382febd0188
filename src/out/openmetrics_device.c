/*
 * Devices as OpenMetrics: what they are, what they do, and every metric that their own sensors tell. Pure.
 */
#include "openmetrics.h"

static struct span id_of(const struct om_tick *t, const struct snap_device *d) {
    return snapshot_text(t->s, d->id);
}

/* Begins a sample of the device. */
static void sample(struct om_tick *t, const struct snap_device *d) {
    om_sample(&t->o);
    om_label(&t->o, "device", id_of(t, d));
}

/* Calls `put` for each device that was asked for. */
static void each(struct om_tick *t, unsigned family,
                 void (*put)(struct om_tick *t, const struct snap_device *d)) {
    if (!om_begin(&t->o, family)) {
        return;
    }
    for (uint32_t i = 0; i < t->s->device_count; i++) {
        if (out_state_device(t->st, t->s, i)) {
            put(t, &t->s->devices[i]);
        }
    }
}

static void put_value(struct om_tick *t, const struct snap_device *d, struct value v,
                      unsigned power) {
    if (om_has(&t->o, v)) {
        sample(t, d);
        om_decimal(&t->o, v.v, power);
    }
}

static void put_real(struct om_tick *t, const struct snap_device *d, struct real r) {
    if (om_has_real(r)) {
        sample(t, d);
        om_label(&t->o, "method", span_of(power_method_name(d->power.method)));
        om_double(&t->o, r.v);
    }
}

/* Totals have no method: one that changes would be another series. Of what is counted by clock and voltage it is
 * always that. */
static void put_real_alone(struct om_tick *t, const struct snap_device *d, struct real r) {
    if (om_has_real(r)) {
        sample(t, d);
        om_double(&t->o, r.v);
    }
}

static struct value count(uint64_t v) {
    return (struct value){.v = (int64_t)v, .state = STATE_VALUE};
}

/* ---- what it is ------------------------------------------------------------------------------- */

static void put_info(struct om_tick *t, const struct snap_device *d) {
    sample(t, d);
    om_label(&t->o, "name", snapshot_text(t->s, d->name));
    om_label(&t->o, "driver", snapshot_text(t->s, d->driver));
    om_label(&t->o, "pci", snapshot_text(t->s, d->slot));
    om_label(&t->o, "nodes", snapshot_text(t->s, d->nodes));
    om_label(&t->o, "state", span_of(device_state_name(d->state)));
    om_decimal(&t->o, 1, 0);
}

static void put_state(struct om_tick *t, const struct snap_device *d) {
    for (unsigned state = DEVICE_ACTIVE; state <= DEVICE_DENIED; state++) {
        sample(t, d);
        om_label(&t->o, "gwtop_device_state", span_of(device_state_name(state)));
        om_decimal(&t->o, d->state == state, 0);
    }
}

/* ---- what it does ------------------------------------------------------------------------------ */

static void put_busy(struct om_tick *t, const struct snap_device *d) {
    put_value(t, d, d->busy_ppm, 6);
}

static void put_clients(struct om_tick *t, const struct snap_device *d) {
    put_value(t, d, count(d->clients), 0);
}

static void put_processes(struct om_tick *t, const struct snap_device *d) {
    put_value(t, d, count(t->m->rests[d - t->s->devices].alive), 0);
}

static void put_holders(struct om_tick *t, const struct snap_device *d) {
    put_value(t, d, count(d->kept_awake), 0);
}

static void put_engine(struct om_tick *t, const struct snap_device *d, const struct snap_engine *e,
                       struct value v, unsigned power) {
    if (!om_has(&t->o, v)) {
        return;
    }
    sample(t, d);
    om_label(&t->o, "engine", snapshot_text(t->s, e->name));
    om_label(&t->o, "class", span_of(engine_class_name(e->class)));
    om_decimal(&t->o, v.v, power);
}

static void put_engine_busy(struct om_tick *t, const struct snap_device *d) {
    for (uint32_t i = 0; i < d->engines.count; i++) {
        const struct snap_engine *e = &t->s->engines[d->engines.first + i];
        put_engine(t, d, e, e->busy_ppm, 6);
    }
}

static void put_engine_time(struct om_tick *t, const struct snap_device *d) {
    for (uint32_t i = 0; i < d->engines.count; i++) {
        const struct snap_engine *e = &t->s->engines[d->engines.first + i];
        put_engine(t, d, e, e->busy_ns, 9);
    }
}

static void put_engine_units(struct om_tick *t, const struct snap_device *d) {
    for (uint32_t i = 0; i < d->engines.count; i++) {
        const struct snap_engine *e = &t->s->engines[d->engines.first + i];
        put_engine(t, d, e, count(e->capacity), 0);
    }
}

static bool is_away(const struct snap_device *d) {
    return d->state == DEVICE_ASLEEP || d->state == DEVICE_REMOVED;
}

static void put_memory(struct om_tick *t, const struct snap_device *d) {
    for (uint32_t i = 0; i < d->memory.count && !is_away(d); i++) {
        const struct snap_memory *m = &t->s->memory[d->memory.first + i];
        struct value v = om_memory_shown(m);
        if (!om_has(&t->o, v)) {
            continue;
        }
        sample(t, d);
        om_label(&t->o, "region", snapshot_text(t->s, m->region));
        om_label(&t->o, "class", span_of(region_class_name(m->class)));
        om_decimal(&t->o, v.v, 0);
    }
}

/* ---- what that costs ---------------------------------------------------------------------------- */

static void put_watts(struct om_tick *t, const struct snap_device *d) {
    put_real(t, d, d->power.watts);
}

static void put_joules(struct om_tick *t, const struct snap_device *d) {
    put_real_alone(t, d, d->power.joules);
}

static void put_pw(struct om_tick *t, const struct snap_device *d) {
    put_real_alone(t, d, d->power.pw);
}

static void put_pws(struct om_tick *t, const struct snap_device *d) {
    put_real_alone(t, d, d->power.pws);
}

static void put_unpriced(struct om_tick *t, const struct snap_device *d) {
    put_value(t, d, d->power.unpriced_ns, 9);
}

/* ---- doubts ------------------------------------------------------------------------------------- */

static bool is_shown(const struct om_tick *t, const struct snap_device *d,
                     const struct snap_metric *m) {
    return m->metric < METRIC_COUNT && m->value.state == STATE_VALUE && !is_away(d) &&
           !(metric_info(m->metric)->kind == KIND_COUNTER && m->value.v < 0) && t->s;
}

static void label_metric(struct om_tick *t, const struct snap_metric *m) {
    const char *metric = metric_info(m->metric)->name;
    struct span name = snapshot_text(t->s, m->name);
    if (span_starts(span_of(metric), "engine.")) {
        om_label(&t->o, "engine", name);
        om_label(&t->o, "class",
                 m->class != CLASS_NONE ? span_of(engine_class_name(m->class)) : span_of(""));
    } else if (span_starts(span_of(metric), "vendor.") ||
               span_starts(span_of(metric), "counter.")) {
        om_label(&t->o, "field", name);
    }
    if (m->index != INDEX_NONE) {
        om_label_u64(&t->o, "index", m->index);
    }
    om_label(&t->o, "source", snapshot_text(t->s, m->source));
}

static void put_doubts(struct om_tick *t, const struct snap_device *d) {
    const struct snapshot *s = t->s;
    for (uint32_t i = 0; i < d->metrics.count; i++) {
        const struct snap_metric *m = &s->metrics[d->metrics.first + i];
        for (unsigned bit = 0; is_shown(t, d, m) && doubt_name(bit); bit++) {
            if (!(m->value.doubt & 1u << bit)) {
                continue;
            }
            sample(t, d);
            om_label(&t->o, "metric", span_of(metric_info(m->metric)->name));
            label_metric(t, m);
            om_label(&t->o, "doubt", span_of(doubt_name(bit)));
            om_decimal(&t->o, 1, 0);
        }
    }
}

void om_put_devices(struct om_tick *t) {
    static const struct {
        unsigned family;
        void (*put)(struct om_tick *t, const struct snap_device *d);
    } parts[] = {
        {OM_DEVICE, put_info},
        {OM_DEVICE_STATE, put_state},
        {OM_DEVICE_BUSY, put_busy},
        {OM_DEVICE_CLIENTS, put_clients},
        {OM_DEVICE_PROCESSES, put_processes},
        {OM_DEVICE_HOLDERS, put_holders},
        {OM_DEVICE_ENGINE_BUSY, put_engine_busy},
        {OM_DEVICE_ENGINE_TIME, put_engine_time},
        {OM_DEVICE_ENGINE_UNITS, put_engine_units},
        {OM_DEVICE_MEMORY, put_memory},
        {OM_DEVICE_WATTS, put_watts},
        {OM_DEVICE_JOULES, put_joules},
        {OM_DEVICE_PW, put_pw},
        {OM_DEVICE_PWS, put_pws},
        {OM_DEVICE_UNPRICED, put_unpriced},
        {OM_DOUBT, put_doubts},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        each(t, parts[i].family, parts[i].put);
    }
}

/* ---- its own sensors ------------------------------------------------------------------------------ */

static void put_metric(struct om_tick *t, const struct snap_device *d,
                       const struct snap_metric *m) {
    const struct metric_info *info = metric_info(m->metric);
    sample(t, d);
    label_metric(t, m);
    if (info->unit == UNIT_FLAG) {
        om_decimal(&t->o, m->value.v != 0, 0);
    } else {
        om_decimal(&t->o, m->value.v, info->power + (info->unit == UNIT_PERCENT ? 2u : 0u));
    }
}

static void put_family(struct om_tick *t, unsigned metric) {
    for (uint32_t i = 0; i < t->s->device_count; i++) {
        const struct snap_device *d = &t->s->devices[i];
        if (!out_state_device(t->st, t->s, i)) {
            continue;
        }
        for (uint32_t k = 0; k < d->metrics.count; k++) {
            const struct snap_metric *m = &t->s->metrics[d->metrics.first + k];
            if (m->metric == metric && is_shown(t, d, m)) {
                put_metric(t, d, m);
            }
        }
    }
}

/* A family's samples stand together, so the devices are walked once for each metric that one of them has. */
void om_put_metrics(struct om_tick *t) {
    bool is_there[METRIC_COUNT] = {false};
    for (uint32_t i = 0; i < t->s->device_count; i++) {
        const struct snap_device *d = &t->s->devices[i];
        for (uint32_t k = 0; k < d->metrics.count; k++) {
            const struct snap_metric *m = &t->s->metrics[d->metrics.first + k];
            if (is_shown(t, d, m)) {
                is_there[m->metric] = true;
            }
        }
    }
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
        if (is_there[metric] && om_begin(&t->o, OM_OWN + metric)) {
            put_family(t, metric);
        }
    }
}
