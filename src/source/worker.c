/*
 * A source in a thread of its own. The thread alone touches the inner source, from the first poll to
 * close; what crosses over are copies of ticks, wishes and calls, under one mutex. Promises: read never
 * waits for the inner source, no tick is lost or reordered, and memory is bounded by a reader that
 * falls behind.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "worker_queue.h"

#define WAITING_MAX ((size_t)64 << 20) /* bytes of ticks that nobody took: collecting pauses */
#define SPARE_MAX   4                  /* blocks kept for reuse */
#define CALLS_MAX   16
#define RETRY_NS    INT64_C(1000000) /* pause after a read that found nothing although it was due */

struct call {
    void (*run)(struct source *inner, int64_t value);
    int64_t value;
};

struct worker {
    struct source source;  /* first: what the world sees */
    struct source *inner;  /* the thread's own */
    struct tick_room room; /* likewise: the largest block so far */
    pthread_t thread;
    int ready_fd;            /* eventfd: a tick or the end waits */
    int wake_fd;             /* eventfd: the thread is to look at what is below */
    struct tick_list taking; /* the reader's own: what it is emitting */

    pthread_mutex_t lock; /* all below */
    struct tick_list waiting;
    size_t waiting_bytes;
    struct tick_list spare;
    unsigned spare_count;
    enum err over; /* how the inner source ended; OK while it goes on */
    bool stop;
    bool nudged;
    struct want want; /* newest wish; processes are a copy */
    struct want_process *wish;
    uint32_t wish_cap;
    int32_t *nameless; /* likewise a copy */
    uint32_t nameless_cap;
    bool wished;
    struct call calls[CALLS_MAX];
    unsigned call_count;
};

static void ring(int fd) {
    const uint64_t one = 1;
    ssize_t put;
    do {
        put = write(fd, &one, sizeof one);
    } while (put < 0 && errno == EINTR);
}

static void silence(int fd) {
    uint64_t count;
    ssize_t got;
    do {
        got = read(fd, &count, sizeof count);
    } while (got < 0 && errno == EINTR);
}

/* ---- in the thread ---------------------------------------------------------------------------- */

/* What the thread has taken over from the other side for one turn. */
struct turn {
    bool stop;
    bool nudged;
    bool paused; /* too much waits */
    bool wished;
    struct want want;
    struct want_process *wish;
    uint32_t wish_cap;
    int32_t *nameless;
    uint32_t nameless_cap;
    struct call calls[CALLS_MAX];
    unsigned call_count;
};

static void take_turn(struct worker *w, struct turn *t) {
    pthread_mutex_lock(&w->lock);
    t->stop = w->stop;
    t->paused = w->waiting_bytes > WAITING_MAX;
    t->nudged = w->nudged && !t->paused;
    w->nudged = w->nudged && t->paused;
    t->wished = w->wished;
    if (w->wished) {
        struct want_process *wish = t->wish;
        uint32_t cap = t->wish_cap;
        t->wish = w->wish;
        t->wish_cap = w->wish_cap;
        t->want = w->want;
        t->want.processes = t->wish;
        w->wish = wish;
        w->wish_cap = cap;
        int32_t *nameless = t->nameless;
        cap = t->nameless_cap;
        t->nameless = w->nameless;
        t->nameless_cap = w->nameless_cap;
        t->want.nameless = t->nameless;
        w->nameless = nameless;
        w->nameless_cap = cap;
        w->wished = false;
    }
    t->call_count = w->call_count;
    memcpy(t->calls, w->calls, w->call_count * sizeof w->calls[0]);
    w->call_count = 0;
    pthread_mutex_unlock(&w->lock);
}

static void obey(struct worker *w, const struct turn *t) {
    for (unsigned i = 0; i < t->call_count; i++) {
        t->calls[i].run(w->inner, t->calls[i].value);
    }
    if (t->wished && w->inner->ops->want) {
        w->inner->ops->want(w->inner, &t->want);
    }
}

static void add_frame(void *ctx, const struct subject *s, const struct frame *f) {
    tick_add(ctx, s, f);
}

/* Hands `tick` on and gives an empty one in its place; NULL on lack of memory. */
static struct tick *hand_on(struct worker *w, struct tick *tick) {
    tick_room_note(&w->room, tick);
    pthread_mutex_lock(&w->lock);
    tick_list_push(&w->waiting, tick);
    w->waiting_bytes += tick_size(tick);
    struct tick *fresh = tick_list_pop(&w->spare);
    w->spare_count -= fresh ? 1 : 0;
    pthread_mutex_unlock(&w->lock);
    ring(w->ready_fd);
    if (!fresh)
        fresh = calloc(1, sizeof *fresh);
    if (fresh)
        tick_fit(fresh, &w->room);
    return fresh;
}

/* One reading of the inner source. Frames of one that found nothing whole stay for the next. */
static enum err collect(struct worker *w, struct tick **tick) {
    struct frame_sink sink = {.ctx = *tick, .frame = add_frame};
    bool raised = rights_raise(false);
    enum err e = w->inner->ops->read(w->inner, clock_mono_ns(), &sink);
    if (raised) {
        rights_lower();
    }
    if ((*tick)->failed) {
        return ERR_NOMEM;
    }
    if (e == ERR_OK) {
        *tick = hand_on(w, *tick);
        return *tick ? ERR_OK : ERR_NOMEM;
    }
    return e;
}

static struct timespec timespec_of(int64_t ns) {
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

/* Waits until the inner source has something or the other side rings; true if it is time to read. */
static bool wait_for_work(struct worker *w, bool paused) {
    struct source_wait wait = {.fd = -1, .due_ns = INT64_MAX};
    int64_t now_ns = clock_mono_ns();
    if (!paused) {
        w->inner->ops->poll(w->inner, now_ns, &wait);
    }
    struct pollfd fds[2] = {{.fd = w->wake_fd, .events = POLLIN},
                            {.fd = wait.fd, .events = POLLIN}};
    struct timespec left = timespec_of(wait.due_ns > now_ns ? wait.due_ns - now_ns : 0);
    int n = ppoll(fds, 2, wait.due_ns == INT64_MAX ? NULL : &left, NULL);
    if (n > 0 && fds[0].revents) {
        silence(w->wake_fd);
    }
    return (n > 0 && fds[1].revents) || clock_mono_ns() >= wait.due_ns;
}

/* A source that is due and yet has nothing must not keep a processor busy. */
static void rest(struct worker *w) {
    struct pollfd fd = {.fd = w->wake_fd, .events = POLLIN};
    struct timespec left = timespec_of(RETRY_NS);
    ppoll(&fd, 1, &left, NULL);
}

static enum err work(struct worker *w, struct turn *turn, struct tick **tick) {
    for (;;) {
        take_turn(w, turn);
        if (turn->stop) {
            return ERR_END;
        }
        obey(w, turn);
        bool due = turn->nudged || wait_for_work(w, turn->paused);
        if (!due || turn->paused) {
            continue;
        }
        enum err e = collect(w, tick);
        if (e == ERR_AGAIN) {
            rest(w);
        } else if (e != ERR_OK) {
            return e;
        }
    }
}

static void *run(void *arg) {
    struct worker *w = arg;
    struct turn turn = {.stop = false};
    struct tick *tick = calloc(1, sizeof *tick);
    rights_lower(); /* whoever made the thread may have raised them */
    enum err e = tick ? work(w, &turn, &tick) : ERR_NOMEM;
    /* One that ended by itself stays until the worker is closed: its last tick may not be taken yet, and who takes
     * it may look at the source for what goes with it. */
    if (turn.stop) {
        w->inner->ops->close(w->inner);
        w->inner = NULL;
    }
    tick_free(tick);
    free(turn.wish);
    free(turn.nameless);
    pthread_mutex_lock(&w->lock);
    w->over = e;
    pthread_mutex_unlock(&w->lock);
    ring(w->ready_fd);
    return NULL;
}

/* ---- on the other side ------------------------------------------------------------------------ */

static void poll_worker(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)now_ns;
    *out = (struct source_wait){.fd = ((struct worker *)s)->ready_fd, .due_ns = INT64_MAX};
}

/* Takes all that waits; gives how the inner source ended, OK if it did not. */
static enum err take_waiting(struct worker *w) {
    pthread_mutex_lock(&w->lock);
    enum err over = w->over;
    bool paused = w->waiting_bytes > WAITING_MAX;
    w->taking = w->waiting;
    w->waiting = (struct tick_list){0};
    w->waiting_bytes = 0;
    pthread_mutex_unlock(&w->lock);
    if (paused) {
        ring(w->wake_fd);
    }
    return over;
}

static void give_back(struct worker *w, struct tick *tick) {
    tick_clear(tick);
    pthread_mutex_lock(&w->lock);
    bool keep = w->spare_count < SPARE_MAX;
    if (keep) {
        tick_list_push(&w->spare, tick);
        w->spare_count++;
    }
    pthread_mutex_unlock(&w->lock);
    if (!keep) {
        tick_free(tick);
    }
}

static enum err read_worker(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct worker *w = (struct worker *)s;
    bool any = false;
    (void)now_ns;
    silence(w->ready_fd);
    enum err over = take_waiting(w);
    for (struct tick *t = tick_list_pop(&w->taking); t; t = tick_list_pop(&w->taking)) {
        tick_emit(t, sink);
        give_back(w, t);
        any = true;
    }
    if (over != ERR_OK) {
        ring(w->ready_fd); /* the end goes on to be something to read */
    }
    if (any) {
        return ERR_OK;
    }
    return over != ERR_OK ? over : ERR_AGAIN;
}

static void want_worker(struct source *s, const struct want *want) {
    struct worker *w = (struct worker *)s;
    uint32_t count = want->process_count > UINT32_MAX ? UINT32_MAX : (uint32_t)want->process_count;
    pthread_mutex_lock(&w->lock);
    void *wish = w->wish;
    enum err e = vec_reserve(&wish, &w->wish_cap, count, sizeof *w->wish);
    w->wish = wish;
    uint32_t pids = want->nameless_count > UINT32_MAX ? UINT32_MAX : (uint32_t)want->nameless_count;
    void *nameless = w->nameless;
    if (e == ERR_OK)
        e = vec_reserve(&nameless, &w->nameless_cap, pids, sizeof *w->nameless);
    w->nameless = nameless;
    if (e == ERR_OK) { /* without memory for it, the last wish stands */
        if (count > 0) {
            memcpy(w->wish, want->processes, count * sizeof *w->wish);
        }
        w->want = *want;
        w->want.late = NULL; /* would be asked in the thread */
        if (pids > 0) {
            memcpy(w->nameless, want->nameless, pids * sizeof *w->nameless);
        }
        w->want.process_count = count;
        w->want.nameless_count = pids;
        w->wished = true;
    }
    pthread_mutex_unlock(&w->lock);
    ring(w->wake_fd);
}

void worker_nudge(struct source *worker) {
    struct worker *w = (struct worker *)worker;
    pthread_mutex_lock(&w->lock);
    w->nudged = true;
    pthread_mutex_unlock(&w->lock);
    ring(w->wake_fd);
}

enum err worker_call(struct source *worker, void (*run_inner)(struct source *inner, int64_t value),
                     int64_t value) {
    struct worker *w = (struct worker *)worker;
    enum err e = ERR_AGAIN;
    pthread_mutex_lock(&w->lock);
    if (w->call_count < CALLS_MAX) {
        w->calls[w->call_count++] = (struct call){run_inner, value};
        e = ERR_OK;
    }
    pthread_mutex_unlock(&w->lock);
    ring(w->wake_fd);
    return e;
}

static void free_worker(struct worker *w) {
    tick_list_free(&w->taking);
    tick_list_free(&w->waiting);
    tick_list_free(&w->spare);
    free(w->wish);
    free(w->nameless);
    if (w->ready_fd >= 0) {
        close(w->ready_fd);
    }
    if (w->wake_fd >= 0) {
        close(w->wake_fd);
    }
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static void close_worker(struct source *s) {
    struct worker *w = (struct worker *)s;
    if (w) {
        pthread_mutex_lock(&w->lock);
        w->stop = true;
        pthread_mutex_unlock(&w->lock);
        ring(w->wake_fd);
        pthread_join(w->thread, NULL);
        if (w->inner) {
            w->inner->ops->close(w->inner);
        }
        free_worker(w);
    }
}

static const struct source_ops worker_ops = {
    .poll = poll_worker, .read = read_worker, .want = want_worker, .close = close_worker};

static int start_thread(void *ctx) {
    struct worker *w = ctx;
    return pthread_create(&w->thread, NULL, run, w);
}

enum err worker_create(struct source *take_inner, struct source **out) {
    struct worker *w = calloc(1, sizeof *w);
    if (!w) {
        take_inner->ops->close(take_inner);
        return ERR_NOMEM;
    }
    w->source.ops = &worker_ops;
    w->inner = take_inner;
    pthread_mutex_init(&w->lock, NULL);
    w->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int sys = w->ready_fd < 0 || w->wake_fd < 0 ? errno : threads_begin(start_thread, w);
    if (sys != 0) {
        take_inner->ops->close(take_inner);
        free_worker(w);
        return sys == EAGAIN ? ERR_NOMEM : err_from_sys(sys);
    }
    *out = &w->source;
    return ERR_OK;
}
