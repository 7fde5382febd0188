/* Laws of errors: every code has a word, details are cut at a code point and safe to show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gwtop/base.h"

static void every_code_has_a_word(void **state) {
    (void)state;
    assert_string_equal(err_text(ERR_OK), "no error");
    assert_string_equal(err_text(ERR_END), "end of input");
    for (unsigned i = 0; i < ERR_COUNT; i++) {
        assert_non_null(err_text((enum err)i));
        assert_true(strlen(err_text((enum err)i)) > 0);
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(err_text((enum err)i), err_text((enum err)k));
        }
    }
    assert_non_null(err_text(ERR_COUNT));
    assert_non_null(err_text((enum err) - 1));
    assert_non_null(err_text((enum err)INT32_MAX));
}

static void set_fills_and_returns(void **state) {
    (void)state;
    struct err_info info;
    memset(&info, 0xff, sizeof info);
    assert_int_equal(err_set(&info, ERR_ACCESS, EACCES, "cannot open", "/dev/dri/card0"),
                     ERR_ACCESS);
    assert_int_equal(info.code, ERR_ACCESS);
    assert_int_equal(info.sys, EACCES);
    assert_string_equal(info.text, "cannot open: /dev/dri/card0");
    assert_int_equal(err_set(&info, ERR_IO, 0, "short", NULL), ERR_IO);
    assert_string_equal(info.text, "short");
    assert_int_equal(err_set(NULL, ERR_END, 0, "x", "y"), ERR_END);
    err_set(&info, ERR_IO, 0, NULL, NULL);
    assert_string_equal(info.text, "");
}

static void set_cuts_at_a_code_point(void **state) {
    (void)state;
    struct err_info info;
    for (size_t lead = 220; lead < 245; lead++) {
        char subject[600] = "";
        memset(subject, 'a', lead);
        for (size_t i = lead; i + 3 < sizeof subject; i += 3) {
            memcpy(subject + i, "\xe2\x82\xac", 4);
        }
        err_set(&info, ERR_IO, 0, "w", subject);
        size_t n = strlen(info.text);
        assert_true(n < sizeof info.text && n > sizeof info.text - 4);
        assert_true(text_is_clean(span_of(info.text)));
    }
}

static void a_hostile_subject_is_made_safe(void **state) {
    (void)state;
    struct err_info info;
    err_set(&info, ERR_NOENT, 0, "no file", "a\x1b[2Jb\nc\xff");
    assert_string_equal(info.text, "no file: a?[2Jb?c?");
}

static void sys_codes(void **state) {
    (void)state;
    assert_int_equal(err_from_sys(0), ERR_OK);
    assert_int_equal(err_from_sys(ENOENT), ERR_NOENT);
    assert_int_equal(err_from_sys(ESRCH), ERR_GONE);
    assert_int_equal(err_from_sys(ENODEV), ERR_GONE);
    assert_int_equal(err_from_sys(EACCES), ERR_ACCESS);
    assert_int_equal(err_from_sys(EPERM), ERR_ACCESS);
    assert_int_equal(err_from_sys(ENOMEM), ERR_NOMEM);
    assert_int_equal(err_from_sys(EAGAIN), ERR_AGAIN);
    assert_int_equal(err_from_sys(ENOSPC), ERR_NOSPACE);
    assert_int_equal(err_from_sys(EPIPE), ERR_CLOSED);
    assert_int_equal(err_from_sys(ENOSYS), ERR_UNSUPPORTED);
    assert_int_equal(err_from_sys(EIO), ERR_IO);
    for (int i = 1; i < 4096; i++) {
        assert_int_not_equal(err_from_sys(i), ERR_OK);
        assert_int_not_equal(err_from_sys(-i), ERR_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_word),
        cmocka_unit_test(set_fills_and_returns),
        cmocka_unit_test(set_cuts_at_a_code_point),
        cmocka_unit_test(a_hostile_subject_is_made_safe),
        cmocka_unit_test(sys_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
