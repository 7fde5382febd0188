/*
 * The one clock that frames are stamped with. Nanoseconds.
 */
#include "gwtop/source.h"

#include <time.h>

int64_t clock_mono_ns(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
