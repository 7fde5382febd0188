/* The lines of the log as the screen shows them. */
#ifndef APP_LOGBOOK_H
#define APP_LOGBOOK_H

#include "gwtop/core.h"
#include "gwtop/view.h"

#define LOGBOOK_BYTES 208 /* a line of the ring and its end */

/* Zeroed: nothing was read yet. */
struct logbook {
    struct ui_log log;
    struct ui_log_line lines[UI_LOG_LINES];
    char text[UI_LOG_LINES][LOGBOOK_BYTES];
    uint64_t reasons; /* for which something was not readable, said already, by bit */
};

/* Reads the ring where it has something new. Valid until the next call. */
const struct ui_log *logbook_read(struct logbook *b);
/* Writes a line for each reason for which units could not be read that is new among these counts. */
void logbook_count(struct logbook *b, const struct counts *c);

#endif
