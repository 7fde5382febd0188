/*
 * Messages of the kernel's process connector, taken apart. Their numbers are of this machine's byte order and
 * lie unaligned; a message may be longer than what is known of it, and is told by its own lengths.
 */
#include <string.h>

#include "proc.h"

enum { NETLINK_BYTES = 16, CN_BYTES = 20, EVENT_BYTES = 16, HEAD_BYTES = 52, MESSAGE_DONE = 3 };
enum { WHAT_FORK = 1, WHAT_EXEC = 2, WHAT_COMM = 0x200 };
#define WHAT_EXIT UINT32_C(0x80000000)

static uint32_t u32_at(struct span s, size_t at) {
    uint32_t v;
    memcpy(&v, s.p + at, sizeof(v));
    return v;
}

/* What follows the head of an event; pid and tgid are equal for the first thread. */
static void take_body(uint32_t what, struct span m, struct proc_event *out) {
    size_t n = m.n - HEAD_BYTES;
    uint32_t pid = n >= 8 ? u32_at(m, HEAD_BYTES) : 0;
    uint32_t tgid = n >= 8 ? u32_at(m, HEAD_BYTES + 4) : 0;
    if (what == WHAT_FORK && n >= 16) {
        uint32_t child = u32_at(m, HEAD_BYTES + 8);
        if (child != u32_at(m, HEAD_BYTES + 12))
            return;
        *out = (struct proc_event){PROC_EVENT_FORK, (int32_t)child, (int32_t)tgid, 0, 0};
    } else if (what == WHAT_EXEC && n >= 8) {
        *out = (struct proc_event){PROC_EVENT_EXEC, (int32_t)tgid, 0, 0, 0};
    } else if (what == WHAT_COMM && n >= 8 && pid == tgid) {
        *out = (struct proc_event){PROC_EVENT_COMM, (int32_t)tgid, 0, 0, 0};
    } else if (what == WHAT_EXIT && n >= 8 && pid == tgid) {
        *out = (struct proc_event){PROC_EVENT_EXIT, (int32_t)tgid, 0, 0, 0};
    }
    if (out->pid <= 0)
        *out = (struct proc_event){0};
}

bool proc_event_next(struct span *rest, struct proc_event *out) {
    struct span m = *rest;
    size_t step;
    uint32_t len;
    uint16_t type;
    uint16_t data;
    *out = (struct proc_event){0};
    if (m.n < NETLINK_BYTES)
        return false;
    len = u32_at(m, 0);
    if (len < NETLINK_BYTES || len > m.n)
        return false;
    step = ((size_t)len + 3) & ~(size_t)3;
    *rest = step < m.n ? (struct span){m.p + step, m.n - step} : (struct span){m.p + m.n, 0};
    m.n = len;
    memcpy(&type, m.p + 4, sizeof(type));
    if (type != MESSAGE_DONE || m.n < NETLINK_BYTES + CN_BYTES)
        return true;
    memcpy(&data, m.p + 32, sizeof(data));
    if (data < m.n - NETLINK_BYTES - CN_BYTES)
        m.n = NETLINK_BYTES + CN_BYTES + (size_t)data;
    if (u32_at(m, 16) != 1 || u32_at(m, 20) != 1 || m.n < NETLINK_BYTES + CN_BYTES + EVENT_BYTES)
        return true;
    take_body(u32_at(m, 36), m, out);
    out->seq = u32_at(m, 24);
    out->cpu = u32_at(m, 40);
    return true;
}
