/* What a screen or an output wishes of the sources: names of processes that only jobs spoke of. */
#ifndef APP_WISH_H
#define APP_WISH_H

#include "gwtop/snapshot.h"

/* Zeroed: nothing was wished yet. */
struct wish {
    int32_t *pids;
    uint32_t cap;
    uint32_t count;
};

/* Tells the source whose names the snapshot (may be NULL) lacks; nothing where it lacks none, and did not
 * before. */
void wish_send(struct wish *w, struct source *source, const struct snapshot *s);
void wish_finish(struct wish *w);

#endif
