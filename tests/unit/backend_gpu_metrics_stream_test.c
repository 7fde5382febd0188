/*
 * gpu_metrics v1.9: tables are put together attribute by attribute, in the types that drivers
 * were seen to write and in others; then cut, lied about and damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/amdgpu/amdgpu.h"
#include "gmt.h"
#include "heard.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { NO_INDEX = INDEX_NONE };
enum type { U8, S8, U16, S16, U32, S32, U64, S64 };
enum said { NONE, MHZ, DEGC, WATT, NS, NS10, GT, GT10, GB, KB, PERCENT };

struct stream {
    uint8_t bytes[65536];
    size_t n;
    unsigned attributes;
};

static struct stream stream;
static struct gmt_heard heard;

static void begin(void) {
    stream.n = 8;
    stream.attributes = 0;
    memset(stream.bytes, 0xee, sizeof(stream.bytes));
}

static void head(unsigned id, enum type t, enum said u, unsigned instances) {
    uint64_t encoding = (uint64_t)u << 24 | (uint64_t)t << 20 | (uint64_t)id << 10 | instances;
    gmt_store(stream.bytes + stream.n, 8, encoding);
    stream.n += 8;
    stream.attributes++;
}

static unsigned width_of(enum type t) {
    return 1u << (t / 2);
}

static void value(enum type t, uint64_t v) {
    gmt_store(stream.bytes + stream.n, width_of(t), v);
    stream.n += width_of(t);
}

static void add(unsigned id, enum type t, enum said u, uint64_t v) {
    head(id, t, u, 1);
    value(t, v);
}

/* `instances` values v, v + 1, ... */
static void add_many(unsigned id, enum type t, enum said u, unsigned instances, uint64_t v) {
    head(id, t, u, instances);
    for (unsigned i = 0; i < instances; i++)
        value(t, v + i);
}

static void end(void) {
    gmt_store(stream.bytes, 2, stream.n);
    stream.bytes[2] = 1;
    stream.bytes[3] = 9;
    gmt_store(stream.bytes + 4, 4, stream.attributes);
}

static struct counts decode(size_t n) {
    struct subject s = {.id = 3, .type = SUBJECT_DEVICE, .name = "", .facts = ""};
    uint8_t *copy = malloc(n ? n : 1);
    struct frame f = {.bytes = (const char *)copy, .size = n, .subject = 3};
    struct sink sink = gmt_sink(&heard);
    struct counts counts = {0};
    assert_non_null(copy);
    memcpy(copy, stream.bytes, n);
    heard.count = 0;
    amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
    free(copy);
    assert_counts(&counts, n);
    return counts;
}

static void says(const char *metric, const char *field, unsigned index, int64_t v) {
    const struct sample *s = gmt_find_field(&heard, metric, field, index);
    if (!s)
        fail_msg("no %s of %s[%u]", metric, field, index);
    assert_int_equal(s->state, STATE_VALUE);
    assert_int_equal(s->value, v);
    assert_int_equal(s->doubt, 0);
}

/* The list of MI300 and MI350 as the driver lays it: 47 attributes. `counter` is the type of the
 * accumulation counter, which differs between drivers. */
static void driver_list(enum type counter) {
    begin();
    add(0, U16, DEGC, 42);
    add(1, U16, DEGC, 38);
    add(2, U16, DEGC, 40);
    add(3, U16, WATT, 194);
    add(4, U16, PERCENT, 97);
    add(5, U16, PERCENT, 12);
    add(6, U64, GB, 5325);
    add(7, U64, NONE, 65536 * UINT64_C(1000));
    add(8, U64, NS, UINT64_C(819432830000000));
    add(9, counter, NONE, 5008);
    add(10, U32, NONE, 28);
    add(11, U32, NONE, 4342);
    add(12, U32, NONE, 1);
    add(13, U32, NONE, 2);
    add(14, U32, NONE, 3);
    add(15, U32, NONE, 0xff);
    add(16, U16, NONE, 16);
    add(17, U16, GT10, 320);
    add(18, U16, NONE, 16);
    add(19, U16, GT, 32);
    add(20, U32, PERCENT, 123456);
    add(21, U32, PERCENT, 654321);
    add(22, U64, PERCENT, 777777);
    add(23, U64, GB, 3);
    add(24, U64, NONE, 11);
    add(25, U64, NONE, 12);
    add(26, U64, NONE, 13);
    add(27, U32, NONE, 14);
    add(28, U32, NONE, 15);
    add_many(29, U64, KB, 8, 1000);
    add_many(30, U64, KB, 8, 2000);
    add_many(31, U16, NONE, 8, 0);
    add(32, U64, NS10, 500);
    add_many(33, U16, MHZ, 8, 2100);
    add_many(34, U16, MHZ, 4, 1000);
    add_many(35, U16, MHZ, 4, 1100);
    add_many(36, U16, MHZ, 4, 1200);
    add(37, U16, MHZ, 1300);
    add(39, U32, NONE, 7);
    add_many(40, U32, PERCENT, 8, 90);
    add_many(41, U16, PERCENT, 40, 1);
    add_many(42, U16, PERCENT, 4, 50);
    add_many(43, U64, PERCENT, 8, 1000000);
    add_many(44, U64, NONE, 8, 20);
    add_many(45, U64, NONE, 8, 30);
    add_many(46, U64, NONE, 8, 40);
    add_many(47, U64, NONE, 8, 50);
    end();
}

static void as_the_driver_lays_it(void **state) {
    (void)state;
    driver_list(U32);
    assert_int_equal(stream.attributes, 47);
    assert_int_equal(stream.n, 1150);
    struct counts c = decode(stream.n);
    assert_int_equal(c.accepted, 1150);
    driver_list(U64);
    assert_int_equal(stream.n, 1154);
    c = decode(stream.n);
    assert_int_equal(c.accepted, 1154);

    says("temperature.hotspot", "temperature_hotspot", NO_INDEX, 42000);
    says("temperature.mem", "temperature_mem", NO_INDEX, 38000);
    says("temperature.vr.soc", "temperature_vrsoc", NO_INDEX, 40000);
    says("power.socket", "curr_socket_power", NO_INDEX, 194000000);
    says("power.socket.current", "curr_socket_power", NO_INDEX, 194000000);
    says("activity.gfx", "average_gfx_activity", NO_INDEX, 970000);
    says("activity.mem", "average_umc_activity", NO_INDEX, 120000);
    says("bandwidth.mem.max", "mem_max_bandwidth", NO_INDEX, 5325000000000);
    says("energy.socket", "energy_accumulator", NO_INDEX, 1000000000);
    says("vendor.time", "system_clock_counter", NO_INDEX, 819432830000000);
    says("vendor.counter", "accumulation_counter", NO_INDEX, 5008);
    says("vendor.value", "gfxclk_lock_status", NO_INDEX, 255);
    says("link.width", "pcie_link_width", NO_INDEX, 16);
    says("link.speed", "pcie_link_speed", NO_INDEX, 32000000000);
    says("link.xgmi.width", "xgmi_link_width", NO_INDEX, 16);
    says("link.xgmi.speed", "xgmi_link_speed", NO_INDEX, 32000000000);
    says("vendor.counter", "gfx_activity_acc", NO_INDEX, 123456);
    /* The list gives this sum the unit of its neighbour. */
    says("vendor.counter", "pcie_bandwidth_acc", NO_INDEX, 777777);
    says("bandwidth.link", "pcie_bandwidth_inst", NO_INDEX, 3000000000);
    says("vendor.time", "firmware_timestamp", NO_INDEX, 5000);
    says("clock.gfx", "current_gfxclk", 7, 2107000000);
    says("clock.gfx.current", "current_gfxclk", 0, 2100000000);
    says("clock.soc", "current_socclk", 3, 1003000000);
    says("clock.vcn", "current_vclk0", 1, 1101000000);
    says("clock.dclk", "current_dclk0", 2, 1202000000);
    says("clock.mem", "current_uclk", NO_INDEX, 1300000000);
    says("vendor.share", "gfx_busy_inst", 7, 970000);
    says("activity.jpeg", "jpeg_busy", 39, 400000);
    says("activity.media", "vcn_busy", 3, 530000);
    says("vendor.counter", "gfx_busy_acc", 7, 1000007);
    says("vendor.counter", "gfx_below_host_limit_total_acc", 7, 57);
    says("link.xgmi.up", "xgmi_link_status", 0, 0);
    says("link.xgmi.up", "xgmi_link_status", 1, 1);
    assert_int_equal(gmt_find(&heard, "link.xgmi.up", 2)->state, STATE_UNSUPPORTED);
    const struct sample *s = gmt_find(&heard, "link.xgmi.read", 3);
    assert_int_equal(s->value, 1003 * 1024);
    assert_int_equal(s->doubt, DOUBT_UNIT);
    s = gmt_find(&heard, "throttle.residency.ppt", NO_INDEX);
    assert_int_equal(s->state, STATE_UNKNOWN);
    assert_int_equal(s->raw, 4342);
}

static void newest_attributes(void **state) {
    (void)state;
    driver_list(U64);
    add_many(48, U16, DEGC, 8, 60);
    add_many(50, U16, DEGC, 4, 70);
    add_many(51, U16, DEGC, 8, 80);
    end();
    assert_int_equal(stream.n, 1218);
    struct counts c = decode(stream.n);
    assert_int_equal(c.accepted, 1218);
    says("temperature.hbm", "temperature_hbm", 7, 67000);
    says("temperature.aid", "temperature_aid", 3, 73000);
    says("temperature.xcd", "temperature_xcd", 7, 87000);
}

/* Every integer type, signed ones below zero, and all ones at each width. */
static void every_type(void **state) {
    (void)state;
    for (unsigned t = U8; t <= S64; t++) {
        uint64_t ones = UINT64_MAX >> (64 - 8 * width_of((enum type)t));
        begin();
        add(0, (enum type)t, DEGC, 42);
        add(1, (enum type)t, DEGC, (uint64_t)-10);
        add(2, (enum type)t, DEGC, ones);
        end();
        struct counts c = decode(stream.n);
        assert_int_equal(c.accepted, stream.n);
        says("temperature.hotspot", "temperature_hotspot", NO_INDEX, 42000);
        const struct sample *s = gmt_find(&heard, "temperature.mem", NO_INDEX);
        assert_int_equal(s->raw, ones - 9);
        if (t % 2)
            assert_int_equal(s->value, -10000);
        assert_int_equal(gmt_find(&heard, "temperature.vr.soc", NO_INDEX)->state,
                         STATE_UNSUPPORTED);
    }
    begin();
    add(0, S64, DEGC, UINT64_C(1) << 63);
    end();
    decode(stream.n);
    assert_int_equal(gmt_find(&heard, "temperature.hotspot", NO_INDEX)->state, STATE_MALFORMED);
}

/* The unit of the stream counts where it fits the metric. */
static void units(void **state) {
    (void)state;
    begin();
    add(17, U16, GT, 32);
    add(16, U16, MHZ, 16);
    add(3, U16, DEGC, 100);
    add(32, U64, NS, 7);
    add(0, U16, (enum said)200, 42);
    end();
    decode(stream.n);
    says("link.speed", "pcie_link_speed", NO_INDEX, 32000000000);
    says("link.width", "pcie_link_width", NO_INDEX, 16);
    says("vendor.time", "firmware_timestamp", NO_INDEX, 7);
    assert_int_equal(gmt_find(&heard, "power.socket", NO_INDEX)->value, 100000000);
    assert_int_equal(gmt_find(&heard, "power.socket", NO_INDEX)->doubt, DOUBT_UNIT);
    assert_int_equal(gmt_find(&heard, "temperature.hotspot", NO_INDEX)->doubt, DOUBT_UNIT);
}

/* Unknown attributes cost themselves; no instances are none. */
static void unknown_attributes(void **state) {
    (void)state;
    begin();
    add(0, U16, DEGC, 42);
    add_many(52, U32, NONE, 3, 1);
    add_many(1023, U8, DEGC, 1023, 1);
    head(1, U16, DEGC, 0);
    add(3, U16, WATT, 120);
    end();
    struct counts c = decode(stream.n);
    assert_int_equal(c.ignored, 8 + 12 + 8 + 1023);
    assert_int_equal(c.reasons[REASON_OTHER_KEY], c.ignored);
    assert_int_equal(c.accepted, stream.n - c.ignored);
    assert_int_equal(heard.count, 3);
    says("power.socket", "curr_socket_power", NO_INDEX, 120000000);
}

static void unknown_type(void **state) {
    (void)state;
    begin();
    add(0, U16, DEGC, 42);
    size_t known = stream.n;
    head(1, (enum type)8, DEGC, 1);
    stream.n += 2;
    add(3, U16, WATT, 120);
    end();
    struct counts c = decode(stream.n);
    assert_int_equal(c.accepted, known);
    assert_int_equal(c.malformed, stream.n - known);
    assert_int_equal(c.reasons[REASON_BAD_NUMBER], c.malformed);
    assert_int_equal(heard.count, 1);
}

/* The stream ends where its count or its size says, whichever comes first. */
static void count_and_size(void **state) {
    (void)state;
    begin();
    add(0, U16, DEGC, 42);
    size_t first = stream.n;
    add(1, U16, DEGC, 38);
    end();
    gmt_store(stream.bytes + 4, 4, 1);
    struct counts c = decode(stream.n);
    assert_int_equal(c.accepted, first);
    assert_int_equal(c.ignored, stream.n - first);
    assert_int_equal(heard.count, 1);

    gmt_store(stream.bytes + 4, 4, 3);
    c = decode(stream.n);
    assert_int_equal(c.accepted, stream.n);
    assert_int_equal(heard.count, 2);

    /* Cut inside the second attribute by the table's own size. */
    for (size_t size = first + 1; size < stream.n; size++) {
        gmt_store(stream.bytes, 2, size);
        gmt_store(stream.bytes + 4, 4, 2);
        c = decode(stream.n);
        assert_int_equal(c.accepted, first);
        assert_int_equal(c.truncated, size - first);
        assert_int_equal(c.ignored, stream.n - size);
        assert_int_equal(heard.count, 1);
    }
    gmt_store(stream.bytes, 2, first + 10);

    static const uint64_t absurd[] = {4097, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < COUNT(absurd); i++) {
        gmt_store(stream.bytes + 4, 4, absurd[i]);
        c = decode(first + 10);
        assert_int_equal(c.malformed, first + 10);
        assert_int_equal(c.reasons[REASON_TABLE_SIZE], first + 10);
        assert_int_equal(heard.count, 0);
    }
    gmt_store(stream.bytes + 4, 4, 0);
    c = decode(first + 10);
    assert_int_equal(c.accepted, 0);
    assert_int_equal(heard.count, 0);
}

static void every_length(void **state) {
    (void)state;
    driver_list(U32);
    for (size_t n = 0; n < stream.n; n++) {
        struct counts c = decode(n);
        assert_int_equal(heard.count, 0);
        assert_int_equal(c.truncated, n);
        assert_int_equal(c.reasons[REASON_TABLE_CUT], n);
    }
    /* A size below the list: what is whole is told, and nothing else. */
    for (size_t size = 0; size < stream.n; size++) {
        gmt_store(stream.bytes, 2, size);
        struct counts c = decode(stream.n);
        assert_true(c.accepted <= size);
    }
    gmt_store(stream.bytes, 2, stream.n);
    stream.n += 500;
    struct counts c = decode(stream.n);
    assert_int_equal(c.accepted, 1150);
    assert_int_equal(c.reasons[REASON_TABLE_TAIL], 500);
}

/* The largest table that a header can name, all of it one attribute with most instances after
 * another. */
static void largest(void **state) {
    (void)state;
    begin();
    while (stream.n + 8 + 8 * 30 <= UINT16_MAX)
        add_many(33, U64, MHZ, 30, 1000);
    end();
    struct subject s = {.id = 3, .name = "", .facts = ""};
    struct frame f = {.bytes = (const char *)stream.bytes, .size = stream.n};
    struct sink silent = {0};
    struct counts counts = {0};
    amdgpu_gpu_metrics_decode(&s, &f, &silent, &counts);
    assert_int_equal(counts.accepted, stream.n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_driver_lays_it),
        cmocka_unit_test(newest_attributes),
        cmocka_unit_test(every_type),
        cmocka_unit_test(units),
        cmocka_unit_test(unknown_attributes),
        cmocka_unit_test(unknown_type),
        cmocka_unit_test(count_and_size),
        cmocka_unit_test(every_length),
        cmocka_unit_test(largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
