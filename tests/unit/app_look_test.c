/* What files of a process say: of a real child, of a tree made by hand, and what must not be followed or waited
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/look.h"
#include "gwtop/core.h"
#include "scratch.h"
#include "tree.h"

#define START   4711
#define LONG_MS 60000

static struct look *start(const char *root) {
    struct look *l = NULL;
    assert_int_equal(look_start(&l, root, NULL), ERR_OK);
    return l;
}

static bool answers(struct look *l, int ms) {
    struct pollfd fd = {.fd = look_fd(l), .events = POLLIN};
    return poll(&fd, 1, ms) == 1;
}

static struct ui_files ask(struct look *l, int32_t pid, uint64_t start_ticks) {
    struct ui_target of = {pid, start_ticks}, got = {0, 0};
    struct ui_files files = {0};
    look_ask(l, &of);
    assert_true(answers(l, LONG_MS));
    assert_true(look_take(l, &got, &files));
    assert_int_equal(got.pid, pid);
    assert_int_equal(got.start, start_ticks);
    assert_false(look_take(l, &got, &files));
    assert_false(answers(l, 0));
    return files;
}

static bool says(struct ui_file f, const char *text, size_t n) {
    return f.state == STATE_VALUE && f.text.n == n && memcmp(f.text.p, text, n) == 0;
}
#define SAYS(file, text) assert_true(says(file, text, sizeof text - 1))

static void all_are(const struct ui_files *f, unsigned state) {
    const struct ui_file *const all[] = {&f->environment, &f->cgroup, &f->command, &f->executable,
                                         &f->directory};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_int_equal(all[i]->state, state);
        assert_int_equal(all[i]->text.n, 0);
    }
}

/* ---- a real one ------------------------------------------------------------------------------ */

static pid_t start_child(void) {
    int fds[2];
    char byte;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char *const argv[] = {(char *)"sleep", (char *)"1000", NULL};
        char *const envp[] = {(char *)"A=1", (char *)"LONG=\x1b[31mred", (char *)"=", NULL};
        close(fds[0]);
        fcntl(fds[1], F_SETFD, FD_CLOEXEC);
        if (chdir("/") == 0)
            execve("/bin/sleep", argv, envp);
        _exit(127);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &byte, 1), 0); /* closed by exec */
    close(fds[0]);
    return pid;
}

static uint64_t start_of(pid_t pid) {
    char path[64];
    size_t n;
    struct proc_stat st;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    char *text = file_read(path, &n);
    assert_non_null(text);
    assert_int_equal(proc_stat_read((struct span){text, n}, &st), ERR_OK);
    free(text);
    return st.start_ticks.value;
}

static void files_of_a_child(void **state) {
    pid_t pid = start_child();
    uint64_t ticks = start_of(pid);
    struct look *l = start(NULL);
    (void)state;
    struct ui_files f = ask(l, pid, ticks);
    SAYS(f.environment, "A=1\0LONG=\x1b[31mred\0=\0");
    SAYS(f.command, "sleep\0"
                    "1000\0");
    SAYS(f.directory, "/");
    assert_int_equal(f.executable.state, STATE_VALUE);
    assert_true(f.executable.text.n > 0);
    assert_false(f.environment.cut);
    f = ask(l, pid, ticks + 1); /* another one, that had the number before */
    all_are(&f, STATE_UNKNOWN);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    f = ask(l, pid, ticks);
    all_are(&f, STATE_UNKNOWN);
    look_stop(l);
}

/* ---- a tree ---------------------------------------------------------------------------------- */

static char *make_tree(void) {
    char *dir = scratch_make();
    tree_text(dir, "proc/7/stat", "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 11 12 0 0 20 0 1 0 %d 0 9 0\n",
              START);
    tree_text(dir, "proc/7/environ", "HOME=/root");
    tree_text(dir, "proc/7/cgroup", "0::/x\n");
    tree_text(dir, "proc/7/cmdline", "a");
    tree_link(dir, "proc/7/exe", "/usr/bin/a (deleted)");
    tree_link(dir, "proc/7/cwd", "/etc");
    return dir;
}

static void files_of_a_tree(void **state) {
    char *dir = make_tree();
    struct look *l = start(dir);
    (void)state;
    struct ui_files f = ask(l, 7, START);
    SAYS(f.environment, "HOME=/root");
    SAYS(f.cgroup, "0::/x\n");
    SAYS(f.command, "a");
    SAYS(f.executable, "/usr/bin/a (deleted)");
    SAYS(f.directory, "/etc");
    f = ask(l, 8, START);
    all_are(&f, STATE_UNKNOWN);
    f = ask(l, -1, START);
    all_are(&f, STATE_UNKNOWN);
    f = ask(l, 7, START + 1);
    all_are(&f, STATE_UNKNOWN);
    tree_drop(dir, "proc/7/cgroup");
    tree_drop(dir, "proc/7/exe");
    f = ask(l, 7, START);
    assert_int_equal(f.cgroup.state, STATE_UNSUPPORTED);
    assert_int_equal(f.executable.state, STATE_UNSUPPORTED);
    SAYS(f.directory, "/etc");
    look_stop(l);
    scratch_remove(dir);
}

static void what_is_no_file(void **state) {
    char *dir = make_tree();
    struct look *l = start(dir);
    (void)state;
    for (enum tree_odd odd = ODD_FIFO; odd < TREE_ODD_COUNT; odd++) {
        tree_odd(dir, "proc/7/environ", odd);
        struct ui_files f = ask(l, 7, START);
        assert_int_equal(f.environment.state, STATE_UNSUPPORTED);
        SAYS(f.cgroup, "0::/x\n");
    }
    tree_drop(dir, "proc/7/environ");
    tree_link(dir, "proc/7/environ", "/etc/passwd");
    struct ui_files f = ask(l, 7, START);
    assert_int_equal(f.environment.state, STATE_UNSUPPORTED);
    assert_int_equal(f.environment.text.n, 0);
    tree_drop(dir, "proc/7");
    tree_link(dir, "proc/7", "/proc/self");
    f = ask(l, 7, start_of(getpid()));
    all_are(&f, STATE_UNKNOWN);
    tree_drop(dir, "proc");
    tree_link(dir, "proc", "/proc");
    f = ask(l, getpid(), start_of(getpid()));
    all_are(&f, STATE_UNKNOWN);
    look_stop(l);
    scratch_remove(dir);
}

static void long_files_are_cut(void **state) {
    enum { MOST = 256 << 10 };
    char *dir = make_tree();
    char *path = path_join(dir, "proc/7/environ");
    char *bytes = malloc(MOST + 1);
    struct look *l = start(dir);
    (void)state;
    memset(bytes, 'x', MOST + 1);
    file_write(path, bytes, MOST);
    struct ui_files f = ask(l, 7, START);
    assert_int_equal(f.environment.text.n, MOST);
    assert_false(f.environment.cut);
    file_write(path, bytes, MOST + 1);
    f = ask(l, 7, START);
    assert_int_equal(f.environment.text.n, MOST);
    assert_true(f.environment.cut);
    look_stop(l);
    free(bytes);
    free(path);
    scratch_remove(dir);
}

static bool drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    return syscall(SYS_capset, &header, none) == 0;
}

static void what_a_right_is_missing_for(void **state) {
    char *dir = make_tree();
    char *path = path_join(dir, "proc/7/environ");
    (void)state;
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) == 0) { /* root: without any capability, in a process of its own */
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct ui_target of = {7, START};
            struct ui_files f;
            struct look *l = NULL;
            memset(&f, 0, sizeof f);
            bool good = drop_capabilities() && look_start(&l, dir, NULL) == ERR_OK;
            if (good) {
                look_ask(l, &of);
                good = answers(l, LONG_MS) && look_take(l, &of, &f);
                good = good && f.environment.state == STATE_DENIED && says(f.command, "a", 1);
            }
            look_stop(l);
            free(path);
            free(dir);
            _exit(good ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    } else {
        struct look *l = start(dir);
        assert_int_equal(ask(l, 7, START).environment.state, STATE_DENIED);
        look_stop(l);
    }
    free(path);
    scratch_remove(dir);
}

static void the_last_question_is_answered(void **state) {
    char *dir = make_tree();
    struct look *l = start(dir);
    struct ui_target of = {8, START}, got;
    struct ui_files f;
    (void)state;
    for (int i = 0; i < 200; i++) {
        of.pid = i % 2 ? 7 : 8;
        look_ask(l, &of);
    }
    while (!look_take(l, &got, &f))
        (void)answers(l, LONG_MS);
    assert_int_equal(got.pid, 7);
    SAYS(f.command, "a");
    look_ask(l, &of); /* ended before it is answered */
    look_stop(l);
    look_stop(NULL);
    scratch_remove(dir);
    struct err_info info = {0};
    assert_int_not_equal(look_start(&l, "/nowhere/at/all", &info), ERR_OK);
    assert_null(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_a_child),
        cmocka_unit_test(files_of_a_tree),
        cmocka_unit_test(what_is_no_file),
        cmocka_unit_test(long_files_are_cut),
        cmocka_unit_test(what_a_right_is_missing_for),
        cmocka_unit_test(the_last_question_is_answered),
    };
    return cmocka_run_group_tests_name("files of processes", tests, NULL, NULL);
}
