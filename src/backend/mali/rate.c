/*
 * Clock and voltage of the GPU by what the driver said of them, one half at a time or both. Pure.
 * Hz and uV.
 *
 * A number that cannot be makes its half unknown. While there is no power the halves stay what
 * they were: the first event about either ends that state, and so does a job that starts, since
 * some drivers tell of the power's going and not of its coming.
 */
#include "mali.h"

#define CLOCK_MAX   UINT64_C(2000000000)
#define VOLTAGE_MAX 2000000u

/* From which number on an event's clock is in Hz, in kHz; its voltage in uV, in mV. */
#define HZ_FROM  1000000u
#define KHZ_FROM 10000u
#define UV_FROM  100000u
#define MV_FROM  100u

static uint64_t clock_or_unknown(uint64_t hz) {
    return hz <= CLOCK_MAX ? hz : 0;
}

static uint32_t voltage_or_unknown(uint64_t uv) {
    return uv <= VOLTAGE_MAX ? (uint32_t)uv : 0;
}

/* The voltage in force, and whether nobody measured it. */
static uint32_t voltage_now(const struct mali_rate *r, bool *assumed) {
    *assumed = false;
    if (r->voltage_uv > 0 || r->clock_hz == 0)
        return r->voltage_uv;
    uint32_t uv = mali_soc_voltage(r->soc, r->clock_hz);
    uv = uv > 0 ? uv : r->assumed_uv;
    *assumed = uv > 0;
    return uv;
}

static void said(struct mali_rate *r) {
    bool assumed;
    r->off = false;
    if (r->clock_hz > 0 && voltage_now(r, &assumed) > 0) {
        r->good_clock_hz = r->clock_hz;
        r->good_voltage_uv = r->voltage_uv;
    }
}

void mali_rate_init(struct mali_rate *r, const char *facts) {
    *r = (struct mali_rate){.soc = mali_soc_find(facts_get(facts, "soc"))};
    r->assumed_uv = voltage_or_unknown(facts_u64(facts, "assume_voltage_uv", 0));
    r->voltage_uv = voltage_or_unknown(facts_u64(facts, "voltage_uv", 0));
    mali_rate_clock(r, facts_u64(facts, "clock_hz", 0));
}

void mali_rate_clock(struct mali_rate *r, uint64_t clock_hz) {
    r->clock_hz = clock_or_unknown(clock_hz);
    said(r);
}

void mali_rate_voltage(struct mali_rate *r, uint32_t voltage_uv) {
    r->voltage_uv = voltage_or_unknown(voltage_uv);
    said(r);
}

void mali_rate_pair(struct mali_rate *r, uint32_t clock, uint32_t voltage) {
    if (clock == 0 && voltage == 0) {
        r->off = true;
        return;
    }
    uint64_t hz_in_one = clock >= HZ_FROM ? 1 : clock >= KHZ_FROM ? 1000 : 1000000;
    uint64_t uv_in_one = voltage >= UV_FROM ? 1 : voltage >= MV_FROM ? 1000 : 0;
    r->clock_hz = clock_or_unknown(clock * hz_in_one);
    r->voltage_uv = voltage_or_unknown(voltage * uv_in_one);
    said(r);
}

bool mali_rate_wake(struct mali_rate *r) {
    if (!r->off)
        return false;
    r->off = false;
    r->clock_hz = r->good_clock_hz;
    r->voltage_uv = r->good_voltage_uv;
    return true;
}

struct track_rate mali_rate_now(const struct mali_rate *r) {
    bool assumed;
    if (r->off)
        return (struct track_rate){.off = true};
    uint32_t uv = voltage_now(r, &assumed);
    return (struct track_rate){.clock_hz = r->clock_hz,
                               .voltage_uv = uv,
                               .doubt = assumed ? DOUBT_ASSUMED_VOLTAGE : DOUBT_NONE};
}
