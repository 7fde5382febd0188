/* What the outputs of ticks share: their options, the chosen rows, and memory that is kept. */
#ifndef OUT_STATE_H
#define OUT_STATE_H

#include "gwtop/out.h"

struct out_state {
    struct out_options options;
    struct row_list rows;       /* of the tick at hand: processes, then unattributed */
    struct table_totals totals; /* text: of its rows that are sums */
    uint8_t *picked;            /* scratch of out_state_rows */
    uint32_t picked_cap;
    struct buf cell; /* scratch of the outputs */
    struct buf why;
    struct buf doubt;
    uint64_t ticks;                        /* written so far */
    uint8_t fields[TABLE_COLUMNS_MAX * 2]; /* csv: which, in which order */
    uint8_t field_count;
    struct report *report; /* report: what was gathered so far */
    struct openmetrics *openmetrics;
};

enum err out_state_open(const struct out_options *o, struct out_state **out);
void out_state_close(struct out_state *st);
/* For outputs without a beginning or an end. */
void out_state_nothing(struct out_state *st, struct buf *b);

/* Fills st->rows by the query. Outputs for machines print processes in key order unless the user
 * asked for an order, and have no shape; lack of memory leaves the list empty. */
void out_state_rows(struct out_state *st, const struct snapshot *s, bool for_machines);
/* True if the device is one of those asked for. */
bool out_state_device(const struct out_state *st, const struct snapshot *s, uint32_t device);

#endif
