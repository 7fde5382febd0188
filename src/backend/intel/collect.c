/*
 * The collector of one device: declares its stream, asks its reader once a tick, hands on what there is, and lets the
 * part that reads hardware counters have its turn. Nothing is asked of a device that sleeps; what was read before it
 * slept and not handed on yet is old and dropped.
 */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

enum { KEEP_MAX = 128 }; /* descriptors kept open for one device */

struct collector {
    struct source source;
    struct host *host;
    const struct subject *device;
    struct device_place at;
    bool is_apu;
    bool failed_told;
    const bool *is_card; /* the reader's: is_apu was wrong */
    struct buf facts;
    const struct subject *stream;
    struct watch watch; /* of its sensors */
    struct intel_oa *oa;
};

/* ---- what is known of the device ------------------------------------------------------------------------- */

static void put_facts(struct collector *c) {
    buf_clear(&c->facts);
    facts_put(&c->facts, "pci", facts_get(c->device->facts, "pci"));
    facts_put(&c->facts, "driver", span_of(c->at.driver));
    facts_put_u64(&c->facts, "apu", c->is_apu);
    buf_char(&c->facts, '\0');
}

static const struct subject *open_stream(struct collector *c, const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_STREAM,
                           .device = c->device->id,
                           .backend = (uint16_t)roster_backend(c->host, &backend_intel),
                           .name = c->at.driver,
                           .facts = c->facts.p};
    return c->facts.failed ? NULL : roster_open(c->host, &like, sink, clock_mono_ns());
}

static enum err start(struct collector *c, const struct frame_sink *sink) {
    struct reader *reader;
    enum err e;
    int apu = sensor_files_apu(c->host, &c->at);
    if (apu < 0) {
        if (!c->failed_told)
            log_line(LOG_WARN, "%s: what it is could not be read: tried again", c->device->name);
        c->failed_told = true;
        return ERR_OK;
    }
    c->is_apu = apu != 0;
    put_facts(c);
    c->stream = open_stream(c, sink);
    if (!c->stream)
        return ERR_NOMEM;
    e = sensor_reader_create(c->host, c->stream, &c->at, c->is_apu,
                             watch_keep(&c->watch, c->host, KEEP_MAX), &reader);
    if (e == ERR_OK)
        c->is_card = &reader->files.is_card;
    if (e == ERR_OK)
        e = watch_start(&c->watch, c->device, &reader->job, &reader->own, &reader->fresh);
    if (e != ERR_OK)
        return e;
    return intel_oa_create(c->host, c->device, c->at.sys_path, &c->oa);
}

/* ---- the tick ------------------------------------------------------------------------------------------------ */

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    enum err e = c->stream || roster_asleep(c->host, c->device) ? ERR_OK : start(c, sink);
    if (e != ERR_OK || !c->stream)
        return e;
    if (!watch_awake(&c->watch, c->stream, INTEL_SYSFS, now_ns, sink))
        return ERR_OK;
    e = watch_ask(&c->watch, sink);
    if (e == ERR_OK && !c->watch.async.asked && *c->is_card)
        return ERR_GONE; /* what it was; it is found anew as what it is */
    if (e == ERR_OK && c->oa)
        intel_oa_read(c->oa, now_ns, sink);
    return e;
}

static void collect_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    const struct collector *c = (const struct collector *)s;
    *out = (struct source_wait){.fd = c->oa ? intel_oa_fd(c->oa) : -1, .due_ns = now_ns};
}

static void collect_close(struct source *s) {
    struct collector *c = (struct collector *)s;
    if (!c)
        return;
    intel_oa_destroy(c->oa);
    watch_stop(&c->watch);
    buf_finish(&c->facts);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll, .read = collect_read, .close = collect_close};

static bool is_ours(const struct device_info *device) {
    return strcmp(device->driver, "i915") == 0 || strcmp(device->driver, "xe") == 0;
}

bool intel_probe(const struct host *host, const struct device_info *device) {
    (void)host;
    return device && is_ours(device);
}

/* A text that does not fit is none. */
static void keep_text(char *to, size_t cap, struct span text) {
    size_t n = text.n < cap ? text.n : 0;
    if (n > 0)
        memcpy(to, text.p, n);
    to[n] = '\0';
}

enum err intel_open(struct host *host, const struct device_info *device, struct source **out) {
    struct collector *c;
    if (!device || !is_ours(device))
        return ERR_NOENT;
    if (strlen(device->sys_path) >= sizeof(c->at.sys_path))
        return ERR_RANGE;
    c = calloc(1, sizeof(*c));
    if (!c)
        return ERR_NOMEM;
    c->source.ops = &ops;
    c->host = host;
    c->device = device->subject;
    keep_text(c->at.sys_path, sizeof(c->at.sys_path), span_of(device->sys_path));
    keep_text(c->at.driver, sizeof(c->at.driver), span_of(device->driver));
    keep_text(c->at.slot, sizeof(c->at.slot), span_of(device->slot));
    keep_text(c->at.card, sizeof(c->at.card), facts_get(device->subject->facts, "card"));
    buf_init(&c->facts);
    *out = &c->source;
    return ERR_OK;
}
