/* Options that can do nothing on this machine. */
#ifndef APP_INAPT_H
#define APP_INAPT_H

#include "gwtop/snapshot.h"
#include "options.h"

/* A line on stderr for each that was given and is for devices of which none is here. */
void inapt_say(const struct options *o, const struct snapshot *s);

/* False where -u has a name, and no row is that user's. */
bool inapt_is_user(const struct options *o, const struct snapshot *s);
/* Of a recording, once all of it was seen: only it knows who is known. */
void inapt_say_user(const struct options *o);

#endif
