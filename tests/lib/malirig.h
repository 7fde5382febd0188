/*
 * A recording of Mali events through its scan and its fold, as a vendor file comes to them, and
 * what it says as a text that a person can check:
 *
 *   [segments] pid unit from to ns MHz mV PWs
 *   1200 PP3 0 500000 500000 - - -
 *   [counters] pid unit at counter value source    where there are any
 *   [per pid and unit] pid unit busy_ns unpriced_ns PWs
 *   [per pid] pid busy_ns unpriced_ns PWs PW       PW over the time of the recording
 *   [per unit] unit busy_ns
 *   [counts]                                       all that are not 0; lines always
 *
 * Times are in ns after the first stamp; "-" is not known; "~" behind a voltage says assumed, "off"
 * no power, "open" behind all open at the end.
 */
#ifndef TEST_MALIRIG_H
#define TEST_MALIRIG_H

#include "gwtop/core.h"

struct malirig {
    struct job *jobs; /* names are literals of the backend */
    unsigned job_count;
    unsigned job_cap;
    struct sample *samples;
    unsigned sample_count;
    unsigned sample_cap;
    struct counts counts;
    int64_t first_ns; /* of the first line that is one */
    int64_t last_ns;  /* greatest stamp */
    void *state;
    struct buf facts;
};

/* Starts afresh: facts of options first, then those of the scan of `text`. `r` zeroed before the
 * first use. */
void malirig_begin(struct malirig *r, const char *options, const char *text, size_t n);
/* The next bytes of it, as a frame of their own, copied so that a sanitizer sees what is read
 * behind them. */
void malirig_feed(struct malirig *r, const char *bytes, size_t n);
void malirig_end(struct malirig *r);
/* All three. */
void malirig_run(struct malirig *r, const char *options, const char *text);
void malirig_finish(struct malirig *r);

/* NUL-terminated, in `out`. */
const char *malirig_report(const struct malirig *r, struct buf *out);

/* Sums; pid -1: of all, unit NULL: of all. */
int64_t malirig_busy(const struct malirig *r, int32_t pid, const char *unit);
int64_t malirig_unpriced(const struct malirig *r, int32_t pid, const char *unit);
double malirig_pws(const struct malirig *r, int32_t pid, const char *unit);
uint64_t malirig_lines(const struct malirig *r);

/* One line; the id from its parts. */
#define MALI_ID(type, channel, data) ((uint32_t)(type) << 24 | (uint32_t)(channel) << 16 | (data))
enum { MALI_SINGLE, MALI_BEGIN, MALI_DONE, MALI_WAIT, MALI_GO_ON };
enum { MALI_SW = 0, MALI_GP0 = 1, MALI_PP0 = 5, MALI_GPU = 21 };
void malirig_put(struct buf *b, uint64_t t_ns, uint32_t id, uint32_t d0, uint32_t d1, uint32_t d2);

#endif
