/*
 * Throttle words as flags: the common order bit by bit, the chips' own orders, what is raised
 * without cause, and the share of time under a limit by two readings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/amdgpu/amdgpu.h"
#include "gmt.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#define NAVI10    "pci=1002:731f\n"
#define NAVI21    "pci=1002:73bf\n"
#define RX7600S   "pci=1002:7480\n"
#define RX9070    "pci=1002:7550\n"
#define ARCTURUS  "pci=1002:738c\n"
#define ALDEBARAN "pci=1002:740f\n"
#define RENOIR    "pci=1002:1636\n"
#define DECK      "pci=1002:163f\n"
#define PHOENIX   "pci=1002:15bf\n"
#define BC250     "pci=1002:13fe\n"

enum { NO_INDEX = INDEX_NONE };
static const uint64_t one = 1;

static struct gmt_heard heard;

static void decode(const struct gmt_layout *l, const uint8_t *bytes, const char *facts) {
    struct subject s = {.id = 3, .type = SUBJECT_DEVICE, .name = "", .facts = facts};
    struct frame f = {.bytes = (const char *)bytes, .size = l->size, .subject = 3};
    struct sink sink = gmt_sink(&heard);
    struct counts counts = {0};
    heard.count = 0;
    amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
    assert_int_equal(counts.accepted, l->size);
}

static void words(const char *layout, const char *facts, uint64_t asic, uint64_t common) {
    const struct gmt_layout *l = gmt_layout(layout);
    uint8_t bytes[GMT_SIZE_MAX];
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "throttle_status", NO_INDEX, asic);
    if (strcmp(layout, "v2_1") != 0 && strcmp(layout, "v1_2") != 0)
        gmt_put(l, bytes, "indep_throttle_status", NO_INDEX, common);
    decode(l, bytes, facts);
}

static const char *const common_order[64] = {
    [0] = "ppt0",          [1] = "ppt1",       [2] = "ppt2",         [3] = "ppt3",
    [4] = "spl",           [5] = "fppt",       [6] = "sppt",         [7] = "sppt_apu",
    [16] = "tdc_gfx",      [17] = "tdc_soc",   [18] = "tdc_mem",     [19] = "tdc_vdd",
    [20] = "tdc_cvip",     [21] = "edc_cpu",   [22] = "edc_gfx",     [23] = "apcc",
    [32] = "temp_gpu",     [33] = "temp_core", [34] = "temp_mem",    [35] = "temp_edge",
    [36] = "temp_hotspot", [37] = "temp_soc",  [38] = "vr_gfx",      [39] = "vr_soc",
    [40] = "vr_mem0",      [41] = "vr_mem1",   [42] = "liquid0",     [43] = "liquid1",
    [44] = "vrhot0",       [45] = "vrhot1",    [46] = "prochot_cpu", [47] = "prochot_gfx",
    [56] = "ppm",          [57] = "fit",
};

static const struct sample *flag(const char *reason) {
    char metric[64] = "throttle.";
    strcat(metric, reason);
    return gmt_find(&heard, metric, NO_INDEX);
}

/* How many flags hold, doubted or not. */
static unsigned raised(void) {
    unsigned n = 0;
    for (size_t i = 0; i < heard.count; i++)
        if (metric_info(heard.list[i].sample.metric)->unit == UNIT_FLAG &&
            heard.list[i].sample.state == STATE_VALUE && heard.list[i].sample.value != 0)
            n++;
    return n;
}

static void common_bits(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        words("v1_3", "", 0, one << bit);
        assert_int_equal(raised(), common_order[bit] ? 1 : 0);
        for (unsigned i = 0; i < 64; i++) {
            if (!common_order[i])
                continue;
            const struct sample *s = flag(common_order[i]);
            assert_non_null(s);
            assert_int_equal(s->state, STATE_VALUE);
            assert_int_equal(s->value, i == bit);
            assert_int_equal(s->raw, one << bit);
            /* A PPT0 that the chip's own word does not say is a bit that the driver did not know.
             * */
            assert_int_equal(s->doubt, i == bit && bit == 0 ? DOUBT_FALSE_BIT : 0);
        }
    }
}

/* ---- the chips' own orders ------------------------------------------------------------------- */

/* A table without common word: the flags are the chip's bits. */
struct order {
    const char *layout;
    const char *facts;
    const char *reasons[24];
};
static const struct order own_orders[] = {
    {"v1_2", NAVI10, {NULL,      "temp_edge", "temp_hotspot", "temp_mem", "vr_gfx",   "vr_mem0",
                      "vr_mem1", "vr_soc",    "liquid0",      "liquid1",  "temp_plx", "temp_skin",
                      "tdc_gfx", "tdc_soc",   "ppt0",         "ppt1",     "ppt2",     "ppt3",
                      "fit",     "ppm",       "apcc"}},
    {"v1_2", NAVI21, {NULL,       "temp_edge", "temp_hotspot", "temp_mem", "vr_gfx",
                      "vr_mem0",  "vr_mem1",   "vr_soc",       "liquid0",  "liquid1",
                      "temp_plx", "tdc_gfx",   "tdc_soc",      "ppt0",     "ppt1",
                      "ppt2",     "ppt3",      "fit",          "ppm",      "apcc"}},
    {"v1_2",
     RX7600S,
     {"temp_edge",
      "temp_hotspot",
      "temp_hotspot_gfx",
      "temp_hotspot_mem",
      "temp_mem",
      "vr_gfx",
      "vr_mem0",
      "vr_mem1",
      "vr_soc",
      "vr_u",
      "liquid0",
      "liquid1",
      "temp_plx",
      "tdc_gfx",
      "tdc_soc",
      "tdc_u",
      "ppt0",
      "ppt1",
      "ppt2",
      "ppt3",
      "fit",
      "apcc"}},
    {"v1_2",
     RX9070,
     {"temp_edge",
      "temp_hotspot",
      "temp_hotspot_gfx",
      "temp_hotspot_soc",
      "temp_mem",
      "vr_gfx",
      "vr_soc",
      "vr_mem0",
      "vr_mem1",
      "liquid0",
      "liquid1",
      "temp_plx",
      "tdc_gfx",
      "tdc_soc",
      "ppt0",
      "ppt1",
      "ppt2",
      "ppt3",
      "fit",
      "apcc",
      "dvo"}},
    {"v1_2",
     ARCTURUS,
     {NULL, "temp_edge", "temp_hotspot", "temp_mem", "vr_gfx", "vr_mem0", "vr_soc", "tdc_gfx",
      "tdc_soc", "ppt0", "ppt1", "ppt2", "ppt3", "ppm", "fit", "apcc", "vrhot0", "vrhot1"}},
    {"v1_2", ALDEBARAN, {"ppt0",     "ppt1", "tdc_gfx", "tdc_soc", "tdc_mem", NULL,     "temp_gpu",
                         "temp_mem", NULL,   NULL,      NULL,      "vr_gfx",  "vr_soc", "vr_mem0",
                         NULL,       NULL,   NULL,      NULL,      NULL,      "apcc"}},
    {"v2_1",
     PHOENIX,
     {"spl", "fppt", "sppt", "sppt_apu", "temp_core", "temp_gpu", "temp_soc", "tdc_vdd", "tdc_soc",
      "prochot_cpu", "prochot_gfx", "edc_cpu", "edc_gfx"}},
    {"v2_1",
     RENOIR,
     {"spl", "fppt", "sppt", "sppt_apu", "temp_core", "temp_gpu", "temp_soc", "tdc_vdd", "tdc_soc",
      "prochot_cpu", "prochot_gfx", "edc_cpu", "edc_gfx"}},
    {"v2_1",
     DECK,
     {"spl", "fppt", "sppt", "sppt_apu", "temp_core", "temp_gpu", "temp_soc", "tdc_vdd", "tdc_soc",
      "tdc_gfx", "tdc_cvip"}},
};

static void asic_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(own_orders); i++)
        for (unsigned bit = 0; bit < 32; bit++) {
            const char *reason = bit < 24 ? own_orders[i].reasons[bit] : NULL;
            words(own_orders[i].layout, own_orders[i].facts, one << bit, 0);
            assert_int_equal(raised(), reason ? 1 : 0);
            if (reason)
                assert_int_equal(flag(reason)->value, 1);
        }
}

/* Limits that the common order has no bit for are told beside the common ones. */
static void what_the_common_word_lacks(void **state) {
    (void)state;
    words("v1_3", RX7600S, one << 9 | one << 13, one << 16 | one << 0);
    assert_int_equal(flag("tdc_gfx")->value, 1);
    assert_int_equal(flag("vr_u")->value, 1);
    assert_int_equal(flag("vr_u")->raw, one << 9 | one << 13);
    assert_int_equal(flag("temp_plx")->value, 0);
    assert_int_equal(flag("ppt0")->doubt, DOUBT_FALSE_BIT);
    words("v1_3", "", one << 9, one << 0);
    assert_null(flag("vr_u"));
}

/* ---- without cause --------------------------------------------------------------------------- */

static void false_ppt0(void **state) {
    /* Bits of RDNA 3 that the driver's table does not know. */
    static const unsigned unknown[] = {2, 3, 9, 12, 15};
    (void)state;
    for (size_t i = 0; i < COUNT(unknown); i++) {
        words("v1_3", RX7600S, one << unknown[i], one << 0);
        assert_int_equal(flag("ppt0")->value, 1);
        assert_int_equal(flag("ppt0")->doubt, DOUBT_FALSE_BIT);
    }
    words("v1_3", RX7600S, one << 16, one << 0);
    assert_int_equal(flag("ppt0")->doubt, 0);
    words("v1_3", RX7600S, one << 16 | one << 9, one << 0);
    assert_int_equal(flag("ppt0")->doubt, 0);
    words("v1_3", RX7600S, UINT32_MAX, one << 0);
    assert_int_equal(flag("ppt0")->doubt, DOUBT_FALSE_BIT);
    /* An APU has no such limit at all. */
    words("v2_2", RENOIR, one << 13, one << 0);
    assert_int_equal(flag("ppt0")->doubt, DOUBT_FALSE_BIT);
}

static void hotspot_of_rdna3(void **state) {
    (void)state;
    words("v1_3", RX7600S, 2, one << 36);
    assert_int_equal(flag("temp_hotspot")->value, 1);
    assert_int_equal(flag("temp_hotspot")->doubt, DOUBT_FALSE_BIT);
    words("v1_3", RX7600S, 0, 0);
    assert_int_equal(flag("temp_hotspot")->value, 0);
    assert_int_equal(flag("temp_hotspot")->doubt, 0);
    /* Of an unknown card the pair of words tells: bit 1 is the hot spot on RDNA 3 and 4 only. */
    words("v1_3", "", 2, one << 36);
    assert_int_equal(flag("temp_hotspot")->doubt, DOUBT_FALSE_BIT);
    words("v1_3", "", 4, one << 36);
    assert_int_equal(flag("temp_hotspot")->value, 1);
    assert_int_equal(flag("temp_hotspot")->doubt, 0);
    words("v1_3", NAVI21, 4, one << 36);
    assert_int_equal(flag("temp_hotspot")->doubt, 0);
}

static void never_written(void **state) {
    (void)state;
    /* All bits are not all limits. */
    words("v2_2", BC250, UINT32_MAX, UINT64_MAX);
    assert_int_equal(raised(), 0);
    assert_int_equal(flag("fppt")->state, STATE_UNSUPPORTED);
    assert_int_equal(
        gmt_find_field(&heard, "vendor.value", "indep_throttle_status", NO_INDEX)->state,
        STATE_UNSUPPORTED);
    /* The chip's word stands in where its order is known. */
    words("v2_2", DECK, 6, UINT64_MAX);
    assert_int_equal(raised(), 2);
    assert_int_equal(flag("fppt")->value, 1);
    assert_int_equal(flag("sppt")->value, 1);
    assert_int_equal(flag("spl")->value, 0);
    words("v2_2", "", 6, UINT64_MAX);
    assert_int_equal(raised(), 0);
    assert_int_equal(flag("fppt")->state, STATE_UNSUPPORTED);
    words("v2_1", PHOENIX, UINT32_MAX, 0);
    assert_int_equal(raised(), 0);
    assert_int_equal(flag("fppt")->state, STATE_UNSUPPORTED);
    /* Of an unknown chip without common word there is the number alone. */
    words("v2_1", "", 6, 0);
    assert_null(flag("fppt"));
    assert_int_equal(gmt_find_field(&heard, "vendor.value", "throttle_status", NO_INDEX)->value, 6);
}

/* Both words of a busy Steam Deck. */
static void words_agree(void **state) {
    (void)state;
    words("v2_2", DECK, 6, 96);
    assert_int_equal(raised(), 2);
    assert_int_equal(flag("fppt")->value, 1);
    assert_int_equal(flag("sppt")->value, 1);
    assert_int_equal(flag("fppt")->doubt | flag("sppt")->doubt, 0);
}

/* ---- time under a limit ---------------------------------------------------------------------- */

struct looks {
    uint64_t state[64];
    struct subject subject;
};

static void looks_init(struct looks *k) {
    assert_true(amdgpu_gpu_metrics_fold.size <= sizeof(k->state));
    k->subject = (struct subject){.id = 3, .type = SUBJECT_DEVICE, .name = "", .facts = ""};
    amdgpu_gpu_metrics_fold.init(k->state, &k->subject);
}

static const struct sample *look(struct looks *k, int64_t ms, uint64_t residency) {
    const struct gmt_layout *l = gmt_layout("v1_6");
    uint8_t bytes[GMT_SIZE_MAX];
    struct frame f = {
        .t_ns = ms * 1000000, .bytes = (const char *)bytes, .size = l->size, .subject = 3};
    struct sink sink = gmt_sink(&heard);
    struct counts counts = {0};
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "ppt_residency_acc", NO_INDEX, residency);
    heard.count = 0;
    amdgpu_gpu_metrics_fold.feed(k->state, &k->subject, &f, &sink, &counts);
    assert_int_equal(counts.accepted, l->size);
    assert_int_equal(gmt_find(&heard, "throttle.residency.vr_thm", NO_INDEX)->state,
                     STATE_UNSUPPORTED);
    assert_int_equal(gmt_find(&heard, "temperature.hotspot", NO_INDEX)->state, STATE_UNSUPPORTED);
    const struct sample *s = gmt_find(&heard, "throttle.residency.ppt", NO_INDEX);
    assert_int_equal(s->raw, residency);
    return s;
}

static void share_of_the_interval(void **state) {
    struct looks k;
    (void)state;
    looks_init(&k);
    assert_int_equal(look(&k, 1000, 50000)->state, STATE_UNKNOWN);
    const struct sample *s = look(&k, 6008, 54342);
    assert_int_equal(s->state, STATE_VALUE);
    assert_int_equal(s->doubt, DOUBT_UNIT);
    assert_int_equal(s->value, 867013); /* 4342 of 5008 */
    assert_int_equal(look(&k, 7008, 54342)->value, 0);
    /* A little more than the interval is the whole of it. */
    s = look(&k, 8008, 54342 + 1003);
    assert_int_equal(s->value, 1000000);
    assert_int_equal(s->state, STATE_VALUE);
    /* Far more: these are no milliseconds. */
    assert_int_equal(look(&k, 9008, 60000)->state, STATE_UNSUPPORTED);
    /* A counter that starts anew, and a reading at the same time. */
    assert_int_equal(look(&k, 10008, 5)->state, STATE_UNKNOWN);
    assert_int_equal(look(&k, 11008, 255)->value, 250000);
    assert_int_equal(look(&k, 11008, 300)->state, STATE_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_bits),
        cmocka_unit_test(asic_bits),
        cmocka_unit_test(what_the_common_word_lacks),
        cmocka_unit_test(false_ppt0),
        cmocka_unit_test(hotspot_of_rdna3),
        cmocka_unit_test(never_written),
        cmocka_unit_test(words_agree),
        cmocka_unit_test(share_of_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
