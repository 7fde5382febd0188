/* Settings as text and back: every one, its choices, what is refused, and the file that holds them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/settings.h"

static struct span key_of(unsigned i) {
    return span_of(setting_info((enum setting)i)->key);
}

static void assert_same(const struct settings *a, const struct settings *b) {
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        assert_true(settings_same(a, b, (enum setting)i));
    }
}

static void assert_set(struct settings *s, const char *key, const char *value) {
    struct err_info info = {0};
    if (settings_set(s, span_of(key), span_of(value), &info) != ERR_OK) {
        fail_msg("%s = %s: %s", key, value, info.text);
    }
}

/* What is printed of one is what it is set to. */
static void assert_round(const struct settings *s, unsigned i) {
    struct settings again;
    struct buf b = {0};
    settings_init(&again);
    settings_put(s, (enum setting)i, &b);
    assert_null(b.n > 0 ? memchr(b.p, '\n', b.n) : NULL);
    assert_int_equal(settings_set(&again, key_of(i), buf_span_of(&b), NULL), ERR_OK);
    assert_true(settings_same(s, &again, (enum setting)i));
    buf_finish(&b);
}

static void defaults_hold(void **state) {
    struct settings s;
    (void)state;
    settings_init(&s);
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        const struct setting_info *info = setting_info((enum setting)i);
        assert_int_equal(setting_find(key_of(i)), i);
        assert_int_equal(settings_set(&s, key_of(i), span_of(info->fallback), NULL), ERR_OK);
        assert_int_equal(info->kind == SETTING_KIND_CHOICE, info->choices[0] != '\0');
        assert_true(strlen(info->doc) > 0);
        assert_round(&s, i);
    }
    assert_int_equal(s.number[SETTING_DELAY], INT64_C(1000000000));
    assert_string_equal(setting_text(&s, SETTING_SORT), "gpu");
}

static void every_choice_is_taken(void **state) {
    struct settings s;
    struct span word;
    (void)state;
    settings_init(&s);
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        for (unsigned n = 0; (word = setting_choice((enum setting)i, n)).n > 0; n++) {
            assert_int_equal(settings_set(&s, key_of(i), word, NULL), ERR_OK);
            assert_int_equal(s.number[i], n);
            assert_round(&s, i);
        }
    }
}

static void words_of_yes_and_no(void **state) {
    static const char *const words[][2] = {
        {"no", "yes"}, {"false", "true"}, {"off", "on"}, {"0", "1"}, {"'no'", "\"yes\""}};
    struct settings s;
    (void)state;
    settings_init(&s);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (int v = 1; v >= 0; v--) {
            assert_set(&s, "tree", words[i][v]);
            assert_int_equal(s.number[SETTING_TREE], v);
        }
    }
}

static void delays(void **state) {
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"1s", 1000000000},  {"0.25s", 250000000}, {"250ms", 250000000},
                {"15", 1500000000},  {"100ms", 100000000}, {"86400s", INT64_C(86400000000000)},
                {"1.5s", 1500000000}};
    static const char *const bad[] = {"",    "0",    "99ms", "86401s", "1.5",
                                      "-1s", "1e3s", "s",    "1m",     "99999999999999999999s"};
    struct settings s;
    (void)state;
    settings_init(&s);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_set(&s, "delay", good[i].text);
        assert_int_equal(s.number[SETTING_DELAY], good[i].ns);
        assert_round(&s, SETTING_DELAY);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(settings_set(&s, span_of("delay"), span_of(bad[i]), NULL), ERR_USAGE);
        assert_int_equal(s.number[SETTING_DELAY], 1500000000);
    }
}

/* Quotes that belong to a filter stay, those around the whole go. */
static void texts(void **state) {
    static const struct {
        const char *value;
        const char *text;
    } good[] = {{"gpu>5", "gpu>5"},
                {"  gpu>5 ", "gpu>5"},
                {"\"gpu>5 or top\"", "gpu>5 or top"},
                {"\"a b\" or \"c d\"", "\"a b\" or \"c d\""},
                {"'\"a b\"'", "\"a b\""},
                {"'\"a b\" or name=\"it's\"'", "\"a b\" or name=\"it's\""},
                {"", ""},
                {"name=\"a ;b # c\"", "name=\"a ;b # c\""}};
    struct settings s;
    (void)state;
    settings_init(&s);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_set(&s, "filter", good[i].value);
        assert_string_equal(setting_text(&s, SETTING_FILTER), good[i].text);
        assert_round(&s, SETTING_FILTER);
    }
    assert_set(&s, "sort", "-vram, pid");
    assert_set(&s, "fields", "pid,command:40");
    assert_set(&s, "fields", "");
}

static void refuses(const char *key, const char *value, const char *word) {
    struct settings s, before;
    struct err_info info = {0};
    settings_init(&s);
    before = s;
    assert_int_equal(settings_set(&s, span_of(key), span_of(value), &info), ERR_USAGE);
    if (!strstr(info.text, word)) {
        fail_msg("%s = %s: %s", key, value, info.text);
    }
    assert_true(text_is_clean(span_of(info.text)));
    assert_same(&s, &before);
}

static void words_about_wrong_ones(void **state) {
    (void)state;
    refuses("sotr", "gpu", "sort");
    refuses("", "gpu", "unknown setting");
    refuses("\x1b[2J", "gpu", "unknown setting");
    refuses("theme", "dark", "default, light, mono, colour-blind");
    refuses("tree", "maybe", "yes, no");
    refuses("delay", "soon", "100ms to 86400s");
    refuses("sort", "gpuu", "gpu");
    refuses("sort", "", "no sort key");
    refuses("fields", "pid,vrm", "vram");
    refuses("fields", "pid:2", "3 to 80");
    refuses("fields", "pid:81", "3 to 80");
    refuses("fields", "pid:", "3 to 80");
    refuses("filter", "gpu>", "filter");
    refuses("filter", "\xff\xfe", "511 bytes");
}

static void too_long(void **state) {
    char text[SETTING_TEXT_MAX + 1];
    struct settings s;
    (void)state;
    settings_init(&s);
    memset(text, 'a', sizeof text);
    struct span most = {text, SETTING_TEXT_MAX - 1}, more = {text, SETTING_TEXT_MAX};
    assert_int_equal(settings_set(&s, span_of("filter"), most, NULL), ERR_OK);
    assert_round(&s, SETTING_FILTER);
    assert_int_equal(settings_set(&s, span_of("filter"), more, NULL), ERR_USAGE);
    assert_int_equal(setting_set_text(&s, SETTING_FILTER, more), ERR_RANGE);
    assert_int_equal(setting_set_text(&s, SETTING_TREE, most), ERR_RANGE);
    assert_int_equal(strlen(setting_text(&s, SETTING_FILTER)), SETTING_TEXT_MAX - 1);
}

/* Around the end, and back to where it was. */
static void steps(void **state) {
    struct settings s, start;
    (void)state;
    settings_init(&start);
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        unsigned kind = setting_info((enum setting)i)->kind;
        s = start;
        settings_step(&s, (enum setting)i, 1);
        assert_int_equal(settings_same(&s, &start, (enum setting)i), kind == SETTING_KIND_TEXT);
        assert_round(&s, i);
        settings_step(&s, (enum setting)i, -1);
        assert_same(&s, &start);
        settings_step(&s, (enum setting)i, -1);
        settings_step(&s, (enum setting)i, 1);
        assert_same(&s, &start);
    }
    for (int i = 0; i < 20; i++) {
        settings_step(&s, SETTING_DELAY, -1);
    }
    assert_int_equal(s.number[SETTING_DELAY], 100000000);
}

static void whole_file(void **state) {
    struct settings s;
    struct buf b = {0};
    (void)state;
    settings_init(&s);
    assert_set(&s, "group", "user");
    settings_put_file(&s, &b);
    buf_char(&b, '\0');
    assert_false(b.failed);
    assert_non_null(strstr(b.p, "\n[table]\n"));
    assert_non_null(strstr(b.p, "\ngroup = user\n"));
    assert_non_null(strstr(b.p, "\n#sort = gpu\n"));
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold),
        cmocka_unit_test(every_choice_is_taken),
        cmocka_unit_test(words_of_yes_and_no),
        cmocka_unit_test(delays),
        cmocka_unit_test(texts),
        cmocka_unit_test(words_about_wrong_ones),
        cmocka_unit_test(too_long),
        cmocka_unit_test(steps),
        cmocka_unit_test(whole_file),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
