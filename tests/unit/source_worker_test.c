/* A source in a thread of its own: ticks come over whole, in order, and none is lost; wishes, calls and
 * nudges reach the inner source in its thread; its end and its errors reach the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gwtop/source.h"

#define SECOND  INT64_C(1000000000)
#define LONG_MS 60000

/* The inner source: each read emits one tick of three frames whose bytes and subject are made anew and
 * spoilt after the call, as a source may. */
struct fake {
    struct source source;
    pthread_t opener;
    int64_t due_ns;
    int64_t every_ns; /* 0: due once only */
    int fd;           /* or due when this eventfd is rung; -1 */
    size_t body;      /* bytes of the middle frame */
    unsigned last;    /* ticks until `ending` */
    enum err ending;
    int64_t slow_ns; /* a read takes so long */
    bool mute;       /* reads find nothing */
    atomic_uint reads;
    atomic_uint wants;
    atomic_uint calls;
    atomic_uint wrong; /* things done in the wrong thread */
    atomic_int closed;
    atomic_llong called_with;
    atomic_int want_pid; /* of its last process */
    atomic_uint want_count;
};

static void check_thread(struct fake *f) {
    if (pthread_equal(pthread_self(), f->opener)) {
        f->wrong++;
    }
}

static void poll_fake(struct source *s, int64_t now_ns, struct source_wait *out) {
    struct fake *f = (struct fake *)s;
    (void)now_ns;
    check_thread(f);
    *out = (struct source_wait){.fd = f->fd, .due_ns = f->due_ns};
}

static void nap(int64_t ns) {
    struct timespec t = {ns / SECOND, ns % SECOND};
    nanosleep(&t, NULL);
}

static void say(const struct frame_sink *sink, uint32_t id, unsigned kind, char *body,
                size_t size) {
    char name[] = "name of it";
    char facts[] = "key=value\n";
    struct subject s = {.id = id, .type = SUBJECT_STREAM, .name = name, .facts = facts};
    struct frame f = {
        .t_ns = 5, .bytes = body, .size = size, .subject = id, .kind = (uint16_t)kind};
    sink->frame(sink->ctx, &s, &f);
    memset(name, '!', sizeof name);
    memset(facts, '!', sizeof facts);
    memset(body, '!', size);
}

static enum err read_fake(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct fake *f = (struct fake *)s;
    uint64_t count;
    check_thread(f);
    if (f->slow_ns) {
        nap(f->slow_ns);
    }
    if (f->fd >= 0 && read(f->fd, &count, sizeof count) < 0) {
        f->wrong++;
    }
    unsigned tick = f->reads++;
    f->due_ns = f->every_ns ? now_ns + f->every_ns : INT64_MAX;
    if (f->mute) {
        f->due_ns = 0; /* due all the time, and has nothing */
        return ERR_AGAIN;
    }
    char *body = malloc(f->body + 1);
    memset(body, 'a' + (int)(tick % 26), f->body);
    char number[16];
    int n = snprintf(number, sizeof number, "%u", tick);
    say(sink, 0, FRAME_BEGIN, number, (size_t)n);
    say(sink, 1 + tick % 3, FRAME_BACKEND, body, f->body);
    if (tick == f->last && f->ending != ERR_OK) { /* in the middle of a tick */
        free(body);
        return f->ending;
    }
    say(sink, 0, FRAME_END, body, 0);
    free(body);
    return ERR_OK;
}

static void want_fake(struct source *s, const struct want *w) {
    struct fake *f = (struct fake *)s;
    check_thread(f);
    f->want_count = (unsigned)w->process_count;
    f->want_pid = w->process_count ? w->processes[w->process_count - 1].pid : w->detail_pid;
    f->wants++;
}

static void close_fake(struct source *s) {
    ((struct fake *)s)->closed++;
}

static const struct source_ops fake_ops = {
    .poll = poll_fake, .read = read_fake, .want = want_fake, .close = close_fake};

static void call_fake(struct source *inner, int64_t value) {
    struct fake *f = (struct fake *)inner;
    check_thread(f);
    f->called_with = value;
    f->calls++;
}

/* Due at once and every ms, unless changed. */
static struct fake fake_new(void) {
    return (struct fake){.source = {&fake_ops},
                         .opener = pthread_self(),
                         .every_ns = SECOND / 1000,
                         .fd = -1,
                         .body = 100,
                         .last = UINT32_MAX};
}

static struct source *start(struct fake *f) {
    struct source *worker = NULL;
    assert_int_equal(worker_create(&f->source, &worker), ERR_OK);
    return worker;
}

/* ---- the reader ------------------------------------------------------------------------------- */

struct seen {
    unsigned ticks;
    size_t body;
    bool within;
};

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct seen *seen = ctx;
    char number[16];
    assert_int_equal(s->id, f->subject);
    assert_string_equal(s->name, "name of it");
    assert_string_equal(s->facts, "key=value\n");
    if (f->kind == FRAME_BEGIN) {
        snprintf(number, sizeof number, "%u", seen->ticks);
        assert_false(seen->within);
        assert_int_equal(f->size, strlen(number));
        assert_memory_equal(f->bytes, number, f->size);
    } else if (f->kind == FRAME_BACKEND) {
        assert_int_equal(s->id, 1 + seen->ticks % 3);
        assert_int_equal(f->size, seen->body);
        assert_int_equal(f->bytes[0], 'a' + (int)(seen->ticks % 26));
        assert_int_equal(f->bytes[f->size - 1], f->bytes[0]);
    } else {
        seen->ticks++;
    }
    seen->within = f->kind != FRAME_END;
}

static bool wait_ready(struct source *worker, int ms) {
    struct source_wait wait;
    worker->ops->poll(worker, 0, &wait);
    assert_int_equal(wait.due_ns, INT64_MAX);
    struct pollfd fd = {.fd = wait.fd, .events = POLLIN};
    return poll(&fd, 1, ms) == 1;
}

/* Reads until `ticks` were seen, or something other than ticks comes. */
static enum err read_until(struct source *worker, struct seen *seen, unsigned ticks) {
    struct frame_sink sink = {.ctx = seen, .frame = on_frame};
    enum err e = ERR_AGAIN;
    while (seen->ticks < ticks && (e == ERR_OK || e == ERR_AGAIN)) {
        assert_true(wait_ready(worker, LONG_MS));
        e = worker->ops->read(worker, 0, &sink);
        assert_false(seen->within);
    }
    return e;
}

static void finish(struct source *worker, struct fake *f) {
    worker->ops->close(worker);
    assert_int_equal(f->closed, 1);
    assert_int_equal(f->wrong, 0);
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void ticks_come_over(void **state) {
    (void)state;
    struct fake f = fake_new();
    struct seen seen = {.body = 100};
    struct source *worker = start(&f);
    assert_int_equal(read_until(worker, &seen, 100), ERR_OK);
    finish(worker, &f);
}

/* Read late, all that came meanwhile comes, joined and not replaced. */
static void late_reader_gets_all(void **state) {
    (void)state;
    struct fake f = fake_new();
    struct seen seen = {.body = 100};
    struct frame_sink sink = {.ctx = &seen, .frame = on_frame};
    struct source *worker = start(&f);
    while (f.reads < 30) {
        nap(SECOND / 1000);
    }
    assert_int_equal(worker->ops->read(worker, 0, &sink), ERR_OK);
    assert_true(seen.ticks >= 29);
    assert_int_equal(read_until(worker, &seen, 60), ERR_OK);
    finish(worker, &f);
}

static void nothing_yet(void **state) {
    (void)state;
    struct fake f = fake_new();
    struct seen seen = {.body = 100};
    struct frame_sink sink = {.ctx = &seen, .frame = on_frame};
    f.due_ns = INT64_MAX;
    struct source *worker = start(&f);
    assert_int_equal(worker->ops->read(worker, 0, &sink), ERR_AGAIN);
    assert_false(wait_ready(worker, 20));
    worker_nudge(worker);
    assert_int_equal(read_until(worker, &seen, 1), ERR_OK);
    finish(worker, &f);
}

static void descriptor_wakes(void **state) {
    (void)state;
    struct fake f = fake_new();
    struct seen seen = {.body = 100};
    const uint64_t one = 1;
    f.due_ns = INT64_MAX;
    f.every_ns = 0;
    f.fd = eventfd(0, EFD_CLOEXEC);
    struct source *worker = start(&f);
    for (unsigned i = 1; i <= 5; i++) {
        assert_false(wait_ready(worker, 5));
        assert_int_equal(write(f.fd, &one, sizeof one), sizeof one);
        assert_int_equal(read_until(worker, &seen, i), ERR_OK);
    }
    finish(worker, &f);
    close(f.fd);
}

static void end_reaches_the_reader(void **state) {
    (void)state;
    static const enum err endings[] = {ERR_END, ERR_IO, ERR_GONE};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct fake f = fake_new();
        struct seen seen = {.body = 100};
        f.last = 7;
        f.ending = endings[i];
        struct source *worker = start(&f);
        assert_int_equal(read_until(worker, &seen, 99), endings[i]);
        assert_int_equal(seen.ticks, 7); /* the eighth was not whole */
        assert_true(wait_ready(worker, 0));
        assert_int_equal(read_until(worker, &seen, 99), endings[i]);
        worker_nudge(worker);
        finish(worker, &f);
    }
}

/* A source that is due and has nothing costs little. */
static void idle_source_does_not_spin(void **state) {
    (void)state;
    struct fake f = fake_new();
    f.mute = true;
    int64_t before_ns = clock_mono_ns();
    struct source *worker = start(&f);
    while (f.reads < 50) {
        nap(SECOND / 100);
    }
    unsigned reads = f.reads; /* about one a millisecond */
    assert_true(reads * (SECOND / 1500) < clock_mono_ns() - before_ns);
    finish(worker, &f);
}

static void wishes_pass(void **state) {
    (void)state;
    struct fake f = fake_new();
    struct want_process list[300];
    struct seen seen = {.body = 100};
    f.due_ns = INT64_MAX;
    f.every_ns = 0; /* a tick is the answer to a nudge and to nothing else */
    struct source *worker = start(&f);
    for (int i = 1; i <= 300; i += 13) {
        memset(list, 0, sizeof list);
        list[i - 1].pid = 1000 + i;
        struct want w = {.processes = list, .process_count = (size_t)i};
        worker->ops->want(worker, &w);
        memset(list, 0xff, sizeof list); /* it was borrowed */
        worker_nudge(worker);
        assert_int_equal(read_until(worker, &seen, seen.ticks + 1), ERR_OK);
        assert_int_equal(f.want_count, i);
        assert_int_equal(f.want_pid, 1000 + i);
    }
    struct want none = {.detail_pid = 17};
    unsigned before = f.wants;
    worker->ops->want(worker, &none);
    while (f.wants == before) {
        nap(SECOND / 1000);
    }
    assert_int_equal(f.want_pid, 17);
    finish(worker, &f);
}

static void calls_pass_in_order(void **state) {
    (void)state;
    struct fake f = fake_new();
    f.due_ns = INT64_MAX;
    struct source *worker = start(&f);
    for (unsigned i = 1; i <= 200; i++) {
        while (worker_call(worker, call_fake, i) == ERR_AGAIN) {
            nap(SECOND / 10000);
        }
    }
    while (f.calls < 200) {
        nap(SECOND / 1000);
    }
    assert_int_equal(f.called_with, 200);
    finish(worker, &f);
}

/* Who does not read makes the source pause, not the memory grow. */
static void memory_is_bounded(void **state) {
    (void)state;
    struct fake f = fake_new();
    f.body = (size_t)5 << 20;
    struct seen seen = {.body = f.body};
    f.every_ns = 1;
    struct source *worker = start(&f);
    unsigned reads = 0;
    do {
        reads = f.reads;
        nap(SECOND / 5);
    } while (f.reads != reads || reads < 13);
    assert_in_range(reads, 13, 14); /* 64 MiB and the one that goes above */
    for (int i = 0; i < 5; i++) {
        worker_nudge(worker);
        nap(SECOND / 50);
    }
    assert_in_range(f.reads, 13, 14);
    assert_int_equal(read_until(worker, &seen, 40), ERR_OK);
    finish(worker, &f);
}

/* Close waits for a read that is under way, and for nothing else. */
static void close_is_prompt(void **state) {
    (void)state;
    struct fake slow = fake_new();
    struct fake idle = fake_new();
    slow.slow_ns = SECOND / 10;
    idle.due_ns = INT64_MAX;
    struct source *worker = start(&slow);
    nap(SECOND / 50);
    int64_t before = clock_mono_ns();
    finish(worker, &slow);
    assert_true(clock_mono_ns() - before < LONG_MS * (SECOND / 1000));
    for (unsigned i = 0; i < 50; i++) {
        idle.closed = 0;
        worker = start(&idle);
        finish(worker, &idle);
    }
}

struct busy {
    struct source *worker;
    atomic_bool over;
};

static void *pester(void *arg) {
    struct busy *b = arg;
    while (!b->over) {
        worker_nudge(b->worker);
        worker_call(b->worker, call_fake, 1);
        nap(SECOND / 10000);
    }
    return NULL;
}

/* For the thread sanitizer: everything at once. */
static void everything_at_once(void **state) {
    (void)state;
    struct fake f = fake_new();
    struct seen seen = {.body = 100};
    struct busy busy = {.worker = start(&f)};
    pthread_t thread;
    atomic_init(&busy.over, false);
    assert_int_equal(pthread_create(&thread, NULL, pester, &busy), 0);
    for (unsigned i = 0; i < 300; i++) {
        struct want_process p = {.pid = (int32_t)i};
        struct want w = {.processes = &p, .process_count = 1};
        busy.worker->ops->want(busy.worker, &w);
        assert_int_equal(read_until(busy.worker, &seen, seen.ticks + 1), ERR_OK);
    }
    busy.over = true;
    pthread_join(thread, NULL);
    finish(busy.worker, &f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_come_over),
        cmocka_unit_test(late_reader_gets_all),
        cmocka_unit_test(nothing_yet),
        cmocka_unit_test(descriptor_wakes),
        cmocka_unit_test(end_reaches_the_reader),
        cmocka_unit_test(idle_source_does_not_spin),
        cmocka_unit_test(wishes_pass),
        cmocka_unit_test(calls_pass_in_order),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(close_is_prompt),
        cmocka_unit_test(everything_at_once),
    };
    return cmocka_run_group_tests_name("source_worker", tests, NULL, NULL);
}
