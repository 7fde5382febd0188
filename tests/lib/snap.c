/* Hand-written snapshots. Lack of memory ends the test program. */
#include "snap.h"

#include <stdlib.h>
#include <string.h>

void snap_init(struct snap *b) {
    memset(b, 0, sizeof *b);
    b->s.tick = 2;
    b->s.t_ns = 5000000000;
    b->s.real_ns = INT64_C(1772374925500000000);
    b->s.interval_ns = snap_value(1000000000);
    b->s.cost_cpu_ns = snap_value(420000);
    b->s.cost_syscalls = snap_value(77);
}

void snap_finish(struct snap *b) {
    pool_finish(&b->s.text);
    free(b->devices);
    free(b->processes);
    free(b->unattributed);
    free(b->clients);
    free(b->engines);
    free(b->memory);
    free(b->metrics);
    free(b->contexts);
    memset(b, 0, sizeof *b);
}

const struct snapshot *snap_get(struct snap *b) {
    b->s.devices = b->devices;
    b->s.processes = b->processes;
    b->s.unattributed = b->unattributed;
    b->s.clients = b->clients;
    b->s.engines = b->engines;
    b->s.memory = b->memory;
    b->s.metrics = b->metrics;
    b->s.contexts = b->contexts;
    return &b->s;
}

struct value snap_value(int64_t v) {
    return (struct value){.v = v, .state = STATE_VALUE};
}

struct value snap_none(enum state state) {
    return (struct value){.v = 77777, .state = (uint8_t)state};
}

struct real snap_real(double v) {
    return (struct real){.v = v, .state = STATE_VALUE};
}

struct value snap_doubted(int64_t v) {
    return (struct value){.v = v, .state = STATE_VALUE, .doubt = DOUBT_CLAMPED};
}

struct text_ref snap_text(struct snap *b, const char *text) {
    struct text_ref r = {0, 0};
    if (text[0] && pool_add(&b->s.text, span_of(text), &r) != ERR_OK) {
        abort();
    }
    return r;
}

/* Room for one more; gives the array, which may have moved. */
static void *grown(void *items, uint32_t *cap, uint32_t count, size_t size) {
    if (vec_reserve(&items, cap, count + 1, size) != ERR_OK) {
        abort();
    }
    memset((char *)items + count * size, 0, size);
    return items;
}

struct snap_device *snap_device(struct snap *b, const char *id, const char *name,
                                const char *driver) {
    uint32_t n = b->s.device_count++;
    b->devices = grown(b->devices, &b->caps[0], n, sizeof *b->devices);
    b->devices[n] = (struct snap_device){.subject = 100 + n,
                                         .id = snap_text(b, id),
                                         .slot = snap_text(b, id),
                                         .name = snap_text(b, name),
                                         .driver = snap_text(b, driver)};
    return &b->devices[n];
}

struct snap_process *snap_process(struct snap *b, int32_t pid, uint32_t device, const char *name,
                                  const char *command) {
    struct value none = {.state = STATE_UNSUPPORTED};
    uint32_t n = b->s.process_count++;
    b->processes = grown(b->processes, &b->caps[1], n, sizeof *b->processes);
    b->processes[n] = (struct snap_process){.pid = pid,
                                            .start = 1000 + (uint64_t)pid,
                                            .device = device,
                                            .name = snap_text(b, name),
                                            .command = snap_text(b, command),
                                            .user = snap_text(b, "user"),
                                            .clients = 1,
                                            .start_ns = none,
                                            .busy_ppm = none,
                                            .busy_ns = none,
                                            .cpu_ppm = none,
                                            .rss = none,
                                            .vram = {.bytes = none},
                                            .gtt = {.bytes = none},
                                            .shared = none};
    return &b->processes[n];
}

struct snap_unattributed *snap_loose(struct snap *b, uint32_t device, const char *name) {
    uint32_t n = b->s.unattributed_count++;
    b->unattributed = grown(b->unattributed, &b->caps[2], n, sizeof *b->unattributed);
    b->unattributed[n] = (struct snap_unattributed){.device = device, .name = snap_text(b, name)};
    return &b->unattributed[n];
}

static void extend(struct run *run, uint32_t index) {
    run->first = run->count ? run->first : index;
    run->count++;
}

struct snap_client *snap_client(struct snap *b, uint64_t id, const char *name) {
    uint32_t n = b->s.client_count++;
    b->clients = grown(b->clients, &b->caps[3], n, sizeof *b->clients);
    b->clients[n] = (struct snap_client){.id = id,
                                         .space = SPACE_DRM,
                                         .process = b->s.process_count - 1,
                                         .holders = 1,
                                         .name = snap_text(b, name)};
    extend(&b->processes[b->s.process_count - 1].client_run, n);
    return &b->clients[n];
}

struct snap_engine *snap_engine(struct snap *b, struct run *run, enum engine_class class,
                                struct value busy_ppm) {
    uint32_t n = b->s.engine_count++;
    b->engines = grown(b->engines, &b->caps[4], n, sizeof *b->engines);
    b->engines[n] =
        (struct snap_engine){.class = (uint8_t) class, .capacity = 1, .busy_ppm = busy_ppm};
    extend(run, n);
    return &b->engines[n];
}

struct snap_memory *snap_memory(struct snap *b, struct run *run, const char *region,
                                struct value resident) {
    struct value none = {.state = STATE_UNSUPPORTED};
    uint32_t n = b->s.memory_count++;
    b->memory = grown(b->memory, &b->caps[5], n, sizeof *b->memory);
    b->memory[n] = (struct snap_memory){.region = snap_text(b, region),
                                        .class = (uint8_t)region_class_of(span_of(region)),
                                        .total = none,
                                        .resident = resident,
                                        .shared = none,
                                        .purgeable = none,
                                        .legacy = none};
    extend(run, n);
    return &b->memory[n];
}

struct snap_metric *snap_metric(struct snap *b, struct run *run, unsigned metric, unsigned index,
                                struct value value, const char *field) {
    uint32_t n = b->s.metric_count++;
    b->metrics = grown(b->metrics, &b->caps[6], n, sizeof *b->metrics);
    b->metrics[n] = (struct snap_metric){.value = value,
                                         .metric = (uint16_t)metric,
                                         .index = (uint16_t)index,
                                         .name = snap_text(b, field),
                                         .source = snap_text(b, "gpu-metrics")};
    extend(run, n);
    return &b->metrics[n];
}

struct snap_context *snap_context(struct snap *b, struct run *run, uint64_t context,
                                  struct value busy_ppm) {
    uint32_t n = b->s.context_count++;
    b->contexts = grown(b->contexts, &b->caps[7], n, sizeof *b->contexts);
    b->contexts[n] = (struct snap_context){.context = context, .busy_ppm = busy_ppm};
    extend(run, n);
    return &b->contexts[n];
}
