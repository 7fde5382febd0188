/*
 * How a snapshot is laid out: shared by the files that write its parts. Private to acct.
 *
 * One pass over the rows, each with its clients; what they add up to on their device is summed on
 * the way (`now` of the engine names, `device` of the region names). Then the devices.
 */
#ifndef GWTOP_ACCT_BUILD_H
#define GWTOP_ACCT_BUILD_H

#include "work.h"

/* The row that is being written, and what its clients said so far. States as bits. */
struct row_state {
    uint32_t index;
    uint32_t first;       /* of its clients in their order */
    bool alone;           /* it has one client, and no context */
    bool same_engines;    /* as its one client, which had no other owner, nor it another client */
    unsigned engine_bits; /* states of engines, also of those that its clients do not tell at all */
    unsigned no_memory;   /* states of memory that its clients do not tell at all */
    unsigned memory_from; /* bit per group of clients, see build_memory.c */
    bool grew;            /* engine time did */
    bool fresh;           /* a client is new: what it did before is not known */
    bool unsure;          /* some engine time is not known in this tick */
    bool partial;         /* of some engines nothing is ever told */
    bool priceable;       /* the device tells clock and voltage */
    struct value busiest; /* below 0: none is known */
    struct total total;
    int64_t type_ns[TYPE_MEDIA + 1]; /* by what the engines are for */
};

/* The arrays have room for all that there is. */
struct build {
    struct acct *a;
    struct snapshot *s; /* counts grow as elements are written */
    struct snap_device *devices;
    struct snap_process *processes;
    struct snap_unattributed *unattributed;
    struct snap_client *clients;
    struct snap_engine *engines;
    struct snap_memory *memory;
    struct snap_metric *metrics;
    struct snap_context *contexts;
    struct row_state row;
};

/* ---- build_engine.c -------------------------------------------------------------------------- */

void build_engines_start(struct build *b);
struct run build_client_engines(struct build *b, const struct client *c);
/* The same of a context; its lines are not kept. */
void build_context_engines(struct build *b, const struct client *c);
/* Fills engines, busy_ppm, busy_ns, type. */
void build_row_engines(struct build *b, struct row *r, struct snap_process *out);
/* Fills engines, busy_ppm. */
void build_device_engines(struct build *b, const struct device *d, struct snap_device *out);
/* Share of an engine over all its clients, cut where it is more than there is. */
struct value build_engine_sum(const struct build *b, const struct device *d,
                              const struct engine_name *n);
/* What a total is where the rate beside it is `rate`. */
struct value build_total(const struct total *t, struct value rate);
/* Its PW s where its busy time is `busy`: nothing costs nothing where there is a way to price it. */
struct real build_price(const struct total *t, struct value busy, bool priceable);
struct value build_unpriced(const struct total *t, struct value busy);

/* ---- build_memory.c -------------------------------------------------------------------------- */

void build_memory_start(struct build *b);
struct run build_client_memory(struct build *b, const struct client *c);
/* Fills memory, vram, gtt, shared. */
void build_row_memory(struct build *b, const struct row *r, struct snap_process *out);
void build_device_memory(struct build *b, uint32_t device, struct snap_device *out);

/* ---- build_context.c ------------------------------------------------------------------------- */

/* The contexts of the row that is being written; *next is where they start in the order of clients.
 * `process`: its index in the snapshot, or UINT32_MAX. */
struct run build_contexts(struct build *b, uint32_t *next, uint32_t process);

/* ---- build_row.c, build_device.c, build_loose.c ---------------------------------------------- */

/* Processes with their clients. */
void build_rows(struct build *b);
void build_devices(struct build *b);
/* The row of what belongs to none of the processes. *activity: what the device's own busy sensor
 * says, as far as it can be trusted. */
void build_loose(struct build *b, struct device *d, struct value *activity);
/* Whether clients of it were read before and are not in this tick. */
bool build_owes_work(const struct build *b, const struct device *d);

/* ---- build_power.c --------------------------------------------------------------------------- */

/* Closes the interval of energy of each device, shares it out and writes what rows and devices cost. */
void build_power(struct build *b);

#endif
