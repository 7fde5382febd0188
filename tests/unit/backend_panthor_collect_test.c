/* The collector of panthor, panfrost and lima: which files it reads, whose voltage and temperature it takes, that a
 * sleeping device is not touched, and that what is not there or fails costs what it shows and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amdrig.h"
#include "backend/panthor/panthor.h"
#include "sysrig.h"
#include "tree.h"

#define NAME      "fb000000.gpu"
#define DEVICE    "sys/devices/platform/" NAME
#define DEVFREQ   DEVICE "/devfreq/" NAME
#define REGULATOR "sys/class/regulator/"
#define ZONE      "sys/class/thermal/thermal_zone"
#define POINTS    "sys/kernel/debug/opp/platform-" NAME

static const struct backend *const backends[] = {&backend_panthor};
static const struct backend_table table = {backends, 1};

/* ---- the tree ---------------------------------------------------------------------------------- */

static void put(struct amdrig *r, const char *path, const char *text) {
    tree_text(r->root, path, "%s\n", text);
}

static void put_device(struct amdrig *r, const char *driver) {
    tree_text(r->root, DEVICE "/uevent", "DRIVER=%s\nOF_NAME=gpu\nOF_FULLNAME=/gpu@fb000000\n",
              driver);
    sysrig_put_node(r->root, DEVICE, "drm", "card0", 226, 0);
    sysrig_put_node(r->root, DEVICE, "drm", "renderD128", 226, 128);
}

static void put_clock(struct amdrig *r) {
    put(r, DEVFREQ "/cur_freq", "800000000");
    put(r, DEVFREQ "/target_freq", "850000000");
    put(r, DEVFREQ "/min_freq", "300000000");
    put(r, DEVFREQ "/max_freq", "1000000000");
    put(r, DEVFREQ "/available_frequencies", "200000000 800000000 1200000000");
}

static void put_regulator(struct amdrig *r, const char *name, const char *microvolts) {
    char path[200];
    snprintf(path, sizeof path, REGULATOR "%s/microvolts", name);
    put(r, path, microvolts);
}

static void put_supplier(struct amdrig *r, const char *name) {
    char path[200];
    snprintf(path, sizeof path, DEVICE "/supplier:regulator:%s", name);
    tree_link(r->root, path, "../../virtual/devlink/none");
}

/* The link that the kernel makes in the regulator's folder for whoever asked for it. */
static void put_consumer(struct amdrig *r, const char *name, const char *as) {
    char path[200];
    snprintf(path, sizeof path, REGULATOR "%s/" NAME "-%s", name, as);
    tree_link(r->root, path, "../../../platform/" NAME);
}

static void put_points(struct amdrig *r) {
    put(r, POINTS "/opp:300000000/supply-0/u_volt_target", "675000");
    put(r, POINTS "/opp:800000000/supply-0/u_volt_target", "750000");
    put(r, POINTS "/opp:800000000/supply-1/u_volt_target", "900000");
    put(r, POINTS "/opp:1000000000/supply-0/u_volt_target", "850000");
}

static int set_up(void **state) {
    struct amdrig *r = calloc(1, sizeof *r);
    amdrig_init(r);
    r->table = &table;
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    amdrig_finish(*state);
    free(*state);
    return 0;
}

static int64_t value_of(const struct amdrig *r, enum metric metric) {
    const struct told_sample *s = told_best(&r->told, metric, INDEX_NONE);
    return s && s->sample.state == STATE_VALUE ? s->sample.value : -1;
}

static unsigned doubt_of(const struct amdrig *r, enum metric metric) {
    const struct told_sample *s = told_best(&r->told, metric, INDEX_NONE);
    assert_non_null(s);
    return s->sample.doubt;
}

/* Until no look is under way, and then one whose frames are there. */
static void look(struct amdrig *r) {
    usleep(50000);
    amdrig_tick(r);
    usleep(50000);
    amdrig_tick_until(r, PANTHOR_SYSFS);
}

/* ---- what is read ------------------------------------------------------------------------------ */

static void one_stream_with_its_facts(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panfrost");
    put_clock(r);
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    look(r);
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    assert_string_equal(amdrig_frame(r, PANTHOR_SYSFS)->subject.name, "panfrost");
    assert_string_equal(amdrig_frame(r, PANTHOR_SYSFS)->subject.facts, "driver=panfrost\n");
}

static void another_driver_has_nothing_here(void **state) {
    static const char *const others[] = {"msm", "panthor2", "pan", ""};
    struct amdrig *r = *state;
    put_clock(r);
    put_device(r, others[0]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(panthor_probe(NULL, &(struct device_info){.driver = others[i]}));
    assert_false(panthor_probe(NULL, NULL));
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    assert_int_equal(iowatch_count(&r->watch, 'o', "freq"), 0);
}

static void what_a_tick_says(void **state) {
    static const char *const drivers[] = {"panthor", "panfrost", "lima"};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        struct amdrig *r = *state;
        put_device(r, drivers[i]);
        put_clock(r);
        put_supplier(r, "regulator.12");
        put_regulator(r, "regulator.12", "787500");
        put(r, ZONE "0/type", "cpu-thermal");
        put(r, ZONE "0/temp", "90000");
        put(r, ZONE "10/type", "gpu-thermal");
        put(r, ZONE "10/temp", "51250");
        amdrig_start(r, NULL);
        for (int tick = 0; tick < 7; tick++) {
            amdrig_tick_until(r, PANTHOR_SYSFS);
            assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 800000000);
            assert_int_equal(value_of(r, METRIC_VOLTAGE_GFX), 787500);
            assert_int_equal(doubt_of(r, METRIC_VOLTAGE_GFX), 0);
            assert_int_equal(value_of(r, METRIC_TEMPERATURE_GFX), 51250);
            assert_int_equal(value_of(r, METRIC_CLOCK_GFX_MIN), tick % 3 ? -1 : 300000000);
            assert_int_equal(value_of(r, METRIC_CLOCK_GFX_MAX), tick % 3 ? -1 : 1000000000);
            assert_int_equal(told_count(&r->told, METRIC_PROFILING), 0);
        }
        assert_int_equal(iowatch_count(&r->watch, 'o', "target_freq"), 0);
        assert_int_equal(iowatch_count(&r->watch, 'o', "available"), 0);
        assert_int_equal(iowatch_count(&r->watch, 'o', "thermal_zone0/temp"), 0);
        assert_int_equal(iowatch_count(&r->watch, 'o', "thermal_zone0/type"), 1);
        assert_int_equal(iowatch_count(&r->watch, 'o', "/dev/"), 0);
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

static void second_best_files(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panthor");
    put(r, DEVFREQ "/target_freq", "850000000");
    put(r, DEVFREQ "/min_freq", "300000000");
    put(r, DEVFREQ "/available_frequencies", "200000000 800000000 1200000000");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 850000000);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX_MIN), 300000000);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX_MAX), 1200000000);
}

/* As on this machine itself: files stay open, and are opened again when one failed. */
static void files_stay_open(void **state) {
    struct amdrig *r = *state;
    long keep;
    put_device(r, "lima");
    put_clock(r);
    amdrig_start_kept(r);
    keep = r->host->keep_left;
    for (int i = 0; i < 5; i++)
        look(r);
    assert_int_equal(iowatch_count(&r->watch, 'o', "cur_freq"), 1);
    iowatch_fail(&r->watch, 'r', "cur_freq", EIO);
    look(r);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 850000000);
    iowatch_fail(&r->watch, 0, NULL, 0);
    look(r);
    look(r);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 800000000);
    assert_int_equal(iowatch_count(&r->watch, 'o', "cur_freq") >= 2, 1);
    r->live->ops->close(r->live);
    r->live = NULL;
    assert_int_equal(r->host->keep_left, keep);
}

/* ---- whose voltage ----------------------------------------------------------------------------- */

static int64_t voltage(struct amdrig *r) {
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    return value_of(r, METRIC_VOLTAGE_GFX);
}

static void of_several_regulators_the_one_that_says_so(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panfrost");
    put_clock(r);
    put_regulator(r, "regulator.3", "900000");
    put_regulator(r, "regulator.12", "787500");
    put_supplier(r, "regulator.3");
    put_supplier(r, "regulator.12");
    put_consumer(r, "regulator.3", "sram");
    put_consumer(r, "regulator.12", "mali");
    assert_int_equal(voltage(r), 787500);
}

static void of_several_regulators_none(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panfrost");
    put_clock(r);
    put_regulator(r, "regulator.3", "900000");
    put_regulator(r, "regulator.12", "787500");
    put_supplier(r, "regulator.3");
    put_supplier(r, "regulator.12");
    assert_int_equal(voltage(r), -1);
    assert_int_equal(iowatch_count(&r->watch, 'o', "microvolts"), 0);
}

static void a_regulator_that_names_its_consumer(void **state) {
    struct amdrig *r = *state;
    put_device(r, "lima");
    put_clock(r);
    put_regulator(r, "regulator.3", "900000");
    put_regulator(r, "regulator.12", "787500");
    put_consumer(r, "regulator.12", "mali");
    assert_int_equal(voltage(r), 787500);
}

static void nobodys_regulators(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panthor");
    put_clock(r);
    put_regulator(r, "regulator.3", "900000");
    assert_int_equal(voltage(r), -1);
    assert_int_equal(told_count(&r->told, METRIC_VOLTAGE_GFX), 0);
}

/* It is what was asked for, not what was measured. */
static void voltage_of_the_operating_point(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panthor");
    put_clock(r);
    put_points(r);
    put(r, DEVFREQ "/cur_freq", "799999987");
    assert_int_equal(voltage(r), 750000);
    assert_int_equal(doubt_of(r, METRIC_VOLTAGE_GFX), DOUBT_ASSUMED_VOLTAGE);
    put(r, DEVFREQ "/cur_freq", "1000000000");
    look(r);
    assert_int_equal(value_of(r, METRIC_VOLTAGE_GFX), 850000);
    put(r, DEVFREQ "/cur_freq", "500000000"); /* no such point */
    look(r);
    assert_int_equal(told_count(&r->told, METRIC_VOLTAGE_GFX), 0);
}

static void older_tables(void **state) {
    struct amdrig *r = *state;
    put_device(r, "lima");
    put_clock(r);
    put(r, "sys/kernel/debug/opp/" NAME "/opp:800000000/u_volt_target", "1050000");
    put(r, "sys/kernel/debug/opp/x" NAME "/opp:800000000/u_volt_target", "1");
    assert_int_equal(voltage(r), 1050000);
}

static void a_regulator_is_better_than_a_table(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panthor");
    put_clock(r);
    put_points(r);
    put_supplier(r, "regulator.12");
    put_regulator(r, "regulator.12", "787500");
    assert_int_equal(voltage(r), 787500);
    assert_int_equal(doubt_of(r, METRIC_VOLTAGE_GFX), 0);
    iowatch_fail(&r->watch, 'o', "microvolts", EACCES);
    look(r);
    assert_int_equal(value_of(r, METRIC_VOLTAGE_GFX), 750000);
}

static void a_table_that_only_root_may_read(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panthor");
    put_clock(r);
    put_points(r);
    amdrig_start(r, NULL);
    iowatch_fail(&r->watch, 'o', "debug/opp", EACCES);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 800000000);
    assert_int_equal(told_best(&r->told, METRIC_VOLTAGE_GFX, INDEX_NONE)->sample.state,
                     STATE_DENIED);
}

/* ---- the knob ---------------------------------------------------------------------------------- */

static void whether_engine_time_is_counted(void **state) {
    struct amdrig *r = *state;
    put_device(r, "panthor");
    put(r, DEVICE "/profiling", "0");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    assert_int_equal(value_of(r, METRIC_PROFILING), 0);
    put(r, DEVICE "/profiling", "3");
    amdrig_tick(r);
    assert_int_equal(value_of(r, METRIC_PROFILING), 1);
}

/* ---- what is not there ------------------------------------------------------------------------- */

static void nothing_at_all(void **state) {
    struct amdrig *r = *state;
    put_device(r, "lima");
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++) {
        amdrig_tick_until(r, PANTHOR_SYSFS);
        assert_int_equal(amdrig_frame(r, PANTHOR_SYSFS)->frame.outcome, OUTCOME_GONE);
        assert_int_equal(value_of(r, METRIC_CLOCK_GFX), -1);
    }
}

static void no_devfreq(void **state) {
    struct amdrig *r = *state;
    put_device(r, "lima");
    put(r, ZONE "2/type", "mali");
    put(r, ZONE "2/temp", "40000");
    put(r, ZONE "7/type", "gpu1-thermal");
    put(r, ZONE "7/temp", "45000");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    assert_int_equal(told_count(&r->told, METRIC_TEMPERATURE_GFX), 2);
    assert_int_equal(told_count(&r->told, METRIC_CLOCK_GFX), 0);
}

/* What stands in the place of a file is read as such or not at all, and nobody waits for it. */
static void odd_things_in_the_place_of_files(void **state) {
    static const char *const paths[] = {
        DEVFREQ "/cur_freq",      DEVICE "/devfreq",
        REGULATOR "regulator.12", REGULATOR "regulator.12/microvolts",
        ZONE "10/temp",           ZONE "10/type",
        "sys/kernel/debug/opp",   DEVICE "/profiling",
        POINTS "/opp:800000000"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        for (int odd = 0; odd < TREE_ODD_COUNT; odd++) {
            struct amdrig *r = *state;
            put_device(r, "panthor");
            put_clock(r);
            put_points(r);
            put_supplier(r, "regulator.12");
            put_regulator(r, "regulator.12", "787500");
            put(r, DEVICE "/profiling", "1");
            put(r, ZONE "10/type", "gpu-thermal");
            put(r, ZONE "10/temp", "51250");
            put(r, ZONE "11/type", "gpu-thermal");
            put(r, ZONE "11/temp", "51000");
            tree_odd(r->root, paths[i], (enum tree_odd)odd);
            amdrig_start(r, NULL);
            amdrig_tick_until(r, PANTHOR_SYSFS);
            assert_int_equal(value_of(r, METRIC_TEMPERATURE_GFX) >= 51000, 1);
            assert_int_equal(tear_down(state), 0);
            assert_int_equal(set_up(state), 0);
        }
}

/* ---- sleep ------------------------------------------------------------------------------------- */

/* All that a tick may not do with a sleeping device. */
static void assert_untouched(struct amdrig *r) {
    static const char *const parts[] = {"freq",      "regulator", "thermal",   "opp",
                                        "profiling", "/dev/dri",  "microvolts"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (iowatch_count(&r->watch, 0, parts[i]) > 0)
            fail_msg("touched: %s", iowatch_first(&r->watch, 0, parts[i]));
}

static void put_everything(struct amdrig *r) {
    put_device(r, "panthor");
    put_clock(r);
    put_points(r);
    put_supplier(r, "regulator.12");
    put_regulator(r, "regulator.12", "787500");
    put(r, ZONE "10/type", "gpu-thermal");
    put(r, ZONE "10/temp", "51250");
    put(r, DEVICE "/profiling", "0");
    tree_text(r->root, "dev/dri/renderD128", "%s", "");
}

static void a_sleeping_device_is_not_touched(void **state) {
    struct amdrig *r = *state;
    put_everything(r);
    sysrig_put_status(r->root, DEVICE, "suspended", "auto");
    amdrig_start(r, "option.counters=1\noption.set-profiling=1\n");
    for (int i = 0; i < 50; i++) {
        amdrig_tick(r);
        assert_untouched(r);
        assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    }
}

static void it_falls_asleep_and_wakes_by_itself(void **state) {
    struct amdrig *r = *state;
    put_everything(r);
    sysrig_put_status(r->root, DEVICE, "active", "on");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    look(r);
    usleep(50000);
    sysrig_put_status(r->root, DEVICE, "suspended", "on");
    amdrig_tick(r);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 20; i++) {
        amdrig_tick(r);
        assert_untouched(r);
        assert_int_equal(amdrig_frames(r, PANTHOR_SYSFS), 0);
    }
    put(r, ZONE "3/type", "mali"); /* found anew */
    put(r, ZONE "3/temp", "61000");
    sysrig_put_status(r->root, DEVICE, "active", "on");
    look(r);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 800000000);
    assert_int_equal(told_count(&r->told, METRIC_TEMPERATURE_GFX), 2);
}

/* Idle, nobody has it open, it manages its power itself: our own reading is no sign of work. */
static void an_idle_device_is_left_alone(void **state) {
    struct amdrig *r = *state;
    put_everything(r);
    sysrig_put_status(r->root, DEVICE, "active", "auto");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, PANTHOR_SYSFS);
    for (int i = 0; i < 8; i++)
        amdrig_tick(r);
    usleep(50000);
    amdrig_tick(r);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 15; i++) {
        amdrig_tick(r);
        assert_untouched(r);
    }
}

/* Any one call that fails costs what it was about. */
static void any_call_may_fail(void **state) {
    static const int errors[] = {EIO, EACCES, EMFILE, ENOMEM};
    for (unsigned long at = 1; at < 90; at++) {
        struct amdrig *r = *state;
        put_everything(r);
        amdrig_start(r, NULL);
        r->watch.fail_at = r->watch.made + at;
        r->watch.fail_sys = errors[at % 4];
        for (int i = 0; i < 4; i++) {
            usleep(500);
            amdrig_tick(r);
        }
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_stream_with_its_facts),
        TEST(another_driver_has_nothing_here),
        TEST(what_a_tick_says),
        TEST(second_best_files),
        TEST(files_stay_open),
        TEST(of_several_regulators_the_one_that_says_so),
        TEST(of_several_regulators_none),
        TEST(a_regulator_that_names_its_consumer),
        TEST(nobodys_regulators),
        TEST(voltage_of_the_operating_point),
        TEST(older_tables),
        TEST(a_regulator_is_better_than_a_table),
        TEST(a_table_that_only_root_may_read),
        TEST(whether_engine_time_is_counted),
        TEST(nothing_at_all),
        TEST(no_devfreq),
        TEST(odd_things_in_the_place_of_files),
        TEST(a_sleeping_device_is_not_touched),
        TEST(it_falls_asleep_and_wakes_by_itself),
        TEST(an_idle_device_is_left_alone),
        TEST(any_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
