/* Bus and accounting wired together: what every mode that shows ticks puts its frames into. */
#ifndef APP_PIPELINE_H
#define APP_PIPELINE_H

#include "gwtop/acct.h"
#include "gwtop/bus.h"
#include "wish.h"

struct pipeline {
    struct bus *bus;
    struct acct *acct;
    struct wish wish;
    bool short_told; /* that memory was short */
};

/* `p` stays where it is from now on. whole_span: rates over everything since the first tick (`replay --once`).
 * assume_voltage_uv: as in struct acct_options. */
enum err pipeline_init(struct pipeline *p, bool whole_span, uint32_t assume_voltage_uv);
void pipeline_finish(struct pipeline *p); /* accepts a zeroed one */
/* Reads one tick from `s` into the pipeline, and tells `s` whose names are wanting; a tick that was cut short is
 * closed. What the source's read returned. */
enum err pipeline_read(struct pipeline *p, struct source *s, int64_t now_ns);
/* The same once it is due; after ERR_OK there is a snapshot. ERR_END: a signal ended the waiting. */
enum err pipeline_look(struct pipeline *p, struct source *s, struct err_info *info);
/* All but the wish: that is of the source at hand. */
enum err pipeline_copy(struct pipeline *to, const struct pipeline *from);

#endif
