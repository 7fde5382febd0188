/* Files of sysfs of i915 and xe: what each says, and that one that is cut, garbage or missing costs what it said and
 * nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/files.h"
#include "backend/intel/intel.h"
#include "heard.h"

#define SECOND_NS INT64_C(1000000000)

struct bench {
    struct subject subject;
    struct buf body;
    struct heard heard;
    struct counts counts;
    void *memory;
};

static int set_up(void **state) {
    struct bench *b = calloc(1, sizeof *b);
    b->subject = (struct subject){
        .id = 7, .device = 2, .type = SUBJECT_STREAM, .name = "xe", .facts = "driver=xe\napu=0\n"};
    b->memory = calloc(1, intel_sysfs_fold.size);
    intel_sysfs_fold.init(b->memory, &b->subject);
    *state = b;
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    heard_finish(&b->heard);
    buf_finish(&b->body);
    free(b->memory);
    free(b);
    return 0;
}

static void put(struct bench *b, const char *name, const char *text) {
    files_put(&b->body, span_of(name), span_of(text), 0);
}

static void put_failed(struct bench *b, const char *name, int sys) {
    files_put(&b->body, span_of(name), span_of(""), sys);
}

/* The frame of these bytes at this time; what was heard, line by line. */
static const char *feed_bytes(struct bench *b, int64_t t_ns, struct span bytes) {
    struct frame f = {
        .t_ns = t_ns, .bytes = bytes.p, .size = bytes.n, .subject = 7, .kind = INTEL_SYSFS};
    struct sink sink = heard_sink(&b->heard);
    heard_clear(&b->heard);
    b->heard.plain = true;
    b->counts = (struct counts){0};
    intel_sysfs_fold.feed(b->memory, &b->subject, &f, &sink, &b->counts);
    return heard_text(&b->heard);
}

/* What was put so far. */
static const char *feed(struct bench *b, int64_t t_ns) {
    const char *text = feed_bytes(b, t_ns, buf_span_of(&b->body));
    buf_clear(&b->body);
    return text;
}

/* ---- clocks ---------------------------------------------------------------------------------------------- */

static void clocks_of_xe(void **state) {
    struct bench *b = *state;
    put(b, "tile0/gt0/freq0/act_freq", "1950\n");
    put(b, "tile0/gt0/freq0/cur_freq", "2000\n");
    put(b, "tile0/gt0/freq0/min_freq", "400\n");
    put(b, "tile0/gt0/freq0/max_freq", "2850\n");
    put(b, "tile0/gt0/freq0/rp0_freq", "2850\n");
    put(b, "tile0/gt1/freq0/act_freq", "0\n");
    put(b, "tile1/gt2/freq0/act_freq", "900\n");
    assert_string_equal(feed(b, SECOND_NS),
                        "clock.gt tile0/gt0/freq0/act_freq[0] 1950000000\n"
                        "clock.gfx tile0/gt0/freq0/act_freq 1950000000\n"
                        "clock.gt.requested tile0/gt0/freq0/cur_freq[0] 2000000000\n"
                        "clock.gt.min tile0/gt0/freq0/min_freq[0] 400000000\n"
                        "clock.gfx.min tile0/gt0/freq0/min_freq 400000000\n"
                        "clock.gt.max tile0/gt0/freq0/max_freq[0] 2850000000\n"
                        "clock.gfx.max tile0/gt0/freq0/max_freq 2850000000\n"
                        "clock.gt.rp0 tile0/gt0/freq0/rp0_freq[0] 2850000000\n"
                        "clock.gt tile0/gt1/freq0/act_freq[1] 0\n"
                        "clock.gt tile1/gt2/freq0/act_freq[2] 900000000\n");
    assert_counts(&b->counts, 7);
    assert_int_equal(b->counts.accepted, 7);
}

static void clocks_of_i915(void **state) {
    struct bench *b = *state;
    put(b, "gt/gt1/rps_act_freq_mhz", "350\n");
    put(b, "gt/gt0/rps_RP0_freq_mhz", "1300\n");
    put(b, "gt_act_freq_mhz", "600\n");
    put(b, "gt_cur_freq_mhz", "650\n");
    put(b, "gt_boost_freq_mhz", "1300\n");
    assert_string_equal(feed(b, SECOND_NS), "clock.gt gt/gt1/rps_act_freq_mhz[1] 350000000\n"
                                            "clock.gt.rp0 gt/gt0/rps_RP0_freq_mhz[0] 1300000000\n"
                                            "clock.gt gt_act_freq_mhz[0] 600000000\n"
                                            "clock.gfx gt_act_freq_mhz 600000000\n"
                                            "clock.gt.requested gt_cur_freq_mhz[0] 650000000\n");
    assert_int_equal(b->counts.accepted, 4);
    assert_int_equal(b->counts.reasons[REASON_OTHER_KEY], 1);
}

/* 0 is the clock of a GT that sleeps; the engines have none then. */
static void asleep_is_a_value(void **state) {
    struct bench *b = *state;
    put(b, "tile0/gt0/freq0/act_freq", "0\n");
    assert_string_equal(feed(b, SECOND_NS), "clock.gt tile0/gt0/freq0/act_freq[0] 0\n"
                                            "clock.gfx tile0/gt0/freq0/act_freq unknown\n");
}

static void bad_clocks(void **state) {
    static const char *const bad[] = {
        "-1\n", "fast\n", "99999999999999999999\n", "100001\n", "6 00\n", "600MHz\n", "0x258\n"};
    struct bench *b = *state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(b, "gt_act_freq_mhz", bad[i]);
        put(b, "gt_max_freq_mhz", "1300\n");
        assert_string_equal(feed(b, SECOND_NS), "clock.gt gt_act_freq_mhz[0] malformed\n"
                                                "clock.gfx gt_act_freq_mhz malformed\n"
                                                "clock.gt.max gt_max_freq_mhz[0] 1300000000\n"
                                                "clock.gfx.max gt_max_freq_mhz 1300000000\n");
        assert_counts(&b->counts, 2);
        assert_int_equal(b->counts.malformed, 1);
    }
    put_failed(b, "gt_act_freq_mhz", EACCES);
    assert_string_equal(feed(b, SECOND_NS), "clock.gt gt_act_freq_mhz[0] denied\n"
                                            "clock.gfx gt_act_freq_mhz denied\n");
    put_failed(b, "gt_act_freq_mhz", ENOENT);
    assert_string_equal(feed(b, SECOND_NS), "clock.gt gt_act_freq_mhz[0] unsupported\n"
                                            "clock.gfx gt_act_freq_mhz unsupported\n");
}

static void names_that_are_none(void **state) {
    static const char *const names[] = {"tile0/gt16/freq0/act_freq",
                                        "tile0/gt/freq0/act_freq",
                                        "tile/gt0/freq0/act_freq",
                                        "tile0/gt0/freq1/act_freq",
                                        "tile0/gt0/act_freq",
                                        "gt/gt99/rps_act_freq_mhz",
                                        "gt/gt0/rps_act_freq",
                                        "gt_freq_mhz",
                                        "gt__freq_mhz",
                                        "gt_act_freq_mhz2",
                                        "tile0gt0/freq0/act_freq",
                                        "port/",
                                        "port/uevent",
                                        "max_link_",
                                        "current_link_height",
                                        "power/rc6_residency_ms2",
                                        "gt/gt0/throttle_reason_",
                                        "tile0/gt18446744073709551616/x"};
    struct bench *b = *state;
    size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; i++)
        put(b, names[i], "1\n");
    assert_string_equal(feed(b, SECOND_NS), "");
    assert_int_equal(b->counts.reasons[REASON_OTHER_KEY], count);
}

/* ---- throttling -------------------------------------------------------------------------------------------- */

static void no_reason(void **state) {
    struct bench *b = *state;
    put(b, "tile0/gt0/freq0/throttle/status", "0\n");
    assert_string_equal(feed(b, SECOND_NS), "throttle.pl1 pl1 0\nthrottle.pl2 pl2 0\n"
                                            "throttle.pl4 pl4 0\nthrottle.thermal thermal 0\n"
                                            "throttle.prochot prochot 0\nthrottle.ratl ratl 0\n"
                                            "throttle.vr_thermalert vr_thermalert 0\n"
                                            "throttle.vr_tdc vr_tdc 0\n");
}

/* A reason at any GT is one of the device. */
static void reasons_of_any_gt(void **state) {
    struct bench *b = *state;
    put(b, "gt/gt0/throttle_reason_status", "1\n");
    put(b, "gt/gt0/throttle_reason_pl1", "1\n");
    put(b, "gt/gt0/throttle_reason_thermal", "0\n");
    put(b, "gt/gt1/throttle_reason_pl1", "0\n");
    put(b, "gt/gt1/throttle_reason_thermal", "0\n");
    put(b, "gt/gt1/throttle_reason_ratl", "1\n");
    put(b, "gt/gt1/throttle_reason_moon", "1\n");
    assert_string_equal(feed(b, SECOND_NS),
                        "throttle.pl1 pl1 1\nthrottle.thermal thermal 0\nthrottle.ratl ratl 1\n");
    assert_int_equal(b->counts.accepted, 6);
    assert_int_equal(b->counts.ignored, 1);
}

static void bad_reasons(void **state) {
    struct bench *b = *state;
    put(b, "gt/gt0/throttle_reason_status", "2\n");
    put(b, "gt/gt0/throttle_reason_pl1", "yes\n");
    put(b, "gt/gt1/throttle_reason_pl1", "1\n");
    put(b, "gt/gt0/throttle_reason_pl2", "-1\n");
    put(b, "gt/gt1/throttle_reason_pl2", "0\n");
    put(b, "gt/gt1/throttle_reason_pl4", "");
    put_failed(b, "gt/gt1/throttle_reason_ratl", EIO);
    assert_string_equal(feed(b, SECOND_NS), "throttle.pl1 pl1 1\nthrottle.pl2 pl2 malformed\n");
    assert_counts(&b->counts, 7);
    assert_int_equal(b->counts.malformed, 3);
    assert_int_equal(b->counts.ignored, 2);
}

/* ---- sleep --------------------------------------------------------------------------------------------------- */

static const char *idle_at(struct bench *b, int64_t t_ns, const char *gt0, const char *gt1) {
    put(b, "tile0/gt0/gtidle/idle_residency_ms", gt0);
    if (gt1)
        put(b, "tile0/gt1/gtidle/idle_residency_ms", gt1);
    return feed(b, t_ns);
}

#define IDLE(gt, what, value) what " tile0/gt" gt "/gtidle/idle_residency_ms[" gt "] " value "\n"

static void share_of_sleep(void **state) {
    struct bench *b = *state;
    assert_string_equal(idle_at(b, SECOND_NS, "5000\n", "100\n"),
                        IDLE("0", "idle.time", "5000000000") IDLE("0", "idle.residency", "unknown")
                            IDLE("1", "idle.time", "100000000")
                                IDLE("1", "idle.residency", "unknown"));
    assert_string_equal(idle_at(b, 3 * SECOND_NS, "6500\n", "100\n"),
                        IDLE("0", "idle.time", "6500000000") IDLE("0", "idle.residency", "750000")
                            IDLE("1", "idle.time", "100000000") IDLE("1", "idle.residency", "0"));
    /* A GT that is not there for a moment is whole again two readings later. */
    (void)idle_at(b, 4 * SECOND_NS, "7000\n", NULL);
    assert_string_equal(idle_at(b, 5 * SECOND_NS, "8000\n", "-1\n"),
                        IDLE("0", "idle.time", "8000000000") IDLE("0", "idle.residency", "1000000")
                            IDLE("1", "idle.time", "malformed"));
}

static void reset_and_more_than_all(void **state) {
    struct bench *b = *state;
    (void)idle_at(b, SECOND_NS, "5000\n", NULL);
    assert_string_equal(idle_at(b, 2 * SECOND_NS, "10\n", NULL),
                        IDLE("0", "idle.time", "10000000") IDLE("0", "idle.residency", "unknown"));
    assert_string_equal(idle_at(b, 3 * SECOND_NS, "1015\n", NULL),
                        IDLE("0", "idle.time", "1015000000")
                            IDLE("0", "idle.residency", "1000000"));
    assert_string_equal(idle_at(b, 4 * SECOND_NS, "9015\n", NULL),
                        IDLE("0", "idle.time", "9015000000")
                            IDLE("0", "idle.residency", "1000000 clamped"));
    assert_string_equal(idle_at(b, 5 * SECOND_NS, "9223372036854775807\n", NULL),
                        IDLE("0", "idle.time", "malformed"));
}

/* In a long pause the device may have slept, and then nothing counts. */
static void nothing_across_a_pause(void **state) {
    struct bench *b = *state;
    (void)idle_at(b, SECOND_NS, "1000\n", NULL);
    (void)idle_at(b, 2 * SECOND_NS, "1500\n", NULL);
    assert_string_equal(idle_at(b, 62 * SECOND_NS, "1600\n", NULL),
                        IDLE("0", "idle.time", "1600000000")
                            IDLE("0", "idle.residency", "unknown"));
    assert_string_equal(idle_at(b, 63 * SECOND_NS, "1700\n", NULL),
                        IDLE("0", "idle.time", "1700000000") IDLE("0", "idle.residency", "100000"));
    /* Nor with a clock that stands or goes back. */
    assert_string_equal(idle_at(b, 63 * SECOND_NS, "1800\n", NULL),
                        IDLE("0", "idle.time", "1800000000")
                            IDLE("0", "idle.residency", "unknown"));
}

static void sleep_of_i915(void **state) {
    struct bench *b = *state;
    put(b, "power/rc6_residency_ms", "6534\n");
    put(b, "gt/gt1/rc6_residency_ms", "12\n");
    assert_string_equal(feed(b, SECOND_NS), "idle.time power/rc6_residency_ms[0] 6534000000\n"
                                            "idle.residency power/rc6_residency_ms[0] unknown\n"
                                            "idle.time gt/gt1/rc6_residency_ms[1] 12000000\n"
                                            "idle.residency gt/gt1/rc6_residency_ms[1] unknown\n");
}

/* ---- the link --------------------------------------------------------------------------------------------------- */

static void put_link(struct bench *b, const char *before, const char *speed, const char *width) {
    char name[64];
    strcat(strcpy(name, before), "current_link_speed");
    put(b, name, speed);
    strcat(strcpy(name, before), "current_link_width");
    put(b, name, width);
}

static void own_link(void **state) {
    struct bench *b = *state;
    put_link(b, "", "8.0 GT/s PCIe\n", "8\n");
    put(b, "max_link_speed", "16.0 GT/s PCIe\n");
    put(b, "max_link_width", "8\n");
    put_link(b, "port/", "2.5 GT/s PCIe\n", "4\n");
    assert_string_equal(feed(b, SECOND_NS), "link.speed current_link_speed 8000000000\n"
                                            "link.width current_link_width 8\n"
                                            "link.speed.max max_link_speed 16000000000\n"
                                            "link.width.max max_link_width 8\n");
    assert_int_equal(b->counts.ignored, 2);
}

static void link_of_the_port_above(void **state) {
    struct bench *b = *state;
    put_link(b, "", "2.5 GT/s PCIe\n", "1\n");
    put(b, "max_link_speed", "2.5 GT/s PCIe\n");
    put_link(b, "port/", "16.0 GT/s PCIe\n", "8\n");
    put(b, "port/max_link_width", "16\n");
    assert_string_equal(feed(b, SECOND_NS), "link.speed port/current_link_speed 16000000000\n"
                                            "link.width port/current_link_width 8\n"
                                            "link.width.max port/max_link_width 16\n");
}

static void link_within_the_card_is_none(void **state) {
    static const char none[] = "link.speed port unsupported\nlink.width port unsupported\n";
    struct bench *b = *state;
    put_link(b, "", "2.5 GT/s PCIe\n", "1\n");
    assert_string_equal(feed(b, SECOND_NS), none);
    put(b, "current_link_speed", "2.5 GT/s PCIe\n");
    assert_string_equal(feed(b, SECOND_NS), none);
    put(b, "current_link_width", "1\n");
    assert_string_equal(feed(b, SECOND_NS), none);
    put_link(b, "", "2.5 GT/s PCIe\n", "16\n");
    assert_string_equal(feed(b, SECOND_NS), "link.speed current_link_speed 2500000000\n"
                                            "link.width current_link_width 16\n");
}

static void link_beside_cores_is_none(void **state) {
    struct bench *b = *state;
    put_link(b, "", "Unknown\n", "0\n");
    assert_string_equal(feed(b, SECOND_NS), "link.speed current_link_speed unsupported\n"
                                            "link.width current_link_width unsupported\n");
    b->subject.facts = "driver=i915\napu=1\n";
    put_link(b, "", "8.0 GT/s PCIe\n", "16\n");
    assert_string_equal(feed(b, SECOND_NS),
                        "link.speed port unsupported\nlink.width port unsupported\n");
}

/* ---- any bytes ---------------------------------------------------------------------------------------------------- */

/* The lines before a cut are what they are without it. */
static void every_truncation(void **state) {
    struct bench *b = *state;
    struct buf whole;
    char all[4096];
    buf_init(&whole);
    files_put(&whole, span_of("tile0/gt0/freq0/act_freq"), span_of("1950\n"), 0);
    files_put(&whole, span_of("tile0/gt0/freq0/max_freq"), span_of("2850\n"), 0);
    files_put(&whole, span_of("tile0/gt1/freq0/act_freq"), span_of("400\n"), 0);
    strcpy(all, feed_bytes(b, SECOND_NS, buf_span_of(&whole)));
    for (size_t n = 0; n < whole.n; n++) {
        char *copy = malloc(n + 1); /* of its own, so that a read behind it is seen */
        const char *text;
        memcpy(copy, whole.p, n);
        text = feed_bytes(b, SECOND_NS, (struct span){copy, n});
        assert_int_equal(strncmp(all, text, strlen(text)), 0);
        assert_int_equal(b->counts.malformed, 0);
        assert_true(b->counts.truncated <= 1);
        free(copy);
    }
    buf_finish(&whole);
}

static void every_byte_spoiled(void **state) {
    struct bench *b = *state;
    put(b, "tile0/gt0/freq0/act_freq", "1950\n");
    put(b, "tile0/gt0/freq0/throttle/status", "0\n");
    put(b, "tile0/gt0/gtidle/idle_residency_ms", "308607\n");
    put_link(b, "", "8.0 GT/s PCIe\n", "8\n");
    for (size_t i = 0; i < b->body.n; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char was = b->body.p[i];
            b->body.p[i] = (char)byte;
            (void)feed_bytes(b, SECOND_NS, buf_span_of(&b->body));
            assert_true(counts_units(&b->counts) >= 1 && counts_units(&b->counts) <= 6);
            b->body.p[i] = was;
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(clocks_of_xe),
        TEST(clocks_of_i915),
        TEST(asleep_is_a_value),
        TEST(bad_clocks),
        TEST(names_that_are_none),
        TEST(no_reason),
        TEST(reasons_of_any_gt),
        TEST(bad_reasons),
        TEST(share_of_sleep),
        TEST(reset_and_more_than_all),
        TEST(nothing_across_a_pause),
        TEST(sleep_of_i915),
        TEST(own_link),
        TEST(link_of_the_port_above),
        TEST(link_within_the_card_is_none),
        TEST(link_beside_cores_is_none),
        TEST(every_truncation),
        TEST(every_byte_spoiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
