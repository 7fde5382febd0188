/*
 * A sink that writes down what it hears, one line a sample, job or label, so that a test compares
 * texts:
 *
 *   label driver amdgpu
 *   engine.time gfx:graphics 107322799        name, class, value in the metric's integer
 *   engine.busy gfx[0]:graphics 53700 clamped
 *   memory.resident vram:vram unsupported     a state where there is no value
 *   process.ppid 1
 *   job PP0:graphics 1000..2000
 *
 * What all of one frame must share (time, subject, device, pid, client) is held against the first,
 * and so is what every sink may rely on: clean text, states and metrics that exist.
 */
#ifndef GWTOP_TEST_HEARD_H
#define GWTOP_TEST_HEARD_H

#include "gwtop/core.h"

struct heard {
    struct buf text;
    unsigned samples;
    unsigned jobs;
    unsigned labels;
    bool any;
    uint64_t client;
    unsigned space;
    bool raw;   /* write the number of the driver as well: "value raw" */
    bool plain; /* write no class where there is none */
};
/* Zeroed before the first use; heard_clear between texts, heard_finish at the end. */
void heard_clear(struct heard *h);
void heard_finish(struct heard *h);
struct sink heard_sink(struct heard *h);
/* NUL-terminated. */
const char *heard_text(struct heard *h);
/* Its lines in byte order. */
void heard_sort(struct heard *h);
/* Whether this very line was heard. */
bool heard_line(struct heard *h, const char *line);

/* The four that add up to the units read; and the reasons, which explain all but the accepted. */
uint64_t counts_units(const struct counts *c);
void assert_counts(const struct counts *c, uint64_t units);

#endif
