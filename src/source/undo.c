/*
 * Knobs that are turned for as long as the program runs, and how they are put back: on the ordinary
 * way out by who turned them, in a crash by a handler on a stack of its own, which makes system
 * calls only. The steps are file-scope since a handler has no other way to reach them.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "gwtop/source.h"

enum { STACK_BYTES = 1 << 16 };
#define MS_NS INT64_C(1000000)

enum sort { WRITE, IOCTL, WAIT };
enum armed { FREE, FILLING, ARMED };

struct step {
    atomic_int armed;
    unsigned order; /* higher: armed later */
    enum sort sort;
    int fd;
    unsigned long request;
    int64_t most_ns;
    size_t n;
    _Alignas(max_align_t) char bytes[UNDO_BYTES];
};

static struct step steps[UNDO_STEPS];
static atomic_uint armed_count; /* so far, ever */
static _Atomic pid_t owner;     /* a child that was forked has turned nothing */
static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};

static int64_t now_ns(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Signals that come meanwhile do not make it shorter. What came is read, so that another wait for the same does not
 * find it. */
static void wait_for(int fd, int64_t most_ns) {
    int64_t end_ns = now_ns() + most_ns;
    int64_t left_ns = most_ns;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t count;
    int got;
    while ((got = poll(&p, 1, (int)((left_ns + MS_NS - 1) / MS_NS))) < 0 && errno == EINTR) {
        left_ns = end_ns - now_ns();
        if (left_ns <= 0)
            return;
    }
    if (got > 0 && (p.revents & POLLIN) && read(fd, &count, sizeof(count)) < 0)
        return;
}

/* What fails is left as it is: there is nobody to tell. */
static void run(struct step *s) {
    switch (s->sort) {
    case WRITE:
        if (pwrite(s->fd, s->bytes, s->n, 0) < 0)
            return;
        break;
    case IOCTL:
        (void)ioctl(s->fd, s->request, s->n > 0 ? s->bytes : NULL);
        break;
    case WAIT:
        wait_for(s->fd, s->most_ns);
        break;
    }
}

/* The one that was armed last, taken; NULL: none is left. */
static struct step *take_last(void) {
    for (;;) {
        struct step *last = NULL;
        int armed = ARMED;
        for (int i = 0; i < UNDO_STEPS; i++)
            if (atomic_load(&steps[i].armed) == ARMED &&
                (!last || (int)(steps[i].order - last->order) > 0))
                last = &steps[i];
        if (!last || atomic_compare_exchange_strong(&last->armed, &armed, FILLING))
            return last;
    }
}

void undo_all(void) {
    struct step *s;
    while (getpid() == owner && (s = take_last()) != NULL)
        run(s);
}

static void on_crash(int number) {
    undo_all();
    signal(number, SIG_DFL);
    raise(number); /* comes when the handler is left */
}

/* The stack is the arming thread's; elsewhere the handler runs on what there is. One that the thread
 * has already is somebody else's to take away, and good enough. */
static void catch_crashes(void) {
    static char stack[STACK_BYTES];
    stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
    stack_t other = {.ss_flags = SS_DISABLE};
    struct sigaction act = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    if (sigaltstack(NULL, &other) < 0 || (other.ss_flags & SS_DISABLE))
        (void)sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        sigaction(fatal[i], &act, NULL);
}

/* A step to be filled, its place in the order taken; NULL: none is free. */
static struct step *begin(enum sort sort, int fd) {
    pid_t nobody = 0;
    if (atomic_compare_exchange_strong(&owner, &nobody, getpid()))
        catch_crashes();
    for (int i = 0; i < UNDO_STEPS; i++) {
        struct step *s = &steps[i];
        int armed = FREE;
        if (!atomic_compare_exchange_strong(&s->armed, &armed, FILLING))
            continue;
        s->sort = sort;
        s->fd = fd;
        s->n = 0;
        s->order = atomic_fetch_add(&armed_count, 1);
        return s;
    }
    return NULL;
}

static int end(struct step *s) {
    if (!s)
        return -1;
    atomic_store(&s->armed, ARMED);
    return (int)(s - steps);
}

int undo_arm(int fd, const void *bytes, size_t n) {
    struct step *s = n > UNDO_BYTES ? NULL : begin(WRITE, fd);
    if (s && n > 0)
        memcpy(s->bytes, bytes, n);
    if (s)
        s->n = n;
    return end(s);
}

int undo_arm_ioctl(int fd, unsigned long request, const void *arg, size_t n) {
    struct step *s = n > UNDO_BYTES ? NULL : begin(IOCTL, fd);
    if (s && n > 0)
        memcpy(s->bytes, arg, n);
    if (s) {
        s->n = n;
        s->request = request;
    }
    return end(s);
}

int undo_arm_wait(int fd, int64_t most_ns) {
    struct step *s = begin(WAIT, fd);
    if (s)
        s->most_ns = most_ns < 0 ? 0 : most_ns > UNDO_WAIT_NS ? UNDO_WAIT_NS : most_ns;
    return end(s);
}

void undo_disarm(int step) {
    if (step >= 0 && step < UNDO_STEPS)
        atomic_store(&steps[step].armed, FREE);
}
