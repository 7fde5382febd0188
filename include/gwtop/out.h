/*
 * out: outputs for machines and pipes. An output writes what a tick says into a buffer; who owns the
 * descriptor writes it out. Pure; no locale, no clock. One line in outputs.def each.
 */
#ifndef GWTOP_OUT_H
#define GWTOP_OUT_H

#include "gwtop/core.h"
#include "gwtop/snapshot.h"
#include "gwtop/table.h"

struct out_options {
    struct table_query query;  /* which rows, which order; spans must outlive the output */
    struct column_set columns; /* count 0: default (text, csv) */
    struct table_shape shape;  /* text only: tree, groups, sums */
    size_t width;              /* columns of a text line; 0: unlimited */
    bool unicode;
    bool color;    /* text only: SGR sequences for roles */
    bool batch;    /* text only: each tick is headed by its time */
    bool replayed; /* cost is null, unsupported */
    bool demo;
    bool scrub; /* report: no names, users and command lines */
    enum insight insight; /* text only: says what would show more processes */
    bool brief; /* openmetrics: the one exposition of this run: without what counts from its start */
};

struct out_state;
struct output {
    const char *name; /* "text", "json", "csv", "openmetrics" */
    const char *doc;
    enum err (*open)(const struct out_options *o, struct out_state **out);
    /* Each may append to `b`; a steady tick allocates nothing. */
    void (*begin)(struct out_state *st, struct buf *b);
    void (*tick)(struct out_state *st, const struct snapshot *s, struct buf *b);
    void (*end)(struct out_state *st, struct buf *b);
    void (*close)(struct out_state *st); /* accepts NULL */
};
/* NULL for none. */
const struct output *output_find(struct span name);

/* `--list`: the devices of a snapshot, one line each, as text or (json) as one object. */
void out_devices(const struct snapshot *s, const struct out_options *o, bool json, struct buf *b);

/* `gwtop stat`: what the processes of a command cost, gathered look by look over one or more runs. */
struct out_stat;
enum stat_form { STAT_TEXT, STAT_JSON, STAT_CSV };
struct out_stat_running {
    int32_t pid;
    char name[32]; /* clean UTF-8, NUL-terminated */
};
struct out_stat_about {
    enum stat_form form;
    char *const *command; /* NULL at the end */
    int status;           /* as gwtop exits with: of the first run that failed, else 0 */
    int64_t delay_ns;     /* between two looks */
    bool exact;           /* each process was looked at when it ended, too */
    const struct out_stat_running *running; /* descendants that outlived the command */
    uint32_t running_count;
};
enum err out_stat_create(struct out_stat **out);
void out_stat_destroy(struct out_stat *st); /* accepts NULL */
/* A look in which the processes of which `ours` is true are the command's. Each run is watched by an accounting of
 * its own: totals are what the run cost. */
void out_stat_tick(struct out_stat *st, const struct snapshot *s,
                   bool (*ours)(void *ctx, const struct snap_process *p), void *ctx);
void out_stat_run_end(struct out_stat *st, int64_t wall_ns);
/* Forgets the run under way. */
void out_stat_run_drop(struct out_stat *st);
void out_stat_print(const struct out_stat *st, const struct out_stat_about *a, struct buf *b);

/* `gwtop decode`: a subscriber of the bus that prints each sample as one NDJSON object into `b` and last the
 * summary. `t_ns`, `backend`, `device`, `metric`, `value`, `unit` and what else applies. */
struct out_decode;
enum err out_decode_create(const struct backend_table *t, const char *unit, struct buf *b,
                           struct out_decode **out);
void out_decode_destroy(struct out_decode *d);
struct subscriber out_decode_subscriber(struct out_decode *d);
void out_decode_summary(struct out_decode *d);
/* Units accepted so far (0: the file is refused, exit 1). */
uint64_t out_decode_accepted(const struct out_decode *d);

#endif
