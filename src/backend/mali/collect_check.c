/* What recordings of a Mali-400/450 take; for `gwtop doctor`. Nothing of the driver's is opened. */
#include <stdio.h>
#include <unistd.h>

#include "collect.h"

static const struct kind *kind_of(unsigned kind) {
    return &backend_mali.kinds[kind - FRAME_BACKEND];
}

static void check_record(struct host *h, const struct check_sink *sink) {
    char folder[MALI_FOLDER_MAX] = "sys/kernel/debug/mali";
    char path[MALI_PATH_MAX];
    bool found = mali_find(h, folder);
    if (!found)
        snprintf(folder, sizeof(folder), "sys/kernel/debug/mali");
    struct check c =
        check_of_kind(kind_of(MALI_EVENTS), CHECK_OFF, mali_path(path, folder, "profiling/record"));
    if (!found) {
        c.state = CHECK_MISSING;
        c.need = "debugfs, mounted, and a driver built with its internal profiling";
        c.command = "sudo mount -t debugfs debugfs /sys/kernel/debug";
        c.unsafe = "root alone may enter it";
    } else if (host_may(h, path, R_OK | W_OK) != 0) {
        c.state = CHECK_DENIED;
        c.command = "sudo gwtop --mali-profiling";
        c.unsafe = "gwtop runs as root meanwhile; the driver records each job, which costs time "
                   "and memory";
    } else {
        c.need = "the option --mali-profiling";
        c.command = "gwtop --mali-profiling";
        c.unsafe = "the driver records each job, which costs time and memory; no other program may "
                   "record meanwhile";
    }
    check_tell(sink, c, 8);
}

static void check_trace(struct host *h, const struct check_sink *sink) {
    char mount[TRACEFS_MOUNT_MAX] = "";
    if (!mali_trace_find(h, mount))
        return; /* few builds of the driver have its events */
    struct check c = check_of_kind(kind_of(MALI_TRACE_PAGE), CHECK_OFF, mount);
    tracefs_check(h, mount, "each job costs trace records meanwhile", &c);
    check_tell(sink, c, 4);
}

/* The driver has no DRM device: it is of the machine. */
void mali_check(struct host *host, const struct device_info *device,
                const struct check_sink *sink) {
    char folder[MALI_FOLDER_MAX];
    if (device || (host_may(host, "sys/module/mali", F_OK) != 0 && !mali_find(host, folder)))
        return;
    check_record(host, sink);
    check_trace(host, sink);
}
