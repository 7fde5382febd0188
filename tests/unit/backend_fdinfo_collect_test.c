/* The index of descriptors over small trees: who holds a device, since when, until when, and why no longer. Some
 * trees stand for the machine itself (not another root): there nodes are told by their numbers and files are
 * kept open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/fdinfo/fdinfo.h"
#include "gwtop/source.h"
#include "iospy.h"
#include "scratch.h"
#include "seen.h"
#include "tree.h"

static const struct backend *const backends[] = {&backend_fdinfo};
static const struct backend_table table = {backends, 1};

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

static void put_device(const char *root, unsigned card, const char *slot, const char *driver) {
    char path[200];
    snprintf(path, sizeof path, "sys/class/drm/card%u/device/uevent", card);
    tree_text(root, path, "DRIVER=%s\nPCI_SLOT_NAME=%s\n", driver, slot);
    snprintf(path, sizeof path, "sys/class/drm/renderD%u/device/uevent", 128 + card);
    tree_text(root, path, "DRIVER=%s\nPCI_SLOT_NAME=%s\n", driver, slot);
}

static void put_process(const char *root, int pid, unsigned long start) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(root, path,
              "%d (a b) c) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %lu 100 100 0 0 0 0 0\n", pid,
              start);
    snprintf(path, sizeof path, "proc/%d/fd", pid);
    tree_folder(root, path);
    snprintf(path, sizeof path, "proc/%d/fd/0", pid);
    tree_link(root, path, "/dev/null");
}

static void put_text(const char *root, int pid, int fd, int client) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
    tree_text(root, path,
              "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-client-id:\t%d\n"
              "drm-pdev:\t0000:03:00.0\ndrm-engine-gfx:\t1000 ns\n",
              client);
}

static void put_fd(const char *root, int pid, int fd, const char *to, int client) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/fd/%d", pid, fd);
    tree_link(root, path, to);
    put_text(root, pid, fd, client);
}

static void drop_fd(const char *root, int pid, int fd) {
    char path[100];
    snprintf(path, sizeof path, "proc/%d/fd/%d", pid, fd);
    tree_drop(root, path);
    snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
    tree_drop(root, path);
}

/* ---- the rig ------------------------------------------------------------------------------------------- */

/* rooted: another machine's tree; else the tree stands for this machine. */
static void start(struct rig *r, bool rooted) {
    struct host_options o = {.root = r->root, .io = &r->spy.io, .delay_ns = 1000000000};
    iospy_init(&r->spy);
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

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    r->root = scratch_make();
    put_device(r->root, 0, "0000:03:00.0", "amdgpu");
    put_process(r->root, 100, 5000);
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

/* The node of the tree as this machine's; skips where it cannot be made. */
static char *make_node(struct rig *r, const char *name, unsigned minor) {
    char path[100];
    snprintf(path, sizeof path, "dev/dri/%s", name);
    if (!tree_node(r->root, path, 226, minor))
        return NULL;
    return path_join(r->root, "%s", path);
}

#define NEED(thing)                                                                                \
    do {                                                                                           \
        if (!(thing)) {                                                                            \
            start(r, true);                                                                        \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

static unsigned count(const struct rig *r, int kind, int type, int pid) {
    return seen_count(&r->seen, (struct seen_want){kind, type, pid, -1});
}

static const struct seen_frame *only(const struct rig *r, int kind, int type, int pid) {
    return seen_only(&r->seen, (struct seen_want){kind, type, pid, -1});
}

static const struct seen_frame *of_fd(const struct rig *r, int kind, int pid, int fd) {
    return seen_only(&r->seen, (struct seen_want){kind, SUBJECT_HOLDER, pid, fd});
}

static void assert_closed(const struct rig *r, int type, int pid, const char *reason) {
    char text[40];
    const struct seen_frame *f = only(r, FRAME_CLOSE, type, pid);
    assert_non_null(f);
    snprintf(text, sizeof text, "reason=%s\n", reason);
    assert_string_equal(seen_body(f), text);
}

static uint64_t end_number(const struct rig *r, const char *key) {
    return facts_u64(seen_body(only(r, FRAME_END, -1, -1)), key, 9999);
}

/* ---- who is a client --------------------------------------------------------------------------------------- */

static void test_finds_holders(void **state) {
    struct rig *r = *state;
    put_process(r->root, 101, 6000);
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    put_fd(r->root, 100, 5, "/dev/dri/card0", 8);
    put_fd(r->root, 101, 3, "/dev/dri/card0x", 9);
    put_fd(r->root, 101, 4, "/dev/dri/by-path/card0", 9);
    put_fd(r->root, 101, 5, "/tmp/dri/card0", 9);
    put_fd(r->root, 101, 6, "socket:[1234]", 9);
    put_fd(r->root, 101, 7, "/dev/dri/", 9);
    put_fd(r->root, 101, 8, "card0", 9);
    start(r, true);
    tick(r);
    assert_int_equal(count(r, FRAME_OPEN, SUBJECT_PROCESS, -1), 1);
    assert_int_equal(count(r, FRAME_OPEN, SUBJECT_HOLDER, -1), 2);
    const struct seen_frame *p = only(r, FRAME_OPEN, SUBJECT_PROCESS, 100);
    const struct seen_frame *h = of_fd(r, FRAME_OPEN, 100, 4);
    const struct seen_frame *text = of_fd(r, FDINFO_FDINFO, 100, 4);
    const struct subject *device = roster_device(r->host, 226, 128);
    assert_non_null(p);
    assert_non_null(h);
    assert_non_null(text);
    assert_int_equal(p->subject.start, 5000);
    assert_int_equal(h->subject.parent, p->subject.id);
    assert_int_equal(h->subject.device, device->id);
    assert_int_equal(h->subject.start, 5000);
    assert_int_equal(h->subject.backend, 1);
    assert_true(span_equals(facts_get(h->subject.facts, "node"), "226:128"));
    assert_true(
        span_equals(facts_get(of_fd(r, FRAME_OPEN, 100, 5)->subject.facts, "node"), "226:0"));
    assert_non_null(strstr(seen_body(text), "drm-client-id:\t7\n"));
    assert_true(text->frame.t_ns >= h->frame.t_ns);
    assert_int_equal(end_number(r, "processes"), 2);
    assert_int_equal(end_number(r, "looked"), 2);
    tick(r);
    assert_int_equal(count(r, FRAME_OPEN, -1, -1), 0);
    assert_int_equal(count(r, FDINFO_FDINFO, -1, -1), 2);
}

static void test_accel_is_a_client_too(void **state) {
    struct rig *r = *state;
    tree_text(r->root, "sys/class/accel/accel0/device/uevent",
              "DRIVER=amdxdna\nPCI_SLOT_NAME=0000:c5:00.1\n");
    put_fd(r->root, 100, 9, "/dev/accel/accel0", 76);
    start(r, true);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 9));
    assert_int_equal(of_fd(r, FRAME_OPEN, 100, 9)->subject.device,
                     roster_device(r->host, 261, 0)->id);
}

/* dup and fork: each descriptor is a holder, whoever counts sees by the client id that it is one client. */
static void test_copies_of_a_descriptor(void **state) {
    struct rig *r = *state;
    put_process(r->root, 101, 6000);
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    put_fd(r->root, 100, 5, "/dev/dri/renderD128", 7);
    put_fd(r->root, 100, 6, "/dev/dri/renderD128", 7);
    put_fd(r->root, 101, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    assert_int_equal(count(r, FDINFO_FDINFO, SUBJECT_HOLDER, -1), 4);
    assert_int_equal(count(r, FRAME_OPEN, SUBJECT_PROCESS, -1), 2);
    drop_fd(r->root, 100, 5);
    tick(r);
    assert_int_equal(count(r, FDINFO_FDINFO, SUBJECT_HOLDER, -1), 3);
    assert_closed(r, SUBJECT_HOLDER, 100, "closed");
    assert_int_equal(count(r, FRAME_CLOSE, SUBJECT_PROCESS, -1), 0);
}

static void test_descriptor_opened_later(void **state) {
    struct rig *r = *state;
    start(r, true);
    tick(r);
    assert_int_equal(count(r, FRAME_OPEN, SUBJECT_PROCESS, -1), 0);
    put_fd(r->root, 100, 12, "/dev/dri/renderD128", 7);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 12));
    put_process(r->root, 102, 7000);
    put_fd(r->root, 102, 12, "/dev/dri/renderD128", 8);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 102, 12));
}

/* ---- ends ----------------------------------------------------------------------------------------------------- */

static void test_process_lives_on_without(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    drop_fd(r->root, 100, 4);
    tick(r);
    assert_closed(r, SUBJECT_HOLDER, 100, "closed");
    assert_closed(r, SUBJECT_PROCESS, 100, "closed");
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 9);
    tick(r);
    assert_non_null(only(r, FRAME_OPEN, SUBJECT_PROCESS, 100));
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
}

static void test_process_exits(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    tree_drop(r->root, "proc/100");
    tick(r);
    assert_closed(r, SUBJECT_HOLDER, 100, "exited");
    assert_closed(r, SUBJECT_PROCESS, 100, "exited");
    tick(r);
    assert_int_equal(count(r, -1, SUBJECT_PROCESS, -1), 0);
}

static void test_zombie_has_exited(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    tree_text(r->root, "proc/100/stat",
              "100 (a b) c) Z 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5000 0 0 0 0\n");
    drop_fd(r->root, 100, 4);
    tick(r);
    assert_closed(r, SUBJECT_PROCESS, 100, "exited");
}

/* The same pid is not the same process. */
static void test_pid_reused(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    tree_drop(r->root, "proc/100");
    put_process(r->root, 100, 9000);
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 8);
    tick(r);
    assert_closed(r, SUBJECT_HOLDER, 100, "exited");
    assert_closed(r, SUBJECT_PROCESS, 100, "exited");
    const struct seen_frame *p = only(r, FRAME_OPEN, SUBJECT_PROCESS, 100);
    assert_non_null(p);
    assert_int_equal(p->subject.start, 9000);
    const struct seen_frame *text = of_fd(r, FDINFO_FDINFO, 100, 4);
    assert_non_null(text);
    assert_int_equal(text->subject.start, 9000);
    assert_non_null(strstr(seen_body(text), "drm-client-id:\t8\n"));
}

/* ---- numbers used again ------------------------------------------------------------------------------------------ */

static void test_number_reused_by_another_client(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    put_text(r->root, 100, 4, 8); /* the folder does not change: only the text tells */
    tick(r);
    assert_closed(r, SUBJECT_HOLDER, 100, "reused");
    const struct seen_frame *text = of_fd(r, FDINFO_FDINFO, 100, 4);
    const struct seen_frame *open = of_fd(r, FRAME_OPEN, 100, 4);
    assert_non_null(text);
    assert_non_null(open);
    assert_int_equal(text->frame.subject, open->frame.subject);
    assert_non_null(strstr(seen_body(text), "drm-client-id:\t8\n"));
    assert_int_equal(count(r, FRAME_CLOSE, SUBJECT_PROCESS, -1), 0);
    tick(r);
    assert_int_equal(count(r, FRAME_OPEN, -1, -1), 0);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
}

static void test_number_reused_by_another_device(void **state) {
    struct rig *r = *state;
    put_device(r->root, 1, "0000:04:00.0", "i915");
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    put_fd(r->root, 100, 4, "/dev/dri/renderD129", 8);
    tick(r);
    assert_int_equal(count(r, FRAME_CLOSE, SUBJECT_HOLDER, 100), 1);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->subject.device,
                     roster_device(r->host, 226, 129)->id);
}

/* Another file has the number: its text is nobody's. */
static void test_number_reused_by_another_file(void **state) {
    struct rig *r = *state;
    char *node = make_node(r, "renderD128", 128);
    NEED(node);
    put_fd(r->root, 100, 4, node, 7);
    start(r, false);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
    tree_link(r->root, "proc/100/fd/4", "/dev/null");
    tree_text(r->root, "proc/100/fdinfo/4", "pos:\t0\nflags:\t02\n");
    tick(r);
    assert_int_equal(count(r, FDINFO_FDINFO, SUBJECT_HOLDER, -1), 0);
    assert_closed(r, SUBJECT_HOLDER, 100, "closed");
    assert_closed(r, SUBJECT_PROCESS, 100, "closed");
    free(node);
}

/* Drivers that say nothing of clients: the node is held all the same. */
static void test_text_without_client(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    tree_text(r->root, "proc/100/fdinfo/4", "pos:\t0\nflags:\t02\nmnt_id:\t26\n");
    start(r, true);
    for (int i = 0; i < 3; i++) {
        tick(r);
        assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
        assert_int_equal(count(r, FRAME_OPEN, SUBJECT_HOLDER, -1), i == 0);
        assert_int_equal(count(r, FRAME_CLOSE, -1, -1), 0);
    }
}

/* As before 5.19: keys without "drm-", and no client id. */
static void test_oldest_form_stays(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    for (int i = 0; i < 3; i++) {
        tree_text(r->root, "proc/100/fdinfo/4",
                  "pos:\t0\npdev:\t0000:03:00.0\npasid:\t32771\nvram mem:\t%d kB\ngfx0:\t5.37%%\n",
                  1000 + i);
        if (i == 0)
            start(r, true);
        tick(r);
        assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
        assert_int_equal(count(r, FRAME_CLOSE, -1, -1), 0);
    }
}

/* The place of the client id in the text moves with what stands before it. */
static void test_client_id_elsewhere_in_the_text(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    tree_text(r->root, "proc/100/fdinfo/4",
              "pos:\t123456789\nflags:\t02\ndrm-driver:\tamdgpu\ndrm-client-id:\t7\n");
    tick(r);
    assert_int_equal(count(r, FRAME_CLOSE, -1, -1), 0);
    tree_text(r->root, "proc/100/fdinfo/4",
              "pos:\t123456789\nflags:\t02\ndrm-driver:\tamdgpu\ndrm-client-id:\t77\n");
    tick(r);
    assert_closed(r, SUBJECT_HOLDER, 100, "reused");
}

/* ---- the machine itself: kept-open files, the sweep ----------------------------------------------------------------- */

static void test_files_are_kept_open(void **state) {
    struct rig *r = *state;
    char *node = make_node(r, "renderD128", 128);
    NEED(node);
    put_process(r->root, 101, 6000);
    put_fd(r->root, 100, 4, node, 7);
    start(r, false);
    long keep_left = r->host->keep_left;
    tick(r);
    assert_int_equal(r->host->keep_left, keep_left - 1);
    tick(r);
    for (int i = 0; i < 5; i++) {
        put_text(r->root, 100, 4, 7);
        tick(r);
        assert_false(iospy_opened(&r->spy, "100/fdinfo/4"));
        assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
    }
    tree_drop(r->root, "proc/100");
    tick(r);
    assert_closed(r, SUBJECT_PROCESS, 100, "exited");
    assert_int_equal(r->host->keep_left, keep_left);
    free(node);
}

static void test_no_room_to_keep(void **state) {
    struct rig *r = *state;
    char *node = make_node(r, "renderD128", 128);
    NEED(node);
    put_fd(r->root, 100, 4, node, 7);
    put_fd(r->root, 100, 5, node, 8);
    start(r, false);
    r->host->keep_left = 1;
    for (int i = 0; i < 3; i++) {
        tick(r);
        assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
        assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 5));
        assert_int_equal(r->host->keep_left, 0);
    }
    free(node);
}

/* Size and inode of the folder are the same as before: only a look finds it. */
static void test_sweep_finds_a_swap(void **state) {
    struct rig *r = *state;
    char *node = make_node(r, "renderD128", 128);
    unsigned ticks = 0;
    NEED(node);
    for (int pid = 101; pid < 140; pid++)
        put_process(r->root, pid, 6000);
    put_text(r->root, 120, 0, 7);
    start(r, false);
    tick(r);
    tick(r);
    tree_link(r->root, "proc/120/fd/0", node);
    do
        tick(r);
    while (++ticks < 64 && !of_fd(r, FRAME_OPEN, 120, 0));
    assert_true(ticks < 64);
    free(node);
}

/* Thousands of descriptors that change all the time: looked at now and then, and found all the same. */
static void test_busy_server(void **state) {
    struct rig *r = *state;
    char path[100];
    uint64_t looked = 0;
    unsigned ticks = 0;
    for (int fd = 10; fd < 4010; fd++) {
        snprintf(path, sizeof path, "proc/100/fd/%d", fd);
        tree_link(r->root, path, "socket:[1]");
    }
    start(r, true);
    tick(r);
    for (int i = 0; i < 12; i++) {
        snprintf(path, sizeof path, "proc/100/fd/%d", 5000 + i);
        tree_link(r->root, path, "socket:[2]");
        tick(r);
        looked += end_number(r, "looked");
    }
    assert_in_range(looked, 3, 6); /* each 2 s or so */
    put_fd(r->root, 100, 6000, "/dev/dri/renderD128", 7);
    do
        tick(r);
    while (!of_fd(r, FDINFO_FDINFO, 100, 6000) && ++ticks < 10);
    assert_true(ticks <= 3);
    /* A client is looked at each second. */
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "proc/100/fd/%d", 7000 + i);
        tree_link(r->root, path, "socket:[2]");
        tick(r);
        assert_int_equal(end_number(r, "looked"), 1);
    }
}

/* Before Linux 6.2 the folder says nothing: all are looked into in 5 s, holders each second. */
static void test_without_sizes(void **state) {
    struct rig *r = *state;
    char *node = make_node(r, "renderD128", 128);
    unsigned ticks = 0;
    NEED(node);
    tree_folder(r->root, "proc/self/fd");
    for (int pid = 101; pid < 150; pid++)
        put_process(r->root, pid, 6000);
    put_fd(r->root, 100, 4, node, 7);
    start(r, false);
    r->spy.sizeless = true;
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
    assert_int_equal(end_number(r, "looked"), 50);
    drop_fd(r->root, 100, 4);
    put_fd(r->root, 100, 5, node, 8);
    tick(r);
    assert_non_null(of_fd(r, FRAME_CLOSE, 100, 4));
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 5));
    assert_true(end_number(r, "looked") <= 12);
    put_fd(r->root, 131, 4, node, 9);
    while (!of_fd(r, FRAME_OPEN, 131, 4) && ++ticks < 20)
        tick(r);
    assert_true(ticks <= 6);
    put_process(r->root, 200, 8000);
    put_fd(r->root, 200, 4, node, 10);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 200, 4));
    free(node);
}

/* ---- sleep ------------------------------------------------------------------------------------------------------------ */

static void put_status(struct rig *r, const char *status) {
    tree_text(r->root, "sys/class/drm/card0/device/power/runtime_status", "%s\n", status);
}

static void test_sleeping_xe_is_not_read(void **state) {
    struct rig *r = *state;
    put_device(r->root, 0, "0000:03:00.0", "xe");
    put_status(r, "active");
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
    put_status(r, "suspended");
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_ASLEEP);
    assert_false(iospy_opened(&r->spy, "100/fdinfo/4"));
    put_fd(r->root, 100, 5, "/dev/dri/renderD128", 8);
    tick(r);
    /* Said once of each; nobody is closed. */
    assert_int_equal(count(r, FDINFO_FDINFO, -1, -1), 1);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 5)->frame.outcome, OUTCOME_ASLEEP);
    assert_int_equal(count(r, FRAME_CLOSE, -1, -1), 0);
    tick(r);
    assert_int_equal(count(r, FDINFO_FDINFO, -1, -1), 0);
    put_status(r, "active");
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 5)->frame.outcome, OUTCOME_OK);
    put_status(r, "suspended");
    tick(r);
    assert_int_equal(count(r, FDINFO_FDINFO, -1, -1), 2);
}

static void test_sleeping_amdgpu_is_read(void **state) {
    struct rig *r = *state;
    put_status(r, "suspended");
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
}

static void test_wake_reads_all_the_same(void **state) {
    struct rig *r = *state;
    put_device(r->root, 0, "0000:03:00.0", "xe");
    put_status(r, "suspended");
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    r->host->wake = true;
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
}

/* ---- devices come and go ------------------------------------------------------------------------------------------------ */

/* Comes within a tick, after devices were looked for and before descriptors are. */
static const char *late_root;

static enum err late_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    (void)s;
    (void)now_ns;
    (void)sink;
    if (late_root)
        put_device(late_root, 2, "0000:05:00.0", "i915");
    late_root = NULL;
    return ERR_OK;
}

static void late_close(struct source *s) {
    (void)s;
}

static const struct source_ops late_ops = {.read = late_read, .close = late_close};
static struct source late_source = {&late_ops};

static bool late_probe(const struct host *h, const struct device_info *d) {
    (void)h;
    return !d;
}

static enum err late_open(struct host *h, const struct device_info *d, struct source **out) {
    (void)h;
    (void)d;
    *out = &late_source;
    return ERR_OK;
}

static const struct backend late = {.name = "late", .probe = late_probe, .open = late_open};
static const struct backend *const with_late[] = {&late, &backend_fdinfo};
static const struct backend_table late_table = {with_late, 2};

static void test_device_comes_within_a_tick(void **state) {
    struct rig *r = *state;
    struct host_options o = {.root = r->root, .io = &r->spy.io, .delay_ns = 1000000000};
    put_fd(r->root, 100, 4, "/dev/dri/renderD130", 7);
    put_fd(r->root, 100, 5, "/dev/dri/renderD128", 8);
    iospy_init(&r->spy);
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    assert_int_equal(live_create(r->host, &late_table, &r->live, NULL), ERR_OK);
    r->sink = seen_sink(&r->seen);
    r->now_ns = 1000000000;
    late_root = r->root;
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->subject.device,
                     roster_device(r->host, 226, 130)->id);
    /* Its state was told before anything of it was read. */
    assert_int_equal(count(r, FRAME_STATE, SUBJECT_DEVICE, -1), 2);
    for (int i = 0; i < 7; i++) {
        tick(r);
        assert_int_equal(count(r, FRAME_CLOSE, -1, -1), 0);
        assert_int_equal(count(r, FRAME_OPEN, -1, -1), 0);
        assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
    }
}

/* No such device anywhere: a client is still a client, from the first tick on. */
static void test_client_of_no_device(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD200", 7);
    put_fd(r->root, 100, 5, "/dev/dri/renderD201", 8);
    start(r, true);
    tick(r);
    const struct seen_frame *h = of_fd(r, FRAME_OPEN, 100, 4);
    assert_non_null(h);
    assert_int_equal(h->subject.device, 0);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 5)->frame.outcome, OUTCOME_OK);
    put_device(r->root, 72, "0000:05:00.0", "i915");
    tick(r);
    const struct seen_frame *f = of_fd(r, FRAME_CLOSE, 100, 4);
    assert_non_null(f);
    assert_string_equal(seen_body(f), "reason=removed\n");
    assert_int_equal(of_fd(r, FRAME_OPEN, 100, 4)->subject.device,
                     roster_device(r->host, 226, 200)->id);
}

static void test_device_goes(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    tick(r);
    tree_drop(r->root, "sys/class/drm/card0");
    tree_drop(r->root, "sys/class/drm/renderD128");
    tick(r);
    assert_closed(r, SUBJECT_DEVICE, -1, "removed");
    assert_closed(r, SUBJECT_HOLDER, 100, "removed");
    put_device(r->root, 0, "0000:03:00.0", "amdgpu");
    tick(r);
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->subject.device,
                     roster_device(r->host, 226, 128)->id);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------- */

static void test_unreadable_process_is_counted(void **state) {
    struct rig *r = *state;
    put_process(r->root, 101, 6000);
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    put_fd(r->root, 101, 4, "/dev/dri/renderD128", 8);
    start(r, true);
    r->spy.deny_tail = "proc/101/fd";
    r->spy.deny_sys = EACCES;
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 100, 4));
    assert_null(of_fd(r, FDINFO_FDINFO, 101, 4));
    assert_int_equal(end_number(r, "unreadable.denied"), 1);
    tick(r);
    assert_int_equal(end_number(r, "unreadable.denied"), 1);
    /* A look later it may be read. */
    r->spy.deny_tail = NULL;
    tick(r);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 101, 4));
    assert_int_equal(end_number(r, "unreadable.denied"), 9999);
}

static void test_denied_text_is_a_frame(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    put_fd(r->root, 100, 5, "/dev/dri/renderD128", 8);
    start(r, true);
    r->spy.deny_tail = "100/fdinfo/4";
    r->spy.deny_sys = EACCES;
    for (int i = 0; i < 2; i++) {
        tick(r);
        const struct seen_frame *f = of_fd(r, FDINFO_FDINFO, 100, 4);
        assert_non_null(f);
        assert_int_equal(f->frame.outcome, OUTCOME_DENIED);
        assert_int_equal(f->frame.sys, EACCES);
        assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 5)->frame.outcome, OUTCOME_OK);
        assert_int_equal(count(r, FRAME_CLOSE, -1, -1), 0);
    }
    r->spy.deny_tail = NULL;
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
}

/* Out of descriptors: nothing is lost for good. */
static void test_out_of_descriptors(void **state) {
    struct rig *r = *state;
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    r->spy.deny_tail = "100/fd";
    r->spy.deny_sys = EMFILE;
    tick(r);
    assert_int_equal(count(r, FRAME_OPEN, SUBJECT_PROCESS, -1), 0);
    r->spy.deny_tail = "100/fdinfo/4";
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_FAILED);
    r->spy.deny_tail = NULL;
    tick(r);
    assert_int_equal(of_fd(r, FDINFO_FDINFO, 100, 4)->frame.outcome, OUTCOME_OK);
}

/* ---- sizes ---------------------------------------------------------------------------------------------------------------- */

static void put_long_text(struct rig *r, size_t n) {
    char *text = malloc(n + 1);
    static const char head[] = "drm-driver:\tamdgpu\ndrm-client-id:\t7\n";
    for (size_t i = 0; i < n; i++)
        text[i] = i % 50 == 49 ? '\n' : 'x';
    memcpy(text, head, sizeof head - 1);
    text[n] = '\0';
    text[n - 1] = '\n';
    tree_text(r->root, "proc/100/fdinfo/4", "%s", text);
    free(text);
}

static void test_long_texts(void **state) {
    struct rig *r = *state;
    static const struct {
        size_t size;
        size_t read;
    } cases[] = {{65535, 65535},     {65536, 65536},     {65537, 65537},
                 {1048576, 1048576}, {1048577, 1048576}, {300, 300}};
    put_fd(r->root, 100, 4, "/dev/dri/renderD128", 7);
    start(r, true);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_long_text(r, cases[i].size);
        tick(r);
        const struct seen_frame *f = of_fd(r, FDINFO_FDINFO, 100, 4);
        assert_non_null(f);
        assert_int_equal(f->frame.size, cases[i].read);
    }
    tree_text(r->root, "proc/100/fdinfo/4", "%s", "");
    tick(r);
    assert_int_equal(count(r, FRAME_CLOSE, SUBJECT_HOLDER, 100), 1);
}

/* What stands in /proc need not be numbers, and numbers need not be pids. */
static void test_strange_names(void **state) {
    struct rig *r = *state;
    tree_folder(r->root, "proc/99999999999999999999");
    tree_folder(r->root, "proc/0");
    tree_folder(r->root, "proc/12x");
    tree_folder(r->root, "proc/2147483648");
    put_process(r->root, 2147483647, 8000);
    put_fd(r->root, 2147483647, 4, "/dev/dri/renderD128", 7);
    put_fd(r->root, 100, 5, "/dev/dri/renderD4294967296", 7);
    tree_link(r->root, "proc/100/fd/99999999999", "/dev/dri/renderD128");
    tree_link(r->root, "proc/100/fd/x1", "/dev/dri/renderD128");
    start(r, true);
    tick(r);
    assert_int_equal(end_number(r, "processes"), 2);
    assert_int_equal(count(r, FRAME_OPEN, SUBJECT_HOLDER, -1), 1);
    assert_non_null(of_fd(r, FDINFO_FDINFO, 2147483647, 4));
}

static void test_no_proc(void **state) {
    struct rig *r = *state;
    tree_drop(r->root, "proc");
    start(r, true);
    tick(r);
    assert_int_equal(count(r, -1, SUBJECT_PROCESS, -1), 0);
}

int main(void) {
#define COLLECT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        COLLECT_TEST(test_finds_holders),
        COLLECT_TEST(test_accel_is_a_client_too),
        COLLECT_TEST(test_copies_of_a_descriptor),
        COLLECT_TEST(test_descriptor_opened_later),
        COLLECT_TEST(test_process_lives_on_without),
        COLLECT_TEST(test_process_exits),
        COLLECT_TEST(test_zombie_has_exited),
        COLLECT_TEST(test_pid_reused),
        COLLECT_TEST(test_number_reused_by_another_client),
        COLLECT_TEST(test_number_reused_by_another_device),
        COLLECT_TEST(test_number_reused_by_another_file),
        COLLECT_TEST(test_text_without_client),
        COLLECT_TEST(test_oldest_form_stays),
        COLLECT_TEST(test_client_id_elsewhere_in_the_text),
        COLLECT_TEST(test_files_are_kept_open),
        COLLECT_TEST(test_no_room_to_keep),
        COLLECT_TEST(test_sweep_finds_a_swap),
        COLLECT_TEST(test_busy_server),
        COLLECT_TEST(test_without_sizes),
        COLLECT_TEST(test_sleeping_xe_is_not_read),
        COLLECT_TEST(test_sleeping_amdgpu_is_read),
        COLLECT_TEST(test_wake_reads_all_the_same),
        COLLECT_TEST(test_device_comes_within_a_tick),
        COLLECT_TEST(test_client_of_no_device),
        COLLECT_TEST(test_device_goes),
        COLLECT_TEST(test_unreadable_process_is_counted),
        COLLECT_TEST(test_denied_text_is_a_frame),
        COLLECT_TEST(test_out_of_descriptors),
        COLLECT_TEST(test_long_texts),
        COLLECT_TEST(test_strange_names),
        COLLECT_TEST(test_no_proc),
    };
#undef COLLECT_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
