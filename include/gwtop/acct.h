/*
 * acct: accounting. Turns samples into who uses what: identity of clients and processes, deltas
 * over measured intervals, attribution, ageing. Pure, flat, the same for every vendor.
 *
 * A client is (device, space, id) and is counted once however many descriptors hold it. Of several
 * processes that hold it one is its owner and stays so while it holds; else the one that started
 * first, of these the lowest pid, so that a child does not take over its parent's use. pid 1 and
 * session managers, which open nodes for others, own only what nobody else holds. What an owner
 * used stays in its row when the client moves on.
 */
#ifndef GWTOP_ACCT_H
#define GWTOP_ACCT_H

#include "gwtop/snapshot.h"

struct acct_options {
    /* How long a process that exited keeps its row; 0: default, 60 s. Not with whole_span. */
    int64_t exited_keep_ns;
    /* Rates over everything since the first tick, not over the last interval; rows stay to the end. */
    bool whole_span;
    /* Tells the names of sources, and what a failed read leaves unsaid. Borrowed for the life of the
     * acct; NULL: neither is told. */
    const struct backend_table *backends;
    /* Prices busy time whose voltage nobody tells (doubted `assumed-voltage`); 0: such time stays unpriced. */
    uint32_t assume_voltage_uv;
};

struct acct;

/* NULL options: all defaults. */
enum err acct_create(const struct acct_options *o, struct acct **out);
void acct_destroy(struct acct *a);
/* To be subscribed to the bus. Builds a snapshot at each `end` frame. */
struct subscriber acct_subscriber(struct acct *a);
/* From now on a client first seen of a process that started at this time (clock ticks since boot) or later began at
 * nothing: what its counters say then was done while it was watched, and counts. Where a counter says it only beside
 * a clock of its own (xe) this cannot be known, and its first reading counts for nothing as always. */
void acct_count_from_zero(struct acct *a, uint64_t start);
/* The newest snapshot; NULL before the first tick ended. Valid until two more ticks ended. */
const struct snapshot *acct_snapshot(const struct acct *a);
/* A tick whose `end` never came (a recording that was cut): builds the snapshot from what is there,
 * with the counts of what could not be read as they stood in the tick before.
 * Nothing if no tick is open. */
void acct_finish(struct acct *a);
/* Makes `to` equal to `from` (snapshots too): a checkpoint. On lack of memory `to` is as if it had
 * just been created. */
enum err acct_copy(struct acct *to, const struct acct *from);
/* Lack of memory met so far (rows were left out then). */
bool acct_failed(const struct acct *a);

#endif
