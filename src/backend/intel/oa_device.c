/*
 * What must be known of a device to read its reports: platform, topology, rates. Pure. Hz and counts.
 *
 * Sources: include/drm/intel/pciids.h (device ids), gt/intel_gt_clock_utils.c (rates), and struct
 * drm_i915_query_topology_info of include/uapi/drm/i915_drm.h.
 */
#include "oa.h"

/* ---- platforms ------------------------------------------------------------------------------- */

struct platform {
    const char *name;
    uint32_t eu_threads;
    uint64_t timestamp_hz; /* 0: differs from machine to machine */
};

static const struct platform platforms[OA_PLATFORMS] = {
    [OA_UNKNOWN] = {"unknown", 0, 0},
    [OA_HSW] = {"Haswell", 7, 12500000},
    [OA_BDW] = {"Broadwell", 7, 12500000},
    [OA_CHV] = {"Cherryview", 7, 12500000},
    [OA_SKL] = {"Skylake", 7, 12000000},
    [OA_BXT] = {"Broxton", 6, 19200000},
    [OA_GLK] = {"Gemini Lake", 6, 19200000},
    [OA_KBL] = {"Kaby Lake", 7, 12000000},
    [OA_CFL] = {"Coffee Lake", 7, 12000000},
    [OA_CNL] = {"Cannon Lake", 7, 0},
    [OA_ICL] = {"Ice Lake", 7, 0},
    [OA_EHL] = {"Elkhart Lake", 7, 0},
    [OA_TGL] = {"Tiger Lake", 7, 0},
    [OA_RKL] = {"Rocket Lake", 7, 0},
    [OA_DG1] = {"DG1", 7, 0},
    [OA_ADL] = {"Alder Lake", 7, 0},
    [OA_DG2] = {"DG2", 8, 0},
    [OA_MTL] = {"Meteor Lake", 8, 0},
};

static const struct platform *platform_at(enum oa_platform p) {
    return &platforms[(unsigned)p < OA_PLATFORMS ? p : OA_UNKNOWN];
}

const char *oa_platform_name(enum oa_platform p) {
    return platform_at(p)->name;
}

uint64_t oa_usual_timestamp_hz(enum oa_platform p) {
    return platform_at(p)->timestamp_hz;
}

uint32_t oa_eu_threads(enum oa_platform p) {
    return platform_at(p)->eu_threads;
}

/* ---- PCI ids --------------------------------------------------------------------------------- */

struct ids {
    uint16_t first;
    uint16_t last;
    uint8_t platform;
    uint8_t gt; /* size of its graphics; 0 where nothing hangs on it */
};

/* Later platforms with the same unit and sets stand under the name of the first: Comet and Whiskey Lake under
 * Coffee Lake, Raptor Lake under Alder Lake, Jasper under Elkhart Lake, Arrow under Meteor Lake. */
static const struct ids ids[] = {
    {0x0402, 0x040e, OA_HSW, 1}, {0x0412, 0x041e, OA_HSW, 2}, {0x0422, 0x042e, OA_HSW, 3},
    {0x0a02, 0x0a0e, OA_HSW, 1}, {0x0a12, 0x0a1e, OA_HSW, 2}, {0x0a22, 0x0a2e, OA_HSW, 3},
    {0x0c02, 0x0c0e, OA_HSW, 1}, {0x0c12, 0x0c1e, OA_HSW, 2}, {0x0c22, 0x0c2e, OA_HSW, 3},
    {0x0d02, 0x0d0e, OA_HSW, 1}, {0x0d12, 0x0d1e, OA_HSW, 2}, {0x0d22, 0x0d2e, OA_HSW, 3},
    {0x1602, 0x163e, OA_BDW, 0}, {0x22b0, 0x22b3, OA_CHV, 0}, {0x1902, 0x193d, OA_SKL, 0},
    {0x0a84, 0x0a84, OA_BXT, 0}, {0x1a84, 0x1a85, OA_BXT, 0}, {0x5a84, 0x5a85, OA_BXT, 0},
    {0x3184, 0x3185, OA_GLK, 0}, {0x5902, 0x593b, OA_KBL, 0}, {0x87c0, 0x87c0, OA_KBL, 0},
    {0x3e90, 0x3ea9, OA_CFL, 0}, {0x87ca, 0x87ca, OA_CFL, 0}, {0x9b21, 0x9b21, OA_CFL, 0},
    {0x9b41, 0x9b41, OA_CFL, 0}, {0x9ba2, 0x9bf6, OA_CFL, 0}, {0x5a40, 0x5a5c, OA_CNL, 0},
    {0x8a50, 0x8a71, OA_ICL, 0}, {0x4541, 0x4571, OA_EHL, 0}, {0x4e51, 0x4e71, OA_EHL, 0},
    {0x9a40, 0x9a78, OA_TGL, 0}, {0x9ac0, 0x9af8, OA_TGL, 0}, {0x4c80, 0x4c9a, OA_RKL, 0},
    {0x4905, 0x4909, OA_DG1, 0}, {0x4626, 0x462a, OA_ADL, 0}, {0x4680, 0x46d4, OA_ADL, 0},
    {0xa720, 0xa721, OA_ADL, 0}, {0xa780, 0xa7ad, OA_ADL, 0}, {0x5690, 0x5692, OA_DG2, 3},
    {0x5693, 0x5695, OA_DG2, 1}, {0x5696, 0x5697, OA_DG2, 2}, {0x56a0, 0x56a2, OA_DG2, 3},
    {0x56a3, 0x56a4, OA_DG2, 2}, {0x56a5, 0x56a6, OA_DG2, 1}, {0x56b0, 0x56b1, OA_DG2, 1},
    {0x56b2, 0x56b3, OA_DG2, 2}, {0x56ba, 0x56bd, OA_DG2, 1}, {0x56be, 0x56bf, OA_DG2, 3},
    {0x56c0, 0x56c0, OA_DG2, 3}, {0x56c1, 0x56c1, OA_DG2, 1}, {0x56c2, 0x56c2, OA_DG2, 3},
    {0x7d40, 0x7d41, OA_MTL, 0}, {0x7d45, 0x7d45, OA_MTL, 0}, {0x7d51, 0x7d51, OA_MTL, 0},
    {0x7d55, 0x7d55, OA_MTL, 0}, {0x7d60, 0x7d60, OA_MTL, 0}, {0x7d67, 0x7d67, OA_MTL, 0},
    {0x7dd1, 0x7dd5, OA_MTL, 0}, {0xb640, 0xb640, OA_MTL, 0},
};

static const struct ids *ids_of(uint16_t pci_device) {
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        if (pci_device >= ids[i].first && pci_device <= ids[i].last)
            return &ids[i];
    }
    return NULL;
}

enum oa_platform oa_platform_of(uint16_t pci_device) {
    const struct ids *found = ids_of(pci_device);
    return found ? (enum oa_platform)found->platform : OA_UNKNOWN;
}

/* ---- facts ----------------------------------------------------------------------------------- */

#define VENDOR "8086:"

static uint64_t hex_fact(const char *facts, const char *key) {
    uint64_t v;
    return span_to_hex64(facts_get(facts, key), &v) == ERR_OK ? v : 0;
}

static uint32_t small_fact(const char *facts, const char *key) {
    uint64_t v = facts_u64(facts, key, 0);
    return v <= UINT16_MAX ? (uint32_t)v : 0;
}

static uint16_t pci_fact(const char *facts) {
    struct span pci = facts_get(facts, "pci");
    uint64_t v;
    if (!span_starts(pci, VENDOR) ||
        span_to_hex64(span_skip(pci, sizeof(VENDOR) - 1), &v) != ERR_OK || v > UINT16_MAX)
        return 0;
    return (uint16_t)v;
}

static uint8_t format_fact(const char *facts) {
    struct span text = facts_get(facts, "oa_format");
    uint64_t v;
    if (span_to_u64(text, &v) == ERR_OK)
        return v < OA_FORMAT_COUNT ? (uint8_t)v : OA_FORMAT_NONE;
    return (uint8_t)oa_format_find(text);
}

bool oa_timestamp_can_be(uint64_t hz) {
    return hz >= 1000000 && hz <= UINT64_C(10000000000);
}

void oa_device_settle(struct oa_device *d) {
    static const uint8_t haswell_eu[] = {0, 10, 20, 40};
    const struct ids *found = ids_of(d->pci_device);
    if (d->platform == OA_UNKNOWN && found)
        d->platform = found->platform;
    if (d->platform == OA_UNKNOWN && oa_layout_of(d->format)->haswell)
        d->platform = OA_HSW;
    if (d->gt == 0 && found && found->platform == d->platform)
        d->gt = found->gt;
    /* Its kernels told no topology. */
    if (d->platform == OA_HSW && d->eu == 0 && d->gt < sizeof(haswell_eu))
        d->eu = haswell_eu[d->gt];
    if (!oa_timestamp_can_be(d->timestamp_hz))
        d->timestamp_hz = oa_usual_timestamp_hz(d->platform);
}

void oa_device_from_facts(struct oa_device *d, const char *facts) {
    const struct oa_guid *guid = oa_guid_find(facts_get(facts, "oa_set"));
    *d = (struct oa_device){.format = format_fact(facts),
                            .pci_device = pci_fact(facts),
                            .eu = small_fact(facts, "oa_eu"),
                            .slices = small_fact(facts, "oa_slices"),
                            .subslices = hex_fact(facts, "oa_subslices"),
                            .timestamp_hz = facts_u64(facts, "oa_timestamp_hz", 0),
                            .most_hz = facts_u64(facts, "oa_most_hz", 0)};
    if (guid) {
        d->platform = guid->platform;
        d->set = guid->set;
        d->gt = guid->gt;
    }
    oa_device_settle(d);
}

/* ---- topology -------------------------------------------------------------------------------- */

/* Eight 16-bit numbers, then bits: slices, subslices of each slice, units of each subslice. */
struct topology {
    struct span bits;
    unsigned slices;
    unsigned subslices;
    unsigned eus;
    unsigned subslice_at;
    unsigned subslice_stride;
    unsigned eu_at;
    unsigned eu_stride;
};

static bool is_set(const struct topology *t, size_t at, unsigned bit) {
    return (unsigned char)t->bits.p[at + bit / 8] >> (bit % 8) & 1;
}

static bool read_topology(struct topology *t, struct span bytes) {
    struct cursor c = cursor_over(bytes);
    (void)cursor_le16(&c); /* flags: none is known */
    t->slices = cursor_le16(&c);
    t->subslices = cursor_le16(&c);
    t->eus = cursor_le16(&c);
    t->subslice_at = cursor_le16(&c);
    t->subslice_stride = cursor_le16(&c);
    t->eu_at = cursor_le16(&c);
    t->eu_stride = cursor_le16(&c);
    t->bits = cursor_bytes(&c, cursor_left(&c));
    size_t n = t->bits.n;
    return !c.bad && t->slices > 0 && t->subslices > 0 && t->eus > 0 && (t->slices + 7) / 8 <= n &&
           (t->subslices + 7) / 8 <= t->subslice_stride && (t->eus + 7) / 8 <= t->eu_stride &&
           t->subslice_at + (size_t)t->slices * t->subslice_stride <= n &&
           t->eu_at + (size_t)t->slices * t->subslices * t->eu_stride <= n;
}

static uint32_t count_eus(const struct topology *t, unsigned slice, unsigned subslice) {
    size_t at = t->eu_at + ((size_t)slice * t->subslices + subslice) * t->eu_stride;
    uint32_t n = 0;
    for (unsigned i = 0; i < t->eus; i++)
        n += is_set(t, at, i);
    return n;
}

bool oa_device_topology(struct oa_device *d, struct span topology) {
    struct topology t;
    if (!read_topology(&t, topology))
        return false;
    unsigned wide = t.subslices > 8 ? t.subslices : 8;
    uint64_t mask = 0;
    uint32_t eu = 0, slices = 0;
    for (unsigned s = 0; s < t.slices; s++) {
        if (!is_set(&t, 0, s))
            continue;
        slices++;
        for (unsigned ss = 0; ss < t.subslices; ss++) {
            if (!is_set(&t, t.subslice_at + (size_t)s * t.subslice_stride, ss))
                continue;
            if (s * wide + ss < 64)
                mask |= UINT64_C(1) << (s * wide + ss);
            eu += count_eus(&t, s, ss);
        }
    }
    if (eu == 0)
        return false;
    d->eu = eu;
    d->slices = slices;
    d->subslices = mask;
    return true;
}
