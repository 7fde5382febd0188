/* Asking a thread and taking its answers, over the worker; and asking it of a device that may sleep. */
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

/* ---- of one device --------------------------------------------------------------------------- */

/* Beside two ticks: so long nobody asked, the device may have slept. */
#define GAP_NS INT64_C(1000000000)

long watch_keep(struct watch *w, struct host *h, long most) {
    w->host = h;
    w->kept = h->keep_left < most ? h->keep_left : most;
    h->keep_left -= w->kept;
    return w->kept;
}

enum err watch_start(struct watch *w, const struct subject *device, struct async_job *take_job,
                     const struct host *own, bool *fresh) {
    w->device = device;
    w->own = own;
    w->fresh = fresh;
    return async_start(&w->async, take_job);
}

static void tell_asleep(struct watch *w, const struct subject *stream, unsigned kind,
                        const struct frame_sink *sink) {
    struct frame f = {.t_ns = clock_mono_ns(),
                      .subject = stream->id,
                      .kind = (uint16_t)kind,
                      .outcome = OUTCOME_ASLEEP};
    if (!w->asleep_told && sink->frame)
        sink->frame(sink->ctx, stream, &f);
    w->asleep_told = true;
}

bool watch_awake(struct watch *w, const struct subject *stream, unsigned kind, int64_t now_ns,
                 const struct frame_sink *sink) {
    bool late = w->last_ns != 0 && now_ns - w->last_ns > 2 * w->host->delay_ns + GAP_NS;
    if (roster_asleep(w->host, w->device)) {
        tell_asleep(w, stream, kind, sink);
        return false;
    }
    w->gap = late || w->asleep_told;
    w->stale = w->stale || w->gap;
    if (w->gap)
        async_drop(&w->async);
    w->asleep_told = false;
    w->last_ns = now_ns;
    return true;
}

enum err watch_ask(struct watch *w, const struct frame_sink *sink) {
    enum err e = async_take(&w->async, sink);
    if (e != ERR_OK || w->async.asked)
        return e;
    w->host->tally.syscalls += w->own->tally.syscalls - w->counted;
    w->counted = w->own->tally.syscalls;
    *w->fresh = *w->fresh || w->stale;
    w->stale = false;
    async_ask(&w->async);
    async_wait(&w->async);
    return async_take(&w->async, sink);
}

void watch_stop(struct watch *w) {
    async_stop(&w->async);
    if (w->host)
        w->host->keep_left += w->kept;
    *w = (struct watch){0};
}

struct host host_for_thread(const struct host *h) {
    return (struct host){.io = h->io,
                         .root = h->root,
                         .rooted = h->rooted,
                         .root_fd = h->root_fd,
                         .proc_fd = h->proc_fd};
}
