/*
 * PERF_INFO: how large samples, their blocks and headers are. Pure. Bytes and counts.
 *
 * The interface is not settled: what is not exactly as the posted versions have it is refused here, before anything
 * is taken for a counter.
 */
#include "ring.h"

#define SAMPLE_HEADER 56
#define BLOCK_HEADER  24

static bool fits(const struct panthor_layout *l) {
    uint64_t all = 0;
    for (unsigned type = PANTHOR_FW; type < PANTHOR_BLOCKS; type++)
        all += l->blocks[type];
    return l->sample_header == SAMPLE_HEADER && l->block_header == BLOCK_HEADER &&
           (l->counters == 64 || l->counters == PANTHOR_COUNTERS) && all > 0 &&
           all <= PANTHOR_MOST && l->blocks[PANTHOR_SHADER] <= PANTHOR_CORES &&
           l->sample_size == SAMPLE_HEADER + all * (BLOCK_HEADER + 8 * l->counters);
}

bool panthor_layout_read(struct span info, struct panthor_layout *out) {
    struct cursor c = cursor_over(info);
    struct panthor_layout l = {0};
    if (info.n != PANTHOR_INFO_BYTES)
        return false;
    l.counters = cursor_le32(&c);
    l.sample_header = cursor_le32(&c);
    l.block_header = cursor_le32(&c);
    l.sample_size = cursor_le32(&c);
    l.flags = cursor_le32(&c);
    l.clocks = cursor_le32(&c);
    for (unsigned type = PANTHOR_FW; type < PANTHOR_BLOCKS; type++)
        l.blocks[type] = cursor_le32(&c);
    if (c.bad || !fits(&l))
        return false;
    for (unsigned type = PANTHOR_FW; type < PANTHOR_BLOCKS; type++)
        l.blocks[PANTHOR_NONE] += l.blocks[type];
    *out = l;
    return true;
}

void panthor_layout_say(struct span info, struct buf *facts) {
    if (info.n == 0)
        return;
    buf_text(facts, "info=");
    for (size_t i = 0; i < info.n; i++)
        buf_hex(facts, (unsigned char)info.p[i], 2);
    buf_char(facts, '\n');
}

bool panthor_layout_from_facts(const char *facts, struct panthor_layout *out) {
    struct span hex = facts_get(facts, "info");
    char info[PANTHOR_INFO_BYTES];
    if (hex.n != 2 * sizeof info)
        return false;
    for (size_t i = 0; i < sizeof info; i++) {
        uint64_t byte;
        struct span two = {hex.p + 2 * i, 2};
        if (two.p[1] == 'x' || two.p[1] == 'X' || span_to_hex64(two, &byte) != ERR_OK)
            return false;
        info[i] = (char)(unsigned char)byte;
    }
    return panthor_layout_read((struct span){info, sizeof info}, out);
}
