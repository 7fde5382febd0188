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
#include "app/nearest.h"
#include "app/options.h"
#include "gwtop/backend.h"

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

/* A neighbour is named only if it is one: two edits, or a third of the word. */
static void test_neighbours(void **state) {
    static const char *const rows[][2] = {{"--countrs", "--counters?"},
                                          {"--mali-profilng", "--mali-profiling?"},
                                          {"--oa-timestmphz", "--oa-timestamp-hz?"},
                                          {"--demoo", "--demo?"},
                                          {"--zzz", NULL},
                                          {"--x", NULL},
                                          {"--colour", NULL}};
    struct options o;
    struct err_info info;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parse(&o, &info, rows[i][0], NULL), ERR_USAGE);
        if (rows[i][1] ? !strstr(info.text, rows[i][1]) : strstr(info.text, "mean") != NULL)
            fail_msg("%s", info.text);
    }
}

/* What takes words of a list says which. */
static void test_words_are_listed(void **state) {
    static const char *const rows[][3] = {
        {"--oa-format", "A14", "A13, A29, A13_B8_C8, B4_C8, A45_B8_C8, B4_C8_A16"},
        {"--oa-flags", "ctx", "pid, tag"},
        {"--oa-sample", "time", "source, ctx, pid, tag, ts"},
        {"--mali-soc", "exynos", "exynos4210, exynos4412, exynos4412-prime, u8500"},
        {"--mali-dialect", "amd", "samsung, arm"},
        {"--mali-end", "start", "stop, interrupt"}};
    struct options o;
    struct err_info info;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parse(&o, &info, rows[i][0], rows[i][1], NULL), ERR_USAGE);
        assert_non_null(strstr(info.text, rows[i][0]));
        assert_non_null(strstr(info.text, rows[i][1]));
        assert_non_null(strstr(info.text, rows[i][2]));
    }
}

/* All kinds, the nearest first. */
static void test_kinds_are_listed(void **state) {
    static const char *const rows[][2] = {{"i915perf", ": i915-perf "},
                                          {"mali", ": mali-events "},
                                          {"panthor", ": panthor-ring "},
                                          {"fdinf", ": fdinfo "},
                                          {"oa-stream", ": i915-oa-stream "}};
    struct err_info info;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(kind_unknown(rows[i][0], &info), ERR_USAGE);
        assert_non_null(strstr(info.text, rows[i][1]));
        for (size_t b = 0; b < backend_table.count; b++)
            for (size_t k = 0; k < backend_table.list[b]->kind_count; k++)
                if (backend_table.list[b]->kinds[k].file)
                    assert_non_null(strstr(info.text, backend_table.list[b]->kinds[k].name));
    }
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
    for (size_t i = 0; i < backend_table.count; i++)
        for (size_t k = 0; k < backend_table.list[i]->kind_count; k++)
            if (backend_table.list[i]->kinds[k].file)
                assert_non_null(strstr(b.p, backend_table.list[i]->kinds[k].name));
    buf_finish(&b);
}

/* No line is wider than 100 columns; what options do stands in one column, below long ones. */
static void test_help_is_aligned(void **state) {
    struct buf b;
    struct span line;
    bool options = false;
    bool alone = false; /* its text stands below */
    (void)state;
    buf_init(&b);
    options_help(&b);
    struct cursor lines = cursor_over(buf_span_of(&b));
    while (cursor_line(&lines, &line)) {
        options = options ? line.n > 0 : span_starts(line, "  -1, --once");
        assert_true(line.n <= 100);
        if (!options)
            continue;
        bool beside = line.n > 28 && line.p[27] == ' ' && line.p[28] != ' ';
        assert_true(beside || (!alone && span_starts(line, "      --")) || line.n == 0);
        assert_true(!alone || span_starts(line, "                            "));
        alone = !beside;
    }
    buf_finish(&b);
}

/* As it is written in a manual page: a dash is escaped, a font may stand before. */
static void assert_written(const char *page, const char *font, const char *word) {
    char written[64];
    size_t n = (size_t)snprintf(written, sizeof written, "%s", font);
    for (const char *p = word; *p && n < sizeof written - 3; p++) {
        if (*p == '-' || *p == '\\')
            written[n++] = '\\';
        written[n++] = *p == '\\' ? 'e' : *p;
    }
    written[n] = '\0';
    if (!strstr(page, written))
        fail_msg("man/gwtop.1 does not speak of %s", word);
}

static void assert_kinds(const char *page) {
    for (size_t b = 0; b < backend_table.count; b++)
        for (size_t k = 0; k < backend_table.list[b]->kind_count; k++)
            if (backend_table.list[b]->kinds[k].file)
                assert_written(page, "\\fB", backend_table.list[b]->kinds[k].name);
}

/* Every key of the table screen, in bold. */
static void assert_keys(const char *page) {
    static const char *const keys[] = {
#define KEY(where, names, act, amount, word, help) names,
#include "view/keys.def"
#undef KEY
    };
    const char *section = strstr(page, ".SH KEYS");
    assert_non_null(section);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct cursor c = cursor_over(span_of(keys[i]));
        struct span name;
        while (cursor_field(&c, ' ', &name)) {
            char word[16];
            snprintf(word, sizeof word, "%.*s", (int)name.n, name.p);
            assert_written(section, "\\fB", word);
        }
    }
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
    assert_kinds(page);
    assert_keys(page);
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
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_words_are_listed),
        cmocka_unit_test(test_kinds_are_listed),
        cmocka_unit_test(test_help_without_operands),
        cmocka_unit_test(test_help_names_everything),
        cmocka_unit_test(test_help_is_aligned),
        cmocka_unit_test(test_manual),
    };
    return cmocka_run_group_tests_name("app options", tests, NULL, NULL);
}
