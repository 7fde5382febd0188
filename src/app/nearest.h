/* Words that were meant, for those that there are not. */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include "gwtop/base.h"

/* Whether a word that is `distance` from `word` may well have been meant: two edits, or a third of it. */
bool word_is_near(const char *word, unsigned distance);
/* ERR_USAGE with the names of all kinds of files, the nearest to `name` first. */
enum err kind_unknown(const char *name, struct err_info *info);
/* The names of all kinds of files, with `between` between two. */
void kinds_put(struct buf *out, const char *between);

#endif
