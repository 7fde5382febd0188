/* The states of folds: flat, one per subject and kind, in the order in which they began. */
#ifndef GWTOP_BUS_FOLDS_H
#define GWTOP_BUS_FOLDS_H

#include "gwtop/core.h"

struct fold_entry;

/* A zeroed one is empty. */
struct folds {
    struct fold_entry *entries;
    uint32_t cap;
    uint32_t count;  /* entries, holes among them */
    uint32_t holes;  /* left by subjects that ended */
    struct map head; /* subject id to its first entry */
};

void folds_finish(struct folds *f);
/* The state of this subject and kind, begun where there is none; NULL when memory runs out. Valid
 * until the next call. */
void *folds_state(struct folds *f, const struct subject *s, unsigned kind, const struct fold *fold);
/* Where ticks put what they say, and what they count if it is anything. */
struct fold_sink {
    const struct sink *sink;
    void *ctx;
    void (*counted)(void *ctx, const struct subject *s, const struct frame *f,
                    const struct counts *counts);
};
/* Runs the tick of all, or of one subject's. */
void folds_tick(struct folds *f, int64_t t_ns, const struct fold_sink *to);
void folds_tick_subject(struct folds *f, uint32_t subject, int64_t t_ns,
                        const struct fold_sink *to);
void folds_drop_subject(struct folds *f, uint32_t subject);
/* ERR_NOMEM leaves `to` as it was. */
enum err folds_copy(struct folds *to, const struct folds *from);

#endif
