/*
 * backend: every data path that this build knows, in one table. What a backend is stands in
 * core.h; which ones there are stands in src/backend/backends.def.
 */
#ifndef GWTOP_BACKEND_H
#define GWTOP_BACKEND_H

#include "gwtop/core.h"

extern const struct backend_table backend_table;

#endif
