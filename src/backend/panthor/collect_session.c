/*
 * The counter session of one device, from the side of the screen: only where counters were asked for
 * is there one. A thread holds it (collect_run.c); each tick wakes it, waits a short while, and hands
 * on what it brought. Where there are no samples a failed frame says so in each tick, and the log
 * says why, once. I/O.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "collect_session.h"

#define FIRST_WAIT_MS 150 /* `--once` shows what it brings */
#define WAIT_MS       20
#define KEPT          2 /* descriptors: the node and the event */

struct panthor_session {
    struct panthor_run run; /* the thread's, but for what it tells across */
    struct host *host;
    const struct subject *device;
    struct source *worker; /* NULL: not yet, or never */
    const struct subject *subject;
    bool full;                  /* the subject says how to read samples, and the thread knows it */
    bool over;                  /* there is no thread any more, or nothing to be asked of one */
    bool waited;                /* ever */
    bool slow;                  /* the last wait was in vain, and no answer came since */
    int sys;                    /* why it is over */
    unsigned long long counted; /* of the thread's calls */
};

/* ---- in the thread --------------------------------------------------------------------------- */

static enum err run_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    panthor_run_turn((struct panthor_run *)s, now_ns, sink);
    return ERR_OK;
}

static void run_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    const struct panthor_run *r = (const struct panthor_run *)s;
    (void)now_ns;
    *out = (struct source_wait){.fd = -1,
                                .due_ns = r->stage == PANTHOR_CLOSED ? INT64_MAX : r->next_ns};
}

static void run_close(struct source *s) {
    panthor_run_end((struct panthor_run *)s);
}

static const struct source_ops run_ops = {.poll = run_poll, .read = run_read, .close = run_close};

static void run_listen(struct source *s, int64_t subject) {
    ((struct panthor_run *)s)->subject = (const struct subject *)(intptr_t)subject;
}

/* ---- subjects -------------------------------------------------------------------------------- */

/* With facts of the samples, else one that failed frames can be about. */
static bool begin_subject(struct panthor_session *s, const char *facts,
                          const struct frame_sink *sink) {
    const struct subject like = {.type = SUBJECT_STREAM,
                                 .parent = s->device->id,
                                 .device = s->device->id,
                                 .backend = (uint16_t)roster_backend(s->host, &backend_panthor),
                                 .name = "counters",
                                 .facts = facts};
    if (s->subject)
        roster_close(s->host, s->subject, "closed", sink, clock_mono_ns());
    s->subject = roster_open(s->host, &like, sink, clock_mono_ns());
    return s->subject != NULL;
}

/* Once the session is held; from then on the thread hands on its samples. */
static void listen(struct panthor_session *s, const struct frame_sink *sink) {
    if (s->full || atomic_load(&s->run.phase) != PANTHOR_HELD)
        return;
    s->full = begin_subject(s, s->run.facts.p, sink) &&
              worker_call(s->worker, run_listen, (int64_t)(intptr_t)s->subject) == ERR_OK;
    worker_nudge(s->worker);
}

/* ---- the tick -------------------------------------------------------------------------------- */

static void give_up(struct panthor_session *s, int sys) {
    s->over = true;
    s->sys = sys;
}

static bool take(struct panthor_session *s, const struct frame_sink *sink) {
    enum err e = s->worker->ops->read(s->worker, 0, sink);
    if (e != ERR_OK && e != ERR_AGAIN)
        give_up(s, ENOMEM);
    s->slow = s->slow && e != ERR_OK;
    return !s->over;
}

static void start(struct panthor_session *s) {
    s->run.source.ops = &run_ops;
    if (s->host->keep_left < KEPT || worker_create(&s->run.source, &s->worker) != ERR_OK)
        give_up(s, ENOMEM);
    else
        s->host->keep_left -= KEPT;
}

static void stop_thread(struct panthor_session *s) {
    if (!s->worker)
        return;
    s->worker->ops->close(s->worker);
    s->worker = NULL;
    s->host->keep_left += KEPT;
}

/* A first wait, and another once the session is there: then the answer is near. */
static void wait_a_little(struct panthor_session *s) {
    struct source_wait wait;
    if (s->slow)
        return;
    s->worker->ops->poll(s->worker, 0, &wait);
    struct pollfd fd = {.fd = wait.fd, .events = POLLIN};
    s->slow = poll(&fd, 1, s->waited ? WAIT_MS : FIRST_WAIT_MS) <= 0;
    s->waited = true;
}

static void ask(struct panthor_session *s, const struct frame_sink *sink) {
    if (!take(s, sink))
        return;
    listen(s, sink);
    worker_nudge(s->worker);
    wait_a_little(s);
    if (!take(s, sink) || s->full)
        return;
    listen(s, sink);
    if (!s->full)
        return;
    wait_a_little(s);
    (void)take(s, sink);
}

/* There is never another: what it said is forgotten with its subject, and its thread ends, so that nothing more comes
 * of that. */
static void end_lost(struct panthor_session *s, const struct frame_sink *sink) {
    if (!s->full || atomic_load(&s->run.phase) != PANTHOR_LOST)
        return;
    stop_thread(s);
    give_up(s, atomic_load(&s->run.sys));
    s->full = false;
    (void)begin_subject(s, "", sink);
}

static void tell_failure(struct panthor_session *s, const struct frame_sink *sink) {
    int sys = s->over ? s->sys : atomic_load(&s->run.sys);
    if (sys != 0 && (s->subject || begin_subject(s, "", sink)))
        host_emit(sink, s->subject, PANTHOR_RING, clock_mono_ns(), NULL, -1, sys);
}

void panthor_session_read(struct panthor_session *s, int64_t now_ns,
                          const struct frame_sink *sink) {
    (void)now_ns;
    if (!s || roster_asleep(s->host, s->device))
        return;
    if (!s->worker && !s->over)
        start(s);
    if (!s->over) {
        ask(s, sink);
        unsigned long long calls = atomic_load(&s->run.calls);
        s->host->tally.syscalls += calls - s->counted;
        s->counted = calls;
        end_lost(s, sink);
    }
    tell_failure(s, sink);
}

/* ---- life ------------------------------------------------------------------------------------ */

int panthor_session_fd(const struct panthor_session *s) {
    struct source_wait wait = {.fd = -1};
    if (s && s->worker && !s->over)
        s->worker->ops->poll(s->worker, 0, &wait);
    return wait.fd;
}

enum err panthor_session_create(struct host *h, const struct subject *device,
                                struct panthor_session **out) {
    struct panthor_session *s;
    *out = NULL;
    if (facts_u64(h->machine_facts, "option.counters", 0) != 1)
        return ERR_OK;
    s = calloc(1, sizeof(*s));
    if (!s)
        return ERR_NOMEM;
    s->host = h;
    s->device = device;
    panthor_run_init(&s->run, h, device);
    if (!span_equals(facts_get(device->facts, "driver"), "panthor")) {
        give_up(s, ENODEV);
        log_line(LOG_WARN, "panthor: %s: no counters: those of the driver panthor alone are read",
                 device->name);
    }
    *out = s;
    return ERR_OK;
}

void panthor_session_destroy(struct panthor_session *s) {
    if (!s)
        return;
    stop_thread(s);
    panthor_run_finish(&s->run);
    free(s);
}
