/*
 * Following the command of `stat` by ptrace. Each thread stops when it begins, at each signal and at its end;
 * it is sent on at once, and only the end of a process is worth a look: the kernel stops it there before it
 * closes its descriptors. Who gwtop leaves behind is let go by the kernel, not killed.
 */
#include "stat_trace.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* So many at a time, so that a command that starts processes without end cannot keep gwtop from its signals. */
enum { STOPS = 64 };

static const unsigned long followed = PTRACE_O_TRACEEXIT | PTRACE_O_TRACEFORK |
                                      PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                                      PTRACE_O_TRACEEXEC;

enum err stat_trace_start(const struct stat_child *c, struct err_info *info) {
    if (ptrace(PTRACE_SEIZE, c->pid, NULL, (void *)followed) == 0)
        return ERR_OK;
    return err_set(info, err_from_sys(errno), errno, "--exact: the command cannot be traced",
                   strerror(errno));
}

/* The first thread: the descriptors in /proc are shown through it, with its end they are gone from there. */
static bool is_leader(pid_t tid) {
    return syscall(SYS_tgkill, tid, tid, 0) == 0 || errno != ESRCH;
}

/* A stop by SIGSTOP and the like is what somebody wanted: it lasts until SIGCONT. */
static bool is_group_stop(int event, int sig) {
    return event == PTRACE_EVENT_STOP &&
           (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU);
}

static enum err on_stop(pid_t tid, int status, const struct stat_last_look *last,
                        struct err_info *info) {
    int event = status >> 16, sig = WSTOPSIG(status);
    enum err e = ERR_OK;
    if (event == PTRACE_EVENT_EXIT && is_leader(tid))
        e = last->look(last->ctx, info);
    /* A thread that was killed meanwhile is not there any more, which is no failure. */
    if (is_group_stop(event, sig))
        (void)ptrace(PTRACE_LISTEN, tid, NULL, NULL);
    else
        (void)ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)(event ? 0 : sig));
    return e;
}

enum err stat_trace_look(struct stat_child *c, const struct stat_last_look *last,
                         struct err_info *info) {
    enum err e = ERR_OK;
    int status;
    c->more = false;
    for (int i = 0; i < STOPS && e == ERR_OK; i++) {
        pid_t tid = waitpid(-1, &status, WNOHANG | __WALL);
        if (tid <= 0)
            return ERR_OK;
        if (WIFSTOPPED(status)) {
            e = on_stop(tid, status, last, info);
        } else if (tid == c->pid) {
            c->ended = true;
            c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            c->pid = -1; /* reaped: the end of a followed one is told to its parent only then */
        }
    }
    c->more = true;
    return e;
}
