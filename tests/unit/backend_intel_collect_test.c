/* The collector of i915 and xe: which files and events it reads and how often, that a sleeping device is not touched,
 * that nothing it does keeps a device awake, that failures cost what they show and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "amdrig.h"
#include "backend/intel/intel.h"
#include "sysrig.h"
#include "tree.h"

#define EVENT_SOURCE "sys/bus/event_source/devices/"

static const struct backend *const backends[] = {&backend_intel};
static const struct backend_table table = {backends, 1};

/* ---- devices of the tree ------------------------------------------------------------------------------------ */

static void put_uevent(struct amdrig *r, const char *driver, const char *slot) {
    char text[200];
    snprintf(text, sizeof text,
             "DRIVER=%s\nPCI_CLASS=30000\nPCI_ID=8086:56A5\nPCI_SUBSYS_ID=1849:6004\n"
             "PCI_SLOT_NAME=%s\n",
             driver, slot);
    amdrig_put(r, 0, "uevent", text);
}

static void put_card(struct amdrig *r, const char *file, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "sys/class/drm/card0/%s", file);
    tree_text(r->root, path, "%s", text);
}

static void put_i915(struct amdrig *r, const char *slot) {
    put_uevent(r, "i915", slot);
    put_card(r, "gt/gt0/rps_act_freq_mhz", "600\n");
    put_card(r, "gt/gt0/rps_cur_freq_mhz", "650\n");
    put_card(r, "gt/gt0/rps_max_freq_mhz", "2450\n");
    put_card(r, "gt/gt0/rps_RP0_freq_mhz", "2450\n");
    put_card(r, "gt/gt0/rc6_residency_ms", "6534\n");
    put_card(r, "gt/gt0/throttle_reason_status", "0\n");
    put_card(r, "gt/gt0/throttle_reason_pl1", "0\n");
    put_card(r, "gt_act_freq_mhz", "1\n");
}

static void put_hwmon(struct amdrig *r, const char *driver) {
    char name[16];
    snprintf(name, sizeof name, "%s\n", driver);
    amdrig_put(r, 0, "hwmon/hwmon1/name", "i915_gt0\n");
    amdrig_put(r, 0, "hwmon/hwmon1/energy1_input", "1\n");
    amdrig_put(r, 0, "hwmon/hwmon2/name", name);
    amdrig_put(r, 0, "hwmon/hwmon2/energy1_input", "25637161804\n");
    amdrig_put(r, 0, "hwmon/hwmon2/power1_max", "55000000\n");
    amdrig_put(r, 0, "hwmon/hwmon2/temp7_input", "52000\n");
    amdrig_put(r, 0, "hwmon/hwmon2/temp7_label", "pkg\n");
    amdrig_put(r, 0, "hwmon/hwmon2/temp8_input", "58000\n");
    amdrig_put(r, 0, "hwmon/hwmon2/temp8_label", "vram_ch_4\n");
    amdrig_put(r, 0, "hwmon/hwmon2/pwm1", "0\n");
}

static void put_xe(struct amdrig *r, const char *slot) {
    put_uevent(r, "xe", slot);
    amdrig_put(r, 0, "tile0/gt0/freq0/act_freq", "1950\n");
    amdrig_put(r, 0, "tile0/gt0/gtidle/idle_residency_ms", "100\n");
    amdrig_put(r, 0, "tile0/gt1/freq0/act_freq", "400\n");
    amdrig_put(r, 0, "tile1/gt2/freq0/act_freq", "800\n");
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

static int64_t value_at(const struct amdrig *r, enum metric metric, unsigned index) {
    const struct told_sample *s = told_best(&r->told, metric, index);
    return s && s->sample.state == STATE_VALUE ? s->sample.value : -1;
}

static int64_t value_of(const struct amdrig *r, enum metric metric) {
    return value_at(r, metric, INDEX_NONE);
}

static enum state state_of(const struct amdrig *r, enum metric metric) {
    const struct told_sample *s = told_best(&r->told, metric, INDEX_NONE);
    return s ? (enum state)s->sample.state : STATE_COUNT;
}

/* ---- events of the tree, and calls that stand in for the kernel's -------------------------------------------------- */

/* What the collector's thread asked for; to be looked at when its answer is there. */
static struct {
    struct perf_event_attr attr[64];
    int cpu[64];
    int group[64];
    int fd[64];
    unsigned count;
    unsigned reads;
    int sys; /* opening fails */
    uint64_t time_ns;
} perf;

static int fake_perf_open(void *ctx, const void *attr, int cpu, int group_fd) {
    (void)ctx;
    if (perf.sys != 0 || perf.count == 64) {
        errno = perf.sys;
        return -1;
    }
    memcpy(&perf.attr[perf.count], attr, sizeof perf.attr[0]);
    perf.cpu[perf.count] = cpu;
    perf.group[perf.count] = group_fd;
    perf.fd[perf.count] = open("/dev/null", O_RDONLY);
    return perf.fd[perf.count++];
}

/* The count of an event is its config and 10^6 more with each reading. */
static ssize_t fake_read(void *ctx, int fd, void *to, size_t n) {
    uint64_t *out = to;
    uint64_t found = 0;
    (void)ctx;
    perf.reads++;
    perf.time_ns += 1000000000;
    for (unsigned i = 0; i < perf.count; i++)
        if (perf.fd[i] == fd || perf.group[i] == fd)
            out[2 + found++] = (perf.attr[i].config & 0xffffff) + perf.reads * UINT64_C(1000000);
    out[0] = found;
    out[1] = perf.time_ns;
    return (ssize_t)((2 + found) * 8 <= n ? (2 + found) * 8 : 0);
}

static void start_with_perf(struct amdrig *r) {
    memset(&perf, 0, sizeof perf);
    amdrig_start_kept(r);
    r->watch.io.perf_open = fake_perf_open;
    r->watch.io.read = fake_read;
}

static void put_events(struct amdrig *r, const char *pmu, const char *format, const char *bits,
                       const char *const *events) {
    char path[200];
    snprintf(path, sizeof path, EVENT_SOURCE "%s/type", pmu);
    tree_text(r->root, path, "%s", "23\n");
    snprintf(path, sizeof path, EVENT_SOURCE "%s/cpumask", pmu);
    tree_text(r->root, path, "%s", "3-5,7\n");
    snprintf(path, sizeof path, EVENT_SOURCE "%s/format/%s", pmu, format);
    tree_text(r->root, path, "%s\n", bits);
    for (; *events; events += 2) {
        snprintf(path, sizeof path, EVENT_SOURCE "%s/events/%s", pmu, events[0]);
        tree_text(r->root, path, "%s\n", events[1]);
    }
}

static const char *const i915_events[] = {"rcs0-busy",
                                          "config=0x0",
                                          "rcs0-busy.unit",
                                          "ns",
                                          "vcs1-sema",
                                          "config=0x2012",
                                          "interrupts",
                                          "config=0x100002",
                                          "rc6-residency",
                                          "config=0x100003",
                                          "gpu-temperature",
                                          "config=0x9",
                                          NULL};
static const char *const xe_events[] = {
    "gt-actual-frequency", "event=0x04",          "gt-c6-residency",
    "event=0x01",          "engine-active-ticks", "event=0x02",
    "engine-total-ticks",  "event=0x03",          NULL};
static const char *const energy_events[] = {"energy-gpu",
                                            "event=0x04",
                                            "energy-gpu.scale",
                                            "2.3283064365386962890625e-10",
                                            "energy-pkg",
                                            "event=0x02",
                                            "energy-pkg.scale",
                                            "2.3283064365386962890625e-10",
                                            "energy-cores",
                                            "event=0x01",
                                            NULL};

/* ---- the stream ------------------------------------------------------------------------------------------------------ */

static void one_stream_with_its_facts(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_string_equal(amdrig_frame(r, FRAME_OPEN)->subject.name, "i915");
    assert_string_equal(amdrig_frame(r, FRAME_OPEN)->subject.facts,
                        "pci=8086:56a5\ndriver=i915\napu=0\n");
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 1);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
}

/* The first slot alone does not make it one: a virtual machine gives it to a card as well. */
static void what_shares_its_chip(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:00:02.0");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_non_null(strstr(amdrig_frame(r, FRAME_OPEN)->subject.facts, "apu=1\n"));
}

static void a_card_in_the_first_slot(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:00:02.0");
    put_hwmon(r, "xe");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_non_null(strstr(amdrig_frame(r, FRAME_OPEN)->subject.facts, "apu=0\n"));
}

static void another_driver_has_nothing_here(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    put_uevent(r, "i9155", "0000:0b:00.0");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    assert_int_equal(iowatch_count(&r->watch, 'o', "freq"), 0);
}

/* ---- what is read ------------------------------------------------------------------------------------------------------ */

static void what_a_tick_says(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    put_hwmon(r, "i915");
    amdrig_start(r, NULL);
    for (int i = 0; i < 4; i++) {
        amdrig_tick_until(r, INTEL_HWMON);
        assert_int_equal(value_at(r, METRIC_CLOCK_GT, 0), 600000000);
        assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 600000000);
        assert_int_equal(value_at(r, METRIC_CLOCK_GT_REQUESTED, 0), 650000000);
        assert_int_equal(value_of(r, METRIC_THROTTLE_PL1), 0);
        assert_int_equal(value_of(r, METRIC_THROTTLE_VR_TDC), 0);
        assert_int_equal(value_of(r, METRIC_ENERGY_CARD), INT64_C(25637161804));
        assert_int_equal(value_of(r, METRIC_TEMPERATURE_PKG), 52000);
        assert_int_equal(value_at(r, METRIC_CLOCK_GT_RP0, 0), i == 0 ? 2450000000 : -1);
        assert_int_equal(value_at(r, METRIC_CLOCK_GT_MAX, 0), i == 0 || i == 2 ? 2450000000 : -1);
        assert_int_equal(value_of(r, METRIC_POWER_CAP), i == 0 || i == 2 ? 55000000 : -1);
        assert_int_equal(value_at(r, METRIC_TEMPERATURE_VRAM_CH, 4), i == 0 || i == 2 ? 58000 : -1);
    }
    /* Of the sum of all GTs, another's hwmon and what is not decoded nothing was read. */
    assert_int_equal(iowatch_count(&r->watch, 'o', "gt_act_freq_mhz"), 0);
    assert_int_equal(iowatch_count(&r->watch, 'o', "hwmon1/energy"), 0);
    assert_int_equal(iowatch_count(&r->watch, 'o', "pwm1"), 0);
    assert_int_equal(iowatch_count(&r->watch, 'o', "rps_RP0"), 1);
    assert_int_equal(iowatch_count(&r->watch, 'o', "temp7_label"), 1);
}

static void older_i915_has_no_gts(void **state) {
    struct amdrig *r = *state;
    put_uevent(r, "i915", "0000:00:02.0");
    put_card(r, "gt_act_freq_mhz", "350\n");
    put_card(r, "power/rc6_residency_ms", "12\n");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_at(r, METRIC_CLOCK_GT, 0), 350000000);
    assert_int_equal(value_at(r, METRIC_IDLE_TIME, 0), 12000000);
}

static void every_gt_of_every_tile(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:03:00.0");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_at(r, METRIC_CLOCK_GT, 0), 1950000000);
    assert_int_equal(value_at(r, METRIC_CLOCK_GT, 1), 400000000);
    assert_int_equal(value_at(r, METRIC_CLOCK_GT, 2), 800000000);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 1950000000);
}

/* Reasons cost a read each: they are read where there is one. */
static void reasons_when_there_is_one(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    iowatch_clear(&r->watch);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(iowatch_count(&r->watch, 'o', "throttle_reason_pl1"), 0);
    put_card(r, "gt/gt0/throttle_reason_status", "1\n");
    put_card(r, "gt/gt0/throttle_reason_pl1", "1\n");
    amdrig_tick_until(r, INTEL_SYSFS);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_of(r, METRIC_THROTTLE_PL1), 1);
    put_card(r, "gt/gt0/throttle_reason_status", "0\n");
    amdrig_tick_until(r, INTEL_SYSFS);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_of(r, METRIC_THROTTLE_PL1), 0);
}

#define UPSTREAM "sys/devices/pci0000:00/0000:00:01.0/0000:09:00.0"
#define ARC      UPSTREAM "/0000:0a:01.0/0000:0b:00.0"

static void put_link(struct amdrig *r, const char *device, const char *speed, const char *width) {
    char path[200];
    snprintf(path, sizeof path, "%s/current_link_speed", device);
    tree_text(r->root, path, "%s\n", speed);
    snprintf(path, sizeof path, "%s/current_link_width", device);
    tree_text(r->root, path, "%s\n", width);
}

static void link_of_a_card_with_a_switch(void **state) {
    struct amdrig *r = *state;
    tree_text(r->root, ARC "/uevent", "%s",
              "DRIVER=xe\nPCI_ID=8086:E20B\nPCI_SLOT_NAME=0000:0b:00.0\n");
    sysrig_put_node(r->root, ARC, "drm", "card0", 226, 0);
    put_link(r, ARC, "2.5 GT/s PCIe", "1");
    put_link(r, UPSTREAM, "16.0 GT/s PCIe", "8");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_of(r, METRIC_LINK_SPEED), 16000000000);
    assert_int_equal(value_of(r, METRIC_LINK_WIDTH), 8);
}

static void no_sensors_of_a_card(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:03:00.0");
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++) {
        amdrig_tick_until(r, INTEL_HWMON);
        assert_int_equal(amdrig_frame(r, INTEL_HWMON)->frame.outcome, OUTCOME_GONE);
        assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 1950000000);
    }
}

/* ---- sleep ---------------------------------------------------------------------------------------------------------------- */

/* All that a tick may not do with a sleeping device; the paths are those of the tree. */
static void assert_untouched(struct amdrig *r) {
    static const char *const parts[] = {"hwmon", "freq",  "tile",         "gt0",      "link",
                                        "rc6",   "/dev/", "event_source", "powercap", "port"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (iowatch_count(&r->watch, 0, parts[i]) > 0)
            fail_msg("touched: %s", iowatch_first(&r->watch, 0, parts[i]));
}

static void a_sleeping_device_is_not_touched(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    put_hwmon(r, "i915");
    put_events(r, "i915_0000_0b_00.0", "i915_eventid", "config:0-20", i915_events);
    amdrig_put(r, 0, "power/runtime_status", "suspended\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    tree_text(r->root, "dev/dri/card0", "%s", "");
    tree_text(r->root, "dev/dri/renderD128", "%s", "");
    start_with_perf(r);
    for (int i = 0; i < 50; i++) {
        amdrig_tick(r);
        assert_untouched(r);
        assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    }
    assert_int_equal(perf.count, 0);
}

/* Until no look is under way. */
static void settle(struct amdrig *r) {
    for (int i = 0; i < 2; i++) {
        usleep(50000);
        amdrig_tick(r);
    }
    usleep(50000);
}

static void it_falls_asleep_and_wakes_by_itself(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:03:00.0");
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_put(r, 0, "power/control", "on\n");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    settle(r);
    amdrig_put(r, 0, "power/runtime_status", "suspended\n");
    amdrig_tick(r);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 20; i++) {
        amdrig_tick(r);
        assert_untouched(r);
        assert_int_equal(amdrig_frames(r, INTEL_SYSFS), 0);
    }
    amdrig_put(r, 0, "tile0/gt0/freq0/rp0_freq", "2850\n");
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_at(r, METRIC_CLOCK_GT_RP0, 0), 2850000000);
}

/* Idle, nobody has it open, it manages its power itself: our own reading is no sign of work. */
static void an_idle_device_is_left_alone(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    for (int i = 0; i < 8; i++)
        amdrig_tick(r);
    settle(r);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 15; i++) {
        amdrig_tick(r);
        assert_untouched(r);
    }
}

/* No file of its power: it has no such management, and is awake. */
static void no_power_folder_is_awake(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:00:02.0");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 1950000000);
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static unsigned event_of(uint64_t config) {
    for (unsigned i = 0; i < perf.count; i++)
        if (perf.attr[i].config == config)
            return i;
    fail_msg("no event of config %llx", (unsigned long long)config);
    return 0;
}

static void events_of_i915(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    put_events(r, "i915_0000_0b_00.0", "i915_eventid", "config:0-20", i915_events);
    amdrig_put(r, 0, "power/control", "auto\n");
    start_with_perf(r);
    amdrig_tick_until(r, INTEL_PMU);
    assert_int_equal(perf.count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(perf.attr[i].type, 23);
        assert_int_equal(perf.attr[i].size, sizeof perf.attr[i]);
        assert_int_equal(perf.attr[i].sample_period, 0);
        assert_int_equal(perf.cpu[i], 3);
        assert_int_equal(perf.group[i], i == 0 ? -1 : perf.fd[0]);
    }
    (void)event_of(0);
    (void)event_of(0x2012);
    (void)event_of(0x100002);
    (void)event_of(0x100003);
    amdrig_tick_until(r, INTEL_PMU);
    assert_int_equal(perf.count, 4); /* once for all */
    assert_int_equal(told_named(&r->told, METRIC_ENGINE_BUSY, "rcs0")->sample.value, 1000);
    assert_int_equal(told_named(&r->told, METRIC_ENGINE_BUSY, "rcs0")->sample.class,
                     CLASS_GRAPHICS);
    assert_int_equal(told_named(&r->told, METRIC_ENGINE_SEMA, "vcs1")->sample.value, 1000);
    assert_true(value_of(r, METRIC_INTERRUPTS) > 0);
    assert_int_equal(amdrig_frames(r, INTEL_RAPL), 0); /* a card */
}

/* Any event of xe keeps the device from sleep; those of engines keep its GTs awake. */
static void no_event_of_xe_keeps_it_awake(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:03:00.0");
    put_events(r, "xe_0000_03_00.0", "event", "config:0-11", xe_events);
    tree_text(r->root, EVENT_SOURCE "xe_0000_03_00.0/format/gt", "%s", "config:60-63\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    start_with_perf(r);
    for (int i = 0; i < 3; i++)
        amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(perf.count, 0);
    assert_int_equal(amdrig_frames(r, INTEL_PMU), 0);
}

static void events_of_xe_that_does_not_sleep(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:03:00.0");
    put_events(r, "xe_0000_03_00.0", "event", "config:0-11", xe_events);
    tree_text(r->root, EVENT_SOURCE "xe_0000_03_00.0/format/gt", "%s", "config:60-63\n");
    amdrig_put(r, 0, "power/control", "on\n");
    start_with_perf(r);
    amdrig_tick_until(r, INTEL_PMU);
    assert_int_equal(perf.count, 6); /* two of each GT */
    (void)event_of(0x04);
    (void)event_of(0x1000000000000004);
    (void)event_of(0x2000000000000001);
    amdrig_tick_until(r, INTEL_PMU);
    assert_non_null(strstr(seen_body(amdrig_frame(r, INTEL_PMU)), "gt-c6-residency-gt2="));
}

static void denied_is_said_once(void **state) {
    struct amdrig *r = *state;
    unsigned frames = 0;
    put_i915(r, "0000:00:02.0");
    put_events(r, "i915", "i915_eventid", "config:0-20", i915_events);
    put_events(r, "power", "event", "config:0-7", energy_events);
    start_with_perf(r);
    perf.sys = EACCES;
    for (int i = 0; i < 4; i++) {
        amdrig_tick_until(r, INTEL_RAPL);
        frames += amdrig_frames(r, INTEL_PMU);
        if (i == 0)
            assert_int_equal(amdrig_frame(r, INTEL_PMU)->frame.outcome, OUTCOME_DENIED);
        assert_int_equal(amdrig_frame(r, INTEL_RAPL)->frame.outcome, OUTCOME_DENIED);
        assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 600000000);
    }
    assert_int_equal(frames, 1);
}

/* The numbers of another machine's events would be others here. */
static void another_root_has_no_events(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:00:02.0");
    put_events(r, "i915", "i915_eventid", "config:0-20", i915_events);
    put_events(r, "power", "event", "config:0-7", energy_events);
    amdrig_start(r, NULL);
    memset(&perf, 0, sizeof perf);
    r->watch.io.perf_open = fake_perf_open;
    for (int i = 0; i < 3; i++)
        amdrig_tick_until(r, INTEL_RAPL);
    assert_int_equal(perf.count, 0);
    assert_int_equal(amdrig_frame(r, INTEL_RAPL)->frame.outcome, OUTCOME_GONE);
    assert_int_equal(amdrig_frames(r, INTEL_PMU), 0);
}

/* Events and formats that are none cost themselves only. */
static void broken_events(void **state) {
    static const char *const events[] = {"rcs0-busy", "config=0x",
                                         "rcs1-busy", "",
                                         "rcs2-busy", "moon=0x1",
                                         "rcs3-busy", "config",
                                         "rcs4-busy", "config=0x5,",
                                         "rcs5-busy", "event=0x1000",
                                         "rcs6-busy", "event=0x0f0,wide",
                                         "rcs7-busy", "event=0x1,odd=1",
                                         "rcs8-busy", "=1",
                                         "vcs0-busy", "event=0xabc",
                                         NULL};
    struct amdrig *r = *state;
    put_i915(r, "0000:00:02.0");
    put_events(r, "i915", "event", "config:0-3,8-11,60-63", events);
    tree_text(r->root, EVENT_SOURCE "i915/format/wide", "%s", "config1:7\n");
    tree_text(r->root, EVENT_SOURCE "i915/format/odd", "%s", "config:9-3\n");
    start_with_perf(r);
    amdrig_tick_until(r, INTEL_PMU);
    for (unsigned i = 0; i < perf.count; i++)
        assert_true(perf.attr[i].config == 1 || perf.attr[i].config == 0x5 ||
                    perf.attr[i].config == UINT64_C(0xf00) ||
                    perf.attr[i].config == UINT64_C(0xa000000000000b0c));
    assert_int_equal(perf.attr[event_of(UINT64_C(0xa000000000000b0c))].config1, 0);
    assert_int_equal(perf.attr[event_of(UINT64_C(0xf00))].config1, 1 << 7);
}

static void energy_of_the_package(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:00:02.0");
    put_events(r, "power", "event", "config:0-7", energy_events);
    start_with_perf(r);
    amdrig_tick_until(r, INTEL_RAPL);
    assert_int_equal(perf.count, 2);
    assert_int_equal(perf.attr[0].config, 4);
    assert_int_equal(perf.attr[1].config, 2);
    assert_int_equal(value_of(r, METRIC_ENERGY_GPU), 233); /* 1000004 x 2^-32 J */
    assert_int_equal(value_of(r, METRIC_ENERGY_PKG), 233);
}

static void energy_by_powercap(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:00:02.0");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0/name", "%s", "package-0\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0/energy_uj", "%s", "500\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "%s", "1000\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0:0/name", "%s", "core\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0:0/energy_uj", "%s", "5\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0:1/name", "%s", "uncore\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0:1/energy_uj", "%s", "990\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0:1/max_energy_range_uj", "%s", "1000\n");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, INTEL_RAPL);
    assert_int_equal(value_of(r, METRIC_ENERGY_GPU), 0);
    tree_text(r->root, "sys/class/powercap/intel-rapl:0/energy_uj", "%s", "700\n");
    tree_text(r->root, "sys/class/powercap/intel-rapl:0:1/energy_uj", "%s", "20\n");
    settle(r);
    amdrig_tick_until(r, INTEL_RAPL);
    assert_int_equal(value_of(r, METRIC_ENERGY_PKG), 200);
    assert_int_equal(value_of(r, METRIC_ENERGY_GPU), 30);
    iowatch_fail(&r->watch, 'o', "energy_uj", EACCES);
    settle(r);
    amdrig_tick_until(r, INTEL_RAPL);
    assert_int_equal(amdrig_frame(r, INTEL_RAPL)->frame.outcome, OUTCOME_DENIED);
    assert_true(state_of(r, METRIC_ENERGY_GPU) != STATE_VALUE);
}

/* Events of this very kernel under the names of i915's: its software clock counts all the time. */
static void events_of_this_kernel(void **state) {
    static const char *const events[] = {"rcs0-busy", "config=0x0", NULL};
    struct amdrig *r = *state;
    if (syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0) == -1 && errno == ENOSYS)
        skip(); /* a kernel, or what stands in for one, without events */
    put_i915(r, "0000:00:02.0");
    put_events(r, "i915", "i915_eventid", "config:0-20", events);
    tree_text(r->root, EVENT_SOURCE "i915/type", "%s", "1\n");
    tree_text(r->root, EVENT_SOURCE "i915/cpumask", "%s", "0\n");
    amdrig_start_kept(r);
    r->watch.io.perf_open = host_io_posix.perf_open;
    r->watch.io.read = host_io_posix.read;
    amdrig_tick_until(r, INTEL_PMU);
    if (amdrig_frame(r, INTEL_PMU)->frame.outcome != OUTCOME_OK)
        skip();
    settle(r);
    amdrig_tick_until(r, INTEL_PMU);
    const struct told_sample *busy = told_named(&r->told, METRIC_ENGINE_BUSY, "rcs0");
    assert_non_null(busy);
    assert_int_equal(busy->sample.state, STATE_VALUE);
    assert_in_range(busy->sample.value, 900000, 1000000);
}

/* ---- failures ---------------------------------------------------------------------------------------------------------------- */

static void a_denied_file_costs_itself(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:0b:00.0");
    put_hwmon(r, "i915");
    amdrig_start(r, NULL);
    iowatch_fail(&r->watch, 'o', "energy1_input", EACCES);
    amdrig_tick_until(r, INTEL_HWMON);
    assert_int_equal(value_of(r, METRIC_ENERGY_CARD), -1);
    assert_int_equal(value_of(r, METRIC_TEMPERATURE_PKG), 52000);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 600000000);
}

static void a_device_without_its_folder(void **state) {
    struct amdrig *r = *state;
    put_xe(r, "0000:03:00.0");
    amdrig_start(r, NULL);
    iowatch_fail(&r->watch, 'o', "card0/device", EIO);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(amdrig_frame(r, INTEL_SYSFS)->frame.outcome, OUTCOME_FAILED);
    iowatch_fail(&r->watch, 'o', NULL, 0);
    settle(r);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 1950000000);
}

/* Whichever call fails, nothing is left open and the next look is whole. */
static void any_call_may_fail(void **state) {
    struct amdrig *base = *state;
    for (unsigned long at = 1; at < 160; at += 3) {
        struct amdrig r;
        amdrig_init(&r);
        r.table = &table;
        put_xe(&r, "0000:00:02.0");
        put_hwmon(&r, "xe");
        put_events(&r, "power", "event", "config:0-7", energy_events);
        start_with_perf(&r);
        r.watch.fail_sys = EIO;
        r.watch.fail_at = at;
        for (int i = 0; i < 3; i++)
            amdrig_tick(&r);
        amdrig_finish(&r);
    }
    (void)base;
}

/* Where no descriptor may be kept open each file is opened anew, and no event is opened. */
static void nothing_may_be_kept(void **state) {
    struct amdrig *r = *state;
    put_i915(r, "0000:00:02.0");
    put_events(r, "i915", "i915_eventid", "config:0-20", i915_events);
    start_with_perf(r);
    r->host->keep_left = 0;
    amdrig_tick_until(r, INTEL_SYSFS);
    amdrig_tick_until(r, INTEL_SYSFS);
    assert_int_equal(value_of(r, METRIC_CLOCK_GFX), 600000000);
    assert_int_equal(perf.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_stream_with_its_facts),
        TEST(what_shares_its_chip),
        TEST(a_card_in_the_first_slot),
        TEST(another_driver_has_nothing_here),
        TEST(what_a_tick_says),
        TEST(older_i915_has_no_gts),
        TEST(every_gt_of_every_tile),
        TEST(reasons_when_there_is_one),
        TEST(link_of_a_card_with_a_switch),
        TEST(no_sensors_of_a_card),
        TEST(a_sleeping_device_is_not_touched),
        TEST(it_falls_asleep_and_wakes_by_itself),
        TEST(an_idle_device_is_left_alone),
        TEST(no_power_folder_is_awake),
        TEST(events_of_i915),
        TEST(no_event_of_xe_keeps_it_awake),
        TEST(events_of_xe_that_does_not_sleep),
        TEST(denied_is_said_once),
        TEST(another_root_has_no_events),
        TEST(broken_events),
        TEST(energy_of_the_package),
        TEST(energy_by_powercap),
        TEST(events_of_this_kernel),
        TEST(a_denied_file_costs_itself),
        TEST(a_device_without_its_folder),
        TEST(any_call_may_fail),
        TEST(nothing_may_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
