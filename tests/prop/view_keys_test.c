/*
 * The screen under any keys at any size: it never draws outside, always clean text, never loses the
 * selected process; and 8 devices at every size from 1x1 to 250x70 (a division by a number of plots
 * that became 0 stopped another monitor).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/view.h"
#include "snap_cases.h"

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A grid whose cells end where a sanitizer sees the first one behind. */
static struct grid exact_grid(int rows, int columns) {
    struct grid g = {.rows = rows, .columns = columns, .cap = (uint32_t)(rows * columns)};
    g.cells = calloc(g.cap ? g.cap : 1, sizeof *g.cells);
    assert_non_null(g.cells);
    return g;
}

/* Each row is whole: cells add up to its columns, and every text is clean. */
static void check_grid(const struct grid *g) {
    for (int row = 0; row < g->rows; row++) {
        for (int column = 0; column < g->columns;) {
            const struct cell *c = grid_at(g, row, column);
            assert_in_range(c->columns, 1, 2);
            assert_in_range(c->len, 1, sizeof c->bytes);
            assert_in_range(c->role, 0, ROLE_COUNT - 1);
            assert_true(text_is_clean((struct span){c->bytes, c->len}));
            if (c->columns == 2) {
                assert_true(column + 1 < g->columns);
                assert_int_equal(grid_at(g, row, column + 1)->len, 0);
            }
            column += c->columns;
        }
    }
}

static void every_size_with_eight_devices(void **state) {
    struct snap b;
    struct ui *plain = NULL, *played = NULL, *detail = NULL;
    struct ui_play play = {.busy_ppm = -1, .at_ns = 5, .length_ns = 9, .delay_ns = 1000000000};
    const struct ui_options live = {.unicode = true}, replay = {.replay = true};
    (void)state;
    snap_cards(&b, 8, 7);
    const struct snapshot *s = snap_get(&b);
    assert_int_equal(ui_create(&live, &plain), ERR_OK);
    assert_int_equal(ui_create(&live, &detail), ERR_OK);
    assert_int_equal(ui_create(&replay, &played), ERR_OK);
    (void)ui_key(detail, 'D', s);
    for (int rows = 0; rows <= 70; rows++) {
        for (int columns = rows == 0 ? 0 : 1; columns <= 250; columns++) {
            struct grid g = exact_grid(rows, columns);
            struct ui *const uis[] = {plain, played, detail};
            ui_render(uis[(rows + columns) % 3], s, &play, &g);
            if (rows * columns < 2000 || columns % 16 == 0) {
                check_grid(&g);
            }
            free(g.cells);
        }
    }
    ui_destroy(plain);
    ui_destroy(played);
    ui_destroy(detail);
    snap_finish(&b);
}

/* ---- random keys ----------------------------------------------------------------------------- */

static uint32_t random_key(uint32_t *seed) {
    static const char common[] = "DHIFi1,GVPMTN<>/h?qg[]{}+- Z\t\r\x1b\x7f";
    uint32_t r = next_random(seed);
    switch (r % 4) {
    case 0:
        return UI_KEY_UP + r / 4 % (UI_KEY_RESIZE - UI_KEY_UP + 1);
    case 1:
        return r / 4 % 128;
    case 2:
        return r / 4 % 0x120000;
    default:
        return (unsigned char)common[r / 4 % (sizeof common - 1)];
    }
}

enum { SNAPS = 8 };

struct walk {
    uint32_t seed;
    struct ui *ui;
    struct snap snaps[SNAPS];
    struct ui_play play;
};

/* NULL now and then, as before the first tick. */
static const struct snapshot *random_snapshot(struct walk *w) {
    uint32_t r = next_random(&w->seed) % 41;
    return r == 0 ? NULL : snap_get(&w->snaps[r % SNAPS]);
}

static void step(struct walk *w) {
    static const int sides[] = {0, 1, 2, 3, 5, 8, 13, 24, 80, 200};
    const struct snapshot *s = random_snapshot(w);
    uint32_t r = next_random(&w->seed);
    struct grid g = exact_grid(r % 3 ? (int)(r >> 8) % 40 : sides[r / 3 % 10],
                               r % 5 ? (int)(r >> 16) % 130 : sides[r / 30 % 10]);
    for (unsigned i = 0; i < r % 6; i++) {
        (void)ui_key(w->ui, random_key(&w->seed), s);
    }
    w->play.paused = r & 64;
    w->play.busy_ppm = r & 128 ? (int)(r % 1000000) : -1;
    w->play.note = r & 256 ? "something is wrong with this recording" : NULL;
    w->play.speed_milli = (int)(r % 5000);
    ui_render(w->ui, s, &w->play, &g);
    check_grid(&g);
    free(g.cells);
}

static void any_keys_at_any_size(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        struct walk w = {.seed = 2463534242u + round * 77};
        struct ui_options o = {.unicode = round & 1, .replay = round & 2, .demo = round & 4};
        w.play = (struct ui_play){.length_ns = (int64_t)round * 1000000007, .at_ns = 5000000000};
        snap_many(&w.snaps[0], 8, 60, round);
        snap_many(&w.snaps[1], round % 3, 10, round);
        snap_hostile(&w.snaps[2]);
        snap_typical(&w.snaps[3]);
        snap_all_metrics(&w.snaps[4], round);
        snap_cards(&w.snaps[5], 8, round);
        snap_doubts(&w.snaps[6]);
        snap_apu(&w.snaps[7]);
        assert_int_equal(ui_create(&o, &w.ui), ERR_OK);
        for (int i = 0; i < 150; i++) {
            step(&w);
        }
        ui_destroy(w.ui);
        for (int i = 0; i < SNAPS; i++) {
            snap_finish(&w.snaps[i]);
        }
    }
}

/* ---- the selection --------------------------------------------------------------------------- */

/* The pid of the selected row, which is in sight; 0 where none is. */
static int32_t selected_pid(const struct grid *g) {
    for (int row = 0; row < g->rows; row++) {
        int32_t pid = 0;
        for (int c = 0; grid_at(g, row, 0)->role == ROLE_SELECTED && c < 7; c++) {
            char digit = grid_at(g, row, c)->bytes[0];
            pid = digit >= '0' && digit <= '9' ? pid * 10 + digit - '0' : pid;
        }
        if (pid > 0) {
            return pid;
        }
    }
    return 0;
}

/* Keys that change order, columns and what is shown, but neither move nor filter. */
static void the_selected_process_is_never_lost(void **state) {
    static const char keys[] = "GVPMTNI,1H";
    struct ui_options o = {.unicode = true};
    struct ui_play play = {.busy_ppm = -1};
    struct grid g = {0};
    struct ui *ui = NULL;
    struct snap b;
    uint32_t seed = 99;
    (void)state;
    snap_many(&b, 5, 120, 1);
    assert_int_equal(ui_create(&o, &ui), ERR_OK);
    assert_int_equal(grid_resize(&g, 30, 120), ERR_OK);
    ui_render(ui, snap_get(&b), &play, &g);
    for (int i = 0; i < 17; i++) {
        (void)ui_key(ui, UI_KEY_DOWN, snap_get(&b));
    }
    (void)ui_key(ui, 'F', snap_get(&b));
    ui_render(ui, snap_get(&b), &play, &g);
    int32_t pid = selected_pid(&g);
    assert_in_range(pid, 1000, 1119);
    for (uint32_t i = 1; i < 400; i++) {
        snap_finish(&b);
        snap_many(&b, 5, 120, i); /* other numbers, the same processes */
        (void)ui_key(ui, (unsigned char)keys[next_random(&seed) % (sizeof keys - 1)], snap_get(&b));
        assert_int_equal(grid_resize(&g, 12 + (int)(next_random(&seed) % 40), 120), ERR_OK);
        ui_render(ui, snap_get(&b), &play, &g);
        assert_int_equal(selected_pid(&g), pid);
    }
    ui_destroy(ui);
    grid_finish(&g);
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_with_eight_devices),
        cmocka_unit_test(any_keys_at_any_size),
        cmocka_unit_test(the_selected_process_is_never_lost),
    };
    return cmocka_run_group_tests_name("keys and sizes", tests, NULL, NULL);
}
