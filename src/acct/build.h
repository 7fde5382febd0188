/*
 * How a snapshot is laid out: shared by the files that write its parts. Private to acct.
 */
#ifndef GWTOP_ACCT_BUILD_H
#define GWTOP_ACCT_BUILD_H

#include "work.h"

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
};

/* Sums the rates of clients by row, and of rows by device. */
void build_tally(struct acct *a);
/* A rate of an engine whose clients ask for more than there is, scaled down to what there is. */
struct value build_scaled(struct value v, const struct tally *device);
/* What a total is where the rate beside it is `rate`. */
struct value build_total(const struct total *t, struct value rate);
/* Processes with their clients; sums the memory of devices. */
void build_rows(struct build *b);
/* Devices, and what belongs to nobody. */
void build_devices(struct build *b);

#endif
