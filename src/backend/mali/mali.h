/*
 * Mali-400/450 internal profiling, within this folder: lines of the driver's `events` file, what
 * they mean in which dialect, and what the rate of the GPU is by them.
 *
 * What becomes of a line: accepted is an event that some release of the driver posts, also where
 * it changes nothing; ignored is one that none does, or whose meaning depends on a dialect that
 * is not known. What is odd about accepted ones is counted beside them (stop_on_idle,
 * start_on_busy, backward_timestamps, gap, unpriced, and at the end open_at_end and buffer_full).
 */
#ifndef GWTOP_BACKEND_MALI_H
#define GWTOP_BACKEND_MALI_H

#include "gwtop/core.h"

enum { MALI_EVENTS = FRAME_BACKEND, MALI_WINDOW, MALI_TRACE_TEXT, MALI_TRACE_PAGE };

/* ---- lines ----------------------------------------------------------------------------------- */

/* A longer line is none of the driver's. */
#define MALI_LINE_MAX 256

struct mali_event {
    int64_t t_ns;
    uint32_t id;
    uint32_t d[5];
};

enum mali_line {
    MALI_LINE_EVENT,
    MALI_LINE_BAD_TEXT,
    MALI_LINE_OUT_OF_RANGE,
    MALI_LINE_CUT /* it ends where more is to come, and was not `whole` */
};
/* The stamp that a line begins with; -1: it begins with none. */
int64_t mali_line_stamp(struct span line);
/* A line without its '\n'; whole: there was one, so that a number at its end is complete. The
 * tail that events_human_readable puts behind a '#' is not looked at. */
enum mali_line mali_line_parse(struct span line, bool whole, struct mali_event *out);

/* ---- meaning --------------------------------------------------------------------------------- */

/* Software events 4 and 5 are clock and voltage in Samsung's releases, other things in ARM's. */
enum mali_dialect { MALI_DIALECT_UNKNOWN, MALI_DIALECT_SAMSUNG, MALI_DIALECT_ARM };

enum mali_act {
    MALI_UNKNOWN, /* posted by no known release, or by a user of the GPU in the driver's name */
    MALI_NOTHING, /* known, and changes nothing here */
    MALI_START,   /* d0: pid */
    MALI_STOP,    /* d0, d1: counters, d2: their sources */
    MALI_SUSPEND,
    MALI_RESUME,
    MALI_INTERRUPT,
    MALI_CLOCK,   /* d0: Hz */
    MALI_VOLTAGE, /* d0: uV */
    MALI_RATE     /* d0, d1: both, or two zeros for no power */
};
enum mali_act mali_event_act(const struct mali_event *e, enum mali_dialect dialect);

#define MALI_UNITS 12
/* GP0 to GP3, PP0 to PP7. */
extern const char *const mali_unit_names[MALI_UNITS];
/* The unit of an event that is about one; else MALI_UNITS. */
unsigned mali_event_unit(const struct mali_event *e);

/* ---- dialect --------------------------------------------------------------------------------- */

/* What was seen of a recording so far; zeroed at its beginning. */
struct mali_look {
    uint64_t events;  /* software events 4 and 5 */
    uint64_t tails;   /* of them with one */
    uint64_t samsung; /* as only the driver can post them */
    uint64_t requests;
    uint64_t arm;
    uint64_t clock_before; /* by the first event that tells a clock; 0: it did not */
    bool before_is_said;   /* a 4412: there a clock event with 0 tells the clock until then */
    bool clock_seen;
};
/* Whole lines, in their order; all of the recording is to be looked at. */
void mali_dialect_look(struct mali_look *l, struct span lines);
/*
 * Says facts of it, nothing where there is no event:
 *   dialect=samsung|arm     nothing where it cannot be told
 *   clock_before=160000000  Hz before the first event about it, as Samsung's dialect has it
 */
void mali_dialect_say(const struct mali_look *l, struct buf *facts);
/* Both, of a recording that is at hand as a whole. */
void mali_dialect_scan(struct span file, struct buf *facts);
enum mali_dialect mali_dialect_of(const char *facts);

/* ---- chips ----------------------------------------------------------------------------------- */

/* 1 + index of a chip in the table; 0 for a name that is not there. */
unsigned mali_soc_find(struct span name);
/* NULL past the last. */
const char *mali_soc_name(unsigned soc);
/* The usual voltage in uV at this clock; 0 for no chip, and where its table has none within 2 %. */
uint32_t mali_soc_voltage(unsigned soc, uint64_t clock_hz);

/* ---- rate ------------------------------------------------------------------------------------ */

/* What the driver said, as far as it can be believed: 0 is unknown. Zeroed: nothing said, no way
 * to fill in. */
struct mali_rate {
    uint64_t clock_hz;
    uint32_t voltage_uv;
    bool off;
    uint64_t good_clock_hz; /* the last pair of which both were known */
    uint32_t good_voltage_uv;
    uint32_t soc;        /* whose table fills in a voltage; 0 none */
    uint32_t assumed_uv; /* where neither driver nor table knows; 0 none */
};
/* Who fills in what is missing: facts soc= and assume_voltage_uv=; what is known before the first
 * event: clock_hz= and voltage_uv=. */
void mali_rate_init(struct mali_rate *r, const char *facts);
void mali_rate_clock(struct mali_rate *r, uint64_t clock_hz);
void mali_rate_voltage(struct mali_rate *r, uint32_t voltage_uv);
/* Both numbers of one event, in whatever units they are. */
void mali_rate_pair(struct mali_rate *r, uint32_t clock, uint32_t voltage);
/* A job starts, so there is power. True if it was off. */
bool mali_rate_wake(struct mali_rate *r);
struct track_rate mali_rate_now(const struct mali_rate *r);

/* ---- run: events in, jobs out ---------------------------------------------------------------- */

/* Flat; belongs to a fold's state. */
struct mali_run {
    struct track track;
    struct mali_rate rate;
    int64_t base_ns;       /* first stamp of this time */
    int64_t newest_ns;     /* greatest stamp of this time; -1 before the first */
    int64_t greatest_ns;   /* of all times */
    int64_t wall_ns;       /* all times together are no longer; 0 not known */
    int64_t spent_ns;      /* of it, by the times before this one */
    struct mali_event far; /* stands far back, and is not believed yet */
    bool has_far;
    uint32_t open_told;
    uint8_t dialect;
    bool end_at_interrupt;
    bool drop_unpriced;
    bool cycles;
};
/* By the facts that mali_events_fold lists. */
void mali_run_init(struct mali_run *it, const struct subject *s);

/* One call of a fold's feed or tick. */
struct mali_flow {
    struct mali_run *state;
    const struct subject *subject;
    const struct sink *sink;
    struct counts *counts;
    struct sink jobs; /* on their way to `sink` */
    struct track_out out;
};
/* `f` stays where it is: it points into itself. */
void mali_flow_init(struct mali_flow *f, struct mali_run *state, const struct subject *s,
                    const struct sink *sink, struct counts *counts);
/* Counts it as accepted or ignored, and does what it says. */
void mali_flow_event(struct mali_flow *f, const struct mali_event *e);
/* The rate changed, to what is not known. */
void mali_flow_rate_unknown(struct mali_flow *f, int64_t t_ns);
/* So many records (at least 1) are missing here: what runs ends at the last stamp before. */
void mali_flow_lost(struct mali_flow *f, uint64_t records);
/* What runs is open here, at the end of a tick. */
void mali_flow_cut(struct mali_flow *f);

/* ---- fold ------------------------------------------------------------------------------------ */

/*
 * Facts of its subject, none of which must be there: dialect=samsung|arm, soc=NAME,
 * assume_voltage_uv=N, end=stop|interrupt (where a job's busy time ends), drop_unpriced=1 (jobs
 * without price are left out), backfill=1 (clock_before counts), clock=cycles (stamps are no
 * times, and so nothing is a job; other words change nothing), wall_ns=N (it was recorded for no
 * longer than that; also how far stamps may jump, else 10 s). Where it has a parent the jobs are
 * of that one, which outlasts it.
 */
extern const struct fold mali_events_fold;

/* ---- live ------------------------------------------------------------------------------------ */

/* How much of the time was recorded: "key=value" lines recorded_ns, interval_ns, lines,
 * clock=realtime|boottime|cycles|unknown; or other_recorder=1 alone. Pure. */
void mali_window_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts);
extern const uint16_t mali_window_gives[1];

extern const struct backend backend_mali;
bool mali_probe(const struct host *host, const struct device_info *device);
enum err mali_open(struct host *host, const struct device_info *device, struct source **out);
void mali_check(struct host *host, const struct device_info *device, const struct check_sink *sink);

#endif
