/*
 * The memory that a session shares with the driver, and the session's calls. The ring has slots of
 * one sample; of its two indices the driver moves one and gwtop the other, both kept wrapped. What
 * stands there is the driver's word and is held against the bounds; a sample is copied out once. I/O.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect_session.h"

#define WAKES_MAX 64 /* in one wait: a wake-up need not bring a sample */

/* ---- calls ----------------------------------------------------------------------------------- */

static uint32_t perf_call(const struct panthor_run *r) {
    return PANTHOR_CALL_PERF(r->driver.perf_id);
}

static struct panthor_uapi_perf command_on(const struct panthor_run *r,
                                           enum panthor_command command, const void *ask) {
    return (struct panthor_uapi_perf){
        .command = command,
        .handle = r->handle,
        .size = command == PANTHOR_TEARDOWN ? 0 : sizeof(struct panthor_uapi_ask),
        .pointer = (uintptr_t)ask,
    };
}

int panthor_ring_command(struct panthor_run *r, enum panthor_command command) {
    struct panthor_uapi_ask ask = {.user_data = ++r->sequence};
    struct panthor_uapi_perf p = command_on(r, command, &ask);
    return host_ioctl(&r->own, r->node, perf_call(r), &p);
}

/* Nothing is read where the pointer leads, but without one the call does nothing. */
int panthor_ring_teardown(struct panthor_run *r) {
    struct panthor_uapi_ask ask = {0};
    struct panthor_uapi_perf p = command_on(r, PANTHOR_TEARDOWN, &ask);
    return host_ioctl_once(&r->own, r->node, perf_call(r), &p);
}

struct panthor_uapi_perf panthor_ring_undo(struct panthor_run *r, enum panthor_command command) {
    return command_on(r, command, &r->crash);
}

/* Whole blocks: in between drivers differ in what a bit stands for. Bits past the last counter are
 * to be 0. */
static void ask_block(const struct panthor_run *r, enum panthor_block type, uint64_t mask[2]) {
    if (r->driver.layout.blocks[type] == 0)
        return;
    mask[0] = UINT64_MAX;
    mask[1] = r->driver.layout.counters > 64 ? UINT64_MAX : 0;
}

int panthor_ring_setup(struct panthor_run *r) {
    struct panthor_uapi_setup setup = {
        .event_fd = (uint32_t)r->event,
        .ring_handle = r->ring.handle,
        .control_handle = r->control.handle,
        .sample_slots = PANTHOR_SLOTS,
    };
    struct panthor_uapi_perf p = {
        .command = PANTHOR_SETUP, .size = sizeof(setup), .pointer = (uintptr_t)&setup};
    ask_block(r, PANTHOR_FW, setup.fw_mask);
    ask_block(r, PANTHOR_CSHW, setup.cshw_mask);
    ask_block(r, PANTHOR_TILER, setup.tiler_mask);
    ask_block(r, PANTHOR_MEMSYS, setup.memsys_mask);
    ask_block(r, PANTHOR_SHADER, setup.shader_mask);
    return host_ioctl_once(&r->own, r->node, perf_call(r), &p);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool create_buffer(struct panthor_run *r, struct panthor_buffer *b, uint64_t bytes) {
    struct panthor_uapi_bo_create create = {.size = bytes};
    struct panthor_uapi_bo_offset offset = {0};
    if (host_ioctl(&r->own, r->node, PANTHOR_CALL_BO_CREATE, &create) < 0)
        return panthor_refuse(r, errno, "the driver gives no memory for samples: %s",
                              strerror(errno));
    b->handle = create.handle;
    if (create.handle == 0 || create.size < bytes || create.size > SIZE_MAX)
        return panthor_refuse(r, EPROTO, "the driver gives too little memory for samples");
    b->bytes = (size_t)create.size;
    offset.handle = b->handle;
    if (host_ioctl(&r->own, r->node, PANTHOR_CALL_BO_OFFSET, &offset) < 0)
        return panthor_refuse(r, errno, "the memory of samples cannot be mapped: %s",
                              strerror(errno));
    if (offset.offset > INT64_MAX || (uint64_t)(off_t)offset.offset != offset.offset)
        return panthor_refuse(r, EOVERFLOW, "the memory of samples lies too far to be mapped");
    b->at = host_mmap(&r->own, r->node, b->bytes, (off_t)offset.offset);
    return b->at ||
           panthor_refuse(r, errno, "the memory of samples cannot be mapped: %s", strerror(errno));
}

bool panthor_ring_create(struct panthor_run *r) {
    const uint64_t ring = (uint64_t)r->driver.layout.sample_size * PANTHOR_SLOTS;
    r->extract = 0;
    if (!create_buffer(r, &r->ring, ring) ||
        !create_buffer(r, &r->control, sizeof(struct panthor_uapi_indices)))
        return false;
    r->event = host_eventfd(&r->own);
    return r->event >= 0 ||
           panthor_refuse(r, errno, "no event to wait for samples by: %s", strerror(errno));
}

static void destroy_buffer(struct panthor_run *r, struct panthor_buffer *b) {
    struct panthor_uapi_gem_close gone = {.handle = b->handle};
    host_munmap(&r->own, b->at, b->bytes);
    if (b->handle != 0)
        (void)host_ioctl_once(&r->own, r->node, PANTHOR_CALL_GEM_CLOSE, &gone);
    *b = (struct panthor_buffer){0};
}

void panthor_ring_destroy(struct panthor_run *r) {
    destroy_buffer(r, &r->ring);
    destroy_buffer(r, &r->control);
    host_close(&r->own, r->event);
    r->event = -1;
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool panthor_ring_insert(struct panthor_run *r, uint64_t *out) {
    struct panthor_uapi_indices *indices = r->control.at;
    *out = atomic_load_explicit(&indices->insert, memory_order_acquire);
    return *out < PANTHOR_SLOTS ||
           panthor_refuse(r, EPROTO, "the driver's place in the ring is none: %llu of %d",
                          (unsigned long long)*out, PANTHOR_SLOTS);
}

/* The newest has in front of it what the driver says of its clock by now. */
static void hand_on(struct panthor_run *r, bool newest, const struct frame_sink *sink) {
    const size_t n = r->driver.layout.sample_size;
    buf_clear(&r->body);
    if (newest)
        panthor_clock_say(r, &r->body);
    buf_put(&r->body, (const char *)r->ring.at + r->extract * n, n);
    if (r->body.failed)
        host_emit(sink, r->subject, PANTHOR_RING, clock_mono_ns(), NULL, -1, ENOMEM);
    else
        host_emit(sink, r->subject, PANTHOR_RING, clock_mono_ns(), r->body.p, (ssize_t)r->body.n,
                  0);
}

/* ---- requests, and what comes of them -------------------------------------------------------- */

void panthor_ring_ask(struct panthor_run *r) {
    if (r->undo_request < 0)
        r->undo_request = undo_arm_wait(r->event, PANTHOR_WAIT_NS);
}

void panthor_ring_landed(struct panthor_run *r) {
    undo_disarm(r->undo_request);
    r->undo_request = -1;
    r->pending = r->late = false;
}

/* So that who waits for the next one, in a crash too, does not find this one's wake-up. */
static void silence(struct panthor_run *r) {
    uint64_t count;
    (void)host_read(&r->own, r->event, &count, sizeof(count));
}

int panthor_ring_drain(struct panthor_run *r, const struct frame_sink *sink) {
    struct panthor_uapi_indices *indices = r->control.at;
    uint64_t insert;
    int count = 0;
    if (!panthor_ring_insert(r, &insert))
        return -1;
    for (; r->extract != insert; count++) {
        uint64_t next = (r->extract + 1) % PANTHOR_SLOTS;
        if (r->subject)
            hand_on(r, next == insert, sink);
        r->extract = next;
        atomic_store_explicit(&indices->extract, next, memory_order_release);
    }
    if (count > 0) {
        panthor_ring_landed(r);
        silence(r);
    }
    return count;
}

/* Drivers take a place that is none for the one that it wraps to. */
void panthor_ring_empty(struct panthor_run *r) {
    struct panthor_uapi_indices *indices = r->control.at;
    uint64_t insert = atomic_load_explicit(&indices->insert, memory_order_acquire) % PANTHOR_SLOTS;
    if (insert != r->extract)
        panthor_ring_landed(r);
    r->extract = insert;
    atomic_store_explicit(&indices->extract, insert, memory_order_release);
    silence(r);
}

/* What woke stays to be read while a crash may wait for it: until it is told apart from no sample. */
void panthor_ring_wait(struct panthor_run *r, int64_t most_ns) {
    const int64_t end_ns = clock_mono_ns() + most_ns;
    uint64_t insert;
    for (unsigned wakes = 0; wakes < WAKES_MAX; wakes++) {
        int64_t left_ns = end_ns - clock_mono_ns();
        if (panthor_ring_insert(r, &insert) && insert != r->extract)
            break;
        if (host_poll_in(&r->own, r->event, left_ns > 0 ? left_ns : 0) <= 0)
            break;
        if (!panthor_ring_insert(r, &insert)) {
            panthor_ring_landed(r);
            silence(r);
            break;
        }
        if (insert == r->extract)
            silence(r);
    }
}
