/*
 * Holds man/gwtop.1 against the tables: every column and setting with its meaning, commands, files, exit statuses.
 * The lists of columns and settings are written by this test: `make bless CASE=manual` puts them in. Options and keys
 * are held by the test of options.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/commands.h"
#include "gwtop/table.h"

#define PAGE "man/gwtop.1"

static char page[1 << 17];

static int read_page(void **state) {
    FILE *f = fopen(PAGE, "r");
    (void)state;
    if (!f)
        return -1;
    page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
    return fclose(f);
}

/* A line of text as a page has it: dashes and backslashes escaped, no line that would be a request. */
static void put_text(struct buf *out, const char *text) {
    if (*text == '.' || *text == '\'')
        buf_text(out, "\\&");
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            buf_char(out, '\\');
        buf_char(out, *text == '\\' ? 'e' : *text);
    }
}

static void put_entry(struct buf *out, const char *key, const char *aside, const char *doc) {
    buf_text(out, ".TP\n\\fB");
    put_text(out, key);
    buf_text(out, "\\fR");
    if (*aside) {
        buf_char(out, ' ');
        put_text(out, aside);
    }
    buf_char(out, '\n');
    put_text(out, doc);
    buf_char(out, '\n');
}

static void put_columns(struct buf *out) {
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *c = column_info((enum column)i);
        put_entry(out, c->key, column_title((enum column)i, false), c->doc);
    }
}

static void put_settings(struct buf *out) {
    for (int i = 0; i < SETTING_COUNT; i++) {
        const struct setting_info *s = setting_info((enum setting)i);
        char aside[256];
        snprintf(aside, sizeof(aside), "(%s%s%s)",
                 s->kind == SETTING_KIND_BOOL ? "yes|no" : s->choices,
                 s->kind == SETTING_KIND_BOOL || *s->choices ? "; " : "",
                 *s->fallback ? s->fallback : "none");
        put_entry(out, s->key, aside, s->doc);
    }
}

/* Puts `want` in the place of what stands from `from` to `to`. */
static void rewrite(const char *from, const char *to, const struct buf *want) {
    FILE *f = fopen(PAGE, "w");
    assert_non_null(f);
    (void)fwrite(page, 1, (size_t)(from - page), f);
    (void)fwrite(want->p, 1, want->n, f);
    (void)fputs(to, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(read_page(NULL), 0);
}

static void assert_list(const char *what, void (*put)(struct buf *out)) {
    const char *bless = getenv("GWTOP_BLESS");
    char mark[64];
    struct buf want;
    snprintf(mark, sizeof(mark), ".\\\" %s begin\n", what);
    const char *from = strstr(page, mark);
    assert_non_null(from);
    from += strlen(mark);
    snprintf(mark, sizeof(mark), ".\\\" %s end\n", what);
    const char *to = strstr(from, mark);
    assert_non_null(to);
    buf_init(&want);
    put(&want);
    assert_false(want.failed);
    if (bless && (strcmp(bless, "all") == 0 || strcmp(bless, "manual") == 0))
        rewrite(from, to, &want);
    else if ((size_t)(to - from) != want.n || memcmp(from, want.p, want.n) != 0)
        fail_msg(PAGE ": the list of %s is not the table's; make bless CASE=manual", what);
    buf_finish(&want);
}

static void test_columns(void **state) {
    (void)state;
    assert_list("columns", put_columns);
}

static void test_settings(void **state) {
    (void)state;
    assert_list("settings", put_settings);
}

/* The text of a section, NUL-terminated. */
static char *section(const char *name) {
    static char text[1 << 16];
    char head[64];
    snprintf(head, sizeof(head), "\n.SH %s\n", name);
    const char *from = strstr(page, head);
    assert_non_null(from);
    from += strlen(head);
    const char *to = strstr(from, "\n.SH ");
    size_t n = to ? (size_t)(to - from) : strlen(from);
    assert_true(n < sizeof(text));
    memcpy(text, from, n);
    text[n] = '\0';
    return text;
}

static void test_commands(void **state) {
    (void)state;
    for (unsigned i = 0; i < command_count; i++) {
        char word[64];
        snprintf(word, sizeof(word), ".B gwtop%s%s", command_list[i].name[0] ? " " : "",
                 command_list[i].name);
        if (!strstr(section("SYNOPSIS"), word))
            fail_msg(PAGE ": no %s in SYNOPSIS", word);
        snprintf(word, sizeof(word), "%s", command_list[i].name);
        if (!strstr(section("COMMANDS"), word))
            fail_msg(PAGE ": no %s in COMMANDS", word);
    }
}

static void test_files_and_statuses(void **state) {
    static const char *const files[] = {"~/.config/gwtop/config", "/etc/gwtop.conf",
                                        "demo.gwt.zst"};
    static const int statuses[] = {EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_STAT};
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        assert_non_null(strstr(section("FILES"), files[i]));
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        char word[16];
        snprintf(word, sizeof(word), "%d", statuses[i]);
        assert_non_null(strstr(section("EXIT STATUS"), word));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_files_and_statuses),
    };
    return cmocka_run_group_tests_name("app manual", tests, read_page, NULL);
}
