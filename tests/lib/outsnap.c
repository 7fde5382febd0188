/* Hand-built snapshots. Nothing here checks for lack of room: tests stay small. */
#include "outsnap.h"

#include <string.h>

void outsnap_init(struct outsnap *o) {
    memset(o, 0, sizeof *o);
    o->s.tick = 2;
    o->s.t_ns = 5000000000;
    o->s.real_ns = INT64_C(1772374925500000000);
    o->s.interval_ns = outsnap_value(1000000000);
    o->s.devices = o->devices;
    o->s.processes = o->processes;
    o->s.unattributed = o->unattributed;
    o->s.engines = o->engines;
    o->s.memory = o->memory;
    o->s.metrics = o->metrics;
    o->s.contexts = o->contexts;
    o->s.cost_cpu_ns = outsnap_value(420000);
    o->s.cost_syscalls = outsnap_value(77);
}

void outsnap_finish(struct outsnap *o) {
    pool_finish(&o->s.text);
}

struct value outsnap_value(int64_t v) {
    return (struct value){.v = v, .state = STATE_VALUE};
}

struct value outsnap_none(enum state state) {
    return (struct value){.v = 12345, .state = (uint8_t)state};
}

struct text_ref outsnap_bytes(struct outsnap *o, const char *p, size_t n) {
    struct text_ref r = {0, 0};
    (void)pool_add(&o->s.text, (struct span){p, n}, &r);
    return r;
}

struct text_ref outsnap_text(struct outsnap *o, const char *text) {
    return outsnap_bytes(o, text, strlen(text));
}

struct snap_device *outsnap_device(struct outsnap *o, const char *id, const char *name,
                                   const char *driver) {
    struct snap_device *d = &o->devices[o->s.device_count++];
    d->id = outsnap_text(o, id);
    d->slot = d->id;
    d->name = outsnap_text(o, name);
    d->driver = outsnap_text(o, driver);
    return d;
}

struct snap_process *outsnap_process(struct outsnap *o, int32_t pid, uint32_t device,
                                     const char *name) {
    struct snap_process *p = &o->processes[o->s.process_count++];
    p->pid = pid;
    p->device = device;
    p->name = outsnap_text(o, name);
    return p;
}

struct snap_unattributed *outsnap_unattributed(struct outsnap *o, uint32_t device,
                                               const char *name) {
    struct snap_unattributed *u = &o->unattributed[o->s.unattributed_count++];
    u->device = device;
    u->name = outsnap_text(o, name);
    return u;
}

static uint32_t next(struct run *run, uint32_t *count) {
    if (run->count == 0) {
        run->first = *count;
    }
    run->count++;
    return (*count)++;
}

struct real outsnap_real(double v) {
    return (struct real){.v = v, .state = STATE_VALUE};
}

struct snap_engine *outsnap_engine(struct outsnap *o, struct run *run, const char *name,
                                   int64_t busy_ppm, int64_t busy_ns) {
    struct snap_engine *e = &o->engines[next(run, &o->s.engine_count)];
    e->name = outsnap_text(o, name);
    e->class = (uint8_t)engine_class_of(span_of(name));
    e->capacity = 1;
    e->busy_ppm = outsnap_value(busy_ppm);
    e->busy_ns = outsnap_value(busy_ns);
    e->pws = outsnap_real(0);
    e->unpriced_ns = outsnap_value(0);
    return e;
}

struct snap_memory *outsnap_memory(struct outsnap *o, struct run *run, const char *region,
                                   int64_t total, int64_t resident) {
    struct snap_memory *m = &o->memory[next(run, &o->s.memory_count)];
    m->region = outsnap_text(o, region);
    m->class = (uint8_t)region_class_of(span_of(region));
    m->total = outsnap_value(total);
    m->resident = outsnap_value(resident);
    m->shared = outsnap_value(0);
    m->purgeable = outsnap_none(STATE_UNSUPPORTED);
    m->legacy = outsnap_none(STATE_UNSUPPORTED);
    return m;
}

struct snap_metric *outsnap_metric(struct outsnap *o, struct run *run, unsigned metric, int64_t v) {
    struct snap_metric *m = &o->metrics[next(run, &o->s.metric_count)];
    m->value = outsnap_value(v);
    m->metric = (uint16_t)metric;
    m->index = INDEX_NONE;
    m->source = outsnap_text(o, "amdgpu");
    return m;
}

struct snap_context *outsnap_context(struct outsnap *o, struct run *run, uint64_t context) {
    struct snap_context *c = &o->contexts[next(run, &o->s.context_count)];
    c->context = context;
    return c;
}

static void busy_process(struct outsnap *o) {
    struct snap_process *p = outsnap_process(o, 48213, 0, "blender");
    p->start_ns = outsnap_value(INT64_C(1772374000250000000));
    p->command = outsnap_text(o, "/usr/bin/blender --background scene.blend");
    p->user = outsnap_text(o, "anna");
    p->type = TYPE_GRAPHICS;
    p->clients = 2;
    outsnap_engine(o, &p->engines, "gfx", 412345, 12500000001)->pws = outsnap_real(0.007254273496);
    outsnap_engine(o, &p->engines, "dec", 0, 0);
    outsnap_memory(o, &p->memory, "vram", 4096, 3221225472);
    p->busy_ppm = outsnap_value(412345);
    p->busy_ns = outsnap_value(12500000001);
    p->cpu_ppm = outsnap_value(1253000);
    p->rss = outsnap_value(734003200);
    p->vram.bytes = outsnap_value(3221225472);
    p->gtt.bytes = outsnap_value(100663296);
    p->shared = outsnap_value(0);
    p->power.pw = outsnap_real(1.24);
    p->power.pws = outsnap_real(0.007254273496);
    p->power.unpriced_ns = outsnap_value(0);
    p->power.watts = outsnap_real(44.125);
    p->power.joules = outsnap_real(812.4);
    p->power.joules.doubt = DOUBT_ESTIMATED;
    p->power.method = METHOD_SHARED;
}

static void new_process(struct outsnap *o) {
    struct snap_process *p = outsnap_process(o, 50177, 0, "python3");
    p->user = outsnap_text(o, "1001");
    p->container = outsnap_text(o, "docker:0123456789ab");
    p->clients = 1;
    p->busy_ppm = p->busy_ns = outsnap_none(STATE_UNSUPPORTED);
    p->vram.bytes = outsnap_value(1048576);
    p->vram.mark = 1;
    p->gtt.bytes = outsnap_none(STATE_MALFORMED);
    p->shared = outsnap_none(STATE_DENIED);
    p->power.unpriced_ns = outsnap_value(1500000000);
    p->power.watts.state = STATE_UNSUPPORTED;
    p->power.joules.state = STATE_MALFORMED;
}

void outsnap_typical(struct outsnap *o) {
    outsnap_init(o);
    struct snap_device *d = outsnap_device(o, "0000:03:00.0", "Radeon RX 7800 XT", "amdgpu");
    d->clients = 3;
    d->busy_ppm = outsnap_value(552000);
    outsnap_metric(o, &d->metrics, METRIC_ACTIVITY_GFX, 552000)->value.doubt = DOUBT_STUCK;
    outsnap_engine(o, &d->engines, "gfx", 551000, 12500000001);
    outsnap_engine(o, &d->engines, "dec", 0, 0);
    outsnap_memory(o, &d->memory, "vram", 0, 5476083302);
    d = outsnap_device(o, "0000:07:00.0", "Radeon RX 7600S", "amdgpu");
    d->state = DEVICE_ASLEEP;
    d->busy_ppm = outsnap_none(STATE_UNKNOWN);
    outsnap_engine(o, &d->engines, "gfx", 1, 1);
    busy_process(o);
    new_process(o);
    struct snap_unattributed *u = outsnap_unattributed(o, 0, "(not attributed)");
    u->busy_ppm = outsnap_value(139655);
    u->busy_ns = outsnap_value(250000000);
    u->reasons = UINT64_C(1) << REASON_UNREADABLE;
    o->s.unreadable = 3;
    o->s.unreadable_reasons[REASON_DENIED] = 2;
    o->s.unreadable_reasons[REASON_HIDEPID] = 1;
}
