/* Where cells stand in a row: digits in line, and a blank between any two columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

/* A row as it is drawn, with columns of their usual width. */
static void draw(const struct snapshot *s, struct row r, const struct column_set *set,
                 struct buf *line) {
    struct buf cell = {0};
    for (unsigned i = 0; i < set->count; i++) {
        size_t width = column_info(set->list[i])->width, lead;
        buf_clear(&cell);
        (void)table_place(s, r, set, i, width, true, &cell, &lead);
        size_t taken = lead + text_columns(buf_span_of(&cell));
        buf_fill(line, ' ', lead);
        buf_span(line, buf_span_of(&cell));
        buf_fill(line, ' ', taken < width + 1 ? width + 1 - taken : 0);
    }
    buf_finish(&cell);
}

static void expect(struct snap *b, const char *columns, const char *want) {
    struct column_set set;
    struct buf line = {0};
    assert_int_equal(column_set_parse(span_of(columns), &set, NULL), ERR_OK);
    draw(snap_get(b), (struct row){0}, &set, &line);
    buf_char(&line, '\0');
    assert_string_equal(line.p, want);
    buf_finish(&line);
}

static struct real doubted(double v) {
    return (struct real){v, STATE_VALUE, DOUBT_ESTIMATED};
}

/* The mark stands in the blank after the column, or else takes the place of a digit. */
static void marks(void **state) {
    struct snap b;
    (void)state;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", "card", "amdgpu");
    struct snap_process *p = snap_process(&b, 100, 0, "game", "game");
    p->power.watts = doubted(0.4741);
    p->power.pws = snap_real(0.0131);
    p->busy_ppm = snap_doubted(1000000);
    expect(&b, "w,pws,pid", "0.47~ 0.0131     100 ");
    p->power.pws = snap_real(812.4);
    expect(&b, "w,pws,pid", "0.474~ 812.4     100 ");
    p->power.pws = doubted(0.0131);
    expect(&b, "w,pws,pid", "0.47~ 0.0131~    100 ");
    expect(&b, "w,pws,command", "0.47~ 0.013~ game             ");
    expect(&b, "gpu,command", " 100~ game             ");
    expect(&b, "gpu,pid", "100.0~    100 ");
    expect(&b, "gpu", " 100~ ");
    p->busy_ppm = snap_doubted(50000);
    expect(&b, "gpu,command", " 5.0~ game             ");
    expect(&b, "gpu,gpu,pid", "  5.0~    100 ");
    snap_finish(&b);
}

/* ---- laws ------------------------------------------------------------------------------------ */

static uint64_t seed = 88172645463325252u;

static uint32_t chance(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % below;
}

static void any_set(struct column_set *set) {
    *set = (struct column_set){.count = 0};
    unsigned first = chance(COLUMN_COUNT);
    unsigned step = 1 + chance(COLUMN_COUNT);
    for (unsigned i = 0; i < 1 + chance(COLUMN_COUNT); i++)
        set->list[set->count++] = (uint8_t)((first + i * step) % COLUMN_COUNT);
}

static bool ends_in_mark(struct span s) {
    return s.n > 0 && s.p[s.n - 1] == '~';
}

static void check_row(const struct snapshot *s, struct row r, const struct column_set *set) {
    struct buf cell = {0}, whole = {0};
    bool over = false; /* the cell before ends in the blank after its column */
    for (unsigned i = 0; i < set->count; i++) {
        enum column c = set->list[i];
        size_t width = column_info(c)->width, lead;
        buf_clear(&cell);
        buf_clear(&whole);
        enum role role = table_place(s, r, set, i, width, i % 2, &cell, &lead);
        size_t end = lead + text_columns(buf_span_of(&cell));
        assert_false(over && cell.n > 0 && lead == 0);
        assert_true(end <= width + (i + 1u < set->count));
        over = end > width;
        /* What it says is what the cell says, and so is its mark. */
        assert_int_equal(role, table_cell(s, r, c, i % 2, width + 1, &whole));
        if (!column_info(c)->left)
            assert_int_equal(ends_in_mark(buf_span_of(&cell)), ends_in_mark(buf_span_of(&whole)));
        assert_true(!over || ends_in_mark(buf_span_of(&cell)));
    }
    buf_finish(&cell);
    buf_finish(&whole);
}

/* Doubts and sizes of all kinds, so that many columns are full. */
static void spoil(struct snap *b) {
    static const int64_t shares[] = {0, 50000, 999999, 1000000, 994000};
    static const double amounts[] = {0.0131, 0.4741, 812.4, 12345.6, 999999, 1e9, 1e300};
    for (uint32_t i = 0; i < b->s.engine_count; i++)
        b->engines[i].busy_ppm = (struct value){shares[chance(5)], STATE_VALUE, (uint8_t)chance(2)};
    for (uint32_t i = 0; i < b->s.process_count; i++) {
        struct snap_process *p = &b->processes[i];
        p->busy_ppm = (struct value){shares[chance(5)], STATE_VALUE, (uint8_t)chance(2)};
        p->vram.bytes = (struct value){(int64_t)1 << chance(60), STATE_VALUE, (uint8_t)chance(2)};
        p->gtt.bytes = (struct value){1023 << chance(20), STATE_VALUE, (uint8_t)chance(2)};
        p->power.watts = (struct real){amounts[chance(7)], STATE_VALUE, (uint8_t)chance(2)};
        p->power.pws = (struct real){amounts[chance(7)], STATE_VALUE, (uint8_t)chance(2)};
        p->power.joules = (struct real){amounts[chance(7)], STATE_VALUE, (uint8_t)chance(2)};
    }
}

static void columns_never_touch(void **state) {
    static void (*const make[])(struct snap *) = {snap_hostile, snap_power, snap_doubts};
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct snap b;
        make[round % 3](&b);
        if (round % 3)
            spoil(&b);
        const struct snapshot *s = snap_get(&b);
        for (uint32_t i = 0; i < s->process_count; i++) {
            struct column_set set;
            any_set(&set);
            check_row(s, (struct row){.index = i}, &set);
            column_set_default(s, &set);
            column_set_fit(&set, 20 + chance(180));
            check_row(s, (struct row){.index = i}, &set);
        }
        for (uint32_t i = 0; i < s->unattributed_count; i++) {
            struct column_set set;
            any_set(&set);
            check_row(s, (struct row){.index = i, .unattributed = true}, &set);
        }
        snap_finish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks),
        cmocka_unit_test(columns_never_touch),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
