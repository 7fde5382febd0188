/* What a terminal can, for who opens none. */
#include "gwtop/term.h"

#include "type.h"

enum err term_ask(const char *name, int *colors, struct err_info *info) {
    return type_ask(name, colors, info);
}
