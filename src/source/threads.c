/* Threads that take no signal which somebody else waits for. */
#include <pthread.h>
#include <signal.h>

#include "gwtop/source.h"

int threads_begin(int (*start)(void *ctx), void *ctx) {
    static const int left[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, RIGHTS_SIGNAL};
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        sigdelset(&all, left[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = start(ctx);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}
