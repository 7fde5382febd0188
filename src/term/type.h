/* Which terminals can be a screen. */
#ifndef GWTOP_TERM_TYPE_H
#define GWTOP_TERM_TYPE_H

#include "gwtop/base.h"

/* ERR_UNSUPPORTED, with a word in info, for a TERM (NULL: unset) that cannot. */
enum err type_check(const char *name, struct err_info *info);
/* The same; *colors: how many terminfo gives it, 0 where it has none or is not known. */
enum err type_ask(const char *name, int *colors, struct err_info *info);
/* Says that there can be no screen, and of what name (NULL: none); the name comes from outside and
 * is cleaned. */
enum err type_refuse(struct err_info *info, const char *what, const char *name);

/* True where terminfo knows how to tell the terminal on hand (the one that is open) a window's title. */
bool type_has_title(void);
/* Of the terminal on hand: colours are red, green and blue, not numbers. */
bool type_has_direct_color(void);

#endif
