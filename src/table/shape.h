/*
 * The parts of table_arrange(): see gwtop/table.h.
 */
#ifndef GWTOP_TABLE_SHAPE_H
#define GWTOP_TABLE_SHAPE_H

#include "gwtop/table.h"

#define SHAPE_NONE UINT32_MAX

/* A node of the tree, by place in the list of rows. */
struct tree_link {
    uint32_t parent; /* SHAPE_NONE: a root */
    uint32_t child;  /* the first one */
    uint32_t tail;   /* the last one */
    uint32_t next;   /* sibling */
    uint32_t mark;
};

/* Moves the first `count` rows of the list, all of processes, so that each stands below its parent; those that
 * have one parent, or none, keep their order. Only rows of one number in `of` (by process; NULL: all are one) belong
 * together; where such rows are neighbours they stay so. */
enum err tree_rows(const struct snapshot *s, const uint32_t *of, struct row_list *l,
                   uint32_t count);

/* Sums the first `count` rows of the list, all of processes, by group and device: fills t->s, and t->of. ERR_NOMEM
 * leaves no sums. */
enum err totals_sum(struct table_totals *t, const struct snapshot *s, const struct row_list *l,
                    uint32_t count, enum table_group by);

/* The rows of one sum, by place in the list. */
struct members {
    const struct snapshot *s;
    const struct row *rows;
    const uint32_t *places;
    uint32_t count;
};
/* Adds up what they have into `to`, whose texts stand already, and lines behind those of t->s. */
enum err sums_write(struct table_totals *t, const struct members *m, struct snap_process *to);

#endif
