/*
 * Files of the ring: 44 bytes of PERF_INFO, then samples back to back. Pure.
 *
 * Nothing in a sample says how large it is: the head does.
 */
#include "panthor.h"
#include "ring.h"

/* Counters in a block, bytes of both headers. */
static const char begins[2][12] = {{64, 0, 0, 0, 56, 0, 0, 0, 24, 0, 0, 0},
                                   {(char)128, 0, 0, 0, 56, 0, 0, 0, 24, 0, 0, 0}};

static bool recognise(struct span head, bool more) {
    struct panthor_layout l;
    size_t n = head.n < sizeof begins[0] ? head.n : sizeof begins[0];
    if (head.n >= PANTHOR_INFO_BYTES)
        return panthor_layout_read((struct span){head.p, PANTHOR_INFO_BYTES}, &l);
    if (!more)
        return false;
    return n == 0 || memcmp(head.p, begins[0], n) == 0 || memcmp(head.p, begins[1], n) == 0;
}

/* The fold puts together what is cut. */
static size_t cut(struct span rest) {
    return rest.n;
}

static size_t next_after(struct span head, struct span rest, int64_t *t_ns) {
    struct panthor_layout l;
    bool start = head.n == 0;
    struct span info = {start ? rest.p : head.p,
                        start && rest.n < PANTHOR_INFO_BYTES ? rest.n : PANTHOR_INFO_BYTES};
    *t_ns = INT64_MIN;
    if ((!start && head.n != PANTHOR_INFO_BYTES) || !panthor_layout_read(info, &l))
        return 0;
    if (start)
        return PANTHOR_INFO_BYTES;
    if (rest.n < l.sample_size)
        return 0;
    struct cursor end = cursor_over((struct span){rest.p + 8, 8});
    uint64_t end_ns = cursor_le64(&end);
    if (end_ns > 0 && end_ns <= INT64_MAX)
        *t_ns = (int64_t)end_ns;
    return l.sample_size;
}

const struct vendor_file panthor_ring_file = {
    .recognise = recognise,
    .cut = cut,
    .head_size = PANTHOR_INFO_BYTES,
    .next_after = next_after,
    .device = "panthor",
    .device_facts = "driver=panthor\nname=Mali GPU\n",
};
