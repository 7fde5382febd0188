/*
 * The amdgpu backend: its kinds of frames, and what decodes the small files of sysfs, hwmon and KFD. Private to this
 * folder; pure but for what collect.c holds.
 *
 * Subjects are streams. Of a device one for its sensors (and one for pcie_bw, where that is asked for); facts:
 * those of amdgpu.h, subsystem, revision, driver, and apu=1|0: whether processor cores share the chip.
 * `power.socket` of an APU covers these; of a card (apu=0) it is the board's own sensor, which energy may be taken
 * from. On an APU only power.gpu, where it is there, holds the GPU alone.
 * Of a ROCm process one for each GPU that it uses; facts: gpu (KFD's id of it), part (0 but for a further context of
 * the process, or a further partition, on the same device).
 */
#ifndef GWTOP_BACKEND_AMDGPU_DEVICE_H
#define GWTOP_BACKEND_AMDGPU_DEVICE_H

#include "../files.h"

extern const struct backend backend_amdgpu;

/* In the order of the kinds table. */
enum amdgpu_kind {
    AMDGPU_GPU_METRICS = FRAME_BACKEND, /* the binary table */
    AMDGPU_SYSFS,                       /* files.h: files of the device's folder */
    AMDGPU_HWMON,           /* files.h: files of its hwmon folder; a label goes with its sensor */
    AMDGPU_KFD,             /* files.h: files of /sys/class/kfd/kfd/proc/PID; "queues": how many */
    AMDGPU_PCIE_BW,         /* the text of pcie_bw */
    AMDGPU_GPU_METRICS_FLOW /* the binary table of devices whose table holds running times */
};

/* collect.c: contracts as in struct backend. */
bool amdgpu_probe(const struct host *host, const struct device_info *device);
enum err amdgpu_open(struct host *host, const struct device_info *device, struct source **out);
void amdgpu_check(struct host *host, const struct device_info *device,
                  const struct check_sink *sink);

/* Ranks among the sources of one metric; gpu_metrics has 10, and 3 where it is known to be worse. */
enum {
    AMD_RANK_LEVELS_LINK = 2, /* pp_dpm_pcie: what was asked for, not what is */
    AMD_RANK_LEVELS = 4,      /* pp_dpm_*: deep sleep does not show */
    AMD_RANK_SYSFS = 5,
    AMD_RANK_HWMON = 6
};

/* Decoders of one kind each. */
void amdgpu_sysfs_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                         struct counts *counts);
void amdgpu_hwmon_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                         struct counts *counts);
void amdgpu_kfd_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                       struct counts *counts);
void amdgpu_pcie_bw_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                           struct counts *counts);

/* ---- for the collector, which must know what a file is good for ---------------------------------------- */

/* The metric that the file is read for in each tick; METRIC_COUNT: none, or not one that moves. */
enum metric amdgpu_sysfs_metric(struct span name);
/* `label`: of its label file; empty where there is none. */
enum metric amdgpu_hwmon_metric(struct span name, struct span label);
/* "temp1_label" for any file of temp1; empty (n 0) where sensors of this sort have none. */
struct span amdgpu_hwmon_label(struct span name, char out[24]);
/* By the PCI ids of the facts; -1: not a chip that is known. */
int amdgpu_is_apu(const char *facts);

#endif
