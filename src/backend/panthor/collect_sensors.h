/*
 * The small files of a Mali GPU, on the collector's side. A thread of its own reads them (source.h, async), since a
 * regulator may be asked over a slow bus; between an ask and its answer the reader belongs to the thread.
 *
 * In each tick clock, voltage and temperature; every third the limits of the clock. Times in ns of CLOCK_MONOTONIC.
 */
#ifndef GWTOP_BACKEND_PANTHOR_COLLECT_SENSORS_H
#define GWTOP_BACKEND_PANTHOR_COLLECT_SENSORS_H

#include "gwtop/source.h"
#include "sensors.h"

enum {
    PANTHOR_SENSOR_PATH = 384,
    PANTHOR_ZONES = 4,   /* thermal zones */
    PANTHOR_POINTS = 64, /* operating points */
    PANTHOR_DEVICE_PATH = 256
};

enum panthor_file {
    PANTHOR_CUR,
    PANTHOR_TARGET, /* where CUR says nothing */
    PANTHOR_MIN,
    PANTHOR_MAX,
    PANTHOR_AVAILABLE, /* where MIN or MAX says nothing */
    PANTHOR_REGULATOR,
    PANTHOR_ZONE,
    PANTHOR_FILES = PANTHOR_ZONE + PANTHOR_ZONES
};

struct panthor_small_file {
    char path[PANTHOR_SENSOR_PATH]; /* below the root; "" there is none */
    char name[32];                  /* in the frame */
    int fd;                         /* kept open, or -1 */
};

struct panthor_files {
    struct panthor_small_file file[PANTHOR_FILES];
    char points[PANTHOR_SENSOR_PATH]; /* folder of the operating points; "" there is none */
    uint64_t rate_hz[PANTHOR_POINTS];
    uint32_t rates;
    int points_sys; /* why the operating points cannot be read; 0 */
};

/* collect_files.c: finds the files anew, all closed. `sys_path` is the device's below the root, which may be
 * by way of its node; `device` its own name. False where there is no
 * clock or no temperature: it is worth another look later. */
bool panthor_files_find(struct panthor_files *f, struct host *h, const char *sys_path,
                        const char *device);

/* collect_reader.c */
struct panthor_reader {
    struct async_job job;
    struct host own; /* the thread's */
    const struct subject *stream;
    char sys_path[PANTHOR_DEVICE_PATH];
    const char *device; /* its name in the kernel */
    bool fresh;         /* find all files anew */
    long keep_left;
    uint32_t tick;
    int64_t find_ns; /* when to look again for what is not there; 0 not at all */
    struct panthor_files files;
    struct buf body;
    char text[4096];
};
enum err panthor_reader_create(struct host *h, const struct subject *stream, const char *sys_path,
                               const char *device, struct panthor_reader **out);

#endif
