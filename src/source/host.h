/*
 * host: what live alone does with the machine. Private to the room.
 */
#ifndef GWTOP_SOURCE_HOST_H
#define GWTOP_SOURCE_HOST_H

#include "gwtop/source.h"

/* Opens /proc where it is not open. True if that made the difference. */
bool host_find_proc(struct host *h);

#endif
