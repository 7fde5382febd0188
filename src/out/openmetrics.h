/*
 * OpenMetrics 1.0 text: families, how samples are written, which processes have series of their own, and what
 * the others come to.
 */
#ifndef OUT_OPENMETRICS_H
#define OUT_OPENMETRICS_H

#include "state.h"

/* ---- families --------------------------------------------------------------------------------- */

enum om_type { OM_GAUGE, OM_COUNTER, OM_INFO, OM_STATESET };
const char *om_type_name(unsigned type);

enum om_id {
#define FAMILY(id, name, unit, type, since, doc) OM_##id,
#include "openmetrics.def"
#undef FAMILY
    OM_OWN
};

/* One of openmetrics.def, or (`metric`) a metric of metrics.def, whose name follows from its own: "clock.gfx" in
 * Hz is gwtop_clock_gfx_hertz. */
struct om_family {
    const char *name; /* NULL: of a metric */
    const struct metric_info *metric;
    const char *unit; /* "" for none */
    const char *doc;
    uint8_t type; /* enum om_type */
    bool since;   /* counts from the start of gwtop */
};
/* OM_OWN families, then one of each metric; false past the last. */
bool om_family_at(unsigned i, struct om_family *out);
void om_put_family_name(struct buf *b, const struct om_family *f);

/* ---- samples ----------------------------------------------------------------------------------- */

/* What is being written. The head of a family stands before its first sample; one without samples has none. */
struct om {
    struct buf *b;
    struct om_family family;
    bool headed;
    bool labelled; /* the sample at hand has a label */
    bool brief;    /* what counts from the start of gwtop is left out */
};
/* False where the family is left out. */
bool om_begin(struct om *o, unsigned family);
/* A sample: name, then labels (none for an empty text), then one number. */
void om_sample(struct om *o);
void om_label(struct om *o, const char *name, struct span value);
void om_label_u64(struct om *o, const char *name, uint64_t value);
void om_decimal(struct om *o, int64_t v, unsigned power); /* v x 10^-power */
void om_double(struct om *o, double v);

/* Whether there is such a number: there is no series of what nobody measured. A counter is never below 0. */
bool om_has(const struct om *o, struct value v);
bool om_has_real(struct real r);

/* ---- which processes have series of their own, and what the others come to ---------------------- */

#define OM_TOP 50

/* Totals of one kind of one device. */
enum om_total { OM_TIME, OM_ENGINE_TIME, OM_ENERGY, OM_WORK, OM_LEFT_UNPRICED, OM_TOTALS };
struct om_share {
    double total;  /* of those with series of their own: so far */
    double growth; /* and since the last tick, of those that had one then too */
    double rest;   /* of the others so far: never goes back */
    bool known;    /* `rest` is */
};
/* The others on a device. */
struct om_rest {
    uint32_t processes; /* there now or not long ago */
    uint32_t alive; /* all on the device that did not exit, with or without series of their own */
    uint64_t clients;
    struct value busy_ppm;
    struct real watts;
    struct real pw;
    uint8_t method; /* enum power_method of the last one */
    struct om_share totals[OM_TOTALS];
};
struct om_rest_engine {
    struct value busy_ppm;
    struct om_share time;
};
struct om_rest_memory {
    struct value bytes;  /* what each does not share, and the largest of what is shared */
    struct value shared; /* the largest */
};

struct om_entry {
    double whole;
    double rest;
};
/* What was told in the last tick, so that growth is known; two generations, of which the older is forgotten. */
struct om_ledger {
    struct map map[2];
    struct om_entry *entries[2];
    uint32_t cap[2];
    uint32_t count[2];
    unsigned now;
};

struct openmetrics {
    struct om_ledger ledger;
    uint8_t *shown; /* by process */
    uint32_t shown_cap;
    struct om_rest *rests; /* by device */
    uint32_t rest_cap;
    struct om_rest_engine *engines; /* by engine of a device, as in the snapshot */
    uint32_t engine_cap;
    struct om_rest_memory *memory; /* by memory line of a device */
    uint32_t memory_cap;
    int64_t cpu_ns; /* of all ticks so far */
    int64_t calls;
};

/* ERR_NOMEM: nothing is known of the rest. */
enum err om_gather(struct openmetrics *m, struct out_state *st, const struct snapshot *s);
void om_gather_finish(struct openmetrics *m);
/* What a line of memory shows: resident, else legacy, else total. */
struct value om_memory_shown(const struct snap_memory *m);

/* ---- parts of an exposition ----------------------------------------------------------------------- */

/* The tick at hand. */
struct om_tick {
    struct om o;
    const struct out_state *st;
    const struct openmetrics *m;
    const struct snapshot *s;
};
void om_put_devices(struct om_tick *t);
void om_put_metrics(struct om_tick *t);
void om_put_processes(struct om_tick *t);

#endif
