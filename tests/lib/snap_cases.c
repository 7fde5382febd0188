/* Machines written by hand. */
#include "snap_cases.h"

#include <stdio.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

/* ---- typical --------------------------------------------------------------------------------- */

static void typical_devices(struct snap *b) {
    struct snap_device *d = snap_device(b, "0000:03:00.0", "Radeon RX 7800 XT", "amdgpu");
    d->clients = 41;
    d->busy_ppm = snap_value(552000);
    snap_engine(b, &d->engines, CLASS_GRAPHICS, snap_value(552000));
    snap_engine(b, &d->engines, CLASS_COMPUTE, snap_value(88000));
    snap_engine(b, &d->engines, CLASS_DECODE, snap_value(21000));
    snap_memory(b, &d->memory, "vram", snap_value(5222 * MIB));
    snap_memory(b, &d->memory, "gtt", snap_value(209 * MIB));
    d = snap_device(b, "0000:07:00.0", "Radeon RX 7600S", "amdgpu");
    d->state = DEVICE_ASLEEP;
}

static struct snap_process *busy_process(struct snap *b, int32_t pid, const char *command,
                                         enum process_type type, enum engine_class class,
                                         int64_t ppm) {
    const char *slash = strrchr(command, '/');
    struct snap_process *p = snap_process(b, pid, 0, slash ? slash + 1 : command, command);
    p->type = (uint8_t)type;
    p->busy_ppm = snap_value(ppm);
    p->busy_ns = snap_value(ppm * 600000);
    p->start_ns = snap_value(b->s.real_ns - (int64_t)pid * 1000000000);
    snap_engine(b, &p->engines, class, snap_value(ppm));
    return p;
}

static void set_sizes(struct snap_process *p, int64_t vram_mib, int64_t gtt_mib, int64_t rss_mib) {
    p->vram.bytes = snap_value(vram_mib * MIB);
    p->gtt.bytes = snap_value(gtt_mib * MIB);
    p->rss = snap_value(rss_mib * MIB);
}

static void typical_workers(struct snap *b) {
    struct snap_process *p =
        busy_process(b, 2201, "/usr/bin/gnome-shell", TYPE_GRAPHICS, CLASS_GRAPHICS, 140000);
    set_sizes(p, 402, 61, 380);
    p->cpu_ppm = snap_value(62000);
    p = busy_process(b, 9034, "mpv film.mkv", TYPE_MEDIA, CLASS_DECODE, 21000);
    set_sizes(p, 118, 40, 210);
    p->cpu_ppm = snap_value(118000);
    p = busy_process(b, 48213, "blender -b /home/user/film.blend -f 1..200", TYPE_GRAPHICS,
                     CLASS_GRAPHICS, 412000);
    snap_engine(b, &p->engines, CLASS_COMPUTE, snap_value(0));
    set_sizes(p, 3174, 96, 2900);
    p->cpu_ppm = snap_value(1004000);
    snap_client(b, 17, "");
    struct snap_client *c = snap_client(b, 18, "blender");
    c->holders = 3;
    snap_engine(b, &c->engines, CLASS_GRAPHICS, snap_value(412000));
    snap_memory(b, &c->memory, "vram", snap_value(3174 * MIB));
    p = busy_process(b, 50177, "python train.py --epochs 12", TYPE_COMPUTE, CLASS_COMPUTE, 88000);
    p->user = snap_text(b, "research-team");
    p->uid = snap_value(4711);
    p->container = snap_text(b, "4f1c2a9be07d");
    p->nspid = snap_text(b, "12");
    set_sizes(p, 1229, 12, 5100);
    p->cpu_ppm = snap_value(998000);
}

static void typical_rest(struct snap *b) {
    struct snap_process *p = snap_process(b, 51002, 0, "kworker/GPU", "");
    p->user = snap_text(b, "root");
    p->busy_ppm = snap_doubted(1000000);
    p->vram.bytes = snap_value(1010 * MIB);
    p->vram.mark = 1;
    snap_engine(b, &p->engines, CLASS_GRAPHICS, snap_doubted(1000000));
    p = snap_process(b, 51100, 0, "firefox", "/usr/lib/firefox/firefox");
    p->busy_ppm = snap_none(STATE_UNKNOWN);
    p->cpu_ppm = snap_none(STATE_UNKNOWN);
    set_sizes(p, 88, 30, 640);
    snap_engine(b, &p->engines, CLASS_GRAPHICS, snap_none(STATE_UNKNOWN));
    p = busy_process(b, 51200, "glxgears", TYPE_GRAPHICS, CLASS_GRAPHICS, 0);
    p->exited = true;
    p->rss = snap_none(STATE_DENIED);
    struct snap_unattributed *u = snap_loose(b, 0, "(not attributed)");
    u->busy_ppm = snap_value(4000);
    u->busy_ns = snap_value(900000000);
    u->reasons = UINT64_C(1) << REASON_UNREADABLE;
    b->s.unreadable = 3;
    b->s.unreadable_reasons[REASON_DENIED] = 3;
}

void snap_typical(struct snap *b) {
    snap_init(b);
    typical_devices(b);
    typical_workers(b);
    typical_rest(b);
}

void snap_first(struct snap *b) {
    snap_typical(b);
    b->s.tick = 1;
    b->s.interval_ns = snap_none(STATE_UNKNOWN);
    b->s.unreadable = 5;
    b->s.unreadable_reasons[REASON_HIDEPID] = 2;
    for (uint32_t i = 0; i < b->s.engine_count; i++) {
        b->engines[i].busy_ppm = snap_none(STATE_UNKNOWN);
    }
    for (uint32_t i = 0; i < b->s.process_count; i++) {
        b->processes[i].busy_ppm = snap_none(STATE_UNKNOWN);
        b->processes[i].cpu_ppm = snap_none(STATE_UNKNOWN);
        b->processes[i].type = TYPE_NONE;
    }
    b->devices[0].busy_ppm = snap_none(STATE_UNKNOWN);
    b->unattributed[0].busy_ppm = snap_none(STATE_UNKNOWN);
}

/* ---- many ------------------------------------------------------------------------------------ */

static void many_device(struct snap *b, uint32_t i, uint32_t seed) {
    static const char *const names[] = {"Radeon RX 7900 XTX", "Arc A770", "Mali-G610"};
    static const char *const drivers[] = {"amdgpu", "xe", "panthor"};
    char id[40];
    snprintf(id, sizeof id, "0000:%02x:00.0", (unsigned)(i + 1) & 0xff);
    struct snap_device *d = snap_device(b, id, names[i % 3], drivers[i % 3]);
    d->clients = 3 + i;
    if (i % 5 == 4) {
        d->state = i % 2 ? DEVICE_REMOVED : DEVICE_ASLEEP;
        return;
    }
    d->busy_ppm = snap_value((int64_t)(seed + i * 130) % 1001 * 1000);
    snap_engine(b, &d->engines, CLASS_GRAPHICS, d->busy_ppm);
    for (unsigned c = CLASS_COMPUTE; i % 3 != 2 && c <= CLASS_ENCODE; c++) {
        snap_engine(b, &d->engines, (enum engine_class)c,
                    snap_value((int64_t)(seed + c) % 1000000));
    }
    snap_memory(b, &d->memory, i % 3 == 2 ? "system" : "vram", snap_value((i + 1) * 700 * MIB));
}

static void many_process(struct snap *b, uint32_t i, uint32_t device, uint32_t seed) {
    char name[24], command[80];
    uint32_t mixed = (i + seed) * 2654435761u;
    snprintf(name, sizeof name, "worker%u", (unsigned)i);
    snprintf(command, sizeof command, "/opt/work/worker%u --job %u", (unsigned)i, (unsigned)mixed);
    struct snap_process *p =
        snap_process(b, (int32_t)(1000 + i), device, name, i % 7 == 3 ? "" : command);
    p->type = (uint8_t)(mixed >> 8 & 3);
    p->busy_ppm =
        i % 11 == 5 ? snap_none(STATE_UNKNOWN) : snap_value(mixed % 4 ? mixed % 1000001 : 0);
    p->vram.bytes = snap_value((int64_t)(mixed % 100000) * 4096);
    p->cpu_ppm = snap_value(mixed % 1600000);
    p->rss = i % 5 ? snap_value((int64_t)mixed * 16) : snap_none(STATE_DENIED);
    p->exited = i % 13 == 12;
    snap_engine(b, &p->engines, (enum engine_class)(CLASS_GRAPHICS + i % 4), p->busy_ppm);
    for (uint32_t c = 0; c < i % 3; c++) {
        snap_client(b, 10 * i + c, c ? "named" : "");
    }
}

void snap_many(struct snap *b, uint32_t devices, uint32_t processes, uint32_t seed) {
    snap_init(b);
    for (uint32_t i = 0; i < devices; i++) {
        many_device(b, i, seed);
    }
    for (uint32_t i = 0; i < processes && devices > 0; i++) {
        many_process(b, i, i % devices, seed);
    }
    for (uint32_t i = 0; i < devices; i++) {
        snap_loose(b, i, "(not attributed)")->busy_ppm = snap_none(STATE_UNSUPPORTED);
    }
    b->s.unreadable = seed % 4;
    b->s.unreadable_reasons[REASON_DENIED] = seed % 4;
}

/* ---- hostile --------------------------------------------------------------------------------- */

static const int64_t numbers[] = {INT64_MAX, INT64_MIN, -1, 1, 999999, 1000001, 9999999};

static void hostile_metrics(struct snap *b, const char *const *texts, const char *endless) {
    static const uint16_t metrics[] = {
        METRIC_ACTIVITY_GFX, METRIC_POWER_SOCKET,    METRIC_POWER_CAP,
        METRIC_CLOCK_GFX,    METRIC_TEMPERATURE_HBM, METRIC_MEMORY_VRAM_USED,
        METRIC_VENDOR_VALUE, METRIC_ENERGY_SOCKET,   METRIC_FAN_SPEED,
        METRIC_LINK_SPEED,   METRIC_THROTTLE_PPT0,   METRIC_THROTTLE_VR_U,
        METRIC_VENDOR_TIME,  METRIC_ENGINE_BUSY,     UINT16_MAX};
    static const uint16_t indices[] = {INDEX_NONE, 0, 7, 65534};
    struct run *run = &b->devices[0].metrics;
    for (unsigned i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        for (unsigned k = 0; k < 4; k++) {
            struct value v = {numbers[(i + k) % 7], (uint8_t)(k % 3 ? STATE_VALUE : i),
                              (uint8_t)(i * 5)};
            snap_metric(b, run, metrics[i], indices[k], v, k == 3 ? endless : texts[i % 7]);
        }
    }
}

void snap_hostile(struct snap *b) {
    static const char *const texts[] = {
        "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97 wide",
        "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81 marks",
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 family",
        "\x1b[31mred\x1b[0m \x07\x08\t\n escape",
        "\xff\xfe\x80 no text at all",
        "\xe2\x80\xae turned round",
        "\xcc\x81 begins with a mark",
    };
    char endless[4001];
    memset(endless, 'x', 4000);
    endless[4000] = '\0';
    snap_init(b);
    struct snap_device *d = snap_device(b, texts[3], texts[0], texts[2]);
    d->clients = UINT32_MAX;
    d->busy_ppm = snap_value(INT64_MAX);
    d = snap_device(b, endless, endless, endless);
    d->busy_ppm = snap_doubted(INT64_MIN);
    d->state = 77;
    for (uint32_t i = 0; i < 14; i++) {
        struct value v = {numbers[i % 7], (uint8_t)(i < 7 ? STATE_VALUE : i), (uint8_t)(i * 9)};
        struct snap_process *p = snap_process(b, i % 2 ? INT32_MAX : INT32_MIN, i % 3, texts[i % 7],
                                              i == 7 ? endless : texts[(i + 1) % 7]);
        p->user = snap_text(b, texts[(i + 2) % 7]);
        p->container = p->nspid = p->user;
        p->type = (uint8_t)(i * 31);
        p->busy_ppm = p->busy_ns = p->cpu_ppm = p->rss = p->shared = p->start_ns = v;
        p->vram = p->gtt = (struct snap_shown){v, (uint8_t)i};
        snap_engine(b, &p->engines, (enum engine_class)(i % CLASS_COUNT), v);
        snap_client(b, UINT64_MAX - i, texts[i % 7])->holders = UINT32_MAX;
    }
    hostile_metrics(b, texts, endless);
    snap_loose(b, 7, texts[0])->reasons = UINT64_MAX;
    snap_loose(b, 0, endless)->reasons = UINT64_MAX;
    b->s.unreadable = UINT32_MAX;
    b->s.unreadable_reasons[REASON_HIDEPID] = UINT32_MAX;
    b->s.unreadable_reasons[REASON_CUT] = 1;
    b->s.cost_cpu_ns = snap_value(INT64_MAX);
}
