/*
 * acct: accounting. Turns samples into who uses what: identity of clients and processes, deltas over
 * measured intervals, attribution, ageing. Pure, flat, the same for every vendor.
 *
 * A client is (device, space, id) and is counted once however many descriptors hold it. Of several holding
 * processes the owner is the one with the largest number of ... see CONTRIBUTING.md; never pid 1 or a
 * session manager while another holds it.
 */
#ifndef GWTOP_ACCT_H
#define GWTOP_ACCT_H

#include "gwtop/snapshot.h"

struct acct_options {
    int64_t exited_keep_ns; /* how long a process that exited keeps its row; 0: default, 60 s */
    bool whole_span;        /* rates over everything since the first tick, not over the last interval */
};

struct acct;

/* NULL options: all defaults. */
enum err acct_create(const struct acct_options *o, struct acct **out);
void acct_destroy(struct acct *a);
/* To be subscribed to the bus. Builds a snapshot at each `end` frame. */
struct subscriber acct_subscriber(struct acct *a);
/* The newest snapshot; NULL before the first tick ended. Valid until two more ticks ended. */
const struct snapshot *acct_snapshot(const struct acct *a);
/* A tick whose `end` never came (a recording that was cut): builds the snapshot from what is there.
 * Nothing if no tick is open. */
void acct_finish(struct acct *a);
/* Makes `to` equal to `from` (snapshots too): a checkpoint. */
enum err acct_copy(struct acct *to, const struct acct *from);
/* Lack of memory met so far (rows were left out then). */
bool acct_failed(const struct acct *a);

#endif
