/* The table entries of outputs.def, for the registry. */
#ifndef OUT_OUTPUTS_H
#define OUT_OUTPUTS_H

#include "gwtop/out.h"

#define OUTPUT(id) extern const struct output output_##id;
#include "outputs.def"
#undef OUTPUT

#endif
