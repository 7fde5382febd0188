/* A crash puts back what was turned, and ends as it would have. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
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

/* ---- calls and waiting ----------------------------------------------------------------------- */

/* A child that arms what `arm` arms, and dies; how long that took. */
static int64_t die(bool (*arm)(const int *fds), const int *fds) {
    struct timespec from;
    struct timespec to;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (arm(fds))
            abort();
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    return (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
}

/* FIONBIO sets a flag of the open file, which the parent sees. */
static bool arm_on(const int *fds) {
    int on = 1;
    int step = undo_arm_ioctl(fds[0], FIONBIO, &on, sizeof(on));
    on = 0; /* a copy was kept */
    return step >= 0;
}

static bool arm_off_then_on(const int *fds) {
    int off = 0;
    return undo_arm_ioctl(fds[0], FIONBIO, &off, sizeof(off)) >= 0 && arm_on(fds);
}

/* The free place in front is taken by what is armed last. */
static bool arm_in_a_gap(const int *fds) {
    int off = 0;
    int first = undo_arm(fds[1], "x", 1);
    int on_first = undo_arm_ioctl(fds[0], FIONBIO, &off, sizeof(off));
    undo_disarm(first);
    return on_first >= 0 && arm_on(fds);
}

static bool does_not_block(int fd) {
    return (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
}

static void call_is_made_with_a_copy(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe(fds), 0);
    die(arm_on, fds);
    assert_true(does_not_block(fds[0]));
    close(fds[0]);
    close(fds[1]);
}

static void last_armed_comes_first(void **state) {
    static bool (*const arms[])(const int *) = {arm_off_then_on, arm_in_a_gap};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int fds[2];
        assert_int_equal(pipe(fds), 0);
        assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
        die(arms[i], fds);
        assert_false(does_not_block(fds[0]));
        close(fds[0]);
        close(fds[1]);
    }
}

/* A call without argument: TIOCEXCL and its like. That of a pipe fails, and the others are made. */
static bool arm_failing(const int *fds) {
    return arm_on(fds) && undo_arm_ioctl(fds[0], TIOCNXCL, NULL, 0) >= 0 &&
           undo_arm(-1, "x", 1) >= 0 && undo_arm_wait(-1, 1000) >= 0;
}

static void what_fails_stops_nothing(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe(fds), 0);
    die(arm_failing, fds);
    assert_true(does_not_block(fds[0]));
    close(fds[0]);
    close(fds[1]);
}

static bool arm_wait_short(const int *fds) {
    return arm_on(fds) && undo_arm_wait(fds[0], INT64_C(200000000)) >= 0;
}

static bool arm_wait_long(const int *fds) {
    return arm_on(fds) && undo_arm_wait(fds[0], INT64_MAX) >= 0;
}

/* Nothing comes: what was armed before is done when the time is over, a second at most. */
static void wait_ends(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_in_range(die(arm_wait_short, fds), 200000000, 900000000);
    assert_true(does_not_block(fds[0]));
    assert_in_range(die(arm_wait_long, fds), 1000000000, 1900000000);
    close(fds[0]);
    close(fds[1]);
}

static void wait_ends_when_something_comes(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_in_range(die(arm_wait_long, fds), 0, 900000000);
    assert_true(does_not_block(fds[0]));
    close(fds[0]);
    close(fds[1]);
}

/* What one wait read the next does not find. */
static bool arm_two_waits(const int *fds) {
    return arm_on(fds) && undo_arm_wait(fds[0], INT64_C(200000000)) >= 0 &&
           undo_arm_wait(fds[0], INT64_MAX) >= 0;
}

static void a_second_wait_is_for_what_comes_after(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    assert_int_equal(write(fds[1], "12345678", 8), 8);
    assert_in_range(die(arm_two_waits, fds), 200000000, 900000000);
    close(fds[0]);
    close(fds[1]);
}

/* In a child: what is armed stays so. */
static bool arm_too_much(const int *fds) {
    char bytes[UNDO_BYTES + 1] = {0};
    if (undo_arm(fds[0], bytes, sizeof(bytes)) != -1 ||
        undo_arm_ioctl(fds[0], 0, bytes, sizeof(bytes)) != -1)
        return false;
    for (int i = 0; i < UNDO_STEPS; i++)
        if (undo_arm_ioctl(fds[0], 0, bytes, UNDO_BYTES) < 0)
            return false;
    if (undo_arm_wait(fds[0], 0) != -1)
        return false;
    undo_disarm(7);
    return undo_arm_wait(fds[0], -5) == 7;
}

static void steps_are_bounded(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe(fds), 0);
    die(arm_too_much, fds);
    close(fds[0]);
    close(fds[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_crash_puts_back),
        cmocka_unit_test(what_is_disarmed_stays),
        cmocka_unit_test(call_is_made_with_a_copy),
        cmocka_unit_test(last_armed_comes_first),
        cmocka_unit_test(what_fails_stops_nothing),
        cmocka_unit_test(wait_ends),
        cmocka_unit_test(a_second_wait_is_for_what_comes_after),
        cmocka_unit_test(wait_ends_when_something_comes),
        cmocka_unit_test(steps_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
