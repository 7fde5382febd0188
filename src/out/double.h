/* Doubles of machine outputs. */
#ifndef OUT_DOUBLE_H
#define OUT_DOUBLE_H

#include "gwtop/base.h"

/* The fewest significant digits, 17 at most, that read back as the same number; "null" for NaN and
 * infinities. */
void put_double(struct buf *b, double v);

#endif
