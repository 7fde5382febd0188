/*
 * The collector of proc: reads what /proc says of the processes that others opened as subjects. Times in
 * nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef GWTOP_BACKEND_PROC_COLLECT_H
#define GWTOP_BACKEND_PROC_COLLECT_H

#include <sys/types.h>

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

/* collect_events.c: a thread that follows which processes begin and end, and keeps what /proc said of them: also
 * of those that are gone, the newest first where there are too many. */
enum { KEPT_STAT_BYTES = 1024, KEPT_CMDLINE_BYTES = 1024, KEPT_NAME_BYTES = 64 };
struct kept_names {
    uint64_t start; /* ticks since boot; 0: not known, and neither is its stat */
    int32_t parent; /* 0: not known */
    uint32_t stat_n;
    uint32_t cmdline_n;
    char stat[KEPT_STAT_BYTES];
    char cmdline[KEPT_CMDLINE_BYTES];
    char parent_name[KEPT_NAME_BYTES];
};
struct events;
/* `proc_fd` stays open until events_stop. NULL: no memory or no thread left. `receive_bytes` is the kernel's
 * buffer at first; 0: the usual one. */
struct events *events_start(int proc_fd, int receive_bytes);
/* Where events are told: collect_connector.c; a test puts its own in the place of the kernel's. */
struct events_socket {
    /* Asks to be told. -1: nobody tells. */
    int (*open)(int receive_bytes);
    /* One datagram; n < 0 with errno. *kernel: it is the kernel's. */
    ssize_t (*receive)(int fd, void *to, size_t cap, bool *kernel);
    void (*widen)(int fd, int receive_bytes);
};
extern const struct events_socket proc_connector;
struct events *events_start_with(const struct events_socket *socket, int proc_fd,
                                 int receive_bytes);
bool events_find(struct events *e, int32_t pid, struct kept_names *out);
/* Whether the kernel tells of processes; else /proc is listed each second. */
bool events_told(struct events *e);
void events_stop(struct events *e); /* accepts NULL */

#endif
