/*
 * Lines of the events file, and every event of every release: what is a line, what each id means
 * in which dialect, which unit it is about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/mali/mali.h"
#include "malirig.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* An exact copy, so that a sanitizer sees a read behind the end. */
static enum mali_line parse(const char *text, size_t n, bool whole, struct mali_event *e) {
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    enum mali_line is = mali_line_parse((struct span){copy, n}, whole, e);
    free(copy);
    return is;
}

static void good_lines(void **state) {
    static const char *const same[] = {
        "1329701288752682877 34013184 0 1 4294967295 3 4",
        "1329701288752682877 34013184 0 1 4294967295 3 4 ",
        "1329701288752682877 34013184 0 1 4294967295 3 4\r",
        "1329701288752682877 34013184 0 1 4294967295 3 4\t \r",
        "1329701288752682877 34013184 0 1 4294967295 3 4#",
        "1329701288752682877 34013184 0 1 4294967295 3 4 # [000000] STOP | PP2 | PHYSICAL | T0 + 0",
        "1329701288752682877 34013184 0 1 4294967295 3 4 # 5 6 7 \x01\xff",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(same); i++) {
        struct mali_event e;
        assert_int_equal(parse(same[i], strlen(same[i]), true, &e), MALI_LINE_EVENT);
        assert_int_equal(e.t_ns, INT64_C(1329701288752682877));
        assert_int_equal(e.id, 34013184);
        assert_int_equal(e.d[0], 0);
        assert_int_equal(e.d[1], 1);
        assert_int_equal(e.d[2], UINT32_MAX);
        assert_int_equal(e.d[3], 3);
        assert_int_equal(e.d[4], 4);
    }
    struct mali_event e;
    assert_int_equal(parse("9223372036854775807 4294967295 0 0 0 0 0", 40, true, &e),
                     MALI_LINE_EVENT);
    assert_int_equal(e.t_ns, INT64_MAX);
    assert_int_equal(e.id, UINT32_MAX);
    assert_int_equal(parse("0 0 0 0 0 0 0", 13, true, &e), MALI_LINE_EVENT);
    assert_int_equal(e.t_ns, 0);
}

static void bad_lines(void **state) {
    static const struct {
        const char *text;
        enum mali_line is;
    } bad[] = {
        {"", MALI_LINE_BAD_TEXT},
        {" ", MALI_LINE_BAD_TEXT},
        {"1", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6 ", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6 #", MALI_LINE_BAD_TEXT},
        {"1 2 3 # 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6 7 8", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6 7x", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6 7 x", MALI_LINE_BAD_TEXT},
        {"1 2 3 4 5 6 7\r#", MALI_LINE_EVENT},
        {"1 2 3 4 5 6 7\r\r", MALI_LINE_BAD_TEXT},
        {"# 1 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {" 1 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1  2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1\t2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"-1 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"+1 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1 2 -3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"0x1 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1 2 0x3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1.5 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1e3 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"nan 2 3 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1 2 inf 4 5 6 7", MALI_LINE_BAD_TEXT},
        {"1,2,3,4,5,6,7", MALI_LINE_BAD_TEXT},
        {"9223372036854775808 2 3 4 5 6 7", MALI_LINE_OUT_OF_RANGE},
        {"18446744073709551615 2 3 4 5 6 7", MALI_LINE_OUT_OF_RANGE},
        {"18446744073709551616 2 3 4 5 6 7", MALI_LINE_OUT_OF_RANGE},
        {"36893488147419103233 2 3 4 5 6 7", MALI_LINE_OUT_OF_RANGE}, /* 2^65 + 1 */
        {"00000000000000000001 2 3 4 5 6 7", MALI_LINE_OUT_OF_RANGE},
        {"1 4294967296 3 4 5 6 7", MALI_LINE_OUT_OF_RANGE},
        {"1 2 4294967296 4 5 6 7", MALI_LINE_OUT_OF_RANGE},
        {"1 2 3 4 5 6 4294967296", MALI_LINE_OUT_OF_RANGE},
        {"1 2 3 4 5 6 99999999999999999999999999999999999", MALI_LINE_OUT_OF_RANGE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct mali_event e;
        if (parse(bad[i].text, strlen(bad[i].text), true, &e) != bad[i].is)
            fail_msg("'%s'", bad[i].text);
    }
}

/* Each byte of a line turned into what it must not be. */
static void bytes_that_do_not_belong(void **state) {
    static const char line[] = "10 17104896 800 801 0 0 0";
    static const char wrong[] = {'\0', 'a', '-', '+', '.', '\x80', '\xff', ':', '/', '\t'};
    (void)state;
    for (size_t at = 0; at + 1 < sizeof(line); at++)
        for (size_t k = 0; k < sizeof(wrong); k++) {
            char copy[sizeof(line)];
            struct mali_event e;
            memcpy(copy, line, sizeof(line));
            copy[at] = wrong[k];
            assert_int_equal(parse(copy, sizeof(line) - 1, true, &e), MALI_LINE_BAD_TEXT);
        }
}

static void long_lines(void **state) {
    char text[MALI_LINE_MAX + 2];
    struct mali_event e;
    (void)state;
    memset(text, ' ', sizeof(text));
    memcpy(text, "1 2 3 4 5 6 7", 13);
    assert_int_equal(parse(text, MALI_LINE_MAX, true, &e), MALI_LINE_EVENT);
    assert_int_equal(parse(text, MALI_LINE_MAX + 1, true, &e), MALI_LINE_BAD_TEXT);
    memset(text, '1', sizeof(text));
    assert_int_equal(parse(text, MALI_LINE_MAX, true, &e), MALI_LINE_OUT_OF_RANGE);
}

/* ---- meaning --------------------------------------------------------------------------------- */

/* What all of the headers list, from the first subtype to the last. */
static const struct listed {
    uint8_t type;
    uint8_t channel;
    uint16_t first;
    uint16_t last;
    uint8_t act;
} listed[] = {
    {MALI_SINGLE, MALI_SW, 0, 3, MALI_NOTHING},   {MALI_SINGLE, MALI_SW, 6, 11, MALI_NOTHING},
    {MALI_SINGLE, MALI_SW, 13, 13, MALI_NOTHING}, {MALI_SINGLE, MALI_SW, 53, 63, MALI_NOTHING},
    {MALI_BEGIN, MALI_SW, 0, 5, MALI_NOTHING},    {MALI_DONE, MALI_SW, 0, 5, MALI_NOTHING},
    {MALI_WAIT, MALI_SW, 0, 1, MALI_NOTHING},     {MALI_WAIT, MALI_SW, 26, 49, MALI_NOTHING},
    {MALI_GO_ON, MALI_SW, 0, 1, MALI_NOTHING},    {MALI_GO_ON, MALI_SW, 26, 49, MALI_NOTHING},
    {MALI_SINGLE, MALI_GPU, 0, 0, MALI_NOTHING},  {MALI_SINGLE, MALI_GPU, 1, 1, MALI_RATE},
    {MALI_SINGLE, MALI_GPU, 2, 4, MALI_NOTHING},  {MALI_SINGLE, MALI_GPU, 10, 10, MALI_RATE},
    {MALI_SINGLE, MALI_GP0, 0, 0, MALI_NOTHING},  {MALI_SINGLE, MALI_GP0, 1, 1, MALI_INTERRUPT},
    {MALI_SINGLE, MALI_GP0, 2, 2, MALI_NOTHING},  {MALI_BEGIN, MALI_GP0, 0, 1, MALI_START},
    {MALI_DONE, MALI_GP0, 0, 1, MALI_STOP},       {MALI_WAIT, MALI_GP0, 0, 0, MALI_SUSPEND},
    {MALI_GO_ON, MALI_GP0, 0, 0, MALI_RESUME},
};

static enum mali_act wanted(unsigned type, unsigned channel, unsigned subtype) {
    bool unit = channel >= 1 && channel <= 12;
    for (size_t i = 0; i < COUNT(listed); i++)
        if (listed[i].type == type && listed[i].channel == (unit ? MALI_GP0 : channel) &&
            subtype >= listed[i].first && subtype <= listed[i].last)
            return (enum mali_act)listed[i].act;
    return MALI_UNKNOWN;
}

/* All types, channels and the subtypes that anybody uses, and some that nobody does. */
static void every_event(void **state) {
    (void)state;
    for (unsigned type = 0; type < 16; type++)
        for (unsigned channel = 0; channel < 256; channel++)
            for (unsigned subtype = 0; subtype < 80; subtype++) {
                struct mali_event e = {.id = MALI_ID(type, channel, subtype)};
                bool differs = type == 0 && channel == 0 && (subtype == 4 || subtype == 5);
                enum mali_act want = wanted(type, channel, subtype);
                for (unsigned d = MALI_DIALECT_UNKNOWN; !differs && d <= MALI_DIALECT_ARM; d++)
                    assert_int_equal(mali_event_act(&e, (enum mali_dialect)d), want);
                e.id |= 0x80000000u; /* bits that have to be 0 */
                assert_int_equal(mali_event_act(&e, MALI_DIALECT_SAMSUNG), MALI_UNKNOWN);
                e.id = MALI_ID(type, channel, subtype + 0x100);
                assert_int_equal(mali_event_act(&e, MALI_DIALECT_ARM), MALI_UNKNOWN);
            }
}

static void ids_of_the_mail_and_the_example(void **state) {
    static const struct {
        uint32_t id;
        enum mali_act act;
        unsigned unit;
    } rows[] = {
        {34013184, MALI_STOP, 6},    {17301504, MALI_START, 7},    {16777217, MALI_NOTHING, 12},
        {65538, MALI_NOTHING, 0},    {16842752, MALI_START, 0},    {50397184, MALI_SUSPEND, 0},
        {67174400, MALI_RESUME, 0},  {50331674, MALI_NOTHING, 12}, {1376257, MALI_RATE, 12},
        {1376266, MALI_RATE, 12},    {65537, MALI_INTERRUPT, 0},   {327682, MALI_NOTHING, 4},
        {327681, MALI_INTERRUPT, 4}, {33554433, MALI_NOTHING, 12}, {9, MALI_NOTHING, 12},
        {17563648, MALI_START, 11},  {33619968, MALI_STOP, 0},     {1376258, MALI_NOTHING, 12},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mali_event e = {.id = rows[i].id};
        assert_int_equal(mali_event_act(&e, MALI_DIALECT_UNKNOWN), rows[i].act);
        assert_int_equal(mali_event_unit(&e), rows[i].unit);
    }
    assert_string_equal(mali_unit_names[0], "GP0");
    assert_string_equal(mali_unit_names[4], "PP0");
    assert_string_equal(mali_unit_names[11], "PP7");
}

/* Software events 4 and 5: rates in Samsung's dialect only, and there never where a thread's id
 * stands in d1. */
static void the_two_that_differ(void **state) {
    static const struct {
        uint32_t id, d0, d1;
        enum mali_act samsung, arm;
    } rows[] = {
        {4, 160000000, 0, MALI_CLOCK, MALI_NOTHING},
        {4, 160000000, 1, MALI_CLOCK, MALI_NOTHING},
        {4, 1300, 1301, MALI_UNKNOWN, MALI_NOTHING},
        {5, 875000, 0, MALI_VOLTAGE, MALI_NOTHING},
        {5, 875000, 875000, MALI_NOTHING, MALI_NOTHING},
        {5, 875000, 1, MALI_NOTHING, MALI_NOTHING},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mali_event e = {.id = rows[i].id, .d = {rows[i].d0, rows[i].d1}};
        assert_int_equal(mali_event_act(&e, MALI_DIALECT_SAMSUNG), rows[i].samsung);
        assert_int_equal(mali_event_act(&e, MALI_DIALECT_ARM), rows[i].arm);
        assert_int_equal(mali_event_act(&e, MALI_DIALECT_UNKNOWN), MALI_UNKNOWN);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lines),
        cmocka_unit_test(bad_lines),
        cmocka_unit_test(bytes_that_do_not_belong),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(every_event),
        cmocka_unit_test(ids_of_the_mail_and_the_example),
        cmocka_unit_test(the_two_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
