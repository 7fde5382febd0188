/* The script of the emulated panthor, and what the kernels are like. */
#include "panthor_emul.h"

#include <stdlib.h>
#include <string.h>

struct script script;

static const struct version versions[] = {
    {.name = "v3", .minor = 4, .perf_id = 13, .perf_query = 4, .info_bytes = 40},
    {.name = "v4",
     .minor = 4,
     .perf_id = 13,
     .perf_query = 4,
     .info_bytes = 44,
     .wedges = true,
     .inverted = true,
     .no_shaders = true,
     .keeps_data = true,
     .coarse_mask = true},
    {.name = "v5",
     .minor = 6,
     .perf_id = 15,
     .perf_query = 4,
     .info_bytes = 44,
     .inverted = true,
     .no_shaders = true},
    {.name = "v6", .minor = 8, .perf_id = 17, .perf_query = 4, .info_bytes = 44},
    {.name = "fork",
     .minor = 9,
     .perf_id = 17,
     .perf_query = 4,
     .info_bytes = 44,
     .inverted = true},
    {.name = "rebased",
     .minor = 9,
     .perf_id = 17,
     .perf_query = 5,
     .info_bytes = 44,
     .mmu_query = true,
     .inverted = true},
    {.name = "plain", .minor = 8},
    {.name = "plain-old", .minor = 0},
    {.name = "plain-mmu", .minor = 9, .mmu_query = true},
};

#define FIELD(name)                                                                                \
    { #name, &script.name }
static const struct emul_field script_fields[] = {
    FIELD(shader_present), FIELD(slices),      FIELD(fw_blocks),      FIELD(clock_hz),
    FIELD(busy),           FIELD(mcu),         FIELD(fragment_queue), FIELD(compute_queue),
    FIELD(tiler_queue),    FIELD(tiler),       FIELD(shader),         FIELD(fragment),
    FIELD(non_fragment),   FIELD(execution),   FIELD(read_miss),      FIELD(write_miss),
    FIELD(read_stall),     FIELD(write_stall), FIELD(read_mb),        FIELD(write_mb),
    FIELD(later_busy),     FIELD(later_ms),    FIELD(latency_us),     FIELD(stop_us),
    FIELD(start),          FIELD(taken),       FIELD(perfmon),        FIELD(deny),
    FIELD(fail_setup),     FIELD(no_rate),     FIELD(no_stamp),       FIELD(odd_size),
    FIELD(header),         FIELD(sync_zero),   FIELD(hang),           FIELD(reset),
    FIELD(reset_ms),       FIELD(empty),       FIELD(empty_each),     FIELD(merge),
    FIELD(busy_once),      FIELD(eintr),       FIELD(false_event),    FIELD(gone),
    FIELD(corrupt),        FIELD(junk),
};
#undef FIELD

static const struct version *version_find(const char *name) {
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (strcmp(versions[i].name, name) == 0)
            return &versions[i];
    return NULL;
}

static bool set_word(const char *key, const char *value) {
    if (strcmp(key, "version") == 0)
        return (script.version = version_find(value)) != NULL;
    if (strcmp(key, "gpu") == 0)
        return (script.gpu = gpu_find(value)) != NULL;
    return false;
}

void script_read(void) {
    script = (struct script){.version = version_find("v6"),
                             .gpu = gpu_find("g610"),
                             .shader_present = 0x50005,
                             .slices = 2,
                             .clock_hz = 500000000,
                             .busy = 600,
                             .mcu = 27,
                             .fragment_queue = 856,
                             .compute_queue = 109,
                             .tiler_queue = 129,
                             .tiler = 122,
                             .shader = 933,
                             .fragment = 905,
                             .non_fragment = 214,
                             .execution = 700,
                             .read_miss = 250,
                             .write_miss = 400,
                             .read_stall = 50,
                             .write_stall = 20,
                             .read_mb = 976,
                             .write_mb = 336,
                             .latency_us = 300,
                             .start = 249,
                             .header = 56};
    emul_script_read(script_fields, sizeof script_fields / sizeof script_fields[0], set_word);
    /* A kernel whose blocks are too small for the GPU does not come up at all. */
    if (script.gpu->counters > 64 && script.version->perf_id && script.version->minor != 8)
        abort();
    if (script.slices < 1 || script.slices > 16 || script.taken > SESSIONS ||
        script.fw_blocks > 1 || script.busy > 1000 || script.clock_hz == 0)
        abort();
}
