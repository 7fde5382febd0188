/* A crash puts back what was turned, and ends as it would have. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gwtop/source.h"

static int knob(void) {
    FILE *f = tmpfile();
    assert_non_null(f);
    int fd = dup(fileno(f));
    fclose(f);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "0\n", 2, 0), 2);
    return fd;
}

static char crash(int number, bool armed) {
    int fd = knob();
    int status;
    char text[2];
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        int step = undo_arm(fd, "0\n", 2);
        if (!armed)
            undo_disarm(step);
        if (step < 0 || pwrite(fd, "1\n", 2, 0) != 2)
            _exit(9);
        raise(number);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
    assert_int_equal(pread(fd, text, 2, 0), 2);
    close(fd);
    return text[0];
}

static void each_crash_puts_back(void **state) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        assert_int_equal(crash(numbers[i], true), '0');
}

static void what_is_disarmed_stays(void **state) {
    (void)state;
    assert_int_equal(crash(SIGABRT, false), '1');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_crash_puts_back),
        cmocka_unit_test(what_is_disarmed_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
