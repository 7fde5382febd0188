/* Bare walks over /proc. */
#include "scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LIST_SIZE 262144
#define NAMES_MAX 65536

struct found {
    char process[16];
    char number[16];
};

struct scan {
    int proc;
    unsigned long descriptors;
    struct found *found;
    unsigned found_count;
    int *kept;
    unsigned kept_count;
    uint64_t sizes;
    char list[LIST_SIZE];
    char inner[LIST_SIZE];
    char text[16384];
};

struct scan *scan_create(void) {
    struct scan *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s->found = calloc(NAMES_MAX, sizeof *s->found);
    s->kept = calloc(2 * NAMES_MAX, sizeof *s->kept);
    if (s->proc >= 0 && s->found && s->kept)
        return s;
    scan_destroy(s);
    return NULL;
}

static void let_go(struct scan *s) {
    for (unsigned i = 0; i < s->kept_count; i++)
        close(s->kept[i]);
    s->kept_count = 0;
}

void scan_destroy(struct scan *s) {
    if (!s)
        return;
    let_go(s);
    if (s->proc >= 0)
        close(s->proc);
    free(s->found);
    free(s->kept);
    free(s);
}

static bool is_number(const char *name) {
    return name[0] >= '0' && name[0] <= '9';
}

/* The records of one getdents64; false at the end. */
static bool list_some(int fd, char *to, size_t cap, ssize_t *n) {
    *n = syscall(SYS_getdents64, fd, to, cap);
    return *n > 0;
}

static bool is_drm(int fds, const char *number, enum scan_way way) {
    if (way == SCAN_BY_LINK) {
        char link[64];
        ssize_t n = readlinkat(fds, number, link, sizeof link);
        return n > 9 && memcmp(link, "/dev/dri/", 9) == 0;
    }
    struct stat st;
    return fstatat(fds, number, &st, 0) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == 226;
}

static void read_client(struct scan *s, const char *process, const char *number) {
    char path[64];
    snprintf(path, sizeof path, "%.15s/fdinfo/%.15s", process, number);
    int fd = openat(s->proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (read(fd, s->text, sizeof s->text) > 0 && s->found_count < NAMES_MAX) {
        struct found *f = &s->found[s->found_count++];
        snprintf(f->process, sizeof f->process, "%.15s", process);
        snprintf(f->number, sizeof f->number, "%.15s", number);
    }
    close(fd);
}

static void scan_process(struct scan *s, const char *process, enum scan_way way) {
    char path[64];
    snprintf(path, sizeof path, "%.15s/fd", process);
    int fds = openat(s->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fds < 0)
        return;
    for (ssize_t n; list_some(fds, s->inner, sizeof s->inner, &n);)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *d = (const struct dirent64 *)(const void *)(s->inner + at);
            at += d->d_reclen;
            if (!is_number(d->d_name))
                continue;
            s->descriptors++;
            if (is_drm(fds, d->d_name, way))
                read_client(s, process, d->d_name);
        }
    close(fds);
}

void scan_all(struct scan *s, enum scan_way way) {
    s->descriptors = 0;
    s->found_count = 0;
    lseek(s->proc, 0, SEEK_SET);
    for (ssize_t n; list_some(s->proc, s->list, sizeof s->list, &n);)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *d = (const struct dirent64 *)(const void *)(s->list + at);
            at += d->d_reclen;
            if (is_number(d->d_name))
                scan_process(s, d->d_name, way);
        }
}

unsigned long scan_descriptors(const struct scan *s) {
    return s->descriptors;
}

unsigned scan_clients(const struct scan *s) {
    return s->found_count;
}

static bool keep(struct scan *s, const char *path) {
    int fd = openat(s->proc, path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        s->kept[s->kept_count++] = fd;
    return fd >= 0;
}

bool scan_keep(struct scan *s) {
    bool fine = true;
    let_go(s);
    for (unsigned i = 0; i < s->found_count && fine; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/fdinfo/%s", s->found[i].process, s->found[i].number);
        fine = keep(s, path);
        snprintf(path, sizeof path, "%s/stat", s->found[i].process);
        if (i == 0 || strcmp(s->found[i].process, s->found[i - 1].process) != 0)
            fine = fine && keep(s, path);
    }
    return fine;
}

/* "PID" with "/fd" behind it, without a printf. */
static void folder_of(char *path, const char *process) {
    size_t n = strlen(process);
    memcpy(path, process, n);
    memcpy(path + n, "/fd", 4);
}

void scan_floor(struct scan *s) {
    lseek(s->proc, 0, SEEK_SET);
    for (ssize_t n; list_some(s->proc, s->list, sizeof s->list, &n);)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *d = (const struct dirent64 *)(const void *)(s->list + at);
            struct stat st;
            char path[300];
            at += d->d_reclen;
            if (!is_number(d->d_name))
                continue;
            folder_of(path, d->d_name);
            if (fstatat(s->proc, path, &st, 0) == 0)
                s->sizes += (uint64_t)st.st_size;
        }
    for (unsigned i = 0; i < s->kept_count; i++)
        if (pread(s->kept[i], s->text, sizeof s->text, 0) > 0)
            s->sizes += (uint64_t)s->text[0];
}
