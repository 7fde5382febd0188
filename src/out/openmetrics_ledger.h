/* Totals of processes without series of their own, from tick to tick. */
#ifndef OUT_OPENMETRICS_LEDGER_H
#define OUT_OPENMETRICS_LEDGER_H

#include "openmetrics.h"

/* Of a process on a device, or (NULL) of what a device has beside those. */
struct map_key om_key(struct span device, const struct snap_process *p, enum om_total total,
                      struct span name);
/* A new tick. */
void om_ledger_turn(struct om_ledger *l);
void om_ledger_finish(struct om_ledger *l);
/* What has a series of its own stands at `total`. */
enum err om_ledger_told(struct om_ledger *l, struct map_key k, double total,
                        struct om_share *share);
/* The device as a whole stands at `whole`: the rest of it follows, once all others are told. */
enum err om_ledger_settle(struct om_ledger *l, struct map_key k, double whole,
                          struct om_share *share);

#endif
