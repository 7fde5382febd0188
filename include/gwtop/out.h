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
    size_t width;              /* columns of a text line; 0: unlimited */
    bool unicode;
    bool color;                /* text only: SGR sequences for roles */
    bool batch;                /* text only: each tick is headed by its time */
    bool replayed;             /* cost is null, unsupported */
    bool demo;
};

struct out_state;
struct output {
    const char *name; /* "text", "json", "csv" */
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
const struct output *output_at(unsigned i); /* NULL past the last */

/* `--list`: the devices of a snapshot, one line each, as text or (json) as one object. */
void out_devices(const struct snapshot *s, const struct out_options *o, bool json, struct buf *b);

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
