/*
 * Running the command of `stat`: with the limits, the mask and the dispositions that gwtop was given, and not
 * before gwtop has had its first look.
 */
#include "stat_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

/* In the child. */
_Noreturn static void run(const struct stat_before *before, char *const *command, int go,
                          int failed) {
    char byte;
    ssize_t n;
    signals_restore();
    if (before->has_files)
        (void)setrlimit(RLIMIT_NOFILE, &before->files);
    (void)sigprocmask(SIG_SETMASK, before->mask, NULL);
    do
        n = read(go, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        _exit(125);
    execvp(command[0], command);
    int sys = errno;
    n = write(failed, &sys, sizeof sys);
    _exit(n == sizeof sys ? 126 : 125);
}

enum err stat_child_start(const struct stat_before *before, char *const *command,
                          struct stat_child *out, struct err_info *info) {
    int go[2] = {-1, -1}, failed[2] = {-1, -1};
    *out = (struct stat_child){.pid = -1, .go = -1, .failed = -1};
    if (pipe2(go, O_CLOEXEC) == 0 && pipe2(failed, O_CLOEXEC) == 0)
        out->pid = fork();
    int sys = errno;
    if (out->pid == 0) {
        close(go[1]);
        close(failed[0]);
        run(before, command, go[0], failed[1]);
    }
    if (go[0] >= 0)
        close(go[0]);
    if (failed[1] >= 0)
        close(failed[1]);
    out->go = go[1];
    out->failed = failed[0];
    if (out->pid > 0)
        return ERR_OK;
    if (out->go >= 0)
        close(out->go);
    if (out->failed >= 0)
        close(out->failed);
    return err_set(info, err_from_sys(sys), sys, "cannot start a process", strerror(sys));
}

int stat_child_go(struct stat_child *c) {
    int sys = 0;
    ssize_t n = write(c->go, "", 1);
    close(c->go);
    c->go = -1;
    if (n == 1) {
        do
            n = read(c->failed, &sys, sizeof sys);
        while (n < 0 && errno == EINTR);
    }
    close(c->failed);
    c->failed = -1;
    return n == sizeof sys ? sys : 0;
}

void stat_child_look(struct stat_child *c) {
    siginfo_t si = {0};
    if (!c->ended && waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        si.si_pid == c->pid) {
        c->ended = true;
        c->status = si.si_code == CLD_EXITED ? si.si_status : 128 + si.si_status;
    }
    /* With its own end unreaped the first that waits may always be itself. */
    for (;;) {
        si = (siginfo_t){0};
        if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) != 0 || si.si_pid == 0 ||
            si.si_pid == c->pid)
            break;
        (void)waitpid(si.si_pid, NULL, WNOHANG);
    }
}

void stat_child_reap(struct stat_child *c) {
    if (c->go >= 0)
        close(c->go);
    if (c->failed >= 0)
        close(c->failed);
    c->go = c->failed = -1;
    for (bool again = c->pid > 0; again;) {
        int status = 0;
        again = waitpid(c->pid, &status, 0) < 0 ? errno == EINTR : WIFSTOPPED(status);
        if (WIFSTOPPED(status)) /* followed, and not let go before */
            (void)ptrace(PTRACE_DETACH, c->pid, NULL, NULL);
    }
    c->pid = -1;
}
