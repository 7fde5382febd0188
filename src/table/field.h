/*
 * What a row holds in a column, before it is written or compared: a text, or a number that may not
 * be there. Sorting and cells both stand on it, so they cannot disagree.
 */
#ifndef GWTOP_TABLE_FIELD_H
#define GWTOP_TABLE_FIELD_H

#include "gwtop/table.h"

/* How the cells of a column are written. The unit of `value` follows from it. */
enum format {
    FORMAT_TEXT,    /* text */
    FORMAT_COMMAND, /* text, but the cell tells more: see cell.c */
    FORMAT_NUMBER,  /* value: a plain number */
    FORMAT_DIGITS,  /* text that holds a number: compared as one */
    FORMAT_PERCENT, /* value: % x 10^-4 */
    FORMAT_WHOLE,   /* the same without decimals */
    FORMAT_BYTES,   /* value: bytes */
    FORMAT_TIME,    /* value: ns */
    FORMAT_AMOUNT,  /* amount: PW, PW s, W, J; `value` holds its state and doubt */
    FORMAT_AGO      /* value: ns of CLOCK_REALTIME */
};

struct field {
    struct span text;
    struct value value;
    double amount;
    bool is_blank; /* does not apply to this row */
    bool is_rough; /* stands in for what the driver does not say: marked */
};

/* Where one is not known, why. */
struct value value_sum(struct value a, struct value b);
/* What the table shows of a region. */
struct snap_shown table_region(const struct snap_memory *m);

struct field table_field(const struct snapshot *s, struct row r, enum column c);
enum format table_format(enum column c);
/* The state to go by: a number below 0 was never measured, and an age takes a clock. */
unsigned table_field_state(const struct snapshot *s, enum column c, const struct field *f);
/* `value` as it is shown: of FORMAT_AGO how long ago, in ns. */
int64_t table_field_number(const struct snapshot *s, enum column c, const struct field *f);

#endif
