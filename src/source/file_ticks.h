/*
 * The time of a vendor file, by the stamps of its units: which of them are believed, and where its ticks begin.
 * Stamps in ns, not negative; FILE_UNTOLD where there is none.
 */
#ifndef GWTOP_SOURCE_FILE_TICKS_H
#define GWTOP_SOURCE_FILE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define FILE_UNTOLD INT64_MIN

struct file_clock {
    int64_t delay_ns;
    int64_t first_ns;  /* FILE_UNTOLD: no stamp was believed */
    int64_t last_ns;   /* greatest one of the whole file; known after a look through it */
    int64_t newest_ns; /* greatest one so far */
    int64_t begin_ns;  /* of the tick that is due or shown */
};

/* Whether the clock may go to a stamp that `next_ns` follows. One that jumps ahead stands alone where
 * it is garbage. */
bool file_clock_believes(const struct file_clock *c, int64_t t_ns, int64_t next_ns);
/* Whether that asks for the stamp that follows. */
bool file_clock_asks(const struct file_clock *c, int64_t t_ns);
/* A believed stamp was passed. */
void file_clock_pass(struct file_clock *c, int64_t t_ns);
/* Goes on to the next tick, whose first believed stamp is t_ns; FILE_UNTOLD: there is none. */
void file_clock_step(struct file_clock *c, int64_t t_ns);

#endif
