/*
 * The whole program in one: live source, bus, accounting, JSON and screen over one root, under a clock of the test.
 * All frames of a tick have the tick's time, so that the same tree gives the same JSON each time.
 */
#ifndef TEST_WHOLE_H
#define TEST_WHOLE_H

#include <jansson.h>

#include "app/pipeline.h"
#include "gwtop/grid.h"
#include "gwtop/out.h"
#include "gwtop/source.h"
#include "gwtop/view.h"

#define WHOLE_SECOND INT64_C(1000000000)

/* How the machine's clocks stand. */
struct whole_clock {
    int64_t mono_ns;  /* CLOCK_MONOTONIC: what frames are stamped with */
    int64_t slept_ns; /* CLOCK_BOOTTIME less that */
    int64_t real_ns;  /* CLOCK_REALTIME at mono 0 and slept 0 */
};

struct whole {
    struct source source; /* in front of `live` */
    struct host *host;
    struct source *live;
    struct pipeline pipe;
    struct ui *ui;
    struct grid grid;
    struct out_state *out;
    struct buf json; /* of the last tick */
    struct whole_clock clock;
    /* Engine times of holders gain this in each tick: the counters move though nobody writes the tree. */
    int64_t busy_step_ns;
    unsigned ticks;
    const struct frame_sink *to; /* of the tick under way */
};

struct whole_options {
    const char *root;
    const struct host_io *io; /* NULL: the real one */
    const char *facts;        /* of the machine; NULL */
    int64_t busy_step_ns;
};

/* Not OK: what was begun stands, whole_finish takes it down. */
enum err whole_start(struct whole *w, const struct whole_options *o);
/* A second later: reads, prints JSON, draws. */
enum err whole_tick(struct whole *w);
/* The same after the clocks were moved by the test. */
enum err whole_look(struct whole *w);
void whole_finish(struct whole *w);
/* The last tick, to be decref'ed; NULL where it was not printed whole. */
json_t *whole_json(const struct whole *w);
const struct snapshot *whole_snapshot(const struct whole *w);

#endif
