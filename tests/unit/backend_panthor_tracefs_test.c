/*
 * The scheduler's trace points on a live machine with a lima GPU: the instance that is made, used and removed, and
 * that nothing else of tracefs is touched. The kernel's part is played by the calls below: making an instance fills
 * it, each pipe hands out pages, and an instance of which a file is open cannot be removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/panthor/sched.h"
#include "gwtop/bus.h"
#include "gwtop/source.h"
#include "livebus.h"
#include "scratch.h"
#include "sysrig.h"
#include "tracepage.h"
#include "tree.h"

#define NAME    "1c40000.gpu"
#define DEVICE  "sys/devices/platform/" NAME
#define TRACEFS "sys/kernel/tracing"
#define ON      "option.tracefs=1\n"

enum { CPUS = 2, FILES = 96 };

static const struct backend *const list[] = {&backend_panthor};
static const struct backend_table table = {list, 1};

struct rig {
    char *root;
    bool is_new;
    bool none;      /* the kernel has no such events */
    bool addresses; /* is one before 5.18, where names of rings are such */
    struct host_io io;
    struct livebus b;
    struct span page[CPUS]; /* waits in the pipe */
    char *files[FILES];     /* by descriptor: paths that are open */
    char instance[256];     /* as it was made last */
    unsigned on, off;       /* switches turned */
    unsigned made, removed;
    unsigned foreign; /* writes to what is none of ours */
    unsigned calls;   /* to tracefs */
    unsigned fail_at; /* of them; 0 none */
};

static const char *file_of(const struct rig *r, int fd) {
    return fd >= 0 && fd < FILES && r->files[fd] ? r->files[fd] : "";
}

static bool fails(struct rig *r, const char *path) {
    if (strncmp(path, TRACEFS, strlen(TRACEFS)) != 0)
        return false;
    errno = EIO;
    return ++r->calls == r->fail_at;
}

/* ---- the kernel's part ------------------------------------------------------------------------- */

static void hide_names(const struct rig *r, const char *format) {
    char *path = path_join(r->root, "%s", format);
    file_replace(path, "__data_loc char[] name", "const char * name");
    free(path);
}

static void put_files(const struct rig *r, const char *below) {
    char path[400];
    for (unsigned i = 0; i < SCHED_EVENTS && !r->none; i++) {
        const char *folder = sched_folders[r->is_new ? SCHED_NEW : SCHED_OLD][i];
        snprintf(path, sizeof path, "%s/%s/format", below, folder);
        tree_text(r->root, path, "%s", tracepage_sched_format(r->is_new, i));
        if (r->addresses && i != SCHED_DONE)
            hide_names(r, path);
        snprintf(path, sizeof path, "%s/%s/enable", below, folder);
        tree_text(r->root, path, "0\n");
    }
    snprintf(path, sizeof path, "%s/events/header_page", below);
    tree_text(r->root, path, "%s", tracepage_header());
    snprintf(path, sizeof path, "%s/trace_clock", below);
    tree_text(r->root, path, "local [global] mono_raw\n");
    for (unsigned i = 0; i < CPUS; i++) {
        snprintf(path, sizeof path, "%s/per_cpu/cpu%u/trace_pipe_raw", below, i);
        tree_text(r->root, path, "%s", "");
    }
}

static int open_played(void *ctx, int dir_fd, const char *path, int flags) {
    struct rig *r = ctx;
    if (fails(r, path))
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

static int stat_played(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    return fails(ctx, path) ? -1 : host_io_posix.stat(NULL, dir_fd, path, out, flags);
}

static ssize_t pread_played(void *ctx, int fd, void *to, size_t n, off_t at) {
    struct rig *r = ctx;
    return fails(r, file_of(r, fd)) ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

static ssize_t write_played(void *ctx, int fd, const void *from, size_t n, off_t at) {
    struct rig *r = ctx;
    const char *path = file_of(r, fd);
    r->foreign += strncmp(path, r->instance, strlen(r->instance)) != 0;
    if (fails(r, path))
        return -1;
    if (strstr(path, "/trace_clock")) /* which one is chosen stays as it is */
        return (ssize_t)n;
    if (strstr(path, "/enable"))
        *(*(const char *)from == '1' ? &r->on : &r->off) += 1;
    return host_io_posix.write(NULL, fd, from, n, at);
}

static ssize_t read_played(void *ctx, int fd, void *to, size_t n) {
    struct rig *r = ctx;
    const char *cpu = strstr(file_of(r, fd), "/per_cpu/cpu");
    assert_non_null(cpu);
    if (fails(r, file_of(r, fd)))
        return -1;
    struct span *page = &r->page[cpu[12] - '0'];
    size_t part = page->n < n ? page->n : n;
    errno = EAGAIN;
    if (part == 0)
        return -1;
    memcpy(to, page->p, part);
    *page = span_skip(*page, part);
    return (ssize_t)part;
}

static int mkdir_played(void *ctx, int dir_fd, const char *path, mode_t mode) {
    struct rig *r = ctx;
    if (fails(r, path) || host_io_posix.mkdir(NULL, dir_fd, path, mode) < 0)
        return -1;
    snprintf(r->instance, sizeof r->instance, "%s", path);
    put_files(r, path);
    r->made++;
    return 0;
}

static int rmdir_played(void *ctx, int dir_fd, const char *path) {
    struct rig *r = ctx;
    struct stat st;
    if (fails(r, path) || host_io_posix.stat(NULL, dir_fd, path, &st, 0) < 0)
        return -1;
    errno = EBUSY;
    for (int fd = 0; fd < FILES; fd++)
        if (strncmp(file_of(r, fd), path, strlen(path)) == 0)
            return -1;
    tree_drop(r->root, path);
    r->removed++;
    return 0;
}

/* ---- rig --------------------------------------------------------------------------------------- */

static void put_machine(struct rig *r, const char *driver) {
    tree_text(r->root, DEVICE "/uevent", "DRIVER=%s\nOF_NAME=gpu\n", driver);
    sysrig_put_node(r->root, DEVICE, "drm", "card0", 226, 0);
    sysrig_put_node(r->root, DEVICE, "drm", "renderD128", 226, 128);
    put_files(r, TRACEFS);
    tree_text(r->root, "sys/kernel/cpu_byteorder", "little\n"); /* as the pages here are */
    tree_folder(r->root, TRACEFS "/instances");
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    r->root = scratch_make();
    r->is_new = true;
    tree_folder(r->root, "proc");
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    livebus_stop(&r->b);
    for (int fd = 0; fd < FILES; fd++) {
        assert_null(strstr(file_of(r, fd), "instances"));
        free(r->files[fd]);
    }
    livebus_finish(&r->b);
    scratch_remove(r->root);
    free(r);
    return 0;
}

static void start(struct rig *r, const char *facts) {
    r->io = host_io_posix;
    r->io.ctx = r;
    r->io.open = open_played;
    r->io.close = close_played;
    r->io.stat = stat_played;
    r->io.pread = pread_played;
    r->io.write = write_played;
    r->io.read = read_played;
    r->io.mkdir = mkdir_played;
    r->io.rmdir = rmdir_played;
    livebus_start(&r->b, &table, r->root, &r->io, facts);
}

static const struct seen_frame *page_seen(const struct rig *r) {
    uint32_t at = 0;
    return seen_next(&r->b.seen, &at, (struct seen_want){PANTHOR_SCHED, SUBJECT_STREAM, -1, -1});
}

static void add(const struct rig *r, struct tracepage *p, uint32_t delta_ns, unsigned what) {
    tracepage_sched(p, r->is_new, delta_ns,
                    &(struct tracepage_sched){.what = what, .fence = 5, .ring = "pp", .pid = 77});
}

/* pp for 300 ns, queued by 77: queued and run on one processor, ended on the other. */
static void give_job(struct rig *r, struct tracepage pages[CPUS]) {
    pages[0] = tracepage_begin(false, 0, 1000);
    pages[1] = tracepage_begin(false, 0, 1310);
    add(r, &pages[0], 0, SCHED_QUEUE);
    add(r, &pages[0], 10, SCHED_RUN);
    add(r, &pages[1], 0, SCHED_DONE);
    for (unsigned i = 0; i < CPUS; i++) {
        tracepage_end(&pages[i], 0);
        r->page[i] = (struct span){pages[i].bytes, sizeof(pages[i].bytes)};
    }
}

static bool is_there(const struct rig *r, const char *path) {
    char full[600];
    snprintf(full, sizeof full, "%s/%s", r->root, path);
    return access(full, F_OK) == 0;
}

/* ---- cases ------------------------------------------------------------------------------------- */

static void jobs_of_an_instance(void **state) {
    struct rig *r = *state;
    struct tracepage pages[CPUS];
    for (unsigned i = 0; i < 2; i++) {
        r->is_new = i;
        r->on = r->off = r->made = r->removed = 0;
        put_machine(r, "lima");
        start(r, ON);
        livebus_tick(&r->b);
        assert_null(page_seen(r));
        assert_int_equal(r->made, 1);
        assert_int_equal(r->on, SCHED_EVENTS);
        give_job(r, pages);
        livebus_tick(&r->b);
        assert_non_null(page_seen(r));
        assert_int_equal(r->b.busy_ns, 300);
        assert_int_equal(r->b.job.pid, 77);
        assert_int_equal(r->b.job.device, page_seen(r)->subject.device);
        assert_int_equal(r->b.told.counts.accepted, 3);
        sysrig_fact(page_seen(r), "dev", NAME);
        sysrig_fact(page_seen(r), "clock", "global");
        livebus_stop(&r->b);
        assert_int_equal(r->off, SCHED_EVENTS);
        assert_int_equal(r->removed, 1);
        assert_false(is_there(r, r->instance));
        assert_int_equal(r->foreign, 0);
        tree_drop(r->root, TRACEFS);
    }
}

/* What was not asked for is not looked at; nor where the driver tells more itself. */
static void only_where_it_is_asked_for(void **state) {
    static const struct {
        const char *driver;
        const char *facts;
    } cases[] = {{"lima", NULL}, {"lima", "option.tracefs=0\n"}, {"panfrost", ON}, {"panthor", ON}};
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_machine(r, cases[i].driver);
        r->calls = 0;
        start(r, cases[i].facts);
        livebus_tick(&r->b);
        livebus_tick(&r->b);
        assert_int_equal(r->calls, 0);
        livebus_stop(&r->b);
    }
}

/* What ran before it fell asleep is told when it is awake again; until then nothing is read. */
static void a_device_that_sleeps(void **state) {
    struct rig *r = *state;
    struct tracepage pages[CPUS];
    put_machine(r, "lima");
    sysrig_put_status(r->root, DEVICE, "active", "on");
    start(r, ON);
    livebus_tick(&r->b);
    give_job(r, pages);
    sysrig_put_status(r->root, DEVICE, "suspended", "on");
    r->calls = 0;
    livebus_tick(&r->b);
    assert_int_equal(r->b.busy_ns, 0);
    assert_int_equal(r->calls, 0);
    sysrig_put_status(r->root, DEVICE, "active", "on");
    livebus_tick(&r->b);
    assert_int_equal(r->b.busy_ns, 300);
}

static void events_that_there_are_not(void **state) {
    struct rig *r = *state;
    r->none = true;
    put_machine(r, "lima");
    start(r, ON);
    for (int i = 0; i < 2; i++) {
        livebus_tick(&r->b);
        assert_non_null(page_seen(r));
        assert_int_equal(page_seen(r)->frame.sys, ENOENT);
        assert_int_equal(r->made, 0);
    }
    r->none = false;
    put_files(r, TRACEFS);
    livebus_tick(&r->b);
    assert_int_equal(r->made, 1);
    tree_drop(r->root, TRACEFS "/events/gpu_scheduler"); /* the module goes */
    r->none = true;
    livebus_tick(&r->b);
    assert_int_equal(r->removed, 1);
    assert_int_equal(page_seen(r)->frame.sys, ENOENT);
}

/* Names of rings are addresses: no stream of what cannot be read, and the instance goes again. */
static void a_kernel_that_names_no_ring(void **state) {
    struct rig *r = *state;
    r->is_new = false;
    r->addresses = true;
    put_machine(r, "lima");
    start(r, ON);
    livebus_tick(&r->b);
    assert_non_null(page_seen(r));
    assert_int_equal(page_seen(r)->frame.sys, EPROTO);
    assert_int_equal(r->made, 1);
    assert_int_equal(r->removed, 1);
    assert_int_equal(r->on, 0);
}

static void stale_instances_are_removed(void **state) {
    struct rig *r = *state;
    put_machine(r, "lima");
    tree_folder(r->root, TRACEFS "/instances/gwtop-sched-4000001");
    tree_folder(r->root, TRACEFS "/instances/gwtop-4000001"); /* for another GPU */
    tree_folder(r->root, TRACEFS "/instances/theirs");
    start(r, ON);
    livebus_tick(&r->b);
    assert_false(is_there(r, TRACEFS "/instances/gwtop-sched-4000001"));
    assert_true(is_there(r, TRACEFS "/instances/gwtop-4000001"));
    assert_true(is_there(r, TRACEFS "/instances/theirs"));
}

/* Any one call fails: an instance is left only where its removal is what failed, and then the next start removes it. */
static void any_failed_call_leaves_nothing(void **state) {
    struct rig *r = *state;
    unsigned calls = 1;
    put_machine(r, "lima");
    for (unsigned n = 1; n <= calls; n++) {
        struct tracepage pages[CPUS];
        start(r, ON);
        r->calls = 0;
        r->fail_at = n;
        for (int i = 0; i < 4; i++) {
            if (i == 1)
                give_job(r, pages);
            livebus_tick(&r->b);
        }
        if (n == 1)
            calls = r->calls;
        r->fail_at = 0;
        livebus_stop(&r->b);
        memset(r->page, 0, sizeof r->page);
        assert_false(is_there(r, r->instance));
        assert_int_equal(r->foreign, 0);
    }
    assert_in_range(calls, 20, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(jobs_of_an_instance),
        CASE(only_where_it_is_asked_for),
        CASE(a_device_that_sleeps),
        CASE(events_that_there_are_not),
        CASE(a_kernel_that_names_no_ring),
        CASE(stale_instances_are_removed),
        CASE(any_failed_call_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
