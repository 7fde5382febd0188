/*
 * The GPUs that a synthetic machine can have, by the name in `-g`, and what their drivers print into fdinfo:
 * keys, order and units as the kernel's documentation and drivers have them, figures from the model.
 */
#include "synth_gpu.h"

#include <stdio.h>
#include <string.h>

#define XE_CLOCK_HZ UINT64_C(19200000)

static void write_amdgpu(struct text *t, const struct reading *r);
static void write_amdgpu_old(struct text *t, const struct reading *r);
static void write_i915(struct text *t, const struct reading *r);
static void write_xe(struct text *t, const struct reading *r);
static void write_panthor(struct text *t, const struct reading *r);
static void write_panfrost(struct text *t, const struct reading *r);
static void write_msm(struct text *t, const struct reading *r);
static void write_v3d(struct text *t, const struct reading *r);
static void write_amdxdna(struct text *t, const struct reading *r);

/* Per mille of each role's busy time: gfx, compute, copy, decode, encode. */
#define AMDGPU_ENGINES                                                                             \
    {                                                                                              \
        {"gfx", 1, {1000}}, {"compute", 1, {0, 1000}}, {"dma", 1, {0, 0, 1000}},                   \
            {"dec", 1, {0, 0, 0, 1000}}, {                                                         \
            "enc", 1, {                                                                            \
                0, 0, 0, 0, 1000                                                                   \
            }                                                                                      \
        }                                                                                          \
    }
#define I915_ENGINES                                                                               \
    {                                                                                              \
        {"render", 1, {1000}}, {"copy", 1, {0, 0, 1000}}, {"video", 2, {0, 0, 0, 1000, 1000}},     \
            {"video-enhance", 1, {0}}, {                                                           \
            "compute", 1, {                                                                        \
                0, 1000                                                                            \
            }                                                                                      \
        }                                                                                          \
    }

static const struct gpu_model models[] = {
    {.spec = "amdgpu",
     .title = "Radeon RX 7800 XT",
     .driver = "amdgpu",
     .bus = BUS_DISCRETE,
     .ids = {0x1002, 0x747e, 0x148c, 0x2427, 0xc8, 0x030000},
     .vram_kib = 16760832,
     .cap_w = 236,
     .write = write_amdgpu,
     .engines = AMDGPU_ENGINES},
    {.spec = "amdgpu-mobile",
     .title = "Radeon RX 7600S",
     .driver = "amdgpu",
     .bus = BUS_DISCRETE,
     .ids = {0x1002, 0x7480, 0x1043, 0x1c9d, 0xc7, 0x038000},
     .vram_kib = 8372224,
     .cap_w = 80,
     .write = write_amdgpu,
     .engines = AMDGPU_ENGINES},
    {.spec = "amdgpu-old",
     .title = "Radeon RX 580",
     .driver = "amdgpu",
     .bus = BUS_DISCRETE,
     .ids = {0x1002, 0x67df, 0x1da2, 0xe353, 0xe7, 0x030000},
     .vram_kib = 8388608,
     .cap_w = 145,
     .write = write_amdgpu_old,
     .engines = AMDGPU_ENGINES},
    {.spec = "i915",
     .title = "Arc A380",
     .driver = "i915",
     .bus = BUS_DISCRETE,
     .ids = {0x8086, 0x56a5, 0x8086, 0x4905, 0x05, 0x030000},
     .vram_kib = 6225920,
     .cap_w = 75,
     .write = write_i915,
     .engines = I915_ENGINES},
    {.spec = "i915-igpu",
     .title = "Iris Xe Graphics",
     .driver = "i915",
     .bus = BUS_INTEGRATED,
     .ids = {0x8086, 0x9a49, 0x1028, 0x0a38, 0x01, 0x030000},
     .write = write_i915,
     .engines = I915_ENGINES},
    {.spec = "xe",
     .title = "Arc B580",
     .driver = "xe",
     .bus = BUS_DISCRETE,
     .ids = {0x8086, 0xe20b, 0x8086, 0x1100, 0x00, 0x030000},
     .vram_kib = 12451840,
     .cap_w = 190,
     .write = write_xe,
     .engines = {{"rcs", 1, {1000}},
                 {"bcs", 1, {0, 0, 1000}},
                 {"vcs", 2, {0, 0, 0, 1000, 1000}},
                 {"vecs", 2, {0}},
                 {"ccs", 4, {0, 1000}}}},
    {.spec = "panthor",
     .driver = "panthor",
     .bus = BUS_PLATFORM,
     .platform = "fb000000.gpu",
     .compatible = "rockchip,rk3588-mali",
     .write = write_panthor,
     .engines = {{"panthor", 1, {1000, 1000}}}},
    {.spec = "panfrost",
     .driver = "panfrost",
     .bus = BUS_PLATFORM,
     .platform = "fde60000.gpu",
     .compatible = "rockchip,rk3568-mali",
     .write = write_panfrost,
     .engines = {{"fragment", 1, {1000}}, {"vertex-tiler", 1, {150, 1000}}}},
    {.spec = "msm",
     .driver = "msm",
     .bus = BUS_PLATFORM,
     .platform = "ae01000.display-controller",
     .compatible = "qcom,sc8280xp-mdss",
     .write = write_msm,
     .engines = {{"gpu", 1, {1000, 1000}}}},
    {.spec = "v3d",
     .driver = "v3d",
     .bus = BUS_PLATFORM,
     .platform = "1002000000.v3d",
     .compatible = "brcm,2712-v3d",
     .write = write_v3d,
     .engines = {{"bin", 1, {120}},
                 {"render", 1, {1000}},
                 {"tfu", 1, {0, 0, 1000}},
                 {"csd", 1, {0, 1000}},
                 {"cache_clean", 1, {2}},
                 {"cpu", 1, {0}}}},
    {.spec = "amdxdna",
     .driver = "amdxdna_accel_driver",
     .bus = BUS_INTEGRATED,
     .accel = true,
     .ids = {0x1022, 0x1502, 0x1022, 0x1502, 0x00, 0x118000},
     .write = write_amdxdna,
     .engines = {{"npu-amdxdna", 1, {0, 1000}}}},
};

/* ---- figures -------------------------------------------------------------------------------------- */

static uint64_t engine_ns(const struct engine *e, const struct reading *r) {
    uint64_t ns = 0;
    for (unsigned i = 0; i < ROLE_COUNT; i++)
        ns += r->use.busy_ns[i] / 1000 * e->per_mille[i] +
              r->use.busy_ns[i] % 1000 * e->per_mille[i] / 1000;
    return ns;
}

/* The kernel's way with sizes: 1024 is taken out twice at most, and only while nothing is lost. */
static void put_size(struct text *t, const char *what, const char *region, uint64_t bytes) {
    static const char *const unit[] = {"", " KiB", " MiB"};
    unsigned u = 0;
    while (u < 2 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        u++;
    }
    text_put(t, "drm-%s-%s:\t%llu%s\n", what, region, (unsigned long long)bytes, unit[u]);
}

static void put_region(struct text *t, const char *region, uint64_t total_kib, uint64_t shared_kib,
                       bool purgeable) {
    put_size(t, "total", region, total_kib * 1024);
    put_size(t, "shared", region, shared_kib * 1024);
    put_size(t, "active", region, 0);
    put_size(t, "resident", region, total_kib * 1024);
    if (purgeable)
        put_size(t, "purgeable", region, total_kib / 64 * 4 * 1024);
}

static void put_identity(struct text *t, const struct reading *r) {
    text_put(t, "drm-driver:\t%s\ndrm-client-id:\t%llu\n", r->gpu->model->driver,
             (unsigned long long)r->client);
    if (r->gpu->model->bus != BUS_PLATFORM)
        text_put(t, "drm-pdev:\t%s\n", r->gpu->name);
    if (r->client_name[0])
        text_put(t, "drm-client-name:\t%s\n", r->client_name);
}

/* ---- one writer per driver --------------------------------------------------------------------------- */

static void put_amdgpu_engines(struct text *t, const struct reading *r) {
    for (const struct engine *e = r->gpu->model->engines; e->name && !r->no_engines; e++)
        if (engine_ns(e, r) != 0)
            text_put(t, "drm-engine-%s:\t%llu ns\n", e->name, (unsigned long long)engine_ns(e, r));
}

static void write_amdgpu(struct text *t, const struct reading *r) {
    static const char *const none[] = {"gds", "gws", "oa", "doorbell"};
    unsigned long long vram = r->use.device_kib, gtt = r->use.system_kib;
    put_identity(t, r);
    text_put(t, "pasid:\t%llu\n", 32768ULL + r->client % 32768);
    put_region(t, "cpu", 0, 0, true);
    put_region(t, "gtt", gtt, 0, true);
    put_region(t, "vram", vram, r->use.shared_kib, true);
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++)
        put_region(t, none[i], 0, 0, true);
    text_put(t, "drm-memory-vram:\t%llu KiB\ndrm-memory-gtt: \t%llu KiB\ndrm-memory-cpu: \t0 KiB\n",
             vram, gtt);
    text_put(t,
             "amd-evicted-vram:\t0 KiB\namd-requested-vram:\t%llu KiB\n"
             "amd-requested-gtt:\t%llu KiB\n",
             vram, gtt);
    put_amdgpu_engines(t, r);
}

static void write_amdgpu_old(struct text *t, const struct reading *r) {
    text_put(t, "pasid:\t%llu\ndrm-driver:\tamdgpu\ndrm-pdev:\t%s\ndrm-client-id:\t%llu\n",
             32768ULL + r->client % 32768, r->gpu->name, (unsigned long long)r->client);
    text_put(t, "drm-memory-vram:\t%llu KiB\ndrm-memory-gtt: \t%llu KiB\ndrm-memory-cpu: \t0 KiB\n",
             (unsigned long long)r->use.device_kib, (unsigned long long)r->use.system_kib);
    put_amdgpu_engines(t, r);
}

static void write_i915(struct text *t, const struct reading *r) {
    bool card = r->gpu->model->vram_kib != 0;
    uint64_t system_kib = r->use.system_kib + (card ? 0 : r->use.device_kib);
    put_identity(t, r);
    put_region(t, "system0", system_kib, card ? 0 : r->use.shared_kib, true);
    if (card)
        put_region(t, "local0", r->use.device_kib, r->use.shared_kib, true);
    put_region(t, card ? "stolen-local0" : "stolen-system0", 0, 0, true);
    for (const struct engine *e = r->gpu->model->engines; e->name && !r->no_engines; e++) {
        text_put(t, "drm-engine-%s:\t%llu ns\n", e->name, (unsigned long long)engine_ns(e, r));
        if (e->capacity > 1)
            text_put(t, "drm-engine-capacity-%s:\t%u\n", e->name, e->capacity);
    }
}

static uint64_t xe_cycles(uint64_t ns) {
    return ns / 1000 * (XE_CLOCK_HZ / 100000) / 10 + ns % 1000 * (XE_CLOCK_HZ / 100000) / 10000;
}

static void write_xe(struct text *t, const struct reading *r) {
    uint64_t now_ms = (uint64_t)(UPTIME_MS + r->t_ms);
    put_identity(t, r);
    put_region(t, "system", 0, 0, true);
    put_region(t, "gtt", r->use.system_kib, 0, false);
    put_region(t, "vram0", r->use.device_kib, r->use.shared_kib, false);
    put_region(t, "stolen", 0, 0, false);
    for (const struct engine *e = r->gpu->model->engines; e->name && !r->no_engines; e++) {
        text_put(t, "drm-cycles-%s:\t%llu\n", e->name,
                 (unsigned long long)xe_cycles(engine_ns(e, r)));
        text_put(t, "drm-total-cycles-%s:\t%llu\n", e->name,
                 (unsigned long long)(now_ms * (XE_CLOCK_HZ / 1000)));
        if (e->capacity > 1)
            text_put(t, "drm-engine-capacity-%s:\t%u\n", e->name, e->capacity);
    }
}

/* The Mali drivers' four lines of an engine; those of time are left out while profiling is off. */
static void put_mali_engine(struct text *t, const struct reading *r, const struct engine *e,
                            unsigned long long max_hz, unsigned long long now_hz) {
    unsigned long long ns = engine_ns(e, r);
    if (!r->no_engines)
        text_put(t, "drm-engine-%s:\t%llu ns\ndrm-cycles-%s:\t%llu\n", e->name, ns, e->name,
                 ns / 1000 * (now_hz / 1000000));
    text_put(t, "drm-maxfreq-%s:\t%llu Hz\ndrm-curfreq-%s:\t%llu Hz\n", e->name, max_hz, e->name,
             now_hz);
}

static void write_panthor(struct text *t, const struct reading *r) {
    unsigned long long kib = r->use.device_kib + r->use.system_kib;
    put_identity(t, r);
    put_mali_engine(t, r, r->gpu->model->engines, 1000000000, 850000000);
    text_put(t, "panthor-resident-memory:\t10396 KiB\npanthor-active-memory:\t10396 KiB\n");
    put_region(t, "memory", kib, r->use.shared_kib, true);
}

static void write_panfrost(struct text *t, const struct reading *r) {
    put_identity(t, r);
    for (const struct engine *e = r->gpu->model->engines; e->name; e++)
        put_mali_engine(t, r, e, 799999987, 599999990);
    put_region(t, "memory", r->use.device_kib + r->use.system_kib, r->use.shared_kib, true);
}

static void write_msm(struct text *t, const struct reading *r) {
    unsigned long long ns = engine_ns(r->gpu->model->engines, r);
    put_identity(t, r);
    if (!r->no_engines)
        text_put(t, "drm-engine-gpu:\t%llu ns\ndrm-cycles-gpu:\t%llu\n", ns, ns / 1000 * 305);
    text_put(t, "drm-maxfreq-gpu:\t925000000 Hz\n");
    put_region(t, "memory", r->use.device_kib + r->use.system_kib, r->use.shared_kib, true);
}

static void write_v3d(struct text *t, const struct reading *r) {
    put_identity(t, r);
    for (const struct engine *e = r->gpu->model->engines; e->name && !r->no_engines; e++)
        text_put(t, "drm-engine-%s: \t%llu ns\nv3d-jobs-%s: \t%llu jobs\n", e->name,
                 (unsigned long long)engine_ns(e, r), e->name,
                 (unsigned long long)(engine_ns(e, r) / 4000000));
    put_region(t, "memory", r->use.device_kib + r->use.system_kib, r->use.shared_kib, true);
}

static void write_amdxdna(struct text *t, const struct reading *r) {
    uint64_t bytes = (r->use.device_kib + r->use.system_kib) * 1024;
    put_identity(t, r);
    if (!r->no_engines)
        text_put(t, "drm-engine-npu-amdxdna:\t%llu ns\n",
                 (unsigned long long)engine_ns(r->gpu->model->engines, r));
    put_size(t, "total", "memory", bytes);
    put_size(t, "shared", "memory", 0);
    put_size(t, "active", "memory", 0);
}

void gpu_write_fdinfo(struct text *t, const struct reading *r) {
    r->gpu->model->write(t, r);
}

/* ---- the list in `-g` ----------------------------------------------------------------------------------- */

static bool place(struct gpu *g, const struct gpu *earlier, unsigned count) {
    unsigned nodes = 0, like = 0, cards = 0;
    for (unsigned i = 0; i < count; i++) {
        nodes += earlier[i].model->accel == g->model->accel;
        like += earlier[i].model == g->model;
        cards += earlier[i].model->bus == BUS_DISCRETE;
    }
    g->card = nodes;
    g->render = g->model->accel ? 0 : 128 + nodes;
    unsigned bus = 3 + 4 * cards;
    if (g->model->bus == BUS_DISCRETE) {
        snprintf(g->name, sizeof g->name, "0000:%02x:00.0", bus);
        snprintf(g->path, sizeof g->path,
                 "sys/devices/pci0000:00/0000:00:%02x.1/0000:%02x:00.0/0000:%02x:00.0/%s",
                 1 + cards, bus - 2, bus - 1, g->name);
    } else if (g->model->bus == BUS_INTEGRATED) {
        snprintf(g->name, sizeof g->name, "0000:00:%02x.0", (g->model->accel ? 8 : 2) + like);
        snprintf(g->path, sizeof g->path, "sys/devices/pci0000:00/%s", g->name);
    } else {
        if (like)
            return false;
        snprintf(g->name, sizeof g->name, "%s", g->model->platform);
        snprintf(g->path, sizeof g->path, "sys/devices/platform/%s", g->name);
    }
    return true;
}

static const struct gpu_model *model_find(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strlen(models[i].spec) == n && memcmp(models[i].spec, name, n) == 0)
            return &models[i];
    return NULL;
}

bool gpus_parse(const char *list, struct gpu *out, unsigned *count, unsigned max) {
    static const char asleep[] = ":asleep";
    const size_t tail = sizeof asleep - 1;
    *count = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        bool sleeps = n > tail && memcmp(list + n - tail, asleep, tail) == 0;
        struct gpu g = {.model = model_find(list, sleeps ? n - tail : n),
                        .asleep_from_ms = sleeps ? ALWAYS_MS : NEVER_MS};
        if (!g.model || *count == max || !place(&g, out, *count)) {
            fprintf(stderr, "synth: no such GPU, or one too many: %.*s; there are:", (int)n, list);
            for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
                fprintf(stderr, " %s", models[i].spec);
            fprintf(stderr, "\n");
            return false;
        }
        out[(*count)++] = g;
        list += n + (list[n] == ',');
    }
    return *count > 0;
}

void gpu_node_number(const struct gpu *g, bool card, unsigned *major, unsigned *minor) {
    *major = g->model->accel ? 261 : 226;
    *minor = g->model->accel || card ? g->card : g->render;
}

void gpu_node_path(const struct gpu *g, bool card, char out[64]) {
    if (g->model->accel)
        snprintf(out, 64, "/dev/accel/accel%u", g->card);
    else if (card)
        snprintf(out, 64, "/dev/dri/card%u", g->card);
    else
        snprintf(out, 64, "/dev/dri/renderD%u", g->render);
}

const char *gpu_title(const struct gpu *g) {
    return g->model->title;
}
