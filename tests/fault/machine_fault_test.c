/*
 * What befalls a machine while it is watched: devices that are pulled out, unbound, reset, put to sleep; the machine
 * itself asleep; a wall clock that jumps; a read that does not come back; a /proc that lies. Ticks come, totals
 * never fall nor leap, rates stay rates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
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

#define FIRST  "0000:03:00.0"
#define SECOND "0000:04:00.0"
#define OF(id) "sys/devices/pci0000:00/" id

struct rig {
    char *root;
    struct iospy spy;
    struct whole w;
    json_t *tick;
};

/* ---- the machine ------------------------------------------------------------------------------- */

static void put_client(struct rig *r, int pid, unsigned card, int id, long long busy_ns) {
    char path[64], node[64];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(r->root, path,
              "%d (p%d) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5000 100 100 0 0 0 0 0\n", pid,
              pid);
    snprintf(path, sizeof path, "proc/%d/fd/4", pid);
    snprintf(node, sizeof node, "/dev/dri/renderD%u", 128 + card);
    tree_link(r->root, path, node);
    snprintf(path, sizeof path, "proc/%d/fdinfo/4", pid);
    tree_text(r->root, path,
              "drm-driver:\tamdgpu\ndrm-client-id:\t%d\ndrm-engine-gfx:\t%lld ns\n"
              "drm-resident-vram:\t1024 KiB\n",
              id, busy_ns);
}

static void put_card(struct rig *r, unsigned card) {
    static const char *const devices[] = {OF(FIRST), OF(SECOND)};
    char path[128];
    sysrig_put_pci(r->root, strrchr(devices[card], '/') + 1, "amdgpu", "1002:747E", card);
    sysrig_put_status(r->root, devices[card], "active", "on");
    snprintf(path, sizeof path, "%s/gpu_busy_percent", devices[card]);
    tree_text(r->root, path, "7\n");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static bool is_stuck;
static const char *stuck_tail;
static struct iospy *stuck_spy;

static void set_stuck(bool stuck) {
    pthread_mutex_lock(&lock);
    is_stuck = stuck;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&lock);
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    r->root = scratch_make();
    tree_folder(r->root, "proc");
    put_card(r, 0);
    put_card(r, 1);
    put_client(r, 100, 0, 1, 5000000000);
    put_client(r, 200, 1, 2, 5000000000);
    iospy_init(&r->spy);
    struct whole_options o = {.root = r->root, .io = &r->spy.io, .busy_step_ns = 50000000};
    assert_int_equal(whole_start(&r->w, &o), ERR_OK);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    set_stuck(false);
    json_decref(r->tick);
    whole_finish(&r->w);
    assert_int_equal(r->spy.open_now, 0);
    iospy_finish(&r->spy);
    scratch_remove(r->root);
    free(r);
    return 0;
}

/* The tick under the clocks as they are. */
static json_t *look(struct rig *r) {
    assert_int_equal(whole_look(&r->w), ERR_OK);
    json_decref(r->tick);
    r->tick = whole_json(&r->w);
    assert_non_null(r->tick);
    e2e_assert_lawful(r->tick);
    return r->tick;
}

static json_t *ticks(struct rig *r, int n) {
    for (int i = 0; i < n; i++) {
        r->w.clock.mono_ns += WHOLE_SECOND;
        look(r);
    }
    return r->tick;
}

static json_t *row(struct rig *r, int pid) {
    json_t *p = tick_process(r->tick, pid, NULL);
    if (!p)
        fail_msg("no process %d", pid);
    return p;
}

static const char *state_of(struct rig *r, const char *id) {
    return text_at(tick_device(r->tick, id), "state");
}

static double value_of(struct rig *r, const char *id, const char *metric) {
    size_t i;
    json_t *m;
    json_array_foreach(json_object_get(tick_device(r->tick, id), "metrics"), i, m) {
        if (strcmp(text_at(m, "metric"), metric) == 0)
            return number_at(m, "value");
    }
    return -1;
}

/* A card's own threads may answer a few ticks late. */
static void wait_for(struct rig *r, const char *id, const char *metric, double want) {
    for (int i = 0; i < 200; i++) {
        ticks(r, 1);
        if (value_of(r, id, metric) == want)
            return;
    }
    fail_msg("%s of %s is %g, not %g", metric, id, value_of(r, id, metric), want);
}

/* ---- devices ----------------------------------------------------------------------------------- */

static void drop_nodes(struct rig *r) {
    tree_drop(r->root, "sys/class/drm/card1");
    tree_drop(r->root, "sys/class/drm/renderD129");
    tree_drop(r->root, "sys/class/drm/card1-HDMI-A-1");
}

static void hold_absence(struct rig *r, double busy_s) {
    ticks(r, 6);
    assert_string_not_equal(state_of(r, SECOND), "active");
    assert_near(row(r, 100), "busy_pct", 5, 1e-6);
    json_t *left = tick_process(r->tick, 200, SECOND);
    if (left && !json_is_null(json_object_get(left, "busy_s")))
        assert_near(left, "busy_s", busy_s, 0.11);
}

static void hold_return(struct rig *r) {
    put_card(r, 1);
    ticks(r, 8);
    assert_string_equal(state_of(r, SECOND), "active");
    assert_near(tick_process(r->tick, 200, SECOND), "busy_pct", 5, 1e-6);
}

static void a_driver_is_unbound(void **state) {
    struct rig *r = *state;
    ticks(r, 4);
    double busy_s = number_at(row(r, 200), "busy_s");
    assert_near(row(r, 200), "busy_s", 0.15, 1e-9);
    drop_nodes(r);
    hold_absence(r, busy_s);
    hold_return(r);
}

static void a_card_is_pulled_out(void **state) {
    struct rig *r = *state;
    ticks(r, 4);
    double busy_s = number_at(row(r, 200), "busy_s");
    drop_nodes(r);
    tree_drop(r->root, OF(SECOND));
    hold_absence(r, busy_s);
    hold_return(r);
}

/* All of a driver's counters begin anew: its clients' with the same ids, then with others. */
static void a_gpu_is_reset(void **state) {
    struct rig *r = *state;
    ticks(r, 4);
    put_client(r, 100, 0, 1, 0);
    ticks(r, 1);
    assert_near(row(r, 100), "busy_s", 0.15, 0.0500001);
    put_client(r, 100, 0, 77, 0);
    ticks(r, 1);
    json_t *p = row(r, 100);
    assert_true(number_at(p, "busy_s") >= 0.15 - 1e-9 && number_at(p, "busy_s") <= 0.31);
    double before = number_at(p, "busy_s");
    ticks(r, 3);
    assert_near(row(r, 100), "busy_pct", 5, 1e-6);
    assert_near(row(r, 100), "busy_s", before + 0.15, 0.0500001);
    assert_near(row(r, 100), "clients", 1, 0);
}

static void a_card_sleeps_and_wakes(void **state) {
    struct rig *r = *state;
    wait_for(r, FIRST, "activity.gfx", 7);
    sysrig_put_status(r->root, OF(FIRST), "suspended", "auto");
    ticks(r, 1);
    iospy_clear(&r->spy);
    ticks(r, 3);
    assert_string_equal(state_of(r, FIRST), "asleep");
    assert_true(value_of(r, FIRST, "activity.gfx") == -1);
    assert_false(iospy_opened(&r->spy, OF(FIRST) "/gpu_busy_percent"));
    sysrig_put_status(r->root, OF(FIRST), "active", "on");
    wait_for(r, FIRST, "activity.gfx", 7);
    assert_string_equal(state_of(r, FIRST), "active");
}

/* ---- clocks ------------------------------------------------------------------------------------ */

static void hold_steady(struct rig *r, double busy_s) {
    assert_near(r->tick, "interval_s", 1, 1e-9);
    assert_near(row(r, 100), "busy_pct", 5, 1e-6);
    assert_near(row(r, 100), "busy_s", busy_s, 1e-9);
}

static void the_wall_clock_jumps(void **state) {
    struct rig *r = *state;
    ticks(r, 3);
    double start_s = number_at(row(r, 100), "start_s");
    r->w.clock.real_ns += 86400 * WHOLE_SECOND;
    ticks(r, 1);
    hold_steady(r, 0.15);
    r->w.clock.real_ns -= 2 * 86400 * WHOLE_SECOND;
    ticks(r, 1);
    hold_steady(r, 0.2);
    assert_near(row(r, 100), "start_s", start_s, 1e-6);
}

/* CLOCK_BOOTTIME goes on where CLOCK_MONOTONIC stands. */
static void the_machine_sleeps(void **state) {
    struct rig *r = *state;
    ticks(r, 3);
    r->w.clock.slept_ns += 8 * 3600 * WHOLE_SECOND;
    ticks(r, 1);
    hold_steady(r, 0.15);
    r->w.clock.mono_ns += 99 * WHOLE_SECOND; /* and one where it does not */
    ticks(r, 1);
    assert_near(r->tick, "interval_s", 100, 1e-9);
    assert_near(row(r, 100), "busy_pct", 0.05, 1e-6);
    assert_near(row(r, 100), "busy_s", 0.2, 1e-9);
}

/* ---- a read that does not come back ------------------------------------------------------------ */

static bool has_tail(int fd) {
    char *path = NULL;
    pthread_mutex_lock(&stuck_spy->lock);
    if (fd >= 0 && fd < 4096 && stuck_spy->of_fd[fd])
        path = strdup(stuck_spy->of_fd[fd]);
    pthread_mutex_unlock(&stuck_spy->lock);
    size_t n = path ? strlen(path) : 0, m = strlen(stuck_tail);
    bool has = n >= m && strcmp(path + n - m, stuck_tail) == 0;
    free(path);
    return has;
}

static ssize_t stuck_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    (void)ctx;
    if (has_tail(fd)) {
        pthread_mutex_lock(&lock);
        while (is_stuck)
            pthread_cond_wait(&turn, &lock);
        pthread_mutex_unlock(&lock);
    }
    return host_io_posix.pread(NULL, fd, to, n, at);
}

static void a_sensor_does_not_answer(void **state) {
    struct rig *r = *state;
    stuck_spy = &r->spy;
    stuck_tail = OF(FIRST) "/gpu_busy_percent";
    r->spy.io.pread = stuck_pread;
    ticks(r, 2);
    wait_for(r, FIRST, "activity.gfx", 7);
    set_stuck(true);
    double busy_s = number_at(row(r, 100), "busy_s");
    ticks(r, 150); /* none of them waits */
    assert_near(row(r, 100), "busy_pct", 5, 1e-6);
    assert_near(row(r, 100), "busy_s", busy_s + 150 * 0.05, 1e-6);
    assert_true(!(value_of(r, FIRST, "activity.gfx") >= 0)); /* what is old is no value */
    set_stuck(false);
    wait_for(r, FIRST, "activity.gfx", 7);
}

/* ---- a /proc that lies ------------------------------------------------------------------------- */

static const char *const stats[] = {
    "",
    "300 () S",
    "-1 (x) S -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n",
    "300 (a\nb) c) S 300 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5000 100 100 0 0 0 0 0\n",
    ("300 (x) S 301 1 1 0 -1 0 0 0 0 0 18446744073709551615 18446744073709551615 0 0 20 0 1 0 "
     "18446744073709551615 18446744073709551615 18446744073709551615 0 0 0 0 0\n"),
    "300 (x) \377 99999999999999999999 1 1 0 -1 0 0 0 0 0 9e9 nan 0 0 20 0 1 0 0x10 1 1 0 0 0\n",
};

static const char *const texts[] = {
    "",
    "drm-client-id:\t\n",
    ("drm-driver:\tamdgpu\ndrm-client-id:\t18446744073709551615\ndrm-engine-gfx:\t"
     "18446744073709551615 ns\ndrm-resident-vram:\t18446744073709551615 GiB\n"),
    "drm-driver:\tamdgpu\ndrm-client-id:\t-3\ndrm-engine-gfx:\t-5 ns\n",
    "drm-driver:\txe\ndrm-client-id:\t9\ndrm-cycles-rcs:\t9\ndrm-total-cycles-rcs:\t0\n",
    ("drm-driver:\tamdgpu\ndrm-client-id:\t9\ndrm-engine-gfx:\t1 ns\ndrm-engine-gfx:\t2 ns\n"
     "drm-engine-capacity-gfx:\t0\ndrm-engine-:\t1 ns\n"),
};

/* Each tick says another thing; who does not lie is seen as ever. */
static void lies_change_between_reads(void **state) {
    enum { STATS = sizeof stats / sizeof stats[0], TEXTS = sizeof texts / sizeof texts[0] };
    struct rig *r = *state;
    ticks(r, 1);
    put_client(r, 300, 0, 9, 0);
    put_client(r, 301, 0, 10, 0);
    for (unsigned i = 0; i < STATS * TEXTS; i++) {
        tree_text(r->root, "proc/300/stat", "%s", stats[i % STATS]);
        tree_text(r->root, "proc/300/fdinfo/4", "%s", texts[i % TEXTS]);
        tree_text(r->root, "proc/301/stat", "%s", "301 (y) S 300 1 1 0 -1 0\n"); /* of each other */
        ticks(r, 1);
        assert_near(row(r, 100), "busy_pct", 5, 1e-6);
    }
    assert_near(row(r, 100), "busy_s", STATS * TEXTS * 0.05, 1e-6);
}

static void odd_things_in_place_of_files(void **state) {
    static const char *const places[] = {"stat", "cmdline", "status",   "cgroup",
                                         "fd/4", "fd",      "fdinfo/4", "fdinfo"};
    struct rig *r = *state;
    for (int odd = 0; odd < TREE_ODD_COUNT; odd++)
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            char path[64];
            tree_folder(r->root, "proc/300");
            tree_drop(r->root, "proc/300");
            put_client(r, 300, 0, 9, 0);
            snprintf(path, sizeof path, "proc/300/%s", places[i]);
            tree_odd(r->root, path, (enum tree_odd)odd);
            ticks(r, 2);
            assert_near(row(r, 100), "busy_pct", 5, 1e-6);
        }
}

/* 100,000 descriptors, a tenth unless GWTOP_LOAD=full, and names that are no numbers. */
static void a_folder_without_end(void **state) {
    const char *load = getenv("GWTOP_LOAD");
    int n = load && strcmp(load, "full") == 0 ? 100000 : 10000;
    struct rig *r = *state;
    ticks(r, 1);
    put_client(r, 300, 0, 9, 0);
    for (int i = 5; i < n; i++) {
        char path[64];
        snprintf(path, sizeof path, "proc/300/fd/%d", i);
        tree_link(r->root, path, "/dev/null");
    }
    tree_link(r->root, "proc/300/fd/1\n2", "/dev/dri/renderD128");
    tree_link(r->root, "proc/300/fd/99999999999", "/dev/dri/renderD128");
    tree_folder(r->root, "proc/12\n34");
    ticks(r, 8);
    assert_near(row(r, 300), "busy_pct", 5, 1e-6);
    assert_near(row(r, 300), "clients", 1, 0);
    assert_near(row(r, 100), "busy_s", 0.4, 1e-9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_driver_is_unbound),
        TEST(a_card_is_pulled_out),
        TEST(a_gpu_is_reset),
        TEST(a_card_sleeps_and_wakes),
        TEST(the_wall_clock_jumps),
        TEST(the_machine_sleeps),
        TEST(a_sensor_does_not_answer),
        TEST(lies_change_between_reads),
        TEST(odd_things_in_place_of_files),
        TEST(a_folder_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
