/* What is read of the processes that others opened, and how often. The fdinfo collector opens them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/fdinfo/fdinfo.h"
#include "backend/proc/proc.h"
#include "gwtop/source.h"
#include "iospy.h"
#include "scratch.h"
#include "seen.h"
#include "tree.h"

static const struct backend *const backends[] = {&backend_fdinfo, &backend_proc};
static const struct backend_table table = {backends, 2};

struct rig {
    char *root;
    struct iospy spy;
    struct host *host;
    struct source *live;
    struct seen seen;
    struct frame_sink sink;
    int64_t now_ns;
};

static void put_stat(const char *root, int pid, const char *comm, unsigned long start) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(root, path, "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %lu 100 100 0 0 0 0 0\n",
              pid, comm, start);
}

static void put_process(const char *root, int pid, unsigned uid) {
    char path[100];
    put_stat(root, pid, "game", 5000);
    snprintf(path, sizeof path, "proc/%d/cmdline", pid);
    tree_text(root, path, "/usr/bin/game%c--fast%c", 0, 0);
    snprintf(path, sizeof path, "proc/%d/cgroup", pid);
    tree_text(root, path, "0::/user.slice/user-%u.slice\n", uid);
    snprintf(path, sizeof path, "proc/%d/status", pid);
    tree_text(root, path, "Name:\tgame\nPid:\t%d\nUid:\t%u\t%u\t%u\t%u\n", pid, uid, uid, uid, uid);
    snprintf(path, sizeof path, "proc/%d/fd/4", pid);
    tree_link(root, path, "/dev/dri/renderD128");
    snprintf(path, sizeof path, "proc/%d/fdinfo/4", pid);
    tree_text(root, path, "drm-driver:\tamdgpu\ndrm-client-id:\t%d\n", pid);
}

static void start(struct rig *r, const char *root) {
    struct host_options o = {.root = root, .io = &r->spy.io, .delay_ns = 1000000000};
    iospy_init(&r->spy);
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    assert_int_equal(live_create(r->host, &table, &r->live, NULL), ERR_OK);
    r->sink = seen_sink(&r->seen);
    r->now_ns = 1000000000;
}

static void tick(struct rig *r) {
    seen_clear(&r->seen);
    iospy_clear(&r->spy);
    r->now_ns += 1000000000;
    assert_int_equal(r->live->ops->read(r->live, r->now_ns, &r->sink), ERR_OK);
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    r->root = scratch_make();
    tree_text(r->root, "sys/class/drm/renderD128/device/uevent",
              "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:03:00.0\n");
    tree_text(r->root, "etc/passwd",
              "root:x:0:0:root:/root:/bin/sh\nbroken\nno:number:x:\n"
              "alice:x:1000:1000::/home/alice:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh");
    put_process(r->root, 100, 1000);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    r->live->ops->close(r->live);
    host_destroy(r->host);
    assert_int_equal(r->spy.open_now, 0);
    iospy_finish(&r->spy);
    scratch_remove(r->root);
    seen_finish(&r->seen);
    free(r);
    return 0;
}

/* The frame of this kind about a process; kinds of backends overlap, so the type tells whose it is. */
static const struct seen_frame *of(const struct rig *r, int kind, int pid) {
    return seen_only(&r->seen, (struct seen_want){kind, SUBJECT_PROCESS, pid, -1});
}

static unsigned count(const struct rig *r, int kind) {
    return seen_count(&r->seen, (struct seen_want){kind, SUBJECT_PROCESS, -1, -1});
}

static void test_all_is_read_at_first_sight(void **state) {
    struct rig *r = *state;
    start(r, r->root);
    tick(r);
    assert_non_null(strstr(seen_body(of(r, PROC_STAT, 100)), "(game)"));
    const struct seen_frame *cmdline = of(r, PROC_CMDLINE, 100);
    assert_non_null(cmdline);
    assert_int_equal(cmdline->frame.size, 21);
    assert_memory_equal(seen_body(cmdline), "/usr/bin/game\0--fast\0", 21);
    assert_string_equal(seen_body(of(r, PROC_CGROUP, 100)), "0::/user.slice/user-1000.slice\n");
    assert_non_null(strstr(seen_body(of(r, PROC_STATUS, 100)), "Uid:\t1000"));
    assert_string_equal(seen_body(of(r, PROC_USER, 100)), "uid: 1000\nuser: alice\n");
    for (int i = 0; i < 5; i++) {
        tick(r);
        assert_non_null(of(r, PROC_STAT, 100));
        assert_int_equal(count(r, PROC_CMDLINE), 0);
        assert_int_equal(count(r, PROC_USER), 0);
    }
}

static void test_users(void **state) {
    struct rig *r = *state;
    put_process(r->root, 101, 1001);
    put_process(r->root, 102, 1002);
    start(r, r->root);
    tick(r);
    assert_string_equal(seen_body(of(r, PROC_USER, 101)), "uid: 1001\nuser: bob\n");
    assert_string_equal(seen_body(of(r, PROC_USER, 102)), "uid: 1002\n");
}

/* A name is asked for once, not once for each process. */
static void test_users_are_remembered(void **state) {
    struct rig *r = *state;
    start(r, r->root);
    tick(r);
    put_process(r->root, 101, 1000);
    tick(r);
    assert_string_equal(seen_body(of(r, PROC_USER, 101)), "uid: 1000\nuser: alice\n");
    assert_false(iospy_opened(&r->spy, "etc/passwd"));
}

static void test_new_name_asks_again(void **state) {
    struct rig *r = *state;
    start(r, r->root);
    tick(r);
    put_stat(r->root, 100, "other) (x", 5000);
    tick(r);
    assert_int_equal(count(r, PROC_CMDLINE), 1);
    assert_int_equal(count(r, PROC_CGROUP), 1);
    assert_int_equal(count(r, PROC_STATUS), 1);
    assert_int_equal(count(r, PROC_USER), 1);
    tick(r);
    assert_int_equal(count(r, PROC_CMDLINE), 0);
}

/* After 30 s, of one process in each tick. */
static void test_old_names_are_read_again(void **state) {
    struct rig *r = *state;
    put_process(r->root, 101, 1000);
    put_process(r->root, 102, 1000);
    start(r, r->root);
    tick(r);
    assert_int_equal(count(r, PROC_CMDLINE), 3);
    for (int i = 0; i < 29; i++) {
        tick(r);
        assert_int_equal(count(r, PROC_CMDLINE), 0);
    }
    bool seen[3] = {false};
    for (int i = 0; i < 3; i++) {
        tick(r);
        assert_int_equal(count(r, PROC_CMDLINE), 1);
        for (int p = 0; p < 3; p++)
            seen[p] |= of(r, PROC_CMDLINE, 100 + p) != NULL;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    tick(r);
    assert_int_equal(count(r, PROC_CMDLINE), 0);
}

/* Another process has the pid. Whether or not that is known already, nothing of it is said of the first. */
static void test_pid_reused(void **state) {
    struct rig *r = *state;
    unsigned told = 0;
    start(r, r->root);
    tick(r);
    put_stat(r->root, 100, "thief", 9999);
    tree_text(r->root, "proc/100/cmdline", "thief");
    for (int i = 0; i < 70; i++) {
        uint32_t at = 0;
        const struct seen_frame *f;
        tick(r);
        while ((f = seen_next(&r->seen, &at, (struct seen_want){-1, SUBJECT_PROCESS, 100, -1}))) {
            bool thief = strstr(seen_body(f), "thief") != NULL;
            assert_true(!thief || f->subject.start == 9999);
            told += thief;
        }
    }
    assert_true(told > 0);
}

static void test_failures_are_frames(void **state) {
    struct rig *r = *state;
    start(r, r->root);
    tree_drop(r->root, "proc/100/cgroup");
    r->spy.deny_tail = "100/cmdline";
    r->spy.deny_sys = EACCES;
    tick(r);
    assert_int_equal(of(r, PROC_CMDLINE, 100)->frame.outcome, OUTCOME_DENIED);
    assert_int_equal(of(r, PROC_CGROUP, 100)->frame.outcome, OUTCOME_GONE);
    assert_int_equal(of(r, PROC_STATUS, 100)->frame.outcome, OUTCOME_OK);
    tick(r);
    assert_int_equal(of(r, PROC_STAT, 100)->frame.outcome, OUTCOME_OK);
    r->spy.deny_tail = "100/stat";
    r->spy.deny_sys = EIO;
    tick(r);
    assert_int_equal(of(r, PROC_STAT, 100)->frame.outcome, OUTCOME_FAILED);
    r->spy.deny_tail = NULL;
    tick(r);
    assert_int_equal(of(r, PROC_STAT, 100)->frame.outcome, OUTCOME_OK);
    /* Gone: said once, then it is for its owner to end it. */
    tree_drop(r->root, "proc/100/stat");
    tick(r);
    assert_int_equal(of(r, PROC_STAT, 100)->frame.outcome, OUTCOME_GONE);
    tick(r);
    assert_int_equal(count(r, PROC_STAT), 0);
}

static void test_long_command_line_is_cut(void **state) {
    struct rig *r = *state;
    char text[10001];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    tree_text(r->root, "proc/100/cmdline", "%s", text);
    start(r, r->root);
    tick(r);
    assert_int_equal(of(r, PROC_CMDLINE, 100)->frame.size, LABEL_MAX);
}

static void test_ended_process_is_forgotten(void **state) {
    struct rig *r = *state;
    start(r, r->root);
    tick(r);
    tree_drop(r->root, "proc/100");
    tick(r);
    assert_int_equal(count(r, FRAME_CLOSE), 1);
    assert_int_equal(count(r, PROC_STAT), 0);
    put_process(r->root, 100, 1001);
    put_stat(r->root, 100, "next", 7000);
    tick(r);
    assert_non_null(strstr(seen_body(of(r, PROC_STAT, 100)), "(next)"));
    assert_string_equal(seen_body(of(r, PROC_USER, 100)), "uid: 1001\nuser: bob\n");
}

/* A process that holds no device is named when its name is asked for, and followed to its end; a pid of nobody
 * says nothing. */
static void test_names_that_are_asked_for(void **state) {
    struct rig *r = *state;
    const int32_t pids[] = {200, 999};
    const struct want want = {.nameless = pids, .nameless_count = 2};
    put_stat(r->root, 200, "job", 6000);
    start(r, r->root);
    tick(r);
    assert_null(of(r, PROC_STAT, 200));
    r->live->ops->want(r->live, &want);
    for (int i = 0; i < 3; i++) {
        tick(r);
        assert_non_null(strstr(seen_body(of(r, PROC_STAT, 200)), "(job)"));
        assert_int_equal(of(r, PROC_STAT, 200)->subject.start, 6000);
        assert_int_equal(seen_count(&r->seen, (struct seen_want){-1, -1, 999, -1}), 0);
    }
    tree_drop(r->root, "proc/200");
    tick(r);
    assert_string_equal(seen_body(of(r, FRAME_CLOSE, 200)), "reason=exited\n");
    tick(r);
    assert_int_equal(seen_count(&r->seen, (struct seen_want){-1, -1, 200, -1}), 0);
}

/* This machine: its stat is kept open, and its user is asked of the system. */
static void test_real_process(void **state) {
    struct rig *r = *state;
    char *node = path_join(r->root, "node");
    if (!tree_node(r->root, "node", 226, 4003)) {
        free(node);
        start(r, r->root);
        skip();
    }
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "a (name) x");
        if (open(node, O_PATH) < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    start(r, NULL);
    tick(r);
    const struct seen_frame *f = of(r, PROC_STAT, pid);
    assert_non_null(f);
    assert_non_null(strstr(seen_body(f), "(a (name) x) "));
    char expected[200];
    struct passwd *me = getpwuid(geteuid());
    snprintf(expected, sizeof expected, "uid: %u\nuser: %s\n", geteuid(), me ? me->pw_name : "");
    if (me)
        assert_string_equal(seen_body(of(r, PROC_USER, pid)), expected);
    char tail[40];
    snprintf(tail, sizeof tail, "%d/stat", pid);
    tick(r);
    assert_non_null(of(r, PROC_STAT, pid));
    assert_false(iospy_opened(&r->spy, tail));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    tick(r);
    assert_non_null(of(r, FRAME_CLOSE, pid));
    assert_null(of(r, PROC_STAT, pid));
    close(ready[0]);
    close(ready[1]);
    free(node);
}

int main(void) {
#define PROC_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PROC_TEST(test_all_is_read_at_first_sight), PROC_TEST(test_users),
        PROC_TEST(test_users_are_remembered),       PROC_TEST(test_new_name_asks_again),
        PROC_TEST(test_old_names_are_read_again),   PROC_TEST(test_pid_reused),
        PROC_TEST(test_failures_are_frames),        PROC_TEST(test_long_command_line_is_cut),
        PROC_TEST(test_ended_process_is_forgotten), PROC_TEST(test_real_process),
        PROC_TEST(test_names_that_are_asked_for),
    };
#undef PROC_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
