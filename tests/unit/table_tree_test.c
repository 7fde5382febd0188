/* Processes below their parents: every row once, whatever the parents are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

static struct row_list list;
static struct table_totals totals;

static int teardown(void **state) {
    (void)state;
    row_list_finish(&list);
    table_totals_finish(&totals);
    return 0;
}

static void arrange(struct snap *b, const struct table_query *q) {
    const struct table_shape shape = {.tree = true};
    const struct snapshot *s = snap_get(b);
    assert_int_equal(table_select(s, q, &list), ERR_OK);
    assert_int_equal(table_arrange(s, q, &shape, &list, &totals), ERR_OK);
}

/* "PID at depth", the last of its siblings as a negative depth. */
struct place {
    int32_t pid;
    int depth;
};

static void expect(struct snap *b, const struct place *want, uint32_t count) {
    const struct table_query q = {.sort = {{COLUMN_PID, false}}, .sort_count = 1};
    arrange(b, &q);
    assert_int_equal(list.count, count);
    for (uint32_t i = 0; i < count; i++) {
        struct row r = list.rows[i];
        assert_int_equal(r.unattributed ? 0 : b->processes[r.index].pid, want[i].pid);
        assert_int_equal(r.depth, abs(want[i].depth));
        assert_int_equal(r.depth > 0 && r.last, want[i].depth < 0);
    }
}
#define EXPECT(b, ...)                                                                             \
    expect(b, (const struct place[]){__VA_ARGS__},                                                 \
           sizeof((const struct place[]){__VA_ARGS__}) / sizeof(struct place))

static void machine(struct snap *b, uint32_t devices) {
    snap_init(b);
    for (uint32_t i = 0; i < devices; i++) {
        snap_device(b, i ? "0000:04:00.0" : "0000:03:00.0", "card", "amdgpu");
    }
}

static struct snap_process *add(struct snap *b, int32_t pid, int32_t ppid) {
    struct snap_process *p = snap_process(b, pid, 0, "x", "");
    p->ppid = ppid;
    p->start = 1000;
    return p;
}

static void below_their_parents(void **state) {
    struct snap b;
    (void)state;
    machine(&b, 1);
    add(&b, 10, 1);
    add(&b, 20, 10);
    add(&b, 30, 20);
    add(&b, 40, 10);
    add(&b, 50, 0);
    add(&b, 60, 50);
    snap_loose(&b, 0, "(not attributed)");
    EXPECT(&b, {10, 0}, {20, 1}, {30, -2}, {40, -1}, {50, 0}, {60, -1}, {0, 0});
    /* What stands below 30 goes past 20, which has a sibling. */
    assert_int_equal(list.rows[2].trunk, 1);
    assert_int_equal(list.rows[3].trunk, 0);
    snap_finish(&b);
}

static void siblings_in_their_order(void **state) {
    const struct table_query q = {0};
    static const int32_t want[] = {2, 4, 3, 1};
    struct snap b;
    (void)state;
    machine(&b, 1);
    for (int32_t i = 1; i <= 4; i++) {
        add(&b, i, i == 1 ? 0 : 2)->busy_ppm = snap_value(i * 1000);
    }
    b.processes[1].ppid = 0;
    arrange(&b, &q);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(b.processes[list.rows[i].index].pid, want[i]);
    }
    snap_finish(&b);
}

static void a_parent_on_another_device_is_none(void **state) {
    struct snap b;
    (void)state;
    machine(&b, 2);
    add(&b, 10, 1);
    add(&b, 20, 10)->device = 1;
    EXPECT(&b, {10, 0}, {20, 0});
    /* On both devices it is one on each. */
    snap_finish(&b);
    machine(&b, 2);
    add(&b, 10, 1);
    add(&b, 10, 1)->device = 1;
    add(&b, 20, 10);
    add(&b, 20, 10)->device = 1;
    EXPECT(&b, {10, 0}, {20, -1}, {10, 0}, {20, -1});
    snap_finish(&b);
}

/* Of two processes of one number the later one is not the parent of who was there before. */
static void a_number_used_again(void **state) {
    struct snap b;
    (void)state;
    machine(&b, 1);
    add(&b, 10, 1)->start = 100;
    add(&b, 10, 1)->start = 900;
    add(&b, 20, 10)->start = 500;
    add(&b, 30, 10)->start = 901;
    EXPECT(&b, {10, 0}, {20, -1}, {10, 0}, {30, -1});
    snap_finish(&b);
}

static void parents_in_a_circle(void **state) {
    struct snap b;
    (void)state;
    machine(&b, 1);
    add(&b, 10, 10);
    add(&b, 20, 40);
    add(&b, 30, 20);
    add(&b, 40, 30);
    add(&b, 50, 30);
    EXPECT(&b, {10, 0}, {20, 0}, {30, -1}, {40, 2}, {50, -2});
    snap_finish(&b);
}

static void deeper_than_there_is_room(void **state) {
    const struct table_query q = {.sort = {{COLUMN_PID, false}}, .sort_count = 1};
    struct snap b;
    (void)state;
    machine(&b, 1);
    for (int32_t i = 1; i <= 1000; i++) {
        add(&b, i, i - 1);
    }
    arrange(&b, &q);
    assert_int_equal(list.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(list.rows[i].index, i);
        assert_int_equal(list.rows[i].depth, i < TABLE_DEPTH_MAX ? i : TABLE_DEPTH_MAX);
    }
    snap_finish(&b);
}

/* Any parents: each row once, each behind its parent where that stands above it. */
static void any_parents(void **state) {
    uint32_t seed = 88172645;
    (void)state;
    for (int round = 0; round < 200; round++) {
        const struct table_query q = {.hide_idle = round % 3 == 0, .top = round % 5 ? 0 : 40};
        bool seen[64] = {false};
        struct snap b;
        snap_many(&b, 1 + (uint32_t)round % 3, 60, (uint32_t)round);
        for (uint32_t i = 0; i < 60; i++) {
            seed = seed * 1664525 + 1013904223;
            b.processes[i].ppid = 990 + (int32_t)(seed >> 16) % 75;
            b.processes[i].start = round % 2 ? 5 : b.processes[i].start;
        }
        assert_int_equal(table_select(snap_get(&b), &q, &list), ERR_OK);
        uint32_t count = list.count;
        arrange(&b, &q);
        assert_int_equal(list.count, count);
        for (uint32_t i = 0; i < count && !list.rows[i].unattributed; i++) {
            struct row r = list.rows[i];
            assert_false(seen[r.index]);
            seen[r.index] = true;
            assert_true(r.depth <= TABLE_DEPTH_MAX);
            assert_true(i > 0 || r.depth == 0);
            assert_true(i == 0 || r.depth <= list.rows[i - 1].depth + 1);
        }
        snap_finish(&b);
    }
}

static void branches(void **state) {
    static const struct {
        struct row r;
        const char *unicode;
        const char *ascii;
    } cases[] = {
        {{.depth = 1}, "├─ tool", "|- tool"},
        {{.depth = 1, .last = true}, "└─ tool", "`- tool"},
        {{.depth = 3, .last = true, .trunk = 1}, "│   └─ tool", "|   `- tool"},
        {{.depth = 3, .trunk = 3}, "│ │ ├─ tool", "| | |- tool"},
        {{.depth = 1, .engine = true}, "│ └ gfx", "| - gfx"},
        {{.depth = 1, .last = true, .engine = true}, "  └ gfx", "  - gfx"},
    };
    struct snap b;
    (void)state;
    machine(&b, 1);
    struct snap_process *p = snap_process(&b, 7, 0, "tool", "tool");
    snap_engine(&b, &p->engines, CLASS_GRAPHICS, snap_value(0));
    b.engines[0].name = snap_text(&b, "gfx");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int unicode = 0; unicode < 2; unicode++) {
            struct buf out = {0};
            (void)table_cell(snap_get(&b), cases[i].r, COLUMN_COMMAND, unicode, 40, &out);
            buf_char(&out, '\0');
            assert_string_equal(out.p, unicode ? cases[i].unicode : cases[i].ascii);
            buf_finish(&out);
        }
    }
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_their_parents),
        cmocka_unit_test(siblings_in_their_order),
        cmocka_unit_test(a_parent_on_another_device_is_none),
        cmocka_unit_test(a_number_used_again),
        cmocka_unit_test(parents_in_a_circle),
        cmocka_unit_test(deeper_than_there_is_room),
        cmocka_unit_test(any_parents),
        cmocka_unit_test(branches),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
