/* What the parts of the mali collector share: the driver's files, and a recording at hand. */
#ifndef GWTOP_BACKEND_MALI_COLLECT_H
#define GWTOP_BACKEND_MALI_COLLECT_H

#include "gwtop/source.h"
#include "mali.h"

#define MALI_FOLDER_MAX 512
#define MALI_PATH_MAX   (MALI_FOLDER_MAX + 64)

/* The driver's folder in debugfs, relative to the root, where it has the profiling files. */
bool mali_find(const struct host *h, char folder[MALI_FOLDER_MAX]);
/* "FOLDER/file". */
const char *mali_path(char path[MALI_PATH_MAX], const char *folder, const char *file);

/* The whole of a recording. */
struct mali_recording {
    struct buf text;
    uint64_t lines;
    int64_t first_ns; /* stamps of its first and last line that has one; -1: none does */
    int64_t last_ns;
};
/* Reads `events` to its end: 0 or the errno; what was read until then is there all the same. */
int mali_recording_read(struct host *h, const char *path, struct mali_recording *r);
/* Lets go of what only a large one needed. */
void mali_recording_clear(struct mali_recording *r);

/* The clocks of the machine when the driver stopped. */
struct mali_stop {
    int64_t real_ns;
    int64_t boot_ns;
};
/* "realtime", "boottime", "cycles" or "unknown": what the driver stamps with. */
const char *mali_recording_clock(const struct mali_recording *r, const struct mali_stop *at);

#endif
