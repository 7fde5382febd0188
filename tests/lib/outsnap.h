/* A snapshot built by hand, for tests of the outputs. */
#ifndef TEST_OUTSNAP_H
#define TEST_OUTSNAP_H

#include "gwtop/snapshot.h"

#define OUTSNAP_MAX 64
struct outsnap {
    struct snapshot s;
    struct snap_device devices[OUTSNAP_MAX];
    struct snap_process processes[OUTSNAP_MAX];
    struct snap_unattributed unattributed[OUTSNAP_MAX];
    struct snap_engine engines[OUTSNAP_MAX];
    struct snap_memory memory[OUTSNAP_MAX];
    struct snap_metric metrics[METRIC_COUNT];
    struct snap_context contexts[OUTSNAP_MAX];
};

/* An empty machine at its second tick: 2026-03-01T14:22:05.5Z, interval 1 s. */
void outsnap_init(struct outsnap *o);
void outsnap_finish(struct outsnap *o);

struct value outsnap_value(int64_t v);
struct value outsnap_none(enum state state);
struct real outsnap_real(double v);
struct text_ref outsnap_text(struct outsnap *o, const char *text);
struct text_ref outsnap_bytes(struct outsnap *o, const char *p, size_t n);

struct snap_device *outsnap_device(struct outsnap *o, const char *id, const char *name,
                                   const char *driver);
/* All numbers not yet known. */
struct snap_process *outsnap_process(struct outsnap *o, int32_t pid, uint32_t device,
                                     const char *name);
struct snap_unattributed *outsnap_unattributed(struct outsnap *o, uint32_t device,
                                               const char *name);
/* Elements of one run must be added one after another. */
struct snap_engine *outsnap_engine(struct outsnap *o, struct run *run, const char *name,
                                   int64_t busy_ppm, int64_t busy_ns);
struct snap_memory *outsnap_memory(struct outsnap *o, struct run *run, const char *region,
                                   int64_t total, int64_t resident);
/* Counters are added to its run; nothing is known of its busy time. */
struct snap_context *outsnap_context(struct outsnap *o, struct run *run, uint64_t context);
struct snap_metric *outsnap_metric(struct outsnap *o, struct run *run, unsigned metric, int64_t v);

/* What a small machine shows: two devices, one asleep; two processes, one of which is new. */
void outsnap_typical(struct outsnap *o);

#endif
