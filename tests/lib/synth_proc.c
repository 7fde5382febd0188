/*
 * /proc of the synthetic machine. A file is written again only when what it says has moved; a process that
 * ended, or a descriptor that was closed, is taken away before another takes its number.
 */
#include "synth_machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_TICK (UINT64_C(1000000000) / TICKS_PER_S)

static const char *comm_of(const struct process *p) {
    return p->comm ? p->comm : p->made_comm;
}

static bool lives(const struct process *p, int64_t t_ms) {
    return t_ms != ALWAYS_MS && p->born_ms <= t_ms && t_ms < p->dies_ms;
}

static bool is_open(const struct descriptor *d, int64_t t_ms) {
    return d->from_ms <= t_ms && t_ms < d->to_ms;
}

/* ---- the machine's own files ---------------------------------------------------------------------------- */

bool proc_update_common(int root, int64_t t_ms) {
    long long up = UPTIME_MS + t_ms;
    return put_line(root, "proc/uptime", "%lld.%02lld %lld.00", up / 1000, up % 1000 / 10,
                    up / 1000 * 7) &&
           put_line(root, "proc/stat",
                    "cpu  %lld 0 %lld %lld 0 0 0 0 0 0\ncpu0 %lld 0 %lld %lld 0 0 0 0 0 0\n"
                    "intr 0\nctxt %lld\nbtime %lld\nprocesses 70000\nprocs_running 2\n"
                    "procs_blocked 0",
                    up / 40, up / 80, up / 12, up / 40, up / 80, up / 12, up * 9,
                    (long long)BOOT_TIME_S);
}

bool proc_create_common(int root, const struct machine *m) {
    return put_line(root, "proc/version", "Linux version 6.12.0-synth (none)") &&
           put_line(root, "proc/loadavg", "0.40 0.30 0.20 2/%u 65000", m->process_count) &&
           put_line(root, "proc/meminfo",
                    "MemTotal:       32684000 kB\nMemFree:        12000000 kB\n"
                    "MemAvailable:   22000000 kB\nBuffers:           10000 kB\n"
                    "Cached:          9000000 kB\nSwapTotal:             0 kB\n"
                    "SwapFree:              0 kB") &&
           put_line(root, "proc/sys/kernel/pid_max", "4194304") &&
           put_line(root, "proc/sys/kernel/osrelease", "6.12.0-synth") &&
           put_line(root, "proc/sys/kernel/random/boot_id", "5eed0000-0000-4000-8000-%012llx",
                    (unsigned long long)m->o.seed) &&
           put_line(root, "proc/mounts", "proc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0") &&
           put_line(root, "etc/passwd",
                    "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n"
                    "svc:x:998:998::/var/lib/svc:/usr/sbin/nologin\n"
                    "media:x:997:997::/var/lib/media:/usr/sbin/nologin\n"
                    "e\033[31mvil:x:666:666::/:/bin/sh");
}

/* ---- one process ----------------------------------------------------------------------------------------- */

static uint64_t cpu_ns(const struct process *p, int64_t t_ms) {
    int64_t from = p->born_ms > 0 ? p->born_ms : 0;
    return p->cpu_base_ns + (uint64_t)(t_ms - from) * p->cpu_ppm;
}

static bool put_stat(int root, const struct process *p, int64_t t_ms) {
    struct text t = {0};
    char path[64];
    unsigned long long ticks = cpu_ns(p, t_ms) / NS_PER_TICK, rss = p->kernel ? 0 : p->rss_kib;
    unsigned long long start = (unsigned long long)(UPTIME_MS + p->born_ms) * TICKS_PER_S / 1000;
    text_put(&t, "%d (%s) S %d %d %d 0 -1 %d 1200 0 3 0 %llu %llu 0 0 20 0 %u 0 %llu ", p->pid,
             comm_of(p), p->ppid, p->pid, p->pid, p->kernel ? 2129984 : 4194304, ticks - ticks / 4,
             ticks / 4, p->threads, start);
    text_put(&t, "%llu %llu 18446744073709551615 0 0 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 ",
             rss * 4096, rss / PAGE_KIB);
    text_put(&t, "0 0 0 0 0 0 0 0\n");
    snprintf(path, sizeof path, "proc/%d/stat", p->pid);
    return put_text(root, path, &t);
}

/* The kernel writes a name in `status` with newlines and backslashes escaped. */
static void put_escaped(struct text *t, const char *name) {
    for (; *name; name++)
        if (*name == '\n')
            text_put(t, "\\n");
        else if (*name == '\\')
            text_put(t, "\\\\");
        else
            text_put(t, "%c", *name);
}

static bool put_status(int root, const struct process *p) {
    struct text t = {0};
    char path[64];
    text_put(&t, "Name:\t");
    put_escaped(&t, comm_of(p));
    text_put(&t,
             "\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\n"
             "TracerPid:\t0\nUid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nFDSize:\t64\n"
             "Groups:\t%u \nNStgid:\t%d",
             p->pid, p->pid, p->ppid, p->uid, p->uid, p->uid, p->uid, p->uid, p->uid, p->uid,
             p->uid, p->uid, p->pid);
    if (p->inner_pid)
        text_put(&t, "\t%d", p->inner_pid);
    text_put(&t, "\nNSpid:\t%d", p->pid);
    if (p->inner_pid)
        text_put(&t, "\t%d", p->inner_pid);
    if (!p->kernel)
        text_put(&t, "\nVmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmRSS:\t%8llu kB",
                 (unsigned long long)p->rss_kib * 3, (unsigned long long)p->rss_kib * 2,
                 (unsigned long long)p->rss_kib);
    text_put(&t, "\nThreads:\t%u\nCapInh:\t0000000000000000\nSeccomp:\t0\n", p->threads);
    snprintf(path, sizeof path, "proc/%d/status", p->pid);
    return put_text(root, path, &t);
}

/* ---- descriptors ------------------------------------------------------------------------------------------- */

static bool is_taken(const struct process *p, unsigned number) {
    for (unsigned i = 0; i < p->fd_count; i++)
        if (p->fd[i].number == number)
            return true;
    return false;
}

static void plain_link(const struct process *p, unsigned number, char out[64]) {
    unsigned inode = 20000 + (unsigned)p->pid * 7 + number;
    if (number % 5 == 1)
        snprintf(out, 64, "pipe:[%u]", inode);
    else if (number % 5 == 2)
        snprintf(out, 64, "socket:[%u]", inode);
    else if (number % 5 == 3)
        snprintf(out, 64, "anon_inode:[eventfd]");
    else if (number % 5 == 4)
        snprintf(out, 64, p->fd_count ? "/dmabuf:" : "/memfd:shared (deleted)");
    else
        snprintf(out, 64, "/dev/null");
}

static void plain_info(const struct process *p, unsigned number, struct text *t) {
    text_put(t, "pos:\t0\nflags:\t0%s\nmnt_id:\t%u\nino:\t%u\n", number % 2 ? "2100002" : "2104002",
             14 + number % 5, 20000 + (unsigned)p->pid * 7 + number);
    if (number % 5 == 3)
        text_put(t, "eventfd-count:                0\neventfd-id: %u\n", number);
    if (number % 5 == 4 && p->fd_count)
        text_put(t, "size:\t8294400\ncount:\t2\nexp_name:\tdrm\n");
}

static bool put_plain(int root, const struct process *p, unsigned want) {
    unsigned have = p->fd_count;
    for (unsigned number = 0; have < want; number++) {
        if (is_taken(p, number))
            continue;
        struct text t = {0};
        char path[64], to[64];
        plain_link(p, number, to);
        snprintf(path, sizeof path, "proc/%d/fd/%u", p->pid, number);
        if (!put_link(root, path, to))
            return false;
        plain_info(p, number, &t);
        snprintf(path, sizeof path, "proc/%d/fdinfo/%u", p->pid, number);
        if (!put_text(root, path, &t))
            return false;
        have++;
    }
    return true;
}

static bool put_client(int root, const struct machine *m, const struct process *p,
                       const struct descriptor *d, bool fresh, int64_t t_ms) {
    const struct client *c = &m->client[d->client];
    struct reading r = {.gpu = &m->gpu[c->gpu],
                        .client = c->id,
                        .client_name = c->name,
                        .no_engines = c->no_engines,
                        .t_ms = t_ms,
                        .use = client_usage(c, t_ms)};
    for (unsigned i = 0; i < ROLE_COUNT; i++)
        if (r.use.busy_ns[i])
            r.use.busy_ns[i] += d->skew_ns;
    char path[64], to[64];
    if (fresh) {
        gpu_node_path(r.gpu, d->card, to);
        snprintf(path, sizeof path, "proc/%d/fd/%u", p->pid, d->number);
        if (!put_link(root, path, to))
            return false;
    }
    struct text t = {0};
    text_put(&t, "pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t%u\n",
             (d->card ? 480 : 500) + c->gpu);
    gpu_write_fdinfo(&t, &r);
    snprintf(path, sizeof path, "proc/%d/fdinfo/%u", p->pid, d->number);
    return put_text(root, path, &t);
}

static bool drop_client(int root, const struct process *p, unsigned number) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/fd/%u", p->pid, number);
    if (!drop_tree(root, path))
        return false;
    snprintf(path, sizeof path, "proc/%d/fdinfo/%u", p->pid, number);
    return drop_tree(root, path);
}

static bool put_clients(int root, const struct machine *m, const struct process *p, int64_t was_ms,
                        int64_t t_ms) {
    bool was_there = lives(p, was_ms), fine = true;
    for (unsigned i = 0; i < p->fd_count && fine; i++)
        if (was_there && is_open(&p->fd[i], was_ms) && !is_open(&p->fd[i], t_ms))
            fine = drop_client(root, p, p->fd[i].number);
    for (unsigned i = 0; i < p->fd_count && fine; i++)
        if (is_open(&p->fd[i], t_ms))
            fine =
                put_client(root, m, p, &p->fd[i], !was_there || !is_open(&p->fd[i], was_ms), t_ms);
    return fine;
}

/* ---- coming, moving, going ------------------------------------------------------------------------------------ */

static bool put_names(int root, const struct process *p) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/comm", p->pid);
    if (!put_line(root, path, "%s", comm_of(p)))
        return false;
    snprintf(path, sizeof path, "proc/%d/cmdline", p->pid);
    const char *command = p->comm ? p->command : p->made_command;
    if (!command && !p->kernel)
        command = p->comm; /* a name alone is the whole command line */
    size_t n = p->command ? p->command_size : p->comm && command ? strlen(command) + 1 : 0;
    if (!p->comm)
        n = p->command_size;
    if (!put_file(root, path, command, n))
        return false;
    snprintf(path, sizeof path, "proc/%d/cgroup", p->pid);
    return put_line(root, path, "0::%s", p->cgroup);
}

/* Folders belong to the process's user, as in /proc; that takes root. */
static bool seal(int root, const struct process *p) {
    static const char *const part[] = {"/fd", "/fdinfo", ""};
    bool fine = true;
    for (unsigned i = 0; i < 3 && fine; i++) {
        char path[64];
        snprintf(path, sizeof path, "proc/%d%s", p->pid, part[i]);
        if (geteuid() == 0)
            fine = fchownat(root, path, p->uid, p->uid, AT_SYMLINK_NOFOLLOW) == 0;
        if (p->closed_book && i < 2)
            fine = fine && fchmodat(root, path, 0, 0) == 0;
    }
    if (!fine)
        perror("synth: owner or mode of a process's folder");
    return fine;
}

static bool process_create(int root, const struct machine *m, const struct process *p,
                           int64_t t_ms) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/fd", p->pid);
    bool fine = put_dirs(root, path);
    snprintf(path, sizeof path, "proc/%d/fdinfo", p->pid);
    return fine && put_dirs(root, path) && put_names(root, p) && put_stat(root, p, t_ms) &&
           put_status(root, p) && (p->kernel || put_plain(root, p, m->o.fds)) &&
           put_clients(root, m, p, ALWAYS_MS, t_ms) && seal(root, p);
}

bool proc_update(int root, const struct machine *m, int64_t was_ms, int64_t t_ms) {
    bool fine = true;
    for (unsigned i = 0; i < m->process_count && fine; i++) {
        char path[64];
        snprintf(path, sizeof path, "proc/%d", m->process[i].pid);
        if (lives(&m->process[i], was_ms) && !lives(&m->process[i], t_ms))
            fine = drop_tree(root, path);
    }
    for (unsigned i = 0; i < m->process_count && fine; i++) {
        const struct process *p = &m->process[i];
        if (!lives(p, t_ms))
            continue;
        if (!lives(p, was_ms))
            fine = process_create(root, m, p, t_ms);
        else if (!p->closed_book)
            fine =
                (!p->cpu_ppm || put_stat(root, p, t_ms)) && put_clients(root, m, p, was_ms, t_ms);
    }
    return fine;
}

unsigned proc_holders(const struct machine *m, int64_t t_ms, struct synth_holder *out,
                      unsigned max) {
    unsigned n = 0;
    for (unsigned i = 0; i < m->process_count; i++) {
        const struct process *p = &m->process[i];
        for (unsigned k = 0; k < p->fd_count && lives(p, t_ms); k++) {
            const struct descriptor *d = &p->fd[k];
            if (!is_open(d, t_ms))
                continue;
            if (n < max) {
                out[n] =
                    (struct synth_holder){.pid = p->pid, .number = d->number, .comm = comm_of(p)};
                gpu_node_number(&m->gpu[m->client[d->client].gpu], d->card, &out[n].major,
                                &out[n].minor);
            }
            n++;
        }
    }
    return n;
}
