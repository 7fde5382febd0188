/*
 * Knobs that are turned for as long as the program runs, and how they are put back: on the ordinary way
 * out by who turned them, in a crash by a handler on a stack of its own, which makes system calls only.
 * The steps are file-scope since a handler has no other way to reach them.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"

enum { STACK_BYTES = 1 << 16 };

struct step {
    atomic_int armed; /* 0 free, 1 being filled, 2 to be done */
    int fd;
    size_t n;
    char bytes[UNDO_BYTES];
};

static struct step steps[UNDO_STEPS];
static _Atomic pid_t owner; /* a child that was forked has turned nothing */
static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};

static bool run(struct step *s) {
    return pwrite(s->fd, s->bytes, s->n, 0) == (ssize_t)s->n;
}

static void on_crash(int number) {
    for (int i = UNDO_STEPS; i > 0 && getpid() == owner; i--) {
        int armed = 2;
        if (atomic_compare_exchange_strong(&steps[i - 1].armed, &armed, 0))
            (void)run(&steps[i - 1]);
    }
    signal(number, SIG_DFL);
    raise(number); /* comes when the handler is left */
}

/* The stack is the arming thread's; elsewhere the handler runs on what there is. */
static void catch_crashes(void) {
    static char stack[STACK_BYTES];
    stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction act = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    (void)sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        sigaction(fatal[i], &act, NULL);
}

int undo_arm(int fd, const void *bytes, size_t n) {
    pid_t nobody = 0;
    if (n > UNDO_BYTES)
        return -1;
    if (atomic_compare_exchange_strong(&owner, &nobody, getpid()))
        catch_crashes();
    for (int i = 0; i < UNDO_STEPS; i++) {
        int armed = 0;
        if (!atomic_compare_exchange_strong(&steps[i].armed, &armed, 1))
            continue;
        steps[i].fd = fd;
        steps[i].n = n;
        memcpy(steps[i].bytes, bytes, n);
        atomic_store(&steps[i].armed, 2);
        return i;
    }
    return -1;
}

void undo_disarm(int step) {
    if (step >= 0 && step < UNDO_STEPS)
        atomic_store(&steps[step].armed, 0);
}
