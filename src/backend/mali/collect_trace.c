/*
 * The driver's trace points, read in an instance of our own: what others trace is never touched. One
 * event is on: the timeline, which tells starts, stops and rates, or where there is none the one
 * about busy cores; with both on each job would be there twice.
 *
 * The switch is put back by undo in a crash. The instance goes on every ordinary way out; one that a
 * dead process left is removed by the next one. An instance of which a file is open cannot be
 * removed, so nobody who lives loses his.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"

#define INSTANCE    "gwtop-"
#define FORMAT_MAX  8192
#define PAGE_MAX    65536u
#define PAGES_MAX   1024u /* of a tick; the rest waits in the kernel */
#define STALE_MAX   16u
#define NAMES_BYTES 4096

static const char *in_instance(const struct mali_tracer *t, char path[MALI_PATH_MAX],
                               const char *file) {
    return mali_path(path, t->instance, file);
}

static ssize_t read_text(struct mali_tracer *t, const char *file, char *to, size_t cap) {
    char path[MALI_PATH_MAX];
    return host_slurp(t->host, t->host->root_fd, in_instance(t, path, file), to, cap);
}

/* ---- instances ------------------------------------------------------------------------------- */

struct stale {
    struct host *host;
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
    if (s->count < STALE_MAX && number_behind(name, INSTANCE, &pid) && is_dead(s->host, pid))
        s->pids[s->count++] = pid;
}

static void name_instance(struct mali_tracer *t, uint32_t pid) {
    snprintf(t->instance, sizeof(t->instance), "%s/instances/" INSTANCE "%u", t->tracefs, pid);
}

static void remove_stale(struct mali_tracer *t) {
    struct host *h = t->host;
    char space[NAMES_BYTES];
    char path[MALI_PATH_MAX];
    struct stale s = {.host = h};
    int fd =
        host_open(h, h->root_fd, mali_path(path, t->tracefs, "instances"), O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return;
    (void)host_list(h, fd, space, sizeof(space), look_at_instance, &s);
    host_close(h, fd);
    for (uint32_t i = 0; i < s.count; i++) {
        name_instance(t, s.pids[i]);
        if (host_rmdir(h, h->root_fd, t->instance) == 0)
            log_line(LOG_INFO, "mali: removed " INSTANCE "%u, which a dead process left in tracefs",
                     s.pids[i]);
    }
}

/* One of our name that we did not make is of a process that had this pid before. */
static int make_instance(struct mali_tracer *t) {
    struct host *h = t->host;
    name_instance(t, (uint32_t)getpid());
    if (host_mkdir(h, h->root_fd, t->instance) == 0)
        return 0;
    if (errno != EEXIST || host_rmdir(h, h->root_fd, t->instance) < 0)
        return errno;
    return host_mkdir(h, h->root_fd, t->instance) == 0 ? 0 : errno;
}

/* ---- what is to be known --------------------------------------------------------------------- */

static int write_text(struct mali_tracer *t, const char *file, const char *text) {
    char path[MALI_PATH_MAX];
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
static const char *clock_now(struct mali_tracer *t) {
    static const char *const known[] = {"mono", "mono_raw", "boot",   "tai",
                                        "perf", "local",    "global", "uptime"};
    char text[256];
    ssize_t n = read_text(t, "trace_clock", text, sizeof(text));
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
static void choose_clock(struct mali_tracer *t) {
    static const char *const words[] = {"mono\n", "global\n"};
    char text[256];
    ssize_t n = read_text(t, "trace_clock", text, sizeof(text));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && n > 0; i++) {
        struct span word = {words[i], strlen(words[i]) - 1};
        if (is_offered((struct span){text, (size_t)n}, word) &&
            write_text(t, "trace_clock", words[i]) == 0)
            break;
    }
    t->clock = clock_now(t);
}

/* A kernel says it since 6.2; before that it is that of the program, unless the tree is another's. */
static const char *endian(struct host *h) {
    static const uint16_t one = 1;
    char text[16];
    ssize_t n = host_slurp(h, h->root_fd, "sys/kernel/cpu_byteorder", text, sizeof(text));
    struct span said = {text, n > 0 ? (size_t)n : 0};
    if (span_starts(said, "big"))
        return "big";
    return span_starts(said, "little") || *(const char *)&one == 1 ? "little" : "big";
}

/* 0: pages of this event can be read. */
static int learn_event(struct mali_tracer *t, unsigned event, const char *folder,
                       struct span header) {
    char path[MALI_PATH_MAX];
    char file[64];
    char format[FORMAT_MAX];
    snprintf(file, sizeof(file), "%s/format", folder);
    ssize_t n =
        host_slurp(t->host, t->host->root_fd, in_instance(t, path, file), format, sizeof(format));
    if (n < 0)
        return errno;
    buf_clear(&t->facts);
    facts_put(&t->facts, "endian", span_of(endian(t->host)));
    trace_layout_say(&t->facts, header, event, (struct span){format, (size_t)n});
    buf_char(&t->facts, '\0');
    if (t->facts.failed)
        return ENOMEM;
    t->facts.n--;
    t->event = folder;
    return trace_layout_read(&t->layout, t->facts.p) ? 0 : EPROTO;
}

static int learn_pages(struct mali_tracer *t) {
    char header[FORMAT_MAX];
    ssize_t n = read_text(t, "events/header_page", header, sizeof(header));
    if (n < 0)
        return errno;
    struct span s = {header, (size_t)n};
    t->page_bytes = trace_format_end(s, "data");
    if (t->page_bytes == 0 || t->page_bytes > PAGE_MAX)
        return EPROTO;
    int sys = learn_event(t, TRACE_TIMELINE, MALI_TRACE_TIMELINE, s);
    if ((sys == ENOENT || sys == EPROTO) && learn_event(t, TRACE_ACTIVE, MALI_TRACE_ACTIVE, s) == 0)
        sys = 0;
    if (sys != 0)
        return sys;
    t->page = malloc(t->page_bytes);
    return t->page ? 0 : ENOMEM;
}

/* ---- pipes ----------------------------------------------------------------------------------- */

static void take_cpu(void *ctx, struct span name) {
    struct mali_tracer *t = ctx;
    unsigned at = t->cpus;
    uint32_t cpu;
    if (at == MALI_TRACE_CPUS || !number_behind(name, "cpu", &cpu))
        return;
    for (; at > 0 && t->cpu[at - 1] > cpu; at--)
        t->cpu[at] = t->cpu[at - 1];
    t->cpu[at] = cpu;
    t->pipes[t->cpus++] = -1;
}

static int open_pipes(struct mali_tracer *t) {
    struct host *h = t->host;
    char space[NAMES_BYTES];
    char path[MALI_PATH_MAX];
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
static ssize_t read_page(struct mali_tracer *t, int pipe) {
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

int mali_tracer_read(struct mali_tracer *t, const struct subject *stream,
                     const struct frame_sink *sink) {
    bool dry[MALI_TRACE_CPUS] = {false};
    unsigned wet = t->cpus;
    unsigned pages = 0;
    int sys = 0;
    /* In turns: what is read together is put in order of time. */
    for (unsigned i = 0; wet > 0 && pages < PAGES_MAX; i = (i + 1) % t->cpus) {
        if (dry[i])
            continue;
        ssize_t n = read_page(t, t->pipes[i]);
        if (n > 0) {
            size_t used = trace_page_used(&t->layout, (struct span){t->page, (size_t)n});
            host_emit(sink, stream, MALI_TRACE_PAGE, clock_mono_ns(), t->page, (ssize_t)used, 0);
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

int mali_tracer_open(struct mali_tracer *t, struct host *h) {
    *t = (struct mali_tracer){.enable = -1, .undo = -1};
    if (!mali_trace_find(h, t->tracefs))
        return ENOENT;
    t->host = h;
    remove_stale(t);
    int sys = make_instance(t);
    if (sys != 0) {
        t->host = NULL;
        return sys;
    }
    choose_clock(t);
    sys = learn_pages(t);
    if (sys == 0)
        sys = open_pipes(t);
    if (sys != 0)
        mali_tracer_close(t);
    return sys;
}

int mali_tracer_start(struct mali_tracer *t) {
    char path[MALI_PATH_MAX];
    char file[64];
    snprintf(file, sizeof(file), "%s/enable", t->event);
    t->enable = host_open(t->host, t->host->root_fd, in_instance(t, path, file), O_WRONLY);
    if (t->enable < 0)
        return errno;
    t->undo = undo_arm(t->enable, "0\n", 2);
    if (t->undo < 0)
        return EBUSY;
    return host_write(t->host, t->enable, "1\n", 2, 0) < 0 ? errno : 0;
}

bool mali_tracer_there(struct mali_tracer *t) {
    char file[64];
    snprintf(file, sizeof(file), "%s/format", t->event);
    return mali_has_file(t->host, t->tracefs, file) || (errno != ENOENT && errno != ENODEV);
}

/* Where the module went its files in the instance did so as well: what is left is the instance. */
void mali_tracer_close(struct mali_tracer *t) {
    struct host *h = t->host;
    if (!h)
        return;
    if (t->undo >= 0)
        (void)host_write(h, t->enable, "0\n", 2, 0);
    undo_disarm(t->undo);
    host_close(h, t->enable);
    for (unsigned i = 0; i < t->cpus; i++)
        host_close(h, t->pipes[i]);
    if (host_rmdir(h, h->root_fd, t->instance) < 0)
        log_line(LOG_WARN, "mali: %s cannot be removed: %s", t->instance, strerror(errno));
    free(t->page);
    buf_finish(&t->facts);
    *t = (struct mali_tracer){.enable = -1, .undo = -1};
}
