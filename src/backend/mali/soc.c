/*
 * Operating points of chips with a Mali-400 or 450: the voltage that goes with a clock, for
 * drivers that say only the clock. A single chip may have up to 10 % more or less, so a voltage
 * from here is marked as assumed. From voltage to clock the tables do not lead. Clocks in Hz,
 * voltages in uV.
 */
#include "mali.h"

struct point {
    uint32_t from_hz; /* the same voltage up to to_hz */
    uint32_t to_hz;
    uint32_t uv;
};
#define POINT(hz, uv)                                                                              \
    { hz, hz, uv }

static const struct point exynos4210[] = {
    POINT(134000000, 950000),
    POINT(160000000, 1100000),
    POINT(267000000, 1050000),
};
static const struct point exynos4412[] = {
    POINT(160000000, 875000),
    POINT(266000000, 900000),
    POINT(350000000, 950000),
    POINT(440000000, 1025000),
};
static const struct point exynos4412_prime[] = {
    POINT(160000000, 875000),  POINT(266000000, 900000),  POINT(350000000, 950000),
    POINT(440000000, 1025000), POINT(533000000, 1075000),
};
static const struct point u8500[] = {
    POINT(299520000, 1150000), POINT(349440000, 1150000), POINT(399360000, 1150000),
    POINT(449280000, 1150000), POINT(499200000, 1162500), {549120000, 798720000, 1387500},
};
static const struct point meson8[] = {
    POINT(182142857, 1150000),
};
static const struct point rk3328[] = {
    POINT(200000000, 1100000),
    POINT(300000000, 1100000),
    POINT(400000000, 1100000),
    POINT(500000000, 1100000),
};
#undef POINT

struct soc {
    const char *name;
    const struct point *points;
    size_t count;
};

#define SOC(name, points)                                                                          \
    { name, points, sizeof(points) / sizeof(points[0]) }
static const struct soc socs[] = {
    SOC("exynos4210", exynos4210),
    SOC("exynos4412", exynos4412),
    SOC("exynos4412-prime", exynos4412_prime),
    SOC("u8500", u8500),
    SOC("meson8", meson8),
    SOC("rk3328", rk3328),
};
#undef SOC
#define SOCS (sizeof(socs) / sizeof(socs[0]))

unsigned mali_soc_find(struct span name) {
    for (size_t i = 0; i < SOCS; i++)
        if (span_equals(name, socs[i].name))
            return (unsigned)i + 1;
    return 0;
}

const char *mali_soc_name(unsigned soc) {
    return soc > 0 && soc <= SOCS ? socs[soc - 1].name : NULL;
}

/* How far the clock is from the point, and which clock of the point is the nearest. */
static uint64_t distance(const struct point *p, uint64_t hz, uint64_t *nearest) {
    *nearest = hz < p->from_hz ? p->from_hz : hz > p->to_hz ? p->to_hz : hz;
    return hz > *nearest ? hz - *nearest : *nearest - hz;
}

uint32_t mali_soc_voltage(unsigned soc, uint64_t clock_hz) {
    const struct soc *table = soc > 0 && soc <= SOCS ? &socs[soc - 1] : NULL;
    uint64_t least = UINT64_MAX;
    uint32_t uv = 0;
    for (size_t i = 0; table && i < table->count; i++) {
        uint64_t nearest;
        uint64_t away = distance(&table->points[i], clock_hz, &nearest);
        if (away < least && away <= nearest / 50) {
            least = away;
            uv = table->points[i].uv;
        }
    }
    return uv;
}
