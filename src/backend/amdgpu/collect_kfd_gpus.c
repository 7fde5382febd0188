/*
 * Which GPUs KFD knows, and which device each of them is: /sys/class/kfd/kfd/topology has one folder for each
 * processor and each GPU, or part of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tell.h"
#include "collect.h"

#define NODES_FOLDER "sys/class/kfd/kfd/topology/nodes"
#define NODES_NS     INT64_C(10000000000)

enum { DRM_MAJOR = 226, TEXT_BYTES = 4096, NUMBER_BYTES = 64 };

/* One look at all of them. */
struct look {
    struct kfd_gpus *gpus;
    struct host *host;
    int sys; /* why not all were seen; 0: they were */
};

void kfd_miss(int *sys, int why) {
    if (outcome_from_sys(why) != OUTCOME_GONE)
        *sys = why;
}

const struct subject *kfd_gpu_device(const struct kfd_gpu *gpu, struct host *host) {
    return roster_device(host, DRM_MAJOR, gpu->minor);
}

static uint64_t property(struct span text, const char *key) {
    struct cursor c = cursor_over(text);
    struct span line;
    while (cursor_line(&c, &line)) {
        struct cursor words = cursor_over(line);
        struct span word;
        uint64_t value;
        if (cursor_word(&words, &word) && span_equals(word, key) && cursor_word(&words, &word) &&
            span_to_u64(word, &value) == ERR_OK)
            return value;
    }
    return 0;
}

static void note_minor(void *ctx, struct span name) {
    uint32_t *minor = ctx;
    uint64_t number;
    bool render = span_starts(name, "renderD");
    if (!render && !span_starts(name, "card"))
        return;
    if (span_to_u64(span_skip(name, render ? 7 : 4), &number) == ERR_OK && number < UINT32_MAX)
        *minor = (uint32_t)number;
}

/* Older kernels do not name the node: the PCI address leads to it. */
static uint32_t minor_by_location(struct look *k, struct span properties) {
    uint64_t location = property(properties, "location_id");
    uint32_t minor = UINT32_MAX;
    char path[80];
    char space[1024];
    int fd;
    snprintf(path, sizeof(path),
             "sys/bus/pci/devices/%04" PRIx64 ":%02" PRIx64 ":%02" PRIx64 ".%" PRIx64 "/drm",
             property(properties, "domain") & 0xffffffff, location >> 8 & 0xff,
             location >> 3 & 0x1f, location & 7);
    fd = host_open(k->host, k->host->root_fd, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0 || host_list(k->host, fd, space, sizeof(space), note_minor, &minor) < 0)
        kfd_miss(&k->sys, errno);
    host_close(k->host, fd);
    return minor;
}

static void add_gpu(struct kfd_gpus *g, uint64_t id, uint32_t minor) {
    if (vec_reserve((void **)&g->list, &g->cap, g->count + 1, sizeof(*g->list)) == ERR_OK)
        g->list[g->count++] = (struct kfd_gpu){.id = id, .minor = minor};
}

static void number_parts(struct kfd_gpus *g, struct host *host) {
    for (uint32_t i = 0; i < g->count; i++) {
        const struct subject *device = kfd_gpu_device(&g->list[i], host);
        for (uint32_t j = 0; device && j < g->count; j++)
            g->list[i].part +=
                g->list[j].id < g->list[i].id && kfd_gpu_device(&g->list[j], host) == device;
    }
}

static void note_node(void *ctx, struct span name) {
    struct look *k = ctx;
    char path[96];
    char text[TEXT_BYTES];
    struct span properties;
    int64_t id = 0;
    ssize_t n;
    uint32_t minor;
    if (name.n > 8)
        return;
    snprintf(path, sizeof(path), NODES_FOLDER "/%.*s/gpu_id", (int)name.n, name.p);
    n = host_slurp(k->host, k->host->root_fd, path, text, NUMBER_BYTES);
    if (n < 0 && errno != EPERM) /* said of a GPU that is not given to this container */
        kfd_miss(&k->sys, errno);
    if (n <= 0 || number_of_text((struct span){text, (size_t)n}, &id) != ERR_OK || id <= 0)
        return; /* 0: a processor */
    snprintf(path, sizeof(path), NODES_FOLDER "/%.*s/properties", (int)name.n, name.p);
    n = host_slurp(k->host, k->host->root_fd, path, text, sizeof(text));
    if (n < 0)
        kfd_miss(&k->sys, errno);
    properties = (struct span){text, n > 0 ? (size_t)n : 0};
    minor = (uint32_t)(property(properties, "drm_render_minor") & 0xffffffff);
    add_gpu(k->gpus, (uint64_t)id, minor != 0 ? minor : minor_by_location(k, properties));
}

int kfd_gpus_find(struct kfd_gpus *g, struct host *host, int64_t now_ns) {
    char space[4096];
    struct look k = {.gpus = g, .host = host};
    int fd;
    if (g->count > 0 && now_ns < g->due_ns)
        return 0;
    fd = host_open(host, host->root_fd, NODES_FOLDER, O_RDONLY | O_DIRECTORY);
    if (fd >= 0)
        g->count = 0;
    if (fd < 0 || host_list(host, fd, space, sizeof(space), note_node, &k) < 0)
        kfd_miss(&k.sys, errno);
    host_close(host, fd);
    number_parts(g, host);
    g->due_ns = now_ns + (k.sys == 0 ? NODES_NS : 0);
    return k.sys;
}

void kfd_gpus_finish(struct kfd_gpus *g) {
    free(g->list);
    *g = (struct kfd_gpus){0};
}
