/*
 * usage: what one fdinfo text has said so far, whatever its form, and how it is told. Bounded, no
 * allocation; all texts point into the text that is read.
 */
#ifndef GWTOP_BACKEND_FDINFO_USAGE_H
#define GWTOP_BACKEND_FDINFO_USAGE_H

#include "../keyvalue.h"
#include "fdinfo.h"

enum { USAGE_NAME_MAX = 64, USAGE_METRICS = 7 };

/* Each engine and each region is a row; which metric stands in which column follows from the order
 * of metrics.def. */
enum usage_rows { USAGE_ENGINE, USAGE_REGION };
struct usage_row {
    const char *name;
    uint8_t name_len;
    uint8_t class;
    uint8_t seen; /* bits of columns */
    uint8_t bad;  /* of these, the ones that could not be read */
    uint16_t index;
    int64_t value[USAGE_METRICS];
    uint64_t raw[USAGE_METRICS];
};
struct usage_table {
    struct usage_row *rows;
    uint16_t count;
    uint16_t max;
    uint16_t last; /* where the last line was put */
};

struct usage {
    struct span driver;
    struct span pdev;
    struct span name;
    uint64_t client;
    bool has_driver;
    bool has_pdev;
    bool has_name;
    bool has_client;
    bool cut; /* the end is missing: what was not seen may stand there */
    struct usage_table tables[2];
    struct usage_row engines[FDINFO_ENGINES];
    struct usage_row regions[FDINFO_REGIONS];
};

/* What one line says of an engine or a region: a number, or the error that it gave. */
struct usage_line {
    struct span name;
    enum metric metric;
    enum err err;
    int64_t value;
    uint64_t raw;
    uint16_t index;
};

void usage_init(struct usage *u);
/* The number of one line. REASON_COUNT where all is well, else why the line is malformed; a number
 * that could not be read is kept as such. The same line again: counters add up, of others the
 * greater one stands, so that the order of lines does not matter. */
enum reason usage_put(struct usage *u, const struct usage_line *l);
/* The last line is cut: counted, and what stands nowhere is not said to be missing. */
void usage_cut(struct usage *u, struct counts *counts);
/* Labels first, then engines and regions in order of their first line. */
void usage_emit(const struct usage *u, const struct subject *s, const struct frame *f,
                const struct sink *sink);

#endif
