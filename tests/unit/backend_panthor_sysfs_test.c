/* Small files of Mali GPUs: what each says, which voltage is to be trusted, and that one that is cut, garbage or missing
 * costs what it said and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/files.h"
#include "backend/panthor/sensors.h"
#include "heard.h"

struct bench {
    struct subject subject;
    struct buf body;
    struct heard heard;
    struct counts counts;
};

static int set_up(void **state) {
    struct bench *b = calloc(1, sizeof *b);
    b->subject = (struct subject){.id = 7,
                                  .device = 2,
                                  .type = SUBJECT_STREAM,
                                  .name = "panthor",
                                  .facts = "driver=panthor\n"};
    *state = b;
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    heard_finish(&b->heard);
    buf_finish(&b->body);
    free(b);
    return 0;
}

static void put(struct bench *b, const char *name, const char *text) {
    files_put(&b->body, span_of(name), span_of(text), 0);
}

static void put_failed(struct bench *b, const char *name, int sys) {
    files_put(&b->body, span_of(name), span_of(""), sys);
}

static const char *decode_bytes(struct bench *b, struct span bytes) {
    struct frame f = {
        .t_ns = 1000, .bytes = bytes.p, .size = bytes.n, .subject = 7, .kind = PANTHOR_SYSFS};
    struct sink sink = heard_sink(&b->heard);
    heard_clear(&b->heard);
    b->heard.plain = true;
    b->counts = (struct counts){0};
    panthor_sysfs_decode(&b->subject, &f, &sink, &b->counts);
    return heard_text(&b->heard);
}

/* What was put so far. */
static const char *decode(struct bench *b) {
    const char *text = decode_bytes(b, buf_span_of(&b->body));
    buf_clear(&b->body);
    return text;
}

/* ---- clocks ------------------------------------------------------------------------------------ */

static void clocks(void **state) {
    struct bench *b = *state;
    put(b, "devfreq/cur_freq", "800000000\n");
    put(b, "devfreq/target_freq", "850000000\n");
    put(b, "devfreq/min_freq", "300000000\n");
    put(b, "devfreq/max_freq", "1000000000\n");
    put(b, "devfreq/governor", "simple_ondemand\n");
    assert_string_equal(decode(b), "clock.gfx devfreq/cur_freq 800000000\n"
                                   "clock.gfx devfreq/target_freq 850000000\n"
                                   "clock.gfx.min devfreq/min_freq 300000000\n"
                                   "clock.gfx.max devfreq/max_freq 1000000000\n");
    assert_counts(&b->counts, 5);
    assert_int_equal(b->counts.accepted, 4);
    assert_int_equal(b->counts.reasons[REASON_OTHER_KEY], 1);
}

static void ends_of_the_list(void **state) {
    struct bench *b = *state;
    put(b, "devfreq/available_frequencies", "400000000 1000000000 300000000 \n");
    assert_string_equal(decode(b), "clock.gfx.min devfreq/available_frequencies 300000000\n"
                                   "clock.gfx.max devfreq/available_frequencies 1000000000\n");
    put(b, "devfreq/available_frequencies", "400000000 x 300000000\n");
    assert_string_equal(decode(b), "clock.gfx.min devfreq/available_frequencies malformed\n"
                                   "clock.gfx.max devfreq/available_frequencies malformed\n");
    assert_int_equal(b->counts.malformed, 1);
    put(b, "devfreq/available_frequencies", "\n");
    assert_string_equal(decode(b), "");
    assert_int_equal(b->counts.ignored, 1);
}

/* No GPU works at no clock. */
static void no_clock(void **state) {
    struct bench *b = *state;
    put(b, "devfreq/cur_freq", "0\n");
    assert_string_equal(decode(b), "clock.gfx devfreq/cur_freq unsupported\n");
    put_failed(b, "devfreq/cur_freq", EACCES);
    put_failed(b, "devfreq/min_freq", EACCES);
    assert_string_equal(decode(b), "clock.gfx devfreq/cur_freq denied\n");
    assert_int_equal(b->counts.ignored, 2);
}

static void bad_clocks(void **state) {
    static const char *const bad[] = {"-1\n",      "fast\n", "99999999999999999999\n",
                                      "1e9\n",     "6 00\n", "10000000001\n",
                                      "600 MHz\n", "0x258\n"};
    struct bench *b = *state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(b, "devfreq/cur_freq", bad[i]);
        put(b, "thermal_zone0/temp", "51250\n");
        assert_string_equal(decode(b), "clock.gfx devfreq/cur_freq malformed\n"
                                       "temperature.gfx thermal_zone0/temp 51250\n");
        assert_counts(&b->counts, 2);
        assert_int_equal(b->counts.malformed, 1);
    }
}

/* ---- voltage ----------------------------------------------------------------------------------- */

static void voltage_of_the_regulator(void **state) {
    struct bench *b = *state;
    put(b, "regulator/microvolts", "787500\n");
    assert_string_equal(decode(b), "voltage.gfx regulator/microvolts 787500\n");
    put(b, "regulator/microvolts", "0\n");
    assert_string_equal(decode(b), "voltage.gfx regulator/microvolts unsupported\n");
    put(b, "regulator/microvolts", "2000001\n");
    assert_string_equal(decode(b), "voltage.gfx regulator/microvolts malformed\n");
    put(b, "regulator/microvolts", "-22\n");
    assert_string_equal(decode(b), "voltage.gfx regulator/microvolts malformed\n");
}

/* That of the clock at which the device is, and assumed all the same. */
static void voltage_of_the_table(void **state) {
    struct bench *b = *state;
    put(b, "devfreq/cur_freq", "799999987\n");
    put(b, "opp/800000000/u_volt_target", "750000\n");
    assert_string_equal(decode(b),
                        "clock.gfx devfreq/cur_freq 799999987\n"
                        "voltage.gfx opp/800000000/u_volt_target 750000 assumed-voltage\n");
    put(b, "devfreq/cur_freq", "700000000\n");
    put(b, "opp/800000000/u_volt_target", "750000\n");
    assert_string_equal(decode(b), "clock.gfx devfreq/cur_freq 700000000\n");
    assert_int_equal(b->counts.ignored, 1);
    put(b, "opp/800000000/u_volt_target", "750000\n");
    assert_string_equal(decode(b), "");
    put(b, "devfreq/cur_freq", "-3\n");
    put(b, "devfreq/target_freq", "800000000\n");
    put(b, "opp/800000000/u_volt_target", "750000\n");
    assert_string_equal(decode(b),
                        "clock.gfx devfreq/cur_freq malformed\n"
                        "clock.gfx devfreq/target_freq 800000000\n"
                        "voltage.gfx opp/800000000/u_volt_target 750000 assumed-voltage\n");
}

static void tables_that_say_nothing(void **state) {
    struct bench *b = *state;
    put_failed(b, "opp/u_volt_target", EACCES);
    assert_string_equal(decode(b), "voltage.gfx opp/u_volt_target denied\n");
    put(b, "devfreq/target_freq", "800000000\n");
    put(b, "opp/800000000/u_volt_target", "0\n");
    assert_string_equal(decode(b), "clock.gfx devfreq/target_freq 800000000\n");
    put(b, "opp/800000000/u_volt_target", "9000000\n");
    assert_string_equal(decode(b), "voltage.gfx opp/800000000/u_volt_target malformed\n");
    put(b, "opp/800000000/u_volt_min", "1\n");
    put(b, "opp//u_volt_target", "1\n");
    put(b, "opp/99999999999999999999/u_volt_target", "1\n");
    put(b, "opp", "1\n");
    assert_string_equal(decode(b), "");
    assert_int_equal(b->counts.reasons[REASON_OTHER_KEY], 4);
}

static void at_a_point(void **state) {
    (void)state;
    assert_true(panthor_is_at_point(800000000, 800000000));
    assert_true(panthor_is_at_point(808000000, 800000000));
    assert_true(panthor_is_at_point(792000000, 800000000));
    assert_false(panthor_is_at_point(808000001, 800000000));
    assert_false(panthor_is_at_point(0, 800000000));
    assert_false(panthor_is_at_point(0, 0));
    assert_false(panthor_is_at_point(UINT64_MAX, 1));
    assert_false(panthor_is_at_point(1, UINT64_MAX));
}

/* ---- temperature ------------------------------------------------------------------------------- */

static void temperatures(void **state) {
    struct bench *b = *state;
    put(b, "thermal_zone12/temp", "-5000\n");
    put(b, "thermal_zone3/temp", "200001\n");
    put_failed(b, "thermal_zone4/temp", EAGAIN);
    put(b, "thermal_zoneX/temp", "1\n");
    put(b, "thermal_zone1/type", "gpu\n");
    assert_string_equal(decode(b), "temperature.gfx thermal_zone12/temp -5000\n"
                                   "temperature.gfx thermal_zone3/temp malformed\n"
                                   "temperature.gfx thermal_zone4/temp unknown\n");
    assert_counts(&b->counts, 5);
}

static void zones_of_the_gpu(void **state) {
    static const char *const yes[] = {"gpu",  "gpu-thermal\n", "gpu_thermal",
                                      "GPU0", "mali-gpu",      "soc-gpu",
                                      "Mali", "gpu1-thermal",  "G3D"};
    static const char *const no[] = {"",     "cpu-thermal",      "gpux",
                                     "agpu", "malibu",           "soc-thermal",
                                     "gp",   "bigcore0-thermal", "x86_pkg_tem"};
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        if (!panthor_is_gpu_zone(span_of(yes[i])))
            fail_msg("%s is the GPU's", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (panthor_is_gpu_zone(span_of(no[i])))
            fail_msg("%s is not the GPU's", no[i]);
}

/* ---- the knob ---------------------------------------------------------------------------------- */

static void knob_of_panthor(void **state) {
    static const char *const says[] = {"0", "0", "1", "1"}; /* bit 1 is that of time */
    struct bench *b = *state;
    for (unsigned mask = 0; mask < 4; mask++) {
        char line[32];
        char told[64];
        snprintf(line, sizeof line, "profiling=%u\n", mask);
        snprintf(told, sizeof told, "profiling profiling %s\n", says[mask]);
        assert_string_equal(decode_bytes(b, span_of(line)), told);
        assert_counts(&b->counts, 1);
    }
}

static void knob_of_panfrost(void **state) {
    struct bench *b = *state;
    b->subject.facts = "driver=panfrost\n";
    assert_string_equal(decode_bytes(b, span_of("profiling=1\n")), "profiling profiling 1\n");
    assert_string_equal(decode_bytes(b, span_of("profiling=0\n")), "profiling profiling 0\n");
}

static void bad_knobs(void **state) {
    static const char *const bad[] = {"profiling=\n",    "profiling=on\n",
                                      "profiling=-1\n",  "profiling=256\n",
                                      "profiling=1 2\n", "profiling=99999999999999999999\n"};
    struct bench *b = *state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_string_equal(decode_bytes(b, span_of(bad[i])), "profiling profiling malformed\n");
        assert_int_equal(b->counts.malformed, 1);
    }
    /* "13\n", cut. */
    assert_string_equal(decode_bytes(b, span_of("profiling=1")), "");
    assert_int_equal(b->counts.truncated, 1);
}

/* ---- any bytes --------------------------------------------------------------------------------- */

static void put_all(struct bench *b) {
    put(b, "devfreq/cur_freq", "800000000\n");
    put(b, "opp/800000000/u_volt_target", "750000\n");
    put(b, "devfreq/available_frequencies", "300000000 800000000\n");
    put(b, "regulator/microvolts", "787500\n");
    put(b, "thermal_zone1/temp", "51250\n");
}

/* The lines before a cut are what they are without it. */
static void every_truncation(void **state) {
    struct bench *b = *state;
    char all[4096];
    put_all(b);
    strcpy(all, decode_bytes(b, buf_span_of(&b->body)));
    for (size_t n = 0; n < b->body.n; n++) {
        char *copy = malloc(n + 1); /* of its own, so that a read behind it is seen */
        const char *text;
        memcpy(copy, b->body.p, n);
        text = decode_bytes(b, (struct span){copy, n});
        assert_int_equal(strncmp(all, text, strlen(text)), 0);
        assert_int_equal(b->counts.malformed, 0);
        assert_true(b->counts.truncated <= 1);
        free(copy);
    }
}

static void every_byte_spoiled(void **state) {
    struct bench *b = *state;
    put_all(b);
    for (size_t i = 0; i < b->body.n; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char was = b->body.p[i];
            b->body.p[i] = (char)byte;
            (void)decode_bytes(b, buf_span_of(&b->body));
            assert_true(counts_units(&b->counts) >= 1 && counts_units(&b->counts) <= 6);
            b->body.p[i] = was;
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(clocks),
        TEST(ends_of_the_list),
        TEST(no_clock),
        TEST(bad_clocks),
        TEST(voltage_of_the_regulator),
        TEST(voltage_of_the_table),
        TEST(tables_that_say_nothing),
        TEST(at_a_point),
        TEST(temperatures),
        TEST(zones_of_the_gpu),
        TEST(knob_of_panthor),
        TEST(knob_of_panfrost),
        TEST(bad_knobs),
        TEST(every_truncation),
        TEST(every_byte_spoiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
