/*
 * Clocks of the system, and the one that frames are stamped with. Nanoseconds.
 */
#include "gwtop/source.h"

#include <time.h>

int64_t clock_read_ns(clockid_t id) {
    struct timespec t = {0};
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_mono_ns(void) {
    return clock_read_ns(CLOCK_MONOTONIC);
}
