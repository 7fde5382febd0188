/* One recording, read whole: what it is a recording of shows only then. I/O. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "collect.h"

#define PIECE   ((size_t)1 << 16)
#define MOST    ((size_t)96 << 20) /* a full buffer of the longest lines that there are */
#define KEEP    ((size_t)4 << 20)  /* kept between two looks */
#define NEAR_NS INT64_C(10000000000)

static void look_over(struct mali_recording *r) {
    const char *p = r->text.p;
    const char *all = p + r->text.n;
    while (p < all) {
        const char *end = memchr(p, '\n', (size_t)(all - p));
        int64_t t_ns = mali_line_stamp((struct span){p, (size_t)((end ? end : all) - p)});
        r->lines++;
        if (t_ns >= 0 && r->first_ns < 0)
            r->first_ns = t_ns;
        if (t_ns >= 0)
            r->last_ns = t_ns;
        p = end ? end + 1 : all;
    }
}

int mali_recording_read(struct host *h, const char *path, struct mali_recording *r) {
    int fd = host_open(h, h->root_fd, path, O_RDONLY);
    int sys = fd < 0 ? errno : 0;
    ssize_t got = fd < 0 ? 0 : 1;
    r->lines = 0;
    r->first_ns = r->last_ns = -1;
    buf_clear(&r->text);
    while (got > 0 && r->text.n < MOST) {
        if (!buf_reserve(&r->text, PIECE)) {
            sys = ENOMEM;
            break;
        }
        got = host_pread(h, fd, r->text.p + r->text.n, PIECE, (off_t)r->text.n);
        if (got < 0)
            sys = errno;
        r->text.n += got > 0 ? (size_t)got : 0;
    }
    host_close(h, fd);
    if (!r->text.failed && r->text.n > 0)
        look_over(r);
    return sys;
}

void mali_recording_clear(struct mali_recording *r) {
    if (r->text.failed || r->text.cap > KEEP)
        buf_finish(&r->text);
    buf_clear(&r->text);
}

static uint64_t apart(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

const char *mali_recording_clock(const struct mali_recording *r, const struct mali_stop *at) {
    if (r->last_ns < 0)
        return "unknown";
    uint64_t real = apart(r->last_ns, at->real_ns);
    uint64_t boot = apart(r->last_ns, at->boot_ns);
    if (real <= NEAR_NS || boot <= NEAR_NS)
        return real < boot ? "realtime" : "boottime";
    return r->last_ns <= (int64_t)UINT32_MAX ? "cycles" : "unknown";
}
