/*
 * What was: numbers of devices, processes and counters in the ticks before, by the number of the tick, so that a
 * recording may go back: then what came before the tick on the screen is still there, and nothing of what comes
 * after it shows.
 */
#ifndef GWTOP_VIEW_HISTORY_H
#define GWTOP_VIEW_HISTORY_H

#include "gwtop/snapshot.h"
#include "plot.h"

struct ui;

/* What is kept of a device; of a process only those that say so. */
enum series {
    SERIES_BUSY, /* ppm; of a process too */
    /* + enum engine_class: ppm as the gauge of the class shows it; CLASS_NONE is SERIES_BUSY */
    SERIES_CLASS = SERIES_BUSY,
    SERIES_MEMORY = SERIES_CLASS + CLASS_COUNT, /* bytes; of a process, VRAM and GTT together */
    /* + enum region_class: bytes as the gauge shows it; REGION_NONE has none */
    SERIES_REGION = SERIES_MEMORY,
    SERIES_POWER = SERIES_REGION + REGION_COUNT, /* W x 10^-6; of a process too */
    SERIES_PW,                                   /* PW x 10^-6; of a process too */
    SERIES_TEMPERATURE,                          /* degrees x 10^-3 */
    SERIES_CLOCK,                                /* Hz */
    SERIES_CPU,                                  /* ppm of one processor; of a process only */
    SERIES_COUNT
};

#define HISTORY_DEVICE_TICKS   1024
#define HISTORY_DEVICES        256 /* at most: the one that was not seen for longest makes room */
#define HISTORY_PROCESS_TICKS  128
#define HISTORY_PROCESSES      16384 /* likewise */
#define HISTORY_PROCESS_SERIES 4     /* beside memory */

/* ---- asking ---------------------------------------------------------------------------------- */

/* The value of a tick; false where there is none. `device` is the subject of a device. */
bool history_device(const struct ui *ui, uint32_t device, enum series which, uint64_t tick,
                    int64_t *v);
bool history_process(const struct ui *ui, int32_t pid, uint64_t start, uint32_t device,
                     enum series which, uint64_t tick, int64_t *v);
/* `count` ticks up to and with `tick`, the oldest first, as plot_draw() takes them: PLOT_GAP for none. */
void history_device_run(const struct ui *ui, uint32_t device, enum series which, uint64_t tick,
                        int64_t *v, uint32_t count);
void history_process_run(const struct ui *ui, int32_t pid, uint64_t start, uint32_t device,
                         enum series which, uint64_t tick, int64_t *v, uint32_t count);
/* Time from `count` - 1 ticks before up to `tick`, ns; of ticks that are not known it is guessed from those that are. 0:
 * nothing is known. */
int64_t history_span_ns(const struct ui *ui, uint64_t tick, uint32_t count);

/* What of the device is shown of a series now: its gauge, its sensor; and its limit (`whole`: the size of memory, the
 * cap of power; not known where there is none). */
struct value history_now(const struct snapshot *s, const struct snap_device *d, enum series which,
                         struct value *whole);

/* ---- what is kept ---------------------------------------------------------------------------- */

/* A counter of a device, in words that outlive a snapshot. */
struct counter_key {
    uint32_t device; /* subject */
    uint32_t nth;    /* among entries of the same metric and index */
    uint16_t metric;
    uint16_t index;
};

#define HISTORY_TICKS 64 /* of a counter */
#define HISTORY_SLOTS 256
struct history_slot {
    struct counter_key key;
    int64_t v[HISTORY_TICKS]; /* by tick number; PLOT_GAP: none */
};
struct history_counters {
    uint64_t tick[HISTORY_TICKS]; /* whose values stand there; 0: nobody's */
    uint32_t count;
    uint32_t last; /* slot found last, + 1 */
    struct history_slot slots[HISTORY_SLOTS];
};

struct history_device {
    uint32_t subject;
    uint64_t seen;                         /* number of the look that saw it last */
    double sum[SERIES_COUNT];              /* of all that was seen: what was used most */
    int64_t whole[SERIES_COUNT];           /* the limit that was known last; 0: none */
    struct plot_scale scale[SERIES_COUNT]; /* of its plots */
    int64_t *v;                            /* SERIES_COUNT x HISTORY_DEVICE_TICKS */
};
struct history_process {
    struct map_key key;
    uint64_t seen;  /* as above */
    uint32_t older; /* by when they were seen; UINT32_MAX: none */
    uint32_t newer;
    uint32_t tick[HISTORY_PROCESS_TICKS]; /* whose values stand there, its low bits; 0: nobody's */
    int64_t memory[HISTORY_PROCESS_TICKS];
    float v[HISTORY_PROCESS_SERIES][HISTORY_PROCESS_TICKS]; /* of the others; below 0: none */
};

struct history {
    uint64_t now;                        /* tick noted last; 0: none */
    uint64_t looks;                      /* ticks that were noted, in whichever order */
    uint64_t tick[HISTORY_DEVICE_TICKS]; /* whose values stand there; 0: nobody's */
    int64_t t_ns[HISTORY_DEVICE_TICKS];
    struct history_device *devices;
    uint32_t device_count;
    uint32_t device_cap;
    struct history_process *processes;
    uint32_t process_count;
    uint32_t process_cap;
    uint32_t oldest; /* of processes, by when they were seen */
    uint32_t newest;
    struct map places; /* of processes */
    struct history_counters counters;
};

void history_finish(struct history *h);
/* Keeps a tick; the same tick once in a row. */
void history_note(struct ui *ui, const struct snapshot *s);

/* history_counters.c */
void history_note_counters(struct history_counters *h, const struct snapshot *s);
/* history_now.c: of each series of a device what history_now() gives. */
void history_values(const struct snapshot *s, const struct snap_device *d,
                    struct value now[SERIES_COUNT], struct value whole[SERIES_COUNT]);

/* NULL where nothing of it is kept. */
struct history_device *history_find(struct history *h, uint32_t device);

#endif
