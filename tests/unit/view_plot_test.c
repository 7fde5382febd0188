/* Glyphs of series that were drawn by hand, and scales that do not jump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/ui.h"

#define GAP PLOT_GAP

/* Draws at the place of a grid that is one cell larger on each side, which must stay blank. */
static void expect(enum plot_glyphs glyphs, int rows, int columns, int64_t full, const int64_t *v,
                   uint32_t count, const char *wanted) {
    struct grid g = {0};
    struct buf text = {0};
    const struct plot p = {.v = v, .count = count, .full = full, .role = ROLE_BAR_GRAPHICS};
    assert_int_equal(grid_resize(&g, rows + 2, columns + 2), ERR_OK);
    plot_draw(&g, 1, 1, rows, columns, glyphs, &p);
    for (int r = 1; r <= rows; r++) {
        for (int c = 1; c <= columns; c++) {
            buf_put(&text, grid_at(&g, r, c)->bytes, grid_at(&g, r, c)->len);
        }
        buf_char(&text, r < rows ? '\n' : '\0');
    }
    assert_string_equal(text.p, wanted);
    for (int i = 0; i < (rows + 2) * (columns + 2); i++) {
        int r = i / (columns + 2), c = i % (columns + 2);
        bool is_edge = r == 0 || c == 0 || r == rows + 1 || c == columns + 1;
        assert_true(!is_edge || g.cells[i].bytes[0] == ' ');
    }
    buf_finish(&text);
    grid_finish(&g);
}
#define EXPECT(glyphs, rows, columns, full, wanted, ...)                                           \
    do {                                                                                           \
        const int64_t list[] = {__VA_ARGS__};                                                      \
        expect(glyphs, rows, columns, full, list, sizeof list / sizeof list[0], wanted);           \
    } while (0)

static void braille(void **state) {
    (void)state;
    EXPECT(PLOT_BRAILLE, 1, 5, 4, "⣀⣴⡇⢸ ", 0, 1, 2, 3, 4, GAP, GAP, 4, GAP, GAP);
    EXPECT(PLOT_BRAILLE, 2, 3, 8, " ⢠⣿\n⣠⣿⣿", 0, 2, 4, 6, 8, 8);
    EXPECT(PLOT_BRAILLE, 1, 2, 100, "⣀⣿", 0, 1, 100, 1000);
    /* Nothing, a little and what nobody measured are three marks. */
    EXPECT(PLOT_BRAILLE, 1, 4, 100, "·⣀ ·", 0, 0, 1, 1, GAP, GAP, GAP, 0);
    EXPECT(PLOT_BRAILLE, 2, 3, 100, "   \n·⡀⢀", 0, GAP, 1, GAP, GAP, 1);
    /* Fewer than there is room for stand at the right, of more the newest show. */
    EXPECT(PLOT_BRAILLE, 1, 3, 4, "  ⢸", 4);
    EXPECT(PLOT_BRAILLE, 1, 1, 4, "⣿", 1, 1, 4, 4);
}

static void blocks(void **state) {
    (void)state;
    EXPECT(PLOT_BLOCK, 1, 12, 8, "·▁▂▃▄▅▆▇█ █·", 0, 1, 2, 3, 4, 5, 6, 7, 8, GAP, 9, -3);
    EXPECT(PLOT_BLOCK, 2, 5, 16, "   ▄█\n·▄███", 0, 4, 8, 12, 16);
    EXPECT(PLOT_BLOCK, 1, 3, 1000000, "·▁▁", 0, 1, 100000);
}

static void ascii(void **state) {
    (void)state;
    EXPECT(PLOT_ASCII, 1, 12, 8, "_.:-=+*#@ @_", 0, 1, 2, 3, 4, 5, 6, 7, 8, GAP, 9, -3);
    EXPECT(PLOT_ASCII, 3, 4, 24, "   @\n  =@\n_@@@", 0, 8, 12, 24);
}

static void extremes(void **state) {
    (void)state;
    EXPECT(PLOT_BLOCK, 1, 4, INT64_MAX, "▄█··", INT64_MAX / 2, INT64_MAX, 0, INT64_MIN + 1);
    EXPECT(PLOT_BLOCK, 1, 3, 0, "·██", 0, 1, INT64_MAX);
    EXPECT(PLOT_BRAILLE, 1, 1, -5, "⣸", 0, 1);
}

static void stays_inside(void **state) {
    int64_t v[80];
    struct grid g = {0};
    (void)state;
    for (int i = 0; i < 80; i++) {
        v[i] = i % 7 == 0 ? GAP : i * 3;
    }
    const struct plot p = {.v = v, .count = 80, .full = 100, .role = ROLE_BAR_GRAPHICS};
    assert_int_equal(grid_resize(&g, 40, 40), ERR_OK);
    for (int i = 0; i < 31 * 31 * 3; i++) {
        int rows = i / 3 % 31, columns = i / 93;
        grid_clear(&g);
        plot_draw(&g, 5, 5, rows, columns, (enum plot_glyphs)(i % 3), &p);
        for (int at = 0; at < 1600; at++) {
            bool is_in =
                at / 40 >= 5 && at / 40 < 5 + rows && at % 40 >= 5 && at % 40 < 5 + columns;
            assert_true(is_in || g.cells[at].bytes[0] == ' ');
        }
        plot_draw(&g, -rows / 2, 40 - columns, rows, columns * 2, (enum plot_glyphs)(i % 3), &p);
    }
    plot_draw(&g, 0, 0, -1, -1, PLOT_BRAILLE, &p);
    plot_draw(&g, INT16_MAX, -INT16_MAX, 3, 3, PLOT_BLOCK, &p);
    grid_finish(&g);
    assert_int_equal(plot_ticks(PLOT_BRAILLE, 30), 60);
    assert_int_equal(plot_ticks(PLOT_BLOCK, 30), 30);
    assert_int_equal(plot_ticks(PLOT_BRAILLE, -2), 0);
    assert_int_equal(plot_ticks(PLOT_BRAILLE, INT32_MAX), PLOT_MOST);
}

/* Up at once, down once all in sight was below half for a while; the same tick counts once. */
static void scale_waits(void **state) {
    struct plot_scale scale = {0};
    uint64_t tick = 1;
    (void)state;
    assert_int_equal(plot_scale_step(&scale, 3, tick++, false), 5);
    assert_int_equal(plot_scale_step(&scale, 7, tick++, false), 10);
    assert_int_equal(plot_scale_step(&scale, 1001, tick, false), 2000);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(plot_scale_step(&scale, 4, tick, false), 2000);
    }
    for (int i = 1; i < PLOT_CALM; i++) {
        assert_int_equal(plot_scale_step(&scale, 4, ++tick, false), 2000);
    }
    assert_int_equal(plot_scale_step(&scale, 1000, ++tick, false), 2000); /* half: from the start */
    for (int i = 1; i < PLOT_CALM; i++) {
        assert_int_equal(plot_scale_step(&scale, 999, ++tick, false), 2000);
    }
    assert_int_equal(plot_scale_step(&scale, 4, ++tick, false), 5);
}

static void scale_steps(void **state) {
    static const struct {
        int64_t most;
        int64_t ten;
        int64_t two;
    } steps[] = {{INT64_MIN, 1, 1},
                 {0, 1, 1},
                 {1, 1, 1},
                 {2, 2, 2},
                 {3, 5, 4},
                 {6, 10, 8},
                 {10, 10, 16},
                 {11, 20, 16},
                 {51, 100, 64},
                 {INT64_C(5000000000000000001), INT64_MAX, INT64_MAX},
                 {INT64_MAX, INT64_MAX, INT64_MAX}};
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct plot_scale scale = {0};
        assert_int_equal(plot_scale_step(&scale, steps[i].most, 1, false), steps[i].ten);
        scale = (struct plot_scale){0};
        assert_int_equal(plot_scale_step(&scale, steps[i].most, 1, true), steps[i].two);
    }
}

static void highest(void **state) {
    static const int64_t v[] = {GAP, 3, -7, GAP};
    (void)state;
    assert_int_equal(plot_highest(v, 4), 3);
    assert_int_equal(plot_highest(v, 1), 0);
    assert_int_equal(plot_highest(NULL, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(braille),      cmocka_unit_test(blocks),
        cmocka_unit_test(ascii),        cmocka_unit_test(extremes),
        cmocka_unit_test(stays_inside), cmocka_unit_test(scale_waits),
        cmocka_unit_test(scale_steps),  cmocka_unit_test(highest)};
    return cmocka_run_group_tests_name("plots", tests, NULL, NULL);
}
