/*
 * Sends signals, and never to another process than was confirmed: the number is first turned into a descriptor, which
 * stays with one process, and only then the start is read and compared. So a number that goes to a new process at
 * any moment is noticed. Kernels before 5.3 have no such descriptor: there the check stands right before.
 */
#include "kill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gwtop/source.h"

#define STAT_MAX 1024 /* bytes; the start stands well before */

enum fate { SENT, ENDED, REFUSED, FAILED, FATE_COUNT };

static long open_process(pid_t pid) {
#ifdef SYS_pidfd_open
    return syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

static long send_through(int fd, int number) {
#ifdef SYS_pidfd_send_signal
    return syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
#else
    (void)fd;
    (void)number;
    errno = ENOSYS;
    return -1;
#endif
}

/* Reads what tells a process from a later one of its number; 0 or an errno. */
static int read_start(pid_t pid, uint64_t *start) {
    char path[32];
    char text[STAT_MAX];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    int why = n < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (why != 0)
        return why == ENOENT ? ESRCH : why;
    struct proc_stat stat;
    (void)proc_stat_read((struct span){text, (size_t)n}, &stat);
    *start = stat.start_ticks.value;
    if (stat.state == 'Z' || stat.state == 'X')
        return ESRCH;
    return stat.start_ticks.err == ERR_OK ? 0 : EIO;
}

static enum fate fate_of(int why) {
    switch (why) {
    case 0:
        return SENT;
    case ESRCH:
        return ENDED;
    case EPERM:
    case EACCES:
        return REFUSED;
    default:
        return FAILED;
    }
}

/* `*why` is an errno. */
static enum fate send_one(const struct ui_target *t, int number, int *why) {
    uint64_t start = 0;
    *why = ESRCH;
    if (t->pid <= 0 || t->start == 0)
        return ENDED; /* kill() would take these for a group of processes */
    long fd = open_process(t->pid);
    /* Filters of system calls answer EPERM to what they do not know. */
    bool has_none = fd < 0 && (errno == ENOSYS || errno == EPERM);
    *why = fd < 0 && !has_none ? errno : read_start(t->pid, &start);
    if (*why == 0 && start != t->start)
        *why = ESRCH;
    if (*why == 0 && !has_none && send_through((int)fd, number) < 0)
        *why = errno;
    else if (*why == 0 && has_none && kill(t->pid, number) < 0)
        *why = errno;
    if (fd >= 0)
        close((int)fd);
    return fate_of(*why);
}

static void put_signal(struct buf *b, int number) {
    const char *name = ui_signal_name(number);
    buf_text(b, name ? name : "signal ");
    if (!name)
        buf_i64(b, number);
}

/* Of one process. */
static void say_one(const struct ui_target *t, int number, enum fate fate, int why,
                    struct buf *said) {
    if (fate == SENT) {
        put_signal(said, number);
        buf_text(said, " sent to ");
        buf_i64(said, t->pid);
        return;
    }
    put_signal(said, number);
    buf_text(said, " not sent: ");
    buf_i64(said, t->pid);
    if (fate == ENDED) {
        buf_text(said, " ended meanwhile");
    } else {
        buf_text(said, ": ");
        buf_text(said, fate == REFUSED ? "not permitted" : err_text(err_from_sys(why)));
    }
}

void kill_targets(const struct ui_target *t, uint32_t n, int signal, struct buf *said, bool *bad) {
    static const char *const words[FATE_COUNT] = {[SENT] = " sent",
                                                  [ENDED] = " ended meanwhile",
                                                  [REFUSED] = " not permitted",
                                                  [FAILED] = " failed"};
    uint32_t count[FATE_COUNT] = {0};
    enum fate fate = ENDED;
    int why = 0;
    bool raised = rights_raise(false);
    for (uint32_t i = 0; i < n; i++) {
        fate = send_one(&t[i], signal, &why);
        count[fate]++;
    }
    if (raised)
        rights_lower();
    *bad = count[SENT] < n;
    if (n == 1) {
        say_one(t, signal, fate, why, said);
        return;
    }
    put_signal(said, signal);
    const char *before = ": ";
    for (unsigned o = 0; o < FATE_COUNT; o++) {
        if (count[o] == 0)
            continue;
        buf_text(said, before);
        buf_u64(said, count[o]);
        buf_text(said, words[o]);
        before = ", ";
    }
}
