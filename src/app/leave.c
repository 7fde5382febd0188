/* Waits beside the thread that closes all sources: a driver that hangs keeps a read for as long as it likes. */
#include "leave.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "gwtop/source.h"

enum { PATIENCE_S = 2 };

static void *wait_beside(void *ctx) {
    struct leave *l = ctx;
    struct timespec end;
    int rc;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE_S;
    do
        rc = sem_clockwait(&l->done, CLOCK_MONOTONIC, &end);
    while (rc != 0 && errno == EINTR);
    if (rc == 0)
        return NULL;
    undo_all();
    _exit(l->status);
}

static int start_thread(void *ctx) {
    struct leave *l = ctx;
    return pthread_create(&l->thread, NULL, wait_beside, l);
}

/* Without such a thread it is waited for as long as it takes. */
void leave_begin(struct leave *l, int status) {
    l->status = status;
    l->watched = sem_init(&l->done, 0, 0) == 0;
    if (!l->watched)
        return;
    l->watched = threads_begin(start_thread, l) == 0;
    if (!l->watched)
        sem_destroy(&l->done);
}

void leave_end(struct leave *l) {
    if (!l->watched)
        return;
    sem_post(&l->done);
    pthread_join(l->thread, NULL);
    sem_destroy(&l->done);
}
