/* The small files of a device as samples: numbers, levels of clocks, the link, sensors by their labels, ROCm
 * processes; and what is said where a file is missing, empty, or holds what it should not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/amdgpu/device.h"
#include "backend/amdgpu/levels.h"
#include "heard.h"

typedef void decoder(const struct subject *s, const struct frame *f, const struct sink *sink,
                     struct counts *counts);

struct body {
    struct buf b;
    struct counts counts;
    struct heard heard;
    uint64_t files;
};

static void put(struct body *b, const char *name, const char *bytes) {
    files_put(&b->b, span_of(name), span_of(bytes), 0);
    b->files++;
}

static void put_failed(struct body *b, const char *name, int sys) {
    files_put(&b->b, span_of(name), span_of(""), sys);
    b->files++;
}

/* Decodes all that was put, and starts anew. */
static void decode(struct body *b, decoder *of, const char *facts) {
    struct subject s = {.id = 7, .device = 2, .pid = 4242, .name = "", .facts = facts};
    struct frame f = {.t_ns = 11, .bytes = b->b.p, .size = b->b.n, .subject = 7};
    struct sink sink = heard_sink(&b->heard);
    heard_clear(&b->heard);
    b->counts = (struct counts){0};
    of(&s, &f, &sink, &b->counts);
    assert_counts(&b->counts, b->files);
    buf_clear(&b->b);
    b->files = 0;
}

static void expect(struct body *b, const char *text) {
    assert_string_equal(heard_text(&b->heard), text);
}

static int set_up(void **state) {
    *state = calloc(1, sizeof(struct body));
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    struct body *b = *state;
    buf_finish(&b->b);
    heard_finish(&b->heard);
    free(b);
    return 0;
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

static void busy_and_memory(void **state) {
    struct body *b = *state;
    put(b, "gpu_busy_percent", "37\n");
    put(b, "mem_busy_percent", "0\n");
    put(b, "vcn_busy_percent", "100");
    put(b, "mem_info_vram_used", "16613376\n");
    put(b, "mem_info_vram_total", "8573157376\n");
    put(b, "mem_info_vis_vram_used", "5\n");
    put(b, "mem_info_vis_vram_total", "268435456\n");
    put(b, "mem_info_gtt_used", "12337152\n");
    put(b, "mem_info_gtt_total", "8342863872\n");
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "activity.gfx gpu_busy_percent:none 370000\n"
              "activity.mem mem_busy_percent:none 0\n"
              "activity.media vcn_busy_percent:none 1000000\n"
              "memory.vram.used mem_info_vram_used:none 16613376\n"
              "memory.vram.total mem_info_vram_total:none 8573157376\n"
              "memory.vram_visible.used mem_info_vis_vram_used:none 5\n"
              "memory.vram_visible.total mem_info_vis_vram_total:none 268435456\n"
              "memory.gtt.used mem_info_gtt_used:none 12337152\n"
              "memory.gtt.total mem_info_gtt_total:none 8342863872\n");
    assert_int_equal(b->counts.accepted, 9);
}

/* What a kind promises is said to be missing; what it does not is not spoken of. */
static void what_is_missing(void **state) {
    struct body *b = *state;
    put_failed(b, "gpu_busy_percent", ENOENT);
    put_failed(b, "mem_busy_percent", ENOENT);
    put_failed(b, "mem_info_vram_used", EACCES);
    put_failed(b, "mem_info_gtt_used", EPERM);
    put_failed(b, "mem_info_vram_total", EBUSY);
    put_failed(b, "current_link_speed", EOPNOTSUPP);
    put(b, "current_link_width", "0\n");
    put(b, "mem_info_gtt_total", "\n");
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "activity.gfx gpu_busy_percent:none unsupported\n"
              "memory.vram.used mem_info_vram_used:none denied\n"
              "memory.gtt.used mem_info_gtt_used:none denied\n"
              "memory.vram.total mem_info_vram_total:none unknown\n"
              "link.speed current_link_speed:none unsupported\n"
              "link.width current_link_width:none unsupported\n"
              "memory.gtt.total mem_info_gtt_total:none unsupported\n");
    assert_int_equal(b->counts.reasons[REASON_FAILED_READ], 6);
}

static void hostile_numbers(void **state) {
    static const char *const bad[] = {
        "-1\n",    "3 7\n", "37%\n", "0x25\n", "99999999999999999999\n",
        "\x1b[2J", "+5\n",  "nan\n", "1e2\n",  "70000\n"};
    struct body *b = *state;
    char *million = malloc(1 << 20);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(b, "gpu_busy_percent", bad[i]);
        decode(b, amdgpu_sysfs_decode, "");
        expect(b, "activity.gfx gpu_busy_percent:none malformed\n");
        assert_int_equal(b->counts.malformed, 1);
    }
    memset(million, '7', 1 << 20);
    files_put(&b->b, span_of("mem_info_vram_used"), (struct span){million, 1 << 20}, 0);
    files_put(&b->b, span_of("gpu_busy_percent"), (struct span){"3\0 \n", 4}, 0);
    put(b, "mem_info_vram_total", "-5\n");
    b->files += 2;
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "memory.vram.used mem_info_vram_used:none malformed\n"
              "activity.gfx gpu_busy_percent:none malformed\n"
              "memory.vram.total mem_info_vram_total:none malformed\n");
    free(million);
}

/* Firmware says more than all of the time now and then: all, and not trusted. */
static void never_above_the_whole(void **state) {
    struct body *b = *state;
    put(b, "gpu_busy_percent", "655\n");
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "activity.gfx gpu_busy_percent:none 1000000 clamped\n");
}

static void link_now_and_most(void **state) {
    struct body *b = *state;
    put(b, "current_link_speed", "16.0 GT/s PCIe\n");
    put(b, "current_link_width", "8\n");
    put(b, "max_link_speed", "2.5 GT/s\n");
    put(b, "max_link_width", "16\n");
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "link.speed current_link_speed:none 16000000000\n"
              "link.width current_link_width:none 8\n"
              "link.speed.max max_link_speed:none 2500000000\n"
              "link.width.max max_link_width:none 16\n");
    put(b, "current_link_speed", "Unknown speed\n");
    put(b, "max_link_speed", "Unknown\n");
    put(b, "current_link_width", "256\n");
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "link.speed current_link_speed:none unsupported\n"
              "link.width current_link_width:none malformed\n");
}

/* ---- levels ----------------------------------------------------------------------------------------------- */

static void levels_of_all_generations(void **state) {
    static const struct {
        const char *text;
        int64_t now;
        int64_t least;
        int64_t most;
    } cases[] = {
        {"0: 800Mhz *\n1: 1100Mhz \n2: 2700Mhz \n", 800, 800, 2700},
        {"0: 500Mhz\n1: 77Mhz *\n2: 2254Mhz\n", 77, 500, 2254}, /* the middle one is no limit */
        {"0: 255Mhz\n1: 0Mhz *\n2: 1841Mhz\n", 0, 255, 1841},
        {"S: 500Mhz\n1: 789Mhz *\n2: 2070Mhz\n", 789, 500, 2070},
        {"S: 19Mhz *\n0: 500Mhz\n1: 800Mhz\n2: 2070Mhz\n", 19, 500, 2070},
        {"0: 400Mhz \n1: 687Mhz *\n2: 687Mhz *\n", 687, 400, 687}, /* two stars: the last */
        {"0: 300Mhz *\n1: 600Mhz *\n2: 900Mhz\n", 600, 300, 900},
        {"0: 1Ghz\n1: 1.5GHZ *\n2: 2gHz\n", 1500, 1000, 2000},
        {"0:500 MHz\r\n10:  900mhz   *  \r\n", 900, 500, 900},
        {"1: 900Mhz *", 900, 900, 900},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct amd_levels l;
        amd_levels_parse(span_of(cases[i].text), false, &l);
        assert_int_equal(l.bad, 0);
        assert_true(l.has_now && l.has_limits);
        assert_int_equal(l.now.value, cases[i].now * 1000000);
        assert_int_equal(l.least.value, cases[i].least * 1000000);
        assert_int_equal(l.most.value, cases[i].most * 1000000);
    }
}

static void a_bad_line_costs_itself(void **state) {
    static const char *const bad[] = {
        "OD_SCLK:",      "800Mhz *",   ": 800Mhz *", "0: 800 *",
        "0: Mhz *",      "0: -5Mhz *", "AB: 5Mhz *", "0: 99999999999Mhz *",
        "\x01\xff\x00x", "*",          "0: 8.Thz *"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct amd_levels l;
        struct buf text;
        buf_init(&text);
        buf_text(&text, "0: 500Mhz\n1: 900Mhz *\n");
        buf_text(&text, bad[i]);
        buf_text(&text, "\n2: 2000Mhz\n");
        amd_levels_parse(buf_span_of(&text), false, &l);
        assert_int_equal(l.bad, 1);
        assert_int_equal(l.count, 3);
        assert_int_equal(l.now.value, 900000000);
        assert_int_equal(l.most.value, 2000000000);
        buf_finish(&text);
    }
}

static void clocks_by_their_levels(void **state) {
    struct body *b = *state;
    put(b, "pp_dpm_sclk", "S: 500Mhz\n1: 789Mhz *\n2: 2070Mhz\n");
    put(b, "pp_dpm_mclk", "0: 400Mhz \n1: 800Mhz \n2: 1000Mhz \n"); /* no star */
    put(b, "pp_dpm_fclk", "\n");
    put(b, "pp_dpm_socclk", "");
    decode(b, amdgpu_sysfs_decode, "apu=0\n");
    expect(b, "clock.gfx pp_dpm_sclk:none 789000000\n"
              "clock.gfx.current pp_dpm_sclk:none 789000000\n"
              "clock.gfx.min pp_dpm_sclk:none 500000000\n"
              "clock.gfx.max pp_dpm_sclk:none 2070000000\n"
              "clock.mem pp_dpm_mclk:none unsupported\n"
              "clock.mem.current pp_dpm_mclk:none unsupported\n"
              "clock.mem.min pp_dpm_mclk:none 400000000\n"
              "clock.mem.max pp_dpm_mclk:none 1000000000\n"
              "clock.fabric pp_dpm_fclk:none unsupported\n"
              "clock.fabric.current pp_dpm_fclk:none unsupported\n"
              "clock.soc pp_dpm_socclk:none unsupported\n"
              "clock.soc.current pp_dpm_socclk:none unsupported\n");
}

/* A card's video engines bear numbers as they do in gpu_metrics, the one of an APU does not. */
static void video_clocks(void **state) {
    struct body *b = *state;
    put(b, "pp_dpm_vclk", "0: 800Mhz *\n");
    put(b, "pp_dpm_dclk1", "0: 700Mhz *\n");
    decode(b, amdgpu_sysfs_decode, "apu=0\n");
    expect(b, "clock.vcn pp_dpm_vclk[0]:none 800000000\n"
              "clock.vcn.current pp_dpm_vclk[0]:none 800000000\n"
              "clock.vcn.min pp_dpm_vclk[0]:none 800000000\n"
              "clock.vcn.max pp_dpm_vclk[0]:none 800000000\n"
              "clock.dclk pp_dpm_dclk1[1]:none 700000000\n"
              "clock.dclk.current pp_dpm_dclk1[1]:none 700000000\n"
              "clock.dclk.min pp_dpm_dclk1[1]:none 700000000\n"
              "clock.dclk.max pp_dpm_dclk1[1]:none 700000000\n");
    put(b, "pp_dpm_vclk", "junk\n");
    decode(b, amdgpu_sysfs_decode, "apu=1\n");
    expect(b, "clock.vcn pp_dpm_vclk:none malformed\n"
              "clock.vcn.current pp_dpm_vclk:none malformed\n");
    assert_int_equal(b->counts.malformed, 1);
}

static void link_by_its_levels(void **state) {
    struct body *b = *state;
    put(b, "pp_dpm_pcie",
        "0: 2.5GT/s, x1 81Mhz \n1: 16.0GT/s, x8 306Mhz *\n2: 16.0GT/s, x8 306Mhz *\n");
    put(b, "pp_dpm_pcie", "\n");
    put(b, "pp_dpm_pcie", "0: 8.0GT/s, x16 *\n1: 8.0GT/s, x16 *\n");
    decode(b, amdgpu_sysfs_decode, "");
    expect(b, "link.speed pp_dpm_pcie:none 16000000000\n"
              "link.width pp_dpm_pcie:none 8\n"
              "link.speed pp_dpm_pcie:none 8000000000\n"
              "link.width pp_dpm_pcie:none 16\n");
}

/* ---- hwmon ------------------------------------------------------------------------------------------------ */

static void sensors_of_a_card(void **state) {
    struct body *b = *state;
    put(b, "temp1_label", "edge\n");
    put(b, "temp1_input", "53000\n");
    put(b, "temp2_label", "junction\n");
    put(b, "temp2_input", "54000\n");
    put(b, "temp2_crit", "100000\n");
    put(b, "temp3_label", "mem\n");
    put(b, "temp3_input", "60000\n");
    put(b, "temp3_crit", "-273150\n"); /* none */
    put(b, "power1_label", "PPT\n");
    put(b, "power1_average", "1000000\n");
    put(b, "power1_cap", "95000000\n");
    put(b, "in0_label", "vddgfx\n");
    put(b, "in0_input", "985\n");
    put(b, "freq1_label", "sclk\n");
    put(b, "freq1_input", "0\n");
    put(b, "freq2_label", "mclk\n");
    put(b, "freq2_input", "96000000\n");
    put(b, "fan1_input", "0\n");
    put(b, "pwm1", "76\n");
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "temperature.edge temp1_input:none 53000\n"
              "temperature.hotspot temp2_input:none 54000\n"
              "temperature.hotspot.crit temp2_crit:none 100000\n"
              "temperature.mem temp3_input:none 60000\n"
              "power.socket.average power1_average:none 1000000\n"
              "power.cap power1_cap:none 95000000\n"
              "voltage.gfx in0_input:none 985000\n"
              "clock.gfx freq1_input:none 0\n"
              "clock.gfx.current freq1_input:none 0\n"
              "clock.mem freq2_input:none 96000000\n"
              "clock.mem.current freq2_input:none 96000000\n"
              "fan.speed fan1_input:none 0\n"
              "fan.pwm pwm1:none 298039\n"
              "power.socket power1_average:none 1000000\n");
    assert_int_equal(b->counts.accepted, 19);
}

/* Two limits of one socket: what they measure is not added. */
static void rails_of_an_apu(void **state) {
    struct body *b = *state;
    put(b, "power1_label", "slowPPT\n");
    put(b, "power1_average", "3218000\n");
    put(b, "power1_input", "4057000\n");
    put(b, "power1_cap", "15000000\n");
    put(b, "power2_label", "fastPPT\n");
    put(b, "power2_average", "3040000\n");
    put(b, "power2_cap", "16000000\n");
    put(b, "in0_label", "vddgfx\n");
    put(b, "in0_input", "0\n"); /* not measured */
    put(b, "in1_label", "vddnb\n");
    put(b, "in1_input", "669\n");
    decode(b, amdgpu_hwmon_decode, "apu=1\n");
    expect(b, "power.socket.average power1_average:none 3218000\n"
              "power.socket.current power1_input:none 4057000\n"
              "power.cap power1_cap:none 15000000\n"
              "power.socket.fast power2_average:none 3040000\n"
              "power.cap.fast power2_cap:none 16000000\n"
              "voltage.gfx in0_input:none unsupported\n"
              "voltage.soc in1_input:none 669000\n"
              "power.socket power1_average:none 3218000\n");
}

static void labels_say_which_sensor(void **state) {
    struct body *b = *state;
    put(b, "temp1_label", "junction\n"); /* as where there is no edge sensor */
    put(b, "temp1_input", "42000\n");
    put(b, "in2_label", "vddboard\n");
    put(b, "in2_input", "900\n");
    put(b, "temp2_input", "41000\n"); /* none: by its number */
    put(b, "freq1_label", "nonsense\n");
    put(b, "freq1_input", "5\n");
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "temperature.hotspot temp1_input:none 42000\n"
              "temperature.hotspot temp2_input:none 41000\n");
    assert_int_equal(b->counts.reasons[REASON_OTHER_KEY], 2);
}

static void one_kind_of_power_is_enough(void **state) {
    struct body *b = *state;
    put_failed(b, "power1_average", ENOENT);
    put(b, "power1_input", "9087000\n");
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "power.socket.current power1_input:none 9087000\n"
              "power.socket power1_input:none 9087000\n");
    put_failed(b, "power1_average", ENOENT);
    put_failed(b, "power1_input", ENOENT);
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "power.socket unsupported\n");
    put_failed(b, "power1_average", ENOENT);
    put_failed(b, "power1_input", EACCES);
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "power.socket denied\n");
    put_failed(b, "power1_average", ENOENT); /* the other was not looked at */
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "");
}

static void missing_and_hostile_sensors(void **state) {
    struct body *b = *state;
    put_failed(b, "temp1_input", ENOENT);
    put_failed(b, "fan1_input", ENOENT);
    put(b, "fan1_enable", "1\n");
    put(b, "pwm1", "256\n");
    put(b, "in0_input", "-775\n");
    put(b, "temp2_input", "-5000\n"); /* it is cold */
    put(b, "temp3_input", "-300000\n");
    put(b, "freq1_input", "3Ghz\n");
    put(b, "power1_average", "-1\n");
    put(b, "temp_input", "1\n");
    put(b, "temp999_input", "1\n");
    put(b, "temp1", "1\n");
    put(b, "temp1_", "1\n");
    put(b, "../../etc", "1\n");
    decode(b, amdgpu_hwmon_decode, "");
    expect(b, "temperature.edge temp1_input:none unsupported\n"
              "fan.speed fan1_input:none unsupported\n"
              "fan.pwm pwm1:none malformed\n"
              "voltage.gfx in0_input:none malformed\n"
              "temperature.hotspot temp2_input:none -5000\n"
              "temperature.mem temp3_input:none malformed\n"
              "clock.gfx freq1_input:none malformed\n"
              "clock.gfx.current freq1_input:none malformed\n"
              "power.socket.average power1_average:none malformed\n");
}

static void more_files_than_a_device_has(void **state) {
    struct body *b = *state;
    for (int i = 0; i < 1000; i++)
        put(b, "temp1_input", "1000\n");
    decode(b, amdgpu_hwmon_decode, "");
    assert_true(b->counts.reasons[REASON_TOO_MANY] > 0);
    assert_true(b->heard.samples < 200);
}

/* ---- processes, bandwidth ----------------------------------------------------------------------------------- */

static void a_rocm_process(void **state) {
    struct body *b = *state;
    put(b, "vram_51234", "2147483648\n");
    put(b, "sdma_51234", "1500\n");
    put(b, "stats_51234/cu_occupancy", "12\n");
    put(b, "queues", "3\n");
    put(b, "pasid", "32771\n");
    decode(b, amdgpu_kfd_decode, "gpu=51234\npart=0\n");
    expect(b, "memory.resident vram:vram 2147483648\n"
              "engine.time sdma:copy 1500000\n"
              "vendor.value cu_occupancy:none 12\n"
              "vendor.value queues:none 3\n");
    assert_int_equal(b->heard.client, 4242);
    assert_int_equal(b->heard.space, SPACE_KFD);
    put_failed(b, "vram_51234", ENOENT);
    put_failed(b, "sdma_51234", ENOENT);
    put_failed(b, "stats_51234/cu_occupancy", ENOENT);
    decode(b, amdgpu_kfd_decode, "gpu=51234\npart=2\n");
    expect(b, "memory.resident vram:vram unsupported\n"
              "engine.time sdma:copy unsupported\n");
    assert_int_equal(b->heard.client, 4242 | UINT64_C(2) << 32);
}

/* The text is the file itself, and so no frame of several. */
static void bandwidth(void **state) {
    static const char *const bad[] = {"",        "6641 815\n", "6641 815 256 1\n",
                                      "a b c\n", "-1 2 3\n",   "99999999999 1 1\n"};
    struct body *b = *state;
    buf_text(&b->b, "6641 815 256\n");
    b->files = 1;
    decode(b, amdgpu_pcie_bw_decode, "");
    expect(b, "bandwidth.link.received pcie_bw:none 1700096 estimated\n"
              "bandwidth.link.sent pcie_bw:none 208640 estimated\n");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        buf_text(&b->b, bad[i]);
        b->files = 1;
        decode(b, amdgpu_pcie_bw_decode, "");
        expect(b, "bandwidth.link.received pcie_bw:none malformed\n"
                  "bandwidth.link.sent pcie_bw:none malformed\n");
    }
}

/* ---- for the collector -------------------------------------------------------------------------------------- */

static void chips(void **state) {
    (void)state;
    assert_int_equal(amdgpu_is_apu("pci=1002:15bf\n"), 1);
    assert_int_equal(amdgpu_is_apu("pci=1002:163f\n"), 1);
    assert_int_equal(amdgpu_is_apu("pci=1002:15d8\n"), 1);
    assert_int_equal(amdgpu_is_apu("pci=1002:747e\n"), 0);
    assert_int_equal(amdgpu_is_apu("pci=1002:687f\n"), -1);
    assert_int_equal(amdgpu_is_apu("pci=8086:15bf\n"), -1);
    assert_int_equal(amdgpu_is_apu(""), -1);
}

static void what_files_are_for(void **state) {
    char label[24];
    struct span name;
    (void)state;
    assert_int_equal(amdgpu_sysfs_metric(span_of("gpu_busy_percent")), METRIC_ACTIVITY_GFX);
    assert_int_equal(amdgpu_sysfs_metric(span_of("pp_dpm_mclk")), METRIC_CLOCK_MEM);
    assert_int_equal(amdgpu_sysfs_metric(span_of("mem_info_vram_used")), METRIC_COUNT);
    assert_int_equal(amdgpu_hwmon_metric(span_of("temp1_input"), span_of("junction")),
                     METRIC_TEMPERATURE_HOTSPOT);
    assert_int_equal(amdgpu_hwmon_metric(span_of("temp1_crit"), span_of("")), METRIC_COUNT);
    name = amdgpu_hwmon_label(span_of("power2_cap_max"), label);
    assert_string_equal(name.p, "power2_label");
    assert_int_equal(amdgpu_hwmon_label(span_of("fan1_input"), label).n, 0);
    assert_int_equal(amdgpu_hwmon_label(span_of("temp123456789012345678_input"), label).n, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(busy_and_memory),
        TEST(what_is_missing),
        TEST(hostile_numbers),
        TEST(never_above_the_whole),
        TEST(link_now_and_most),
        TEST(levels_of_all_generations),
        TEST(a_bad_line_costs_itself),
        TEST(clocks_by_their_levels),
        TEST(video_clocks),
        TEST(link_by_its_levels),
        TEST(sensors_of_a_card),
        TEST(rails_of_an_apu),
        TEST(labels_say_which_sensor),
        TEST(one_kind_of_power_is_enough),
        TEST(missing_and_hostile_sensors),
        TEST(more_files_than_a_device_has),
        TEST(a_rocm_process),
        TEST(bandwidth),
        TEST(chips),
        TEST(what_files_are_for),
    };
#undef TEST
    return cmocka_run_group_tests_name("amdgpu sysfs", tests, NULL, NULL);
}
