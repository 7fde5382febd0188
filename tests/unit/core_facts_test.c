/* Facts: what is put is got, and what is not there stays so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/core.h"

static void assert_span(struct span s, const char *want) {
    assert_int_equal(s.n, strlen(want));
    assert_memory_equal(s.p, want, s.n);
}

static void get(void **state) {
    (void)state;
    static const char facts[] =
        "slot=0000:03:00.0\nname=a=b\nempty=\nnoise\n=x\nslot=second\nend=1";
    assert_span(facts_get(facts, "slot"), "0000:03:00.0");
    assert_span(facts_get(facts, "name"), "a=b");
    assert_span(facts_get(facts, "empty"), "");
    assert_span(facts_get(facts, "end"), "1");
    assert_span(facts_get(facts, "lot"), "");
    assert_span(facts_get(facts, "slo"), "");
    assert_span(facts_get(facts, "noise"), "");
    assert_span(facts_get("", "slot"), "");
}

static void numbers(void **state) {
    (void)state;
    static const char facts[] = "a=100\nb=0x5d4601\nc=twelve\nd=18446744073709551615\n"
                                "e=18446744073709551616\nf=-1\ng=\nh=0x\n";
    assert_int_equal(facts_u64(facts, "a", 7), 100);
    assert_int_equal(facts_u64(facts, "b", 7), 0x5d4601);
    assert_int_equal(facts_u64(facts, "c", 7), 7);
    assert_true(facts_u64(facts, "d", 7) == UINT64_MAX);
    assert_int_equal(facts_u64(facts, "e", 7), 7);
    assert_int_equal(facts_u64(facts, "f", 7), 7);
    assert_int_equal(facts_u64(facts, "g", 7), 7);
    assert_int_equal(facts_u64(facts, "h", 7), 7);
    assert_int_equal(facts_u64(facts, "z", 7), 7);
}

static void put(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b);
    facts_put(&b, "name", span_of("two\nlines\r"));
    facts_put(&b, "none", span_of(""));
    facts_put_u64(&b, "number", UINT64_MAX);
    facts_put(&b, "last", span_of("x"));
    buf_char(&b, '\0');
    assert_string_equal(b.p, "name=two lines \nnumber=18446744073709551615\nlast=x\n");
    assert_span(facts_get(b.p, "name"), "two lines ");
    assert_true(facts_u64(b.p, "number", 0) == UINT64_MAX);
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(get), cmocka_unit_test(numbers),
                                       cmocka_unit_test(put)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
