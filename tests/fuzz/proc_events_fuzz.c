/* Any bytes as a datagram of the process connector. */
#include <stdint.h>
#include <stdlib.h>

#include "backend/proc/proc.h"

/* The shortest message is a netlink header. */
enum { SHORTEST = 16 };

static void check_event(const struct proc_event *e) {
    if (e->what != PROC_EVENT_OTHER && e->pid <= 0)
        abort();
    if (e->what < PROC_EVENT_OTHER || e->what > PROC_EVENT_EXIT)
        abort();
    if (e->what != PROC_EVENT_FORK && e->parent != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct span rest = {(const char *)data, size};
    struct proc_event e;
    size_t before = size;
    while (proc_event_next(&rest, &e)) {
        check_event(&e);
        if (before - rest.n < SHORTEST || rest.n > before ||
            rest.p != (const char *)data + size - rest.n)
            abort();
        before = rest.n;
    }
    return 0;
}
