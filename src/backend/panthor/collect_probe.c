/*
 * The device node of a GPU under panthor, and whether its driver has counters in one of the forms
 * that gwtop knows. Nothing is assumed of a version: the numbers of calls differ between trees of
 * the same version, so each is asked for, in ways that do no harm where it is another call. I/O.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "collect_session.h"

#define NODE_PREFIX   "renderD"
#define START_MOST_NS INT64_C(2000000)

/* ---- the node -------------------------------------------------------------------------------- */

static bool is_render(struct span name) {
    uint64_t number;
    return name.n < PANTHOR_NODE_MAX && span_starts(name, NODE_PREFIX) &&
           span_to_u64(span_skip(name, strlen(NODE_PREFIX)), &number) == ERR_OK;
}

bool panthor_find_node(const struct subject *device, char name[PANTHOR_NODE_MAX]) {
    struct cursor c = cursor_over(facts_get(device->facts, "node_names"));
    struct span word;
    while (cursor_field(&c, ',', &word)) {
        if (!is_render(word))
            continue;
        memcpy(name, word.p, word.n);
        name[word.n] = '\0';
        return true;
    }
    name[0] = '\0';
    return false;
}

static bool open_node(struct panthor_run *r) {
    char path[PANTHOR_PATH_MAX];
    if (!r->node_name[0])
        return panthor_refuse(r, ENODEV, "the device has no render node");
    snprintf(path, sizeof(path), "dev/dri/%s", r->node_name);
    r->node = host_open(&r->own, r->own.root_fd, path, O_RDWR);
    if (r->node >= 0)
        return true;
    if (errno == EACCES || errno == EPERM)
        return panthor_refuse(r, errno, "not allowed to open /%s: that is for its group, or root",
                              path);
    return panthor_refuse(r, errno, "/%s cannot be opened: %s", path, strerror(errno));
}

/* The driver shares memory with the GPU's microcontroller, which is little-endian, without turning a byte: it is of no
 * use elsewhere, and what it says there is in no order that a recording has. */
static bool same_order(struct panthor_run *r) {
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        return true;
    return panthor_refuse(r, ENODEV, "counters are read on little-endian machines alone");
}

/* ---- which driver ---------------------------------------------------------------------------- */

static bool ask_version(struct panthor_run *r) {
    char name[32] = "";
    struct panthor_uapi_version v = {.name_n = sizeof(name), .name = name};
    if (host_ioctl(&r->own, r->node, PANTHOR_CALL_VERSION, &v) < 0)
        return panthor_refuse(r, errno, "the driver does not tell its version: %s",
                              strerror(errno));
    if (v.name_n > sizeof(name) || !span_equals((struct span){name, v.name_n}, "panthor"))
        return panthor_refuse(r, ENODEV, "/dev/dri/%s is of another driver", r->node_name);
    if (v.major != 1)
        return panthor_refuse(r, ENODEV, "version %d of panthor is not known", (int)v.major);
    r->driver.minor = v.minor;
    return true;
}

/* The driver's own size of what it tells; 0: it does not, and errno says why. */
static uint32_t query_size(struct panthor_run *r, uint32_t type) {
    struct panthor_uapi_query q = {.type = type};
    errno = ENODATA;
    return host_ioctl(&r->own, r->node, PANTHOR_CALL_QUERY, &q) < 0 ? 0 : q.size;
}

static bool query(struct panthor_run *r, uint32_t type, void *to, uint32_t n) {
    struct panthor_uapi_query q = {.type = type, .size = n, .pointer = (uintptr_t)to};
    return host_ioctl(&r->own, r->node, PANTHOR_CALL_QUERY, &q) >= 0;
}

/* Any size but those of the posted versions is another form. */
static bool refuse_size(struct panthor_run *r, uint32_t size, int sys) {
    if (size == 0 && sys != EINVAL && sys != ENODATA)
        return panthor_refuse(r, sys, "the driver does not say whether it has counters: %s",
                              strerror(sys));
    if (size == 0 || size == PANTHOR_MMU_INFO_BYTES)
        return panthor_refuse(r, ENODEV, "this kernel's panthor has no counters (PERF_INFO)");
    return panthor_refuse(r, ENODEV, "counters in a form that gwtop does not know (%u bytes)%s",
                          size, size == PANTHOR_V3_INFO_BYTES ? ", of an early version" : "");
}

static bool find_info(struct panthor_run *r) {
    struct panthor_driver *d = &r->driver;
    uint32_t size;
    d->perf_query = PANTHOR_QUERY_PERF;
    size = query_size(r, d->perf_query);
    if (size == PANTHOR_MMU_INFO_BYTES) {
        d->perf_query = PANTHOR_QUERY_PERF_REBASED;
        size = query_size(r, d->perf_query);
    }
    if (size != sizeof(d->info))
        return refuse_size(r, size, errno);
    if (!query(r, d->perf_query, &d->info, sizeof(d->info)))
        return panthor_refuse(r, errno, "the driver refuses to describe its counters: %s",
                              strerror(errno));
    if (!panthor_layout_read((struct span){(const char *)&d->info, sizeof(d->info)}, &d->layout))
        return panthor_refuse(
            r, ENODEV, "counters in a form that gwtop does not know (%u in a block, samples of %u)",
            d->info.counters_per_block, d->info.sample_size);
    return true;
}

/* With zeros all three numbers do nothing, whichever call they are; the right one tells the size
 * of what SETUP takes. */
static bool is_perf(struct panthor_run *r, unsigned id) {
    struct panthor_uapi_perf p = {0};
    return host_ioctl(&r->own, r->node, PANTHOR_CALL_PERF(id), &p) == 0 &&
           p.size == sizeof(struct panthor_uapi_setup);
}

static bool find_perf(struct panthor_run *r) {
    static const uint8_t ids[] = {PANTHOR_PERF_V6, PANTHOR_PERF_V5, PANTHOR_PERF_V4};
    const int32_t minor = r->driver.minor;
    unsigned first = PANTHOR_PERF_V6;
    if (minor == 4)
        first = PANTHOR_PERF_V4;
    else if (minor == 6)
        first = PANTHOR_PERF_V5;
    r->driver.perf_id = first;
    if (is_perf(r, first))
        return true;
    for (size_t i = 0; i < sizeof(ids); i++) {
        r->driver.perf_id = ids[i];
        if (ids[i] != first && is_perf(r, ids[i]))
            return true;
    }
    return panthor_refuse(r, ENODEV,
                          "the driver describes counters, but no call that gwtop knows "
                          "gives them");
}

/* ---- the GPU and its clocks ------------------------------------------------------------------ */

static bool ask_gpu(struct panthor_run *r) {
    struct panthor_driver *d = &r->driver;
    struct panthor_uapi_timestamp t = {0};
    if (!query(r, PANTHOR_QUERY_GPU, &d->gpu, sizeof(d->gpu)))
        return panthor_refuse(r, errno, "the driver does not say which GPU it has: %s",
                              strerror(errno));
    d->timestamp_bytes = query_size(r, PANTHOR_QUERY_TIMESTAMP);
    if (d->timestamp_bytes > sizeof(t))
        d->timestamp_bytes = sizeof(t);
    if (d->timestamp_bytes < PANTHOR_TIMESTAMP_SHORT ||
        !query(r, PANTHOR_QUERY_TIMESTAMP, &t, d->timestamp_bytes))
        d->timestamp_bytes = 0;
    else
        d->timestamp_hz = t.frequency_hz;
    return true;
}

static void take_folder(void *ctx, struct span name) {
    struct panthor_run *r = ctx;
    int n;
    if (r->clock_path[0] || name.n > PANTHOR_PATH_MAX)
        return;
    n = snprintf(r->clock_path, sizeof(r->clock_path),
                 "sys/class/drm/%s/device/devfreq/%.*s/cur_freq", r->node_name, (int)name.n,
                 name.p);
    if (n < 0 || n >= (int)sizeof(r->clock_path))
        r->clock_path[0] = '\0';
}

static void find_clock(struct panthor_run *r) {
    char path[PANTHOR_PATH_MAX];
    char space[1024];
    r->clock_path[0] = '\0';
    snprintf(path, sizeof(path), "sys/class/drm/%s/device/devfreq", r->node_name);
    int fd = host_open(&r->own, r->own.root_fd, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return;
    (void)host_list(&r->own, fd, space, sizeof(space), take_folder, r);
    host_close(&r->own, fd);
}

static uint64_t clock_hz(struct panthor_run *r) {
    char text[32];
    uint64_t hz = 0;
    ssize_t n = r->clock_path[0]
                    ? host_slurp(&r->own, r->own.root_fd, r->clock_path, text, sizeof(text))
                    : 0;
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    return n > 0 && span_to_u64((struct span){text, (size_t)n}, &hz) == ERR_OK ? hz : 0;
}

void panthor_clock_say(struct panthor_run *r, struct buf *out) {
    struct panthor_uapi_timestamp t = {0};
    const uint32_t n = r->driver.timestamp_bytes;
    uint64_t hz = clock_hz(r);
    if (n == sizeof(t))
        t.flags = PANTHOR_TIMESTAMP_TIME | PANTHOR_TIMESTAMP_CYCLES | PANTHOR_TIMESTAMP_FREQUENCY;
    if (n == 0 || !query(r, PANTHOR_QUERY_TIMESTAMP, &t, n))
        t = (struct panthor_uapi_timestamp){0};
    if (t.timestamp == 0 && hz == 0)
        return;
    buf_text(out, "clock cycles=");
    buf_u64(out, t.timestamp ? t.cycles : 0);
    buf_text(out, " timestamp=");
    buf_u64(out, t.timestamp);
    buf_text(out, " freq_hz=");
    buf_u64(out, hz);
    buf_char(out, '\n');
}

/* A clock of its own: what the GPU counted before is of nobody. Where much time went by between the asking and the
 * look at the clock, nobody knows when counting began: then no time is told, and the next sample has no rates. */
void panthor_start_say(struct panthor_run *r, int64_t asked_ns, const struct frame_sink *sink) {
    if (!sink || !r->subject)
        return;
    buf_clear(&r->body);
    panthor_clock_say(r, &r->body);
    if (clock_mono_ns() - asked_ns > START_MOST_NS)
        buf_clear(&r->body);
    buf_text(&r->body, "clock start\n");
    if (!r->body.failed)
        host_emit(sink, r->subject, PANTHOR_RING, clock_mono_ns(), r->body.p, (ssize_t)r->body.n,
                  0);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const char *interface_name(const struct panthor_driver *d) {
    if (d->perf_query != PANTHOR_QUERY_PERF)
        return "rebased";
    if (d->perf_id == PANTHOR_PERF_V4)
        return "v4";
    return d->perf_id == PANTHOR_PERF_V5 ? "v5" : "v6";
}

static void put_hex(struct buf *b, const char *key, uint64_t value) {
    if (value == 0)
        return;
    buf_text(b, key);
    buf_text(b, "=0x");
    buf_hex(b, value, 1);
    buf_char(b, '\n');
}

static bool put_facts(struct panthor_run *r) {
    const struct panthor_driver *d = &r->driver;
    struct buf *b = &r->facts;
    buf_clear(b);
    panthor_layout_say((struct span){(const char *)&d->info, sizeof(d->info)}, b);
    put_hex(b, "gpu_id", d->gpu.gpu_id);
    put_hex(b, "l2_features", d->gpu.l2_features);
    put_hex(b, "shader_present", d->gpu.shader_present);
    if (d->timestamp_hz > 0)
        facts_put_u64(b, "timestamp_hz", d->timestamp_hz);
    facts_put(b, "interface", span_of(interface_name(d)));
    buf_char(b, '\0');
    return !b->failed || panthor_refuse(r, ENOMEM, "%s", err_text(ERR_NOMEM));
}

bool panthor_probe_node(struct panthor_run *r) {
    r->driver = (struct panthor_driver){0};
    if (!same_order(r) || !open_node(r) || !ask_version(r) || !find_info(r) || !find_perf(r) ||
        !ask_gpu(r))
        return false;
    find_clock(r);
    return put_facts(r);
}
