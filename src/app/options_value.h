/* What options take. */
#ifndef APP_OPTIONS_VALUE_H
#define APP_OPTIONS_VALUE_H

#include "options.h"

/* Time between two looks at a machine. */
#define OPTIONS_LEAST_NS INT64_C(100000000)

/* The option is given, with this value (NULL where it takes none). ERR_USAGE with a sentence for a value that it does
 * not take. */
enum err option_take(struct options *o, enum option_id id, const char *arg, struct err_info *info);
/* The words that an option takes, with | or , between; NULL where they are not counted. */
const char *option_words(enum option_id id);

#endif
