/* What the parts of the mali collector share: the driver's files, a recording at hand, and trace
 * points. */
#ifndef GWTOP_BACKEND_MALI_COLLECT_H
#define GWTOP_BACKEND_MALI_COLLECT_H

#include "gwtop/source.h"
#include "trace.h"

#define MALI_FOLDER_MAX 512
#define MALI_PATH_MAX   (MALI_FOLDER_MAX + 64)

/* The driver's folder in debugfs, relative to the root, where it has the profiling files. */
bool mali_find(const struct host *h, char folder[MALI_FOLDER_MAX]);
/* "FOLDER/file". */
const char *mali_path(char path[MALI_PATH_MAX], const char *folder, const char *file);

/* ---- what the driver says beside a recording --------------------------------------------------- */

/* An empty folder has no file. */
bool mali_has_file(struct host *h, const char *folder, const char *file);
void mali_put_name(struct host *h, const char *folder, struct buf *facts);
/* Which files and trace points the driver has tells its release more surely than the lines it wrote. */
void mali_put_dialect(struct host *h, const char *folder, const char *tracefs, struct span lines,
                      struct buf *facts);

/* Clock and voltage before the first event; 0 unknown. A recording tells changes only, so this is
 * what its head is priced by. One without the other prices nothing, and would be taken for what the
 * events say: both or none. */
struct mali_initial {
    uint64_t clock_hz;
    uint64_t voltage_uv;
};
struct mali_initial mali_initial_learn(struct host *h);
/* A driver that has no room for its buffer may never come back from the attempt. */
bool mali_has_room(struct host *h);

/* ---- recordings ------------------------------------------------------------------------------ */

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

/* The file that is 1 while the driver records. */
struct mali_knob {
    struct host *host;
    int fd; /* open while it is ours, else -1 */
    int undo;
    size_t word;       /* bytes of "0" or "0\n", as it was found */
    int64_t turned_ns; /* before it was switched on: no stamp of the recording is older */
};
void mali_knob_init(struct mali_knob *k, struct host *h);
/* Opens it: whatever comes, it is off in the end. 0 or an errno. */
int mali_knob_take(struct mali_knob *k, const char *path, size_t word);
int mali_knob_turn(struct mali_knob *k, bool on); /* 0 or an errno */
/* As it stands, off or on. */
void mali_knob_let_go(struct mali_knob *k);

/* The clocks of the machine when the driver stopped. */
struct mali_stop {
    int64_t real_ns;
    int64_t boot_ns;
};
/* "realtime", "boottime", "cycles" or "unknown": what the driver stamps with. */
const char *mali_recording_clock(const struct mali_recording *r, const struct mali_stop *at);

/* ---- trace points ---------------------------------------------------------------------------- */

/* Folders of its events in tracefs and in each instance. */
#define MALI_TRACE_TIMELINE "events/mali/mali_timeline_event"
#define MALI_TRACE_ACTIVE   "events/mali/mali_core_active"

/* Where tracefs is, relative to the root, and has the driver's trace points. */
bool mali_trace_find(const struct host *h, char tracefs[TRACEFS_MOUNT_MAX]);

/* An instance of our own in tracefs with one event of the driver on. Zeroed: there is none. */
struct mali_tracer {
    struct tracefs fs;
    const char *event; /* folder of the event */
    struct buf facts;  /* how pages are to be read */
    struct trace_layout layout;
};
/* Removes what a dead one left, makes the instance and learns of it all but what it records: 0 or an
 * errno, and then there is nothing to close. */
int mali_tracer_open(struct mali_tracer *t, struct host *h);
/* What was not read until then is lost with the instance. */
void mali_tracer_close(struct mali_tracer *t);
int mali_tracer_start(struct mali_tracer *t);
/* The driver still has the trace point. */
bool mali_tracer_there(struct mali_tracer *t);
/* A frame for each page that waits: 0, or the errno of the first pipe that could not be read. */
int mali_tracer_read(struct mali_tracer *t, const struct subject *stream,
                     const struct frame_sink *sink);

#endif
