/*
 * What the strip keeps from one render to the next, so that it does not jump.
 */
#ifndef GWTOP_VIEW_PICKS_H
#define GWTOP_VIEW_PICKS_H

#include <stdint.h>

#define ITEMS_MOST 10 /* in the line of a device */
#define PICKS_MOST 64

struct strip_state {
    uint8_t widest[ITEMS_MOST];  /* columns of each item since the devices shown changed */
    int device;                  /* the one shown alone then */
    uint32_t devices;            /* how many there were then */
    uint32_t picked[PICKS_MOST]; /* subjects of devices that have a line while others have none */
    uint32_t pick_count;
};

#endif
