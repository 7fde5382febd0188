/* The selection stays on its process however the rows stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "snap_cases.h"
#include "view/ui.h"

static const struct ui_play play = {.busy_ppm = -1};

static struct ui *make(void) {
    const struct ui_options o = {.unicode = true, .has_uid = true, .own_uid = 4711};
    struct ui *ui = NULL;
    assert_int_equal(ui_create(&o, &ui), ERR_OK);
    return ui;
}

static void press(struct ui *ui, const struct snapshot *s, const char *keys) {
    for (; *keys; keys++) {
        (void)ui_key(ui, (unsigned char)*keys, s);
    }
    list_refresh(ui, s);
}

static int32_t chosen(const struct ui *ui, const struct snapshot *s) {
    uint32_t at = ui->line_count ? row_process(s, ui->lines[ui->at]) : s->process_count;
    return at < s->process_count ? s->processes[at].pid : 0;
}

static void any_shape(void **state) {
    static const char keys[] = "tOmHnxOt1xOItmVxx1HOIOn";
    struct ui *ui = make();
    struct snap b;
    (void)state;
    snap_many(&b, 3, 50, 4);
    for (uint32_t i = 0; i < 50; i++) {
        b.processes[i].ppid = 1000 + (int32_t)(i * 7 % 50);
        b.processes[i].container = snap_text(&b, i % 3 ? "" : "c1");
    }
    const struct snapshot *s = snap_get(&b);
    list_refresh(ui, s);
    list_select(ui, s, 17);
    int32_t pid = chosen(ui, s);
    for (const char *k = keys; *k; k++) {
        press(ui, s, (const char[]){*k, '\0'});
        struct row r = ui->lines[ui->at];
        bool is_hidden = ui_is(ui, SETTING_TOTALS) && ui->settings.number[SETTING_GROUP];
        assert_true(is_hidden ? r.total : chosen(ui, s) == pid);
        assert_int_equal(ui->chosen.pid, pid);
    }
    ui_destroy(ui);
    snap_finish(&b);
}

/* A sum that is selected stays so while others overtake it. */
static void a_sum(void **state) {
    struct ui *ui = make();
    struct snap b;
    (void)state;
    snap_many(&b, 1, 20, 4);
    for (uint32_t i = 0; i < 20; i++) {
        b.processes[i].user = snap_text(&b, i % 2 ? "ada" : "bob");
        b.processes[i].busy_ppm = b.engines[b.processes[i].engines.first].busy_ppm =
            snap_value(i % 2 ? 1000 : 2000);
    }
    const struct snapshot *s = snap_get(&b);
    press(ui, s, "OOx");
    assert_int_equal(ui->line_count, 3);
    list_select(ui, s, 1);
    press(ui, s, "I");
    assert_int_equal(ui->at, 0);
    assert_int_equal(list_device(ui, s), 0);
    press(ui, s, "I");
    assert_int_equal(ui->at, 1);
    /* Without sums it is gone. */
    press(ui, s, "xO");
    assert_true(ui->at < ui->line_count);
    assert_true(chosen(ui, s) != 0 || ui->lines[ui->at].unattributed);
    ui_destroy(ui);
    snap_finish(&b);
}

static void regions_stand_below_their_process(void **state) {
    struct ui *ui = make();
    struct snap b;
    (void)state;
    snap_many(&b, 1, 2, 4);
    snap_memory(&b, &b.processes[0].memory, "vram", snap_value(5 << 20));
    snap_memory(&b, &b.processes[0].memory, "gtt", snap_none(STATE_DENIED));
    snap_memory(&b, &b.processes[0].memory, "gds", snap_value(0));
    const struct snapshot *s = snap_get(&b);
    press(ui, s, "m");
    uint32_t regions = 0;
    for (uint32_t i = 0; i < ui->line_count; i++) {
        regions += ui->lines[i].region;
        assert_true(!ui->lines[i].region || row_process(s, ui->lines[i]) == 0);
    }
    assert_int_equal(regions, 2);
    ui_destroy(ui);
    snap_finish(&b);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static int row_of(const struct grid *g, const char *text) {
    for (int row = 0; row < g->rows; row++) {
        struct buf line = {0};
        for (int column = 0; column < g->columns; column++) {
            const struct cell *c = grid_at(g, row, column);
            buf_put(&line, c->bytes, c->len);
        }
        bool found = text_contains(buf_span_of(&line), span_of(text));
        buf_finish(&line);
        if (found) {
            return row;
        }
    }
    return -1;
}

static bool has_role(const struct grid *g, int row, enum role role) {
    for (int column = 0; column < g->columns; column++) {
        if (grid_at(g, row, column)->role == role) {
            return true;
        }
    }
    return false;
}

static void own_rows_and_tags(void **state) {
    struct ui *ui = make();
    struct grid g = {0};
    struct snap b;
    (void)state;
    snap_typical(&b);
    const struct snapshot *s = snap_get(&b);
    assert_int_equal(grid_resize(&g, 30, 120), ERR_OK);
    ui_render(ui, s, &play, &g);
    assert_true(has_role(&g, row_of(&g, "python train.py"), ROLE_OWN));
    assert_false(has_role(&g, row_of(&g, "mpv film"), ROLE_OWN));
    assert_int_equal(row_of(&g, "*51002"), -1);
    press(ui, s, " ");
    ui_render(ui, s, &play, &g);
    assert_true(row_of(&g, "*51002") >= 0);
    ui_destroy(ui);
    grid_finish(&g);
    snap_finish(&b);
}

static void bars_in_place_of_numbers(void **state) {
    struct ui *ui = make();
    struct grid g = {0};
    struct snap b;
    (void)state;
    snap_typical(&b);
    const struct snapshot *s = snap_get(&b);
    assert_int_equal(grid_resize(&g, 30, 120), ERR_OK);
    press(ui, s, "n");
    ui_render(ui, s, &play, &g);
    assert_int_equal(row_of(&g, " 41.2 "), -1);
    assert_true(row_of(&g, "██▏") >= 0);
    assert_true(row_of(&g, "████~") >= 0);
    ui_destroy(ui);
    grid_finish(&g);
    snap_finish(&b);
}

/* At any width the word for what belongs to nobody is one that is whole, as long as there is some room. */
static void nobody_has_a_whole_word(void **state) {
    struct ui *ui = make();
    struct grid g = {0};
    struct snap b;
    (void)state;
    snap_power(&b);
    for (int columns = 60; columns < 160; columns++) {
        assert_int_equal(grid_resize(&g, 24, columns), ERR_OK);
        ui_render(ui, snap_get(&b), &play, &g);
        assert_true(row_of(&g, "(not attributed)") >= 0 || row_of(&g, "(not attrib.)") >= 0 ||
                    row_of(&g, "(not attr.)") >= 0);
    }
    ui_destroy(ui);
    grid_finish(&g);
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_shape),
        cmocka_unit_test(a_sum),
        cmocka_unit_test(regions_stand_below_their_process),
        cmocka_unit_test(own_rows_and_tags),
        cmocka_unit_test(bars_in_place_of_numbers),
        cmocka_unit_test(nobody_has_a_whole_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
