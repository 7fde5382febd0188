/*
 * Descriptors of a process whose fd folder does not open: that takes its owner or CAP_DAC_READ_SEARCH. The fdinfo
 * folder opens to CAP_SYS_PTRACE alone, and the texts in it tell which are of device nodes: of a DRM driver's file the
 * text says so, and its inode, else the device's PCI address, says which node it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "collect.h"

enum { BARE_BYTES = 2048, NODES_BYTES = 8192 };

struct search {
    struct collector *c;
    const char *folder;
    bool by_name; /* else by inode */
    uint64_t ino;
    uint32_t major;
    uint32_t minor;
    bool found;
};

/* The value of a line "KEY:\tvalue"; `key` with its colon. */
static struct span value_of(struct span text, const char *key) {
    struct cursor c = cursor_over(text);
    struct span line;
    while (cursor_line(&c, &line))
        if (span_starts(line, key))
            return span_trim(span_skip(line, strlen(key)));
    return (struct span){0};
}

static void meet_node(void *ctx, struct span name) {
    struct search *s = ctx;
    char path[128];
    struct stat st;
    uint64_t number;
    int n = snprintf(path, sizeof(path), "%s/%.*s", s->folder, (int)name.n, name.p);
    if (s->found || n < 0 || (size_t)n >= sizeof(path))
        return;
    if (s->by_name) {
        if (span_starts(name, "renderD") && !span_to_u64(span_skip(name, 7), &number)) {
            s->minor = (uint32_t)number;
            s->found = true;
        }
        return;
    }
    if (host_stat(s->c->host, s->c->host->root_fd, path, &st) != 0 || !S_ISCHR(st.st_mode) ||
        st.st_ino != s->ino)
        return;
    s->major = major(st.st_rdev);
    s->minor = minor(st.st_rdev);
    s->found = true;
}

static void search_folder(struct search *s, const char *folder) {
    char space[NODES_BYTES];
    struct host *h = s->c->host;
    int fd = s->found ? -1 : host_open(h, h->root_fd, folder, O_RDONLY | O_DIRECTORY);
    s->folder = folder;
    if (fd >= 0)
        (void)host_list(h, fd, space, sizeof(space), meet_node, s);
    host_close(h, fd);
    s->folder = NULL;
}

/* A container has nodes of its own: other inodes, the same device. */
static void search_address(struct search *s, struct span address) {
    char folder[64];
    if (s->found || address.n == 0 || address.n > 16 || memchr(address.p, '/', address.n))
        return;
    snprintf(folder, sizeof(folder), "sys/bus/pci/devices/%.*s/drm", (int)address.n, address.p);
    s->by_name = true;
    s->major = 226;
    search_folder(s, folder);
}

bool bare_node(struct collector *c, int dir_fd, const char *path, uint32_t *major,
               uint32_t *minor) {
    struct search s = {.c = c};
    char bytes[BARE_BYTES];
    int fd = host_open(c->host, dir_fd, path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : host_pread(c->host, fd, bytes, sizeof(bytes), 0);
    int sys = n < 0 && outcome_from_sys(errno) != OUTCOME_GONE ? errno : 0;
    struct span text = {bytes, n > 0 ? (size_t)n : 0};
    host_close(c->host, fd);
    errno = sys;
    if (value_of(text, "drm-driver:").n == 0)
        return false;
    if (!span_to_u64(value_of(text, "ino:"), &s.ino)) {
        search_folder(&s, "dev/dri");
        search_folder(&s, "dev/accel");
    }
    search_address(&s, value_of(text, "drm-pdev:"));
    errno = s.found ? 0 : EACCES; /* of a device, but nobody can say of which */
    *major = s.major;
    *minor = s.minor;
    return s.found;
}
