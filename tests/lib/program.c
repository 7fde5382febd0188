/* Running the program under test. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX 64

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

const char *program_path(void) {
    const char *path = getenv("GWTOP_BIN");
    return path ? path : "build/release/gwtop";
}

void program_prepare(const struct program *p) {
    for (const char *const *e = p->env; e && *e; e++)
        if (strchr(*e, '=') ? putenv((char *)(size_t)*e) != 0 : unsetenv(*e) != 0)
            _exit(126);
    if (geteuid() != 0)
        return;
    if (p->passwd &&
        (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
         mount(p->passwd, "/etc/passwd", NULL, MS_BIND, NULL) != 0))
        _exit(126);
    for (int cap = 0; p->bare_root && cap < 64; cap++)
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno != EINVAL)
            _exit(126);
}

pid_t program_start(const struct program *p, int stdout_fd, int stderr_fd) {
    char *argv[ARGS_MAX] = {(char *)(size_t)program_path()};
    for (int i = 0; p->args[i] && i + 2 < ARGS_MAX; i++)
        argv[i + 1] = (char *)(size_t)p->args[i];
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(stdout_fd, STDOUT_FILENO);
    dup2(stderr_fd, STDERR_FILENO);
    program_prepare(p);
    execv(argv[0], argv);
    _exit(127);
}

int program_wait(pid_t pid, double seconds, bool *timed_out) {
    int status = 0;
    double end = now_s() + seconds;
    bool late = false;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (now_s() > end) {
            late = true;
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            break;
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    if (timed_out)
        *timed_out = late;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct catcher {
    int fd;
    char *p;
    size_t n;
    size_t cap;
};

/* False at the end. */
static bool catch_some(struct catcher *c) {
    if (c->cap - c->n < 65536) {
        c->cap = c->cap ? 2 * c->cap : 131072;
        c->p = realloc(c->p, c->cap);
        if (!c->p)
            abort();
    }
    ssize_t k = read(c->fd, c->p + c->n, c->cap - c->n - 1);
    if (k > 0)
        c->n += (size_t)k;
    c->p[c->n] = '\0';
    return k > 0 || (k < 0 && errno == EINTR);
}

static void catch_all(struct catcher c[2], double end) {
    bool open[2] = {true, true};
    while ((open[0] || open[1]) && now_s() < end) {
        struct pollfd f[2] = {{open[0] ? c[0].fd : -1, POLLIN, 0},
                              {open[1] ? c[1].fd : -1, POLLIN, 0}};
        poll(f, 2, 100);
        for (int i = 0; i < 2; i++)
            if (f[i].revents)
                open[i] = catch_some(&c[i]);
    }
}

void program_run(const struct program *p, struct program_result *r) {
    int out[2], err[2];
    double seconds = p->seconds > 0 ? p->seconds : PROGRAM_PATIENCE_S, end = now_s() + seconds;
    *r = (struct program_result){.status = 126};
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        abort();
    int to = p->stdout_path ? open(p->stdout_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : out[1];
    pid_t pid = program_start(p, to, err[1]);
    if (p->stdout_path)
        close(to);
    close(out[1]);
    close(err[1]);
    struct catcher c[2] = {{.fd = out[0]}, {.fd = err[0]}};
    catch_all(c, end);
    double left = end - now_s();
    r->status = program_wait(pid, left > 1 ? left : 1, &r->timed_out);
    close(out[0]);
    close(err[0]);
    r->out = c[0].p ? c[0].p : calloc(1, 1);
    r->out_size = c[0].n;
    r->err = c[1].p ? c[1].p : calloc(1, 1);
    r->err_size = c[1].n;
}

void program_finish(struct program_result *r) {
    free(r->out);
    free(r->err);
    *r = (struct program_result){0};
}
