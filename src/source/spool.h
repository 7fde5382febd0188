/*
 * spool: a copy of what can be read only once. Private to the room.
 */
#ifndef GWTOP_SOURCE_SPOOL_H
#define GWTOP_SOURCE_SPOOL_H

#include "input.h"

/* Copies all that comes from `from` to a file without a name. On success the caller closes *to. `name` is for the
 * error's text. */
enum err spool(int from, const char *name, const struct input_want *want, int *to,
               struct err_info *info);

#endif
