/*
 * The emulated i915 by itself: a small client that is none of the program's code asks of it what
 * the kernel's interface promises. The client is this test, run again with the library preloaded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <i915_drm.h>

#include "i915rig.h"
#include "ndjson.h"
#include "scratch.h"

/* ---- the client ------------------------------------------------------------------------------ */

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #what, errno);                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int param(int fd, int number) {
    int value = -1;
    struct drm_i915_getparam g = {.param = number, .value = &value};
    return ioctl(fd, DRM_IOCTL_I915_GETPARAM, &g) == 0 ? value : -errno;
}

static int open_stream(int fd, uint32_t flags, const uint64_t (*pairs)[2], uint32_t count) {
    struct drm_i915_perf_open_param o = {
        .flags = flags, .num_properties = count, .properties_ptr = (uintptr_t)pairs};
    int got = ioctl(fd, DRM_IOCTL_I915_PERF_OPEN, &o);
    return got < 0 ? -errno : got;
}

static int query(int fd, uint64_t id, uint32_t flags, void *to, int length) {
    struct drm_i915_query_item item = {
        .query_id = id, .length = length, .flags = flags, .data_ptr = (uintptr_t)to};
    struct drm_i915_query q = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    CHECK(ioctl(fd, DRM_IOCTL_I915_QUERY, &q) == 0);
    return item.length;
}

static void ask_device(int fd) {
    uint8_t topology[64] = {0};
    CHECK(param(fd, I915_PARAM_CHIPSET_ID) == 0x1912);
    CHECK(param(fd, 57) == 12000000 && param(fd, I915_PARAM_CS_TIMESTAMP_FREQUENCY) == 12000000);
    CHECK(param(fd, I915_PARAM_EU_TOTAL) == 24 && param(fd, I915_PARAM_PERF_REVISION) == 5);
    CHECK(param(fd, 9999) == -EINVAL);
    CHECK(query(fd, DRM_I915_QUERY_TOPOLOGY_INFO, 0, NULL, 0) == 21);
    CHECK(query(fd, DRM_I915_QUERY_TOPOLOGY_INFO, 0, topology, 20) == -EINVAL);
    CHECK(query(fd, DRM_I915_QUERY_TOPOLOGY_INFO, 0, topology, 64) == 21);
    static const uint8_t want[21] = {0, 0, 1, 0, 3, 0, 8, 0,    1,    0,   1,
                                     0, 2, 0, 1, 0, 1, 7, 0xff, 0xff, 0xff};
    CHECK(memcmp(topology, want, 21) == 0);
    CHECK(query(fd, 77, 0, NULL, 0) == -EINVAL);
    uint64_t ids[16] = {0}; /* 48 bytes of head, then the numbers */
    CHECK(query(fd, DRM_I915_QUERY_PERF_CONFIG, 1, NULL, 0) == 64);
    CHECK(query(fd, DRM_I915_QUERY_PERF_CONFIG, 1, ids, sizeof ids) == 64);
    CHECK(ids[0] == 2 && ids[6] == 1 && ids[7] == 7);
}

static const uint64_t good[][2] = {{2, 1}, {3, 7}, {4, 10}, {5, 13}};

static void ask_wrongly(int fd) {
    static const struct {
        uint32_t flags;
        uint32_t count;
        int want;
        uint64_t pairs[5][2];
    } cases[] = {
        {8, 4, EINVAL, {{2, 1}, {3, 7}, {4, 10}, {5, 16}}},
        {1, 0, EINVAL, {{0}}},
        {1, 11, EINVAL, {{0}}},
        {1, 5, EINVAL, {{2, 1}, {3, 7}, {4, 10}, {5, 16}, {0, 1}}},
        {1, 5, EINVAL, {{2, 1}, {3, 7}, {4, 10}, {5, 16}, {9, 0}}}, /* of revision 6 */
        {1, 5, EINVAL, {{2, 1}, {3, 7}, {4, 10}, {5, 16}, {8, 99999}}},
        {1, 4, EINVAL, {{2, 1}, {3, 7}, {4, 10}, {5, 32}}},
        {1, 4, EINVAL, {{2, 1}, {3, 0}, {4, 10}, {5, 16}}},
        {1, 4, EINVAL, {{2, 1}, {3, 8}, {4, 10}, {5, 16}}},
        {1, 4, EINVAL, {{2, 1}, {3, 7}, {4, 5}, {5, 16}}}, /* a format of Haswell */
        {1, 4, EINVAL, {{2, 1}, {3, 7}, {4, 12}, {5, 16}}},
        {1, 3, EINVAL, {{3, 7}, {4, 10}, {5, 16}}},
        {1, 3, EINVAL, {{2, 1}, {3, 7}, {5, 16}}},
        {1, 4, EACCES, {{2, 1}, {3, 7}, {4, 10}, {5, 5}}}, /* faster than anybody may */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (open_stream(fd, cases[i].flags, cases[i].pairs, cases[i].count) != -cases[i].want) {
            fprintf(stderr, "case %zu\n", i);
            exit(1);
        }
}

static void upload(int fd) {
    const uint32_t boolean[] = {0x2710, 0, 0x2714, 0x00800000}, flex[] = {0xe458, 0x5004},
                   odd[] = {0x4000, 1};
    struct drm_i915_perf_oa_config c = {.n_boolean_regs = 2,
                                        .n_flex_regs = 1,
                                        .boolean_regs_ptr = (uintptr_t)boolean,
                                        .flex_regs_ptr = (uintptr_t)flex};
    memcpy(c.uuid, "01234567-0123-0123-0123-0123456789ab", 36);
    int id = ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c);
    CHECK(id == 8);
    CHECK(ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c) == -1 && errno == EADDRINUSE);
    c.boolean_regs_ptr = (uintptr_t)odd;
    c.n_boolean_regs = 1;
    c.uuid[0] = '1';
    CHECK(ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c) == -1 && errno == EINVAL);
    c.n_boolean_regs = 0;
    c.uuid[0] = 'x';
    CHECK(ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c) == -1 && errno == EINVAL);
    uint64_t gone = 99, ours = (uint64_t)id;
    CHECK(ioctl(fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &gone) == -1 && errno == ENOENT);
    CHECK(ioctl(fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &ours) == 0);
    CHECK(ioctl(fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &ours) == -1 && errno == ENOENT);
}

struct reading {
    unsigned reports;
    unsigned switches;
    unsigned lost;
    bool any;
    uint32_t stamp;
    uint64_t span;
    uint64_t busy; /* of A0 */
    uint64_t a0;
};

static uint32_t u32_at(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void take_report(struct reading *r, const uint8_t *p) {
    uint32_t word = u32_at(p), stamp = u32_at(p + 4), id = u32_at(p + 8);
    uint64_t a0 = u32_at(p + 16) | (uint64_t)p[160] << 32, mask = (UINT64_C(1) << 40) - 1;
    CHECK((word >> 19 & 0x3f) != 0 && (id == UINT32_MAX || id == 0x20 || id == 0x40));
    CHECK((id == UINT32_MAX) == !(word >> 16 & 1));
    CHECK(!(word >> 19 & 1) || (stamp & 0x3fff) == 0x2000);
    r->switches += word >> 22 & 1;
    if (r->any) {
        r->span += (uint32_t)(stamp - r->stamp);
        r->busy += (a0 - r->a0) & mask;
        CHECK((uint32_t)(stamp - r->stamp) > 0 && (uint32_t)(stamp - r->stamp) <= 0x4000);
    }
    r->any = true;
    r->stamp = stamp;
    r->a0 = a0;
    r->reports++;
}

static void take_records(struct reading *r, const uint8_t *p, size_t n) {
    while (n > 0) {
        uint32_t type = u32_at(p), size = u32_at(p + 4) >> 16;
        CHECK(n >= size && (type == 1 ? size == 264 : size == 8));
        if (type == 1)
            take_report(r, p + 8);
        r->lost += type == 2;
        r->any = type == 1;
        p += size;
        n -= size;
    }
}

static void wait_for(int fd) {
    struct epoll_event e = {.events = EPOLLIN};
    int set = epoll_create1(EPOLL_CLOEXEC);
    CHECK(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0);
    CHECK(epoll_wait(set, &e, 1, 100000) == 1);
    close(set);
    CHECK(ppoll(&(struct pollfd){fd, POLLIN, 0}, 1, &(struct timespec){100, 0}, NULL) == 1);
}

/* For so long; the log has what should have come. */
static void read_stream(int fd, double seconds) {
    static uint8_t space[1 << 16];
    struct reading r = {0};
    struct timespec t0, t;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    do {
        wait_for(fd);
        ssize_t n = read(fd, space, sizeof space);
        CHECK(n > 0 || errno == EAGAIN);
        take_records(&r, space, n > 0 ? (size_t)n : 0);
        clock_gettime(CLOCK_MONOTONIC, &t);
    } while ((double)(t.tv_sec - t0.tv_sec) + (double)(t.tv_nsec - t0.tv_nsec) / 1e9 < seconds);
    /* 12 MHz, 1 GHz */
    printf("reports %u switches %u lost %u span %.0f busy %.0f\n", r.reports, r.switches, r.lost,
           (double)r.span / 12e6 * 1e9, (double)r.busy);
}

static void use_stream(int fd) {
    uint8_t small[100];
    int stream = open_stream(fd, 3, good, 4);
    CHECK(stream >= 0 && fcntl(stream, F_GETFD) == FD_CLOEXEC);
    CHECK(open_stream(fd, 3, good, 4) == -EBUSY);
    do { /* poll may have told of what is not there */
        wait_for(stream);
        CHECK(read(stream, small, sizeof small) == -1);
    } while (errno == EAGAIN);
    CHECK(errno == ENOSPC);
    CHECK(ioctl(stream, I915_PERF_IOCTL_CONFIG, 7) == 7);
    read_stream(stream, 1);
    CHECK(ioctl(stream, I915_PERF_IOCTL_DISABLE, 0) == 0);
    CHECK(read(stream, small, sizeof small) == -1 && errno == EIO);
    CHECK(ioctl(stream, I915_PERF_IOCTL_ENABLE, 0) == 0);
    CHECK(ioctl(stream, 0x6977, 0) == -1 && errno == EINVAL);
    close(stream);
    stream = open_stream(fd, 3, good, 4);
    CHECK(stream >= 0);
    read_stream(stream, 0.05);
}

/* On any platform; without a look at what comes. */
static void fetch(int fd) {
    static uint8_t space[1 << 16];
    int pci = param(fd, I915_PARAM_CHIPSET_ID);
    const uint64_t pairs[][2] = {{2, 1},
                                 {3, 7},
                                 {4, pci == 0x0412   ? 5
                                     : pci == 0x56a5 ? 12
                                                     : 10},
                                 {5, 14}};
    int stream = open_stream(fd, 3, pairs, 4);
    CHECK(stream >= 0);
    for (int i = 0; i < 40; i++) {
        wait_for(stream);
        CHECK(read(stream, space, sizeof space) > 0);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    close(stream);
}

static int client(const char *what, const char *node) {
    int fd = open(node, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    if (strcmp(what, "device") == 0)
        ask_device(fd);
    else if (strcmp(what, "wrongly") == 0)
        ask_wrongly(fd);
    else if (strcmp(what, "upload") == 0)
        upload(fd);
    else if (strcmp(what, "fetch") == 0)
        fetch(fd);
    else
        use_stream(fd);
    return 0;
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* This test as the client; its output, to be freed. */
static char *run_client(const struct i915rig *r, const char *what) {
    char *node = e2e_path(&r->emul.e, "dev/dri/renderD128"),
         *out = e2e_path(&r->emul.e, "client.out");
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; r->emul.env[i]; i++)
            putenv(r->emul.env[i]);
        if (!freopen(out, "w", stdout))
            _exit(2);
        execl("/proc/self/exe", "client", "client", what, node, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(program_wait(pid, PROGRAM_PATIENCE_S, NULL), 0);
    char *text = file_read(out, NULL);
    free(node);
    free(out);
    return text;
}

static void the_device_says_what_it_is(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    free(run_client(&r, "device"));
    assert_int_equal(i915rig_count(&r, "MISUSE"), 1); /* the length that was too short */
    i915rig_finish(&r);
}

static void wrong_calls_fail_and_are_written_down(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    free(run_client(&r, "wrongly"));
    assert_int_equal(i915rig_count(&r, "MISUSE"), 13);
    i915rig_finish(&r);
}

static void sets_come_and_go(void **state) {
    (void)state;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    free(run_client(&r, "upload"));
    assert_int_equal(i915rig_count(&r, "MISUSE"), 4);
    assert_int_equal(i915rig_count(&r, "LEFT"), 0);
    char *folder = e2e_path(&r.emul.e, "sys/class/drm/card0/metrics/"
                                       "01234567-0123-0123-0123-0123456789ab");
    assert_int_equal(access(folder, F_OK), -1);
    free(folder);
    i915rig_finish(&r);
}

static void reports_follow_the_model(void **state) {
    (void)state;
    unsigned reports, switches, lost;
    double span, busy;
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    i915rig_script(&r, "busy=40;lost=90;false_poll=3;eagain=6");
    char *out = run_client(&r, "stream");
    assert_int_equal(sscanf(out, "reports %u switches %u lost %u span %lf busy %lf", &reports,
                            &switches, &lost, &span, &busy),
                     5);
    /* In a second 732 of the timer, 25 cycles of three switches. */
    double s = span / 1e9;
    assert_true(s >= 0.9);
    assert_true(fabs(reports - s * (732.4 + 75)) < 16);
    assert_true(fabs(switches - s * 75) < 8);
    assert_int_equal(lost, 1);
    assert_true(i915rig_has(&r, "CLOSED", "span", span, 1000));
    assert_true(i915rig_has(&r, "CLOSED", "busy", busy, 1000));
    assert_true(busy / span > 0.37 && busy / span < 0.43);
    assert_true(i915rig_has(&r, "CLOSED", "lost", 1, 0));
    assert_true(i915rig_has(&r, "CLOSED", "reports", reports, 0));
    assert_int_equal(i915rig_count(&r, "LEFT stream"), 1); /* the client leaves one behind */
    free(out);
    i915rig_finish(&r);
}

/* ---- what the program makes of it ------------------------------------------------------------ */

struct told {
    double time_s; /* sum of counter.GpuTime */
    double busy_s; /* of that, by counter.GpuBusy */
    double active_s;
    double stall_s;
    double samplers_s;
    double read_b;
    double write_b;
    double context_s[2];
    double interval_s; /* counter.GpuTime of the interval at hand */
    unsigned intervals;
};

static void take_sample(struct told *t, json_t *o) {
    const char *name = text_at(o, "metric");
    const struct {
        const char *name;
        double *sum;
        double part;
    } sums[] = {{"counter.GpuBusy", &t->busy_s, 0.01},
                {"counter.EuActive", &t->active_s, 0.01},
                {"counter.EuStall", &t->stall_s, 0.01},
                {"counter.SamplersBusy", &t->samplers_s, 0.01},
                {"counter.GtiReadThroughput", &t->read_b, 1},
                {"counter.GtiWriteThroughput", &t->write_b, 1}};
    if (strcmp(name, "counter.GpuTime") == 0) {
        unsigned context = (unsigned)json_integer_value(json_object_get(o, "context"));
        t->interval_s = number_at(o, "value");
        t->time_s += t->interval_s;
        t->intervals++;
        if (context == 0x20 || context == 0x80)
            t->context_s[0] += t->interval_s;
        if (context == 0x40 || context == 0x100)
            t->context_s[1] += t->interval_s;
    }
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        if (strcmp(name, sums[i].name) == 0)
            *sums[i].sum += number_at(o, "value") * sums[i].part * t->interval_s;
}

/* Everything derived is there and is what the model does: 40 % at work, a half of the EUs then
 * active, a fifth waiting. What rounds per interval may be off a little. */
static void assert_told(const struct told *t, const struct i915rig *r, double samplers) {
    double busy = i915rig_number(r, "TOTAL", "busy") / 1e9;
    assert_true(i915rig_has(r, "TOTAL", "span", t->time_s * 1e9, 1000));
    assert_true(fabs(t->busy_s - busy) < busy * 0.001);
    assert_true(fabs(t->active_s - busy * 0.5) < busy * 0.01);
    assert_true(fabs(t->stall_s - busy * 0.2) < busy * 0.01);
    assert_true(fabs(t->samplers_s - busy * samplers) < busy * 0.01);
    assert_true(fabs(t->read_b - busy * 12.8e9) < busy * 0.1e9);
    assert_true(fabs(t->write_b - busy * 3.2e9) < busy * 0.1e9);
}

static void assert_reason(json_t *all, const char *reason, double want) {
    json_t *summary = json_object_get(json_array_get(all, json_array_size(all) - 1), "summary");
    assert_near(json_object_get(summary, "reasons"), reason, want, 0);
}

static void recording_decodes(const char *platform, double samplers, const char *first,
                              const char *second) {
    struct i915rig r = i915rig_make(platform, SETS_BASIC);
    char *file = e2e_path(&r.emul.e, "dump"), *line = NULL;
    assert_true(asprintf(&line, "GWTOP_EMUL_DUMP=%s", file) > 0);
    r.emul.env[3] = line;
    i915rig_script(&r, "lost_each=50;overflow=120");
    free(run_client(&r, "fetch"));
    i915rig_assert_clean(&r);
    struct program p = {.args = PROGRAM_ARGS("decode", "i915-perf", file)};
    char *out = e2e_call(&p, 0);
    json_t *all = ndjson_parse(out), *o;
    struct told t = {0};
    size_t i;
    json_array_foreach(all, i, o) take_sample(&t, o);
    assert_told(&t, &r, samplers);
    assert_reason(all, "report_lost", i915rig_number(&r, "TOTAL", "lost"));
    assert_reason(all, "buffer_overrun", i915rig_number(&r, "TOTAL", "overflow"));
    if (first) {
        assert_true(i915rig_has(&r, "TOTAL", first, t.context_s[0] * 1e9, 5e4));
        assert_true(i915rig_has(&r, "TOTAL", second, t.context_s[1] * 1e9, 5e4));
    }
    json_decref(all);
    free(out);
    free(file);
    i915rig_finish(&r);
}

static void recordings_decode(void **state) {
    (void)state;
    recording_decodes("skl", 0.45, "ctx0x20", "ctx0x40");
    recording_decodes("hsw", 0.375, NULL, NULL);
    recording_decodes("tgl", 0.45, "ctx0x20", "ctx0x40");
    recording_decodes("dg2", 0.45, "ctx0x80", "ctx0x100");
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "client") == 0)
        return client(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_says_what_it_is),
        cmocka_unit_test(wrong_calls_fail_and_are_written_down),
        cmocka_unit_test(sets_come_and_go),
        cmocka_unit_test(reports_follow_the_model),
        cmocka_unit_test(recordings_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
