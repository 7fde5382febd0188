/*
 * Folders of real devices, collected live under a root of the test, against what a person read in them. They stand
 * outside the repository, in $GWTOP_CAPTURES/sysfs (default ../shared/data); where they are not, the test is
 * skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amdrig.h"
#include "backend/amdgpu/device.h"

#define MHZ(n)     INT64_C(n) * 1000000
#define WATT(n)    (int64_t)((n)*1e6 + 0.5)
#define VOLT(n)    (int64_t)((n)*1e6 + 0.5)
#define DEGC(n)    (int64_t)((n)*1e3)
#define PERCENT(n) (int64_t)((n)*1e4 + 0.5)

enum { NONE = -1 };

struct reading {
    int metric;
    int64_t value; /* NONE: none, and the state below */
    enum state state;
    const char *name; /* of this file or field; NULL: of the source that is shown */
};

#define VALUE(metric, value)                                                                       \
    { METRIC_##metric, value, STATE_VALUE, NULL }
#define SAYS(metric, name, value)                                                                  \
    { METRIC_##metric, value, STATE_VALUE, name }
#define LACKS(metric)                                                                              \
    { METRIC_##metric, NONE, STATE_UNSUPPORTED, NULL }
#define SILENT(metric)                                                                             \
    { METRIC_##metric, NONE, STATE_COUNT, NULL } /* nothing is said */

static const struct capture {
    const char *tree;
    const char *facts[4]; /* lines of the stream's facts */
    struct reading readings[26];
} captures[] = {
    {"amdgpu-vega56/card0",
     {"pci=1002:687f\n", "subsystem=1043:0555\n", "apu=0\n"},
     {VALUE(ACTIVITY_GFX, 0),
      VALUE(MEMORY_VRAM_USED, 16613376),
      VALUE(MEMORY_VRAM_TOTAL, 8573157376),
      VALUE(MEMORY_VRAM_VISIBLE_TOTAL, 268435456),
      VALUE(MEMORY_GTT_USED, 12337152),
      VALUE(TEMPERATURE_EDGE, DEGC(38)),
      VALUE(TEMPERATURE_HOTSPOT, DEGC(38)),
      VALUE(TEMPERATURE_MEM, DEGC(39)),
      VALUE(TEMPERATURE_HOTSPOT_CRIT, DEGC(105)),
      VALUE(POWER_SOCKET, WATT(8)),
      VALUE(POWER_CAP, WATT(260)),
      VALUE(POWER_CAP_MAX, WATT(390)),
      VALUE(FAN_SPEED, 5),
      VALUE(FAN_PWM, 0),
      VALUE(CLOCK_GFX, MHZ(26)),
      SAYS(CLOCK_GFX, "pp_dpm_sclk", MHZ(852)),
      VALUE(CLOCK_GFX_MIN, MHZ(852)),
      VALUE(CLOCK_GFX_MAX, MHZ(1590)),
      VALUE(CLOCK_MEM, MHZ(167)),
      VALUE(CLOCK_SOC, MHZ(600)),
      VALUE(VOLTAGE_GFX, VOLT(0.762)),
      VALUE(LINK_SPEED, 8000000000),
      VALUE(LINK_WIDTH, 16),
      VALUE(LINK_SPEED_MAX, 8000000000),
      SILENT(ACTIVITY_MEM)}},
    {"amdgpu-vega64-procfs/card0",
     {"pci=1002:687f\n"},
     {VALUE(ACTIVITY_GFX, PERCENT(4)), VALUE(MEMORY_VRAM_USED, 1490378752),
      VALUE(MEMORY_VRAM_TOTAL, 8573157376), VALUE(MEMORY_GTT_USED, 144560128),
      VALUE(MEMORY_GTT_TOTAL, 8573157376), VALUE(CLOCK_GFX, MHZ(852)), VALUE(CLOCK_MEM, MHZ(167)),
      VALUE(CLOCK_SOC, MHZ(720)), VALUE(LINK_SPEED, 8000000000)}},
    {"amdgpu-vangogh/card0",
     {"pci=1002:163f\n", "apu=1\n"},
     {VALUE(ACTIVITY_GFX, 0), VALUE(TEMPERATURE_EDGE, DEGC(56)), VALUE(POWER_SOCKET, WATT(3.218)),
      VALUE(POWER_SOCKET_AVERAGE, WATT(3.218)), VALUE(POWER_SOCKET_CURRENT, WATT(4.057)),
      VALUE(POWER_CAP, WATT(15)), VALUE(POWER_SOCKET_FAST, WATT(3.040)),
      VALUE(POWER_CAP_FAST, WATT(15)), VALUE(CLOCK_GFX, MHZ(200)), VALUE(CLOCK_MEM, MHZ(687)),
      VALUE(CLOCK_MEM_MAX, MHZ(687)), VALUE(CLOCK_SOC, MHZ(400)), VALUE(VOLTAGE_SOC, VOLT(0.669)),
      LACKS(MEMORY_VRAM_USED), LACKS(MEMORY_VRAM_TOTAL), LACKS(FAN_SPEED), SILENT(FAN_PWM)}},
    {"amdgpu-phoenix/card1",
     {"pci=1002:15bf\n", "fw.smc=0x004c6000\n", "revision=dd\n", "apu=1\n"},
     {SAYS(ACTIVITY_GFX, "gpu_busy_percent", 0),
      VALUE(ACTIVITY_GFX, PERCENT(0.79)), /* of gpu_metrics, finer */
      VALUE(MEMORY_VRAM_USED, 1272893440),
      VALUE(MEMORY_VRAM_TOTAL, 4294967296),
      VALUE(MEMORY_GTT_USED, 211398656),
      VALUE(MEMORY_GTT_TOTAL, 31433977856),
      VALUE(TEMPERATURE_EDGE, DEGC(25)),
      SAYS(POWER_SOCKET, "power1_average", WATT(3.103)),
      SAYS(POWER_SOCKET_CURRENT, "power1_input", WATT(3.142)),
      VALUE(POWER_SOCKET, WATT(3.401)),
      VALUE(CLOCK_GFX, MHZ(800)),
      SAYS(CLOCK_GFX, "freq1_input", MHZ(800)),
      VALUE(CLOCK_GFX_MAX, MHZ(2700)),
      VALUE(VOLTAGE_GFX, VOLT(0.814)),
      VALUE(VOLTAGE_SOC, VOLT(0.615)),
      LACKS(FAN_SPEED),
      SILENT(POWER_CAP),
      VALUE(CLOCK_FABRIC, MHZ(400)),
      VALUE(CLOCK_FABRIC_MAX, MHZ(1600)),
      SAYS(CLOCK_VCN, "pp_dpm_vclk", MHZ(800))}},
    {"amdgpu-strixpoint/card1",
     {"pci=1002:150e\n", "fw.smc=0x0b5d0400\n", "apu=1\n"},
     {VALUE(ACTIVITY_GFX, PERCENT(3)), SAYS(ACTIVITY_GFX, "gpu_busy_percent", PERCENT(3)),
      VALUE(MEMORY_VRAM_USED, 514580480), VALUE(MEMORY_VRAM_TOTAL, 536870912),
      VALUE(MEMORY_GTT_USED, 3946811392), VALUE(MEMORY_GTT_TOTAL, 16441004032),
      VALUE(TEMPERATURE_EDGE, DEGC(38)), SAYS(POWER_SOCKET, "power1_average", WATT(9.087)),
      VALUE(POWER_SOCKET, WATT(9.839)), SAYS(CLOCK_GFX, "freq1_input", MHZ(848)),
      LACKS(VOLTAGE_GFX), SILENT(VOLTAGE_SOC), VALUE(CLOCK_MEM_MAX, MHZ(1000)),
      SAYS(CLOCK_GFX, "pp_dpm_sclk", MHZ(848))}},
    {"amdgpu-rx7600s/card1",
     {"pci=1002:7480\n", "apu=0\n"},
     {VALUE(ACTIVITY_GFX, 0), VALUE(TEMPERATURE_EDGE, DEGC(53)),
      VALUE(TEMPERATURE_HOTSPOT, DEGC(54)), VALUE(TEMPERATURE_MEM, DEGC(60)),
      VALUE(POWER_SOCKET, WATT(1)), VALUE(POWER_CAP, WATT(95)), VALUE(CLOCK_GFX, 0),
      VALUE(CLOCK_MEM, MHZ(96)), VALUE(FAN_SPEED, 0), VALUE(FAN_PWM, 298039),
      SAYS(CLOCK_GFX, "pp_dpm_sclk", 0), VALUE(CLOCK_GFX_MIN, MHZ(255)),
      VALUE(CLOCK_GFX_MAX, MHZ(1841)), VALUE(LINK_SPEED, 16000000000), VALUE(LINK_WIDTH, 8)}},
    {"amdgpu-rx7800xt/card1",
     {"pci=1002:747e\n", "apu=0\n"},
     {SAYS(ACTIVITY_GFX, "gpu_busy_percent", PERCENT(2)), VALUE(ACTIVITY_GFX, PERCENT(24)),
      VALUE(TEMPERATURE_EDGE, DEGC(24)), VALUE(TEMPERATURE_HOTSPOT, DEGC(31)),
      VALUE(TEMPERATURE_MEM, DEGC(48)), VALUE(POWER_SOCKET, WATT(32)), VALUE(POWER_CAP, WATT(236)),
      VALUE(FAN_SPEED, 868), VALUE(CLOCK_GFX, MHZ(2011)), VALUE(CLOCK_MEM, MHZ(456)),
      VALUE(VOLTAGE_GFX, VOLT(0.985)), SAYS(CLOCK_GFX, "pp_dpm_sclk", MHZ(77)),
      VALUE(CLOCK_GFX_MIN, MHZ(500)), VALUE(CLOCK_GFX_MAX, MHZ(2254))}},
    {"amdgpu-rx9070/card1",
     {"pci=1002:7550\n", "apu=0\n"},
     {VALUE(ACTIVITY_GFX, PERCENT(25)), VALUE(TEMPERATURE_EDGE, DEGC(48)),
      VALUE(TEMPERATURE_HOTSPOT, DEGC(52)), VALUE(TEMPERATURE_MEM, DEGC(72)),
      VALUE(POWER_SOCKET, WATT(49)), VALUE(POWER_CAP, WATT(200)), VALUE(FAN_SPEED, 1944),
      VALUE(CLOCK_GFX, MHZ(900)), VALUE(CLOCK_MEM, MHZ(1124)),
      SAYS(CLOCK_GFX, "pp_dpm_sclk", MHZ(789)), VALUE(CLOCK_GFX_MAX, MHZ(2070)),
      VALUE(LINK_SPEED, 32000000000), VALUE(LINK_WIDTH, 16)}},
    {"amdgpu-r7-240/card1",
     {"pci=1002:6617\n", "apu=0\n"},
     {LACKS(ACTIVITY_GFX), VALUE(MEMORY_VRAM_USED, 495321088), VALUE(MEMORY_VRAM_TOTAL, 2147483648),
      VALUE(TEMPERATURE_EDGE, DEGC(52)), VALUE(TEMPERATURE_EDGE_CRIT, DEGC(120)),
      LACKS(POWER_SOCKET), LACKS(FAN_SPEED), VALUE(FAN_PWM, 403921), VALUE(CLOCK_GFX, MHZ(400)),
      VALUE(CLOCK_MEM, MHZ(1150)), SILENT(CLOCK_GFX_MAX), VALUE(LINK_SPEED, 5000000000),
      VALUE(LINK_WIDTH, 4), VALUE(LINK_WIDTH_MAX, 8)}},
};

/* The whole folder, or NULL where there are no captures. */
static char *folder_of(const char *tree) {
    const char *captured = getenv("GWTOP_CAPTURES");
    char *path = NULL;
    assert_true(asprintf(&path, "%s/sysfs/%s", captured ? captured : "../shared/data", tree) > 0);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* Its power is not managed by use: then it is never left alone. */
static void stay_awake(struct amdrig *rig, const char *tree) {
    amdrig_put(rig, (unsigned)(tree[strlen(tree) - 1] - '0'), "power/control", "on\n");
}

static void check_reading(const struct capture *c, const struct told *t, const struct reading *r) {
    const char *metric = metric_info((unsigned)r->metric)->name;
    const struct told_sample *s = r->name ? told_named(t, (enum metric)r->metric, r->name)
                                          : told_best(t, (enum metric)r->metric, INDEX_NONE);
    if (r->state == STATE_COUNT) {
        if (s)
            fail_msg("%s: %s is said", c->tree, metric);
        return;
    }
    if (!s)
        fail_msg("%s: nothing is said of %s", c->tree, metric);
    if (s->sample.state != r->state || (r->state == STATE_VALUE && s->sample.value != r->value))
        fail_msg("%s: %s by %s is %lld (%s), not %lld", c->tree, metric, s->name,
                 (long long)s->sample.value, state_name((enum state)s->sample.state),
                 (long long)r->value);
}

static void check_capture(const struct capture *c, const char *folder) {
    struct amdrig rig;
    const struct seen_frame *frame;
    amdrig_init(&rig);
    amdrig_copy(&rig, folder);
    amdrig_start(&rig, NULL);
    amdrig_tick_until(&rig, AMDGPU_SYSFS);
    frame = amdrig_frame(&rig, AMDGPU_SYSFS);
    for (size_t i = 0; i < 4 && c->facts[i]; i++)
        if (!strstr(frame->subject.facts, c->facts[i]))
            fail_msg("%s: no '%s' among '%s'", c->tree, c->facts[i], frame->subject.facts);
    for (size_t i = 0; i < 26 && (c->readings[i].metric != 0 || c->readings[i].value != 0); i++)
        check_reading(c, &rig.told, &c->readings[i]);
    assert_int_equal(rig.told.counts.truncated, 0);
    amdrig_finish(&rig);
}

static void real_devices(void **state) {
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < sizeof captures / sizeof captures[0]; i++) {
        char *folder = folder_of(captures[i].tree);
        found += folder != NULL;
        if (folder)
            check_capture(&captures[i], folder);
        free(folder);
    }
    if (found == 0)
        skip();
}

static bool ends_in(const char *text, const char *tail) {
    size_t n = strlen(tail);
    size_t m = strlen(text);
    return m >= n && strcmp(text + m - n, tail) == 0;
}

static bool has_file(const char *folder, const char *file) {
    char *path = NULL;
    assert_true(asprintf(&path, "%s/device/%s", folder, file) > 0);
    bool has = access(path, R_OK) == 0;
    free(path);
    return has;
}

/* The file that each look begins with. */
static const char *first_file(const char *folder) {
    static const char *const files[] = {"gpu_metrics", "gpu_busy_percent", "mem_info_vram_used"};
    for (size_t i = 0; i < 3; i++)
        if (has_file(folder, files[i]))
            return files[i];
    return "";
}

/* The most files of the device that were opened in one look. */
static unsigned most_files(const struct iowatch *w, const char *first) {
    unsigned files = 0;
    unsigned most = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const char *path = w->calls[i].path;
        if (w->calls[i].op != 'o' || !strstr(path, "/device/") || strstr(path, "/power/"))
            continue;
        files = ends_in(path, first) ? 1 : files + 1;
        most = files > most ? files : most;
    }
    return most;
}

/* No look but the first reads more files than a tick has room for, and what does not move is read once. */
static void check_reads(const struct capture *c, const char *folder) {
    static const char *const once[] = {"total", "_label", "_crit", "max_link", "cap_m"};
    unsigned room = has_file(folder, "gpu_metrics") ? 12 : 20;
    struct amdrig rig;
    unsigned most;
    amdrig_init(&rig);
    amdrig_copy(&rig, folder);
    stay_awake(&rig, c->tree);
    amdrig_start(&rig, NULL);
    amdrig_tick_until(&rig, AMDGPU_SYSFS);
    usleep(20000); /* a look that was asked for late is over */
    amdrig_tick(&rig);
    iowatch_clear(&rig.watch);
    for (int tick = 0; tick < 8; tick++)
        amdrig_tick_until(&rig, AMDGPU_SYSFS);
    rig.live->ops->close(rig.live);
    rig.live = NULL;
    most = most_files(&rig.watch, first_file(folder));
    if (most > room)
        fail_msg("%s: %u files in a look", c->tree, most);
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++)
        if (iowatch_count(&rig.watch, 'o', once[i]) > 0)
            fail_msg("%s: again %s", c->tree, iowatch_first(&rig.watch, 'o', once[i]));
    amdrig_finish(&rig);
}

static void reads_are_few(void **state) {
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < sizeof captures / sizeof captures[0]; i++) {
        char *folder = folder_of(captures[i].tree);
        found += folder != NULL;
        if (folder)
            check_reads(&captures[i], folder);
        free(folder);
    }
    if (found == 0)
        skip();
}

/* What is shown stays shown: within three ticks each metric that the first look gave is said again. */
static void nothing_is_forgotten(void **state) {
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < sizeof captures / sizeof captures[0]; i++) {
        char *folder = folder_of(captures[i].tree);
        struct amdrig rig;
        bool given[METRIC_COUNT] = {false};
        unsigned last[METRIC_COUNT] = {0};
        if (!folder)
            continue;
        found++;
        amdrig_init(&rig);
        amdrig_copy(&rig, folder);
        stay_awake(&rig, captures[i].tree);
        amdrig_start(&rig, NULL);
        for (unsigned tick = 0; tick < 10; tick++) {
            amdrig_tick_until(&rig, AMDGPU_SYSFS);
            for (uint32_t k = 0; k < rig.told.count; k++) {
                unsigned metric = rig.told.items[k].sample.metric;
                given[metric] = given[metric] || tick == 0;
                last[metric] = tick;
            }
            for (unsigned m = 0; m < METRIC_COUNT; m++)
                if (given[m] && metric_info(m)->kind != KIND_FACT && tick - last[m] >= 3)
                    fail_msg("%s: %s is not said any more", captures[i].tree, metric_info(m)->name);
        }
        amdrig_finish(&rig);
        free(folder);
    }
    if (found == 0)
        skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_devices),
        cmocka_unit_test(reads_are_few),
        cmocka_unit_test(nothing_is_forgotten),
    };
    return cmocka_run_group_tests_name("amdgpu captures", tests, NULL, NULL);
}
