/* The collector of a device: what it reads and how often, that a sleeping device is not touched, that failures
 * and slow files cost what they show and nothing else. */
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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "amdrig.h"
#include "backend/amdgpu/device.h"
#include "scratch.h"
#include "tree.h"

#define SECOND_NS INT64_C(1000000000)

static void put_bytes(struct amdrig *r, const char *file, const void *bytes, size_t n) {
    char path[300];
    amdrig_put(r, 0, file, "");
    snprintf(path, sizeof path, "%s/sys/class/drm/card0/device/%s", r->root, file);
    file_write(path, bytes, n);
}

/* A table v1.3 in which only these are set. */
static void put_table(struct amdrig *r, unsigned gfx_percent, unsigned edge_degc) {
    uint8_t table[120];
    memset(table, 0xff, sizeof table);
    table[0] = sizeof table;
    table[1] = 0;
    table[2] = 1;
    table[3] = 3;
    table[4] = (uint8_t)edge_degc;
    table[5] = 0;
    table[16] = (uint8_t)gfx_percent;
    table[17] = 0;
    put_bytes(r, "gpu_metrics", table, sizeof table);
}

static void drop(struct amdrig *r, const char *file) {
    char path[300];
    snprintf(path, sizeof path, "sys/class/drm/card0/device/%s", file);
    tree_drop(r->root, path);
}

static int set_up(void **state) {
    struct amdrig *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    amdrig_init(r);
    amdrig_device(r, 0, "0000:03:00.0", "1002:73BF");
    amdrig_sensors(r, 0);
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
    if (!s || s->sample.state != STATE_VALUE)
        return -1;
    return s->sample.value;
}

static enum state state_of(const struct amdrig *r, enum metric metric) {
    const struct told_sample *s = told_best(&r->told, metric, INDEX_NONE);
    return s ? (enum state)s->sample.state : STATE_COUNT;
}

/* Until no look is under way. */
static void settle(struct amdrig *r) {
    usleep(50000);
    amdrig_tick(r); /* what came late, and another one */
    usleep(50000);
    amdrig_tick(r);
    usleep(50000);
}

/* ---- the stream ------------------------------------------------------------------------------------------ */

static void one_stream_with_its_facts(void **state) {
    struct amdrig *r = *state;
    const struct seen_frame *open;
    amdrig_put(r, 0, "fw_version/smc_fw_version", "0x003a5600\n");
    amdrig_put(r, 0, "revision", "0xc1\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    open = amdrig_frame(r, FRAME_OPEN);
    assert_non_null(open);
    assert_string_equal(open->subject.name, "amdgpu");
    assert_string_equal(open->subject.facts,
                        "pci=1002:73bf\nsubsystem=148c:2427\nrevision=c1\ndriver=amdgpu\n"
                        "fw.smc=0x003a5600\napu=0\n");
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 1);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
}

/* A chip that no list has is an APU where it has the voltage of its north bridge. */
static void an_unknown_chip_shows_what_it_is(void **state) {
    struct amdrig *r = *state;
    amdrig_device(r, 0, "0000:03:00.0", "1002:FFF0");
    amdrig_put(r, 0, "hwmon/hwmon3/in1_label", "vddnb\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_non_null(strstr(amdrig_frame(r, FRAME_OPEN)->subject.facts, "apu=1\n"));
}

static void another_driver_has_nothing_here(void **state) {
    struct amdrig *r = *state;
    amdrig_put(r, 0, "uevent", "DRIVER=radeon\nPCI_SLOT_NAME=0000:03:00.0\n");
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++) {
        amdrig_tick(r);
        assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    }
    assert_int_equal(iowatch_count(&r->watch, 'o', "hwmon"), 0);
}

static void what_a_tick_says(void **state) {
    struct amdrig *r = *state;
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++) {
        amdrig_tick_until(r, AMDGPU_HWMON);
        assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 0);
        assert_int_equal(value_of(r, METRIC_MEMORY_VRAM_USED), 1000);
        assert_int_equal(value_of(r, METRIC_TEMPERATURE_EDGE), 51000);
        assert_int_equal(value_of(r, METRIC_POWER_SOCKET), 8000000);
        assert_int_equal(value_of(r, METRIC_VOLTAGE_GFX), 775000);
        assert_int_equal(value_of(r, METRIC_FAN_SPEED), 900);
        assert_int_equal(value_of(r, METRIC_MEMORY_VRAM_TOTAL), i == 0 ? 4000 : -1); /* once */
    }
}

/* ---- sleep ------------------------------------------------------------------------------------------------ */

/* All that a tick may do with a sleeping device; the paths are those of the tree. */
static void assert_untouched(struct amdrig *r) {
    static const char *const parts[] = {"hwmon", "gpu_metrics", "pp_dpm", "busy", "mem_info",
                                        "link",  "fw_version",  "pcie",   "/dev/"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (iowatch_count(&r->watch, 0, parts[i]) > 0)
            fail_msg("touched: %s", iowatch_first(&r->watch, 0, parts[i]));
}

static void a_sleeping_device_is_not_touched(void **state) {
    struct amdrig *r = *state;
    put_table(r, 64, 36);
    amdrig_put(r, 0, "power/runtime_status", "suspended\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    tree_text(r->root, "dev/dri/card0", "%s", "");
    tree_text(r->root, "dev/dri/renderD128", "%s", "");
    amdrig_start(r, "option.pcie-bw=1\n");
    for (int i = 0; i < 50; i++) {
        amdrig_tick(r);
        assert_untouched(r);
        assert_int_equal(amdrig_frames(r, FRAME_OPEN), 0);
    }
    assert_true(iowatch_count(&r->watch, 'r', "power/runtime_status") >= 50);
}

static void it_falls_asleep_and_wakes_by_itself(void **state) {
    struct amdrig *r = *state;
    put_table(r, 64, 36);
    amdrig_put(r, 0, "gpu_busy_percent", "64\n");
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, AMDGPU_GPU_METRICS);
    settle(r);
    amdrig_put(r, 0, "power/runtime_status", "suspended\n");
    amdrig_tick(r);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 20; i++) {
        amdrig_tick(r);
        assert_untouched(r);
        assert_int_equal(amdrig_frames(r, AMDGPU_SYSFS), 0);
    }
    amdrig_put(r, 0, "mem_info_vram_total", "5000\n");
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(value_of(r, METRIC_MEMORY_VRAM_TOTAL), 5000);
    assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 640000);
}

/* Idle, nobody has it open, it manages its power itself: nothing but its status is read, for a while. */
static void an_idle_device_is_left_alone(void **state) {
    struct amdrig *r = *state;
    unsigned alone = 0;
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    amdrig_start(r, NULL);
    for (int i = 0; i < 12; i++) {
        amdrig_tick(r);
        usleep(2000);
    }
    usleep(100000);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 20; i++) {
        amdrig_tick(r);
        alone += iowatch_count(&r->watch, 0, "hwmon") == 0;
    }
    assert_int_equal(alone, 20);
    assert_untouched(r);
    amdrig_tick_until(r, AMDGPU_SYSFS); /* and then it is looked at again */
}

/* The folder is not there on machines without power management: the device is awake. */
static void no_power_folder_is_awake(void **state) {
    struct amdrig *r = *state;
    amdrig_start(r, NULL);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 0);
}

/* ---- what is missing, and what fails ---------------------------------------------------------------------- */

/* As with power management switched off: memory is there, sensors are not, tick after tick. */
static void without_sensors(void **state) {
    struct amdrig *r = *state;
    static const char *const gone[] = {"hwmon", "gpu_busy_percent", "pp_dpm_sclk", "pp_dpm_mclk"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        drop(r, gone[i]);
    amdrig_start(r, NULL);
    for (int i = 0; i < 6; i++) {
        amdrig_tick_until(r, AMDGPU_SYSFS);
        assert_int_equal(value_of(r, METRIC_MEMORY_VRAM_USED), 1000);
        assert_int_equal(value_of(r, METRIC_MEMORY_GTT_USED), 10);
        assert_int_equal(state_of(r, METRIC_ACTIVITY_GFX), STATE_UNSUPPORTED);
        assert_int_equal(amdrig_frame(r, AMDGPU_HWMON)->frame.outcome, OUTCOME_GONE);
        assert_int_equal(amdrig_frame(r, AMDGPU_HWMON)->frame.sys, ENOENT);
    }
}

static void an_empty_folder(void **state) {
    struct amdrig *r = *state;
    drop(r, "");
    amdrig_device(r, 0, "0000:03:00.0", "1002:73BF");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(state_of(r, METRIC_MEMORY_VRAM_USED), STATE_UNSUPPORTED);
    assert_int_equal(state_of(r, METRIC_LINK_SPEED), STATE_UNSUPPORTED);
}

/* A table that opens but cannot be read, or is empty, hides nothing that other files say. */
static void a_table_that_cannot_be_read(void **state) {
    static const int errors[] = {EOPNOTSUPP, EPERM, EBUSY, EIO, 0};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct amdrig *r;
        const struct seen_frame *table;
        tear_down(state);
        set_up(state);
        r = *state;
        put_bytes(r, "gpu_metrics", "", 0);
        amdrig_put(r, 0, "gpu_busy_percent", "37\n");
        amdrig_start(r, NULL);
        if (errors[i] != 0)
            iowatch_fail(&r->watch, 'r', "gpu_metrics", errors[i]);
        amdrig_tick_until(r, AMDGPU_GPU_METRICS);
        table = amdrig_frame(r, AMDGPU_GPU_METRICS);
        assert_int_equal(table->frame.sys, errors[i]);
        assert_int_equal(table->frame.outcome, outcome_from_sys(errors[i]));
        for (int tick = 0; tick < 4; tick++) {
            assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 370000);
            assert_int_equal(value_of(r, METRIC_TEMPERATURE_EDGE), 51000);
            amdrig_tick_until(r, AMDGPU_HWMON);
            assert_int_equal(amdrig_frames(r, AMDGPU_GPU_METRICS), 0);
        }
    }
}

/* What is no table that gwtop knows is a frame all the same, and the other files are read in each tick. */
static void a_damaged_table(void **state) {
    struct amdrig *r = *state;
    put_bytes(r, "gpu_metrics", "\0\0\1\3 nonsense", 13);
    amdrig_put(r, 0, "gpu_busy_percent", "37\n");
    amdrig_start(r, NULL);
    for (int i = 0; i < 4; i++) {
        amdrig_tick_until(r, AMDGPU_HWMON);
        assert_true(amdrig_frames(r, AMDGPU_GPU_METRICS) > 0);
        assert_true(r->told.counts.malformed >= 13);
        assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 370000);
    }
}

/* After a failure the table rests for 1 s, then 2 s: each read would be a line in the kernel's log. */
static void failures_are_not_repeated_at_once(void **state) {
    struct amdrig *r = *state;
    int64_t start_ns;
    put_table(r, 64, 36);
    amdrig_start(r, NULL);
    iowatch_fail(&r->watch, 'r', "gpu_metrics", EBUSY);
    start_ns = clock_mono_ns();
    while (clock_mono_ns() - start_ns < 1500 * (SECOND_NS / 1000)) {
        amdrig_tick(r);
        usleep(20000);
    }
    assert_int_equal(iowatch_count(&r->watch, 'r', "gpu_metrics"), 2);
    iowatch_fail(&r->watch, 0, NULL, 0);
    while (clock_mono_ns() - start_ns < 3500 * (SECOND_NS / 1000)) {
        amdrig_tick(r);
        usleep(20000);
    }
    assert_true(iowatch_count(&r->watch, 'r', "gpu_metrics") > 3);
    amdrig_tick_until(r, AMDGPU_GPU_METRICS);
    assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 640000);
}

static void one_denied_file_costs_itself(void **state) {
    struct amdrig *r = *state;
    amdrig_start(r, NULL);
    iowatch_fail(&r->watch, 'o', "mem_info_vram_used", EACCES);
    for (int i = 0; i < 3; i++) {
        amdrig_tick_until(r, AMDGPU_SYSFS);
        assert_int_equal(state_of(r, METRIC_MEMORY_VRAM_USED), STATE_DENIED);
        assert_int_equal(value_of(r, METRIC_MEMORY_GTT_USED), 10);
    }
}

/* Whatever call fails, once, when all is looked for anew: the tick is whole, and a later one says all again. */
static void any_one_call_may_fail(void **state) {
    struct amdrig *r = *state;
    unsigned long calls = 1;
    put_table(r, 64, 36);
    amdrig_start(r, NULL);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    for (unsigned long n = 0; n <= calls; n++) {
        unsigned long before = r->watch.made;
        r->watch.fail_sys = n % 3 == 0 ? EIO : n % 3 == 1 ? EACCES : ENOENT;
        r->watch.fail_at = n == 0 ? 0 : before + n;
        r->now_ns += 10 * SECOND_NS; /* the device may have slept */
        amdrig_tick(r);
        calls = n == 0 ? r->watch.made - before : calls;
        for (int i = 0; i < 100 && (value_of(r, METRIC_MEMORY_GTT_TOTAL) < 0 ||
                                    value_of(r, METRIC_MEMORY_GTT_USED) < 0);
             i++) {
            usleep(1000);
            r->now_ns += i % 4 == 3 ? 10 * SECOND_NS : 0;
            amdrig_tick(r);
        }
        assert_int_equal(value_of(r, METRIC_MEMORY_GTT_TOTAL), 40);
        assert_int_equal(value_of(r, METRIC_MEMORY_GTT_USED), 10);
    }
    assert_true(calls > 100);
}

/* ---- how much is read -------------------------------------------------------------------------------------- */

/* What the table says is confirmed by others now and then; what it does not say is read in each tick. */
static void the_table_stands_for_others(void **state) {
    struct amdrig *r = *state;
    put_table(r, 64, 36);
    amdrig_put(r, 0, "gpu_busy_percent", "65\n");
    amdrig_start(r, NULL);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 8; i++) {
        amdrig_tick_until(r, AMDGPU_SYSFS);
        assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 640000);
        assert_int_equal(value_of(r, METRIC_TEMPERATURE_EDGE), 36000);
        assert_int_equal(value_of(r, METRIC_POWER_SOCKET), 8000000);
    }
    assert_true(iowatch_count(&r->watch, 'r', "gpu_metrics") >= 8);
    assert_true(iowatch_count(&r->watch, 'r', "power1_average") >= 8);
    assert_true(iowatch_count(&r->watch, 'r', "mem_info_vram_used") >= 8);
    assert_int_equal(iowatch_count(&r->watch, 'r', "gpu_busy_percent"), 0);
    assert_int_equal(iowatch_count(&r->watch, 'r', "temp1_input"), 0);
}

/* When the table fails, the others stand in in the same tick. */
static void others_stand_in_for_the_table(void **state) {
    struct amdrig *r = *state;
    put_table(r, 64, 36);
    amdrig_put(r, 0, "gpu_busy_percent", "65\n");
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++)
        amdrig_tick_until(r, AMDGPU_SYSFS);
    settle(r);
    iowatch_fail(&r->watch, 'r', "gpu_metrics", EPERM);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 650000);
    assert_int_equal(value_of(r, METRIC_TEMPERATURE_EDGE), 51000);
}

/* The value of a table that says nothing (as BC-250's does of its activity) is that of the other file. */
static void a_table_without_activity(void **state) {
    struct amdrig *r = *state;
    uint8_t table[128];
    memset(table, 0xff, sizeof table);
    memcpy(table, "\x80\0\2\2", 4);
    put_bytes(r, "gpu_metrics", table, sizeof table);
    amdrig_put(r, 0, "gpu_busy_percent", "42\n");
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++) {
        amdrig_tick_until(r, AMDGPU_SYSFS);
        assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 420000);
    }
}

/* Live, descriptors are kept: a steady tick opens nothing of the device, and reads what is new. */
static void files_are_kept_open(void **state) {
    struct amdrig *r = *state;
    char path[300];
    long before;
    put_table(r, 64, 36);
    amdrig_start_kept(r);
    before = r->host->keep_left;
    amdrig_tick_until(r, AMDGPU_SYSFS);
    for (int i = 0; i < 3; i++)
        amdrig_tick_until(r, AMDGPU_SYSFS);
    snprintf(path, sizeof path, "%s/sys/class/drm/card0/device/mem_info_vram_used", r->root);
    file_write(path, "2000\n", 5);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 5; i++)
        amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(value_of(r, METRIC_MEMORY_VRAM_USED), 2000);
    assert_int_equal(iowatch_count(&r->watch, 'o', "/device/") -
                         iowatch_count(&r->watch, 'o', "/power/") -
                         iowatch_count(&r->watch, 'o', "uevent"),
                     0);
    assert_true(r->host->keep_left < before);
    r->live->ops->close(r->live);
    r->live = NULL;
    assert_int_equal(r->host->keep_left, before);
}

static void calls_are_counted(void **state) {
    struct amdrig *r = *state;
    uint64_t most = 0;
    amdrig_start(r, NULL);
    for (int i = 0; i < 4; i++) {
        uint32_t at = 0;
        uint64_t calls;
        amdrig_tick_until(r, AMDGPU_SYSFS);
        calls = facts_u64(
            seen_body(seen_next(&r->seen, &at, (struct seen_want){FRAME_END, -1, -1, -1})),
            "syscalls", 0);
        most = calls > most ? calls : most;
    }
    assert_true(most > 100); /* of the first look: each file is opened, read and closed */
}

/* ---- slow files --------------------------------------------------------------------------------------------- */

/* Who opens the table waits until the other end of this pipe is closed. */
static int slow_gate[2];
static int (*real_open)(void *ctx, int dir_fd, const char *path, int flags);

static int slow_open(void *ctx, int dir_fd, const char *path, int flags) {
    static const char table[] = "gpu_metrics";
    size_t n = strlen(path);
    char byte;
    if (n >= sizeof table - 1 && strcmp(path + n - (sizeof table - 1), table) == 0)
        assert_int_equal(read(slow_gate[0], &byte, 1), 0);
    return real_open(ctx, dir_fd, path, flags);
}

static void a_slow_file_delays_no_tick(void **state) {
    struct amdrig *r = *state;
    char path[300];
    int64_t quickest_ns = INT64_MAX;
    snprintf(path, sizeof path, "%s/sys/class/drm/card0/device/gpu_metrics", r->root);
    assert_int_equal(mkfifo(path, 0600), 0); /* what is no file cannot be read either */
    assert_int_equal(pipe(slow_gate), 0);
    amdrig_start(r, NULL);
    real_open = r->watch.io.open;
    r->watch.io.open = slow_open;
    for (int i = 0; i < 10; i++) {
        int64_t start_ns = clock_mono_ns();
        int64_t took_ns;
        amdrig_tick(r);
        took_ns = clock_mono_ns() - start_ns;
        quickest_ns = took_ns < quickest_ns ? took_ns : quickest_ns;
        assert_true(took_ns < SECOND_NS);
        assert_int_equal(amdrig_frames(r, AMDGPU_SYSFS), 0);
    }
    assert_true(quickest_ns < SECOND_NS / 20);
    usleep(300000);
    close(slow_gate[1]);
    /* Its result comes late, with its own time; then the others are read, and it rests. */
    amdrig_tick_until(r, AMDGPU_GPU_METRICS);
    assert_int_equal(amdrig_frame(r, AMDGPU_GPU_METRICS)->frame.sys, ESPIPE);
    amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(value_of(r, METRIC_ACTIVITY_GFX), 0);
    for (int i = 0; i < 5; i++) {
        amdrig_tick_until(r, AMDGPU_SYSFS);
        assert_int_equal(amdrig_frames(r, AMDGPU_GPU_METRICS), 0);
    }
    close(slow_gate[0]);
}

static void bandwidth_is_read_when_asked_for(void **state) {
    struct amdrig *r = *state;
    amdrig_put(r, 0, "pcie_bw", "6641 815 256\n");
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++)
        amdrig_tick_until(r, AMDGPU_SYSFS);
    assert_int_equal(iowatch_count(&r->watch, 0, "pcie_bw"), 0);
    amdrig_finish(r);
    amdrig_init(r);
    amdrig_device(r, 0, "0000:03:00.0", "1002:73BF");
    amdrig_put(r, 0, "pcie_bw", "6641 815 256\n");
    amdrig_start(r, "option.pcie-bw=1\n");
    amdrig_tick_until(r, AMDGPU_PCIE_BW);
    assert_int_equal(value_of(r, METRIC_BANDWIDTH_LINK_RECEIVED), 6641 * 256);
    assert_string_equal(amdrig_frame(r, AMDGPU_PCIE_BW)->subject.name, "pcie_bw");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(one_stream_with_its_facts),
        TEST(an_unknown_chip_shows_what_it_is),
        TEST(another_driver_has_nothing_here),
        TEST(what_a_tick_says),
        TEST(a_sleeping_device_is_not_touched),
        TEST(it_falls_asleep_and_wakes_by_itself),
        TEST(an_idle_device_is_left_alone),
        TEST(no_power_folder_is_awake),
        TEST(without_sensors),
        TEST(an_empty_folder),
        TEST(a_table_that_cannot_be_read),
        TEST(a_damaged_table),
        TEST(failures_are_not_repeated_at_once),
        TEST(one_denied_file_costs_itself),
        TEST(any_one_call_may_fail),
        TEST(the_table_stands_for_others),
        TEST(others_stand_in_for_the_table),
        TEST(a_table_without_activity),
        TEST(files_are_kept_open),
        TEST(calls_are_counted),
        TEST(a_slow_file_delays_no_tick),
        TEST(bandwidth_is_read_when_asked_for),
    };
#undef TEST
    return cmocka_run_group_tests_name("amdgpu collect", tests, NULL, NULL);
}
