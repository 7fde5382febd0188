/*
 * The binary gpu_metrics table, within this folder: fields, tables, units, and what turns a field
 * into samples.
 */
#ifndef GWTOP_BACKEND_AMDGPU_GPU_METRICS_H
#define GWTOP_BACKEND_AMDGPU_GPU_METRICS_H

#include "quirks.h"

/* ---- units ----------------------------------------------------------------------------------- */

/* What a raw integer counts. The last ones depend on the device, its firmware or the value. */
enum quantity {
    QUANTITY_PADDING, /* says nothing */
    QUANTITY_COUNT,
    QUANTITY_DEGC,
    QUANTITY_CENTI_DEGC,
    QUANTITY_PERCENT,
    QUANTITY_CENTI_PERCENT,
    QUANTITY_WATT,
    QUANTITY_MILLIWATT,
    QUANTITY_MILLIVOLT,
    QUANTITY_MILLIAMPERE,
    QUANTITY_MHZ,
    QUANTITY_RPM,
    QUANTITY_FAN_MILLI, /* thousandths of full drive */
    QUANTITY_NS,
    QUANTITY_10NS,
    QUANTITY_US,
    QUANTITY_GTPS, /* GT/s, Gbit/s on one lane */
    QUANTITY_DECI_GTPS,
    QUANTITY_GBPS, /* GB/s */
    QUANTITY_MBPS,
    QUANTITY_KB,
    QUANTITY_LINK_STATE, /* 0 down, 1 up, 2 not there */
    QUANTITY_UJ15,       /* 2^-16 J */
    QUANTITY_MILLIJOULE,
    QUANTITY_RESIDENCY,   /* running time under a limit */
    QUANTITY_ASIC_BITS,   /* throttle bits in the chip's own order */
    QUANTITY_COMMON_BITS, /* throttle bits in the driver's common order */
    QUANTITY_NO_BITS,     /* throttle bits that are never filled: 0 says nothing */
    QUANTITY_ENERGY,
    QUANTITY_ACTIVITY_WHOLE, /* %; above 100 it cannot be but 0.01 % */
    QUANTITY_ACTIVITY,       /* % or 0.01 % */
    QUANTITY_SOCKET_MW,      /* mW, or W on some devices */
    QUANTITY_SOCKET_W,       /* W, or mW where that is absurd */
    QUANTITY_UNDECIDED,
    QUANTITY_TYPES
};

/* How a field's raw integers become values; quirks have been applied. */
struct gm_unit {
    uint64_t absent; /* another raw integer that says nothing; 0: none */
    uint8_t quantity;
    uint8_t doubt;
    uint8_t rank;
    bool zero_absent;
    bool zero_average_absent; /* where the current one is not 0 */
    uint16_t also;            /* another metric that it is too; METRIC_COUNT: none */
};

struct gm_reading {
    int64_t value;
    uint8_t state;
    uint8_t doubt;
};

struct gm_unit gm_unit_of(enum quantity q);

/* A signed integer has its bits in `raw`, at `width` bytes. */
struct gm_reading gm_read(const struct gm_unit *u, uint64_t raw, unsigned width, bool is_signed);
/* Never written by the driver: all ones. */
static inline bool gm_is_absent(uint64_t raw, unsigned width) {
    return raw == UINT64_MAX >> (64 - 8 * width);
}
/* enum unit of the metrics that a quantity fits. */
unsigned gm_quantity_unit(enum quantity q);
/* Little-endian, of 1, 2, 4 or 8 bytes. Written out, so that a compiler makes it one load. */
static inline uint64_t gm_load(const char *at, unsigned width) {
    const unsigned char *b = (const unsigned char *)at;
    if (width == 1)
        return b[0];
    if (width == 2)
        return (uint64_t)b[0] | (uint64_t)b[1] << 8;
    uint64_t low =
        (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
    if (width == 4)
        return low;
    return low | (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Whether a field is the value of the moment or an average, where the driver has both kinds. */
enum gm_form { GM_PLAIN, GM_CURRENT, GM_AVERAGE };
/* The metric of a form alone, by the name of the metric that holds either. */
#define GM_OWN_PLAIN(metric)   METRIC_COUNT
#define GM_OWN_CURRENT(metric) METRIC_##metric##_CURRENT
#define GM_OWN_AVERAGE(metric) METRIC_##metric##_AVERAGE

struct gm_field {
    const char *name;
    uint16_t offset;
    uint16_t other;  /* offset of the field of the other form; 0: none */
    uint16_t metric; /* holds the current value, else the average */
    uint16_t own;    /* holds this form alone; METRIC_COUNT: none */
    uint16_t count;
    uint16_t first; /* index of the first element; INDEX_NONE: a single one */
    uint8_t name_len;
    uint8_t quantity;
    uint8_t width; /* bytes of an element: 1, 2, 4, 8 */
    uint8_t form;
    bool is_signed;
};

struct gm_table {
    uint8_t format;
    uint8_t content;
    uint16_t size; /* also in the header; one version may have several */
    uint16_t field_count;
    const struct gm_field *fields;
};
const struct gm_table *gm_table_at(size_t i); /* NULL past the last */

/* The table that describes itself. */
enum { GM_STREAM_FORMAT = 1, GM_STREAM_CONTENT = 9 };

/* ---- telling --------------------------------------------------------------------------------- */

enum { GM_RANK = 10, GM_RANK_LOW = 3, GM_HEADER = 4 };

struct gm_teller {
    const struct sink *sink;
    struct sample sample; /* what all samples of the table share */
    struct quirk_set quirks;
    enum amd_asic asic;
    bool centi_activity; /* some value shows that activity is in 0.01 % */
    bool unit_doubted;   /* of the field at hand */
};

/* Tells all elements of a field; its offsets count from `table`. */
void gm_tell_field(struct gm_teller *t, const struct gm_field *f, const char *table);
/* One sample; name and name length are set by the caller in t->sample. */
void gm_tell(struct gm_teller *t, unsigned metric, unsigned index, uint64_t raw,
             struct gm_reading r, unsigned rank);

/* gpu_metrics_v19.c: `table` is as long as its header says. Counts every byte of it. */
void gm_tell_stream(struct gm_teller *t, struct span table, struct counts *counts);

#endif
