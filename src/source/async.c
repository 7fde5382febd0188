/* Asking a thread and taking its answers, over the worker. */
#include "gwtop/source.h"

#include <poll.h>

#define WAIT_NS       INT64_C(20000000)  /* what a tick may wait for an answer */
#define FIRST_WAIT_NS INT64_C(150000000) /* and the first one: `--once` shows what it brings */

enum err async_start(struct async *a, struct async_job *take_job) {
    enum err e = worker_create(&take_job->source, &a->worker);
    if (e == ERR_OK)
        a->job = take_job;
    return e;
}

void async_ask(struct async *a) {
    a->asked = true;
    worker_nudge(a->worker);
}

void async_wait(const struct async *a) {
    struct source_wait wait;
    struct pollfd fd = {.events = POLLIN};
    if (!a->asked || a->slow)
        return;
    a->worker->ops->poll(a->worker, 0, &wait);
    fd.fd = wait.fd;
    (void)poll(&fd, 1, (int)((a->answered ? WAIT_NS : FIRST_WAIT_NS) / 1000000));
}

enum err async_take(struct async *a, const struct frame_sink *sink) {
    enum err e = a->worker->ops->read(a->worker, 0, sink);
    if (e == ERR_AGAIN) {
        a->slow = a->asked;
        return ERR_OK;
    }
    if (e != ERR_OK)
        return e;
    a->asked = false;
    a->answered = true;
    a->slow = a->job->took_ns > WAIT_NS / 2;
    return ERR_OK;
}

static void no_frame(void *ctx, const struct subject *s, const struct frame *f) {
    (void)ctx;
    (void)s;
    (void)f;
}

void async_drop(struct async *a) {
    const struct frame_sink nobody = {.frame = no_frame};
    (void)async_take(a, &nobody);
}

void async_stop(struct async *a) {
    if (a->worker)
        a->worker->ops->close(a->worker);
    *a = (struct async){0};
}

struct host host_for_thread(const struct host *h) {
    return (struct host){.io = h->io,
                         .root = h->root,
                         .rooted = h->rooted,
                         .root_fd = h->root_fd,
                         .proc_fd = h->proc_fd};
}
