/*
 * The collector of proc: reads what /proc says of the processes that others opened as subjects. Times in
 * nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef GWTOP_BACKEND_PROC_COLLECT_H
#define GWTOP_BACKEND_PROC_COLLECT_H

#include "gwtop/source.h"
#include "proc.h"

/* Login names by number, looked up once each. Zeroed: empty. */
struct user_name {
    uint32_t uid;
    uint32_t n;
    char text[60];
};
struct user_names {
    struct user_name *items;
    uint32_t count;
    uint32_t cap;
};

/* collect_user.c: the name of a user of the host's root; empty where there is none. Valid until the next
 * call. False: could not be looked up for now. */
bool user_names_get(struct user_names *u, struct host *h, uint32_t uid, struct span *out);
void user_names_finish(struct user_names *u);

#endif
