/* The table of backends, as backends.def lists them. */
#include "gwtop/backend.h"

#define BACKEND(name) extern const struct backend backend_##name;
#include "backends.def"
#undef BACKEND

#define BACKEND(name) &backend_##name,
static const struct backend *const list[] = {
#include "backends.def"
};
#undef BACKEND

const struct backend_table backend_table = {
    .list = list,
    .count = sizeof(list) / sizeof(list[0]),
};
