/* Which terminals can be a screen. */
#ifndef GWTOP_TERM_TYPE_H
#define GWTOP_TERM_TYPE_H

#include "gwtop/base.h"

/* ERR_UNSUPPORTED, with a word in info, for a TERM (NULL: unset) that cannot. */
enum err type_check(const char *name, struct err_info *info);
/* Says that there can be no screen, and of what name (NULL: none); the name comes from outside and
 * is cleaned. */
enum err type_refuse(struct err_info *info, const char *what, const char *name);

#endif
