/*
 * What each backend says of each device, made whole: paths as people write them, the command that grants a right, and
 * what the frames told. What is of no backend is added: nodes, drivers without sensors, devices that sleep.
 */
#include <string.h>

#include "doctor.h"
#include "gwtop/backend.h"

#define MACHINE UINT32_MAX

struct asking {
    struct doctor_work *work;
    const struct backend *backend;
    uint32_t device;  /* index in the report */
    uint32_t subject; /* 0: none */
    uint32_t told;
    bool counters; /* one of them is a session of hardware counters, which opens the node */
};

/* ---- one check --------------------------------------------------------------------------------- */

static const struct kind *kind_named(const struct backend *b, const char *name) {
    for (size_t i = 0; b && i < b->kind_count; i++)
        if (strcmp(b->kinds[i].name, name) == 0)
            return &b->kinds[i];
    return NULL;
}

/* What may be opened can still refuse to be read; frames know. */
static void heed_frames(const struct asking *a, struct doctor_source *s) {
    const struct kind *kind = kind_named(a->backend, s->source);
    const struct doctor_seen *seen =
        kind ? doctor_watch_kind(&a->work->watch, a->subject, kind) : NULL;
    if (s->state != CHECK_OK || !seen || seen->fine > 0 || seen->failed == 0 || seen->sys == 0 ||
        kind->session)
        return;
    s->state = seen->outcome == OUTCOME_DENIED ? CHECK_DENIED : CHECK_UNSUPPORTED;
    s->need = doctor_keep_format(&a->work->texts, "a driver that answers: reading it failed (%s)",
                                 strerror(seen->sys));
}

/* A file that is only not readable. */
static void grant_file(struct doctor_work *w, struct doctor_source *s) {
    if (s->state != CHECK_DENIED || s->command[0] || !s->path[0] ||
        !span_starts(span_of(s->path), "/sys/"))
        return;
    if (!s->need[0])
        s->need = "the right to read it";
    s->command = doctor_keep_format(&w->texts, "sudo chmod a+r %s", s->path);
    if (!s->unsafe[0])
        s->unsafe = "every user of the machine may read it; lasts until the next boot";
}

static void take(void *ctx, const struct check *c) {
    struct asking *a = ctx;
    struct doctor_work *w = a->work;
    struct doctor_source s = {.source = c->source,
                              .path = "",
                              .need = doctor_keep_text(&w->texts, c->need),
                              .lost = doctor_keep_text(&w->texts, c->lost),
                              .command = doctor_keep_text(&w->texts, c->command),
                              .other = "",
                              .unsafe = doctor_keep_text(&w->texts, c->unsafe),
                              .device = a->device,
                              .state = c->state,
                              .gain = c->gain};
    if (c->path)
        s.path = doctor_keep_format(&w->texts, "/%s", c->path);
    if (c->capability) {
        s.other = s.command;
        s.command = w->setcap;
    }
    heed_frames(a, &s);
    grant_file(w, &s);
    if (s.state == CHECK_OK)
        s.need = s.command = s.other = s.unsafe = "";
    doctor_add_source(w, &s);
    a->told++;
    const struct kind *kind = kind_named(a->backend, s.source);
    a->counters |= kind && kind->session && s.state != CHECK_UNSUPPORTED;
}

/* ---- one device ----------------------------------------------------------------------------------- */

static void add(struct doctor_work *w, struct doctor_source s) {
    const char **texts[] = {&s.source, &s.path, &s.need, &s.lost, &s.command, &s.other, &s.unsafe};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!*texts[i])
            *texts[i] = "";
    doctor_add_source(w, &s);
}

/* Nothing of it is looked at but who it is. */
static void add_asleep(struct doctor_work *w, uint32_t i, const struct backend *b) {
    add(w, (struct doctor_source){.source = b->name,
                                  .lost = "its sensors; they are read once it wakes by itself",
                                  .need = "somebody who uses the device, or the option --wake",
                                  .command = "gwtop --wake",
                                  .unsafe = "waking a GPU costs power and battery",
                                  .path = w->report.devices[i].folder,
                                  .device = i,
                                  .state = CHECK_ASLEEP});
}

static struct asking ask_backends(struct doctor_work *w, uint32_t i, const struct device_info *info,
                                  bool asleep) {
    struct asking a = {
        .work = w, .device = i, .subject = info && info->subject ? info->subject->id : 0};
    const struct check_sink sink = {.ctx = &a, .unreadable = w->report.unreadable, .check = take};
    for (size_t k = 0; k < backend_table.count; k++) {
        a.backend = backend_table.list[k];
        if (asleep && a.backend->probe(w->live.host, info)) {
            add_asleep(w, i, a.backend);
            a.told++;
        } else if (!asleep && a.backend->check) {
            a.backend->check(w->live.host, info, &sink);
        }
    }
    return a;
}

/* Nobody should become a member of root's own group for that. */
static void grant_node(struct doctor_work *w, const struct doctor_node *n,
                       struct doctor_source *s) {
    bool roots = strcmp(n->group, "root") == 0;
    s->need = roots
                  ? "a group for the node, as udev gives it (render)"
                  : doctor_keep_format(&w->texts, "membership of the group %s, or root", n->group);
    s->command = roots ? doctor_keep_format(&w->texts, "sudo chgrp render %s && sudo chmod 660 %s",
                                            n->path, n->path)
                       : doctor_keep_format(&w->texts, "sudo usermod -aG %s \"$USER\"", n->group);
    s->unsafe = roots ? "members of that group may use the GPU; lasts until the next boot"
                      : "its members may use the GPU; counts from the next login";
}

static void check_nodes(struct doctor_work *w, uint32_t i, bool counters) {
    for (uint32_t k = 0; k < w->report.node_count; k++) {
        const struct doctor_node *n = &w->report.nodes[k];
        if (n->device != i || n->usable || strncmp(n->path, "/dev/dri/card", 13) == 0)
            continue;
        struct doctor_source s = {.source = "node", .path = n->path, .device = i};
        s.lost = counters ? "hardware counters (--counters)"
                          : "nothing that gwtop reads; what uses the GPU needs it";
        s.gain = counters ? 2 : 0;
        s.state = n->there ? CHECK_DENIED : CHECK_MISSING;
        if (n->there) {
            grant_node(w, n, &s);
        } else {
            s.need = "the node; a container sees those alone that it was given";
            s.command = doctor_keep_format(&w->texts, "docker run --device %s", n->path);
            s.unsafe = "what runs in the container may use the GPU";
        }
        add(w, s);
    }
}

/* A knob that keeps it awake is no source, but what a laptop's owner looks for. */
static void check_sleep(struct doctor_work *w, uint32_t i) {
    const struct doctor_device *v = &w->report.devices[i];
    if (strcmp(v->control, "on") != 0)
        return;
    add(w, (struct doctor_source){
               .source = "sleep",
               .path = doctor_keep_format(&w->texts, "%s/power/control", v->folder),
               .need = "power/control at auto",
               .lost = "power: this device never falls asleep, whether it is used or not",
               .command = doctor_keep_format(&w->texts, "echo auto | sudo tee %s/power/control",
                                             v->folder),
               .unsafe = "some hardware does not wake well; lasts until the next boot",
               .device = i,
               .state = CHECK_OFF,
               .gain = 0});
}

static void check_fdinfo(struct doctor_work *w, uint32_t i) {
    const struct doctor_device *v = &w->report.devices[i];
    if (v->clients == 0 || (v->engines && v->memory))
        return;
    add(w, (struct doctor_source){.source = "fdinfo",
                                  .need = v->keys[0] ? "a newer kernel, whose driver tells more"
                                                     : "a kernel whose driver tells use of clients",
                                  .lost = v->engines  ? "memory of processes"
                                          : v->memory ? "engine time of processes"
                                                      : "engine time and memory of processes",
                                  .path = "/proc",
                                  .device = i,
                                  .state = CHECK_UNSUPPORTED});
}

static void check_unread(struct doctor_work *w, uint32_t i) {
    add(w, (struct doctor_source){
               .source = "sensors",
               .path = w->report.devices[i].folder,
               .need = "a driver whose sensors gwtop reads: amdgpu, i915, xe, panthor, panfrost, "
                       "lima",
               .lost = "clocks, temperatures, power and memory of the device",
               .device = i,
               .state = CHECK_UNSUPPORTED});
}

static void check_undriven(struct doctor_work *w, uint32_t i) {
    const struct doctor_device *v = &w->report.devices[i];
    add(w, (struct doctor_source){
               .source = "driver",
               .path = v->folder,
               .need = "a driver that makes it a DRM device: amdgpu, i915, xe, nouveau",
               .lost = "everything about this device",
               .command =
                   doctor_keep_format(&w->texts, "sudo modprobe \"$(cat %s/modalias)\"", v->folder),
               .unsafe = "a driver takes the screen over",
               .device = i,
               .state = v->driver[0] ? CHECK_UNSUPPORTED : CHECK_MISSING,
               .gain = 9});
}

static void look_device(struct doctor_work *w, const struct snapshot *s, uint32_t i) {
    const struct doctor_device *v = &w->report.devices[i];
    const struct doctor_heard *heard =
        s && i < s->device_count ? doctor_watch_device(&w->watch, s->devices[i].subject) : NULL;
    if (!heard) {
        check_undriven(w, i);
        return;
    }
    if (s->devices[i].state == DEVICE_REMOVED)
        return;
    char slot[32] = "";
    struct span fact = facts_get(heard->as.facts, "slot");
    if (fact.n < sizeof(slot) && fact.n > 0)
        memcpy(slot, fact.p, fact.n);
    const struct device_info info = {.subject = &heard->as,
                                     .driver = v->driver,
                                     .sys_path = v->folder[0] ? v->folder + 1 : "",
                                     .slot = slot};
    /* It may have fallen asleep since the last tick. */
    bool asleep = s->devices[i].state == DEVICE_ASLEEP || strcmp(v->status, "suspended") == 0 ||
                  strcmp(v->status, "suspending") == 0;
    const struct asking asked = ask_backends(w, i, &info, asleep);
    if (asked.told == 0 && !asleep)
        check_unread(w, i);
    check_fdinfo(w, i);
    check_nodes(w, i, asked.counters);
    check_sleep(w, i);
}

/* ---- the machine ---------------------------------------------------------------------------------- */

static void check_places(struct doctor_work *w, const struct snapshot *s) {
    bool denied = s && s->devices_denied > 0;
    if (!denied && w->report.device_count > 0)
        return;
    add(w, (struct doctor_source){
               .source = "devices",
               .path = "/sys/class/drm",
               .need = denied ? "the right to list it"
                              : "a GPU with a driver of the kernel; in a container the host's /sys",
               .lost = "all devices",
               .command = denied ? "sudo chmod a+rx /sys/class/drm /sys/class/accel" : "",
               .unsafe = denied ? "every user sees which GPUs there are" : "",
               .device = MACHINE,
               .state = denied ? CHECK_DENIED : CHECK_MISSING,
               .gain = 9});
}

void doctor_look_sources(struct doctor_work *w) {
    const struct snapshot *s = acct_snapshot(w->watch.pipe.acct);
    struct doctor *d = &w->report;
    d->processes = w->watch.processes;
    d->unreadable = s ? s->unreadable : 0;
    for (unsigned i = 0; s && i < REASON_COUNT; i++)
        d->unreadable_reasons[i] = s->unreadable_reasons[i];
    for (uint32_t i = 0; i < d->device_count; i++)
        look_device(w, s, i);
    check_places(w, s);
    (void)ask_backends(w, MACHINE, NULL, false);
}
