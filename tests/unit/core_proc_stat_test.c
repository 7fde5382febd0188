/* /proc/PID/stat: fields by proc(5), whatever the name holds and wherever the text ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/core.h"

/* Fields 3 to 25; ppid 7, 150 and 25 ticks, start 2000, 300 pages. */
#define REST " S 7 4242 4242 0 -1 4194304 100 0 0 0 150 25 0 0 20 0 1 0 2000 1000000 300 184467"

static void check_all(const struct proc_stat *s, const char *comm) {
    assert_true(span_equals(s->comm, comm));
    assert_int_equal(s->state, 'S');
    assert_int_equal(s->ppid.value, 7);
    assert_int_equal(s->utime_ticks.value, 150);
    assert_int_equal(s->stime_ticks.value, 25);
    assert_int_equal(s->start_ticks.value, 2000);
    assert_int_equal(s->rss_pages.value, 300);
}

static void test_fields(void **state) {
    struct proc_stat s;
    (void)state;
    assert_int_equal(proc_stat_read(span_of("4242 (game)" REST "\n"), &s), ERR_OK);
    check_all(&s, "game");
}

static void test_names(void **state) {
    static const char *const names[] = {"", " ", ") S 1", "a(b", "((", "))", "x\n9 (y", "(sd-pam)"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct buf b = {0};
        struct buf without = {0};
        struct proc_stat s;
        buf_text(&b, "4242 (");
        buf_text(&b, names[i]);
        buf_text(&b, ")" REST "\n");
        assert_int_equal(proc_stat_read(buf_span_of(&b), &s), ERR_OK);
        check_all(&s, names[i]);
        proc_stat_without_name(buf_span_of(&b), &without);
        assert_true(span_equals(buf_span_of(&without), "4242 ()" REST "\n"));
        buf_finish(&b);
        buf_finish(&without);
    }
}

/* Cut anywhere it says so, and tells only what stood there whole. */
static void test_cut(void **state) {
    static const char text[] = "4242 (game)" REST;
    (void)state;
    for (size_t n = 0; n < sizeof(text) - 8; n++) {
        char *copy = malloc(n ? n : 1);
        struct proc_stat s;
        memcpy(copy, text, n);
        assert_int_equal(proc_stat_read((struct span){copy, n}, &s),
                         n == 0 ? ERR_FORMAT : ERR_TRUNCATED);
        assert_true(s.state == '\0' || s.state == 'S');
        assert_true(s.ppid.err != ERR_OK || s.ppid.value == 7);
        assert_true(s.utime_ticks.err != ERR_OK || s.utime_ticks.value == 150);
        assert_true(s.start_ticks.err != ERR_OK || s.start_ticks.value == 2000);
        assert_true(s.rss_pages.err != ERR_OK);
        free(copy);
    }
}

static void test_other_texts(void **state) {
    static const char *const texts[] = {"\n", "1\n", "1 (a\n", "1 a)\n", ")(\n", "1 (a) S 1 2\n"};
    struct proc_stat s;
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(proc_stat_read(span_of(texts[i]), &s), ERR_FORMAT);
        assert_true(s.start_ticks.err != ERR_OK);
    }
    /* What stands before the end of a short one is told. */
    assert_int_equal(proc_stat_read(span_of("1 (a) Z 1 x\n"), &s), ERR_FORMAT);
    assert_int_equal(s.state, 'Z');
    assert_int_equal(s.ppid.value, 1);
}

/* A number that is none costs its own field. */
static void test_numbers(void **state) {
    struct proc_stat s;
    (void)state;
    assert_int_equal(proc_stat_read(span_of("1 (a) SS -1 1 1 0 -1 0 0 0 0 0 99999999999999999999 x "
                                            "0 0 20 0 1 0 2000 1 300 5\n"),
                                    &s),
                     ERR_OK);
    assert_int_equal(s.state, '\0');
    assert_int_equal(s.ppid.err, ERR_FORMAT);
    assert_int_equal(s.utime_ticks.err, ERR_RANGE);
    assert_int_equal(s.stime_ticks.err, ERR_FORMAT);
    assert_int_equal(s.start_ticks.value, 2000);
    assert_int_equal(s.rss_pages.value, 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_other_texts),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests_name("proc_stat", tests, NULL, NULL);
}
