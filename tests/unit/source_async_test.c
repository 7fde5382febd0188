/* Asking a thread: its answer is awaited for a moment, comes later where it takes longer, and is dropped where it is not
 * wanted any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "gwtop/source.h"

struct errand {
    struct async_job job;
    int64_t takes_ns;
    unsigned reads;
    bool *closed;
};

static enum err job_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct errand *j = (struct errand *)s;
    struct subject subject = {.id = 1, .name = "", .facts = ""};
    (void)now_ns;
    if (j->takes_ns > 0)
        usleep((useconds_t)(j->takes_ns / 1000));
    j->reads++;
    j->job.took_ns = j->takes_ns;
    host_emit(sink, &subject, FRAME_BACKEND, 1, "answer", 6, 0);
    return ERR_OK;
}

static void job_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    (void)now_ns;
    *out = (struct source_wait){.fd = -1, .due_ns = INT64_MAX};
}

static void job_close(struct source *s) {
    *((struct errand *)s)->closed = true;
    free(s);
}

static const struct source_ops ops = {.poll = job_poll, .read = job_read, .close = job_close};

static void count_frame(void *ctx, const struct subject *s, const struct frame *f) {
    (void)s;
    (void)f;
    ++*(unsigned *)ctx;
}

static struct errand *start(struct async *a, int64_t takes_ns, bool *closed) {
    struct errand *j = calloc(1, sizeof *j);
    *a = (struct async){0};
    *closed = false;
    j->job.source.ops = &ops;
    j->takes_ns = takes_ns;
    j->closed = closed;
    assert_int_equal(async_start(a, &j->job), ERR_OK);
    return j;
}

static void an_answer_is_awaited(void **state) {
    struct async a;
    bool closed;
    unsigned frames = 0;
    struct frame_sink sink = {&frames, count_frame};
    struct errand *j = start(&a, 0, &closed);
    (void)state;
    for (unsigned i = 1; i <= 3; i++) {
        async_ask(&a);
        async_wait(&a);
        assert_int_equal(async_take(&a, &sink), ERR_OK);
        assert_int_equal(frames, i);
        assert_false(a.asked);
        assert_int_equal(j->reads, i);
    }
    assert_int_equal(async_take(&a, &sink), ERR_OK); /* nobody asked */
    assert_int_equal(frames, 3);
    async_stop(&a);
    assert_true(closed);
}

/* Who is known to be slow is not waited for; the answer comes when it is there. */
static void a_slow_one_is_not_waited_for(void **state) {
    struct async a;
    bool closed;
    unsigned frames = 0;
    struct frame_sink sink = {&frames, count_frame};
    (void)start(&a, 60000000, &closed);
    (void)state;
    async_ask(&a);
    async_wait(&a); /* the first time it is not known yet, and worth more */
    assert_int_equal(async_take(&a, &sink), ERR_OK);
    while (a.asked) {
        usleep(5000);
        assert_int_equal(async_take(&a, &sink), ERR_OK);
    }
    assert_int_equal(frames, 1);
    assert_true(a.slow);
    async_ask(&a);
    async_wait(&a);
    assert_int_equal(async_take(&a, &sink), ERR_OK);
    assert_true(a.asked);
    usleep(150000);
    assert_int_equal(async_take(&a, &sink), ERR_OK);
    assert_int_equal(frames, 2);
    async_stop(&a);
}

static void an_old_answer_is_dropped(void **state) {
    struct async a;
    bool closed;
    unsigned frames = 0;
    struct frame_sink sink = {&frames, count_frame};
    (void)start(&a, 0, &closed);
    (void)state;
    async_ask(&a);
    async_wait(&a);
    async_drop(&a);
    assert_false(a.asked);
    assert_int_equal(async_take(&a, &sink), ERR_OK);
    assert_int_equal(frames, 0);
    async_stop(&a);
}

/* The read under way is waited for: what it works with goes away after it. */
static void stopping_waits(void **state) {
    struct async a;
    bool closed;
    (void)start(&a, 30000000, &closed);
    (void)state;
    async_ask(&a);
    usleep(5000);
    async_stop(&a);
    assert_true(closed);
    async_stop(&a); /* and once more, as of one that never started */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_awaited),
        cmocka_unit_test(a_slow_one_is_not_waited_for),
        cmocka_unit_test(an_old_answer_is_dropped),
        cmocka_unit_test(stopping_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
