/*
 * What the sums of rows are made with.
 */
#ifndef GWTOP_TABLE_SUMS_H
#define GWTOP_TABLE_SUMS_H

#include "shape.h"

#define BIT(state) (1u << (state))

/* One figure of all rows. */
struct tally {
    int64_t sum;
    unsigned states;
    uint8_t doubt;
};
struct real_tally {
    double sum;
    unsigned states;
    uint8_t doubt;
};

/* Memory that others can reach counts once, the rest of each. */
struct shared_tally {
    struct tally own;
    int64_t largest;
};

struct engine_sum {
    struct text_ref name;
    uint8_t class;
    bool jobs;
    uint32_t capacity;
    struct tally busy_ppm;
    struct tally busy_ns;
    struct tally unpriced_ns;
    struct real_tally pws;
};

struct memory_sum {
    struct text_ref region;
    uint8_t class;
    struct shared_tally resident;
    struct shared_tally legacy;
    struct tally total;
    struct tally purgeable;
    struct tally shared;
};

/* All of one sum. */
struct adding {
    struct table_totals *t;
    const struct snapshot *s;
    bool ended; /* all processes did */
    uint32_t engine_count;
    uint32_t memory_count;
    struct tally busy_ppm;
    int64_t busiest;
    struct tally busy_ns;
    struct tally cpu_ppm;
    struct tally rss;
    struct tally vram;
    struct tally gtt;
    struct tally shared;
    struct tally unpriced_ns;
    struct real_tally pw;
    struct real_tally pws;
    struct real_tally watts;
    struct real_tally joules;
    int64_t type_ns[TYPE_MEDIA + 1];
    uint32_t clients;
    uint8_t vram_mark;
    uint8_t gtt_mark;
    uint8_t method;
};

int64_t tally_sat(int64_t a, int64_t b);
/* Malformed where it is no number that can be. */
unsigned tally_state(struct value v);
void tally_add(struct tally *t, struct value v);
struct value tally_value(const struct tally *t);
/* Of a process that ended while others go on it is no gap that nothing is told of it now. */
bool tally_is_over(const struct adding *a, const struct snap_process *p, unsigned state);
bool sum_same_text(const struct snapshot *s, struct text_ref a, struct text_ref b);

/* sums_memory.c */
enum err sum_add_memory(struct adding *a, const struct snap_process *p);
enum err sum_write_memory(struct adding *a, struct snap_process *to);

#endif
