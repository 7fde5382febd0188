/* Which TERM can be a screen; what is said of one that cannot holds no escape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/term.h"
#include "term/type.h"

static void refuses(const char *name) {
    struct err_info info = {0};
    assert_int_equal(type_check(name, &info), ERR_UNSUPPORTED);
    assert_true(strlen(info.text) > 10);
    assert_true(text_is_clean(span_of(info.text)));
    assert_int_equal(type_check(name, NULL), ERR_UNSUPPORTED);
}

static void unusable(void **state) {
    (void)state;
    refuses(NULL);
    refuses("");
    refuses("dumb");
    refuses("unknown");
    refuses("no-such-terminal");
    refuses("\x1b]0;title\x07");
    refuses("../../../etc/passwd");
    refuses("\xff\xfe");
}

static void usable(void **state) {
    static const char *const names[] = {"xterm", "xterm-256color", "vt100",
                                        "linux", "ansi",           "screen"};
    struct err_info info = {0};
    (void)state;
    if (type_check("xterm", &info) != ERR_OK) {
        skip(); /* no terminfo on this machine */
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(type_check(names[i], &info), ERR_OK);
    }
}

static void nothing_to_close(void **state) {
    (void)state;
    term_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusable),
        cmocka_unit_test(usable),
        cmocka_unit_test(nothing_to_close),
    };
    return cmocka_run_group_tests_name("terminal types", tests, NULL, NULL);
}
