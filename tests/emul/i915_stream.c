/*
 * The perf stream of the emulated i915: a descriptor of a real socket pair, so that poll, epoll
 * and inheritance are the kernel's; a byte waits in it while poll shall tell of reports. read()
 * is answered here: whole records, those that the model has up to the last look of the driver's
 * timer.
 */
#include "i915_emul.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <i915_drm.h>

enum {
    RING = 16 << 20,
    HEAD = 8,
    OWNERS = 9, /* NO_CONTEXT last */
    RECORD_SAMPLE = 1,
    RECORD_REPORT_LOST = 2,
    RECORD_BUFFER_LOST = 3
};

static struct {
    pthread_mutex_t lock;
    int driver;       /* the driver's end; -1: no stream */
    uintptr_t number; /* of streams so far */
    dev_t device;     /* of the program's end */
    ino_t inode;
    int fd;
    bool enabled;
    bool told; /* a byte waits */
    bool dead;
    uint64_t config;
    enum programmed set;
    unsigned format;
    unsigned exponent;
    int64_t poll_ns;
    int64_t enabled_ns;
    uint64_t at; /* reports up to here were handed over or lost */
} stream = {.lock = PTHREAD_MUTEX_INITIALIZER, .driver = -1};

/* What the program was given over the whole run. */
static struct {
    uint64_t reads;
    uint64_t ordinal; /* of reports that the unit wrote, lost or not */
    uint64_t reports;
    uint64_t report_lost;
    uint64_t buffer_lost;
    uint64_t dropped; /* reports that nobody sees */
    uint64_t failed;  /* reads that failed, but for EAGAIN */
    uint64_t empty;
    uint64_t held[OWNERS]; /* ticks between two reports, to the owner that the first named */
    uint64_t span;         /* ticks, sum of them */
    uint64_t busy;         /* ticks at work in them */
    uint64_t active;       /* ticks in which an EU is active */
    bool joined;           /* `last` is the report before the next one */
    uint64_t last;
} sum;

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool device_gone(void) {
    return script.gone != SCRIPT_NEVER && sum.reads >= script.gone;
}

/* Reports up to here the driver's timer has found. */
static uint64_t visible(void) {
    int64_t since = now_ns() - stream.enabled_ns;
    return model_ticks(stream.enabled_ns + since / stream.poll_ns * stream.poll_ns);
}

bool stream_lives(void) {
    struct pollfd f = {.fd = stream.driver, .events = POLLIN};
    if (stream.driver < 0 || stream.dead)
        return stream.driver >= 0 && stream.fd >= 0;
    return poll(&f, 1, 0) == 0 || !(f.revents & (POLLHUP | POLLERR));
}

/* ---- the driver's timer ---------------------------------------------------------------------- */

/* Poll tells of reports from now on, until they are read. */
static void tell(void) {
    if (!stream.told && stream.driver >= 0)
        stream.told = send(stream.driver, "r", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

static void look(void) {
    if (!stream.enabled)
        return;
    uint64_t found = visible();
    if (found > stream.at && model_next(stream.at, stream.exponent) <= found) {
        tell();
    } else if (script.false_poll > 0 && !stream.told) {
        script.false_poll--;
        tell();
    }
}

static void *run_timer(void *ctx) {
    for (bool on = true; on;) {
        pthread_mutex_lock(&stream.lock);
        int64_t ns = stream.poll_ns;
        on = stream.number == (uintptr_t)ctx && stream_lives() && !stream.dead;
        if (on)
            look();
        pthread_mutex_unlock(&stream.lock);
        nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
    }
    return NULL;
}

static bool start_timer(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool fine = pthread_create(&thread, NULL, run_timer, (void *)++stream.number) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fine)
        pthread_detach(thread);
    return fine;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Past the preloaded close(), which wants the lock. */
static void close_own(int fd) {
    (void)syscall(SYS_close, fd);
}

static void forget_stream(void) {
    if (stream.driver >= 0)
        close_own(stream.driver);
    stream.driver = -1;
}

static void enable(bool on) {
    stream.enabled = on;
    stream.enabled_ns = now_ns();
    stream.at = model_ticks(stream.enabled_ns);
    sum.joined = false;
}

static int make_stream(const struct properties *p, uint32_t flags, enum programmed set) {
    int pair[2];
    struct stat st;
    forget_stream();
    if (socketpair(AF_UNIX, SOCK_STREAM | (flags & 2 ? SOCK_NONBLOCK : 0), 0, pair) != 0)
        return -1;
    (void)fcntl(pair[0], F_SETFD, flags & 1 ? FD_CLOEXEC : 0);
    (void)fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    if (fstat(pair[0], &st) != 0)
        abort();
    stream.driver = fcntl(pair[1], F_DUPFD_CLOEXEC, 200); /* out of the program's way */
    close_own(pair[1]);
    stream.device = st.st_dev;
    stream.inode = st.st_ino;
    stream.fd = pair[0];
    stream.set = set;
    stream.config = p->set;
    stream.format = (unsigned)p->format;
    stream.exponent = (unsigned)p->exponent;
    stream.poll_ns = (int64_t)p->poll_ns;
    stream.told = stream.dead = false;
    enable(!(flags & 4));
    if (!start_timer())
        abort();
    note("stream open: format %u, exponent %u, set %" PRIu64 ", flags %u", stream.format,
         stream.exponent, stream.config, flags);
    return pair[0];
}

static int open_locked(const struct drm_i915_perf_open_param *o) {
    struct properties p;
    enum programmed set = SET_FULL;
    char uuid[37];
    int sys = open_check(o, &p, &set, uuid);
    if (sys != 0)
        return fail(sys);
    if (!p.has_exponent)
        misuse("PERF_OPEN without periodic reports");
    if (!(o->flags & 1))
        misuse("PERF_OPEN: a stream that children inherit");
    int fd = make_stream(&p, o->flags, set);
    dump_begin(now_ns(), (unsigned)p.format, uuid);
    return fd;
}

int stream_open(const void *arg) {
    pthread_mutex_lock(&stream.lock);
    int got = open_locked(arg);
    pthread_mutex_unlock(&stream.lock);
    return got;
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool stream_is(int fd) {
    struct stat st;
    return stream.driver >= 0 && fstat(fd, &st) == 0 && st.st_dev == stream.device &&
           st.st_ino == stream.inode;
}

static int set_config(uint64_t id) {
    uint64_t before = stream.config;
    enum programmed set;
    char uuid[37];
    if (!sets_find(id, &set, uuid)) {
        misuse("CONFIG %" PRIu64 ": there is no such set", id);
        return fail(EINVAL);
    }
    stream.config = id;
    stream.set = set;
    return (int)before;
}

static int call_locked(unsigned long request, uintptr_t arg) {
    if (stream.dead)
        return fail(EIO);
    switch (request) {
    case I915_PERF_IOCTL_ENABLE:
        if (!stream.enabled)
            enable(true);
        return 0;
    case I915_PERF_IOCTL_DISABLE:
        stream.enabled = false;
        return 0;
    case I915_PERF_IOCTL_CONFIG:
        return set_config(arg);
    default:
        break;
    }
    misuse("call %#lx on the stream", request);
    return fail(EINVAL);
}

int stream_ioctl(unsigned long request, uintptr_t arg) {
    pthread_mutex_lock(&stream.lock);
    int got = call_locked(request, arg);
    note("stream call %#lx: %d", request, got);
    pthread_mutex_unlock(&stream.lock);
    return got;
}

/* ---- reading --------------------------------------------------------------------------------- */

static unsigned owner_index(int owner) {
    return owner == NO_CONTEXT ? OWNERS - 1 : (unsigned)owner;
}

/* The interval since the report before belongs to who that one named. */
static void count_report(uint64_t at) {
    if (sum.joined) {
        sum.held[owner_index(model_owner(sum.last))] += at - sum.last;
        sum.span += at - sum.last;
        sum.busy += model_busy_ticks(at) - model_busy_ticks(sum.last);
        sum.active += model_eu_ticks(at) - model_eu_ticks(sum.last);
    }
    sum.joined = true;
    sum.last = at;
    sum.reports++;
}

static size_t put_head(uint8_t *to, uint32_t type, size_t size) {
    const struct drm_i915_perf_record_header head = {.type = type, .size = (uint16_t)size};
    memcpy(to, &head, sizeof head);
    return size;
}

static size_t put_status(uint8_t *to, uint32_t type) {
    sum.joined = false;
    sum.report_lost += type == RECORD_REPORT_LOST;
    sum.buffer_lost += type == RECORD_BUFFER_LOST;
    note("status record %u before report %" PRIu64, type, sum.ordinal);
    return put_head(to, type, HEAD);
}

static bool falls(uint64_t ordinal) {
    return ordinal == script.lost || (script.lost_each > 0 && ordinal % script.lost_each == 0);
}

static size_t put_report(uint8_t *to, uint64_t at, bool blank) {
    size_t size = model_report_size(stream.format);
    model_report(stream.format, stream.set, stream.exponent, at, to + HEAD);
    if (blank)
        memset(to + HEAD + 4, 0, 4);
    return put_head(to, RECORD_SAMPLE, HEAD + size);
}

/* The ring ran over: all that waits is gone. */
static void run_over(uint64_t found) {
    while (model_next(stream.at, stream.exponent) <= found) {
        stream.at = model_next(stream.at, stream.exponent);
        sum.dropped++;
        sum.ordinal++;
    }
    stream.at = found;
}

/* One record, or a report twice; the bytes put. */
static size_t put_next(uint8_t *to, uint64_t at, uint64_t found) {
    uint64_t ordinal = ++sum.ordinal;
    stream.at = at;
    if (ordinal == script.overflow) {
        sum.dropped++;
        run_over(found);
        return put_status(to, RECORD_BUFFER_LOST);
    }
    if (falls(ordinal)) {
        sum.dropped++;
        return put_status(to, RECORD_REPORT_LOST);
    }
    bool blank = ordinal == script.blank;
    size_t n = put_report(to, at, blank);
    if (!blank)
        count_report(at);
    if (ordinal == script.twin)
        n += put_report(to + n, at, false);
    return n;
}

/* Bytes; 0: nothing is there; -1: not even one record fits. */
static ssize_t fill(uint8_t *to, size_t room) {
    size_t have = 0, record = HEAD + model_report_size(stream.format);
    uint64_t found = visible(), before = sum.ordinal;
    uint64_t period = UINT64_C(2) << stream.exponent;
    if (found > stream.at &&
        (found - stream.at) / period * model_report_size(stream.format) > RING) {
        if (room < HEAD)
            return -1;
        run_over(found);
        return (ssize_t)put_status(to, RECORD_BUFFER_LOST);
    }
    while (model_next(stream.at, stream.exponent) <= found) {
        if (room - have < (sum.ordinal + 1 == script.twin ? 2 * record : record))
            return have > 0 ? (ssize_t)have : -1;
        have += put_next(to + have, model_next(stream.at, stream.exponent), found);
        if (script.partial && sum.ordinal > before)
            break;
    }
    return (ssize_t)have;
}

static void say_sums(const char *start) {
    char line[512] = "";
    size_t n = 0;
    for (unsigned i = 0; i < script.contexts; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, " ctx%#x=%" PRId64,
                              model_context_id((int)i), model_ns(sum.held[i]));
    note("%s reports=%" PRIu64 " lost=%" PRIu64 " overflow=%" PRIu64 " dropped=%" PRIu64
         " reads=%" PRIu64 " failed=%" PRIu64 " empty=%" PRIu64 " span=%" PRId64 " busy=%" PRId64
         " active=%" PRId64 "%s",
         start, sum.reports, sum.report_lost, sum.buffer_lost, sum.dropped, sum.reads, sum.failed,
         sum.empty, model_ns(sum.span), model_ns(sum.busy), model_ns(sum.active), line);
}

/* The faults that the script has for this read; 0: none. */
static int scripted_failure(void) {
    if (device_gone())
        return ENODEV;
    if (script.die != SCRIPT_NEVER && sum.reads == script.die && !stream.dead) {
        stream.dead = true;
        (void)shutdown(stream.driver, SHUT_RDWR);
    }
    if (stream.dead || sum.reads == script.eio)
        return EIO;
    return sum.reads == script.eintr ? EINTR : sum.reads == script.eagain ? EAGAIN : 0;
}

static ssize_t read_failed(int sys) {
    sum.failed += sys != EAGAIN;
    sum.empty += sys == EAGAIN;
    note("read %" PRIu64 ": errno %d", sum.reads, sys);
    return fail(sys);
}

/* Takes out the byte that poll saw. */
static void untell(int fd) {
    char rest[8];
    (void)!recv(fd, rest, sizeof rest, MSG_DONTWAIT);
    stream.told = false;
}

static ssize_t read_locked(int fd, void *to, size_t n) {
    sum.reads++;
    int sys = scripted_failure();
    if (sys != 0)
        return read_failed(sys);
    if (!stream.enabled) {
        misuse("a read while the stream is off");
        return read_failed(EIO);
    }
    ssize_t got = fill(to, n);
    if (got < 0) {
        misuse("a read of %zu bytes: no record fits", n);
        return read_failed(ENOSPC);
    }
    untell(fd);
    if (got == 0)
        return read_failed(EAGAIN);
    note("read %" PRIu64 ": %zd of %zu bytes", sum.reads, got, n);
    say_sums("SUM");
    dump_records(now_ns(), to, (size_t)got);
    return got;
}

ssize_t stream_read(int fd, void *to, size_t n) {
    pthread_mutex_lock(&stream.lock);
    ssize_t got = read_locked(fd, to, n);
    bool waits = (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
    if (waits)
        misuse("a read that may wait");
    pthread_mutex_unlock(&stream.lock);
    return got;
}

/* ---- ends ------------------------------------------------------------------------------------ */

void stream_closing(int fd) {
    if (fd < 0 || fd != stream.fd)
        return;
    pthread_mutex_lock(&stream.lock);
    if (fd == stream.fd && stream_is(fd)) {
        note("stream close");
        say_sums("CLOSED");
        stream.fd = -1;
    }
    pthread_mutex_unlock(&stream.lock);
}

void stream_leave(void) {
    pthread_mutex_lock(&stream.lock);
    if (stream_lives())
        note("LEFT stream");
    say_sums("TOTAL");
    pthread_mutex_unlock(&stream.lock);
}
