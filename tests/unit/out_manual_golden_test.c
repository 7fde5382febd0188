/*
 * Holds man/gwtop-output.7 against the tables: every metric with its unit and meaning, every reason,
 * state, doubt, class and CSV column. The lists of metrics and reasons are written by this test:
 * `make bless CASE=manual` puts them in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/out.h"
#include "out/openmetrics.h"

#define PAGE "man/gwtop-output.7"

static char page[1 << 18];

static int read_page(void **state) {
    (void)state;
    FILE *f = fopen(PAGE, "r");
    if (!f) {
        return -1;
    }
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    return fclose(f);
}

static bool blessing(void) {
    const char *what = getenv("GWTOP_BLESS");
    return what && (strcmp(what, "all") == 0 || strcmp(what, "manual") == 0);
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

/* Where what should stand after a comment of the page begins. */
static const char *find(const char *what, const char *which) {
    char mark[64];
    (void)snprintf(mark, sizeof mark, ".\\\" %s %s\n", what, which);
    const char *at = strstr(page, mark);
    assert_non_null(at);
    return strcmp(which, "begin") == 0 ? at + strlen(mark) : at;
}

/* The first line that differs, for who reads the result. */
static void show_difference(const char *is, const char *want) {
    while (*is && *is == *want) {
        is++;
        want++;
    }
    print_error(PAGE " says \"%.40s\" where \"%.40s\" should stand: make bless CASE=manual\n", is,
                want);
}

/* The lines between two comments of the page are exactly `want`. */
static void between(const char *what, struct buf *want) {
    if (blessing()) {
        rewrite(find(what, "begin"), find(what, "end"), want);
    }
    const char *from = find(what, "begin");
    size_t n = (size_t)(find(what, "end") - from);
    bool same = n == want->n && memcmp(from, want->p, n) == 0;
    if (!same) {
        buf_char(want, 0);
        show_difference(from, want->p);
    }
    buf_finish(want);
    assert_true(same);
}

static void put_meaning(struct buf *b, const char *text) {
    buf_text(b, "|T{\n");
    buf_text(b, text);
    buf_text(b, "\nT}\n");
}

static void metrics(void **state) {
    struct buf want;
    (void)state;
    buf_init(&want);
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        const struct metric_info *info = metric_info(m);
        buf_text(&want, info->name);
        buf_char(&want, '|');
        buf_text(&want, unit_name(info->unit));
        put_meaning(&want, info->doc);
    }
    between("metrics", &want);
}

static void reasons(void **state) {
    struct buf want;
    (void)state;
    buf_init(&want);
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        buf_text(&want, reason_word(r));
        put_meaning(&want, reason_text(r));
    }
    between("reasons", &want);
}

/* Those of gwtop's own; the others follow from the metrics. */
static void families(void **state) {
    struct om_family f;
    struct buf want;
    (void)state;
    buf_init(&want);
    for (unsigned i = 0; i < OM_OWN && om_family_at(i, &f); i++) {
        om_put_family_name(&want, &f);
        buf_char(&want, '|');
        buf_text(&want, om_type_name(f.type));
        put_meaning(&want, f.doc);
    }
    between("families", &want);
}

static bool word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* As a whole word. */
static void occurs(const char *word) {
    size_t n = strlen(word);
    for (const char *p = strstr(page, word); p; p = strstr(p + 1, word)) {
        if (!word_byte(p[-1]) && !word_byte(p[n])) {
            return;
        }
    }
    print_error("man/gwtop-output.7 does not say \"%s\"\n", word);
    fail();
}

static void words(void **state) {
    (void)state;
    for (unsigned s = 0; s < STATE_COUNT; s++) {
        if (s != STATE_VALUE) {
            occurs(state_name(s));
        }
    }
    for (unsigned bit = 0; doubt_name(bit); bit++) {
        occurs(doubt_name(bit));
    }
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        occurs(unit_name(u));
    }
    for (unsigned c = CLASS_NONE + 1; c < CLASS_COUNT; c++) {
        occurs(engine_class_name(c));
    }
    for (unsigned c = REGION_NONE + 1; c < REGION_COUNT; c++) {
        occurs(region_class_name(c));
    }
    for (unsigned s = DEVICE_ACTIVE; s <= DEVICE_DENIED; s++) {
        occurs(device_state_name(s));
    }
    for (unsigned t = TYPE_GRAPHICS; t <= TYPE_MEDIA; t++) {
        occurs(process_type_name(t));
    }
}

/* Each name of the CSV header; they are keys of the JSON objects too, for the most part. */
static void csv_columns(void **state) {
    static const struct out_options plain;
    const struct output *csv = output_find(span_of("csv"));
    struct out_state *st = NULL;
    struct buf b;
    (void)state;
    buf_init(&b);
    assert_int_equal(csv->open(&plain, &st), ERR_OK);
    csv->begin(st, &b);
    csv->close(st);
    struct cursor c = cursor_over(span_trim(buf_span_of(&b)));
    struct span name;
    while (cursor_field(&c, ',', &name)) {
        char word[64];
        name = span_trim((struct span){name.p, name.n - (name.p[name.n - 1] == '\n')});
        assert_true(name.n > 0 && name.n < sizeof word);
        memcpy(word, name.p, name.n);
        word[name.n] = 0;
        occurs(word);
    }
    buf_finish(&b);
}

static void json_keys(void **state) {
    static const char *const keys[] = {
        "schema",     "t_s",       "interval_s", "devices",   "processes", "unattributed",
        "unreadable", "cost",      "cpu_s",      "syscalls",  "count",     "reasons",
        "id",         "name",      "driver",     "pci",       "state",     "metrics",
        "metric",     "value",     "unit",       "index",     "engine",    "region",
        "class",      "label",     "source",     "pid",       "start_s",   "command",
        "user",       "container", "exited",     "device",    "type",      "clients",
        "engines",    "busy_pct",  "busy_s",     "memory",    "cpu_pct",   "rss_B",
        "power",      "PW",        "PWs",        "W",         "J",         "unpriced_s",
        "method",     "total_B",   "resident_B", "shared_B",  "why",       "purgeable_B",
        "doubt",      "t_ns",      "backend",    "client",    "context",   "summary",
        "accepted",   "ignored",   "malformed",  "truncated", "job.busy",  "start_ns",
        "end_ns",     "clock_Hz",  "voltage_V",  "open",      "tag",       "lines",
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        occurs(keys[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families), cmocka_unit_test(metrics),     cmocka_unit_test(reasons),
        cmocka_unit_test(words),    cmocka_unit_test(csv_columns), cmocka_unit_test(json_keys),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
