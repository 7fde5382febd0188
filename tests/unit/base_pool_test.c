/* Growth of flat arrays and the text pool, up to where memory or 32 bits run out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

/* A request too large for the machine has to come back as NULL under a sanitizer as well. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

struct thing {
    uint64_t a;
    uint32_t b;
};

static void vec_grows(void **state) {
    (void)state;
    struct thing *things = NULL;
    uint32_t cap = 0;
    assert_int_equal(vec_reserve((void **)&things, &cap, 0, sizeof *things), ERR_OK);
    assert_null(things);
    for (uint32_t n = 0; n < 5000; n++) {
        uint32_t before = cap;
        assert_int_equal(vec_reserve((void **)&things, &cap, n + 1, sizeof *things), ERR_OK);
        assert_true(cap > n);
        assert_true(cap == before || cap >= before * 2);
        assert_int_equal(things[n].a, 0);
        assert_int_equal(things[cap - 1].b, 0);
        things[n] = (struct thing){n, n};
    }
    for (uint32_t n = 0; n < 5000; n++) {
        assert_int_equal(things[n].a, n);
    }
    struct thing *kept = things;
    assert_int_equal(vec_reserve((void **)&things, &cap, 10, sizeof *things), ERR_OK);
    assert_ptr_equal(things, kept);
    assert_int_equal(vec_reserve((void **)&things, &cap, 100000, sizeof *things), ERR_OK);
    assert_true(cap >= 100000);
    free(things);
}

static void vec_fails_whole(void **state) {
    (void)state;
    static const size_t sizes[] = {SIZE_MAX,        SIZE_MAX / 2,    SIZE_MAX / 3,
                                   (size_t)1 << 40, (size_t)1 << 30, 0};
    uint64_t *items = NULL;
    uint32_t cap = 0;
    assert_int_equal(vec_reserve((void **)&items, &cap, 4, sizeof *items), ERR_OK);
    items[0] = 42;
    uint64_t *kept = items;
    uint32_t had = cap;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(vec_reserve((void **)&items, &cap, UINT32_MAX, sizes[i]), ERR_NOMEM);
        assert_ptr_equal(items, kept);
        assert_int_equal(cap, had);
        assert_int_equal(items[0], 42);
    }
    free(items);
}

static void assert_text(const struct text_pool *p, struct text_ref r, const char *want) {
    struct span s = pool_get(p, r);
    assert_int_equal(s.n, strlen(want));
    assert_memory_equal(s.p, want, s.n);
}

static void pool_keeps_texts(void **state) {
    (void)state;
    struct text_pool p = {0};
    struct text_ref refs[1000], r;
    char text[32];
    assert_text(&p, (struct text_ref){0, 0}, "");
    for (unsigned i = 0; i < 1000; i++) {
        memset(text, 'a' + (int)(i % 26), sizeof text);
        assert_int_equal(pool_add(&p, (struct span){text, i % 32}, &refs[i]), ERR_OK);
    }
    for (unsigned i = 0; i < 1000; i++) {
        struct span s = pool_get(&p, refs[i]);
        assert_int_equal(s.n, i % 32);
        for (size_t k = 0; k < s.n; k++) {
            assert_int_equal(s.p[k], 'a' + (int)(i % 26));
        }
    }
    assert_int_equal(pool_add(&p, (struct span){NULL, 0}, &r), ERR_OK);
    assert_int_equal(r.at, 0);
    assert_int_equal(r.len, 0);
    char *block = p.p;
    pool_clear(&p);
    assert_ptr_equal(p.p, block);
    assert_int_equal(pool_add(&p, span_of("again"), &r), ERR_OK);
    assert_text(&p, r, "again");
    pool_finish(&p);
    pool_finish(&p);
    pool_finish(NULL);
}

static void a_text_of_the_pool_is_added_again(void **state) {
    (void)state;
    struct text_pool p = {0};
    struct text_ref r;
    assert_int_equal(pool_add(&p, span_of("seven77"), &r), ERR_OK);
    for (int i = 0; i < 1000; i++) {
        struct text_ref next;
        assert_int_equal(pool_add(&p, pool_get(&p, r), &next), ERR_OK);
        assert_text(&p, next, "seven77");
        r = next;
    }
    pool_finish(&p);
}

static void foreign_references_are_empty(void **state) {
    (void)state;
    struct text_pool p = {0};
    struct text_ref r;
    assert_int_equal(pool_add(&p, span_of("abcdef"), &r), ERR_OK);
    assert_text(&p, (struct text_ref){2, 4}, "cdef");
    assert_text(&p, (struct text_ref){2, 5}, "");
    assert_text(&p, (struct text_ref){6, 0}, "");
    assert_text(&p, (struct text_ref){6, 1}, "");
    assert_text(&p, (struct text_ref){UINT32_MAX, 1}, "");
    assert_text(&p, (struct text_ref){1, UINT32_MAX}, "");
    assert_text(&p, (struct text_ref){UINT32_MAX, UINT32_MAX}, "");
    pool_finish(&p);
}

static void a_full_pool_says_so(void **state) {
    (void)state;
    struct text_pool p = {0};
    struct text_ref r;
    assert_int_equal(pool_add(&p, span_of("abc"), &r), ERR_OK);
    r = (struct text_ref){9, 9};
    /* The length is refused before a byte of the text is looked at. */
    assert_int_equal(pool_add(&p, (struct span){"x", UINT32_MAX}, &r), ERR_NOMEM);
    assert_int_equal(r.at, 0);
    assert_int_equal(r.len, 0);
    assert_int_equal(pool_add(&p, (struct span){"x", SIZE_MAX}, &r), ERR_NOMEM);
    assert_int_equal(p.n, 3);
    pool_finish(&p);
}

static void copies(void **state) {
    (void)state;
    struct text_pool a = {0}, b = {0};
    struct text_ref r, other;
    assert_int_equal(pool_copy(&b, &a), ERR_OK);
    assert_int_equal(b.n, 0);
    assert_int_equal(pool_add(&a, span_of("first"), &other), ERR_OK);
    assert_int_equal(pool_add(&a, span_of("second"), &r), ERR_OK);
    assert_int_equal(pool_copy(&b, &a), ERR_OK);
    assert_text(&b, r, "second");
    char *block = b.p;
    assert_int_equal(pool_copy(&b, &a), ERR_OK);
    assert_ptr_equal(b.p, block);
    assert_true(b.p != a.p);
    pool_clear(&a);
    assert_text(&b, other, "first");
    assert_int_equal(pool_copy(&b, &b), ERR_OK);
    assert_text(&b, other, "first");
    assert_int_equal(pool_copy(&b, &a), ERR_OK);
    assert_int_equal(b.n, 0);
    pool_finish(&a);
    pool_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_grows),
        cmocka_unit_test(vec_fails_whole),
        cmocka_unit_test(pool_keeps_texts),
        cmocka_unit_test(a_text_of_the_pool_is_added_again),
        cmocka_unit_test(foreign_references_are_empty),
        cmocka_unit_test(a_full_pool_says_so),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
