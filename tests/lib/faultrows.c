/* Machines of plain files, and the little that a kernel has to do behind them. */
#include "faultrows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/panthor/sched.h"
#include "scratch.h"
#include "sysrig.h"
#include "tracepage.h"
#include "tree.h"

#define CARD "sys/devices/pci0000:00/0000:03:00.0"

static void put_files(const char *root, const char *const (*files)[2]) {
    for (; (*files)[0]; files++)
        tree_text(root, (*files)[0], "%s\n", (*files)[1]);
}

static void put_stat(const char *root, int pid) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(root, path, "%d (p%d) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 100 100 0 0 0 0 0\n",
              pid, pid, 5000 + pid);
}

/* ---- processes --------------------------------------------------------------------------------- */

static void put_client(const char *root, int pid) {
    char path[64];
    put_stat(root, pid);
    snprintf(path, sizeof path, "proc/%d/cmdline", pid);
    tree_text(root, path, "p%d%cx%c", pid, 0, 0);
    snprintf(path, sizeof path, "proc/%d/cgroup", pid);
    tree_text(root, path, "0::/a\n");
    snprintf(path, sizeof path, "proc/%d/status", pid);
    tree_text(root, path, "Name:\tx\nUid:\t0\t0\t0\t0\n");
    snprintf(path, sizeof path, "proc/%d/fd/4", pid);
    tree_link(root, path, "/dev/dri/renderD128");
    snprintf(path, sizeof path, "proc/%d/fdinfo/4", pid);
    tree_text(root, path,
              "drm-driver:\tamdgpu\ndrm-client-id:\t%d\ndrm-engine-gfx:\t%d ns\n"
              "drm-resident-vram:\t%d KiB\n",
              pid, pid * 1000, pid * 4);
}

static void put_processes(const char *root) {
    sysrig_put_pci(root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    tree_text(root, "etc/passwd", "root:x:0:0::/:/bin/sh\n");
    for (int pid = 100; pid < 103; pid++)
        put_client(root, pid);
}

/* ---- amdgpu ------------------------------------------------------------------------------------ */

static void put_amdgpu(const char *root) {
    static const char *const files[][2] = {{CARD "/gpu_busy_percent", "7"},
                                           {CARD "/mem_info_vram_used", "1000"},
                                           {CARD "/mem_info_vram_total", "4000"},
                                           {CARD "/mem_info_gtt_used", "10"},
                                           {CARD "/pp_dpm_sclk", "0: 500Mhz *\n1: 2000Mhz "},
                                           {CARD "/current_link_speed", "16.0 GT/s PCIe"},
                                           {CARD "/current_link_width", "16"},
                                           {CARD "/max_link_width", "16"},
                                           {CARD "/hwmon/hwmon3/name", "amdgpu"},
                                           {CARD "/hwmon/hwmon3/temp1_input", "51000"},
                                           {CARD "/hwmon/hwmon3/temp1_label", "edge"},
                                           {CARD "/hwmon/hwmon3/temp2_input", "54000"},
                                           {CARD "/hwmon/hwmon3/temp2_label", "junction"},
                                           {CARD "/hwmon/hwmon3/temp3_input", "48000"},
                                           {CARD "/hwmon/hwmon3/temp3_label", "mem"},
                                           {CARD "/hwmon/hwmon3/freq2_input", "1000000000"},
                                           {CARD "/hwmon/hwmon3/freq2_label", "mclk"},
                                           {CARD "/hwmon/hwmon3/in1_input", "900"},
                                           {CARD "/hwmon/hwmon3/in1_label", "vddnb"},
                                           {CARD "/hwmon/hwmon3/power1_average", "8000000"},
                                           {CARD "/hwmon/hwmon3/power1_cap", "200000000"},
                                           {CARD "/hwmon/hwmon3/in0_input", "775"},
                                           {CARD "/hwmon/hwmon3/in0_label", "vddgfx"},
                                           {CARD "/hwmon/hwmon3/freq1_input", "500000000"},
                                           {CARD "/hwmon/hwmon3/freq1_label", "sclk"},
                                           {CARD "/hwmon/hwmon3/fan1_input", "900"},
                                           {NULL, NULL}};
    sysrig_put_pci(root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    put_files(root, files);
}

#define KFD "sys/class/kfd/kfd/"
static void put_kfd(const char *root) {
    static const char *const files[][2] = {
        {KFD "topology/nodes/0/gpu_id", "0"},
        {KFD "topology/nodes/0/properties", "cpu_cores_count 16"},
        {KFD "topology/nodes/1/gpu_id", "51234"},
        {KFD "topology/nodes/1/properties", "location_id 768\ndomain 0\ndrm_render_minor 128"},
        {KFD "proc/4242/vram_51234", "2147483648"},
        {KFD "proc/4242/sdma_51234", "1500"},
        {KFD "proc/4242/queues/0/gpuid", "51234"},
        {KFD "proc/4242/stats_51234/cu_occupancy", "12"},
        {NULL, NULL}};
    sysrig_put_pci(root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    put_files(root, files);
    put_stat(root, 4242);
}

/* ---- mali -------------------------------------------------------------------------------------- */

#define RECORD "sys/kernel/debug/mali/profiling/record"
#define EVENTS "sys/kernel/debug/mali/profiling/events"

/* One job of pid 1200 on PP0, a microsecond long: a new one for each recording. */
static void put_recording(const char *root) {
    static unsigned long long t_ns = 1400000000000000000;
    t_ns += 5000000;
    tree_text(root, EVENTS, "%llu 17104896 1200 1201 0 0 0\n%llu 33882112 0 0 4294967295 0 0\n",
              t_ns, t_ns + 1000);
}

static void put_mali(const char *root) {
    tree_text(root, RECORD, "0\n");
    put_recording(root);
}

static const char *played_root;

static ssize_t write_record(void *ctx, int fd, const void *from, size_t n, off_t at) {
    (void)ctx;
    if (n > 0 && *(const char *)from == '1')
        put_recording(played_root);
    return host_io_posix.write(NULL, fd, from, n, at);
}

static const struct host_io *play_record(const char *root) {
    static struct host_io io;
    io = host_io_posix;
    io.write = write_record;
    played_root = root;
    return &io;
}

/* ---- tracefs ----------------------------------------------------------------------------------- */

#define TRACEFS "sys/kernel/tracing"
#define GPU     "sys/devices/platform/1c40000.gpu"
enum { CPUS = 2 };

/* The formats of these events below this folder, their switches, and pipes with a page each. */
struct tracing {
    void (*put_events)(const char *root, const char *below);
    void (*fill)(struct tracepage pages[CPUS], uint64_t t_ns);
};
static const struct tracing *played;

static void put_event(const char *root, const char *below, const char *folder, const char *format) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s/format", below, folder);
    tree_text(root, path, "%s", format);
    snprintf(path, sizeof path, "%s/%s/enable", below, folder);
    tree_text(root, path, "0\n");
}

static void put_mali_events(const char *root, const char *below) {
    put_event(root, below, "events/mali/mali_core_active", tracepage_format(TRACEPAGE_ACTIVE, 0));
}

static void put_sched_events(const char *root, const char *below) {
    for (unsigned i = 0; i < SCHED_EVENTS; i++)
        put_event(root, below, sched_folders[SCHED_NEW][i], tracepage_sched_format(true, i));
}

/* 400 ns on PP2 by pid 9. */
static void fill_mali(struct tracepage pages[CPUS], uint64_t t_ns) {
    pages[0] = tracepage_begin(false, 0, t_ns);
    pages[1] = tracepage_begin(false, 0, t_ns);
    tracepage_active(&pages[0], 0, true, false);
    tracepage_active(&pages[0], 400, false, false);
}

static void put_sched(struct tracepage *p, uint32_t delta_ns, unsigned what) {
    tracepage_sched(p, true, delta_ns,
                    &(struct tracepage_sched){.what = what, .fence = 5, .ring = "pp", .pid = 77});
}

/* 300 ns on pp, queued by 77. */
static void fill_sched(struct tracepage pages[CPUS], uint64_t t_ns) {
    pages[0] = tracepage_begin(false, 0, t_ns);
    pages[1] = tracepage_begin(false, 0, t_ns + 310);
    put_sched(&pages[0], 0, 0);
    put_sched(&pages[0], 10, 1);
    put_sched(&pages[1], 0, 2);
}

static char instance[600]; /* "" where there is none */

static void put_pipes(const char *root, const char *below) {
    for (unsigned i = 0; i < CPUS; i++) {
        char path[700];
        snprintf(path, sizeof path, "%s/per_cpu/cpu%u/trace_pipe_raw", below, i);
        tree_text(root, path, "%s", "");
    }
}

/* A page more in each pipe of the instance. */
static void more_pages(const char *root) {
    static uint64_t t_ns = 1000;
    struct tracepage pages[CPUS];
    if (!instance[0])
        return;
    t_ns += FAULT_PAGE_NS;
    played->fill(pages, t_ns);
    for (unsigned i = 0; i < CPUS; i++) {
        char *path = path_join(root, "%s/per_cpu/cpu%u/trace_pipe_raw", instance, i);
        FILE *f = fopen(path, "ae");
        assert_non_null(f);
        tracepage_end(&pages[i], 0);
        assert_int_equal(fwrite(pages[i].bytes, 1, sizeof pages[i].bytes, f),
                         sizeof pages[i].bytes);
        assert_int_equal(fclose(f), 0);
        free(path);
    }
}

static void put_instance(const char *root, const char *below) {
    char path[600];
    played->put_events(root, below);
    snprintf(path, sizeof path, "%s/events/header_page", below);
    tree_text(root, path, "%s", tracepage_header());
    snprintf(path, sizeof path, "%s/trace_clock", below);
    tree_text(root, path, "local [global] mono_raw\n");
    put_pipes(root, below);
}

static int make_instance(void *ctx, int dir_fd, const char *path, mode_t mode) {
    (void)ctx;
    if (host_io_posix.mkdir(NULL, dir_fd, path, mode) < 0)
        return -1;
    put_instance(played_root, path);
    snprintf(instance, sizeof instance, "%s", path);
    return 0;
}

static int remove_instance(void *ctx, int dir_fd, const char *path) {
    struct stat st;
    (void)ctx;
    if (host_io_posix.stat(NULL, dir_fd, path, &st, 0) < 0)
        return -1;
    tree_drop(played_root, path);
    instance[0] = '\0';
    return 0;
}

/* Which clock is chosen stays as it is. */
static ssize_t write_tracefs(void *ctx, int fd, const void *from, size_t n, off_t at) {
    (void)ctx;
    return n == 2 ? host_io_posix.write(NULL, fd, from, n, at) : (ssize_t)n;
}

static const struct host_io *play_tracefs(const char *root) {
    static struct host_io io;
    io = host_io_posix;
    io.mkdir = make_instance;
    io.rmdir = remove_instance;
    io.write = write_tracefs;
    played_root = root;
    return &io;
}

static void put_tracefs(const char *root, const struct tracing *t) {
    played = t;
    put_instance(root, TRACEFS);
    tree_text(root, "sys/kernel/cpu_byteorder", "little\n"); /* as the pages here are */
    tree_folder(root, TRACEFS "/instances");
}

static void put_mali_trace(const char *root) {
    static const struct tracing t = {put_mali_events, fill_mali};
    put_tracefs(root, &t);
}

static void put_lima(const char *root) {
    static const struct tracing t = {put_sched_events, fill_sched};
    tree_text(root, GPU "/uevent", "DRIVER=lima\nOF_NAME=gpu\n");
    sysrig_put_node(root, GPU, "drm", "card0", 226, 0);
    sysrig_put_node(root, GPU, "drm", "renderD128", 226, 128);
    put_tracefs(root, &t);
}

/* ---- drivers with calls of their own ----------------------------------------------------------- */

#define MALI "sys/devices/platform/fb000000.gpu"
/* Its node is a plain file: calls of it fail on their own. */
static void put_panthor(const char *root) {
    static const char *const files[][2] = {
        {MALI "/uevent", "DRIVER=panthor\nOF_NAME=gpu\nOF_FULLNAME=/gpu@fb000000"},
        {MALI "/profiling", "0"},
        {MALI "/devfreq/fb000000.gpu/cur_freq", "800000000"},
        {MALI "/devfreq/fb000000.gpu/max_freq", "1000000000"},
        {"sys/class/thermal/thermal_zone0/type", "gpu-thermal"},
        {"sys/class/thermal/thermal_zone0/temp", "51000"},
        {"sys/kernel/debug/opp/platform-fb000000.gpu/opp:800000000/u_volt_target", "750000"},
        {NULL, NULL}};
    sysrig_put_node(root, MALI, "drm", "card0", 226, 0);
    sysrig_put_node(root, MALI, "drm", "renderD128", 226, 128);
    put_files(root, files);
    tree_text(root, "dev/dri/renderD128", "%s", "");
}

#define INTEL "sys/devices/pci0000:00/0000:00:02.0"
static void put_intel(const char *root) {
    static const char *const files[][2] = {
        {INTEL "/drm/card0/gt_act_freq_mhz", "600"},
        {INTEL "/drm/card0/gt_cur_freq_mhz", "700"},
        {INTEL "/drm/card0/metrics/07b25942-d9fd-4fce-bd58-e29abd66b7de/id", "5"},
        {INTEL "/hwmon/hwmon3/name", "i915"},
        {INTEL "/hwmon/hwmon3/energy1_input", "123456"},
        {"sys/bus/event_source/devices/i915/type", "4000"},
        {"sys/bus/event_source/devices/i915/format/i915_eventid", "config:0-20"},
        {"sys/bus/event_source/devices/i915/events/rcs0-busy", "config=0x0"},
        {"sys/bus/event_source/devices/i915/cpumask", "0"},
        {NULL, NULL}};
    sysrig_put_pci(root, "0000:00:02.0", "i915", "8086:1912", 0);
    put_files(root, files);
    tree_text(root, "dev/dri/card0", "%s", "");
    tree_text(root, "dev/dri/renderD128", "%s", "");
}

/* ---- the rows ---------------------------------------------------------------------------------- */

const struct fault_row fault_rows[] = {
    {.name = "descriptors", .backend = "fdinfo", .put = put_processes, .least = 60},
    {.name = "processes", .backend = "proc", .with = "fdinfo", .put = put_processes, .least = 80},
    {.name = "sensors", .backend = "amdgpu", .put = put_amdgpu, .least = 80},
    {.name = "kfd", .backend = "amdgpu", .put = put_kfd, .least = 40},
    {.name = "recording",
     .backend = "mali",
     .facts = "option.mali-profiling=1\n",
     .put = put_mali,
     .play = play_record,
     .knob = RECORD,
     .least = 15},
    {.name = "trace points",
     .backend = "mali",
     .facts = "option.tracefs=1\n",
     .put = put_mali_trace,
     .play = play_tracefs,
     .more = more_pages,
     .instances = TRACEFS "/instances",
     .least = 25},
    {.name = "counters",
     .backend = "intel",
     .facts = "option.counters=1\n",
     .put = put_intel,
     .least = 40},
    {.name = "counters",
     .backend = "panthor",
     .facts = "option.counters=1\noption.set-profiling=1\n",
     .put = put_panthor,
     .knob = MALI "/profiling",
     .least = 40},
    {.name = "scheduler",
     .backend = "panthor",
     .facts = "option.tracefs=1\n",
     .put = put_lima,
     .play = play_tracefs,
     .more = more_pages,
     .instances = TRACEFS "/instances",
     .least = 40},
};
const size_t fault_row_count = sizeof fault_rows / sizeof fault_rows[0];
