/*
 * Trace points, read in an instance of our own: what others trace is never touched.
 *
 * The switches are put back by undo in a crash. The instance goes on every ordinary way out; one that a
 * dead process left is removed by the next one. An instance of which a file is open cannot be
 * removed, so nobody who lives loses his.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"

#define FILE_MAX    (TRACEFS_PATH_MAX + 128)
#define PAGE_MAX    65536u
#define PAGES_MAX   1024u /* of a tick; the rest waits in the kernel */
#define STALE_MAX   16u
#define NAMES_BYTES 4096

static const char *join(char path[FILE_MAX], const char *folder, const char *file) {
    snprintf(path, FILE_MAX, "%s/%s", folder, file);
    return path;
}

static const char *in_instance(const struct tracefs *t, char path[FILE_MAX], const char *file) {
    return join(path, t->instance, file);
}

ssize_t tracefs_slurp(struct tracefs *t, const char *file, char *to, size_t cap) {
    char path[FILE_MAX];
    return host_slurp(t->host, t->host->root_fd, in_instance(t, path, file), to, cap);
}

/* ---- where it is ----------------------------------------------------------------------------- */

struct place {
    const char *const *events;
    size_t count;
    const char *module;
    char *mount;
};

/* A probe counts no calls. */
static bool look_at(const struct host *h, const char *path, struct stat *st) {
    return h->io->stat(h->io->ctx, h->root_fd, path, st, 0) == 0;
}

static bool has_events(const struct host *h, const struct place *p) {
    char path[FILE_MAX];
    struct stat st;
    for (size_t i = 0; i < p->count; i++) {
        snprintf(path, sizeof(path), "%s/%s/format", p->mount, p->events[i]);
        if (look_at(h, path, &st))
            return S_ISREG(st.st_mode);
        if (errno == EACCES)
            return look_at(h, p->module, &st);
    }
    return false;
}

static bool is_tracefs(const struct host *h, const char *point, void *ctx) {
    const struct place *p = ctx;
    int n = snprintf(p->mount, TRACEFS_MOUNT_MAX, "%s", point);
    return n > 0 && n < TRACEFS_MOUNT_MAX && has_events(h, p);
}

/* Before Linux 4.1 it was a folder of debugfs. */
static bool is_in_debugfs(const struct host *h, const char *debugfs, void *ctx) {
    const struct place *p = ctx;
    int n = snprintf(p->mount, TRACEFS_MOUNT_MAX, "%s/tracing", debugfs);
    return n > 0 && n < TRACEFS_MOUNT_MAX && has_events(h, p);
}

bool tracefs_find(const struct host *h, const char *const *events, size_t count, const char *module,
                  char mount[TRACEFS_MOUNT_MAX]) {
    struct place p = {events, count, module, mount};
    return mount_find(h, "tracefs", is_tracefs, &p) || is_tracefs(h, "sys/kernel/tracing", &p) ||
           mount_find(h, "debugfs", is_in_debugfs, &p) || is_in_debugfs(h, "sys/kernel/debug", &p);
}

/* ---- instances ------------------------------------------------------------------------------- */

struct stale {
    struct host *host;
    const char *prefix;
    uint32_t count;
    uint32_t pids[STALE_MAX];
};

static bool is_dead(struct host *h, uint32_t pid) {
    char path[16];
    struct stat st;
    snprintf(path, sizeof(path), "%u", pid);
    return h->proc_fd >= 0 && host_stat(h, h->proc_fd, path, &st) < 0 && errno == ENOENT;
}

/* The number behind the prefix; false: it is another name. */
static bool number_behind(struct span name, const char *prefix, uint32_t *out) {
    uint64_t v;
    if (!span_starts(name, prefix))
        return false;
    if (span_to_u64(span_skip(name, strlen(prefix)), &v) != ERR_OK || v > INT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

static void look_at_instance(void *ctx, struct span name) {
    struct stale *s = ctx;
    uint32_t pid;
    if (s->count < STALE_MAX && number_behind(name, s->prefix, &pid) && is_dead(s->host, pid))
        s->pids[s->count++] = pid;
}

static void name_instance(struct tracefs *t, const char *prefix, uint32_t pid) {
    snprintf(t->instance, sizeof(t->instance), "%s/instances/%s%u", t->mount, prefix, pid);
}

static void remove_stale(struct tracefs *t, const char *prefix) {
    struct host *h = t->host;
    char space[NAMES_BYTES];
    char path[FILE_MAX];
    struct stale s = {.host = h, .prefix = prefix};
    int fd = host_open(h, h->root_fd, join(path, t->mount, "instances"), O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return;
    (void)host_list(h, fd, space, sizeof(space), look_at_instance, &s);
    host_close(h, fd);
    for (uint32_t i = 0; i < s.count; i++) {
        name_instance(t, prefix, s.pids[i]);
        if (host_rmdir(h, h->root_fd, t->instance) == 0)
            log_line(LOG_INFO, "removed %s%u, which a dead process left in tracefs", prefix,
                     s.pids[i]);
    }
}

/* One of our name that we did not make is of a process that had this pid before. */
static int make_instance(struct tracefs *t, const char *prefix) {
    struct host *h = t->host;
    name_instance(t, prefix, (uint32_t)getpid());
    if (host_mkdir(h, h->root_fd, t->instance) == 0)
        return 0;
    if (errno != EEXIST || host_rmdir(h, h->root_fd, t->instance) < 0)
        return errno;
    return host_mkdir(h, h->root_fd, t->instance) == 0 ? 0 : errno;
}

/* ---- its clock ------------------------------------------------------------------------------- */

static int write_text(struct tracefs *t, const char *file, const char *text) {
    char path[FILE_MAX];
    int fd = host_open(t->host, t->host->root_fd, in_instance(t, path, file), O_WRONLY);
    if (fd < 0)
        return errno;
    int sys = host_write(t->host, fd, text, strlen(text), 0) < 0 ? errno : 0;
    host_close(t->host, fd);
    return sys;
}

/* The one that is chosen stands in brackets. */
static bool is_offered(struct span clocks, struct span word) {
    struct cursor c = cursor_over(clocks);
    struct span w;
    while (cursor_word(&c, &w)) {
        bool chosen = w.n > 2 && *w.p == '[';
        struct span bare = chosen ? (struct span){w.p + 1, w.n - 2} : w;
        if (bare.n == word.n && memcmp(bare.p, word.p, word.n) == 0)
            return true;
    }
    return false;
}

/* The word in brackets, if it is a clock that counts in ns. */
static const char *clock_now(struct tracefs *t) {
    static const char *const known[] = {"mono", "mono_raw", "boot",   "tai",
                                        "perf", "local",    "global", "uptime"};
    char text[256];
    ssize_t n = tracefs_slurp(t, "trace_clock", text, sizeof(text));
    const char *from = n > 0 ? memchr(text, '[', (size_t)n) : NULL;
    const char *end = from ? memchr(from, ']', (size_t)(text + n - from)) : NULL;
    if (!end)
        return "unknown";
    struct span word = {from + 1, (size_t)(end - from) - 1};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (span_equals(word, known[i]))
            return known[i];
    return "cycles";
}

/* A new instance has a clock of each processor's own, unless it is told another. */
static void choose_clock(struct tracefs *t) {
    static const char *const words[] = {"mono\n", "global\n"};
    char text[256];
    ssize_t n = tracefs_slurp(t, "trace_clock", text, sizeof(text));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && n > 0; i++) {
        struct span word = {words[i], strlen(words[i]) - 1};
        if (is_offered((struct span){text, (size_t)n}, word) &&
            write_text(t, "trace_clock", words[i]) == 0)
            break;
    }
    t->clock = clock_now(t);
}

/* A kernel says it since 6.2; before that it is that of the program, unless the tree is another's. */
void tracefs_check(struct host *h, const char *mount, const char *unsafe, struct check *c) {
    char instances[TRACEFS_MOUNT_MAX + 16];
    snprintf(instances, sizeof(instances), "%s/instances", mount);
    if (host_may(h, instances, W_OK | X_OK) != 0) {
        c->state = CHECK_DENIED;
        c->command = "sudo gwtop --tracefs";
        c->unsafe = "gwtop runs as root meanwhile";
        return;
    }
    c->state = CHECK_OFF;
    c->need = "the option --tracefs";
    c->command = "gwtop --tracefs";
    c->unsafe = unsafe;
}

const char *tracefs_endian(struct host *h) {
    static const uint16_t one = 1;
    char text[16];
    ssize_t n = host_slurp(h, h->root_fd, "sys/kernel/cpu_byteorder", text, sizeof(text));
    struct span said = {text, n > 0 ? (size_t)n : 0};
    if (span_starts(said, "big"))
        return "big";
    return span_starts(said, "little") || *(const char *)&one == 1 ? "little" : "big";
}

/* ---- pipes ----------------------------------------------------------------------------------- */

static void take_cpu(void *ctx, struct span name) {
    struct tracefs *t = ctx;
    unsigned at = t->cpus;
    uint32_t cpu;
    if (at == TRACEFS_CPUS || !number_behind(name, "cpu", &cpu))
        return;
    for (; at > 0 && t->cpu[at - 1] > cpu; at--)
        t->cpu[at] = t->cpu[at - 1];
    t->cpu[at] = cpu;
    t->pipes[t->cpus++] = -1;
}

static int open_pipes(struct tracefs *t) {
    struct host *h = t->host;
    char space[NAMES_BYTES];
    char path[FILE_MAX];
    char file[64];
    int folder = host_open(h, h->root_fd, in_instance(t, path, "per_cpu"), O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return errno;
    int sys = host_list(h, folder, space, sizeof(space), take_cpu, t) < 0 ? errno : 0;
    host_close(h, folder);
    for (unsigned i = 0; i < t->cpus && sys == 0; i++) {
        snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", t->cpu[i]);
        t->pipes[i] = host_open(h, h->root_fd, in_instance(t, path, file), O_RDONLY);
        sys = t->pipes[i] < 0 ? errno : 0;
    }
    return sys == 0 && t->cpus == 0 ? ENOENT : sys;
}

/* A whole page; less where the kernel gives no more. -1 with errno; EAGAIN: nothing waits. */
static ssize_t read_page(struct tracefs *t, int pipe) {
    size_t n = 0;
    while (n < t->page_bytes) {
        ssize_t got = host_read(t->host, pipe, t->page + n, t->page_bytes - n);
        if (got < 0 && n == 0)
            return -1;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

int tracefs_pipes(struct tracefs *t, size_t page_bytes) {
    if (page_bytes == 0 || page_bytes > PAGE_MAX)
        return EPROTO;
    t->page = malloc(page_bytes);
    t->page_bytes = page_bytes;
    return t->page ? open_pipes(t) : ENOMEM;
}

int tracefs_read(struct tracefs *t, void (*take)(void *ctx, struct span page), void *ctx) {
    bool dry[TRACEFS_CPUS] = {false};
    unsigned wet = t->cpus;
    unsigned pages = 0;
    int sys = 0;
    /* In turns: what is read together is put in order of time. */
    for (unsigned i = 0; wet > 0 && pages < PAGES_MAX; i = (i + 1) % t->cpus) {
        if (dry[i])
            continue;
        ssize_t n = read_page(t, t->pipes[i]);
        if (n > 0) {
            take(ctx, (struct span){t->page, (size_t)n});
            pages++;
            continue;
        }
        if (n < 0 && errno != EAGAIN && sys == 0)
            sys = errno;
        dry[i] = true;
        wet--;
    }
    return sys;
}

/* ---- the whole ------------------------------------------------------------------------------- */

int tracefs_open(struct tracefs *t, struct host *h, const char *mount, const char *prefix) {
    *t = (struct tracefs){.host = h};
    snprintf(t->mount, sizeof(t->mount), "%s", mount);
    remove_stale(t, prefix);
    int sys = make_instance(t, prefix);
    if (sys != 0) {
        t->host = NULL;
        return sys;
    }
    choose_clock(t);
    return 0;
}

int tracefs_enable(struct tracefs *t, const char *event) {
    char path[FILE_MAX];
    char file[128];
    if (t->on == TRACEFS_EVENTS)
        return ENOSPC;
    snprintf(file, sizeof(file), "%s/enable", event);
    int fd = host_open(t->host, t->host->root_fd, in_instance(t, path, file), O_WRONLY);
    if (fd < 0)
        return errno;
    int undo = undo_arm(fd, "0\n", 2);
    if (undo < 0) {
        host_close(t->host, fd);
        return EBUSY;
    }
    t->enable[t->on] = fd;
    t->undo[t->on++] = undo;
    return host_write(t->host, fd, "1\n", 2, 0) < 0 ? errno : 0;
}

bool tracefs_has(struct tracefs *t, const char *event) {
    char path[FILE_MAX];
    char file[128];
    struct stat st;
    snprintf(file, sizeof(file), "%s/format", event);
    return host_stat(t->host, t->host->root_fd, join(path, t->mount, file), &st) == 0 ||
           (errno != ENOENT && errno != ENODEV);
}

/* Where a module went its files in the instance did so as well: what is left is the instance. */
void tracefs_close(struct tracefs *t) {
    struct host *h = t->host;
    if (!h)
        return;
    for (unsigned i = t->on; i-- > 0;) {
        (void)host_write(h, t->enable[i], "0\n", 2, 0);
        undo_disarm(t->undo[i]);
        host_close(h, t->enable[i]);
    }
    for (unsigned i = 0; i < t->cpus; i++)
        host_close(h, t->pipes[i]);
    if (host_rmdir(h, h->root_fd, t->instance) < 0)
        log_line(LOG_WARN, "%s cannot be removed: %s", t->instance, strerror(errno));
    free(t->page);
    *t = (struct tracefs){0};
}
