/*
 * The real program and its rights, on /proc/PID/status of every thread. As root, where files can have capabilities, a
 * copy that has some is run as another user; else those tests are skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/fence.h"
#include "program.h"
#include "scratch.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define PTRACE          BIT(CAP_SYS_PTRACE)
#define OWN             (PTRACE | BIT(CAP_DAC_READ_SEARCH))
#define GIVEN                                                                                      \
    (PTRACE | BIT(CAP_SETPCAP) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) |                \
     BIT(CAP_NET_ADMIN))
enum { NOBODY = 65534, PATIENCE_MS = 200000 };

static char *dir;
static char *plain; /* the program */
static char *given; /* a copy with file capabilities; NULL: there can be none */

/* ---- running ---------------------------------------------------------------------------------- */

struct run {
    pid_t pid;
    int fd; /* its terminal, or its output */
};

/* By a descriptor: the way to the copy may be closed to another user. */
static void become(uid_t uid, const char *program, const char *const *args) {
    char *argv[16] = {(char *)(size_t)program};
    for (int i = 0; i < 14 && args[i]; i++)
        argv[i + 1] = (char *)(size_t)args[i];
    putenv((char *)(size_t) "TERM=xterm-256color");
    putenv((char *)(size_t) "XDG_CONFIG_HOME=/nonexistent"); /* said before the screen if refused */
    /* A leak check would trace what is not to be traced. */
    putenv((char *)(size_t) "ASAN_OPTIONS=detect_leaks=0");
    int file = open(program, O_PATH | O_CLOEXEC);
    if (uid != 0 && (setgid(uid) != 0 || setuid(uid) != 0))
        _exit(126);
    fexecve(file, argv, environ);
    _exit(127);
}

static struct run start(uid_t uid, const char *program, bool screen, const char *const *args) {
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    struct run r = {-1, -1};
    int ends[2] = {-1, -1};
    if (screen) {
        r.pid = forkpty(&r.fd, NULL, NULL, &size);
        if (r.pid < 0)
            skip();
        if (r.pid == 0)
            become(uid, program, args);
        return r;
    }
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    r.pid = fork();
    if (r.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        become(uid, program, args);
    }
    close(ends[1]);
    r.fd = ends[0];
    return r;
}

/* Waits for its first output, which is left in place. */
static void expect_output(const struct run *r) {
    struct pollfd f = {r->fd, POLLIN, 0};
    assert_int_equal(poll(&f, 1, PATIENCE_MS), 1);
    assert_true(f.revents & POLLIN);
}

/* Its exit status, and all that it still says. */
static int end(struct run *r, char *said, size_t cap) {
    char text[4096];
    size_t at = 0;
    ssize_t n;
    int status = 0;
    while ((n = read(r->fd, text, sizeof text)) > 0 || (n < 0 && errno == EINTR))
        for (ssize_t i = 0; i < n && at + 1 < cap; i++)
            said[at++] = text[i];
    if (cap > 0)
        said[at] = '\0';
    close(r->fd);
    assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void end_well(struct run *r) {
    (void)kill(r->pid, SIGTERM);
    assert_int_equal(end(r, NULL, 0), 0);
}

/* ---- what a thread may ------------------------------------------------------------------------ */

static uint64_t field(const char *status, const char *name, int base) {
    const char *at = strstr(status, name);
    assert_non_null(at);
    return strtoull(at + strlen(name), NULL, base);
}

static void assert_thread(const char *status, uint64_t permitted, bool bounded) {
    bool fenced = strcmp(fence_state(), "goes up before the first output") == 0;
    assert_int_equal(field(status, "\nCapEff:", 16), 0);
    assert_int_equal(field(status, "\nCapInh:", 16), 0);
    assert_int_equal(field(status, "\nCapAmb:", 16), 0);
    assert_int_equal(field(status, "\nCapPrm:", 16) & ~permitted, 0);
    if (bounded)
        assert_int_equal(field(status, "\nCapBnd:", 16), 0);
    if (fenced || permitted != 0) /* without either, threads had nothing to be told */
        assert_int_equal(field(status, "\nNoNewPrivs:", 10), 1);
    if (fenced)
        assert_int_equal(field(status, "\nSeccomp:", 10), 2);
}

/* The worker has the right to look into processes in effect while it does so: that is waited out. */
static char *status_of(pid_t pid, const char *tid) {
    char *path = path_join("/proc", "%d/task/%s/status", (int)pid, tid);
    char *text = NULL;
    for (int i = 0; i < PATIENCE_MS / 2; i++) {
        free(text);
        text = file_read(path, NULL);
        if (!text || field(text, "\nCapEff:", 16) == 0)
            break;
        usleep(2000);
    }
    free(path);
    return text;
}

static void assert_threads(pid_t pid, uint64_t permitted, bool bounded) {
    char *path = path_join("/proc", "%d/task", (int)pid);
    DIR *tasks = opendir(path);
    unsigned seen = 0;
    assert_non_null(tasks);
    for (struct dirent *d; (d = readdir(tasks)) != NULL;) {
        char *status = d->d_name[0] == '.' ? NULL : status_of(pid, d->d_name);
        if (status) {
            assert_thread(status, permitted, bounded);
            seen++;
        }
        free(status);
    }
    closedir(tasks);
    free(path);
    assert_true(seen > 0);
}

static void check(uid_t uid, const char *program, bool screen, const char *const *args,
                  uint64_t permitted, bool bounded) {
    struct run r = start(uid, program, screen, args);
    expect_output(&r);
    assert_threads(r.pid, permitted, bounded);
    end_well(&r);
}

/* ---- tests ------------------------------------------------------------------------------------ */

#define NEED_GIVEN()                                                                               \
    do {                                                                                           \
        if (!given)                                                                                \
            skip();                                                                                \
    } while (0)
#define TEXT PROGRAM_ARGS("-b", "-d", "100ms")

static void any_user_gains_nothing(void **state) {
    (void)state;
    check(geteuid() == 0 ? NOBODY : geteuid(), plain, true, PROGRAM_ARGS("-d", "100ms"), 0, false);
    check(geteuid() == 0 ? NOBODY : geteuid(), plain, false, TEXT, 0, false);
}

static void screen_keeps_one(void **state) {
    (void)state;
    NEED_GIVEN();
    check(NOBODY, given, true, PROGRAM_ARGS("-d", "100ms"), PTRACE, true);
}

static void text_keeps_one(void **state) {
    (void)state;
    NEED_GIVEN();
    check(NOBODY, given, false, TEXT, PTRACE, true);
}

/* It is there still, and not just gone with the others. */
static void the_one_is_kept(void **state) {
    (void)state;
    NEED_GIVEN();
    struct run r = start(NOBODY, given, false, TEXT);
    expect_output(&r);
    char tid[16];
    snprintf(tid, sizeof tid, "%d", (int)r.pid);
    char *status = status_of(r.pid, tid);
    assert_int_equal(field(status, "\nCapPrm:", 16), PTRACE);
    free(status);
    end_well(&r);
}

static void another_root_gets_none(void **state) {
    (void)state;
    NEED_GIVEN();
    check(NOBODY, given, false, PROGRAM_ARGS("-b", "-d", "100ms", "--root", "/usr"), 0, false);
}

static uint64_t count_unreadable(const char *program) {
    static char said[1 << 20];
    struct run r = start(NOBODY, program, false, PROGRAM_ARGS("--json", "-n", "2", "-d", "100ms"));
    assert_int_equal(end(&r, said, sizeof said), 0);
    char *last = strchr(said, '\n');
    assert_non_null(last);
    return field(last, "\"unreadable\":{\"count\":", 10);
}

/* After the drop as well it is enough to look into other users' processes. */
static void the_one_is_enough(void **state) {
    (void)state;
    NEED_GIVEN();
    uint64_t without = count_unreadable(plain);
    if (without < 3)
        skip();
    assert_in_range(count_unreadable(given), 0, without / 2);
}

/* Root has what it has by itself, and keeps of that what looking needs and the screen's keys. */
static void root_keeps_signals(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    check(0, plain, true, PROGRAM_ARGS("-d", "100ms"), OWN | BIT(CAP_KILL), false);
    check(0, plain, true, PROGRAM_ARGS("-d", "100ms", "--readonly"), OWN, false);
    check(0, plain, false, TEXT, OWN, false);
}

static void assert_refused(const char *const *args) {
    char said[512];
    struct run r = start(NOBODY, given, false, args);
    assert_int_equal(end(&r, said, sizeof said), 1);
    assert_non_null(strstr(said, "Permission denied"));
}

/* What the user names is opened with the user's own rights. */
static void named_files_are_the_users(void **state) {
    (void)state;
    NEED_GIVEN();
    char *secret = path_join(dir, "secret");
    char *target = path_join(dir, "kept/target");
    assert_refused(PROGRAM_ARGS("replay", secret, "--once"));
    assert_refused(PROGRAM_ARGS("decode", "gpu-metrics", secret));
    assert_refused(PROGRAM_ARGS("--once", "--log", target));
    assert_refused(PROGRAM_ARGS("record", "-n", "1", "-o", target));
    assert_refused(PROGRAM_ARGS("report", "-n", "1", "-d", "100ms", "-o", target));
    free(secret);
    free(target);
}

/* The command of `stat` has what the user had. */
static void command_of_stat_is_as_started(void **state) {
    char said[8192];
    char *own = file_read("/proc/self/status", NULL);
    (void)state;
    struct run r = start(geteuid(), plain, false,
                         PROGRAM_ARGS("stat", "-r", "2", "--", "cat", "/proc/self/status"));
    assert_int_equal(end(&r, said, sizeof said), 0);
    for (const char *at = said; (at = strstr(at, "\nCapInh:")) != NULL; at++) {
        assert_int_equal(field(at, "\nCapEff:", 16), field(own, "\nCapEff:", 16));
        assert_int_equal(field(at, "\nCapBnd:", 16), field(own, "\nCapBnd:", 16));
        assert_int_equal(field(at, "\nNoNewPrivs:", 10), field(own, "\nNoNewPrivs:", 10));
        assert_int_equal(field(at, "\nSeccomp:", 10), field(own, "\nSeccomp:", 10));
    }
    free(own);
}

static void command_of_stat_gains_nothing(void **state) {
    char said[8192];
    unsigned seen = 0;
    (void)state;
    NEED_GIVEN();
    struct run r =
        start(NOBODY, given, false,
              PROGRAM_ARGS("stat", "--exact", "-r", "2", "--", "cat", "/proc/self/status"));
    assert_int_equal(end(&r, said, sizeof said), 0);
    for (const char *at = said; (at = strstr(at, "\nCapInh:")) != NULL; at++, seen++) {
        assert_int_equal(field(at, "\nCapPrm:", 16), 0);
        assert_int_not_equal(field(at, "\nCapBnd:", 16), 0);
        assert_int_equal(field(at, "\nNoNewPrivs:", 10), 0);
    }
    assert_int_equal(seen, 2);
}

/* ---- the copy --------------------------------------------------------------------------------- */

static void give(void) {
    const struct vfs_cap_data caps = {
        .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
        .data = {{.permitted = (uint32_t)GIVEN}, {.permitted = (uint32_t)(GIVEN >> 32)}}};
    struct statvfs fs;
    size_t n;
    char *bytes = file_read(plain, &n);
    char *path = path_join(dir, "gwtop");
    assert_non_null(bytes);
    file_write(path, bytes, n);
    free(bytes);
    assert_int_equal(chmod(path, 0755), 0);
    if (geteuid() == 0 && statvfs(dir, &fs) == 0 && !(fs.f_flag & ST_NOSUID) &&
        setxattr(path, "security.capability", &caps, sizeof caps, 0) == 0)
        given = path;
    else
        free(path);
}

/* Root in a container may set what no exec there gives. */
static void try_given(void) {
    char said[4096];
    if (!given)
        return;
    struct run r = start(NOBODY, given, false, PROGRAM_ARGS("--version"));
    if (end(&r, said, sizeof said) != 0) {
        free(given);
        given = NULL;
    }
}

static void make_files(void) {
    char *path = path_join(dir, "kept");
    assert_int_equal(mkdir(path, 0700), 0);
    free(path);
    path = path_join(dir, "secret");
    file_write(path, "x", 1);
    assert_int_equal(chmod(path, 0600), 0);
    free(path);
}

static int begin_all(void **state) {
    (void)state;
    dir = scratch_make();
    plain = realpath(program_path(), NULL);
    if (!plain)
        return -1;
    make_files();
    give();
    try_given();
    return 0;
}

static int end_all(void **state) {
    (void)state;
    free(given);
    free(plain);
    scratch_remove(dir);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_user_gains_nothing),
        cmocka_unit_test(screen_keeps_one),
        cmocka_unit_test(text_keeps_one),
        cmocka_unit_test(the_one_is_kept),
        cmocka_unit_test(the_one_is_enough),
        cmocka_unit_test(another_root_gets_none),
        cmocka_unit_test(root_keeps_signals),
        cmocka_unit_test(named_files_are_the_users),
        cmocka_unit_test(command_of_stat_is_as_started),
        cmocka_unit_test(command_of_stat_gains_nothing),
    };
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
