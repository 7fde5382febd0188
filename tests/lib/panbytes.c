/* See panbytes.h. */
#include <stdlib.h>

#include "panbytes.h"

const struct pan_device pan_g710 = {64, {0, 0, 1, 1, 2, 3}};

void pan_le(struct buf *b, uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> 8 * i & 0xff));
}

static size_t block_size(const struct pan_device *d) {
    return 24 + 8 * (size_t)d->counters;
}

size_t pan_sample_size(const struct pan_device *d) {
    size_t blocks = 0;
    for (unsigned type = PAN_FW; type <= PAN_SHADER; type++)
        blocks += d->blocks[type];
    return 56 + blocks * block_size(d);
}

void pan_info(struct buf *b, const struct pan_device *d) {
    pan_le(b, d->counters, 4);
    pan_le(b, 56, 4);
    pan_le(b, 24, 4);
    pan_le(b, pan_sample_size(d), 4);
    pan_le(b, 0, 4);
    pan_le(b, 0, 4);
    for (unsigned type = PAN_FW; type <= PAN_SHADER; type++)
        pan_le(b, d->blocks[type], 4);
}

void pan_begin(struct pan_sample *s, const struct pan_device *d, uint64_t end_ns, uint64_t ticks) {
    *s = (struct pan_sample){.start_ns = end_ns - 400000, .end_ns = end_ns, .user_data = 7};
    for (unsigned type = PAN_FW; type <= PAN_SHADER; type++)
        for (unsigned i = 0; i < d->blocks[type]; i++) {
            struct pan_block *b = &s->blocks[s->count++];
            b->type = (uint8_t)type;
            b->index = (uint8_t)i;
            b->mask[0] = UINT64_MAX;
            b->mask[1] = d->counters > 64 ? UINT64_MAX : 0;
            b->c[0] = ticks & 0xffffffff;
            b->c[1] = ticks >> 32;
            b->c[2] = 0xffff;
        }
}

struct pan_block *pan_block(struct pan_sample *s, unsigned type, unsigned index) {
    for (unsigned i = 0; i < s->count; i++)
        if (s->blocks[i].type == type && s->blocks[i].index == index)
            return &s->blocks[i];
    abort();
}

void pan_put(struct buf *b, const struct pan_device *d, const struct pan_sample *s) {
    pan_le(b, s->start_ns, 8);
    pan_le(b, s->end_ns, 8);
    pan_le(b, s->set, 4);
    pan_le(b, s->flags, 4);
    pan_le(b, s->user_data, 8);
    buf_fill(b, '\0', 24);
    for (unsigned i = 0; i < s->count; i++) {
        const struct pan_block *one = &s->blocks[i];
        pan_le(b, one->type, 1);
        pan_le(b, one->index, 1);
        pan_le(b, 0, 6);
        pan_le(b, one->mask[0], 8);
        pan_le(b, one->mask[1], 8);
        for (unsigned c = 0; c < d->counters; c++)
            pan_le(b, one->c[c], 8);
    }
}

void pan_worked(struct pan_sample *s) {
    static const uint64_t cores[3][3] = {{38000000, 9000000, 42000000},
                                         {38100000, 9100000, 42100000},
                                         {37900000, 8900000, 41900000}};
    static const uint64_t slices[2][4] = {{2000000, 900000, 3000000, 1000000},
                                          {1900000, 950000, 3100000, 1100000}};
    pan_begin(s, &pan_g710, PAN_WORKED_END, PAN_WORKED_TICKS);
    uint64_t *c = pan_block(s, PAN_CSHW, 0)->c;
    c[4] = 45000000;
    c[5] = 1200000;
    c[6] = 44000000;
    c[16] = 6000000;
    c[22] = 200000;
    c[24] = 5000000;
    c[30] = 100000;
    c[32] = 40000000;
    c[38] = 1500000;
    pan_block(s, PAN_TILER, 0)->c[4] = 5500000;
    for (unsigned i = 0; i < 2; i++) {
        c = pan_block(s, PAN_MEMSYS, i)->c;
        c[26] = slices[i][0];
        c[27] = slices[i][1];
        c[32] = slices[i][2];
        c[47] = slices[i][3];
    }
    for (unsigned i = 0; i < 3; i++) {
        c = pan_block(s, PAN_SHADER, i)->c;
        c[4] = cores[i][0];
        c[22] = cores[i][1];
        c[53] = cores[i][2];
    }
}
