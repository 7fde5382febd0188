/*
 * The part of the kernel's interface that a stream of OA reports needs: numbers of calls and the
 * structures that they take, as the kernel's include/uapi/drm/i915_drm.h lays them out. Little-
 * endian; addresses are 64 bits wide.
 */
#ifndef GWTOP_BACKEND_INTEL_OA_UAPI_H
#define GWTOP_BACKEND_INTEL_OA_UAPI_H

#include <stddef.h>
#include <stdint.h>

/* ---- calls ----------------------------------------------------------------------------------- */

/* Of the device node. */
#define OA_IOCTL_GETPARAM      UINT32_C(0xc0106446) /* struct oa_uapi_param */
#define OA_IOCTL_OPEN          UINT32_C(0x40106476) /* struct oa_uapi_open; gives a descriptor */
#define OA_IOCTL_ADD_CONFIG    UINT32_C(0x40486477) /* struct oa_uapi_config; gives its id */
#define OA_IOCTL_REMOVE_CONFIG UINT32_C(0x40086478) /* uint64_t: id */
#define OA_IOCTL_QUERY         UINT32_C(0xc0106479) /* struct oa_uapi_query */
/* Of the stream. */
#define OA_IOCTL_DISABLE UINT32_C(0x6901)

#define OA_IOCTL_SIZE(request) ((request) >> 16 & 0x3fff)

/* ---- parameters ------------------------------------------------------------------------------ */

enum {
    OA_PARAM_EU_TOTAL = 34,
    OA_PARAM_CS_TIMESTAMP_HZ = 51,
    OA_PARAM_PERF_REVISION = 54,
    OA_PARAM_OA_TIMESTAMP_HZ = 57
};
struct oa_uapi_param {
    int32_t param;
    uint32_t pad;
    uint64_t value; /* address of an int32_t */
};

/* ---- queries --------------------------------------------------------------------------------- */

enum { OA_QUERY_TOPOLOGY = 1, OA_QUERY_CONFIGS = 3 };
/* Flags of an item of OA_QUERY_CONFIGS. */
enum { OA_QUERY_LIST = 1, OA_QUERY_BY_ID = 3 };
struct oa_uapi_query {
    uint32_t num_items;
    uint32_t flags;
    uint64_t items;
};
struct oa_uapi_item {
    uint64_t query;
    int32_t length; /* of the data; 0 asks for it; below 0: an errno */
    uint32_t flags;
    uint64_t data;
};
/* What OA_QUERY_CONFIGS gives: a head, whose first eight bytes are the number of sets or the id
 * of one, then the ids or the set. The head's own size is rounded up where it is a structure. */
enum { OA_CONFIGS_HEAD = 44, OA_CONFIGS_SIZE = 48 };

/* ---- metric sets ----------------------------------------------------------------------------- */

#define OA_UUID_LENGTH 36
struct oa_uapi_config {
    char uuid[OA_UUID_LENGTH]; /* no NUL */
    uint32_t mux_count;
    uint32_t boolean_count;
    uint32_t flex_count;
    uint64_t mux; /* pairs of address and value */
    uint64_t boolean;
    uint64_t flex;
};

/* ---- the stream ------------------------------------------------------------------------------ */

enum { OA_OPEN_CLOEXEC = 1, OA_OPEN_NONBLOCK = 2 }; /* started, as 4 is not set */
struct oa_uapi_open {
    uint32_t flags;
    uint32_t property_count;
    uint64_t properties;
};
enum {
    OA_PROPERTY_SAMPLE_OA = 2,
    OA_PROPERTY_METRICS_SET = 3,
    OA_PROPERTY_FORMAT = 4,
    OA_PROPERTY_EXPONENT = 5,
    OA_PROPERTY_POLL_PERIOD = 8 /* ns; from revision 5 */
};
struct oa_uapi_property {
    uint64_t id;
    uint64_t value;
};

/* ---- as the kernel has them ------------------------------------------------------------------ */

#define OA_AT(type, member, at) _Static_assert(offsetof(struct type, member) == (at), #member)
OA_AT(oa_uapi_param, param, 0);
OA_AT(oa_uapi_param, value, 8);
OA_AT(oa_uapi_query, num_items, 0);
OA_AT(oa_uapi_query, flags, 4);
OA_AT(oa_uapi_query, items, 8);
OA_AT(oa_uapi_item, query, 0);
OA_AT(oa_uapi_item, length, 8);
OA_AT(oa_uapi_item, flags, 12);
OA_AT(oa_uapi_item, data, 16);
OA_AT(oa_uapi_config, uuid, 0);
OA_AT(oa_uapi_config, mux_count, 36);
OA_AT(oa_uapi_config, boolean_count, 40);
OA_AT(oa_uapi_config, flex_count, 44);
OA_AT(oa_uapi_config, mux, 48);
OA_AT(oa_uapi_config, boolean, 56);
OA_AT(oa_uapi_config, flex, 64);
OA_AT(oa_uapi_open, flags, 0);
OA_AT(oa_uapi_open, property_count, 4);
OA_AT(oa_uapi_open, properties, 8);
OA_AT(oa_uapi_property, id, 0);
OA_AT(oa_uapi_property, value, 8);
#undef OA_AT
_Static_assert(sizeof(struct oa_uapi_item) == 24, "item");
_Static_assert(sizeof(struct oa_uapi_property) == 16, "property");
_Static_assert(sizeof(struct oa_uapi_param) == OA_IOCTL_SIZE(OA_IOCTL_GETPARAM), "param");
_Static_assert(sizeof(struct oa_uapi_open) == OA_IOCTL_SIZE(OA_IOCTL_OPEN), "open");
_Static_assert(sizeof(struct oa_uapi_config) == OA_IOCTL_SIZE(OA_IOCTL_ADD_CONFIG), "config");
_Static_assert(sizeof(uint64_t) == OA_IOCTL_SIZE(OA_IOCTL_REMOVE_CONFIG), "id");
_Static_assert(sizeof(struct oa_uapi_query) == OA_IOCTL_SIZE(OA_IOCTL_QUERY), "query");

#endif
