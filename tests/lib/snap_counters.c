/* Machines written by hand whose devices tell hardware counters. */
#include "snap_cases.h"

#define SHARE   10000
#define SECONDS INT64_C(1000000000)

static void counter(struct snap *b, struct run *run, unsigned metric, int64_t v) {
    struct snap_metric *m = snap_metric(b, run, metric, INDEX_NONE, snap_value(v), "");
    m->source = snap_text(b, "i915-perf");
}

static void device_counters(struct snap *b) {
    struct run *run = &b->devices[0].metrics;
    snap_metric(b, run, METRIC_ACTIVITY_GFX, INDEX_NONE, snap_value(613 * SHARE / 10), "");
    counter(b, run, METRIC_COUNTER_GPU_TIME, SECONDS);
    counter(b, run, METRIC_COUNTER_GPU_CORE_CLOCKS, 1150000000);
    counter(b, run, METRIC_COUNTER_AVG_GPU_CORE_FREQUENCY, 1150000000);
    counter(b, run, METRIC_COUNTER_GPU_BUSY, 613 * SHARE / 10);
    counter(b, run, METRIC_COUNTER_EU_ACTIVE, 340 * SHARE / 10);
    counter(b, run, METRIC_COUNTER_EU_STALL, 121 * SHARE / 10);
    snap_metric(b, run, METRIC_COUNTER_SAMPLERS_BUSY, INDEX_NONE, snap_none(STATE_UNSUPPORTED), "");
    counter(b, run, METRIC_COUNTER_GTI_READ, 1200000000);
    counter(b, run, METRIC_COUNTER_GTI_WRITE, 310000000);
    for (unsigned i = 0; i < 16; i++) {
        counter(b, run, METRIC_COUNTER_A0 + i, 1000 * (int64_t)i * i);
    }
}

static void context(struct snap *b, struct run *run, uint64_t id, int64_t busy, int64_t gpu_busy) {
    struct snap_context *c = snap_context(b, run, id, snap_value(busy));
    c->busy_ns = snap_value(busy * 1000);
    if (gpu_busy >= 0) {
        counter(b, &c->counters, METRIC_COUNTER_GPU_TIME, busy * 1000);
        counter(b, &c->counters, METRIC_COUNTER_GPU_BUSY, gpu_busy);
    }
}

static void working(struct snap *b, int32_t pid, const char *name, int64_t busy) {
    struct snap_process *p = snap_process(b, pid, 0, name, name);
    p->busy_ppm = snap_value(busy);
    p->busy_ns = snap_value(busy * 1000);
}

void snap_counters(struct snap *b) {
    snap_init(b);
    snap_device(b, "0000:00:02.0", "HD Graphics 520", "i915");
    device_counters(b);
    b->s.counters_asked = true;
    b->devices[0].counters = COUNTERS_HELD;
    b->devices[0].busy_ppm = snap_value(613 * SHARE / 10);
    working(b, 2201, "gnome-shell", 90 * SHARE / 10);
    context(b, &b->processes[0].contexts, 12, 90 * SHARE / 10, 97 * SHARE);
    working(b, 4807, "glxgears", 511 * SHARE / 10);
    context(b, &b->processes[1].contexts, 3, 500 * SHARE / 10, 985 * SHARE / 10);
    context(b, &b->processes[1].contexts, 7, 0, -1);
    context(b, &b->processes[1].contexts, 7, 11 * SHARE / 10, 410 * SHARE / 10);
    b->contexts[3].tagged = true;
    b->contexts[3].tag = 1042;
    working(b, 5100, "idle-one", 0);
    struct snap_unattributed *u = snap_loose(b, 0, "(unknown pid)");
    u->busy_ppm = snap_none(STATE_UNSUPPORTED);
    context(b, &u->contexts, 90, 12 * SHARE / 10, 200 * SHARE / 10);
    snap_device(b, "0000:03:00.0", "Arc A770", "xe")->state = DEVICE_ASLEEP;
}

void snap_cores(struct snap *b) {
    snap_counters(b);
    for (unsigned i = 0; i < 70; i++) {
        snap_metric(b, &b->devices[1].metrics, METRIC_COUNTER_A0, i, snap_value((int64_t)i * i),
                    i % 2 ? "" : "a part with a long name of its own");
    }
    b->devices[1].state = DEVICE_ACTIVE;
}
