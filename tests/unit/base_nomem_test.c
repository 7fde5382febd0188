/* What stands when memory runs out: every container keeps what it had and says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gwtop/base.h"

#define MIB (UINT64_C(1) << 20)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif
#ifndef HAS_OWN_ALLOCATOR
#define HAS_OWN_ALLOCATOR 0
#endif

/* Lets this process have 24 MiB more than it has now. A sanitizer's allocator ends the process
 * instead of giving NULL, so these laws are checked without one. */
static int limit_memory(void **state) {
    (void)state;
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (HAS_OWN_ALLOCATOR || !f || fscanf(f, "%lu", &pages) != 1) {
        if (f) {
            fclose(f);
        }
        return 0;
    }
    fclose(f);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + 24 * MIB;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    return 0;
}

static int lift_limit(void **state) {
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    return 0;
}

static void skip_where_memory_is_unlimited(void) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    if (limit.rlim_cur == limit.rlim_max) {
        skip();
    }
}

static void map_keeps_its_entries(void **state) {
    (void)state;
    skip_where_memory_is_unlimited();
    struct map m = {0}, copy = {0};
    uint32_t n = 0;
    enum err e;
    while ((e = map_put(&m, (struct map_key){n, n}, n)) == ERR_OK && n < 4 * MIB) {
        n++;
    }
    assert_int_equal(e, ERR_NOMEM);
    assert_int_equal(m.used, n);
    assert_int_equal(map_get(&m, (struct map_key){n, n}), MAP_NONE);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(map_get(&m, (struct map_key){i, i}), i);
    }
    /* Known keys, and a place made free, need no memory. */
    assert_int_equal(map_put(&m, (struct map_key){0, 0}, 7), ERR_OK);
    assert_int_equal(map_remove(&m, (struct map_key){1, 1}), 1);
    void *rest = malloc(8 * MIB);
    assert_int_equal(map_put(&copy, (struct map_key){3, 3}, 3), ERR_OK);
    if (map_copy(&copy, &m) != ERR_OK) {
        assert_int_equal(copy.used, 1);
        assert_int_equal(map_get(&copy, (struct map_key){3, 3}), 3);
    }
    free(rest);
    map_finish(&m);
    map_finish(&copy);
}

static void vec_keeps_its_items(void **state) {
    (void)state;
    skip_where_memory_is_unlimited();
    uint64_t *items = NULL;
    uint32_t cap = 0, n = 0;
    enum err e;
    while ((e = vec_reserve((void **)&items, &cap, n + 1, sizeof *items)) == ERR_OK &&
           n < 64 * MIB) {
        items[n] = n;
        n++;
    }
    assert_int_equal(e, ERR_NOMEM);
    assert_int_equal(cap, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(items[i], i);
    }
    free(items);
}

static void pool_keeps_its_texts(void **state) {
    (void)state;
    skip_where_memory_is_unlimited();
    static const char text[] = "sixteen letters.";
    struct text_pool p = {0}, copy = {0};
    struct text_ref r, last = {0, 0};
    enum err e;
    while ((e = pool_add(&p, span_of(text), &r)) == ERR_OK && p.n < 512 * MIB) {
        last = r;
    }
    assert_int_equal(e, ERR_NOMEM);
    assert_int_equal(r.len, 0);
    assert_true(span_equals(pool_get(&p, last), text));
    assert_true(span_equals(pool_get(&p, (struct text_ref){0, 16}), text));
    assert_int_equal(pool_add(&copy, span_of("mine"), &r), ERR_OK);
    void *rest = malloc(16 * MIB);
    if (pool_copy(&copy, &p) != ERR_OK) {
        assert_true(span_equals(pool_get(&copy, r), "mine"));
    }
    free(rest);
    pool_finish(&p);
    pool_finish(&copy);
}

static void buf_keeps_its_bytes(void **state) {
    (void)state;
    skip_where_memory_is_unlimited();
    struct buf b = {0};
    while (!b.failed && b.n < 512 * MIB) {
        buf_text(&b, "sixteen letters.");
    }
    assert_true(b.failed);
    size_t n = b.n;
    assert_int_equal(n % 16, 0);
    buf_char(&b, 'x');
    assert_int_equal(b.n, n);
    assert_memory_equal(b.p + n - 16, "sixteen letters.", 16);
    buf_clear(&b);
    buf_text(&b, "after");
    assert_false(b.failed);
    assert_true(span_equals(buf_span_of(&b), "after"));
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_keeps_its_entries),
        cmocka_unit_test(vec_keeps_its_items),
        cmocka_unit_test(pool_keeps_its_texts),
        cmocka_unit_test(buf_keeps_its_bytes),
    };
    return cmocka_run_group_tests(tests, limit_memory, lift_limit);
}
