/*
 * The outputs that there are, by name. Pure.
 */
#include "outputs.h"

static const struct output *const outputs[] = {
#define OUTPUT(id) &output_##id,
#include "outputs.def"
#undef OUTPUT
};

#define OUTPUTS (sizeof outputs / sizeof outputs[0])

const struct output *output_find(struct span name) {
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (span_equals(name, outputs[i]->name)) {
            return outputs[i];
        }
    }
    return NULL;
}
