/* A crash puts back what was turned, and ends as it would have. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

/* ---- calls and waiting ----------------------------------------------------------------------- */

/* What the child's waits were asked for. Its poll is ours: nothing comes, and the time is over at once. */
struct waits {
    unsigned count;
    int ms[4];
};
static struct waits *waits;

int poll(struct pollfd *fds, nfds_t n, int ms) {
    struct timespec t = {0, 0};
    int ready = ppoll(fds, n, waits ? &t : NULL, NULL);
    if (waits && ready <= 0)
        waits->ms[waits->count++ % 4] = ms;
    return ready;
}

/* A child that arms what `arm` arms, and dies; what it waited for. */
static struct waits die(bool (*arm)(const int *fds), const int *fds) {
    int status;
    waits = mmap(NULL, sizeof *waits, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(waits, MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (arm(fds))
            abort();
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    struct waits was = *waits;
    munmap(waits, sizeof *waits);
    waits = NULL;
    return was;
}

static void assert_waited(struct waits was, unsigned count, int ms) {
    assert_int_equal(was.count, count);
    assert_int_equal(was.ms[0], ms);
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
    assert_waited(die(arm_wait_short, fds), 1, 200);
    assert_true(does_not_block(fds[0]));
    assert_waited(die(arm_wait_long, fds), 1, 1000);
    close(fds[0]);
    close(fds[1]);
}

static void wait_ends_when_something_comes(void **state) {
    int fds[2];
    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_waited(die(arm_wait_long, fds), 0, 0);
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
    assert_waited(die(arm_two_waits, fds), 1, 200);
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
