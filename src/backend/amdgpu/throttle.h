/*
 * Words of throttle bits as flags, one metric per reason. Within this folder.
 */
#ifndef GWTOP_BACKEND_AMDGPU_THROTTLE_H
#define GWTOP_BACKEND_AMDGPU_THROTTLE_H

#include "gpu_metrics.h"

struct throttle_word {
    const struct gm_field *field; /* NULL: the table has none */
    uint64_t raw;
};
/* The same limits twice: in the chip's own order, and as the driver translated them. */
struct throttle_words {
    struct throttle_word asic;
    struct throttle_word common;
};

/*
 * Flags from the common word where the table has one; of a table without, from the chip's word
 * where its order is known. Limits that the common order has no bit for come from the chip's word
 * alone. What the driver or the chip is known to set without cause is doubted.
 */
void throttle_tell(struct gm_teller *t, const struct throttle_words *words);

#endif
