/* Ticks to stdout: text, JSON or CSV, live or from a recording. */
#ifndef APP_PRINT_H
#define APP_PRINT_H

#include "gwtop/source.h"
#include "options.h"

/* True if the options or the kind of stdout ask for printed ticks instead of the screen. */
bool print_is_asked(const struct options *o);
/* Exit status. */
int print_live(const struct options *o);
int print_recording(const struct options *o, struct source *take_trace);
/* `--list`. */
int print_devices(const struct options *o, struct source *take_trace);

#endif
