/* Root's right to signal anybody: there while a signal is sent, and only where keys may send one. */
#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/fence.h"
#include "gwtop/source.h"

enum { NOBODY = 65534 };

/* In a child: 0 for fine. */
static int signal_other(pid_t other) {
    fence_up(FENCE_MACHINE | FENCE_SIGNALS);
    if (kill(other, 0) == 0 || errno != EPERM)
        return 1;
    if (!rights_raise(false) || kill(other, 0) != 0)
        return 2;
    rights_lower();
    return kill(other, 0) != 0 && errno == EPERM ? 0 : 3;
}

static int signal_nobody(pid_t other) {
    fence_up(FENCE_MACHINE);
    (void)rights_raise(true);
    return kill(other, 0) != 0 && errno == EPERM ? 0 : 1;
}

static pid_t start_other(void) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t other = fork();
    if (other == 0) {
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0 || write(ends[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return other;
}

static int with_other(int (*run)(pid_t other)) {
    int status = 0;
    pid_t other = start_other();
    pid_t pid = fork();
    if (pid == 0)
        _exit(run(other));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(other, NULL, 0), other);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static bool is_root(void) {
    return geteuid() == 0 && host_has_capability(CAP_KILL);
}

static void root_signals_others(void **state) {
    (void)state;
    if (!is_root())
        skip();
    assert_int_equal(with_other(signal_other), 0);
}

static void without_keys_nobody_is_signalled(void **state) {
    (void)state;
    if (!is_root())
        skip();
    assert_int_equal(with_other(signal_nobody), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_signals_others),
        cmocka_unit_test(without_keys_nobody_is_signalled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
