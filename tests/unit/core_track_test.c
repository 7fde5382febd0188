/*
 * Who runs on which unit: jobs in segments, cut at each change of rate, whatever order stamps
 * come in; marks; and what sums of priced segments may be off by.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/core.h"

static const char *const names[TRACK_UNITS] = {"A", "B", "C", "D"};

struct stage {
    struct track track;
    struct buf text;
    struct sink sink;
    struct track_out out;
};

/* "A7 10..20 266/1000 " with pid, MHz and mV; "off", "?" for unknown, "~" for doubt, "!" for
 * open. */
static void on_job(void *ctx, const struct job *j) {
    struct buf *b = ctx;
    assert_int_equal(j->subject, 3);
    assert_int_equal(j->device, 2);
    assert_int_equal(j->class, CLASS_COMPUTE);
    assert_int_equal(j->space, SPACE_CONTEXT);
    assert_int_equal(j->client, j->pid * 1000);
    assert_int_equal(j->tag, j->pid + 1);
    buf_put(b, j->name, j->name_len);
    buf_i64(b, j->pid);
    buf_char(b, ' ');
    buf_i64(b, j->start_ns);
    buf_text(b, "..");
    buf_i64(b, j->end_ns);
    buf_char(b, ' ');
    if (j->off) {
        assert_int_equal(j->clock_hz + j->voltage_uv, 0);
        buf_text(b, "off");
    } else {
        buf_u64(b, j->clock_hz);
        buf_char(b, '/');
        buf_u64(b, j->voltage_uv);
    }
    buf_text(b, j->doubt ? "~" : "");
    buf_text(b, j->open ? "! " : " ");
}

static int setup(void **state) {
    static struct stage s;
    s = (struct stage){0};
    s.sink = (struct sink){&s.text, NULL, on_job, NULL};
    s.out = (struct track_out){.sink = &s.sink,
                               .names = names,
                               .subject = 3,
                               .device = 2,
                               .class = CLASS_COMPUTE,
                               .space = SPACE_CONTEXT};
    buf_init(&s.text);
    *state = &s;
    return 0;
}

static int teardown(void **state) {
    struct stage *s = *state;
    buf_finish(&s->text);
    return 0;
}

static void says(struct stage *s, const char *want) {
    buf_char(&s->text, '\0');
    assert_string_equal(s->text.p, want);
    buf_clear(&s->text);
}

static bool start(struct stage *s, unsigned unit, int64_t at, int32_t pid) {
    const struct track_owner owner = {
        .client = (uint64_t)pid * 1000, .pid = pid, .tag = (uint32_t)pid + 1};
    return track_start(&s->track, &s->out, unit, at, &owner);
}

static bool stop(struct stage *s, unsigned unit, int64_t at) {
    return track_stop(&s->track, &s->out, unit, at);
}

static void rate(struct stage *s, int64_t at, uint64_t hz, uint32_t uv) {
    const struct track_rate r = {.clock_hz = hz, .voltage_uv = uv};
    track_change(&s->track, &s->out, at, &r);
}

static void one_job(void **state) {
    struct stage *s = *state;
    assert_null(track_owner_of(&s->track, 0));
    assert_false(start(s, 0, 10, 7));
    assert_int_equal(track_owner_of(&s->track, 0)->pid, 7);
    says(s, "");
    assert_true(stop(s, 0, 25));
    says(s, "A7 10..25 0/0 ");
    assert_false(stop(s, 0, 30));
    assert_null(track_owner_of(&s->track, 0));
    says(s, "");
}

static void units_run_side_by_side(void **state) {
    struct stage *s = *state;
    rate(s, 1, 5, 6);
    start(s, 2, 10, 7);
    start(s, 0, 11, 8);
    start(s, 1, 12, 7);
    stop(s, 0, 20);
    stop(s, 1, 20);
    stop(s, 2, 22);
    says(s, "A8 11..20 5/6 B7 12..20 5/6 C7 10..22 5/6 ");
}

static void another_start_ends_the_job(void **state) {
    struct stage *s = *state;
    start(s, 0, 10, 7);
    assert_true(start(s, 0, 20, 8));
    stop(s, 0, 25);
    says(s, "A7 10..20 0/0 A8 20..25 0/0 ");
    /* Also while it waits: then no time is added. */
    start(s, 0, 30, 7);
    track_suspend(&s->track, &s->out, 0, 35);
    assert_true(start(s, 0, 40, 8));
    stop(s, 0, 45);
    says(s, "A7 30..35 0/0 A8 40..45 0/0 ");
}

static void waiting_is_not_busy(void **state) {
    struct stage *s = *state;
    start(s, 0, 10, 7);
    track_resume(&s->track, 0, 12);
    track_suspend(&s->track, &s->out, 0, 20);
    track_suspend(&s->track, &s->out, 0, 25);
    assert_int_equal(track_owner_of(&s->track, 0)->pid, 7);
    rate(s, 27, 1, 1);
    track_resume(&s->track, 0, 30);
    stop(s, 0, 40);
    says(s, "A7 10..20 0/0 A7 30..40 1/1 ");
    start(s, 0, 50, 7);
    track_suspend(&s->track, &s->out, 0, 60);
    assert_true(stop(s, 0, 70));
    says(s, "A7 50..60 1/1 ");
    track_suspend(&s->track, &s->out, 0, 80);
    track_resume(&s->track, 0, 90);
    assert_false(stop(s, 0, 100));
    says(s, "");
}

static void rates_cut(void **state) {
    struct stage *s = *state;
    struct track_rate doubted = {.clock_hz = 5, .voltage_uv = 7, .doubt = DOUBT_ASSUMED_VOLTAGE};
    const struct track_rate off = {.off = true};
    start(s, 0, 10, 7);
    start(s, 1, 15, 8);
    rate(s, 20, 5, 0);
    says(s, "A7 10..20 0/0 B8 15..20 0/0 ");
    rate(s, 22, 5, 0); /* nothing new */
    says(s, "");
    rate(s, 25, 5, 7);
    says(s, "A7 20..25 5/0 B8 20..25 5/0 ");
    track_change(&s->track, &s->out, 30, &doubted); /* only who said it */
    says(s, "A7 25..30 5/7 B8 25..30 5/7 ");
    track_change(&s->track, &s->out, 40, &off);
    track_change(&s->track, &s->out, 45, &off);
    rate(s, 50, 0, 0);
    stop(s, 0, 60);
    says(s, "A7 30..40 5/7~ B8 30..40 5/7~ A7 40..50 off B8 40..50 off A7 50..60 0/0 ");
}

/* A stamp before the beginning makes a segment of no length, and moves no beginning back. */
static void stamps_out_of_order(void **state) {
    struct stage *s = *state;
    start(s, 0, 100, 7);
    rate(s, 95, 5, 6);
    says(s, "");
    rate(s, 100, 6, 6);
    says(s, "");
    stop(s, 0, 110);
    says(s, "A7 100..110 6/6 ");
    /* No time of a unit twice. */
    start(s, 0, 105, 8);
    stop(s, 0, 120);
    says(s, "A8 110..120 6/6 ");
    start(s, 0, 130, 7);
    assert_true(stop(s, 0, 125));
    says(s, "");
    start(s, 0, 140, 7);
    rate(s, 150, 7, 7);
    stop(s, 0, 145);
    says(s, "A7 140..150 6/6 ");
    start(s, 1, 200, 7);
    track_suspend(&s->track, &s->out, 1, 210);
    track_resume(&s->track, 1, 205);
    stop(s, 1, 215);
    says(s, "B7 200..210 7/7 B7 210..215 7/7 ");
}

static void open_ends(void **state) {
    struct stage *s = *state;
    start(s, 0, 10, 7);
    start(s, 1, 12, 8);
    track_suspend(&s->track, &s->out, 1, 15);
    says(s, "B8 12..15 0/0 ");
    assert_int_equal(track_cut(&s->track, &s->out, 20), 2);
    says(s, "A7 10..20 0/0! ");
    /* Said once for each job, and the time once. */
    assert_int_equal(track_cut(&s->track, &s->out, 20), 0);
    says(s, "");
    start(s, 2, 21, 9);
    assert_int_equal(track_cut(&s->track, &s->out, 30), 1);
    says(s, "A7 20..30 0/0! C9 21..30 0/0! ");
    stop(s, 0, 35);
    says(s, "A7 30..35 0/0 ");
    start(s, 0, 36, 7);
    assert_int_equal(track_cut(&s->track, &s->out, 36), 1);
    says(s, "C9 30..36 0/0! ");
}

/* After the end of a time stamps may be anything. */
static void another_time(void **state) {
    struct stage *s = *state;
    rate(s, 1, 5, 5);
    start(s, 0, 1000, 7);
    start(s, 1, 1000, 8);
    track_suspend(&s->track, &s->out, 1, 1001);
    track_end(&s->track, &s->out, 1010);
    says(s, "B8 1000..1001 5/5 A7 1000..1010 5/5 ");
    assert_null(track_owner_of(&s->track, 1));
    assert_false(stop(s, 0, 20));
    start(s, 0, 10, 7);
    stop(s, 0, 15);
    says(s, "A7 10..15 5/5 ");
}

static void mark(struct stage *s, unsigned unit, int64_t at) {
    track_mark(&s->track, &s->out, unit, at);
}

static void a_mark_may_be_the_end(void **state) {
    struct stage *s = *state;
    start(s, 0, 10, 7);
    mark(s, 0, 20);
    rate(s, 22, 5, 5);
    assert_true(stop(s, 0, 25));
    says(s, "A7 10..20 0/0 ");
    /* Another mark: it worked until then at least. */
    start(s, 0, 30, 7);
    mark(s, 0, 32);
    rate(s, 34, 6, 6);
    mark(s, 0, 40);
    rate(s, 42, 7, 7);
    stop(s, 0, 45);
    says(s, "A7 30..32 5/5 A7 32..34 5/5 A7 34..40 6/6 ");
    /* Whatever else happens to the job, it had not ended. */
    start(s, 0, 50, 7);
    mark(s, 0, 51);
    track_suspend(&s->track, &s->out, 0, 60);
    track_resume(&s->track, 0, 70);
    stop(s, 0, 80);
    says(s, "A7 50..51 7/7 A7 51..60 7/7 A7 70..80 7/7 ");
    start(s, 0, 90, 7);
    mark(s, 0, 91);
    start(s, 0, 95, 8);
    says(s, "A7 90..91 7/7 A7 91..95 7/7 ");
    mark(s, 0, 96);
    assert_int_equal(track_cut(&s->track, &s->out, 99), 1);
    says(s, "A8 95..96 7/7 ");
    stop(s, 0, 105);
    says(s, "");
    /* Nothing to mark. */
    mark(s, 0, 110);
    start(s, 0, 120, 7);
    track_suspend(&s->track, &s->out, 0, 121);
    mark(s, 0, 122);
    track_resume(&s->track, 0, 123);
    stop(s, 0, 125);
    says(s, "A7 120..121 7/7 A7 123..125 7/7 ");
}

/* As often as it is cut after a mark: what comes of it is what would come without. */
static void cuts_after_a_mark(void **state) {
    struct stage *s = *state;
    start(s, 0, 10, 7);
    mark(s, 0, 20);
    for (int i = 0; i < 3 * TRACK_HELD; i++)
        (void)track_cut(&s->track, &s->out, 21 + i);
    rate(s, 80, 5, 5);
    (void)track_cut(&s->track, &s->out, 90);
    says(s, "A7 10..20 0/0 ");
    assert_int_equal(track_owner_of(&s->track, 0)->pid, 7);
    stop(s, 0, 100);
    says(s, "");
    start(s, 0, 110, 7);
    mark(s, 0, 120);
    (void)track_cut(&s->track, &s->out, 130);
    rate(s, 140, 6, 6);
    (void)track_cut(&s->track, &s->out, 145);
    mark(s, 0, 150);
    stop(s, 0, 160);
    says(s, "A7 110..120 5/5 A7 120..140 5/5 A7 140..150 6/6 ");
}

static void marks_out_of_order(void **state) {
    struct stage *s = *state;
    start(s, 0, 10, 7);
    rate(s, 20, 5, 5);
    mark(s, 0, 15);
    stop(s, 0, 30);
    says(s, "A7 10..20 0/0 ");
}

/* More changes than there is room for show that it worked on. */
static void many_changes_after_a_mark(void **state) {
    struct stage *s = *state;
    start(s, 0, 0, 7);
    mark(s, 0, 100);
    for (int i = 1; i <= TRACK_HELD; i++)
        rate(s, 100 + i, (uint64_t)i, 1);
    says(s, "A7 0..100 0/0 ");
    rate(s, 200, 1000, 1);
    buf_char(&s->text, '\0');
    assert_non_null(strstr(s->text.p, "A7 100..101 0/0 "));
    assert_non_null(strstr(s->text.p, "A7 116..200 16/1 "));
    buf_clear(&s->text);
    stop(s, 0, 210);
    says(s, "A7 200..210 1000/1 ");
}

static void units_that_are_not(void **state) {
    struct stage *s = *state;
    assert_false(start(s, TRACK_UNITS, 10, 7));
    assert_false(stop(s, UINT32_MAX, 20));
    track_suspend(&s->track, &s->out, TRACK_UNITS, 1);
    track_resume(&s->track, TRACK_UNITS, 1);
    mark(s, TRACK_UNITS, 1);
    assert_null(track_owner_of(&s->track, TRACK_UNITS));
    assert_int_equal(track_cut(&s->track, &s->out, 100), 0);
    says(s, "");
}

/* A copy is the whole state. */
static void copies(void **state) {
    struct stage *s = *state;
    struct track other;
    start(s, 0, 10, 7);
    mark(s, 0, 12);
    rate(s, 14, 5, 5);
    memcpy(&other, &s->track, sizeof(other));
    stop(s, 0, 20);
    says(s, "A7 10..12 0/0 ");
    s->track = other;
    track_end(&s->track, &s->out, 20);
    says(s, "A7 12..14 0/0 A7 14..20 5/5 ");
}

static void no_listener(void **state) {
    struct stage *s = *state;
    s->sink.job = NULL;
    start(s, 0, 10, 7);
    stop(s, 0, 20);
    says(s, "");
}

/* ---- prices ---------------------------------------------------------------------------------- */

static void prices_of_the_book(void **state) {
    static const struct {
        uint64_t mhz;
        uint32_t uv;
        double pw;
    } rows[] = {{160, 875000, 0.460526315789},
                {266, 900000, 0.810000000000},
                {266, 1000000, 1},
                {350, 950000, 1.187500000000},
                {440, 1025000, 1.737875939850},
                {440, 1100000, 2.001503759398},
                {533, 1075000, 2.315594454887},
                {533, 1100000, 2.424548872180}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(fabs(pseudowatt_seconds(rows[i].mhz * 1000000, rows[i].uv, 1000000000) -
                         rows[i].pw) < 5e-13);
    assert_true(fabs(pseudowatt_seconds(440000000, 1100000, 4000000) - 0.008006015037594) < 1e-15);
    /* The book's second example: 10 ms in three rates. */
    double sum = pseudowatt_seconds(160000000, 875000, 4000000) +
                 pseudowatt_seconds(160000000, 1025000, 200000) +
                 pseudowatt_seconds(440000000, 1025000, 5800000);
    assert_true(fabs(sum - 0.012048176691729) < 1e-15);
    assert_true(pseudowatt_seconds(0, 1000000, 5) == 0);
    assert_true(pseudowatt_seconds(266000000, 0, 5) == 0);
    assert_true(pseudowatt_seconds(266000000, 1000000, -5) == 0);
}

/* To 64 binary digits; clock x voltage is exact. */
static long double exact_pws(uint64_t hz, uint32_t uv, int64_t ns) {
    return (long double)(hz * uv) * uv * (long double)ns / 266e27L;
}

/* A segment is off by a few units in the 16th digit. Sums of n in a double by at most n more: for
 * 10^8 that is 10^8 x 2^-53 = 1.2e-8 of the sum, less than the digits that are shown; here
 * measured for 10^6, where the bound is 1.2e-10. */
static void sums_do_not_drift(void **state) {
    enum { MANY = 1000000 };
    double sum = 0;
    long double exact = 0;
    uint64_t seed = 88172645463325252u;
    (void)state;
    for (int i = 0; i < MANY; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        uint64_t hz = 100000000 + seed % 900000000;
        uint32_t uv = 700000 + (uint32_t)(seed >> 20) % 700000;
        int64_t ns = 1 + (int64_t)(seed >> 40) % 5000000;
        double one = pseudowatt_seconds(hz, uv, ns);
        assert_true(fabsl(one - exact_pws(hz, uv, ns)) <= 8 * 0x1p-53L * exact_pws(hz, uv, ns));
        sum += one;
        exact += exact_pws(hz, uv, ns);
    }
    assert_true(fabsl(sum - exact) <= exact * (MANY + 8) * 0x1p-53L);
}

/* Equal segments, whose rounding may go in one direction all the time; the bound for 10^8 is
 * above. */
static void equal_segments(void **state) {
    enum { MANY = 20000000 };
    double one = pseudowatt_seconds(533000000, 1100000, 41);
    double sum = 0;
    (void)state;
    for (int i = 0; i < MANY; i++)
        sum += one;
    assert_true(fabs(sum - one * MANY) <= one * MANY * MANY * 0x1p-53);
    assert_true(fabs(sum - pseudowatt_seconds(533000000, 1100000, 41 * (int64_t)MANY)) <
                1e-8 * sum);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(one_job),
        TEST(units_run_side_by_side),
        TEST(another_start_ends_the_job),
        TEST(waiting_is_not_busy),
        TEST(rates_cut),
        TEST(stamps_out_of_order),
        TEST(open_ends),
        TEST(another_time),
        TEST(a_mark_may_be_the_end),
        TEST(cuts_after_a_mark),
        TEST(marks_out_of_order),
        TEST(many_changes_after_a_mark),
        TEST(units_that_are_not),
        TEST(copies),
        TEST(no_listener),
        cmocka_unit_test(prices_of_the_book),
        cmocka_unit_test(sums_do_not_drift),
        cmocka_unit_test(equal_segments),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
