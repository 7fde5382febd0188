/* One look at a device, in the thread that may wait for it. What fails costs what it showed. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS  INT64_C(1000000000)
#define ABSENT_NS  (60 * SECOND_NS) /* until a file that is not there is looked for again */
#define FAILED_NS  (5 * SECOND_NS)  /* and a folder that could not be looked into */
#define SLOW_NS    (SECOND_NS / 4)  /* a file that takes this long is read less often: */
#define SLOW_TIMES 20               /* so many times as long it rests */

/* ---- one file -------------------------------------------------------------------------------------------- */

/* What the file is called in its folder. */
static const char *own_name(const struct sensor_file *d) {
    return d->folder == FOLDER_PORT ? d->name + strlen("port/") : d->name;
}

static int take_fd(struct reader *r, const struct sensor_file *d) {
    if (d->fd >= 0)
        return d->fd;
    return host_open(&r->own, r->files.dir[d->folder], own_name(d), O_RDONLY);
}

/* A file of another root may be replaced by another under its name: it is opened anew each time. */
static void give_fd(struct reader *r, struct sensor_file *d, int fd, bool good) {
    if (d->fd >= 0 && !good) {
        d->fd = -1;
        r->keep_left++;
    } else if (d->fd < 0 && good && d->pace != PACE_ONCE && !d->is_reason && !r->own.rooted &&
               r->keep_left > 0) {
        d->fd = fd;
        r->keep_left--;
    }
    if (d->fd != fd)
        host_close(&r->own, fd);
}

static ssize_t read_line(struct reader *r, int fd) {
    size_t have = 0;
    while (have < sizeof(r->text)) {
        ssize_t n = host_pread(&r->own, fd, r->text + have, sizeof(r->text) - have, (off_t)have);
        if (n < 0)
            return -1;
        have += (size_t)n;
        if (n == 0 || r->text[have - 1] == '\n')
            break;
    }
    return (ssize_t)have;
}

/* Into r->text; -1 with errno. */
static ssize_t read_file(struct reader *r, struct sensor_file *d) {
    int64_t start_ns = clock_mono_ns();
    int fd = take_fd(r, d);
    ssize_t n = fd < 0 ? -1 : read_line(r, fd);
    int sys = errno;
    int64_t took_ns;
    if (fd >= 0)
        give_fd(r, d, fd, n >= 0);
    r->now_ns = clock_mono_ns();
    took_ns = r->now_ns - start_ns;
    d->next_ns = fd < 0 && sys == ENOENT ? r->now_ns + ABSENT_NS : r->now_ns;
    if (took_ns > SLOW_NS) {
        d->next_ns = r->now_ns + (took_ns < 3 * SECOND_NS ? SLOW_TIMES * took_ns : ABSENT_NS);
        r->over = true;
    }
    errno = sys;
    return n;
}

static void put_part(struct reader *r, const struct sensor_file *d, ssize_t n, int sys) {
    struct buf *body = &r->body[d->folder == FOLDER_HWMON];
    struct sensor_name name;
    if (d->label_n > 0 && sensor_name_of(span_of(d->name), &name)) {
        char label[SENSOR_NAME_BYTES];
        size_t head = (size_t)(name.part.p - d->name);
        memcpy(label, d->name, head);
        memcpy(label + head, "label", sizeof("label"));
        files_put(body, span_of(label), (struct span){d->label, d->label_n}, 0);
    }
    files_put(body, span_of(d->name), (struct span){r->text, n > 0 ? (size_t)n : 0},
              n < 0 ? sys : 0);
}

/* ---- the files of a tick ------------------------------------------------------------------------------------- */

static bool is_due(const struct reader *r, const struct sensor_file *d, bool limited) {
    if (r->now_ns < d->next_ns || (d->pace == PACE_ONCE && d->done))
        return false;
    if (r->all)
        return true;
    if (d->is_reason)
        return limited;
    return d->pace != PACE_THIRD || r->tick % 3 == 0;
}

/* That a file is not there is worth a word in the first look only. */
static void read_parts(struct reader *r) {
    bool limited = false;
    for (uint32_t i = 0; i < r->files.count && !r->over; i++) {
        struct sensor_file *d = &r->files.file[i];
        ssize_t n;
        int sys;
        if (d->is_status)
            limited = false;
        if (!is_due(r, d, limited))
            continue;
        n = read_file(r, d);
        sys = errno;
        if (d->is_status)
            limited = n > 0 && r->text[0] != '0';
        if (n >= 0 || sys != ENOENT)
            put_part(r, d, n, sys);
        d->done = n >= 0;
    }
}

static void emit_bodies(struct reader *r, const struct frame_sink *sink) {
    int64_t t_ns = clock_mono_ns();
    const struct buf *sysfs = &r->body[0];
    const struct buf *hwmon = &r->body[1];
    if (!sysfs->failed)
        host_emit(sink, r->subject, INTEL_SYSFS, t_ns, sysfs->p,
                  sysfs->n > 0 ? (ssize_t)sysfs->n : -1, ENOENT);
    if (r->files.dir[FOLDER_HWMON] < 0)
        host_emit(sink, r->subject, INTEL_HWMON, t_ns, NULL, -1, r->files.hwmon_sys);
    else if (hwmon->n > 0 && !hwmon->failed)
        host_emit(sink, r->subject, INTEL_HWMON, t_ns, hwmon->p, (ssize_t)hwmon->n, 0);
}

/* ---- the look ------------------------------------------------------------------------------------------------- */

/* Where nobody says otherwise the device never sleeps. */
static bool sleeps_by_itself(struct reader *r) {
    char text[16];
    ssize_t n =
        host_slurp(&r->own, r->files.dir[FOLDER_DEVICE], "power/control", text, sizeof(text));
    return n < 0 ? errno != ENOENT
                 : !span_equals(text_of_file((struct span){text, (size_t)n}), "on");
}

static void open_events(struct reader *r) {
    r->counting = events_open(&r->events, &r->own, &r->at, r->is_apu, r->files.gts,
                              sleeps_by_itself(r), r->keep);
}

static bool find_files(struct reader *r) {
    sensor_files_close(&r->files, &r->own);
    if (!sensor_files_find(&r->files, &r->own, &r->at, r->is_apu))
        return false;
    r->find_ns = r->now_ns + (host_may_pass(r->files.hwmon_sys) ? FAILED_NS : ABSENT_NS);
    if (r->fresh)
        open_events(r);
    r->keep_left = r->keep - r->counting;
    return true;
}

/* Right after the files were found each is read once, whatever it costs: only then it is known what there is. */
static void look(struct reader *r, const struct frame_sink *sink) {
    r->now_ns = clock_mono_ns();
    r->all = r->fresh || (r->files.dir[FOLDER_HWMON] < 0 && !r->is_apu && r->now_ns >= r->find_ns);
    if (r->all && !find_files(r)) {
        host_emit(sink, r->subject, INTEL_SYSFS, r->now_ns, NULL, -1, errno);
        return;
    }
    r->fresh = r->over = false;
    r->tick++;
    buf_clear(&r->body[0]);
    buf_clear(&r->body[1]);
    read_parts(r);
    emit_bodies(r, sink);
    events_emit(&r->events, &r->own, r->subject, r->is_apu, sink);
}

static enum err reader_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct reader *r = (struct reader *)s;
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
    struct reader *r = (struct reader *)s;
    if (!r)
        return;
    sensor_files_close(&r->files, &r->own);
    events_close(&r->events, &r->own);
    buf_finish(&r->events.body);
    buf_finish(&r->body[0]);
    buf_finish(&r->body[1]);
    free(r);
}

static const struct source_ops ops = {
    .poll = reader_poll, .read = reader_read, .close = reader_close};

enum err sensor_reader_create(struct host *h, const struct subject *stream,
                              const struct device_place *at, bool is_apu, long keep,
                              struct reader **out) {
    struct reader *r = calloc(1, sizeof(*r));
    if (!r)
        return ERR_NOMEM;
    r->job.source.ops = &ops;
    r->own = host_for_thread(h);
    r->subject = stream;
    r->at = *at;
    r->is_apu = is_apu;
    r->fresh = true;
    r->keep = keep;
    for (unsigned i = 0; i < FOLDERS; i++)
        r->files.dir[i] = -1;
    events_init(&r->events);
    *out = r;
    return ERR_OK;
}
