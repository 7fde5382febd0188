/* Signals to real children: those that are meant get them, those that only have the number do not. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/kill.h"
#include "gwtop/core.h"

static uint64_t start_of(pid_t pid) {
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    assert_true(n > 0);
    struct proc_stat stat;
    assert_int_equal(proc_stat_read((struct span){text, (size_t)n}, &stat), ERR_OK);
    return stat.start_ticks.value;
}

/* A child that waits until a signal ends it. */
static struct ui_target child(void) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return (struct ui_target){.pid = pid, .start = start_of(pid)};
}

/* The signal that ended it; 0 while it lives. */
static int ended_by(const struct ui_target *t, bool wait) {
    int status = 0;
    pid_t got = waitpid(t->pid, &status, wait ? 0 : WNOHANG);
    assert_true(got >= 0);
    return got == t->pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void end(const struct ui_target *t) {
    (void)kill(t->pid, SIGKILL);
    assert_int_equal(ended_by(t, true), SIGKILL);
}

/* Sends and compares what is said; `PID` in the text stands for the first target's number. */
static bool sends(const struct ui_target *t, uint32_t n, int signal, const char *text) {
    struct buf said;
    char pid[16], wanted[256];
    bool bad = false;
    const char *at = strstr(text, "PID");
    buf_init(&said);
    kill_targets(t, n, signal, &said, &bad);
    buf_char(&said, '\0');
    snprintf(pid, sizeof pid, "%d", (int)t->pid);
    snprintf(wanted, sizeof wanted, "%.*s%s%s", at ? (int)(at - text) : (int)strlen(text), text,
             at ? pid : "", at ? at + 3 : "");
    assert_string_equal(said.p, wanted);
    buf_finish(&said);
    return !bad;
}

static void the_one_that_is_meant(void **state) {
    static const int all[] = {SIGTERM, SIGHUP, SIGKILL, SIGUSR1};
    static const char *const said[] = {"SIGTERM sent to PID", "SIGHUP sent to PID",
                                       "SIGKILL sent to PID", "SIGUSR1 sent to PID"};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct ui_target t = child();
        assert_true(sends(&t, 1, all[i], said[i]));
        assert_int_equal(ended_by(&t, true), all[i]);
    }
}

/* The same number with another start is somebody else. */
static void a_later_one_of_the_number_lives_on(void **state) {
    struct ui_target t = child();
    (void)state;
    for (int by = -1; by <= 1; by += 2) {
        struct ui_target other = {.pid = t.pid, .start = t.start + (uint64_t)by};
        assert_false(sends(&other, 1, SIGKILL, "SIGKILL not sent: PID ended meanwhile"));
    }
    assert_int_equal(ended_by(&t, false), 0);
    end(&t);
}

static void one_that_ended(void **state) {
    struct ui_target t = child();
    (void)state;
    (void)kill(t.pid, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)t.pid, &info, WEXITED | WNOWAIT), 0);
    /* Nobody waited for it yet: its number is not free. */
    assert_false(sends(&t, 1, SIGTERM, "SIGTERM not sent: PID ended meanwhile"));
    assert_int_equal(ended_by(&t, true), SIGKILL);
    assert_false(sends(&t, 1, SIGTERM, "SIGTERM not sent: PID ended meanwhile"));
}

/* kill() takes 0 and negative numbers for groups of processes, this test's too. */
static void no_groups(void **state) {
    static const int32_t pids[] = {0, -1, INT32_MIN};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct ui_target t = {.pid = pids[i], .start = 5};
        assert_false(sends(&t, 1, SIGTERM, "SIGTERM not sent: PID ended meanwhile"));
    }
    struct ui_target t = child();
    uint64_t start = t.start;
    t.start = 0;
    assert_false(sends(&t, 1, SIGTERM, "SIGTERM not sent: PID ended meanwhile"));
    t.start = start;
    end(&t);
}

static void several(void **state) {
    struct ui_target t[3] = {child(), child(), child()};
    (void)state;
    t[1].start++;
    assert_false(sends(t, 3, SIGTERM, "SIGTERM: 2 sent, 1 ended meanwhile"));
    assert_int_equal(ended_by(&t[0], true), SIGTERM);
    assert_int_equal(ended_by(&t[2], true), SIGTERM);
    assert_int_equal(ended_by(&t[1], false), 0);
    end(&t[1]);
}

static void a_number_that_is_no_signal(void **state) {
    struct ui_target t = child();
    struct buf said;
    bool bad = false;
    (void)state;
    buf_init(&said);
    kill_targets(&t, 1, 999, &said, &bad);
    assert_true(bad);
    assert_true(span_starts(buf_span_of(&said), "signal 999 not sent: "));
    buf_finish(&said);
    assert_int_equal(ended_by(&t, false), 0);
    end(&t);
}

static bool ends(struct span s, const char *with) {
    size_t n = strlen(with);
    return s.n >= n && memcmp(s.p + s.n - n, with, n) == 0;
}

/* In a child without rights: pid 1 is not its own. 0: as it should be. */
static void one_of_somebody_else(void **state) {
    (void)state;
    if (geteuid() != 0 || access("/proc/1/stat", R_OK) != 0)
        skip();
    struct ui_target t = child();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct buf said;
        bool bad = false;
        buf_init(&said);
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(3);
        kill_targets(&t, 1, SIGTERM, &said, &bad);
        bool right = bad && ends(buf_span_of(&said), ": not permitted");
        buf_finish(&said);
        _exit(right ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(ended_by(&t, false), 0);
    end(&t);
}

/* pidfd_open answers `error` from here on. */
static bool without_descriptors(int error) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void an_old_kernel(void **state) {
    static const int errors[] = {ENOSYS, EPERM};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct ui_target t[2] = {child(), child()};
        t[1].start++;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct buf said;
            bool bad = false;
            buf_init(&said);
            if (!without_descriptors(errors[i]))
                _exit(77);
            kill_targets(t, 2, SIGTERM, &said, &bad);
            bool right =
                bad && span_equals(buf_span_of(&said), "SIGTERM: 1 sent, 1 ended meanwhile");
            buf_finish(&said);
            _exit(right ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        bool can = !WIFEXITED(status) || WEXITSTATUS(status) != 77;
        if (can) {
            assert_int_equal(status, 0);
            assert_int_equal(ended_by(&t[0], true), SIGTERM);
            assert_int_equal(ended_by(&t[1], false), 0);
        } else {
            end(&t[0]);
        }
        end(&t[1]);
        if (!can)
            skip();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_that_is_meant),
        cmocka_unit_test(a_later_one_of_the_number_lives_on),
        cmocka_unit_test(one_that_ended),
        cmocka_unit_test(no_groups),
        cmocka_unit_test(several),
        cmocka_unit_test(a_number_that_is_no_signal),
        cmocka_unit_test(one_of_somebody_else),
        cmocka_unit_test(an_old_kernel),
    };
    return cmocka_run_group_tests_name("signals to processes", tests, NULL, NULL);
}
