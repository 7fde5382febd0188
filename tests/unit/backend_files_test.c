/* Several small files in one frame: what was written is read back, and any bytes are read without harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/files.h"

static struct span text(const char *t) {
    return span_of(t);
}

static void assert_span(struct span s, const char *t) {
    assert_int_equal(s.n, strlen(t));
    assert_memory_equal(s.p, t, s.n);
}

static void reads_what_was_written(void **state) {
    struct buf b;
    struct file_part part;
    (void)state;
    buf_init(&b);
    files_put(&b, text("gpu_busy_percent"), text("37\n"), 0);
    files_put(&b, text("stats_77/cu_occupancy"), (struct span){"a\n\0b\n", 5}, 0);
    files_put(&b, text("empty"), text(""), 0);
    files_put(&b, text("mem_busy_percent"), text("not this"), ENOENT);
    struct cursor c = cursor_over(buf_span_of(&b));
    assert_int_equal(files_next(&c, &part), FILES_PART);
    assert_span(part.name, "gpu_busy_percent");
    assert_span(part.bytes, "37\n");
    assert_int_equal(part.sys, 0);
    assert_int_equal(files_next(&c, &part), FILES_PART);
    assert_span(part.name, "stats_77/cu_occupancy");
    assert_int_equal(part.bytes.n, 5);
    assert_memory_equal(part.bytes.p, "a\n\0b\n", 5);
    assert_int_equal(files_next(&c, &part), FILES_PART);
    assert_span(part.name, "empty");
    assert_int_equal(part.bytes.n, 0);
    assert_int_equal(files_next(&c, &part), FILES_PART);
    assert_span(part.name, "mem_busy_percent");
    assert_int_equal(part.bytes.n, 0);
    assert_int_equal(part.sys, ENOENT);
    assert_int_equal(files_next(&c, &part), FILES_END);
    assert_int_equal(files_next(&c, &part), FILES_END);
    buf_finish(&b);
}

static void looks_as_it_is_told(void **state) {
    struct buf b;
    (void)state;
    buf_init(&b);
    files_put(&b, text("a"), text("1\n"), 0);
    files_put(&b, text("b"), text(""), 13);
    files_put(&b, text("no name"), text("x"), 0);
    files_put(&b, text(""), text("x"), 0);
    assert_span(buf_span_of(&b), "a 2 0\n1\n\nb 0 13\n\n");
    buf_finish(&b);
}

/* The last step over a text, and the files before it. */
static enum files_step last_step(struct span s, unsigned *files) {
    struct cursor c = cursor_over(s);
    struct file_part part;
    enum files_step step;
    *files = 0;
    while ((step = files_next(&c, &part)) == FILES_PART)
        ++*files;
    if (step != FILES_END)
        assert_int_equal(files_next(&c, &part), FILES_END);
    return step;
}

static void every_cut_is_one(void **state) {
    static const char whole[] = "ab 3 0\nxyz\ncd 0 2\n\nef 2 0\n1\n\n";
    const size_t ends[] = {0, 11, 19, sizeof(whole) - 1};
    (void)state;
    for (size_t n = 0; n < sizeof(whole); n++) {
        char *copy = malloc(n + 1);
        unsigned files;
        unsigned expected = 0;
        bool at_end = false;
        memcpy(copy, whole, n);
        for (size_t i = 0; i < 4; i++) {
            at_end = at_end || ends[i] == n;
            expected = ends[i] <= n ? (unsigned)i : expected;
        }
        assert_int_equal(last_step((struct span){copy, n}, &files), at_end ? FILES_END : FILES_CUT);
        assert_int_equal(files, expected);
        free(copy);
    }
}

static void other_forms_are_bad(void **state) {
    static const char *const bad[] = {
        "\n",
        "name\n",
        "name 1\nx\n",
        "name 1 0 0\nx\n",
        "name x 0\nx\n",
        "name 1 x\nx\n",
        "name -1 0\nx\n",
        "name 1 0\nxy\n",
        "name 1 5000\nx\n",
        "name 1 2\nx\n",
        "name 99999999999999999999 0\nx\n",
    };
    unsigned files;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(last_step(text(bad[i]), &files), FILES_BAD);
    assert_int_equal(last_step(text("a 18446744073709551615 0\nx\n"), &files), FILES_CUT);
    assert_int_equal(last_step(text("a 1 0\nx\n??\na 1 0\nx\n"), &files), FILES_BAD);
    assert_int_equal(files, 1);
}

static void a_failed_read_has_its_state(void **state) {
    (void)state;
    assert_int_equal(files_state(ENOENT), STATE_UNSUPPORTED);
    assert_int_equal(files_state(ENODEV), STATE_UNSUPPORTED);
    assert_int_equal(files_state(EOPNOTSUPP), STATE_UNSUPPORTED);
    assert_int_equal(files_state(EACCES), STATE_DENIED);
    assert_int_equal(files_state(EPERM), STATE_DENIED);
    assert_int_equal(files_state(EBUSY), STATE_UNKNOWN);
    assert_int_equal(files_state(EIO), STATE_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(looks_as_it_is_told),
        cmocka_unit_test(every_cut_is_one),
        cmocka_unit_test(other_forms_are_bad),
        cmocka_unit_test(a_failed_read_has_its_state),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
