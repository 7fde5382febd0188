/* The panthor backend's entry in the table. */
#include "panthor.h"

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

static const uint16_t ring_gives[] = {METRIC_COUNTER_MALI_GPU_BUSY};
static const uint16_t sysfs_gives[] = {METRIC_CLOCK_GFX};

static const struct kind kinds[] = {
    [PANTHOR_RING - FRAME_BACKEND] =
        {
            .name = "panthor-ring",
            .unit = "samples",
            .gives = ring_gives,
            .give_count = COUNT(ring_gives),
            .right = "root or CAP_PERFMON",
            .lost = "hardware counters: queues, shader cores, caches, memory traffic",
            .fold = &panthor_ring_fold,
            .session = true,
            .file = &panthor_ring_file,
        },
    [PANTHOR_SYSFS - FRAME_BACKEND] =
        {
            .name = "sysfs",
            .unit = "files",
            .gives = sysfs_gives,
            .give_count = COUNT(sysfs_gives),
            .lost = "clock, voltage, temperature, whether the driver counts engine time",
            .decode = panthor_sysfs_decode,
        },
    [PANTHOR_SCHED - FRAME_BACKEND] =
        {
            .name = "gpu-scheduler",
            .unit = "records",
            .right = "root, for the trace points in tracefs",
            .lost = "who ran on which ring of a lima GPU",
            .fold = &panthor_sched_fold,
        },
};

const struct backend backend_panthor = {
    .name = "panthor",
    .probe = panthor_probe,
    .open = panthor_open,
    .check = panthor_check,
    .kinds = kinds,
    .kind_count = COUNT(kinds),
};
