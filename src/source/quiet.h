/*
 * quiet: when to leave an idle device alone, so that it can fall asleep: each look at its sensors starts its
 * autosuspend delay anew. Private to the room. Times in nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef GWTOP_SOURCE_QUIET_H
#define GWTOP_SOURCE_QUIET_H

#include "gwtop/source.h"

/* Zeroed: nothing seen yet. */
struct quiet {
    int64_t since_ns; /* idle from here on, or left alone from here on; 0: not idle */
    bool alone;
    bool active; /* something of the device said that it works, since the last quiet_tick */
};

/* True: leave it alone in this tick. `may_sleep`: it is awake, manages its power itself and nobody has it
 * open. */
bool quiet_tick(struct quiet *q, bool may_sleep, int64_t now_ns);

/* Looks whether what a source says of the device is a sign of work. */
void quiet_watch(struct quiet *q, const struct backend_table *table, const struct subject *s,
                 const struct frame *f);

#endif
