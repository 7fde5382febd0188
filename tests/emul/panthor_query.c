/* What the emulated panthor says of itself: VERSION and DEV_QUERY. */
#include "panthor_emul.h"

#include <errno.h>
#include <string.h>

enum { QUERY_GPU, QUERY_CSIF, QUERY_TIMESTAMP, QUERY_PRIORITIES };

/* ---- VERSION --------------------------------------------------------------------------------- */

static void put_word(char *to, uint64_t *n, const char *word) {
    size_t have = strlen(word);
    if (to && *n > 0)
        memcpy(to, word, *n < have ? *n : have);
    *n = have;
}

/* Of 64 bits: the argument's words are at 16, 32 and 48, each a length and a place. */
int query_version(void *arg, size_t size) {
    static const char *const words[] = {"panthor", "20230801", "Panthor DRM driver"};
    const int32_t numbers[] = {1, (int32_t)script.version->minor, 0};
    uint8_t *a = arg;
    if (size != 64)
        return fail(EINVAL);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t pair[2];
        memcpy(pair, a + 16 + 16 * i, 16);
        put_word((char *)(uintptr_t)pair[1], &pair[0], words[i]);
        memcpy(a + 16 + 16 * i, pair, 8);
    }
    memcpy(a, numbers, sizeof numbers);
    note("VERSION 1.%u", script.version->minor);
    return 0;
}

/* ---- DEV_QUERY ------------------------------------------------------------------------------- */

struct dev_query {
    uint32_t type;
    uint32_t size;
    uint64_t pointer;
};

/* `least`: up to the last member that the first version had. */
static int answer(const char *name, struct dev_query *q, const void *from, uint32_t n,
                  uint32_t least) {
    uint8_t *to = (uint8_t *)(uintptr_t)q->pointer;
    if (!to) {
        note("DEV_QUERY %s: %u bytes", name, n);
        q->size = n;
        return 0;
    }
    if (q->size < least) {
        misuse("DEV_QUERY %s into %u bytes", name, q->size);
        return fail(EINVAL);
    }
    memset(to, 0, q->size);
    memcpy(to, from, q->size < n ? q->size : n);
    note("DEV_QUERY %s into %u bytes", name, q->size);
    return 0;
}

static int answer_gpu(struct dev_query *q) {
    uint8_t info[112] = {0};
    const uint32_t l2 = 7U << 24 | 0x120306, mem = (uint32_t)(script.slices - 1) << 8 | 1,
                   mmu = 0x2830, as = 0xff, threads = 2048;
    const uint64_t one = 1;
    memcpy(info, &script.gpu->id, 4);
    memcpy(info + 12, &l2, 4);
    memcpy(info + 20, &mem, 4);
    memcpy(info + 24, &mmu, 4);
    memcpy(info + 32, &threads, 4);
    memcpy(info + 64, &as, 4);
    memcpy(info + 72, &script.shader_present, 8);
    memcpy(info + 80, &one, 8);
    memcpy(info + 88, &one, 8);
    return answer("GPU_INFO", q, info, script.version->minor >= 8 ? 112 : 104, 104);
}

enum {
    ASK_TIME = 1,
    ASK_CPU = 7 << 1,
    ASK_OFFSET = 1 << 4,
    ASK_CYCLES = 1 << 5,
    ASK_RATE = 1 << 6,
    ASK_DURATION = 1 << 7
};

/* Flags since 1.8: they are read before anything is written. */
static int asked_flags(const struct dev_query *q, uint32_t *flags) {
    *flags = ASK_TIME | ASK_OFFSET | ASK_RATE;
    if (script.version->minor < 8 || !q->pointer || q->size < 28)
        return 0;
    uint32_t asked;
    memcpy(&asked, (const uint8_t *)(uintptr_t)q->pointer + 24, 4);
    if (asked >> 8 || (asked & ASK_CPU) > 2 << 1) {
        misuse("TIMESTAMP_INFO flags %#x", asked);
        return EINVAL;
    }
    if (asked)
        *flags = asked;
    return 0;
}

static int answer_timestamp(struct dev_query *q) {
    uint64_t out[7] = {0};
    uint32_t flags;
    int64_t ns = raw_ns();
    if (script.version->minor < 1)
        return fail(EINVAL);
    int sys = asked_flags(q, &flags);
    if (sys)
        return fail(sys);
    if (flags & ASK_RATE)
        out[0] = script.no_rate ? 0 : TIMESTAMP_HZ;
    if (flags & ASK_TIME)
        out[1] = model_timestamp(ns);
    if (flags & ASK_CYCLES)
        out[4] = model_cycles(ns);
    if (flags & ASK_CPU) {
        out[5] = (uint64_t)ns / 1000000000;
        out[6] = (uint64_t)ns % 1000000000;
    }
    out[3] = flags | (flags & ASK_DURATION ? UINT64_C(900) << 32 : 0);
    return answer("TIMESTAMP_INFO", q, out, script.version->minor >= 8 ? 56 : 24, 24);
}

void query_perf_info(uint32_t out[11]) {
    uint32_t blocks = 0;
    out[0] = model_counters();
    out[1] = (uint32_t)script.header;
    out[2] = 24;
    out[4] = out[5] = 0;
    for (unsigned t = BLOCK_FW; t < BLOCK_TYPES; t++)
        blocks += out[5 + t] = model_blocks((enum block_type)t);
    out[3] = out[1] + blocks * (out[2] + 8 * out[0]) + (script.odd_size ? 8 : 0);
}

static int answer_perf(struct dev_query *q) {
    uint32_t info[11];
    query_perf_info(info);
    return answer("PERF_INFO", q, info, script.version->info_bytes, script.version->info_bytes);
}

int query_device(void *arg) {
    struct dev_query *q = arg;
    const uint64_t pages = 0x40201000, none[3] = {0};
    if (q->type == QUERY_GPU)
        return answer_gpu(q);
    if (q->type == QUERY_CSIF)
        return answer("CSIF_INFO", q, none, 24, 24);
    if (q->type == QUERY_TIMESTAMP)
        return answer_timestamp(q);
    if (q->type == QUERY_PRIORITIES && script.version->minor >= 2)
        return answer("GROUP_PRIORITIES_INFO", q, none, 4, 4);
    if (q->type == 4 && script.version->mmu_query)
        return answer("MMU_INFO", q, &pages, 8, 8);
    if (script.version->perf_query && q->type == script.version->perf_query)
        return answer_perf(q);
    note("DEV_QUERY %u: unknown", q->type);
    return fail(EINVAL);
}
