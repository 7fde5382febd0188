/*
 * The clock of a program that can be put forward: in place of that of src/source, for the one file of a test that has
 * its main. What lies in an archive would be taken by every test that asks for the time.
 */
#ifndef TEST_SKIPPED_CLOCK_H
#define TEST_SKIPPED_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "gwtop/source.h"

_Atomic int64_t skipped_ns;

int64_t clock_read_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec + skipped_ns;
}

int64_t clock_mono_ns(void) {
    return clock_read_ns(CLOCK_MONOTONIC);
}

#endif
