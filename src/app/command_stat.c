/*
 * `gwtop stat -- COMMAND`: runs a command and says what it and all its descendants cost on each GPU. Text goes
 * to standard error, so that the command's own output stays clean; --json and --csv go to standard output; -o
 * FILE takes any of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "commands.h"
#include "gwtop/out.h"
#include "pipeline.h"
#include "setup.h"
#include "stat_trace.h"

#define DEFAULT_DELAY_NS INT64_C(100000000)

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

struct stat_run {
    const struct options *options;
    struct stat_before before;
    struct out_stat *cost;
    struct stat_child child;
    struct stat_family family;
    struct pipeline pipe;
    struct live live;
    int signals;    /* signalfd */
    int stopped;    /* the signal that asked for the end; 0 */
    uint64_t ended; /* runs that came to an end, cut short or not */
    int64_t delay_ns;
    struct out_stat_running *running;
    uint32_t running_count;
};

/* ---- signals --------------------------------------------------------------------------------- */

static void signals_of_stat(sigset_t *set) {
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

/* What a terminal sends reaches the command by itself; what somebody sent to gwtop alone is passed on. */
static void take_signals(struct stat_run *r) {
    struct signalfd_siginfo si;
    while (read(r->signals, &si, sizeof si) == sizeof si) {
        if (si.ssi_signo == SIGCHLD)
            continue;
        r->stopped = (int)si.ssi_signo;
        if (si.ssi_code <= 0 && !r->child.ended)
            (void)kill(r->child.pid, r->stopped);
    }
}

static void wait_until(struct stat_run *r, int64_t due_ns) {
    struct pollfd f = {r->signals, POLLIN, 0};
    int64_t left = due_ns - clock_mono_ns();
    struct timespec t = {left / 1000000000, left % 1000000000};
    if (left > 0)
        (void)ppoll(&f, 1, &t, NULL);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool is_ours(void *ctx, const struct snap_process *p) {
    struct stat_run *r = ctx;
    return stat_family_has(&r->family, p->pid, p->start, p->ppid);
}

static enum err look(struct stat_run *r, struct err_info *info) {
    stat_family_look(&r->family);
    enum err e = pipeline_read(&r->pipe, r->live.source, clock_mono_ns());
    if (e == ERR_AGAIN)
        return ERR_OK;
    if (e != ERR_OK)
        return err_set(info, e, 0, "reading the machine failed", err_text(e));
    const struct snapshot *s = acct_snapshot(r->pipe.acct);
    if (s)
        out_stat_tick(r->cost, s, is_ours, r);
    return ERR_OK;
}

static enum err last_look(void *ctx, struct err_info *info) {
    return look(ctx, info);
}

static enum err look_at_child(struct stat_run *r, struct err_info *info) {
    const struct stat_last_look last = {last_look, r};
    if (r->options->given[OPT_EXACT])
        return stat_trace_look(&r->child, &last, info);
    stat_child_look(&r->child);
    return ERR_OK;
}

/* The end: of the command, with --wait of all that descend from it, or of whoever waits for them. */
static bool is_over(struct stat_run *r) {
    if (!r->child.ended)
        return false;
    if (!r->options->given[OPT_WAIT] || r->stopped)
        return true;
    stat_family_look(&r->family);
    return stat_family_alive(&r->family) == 0;
}

static enum err watch(struct stat_run *r, struct err_info *info) {
    struct source_wait wait;
    enum err e = ERR_OK;
    bool over = false;
    while (e == ERR_OK && !over) {
        r->live.source->ops->poll(r->live.source, clock_mono_ns(), &wait);
        if (!r->child.more)
            wait_until(r, wait.due_ns);
        take_signals(r);
        e = look_at_child(r, info);
        over = is_over(r);
        if (e == ERR_OK && (over || clock_mono_ns() >= wait.due_ns))
            e = look(r, info);
    }
    return e;
}

static int cannot_run(const char *command, int sys) {
    char name[200];
    name[text_clean(name, sizeof name - 1, span_of(command))] = '\0';
    fprintf(stderr, "gwtop: %s: %s\n", name, strerror(sys));
    return sys == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* Who lives on, by name. */
static void note_running(struct stat_run *r) {
    free(r->running);
    r->running = calloc(r->family.count + 1, sizeof *r->running);
    r->running_count = 0;
    for (uint32_t i = 0; r->running && i < r->family.count; i++) {
        char path[40], text[64];
        const struct stat_member *m = &r->family.list[i];
        if (!m->alive)
            continue;
        struct out_stat_running *to = &r->running[r->running_count++];
        snprintf(path, sizeof path, "/proc/%d/comm", (int)m->pid);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
        if (fd >= 0)
            close(fd);
        while (n > 0 && text[n - 1] == '\n')
            n--;
        to->pid = m->pid;
        to->name[text_clean(to->name, sizeof to->name - 1,
                            (struct span){text, n > 0 ? (size_t)n : 0})] = '\0';
    }
}

static enum err start_child(struct stat_run *r, struct err_info *info) {
    enum err e = stat_child_start(&r->before, r->options->words, &r->child, info);
    if (e != ERR_OK || !r->options->given[OPT_EXACT])
        return e;
    bool raised = rights_raise(true); /* until exec the child is as little to be looked into as gwtop */
    e = stat_trace_start(&r->child, info);
    if (raised)
        rights_lower();
    return e;
}

/* The exit status; `*go_on` is false where nothing is to be printed. */
static int run_once(struct stat_run *r, bool *go_on) {
    struct err_info info = {0};
    char *const *command = r->options->words;
    int status = EXIT_STAT;
    *go_on = false;
    enum err e = start_child(r, &info);
    if (e == ERR_OK)
        stat_family_start(&r->family, r->child.pid);
    if (e == ERR_OK)
        e = pipeline_init(&r->pipe, false, r->options->assume_voltage_uv);
    if (e == ERR_OK)
        acct_count_from_zero(r->pipe.acct, r->family.root_start);
    if (e == ERR_OK)
        e = live_start(r->options, r->delay_ns, &r->live, &info);
    if (e == ERR_OK)
        e = look(r, &info);
    rights_drop_given(); /* no fence: the command would stand behind it as well */
    int64_t start_ns = clock_mono_ns();
    int sys = e == ERR_OK ? stat_child_go(&r->child) : 0;
    if (e == ERR_OK && sys != 0) {
        status = cannot_run(command[0], sys);
    } else if (e == ERR_OK) {
        e = watch(r, &info);
        int64_t wall_ns = clock_mono_ns() - start_ns;
        stat_family_look(&r->family);
        note_running(r);
        status = r->child.status;
        *go_on = e == ERR_OK;
        /* One that was cut short is no measure of the others; alone it is all that there is. */
        if (r->stopped && r->ended > 0)
            out_stat_run_drop(r->cost);
        else
            out_stat_run_end(r->cost, wall_ns);
        r->ended++;
    }
    if (e != ERR_OK) {
        (void)report(info.text[0] ? &info : &(struct err_info){.code = e});
        status = EXIT_STAT;
    }
    stat_child_reap(&r->child);
    live_stop(&r->live);
    pipeline_finish(&r->pipe);
    stat_family_finish(&r->family);
    return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

static int open_target(const struct options *o, struct err_info *info) {
    bool machine = o->given[OPT_JSON] || o->given[OPT_CSV];
    int fd;
    if (o->output && strcmp(o->output, "-") != 0)
        fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0644);
    else
        fd = fcntl(machine || o->output ? STDOUT_FILENO : STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        err_set(info, err_from_sys(errno), errno, o->output ? o->output : "output",
                strerror(errno));
    return fd;
}

static enum err print(struct stat_run *r, int fd, int status, struct err_info *info) {
    const struct options *o = r->options;
    struct out_stat_about about = {
        .form = o->given[OPT_JSON]  ? STAT_JSON
                : o->given[OPT_CSV] ? STAT_CSV
                                    : STAT_TEXT,
        .command = o->words,
        .status = status,
        .delay_ns = r->delay_ns,
        .exact = o->given[OPT_EXACT],
        .running = r->running,
        .running_count = r->running_count,
    };
    struct buf b;
    buf_init(&b);
    out_stat_print(r->cost, &about, &b);
    enum err e = write_all(fd, &b, info);
    buf_finish(&b);
    return e == ERR_CLOSED ? ERR_OK : e;
}

static int run_all(struct stat_run *r, int fd) {
    struct err_info info = {0};
    bool go_on = true;
    int status = EXIT_STAT;
    uint64_t runs = r->options->repeat ? r->options->repeat : 1;
    for (uint64_t i = 0; i < runs && go_on && !r->stopped; i++) {
        int of_run = run_once(r, &go_on);
        status = i == 0 || status == EXIT_DONE || !go_on ? of_run : status;
    }
    (void)sigprocmask(SIG_SETMASK, r->before.mask, NULL);
    if (go_on && print(r, fd, status, &info) != ERR_OK) {
        (void)report(&info);
        status = EXIT_STAT;
    }
    return status;
}

/* What a command costs is all that it costs: there is nothing to choose from. */
static bool is_usage(const struct options *o, struct err_info *info) {
    static const uint16_t never[] = {OPT_DEVICE, OPT_PID,  OPT_USER,   OPT_TOP,
                                     OPT_FILTER, OPT_SORT, OPT_FIELDS, OPT_ITERATIONS};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (o->given[never[i]]) {
            err_set(info, ERR_USAGE, 0, "stat takes no option", option_list[never[i]].name);
            return false;
        }
    return true;
}

int command_stat(const struct options *o) {
    struct err_info info = {0};
    if (!is_usage(o, &info)) {
        (void)report(&info);
        return EXIT_STAT;
    }
    struct stat_run r = {.options = o, .delay_ns = o->delay_ns ? o->delay_ns : DEFAULT_DELAY_NS};
    sigset_t set;
    sigset_t before;
    int status = EXIT_STAT;
    int fd = open_target(o, &info);
    r.before.has_files = getrlimit(RLIMIT_NOFILE, &r.before.files) == 0;
    signals_of_stat(&set);
    (void)sigprocmask(SIG_BLOCK, &set, &before);
    r.before.mask = &before;
    r.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (fd >= 0 && r.signals < 0)
        err_set(&info, err_from_sys(errno), errno, "signals", strerror(errno));
    else if (fd >= 0 && out_stat_create(&r.cost) != ERR_OK)
        err_set(&info, ERR_NOMEM, 0, err_text(ERR_NOMEM), NULL);
    if (r.cost)
        status = run_all(&r, fd);
    else
        (void)report(&info);
    out_stat_destroy(r.cost);
    free(r.running);
    if (r.signals >= 0)
        close(r.signals);
    if (fd >= 0)
        close(fd);
    return status;
}
