/*
 * Feeds accounting as a bus would, without decoder or source: frames, samples and labels of a
 * machine that a test makes up. And what a test looks for in a snapshot.
 */
#ifndef GWTOP_TEST_ACCT_FEED_H
#define GWTOP_TEST_ACCT_FEED_H

#include "gwtop/acct.h"

/* Nanoseconds of a second. */
#define SEC INT64_C(1000000000)
#define MIB INT64_C(1048576)

enum { FEED_SUBJECTS = 8192 };

struct acct_feed {
    struct acct *acct;
    struct subscriber out;
    struct subject subjects[FEED_SUBJECTS]; /* by id */
};

/* One thing that a text says. A list of them ends with one whose name is NULL. */
struct say {
    uint16_t metric;
    const char *name;
    int64_t value;
    uint8_t state; /* 0 here is STATE_VALUE */
};
#define SAYS(...) ((const struct say[]){__VA_ARGS__, {0, NULL, 0, 0}})
#define ENGINE(name, ns)                                                                           \
    { METRIC_ENGINE_TIME, name, ns, 0 }
#define CAPACITY(name, n)                                                                          \
    { METRIC_ENGINE_CAPACITY, name, n, 0 }
#define CYCLES(name, n)                                                                            \
    { METRIC_ENGINE_CYCLES, name, n, 0 }
#define CLOCK(name, n)                                                                             \
    { METRIC_ENGINE_CYCLES_TOTAL, name, n, 0 }
#define MAXFREQ(name, hz)                                                                          \
    { METRIC_ENGINE_MAXFREQ, name, hz, 0 }
#define PERCENT(name, ppm)                                                                         \
    { METRIC_ENGINE_BUSY, name, ppm, 0 }
#define RESIDENT(name, bytes)                                                                      \
    { METRIC_MEMORY_RESIDENT, name, bytes, 0 }
#define SHARED(name, bytes)                                                                        \
    { METRIC_MEMORY_SHARED, name, bytes, 0 }
#define TOTAL(name, bytes)                                                                         \
    { METRIC_MEMORY_TOTAL, name, bytes, 0 }
#define PURGEABLE(name, bytes)                                                                     \
    { METRIC_MEMORY_PURGEABLE, name, bytes, 0 }
#define LEGACY(name, bytes)                                                                        \
    { METRIC_MEMORY_LEGACY, name, bytes, 0 }

/* Heap; options may be NULL. */
struct acct_feed *feed_create(const struct acct_options *o);
void feed_destroy(struct acct_feed *f);
/* The newest snapshot. */
const struct snapshot *feed_snapshot(const struct acct_feed *f);

/* ---- frames ---------------------------------------------------------------------------------- */

/* clk_tck 100, boot at 1,000 s. */
void feed_machine(struct acct_feed *f);
/* Another line of the machine's: "option.counters=1\n". */
void feed_option(struct acct_feed *f, const char *line);
void feed_begin(struct acct_feed *f, int64_t t_ns);
/* A tick's begin by these clocks: since 1970, and since boot. */
void feed_begin_at(struct acct_feed *f, int64_t t_ns, int64_t real_ns, int64_t boot_ns);
void feed_end(struct acct_feed *f, int64_t t_ns, const char *body);
/* name is the device's id; facts as in an open frame. */
void feed_device(struct acct_feed *f, uint32_t id, const char *name, const char *facts);
void feed_process(struct acct_feed *f, uint32_t id, int32_t pid, uint64_t start);
/* A descriptor of `process` (subject id) on `device` (subject id). */
void feed_holder(struct acct_feed *f, uint32_t id, uint32_t process, uint32_t device);
/* A descriptor of a node that no device is known to have: its facts. */
void feed_stray_holder(struct acct_feed *f, uint32_t id, uint32_t process, const char *facts);
/* What a source says of `device`; pid 0: of all of it, else of one process. `backend` as in struct
 * subject. */
void feed_stream(struct acct_feed *f, uint32_t id, uint32_t device, int32_t pid, uint16_t backend);
/* The same of all of the device, with facts. */
void feed_stream_facts(struct acct_feed *f, uint32_t id, uint32_t device, const char *facts);
void feed_close(struct acct_feed *f, uint32_t id, int64_t t_ns, const char *reason);
void feed_state(struct acct_feed *f, uint32_t id, int64_t t_ns, const char *status);
/* Says that the device is not looked at in this tick though it is awake. */
void feed_left_alone(struct acct_feed *f, uint32_t id, int64_t t_ns);
/* A read of the subject that failed. */
void feed_failed(struct acct_feed *f, uint32_t id, int64_t t_ns, enum outcome outcome);
/* The same with the errno that it failed with. */
void feed_refused(struct acct_feed *f, uint32_t id, int64_t t_ns, int sys);
/* The same of another kind than the first of its backend. */
void feed_failed_kind(struct acct_feed *f, uint32_t id, int64_t t_ns, unsigned kind,
                      enum outcome outcome);

/* ---- texts ----------------------------------------------------------------------------------- */

/* A reading of a holder: a DRM client's text, whole. */
void feed_read(struct acct_feed *f, uint32_t id, int64_t t_ns, uint64_t client,
               const struct say *says);
/* The same with these counts, in a space of its own; driver may be NULL. */
void feed_read_as(struct acct_feed *f, uint32_t id, int64_t t_ns, uint8_t space, uint64_t client,
                  const char *driver, const struct say *says, const struct counts *counts);
/* A whole text that names its driver, and its device where pdev is not NULL. */
void feed_read_named(struct acct_feed *f, uint32_t id, int64_t t_ns, uint64_t client,
                     const char *driver, const char *pdev, const struct say *says);
/* A text of the holder that is no DRM client's. */
void feed_not_drm(struct acct_feed *f, uint32_t id, int64_t t_ns);
void feed_label(struct acct_feed *f, uint32_t id, enum label_kind kind, const char *text);
/* A sample of a process or device of its own. */
void feed_sample(struct acct_feed *f, uint32_t id, int64_t t_ns, enum metric metric, int64_t value);
/* What a frame says of a metric of a device; zeroed fields: the first kind of its backend, a value,
 * of the whole. `part`: 1 + its index. */
struct tell {
    uint16_t metric;
    int64_t value;
    unsigned kind;
    uint8_t rank;
    uint8_t doubt;
    uint8_t state; /* 0 here is STATE_VALUE */
    uint16_t part;
    const char *name;
};
void feed_tell(struct acct_feed *f, uint32_t id, int64_t t_ns, const struct tell *what);
#define TELL(f, id, t_ns, ...) feed_tell(f, id, t_ns, &(const struct tell){__VA_ARGS__})

/* One stretch of busy time that `subject` tells; what is left out: graphics, SPACE_PID, client = pid,
 * the device of the subject. */
void feed_job(struct acct_feed *f, const struct job *j);
#define JOB(f, id, ...) feed_job(f, &(const struct job){.subject = id, __VA_ARGS__})

/* A counter of the context that `of` names, told by subject `id`. */
void feed_counter(struct acct_feed *f, uint32_t id, const struct job *of, enum metric metric,
                  int64_t value, enum state state);

/* ---- what a snapshot holds ------------------------------------------------------------------- */

/* NULL where there is none. */
const struct snap_process *find_process(const struct snapshot *s, int32_t pid);
const struct snap_engine *find_engine(const struct snapshot *s, struct run run, const char *name);
const struct snap_memory *find_memory(const struct snapshot *s, struct run run, const char *region);
const struct snap_metric *find_metric(const struct snapshot *s, struct run run, enum metric metric);
const struct snap_unattributed *find_loose(const struct snapshot *s, const char *name);

/* Asserts (cmocka). */
void check_value(struct value v, int64_t want);
void check_state(struct value v, enum state want);
/* Near enough to `want`: 1e-12 of it. */
void check_real(struct real v, double want);
void check_real_state(struct real v, enum state want);

/* All of it as text, one line an element: two snapshots say the same if their texts are equal. */
void snapshot_print(struct buf *b, const struct snapshot *s);
/* Asserts that both say the same. */
void check_same(const struct snapshot *a, const struct snapshot *b);

#endif
