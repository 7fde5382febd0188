/* How a metric is read by a person, and which of several readings is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap.h"

#define GIB INT64_C(1073741824)

static void is(unsigned metric, struct value v, bool unicode, const char *want) {
    struct buf b = {0};
    (void)table_metric_text(metric, v, unicode, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, want);
    buf_finish(&b);
}

static void of(unsigned metric, struct value v, struct value whole, const char *want) {
    struct buf b = {0};
    (void)table_metric_of(metric, v, whole, true, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, want);
    buf_finish(&b);
}

/* ---- by unit --------------------------------------------------------------------------------- */

static void each_unit_in_its_way(void **state) {
    static const struct {
        uint16_t metric;
        int64_t v;
        const char *want;
    } cases[] = {
        {METRIC_TEMPERATURE_EDGE, 61000, "61 °C"},
        {METRIC_TEMPERATURE_EDGE, 61500, "62 °C"},
        {METRIC_TEMPERATURE_EDGE, -4900, "-5 °C"},
        {METRIC_CLOCK_GFX, INT64_C(2165000000), "2165 MHz"},
        {METRIC_CLOCK_GFX, 0, "0 MHz"},
        {METRIC_POWER_SOCKET, 112000000, "112 W"},
        {METRIC_POWER_SOCKET, 8437000, "8.4 W"},
        {METRIC_POWER_SOCKET, 99940000, "99.9 W"},
        {METRIC_POWER_SOCKET, 99960000, "100 W"},
        {METRIC_POWER_SOCKET, 0, "0 W"},
        {METRIC_VOLTAGE_GFX, 912000, "0.912 V"},
        {METRIC_CURRENT_GFX, 14250000, "14.3 A"},
        {METRIC_FAN_SPEED, 868, "868 rpm"},
        {METRIC_ACTIVITY_GFX, 552500, "55.3 %"},
        {METRIC_ACTIVITY_GFX, 0, "0 %"},
        {METRIC_LINK_SPEED, INT64_C(16000000000), "16 GT/s"},
        {METRIC_LINK_SPEED, INT64_C(2500000000), "2.5 GT/s"},
        {METRIC_LINK_WIDTH, 16, "16"},
        {METRIC_BANDWIDTH_LINK, INT64_C(1260000000), "1.26 GB/s"},
        {METRIC_BANDWIDTH_LINK, 0, "0 B/s"},
        {METRIC_BANDWIDTH_LINK, 999, "999 B/s"},
        {METRIC_ENERGY_SOCKET, INT64_C(12345678000), "12.3 kJ"},
        {METRIC_ENERGY_SOCKET, 1500000, "1.50 J"},
        {METRIC_MEMORY_LEGACY, 0, "0 B"},
        {METRIC_MEMORY_LEGACY, 1023, "1023 B"},
        {METRIC_MEMORY_LEGACY, 1536, "1.5 KiB"},
        {METRIC_MEMORY_LEGACY, 209 << 20, "209 MiB"},
        {METRIC_MEMORY_LEGACY, 16 * GIB, "16.0 GiB"},
        {METRIC_MEMORY_LEGACY, INT64_MAX, "8.0 EiB"},
        {METRIC_VENDOR_TIME, 1, "1.00 ns"},
        {METRIC_VENDOR_TIME, 12500, "12.5 µs"},
        {METRIC_VENDOR_TIME, INT64_C(3250000000), "3.25 s"},
        {METRIC_VENDOR_TIME, INT64_C(93784000000000), "1d02h"},
        {METRIC_VENDOR_VALUE, INT64_MIN, "-9223372036854775808"},
        {METRIC_THROTTLE_PPT0, 0, "no"},
        {METRIC_THROTTLE_PPT0, 1, "yes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        is(cases[i].metric, snap_value(cases[i].v), true, cases[i].want);
    }
}

static void ascii_where_there_is_no_unicode(void **state) {
    (void)state;
    is(METRIC_TEMPERATURE_EDGE, snap_value(61000), false, "61 C");
    is(METRIC_VENDOR_TIME, snap_value(12500), false, "12.5 us");
    for (unsigned m = 0; m < METRIC_COUNT + 2; m++) {
        struct buf b = {0};
        (void)table_metric_text(m, snap_doubted(123456789), false, &b);
        assert_true(b.n > 1 && b.p[b.n - 1] == '~');
        for (size_t i = 0; i < b.n; i++) {
            assert_in_range((unsigned char)b.p[i], ' ', '~');
        }
        buf_finish(&b);
    }
}

static void no_number_is_never_a_zero(void **state) {
    (void)state;
    is(METRIC_CLOCK_GFX, snap_none(STATE_UNKNOWN), true, "?");
    is(METRIC_CLOCK_GFX, snap_none(STATE_UNSUPPORTED), true, "-");
    is(METRIC_CLOCK_GFX, snap_none(STATE_DENIED), true, "deny");
    is(METRIC_CLOCK_GFX, snap_none(STATE_MALFORMED), true, "bad");
    is(METRIC_CLOCK_GFX, snap_value(-1), true, "bad");
    is(METRIC_MEMORY_LEGACY, snap_value(INT64_MIN), true, "bad");
    is(METRIC_CLOCK_GFX, snap_doubted(500000000), true, "500 MHz~");
}

static void any_number_has_an_end(void **state) {
    static const int64_t numbers[] = {
        INT64_MAX, INT64_MIN, INT64_MIN + 1, -1,      1,
        999,       1000,      999999,        1000000, INT64_C(999999999999999999)};
    (void)state;
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            struct buf b = {0};
            (void)table_metric_of(m, snap_value(numbers[i]), snap_value(numbers[i / 2]), true, &b);
            assert_in_range(b.n, 1, 60);
            assert_true(text_is_clean(buf_span_of(&b)));
            buf_finish(&b);
        }
    }
}

static void a_part_of_a_whole(void **state) {
    struct value none = snap_none(STATE_UNSUPPORTED);
    (void)state;
    of(METRIC_POWER_SOCKET, snap_value(112000000), snap_value(236000000), "112/236 W");
    of(METRIC_POWER_SOCKET, snap_value(44100000), snap_value(236000000), "44.1/236 W");
    of(METRIC_POWER_SOCKET, snap_value(44100000), none, "44.1 W");
    of(METRIC_POWER_SOCKET, snap_value(44100000), snap_value(0), "44.1 W");
    of(METRIC_POWER_SOCKET, snap_doubted(44100000), snap_value(236000000), "44.1/236 W~");
    of(METRIC_MEMORY_LEGACY, snap_value(5 * GIB + GIB / 10), snap_value(16 * GIB), "5.1/16.0 GiB");
    of(METRIC_MEMORY_LEGACY, snap_value(209 << 20), snap_value(16 * GIB), "0.2/16.0 GiB");
    of(METRIC_MEMORY_LEGACY, snap_value(412 << 20), snap_value(512 << 20), "412/512 MiB");
    of(METRIC_MEMORY_LEGACY, snap_none(STATE_DENIED), snap_value(16 * GIB), "deny/16.0 GiB");
    of(METRIC_MEMORY_LEGACY, snap_value(0), none, "0 B");
    of(METRIC_CLOCK_GFX, snap_value(INT64_C(1100000000)), snap_value(INT64_C(2500000000)),
       "1100/2500 MHz");
}

/* ---- which one ------------------------------------------------------------------------------- */

static struct value shown(struct snap *b, unsigned metric) {
    const struct snapshot *s = snap_get(b);
    return table_metric(s, s->devices[0].metrics, metric);
}

static void say(struct snap *b, unsigned metric, unsigned index, struct value v) {
    (void)snap_metric(b, &b->devices[0].metrics, metric, index, v, "");
}

static void shows(struct snap *b, unsigned metric, int64_t v, unsigned doubt) {
    struct value got = shown(b, metric);
    assert_int_equal(got.state, STATE_VALUE);
    assert_int_equal(got.v, v);
    assert_int_equal(got.doubt, doubt);
}

static void parts_make_the_whole(void **state) {
    struct snap b;
    (void)state;
    snap_init(&b);
    (void)snap_device(&b, "0000:03:00.0", "card", "amdgpu");
    assert_int_equal(shown(&b, METRIC_CLOCK_GFX).state, STATE_UNSUPPORTED);
    say(&b, METRIC_CLOCK_GFX, 0, snap_value(700));
    say(&b, METRIC_CLOCK_GFX, 1, snap_none(STATE_UNSUPPORTED));
    say(&b, METRIC_CLOCK_GFX, 2, snap_value(900));
    say(&b, METRIC_POWER_CORE, 0, snap_value(3));
    say(&b, METRIC_POWER_CORE, 1, snap_doubted(4));
    say(&b, METRIC_POWER_CORE, 2, snap_value(INT64_MAX));
    say(&b, METRIC_ACTIVITY_MEDIA, 0, snap_value(120000));
    say(&b, METRIC_ACTIVITY_MEDIA, 1, snap_value(0));
    say(&b, METRIC_ACTIVITY_MEDIA, 2, snap_none(STATE_UNSUPPORTED));
    say(&b, METRIC_TEMPERATURE_HBM, 0, snap_none(STATE_DENIED));
    shows(&b, METRIC_CLOCK_GFX, 900, 0);
    shows(&b, METRIC_POWER_CORE, INT64_MAX, DOUBT_CLAMPED);
    shows(&b, METRIC_ACTIVITY_MEDIA, 60000, 0);
    assert_int_equal(shown(&b, METRIC_TEMPERATURE_HBM).state, STATE_DENIED);
    snap_finish(&b);
}

static void the_whole_comes_before_its_parts(void **state) {
    struct snap b;
    (void)state;
    snap_init(&b);
    (void)snap_device(&b, "0000:03:00.0", "card", "amdgpu");
    say(&b, METRIC_CLOCK_GFX, 0, snap_value(700));
    say(&b, METRIC_CLOCK_GFX, INDEX_NONE, snap_value(500));
    shows(&b, METRIC_CLOCK_GFX, 500, 0);
    say(&b, METRIC_TEMPERATURE_EDGE, INDEX_NONE, snap_none(STATE_DENIED));
    say(&b, METRIC_TEMPERATURE_EDGE, INDEX_NONE, snap_doubted(41000));
    shows(&b, METRIC_TEMPERATURE_EDGE, 41000, DOUBT_CLAMPED);
    say(&b, METRIC_TEMPERATURE_EDGE, INDEX_NONE, snap_value(42000));
    say(&b, METRIC_TEMPERATURE_EDGE, INDEX_NONE, snap_value(43000));
    shows(&b, METRIC_TEMPERATURE_EDGE, 42000, 0);
    say(&b, METRIC_FAN_SPEED, INDEX_NONE, snap_none(STATE_UNSUPPORTED));
    say(&b, METRIC_FAN_SPEED, 0, snap_value(900));
    shows(&b, METRIC_FAN_SPEED, 900, 0);
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unit_in_its_way),
        cmocka_unit_test(ascii_where_there_is_no_unicode),
        cmocka_unit_test(no_number_is_never_a_zero),
        cmocka_unit_test(any_number_has_an_end),
        cmocka_unit_test(a_part_of_a_whole),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(the_whole_comes_before_its_parts),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
