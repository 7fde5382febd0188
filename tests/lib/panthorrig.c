/* See panthorrig.h. */
#include "panthorrig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"
#include "source/roster.h"
#include "tree.h"

#define ON   "option.counters=1\n"
#define PAGE 4096u

static unsigned long log_from;

static int fails(int sys) {
    errno = sys;
    return -1;
}

static bool fails_here(struct panthorrig *r) {
    r->calls++;
    if (r->fail_at == 0 || r->calls < r->fail_at || (r->calls > r->fail_at && !r->fail_on))
        return false;
    errno = r->fail_sys ? r->fail_sys : EIO;
    return true;
}

static void note(struct panthorrig *r, const char *word) {
    size_t n = strlen(r->log);
    snprintf(r->log + n, sizeof(r->log) - n, "%s%s", n ? " " : "", word);
}

static void check(struct panthorrig *r, bool holds, const char *what) {
    if (!holds && !r->wrong[0])
        snprintf(r->wrong, sizeof(r->wrong), "%s", what);
}

static void *address(uint64_t at) {
    return (void *)(uintptr_t)at;
}

static uint64_t u64_at(const void *from, size_t at) {
    uint64_t v;
    memcpy(&v, (const char *)from + at, 8);
    return v;
}

static uint32_t u32_at(const void *from, size_t at) {
    uint32_t v;
    memcpy(&v, (const char *)from + at, 4);
    return v;
}

static void put32(void *to, size_t at, uint32_t v) {
    memcpy((char *)to + at, &v, 4);
}

static void put64(void *to, size_t at, uint64_t v) {
    memcpy((char *)to + at, &v, 8);
}

/* ---- the ring -------------------------------------------------------------------------------- */

static char *control_of(const struct panthorrig *r) {
    return r->buffers[r->control - 1].at;
}

uint64_t panthorrig_insert(const struct panthorrig *r) {
    return u64_at(control_of(r), 8);
}

void panthorrig_set_insert(struct panthorrig *r, uint64_t insert) {
    put64(control_of(r), 8, insert);
}

/* Each byte behind the header is the sample's number. */
void panthorrig_give(struct panthorrig *r) {
    uint64_t insert = panthorrig_insert(r) % r->slots;
    char *slot = (char *)r->buffers[r->ring - 1].at + insert * r->info[3];
    const uint64_t one = 1;
    r->samples++;
    memset(slot, (int)(r->samples & 0xff), r->info[3]);
    memset(slot, 0, 56);
    put64(slot, 0, 1000 + 100 * (uint64_t)r->samples);
    put64(slot, 8, 1050 + 100 * (uint64_t)r->samples);
    put64(slot, 24, r->user_data);
    panthorrig_set_insert(r, (insert + 1) % r->slots);
    check(r, write(r->event, &one, 8) == 8, "the event");
    r->pending = false;
}

static uint64_t room(const struct panthorrig *r) {
    uint64_t insert = panthorrig_insert(r) % r->slots;
    uint64_t extract = u64_at(control_of(r), 0) % r->slots;
    if (r->ends && insert >= extract)
        return r->slots - insert;
    return extract > insert ? extract - insert : r->slots - (insert - extract);
}

/* ---- the driver's calls ---------------------------------------------------------------------- */

static int get_version(struct panthorrig *r, void *arg) {
    size_t n = strlen(r->driver);
    put32(arg, 0, (uint32_t)r->major);
    put32(arg, 4, (uint32_t)r->minor);
    check(r, u64_at(arg, 16) >= n, "room for the driver's name");
    memcpy(address(u64_at(arg, 24)), r->driver, n);
    put64(arg, 16, n);
    return 0;
}

static void fill_gpu(char *to) {
    put32(to, 0, 0xa8670000);
    put32(to, 12, 0x07120306);
    put64(to, 72, 0x1110055);
}

static void fill_timestamp(char *to, const char *asked, uint32_t bytes) {
    put64(to, 0, 24000000);
    put64(to, 8, 123456);
    if (bytes == 56 && u32_at(asked, 24) & 1 << 5)
        put64(to, 32, 987654321);
}

static int query(struct panthorrig *r, void *arg) {
    uint32_t type = u32_at(arg, 0);
    char *to = address(u64_at(arg, 8));
    char data[256] = {0};
    uint32_t bytes = 0;
    if (r->fail_query)
        return fails(r->fail_query);
    if (type == 0)
        bytes = 104;
    else if (type == 2)
        bytes = r->timestamp_bytes;
    else if (type == 4 && r->mmu)
        bytes = 8;
    else if (type != 0 && type == r->perf_query)
        bytes = r->info_bytes;
    if (bytes == 0)
        return fails(EINVAL);
    if (!to) {
        put32(arg, 4, bytes);
        return 0;
    }
    if (u32_at(arg, 4) < bytes && type != 2)
        return fails(EINVAL);
    if (type == 0)
        fill_gpu(data);
    else if (type == 2)
        fill_timestamp(data, to, u32_at(arg, 4));
    else if (type == r->perf_query)
        memcpy(data, r->info, 44);
    memcpy(to, data, u32_at(arg, 4) < sizeof(data) ? u32_at(arg, 4) : sizeof(data));
    return 0;
}

static int create_buffer(struct panthorrig *r, void *arg) {
    uint64_t bytes = (u64_at(arg, 0) + PAGE - 1) / PAGE * PAGE;
    check(r, u32_at(arg, 8) == 0 && u32_at(arg, 12) == 0 && u32_at(arg, 20) == 0, "flags");
    for (unsigned i = 0; i < PANTHORRIG_BUFFERS; i++)
        if (!r->buffers[i].at) {
            r->buffers[i] = (struct panthorrig_buffer){
                .at = aligned_alloc(PAGE, bytes), .bytes = bytes, .mapped = false};
            memset(r->buffers[i].at, 0, bytes);
            put64(arg, 0, bytes);
            put32(arg, 16, i + 1);
            return 0;
        }
    return fails(ENOMEM);
}

static struct panthorrig_buffer *buffer(struct panthorrig *r, uint32_t handle) {
    if (handle == 0 || handle > PANTHORRIG_BUFFERS || !r->buffers[handle - 1].at)
        return NULL;
    return &r->buffers[handle - 1];
}

static int offset(struct panthorrig *r, void *arg) {
    if (!buffer(r, u32_at(arg, 0)) || u32_at(arg, 4) != 0)
        return fails(EINVAL);
    put64(arg, 8, (uint64_t)u32_at(arg, 0) << 28);
    return 0;
}

static int free_buffer(struct panthorrig *r, void *arg) {
    struct panthorrig_buffer *b = buffer(r, u32_at(arg, 0));
    check(r, b && !b->mapped, "a buffer is freed that is mapped, or none");
    note(r, "free");
    if (!b)
        return fails(EINVAL);
    free(b->at);
    *b = (struct panthorrig_buffer){0};
    return 0;
}

static int set_up(struct panthorrig *r, const char *s) {
    struct panthorrig_buffer *ring = buffer(r, u32_at(s, 12));
    struct panthorrig_buffer *control = buffer(r, u32_at(s, 16));
    uint32_t slots = u32_at(s, 20);
    memcpy(r->setup, s, sizeof(r->setup));
    r->setups++;
    note(r, "setup");
    check(r, r->setups == 1 || r->interrupted, "a second session");
    r->interrupted = false;
    check(r, (int)u32_at(s, 8) == r->event && r->event >= 0, "the event of SETUP");
    check(r, slots >= 4 && (slots & (slots - 1)) == 0, "slots");
    check(r, u64_at(s, 24) == 0 && u64_at(s, 32) == 0, "offset and frequency");
    int once = r->fail_setup_once;
    r->fail_setup_once = 0;
    if (r->fail_setup || once) {
        r->interrupted = r->setups == 1 && (once ? once : r->fail_setup) == EINTR;
        return fails(once ? once : r->fail_setup);
    }
    if (!ring || !control)
        return fails(EINVAL);
    if (ring->bytes != ((uint64_t)slots * r->info[3] + PAGE - 1) / PAGE * PAGE)
        return fails(ENOMEM);
    r->ring = u32_at(s, 12);
    r->control = u32_at(s, 16);
    r->slots = slots;
    r->session_there = true;
    memset(control->at, 0, 16);
    return r->handle;
}

static int tear_down(struct panthorrig *r) {
    r->teardowns++;
    note(r, "teardown");
    check(r, r->session_there && r->teardowns == 1, "TEARDOWN of none");
    if (r->fail_teardown)
        return fails(r->fail_teardown);
    if (r->active)
        return fails(EINVAL);
    bool kept = r->inverted != r->pending;
    r->session_there = false; /* either way: a second one would be the driver's end */
    return kept ? fails(EBUSY) : 0;
}

static int start(struct panthorrig *r) {
    int once = r->fail_start_once;
    note(r, "start");
    r->fail_start_once = 0;
    if (r->fail_start || once)
        return fails(r->fail_start ? r->fail_start : once);
    check(r, !r->pending, "START while a request is under way");
    r->active = true;
    return r->started;
}

static int request(struct panthorrig *r, uint64_t user_data, bool stops) {
    note(r, stops ? "stop" : "sample");
    if (stops ? r->fail_stop : r->fail_sample)
        return fails(stops ? r->fail_stop : r->fail_sample);
    if (!r->active)
        return 0;
    if (r->pending || room(r) < (stops ? 1 : 2))
        return fails(EBUSY);
    check(r, user_data > r->user_data, "sequence numbers");
    r->active = !stops;
    r->user_data = user_data;
    r->pending = true;
    return 0;
}

static int perf(struct panthorrig *r, void *arg) {
    uint32_t command = u32_at(arg, 0);
    const char *at = address(u64_at(arg, 16));
    if (!at) {
        check(r, command == 0 && u32_at(arg, 4) == 0 && u64_at(arg, 8) == 0, "a probe of zeros");
        put64(arg, 8, 120);
        return 0;
    }
    if (command == 0)
        return u64_at(arg, 8) == 120 ? set_up(r, at) : fails(EINVAL);
    check(r, (int)u32_at(arg, 4) == r->handle, "the session's number");
    if (command == 1)
        return tear_down(r);
    check(r, r->session_there, "a call of no session");
    if (u64_at(arg, 8) != 8)
        return fails(EINVAL);
    if (command == 2)
        return start(r);
    return command == 3 || command == 4 ? request(r, u64_at(at, 0), command == 3) : fails(EINVAL);
}

/* What the other calls in the place of PERF_CONTROL do with zeros. */
static int neighbour(struct panthorrig *r, unsigned number, const char *arg) {
    for (size_t i = 0; i < 24; i++)
        check(r, arg[i] == 0, "another call than PERF_CONTROL is made");
    return number == 0x4f ? 0 : fails(EINVAL);
}

static int on_ioctl(void *ctx, int fd, unsigned long call, void *arg) {
    struct panthorrig *r = ctx;
    unsigned number = call & 0xff;
    check(r, fd == r->node && fd >= 0, "a call elsewhere than at the node");
    if (call == 0x40086409) {
        (void)fails_here(r);
        return free_buffer(r, arg);
    }
    if (call == 0xc0186440 + r->perf_id && u32_at(arg, 0) == 1) {
        bool here = fails_here(r);
        int got = tear_down(r);
        return here ? fails(EIO) : got;
    }
    if (call >> 16 == 0xc018 && number >= 0x4d && r->probed == 0)
        r->probed = number - 0x40;
    if (fails_here(r))
        return -1;
    if (call == 0xc0406400)
        return get_version(r, arg);
    if (call == 0xc0106440)
        return query(r, arg);
    if (call == 0xc0186445)
        return create_buffer(r, arg);
    if (call == 0xc0106446)
        return offset(r, arg);
    if (r->perf_id && call == 0xc0186440 + r->perf_id)
        return perf(r, arg);
    check(r, call >> 16 == 0xc018 && number >= 0x4d && number <= 0x51, "an unknown call");
    return neighbour(r, number, arg);
}

/* ---- other calls ----------------------------------------------------------------------------- */

static int on_open(void *ctx, int dir_fd, const char *path, int flags) {
    struct panthorrig *r = ctx;
    bool node = strstr(path, "dev/dri/") != NULL;
    if (fails_here(r))
        return -1;
    if (node) {
        check(r, (flags & O_ACCMODE) == O_RDWR && r->node < 0, "how the node is opened");
        r->node_opens++;
        if (r->fail_node)
            return fails(r->fail_node);
    }
    int fd = host_io_posix.open(NULL, dir_fd, path, flags);
    if (node && fd >= 0)
        r->node = fd;
    r->open_now += fd >= 0;
    return fd;
}

static int on_close(void *ctx, int fd) {
    struct panthorrig *r = ctx;
    r->open_now--;
    if (fd == r->node) {
        note(r, "leave");
        r->node = -1;
    } else if (fd == r->event) {
        r->event = -1;
    }
    return host_io_posix.close(NULL, fd);
}

static ssize_t on_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    return fails_here(ctx) ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

static ssize_t on_write(void *ctx, int fd, const void *from, size_t n, off_t at) {
    return fails_here(ctx) ? -1 : host_io_posix.write(NULL, fd, from, n, at);
}

static ssize_t on_getdents(void *ctx, int fd, void *to, size_t n) {
    return fails_here(ctx) ? -1 : host_io_posix.getdents(NULL, fd, to, n);
}

static ssize_t on_read(void *ctx, int fd, void *to, size_t n) {
    struct panthorrig *r = ctx;
    check(r, fd == r->event && n == 8, "a read of something else than the event");
    return fails_here(r) ? -1 : host_io_posix.read(NULL, fd, to, n);
}

static void *on_mmap(void *ctx, int fd, size_t n, off_t at) {
    struct panthorrig *r = ctx;
    struct panthorrig_buffer *b = buffer(r, (uint32_t)(at >> 28));
    check(r, fd == r->node && b && !b->mapped && n == b->bytes, "what is mapped");
    if (fails_here(r) || !b)
        return MAP_FAILED;
    b->mapped = true;
    return b->at;
}

static int on_munmap(void *ctx, void *at, size_t n) {
    struct panthorrig *r = ctx;
    bool found = false;
    note(r, "unmap");
    for (unsigned i = 0; i < PANTHORRIG_BUFFERS; i++)
        if (r->buffers[i].at == at && r->buffers[i].mapped && r->buffers[i].bytes == n) {
            r->buffers[i].mapped = false;
            found = true;
        }
    check(r, found, "what is unmapped");
    return fails_here(r) ? -1 : 0;
}

static int on_eventfd(void *ctx) {
    struct panthorrig *r = ctx;
    if (fails_here(r))
        return -1;
    r->event = host_io_posix.eventfd(NULL);
    r->open_now++;
    return r->event;
}

/* A request is answered now; nobody is kept waiting for one that never is. */
static int on_poll_in(void *ctx, int fd, int64_t most_ns) {
    struct panthorrig *r = ctx;
    check(r, fd == r->event && most_ns <= 1000000000, "a wait without an end");
    if (fails_here(r))
        return -1;
    if (r->restless)
        return 1;
    if (r->pending && !r->hangs)
        panthorrig_give(r);
    int got = host_io_posix.poll_in(NULL, fd, 0);
    r->waits += got == 0;
    return got;
}

/* ---- the machine ----------------------------------------------------------------------------- */

void panthorrig_version(struct panthorrig *r, int version) {
    r->minor = version == 4 ? 4 : version == 5 ? 6 : version == 6 ? 8 : 9;
    r->perf_id = version == 4 ? 13 : version == 5 ? 15 : 17;
    r->mmu = version == 9;
    r->perf_query = r->mmu ? 5 : 4;
    r->ends = version == 4;
    r->inverted = version != 6;
    r->timestamp_bytes = version >= 6 ? 56 : 24;
}

static const struct host_io calls = {
    .open = on_open,
    .pread = on_pread,
    .getdents = on_getdents,
    .close = on_close,
    .write = on_write,
    .read = on_read,
    .ioctl = on_ioctl,
    .mmap = on_mmap,
    .munmap = on_munmap,
    .eventfd = on_eventfd,
    .poll_in = on_poll_in,
};

int panthorrig_set_up(void **state) {
    static const uint32_t info[11] = {64, 56, 24, PANTHORRIG_SAMPLE, 0, 0, 0, 1, 1, 2, 3};
    struct panthorrig *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    r->root = scratch_make();
    tree_folder(r->root, "proc");
    tree_text(r->root, "dev/dri/card0", "%s", "");
    tree_text(r->root, "dev/dri/renderD128", "%s", "");
    tree_text(r->root, PANTHORRIG_DRM "/device/devfreq/fb000000.gpu/cur_freq", "850000000\n");
    r->node = r->event = -1;
    r->driver = "panthor";
    r->major = 1;
    r->started = 250;
    memcpy(r->info, info, sizeof(info));
    r->info_bytes = 44;
    panthorrig_version(r, 6);
    r->io = calls;
    r->io.stat = host_io_posix.stat;
    r->io.readlink = host_io_posix.readlink;
    r->io.ctx = r;
    *state = r;
    return 0;
}

static const struct backend *const list[] = {&backend_panthor};
static const struct backend_table table = {list, 1};

static void emit_on_machine(struct panthorrig *r, unsigned kind) {
    struct frame_sink sink = seen_sink(&r->seen);
    host_emit(&sink, roster_machine(r->host->roster), kind, r->now_ns, NULL, 0, 0);
}

void panthorrig_host_driver(struct panthorrig *r, const char *driver, const char *nodes,
                            const char *facts) {
    const struct host_options o = {
        .root = r->root, .io = &r->io, .delay_ns = 1000000000, .machine_facts = facts ? facts : ON};
    struct frame_sink sink = seen_sink(&r->seen);
    char of_device[300];
    const struct subject like = {
        .type = SUBJECT_DEVICE, .name = "fb000000.gpu", .facts = of_device};
    snprintf(of_device, sizeof(of_device), "driver=%s\ncard=card0\nnode_names=%s\n", driver, nodes);
    log_from = log_count();
    r->log[0] = '\0';
    r->calls = r->node_opens = r->setups = r->teardowns = r->samples = r->waits = r->probed = 0;
    r->user_data = 0;
    r->session_there = r->active = r->pending = false;
    r->now_ns = 1000000000;
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    roster_set_table(r->host->roster, &table);
    emit_on_machine(r, FRAME_BEGIN);
    r->device = roster_open(r->host, &like, &sink, clock_mono_ns());
    emit_on_machine(r, FRAME_END);
    assert_non_null(r->device);
}

void panthorrig_host(struct panthorrig *r, const char *facts) {
    panthorrig_host_driver(r, "panthor", "card0,renderD128", facts);
}

/* ---- a session ------------------------------------------------------------------------------- */

void panthorrig_start(struct panthorrig *r) {
    panthorrig_host(r, NULL);
    memset(&r->run, 0, sizeof(r->run));
    panthor_run_init(&r->run, r->host, r->device);
    r->running = true;
    panthorrig_turn(r);
}

static void begin_tick(struct panthorrig *r) {
    seen_clear(&r->seen);
    roster_begin_tick(r->host->roster);
    r->now_ns += 1000000000;
    emit_on_machine(r, FRAME_BEGIN);
}

void panthorrig_turn(struct panthorrig *r) {
    struct frame_sink sink = seen_sink(&r->seen);
    begin_tick(r);
    if (!r->run.subject && atomic_load(&r->run.phase) == PANTHOR_HELD) {
        const struct subject like = {.type = SUBJECT_STREAM,
                                     .parent = r->device->id,
                                     .device = r->device->id,
                                     .backend = 1,
                                     .name = "counters",
                                     .facts = r->run.facts.p};
        r->run.subject = roster_open(r->host, &like, &sink, clock_mono_ns());
    }
    panthor_run_turn(&r->run, r->now_ns, &sink);
    emit_on_machine(r, FRAME_END);
}

void panthorrig_open(struct panthorrig *r) {
    assert_int_equal(panthor_session_create(r->host, r->device, &r->session), ERR_OK);
}

void panthorrig_tick(struct panthorrig *r) {
    struct frame_sink sink = seen_sink(&r->seen);
    const struct timespec rest = {.tv_nsec = 20000000};
    begin_tick(r);
    panthor_session_read(r->session, r->now_ns, &sink);
    emit_on_machine(r, FRAME_END);
    nanosleep(&rest, NULL);
}

void panthorrig_stop(struct panthorrig *r) {
    if (!r->host)
        return;
    if (r->running) {
        panthor_run_end(&r->run);
        panthor_run_finish(&r->run);
    }
    panthor_session_destroy(r->session);
    r->session = NULL;
    r->running = false;
    host_destroy(r->host);
    r->host = NULL;
    seen_finish(&r->seen);
    assert_string_equal(r->wrong, "");
    assert_int_equal(r->open_now, 0);
    assert_int_equal(r->node, -1);
    assert_int_equal(r->event, -1);
    for (unsigned i = 0; i < PANTHORRIG_BUFFERS; i++)
        assert_null(r->buffers[i].at);
}

int panthorrig_tear_down(void **state) {
    struct panthorrig *r = *state;
    panthorrig_stop(r);
    scratch_remove(r->root);
    free(r);
    return 0;
}

/* ---- what came ------------------------------------------------------------------------------- */

bool panthorrig_is_start(const struct seen_frame *f) {
    static const char word[] = "clock start\n";
    const size_t n = sizeof(word) - 1;
    return f->frame.outcome == OUTCOME_OK && f->frame.size >= n &&
           memcmp(seen_body(f) + f->frame.size - n, word, n) == 0;
}

static const struct seen_frame *next_frame(const struct panthorrig *r, uint32_t *at) {
    const struct seen_want want = {PANTHOR_RING, SUBJECT_STREAM, -1, -1};
    const struct seen_frame *f = seen_next(&r->seen, at, want);
    while (f && panthorrig_is_start(f))
        f = seen_next(&r->seen, at, want);
    return f;
}

const struct seen_frame *panthorrig_frame(const struct panthorrig *r) {
    uint32_t at = 0;
    return next_frame(r, &at);
}

unsigned panthorrig_frames(const struct panthorrig *r) {
    uint32_t at = 0;
    unsigned count = 0;
    while (next_frame(r, &at))
        count++;
    return count;
}

const char *panthorrig_sample(const struct seen_frame *f, char line[128]) {
    const char *body = seen_body(f);
    const char *end = strncmp(body, "clock ", 6) == 0 ? memchr(body, '\n', 128) : NULL;
    size_t n = end ? (size_t)(end - body) : 0;
    assert_non_null(f);
    assert_in_range(n, 0, 127);
    memcpy(line, body, n);
    line[n] = '\0';
    return end ? end + 1 : body;
}

unsigned panthorrig_logged(const char *text) {
    unsigned long lines = log_count() - log_from;
    unsigned found = 0;
    for (unsigned i = 0; i < lines; i++) {
        enum log_level level;
        char line[256];
        found += log_get(i, &level, line, sizeof(line)) && strstr(line, text) != NULL;
    }
    return found;
}

unsigned panthorrig_count(const struct panthorrig *r, const char *word) {
    unsigned found = 0;
    for (const char *p = r->log; (p = strstr(p, word)) != NULL; p += strlen(word))
        found++;
    return found;
}
