/*
 * The configuration file: who wins, what is said of wrong lines, what a save leaves alone, and what is no file to read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/commands.h"
#include "app/config.h"
#include "app/config_text.h"
#include "scratch.h"

static char *folder;

static int set_up(void **state) {
    (void)state;
    folder = scratch_make();
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    scratch_remove(folder);
    return 0;
}

static enum err parse_words(struct options *o, struct err_info *info, const char *words) {
    /* getopt keeps looking at the end of the words before. */
    static char texts[2][1024];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    char *argv[32] = {(char *)"gwtop"};
    int argc = 1;
    snprintf(text, sizeof texts[0], "%s", words);
    for (char *save = NULL, *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    return options_parse(argc, argv, o, info);
}

static void load(const char *words, struct settings *s, struct buf *warnings, char **save) {
    struct options o;
    struct err_info info = {0};
    *warnings = (struct buf){0};
    if (parse_words(&o, &info, words) != ERR_OK ||
        settings_from_options(&o, s, warnings, save, &info) != ERR_OK)
        fail_msg("%s: %s", words, info.text);
    buf_char(warnings, '\0');
}

static char *write_config(const char *name, const char *text) {
    char *path = path_join(folder, "%s", name);
    file_write(path, text, strlen(text));
    return path;
}

static void parse(const char *text, struct settings *s, struct buf *warnings) {
    struct config_places places;
    *warnings = (struct buf){0};
    settings_init(s);
    config_parse(span_of(text), "f", s, warnings, &places);
    buf_char(warnings, '\0');
}

/* ---- reading --------------------------------------------------------------------------------- */

static void what_a_file_says(void **state) {
    static const char text[] = "\xef\xbb\xbf# mine\r\n"
                               "delay = 2s ; slow\n"
                               "[table]\n"
                               "  sort: -vram,pid\n"
                               "\tfilter = \"a b\" or name~\"x ;y\"\r\n"
                               "tree=yes\t# a family\n"
                               "; tree = no\n"
                               "[screen]\n"
                               "theme = 'mono'";
    struct settings s;
    struct buf w;
    (void)state;
    parse(text, &s, &w);
    assert_string_equal(w.p, "");
    assert_int_equal(s.number[SETTING_DELAY], INT64_C(2000000000));
    assert_string_equal(setting_text(&s, SETTING_SORT), "-vram,pid");
    assert_string_equal(setting_text(&s, SETTING_FILTER), "\"a b\" or name~\"x ;y\"");
    assert_int_equal(s.number[SETTING_TREE], 1);
    assert_int_equal(s.number[SETTING_THEME], 2);
    buf_finish(&w);
}

static void wrong_lines_are_numbered(void **state) {
    static const char text[] = "[table]\n"
                               "sotr = gpu\n"
                               "\n"
                               "sort = nothing\n"
                               "words\n"
                               "tree = yes\n"
                               "tree = no\n"
                               "[colours]\n"
                               "red = #f00\n"
                               "[screen\n"
                               "[screen]\n"
                               "theme = \x01\n"
                               "mouse = \x80\n"
                               "filter = (gpu>5\n";
    static const char *const lines[] = {"f:2: unknown setting: sotr (nearest: sort)\n",
                                        "f:4: unknown column",
                                        "f:5: this is no KEY = VALUE: words\n",
                                        "f:7: set before; this one counts: tree\n",
                                        "f:8: unknown section",
                                        "f:10: a section without",
                                        "f:12: this line is no text\n",
                                        "f:13: mouse takes: yes, no; not: ?\n",
                                        "f:14: filter"};
    struct settings s;
    struct buf w;
    unsigned count = 0;
    (void)state;
    parse(text, &s, &w);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(w.p, lines[i]))
            fail_msg("%s is not in:\n%s", lines[i], w.p);
    for (const char *p = w.p; *p; p++)
        count += *p == '\n';
    assert_int_equal(count, sizeof lines / sizeof lines[0]);
    assert_int_equal(s.number[SETTING_TREE], 0);
    assert_string_equal(setting_text(&s, SETTING_SORT), "gpu");
    buf_finish(&w);
}

/* Longer than what the library holds of a line. */
static void long_lines(void **state) {
    char text[SETTING_TEXT_MAX + 64] = "[table]\nfilter = ";
    struct settings s;
    struct buf w;
    (void)state;
    memset(text + strlen(text), 'a', SETTING_TEXT_MAX - 1);
    parse(text, &s, &w);
    assert_string_equal(w.p, "");
    assert_int_equal(strlen(setting_text(&s, SETTING_FILTER)), SETTING_TEXT_MAX - 1);
    buf_finish(&w);
}

static void many_wrong_lines(void **state) {
    struct buf text = {0};
    struct settings s;
    struct buf w;
    unsigned count = 0;
    (void)state;
    for (int i = 0; i < 1000; i++)
        buf_text(&text, "x = 1\n");
    buf_char(&text, '\0');
    parse(text.p, &s, &w);
    for (const char *p = w.p; *p; p++)
        count += *p == '\n';
    assert_int_equal(count, 20);
    buf_finish(&text);
    buf_finish(&w);
}

/* ---- who wins -------------------------------------------------------------------------------- */

static void later_wins(void **state) {
    struct settings s;
    struct buf w;
    char *save;
    char words[512];
    (void)state;
    char *path = write_config("own", "[screen]\ntheme = light\nmouse = no\n[table]\nsort = vram\n");
    snprintf(words, sizeof words, "-c %s --theme mono -t --set group=user", path);
    load(words, &s, &w, &save);
    assert_string_equal(w.p, "");
    assert_int_equal(s.number[SETTING_THEME], 2);
    assert_int_equal(s.number[SETTING_MOUSE], 0);
    assert_int_equal(s.number[SETTING_TREE], 1);
    assert_int_equal(s.number[SETTING_GROUP], 1);
    assert_string_equal(setting_text(&s, SETTING_SORT), "vram");
    assert_string_equal(save, path);
    buf_finish(&w);
    free(save);
    free(path);
}

static void where_it_stands(void **state) {
    struct config_paths paths;
    struct options o;
    struct err_info info;
    char *own = path_join(folder, ".config/gwtop/config");
    char *xdg = path_join(folder, "xdg/gwtop/config");
    (void)state;
    assert_int_equal(parse_words(&o, &info, ""), ERR_OK);
    assert_int_equal(config_find(&o, &paths, &info), ERR_OK);
    assert_string_equal(paths.save, own);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    assert_int_equal(config_find(&o, &paths, &info), ERR_OK);
    assert_string_equal(paths.save, own);
    char *home = path_join(folder, "xdg");
    setenv("XDG_CONFIG_HOME", home, 1);
    assert_int_equal(config_find(&o, &paths, &info), ERR_OK);
    assert_string_equal(paths.save, xdg);
    struct settings s;
    settings_init(&s);
    assert_int_equal(config_save(xdg, &s, &info), ERR_OK);
    assert_int_equal(config_find(&o, &paths, &info), ERR_OK);
    assert_string_equal(paths.read, xdg);
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "nowhere", 1);
    assert_int_equal(config_find(&o, &paths, &info), ERR_OK);
    assert_string_equal(paths.save, "");
    free(own);
    free(xdg);
    free(home);
}

static void options_are_settings(void **state) {
    static const struct {
        const char *words;
        enum setting setting;
        const char *value;
    } rows[] = {{"-C", SETTING_COLOR, "never"},
                {"-U", SETTING_UNICODE, "never"},
                {"-M", SETTING_MOUSE, "no"},
                {"-t", SETTING_TREE, "yes"},
                {"--plain", SETTING_PLAIN, "yes"},
                {"--readonly", SETTING_READONLY, "yes"},
                {"-d 5", SETTING_DELAY, "0.5s"},
                {"-d 500us replay x", SETTING_DELAY, "1s"},
                {"-s -vram", SETTING_SORT, "-vram"},
                {"--fields pid:9,command", SETTING_FIELDS, "pid:9,command"},
                {"-F gpu>5", SETTING_FILTER, "gpu>5"},
                {"-F gpu>5 --set filter=", SETTING_FILTER, ""},
                {"-s vram --set sort=pid", SETTING_SORT, "pid"},
                {"--set sort=pid -s vram", SETTING_SORT, "vram"},
                {"-C --set color=auto", SETTING_COLOR, "auto"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings s;
        struct buf w, value = {0};
        char *save;
        load(rows[i].words, &s, &w, &save);
        settings_put(&s, rows[i].setting, &value);
        buf_char(&value, '\0');
        if (strcmp(value.p, rows[i].value) != 0)
            fail_msg("%s: %s", rows[i].words, value.p);
        buf_finish(&value);
        buf_finish(&w);
        free(save);
    }
}

/* Text outputs know options alone; --set is one. */
static void set_is_the_option_too(void **state) {
    struct options o;
    struct err_info info;
    (void)state;
    assert_int_equal(parse_words(&o, &info, "--set sort=pid --set color=never --set delay=2s"),
                     ERR_OK);
    assert_string_equal(o.sort, "pid");
    assert_true(o.given[OPT_NO_COLOR]);
    assert_int_equal(o.delay_ns, INT64_C(2000000000));
    assert_int_equal(parse_words(&o, &info, "-C --set color=auto -F a --set filter="), ERR_OK);
    assert_false(o.given[OPT_NO_COLOR]);
    assert_null(o.filter);
}

static void words_about_options(void **state) {
    static const char *const rows[][2] = {{"--set sotr=gpu", "nearest: sort"},
                                          {"--set sort", "KEY=VALUE"},
                                          {"--set theme=dark", "colour-blind"},
                                          {"--theme dark", "colour-blind"},
                                          {"--set filter=(a", "filter"},
                                          {"--readonly --set-profiling", "--set-profiling"},
                                          {"--counters --readonly", "--counters"},
                                          {"--set readonly=yes --tracefs", "--tracefs"},
                                          {"--readonly --mali-profiling", "--mali-profiling"},
                                          {"record --readonly -o x", "record"},
                                          {"report --readonly -o x", "report"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct options o;
        struct err_info info = {0};
        if (parse_words(&o, &info, rows[i][0]) != ERR_USAGE || !strstr(info.text, rows[i][1]))
            fail_msg("%s: %s", rows[i][0], info.text);
    }
}

static void readonly_in_the_file(void **state) {
    struct options o;
    struct settings s;
    struct err_info info = {0};
    struct buf w = {0};
    char *save;
    char words[512];
    (void)state;
    char *path = write_config("readonly", "readonly = yes\n");
    snprintf(words, sizeof words, "-c %s --counters", path);
    assert_int_equal(parse_words(&o, &info, words), ERR_OK);
    assert_int_equal(settings_from_options(&o, &s, &w, &save, &info), ERR_USAGE);
    assert_non_null(strstr(info.text, path));
    snprintf(words, sizeof words, "-c %s", path);
    load(words, &s, &w, &save);
    assert_null(save);
    assert_int_equal(config_save(path, &s, &info), ERR_ACCESS);
    buf_finish(&w);
    free(path);
}

static void query(void **state) {
    struct options o;
    struct settings s;
    struct err_info info = {0};
    struct table_query q;
    struct column_set set;
    struct buf b = {0};
    (void)state;
    assert_int_equal(parse_words(&o, &info, "-F blender -u root"), ERR_OK);
    settings_init(&s);
    assert_int_equal(settings_set(&s, span_of("sort"), span_of("-vram,pid"), NULL), ERR_OK);
    assert_int_equal(settings_set(&s, span_of("fields"), span_of("pid,gpu:9"), NULL), ERR_OK);
    assert_int_equal(settings_set(&s, span_of("filter"), span_of("gpu>5"), NULL), ERR_OK);
    assert_int_equal(settings_set(&s, span_of("hide-idle"), span_of("yes"), NULL), ERR_OK);
    assert_int_equal(query_from_settings(&o, &s, &q, &set, &info), ERR_OK);
    assert_true(q.hide_idle);
    assert_int_equal(q.filter.length, strlen("blender"));
    table_sort_put(&q, &b);
    buf_char(&b, ' ');
    column_set_put(&set, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, "-vram,pid pid,gpu:9");
    buf_finish(&b);
}

/* ---- what is no file ------------------------------------------------------------------------- */

static void assert_unreadable(const char *path) {
    struct options o;
    struct settings s;
    struct err_info info = {0};
    struct buf w = {0};
    char *save = NULL;
    char words[512];
    snprintf(words, sizeof words, "-c %s", path);
    assert_int_equal(parse_words(&o, &info, words), ERR_OK);
    assert_int_not_equal(settings_from_options(&o, &s, &w, &save, &info), ERR_OK);
    assert_int_not_equal(info.code, ERR_USAGE);
    assert_non_null(strstr(info.text, path));
    buf_finish(&w);
    free(save);
}

static void not_to_be_read(void **state) {
    struct settings s;
    struct buf w;
    char *save;
    (void)state;
    char *pipe = path_join(folder, "pipe");
    char *large = path_join(folder, "large");
    char *none = path_join(folder, "none");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    FILE *f = fopen(large, "w");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)CONFIG_SIZE_MAX + 1), 0);
    fclose(f);
    assert_unreadable(pipe);
    assert_unreadable(large);
    assert_unreadable(none);
    assert_unreadable(folder);
    /* The one that nobody named is only warned of. */
    char *own = path_join(folder, ".config/gwtop/config");
    char *above = path_join(folder, ".config/gwtop");
    char *top = path_join(folder, ".config");
    mkdir(top, 0700);
    mkdir(above, 0700);
    assert_int_equal(mkfifo(own, 0600), 0);
    load("", &s, &w, &save);
    assert_non_null(strstr(w.p, "not a file"));
    buf_finish(&w);
    free(save);
    /* A name that leads nowhere but round is no missing file. */
    assert_int_equal(unlink(own), 0);
    assert_int_equal(symlink("config", own), 0);
    load("", &s, &w, &save);
    assert_non_null(strstr(w.p, own));
    buf_finish(&w);
    free(save);
    free(pipe), free(large), free(none), free(own), free(above), free(top);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void assert_edited(const char *before, const char *key, const char *value,
                          const char *after) {
    struct settings s, again;
    struct buf w, b = {0};
    parse(before, &s, &w);
    buf_finish(&w);
    assert_int_equal(settings_set(&s, span_of(key), span_of(value), NULL), ERR_OK);
    config_edit(span_of(before), &s, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, after);
    parse(b.p, &again, &w);
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        assert_true(settings_same(&s, &again, (enum setting)i));
    buf_finish(&w);
    buf_finish(&b);
}

static void what_a_person_wrote_stays(void **state) {
    (void)state;
    assert_edited("# mine\n[table]\n  sort =   gpu  ; best\nother = 1\n\n[x]\ny\n", "sort", "vram",
                  "# mine\n[table]\n  sort =   vram  ; best\nother = 1\n\n[x]\ny\n");
    assert_edited("[table]\r\ntree=no\r\n", "tree", "yes", "[table]\r\ntree= yes\r\n");
    assert_edited("[table]\n#sort = gpu\n# sort = of mine\n", "sort", "pid",
                  "[table]\nsort = pid\n# sort = of mine\n");
    assert_edited("tree = yes\ntree = no\n", "tree", "yes", "tree = yes\ntree = yes\n");
    assert_edited("[table]\ntree = yes\n\n[screen]\nmouse = no", "bars", "yes",
                  "[table]\ntree = yes\n# bars in place of numbers in the columns of engines "
                  "(yes|no)\nbars = yes\n\n[screen]\nmouse = no\n");
    assert_edited("# nothing\n", "tree", "yes",
                  "# nothing\n\n[table]\n# processes below their parents (yes|no)\ntree = yes\n");
    assert_edited("tree = no\n", "tree", "no", "tree = no\n");
}

static void saved_as_a_file(void **state) {
    struct settings s, again;
    struct err_info info = {0};
    struct buf w;
    struct stat st;
    char *save;
    char words[512];
    (void)state;
    char *path = path_join(folder, "a/b/config");
    char *link_path = path_join(folder, "link");
    settings_init(&s);
    settings_step(&s, SETTING_THEME, 1);
    assert_int_equal(config_save(path, &s, &info), ERR_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    char *above = path_join(folder, "a/b");
    assert_int_equal(stat(above, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    /* Through a link, with the mode that is there. */
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link_path), 0);
    settings_step(&s, SETTING_TREE, 1);
    assert_int_equal(config_save(link_path, &s, &info), ERR_OK);
    assert_int_equal(lstat(link_path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    snprintf(words, sizeof words, "-c %s", path);
    load(words, &again, &w, &save);
    assert_string_equal(w.p, "");
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        assert_true(settings_same(&s, &again, (enum setting)i));
    buf_finish(&w);
    free(save);
    /* A link to nothing, and what is no file, stay as they are. */
    assert_int_equal(unlink(path), 0);
    assert_int_not_equal(config_save(link_path, &s, &info), ERR_OK);
    assert_int_not_equal(config_save(above, &s, &info), ERR_OK);
    assert_int_equal(rmdir(above), 0);
    free(path), free(link_path), free(above);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_file_says),
        cmocka_unit_test(wrong_lines_are_numbered),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(many_wrong_lines),
        cmocka_unit_test_setup_teardown(later_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_it_stands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_are_settings, set_up, tear_down),
        cmocka_unit_test(set_is_the_option_too),
        cmocka_unit_test(words_about_options),
        cmocka_unit_test_setup_teardown(readonly_in_the_file, set_up, tear_down),
        cmocka_unit_test(query),
        cmocka_unit_test_setup_teardown(not_to_be_read, set_up, tear_down),
        cmocka_unit_test(what_a_person_wrote_stays),
        cmocka_unit_test_setup_teardown(saved_as_a_file, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("configuration", tests, NULL, NULL);
}
