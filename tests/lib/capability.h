/* What the terminal database says of a terminal type. */
#ifndef TEST_CAPABILITY_H
#define TEST_CAPABILITY_H

#include <stdbool.h>

/* The sequence of a capability (NULL: only asks for the type) without its padding; empty where the type has none.
 * False for a type that is not in the database. */
bool capability_of(const char *term, const char *name, char out[64]);

#endif
