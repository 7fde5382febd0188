/*
 * A sample of the ring, block by block, by the sizes that the driver reports. Pure. Counts, ns, cycles.
 */
#include "ring.h"

static uint64_t le64(const unsigned char *p) {
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static uint32_t le32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t sum(uint64_t a, uint64_t b) {
    uint64_t v = a + b;
    return v >= a ? v : UINT64_MAX;
}

static const uint8_t core_counters[4] = {PANTHOR_SHADER_CORE_ACTIVE, PANTHOR_FRAG_ACTIVE,
                                         PANTHOR_COMPUTE_ACTIVE, PANTHOR_EXEC_CORE_ACTIVE};

/* Which blocks of a type came already; no index is larger than all blocks are. */
struct seen {
    uint64_t bits[PANTHOR_BLOCKS][2];
};

static bool is_there(const struct panthor_layout *l, struct seen *seen, unsigned type,
                     unsigned index) {
    if (type == PANTHOR_NONE || type >= PANTHOR_BLOCKS || index >= l->blocks[type] ||
        index >= PANTHOR_MOST)
        return false;
    uint64_t bit = UINT64_C(1) << index % 64;
    bool twice = seen->bits[type][index / 64] & bit;
    seen->bits[type][index / 64] |= bit;
    return !twice;
}

/* The timestamp, which stands first, ends the search in most of them. */
static bool all_zero(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i += 8)
        if (le64(p + i) != 0)
            return false;
    return true;
}

/* The first block of a type is a copy: most types have no other. */
static void add_counters(uint64_t *to, const unsigned char *p, const uint64_t enabled[2],
                         unsigned count, bool first) {
    for (unsigned word = 0; word < count / 64; word++, to += 64, p += 512) {
        bool all = enabled[word] == UINT64_MAX;
        if (all && first)
            for (unsigned i = 0; i < 64; i++)
                to[i] = le64(p + 8 * i);
        else if (all)
            for (unsigned i = 0; i < 64; i++)
                to[i] = sum(to[i], le64(p + 8 * i));
        else
            for (unsigned i = 0; i < 64; i++)
                to[i] = enabled[word] >> i & 1 ? sum(to[i], le64(p + 8 * i)) : to[i];
    }
}

static void take_core(struct panthor_sample *s, unsigned core, const unsigned char *counters) {
    s->core_present |= UINT64_C(1) << core;
    for (unsigned i = 0; i < 4; i++)
        s->core[core][i] = le64(
            counters +
            8 * panthor_place_of(PANTHOR_UNKNOWN, (enum panthor_counter)core_counters[i]).index);
}

static void take_block(struct panthor_sample *s, unsigned type, unsigned index,
                       const unsigned char *header, const unsigned char *counters, unsigned count) {
    const uint64_t enabled[2] = {le64(header + 8), count > 64 ? le64(header + 16) : 0};
    bool first = s->delivered[type]++ == 0;
    for (unsigned word = 0; word < 2; word++)
        s->enabled[type][word] = enabled[word] & (first ? UINT64_MAX : s->enabled[type][word]);
    add_counters(s->sum[type], counters, enabled, count, first);
    if (type == PANTHOR_CSHW && s->gpu_timestamp == 0)
        s->gpu_timestamp = (uint64_t)le32(counters + 8) << 32 | le32(counters);
    if (type == PANTHOR_SHADER)
        take_core(s, index, counters);
}

static void read_header(const unsigned char *p, struct panthor_sample *out) {
    memset(out, 0, sizeof *out);
    out->start_ns = le64(p);
    out->end_ns = le64(p + 8);
    out->set = p[16];
    out->flags = le32(p + 20);
    out->user_data = le64(p + 24);
    for (unsigned i = 0; i < 3; i++)
        out->cycles[i] = le64(p + 32 + 8 * i);
    out->empty = true;
}

bool panthor_sample_read(const struct panthor_layout *l, struct span bytes,
                         struct panthor_sample *out, struct counts *counts) {
    const unsigned char *p = (const unsigned char *)bytes.p;
    size_t counters = (size_t)8 * l->counters;
    struct seen seen = {0};
    if (bytes.n < l->sample_size)
        return false;
    read_header(p, out);
    p += l->sample_header;
    for (uint32_t i = 0; i < l->blocks[PANTHOR_NONE]; i++, p += l->block_header + counters) {
        if (!is_there(l, &seen, p[0], p[1])) {
            counts->reasons[REASON_BLOCK_TYPE]++;
            continue;
        }
        if (all_zero(p + l->block_header, counters))
            continue;
        take_block(out, p[0], p[1], p, p + l->block_header, l->counters);
        out->empty = false;
    }
    return true;
}

/* ---- several as one -------------------------------------------------------------------------- */

/* A type that one of the samples lacks has no sum: its mask becomes empty. */
static void add_type(struct panthor_sample *to, const struct panthor_sample *more, unsigned type) {
    /* Past what nobody had there is nothing to add. */
    unsigned count = more->enabled[type][1] ? PANTHOR_COUNTERS : PANTHOR_COUNTERS / 2;
    for (unsigned word = 0; word < 2; word++)
        to->enabled[type][word] &= more->enabled[type][word];
    if (more->delivered[type] > to->delivered[type])
        to->delivered[type] = more->delivered[type];
    for (unsigned i = 0; more->delivered[type] > 0 && i < count; i++)
        to->sum[type][i] = sum(to->sum[type][i], more->sum[type][i]);
}

void panthor_sample_add(struct panthor_sample *to, const struct panthor_sample *more) {
    if (to->end_ns == 0) {
        *to = *more;
        return;
    }
    for (unsigned type = PANTHOR_FW; type < PANTHOR_BLOCKS; type++)
        add_type(to, more, type);
    for (unsigned core = 0; core < PANTHOR_CORES; core++)
        for (unsigned i = 0; i < 4; i++)
            to->core[core][i] = sum(to->core[core][i], more->core[core][i]);
    to->core_present |= more->core_present;
    to->end_ns = more->end_ns;
    to->user_data = more->user_data;
    to->gpu_timestamp = more->gpu_timestamp;
    to->flags |= more->flags;
    to->set |= more->set; /* of another set nothing is told */
}

int64_t panthor_interval_ns(const struct panthor_gpu *g, const struct panthor_sample *before,
                            const struct panthor_sample *now) {
    uint64_t ns = 0;
    if (g->timestamp_hz > 0 && before->gpu_timestamp > 0 &&
        now->gpu_timestamp > before->gpu_timestamp)
        ns = mul_div_u64(now->gpu_timestamp - before->gpu_timestamp, 1000000000, g->timestamp_hz);
    else if (before->end_ns > 0 && now->end_ns > before->end_ns)
        ns = now->end_ns - before->end_ns;
    return ns <= INT64_MAX ? (int64_t)ns : INT64_MAX;
}
