/* Asking a thread: its answer is awaited for a moment, comes later where it takes longer, and is dropped where it is not
 * wanted any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "gwtop/source.h"

#define LONG_MS 60000
#define LONG_NS (LONG_MS * INT64_C(1000000))

struct errand {
    struct async_job job;
    int64_t takes_ns;
    sem_t *gate; /* a read waits here for leave; NULL */
    unsigned reads;
    bool *closed;
};

static enum err job_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct errand *j = (struct errand *)s;
    struct subject subject = {.id = 1, .name = "", .facts = ""};
    (void)now_ns;
    if (j->takes_ns > 0)
        usleep((useconds_t)(j->takes_ns / 1000));
    if (j->gate)
        sem_wait(j->gate);
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

/* Until the answer can be taken. */
static void wait_for_answer(const struct async *a) {
    struct source_wait wait;
    a->worker->ops->poll(a->worker, 0, &wait);
    struct pollfd fd = {.fd = wait.fd, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, LONG_MS), 1);
}

static void take_answer(struct async *a, const struct frame_sink *sink) {
    wait_for_answer(a);
    assert_int_equal(async_take(a, sink), ERR_OK);
    assert_false(a->asked);
}

/* No answer is there at once: who does not wait never finds one. Where the machine is too slow it comes later. */
static void an_answer_is_awaited(void **state) {
    struct async a;
    bool closed;
    unsigned frames = 0, awaited = 0;
    struct frame_sink sink = {&frames, count_frame};
    struct errand *j = start(&a, 1000000, &closed);
    int64_t end_ns = clock_mono_ns() + LONG_NS;
    (void)state;
    for (unsigned i = 1; awaited < 3; i++) {
        async_ask(&a);
        async_wait(&a);
        assert_int_equal(async_take(&a, &sink), ERR_OK);
        awaited += !a.asked;
        if (a.asked)
            take_answer(&a, &sink);
        assert_int_equal(frames, i);
        assert_int_equal(j->reads, i);
        assert_true(clock_mono_ns() < end_ns);
    }
    unsigned all = frames;
    assert_int_equal(async_take(&a, &sink), ERR_OK); /* nobody asked */
    assert_int_equal(frames, all);
    async_stop(&a);
    assert_true(closed);
}

/* Who is known to be slow is not waited for; the answer comes when it is there. */
static void a_slow_one_is_not_waited_for(void **state) {
    struct async a;
    bool closed;
    sem_t gate;
    unsigned frames = 0;
    struct frame_sink sink = {&frames, count_frame};
    struct errand *j = start(&a, 60000000, &closed);
    (void)state;
    assert_int_equal(sem_init(&gate, 0, 1), 0);
    j->gate = &gate;
    async_ask(&a);
    async_wait(&a); /* the first time it is not known yet, and worth more */
    take_answer(&a, &sink);
    assert_int_equal(frames, 1);
    assert_true(a.slow);
    for (unsigned i = 2; i < 5; i++) { /* it waits for leave */
        async_ask(&a);
        async_wait(&a);
        assert_int_equal(async_take(&a, &sink), ERR_OK);
        assert_true(a.asked);
        assert_int_equal(frames, i - 1);
        sem_post(&gate);
        take_answer(&a, &sink);
        assert_int_equal(frames, i);
    }
    async_stop(&a);
    sem_destroy(&gate);
}

static void an_old_answer_is_dropped(void **state) {
    struct async a;
    bool closed;
    unsigned frames = 0;
    struct frame_sink sink = {&frames, count_frame};
    (void)start(&a, 0, &closed);
    (void)state;
    async_ask(&a);
    wait_for_answer(&a);
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
