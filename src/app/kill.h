/* Signals to processes that the user confirmed. */
#ifndef GWTOP_APP_KILL_H
#define GWTOP_APP_KILL_H

#include "gwtop/base.h"
#include "gwtop/view.h"

/* Sends a signal to each that is still the process it was: same number and same start. Appends one line that says
 * what became of it; `*bad` where some did not get it. */
void kill_targets(const struct ui_target *t, uint32_t n, int signal, struct buf *said, bool *bad);

#endif
