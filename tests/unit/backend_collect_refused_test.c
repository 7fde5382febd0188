/* What collectors could not look at is counted, never taken for nothing; what stands in the place of a file costs
 * what the file says; and a lack of descriptors costs kept-open files before it costs a look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- the tree ------------------------------------------------------------------------------------- */

static void put_device(const char *root) {
    tree_text(root, "sys/class/drm/renderD128/device/uevent",
              "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:03:00.0\n");
}

static void put_fd(const char *root, int pid, int fd, const char *to) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/fd/%d", pid, fd);
    tree_link(root, path, to);
    snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
    tree_text(root, path, "drm-driver:\tamdgpu\ndrm-client-id:\t%d\n", pid * 100 + fd);
}

static void put_process(const char *root, int pid) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(root, path, "%d (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 100 100 0 0 0 0 0\n",
              pid, 5000 + pid);
    snprintf(path, sizeof path, "proc/%d/cmdline", pid);
    tree_text(root, path, "x%c", 0);
    snprintf(path, sizeof path, "proc/%d/cgroup", pid);
    tree_text(root, path, "0::/a\n");
    snprintf(path, sizeof path, "proc/%d/status", pid);
    tree_text(root, path, "Name:\tx\nUid:\t0\t0\t0\t0\n");
    put_fd(root, pid, 4, "/dev/dri/renderD128");
}

/* ---- the rig ------------------------------------------------------------------------------------------- */

static void start(struct rig *r, bool rooted) {
    struct host_options o = {.root = r->root, .io = &r->spy.io, .delay_ns = 1000000000};
    r->seen = (struct seen){0};
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    r->host->rooted = rooted;
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

static void stop(struct rig *r) {
    r->live->ops->close(r->live);
    host_destroy(r->host);
    assert_int_equal(r->spy.open_now, 0);
    seen_finish(&r->seen);
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    r->root = scratch_make();
    iospy_init(&r->spy);
    put_device(r->root);
    tree_text(r->root, "etc/passwd", "root:x:0:0::/:/bin/sh\n");
    put_process(r->root, 100);
    put_process(r->root, 101);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    iospy_finish(&r->spy);
    scratch_remove(r->root);
    free(r);
    return 0;
}

static const struct seen_frame *text_of(const struct rig *r, int pid, int fd) {
    return seen_only(&r->seen, (struct seen_want){FDINFO_FDINFO, SUBJECT_HOLDER, pid, fd});
}

static bool reads_well(const struct rig *r, int pid, int fd) {
    const struct seen_frame *f = text_of(r, pid, fd);
    return f && f->frame.outcome == OUTCOME_OK;
}

static const struct seen_frame *of(const struct rig *r, int kind, int pid) {
    return seen_only(&r->seen, (struct seen_want){kind, SUBJECT_PROCESS, pid, -1});
}

static uint64_t end_number(const struct rig *r, const char *key) {
    const struct seen_frame *f = seen_only(&r->seen, (struct seen_want){FRAME_END, -1, -1, -1});
    return facts_u64(seen_body(f), key, 0);
}

static uint64_t unreadable(const struct rig *r) {
    char key[60];
    uint64_t n = 0;
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        snprintf(key, sizeof key, "unreadable.%s", reason_word(i));
        n += end_number(r, key);
    }
    return n;
}

/* ---- looks that fail ---------------------------------------------------------------------------------------- */

static const struct {
    int sys;
    const char *key;
} refusals[] = {
    {EACCES, "unreadable.denied"},      {EPERM, "unreadable.denied"},
    {EMFILE, "unreadable.failed_read"}, {ENFILE, "unreadable.failed_read"},
    {EIO, "unreadable.failed_read"},    {ELOOP, "unreadable.failed_read"},
    {ENOMEM, "unreadable.failed_read"}, {ENOTDIR, "unreadable.failed_read"},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

/* The folder of its descriptors, one of its texts: either way it was not seen whole. */
static void test_refused_process_is_counted(void **state) {
    static const char *const files[] = {"101/fd", "101/fdinfo/4"};
    struct rig *r = *state;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < REFUSALS; i++) {
            start(r, true);
            r->spy.deny_tail = files[k];
            r->spy.deny_sys = refusals[i].sys;
            for (int t = 0; t < 3; t++) {
                tick(r);
                assert_int_equal(end_number(r, refusals[i].key), 1);
                assert_int_equal(unreadable(r), 1);
                assert_true(reads_well(r, 100, 4));
                assert_false(reads_well(r, 101, 4));
            }
            r->spy.deny_tail = NULL;
            tick(r);
            assert_true(reads_well(r, 101, 4));
            assert_int_equal(unreadable(r), 0);
            /* What was read before stands while it cannot be read. */
            r->spy.deny_tail = files[k];
            tree_link(r->root, "proc/101/fd/1", "/dev/null");
            tick(r);
            assert_null(of(r, FRAME_CLOSE, 101));
            tree_drop(r->root, "proc/101/fd/1");
            r->spy.deny_tail = NULL;
            stop(r);
        }
}

/* How many there are is not known then: one stands for them, and who was known stays. */
static void test_refused_listing_is_counted(void **state) {
    struct rig *r = *state;
    for (size_t i = 0; i < REFUSALS; i++) {
        start(r, true);
        r->spy.deny_tail = "proc/.";
        r->spy.deny_sys = refusals[i].sys;
        tick(r);
        assert_int_equal(end_number(r, refusals[i].key), 1);
        assert_int_equal(end_number(r, "processes"), 0);
        r->spy.deny_tail = NULL;
        tick(r);
        assert_true(reads_well(r, 100, 4));
        r->spy.deny_tail = "proc/.";
        tick(r);
        assert_int_equal(end_number(r, refusals[i].key), 1);
        assert_int_equal(seen_count(&r->seen, (struct seen_want){FRAME_CLOSE, -1, -1, -1}), 0);
        r->spy.deny_tail = NULL;
        stop(r);
    }
}

/* /proc itself, before anything of it was seen; and one that is not there, which is nothing. */
static void test_refused_proc_is_counted(void **state) {
    struct rig *r = *state;
    for (size_t i = 0; i < REFUSALS; i++) {
        r->spy.deny_tail = "/proc";
        r->spy.deny_sys = refusals[i].sys;
        start(r, true);
        for (int t = 0; t < 3; t++) {
            tick(r);
            assert_int_equal(end_number(r, refusals[i].key), 1);
            assert_int_equal(unreadable(r), 1);
        }
        r->spy.deny_tail = NULL;
        tick(r);
        assert_true(reads_well(r, 100, 4));
        assert_int_equal(unreadable(r), 0);
        stop(r);
    }
    r->spy.deny_tail = "/proc";
    r->spy.deny_sys = ENOENT;
    start(r, true);
    tick(r);
    assert_int_equal(unreadable(r), 0);
    stop(r);
}

/* As somebody without rights: 0 where all is as it should be. */
static int as_nobody(struct rig *r) {
    char *proc = path_join(r->root, "proc");
    char *drm = path_join(r->root, "sys/class/drm");
    char *root = r->root;
    int bad = 0;
    /* The way to the root need not be everybody's to go. */
    if (chdir(root) != 0 || chmod(proc, 0) != 0 || chmod(drm, 0) != 0 || setgid(65534) != 0 ||
        setuid(65534) != 0)
        bad = 77;
    if (bad == 0) {
        r->root = ".";
        start(r, true);
        tick(r);
        bad |= (end_number(r, "unreadable.denied") != 1) << 0;
        bad |= (end_number(r, "devices.denied") != 1) << 1;
        bad |= (seen_count(&r->seen, (struct seen_want){FRAME_OPEN, -1, -1, -1}) != 0) << 2;
        stop(r);
        r->root = root;
    }
    free(proc);
    free(drm);
    return bad;
}

static void test_without_rights(void **state) {
    struct rig *r = *state;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(as_nobody(r));
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- something else in the place of a file -------------------------------------------------------------------- */

static void assert_neighbour_is_well(const struct rig *r) {
    assert_true(reads_well(r, 100, 4));
    assert_int_equal(of(r, PROC_STAT, 100)->frame.outcome, OUTCOME_OK);
}

static void test_odd_files(void **state) {
    static const struct {
        const char *name;
        int kind;
    } files[] = {{"stat", PROC_STAT},     {"cmdline", PROC_CMDLINE}, {"cgroup", PROC_CGROUP},
                 {"status", PROC_STATUS}, {"fdinfo/4", -1},          {"fd/7", -1}};
    struct rig *r = *state;
    alarm(60);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (unsigned odd = 0; odd < TREE_ODD_COUNT; odd++) {
            char path[100];
            snprintf(path, sizeof path, "proc/101/%s", files[i].name);
            tree_odd(r->root, path, odd);
            start(r, true);
            tick(r);
            assert_neighbour_is_well(r);
            /* A descriptor without its text was closed meanwhile. */
            bool held = i != 4 || odd != ODD_NOWHERE;
            assert_int_equal(of(r, FRAME_OPEN, 101) != NULL, held);
            for (size_t k = 0; held && k < 4; k++) {
                const struct seen_frame *f = of(r, files[k].kind, 101);
                assert_non_null(f);
                assert_true(f->frame.outcome == OUTCOME_OK || i == k);
                assert_true(f->frame.outcome != OUTCOME_OK || i != k || odd == ODD_ZERO);
            }
            tick(r);
            assert_neighbour_is_well(r);
            stop(r);
            tree_drop(r->root, "proc/101");
            put_process(r->root, 101);
        }
    alarm(0);
}

/* Whole folders, and the list of users. */
static void test_odd_folders(void **state) {
    static const char *const files[] = {"proc/101/fd", "proc/101/fdinfo", "proc/101",
                                        "etc/passwd",  "proc/stat",       "proc/102"};
    struct rig *r = *state;
    alarm(60);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (unsigned odd = 0; odd < TREE_ODD_COUNT; odd++) {
            bool is_fd = i == 0 || i == 2;
            bool is_there = odd != ODD_NOWHERE && odd != ODD_FOLDER;
            tree_odd(r->root, files[i], odd);
            start(r, true);
            tick(r);
            assert_neighbour_is_well(r);
            if (is_fd)
                assert_int_equal(end_number(r, "unreadable.failed_read"), is_there);
            tick(r);
            assert_neighbour_is_well(r);
            stop(r);
            tree_drop(r->root, files[i]);
            tree_text(r->root, "etc/passwd", "root:x:0:0::/:/bin/sh\n");
            tree_folder(r->root, "proc/101");
            tree_drop(r->root, "proc/101");
            put_process(r->root, 101);
        }
    alarm(0);
}

/* The node's name is gone, the node is the same. */
static void test_deleted_node(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 5, "/dev/dri/renderD128 (deleted)");
    put_fd(r->root, 100, 6, "/dev/dri/renderD128(deleted)");
    put_fd(r->root, 100, 7, " (deleted)");
    put_fd(r->root, 100, 8, "/dev/dri/renderD128 (deleted) (deleted)");
    start(r, true);
    tick(r);
    assert_true(reads_well(r, 100, 5));
    assert_int_equal(text_of(r, 100, 5)->subject.device, roster_device(r->host, 226, 128)->id);
    assert_null(text_of(r, 100, 6));
    assert_null(text_of(r, 100, 7));
    assert_null(text_of(r, 100, 8));
    stop(r);
}

/* ---- descriptors ---------------------------------------------------------------------------------------------------- */

enum { MANY = 40 };

/* Kept-open files make way for looks, and the rest is kept open still. */
static void test_kept_files_make_way(void **state) {
    struct rig *r = *state;
    char *node = path_join(r->root, "dev/dri/renderD128");
    if (!tree_node(r->root, "dev/dri/renderD128", 226, 128)) {
        free(node);
        skip();
    }
    for (int fd = 4; fd < 4 + MANY; fd++)
        put_fd(r->root, 100, fd, node);
    put_fd(r->root, 101, 4, node);
    start(r, false);
    tick(r);
    assert_int_equal(unreadable(r), 0);
    unsigned kept = r->spy.open_now;
    assert_true(kept > MANY);
    r->spy.open_max = kept; /* not one is left */
    put_process(r->root, 102);
    put_fd(r->root, 102, 4, node);
    for (int t = 0; t < 5; t++) {
        tick(r);
        assert_int_equal(unreadable(r), 0);
        assert_true(reads_well(r, 102, 4));
        assert_true(reads_well(r, 101, 4));
        for (int fd = 4; fd < 4 + MANY; fd++)
            assert_true(reads_well(r, 100, fd));
        assert_int_equal(of(r, PROC_STAT, 102)->frame.outcome, OUTCOME_OK);
        assert_true(r->spy.open_now >= kept / 2); /* not all of it */
    }
    stop(r);
    free(node);
}

/* No more than one is to be had, and nothing is kept open: all is seen all the same. */
static void test_one_descriptor_is_enough(void **state) {
    struct rig *r = *state;
    start(r, true);
    r->spy.open_max = r->spy.open_now + 1;
    for (int t = 0; t < 3; t++) {
        tick(r);
        assert_neighbour_is_well(r);
        assert_true(reads_well(r, 101, 4));
        assert_int_equal(unreadable(r), 0);
    }
    /* None: nothing is seen, which is said. */
    r->spy.open_max--;
    tick(r);
    assert_int_equal(end_number(r, "unreadable.failed_read"), 1);
    stop(r);
}

/* Names of a process that could not be read for want of descriptors are read in the next tick. */
static void test_names_are_read_again(void **state) {
    static const struct {
        const char *tail;
        int kind;
    } files[] = {{"100/cmdline", PROC_CMDLINE},
                 {"100/cgroup", PROC_CGROUP},
                 {"100/status", PROC_STATUS},
                 {"etc/passwd", PROC_USER}};
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        start(r, true);
        r->spy.deny_tail = files[i].tail;
        r->spy.deny_sys = EMFILE;
        tick(r);
        r->spy.deny_tail = NULL;
        tick(r);
        const struct seen_frame *f = of(r, files[i].kind, 100);
        assert_non_null(f);
        assert_int_equal(f->frame.outcome, OUTCOME_OK);
        assert_string_equal(seen_body(of(r, PROC_USER, 100)), "uid: 0\nuser: root\n");
        tick(r);
        assert_null(of(r, files[i].kind, 100));
        stop(r);
    }
}

int main(void) {
#define REFUSED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        REFUSED_TEST(test_refused_process_is_counted),
        REFUSED_TEST(test_refused_listing_is_counted),
        REFUSED_TEST(test_refused_proc_is_counted),
        REFUSED_TEST(test_without_rights),
        REFUSED_TEST(test_odd_files),
        REFUSED_TEST(test_odd_folders),
        REFUSED_TEST(test_deleted_node),
        REFUSED_TEST(test_kept_files_make_way),
        REFUSED_TEST(test_one_descriptor_is_enough),
        REFUSED_TEST(test_names_are_read_again),
    };
#undef REFUSED_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
