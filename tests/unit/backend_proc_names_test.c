/*
 * Names of processes that are gone before anybody asks: what the thread that follows them keeps, with a /proc and a
 * process connector of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "backend/proc/collect.h"
#include "scratch.h"
#include "tree.h"

/* ---- the connector ------------------------------------------------------------------------------------- */

/* The first byte of a datagram says what it is: 'K' the kernel's, 'U' another's, 'E' an errno instead of one. */
static int ends[2];
static bool refused; /* nobody tells */
static atomic_int widened;

static int fake_open(int receive_bytes) {
    (void)receive_bytes;
    return refused ? -1 : dup(ends[0]);
}

static ssize_t fake_receive(int fd, void *to, size_t cap, bool *kernel) {
    char m[512];
    ssize_t n = recv(fd, m, sizeof m, 0);
    *kernel = n > 0 && m[0] == 'K';
    if (n < 2)
        return -1;
    if (m[0] == 'E') {
        errno = (unsigned char)m[1];
        return -1;
    }
    n = (size_t)n - 1 < cap ? n - 1 : (ssize_t)cap;
    memcpy(to, m + 1, (size_t)n);
    return n;
}

static void fake_widen(int fd, int receive_bytes) {
    (void)fd;
    widened = receive_bytes;
}

static const struct events_socket fake = {fake_open, fake_receive, fake_widen};

enum { NONE, FORK, EXEC, COMM = 0x200 };
#define EXIT 0x80000000u

static void tell_as(char who, uint32_t what, uint32_t pid, uint32_t child) {
    uint32_t m[17] = {[0] = 68, [4] = 1, [5] = 1, [9] = what, [13] = pid, [14] = pid};
    const uint16_t done = 3, len = 32;
    char text[1 + sizeof m] = {who};
    m[15] = m[16] = child;
    memcpy((char *)m + 4, &done, 2);
    memcpy((char *)m + 32, &len, 2);
    memcpy(text + 1, m, sizeof m);
    assert_int_equal(send(ends[1], text, sizeof text, 0), sizeof text);
}

static void tell(uint32_t what, uint32_t pid) {
    tell_as('K', what, pid, 0);
}

static void tell_fork(uint32_t parent, uint32_t child) {
    tell_as('K', FORK, parent, child);
}

static void tell_error(int sys) {
    const char m[2] = {'E', (char)sys};
    assert_int_equal(send(ends[1], m, sizeof m, 0), sizeof m);
}

/* ---- the machine --------------------------------------------------------------------------------------- */

struct rig {
    char *root;
    int proc_fd;
    struct events *events;
};

static void put(struct rig *r, int pid, const char *comm, char letter, unsigned start,
                const char *cmdline) {
    char path[64];
    snprintf(path, sizeof path, "%d/cmdline", pid);
    tree_text(r->root, path, "%s", cmdline);
    snprintf(path, sizeof path, "%d/stat", pid);
    tree_text(r->root, path, "%d (%s) %c 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %u 100 100 0 0\n",
              pid, comm, letter, start);
}

static void drop(struct rig *r, int pid) {
    char path[64];
    snprintf(path, sizeof path, "%d", pid);
    tree_drop(r->root, path);
}

static int set_up(void **state) {
    static struct rig r;
    refused = false;
    widened = 0;
    r.root = scratch_make();
    r.proc_fd = open(r.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
    put(&r, 500, "bash", 'S', 100, "bash");
    *state = &r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    events_stop(r->events);
    close(ends[0]);
    close(ends[1]);
    close(r->proc_fd);
    scratch_remove(r->root);
    return 0;
}

/* Waits for up to 5 s until a process is kept with this name ("": by its fork alone) and start. */
static struct kept_names kept(struct rig *r, int pid, const char *comm, uint64_t start) {
    const struct timespec pause = {.tv_nsec = 5000000};
    struct kept_names k;
    char want[80];
    snprintf(want, sizeof want, "(%s)", comm);
    for (int i = 0; i < 1000; i++) {
        bool found = events_find(r->events, pid, &k);
        bool named = k.stat_n > 0 && memmem(k.stat, k.stat_n, want, strlen(want));
        if (found && k.start == start && (*comm ? named : k.stat_n == 0))
            return k;
        nanosleep(&pause, NULL);
    }
    fail_msg("%d is not kept as %s", pid, want);
    return k;
}

static void start(struct rig *r) {
    r->events = events_start_with(&fake, r->proc_fd, 0);
    assert_non_null(r->events);
    if (!refused)
        tell(NONE, 0);
    (void)kept(r, 500, "bash", 100);
}

/* ---- being told ---------------------------------------------------------------------------------------- */

static void test_kept_when_gone(void **state) {
    struct rig *r = *state;
    start(r);
    put(r, 600, "game", 'R', 200, "game --fast");
    tell(EXEC, 600);
    (void)kept(r, 600, "game", 200);
    assert_true(events_told(r->events));
    /* Its memory goes first, and its command line with it. */
    put(r, 600, "game", 'Z', 200, "");
    tell(EXIT, 600);
    drop(r, 600);
    put(r, 601, "last", 'R', 201, "");
    tell(EXEC, 601);
    (void)kept(r, 601, "last", 201);
    struct kept_names k = kept(r, 600, "game", 200);
    assert_int_equal(k.cmdline_n, strlen("game --fast"));
    assert_memory_equal(k.cmdline, "game --fast", k.cmdline_n);
}

/* Never named: by whom it was begun, whether or not that one was known before. */
static void test_child_of(void **state) {
    struct rig *r = *state;
    start(r);
    tell_fork(500, 4242);
    struct kept_names k = kept(r, 4242, "", 0);
    assert_int_equal(k.parent, 500);
    assert_string_equal(k.parent_name, "bash");
    put(r, 501, "make", 'S', 300, "make");
    tell_fork(501, 4243);
    k = kept(r, 4243, "", 0);
    assert_int_equal(k.parent, 501);
    assert_string_equal(k.parent_name, "make");
    tell_fork(502, 4244); /* nobody knows that one */
    k = kept(r, 4244, "", 0);
    assert_int_equal(k.parent, 502);
    assert_string_equal(k.parent_name, "");
}

/* What it was before an exec is not its name. */
static void test_exec_forgets(void **state) {
    struct rig *r = *state;
    start(r);
    put(r, 610, "bash", 'R', 200, "bash");
    tell_fork(500, 610);
    (void)kept(r, 610, "bash", 200);
    drop(r, 610);
    tell(EXEC, 610);
    struct kept_names k = kept(r, 610, "", 200);
    assert_string_equal(k.parent_name, "bash");
}

/* Another process of a pid has nothing of the one before, be it told of or only found. */
static void test_pid_reused(void **state) {
    struct rig *r = *state;
    start(r);
    for (int told = 0; told < 2; told++) {
        const int pid = 620 + told;
        put(r, pid, "old", 'R', 200, "old --long");
        tell_fork(500, (uint32_t)pid);
        (void)kept(r, pid, "old", 200);
        drop(r, pid);
        if (told) { /* and gone again, unread */
            tell_fork(777, (uint32_t)pid);
            struct kept_names k = kept(r, pid, "", 0);
            assert_int_equal(k.parent, 777);
            assert_string_equal(k.parent_name, "");
            assert_int_equal(k.cmdline_n, 0);
        }
        put(r, pid, "new", 'R', 900, "");
        tell(COMM, (uint32_t)pid);
        struct kept_names k = kept(r, pid, "new", 900);
        assert_int_equal(k.cmdline_n, 0);
        assert_int_equal(k.parent, told ? 777 : 0);
    }
}

static void test_only_the_kernel_is_believed(void **state) {
    struct rig *r = *state;
    start(r);
    put(r, 630, "game", 'R', 200, "game");
    tell_as('U', FORK, 500, 4242);
    tell(EXEC, 630);
    (void)kept(r, 630, "game", 200);
    struct kept_names k;
    assert_false(events_find(r->events, 4242, &k));
}

/* ---- not being told ------------------------------------------------------------------------------------ */

/* Messages were lost: all is listed once, there is more room from then on, and the next ones are heard. */
static void test_overflow(void **state) {
    struct rig *r = *state;
    start(r);
    put(r, 640, "unheard", 'R', 200, "unheard");
    tell_error(ENOBUFS);
    (void)kept(r, 640, "unheard", 200);
    assert_true(widened > 1 << 20);
    assert_true(events_told(r->events));
    for (int i = 0; i < 10; i++)
        tell_error(ENOBUFS);
    put(r, 641, "heard", 'R', 201, "heard");
    tell(EXEC, 641);
    (void)kept(r, 641, "heard", 201);
    assert_in_range(widened, 1 << 21, 32 << 20);
}

/* A pid of which the exit, the fork and the exec were lost. */
static void test_overflow_over_a_reused_pid(void **state) {
    struct rig *r = *state;
    start(r);
    put(r, 650, "old", 'R', 200, "old");
    tell_fork(500, 650);
    (void)kept(r, 650, "old", 200);
    put(r, 650, "new", 'R', 700, "new");
    tell_error(ENOBUFS);
    struct kept_names k = kept(r, 650, "new", 700);
    assert_string_equal(k.parent_name, "");
}

/* The socket is of no use any more: /proc is listed each second. */
static void test_connection_refused(void **state) {
    struct rig *r = *state;
    start(r);
    tell_error(ECONNREFUSED);
    put(r, 660, "listed", 'R', 200, "listed");
    (void)kept(r, 660, "listed", 200);
    assert_false(events_told(r->events));
}

static void test_never_told(void **state) {
    struct rig *r = *state;
    refused = true;
    start(r);
    assert_false(events_told(r->events));
    put(r, 670, "listed", 'R', 200, "listed");
    (void)kept(r, 670, "listed", 200);
    put(r, 670, "listed", 'R', 900, "other"); /* between two lists */
    struct kept_names k = kept(r, 670, "listed", 900);
    assert_memory_equal(k.cmdline, "other", 5);
    drop(r, 670);
    assert_true(events_find(r->events, 670, &k));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_kept_when_gone),
        TEST(test_child_of),
        TEST(test_exec_forgets),
        TEST(test_pid_reused),
        TEST(test_only_the_kernel_is_believed),
        TEST(test_overflow),
        TEST(test_overflow_over_a_reused_pid),
        TEST(test_connection_refused),
        TEST(test_never_told),
    };
#undef TEST
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
