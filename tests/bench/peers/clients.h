/* GPU clients on a machine without a GPU, for programs that are not told: root only, seen by us and our children. */
#ifndef BENCH_PEERS_CLIENTS_H
#define BENCH_PEERS_CLIENTS_H

#include <stdbool.h>
#include <sys/types.h>

struct clients {
    const char *dir; /* of the synthetic machine; borrowed */
    pid_t synth;     /* keeps the texts moving */
    char **texts;    /* fdinfo files of the synthetic machine, one of each client */
    unsigned count;
    bool made_udev;  /* /run/udev was not there */
    const char *why; /* there are none */
};

/* A mount namespace of our own, whose /sys is that of a synthetic machine in DIR with so many clients. False, and
 * why, where that may not be. */
bool clients_make(struct clients *c, const char *synth, const char *dir, unsigned count);
/* Lays a client's text over the fdinfo of each node that the processes hold, with so many descriptors each; how many
 * were laid. */
unsigned clients_lay(const struct clients *c, const pid_t *pids, unsigned n, unsigned descriptors);
/* The mounts go with the namespace and the processes. */
void clients_end(struct clients *c);

#endif
