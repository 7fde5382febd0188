/* The log pane's state. */
#ifndef GWTOP_VIEW_LOG_H
#define GWTOP_VIEW_LOG_H

#include <stdint.h>

struct log_view {
    uint64_t looked; /* lines ever written when it was last looked at */
    uint64_t drawn;  /* and when it was last drawn */
    uint32_t up;     /* rows above the newest that are out of sight */
    uint32_t room;   /* rows in sight at the last render */
};

#endif
