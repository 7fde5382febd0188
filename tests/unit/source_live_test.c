/* The live composite: the order of a tick, the grid of ticks, what becomes of sources that fail; and the
 * host's calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "iospy.h"
#include "scratch.h"
#include "seen.h"
#include "tree.h"

#define S INT64_C(1000000000)

/* ---- two backends that do as they are told ---------------------------------------------------------- */

static struct {
    bool has_machine[2];
    enum err open[2];
    enum err read[2];
    unsigned opened[2];
    unsigned reads[2];
    unsigned closed[2];
    const struct subject *process; /* opened by the first at its next read */
    bool open_process;
    size_t wanted;
    int32_t detail;
    struct host *host;
} act;

struct actor {
    struct source source;
    int which;
};

static const struct backend first;
static const struct backend second;

static enum err actor_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct actor *a = (struct actor *)s;
    int i = a->which;
    (void)now_ns;
    act.reads[i]++;
    if (act.read[i] != ERR_OK)
        return act.read[i];
    if (i == 0 && act.open_process) {
        act.process = roster_process_get(act.host, 4242, 99, sink, clock_mono_ns());
        act.open_process = false;
    }
    struct subject like = {.type = SUBJECT_STREAM, .name = "", .facts = ""};
    like.backend = (uint16_t)roster_backend(act.host, i == 0 ? &first : &second);
    if (act.reads[i] == 1)
        assert_non_null(roster_open(act.host, &like, sink, clock_mono_ns()));
    return ERR_OK;
}

static void actor_want(struct source *s, const struct want *w) {
    if (((struct actor *)s)->which == 1)
        act.wanted = w->process_count;
    act.detail = w->detail_pid;
}

static void actor_close(struct source *s) {
    act.closed[((struct actor *)s)->which]++;
    free(s);
}

static const struct source_ops actor_ops = {
    .read = actor_read, .want = actor_want, .close = actor_close};

static enum err actor_open(int which, struct source **out) {
    struct actor *a;
    act.opened[which]++;
    if (act.open[which] != ERR_OK)
        return act.open[which];
    a = calloc(1, sizeof *a);
    *a = (struct actor){{&actor_ops}, which};
    *out = &a->source;
    return ERR_OK;
}

static bool first_probe(const struct host *h, const struct device_info *d) {
    (void)h;
    return !d && act.has_machine[0];
}

static bool second_probe(const struct host *h, const struct device_info *d) {
    (void)h;
    return !d && act.has_machine[1];
}

static enum err first_open(struct host *h, const struct device_info *d, struct source **out) {
    (void)h;
    (void)d;
    return actor_open(0, out);
}

static enum err second_open(struct host *h, const struct device_info *d, struct source **out) {
    (void)h;
    (void)d;
    return actor_open(1, out);
}

static const struct backend first = {
    .name = "first", .probe = first_probe, .open = first_open, .walks_processes = true};
static const struct backend second = {.name = "second", .probe = second_probe, .open = second_open};
static const struct backend *const list[] = {&first, &second};
static const struct backend_table table = {list, 2};

struct rig {
    char *root;
    struct host *host;
    struct source *live;
    struct seen seen;
    struct frame_sink sink;
};

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    memset(&act, 0, sizeof act);
    act.has_machine[0] = act.has_machine[1] = true;
    r->root = scratch_make();
    tree_text(r->root, "proc/stat", "cpu  1 2 3\nintr 5\nbtime 1700000000\n");
    struct host_options o = {.root = r->root,
                             .delay_ns = S,
                             .machine_facts = "version=1.2\noption.assume-voltage=0.9\n"};
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    assert_int_equal(live_create(r->host, &table, &r->live, NULL), ERR_OK);
    act.host = r->host;
    r->sink = seen_sink(&r->seen);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    r->live->ops->close(r->live);
    host_destroy(r->host);
    scratch_remove(r->root);
    seen_finish(&r->seen);
    free(r);
    return 0;
}

static void tick(struct rig *r, int64_t now_ns) {
    seen_clear(&r->seen);
    assert_int_equal(r->live->ops->read(r->live, now_ns, &r->sink), ERR_OK);
}

static int64_t due(struct rig *r) {
    struct source_wait w;
    r->live->ops->poll(r->live, 0, &w);
    assert_int_equal(w.fd, -1);
    return w.due_ns;
}

static const struct seen_frame *only(const struct rig *r, int kind) {
    return seen_only(&r->seen, (struct seen_want){kind, -1, -1, -1});
}

static void test_order_of_a_tick(void **state) {
    struct rig *r = *state;
    tick(r, 10 * S);
    assert_int_equal(r->seen.items[0].frame.kind, FRAME_MACHINE);
    assert_int_equal(r->seen.items[1].frame.kind, FRAME_BEGIN);
    assert_int_equal(r->seen.items[r->seen.count - 1].frame.kind, FRAME_END);
    const char *machine = seen_body(only(r, FRAME_MACHINE));
    assert_int_equal(facts_u64(machine, "clk_tck", 0), (uint64_t)sysconf(_SC_CLK_TCK));
    assert_int_equal(facts_u64(machine, "page", 0), (uint64_t)sysconf(_SC_PAGESIZE));
    assert_int_equal(facts_u64(machine, "boot_ns", 0), UINT64_C(1700000000) * S);
    assert_true(span_equals(facts_get(machine, "version"), "1.2"));
    assert_true(span_equals(facts_get(machine, "option.assume-voltage"), "0.9"));
    const char *begin = seen_body(only(r, FRAME_BEGIN));
    assert_true(facts_u64(begin, "real_ns", 0) > UINT64_C(1500000000) * S);
    assert_true(facts_u64(begin, "boot_ns", 0) > 0);
    tick(r, 11 * S);
    assert_null(only(r, FRAME_MACHINE));
    assert_int_equal(r->seen.items[0].frame.kind, FRAME_BEGIN);
}

static void test_end_tells_the_cost(void **state) {
    struct rig *r = *state;
    char text[8];
    tick(r, 10 * S);
    r->host->tally.processes = 12;
    r->host->tally.looked = 3;
    r->host->tally.unreadable[REASON_DENIED] = 2;
    for (int i = 0; i < 100; i++)
        host_pread(r->host, -1, text, sizeof text, 0);
    tick(r, 11 * S);
    const char *end = seen_body(only(r, FRAME_END));
    assert_int_equal(facts_u64(end, "processes", 99), 12);
    assert_int_equal(facts_u64(end, "looked", 99), 3);
    assert_int_equal(facts_u64(end, "unreadable.denied", 99), 2);
    assert_true(facts_u64(end, "syscalls", 0) >= 100);
    assert_true(facts_u64(end, "cpu_ns", 0) > 0);
    tick(r, 12 * S);
    end = seen_body(only(r, FRAME_END));
    assert_int_equal(facts_u64(end, "processes", 99), 0);
    assert_int_equal(facts_u64(end, "unreadable.denied", 99), 99);
    assert_true(facts_u64(end, "syscalls", 99) < 50);
}

static void test_grid(void **state) {
    struct rig *r = *state;
    assert_true(due(r) <= clock_mono_ns());
    tick(r, 10 * S);
    assert_int_equal(due(r), 11 * S);
    tick(r, 11 * S + 300); /* late: the next is not */
    assert_int_equal(due(r), 12 * S);
    tick(r, 14 * S + S / 2); /* ticks missed are not made up for */
    assert_int_equal(due(r), 15 * S);
    tick(r, 14 * S + S * 3 / 4); /* asked for */
    assert_int_equal(due(r), 15 * S + S * 3 / 4);
    live_delay(r->live, 2 * S);
    assert_int_equal(due(r), 16 * S + S * 3 / 4);
    tick(r, 16 * S + S * 3 / 4);
    assert_int_equal(due(r), 18 * S + S * 3 / 4);
    live_delay(r->live, 0); /* no interval at all: not taken */
    assert_int_equal(due(r), 18 * S + S * 3 / 4);
}

static bool is_readable(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

/* The first tick in two parts: all is opened in the first, processes are not looked at before it is let go. */
static void test_split(void **state) {
    struct rig *r = *state;
    int opened = live_split(r->live);
    assert_true(opened >= 0);
    assert_false(is_readable(opened));
    assert_int_equal(r->live->ops->read(r->live, 10 * S, &r->sink), ERR_AGAIN);
    assert_true(is_readable(opened));
    assert_int_equal(act.opened[0] + act.opened[1], 2);
    assert_int_equal(act.reads[0], 0);
    assert_int_equal(act.reads[1], 1);
    assert_int_equal(due(r), INT64_MAX);
    assert_int_equal(r->live->ops->read(r->live, 10 * S, &r->sink), ERR_AGAIN);
    act.open_process = true;
    live_go(r->live, 0);
    assert_true(due(r) <= clock_mono_ns());
    assert_int_equal(r->live->ops->read(r->live, 10 * S + 1, &r->sink), ERR_OK);
    assert_int_equal(act.reads[0], 1);
    assert_int_equal(act.reads[1], 1);
    /* One tick, of both. */
    assert_int_equal(r->seen.items[0].frame.kind, FRAME_MACHINE);
    assert_int_equal(r->seen.items[r->seen.count - 1].frame.kind, FRAME_END);
    assert_non_null(only(r, FRAME_BEGIN));
    assert_non_null(only(r, FRAME_END));
    assert_int_equal(due(r), 11 * S);
    tick(r, 11 * S);
    assert_int_equal(act.reads[0], 2);
    assert_int_equal(act.reads[1], 2);
    assert_int_equal(act.opened[0] + act.opened[1], 2);
}

/* Whoever did not wait for the first part gets a whole one. */
static void test_split_let_go_early(void **state) {
    struct rig *r = *state;
    assert_true(live_split(r->live) >= 0);
    live_go(r->live, 0);
    tick(r, 10 * S);
    assert_int_equal(act.reads[0], 1);
    assert_int_equal(act.reads[1], 1);
    live_go(r->live, 0);
    assert_int_equal(due(r), 11 * S);
}

/* Who stands later in the table hears of processes opened earlier in the same tick. */
static void test_want(void **state) {
    struct rig *r = *state;
    struct want w = {.detail_pid = 77};
    tick(r, 10 * S);
    assert_int_equal(act.wanted, 0);
    act.open_process = true;
    r->live->ops->want(r->live, &w);
    tick(r, 11 * S);
    assert_int_equal(act.wanted, 1);
    assert_int_equal(act.detail, 77);
    assert_non_null(seen_only(&r->seen, (struct seen_want){FRAME_OPEN, SUBJECT_PROCESS, 4242, -1}));
}

static void test_lost_source_comes_back(void **state) {
    struct rig *r = *state;
    tick(r, 10 * S);
    assert_int_equal(act.reads[0], 1);
    act.read[0] = ERR_AGAIN; /* nothing due: no fault */
    tick(r, 11 * S);
    assert_int_equal(act.closed[0], 0);
    act.read[0] = ERR_IO;
    tick(r, 12 * S);
    assert_int_equal(act.closed[0], 1);
    /* What it had opened ends with it; the other goes on. */
    const struct seen_frame *f = only(r, FRAME_CLOSE);
    assert_non_null(f);
    assert_int_equal(f->subject.backend, 1);
    assert_int_equal(act.reads[1], 3);
    act.read[0] = ERR_OK;
    tick(r, 13 * S);
    assert_int_equal(act.opened[0], 1);
    tick(r, 22 * S);
    assert_int_equal(act.opened[0], 2);
    assert_int_equal(act.reads[0], 4);
}

static void test_source_that_is_not_there_yet(void **state) {
    struct rig *r = *state;
    act.has_machine[0] = false;
    act.open[1] = ERR_ACCESS;
    for (int i = 0; i < 9; i++)
        tick(r, (10 + i) * S);
    assert_int_equal(act.opened[0], 0);
    assert_int_equal(act.opened[1], 1);
    act.has_machine[0] = true;
    act.open[1] = ERR_OK;
    tick(r, 21 * S);
    assert_int_equal(act.reads[0], 1);
    assert_int_equal(act.reads[1], 1);
}

/* ---- host ------------------------------------------------------------------------------------------------- */

static void test_root_texts(void **state) {
    struct rig *r = *state;
    char *slashes = path_join(r->root, "//");
    struct host_options o = {.root = slashes};
    struct host *h;
    assert_int_equal(host_create(&o, &h, NULL), ERR_OK);
    assert_string_equal(h->root, r->root);
    assert_true(h->rooted);
    host_destroy(h);
    o.root = "/";
    assert_int_equal(host_create(&o, &h, NULL), ERR_OK);
    assert_string_equal(h->root, "");
    assert_true(h->rooted);
    host_destroy(h);
    o.root = NULL;
    assert_int_equal(host_create(&o, &h, NULL), ERR_OK);
    assert_string_equal(h->root, "");
    assert_false(h->rooted);
    assert_true(h->proc_fd >= 0);
    host_destroy(h);
    host_destroy(NULL);
    free(slashes);
}

static void test_root_that_is_not_there(void **state) {
    struct err_info info = {0};
    struct host_options o = {.root = "/nowhere/at/all"};
    struct host *h = NULL;
    (void)state;
    assert_int_equal(host_create(&o, &h, &info), ERR_NOENT);
    assert_int_equal(info.sys, ENOENT);
    assert_non_null(strstr(info.text, "/nowhere/at/all"));
    assert_null(h);
}

static void test_slurp_and_reread(void **state) {
    struct rig *r = *state;
    char text[32];
    tree_text(r->root, "sys/a", "hello\n");
    assert_int_equal(host_slurp(r->host, r->host->root_fd, "sys/a", text, sizeof text), 6);
    assert_memory_equal(text, "hello\n", 6);
    assert_int_equal(host_slurp(r->host, r->host->root_fd, "sys/a", text, 3), 3);
    assert_int_equal(host_slurp(r->host, r->host->root_fd, "sys/b", text, sizeof text), -1);
    assert_int_equal(errno, ENOENT);
    int fd = host_open(r->host, r->host->root_fd, "sys/a", O_RDONLY);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    tree_text(r->root, "sys/a", "changed\n");
    assert_int_equal(host_reread(r->host, fd, text, sizeof text), 8);
    assert_int_equal(host_reread(r->host, fd, text, sizeof text), 8);
    assert_memory_equal(text, "changed\n", 8);
    host_close(r->host, fd);
    host_close(r->host, -1);
}

/* Short reads and signals are nobody's end. */
static unsigned interruptions;

static ssize_t slow_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    (void)ctx;
    if (interruptions > 0) {
        interruptions--;
        errno = EINTR;
        return -1;
    }
    return host_io_posix.pread(NULL, fd, to, n > 2 ? 2 : n, at);
}

static void test_short_reads(void **state) {
    struct rig *r = *state;
    struct host_io io = host_io_posix;
    char text[32];
    io.pread = slow_pread;
    r->host->io = &io;
    tree_text(r->root, "sys/a", "0123456789");
    interruptions = 3;
    assert_int_equal(host_slurp(r->host, r->host->root_fd, "sys/a", text, sizeof text), 10);
    assert_memory_equal(text, "0123456789", 10);
    interruptions = 1000; /* not without end */
    assert_int_equal(host_slurp(r->host, r->host->root_fd, "sys/a", text, sizeof text), -1);
    assert_int_equal(errno, EINTR);
    interruptions = 0;
    r->host->io = &host_io_posix;
}

static void count_name(void *ctx, struct span name) {
    unsigned *sum = ctx;
    uint64_t v = 0;
    (void)span_to_u64(name, &v);
    *sum += (unsigned)v;
}

static ssize_t bad_records(void *ctx, int fd, void *to, size_t n) {
    (void)ctx;
    (void)fd;
    memset(to, 0xff, n < 64 ? n : 64);
    return 64;
}

static void test_list(void **state) {
    struct rig *r = *state;
    _Alignas(8) char space[256];
    struct host_io io = host_io_posix;
    unsigned sum = 0;
    for (int i = 1; i <= 100; i++) {
        char path[40];
        snprintf(path, sizeof path, "many/%d", i);
        tree_folder(r->root, path);
    }
    int fd = host_open(r->host, r->host->root_fd, "many", O_RDONLY | O_DIRECTORY);
    assert_int_equal(host_list(r->host, fd, space, sizeof space, count_name, &sum), 0);
    assert_int_equal(sum, 5050);
    io.getdents = bad_records;
    r->host->io = &io;
    assert_int_equal(host_list(r->host, fd, space, sizeof space, count_name, &sum), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(sum, 5050);
    r->host->io = &host_io_posix;
    host_close(r->host, fd);
}

int main(void) {
#define LIVE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        LIVE_TEST(test_order_of_a_tick),
        LIVE_TEST(test_end_tells_the_cost),
        LIVE_TEST(test_grid),
        LIVE_TEST(test_split),
        LIVE_TEST(test_split_let_go_early),
        LIVE_TEST(test_want),
        LIVE_TEST(test_lost_source_comes_back),
        LIVE_TEST(test_source_that_is_not_there_yet),
        LIVE_TEST(test_root_texts),
        LIVE_TEST(test_root_that_is_not_there),
        LIVE_TEST(test_slurp_and_reread),
        LIVE_TEST(test_short_reads),
        LIVE_TEST(test_list),
    };
#undef LIVE_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
