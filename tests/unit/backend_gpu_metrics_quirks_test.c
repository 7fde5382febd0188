/*
 * What only the device, its firmware or the value can tell: units of activity, power and energy,
 * values that were never filled, and what another file says better. Every row of the table of
 * quirks has its case here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/amdgpu/amdgpu.h"
#include "backend/amdgpu/gpu_metrics.h"
#include "gmt.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Devices by the facts of their subject. */
#define NAVI21       "pci=1002:73bf\n"
#define RX7600S      "pci=1002:7480\n"
#define RX9070       "pci=1002:7550\n"
#define ARCTURUS     "pci=1002:738c\n"
#define ALDEBARAN    "pci=1002:740f\n"
#define RENOIR       "pci=1002:1636\n"
#define LUCIENNE     "pci=1002:164c\n"
#define CEZANNE      "pci=1002:1638\n"
#define DECK         "pci=1002:163F\n"
#define DECK_OLED    "pci=1002:1435\n"
#define BC250        "pci=1002:13fe\n"
#define REMBRANDT    "pci=1002:1681\n"
#define MENDOCINO    "pci=1002:1506\n"
#define PHOENIX      "pci=1002:15bf\n"
#define STRIX        "pci=1002:150e\n"
#define STRIX_HALO   "pci=1002:1586\n"
#define OTHER_VENDOR "pci=8086:163f\n"

enum { NO_INDEX = INDEX_NONE };
#define N(value)              STATE_VALUE, value, 0, GM_RANK
#define LOW(value)            STATE_VALUE, value, 0, GM_RANK_LOW
#define DOUBTED(value, doubt) STATE_VALUE, value, doubt, GM_RANK
#define NOTHING               STATE_UNSUPPORTED, 0, 0, GM_RANK
#define UNKNOWN               STATE_UNKNOWN, 0, 0, GM_RANK

/* One field set, all others never written; what one metric then says. */
struct quirk_case {
    const char *layout;
    const char *facts;
    const char *field;
    uint64_t raw;
    const char *metric;
    unsigned state;
    int64_t value;
    unsigned doubt;
    unsigned rank;
};
static const struct quirk_case cases[] = {
    /* activity of APUs: hundredths of a percent but on Van Gogh */
    {"v2_1", PHOENIX, "average_gfx_activity", 79, "activity.gfx", N(7900)},
    {"v2_1", PHOENIX, "average_gfx_activity", 10000, "activity.gfx", N(1000000)},
    {"v2_1", REMBRANDT, "average_mm_activity", 79, "activity.media", N(7900)},
    {"v2_1", MENDOCINO, "average_gfx_activity", 100, "activity.gfx", N(10000)},
    {"v2_2", RENOIR, "average_gfx_activity", 79, "activity.gfx", N(7900)},
    {"v2_2", CEZANNE, "average_gfx_activity", 79, "activity.gfx", N(7900)},
    {"v2_2", DECK, "average_gfx_activity", 100, "activity.gfx", N(1000000)},
    {"v2_3", DECK_OLED, "average_gfx_activity", 79, "activity.gfx", N(790000)},
    {"v2_4", DECK, "average_mm_activity", 79, "activity.media", N(790000)},
    /* old firmware of Van Gogh: more than 100 % it cannot be */
    {"v2_2", DECK, "average_gfx_activity", 4210, "activity.gfx", N(421000)},
    /* not known: the value decides, or nobody */
    {"v2_1", "", "average_gfx_activity", 79, "activity.gfx", UNKNOWN},
    {"v2_4", "", "average_mm_activity", 100, "activity.media", UNKNOWN},
    {"v2_1", "", "average_gfx_activity", 101, "activity.gfx", N(10100)},
    {"v2_1", "", "average_gfx_activity", 0, "activity.gfx", N(0)},
    {"v2_1", OTHER_VENDOR, "average_gfx_activity", 79, "activity.gfx", UNKNOWN},
    {"v2_1", "pci=1002:ffff\n", "average_gfx_activity", 79, "activity.gfx", UNKNOWN},
    {"v2_1", "pci=\n", "average_gfx_activity", 79, "activity.gfx", UNKNOWN},
    {"v2_1", "pci=1002\n", "average_gfx_activity", 79, "activity.gfx", UNKNOWN},
    /* never 655 % */
    {"v2_2", BC250, "average_gfx_activity", 0xffff, "activity.gfx", NOTHING},
    {"v2_2", "", "average_gfx_activity", 0xffff, "activity.gfx", NOTHING},
    /* never over 100, and said so */
    {"v2_1", PHOENIX, "average_gfx_activity", 10001, "activity.gfx",
     DOUBTED(1000000, DOUBT_CLAMPED)},
    {"v1_3", "", "average_gfx_activity", 101, "activity.gfx", DOUBTED(1000000, DOUBT_CLAMPED)},
    /* v3.0: by the firmware, whole word; the video engine always in hundredths */
    {"v3_0", STRIX "fw.smc=0x0b5d0400\n", "average_gfx_activity", 3, "activity.gfx", N(30000)},
    {"v3_0", STRIX "fw.smc=0x5d4600\n", "average_gfx_activity", 3, "activity.gfx", N(300)},
    {"v3_0", STRIX "fw.smc=0x5d4601\n", "average_gfx_activity", 3, "activity.gfx", N(30000)},
    {"v3_0", "fw.smc=6112769\n", "average_gfx_activity", 3, "activity.gfx", N(30000)},
    {"v3_0", STRIX, "average_gfx_activity", 3, "activity.gfx", UNKNOWN},
    {"v3_0", "", "average_gfx_activity", 300, "activity.gfx", N(30000)},
    {"v3_0", STRIX "fw.smc=0x0b5d0400\n", "average_gfx_activity", 300, "activity.gfx",
     DOUBTED(1000000, DOUBT_CLAMPED)},
    {"v3_0", STRIX "fw.smc=0x100000000\n", "average_gfx_activity", 3, "activity.gfx", UNKNOWN},
    {"v3_0", STRIX "fw.smc=word\n", "average_gfx_activity", 3, "activity.gfx", UNKNOWN},
    {"v3_0", "", "average_vcn_activity", 4210, "activity.media", N(421000)},
    {"v3_0", STRIX "fw.smc=0x0b5d0400\n", "average_vcn_activity", 50, "activity.media", N(5000)},
    /* power of the socket: mW, but W on newer firmware of the Renoir family */
    {"v2_1", PHOENIX, "average_socket_power", 3401, "power.socket", N(3401000)},
    {"v2_1", REMBRANDT, "average_socket_power", 15, "power.socket", N(15000)},
    {"v2_2", DECK, "average_socket_power", 900, "power.socket", N(900000)},
    {"v2_2", RENOIR "fw.smc=0x373200\n", "average_socket_power", 15, "power.socket", N(15000000)},
    {"v2_2", LUCIENNE "fw.smc=0x373200\n", "average_socket_power", 15, "power.socket", N(15000000)},
    {"v2_2", RENOIR "fw.smc=0x3731ff\n", "average_socket_power", 900, "power.socket", N(900000)},
    {"v2_2", CEZANNE "fw.smc=0x40000f\n", "average_socket_power", 15, "power.socket", N(15000000)},
    {"v2_2", CEZANNE "fw.smc=0x40000e\n", "average_socket_power", 900, "power.socket", N(900000)},
    {"v2_2", CEZANNE, "average_socket_power", 15, "power.socket", N(15000000)},
    {"v2_2", CEZANNE, "average_socket_power", 15000, "power.socket", N(15000000)},
    {"v2_2", RENOIR, "average_socket_power", 0, "power.socket", N(0)},
    {"v2_2", "", "average_socket_power", 999, "power.socket", UNKNOWN},
    {"v2_2", "", "average_socket_power", 1000, "power.socket", N(1000000)},
    {"v2_2", "", "average_socket_power", 999, "power.socket.average", UNKNOWN},
    /* 32 bits copied into 16 */
    {"v2_2", BC250, "average_socket_power", 5000, "power.socket", STATE_VALUE, 5000000, DOUBT_UNIT,
     GM_RANK_LOW},
    {"v2_2", BC250, "average_gfx_power", 5000, "power.gfx", STATE_VALUE, 5000000, DOUBT_UNIT,
     GM_RANK_LOW},
    /* not wired to anything */
    {"v3_0", STRIX, "average_sys_power", 63536, "power.system", NOTHING},
    {"v3_0", "", "average_sys_power", 63536, "power.system", NOTHING},
    {"v3_0", "", "average_sys_power", 63535, "power.system", N(63535000)},
    /* a rail that feeds the graphics engines alone */
    {"v2_2", DECK, "average_gfx_power", 6161, "power.gpu", N(6161000)},
    {"v3_0", STRIX_HALO, "average_gfx_power", 1536, "power.gpu", N(1536000)},
    {"v2_2", DECK, "average_gfx_power", 0xffff, "power.gpu", NOTHING},
    /* energy: unit by the chip */
    {"v1_3", ALDEBARAN, "energy_accumulator", 65536, "energy.socket", N(1000000)},
    {"v1_1", ARCTURUS, "energy_accumulator", 65536, "energy.socket", N(1000000)},
    {"v1_4", "", "energy_accumulator", 65536, "energy.socket", N(1000000)},
    {"v1_5", "", "energy_accumulator", 65536, "energy.socket", N(1000000)},
    {"v1_6", "", "energy_accumulator", 65536, "energy.socket", N(1000000)},
    {"v1_7", "", "energy_accumulator", 65536, "energy.socket", N(1000000)},
    {"v1_8", "", "energy_accumulator", UINT64_C(1) << 32, "energy.socket", N(65536000000)},
    {"v1_3", NAVI21, "energy_accumulator", 17691682, "energy.socket",
     DOUBTED(17691682000, DOUBT_UNIT)},
    {"v1_3", "", "energy_accumulator", 17691682, "energy.socket", UNKNOWN},
    {"v1_3", RX9070, "energy_accumulator", 17691682, "energy.socket", UNKNOWN},
    {"v1_0", "", "energy_accumulator", 0, "energy.socket", NOTHING},
    {"v1_3", ALDEBARAN, "energy_accumulator", UINT64_MAX - 1, "energy.socket", STATE_MALFORMED, 0,
     0, GM_RANK},
    /* never filled, and left at 0 */
    {"v1_3", ALDEBARAN, "average_mm_activity", 0, "activity.media", NOTHING},
    {"v1_3", NAVI21, "average_mm_activity", 0, "activity.media", N(0)},
    {"v1_3", ALDEBARAN, "average_socket_power", 0, "power.socket", NOTHING},
    {"v1_3", NAVI21, "average_socket_power", 0, "power.socket", N(0)},
    {"v1_3", ALDEBARAN, "current_fan_speed", 0, "fan.speed", NOTHING},
    {"v1_3", NAVI21, "current_fan_speed", 0, "fan.speed", N(0)},
    {"v2_1", PHOENIX, "average_gfxclk_frequency", 0, "clock.gfx", N(0)},
    {"v1_4", "", "throttle_status", 0, "vendor.value", NOTHING},
    {"v1_5", "", "throttle_status", 0, "vendor.value", NOTHING},
    {"v1_3", "", "throttle_status", 0, "vendor.value", N(0)},
    /* what another file says better */
    {"v1_3", RX7600S, "current_gfxclk", 1200, "clock.gfx", LOW(1200000000)},
    {"v1_3", NAVI21, "current_gfxclk", 1200, "clock.gfx", N(1200000000)},
    {"v1_3", RX9070, "pcie_link_speed", 160, "link.speed", LOW(16000000000)},
    {"v1_4", "", "pcie_link_width", 16, "link.width", LOW(16)},
    /* units that no source settles */
    {"v2_2", DECK, "fan_pwm", 500, "fan.pwm", DOUBTED(500000, DOUBT_UNIT)},
};

static struct gmt_heard heard;

static void decode(const struct gmt_layout *l, const uint8_t *bytes, const char *facts) {
    struct subject s = {.id = 3, .device = 2, .type = SUBJECT_STREAM, .name = "", .facts = facts};
    struct frame f = {.bytes = (const char *)bytes, .size = l->size, .subject = 3};
    struct sink sink = gmt_sink(&heard);
    struct counts counts = {0};
    heard.count = 0;
    amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
    assert_int_equal(counts.accepted, l->size);
}

static void check(const struct quirk_case *c) {
    const struct gmt_layout *l = gmt_layout(c->layout);
    uint8_t bytes[GMT_SIZE_MAX];
    gmt_blank(l, bytes);
    gmt_put(l, bytes, c->field, NO_INDEX, c->raw);
    decode(l, bytes, c->facts);
    const struct sample *s = gmt_find_field(&heard, c->metric, c->field, NO_INDEX);
    if (!s)
        fail_msg("%s %s: no %s", c->layout, c->field, c->metric);
    if (s->state != c->state || (s->state == STATE_VALUE && s->value != c->value) ||
        s->doubt != c->doubt || s->rank != c->rank)
        fail_msg("%s, %s %s %llu: %s is %s %lld, doubt %u, rank %u", c->layout, c->facts, c->field,
                 (unsigned long long)c->raw, c->metric, state_name((enum state)s->state),
                 (long long)s->value, s->doubt, s->rank);
    assert_int_equal(s->raw, c->raw);
    assert_int_equal(s->device, 2);
}

static void each_case(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check(&cases[i]);
}

/* The graphics rail of other APUs feeds the cores as well: no such metric there. */
static void no_power_of_the_gpu_alone(void **state) {
    static const char *const others[] = {PHOENIX, REMBRANDT, RENOIR, BC250, ""};
    const struct gmt_layout *l = gmt_layout("v2_1");
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "average_gfx_power", NO_INDEX, 585);
    for (size_t i = 0; i < COUNT(others); i++) {
        decode(l, bytes, others[i]);
        assert_null(gmt_find(&heard, "power.gpu", NO_INDEX));
        assert_int_equal(gmt_find(&heard, "power.gfx", NO_INDEX)->value, 585000);
    }
}

/* Both activities count alike: what one shows holds for the other. */
static void one_activity_decides_for_both(void **state) {
    const struct gmt_layout *l = gmt_layout("v2_2");
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "average_gfx_activity", NO_INDEX, 79);
    gmt_put(l, bytes, "average_mm_activity", NO_INDEX, 4210);
    decode(l, bytes, "");
    assert_int_equal(gmt_find(&heard, "activity.gfx", NO_INDEX)->value, 7900);
    assert_int_equal(gmt_find(&heard, "activity.media", NO_INDEX)->value, 421000);
    decode(l, bytes, DECK);
    assert_int_equal(gmt_find(&heard, "activity.gfx", NO_INDEX)->value, 7900);
    /* The device is known, so that nothing else decides. */
    gmt_put(l, bytes, "average_mm_activity", NO_INDEX, 0xffff);
    decode(l, bytes, "");
    assert_int_equal(gmt_find(&heard, "activity.gfx", NO_INDEX)->state, STATE_UNKNOWN);
}

/* On an APU an average of 0 beside a running clock was never filled. */
static void averages_never_filled(void **state) {
    uint8_t bytes[GMT_SIZE_MAX];
    const struct gmt_layout *l = gmt_layout("v2_2");
    (void)state;
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "average_gfxclk_frequency", NO_INDEX, 0);
    gmt_put(l, bytes, "current_gfxclk", NO_INDEX, 1040);
    gmt_put(l, bytes, "average_dclk_frequency", NO_INDEX, 0);
    gmt_put(l, bytes, "current_dclk", NO_INDEX, 0);
    decode(l, bytes, DECK);
    assert_int_equal(gmt_find(&heard, "clock.gfx", NO_INDEX)->value, 1040000000);
    assert_int_equal(gmt_find(&heard, "clock.gfx.average", NO_INDEX)->state, STATE_UNSUPPORTED);
    assert_int_equal(gmt_find(&heard, "clock.dclk.average", NO_INDEX)->state, STATE_VALUE);
    assert_int_equal(gmt_find(&heard, "clock.dclk", NO_INDEX)->value, 0);

    /* A card whose clock is gated has an average of 0. */
    l = gmt_layout("v1_3");
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "average_gfxclk_frequency", NO_INDEX, 0);
    gmt_put(l, bytes, "current_gfxclk", NO_INDEX, 1200);
    gmt_put(l, bytes, "average_vclk0_frequency", 0, 0);
    decode(l, bytes, RX7600S);
    assert_int_equal(gmt_find(&heard, "clock.gfx.average", NO_INDEX)->state, STATE_VALUE);
    assert_int_equal(gmt_find(&heard, "clock.vcn", 0)->state, STATE_VALUE);
    decode(l, bytes, ALDEBARAN);
    assert_int_equal(gmt_find(&heard, "clock.vcn", 0)->state, STATE_UNSUPPORTED);
    assert_int_equal(gmt_find(&heard, "clock.vcn.average", 0)->state, STATE_UNSUPPORTED);
}

/* The table is small enough for one table of one device, and says where each row comes from. */
static void rows_are_whole(void **state) {
    (void)state;
    for (size_t i = 0; quirk_at(i); i++) {
        const struct quirk *q = quirk_at(i);
        assert_non_null(q->source);
        assert_true(q->source[0] != '\0');
        assert_true(q->metric <= q->metric_last && q->metric_last < METRIC_COUNT);
        assert_true(q->content_min <= q->content_max);
        assert_true(q->fw_min <= q->fw_max);
        if (q->effect == QUIRK_QUANTITY)
            assert_int_equal(gm_quantity_unit((enum quantity)q->argument),
                             metric_info(q->metric)->unit);
        if (q->effect == QUIRK_ALSO)
            assert_int_equal(metric_info(q->argument)->unit, metric_info(q->metric)->unit);
    }
    for (unsigned asic = 0; asic < ASIC_COUNT; asic++)
        for (unsigned format = 1; format <= 3; format++) {
            struct amd_device d = {.asic = (enum amd_asic)asic, .fw_known = true, .fw = 0x5d4600};
            struct quirk_set set;
            quirk_set_init(&set, &d, format, 0);
            assert_true(set.count < QUIRKS_AT_ONCE);
        }
}

/* Units of the decoder's own rows and of the metrics agree. */
static void fields_fit_their_metrics(void **state) {
    (void)state;
    for (size_t i = 0; gm_table_at(i); i++)
        for (size_t n = 0; n < gm_table_at(i)->field_count; n++) {
            const struct gm_field *f = &gm_table_at(i)->fields[n];
            assert_int_equal(gm_quantity_unit((enum quantity)f->quantity),
                             metric_info(f->metric)->unit);
            assert_true(f->own == METRIC_COUNT ||
                        metric_info(f->own)->unit == metric_info(f->metric)->unit);
            assert_int_equal(f->name_len, strlen(f->name));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case),
        cmocka_unit_test(no_power_of_the_gpu_alone),
        cmocka_unit_test(one_activity_decides_for_both),
        cmocka_unit_test(averages_never_filled),
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(fields_fit_their_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
