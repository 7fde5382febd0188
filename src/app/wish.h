/* What a screen or an output wishes of the sources: names of processes that only jobs spoke of. */
#ifndef APP_WISH_H
#define APP_WISH_H

#include "gwtop/bus.h"
#include "gwtop/snapshot.h"

/* Pids, each once. */
struct wish_pids {
    int32_t *list;
    uint32_t cap;
    uint32_t count;
};

/* Zeroed: nothing was wished yet. It stays where it is: a source borrows it. */
struct wish {
    struct wish_pids last; /* of the last snapshot */
    struct wish_pids now;  /* of the tick at hand, in order of its jobs */
    struct map known;      /* pids that are named, or in `now` */
    struct want_late late;
    bool told; /* of `late` */
};

/* Hears which pids the jobs of a tick name. */
struct subscriber wish_subscriber(struct wish *w);
/* Before a read: tells the source whom to ask within it. The reader takes the frames in itself. */
void wish_begin(struct wish *w, struct source *source, const struct snapshot *s);
/* Tells the source whose names the snapshot (may be NULL) lacks; nothing where it lacks none, and did not
 * before. */
void wish_send(struct wish *w, struct source *source, const struct snapshot *s);
void wish_finish(struct wish *w);

#endif
