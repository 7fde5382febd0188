/*
 * Trace points on a live machine: an instance of our own that is made and removed, what is read from
 * its pipes, and that nothing else of tracefs is touched. The kernel's part is played by the calls
 * below: making an instance fills it, each pipe hands out pages, and an instance of which a file is
 * open cannot be removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/mali/mali.h"
#include "gwtop/bus.h"
#include "gwtop/source.h"
#include "livebus.h"
#include "malirig.h"
#include "scratch.h"
#include "tracepage.h"
#include "tree.h"

#define TRACEFS   "sys/kernel/tracing"
#define INSTANCES "/instances/"
#define TIMELINE  "/events/mali/mali_timeline_event"
#define ACTIVE    "/events/mali/mali_core_active"
#define CPUS      2
#define PAGES     8
#define FILES     64
#define ON        "option.tracefs=1\n"

static const struct backend *const list[] = {&backend_mali};
static const struct backend_table table = {list, 1};

struct queue {
    struct span pages[PAGES];
    unsigned count;
    unsigned next;
};

struct rig {
    char *root;
    const char *tracefs;
    const char *clocks; /* of a new instance */
    unsigned shift;
    bool timeline;
    bool active;
    struct host_io io;
    struct livebus b;
    struct queue queues[CPUS];
    int pipe_error;         /* errno of each read; 0 none */
    char *files[FILES];     /* by descriptor: paths that are open */
    char instance[512];     /* as it was made last */
    char enabled[16];       /* what its switch said when it was removed */
    unsigned made, removed; /* instances */
    unsigned foreign;       /* writes to what is none of ours */
    int fail_mkdir;
    bool shut;        /* tracefs may not be entered */
    unsigned calls;   /* of the sweep */
    unsigned fail_at; /* the call that fails; 0 none */
};

static bool fails(struct rig *r) {
    errno = EIO;
    return ++r->calls == r->fail_at;
}

static bool is_shut(const struct rig *r, const char *path) {
    errno = EACCES;
    return r->shut && strncmp(path, TRACEFS, strlen(TRACEFS)) == 0;
}

static char *real_path(const struct rig *r, const char *path) {
    return path_join(r->root, "%s", path);
}

static const char *file_of(const struct rig *r, int fd) {
    return fd >= 0 && fd < FILES && r->files[fd] ? r->files[fd] : "";
}

/* ---- the kernel's part ------------------------------------------------------------------------ */

static int stat_played(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    if (fails(ctx) || is_shut(ctx, path))
        return -1;
    return host_io_posix.stat(NULL, dir_fd, path, out, flags);
}

static int open_played(void *ctx, int dir_fd, const char *path, int flags) {
    struct rig *r = ctx;
    assert_int_equal(flags & (O_TRUNC | O_CREAT | O_APPEND), 0);
    if (fails(r) || is_shut(r, path))
        return -1;
    int fd = host_io_posix.open(NULL, dir_fd, path, flags);
    if (fd >= 0 && fd < FILES)
        r->files[fd] = strdup(path);
    return fd;
}

static int close_played(void *ctx, int fd) {
    struct rig *r = ctx;
    if (fd >= 0 && fd < FILES) {
        free(r->files[fd]);
        r->files[fd] = NULL;
    }
    return host_io_posix.close(NULL, fd);
}

static ssize_t pread_played(void *ctx, int fd, void *to, size_t n, off_t at) {
    return fails(ctx) ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

/* The clock that is written is the one in brackets. */
static void choose_clock(struct rig *r, const char *word) {
    struct cursor c = cursor_over(span_of(r->clocks));
    struct span w;
    char text[128] = "";
    while (cursor_word(&c, &w)) {
        char one[32];
        struct span bare = *w.p == '[' ? (struct span){w.p + 1, w.n - 2} : w;
        bool chosen = strncmp(word, bare.p, bare.n) == 0 && word[bare.n] == '\n';
        snprintf(one, sizeof(one), chosen ? "[%.*s] " : "%.*s ", (int)bare.n, bare.p);
        strcat(text, one);
    }
    char *path = path_join(r->root, "%s/trace_clock", r->instance);
    file_write(path, text, strlen(text));
    free(path);
}

static ssize_t write_played(void *ctx, int fd, const void *from, size_t n, off_t at) {
    struct rig *r = ctx;
    const char *path = file_of(r, fd);
    r->foreign += strncmp(path, r->instance, strlen(r->instance)) != 0;
    if (fails(r))
        return -1;
    if (strstr(path, "/trace_clock")) {
        choose_clock(r, from);
        return (ssize_t)n;
    }
    return host_io_posix.write(NULL, fd, from, n, at);
}

static ssize_t read_played(void *ctx, int fd, void *to, size_t n) {
    struct rig *r = ctx;
    const char *cpu = strstr(file_of(r, fd), "/per_cpu/cpu");
    assert_non_null(cpu);
    assert_non_null(strstr(cpu, "/trace_pipe_raw"));
    struct queue *q = &r->queues[cpu[12] - '0'];
    if (fails(r))
        return -1;
    errno = r->pipe_error ? r->pipe_error : EAGAIN;
    if (r->pipe_error || q->next == q->count)
        return -1;
    struct span page = q->pages[q->next];
    size_t part = page.n < n ? page.n : n;
    memcpy(to, page.p, part);
    q->pages[q->next] = span_skip(page, part);
    q->next += part == page.n;
    return (ssize_t)part;
}

static void put_event(struct rig *r, const char *below, const char *folder, unsigned id) {
    char path[600];
    snprintf(path, sizeof(path), "%s%s/format", below, folder);
    tree_text(r->root, path, "%s", tracepage_format(id, r->shift));
    snprintf(path, sizeof(path), "%s%s/enable", below, folder);
    tree_text(r->root, path, "0\n");
}

static void put_files(struct rig *r, const char *below) {
    char path[600];
    if (r->timeline)
        put_event(r, below, TIMELINE, TRACEPAGE_TIMELINE);
    if (r->active)
        put_event(r, below, ACTIVE, TRACEPAGE_ACTIVE);
    snprintf(path, sizeof(path), "%s/events/header_page", below);
    tree_text(r->root, path, "%s", tracepage_header());
    snprintf(path, sizeof(path), "%s/trace_clock", below);
    tree_text(r->root, path, "%s\n", r->clocks);
    for (unsigned i = 0; i < CPUS; i++) {
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", below, i);
        tree_text(r->root, path, "%s", "");
    }
}

static int mkdir_played(void *ctx, int dir_fd, const char *path, mode_t mode) {
    struct rig *r = ctx;
    if (fails(r) || is_shut(r, path))
        return -1;
    errno = r->fail_mkdir;
    if (r->fail_mkdir || host_io_posix.mkdir(NULL, dir_fd, path, mode) < 0)
        return -1;
    snprintf(r->instance, sizeof(r->instance), "%s", path);
    put_files(r, path);
    r->made++;
    return 0;
}

static void note_switch(struct rig *r) {
    char *path = path_join(r->root, "%s%s/enable", r->instance, r->timeline ? TIMELINE : ACTIVE);
    size_t n;
    char *text = file_read(path, &n);
    snprintf(r->enabled, sizeof(r->enabled), "%s", text ? text : "");
    free(text);
    free(path);
}

static int rmdir_played(void *ctx, int dir_fd, const char *path) {
    struct rig *r = ctx;
    struct stat st;
    if (fails(r) || host_io_posix.stat(NULL, dir_fd, path, &st, 0) < 0)
        return -1;
    errno = EBUSY;
    for (int fd = 0; fd < FILES; fd++)
        if (strncmp(file_of(r, fd), path, strlen(path)) == 0)
            return -1;
    if (strcmp(path, r->instance) == 0)
        note_switch(r);
    tree_drop(r->root, path);
    r->removed++;
    return 0;
}

/* ---- rig --------------------------------------------------------------------------------------- */

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    r->root = scratch_make();
    r->tracefs = TRACEFS;
    r->clocks = "[local] global counter uptime perf mono mono_raw boot tai x86-tsc";
    r->timeline = r->active = true;
    tree_folder(r->root, "proc");
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    livebus_stop(&r->b);
    for (int fd = 0; fd < FILES; fd++)
        assert_null(strstr(file_of(r, fd), "instances"));
    for (int fd = 0; fd < FILES; fd++)
        free(r->files[fd]);
    livebus_finish(&r->b);
    scratch_remove(r->root);
    free(r);
    return 0;
}

static void put_kernel(struct rig *r) {
    char *instances = path_join(r->tracefs, "instances");
    put_files(r, r->tracefs);
    tree_text(r->root, "sys/kernel/cpu_byteorder", "little\n"); /* as the pages here are */
    tree_folder(r->root, instances);
    free(instances);
}

static void start(struct rig *r, const char *facts) {
    r->io = (struct host_io){.ctx = r,
                             .open = open_played,
                             .pread = pread_played,
                             .getdents = host_io_posix.getdents,
                             .stat = stat_played,
                             .readlink = host_io_posix.readlink,
                             .close = close_played,
                             .write = write_played,
                             .read = read_played,
                             .mkdir = mkdir_played,
                             .rmdir = rmdir_played};
    livebus_start(&r->b, &table, r->root, &r->io, facts);
}

static void give(struct rig *r, unsigned cpu, const struct tracepage *p, size_t n) {
    struct queue *q = &r->queues[cpu];
    assert_true(q->count < PAGES);
    q->pages[q->count++] = (struct span){p->bytes, n};
}

static void forget_pages(struct rig *r) {
    memset(r->queues, 0, sizeof(r->queues));
}

static unsigned pages_seen(const struct rig *r) {
    return seen_count(&r->b.seen, (struct seen_want){MALI_TRACE_PAGE, SUBJECT_STREAM, -1, -1});
}

static const struct seen_frame *page_seen(const struct rig *r) {
    uint32_t at = 0;
    return seen_next(&r->b.seen, &at, (struct seen_want){MALI_TRACE_PAGE, SUBJECT_STREAM, -1, -1});
}

static const struct seen_frame *stream_seen(const struct rig *r) {
    struct seen_want w = {FRAME_OPEN, SUBJECT_STREAM, -1, -1};
    const struct seen_frame *f;
    for (uint32_t at = 0; (f = seen_next(&r->b.seen, &at, w)) != NULL;)
        if (strcmp(f->subject.name, "trace") == 0)
            return f;
    return NULL;
}

static unsigned devices_seen(const struct rig *r, int kind) {
    return seen_count(&r->b.seen, (struct seen_want){kind, SUBJECT_DEVICE, -1, -1});
}

static void assert_fact(const struct seen_frame *f, const char *key, const char *want) {
    assert_non_null(f);
    struct span v = facts_get(f->subject.facts, key);
    assert_int_equal(v.n, strlen(want));
    assert_memory_equal(v.p, want, v.n);
}

static void assert_text(const struct rig *r, const char *below, const char *file,
                        const char *want) {
    char *path = path_join(r->root, "%s%s", below, file);
    size_t n;
    char *text = file_read(path, &n);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
    free(path);
}

static bool is_there(const struct rig *r, const char *path) {
    char *at = real_path(r, path);
    bool there = access(at, F_OK) == 0;
    free(at);
    return there;
}

static unsigned instances_left(const struct rig *r) {
    char *at = path_join(r->root, "%s/instances", r->tracefs);
    DIR *d = opendir(at);
    unsigned n = 0;
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    free(at);
    return n;
}

/* PP2 by pid 9, at 400 MHz and 1.1 V, for 300 ns. */
static struct tracepage one_job(const struct rig *r, uint64_t t_ns) {
    struct tracepage p = tracepage_begin(false, r->shift, t_ns);
    tracepage_timeline(&p, 0, MALI_ID(MALI_SINGLE, MALI_GPU, 1), 400, 1100, 0);
    tracepage_timeline(&p, 10, MALI_ID(MALI_BEGIN, MALI_PP0 + 2, 0), 9, 10, 0);
    tracepage_timeline(&p, 300, MALI_ID(MALI_DONE, MALI_PP0 + 2, 0), 0, 0, UINT32_MAX);
    tracepage_end(&p, 0);
    return p;
}

/* ---- cases ------------------------------------------------------------------------------------- */

static void unasked_nothing_is_looked_at(void **state) {
    static const char *const facts[] = {NULL, "option.tracefs=0\n"};
    struct rig *r = *state;
    put_kernel(r);
    for (size_t i = 0; i < 2; i++) {
        start(r, facts[i]);
        livebus_tick(&r->b);
        assert_int_equal(devices_seen(r, FRAME_OPEN), 0);
        livebus_stop(&r->b);
    }
    assert_int_equal(r->made, 0);
}

static void other_events_are_no_device(void **state) {
    struct rig *r = *state;
    r->timeline = r->active = false;
    put_kernel(r);
    tree_text(r->root, TRACEFS "/events/mali/mali_job_slots_event/format", "ID: 5\n");
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_OPEN), 0);
    assert_int_equal(r->made, 0);
}

static void jobs_of_an_instance(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_OPEN), 1);
    assert_int_equal(r->made, 1);
    assert_int_equal(pages_seen(r), 0);
    assert_fact(stream_seen(r), "endian", "little");
    assert_fact(stream_seen(r), "clock", "mono");
    assert_fact(stream_seen(r), "dialect", "arm");
    assert_fact(stream_seen(r), "timeline.event_id", "8,4,0");
    assert_text(r, r->instance, TIMELINE "/enable", "1\n");
    assert_text(r, r->instance, ACTIVE "/enable", "0\n");
    struct tracepage p = one_job(r, 5000);
    give(r, 0, &p, sizeof(p.bytes));
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 1);
    assert_int_equal(page_seen(r)->frame.size, p.n);
    assert_int_equal(r->b.busy_ns, 300);
    assert_int_equal(r->b.job.pid, 9);
    assert_int_equal(r->b.job.start_ns, 5010);
    assert_int_equal(r->b.job.clock_hz, 400000000);
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 0);
    assert_int_equal(r->b.busy_ns, 0);
    livebus_stop(&r->b);
    assert_int_equal(r->removed, 1);
    assert_string_equal(r->enabled, "0\n");
    assert_int_equal(instances_left(r), 0);
    assert_int_equal(r->foreign, 0);
}

/* What others trace, in the first buffer or in an instance, is as it was. */
static void others_are_left_alone(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    put_files(r, TRACEFS INSTANCES "theirs");
    tree_text(r->root, TRACEFS TIMELINE "/enable", "1\n");
    tree_text(r->root, TRACEFS INSTANCES "theirs" TIMELINE "/enable", "1\n");
    start(r, ON);
    livebus_tick(&r->b);
    livebus_tick(&r->b);
    livebus_stop(&r->b);
    assert_text(r, TRACEFS, TIMELINE "/enable", "1\n");
    assert_text(r, TRACEFS INSTANCES "theirs", TIMELINE "/enable", "1\n");
    assert_text(r, TRACEFS, "/trace_clock",
                "[local] global counter uptime perf mono mono_raw boot tai x86-tsc\n");
    assert_int_equal(r->foreign, 0);
    assert_int_equal(instances_left(r), 1);
}

static void moved_fields(void **state) {
    struct rig *r = *state;
    r->shift = 4;
    put_kernel(r);
    start(r, ON);
    livebus_tick(&r->b);
    assert_fact(stream_seen(r), "timeline.event_id", "12,4,0");
    struct tracepage p = one_job(r, 5000);
    give(r, 1, &p, sizeof(p.bytes));
    livebus_tick(&r->b);
    assert_int_equal(r->b.busy_ns, 300);
}

static void cores_where_there_is_no_timeline(void **state) {
    struct rig *r = *state;
    r->timeline = false;
    put_kernel(r);
    start(r, ON "option.mali-soc=rk3328\noption.mali-end=interrupt\n"
                "option.assume-voltage=1100000\n");
    livebus_tick(&r->b);
    assert_fact(stream_seen(r), "active.pid", "8,4,0");
    assert_fact(stream_seen(r), "soc", "rk3328");
    assert_fact(stream_seen(r), "end", "interrupt");
    assert_fact(stream_seen(r), "assume_voltage_uv", "1100000");
    assert_text(r, r->instance, ACTIVE "/enable", "1\n");
    struct tracepage p = tracepage_begin(false, 0, 1000);
    struct tracepage q = tracepage_begin(false, 0, 1100);
    tracepage_active(&p, 0, true, false);
    tracepage_active(&q, 50, false, false);
    tracepage_end(&p, 0);
    tracepage_end(&q, 0);
    give(r, 1, &p, sizeof(p.bytes)); /* begun on one processor, ended on the other */
    give(r, 0, &q, sizeof(q.bytes));
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 2);
    assert_int_equal(r->b.busy_ns, 150);
    assert_int_equal(r->b.told.counts.reasons[REASON_STOP_ON_IDLE], 0);
}

static void big_kernel(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    tree_text(r->root, "sys/kernel/cpu_byteorder", "big\n");
    start(r, ON);
    livebus_tick(&r->b);
    assert_fact(stream_seen(r), "endian", "big");
    struct tracepage p = tracepage_begin(true, 0, 1000);
    tracepage_timeline(&p, 10, MALI_ID(MALI_BEGIN, MALI_PP0 + 2, 0), 9, 10, 0);
    tracepage_timeline(&p, 70, MALI_ID(MALI_DONE, MALI_PP0 + 2, 0), 0, 0, UINT32_MAX);
    tracepage_end(&p, 0);
    give(r, 0, &p, sizeof(p.bytes));
    livebus_tick(&r->b);
    assert_int_equal(r->b.busy_ns, 70);
}

static void clocks_that_there_are(void **state) {
    static const struct {
        const char *offered;
        const char *fact;
    } cases[] = {
        {"[local] global counter uptime perf mono mono_raw boot", "mono"},
        {"local global [mono] boot", "mono"},
        {"[local] global counter", "global"},
        {"local [counter]", "cycles"},
        {"[local] mono_raw", "local"},
        {"local mono_raw", "unknown"},
    };
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r->clocks = cases[i].offered;
        put_kernel(r);
        start(r, ON);
        livebus_tick(&r->b);
        assert_fact(stream_seen(r), "clock", cases[i].fact);
        livebus_stop(&r->b);
    }
}

static void rate_before_the_first_event(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    tree_text(r->root, "sys/module/mali/parameters/mali_gpu_clk", "440\n");
    tree_text(r->root, "sys/module/mali/parameters/mali_gpu_vol", "1100000\n");
    start(r, ON);
    livebus_tick(&r->b);
    assert_fact(stream_seen(r), "clock_hz", "440000000");
    assert_fact(stream_seen(r), "voltage_uv", "1100000");
}

/* A page with a missed number behind its records, one without, one that is cut, one that is none. */
static void losses_and_short_pages(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    start(r, ON);
    livebus_tick(&r->b);
    struct tracepage p = one_job(r, 5000);
    struct tracepage q = one_job(r, 6000);
    struct tracepage s = one_job(r, 7000);
    size_t n = tracepage_end_missed(&p, 898).n;
    tracepage_end(&q, TRACEPAGE_MISSED);
    give(r, 0, &p, sizeof(p.bytes));
    give(r, 0, &q, sizeof(q.bytes));
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 2);
    assert_int_equal(page_seen(r)->frame.size, n);
    assert_int_equal(r->b.told.counts.reasons[REASON_LOST_RECORDS], 899);
    assert_int_equal(r->b.busy_ns, 600);
    forget_pages(r);
    give(r, 0, &s, 60); /* the rest never comes */
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 1);
    assert_int_equal(page_seen(r)->frame.size, 60);
    assert_int_equal(r->b.told.counts.malformed, 1);
    forget_pages(r);
    s = one_job(r, 8000);
    give(r, 0, &s, 1000); /* the rest comes at once */
    r->queues[0].pages[r->queues[0].count++] =
        (struct span){s.bytes + 1000, sizeof(s.bytes) - 1000};
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 1);
    assert_int_equal(r->b.busy_ns, 300);
}

static void endless_pipe_is_left_for_later(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    start(r, ON);
    livebus_tick(&r->b);
    struct tracepage p = tracepage_begin(false, 0, 1000);
    tracepage_end(&p, 0);
    struct span all = {calloc(3000, sizeof(p.bytes)), 3000 * sizeof(p.bytes)};
    assert_non_null(all.p);
    r->queues[0].pages[0] = all; /* hands out as much as is asked for */
    r->queues[0].count = 1;
    livebus_tick(&r->b);
    assert_in_range(pages_seen(r), 100, 1024);
    assert_int_equal(r->queues[0].next, 0);
    forget_pages(r);
    free((void *)(uintptr_t)all.p);
}

static void pipe_that_fails(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    start(r, ON);
    livebus_tick(&r->b);
    r->pipe_error = EIO;
    livebus_tick(&r->b);
    assert_int_equal(pages_seen(r), 1);
    assert_int_equal(page_seen(r)->frame.outcome, OUTCOME_FAILED);
    assert_int_equal(page_seen(r)->frame.sys, EIO);
    r->pipe_error = 0;
    struct tracepage p = one_job(r, 5000);
    give(r, 0, &p, sizeof(p.bytes));
    livebus_tick(&r->b);
    assert_int_equal(r->b.busy_ns, 300);
}

static void stale_instances_are_removed(void **state) {
    struct rig *r = *state;
    char own[64];
    put_kernel(r);
    snprintf(own, sizeof(own), TRACEFS INSTANCES "gwtop-%ld", (long)getpid());
    tree_folder(r->root, own); /* of one that had this pid before */
    tree_folder(r->root, TRACEFS INSTANCES "gwtop-4000001");
    tree_folder(r->root, TRACEFS INSTANCES "gwtop-4000002");
    tree_folder(r->root, TRACEFS INSTANCES "gwtop-4000003x");
    tree_folder(r->root, TRACEFS INSTANCES "gwtop-");
    tree_folder(r->root, TRACEFS INSTANCES "gwtop-99999999999");
    tree_folder(r->root, TRACEFS INSTANCES "gwtopper-4000001");
    tree_folder(r->root, "proc/4000002");
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(r->made, 1);
    assert_int_equal(r->removed, 2);
    assert_false(is_there(r, TRACEFS INSTANCES "gwtop-4000001"));
    assert_true(is_there(r, TRACEFS INSTANCES "gwtop-4000002"));
    livebus_stop(&r->b);
    assert_int_equal(r->removed, 3);
    assert_int_equal(instances_left(r), 5);
}

static void instance_in_use_is_not_taken(void **state) {
    struct rig *r = *state;
    char own[64];
    put_kernel(r);
    snprintf(own, sizeof(own), TRACEFS INSTANCES "gwtop-%ld", (long)getpid());
    tree_folder(r->root, own);
    r->files[FILES - 1] = strdup(own); /* someone's, of another pid namespace */
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(page_seen(r)->frame.sys, EBUSY);
    assert_int_equal(r->made + r->removed, 0);
    free(r->files[FILES - 1]);
    r->files[FILES - 1] = NULL;
    livebus_tick(&r->b);
    assert_int_equal(r->made, 1);
}

static void refused_instance_is_a_failed_reading(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    r->fail_mkdir = EPERM;
    start(r, ON);
    for (int i = 0; i < 2; i++) {
        livebus_tick(&r->b);
        assert_int_equal(pages_seen(r), 1);
        assert_int_equal(page_seen(r)->frame.outcome, OUTCOME_DENIED);
        assert_null(stream_seen(r));
    }
    r->fail_mkdir = 0;
    livebus_tick(&r->b);
    assert_non_null(stream_seen(r));
}

static void who_may_not_enter_is_told(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    r->shut = true;
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_OPEN), 0); /* there need not be such a GPU */
    livebus_stop(&r->b);
    tree_folder(r->root, "sys/module/mali");
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_OPEN), 1);
    assert_int_equal(page_seen(r)->frame.outcome, OUTCOME_DENIED);
    assert_int_equal(r->made, 0);
}

static void driver_without_trace_points(void **state) {
    struct rig *r = *state;
    tree_text(r->root, "sys/kernel/debug/mali/profiling/record", "0\n");
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_OPEN), 1);
    assert_int_equal(page_seen(r)->frame.outcome, OUTCOME_GONE);
    put_kernel(r);
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_OPEN), 0);
    assert_non_null(stream_seen(r));
    assert_text(r, "sys/kernel/debug", "/mali/profiling/record", "0\n");
}

static void recording_goes_before(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    tree_text(r->root, "sys/kernel/debug/mali/profiling/record", "0\n");
    tree_text(r->root, "sys/kernel/debug/mali/profiling/events", "%s", "");
    start(r, ON "option.mali-profiling=1\n");
    livebus_tick(&r->b);
    assert_int_equal(r->made, 0);
    assert_int_equal(pages_seen(r), 0);
    assert_text(r, "sys/kernel/debug", "/mali/profiling/record", "1\n");
}

static void unknown_formats_are_not_guessed(void **state) {
    struct rig *r = *state;
    char *path;
    put_kernel(r);
    r->shift = 70000; /* further out than a page is long */
    start(r, ON);
    livebus_tick(&r->b);
    assert_int_equal(page_seen(r)->frame.sys, EPROTO);
    assert_int_equal(r->made, 1);
    assert_int_equal(r->removed, 1);
    path = path_join(r->root, "%s", r->instance);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

static void driver_goes_and_comes(void **state) {
    struct rig *r = *state;
    put_kernel(r);
    start(r, ON);
    livebus_tick(&r->b);
    tree_drop(r->root, TRACEFS "/events/mali");
    livebus_tick(&r->b);
    assert_int_equal(devices_seen(r, FRAME_CLOSE), 1);
    assert_int_equal(instances_left(r), 0);
    put_kernel(r);
    for (int i = 0; i < 12; i++)
        livebus_tick(&r->b);
    assert_int_equal(instances_left(r), 1);
}

static void tracefs_is_where_it_is_mounted(void **state) {
    static const struct {
        const char *mount;
        const char *tracefs;
    } cases[] = {
        {"25 18 0:9 / /mnt/trace\\040fs rw,relatime shared:5 - tracefs none rw\n", "mnt/trace fs"},
        {"25 18 0:9 / /mnt/debug rw,relatime - debugfs none rw\n", "mnt/debug/tracing"},
        {"", "sys/kernel/debug/tracing"},
    };
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tree_text(r->root, "proc/self/mountinfo", "20 1 0:1 / /proc rw - proc proc rw\n%s",
                  cases[i].mount);
        r->tracefs = cases[i].tracefs;
        put_kernel(r);
        start(r, ON);
        livebus_tick(&r->b);
        assert_non_null(stream_seen(r));
        assert_int_equal(strncmp(r->instance, r->tracefs, strlen(r->tracefs)), 0);
        livebus_stop(&r->b);
        assert_int_equal(instances_left(r), 0);
        tree_drop(r->root, r->tracefs);
    }
}

/* Any one call fails: an instance is left only where its removal is what failed. */
static void any_failed_call_leaves_nothing(void **state) {
    struct rig *r = *state;
    unsigned calls = 1;
    put_kernel(r);
    for (unsigned n = 1; n <= calls; n++) {
        struct tracepage p = one_job(r, 5000);
        forget_pages(r);
        start(r, ON);
        r->calls = 0;
        r->fail_at = n;
        for (int i = 0; i < 4; i++) {
            if (i == 1)
                give(r, 0, &p, sizeof(p.bytes));
            livebus_tick(&r->b);
        }
        if (n == 1)
            calls = r->calls;
        r->fail_at = 0;
        livebus_stop(&r->b);
        assert_int_equal(instances_left(r), 0);
        assert_string_equal(r->enabled, "0\n");
        assert_int_equal(r->foreign, 0);
    }
    assert_in_range(calls, 10, 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(unasked_nothing_is_looked_at),
        CASE(other_events_are_no_device),
        CASE(jobs_of_an_instance),
        CASE(others_are_left_alone),
        CASE(moved_fields),
        CASE(cores_where_there_is_no_timeline),
        CASE(big_kernel),
        CASE(clocks_that_there_are),
        CASE(rate_before_the_first_event),
        CASE(losses_and_short_pages),
        CASE(endless_pipe_is_left_for_later),
        CASE(pipe_that_fails),
        CASE(stale_instances_are_removed),
        CASE(instance_in_use_is_not_taken),
        CASE(refused_instance_is_a_failed_reading),
        CASE(who_may_not_enter_is_told),
        CASE(driver_without_trace_points),
        CASE(recording_goes_before),
        CASE(unknown_formats_are_not_guessed),
        CASE(driver_goes_and_comes),
        CASE(tracefs_is_where_it_is_mounted),
        CASE(any_failed_call_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
