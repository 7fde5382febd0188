/* Finds debugfs and in it the driver's folder. I/O. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"

enum { MOUNTS_BYTES = 1 << 18 };

const char *mali_path(char path[MALI_PATH_MAX], const char *folder, const char *file) {
    snprintf(path, MALI_PATH_MAX, "%s/%s", folder, file);
    return path;
}

static bool look_at(const struct host *h, const char *path, struct stat *st) {
    return h->io->stat(h->io->ctx, h->root_fd, path, st, 0) == 0;
}

/* Who may not enter debugfs is told so where there is a driver, rather than shown no device. */
static bool has_profiling(const struct host *h, const char *folder) {
    char path[MALI_PATH_MAX];
    struct stat st;
    if (look_at(h, mali_path(path, folder, "profiling/record"), &st))
        return S_ISREG(st.st_mode);
    return errno == EACCES && look_at(h, "sys/module/mali", &st);
}

static bool is_octal(const char *p) {
    return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7';
}

/* The mount point as a path below the root: "\040" stands for a blank. False: it does not fit. */
static bool unescape(struct span point, char *to, size_t cap) {
    size_t n = 0;
    while (point.n > 0 && *point.p == '/')
        point = span_skip(point, 1);
    for (size_t i = 0; i < point.n; i++) {
        if (n + 1 >= cap)
            return false;
        const char *p = point.p + i;
        bool escaped = *p == '\\' && i + 3 < point.n && is_octal(p + 1);
        to[n++] = escaped ? (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0')) : *p;
        i += escaped ? 3 : 0;
    }
    to[n] = '\0';
    return n > 0;
}

/* A line: ids, device, root, mount point, options, more of them, "-", type, ... */
static bool is_debugfs(struct span line, struct span *point) {
    struct cursor c = cursor_over(line);
    struct span word;
    for (unsigned i = 0; i < 5; i++)
        if (!cursor_field(&c, ' ', point))
            return false;
    while (cursor_field(&c, ' ', &word))
        if (span_equals(word, "-"))
            return cursor_field(&c, ' ', &word) && span_equals(word, "debugfs");
    return false;
}

static bool below(const struct host *h, const char *debugfs, char folder[MALI_FOLDER_MAX]) {
    int n = snprintf(folder, MALI_FOLDER_MAX, "%s/mali", debugfs);
    return n > 0 && n < MALI_FOLDER_MAX && has_profiling(h, folder);
}

static bool find_in(const struct host *h, struct span mounts, char folder[MALI_FOLDER_MAX]) {
    struct cursor c = cursor_over(mounts);
    struct span line;
    struct span point;
    char path[MALI_FOLDER_MAX];
    while (cursor_line(&c, &line))
        if (is_debugfs(line, &point) && unescape(point, path, sizeof(path)) &&
            below(h, path, folder))
            return true;
    return false;
}

static size_t read_mounts(const struct host *h, char *to, size_t cap) {
    const struct host_io *io = h->io;
    int fd =
        h->proc_fd < 0 ? -1 : io->open(io->ctx, h->proc_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 1;
    if (fd < 0)
        return 0;
    while (got > 0 && n < cap) {
        got = io->pread(io->ctx, fd, to + n, cap - n, (off_t)n);
        n += got > 0 ? (size_t)got : 0;
    }
    io->close(io->ctx, fd);
    return n;
}

bool mali_find(const struct host *h, char folder[MALI_FOLDER_MAX]) {
    static const char *const usual[] = {"sys/kernel/debug", "d", "debug"};
    char *mounts = malloc(MOUNTS_BYTES);
    size_t n = mounts ? read_mounts(h, mounts, MOUNTS_BYTES) : 0;
    bool found = n > 0 && find_in(h, (struct span){mounts, n}, folder);
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && !found; i++)
        found = below(h, usual[i], folder);
    free(mounts);
    return found;
}
