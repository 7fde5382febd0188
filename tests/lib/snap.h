/*
 * Snapshots written by hand, of any size, for tests of the table and the screen. Parts are added in
 * order: a device, then its engines, memory and metrics; a process, then its engines, memory and clients.
 */
#ifndef TEST_SNAP_H
#define TEST_SNAP_H

#include "gwtop/snapshot.h"

struct snap {
    struct snapshot s; /* complete after snap_get() */
    struct snap_device *devices;
    struct snap_process *processes;
    struct snap_unattributed *unattributed;
    struct snap_client *clients;
    struct snap_engine *engines;
    struct snap_memory *memory;
    struct snap_metric *metrics;
    struct snap_context *contexts;
    uint32_t caps[8];
};

/* No device, no process; the second tick, 14:22:05 UTC, one second after the first. */
void snap_init(struct snap *b);
void snap_finish(struct snap *b);
/* The snapshot of what was added; valid until more is added. */
const struct snapshot *snap_get(struct snap *b);

struct value snap_value(int64_t v);
struct value snap_none(enum state state);
struct real snap_real(double v);
struct value snap_doubted(int64_t v);
struct text_ref snap_text(struct snap *b, const char *text);

/* Pointers are valid until the next of their kind is added. Active, no clients, busy not yet known. */
struct snap_device *snap_device(struct snap *b, const char *id, const char *name,
                                const char *driver);
/* Of user "user", not exited, one client; all numbers unsupported. Empty texts for "". */
struct snap_process *snap_process(struct snap *b, int32_t pid, uint32_t device, const char *name,
                                  const char *command);
struct snap_unattributed *snap_loose(struct snap *b, uint32_t device, const char *name);
/* Of the process added last. */
struct snap_client *snap_client(struct snap *b, uint64_t id, const char *name);
/* To a run whose last element is the newest of all, or that is empty. */
struct snap_engine *snap_engine(struct snap *b, struct run *run, enum engine_class class,
                                struct value busy_ppm);
struct snap_memory *snap_memory(struct snap *b, struct run *run, const char *region,
                                struct value resident);
/* From the field of this name of gpu_metrics. */
struct snap_metric *snap_metric(struct snap *b, struct run *run, unsigned metric, unsigned index,
                                struct value value, const char *field);

/* Its counters are added to its run afterwards. */
struct snap_context *snap_context(struct snap *b, struct run *run, uint64_t context,
                                  struct value busy_ppm);

#endif
