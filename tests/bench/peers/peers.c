/*
 * gwtop beside other monitors: peers GWTOP SYNTH. The same real processes, terminal and refresh interval for each,
 * one after another; what is not in PATH or does not stay is said. As root the processes are made GPU clients
 * (clients.h), which unmodified programs show. PEERS_SECONDS: how long each is measured (10).
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
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clients.h"
#include "scratch.h"
#include "sleepers.h"

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
    bool shows;      /* clients */
};

/* The pids by which a screen is known to show the clients. */
static struct {
    const pid_t *pids;
    unsigned n;
} clients_shown;

struct screen {
    bool shows; /* a pid of them came by */
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

static bool any_client(const char *bytes, size_t n) {
    char pid[16];
    for (unsigned i = 0; i < clients_shown.n; i++) {
        int length = snprintf(pid, sizeof pid, "%d", (int)clients_shown.pids[i]);
        if (memmem(bytes, n, pid, (size_t)length))
            return true;
    }
    return false;
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
        s->shows = s->shows || any_client(bytes, (size_t)n);
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
        f->shows = s.shows;
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
            printf("  not run: not in PATH\n");
        else if (!measure(program, peers[i], seconds, &f, why, sizeof why))
            printf("  not run: %s\n", why);
        else {
            base = i ? base : f;
            cell(f.cpu_us, base.cpu_us);
            cell(f.calls, base.calls);
            cell(f.peak_kib, base.peak_kib);
            cell(f.paint_ms, base.paint_ms);
            printf("%s\n", !clients_shown.n || f.shows ? "" : "  shows no clients");
        }
        fflush(stdout);
    }
}

/* So many processes, CLIENTS of their descriptors of the node, and all programs upon them. */
static void among(unsigned count, const char *node, const struct clients *c, const char *gwtop,
                  int seconds) {
    static pid_t pids[MOST];
    const struct sleepers crowd = {
        .count = count, .descriptors = DESCRIPTORS, .node = node, .clients = CLIENTS};
    char load[64];
    unsigned laid = 0;
    bool up = sleepers_start(&crowd, pids);
    if (up && c->count > 0)
        laid = clients_lay(c, pids, count, DESCRIPTORS);
    clients_shown.pids = pids;
    clients_shown.n = laid == 0 ? 0 : count < CLIENTS ? count : CLIENTS;
    read_text(load, sizeof load, "/proc/loadavg", 0);
    printf("\n%u processes of %d descriptors, %d of a GPU node, %u clients; load %.14s\n", count,
           DESCRIPTORS, node ? CLIENTS : 0, laid, load);
    if (up)
        compare(gwtop, seconds);
    else
        printf("  not run: the processes did not start\n");
    sleepers_end(&crowd, pids);
}

/* Settings of nobody, and none left behind. */
static void set_environment(const char *dir) {
    setenv("HOME", dir, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("SYSTEMD_DEVICE_VERIFY_SYSFS", "0",
           1); /* libudev: a /sys that was laid over is one too */
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HTOPRC");
}

int main(int argc, char **argv) {
    const char *asked = getenv("PEERS_SECONDS");
    int seconds = asked ? (int)strtol(asked, NULL, 10) : 10;
    char *gwtop = argc == 3 ? realpath(argv[1], NULL) : NULL;
    char *synth = argc == 3 ? realpath(argv[2], NULL) : NULL;
    char *dir = scratch_make();
    char *machine = dir ? path_join(dir, "machine") : NULL;
    struct clients clients;
    struct utsname u;
    if (!gwtop || !synth || !machine || seconds < 1 || chdir(dir) != 0 || uname(&u) != 0)
        return fprintf(stderr, "usage: peers GWTOP SYNTH\n"), 2;
    set_environment(dir);
    bool node = mknod("renderD128", S_IFCHR | 0600, makedev(226, 128)) == 0;
    printf("gwtop beside its peers: %s %s %s, %ld CPUs; a refresh each second, %d s each\n",
           u.sysname, u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN), seconds);
    if (!node)
        printf("  no client descriptors: mknod says %s\n", strerror(errno));
    if (!clients_make(&clients, synth, machine, CLIENTS)) {
        clients.count = 0;
        printf("  no clients: %s\n", clients.why);
    }
    among(50, node ? "renderD128" : NULL, &clients, gwtop, seconds);
    among(MOST, node ? "renderD128" : NULL, &clients, gwtop, seconds);
    clients_end(&clients);
    scratch_remove(dir);
    free(machine);
    free(synth);
    free(gwtop);
    return 0;
}
