/* One look at the small files of a Mali GPU, in the thread that may wait for them. What fails costs what it showed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../files.h"
#include "collect_sensors.h"

#define ABSENT_NS INT64_C(60000000000) /* until what was not there is looked for again */

/* ---- one file ---------------------------------------------------------------------------------- */

static ssize_t read_file(struct panthor_reader *r, struct panthor_small_file *d) {
    int fd = d->fd >= 0 ? d->fd : host_open(&r->own, r->own.root_fd, d->path, O_RDONLY);
    ssize_t n = fd >= 0 ? host_reread(&r->own, fd, r->text, sizeof(r->text)) : -1;
    int sys = errno;
    if (d->fd >= 0 && n < 0) {
        d->fd = -1;
        r->keep_left++;
    } else if (d->fd < 0 && n >= 0 && !r->own.rooted && r->keep_left > 0) {
        /* Below another root a file may be replaced by another of its name: opened anew each time. */
        d->fd = fd;
        r->keep_left--;
    }
    if (fd != d->fd)
        host_close(&r->own, fd);
    errno = sys;
    return n;
}

/* Whether it said something. What is not there is no word worth. */
static bool put_file(struct panthor_reader *r, unsigned which) {
    struct panthor_small_file *d = &r->files.file[which];
    ssize_t n = d->path[0] ? read_file(r, d) : 0;
    if (!d->path[0] || (n < 0 && errno == ENOENT))
        return false;
    files_put(&r->body, span_of(d->name), (struct span){r->text, n > 0 ? (size_t)n : 0},
              n < 0 ? errno : 0);
    return n > 0;
}

/* ---- operating points -------------------------------------------------------------------------- */

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* The rate of the table that is nearest to the clock; 0: none is near enough. */
static uint64_t nearest_rate(const struct panthor_files *f, uint64_t clock_hz) {
    uint64_t best = 0;
    for (uint32_t i = 0; i < f->rates; i++)
        if (panthor_is_at_point(clock_hz, f->rate_hz[i]) &&
            (best == 0 || distance(clock_hz, f->rate_hz[i]) < distance(clock_hz, best)))
            best = f->rate_hz[i];
    return best;
}

/* Of several supplies the first is that of the GPU itself; older kernels have no folder for it. */
static ssize_t read_point(struct panthor_reader *r, uint64_t rate_hz) {
    static const char *const leaves[] = {"supply-0/u_volt_target", "u_volt_target"};
    ssize_t n = -1;
    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]) && n < 0; i++) {
        char path[2 * PANTHOR_SENSOR_PATH];
        snprintf(path, sizeof(path), "%s/opp:%llu/%s", r->files.points, (unsigned long long)rate_hz,
                 leaves[i]);
        n = host_slurp(&r->own, r->own.root_fd, path, r->text, sizeof(r->text));
        if (n < 0 && errno != ENOENT)
            break;
    }
    return n;
}

static void put_point(struct panthor_reader *r, uint64_t clock_hz) {
    uint64_t rate_hz = nearest_rate(&r->files, clock_hz);
    char name[64];
    ssize_t n;
    if (r->files.points_sys != 0)
        files_put(&r->body, span_of("opp/u_volt_target"), span_of(""), r->files.points_sys);
    if (rate_hz == 0)
        return;
    n = read_point(r, rate_hz);
    if (n < 0 && errno == ENOENT)
        return;
    snprintf(name, sizeof(name), "opp/%llu/u_volt_target", (unsigned long long)rate_hz);
    files_put(&r->body, span_of(name), (struct span){r->text, n > 0 ? (size_t)n : 0},
              n < 0 ? errno : 0);
}

/* ---- the look ---------------------------------------------------------------------------------- */

/* Of what was read last. */
static uint64_t number_read(const struct panthor_reader *r) {
    struct cursor c = cursor_over((struct span){r->text, strnlen(r->text, sizeof(r->text))});
    uint64_t n;
    return cursor_u64(&c, &n) == ERR_OK ? n : 0;
}

static void close_files(struct panthor_reader *r) {
    for (unsigned i = 0; i < PANTHOR_FILES; i++) {
        struct panthor_small_file *d = &r->files.file[i];
        r->keep_left += d->fd >= 0;
        host_close(&r->own, d->fd);
        d->fd = -1;
    }
}

/* What it is; 0: nobody says. */
static uint64_t put_clock(struct panthor_reader *r) {
    bool said;
    memset(r->text, 0, sizeof(r->text));
    said = put_file(r, PANTHOR_CUR) || put_file(r, PANTHOR_TARGET);
    return said ? number_read(r) : 0;
}

static void put_limits(struct panthor_reader *r) {
    bool said = put_file(r, PANTHOR_MIN);
    said = put_file(r, PANTHOR_MAX) && said;
    if (!said)
        (void)put_file(r, PANTHOR_AVAILABLE);
}

static void look(struct panthor_reader *r, const struct frame_sink *sink) {
    int64_t now_ns = clock_mono_ns();
    uint64_t clock_hz;
    if (r->fresh || (r->find_ns != 0 && now_ns >= r->find_ns)) {
        close_files(r);
        r->find_ns =
            panthor_files_find(&r->files, &r->own, r->sys_path, r->device) ? 0 : now_ns + ABSENT_NS;
        r->tick = 0;
    }
    r->fresh = false;
    buf_clear(&r->body);
    clock_hz = put_clock(r);
    if (!put_file(r, PANTHOR_REGULATOR))
        put_point(r, clock_hz);
    if (r->tick % 3 == 0)
        put_limits(r);
    for (unsigned i = PANTHOR_ZONE; i < PANTHOR_FILES; i++)
        (void)put_file(r, i);
    r->tick++;
    if (!r->body.failed)
        host_emit(sink, r->stream, PANTHOR_SYSFS, clock_mono_ns(), r->body.p,
                  r->body.n > 0 ? (ssize_t)r->body.n : -1, ENOENT);
}

static enum err reader_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct panthor_reader *r = (struct panthor_reader *)s;
    int64_t start_ns = clock_mono_ns();
    (void)now_ns;
    look(r, sink);
    r->job.took_ns = clock_mono_ns() - start_ns;
    return ERR_OK;
}

static void reader_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    (void)now_ns;
    *out = (struct source_wait){.fd = -1, .due_ns = INT64_MAX};
}

static void reader_close(struct source *s) {
    struct panthor_reader *r = (struct panthor_reader *)s;
    if (!r)
        return;
    close_files(r);
    buf_finish(&r->body);
    free(r);
}

static const struct source_ops ops = {
    .poll = reader_poll, .read = reader_read, .close = reader_close};

enum err panthor_reader_create(struct host *h, const struct subject *stream, const char *sys_path,
                               const char *device, struct panthor_reader **out) {
    struct panthor_reader *r = calloc(1, sizeof(*r));
    if (!r)
        return ERR_NOMEM;
    r->job.source.ops = &ops;
    r->own = host_for_thread(h);
    r->stream = stream;
    r->device = device;
    snprintf(r->sys_path, sizeof(r->sys_path), "%s", sys_path);
    r->fresh = true;
    for (unsigned i = 0; i < PANTHOR_FILES; i++)
        r->files.file[i].fd = -1;
    buf_init(&r->body);
    *out = r;
    return ERR_OK;
}
