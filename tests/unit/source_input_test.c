/* Inputs that can be read only once, from writers who never end, never write, or write something else: each is
 * refused in time, and a signal ends the wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framelog.h"
#include "gwtop/source.h"
#include "scratch.h"

enum { TEXT = 0, LOG = 0, LINES = 1, TOO_LATE_S = 60 };

static struct source *opened;

static enum err open_reading(const char *path, struct err_info *info) {
    return file_open(path, &fake_table, FAKE_ALPHA, TEXT, NULL, 0, &opened, info);
}

static enum err open_lines(const char *path, struct err_info *info) {
    return file_open(path, &fake_table, FAKE_BETA, LINES, NULL, 0, &opened, info);
}

static enum err open_trace(const char *path, struct err_info *info) {
    return trace_open(path, &fake_table, &opened, info);
}

static enum err (*const openers[])(const char *path,
                                   struct err_info *info) = {open_reading, open_lines, open_trace};
enum { OPENERS = sizeof openers / sizeof openers[0] };

/* ---- limits ----------------------------------------------------------------------------------- */

static void endless_reading_is_refused(void **state) {
    (void)state;
    struct err_info info = {0};
    alarm(TOO_LATE_S);
    assert_int_equal(open_reading("/dev/zero", &info), ERR_RANGE);
    assert_non_null(strstr(info.text, "16 MiB"));
    assert_int_equal(open_trace("/dev/zero", &info), ERR_FORMAT);
    assert_non_null(strstr(info.text, "not a gwtop trace"));
    alarm(0);
}

/* The writer goes on for ever, or keeps its end open: neither is waited for. */
static void foreign_beginning_is_refused_at_once(void **state) {
    (void)state;
    char path[64];
    static const char *const foreign[] = {"x",
                                          "gwtop-trace one\n",
                                          "gwtop-tracy",
                                          "\x28\xb5\x2f\xfe",
                                          "\x51\x2a\x4d\x19",
                                          "gwtop-trace 1\r\n"};
    alarm(TOO_LATE_S);
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        struct err_info info = {0};
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_true(write(ends[1], foreign[i], strlen(foreign[i])) > 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        assert_int_equal(open_trace(path, &info), ERR_FORMAT);
        assert_non_null(strstr(info.text, "not a gwtop trace"));
        close(ends[0]);
        close(ends[1]);
    }
    alarm(0);
}

/* A beginning that comes byte by byte is one all the same. */
static void slow_writer_is_waited_for(void **state) {
    (void)state;
    static const char text[] = "gwtop-trace 1\n0 begin 1 ok 0 0\n\n0 end 2 ok 0 0\n\n";
    char path[64];
    int ends[2];
    alarm(TOO_LATE_S);
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        for (size_t i = 0; i < sizeof text - 1; i++) {
            usleep(1000);
            if (write(ends[1], text + i, 1) != 1) {
                _exit(1);
            }
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(open_trace(path, NULL), ERR_OK);
    struct trace_extent extent;
    assert_int_equal(trace_scan(opened, &extent, NULL, NULL), ERR_OK);
    assert_int_equal(extent.ticks, 1);
    opened->ops->close(opened);
    close(ends[0]);
    waitpid(writer, NULL, 0);
    alarm(0);
}

/* ---- signals ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void on_signal(int number) {
    handled = number;
}

/* What a child does with its signals before it opens. */
enum manner { BY_DEFAULT, HANDLED, RESTARTED, IGNORED };

static void behave(int number, enum manner manner) {
    struct sigaction act = {.sa_handler = on_signal};
    act.sa_flags = manner == RESTARTED ? SA_RESTART : 0;
    if (manner == BY_DEFAULT || manner == IGNORED) {
        act.sa_handler = manner == IGNORED ? SIG_IGN : SIG_DFL;
    }
    sigaction(number, &act, NULL);
}

/* 42: ended by the signal, which was handled, and said so; 43: with a word that says nothing of it. */
static int open_in_child(enum err (*open_it)(const char *, struct err_info *), const char *path,
                         int number, enum manner manner, int ready) {
    struct err_info info = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    behave(number, manner);
    if (write(ready, "", 1) != 1) {
        return 3;
    }
    if (open_it(path, &info) == ERR_OK) {
        return 1;
    }
    if (handled != number) {
        return 2;
    }
    return info.sys == EINTR && strstr(info.text, "signal") ? 42 : 43;
}

/* Until a child that said with a byte that it opens now waits for something. Of one that did not come so far the signal
 * would be the first thing that happens to it. */
static bool is_waiting(pid_t pid, int ready) {
    char path[64];
    char byte;
    bool asleep = false;
    if (read(ready, &byte, 1) != 1) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    for (int i = 0; i < TOO_LATE_S * 1000 && !asleep; i++) {
        size_t n;
        char *text = file_read(path, &n);
        const char *end = text ? strrchr(text, ')') : NULL;
        asleep = end && strncmp(end, ") S", 3) == 0;
        free(text);
        usleep(asleep ? 0 : 1000);
    }
    return asleep;
}

static pid_t start_opener(enum err (*open_it)(const char *, struct err_info *), const char *path,
                          int number, enum manner manner, int *ready) {
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        _exit(open_in_child(open_it, path, number, manner, ends[1]));
    }
    close(ends[1]);
    *ready = ends[0];
    return pid;
}

/* The child's status after it got the signal. */
static int status_after(enum err (*open_it)(const char *, struct err_info *), const char *path,
                        int number, enum manner manner) {
    int status = -1;
    int ready;
    pid_t pid = start_opener(open_it, path, number, manner, &ready);
    bool waited = is_waiting(pid, ready);
    close(ready);
    if (waited) {
        kill(pid, number);
    }
    for (int i = 0; waited && i < TOO_LATE_S * 200; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid) {
            return status;
        }
        usleep(5000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    fail_msg("signal %d did not end the wait for %s", number, path);
    return status;
}

static void assert_signal_ends(enum err (*open_it)(const char *, struct err_info *),
                               const char *path, int number) {
    int status = status_after(open_it, path, number, HANDLED);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    status = status_after(open_it, path, number, BY_DEFAULT);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
}

static void signal_ends_the_wait_for_a_writer(void **state) {
    (void)state;
    char *dir = scratch_make();
    char *fifo = path_join(dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    /* Nobody has opened it for writing. */
    for (int i = 0; i < OPENERS; i++) {
        assert_signal_ends(openers[i], fifo, SIGTERM);
        assert_signal_ends(openers[i], fifo, SIGINT);
    }
    /* Somebody has, and writes nothing. */
    int writer = open(fifo, O_RDWR | O_CLOEXEC);
    assert_true(writer >= 0);
    for (int i = 0; i < OPENERS; i++) {
        assert_signal_ends(openers[i], fifo, SIGTERM);
        assert_int_equal(WEXITSTATUS(status_after(openers[i], fifo, SIGHUP, RESTARTED)), 42);
    }
    /* A signal of another sort, with a handler that asks for an end. */
    assert_int_equal(WEXITSTATUS(status_after(open_lines, fifo, SIGUSR1, HANDLED)), 42);
    close(writer);
    scratch_remove(dir);
    free(fifo);
}

/* Who writes without end never lets anybody wait: a signal ends it all the same. */
static void signal_ends_an_endless_copy(void **state) {
    (void)state;
    char *dir = scratch_make();
    char *fifo = path_join(dir, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    pid_t writer = fork();
    if (writer == 0) {
        static const char head[] = "gwtop-trace 1\n";
        char block[4096];
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        memset(block, 'y', sizeof block);
        memcpy(block, head, sizeof head - 1);
        for (;;) {
            int fd = open(fifo, O_WRONLY);
            while (write(fd, block, sizeof block) > 0) {
                usleep(100); /* the disk is not what is tested */
            }
            close(fd);
        }
    }
    assert_signal_ends(open_lines, fifo, SIGTERM);
    assert_signal_ends(open_trace, fifo, SIGINT);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    scratch_remove(dir);
    free(fifo);
}

/* One that is ignored ends nothing: the input is taken to its end. */
static void ignored_signal_is_ignored(void **state) {
    (void)state;
    char path[64];
    int ends[2];
    int said[2];
    int status = -1;
    alarm(TOO_LATE_S);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(said), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        behave(SIGHUP, IGNORED);
        bool told = write(said[1], "", 1) == 1;
        _exit(told && open_reading(path, NULL) == ERR_OK ? 42 : 1);
    }
    assert_true(is_waiting(pid, said[0]));
    kill(pid, SIGHUP);
    usleep(100000);
    assert_int_equal(write(ends[1], "a: 1\n", 5), 5);
    close(ends[1]);
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    close(ends[0]);
    close(said[0]);
    close(said[1]);
    alarm(0);
}

/* Signals are as they were afterwards. */
static void signals_are_left_as_they_were(void **state) {
    (void)state;
    sigset_t before;
    sigset_t after;
    sigprocmask(SIG_BLOCK, NULL, &before);
    assert_int_equal(open_reading("/dev/null", NULL), ERR_OK);
    opened->ops->close(opened);
    assert_int_equal(open_reading("/dev/zero", NULL), ERR_RANGE);
    sigprocmask(SIG_BLOCK, NULL, &after);
    for (int i = 1; i < 32; i++) {
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_reading_is_refused),
        cmocka_unit_test(foreign_beginning_is_refused_at_once),
        cmocka_unit_test(slow_writer_is_waited_for),
        cmocka_unit_test(signal_ends_the_wait_for_a_writer),
        cmocka_unit_test(signal_ends_an_endless_copy),
        cmocka_unit_test(ignored_signal_is_ignored),
        cmocka_unit_test(signals_are_left_as_they_were),
    };
    return cmocka_run_group_tests_name("source_input", tests, NULL, NULL);
}
