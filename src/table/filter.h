/*
 * What the nodes of a filter mean: filter_parse.c makes them, filter.c goes by them.
 */
#ifndef GWTOP_TABLE_FILTER_H
#define GWTOP_TABLE_FILTER_H

#include "gwtop/table.h"

enum filter_kind {
    FILTER_AND, /* left, right */
    FILTER_OR,
    FILTER_NOT,    /* left */
    FILTER_WORD,   /* its text stands in name, command, user or pid */
    FILTER_STRING, /* column, relation, text: = != ~ */
    FILTER_NUMBER, /* column, relation, number: all but ~ */
    FILTER_ABSENT  /* column: has no value (=), has one (!=) */
};

enum filter_relation {
    FILTER_EQUAL,
    FILTER_UNEQUAL,
    FILTER_CONTAINS,
    FILTER_ABOVE,
    FILTER_AT_LEAST,
    FILTER_BELOW,
    FILTER_AT_MOST
};

/* The column of a test of the process name, which has none. */
#define FILTER_NAME COLUMN_COUNT

/* The same for an element of snapshot->unattributed. */
bool filter_matches_loose(const struct filter *f, const struct snapshot *s, uint32_t loose);

/* "41.2", "1.5G", "250ms": an amount in the unit of a column as struct field holds it (percent x 10^4, bytes, ns). Where
 * it is none, *expected says what would be one. Of columns that hold texts only digits are numbers. */
bool filter_number(struct span word, enum column c, double *out, const char **expected);

#endif
