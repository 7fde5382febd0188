/* The flat map against a model so simple that it can only be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

#define MODEL_KEYS 600

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Key number i; the three shapes are counters, high bits only, and scattered. */
static struct map_key key_of(unsigned shape, uint64_t i) {
    switch (shape) {
    case 0:
        return (struct map_key){0, i};
    case 1:
        return (struct map_key){i << 52, i << 40};
    default:
        return (struct map_key){i * UINT64_C(0x9e3779b97f4a7c15), ~i};
    }
}

/* value[i] is MAP_NONE where key i is absent. */
struct model {
    uint32_t value[MODEL_KEYS];
    uint32_t count;
};

static void model_clear(struct model *model) {
    memset(model->value, 0xff, sizeof model->value);
    model->count = 0;
}

static void model_set(struct model *model, uint64_t i, uint32_t v) {
    model->count += v != MAP_NONE ? 1 : 0;
    model->count -= model->value[i] != MAP_NONE ? 1 : 0;
    model->value[i] = v;
}

static void assert_same(const struct map *m, const struct model *model, unsigned shape) {
    assert_int_equal(m->used, model->count);
    assert_true(m->cap == 0 || (m->cap & (m->cap - 1)) == 0);
    assert_true(m->cap == 0 || m->used + m->dead < m->cap);
    for (uint64_t i = 0; i < MODEL_KEYS; i++) {
        assert_int_equal(map_get(m, key_of(shape, i)), model->value[i]);
    }
}

static void one_step(struct map *m, struct model *model, unsigned shape, uint64_t *seed,
                     uint64_t keys) {
    uint64_t i = next_random(seed) % keys;
    uint64_t what = next_random(seed) % 1000;
    uint32_t v = (uint32_t)next_random(seed) >> 1;
    if (what < 450) {
        assert_int_equal(map_put(m, key_of(shape, i), v), ERR_OK);
        model_set(model, i, v);
    } else if (what < 850) {
        assert_int_equal(map_remove(m, key_of(shape, i)), model->value[i]);
        model_set(model, i, MAP_NONE);
    } else if (what < 999) {
        assert_int_equal(map_get(m, key_of(shape, i)), model->value[i]);
    } else {
        map_clear(m);
        model_clear(model);
    }
}

static void random_operations(void **state) {
    (void)state;
    struct model *model = malloc(sizeof *model);
    assert_non_null(model);
    for (unsigned shape = 0; shape < 3; shape++) {
        struct map m = {0}, copy = {0};
        uint64_t seed = 23 + shape;
        model_clear(model);
        for (int step = 0; step < 120000; step++) {
            /* The number of keys in play swells and shrinks: small tables and large ones. */
            one_step(&m, model, shape, &seed, step / 1000 % 4 == 3 ? MODEL_KEYS : 12);
            assert_int_equal(m.used, model->count);
            if (step % 997 == 0) {
                assert_same(&m, model, shape);
                assert_int_equal(map_copy(&copy, &m), ERR_OK);
                assert_same(&copy, model, shape);
            }
        }
        map_finish(&m);
        map_finish(&copy);
    }
    free(model);
}

static void an_empty_map(void **state) {
    (void)state;
    struct map m = {0};
    assert_int_equal(map_get(&m, (struct map_key){0, 0}), MAP_NONE);
    assert_int_equal(map_remove(&m, (struct map_key){0, 0}), MAP_NONE);
    map_clear(&m);
    assert_int_equal(map_put(&m, (struct map_key){0, 0}, MAP_NONE), ERR_USAGE);
    assert_int_equal(m.used, 0);
    assert_int_equal(map_put(&m, (struct map_key){0, 0}, 0), ERR_OK);
    assert_int_equal(map_get(&m, (struct map_key){0, 0}), 0);
    assert_int_equal(map_get(&m, (struct map_key){1, 0}), MAP_NONE);
    assert_int_equal(map_get(&m, (struct map_key){0, 1}), MAP_NONE);
    assert_int_equal(map_put(&m, (struct map_key){0, 0}, 5), ERR_OK);
    assert_int_equal(m.used, 1);
    assert_int_equal(map_remove(&m, (struct map_key){0, 0}), 5);
    map_finish(&m);
    assert_int_equal(m.cap, 0);
    map_finish(&m);
    map_finish(NULL);
}

/* Keys that come and go for ever at a steady count: no growth, no new memory. */
static void churn_does_not_grow(void **state) {
    (void)state;
    struct map m = {0};
    uint32_t cap = 0;
    struct map_slot *slots = NULL;
    for (uint64_t i = 0; i < 200000; i++) {
        assert_int_equal(map_put(&m, (struct map_key){7, i}, (uint32_t)i), ERR_OK);
        if (i >= 100) {
            assert_int_equal(map_remove(&m, (struct map_key){7, i - 100}), (uint32_t)(i - 100));
        }
        if (i == 5000) {
            cap = m.cap;
            slots = m.slots;
        }
        if (i > 5000) {
            assert_int_equal(m.cap, cap);
            assert_ptr_equal(m.slots, slots);
        }
    }
    assert_int_equal(m.used, 100);
    assert_true(cap <= 512);
    map_finish(&m);
}

static void removing_some_leaves_the_rest(void **state) {
    (void)state;
    for (uint32_t count = 1; count < 400; count += 7) {
        struct map m = {0};
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(map_put(&m, (struct map_key){i, i * 3}, i), ERR_OK);
        }
        for (uint32_t i = 0; i < count; i++) {
            if (i % 3 != 0) {
                assert_int_equal(map_remove(&m, (struct map_key){i, i * 3}), i);
            }
        }
        assert_int_equal(m.used, (count + 2) / 3);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t want = i % 3 == 0 ? i : MAP_NONE;
            assert_int_equal(map_get(&m, (struct map_key){i, i * 3}), want);
        }
        map_finish(&m);
    }
}

static void fill(struct map *m, uint32_t count) {
    map_clear(m);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(map_put(m, (struct map_key){1, i}, i), ERR_OK);
    }
}

/* All pairs of sizes: the copy equals the source, keeps memory that suffices, and is independent. */
static void copies(void **state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 11, 12, 13, 100, 1000};
    struct map from = {0}, to = {0};
    for (size_t a = 0; a < sizeof counts / sizeof counts[0]; a++) {
        for (size_t b = 0; b < sizeof counts / sizeof counts[0]; b++) {
            fill(&from, counts[a]);
            map_finish(&to);
            fill(&to, counts[b]);
            assert_int_equal(map_put(&to, (struct map_key){2, 2}, 2), ERR_OK);
            struct map_slot *slots = to.slots;
            bool suffices = to.cap >= from.cap;
            assert_int_equal(map_copy(&to, &from), ERR_OK);
            assert_true(!suffices || to.slots == slots);
            assert_int_equal(to.used, counts[a]);
            for (uint32_t i = 0; i < counts[a]; i++) {
                assert_int_equal(map_get(&to, (struct map_key){1, i}), i);
            }
            assert_int_equal(map_get(&to, (struct map_key){2, 2}), MAP_NONE);
            if (counts[a] > 0) {
                assert_int_equal(map_remove(&to, (struct map_key){1, 0}), 0);
                assert_int_equal(map_get(&from, (struct map_key){1, 0}), 0);
            }
        }
    }
    fill(&from, 20);
    assert_int_equal(map_copy(&from, &from), ERR_OK);
    assert_int_equal(from.used, 20);
    map_finish(&to);
    struct map empty = {0};
    assert_int_equal(map_copy(&to, &empty), ERR_OK);
    assert_int_equal(to.used, 0);
    map_finish(&from);
}

/* The memory is kept: filling again to the same height allocates nothing. */
static void clear_keeps_the_memory(void **state) {
    (void)state;
    struct map m = {0};
    fill(&m, 1000);
    struct map_slot *slots = m.slots;
    for (int i = 0; i < 10; i++) {
        fill(&m, 1000);
        assert_ptr_equal(m.slots, slots);
    }
    map_finish(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map),
        cmocka_unit_test(random_operations),
        cmocka_unit_test(churn_does_not_grow),
        cmocka_unit_test(removing_some_leaves_the_rest),
        cmocka_unit_test(copies),
        cmocka_unit_test(clear_keeps_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
