/* Processes that are gone before anybody asks are named, where the kernel tells of them. */
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/backend/proc/collect.h"

enum { MANY = 1000, AT_ONCE = 40 };
static char *no_environment[] = {NULL};
static int32_t pids[MANY];

/* Processes that live about 20 ms. */
static void spawn_many(void) {
    char *argv[] = {"sleep", "0.02", NULL};
    for (int i = 0; i < MANY; i += AT_ONCE) {
        for (int k = i; k < i + AT_ONCE; k++)
            assert_int_equal(posix_spawn(&pids[k], "/bin/sleep", NULL, NULL, argv, no_environment),
                             0);
        for (int k = i; k < i + AT_ONCE; k++)
            assert_int_equal(waitpid(pids[k], NULL, 0), pids[k]);
    }
}

static struct events *start_or_skip(int receive_bytes, struct host *h) {
    struct events *e = events_start(h->proc_fd, receive_bytes);
    assert_non_null(e);
    usleep(500000);
    if (events_told(e))
        return e;
    events_stop(e);
    host_destroy(h);
    skip();
    return NULL;
}

static int named(struct events *e, const char *comm) {
    struct kept_names k;
    int n = 0;
    for (int i = 0; i < MANY; i++)
        if (events_find(e, pids[i], &k) && k.stat_n > 0 &&
            memmem(k.stat, k.stat_n, comm, strlen(comm)))
            n++;
    return n;
}

/* Of a machine that is busy with other things: whether it can, not whether it always does. */
static int best_of(struct events *e, int least) {
    int best = 0;
    for (int i = 0; i < 3 && best < least; i++) {
        spawn_many();
        usleep(300000);
        int now = named(e, "(sleep)");
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
