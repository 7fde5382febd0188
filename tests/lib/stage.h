/*
 * A stage of real processes: in namespaces of its own (mounts, pids) live sleeping children that hold O_PATH
 * descriptors of DRM nodes without a driver; over their fdinfo folders those of a synthetic machine are
 * mounted, and over /sys and /dev its devices. So the real collectors find them in the real /proc, as they
 * would find clients of a GPU. Needs root.
 */
#ifndef TEST_STAGE_H
#define TEST_STAGE_H

#include <sys/types.h>

#include "synth.h"

struct stage_options {
    const char *gpus;
    unsigned processes; /* in all; at least those that the clients need */
    unsigned fds;       /* open descriptors of each */
    unsigned clients;
};

struct stage {
    struct stage_options o;
    struct synth *machine;
    char *dir; /* the synthetic machine's tree */
    struct synth_holder *holders;
    unsigned holder_count;
    unsigned actor_count; /* processes that hold clients */
    pid_t *actors;        /* their real pids, in the order of the holders' pids */
};

#define STAGE_UNABLE 77
/* Builds it, calls `body` on it, takes everything down. What body returned; STAGE_UNABLE where there are no
 * rights. */
int stage_run(const struct stage_options *o, int (*body)(struct stage *s, void *ctx), void *ctx);

/* The real pid of the machine's process `pid`; 0 for none. */
pid_t stage_pid(const struct stage *s, int pid);

#endif
