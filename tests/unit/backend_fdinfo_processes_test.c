/* The index of descriptors over real processes of this machine: children that hold O_PATH descriptors of DRM nodes
 * without a driver. Needs the right to make nodes; the texts of clients are mounted over /proc/PID/fdinfo in
 * mount namespaces of their own. Other processes of the machine are looked past. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/fdinfo/fdinfo.h"
#include "backend/proc/proc.h"
#include "gwtop/source.h"
#include "scratch.h"
#include "seen.h"
#include "tree.h"

static const struct backend *const backends[] = {&backend_fdinfo, &backend_proc};
static const struct backend_table table = {backends, 2};

/* Numbers that no device of this machine has. */
enum { MINOR_A = 4001, MINOR_B = 4002, FD_A = 200, FD_B = 201 };

struct rig {
    char *dir;
    char *node_a;
    char *node_b;
    struct host *host;
    struct source *live;
    struct seen seen;
    struct frame_sink sink;
    int64_t now_ns;
    pid_t child;
    int orders; /* the child does what it reads here */
    int done;   /* and answers */
};

/* ---- a child that does as it is told ------------------------------------------------------------------- */

/* An O_PATH descriptor of the node at this number, and no other. */
static void hold(const char *node, int number) {
    int fd = open(node, O_PATH);
    dup2(fd, number);
    close(fd);
}

static void obey(const struct rig *r, int orders, int done) {
    char order;
    while (read(orders, &order, 1) == 1) {
        pid_t pid = 0;
        switch (order) {
        case 'a':
            hold(r->node_a, FD_A);
            break;
        case 'b': /* the same number, another node, the count unchanged */
            hold(r->node_b, FD_A);
            break;
        case 'd':
            dup2(FD_A, FD_B);
            break;
        case 'c':
            close(FD_A);
            break;
        case 'f':
            pid = fork();
            if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                pid = getpid();
                if (write(done, &pid, sizeof pid) != sizeof pid)
                    _exit(1);
                for (;;)
                    pause();
            }
            continue; /* it answers itself, once it would die with us */
        case 'n':
            prctl(PR_SET_DUMPABLE, 0);
            break;
        case 'y':
            prctl(PR_SET_DUMPABLE, 1);
            break;
        default:
            _exit(0);
        }
        if (write(done, &pid, sizeof pid) != sizeof pid)
            _exit(1);
    }
    _exit(0);
}

static void child_start(struct rig *r) {
    int orders[2];
    int done[2];
    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    assert_int_equal(pipe2(done, O_CLOEXEC), 0);
    r->child = fork();
    if (r->child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(orders[1]);
        close(done[0]);
        obey(r, orders[0], done[1]);
    }
    close(orders[0]);
    close(done[1]);
    r->orders = orders[1];
    r->done = done[0];
}

static pid_t tell(struct rig *r, char order) {
    pid_t pid = -1;
    assert_int_equal(write(r->orders, &order, 1), 1);
    if (order != 'q')
        assert_int_equal(read(r->done, &pid, sizeof pid), sizeof pid);
    return pid;
}

/* ---- the rig ------------------------------------------------------------------------------------------------ */

static void start(struct rig *r) {
    struct host_options o = {.delay_ns = 1000000000};
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    assert_int_equal(live_create(r->host, &table, &r->live, NULL), ERR_OK);
    r->sink = seen_sink(&r->seen);
    r->now_ns = 1000000000;
}

static void tick(struct rig *r) {
    seen_clear(&r->seen);
    r->now_ns += 1000000000;
    assert_int_equal(r->live->ops->read(r->live, r->now_ns, &r->sink), ERR_OK);
}

static void stop(struct rig *r) {
    if (r->live)
        r->live->ops->close(r->live);
    host_destroy(r->host);
    r->live = NULL;
    r->host = NULL;
    seen_finish(&r->seen);
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    r->dir = scratch_make();
    r->orders = r->done = -1;
    if (tree_node(r->dir, "a", 226, MINOR_A) && tree_node(r->dir, "b", 226, MINOR_B)) {
        r->node_a = path_join(r->dir, "a");
        r->node_b = path_join(r->dir, "b");
    }
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    stop(r);
    if (r->child > 0) {
        kill(r->child, SIGKILL);
        waitpid(r->child, NULL, 0);
    }
    close(r->orders);
    close(r->done);
    free(r->node_a);
    free(r->node_b);
    scratch_remove(r->dir);
    free(r);
    return 0;
}

static const struct seen_frame *of_fd(const struct rig *r, int kind, pid_t pid, int fd) {
    return seen_only(&r->seen, (struct seen_want){kind, SUBJECT_HOLDER, pid, fd});
}

static const struct seen_frame *of_process(const struct rig *r, int kind, pid_t pid) {
    return seen_only(&r->seen, (struct seen_want){kind, SUBJECT_PROCESS, pid, -1});
}

/* The start time of a process, read the way people do. */
static uint64_t start_of(pid_t pid) {
    char path[40];
    char *text;
    size_t n;
    uint64_t v = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    text = file_read(path, &n);
    assert_non_null(text);
    char *at = strrchr(text, ')') + 1;
    for (int field = 3; field < 22; field++)
        at = strchr(at + 1, ' ');
    v = strtoull(at, NULL, 10);
    free(text);
    return v;
}

#define NEED_NODES(r)                                                                              \
    do {                                                                                           \
        if (!(r)->node_a)                                                                          \
            skip();                                                                                \
    } while (0)

/* ---- tests ----------------------------------------------------------------------------------------------------- */

static void test_open_dup_fork_close_exit(void **state) {
    struct rig *r = *state;
    NEED_NODES(r);
    child_start(r);
    start(r);
    tick(r);
    tick(r);
    assert_null(of_process(r, FRAME_OPEN, r->child));

    tell(r, 'a');
    tick(r);
    const struct seen_frame *p = of_process(r, FRAME_OPEN, r->child);
    const struct seen_frame *h = of_fd(r, FRAME_OPEN, r->child, FD_A);
    assert_non_null(p);
    assert_non_null(h);
    assert_int_equal(p->subject.start, start_of(r->child));
    assert_int_equal(h->subject.parent, p->subject.id);
    assert_non_null(strstr(seen_body(of_fd(r, FDINFO_FDINFO, r->child, FD_A)), "pos:\t"));
    /* It has a name in the same tick. */
    assert_non_null(strstr(seen_body(of_process(r, PROC_STATUS, r->child)), "Pid:"));

    tell(r, 'd');
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, r->child, FD_A));
    assert_non_null(of_fd(r, FDINFO_FDINFO, r->child, FD_B));
    assert_null(of_process(r, FRAME_OPEN, r->child));

    pid_t grandchild = tell(r, 'f');
    tick(r);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, grandchild, FD_A));
    assert_non_null(of_fd(r, FDINFO_FDINFO, grandchild, FD_B));

    tell(r, 'c');
    tick(r);
    assert_string_equal(seen_body(of_fd(r, FRAME_CLOSE, r->child, FD_A)), "reason=closed\n");
    assert_null(of_fd(r, FRAME_CLOSE, r->child, FD_B));
    assert_null(of_fd(r, FRAME_CLOSE, grandchild, FD_A));

    /* Exited and not waited for: a zombie. Its child lives on with the descriptors. */
    tell(r, 'q');
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)r->child, &info, WEXITED | WNOWAIT), 0);
    tick(r);
    assert_string_equal(seen_body(of_fd(r, FRAME_CLOSE, r->child, FD_B)), "reason=exited\n");
    assert_string_equal(seen_body(of_process(r, FRAME_CLOSE, r->child)), "reason=exited\n");
    waitpid(r->child, NULL, 0);
    tick(r);
    assert_int_equal(seen_count(&r->seen, (struct seen_want){-1, -1, r->child, -1}), 0);
    r->child = 0;
}

/* The same number for another node, with the count unchanged: a young process is looked at again. */
static void test_number_reused(void **state) {
    struct rig *r = *state;
    bool closed = false;
    bool opened = false;
    NEED_NODES(r);
    child_start(r);
    start(r);
    tick(r);
    tell(r, 'a');
    tick(r);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, r->child, FD_A));
    tell(r, 'b');
    for (int i = 0; i < 400 && !(closed && opened); i++) {
        tick(r);
        closed |= of_fd(r, FRAME_CLOSE, r->child, FD_A) != NULL;
        const struct seen_frame *f = of_fd(r, FRAME_OPEN, r->child, FD_A);
        opened |= f && span_equals(facts_get(f->subject.facts, "node"), "226:4002");
    }
    assert_true(closed);
    assert_true(opened);
}

/* ---- texts of clients ---------------------------------------------------------------------------------------------- */

/* In a process of its own: mounts a folder over the child's fdinfo. The exit status: 0 good. */
static int in_own_mounts(struct rig *r, int (*body)(struct rig *r)) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0)
            _exit(77);
        _exit(body(r));
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void put_client(struct rig *r, int fd, int client) {
    char path[40];
    snprintf(path, sizeof path, "fdinfo/%d", fd);
    tree_text(r->dir, path, "pos:\t0\ndrm-driver:\tamdgpu\ndrm-client-id:\t%d\n", client);
}

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);                                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static int text_tells(struct rig *r) {
    char *source = path_join(r->dir, "fdinfo");
    char target[60];
    put_client(r, FD_A, 7);
    snprintf(target, sizeof target, "/proc/%d/fdinfo", r->child);
    if (mount(source, target, "none", MS_BIND, NULL) != 0)
        return 77;
    free(source);
    start(r);
    tick(r);
    tick(r);
    const struct seen_frame *f = of_fd(r, FDINFO_FDINFO, r->child, FD_A);
    CHECK(f && strstr(seen_body(f), "drm-client-id:\t7\n"));
    /* What is kept open hands out the other file's text without an error. */
    put_client(r, FD_A, 8);
    tick(r);
    f = of_fd(r, FRAME_CLOSE, r->child, FD_A);
    CHECK(f && strcmp(seen_body(f), "reason=reused\n") == 0);
    uint32_t old = f->subject.id;
    f = of_fd(r, FDINFO_FDINFO, r->child, FD_A);
    CHECK(f && f->subject.id != old && strstr(seen_body(f), "drm-client-id:\t8\n"));
    tick(r);
    CHECK(of_fd(r, FDINFO_FDINFO, r->child, FD_A));
    CHECK(seen_count(&r->seen, (struct seen_want){FRAME_OPEN, -1, r->child, -1}) == 0);
    stop(r);
    return 0;
}

static void test_text_tells_reuse(void **state) {
    struct rig *r = *state;
    NEED_NODES(r);
    child_start(r);
    tell(r, 'a');
    int result = in_own_mounts(r, text_tells);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
}

/* ---- refusals --------------------------------------------------------------------------------------------------------- */

static uint64_t unreadable(const struct rig *r, const char *reason) {
    char key[60];
    const struct seen_frame *end = seen_only(&r->seen, (struct seen_want){FRAME_END, -1, -1, -1});
    snprintf(key, sizeof key, "unreadable.%s", reason);
    return facts_u64(seen_body(end), key, 0);
}

/* As somebody without rights, with a child that may be looked into or not. */
static int as_nobody(struct rig *r) {
    hold(r->node_a, FD_A); /* where the node lies is not everybody's to enter */
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 77;
    child_start(r);
    tell(r, 'y');
    start(r);
    tick(r);
    tick(r);
    CHECK(of_fd(r, FDINFO_FDINFO, r->child, FD_A));
    uint64_t own = unreadable(r, "not_dumpable");
    CHECK(unreadable(r, "denied") > 0); /* process 1 at least */
    stop(r);
    tell(r, 'n');
    start(r);
    tick(r);
    CHECK(!of_process(r, FRAME_OPEN, r->child));
    CHECK(unreadable(r, "not_dumpable") == own + 1);
    tick(r);
    CHECK(unreadable(r, "not_dumpable") == own + 1);
    stop(r);
    return 0;
}

static void test_refusals(void **state) {
    struct rig *r = *state;
    int status = 0;
    NEED_NODES(r);
    pid_t pid = fork();
    if (pid == 0)
        _exit(as_nobody(r));
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* /proc that hides the others: nobody knows how many there are, so one stands for them. */
static int hidden(struct rig *r) {
    if (mount("proc", "/proc", "proc", 0, "hidepid=2") != 0 || setgid(65534) != 0 ||
        setuid(65534) != 0)
        return 77;
    start(r);
    tick(r);
    CHECK(unreadable(r, "hidepid") == 1);
    stop(r);
    return 0;
}

static void test_hidepid(void **state) {
    struct rig *r = *state;
    int result = in_own_mounts(r, hidden);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
}

int main(void) {
#define REAL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        REAL_TEST(test_open_dup_fork_close_exit),
        REAL_TEST(test_number_reused),
        REAL_TEST(test_text_tells_reuse),
        REAL_TEST(test_refusals),
        REAL_TEST(test_hidepid),
    };
#undef REAL_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
