/* Calls on the node of the emulated i915 that are not about a stream. */
#include "i915_emul.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <i915_drm.h>

#ifndef DRM_I915_QUERY_GEOMETRY_SUBSLICES
#define DRM_I915_QUERY_GEOMETRY_SUBSLICES 6
#endif

/* ---- parameters ------------------------------------------------------------------------------ */

enum { PARAM_OA_TIMESTAMP_FREQUENCY = 57 };

/* False: this kernel does not know it, or has nothing to say. */
static bool param_value(int param, int *value, int *sys) {
    const struct platform *p = script.platform;
    *sys = EINVAL;
    switch (param) {
    case I915_PARAM_CHIPSET_ID:
        *value = p->pci;
        return true;
    case I915_PARAM_REVISION:
        *value = 1;
        return true;
    case I915_PARAM_SUBSLICE_TOTAL:
        *value = (int)p->subslices;
        break;
    case I915_PARAM_EU_TOTAL:
        *value = (int)p->eu;
        break;
    case I915_PARAM_SLICE_MASK:
        *value = 1;
        break;
    case I915_PARAM_SUBSLICE_MASK:
        *value = (1 << p->subslices) - 1;
        break;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        *value = (int)p->cs_hz;
        return !script.no_cs_rate;
    case I915_PARAM_PERF_REVISION:
        *value = (int)script.revision;
        return script.revision > 0;
    case PARAM_OA_TIMESTAMP_FREQUENCY:
        *value = (int)p->oa_hz;
        return !script.no_oa_rate;
    default:
        return false;
    }
    *sys = ENODEV;
    return !script.no_topology;
}

static int get_param(struct drm_i915_getparam *g) {
    int value = 0, sys = 0;
    if (!param_value(g->param, &value, &sys)) {
        note("GETPARAM %d: errno %d", g->param, sys);
        return fail(sys);
    }
    if (!g->value) {
        misuse("GETPARAM %d without a place", g->param);
        return fail(EFAULT);
    }
    *g->value = value;
    note("GETPARAM %d: %d", g->param, value);
    return 0;
}

/* ---- query ----------------------------------------------------------------------------------- */

/* One slice; the parts evenly filled. */
size_t node_topology(uint8_t *to) {
    const struct platform *p = script.platform;
    unsigned each = p->eu / p->subslices, stride = (each + 7) / 8;
    struct drm_i915_query_topology_info head = {.max_slices = 1,
                                                .max_subslices = (uint16_t)p->subslices,
                                                .max_eus_per_subslice = (uint16_t)each,
                                                .subslice_offset = 1,
                                                .subslice_stride = 1,
                                                .eu_offset = 2,
                                                .eu_stride = (uint16_t)stride};
    memcpy(to, &head, sizeof head);
    uint8_t *data = to + sizeof head;
    *data++ = 1;
    *data++ = (uint8_t)((1U << p->subslices) - 1);
    for (unsigned i = 0; i < p->subslices; i++)
        for (unsigned k = 0; k < stride; k++)
            *data++ = (uint8_t)(each - 8 * k >= 8 ? 0xff : (1U << (each - 8 * k)) - 1);
    return (size_t)(data - to);
}

static int query_topology(const struct drm_i915_query_item *item) {
    uint8_t bytes[256], *to = (uint8_t *)(uintptr_t)item->data_ptr;
    int size = (int)node_topology(bytes);
    if (item->flags != 0) {
        misuse("query of the topology with flags");
        return -EINVAL;
    }
    if (script.no_topology)
        return -ENODEV;
    if (item->length == 0)
        return size;
    if (item->length < size || !to || to[0] != 0 || to[1] != 0) {
        misuse("query of the topology: length %d of %d, or its place is not cleared", item->length,
               size);
        return -EINVAL;
    }
    memcpy(to, bytes, (size_t)size);
    return size;
}

static int query_item(struct drm_i915_query_item *item) {
    if (item->query_id == DRM_I915_QUERY_TOPOLOGY_INFO)
        return query_topology(item);
    if (item->query_id == DRM_I915_QUERY_PERF_CONFIG)
        return sets_query(item);
    return -EINVAL;
}

static int query(const struct drm_i915_query *q) {
    struct drm_i915_query_item *items = (void *)(uintptr_t)q->items_ptr;
    if (q->flags != 0 || !items) {
        misuse("QUERY with flags %u, or without items", q->flags);
        return fail(EINVAL);
    }
    for (uint32_t i = 0; i < q->num_items; i++) {
        int asked = items[i].length;
        items[i].length = query_item(&items[i]);
        note("QUERY %llu flags %u length %d: %d", (unsigned long long)items[i].query_id,
             items[i].flags, asked, items[i].length);
    }
    return 0;
}

/* ---- all calls ------------------------------------------------------------------------------- */

static int node_call(unsigned long request, void *arg) {
    switch (request) {
    case DRM_IOCTL_I915_GETPARAM:
        return get_param(arg);
    case DRM_IOCTL_I915_QUERY:
        return query(arg);
    case DRM_IOCTL_I915_PERF_OPEN:
        return stream_open(arg);
    case DRM_IOCTL_I915_PERF_ADD_CONFIG:
        return script.no_unit ? fail(NOT_SUPPORTED) : sets_add(arg);
    case DRM_IOCTL_I915_PERF_REMOVE_CONFIG:
        return sets_remove(arg);
    default:
        break;
    }
    misuse("call %#lx on the node", request);
    return fail(EINVAL);
}

int node_ioctl(unsigned long request, void *arg) {
    if (device_gone())
        return fail(ENODEV);
    if (!arg) {
        misuse("call %#lx without an argument", request);
        return fail(EFAULT);
    }
    int got = node_call(request, arg);
    if (request != DRM_IOCTL_I915_GETPARAM && request != DRM_IOCTL_I915_QUERY)
        note("call %#lx: %d, errno %d", request, got, got < 0 ? errno : 0);
    return got;
}
