/* A pty with the program on its other side. The test keeps that side open too, to look at the modes. */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

struct terminal {
    int master;
    int slave;
    pid_t pid;
    bool ended;
    int status;
    int asleep; /* looks in a row that found it so */
    struct termios before;
    char *output;
    size_t n;
    size_t cap;
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void play(const struct terminal *t, const struct program *p) {
    char *argv[64] = {(char *)(size_t)program_path()};
    for (int i = 0; i < 62 && p->args[i]; i++)
        argv[i + 1] = (char *)(size_t)p->args[i];
    close(t->master);
    login_tty(t->slave);
    program_prepare(p);
    execv(argv[0], argv);
    _exit(127);
}

struct terminal *terminal_start(const struct program *p, int rows, int columns) {
    struct terminal *t = calloc(1, sizeof *t);
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    if (!t || openpty(&t->master, &t->slave, NULL, NULL, &size) != 0) {
        free(t);
        return NULL;
    }
    fcntl(t->master, F_SETFD, FD_CLOEXEC);
    tcgetattr(t->slave, &t->before);
    t->pid = fork();
    if (t->pid == 0)
        play(t, p);
    fcntl(t->slave, F_SETFD, FD_CLOEXEC);
    return t;
}

static bool ended(struct terminal *t) {
    int status;
    if (!t->ended && waitpid(t->pid, &status, WNOHANG) == t->pid) {
        t->ended = true;
        t->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return t->ended;
}

/* What is there within `ms`; false if nothing was. */
static bool read_some(struct terminal *t, int ms) {
    struct pollfd f = {t->master, POLLIN, 0};
    if (t->master < 0 || poll(&f, 1, ms) <= 0)
        return false;
    if (t->cap - t->n < 65536) {
        t->cap = t->cap ? 2 * t->cap : 1 << 18;
        t->output = realloc(t->output, t->cap);
        if (!t->output)
            abort();
    }
    ssize_t k = read(t->master, t->output + t->n, t->cap - t->n - 1);
    if (k <= 0)
        return false;
    t->n += (size_t)k;
    t->output[t->n] = '\0';
    return true;
}

bool terminal_pump(struct terminal *t, double quiet_s, double most_s) {
    double end = now_s() + most_s, last = now_s();
    while (now_s() < end && now_s() - last < quiet_s) {
        if (read_some(t, 10))
            last = now_s();
        else if (ended(t))
            return false;
    }
    return !ended(t);
}

bool terminal_expect(struct terminal *t, const char *text, double most_s) {
    double end = now_s() + most_s;
    do {
        if (t->output && memmem(t->output, t->n, text, strlen(text)))
            return true;
        if (!read_some(t, 20) && ended(t) && !read_some(t, 0))
            return false;
    } while (now_s() < end);
    return false;
}

/* ---- at rest ----------------------------------------------------------------------------------- */

enum { SLEPT = 10 }; /* looks in a row, where it can not be seen what it sleeps for */

static char *proc_text(const struct terminal *t, const char *name, char text[512]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)t->pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, 511);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? text : NULL;
}

/* A poll of several descriptors: for the rest of an escape sequence it polls its terminal alone. A first field that is
 * no number is "running". */
static bool is_in_poll(const char *call) {
    char *end;
    long number = strtol(call, &end, 10);
    if (end == call)
        return false;
    (void)strtoull(end, &end, 16);
    unsigned long long descriptors = strtoull(end, &end, 16);
#ifdef SYS_poll
    if (number == SYS_poll)
        return descriptors > 1;
#endif
    return number == SYS_ppoll && descriptors > 1;
}

/* Its main thread sleeps until something comes. One that waits for a processor is not asleep. */
static bool is_asleep(struct terminal *t) {
    char text[512];
    if (proc_text(t, "syscall", text))
        return is_in_poll(text);
    const char *name_end = proc_text(t, "stat", text) ? strrchr(text, ')') : NULL;
    t->asleep = name_end && strncmp(name_end, ") S", 3) == 0 ? t->asleep + 1 : 0;
    return t->asleep >= SLEPT;
}

/* Keys that were sent and not taken. The poll waits for those that are still on their way. */
static bool has_keys(const struct terminal *t) {
    struct pollfd f = {t->slave, POLLIN, 0};
    return poll(&f, 1, 0) > 0;
}

#define LAST 0x16 /* SYN: no program writes it, and no mode changes it */

/* What was written is on its way until a worker of the kernel has brought it over; a byte of ours comes after all of it.
 * False: something came before that. */
static bool is_drained(struct terminal *t) {
    static const char last = LAST;
    double end = now_s() + TERMINAL_LONG_S;
    size_t before = t->n;
    if (write(t->slave, &last, 1) != 1)
        return true;
    while (t->n == before || t->output[t->n - 1] != LAST) {
        if (now_s() > end)
            return true;
        (void)read_some(t, 20);
    }
    t->output[--t->n] = '\0';
    return t->n == before;
}

bool terminal_settle(struct terminal *t) {
    double end = now_s() + TERMINAL_LONG_S;
    t->asleep = 0;
    while (!ended(t) && now_s() < end) {
        bool rests = !has_keys(t) && is_asleep(t);
        if (!read_some(t, rests ? 0 : 5) && rests && is_drained(t))
            return true;
    }
    return false;
}

bool terminal_stopped(struct terminal *t) {
    double end = now_s() + TERMINAL_LONG_S;
    siginfo_t info = {0};
    while (!ended(t) && now_s() < end) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)t->pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == t->pid) {
            while (!is_drained(t))
                continue;
            return true;
        }
        (void)read_some(t, 10);
    }
    return false;
}

/* ---- what a person does ------------------------------------------------------------------------ */

void terminal_send(struct terminal *t, const char *keys) {
    if (write(t->master, keys, strlen(keys)) < 0)
        return; /* it has ended; whoever waits for it will see */
}

double terminal_answer(struct terminal *t, const char *keys, double most_s) {
    while (read_some(t, 0))
        continue;
    double begin = now_s();
    terminal_send(t, keys);
    return read_some(t, (int)(most_s * 1e3)) ? now_s() - begin : -1;
}

void terminal_resize(struct terminal *t, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    ioctl(t->master, TIOCSWINSZ, &size); /* sends SIGWINCH too */
}

pid_t terminal_pid(const struct terminal *t) {
    return t->pid;
}

const char *terminal_output(const struct terminal *t, size_t *n) {
    if (n)
        *n = t->n;
    return t->output ? t->output : "";
}

void terminal_forget(struct terminal *t) {
    t->n = 0;
}

const struct termios *terminal_before(const struct terminal *t) {
    return &t->before;
}

void terminal_now(const struct terminal *t, struct termios *out) {
    tcgetattr(t->slave, out);
}

void terminal_hang_up(struct terminal *t) {
    close(t->slave);
    close(t->master);
    t->slave = t->master = -1;
}

int terminal_wait(struct terminal *t, double most_s, bool *timed_out) {
    double end = now_s() + most_s;
    bool late = false;
    while (!ended(t)) {
        if (now_s() > end) {
            late = true;
            kill(t->pid, SIGKILL);
        }
        if (!read_some(t, 10))
            nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    while (read_some(t, 0))
        continue;
    if (timed_out)
        *timed_out = late;
    return t->status;
}

void terminal_finish(struct terminal *t) {
    if (!t)
        return;
    if (!ended(t)) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, NULL, 0);
    }
    if (t->master >= 0) {
        close(t->master);
        close(t->slave);
    }
    free(t->output);
    free(t);
}
