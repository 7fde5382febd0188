/*
 * core: the nouns that cross rooms. A source hands out frames; decode turns a frame into samples, jobs
 * and labels; the bus carries these to accounting and outputs. Pure.
 *
 * Everything that is borrowed (bytes, names, texts) is valid during the call that hands it over; who
 * keeps it copies it.
 */
#ifndef GWTOP_CORE_H
#define GWTOP_CORE_H

#include "gwtop/base.h"

struct host;        /* source.h: the machine that a collector reads */
struct device_info; /* below */
struct want;        /* below */

/* ---- small enumerations, each with its word in outputs ---------------------------------------- */

#define OUTCOME_LIST(X)                                                                            \
    X(OK, "ok")         /* bytes are what the source said */                                       \
    X(DENIED, "denied") /* EACCES, EPERM */                                                        \
    X(GONE, "gone")     /* ENOENT, ESRCH, ENODEV: closed or exited meanwhile */                    \
    X(FAILED, "failed") /* any other errno */                                                      \
    X(ASLEEP, "asleep") /* not read, since reading would wake the device */
enum outcome {
#define OUTCOME_ENUM(name, text) OUTCOME_##name,
    OUTCOME_LIST(OUTCOME_ENUM)
#undef OUTCOME_ENUM
        OUTCOME_COUNT
};
const char *outcome_name(enum outcome o);
bool outcome_from_name(struct span name, enum outcome *out);
/* The outcome of a failed read with this errno. */
enum outcome outcome_from_sys(int sys);

/* Whether there is a number. UNKNOWN (not yet known) is 0, so that nothing becomes a number by being
 * zeroed. These stay apart to the very end. */
#define STATE_LIST(X)                                                                              \
    X(UNKNOWN, "unknown") /* not yet known: needs another reading */                               \
    X(VALUE, "value")                                                                              \
    X(UNSUPPORTED, "unsupported") /* this driver or kernel does not say */                         \
    X(DENIED, "denied")           /* a right is missing */                                         \
    X(MALFORMED, "malformed")     /* said something that cannot be read */
enum state {
#define STATE_ENUM(name, text) STATE_##name,
    STATE_LIST(STATE_ENUM)
#undef STATE_ENUM
        STATE_COUNT
};
const char *state_name(enum state s);

/* Why a value is shown but not trusted: bits of a set. */
#define DOUBT_LIST(X)                                                                              \
    X(STUCK, 0, "stuck")         /* a sensor stands still, its clients' work does not */           \
    X(WAKING, 1, "waking")       /* the device woke a moment ago */                                \
    X(CLAMPED, 2, "clamped")     /* beyond what is possible, and cut to that */                    \
    X(FALSE_BIT, 3, "false-bit") /* a flag that this device is known to raise wrongly */           \
    X(UNIT, 4, "unit")           /* its unit is not known for certain */                           \
    X(ASSUMED_VOLTAGE, 5, "assumed-voltage") /* priced by a voltage that nobody measured */        \
    X(ESTIMATED, 6, "estimated")             /* worked out from something less exact */
enum doubt {
    DOUBT_NONE = 0,
#define DOUBT_ENUM(name, bit, text) DOUBT_##name = 1 << bit,
    DOUBT_LIST(DOUBT_ENUM)
#undef DOUBT_ENUM
};
/* The word of bit `bit` (0..), or NULL past the last. */
const char *doubt_name(unsigned bit);

#define ENGINE_CLASS_LIST(X)                                                                       \
    X(NONE, "none", "")                                                                            \
    X(GRAPHICS, "graphics", "GFX")                                                                 \
    X(COMPUTE, "compute", "CMP")                                                                   \
    X(COPY, "copy", "CPY")                                                                         \
    X(DECODE, "decode", "DEC")                                                                     \
    X(ENCODE, "encode", "ENC")                                                                     \
    X(MEDIA, "media", "MED")                                                                       \
    X(OTHER, "other", "OTH")
enum engine_class {
#define CLASS_ENUM(name, text, brief) CLASS_##name,
    ENGINE_CLASS_LIST(CLASS_ENUM)
#undef CLASS_ENUM
        CLASS_COUNT
};
const char *engine_class_name(enum engine_class c);
const char *engine_class_brief(enum engine_class c);
/* By the one table of engine names of all drivers; OTHER for a name that is not in it. */
enum engine_class engine_class_of(struct span name);

#define REGION_CLASS_LIST(X)                                                                       \
    X(NONE, "none")                                                                                \
    X(VRAM, "vram")                                                                                \
    X(GTT, "gtt")                                                                                  \
    X(SYSTEM, "system")                                                                            \
    X(OTHER, "other")
enum region_class {
#define REGION_ENUM(name, text) REGION_##name,
    REGION_CLASS_LIST(REGION_ENUM)
#undef REGION_ENUM
        REGION_COUNT
};
const char *region_class_name(enum region_class c);
/* By the one table of region names (contract: vram*, local* vram; gtt; system*, memory, cpu, stolen*
 * system; all else other). */
enum region_class region_class_of(struct span name);

#define UNIT_LIST(X)                                                                               \
    X(ONE, "1")                                                                                    \
    X(S, "s") X(B, "B") X(HZ, "Hz") X(V, "V") X(A, "A") X(W, "W") X(J, "J") X(DEGC, "degC")        \
        X(RPM, "rpm") X(PERCENT, "%") X(PW, "PW") X(PWS, "PWs") X(BPS, "B/s") X(TPS, "T/s")        \
            X(CYCLES, "cycles") X(FLAG, "1")
enum unit {
#define UNIT_ENUM(name, text) UNIT_##name,
    UNIT_LIST(UNIT_ENUM)
#undef UNIT_ENUM
        UNIT_COUNT
};
const char *unit_name(enum unit u);

enum metric_kind { KIND_GAUGE, KIND_COUNTER, KIND_FACT };
enum metric_fold { FOLD_SUM, FOLD_MAX, FOLD_LAST };

enum metric {
#define METRIC(id, name, unit, power, kind, fold, doc) METRIC_##id,
#include "gwtop/metrics.def"
#undef METRIC
    METRIC_COUNT
};
struct metric_info {
    const char *name;
    const char *doc;
    uint8_t unit;  /* enum unit */
    uint8_t power; /* a value is in unit x 10^-power */
    uint8_t kind;  /* enum metric_kind */
    uint8_t fold;  /* enum metric_fold */
};
/* Never NULL; a value out of range gives an entry named "?". */
const struct metric_info *metric_info(unsigned metric);
/* METRIC_COUNT if there is none of this name. */
enum metric metric_from_name(struct span name);

enum reason {
#define REASON(id, word, text) REASON_##id,
#include "gwtop/reasons.def"
#undef REASON
    REASON_COUNT
};
const char *reason_word(unsigned reason); /* as in outputs */
const char *reason_text(unsigned reason); /* for people */

/* ---- subject: what bytes are about --------------------------------------------------------------- */

enum subject_type {
    SUBJECT_MACHINE, /* id 0, always there, never opened or closed by a frame */
    SUBJECT_DEVICE,  /* number: index in order of discovery; name: the id that users see */
    SUBJECT_PROCESS, /* pid, start */
    SUBJECT_HOLDER,  /* an open descriptor of a device node: pid, start, number = descriptor */
    SUBJECT_STREAM,  /* a recording or counter session of its own: state starts fresh with it */
    SUBJECT_TYPE_COUNT
};
const char *subject_type_name(enum subject_type t);
bool subject_type_from_name(struct span name, enum subject_type *out);

/* Declared by an `open` frame, ended by a `close` frame. Ids are small, never 0 but for the machine,
 * and may be reused after close. */
struct subject {
    uint32_t id;
    uint32_t parent;  /* subject id: the process of a holder; 0 for none */
    uint32_t device;  /* subject id of the device; 0 for none */
    uint16_t backend; /* whose kinds its frames have: index in the backend table + 1; 0 none */
    uint8_t type;     /* enum subject_type */
    uint8_t reserved;
    int32_t pid;       /* 0 for none */
    uint64_t start;    /* start time of pid in clock ticks since boot; 0 unknown */
    uint64_t number;   /* see type */
    const char *name;  /* never NULL, NUL-terminated, clean UTF-8 */
    const char *facts; /* never NULL: "key=value\n" lines, NUL-terminated, see below */
};

/*
 * Facts that one must know to read a subject's bytes, or that were looked up where it was recorded:
 *   device: slot=0000:03:00.0  pci=1002:747e  subsystem=148c:2427  revision=c8  driver=amdgpu
 *           name=Radeon RX 7800 XT  card=card1  nodes=226:1,226:129
 *           node_names=card1,renderD129  platform=fb000000.gpu
 *   process: clk_tck=100  page=4096
 *   stream of a device's own sensors: apu=1|0: whether processor cores hang on what power.socket and
 *            energy.socket measure; where it is 0 these are the board's own, and may be shared out
 * A key that is not known is not there.
 */
/* The value of a fact; an empty span where it is not there. */
struct span facts_get(const char *facts, const char *key);
uint64_t facts_u64(const char *facts, const char *key, uint64_t otherwise);
/* Appends "key=value\n"; '\n' and '\r' in the value become blanks. Nothing for an empty value. */
void facts_put(struct buf *b, const char *key, struct span value);
void facts_put_u64(struct buf *b, const char *key, uint64_t value);

/* The text of /proc/PID/stat, taken apart. comm is as written, without its parentheses, and may hold anything. A number
 * that cannot be read, or that the text ends before, is told by its own err. */
struct proc_number {
    uint64_t value;
    enum err err;
};
struct proc_stat {
    struct span comm;
    char state; /* 'R', 'S', 'Z', ...; '\0' where it is no letter */
    struct proc_number ppid;
    struct proc_number utime_ticks;
    struct proc_number stime_ticks;
    struct proc_number start_ticks; /* since boot */
    struct proc_number rss_pages;
};
/* ERR_TRUNCATED: ends before the last field that is read here; ERR_FORMAT: not such a text. What stands before that
 * is read all the same. */
enum err proc_stat_read(struct span text, struct proc_stat *out);
/* Appends the same text with an empty name. */
void proc_stat_without_name(struct span text, struct buf *out);

/* ---- frame: bytes as they came --------------------------------------------------------------------- */

/* Frames of every source; a backend's own kinds follow from FRAME_BACKEND on, in the order of its
 * kinds table. Bodies of the first ones are "key=value\n" lines:
 *   machine  once, first: clk_tck, page, boot_ns (realtime at boot), version, and the options that shape
 *            the output as option.NAME
 *   begin    starts a tick: real_ns, boot_ns (CLOCK_REALTIME, CLOCK_BOOTTIME)
 *   end      ends a tick: cpu_ns, syscalls (our own cost since the last end), processes (listed), looked
 *            (into), unreadable.REASON=count (processes), devices.REASON=count (places of /sys where devices may
 *            be and could not be looked for: there may be more than are known; denied, failed_read)
 *   open     declares the subject; body: its facts
 *   close    ends the subject; body: reason=exited|closed|reused|removed|asleep
 *   state    of a device: body is power/runtime_status as read; outcome gone: no such file, so active;
 *            outcome asleep: awake and idle, and left alone in this tick so that it can fall asleep
 */
enum frame_kind {
    FRAME_MACHINE,
    FRAME_BEGIN,
    FRAME_END,
    FRAME_OPEN,
    FRAME_CLOSE,
    FRAME_STATE,
    FRAME_BACKEND = 16
};

/* A failed read is a frame too, with no bytes. t_ns: CLOCK_MONOTONIC right after the read; never goes
 * back within one subject. */
struct frame {
    int64_t t_ns;
    const char *bytes; /* borrowed; may be NULL when size is 0 */
    size_t size;
    uint32_t subject;
    int32_t sys;     /* errno of a failed read, else 0 */
    uint16_t kind;   /* enum frame_kind or FRAME_BACKEND + index */
    uint8_t outcome; /* enum outcome */
};
struct span frame_span(const struct frame *f);

/* Where a source puts its frames. The subject is the one of frame->subject, resolved. */
struct frame_sink {
    void *ctx;
    void (*frame)(void *ctx, const struct subject *s, const struct frame *f);
};

/* ---- sample, job, label: what bytes say ---------------------------------------------------------------- */

/* The space in which `client` is unique on one device. */
enum client_space {
    SPACE_NONE,   /* not about a client */
    SPACE_DRM,    /* drm-client-id */
    SPACE_HOLDER, /* a text without client id: the subject id of its descriptor */
    SPACE_PID,    /* the source names processes only */
    SPACE_CONTEXT, /* hardware context id; pid of such a client is a thread's id, 0 where nobody says it */
    SPACE_KFD,   /* ROCm process */
    SPACE_TAGGED /* one tag of a context, see client_tagged(); pid as of a context */
};
/* The client id of work of a context under a tag that its program gave it. */
static inline uint64_t client_tagged(uint32_t context, uint32_t tag) {
    return (uint64_t)tag << 32 | context;
}
static inline uint32_t client_context(uint64_t client) {
    return (uint32_t)client;
}
static inline uint32_t client_tag(uint64_t client) {
    return (uint32_t)(client >> 32);
}
#define INDEX_NONE UINT16_MAX

struct sample {
    int64_t t_ns;
    int64_t value; /* in the metric's unit x 10^-power; meaningless unless state is VALUE */
    uint64_t raw;  /* the number as the driver wrote it */
    uint64_t client;
    const char
        *name; /* engine, region or field as the driver wrote it, cleaned; borrowed, no NUL */
    uint32_t subject;
    uint32_t device; /* subject id; 0 unknown */
    int32_t pid;     /* 0 none */
    uint16_t metric; /* enum metric */
    uint16_t index;  /* INDEX_NONE for none */
    uint8_t name_len;
    uint8_t class; /* enum engine_class or region_class, by metric */
    uint8_t space; /* enum client_space */
    uint8_t state; /* enum state */
    uint8_t doubt; /* bits of enum doubt */
    uint8_t rank;  /* among sources of the same metric: higher is shown */
};

/* A stretch of busy time of one unit, priced as far as clock and voltage are known (0: unknown, unless
 * `off`). */
struct job {
    int64_t start_ns;
    int64_t end_ns;
    uint64_t client;
    const char *name; /* engine; borrowed, no NUL */
    uint64_t clock_hz;
    uint32_t voltage_uv;
    uint32_t subject;
    uint32_t device;
    int32_t pid;
    uint32_t tag;
    uint8_t name_len;
    uint8_t class;
    uint8_t space : 6;
    bool open : 1; /* still running at end_ns, which is where the recording ends */
    bool off : 1;  /* without power: clock and voltage are 0, and so is the price */
    uint8_t doubt; /* bits of enum doubt, about its price */
};

enum label_kind {
    LABEL_DRIVER,      /* of a client's text */
    LABEL_PCI,         /* address as printed in a client's text */
    LABEL_CLIENT_NAME, /* drm-client-name */
    LABEL_COMM,
    LABEL_COMMAND, /* command line, arguments separated by single blanks */
    LABEL_USER,    /* login name, else the number */
    LABEL_CONTAINER,
    LABEL_CGROUP,
    LABEL_NSPID, /* innermost pid */
    LABEL_KIND_COUNT
};
const char *label_kind_name(enum label_kind k);

/* A text of up to 4 KiB, cleaned; borrowed, no NUL. An empty text says that there is none. */
struct label {
    int64_t t_ns;
    uint64_t client;
    const char *text;
    uint32_t len;
    uint32_t subject;
    uint32_t device;
    int32_t pid;
    uint8_t kind; /* enum label_kind */
    uint8_t space;
};
#define LABEL_MAX 4096

/* What became of the units (lines, records, bytes) of a frame; the four add up to the units read. */
struct counts {
    uint64_t accepted;
    uint64_t ignored;
    uint64_t malformed;
    uint64_t truncated;
    uint64_t reasons[REASON_COUNT];
};
void counts_add(struct counts *to, const struct counts *more);
/* One more unit that became this, and why. */
void counts_ignored(struct counts *c, enum reason why);
void counts_malformed(struct counts *c, enum reason why);
void counts_truncated(struct counts *c, enum reason why);

/* Where decode puts what it reads. Slots may be NULL. */
struct sink {
    void *ctx;
    void (*sample)(void *ctx, const struct sample *s);
    void (*job)(void *ctx, const struct job *j);
    void (*label)(void *ctx, const struct label *l);
};

/* Who listens on the bus: the frame as it came, then what it says, then what became of it. */
struct subscriber {
    struct sink sink;
    void (*frame)(void *ctx, const struct subject *s, const struct frame *f);
    void (*done)(void *ctx, const struct subject *s, const struct frame *f,
                 const struct counts *counts);
};

/* ---- PseudoWatt ------------------------------------------------------------------------------------------- */

/* PW·s of `busy_ns` at this clock and voltage: V^2 x f x t / 266e6. 1 PW is one unit at 266 MHz and
 * 1 V. The one place where this formula stands. */
double pseudowatt_seconds(uint64_t clock_hz, uint32_t voltage_uv, int64_t busy_ns);
/* The same of so many busy cycles, each times the square of the voltage (V^2) that it ran at. */
double pseudowatt_cycles(double cycles_v2);

/* ---- track: who runs on which unit, at which clock and voltage ------------------------------- */

/*
 * Starts, stops and rates in; jobs out. A unit runs one job at a time, and all units share one
 * rate. A job comes out in segments: one ends where the job does, where the rate changes, and
 * where the recording is cut. Each ends at the stamp of what ends it and begins where the one
 * before it on its unit ended. A stamp that lies before the beginning ends a segment of no
 * length: that one is not given out, and the beginning stays. So no time of a unit is given out
 * twice, in whatever order stamps come.
 *
 * The state is flat, without pointers; a zeroed one is one of idle units at an unknown rate.
 * Times are in ns, not negative. A unit that does not exist does nothing and is idle.
 */
#define TRACK_UNITS 16
#define TRACK_HELD  16 /* segments after a mark, per unit */

struct track_rate {
    uint64_t clock_hz;   /* 0 unknown */
    uint32_t voltage_uv; /* 0 unknown */
    uint8_t doubt;       /* bits of enum doubt */
    bool off;            /* no power: clock and voltage are 0, and known */
};

struct track_owner {
    uint64_t client;
    int32_t pid; /* 0 unknown */
    uint32_t tag;
};

struct track_unit {
    struct track_owner owner;
    int64_t since_ns; /* what lies before was given out, or is held */
    uint8_t state;    /* idle, running, suspended */
    uint8_t held;     /* segments after the mark */
    bool marked;
    bool told; /* was counted as open */
};

struct track_held {
    int64_t start_ns;
    int64_t end_ns;
    struct track_rate rate;
};

struct track {
    struct track_rate rate;
    struct track_unit units[TRACK_UNITS];
    struct track_held held[TRACK_UNITS][TRACK_HELD];
};

/* Whose units these are, and who hears of their jobs; borrowed for each call. */
struct track_out {
    const struct sink *sink;
    const char *const *names; /* of the units that are used, at most 255 bytes each */
    uint32_t subject;
    uint32_t device;
    uint8_t class;     /* enum engine_class of all units */
    uint8_t space : 6; /* enum client_space of their owners */
};

/* A job begins. True if another one, running or suspended, ended by that: its time goes up to
 * here. */
bool track_start(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns,
                 const struct track_owner *owner);
/* The job ends: here, or at the mark. False if there is none. */
bool track_stop(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns);
/* The unit waits, with the same owner, and is not busy until the job is resumed. Nothing where no
 * job runs, or where none is suspended. */
void track_suspend(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns);
void track_resume(struct track *t, unsigned unit, int64_t at_ns);
/* The running job may have come to its end here. If it stops without another mark, it ended here;
 * if anything else happens to it, it had not. */
void track_mark(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns);
/* The rate from here on. Nothing where it is what it was. */
void track_change(struct track *t, const struct track_out *out, int64_t at_ns,
                  const struct track_rate *rate);
/* The recording ends here, for now: what runs is given out up to here, or up to its mark, as open.
 * Jobs go on if more follows. Returns how many jobs, suspended ones among them, are open that were not when this was
 * last asked. */
unsigned track_cut(struct track *t, const struct track_out *out, int64_t at_ns);
/* All jobs end here, and what comes next may have stamps of any other time. The rate stays. */
void track_end(struct track *t, const struct track_out *out, int64_t at_ns);
/* NULL for an idle unit. */
const struct track_owner *track_owner_of(const struct track *t, unsigned unit);

/* ---- sources and backends ------------------------------------------------------------------------------------ */

/* What a source waits for; both may be set. */
struct source_wait {
    int fd;         /* readable when there is something; -1 none */
    int64_t due_ns; /* CLOCK_MONOTONIC; INT64_MAX never */
};

/* Wishes of the screen or output to the sources: the only arrow back. */
struct want_process {
    uint32_t subject; /* id of the open process subject */
    int32_t pid;
    uint64_t start;
};
struct want {
    const struct want_process *processes; /* all open process subjects, any order */
    size_t process_count;
    int32_t detail_pid; /* one process to look at closely; 0 none */
    /* Pids that a recording of jobs spoke of and whose process nobody told anything about yet, any order. */
    const int32_t *nameless;
    size_t nameless_count;
    /* Optional: asked within a read, after all others have told theirs, for pids that were named in it. Only where
     * frames are taken in by the one who reads; it lasts as long as the source. */
    const struct want_late *late;
};
struct want_late {
    void *ctx;
    size_t (*pids)(void *ctx, const int32_t **out); /* valid until the next frame */
};

struct source;
struct source_ops {
    /* What to wait for. No I/O. */
    void (*poll)(struct source *s, int64_t now_ns, struct source_wait *out);
    /* Gathers what is due and emits it. Frames hold bytes as they came and nothing concluded. ERR_OK: a
     * tick was emitted; ERR_AGAIN: nothing due; ERR_END: a recording is over; any other: this source is
     * lost, detail in the log. A single failed read is a frame, not an error. */
    enum err (*read)(struct source *s, int64_t now_ns, const struct frame_sink *sink);
    /* Optional. `w` is borrowed for the call. */
    void (*want)(struct source *s, const struct want *w);
    /* Optional: tells the names of these processes, as well as it can at once. After a read, and of the same tick. */
    void (*name)(struct source *s, const int32_t *pids, size_t count, const struct frame_sink *sink);
    /* Accepts NULL; may follow any failure; frees the source. */
    void (*close)(struct source *s);
};
/* First member of every source. */
struct source {
    const struct source_ops *ops;
};

/* A fold is decode with memory: for streams. State is flat and belongs to the bus, one per subject. */
struct fold {
    size_t size;
    void (*init)(void *state, const struct subject *s);
    void (*feed)(void *state, const struct subject *s, const struct frame *f,
                 const struct sink *sink, struct counts *counts);
    /* At the end of each tick and at the end of input; optional. Adds to `counts` what only the end
     * tells: units that never came to theirs, what was left running. */
    void (*tick)(void *state, const struct subject *s, int64_t t_ns, const struct sink *sink,
                 struct counts *counts);
};

/* What the units of a vendor file so far leave to the next one, where they tell their time only one after another;
 * zeroed at the start. */
struct file_trail {
    uint64_t word[6];
};

/* A vendor file that is not a gwtop trace; all pure. */
struct vendor_file {
    /* Optional: what the whole file says of itself. scan sees all of it, in pieces of whole units as cut and next
     * make them (the last may be torn), before any is a frame; the state is flat and begins zeroed. say_facts
     * says what came of it. */
    size_t scan_size;
    void (*scan)(void *state, struct span piece);
    void (*say_facts)(const void *state, struct buf *facts);
    /* Optional: whether a file that begins so is of this kind, where the user did not say. more: of what is still
     * being written, and a head that may yet become one is enough. */
    bool (*recognise)(struct span head, bool more);
    /* Bytes of the longest run of whole units at the start of `rest`. NULL: the file is one reading, or
     * lines where the kind folds. */
    size_t (*cut)(struct span rest);
    /* Optional, beside cut: bytes of the first whole unit of `rest` (0: there is none) and the time at which it
     * stands by the file's own clock in ns, INT64_MIN where it tells none. A file whose kind has it is
     * replayed in ticks of its own time. */
    size_t (*next)(struct span rest, int64_t *t_ns);
    /* Optional, in place of next: the same for a file whose first head_size (at most 64) bytes, which are its first unit,
     * tell how large all others are. `head` is these; empty where `rest` is the file's start. */
    size_t head_size;
    size_t (*next_after)(struct span head, struct span rest, int64_t *t_ns);
    /* Optional, in place of next: the same for a file whose units tell their time by what its facts say (those of
     * say_facts and the user's), and by the units before. The plan is flat, begins zeroed and is made once; scan
     * comes first. The trail becomes that of the unit; it means nothing where there is none. */
    size_t plan_size;
    void (*plan)(void *plan, const char *facts);
    size_t (*next_by)(const void *plan, struct file_trail *trail, struct span rest, int64_t *t_ns);
    /* Id and facts ("key=value\n") of the device that such a file is about; NULL: its subject belongs to no
     * device, and what it says to no row of a table. */
    const char *device;
    const char *device_facts;
};

/* One kind of frame of one backend: what it yields and what it needs. */
struct kind {
    const char *name;      /* unique in its backend; in traces and in `gwtop decode NAME` */
    const char *unit;      /* what its counts count: "lines", "records", "bytes" */
    const uint16_t *gives; /* metrics that a failed read of it leaves unsaid; may be NULL */
    size_t give_count;
    const char *right; /* which right it needs, for people; NULL none */
    const char *lost;  /* what is not shown without it */
    /* Exactly one of the two. decode is pure and stateless, takes any bytes, allocates nothing, and
     * adds to `counts`. It is called with outcome OK only. */
    void (*decode)(const struct subject *s, const struct frame *f, const struct sink *sink,
                   struct counts *counts);
    const struct fold *fold;
    /* Of a fold: its frames are what gwtop reads anyway, and so no sign that anybody uses the device. */
    bool passive;
    /* Its frames are of a session that was asked for: while its stream is open the device is kept awake. One
     * that failed says why there is none. */
    bool session;
    /* Optional: the same body with names, users and command lines taken out (appended to `out`); still
     * decodes. NULL: the body holds nothing personal. */
    void (*scrub)(struct span body, struct buf *out);
    const struct vendor_file *file; /* optional: `gwtop decode NAME FILE` */
};

/* What live knows of a device before any backend opens; texts borrowed, "" for unknown. */
struct device_info {
    const struct subject *subject;
    const char *driver;
    const char *sys_path; /* below the root, e.g. "sys/devices/pci0000:00/0000:03:00.0" */
    const char *slot;     /* PCI address or "" */
};

/* ---- check: what a source needs and has, for `gwtop doctor` ---------------------------------- */

#define CHECK_STATE_LIST(X)                                                                        \
    X(OK, "ok")                                                                                    \
    X(MISSING, "missing")         /* somebody could bring it: a module, a mount */                 \
    X(DENIED, "denied")           /* a right is missing */                                         \
    X(OFF, "off")                 /* there, and not asked for, or its knob is off */               \
    X(ASLEEP, "asleep")           /* left alone */                                                 \
    X(UNSUPPORTED, "unsupported") /* this driver, kernel or hardware has none */
enum check_state {
#define CHECK_ENUM(name, text) CHECK_##name,
    CHECK_STATE_LIST(CHECK_ENUM)
#undef CHECK_ENUM
        CHECK_STATE_COUNT
};
const char *check_state_name(enum check_state s);
/* Of a file that could not be looked at, by errno; 0: OK. */
enum check_state check_state_from_sys(int sys);
/* The same of what a driver shows where the hardware and the kernel have it: no command brings what is not there. */
enum check_state check_state_of_feature(int sys);

/* Texts are for people, borrowed for the call, NULL for none. */
struct check {
    const char *source; /* short name; that of a kind where it is about one */
    const char *path;   /* below the root */
    const char *need;   /* what it takes */
    const char *lost;   /* what is not shown without it */
    const char *command;    /* what grants it, for a shell, where it is no capability */
    const char *capability; /* what grants it to gwtop alone, as "cap_perfmon" */
    const char *unsafe;     /* what is bad about granting it */
    uint8_t state;          /* enum check_state */
    uint8_t gain;           /* 0 (nothing) to 9: how much more is shown with it */
};
/* Of a kind, which tells what it needs and what is lost. */
struct check check_of_kind(const struct kind *k, enum check_state state, const char *path);

struct check_sink {
    void *ctx;
    uint32_t unreadable; /* processes that could not be looked into just now */
    void (*check)(void *ctx, const struct check *c);
};
/* Tells it with how much more is shown with it. */
void check_tell(const struct check_sink *sink, struct check c, uint8_t gain);

/* One data path; const, found through the table. */
struct backend {
    const char *name;
    /* Does this backend have something here? device NULL: for the machine as a whole. Opens nothing that
     * outlives the call, wakes nothing. */
    bool (*probe)(const struct host *host, const struct device_info *device);
    /* Sets *out only on success. `host` outlives the source. */
    enum err (*open)(struct host *host, const struct device_info *device, struct source **out);
    /* Optional: tells of each source that it has of this device (NULL: of the machine) what it takes, and whether it
     * could be read now. Looks at names, modes and plain settings alone; opens no device, turns nothing, wakes nothing.
     * Not called for a device that sleeps. */
    void (*check)(struct host *host, const struct device_info *device,
                  const struct check_sink *sink);
    const struct kind *kinds;
    size_t kind_count;
    /* Process subjects, which all sources share, are this backend's: frames about them are of its kinds.
     * At most one in a table; others open subjects of their own below a process. */
    bool owns_processes;
    /* Its source looks into processes, in every tick those that came: what that takes is not dropped with the other
     * rights, and opening it took all that others need. */
    bool walks_processes;
};

/* The table that the app hands to whoever needs it (src/backend/backends.def). */
struct backend_table {
    const struct backend *const *list;
    size_t count;
};
/* The kind of a frame, or NULL (built-in frames, unknown ones). */
const struct kind *backend_kind(const struct backend_table *t, const struct subject *s,
                                unsigned frame_kind);
/* The backend's index + 1, or 0. */
unsigned backend_find(const struct backend_table *t, struct span name);
/* The word for a frame's kind in a trace: "open", "fdinfo", ...; NULL for none. */
const char *frame_kind_name(const struct backend_table *t, const struct subject *s, unsigned kind);
/* Back from the word; UINT_MAX for none. */
unsigned frame_kind_find(const struct backend_table *t, const struct subject *s, struct span name);

#endif
