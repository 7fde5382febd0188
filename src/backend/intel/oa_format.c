/*
 * Where each report format has its counters. Pure, const. Bytes.
 *
 * Sources: enum drm_i915_oa_format of include/uapi/drm/i915_drm.h; offsets as the IGT test suite reads them.
 */
#include "oa.h"

#define U32(first, count, at)                                                                      \
    { (first), (count), 32, (at), 0 }
#define U40(first, count, at, high)                                                                \
    { (first), (count), 40, (at), (high) }
#define U64(first, count, at)                                                                      \
    { (first), (count), 64, (at), 0 }

/* The dword at 60 of B4_C8_A16 is C7 to one reader and A29 to another: neither is read. */
static const struct oa_layout layouts[OA_FORMAT_COUNT] = {
    [OA_FORMAT_NONE] = {.name = "none"},
    [OA_FORMAT_A13] = {.name = "A13", .size = 64, .haswell = true, .runs = {U32(OA_A, 13, 12)}},
    [OA_FORMAT_A29] = {.name = "A29", .size = 128, .haswell = true, .runs = {U32(OA_A, 29, 12)}},
    [OA_FORMAT_A13_B8_C8] = {.name = "A13_B8_C8",
                             .size = 128,
                             .haswell = true,
                             .runs = {U32(OA_A, 13, 12), U32(OA_B, 8, 64), U32(OA_C, 8, 96)}},
    [OA_FORMAT_B4_C8] = {.name = "B4_C8",
                         .size = 64,
                         .haswell = true,
                         .runs = {U32(OA_B, 4, 16), U32(OA_C, 8, 32)}},
    [OA_FORMAT_A45_B8_C8] = {.name = "A45_B8_C8",
                             .size = 256,
                             .haswell = true,
                             .runs = {U32(OA_A, 45, 12), U32(OA_B, 8, 192), U32(OA_C, 8, 224)}},
    [OA_FORMAT_B4_C8_A16] = {.name = "B4_C8_A16",
                             .size = 128,
                             .haswell = true,
                             .runs = {U32(OA_B, 4, 16), U32(OA_C, 7, 32), U32(OA_A + 30, 15, 64)}},
    [OA_FORMAT_C4_B8] = {.name = "C4_B8"},
    [OA_FORMAT_A12] = {.name = "A12"},
    [OA_FORMAT_A12_B8_C8] = {.name = "A12_B8_C8"},
    [OA_FORMAT_A32U40_A4U32_B8_C8] = {.name = "A32u40_A4u32_B8_C8",
                                      .size = 256,
                                      .clock = true,
                                      .runs = {U40(OA_A, 32, 16, 160), U32(OA_A + 32, 4, 144),
                                               U32(OA_B, 8, 192), U32(OA_C, 8, 224)}},
    [OA_FORMAT_OAR_A32U40_A4U32_B8_C8] = {.name = "OAR_A32u40_A4u32_B8_C8",
                                          .size = 256,
                                          .clock = true,
                                          .runs = {U40(OA_A, 32, 16, 160), U32(OA_A + 32, 4, 144),
                                                   U32(OA_B, 8, 192), U32(OA_C, 8, 224)}},
    [OA_FORMAT_A24U40_A14U32_B8_C8] = {.name = "A24u40_A14u32_B8_C8",
                                       .size = 256,
                                       .clock = true,
                                       .runs = {U32(OA_A, 4, 16), U40(OA_A + 4, 20, 32, 164),
                                                U32(OA_A + 24, 4, 112), U40(OA_A + 28, 4, 128, 188),
                                                U32(OA_A + 32, 4, 144), U32(OA_A + 36, 1, 160),
                                                U32(OA_A + 37, 1, 184), U32(OA_B, 8, 192),
                                                U32(OA_C, 8, 224)}},
    [OA_FORMAT_OAM_MPEC8U64_B8_C8] = {.name = "OAM_MPEC8u64_B8_C8",
                                      .size = 192,
                                      .wide = true,
                                      .clock = true,
                                      .runs = {U64(OA_MPEC, 8, 32), U32(OA_B, 8, 96),
                                               U32(OA_C, 8, 128)}},
    [OA_FORMAT_OAM_MPEC8U32_B8_C8] = {.name = "OAM_MPEC8u32_B8_C8",
                                      .size = 128,
                                      .wide = true,
                                      .clock = true,
                                      .runs = {U32(OA_MPEC, 8, 32), U32(OA_B, 8, 64),
                                               U32(OA_C, 8, 96)}},
};

const struct oa_layout *oa_layout_of(unsigned format) {
    return &layouts[format < OA_FORMAT_COUNT ? format : OA_FORMAT_NONE];
}

bool oa_layout_has(const struct oa_layout *l, unsigned counter) {
    for (const struct oa_run_of *r = l->runs; r < l->runs + OA_RUNS && r->count > 0; r++) {
        if (counter >= r->first && counter - r->first < r->count)
            return true;
    }
    return false;
}

bool oa_counter_is_defined(const struct oa_layout *l, unsigned counter) {
    static const uint8_t none[] = {4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 29, 31, 34, 43, 44};
    for (size_t i = 0; l->haswell && i < sizeof(none); i++) {
        if (counter == OA_A + (unsigned)none[i])
            return false;
    }
    return true;
}

bool oa_same_text(struct span s, const char *text) {
    for (size_t i = 0; i < s.n; i++) {
        if (text[i] == '\0' || char_lower(s.p[i]) != char_lower(text[i]))
            return false;
    }
    return text[s.n] == '\0';
}

enum oa_format oa_format_find(struct span name) {
    for (unsigned i = OA_FORMAT_NONE + 1; i < OA_FORMAT_COUNT; i++) {
        if (oa_same_text(name, layouts[i].name))
            return (enum oa_format)i;
    }
    return OA_FORMAT_NONE;
}
