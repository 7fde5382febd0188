/*
 * ROCm processes, as /sys/class/kfd lists them: one stream for each process and each GPU that it uses. A process
 * without one descriptor of a DRM node is found here as well.
 *
 * The numbers there are those of the first pid namespace: in another one they would name the wrong processes.
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tell.h"

#define PROC_FOLDER  "sys/class/kfd/kfd/proc"
#define NODES_FOLDER "sys/class/kfd/kfd/topology/nodes"

#define SECOND_NS INT64_C(1000000000)
#define NODES_NS  (10 * SECOND_NS)
#define DETAIL_NS (10 * SECOND_NS) /* occupancy asks each compute unit */

enum { DRM_MAJOR = 226, SPACE_BYTES = 1 << 15, TEXT_BYTES = 4096, NUMBER_BYTES = 64 };

/* A GPU as KFD knows it. */
struct gpu {
    uint64_t id;
    uint32_t minor; /* of a DRM node of its device */
    uint32_t part;  /* how many of the same device have a lesser id */
};

/* A folder of kfd/proc: a process, or a further context of one. */
struct folder_name {
    char text[24];
    int32_t pid;
    uint32_t context;
};

struct use {
    const struct subject *process;
    const struct subject *stream;
    uint64_t start;
    uint64_t gpu;
    uint32_t device; /* subject id */
    uint32_t context;
    int32_t pid;
    uint32_t tick;
    int64_t detail_ns;
};

struct kfd {
    struct source source;
    struct host *host;
    uint16_t backend;
    struct gpu *gpus;
    uint32_t gpu_cap;
    uint32_t gpu_count;
    struct folder_name *names;
    uint32_t name_cap;
    uint32_t name_count;
    struct use *uses;
    uint32_t use_cap;
    uint32_t use_count;
    uint32_t counted; /* by the listing under way */
    struct buf body;
    char *space;
    uint32_t tick;
    int64_t nodes_ns;
    int64_t now_ns;
    const struct frame_sink *sink;
};

/* ---- GPUs ----------------------------------------------------------------------------------------------- */

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
static uint32_t minor_by_location(struct kfd *k, struct span properties) {
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
    if (fd < 0)
        return minor;
    (void)host_list(k->host, fd, space, sizeof(space), note_minor, &minor);
    host_close(k->host, fd);
    return minor;
}

static void add_gpu(struct kfd *k, uint64_t id, uint32_t minor) {
    if (vec_reserve((void **)&k->gpus, &k->gpu_cap, k->gpu_count + 1, sizeof(*k->gpus)) == ERR_OK)
        k->gpus[k->gpu_count++] = (struct gpu){.id = id, .minor = minor};
}

static void number_parts(struct kfd *k) {
    for (uint32_t i = 0; i < k->gpu_count; i++) {
        const struct subject *device = roster_device(k->host, DRM_MAJOR, k->gpus[i].minor);
        for (uint32_t j = 0; device && j < k->gpu_count; j++)
            k->gpus[i].part += k->gpus[j].id < k->gpus[i].id &&
                               roster_device(k->host, DRM_MAJOR, k->gpus[j].minor) == device;
    }
}

static void note_node(void *ctx, struct span name) {
    struct kfd *k = ctx;
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
    if (n <= 0 || number_of_text((struct span){text, (size_t)n}, &id) != ERR_OK || id <= 0)
        return; /* 0: a processor */
    snprintf(path, sizeof(path), NODES_FOLDER "/%.*s/properties", (int)name.n, name.p);
    n = host_slurp(k->host, k->host->root_fd, path, text, sizeof(text));
    properties = (struct span){text, n > 0 ? (size_t)n : 0};
    minor = (uint32_t)(property(properties, "drm_render_minor") & 0xffffffff);
    add_gpu(k, (uint64_t)id, minor != 0 ? minor : minor_by_location(k, properties));
}

static void find_gpus(struct kfd *k) {
    int fd;
    if (k->gpu_count > 0 && k->now_ns < k->nodes_ns)
        return;
    k->nodes_ns = k->now_ns + NODES_NS;
    fd = host_open(k->host, k->host->root_fd, NODES_FOLDER, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return;
    k->gpu_count = 0;
    (void)host_list(k->host, fd, k->space, SPACE_BYTES, note_node, k);
    host_close(k->host, fd);
    number_parts(k);
}

/* ---- processes ------------------------------------------------------------------------------------------ */

/* "1234", or with a sign and a number behind it. */
static void note_folder(void *ctx, struct span name) {
    struct kfd *k = ctx;
    struct folder_name f = {.pid = 0};
    struct cursor c = cursor_over(name);
    uint64_t pid;
    uint64_t context = 0;
    if (name.n >= sizeof(f.text) || cursor_u64(&c, &pid) != ERR_OK || pid == 0 || pid > INT32_MAX)
        return;
    if (!cursor_at_end(&c) &&
        (span_to_u64((struct span){c.p + 1, cursor_left(&c) - 1}, &context) != ERR_OK ||
         context > UINT16_MAX))
        return;
    f.pid = (int32_t)pid;
    f.context = (uint32_t)context;
    memcpy(f.text, name.p, name.n);
    if (vec_reserve((void **)&k->names, &k->name_cap, k->name_count + 1, sizeof(*k->names)) ==
        ERR_OK)
        k->names[k->name_count++] = f;
}

/* False: not all that is there was seen. */
static bool list_processes(struct kfd *k) {
    int fd = host_open(k->host, k->host->root_fd, PROC_FOLDER, O_RDONLY | O_DIRECTORY);
    bool whole;
    k->name_count = 0;
    if (fd < 0)
        return errno == ENOENT;
    whole = host_list(k->host, fd, k->space, SPACE_BYTES, note_folder, k) == 0;
    host_close(k->host, fd);
    return whole;
}

/* False: there is no such process. */
static bool start_of(struct kfd *k, int32_t pid, uint64_t *start) {
    char path[32];
    char text[1024];
    struct proc_stat stat;
    snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
    ssize_t n = host_slurp(k->host, k->host->proc_fd, path, text, sizeof(text));
    (void)proc_stat_read((struct span){text, n > 0 ? (size_t)n : 0}, &stat);
    *start = stat.start_ticks.value;
    return stat.start_ticks.err == ERR_OK;
}

/* ---- the use of one GPU by one process -------------------------------------------------------------------- */

static struct use *find_use(struct kfd *k, const struct folder_name *f, uint64_t start,
                            uint64_t gpu, uint32_t device) {
    for (uint32_t i = 0; i < k->use_count; i++) {
        struct use *u = &k->uses[i];
        if (u->pid == f->pid && u->start == start && u->context == f->context && u->gpu == gpu &&
            u->device == device)
            return u;
    }
    return NULL;
}

static struct use *open_use(struct kfd *k, const struct folder_name *f, uint64_t start,
                            const struct gpu *gpu, const struct subject *device) {
    char facts[64];
    struct use u = {
        .start = start, .gpu = gpu->id, .device = device->id, .context = f->context, .pid = f->pid};
    struct subject like = {.type = SUBJECT_STREAM,
                           .device = device->id,
                           .backend = k->backend,
                           .pid = f->pid,
                           .start = start,
                           .number = gpu->id,
                           .name = "kfd",
                           .facts = facts};
    if (vec_reserve((void **)&k->uses, &k->use_cap, k->use_count + 1, sizeof(*k->uses)) != ERR_OK)
        return NULL;
    snprintf(facts, sizeof(facts), "gpu=%" PRIu64 "\npart=%" PRIu32 "\n", gpu->id,
             f->context << 8 | (gpu->part & 0xff));
    u.process = roster_process_get(k->host, f->pid, start, k->sink, clock_mono_ns());
    if (!u.process)
        return NULL;
    like.parent = u.process->id;
    u.stream = roster_open(k->host, &like, k->sink, clock_mono_ns());
    if (!u.stream) {
        roster_process_put(k->host, u.process, "closed", k->sink, clock_mono_ns());
        return NULL;
    }
    k->uses[k->use_count] = u;
    return &k->uses[k->use_count++];
}

static void close_use(struct kfd *k, uint32_t at, const char *reason) {
    struct use *u = &k->uses[at];
    roster_close(k->host, u->stream, reason, k->sink, clock_mono_ns());
    roster_process_put(k->host, u->process, reason, k->sink, clock_mono_ns());
    *u = k->uses[--k->use_count];
}

/* Adds a file to the body; its number, 0 where it has none. -1: it could not be read. */
static int64_t put_file(struct kfd *k, const struct folder_name *f, const char *name) {
    char path[128];
    char text[NUMBER_BYTES];
    int64_t number = 0;
    ssize_t n;
    snprintf(path, sizeof(path), PROC_FOLDER "/%s/%s", f->text, name);
    n = host_slurp(k->host, k->host->root_fd, path, text, sizeof(text));
    files_put(&k->body, span_of(name), (struct span){text, n > 0 ? (size_t)n : 0},
              n < 0 ? errno : 0);
    if (n >= 0 && number_of_text((struct span){text, (size_t)n}, &number) != ERR_OK)
        number = 0;
    return n < 0 ? -1 : number;
}

static void count_queue(void *ctx, struct span name) {
    struct kfd *k = ctx;
    (void)name;
    k->counted++;
}

/* What is dear, or of little use to know each second. */
static void put_details(struct kfd *k, const struct folder_name *f, struct use *u) {
    char name[64];
    char count[16];
    int fd;
    if (k->now_ns < u->detail_ns)
        return;
    u->detail_ns = k->now_ns + DETAIL_NS;
    snprintf(name, sizeof(name), "stats_%" PRIu64 "/cu_occupancy", u->gpu);
    (void)put_file(k, f, name);
    snprintf(name, sizeof(name), PROC_FOLDER "/%s/queues", f->text);
    fd = host_open(k->host, k->host->root_fd, name, O_RDONLY | O_DIRECTORY);
    k->counted = 0;
    if (fd < 0 || host_list(k->host, fd, k->space, SPACE_BYTES, count_queue, k) != 0) {
        files_put(&k->body, span_of("queues"), (struct span){"", 0}, errno);
    } else {
        int n = snprintf(count, sizeof(count), "%" PRIu32 "\n", k->counted);
        files_put(&k->body, span_of("queues"), (struct span){count, (size_t)n}, 0);
    }
    host_close(k->host, fd);
}

/* A process has files of each GPU that there is; those it does not use hold zeros. */
static void look_at(struct kfd *k, const struct folder_name *f, uint64_t start,
                    const struct gpu *gpu, const struct subject *device) {
    char name[32];
    struct use *u = find_use(k, f, start, gpu->id, device->id);
    int64_t memory;
    int64_t busy;
    if (u)
        u->tick = k->tick;
    if (roster_asleep(k->host, device))
        return;
    buf_clear(&k->body);
    snprintf(name, sizeof(name), "vram_%" PRIu64, gpu->id);
    memory = put_file(k, f, name);
    snprintf(name, sizeof(name), "sdma_%" PRIu64, gpu->id);
    busy = put_file(k, f, name);
    if (!u && (memory > 0 || busy > 0 || (k->gpu_count == 1 && memory >= 0)))
        u = open_use(k, f, start, gpu, device);
    if (!u)
        return;
    put_details(k, f, u);
    u->tick = memory < 0 && busy < 0 ? k->tick - 1 : k->tick;
    if (u->tick == k->tick && !k->body.failed)
        host_emit(k->sink, u->stream, AMDGPU_KFD, clock_mono_ns(), k->body.p, (ssize_t)k->body.n,
                  0);
}

static void visit(struct kfd *k, const struct folder_name *f) {
    uint64_t start;
    if (!start_of(k, f->pid, &start))
        return;
    for (uint32_t i = 0; i < k->gpu_count; i++) {
        const struct subject *device = roster_device(k->host, DRM_MAJOR, k->gpus[i].minor);
        if (device)
            look_at(k, f, start, &k->gpus[i], device);
    }
}

/* ---- the source ---------------------------------------------------------------------------------------------- */

static void close_unmet(struct kfd *k) {
    for (uint32_t i = k->use_count; i > 0; i--) {
        struct use *u = &k->uses[i - 1];
        uint64_t start;
        if (u->tick == k->tick)
            continue;
        bool lives = start_of(k, u->pid, &start) && start == u->start;
        close_use(k, i - 1, lives ? "closed" : "exited");
    }
}

static enum err kfd_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct kfd *k = (struct kfd *)s;
    bool whole;
    k->tick++;
    k->now_ns = now_ns;
    k->sink = sink;
    whole = list_processes(k);
    if (k->name_count > 0)
        find_gpus(k);
    for (uint32_t i = 0; i < k->name_count; i++)
        visit(k, &k->names[i]);
    if (whole)
        close_unmet(k);
    return ERR_OK;
}

static void kfd_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static void kfd_close(struct source *s) {
    struct kfd *k = (struct kfd *)s;
    if (!k)
        return;
    free(k->gpus);
    free(k->names);
    free(k->uses);
    free(k->space);
    buf_finish(&k->body);
    free(k);
}

static const struct source_ops ops = {.poll = kfd_poll, .read = kfd_read, .close = kfd_close};

static bool pids_are_ours(const struct host *h) {
    static const char first[] = "pid:[4026531836]"; /* the kernel's fixed number of the first one */
    char link[32];
    ssize_t n;
    if (h->rooted || h->proc_fd < 0)
        return h->rooted;
    n = h->io->readlink(h->io->ctx, h->proc_fd, "self/ns/pid", link, sizeof(link));
    return n < 0 || ((size_t)n == sizeof(first) - 1 && memcmp(link, first, sizeof(first) - 1) == 0);
}

bool kfd_probe(const struct host *host) {
    struct stat st;
    return host->io->stat(host->io->ctx, host->root_fd, PROC_FOLDER, &st, 0) == 0 &&
           host->proc_fd >= 0 && pids_are_ours(host);
}

enum err kfd_open(struct host *host, struct source **out) {
    struct kfd *k = calloc(1, sizeof(*k));
    if (!k)
        return ERR_NOMEM;
    k->source.ops = &ops;
    k->host = host;
    k->backend = (uint16_t)roster_backend(host, &backend_amdgpu);
    buf_init(&k->body);
    k->space = malloc(SPACE_BYTES);
    if (!k->space) {
        kfd_close(&k->source);
        return ERR_NOMEM;
    }
    *out = &k->source;
    return ERR_OK;
}
