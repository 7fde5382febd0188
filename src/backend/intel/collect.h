/*
 * The collectors of i915 and xe. Times in nanoseconds of CLOCK_MONOTONIC.
 *
 * A device's files may ask its firmware and may take long, so a thread of its own reads them (source.h, async); what it
 * read is handed on in the tick in which it is there. Between an ask and its answer the reader (below) belongs
 * to the thread, else to the collector.
 *
 * In each tick clocks, sleep, energy, temperatures, fans, and counters of perf events; what somebody may set, the
 * link and the channels of memory every third tick; what does not move once, and again after a sleep. Reasons of
 * throttling are read only where the driver says that there is one.
 */
#ifndef GWTOP_BACKEND_INTEL_COLLECT_H
#define GWTOP_BACKEND_INTEL_COLLECT_H

#include "gwtop/source.h"
#include "sensors.h"

/* ---- collect_files.c: which small files there are ------------------------------------------------------------- */

enum { SENSOR_FILES = 384, SENSOR_NAME_BYTES = 64, LABEL_BYTES = 24, PATH_BYTES = 256 };

enum folder { FOLDER_DEVICE, FOLDER_CARD, FOLDER_PORT, FOLDER_HWMON, FOLDERS };
enum pace { PACE_TICK, PACE_THIRD, PACE_ONCE };

struct sensor_file {
    char name
        [SENSOR_NAME_BYTES]; /* in the frame; of FOLDER_PORT with "port/" before what it is called there */
    char label[LABEL_BYTES]; /* the text of its sensor's label file, which never changes */
    uint8_t label_n;
    uint8_t folder;
    uint8_t pace;
    bool is_status; /* 1: the reasons that follow it are worth a look */
    bool is_reason;
    bool done;       /* PACE_ONCE: it was read */
    int fd;          /* kept open, or -1 */
    int64_t next_ns; /* not before: it is slow */
};

struct sensor_files {
    struct sensor_file file[SENSOR_FILES];
    uint32_t count;
    unsigned gts;     /* bits of the GTs that there are */
    int dir[FOLDERS]; /* the open folders; -1 */
    int hwmon_sys;    /* why there is no hwmon folder */
    bool is_card;     /* has sensors of a card, although it was taken for none */
};

/* What is known of a device before it is touched. */
struct device_place {
    char sys_path[PATH_BYTES];
    char card[32]; /* "card0", or "" */
    char slot[32]; /* PCI address, or "" */
    char driver[8];
};

/* Finds the files anew; none is read but labels. False with errno where there is no device folder. */
bool sensor_files_find(struct sensor_files *f, struct host *h, const struct device_place *at,
                       bool is_apu);
void sensor_files_close(struct sensor_files *f, struct host *h);
/* Whether the GPU shares its chip with processor cores: the first slot, and no sensors of a card; -1: that
 * could not be told, and so not what those sensors are. */
int sensor_files_apu(struct host *h, const struct device_place *at);

/* ---- collect_pmu.c: perf events, opened by the names that sysfs gives them --------------------------------------- */

enum { PMU_EVENTS = 64, PMU_NAME_BYTES = 48, PMU_SCALE_BYTES = 40 };

struct pmu_event {
    char name[PMU_NAME_BYTES];
    char scale[PMU_SCALE_BYTES]; /* "" where it has none */
    int fd;
};
/* Events that are read together. */
struct pmu_group {
    struct pmu_event event[PMU_EVENTS];
    uint32_t count;
    int dir; /* of the PMU, while events are opened; else -1 */
    uint32_t type;
    int cpu;
};
struct pmu_reading {
    uint64_t time_ns; /* for which they counted */
    uint64_t value[PMU_EVENTS];
};

void pmu_init(struct pmu_group *g);
/* The PMU in this folder below the root. False with errno: there is none, or not one to be read. */
bool pmu_find(struct pmu_group *g, struct host *h, const char *path);
/* Adds an event of the folder under `as`. `gt`: value of the term of that name; 0: it is left out. False with errno,
 * EACCES or EPERM: no event can be opened. */
bool pmu_add(struct pmu_group *g, struct host *h, const char *event, const char *as, unsigned gt);
/* Calls `name` for each event that the folder lists. */
void pmu_list(struct pmu_group *g, struct host *h, void (*name)(void *ctx, struct span name),
              void *ctx);
void pmu_found(struct pmu_group *g, struct host *h); /* nothing more is added */
/* False with errno. */
bool pmu_read(struct pmu_group *g, struct host *h, struct pmu_reading *out);
void pmu_close(struct pmu_group *g, struct host *h);

/* ---- collect_events.c: which of them --------------------------------------------------------------------------- */

struct events {
    struct pmu_group pmu;
    int pmu_sys; /* why there is none */
    bool pmu_told;
    struct pmu_group rapl;
    int rapl_sys;
    struct buf body;
};

void events_init(struct events *c);
/* Opens them anew. `gts`: bits of the GTs that there are; `may_sleep`: the device does by itself. No more than `keep`
 * descriptors; returns how many are open. */
long events_open(struct events *c, struct host *h, const struct device_place *at, bool is_apu,
                 unsigned gts, bool may_sleep, long keep);
void events_emit(struct events *c, struct host *h, const struct subject *s, bool is_apu,
                 const struct frame_sink *sink);
void events_close(struct events *c, struct host *h);

/* ---- collect_reader.c: one look at a device ------------------------------------------------------------------------ */

struct reader {
    struct async_job job;
    struct host own; /* the thread's */
    const struct subject *subject;
    struct device_place at;
    bool is_apu;
    bool fresh;    /* find all files anew */
    bool all;      /* the first look after that: each is read once */
    bool over;     /* something was so slow that the rest waits for the next tick */
    long keep;     /* descriptors that may stay open */
    long counting; /* those of them that are perf events */
    long keep_left;
    uint32_t tick;
    int64_t now_ns;
    int64_t find_ns; /* when to look for a hwmon folder again */
    struct sensor_files files;
    struct events events;
    struct buf body[2]; /* sysfs, hwmon */
    char text[4096];
};

enum err sensor_reader_create(struct host *h, const struct subject *stream,
                              const struct device_place *at, bool is_apu, long keep,
                              struct reader **out);

#endif
