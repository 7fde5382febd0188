/*
 * panthor: what the counter ring of a Mali GPU would have held.
 *
 *   panthor g610|g715 FILE
 *
 * g610: two seconds of a Mali-G610 with four cores at 500 MHz, a sample every 200 ms: busy 20 % of the time at first, and 5
 * points more in each next one; cores share the work but the last, which has half of it. g715: five samples of a G715
 * with 128 counters to a block, whose count of active clocks has idle ones in it. Always the same to the byte.
 */
#include <stdio.h>
#include <string.h>

#include "panbytes.h"

#define START    UINT64_C(5000000000)
#define STEP_NS  UINT64_C(200000000)
#define STEP_GPU (PAN_TIMESTAMP_HZ / 5)
#define CLOCKS   UINT64_C(100000000) /* in 200 ms at 500 MHz */

static void front_end(uint64_t *c, uint64_t active, bool erratum) {
    c[4] = erratum ? CLOCKS : active;
    c[5] = active / 50;
    c[6] = active;
    c[16] = active / 10 + 1000;
    c[22] = 1000;
    c[24] = active / 4;
    c[32] = active * 8 / 10;
    c[38] = active / 20;
}

static void sample(struct buf *b, const struct pan_device *d, unsigned i) {
    struct pan_sample s;
    uint64_t active = CLOCKS / 100 * (20 + 5 * i);
    pan_begin(&s, d, START + STEP_NS * i, UINT64_C(0xfff00000) + STEP_GPU * i);
    front_end(pan_block(&s, PAN_CSHW, 0)->c, active, d->counters > 64);
    pan_block(&s, PAN_TILER, 0)->c[4] = active / 8;
    for (unsigned k = 0; k < d->blocks[PAN_MEMSYS]; k++) {
        uint64_t *c = pan_block(&s, PAN_MEMSYS, k)->c;
        c[26] = active / 20;
        c[27] = active / 40;
        c[29] = active / 100;
        c[32] = active / 25;
        c[33] = active / 10;
        c[42] = active / 400;
        c[47] = active / 100;
        c[48] = active / 50;
    }
    for (unsigned k = 0; k < d->blocks[PAN_SHADER]; k++) {
        uint64_t *c = pan_block(&s, PAN_SHADER, k)->c;
        uint64_t busy = active * 9 / 10 / (k + 1 == d->blocks[PAN_SHADER] ? 2 : 1);
        c[4] = busy * 8 / 10;
        c[22] = busy / 4;
        c[26] = busy / 2;
        c[53] = busy;
    }
    pan_put(b, d, &s);
}

int main(int argc, char **argv) {
    static const struct pan_device g610 = {64, {0, 0, 1, 1, 1, 4}};
    static const struct pan_device g715 = {128, {0, 1, 1, 1, 1, 2}};
    struct buf b;
    bool first = argc == 3 && strcmp(argv[1], "g610") == 0;
    if (!first && !(argc == 3 && strcmp(argv[1], "g715") == 0)) {
        fprintf(stderr, "usage: panthor g610|g715 FILE\n");
        return 2;
    }
    const struct pan_device *d = first ? &g610 : &g715;
    buf_init(&b);
    pan_info(&b, d);
    for (unsigned i = 0; i < (first ? 11 : 5); i++)
        sample(&b, d, i);
    FILE *f = fopen(argv[2], "wb");
    size_t n = f ? fwrite(b.p, 1, b.n, f) : 0;
    int bad = f && fclose(f) == 0 && n == b.n ? 0 : 1;
    buf_finish(&b);
    return bad;
}
