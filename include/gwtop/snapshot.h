/*
 * snapshot: one tick of the whole machine, as accounting sees it: flat arrays, and offsets into one text
 * pool. Const for everybody but acct; valid until the next tick but one. Arrays are in key order
 * (devices by index; processes by pid, start, device); whoever wants another order sorts indices.
 */
#ifndef GWTOP_SNAPSHOT_H
#define GWTOP_SNAPSHOT_H

#include "gwtop/core.h"

/* A number that may not be there. `v` is meaningless unless state is STATE_VALUE. A zeroed one is "not yet
 * known". */
struct value {
    int64_t v;
    uint8_t state; /* enum state */
    uint8_t doubt; /* bits of enum doubt */
};

/* The same for sums of products, which are no whole numbers of any unit: PW, PW s, W, J. */
struct real {
    double v;
    uint8_t state; /* enum state */
    uint8_t doubt; /* bits of enum doubt */
};

/* Where a figure of power comes from. */
enum power_method {
    METHOD_NONE,
    METHOD_MEASURED, /* W and J as a sensor of the device alone said: the device, its idle floor */
    METHOD_SHARED,   /* a part of that, by busy PW s (or, `estimated`, by busy time) */
    METHOD_MODELLED, /* no such sensor; PW s by a voltage of a table or an option */
    METHOD_PSEUDO    /* no such sensor; PW s by clock and voltage as the device told them */
};
/* "measured", "shared", "modelled", "pseudo"; "" for none. */
const char *power_method_name(unsigned method);

/* What work cost. PseudoWatt: 1 PW is one unit busy at 266 MHz and 1 V; PW s = V^2 f t / 266e6, summed over
 * stretches of one clock and voltage. Figures of one device only compare with each other. */
struct snap_power {
    struct real pw;           /* PW s of the interval just past, over its length */
    struct real pws;          /* since gwtop began to watch; of the part whose clock and voltage are known */
    struct value unpriced_ns; /* busy time of the other part, in the same span */
    struct real watts;        /* mean over the interval that the newest power reading closed */
    struct real joules;       /* since gwtop began to watch */
    uint8_t method;           /* enum power_method */
};

/* A run of elements in one of the snapshot's arrays. */
struct run {
    uint32_t first;
    uint32_t count;
};

/* Of several sources of one metric the one of the highest rank that has a value and no doubt, else the
 * highest with a value, else the highest. One entry per metric and index; per name too where the name is the
 * metric (vendor.*, counter.*, engine.*). */
struct snap_metric {
    struct value value; /* unit and power by metric */
    struct text_ref name;   /* engine, or the source's own word for it; may be empty */
    struct text_ref source; /* kind of frame that gave it: "gpu-metrics", "hwmon", ...; may be empty */
    uint16_t metric;
    uint16_t index; /* INDEX_NONE for none */
    uint8_t class;
};

/* Engine of a device, process or client. Busy of a client is what was measured; of a process and a device the
 * sum over its clients. More than all there is (amdgpu counts the time that work waits) is shown as all, and
 * doubted: only where no such sum was cut do the shares of the processes add up to the device's. Totals are never
 * cut. */
struct snap_engine {
    struct text_ref name; /* as the driver wrote it */
    uint8_t class;        /* enum engine_class */
    bool jobs;            /* told by recorded jobs alone, by no client */
    uint32_t capacity;    /* equal engines behind the name, at least 1 */
    struct value busy_ppm; /* % of capacity x 10^-4 over the interval just past; 0..1000000 */
    struct value busy_ns;  /* total since gwtop began to watch, all engines behind the name together;
                            * `estimated` once a rate of it was cut */
    struct real pws;       /* as in struct snap_power */
    struct value unpriced_ns;
};

/* Memory region of a device, process or client. bytes. */
struct snap_memory {
    struct text_ref region; /* as the driver wrote it */
    uint8_t class;          /* enum region_class */
    struct value total;
    struct value resident;
    struct value shared;
    struct value purgeable;
    struct value legacy; /* as older kernels print it (drm-memory-*): without telling what is resident */
};

/* What the table shows of a region class for one process: resident, else legacy, else total (`mark` says
 * which: 0 resident or legacy, 1 total). */
struct snap_shown {
    struct value bytes;
    uint8_t mark;
};

enum device_state { DEVICE_ACTIVE, DEVICE_ASLEEP, DEVICE_REMOVED, DEVICE_DENIED };
const char *device_state_name(enum device_state s);

/* A session of hardware counters that was asked for, and what became of it: its word in outputs, what a person
 * reads. */
#define COUNTERS_LIST(X)                                                                           \
    X(NONE, "", "")                                                                                \
    X(HELD, "held", "held: keeps the GPU awake")                                                   \
    X(DENIED, "denied", "not allowed (root, CAP_PERFMON, or the driver's sysctl)")                 \
    X(BUSY, "busy", "another program holds them")                                                  \
    X(UNSUPPORTED, "unsupported", "not there on this device or kernel")                            \
    X(LOST, "lost", "the session was lost")                                                        \
    X(FAILED, "failed", "the driver refuses a session")
enum counters_state {
#define COUNTERS_ENUM(name, word, text) COUNTERS_##name,
    COUNTERS_LIST(COUNTERS_ENUM)
#undef COUNTERS_ENUM
        COUNTERS_COUNT
};
const char *counters_state_name(unsigned state);
const char *counters_state_text(unsigned state);

struct snap_device {
    uint32_t subject;
    struct text_ref id;     /* PCI address, else sysfs device name; unique */
    struct text_ref name;   /* for people; never empty (falls back to ids, driver) */
    struct text_ref driver; /* may be empty */
    struct text_ref slot;   /* PCI address or empty */
    struct text_ref nodes;  /* names of its device nodes: "card1,renderD129"; may be empty */
    uint8_t state;          /* enum device_state; while it sleeps or is gone no rate of it is known (what its
                             * clients' own texts tell stands in their rows) */
    bool left_alone;        /* awake, but not looked at, so that it can fall asleep: its metrics (but
                             * facts) are not known; `v` of each still holds what was known last */
    uint8_t counters;       /* enum counters_state; COUNTERS_NONE too where nobody asked, as of a file */
    uint32_t clients;       /* open now; contexts do not count */
    uint32_t kept_awake;    /* processes on it with idle_holder; 0 while anything uses the device */
    struct run metrics;     /* in `metrics`; empty while it sleeps */
    struct run engines;     /* in `engines`: all names seen on it; busy is the sum over clients */
    struct run memory;      /* in `memory`: over its clients, what is resident less what is shared, and the
                             * largest shared once; never above what the device says is in use */
    struct value busy_ppm;  /* activity.gfx where the device says and is trusted, else the busiest engine by
                             * clients */
    struct snap_power power; /* PW s of all clients; W and J of the device, measured, all that the rows share */
};

enum process_type { TYPE_NONE, TYPE_GRAPHICS, TYPE_COMPUTE, TYPE_MEDIA };
const char *process_type_name(enum process_type t);

/* A hardware context, or what one did under a tag, as a stream of hardware reports tells it: no DRM client.
 * Where DRM clients tell the time of the same engines its busy time is a detail of theirs, and no sum holds
 * it; where nobody else does, those of a row add up to the row's. It is there until nobody named it for as long as a
 * process that exited keeps its row; there are at most 4,096 of a device, and the one that was not named for longest
 * ends first. The totals of one that ended stay with its row. In order of context, then tag. */
struct snap_context {
    uint64_t context; /* hardware id */
    uint32_t tag;     /* that its program gave the work; 0 where `tagged` is not set */
    bool tagged;
    uint32_t device;  /* index */
    uint32_t process; /* index of its owner in `processes`; UINT32_MAX: it is of "(unknown pid)" */
    struct value busy_ppm; /* all its engines together, over the interval just past; 0..1000000. Unsupported where
                            * only counters are told of it */
    struct value busy_ns;  /* total since gwtop began to watch */
    struct run counters;   /* in `metrics`: what its source said in this tick of hardware counters over its work
                            * (over the whole span: what it said last); in order of metrics, without name, source
                            * and index */
};

/* One per (pid, start, device). */
struct snap_process {
    int32_t pid;
    int32_t ppid; /* 0 unknown */
    uint64_t start;        /* clock ticks since boot; 0 unknown */
    struct value start_ns; /* CLOCK_REALTIME */
    uint32_t device;       /* index in `devices` */
    struct text_ref name;      /* comm; empty while unknown */
    struct text_ref command;   /* command line; empty for none */
    struct text_ref user;      /* login name, else the number; empty while unknown */
    struct value uid;          /* its number */
    struct text_ref container;
    struct text_ref nspid;
    bool by_thread;    /* known only by the id of one of its threads, which may not be the pid */
    bool exited;
    int64_t exited_ns; /* monotonic; when it was found gone */
    uint8_t type;      /* enum process_type, by where its engine time goes */
    bool idle_holder;  /* holds the device, which is awake, and for 5 s no engine worked for it */
    uint32_t clients;  /* owned by it, open now; contexts do not count */
    struct run engines;
    struct run memory;       /* of a region class two sources (fdinfo, KFD) tell the same: the larger */
    struct run client_run;   /* in `clients` */
    struct run contexts;     /* in `contexts` */
    struct value busy_ppm;   /* its busiest engine; where one cannot be read: what is known if that is above 0
                              * (estimated), else malformed; of a ROCm process not all engines are told: what is
                              * known if that is above 0 (estimated), else unsupported */
    struct value busy_ns;    /* sum over engines, since gwtop began to watch; where one cannot be read as busy_ppm */
    struct value cpu_ppm;    /* of one CPU: may exceed 1000000 */
    struct value rss;        /* bytes */
    struct snap_shown vram;
    struct snap_shown gtt; /* gtt and system together */
    struct value shared;   /* bytes, largest over regions summed */
    struct snap_power power;
};

/* Busy time or energy of a device that belongs to none of the processes above: "(not attributed)" of each
 * device; "(idle floor)" where its energy is shared; "(unknown pid)" once a recording of jobs named no process. In
 * device order, of one device in the order given here. */
struct snap_unattributed {
    uint32_t device; /* index */
    struct text_ref name;
    struct snap_power power;
    struct run engines; /* in `engines`; of "(unknown pid)" only, else empty */
    struct run contexts; /* in `contexts`; likewise */
    struct value busy_ppm;
    struct value busy_ns;
    uint64_t reasons; /* bit REASON_x */
};

struct snap_client {
    uint64_t id; /* in its space */
    uint8_t space;
    uint32_t process; /* index of its owner in `processes` */
    uint32_t holders; /* descriptors, over all processes */
    struct text_ref name;
    struct run engines;
    struct run memory;
};

struct snapshot {
    uint64_t tick;   /* 1 for the first */
    int64_t t_ns;    /* CLOCK_MONOTONIC of begin */
    int64_t real_ns; /* CLOCK_REALTIME of begin; 0 unknown */
    struct value interval_ns; /* since the begin before; unknown in the first tick */

    const struct snap_device *devices;
    uint32_t device_count;
    const struct snap_process *processes;
    uint32_t process_count;
    const struct snap_unattributed *unattributed;
    uint32_t unattributed_count;
    const struct snap_client *clients;
    uint32_t client_count;
    const struct snap_engine *engines;
    uint32_t engine_count;
    const struct snap_memory *memory;
    uint32_t memory_count;
    const struct snap_metric *metrics; /* of devices, and counters of contexts */
    uint32_t metric_count;
    const struct snap_context *contexts;
    uint32_t context_count;
    struct text_pool text; /* not to be changed */

    uint32_t unreadable; /* processes whose descriptors could not be read */
    uint32_t unreadable_reasons[REASON_COUNT];
    uint32_t devices_denied; /* places where devices may be, and that may not be listed for want of a right:
                              * there may be more than are shown */
    struct value cost_cpu_ns;   /* gwtop's own, of the tick */
    struct value cost_syscalls;
    bool counters_asked; /* sessions of hardware counters were asked for (option.counters) */
};

struct span snapshot_text(const struct snapshot *s, struct text_ref r);
/* Deep copy that stays when acct moves on (pause, a signal's confirmation); free with snapshot_free. */
enum err snapshot_dup(const struct snapshot *from, struct snapshot **out);
void snapshot_free(struct snapshot *s);

#endif
