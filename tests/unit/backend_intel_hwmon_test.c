/* Files of hwmon of i915 and xe: which sensor each is, and what becomes of values that none can have. */
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

struct bench {
    struct buf body;
    struct heard heard;
    struct counts counts;
    const char *facts;
};

static int set_up(void **state) {
    struct bench *b = calloc(1, sizeof *b);
    b->facts = "driver=xe\napu=0\n";
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

static const char *decode_bytes(struct bench *b, struct span bytes) {
    struct subject s = {.id = 7, .device = 2, .name = "xe", .facts = b->facts};
    struct frame f = {.t_ns = 1, .bytes = bytes.p, .size = bytes.n, .subject = 7};
    struct sink sink = heard_sink(&b->heard);
    heard_clear(&b->heard);
    b->heard.plain = true;
    b->counts = (struct counts){0};
    intel_hwmon_decode(&s, &f, &sink, &b->counts);
    return heard_text(&b->heard);
}

/* What was put so far. */
static const char *decode(struct bench *b) {
    const char *text = decode_bytes(b, buf_span_of(&b->body));
    buf_clear(&b->body);
    return text;
}

static void by_label(void **state) {
    struct bench *b = *state;
    put(b, "temp5_label", "pkg\n");
    put(b, "temp5_input", "54000\n");
    put(b, "temp2_label", "vram_ch_11\n");
    put(b, "temp2_input", "56000\n");
    put(b, "temp1_label", "vram\n");
    put(b, "temp1_input", "-5000\n");
    put(b, "temp9_label", "mctrl\n");
    put(b, "temp9_input", "1\n");
    put(b, "temp8_label", "pcie\n");
    put(b, "temp8_input", "2\n");
    put(b, "energy2_label", "card\n");
    put(b, "energy2_input", "7\n");
    put(b, "energy1_label", "pkg\n");
    put(b, "energy1_input", "9\n");
    assert_string_equal(decode(b), "temperature.pkg temp5_input 54000\n"
                                   "temperature.vram_ch temp2_input[11] 56000\n"
                                   "temperature.vram temp1_input -5000\n"
                                   "temperature.mctrl temp9_input 1\n"
                                   "temperature.pcie temp8_input 2\n"
                                   "energy.card energy2_input 7\n"
                                   "energy.pkg energy1_input 9\n");
    assert_int_equal(b->counts.accepted, 14);
}

static void by_number(void **state) {
    struct bench *b = *state;
    put(b, "temp1_input", "55000\n");
    put(b, "temp3_input", "56000\n");
    put(b, "temp4_input", "57000\n");
    put(b, "energy1_input", "25637161804\n");
    put(b, "energy2_input", "3\n");
    put(b, "in0_input", "603\n");
    put(b, "fan1_input", "0\n");
    put(b, "fan3_input", "1235\n");
    assert_string_equal(decode(b), "temperature.pkg temp1_input 55000\n"
                                   "temperature.vram temp3_input 56000\n"
                                   "energy.card energy1_input 25637161804\n"
                                   "energy.pkg energy2_input 3\n"
                                   "voltage.gfx in0_input 603000\n"
                                   "fan.speed fan1_input[0] 0\n"
                                   "fan.speed fan3_input[2] 1235\n");
    assert_int_equal(b->counts.reasons[REASON_OTHER_KEY], 1);
}

/* A label that is not known says that the number is not what it seems. */
static void other_labels(void **state) {
    static const char *const labels[] = {"moon\n",       "vram_ch_\n", "vram_ch_1x\n",   "pkg2\n",
                                         "vram_ch_-1\n", "PKG\n",      "vram_ch_99999\n"};
    struct bench *b = *state;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        put(b, "temp1_label", labels[i]);
        put(b, "temp1_input", "55000\n");
        assert_string_equal(decode(b), "");
        assert_int_equal(b->counts.accepted, 1);
        assert_int_equal(b->counts.ignored, 1);
    }
}

/* 0 is no limit. */
static void limits(void **state) {
    struct bench *b = *state;
    put(b, "power1_max", "55000000\n");
    put(b, "power1_cap", "60000000\n");
    put(b, "power1_rated_max", "0\n");
    put(b, "power1_crit", "380000000\n");
    put(b, "power2_label", "pkg\n");
    put(b, "power2_max", "0\n");
    put(b, "power1_max_interval", "28000\n");
    assert_string_equal(decode(b), "power.cap power1_max 55000000\n"
                                   "power.cap power1_cap 60000000\n"
                                   "power.cap.default power1_rated_max unsupported\n"
                                   "power.crit power1_crit 380000000\n"
                                   "power.cap power2_max unsupported\n");
}

static void note_rank(void *ctx, const struct sample *s) {
    *(uint8_t *)ctx = s->rank;
}

/* What is sustained is shown before what is short, and the card's before the package's. */
static void ranks_of_limits(void **state) {
    static const char *const files[] = {"power1_max", "power1_cap", "power2_max", "power2_cap"};
    struct bench *b = *state;
    struct subject s = {.id = 7, .name = "", .facts = ""};
    struct counts counts = {0};
    uint8_t rank = 0;
    uint8_t before = UINT8_MAX;
    struct sink sink = {.ctx = &rank, .sample = note_rank};
    for (size_t i = 0; i < 4; i++) {
        buf_clear(&b->body);
        put(b, files[i], "1000000\n");
        struct frame f = {.bytes = b->body.p, .size = b->body.n, .subject = 7};
        intel_hwmon_decode(&s, &f, &sink, &counts);
        assert_true(rank > 0 && rank < before);
        before = rank;
    }
}

static void energy_where_cores_are(void **state) {
    struct bench *b = *state;
    b->facts = "driver=xe\napu=1\n";
    put(b, "energy1_input", "7\n");
    assert_string_equal(decode(b), "energy.pkg energy1_input 7\n");
}

static void values_that_are_none(void **state) {
    static const struct {
        const char *name;
        const char *text;
        const char *says;
    } cases[] = {
        {"temp1_input", "-300000\n", "temperature.pkg temp1_input malformed\n"},
        {"temp1_input", "1000001\n", "temperature.pkg temp1_input malformed\n"},
        {"temp1_input", "55.0\n", "temperature.pkg temp1_input malformed\n"},
        {"temp1_input", "", ""},
        {"energy1_input", "-1\n", "energy.card energy1_input malformed\n"},
        {"energy1_input", "9223372036854775807\n",
         "energy.card energy1_input 9223372036854775807\n"},
        {"energy1_input", "9223372036854775808\n", "energy.card energy1_input malformed\n"},
        {"energy1_input", "99999999999999999999999\n", "energy.card energy1_input malformed\n"},
        {"power1_max", "-1\n", "power.cap power1_max malformed\n"},
        {"power1_max", "1000000000001\n", "power.cap power1_max malformed\n"},
        {"in1_input", "0\n", "voltage.gfx in1_input unsupported\n"},
        {"in1_input", "1000001\n", "voltage.gfx in1_input malformed\n"},
        {"fan0_input", "1\n", "fan.speed fan0_input[0] 1\n"},
        {"fan1_input", "many\n", "fan.speed fan1_input[0] malformed\n"},
    };
    struct bench *b = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put(b, cases[i].name, cases[i].text);
        put(b, "fan2_input", "900\n");
        char want[128];
        strcat(strcpy(want, cases[i].says), "fan.speed fan2_input[1] 900\n");
        assert_string_equal(decode(b), want);
        assert_counts(&b->counts, 2);
    }
    files_put(&b->body, span_of("energy1_input"), span_of(""), EACCES);
    assert_string_equal(decode(b), "");
    assert_int_equal(b->counts.reasons[REASON_FAILED_READ], 1);
}

static void too_many_files(void **state) {
    struct bench *b = *state;
    for (int i = 0; i < 200; i++)
        put(b, "pwm1", "0\n");
    assert_string_equal(decode(b), "");
    assert_int_equal(b->counts.reasons[REASON_TOO_MANY], 72);
    assert_counts(&b->counts, 200);
}

static void every_cut_and_spoiled_byte(void **state) {
    struct bench *b = *state;
    put(b, "temp5_label", "vram_ch_3\n");
    put(b, "temp5_input", "54000\n");
    put(b, "energy1_input", "25637161804\n");
    put(b, "power1_max", "55000000\n");
    for (size_t n = 0; n < b->body.n; n++) {
        char *copy = malloc(n + 1);
        memcpy(copy, b->body.p, n);
        (void)decode_bytes(b, (struct span){copy, n});
        assert_int_equal(b->counts.malformed, 0);
        free(copy);
    }
    for (size_t i = 0; i < b->body.n; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char was = b->body.p[i];
            b->body.p[i] = (char)byte;
            (void)decode_bytes(b, buf_span_of(&b->body));
            assert_true(counts_units(&b->counts) >= 1 && counts_units(&b->counts) <= 5);
            b->body.p[i] = was;
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(by_label),
        TEST(by_number),
        TEST(other_labels),
        TEST(limits),
        TEST(ranks_of_limits),
        TEST(energy_where_cores_are),
        TEST(values_that_are_none),
        TEST(too_many_files),
        TEST(every_cut_and_spoiled_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
