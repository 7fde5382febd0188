/*
 * Which limits are at work now. The driver translates a chip's bits to common ones with a table
 * in which a bit that it does not know stands as 0, the number of PPT0: such a chip bit raises a
 * false PPT0. The chip's own word tells.
 */
#include "throttle.h"

/* Common order: smu_throttler bits of amdgpu_smu.h. */
#define COMMON_LIST(X)                                                                             \
    X(0, PPT0)                                                                                     \
    X(1, PPT1)                                                                                     \
    X(2, PPT2)                                                                                     \
    X(3, PPT3)                                                                                     \
    X(4, SPL)                                                                                      \
    X(5, FPPT)                                                                                     \
    X(6, SPPT)                                                                                     \
    X(7, SPPT_APU)                                                                                 \
    X(16, TDC_GFX)                                                                                 \
    X(17, TDC_SOC)                                                                                 \
    X(18, TDC_MEM)                                                                                 \
    X(19, TDC_VDD)                                                                                 \
    X(20, TDC_CVIP)                                                                                \
    X(21, EDC_CPU)                                                                                 \
    X(22, EDC_GFX)                                                                                 \
    X(23, APCC)                                                                                    \
    X(32, TEMP_GPU)                                                                                \
    X(33, TEMP_CORE)                                                                               \
    X(34, TEMP_MEM)                                                                                \
    X(35, TEMP_EDGE)                                                                               \
    X(36, TEMP_HOTSPOT)                                                                            \
    X(37, TEMP_SOC)                                                                                \
    X(38, VR_GFX)                                                                                  \
    X(39, VR_SOC)                                                                                  \
    X(40, VR_MEM0)                                                                                 \
    X(41, VR_MEM1)                                                                                 \
    X(42, LIQUID0)                                                                                 \
    X(43, LIQUID1)                                                                                 \
    X(44, VRHOT0)                                                                                  \
    X(45, VRHOT1)                                                                                  \
    X(46, PROCHOT_CPU)                                                                             \
    X(47, PROCHOT_GFX)                                                                             \
    X(56, PPM)                                                                                     \
    X(57, FIT)

struct common_bit {
    uint8_t bit;
    uint16_t metric;
};
static const struct common_bit commons[] = {
#define COMMON(number, reason) {number, METRIC_THROTTLE_##reason},
    COMMON_LIST(COMMON)
#undef COMMON
};

/* Reverse: bit + 1 by metric from THROTTLE_PPT0 on; 0 for a limit that has no common bit. */
static const uint8_t bit_after[METRIC_THROTTLE_DVO - METRIC_THROTTLE_PPT0 + 1] = {
#define BIT(number, reason) [METRIC_THROTTLE_##reason - METRIC_THROTTLE_PPT0] = number + 1,
    COMMON_LIST(BIT)
#undef BIT
};
#undef COMMON_LIST

/* The chips' own order, by the headers of their firmware; 0 where a bit has no name. */
#define T(reason) METRIC_THROTTLE_##reason
enum { ASIC_BITS = 24 };
static const uint16_t navi1x[ASIC_BITS] = {
    [1] = T(TEMP_EDGE), [2] = T(TEMP_HOTSPOT), [3] = T(TEMP_MEM),   [4] = T(VR_GFX),
    [5] = T(VR_MEM0),   [6] = T(VR_MEM1),      [7] = T(VR_SOC),     [8] = T(LIQUID0),
    [9] = T(LIQUID1),   [10] = T(TEMP_PLX),    [11] = T(TEMP_SKIN), [12] = T(TDC_GFX),
    [13] = T(TDC_SOC),  [14] = T(PPT0),        [15] = T(PPT1),      [16] = T(PPT2),
    [17] = T(PPT3),     [18] = T(FIT),         [19] = T(PPM),       [20] = T(APCC),
};
static const uint16_t navi2x[ASIC_BITS] = {
    [1] = T(TEMP_EDGE), [2] = T(TEMP_HOTSPOT), [3] = T(TEMP_MEM), [4] = T(VR_GFX),
    [5] = T(VR_MEM0),   [6] = T(VR_MEM1),      [7] = T(VR_SOC),   [8] = T(LIQUID0),
    [9] = T(LIQUID1),   [10] = T(TEMP_PLX),    [11] = T(TDC_GFX), [12] = T(TDC_SOC),
    [13] = T(PPT0),     [14] = T(PPT1),        [15] = T(PPT2),    [16] = T(PPT3),
    [17] = T(FIT),      [18] = T(PPM),         [19] = T(APCC),
};
static const uint16_t rdna3[ASIC_BITS] = {
    [0] = T(TEMP_EDGE),
    [1] = T(TEMP_HOTSPOT),
    [2] = T(TEMP_HOTSPOT_GFX),
    [3] = T(TEMP_HOTSPOT_MEM),
    [4] = T(TEMP_MEM),
    [5] = T(VR_GFX),
    [6] = T(VR_MEM0),
    [7] = T(VR_MEM1),
    [8] = T(VR_SOC),
    [9] = T(VR_U),
    [10] = T(LIQUID0),
    [11] = T(LIQUID1),
    [12] = T(TEMP_PLX),
    [13] = T(TDC_GFX),
    [14] = T(TDC_SOC),
    [15] = T(TDC_U),
    [16] = T(PPT0),
    [17] = T(PPT1),
    [18] = T(PPT2),
    [19] = T(PPT3),
    [20] = T(FIT),
    [21] = T(APCC),
};
static const uint16_t rdna4[ASIC_BITS] = {
    [0] = T(TEMP_EDGE),
    [1] = T(TEMP_HOTSPOT),
    [2] = T(TEMP_HOTSPOT_GFX),
    [3] = T(TEMP_HOTSPOT_SOC),
    [4] = T(TEMP_MEM),
    [5] = T(VR_GFX),
    [6] = T(VR_SOC),
    [7] = T(VR_MEM0),
    [8] = T(VR_MEM1),
    [9] = T(LIQUID0),
    [10] = T(LIQUID1),
    [11] = T(TEMP_PLX),
    [12] = T(TDC_GFX),
    [13] = T(TDC_SOC),
    [14] = T(PPT0),
    [15] = T(PPT1),
    [16] = T(PPT2),
    [17] = T(PPT3),
    [18] = T(FIT),
    [19] = T(APCC),
    [20] = T(DVO),
};
static const uint16_t arcturus[ASIC_BITS] = {
    [1] = T(TEMP_EDGE), [2] = T(TEMP_HOTSPOT), [3] = T(TEMP_MEM), [4] = T(VR_GFX), [5] = T(VR_MEM0),
    [6] = T(VR_SOC),    [7] = T(TDC_GFX),      [8] = T(TDC_SOC),  [9] = T(PPT0),   [10] = T(PPT1),
    [11] = T(PPT2),     [12] = T(PPT3),        [13] = T(PPM),     [14] = T(FIT),   [15] = T(APCC),
    [16] = T(VRHOT0),   [17] = T(VRHOT1),
};
static const uint16_t aldebaran[ASIC_BITS] = {
    [0] = T(PPT0),    [1] = T(PPT1),     [2] = T(TDC_GFX),  [3] = T(TDC_SOC),
    [4] = T(TDC_MEM), [6] = T(TEMP_GPU), [7] = T(TEMP_MEM), [11] = T(VR_GFX),
    [12] = T(VR_SOC), [13] = T(VR_MEM0), [19] = T(APCC),
};
/* Rembrandt, Phoenix and Mendocino as Renoir. */
static const uint16_t renoir[ASIC_BITS] = {
    [0] = T(SPL),       [1] = T(FPPT),        [2] = T(SPPT),         [3] = T(SPPT_APU),
    [4] = T(TEMP_CORE), [5] = T(TEMP_GPU),    [6] = T(TEMP_SOC),     [7] = T(TDC_VDD),
    [8] = T(TDC_SOC),   [9] = T(PROCHOT_CPU), [10] = T(PROCHOT_GFX), [11] = T(EDC_CPU),
    [12] = T(EDC_GFX),
};
static const uint16_t vangogh[ASIC_BITS] = {
    [0] = T(SPL),       [1] = T(FPPT),     [2] = T(SPPT),      [3] = T(SPPT_APU),
    [4] = T(TEMP_CORE), [5] = T(TEMP_GPU), [6] = T(TEMP_SOC),  [7] = T(TDC_VDD),
    [8] = T(TDC_SOC),   [9] = T(TDC_GFX),  [10] = T(TDC_CVIP),
};
#undef T

static const uint16_t *const orders[ASIC_COUNT] = {
    [ASIC_NAVI1X] = navi1x,    [ASIC_NAVI2X] = navi2x,     [ASIC_RDNA3] = rdna3,
    [ASIC_RDNA4] = rdna4,      [ASIC_ARCTURUS] = arcturus, [ASIC_ALDEBARAN] = aldebaran,
    [ASIC_RENOIR] = renoir,    [ASIC_CEZANNE] = renoir,    [ASIC_VANGOGH] = vangogh,
    [ASIC_REMBRANDT] = renoir, [ASIC_PHOENIX] = renoir,
};

static bool is_known(const struct throttle_word *w) {
    return w->field && !gm_is_absent(w->raw, w->field->width);
}

static uint8_t bit_after_of(uint16_t metric) {
    return metric ? bit_after[metric - METRIC_THROTTLE_PPT0] : 0;
}

/* What the driver makes of a chip's word. */
static uint64_t translated(const uint16_t *order, uint64_t asic) {
    uint64_t common = 0;
    for (unsigned bit = 0; bit < ASIC_BITS; bit++)
        if (asic >> bit & 1)
            common |= UINT64_C(1) << (bit_after_of(order[bit]) ? bit_after_of(order[bit]) - 1 : 0);
    return common;
}

static bool says(const uint16_t *order, uint64_t asic, uint16_t metric) {
    for (unsigned bit = 0; bit < ASIC_BITS; bit++)
        if (asic >> bit & 1 && order[bit] == metric)
            return true;
    return false;
}

/* Whether a flag that is set may be a false one on this chip. */
static bool is_false_on(enum amd_asic asic, const struct throttle_words *w, uint16_t metric) {
    if (metric == METRIC_THROTTLE_PPT0)
        return !is_known(&w->asic) || !says(orders[asic], w->asic.raw, metric);
    return quirk_is_false_bit(asic, metric);
}

/* A chip that is not known may be any that makes this pair of words; of one that may err the flag
 * is doubted. */
static bool may_be_false(const struct gm_teller *t, const struct throttle_words *w,
                         uint16_t metric) {
    bool candidates = false;
    if (orders[t->asic])
        return is_false_on(t->asic, w, metric);
    for (unsigned asic = 0; asic < ASIC_COUNT; asic++) {
        if (!orders[asic] || !is_known(&w->asic) ||
            translated(orders[asic], w->asic.raw) != w->common.raw)
            continue;
        candidates = true;
        if (is_false_on((enum amd_asic)asic, w, metric))
            return true;
    }
    return !candidates && metric == METRIC_THROTTLE_PPT0;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell_flag(struct gm_teller *t, const struct throttle_word *w, uint16_t metric, bool set,
                      bool doubted) {
    struct gm_reading r = {.value = set, .state = STATE_VALUE};
    if (!is_known(w))
        r = (struct gm_reading){.state = STATE_UNSUPPORTED};
    else if (set && doubted)
        r.doubt = DOUBT_FALSE_BIT;
    t->sample.name = w->field->name;
    t->sample.name_len = w->field->name_len;
    gm_tell(t, metric, INDEX_NONE, w->raw, r, GM_RANK);
}

static void tell_common(struct gm_teller *t, const struct throttle_words *w) {
    for (size_t i = 0; i < sizeof(commons) / sizeof(commons[0]); i++) {
        bool set = (w->common.raw >> commons[i].bit & 1) != 0;
        tell_flag(t, &w->common, commons[i].metric, set,
                  set && may_be_false(t, w, commons[i].metric));
    }
}

/* Limits by the chip's own word; where `common` ones are told, only those that have no common
 * bit. */
static void tell_own(struct gm_teller *t, const struct throttle_words *w, bool common) {
    const uint16_t *order = orders[t->asic];
    for (unsigned bit = 0; order && bit < ASIC_BITS; bit++)
        if (order[bit] && !(common && bit_after_of(order[bit])))
            tell_flag(t, &w->asic, order[bit], (w->asic.raw >> bit & 1) != 0,
                      quirk_is_false_bit(t->asic, order[bit]));
}

void throttle_tell(struct gm_teller *t, const struct throttle_words *words) {
    bool common = words->common.field &&
                  (is_known(&words->common) || !is_known(&words->asic) || !orders[t->asic]);
    if (common)
        tell_common(t, words);
    if (words->asic.field)
        tell_own(t, words, common);
}
