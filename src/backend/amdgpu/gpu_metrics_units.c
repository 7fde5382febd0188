/*
 * Raw integers of gpu_metrics to values. What was never written is all ones at its width; what
 * cannot be told apart without the device is not yet known, and never a guess.
 */
#include "gpu_metrics.h"

#define FULL_PERCENT 1000000 /* 100 % in 10^-4 % */

/* value = raw x times / by, in the unit and power of metrics.def. `times` 0: not before the value
 * is looked at: 0 is 0 in every unit; up to `small` it is one of `below`, above one of `above`.
 * */
static const struct scale {
    uint32_t times;
    uint32_t by;
    uint16_t small;
    uint8_t below;
    uint8_t above;
    uint8_t unit;
    uint8_t doubt;
    bool zero_absent;
} scales[QUANTITY_TYPES] = {
    [QUANTITY_PADDING] = {.times = 1, .by = 1, .unit = UNIT_ONE},
    [QUANTITY_COUNT] = {.times = 1, .by = 1, .unit = UNIT_ONE},
    [QUANTITY_DEGC] = {.times = 1000, .by = 1, .unit = UNIT_DEGC, .zero_absent = true},
    [QUANTITY_CENTI_DEGC] = {.times = 10, .by = 1, .unit = UNIT_DEGC, .zero_absent = true},
    [QUANTITY_PERCENT] = {.times = 10000, .by = 1, .unit = UNIT_PERCENT},
    [QUANTITY_CENTI_PERCENT] = {.times = 100, .by = 1, .unit = UNIT_PERCENT},
    [QUANTITY_WATT] = {.times = 1000000, .by = 1, .unit = UNIT_W},
    [QUANTITY_MILLIWATT] = {.times = 1000, .by = 1, .unit = UNIT_W},
    [QUANTITY_MILLIVOLT] = {.times = 1000, .by = 1, .unit = UNIT_V, .zero_absent = true},
    [QUANTITY_MILLIAMPERE] = {.times = 1000, .by = 1, .unit = UNIT_A},
    [QUANTITY_MHZ] = {.times = 1000000, .by = 1, .unit = UNIT_HZ},
    [QUANTITY_RPM] = {.times = 1, .by = 1, .unit = UNIT_RPM},
    /* "milli", says a firmware header, and not of what. */
    [QUANTITY_FAN_MILLI] = {.times = 1000, .by = 1, .unit = UNIT_PERCENT, .doubt = DOUBT_UNIT},
    [QUANTITY_NS] = {.times = 1, .by = 1, .unit = UNIT_S},
    [QUANTITY_10NS] = {.times = 10, .by = 1, .unit = UNIT_S},
    [QUANTITY_US] = {.times = 1000, .by = 1, .unit = UNIT_S},
    [QUANTITY_GTPS] = {.times = 1000000000, .by = 1, .unit = UNIT_TPS},
    [QUANTITY_DECI_GTPS] = {.times = 100000000, .by = 1, .unit = UNIT_TPS},
    [QUANTITY_GBPS] = {.times = 1000000000, .by = 1, .unit = UNIT_BPS},
    [QUANTITY_MBPS] = {.times = 1000000, .by = 1, .unit = UNIT_BPS},
    /* Headers say KB; whether of 1000 or 1024 they do not. */
    [QUANTITY_KB] = {.times = 1024, .by = 1, .unit = UNIT_B, .doubt = DOUBT_UNIT},
    [QUANTITY_LINK_STATE] = {.times = 1, .by = 1, .unit = UNIT_FLAG},
    [QUANTITY_UJ15] = {.times = 15625, .by = 1024, .unit = UNIT_J, .zero_absent = true},
    [QUANTITY_MILLIJOULE] = {.times = 1000, .by = 1, .unit = UNIT_J, .zero_absent = true},
    /* A running time is a share only by two readings. */
    [QUANTITY_RESIDENCY] = {.times = 0,
                            .below = QUANTITY_UNDECIDED,
                            .above = QUANTITY_UNDECIDED,
                            .unit = UNIT_PERCENT},
    [QUANTITY_ASIC_BITS] = {.times = 1, .by = 1, .unit = UNIT_ONE},
    [QUANTITY_COMMON_BITS] = {.times = 1, .by = 1, .unit = UNIT_ONE},
    [QUANTITY_NO_BITS] = {.times = 1, .by = 1, .unit = UNIT_ONE, .zero_absent = true},
    [QUANTITY_ENERGY] = {.times = 0,
                         .above = QUANTITY_UNDECIDED,
                         .unit = UNIT_J,
                         .zero_absent = true},
    [QUANTITY_ACTIVITY] = {.times = 0,
                           .small = 100,
                           .below = QUANTITY_UNDECIDED,
                           .above = QUANTITY_CENTI_PERCENT,
                           .unit = UNIT_PERCENT},
    [QUANTITY_ACTIVITY_WHOLE] = {.times = 0,
                                 .small = 100,
                                 .below = QUANTITY_PERCENT,
                                 .above = QUANTITY_CENTI_PERCENT,
                                 .unit = UNIT_PERCENT},
    [QUANTITY_SOCKET_MW] = {.times = 0,
                            .small = 999,
                            .below = QUANTITY_UNDECIDED,
                            .above = QUANTITY_MILLIWATT,
                            .unit = UNIT_W},
    [QUANTITY_SOCKET_W] = {.times = 0,
                           .small = 999,
                           .below = QUANTITY_WATT,
                           .above = QUANTITY_MILLIWATT,
                           .unit = UNIT_W},
    [QUANTITY_UNDECIDED] = {.times = 0, .unit = UNIT_ONE},
};

unsigned gm_quantity_unit(enum quantity q) {
    return scales[q].unit;
}

struct gm_unit gm_unit_of(enum quantity q) {
    return (struct gm_unit){.quantity = (uint8_t)q,
                            .rank = GM_RANK,
                            .zero_absent = scales[q].zero_absent,
                            .also = METRIC_COUNT};
}

static struct gm_reading state(enum state s) {
    return (struct gm_reading){.state = (uint8_t)s};
}

/* A share of more than the whole is shown as the whole, and not trusted. */
static void clamp(struct gm_reading *r) {
    if (r->value > FULL_PERCENT) {
        r->value = FULL_PERCENT;
        r->doubt |= DOUBT_CLAMPED;
    }
}

static struct gm_reading scaled(const struct scale *s, uint64_t raw, bool negative) {
    bool fits = s->by == 1 && raw <= INT32_MAX;
    uint64_t v = fits ? raw * s->times : mul_div_u64(raw, s->times, s->by);
    if (v > INT64_MAX)
        return state(STATE_MALFORMED);
    struct gm_reading r = {
        .value = negative ? -(int64_t)v : (int64_t)v, .state = STATE_VALUE, .doubt = s->doubt};
    if (s->unit == UNIT_PERCENT)
        clamp(&r);
    return r;
}

static bool says_nothing(const struct gm_unit *u, uint64_t raw, unsigned width) {
    return gm_is_absent(raw, width) || (raw == 0 && u->zero_absent) ||
           (raw != 0 && raw == u->absent) || (u->quantity == QUANTITY_LINK_STATE && raw > 1);
}

struct gm_reading gm_read(const struct gm_unit *u, uint64_t raw, unsigned width, bool is_signed) {
    const struct scale *s = &scales[u->quantity];
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    bool negative = is_signed && (raw & sign) != 0;
    if (says_nothing(u, raw, width))
        return state(STATE_UNSUPPORTED);
    if (negative)
        raw = (sign << 1) - raw;
    if (raw == 0 && u->quantity != QUANTITY_RESIDENCY)
        return (struct gm_reading){.state = STATE_VALUE, .doubt = u->doubt};
    if (s->times == 0)
        s = &scales[raw <= s->small ? s->below : s->above];
    if (s->times == 0)
        return state(STATE_UNKNOWN);
    struct gm_reading r = scaled(s, raw, negative);
    if (r.state == STATE_VALUE)
        r.doubt |= u->doubt;
    return r;
}
