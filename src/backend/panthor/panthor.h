/*
 * The panthor backend: counter sessions of Mali GPUs with a command stream frontend, and what the drivers of Mali GPUs
 * (panthor, panfrost, lima) leave in sysfs. Kinds of frames, within this folder.
 */
#ifndef GWTOP_BACKEND_PANTHOR_H
#define GWTOP_BACKEND_PANTHOR_H

#include "gwtop/core.h"

enum {
    /* Samples as they stand in the ring, back to back; a frame may be cut anywhere. A file begins with the 44 bytes of
     * PERF_INFO and holds nothing else. Live these are the fact info= (ring.h), and before each sample there may be
     * a line of what the driver said right after it was taken (0: not told):
     *   clock cycles=N timestamp=N freq_hz=N\n
     * cycles and timestamp are the GPU's own counts at one time, freq_hz its clock then. Where counting was stopped and
     * started again such a line (or none) stands in front of one more, and what the next sample covers begins there:
     *   clock start\n */
    PANTHOR_RING = FRAME_BACKEND,
    PANTHOR_SYSFS, /* small files: devfreq, operating points, thermal zone, the profiling knob (sensors.h) */
    PANTHOR_SCHED  /* one page of the kernel's trace ring buffer, with events of the GPU scheduler (sched.h) */
};

extern const struct fold panthor_ring_fold;
extern const struct vendor_file panthor_ring_file;
void panthor_sysfs_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                          struct counts *counts);

/* Facts of its subject: those of sched_layout_read (sched.h), clock= (mono: that of frames; cycles: stamps are no times),
 * dev= the kernel's name of the device. Where it has a parent the jobs are of that one. */
extern const struct fold panthor_sched_fold;

extern const struct backend backend_panthor;
bool panthor_probe(const struct host *host, const struct device_info *device);
enum err panthor_open(struct host *host, const struct device_info *device, struct source **out);
void panthor_check(struct host *host, const struct device_info *device,
                   const struct check_sink *sink);

/* collect_session.c: the counter session of one device, once in a program's life; a part of panthor_open's source. */
struct panthor_session;
/* *out is NULL where nobody asked for counters (the machine's fact option.counters); the others accept that. */
enum err panthor_session_create(struct host *h, const struct subject *device,
                                struct panthor_session **out);
/* Probes and sets up what is not there yet, asks for a sample, hands on those that are there. */
void panthor_session_read(struct panthor_session *s, int64_t now_ns, const struct frame_sink *sink);
int panthor_session_fd(const struct panthor_session *s); /* for poll, or -1 */
void panthor_session_destroy(struct panthor_session *s); /* STOP, one TEARDOWN; accepts NULL */

/* collect_knob.c: the `profiling` knob of the device, with --set-profiling: set, and put back at the end. */
struct panthor_knob;
/* *out is NULL for drivers that have none; the others accept that. */
enum err panthor_knob_create(struct host *h, const char *sys_path, const char *driver,
                             struct panthor_knob **out);
/* A frame of kind PANTHOR_SYSFS about `stream`, "profiling=0\n": what the file says now; none where it says nothing. */
void panthor_knob_read(struct panthor_knob *k, const struct subject *stream,
                       const struct frame_sink *sink);
void panthor_knob_destroy(struct panthor_knob *k); /* puts it back; accepts NULL */

/* collect_sched.c: trace points of the GPU scheduler, with --tracefs. */
struct panthor_sched;
/* *out is NULL for drivers that tell more themselves, and where nobody asked; the others accept that. `sys_path` is
 * borrowed for good. */
enum err panthor_sched_create(struct host *h, const struct subject *device, const char *sys_path,
                              const char *driver, struct panthor_sched **out);
/* Makes the instance, or a frame of each page that waits in it, about a stream of its own below `parent`. */
void panthor_sched_read(struct panthor_sched *s, const struct subject *parent,
                        const struct frame_sink *sink);
void panthor_sched_destroy(struct panthor_sched *s); /* removes the instance; accepts NULL */

#endif
