/* Walks the collectors of a backend, on each of its machines in faultrows.h, through all calls that may fail. */
#ifndef TEST_FAULTWALK_H
#define TEST_FAULTWALK_H

#include <stdint.h>

/* By how much the clock is put forward: see skipped_clock.h, which the program's own file includes. */
extern _Atomic int64_t skipped_ns;

/* A cmocka program of its own; what main returns. */
int fault_walk(const char *backend);

#endif
