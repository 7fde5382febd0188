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

#define PROC_FOLDER "sys/class/kfd/kfd/proc"
#define DETAIL_NS   INT64_C(10000000000) /* occupancy asks each compute unit */

enum { SPACE_BYTES = 1 << 15, NUMBER_BYTES = 64 };

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
    struct kfd_gpus gpus;
    struct folder_name *names;
    uint32_t name_cap;
    uint32_t name_count;
    struct use *uses;
    uint32_t use_cap;
    uint32_t use_count;
    uint32_t counted; /* by the listing under way */
    int sys;          /* why not all that is there was seen; 0: it was */
    struct buf body;
    char *space;
    uint32_t tick;
    int64_t now_ns;
    const struct frame_sink *sink;
};

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

static void list_processes(struct kfd *k) {
    int fd = host_open(k->host, k->host->root_fd, PROC_FOLDER, O_RDONLY | O_DIRECTORY);
    k->name_count = 0;
    if (fd < 0 || host_list(k->host, fd, k->space, SPACE_BYTES, note_folder, k) < 0)
        kfd_miss(&k->sys, errno);
    host_close(k->host, fd);
}

/* False: there is no such process, or that could not be seen. */
static bool start_of(struct kfd *k, int32_t pid, uint64_t *start) {
    char path[32];
    char text[1024];
    struct proc_stat stat;
    snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
    ssize_t n = host_slurp(k->host, k->host->proc_fd, path, text, sizeof(text));
    if (n < 0)
        kfd_miss(&k->sys, errno);
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
                            const struct kfd_gpu *gpu, const struct subject *device) {
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

/* Adds a file to the body; its number, 0 where it has none. -1 with errno: it could not be read. */
static int64_t put_file(struct kfd *k, const struct folder_name *f, const char *name) {
    char path[128];
    char text[NUMBER_BYTES];
    int64_t number = 0;
    ssize_t n;
    int sys;
    snprintf(path, sizeof(path), PROC_FOLDER "/%s/%s", f->text, name);
    n = host_slurp(k->host, k->host->root_fd, path, text, sizeof(text));
    sys = errno;
    files_put(&k->body, span_of(name), (struct span){text, n > 0 ? (size_t)n : 0}, n < 0 ? sys : 0);
    if (n >= 0 && number_of_text((struct span){text, (size_t)n}, &number) != ERR_OK)
        number = 0;
    errno = sys;
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

/* A process has files of each GPU that there is; those it does not use hold zeros. A use of which nothing could be
 * read goes on, as long as it is not known to be over. */
static void look_at(struct kfd *k, const struct folder_name *f, uint64_t start,
                    const struct kfd_gpu *gpu, const struct subject *device) {
    char name[32];
    struct use *u = find_use(k, f, start, gpu->id, device->id);
    int64_t memory;
    int64_t busy;
    int sys = 0;
    if (u)
        u->tick = k->tick;
    if (roster_asleep(k->host, device))
        return;
    buf_clear(&k->body);
    snprintf(name, sizeof(name), "vram_%" PRIu64, gpu->id);
    memory = put_file(k, f, name);
    if (memory < 0)
        sys = errno;
    snprintf(name, sizeof(name), "sdma_%" PRIu64, gpu->id);
    busy = put_file(k, f, name);
    if (busy < 0 && !host_may_pass(sys))
        sys = errno;
    if (!u && host_may_pass(sys))
        kfd_miss(&k->sys, sys); /* else it is told with the use itself */
    if (!u && (memory > 0 || busy > 0 || (k->gpus.count == 1 && memory >= 0)))
        u = open_use(k, f, start, gpu, device);
    if (!u)
        return;
    put_details(k, f, u);
    u->tick = memory < 0 && busy < 0 && !host_may_pass(sys) ? k->tick - 1 : k->tick;
    if (u->tick == k->tick && !k->body.failed)
        host_emit(k->sink, u->stream, AMDGPU_KFD, clock_mono_ns(), k->body.p, (ssize_t)k->body.n,
                  0);
}

static void visit(struct kfd *k, const struct folder_name *f) {
    uint64_t start;
    if (!start_of(k, f->pid, &start))
        return;
    for (uint32_t i = 0; i < k->gpus.count; i++) {
        const struct kfd_gpu *gpu = &k->gpus.list[i];
        const struct subject *device = kfd_gpu_device(gpu, k->host);
        if (device)
            look_at(k, f, start, gpu, device);
    }
}

/* ---- the source ---------------------------------------------------------------------------------------------- */

static void close_unmet(struct kfd *k) {
    int missed = k->sys;
    for (uint32_t i = k->use_count; i > 0; i--) {
        struct use *u = &k->uses[i - 1];
        uint64_t start;
        if (u->tick == k->tick)
            continue;
        k->sys = 0;
        bool lives = start_of(k, u->pid, &start) && start == u->start;
        if (k->sys != 0 || (lives && missed != 0)) {
            int sys = k->sys != 0 ? k->sys : missed;
            host_emit(k->sink, u->stream, AMDGPU_KFD, clock_mono_ns(), NULL, -1, sys);
            continue;
        }
        close_use(k, i - 1, lives ? "closed" : "exited");
    }
}

static enum err kfd_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct kfd *k = (struct kfd *)s;
    k->tick++;
    k->sys = 0;
    k->now_ns = now_ns;
    k->sink = sink;
    list_processes(k);
    if (k->name_count > 0) {
        int missed = kfd_gpus_find(&k->gpus, k->host, now_ns);
        k->sys = missed != 0 ? missed : k->sys;
    }
    for (uint32_t i = 0; i < k->name_count; i++)
        visit(k, &k->names[i]);
    if (k->sys != 0)
        k->host->tally
            .unreadable[outcome_from_sys(k->sys) == OUTCOME_DENIED ? REASON_DENIED
                                                                   : REASON_FAILED_READ]++;
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
    kfd_gpus_finish(&k->gpus);
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
    bool there = host->io->stat(host->io->ctx, host->root_fd, PROC_FOLDER, &st, 0) == 0 ||
                 outcome_from_sys(errno) != OUTCOME_GONE; /* else the listing says why not */
    return there && host->proc_fd >= 0 && pids_are_ours(host);
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
