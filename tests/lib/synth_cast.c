/*
 * Who runs on the synthetic machine: a cast that resembles a desktop with services and containers, then
 * numbered clients with small loads, then processes without a GPU. And what a client has done by a moment.
 */
#include "synth_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- time ------------------------------------------------------------------------------------------ */

/* Integral of a triangle of height 1 from 0 to x, where it begins to rise; x within one period p; in us. */
static int64_t triangle_us(int64_t x, int64_t p) {
    if (x <= p / 4)
        return 2 * x * x / p;
    if (x <= 3 * p / 4) {
        int64_t y = x - p / 4;
        return p / 8 + y - 2 * y * y / p;
    }
    int64_t z = p - x;
    return 2 * z * z / p;
}

uint64_t load_busy_ns(const struct load *l, int64_t from_ms, int64_t to_ms) {
    if (to_ms <= from_ms)
        return 0;
    int64_t ns = (to_ms - from_ms) * l->mean_ppm;
    if (l->period_ms) {
        int64_t p = l->period_ms * INT64_C(1000);
        int64_t a = (from_ms + l->phase_ms) * 1000 % p, b = (to_ms + l->phase_ms) * 1000 % p;
        ns += (triangle_us(b, p) - triangle_us(a, p)) * l->swing_ppm / 1000;
    }
    return ns > 0 ? (uint64_t)ns : 0;
}

uint32_t load_duty_ppm(const struct load *l, int64_t t_ms) {
    int64_t from = t_ms > 50 ? t_ms - 50 : 0;
    return (uint32_t)(load_busy_ns(l, from, from + 100) / 100);
}

struct usage client_usage(const struct client *c, int64_t t_ms) {
    struct usage u = {
        .device_kib = c->device_kib, .system_kib = c->system_kib, .shared_kib = c->shared_kib};
    int64_t age_ms = t_ms > c->from_ms ? t_ms - c->from_ms : 0;
    uint64_t grown = (uint64_t)age_ms / 1000 * c->grow_kib_s;
    u.device_kib += grown < c->device_kib ? grown : c->device_kib;
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        int64_t from = c->from_ms > c->late_ms[i] ? c->from_ms : c->late_ms[i];
        uint64_t busy = c->base_ns[i] + load_busy_ns(&c->load[i], from, t_ms);
        bool back = t_ms >= c->back_from_ms && t_ms < c->back_to_ms;
        u.busy_ns[i] = back && busy > c->back_ns ? busy - c->back_ns : busy;
    }
    return u;
}

/* ---- building ------------------------------------------------------------------------------------------ */

uint64_t machine_random(struct machine *m, uint64_t below) {
    m->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = m->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

static void *grow(void *items, unsigned count, unsigned *cap, size_t size) {
    if (count < *cap)
        return items;
    unsigned want = *cap ? 2 * *cap : 64;
    void *more = realloc(items, want * size);
    if (more)
        *cap = want;
    return more;
}

struct client *machine_client(struct machine *m, unsigned gpu) {
    void *more = grow(m->client, m->client_count, &m->client_cap, sizeof *m->client);
    if (!more)
        return NULL;
    m->client = more;
    struct client *c = &m->client[m->client_count++];
    gpu %= m->gpu_count;
    for (unsigned i = 0; i < m->gpu_count && m->gpu[gpu].asleep_from_ms <= 0; i++)
        gpu =
            (gpu + 1) % m->gpu_count; /* nobody works on a card that sleeps, if another is there */
    *c = (struct client){.id = m->next_client, .gpu = gpu, .name = "", .back_from_ms = NEVER_MS};
    m->next_client += 1 + machine_random(m, 3);
    return c;
}

struct process *machine_process(struct machine *m, int pid, const char *comm) {
    void *more = grow(m->process, m->process_count, &m->process_cap, sizeof *m->process);
    if (!more)
        return NULL;
    m->process = more;
    struct process *p = &m->process[m->process_count++];
    *p = (struct process){.pid = pid,
                          .ppid = 1,
                          .uid = 1000,
                          .comm = comm,
                          .born_ms = -(int64_t)(1000 * (10 + machine_random(m, 4000))),
                          .dies_ms = NEVER_MS,
                          .threads = 1,
                          .rss_kib = 2048 + 4 * machine_random(m, 4096)};
    snprintf(p->cgroup, sizeof p->cgroup,
             "/user.slice/user-1000.slice/user@1000.service/app.slice/app-%d.scope", pid);
    return p;
}

void machine_hold(struct process *p, unsigned number, unsigned client, bool card) {
    if (p->fd_count < DESCRIPTORS_MAX)
        p->fd[p->fd_count++] = (struct descriptor){.number = number,
                                                   .client = client,
                                                   .card = card,
                                                   .from_ms = ALWAYS_MS,
                                                   .to_ms = NEVER_MS};
}

/* ---- the cast ---------------------------------------------------------------------------------------------- */

#define HEX64       "4d1f0c7a9be2538866ad17f0c45b9e3301d2a7f8b6c94e5d3f2a1b0c9d8e7f60"
#define WORDS(text) text, sizeof text

/* Clients share the duty; decode and encode belong to the first one. ppm of one engine. */
struct member {
    int pid;
    unsigned uid;
    const char *comm;
    const char *command;
    size_t command_size;
    const char *cgroup; /* NULL: an application of the desktop */
    int inner_pid;
    unsigned clients;
    uint32_t duty_ppm[ROLE_COUNT];
    uint64_t device_mib, system_mib, shared_mib;
    uint32_t cpu_ppm;
    uint64_t rss_mib;
    unsigned gpu; /* modulo the GPUs there are */
};

static const struct member cast[] = {
    {2201,
     1000,
     "gnome-shell",
     WORDS("/usr/bin/gnome-shell\0--mode=user"),
     "/user.slice/user-1000.slice/user@1000.service/session.slice/org.gnome.Shell@wayland.service",
     0,
     2,
     {140000},
     402,
     61,
     48,
     90000,
     412,
     0},
    {2240,
     1000,
     "Xwayland",
     WORDS("/usr/bin/Xwayland\0:0\0-rootless"),
     "/user.slice/user-1000.slice/user@1000.service/session.slice/org.gnome.Shell@wayland.service",
     0,
     1,
     {10000},
     38,
     8,
     12,
     10000,
     96,
     0},
    {3310,
     1000,
     "firefox",
     WORDS("/usr/lib/firefox/firefox"),
     NULL,
     0,
     3,
     {60000, 0, 2000, 30000},
     610,
     140,
     64,
     180000,
     980,
     0},
    {48213,
     1000,
     "blender",
     WORDS("blender\0--background\0/home/user/scenes/harbour.blend"),
     NULL,
     0,
     1,
     {210000, 90000, 4000},
     3174,
     96,
     0,
     1400000,
     2900,
     0},
    {51702,
     1000,
     "starfarer",
     WORDS("./starfarer.x86_64\0-fullscreen"),
     NULL,
     0,
     2,
     {250000, 20000, 10000},
     2210,
     180,
     32,
     900000,
     1800,
     0},
    {9034,
     1000,
     "mpv",
     WORDS("mpv\0film.mkv"),
     NULL,
     0,
     1,
     {20000, 0, 0, 120000},
     118,
     40,
     8,
     60000,
     210,
     1},
    {50177,
     998,
     "python3",
     WORDS("python\0train.py\0--epochs\0"
           "40"),
     "/system.slice/docker-" HEX64 ".scope",
     17,
     1,
     {0, 88000, 6000},
     1228,
     12,
     0,
     980000,
     3300,
     0},
    {50931,
     0,
     "trainer",
     WORDS("/app/trainer\0--config=/etc/trainer.yaml"),
     "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod3f2a1b0c_9d8e_4f60_a1b2_"
     "c3d4e5f60718.slice/cri-containerd-" HEX64 ".scope",
     1,
     1,
     {0, 60000, 3000},
     900,
     24,
     0,
     400000,
     1500,
     1},
    {1411,
     997,
     "transcoded",
     WORDS("/usr/sbin/transcoded\0--foreground"),
     "/system.slice/transcoded.service",
     0,
     1,
     {0, 0, 5000, 40000, 50000},
     260,
     32,
     0,
     30000,
     150,
     1},
    {52010,
     1000,
     "obs",
     WORDS("/usr/bin/obs\0--startrecording"),
     NULL,
     0,
     1,
     {30000, 0, 2000, 0, 70000},
     330,
     44,
     16,
     120000,
     540,
     0},
};

static const char *const cgroup_numbered =
    "/user.slice/user-1000.slice/user@1000.service/app.slice/app-batch.scope";

static void base_from_load(struct machine *m, struct client *c) {
    for (unsigned i = 0; i < ROLE_COUNT; i++)
        if (c->load[i].mean_ppm)
            c->base_ns[i] = UINT64_C(20000000000) + machine_random(m, 60000000000ULL);
}

static bool add_member(struct machine *m, const struct member *a, unsigned clients) {
    for (unsigned k = 0; k < clients; k++) {
        struct client *c = machine_client(m, a->gpu);
        if (!c)
            return false;
        for (unsigned i = 0; i < ROLE_COUNT; i++)
            if (i < ROLE_DECODE || k == 0)
                c->load[i].mean_ppm = a->duty_ppm[i] / (i < ROLE_DECODE ? clients : 1);
        c->device_kib = a->device_mib * 1024 / clients;
        c->system_kib = a->system_mib * 1024 / clients;
        c->shared_kib = a->shared_mib * 1024 / clients;
        base_from_load(m, c);
    }
    struct process *p = machine_process(m, a->pid, a->comm);
    if (!p)
        return false;
    p->uid = a->uid;
    p->command = a->command;
    p->command_size = a->command_size;
    p->inner_pid = a->inner_pid;
    p->cpu_ppm = a->cpu_ppm;
    p->cpu_base_ns = UINT64_C(10000000) * machine_random(m, 100000);
    p->rss_kib = a->rss_mib * 1024;
    p->threads = 4;
    if (a->cgroup)
        snprintf(p->cgroup, sizeof p->cgroup, "%s", a->cgroup);
    for (unsigned k = 0; k < clients; k++)
        machine_hold(p, 5 + 3 * k, m->client_count - clients + k, k == 1);
    return true;
}

static struct process *add_made(struct machine *m, int pid, const char *prefix, unsigned number) {
    struct process *p = machine_process(m, pid, NULL);
    if (!p)
        return NULL;
    snprintf(p->made_comm, sizeof p->made_comm, "%s-%04u", prefix, number);
    int n = snprintf(p->made_command, sizeof p->made_command, "/usr/bin/%s%c--job=%u", p->made_comm,
                     '\0', number);
    p->command_size = (size_t)n + 1;
    snprintf(p->cgroup, sizeof p->cgroup, "%s", cgroup_numbered);
    return p;
}

/* Number `k` of `n` with one client; together they keep 40 % of each GPU busy. */
static bool add_numbered(struct machine *m, unsigned k, unsigned n) {
    static const enum role second[] = {ROLE_COMPUTE, ROLE_COPY, ROLE_DECODE};
    struct client *c = machine_client(m, k);
    struct process *p = c ? add_made(m, (int)(10000 + 2 * k), "client", k) : NULL;
    if (!p)
        return false;
    unsigned sharers = (n + m->gpu_count - 1) / m->gpu_count;
    uint32_t mean = 400000 / sharers;
    c->load[ROLE_GFX].mean_ppm = mean / 2 + (uint32_t)machine_random(m, mean + 1);
    c->load[second[k % 3]].mean_ppm = mean / 8;
    c->device_kib = 4096 + 4 * machine_random(m, 8192);
    c->system_kib = 512 + 4 * machine_random(m, 1024);
    base_from_load(m, c);
    p->cpu_ppm = 2000;
    machine_hold(p, 4, m->client_count - 1, false);
    return true;
}

static bool add_plain(struct machine *m, unsigned k) {
    static const char *const kernel[] = {"kthreadd", "rcu_preempt", "kworker/0:1H", "ksoftirqd/0"};
    struct process *p;
    if (k == 0) {
        p = machine_process(m, 1, "systemd");
        if (!p)
            return false;
        p->ppid = 0;
        p->uid = 0;
        p->command = "/usr/lib/systemd/systemd\0--system";
        p->command_size = sizeof "/usr/lib/systemd/systemd\0--system";
        snprintf(p->cgroup, sizeof p->cgroup, "/init.scope");
        p->born_ms = -UPTIME_MS + 10;
    } else if (k <= 4) {
        p = machine_process(m, (int)(2 * k), kernel[k - 1]);
        if (!p)
            return false;
        p->kernel = true;
        p->uid = 0;
        p->ppid = k == 1 ? 0 : 2;
        snprintf(p->cgroup, sizeof p->cgroup, "/");
        p->born_ms = -UPTIME_MS + 20;
    } else {
        p = add_made(m, (int)(100000 + k), "worker", k);
        if (!p)
            return false;
        p->cpu_ppm = k % 17 == 0 ? 30000 : 0;
    }
    return true;
}

bool cast_build(struct machine *m) {
    unsigned left = m->o.clients;
    for (size_t i = 0; i < sizeof cast / sizeof cast[0] && left; i++) {
        unsigned n = cast[i].clients < left ? cast[i].clients : left;
        if (!add_member(m, &cast[i], n))
            return false;
        left -= n;
    }
    for (unsigned k = 0; k < left; k++)
        if (!add_numbered(m, k, left))
            return false;
    for (unsigned k = 0; m->process_count < m->o.processes; k++)
        if (!add_plain(m, k))
            return false;
    return true;
}
