/* The command line: times, delays, commands and options in any order, and words about wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/commands.h"
#include "app/options.h"

#define MS INT64_C(1000000)
#define S  (1000 * MS)

/* Parses the words, which end with NULL. */
static enum err parse(struct options *o, struct err_info *info, const char *first, ...) {
    char *argv[32] = {(char *)"gwtop"};
    int argc = 1;
    va_list words;
    va_start(words, first);
    for (const char *w = first; w; w = va_arg(words, const char *))
        argv[argc++] = (char *)w;
    va_end(words);
    return options_parse(argc, argv, o, info);
}

static void test_delay(void **state) {
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"1", 100 * MS},     {"10", S},           {"15", 1500 * MS},
                {"100ms", 100 * MS}, {"250ms", 250 * MS}, {"2s", 2 * S},
                {"1.5s", 1500 * MS}, {"0.1s", 100 * MS},  {"86400s", 86400 * S}};
    static const char *const bad[] = {"",
                                      "0",
                                      "ms",
                                      "s",
                                      "99ms",
                                      "-1",
                                      "1m",
                                      "1.5",
                                      "1e3s",
                                      "86401s",
                                      "nan",
                                      " 1",
                                      "1 s",
                                      "99999999999999999999s",
                                      "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        int64_t ns = 0;
        assert_int_equal(options_delay(good[i].text, &ns), ERR_OK);
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int64_t ns = 7;
        assert_int_not_equal(options_delay(bad[i], &ns), ERR_OK);
        assert_int_equal(ns, 7);
    }
}

/* Only the time of a recording goes in small steps. */
static void test_small_delay(void **state) {
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&o, &info, "-d", "500us", "replay", "events", NULL), ERR_OK);
    assert_int_equal(o.delay_ns, MS / 2);
    assert_int_equal(parse(&o, &info, "report", "events", "-d", "2ms", NULL), ERR_OK);
    assert_int_equal(parse(&o, &info, "replay", "events", "-d", "999ns", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "-d", "99ms", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "report", "-d", "99ms", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "record", "-d", "99ms", NULL), ERR_USAGE);
    assert_non_null(strstr(info.text, "100ms"));
}

static void test_time(void **state) {
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"0", 0},
                {"90", 90 * S},
                {"1:30", 90 * S},
                {"0:01:30", 90 * S},
                {"12.5", 12500 * MS},
                {"12.5s", 12500 * MS},
                {"1:00:00", 3600 * S}};
    static const char *const bad[] = {"", ":", "1:", "a", "-1", "1:2:3:4", "1:x", "1.5.5"};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        int64_t ns = -1;
        assert_int_equal(options_time(good[i].text, &ns), ERR_OK);
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int64_t ns = -1;
        assert_int_not_equal(options_time(bad[i], &ns), ERR_OK);
        assert_int_equal(ns, -1);
    }
}

static void test_order_does_not_matter(void **state) {
    struct options a;
    struct options b;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&a, &info, "replay", "f.gwt", "--json", "-n", "3", NULL), ERR_OK);
    assert_int_equal(parse(&b, &info, "--json", "-n3", "replay", "f.gwt", NULL), ERR_OK);
    assert_string_equal(a.command->name, "replay");
    assert_ptr_equal(a.command, b.command);
    assert_string_equal(a.operands[0], "f.gwt");
    assert_string_equal(b.operands[0], "f.gwt");
    assert_int_equal(a.iterations, 3);
    assert_int_equal(b.iterations, 3);
    assert_true(a.given[OPT_JSON] && b.given[OPT_JSON]);
}

static void test_defaults(void **state) {
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&o, &info, NULL), ERR_OK);
    assert_string_equal(o.command->name, "");
    assert_int_equal(o.speed_milli, -1);
    assert_int_equal(o.to_ns, INT64_MAX);
    assert_int_equal(o.delay_ns, 0);
}

static void test_speed(void **state) {
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&o, &info, "--speed", "max", NULL), ERR_OK);
    assert_int_equal(o.speed_milli, 0);
    assert_int_equal(parse(&o, &info, "--speed", "0.5", NULL), ERR_OK);
    assert_int_equal(o.speed_milli, 500);
    assert_int_equal(parse(&o, &info, "--speed", "8x", NULL), ERR_OK);
    assert_int_equal(o.speed_milli, 8000);
    assert_int_equal(parse(&o, &info, "--speed", "0", NULL), ERR_USAGE);
}

/* What a recording of jobs cannot say of itself. */
static void test_mali(void **state) {
    static const char *const bad[][2] = {
        {"--mali-dialect", "amd"},    {"--mali-dialect", "samsung|arm"},
        {"--mali-dialect", ""},       {"--mali-soc", "exynos"},
        {"--mali-soc", "NAME"},       {"--mali-end", "start"},
        {"--assume-voltage", "0"},    {"--assume-voltage", "2.1"},
        {"--assume-voltage", "0.09"}, {"--assume-voltage", "-1"},
        {"--assume-voltage", "1V"},   {"--assume-voltage", "1e0"},
    };
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&o, &info, "decode", "mali-events", "f", "--mali-dialect", "samsung",
                           "--mali-soc", "exynos4412-prime", "--mali-end=interrupt",
                           "--assume-voltage", "1.1", "--mali-backfill", NULL),
                     ERR_OK);
    assert_string_equal(o.mali_dialect, "samsung");
    assert_string_equal(o.mali_soc, "exynos4412-prime");
    assert_string_equal(o.mali_end, "interrupt");
    assert_int_equal(o.assume_voltage_uv, 1100000);
    assert_true(o.given[OPT_MALI_BACKFILL] && !o.given[OPT_MALI_DROP_UNPRICED]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(&o, &info, bad[i][0], bad[i][1], NULL), ERR_USAGE);
        assert_non_null(strstr(info.text, bad[i][0]));
    }
}

static void test_wrong_words(void **state) {
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&o, &info, "--jsn", NULL), ERR_USAGE);
    assert_non_null(strstr(info.text, "--json"));
    assert_int_equal(parse(&o, &info, "-X", NULL), ERR_USAGE);
    assert_non_null(strstr(info.text, "-X"));
    assert_int_equal(parse(&o, &info, "-n", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "-n", "0", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "-p", "99999999999", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "--json=yes", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "paly", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "replay", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "replay", "a", "b", NULL), ERR_USAGE);
    assert_int_equal(parse(&o, &info, "decode", "fdinfo", NULL), ERR_USAGE);
}

static void test_help_without_operands(void **state) {
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse(&o, &info, "replay", "--help", NULL), ERR_OK);
    assert_true(o.given[OPT_HELP]);
}

static void test_help_names_everything(void **state) {
    struct buf b;
    (void)state;
    buf_init(&b);
    options_help(&b);
    buf_char(&b, '\0');
    assert_false(b.failed);
    for (int i = 0; i < OPT_COUNT; i++)
        assert_non_null(strstr(b.p, option_list[i].name));
    for (unsigned i = 0; i < command_count; i++)
        assert_non_null(strstr(b.p, command_list[i].usage));
    buf_finish(&b);
}

/* The manual page speaks of every option and command. */
static void test_manual(void **state) {
    static char page[65536];
    FILE *f = fopen("man/gwtop.1", "r");
    (void)state;
    assert_non_null(f);
    page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
    fclose(f);
    for (int i = 0; i < OPT_COUNT; i++) {
        char written[64] = "\\-\\-"; /* a dash is escaped in a manual page */
        size_t n = strlen(written);
        for (const char *p = option_list[i].name; *p && n < sizeof(written) - 3; p++) {
            if (*p == '-')
                written[n++] = '\\';
            written[n++] = *p;
        }
        written[n] = '\0';
        if (!strstr(page, written))
            fail_msg("man/gwtop.1 does not speak of --%s", option_list[i].name);
    }
    for (unsigned i = 0; i < command_count; i++)
        assert_non_null(strstr(page, command_list[i].name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_small_delay),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_mali),
        cmocka_unit_test(test_wrong_words),
        cmocka_unit_test(test_help_without_operands),
        cmocka_unit_test(test_help_names_everything),
        cmocka_unit_test(test_manual),
    };
    return cmocka_run_group_tests_name("app options", tests, NULL, NULL);
}
