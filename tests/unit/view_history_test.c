/* What is kept of the ticks before, and that nothing else shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "allocations.h"
#include "shown.h"
#include "snap_cases.h"
#include "view/ui.h"

#define SECOND INT64_C(1000000000)

/* One device and one process whose busy share is the tick in ppm, or a reason. */
static void build_one(struct snap *b) {
    snap_init(b);
    struct snap_device *d = snap_device(b, "0000:03:00.0", "Card", "amdgpu");
    d->busy_ppm = snap_value(0);
    snap_engine(b, &d->engines, CLASS_GRAPHICS, snap_value(0));
    struct snap_process *p = snap_process(b, 42, 0, "game", "game");
    p->start = 7;
    snap_engine(b, &p->engines, CLASS_GRAPHICS, snap_value(0));
}

static void note(struct screen *sc, uint64_t tick, struct value busy) {
    sc->b.s.tick = tick;
    sc->b.s.t_ns = (int64_t)tick * 2 * SECOND;
    sc->b.devices[0].busy_ppm = sc->b.processes[0].busy_ppm = busy;
    sc->b.engines[0].busy_ppm = busy;
    ui_note(sc->ui, snap_get(&sc->b));
}

static void note_many(struct screen *sc, uint64_t from, uint64_t to) {
    for (uint64_t t = from; t <= to; t++) {
        note(sc, t, snap_value((int64_t)t));
    }
}

static int64_t device_at(struct screen *sc, enum series which, uint64_t tick) {
    int64_t v = 12345;
    bool is_there = history_device(sc->ui, sc->b.devices[0].subject, which, tick, &v);
    assert_true(is_there == (v != PLOT_GAP));
    return v;
}

static int64_t process_at(struct screen *sc, enum series which, uint64_t tick) {
    int64_t v = 12345;
    bool is_there = history_process(sc->ui, 42, 7, sc->b.devices[0].subject, which, tick, &v);
    assert_true(is_there == (v != PLOT_GAP));
    return v;
}

static void gap_is_not_zero(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_one);
    (void)state;
    note(sc, 1, snap_none(STATE_UNKNOWN));
    note(sc, 2, snap_value(0));
    note(sc, 4, snap_none(STATE_DENIED));
    note(sc, 5, snap_value(5));
    static const int64_t wanted[] = {PLOT_GAP, PLOT_GAP, 0, PLOT_GAP, PLOT_GAP, 5, PLOT_GAP};
    for (uint64_t t = 0; t < 7; t++) {
        assert_int_equal(device_at(sc, SERIES_BUSY, t), wanted[t]);
        assert_int_equal(device_at(sc, SERIES_CLASS + CLASS_GRAPHICS, t), wanted[t]);
        assert_int_equal(process_at(sc, SERIES_BUSY, t), wanted[t]);
    }
    assert_int_equal(device_at(sc, SERIES_POWER, 5), PLOT_GAP);
    assert_int_equal(process_at(sc, SERIES_MEMORY, 5), PLOT_GAP);
    assert_int_equal(device_at(sc, SERIES_COUNT, 5), PLOT_GAP);
    assert_int_equal(process_at(sc, SERIES_CLOCK, 5), PLOT_GAP);
    int64_t v;
    assert_false(history_device(sc->ui, 4711, SERIES_BUSY, 5, &v));
    assert_false(history_process(sc->ui, 42, 8, sc->b.devices[0].subject, SERIES_BUSY, 5, &v));
    close_screen(sc);
}

/* A recording went back: what came before is there, what comes after the tick shown is not in its plot. */
static void back_and_forward(void **state) {
    struct screen *sc = open_screen((struct ui_options){.replay = true}, build_one);
    uint32_t device = sc->b.devices[0].subject;
    int64_t v[6];
    (void)state;
    note_many(sc, 1, 20);
    note(sc, 4, snap_none(STATE_UNKNOWN)); /* its rates are not known after a seek */
    static const int64_t before[] = {PLOT_GAP, PLOT_GAP, 1, 2, 3, 4};
    history_device_run(sc->ui, device, SERIES_BUSY, 4, v, 6);
    assert_memory_equal(v, before, sizeof v);
    history_process_run(sc->ui, 42, 7, device, SERIES_BUSY, 4, v, 6);
    assert_memory_equal(v, before, sizeof v);
    note_many(sc, 5, 6);
    static const int64_t after[] = {1, 2, 3, 4, 5, 6};
    history_device_run(sc->ui, device, SERIES_BUSY, 6, v, 6);
    assert_memory_equal(v, after, sizeof v);
    assert_int_equal(device_at(sc, SERIES_BUSY, 20), 20);
    assert_int_equal(process_at(sc, SERIES_BUSY, 20), 20);
    close_screen(sc);
}

static void rings_turn(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_one);
    (void)state;
    note_many(sc, 1, HISTORY_DEVICE_TICKS + 3);
    assert_int_equal(device_at(sc, SERIES_BUSY, 3), PLOT_GAP);
    assert_int_equal(device_at(sc, SERIES_BUSY, 4), 4);
    assert_int_equal(process_at(sc, SERIES_BUSY, HISTORY_DEVICE_TICKS + 3 - HISTORY_PROCESS_TICKS),
                     PLOT_GAP);
    assert_int_equal(process_at(sc, SERIES_BUSY, HISTORY_DEVICE_TICKS + 4 - HISTORY_PROCESS_TICKS),
                     HISTORY_DEVICE_TICKS + 4 - HISTORY_PROCESS_TICKS);
    /* One far ahead empties nothing but its own place. */
    note(sc, UINT64_MAX - 5, snap_value(1));
    assert_int_equal(device_at(sc, SERIES_BUSY, HISTORY_DEVICE_TICKS + 2),
                     HISTORY_DEVICE_TICKS + 2);
    assert_int_equal(device_at(sc, SERIES_BUSY, UINT64_MAX - 5), 1);
    close_screen(sc);
}

static void time_of_a_span(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_one);
    (void)state;
    assert_int_equal(history_span_ns(sc->ui, 1, 10), 0);
    note_many(sc, 1, 30);
    assert_int_equal(history_span_ns(sc->ui, 30, 11), 20 * SECOND);
    assert_int_equal(history_span_ns(sc->ui, 30, 61), 120 * SECOND); /* guessed from those known */
    assert_int_equal(history_span_ns(sc->ui, 30, 1), 0);
    assert_int_equal(history_span_ns(sc->ui, 31, 10), 0);
    assert_int_equal(history_span_ns(sc->ui, 30, UINT32_MAX), 0);
    close_screen(sc);
}

static void wide_numbers(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_one);
    struct snap_process *p = &sc->b.processes[0];
    (void)state;
    p->vram.bytes = snap_value(INT64_MAX - 5);
    p->gtt.bytes = snap_value(INT64_MAX - 5);
    p->cpu_ppm = snap_value(INT64_C(12000000000));
    p->power.watts = snap_real(44.5);
    p->power.pw = snap_real(-1);
    note(sc, 1, snap_value(INT64_MIN));
    assert_int_equal(process_at(sc, SERIES_MEMORY, 1), INT64_MAX);
    assert_int_equal(process_at(sc, SERIES_CPU, 1), INT64_C(12000000000));
    assert_int_equal(process_at(sc, SERIES_POWER, 1), 44500000);
    assert_int_equal(process_at(sc, SERIES_PW, 1), PLOT_GAP);
    assert_int_equal(process_at(sc, SERIES_BUSY, 1), PLOT_GAP);
    p->vram.bytes = snap_value(17);
    p->gtt.bytes = snap_none(STATE_UNKNOWN);
    p->power.pw = snap_real(1e300);
    note(sc, 2, snap_value(2));
    assert_int_equal(process_at(sc, SERIES_MEMORY, 2), 17);
    assert_int_equal(process_at(sc, SERIES_PW, 2), PLOT_GAP);
    close_screen(sc);
}

static void build_crowd(struct snap *b) {
    snap_many(b, 1, 10000, 1);
}

/* Those that were not seen for longest make room; those that are there now never do. */
static void crowd_is_bounded(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_crowd);
    struct history *h = &sc->ui->history;
    (void)state;
    for (uint64_t t = 1; t <= 4; t++) {
        sc->b.s.tick = t;
        for (uint32_t i = 0; i < sc->b.s.process_count; i++) {
            sc->b.processes[i].pid = (int32_t)(t * 100000 + i);
            sc->b.processes[i].busy_ppm = snap_value((int64_t)i);
        }
        ui_note(sc->ui, snap_get(&sc->b));
        assert_true(h->process_count <= HISTORY_PROCESSES);
        for (uint32_t i = 0; i < sc->b.s.process_count; i += 97) {
            const struct snap_process *p = &sc->b.processes[i];
            int64_t v;
            assert_true(history_process(sc->ui, p->pid, p->start, sc->b.devices[0].subject,
                                        SERIES_BUSY, t, &v));
            assert_int_equal(v, i);
        }
    }
    close_screen(sc);
}

/* A process a tick for a long time: what nobody can see any more is not kept. */
static void comers_and_goers(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_one);
    (void)state;
    for (uint64_t t = 1; t <= 5000; t++) {
        sc->b.processes[0].pid = (int32_t)t;
        note(sc, t, snap_value(1));
    }
    assert_true(sc->ui->history.process_count <= HISTORY_PROCESS_TICKS + 1);
    close_screen(sc);
}

static void build_64(struct snap *b) {
    snap_cards(b, 64, 3);
}

static void many_devices(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, build_64);
    (void)state;
    for (uint64_t t = 1; t <= 5; t++) {
        snap_past(&sc->b, t);
        ui_note(sc->ui, snap_get(&sc->b));
    }
    assert_int_equal(sc->ui->history.device_count, 64);
    for (int size = 0; size < 70; size++) {
        assert_int_equal(grid_resize(&sc->g, size, size * 3), ERR_OK);
        (void)drawn(sc);
    }
    /* New ones take the place of those that are gone. */
    for (uint64_t t = 6; t <= 12; t++) {
        for (uint32_t i = 0; i < 64; i++) {
            sc->b.devices[i].subject = (uint32_t)t * 100 + i;
        }
        sc->b.s.tick = t;
        ui_note(sc->ui, snap_get(&sc->b));
        assert_int_equal(device_at(sc, SERIES_BUSY, t),
                         sc->b.devices[0].busy_ppm.state == STATE_VALUE
                             ? sc->b.devices[0].busy_ppm.v
                             : PLOT_GAP);
    }
    assert_int_equal(sc->ui->history.device_count, HISTORY_DEVICES);
    close_screen(sc);
}

/* ---- the plots area -------------------------------------------------------------------------- */

static struct screen *open_past(struct ui_options o, int rows, int columns) {
    struct screen *sc = open_screen(o, snap_card);
    assert_int_equal(grid_resize(&sc->g, rows, columns), ERR_OK);
    for (uint64_t t = 1; t <= 100; t++) {
        snap_past(&sc->b, t);
        ui_note(sc->ui, snap_get(&sc->b));
    }
    return sc;
}

/* Rows between the devices and the header of the table. */
static int plot_rows(struct screen *sc) {
    int n = -1;
    struct cursor c = cursor_over(span_of(drawn(sc)));
    struct span line;
    while (cursor_line(&c, &line)) {
        if (text_contains(line, span_of("USER"))) {
            return n;
        }
        n = text_contains(line, span_of("asleep")) ? 0 : n >= 0 ? n + 1 : n;
    }
    return -1;
}

static void rows_of_plots(void **state) {
    static const struct {
        int rows;
        int automatic;
    } sizes[] = {{21, 0}, {24, 1}, {34, 1}, {35, 10}, {43, 16}, {60, 24}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct screen *sc = open_past((struct ui_options){.unicode = true}, sizes[i].rows, 100);
        assert_int_equal(plot_rows(sc), sizes[i].automatic);
        assert_true(sizes[i].automatic * 5 <= sizes[i].rows * 2);
        type(sc, "p");
        int tall = plot_rows(sc);
        assert_true(tall > sizes[i].automatic && tall * 2 <= sizes[i].rows);
        type(sc, "p");
        assert_int_equal(plot_rows(sc), 0);
        type(sc, "p");
        assert_int_equal(plot_rows(sc), sizes[i].automatic);
        close_screen(sc);
    }
}

/* Rows that a longer list needs are the table's, and stay so when it is a little shorter. */
static void table_comes_first(void **state) {
    struct screen *sc = open_past((struct ui_options){.unicode = true}, 60, 100);
    uint32_t few = sc->b.s.process_count;
    (void)state;
    assert_int_equal(plot_rows(sc), 24);
    for (int i = 0; i < 20; i++) {
        snap_process(&sc->b, 60000 + i, 0, "x", "");
    }
    int many = plot_rows(sc);
    assert_in_range(many, 8, 23);
    sc->b.s.process_count -= 8;
    assert_int_equal(plot_rows(sc), many);
    sc->b.s.process_count = few;
    assert_int_equal(plot_rows(sc), 24);
    close_screen(sc);
}

static void words_of_plots(void **state) {
    struct screen *sc = open_past((struct ui_options){.unicode = true}, 60, 200);
    (void)state;
    SHOWS(sc, "0 gfx  ");
    SHOWS(sc, "0 power  ");
    SHOWS(sc, "100 %");
    SHOWS(sc, "236 W");
    SHOWS(sc, "16G");
    SHOWS(sc, "-75s");
    SHOWS(sc, "now");
    close_screen(sc);
    sc = open_past((struct ui_options){.unicode = false}, 60, 200);
    for (const char *p = drawn(sc); *p; p++) {
        assert_true((unsigned char)*p < 0x80);
    }
    close_screen(sc);
}

/* With nothing before it a tick has no plot. */
static void first_tick_has_none(void **state) {
    struct screen *sc = open_screen((struct ui_options){.unicode = true}, snap_card);
    (void)state;
    assert_int_equal(plot_rows(sc), 0);
    sc->b.s.tick++;
    assert_int_equal(plot_rows(sc), 1);
    close_screen(sc);
}

static void any_size(void **state) {
    (void)state;
    for (int tall = 0; tall < 2; tall++) {
        struct screen *sc = open_past((struct ui_options){.unicode = true}, 24, 80);
        type(sc, tall ? "p" : "");
        for (int i = 0; i < 31 * 31; i++) {
            assert_int_equal(grid_resize(&sc->g, i / 31, i % 31), ERR_OK);
            (void)drawn(sc);
        }
        close_screen(sc);
    }
}

static void column_is_drawn(void **state) {
    struct ui_options o = {.unicode = true};
    struct err_info info;
    assert_int_equal(column_set_parse(span_of("pid,history,command"), &o.columns, &info), ERR_OK);
    struct screen *sc = open_past(o, 24, 80);
    (void)state;
    SHOWS(sc, "HISTORY");
    SHOWS(sc, "⣿");
    o.unicode = false;
    close_screen(sc);
    sc = open_past(o, 24, 80);
    SHOWS(sc, "_.-=+"); /* up from 0 by a sixth each tick */
    close_screen(sc);
}

static void steady(void **state) {
    struct screen *sc = open_past((struct ui_options){.unicode = true}, 60, 200);
    (void)state;
    if (!allocations_counted()) {
        close_screen(sc);
        skip();
    }
    (void)drawn(sc);
    unsigned long before = allocations_so_far();
    for (uint64_t t = 101; t <= 1400; t++) {
        snap_past(&sc->b, t);
        ui_render(sc->ui, snap_get(&sc->b), &sc->play, &sc->g);
    }
    assert_int_equal(allocations_so_far(), before);
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gap_is_not_zero),
                                       cmocka_unit_test(back_and_forward),
                                       cmocka_unit_test(rings_turn),
                                       cmocka_unit_test(time_of_a_span),
                                       cmocka_unit_test(wide_numbers),
                                       cmocka_unit_test(crowd_is_bounded),
                                       cmocka_unit_test(comers_and_goers),
                                       cmocka_unit_test(many_devices),
                                       cmocka_unit_test(rows_of_plots),
                                       cmocka_unit_test(table_comes_first),
                                       cmocka_unit_test(words_of_plots),
                                       cmocka_unit_test(first_tick_has_none),
                                       cmocka_unit_test(any_size),
                                       cmocka_unit_test(column_is_drawn),
                                       cmocka_unit_test(steady)};
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
