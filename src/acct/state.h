/*
 * What acct remembers. Private to acct.
 *
 * Everything is flat: tables of elements that name each other by index, maps from keys to indices,
 * one pool of texts. Times are in ns, shares in ppm of the capacity. A sample is only noted down
 * when it comes (reading.c); what it means is worked out once, when the tick ends (client.c,
 * engine.c, region.c), from combinations in which the order of arrival plays no part; then the
 * snapshot is laid out (build.c).
 */
#ifndef GWTOP_ACCT_STATE_H
#define GWTOP_ACCT_STATE_H

#include "gwtop/acct.h"

#include "table.h"

enum table_id {
    T_SUBJECT,
    T_DEVICE,
    T_ENGINE_NAME,
    T_REGION_NAME,
    T_PROCESS,
    T_ROW,
    T_ROW_ENGINE,
    T_CLIENT,
    T_ENGINE,
    T_REGION,
    T_HOLDER,
    T_METRIC,
    T_TELLER,
    T_ORIGIN,
    T_CONTEXT,
    T_COUNTER,
    T_WORD,  /* text_ref: names that come again and again; never dropped */
    T_DIRTY, /* uint32_t: clients to be settled when the tick ends */
    T_DEVICE_ORDER,
    T_ROW_ORDER,
    T_CLIENT_ORDER,
    T_METRIC_ORDER,
    TABLE_COUNT
};

enum map_id {
    M_SUBJECT, /* subject id */
    M_DEVICE,  /* hash of the id text */
    M_PROCESS, /* pid, start */
    M_PID,     /* pid: the process seen last */
    M_ROW,     /* process, device */
    M_CLIENT,  /* device, space, id; of a context its pid too */
    M_HOLDER,  /* subject, device, space, id; only of subjects that hold many */
    M_METRIC,  /* device, metric, index, word + 1 where the name is the metric */
    M_WORD,    /* hash of the text */
    MAP_COUNT
};

/* ---- elements -------------------------------------------------------------------------------- */

#define KIND_MIXED UINT16_MAX
struct subject_entry {
    uint32_t link;
    uint32_t id;
    uint32_t device_id; /* subject id of the device; 0 none */
    uint32_t device;    /* index, or NONE */
    uint32_t guess;     /* device that its text names where `device` is not known, or NONE */
    uint32_t node;      /* word: "major:minor" of a holder, or NONE */
    uint32_t process;   /* index, or NONE */
    uint32_t holders;   /* first of its list */
    int32_t pid;
    uint16_t backend;
    uint16_t kind; /* of its frames; 0 none yet, KIND_MIXED of several */
    uint8_t type;  /* enum subject_type */
    bool holds;    /* a session whose frames came */
    uint64_t start;
};

/* A sum of many small parts. What each addition loses to rounding is carried beside it (Neumaier), so
 * that its error stays at a rounding or two of the result, however many parts there are. */
struct sum {
    double v;
    double lost;
};

/* Busy time since the first reading, and what it cost as far as clock and voltage are known. */
struct total {
    int64_t busy_ns;
    int64_t unpriced_ns; /* the part of it whose clock or voltage is not known */
    struct sum pws;      /* PW s of the rest */
    bool measured;       /* at least one interval was */
    bool priced;         /* some of it was, be it at nothing */
    uint8_t doubt;
    uint8_t price_doubt;
};

/* Work since something, in plain numbers: of a tick, or until the next reading of energy. */
struct work {
    uint64_t seq; /* tick that it is of; 0 where it is not of one */
    double pws;
    int64_t busy_ns;
    int64_t unpriced_ns;
    bool priced;
    uint8_t doubt;
};

/* Where somebody stood in the integrals of a rate. */
struct rate_mark {
    double fv2;
    double v2;
    int64_t fv2_ns;
    int64_t v2_ns;
    int64_t waking_ns;
};
/* Clock and voltage of a device's engines over time, as integrals: what lies between two looks at them is
 * the mean over the time between. Where one was not known the times stand still. */
struct rate {
    double clock_hz; /* newest; below 0: not known */
    double volt;     /* likewise */
    int64_t t_ns;    /* of these */
    bool assumed;    /* the voltage is that of an option, or of a table */
    bool looked;     /* at all */
    bool ever;       /* both were known once */
    bool waking;     /* one of these is doubted so */
    double fv2;      /* integral of f V^2, Hz V^2 s */
    double v2;       /* integral of V^2, V^2 s */
    int64_t fv2_ns;  /* over so much time */
    int64_t v2_ns;
    int64_t waking_ns;       /* time with such a reading at one of its ends */
    struct rate_mark before; /* the look before this one */
    int64_t before_ns;
};

#define FLOOR_BUCKETS 20 /* of 30 s each: the last 10 minutes */
/* What a device's own sensor of energy said, and whom it was given to. */
struct energy {
    uint32_t metric; /* that it is taken from, or NONE */
    bool counter;    /* a counter of energy; else a reading of power */
    bool has;        /* an interval is open since `v` at `t_ns` */
    bool ever;       /* one was closed */
    bool flawed;     /* one could not be: the sum is less than what was used */
    bool has_floor;  /* the newest was closed when a floor had been seen */
    bool had_floor;  /* some were */
    bool stuck;      /* the counter stands at `stuck_v` while a sensor of power says otherwise */
    uint8_t still;   /* readings in a row that found it so */
    uint8_t state;   /* of what the newest reading closed: enum state */
    uint8_t doubt;   /* of the shares that it was cut into */
    bool idle;       /* the device was, in each tick since `t_ns` */
    bool waking;     /* `v` is doubted so */
    uint8_t read_doubt;   /* of what the newest reading closed */
    uint8_t joules_doubt; /* of all of them */
    int64_t v;
    int64_t t_ns;
    int64_t stuck_v;
    int64_t closed_ns; /* when the newest interval was */
    int64_t period_ns; /* how long they take */
    double watts;
    struct sum joules;
    double floor_watts;
    struct sum floor_joules;
    double loose_watts;
    struct sum loose_joules;
    double lowest[FLOOR_BUCKETS]; /* W, of idle ticks; below 0: none */
    int64_t bucket;               /* number of the newest, from 1; 0: none yet */
};

struct device {
    uint32_t link;
    uint32_t subject;
    uint64_t number; /* index in order of discovery */
    struct text_ref id;
    struct text_ref name;
    struct text_ref driver;
    struct text_ref slot;
    struct text_ref nodes;
    uint32_t engines; /* first engine_name, in order of class and name */
    uint32_t regions; /* first region_name, likewise */
    uint32_t clients; /* first client */
    uint32_t client_count;
    uint32_t contexts; /* of these */
    uint32_t oldest_context; /* not named for longest, or NONE */
    uint32_t newest_context;
    uint32_t activity; /* metric that is its own busy sensor, or NONE */
    uint32_t rank;     /* its index in the snapshot */
    uint32_t metric_first;
    uint32_t metric_count;
    uint32_t silent_clients; /* of this tick: read, but not (all) engines are told */
    uint32_t kept_awake;     /* of this tick: idle holders */
    uint32_t told_classes;   /* bit per class of engines whose time DRM clients tell */
    uint8_t engine_count;
    uint8_t region_count;
    uint8_t state;          /* enum device_state */
    bool driver_omits_zero; /* an engine that has no line was not used yet */
    bool said_asleep;       /* its own sources say that they did not look */
    bool passed_over;       /* who looks after all devices says so */
    bool woke;              /* it was seen to */
    bool used;              /* in this tick by some client */
    bool unattributed_measured;
    uint8_t unattributed_doubt;
    bool priceable;                 /* clock and voltage of it were known once */
    bool has_session;               /* frames of a counter session came, if only failed ones */
    uint8_t counters;               /* enum counters_state */
    uint64_t session_seq;           /* tick in which it told something last */
    bool own_board;                 /* what its socket sensor measures has no processors on it */
    uint32_t stray_row;             /* of jobs without a process, or NONE */
    struct snap_unattributed stray; /* while building: what that row comes to */
    struct snap_unattributed loose_row; /* while building: what belongs to nobody */
    int64_t loose_now_ns;               /* of this tick: busy, and of nobody */
    int64_t loose_new_ns;               /* what is added to the total with it */
    int64_t held_activity_ns;           /* not yet decided whose: what the sensor saw ... */
    int64_t held_clients_ns;            /* ... and what clients told since `held_ns` */
    uint32_t held_ticks;
    int64_t held_ns;
    struct rate_mark held_mark; /* of `gfx`, there */
    struct total loose;                 /* the same since the first tick, and its price */
    struct work loose_now;
    struct work loose_pending;
    struct work now;   /* of all clients, in this tick */
    struct rate gfx;   /* of graphics, compute and copy engines */
    struct rate media; /* of the video engines */
    struct energy energy;
    int64_t woke_ns;         /* when, if `woke` */
    uint64_t woke_seq;       /* tick since which it has been there and awake */
    int64_t activity_ns;     /* sum of activity x interval */
    int64_t unattributed_ns; /* the same of what belongs to nobody */
};

/* Rates that are summed within one tick, and what else was met: bit per enum state. */
struct tally {
    uint64_t seq;
    int64_t sum_ppm;
    uint8_t states;
    uint8_t doubt;
};

/* Names per device are bounded: no driver has more, and only so is a search among them quick. */
#define NAMES_MAX 64

struct engine_name {
    uint32_t link;
    struct text_ref name;
    uint32_t capacity; /* largest that a client told */
    uint8_t class;
    uint8_t slot; /* among the engines of its device */
    bool told;    /* as of an engine, by any client */
    bool told_by_clients; /* DRM clients tell its time */
    struct total total;
    struct work work; /* of all clients, in the newest tick that had any */
    struct tally now; /* while building: over all rows */
    /* While building: the row that the next ones are of, and what its clients come to. */
    uint32_t row;
    struct tally row_now;
    struct total row_total;
};

enum region_field { R_RESIDENT, R_SHARED, R_TOTAL, R_PURGEABLE, R_LEGACY, R_FIELDS };

/* Memory of several clients in one region, see region.c. */
struct region_sum {
    int64_t resident_own; /* without what others can reach */
    int64_t resident_shared;
    int64_t legacy_own;
    int64_t legacy_shared;
    int64_t shared; /* the largest */
    int64_t total;
    int64_t purgeable;
    uint8_t states[R_FIELDS]; /* bit per enum state */
};

struct region_name {
    uint32_t link;
    struct text_ref name;
    uint8_t class;
    uint8_t slot;     /* among the regions of its device */
    uint8_t reported; /* bit per region_field that the driver ever told */
    /* While building: the row that the next ones are of, its clients that have the region by group
     * of memory (build_row.c), the line of the first, their sums where there are more. */
    uint32_t row;
    uint32_t clients[2];
    uint32_t first;
    struct region_sum sums[2];
    struct region_sum device;
};

struct cpu {
    int64_t first_ns, first_t_ns; /* first reading */
    int64_t base_ns, base_t_ns;   /* last one of an earlier tick */
    int64_t last_ns, last_t_ns;
    uint64_t seq; /* tick of the last one; 0 none */
    bool has_base;
    uint8_t state; /* where the last one gave no value */
};

struct process {
    uint32_t link;
    int32_t pid;
    int32_t ppid;
    uint32_t holders; /* first */
    uint32_t rows;    /* how many */
    uint32_t subjects;
    uint64_t start;
    uint64_t clk_tck; /* 0 unknown */
    struct text_ref name;
    struct text_ref command;
    struct text_ref user;
    struct text_ref container;
    struct text_ref nspid;
    struct cpu cpu;
    struct value rss;
    struct value uid;
    int64_t exited_ns;
    bool exited;
    bool manager; /* a session manager by its name */
    bool by_thread; /* named first by the id of a thread: it may be no process's */
    bool stray;   /* stands for whoever a recording of jobs does not name: no process at all */
};

struct row {
    uint32_t link;
    uint32_t process;
    uint32_t device;
    uint32_t engines;        /* first row_engine */
    uint32_t owned;          /* clients */
    uint32_t unnamed;        /* holders whose client could not be learned */
    uint32_t unnamed_denied; /* of these: for want of a right */
    uint32_t rank;           /* its index in the snapshot */
    int64_t gone_ns;         /* since when it has neither */
    int64_t still_ns;        /* since when no engine worked for it, if `still` */
    bool gone;
    bool used;
    bool still;
    uint8_t type; /* enum process_type */
    bool jobs;    /* a recording of jobs named it */
    struct work now;
    struct work pending; /* since the last reading of energy */
    double watts;
    struct sum joules;
    bool seen;            /* its work was known in the newest tick, or ended in one since the reading */
    bool watts_known;     /* of the newest interval */
    bool joules_known;    /* of some */
    uint8_t joules_doubt; /* of all of them */
};

/* What clients used that are the row's no more. */
struct row_engine {
    uint32_t link;
    uint32_t name;
    struct total total;
    struct tally ended; /* rates of those that ended, of the tick in which they did */
};

struct client {
    uint32_t link; /* next of the device */
    uint32_t prev;
    uint32_t device;
    uint32_t owner;   /* row, or NONE */
    uint32_t holders; /* first */
    uint32_t holder_count;
    uint32_t engines;     /* first, in order of class and name */
    uint32_t regions;     /* first, likewise */
    uint32_t lead_engine; /* that its last text named first */
    uint32_t lead_region;
    uint32_t context; /* what else is known of a hardware context; NONE: it is none */
    int32_t pid;      /* of a context: a part of its key */
    struct text_ref name;
    uint64_t id;
    uint64_t staged_seq; /* tick of the newest readings */
    uint64_t read_seq;   /* tick of the newest that were worked out; 0 none */
    uint64_t first_seq;
    uint64_t failed_seq; /* tick of the newest failed reading */
    int64_t staged_t_ns; /* latest of the tick */
    int64_t t_ns;
    int64_t first_t_ns;
    uint8_t space;
    uint8_t failed_state;
    bool used;
    bool dirty;
    bool owner_dirty;
    bool moved;        /* had another owner before */
    bool complete;     /* of the newest readings at least one was whole */
    bool was_complete; /* the same of those worked out */
    bool driver_known; /* its own text named the driver */
    bool driver_omits_zero;
    struct rate_mark gfx;
    struct rate_mark media;
};

/* What one tick said about one name of one client. Readings of several holders differ slightly: of
 * each field the largest counts, whichever came first. */
#define FIELDS_MAX 6
struct stage {
    uint64_t seq;  /* tick that it is of */
    uint32_t text; /* number of the first reading of that tick */
    uint8_t have;  /* bit per field that has a value */
    uint8_t bad;   /* bit per field that was named without one */
    uint8_t bad_state;
    uint8_t doubt;
    int64_t v[FIELDS_MAX];
};

/* A key may stand twice in one text: what stood before, by name, in those after the first of a
 * tick. */
struct repeat {
    uint64_t reading;
    uint32_t client;
    uint8_t seen; /* bit per field */
    int64_t sum[FIELDS_MAX];
};

enum engine_field { E_TIME, E_CYCLES, E_TOTAL, E_CAPACITY, E_MAXFREQ, E_BUSY, E_FIELDS };
_Static_assert(E_FIELDS <= FIELDS_MAX && R_FIELDS <= FIELDS_MAX, "fields of a stage");

struct counter {
    int64_t mark; /* highest value so far */
    int64_t t_ns;
};

/* One engine name of one client. What most drivers need stands first. */
struct engine {
    uint32_t link;
    uint32_t follow; /* that came after it in the last text */
    uint32_t name;
    uint32_t capacity;
    uint8_t known; /* bit per engine_field that was read before */
    bool grew;     /* in tick rate_seq */
    bool told;     /* some text told, or tried to tell, how busy it is: else it has no line */
    struct counter time;
    struct total total;
    struct value rate;
    uint64_t rate_seq;   /* tick that `rate` is of */
    struct total before; /* of total: before the present owner */
    struct total job;    /* of jobs, since it was settled last */
    struct sum bare_cycles; /* of those of them whose clock is known, and whose voltage is not */
    int64_t bare_ns;        /* their time */
    bool has_bare;
    bool jobs;           /* it is told by these */
    struct stage stage;
    struct counter cycles;
    int64_t percent_t_ns;
    int64_t clock;      /* last value of the clock that cycles are a part of */
    int64_t maxfreq_hz; /* 0 unknown */
};

/* One region of one client. */
#define ABSENT STATE_COUNT /* a whole text did not name the field */
struct region {
    uint32_t link;
    uint32_t follow;
    uint32_t name;
    uint32_t text;           /* as in struct stage */
    uint8_t have;            /* bit per field that this tick told */
    uint8_t bad;             /* bit per field that it named without a value */
    uint8_t state[R_FIELDS]; /* enum state, or ABSENT */
    uint64_t seq;            /* tick of the newest text that named it */
    int64_t v[R_FIELDS];
};

/* A client that is a hardware context, or work of one under a tag. */
struct context {
    uint32_t link;
    uint32_t client;
    uint32_t older; /* those of its device, by the tick that named them last */
    uint32_t newer;
    uint32_t counters;   /* first, in order of metrics */
    uint32_t at;         /* told last, or NONE */
    uint64_t seq;        /* tick that named it last */
    struct total total;  /* of all its engines, whether it counts for the device or not */
    struct total now;    /* the same of tick `now_seq` */
    uint64_t now_seq;
};

/* What is said of a hardware counter over the work of one context. */
struct context_counter {
    uint32_t link;
    uint16_t metric;
    uint64_t seq; /* tick of the value */
    struct value value;
};

enum holder_list { BY_CLIENT, BY_PROCESS, BY_SUBJECT, HOLDER_LISTS };

struct holder {
    uint32_t link;
    uint32_t of[HOLDER_LISTS]; /* whom it belongs to, or NONE */
    uint32_t next[HOLDER_LISTS];
    uint32_t prev[HOLDER_LISTS];
    uint32_t device;
    uint32_t row; /* that counts it as unnamed, or NONE */
    int64_t seen_ns;
    bool used;
    bool many; /* one of many of its subject, found by M_HOLDER */
    bool jobs; /* named by a job: that no more come says nothing */
    bool denied;
};

/* A metric of a device, or of a part of it. */
struct metric_entry {
    uint32_t link;
    uint32_t device;
    uint32_t tellers; /* first */
    uint16_t metric;
    uint16_t index;
};

/* What one source said last of a metric. */
struct teller {
    uint32_t link;
    uint32_t origin;
    uint32_t subject; /* id of the one that it said the value about */
    uint32_t word; /* its name for it, or NONE */
    struct value value;
    uint64_t seq; /* tick of the value */
    int64_t t_ns;
    int64_t still_v; /* see metric_watch() */
    uint16_t pace;   /* ticks between its readings; 0: there was only one */
    uint8_t still;
    uint8_t class;
    uint8_t rank;
    bool ever; /* had a value */
};

/* One kind of frames of one backend. */
struct origin {
    uint16_t backend; /* as in struct subject */
    uint16_t kind;    /* as in struct frame; 0: what a fold says between frames */
    uint32_t word;    /* its name, or NONE */
};

/* ---- the whole ------------------------------------------------------------------------------- */

/* What the sample before was about. */
struct last_name {
    uint32_t item;        /* engine or region of the client, or NONE */
    struct text_ref name; /* of a length that no name has where there is none */
    uint8_t class;
    uint8_t slot;
    bool again; /* an earlier text of the tick named it too */
};

/* Whose a sample or label is. */
struct naming {
    uint64_t id;
    uint32_t subject; /* id */
    uint32_t device;  /* subject id */
    int32_t pid;
    uint8_t space;
    int64_t t_ns;
};

/* The frame whose samples are coming in. */
struct reading {
    bool open;
    bool failed;
    uint8_t space;         /* key of `client` */
    uint16_t kind;         /* as in struct frame */
    uint32_t subject;      /* entry, or NONE */
    uint32_t origin;       /* of what it says of its device; NONE: not looked for yet */
    uint32_t device_id;    /* key of `client` */
    uint32_t client;       /* named last, or NONE */
    bool said;             /* something of engines or memory */
    uint64_t id;           /* key of `client` */
    int64_t t_ns;          /* of the sample that named it */
    uint64_t number;       /* never the same twice */
    struct naming waits;   /* client whose device its text may still name, if `waiting` */
    uint32_t waits_driver; /* word */
    bool waiting;
    struct last_name last_engine;
    struct last_name last_region;
};

/* Plain numbers. */
struct acct_now {
    uint64_t seq; /* number of the tick in progress, from 1 */
    bool tick_open;
    bool has_first;
    bool has_previous;
    bool has_boot;
    bool counters_asked; /* option.counters */
    int64_t begin_ns;
    int64_t previous_ns;
    int64_t first_ns;
    int64_t real_ns;
    int64_t boot_ns;
    int64_t up_ns;       /* since boot, at begin; 0: unknown */
    int64_t up_clock_ns; /* of begin, on the clock that up_ns follows */
    uint64_t clk_tck;
    uint32_t unreadable;
    uint32_t unreadable_reasons[REASON_COUNT];
    uint32_t devices_denied;
    struct value cost_cpu_ns;
    struct value cost_syscalls;
    struct reading reading;
    bool devices_changed;
    bool rows_changed;
    bool clients_changed;
    bool metrics_changed;
    bool unlisted;       /* T_DIRTY lacks some that are `dirty` */
    uint32_t many_count; /* holders with `many` */
    bool from_zero;      /* see acct_count_from_zero() */
    uint64_t from_zero_start;
    uint32_t job_processes; /* that only jobs ever named */
    struct text_ref unattributed_name;
    struct text_ref floor_name;
    struct text_ref stray_name;
};

/* Texts are appended; those no longer named are waste, and the pool is written anew when more than
 * half of it is. `generation` changes then: what stood at an offset stands elsewhere. */
struct names {
    struct text_pool pool;
    struct text_pool spare;
    uint32_t waste;
    uint32_t generation;
};

enum block_array {
    B_DEVICES,
    B_PROCESSES,
    B_UNATTRIBUTED,
    B_CLIENTS,
    B_ENGINES,
    B_MEMORY,
    B_METRICS,
    B_CONTEXTS,
    BLOCK_ARRAYS
};

/* One of the three snapshots in rotation. */
struct block {
    struct snapshot s;
    void *arrays[BLOCK_ARRAYS];
    uint32_t caps[BLOCK_ARRAYS];
    uint32_t generation; /* of the names that s.text holds; 0 none */
};
#define BLOCKS 3

/* Clients that jobs named lately, so that most need no search. */
#define JOB_CACHE 64
struct job_client {
    uint64_t number; /* job_number when it was noted; 0 none */
    uint64_t id;
    uint32_t subject;
    uint32_t device;
    uint32_t client;
    int32_t pid;
    uint8_t space;
};

struct acct {
    struct acct_options options;
    struct acct_now now;
    struct table tables[TABLE_COUNT];
    struct map maps[MAP_COUNT];
    struct names names;
    struct block blocks[BLOCKS];
    uint32_t newest;                         /* block, or NONE */
    struct repeat engine_repeats[NAMES_MAX]; /* of the reading, by slot */
    struct repeat region_repeats[NAMES_MAX];
    struct job_client job_clients[JOB_CACHE];
    uint64_t job_number; /* grows whenever a client may have ended */
    bool failed;
};

#define ACCESSOR(type, name, table)                                                                \
    static inline struct type *name##_at(const struct acct *a, uint32_t i) {                       \
        return (struct type *)a->tables[table].v + i;                                              \
    }
ACCESSOR(subject_entry, subject, T_SUBJECT)
ACCESSOR(device, device, T_DEVICE)
ACCESSOR(engine_name, engine_name, T_ENGINE_NAME)
ACCESSOR(region_name, region_name, T_REGION_NAME)
ACCESSOR(process, process, T_PROCESS)
ACCESSOR(row, row, T_ROW)
ACCESSOR(row_engine, row_engine, T_ROW_ENGINE)
ACCESSOR(client, client, T_CLIENT)
ACCESSOR(engine, engine, T_ENGINE)
ACCESSOR(region, region, T_REGION)
ACCESSOR(holder, holder, T_HOLDER)
ACCESSOR(metric_entry, metric, T_METRIC)
ACCESSOR(teller, teller, T_TELLER)
ACCESSOR(origin, origin, T_ORIGIN)
ACCESSOR(context, context, T_CONTEXT)
ACCESSOR(context_counter, counter, T_COUNTER)
#undef ACCESSOR

/* A zeroed element; NONE, and acct is told to have failed, when memory runs out. */
uint32_t acct_take(struct acct *a, enum table_id t);
/* Puts, and tells the same. */
bool acct_put(struct acct *a, enum map_id m, struct map_key k, uint32_t value);

#define PPM 1000000

/* What a function that runs for every sample calls in some cases only: kept apart, it costs nothing
 * in the others. */
#define OFTEN __attribute__((noinline))

/* ---- arithmetic on hostile numbers ----------------------------------------------------------- */

/* Of numbers that are not negative. */
static inline int64_t add_sat(int64_t a, int64_t b) {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}
/* later - earlier; 0 where it is not later. */
static inline int64_t span_ns(int64_t earlier, int64_t later) {
    if (later <= earlier)
        return 0;
    uint64_t d = (uint64_t)later - (uint64_t)earlier;
    return d > INT64_MAX ? INT64_MAX : (int64_t)d;
}
/* a x b / c of numbers that are not negative, to the nearest; 0 where c is 0. */
int64_t mul_div_long(int64_t a, int64_t b, int64_t c);
static inline int64_t mul_div(int64_t a, int64_t b, int64_t c) {
    if ((uint64_t)a > INT32_MAX * UINT64_C(1000) || (uint64_t)b > PPM || c <= 0)
        return mul_div_long(a, b, c);
    return (int64_t)(((uint64_t)a * (uint64_t)b + (uint64_t)c / 2) / (uint64_t)c);
}

static inline void sum_add(struct sum *s, double x) {
    double t = s->v + x;
    double a = s->v < 0 ? -s->v : s->v;
    double b = x < 0 ? -x : x;
    s->lost += a >= b ? (s->v - t) + x : (x - t) + s->v;
    s->v = t;
}
static inline double sum_of(const struct sum *s) {
    return s->v + s->lost;
}

static inline void total_add(struct total *t, const struct total *more) {
    t->busy_ns = add_sat(t->busy_ns, more->busy_ns);
    t->measured = t->measured || more->measured;
    t->doubt |= more->doubt;
    t->unpriced_ns = add_sat(t->unpriced_ns, more->unpriced_ns);
    if (!more->priced)
        return;
    t->priced = true;
    t->price_doubt |= more->price_doubt;
    sum_add(&t->pws, more->pws.v);
    sum_add(&t->pws, more->pws.lost);
}
/* What came after `before`. */
static inline struct total total_since(const struct total *all, const struct total *before) {
    struct total t = *all;
    t.busy_ns -= before->busy_ns;
    t.unpriced_ns -= before->unpriced_ns;
    if (before->priced) {
        sum_add(&t.pws, -before->pws.v);
        sum_add(&t.pws, -before->pws.lost);
    }
    return t;
}
/* More work of tick `seq` (0: of no tick). */
static inline void work_add(struct work *w, uint64_t seq, const struct total *more) {
    if (w->seq != seq)
        *w = (struct work){.seq = seq};
    w->busy_ns = add_sat(w->busy_ns, more->busy_ns);
    w->unpriced_ns = add_sat(w->unpriced_ns, more->unpriced_ns);
    w->pws += sum_of(&more->pws);
    w->priced = w->priced || more->priced;
    w->doubt |= more->price_doubt;
}

static inline struct value value_of(int64_t v, uint8_t doubt) {
    return (struct value){v, STATE_VALUE, doubt};
}
static inline struct value value_none(unsigned state) {
    return (struct value){0, (uint8_t)state, 0};
}
static inline struct real real_of(double v, uint8_t doubt) {
    return (struct real){v, STATE_VALUE, doubt};
}
static inline struct real real_none(unsigned state) {
    return (struct real){0, (uint8_t)state, 0};
}
#define STATE_BIT(s) (1u << (s))

static inline void tally_add(struct tally *t, uint64_t seq, struct value v) {
    if (t->seq != seq)
        *t = (struct tally){.seq = seq};
    t->states |= (uint8_t)STATE_BIT(v.state);
    if (v.state != STATE_VALUE)
        return;
    t->sum_ppm = add_sat(t->sum_ppm, v.v);
    t->doubt |= v.doubt;
}
/* Of several states that stand for one number, as bits: the one to show. A value beats all; nothing
 * met is STATE_UNKNOWN. */
uint8_t state_without_value(unsigned bits);
static inline uint8_t state_of_bits(unsigned bits) {
    return (bits & STATE_BIT(STATE_VALUE)) ? STATE_VALUE : state_without_value(bits);
}

#endif
