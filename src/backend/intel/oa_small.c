/*
 * The registers of a set without the multiplexer: how busy the GPU and its execution units are, and threads; what B and
 * C counters and samplers say does not come through without it. Pure, const. Addresses and values as the kernel takes them.
 *
 * Source: the boolean and flexible groups of the vendor's RenderBasic sets.
 */
#include "oa.h"

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list[0])))

static const struct oa_register gen8_boolean[] = {
    {0x2710, 0}, {0x2714, 0x00800000}, {0x2720, 0}, {0x2724, 0x00800000}, {0x2740, 0},
};
static const struct oa_register bdw_flex[] = {
    {0xe458, 0x00005004}, {0xe558, 0x00010003}, {0xe658, 0x00012011}, {0xe758, 0x00015014},
    {0xe45c, 0x00051050}, {0xe55c, 0x00053052}, {0xe65c, 0x00055054},
};
static const struct oa_register gen9_flex[] = {
    {0xe458, 0x00005004}, {0xe558, 0x00010003}, {0xe658, 0x00012011}, {0xe758, 0x00015014},
    {0xe45c, 0x00051050}, {0xe55c, 0x00053052}, {0xe65c, 0x00222222},
};
static const struct oa_register icl_flex[] = {
    {0xe458, 0x00005004}, {0xe558, 0x00010003}, {0xe658, 0x00012011},
    {0xe758, 0x00051050}, {0xe45c, 0x00000052}, {0xe65c, 0xffffffff},
};
static const struct oa_register gen12_boolean[] = {
    {0xd920, 0},          {0xd900, 0},       {0xd904, 0x30800000}, {0xd910, 0},
    {0xd914, 0x00800000}, {0xdc40, 0x30000}, {0xd940, 0x18},       {0xd944, 0xfffc},
    {0xdc00, 0x18},       {0xdc04, 0xfffc},  {0xd948, 0x60},       {0xd94c, 0xfff3},
    {0xdc08, 0x60},       {0xdc0c, 0xfff3},
};
static const struct oa_register gen12_flex[] = {
    {0xe458, 0x00804704}, {0xe558, 0x00a04904}, {0xe658, 0x00805705}, {0xe758, 0x00a05905},
    {0xe45c, 0x00808708}, {0xe55c, 0x00a08908}, {0xe65c, 0xffffffff},
};
static const struct oa_register xe_hp_boolean[] = {
    {0xd900, 0}, {0xd904, 0x00800000}, {0xd910, 0}, {0xd914, 0x00800000},
    {0xd920, 0}, {0xdc40, 0},          {0xdd40, 0}, {0x2b2c, 0},
};
static const struct oa_register xe_hp_flex[] = {
    {0xe458, 0x00005004}, {0xe558, 0x00003008}, {0xe658, 0x00011010},
    {0xe758, 0x00050012}, {0xe45c, 0x00052051},
};

#define SET(boolean, flex)                                                                         \
    { (boolean), COUNT(boolean), (flex), COUNT(flex) }

/* Haswell has none: its clock is a counter behind the multiplexer. */
static const struct oa_small sets[OA_PLATFORMS] = {
    [OA_BDW] = SET(gen8_boolean, bdw_flex),    [OA_SKL] = SET(gen8_boolean, gen9_flex),
    [OA_KBL] = SET(gen8_boolean, gen9_flex),   [OA_CFL] = SET(gen8_boolean, gen9_flex),
    [OA_ICL] = SET(gen8_boolean, icl_flex),    [OA_TGL] = SET(gen12_boolean, gen12_flex),
    [OA_ADL] = SET(gen12_boolean, gen12_flex), [OA_DG2] = SET(xe_hp_boolean, xe_hp_flex),
    [OA_MTL] = SET(xe_hp_boolean, xe_hp_flex),
};

bool oa_small_set(enum oa_platform p, struct oa_small *out) {
    *out = (unsigned)p < OA_PLATFORMS ? sets[p] : (struct oa_small){0};
    return out->boolean_count > 0;
}
