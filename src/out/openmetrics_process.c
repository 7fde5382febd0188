/*
 * Processes as OpenMetrics: those with series of their own, then of each device what the others come to and what
 * belongs to nobody. Command lines are never labels: they are endless, and may hold secrets. Pure.
 */
#include "openmetrics.h"

#define OTHER "other"

/* A line of a family: what is told of one row. */
struct line {
    const struct snap_process *process;    /* or */
    const struct snap_unattributed *loose; /* or, where both are NULL, the others on `device` */
    const struct om_rest *rest;
    uint32_t device;
};

/* Names of what belongs to nobody are texts of accounting; labels are one word. */
static struct span word_of_loose(struct span name) {
    static const char *const words[][2] = {{"(not attributed)", "unattributed"},
                                           {"(idle floor)", "idle-floor"},
                                           {"(unknown pid)", "unknown"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_equals(name, words[i][0])) {
            return span_of(words[i][1]);
        }
    }
    return name;
}

static void sample(struct om_tick *t, const struct line *l) {
    const struct snap_process *p = l->process;
    om_sample(&t->o);
    om_label(&t->o, "device", snapshot_text(t->s, t->s->devices[l->device].id));
    if (!p) {
        om_label(&t->o, "pid",
                 l->loose ? word_of_loose(snapshot_text(t->s, l->loose->name)) : span_of(OTHER));
        return;
    }
    om_label_u64(&t->o, "pid", (uint64_t)p->pid);
    om_label(&t->o, "process", snapshot_text(t->s, p->name));
    om_label(&t->o, "user", snapshot_text(t->s, p->user));
    om_label(&t->o, "container", snapshot_text(t->s, p->container));
}

static void put_value(struct om_tick *t, const struct line *l, struct value v, unsigned power) {
    if (om_has(&t->o, v)) {
        sample(t, l);
        om_decimal(&t->o, v.v, power);
    }
}

static void put_share(struct om_tick *t, const struct line *l, const struct om_share *share,
                      double unit) {
    if (share->known && l->rest->processes > 0) {
        sample(t, l);
        om_double(&t->o, share->rest * unit);
    }
}

#define PER_NS 1e-9

/* ---- busy ------------------------------------------------------------------------------------- */

static void put_busy(struct om_tick *t, const struct line *l) {
    put_value(t, l,
              l->process ? l->process->busy_ppm
              : l->loose ? l->loose->busy_ppm
                         : l->rest->busy_ppm,
              6);
}

static void put_time(struct om_tick *t, const struct line *l) {
    if (l->rest) {
        put_share(t, l, &l->rest->totals[OM_TIME], PER_NS);
    } else {
        put_value(t, l, l->process ? l->process->busy_ns : l->loose->busy_ns, 9);
    }
}

static void label_engine(struct om_tick *t, const struct snap_engine *e) {
    om_label(&t->o, "engine", snapshot_text(t->s, e->name));
    om_label(&t->o, "class", span_of(engine_class_name(e->class)));
}

/* Of the others: the lines of their device, whose sums were made beside them. */
static struct run engines_of(const struct om_tick *t, const struct line *l) {
    return l->process ? l->process->engines
           : l->loose ? l->loose->engines
                      : t->s->devices[l->device].engines;
}

static void put_engine_busy(struct om_tick *t, const struct line *l) {
    struct run run = engines_of(t, l);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        struct value v = l->rest ? t->m->engines[i].busy_ppm : t->s->engines[i].busy_ppm;
        if (om_has(&t->o, v)) {
            sample(t, l);
            label_engine(t, &t->s->engines[i]);
            om_decimal(&t->o, v.v, 6);
        }
    }
}

static void put_engine_time(struct om_tick *t, const struct line *l) {
    struct run run = engines_of(t, l);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct om_share *rest = &t->m->engines[i].time;
        struct value v = t->s->engines[i].busy_ns;
        if (l->rest ? !rest->known || l->rest->processes == 0 : !om_has(&t->o, v)) {
            continue;
        }
        sample(t, l);
        label_engine(t, &t->s->engines[i]);
        if (l->rest) {
            om_double(&t->o, rest->rest * PER_NS);
        } else {
            om_decimal(&t->o, v.v, 9);
        }
    }
}

/* ---- memory ------------------------------------------------------------------------------------ */

static struct run memory_of(const struct om_tick *t, const struct line *l) {
    return l->process ? l->process->memory
           : l->loose ? (struct run){0, 0}
                      : t->s->devices[l->device].memory;
}

static void put_region(struct om_tick *t, const struct line *l, const struct snap_memory *m,
                       struct value v) {
    if (om_has(&t->o, v)) {
        sample(t, l);
        om_label(&t->o, "region", snapshot_text(t->s, m->region));
        om_label(&t->o, "class", span_of(region_class_name(m->class)));
        om_decimal(&t->o, v.v, 0);
    }
}

static void put_memory(struct om_tick *t, const struct line *l) {
    struct run run = memory_of(t, l);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_memory *m = &t->s->memory[i];
        put_region(t, l, m, l->rest ? t->m->memory[i].bytes : om_memory_shown(m));
    }
}

static void put_shared(struct om_tick *t, const struct line *l) {
    struct run run = memory_of(t, l);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_memory *m = &t->s->memory[i];
        put_region(t, l, m, l->rest ? t->m->memory[i].shared : m->shared);
    }
}

static void put_clients(struct om_tick *t, const struct line *l) {
    if (l->process || (l->rest && l->rest->processes > 0)) {
        uint64_t clients = l->process ? l->process->clients : l->rest->clients;
        put_value(t, l, (struct value){.v = (int64_t)clients, .state = STATE_VALUE}, 0);
    }
}

/* ---- what it cost ------------------------------------------------------------------------------- */

/* Not of the rest of a device, which has sums instead. */
static const struct snap_power *power_of(const struct line *l) {
    return l->process ? &l->process->power : &l->loose->power;
}

static void put_real(struct om_tick *t, const struct line *l, struct real r) {
    unsigned method = l->rest ? l->rest->method : power_of(l)->method;
    if (om_has_real(r)) {
        sample(t, l);
        om_label(&t->o, "method", span_of(power_method_name(method)));
        om_double(&t->o, r.v);
    }
}

static void put_watts(struct om_tick *t, const struct line *l) {
    put_real(t, l, l->rest ? l->rest->watts : power_of(l)->watts);
}

/* Totals have no method: one that changes would be another series. Of what is counted by clock and voltage it is
 * always that. */
static void put_real_alone(struct om_tick *t, const struct line *l, struct real r) {
    if (om_has_real(r)) {
        sample(t, l);
        om_double(&t->o, r.v);
    }
}

static void put_pw(struct om_tick *t, const struct line *l) {
    put_real_alone(t, l, l->rest ? l->rest->pw : power_of(l)->pw);
}

static void put_joules(struct om_tick *t, const struct line *l) {
    if (l->rest) {
        put_share(t, l, &l->rest->totals[OM_ENERGY], 1);
    } else {
        put_real_alone(t, l, power_of(l)->joules);
    }
}

static void put_pws(struct om_tick *t, const struct line *l) {
    if (l->rest) {
        put_share(t, l, &l->rest->totals[OM_WORK], 1);
    } else {
        put_real_alone(t, l, power_of(l)->pws);
    }
}

static void put_unpriced(struct om_tick *t, const struct line *l) {
    if (l->rest) {
        put_share(t, l, &l->rest->totals[OM_LEFT_UNPRICED], PER_NS);
    } else {
        put_value(t, l, power_of(l)->unpriced_ns, 9);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void put_reasons(struct om_tick *t) {
    if (!om_begin(&t->o, OM_UNATTRIBUTED)) {
        return;
    }
    for (uint32_t i = 0; i < t->s->unattributed_count; i++) {
        const struct snap_unattributed *u = &t->s->unattributed[i];
        const struct line l = {.loose = u, .device = u->device};
        for (unsigned r = 0; out_state_device(t->st, t->s, u->device) && r < REASON_COUNT; r++) {
            if (u->reasons & (UINT64_C(1) << r)) {
                sample(t, &l);
                om_label(&t->o, "reason", span_of(reason_word(r)));
                om_decimal(&t->o, 1, 0);
            }
        }
    }
}

static void put_lines(struct om_tick *t, void (*put)(struct om_tick *t, const struct line *l)) {
    const struct snapshot *s = t->s;
    for (uint32_t i = 0; i < s->process_count; i++) {
        if (t->m->shown[i]) {
            put(t, &(struct line){.process = &s->processes[i], .device = s->processes[i].device});
        }
    }
    for (uint32_t i = 0; i < s->device_count; i++) {
        if (out_state_device(t->st, s, i)) {
            put(t, &(struct line){.rest = &t->m->rests[i], .device = i});
        }
    }
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        const struct snap_unattributed *u = &s->unattributed[i];
        if (out_state_device(t->st, s, u->device)) {
            put(t, &(struct line){.loose = u, .device = u->device});
        }
    }
}

void om_put_processes(struct om_tick *t) {
    static const struct {
        unsigned family;
        void (*put)(struct om_tick *t, const struct line *l);
    } parts[] = {
        {OM_PROCESS_BUSY, put_busy},
        {OM_PROCESS_TIME, put_time},
        {OM_PROCESS_ENGINE_BUSY, put_engine_busy},
        {OM_PROCESS_ENGINE_TIME, put_engine_time},
        {OM_PROCESS_MEMORY, put_memory},
        {OM_PROCESS_SHARED, put_shared},
        {OM_PROCESS_CLIENTS, put_clients},
        {OM_PROCESS_WATTS, put_watts},
        {OM_PROCESS_JOULES, put_joules},
        {OM_PROCESS_PW, put_pw},
        {OM_PROCESS_PWS, put_pws},
        {OM_PROCESS_UNPRICED, put_unpriced},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (om_begin(&t->o, parts[i].family)) {
            put_lines(t, parts[i].put);
        }
    }
    put_reasons(t);
}
