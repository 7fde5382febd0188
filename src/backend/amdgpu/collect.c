/*
 * The collector of one device: declares its streams, asks its reader once a tick, hands on what there is. Nothing
 * is asked of a device that sleeps; what was read before it slept and not handed on yet is old and dropped.
 */
#include "collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../tell.h"

enum { KEEP_MAX = 64 }; /* descriptors kept open for one device */
enum { TRIES = 3 };     /* until it is taken to have no firmware that tells its version */

struct collector {
    struct source source;
    struct host *host;
    const struct subject *device;
    char sys_path[256];
    struct buf facts;
    unsigned tries; /* to learn what it is */
    const struct subject *stream;
    struct watch watch;                /* of its files */
    const struct subject *pcie_stream; /* NULL: not asked for */
    struct async pcie;
};

/* ---- what is known of the device ------------------------------------------------------------------------- */

/* False: that could not be looked at just now. */
static bool put_firmware(struct collector *c) {
    char path[sizeof(c->sys_path) + 32];
    char text[32];
    size_t n = strlen(c->sys_path);
    ssize_t got;
    memcpy(path, c->sys_path, n);
    memcpy(path + n, "/fw_version/smc_fw_version", 27);
    got = host_slurp(c->host, c->host->root_fd, path, text, sizeof(text));
    if (got > 0)
        facts_put(&c->facts, "fw.smc", text_of_file((struct span){text, (size_t)got}));
    return got >= 0 || !host_may_pass(errno);
}

/* False: not all of it could be told just now. What a device is decides what its numbers mean. */
static bool put_facts(struct collector *c) {
    static const char *const keys[] = {"pci", "subsystem", "revision", "driver"};
    int apu = amdgpu_is_apu(c->device->facts);
    buf_clear(&c->facts);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        facts_put(&c->facts, keys[i], facts_get(c->device->facts, keys[i]));
    bool whole = put_firmware(c) || c->tries >= TRIES;
    if (apu < 0)
        apu = files_show_apu(c->host, c->sys_path);
    facts_put_u64(&c->facts, "apu", apu > 0);
    buf_char(&c->facts, '\0');
    return whole && apu >= 0;
}

static const struct subject *open_stream(struct collector *c, const char *name,
                                         const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_STREAM,
                           .device = c->device->id,
                           .backend = (uint16_t)roster_backend(c->host, &backend_amdgpu),
                           .name = name,
                           .facts = c->facts.p};
    return c->facts.failed ? NULL : roster_open(c->host, &like, sink, clock_mono_ns());
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static enum err start_reader(struct collector *c) {
    struct reader *reader;
    long keep = watch_keep(&c->watch, c->host, KEEP_MAX);
    enum err e = reader_create(c->host, c->stream, c->sys_path, keep, &reader);
    if (e != ERR_OK)
        return e;
    return watch_start(&c->watch, c->device, &reader->job, &reader->own, &reader->fresh);
}

static enum err start_pcie(struct collector *c, const struct frame_sink *sink) {
    struct reader *reader;
    enum err e;
    if (facts_u64(c->host->machine_facts, "option.pcie-bw", 0) == 0)
        return ERR_OK;
    c->pcie_stream = open_stream(c, "pcie_bw", sink);
    if (!c->pcie_stream)
        return ERR_NOMEM;
    e = reader_create_pcie(c->host, c->pcie_stream, c->sys_path, &reader);
    return e != ERR_OK ? e : async_start(&c->pcie, &reader->job);
}

static enum err start(struct collector *c, const struct frame_sink *sink) {
    enum err e;
    if (!put_facts(c)) {
        if (c->tries++ == 0)
            log_line(LOG_WARN, "%s: what it is could not be read: tried again", c->device->name);
        return ERR_OK;
    }
    c->stream = open_stream(c, "amdgpu", sink);
    if (!c->stream)
        return ERR_NOMEM;
    e = start_reader(c);
    return e != ERR_OK ? e : start_pcie(c, sink);
}

/* ---- the tick ------------------------------------------------------------------------------------------------ */

/* Its answer takes a second: it is there in a later tick. */
static enum err ask_pcie(struct collector *c, const struct frame_sink *sink) {
    enum err e = c->pcie.worker ? async_take(&c->pcie, sink) : ERR_OK;
    if (e == ERR_OK && c->pcie.worker && !c->pcie.asked)
        async_ask(&c->pcie);
    return e;
}

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    enum err e = c->stream || roster_asleep(c->host, c->device) ? ERR_OK : start(c, sink);
    if (e != ERR_OK || !c->stream)
        return e;
    if (!watch_awake(&c->watch, c->stream, AMDGPU_SYSFS, now_ns, sink))
        return ERR_OK;
    if (c->watch.gap && c->pcie.worker)
        async_drop(&c->pcie);
    e = watch_ask(&c->watch, sink);
    return e != ERR_OK ? e : ask_pcie(c, sink);
}

static void collect_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static void collect_close(struct source *s) {
    struct collector *c = (struct collector *)s;
    if (!c)
        return;
    async_stop(&c->pcie);
    watch_stop(&c->watch);
    buf_finish(&c->facts);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll, .read = collect_read, .close = collect_close};

bool amdgpu_probe(const struct host *host, const struct device_info *device) {
    return device ? strcmp(device->driver, "amdgpu") == 0 : kfd_probe(host);
}

enum err amdgpu_open(struct host *host, const struct device_info *device, struct source **out) {
    struct collector *c;
    if (!device)
        return kfd_open(host, out);
    if (strlen(device->sys_path) >= sizeof(c->sys_path))
        return ERR_RANGE;
    c = calloc(1, sizeof(*c));
    if (!c)
        return ERR_NOMEM;
    c->source.ops = &ops;
    c->host = host;
    c->device = device->subject;
    memcpy(c->sys_path, device->sys_path, strlen(device->sys_path) + 1);
    buf_init(&c->facts);
    *out = &c->source;
    return ERR_OK;
}
