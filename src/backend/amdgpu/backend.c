/* The amdgpu backend's entry in the table. */
#include "amdgpu.h"
#include "device.h"

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

static const uint16_t table_gives[] = {METRIC_ACTIVITY_GFX, METRIC_CLOCK_GFX, METRIC_POWER_SOCKET};
static const uint16_t sysfs_gives[] = {
    METRIC_ACTIVITY_GFX,    METRIC_MEMORY_VRAM_USED, METRIC_MEMORY_VRAM_TOTAL,
    METRIC_MEMORY_GTT_USED, METRIC_MEMORY_GTT_TOTAL, METRIC_LINK_SPEED,
    METRIC_LINK_WIDTH,
};
static const uint16_t hwmon_gives[] = {
    METRIC_TEMPERATURE_EDGE, METRIC_POWER_SOCKET, METRIC_VOLTAGE_GFX,
    METRIC_CLOCK_GFX,        METRIC_FAN_SPEED,
};
static const uint16_t pcie_gives[] = {METRIC_BANDWIDTH_LINK_RECEIVED, METRIC_BANDWIDTH_LINK_SENT};

static const struct kind kinds[] = {
    [AMDGPU_GPU_METRICS - FRAME_BACKEND] =
        {
            .name = "gpu-metrics",
            .unit = "bytes",
            .gives = table_gives,
            .give_count = COUNT(table_gives),
            .lost = "throttle reasons, averages, processor cores of APUs",
            .decode = amdgpu_gpu_metrics_decode,
            .file = &amdgpu_gpu_metrics_file,
        },
    [AMDGPU_SYSFS - FRAME_BACKEND] =
        {
            .name = "sysfs",
            .unit = "files",
            .gives = sysfs_gives,
            .give_count = COUNT(sysfs_gives),
            .lost = "memory of the device, busy sensors, link",
            .decode = amdgpu_sysfs_decode,
        },
    [AMDGPU_HWMON - FRAME_BACKEND] =
        {
            .name = "hwmon",
            .unit = "files",
            .gives = hwmon_gives,
            .give_count = COUNT(hwmon_gives),
            .lost = "temperatures, power and its limits, voltages, fan",
            .decode = amdgpu_hwmon_decode,
        },
    /* No gives: a process that is not there any more says nothing of a device. */
    [AMDGPU_KFD - FRAME_BACKEND] =
        {
            .name = "kfd",
            .unit = "files",
            .lost = "memory and copy engines of ROCm processes",
            .decode = amdgpu_kfd_decode,
        },
    [AMDGPU_PCIE_BW - FRAME_BACKEND] =
        {
            .name = "pcie-bw",
            .unit = "files",
            .gives = pcie_gives,
            .give_count = COUNT(pcie_gives),
            .lost = "traffic on the link",
            .decode = amdgpu_pcie_bw_decode,
        },
    /* Apart from gpu-metrics, since a device of whose frames one needs memory is never left alone to fall
     * asleep; those that have running times never do. */
    [AMDGPU_GPU_METRICS_FLOW - FRAME_BACKEND] =
        {
            .name = "gpu-metrics-flow",
            .unit = "bytes",
            .gives = table_gives,
            .give_count = COUNT(table_gives),
            .lost = "throttle reasons, averages, processor cores of APUs",
            .fold = &amdgpu_gpu_metrics_fold,
        },
};

const struct backend backend_amdgpu = {
    .name = "amdgpu",
    .probe = amdgpu_probe,
    .open = amdgpu_open,
    .check = amdgpu_check,
    .kinds = kinds,
    .kind_count = COUNT(kinds),
};
