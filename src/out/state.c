/*
 * State of an output and the choice of its rows. Memory grows at new highs only. Pure.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum err out_state_open(const struct out_options *o, struct out_state **out) {
    struct out_state *st = calloc(1, sizeof *st);
    if (!st) {
        return ERR_NOMEM;
    }
    st->options = *o;
    *out = st;
    return ERR_OK;
}

void out_state_close(struct out_state *st) {
    if (!st) {
        return;
    }
    row_list_finish(&st->rows);
    table_totals_finish(&st->totals);
    buf_finish(&st->cell);
    buf_finish(&st->why);
    buf_finish(&st->doubt);
    free(st->picked);
    free(st);
}

void out_state_nothing(struct out_state *st, struct buf *b) {
    (void)st;
    (void)b;
}

bool out_state_device(const struct out_state *st, const struct snapshot *s, uint32_t device) {
    struct span wanted = st->options.query.device;
    return wanted.n == 0 || table_device_matches(s, device, wanted);
}

/* Back to the snapshot's order without a sort: qsort may allocate. Rows that are not of processes
 * stand at the end already. */
static enum err rows_in_key_order(struct out_state *st, uint32_t processes) {
    void *picked = st->picked;
    enum err e = vec_reserve(&picked, &st->picked_cap, processes, sizeof *st->picked);
    st->picked = picked;
    if (e != ERR_OK || processes == 0) {
        return e;
    }
    memset(st->picked, 0, processes);
    struct row_list *l = &st->rows;
    for (uint32_t i = 0; i < l->count; i++) {
        if (!l->rows[i].unattributed) {
            st->picked[l->rows[i].index] = 1;
        }
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < processes; i++) {
        if (st->picked[i]) {
            l->rows[at++] = (struct row){.index = i};
        }
    }
    return ERR_OK;
}

void out_state_rows(struct out_state *st, const struct snapshot *s, bool for_machines) {
    enum err e = table_select(s, &st->options.query, &st->rows);
    if (e == ERR_OK && for_machines && st->options.query.sort_count == 0) {
        e = rows_in_key_order(st, s->process_count);
    }
    if (e == ERR_OK && !for_machines) {
        e = table_arrange(s, &st->options.query, &st->options.shape, &st->rows, &st->totals);
    }
    if (e != ERR_OK) {
        st->rows.count = 0;
    }
}
