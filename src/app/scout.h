/*
 * Looks through a whole recording ahead of the one who watches it, for the marks of its timeline: opens it a
 * second time and plays it in a thread of its own, so that no key ever waits for it.
 */
#ifndef APP_SCOUT_H
#define APP_SCOUT_H

#include "gwtop/source.h"
#include "marker.h"
#include "options.h"

struct scout;

/* Whether the recording of these options can be read a second time: a pipe cannot. */
bool scout_can(const struct options *o);
/* `o` is borrowed until it stops. */
enum err scout_start(const struct options *o, struct scout **out);
/* How long the recording is, and what is wrong with it ("" for nothing; NOTE_BYTES), which it finds out first; false:
 * not yet, or it gave up. Waits at most so long for it. */
#define SCOUT_NOTE_BYTES 400
bool scout_extent(struct scout *s, int64_t most_ns, struct trace_extent *out, char *note);
/* Readable when there is something new; -1 once it is through. */
int scout_fd(const struct scout *s);
/* The marks so far. True once it is through: more will not come. */
bool scout_marks(struct scout *s, struct ui_marks *out);
/* Once it is through: gaps between ticks, and the longest. */
uint32_t scout_gaps(const struct scout *s, int64_t *longest_ns);
/* Within a tick; accepts NULL. */
void scout_stop(struct scout *s);

#endif
