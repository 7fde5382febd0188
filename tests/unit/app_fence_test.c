/* The filter of system calls: in a child of its own each call that it forbids fails with EPERM and the child lives;
 * what the program does goes on working, in all threads. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/fence.h"
#include "scratch.h"

enum { NO_FENCE = 77 };

static char dir[256];

/* Runs a function behind the fence in a child: its number, 0 for fine. */
static int behind(unsigned may, int (*run)(void)) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        int sys = fence_install(may);
        _exit(sys != 0 ? NO_FENCE : run());
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FENCE)
        skip();
    return WEXITSTATUS(status);
}

static void assert_behind(unsigned may, int (*run)(void)) {
    int line = behind(may, run);
    if (line != 0)
        print_message("line modulo 256: %d\n", line);
    assert_int_equal(line, 0);
}

/* In the child: the line that failed, which an exit status holds but for its upper bits. */
#define LINE ((__LINE__ & 0xff) ? (__LINE__ & 0xff) : 1)
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        errno = 0;                                                                                 \
        if ((long)(call) != -1 || errno != EPERM)                                                  \
            return LINE;                                                                           \
    } while (0)
#define LET(what)                                                                                  \
    do {                                                                                           \
        if (!(what))                                                                               \
            return LINE;                                                                           \
    } while (0)

static const char *in_dir(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

/* Other programs and other processes. */
static int try_programs(void) {
    char *const argv[] = {(char *)(size_t) "/bin/true", NULL};
    char space[64] = {0};
    REFUSED(execve(argv[0], argv, NULL));
    REFUSED(syscall(SYS_execveat, AT_FDCWD, argv[0], argv, NULL, 0));
    REFUSED(fork());
    REFUSED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    REFUSED(syscall(SYS_ptrace, 0x4206, getppid(), 0, 0)); /* PTRACE_SEIZE */
    REFUSED(syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
    REFUSED(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
    REFUSED(syscall(SYS_pidfd_getfd, 0, 0, 0));
    REFUSED(syscall(SYS_prlimit64, getppid(), 0, NULL, space));
    REFUSED(syscall(SYS_tgkill, getppid(), getppid(), 0));
    errno = 0;
    LET(syscall(SYS_clone3, space, 64) == -1 && errno == ENOSYS);
    return 0;
}

/* The system. */
static int try_system(void) {
    char space[64] = {0};
    REFUSED(syscall(SYS_mount, "none", dir, "tmpfs", 0, NULL));
    REFUSED(syscall(SYS_umount2, dir, 0));
    REFUSED(syscall(SYS_pivot_root, dir, dir));
    REFUSED(syscall(SYS_chroot, dir));
    REFUSED(syscall(SYS_unshare, CLONE_NEWUSER));
    REFUSED(syscall(SYS_setns, 0, 0));
    REFUSED(syscall(SYS_bpf, 0, space, sizeof space));
    REFUSED(syscall(SYS_keyctl, 0, 0, 0, 0, 0));
    REFUSED(syscall(SYS_add_key, "user", "x", "y", 1, 0));
    REFUSED(syscall(SYS_init_module, space, 0, ""));
    REFUSED(syscall(SYS_finit_module, 0, "", 0));
    REFUSED(syscall(SYS_delete_module, "x", 0));
    REFUSED(syscall(SYS_kexec_load, 0, 0, NULL, 0));
    REFUSED(syscall(SYS_reboot, 0, 0, 0, NULL));
    REFUSED(syscall(SYS_setuid, 0));
    REFUSED(syscall(SYS_setresuid, 0, 0, 0));
    REFUSED(syscall(SYS_setgroups, 0, NULL));
    REFUSED(syscall(SYS_io_uring_setup, 1, space));
    REFUSED(syscall(SYS_userfaultfd, 0));
    REFUSED(syscall(SYS_memfd_create, "x", 0));
    REFUSED(syscall(SYS_personality, 0xffffffff));
    REFUSED(syscall(SYS_sethostname, "x", 1));
    REFUSED(syscall(SYS_settimeofday, NULL, NULL));
    return 0;
}

/* What nobody asks of it. */
static int try_forbidden(void) {
    char space[64] = {0};
    int line = try_programs();
    LET(line == 0);
    line = try_system();
    LET(line == 0);
    REFUSED(syscall(SYS_fchmodat, AT_FDCWD, dir, 0700));
    REFUSED(syscall(SYS_fchownat, AT_FDCWD, dir, 0, 0, 0));
    REFUSED(syscall(SYS_linkat, AT_FDCWD, dir, AT_FDCWD, dir, 0));
    REFUSED(syscall(SYS_symlinkat, dir, AT_FDCWD, in_dir("link")));
    REFUSED(syscall(SYS_mknodat, AT_FDCWD, in_dir("node"), S_IFIFO | 0600, 0));
    REFUSED(syscall(SYS_setxattr, dir, "user.x", "y", 1, 0));
    REFUSED(syscall(SYS_openat2, AT_FDCWD, dir, space, 24));
    REFUSED(socket(AF_INET, SOCK_STREAM, 0));
    REFUSED(socket(AF_INET6, SOCK_DGRAM, 0));
    REFUSED(socket(AF_PACKET, SOCK_RAW, 0));
    REFUSED(ioctl(0, TIOCSTI, "x"));
    REFUSED(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    errno = 0;
    LET(syscall(1000) == -1 && errno == ENOSYS);
    return 0;
}

static void *in_thread(void *at) {
    errno = 0;
    *(bool *)at = syscall(SYS_unshare, CLONE_NEWUTS) == -1 && errno == EPERM;
    return NULL;
}

/* What all modes do. */
static int try_common(void) {
    bool is_fenced = false;
    pthread_t thread;
    char text[64];
    struct stat st;
    int ends[2];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    LET(fd >= 0 && read(fd, text, sizeof text) > 0 && close(fd) == 0);
    LET(stat(dir, &st) == 0 && access(dir, R_OK) == 0);
    LET(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], "x", 1) == 1);
    LET(pthread_create(&thread, NULL, in_thread, &is_fenced) == 0);
    LET(pthread_join(thread, NULL) == 0 && is_fenced);
    LET(signal(SIGUSR1, SIG_IGN) != SIG_ERR && raise(SIGUSR1) == 0);
    LET(ioctl(ends[0], FIONREAD, &fd) == 0 && fd == 1);
    return 0;
}

static int try_recording(void) {
    int line = try_common();
    LET(line == 0);
    REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
    REFUSED(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0));
    REFUSED(kill(getppid(), 0));
    return try_forbidden();
}

static int try_machine(void) {
    struct perf_event_attr attr = {.size = sizeof attr};
    int line = try_common();
    LET(line == 0);
    LET(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0);
    LET(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0);
    LET(getpwuid(getuid()) || true);
    attr.type = UINT32_MAX;
    LET(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) == -1 && errno != EPERM);
    return try_forbidden();
}

/* Read-only: no signal, no knob, no file. */
static int try_readonly(void) {
    REFUSED(kill(getppid(), 0));
    REFUSED(kill(getpid(), 0));
    REFUSED(syscall(SYS_tkill, getppid(), 0));
    REFUSED(syscall(SYS_pidfd_open, getppid(), 0));
    REFUSED(syscall(SYS_pidfd_send_signal, 0, SIGTERM, NULL, 0));
    REFUSED(syscall(SYS_rt_sigqueueinfo, getppid(), SIGTERM, NULL));
    REFUSED(open(in_dir("new"), O_RDONLY | O_CREAT, 0600));
    REFUSED(open(in_dir("old"), O_WRONLY));
    REFUSED(open(in_dir("old"), O_RDWR));
    REFUSED(open(in_dir("old"), O_RDONLY | O_TRUNC));
    REFUSED(open(dir, O_TMPFILE | O_RDWR, 0600));
    REFUSED(mkdir(in_dir("folder"), 0700));
    REFUSED(rmdir(in_dir("folder")));
    REFUSED(unlink(in_dir("old")));
    REFUSED(rename(in_dir("old"), dir));
    REFUSED(truncate(in_dir("old"), 0));
    REFUSED(syscall(SYS_fchmod, 0, 0600));
#ifdef SYS_creat
    REFUSED(syscall(SYS_open, in_dir("old"), O_RDONLY, 0));
    REFUSED(syscall(SYS_creat, in_dir("new"), 0600));
    REFUSED(syscall(SYS_chmod, in_dir("old"), 0600));
#endif
    int fd = open(in_dir("old"), O_RDONLY | O_CLOEXEC);
    LET(fd >= 0);
    return try_machine();
}

static int try_screen(void) {
    char path[512];
    int pidfd = (int)syscall(SYS_pidfd_open, getppid(), 0);
    LET(pidfd >= 0 || errno == ENOSYS);
    LET(pidfd < 0 || syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0);
    LET(kill(getppid(), 0) == 0);
    int fd = open(in_dir("made"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    LET(fd >= 0 && write(fd, "x", 1) == 1 && fsync(fd) == 0);
    LET(fchmod(fd, 0640) == 0 && fchown(fd, (uid_t)-1, (gid_t)-1) == 0 && close(fd) == 0);
    snprintf(path, sizeof path, "%s/moved", dir);
    LET(rename(in_dir("made"), path) == 0 && unlink(path) == 0);
    LET(mkdir(in_dir("made"), 0700) == 0 && rmdir(in_dir("made")) == 0);
    return try_machine();
}

static int try_knobs(void) {
    int fd = open(in_dir("old"), O_WRONLY | O_CLOEXEC);
    LET(fd >= 0 && pwrite(fd, "y", 1, 0) == 1);
    LET(mkdir(in_dir("instance"), 0700) == 0 && rmdir(in_dir("instance")) == 0);
    REFUSED(open(in_dir("new"), O_WRONLY | O_CREAT, 0600));
    REFUSED(open(in_dir("old"), O_WRONLY | O_TRUNC));
    REFUSED(unlink(in_dir("old")));
    REFUSED(kill(getppid(), 0));
    return try_machine();
}

static int try_serving(void) {
    REFUSED(open(in_dir("new"), O_WRONLY | O_CREAT, 0600));
    LET(accept4(-1, NULL, NULL, SOCK_CLOEXEC) == -1 && errno == EBADF);
    return try_machine();
}

static void recording_is_fenced(void **state) {
    (void)state;
    assert_behind(0, try_recording);
    assert_behind(FENCE_NAMED, try_recording);
}

static void machine_is_fenced(void **state) {
    (void)state;
    assert_behind(FENCE_MACHINE, try_machine);
}

static void readonly_keeps_all_as_it_is(void **state) {
    (void)state;
    assert_behind(FENCE_MACHINE, try_readonly);
}

static void screen_signals_and_saves(void **state) {
    (void)state;
    assert_behind(FENCE_MACHINE | FENCE_SIGNALS | FENCE_FILES, try_screen);
}

static void knobs_make_no_files(void **state) {
    (void)state;
    assert_behind(FENCE_MACHINE | FENCE_KNOBS, try_knobs);
}

static void serving_answers(void **state) {
    (void)state;
    assert_behind(FENCE_MACHINE | FENCE_SERVE, try_serving);
}

/* A thread that was there before stands behind it too. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static void *wait_at_gate(void *at) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return in_thread(at);
}

static void older_threads_are_fenced(void **state) {
    int status = 0;
    pid_t pid;
    (void)state;
    if ((pid = fork()) == 0) {
        bool is_fenced = false;
        pthread_t thread;
        pthread_mutex_lock(&gate);
        if (pthread_create(&thread, NULL, wait_at_gate, &is_fenced) != 0)
            _exit(2);
        if (fence_install(FENCE_MACHINE) != 0)
            _exit(NO_FENCE);
        pthread_mutex_unlock(&gate);
        pthread_join(thread, NULL);
        _exit(is_fenced ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FENCE)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int fine(void) {
    return 0;
}

static void state_is_told(void **state) {
    struct sock_filter code[FENCE_MAX];
    const char *said = fence_state();
    (void)state;
    if (fence_program(0, code) == 0)
        assert_string_equal(said, "none for this kind of processor or build");
    else if (strncmp(said, "goes up", 7) == 0)
        assert_behind(0, fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recording_is_fenced),         cmocka_unit_test(machine_is_fenced),
        cmocka_unit_test(readonly_keeps_all_as_it_is), cmocka_unit_test(screen_signals_and_saves),
        cmocka_unit_test(knobs_make_no_files),         cmocka_unit_test(serving_answers),
        cmocka_unit_test(older_threads_are_fenced),    cmocka_unit_test(state_is_told),
    };
    char *made = scratch_make();
    char *old = path_join(made, "old");
    file_write(old, "x", 1);
    snprintf(dir, sizeof dir, "%s", made);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(old);
    scratch_remove(made);
    return failed;
}
