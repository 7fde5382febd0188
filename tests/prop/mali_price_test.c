/*
 * What work on Mali GPUs costs, from files to the snapshot: cycles of panthor, panfrost and msm at the voltage that a
 * regulator says, at that of the table of operating points, at an assumed one, and at none. PW s = V^2 x cycles / 266e6.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/acct.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "gwtop/source.h"
#include "scratch.h"
#include "sysrig.h"
#include "tree.h"

#define NAME    "fb000000.gpu"
#define DEVICE  "sys/devices/platform/" NAME
#define DEVFREQ DEVICE "/devfreq/" NAME
#define TICK_NS INT64_C(50000000)
#define CYCLES  UINT64_C(133000000) /* half a PW s at 1 V */

struct rig {
    char *root;
    const char *driver;
    struct host *host;
    struct source *live;
    struct bus *bus;
    struct acct *acct;
    struct frame_sink sink;
    uint64_t cycles;
    uint64_t busy_ns;
};

static void put_text(struct rig *r) {
    const char *engine = strcmp(r->driver, "panthor") == 0    ? "panthor"
                         : strcmp(r->driver, "panfrost") == 0 ? "fragment"
                                                              : "gpu";
    tree_text(r->root, "proc/100/fdinfo/4",
              "pos:\t0\ndrm-driver:\t%s\ndrm-client-id:\t7\ndrm-engine-%s:\t%llu ns\n"
              "drm-cycles-%s:\t%llu\ndrm-maxfreq-%s:\t1000000000 Hz\ndrm-total-memory:\t8 KiB\n",
              r->driver, engine, (unsigned long long)r->busy_ns, engine,
              (unsigned long long)r->cycles, engine);
}

static void put_machine(struct rig *r) {
    tree_text(r->root, "proc/stat", "btime 1700000000\n");
    tree_text(r->root, "proc/100/stat",
              "100 (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 7 100 100 0 0 0 0 0\n");
    tree_link(r->root, "proc/100/fd/4", "/dev/dri/renderD128");
    tree_text(r->root, DEVICE "/uevent", "DRIVER=%s\nOF_NAME=gpu\n", r->driver);
    sysrig_put_node(r->root, DEVICE, "drm", "card0", 226, 0);
    sysrig_put_node(r->root, DEVICE, "drm", "renderD128", 226, 128);
    tree_text(r->root, DEVFREQ "/cur_freq", "800000000\n");
    put_text(r);
}

static void put_regulator(struct rig *r) {
    tree_link(r->root, DEVICE "/supplier:regulator:regulator.12", "../../virtual/devlink/x");
    tree_text(r->root, "sys/class/regulator/regulator.12/microvolts", "500000\n");
}

static void put_points(struct rig *r) {
    tree_text(r->root, "sys/kernel/debug/opp/" NAME "/opp:800000000/supply-0/u_volt_target",
              "700000\n");
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    bus_frame(((struct rig *)ctx)->bus, s, f);
}

static void open_rig(struct rig *r, const char *driver) {
    *r = (struct rig){.root = scratch_make(), .driver = driver};
    put_machine(r);
}

static void start(struct rig *r, uint32_t assume_uv) {
    struct host_options o = {.root = r->root, .delay_ns = TICK_NS};
    struct acct_options a = {.backends = &backend_table, .assume_voltage_uv = assume_uv};
    struct subscriber s;
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    assert_int_equal(live_create(r->host, &backend_table, &r->live, NULL), ERR_OK);
    assert_int_equal(bus_create(&backend_table, &r->bus), ERR_OK);
    assert_int_equal(acct_create(&a, &r->acct), ERR_OK);
    s = acct_subscriber(r->acct);
    assert_int_equal(bus_subscribe(r->bus, &s), ERR_OK);
    r->sink = (struct frame_sink){r, on_frame};
}

static void ticks(struct rig *r, unsigned count) {
    while (count--) {
        assert_int_equal(r->live->ops->read(r->live, clock_mono_ns(), &r->sink), ERR_OK);
        usleep((useconds_t)(TICK_NS / 1000));
    }
}

/* Ticks until the sensors are there, then work, then one more tick that sees it; the only process. */
static const struct snap_process *work(struct rig *r) {
    ticks(r, 5);
    r->cycles += CYCLES;
    r->busy_ns += CYCLES * 10 / 8; /* at 800 MHz */
    put_text(r);
    ticks(r, 1);
    const struct snapshot *s = acct_snapshot(r->acct);
    assert_int_equal(s->process_count, 1);
    assert_int_equal(s->device_count, 1);
    return &s->processes[0];
}

static void close_rig(struct rig *r) {
    r->live->ops->close(r->live);
    bus_destroy(r->bus);
    acct_destroy(r->acct);
    host_destroy(r->host);
    scratch_remove(r->root);
}

static void assert_cost(const struct snap_process *p, double want, unsigned doubt) {
    assert_int_equal(p->power.pws.state, STATE_VALUE);
    if (fabs(p->power.pws.v - want) > 1e-9)
        fail_msg("%.12g PW s, not %.12g", p->power.pws.v, want);
    assert_int_equal(p->power.pws.doubt & DOUBT_ASSUMED_VOLTAGE, doubt);
    assert_int_equal(p->power.unpriced_ns.v, 0);
    assert_int_equal(p->busy_ns.v, CYCLES * 10 / 8);
}

static const char *const drivers[] = {"panthor", "panfrost"};

static void at_a_regulators_voltage(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rig r;
        open_rig(&r, drivers[i]);
        put_regulator(&r);
        put_points(&r);
        start(&r, 900000);
        assert_cost(work(&r), 0.5 * 0.5 * 0.5, 0);
        close_rig(&r);
    }
}

static void at_a_tables_voltage(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rig r;
        open_rig(&r, drivers[i]);
        put_points(&r);
        start(&r, 0);
        assert_cost(work(&r), 0.7 * 0.7 * 0.5, DOUBT_ASSUMED_VOLTAGE);
        close_rig(&r);
    }
}

/* msm has no such files: its cycles need no clock. */
static void at_an_assumed_voltage(void **state) {
    static const char *const all[] = {"panthor", "panfrost", "msm"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct rig r;
        open_rig(&r, all[i]);
        start(&r, 900000);
        assert_cost(work(&r), 0.9 * 0.9 * 0.5, DOUBT_ASSUMED_VOLTAGE);
        close_rig(&r);
    }
}

static void at_none(void **state) {
    const struct snap_process *p;
    struct rig r;
    (void)state;
    open_rig(&r, "panthor");
    start(&r, 0);
    p = work(&r);
    assert_int_equal(p->busy_ns.v, CYCLES * 10 / 8);
    assert_int_equal(p->power.unpriced_ns.v, CYCLES * 10 / 8);
    assert_true(p->power.pws.state != STATE_VALUE);
    close_rig(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_regulators_voltage),
        cmocka_unit_test(at_a_tables_voltage),
        cmocka_unit_test(at_an_assumed_voltage),
        cmocka_unit_test(at_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
