/*
 * Jobs of a lima GPU from the trace points of the kernel's GPU scheduler, where they were asked for: an instance of our
 * own in tracefs with three events on. lima tells the time of its clients since Linux 6.4; before that, jobs are all
 * that there is; after it they count nowhere (context_is_detail of acct). What ran between the last look and a sleep
 * waits in the kernel until the GPU is awake at a look. I/O.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/source.h"
#include "sched.h"

#define PREFIX     "gwtop-sched-"
#define FORMAT_MAX 8192

struct panthor_sched {
    struct host *host;
    const struct subject *device;
    const char *dev; /* the device's name in the kernel */
    struct tracefs fs;
    struct sched_layout layout;
    struct buf facts;
    const struct subject *stream; /* of the pages; NULL: there is no instance */
    bool told;
};

struct reading {
    const struct panthor_sched *s;
    const struct frame_sink *sink;
};

/* ---- the beginning --------------------------------------------------------------------------- */

static int learn_event(struct panthor_sched *s, unsigned dialect, unsigned event,
                       struct span header) {
    char file[96];
    char format[FORMAT_MAX];
    snprintf(file, sizeof(file), "%s/format", sched_folders[dialect][event]);
    ssize_t n = tracefs_slurp(&s->fs, file, format, sizeof(format));
    if (n < 0)
        return errno;
    struct span text = {format, (size_t)n};
    if (event == SCHED_QUEUE)
        trace_pages_say(&s->facts, header, text);
    sched_event_say(&s->facts, dialect, event, text);
    return 0;
}

/* 0: pages with events of this kernel can be read. */
static int learn_dialect(struct panthor_sched *s, unsigned dialect, struct span header) {
    int sys = 0;
    buf_clear(&s->facts);
    facts_put(&s->facts, "dev", span_of(s->dev));
    facts_put(&s->facts, "clock", span_of(s->fs.clock));
    facts_put(&s->facts, "endian", span_of(tracefs_endian(s->host)));
    for (unsigned event = 0; event < SCHED_EVENTS && sys == 0; event++)
        sys = learn_event(s, dialect, event, header);
    buf_char(&s->facts, '\0');
    if (sys != 0 || s->facts.failed)
        return sys != 0 ? sys : ENOMEM;
    return sched_layout_read(&s->layout, s->facts.p) ? 0 : EPROTO;
}

static int learn(struct panthor_sched *s) {
    char header[FORMAT_MAX];
    ssize_t n = tracefs_slurp(&s->fs, "events/header_page", header, sizeof(header));
    if (n < 0)
        return errno;
    struct span h = {header, (size_t)n};
    int sys = learn_dialect(s, SCHED_NEW, h);
    if (sys == ENOENT)
        sys = learn_dialect(s, SCHED_OLD, h);
    return sys != 0 ? sys : tracefs_pipes(&s->fs, trace_format_end(h, "data"));
}

static int switch_on(struct panthor_sched *s) {
    int sys = 0;
    for (unsigned event = 0; event < SCHED_EVENTS && sys == 0; event++)
        sys = tracefs_enable(&s->fs, sched_folders[s->layout.dialect][event]);
    return sys;
}

static int make_instance(struct panthor_sched *s) {
    const char *const events[] = {sched_folders[SCHED_NEW][SCHED_QUEUE],
                                  sched_folders[SCHED_OLD][SCHED_QUEUE]};
    char mount[TRACEFS_MOUNT_MAX];
    if (!tracefs_find(s->host, events, sizeof(events) / sizeof(events[0]), "sys/module/lima",
                      mount))
        return ENOENT;
    int sys = tracefs_open(&s->fs, s->host, mount, PREFIX);
    return sys != 0 ? sys : learn(s);
}

static void end(struct panthor_sched *s, const struct frame_sink *sink) {
    tracefs_close(&s->fs);
    if (s->stream)
        roster_close(s->host, s->stream, "closed", sink, clock_mono_ns());
    s->stream = NULL;
}

static int begin(struct panthor_sched *s, const struct subject *parent,
                 const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_STREAM,
                           .parent = parent->id,
                           .device = s->device->id,
                           .backend = (uint16_t)roster_backend(s->host, &backend_panthor),
                           .name = "scheduler"};
    int sys = make_instance(s);
    if (sys == 0) {
        like.facts = s->facts.p;
        s->stream = roster_open(s->host, &like, sink, clock_mono_ns());
        sys = s->stream ? switch_on(s) : ENOMEM;
    }
    if (sys != 0)
        end(s, sink);
    return sys;
}

/* ---- the tick -------------------------------------------------------------------------------- */

static void take_page(void *ctx, struct span page) {
    const struct reading *r = ctx;
    size_t used = trace_page_used(&r->s->layout.pages, page);
    host_emit(r->sink, r->s->stream, PANTHOR_SCHED, clock_mono_ns(), page.p, (ssize_t)used, 0);
}

static void tell_failure(struct panthor_sched *s, const struct subject *parent, int sys,
                         const struct frame_sink *sink) {
    host_emit(sink, s->stream ? s->stream : parent, PANTHOR_SCHED, clock_mono_ns(), NULL, -1, sys);
    if (!s->told)
        log_line(LOG_WARN, "%s: trace points of the GPU scheduler: %s", s->device->name,
                 sys == ENOENT   ? "there are none"
                 : sys == EPROTO ? "they do not name the ring (before Linux 5.18)"
                                 : strerror(sys));
    s->told = true;
}

void panthor_sched_read(struct panthor_sched *s, const struct subject *parent,
                        const struct frame_sink *sink) {
    int sys;
    if (!s)
        return;
    if (s->stream && !tracefs_has(&s->fs, sched_folders[s->layout.dialect][SCHED_QUEUE]))
        end(s, sink);
    if (s->stream) {
        struct reading r = {s, sink};
        sys = tracefs_read(&s->fs, take_page, &r);
    } else {
        sys = begin(s, parent, sink);
    }
    if (sys != 0)
        tell_failure(s, parent, sys, sink);
}

/* ---- life ------------------------------------------------------------------------------------ */

enum err panthor_sched_create(struct host *h, const struct subject *device, const char *sys_path,
                              const char *driver, struct panthor_sched **out) {
    struct panthor_sched *s;
    const char *slash = strrchr(sys_path, '/');
    const char *own = slash ? slash + 1 : sys_path;
    *out = NULL;
    if (strcmp(driver, "lima") != 0 || facts_u64(h->machine_facts, "option.tracefs", 0) == 0)
        return ERR_OK;
    s = calloc(1, sizeof(*s));
    if (!s)
        return ERR_NOMEM;
    s->host = h;
    s->device = device;
    s->dev = strcmp(own, "device") == 0 ? device->name : own; /* where no link led to its folder */
    buf_init(&s->facts);
    *out = s;
    return ERR_OK;
}

void panthor_sched_destroy(struct panthor_sched *s) {
    if (!s)
        return;
    tracefs_close(&s->fs);
    buf_finish(&s->facts);
    free(s);
}
