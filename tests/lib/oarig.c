/* See oarig.h. */
#include "oarig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "scratch.h"
#include "source/roster.h"
#include "tree.h"

#define DEVICE "sys/devices/pci0000:00/0000:00:02.0"
#define ON     "option.counters=1\n"

static unsigned long log_from;

static int fails(int sys) {
    errno = sys;
    return -1;
}

static bool fails_here(struct oarig *r) {
    if (++r->calls != r->fail_at)
        return false;
    errno = EIO;
    return true;
}

static void note(struct oarig *r, const char *word) {
    size_t n = strlen(r->log);
    snprintf(r->log + n, sizeof(r->log) - n, "%s%s", n ? " " : "", word);
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

/* ---- the driver's calls ---------------------------------------------------------------------- */

static int get_param(struct oarig *r, void *arg) {
    int value = 0;
    switch (u32_at(arg, 0)) {
    case 54:
        value = r->revision;
        break;
    case 57:
        value = r->oa_hz;
        break;
    case 51:
        value = r->cs_hz;
        break;
    case 34:
        value = r->eu;
        break;
    default:
        fail_msg("parameter %u is asked for", u32_at(arg, 0));
    }
    if (value == 0)
        return fails(EINVAL);
    memcpy(address(u64_at(arg, 8)), &value, 4);
    return 0;
}

/* One slice, three subslices, eight units each. */
static int32_t topology(char *data, int32_t length) {
    static const unsigned char bytes[] = {0, 0, 1, 0, 3, 0, 8, 0,    1,    0,   1,
                                          0, 2, 0, 1, 0, 1, 7, 0xff, 0xff, 0xff};
    if (length == 0)
        return sizeof(bytes);
    if (length < (int32_t)sizeof(bytes))
        return -EINVAL;
    memcpy(data, bytes, sizeof(bytes));
    return sizeof(bytes);
}

static int32_t list_configs(struct oarig *r, char *data, int32_t length) {
    uint64_t n = 0;
    while (n < OARIG_CONFIGS && r->configs[n].id)
        n++;
    int32_t size = (int32_t)(48 + 8 * n);
    if (length == 0)
        return size;
    if (length < size || u32_at(data, 40) != 0)
        return -EINVAL;
    memcpy(data, &n, 8);
    for (uint64_t i = 0; i < n; i++)
        memcpy(data + 44 + 8 * i, &r->configs[i].id, 8);
    return size;
}

static int32_t one_config(struct oarig *r, char *data, int32_t length) {
    if (length == 0)
        return 120;
    if (length < 120 || u32_at(data, 40) != 0)
        return -EINVAL;
    for (unsigned i = 0; i < OARIG_CONFIGS && r->configs[i].id; i++)
        if (r->configs[i].id == u64_at(data, 0)) {
            memcpy(data + 44, r->configs[i].uuid, 36);
            put32(data, 44 + 40, 5);
            return 120;
        }
    return -ENOENT;
}

static int query(struct oarig *r, void *arg) {
    char *item = address(u64_at(arg, 8));
    char *data = address(u64_at(item, 16));
    uint64_t id = u64_at(item, 0);
    uint32_t flags = u32_at(item, 12);
    int32_t length = (int32_t)u32_at(item, 8);
    int32_t said = -EINVAL;
    r->queries++;
    assert_int_equal(u32_at(arg, 0), 1);
    assert_int_equal(u32_at(arg, 4), 0);
    if (id == 1 && flags == 0)
        said = r->topology ? topology(data, length) : -ENODEV;
    else if (id == 3 && flags == 1)
        said = list_configs(r, data, length);
    else if (id == 3 && flags == 3)
        said = one_config(r, data, length);
    else
        fail_msg("query %u with flags %u", (unsigned)id, flags);
    put32(item, 8, (uint32_t)said);
    return 0;
}

static int add_config(struct oarig *r, void *arg) {
    memcpy(r->config, arg, sizeof(r->config));
    assert_in_range(u32_at(arg, 40), 0, 30);
    assert_in_range(u32_at(arg, 44), 0, 30);
    memcpy(r->boolean, address(u64_at(arg, 56)), 8 * u32_at(arg, 40));
    memcpy(r->flex, address(u64_at(arg, 64)), 8 * u32_at(arg, 44));
    if (r->fail_add)
        return fails(r->fail_add);
    note(r, "set");
    return (int)r->add_id;
}

static int open_perf(struct oarig *r, void *arg) {
    r->flags = u32_at(arg, 0);
    r->property_count = u32_at(arg, 4);
    assert_in_range(r->property_count, 1, OARIG_PROPERTIES);
    memcpy(r->properties, address(u64_at(arg, 8)), 16 * r->property_count);
    assert_int_equal(r->stream, -1);
    if (r->fail_open)
        return fails(r->fail_open);
    r->stream = open("/dev/null", O_RDONLY | O_CLOEXEC);
    r->open_now++;
    r->streams++;
    note(r, "open");
    return r->stream;
}

static int on_ioctl(void *ctx, int fd, unsigned long request, void *arg) {
    struct oarig *r = ctx;
    assert_true(fd >= 0);
    if (request == 0x6901) {
        assert_int_equal(fd, r->stream);
        assert_null(arg);
        note(r, "stop");
        return fails_here(r) ? -1 : 0;
    }
    assert_int_equal(fd, r->node);
    if (request == 0x40086478) {
        r->removed = u64_at(arg, 0);
        note(r, "unset");
        return fails_here(r) ? -1 : 0;
    }
    if (fails_here(r))
        return -1;
    switch (request) {
    case 0xc0106446:
        return get_param(r, arg);
    case 0xc0106479:
        return query(r, arg);
    case 0x40486477:
        return add_config(r, arg);
    case 0x40106476:
        return open_perf(r, arg);
    default:
        fail_msg("call 0x%lx", request);
        return fails(EINVAL);
    }
}

/* ---- other calls ----------------------------------------------------------------------------- */

static int on_open(void *ctx, int dir_fd, const char *path, int flags) {
    struct oarig *r = ctx;
    bool node = strstr(path, "dev/dri/") != NULL;
    if (fails_here(r))
        return -1;
    if (node) {
        assert_int_equal(dir_fd, r->host->root_fd);
        assert_int_equal(flags & O_ACCMODE, O_RDWR);
        assert_int_equal(r->node, -1);
        r->node_opens++;
        if (r->fail_node)
            return fails(r->fail_node);
    } else {
        assert_int_equal(flags & O_ACCMODE, O_RDONLY);
    }
    int fd = host_io_posix.open(NULL, dir_fd, path, flags);
    if (node && fd >= 0)
        r->node = fd;
    r->open_now += fd >= 0;
    return fd;
}

static int on_close(void *ctx, int fd) {
    struct oarig *r = ctx;
    r->open_now--;
    if (fd == r->stream) {
        note(r, "close");
        r->stream = -1;
    } else if (fd == r->node) {
        note(r, "leave");
        r->node = -1;
    }
    return host_io_posix.close(NULL, fd);
}

static ssize_t on_pread(void *ctx, int fd, void *to, size_t n, off_t at) {
    return fails_here(ctx) ? -1 : host_io_posix.pread(NULL, fd, to, n, at);
}

static int on_stat(void *ctx, int dir_fd, const char *path, struct stat *out, int flags) {
    return fails_here(ctx) ? -1 : host_io_posix.stat(NULL, dir_fd, path, out, flags);
}

static ssize_t on_getdents(void *ctx, int fd, void *to, size_t n) {
    return fails_here(ctx) ? -1 : host_io_posix.getdents(NULL, fd, to, n);
}

static ssize_t on_read(void *ctx, int fd, void *to, size_t n) {
    struct oarig *r = ctx;
    if (fails_here(r))
        return -1;
    assert_int_equal(fd, r->stream);
    assert_true(n >= 272);
    const struct oarig_answer *a = &r->script[r->script_at];
    if (r->script_at == OARIG_SCRIPT || (a->size == 0 && a->sys == 0))
        return fails(EAGAIN);
    r->script_at++;
    if (a->sys < 0)
        return 0;
    if (a->sys)
        return fails(a->sys);
    assert_true(a->size <= n);
    for (size_t i = 0; i < a->size; i++)
        ((unsigned char *)to)[i] = r->byte++;
    return (ssize_t)a->size;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void emit_on_machine(struct oarig *r, unsigned kind) {
    struct frame_sink sink = seen_sink(&r->seen);
    host_emit(&sink, roster_machine(r->host->roster), kind, r->now_ns, NULL, 0, 0);
}

int oarig_set_up(void **state) {
    struct oarig *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    r->root = scratch_make();
    tree_folder(r->root, "proc");
    tree_folder(r->root, OARIG_SETS);
    tree_text(r->root, DEVICE "/drm/card0/gt_RP0_freq_mhz", "1150\n");
    tree_text(r->root, "dev/dri/card0", "%s", "");
    tree_text(r->root, "dev/dri/renderD128", "%s", "");
    tree_text(r->root, "proc/sys/dev/i915/perf_stream_paranoid", "1\n");
    tree_text(r->root, "proc/sys/dev/i915/oa_max_sample_rate", "100000\n");
    r->node = r->stream = -1;
    r->revision = 5;
    r->oa_hz = 12000000;
    r->eu = 24;
    r->topology = true;
    r->add_id = 2;
    r->io = host_io_posix;
    r->io.ctx = r;
    r->io.open = on_open;
    r->io.close = on_close;
    r->io.pread = on_pread;
    r->io.stat = on_stat;
    r->io.getdents = on_getdents;
    r->io.read = on_read;
    r->io.ioctl = on_ioctl;
    *state = r;
    return 0;
}

static const struct backend *const list[] = {&backend_intel};
static const struct backend_table table = {list, 1};

void oarig_start_driver(struct oarig *r, const char *driver, const char *pci, const char *facts) {
    const struct host_options o = {
        .root = r->root, .io = &r->io, .delay_ns = 1000000000, .machine_facts = facts ? facts : ON};
    struct frame_sink sink = seen_sink(&r->seen);
    char of_device[300];
    const struct subject like = {
        .type = SUBJECT_DEVICE, .name = "0000:00:02.0", .facts = of_device};
    snprintf(of_device, sizeof(of_device),
             "slot=0000:00:02.0\npci=%s\ndriver=%s\ncard=card0\nnodes=226:0,226:128\n"
             "node_names=card0,renderD128\n",
             pci, driver);
    log_from = log_count();
    r->log[0] = '\0';
    r->calls = r->script_at = r->node_opens = r->streams = r->queries = 0;
    r->now_ns = 1000000000;
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    roster_set_table(r->host->roster, &table);
    emit_on_machine(r, FRAME_BEGIN);
    r->device = roster_open(r->host, &like, &sink, clock_mono_ns());
    emit_on_machine(r, FRAME_END);
    assert_non_null(r->device);
    assert_int_equal(intel_oa_create(r->host, r->device, DEVICE, &r->oa), ERR_OK);
}

void oarig_start(struct oarig *r, const char *pci, const char *facts) {
    oarig_start_driver(r, "i915", pci, facts);
}

void oarig_put_set(struct oarig *r, const char *uuid, const char *id) {
    char path[200];
    snprintf(path, sizeof(path), OARIG_SETS "%s/id", uuid);
    tree_text(r->root, path, "%s\n", id);
}

void oarig_tick(struct oarig *r) {
    struct frame_sink sink = seen_sink(&r->seen);
    seen_clear(&r->seen);
    roster_begin_tick(r->host->roster);
    r->now_ns += 1000000000;
    emit_on_machine(r, FRAME_BEGIN);
    intel_oa_read(r->oa, r->now_ns, &sink);
    emit_on_machine(r, FRAME_END);
}

void oarig_stop(struct oarig *r) {
    if (!r->host)
        return;
    intel_oa_destroy(r->oa);
    r->oa = NULL;
    host_destroy(r->host);
    r->host = NULL;
    seen_finish(&r->seen);
    assert_int_equal(r->open_now, 0);
    assert_int_equal(r->node, -1);
    assert_int_equal(r->stream, -1);
}

int oarig_tear_down(void **state) {
    struct oarig *r = *state;
    oarig_stop(r);
    scratch_remove(r->root);
    free(r);
    return 0;
}

const struct seen_frame *oarig_frame(const struct oarig *r, int kind) {
    uint32_t at = 0;
    return seen_next(&r->seen, &at, (struct seen_want){kind, SUBJECT_STREAM, -1, -1});
}

unsigned oarig_logged_count(const char *text) {
    unsigned long lines = log_count() - log_from;
    unsigned found = 0;
    for (unsigned i = 0; i < lines; i++) {
        enum log_level level;
        char line[256];
        found += log_get(i, &level, line, sizeof(line)) && strstr(line, text) != NULL;
    }
    return found;
}

bool oarig_logged(const char *text) {
    return oarig_logged_count(text) > 0;
}

void oarig_fact(const struct seen_frame *f, const char *key, const char *value) {
    assert_non_null(f);
    struct span got = facts_get(f->subject.facts, key);
    if (!span_equals(got, value))
        fail_msg("%s is \"%.*s\", not \"%s\"", key, (int)got.n, got.p, value);
}

void oarig_property(const struct oarig *r, unsigned at, uint64_t id, uint64_t value) {
    assert_true(at < r->property_count);
    assert_int_equal(r->properties[at][0], id);
    assert_int_equal(r->properties[at][1], value);
}

void oarig_none(const struct oarig *r, int sys, enum outcome outcome) {
    const struct seen_frame *f = oarig_frame(r, INTEL_PERF);
    assert_non_null(f);
    assert_int_equal(f->frame.sys, sys);
    assert_int_equal(f->frame.outcome, outcome);
    assert_int_equal(f->frame.size, 0);
    assert_int_equal(intel_oa_fd(r->oa), -1);
    assert_int_equal(r->node, -1);
    assert_int_equal(r->stream, -1);
}

void oarig_start_with(struct oarig *r, const char *pci, const char *uuid) {
    oarig_put_set(r, uuid, "4");
    oarig_start(r, pci, NULL);
    oarig_tick(r);
}
