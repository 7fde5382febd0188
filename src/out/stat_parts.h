/* What `stat` gathers and its three forms print. */
#ifndef OUT_STAT_PARTS_H
#define OUT_STAT_PARTS_H

#include "gwtop/out.h"

enum { STAT_USES = 16, STAT_PROCESSES = 4096 };

/* One figure over all runs, by Welford's sums. */
struct figure {
    double mean;
    double squares; /* of the distances from the mean */
    uint32_t n;     /* runs in which it was known */
    uint8_t state;  /* enum state: why it is not, where n is 0 */
    uint8_t doubt;
};

struct cost_engine {
    struct text_ref name;
    uint8_t class;
    uint32_t capacity;
    struct figure busy_s;
    struct figure busy_pct;
};

/* bytes */
struct cost_region {
    struct text_ref name;
    double sum;     /* at the look at hand: of what is not shared */
    double shared;  /* at the look at hand: the largest */
    double held;    /* after the last look */
    double peak;    /* of the run at hand, as the next */
    double byte_ns; /* held x time */
    bool known;
    struct figure peak_b;
    struct figure mean_b;
};

struct cost_device {
    struct text_ref id;
    struct text_ref name;
    struct cost_engine *engines;
    uint32_t engine_count, engine_cap;
    struct cost_region *regions;
    uint32_t region_count, region_cap;
    uint8_t method; /* the last that was told */
    struct figure pws, unpriced_s, joules, watts;
};

struct cost_use {
    uint32_t engine; /* of its device */
    struct value busy_ns;
};

struct cost_process {
    uint32_t run; /* from 1 */
    uint32_t device;
    int32_t pid;
    uint64_t start;
    struct value start_ns;
    struct text_ref name;
    struct text_ref command;
    bool exited;
    struct value busy_ns;
    struct snap_power power;
    uint32_t use_count;
    struct cost_use uses[STAT_USES];
};

struct out_stat {
    struct text_pool text;
    struct cost_device *devices;
    uint32_t device_count, device_cap;
    struct cost_process *processes;
    uint32_t process_count, process_cap;
    uint32_t run_first; /* the first process of the run at hand */
    uint32_t runs;
    int64_t last_ns; /* of the look before, 0 for none */
    bool failed;     /* lack of memory, or of places */
    struct figure wall_s;
};

void figure_add(struct figure *f, double v, uint8_t doubt);
/* A run in which it was not known. */
void figure_miss(struct figure *f, uint8_t state);
/* 100 x sample standard deviation / mean; false where there is none. */
bool figure_spread(const struct figure *f, double *out);
/* Doubts, `estimated` where it was not known in all runs. */
uint8_t figure_doubt(const struct figure *f, uint32_t runs);

void stat_text(const struct out_stat *st, const struct out_stat_about *a, struct buf *b);
void stat_json(const struct out_stat *st, const struct out_stat_about *a, struct buf *b);
void stat_csv(const struct out_stat *st, const struct out_stat_about *a, struct buf *b);

#endif
