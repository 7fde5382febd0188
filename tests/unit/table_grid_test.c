/* The grid: nothing is drawn outside, wide characters are never cut in half. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/grid.h"

static void expect(const struct grid *g, const char *want) {
    struct buf b = {0};
    grid_dump(g, &b);
    buf_char(&b, '\0');
    assert_false(b.failed);
    assert_string_equal(b.p, want);
    buf_finish(&b);
}

static struct grid of(int rows, int columns) {
    struct grid g = {0};
    assert_int_equal(grid_resize(&g, rows, columns), ERR_OK);
    return g;
}

static void text_is_cut_at_every_side(void **state) {
    (void)state;
    struct grid g = of(2, 5);
    assert_int_equal(grid_text(&g, 0, 1, -1, ROLE_TITLE, span_of("abcdefgh")), 5);
    assert_int_equal(grid_text(&g, 1, -3, -1, ROLE_TITLE, span_of("abcdefgh")), 5);
    expect(&g, " abcd\ndefgh\n");
    assert_int_equal(grid_text(&g, 1, 1, 2, ROLE_DIM, span_of("XYZ")), 3);
    expect(&g, " abcd\ndXYgh\n");
    assert_int_equal(grid_at(&g, 1, 1)->role, ROLE_DIM);
    assert_int_equal(grid_at(&g, 1, 3)->role, ROLE_TITLE);
    grid_finish(&g);
}

static void any_coordinate_is_allowed(void **state) {
    static const int edges[] = {INT_MIN, INT_MIN + 1, -4097, -1,          0,
                                1,       2,           4096,  INT_MAX - 1, INT_MAX};
    enum { N = sizeof edges / sizeof edges[0] };
    (void)state;
    for (int size = 0; size < 3; size++) {
        struct grid g = of(size, size);
        for (int i = 0; i < N * N * N; i++) {
            int row = edges[i % N], column = edges[i / N % N], n = edges[i / N / N];
            grid_text(&g, row, column, n, ROLE_BAD, span_of("a\xe6\xbc\xa2z"));
            grid_fill(&g, row, column, n, ROLE_BAD, "#");
            grid_role(&g, row, column, n, ROLE_BAD);
            const struct cell *c = grid_at(&g, row, column);
            assert_true((c != NULL) == (row >= 0 && row < size && column >= 0 && column < size));
        }
        grid_finish(&g);
    }
}

static void wide_characters_stay_whole(void **state) {
    (void)state;
    struct grid g = of(1, 6);
    grid_text(&g, 0, 0, -1, ROLE_NORMAL, span_of("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2"));
    assert_int_equal(grid_at(&g, 0, 0)->columns, 2);
    assert_int_equal(grid_at(&g, 0, 1)->len, 0);
    grid_text(&g, 0, 1, -1, ROLE_NORMAL, span_of("x")); /* the right half of the first */
    grid_text(&g, 0, 2, -1, ROLE_NORMAL, span_of("y")); /* the left half of the second */
    expect(&g, " xy \xe6\xbc\xa2\n");
    grid_clear(&g);
    grid_text(&g, 0, 5, -1, ROLE_NORMAL, span_of("\xe6\xbc\xa2")); /* half of it outside */
    grid_text(&g, 0, -1, -1, ROLE_NORMAL, span_of("\xe6\xbc\xa2z"));
    expect(&g, " z\n");
    grid_text(&g, 0, 2, 3, ROLE_NORMAL, span_of("\xe6\xbc\xa2\xe6\xbc\xa2"));
    expect(&g, " z\xe6\xbc\xa2\n");
    grid_finish(&g);
}

static void hostile_text_takes_its_columns(void **state) {
    (void)state;
    struct grid g = of(1, 12);
    int end = grid_text(&g, 0, 0, -1, ROLE_NORMAL,
                        span_of("a\x1b[1mb\xff\xfe\xe2\x80\xae"
                                "c\t"));
    assert_int_equal(end, 11);
    expect(&g, "a?[1mb???c?\n");
    grid_finish(&g);
}

static void marks_join_and_long_clusters_are_cut(void **state) {
    (void)state;
    struct grid g = of(1, 3);
    grid_text(&g, 0, 0, -1, ROLE_NORMAL,
              span_of("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81z"));
    assert_int_equal(grid_at(&g, 0, 0)->len, 13);
    assert_int_equal(grid_at(&g, 0, 0)->columns, 1);
    assert_memory_equal(grid_at(&g, 0, 1)->bytes, "z", 1);
    grid_finish(&g);
}

static void resize_clears_and_keeps_limits(void **state) {
    (void)state;
    struct grid g = of(2, 2);
    grid_text(&g, 1, 1, -1, ROLE_BAD, span_of("x"));
    assert_int_equal(grid_resize(&g, 1, 3), ERR_OK);
    expect(&g, "\n");
    assert_int_equal(grid_at(&g, 0, 2)->role, ROLE_NORMAL);
    assert_int_equal(grid_resize(&g, -5, 3), ERR_OK);
    assert_int_equal(g.rows, 0);
    assert_null(grid_at(&g, 0, 0));
    grid_finish(&g);
    grid_finish(&g);
    grid_finish(NULL);
}

static void roles_have_names(void **state) {
    (void)state;
    assert_string_equal(role_name(ROLE_HEADER_SORT), "HEADER_SORT");
    assert_string_equal(role_name(ROLE_COUNT), "?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_at_every_side),
        cmocka_unit_test(any_coordinate_is_allowed),
        cmocka_unit_test(wide_characters_stay_whole),
        cmocka_unit_test(hostile_text_takes_its_columns),
        cmocka_unit_test(marks_join_and_long_clusters_are_cut),
        cmocka_unit_test(resize_clears_and_keeps_limits),
        cmocka_unit_test(roles_have_names),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
