/*
 * The everyday sensors of Intel's devices, within this folder: what sysfs, hwmon, RAPL and the PMU say. Pure.
 *
 * The stream's facts: pci, driver, and apu=1|0: whether the GPU shares the chip with processor cores.
 */
#ifndef GWTOP_BACKEND_INTEL_SENSORS_H
#define GWTOP_BACKEND_INTEL_SENSORS_H

#include "../tell.h"
#include "intel.h"

/* Ranks among the sources of one metric. Hardware counters (OA) have the highest ones. */
enum {
    INTEL_RANK_PACKAGE = 3, /* a limit of the package, where the card has none */
    INTEL_RANK_MEAN =
        4, /* a clock over the interval, sleep included: less than the clock at work */
    INTEL_RANK_SYSFS = 5,
    INTEL_RANK_HWMON = 6,
    INTEL_RANK_PMU = 7
};

/* ---- growth over an interval --------------------------------------------------------------------- */

/* When the frames of a stream were read. */
struct interval {
    int64_t at_ns; /* of the last frame; 0: none yet */
    int64_t ns;    /* how long the last interval was */
};
/* The interval that ends at t_ns; 0: it cannot be told, or it is so much longer than the last one that the device may
 * have slept in it. */
int64_t interval_next(struct interval *i, int64_t t_ns);

/* The share of `ns` in 10^-4 %. What reading takes time makes a little more than all of it; more than that is
 * doubted. */
int64_t share_of_time(uint64_t part_ns, int64_t ns, unsigned *doubt);

/* "count" behind "name=" of a line; false where it is no such line. */
struct counter_line {
    struct span name;
    uint64_t count;
    struct span more; /* what follows the count, without blanks around it */
};
bool counter_line_of(struct span line, struct counter_line *out);

/* The number of "gt0", "tile1" and the like at the front of *text, which is advanced over it. */
bool number_after(struct span *text, const char *word, unsigned most, unsigned *out);

/* ---- link.c: the link to the host ------------------------------------------------------------------ */

/*
 * A card of Intel's may bring a switch of its own: then the device's end of the link is one within the card, which
 * always says 2.5 GT/s and one lane, and the link to the host is that of the switch's port above.
 */
enum { LINK_SPEED, LINK_WIDTH, LINK_FILES };
struct link_files {
    struct file_part now[LINK_FILES];
    struct file_part most[LINK_FILES];
    bool has_now[LINK_FILES];
    bool has_most[LINK_FILES];
};
/* Keeps a file by its name, without what stands before it; one that is none, or came already, is counted. */
void link_note(struct link_files *l, struct span name, const struct file_part *file,
               struct counts *counts);
/* Tells of the device's own end or of the port above, and counts the files of both. A GPU beside processor cores
 * has no link at all. */
void link_tell(struct teller *t, const struct link_files *own, const struct link_files *port,
               bool is_apu);

/* ---- for the collector ------------------------------------------------------------------------------- */

/* Whether the file of the hwmon folder is one that is decoded, whatever the label of its sensor. */
bool intel_hwmon_wanted(struct span name);
/* Whether the perf event is one that is decoded. */
bool intel_pmu_wanted(struct span name);

#endif
