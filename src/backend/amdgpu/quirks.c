/*
 * Devices by PCI id, and what is different about their gpu_metrics table. Sources are named by
 * file of the Linux kernel's driver (drivers/gpu/drm/amd) or by the reading of a real table that
 * showed it.
 */
#include "quirks.h"

#include "gpu_metrics.h"

#define AMD_VENDOR 0x1002

/* amdgpu/amdgpu_drv.c up to Navi 2x; libdrm's data/amdgpu.ids for later chips. In ascending
 * order. */
static const struct {
    uint16_t id;
    uint8_t asic;
} chips[] = {
    {0x1114, ASIC_STRIX},          {0x13c0, ASIC_REMBRANDT},      {0x13db, ASIC_CYAN_SKILLFISH},
    {0x13f9, ASIC_CYAN_SKILLFISH}, {0x13fa, ASIC_CYAN_SKILLFISH}, {0x13fb, ASIC_CYAN_SKILLFISH},
    {0x13fc, ASIC_CYAN_SKILLFISH}, {0x13fe, ASIC_CYAN_SKILLFISH}, {0x1435, ASIC_VANGOGH},
    {0x143f, ASIC_CYAN_SKILLFISH}, {0x1506, ASIC_REMBRANDT},      {0x150e, ASIC_STRIX},
    {0x1586, ASIC_STRIX},          {0x15bf, ASIC_PHOENIX},        {0x15c8, ASIC_PHOENIX},
    {0x15e7, ASIC_CEZANNE},        {0x1636, ASIC_RENOIR},         {0x1638, ASIC_CEZANNE},
    {0x163f, ASIC_VANGOGH},        {0x164c, ASIC_RENOIR},         {0x164d, ASIC_REMBRANDT},
    {0x164e, ASIC_REMBRANDT},      {0x1681, ASIC_REMBRANDT},      {0x1900, ASIC_PHOENIX},
    {0x1901, ASIC_PHOENIX},        {0x1902, ASIC_STRIX},          {0x7310, ASIC_NAVI1X},
    {0x7312, ASIC_NAVI1X},         {0x7318, ASIC_NAVI1X},         {0x7319, ASIC_NAVI1X},
    {0x731a, ASIC_NAVI1X},         {0x731b, ASIC_NAVI1X},         {0x731e, ASIC_NAVI1X},
    {0x731f, ASIC_NAVI1X},         {0x7340, ASIC_NAVI1X},         {0x7341, ASIC_NAVI1X},
    {0x7347, ASIC_NAVI1X},         {0x734f, ASIC_NAVI1X},         {0x7360, ASIC_NAVI1X},
    {0x7362, ASIC_NAVI1X},         {0x7388, ASIC_ARCTURUS},       {0x738c, ASIC_ARCTURUS},
    {0x738e, ASIC_ARCTURUS},       {0x7390, ASIC_ARCTURUS},       {0x73a0, ASIC_NAVI2X},
    {0x73a1, ASIC_NAVI2X},         {0x73a2, ASIC_NAVI2X},         {0x73a3, ASIC_NAVI2X},
    {0x73a5, ASIC_NAVI2X},         {0x73a8, ASIC_NAVI2X},         {0x73a9, ASIC_NAVI2X},
    {0x73ab, ASIC_NAVI2X},         {0x73ac, ASIC_NAVI2X},         {0x73ad, ASIC_NAVI2X},
    {0x73ae, ASIC_NAVI2X},         {0x73af, ASIC_NAVI2X},         {0x73bf, ASIC_NAVI2X},
    {0x73c0, ASIC_NAVI2X},         {0x73c1, ASIC_NAVI2X},         {0x73c3, ASIC_NAVI2X},
    {0x73da, ASIC_NAVI2X},         {0x73db, ASIC_NAVI2X},         {0x73dc, ASIC_NAVI2X},
    {0x73dd, ASIC_NAVI2X},         {0x73de, ASIC_NAVI2X},         {0x73df, ASIC_NAVI2X},
    {0x73e0, ASIC_NAVI2X},         {0x73e1, ASIC_NAVI2X},         {0x73e2, ASIC_NAVI2X},
    {0x73e3, ASIC_NAVI2X},         {0x73e8, ASIC_NAVI2X},         {0x73e9, ASIC_NAVI2X},
    {0x73ea, ASIC_NAVI2X},         {0x73eb, ASIC_NAVI2X},         {0x73ec, ASIC_NAVI2X},
    {0x73ed, ASIC_NAVI2X},         {0x73ef, ASIC_NAVI2X},         {0x73ff, ASIC_NAVI2X},
    {0x7408, ASIC_ALDEBARAN},      {0x740c, ASIC_ALDEBARAN},      {0x740f, ASIC_ALDEBARAN},
    {0x7410, ASIC_ALDEBARAN},      {0x7420, ASIC_NAVI2X},         {0x7421, ASIC_NAVI2X},
    {0x7422, ASIC_NAVI2X},         {0x7423, ASIC_NAVI2X},         {0x7424, ASIC_NAVI2X},
    {0x743f, ASIC_NAVI2X},         {0x7448, ASIC_RDNA3},          {0x7449, ASIC_RDNA3},
    {0x744a, ASIC_RDNA3},          {0x744b, ASIC_RDNA3},          {0x744c, ASIC_RDNA3},
    {0x745e, ASIC_RDNA3},          {0x7460, ASIC_RDNA3},          {0x7461, ASIC_RDNA3},
    {0x7470, ASIC_RDNA3},          {0x747e, ASIC_RDNA3},          {0x7480, ASIC_RDNA3},
    {0x7481, ASIC_RDNA3},          {0x7483, ASIC_RDNA3},          {0x7489, ASIC_RDNA3},
    {0x7499, ASIC_RDNA3},          {0x7550, ASIC_RDNA4},          {0x7551, ASIC_RDNA4},
    {0x7590, ASIC_RDNA4},
};

static enum amd_asic asic_of(uint64_t id) {
    size_t low = 0;
    size_t high = sizeof(chips) / sizeof(chips[0]);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (chips[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    bool found = low < sizeof(chips) / sizeof(chips[0]) && chips[low].id == id;
    return found ? (enum amd_asic)chips[low].asic : ASIC_UNKNOWN;
}

struct amd_device amd_device_of(const char *facts) {
    struct amd_device d = {.asic = ASIC_UNKNOWN};
    struct cursor c = cursor_over(facts_get(facts, "pci"));
    struct span vendor;
    struct span device;
    uint64_t number;
    if (cursor_field(&c, ':', &vendor) && cursor_field(&c, ':', &device) &&
        span_to_hex64(vendor, &number) == ERR_OK && number == AMD_VENDOR &&
        span_to_hex64(device, &number) == ERR_OK)
        d.asic = asic_of(number);
    number = facts_u64(facts, "fw.smc", UINT64_MAX);
    d.fw_known = number <= UINT32_MAX;
    d.fw = d.fw_known ? (uint32_t)number : 0;
    return d;
}

/* ---- quirks ---------------------------------------------------------------------------------- */

#define CHIP(name)     (UINT32_C(1) << ASIC_##name)
#define RENOIR_FAMILY  (CHIP(RENOIR) | CHIP(CEZANNE))
#define CENTI_ACTIVITY (RENOIR_FAMILY | CHIP(REMBRANDT) | CHIP(PHOENIX))
#define NOT_RENOIR     (CHIP(VANGOGH) | CHIP(CYAN_SKILLFISH) | CHIP(REMBRANDT) | CHIP(PHOENIX))

#define ONE(m)          METRIC_##m, METRIC_##m
#define RANGE(from, to) METRIC_##from, METRIC_##to
#define V1              1, 0, UINT8_MAX
#define V1_4_ON         1, 4, UINT8_MAX
#define V2              2, 0, UINT8_MAX
#define V3_0            3, 0, 0
#define ANY_FW          0, 0
#define FW(from, to)    from, to

/* chips, version, effect, firmware, metrics, argument, source */
#define ROW(asics, version, effect, fw, metrics, argument, source)                                 \
    { asics, version, QUIRK_##effect, fw, metrics, argument, source }
static const struct quirk quirks[] = {
    /* activity of APUs */
    ROW(CENTI_ACTIVITY, V2, QUANTITY, ANY_FW, ONE(ACTIVITY_GFX), QUANTITY_CENTI_PERCENT,
        "firmware headers; the driver divides by 100; Phoenix: 79 while gpu_busy_percent is 0"),
    ROW(CENTI_ACTIVITY, V2, QUANTITY, ANY_FW, ONE(ACTIVITY_MEDIA), QUANTITY_CENTI_PERCENT,
        "as activity.gfx"),
    ROW(CHIP(VANGOGH), V2, QUANTITY, ANY_FW, ONE(ACTIVITY_GFX), QUANTITY_ACTIVITY_WHOLE,
        "vangogh_ppt.c does not divide, but for old firmware; a busy table says 100"),
    ROW(CHIP(VANGOGH), V2, QUANTITY, ANY_FW, ONE(ACTIVITY_MEDIA), QUANTITY_ACTIVITY_WHOLE,
        "as activity.gfx"),
    ROW(0, V3_0, QUANTITY, FW(0, 0x5d4600), ONE(ACTIVITY_GFX), QUANTITY_CENTI_PERCENT,
        "smu_v14_0_0_ppt.c divides up to this firmware, compared as a whole word"),
    ROW(0, V3_0, QUANTITY, FW(0x5d4601, UINT32_MAX), ONE(ACTIVITY_GFX), QUANTITY_PERCENT,
        "smu_v14_0_0_ppt.c; Strix with 0x0b5d0400: 3 while gpu_busy_percent is 3"),
    /* power of the socket */
    ROW(NOT_RENOIR, V2, QUANTITY, ANY_FW, ONE(POWER_SOCKET), QUANTITY_MILLIWATT,
        "firmware headers; Phoenix: 3401 while hwmon says 3.1 W"),
    ROW(RENOIR_FAMILY, V2, QUANTITY, ANY_FW, ONE(POWER_SOCKET), QUANTITY_SOCKET_W,
        "smu12_driver_if.h says W; without the firmware's version the size decides"),
    ROW(CHIP(RENOIR), V2, QUANTITY, FW(0, 0x3731ff), ONE(POWER_SOCKET), QUANTITY_MILLIWATT,
        "renoir_ppt.c, SMU 12.0.0"),
    ROW(CHIP(RENOIR), V2, QUANTITY, FW(0x373200, UINT32_MAX), ONE(POWER_SOCKET), QUANTITY_WATT,
        "renoir_ppt.c, SMU 12.0.0"),
    ROW(CHIP(CEZANNE), V2, QUANTITY, FW(0, 0x40000e), ONE(POWER_SOCKET), QUANTITY_MILLIWATT,
        "renoir_ppt.c, SMU 12.0.1"),
    ROW(CHIP(CEZANNE), V2, QUANTITY, FW(0x40000f, UINT32_MAX), ONE(POWER_SOCKET), QUANTITY_WATT,
        "renoir_ppt.c, SMU 12.0.1"),
    ROW(CHIP(CYAN_SKILLFISH), V2, DOUBT, ANY_FW, RANGE(POWER_SOCKET, POWER_CORE), DOUBT_UNIT,
        "cyan_skillfish_ppt.c copies 32 bits of mW into 16: wraps above 65.5 W"),
    ROW(CHIP(CYAN_SKILLFISH), V2, RANK, ANY_FW, RANGE(POWER_SOCKET, POWER_CORE), GM_RANK_LOW,
        "the same; hwmon has all bits"),
    ROW(0, V3_0, VALUE_ABSENT, ANY_FW, ONE(POWER_SYSTEM), 0xf830,
        "Strix tables of two machines: 63536 at a socket of 10 W; nothing is wired to it"),
    /* where the graphics rail feeds nothing else; on Rembrandt and Phoenix the cores hang on it
     * too */
    ROW(CHIP(VANGOGH), V2, ALSO, ANY_FW, ONE(POWER_GFX), METRIC_POWER_GPU,
        "vangogh_ppt.c: Power[2], beside cores in Power[0] and SoC in Power[1]"),
    ROW(CHIP(STRIX), V3_0, ALSO, ANY_FW, ONE(POWER_GFX), METRIC_POWER_GPU,
        "kgd_pp_interface.h: graphics power, beside the sum of all cores in its own field"),
    /* energy */
    ROW(CHIP(ARCTURUS) | CHIP(ALDEBARAN), V1, QUANTITY, ANY_FW, ONE(ENERGY_SOCKET), QUANTITY_UJ15,
        "kgd_pp_interface.h: 15.259 uJ"),
    ROW(0, V1_4_ON, QUANTITY, ANY_FW, ONE(ENERGY_SOCKET), QUANTITY_UJ15,
        "kgd_pp_interface.h, smu_v13_0_6_ppt.c: 15.259 uJ"),
    ROW(CHIP(NAVI2X), V1, QUANTITY, ANY_FW, ONE(ENERGY_SOCKET), QUANTITY_MILLIJOULE,
        "RX 6900 XT: 17691682 in 533 s at 36 W"),
    ROW(CHIP(NAVI2X), V1, DOUBT, ANY_FW, ONE(ENERGY_SOCKET), DOUBT_UNIT,
        "the same: one reading, no document"),
    /* never filled, and left at 0 */
    ROW(CHIP(ALDEBARAN), V1, ZERO_ABSENT, ANY_FW, ONE(ACTIVITY_MEDIA), 0, "aldebaran_ppt.c"),
    ROW(CHIP(ALDEBARAN), V1, ZERO_ABSENT, ANY_FW, RANGE(CLOCK_VCN, CLOCK_DCLK_AVERAGE), 0,
        "aldebaran_ppt.c: averages of the video clocks"),
    ROW(CHIP(ALDEBARAN), V1, ZERO_ABSENT, ANY_FW, ONE(POWER_SOCKET), 0,
        "aldebaran_ppt.c: the secondary die has no sensor"),
    ROW(CHIP(ALDEBARAN), V1, ZERO_ABSENT, ANY_FW, ONE(FAN_SPEED), 0, "aldebaran_ppt.c: no fan"),
    ROW(0, V2, ZERO_AVERAGE_ABSENT, ANY_FW, RANGE(CLOCK_GFX, CLOCK_DCLK_AVERAGE), 0,
        "a busy Van Gogh table: all averages 0, graphics at 1040 MHz"),
    /* what another file says better */
    ROW(CHIP(RDNA3), V1, RANK, ANY_FW, ONE(CLOCK_GFX), GM_RANK_LOW,
        "RX 7600S idle: 1200 MHz while hwmon says 0, its clock is gated"),
    ROW(0, V1, RANK, ANY_FW, RANGE(LINK_SPEED, LINK_WIDTH), GM_RANK_LOW,
        "RX 9070: 16 GT/s while current_link_speed says 32; RDNA 3 falls to 2.5 when out of range"),
    /* limits that are not at work */
    ROW(CHIP(RDNA3), V1, DOUBT, ANY_FW, ONE(THROTTLE_TEMP_HOTSPOT), DOUBT_FALSE_BIT,
        "RX 7600S at 54 degC and W7900 idle: this bit alone, nearly always"),
};
#undef ROW

const struct quirk *quirk_at(size_t i) {
    return i < sizeof(quirks) / sizeof(quirks[0]) ? &quirks[i] : NULL;
}

static bool holds(const struct quirk *q, const struct amd_device *d, unsigned format,
                  unsigned content) {
    bool any_fw = q->fw_min == 0 && q->fw_max == 0;
    return q->format == format && q->content_min <= content && content <= q->content_max &&
           (q->asics == 0 || (q->asics >> d->asic & 1) != 0) &&
           (any_fw || (d->fw_known && q->fw_min <= d->fw && d->fw <= q->fw_max));
}

void quirk_set_init(struct quirk_set *q, const struct amd_device *d, unsigned format,
                    unsigned content) {
    q->count = 0;
    for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
        if (holds(&quirks[i], d, format, content) && q->count < QUIRKS_AT_ONCE)
            q->list[q->count++] = &quirks[i];
}

bool quirk_is_false_bit(enum amd_asic asic, unsigned metric) {
    for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++) {
        const struct quirk *q = &quirks[i];
        if (q->effect == QUIRK_DOUBT && (q->argument & DOUBT_FALSE_BIT) != 0 &&
            (q->asics >> asic & 1) != 0 && q->metric <= metric && metric <= q->metric_last)
            return true;
    }
    return false;
}
