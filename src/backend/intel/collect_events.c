/*
 * Which counters of perf events are read of a device, and energy where the processor counts it.
 *
 * No event is opened whose being open costs power. Any event of xe keeps the device from its sleep, and those of its
 * engines keep its GTs awake: of xe the others are opened only where the device does not sleep by itself
 * (power/control is "on"). What they say sysfs and the clients say as well. Events of i915 cost nothing while the
 * GPU is idle.
 *
 * Another machine's tree (--root) has no events: its numbers would name others of this one.
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define PMU_FOLDER "sys/bus/event_source/devices/"
#define POWERCAP   "sys/class/powercap/"

enum { ZONES = 8, GTS = 16 };

void events_init(struct events *c) {
    pmu_init(&c->pmu);
    pmu_init(&c->rapl);
    c->pmu_sys = c->rapl_sys = ENOENT;
    c->pmu_told = false;
    buf_init(&c->body);
}

/* ---- the driver's events ------------------------------------------------------------------------------------------ */

struct event_names {
    char name[PMU_EVENTS][PMU_NAME_BYTES];
    uint32_t count;
};

static void note_event(void *ctx, struct span name) {
    struct event_names *all = ctx;
    if (all->count == PMU_EVENTS || !intel_pmu_wanted(name))
        return;
    memcpy(all->name[all->count], name.p, name.n);
    all->name[all->count++][name.n] = '\0';
}

/* The integrated GPU of i915 has the driver's name alone. */
static bool pmu_path(const struct device_place *at, char path[PATH_BYTES]) {
    bool alone = strcmp(at->driver, "i915") == 0 && strcmp(at->slot, "0000:00:02.0") == 0;
    int n;
    if (!at->slot[0])
        return false;
    n = alone ? snprintf(path, PATH_BYTES, PMU_FOLDER "i915")
              : snprintf(path, PATH_BYTES, PMU_FOLDER "%s_%s", at->driver, at->slot);
    for (char *p = path + strlen(PMU_FOLDER); *p; p++)
        if (*p == ':')
            *p = '_';
    return n > 0 && n < PATH_BYTES;
}

/* One event, of xe for each GT. */
static bool add_event(struct events *c, struct host *h, const char *name, unsigned gts, long keep) {
    for (unsigned gt = 0; gt < GTS; gt++) {
        char as[PMU_NAME_BYTES + 8];
        if (!(gts & 1u << gt) || (long)c->pmu.count >= keep)
            continue;
        snprintf(as, sizeof(as), gt > 0 ? "%s-gt%u" : "%s", name, gt);
        if (!pmu_add(&c->pmu, h, name, as, gt))
            return false;
    }
    return true;
}

static int open_pmu(struct events *c, struct host *h, const struct device_place *at, unsigned gts,
                    bool may_sleep, long keep) {
    char path[PATH_BYTES];
    struct event_names all = {.count = 0};
    bool xe = strcmp(at->driver, "xe") == 0;
    int sys = 0;
    if (h->rooted || (xe && may_sleep) || !pmu_path(at, path))
        return ENOENT;
    if (!pmu_find(&c->pmu, h, path))
        return errno;
    pmu_list(&c->pmu, h, note_event, &all);
    for (uint32_t i = 0; i < all.count && sys == 0; i++)
        if (!add_event(c, h, all.name[i], xe ? gts : 1, keep))
            sys = errno;
    pmu_found(&c->pmu, h);
    return sys == 0 && c->pmu.count == 0 ? ENOENT : sys;
}

/* ---- energy ---------------------------------------------------------------------------------------------------------- */

static int open_rapl(struct events *c, struct host *h, long keep) {
    static const char *const events[] = {"energy-gpu", "energy-pkg"};
    int sys = 0;
    if (h->rooted)
        return ENOENT;
    if (!pmu_find(&c->rapl, h, PMU_FOLDER "power"))
        return errno;
    for (unsigned i = 0; i < 2 && sys == 0 && (long)c->rapl.count < keep; i++)
        if (!pmu_add(&c->rapl, h, events[i], events[i], 0))
            sys = errno;
    pmu_found(&c->rapl, h);
    return sys == 0 && c->rapl.count == 0 ? ENOENT : sys;
}

static struct span zone_text(struct host *h, const char *zone, const char *file, char to[32]) {
    char path[PATH_BYTES];
    ssize_t n;
    snprintf(path, sizeof(path), POWERCAP "%s/%s", zone, file);
    n = host_slurp(h, h->root_fd, path, to, 32);
    return n < 0 ? (struct span){NULL, 0} : text_of_file((struct span){to, (size_t)n});
}

/* 0: its line is in the body; else the errno. */
static int put_zone(struct events *c, struct host *h, const char *zone) {
    char name_text[32];
    char count_text[32];
    char range_text[32];
    struct span name = zone_text(h, zone, "name", name_text);
    struct span count;
    struct span range;
    if (!span_equals(name, "package-0") && !span_equals(name, "uncore"))
        return name.p ? ENOENT : errno;
    count = zone_text(h, zone, "energy_uj", count_text);
    if (!count.p)
        return errno;
    range = zone_text(h, zone, "max_energy_range_uj", range_text);
    if (!range.p)
        return errno;
    buf_span(&c->body, name);
    buf_char(&c->body, '=');
    buf_span(&c->body, count);
    buf_char(&c->body, ' ');
    buf_span(&c->body, range);
    buf_char(&c->body, '\n');
    return 0;
}

/* The first package and its parts. 0: something is in the body. */
static int put_powercap(struct events *c, struct host *h) {
    int sys = put_zone(c, h, "intel-rapl:0");
    for (unsigned i = 0; i < ZONES; i++) {
        char zone[32];
        int part;
        snprintf(zone, sizeof(zone), "intel-rapl:0:%u", i);
        part = put_zone(c, h, zone);
        if (sys != 0 && (part == 0 || sys == ENOENT))
            sys = part;
    }
    return sys;
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

long events_open(struct events *c, struct host *h, const struct device_place *at, bool is_apu,
                 unsigned gts, bool may_sleep, long keep) {
    events_close(c, h);
    c->pmu_told = false;
    c->rapl_sys = is_apu ? open_rapl(c, h, keep) : ENOENT;
    if (c->rapl_sys != 0)
        pmu_close(&c->rapl, h);
    c->pmu_sys = open_pmu(c, h, at, gts, may_sleep, keep - (long)c->rapl.count);
    if (c->pmu_sys != 0)
        pmu_close(&c->pmu, h);
    return (long)c->rapl.count + (long)c->pmu.count;
}

static void put_line(struct buf *b, const char *name, uint64_t count, const char *more) {
    buf_text(b, name);
    buf_char(b, '=');
    buf_u64(b, count);
    if (*more)
        buf_char(b, ' ');
    buf_text(b, more);
    buf_char(b, '\n');
}

static void emit_body(const struct events *c, const struct subject *s, unsigned kind, int sys,
                      const struct frame_sink *sink) {
    ssize_t n = sys != 0 || c->body.failed ? -1 : (ssize_t)c->body.n;
    host_emit(sink, s, kind, clock_mono_ns(), c->body.p, n, sys != 0 ? sys : ENOMEM);
}

/* 0: the body holds the group's counters. */
static int put_group(struct events *c, struct host *h, struct pmu_group *g, bool timed) {
    struct pmu_reading r;
    buf_clear(&c->body);
    if (!pmu_read(g, h, &r))
        return errno;
    if (timed)
        put_line(&c->body, "time", r.time_ns, "");
    for (uint32_t i = 0; i < g->count; i++)
        put_line(&c->body, g->event[i].name, r.value[i], g->event[i].scale);
    return 0;
}

/* That there are none is said once. */
static void emit_pmu(struct events *c, struct host *h, const struct subject *s,
                     const struct frame_sink *sink) {
    if (c->pmu_sys == 0)
        c->pmu_sys = put_group(c, h, &c->pmu, true);
    if (c->pmu_sys == 0)
        emit_body(c, s, INTEL_PMU, 0, sink);
    else if (c->pmu_sys != ENOENT && !c->pmu_told)
        emit_body(c, s, INTEL_PMU, c->pmu_sys, sink);
    c->pmu_told = c->pmu_sys != 0;
}

/* A right that perf lacks is worth more than a folder that is not there. */
static int put_energy(struct events *c, struct host *h) {
    int sys;
    if (c->rapl_sys == 0)
        return put_group(c, h, &c->rapl, false);
    buf_clear(&c->body);
    sys = put_powercap(c, h);
    return sys == ENOENT ? c->rapl_sys : sys;
}

void events_emit(struct events *c, struct host *h, const struct subject *s, bool is_apu,
                 const struct frame_sink *sink) {
    emit_pmu(c, h, s, sink);
    if (is_apu)
        emit_body(c, s, INTEL_RAPL, put_energy(c, h), sink);
}

void events_close(struct events *c, struct host *h) {
    pmu_close(&c->pmu, h);
    pmu_close(&c->rapl, h);
}
