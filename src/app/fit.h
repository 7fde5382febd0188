/* How much of a vendor file fits its kind, in words: such a file never plays to less than it holds without
 * a word. */
#ifndef APP_FIT_H
#define APP_FIT_H

#include "options.h"
#include "player.h"

/* Words for people, with `between` between two; nothing where all of it fits, and of what is no vendor file. */
void fit_words(const struct options *o, const struct kind *kind, const struct counts *c,
               const char *between, struct buf *out);
/* The same of what was played, on stderr; nothing where nothing was accepted: fit_check says so. */
void fit_say(const struct options *o, struct player *p);
/* ERR_FORMAT where a vendor file was played to its end and nothing of it was accepted. */
enum err fit_check(const struct options *o, struct player *p, struct err_info *info);

#endif
