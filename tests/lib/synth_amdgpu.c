/*
 * Sensors of a synthetic amdgpu card. Everything follows from how busy it is: clock, voltage, power (idle 18 W,
 * then in step with clock and voltage squared), temperatures, fan. gpu_metrics is table v1.3, 120 bytes.
 */
#include "synth_gpu.h"

#include <stdio.h>
#include <string.h>

#define METRICS_SIZE 120
#define NOT_THERE    UINT64_MAX

struct sensors {
    unsigned busy_percent;
    unsigned media_percent;
    unsigned memory_percent;
    unsigned clock_mhz;
    unsigned memory_mhz;
    unsigned voltage_mv;
    unsigned power_w;
    unsigned edge_c;
    unsigned fan_rpm;
};

static struct sensors sensors_of(const struct gpu *g, const uint32_t duty_ppm[ROLE_COUNT]) {
    uint64_t busy = (uint64_t)duty_ppm[ROLE_GFX] + duty_ppm[ROLE_COMPUTE];
    uint64_t media = (uint64_t)duty_ppm[ROLE_DECODE] + duty_ppm[ROLE_ENCODE];
    struct sensors s;
    busy = busy < 1000000 ? busy : 1000000;
    media = media < 1000000 ? media : 1000000;
    s.busy_percent = (unsigned)(busy / 10000);
    s.media_percent = (unsigned)(media / 10000);
    s.memory_percent = s.busy_percent / 3;
    s.clock_mhz = 500 + (unsigned)(busy * 1900 / 1000000);
    s.memory_mhz = s.busy_percent > 10 ? 2425 : 456;
    s.voltage_mv = 720 + (unsigned)(busy * 330 / 1000000);
    s.power_w = 18 + (unsigned)((busy * 13 + media) * g->model->cap_w / 16 / 1000000);
    s.edge_c = 36 + (unsigned)(busy * 30 / 1000000);
    s.fan_rpm = busy > 200000 ? 600 + (unsigned)(busy * 700 / 1000000) : 0;
    return s;
}

/* ---- gpu_metrics ----------------------------------------------------------------------------------------- */

static void put_le(unsigned char *at, unsigned bytes, uint64_t value) {
    for (unsigned i = 0; i < bytes; i++, value >>= 8)
        at[i] = (unsigned char)value;
}

static bool put_metrics(int root, const struct gpu *g, const struct sensors *s, int64_t t_ms) {
    const struct {
        unsigned offset, bytes;
        uint64_t value;
    } field[] = {
        {0, 2, METRICS_SIZE},
        {2, 1, 1},
        {3, 1, 3},
        {4, 2, s->edge_c},
        {6, 2, s->edge_c + 11},
        {8, 2, s->edge_c + 14},
        {10, 2, s->edge_c + 4},
        {12, 2, s->edge_c + 2},
        {14, 2, s->edge_c + 6},
        {16, 2, s->busy_percent},
        {18, 2, s->memory_percent},
        {20, 2, s->media_percent},
        {22, 2, s->power_w},
        {24, 8, 0},
        {32, 8, (uint64_t)(UPTIME_MS + t_ms) * 1000000},
        {40, 2, s->clock_mhz},
        {42, 2, NOT_THERE},
        {44, 2, s->memory_mhz},
        {46, 2, s->media_percent ? 1800 : 25},
        {48, 2, s->media_percent ? 1500 : 25},
        {50, 2, 25},
        {52, 2, 25},
        {54, 2, s->clock_mhz},
        {56, 2, 800},
        {58, 2, s->memory_mhz},
        {60, 2, s->media_percent ? 1800 : 25},
        {62, 2, s->media_percent ? 1500 : 25},
        {64, 2, 25},
        {66, 2, 25},
        {68, 4, 0},
        {72, 2, s->fan_rpm},
        {74, 2, 16},
        {76, 2, 160},
        {78, 2, NOT_THERE},
        {80, 4, NOT_THERE},
        {84, 4, NOT_THERE},
        {88, 8, NOT_THERE},
        {96, 8, NOT_THERE},
        {104, 2, 768},
        {106, 2, s->voltage_mv},
        {108, 2, 704},
        {110, 2, NOT_THERE},
        {112, 8, 0},
    };
    unsigned char table[METRICS_SIZE] = {0};
    char path[320];
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        put_le(table + field[i].offset, field[i].bytes, field[i].value);
    snprintf(path, sizeof path, "%s/gpu_metrics", g->path);
    return put_file(root, path, table, sizeof table);
}

/* ---- text files -------------------------------------------------------------------------------------------- */

struct number {
    const char *file;
    uint64_t value;
};

static bool put_numbers(int root, const char *dir, const struct number *list, size_t n) {
    char path[320];
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, list[i].file);
        if (!put_line(root, path, "%llu", (unsigned long long)list[i].value))
            return false;
    }
    return true;
}

static bool put_hwmon(int root, const struct gpu *g, unsigned index, const struct sensors *s) {
    static const char *const labels[][2] = {{"temp1_label", "edge"}, {"temp2_label", "junction"},
                                            {"temp3_label", "mem"},  {"in0_label", "vddgfx"},
                                            {"power1_label", "PPT"}, {"freq1_label", "sclk"},
                                            {"freq2_label", "mclk"}};
    const struct number list[] = {
        {"temp1_input", s->edge_c * 1000},
        {"temp1_crit", 100000},
        {"temp2_input", s->edge_c * 1000 + 11000},
        {"temp2_crit", 110000},
        {"temp3_input", s->edge_c * 1000 + 14000},
        {"temp3_crit", 108000},
        {"in0_input", s->voltage_mv},
        {"power1_average", s->power_w * UINT64_C(1000000)},
        {"power1_cap", g->model->cap_w * UINT64_C(1000000)},
        {"power1_cap_max", (g->model->cap_w + 44) * UINT64_C(1000000)},
        {"power1_cap_min", 20000000},
        {"freq1_input", s->clock_mhz * UINT64_C(1000000)},
        {"freq2_input", s->memory_mhz * UINT64_C(1000000)},
        {"fan1_input", s->fan_rpm},
        {"fan1_min", 0},
        {"fan1_max", 3300},
        {"fan1_enable", 1},
        {"pwm1", s->fan_rpm * 255 / 3300},
        {"pwm1_enable", 2},
    };
    char dir[256], path[320];
    snprintf(dir, sizeof dir, "%s/hwmon/hwmon%u", g->path, index);
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, labels[i][0]);
        if (!put_line(root, path, "%s", labels[i][1]))
            return false;
    }
    return put_numbers(root, dir, list, sizeof list / sizeof list[0]);
}

static bool put_levels(int root, const struct gpu *g, const struct sensors *s) {
    char path[320];
    snprintf(path, sizeof path, "%s/pp_dpm_sclk", g->path);
    bool fine = put_line(root, path, "0: 500Mhz\n1: %uMhz *\n2: 2400Mhz", s->clock_mhz);
    snprintf(path, sizeof path, "%s/pp_dpm_mclk", g->path);
    return fine && put_line(root, path, "0: 96Mhz\n1: 456Mhz%s\n2: 2425Mhz%s",
                            s->memory_mhz == 456 ? " *" : "", s->memory_mhz == 456 ? "" : " *");
}

bool amdgpu_update(int root, const struct gpu *g, unsigned index, const struct usage *used,
                   const uint32_t duty_ppm[ROLE_COUNT], int64_t t_ms) {
    struct sensors s = sensors_of(g, duty_ppm);
    uint64_t vram_kib = used->device_kib + 262144;
    const struct number list[] = {
        {"gpu_busy_percent", s.busy_percent},
        {"mem_busy_percent", s.memory_percent},
        {"mem_info_vram_total", g->model->vram_kib * 1024},
        {"mem_info_vram_used",
         (vram_kib < g->model->vram_kib ? vram_kib : g->model->vram_kib) * 1024},
        {"mem_info_vis_vram_total", g->model->vram_kib * 1024},
        {"mem_info_gtt_total", UINT64_C(15989) << 20},
        {"mem_info_gtt_used", (used->system_kib + 16384) * 1024},
    };
    return put_numbers(root, g->path, list, sizeof list / sizeof list[0]) &&
           put_hwmon(root, g, index, &s) && put_levels(root, g, &s) &&
           put_metrics(root, g, &s, t_ms);
}
