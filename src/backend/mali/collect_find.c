/* Finds debugfs and tracefs with what is the driver's in them. I/O. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "collect.h"

const char *mali_path(char path[MALI_PATH_MAX], const char *folder, const char *file) {
    snprintf(path, MALI_PATH_MAX, "%s/%s", folder, file);
    return path;
}

static bool look_at(const struct host *h, const char *path, struct stat *st) {
    return h->io->stat(h->io->ctx, h->root_fd, path, st, 0) == 0;
}

/* ---- debugfs --------------------------------------------------------------------------------- */

/* Who may not enter debugfs is told so where there is a driver, rather than shown no device. */
static bool has_profiling(const struct host *h, const char *folder) {
    char path[MALI_PATH_MAX];
    struct stat st;
    if (look_at(h, mali_path(path, folder, "profiling/record"), &st))
        return S_ISREG(st.st_mode);
    return errno == EACCES && look_at(h, "sys/module/mali", &st);
}

static bool is_debugfs(const struct host *h, const char *debugfs, void *ctx) {
    char *folder = ctx;
    int n = snprintf(folder, MALI_FOLDER_MAX, "%s/mali", debugfs);
    return n > 0 && n < MALI_FOLDER_MAX && has_profiling(h, folder);
}

bool mali_find(const struct host *h, char folder[MALI_FOLDER_MAX]) {
    static const char *const usual[] = {"sys/kernel/debug", "d", "debug"};
    bool found = mount_find(h, "debugfs", is_debugfs, folder);
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && !found; i++)
        found = is_debugfs(h, usual[i], folder);
    return found;
}

/* ---- tracefs --------------------------------------------------------------------------------- */

bool mali_trace_find(const struct host *h, char mount[TRACEFS_MOUNT_MAX]) {
    static const char *const events[] = {MALI_TRACE_TIMELINE, MALI_TRACE_ACTIVE};
    return tracefs_find(h, events, sizeof(events) / sizeof(events[0]), "sys/module/mali", mount);
}
