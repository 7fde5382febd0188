/*
 * One look at a device, in the thread that may wait for it. A look reads at most so many files as its tick
 * has room for; which ones follows from what the table gpu_metrics says itself. What fails costs what it
 * showed; gpu_metrics is left alone for longer and longer after failures, since the kernel writes a line into its
 * log for each.
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS  INT64_C(1000000000)
#define CHECK_NS   (10 * SECOND_NS) /* of what only confirms */
#define ABSENT_NS  (60 * SECOND_NS) /* until a file that is not there is looked for again */
#define FAILED_NS  (5 * SECOND_NS)  /* and a folder that could not be looked into */
#define SLOW_NS    (SECOND_NS / 4)  /* a file that takes this long is read less often: */
#define SLOW_TIMES 20               /* so many times as long it rests */

enum {
    TABLE_BYTES = 1 << 17,
    TEXT_BYTES = 4096,
    READS_WITH_TABLE = 12,
    READS_WITHOUT = 20,
    BACK_OFF_MAX_S = 60
};

/* ---- one file -------------------------------------------------------------------------------------------- */

static int take_fd(struct reader *r, const struct device_file *d) {
    if (d->fd >= 0)
        return d->fd;
    return host_open(&r->own, r->files.dir[d->folder], d->name, O_RDONLY);
}

/* A file of another root may be replaced by another under its name: it is opened anew each time. */
static void give_fd(struct reader *r, struct device_file *d, int fd, bool good) {
    if (d->fd >= 0 && !good) {
        d->fd = -1;
        r->keep_left++;
    } else if (d->fd < 0 && good && !r->own.rooted && r->keep_left > 0) {
        d->fd = fd;
        r->keep_left--;
    }
    if (d->fd != fd)
        host_close(&r->own, fd);
}

/* Whether all of it is there: a text ends with its line, a table says its size. */
static bool is_whole(const char *text, size_t n, bool table) {
    if (!table)
        return text[n - 1] == '\n';
    return n >= 4 && n >= ((size_t)(unsigned char)text[0] | (size_t)(unsigned char)text[1] << 8) &&
           (text[0] != 0 || text[1] != 0);
}

/* From 0 on in sequence: the first read makes the driver look, the others go on in what it saw. */
static ssize_t read_whole(struct reader *r, int fd, size_t cap, bool table) {
    size_t have = 0;
    while (have < cap) {
        ssize_t n = host_pread(&r->own, fd, r->text + have, cap - have, (off_t)have);
        if (n < 0)
            return -1;
        have += (size_t)n;
        if (n == 0 || is_whole(r->text, have, table))
            break;
    }
    return (ssize_t)have;
}

/* Reads into r->text; -1 with d->sys set. */
static ssize_t read_file(struct reader *r, struct device_file *d, size_t cap, bool table) {
    int64_t start_ns = clock_mono_ns();
    int fd = take_fd(r, d);
    ssize_t n = fd < 0 ? -1 : read_whole(r, fd, cap, table);
    int64_t took_ns;
    d->sys = n < 0 ? errno : 0;
    d->absent = fd < 0 && outcome_from_sys(d->sys) == OUTCOME_GONE;
    if (fd >= 0)
        give_fd(r, d, fd, n >= 0);
    r->now_ns = clock_mono_ns();
    took_ns = r->now_ns - start_ns;
    d->next_ns = d->absent ? r->now_ns + ABSENT_NS : r->now_ns;
    if (took_ns > SLOW_NS) {
        d->next_ns = r->now_ns + (took_ns < 3 * SECOND_NS ? SLOW_TIMES * took_ns : ABSENT_NS);
        r->over = true;
    }
    return n;
}

/* ---- gpu_metrics --------------------------------------------------------------------------------------- */

struct table_eye {
    struct reader *reader;
    uint8_t *best;
};

static void note_table(void *ctx, const struct sample *s) {
    const struct table_eye *eye = ctx;
    if (s->state == STATE_VALUE && s->doubt == 0 && s->rank > eye->best[s->metric])
        eye->best[s->metric] = s->rank;
    else if (s->state == STATE_UNKNOWN && s->metric >= METRIC_THROTTLE_RESIDENCY_PROCHOT &&
             s->metric <= METRIC_THROTTLE_RESIDENCY_THM_SOC)
        eye->reader->table_flows = true;
}

static void look_into_table(struct reader *r, size_t n) {
    struct table_eye eye = {.reader = r, .best = r->best};
    struct sink sink = {.ctx = &eye, .sample = note_table};
    struct frame f = {.bytes = r->text, .size = n, .subject = r->subject->id};
    struct counts counts = {0};
    r->table_flows = false;
    amdgpu_gpu_metrics_decode(r->subject, &f, &sink, &counts);
}

static void back_off(struct reader *r) {
    int64_t seconds = r->table_failures < 6 ? INT64_C(1) << r->table_failures : BACK_OFF_MAX_S;
    int64_t next_ns = r->now_ns + (seconds < BACK_OFF_MAX_S ? seconds : BACK_OFF_MAX_S) * SECOND_NS;
    r->table_failures++;
    if (r->table.next_ns < next_ns)
        r->table.next_ns = next_ns;
}

/* Whether there is a table in this tick. One of no bytes is a failure of the driver, too. */
static bool read_table(struct reader *r, const struct frame_sink *sink) {
    ssize_t n;
    unsigned kind = AMDGPU_GPU_METRICS;
    memset(r->best, 0, sizeof(r->best));
    if (r->now_ns < r->table.next_ns)
        return false;
    n = read_file(r, &r->table, TABLE_BYTES, true);
    if (n > 0) {
        r->table_failures = 0;
        look_into_table(r, (size_t)n);
    } else {
        back_off(r);
    }
    if (r->table_flows)
        kind = AMDGPU_GPU_METRICS_FLOW;
    host_emit(sink, r->subject, kind, r->now_ns, r->text, n, r->table.sys);
    return n > 0;
}

/* ---- the small files ----------------------------------------------------------------------------------------- */

static void put_label(struct reader *r, const struct device_file *d) {
    struct label_file *l = d->label >= 0 ? &r->files.label[d->label] : NULL;
    if (!l || l->told)
        return;
    l->told = true;
    files_put(&r->body[d->folder], span_of(l->name), (struct span){l->text, l->n}, 0);
}

static void put_part(struct reader *r, const struct device_file *d, ssize_t n) {
    struct span bytes = {r->text, n > 0 ? (size_t)n : 0};
    put_label(r, d);
    files_put(&r->body[d->folder], span_of(d->name), bytes, d->sys);
}

static void read_part(struct reader *r, struct device_file *d) {
    ssize_t n = read_file(r, d, TEXT_BYTES, false);
    if (n >= 0 || !d->absent || d->awaited)
        put_part(r, d, n);
    d->done = n >= 0;
}

/* Whether a source of higher rank had a value of the metric that the file is read for. */
static bool only_confirms(const struct reader *r, const struct device_file *d) {
    return d->metric != METRIC_COUNT &&
           (r->best[d->metric] > d->rank || r->hwmon[d->metric] > d->rank);
}

enum turn { TURN_TICK, TURN_THIRD, TURN_CHECK, TURNS, TURN_NEVER = TURNS };

/* In which turn of a tick the file is read, if its time has come. */
static enum turn turn_of(const struct reader *r, const struct device_file *d, uint32_t at) {
    bool third = (r->tick + at) % 3 == 0;
    if (r->now_ns < d->next_ns || (d->pace == PACE_ONCE && d->done))
        return TURN_NEVER;
    if (r->all || (d->pace == PACE_TICK && !only_confirms(r, d)))
        return TURN_TICK;
    if (d->pace == PACE_TICK && d->rank != AMD_RANK_LEVELS)
        return r->now_ns < d->check_ns ? TURN_NEVER : TURN_CHECK;
    return third ? TURN_THIRD : TURN_NEVER; /* levels hold limits as well */
}

static void read_turn(struct reader *r, enum turn turn, bool *seen) {
    for (uint32_t i = 0; i < r->files.count && r->left > 0 && !r->over; i++) {
        struct device_file *d = &r->files.file[i];
        if (seen[i] || turn_of(r, d, i) != turn)
            continue;
        seen[i] = true;
        r->left--;
        read_part(r, d);
        d->check_ns = r->now_ns + CHECK_NS;
    }
}

/* That something awaited is not there is true in each tick. */
static void repeat_absent(struct reader *r, const bool *seen) {
    for (uint32_t i = 0; i < r->files.count; i++) {
        const struct device_file *d = &r->files.file[i];
        if (!seen[i] && d->awaited && d->absent)
            put_part(r, d, -1);
    }
}

static void emit_bodies(struct reader *r, const struct frame_sink *sink) {
    static const unsigned kinds[] = {AMDGPU_SYSFS, AMDGPU_HWMON};
    int64_t t_ns = clock_mono_ns();
    for (unsigned i = 0; i < FOLDERS; i++)
        if (r->body[i].n > 0 && !r->body[i].failed)
            host_emit(sink, r->subject, kinds[i], t_ns, r->body[i].p, (ssize_t)r->body[i].n, 0);
    if (r->files.dir[FOLDER_HWMON] < 0)
        host_emit(sink, r->subject, AMDGPU_HWMON, t_ns, NULL, -1, r->files.hwmon_sys);
}

static void note_hwmon(void *ctx, const struct sample *s) {
    struct reader *r = ctx;
    if (s->state == STATE_VALUE)
        r->hwmon[s->metric] = s->rank;
}

static void look_into_hwmon(struct reader *r) {
    struct sink sink = {.ctx = r, .sample = note_hwmon};
    struct frame f = {.bytes = r->body[FOLDER_HWMON].p, .size = r->body[FOLDER_HWMON].n};
    struct counts counts = {0};
    amdgpu_hwmon_decode(r->subject, &f, &sink, &counts);
}

static void read_parts(struct reader *r) {
    bool seen[DEVICE_FILES] = {false};
    for (unsigned i = 0; i < FOLDERS; i++)
        buf_clear(&r->body[i]);
    for (uint32_t i = 0; i < r->files.label_count; i++)
        r->files.label[i].told = false;
    for (unsigned turn = 0; turn < TURNS; turn++)
        read_turn(r, turn, seen);
    repeat_absent(r, seen);
}

/* ---- the look ------------------------------------------------------------------------------------------------- */

static bool find_files(struct reader *r) {
    bool found;
    for (uint32_t i = 0; i < r->files.count; i++)
        r->keep_left += r->files.file[i].fd >= 0;
    r->keep_left += r->table.fd >= 0;
    host_close(&r->own, r->table.fd);
    files_close(&r->files, &r->own);
    r->table = (struct device_file){.name = "gpu_metrics", .fd = -1, .label = -1};
    r->table_failures = 0;
    memset(r->hwmon, 0, sizeof(r->hwmon));
    found = files_find(&r->files, &r->own, r->sys_path);
    r->find_ns = r->now_ns + (host_may_pass(r->files.hwmon_sys) ? FAILED_NS : ABSENT_NS);
    return found;
}

/* Files that may be read in this tick. */
static uint32_t room(const struct reader *r, bool has_table) {
    if (r->all)
        return DEVICE_FILES;
    return (has_table ? READS_WITH_TABLE : READS_WITHOUT) - 1; /* one was the table */
}

/* Right after the files were found each is read once, whatever it costs: only then it is known what there is. */
static void look(struct reader *r, const struct frame_sink *sink) {
    r->now_ns = clock_mono_ns();
    r->all = r->fresh || (r->files.dir[FOLDER_HWMON] < 0 && r->now_ns >= r->find_ns);
    if (r->all && !find_files(r)) {
        host_emit(sink, r->subject, AMDGPU_SYSFS, r->now_ns, NULL, -1, errno);
        return;
    }
    r->fresh = r->over = false;
    r->tick++;
    r->left = room(r, read_table(r, sink));
    read_parts(r);
    if (r->all)
        look_into_hwmon(r);
    emit_bodies(r, sink);
}

static enum err reader_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct reader *r = (struct reader *)s;
    int64_t start_ns = clock_mono_ns();
    (void)now_ns;
    look(r, sink);
    r->job.took_ns = clock_mono_ns() - start_ns;
    return ERR_OK;
}

static enum err pcie_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct reader *r = (struct reader *)s;
    ssize_t n;
    int sys;
    (void)now_ns;
    n = host_slurp(&r->own, r->own.root_fd, r->sys_path, r->text, TEXT_BYTES);
    sys = errno;
    host_emit(sink, r->subject, AMDGPU_PCIE_BW, clock_mono_ns(), r->text, n, sys);
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
    host_close(&r->own, r->table.fd);
    files_close(&r->files, &r->own);
    for (unsigned i = 0; i < FOLDERS; i++)
        buf_finish(&r->body[i]);
    free(r->text);
    free(r);
}

static const struct source_ops reader_ops = {
    .poll = reader_poll, .read = reader_read, .close = reader_close};
static const struct source_ops pcie_ops = {
    .poll = reader_poll, .read = pcie_read, .close = reader_close};

static enum err create(struct host *h, const struct source_ops *ops, const struct subject *stream,
                       const char *sys_path, const char *file, struct reader **out) {
    struct reader *r = calloc(1, sizeof(*r));
    size_t n = strlen(sys_path);
    if (!r)
        return ERR_NOMEM;
    r->job.source.ops = ops;
    r->own = host_for_thread(h);
    r->subject = stream;
    r->fresh = true;
    r->table.fd = -1;
    r->files.dir[FOLDER_DEVICE] = r->files.dir[FOLDER_HWMON] = -1;
    r->text = malloc(TABLE_BYTES);
    if (!r->text || n + strlen(file) >= sizeof(r->sys_path)) {
        enum err e = r->text ? ERR_RANGE : ERR_NOMEM;
        reader_close(&r->job.source);
        return e;
    }
    memcpy(r->sys_path, sys_path, n);
    memcpy(r->sys_path + n, file, strlen(file) + 1);
    *out = r;
    return ERR_OK;
}

enum err reader_create(struct host *h, const struct subject *stream, const char *sys_path,
                       long keep, struct reader **out) {
    enum err e = create(h, &reader_ops, stream, sys_path, "", out);
    if (e == ERR_OK)
        (*out)->keep_left = keep;
    return e;
}

enum err reader_create_pcie(struct host *h, const struct subject *stream, const char *sys_path,
                            struct reader **out) {
    return create(h, &pcie_ops, stream, sys_path, "/pcie_bw", out);
}
