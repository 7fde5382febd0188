/*
 * Which class an engine or a memory region belongs to, by the name that its driver gives it. One
 * table for the engines and one for the regions of all drivers: a new driver is a line here.
 */
#include <string.h>

#include "gwtop/core.h"

struct engine_entry {
    const char *name;
    uint8_t len;
    uint8_t class;
};

#define ENGINE(text, of)                                                                           \
    { text, sizeof(text) - 1, CLASS_##of }
/* Names are taken whole: enc_1 is not a kind of enc because it begins like it. */
static const struct engine_entry engines[] = {
    ENGINE("gfx", GRAPHICS),          /* amdgpu */
    ENGINE("render", GRAPHICS),       /* i915, v3d */
    ENGINE("rcs", GRAPHICS),          /* xe */
    ENGINE("3d", GRAPHICS),           /* etnaviv, nouveau style */
    ENGINE("gpu", GRAPHICS),          /* msm */
    ENGINE("fragment", GRAPHICS),     /* panfrost */
    ENGINE("vertex-tiler", GRAPHICS), /* panfrost */
    ENGINE("panthor", GRAPHICS),
    ENGINE("bin", GRAPHICS), /* v3d */
    ENGINE("gp", GRAPHICS),  /* lima */
    ENGINE("pp", GRAPHICS),  /* lima */
    ENGINE("compute", COMPUTE),
    ENGINE("ccs", COMPUTE), /* xe */
    ENGINE("csd", COMPUTE), /* v3d */
    ENGINE("npu", COMPUTE),
    ENGINE("npu-amdxdna", COMPUTE),
    ENGINE("amdxdna_accel_driver", COMPUTE),
    ENGINE("dma", COPY),  /* amdgpu */
    ENGINE("copy", COPY), /* i915 */
    ENGINE("bcs", COPY),  /* xe */
    ENGINE("tfu", COPY),  /* v3d: converts textures */
    ENGINE("dec", DECODE),
    ENGINE("jpeg", DECODE),
    ENGINE("enc", ENCODE),
    ENGINE("enc_1", ENCODE),
    ENGINE("video", MEDIA),         /* i915 */
    ENGINE("vcs", MEDIA),           /* xe */
    ENGINE("video-enhance", MEDIA), /* i915 */
    ENGINE("vecs", MEDIA),          /* xe */
    ENGINE("vpe", MEDIA),           /* amdgpu */
    ENGINE("cache_clean", OTHER),   /* v3d */
    ENGINE("cpu", OTHER),           /* v3d: work that the driver does itself */
    ENGINE("other", OTHER),
};
#undef ENGINE

struct region_entry {
    const char *name;
    uint8_t len;
    bool prefix; /* also with more after it: vram0, local1, stolen-system0 */
    uint8_t class;
};

#define REGION(text, prefix, of)                                                                   \
    { text, sizeof(text) - 1, prefix, REGION_##of }
static const struct region_entry regions[] = {
    REGION("vram", true, VRAM),      REGION("local", true, VRAM),    REGION("gtt", false, GTT),
    REGION("system", true, SYSTEM),  REGION("stolen", true, SYSTEM), REGION("cpu", false, SYSTEM),
    REGION("memory", false, SYSTEM),
};
#undef REGION

enum engine_class engine_class_of(struct span name) {
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        const struct engine_entry *e = &engines[i];
        if (e->len == name.n && memcmp(e->name, name.p, name.n) == 0)
            return (enum engine_class)e->class;
    }
    return CLASS_OTHER;
}

enum region_class region_class_of(struct span name) {
    for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        const struct region_entry *r = &regions[i];
        bool fits = r->prefix ? name.n >= r->len : name.n == r->len;
        if (fits && memcmp(r->name, name.p, r->len) == 0)
            return (enum region_class)r->class;
    }
    return REGION_OTHER;
}
