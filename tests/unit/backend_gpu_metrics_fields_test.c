/*
 * Every field of every layout of gpu_metrics comes back with its name, index, metric, unit and
 * value: tables are written byte by byte from the published layouts (tests/lib/gmt_layouts.c),
 * and what a field means stands here once more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/amdgpu/amdgpu.h"
#include "gmt.h"
#include "heard.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What a raw integer is worth in the unit of its metric. */
struct worth {
    uint32_t times;
    uint32_t by;
    const char *unit;
    unsigned power;
};
static const struct worth degc = {1000, 1, "degC", 3};      /* whole degrees */
static const struct worth centi_degc = {10, 1, "degC", 3};  /* hundredths */
static const struct worth percent = {10000, 1, "%", 4};     /* whole */
static const struct worth centi_percent = {100, 1, "%", 4}; /* hundredths */
static const struct worth milli_full = {1000, 1, "%", 4};   /* thousandths of the whole */
static const struct worth watt = {1000000, 1, "W", 6};
static const struct worth milliwatt = {1000, 1, "W", 6};
static const struct worth millivolt = {1000, 1, "V", 6};
static const struct worth milliampere = {1000, 1, "A", 6};
static const struct worth mhz = {1000000, 1, "Hz", 0};
static const struct worth rpm = {1, 1, "rpm", 0};
static const struct worth ns = {1, 1, "s", 9};
static const struct worth ns10 = {10, 1, "s", 9};
static const struct worth us = {1000, 1, "s", 9};
static const struct worth deci_gt = {100000000, 1, "T/s", 0};
static const struct worth gbit = {1000000000, 1, "T/s", 0};
static const struct worth gbyte = {1000000000, 1, "B/s", 0};
static const struct worth mbyte = {1000000, 1, "B/s", 0};
static const struct worth kbyte = {1024, 1, "B", 0};
static const struct worth fraction_joule = {15625, 1024, "J", 6}; /* 2^-16 J in uJ */
static const struct worth number = {1, 1, "1", 0};

enum { ANY = 0 };
/* What a field means in a format; the first row that fits counts. `own` is the second metric that
 * it is, for values that are current or average. */
struct meaning {
    const char *field;
    unsigned format;
    const char *metric; /* NULL: another field is the one that is shown */
    const char *own;
    const struct worth *worth;
};
static const struct meaning meanings[] = {
    {"temperature_edge", ANY, "temperature.edge", NULL, &degc},
    {"temperature_hotspot", ANY, "temperature.hotspot", NULL, &degc},
    {"temperature_mem", ANY, "temperature.mem", NULL, &degc},
    {"temperature_vrgfx", ANY, "temperature.vr.gfx", NULL, &degc},
    {"temperature_vrsoc", ANY, "temperature.vr.soc", NULL, &degc},
    {"temperature_vrmem", ANY, "temperature.vr.mem", NULL, &degc},
    {"temperature_hbm", ANY, "temperature.hbm", NULL, &degc},
    {"temperature_gfx", ANY, "temperature.gfx", NULL, &centi_degc},
    {"temperature_soc", ANY, "temperature.soc", NULL, &centi_degc},
    {"temperature_core", ANY, "temperature.core", NULL, &centi_degc},
    {"temperature_l3", ANY, "temperature.l3", NULL, &centi_degc},
    {"temperature_skin", ANY, "temperature.skin", NULL, &centi_degc},
    {"average_temperature_gfx", ANY, "temperature.gfx.average", NULL, &centi_degc},
    {"average_temperature_soc", ANY, "temperature.soc.average", NULL, &centi_degc},
    {"average_temperature_core", ANY, "temperature.core.average", NULL, &centi_degc},
    {"average_temperature_l3", ANY, "temperature.l3.average", NULL, &centi_degc},
    {"average_gfx_activity", 1, "activity.gfx", NULL, &percent},
    {"average_gfx_activity", 2, "activity.gfx", NULL, &centi_percent}, /* Phoenix */
    {"average_gfx_activity", 3, "activity.gfx", NULL, &percent},       /* newer firmware */
    {"average_umc_activity", ANY, "activity.mem", NULL, &percent},
    {"average_mm_activity", 1, "activity.media", NULL, &percent},
    {"average_mm_activity", 2, "activity.media", NULL, &centi_percent},
    {"average_vcn_activity", ANY, "activity.media", NULL, &centi_percent},
    {"average_ipu_activity", ANY, "activity.npu", NULL, &percent},
    {"average_core_c0_activity", ANY, "activity.core", NULL, &percent},
    {"vcn_activity", ANY, "activity.media", NULL, &percent},
    {"jpeg_activity", ANY, "activity.jpeg", NULL, &percent},
    {"average_socket_power", 1, "power.socket", "power.socket.average", &watt},
    {"average_socket_power", ANY, "power.socket", "power.socket.average", &milliwatt},
    {"curr_socket_power", ANY, "power.socket", "power.socket.current", &watt},
    {"average_cpu_power", ANY, "power.cpu", NULL, &milliwatt},
    {"average_soc_power", ANY, "power.soc", NULL, &milliwatt},
    {"average_gfx_power", ANY, "power.gfx", NULL, &milliwatt},
    {"average_core_power", ANY, "power.core", NULL, &milliwatt},
    {"average_ipu_power", ANY, "power.npu", NULL, &milliwatt},
    {"average_apu_power", ANY, "power.apu", NULL, &milliwatt},
    {"average_dgpu_power", ANY, "power.dgpu", NULL, &milliwatt},
    {"average_all_core_power", ANY, "power.cpu", NULL, &milliwatt},
    {"average_sys_power", ANY, "power.system", NULL, &milliwatt},
    {"stapm_power_limit", ANY, "power.cap", NULL, &milliwatt},
    {"current_stapm_power_limit", ANY, "power.cap.current", NULL, &milliwatt},
    {"energy_accumulator", ANY, "energy.socket", NULL, &fraction_joule}, /* CDNA */
    {"average_gfxclk_frequency", 3, "clock.gfx", "clock.gfx.average", &mhz},
    {"average_socclk_frequency", 3, "clock.soc", "clock.soc.average", &mhz},
    {"average_uclk_frequency", 3, "clock.mem", "clock.mem.average", &mhz},
    {"average_fclk_frequency", 3, "clock.fabric", "clock.fabric.average", &mhz},
    {"average_vclk_frequency", 3, "clock.vcn", "clock.vcn.average", &mhz},
    {"average_vpeclk_frequency", ANY, "clock.vpe", NULL, &mhz},
    {"average_ipuclk_frequency", ANY, "clock.npu", NULL, &mhz},
    {"average_mpipu_frequency", ANY, "clock.npu.mp", NULL, &mhz},
    {"average_gfxclk_frequency", ANY, NULL, "clock.gfx.average", &mhz},
    {"average_socclk_frequency", ANY, NULL, "clock.soc.average", &mhz},
    {"average_uclk_frequency", ANY, NULL, "clock.mem.average", &mhz},
    {"average_fclk_frequency", ANY, NULL, "clock.fabric.average", &mhz},
    {"average_vclk_frequency", ANY, NULL, "clock.vcn.average", &mhz},
    {"average_dclk_frequency", ANY, NULL, "clock.dclk.average", &mhz},
    {"average_vclk0_frequency", ANY, NULL, "clock.vcn.average", &mhz},
    {"average_dclk0_frequency", ANY, NULL, "clock.dclk.average", &mhz},
    {"average_vclk1_frequency", ANY, NULL, "clock.vcn.average", &mhz},
    {"average_dclk1_frequency", ANY, NULL, "clock.dclk.average", &mhz},
    {"current_gfxclk", ANY, "clock.gfx", "clock.gfx.current", &mhz},
    {"current_socclk", ANY, "clock.soc", "clock.soc.current", &mhz},
    {"current_uclk", ANY, "clock.mem", "clock.mem.current", &mhz},
    {"current_fclk", ANY, "clock.fabric", "clock.fabric.current", &mhz},
    {"current_vclk", ANY, "clock.vcn", "clock.vcn.current", &mhz},
    {"current_dclk", ANY, "clock.dclk", "clock.dclk.current", &mhz},
    {"current_vclk0", ANY, "clock.vcn", "clock.vcn.current", &mhz},
    {"current_dclk0", ANY, "clock.dclk", "clock.dclk.current", &mhz},
    {"current_vclk1", ANY, "clock.vcn", "clock.vcn.current", &mhz},
    {"current_dclk1", ANY, "clock.dclk", "clock.dclk.current", &mhz},
    {"current_coreclk", ANY, "clock.core", NULL, &mhz},
    {"current_l3clk", ANY, "clock.l3", NULL, &mhz},
    {"current_core_maxfreq", ANY, "clock.core.max", NULL, &mhz},
    {"current_gfx_maxfreq", ANY, "clock.gfx.max", NULL, &mhz},
    {"voltage_soc", ANY, "voltage.soc", NULL, &millivolt},
    {"voltage_gfx", ANY, "voltage.gfx", NULL, &millivolt},
    {"voltage_mem", ANY, "voltage.mem", NULL, &millivolt},
    {"average_cpu_voltage", ANY, "voltage.cpu", NULL, &millivolt},
    {"average_soc_voltage", ANY, "voltage.soc", NULL, &millivolt},
    {"average_gfx_voltage", ANY, "voltage.gfx", NULL, &millivolt},
    {"average_cpu_current", ANY, "current.cpu", NULL, &milliampere},
    {"average_soc_current", ANY, "current.soc", NULL, &milliampere},
    {"average_gfx_current", ANY, "current.gfx", NULL, &milliampere},
    {"current_fan_speed", ANY, "fan.speed", NULL, &rpm},
    {"fan_pwm", ANY, "fan.pwm", NULL, &milli_full},
    {"pcie_link_width", ANY, "link.width", NULL, &number},
    {"pcie_link_speed", ANY, "link.speed", NULL, &deci_gt},
    {"xgmi_link_width", ANY, "link.xgmi.width", NULL, &number},
    {"xgmi_link_speed", ANY, "link.xgmi.speed", NULL, &gbit},
    {"xgmi_link_status", ANY, "link.xgmi.up", NULL, &number},
    {"xgmi_read_data_acc", ANY, "link.xgmi.read", NULL, &kbyte},
    {"xgmi_write_data_acc", ANY, "link.xgmi.written", NULL, &kbyte},
    {"pcie_bandwidth_inst", ANY, "bandwidth.link", NULL, &gbyte},
    {"mem_max_bandwidth", ANY, "bandwidth.mem.max", NULL, &gbyte},
    {"average_dram_reads", ANY, "bandwidth.mem.read", NULL, &mbyte},
    {"average_dram_writes", ANY, "bandwidth.mem.write", NULL, &mbyte},
    {"average_ipu_reads", ANY, "bandwidth.npu.read", NULL, &mbyte},
    {"average_ipu_writes", ANY, "bandwidth.npu.write", NULL, &mbyte},
    {"system_clock_counter", ANY, "vendor.time", NULL, &ns},
    {"firmware_timestamp", ANY, "vendor.time", NULL, &ns10},
    {"time_filter_alphavalue", ANY, "vendor.time", NULL, &us},
    {"throttle_status", ANY, "vendor.value", NULL, &number},
    {"indep_throttle_status", ANY, "vendor.value", NULL, &number},
    {"gfxclk_lock_status", ANY, "vendor.value", NULL, &number},
    {"num_partition", ANY, "vendor.value", NULL, &number},
    {"gfx_activity_acc", ANY, "vendor.counter", NULL, &number},
    {"mem_activity_acc", ANY, "vendor.counter", NULL, &number},
    {"accumulation_counter", ANY, "vendor.counter", NULL, &number},
    {"pcie_bandwidth_acc", ANY, "vendor.counter", NULL, &number},
    {"pcie_l0_to_recov_count_acc", ANY, "vendor.counter", NULL, &number},
    {"pcie_replay_count_acc", ANY, "vendor.counter", NULL, &number},
    {"pcie_replay_rover_count_acc", ANY, "vendor.counter", NULL, &number},
    {"pcie_nak_sent_count_acc", ANY, "vendor.counter", NULL, &number},
    {"pcie_nak_rcvd_count_acc", ANY, "vendor.counter", NULL, &number},
    {"pcie_lc_perf_other_end_recovery", ANY, "vendor.counter", NULL, &number},
    {"gfx_busy_inst", ANY, "vendor.share", NULL, &percent},
    {"jpeg_busy", ANY, "vendor.share", NULL, &percent},
    {"vcn_busy", ANY, "vendor.share", NULL, &percent},
    {"gfx_busy_acc", ANY, "vendor.counter", NULL, &number},
    {"gfx_below_host_limit_acc", ANY, "vendor.counter", NULL, &number},
    {"gfx_below_host_limit_ppt_acc", ANY, "vendor.counter", NULL, &number},
    {"gfx_below_host_limit_thm_acc", ANY, "vendor.counter", NULL, &number},
    {"gfx_low_utilization_acc", ANY, "vendor.counter", NULL, &number},
    {"gfx_below_host_limit_total_acc", ANY, "vendor.counter", NULL, &number},
    /* Running times: a share only by two readings. */
    {"prochot_residency_acc", ANY, "throttle.residency.prochot", NULL, NULL},
    {"ppt_residency_acc", ANY, "throttle.residency.ppt", NULL, NULL},
    {"socket_thm_residency_acc", ANY, "throttle.residency.socket_thm", NULL, NULL},
    {"vr_thm_residency_acc", ANY, "throttle.residency.vr_thm", NULL, NULL},
    {"hbm_thm_residency_acc", ANY, "throttle.residency.hbm_thm", NULL, NULL},
    {"throttle_residency_prochot", ANY, "throttle.residency.prochot", NULL, NULL},
    {"throttle_residency_spl", ANY, "throttle.residency.spl", NULL, NULL},
    {"throttle_residency_fppt", ANY, "throttle.residency.fppt", NULL, NULL},
    {"throttle_residency_sppt", ANY, "throttle.residency.sppt", NULL, NULL},
    {"throttle_residency_thm_core", ANY, "throttle.residency.thm_core", NULL, NULL},
    {"throttle_residency_thm_gfx", ANY, "throttle.residency.thm_gfx", NULL, NULL},
    {"throttle_residency_thm_soc", ANY, "throttle.residency.thm_soc", NULL, NULL},
};

static const struct meaning *meaning_of(const struct gmt_layout *l, const char *name) {
    for (size_t i = 0; i < COUNT(meanings); i++)
        if (strcmp(meanings[i].field, name) == 0 &&
            (meanings[i].format == ANY || meanings[i].format == l->format))
            return &meanings[i];
    fail_msg("%s of %s is not in the table of this test", name, l->name);
    return NULL;
}

/* Devices of which every unit is known. */
static const char *facts_of(const struct gmt_layout *l) {
    static const char *const by_format[] = {"", "pci=1002:740f\n", "pci=1002:15bf\n",
                                            "pci=1002:150e\nfw.smc=0x0b5d0400\n"};
    return by_format[l->format];
}

static void decode(const struct gmt_layout *l, const uint8_t *bytes, struct gmt_heard *h) {
    struct subject s = {.id = 3, .type = SUBJECT_DEVICE, .name = "", .facts = facts_of(l)};
    struct frame f = {.t_ns = 5, .bytes = (const char *)bytes, .size = l->size, .subject = 3};
    struct sink sink = gmt_sink(h);
    struct counts counts = {0};
    h->count = 0;
    amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
    assert_counts(&counts, l->size);
    assert_int_equal(counts.accepted, l->size);
}

/* Different in every byte from its neighbours, and sane for its unit. */
static uint64_t raw_of(const struct gmt_cell *c, const struct meaning *m, size_t n) {
    if (strcmp(c->name, "xgmi_link_status") == 0)
        return n % 2;
    if (m->worth && strcmp(m->worth->unit, "%") == 0)
        return 1 + n * 7 % 99;
    switch (c->width) {
    case 1:
        return 1 + n % 200;
    case 2:
        return (0x11 + n % 0x60) << 8 | (0x80 ^ (n * 3 & 0x7f));
    case 4:
        return (0x21 + n % 0x50) << 24 | (0xa1 ^ (n & 0x1f)) << 16 | (n & 0xff) << 8 | 0x95;
    default:
        if (m->worth == &gbyte)
            return UINT64_C(0x100000000) + n * 65537 + 0x0203;
        if (m->worth == &number || m->worth == &ns)
            return UINT64_C(0x7102030405000000) | (n & 0xffff) << 8 | 0x5a;
        return UINT64_C(0x0001020304000000) | (n & 0xffff) << 8 | 0x5a;
    }
}

static void fill(const struct gmt_layout *l, uint8_t *bytes) {
    struct gmt_cell c;
    gmt_blank(l, bytes);
    for (size_t n = 0; gmt_cell_at(l, n, &c); n++)
        gmt_store(bytes + c.offset, c.width, raw_of(&c, meaning_of(l, c.name), n));
}

static void check(const struct gmt_layout *l, const struct gmt_heard *h, const struct gmt_cell *c,
                  const struct meaning *m, const char *metric, uint64_t raw) {
    const struct sample *s = gmt_find_field(h, metric, c->field, c->index);
    if (!s)
        fail_msg("%s: no %s of %s[%u]", l->name, metric, c->field, c->index);
    const struct metric_info *info = metric_info(s->metric);
    assert_int_equal(s->raw, raw);
    assert_int_equal(s->t_ns, 5);
    assert_int_equal(s->subject, 3);
    assert_int_equal(s->device, 3);
    assert_int_equal(s->space, SPACE_NONE);
    if (!m->worth) {
        assert_int_equal(s->state, STATE_UNKNOWN);
        assert_string_equal(unit_name(info->unit), "%");
        return;
    }
    assert_int_equal(s->state, STATE_VALUE);
    assert_string_equal(unit_name(info->unit), m->worth->unit);
    assert_int_equal(info->power, m->worth->power);
    if (s->value != (int64_t)mul_div_u64(raw, m->worth->times, m->worth->by))
        fail_msg("%s: %s of %s[%u] is %lld", l->name, metric, c->field, c->index,
                 (long long)s->value);
}

static void each_field(void **state) {
    static struct gmt_heard h;
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        struct gmt_cell c;
        fill(l, bytes);
        decode(l, bytes, &h);
        for (size_t n = 0; gmt_cell_at(l, n, &c); n++) {
            const struct meaning *m = meaning_of(l, c.name);
            uint64_t raw = raw_of(&c, m, n);
            if (m->metric)
                check(l, &h, &c, m, m->metric, raw);
            if (m->own)
                check(l, &h, &c, m, m->own, raw);
        }
    }
}

/* A sample is of a field of the layout, of the header, or a flag of one of the throttle words. */
static void nothing_else(void **state) {
    static struct gmt_heard h;
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        struct gmt_cell c;
        size_t cells = 0;
        size_t flags = 0;
        fill(l, bytes);
        decode(l, bytes, &h);
        for (size_t n = 0; gmt_cell_at(l, n, &c); n++) {
            const struct meaning *m = meaning_of(l, c.name);
            cells += m->metric && m->own ? 2 : 1;
        }
        for (size_t n = 0; n < h.count; n++)
            flags += strncmp(h.list[n].metric, "throttle.", 9) == 0 &&
                     strncmp(h.list[n].metric, "throttle.residency.", 19) != 0;
        const struct sample *also = gmt_find(&h, "power.gpu", INDEX_NONE);
        assert_int_equal(h.count, cells + flags + (also != NULL) + 3);
        assert_int_equal(gmt_find_field(&h, "vendor.value", "structure_size", INDEX_NONE)->value,
                         l->size);
        assert_int_equal(gmt_find_field(&h, "vendor.value", "format_revision", INDEX_NONE)->value,
                         l->format);
        assert_int_equal(gmt_find_field(&h, "vendor.value", "content_revision", INDEX_NONE)->value,
                         l->content);
    }
}

/* All ones in one cell: this cell says nothing, all others what they said. */
static void each_sentinel(void **state) {
    static struct gmt_heard h;
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        struct gmt_cell c;
        fill(l, bytes);
        for (size_t n = 0; gmt_cell_at(l, n, &c); n++) {
            const struct meaning *m = meaning_of(l, c.name);
            uint64_t ones = UINT64_MAX >> (64 - 8 * c.width);
            gmt_store(bytes + c.offset, c.width, ones);
            decode(l, bytes, &h);
            const struct sample *s =
                gmt_find_field(&h, m->own ? m->own : m->metric, c.field, c.index);
            assert_non_null(s);
            assert_int_equal(s->state, STATE_UNSUPPORTED);
            assert_int_equal(s->raw, ones);
            gmt_store(bytes + c.offset, c.width, raw_of(&c, m, n));
        }
    }
}

/* A table in which nothing was ever written says nothing. */
static void all_sentinels(void **state) {
    static struct gmt_heard h;
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        gmt_blank(gmt_layout_at(i), bytes);
        decode(gmt_layout_at(i), bytes, &h);
        for (size_t n = 3; n < h.count; n++)
            assert_int_equal(h.list[n].sample.state, STATE_UNSUPPORTED);
    }
}

/* Temperature, voltage and energy: 0 is "not measured", everywhere. */
static void zero_is_not_measured(void **state) {
    static struct gmt_heard h;
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        struct gmt_cell c;
        gmt_blank(l, bytes);
        for (size_t n = 0; gmt_cell_at(l, n, &c); n++)
            gmt_store(bytes + c.offset, c.width, 0);
        decode(l, bytes, &h);
        for (size_t n = 0; gmt_cell_at(l, n, &c); n++) {
            const struct meaning *m = meaning_of(l, c.name);
            bool nothing = m->worth == &degc || m->worth == &centi_degc || m->worth == &millivolt ||
                           m->worth == &fraction_joule;
            const struct sample *s =
                gmt_find_field(&h, m->metric ? m->metric : m->own, c.field, c.index);
            if (nothing)
                assert_int_equal(s->state, STATE_UNSUPPORTED);
            else if (s->state == STATE_VALUE)
                assert_int_equal(s->value, 0);
        }
    }
}

/* What the screen shows is the current value, else the average. */
static void current_else_average(void **state) {
    static struct gmt_heard h;
    const struct gmt_layout *l = gmt_layout("v1_3");
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    gmt_blank(l, bytes);
    gmt_put(l, bytes, "average_gfxclk_frequency", INDEX_NONE, 2173);
    decode(l, bytes, &h);
    assert_int_equal(gmt_find(&h, "clock.gfx", INDEX_NONE)->value, 2173000000);
    assert_int_equal(gmt_find(&h, "clock.gfx.average", INDEX_NONE)->value, 2173000000);
    assert_int_equal(gmt_find(&h, "clock.gfx.current", INDEX_NONE)->state, STATE_UNSUPPORTED);
    assert_int_equal(gmt_find(&h, "clock.mem", INDEX_NONE)->state, STATE_UNSUPPORTED);

    gmt_put(l, bytes, "current_gfxclk", INDEX_NONE, 2165);
    decode(l, bytes, &h);
    assert_int_equal(gmt_find(&h, "clock.gfx", INDEX_NONE)->value, 2165000000);
    assert_int_equal(gmt_find(&h, "clock.gfx.average", INDEX_NONE)->value, 2173000000);
    assert_int_equal(gmt_find(&h, "clock.gfx.current", INDEX_NONE)->value, 2165000000);

    /* A clock that stands still is a current value too. */
    gmt_put(l, bytes, "current_gfxclk", INDEX_NONE, 0);
    decode(l, bytes, &h);
    assert_int_equal(gmt_find(&h, "clock.gfx", INDEX_NONE)->state, STATE_VALUE);
    assert_int_equal(gmt_find(&h, "clock.gfx", INDEX_NONE)->value, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field),           cmocka_unit_test(nothing_else),
        cmocka_unit_test(each_sentinel),        cmocka_unit_test(all_sentinels),
        cmocka_unit_test(zero_is_not_measured), cmocka_unit_test(current_else_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
