/*
 * gwtop beside other monitors: peers GWTOP. The same real processes, terminal and refresh interval for each, one
 * after another; what is not installed or does not stay is said. PEERS_SECONDS: how long each is measured (10).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"

/* MODES_BYTES: no screen is smaller, and no setting of modes, which comes before it, larger. */
enum { DESCRIPTORS = 50, CLIENTS = 100, WARM_S = 3, CALLS_S = 5, MODES_BYTES = 200, MOST = 1000 };

/* All of them refresh once a second. */
static const char *const peers[][3] = {
    {"gwtop", "-d", "10"},           {"htop", "-d", "10"},  {"nvtop", "-d", "10"},
    {"intel_gpu_top", "-s", "1000"}, {"gputop", "-d", "1"},
};

struct figures {
    double cpu_us; /* of a refresh */
    double calls;  /* of a refresh; below 0 where nothing counts them */
    double peak_kib;
    double paint_ms; /* from start to the first paint */
};

struct screen {
    int master;
    pid_t pid;
    double paint_s; /* when it painted first; 0 before */
    size_t bytes;
    char last[512]; /* what came last: what it said, should it end */
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Descriptors of several kinds; the last ones are of the client node. Never returns. */
static void sleeper(const char *node, unsigned clients, int ready) {
    static const char *const paths[] = {"/dev/null", "/proc/self/status", "/etc/passwd", "/"};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "peers-sleeper");
    for (unsigned have = 3; have + clients < DESCRIPTORS; have++)
        if (open(paths[have % 4], O_RDONLY) < 0)
            _exit(1);
    for (unsigned i = 0; i < clients; i++)
        if (open(node, O_PATH) < 0)
            _exit(1);
    if (write(ready, "", 1) != 1)
        _exit(1);
    close(ready);
    for (;;)
        pause();
}

static bool sleepers_start(pid_t *pids, unsigned n, const char *node) {
    int ready[2];
    char byte;
    if (pipe2(ready, O_CLOEXEC) != 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            close(ready[0]);
            sleeper(node, node ? CLIENTS / n + (i < CLIENTS % n) : 0, ready[1]);
        }
    }
    close(ready[1]);
    unsigned up = 0;
    while (up < n && read(ready[0], &byte, 1) == 1)
        up++;
    close(ready[0]);
    return up == n;
}

static void sleepers_end(pid_t *pids, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (pids[i] > 0 && kill(pids[i], SIGKILL) == 0)
            waitpid(pids[i], NULL, 0);
    memset(pids, 0, n * sizeof *pids);
}

static bool screen_start(struct screen *s, const char *program, const char *const *words) {
    const struct winsize size = {.ws_row = 50, .ws_col = 160};
    *s = (struct screen){.master = -1};
    s->pid = forkpty(&s->master, NULL, NULL, &size);
    if (s->pid == 0) {
        execlp(program, program, words[1], words[2], (char *)NULL);
        _exit(127);
    }
    return s->pid > 0;
}

/* Reads what it paints until then; false if it ended. */
static bool screen_until(struct screen *s, double end_s) {
    static char bytes[65536];
    for (double left_s; (left_s = end_s - now_s()) > 0;) {
        struct pollfd f = {s->master, POLLIN, 0};
        if (poll(&f, 1, (int)(left_s * 1e3) + 1) <= 0)
            continue;
        ssize_t n = read(s->master, bytes, sizeof bytes);
        if (n <= 0)
            return false;
        s->bytes += (size_t)n;
        if (s->paint_s <= 0 && s->bytes > MODES_BYTES)
            s->paint_s = now_s();
        size_t keep = (size_t)n < sizeof s->last ? (size_t)n : sizeof s->last - 1;
        memcpy(s->last, bytes + (size_t)n - keep, keep);
        s->last[keep] = '\0';
    }
    return true;
}

/* Ends it as a person would, by force after two seconds; gives what waitpid says. */
static int screen_end(struct screen *s) {
    int status = 0;
    kill(s->pid, SIGTERM);
    screen_until(s, now_s() + 2);
    kill(s->pid, SIGKILL);
    close(s->master);
    waitpid(s->pid, &status, 0);
    return status;
}

static void read_text(char *text, size_t size, const char *form, int pid) {
    char path[128];
    snprintf(path, sizeof path, form, pid, pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
}

/* CPU time and peak memory of a process and its children. The clock of a process is utime and stime without
 * their coarse unit; that of children which ended is in the 16th and 17th field of stat. */
static void tree_add(int pid, double *cpu_us, double *peak_kib) {
    char text[8192];
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
        *cpu_us += (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
    read_text(text, sizeof text, "/proc/%d/stat", pid);
    char *p = strrchr(text, ')');
    for (int field = 2; p && field < 16; field++)
        p = strchr(p + 1, ' ');
    double user = p ? strtod(p, &p) : 0, system = p ? strtod(p, NULL) : 0;
    *cpu_us += (user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
    read_text(text, sizeof text, "/proc/%d/status", pid);
    const char *peak = strstr(text, "VmHWM:");
    *peak_kib += peak ? strtod(peak + 6, NULL) : 0;
    read_text(text, sizeof text, "/proc/%d/task/%d/children", pid);
    char *rest = text;
    for (int child; (child = (int)strtol(rest, &rest, 10)) > 0;)
        tree_add(child, cpu_us, peak_kib);
}

/* Of a pid and seconds; they write the number of system calls, or a word that is none. */
static const char by_perf[] =
    "perf stat -x, -e raw_syscalls:sys_enter -p %d -o log -- sleep %d >/dev/null 2>&1; "
    "awk -F, '/sys_enter/ { print $1 }' log >calls; rm -f log";
/* It slows what it traces: a refresh that then takes longer than a second is counted short. */
static const char by_strace[] =
    "strace -c -f -p %d -o log >/dev/null 2>&1 & p=$!; sleep %d; kill -INT $p; wait $p; "
    "awk '$NF == \"total\" { print $4 }' log >calls; rm -f log";

/* System calls a second; below 0 where it counted none. */
static double count_calls(struct screen *s, const char *counter) {
    char text[512];
    snprintf(text, sizeof text, counter, s->pid, CALLS_S);
    pid_t shell = fork();
    if (shell == 0) {
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
        _exit(127);
    }
    while (waitpid(shell, NULL, WNOHANG) == 0)
        if (!screen_until(s, now_s() + 0.1))
            nanosleep(&(struct timespec){0, 10000000}, NULL);
    read_text(text, sizeof text, "calls", 0);
    double calls = strtod(text, NULL);
    return calls > 0 ? calls / CALLS_S : -1;
}

static bool installed(const char *program) {
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

/* Measures it; false, with the reason in `why`, where it does not stay. */
static bool measure(const char *program, const char *const *words, int seconds, struct figures *f,
                    char *why, size_t size) {
    struct screen s;
    double begin_s = now_s(), before_us = 0, after_us = 0;
    if (!screen_start(&s, program, words))
        return snprintf(why, size, "there is no terminal"), false;
    bool stays = screen_until(&s, begin_s + WARM_S);
    if (stays) {
        tree_add(s.pid, &before_us, &(double){0});
        stays = screen_until(&s, now_s() + seconds);
        *f = (struct figures){.calls = -1, .paint_ms = (s.paint_s - begin_s) * 1e3};
        tree_add(s.pid, &after_us, &f->peak_kib);
        f->cpu_us = (after_us - before_us) / seconds;
    }
    if (stays && installed("perf"))
        f->calls = count_calls(&s, by_perf);
    if (stays && f->calls < 0 && installed("strace"))
        f->calls = count_calls(&s, by_strace);
    int status = screen_end(&s);
    s.last[strcspn(s.last, "\r\n\033")] = '\0';
    snprintf(why, size, "ended on its own, status %d: %s", WEXITSTATUS(status), s.last);
    return stays;
}

static void cell(double value, double base) {
    char ratio[16] = "";
    if (value >= 0 && base > 0)
        snprintf(ratio, sizeof ratio, "%.2fx", value / base);
    char number[16] = "n/a";
    if (value >= 0)
        snprintf(number, sizeof number, "%.0f", value);
    printf("  %9s %7s", number, ratio);
}

static void compare(const char *gwtop, int seconds) {
    struct figures f, base = {0};
    char why[600];
    printf("  %-14s  %17s  %17s  %17s  %17s\n", "", "CPU us/refresh", "calls/refresh", "peak KiB",
           "first paint ms");
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        const char *program = i ? peers[i][0] : gwtop;
        printf("  %-14s", peers[i][0]);
        if (i && !installed(program))
            printf("  not run: not installed\n");
        else if (!measure(program, peers[i], seconds, &f, why, sizeof why))
            printf("  not run: %s\n", why);
        else {
            base = i ? base : f;
            cell(f.cpu_us, base.cpu_us);
            cell(f.calls, base.calls);
            cell(f.peak_kib, base.peak_kib);
            cell(f.paint_ms, base.paint_ms);
            printf("\n");
        }
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    static const unsigned sizes[] = {50, MOST};
    static pid_t pids[MOST];
    const char *asked = getenv("PEERS_SECONDS");
    int seconds = asked ? (int)strtol(asked, NULL, 10) : 10;
    char *gwtop = argc == 2 ? realpath(argv[1], NULL) : NULL;
    char *dir = scratch_make();
    char load[64];
    struct utsname u;
    if (!gwtop || !dir || seconds < 1 || chdir(dir) != 0 || uname(&u) != 0)
        return fprintf(stderr, "usage: peers GWTOP\n"), 2;
    setenv("HOME", dir, 1); /* settings of nobody, and none left behind */
    setenv("TERM", "xterm-256color", 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HTOPRC");
    bool node = mknod("renderD128", S_IFCHR | 0600, makedev(226, 128)) == 0;
    printf("gwtop beside its peers: %s %s %s, %ld CPUs; a refresh each second, %d s each\n",
           u.sysname, u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN), seconds);
    if (!node)
        printf("  no client descriptors: mknod says %s\n", strerror(errno));
    if (access("/sys/class/drm/renderD128", F_OK) != 0)
        printf("  no GPU here: gwtop looks through all processes, but has no clients to read\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        read_text(load, sizeof load, "/proc/loadavg", 0);
        printf("\n%u processes of %d descriptors, %d of a GPU node; load %.14s\n", sizes[i],
               DESCRIPTORS, node ? CLIENTS : 0, load);
        if (sleepers_start(pids, sizes[i], node ? "renderD128" : NULL))
            compare(gwtop, seconds);
        else
            printf("  not run: the processes did not start\n");
        sleepers_end(pids, sizes[i]);
    }
    scratch_remove(dir);
    free(gwtop);
    return 0;
}
