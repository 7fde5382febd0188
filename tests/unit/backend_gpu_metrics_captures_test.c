/*
 * Tables that others recorded, against readings that were worked out from their bytes and from
 * the sensors beside them (SOURCES.md there). They are found in $GWTOP_CAPTURES/gpu_metrics
 * (default ../shared/data); where they are not, the test is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/amdgpu/amdgpu.h"
#include "gmt.h"
#include "heard.h"
#include "scratch.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { NO_INDEX = INDEX_NONE };

/* What one metric says. */
struct reading {
    const char *metric;
    unsigned index;
    int64_t value;
    unsigned doubt;
    bool nothing; /* unsupported */
};
#define SAYS(metric, value)                                                                        \
    { metric, NO_INDEX, value, 0, false }
#define AT(metric, index, value)                                                                   \
    { metric, index, value, 0, false }
#define DOUBTED(metric, value, why)                                                                \
    { metric, NO_INDEX, value, why, false }
#define NOTHING(metric)                                                                            \
    { metric, NO_INDEX, 0, 0, true }
#define NOTHING_AT(metric, index)                                                                  \
    { metric, index, 0, 0, true }

static const struct reading mangohud_dgpu[] = {
    SAYS("temperature.edge", 36000),
    SAYS("temperature.hotspot", 49000),
    SAYS("temperature.mem", 36000),
    SAYS("activity.gfx", 640000),
    SAYS("activity.mem", 60000),
    SAYS("activity.media", 0),
    SAYS("power.socket", 33000000),
    SAYS("clock.gfx", 2165000000),
    SAYS("clock.gfx.current", 2165000000),
    SAYS("clock.gfx.average", 2173000000),
    SAYS("clock.mem", 1000000000),
    SAYS("clock.soc", 800000000),
    NOTHING("clock.soc.average"),
    SAYS("fan.speed", 0),
    SAYS("link.width", 8),
    SAYS("link.speed", 8000000000),
    SAYS("voltage.soc", 987000),
    SAYS("voltage.gfx", 1025000),
    SAYS("voltage.mem", 1356000),
    NOTHING_AT("temperature.hbm", 0),
    NOTHING_AT("temperature.hbm", 3),
    SAYS("throttle.temp_hotspot", 0),
    SAYS("throttle.ppt0", 0),
};
static const struct reading rx6900xt[] = {
    SAYS("temperature.edge", 56000),
    SAYS("temperature.hotspot", 59000),
    SAYS("temperature.mem", 54000),
    SAYS("activity.gfx", 30000),
    SAYS("power.socket", 36000000),
    SAYS("clock.gfx", 500000000),
    SAYS("clock.gfx.average", 41000000),
    SAYS("clock.mem", 1000000000),
    SAYS("fan.speed", 0),
    SAYS("link.width", 16),
    SAYS("link.speed", 16000000000),
    SAYS("voltage.gfx", 775000),
};
static const struct reading rx6900xt_known[] = {
    DOUBTED("energy.socket", 17691682000, DOUBT_UNIT),
};
static const struct reading rx7600s[] = {
    SAYS("temperature.edge", 53000),
    SAYS("temperature.hotspot", 54000),
    SAYS("temperature.mem", 60000),
    NOTHING("temperature.vr.gfx"),
    NOTHING("temperature.vr.soc"),
    NOTHING("temperature.vr.mem"),
    SAYS("activity.gfx", 0),
    SAYS("power.socket", 1000000),
    SAYS("clock.gfx.average", 0),
    SAYS("clock.gfx", 1200000000),
    SAYS("clock.mem", 96000000),
    SAYS("link.width", 8),
    SAYS("link.speed", 16000000000),
    NOTHING("voltage.gfx"),
    SAYS("voltage.mem", 687000),
    NOTHING("energy.socket"),
    DOUBTED("throttle.temp_hotspot", 1, DOUBT_FALSE_BIT),
    SAYS("throttle.temp_edge", 0),
    SAYS("throttle.ppt0", 0),
};
static const struct reading rx7800xt[] = {
    SAYS("temperature.edge", 24000), SAYS("temperature.hotspot", 31000),
    SAYS("temperature.mem", 48000),  SAYS("activity.gfx", 240000),
    SAYS("power.socket", 32000000),  SAYS("clock.gfx", 2011000000),
    SAYS("clock.mem", 456000000),    SAYS("clock.mem.average", 909000000),
    SAYS("fan.speed", 868),          SAYS("link.width", 16),
    SAYS("link.speed", 16000000000), SAYS("voltage.soc", 768000),
    SAYS("voltage.gfx", 985000),     SAYS("voltage.mem", 704000),
    NOTHING("energy.socket"),
};
static const struct reading rx9070[] = {
    SAYS("temperature.edge", 48000), SAYS("temperature.hotspot", 52000),
    SAYS("temperature.mem", 72000),  SAYS("activity.gfx", 250000),
    SAYS("power.socket", 49000000),  SAYS("clock.gfx", 900000000),
    SAYS("clock.mem", 1124000000),   SAYS("clock.mem.average", 2238000000),
    SAYS("fan.speed", 1944),         SAYS("link.width", 16),
    SAYS("link.speed", 16000000000), SAYS("voltage.mem", 1345000),
};
static const struct reading phoenix[] = {
    SAYS("temperature.gfx", 25000),
    SAYS("temperature.soc", 27370),
    AT("temperature.l3", 0, 25250),
    NOTHING_AT("temperature.l3", 1),
    AT("temperature.core", 0, 25370),
    AT("temperature.core", 1, 23500),
    AT("temperature.core", 2, 25000),
    AT("temperature.core", 3, 23370),
    AT("temperature.core", 4, 25120),
    AT("temperature.core", 5, 23750),
    AT("temperature.core", 6, 25870),
    AT("temperature.core", 7, 23750),
    SAYS("activity.gfx", 7900),
    SAYS("power.socket", 3401000),
    NOTHING("power.cpu"),
    SAYS("power.soc", 743000),
    SAYS("power.gfx", 585000),
    SAYS("clock.gfx", 800000000),
    NOTHING("clock.gfx.current"),
    SAYS("clock.soc", 400000000),
    SAYS("clock.fabric", 400000000),
    AT("clock.core", 0, 1400000000),
    AT("clock.core", 7, 1400000000),
    NOTHING("fan.pwm"),
    SAYS("throttle.fppt", 0),
};
static const struct reading deck[] = {
    SAYS("temperature.gfx", 81750),    SAYS("temperature.soc", 71000),
    AT("temperature.core", 0, 80500),  AT("temperature.core", 1, 74250),
    AT("temperature.core", 2, 77250),  AT("temperature.core", 3, 73500),
    NOTHING_AT("temperature.core", 4), NOTHING_AT("temperature.core", 7),
    AT("temperature.l3", 0, 70250),    SAYS("activity.gfx", 1000000),
    SAYS("power.socket", 18844000),    SAYS("power.cpu", 9235000),
    SAYS("power.soc", 1083000),        SAYS("power.gfx", 6161000),
    SAYS("power.gpu", 6161000),        AT("power.core", 0, 0),
    NOTHING_AT("power.core", 4),       NOTHING("clock.gfx.average"),
    SAYS("clock.gfx", 1040000000),     SAYS("clock.soc", 600000000),
    SAYS("clock.mem", 687000000),      SAYS("clock.fabric", 687000000),
    SAYS("clock.vcn", 600000000),      SAYS("clock.dclk", 400000000),
    AT("clock.core", 0, 3475000000),   AT("clock.core", 3, 3475000000),
    NOTHING_AT("clock.core", 4),       SAYS("throttle.fppt", 1),
    SAYS("throttle.sppt", 1),          SAYS("throttle.spl", 0),
    SAYS("throttle.temp_gpu", 0),
};
static const struct reading strix[] = {
    SAYS("temperature.gfx", 38120),
    SAYS("temperature.soc", 40620),
    SAYS("temperature.skin", 35980),
    AT("temperature.core", 0, 40120),
    AT("temperature.core", 1, 38620),
    AT("temperature.core", 2, 50000),
    AT("temperature.core", 3, 38620),
    SAYS("activity.gfx", 30000),
    SAYS("activity.media", 0),
    AT("activity.core", 4, 150000),
    SAYS("bandwidth.mem.read", 2504000000),
    SAYS("bandwidth.mem.write", 637000000),
    SAYS("power.socket", 9839000),
    SAYS("power.apu", 9839000),
    SAYS("power.gfx", 1536000),
    SAYS("power.cpu", 2499000),
    NOTHING("power.system"),
    NOTHING("power.cap"),
    NOTHING("power.cap.current"),
    SAYS("clock.gfx", 849000000),
    SAYS("clock.soc", 628000000),
    SAYS("clock.vpe", 800000000),
    SAYS("clock.fabric", 1162000000),
    SAYS("clock.vcn", 800000000),
    SAYS("clock.mem", 836000000),
    AT("clock.core", 0, 5050000000),
    AT("clock.core", 1, 0),
    SAYS("clock.core.max", 5050000000),
    SAYS("clock.gfx.max", 2900000000),
};

static const struct capture {
    const char *file;
    const char *facts;
    uint64_t accepted;
    const struct reading *readings;
    size_t count;
} captures[] = {
    {"v1_3-dgpu-mangohud.bin", "", 120, mangohud_dgpu, COUNT(mangohud_dgpu)},
    {"v1_3-rx6900xt-4096-bytes.bin", "", 120, rx6900xt, COUNT(rx6900xt)},
    {"v1_3-rx6900xt-4096-bytes.bin", "pci=1002:73bf\n", 120, rx6900xt_known, COUNT(rx6900xt_known)},
    {"v1_3-rx7600s-idle-throttle-bit.bin", "", 120, rx7600s, COUNT(rx7600s)},
    {"v1_3-rx7600s-idle-throttle-bit.bin", "pci=1002:7480\n", 120, rx7600s, COUNT(rx7600s)},
    {"v1_3-rx7800xt.bin", "", 120, rx7800xt, COUNT(rx7800xt)},
    {"v1_3-rx9070.bin", "", 120, rx9070, COUNT(rx9070)},
    {"v2_1-phoenix.bin", "pci=1002:15bf\n", 120, phoenix, COUNT(phoenix)},
    {"v2_2-apu-4core-mangohud.bin", "pci=1002:163f\n", 128, deck, COUNT(deck)},
    {"v3_0-strixpoint.bin", "pci=1002:150e\nfw.smc=0x0b5d0400\n", 264, strix, COUNT(strix)},
    {"malformed-peer-made-mangohud.bin", "", 0, NULL, 0},
};

static struct gmt_heard heard;

static char *load(const char *file, size_t *n) {
    const char *from = getenv("GWTOP_CAPTURES");
    char *path = path_join(from && from[0] ? from : "../shared/data", "gpu_metrics/%s", file);
    char *bytes = file_read(path, n);
    free(path);
    return bytes;
}

static struct counts decode(const char *bytes, size_t n, const char *facts) {
    struct subject s = {.id = 3, .type = SUBJECT_STREAM, .name = "", .facts = facts};
    struct frame f = {.bytes = bytes, .size = n, .subject = 3};
    struct sink sink = gmt_sink(&heard);
    struct counts counts = {0};
    heard.count = 0;
    amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
    assert_counts(&counts, n);
    return counts;
}

static void check(const struct capture *c, const struct reading *r) {
    const struct sample *s = gmt_find(&heard, r->metric, r->index);
    if (!s)
        fail_msg("%s: no %s[%u]", c->file, r->metric, r->index);
    unsigned state = r->nothing ? STATE_UNSUPPORTED : STATE_VALUE;
    if (s->state != state || s->value != r->value || s->doubt != r->doubt)
        fail_msg("%s: %s[%u] is %s %lld, doubt %u", c->file, r->metric, r->index,
                 state_name((enum state)s->state), (long long)s->value, s->doubt);
}

static void right_readings(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(captures); i++) {
        const struct capture *c = &captures[i];
        size_t n;
        char *bytes = load(c->file, &n);
        if (!bytes) {
            skip();
            return;
        }
        struct counts counts = decode(bytes, n, c->facts);
        assert_int_equal(counts.accepted, c->accepted);
        for (size_t r = 0; r < c->count; r++)
            check(c, &c->readings[r]);
        if (c->count == 0)
            assert_int_equal(heard.count, 0);
        free(bytes);
    }
}

/* Without the device: what the value does not decide is not guessed. */
static void devices_not_known(void **state) {
    size_t n;
    char *bytes = load("v2_1-phoenix.bin", &n);
    (void)state;
    if (!bytes) {
        skip();
        return;
    }
    decode(bytes, n, "");
    free(bytes);
    assert_int_equal(gmt_find(&heard, "activity.gfx", NO_INDEX)->state, STATE_UNKNOWN);
    assert_int_equal(gmt_find(&heard, "activity.gfx", NO_INDEX)->raw, 79);
    assert_int_equal(gmt_find(&heard, "power.socket", NO_INDEX)->value, 3401000);
    assert_int_equal(gmt_find(&heard, "temperature.gfx", NO_INDEX)->value, 25000);

    bytes = load("v3_0-strixpoint.bin", &n);
    assert_non_null(bytes);
    decode(bytes, n, "pci=1002:150e\n");
    free(bytes);
    assert_int_equal(gmt_find(&heard, "activity.gfx", NO_INDEX)->state, STATE_UNKNOWN);
    assert_int_equal(gmt_find(&heard, "throttle.residency.fppt", NO_INDEX)->state, STATE_UNKNOWN);
    assert_int_equal(gmt_find(&heard, "throttle.residency.fppt", NO_INDEX)->raw, 92382);
    assert_int_equal(gmt_find(&heard, "throttle.residency.prochot", NO_INDEX)->raw, 28);
    assert_int_equal(gmt_find(&heard, "throttle.residency.spl", NO_INDEX)->raw, 1868);
    assert_int_equal(gmt_find(&heard, "throttle.residency.sppt", NO_INDEX)->raw, 257);
    assert_int_equal(gmt_find(&heard, "throttle.residency.thm_core", NO_INDEX)->raw, 1795);
    assert_int_equal(
        gmt_find_field(&heard, "vendor.time", "time_filter_alphavalue", NO_INDEX)->value,
        1000000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_readings),
        cmocka_unit_test(devices_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
