/*
 * What the files of acct do for one another. Private to acct.
 */
#ifndef GWTOP_ACCT_WORK_H
#define GWTOP_ACCT_WORK_H

#include "state.h"

/* ---- names.c --------------------------------------------------------------------------------- */

struct span name_get(const struct acct *a, struct text_ref r);
/* Makes *ref the text; true if it changed. */
bool name_set(struct acct *a, struct text_ref *ref, struct span text);
void name_drop(struct acct *a, struct text_ref *ref);
/* When more than half is waste. */
void names_compact(struct acct *a);
/* The number of a text that many things share: the same for the same text, for good. NONE for an
 * empty one. */
uint32_t word_get(struct acct *a, struct span text);
struct text_ref word_ref(const struct acct *a, uint32_t word);
static inline bool word_is(const struct acct *a, uint32_t word, struct span text) {
    return span_same(name_get(a, word_ref(a, word)), text);
}
/* By class, then bytes: negative, 0, positive. */
int name_order(uint8_t class_a, struct span a, uint8_t class_b, struct span b);

/* ---- subject.c ------------------------------------------------------------------------------- */

/* How a subject ended. */
enum ending { ENDED_CLOSED, ENDED_EXITED };

void subject_open(struct acct *a, const struct subject *s);
void subject_close(struct acct *a, uint32_t id, enum ending how, int64_t t_ns);
/* The entry; one never opened is opened. NONE for the machine. */
uint32_t subject_see(struct acct *a, const struct subject *s);
/* Device of a sample or label: the subject id it names, else the entry's own. NONE unknown. */
uint32_t subject_device(const struct acct *a, uint32_t entry, uint32_t device_id);
/* Process of a sample or label: by pid where it names one, else the entry's own. NONE unknown. */
uint32_t subject_process(const struct acct *a, uint32_t entry, int32_t pid);

/* ---- device.c -------------------------------------------------------------------------------- */

uint32_t device_open(struct acct *a, const struct subject *s);
/* For clients whose device is not known. */
uint32_t device_nameless(struct acct *a);
/* A device that no subject stands for: known by its slot, which is its id too, or by one of its
 * nodes. `slot` is no text of acct's own; node and driver are words, the driver may be NONE. */
uint32_t device_of_slot(struct acct *a, struct span slot, uint32_t driver);
uint32_t device_of_node(struct acct *a, uint32_t node, uint32_t driver);
void device_close(struct acct *a, uint32_t device);
void device_set_state(struct acct *a, uint32_t device, enum device_state state, int64_t t_ns);
/* What a read of its own sensors came to. */
void device_was_read(struct acct *a, uint32_t device, uint8_t outcome);
static inline bool device_is_awake(const struct device *d) {
    return d->state == DEVICE_ACTIVE || d->state == DEVICE_DENIED;
}
/* Awake, and not looked at all the same. */
static inline bool device_left_alone(const struct device *d) {
    return (d->said_asleep || d->passed_over) && d->state == DEVICE_ACTIVE;
}
void device_set_driver(struct acct *a, uint32_t device, struct span driver);
bool driver_omits_zero(struct span driver);
/* The names of a device; NONE where it has too many. */
uint32_t device_engine(struct acct *a, uint32_t device, struct span name, uint8_t class);
uint32_t device_region(struct acct *a, uint32_t device, struct span name, uint8_t class);

/* ---- process.c ------------------------------------------------------------------------------- */

uint32_t process_get(struct acct *a, int32_t pid, uint64_t start);
void process_exited(struct acct *a, uint32_t process, int64_t t_ns);
/* Frees it if nothing speaks of it any more. */
void process_release(struct acct *a, uint32_t process);
void process_label(struct acct *a, uint32_t process, const struct label *l);
void process_sample(struct acct *a, uint32_t process, const struct sample *s);
struct value process_cpu_ppm(const struct acct *a, const struct process *p);
struct value process_start_ns(const struct acct *a, const struct process *p);

/* ---- row.c ----------------------------------------------------------------------------------- */

uint32_t row_get(struct acct *a, uint32_t process, uint32_t device);
/* The row's line for an engine name. */
uint32_t row_engine_get(struct acct *a, uint32_t row, uint32_t name);
/* How long is kept what nobody speaks of any more. */
int64_t keep_time_ns(const struct acct *a);
void rows_sweep(struct acct *a);

/* ---- holder.c -------------------------------------------------------------------------------- */

uint32_t holder_open(struct acct *a, uint32_t subject, uint32_t process, uint32_t device);
void holder_close(struct acct *a, uint32_t holder);
/* The holder of one of many clients that a subject speaks of. */
uint32_t holder_of_many(struct acct *a, uint32_t subject, uint32_t process, uint32_t client);
void holder_set_client(struct acct *a, uint32_t holder, uint32_t client); /* or NONE */
/* A read that failed. */
void holder_failed(struct acct *a, uint32_t holder, uint8_t outcome);
void holders_forget_stale(struct acct *a);

/* ---- client.c -------------------------------------------------------------------------------- */

/* NONE where there is none. `pid`: of a context, else 0. */
uint32_t client_find(const struct acct *a, uint32_t device, uint8_t space, uint64_t id,
                     int32_t pid);
uint32_t client_get(struct acct *a, uint32_t device, uint8_t space, uint64_t id, int32_t pid);
static inline bool client_is(const struct client *c, uint32_t device, uint8_t space, uint64_t id) {
    return c->device == device && c->space == space && c->id == id;
}
void client_mark(struct acct *a, uint32_t client); /* to be settled when the tick ends */
/* Is an engine that its text does not name one that it never used? */
bool client_omits_zero(const struct acct *a, const struct client *c);
/* The state of what its text does not name at all. */
uint8_t client_unread(const struct acct *a, const struct client *c);
/* Decides who owns it, works out its readings, frees it when nobody holds it. */
void client_settle(struct acct *a, uint32_t client);
/* Works out what was read and frees it. */
void client_end(struct acct *a, uint32_t client);

/* ---- reading.c ------------------------------------------------------------------------------- */

void reading_begin(struct acct *a, const struct subject *s, const struct frame *f);
void reading_sample(struct acct *a, const struct sample *s);
void reading_label(struct acct *a, const struct label *l);
void reading_end(struct acct *a, const struct counts *counts); /* NULL: nothing was counted */

/* ---- stage.c --------------------------------------------------------------------------------- */

/* A sample about the client that the reading named last; its name is not empty. */
void stage_engine(struct acct *a, unsigned field, const struct sample *s);
void stage_region(struct acct *a, unsigned field, const struct sample *s);

/* ---- engine.c, region.c, metric.c ------------------------------------------------------------ */

void engine_work_out(struct acct *a, const struct client *c, struct engine *e);
/* Share of `capacity` equal engines, never above all of it; unknown where no time passed. */
struct value engine_share(int64_t busy_ns, int64_t time_ns, uint32_t capacity, uint8_t doubt);
void region_work_out(const struct client *c, struct region *r, struct region_name *name,
                     uint64_t seq);
/* What is shown of it: over the last interval, or over the whole span; of that without the busy
 * time before `before_ns`. */
struct value engine_rate(const struct acct *a, const struct client *c, const struct engine *e,
                         int64_t before_ns);
/* Writes what is shown of it. */
void region_write(const struct acct *a, const struct client *c, const struct region *r,
                  struct snap_memory *out);
/* Adds a client of a row, or of a device. */
void region_sum_add(struct region_sum *sum, const struct snap_memory *m, bool of_device);
/* Adds the sums of a row to those of its device. */
void region_sum_fold(struct region_sum *device, const struct region_sum *row);
void region_sum_write(const struct region_sum *sum, struct snap_memory *out);

/* `origin`: what the frame is; one that failed speaks for all that the source said of the metric.
 */
void metric_sample(struct acct *a, uint32_t device, uint32_t origin, const struct sample *s,
                   bool failed);
/* A stream ended: what it said of the device is over, but for facts. */
void metric_forget(struct acct *a, uint32_t device, uint32_t subject);
uint32_t metric_origin(struct acct *a, uint16_t backend, uint16_t kind);
/* The metric of the whole device, or NONE. */
uint32_t metric_find(const struct acct *a, uint32_t device, enum metric metric);
/* Reads of a sensor that never moves until it counts as stuck. */
#define STUCK_READS 64
/* In millionths of a watt: a reading of the device's own power above this is none. */
int64_t metric_most_power(const struct acct *a, uint32_t device);
/* What is shown of it, and who said it. */
struct told {
    struct value value;
    const struct teller *by; /* NULL: nobody ever did */
};
struct told metric_told(const struct acct *a, const struct metric_entry *m);
/* Holds what the sources of a busy sensor said in this tick against the share `sum` that clients
 * had of the device: one that never moves while they do is stuck. `blind`: there are others
 * besides. */
void metric_watch(struct acct *a, const struct metric_entry *m, struct value sum, bool blind);

/* ---- job.c, price.c, energy.c ---------------------------------------------------------------- */

/* A stretch of busy time that a recording tells: work, not a counter. */
void job_take(struct acct *a, const struct job *j);
/* The process of a pid that a recording names, where need be a new one; else the one that stands for
 * nobody. NONE when memory runs out. */
uint32_t job_process(struct acct *a, int32_t pid);
/* The engine of a client by its name, a new one if there is none; NONE where there is no room. */
uint32_t engine_get(struct acct *a, uint32_t client, struct span name, uint8_t class);

/* Looks at clocks and voltages of all devices, once a tick before clients are settled. */
void rates_look(struct acct *a);
/* Where a client stands that was just worked out. */
void rates_mark(const struct acct *a, struct client *c);
/* What busy time of one interval of a client's engine costs, into pws, unpriced_ns and the like of
 * `more`, whose busy_ns is there. `cycles`: of the engine's own clock; below 0: not told. */
void price_growth(const struct acct *a, const struct client *c, uint8_t class, int64_t span_ns,
                  double cycles, struct total *more);
/* The same of jobs of this tick that do not say at which voltage they ran: `cycles` of their clock in
 * busy_ns. */
void price_jobs(const struct acct *a, uint32_t device, double cycles, int64_t busy_ns,
                struct total *more);
/* The same of busy time since `from`, span_ns ago, that belongs to no client. */
void price_loose(const struct device *d, const struct rate_mark *from, int64_t span_ns,
                 struct total *more);
static inline bool device_is_priceable(const struct device *d) {
    return d->priceable || d->gfx.ever || d->media.ever;
}

/* Takes the newest reading of the device's energy: where it closes an interval, rows, floor and the
 * rest get their shares. `idle`: the device was next to idle in this tick. */
void energy_look(struct acct *a, uint32_t device, bool idle);
/* W of what the newest interval gave to somebody: known until the next one is overdue. */
struct real energy_watts(const struct acct *a, const struct device *d, double watts, uint8_t doubt);
struct real energy_joules(const struct device *d, const struct sum *joules, uint8_t doubt);

/* ---- session.c ------------------------------------------------------------------------------- */

/* A frame of a counter session: it told something, or why there is none. */
void session_read(struct acct *a, uint32_t entry, const struct frame *f);
/* The stream of a subject ended. */
void session_end(struct acct *a, uint32_t entry);
/* Whether what its contexts did in this tick is not known: there is a session, and it told nothing. */
bool session_is_silent(const struct acct *a, uint32_t device);

/* ---- context.c ------------------------------------------------------------------------------- */

static inline bool space_is_context(unsigned space) {
    return space == SPACE_CONTEXT || space == SPACE_TAGGED;
}
/* The client that this context is, named in this tick; a new one if there is none: the one of its
 * device that was not named for longest may end for it. */
uint32_t context_get(struct acct *a, uint32_t entry, uint32_t device, uint8_t space, uint64_t id,
                     int32_t pid);
/* A counter of a context. */
void context_sample(struct acct *a, uint32_t entry, uint32_t device, const struct sample *s);
/* Work that was told of it in this tick. */
void context_add_work(struct acct *a, const struct client *c, const struct total *more);
/* Whether work of a context is told by DRM clients too. */
bool context_is_detail(const struct acct *a, const struct client *c, const struct engine *e);
/* Frees what a client that ends had. */
void context_free(struct acct *a, uint32_t context);

/* ---- order.c, build.c ------------------------------------------------------------------------ */

/* Brings the orders in which the snapshot lists things up to date; false when memory runs out. */
bool orders_update(struct acct *a);
static inline struct sort_item *order_at(const struct acct *a, enum table_id order, uint32_t i) {
    return (struct sort_item *)a->tables[order].v + i;
}

/* Ends the tick in progress: settles what was noted down and lays out the snapshot. */
void acct_build(struct acct *a);
void block_finish(struct block *b);
enum err block_copy(struct block *to, const struct block *from);

#endif
