/* The list of columns: keys, parsing, the default set, what fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

static bool has(const struct column_set *set, enum column c) {
    return set->count > 0 && memchr(set->list, (int)c, set->count) != NULL;
}

static void every_column_is_whole(void **state) {
    (void)state;
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        const struct column_info *i = column_info((enum column)c);
        assert_true(i->key[0] && i->title[0] && i->doc[0]);
        assert_in_range(text_columns(span_of(i->title)), 1, i->width);
        assert_int_equal(column_find(span_of(i->key)), c);
        for (unsigned d = 0; d < c; d++) {
            assert_string_not_equal(i->key, column_info((enum column)d)->key);
        }
    }
    assert_ptr_equal(column_info(COLUMN_COUNT), column_info(COLUMN_COMMAND));
}

static void keys_are_found_in_any_case(void **state) {
    (void)state;
    assert_int_equal(column_find(span_of("VRAM")), COLUMN_VRAM);
    assert_int_equal(column_find(span_of("mem")), COLUMN_VRAM);
    assert_int_equal(column_find(span_of("Name")), COLUMN_COMMAND);
    assert_int_equal(column_find(span_of("")), COLUMN_COUNT);
    assert_int_equal(column_find(span_of("vra")), COLUMN_COUNT);
    assert_int_equal(column_find(span_of("vramm")), COLUMN_COUNT);
}

static void the_nearest_key_is_named(void **state) {
    (void)state;
    assert_string_equal(column_nearest(span_of("vrm")), "vram");
    assert_string_equal(column_nearest(span_of("comand")), "command");
    assert_string_equal(column_nearest(span_of("USRE")), "user");
    assert_non_null(column_nearest(span_of("")));
    assert_non_null(
        column_nearest(span_of("a very long word that is no column at all, and goes on")));
}

static void sets_are_parsed(void **state) {
    struct column_set set = {.count = 9};
    struct err_info info = {0};
    (void)state;
    assert_int_equal(column_set_parse(span_of("pid, GPU,mem,pid"), &set, &info), ERR_OK);
    assert_int_equal(set.count, 3);
    assert_int_equal(set.list[0], COLUMN_PID);
    assert_int_equal(set.list[2], COLUMN_VRAM);
    assert_int_equal(column_set_parse(span_of("pid,gup"), &set, &info), ERR_USAGE);
    assert_non_null(strstr(info.text, "gup"));
    assert_non_null(strstr(info.text, "gpu"));
    assert_int_equal(set.count, 3);
    assert_int_equal(column_set_parse(span_of(""), &set, NULL), ERR_USAGE);
    assert_int_equal(column_set_parse(span_of("pid,,gpu"), &set, &info), ERR_USAGE);
}

static void engine_columns_show_when_used(void **state) {
    struct snap b;
    struct column_set set;
    (void)state;
    snap_typical(&b);
    column_set_default(snap_get(&b), &set);
    assert_true(has(&set, COLUMN_GRAPHICS) && has(&set, COLUMN_COMPUTE) &&
                has(&set, COLUMN_DECODE));
    assert_false(has(&set, COLUMN_ENCODE) || has(&set, COLUMN_COPY) || has(&set, COLUMN_NSPID));
    column_set_default(NULL, &set);
    assert_false(has(&set, COLUMN_GRAPHICS));
    assert_true(has(&set, COLUMN_PID) && has(&set, COLUMN_COMMAND));
    snap_finish(&b);
}

static size_t width_of(const struct column_set *set) {
    size_t n = 0;
    for (unsigned i = 0; i < set->count; i++) {
        enum column c = (enum column)set->list[i];
        n += (c == COLUMN_COMMAND ? 0 : column_info(c)->width) + (i ? 1u : 0u);
    }
    return n;
}

static void what_fits_is_kept_by_rank(void **state) {
    struct snap b;
    struct column_set all, set, last = {.count = TABLE_COLUMNS_MAX};
    (void)state;
    snap_typical(&b);
    column_set_default(snap_get(&b), &all);
    for (size_t width = 300; width-- > 0;) {
        set = all;
        column_set_fit(&set, width);
        assert_in_range(set.count, 1, last.count);
        assert_true(has(&set, COLUMN_COMMAND));
        assert_true(set.count == 1 || width_of(&set) + 4 <= width);
        last = set;
    }
    set = all;
    column_set_fit(&set, 80);
    assert_true(has(&set, COLUMN_GRAPHICS) && has(&set, COLUMN_GTT) && has(&set, COLUMN_CPU));
    assert_int_equal(width_of(&set), 80 - 17);
    snap_finish(&b);
}

/* A width stands behind a colon; what is put is what is parsed. */
static void widths(void **state) {
    static const char *const bad[] = {"pid:", "pid:2", "pid:81", "pid:x", "pid:9:9", ":9"};
    struct column_set set;
    struct buf b = {0};
    (void)state;
    assert_int_equal(column_set_parse(span_of("gpu:9, PID ,command:40"), &set, NULL), ERR_OK);
    assert_int_equal(column_set_width(&set, 0), 9);
    assert_int_equal(column_set_width(&set, 1), column_info(COLUMN_PID)->width);
    assert_false(column_set_stretches(&set, 2));
    column_set_put(&set, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, "gpu:9,pid,command:40");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(column_set_parse(span_of(bad[i]), &set, NULL), ERR_USAGE);
    }
    buf_finish(&b);
}

/* An order that was turned round is written as one that was not. */
static void orders_are_written(void **state) {
    struct table_query q = {0};
    struct buf b = {0};
    (void)state;
    assert_int_equal(table_sort_parse(span_of("-vram,pid"), &q, NULL), ERR_OK);
    table_sort_put(&q, &b);
    buf_char(&b, ' ');
    q.invert = true;
    table_sort_put(&q, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, "-vram,pid vram,-pid");
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_whole),
        cmocka_unit_test(keys_are_found_in_any_case),
        cmocka_unit_test(the_nearest_key_is_named),
        cmocka_unit_test(sets_are_parsed),
        cmocka_unit_test(widths),
        cmocka_unit_test(orders_are_written),
        cmocka_unit_test(engine_columns_show_when_used),
        cmocka_unit_test(what_fits_is_kept_by_rank),
    };
    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
