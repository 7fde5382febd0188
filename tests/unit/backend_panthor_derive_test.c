/* What counters come to: numbers worked out by hand, on every generation; and what has no number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/panthor/ring.h"
#include "panbytes.h"

#define COUNT(list) (sizeof(list) / sizeof(list[0]))
#define MS100       100000000
#define HZ500M      500000000

struct test {
    struct buf b;
    struct pan_device d;
    struct pan_sample s;
    struct panthor_gpu g;
    struct panthor_sample out;
    struct panthor_value v[PANTHOR_VALUES];
    size_t n;
};

static int set_up(void **state) {
    struct test *t = calloc(1, sizeof *t);
    *state = t;
    if (!t)
        return -1;
    t->d = pan_g710;
    t->g = (struct panthor_gpu){.table = PANTHOR_A, .beat_bytes = 16};
    pan_worked(&t->s);
    return 0;
}

static int tear_down(void **state) {
    struct test *t = *state;
    buf_finish(&t->b);
    free(t);
    return 0;
}

static void derive(struct test *t, int64_t interval_ns, uint64_t clock_hz) {
    struct panthor_layout l;
    struct counts counts = {0};
    buf_clear(&t->b);
    pan_info(&t->b, &t->d);
    assert_true(panthor_layout_read(buf_span_of(&t->b), &l));
    buf_clear(&t->b);
    pan_put(&t->b, &t->d, &t->s);
    assert_true(panthor_sample_read(&l, buf_span_of(&t->b), &t->out, &counts));
    t->n = panthor_derive(&t->g, &t->out, interval_ns, clock_hz, t->v);
    assert_in_range(t->n, 16, PANTHOR_VALUES);
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].state == STATE_VALUE && metric_info(t->v[i].metric)->unit == UNIT_PERCENT)
            assert_in_range(t->v[i].value, 0, 1000000);
}

static const struct panthor_value *find(const struct test *t, unsigned metric, unsigned index) {
    const struct panthor_value *found = NULL;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].metric == metric && t->v[i].index == index) {
            assert_null(found);
            found = &t->v[i];
        }
    assert_non_null(found);
    return found;
}

static void is(const struct test *t, unsigned metric, unsigned index, int64_t value) {
    const struct panthor_value *v = find(t, metric, index);
    if (v->state != STATE_VALUE || v->value != value || v->doubt)
        print_error("%s %u: %s %lld doubt %u\n", metric_info(metric)->name, index,
                    state_name(v->state), (long long)v->value, v->doubt);
    assert_int_equal(v->state, STATE_VALUE);
    assert_int_equal(v->value, value);
    assert_int_equal(v->doubt, 0);
}

static void is_no_value(const struct test *t, unsigned metric, unsigned index, unsigned state) {
    const struct panthor_value *v = find(t, metric, index);
    if (v->state != state)
        print_error("%s %u: %s\n", metric_info(metric)->name, index, state_name(v->state));
    assert_int_equal(v->state, state);
    assert_int_equal(v->value, 0);
    assert_int_equal(v->doubt, 0);
}

#define M(name) METRIC_COUNTER_MALI_##name

/* ---- numbers ----------------------------------------------------------------------------------- */

static void test_worked(void **state) {
    struct test *t = *state;
    derive(t, MS100, HZ500M);
    assert_int_equal(t->n, 16 + 4 * 3);
    is(t, M(GPU_BUSY), INDEX_NONE, 900000);
    is(t, M(MCU_LOAD), INDEX_NONE, 26667);
    is(t, M(FRAGMENT_QUEUE), INDEX_NONE, 855556);
    is(t, M(COMPUTE_QUEUE), INDEX_NONE, 108889);
    is(t, M(TILER_QUEUE), INDEX_NONE, 128889);
    is(t, M(TILER), INDEX_NONE, 122222);
    is(t, M(SHADER_BUSY), INDEX_NONE, 933333);
    is(t, M(FRAGMENT_SHARE), INDEX_NONE, 904762);
    is(t, M(NON_FRAGMENT_SHARE), INDEX_NONE, 214286);
    is(t, M(EXECUTION_CORE), INDEX_NONE, 0);
    is(t, M(READ_BANDWIDTH), INDEX_NONE, 976000000);
    is(t, M(WRITE_BANDWIDTH), INDEX_NONE, 336000000);
    is(t, M(SHADER_BUSY), 0, 933333);
    is(t, M(SHADER_BUSY), 1, 935556);
    is(t, M(SHADER_BUSY), 2, 931111);
    is(t, M(FRAGMENT_SHARE), 1, 904988);
    is(t, M(NON_FRAGMENT_SHARE), 2, 212411);
}

static void test_caches_and_stalls(void **state) {
    struct test *t = *state;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t *c = pan_block(&t->s, PAN_MEMSYS, i)->c;
        c[29] = 390000 * (i + 1);
        c[42] = 185000;
        c[33] = 9000000 * i;
        c[48] = 4500000;
    }
    for (unsigned i = 0; i < 3; i++)
        pan_block(&t->s, PAN_SHADER, i)->c[26] = 21000000;
    derive(t, MS100, HZ500M);
    is(t, M(L2_READ_MISS), INDEX_NONE, 300000);  /* 1.17 of 3.9 M */
    is(t, M(L2_WRITE_MISS), INDEX_NONE, 200000); /* 0.37 of 1.85 M */
    is(t, M(READ_STALL), INDEX_NONE, 100000);    /* 9 M over two slices, of 45 M */
    is(t, M(WRITE_STALL), INDEX_NONE, 100000);
    is(t, M(EXECUTION_CORE), INDEX_NONE, 500000);
    is(t, M(EXECUTION_CORE), 0, 500000);
}

/* The same work where each generation counts it. */
static void test_tables(void **state) {
    static const struct {
        uint32_t gpu_id;
        unsigned table;
        const char *name;
        unsigned iterators[6]; /* tiler, compute, fragment: active, blocked */
    } gens[] = {
        {0xa8670000, PANTHOR_A, "Mali-G610", {16, 22, 24, 30, 32, 38}},
        {0xb8020000, PANTHOR_B, "Mali-G715 / Immortalis-G715", {16, 22, 24, 30, 32, 38}},
        {0xc8010000, PANTHOR_C, "Mali-G620", {16, 22, 24, 30, 32, 38}},
        {0xd8000000, PANTHOR_D, "Mali-G725 / Immortalis-G925", {64, 70, 32, 38, 48, 54}},
        {0xe8030000, PANTHOR_E, "Mali G1-Pro", {64, 70, 32, 38, 48, 54}},
    };
    static const uint64_t counts[6] = {6000000, 200000, 5000000, 100000, 40000000, 1500000};
    struct test *t = *state;
    for (size_t i = 0; i < COUNT(gens); i++) {
        struct buf b;
        buf_init(&b);
        buf_text(&b, "gpu_id=0x");
        buf_hex(&b, gens[i].gpu_id, 8);
        buf_text(&b, "\nl2_features=0x7120306\n");
        buf_char(&b, '\0');
        panthor_gpu_from_facts(&t->g, b.p);
        buf_finish(&b);
        assert_int_equal(t->g.table, gens[i].table);
        assert_int_equal(t->g.beat_bytes, 16);
        assert_string_equal(panthor_gpu_name(gens[i].gpu_id), gens[i].name);
        t->d.counters = i == 0 ? 64 : 128;
        pan_worked(&t->s);
        for (unsigned k = 0; k < t->s.count; k++)
            t->s.blocks[k].mask[1] = i == 0 ? 0 : UINT64_MAX;
        uint64_t *c = pan_block(&t->s, PAN_CSHW, 0)->c;
        memset(c + 16, 0, 23 * sizeof *c);
        for (unsigned k = 0; k < 6; k++)
            c[gens[i].iterators[k]] = counts[k];
        if (gens[i].table == PANTHOR_B) {
            c[6] = 45000000;
            c[4] = 49000000;
        }
        derive(t, MS100, HZ500M);
        is(t, M(GPU_BUSY), INDEX_NONE, 900000);
        is(t, M(FRAGMENT_QUEUE), INDEX_NONE, 855556);
        is(t, M(COMPUTE_QUEUE), INDEX_NONE, 108889);
        is(t, M(TILER_QUEUE), INDEX_NONE, 128889);
        is(t, M(SHADER_BUSY), INDEX_NONE, 933333);
        is(t, M(SHADER_BUSY), 0, 933333);
        is(t, M(MCU_LOAD), INDEX_NONE, 26667);
    }
}

static void test_names(void **state) {
    (void)state;
    assert_null(panthor_gpu_name(0));
    assert_null(panthor_gpu_name(0x90020000));
    assert_null(panthor_gpu_name(0xa0050000));
    assert_null(panthor_gpu_name(0xf0000000));
    assert_string_equal(panthor_gpu_name(0xac740007), "Mali-G310");
    assert_string_equal(panthor_gpu_name(0xa0020000), "Mali-G710");
    assert_string_equal(panthor_gpu_name(0xa0030000), "Mali-G510");
    assert_string_equal(panthor_gpu_name(0xb0030000), "Mali-G615");
    assert_string_equal(panthor_gpu_name(0xe0010000), "Mali G1-Premium");
}

static void test_facts(void **state) {
    static const struct {
        const char *text;
        unsigned bytes;
    } buses[] = {{"l2_features=0x07000000\n", 16},
                 {"l2_features=7120306\n", 16},
                 {"l2_features=0x08000000\n", 32},
                 {"l2_features=0x03000000\n", 1},
                 {"l2_features=0x02000000\n", 0},
                 {"l2_features=0xff000000\n", 0},
                 {"l2_features=zzz\n", 0},
                 {"", 0},
                 {"l2_features=0xffffffffff000000\n", 0}};
    struct panthor_gpu g;
    (void)state;
    for (size_t i = 0; i < COUNT(buses); i++) {
        panthor_gpu_from_facts(&g, buses[i].text);
        assert_int_equal(g.beat_bytes, buses[i].bytes);
        assert_int_equal(g.table, PANTHOR_UNKNOWN);
    }
    panthor_gpu_from_facts(&g, "gpu_id=0xa8670000\ntimestamp_hz=24000000\nclock_hz=850000000\n"
                               "shader_present=0x1110055\n");
    assert_true(g.gpu_id == 0xa8670000 && g.timestamp_hz == 24000000 && g.clock_hz == 850000000);
    assert_true(g.shader_present == 0x1110055);
    panthor_gpu_from_facts(&g, "gpu_id=0x1a8670000\n");
    assert_int_equal(g.gpu_id, 0);
}

/* ---- no number ----------------------------------------------------------------------------------- */

static void test_no_interval(void **state) {
    struct test *t = *state;
    derive(t, 0, HZ500M);
    is_no_value(t, M(GPU_BUSY), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(READ_BANDWIDTH), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(WRITE_BANDWIDTH), INDEX_NONE, STATE_UNKNOWN);
    is(t, M(FRAGMENT_QUEUE), INDEX_NONE, 855556);
    is(t, M(SHADER_BUSY), 2, 931111);
    derive(t, -5, HZ500M);
    is_no_value(t, M(GPU_BUSY), INDEX_NONE, STATE_UNKNOWN);
    derive(t, MS100, 0);
    is_no_value(t, M(GPU_BUSY), INDEX_NONE, STATE_UNKNOWN);
    is(t, M(READ_BANDWIDTH), INDEX_NONE, 976000000);
    t->g.beat_bytes = 0;
    derive(t, MS100, HZ500M);
    is_no_value(t, M(READ_BANDWIDTH), INDEX_NONE, STATE_UNKNOWN);
}

static void test_not_delivered(void **state) {
    struct test *t = *state;
    for (unsigned i = 4; i < 7; i++)
        t->s.blocks[i].type = 0;
    pan_block(&t->s, PAN_TILER, 0)->mask[0] = 0;
    pan_block(&t->s, PAN_MEMSYS, 1)->mask[0] = ~(UINT64_C(1) << 32);
    pan_block(&t->s, PAN_CSHW, 0)->mask[0] = ~(UINT64_C(1) << 30);
    derive(t, MS100, HZ500M);
    assert_int_equal(t->n, 16);
    is_no_value(t, M(SHADER_BUSY), INDEX_NONE, STATE_UNSUPPORTED);
    is_no_value(t, M(FRAGMENT_SHARE), INDEX_NONE, STATE_UNSUPPORTED);
    is_no_value(t, M(EXECUTION_CORE), INDEX_NONE, STATE_UNSUPPORTED);
    is_no_value(t, M(TILER), INDEX_NONE, STATE_UNSUPPORTED);
    is_no_value(t, M(READ_BANDWIDTH), INDEX_NONE, STATE_UNSUPPORTED);
    is_no_value(t, M(COMPUTE_QUEUE), INDEX_NONE, STATE_UNSUPPORTED);
    is(t, M(WRITE_BANDWIDTH), INDEX_NONE, 336000000);
    is(t, M(TILER_QUEUE), INDEX_NONE, 128889);
    pan_block(&t->s, PAN_CSHW, 0)->mask[0] = ~(UINT64_C(1) << 4);
    derive(t, MS100, HZ500M);
    is_no_value(t, M(GPU_BUSY), INDEX_NONE, STATE_UNSUPPORTED);
    is_no_value(t, M(MCU_LOAD), INDEX_NONE, STATE_UNSUPPORTED);
}

/* The tiler's queue of later generations stands past the 64th counter. */
static void test_too_few_counters(void **state) {
    struct test *t = *state;
    t->g.table = PANTHOR_D;
    derive(t, MS100, HZ500M);
    is_no_value(t, M(TILER_QUEUE), INDEX_NONE, STATE_UNSUPPORTED);
    is(t, M(TILER), INDEX_NONE, 122222);
}

static void test_other_set(void **state) {
    struct test *t = *state;
    t->s.set = 1;
    derive(t, MS100, HZ500M);
    for (size_t i = 0; i < t->n; i++)
        assert_int_equal(t->v[i].state, STATE_UNSUPPORTED);
}

static void test_idle(void **state) {
    struct test *t = *state;
    pan_begin(&t->s, &t->d, 1000, 5);
    derive(t, MS100, HZ500M);
    is(t, M(GPU_BUSY), INDEX_NONE, 0);
    is(t, M(READ_BANDWIDTH), INDEX_NONE, 0);
    is_no_value(t, M(MCU_LOAD), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(FRAGMENT_QUEUE), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(SHADER_BUSY), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(SHADER_BUSY), 0, STATE_UNKNOWN);
    is_no_value(t, M(FRAGMENT_SHARE), 1, STATE_UNKNOWN);
    is_no_value(t, M(L2_READ_MISS), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(READ_STALL), INDEX_NONE, STATE_UNKNOWN);
}

static void test_unknown_gpu(void **state) {
    struct test *t = *state;
    t->g.table = PANTHOR_UNKNOWN;
    derive(t, MS100, HZ500M);
    is_no_value(t, M(FRAGMENT_QUEUE), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(TILER_QUEUE), INDEX_NONE, STATE_UNKNOWN);
    is(t, M(FRAGMENT_SHARE), INDEX_NONE, 904762);
    is(t, M(READ_BANDWIDTH), INDEX_NONE, 976000000);
    assert_int_equal(find(t, M(GPU_BUSY), INDEX_NONE)->value, 900000);
    assert_int_equal(find(t, M(GPU_BUSY), INDEX_NONE)->doubt, DOUBT_ESTIMATED);
    assert_int_equal(find(t, M(TILER), INDEX_NONE)->doubt, DOUBT_ESTIMATED);
    assert_int_equal(find(t, M(SHADER_BUSY), 0)->doubt, DOUBT_ESTIMATED);
}

/* ---- doubt --------------------------------------------------------------------------------------- */

static void test_clamped(void **state) {
    struct test *t = *state;
    pan_block(&t->s, PAN_CSHW, 0)->c[5] = 46000000;
    pan_block(&t->s, PAN_CSHW, 0)->c[30] = 5000001;
    pan_block(&t->s, PAN_SHADER, 0)->c[4] = UINT64_MAX;
    static const struct {
        unsigned metric, index;
        int64_t value;
    } all[] = {{M(GPU_BUSY), INDEX_NONE, 1000000},
               {M(MCU_LOAD), INDEX_NONE, 1000000},
               {M(COMPUTE_QUEUE), INDEX_NONE, 0},
               {M(FRAGMENT_SHARE), INDEX_NONE, 1000000},
               {M(FRAGMENT_SHARE), 0, 1000000}};
    derive(t, MS100, 400000000);
    for (size_t i = 0; i < COUNT(all); i++) {
        const struct panthor_value *v = find(t, all[i].metric, all[i].index);
        assert_int_equal(v->state, STATE_VALUE);
        assert_int_equal(v->value, all[i].value);
        assert_int_equal(v->doubt, DOUBT_CLAMPED);
    }
}

/* ---- cores --------------------------------------------------------------------------------------- */

/* It has a timestamp, so it was delivered, and counts nothing while fragments run on the others. */
static void silence(struct test *t, unsigned core) {
    memset(pan_block(&t->s, PAN_SHADER, core)->c + 4, 0, 60 * sizeof(uint64_t));
}

static void test_silent_core(void **state) {
    struct test *t = *state;
    silence(t, 1);
    derive(t, MS100, HZ500M);
    is_no_value(t, M(SHADER_BUSY), 1, STATE_UNKNOWN);
    is_no_value(t, M(FRAGMENT_SHARE), 1, STATE_UNKNOWN);
    is(t, M(SHADER_BUSY), 0, 933333);
    is(t, M(SHADER_BUSY), INDEX_NONE, 932222); /* 83.9 M over two cores, of 45 M */
    silence(t, 0);
    silence(t, 2);
    derive(t, MS100, HZ500M);
    is_no_value(t, M(SHADER_BUSY), INDEX_NONE, STATE_UNKNOWN);
    is_no_value(t, M(FRAGMENT_SHARE), INDEX_NONE, STATE_UNKNOWN);
}

/* With little to do a core may well have done nothing. */
static void test_idle_core(void **state) {
    struct test *t = *state;
    silence(t, 1);
    pan_block(&t->s, PAN_CSHW, 0)->c[32] = 9000000;
    derive(t, MS100, HZ500M);
    is(t, M(SHADER_BUSY), 1, 0);
    is_no_value(t, M(FRAGMENT_SHARE), 1, STATE_UNKNOWN);
    is(t, M(SHADER_BUSY), INDEX_NONE, 621481); /* 83.9 M over three */
}

static void test_sparse_cores(void **state) {
    static const unsigned numbers[] = {0, 2, 4, 6, 16, 20, 24};
    struct test *t = *state;
    t->d.blocks[PAN_SHADER] = 7;
    t->g.shader_present = 0x1110055;
    pan_begin(&t->s, &t->d, 1000, 5);
    pan_block(&t->s, PAN_CSHW, 0)->c[4] = 1000000;
    for (unsigned i = 0; i < 7; i++)
        pan_block(&t->s, PAN_SHADER, i)->c[53] = 100000 * i;
    derive(t, MS100, HZ500M);
    for (unsigned i = 0; i < 7; i++)
        is(t, M(SHADER_BUSY), numbers[i], 100000 * i);
    is(t, M(SHADER_BUSY), INDEX_NONE, 300000);
    t->s.blocks[t->s.count - 2].type = 0; /* the one of core 20 */
    derive(t, MS100, HZ500M);
    is(t, M(SHADER_BUSY), 24, 600000);
    is(t, M(SHADER_BUSY), INDEX_NONE, 266667); /* 1.6 M over six */
    t->g.shader_present = 0x55;                /* of fewer cores than there are */
    derive(t, MS100, HZ500M);
    is(t, M(SHADER_BUSY), 6, 600000);
    t->g.shader_present = 0;
    derive(t, MS100, HZ500M);
    is(t, M(SHADER_BUSY), 4, 400000);
}

/* As many cores as there can be, and every count as large as it can be. */
static void test_most(void **state) {
    struct test *t = *state;
    t->d = (struct pan_device){128, {0, 8, 8, 8, 8, 64}};
    t->g =
        (struct panthor_gpu){.table = PANTHOR_E, .beat_bytes = 512, .shader_present = UINT64_MAX};
    pan_begin(&t->s, &t->d, 1000, 5);
    for (unsigned i = 0; i < t->s.count; i++)
        memset(t->s.blocks[i].c, 0xff, sizeof t->s.blocks[i].c);
    derive(t, 1, 1);
    assert_int_equal(t->n, 16 + 4 * 64);
    assert_true(find(t, M(READ_BANDWIDTH), INDEX_NONE)->value == INT64_MAX);
    derive(t, INT64_MAX, UINT64_MAX);
    is(t, M(FRAGMENT_SHARE), 63, 1000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_worked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_caches_and_stalls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tables, set_up, tear_down),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_facts),
        cmocka_unit_test_setup_teardown(test_no_interval, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_delivered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_few_counters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_gpu, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clamped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_silent_core, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idle_core, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sparse_cores, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_most, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
