/*
 * Signal handling: the signal's number and a pipe are the only state that a handler touches. They are
 * file-scope since a handler has no other way to reach them.
 */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "gwtop/source.h"

static volatile sig_atomic_t got;
static int wake[2] = {-1, -1};
static const int changed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGCHLD};
enum { CHANGED = sizeof changed / sizeof *changed, ENDING = 4 };
static struct sigaction before[CHANGED];
static bool kept;

static void on_signal(int number) {
    int saved = errno;
    if (!got)
        got = number;
    ssize_t n = write(wake[1], "", 1); /* full pipe: it is readable already */
    (void)n;
    errno = saved;
}

void signals_init(void) {
    struct sigaction act = {.sa_handler = on_signal};
    for (size_t i = 0; i < CHANGED; i++)
        sigaction(changed[i], NULL, &before[i]);
    kept = true;
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return; /* the default action still ends the program */
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < ENDING; i++)
        sigaction(changed[i], &act, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD,
           SIG_DFL); /* who was started with it ignored would never hear of a child's end */
}

void signals_restore(void) {
    for (size_t i = 0; kept && i < CHANGED; i++)
        sigaction(changed[i], &before[i], NULL);
}

int signals_fd(void) {
    return wake[0];
}

int signals_got(void) {
    return (int)got;
}

bool signals_wait(int fd, int64_t due_ns) {
    struct pollfd fds[2] = {{.fd = wake[0], .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    while (!got) {
        int64_t left = due_ns - clock_mono_ns();
        if (left <= 0)
            break;
        struct timespec t = {left / 1000000000, left % 1000000000};
        int n = ppoll(fds, 2, due_ns == INT64_MAX ? NULL : &t, NULL);
        if (n > 0 && fds[1].revents)
            break;
    }
    return got != 0;
}
