/*
 * Events of the kernel's GPU scheduler, within this folder: who had which ring of a lima GPU when. Pure.
 *
 * Of a job the system "gpu_scheduler" tells when it was queued, in the thread that asked for it, when it was handed to
 * its ring, and when its fence was signalled. Until Linux 6.15 the events are drm_sched_job, drm_run_job and
 * drm_sched_process_job, and a job is known by the address of its fence, which is used anew; from 6.16 on they are
 * drm_sched_job_queue, drm_sched_job_run and drm_sched_job_done, and it is known by the context and number of its
 * fence. The first two hold the name of the ring (before 5.18 only where the name was in memory: such events are not
 * read), newer ones that of the device too; the last one holds the fence alone. Schedulers of all GPUs post the same events.
 */
#ifndef GWTOP_BACKEND_PANTHOR_SCHED_H
#define GWTOP_BACKEND_PANTHOR_SCHED_H

#include "../tracing.h"
#include "panthor.h"

enum { SCHED_QUEUE, SCHED_RUN, SCHED_DONE, SCHED_EVENTS };
enum { SCHED_OLD, SCHED_NEW, SCHED_DIALECTS };
/* Folders of the events in tracefs and in each instance. */
extern const char *const sched_folders[SCHED_DIALECTS][SCHED_EVENTS];

struct sched_layout {
    struct trace_pages pages;
    unsigned dialect;
    struct trace_event_layout events[SCHED_EVENTS];
};
/*
 * Facts: those of trace_pages_read (tracing.h), and queue.id, run.id and done.id with fields as "offset,size,signed":
 * queue.common_pid; of all three .fence, or .fence_context and .fence_seqno; of the first two .name, and with
 * contexts .dev. False where one is missing.
 */
bool sched_layout_read(struct sched_layout *l, const char *facts);
/* Says the facts of one event by its `format`. */
void sched_event_say(struct buf *facts, unsigned dialect, unsigned event, struct span format);

/* lima's rings: gp does geometry, pp, which is all its fragment cores together, pixels. One job at a time each. */
enum { SCHED_GP, SCHED_PP, SCHED_RINGS };
extern const char *const sched_rings[SCHED_RINGS];

struct sched_event {
    int64_t t_ns;
    uint64_t fence[2];
    int32_t pid;  /* of the thread that queued it; 0 not told */
    uint8_t what; /* SCHED_QUEUE... */
    uint8_t ring; /* not of SCHED_DONE */
};
/* False: of another event, ring or device (`dev`: its name, as far as records tell it), or too short for its fields. */
bool sched_record_event(const struct sched_layout *l, struct span dev, struct span payload,
                        struct sched_event *out);

#endif
