/* The mount table: where something of a type is mounted. I/O. */
#include <fcntl.h>
#include <string.h>

#include "gwtop/source.h"

enum { MOUNTS_BYTES = 1 << 13, MOUNTS_MOST = 1 << 20 };

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
static bool is_mount(struct span line, const char *type, struct span *point) {
    struct cursor c = cursor_over(line);
    struct span word;
    for (unsigned i = 0; i < 5; i++)
        if (!cursor_field(&c, ' ', point))
            return false;
    while (cursor_field(&c, ' ', &word))
        if (span_equals(word, "-"))
            return cursor_field(&c, ' ', &word) && span_equals(word, type);
    return false;
}

/* The mount table, line after line through a window: this is asked again and again, and allocates nothing. */
struct mounts {
    const struct host *h;
    int fd;
    off_t at; /* read so far */
    size_t from;
    size_t n;
    bool cut; /* a line that is longer than the window is passed over */
    char text[MOUNTS_BYTES];
};

static bool read_more(struct mounts *m) {
    const struct host_io *io = m->h->io;
    m->n -= m->from;
    memmove(m->text, m->text + m->from, m->n);
    m->from = 0;
    if (m->n == sizeof(m->text)) {
        m->cut = true;
        m->n = 0;
    }
    ssize_t got = m->at < MOUNTS_MOST
                      ? io->pread(io->ctx, m->fd, m->text + m->n, sizeof(m->text) - m->n, m->at)
                      : 0;
    m->n += got > 0 ? (size_t)got : 0;
    m->at += got > 0 ? got : 0;
    return got > 0;
}

static bool next_mount(struct mounts *m, struct span *line) {
    for (;;) {
        const char *begin = m->text + m->from;
        const char *end = memchr(begin, '\n', m->n - m->from);
        if (!end && read_more(m))
            continue;
        bool cut = m->cut;
        *line = (struct span){m->text + m->from, end ? (size_t)(end - begin) : m->n - m->from};
        m->from += line->n + (end ? 1 : 0);
        m->cut = m->cut && !end;
        if (!cut || !end)
            return end || (line->n > 0 && !cut);
    }
}

bool mount_find(const struct host *h, const char *type,
                bool (*is)(const struct host *h, const char *point, void *ctx), void *ctx) {
    const struct host_io *io = h->io;
    struct mounts m = {.h = h, .fd = -1};
    struct span line;
    struct span point;
    char path[TRACEFS_PATH_MAX];
    bool found = false;
    if (h->proc_fd >= 0)
        m.fd = io->open(io->ctx, h->proc_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);
    if (m.fd < 0)
        return false;
    while (!found && next_mount(&m, &line))
        found =
            is_mount(line, type, &point) && unescape(point, path, sizeof(path)) && is(h, path, ctx);
    io->close(io->ctx, m.fd);
    return found;
}
