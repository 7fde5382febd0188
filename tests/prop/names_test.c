/* Processes that are gone before anybody asks are named, where the kernel tells of them. */
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/backend/proc/collect.h"

enum { MANY = 1000, AT_ONCE = 40 };
static char *no_environment[] = {NULL};
static int32_t pids[MANY];

static bool is_named(struct events *e, int32_t pid) {
    struct kept_names k;
    return events_find(e, pid, &k) && k.stat_n > 0 && memmem(k.stat, k.stat_n, "(cat)", 5);
}

static void rest_ms(long ms) {
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

/* So many at once, each until all are named, or for a second: what is told of them may be lost. */
static void spawn_some(struct events *e, int32_t *to) {
    posix_spawn_file_actions_t files;
    char *argv[] = {"cat", NULL};
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
    for (int k = 0; k < AT_ONCE; k++)
        assert_int_equal(posix_spawn(&to[k], "/bin/cat", &files, NULL, argv, no_environment), 0);
    for (int k = 0, tries = 0; k < AT_ONCE && tries < 200; tries++) {
        while (k < AT_ONCE && is_named(e, to[k]))
            k++;
        if (k < AT_ONCE)
            rest_ms(5);
    }
    close(ends[0]);
    close(ends[1]);
    for (int k = 0; k < AT_ONCE; k++)
        assert_int_equal(waitpid(to[k], NULL, 0), to[k]);
    posix_spawn_file_actions_destroy(&files);
}

static void spawn_many(struct events *e) {
    for (int i = 0; i < MANY; i += AT_ONCE)
        spawn_some(e, pids + i);
}

static struct events *start_or_skip(int receive_bytes, struct host *h) {
    struct events *e = events_start(h->proc_fd, receive_bytes);
    assert_non_null(e);
    for (int i = 0; i < 200 && !events_told(e); i++)
        rest_ms(10);
    if (events_told(e))
        return e;
    events_stop(e);
    host_destroy(h);
    skip();
    return NULL;
}

static int named(struct events *e) {
    int n = 0;
    for (int i = 0; i < MANY; i++)
        n += is_named(e, pids[i]);
    return n;
}

/* All are gone by then. Whether it can, not whether it always does. */
static int best_of(struct events *e, int least) {
    int best = 0;
    for (int i = 0; i < 10 && best < least; i++) {
        spawn_many(e);
        int now = named(e);
        best = now > best ? now : best;
    }
    print_message("named: %d of %d\n", best, MANY);
    return best;
}

static void run_with(int receive_bytes) {
    struct host_options o = {0};
    struct host *h;
    struct events *e;
    int least = MANY * 99 / 100;
    assert_int_equal(host_create(&o, &h, NULL), ERR_OK);
    e = start_or_skip(receive_bytes, h);
    assert_true(best_of(e, least) >= least);
    events_stop(e);
    host_destroy(h);
}

static void test_named(void **state) {
    (void)state;
    run_with(0);
}

static void test_overflow(void **state) {
    (void)state;
    run_with(2048); /* loses messages at first, and makes more room */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_named),
                                       cmocka_unit_test(test_overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
