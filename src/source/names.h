/*
 * names: what a device is called, by its ids alone. Private to the room.
 */
#ifndef GWTOP_SOURCE_NAMES_H
#define GWTOP_SOURCE_NAMES_H

#include "devices.h"

/* Appends the name, for instance "Radeon RX 7800 XT"; never empty. False: a table of names could not be read
 * this time, so that there may be a better one. */
bool names_put_device(struct host *h, const struct device_found *d, struct buf *out);

#endif
