/*
 * The collector of one Mali GPU under panthor, panfrost or lima: declares its stream, asks the reader of its small files
 * once a tick, reads the profiling knob, and lets the counter session of panthor have its turn. Nothing is asked of a
 * device that sleeps; what was read before it slept and not handed on yet is old and dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "collect_sensors.h"

enum { KEEP_MAX = PANTHOR_FILES }; /* descriptors kept open for one device */

struct collector {
    struct source source;
    struct host *host;
    const struct subject *device;
    char sys_path[PANTHOR_DEVICE_PATH];
    char driver[16];
    struct buf facts;
    const struct subject *stream;
    struct watch watch; /* of its small files */
    struct panthor_knob *knob;
    struct panthor_session *session;
    struct panthor_sched *sched;
};

/* ---- the beginning ----------------------------------------------------------------------------- */

static const struct subject *open_stream(struct collector *c, const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_STREAM,
                           .device = c->device->id,
                           .backend = (uint16_t)roster_backend(c->host, &backend_panthor),
                           .name = c->driver};
    buf_clear(&c->facts);
    facts_put(&c->facts, "driver", span_of(c->driver));
    buf_char(&c->facts, '\0');
    like.facts = c->facts.p;
    return c->facts.failed ? NULL : roster_open(c->host, &like, sink, clock_mono_ns());
}

static enum err start(struct collector *c, const struct frame_sink *sink) {
    struct panthor_reader *reader;
    enum err e;
    c->stream = open_stream(c, sink);
    if (!c->stream)
        return ERR_NOMEM;
    e = panthor_reader_create(c->host, c->stream, c->sys_path, c->device->name, &reader);
    if (e != ERR_OK)
        return e;
    reader->keep_left = watch_keep(&c->watch, c->host, KEEP_MAX);
    e = watch_start(&c->watch, c->device, &reader->job, &reader->own, &reader->fresh);
    if (e == ERR_OK)
        e = panthor_knob_create(c->host, c->sys_path, c->driver, &c->knob);
    if (e == ERR_OK && strcmp(c->driver, "panthor") == 0)
        e = panthor_session_create(c->host, c->device, &c->session);
    if (e == ERR_OK)
        e = panthor_sched_create(c->host, c->device, c->sys_path, c->driver, &c->sched);
    return e;
}

/* ---- the tick ---------------------------------------------------------------------------------- */

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    enum err e = c->stream || roster_asleep(c->host, c->device) ? ERR_OK : start(c, sink);
    if (e != ERR_OK || !c->stream)
        return e;
    if (!watch_awake(&c->watch, c->stream, PANTHOR_SYSFS, now_ns, sink))
        return ERR_OK;
    e = watch_ask(&c->watch, sink);
    panthor_knob_read(c->knob, c->stream, sink);
    panthor_sched_read(c->sched, c->stream, sink);
    if (e == ERR_OK && c->session)
        panthor_session_read(c->session, now_ns, sink);
    return e;
}

static void collect_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    const struct collector *c = (const struct collector *)s;
    *out = (struct source_wait){.fd = c->session ? panthor_session_fd(c->session) : -1,
                                .due_ns = now_ns};
}

static void collect_close(struct source *s) {
    struct collector *c = (struct collector *)s;
    if (!c)
        return;
    panthor_session_destroy(c->session);
    panthor_sched_destroy(c->sched);
    panthor_knob_destroy(c->knob);
    watch_stop(&c->watch);
    buf_finish(&c->facts);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll, .read = collect_read, .close = collect_close};

/* ---- the table entry --------------------------------------------------------------------------- */

static bool is_ours(const struct device_info *device) {
    static const char *const drivers[] = {"panthor", "panfrost", "lima"};
    for (size_t i = 0; device && i < sizeof(drivers) / sizeof(drivers[0]); i++)
        if (strcmp(device->driver, drivers[i]) == 0)
            return true;
    return false;
}

bool panthor_probe(const struct host *host, const struct device_info *device) {
    (void)host;
    return is_ours(device);
}

enum err panthor_open(struct host *host, const struct device_info *device, struct source **out) {
    struct collector *c;
    if (!is_ours(device))
        return ERR_NOENT;
    if (strlen(device->sys_path) >= sizeof(c->sys_path))
        return ERR_RANGE;
    c = calloc(1, sizeof(*c));
    if (!c)
        return ERR_NOMEM;
    c->source.ops = &ops;
    c->host = host;
    c->device = device->subject;
    memcpy(c->sys_path, device->sys_path, strlen(device->sys_path) + 1);
    memcpy(c->driver, device->driver, strlen(device->driver) + 1);
    buf_init(&c->facts);
    *out = &c->source;
    return ERR_OK;
}
