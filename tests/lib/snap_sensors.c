/* Machines written by hand whose devices have sensors. */
#include "snap_cases.h"

#include <string.h>

#define MIB   (INT64_C(1) << 20)
#define WHOLE INDEX_NONE
#define MHZ   INT64_C(1000000)
#define WATT  INT64_C(1000000)
#define DEG   1000
#define SHARE 10000

/* What a sensor says: a value, or why there is none. */
struct said {
    uint16_t metric;
    uint16_t index;
    uint8_t state;
    uint8_t doubt;
    int64_t value;
    const char *field;
};

#define SAYS(metric, value, field)                                                                 \
    { METRIC_##metric, WHOLE, STATE_VALUE, 0, value, field }
#define PART(metric, index, value, field)                                                          \
    { METRIC_##metric, index, STATE_VALUE, 0, value, field }
#define ODD(metric, value, why, field)                                                             \
    { METRIC_##metric, WHOLE, STATE_VALUE, DOUBT_##why, value, field }
#define NONE(metric, why, field)                                                                   \
    { METRIC_##metric, WHOLE, STATE_##why, 0, 0, field }

/* The kind of frame that has such a field. */
static const char *kind_of(const char *field) {
    static const struct {
        const char *start;
        const char *kind;
    } kinds[] = {{"temp1", "hwmon"},  {"temp2", "hwmon"},        {"temp3", "hwmon"},
                 {"power1", "hwmon"}, {"freq", "hwmon"},         {"in0", "hwmon"},
                 {"fan1", "hwmon"},   {"pwm", "hwmon"},          {"mem_", "sysfs"},
                 {"gpu_", "sysfs"},   {"current_link", "sysfs"}, {"pp_dpm", "sysfs"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (span_starts(span_of(field), kinds[i].start)) {
            return kinds[i].kind;
        }
    }
    return "gpu-metrics";
}

static void say(struct snap *b, uint32_t device, const struct said *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct value v = {list[i].value, list[i].state, list[i].doubt};
        snap_metric(b, &b->devices[device].metrics, list[i].metric, list[i].index, v, list[i].field)
            ->source = snap_text(b, kind_of(list[i].field));
    }
}
#define SAY(b, device, list) say(b, device, list, sizeof(list) / sizeof((list)[0]))

/* ---- a card ---------------------------------------------------------------------------------- */

static const struct said card[] = {
    SAYS(ACTIVITY_GFX, 55 * SHARE, "gpu_busy_percent"),
    SAYS(ACTIVITY_MEM, 21 * SHARE, "mem_busy_percent"),
    PART(ACTIVITY_MEDIA, 0, 12 * SHARE, "vcn_activity"),
    PART(ACTIVITY_MEDIA, 1, 0, "vcn_activity"),
    SAYS(CLOCK_GFX, 2165 * MHZ, "freq1_input"),
    SAYS(CLOCK_GFX_CURRENT, 2165 * MHZ, "freq1_input"),
    SAYS(CLOCK_GFX_AVERAGE, 2141 * MHZ, "average_gfxclk_frequency"),
    SAYS(CLOCK_SOC, 1200 * MHZ, "current_socclk"),
    SAYS(CLOCK_MEM, 1218 * MHZ, "freq2_input"),
    PART(CLOCK_VCN, 0, 1403 * MHZ, "current_vclk0"),
    PART(CLOCK_VCN, 1, 0, "current_vclk1"),
    SAYS(TEMPERATURE_EDGE, 61 * DEG, "temp1_input"),
    SAYS(TEMPERATURE_HOTSPOT, 78 * DEG, "temp2_input"),
    SAYS(TEMPERATURE_MEM, 70 * DEG, "temp3_input"),
    SAYS(TEMPERATURE_VR_GFX, 64 * DEG, "temperature_vrgfx"),
    SAYS(POWER_SOCKET, 112 * WATT, "power1_average"),
    SAYS(POWER_SOCKET_AVERAGE, 112 * WATT, "power1_average"),
    SAYS(POWER_CAP, 236 * WATT, "power1_cap"),
    SAYS(VOLTAGE_GFX, 912000, "in0_input"),
    SAYS(ENERGY_SOCKET, INT64_C(1234567890000), "energy_accumulator"),
    SAYS(FAN_SPEED, 868, "fan1_input"),
    SAYS(FAN_PWM, 22 * SHARE, "pwm1"),
    SAYS(LINK_SPEED, INT64_C(16000000000), "current_link_speed"),
    SAYS(LINK_WIDTH, 16, "current_link_width"),
    SAYS(BANDWIDTH_LINK, INT64_C(1260000000), "pcie_bandwidth_inst"),
    SAYS(THROTTLE_PPT0, 0, "indep_throttle_status"),
    SAYS(THROTTLE_PPT1, 0, "indep_throttle_status"),
    SAYS(THROTTLE_TDC_GFX, 0, "indep_throttle_status"),
    SAYS(THROTTLE_TEMP_EDGE, 0, "indep_throttle_status"),
    SAYS(THROTTLE_TEMP_HOTSPOT, 0, "indep_throttle_status"),
    SAYS(THROTTLE_TEMP_MEM, 0, "indep_throttle_status"),
    SAYS(VENDOR_VALUE, 1310720, "throttle_status"),
    SAYS(VENDOR_COUNTER, 4019283, "gfx_activity_acc"),
    SAYS(VENDOR_TIME, INT64_C(93784000000000), "system_clock_counter"),
    SAYS(MEMORY_VRAM_USED, 5222 * MIB, "mem_info_vram_used"),
    SAYS(MEMORY_VRAM_TOTAL, 16368 * MIB, "mem_info_vram_total"),
    SAYS(MEMORY_VRAM_VISIBLE_USED, 5222 * MIB, "mem_info_vis_vram_used"),
    SAYS(MEMORY_VRAM_VISIBLE_TOTAL, 16368 * MIB, "mem_info_vis_vram_total"),
    SAYS(MEMORY_GTT_USED, 209 * MIB, "mem_info_gtt_used"),
    SAYS(MEMORY_GTT_TOTAL, 15974 * MIB, "mem_info_gtt_total"),
    SAYS(CLOCK_GFX_MAX, 2524 * MHZ, "pp_dpm_sclk"),
    SAYS(CLOCK_GFX_MIN, 500 * MHZ, "pp_dpm_sclk"),
    SAYS(TEMPERATURE_EDGE_CRIT, 100 * DEG, "temp1_crit"),
    SAYS(TEMPERATURE_HOTSPOT_CRIT, 110 * DEG, "temp2_crit"),
    NONE(TEMPERATURE_VR_SOC, UNSUPPORTED, "temperature_vrsoc"),
    NONE(VOLTAGE_SOC, UNSUPPORTED, "voltage_soc"),
};

void snap_card(struct snap *b) {
    snap_typical(b);
    b->devices[0].nodes = snap_text(b, "card1,renderD128");
    SAY(b, 0, card);
}

void snap_limits(struct snap *b) {
    static const struct said hot[] = {
        SAYS(ACTIVITY_GFX, 99 * SHARE, "gpu_busy_percent"),
        SAYS(CLOCK_GFX, 1410 * MHZ, "freq1_input"),
        SAYS(CLOCK_GFX_MAX, 2524 * MHZ, "pp_dpm_sclk"),
        SAYS(TEMPERATURE_EDGE, 101 * DEG, "temp1_input"),
        SAYS(TEMPERATURE_EDGE_CRIT, 100 * DEG, "temp1_crit"),
        SAYS(TEMPERATURE_HOTSPOT, 110 * DEG, "temp2_input"),
        SAYS(TEMPERATURE_HOTSPOT_CRIT, 110 * DEG, "temp2_crit"),
        SAYS(POWER_SOCKET, 236 * WATT, "power1_average"),
        SAYS(POWER_CAP, 236 * WATT, "power1_cap"),
        SAYS(FAN_SPEED, 3310, "fan1_input"),
        SAYS(LINK_SPEED, INT64_C(16000000000), "current_link_speed"),
        SAYS(LINK_WIDTH, 16, "current_link_width"),
        SAYS(THROTTLE_PPT0, 1, "indep_throttle_status"),
        SAYS(THROTTLE_PPT1, 0, "indep_throttle_status"),
        ODD(THROTTLE_TDC_SOC, 1, FALSE_BIT, "indep_throttle_status"),
        SAYS(THROTTLE_TEMP_EDGE, 1, "indep_throttle_status"),
        SAYS(THROTTLE_TEMP_HOTSPOT, 1, "indep_throttle_status"),
        NONE(THROTTLE_VR_GFX, UNSUPPORTED, "indep_throttle_status"),
        SAYS(MEMORY_VRAM_USED, 15900 * MIB, "mem_info_vram_used"),
        SAYS(MEMORY_VRAM_TOTAL, 16368 * MIB, "mem_info_vram_total"),
    };
    snap_typical(b);
    SAY(b, 0, hot);
}

void snap_doubts(struct snap *b) {
    static const struct said doubts[] = {
        ODD(ACTIVITY_GFX, 77 * SHARE, STUCK, "average_gfx_activity"),
        ODD(ACTIVITY_MEM, 100 * SHARE, CLAMPED, "average_umc_activity"),
        ODD(CLOCK_GFX, 500 * MHZ, WAKING, "average_gfxclk_frequency"),
        ODD(TEMPERATURE_EDGE, 43 * DEG, WAKING, "temperature_edge"),
        NONE(TEMPERATURE_HOTSPOT, DENIED, "temp2_input"),
        NONE(TEMPERATURE_MEM, MALFORMED, "temp3_input"),
        NONE(TEMPERATURE_SOC, UNKNOWN, "temperature_soc"),
        ODD(POWER_SOCKET, 8400000, UNIT, "average_socket_power"),
        ODD(VOLTAGE_GFX, 1000000, ASSUMED_VOLTAGE, ""),
        NONE(FAN_SPEED, UNSUPPORTED, "current_fan_speed"),
        ODD(LINK_WIDTH, 8, WAKING, "pcie_link_width"),
        NONE(LINK_SPEED, MALFORMED, "current_link_speed"),
        ODD(THROTTLE_PPT1, 1, FALSE_BIT, "indep_throttle_status"),
        ODD(THROTTLE_RESIDENCY_PPT, 31 * SHARE, UNIT, "throttle_residency_ppt"),
        NONE(THROTTLE_RESIDENCY_SPL, UNKNOWN, "throttle_residency_spl"),
        NONE(MEMORY_VRAM_USED, DENIED, "mem_info_vram_used"),
        SAYS(MEMORY_VRAM_TOTAL, 16368 * MIB, "mem_info_vram_total"),
        ODD(MEMORY_GTT_USED, 209 * MIB, ESTIMATED, "mem_info_gtt_used"),
    };
    snap_typical(b);
    SAY(b, 0, doubts);
}

/* ---- an APU ---------------------------------------------------------------------------------- */

static void apu_device(struct snap *b) {
    static const struct said apu[] = {
        SAYS(ACTIVITY_GFX, 184200, "average_gfx_activity"),
        SAYS(ACTIVITY_MEDIA, 0, "average_vcn_activity"),
        SAYS(CLOCK_GFX, 1103 * MHZ, "average_gfxclk_frequency"),
        SAYS(CLOCK_FABRIC, 1600 * MHZ, "average_fclk_frequency"),
        SAYS(TEMPERATURE_GFX, 57840, "temperature_gfx"),
        SAYS(TEMPERATURE_SOC, 55120, "temperature_soc"),
        SAYS(TEMPERATURE_SKIN, 41000, "temperature_skin"),
        SAYS(POWER_SOCKET, 14250000, "average_socket_power"),
        SAYS(POWER_GFX, 3100000, "average_gfx_power"),
        SAYS(POWER_CPU, 6320000, "average_all_core_power"),
        NONE(POWER_SYSTEM, UNSUPPORTED, "average_sys_power"),
        ODD(THROTTLE_RESIDENCY_SPPT, 124000, UNIT, "throttle_residency_sppt"),
        SAYS(THROTTLE_RESIDENCY_PROCHOT, 0, "throttle_residency_prochot"),
        SAYS(MEMORY_VRAM_USED, 412 * MIB, "mem_info_vram_used"),
        SAYS(MEMORY_VRAM_TOTAL, 512 * MIB, "mem_info_vram_total"),
        SAYS(MEMORY_GTT_USED, 24666 * MIB, "mem_info_gtt_used"),
        SAYS(MEMORY_GTT_TOTAL, 31897 * MIB, "mem_info_gtt_total"),
    };
    struct snap_device *d = snap_device(b, "0000:c1:00.0", "Radeon 780M", "amdgpu");
    d->clients = 9;
    d->busy_ppm = snap_value(184200);
    snap_engine(b, &d->engines, CLASS_GRAPHICS, snap_value(161000));
    snap_engine(b, &d->engines, CLASS_DECODE, snap_value(0));
    snap_memory(b, &d->memory, "vram", snap_value(380 * MIB));
    snap_memory(b, &d->memory, "gtt", snap_value(24600 * MIB));
    SAY(b, 0, apu);
}

static void apu_cores(struct snap *b) {
    for (uint16_t i = 0; i < 8; i++) {
        struct run *run = &b->devices[0].metrics;
        bool is_there = i < 6;
        struct value clock =
            is_there ? snap_value((1400 + i * 517 % 3300) * MHZ) : snap_none(STATE_UNSUPPORTED);
        snap_metric(b, run, METRIC_ACTIVITY_CORE, i,
                    is_there ? snap_value(i * 197 % 101 * SHARE) : snap_none(STATE_UNSUPPORTED),
                    "average_core_c0_activity");
        snap_metric(b, run, METRIC_CLOCK_CORE, i, clock, "current_coreclk");
        snap_metric(b, run, METRIC_TEMPERATURE_CORE, i, snap_value((52 + i) * DEG),
                    "temperature_core");
        snap_metric(b, run, METRIC_POWER_CORE, i, snap_value(410000 + i * 137000),
                    "average_core_power");
        snap_metric(b, run, METRIC_ACTIVITY_NPU, i, snap_none(STATE_UNSUPPORTED),
                    "average_ipu_activity");
    }
}

void snap_apu(struct snap *b) {
    snap_init(b);
    apu_device(b);
    apu_cores(b);
    struct snap_process *p = snap_process(b, 2201, 0, "gnome-shell", "/usr/bin/gnome-shell");
    p->type = TYPE_GRAPHICS;
    p->busy_ppm = snap_value(31000);
    snap_engine(b, &p->engines, CLASS_GRAPHICS, p->busy_ppm);
    p = snap_process(b, 7120, 0, "llama-server", "llama-server -m model.gguf");
    p->type = TYPE_GRAPHICS;
    p->busy_ppm = snap_value(130000);
    p->vram.bytes = snap_value(310 * MIB);
    p->gtt.bytes = snap_value(24001 * MIB);
    snap_engine(b, &p->engines, CLASS_GRAPHICS, p->busy_ppm);
}

/* ---- a laptop -------------------------------------------------------------------------------- */

void snap_awake(struct snap *b) {
    static const struct said inner[] = {
        SAYS(ACTIVITY_GFX, 6 * SHARE, "gpu_busy_percent"),
        SAYS(TEMPERATURE_EDGE, 44 * DEG, "temp1_input"),
        SAYS(POWER_SOCKET, 7100000, "power1_average"),
        SAYS(CLOCK_GFX, 800 * MHZ, "freq1_input"),
    };
    static const struct said outer[] = {
        SAYS(ACTIVITY_GFX, 0, "gpu_busy_percent"),
        SAYS(TEMPERATURE_EDGE, 42 * DEG, "temp1_input"),
        SAYS(POWER_SOCKET, 8 * WATT, "power1_average"),
        SAYS(POWER_CAP, 100 * WATT, "power1_cap"),
        SAYS(CLOCK_GFX, 0, "freq1_input"),
        SAYS(FAN_SPEED, 0, "fan1_input"),
        SAYS(MEMORY_VRAM_USED, 31 * MIB, "mem_info_vram_used"),
        SAYS(MEMORY_VRAM_TOTAL, 8176 * MIB, "mem_info_vram_total"),
    };
    static const struct {
        int32_t pid;
        const char *name;
    } holders[] = {
        {1844, "Xwayland"}, {2201, "gnome-shell"}, {3310, "steamwebhelper"}, {4402, "discord"}};
    snap_init(b);
    snap_device(b, "0000:c4:00.0", "Radeon 680M", "amdgpu")->busy_ppm = snap_value(6 * SHARE);
    SAY(b, 0, inner);
    snap_device(b, "0000:03:00.0", "Radeon RX 7600S", "amdgpu")->busy_ppm = snap_value(0);
    SAY(b, 1, outer);
    for (uint32_t i = 0; i < 4; i++) {
        struct snap_process *p =
            snap_process(b, holders[i].pid, i == 1 ? 0 : 1, holders[i].name, "");
        b->devices[p->device].clients++;
        p->busy_ppm = snap_value(i == 1 ? 6 * SHARE : 0);
        p->vram.bytes = snap_value((int64_t)(i + 1) * MIB);
        p->idle_holder = i != 1;
        b->devices[p->device].kept_awake += p->idle_holder;
        snap_engine(b, &p->engines, CLASS_GRAPHICS, p->busy_ppm);
    }
}

void snap_all_metrics(struct snap *b, uint32_t seed) {
    snap_many(b, 2, 9, seed);
    for (uint32_t i = 0; i < METRIC_COUNT + 3; i++) {
        uint32_t mixed = (i + seed) * 2654435761u;
        for (uint32_t k = 0; k < mixed % 9; k++) {
            struct value v = {(int64_t)mixed << (mixed >> 3) % 31, STATE_VALUE, 0};
            v.doubt = (uint8_t)(mixed % 3 ? 0 : mixed >> 9);
            v.state = (uint8_t)(mixed % 7 ? STATE_VALUE : (mixed >> 5) % (STATE_COUNT + 1));
            snap_metric(b, &b->devices[0].metrics, i, k == 0 ? WHOLE : k - 1, v,
                        k % 5 ? "a_field" : "an_other_field");
        }
    }
}

/* ---- many ------------------------------------------------------------------------------------ */

void snap_cards(struct snap *b, uint32_t devices, uint32_t seed) {
    snap_many(b, devices, devices * 5, seed);
    for (uint32_t i = 0; i < devices; i++) {
        struct run *run = &b->devices[i].metrics;
        int64_t n = (int64_t)(i + seed);
        if (i % 3 == 2 || b->devices[i].state != DEVICE_ACTIVE) {
            continue;
        }
        snap_metric(b, run, METRIC_ACTIVITY_GFX, WHOLE, b->devices[i].busy_ppm, "gpu_busy_percent");
        snap_metric(b, run, METRIC_CLOCK_GFX, WHOLE, snap_value(n * 317 % 2700 * MHZ),
                    "freq1_input");
        snap_metric(b, run, METRIC_TEMPERATURE_EDGE, WHOLE, snap_value((40 + n * 7 % 60) * DEG),
                    "temp1_input");
        snap_metric(b, run, METRIC_POWER_SOCKET, WHOLE, snap_value(n * 41 % 300 * WATT),
                    "power1_average");
        snap_metric(b, run, METRIC_POWER_CAP, WHOLE, snap_value(300 * WATT), "power1_cap");
        snap_metric(b, run, METRIC_THROTTLE_PPT0, WHOLE, snap_value(n % 4 == 0),
                    "indep_throttle_status");
        snap_metric(b, run, METRIC_MEMORY_VRAM_USED, WHOLE, snap_value((n * 1201 % 24000) * MIB),
                    "mem_info_vram_used");
        snap_metric(b, run, METRIC_MEMORY_VRAM_TOTAL, WHOLE, snap_value(24560 * MIB),
                    "mem_info_vram_total");
    }
}
