/*
 * Two scenes beside the cast: the demonstration, a minute of two GPUs of which one sleeps; and processes whose
 * names try to break out of whatever prints them.
 */
#include "synth_machine.h"

#include <stdio.h>

#define WORDS(text) text, sizeof text
#define DOCKER                                                                                     \
    "/system.slice/docker-9b61c2fe07d54a38b1e0f2c4d5a69788c0de5f3a71b2c3d4e5f60718293a4b5c.scope"
#define SESSION "/user.slice/user-1000.slice/user@1000.service/session.slice/"
#define SHELL   SESSION "org.gnome.Shell@wayland.service"

/* ---- the demonstration ------------------------------------------------------------------------------- */

struct part {
    int pid;
    unsigned uid;
    const char *comm;
    const char *command;
    size_t command_size;
    const char *cgroup;
    int inner_pid;
    struct load load[ROLE_COUNT];
    uint64_t device_mib, grow_mib_s, system_mib, shared_mib;
    uint32_t cpu_ppm;
    uint64_t rss_mib;
    unsigned threads;
    int64_t born_ms; /* 0: was there before */
    int64_t dies_ms; /* 0: stays */
};

static const struct part scene[] = {
    {2201, 1000, "gnome-shell", WORDS("/usr/bin/gnome-shell"), SHELL, 0,
     .load = {{140000, 60000, 9000, 1500}}, .device_mib = 402, .system_mib = 61, .shared_mib = 44,
     .cpu_ppm = 85000, .rss_mib = 412, .threads = 22},
    {2240, 1000, "Xwayland", WORDS("/usr/bin/Xwayland\0:0\0-rootless"), SHELL, 0,
     .load = {{9000, 6000, 7000, 0}}, .device_mib = 38, .system_mib = 8, .shared_mib = 12,
     .cpu_ppm = 9000, .rss_mib = 96, .threads = 6},
    {48213, 1000, "blender", WORDS("blender\0harbour.blend"), NULL, 0,
     .load = {{412000, 130000, 23000, 4000}, {0}, {6000, 3000, 11000, 0}}, .device_mib = 2900,
     .grow_mib_s = 9, .system_mib = 96, .cpu_ppm = 1350000, .rss_mib = 2890, .threads = 41},
    {50177, 998, "python3",
     WORDS("python\0train.py\0--epochs\0"
           "40"),
     DOCKER, 17, .load = {{0}, {88000, 70000, 13000, 2000}, {5000, 2000, 13000, 2000}},
     .device_mib = 1228, .system_mib = 12, .cpu_ppm = 980000, .rss_mib = 3310, .threads = 18},
    {9034, 1000, "mpv", WORDS("mpv\0film.mkv"), NULL, 0,
     .load = {{21000, 4000, 5000, 0}, {0}, {0}, {120000, 20000, 6000, 0}}, .device_mib = 118,
     .system_mib = 40, .shared_mib = 8, .cpu_ppm = 60000, .rss_mib = 210, .threads = 14,
     .dies_ms = 41300},
    {3310, 1000, "firefox", WORDS("/usr/lib/firefox/firefox"), NULL, 0,
     .load = {{24000, 22000, 17000, 9000}}, .device_mib = 310, .system_mib = 88, .shared_mib = 40,
     .cpu_ppm = 110000, .rss_mib = 940, .threads = 96},
    {51844, 1000, "ffmpeg", WORDS("ffmpeg\0-i\0take3.mkv\0-c:v\0hevc_vaapi\0take3.mp4"), NULL, 0,
     .load = {{12000, 2000, 4000, 0},
              {0},
              {9000, 0, 0, 0},
              {160000, 10000, 8000, 0},
              {430000, 60000, 9000, 0}},
     .device_mib = 164, .system_mib = 72, .cpu_ppm = 240000, .rss_mib = 180, .threads = 24,
     .born_ms = 21600},
};

static bool add_part(struct machine *m, const struct part *a) {
    struct client *c = machine_client(m, 0);
    struct process *p = c ? machine_process(m, a->pid, a->comm) : NULL;
    if (!p)
        return false;
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        c->load[i] = a->load[i];
        if (a->load[i].mean_ppm && !a->born_ms)
            c->base_ns[i] = UINT64_C(20000000000) + machine_random(m, 90000000000ULL);
    }
    c->device_kib = a->device_mib * 1024;
    c->grow_kib_s = a->grow_mib_s * 1024;
    c->system_kib = a->system_mib * 1024;
    c->shared_kib = a->shared_mib * 1024;
    p->uid = a->uid;
    p->command = a->command;
    p->command_size = a->command_size;
    p->inner_pid = a->inner_pid;
    p->cpu_ppm = a->cpu_ppm;
    p->rss_kib = a->rss_mib * 1024;
    p->threads = a->threads;
    if (a->cgroup)
        snprintf(p->cgroup, sizeof p->cgroup, "%s", a->cgroup);
    if (a->born_ms) {
        p->born_ms = a->born_ms;
        c->from_ms = a->born_ms;
    }
    if (a->dies_ms)
        p->dies_ms = a->dies_ms;
    machine_hold(p, 7, m->client_count - 1, false);
    return true;
}

bool demo_build(struct machine *m) {
    static const char *const closed[] = {"gdm-session-wor", "colord", "polkitd"};
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; i++)
        if (!add_part(m, &scene[i]))
            return false;
    for (int i = 0; i < 3; i++) {
        struct process *p = machine_process(m, 900 + 31 * i, closed[i]);
        if (!p)
            return false;
        p->uid = 0;
        p->closed_book = true;
        snprintf(p->cgroup, sizeof p->cgroup, "/system.slice/%s.service", closed[i]);
    }
    return true;
}

/* ---- hostile names ------------------------------------------------------------------------------------------ */

struct hostile {
    const char *comm; /* at most 15 bytes, as the kernel has it */
    const char *command;
    size_t command_size;
    const char *client_name;
};

static const struct hostile hostile[] = {
    {"\033[2J\033[31mred", WORDS("\033]0;owned\a\0\033[?1049l\0plain"), "\033[8mhidden"},
    {"two\nlines", WORDS("first\nsecond\r\nthird\0\n\n"), "carriage\rreturn"},
    {"a) R 1 (b", WORDS("a\tb\vc\fd\be"), ") R 1 1 1"},
    {"=1+2", WORDS("=HYPERLINK(\"x\")\0,\"quoted\""), "=cmd|' /C calc'!A0"},
    {"@SUM(A1)", WORDS("-1+cmd"), "+1"},
    {"\xff\xfe\xc0\x80", WORDS("\xf0\x28\x8c\x28\0\xed\xa0\x80\0\xc3"), "\xf5\xf5"},
    {"\xe2\x80\xae"
     "drowssap",
     WORDS("\xe2\x80\xa8line\xe2\x80\xa9para\xc2\x85nel"), "\xe2\x81\xa6iso"},
    {"\xc2\x9b"
     "31m",
     WORDS("\x9b"
           "31m\x90q\x9c\x7f"),
     "\xc2\x9d"
     "0;x"},
    {"<b>&amp;</b>", WORDS("<script>alert(1)</script>"), "</script><svg onload=x>"},
    {"", WORDS(""), ""},
};

bool hostile_build(struct machine *m) {
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        struct client *c = machine_client(m, 0);
        struct process *p = c ? machine_process(m, 62001 + (int)i, hostile[i].comm) : NULL;
        if (!p)
            return false;
        c->name = hostile[i].client_name;
        c->load[ROLE_GFX].mean_ppm = 20000;
        c->base_ns[ROLE_GFX] = UINT64_C(30000000000);
        c->device_kib = 4096;
        p->uid = 666;
        p->command = hostile[i].command;
        p->command_size = hostile[i].command_size;
        machine_hold(p, 4, m->client_count - 1, false);
    }
    return true;
}
