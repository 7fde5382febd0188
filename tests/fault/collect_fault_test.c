/*
 * Collecting from a machine whose calls fail: the Nth call, once or from then on, with each errno that /proc and
 * /sys have, for all N of a few ticks. Each tick begins and ends, the laws of seen hold, nothing stays open, a
 * tick that could not look says so, and once the calls work again all is found again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/backend.h"
#include "gwtop/source.h"
#include "iospy.h"
#include "scratch.h"
#include "seen.h"
#include "tree.h"

enum { FAULTY_TICKS = 2, RECOVERY_TICKS = 2, HOLDERS = 4, PROCESSES = 3 };

struct rig {
    char *root;
    bool rooted;
    struct iospy spy;
    struct host *host;
    struct source *live;
    struct seen seen;
    struct frame_sink sink;
    int64_t now_ns;
};

/* The collectors that this test is about; others have tests of their own. */
static const struct backend *chosen[2];
static struct backend_table chosen_table = {chosen, 0};

static void choose(void) {
    static const char *const names[] = {"fdinfo", "proc"};
    for (size_t i = 0; i < 2; i++) {
        unsigned at = backend_find(&backend_table, span_of(names[i]));
        assert_true(at > 0);
        chosen[i] = backend_table.list[at - 1];
    }
    chosen_table.count = 2;
}

static void put_process(struct rig *r, int pid, const char *node, int fds) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(r->root, path,
              "%d (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 100 100 0 0 0 0 0\n", pid,
              5000 + pid);
    snprintf(path, sizeof path, "proc/%d/cmdline", pid);
    tree_text(r->root, path, "x%c", 0);
    snprintf(path, sizeof path, "proc/%d/cgroup", pid);
    tree_text(r->root, path, "0::/a\n");
    snprintf(path, sizeof path, "proc/%d/status", pid);
    tree_text(r->root, path, "Name:\tx\nUid:\t0\t0\t0\t0\n");
    snprintf(path, sizeof path, "proc/%d/fd/0", pid);
    tree_link(r->root, path, "/dev/null");
    for (int i = 0; i < fds; i++) {
        snprintf(path, sizeof path, "proc/%d/fd/%d", pid, 4 + i);
        tree_link(r->root, path, node);
        snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, 4 + i);
        tree_text(r->root, path, "drm-driver:\tamdgpu\ndrm-client-id:\t%d\n", pid * 10 + i);
    }
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    choose();
    r->root = scratch_make();
    tree_text(r->root, "sys/class/drm/card0/device/uevent",
              "DRIVER=amdgpu\nPCI_ID=1002:747E\nPCI_SLOT_NAME=0000:03:00.0\n");
    tree_text(r->root, "sys/class/drm/card0/dev", "226:0\n");
    tree_text(r->root, "sys/class/drm/card0/device/power/runtime_status", "active\n");
    tree_text(r->root, "sys/class/drm/card0/device/power/control", "auto\n");
    tree_text(r->root, "sys/class/drm/renderD128/device/uevent",
              "DRIVER=amdgpu\nPCI_ID=1002:747E\nPCI_SLOT_NAME=0000:03:00.0\n");
    tree_text(r->root, "sys/class/accel/accel0/device/uevent",
              "DRIVER=amdxdna\nPCI_SLOT_NAME=0000:04:00.0\n");
    tree_text(r->root, "etc/passwd", "root:x:0:0::/:/bin/sh\n");
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    scratch_remove(r->root);
    free(r);
    return 0;
}

static bool start(struct rig *r) {
    struct host_options o = {.root = r->root, .io = &r->spy.io, .delay_ns = 1000000000};
    r->now_ns = 1000000000;
    r->seen = (struct seen){0};
    r->sink = seen_sink(&r->seen);
    if (host_create(&o, &r->host, NULL) != ERR_OK)
        return false;
    r->host->rooted = r->rooted;
    assert_int_equal(live_create(r->host, &chosen_table, &r->live, NULL), ERR_OK);
    return true;
}

static void tick(struct rig *r) {
    unsigned before = r->seen.ticks;
    seen_clear(&r->seen);
    r->now_ns += 1000000000;
    assert_int_equal(r->live->ops->read(r->live, r->now_ns, &r->sink), ERR_OK);
    assert_int_equal(r->seen.ticks, before + 1);
}

static void stop(struct rig *r) {
    r->live->ops->close(r->live);
    host_destroy(r->host);
    assert_int_equal(r->spy.open_now, 0);
    seen_finish(&r->seen);
}

/* How much of all that is there this tick told without a failure. */
static bool all_is_well(const struct rig *r) {
    uint32_t at = 0;
    unsigned good[SUBJECT_TYPE_COUNT] = {0};
    const struct seen_frame *f;
    while ((f = seen_next(&r->seen, &at, (struct seen_want){FRAME_BACKEND, -1, -1, -1})))
        good[f->subject.type] += f->frame.outcome == OUTCOME_OK;
    return good[SUBJECT_HOLDER] >= HOLDERS && good[SUBJECT_PROCESS] >= PROCESSES;
}

/* Whether this tick says itself that it could not see all. */
static bool says_so(const struct rig *r) {
    uint32_t at = 0;
    const struct seen_frame *f;
    const char *end = seen_body(seen_only(&r->seen, (struct seen_want){FRAME_END, -1, -1, -1}));
    if (strstr(end, "unreadable.") || strstr(end, "devices."))
        return true;
    while ((f = seen_next(&r->seen, &at, (struct seen_want){-1, -1, -1, -1})))
        if (f->frame.outcome == OUTCOME_DENIED || f->frame.outcome == OUTCOME_FAILED)
            return true;
    return false;
}

/* What is not there is nothing, and need not be told; what could not be looked at must be. */
static void hold_against_silence(const struct rig *r, int sys) {
    if (outcome_from_sys(sys) != OUTCOME_GONE && !all_is_well(r) && !says_so(r))
        fail_msg("silent about call %lu, %s, errno %d", r->spy.fail_at,
                 r->spy.fail_on ? "on" : "once", sys);
}

/* The devices as they were before anything failed. */
static bool has_its_devices(const struct rig *r) {
    const struct subject *d = roster_device(r->host, 226, 128);
    return d && strcmp(d->name, "0000:03:00.0") == 0 && roster_device(r->host, 226, 0) == d &&
           span_equals(facts_get(d->facts, "driver"), "amdgpu") &&
           span_equals(facts_get(d->facts, "pci"), "1002:747e") && roster_device(r->host, 261, 0) &&
           !roster_asleep(r->host, d);
}

static void recover(struct rig *r, unsigned long fail_at, bool fail_on, int sys) {
    unsigned ticks = 0;
    do
        tick(r);
    while ((!all_is_well(r) || !has_its_devices(r) || says_so(r)) && ++ticks < RECOVERY_TICKS);
    if (ticks == RECOVERY_TICKS)
        fail_msg("not recovered from call %lu, %s, errno %d", fail_at, fail_on ? "on" : "once",
                 sys);
}

/* One life with this fault; false where the fault lies behind all calls. */
static bool live_with(struct rig *r, unsigned long fail_at, bool fail_on, int sys) {
    bool reached;
    iospy_init(&r->spy);
    r->spy.fail_at = fail_at;
    r->spy.fail_on = fail_on;
    r->spy.fail_sys = sys;
    if (!start(r)) {
        reached = r->spy.calls >= fail_at;
        assert_int_equal(r->spy.open_now, 0);
        iospy_finish(&r->spy);
        return reached;
    }
    for (int i = 0; i < FAULTY_TICKS; i++) {
        tick(r);
        hold_against_silence(r, sys);
    }
    reached = r->spy.calls >= fail_at;
    r->spy.fail_at = 0;
    recover(r, fail_at, fail_on, sys);
    stop(r);
    iospy_finish(&r->spy);
    return reached;
}

static void fail_everywhere(struct rig *r) {
    static const int errors[] = {ENOENT, ESRCH, EACCES, EIO,    EMFILE,
                                 ENODEV, EINTR, ELOOP,  ENOMEM, ENFILE};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        for (int on = 0; on < 2; on++) {
            unsigned long n = 1;
            while (live_with(r, n, on, errors[i]))
                n++;
            assert_true(n > 60);
        }
}

/* One failure in the second look at the devices: whatever fails, those that are known stay as they are. */
static bool devices_stay(struct rig *r, unsigned long fail_at, int sys) {
    struct seen_want closed = {FRAME_CLOSE, SUBJECT_DEVICE, -1, -1};
    bool reached;
    iospy_init(&r->spy);
    assert_true(start(r));
    tick(r);
    iospy_clear(&r->spy);
    r->spy.fail_at = fail_at;
    r->spy.fail_sys = sys;
    roster_want_rescan(r->host);
    for (int i = 0; i < 4; i++) {
        tick(r);
        if (seen_count(&r->seen, closed) > 0 || !has_its_devices(r))
            fail_msg("a device was lost by call %lu, errno %d", fail_at, sys);
    }
    reached = r->spy.calls >= fail_at;
    stop(r);
    iospy_finish(&r->spy);
    return reached;
}

static void test_known_devices_stay(void **state) {
    static const int errors[] = {ENOENT, ESRCH, EACCES, EIO, EMFILE, EINTR, ELOOP, ENOMEM};
    struct rig *r = *state;
    r->rooted = true;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        unsigned long n = 1;
        while (devices_stay(r, n, errors[i]))
            n++;
        assert_true(n > 30);
    }
}

static void put_processes(struct rig *r, const char *node) {
    put_process(r, 100, node, 2);
    put_process(r, 101, node, 1);
    put_process(r, 102, node, 1);
    put_process(r, 103, node, 0);
}

static void test_another_root(void **state) {
    struct rig *r = *state;
    r->rooted = true;
    put_processes(r, "/dev/dri/renderD128");
    fail_everywhere(r);
}

/* The same tree taken for this machine: nodes by their numbers, files kept open. */
static void test_this_machine(void **state) {
    struct rig *r = *state;
    char *node;
    if (!tree_node(r->root, "dev/dri/renderD128", 226, 128))
        skip();
    node = path_join(r->root, "dev/dri/renderD128");
    put_processes(r, node);
    fail_everywhere(r);
    free(node);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_another_root, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_this_machine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_known_devices_stay, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
