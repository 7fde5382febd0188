/*
 * Tables of gpu_metrics for tests, written from the published layouts and not from the decoder's
 * lists; and a sink that keeps the samples.
 */
#ifndef GWTOP_TEST_GMT_H
#define GWTOP_TEST_GMT_H

#include "gwtop/core.h"

struct gmt_row {
    const char *field;
    uint16_t offset;
    uint8_t width;
    uint8_t count; /* 0: not an array */
};

/* `blocks` are eight times the same rows, one behind the other; behind them one more field. */
struct gmt_layout {
    const char *name; /* "v1_3" */
    uint8_t format;
    uint8_t content;
    uint16_t size;
    const struct gmt_row *rows;
    size_t row_count;
    const struct gmt_row *blocks;
    size_t block_row_count;
    size_t block_at;
    size_t block_size;
    size_t tail_at; /* 4 bytes, pcie_lc_perf_other_end_recovery; 0: none */
};
enum { GMT_SIZE_MAX = 4096 };
const struct gmt_layout *gmt_layout_at(size_t i); /* NULL past the last */
const struct gmt_layout *gmt_layout(const char *name);

/* One integer of a layout, header and padding left out. */
struct gmt_cell {
    char field[64];   /* xcp_stats[3].jpeg_busy */
    const char *name; /* the same without the block */
    size_t offset;
    unsigned width;
    unsigned index; /* INDEX_NONE for none */
};
bool gmt_cell_at(const struct gmt_layout *l, size_t n, struct gmt_cell *out);

/* A table as the driver begins it: a header, and all else never written. */
void gmt_blank(const struct gmt_layout *l, uint8_t *bytes);
void gmt_put(const struct gmt_layout *l, uint8_t *bytes, const char *field, unsigned index,
             uint64_t value);
void gmt_store(uint8_t *at, unsigned width, uint64_t value);

struct gmt_sample {
    struct sample sample;
    char field[64];
    const char *metric;
};
/* Zeroed before the first use. */
struct gmt_heard {
    struct gmt_sample list[2048];
    size_t count;
};
struct sink gmt_sink(struct gmt_heard *h);
/* The only sample of a metric and index; NULL for none. */
const struct sample *gmt_find(const struct gmt_heard *h, const char *metric, unsigned index);
const struct sample *gmt_find_field(const struct gmt_heard *h, const char *metric,
                                    const char *field, unsigned index);

#endif
