/* Samples of the counter ring of a GPU with four cores through their fold: each one told, and summed up over a tick. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/panthor/panthor.h"
#include "measure.h"
#include "panbytes.h"

#define SAMPLES 2000
#define PASSES  31

static void count_sample(void *ctx, const struct sample *s) {
    (void)s;
    ++*(uint64_t *)ctx;
}

static void put_ring(struct buf *b, const struct pan_device *d) {
    static struct pan_sample s;
    pan_info(b, d);
    for (unsigned i = 0; i < SAMPLES; i++) {
        pan_begin(&s, d, 5000000000 + 1000000 * (uint64_t)i, PAN_TIMESTAMP_HZ + 24000 * i);
        for (unsigned k = 0; k < s.count; k++)
            for (unsigned c = 4; c < d->counters; c++)
                s.blocks[k].c[c] = 1000 * c + i;
        pan_put(b, d, &s);
    }
}

static double rate(const struct buf *b, const char *facts) {
    const struct subject s = {.id = 1, .name = "", .facts = facts};
    const struct frame f = {.bytes = b->p, .size = b->n, .kind = PANTHOR_RING};
    void *state = calloc(1, panthor_ring_fold.size);
    struct measure m = {0};
    struct counts counts = {0};
    uint64_t said = 0;
    const struct sink sink = {.ctx = &said, .sample = count_sample};
    if (!state)
        return 0;
    for (unsigned i = 0; i < PASSES; i++) {
        measure_begin(&m);
        panthor_ring_fold.init(state, &s);
        panthor_ring_fold.feed(state, &s, &f, &sink, &counts);
        panthor_ring_fold.tick(state, &s, 1, &sink, &counts);
        measure_end(&m);
    }
    free(state);
    return counts.accepted == (uint64_t)SAMPLES * PASSES && said > 0
               ? SAMPLES / measure_wall_us(&m) * 1e6
               : 0;
}

int main(void) {
    static const struct pan_device g610 = {64, {0, 0, 1, 1, 1, 4}};
    struct buf b;
    buf_init(&b);
    put_ring(&b, &g610);
    printf("\nSamples of the counter ring, four cores (median of %d)\n", PASSES);
    measure_verdict("summed up over a tick", rate(&b, "clock_hz=500000000\n") / 1e3,
                    "thousand a second", 200, true);
    measure_verdict("each one told", rate(&b, "clock_hz=500000000\neach=1\n") / 1e3,
                    "thousand a second", 200, true);
    buf_finish(&b);
    return 0;
}
