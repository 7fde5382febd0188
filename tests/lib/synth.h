/*
 * synth: the synthetic machine. Writes /proc, /sys and /dev of a machine with GPUs that never was, for
 * `--root`: processes with DRM clients whose counters follow from the time alone, so that any moment can
 * be written again to the byte. Times are nanoseconds since the machine was made (t = 0).
 */
#ifndef TEST_SYNTH_H
#define TEST_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

struct synth_options {
    const char *gpus;   /* "amdgpu,i915:asleep": see synth_gpu.c; up to 16 */
    unsigned processes; /* in all; raised where the clients need more */
    unsigned fds;       /* open descriptors of each process */
    unsigned clients;   /* DRM clients */
    uint64_t seed;
    bool events;  /* the scripted events, see synth_events.c */
    bool hostile; /* names that try to break out of the output */
    bool demo;    /* the demonstration scene takes the place of cast, events and clients */
};

struct synth;

/* Writes the whole tree at t = 0 into `dir` (made if it is not there). NULL and a word on stderr on failure. */
/* A letter of what the programs in tests/synth take, with its value: -g -n -p -f -s -e -H -D. False: another. */
#define SYNTH_LETTERS "g:n:p:f:s:eHD"
bool synth_option(struct synth_options *o, int letter, const char *value);
struct synth *synth_create(const char *dir, const struct synth_options *o);
/* Comes back to a tree written before, at the time it stands at. */
struct synth *synth_open(const char *dir);
/* Moves the machine on and brings the tree up to it. False on failure. */
bool synth_step(struct synth *s, int64_t ns);
int64_t synth_time_ns(const struct synth *s);

/* What people call the device with this PCI address or platform name; NULL for none. */
const char *synth_gpu_name(const struct synth *s, const char *id);

/* Who holds a client's node open now: one entry per descriptor, those of one process together. */
struct synth_holder {
    int pid;
    unsigned number; /* of the descriptor */
    unsigned major;
    unsigned minor;
    const char *comm;
};
/* How many there are; the first `max` go to out. */
unsigned synth_holders(const struct synth *s, struct synth_holder *out, unsigned max);

/* Leaves the tree. Accepts NULL. */
void synth_close(struct synth *s);

#endif
