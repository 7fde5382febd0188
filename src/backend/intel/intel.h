/*
 * The intel backend: hardware counters and contexts (OA) of i915, live and from files; and what sysfs, hwmon, RAPL and
 * the PMU say of devices of i915 and xe. Kinds of frames, within this folder.
 */
#ifndef GWTOP_BACKEND_INTEL_H
#define GWTOP_BACKEND_INTEL_H

#include "gwtop/core.h"

enum {
    /* Records of an i915 perf stream back to back, as read() gives them, and those that the recorder of IGT writes
     * between them (from type 65536 on): live and from files alike. A frame may be cut anywhere. */
    INTEL_PERF = FRAME_BACKEND,
    INTEL_OA_RFC,    /* records of the perf ring, as the proposal of 2015 had them */
    INTEL_OA_STREAM, /* records of the stream of 2016 and 2017 */
    INTEL_SYSFS,     /* small files of the device's own folder and its GTs */
    INTEL_HWMON,     /* of its hwmon folder */
    INTEL_RAPL,      /* energy of the package and its graphics part */
    INTEL_PMU        /* counters of perf events */
};

/* Folds, each with the facts that oa_device_from_facts (oa.h) lists, and: each=1 says every interval, batch by batch
 * (`gwtop decode`), else counters are summed up over a tick; oa_flags=pid,tag; oa_sample=source,ctx,pid,tag,ts. */
extern const struct fold intel_perf_fold;
extern const struct fold intel_rfc_fold;
extern const struct fold intel_stream_fold;
extern const struct vendor_file intel_perf_file;
extern const struct vendor_file intel_rfc_file;
extern const struct vendor_file intel_stream_file;

void intel_hwmon_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts);
extern const struct fold intel_sysfs_fold;
extern const struct fold intel_rapl_fold;
extern const struct fold intel_pmu_fold;

extern const struct backend backend_intel;

/* One source of a device: its everyday sensors, and the counters where they were asked for. */
bool intel_probe(const struct host *host, const struct device_info *device);
enum err intel_open(struct host *host, const struct device_info *device, struct source **out);
void intel_check(struct host *host, const struct device_info *device,
                 const struct check_sink *sink);

/* collect_oa.c: the stream of hardware counters of one device, for as long as it is open; a part of intel_open's
 * source, which calls read in every tick in which the device is awake. */
struct intel_oa;
/* *out is NULL where nobody asked for counters (the machine's fact option.counters); the others accept that. */
enum err intel_oa_create(struct host *h, const struct subject *device, const char *sys_path,
                         struct intel_oa **out);
/* Opens what is to be opened and hands on what waits. A device without the unit says so once. */
void intel_oa_read(struct intel_oa *oa, int64_t now_ns, const struct frame_sink *sink);
/* The stream's descriptor for poll, or -1. */
int intel_oa_fd(const struct intel_oa *oa);
void intel_oa_destroy(struct intel_oa *oa); /* accepts NULL */

#endif
