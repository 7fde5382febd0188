/* What keys do: one function per action named in keys.def. */
#ifndef GWTOP_VIEW_ACTIONS_H
#define GWTOP_VIEW_ACTIONS_H

#include "ui.h"

/* Several keys share an action: naming it more than once is allowed. */
#define KEY(where, names, action, ...)                                                             \
    struct ui_command act_##action(struct ui *ui, const struct snapshot *s, int amount);
#include "keys.def"
#undef KEY

#endif
