/* Which rows, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

static struct row_list list;

/* Selects, and holds the pids (0: not attributed) against a list ended by -1. */
static void expect(struct snap *b, const struct table_query *q, const int32_t *want) {
    const struct snapshot *s = snap_get(b);
    uint32_t n = 0;
    assert_int_equal(table_select(s, q, &list), ERR_OK);
    for (; want[n] >= 0; n++) {
        assert_in_range(n, 0, list.count - 1);
        struct row r = list.rows[n];
        assert_false(r.client);
        assert_int_equal(r.unattributed ? 0 : s->processes[r.index].pid, want[n]);
    }
    assert_int_equal(list.count, n);
}
#define EXPECT(b, q, ...) expect(b, q, (const int32_t[]){__VA_ARGS__, -1})

static struct table_query by(const char *keys) {
    struct table_query q = {0};
    struct err_info info;
    assert_int_equal(table_sort_parse(span_of(keys), &q, &info), ERR_OK);
    return q;
}

static int setup(void **state) {
    static struct snap b;
    snap_typical(&b);
    *state = &b;
    return 0;
}

static int teardown(void **state) {
    snap_finish(*state);
    row_list_finish(&list);
    return 0;
}

static void busiest_first_unknown_last(void **state) {
    struct table_query q = {0};
    EXPECT(*state, &q, 51002, 48213, 2201, 50177, 9034, 51200, 51100, 0);
    q.invert = true;
    EXPECT(*state, &q, 51200, 9034, 50177, 2201, 48213, 51002, 51100, 0);
}

static void keys_in_turn(void **state) {
    struct table_query q = by("user,-gpu");
    EXPECT(*state, &q, 50177, 51002, 51200, 9034, 2201, 48213, 51100, 0);
    q = by("rss");
    EXPECT(*state, &q, 50177, 48213, 51100, 2201, 9034, 51002, 51200, 0);
    q = by("-rss");
    EXPECT(*state, &q, 9034, 2201, 51100, 48213, 50177, 51002, 51200, 0);
    q = by("nspid,+pid");
    EXPECT(*state, &q, 50177, 2201, 9034, 48213, 51002, 51100, 51200, 0);
    q = by("command");
    EXPECT(*state, &q, 2201, 51100, 48213, 51200, 51002, 9034, 50177, 0);
}

static void texts_that_begin_alike(void **state) {
    static const char *const commands[] = {
        "/usr/bin/b", "/usr/bin", "/usr/bin/ab", "/USR/BIN/aa", "/usr/bin/B", "/usr/bi",
        "/usr/biN/ä", "/usr",     "/usr/bin/",   "/usr/bin/a",  "",           "\xc3\xa4"};
    struct snap b;
    (void)state;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", "card", "amdgpu");
    for (int32_t i = 0; i < 12; i++) {
        snap_process(&b, i + 1, 0, "", commands[i]);
    }
    struct table_query q = by("command");
    EXPECT(&b, &q, 8, 6, 2, 9, 10, 4, 3, 1, 5, 7, 12, 11);
    q = by("-command");
    EXPECT(&b, &q, 12, 7, 1, 5, 3, 4, 10, 9, 2, 6, 8, 11);
    q = by("-command,-pid");
    EXPECT(&b, &q, 12, 7, 5, 1, 3, 4, 10, 9, 2, 6, 8, 11);
    snap_finish(&b);
}

static void equal_rows_stand_in_key_order(void **state) {
    struct table_query q = by("dev");
    EXPECT(*state, &q, 2201, 9034, 48213, 50177, 51002, 51100, 51200, 0);
    q.invert = true;
    EXPECT(*state, &q, 2201, 9034, 48213, 50177, 51002, 51100, 51200, 0);
}

static void filters(void **state) {
    struct table_query q = {.hide_idle = true};
    EXPECT(*state, &q, 51002, 48213, 2201, 50177, 9034, 51100, 0);
    q = (struct table_query){.hide_exited = true, .top = 2};
    EXPECT(*state, &q, 51002, 48213, 0);
    q = (struct table_query){.pid = 9034};
    EXPECT(*state, &q, 9034);
    q = (struct table_query){.user = span_of("root")};
    EXPECT(*state, &q, 51002);
    q = (struct table_query){.user = span_of("research-team")};
    EXPECT(*state, &q, 50177);
    q = (struct table_query){.user = span_of("4711")};
    EXPECT(*state, &q, 50177);
    q = (struct table_query){.user = span_of("471")};
    expect(*state, &q, (const int32_t[]){-1});
    q = (struct table_query){.user = span_of("roo")};
    expect(*state, &q, (const int32_t[]){-1});
    q = (struct table_query){.search = span_of("FILM")};
    EXPECT(*state, &q, 48213, 9034);
    q = (struct table_query){.search = span_of("kworker")};
    EXPECT(*state, &q, 51002);
    q = (struct table_query){.search = span_of("attrib")};
    EXPECT(*state, &q, 0);
    q = (struct table_query){.device = span_of("1")};
    expect(*state, &q, (const int32_t[]){-1});
}

static void devices_are_named_in_many_ways(void **state) {
    static const struct {
        const char *wanted;
        bool first;
        bool second;
    } cases[] = {
        {"", true, true},         {"0", true, false},
        {"1", false, true},       {"2", false, false},
        {"amdgpu", true, true},   {"AMDGPU", true, true},
        {"amd", false, false},    {"0000:07:00.0", false, true},
        {"07:00.0", false, true}, {"7:00.0", false, false},
        {"radeon", true, true},   {"7600s", false, true},
        {"rx 7800", true, false}, {"7600", false, false}, /* an index */
    };
    const struct snapshot *s = snap_get(*state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct span wanted = span_of(cases[i].wanted);
        assert_int_equal(table_device_matches(s, 0, wanted), cases[i].first);
        assert_int_equal(table_device_matches(s, 1, wanted), cases[i].second);
        assert_int_equal(table_device_matches(s, 2, wanted), wanted.n == 0);
    }
}

static void wrong_keys_are_refused(void **state) {
    struct table_query q = by("pid");
    struct err_info info = {0};
    (void)state;
    assert_int_equal(table_sort_parse(span_of("gpu,vrma"), &q, &info), ERR_USAGE);
    assert_non_null(strstr(info.text, "vram"));
    assert_int_equal(table_sort_parse(span_of("gpu,,vram"), &q, &info), ERR_USAGE);
    assert_int_equal(table_sort_parse(span_of("-"), &q, &info), ERR_USAGE);
    assert_int_equal(table_sort_parse(span_of(""), &q, &info), ERR_USAGE);
    assert_int_equal(table_sort_parse(span_of("gpu,cpu,pid,user,rss"), &q, NULL), ERR_USAGE);
    assert_int_equal(q.sort_count, 1);
    assert_int_equal(q.sort[0].column, COLUMN_PID);
}

/* Laws, for every column in both directions: a permutation, numbers before what is not known, and
 * the same order again. */
static void order_is_total(void **state) {
    struct snap b;
    struct row_list again = {0};
    (void)state;
    snap_many(&b, 7, 300, 3);
    const struct snapshot *s = snap_get(&b);
    for (unsigned i = 0; i < 2 * COLUMN_COUNT; i++) {
        struct table_query q = {.sort_count = 1, .invert = i % 2};
        bool seen[300] = {false};
        q.sort[0].column = (uint8_t)(i / 2);
        assert_int_equal(table_select(s, &q, &list), ERR_OK);
        assert_int_equal(table_select(s, &q, &again), ERR_OK);
        assert_int_equal(list.count, 307);
        assert_memory_equal(list.rows, again.rows, list.count * sizeof *list.rows);
        for (uint32_t at = 0; at < 307; at++) {
            assert_int_equal(list.rows[at].unattributed, at >= 300);
            assert_false(at < 300 && seen[list.rows[at].index]);
            seen[at < 300 ? list.rows[at].index : 0] = true;
        }
        for (uint32_t at = 301; at < 307; at++) {
            assert_true(list.rows[at - 1].index < list.rows[at].index);
        }
    }
    row_list_finish(&again);
    snap_finish(&b);
}

static void nothing_to_select(void **state) {
    struct snap b;
    struct table_query q = {0};
    (void)state;
    snap_init(&b);
    expect(&b, &q, (const int32_t[]){-1});
    row_list_finish(NULL);
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busiest_first_unknown_last),
        cmocka_unit_test(keys_in_turn),
        cmocka_unit_test(texts_that_begin_alike),
        cmocka_unit_test(equal_rows_stand_in_key_order),
        cmocka_unit_test(filters),
        cmocka_unit_test(devices_are_named_in_many_ways),
        cmocka_unit_test(wrong_keys_are_refused),
        cmocka_unit_test(order_is_total),
        cmocka_unit_test(nothing_to_select),
    };
    return cmocka_run_group_tests_name("select", tests, setup, teardown);
}
