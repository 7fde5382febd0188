/*
 * A process that ends between being listed and being read, at each file of it: what was read before stays counted,
 * once, and others are not touched. The same where another process has its number by then.
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

#include "e2e.h"
#include "iospy.h"
#include "ndjson.h"
#include "scratch.h"
#include "sysrig.h"
#include "tree.h"
#include "whole.h"

#define SLOT "0000:03:00.0"

enum fate { ENDS, IS_REPLACED };

struct rig {
    char *root;
    struct iospy spy;
    struct host_io io; /* behind the spy */
    struct whole w;
    const char *tail; /* whose opening is the moment; NULL: never */
    enum fate fate;
    bool done;
};

static struct rig *rig; /* of the calls below */

static void put_client(int pid, int start, int id) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(rig->root, path,
              "%d (p%d) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 100 100 0 0 0 0 0\n", pid, id,
              start);
    snprintf(path, sizeof path, "proc/%d/cmdline", pid);
    tree_text(rig->root, path, "p%d%c", id, 0);
    snprintf(path, sizeof path, "proc/%d/status", pid);
    tree_text(rig->root, path, "Name:\tx\nUid:\t0\t0\t0\t0\n");
    snprintf(path, sizeof path, "proc/%d/fd/4", pid);
    tree_link(rig->root, path, "/dev/dri/renderD128");
    snprintf(path, sizeof path, "proc/%d/fdinfo/4", pid);
    tree_text(rig->root, path,
              "drm-driver:\tamdgpu\ndrm-client-id:\t%d\ndrm-engine-gfx:\t5000000000 ns\n", id);
}

static bool is_the_moment(void) {
    const struct iospy *s = &rig->spy;
    const char *path = s->opened_count > 0 ? s->opened[s->opened_count - 1] : "";
    size_t n = strlen(path), m = rig->tail ? strlen(rig->tail) : 0;
    return rig->tail && !rig->done && n >= m && strcmp(path + n - m, rig->tail) == 0;
}

static int open_late(void *ctx, int dir_fd, const char *path, int flags) {
    (void)ctx;
    if (is_the_moment()) {
        rig->done = true;
        tree_drop(rig->root, "proc/200");
        if (rig->fate == IS_REPLACED)
            put_client(200, 9000, 3);
    }
    return host_io_posix.open(NULL, dir_fd, path, flags);
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    rig = *state = r;
    r->root = scratch_make();
    sysrig_put_pci(r->root, SLOT, "amdgpu", "1002:747E", 0);
    put_client(100, 5000, 1);
    put_client(200, 5000, 2);
    iospy_init(&r->spy);
    r->io = host_io_posix;
    r->io.open = open_late;
    r->spy.under = &r->io;
    struct whole_options o = {.root = r->root, .io = &r->spy.io, .busy_step_ns = 50000000};
    assert_int_equal(whole_start(&r->w, &o), ERR_OK);
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    whole_finish(&r->w);
    assert_int_equal(r->spy.open_now, 0);
    iospy_finish(&r->spy);
    scratch_remove(r->root);
    free(r);
    return 0;
}

/* ---- laws -------------------------------------------------------------------------------------- */

/* What the device says that its clients used, by a lawful tick; `others` is the time of process 100. */
static double busy_after(struct rig *r, double others) {
    assert_int_equal(whole_tick(&r->w), ERR_OK);
    json_t *tick = whole_json(&r->w);
    assert_non_null(tick);
    e2e_assert_lawful(tick);
    if (r->w.ticks == 1) { /* of counters that were never seen before nothing is known */
        json_decref(tick);
        return 0;
    }
    assert_near(tick_process(tick, 100, NULL), "busy_s", others, 1e-9);
    json_t *engines = json_object_get(tick_device(tick, SLOT), "engines");
    double busy = number_at(json_array_get(engines, 0), "busy_s");
    json_decref(tick);
    return busy;
}

static void live_through(const char *tail, enum fate fate) {
    struct rig *r = rig;
    double before = 0;
    for (int i = 0; i < 4; i++)
        before = busy_after(r, i * 0.05);
    assert_true(before >= 0.3 - 1e-9 && before <= 0.3 + 1e-9); /* both, three steps of 50 ms */
    r->tail = tail;
    r->fate = fate;
    double last = before;
    for (int i = 4; i < 44; i++) { /* names are read anew after some time: until the moment comes */
        double now = busy_after(r, i * 0.05);
        if (now < last - 1e-9 || now > last + 0.1 + 1e-9)
            fail_msg("%s: %g s after %g s", tail, now, last);
        last = now;
    }
    if (!r->done)
        tree_drop(r->root, "proc/200"); /* nobody reads it any more */
    double at_end = busy_after(r, 44 * 0.05);
    double later = busy_after(r, 45 * 0.05);
    double step = fate == ENDS ? 0.05 : r->done ? 0.1 : 0.05;
    if (later - at_end < step - 1e-9 || later - at_end > step + 1e-9)
        fail_msg("%s: a tick is worth %g s, not %g s", tail, later - at_end, step);
}

static const char *const tails[] = {"200/stat",    "200/fd",     "200/fdinfo/4", "200/fdinfo",
                                    "200/cmdline", "200/status", "200/cgroup"};

static void live_through_all(void **state, enum fate fate) {
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        if (i > 0)
            set_up(state);
        live_through(tails[i], fate);
        if (i + 1 < sizeof tails / sizeof tails[0])
            tear_down(state);
    }
}

static void it_ends_at_each_file(void **state) {
    live_through_all(state, ENDS);
}

static void another_has_its_number(void **state) {
    live_through_all(state, IS_REPLACED);
}

/* Its files answer once that it is gone, and then again: no time is lost or counted twice. */
static void a_read_says_that_it_is_gone(void **state) {
    static const int errors[] = {ENOENT, ESRCH, EACCES, EIO, EMFILE};
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
        if (k > 0)
            set_up(state);
        struct rig *r = *state;
        double busy = 0;
        for (int i = 0; i < 4; i++)
            busy = busy_after(r, i * 0.05);
        r->spy.deny_tail = "200/fdinfo/4";
        r->spy.deny_sys = errors[k];
        double less = busy_after(r, 4 * 0.05);
        assert_true(less >= busy - 1e-9);
        r->spy.deny_tail = NULL;
        for (int i = 5; i < 9; i++)
            busy = busy_after(r, i * 0.05);
        if (busy > 16 * 0.05 + 1e-9 || busy < 13 * 0.05 - 1e-9)
            fail_msg("%s: %g s of 0.8", strerror(errors[k]), busy);
        if (k + 1 < sizeof errors / sizeof errors[0])
            tear_down(state);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(it_ends_at_each_file),
        TEST(another_has_its_number),
        TEST(a_read_says_that_it_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
