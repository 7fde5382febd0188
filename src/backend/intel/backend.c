/* The intel backend's entry in the table. */
#include "intel.h"

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

static const uint16_t sysfs_gives[] = {METRIC_CLOCK_GFX, METRIC_CLOCK_GT};
static const uint16_t hwmon_gives[] = {METRIC_ENERGY_CARD, METRIC_TEMPERATURE_PKG,
                                       METRIC_FAN_SPEED};
static const uint16_t rapl_gives[] = {METRIC_ENERGY_GPU, METRIC_ENERGY_PKG};
static const uint16_t oa_gives[] = {METRIC_COUNTER_GPU_BUSY};

static const struct kind kinds[] = {
    [INTEL_PERF - FRAME_BACKEND] =
        {
            .name = "i915-perf",
            .unit = "records",
            .gives = oa_gives,
            .give_count = COUNT(oa_gives),
            .right = "root or CAP_PERFMON, or the sysctl dev.i915.perf_stream_paranoid at 0",
            .lost = "hardware counters, and contexts on the device",
            .fold = &intel_perf_fold,
            .session = true,
            .file = &intel_perf_file,
        },
    [INTEL_OA_RFC - FRAME_BACKEND] =
        {
            .name = "i915-oa-rfc",
            .unit = "records",
            .fold = &intel_rfc_fold,
            .file = &intel_rfc_file,
        },
    [INTEL_OA_STREAM - FRAME_BACKEND] =
        {
            .name = "i915-oa-stream",
            .unit = "records",
            .fold = &intel_stream_fold,
            .file = &intel_stream_file,
        },
    [INTEL_SYSFS - FRAME_BACKEND] =
        {
            .name = "sysfs",
            .unit = "files",
            .gives = sysfs_gives,
            .give_count = COUNT(sysfs_gives),
            .lost = "clocks, throttle reasons, how long the GPU slept",
            .fold = &intel_sysfs_fold,
            .passive = true,
        },
    [INTEL_HWMON - FRAME_BACKEND] =
        {
            .name = "hwmon",
            .unit = "files",
            .gives = hwmon_gives,
            .give_count = COUNT(hwmon_gives),
            .lost = "energy, power limits, temperatures, voltages, fans",
            .decode = intel_hwmon_decode,
        },
    [INTEL_RAPL - FRAME_BACKEND] =
        {
            .name = "rapl",
            .unit = "counters",
            .gives = rapl_gives,
            .give_count = COUNT(rapl_gives),
            .right = "root or CAP_PERFMON, or the sysctl kernel.perf_event_paranoid at 0",
            .lost = "power of the package and of its graphics part",
            .fold = &intel_rapl_fold,
            .passive = true,
        },
    [INTEL_PMU - FRAME_BACKEND] =
        {
            .name = "pmu",
            .unit = "counters",
            .right = "root or CAP_PERFMON, or the sysctl kernel.perf_event_paranoid at 0",
            .lost = "how busy each engine is, whoever uses it",
            .fold = &intel_pmu_fold,
            .passive = true,
        },
};

const struct backend backend_intel = {
    .name = "intel",
    .probe = intel_probe,
    .open = intel_open,
    .check = intel_check,
    .kinds = kinds,
    .kind_count = COUNT(kinds),
};
