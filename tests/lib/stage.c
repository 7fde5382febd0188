/* Real processes with the synthetic machine's clients. */
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

static bool complain(const char *what) {
    fprintf(stderr, "stage: %s: %s\n", what, strerror(errno));
    return false;
}

/* ---- the machine's folders over the real ones ------------------------------------------------------------ */

static bool make_node(const char *dev, const char *folder, const char *format, unsigned number,
                      unsigned major, unsigned minor) {
    char path[512];
    int n = snprintf(path, sizeof path, "%s/%s", dev, folder);
    mkdir(path, 0755);
    n += snprintf(path + n, sizeof path - (size_t)n, "/");
    snprintf(path + n, sizeof path - (size_t)n, format, number);
    return mknod(path, S_IFCHR | 0666, makedev(major, minor)) == 0 || errno == EEXIST ||
           complain(path);
}

static bool make_nodes(const struct stage *s, const char *dev) {
    bool fine = true;
    for (unsigned i = 0; i < s->holder_count && fine; i++) {
        unsigned major = s->holders[i].major, minor = s->holders[i].minor;
        if (major == 226 && minor >= 128)
            fine = make_node(dev, "dri", "renderD%u", minor, major, minor) &&
                   make_node(dev, "dri", "card%u", minor - 128, major, minor - 128);
        else
            fine = make_node(dev, major == 226 ? "dri" : "accel",
                             major == 226 ? "card%u" : "accel%u", minor, major, minor);
    }
    return fine;
}

/* A /dev with little in it but the nodes. */
static bool cover_dev(const struct stage *s) {
    static const struct {
        const char *name;
        unsigned minor;
    } common[] = {{"null", 3}, {"zero", 5}, {"full", 7}, {"urandom", 9}};
    char dev[512], path[600];
    snprintf(dev, sizeof dev, "%s/devices", s->dir);
    if (mkdir(dev, 0755) != 0)
        return complain(dev);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dev, common[i].name);
        if (mknod(path, S_IFCHR | 0666, makedev(1, common[i].minor)) != 0)
            return complain(path);
    }
    return make_nodes(s, dev) && (mount(dev, "/dev", NULL, MS_BIND, NULL) == 0 || complain("/dev"));
}

static bool cover(struct stage *s) {
    char path[512];
    snprintf(path, sizeof path, "%s/sys", s->dir);
    if (mount(path, "/sys", NULL, MS_BIND, NULL) != 0)
        return complain("/sys");
    return cover_dev(s);
}

/* ---- the processes ------------------------------------------------------------------------------------------- */

struct role {
    const struct synth_holder *holder; /* its descriptors; NULL for none */
    unsigned holder_count;
    unsigned fds;
    int ready;
};

static bool is_taken(const struct role *r, int number) {
    for (unsigned i = 0; i < r->holder_count; i++)
        if ((int)r->holder[i].number == number)
            return true;
    return false;
}

static bool take_node(const struct synth_holder *h) {
    char path[64];
    if (h->major == 261)
        snprintf(path, sizeof path, "/dev/accel/accel%u", h->minor);
    else
        snprintf(path, sizeof path, h->minor < 128 ? "/dev/dri/card%u" : "/dev/dri/renderD%u",
                 h->minor);
    int fd = open(path, O_PATH);
    if (fd < 0)
        return complain(path);
    if (fd == (int)h->number)
        return true;
    bool fine = dup2(fd, (int)h->number) >= 0;
    close(fd);
    return fine;
}

/* In the child: descriptors as wanted, then sleep for good. */
static void play(const struct role *r) {
    int ready = fcntl(r->ready, F_DUPFD, (int)r->fds + 100);
    bool fine = ready >= 0;
    prctl(PR_SET_NAME, r->holder ? r->holder->comm : "sleeper");
    signal(SIGTERM, SIG_DFL);
    for (int i = 3; i < 64; i++)
        close(i);
    for (unsigned i = 0; i < r->holder_count && fine; i++)
        fine = take_node(&r->holder[i]);
    unsigned have = r->holder_count + 3;
    for (int i = 3; have < r->fds && fine; i++) {
        if (is_taken(r, i))
            continue;
        int fd = open("/dev/null", O_RDWR);
        fine = fd >= 0 && (fd == i || dup2(fd, i) >= 0);
        if (fd != i)
            close(fd);
        have++;
    }
    if (write(ready, fine ? "x" : "!", 1) != 1)
        _exit(1);
    close(ready);
    if (!fine)
        _exit(1);
    for (;;)
        pause();
}

static pid_t spawn(struct role *r, int ready[2]) {
    r->ready = ready[1];
    pid_t pid = fork();
    if (pid == 0)
        play(r);
    char word = '!';
    if (pid > 0 && (read(ready[0], &word, 1) != 1 || word != 'x'))
        pid = -1;
    return pid;
}

static bool cover_fdinfo(const struct stage *s, int pid, pid_t real) {
    char from[512], to[64];
    snprintf(from, sizeof from, "%s/proc/%d/fdinfo", s->dir, pid);
    snprintf(to, sizeof to, "/proc/%d/fdinfo", real);
    return mount(from, to, NULL, MS_BIND, NULL) == 0 || complain(to);
}

static bool spawn_all(struct stage *s) {
    int ready[2];
    if (pipe(ready) != 0)
        return complain("pipe");
    bool fine = true;
    for (unsigned i = 0; i < s->holder_count && fine;) {
        struct role r = {.holder = &s->holders[i], .fds = s->o.fds};
        while (i < s->holder_count && s->holders[i].pid == r.holder->pid) {
            r.holder_count++;
            i++;
        }
        pid_t pid = spawn(&r, ready);
        fine = pid > 0 && cover_fdinfo(s, r.holder->pid, pid);
        s->actors[s->actor_count++] = pid;
    }
    for (unsigned i = s->actor_count; i < s->o.processes && fine; i++) {
        struct role r = {.fds = s->o.fds};
        fine = spawn(&r, ready) > 0;
    }
    close(ready[0]);
    close(ready[1]);
    return fine;
}

/* ---- up and down ------------------------------------------------------------------------------------------------ */

static bool raise_curtain(struct stage *s) {
    struct synth_options machine = {
        .gpus = s->o.gpus, .fds = 4, .clients = s->o.clients, .seed = 3};
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", 0, NULL) != 0 ||
        mount("stage", s->dir, "tmpfs", 0, "size=1G") != 0)
        return complain("mount");
    s->machine = synth_create(s->dir, &machine);
    if (!s->machine)
        return false;
    s->holder_count = synth_holders(s->machine, NULL, 0);
    s->holders = calloc(s->holder_count + 1, sizeof *s->holders);
    s->actors = calloc(s->holder_count + 1, sizeof *s->actors);
    if (!s->holders || !s->actors)
        return complain("memory");
    synth_holders(s->machine, s->holders, s->holder_count);
    return cover(s) && spawn_all(s);
}

/* As the first process of the namespace: with its end all others end. */
static void perform(struct stage *s, int (*body)(struct stage *s, void *ctx), void *ctx) {
    int status = raise_curtain(s) ? body(s, ctx) : 1;
    fflush(NULL);
    _exit(status);
}

int stage_run(const struct stage_options *o, int (*body)(struct stage *s, void *ctx), void *ctx) {
    struct stage s = {.o = *o};
    int status = 0;
    if (geteuid() != 0)
        return STAGE_UNABLE;
    fflush(NULL);
    s.dir = scratch_make();
    pid_t outer = fork();
    if (outer == 0) {
        if (unshare(CLONE_NEWNS | CLONE_NEWPID) != 0)
            _exit(STAGE_UNABLE);
        pid_t inner = fork();
        if (inner == 0)
            perform(&s, body, ctx);
        if (inner < 0 || waitpid(inner, &status, 0) != inner)
            _exit(1);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    if (outer < 0 || waitpid(outer, &status, 0) != outer)
        complain("fork");
    scratch_remove(s.dir);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

pid_t stage_pid(const struct stage *s, int pid) {
    unsigned actor = 0;
    for (unsigned i = 0; i < s->holder_count; i++) {
        if (i > 0 && s->holders[i].pid != s->holders[i - 1].pid)
            actor++;
        if (s->holders[i].pid == pid)
            return s->actors[actor];
    }
    return 0;
}
