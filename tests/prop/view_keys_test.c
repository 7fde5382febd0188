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
    for (uint64_t t = 1; t < 10; t++) {
        struct ui *const uis[] = {plain, played, detail};
        snap_past(&b, t);
        for (int i = 0; i < 3; i++) {
            ui_note(uis[i], s = snap_get(&b));
        }
    }
    (void)ui_key(played, 'p', s);
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
    static const char common[] = "DHIFi1,GVPMTN<>/h?qg[]{}+- Zp\t\r\x1b\x7fStkuOxUecmny'L\\l";
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

/* No signal goes out but by the key y, and to nobody but processes there may be. */
static void check_command(struct walk *w, struct ui_command c, uint32_t key) {
    uint32_t count = 0;
    const struct ui_target *targets = ui_targets(w->ui, &count);
    if (c.action == UI_SIGNAL) {
        assert_int_equal(key, 'y');
        assert_in_range(c.amount, 1, 64);
        assert_true(count > 0);
    }
    for (uint32_t i = 0; (c.action == UI_SIGNAL || c.action == UI_LOOK) && i < count; i++) {
        assert_true(targets[i].pid > 0 && targets[i].start > 0);
    }
}

static void press_or_click(struct walk *w, const struct snapshot *s, const struct grid *g) {
    uint32_t r = next_random(&w->seed), key = random_key(&w->seed);
    if (r % 5 > 0) {
        check_command(w, ui_key(w->ui, key, s), key);
        return;
    }
    struct ui_mouse m = {.row = (int)(r >> 8) % (g->rows + 3) - 1,
                         .column = (int)(r >> 16) % (g->columns + 3) - 1,
                         .button = (enum ui_button)(r / 5 % 4)};
    check_command(w, ui_mouse(w->ui, &m, s), 0);
}

/* What the app may say and answer at any time. */
static void answer(struct walk *w, const struct snapshot *s) {
    static const char bytes[] = "A=1\0B=\x1b[31m\xff\0LONG=......................................";
    struct ui_file file = {.text = {bytes, sizeof bytes - 1}, .state = STATE_VALUE};
    struct ui_files files = {file, file, file, file, file};
    uint32_t count = 0;
    int row, column;
    const struct ui_target *targets = ui_targets(w->ui, &count);
    struct ui_target of = count ? targets[0] : (struct ui_target){1, 1};
    struct buf title = {0};
    ui_take_files(w->ui, &of, &files);
    ui_say(w->ui, true, "an answer \x1b[2J with what is no text");
    ui_title(w->ui, s, &title);
    assert_true(text_is_clean(buf_span_of(&title)));
    (void)ui_cursor(w->ui, &row, &column);
    assert_non_null(ui_settings(w->ui));
    buf_finish(&title);
}

static void step(struct walk *w) {
    static const int sides[] = {0, 1, 2, 3, 5, 8, 13, 24, 80, 200};
    const struct snapshot *s = random_snapshot(w);
    uint32_t r = next_random(&w->seed);
    struct grid g = exact_grid(r % 3 ? (int)(r >> 8) % 40 : sides[r / 3 % 10],
                               r % 5 ? (int)(r >> 16) % 130 : sides[r / 30 % 10]);
    for (unsigned i = 0; i < r % 6; i++) {
        press_or_click(w, s, &g);
    }
    if (r % 11 == 0) {
        answer(w, s);
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
        for (int i = 0; i < SNAPS; i++) {
            w.snaps[i].s.tick += (uint64_t)i * (round % 5);
        }
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
    static const char keys[] = "GVPMTNI,1HtOmnWp";
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
        b.s.tick += i;
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
