/*
 * One report of the unit, and how much its counters grew until the next one. Pure. Ticks and counts.
 *
 * Sources: drivers/gpu/drm/i915/i915_perf.c (dword 0, context field), gt/intel_lrc_reg.h (values that mean idle).
 */
#include "oa.h"

static uint32_t le32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t le64(const unsigned char *p) {
    return le32(p) | (uint64_t)le32(p + 4) << 32;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* How a platform writes dword 0 and the context. */
struct header_rule {
    uint32_t valid;   /* bit of dword 0: the context field holds one; 0 where no bit tells */
    uint32_t mask;    /* bits of the field that tell contexts apart */
    uint32_t idle;    /* all of these set: nobody runs; 0: no such value */
    uint32_t reasons; /* those that it has */
    bool without;     /* the field holds also without the bit, which then marks a switch only */
};

#define REASONS      UINT32_C(0x3f) /* timer to clock change */
#define REASONS_MMIO UINT32_C(0x7f)
#define BIT_GEN8     (UINT32_C(1) << 25)
#define BIT_GEN9     (UINT32_C(1) << 16)
#define GEN8                                                                                       \
    { BIT_GEN8, 0x1fffff, 0, REASONS, false }
#define GEN9                                                                                       \
    { BIT_GEN9, 0x1fffff, 0, REASONS, false }
#define GEN11                                                                                      \
    { BIT_GEN9, 0xffe0, 0, REASONS, false }
#define GEN12                                                                                      \
    { BIT_GEN9, 0xffe0, 0xffe0, REASONS_MMIO, false }
/* Work is submitted by the firmware on most of these, whose ids stand higher in the same field. */
#define GEN12_GUC                                                                                  \
    { BIT_GEN9, 0x7fffe0, 0xffe0, REASONS_MMIO, false }
#define XE_HP                                                                                      \
    { BIT_GEN9, 0x7fff80, 0x7fff80, REASONS_MMIO, true }

static const struct header_rule rules[OA_PLATFORMS] = {
    [OA_UNKNOWN] = {0, UINT32_MAX, 0, REASONS, true},
    [OA_HSW] = {0, 0, 0, 0, false},
    [OA_BDW] = GEN8,
    [OA_CHV] = GEN8,
    [OA_SKL] = GEN9,
    [OA_BXT] = GEN9,
    [OA_GLK] = GEN9,
    [OA_KBL] = GEN9,
    [OA_CFL] = GEN9,
    [OA_CNL] = GEN9,
    [OA_ICL] = GEN11,
    [OA_EHL] = GEN11,
    [OA_TGL] = GEN12,
    [OA_RKL] = GEN12,
    [OA_DG1] = GEN12,
    [OA_ADL] = GEN12_GUC,
    [OA_DG2] = XE_HP,
    [OA_MTL] = XE_HP,
};

static const struct header_rule *rule_of(const struct oa_device *d, const struct oa_layout *l) {
    static const struct header_rule xe_hp = XE_HP;
    if (l->haswell)
        return &rules[OA_HSW];
    /* Formats from this one on are of those platforms alone. */
    if (d->platform == OA_UNKNOWN && d->format >= OA_FORMAT_OAR_A32U40_A4U32_B8_C8)
        return &xe_hp;
    return &rules[d->platform < OA_PLATFORMS ? d->platform : OA_UNKNOWN];
}

static void read_context(const struct header_rule *rule, uint32_t field, struct oa_report *out) {
    out->reasons = (uint8_t)(out->id >> 19 & rule->reasons);
    out->context_valid =
        rule->valid ? (out->id & rule->valid) != 0 : rule->without && field != OA_NO_CONTEXT;
    out->context = OA_NO_CONTEXT;
    /* A report that a register write asked for has that write's mark for a context. */
    if ((!out->context_valid && !rule->without) || field == OA_NO_CONTEXT ||
        (rule->without && (out->reasons & OA_MMIO)))
        return;
    if (rule->idle == 0 || (field & rule->idle) != rule->idle)
        out->context = field & rule->mask;
}

/* ---- counters -------------------------------------------------------------------------------- */

static void read_run(const struct oa_run_of *r, const unsigned char *p, uint64_t *v) {
    const unsigned char *at = p + r->at;
    v += r->first;
    if (r->bits == 32) {
        for (unsigned i = 0; i < r->count; i++)
            v[i] = le32(at + 4 * i);
    } else if (r->bits == 40) {
        const unsigned char *high = p + r->high;
        for (unsigned i = 0; i < r->count; i++)
            v[i] = le32(at + 4 * i) | (uint64_t)high[i] << 32;
    } else {
        for (unsigned i = 0; i < r->count; i++)
            v[i] = le64(at + 8 * i);
    }
}

bool oa_report_read(const struct oa_device *d, struct span bytes, struct oa_report *out) {
    const struct oa_layout *l = oa_layout_of(d->format);
    if (l->size == 0 || bytes.n < l->size)
        return false;
    const unsigned char *p = (const unsigned char *)bytes.p;
    *out = (struct oa_report){.id = le32(p), .context = OA_NO_CONTEXT};
    for (const struct oa_run_of *r = l->runs; r < l->runs + OA_RUNS && r->count > 0; r++)
        read_run(r, p, out->v);
    out->timestamp = l->wide ? le64(p + 8) : le32(p + 4);
    if (l->haswell) {
        out->clock = out->v[OA_C + 2];
        return true;
    }
    out->clock = l->wide ? le64(p + 24) : le32(p + 12);
    read_context(rule_of(d, l), le32(p + (l->wide ? 16 : 8)), out);
    return true;
}

static const char *const reason_words[] = {
    "timer", "trigger1", "trigger2", "context_switch", "go", "clock_change", "mmio",
};

size_t oa_reason_words(unsigned reasons, char *to, size_t cap) {
    size_t n = 0;
    if (cap == 0)
        return 0;
    for (size_t i = 0; i < sizeof(reason_words) / sizeof(reason_words[0]); i++) {
        size_t len = strlen(reason_words[i]);
        if (!(reasons >> i & 1) || n + len + 2 > cap)
            continue;
        if (n > 0)
            to[n++] = ',';
        memcpy(to + n, reason_words[i], len);
        n += len;
    }
    if (n == 0 && cap > 4) {
        memcpy(to, "none", 4);
        n = 4;
    }
    to[n] = '\0';
    return n;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static uint64_t mask_of(unsigned bits) {
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* By whom a clock that stood still can be told: on Haswell counter C2 is it in known sets only. */
static bool clock_is_sure(const struct oa_device *d, const struct oa_layout *l) {
    return l->clock || (oa_layout_has(l, OA_C + 2) &&
                        (d->set == OA_SET_RENDER_BASIC || d->set == OA_SET_COMPUTE_BASIC));
}

/* While the unit counts the GPU does not sleep, and none runs so slowly. A step back of the timestamp looks like minutes
 * with a few clocks in them. */
#define SLOWEST_HZ UINT64_C(10000000)

static bool crept(const struct oa_device *d, const struct oa_delta *delta) {
    uint64_t hz = oa_mean_hz(d, delta);
    return d->timestamp_hz > 0 && hz < SLOWEST_HZ;
}

/* The bits of all that moved. */
static uint64_t grow_run(const struct oa_run_of *r, const uint64_t *from, const uint64_t *to,
                         uint64_t *out) {
    uint64_t mask = mask_of(r->bits), any = 0;
    for (unsigned i = r->first, end = i + r->count; i < end; i++)
        any |= out[i] = (to[i] - from[i]) & mask;
    return any;
}

bool oa_delta_between(const struct oa_device *d, const struct oa_report *from,
                      const struct oa_report *to, struct oa_delta *out) {
    const struct oa_layout *l = oa_layout_of(d->format);
    uint64_t header = mask_of(l->wide ? 64 : 32);
    uint64_t moved = 0;
    *out = (struct oa_delta){.ticks = (to->timestamp - from->timestamp) & header,
                             .clock = (to->clock - from->clock) & header};
    for (const struct oa_run_of *r = l->runs; r < l->runs + OA_RUNS && r->count > 0; r++) {
        uint64_t any = grow_run(r, from->v, to->v, out->v);
        moved |= r->first < OA_B ? any : 0;
    }
    if (from->timestamp == 0 || to->timestamp == 0 || out->ticks == 0 || out->ticks > header / 2)
        return false;
    return moved == 0 || !clock_is_sure(d, l) || (out->clock > 0 && !crept(d, out));
}

static uint64_t sum(uint64_t a, uint64_t b) {
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Counters of 40 bits and less reach the end after millions of reports at the earliest. */
static void add_run(const struct oa_run_of *r, uint64_t *to, const uint64_t *more) {
    to += r->first;
    more += r->first;
    if (r->bits == 64) {
        for (unsigned i = 0; i < r->count; i++)
            to[i] = sum(to[i], more[i]);
    } else {
        for (unsigned i = 0; i < r->count; i++)
            to[i] += more[i];
    }
}

void oa_delta_add(const struct oa_device *d, struct oa_delta *to, const struct oa_delta *more) {
    const struct oa_layout *l = oa_layout_of(d->format);
    to->ticks = sum(to->ticks, more->ticks);
    to->clock = sum(to->clock, more->clock);
    for (const struct oa_run_of *r = l->runs; r < l->runs + OA_RUNS && r->count > 0; r++)
        add_run(r, to->v, more->v);
}
