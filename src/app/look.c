/*
 * A thread that looks at files of a process when it is asked to. Both sides hold `struct look`: the one that lets
 * go last frees it, so that a thread that the kernel holds keeps what it works on, and nobody waits for it.
 */
#include "look.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "look_read.h"

#define PATIENCE_NS 100000000L

struct look {
    pthread_t thread;
    int root_fd;
    int ready_fd;             /* an answer waits */
    struct look_answer taken; /* the owner's: what it was given last */
    struct look_answer work;  /* the thread's */

    pthread_mutex_t lock; /* all below */
    pthread_cond_t wake;  /* something is asked, or the thread ended */
    struct look_answer answer;
    struct ui_target wanted;
    bool is_asked; /* `wanted` is not read yet */
    bool is_ready; /* `answer` was not taken yet */
    bool stop;
    bool ended; /* the thread touches nothing any more */
    bool left;  /* the owner does not wait for it */
};

static void discard(struct look *l) {
    look_answer_finish(&l->taken);
    look_answer_finish(&l->work);
    look_answer_finish(&l->answer);
    if (l->root_fd >= 0)
        close(l->root_fd);
    if (l->ready_fd >= 0)
        close(l->ready_fd);
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void swap(struct look_answer *a, struct look_answer *b) {
    struct look_answer was = *a;
    *a = *b;
    *b = was;
}

static void ring(int fd) {
    const uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* With the lock held. An answer to what nobody asks any more is dropped. */
static void answer(struct look *l) {
    l->work.of = l->wanted;
    l->is_asked = false;
    pthread_mutex_unlock(&l->lock);
    bool raised = rights_raise(true); /* root's own: look_lower_rights took what was given */
    look_read(l->root_fd, &l->work);
    if (raised)
        rights_lower();
    pthread_mutex_lock(&l->lock);
    if (l->is_asked || l->stop)
        return;
    swap(&l->work, &l->answer);
    l->is_ready = true;
    ring(l->ready_fd);
}

static void *run(void *arg) {
    struct look *l = arg;
    look_lower_rights();
    pthread_mutex_lock(&l->lock);
    while (!l->stop) {
        if (l->is_asked)
            answer(l);
        else
            pthread_cond_wait(&l->wake, &l->lock);
    }
    bool left = l->left;
    l->ended = true;
    pthread_cond_broadcast(&l->wake);
    pthread_mutex_unlock(&l->lock);
    if (left)
        discard(l);
    return NULL;
}

static int start_thread(void *ctx) {
    struct look *l = ctx;
    return pthread_create(&l->thread, NULL, run, l);
}

/* ---- the owner ------------------------------------------------------------------------------- */

static struct look *make(void) {
    pthread_condattr_t attr;
    struct look *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->root_fd = l->ready_fd = -1;
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&l->wake, &attr);
    pthread_condattr_destroy(&attr);
    return l;
}

enum err look_start(struct look **out, const char *root, struct err_info *info) {
    struct look *l = make();
    int sys = 0;
    *out = NULL;
    if (!l)
        return err_set(info, ERR_NOMEM, 0, err_text(ERR_NOMEM), NULL);
    l->root_fd = look_open_root(root);
    sys = l->root_fd < 0 ? errno : 0;
    if (sys == 0) {
        l->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        sys = l->ready_fd < 0 ? errno : 0;
    }
    sys = sys ? sys : threads_begin(start_thread, l);
    if (sys) {
        discard(l);
        enum err e = err_from_sys(sys);
        return err_set(info, e, sys, err_text(e), "files of processes");
    }
    *out = l;
    return ERR_OK;
}

void look_ask(struct look *l, const struct ui_target *of) {
    pthread_mutex_lock(&l->lock);
    l->wanted = *of;
    l->is_asked = true;
    pthread_cond_broadcast(&l->wake);
    pthread_mutex_unlock(&l->lock);
}

int look_fd(const struct look *l) {
    return l->ready_fd;
}

bool look_take(struct look *l, struct ui_target *of, struct ui_files *out) {
    uint64_t count;
    pthread_mutex_lock(&l->lock);
    ssize_t n = read(l->ready_fd, &count, sizeof count);
    bool is_new = l->is_ready && !l->is_asked;
    (void)n;
    if (is_new)
        swap(&l->answer, &l->taken);
    l->is_ready = false;
    pthread_mutex_unlock(&l->lock);
    if (is_new) {
        *of = l->taken.of;
        look_answer_show(&l->taken, out);
    }
    return is_new;
}

static struct timespec in_a_while(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += PATIENCE_NS;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

void look_stop(struct look *l) {
    if (!l)
        return;
    struct timespec until = in_a_while();
    pthread_t thread = l->thread;
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_cond_broadcast(&l->wake);
    while (!l->ended && pthread_cond_timedwait(&l->wake, &l->lock, &until) == 0)
        ;
    bool ended = l->ended;
    l->left = !ended;
    pthread_mutex_unlock(&l->lock);
    if (ended) {
        pthread_join(thread, NULL);
        discard(l);
    } else {
        pthread_detach(thread);
    }
}
