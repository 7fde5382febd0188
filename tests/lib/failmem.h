/*
 * Memory that is not to be had: the Nth allocation of the program's own code fails, once or from then on. Only
 * for programs that are linked with --wrap=malloc, calloc and realloc; what libraries take is left alone. Works in
 * sanitizer builds. Safe to use while threads allocate.
 */
#ifndef TEST_FAILMEM_H
#define TEST_FAILMEM_H

#include <stdbool.h>

/* From now on counts, and fails the `at`th (0: none). */
void failmem_arm(unsigned long at, bool on);
/* How many were asked for since; none fails any more. */
unsigned long failmem_disarm(void);

#endif
