/* Sums of rows: what they come to, what they say where a part is not known, and where they stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

#define PPM 1000000

static struct row_list list;
static struct table_totals totals;

static int teardown(void **state) {
    (void)state;
    row_list_finish(&list);
    table_totals_finish(&totals);
    return 0;
}

static void arrange(struct snap *b, struct table_shape shape) {
    const struct table_query q = {0};
    const struct snapshot *s = snap_get(b);
    assert_int_equal(table_select(s, &q, &list), ERR_OK);
    assert_int_equal(table_arrange(s, &q, &shape, &list, &totals), ERR_OK);
}

static const struct snap_process *sum(uint32_t line) {
    assert_in_range(line, 0, list.count - 1);
    assert_true(list.rows[line].total);
    return &totals.s.processes[list.rows[line].index];
}

static void is_command(const struct snap_process *p, const char *want) {
    struct span text = snapshot_text(&totals.s, p->command);
    assert_int_equal(text.n, strlen(want));
    assert_memory_equal(text.p, want, text.n);
}

static void is_value(struct value v, int64_t want, uint8_t doubt) {
    assert_int_equal(v.state, STATE_VALUE);
    assert_int_equal(v.v, want);
    assert_int_equal(v.doubt, doubt);
}

static void machine(struct snap *b) {
    snap_init(b);
    snap_device(b, "0000:03:00.0", "card", "amdgpu");
    snap_device(b, "0000:04:00.0", "card", "amdgpu");
}

/* Of a user, with one engine. */
static struct snap_process *add(struct snap *b, int32_t pid, uint32_t device, const char *user,
                                int64_t ppm) {
    struct snap_process *p = snap_process(b, pid, device, "x", "");
    p->user = snap_text(b, user);
    p->busy_ppm = snap_value(ppm);
    p->busy_ns = snap_value(ppm);
    p->cpu_ppm = snap_value(ppm / 2);
    p->rss = snap_value(4096);
    snap_engine(b, &p->engines, CLASS_GRAPHICS, snap_value(ppm));
    b->engines[b->s.engine_count - 1].busy_ns = snap_value(ppm);
    return p;
}

/* ---- where rows stand ------------------------------------------------------------------------ */

static void groups_stand_below_their_sums(void **state) {
    static const int32_t want[] = {-1, 3, 1, -1, 2, -1, 5, -1, 4};
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 200000);
    add(&b, 2, 0, "bob", 400000);
    add(&b, 3, 0, "ada", 300000);
    add(&b, 4, 1, "ada", 100000);
    add(&b, 5, 0, "", 110000);
    snap_loose(&b, 0, "(not attributed)");
    arrange(&b, (struct table_shape){.group = TABLE_GROUP_USER});
    assert_int_equal(list.count, 10);
    for (uint32_t i = 0; i < 9; i++) {
        struct row r = list.rows[i];
        assert_int_equal(r.total ? -1 : b.processes[r.index].pid, want[i]);
    }
    assert_true(list.rows[9].unattributed);
    is_command(sum(0), "ada: 2 processes");
    is_value(sum(0)->busy_ppm, 500000, 0);
    assert_int_equal(sum(7)->device, 1);
    is_command(sum(5), "(unknown user): 1 process");
    arrange(&b, (struct table_shape){.group = TABLE_GROUP_USER, .totals = true});
    assert_int_equal(list.count, 5);
    is_command(sum(1), "bob: 1 process");
    arrange(&b, (struct table_shape){.group = TABLE_GROUP_CONTAINER, .totals = true});
    assert_int_equal(list.count, 3);
    is_command(sum(0), "(no container): 4 processes");
    snap_finish(&b);
}

static void without_groups_a_sum_of_each_device(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 1, "ada", 700000);
    add(&b, 2, 0, "bob", 400000);
    snap_loose(&b, 0, "(not attributed)");
    arrange(&b, (struct table_shape){.totals = true});
    assert_int_equal(list.count, 5);
    is_command(sum(0), "(all of device 0): 1 process");
    is_command(sum(1), "(all of device 1): 1 process");
    assert_int_equal(b.processes[list.rows[2].index].pid, 1);
    snap_finish(&b);
}

static void a_tree_within_each_group(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 100000);
    add(&b, 2, 0, "ada", 300000)->ppid = 1;
    add(&b, 3, 0, "bob", 200000)->ppid = 2;
    arrange(&b, (struct table_shape){.group = TABLE_GROUP_USER, .tree = true});
    assert_int_equal(list.count, 5);
    assert_int_equal(b.processes[list.rows[1].index].pid, 1);
    assert_int_equal(b.processes[list.rows[2].index].pid, 2);
    assert_int_equal(list.rows[2].depth, 1);
    assert_int_equal(b.processes[list.rows[4].index].pid, 3);
    assert_int_equal(list.rows[4].depth, 0);
    snap_finish(&b);
}

static void nothing_to_sum(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    for (uint8_t group = 0; group < 3; group++) {
        arrange(&b, (struct table_shape){.group = group, .tree = true, .totals = true});
        assert_int_equal(list.count, 0);
    }
    snap_finish(&b);
}

/* ---- figures --------------------------------------------------------------------------------- */

static const struct snap_process *all_of(struct snap *b) {
    arrange(b, (struct table_shape){.totals = true});
    return sum(0);
}

static void shares_are_cut_and_totals_are_not(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 700000);
    add(&b, 2, 0, "bob", 600000);
    const struct snap_process *p = all_of(&b);
    is_value(p->busy_ppm, PPM, DOUBT_CLAMPED);
    is_value(p->busy_ns, 1300000, 0);
    is_value(p->cpu_ppm, 650000, 0);
    is_value(p->rss, 8192, 0);
    assert_int_equal(p->engines.count, 1);
    is_value(totals.s.engines[p->engines.first].busy_ppm, PPM, DOUBT_CLAMPED);
    is_value(totals.s.engines[p->engines.first].busy_ns, 1300000, 0);
    snap_finish(&b);
}

/* Different engines do not add up: the busiest counts. */
static void engines_by_name(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 300000);
    struct snap_process *p = snap_process(&b, 2, 0, "y", "");
    p->busy_ppm = snap_value(400000);
    snap_engine(&b, &p->engines, CLASS_DECODE, snap_value(400000));
    is_value(all_of(&b)->busy_ppm, 400000, 0);
    is_value(table_engines(&totals.s, all_of(&b)->engines, CLASS_GRAPHICS), 300000, 0);
    snap_finish(&b);
}

static void what_is_not_known(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 300000);
    struct snap_process *p = add(&b, 2, 0, "ada", 0);
    p->busy_ppm = p->cpu_ppm = p->rss = snap_none(STATE_UNKNOWN);
    b.engines[1].busy_ppm = snap_none(STATE_UNKNOWN);
    const struct snap_process *all = all_of(&b);
    is_value(all->busy_ppm, 300000, DOUBT_ESTIMATED);
    is_value(all->cpu_ppm, 150000, DOUBT_ESTIMATED);
    is_value(all->rss, 4096, DOUBT_ESTIMATED);
    /* Nothing known of one, and 0 of the other, is not 0. */
    b.processes[0].busy_ppm = b.engines[0].busy_ppm = snap_value(0);
    assert_int_equal(all_of(&b)->busy_ppm.state, STATE_UNKNOWN);
    b.processes[0].rss = b.processes[1].rss = snap_none(STATE_DENIED);
    assert_int_equal(all_of(&b)->rss.state, STATE_DENIED);
    assert_int_equal(all_of(&b)->vram.bytes.state, STATE_UNSUPPORTED);
    b.processes[0].cpu_ppm = snap_value(-5);
    b.processes[1].cpu_ppm = snap_value(70);
    is_value(all_of(&b)->cpu_ppm, 70, DOUBT_ESTIMATED);
    snap_finish(&b);
}

/* One that ended has no rate any more, and what it did counts. */
static void those_that_ended(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 300000);
    struct snap_process *p = add(&b, 2, 0, "ada", 200000);
    p->exited = true;
    p->busy_ppm = p->cpu_ppm = p->rss = snap_none(STATE_UNKNOWN);
    b.engines[1].busy_ppm = snap_none(STATE_UNKNOWN);
    is_value(all_of(&b)->busy_ppm, 300000, 0);
    is_value(all_of(&b)->busy_ns, 500000, 0);
    is_value(all_of(&b)->cpu_ppm, 150000, 0);
    assert_false(all_of(&b)->exited);
    b.processes[0].exited = true;
    assert_true(all_of(&b)->exited);
    snap_finish(&b);
}

static void set_memory(struct snap *b, struct snap_process *p, int64_t resident, int64_t shared) {
    struct snap_memory *m = snap_memory(b, &p->memory, "vram", snap_value(resident));
    m->shared = snap_value(shared);
    m->total = snap_value(resident + 1);
}

/* A buffer that several have counts once. */
static void shared_memory(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    set_memory(&b, add(&b, 1, 0, "ada", 0), 100, 60);
    set_memory(&b, add(&b, 2, 0, "ada", 0), 90, 50);
    set_memory(&b, add(&b, 3, 0, "ada", 0), 30, 40);
    const struct snap_process *p = all_of(&b);
    is_value(p->vram.bytes, 40 + 40 + 0 + 60, 0);
    is_value(p->shared, 60, 0);
    assert_int_equal(p->gtt.bytes.state, STATE_UNSUPPORTED);
    assert_int_equal(p->memory.count, 1);
    is_value(totals.s.memory[p->memory.first].total, 223, 0);
    snap_finish(&b);
}

/* One alone is what its row is. */
static void a_sum_of_one(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    set_memory(&b, add(&b, 1, 0, "ada", 70000), 30, 40);
    b.processes[0].vram.bytes = snap_value(30);
    b.processes[0].shared = snap_value(40);
    b.processes[0].type = TYPE_COMPUTE;
    b.processes[0].power = (struct snap_power){.watts = snap_real(3.5),
                                               .joules = snap_real(7),
                                               .pw = snap_real(0.25),
                                               .pws = snap_real(2),
                                               .unpriced_ns = snap_value(9),
                                               .method = METHOD_SHARED};
    const struct snap_process *p = all_of(&b), *one = &b.processes[0];
    const struct snap_power *w = &p->power;
    is_value(p->busy_ppm, one->busy_ppm.v, 0);
    is_value(p->vram.bytes, 30, 0);
    is_value(p->shared, 40, 0);
    is_value(w->unpriced_ns, 9, 0);
    assert_int_equal(p->type, TYPE_COMPUTE);
    assert_int_equal(w->method, METHOD_SHARED);
    assert_true(w->watts.v == 3.5 && w->joules.v == 7 && w->pw.v == 0.25 && w->pws.v == 2);
    snap_finish(&b);
}

static void what_it_cost(void **state) {
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 1)->power = (struct snap_power){.watts = snap_real(3.5),
                                                         .joules = snap_real(7),
                                                         .pws = snap_real(2),
                                                         .method = METHOD_SHARED};
    add(&b, 2, 0, "bob", 1)->power = (struct snap_power){
        .watts = snap_real(1.5), .pws = {0, STATE_UNSUPPORTED, 0}, .method = METHOD_NONE};
    const struct snap_power *p = &all_of(&b)->power;
    assert_true(p->watts.v == 5 && p->watts.doubt == 0);
    assert_true(p->joules.v == 7 && p->joules.doubt == DOUBT_ESTIMATED);
    assert_true(p->pws.v == 2 && p->pws.doubt == DOUBT_ESTIMATED);
    assert_int_equal(p->pw.state, STATE_UNKNOWN);
    assert_int_equal(p->method, METHOD_SHARED);
    snap_finish(&b);
}

/* ---- any rows -------------------------------------------------------------------------------- */

/* Each row is there once, and in the sum above it; sums in order. */
static void check(const struct snapshot *s, struct table_shape shape) {
    static bool seen[4096];
    uint32_t processes = 0, above = UINT32_MAX;
    int64_t before = INT64_MAX;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < list.count; i++) {
        struct row r = list.rows[i];
        if (r.total) {
            struct value busy = totals.s.processes[r.index].busy_ppm;
            int64_t rank = busy.state == STATE_VALUE ? busy.v : -1;
            assert_true(rank <= before || shape.group == TABLE_GROUP_NONE);
            before = rank;
            above = r.index;
        } else if (!r.unattributed) {
            assert_false(seen[r.index]);
            seen[r.index] = true;
            processes++;
            assert_true(shape.group == TABLE_GROUP_NONE || totals.of[r.index] == above);
        }
    }
    bool hidden = shape.totals && shape.group != TABLE_GROUP_NONE;
    assert_int_equal(processes, hidden ? 0 : s->process_count);
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        assert_true(list.rows[list.count - 1 - i].unattributed);
    }
}

static void rows_add_up(const struct snapshot *s) {
    for (uint32_t i = 0; i < totals.s.process_count; i++) {
        int64_t cpu = 0;
        for (uint32_t k = 0; k < s->process_count; k++) {
            bool is_here = totals.of[k] == i;
            assert_true(!is_here || s->processes[k].device == totals.s.processes[i].device);
            cpu += is_here ? s->processes[k].cpu_ppm.v : 0;
        }
        assert_int_equal(totals.s.processes[i].cpu_ppm.v, cpu);
    }
}

static void any_rows(void **state) {
    static const char *const names[] = {"ada", "bob", "", "eve"};
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        struct snap b;
        struct table_shape shape = {
            .tree = round & 1, .totals = round & 2, .group = (uint8_t)(round / 4 % 3)};
        snap_many(&b, 1 + round % 5, round * 9, round);
        for (uint32_t i = 0; i < b.s.process_count; i++) {
            b.processes[i].user = snap_text(&b, names[(i * 7 + round) % 4]);
            b.processes[i].container = snap_text(&b, names[i % 3]);
            b.processes[i].ppid = b.processes[(i * 31 + round) % b.s.process_count].pid;
        }
        arrange(&b, shape);
        check(snap_get(&b), shape);
        if (shape.group != TABLE_GROUP_NONE || shape.totals) {
            rows_add_up(snap_get(&b));
        }
        snap_finish(&b);
    }
}

/* Whatever the texts and numbers are. */
static void hostile(void **state) {
    struct snap b;
    (void)state;
    snap_hostile(&b);
    for (uint8_t i = 0; i < 12; i++) {
        struct buf out = {0};
        arrange(&b, (struct table_shape){.tree = i & 1, .totals = i & 2, .group = i / 4});
        for (uint32_t k = 0; k < list.count; k++) {
            const struct snapshot *s = list.rows[k].total ? &totals.s : snap_get(&b);
            for (unsigned c = 0; c < COLUMN_COUNT; c++) {
                buf_clear(&out);
                (void)table_cell(s, list.rows[k], (enum column)c, i & 1, 200, &out);
                assert_false(out.failed);
            }
        }
        buf_finish(&out);
    }
    snap_finish(&b);
}

static void cells_of_a_sum(void **state) {
    static const struct {
        enum column column;
        const char *text;
    } cases[] = {{COLUMN_PID, ""},        {COLUMN_USER, "ada"},
                 {COLUMN_DEV, "0"},       {COLUMN_GPU, "50.0"},
                 {COLUMN_GRAPHICS, "50"}, {COLUMN_RSS, "8.0K"},
                 {COLUMN_CONTAINER, ""},  {COLUMN_NSPID, ""},
                 {COLUMN_START, ""},      {COLUMN_COMMAND, "ada: 2 processes"}};
    struct snap b;
    (void)state;
    machine(&b);
    add(&b, 1, 0, "ada", 200000);
    add(&b, 2, 0, "ada", 300000);
    arrange(&b, (struct table_shape){.group = TABLE_GROUP_USER});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out = {0};
        (void)table_cell(&totals.s, list.rows[0], cases[i].column, true, 40, &out);
        buf_char(&out, '\0');
        assert_string_equal(out.p, cases[i].text);
        buf_finish(&out);
    }
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_stand_below_their_sums),
        cmocka_unit_test(without_groups_a_sum_of_each_device),
        cmocka_unit_test(a_tree_within_each_group),
        cmocka_unit_test(nothing_to_sum),
        cmocka_unit_test(shares_are_cut_and_totals_are_not),
        cmocka_unit_test(engines_by_name),
        cmocka_unit_test(what_is_not_known),
        cmocka_unit_test(those_that_ended),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(a_sum_of_one),
        cmocka_unit_test(what_it_cost),
        cmocka_unit_test(any_rows),
        cmocka_unit_test(hostile),
        cmocka_unit_test(cells_of_a_sum),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
