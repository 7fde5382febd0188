/*
 * What is asked of PERF_OPEN of the emulated i915: every flag and property is looked at, and
 * refused in the kernel's order.
 */
#include "i915_emul.h"

#include <errno.h>
#include <inttypes.h>

#include <i915_drm.h>

/* Numbers that this revision of the interface knows are below. */
static uint64_t first_unknown(void) {
    static const uint8_t most[] = {5, 5, 5, 6, 7, 8, 10, 10};
    uint64_t r = script.revision;
    return r < sizeof most ? most[r] + UINT64_C(1) : 11;
}

static int take_property(struct properties *p, uint64_t id, uint64_t value) {
    if (id == 0 || id >= first_unknown()) {
        misuse("PERF_OPEN property %" PRIu64 " is unknown at revision %" PRIu64, id,
               script.revision);
        return EINVAL;
    }
    if (p->seen & UINT32_C(1) << id)
        misuse("PERF_OPEN property %" PRIu64 " twice", id);
    p->seen |= UINT32_C(1) << id;
    switch (id) {
    case DRM_I915_PERF_PROP_SAMPLE_OA:
        p->sample_oa = value;
        return 0;
    case DRM_I915_PERF_PROP_OA_METRICS_SET:
        p->set = value;
        return 0;
    case DRM_I915_PERF_PROP_OA_FORMAT:
        p->format = value;
        return 0;
    case DRM_I915_PERF_PROP_OA_EXPONENT:
        p->exponent = value;
        p->has_exponent = true;
        return 0;
    case 8:
        p->poll_ns = value;
        return 0;
    case 9: /* class and instance of the engine: render 0 is the only one with a unit */
    case 10:
        return value == 0 ? 0 : EINVAL;
    default:
        break;
    }
    misuse("PERF_OPEN property %" PRIu64 ": of a program's own contexts", id);
    return EINVAL;
}

static int check_rate(const struct properties *p) {
    if (!p->has_exponent)
        return 0;
    if (p->exponent > 31) {
        misuse("PERF_OPEN exponent %" PRIu64, p->exponent);
        return EINVAL;
    }
    return script.platform->oa_hz >> (p->exponent + 1) > 100000 ? EACCES : 0;
}

static int check_properties(const struct properties *p) {
    if ((p->seen & UINT32_C(1) << DRM_I915_PERF_PROP_OA_METRICS_SET) && p->set == 0) {
        misuse("PERF_OPEN metric set 0");
        return EINVAL;
    }
    if ((p->seen & UINT32_C(1) << DRM_I915_PERF_PROP_OA_FORMAT) &&
        (p->format == 0 || p->format > 31 || !(script.platform->formats & 1U << p->format))) {
        misuse("PERF_OPEN format %" PRIu64 " on %s", p->format, script.platform->name);
        return EINVAL;
    }
    if (p->poll_ns < 100000) {
        misuse("PERF_OPEN looks each %" PRIu64 " ns", p->poll_ns);
        return EINVAL;
    }
    if (!(p->seen & 1U << 9) != !(p->seen & 1U << 10)) {
        misuse("PERF_OPEN engine class without instance, or the other way round");
        return EINVAL;
    }
    return check_rate(p);
}

static int read_properties(const struct drm_i915_perf_open_param *o, struct properties *p) {
    const uint64_t *pair = (const uint64_t *)(uintptr_t)o->properties_ptr;
    *p = (struct properties){.poll_ns = 5000000};
    if (o->num_properties == 0 || o->num_properties > 10 || !pair) {
        misuse("PERF_OPEN with %u properties", o->num_properties);
        return EINVAL;
    }
    for (uint32_t i = 0; i < o->num_properties; i++) {
        note("PERF_OPEN property %" PRIu64 " = %" PRIu64, pair[2 * i], pair[2 * i + 1]);
        int sys = take_property(p, pair[2 * i], pair[2 * i + 1]);
        if (sys != 0)
            return sys;
    }
    return check_properties(p);
}

/* Who may, whether another has it, what is asked: in the kernel's order. */
static int may_open(const struct properties *p, enum programmed *set, char uuid[37]) {
    if (script.paranoid)
        return EACCES;
    if (!sets_folder())
        return EINVAL;
    if (!p->sample_oa) {
        misuse("PERF_OPEN without reports");
        return EINVAL;
    }
    if (stream_lives())
        return EBUSY;
    if (script.other > 0) {
        script.other--;
        return EBUSY;
    }
    if (!p->format) {
        misuse("PERF_OPEN without a format");
        return EINVAL;
    }
    if (!sets_find(p->set, set, uuid)) {
        misuse("PERF_OPEN metric set %" PRIu64 ": there is none", p->set);
        return EINVAL;
    }
    return 0;
}

int open_check(const void *arg, struct properties *p, enum programmed *set, char uuid[37]) {
    const struct drm_i915_perf_open_param *o = arg;
    if (script.no_unit)
        return NOT_SUPPORTED;
    if (o->flags & ~7U) {
        misuse("PERF_OPEN flags %#x", o->flags);
        return EINVAL;
    }
    int sys = read_properties(o, p);
    return sys != 0 ? sys : may_open(p, set, uuid);
}
