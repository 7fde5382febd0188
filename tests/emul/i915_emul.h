/*
 * An emulated i915 for the real program: a library that is preloaded, answers for DRM nodes of a
 * tree of files and plays the kernel's side of the perf stream (OA), with faults by a script.
 * Written from descriptions of the kernel's interface, apart from the program it tests, so that
 * one misreading does not stand on both sides.
 *
 * Script: "platform=skl;busy=40;lost=5" (see script_fields). GWTOP_EMUL_DUMP: a file for the records.
 *
 * Which metric sets the kernel knows is what DIR/sys/class/drm/cardN/metrics says; what is
 * uploaded appears there.
 */
#ifndef I915_EMUL_H
#define I915_EMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "emul.h"

/* ---- script (i915_script.c) ---------------------------------------------------------------- */

#define SCRIPT_NEVER UINT64_C(0)
/* Ordinals count from 1 over the whole run; 0: never. */
struct script {
    const struct platform *platform;
    uint64_t busy_pct;    /* share of time in which the GPU works */
    uint64_t contexts;    /* that take turns */
    uint64_t revision;    /* of the perf interface; 0: the kernel does not say */
    uint64_t no_oa_rate;  /* parameter 57 is not known */
    uint64_t no_cs_rate;  /* nor 51 */
    uint64_t no_topology; /* nor the topology, nor the number of EUs */
    uint64_t paranoid;    /* no right to the stream */
    uint64_t deny;        /* the node cannot be opened */
    uint64_t no_unit;     /* a GPU without OA */
    uint64_t other;       /* so many opens find another program's stream */
    uint64_t lost;        /* this report is lost */
    uint64_t lost_each;   /* and each Nth */
    uint64_t overflow;    /* before this report the ring runs over */
    uint64_t twin;        /* this report comes twice */
    uint64_t blank;       /* this report has no timestamp */
    uint64_t eio;         /* this read fails */
    uint64_t eagain;      /* this read finds nothing, whatever poll said */
    uint64_t eintr;       /* a signal comes in between */
    uint64_t false_poll;  /* so many times poll tells of reports that are not there */
    uint64_t partial;     /* a read gives one record at most */
    uint64_t die;         /* from this read on the stream is dead */
    uint64_t gone;        /* from this read on the device is gone */
    uint64_t cycle_ms;    /* in which each context has its turn */
};
extern struct script script;

void script_read(void);

/* ---- platforms and what their GPU does (i915_model.c) ---------------------------------------- */

struct platform {
    const char *name;
    uint16_t pci;
    unsigned eu; /* of one slice with `subslices` parts, evenly spread */
    unsigned subslices;
    uint64_t oa_hz; /* of report timestamps */
    uint64_t cs_hz; /* of the command streamer's */
    uint64_t core_hz;
    uint32_t formats; /* bit per format that PERF_OPEN takes */
    bool haswell;     /* no contexts, no flex registers, no right needed for less */
    bool xe_hp;       /* the valid bit marks switches only */
    unsigned context_shift;
    const char *render_basic; /* UUIDs */
    const char *test_oa;
    const struct meaning *meaning; /* of counters in RenderBasic; up to a kind of 0 */
};
const struct platform *platform_find(const char *name, size_t n);

/* What a metric set has programmed. */
enum programmed { SET_FULL, SET_FLEX_ONLY, SET_TEST };

/* Time is in ticks of the timestamp since the GPU began, so that its low 32 bits are a report's. */
uint64_t model_ticks(int64_t ns);
int64_t model_ns(uint64_t ticks);
/* The next report after `after`: a timer's or one of a switch. */
uint64_t model_next(uint64_t after, unsigned exponent);

enum { NO_CONTEXT = -1 };
int model_owner(uint64_t ticks); /* number of the context at work, or NO_CONTEXT */
uint32_t model_context_id(int owner);
uint64_t model_busy_ticks(uint64_t ticks);  /* since the beginning */
uint64_t model_eu_ticks(uint64_t ticks);    /* the same for an EU: while it is active */
uint64_t model_core_clocks(uint64_t ticks); /* of so many ticks */
size_t model_report_size(unsigned format);
void model_report(unsigned format, enum programmed set, unsigned exponent, uint64_t ticks,
                  uint8_t *out);

/* ---- metric sets (i915_sets.c) --------------------------------------------------------------- */

void sets_begin(const char *node); /* of the tree that the node is in */
bool sets_folder(void);            /* whether the kernel's folder of metric sets is there */
/* The set's UUID (37 bytes) too. */
bool sets_find(uint64_t id, enum programmed *set, char uuid[37]);
int sets_query(void *arg); /* of struct drm_i915_query_item, kind perf config */
int sets_add(const void *arg);
int sets_remove(const void *arg);
void sets_leave(void); /* says what was uploaded and is still there */

/* ---- the node and the stream (i915_node.c, i915_stream.c) ------------------------------------ */

enum { NOT_SUPPORTED = 524 }; /* the kernel's own ENOTSUPP, that no C library has a word for */

/* As the system call: -1 with errno. */
int node_ioctl(unsigned long request, void *arg);
size_t node_topology(uint8_t *to); /* of at most 256 bytes; its size */

/* i915_open.c: what PERF_OPEN is asked for. */
struct properties {
    uint64_t sample_oa;
    uint64_t set;
    uint64_t format;
    uint64_t exponent;
    uint64_t poll_ns;
    bool has_exponent;
    uint32_t seen; /* bit per property */
};
/* The errno; 0: it may be. */
int open_check(const void *arg, struct properties *p, enum programmed *set, char uuid[37]);

int stream_open(const void *arg);
bool stream_is(int fd);
int stream_ioctl(unsigned long request, uintptr_t arg);
ssize_t stream_read(int fd, void *to, size_t n);
void stream_closing(int fd);
bool stream_lives(void); /* somebody has it open */
bool device_gone(void);
void stream_leave(void); /* totals, and a stream that is still open */

/* ---- a copy of the records (i915_dump.c) ----------------------------------------------------- */

void dump_begin(int64_t ns, unsigned format, const char *set_uuid);
void dump_records(int64_t ns, const void *bytes, size_t n);

#endif
