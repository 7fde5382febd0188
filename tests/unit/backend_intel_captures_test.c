/*
 * Folders of real Intel devices, collected live under a root of the test, against what a person read in them. They
 * stand outside the repository, in $GWTOP_CAPTURES/sysfs (default ../shared/data); where they are not, the test is
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
#include "backend/intel/intel.h"

#define MHZ(n) (INT64_C(n) * 1000000)

static const struct backend *const backends[] = {&backend_intel};
static const struct backend_table table = {backends, 1};

struct reading {
    int metric;
    unsigned index;
    int64_t value;
    enum state state; /* STATE_COUNT: nothing is said of it */
};
#define VALUE(metric, value)                                                                       \
    { METRIC_##metric, INDEX_NONE, value, STATE_VALUE }
#define AT(metric, index, value)                                                                   \
    { METRIC_##metric, index, value, STATE_VALUE }
#define SAYS(metric, state)                                                                        \
    { METRIC_##metric, INDEX_NONE, 0, STATE_##state }
#define SILENT(metric)                                                                             \
    { METRIC_##metric, INDEX_NONE, 0, STATE_COUNT }

static const struct capture {
    const char *tree;
    const char *facts;
    struct reading readings[40];
} captures[] = {
    {"i915-a380/card1",
     "pci=8086:56a5\ndriver=i915\napu=0\n",
     {AT(CLOCK_GT, 0, MHZ(600)),
      AT(CLOCK_GT_REQUESTED, 0, MHZ(600)),
      AT(CLOCK_GT_MIN, 0, MHZ(300)),
      AT(CLOCK_GT_MAX, 0, MHZ(2450)),
      AT(CLOCK_GT_RP0, 0, MHZ(2450)),
      VALUE(CLOCK_GFX, MHZ(600)),
      VALUE(CLOCK_GFX_MIN, MHZ(300)),
      VALUE(CLOCK_GFX_MAX, MHZ(2450)),
      AT(IDLE_TIME, 0, INT64_C(6534000000)),
      VALUE(THROTTLE_PL1, 0),
      VALUE(THROTTLE_PL4, 0),
      VALUE(THROTTLE_VR_TDC, 0),
      VALUE(TEMPERATURE_PKG, 55000),
      VALUE(VOLTAGE_GFX, 603000),
      AT(FAN_SPEED, 0, 0),
      VALUE(ENERGY_CARD, INT64_C(25637161804)),
      VALUE(POWER_CAP, INT64_C(55000000)),
      SAYS(POWER_CAP_DEFAULT, UNSUPPORTED),
      SILENT(POWER_CRIT),
      SILENT(ENERGY_PKG),
      SAYS(LINK_SPEED, UNSUPPORTED),
      SAYS(LINK_WIDTH, UNSUPPORTED),
      SILENT(ACTIVITY_GFX)}},
    {"xe-b580/card1",
     "pci=8086:e20b\ndriver=xe\napu=0\n",
     {AT(CLOCK_GT, 0, 0),
      AT(CLOCK_GT, 1, 0),
      SAYS(CLOCK_GFX, UNKNOWN),
      AT(CLOCK_GT_REQUESTED, 0, MHZ(400)),
      AT(CLOCK_GT_REQUESTED, 1, MHZ(1200)),
      AT(CLOCK_GT_MAX, 0, MHZ(2850)),
      AT(CLOCK_GT_MAX, 1, MHZ(1500)),
      AT(CLOCK_GT_RP0, 1, MHZ(1500)),
      VALUE(CLOCK_GFX_MAX, MHZ(2850)),
      AT(IDLE_TIME, 0, INT64_C(308607000000)),
      AT(IDLE_TIME, 1, INT64_C(312192000000)),
      VALUE(TEMPERATURE_PKG, 54000),
      VALUE(TEMPERATURE_VRAM, 56000),
      VALUE(TEMPERATURE_MCTRL, 55000),
      VALUE(TEMPERATURE_PCIE, 58000),
      AT(TEMPERATURE_VRAM_CH, 0, 52000),
      AT(TEMPERATURE_VRAM_CH, 1, 54000),
      AT(TEMPERATURE_VRAM_CH, 5, 52000),
      AT(TEMPERATURE_VRAM_CH, 9, 56000),
      AT(TEMPERATURE_VRAM_CH, 11, 54000),
      VALUE(ENERGY_CARD, INT64_C(11031745544)),
      VALUE(ENERGY_PKG, INT64_C(19014248107)),
      VALUE(POWER_CAP, INT64_C(190000000)),
      VALUE(POWER_CRIT, INT64_C(380000000)),
      AT(FAN_SPEED, 0, 1116),
      AT(FAN_SPEED, 1, 1235),
      AT(FAN_SPEED, 2, 0),
      SAYS(LINK_SPEED, UNSUPPORTED),
      SAYS(LINK_WIDTH, UNSUPPORTED),
      SILENT(LINK_SPEED_MAX),
      SILENT(VOLTAGE_GFX)}},
    {"xe-tigerlake/card0",
     "pci=8086:9a49\ndriver=xe\napu=1\n",
     {AT(CLOCK_GT, 0, 0), AT(CLOCK_GT_REQUESTED, 0, MHZ(1100)), AT(CLOCK_GT_MIN, 0, MHZ(1100)),
      AT(CLOCK_GT_MAX, 0, MHZ(1300)), AT(CLOCK_GT_RP0, 0, MHZ(1300)), SAYS(CLOCK_GFX, UNKNOWN),
      VALUE(CLOCK_GFX_MAX, MHZ(1300)), AT(IDLE_TIME, 0, INT64_C(5708894000000)),
      SILENT(TEMPERATURE_PKG), SILENT(ENERGY_CARD), SILENT(POWER_CAP), SILENT(LINK_SPEED),
      SILENT(LINK_WIDTH)}},
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

static void check_reading(const struct capture *c, const struct told *t, const struct reading *r) {
    const char *metric = metric_info((unsigned)r->metric)->name;
    const struct told_sample *s = told_best(t, (enum metric)r->metric, r->index);
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
    amdrig_init(&rig);
    rig.table = &table;
    amdrig_copy(&rig, folder);
    amdrig_start(&rig, NULL);
    amdrig_tick_until(&rig, INTEL_SYSFS);
    assert_string_equal(amdrig_frame(&rig, INTEL_SYSFS)->subject.facts, c->facts);
    for (size_t i = 0; i < 40 && (c->readings[i].metric != 0 || c->readings[i].value != 0); i++)
        check_reading(c, &rig.told, &c->readings[i]);
    assert_int_equal(rig.told.counts.truncated, 0);
    assert_int_equal(rig.told.counts.malformed, 0);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
