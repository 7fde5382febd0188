/*
 * Bytes of the counter ring of Mali GPUs for tests, as the posted interface has them: numbers and offsets stand here once
 * more, of the test's own.
 */
#ifndef TEST_PANBYTES_H
#define TEST_PANBYTES_H

#include "gwtop/base.h"

#define PAN_BLOCKS 96

enum { PAN_FW = 1, PAN_CSHW, PAN_TILER, PAN_MEMSYS, PAN_SHADER };

struct pan_device {
    unsigned counters;  /* in a block */
    unsigned blocks[6]; /* by type, from PAN_FW on */
};
struct pan_block {
    uint8_t type;
    uint8_t index;
    uint64_t mask[2];
    uint64_t c[128];
};
struct pan_sample {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t user_data;
    uint32_t flags;
    uint8_t set;
    unsigned count;
    struct pan_block blocks[PAN_BLOCKS];
};

void pan_le(struct buf *b, uint64_t v, unsigned bytes);
/* The 44 bytes. */
void pan_info(struct buf *b, const struct pan_device *d);
size_t pan_sample_size(const struct pan_device *d);

/* All blocks in their order, every counter asked for; `ticks` of the GPU's clock in each. */
void pan_begin(struct pan_sample *s, const struct pan_device *d, uint64_t end_ns, uint64_t ticks);
/* The block of a type and a place; fails the test if it is not there. */
struct pan_block *pan_block(struct pan_sample *s, unsigned type, unsigned index);
void pan_put(struct buf *b, const struct pan_device *d, const struct pan_sample *s);

/* A G710 with two slices and three cores, and a sample of it: 100 ms at 500 MHz. Its shares and rates were worked out by
 * hand: busy 90 %, microcontroller 2.7, queues 85.6, 10.9 and 12.9, tiler 12.2, cores 93.3, fragments 90.5, others
 * 21.4; 976 and 336 MB/s over a bus of 16 bytes. */
extern const struct pan_device pan_g710;
#define PAN_WORKED_TICKS UINT64_C(0x512345678)
#define PAN_WORKED_END   UINT64_C(1000500400000)
#define PAN_TIMESTAMP_HZ UINT64_C(24000000)
void pan_worked(struct pan_sample *s);

#endif
