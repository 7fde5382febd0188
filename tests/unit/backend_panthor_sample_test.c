/* Layouts and samples of the counter ring: sizes, blocks, what is stepped over, and every length that is too short. */
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

struct test {
    struct buf b;
    struct panthor_layout l;
    struct pan_sample s;
    struct panthor_sample out;
    struct counts counts;
};

static int set_up(void **state) {
    *state = calloc(1, sizeof(struct test));
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    struct test *t = *state;
    buf_finish(&t->b);
    free(t);
    return 0;
}

static void put_le32(char *p, uint32_t v) {
    for (unsigned i = 0; i < 4; i++)
        p[i] = (char)(v >> 8 * i & 0xff);
}

static void use_layout(struct test *t, const struct pan_device *d) {
    buf_clear(&t->b);
    pan_info(&t->b, d);
    assert_true(panthor_layout_read(buf_span_of(&t->b), &t->l));
    buf_clear(&t->b);
}

/* From a block of its own, so that a byte read past its end is seen. */
static bool read_bytes(struct test *t, struct span bytes) {
    char *copy = malloc(bytes.n ? bytes.n : 1);
    assert_non_null(copy);
    if (bytes.n > 0)
        memcpy(copy, bytes.p, bytes.n);
    t->counts = (struct counts){0};
    bool ok = panthor_sample_read(&t->l, (struct span){copy, bytes.n}, &t->out, &t->counts);
    free(copy);
    return ok;
}

static void read_sample(struct test *t, const struct pan_device *d) {
    use_layout(t, d);
    pan_put(&t->b, d, &t->s);
    assert_true(read_bytes(t, buf_span_of(&t->b)));
}

/* ---- layouts ----------------------------------------------------------------------------------- */

static void test_layout_worked(void **state) {
    static const char info[] = "\x40\0\0\0\x38\0\0\0\x18\0\0\0\xe0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\x01\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0";
    struct panthor_layout l, back;
    struct buf facts;
    struct span bytes = {info, sizeof info};
    (void)state;
    assert_int_equal(bytes.n, 44);
    assert_true(panthor_layout_read(bytes, &l));
    assert_int_equal(l.counters, 64);
    assert_int_equal(l.sample_size, 3808);
    assert_int_equal(l.blocks[PANTHOR_MEMSYS], 2);
    assert_int_equal(l.blocks[PANTHOR_SHADER], 3);
    assert_int_equal(l.blocks[PANTHOR_FW], 0);
    assert_int_equal(l.blocks[PANTHOR_NONE], 7);
    buf_init(&facts);
    panthor_layout_say(bytes, &facts);
    buf_char(&facts, '\0');
    assert_true(span_starts(span_of(facts.p), "info=4000000038000000"));
    assert_true(panthor_layout_from_facts(facts.p, &back));
    assert_memory_equal(&l, &back, sizeof l);
    facts.p[facts.n - 3] = 'g';
    assert_false(panthor_layout_from_facts(facts.p, &back));
    facts.p[facts.n - 3] = 'x';
    assert_false(panthor_layout_from_facts(facts.p, &back));
    assert_false(panthor_layout_from_facts("", &back));
    assert_false(panthor_layout_from_facts("info=\n", &back));
    buf_finish(&facts);
}

/* One word that is not as any version has it. */
static void test_layout_refused(void **state) {
    static const struct {
        unsigned word;
        uint32_t value;
    } wrong[] = {
        {0, 0},  {0, 63},   {0, 256},         {0, UINT32_MAX}, {1, 64},  {1, 0},       {2, 16},
        {2, 32}, {3, 3807}, {3, 3809},        {3, UINT32_MAX}, {6, 1},   {7, 2},       {8, 0},
        {9, 3},  {10, 2},   {10, UINT32_MAX}, {9, UINT32_MAX}, {10, 65}, {6, 1u << 31}};
    struct test *t = *state;
    struct panthor_layout l;
    char info[64] = {0};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        buf_clear(&t->b);
        pan_info(&t->b, &pan_g710);
        put_le32(t->b.p + 4 * wrong[i].word, wrong[i].value);
        assert_false(panthor_layout_read(buf_span_of(&t->b), &l));
    }
    buf_clear(&t->b);
    pan_info(&t->b, &pan_g710);
    memcpy(info, t->b.p, 44);
    for (size_t n = 0; n < sizeof info; n++)
        assert_int_equal(panthor_layout_read((struct span){info, n}, &l), n == 44);
}

static void test_layout_bounds(void **state) {
    static const struct {
        struct pan_device d;
        bool ok;
    } cases[] = {{{128, {0, 0, 1, 1, 4, 64}}, true}, {{64, {0, 0, 1, 1, 4, 65}}, false},
                 {{64, {0, 8, 8, 8, 8, 64}}, true},  {{64, {0, 8, 8, 8, 9, 64}}, false},
                 {{64, {0, 0, 0, 0, 0, 0}}, false},  {{64, {0, 0, 1, 0, 0, 0}}, true},
                 {{96, {0, 0, 1, 1, 1, 1}}, false},  {{128, {0, 1, 1, 1, 16, 32}}, true}};
    struct test *t = *state;
    struct panthor_layout l;
    for (size_t i = 0; i < COUNT(cases); i++) {
        buf_clear(&t->b);
        pan_info(&t->b, &cases[i].d);
        assert_int_equal(panthor_layout_read(buf_span_of(&t->b), &l), cases[i].ok);
        if (cases[i].ok)
            assert_true(l.sample_size <= PANTHOR_SAMPLE_MAX);
    }
}

/* ---- samples ----------------------------------------------------------------------------------- */

static void test_worked(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    read_sample(t, &pan_g710);
    assert_int_equal(t->b.n, 0xee0);
    assert_true(t->out.start_ns == 1000500000000 && t->out.end_ns == 1000500400000);
    assert_int_equal(t->out.user_data, 7);
    assert_true(t->out.gpu_timestamp == 0x0000000512345678);
    assert_false(t->out.empty);
    assert_int_equal(t->out.delivered[PANTHOR_CSHW], 1);
    assert_int_equal(t->out.delivered[PANTHOR_MEMSYS], 2);
    assert_int_equal(t->out.delivered[PANTHOR_SHADER], 3);
    assert_int_equal(t->out.sum[PANTHOR_MEMSYS][26], 3900000);
    assert_int_equal(t->out.sum[PANTHOR_MEMSYS][32], 6100000);
    assert_int_equal(t->out.sum[PANTHOR_SHADER][53], 126000000);
    assert_true(t->out.core_present == 7);
    assert_int_equal(t->out.core[1][0], 42100000);
    assert_int_equal(t->out.core[2][1], 37900000);
    assert_int_equal(t->out.core[0][2], 9000000);
    assert_int_equal(t->counts.reasons[REASON_BLOCK_TYPE], 0);
}

/* Bytes at the offsets that a person counted. */
static void test_offsets(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    read_sample(t, &pan_g710);
    const unsigned char *p = (const unsigned char *)t->b.p;
    assert_int_equal(p[0x38], PAN_CSHW);
    assert_int_equal(p[0x250], PAN_TILER);
    assert_int_equal(p[0x468], PAN_MEMSYS);
    assert_int_equal(p[0x681], 1);
    assert_int_equal(p[0xcc8], PAN_SHADER);
    assert_int_equal(p[0xcc9], 2);
    assert_int_equal(p[0x70] | p[0x71] << 8 | p[0x72] << 16 | p[0x73] << 24, 45000000);
    assert_int_equal(p[0xe88] | p[0xe89] << 8 | p[0xe8a] << 16 | p[0xe8b] << 24, 41900000);
}

static void test_truncated(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    use_layout(t, &pan_g710);
    pan_put(&t->b, &pan_g710, &t->s);
    for (size_t n = 0; n < t->b.n; n++)
        assert_false(read_bytes(t, (struct span){t->b.p, n}));
    buf_text(&t->b, "more");
    assert_true(read_bytes(t, buf_span_of(&t->b)));
}

static void test_many_counters(void **state) {
    static const struct pan_device d = {128, {0, 1, 1, 1, 4, 10}};
    struct test *t = *state;
    pan_begin(&t->s, &d, 1000, 5);
    for (unsigned i = 0; i < 10; i++)
        pan_block(&t->s, PAN_SHADER, i)->c[127] = i + 1;
    pan_block(&t->s, PAN_CSHW, 0)->c[64] = 77;
    read_sample(t, &d);
    assert_int_equal(t->out.sum[PANTHOR_SHADER][127], 55);
    assert_int_equal(t->out.sum[PANTHOR_CSHW][64], 77);
    assert_int_equal(t->out.delivered[PANTHOR_FW], 1);
    assert_true(t->out.core_present == 0x3ff);
    assert_true(t->out.enabled[PANTHOR_CSHW][1] == UINT64_MAX);
}

/* Cores whose blocks a kernel never fills in: type 0, and anything for a mask. */
static void test_type_zero(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    for (unsigned i = 4; i < 7; i++) {
        t->s.blocks[i].type = 0;
        t->s.blocks[i].mask[0] = UINT64_C(0xdeadbeefcafef00d);
        t->s.blocks[i].c[2] = 0x5a5a5a5a;
    }
    read_sample(t, &pan_g710);
    assert_int_equal(t->out.delivered[PANTHOR_SHADER], 0);
    assert_true(t->out.core_present == 0 && t->out.enabled[PANTHOR_SHADER][0] == 0);
    assert_int_equal(t->out.sum[PANTHOR_SHADER][2], 0);
    assert_int_equal(t->out.sum[PANTHOR_CSHW][4], 45000000);
    assert_int_equal(t->counts.reasons[REASON_BLOCK_TYPE], 3);
    assert_false(t->out.empty);
}

static void test_odd_blocks(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    t->s.blocks[4].index = 3;     /* past the count */
    t->s.blocks[5].type = 6;      /* unknown */
    t->s.blocks[6].index = 255;   /* far past it */
    t->s.blocks[3].index = 0;     /* twice */
    t->s.blocks[1].type = PAN_FW; /* of which there are none */
    read_sample(t, &pan_g710);
    assert_int_equal(t->counts.reasons[REASON_BLOCK_TYPE], 5);
    assert_int_equal(t->out.sum[PANTHOR_MEMSYS][26], 2000000);
    assert_true(t->out.core_present == 0);
    assert_int_equal(t->out.delivered[PANTHOR_FW] + t->out.delivered[PANTHOR_TILER], 0);
}

static void test_masks(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    pan_block(&t->s, PAN_MEMSYS, 0)->mask[0] = UINT64_C(1) << 26 | UINT64_C(1) << 32;
    pan_block(&t->s, PAN_MEMSYS, 1)->mask[0] = UINT64_C(1) << 26 | UINT64_C(1) << 47;
    pan_block(&t->s, PAN_MEMSYS, 1)->mask[1] = UINT64_MAX; /* past the counters */
    read_sample(t, &pan_g710);
    assert_true(t->out.enabled[PANTHOR_MEMSYS][0] == UINT64_C(1) << 26);
    assert_true(t->out.enabled[PANTHOR_MEMSYS][1] == 0);
    assert_int_equal(t->out.sum[PANTHOR_MEMSYS][26], 3900000);
}

static void test_empty(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    for (unsigned i = 0; i < t->s.count; i++)
        memset(t->s.blocks[i].c, 0, sizeof t->s.blocks[i].c);
    read_sample(t, &pan_g710);
    assert_true(t->out.empty);
    pan_worked(&t->s);
    for (unsigned i = 0; i < t->s.count; i++)
        t->s.blocks[i].type = 0;
    read_sample(t, &pan_g710);
    assert_true(t->out.empty);
    assert_int_equal(t->counts.reasons[REASON_BLOCK_TYPE], 7);
}

/* One core without its block is not one that did nothing. */
static void test_block_without_timestamp(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    memset(pan_block(&t->s, PAN_SHADER, 1)->c, 0, sizeof t->s.blocks[0].c);
    memset(pan_block(&t->s, PAN_SHADER, 2)->c + 3, 0, 61 * 8);
    read_sample(t, &pan_g710);
    assert_true(t->out.core_present == 5);
    assert_int_equal(t->out.delivered[PANTHOR_SHADER], 2);
    assert_int_equal(t->counts.reasons[REASON_BLOCK_TYPE], 0);
}

static void test_sums_end(void **state) {
    struct test *t = *state;
    pan_worked(&t->s);
    pan_block(&t->s, PAN_MEMSYS, 0)->c[26] = UINT64_MAX;
    read_sample(t, &pan_g710);
    assert_true(t->out.sum[PANTHOR_MEMSYS][26] == UINT64_MAX);
}

static uint64_t random_of(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void test_random(void **state) {
    static const struct pan_device devices[] = {{64, {0, 0, 1, 1, 2, 3}},
                                                {128, {0, 1, 1, 1, 16, 64}}};
    struct test *t = *state;
    uint64_t seed = 88172645463325252u;
    for (unsigned round = 0; round < 400; round++) {
        const struct pan_device *d = &devices[round % 2];
        use_layout(t, d);
        while (t->b.n < pan_sample_size(d))
            pan_le(&t->b, random_of(&seed) & random_of(&seed), 8);
        for (unsigned i = 0; i < 40; i++) {
            size_t at = 56 + random_of(&seed) % 8 * (24 + 8 * d->counters);
            t->b.p[at] = (char)(random_of(&seed) % 7);
            t->b.p[at + 1] = (char)(random_of(&seed) % 4);
        }
        assert_true(read_bytes(t, buf_span_of(&t->b)));
        for (unsigned type = 0; type < PANTHOR_BLOCKS; type++)
            assert_true(t->out.delivered[type] <= t->l.blocks[type]);
        assert_true(d->blocks[PAN_SHADER] == 64 || t->out.core_present < 8);
    }
}

/* ---- several ----------------------------------------------------------------------------------- */

static void test_add(void **state) {
    struct test *t = *state;
    struct panthor_sample all = {0};
    pan_worked(&t->s);
    read_sample(t, &pan_g710);
    panthor_sample_add(&all, &t->out);
    assert_memory_equal(all.sum, t->out.sum, sizeof all.sum);
    assert_memory_equal(all.enabled, t->out.enabled, sizeof all.enabled);
    t->s.end_ns += 100;
    pan_block(&t->s, PAN_TILER, 0)->type = 0;
    pan_block(&t->s, PAN_CSHW, 0)->mask[0] = ~(UINT64_C(1) << 5);
    read_sample(t, &pan_g710);
    panthor_sample_add(&all, &t->out);
    assert_int_equal(all.sum[PANTHOR_CSHW][4], 90000000);
    assert_int_equal(all.core[2][0], 83800000);
    assert_int_equal(all.delivered[PANTHOR_SHADER], 3);
    assert_true(all.enabled[PANTHOR_TILER][0] == 0);
    assert_true(all.enabled[PANTHOR_CSHW][0] == ~(UINT64_C(1) << 5));
    assert_true(all.end_ns == t->s.end_ns);
}

static void test_interval(void **state) {
    const struct panthor_gpu g = {.timestamp_hz = 24000000}, none = {0};
    const struct panthor_sample a = {.end_ns = 1000, .gpu_timestamp = 2400000},
                                b = {.end_ns = 2000, .gpu_timestamp = 4800000},
                                untold = {.end_ns = 3000};
    (void)state;
    assert_int_equal(panthor_interval_ns(&g, &a, &b), 100000000);
    assert_int_equal(panthor_interval_ns(&none, &a, &b), 1000);
    assert_int_equal(panthor_interval_ns(&g, &b, &untold), 1000);
    assert_int_equal(panthor_interval_ns(&g, &untold, &a), 0);
    assert_int_equal(panthor_interval_ns(&g, &b, &a), 0);
    assert_int_equal(panthor_interval_ns(&g, &a, &a), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout_worked),
        cmocka_unit_test_setup_teardown(test_layout_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_layout_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_worked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_offsets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_truncated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_counters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_type_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_masks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_block_without_timestamp, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sums_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_add, set_up, tear_down),
        cmocka_unit_test(test_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
