/*
 * oa: captures of Intel's observation unit, as a recorder would have written them.
 *
 *   oa recorder|before|ring FILE
 *
 * recorder: i915-perf-recorder on a Skylake for two seconds: every 100 ms context 32 runs for 30 ms and context 64 for
 * 20 ms, at 1 GHz and at 500 MHz; at 1.5 s a report is lost; the CPU's clock is 0.1 % fast. before: the same as the
 * recorder wrote it before its release. ring: the records of the proposal of 2015 on a Haswell for 1.8 s: every 200 ms
 * contexts 7, 8 and 9 of the threads 4001, 4002 and 4003 have a batch of 40, 20 and 70 ms, the last one under two tags
 * by turns. Always the same to the byte.
 */
#include <stdio.h>
#include <string.h>

#include "oabytes.h"

static const struct oab_device skylake = {.timestamp_hz = 12000000,
                                          .pci_device = 0x1912,
                                          .most_hz = 1150000000,
                                          .format = 10,
                                          .uuid = "07b25942-d9fd-4fce-bd58-e29abd66b7de"};

/* ---- the recorder ------------------------------------------------------------------------------ */

#define GPU_START UINT64_C(0x3ff000000) /* wraps in its low half after 1.4 s */
#define CPU_START UINT64_C(7000000000)
#define CPU_MS    UINT64_C(1001000)

struct gpu {
    struct oab_report r;
    unsigned ms;
};

static void run(struct gpu *g, unsigned ms, uint32_t clock_mhz) {
    uint64_t clocks = UINT64_C(1000) * clock_mhz * ms;
    g->ms += ms;
    g->r.clock += (uint32_t)clocks;
    if (g->r.context == UINT32_MAX)
        return;
    g->r.a[0] += clocks;
    g->r.a[1] += 10 * ms;
    g->r.a[6] += 1000 * ms;
    g->r.a[7] += clocks * 24 / 2;
    g->r.a[8] += clocks * 24 / 5;
    g->r.b[0] += (uint32_t)(clocks / 4);
    g->r.c[6] += 100000 * ms;
    g->r.c[7] += 25000 * ms;
}

static void report(struct buf *b, struct gpu *g, uint32_t context, bool lost) {
    g->r.id = 0x3c | (context ? OAB_VALID | OAB_SWITCH : OAB_SWITCH);
    g->r.context = context ? context : UINT32_MAX;
    g->r.timestamp = (uint32_t)(GPU_START + 12000 * (uint64_t)g->ms);
    if (lost)
        oab_status(b, 2);
    else
        oab_sample(b, &g->r);
}

static void pair(struct buf *b, unsigned ms, bool released) {
    oab_pair(b, CPU_START + CPU_MS * ms, GPU_START + 12000 * (uint64_t)ms, released);
}

static void recorder(struct buf *b, bool released) {
    struct gpu g = {.r = {.context = UINT32_MAX}};
    if (released)
        oab_version(b);
    oab_info(b, &skylake, released);
    oab_topology(b, released);
    for (unsigned i = 0; i < 20; i++) {
        if (i % 10 == 0)
            pair(b, g.ms, released);
        report(b, &g, 32, false);
        run(&g, 30, 1000);
        report(b, &g, 64, i == 15);
        run(&g, 20, 500);
        report(b, &g, 0, false);
        run(&g, 50, 300);
    }
    report(b, &g, 32, false);
    pair(b, g.ms, released);
}

/* ---- the ring ---------------------------------------------------------------------------------- */

static struct oab_report haswell(unsigned ms, unsigned busy_ms, uint32_t id) {
    struct oab_report r = {.id = id, .timestamp = 0x00c0ffee + 12500 * ms, .clock = 1000000 * ms};
    r.a[0] = 5000000 * busy_ms; /* of 20 units */
    r.a[5] = 10 * busy_ms;
    r.a[41] = 1000000 * busy_ms;
    r.c[6] = 50000 * busy_ms;
    return r;
}

static void batch(struct buf *b, unsigned from_ms, unsigned ms, unsigned *busy_ms, uint32_t number,
                  const uint32_t footer[3]) {
    const struct oab_footer f = {true, true, true, {footer[0], footer[1], footer[2]}};
    const struct oab_report begin = haswell(from_ms, *busy_ms, number);
    *busy_ms += ms;
    const struct oab_report end = haswell(from_ms + ms, *busy_ms, number);
    oab_ring_sample(b, &begin, &f);
    oab_ring_sample(b, &end, &f);
}

static void ring(struct buf *b) {
    const struct oab_footer none = {0};
    unsigned busy_ms = 0;
    uint32_t number = 100;
    for (unsigned i = 0; i < 9; i++) {
        const uint32_t owners[3][3] = {
            {7, 4001, 0x51}, {8, 4002, 0x52}, {9, 4003, i % 2 ? 0x54 : 0x53}};
        const struct oab_report timer = haswell(200 * i, busy_ms, 0x400);
        oab_ring_sample(b, &timer, &none);
        batch(b, 200 * i + 20, 40, &busy_ms, number++, owners[0]);
        batch(b, 200 * i + 80, 20, &busy_ms, number++, owners[1]);
        batch(b, 200 * i + 120, 70, &busy_ms, number++, owners[2]);
    }
}

static int put(const struct buf *b, const char *path) {
    FILE *f = fopen(path, "wb");
    if (!f)
        return 1;
    size_t n = fwrite(b->p, 1, b->n, f);
    return fclose(f) == 0 && n == b->n ? 0 : 1;
}

int main(int argc, char **argv) {
    struct buf b;
    int bad = 2;
    buf_init(&b);
    if (argc == 3 && strcmp(argv[1], "ring") == 0)
        ring(&b);
    else if (argc == 3 && strcmp(argv[1], "recorder") == 0)
        recorder(&b, true);
    else if (argc == 3 && strcmp(argv[1], "before") == 0)
        recorder(&b, false);
    if (b.n > 0)
        bad = put(&b, argv[2]);
    else
        fprintf(stderr, "usage: oa recorder|before|ring FILE\n");
    buf_finish(&b);
    return bad;
}
