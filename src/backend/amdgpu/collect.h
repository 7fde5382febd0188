/*
 * The collectors of amdgpu. Times in nanoseconds of CLOCK_MONOTONIC.
 *
 * Of a device: reading may ask the device's management processor and may take long, so a thread of its own
 * reads; what it read is handed on in the tick in which it is there. Between an ask and its answer the reader
 * (below) belongs to the thread, else to the collector: so neither needs a lock.
 *
 * In each tick the table gpu_metrics, memory, and what the table does not say or says worse; limits that somebody may
 * set every third tick; the rest, which only confirms, every 10 s; what does not move once, and again after a
 * sleep.
 */
#ifndef GWTOP_BACKEND_AMDGPU_COLLECT_H
#define GWTOP_BACKEND_AMDGPU_COLLECT_H

#include "amdgpu.h"
#include "device.h"
#include "gwtop/source.h"

/* ---- collect_files.c: which small files there are ----------------------------------------------------------- */

enum { DEVICE_FILES = 72, NAME_BYTES = 40, LABELS = 16, LABEL_BYTES = 24 };

enum folder { FOLDER_DEVICE, FOLDER_HWMON, FOLDERS };
enum pace { PACE_TICK, PACE_THIRD, PACE_ONCE };

struct device_file {
    char name[NAME_BYTES];
    uint16_t metric; /* for which it is read in each tick; METRIC_COUNT: for none */
    uint8_t rank;    /* of what it says of that metric */
    uint8_t folder;
    uint8_t pace;
    bool awaited; /* that it is not there is said again in each tick */
    bool done;    /* PACE_ONCE: it was read */
    bool absent;
    int8_t label;     /* index of its label; -1 none */
    int fd;           /* kept open, or -1 */
    int sys;          /* errno of the last read */
    int64_t next_ns;  /* not before: it is not there, or slow */
    int64_t check_ns; /* not before, where it only confirms */
};

/* The text of a label file, which never changes. */
struct label_file {
    char name[LABEL_BYTES];
    char text[LABEL_BYTES];
    uint8_t n;
    bool told; /* in the frame under way */
};

struct device_files {
    struct device_file file[DEVICE_FILES];
    uint32_t count;
    struct label_file label[LABELS];
    uint32_t label_count;
    int dir[FOLDERS]; /* the open folders; -1 */
    int hwmon_sys;    /* why there is no hwmon folder */
};

/* Finds the files anew; none is read but labels. False with errno where there is no device folder. */
bool files_find(struct device_files *f, struct host *h, const char *sys_path);
void files_close(struct device_files *f, struct host *h);
/* Whether the hwmon folder has a sensor that only APUs have; -1: it could not be looked into just now. */
int files_show_apu(struct host *h, const char *sys_path);

/* ---- collect_reader.c: one look at a device -------------------------------------------------------------------- */

struct reader {
    struct async_job job;
    struct host own; /* the thread's: calls and tally; nothing of the roster */
    const struct subject *subject;
    char sys_path[256];
    bool fresh; /* find all files anew */
    long keep_left;
    int64_t find_ns; /* when to look for a hwmon folder again */
    uint32_t tick;
    uint32_t left; /* files that may still be read in this tick */
    int64_t now_ns;
    bool all;  /* the first look after files were found: all of them are read */
    bool over; /* something was so slow that the rest waits for the next tick */
    struct device_files files;
    struct device_file table; /* gpu_metrics */
    uint32_t table_failures;
    bool table_flows; /* it holds running times */
    uint8_t
        best[METRIC_COUNT]; /* rank at which the table has a value that is not doubted; 0 none */
    uint8_t hwmon[METRIC_COUNT]; /* the same of hwmon */
    struct buf body[FOLDERS];
    char *text; /* TABLE_BYTES */
};

/* One file after another, or pcie_bw alone. */
enum err reader_create(struct host *h, const struct subject *stream, const char *sys_path,
                       long keep, struct reader **out);
enum err reader_create_pcie(struct host *h, const struct subject *stream, const char *sys_path,
                            struct reader **out);

/* ---- collect_kfd.c ------------------------------------------------------------------------------------------------ */

bool kfd_probe(const struct host *host);
enum err kfd_open(struct host *host, struct source **out);

/* ---- collect_kfd_gpus.c ------------------------------------------------------------------------------------------- */

struct kfd_gpu {
    uint64_t id;    /* in names of files of kfd */
    uint32_t minor; /* of a DRM node of its device */
    uint32_t part;  /* how many of the same device have a lesser id */
};

/* Zeroed: none yet. */
struct kfd_gpus {
    struct kfd_gpu *list;
    uint32_t cap;
    uint32_t count;
    int64_t due_ns; /* when to look again */
};

/* Keeps why something was missed; what is not there is not. */
void kfd_miss(int *sys, int why);
/* Looks which there are, where that is due. 0, or the errno for which not all were seen. */
int kfd_gpus_find(struct kfd_gpus *g, struct host *host, int64_t now_ns);
void kfd_gpus_finish(struct kfd_gpus *g);
/* NULL: it is none that is known. */
const struct subject *kfd_gpu_device(const struct kfd_gpu *gpu, struct host *host);

#endif
