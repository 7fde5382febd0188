/* Columns of power: what their cells say, how rows are sorted by them, which rows have them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

static void expect(struct snap *b, struct row r, enum column c, const char *want) {
    struct buf out = {0};
    (void)table_cell(snap_get(b), r, c, true, column_info(c)->width + 1u, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.p, want);
    buf_finish(&out);
}

static void amounts(void **state) {
    static const struct {
        double v;
        size_t room;
        const char *want;
    } cases[] = {
        {0, 6, "0"},
        {1e-9, 6, "<0.001"},
        {0.00004, 6, "<0.001"},
        {0.00004, 5, "<0.01"},
        {0.0004, 5, "<0.01"},
        {0.0004, 3, "<1"},
        {0.0005, 5, "0.001"},
        {0.00734, 6, "0.0073"},
        {0.00734, 5, "0.007"},
        {0.0999, 6, "0.0999"},
        {0.09996, 6, "0.100"},
        {0.4125, 6, "0.413"},
        {0.99951, 6, "1.00"},
        {1.236, 6, "1.24"},
        {9.994, 6, "9.99"},
        {9.996, 6, "10.0"},
        {44.1, 5, "44.1"},
        {812.4, 5, "812.4"},
        {999.94, 5, "999.9"},
        {999.96, 5, "1000"},
        {12345.6, 5, "12346"},
        {99999.4, 5, "99999"},
        {99999.6, 5, "100k"},
        {999999.4, 6, "999999"},
        {1234567, 6, "1.23M"},
        {1234567, 5, "1.23M"},
        {4.5e9, 6, "4.50G"},
        {9.9999e17, 6, "1.00E"},
        {1e300, 6, "++++++"},
    };
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buf_clear(&b);
        table_amount(cases[i].v, cases[i].room, &b);
        buf_char(&b, '\0');
        assert_string_equal(b.p, cases[i].want);
    }
    for (double v = 1e-7; v < 1e30; v *= 1.037) {
        for (size_t room = 5; room <= 8; room++) {
            buf_clear(&b);
            table_amount(v, room, &b);
            assert_in_range(b.n, 1, room);
            assert_null(memchr(b.p, 'e', b.n));
        }
    }
    buf_finish(&b);
}

static void cells(void **state) {
    struct snap b;
    struct row first = {.index = 0};
    (void)state;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", "GPU", "amdgpu");
    struct snap_process *p = snap_process(&b, 77, 0, "tool", "");
    p->power = (struct snap_power){.pw = snap_real(1.236),
                                   .pws = snap_real(0.007254273496),
                                   .watts = snap_real(44.1),
                                   .joules = snap_real(0),
                                   .method = METHOD_SHARED};
    expect(&b, first, COLUMN_PW, "1.24");
    expect(&b, first, COLUMN_PWS, "0.0073");
    expect(&b, first, COLUMN_WATT, "44.1");
    expect(&b, first, COLUMN_JOULE, "0");
    expect(&b, first, COLUMN_METHOD, "shared");
    p->power.pws.doubt = DOUBT_ASSUMED_VOLTAGE;
    expect(&b, first, COLUMN_PWS, "0.0073~");
    p->power = (struct snap_power){.pw = {.state = STATE_UNKNOWN},
                                   .pws = {.state = STATE_DENIED},
                                   .watts = {.state = STATE_UNSUPPORTED},
                                   .joules = {.state = STATE_MALFORMED}};
    expect(&b, first, COLUMN_PW, "?");
    expect(&b, first, COLUMN_PWS, "deny");
    expect(&b, first, COLUMN_WATT, "-");
    expect(&b, first, COLUMN_JOULE, "bad");
    expect(&b, first, COLUMN_METHOD, "-");
    p->power.pw = snap_real(NAN);
    p->power.watts = snap_real(-1);
    expect(&b, first, COLUMN_PW, "bad");
    expect(&b, first, COLUMN_WATT, "bad");
    snap_finish(&b);
}

static void rows_of_other_kinds(void **state) {
    struct snap b;
    (void)state;
    snap_mali(&b);
    /* See snap_mali(): the idle floor has watts alone, unknown pids have priced work. */
    expect(&b, (struct row){.index = 1, .unattributed = true}, COLUMN_WATT, "0.310");
    expect(&b, (struct row){.index = 1, .unattributed = true}, COLUMN_PWS, "-");
    expect(&b, (struct row){.index = 2, .unattributed = true}, COLUMN_PWS, "0.0012");
    struct row pp1 = {.index = b.processes[0].engines.first + 2, .engine = true, .owner = 0};
    expect(&b, pp1, COLUMN_PWS, "0.0025~"); /* of a part of its time */
    expect(&b, pp1, COLUMN_PID, "");
    expect(&b, pp1, COLUMN_WATT, "");
    expect(&b, pp1, COLUMN_GPU, "31.0");
    struct buf out = {0};
    (void)table_cell(snap_get(&b), pp1, COLUMN_COMMAND, true, 40, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.p, "└ PP1, 0:00.25 unpriced");
    buf_finish(&out);
    snap_finish(&b);
}

static void sorted_with_nothing_last(void **state) {
    static const struct {
        const char *key;
        int32_t order[4];
    } cases[] = {
        {"W", {3, 1, 2, 4}}, {"-watts", {1, 3, 2, 4}}, {"PW", {2, 1, 3, 4}}, {"pws", {4, 1, 2, 3}}};
    struct snap b;
    struct row_list l = {0};
    (void)state;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", "GPU", "amdgpu");
    for (int32_t pid = 1; pid <= 4; pid++) {
        snap_process(&b, pid, 0, "tool", "");
    }
    b.processes[0].power = (struct snap_power){.watts = snap_real(0.25), .pw = snap_real(2)};
    b.processes[1].power = (struct snap_power){.pw = snap_real(2.5)};
    b.processes[2].power = (struct snap_power){.watts = snap_real(0.26), .pw = snap_real(0)};
    b.processes[3].power = (struct snap_power){.pws = snap_real(1e-9)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct table_query q = {0};
        assert_int_equal(table_sort_parse(span_of(cases[i].key), &q, NULL), ERR_OK);
        assert_int_equal(table_select(snap_get(&b), &q, &l), ERR_OK);
        for (unsigned r = 0; r < 4; r++) {
            assert_int_equal(b.processes[l.rows[r].index].pid, cases[i].order[r]);
        }
    }
    row_list_finish(&l);
    snap_finish(&b);
}

static void shown_when_used(void **state) {
    struct snap b;
    struct column_set set;
    (void)state;
    snap_typical(&b);
    column_set_default(snap_get(&b), &set);
    assert_null(memchr(set.list, COLUMN_WATT, set.count));
    assert_null(memchr(set.list, COLUMN_PWS, set.count));
    b.unattributed[0].power.watts = snap_real(4);
    b.processes[0].power.pws = snap_real(0.001);
    column_set_default(snap_get(&b), &set);
    assert_non_null(memchr(set.list, COLUMN_WATT, set.count));
    assert_non_null(memchr(set.list, COLUMN_PWS, set.count));
    assert_null(memchr(set.list, COLUMN_JOULE, set.count));
    assert_string_equal(column_title(COLUMN_PWS, true), "PW·s");
    assert_string_equal(column_title(COLUMN_PWS, false), "PW*s");
    assert_string_equal(column_title(COLUMN_PW, false), "PW");
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts),
        cmocka_unit_test(cells),
        cmocka_unit_test(rows_of_other_kinds),
        cmocka_unit_test(sorted_with_nothing_last),
        cmocka_unit_test(shown_when_used),
    };
    return cmocka_run_group_tests_name("power", tests, NULL, NULL);
}
