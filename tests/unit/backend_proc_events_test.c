/* Messages of the process connector, made by hand, whole and cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/backend/proc/proc.h"

static size_t message(char *to, uint32_t what, const uint32_t *body, size_t words) {
    uint32_t head[13] = {0};
    uint16_t done = 3;
    uint16_t len = (uint16_t)(16 + words * 4);
    head[0] = (uint32_t)(52 + words * 4);
    head[4] = head[5] = 1;
    head[6] = 77; /* seq */
    head[9] = what;
    head[10] = 3; /* cpu */
    memcpy(to, head, sizeof(head));
    memcpy(to + 4, &done, 2);
    memcpy(to + 32, &len, 2);
    memcpy(to + 52, body, words * 4);
    return 52 + words * 4;
}

static void check(uint32_t what, const uint32_t *body, size_t words, enum proc_event_what want,
                  int32_t pid) {
    char m[128];
    struct proc_event ev;
    size_t n = message(m, what, body, words);
    struct span s = {m, n};
    assert_true(proc_event_next(&s, &ev));
    assert_int_equal(s.n, 0);
    assert_int_equal(ev.what, want);
    assert_int_equal(ev.seq, 77);
    assert_int_equal(ev.cpu, 3);
    if (want != PROC_EVENT_OTHER)
        assert_int_equal(ev.pid, pid);
    for (size_t cut = 0; cut < n; cut++) {
        s = (struct span){m, cut};
        assert_false(proc_event_next(&s, &ev));
    }
    for (uint32_t cut = 16; cut < n; cut++) {
        memcpy(m, &cut, 4);
        s = (struct span){m, cut};
        assert_true(proc_event_next(&s, &ev));
    }
}

static void test_events(void **state) {
    const uint32_t fork[] = {5, 4, 9, 9};
    const uint32_t thread[] = {5, 4, 10, 9};
    const uint32_t two[] = {9, 9, 0, 0, 0, 0};
    const uint32_t other_thread[] = {10, 9, 0, 0};
    (void)state;
    check(1, fork, 4, PROC_EVENT_FORK, 9);
    check(1, thread, 4, PROC_EVENT_OTHER, 0);
    check(2, two, 2, PROC_EVENT_EXEC, 9);
    check(0x200, two, 6, PROC_EVENT_COMM, 9);
    check(0x80000000u, two, 4, PROC_EVENT_EXIT, 9);
    check(0x80000000u, two, 6, PROC_EVENT_EXIT, 9);
    check(0x80000000u, other_thread, 4, PROC_EVENT_OTHER, 0);
    check(0, two, 6, PROC_EVENT_OTHER, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
