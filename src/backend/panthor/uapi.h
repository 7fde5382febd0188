/*
 * The part of the panthor driver's interface that a counter session needs: numbers of calls and the
 * structures that they take. The stable part is as in the kernel's include/uapi/drm/drm.h and
 * panthor_drm.h; counters as in versions 4 to 6 of the "drm/panthor" performance counter series,
 * whose structures are the same and whose numbers are not: these are asked for, never assumed.
 * Little-endian; addresses are 64 bits wide.
 */
#ifndef GWTOP_BACKEND_PANTHOR_UAPI_H
#define GWTOP_BACKEND_PANTHOR_UAPI_H

#include <stddef.h>
#include <stdint.h>

/* ---- calls ----------------------------------------------------------------------------------- */

#define PANTHOR_CALL_VERSION                                                                       \
    (UINT32_C(0xc0006400) | (uint32_t)sizeof(struct panthor_uapi_version) << 16)
#define PANTHOR_CALL_GEM_CLOSE  UINT32_C(0x40086409) /* struct panthor_uapi_gem_close */
#define PANTHOR_CALL_QUERY      UINT32_C(0xc0106440) /* struct panthor_uapi_query */
#define PANTHOR_CALL_BO_CREATE  UINT32_C(0xc0186445) /* struct panthor_uapi_bo_create */
#define PANTHOR_CALL_BO_OFFSET  UINT32_C(0xc0106446) /* struct panthor_uapi_bo_offset */
#define PANTHOR_CALL_PERF(id)   (UINT32_C(0xc0186440) + (uint32_t)(id)) /* struct panthor_uapi_perf */
#define PANTHOR_CALL_SIZE(call) ((call) >> 16 & 0x3fff)

/* The driver's numbers of PERF_CONTROL. In kernels without it they are other calls, which do
 * nothing with an argument of zeros. */
enum { PANTHOR_PERF_V4 = 13, PANTHOR_PERF_V5 = 15, PANTHOR_PERF_V6 = 17 };

/* ---- the core's ------------------------------------------------------------------------------ */

struct panthor_uapi_version {
    int32_t major;
    int32_t minor;
    int32_t patch;
    size_t name_n; /* room, then length; the name is not ended by a NUL */
    char *name;
    size_t date_n;
    char *date;
    size_t text_n;
    char *text;
};
_Static_assert(sizeof(struct panthor_uapi_version) == (sizeof(void *) == 8 ? 64 : 36), "VERSION");
_Static_assert(offsetof(struct panthor_uapi_version, name_n) == (sizeof(void *) == 8 ? 16 : 12),
               "VERSION.name_len");
_Static_assert(offsetof(struct panthor_uapi_version, name) == (sizeof(void *) == 8 ? 24 : 16),
               "VERSION.name");

struct panthor_uapi_gem_close {
    uint32_t handle;
    uint32_t pad;
};
_Static_assert(sizeof(struct panthor_uapi_gem_close) == 8, "GEM_CLOSE");

/* ---- queries --------------------------------------------------------------------------------- */

enum {
    PANTHOR_QUERY_GPU = 0,       /* struct panthor_uapi_gpu */
    PANTHOR_QUERY_TIMESTAMP = 2, /* struct panthor_uapi_timestamp */
    PANTHOR_QUERY_PERF = 4,      /* struct panthor_uapi_info; or what is known of the MMU */
    PANTHOR_QUERY_PERF_REBASED = 5
};
#define PANTHOR_MMU_INFO_BYTES 8
#define PANTHOR_V3_INFO_BYTES  40

struct panthor_uapi_query {
    uint32_t type;
    uint32_t size;    /* of the buffer; where there is none the driver's own size comes back */
    uint64_t pointer; /* 0: asks for the size */
};
_Static_assert(sizeof(struct panthor_uapi_query) == 16, "DEV_QUERY");
_Static_assert(offsetof(struct panthor_uapi_query, size) == 4, "DEV_QUERY.size");
_Static_assert(offsetof(struct panthor_uapi_query, pointer) == 8, "DEV_QUERY.pointer");

/* As all kernels have it; newer ones go on. */
struct panthor_uapi_gpu {
    uint32_t gpu_id;
    uint32_t gpu_rev;
    uint32_t csf_id;
    uint32_t l2_features;
    uint32_t tiler_features;
    uint32_t mem_features;
    uint32_t mmu_features;
    uint32_t thread_features;
    uint32_t max_threads;
    uint32_t thread_max_workgroup_size;
    uint32_t thread_max_barrier_size;
    uint32_t coherency_features;
    uint32_t texture_features[4];
    uint32_t as_present;
    uint32_t selected_coherency;
    uint64_t shader_present;
    uint64_t l2_present;
    uint64_t tiler_present;
    uint32_t core_features;
    uint32_t pad;
};
_Static_assert(sizeof(struct panthor_uapi_gpu) == 104, "GPU_INFO");
_Static_assert(offsetof(struct panthor_uapi_gpu, l2_features) == 12, "GPU_INFO.l2_features");
_Static_assert(offsetof(struct panthor_uapi_gpu, mem_features) == 20, "GPU_INFO.mem_features");
_Static_assert(offsetof(struct panthor_uapi_gpu, texture_features) == 48, "GPU_INFO.texture");
_Static_assert(offsetof(struct panthor_uapi_gpu, as_present) == 64, "GPU_INFO.as_present");
_Static_assert(offsetof(struct panthor_uapi_gpu, shader_present) == 72, "GPU_INFO.shader_present");
_Static_assert(offsetof(struct panthor_uapi_gpu, core_features) == 96, "GPU_INFO.core_features");

/* The first 24 bytes since 1.1, all since 1.8. */
struct panthor_uapi_timestamp {
    uint64_t frequency_hz; /* 0 unknown */
    uint64_t timestamp;
    uint64_t offset;
    uint32_t flags; /* what is asked for; 0: the three above */
    uint32_t duration_ns;
    uint64_t cycles;
    uint64_t cpu_s;
    uint64_t cpu_ns;
};
enum {
    PANTHOR_TIMESTAMP_SHORT = 24,
    PANTHOR_TIMESTAMP_TIME = 1 << 0,
    PANTHOR_TIMESTAMP_CYCLES = 1 << 5,
    PANTHOR_TIMESTAMP_FREQUENCY = 1 << 6
};
_Static_assert(sizeof(struct panthor_uapi_timestamp) == 56, "TIMESTAMP_INFO");
_Static_assert(offsetof(struct panthor_uapi_timestamp, flags) == 24, "TIMESTAMP_INFO.flags");
_Static_assert(offsetof(struct panthor_uapi_timestamp, cycles) == 32, "TIMESTAMP_INFO.cycles");
_Static_assert(offsetof(struct panthor_uapi_timestamp, cpu_ns) == 48, "TIMESTAMP_INFO.cpu_ns");

/* PERF_INFO: eleven numbers, which panthor_layout_read (ring.h) reads. */
struct panthor_uapi_info {
    uint32_t counters_per_block;
    uint32_t sample_header_size;
    uint32_t block_header_size;
    uint32_t sample_size;
    uint32_t flags;
    uint32_t supported_clocks;
    uint32_t fw_blocks;
    uint32_t cshw_blocks;
    uint32_t tiler_blocks;
    uint32_t memsys_blocks;
    uint32_t shader_blocks;
};
_Static_assert(sizeof(struct panthor_uapi_info) == 44, "PERF_INFO");
_Static_assert(offsetof(struct panthor_uapi_info, sample_size) == 12, "PERF_INFO.sample_size");
_Static_assert(offsetof(struct panthor_uapi_info, fw_blocks) == 24, "PERF_INFO.fw_blocks");
_Static_assert(offsetof(struct panthor_uapi_info, shader_blocks) == 40, "PERF_INFO.shader_blocks");

/* ---- buffers --------------------------------------------------------------------------------- */

struct panthor_uapi_bo_create {
    uint64_t size; /* comes back in whole pages */
    uint32_t flags;
    uint32_t exclusive_vm;
    uint32_t handle; /* comes back, never 0 */
    uint32_t pad;
};
_Static_assert(sizeof(struct panthor_uapi_bo_create) == 24, "BO_CREATE");
_Static_assert(offsetof(struct panthor_uapi_bo_create, flags) == 8, "BO_CREATE.flags");
_Static_assert(offsetof(struct panthor_uapi_bo_create, handle) == 16, "BO_CREATE.handle");

struct panthor_uapi_bo_offset {
    uint32_t handle;
    uint32_t pad;
    uint64_t offset; /* comes back, for mmap */
};
_Static_assert(sizeof(struct panthor_uapi_bo_offset) == 16, "BO_MMAP_OFFSET");
_Static_assert(offsetof(struct panthor_uapi_bo_offset, offset) == 8, "BO_MMAP_OFFSET.offset");

/* ---- sessions -------------------------------------------------------------------------------- */

enum panthor_command {
    PANTHOR_SETUP, /* gives the session's number as what the call returns: 0 or 1 */
    PANTHOR_TEARDOWN,
    PANTHOR_START, /* what it returns says nothing but that it is not below 0 */
    PANTHOR_STOP,
    PANTHOR_SAMPLE
};
struct panthor_uapi_perf {
    uint32_t command;
    uint32_t handle;
    uint64_t size;    /* of what the pointer leads to */
    uint64_t pointer; /* 0: the call only says the size; TEARDOWN reads nothing there */
};
_Static_assert(sizeof(struct panthor_uapi_perf) == 24, "PERF_CONTROL");
_Static_assert(offsetof(struct panthor_uapi_perf, handle) == 4, "PERF_CONTROL.handle");
_Static_assert(offsetof(struct panthor_uapi_perf, size) == 8, "PERF_CONTROL.size");
_Static_assert(offsetof(struct panthor_uapi_perf, pointer) == 16, "PERF_CONTROL.pointer");

/* A counter's bit is that of its number; bits past the last counter are 0. */
struct panthor_uapi_setup {
    uint8_t block_set; /* 0: the one that everybody may have */
    uint8_t pad[7];
    uint32_t event_fd; /* counted up for each sample */
    uint32_t ring_handle;
    uint32_t control_handle;
    uint32_t sample_slots;   /* a power of two */
    uint64_t control_offset; /* not heeded by all: 0 */
    uint64_t sample_freq_ns; /* 0: when asked; no other is supported */
    uint64_t fw_mask[2];
    uint64_t cshw_mask[2];
    uint64_t tiler_mask[2];
    uint64_t memsys_mask[2];
    uint64_t shader_mask[2];
};
_Static_assert(sizeof(struct panthor_uapi_setup) == 120, "SETUP");
_Static_assert(offsetof(struct panthor_uapi_setup, event_fd) == 8, "SETUP.fd");
_Static_assert(offsetof(struct panthor_uapi_setup, ring_handle) == 12, "SETUP.ringbuf_handle");
_Static_assert(offsetof(struct panthor_uapi_setup, control_handle) == 16, "SETUP.control_handle");
_Static_assert(offsetof(struct panthor_uapi_setup, sample_slots) == 20, "SETUP.sample_slots");
_Static_assert(offsetof(struct panthor_uapi_setup, control_offset) == 24, "SETUP.control_offset");
_Static_assert(offsetof(struct panthor_uapi_setup, sample_freq_ns) == 32, "SETUP.sample_freq_ns");
_Static_assert(offsetof(struct panthor_uapi_setup, fw_mask) == 40, "SETUP.fw_enable_mask");
_Static_assert(offsetof(struct panthor_uapi_setup, cshw_mask) == 56, "SETUP.cshw_enable_mask");
_Static_assert(offsetof(struct panthor_uapi_setup, shader_mask) == 104, "SETUP.shader_enable_mask");

/* START, STOP, SAMPLE. */
struct panthor_uapi_ask {
    uint64_t user_data;
};
_Static_assert(sizeof(struct panthor_uapi_ask) == 8, "START, STOP, SAMPLE");

/* Both indices count slots and are kept wrapped: equal ones mean that nothing is there. */
struct panthor_uapi_indices {
    _Atomic uint64_t extract; /* ours: the next slot to be read */
    _Atomic uint64_t insert;  /* the driver's: the slot that it fills */
};
_Static_assert(sizeof(struct panthor_uapi_indices) == 16, "the ring's two indices");

_Static_assert(
    PANTHOR_CALL_SIZE(PANTHOR_CALL_QUERY) == sizeof(struct panthor_uapi_query) &&
        PANTHOR_CALL_SIZE(PANTHOR_CALL_BO_CREATE) == sizeof(struct panthor_uapi_bo_create) &&
        PANTHOR_CALL_SIZE(PANTHOR_CALL_BO_OFFSET) == sizeof(struct panthor_uapi_bo_offset) &&
        PANTHOR_CALL_SIZE(PANTHOR_CALL_PERF(0)) == sizeof(struct panthor_uapi_perf) &&
        PANTHOR_CALL_SIZE(PANTHOR_CALL_GEM_CLOSE) == sizeof(struct panthor_uapi_gem_close),
    "calls say the size of what they take");

#endif
