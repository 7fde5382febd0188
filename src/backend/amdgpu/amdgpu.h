/*
 * amdgpu: what AMD's kernel driver says of a whole device. Private to this folder.
 *
 * Facts of the subject that decide units (all may be missing): pci=1002:15bf, fw.smc=0x0b5d0400
 * (the word of fw_version/smc_fw_version).
 */
#ifndef GWTOP_BACKEND_AMDGPU_H
#define GWTOP_BACKEND_AMDGPU_H

#include "gwtop/core.h"

/*
 * gpu_metrics: the binary table in device/gpu_metrics, all published versions. Its unit is a
 * byte; a table that is not whole and known gives no sample. The name of a sample is the driver's
 * name of the field, `raw` its integer. Pure, stateless, no allocation, linear in the bytes.
 *
 * Running times under a limit (throttle.residency.*) become a share only by two readings: here
 * they are not yet known and raw; the fold below, the same decoder with the reading before, gives
 * the share.
 */
void amdgpu_gpu_metrics_decode(const struct subject *s, const struct frame *f,
                               const struct sink *sink, struct counts *counts);
extern const struct fold amdgpu_gpu_metrics_fold;
/* `gwtop decode gpu-metrics FILE`: the whole file is one reading. */
extern const struct vendor_file amdgpu_gpu_metrics_file;

#endif
