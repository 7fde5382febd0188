/*
 * The everyday sources of Mali GPUs, within this folder: the small files that PANTHOR_SYSFS is made of. Pure.
 *
 * A frame holds one line of the knob, "profiling=N\n" (panthor.h), or files in the form of files.h:
 *
 *   devfreq/cur_freq, target_freq, min_freq, max_freq, available_frequencies    Hz; the last a list
 *   regulator/microvolts      of the regulator that the device hangs on
 *   opp/RATE/u_volt_target    of the operating point of that rate: what the table asks for at that clock. Behind the
 *                             clock that it was chosen for
 *   opp/u_volt_target         only where the table may not be read: why
 *   thermal_zoneN/temp        of a zone that is called after the GPU; the hottest counts
 *
 * The stream's fact: driver.
 */
#ifndef GWTOP_BACKEND_PANTHOR_SENSORS_H
#define GWTOP_BACKEND_PANTHOR_SENSORS_H

#include "panthor.h"

/* Whether a thermal zone of this type is the GPU's: "gpu-thermal", "mali", "soc_gpu0". */
bool panthor_is_gpu_zone(struct span type);

/* Whether a GPU at this clock is at this operating point: dividers miss the rate that was asked for a little. */
bool panthor_is_at_point(uint64_t clock_hz, uint64_t rate_hz);

#endif
