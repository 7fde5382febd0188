/*
 * The collector of one Mali GPU under panthor, panfrost or lima: declares its stream, asks the reader of its small files
 * once a tick, reads the profiling knob, and lets the counter session of panthor have its turn. Nothing is asked of a
 * device that sleeps; what was read before it slept and not handed on yet is old and dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "collect_sensors.h"

enum { KEEP_MAX = PANTHOR_FILES }; /* descriptors kept open for one device */

#define GAP_NS                                                                                     \
    INT64_C(1000000000) /* beside two ticks: so long nobody asked, the device may have slept */

struct collector {
    struct source source;
    struct host *host;
    const struct subject *device;
    char sys_path[PANTHOR_DEVICE_PATH];
    char driver[16];
    struct buf facts;
    const struct subject *stream;
    struct async async;
    struct panthor_reader *reader; /* the async's; to be touched while nothing is asked */
    struct panthor_knob *knob;
    struct panthor_session *session;
    struct panthor_sched *sched;
    long kept;        /* taken off the host's */
    uint64_t counted; /* of the reader's calls */
    int64_t last_ns;
    bool fresh; /* tell the reader when it can hear */
    bool asleep_told;
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
    enum err e;
    c->stream = open_stream(c, sink);
    if (!c->stream)
        return ERR_NOMEM;
    e = panthor_reader_create(c->host, c->stream, c->sys_path, &c->reader);
    if (e != ERR_OK)
        return e;
    c->kept = c->host->keep_left < KEEP_MAX ? c->host->keep_left : KEEP_MAX;
    c->host->keep_left -= c->kept;
    c->reader->keep_left = c->kept;
    e = async_start(&c->async, &c->reader->job);
    if (e == ERR_OK)
        e = panthor_knob_create(c->host, c->sys_path, c->driver, &c->knob);
    if (e == ERR_OK && strcmp(c->driver, "panthor") == 0)
        e = panthor_session_create(c->host, c->device, &c->session);
    if (e == ERR_OK)
        e = panthor_sched_create(c->host, c->device, c->sys_path, c->driver, &c->sched);
    return e;
}

/* ---- the tick ---------------------------------------------------------------------------------- */

/* The answer is that it sleeps; said once. */
static void tell_asleep(struct collector *c, const struct frame_sink *sink) {
    struct frame f = {.t_ns = clock_mono_ns(),
                      .subject = c->stream->id,
                      .kind = PANTHOR_SYSFS,
                      .outcome = OUTCOME_ASLEEP};
    if (!c->asleep_told && sink->frame)
        sink->frame(sink->ctx, c->stream, &f);
    c->asleep_told = true;
}

static enum err ask_reader(struct collector *c, const struct frame_sink *sink) {
    enum err e = async_take(&c->async, sink);
    if (e != ERR_OK || c->async.asked)
        return e;
    c->host->tally.syscalls += c->reader->own.tally.syscalls - c->counted;
    c->counted = c->reader->own.tally.syscalls;
    c->reader->fresh = c->reader->fresh || c->fresh;
    c->fresh = false;
    async_ask(&c->async);
    async_wait(&c->async);
    return async_take(&c->async, sink);
}

static void note_gap(struct collector *c, int64_t now_ns) {
    if (c->last_ns != 0 && now_ns - c->last_ns > 2 * c->host->delay_ns + GAP_NS) {
        async_drop(&c->async);
        c->fresh = true;
    }
    c->last_ns = now_ns;
}

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    bool asleep = roster_asleep(c->host, c->device);
    enum err e = c->stream || asleep ? ERR_OK : start(c, sink);
    if (e != ERR_OK || !c->stream)
        return e;
    if (asleep) {
        tell_asleep(c, sink);
        return ERR_OK;
    }
    if (c->asleep_told)
        c->last_ns = INT64_MIN / 2; /* a gap, however short */
    c->asleep_told = false;
    note_gap(c, now_ns);
    e = ask_reader(c, sink);
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
    async_stop(&c->async);
    c->host->keep_left += c->kept;
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
