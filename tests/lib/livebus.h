/* The live source of a root and a bus behind it: what one tick brought as frames, what these say, and the jobs. */
#ifndef TEST_LIVEBUS_H
#define TEST_LIVEBUS_H

#include "gwtop/bus.h"
#include "gwtop/source.h"
#include "seen.h"
#include "told.h"

/* Zeroed before the first start. */
struct livebus {
    struct host *host;
    struct source *live;
    struct bus *bus;
    struct seen seen; /* of the last tick, as all below */
    struct told told;
    unsigned jobs;
    int64_t busy_ns; /* of all of them */
    struct job job;  /* the last one ever */
    int64_t now_ns;
};

/* `facts`: of the machine; NULL none. Both are borrowed until the stop. */
void livebus_start(struct livebus *b, const struct backend_table *table, const char *root,
                   const struct host_io *io, const char *facts);
/* One tick, a second later. */
void livebus_tick(struct livebus *b);
/* May be started again; what was told stays until livebus_finish. */
void livebus_stop(struct livebus *b);
void livebus_finish(struct livebus *b);

#endif
