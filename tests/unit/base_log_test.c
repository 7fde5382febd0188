/* The log ring: order, bounds, safe text, several threads, and the copy to a descriptor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/base.h"

static void assert_line(unsigned back, enum log_level level, const char *text) {
    char out[256];
    enum log_level got;
    assert_true(log_get(back, &got, out, sizeof out));
    assert_int_equal(got, level);
    assert_string_equal(out, text);
}

static void newest_first(void **state) {
    (void)state;
    char out[8];
    enum log_level level;
    assert_int_equal(log_count(), 0);
    assert_false(log_get(0, &level, out, sizeof out));
    log_line(LOG_WARN, "one %d", 1);
    log_line(LOG_DEBUG, "%s", "two");
    assert_int_equal(log_count(), 2);
    assert_line(0, LOG_DEBUG, "two");
    assert_line(1, LOG_WARN, "one 1");
    assert_false(log_get(2, &level, out, sizeof out));
    assert_false(log_get(255, &level, out, sizeof out));
    assert_false(log_get(UINT32_MAX, &level, out, sizeof out));
}

static void the_ring_holds_256(void **state) {
    (void)state;
    char out[8], want[16];
    enum log_level level;
    for (int i = 0; i < 1000; i++) {
        log_line(LOG_INFO, "n%d", i);
    }
    for (unsigned back = 0; back < 256; back++) {
        snprintf(want, sizeof want, "n%u", 999 - back);
        assert_line(back, LOG_INFO, want);
    }
    assert_false(log_get(256, &level, out, sizeof out));
}

static void lines_are_safe_and_short(void **state) {
    (void)state;
    char out[512], longest[201] = "";
    enum log_level level;
    log_line(LOG_ERROR, "a\nb\x1b[0m\xff");
    assert_line(0, LOG_ERROR, "a?b?[0m?");
    memset(longest, 'x', 200);
    log_line(LOG_ERROR, "%s%s", longest, longest);
    assert_line(0, LOG_ERROR, longest);
    for (int lead = 190; lead < 204; lead++) {
        log_line(LOG_INFO, "%.*s\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", lead, longest);
        assert_true(log_get(0, &level, out, sizeof out));
        assert_true(strlen(out) <= 200 && strlen(out) > 197);
        assert_true(text_is_clean(span_of(out)));
    }
    log_line(LOG_INFO, "caf\xc3\xa9");
    char small[5];
    assert_true(log_get(0, &level, small, sizeof small));
    assert_string_equal(small, "caf");
    assert_true(log_get(0, &level, small, 1));
    assert_string_equal(small, "");
    assert_true(log_get(0, &level, NULL, 0));
    log_line(LOG_INFO, "%s", "");
    assert_line(0, LOG_INFO, "");
}

static void errno_is_left_alone(void **state) {
    (void)state;
    log_write_fd(1000000);
    errno = ENOENT;
    log_line(LOG_INFO, "to a descriptor that is not open");
    assert_int_equal(errno, ENOENT);
    log_write_fd(-1);
}

static void later_lines_go_to_the_descriptor(void **state) {
    (void)state;
    int ends[2];
    char got[256];
    assert_int_equal(pipe(ends), 0);
    log_line(LOG_INFO, "before");
    log_write_fd(ends[1]);
    log_line(LOG_INFO, "plain");
    log_line(LOG_ERROR, "bad\nthing");
    log_line(LOG_WARN, "odd");
    log_write_fd(-1);
    log_line(LOG_INFO, "after");
    close(ends[1]);
    ssize_t n = read(ends[0], got, sizeof got - 1);
    assert_true(n > 0);
    got[n] = '\0';
    assert_string_equal(got, "plain\nerror: bad?thing\nwarning: odd\n");
    close(ends[0]);
}

static void *write_many(void *name) {
    for (int i = 0; i < 2000; i++) {
        log_line(LOG_INFO, "%s %s %s", (const char *)name, (const char *)name, (const char *)name);
    }
    return NULL;
}

static void threads_do_not_mix(void **state) {
    (void)state;
    static char names[4][40] = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bb", "cccccccccccccccc", "d"};
    pthread_t threads[4];
    unsigned long before = log_count();
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, names[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(log_count(), before + 8000);
    for (unsigned back = 0; back < 256; back++) {
        char out[256], want[256];
        enum log_level level;
        assert_true(log_get(back, &level, out, sizeof out));
        const char *name = names[out[0] - 'a'];
        snprintf(want, sizeof want, "%s %s %s", name, name, name);
        assert_string_equal(out, want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_first),
        cmocka_unit_test(the_ring_holds_256),
        cmocka_unit_test(lines_are_safe_and_short),
        cmocka_unit_test(errno_is_left_alone),
        cmocka_unit_test(later_lines_go_to_the_descriptor),
        cmocka_unit_test(threads_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
